"""Potato: the answers of each annotator in a folder of the annotator's name.

Conventions
-----------
* ``annotated_instances.jsonl`` (version 1) has a text a line, with ``span_annotations``, a list of ``start``, ``end``,
  ``span`` and ``annotation``; the folder is the annotator. ``user_state.json`` (version 2) has all answers of the
  annotator ``user_id``; the schema of a span is its layer, and ``additional_parts`` are parts of one unit.
* A text with an answer was seen. A document is named by its id; spans in a field of a text, by id and field.
* ``label_annotations`` are answers about whole texts, which are items, not units: ``gamma-align items FOLDER``. Each
  schema is a question; of several, one is chosen with ``--column category=SCHEMA``. The answer is the label that was
  chosen, the set of labels if several were, or what was written if the schema has one field for all.

References
----------
https://github.com/davidjurgens/potato
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gamma_align.errors import Cure, Location, UnknownMeaningError, Where
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, shape, shown
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.formats import FileFormat, Marks
from gamma_align.reading.intake.mapping import READ_ITEMS
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.marks import records
from gamma_align.reading.places.walk import walk_folder

_LINES = frozenset({"id", "label_annotations", "span_annotations"})
_STATE = frozenset({"user_id", "instance_id_ordering"})  # the answers may come after megabytes of keystrokes
_NOT_CHOSEN = ("", "false", False, None)

_Labels = dict[str, dict[str, object]]
"""The value of each label, by schema."""


class _Answers(NamedTuple):
    """The answers about one text: its id, the text if the file has it, labels and spans."""

    instance: str
    text: str | None
    labels: _Labels
    spans: Sequence[object]


def is_potato(head: Head) -> bool:
    """Return whether a file has the answers of an annotator."""
    keys = {key.removeprefix("[].") for key in shape(head)}
    return keys >= _LINES or keys >= _STATE


def _answers(record: dict[str, object]) -> Iterator[_Answers]:
    """Yield the answers in a line, or in the state of a user."""
    if "user_id" not in record:
        labels = {name: need(value, dict, repr(name)) for name, value in get(record, "label_annotations", dict).items()}
        spans = record.get("span_annotations") or []  # an empty dictionary if there are none
        text = maybe(record, "displayed_text", str)
        yield _Answers(records.name(record.get("id"), "'id'"), text, labels, need(spans, list, "'span_annotations'"))
        return
    all_labels = get(record, "instance_id_to_label_to_value", dict)
    all_spans = get(record, "instance_id_to_span_to_value", dict)
    for instance in dict.fromkeys((*all_labels, *all_spans)):
        labels = {}
        for label, value in map(_pair, need(all_labels.get(instance, []), list, "the labels of a text")):
            labels.setdefault(get(label, "schema", str, "a label"), {})[get(label, "name", str, "a label")] = value
        spans = [span for span, _ in map(_pair, need(all_spans.get(instance, []), list, "the spans of a text"))]
        yield _Answers(instance, None, labels, spans)


def _pair(value: object) -> tuple[dict[str, object], object]:
    """Return a label or span, and its value."""
    match value:
        case [dict() as about, chosen]:
            return about, chosen
    raise FaultError(f"{shown(value)} is no pair of a label or span and its value", "export the answers again")


class _PotatoFile(records.RecordFile):
    """The answers of one annotator."""

    def take(self, location: Where, record: dict[str, object]) -> None:
        """Add the spans of a text, or of all texts of an annotator."""
        user = maybe(record, "user_id", str)
        for answers in _answers(record):
            self.counts["labels"] += len(answers.labels)
            if answers.text is not None:
                self.marks.texts[answers.instance, user] = answers.text
            self.marks.annotated(answers.instance, user)
            for item in answers.spans:
                with as_problem(self.marks, location):
                    self._span(location, answers.instance, user, need(item, dict, "a span"))

    def _span(self, location: Where, instance: str, user: str | None, span: dict[str, object]) -> None:
        field = maybe(span, "target_field", str, "a span")
        more = [need(part, dict, "a part") for part in maybe(span, "additional_parts", list, "a span") or []]
        self.marks.parts(
            [(part.get("start"), part.get("end")) for part in (span, *more)],
            get(span, "annotation" if "annotation" in span else "name", str, "a span"),
            part=str(span.get("id", len(self.marks))),
            location=location,
            document=f"{instance}/{field}" if field else instance,
            annotator=user,
            layer=maybe(span, "schema", str, "a span"),
            surface=None if more else maybe(span, "span", str, "a span"),
        )

    def finish(self) -> list[Marks]:
        """Refuse a file without spans."""
        if self.counts["labels"] and not len(self.marks) and not self.marks.problems:
            raise UnknownMeaningError(
                "the labels are of whole texts, and there are no spans",
                Cure("read them as items with {}", READ_ITEMS),
                Location(self.source.name),
            )
        if self.counts["labels"]:
            self.marks.note(f"{self.counts['labels']} answers about whole texts are left out: they are items")
        return super().finish()


def answers_in(paths: Sequence[Path], encoding: str | None = None) -> Rows | None:
    """Return the answers about whole texts, a row for each text and annotator, and a column for each schema.

    None if a file is of another format. Of a folder with both files of an annotator the first version is read.
    """
    sources = []
    for path in paths:
        files = walk_folder(path).files if path.is_dir() else [""]
        named = [Source(path / file if file else path, file or path.name, encoding) for file in files]
        sources += [source for source in named if source.suffix in (".json", ".jsonl")]
    found = [source for source in sources if is_potato(source.head)]
    lines = {source.path.parent for source in found if source.suffix == ".jsonl"}
    found = [source for source in found if source.suffix == ".jsonl" or source.path.parent not in lines]
    if not found:
        return None
    rows: list[tuple[Where, str, str, _Labels]] = []
    for source in found:
        for location, value in records.records(source):
            record = need(value, dict, "the record")
            user = maybe(record, "user_id", str) or PurePosixPath(source.path).parent.name
            place = f"{source.name}, line {location}" if isinstance(location, int) else source.name
            rows += ((place, answers.instance, user, answers.labels) for answers in _answers(record))
    schemas = dict.fromkeys(schema for *_, labels in rows for schema in labels)
    columns: dict[str, list[object]] = {"item": [row[1] for row in rows], "annotator": [row[2] for row in rows]}
    for schema in schemas:
        answers = [labels.get(schema, {}) for *_, labels in rows]
        columns[schema] = [*_answer_of(answers)]
    return Rows(paths[0].name or str(paths[0]), columns, [row[0] for row in rows])


def _answer_of(answers: Sequence[dict[str, object]]) -> Iterator[object]:
    """Yield the answer to a schema in each text: the label that was chosen, lists if some are several, or a writing."""
    chosen = [[label for label, value in answer.items() if value not in _NOT_CHOSEN] for answer in answers]
    fields = {label for answer in answers for label in answer}
    values = {str(value).lower() for answer in answers for value in answer.values()}
    is_written = len(fields) == 1 and not values <= {"true", "false", ""}
    are_lists = any(len(labels) > 1 for labels in chosen)
    for answer, labels in zip(answers, chosen, strict=True):
        if is_written:
            yield next(iter(answer.values()), None)
        else:
            yield (labels or None) if are_lists else next(iter(labels), None)


FORMAT = FileFormat(
    "potato",
    "Potato's answers (annotated_instances.jsonl, user_state.json)",
    (".jsonl", ".json"),
    is_potato,
    _PotatoFile,
    declares=("document",),
)
