r"""Label Studio: the JSON export, a list of tasks with the annotations of each annotator.

Conventions
-----------
* The annotator is ``completed_by`` (the e-mail address, if the export has it), or ``created_username`` in old exports;
  ``options={"users": …}`` maps numbers to names. If each annotator has a project, name the files after them and read
  ``"{annotator}.json"``.
* A task is named by its ``id``, or by ``options={"document": "data.external_id"}``, which joins tasks of several
  projects.
* The layer is the control tag (``from_name``). A region with several labels is several units.
* ``labels`` count code points of a text (UTF-16 code units before 2022: ``offsets="utf-16"``) or seconds of a
  recording; ``hypertextlabels`` and ``paragraphlabels`` are read by their ``globalOffsets``; ``paragraphlabels``
  without them by their paragraphs and the offsets in these, in the paragraphs' texts joined by line ends;
  ``timelinelabels`` count frames of a video, of which the last belongs to the unit; ``timeserieslabels`` have the unit
  of the time column. ``taxonomy`` with bounds is a label, its levels joined by slashes. Everything else (choices,
  boxes, relations) is left out.
* The text is ``data[options["text"]]``, ``data["text"]``, or the only string (or list of paragraphs) of the data.
* Skipped annotations (``was_cancelled``) are left out. Drafts and predictions are left out unless
  ``options={"drafts": "yes", "predictions": "yes"}``; ground truth is left out with ``options={"ground_truth": "no"}``.
* Two annotations of a task by one user are refused unless ``repeated=`` keeps the last, the first (by ``updated_at``)
  or both.

Writing makes tasks with the texts and, in place of annotations, predictions, which Label Studio shows to whoever
annotates next. The model of a prediction is the annotator; the labels belong to ``<Labels name="label"
toName="text">`` over ``<Text name="text" value="$text">``. Such files are read again with ``options={"predictions":
"yes", "document": "data.document"}``.

References
----------
https://labelstud.io/guide/task_format , https://labelstud.io/guide/export
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import ClassVar

from gamma_align.data import Corpus, Unit
from gamma_align.errors import Cure, Entry, InputError, Location, Note, Set, Where
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, number, shape, shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import records
from gamma_align.reading.marks.writable import by_annotator, drop_cure, text_of, unit_location, whole_bounds

_LABELS = ("labels", "hypertextlabels", "paragraphlabels", "timeserieslabels", "timelinelabels")
"""Types of results that label a region, which are units; others with the same id describe the region."""

_TAXONOMY = "taxonomy"  # labels a region too, if nothing else does

_MARKUP = ("hypertextlabels", "paragraphlabels")
"""Types of results with a text that is not the string in the data."""

_BOUND_KEYS = ("start", "ranges", "globalOffsets")
"""Keys of the value of a result with bounds."""

_OPTION_HELP = {
    "document": "the key that names the document, in place of 'id', such as 'data.external_id'",
    "text": "the key of the task's data that is the text",
    "users": "names of the users: a mapping of their numbers, or the path of a JSON file",
    "drafts": "'yes' reads drafts too",
    "predictions": "'yes' reads predictions of models too",
    "ground_truth": "'no' leaves out annotations marked as ground truth",
}
_TASK_PREFIXES = ("", "[].", "tasks[].", "projects[].tasks[].")  # paths of tasks: a record, or within a list or project
_KINDS_SHOWN = 5


def _matches(head: Head) -> bool:
    paths = shape(head)
    for before in _TASK_PREFIXES:
        keys = {key.removeprefix(before) for key in paths if key.startswith(before)}
        done = keys & {"annotations[]", "completions[]"} and keys & {"drafts", "predictions"} and "data" in keys
        if done or keys & {"annotations[].result", "completions[].result"}:
            return True
    single = any({f"{before}result[]", f"{before}task.data"} <= paths for before in ("", "[]."))
    return single or {"[].annotation_id", "[].lead_time"} <= paths or "projects[].tasks[]" in paths


class _LabelStudioFile(records.RecordFile):
    """The tasks of one export, with texts and recordings; `marks` collects the problems of all."""

    RECORD_NAME = "the task"
    NOTES: ClassVar = {
        "cancelled": "{} annotations that were skipped (was_cancelled) are left out",
        "truth": "{} annotations marked as ground truth are left out",
        "kept truth": Note(
            "{} annotations are marked as ground truth, and read as their annotator's",
            Cure("leave them out with {}", Set("options", {"ground_truth": "no"})),
        ),
        "drafts": "{} drafts are left out",
        "predictions": "{} predictions are left out",
        "unlabelled": "{} regions without a label are left out",
        "unseen": "{} tasks have no annotation of anyone and are left out",
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.include = {kind: records.flag(choices, kind) for kind in ("drafts", "predictions")}
        self.truth = records.flag(choices, "ground_truth") if "ground_truth" in choices.options else True
        self.by_unit: dict[str | None, Marks] = {}
        self.annotated_pairs: list[tuple[str, str | None]] = []
        self.data: dict[str, dict[str, object]] = {}
        self.markup = False
        self.key = str(choices.options.get("text", "text"))
        self.kinds: Counter[str] = Counter()
        self.bare_kinds: Counter[str] = Counter()
        self.in_paragraphs: dict[str, bool] = {}  # whether bounds of a document with paragraphs count in each of them

    def records(self) -> Iterator[tuple[Where, object]]:
        """Yield each task, from a list, a project or an annotation that contains it."""
        empty = True
        for location, value in super().records():
            with as_problem(self.marks, location):
                for task in _tasks(location, need(value, dict, "the task")):
                    empty = False
                    yield task
        if empty and not self.marks.problems:
            raise InputError(
                "no tasks in it", "export a project that has annotations as JSON", Location(self.source.name)
            )

    def take(self, location: Where, task: dict[str, object]) -> None:
        """Add one task, with all annotations of it."""
        if "annotations" not in task and "completions" not in task and {"annotation_id", "annotator"} & set(task):
            raise InputError(
                "this is Label Studio's JSON-MIN, which does not keep annotations apart",
                "export the project as JSON",
                Location(self.source.name),
            )
        annotations = get(task, "completions" if "completions" in task else "annotations", list, "the task")
        document = self.document(task, "id") or str(self.number)
        self.data.setdefault(document, maybe(task, "data", dict, "the task") or {})
        task_location = location if isinstance(location, str) and location.startswith("task") else f"task {document}"
        before = len(self.annotated_pairs)
        for item in annotations:
            with as_problem(self.marks, task_location):
                annotation = need(item, dict, "an annotation")
                if self._is_read(annotation):
                    self._results(task_location, document, _annotator(annotation), annotation)
        for kind, read in self.include.items():
            items = maybe(task, kind, list, "the task") or []
            if not read:
                self.counts[kind] += len(items)
                continue
            for item in items:
                with as_problem(self.marks, task_location):
                    content = need(item, dict, f"one of the {kind}")
                    self._results(task_location, document, _author(kind, content), content)
        self.counts["unseen"] += len(self.annotated_pairs) == before

    def _is_read(self, annotation: dict[str, object]) -> bool:
        """Whether an annotation is read; count the annotations left out."""
        if annotation.get("was_cancelled") is True:
            self.counts["cancelled"] += 1
            return False
        if annotation.get("ground_truth") is True:
            self.counts["kept truth" if self.truth else "truth"] += 1
            return self.truth
        return True

    def _results(self, task_location: str, document: str, annotator: str | None, annotation: dict[str, object]) -> None:
        number = annotation.get("id")
        location = f"{task_location}, annotation {number}" if isinstance(number, int | str) else task_location
        annotator = self.annotator(document, annotator, location=location, time=_time(annotation))
        self.annotated_pairs.append((document, annotator))
        results = [need(item, dict, "a region") for item in maybe(annotation, "result", list, "the annotation") or []]
        labelled = {result["id"] for result in results if result.get("type") in _LABELS and "id" in result}
        for result in results:
            kind = get(result, "type", str, "a region")
            value = result.get("value")
            is_alone = isinstance(value, dict) and any(key in value for key in _BOUND_KEYS)
            is_alone = is_alone and result.get("id") not in labelled
            if kind in _LABELS or (kind == _TAXONOMY and is_alone):
                with as_problem(self.marks, task_location):
                    self._region(task_location, document, annotator, kind, result)
            elif is_alone:
                self.bare_kinds[kind] += 1
            else:
                self.kinds[kind] += 1

    def _region(
        self, task_location: str, document: str, annotator: str | None, kind: str, result: dict[str, object]
    ) -> None:
        """Add the units of a region, one for each of its labels."""
        of = "the region"
        value = get(result, "value", dict, of)
        items = maybe(value, kind, list, of) or maybe(value, "labels", list, of) or []
        if kind == _TAXONOMY:
            items = ["/".join(map(str, need(levels, list, f"a label of {of}"))) for levels in items]
        labels = [need(item, str, f"a label of {of}") for item in items]
        layer = maybe(result, "from_name", str, of)
        is_plain = kind in ("labels", _TAXONOMY)
        timed = is_plain and ("channel" in value or result.get("original_length") is not None)
        text = maybe(value, "text", str, of) if is_plain and not timed else None
        is_global = "globalOffsets" in value
        if kind == "paragraphlabels" and self.in_paragraphs.setdefault(document, not is_global) == is_global:
            raise FaultError(
                "regions of paragraphlabels with and without globalOffsets are in one task, and may count differently",
                "open and update the annotations without them in Label Studio, or delete all globalOffsets",
            )
        if kind == "paragraphlabels" and not is_global:
            spans = [self._bounds_in_paragraphs(document, value)]
            # Between paragraphs the text of a region has other line ends.
            text = maybe(value, "text", str, of) if value["start"] == value["end"] else None
        elif kind == "timelinelabels":
            spans = [_frames(item) for item in get(value, "ranges", list, of)]
        else:
            self.markup |= kind in _MARKUP
            spans = [_bounds(kind, value)]
        length = number(result, "original_length", of) if timed and result.get("original_length") else None
        if not labels:
            self.counts["unlabelled"] += 1
            return
        unit = _length_unit(kind, timed=timed)
        marks = self.by_unit.setdefault(unit, Marks(self.source.name, length_unit=unit))
        if length is not None:
            marks.extents[document] = (0.0, float(length))
        if unit == "char" and not self.markup:
            text = self._covered(document, text)
        for label in labels:
            about = {"document": document, "annotator": annotator, "layer": layer, "surface": text}
            for start, end in spans:
                marks.unit(start, end, label, location=task_location, **about)

    def _bounds_in_paragraphs(self, document: str, value: dict[str, object]) -> tuple[int | float, int | float]:
        """Return the bounds of a region in the paragraphs of its task, joined by line ends."""
        paragraphs = self._paragraphs(document)
        if paragraphs is None:
            raise FaultError(
                "a region of paragraphlabels has no globalOffsets, and the paragraphs are not in the file",
                Cure(
                    "write the list of paragraphs, each with its 'text', into the task's data; if it has several "
                    "lists, name the one with {}",
                    Entry("options", "text"),
                ),
            )
        bounds = []
        for paragraph_key, offset_key in (("start", "startOffset"), ("end", "endOffset")):
            paragraph = value.get(paragraph_key)
            offset = number(value, offset_key, "the region")
            index = int(paragraph) if isinstance(paragraph, int | str) and str(paragraph).isdecimal() else None
            if index is None or index >= len(paragraphs) or not 0 <= offset <= len(paragraphs[index]):
                raise FaultError(
                    f"a region of paragraphlabels has character {offset:g} of paragraph {shown(paragraph)} as its "
                    f"{paragraph_key}, which is not among the {len(paragraphs)} paragraphs of the task",
                    "correct or delete it",
                )
            bounds.append(sum(len(text) + 1 for text in paragraphs[:index]) + int(offset))
        return bounds[0], bounds[1]

    def _paragraphs(self, document: str) -> list[str] | None:
        """Return the texts of the paragraphs of a task, ``None`` if it has no list of them, or several."""
        data = self.data[document]
        named = self.choices.options.get("text")
        lists = [data.get(str(named))] if named is not None else [*data.values()]
        found = [texts for value in lists if (texts := _texts(value)) is not None]
        return found[0] if len(found) == 1 else None

    def _covered(self, document: str, covered: str | None) -> str | None:
        """Return the text of a region with the line ends of the task's text; ``None`` if the task has no text."""
        text = self._text(document, guess=True)
        if text is not None and covered is not None and "\\n" in covered and "\\n" not in text:
            return covered.replace("\\n", "\n")  # as versions before 1.0 write line ends
        return None if text is None else covered

    def _text(self, document: str, *, guess: bool = False) -> str | None:
        """Return the text of a task; with `guess`, the only string in its data if no key names the text."""
        data = self.data[document]
        if self.in_paragraphs.get(document):
            return "\n".join(self._paragraphs(document) or ())
        if guess and self.key not in data and "text" not in self.choices.options:
            strings = [key for key, value in data.items() if isinstance(value, str)]
            self.key = strings[0] if len(strings) == 1 else self.key
        text = data.get(self.key)
        return text if isinstance(text, str) else None

    def finish(self) -> list[Marks]:
        """Add annotators, texts and notes to the marks with units of the requested layers, and return these marks."""
        requested = [
            marks for marks in self.by_unit.values() if any(self.choices.wants(key.layer) for key in marks.keys)
        ]
        all_marks = requested or list(self.by_unit.values()) or [self.marks]
        for marks in all_marks:
            for document, annotator in self.annotated_pairs:
                marks.annotated(document, annotator)
        chars = all_marks[0] if all_marks == [self.marks] else self.by_unit.get("char")
        if chars is not None and not self.markup:
            texts = {(document, None): self._text(document) for document in self.data}
            chars.texts.update({key: text for key, text in texts.items() if text is not None})
        self._note(all_marks[0])
        if self.marks not in all_marks:
            # Problems of tasks stand before problems of their units.
            all_marks[0].problems[:0] = self.marks.problems
        return all_marks

    def _note(self, marks: Marks) -> None:
        marks.note_counts(self.counts, self.NOTES)
        for kinds, meaning in (
            (self.kinds, "that are no spans"),
            (self.bare_kinds, "with bounds, but without labels,"),
        ):
            if kinds:
                listing = ", ".join(f"{count} of {kind}" for kind, count in kinds.most_common(_KINDS_SHOWN))
                marks.note(f"{kinds.total()} results {meaning} are left out: {listing}")
        if "frame" in self.by_unit:
            marks.note("ranges of timelinelabels count frames and include the last one")
        if self.markup:
            marks.note("bounds in marked-up text are not checked against it")


def _tasks(location: Where, record: dict[str, object]) -> Iterator[tuple[Where, dict[str, object]]]:
    """Yield the tasks in a record, which is an annotation with its task, a list of projects, a project, or a task."""
    if isinstance(record.get("task"), dict) and "result" in record:
        yield location, {**get(record, "task", dict), "annotations": [record]}
    elif "projects" in record or ("tasks" in record and "data" not in record):
        for item in maybe(record, "projects", list) or [record]:
            project = need(item, dict, "a project")
            for task in maybe(project, "tasks", list, "a project") or []:
                task_id = task.get("id") if isinstance(task, dict) else None
                yield f"task {task_id}" if isinstance(task_id, int) else location, need(task, dict, "a task")
    else:
        yield location, record


def _annotator(annotation: dict[str, object]) -> str | None:
    user = annotation.get("completed_by")
    if isinstance(user, dict):
        user = next((user[key] for key in ("email", "username", "id") if user.get(key) not in (None, "")), None)
    user = annotation.get("created_username") if user is None else user
    return None if user is None else records.name(user, "'completed_by' of the annotation")


def _time(annotation: dict[str, object]) -> float | None:
    """Return the time of the last change of an annotation, in seconds; ``None`` if it is unknown."""
    value = annotation.get("updated_at")
    try:
        changed = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if changed is None:
        return None
    # Times with and without a zone have to be comparable.
    return (changed if changed.tzinfo else changed.replace(tzinfo=UTC)).timestamp()


def _author(kind: str, annotation: dict[str, object]) -> str:
    key, author = ("model_version", "model {}") if kind == "predictions" else ("user", "draft of {}")
    name = annotation.get(key)
    return author.format(name) if isinstance(name, str | int) and str(name).strip() else author.split()[0]


def _length_unit(kind: str, *, timed: bool) -> str | None:
    if kind == "timeserieslabels":
        return None  # the unit of the time column, which is not known
    if kind == "timelinelabels":
        return "frame"
    return "s" if timed else "char"


def _bounds(kind: str, value: dict[str, object]) -> tuple[int | float, int | float]:
    offsets = maybe(value, "globalOffsets", dict, "the region")
    if offsets is not None:
        return number(offsets, "start", "globalOffsets"), number(offsets, "end", "globalOffsets")
    if kind in _MARKUP:
        raise FaultError(
            f"a region of {kind} has no globalOffsets, and its position in the markup is not read",
            Cure(
                "open and update the annotation in a newer Label Studio, or leave the layer out with {}", Set("layers")
            ),
        )
    return number(value, "start", "the region"), number(value, "end", "the region")


def _frames(item: object) -> tuple[int | float, int | float]:
    """Return the bounds of a range of frames, of which it has the first and the last."""
    frames = need(item, dict, "a range")
    return number(frames, "start", "a range"), number(frames, "end", "a range") + 1


def _texts(value: object) -> list[str] | None:
    """Return the texts of a list of paragraphs, ``None`` for another value."""
    if not isinstance(value, list) or not value:
        return None
    texts = [item.get("text") for item in value if isinstance(item, dict)]
    strings = [text for text in texts if isinstance(text, str)]
    return strings if len(strings) == len(value) else None


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    tasks = []
    for index, document in enumerate(corpus.documents):
        text = text_of(corpus, index, "a task of Label Studio")
        predictions = [
            {"model_version": annotator, "result": [_written_region(unit, text, document) for unit in units]}
            for annotator, units in by_annotator(corpus.continuum(index)).items()
        ]
        tasks.append({"data": {"text": text, "document": document}, "annotations": [], "predictions": predictions})
    yield "tasks.json", json.dumps(tasks, ensure_ascii=False, indent=1).encode()


def _written_region(unit: Unit, text: str, document: str) -> dict[str, object]:
    if unit.category is None:
        location = unit_location(unit, document)
        raise InputError("a region of Label Studio needs a label", drop_cure(["no-category"]), location)
    start, end = whole_bounds(unit, document, "Label Studio")
    value = {"start": start, "end": end, "text": text[start:end], "labels": [unit.category]}
    return {"from_name": "label", "to_name": "text", "type": "labels", "value": value}


# `declares` lacks the annotator: an annotation may have none.
FORMAT = FileFormat(
    "labelstudio",
    "Label Studio's JSON",
    (".json", ".jsonl"),
    _matches,
    _LabelStudioFile,
    declares=("document",),
    options=_OPTION_HELP,
    write=_write,
    text_is_extent=True,
)
