r"""PubTator: titles and abstracts with their entities; a file is by one annotator and has many documents.

Conventions
-----------
* ``<id>|t|<title>`` and ``<id>|a|<abstract>`` are the text of a document, joined by a line break. Bounds count its
  characters.
* ``<id>\t<start>\t<end>\t<text>\t<type>`` is a unit, its type the category. Further columns, such as the identifier of
  a concept, are left out. Lines of relations (``<id>\t<type>\t<concept>\t<concept>``) are left out, with a note.
* A document without entities was seen.
* ``<id>|<section>|<text>`` with other sections (PubTator Central's full texts) are read in their order.

References
----------
Wei, Kao & Lu 2013, PubTator: a web-based text mining tool for assisting biocuration, Nucleic Acids Research 41;
https://www.ncbi.nlm.nih.gov/research/pubtator3/tutorial.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from gamma_align.reading.files.line_files import numbered
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source

_SECTION_LINE = re.compile(r"([^|\t\s]+)\|(\w{1,20})\|(.*)", re.DOTALL)
_TITLE_LINE = re.compile(r"[^|\t\s]+\|t\|")
_RECOGNISED_LINES = 5
_WHOLE_NUMBER = re.compile(r"\d{1,15}", re.ASCII)
_MIN_CELLS = 5  # of an entity: document, start, end, text, type
_MIN_RELATION_CELLS = 3  # cells: document, type, concepts
_NOTE_TEXTS = {
    "relations": "{} lines without positions, such as relations, are left out",
    "columns": "what follows the type is left out ({} lines)",
}


def _matches(head: Head) -> bool:
    first = next((line for line in head.lines[:_RECOGNISED_LINES] if line.strip()), "")
    return _TITLE_LINE.match(first.removeprefix("\ufeff")) is not None


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name)
    sections: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    for number, line in numbered(source):
        section = _SECTION_LINE.fullmatch(line) if "\t" not in line.partition("|")[0] else None
        if section is not None:
            sections.setdefault(section[1], []).append(section[3])
            marks.annotated(section[1])
        elif line.strip():
            _add_entity(marks, number, line, sections, counts)
    for document, texts in sections.items():
        marks.texts[document, None] = "\n".join(texts)
    marks.note_counts(counts, _NOTE_TEXTS)
    return (marks,)


def _add_entity(marks: Marks, number: int, line: str, sections: dict[str, list[str]], counts: Counter[str]) -> None:
    """Add the entity of a line; count lines of relations and report invalid ones."""
    cells = line.split("\t")
    if len(cells) >= _MIN_RELATION_CELLS and cells[0] in sections and not _WHOLE_NUMBER.fullmatch(cells[1]):
        counts["relations"] += 1
    elif len(cells) < _MIN_CELLS or not _WHOLE_NUMBER.fullmatch(cells[2]):
        marks.problem(
            number,
            f"{line[:60]!r} is no entity: an entity is document, start, end, text, type, with tabs between",
            "correct or delete it",
        )
    elif cells[0] not in sections:
        marks.problem(number, f"the document {cells[0][:40]!r} has no title above the line", "correct the document")
    else:
        counts["columns"] += len(cells) > _MIN_CELLS
        document, start, end, text, category = cells[:_MIN_CELLS]
        marks.unit(int(start), int(end), category or None, location=number, document=document, surface=text)


# A file is by one annotator, so that the path names it.
FORMAT = FileFormat(
    name="pubtator",
    description="PubTator (.txt, .pubtator)",
    suffixes=(".pubtator", ".txt"),
    matches=_matches,
    read=_read,
    declares=("document",),
)
