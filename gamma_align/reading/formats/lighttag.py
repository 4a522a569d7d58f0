"""LightTag: the JSON of a job, with the examples, their annotations and the annotators of each.

Conventions
-----------
* ``examples`` (or ``annotations_and_examples`` in old exports) is the list of texts; an annotation is a unit of each
  annotator in its ``annotated_by``, its ``tag`` the category. An annotator in ``seen_by`` without an annotation marked
  nothing.
* In exports without ``annotated_by`` the annotator is the file, and saw all texts.
* Reviews are left out: they do not change the units that the annotator marked. Classifications and relations are left
  out.
* A document is named by its ``example_id``, by ``options={"document": "metadata.file"}``, or by its number.

References
----------
The types in https://github.com/LightTag/lighttag-convertors (the service itself has closed).
"""

from __future__ import annotations

from collections.abc import Iterator

from gamma_align.errors import InputError, Location, Where
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import as_problem, get, maybe, need, number, shape
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import records

_OPTION_HELP = {
    "document": "the key that names the document, in place of 'example_id', such as 'metadata.file'",
    "users": "names of the annotators: a mapping of their ids, or the path of a JSON file",
}
_EXAMPLE_KEYS = ("examples", "annotations_and_examples")

_Annotators = dict[str | None, str | None]
"""The annotators of a text: their names in the file to their names in the corpus."""


def _matches(head: Head) -> bool:
    keys = shape(head)
    return any({f"{key}[]", f"{key}[].content"} <= keys for key in _EXAMPLE_KEYS)


class _Job(records.RecordFile):
    """The examples of one job."""

    RECORD_NAME = "the example"

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.unmarked: list[str] = []  # texts without a named annotator

    def records(self) -> Iterator[tuple[Where, object]]:
        """Yield location and example."""
        job = json_files.document(self.source)
        examples = next(
            (job[key] for key in _EXAMPLE_KEYS if isinstance(job, dict) and isinstance(job.get(key), list)), None
        )
        if examples is None:
            raise InputError(
                f"has no list of {' or '.join(_EXAMPLE_KEYS)}",
                "export the job from LightTag as JSON",
                Location(self.source.name),
            )
        yield from ((f"example {index}", example) for index, example in enumerate(examples, 1))

    def take(self, location: Where, example: dict[str, object]) -> None:
        """Add one text and its annotations."""
        document = self.document(example, "example_id") or str(self.number)
        self.marks.texts[document, None] = get(example, "content", str, "the example")
        annotators: _Annotators = {}
        for annotator in maybe(example, "seen_by", list, "the example") or []:
            self._name(document, annotator, annotators)
        for item in maybe(example, "annotations", list, "the example") or []:
            with as_problem(self.marks, location):
                self._annotation(location, document, need(item, dict, "an annotation"), annotators)
        if not annotators:
            self.unmarked.append(document)
        for name in annotators.values():
            self.marks.annotated(document, name)

    def finish(self) -> list[Marks]:
        """Add the file's annotator to all texts without a named one, if any annotation names none."""
        marks = super().finish()
        if self.counts["anonymous"]:
            for document in self.unmarked:
                self.marks.annotated(document)
            self.marks.note(
                f"{self.counts['anonymous']} annotations do not tell who made them; they are taken as the file's "
                f"annotator {self.source.stem!r}"
            )
        return marks

    def _annotation(self, location: Where, document: str, unit: dict[str, object], annotators: _Annotators) -> None:
        start = number(unit, "start", "the annotation")
        end = number(unit, "end", "the annotation")
        tag = get(unit, "tag", str, "the annotation")
        text = maybe(unit, "value", str, "the annotation")
        makers = maybe(unit, "annotated_by", list, "the annotation")
        self.counts["anonymous"] += not makers
        for maker in makers or [None]:
            name = self._name(document, maker, annotators)
            self.marks.unit(start, end, tag, location=location, document=document, annotator=name, surface=text)

    def _name(self, document: str, annotator: object, annotators: _Annotators) -> str | None:
        """Return the corpus name of an annotator; `seen_by` and several annotations may list the same one."""
        name = None
        if annotator is not None:
            about = need(annotator, dict, "who annotated")
            key = "annotator" if about.get("annotator") not in (None, "") else "annotator_id"
            name = records.name(about.get(key), f"{key!r} of who annotated")
        if name not in annotators:
            annotators[name] = self.annotator(document, name)
        return annotators[name]


# `declares` lacks the annotator: exports without `annotated_by` name none.
FORMAT = FileFormat(
    "lighttag", "LightTag's JSON", (".json",), _matches, _Job, declares=("document",), options=_OPTION_HELP
)
