r"""Label Studio: the JSON export, a list of tasks with what each person made of them.

Conventions
-----------
* The annotator is ``completed_by`` (the e-mail address, where it is there), or ``created_username`` in old exports;
  ``options={"users": …}`` names numbers. Who makes a project an annotator names the files, and reads
  ``"{annotator}.json"``.
* A task is named by its ``id``, or by ``options={"document": "data.external_id"}``, which joins tasks of several
  projects.
* The layer is the tag that was used (``from_name``). A region with several labels is a unit each.
* ``labels`` count code points of a text (UTF-16 code units before 2022: ``offsets="utf-16"``), seconds of a
  recording; ``hypertextlabels`` and ``paragraphlabels`` are read by their ``globalOffsets``; ``timeserieslabels``
  count what the time column does. Everything else (choices, boxes, relations) is left out.
* The text is ``data[options["text"]]``, ``data["text"]``, or the only string of the data.
* What was skipped (``was_cancelled``) is left out, and so are drafts and predictions but for
  ``options={"drafts": "yes", "predictions": "yes"}``, and ground truth with ``options={"ground_truth": "no"}``.

References
----------
https://labelstud.io/guide/task_format , https://labelstud.io/guide/export
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple

from gamma_align.data.problem import Where
from gamma_align.errors import InputError
from gamma_align.io.files.json_files import FaultError, as_problem, get, maybe, need, number, shape
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import records as rows

SPANS = ("labels", "hypertextlabels", "paragraphlabels", "timeserieslabels")
"""Types of results that are units."""

MARKUP = ("hypertextlabels", "paragraphlabels")
"""Those whose text is not the string in the data."""
_OPTIONS = {
    "document": "the key that names the document, in place of 'id', such as 'data.external_id'",
    "text": "the key of the task's data that is the text",
    "users": "names of the users: a mapping of their numbers, or the path of a JSON file",
    "drafts": "'yes' reads drafts too",
    "predictions": "'yes' reads predictions of models too",
    "ground_truth": "'no' leaves out annotations marked as ground truth",
}
_TASK = ("", "[].", "tasks[].", "projects[].tasks[].")
_KINDS_SHOWN = 5


def _matches(head: Head) -> bool:
    seen = shape(head)
    for before in _TASK:
        keys = {place.removeprefix(before) for place in seen if place.startswith(before)}
        done = keys & {"annotations[]", "completions[]"} and keys & {"drafts", "predictions"} and "data" in keys
        if done or keys & {"annotations[].result", "completions[].result"}:
            return True
    single = any({f"{before}result[]", f"{before}task.data"} <= seen for before in ("", "[]."))
    return single or {"[].annotation_id", "[].lead_time"} <= seen or "projects[].tasks[]" in seen


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    return _File(source, choices).read()


class _File(rows.RecordFile):
    """One export, and what it says: of texts and of recordings. Its own marks take what is wrong."""

    WHAT = "the task"
    NOTES: ClassVar = {
        "cancelled": "{} annotations that were skipped (was_cancelled) are left out",
        "truth": "{} annotations marked as ground truth are left out",
        "kept truth": "{} annotations are marked as ground truth; they are read as their annotator's "
        "(leave them out with options={{'ground_truth': 'no'}})",
        "drafts": "{} drafts are left out",
        "predictions": "{} predictions are left out",
        "unlabelled": "{} regions without a label are left out",
        "unseen": "{} tasks have no annotation of anyone and are left out",
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.more = {kind: rows.flag(choices, kind) for kind in ("drafts", "predictions")}
        self.truth = rows.flag(choices, "ground_truth") if "ground_truth" in choices.options else True
        self.by_unit: dict[str | None, Marks] = {}
        self.seen: list[tuple[str, str | None]] = []
        self.data: dict[str, dict[str, object]] = {}
        self.markup = False
        self.key = str(choices.options.get("text", "text"))
        self.kinds: Counter[str] = Counter()

    def records(self) -> Iterator[tuple[Where, object]]:
        """Yield each task, in whatever it is wrapped."""
        empty = True
        for where, value in super().records():
            with as_problem(self.marks, where):
                record = need(value, dict, "the task")
                for task in self._tasks(where, record):
                    empty = False
                    yield task
        if empty and not self.marks.problems:
            raise InputError(f"{self.source.name}: no tasks in it; export a project that has annotations as JSON")

    def _tasks(self, where: Where, record: dict[str, object]) -> Iterator[tuple[Where, dict[str, object]]]:
        if isinstance(record.get("task"), dict) and "result" in record:
            yield where, {**need(record["task"], dict, "'task'"), "annotations": [record]}
        elif "projects" in record or ("tasks" in record and "data" not in record):
            yield from self._wrapped(where, record)
        else:
            yield where, record

    def _wrapped(self, where: Where, record: dict[str, object]) -> Iterator[tuple[Where, dict[str, object]]]:
        for item in maybe(record, "projects", list) or [record]:
            project = need(item, dict, "a project")
            for task in maybe(project, "tasks", list, "a project") or []:
                task_id = task.get("id") if isinstance(task, dict) else None
                yield f"task {task_id}" if isinstance(task_id, int) else where, need(task, dict, "a task")

    def take(self, where: Where, number: int, task: dict[str, object]) -> None:
        """Add one task, with all annotations of it."""
        if "annotations" not in task and "completions" not in task and {"annotation_id", "annotator"} & set(task):
            raise InputError(
                f"{self.source.name}: this is Label Studio's JSON-MIN, which loses what belongs to which annotation; "
                "export the project as JSON"
            )
        annotations = get(task, "completions" if "completions" in task else "annotations", list, "the task")
        document = self.document(task, "id") or str(number)
        self.data.setdefault(document, maybe(task, "data", dict, "the task") or {})
        place = where if isinstance(where, str) and where.startswith("task") else f"task {document}"
        before = len(self.seen)
        for item in annotations:
            with as_problem(self.marks, place):
                self._annotation(place, document, need(item, dict, "an annotation"))
        for kind in ("drafts", "predictions"):
            for item in maybe(task, kind, list, "the task") or []:
                if self.more[kind]:
                    with as_problem(self.marks, place):
                        more = need(item, dict, f"one of the {kind}")
                        self._results(place, document, _author(kind, more), more)
                else:
                    self.counts[kind] += 1
        self.counts["unseen"] += len(self.seen) == before

    def _annotation(self, place: str, document: str, annotation: dict[str, object]) -> None:
        if annotation.get("was_cancelled") is True:
            self.counts["cancelled"] += 1
            return
        if annotation.get("ground_truth") is True:
            self.counts["kept truth" if self.truth else "truth"] += 1
            if not self.truth:
                return
        who = _person(annotation)
        self._results(place, document, who, annotation)

    def _results(self, place: str, document: str, who: str | None, annotation: dict[str, object]) -> None:
        who = self.annotator(document, who)
        self.seen.append((document, who))
        for item in maybe(annotation, "result", list, "the annotation") or []:
            result = need(item, dict, "a region")
            kind = get(result, "type", str, "a region")
            if kind not in SPANS:
                self.kinds[kind] += 1
                continue
            self.markup |= kind in MARKUP
            with as_problem(self.marks, place):
                units = list(regions(result))
                self.counts["unlabelled"] += not units
                for region in units:
                    self._unit(place, document, who, region)

    def _unit(self, place: str, document: str, who: str | None, region: Region) -> None:
        marks = self.by_unit.setdefault(region.length_unit, Marks(self.source.name, length_unit=region.length_unit))
        if region.length is not None:
            marks.extents[document] = (0.0, float(region.length))
        surface = region.surface
        if region.length_unit == "char" and not self.markup:
            text = self._text(document, guess=True)
            if text is None:
                surface = None
            elif surface is not None and "\\n" in surface and "\\n" not in text:
                surface = surface.replace("\\n", "\n")  # as versions before 1.0 write line ends
        marks.unit(
            region.start,
            region.end,
            region.label,
            where=place,
            document=document,
            annotator=who,
            layer=region.layer,
            surface=surface,
        )

    def _text(self, document: str, *, guess: bool = False) -> str | None:
        """Return the text of a task; the only string in its data is one where units count characters."""
        data = self.data[document]
        if guess and self.key not in data and "text" not in self.choices.options:
            strings = [key for key, value in data.items() if isinstance(value, str)]
            self.key = strings[0] if len(strings) == 1 else self.key
        text = data.get(self.key)
        return text if isinstance(text, str) else None

    def finish(self) -> list[Marks]:
        """Add who saw what, the texts and the notes to the marks that have units of the layers asked for."""
        wanted = [marks for marks in self.by_unit.values() if any(self.choices.wants(key.layer) for key in marks.keys)]
        every = wanted or list(self.by_unit.values()) or [self.marks]
        for marks in every:
            for document, who in self.seen:
                marks.annotated(document, who)
        chars = every[0] if every == [self.marks] else self.by_unit.get("char")
        if chars is not None and not self.markup:
            texts = {(document, None): self._text(document) for document in self.data}
            chars.texts.update({key: text for key, text in texts.items() if text is not None})
        self._note(every[0])
        self.copies.tell(every[0])
        if self.marks not in every:
            every[0].problems[:0] = self.marks.problems
        return every

    def _note(self, marks: Marks) -> None:
        marks.note_counts(self.counts, self.NOTES)
        if self.kinds:
            kinds = ", ".join(f"{count} of {kind}" for kind, count in self.kinds.most_common(_KINDS_SHOWN))
            marks.note(f"{self.kinds.total()} results that are no spans are left out: {kinds}")
        if self.markup:
            marks.note("bounds in marked-up text are not checked against it")


def _person(annotation: dict[str, object]) -> str | None:
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = next((who[key] for key in ("email", "username", "id") if who.get(key) not in (None, "")), None)
    if who is None:
        who = annotation.get("created_username")
    return None if who is None else rows.name(who, "'completed_by' of the annotation")


def _author(kind: str, annotation: dict[str, object]) -> str:
    if kind == "predictions":
        version = annotation.get("model_version")
        return f"model {version}" if isinstance(version, str | int) and str(version).strip() else "model"
    user = annotation.get("user")
    return f"draft of {user}" if isinstance(user, str | int) and str(user).strip() else "draft"


class Region(NamedTuple):
    """One unit.

    `length_unit` is what the bounds count; `length` is that of the recording, where it is told.
    """

    start: object
    end: object
    label: str
    layer: str | None
    length_unit: str | None
    surface: str | None
    length: int | float | None


def regions(result: dict[str, object]) -> Iterator[Region]:
    """Yield the units that an entry of a type in `SPANS` makes, one a label; none where it has no label."""
    kind = get(result, "type", str, "the region")
    value = get(result, "value", dict, "the region")
    labels = maybe(value, kind, list, "the region") or maybe(value, "labels", list, "the region") or []
    layer = maybe(result, "from_name", str, "the region")
    timed = kind == "labels" and ("channel" in value or result.get("original_length") is not None)
    length_unit = None if kind == "timeserieslabels" else "s" if timed else "char"
    start, end = _bounds(kind, value)
    length = number(result, "original_length", "the region") if timed and result.get("original_length") else None
    surface = maybe(value, "text", str, "the region") if kind == "labels" and not timed else None
    for label in labels:
        yield Region(start, end, need(label, str, "a label of the region"), layer, length_unit, surface, length)


def _bounds(kind: str, value: dict[str, object]) -> tuple[int | float, int | float]:
    offsets = maybe(value, "globalOffsets", dict, "the region")
    if offsets is not None:
        return number(offsets, "start", "globalOffsets"), number(offsets, "end", "globalOffsets")
    if kind in MARKUP:
        raise FaultError(
            f"a region of {kind} has no globalOffsets, and its place in the markup is not read; save the annotation "
            "again in a newer Label Studio, or leave the layer out with layers= (--layers)"
        )
    return number(value, "start", "the region"), number(value, "end", "the region")


FORMAT = FileFormat(
    name="labelstudio",
    description="Label Studio's JSON",
    suffixes=(".json", ".jsonl"),
    declares=frozenset({"document"}),
    matches=_matches,
    read=_read,
    options=_OPTIONS,
)
