"""LightTag: the JSON of a job, with the examples, their annotations and who made each.

Conventions
-----------
* ``examples`` (or ``annotations_and_examples`` in old exports) is the list of texts; an annotation is a unit of each
  one in its ``annotated_by``, its ``tag`` the category. Who is in ``seen_by`` and in no annotation marked nothing.
* In exports without ``annotated_by`` the annotator is the file, and saw all texts.
* Reviews are left out: a unit a reviewer found wrong still is what the annotator marked. Classifications and relations
  are left out.
* A document is named by its ``example_id``, by ``options={"document": "metadata.file"}``, or by its number.

References
----------
The types in https://github.com/LightTag/lighttag-convertors (the service itself has closed).
"""

from __future__ import annotations

from collections.abc import Iterator

from gamma_align.errors import InputError, Where
from gamma_align.io.files import json_files
from gamma_align.io.files.json_files import as_problem, get, maybe, need, number, shape
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import records

_OPTIONS = {
    "document": "the key that names the document, in place of 'example_id', such as 'metadata.file'",
    "users": "names of the annotators: a mapping of their ids, or the path of a JSON file",
}
_LISTS = ("examples", "annotations_and_examples")

_People = dict[str | None, str | None]
"""Who annotated a text, as the file names them, to their names in the corpus."""


def _matches(head: Head) -> bool:
    keys = shape(head)
    return any({f"{key}[]", f"{key}[].content"} <= keys for key in _LISTS)


class _Job(records.RecordFile):
    """The examples of one job."""

    WHAT = "the example"

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.unmarked: list[str] = []  # texts of which nothing says who saw them

    def records(self) -> Iterator[tuple[Where, object]]:
        """Yield location and example."""
        job = json_files.document(self.source)
        examples = next((job[key] for key in _LISTS if isinstance(job, dict) and isinstance(job.get(key), list)), None)
        if examples is None:
            raise InputError(
                f"{self.source.name}: has no list of {' or '.join(_LISTS)}; export the job from LightTag as JSON"
            )
        yield from ((f"example {index}", example) for index, example in enumerate(examples, 1))

    def take(self, where: Where, number: int, example: dict[str, object]) -> None:
        """Add one text and its annotations."""
        document = self.document(example, "example_id") or str(number)
        self.marks.texts[document, None] = get(example, "content", str, "the example")
        people: _People = {}
        for person in maybe(example, "seen_by", list, "the example") or []:
            self._name(document, person, people)
        for item in maybe(example, "annotations", list, "the example") or []:
            with as_problem(self.marks, where):
                self._annotation(where, document, need(item, dict, "an annotation"), people)
        if not people:
            self.unmarked.append(document)
        for name in people.values():
            self.marks.annotated(document, name)

    def finish(self) -> list[Marks]:
        """Take the file's annotator for one who saw all texts, where there are annotations of nobody."""
        marks = super().finish()
        if self.counts["anonymous"]:
            for document in self.unmarked:
                self.marks.annotated(document)
            self.marks.note(
                f"{self.counts['anonymous']} annotations do not tell who made them; they are taken as the file's "
                f"annotator {self.source.stem!r}"
            )
        return marks

    def _annotation(self, where: Where, document: str, unit: dict[str, object], people: _People) -> None:
        start, end = number(unit, "start", "the annotation"), number(unit, "end", "the annotation")
        tag, text = get(unit, "tag", str, "the annotation"), maybe(unit, "value", str, "the annotation")
        makers = maybe(unit, "annotated_by", list, "the annotation")
        self.counts["anonymous"] += not makers
        for maker in makers or [None]:
            name = self._name(document, maker, people)
            self.marks.unit(start, end, tag, where=where, document=document, annotator=name, surface=text)

    def _name(self, document: str, person: object, people: _People) -> str | None:
        """Return the name of one who annotated a text, whose record may be there twice."""
        name = None
        if person is not None:
            about = need(person, dict, "who annotated")
            key = "annotator" if about.get("annotator") not in (None, "") else "annotator_id"
            name = records.name(about.get(key), f"{key!r} of who annotated")
        if name not in people:
            people[name] = self.annotator(document, name)
        return people[name]


FORMAT = FileFormat("lighttag", "LightTag's JSON", (".json",), _matches, _Job, declares=("document",), options=_OPTIONS)
