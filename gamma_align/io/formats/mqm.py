"""MQM: tab-separated ratings of translations, one error a row, as Google publishes them for WMT.

Conventions
-----------
* A document is a segment of one system's output, ``system/segment``; the annotator is the ``rater``.
* An error is what stands between ``<v>`` and ``</v>``, in the target or the source; each is a layer, and a text of its
  own, so that only one of them is read at a time. Several such stretches in a row are one discontinuous unit.
* ``No-error`` means that the rater saw the segment and marked nothing. Rows about planted errors (severity
  ``HOTW-test``) and errors without a stretch are left out, and counted in notes; their raters saw the segment.
* The category is the whole ``category``; ``options={"category": …}`` takes ``"top"``, what stands before the first
  ``/``, ``"severity"``, or ``"both"``, severity and category.
* Quotation marks are characters like others. A last column whose name begins with ``#`` is a comment.

References
----------
https://github.com/google/wmt-mqm-human-evaluation
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from gamma_align.errors import InputError
from gamma_align.io.files.sources import split_lines
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks.records import one_of

_OPTIONS = {"category": "'full', 'top' (what stands before the first '/'), 'severity' or 'both': what is the category"}
_CATEGORIES = ("full", "top", "severity", "both")
_NEEDED = ("system", "rater", "source", "target", "category", "severity")
_SEGMENTS = ("globalSegId", "seg_id", "segmentId", "docSegId")
_SIDES = ("source", "target")
_NOTES = {
    "planted": "{} rows about planted errors (HOTW-test) are left out",
    "unplaced": "{} errors without <v> in source or target are left out; their raters saw the segment",
}
_MARK = re.compile(r"</?v>")


class _Row(NamedTuple):
    """One rating: which text, of whom, and the stretches that it marks in both texts."""

    line: int
    document: str
    rater: str
    category: str | None
    stretches: dict[str, list[tuple[int, int]]]
    texts: dict[str, str]


def _columns(header: str) -> dict[str, int]:
    return {name.strip(): column for column, name in enumerate(header.split("\t"))}


def _matches(head: Head) -> bool:
    columns = _columns(head.lines[0]) if head.lines else {}
    return all(name in columns for name in _NEEDED) and any(name in columns for name in _SEGMENTS)


class _File:
    """One file of ratings."""

    def __init__(self, source: Source, choices: Choices) -> None:
        self.file = source.name
        self.category = one_of(choices, "category", _CATEGORIES)
        self.sides = _sides(source, choices)
        self.lines = split_lines(source.text())
        self.marks = Marks(source.name)
        self.left: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Marks]:
        columns = _columns(self.lines[0]) if self.lines else {}
        missing = [name for name in _NEEDED if name not in columns]
        segment = next((name for name in _SEGMENTS if name in columns), None)
        if missing or segment is None:
            raise InputError(
                f"{self.file}, line 1: no column {missing[0] if missing else ' or '.join(_SEGMENTS)}; a file of MQM "
                f"ratings begins with a line of its columns, {', '.join(_NEEDED)} and {_SEGMENTS[0]} among them"
            )
        width = 1 + max(columns[name] for name in (*_NEEDED, segment))
        rows = []
        for number, line in enumerate(self.lines[1:], 2):
            cells = line.split("\t")
            if len(cells) >= width:
                rows.append(self._row(number, {name: cells[columns[name]] for name in (*_NEEDED, segment)}, segment))
            elif line.strip():
                what = f"{len(cells)} cells, and columns up to the {width}th are needed; complete it"
                self.marks.problem(number, what)
        self._add([row for row in rows if row is not None])
        self.marks.note_counts(self.left, _NOTES)
        yield self.marks

    def _row(self, line: int, cells: dict[str, str], segment: str) -> _Row | None:
        empty = next((name for name in ("system", segment, "rater", "category") if not cells[name].strip()), None)
        if empty is not None:
            self.marks.problem(line, f"no {empty}; fill the cell")
            return None
        stretches, texts = {}, {}
        for side in _SIDES:
            marked = _stretches(cells[side])
            if marked is None:
                self.marks.problem(line, f"<v> and </v> do not take turns in the {side}; correct it")
                return None
            texts[side], stretches[side] = marked
        category = self._category(cells["category"], cells["severity"], any(stretches.values()))
        return _Row(line, f"{cells['system']}/{cells[segment]}", cells["rater"], category, stretches, texts)

    def _category(self, category: str, severity: str, marked: bool) -> str | None:  # noqa: FBT001
        """Return the category of the row's unit, ``None`` where it has none; count what is left out."""
        if severity.casefold() == "hotw-test":
            self.left["planted"] += 1
            return None
        if "no-error" in (category.casefold(), severity.casefold()):
            return None
        if not marked:
            self.left["unplaced"] += 1
            return None
        short = {"top": category.partition("/")[0], "severity": severity, "both": f"{severity} {category}"}
        return short.get(self.category, category)

    def _add(self, rows: list[_Row]) -> None:
        """Add the units of the layers asked for, and the text they are in if it is one."""
        filled = {side for row in rows if row.category for side in _SIDES if row.stretches[side]}
        shown = [side for side in self.sides if side in filled] or ["target" if "target" in self.sides else "source"]
        for line, document, rater, category, stretches, texts in rows:
            self.marks.annotated(document, rater)
            text = texts[shown[0]]
            if len(shown) == 1 and self.marks.texts.setdefault((document, rater), text) != text:
                what = f"the text of {document!r} is not that of the rater's rows before; make them equal"
                self.marks.problem(line, what)
            for side in _SIDES if category is not None else ():
                about = {"location": line, "document": document, "annotator": rater, "layer": side}
                self.marks.parts(stretches[side], category, part=str(line), **about)


def _sides(source: Source, choices: Choices) -> tuple[str, ...]:
    """Return the layers that are wanted."""
    if choices.layers is None:
        return ("target", "source")
    sides = tuple(side for side in _SIDES if choices.wants(side))
    if len(sides) > 1:
        raise InputError(
            f"{source.name}: source and target are two texts, and their units cannot be aligned; read layers='target' "
            "(--layers target) or layers='source'"
        )
    return sides or ("target",)


def _stretches(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    """Return the text without marks, and what was between them; ``None`` where they do not take turns."""
    pieces = _MARK.split(text)
    opening = [mark == "<v>" for mark in _MARK.findall(text)]
    if opening != [True, False] * (len(opening) // 2):
        return None
    edges = list(accumulate(map(len, pieces[:-1])))
    return "".join(pieces), list(zip(edges[::2], edges[1::2], strict=True))


FORMAT = FileFormat(
    "mqm",
    "MQM ratings, tab-separated",
    (".tsv", ".txt"),
    _matches,
    _File,
    declares=("annotator", "document"),
    options=_OPTIONS,
)
