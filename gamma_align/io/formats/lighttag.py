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

from typing import TYPE_CHECKING

from gamma_align.errors import InputError
from gamma_align.io.files import json_files
from gamma_align.io.files.json_files import get, maybe, need, number, told
from gamma_align.io.files.json_shape import shape
from gamma_align.io.formats import FileFormat
from gamma_align.io.marks import records as rows
from gamma_align.io.marks.copies import Copies
from gamma_align.io.marks.marks import Marks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gamma_align.io.files.sources import Head, Source
    from gamma_align.io.marks.choices import Choices

_OPTIONS = {
    "document": "the key that names the document, in place of 'example_id', such as 'metadata.file'",
    "users": "names of the annotators: a mapping of their ids, or the path of a JSON file",
}
_LISTS = ("examples", "annotations_and_examples")


def _matches(head: Head) -> bool:
    seen = shape(head)
    return any({f"{key}[]", f"{key}[].content"} <= seen for key in _LISTS)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    job = json_files.document(source)
    key = next((key for key in _LISTS if isinstance(job, dict) and isinstance(job.get(key), list)), None)
    if key is None or not isinstance(job, dict):
        raise InputError(f"{source.name}: has no list of {' or '.join(_LISTS)}; export the job from LightTag as JSON")
    reader = _Job(source, choices)
    for place, item in enumerate(job[key], 1):
        with told(reader.marks, f"example {place}"):
            reader.example(place, need(item, dict, "the example"))
    reader.copies.tell(reader.marks)
    if reader.anonymous:
        for document in reader.unmarked:
            reader.marks.annotated(document)
        reader.marks.note(
            f"{reader.anonymous} annotations do not tell who made them; they are taken as the file's "
            f"annotator {source.stem!r}"
        )
    return (reader.marks,)


class _Job:
    """One job, and what it says."""

    def __init__(self, source: Source, choices: Choices) -> None:
        self.choices = choices
        self.users = rows.names(choices, "users", source)
        self.copies = Copies(source)
        self.marks = Marks(source.name)
        self.anonymous = 0
        self.unmarked: list[str] = []  # texts of which it is not told who saw them

    def example(self, place: int, example: dict[str, object]) -> None:
        """Add one text and its annotations."""
        document = rows.document(example, self.choices, "example_id") or str(place)
        self.marks.texts[document, None] = get(example, "content", str, "the example")
        people: dict[str | None, str | None] = {}
        for witness in maybe(example, "seen_by", list, "the example") or []:
            self._person(document, witness, people)
        for item in maybe(example, "annotations", list, "the example") or []:
            with told(self.marks, f"example {place}"):
                self._annotation(place, document, need(item, dict, "an annotation"), people)
        if not people:
            self.unmarked.append(document)
        for who in people.values():
            self.marks.annotated(document, who)

    def _annotation(
        self, place: int, document: str, unit: dict[str, object], people: dict[str | None, str | None]
    ) -> None:
        start, end = number(unit, "start", "the annotation"), number(unit, "end", "the annotation")
        tag = get(unit, "tag", str, "the annotation")
        makers = maybe(unit, "annotated_by", list, "the annotation")
        self.anonymous += not makers
        for maker in makers or [None]:
            self.marks.unit(
                start,
                end,
                tag,
                where=f"example {place}",
                document=document,
                annotator=self._person(document, maker, people),
                surface=maybe(unit, "value", str, "the annotation"),
            )

    def _person(self, document: str, witness: object, people: dict[str | None, str | None]) -> str | None:
        """Return the name of one who annotated a text, whose record may be there twice."""
        who = None
        if witness is not None:
            person = need(witness, dict, "who annotated")
            key = "annotator" if person.get("annotator") not in (None, "") else "annotator_id"
            who = rows.name(person.get(key), f"{key!r} of who annotated")
        if who not in people:
            people[who] = self.copies.annotator(document, self.users.get(who, who) if who else None)
        return people[who]


FORMAT = FileFormat(
    name="lighttag",
    description="LightTag's JSON",
    suffixes=(".json",),
    declares=frozenset({"document"}),
    matches=_matches,
    read=_read,
    options=_OPTIONS,
)
