"""doccano: JSON Lines, a text in each line, or the zip of such files that a project exports, one for each annotator.

Conventions
-----------
* New exports have ``label: [[start, end, name], …]``, or ``entities`` with offsets and ``relations`` beside them. The
  annotator is the file: its name, or the name of the member in the zip. ``all.jsonl`` is exported by a project with
  shared labels: it does not name their annotators, and is read only if ``annotator=`` gives one.
* Old exports (to 1.0) have ``annotations`` with numbers for users and labels.
  ``options={"labels": …, "users": …}`` name them: a mapping, or the path of a JSON file (such as doccano's own list
  of labels).
* doccano writes each text into every member's file, unless only approved texts are exported: a text without a label
  counts as seen, and is counted in a note.
* A document is named by its ``id``, by ``options={"document": "meta.file"}``, or by its number in the file.
* Offsets are code points; UTF-16 before 2019 (``offsets="utf-16"``). A project in ``grapheme_mode`` counts
  grapheme clusters, which are not read.

References
----------
https://doccano.github.io/doccano/ ; the exporter is ``backend/data_export`` in https://github.com/doccano/doccano
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple

from gamma_align.data import usual
from gamma_align.errors import Cure, Entry, InputError, Location, Note, Set, Where
from gamma_align.reading.files import archives
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, number, shape, shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import records

_OPTION_HELP = {
    "document": "the key that names the document, in place of 'id'",
    "labels": "names of the labels, where the export has numbers: a mapping, or the path of a JSON file",
    "users": "names of the users, where the export has numbers: a mapping, or the path of a JSON file",
}
_ZIP_SIGNATURE = b"PK\x03\x04"
_SPAN_LENGTH = 3  # start, end, label


class _Anonymous(NamedTuple):
    """An export that does not name its annotators: words for it, and the cure."""

    export: str
    cure: str


_SHARED_PROJECT = _Anonymous(
    "a project whose members share their labels", "annotate without 'Share annotations across all users'"
)
_OLD_EXPORT = _Anonymous("an old export with names of labels", "export with their numbers")


def _matches(head: Head) -> bool:
    if head.data.startswith(_ZIP_SIGNATURE):
        return bool(head.members) and all("/" not in name and name.endswith(".jsonl") for name in head.members)
    paths = shape(head)
    # Prodigy writes keys that begin with an underscore.
    if not {"text:str", "data:str"} & paths or any(key.startswith("_") for key in paths):
        return False
    if usual(paths, "annotator") or usual(paths, "document"):  # keys that doccano does not write
        return False
    old = {"annotations[].start_offset", "annotations[].user"} <= paths
    related = {"entities[]", "relations[]"} <= paths
    return old or related or _has_triples(paths, "label") or _has_triples(paths, "labels")


def _has_triples(paths: frozenset[str], key: str) -> bool:
    inside = {path.removeprefix(f"{key}[]") for path in paths if path.startswith(f"{key}[]")}
    return "" in inside and inside <= {"", "[]", "[]:num", "[]:str"}


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    if not isinstance(source, archives.Member) and source.data().startswith(_ZIP_SIGNATURE):
        return _zipped(source, choices)
    if source.name == "all.jsonl":
        _check_named(source, choices, _SHARED_PROJECT)
    return _DoccanoFile(source, choices)


def _zipped(source: Source, choices: Choices) -> Iterator[Marks]:
    has_texts = False
    for member in archives.members(source.path, source.encoding):
        if member.suffix not in (".jsonl", ".json"):
            continue
        if member.stem == "all":
            _check_named(member, choices, _SHARED_PROJECT)
        if member.data().strip():
            has_texts = True
            yield from _DoccanoFile(member, choices, member.stem)
    if not has_texts:
        raise InputError(
            "no <annotator>.jsonl with texts in it", "export the project again as JSONL", Location(source.name)
        )


def _check_named(source: Source, choices: Choices, anonymous: _Anonymous) -> None:
    """Refuse a file that does not name its annotator, unless the user does."""
    if choices.annotator is None:
        raise InputError(
            f"doccano does not name the annotators in {anonymous.export}",
            Cure("{}, or read it as one annotator's with {}", anonymous.cure, Set("annotator", "all")),
            Location(source.name),
        )


class _DoccanoFile(records.RecordFile):
    """The records of one file; `annotator` is its name in an archive."""

    NOTES: ClassVar = {
        "empty": "{} texts without a label are taken as seen by their annotator; doccano writes texts nobody opened "
        "too, unless only approved ones are exported",
        "numbered": "{} texts have no id and are named by their number in the file",
        "unseen": "{} texts have no annotation of anyone and are left out",
        "labels": Note(
            "{} units have the number of their label as category", Cure("name them with {}", Entry("options", "labels"))
        ),
        "users": Note(
            "{} units have the number of their annotator", Cure("name them with {}", Entry("options", "users"))
        ),
    }

    def __init__(self, source: Source, choices: Choices, annotator: str | None = None) -> None:
        super().__init__(source, choices)
        self.name = annotator
        self.labels = records.names(choices, "labels", source)

    def take(self, location: Where, record: dict[str, object]) -> None:
        text = get(record, "data" if "data" in record and "text" not in record else "text", str)
        document = self.document(record, "id")
        if document is None:
            document = str(self.number)
            self.counts["numbered"] += 1
        if "annotations" in record:
            self._take_old(location, document, text, record)
            return
        # Exports to 1.0 that name their labels do not name their annotators.
        if "annotation_approver" in record:
            _check_named(self.source, self.choices, _OLD_EXPORT)
        annotator = self.annotator(document, self.name)
        self.marks.texts[document, annotator] = text
        self.marks.annotated(document, annotator)
        units = list(_units(record))
        self.counts["empty"] += not units
        for start, end, label in units:
            self.marks.unit(start, end, label, location=location, document=document, annotator=annotator)

    def _take_old(self, location: Where, document: str, text: str, record: dict[str, object]) -> None:
        self.marks.texts[document, None] = text
        self.marks.tells_seen = False  # an old export has the annotators of each text who marked something
        annotations = need(record["annotations"], list, "'annotations' of the record")
        self.counts["unseen"] += not annotations
        annotators: dict[str, str | None] = {}
        for item in annotations:
            with as_problem(self.marks, location):
                unit = need(item, dict, "an annotation")
                start = number(unit, "start_offset")
                end = number(unit, "end_offset")
                user = records.name(unit.get("user"), "'user' of the annotation")
                label = records.name(unit.get("label"), "'label' of the annotation")
                self.counts["users"] += user not in self.users
                self.counts["labels"] += label not in self.labels
                if user not in annotators:
                    annotators[user] = self.annotator(document, user)
                category = self.labels.get(label, label)
                self.marks.unit(start, end, category, location=location, document=document, annotator=annotators[user])


def _units(record: dict[str, object]) -> Iterator[tuple[object, object, str]]:
    """Yield start, end and label of a record's units."""
    for item in maybe(record, "entities", list) or []:
        unit = need(item, dict, "an entity")
        yield number(unit, "start_offset"), number(unit, "end_offset"), get(unit, "label", str, "the entity")
    for item in maybe(record, "label" if "label" in record else "labels", list) or []:
        if not isinstance(item, list) or len(item) != _SPAN_LENGTH or not isinstance(item[2], str):
            raise FaultError(f"{shown(item)} is no [start, end, label]", "export labelled spans, not whole labels")
        yield item[0], item[1], item[2]


# Annotators are named by the file or, in old exports, by the record.
FORMAT = FileFormat(
    "doccano",
    "doccano's JSON Lines",
    (".jsonl", ".json", ".zip"),
    _matches,
    _read,
    declares=("document",),
    options=_OPTION_HELP,
)
