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
from collections.abc import Iterable
from typing import NamedTuple

from gamma_align.errors import InputError
from gamma_align.io.files.sources import split_lines
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import records as rows

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
    return {name.strip(): at for at, name in enumerate(header.split("\t"))}


def _matches(head: Head) -> bool:
    columns = _columns(head.lines[0]) if head.lines else {}
    return all(name in columns for name in _NEEDED) and any(name in columns for name in _SEGMENTS)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    return (_File(source, choices).read(),)


class _File:
    """One file of ratings, and what it says."""

    def __init__(self, source: Source, choices: Choices) -> None:
        self.source = source
        self.manner = rows.one_of(choices, "category", _CATEGORIES)
        self.sides = _sides(source, choices)
        self.marks = Marks(source.name)
        self.left: Counter[str] = Counter()

    def read(self) -> Marks:
        lines = split_lines(self.source.text())
        columns = _columns(lines[0]) if lines else {}
        missing = [name for name in _NEEDED if name not in columns]
        segment = next((name for name in _SEGMENTS if name in columns), None)
        if missing or segment is None:
            what = missing[0] if missing else " or ".join(_SEGMENTS)
            raise InputError(
                f"{self.source.name}, line 1: no column {what}; a file of MQM ratings begins with a line of its "
                f"columns, {', '.join(_NEEDED)} and {_SEGMENTS[0]} among them"
            )
        width = 1 + max(columns[name] for name in (*_NEEDED, segment))
        ratings = []
        for number, line in enumerate(lines[1:], 2):
            cells = line.split("\t")
            if len(cells) >= width:
                ratings.append(
                    self._row(number, {name: cells[at] for name, at in columns.items() if at < len(cells)}, segment)
                )
            elif line.strip():
                self.marks.problem(
                    number, f"{len(cells)} cells, and columns up to the {width}th are needed; complete it"
                )
        self._say([row for row in ratings if row is not None])
        self._tell()
        return self.marks

    def _row(self, line: int, cells: dict[str, str], segment: str) -> _Row | None:
        for name in ("system", segment, "rater", "category"):
            if not cells[name].strip():
                self.marks.problem(line, f"no {name}; fill the cell")
                return None
        stretches, texts = {}, {}
        for side in _SIDES:
            read = _stretches(cells[side])
            if read is None:
                self.marks.problem(line, f"<v> and </v> do not take turns in the {side}; correct it")
                return None
            texts[side], stretches[side] = read
        category = self._category(cells["category"], cells["severity"], any(stretches.values()))
        document = f"{cells['system']}/{cells[segment]}"
        return _Row(line, document, cells["rater"], category, stretches, texts)

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
        return short.get(self.manner, category)

    def _say(self, ratings: list[_Row]) -> None:
        """Add the units of the layers asked for, and the text they are in if it is one."""
        filled = {side for row in ratings if row.category for side in _SIDES if row.stretches[side]}
        shown = [side for side in self.sides if side in filled] or ["target" if "target" in self.sides else "source"]
        for row in ratings:
            self.marks.annotated(row.document, row.rater)
            if len(shown) == 1:
                self._check_text(row, row.texts[shown[0]])
            for side in _SIDES:
                if row.category is not None and row.stretches[side]:
                    self._unit(row, side)

    def _check_text(self, row: _Row, text: str) -> None:
        before = self.marks.texts.setdefault((row.document, row.rater), text)
        if before != text:
            self.marks.problem(
                row.line, f"the text of {row.document!r} is not that of the rater's rows before; make them equal"
            )

    def _unit(self, row: _Row, side: str) -> None:
        for start, end in row.stretches[side]:
            self.marks.unit(
                start,
                end,
                row.category,
                where=row.line,
                document=row.document,
                annotator=row.rater,
                layer=side,
                part=str(row.line) if len(row.stretches[side]) > 1 else None,
            )

    def _tell(self) -> None:
        self.marks.note_counts(self.left, _NOTES)


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
    parts: list[str] = []
    stretches: list[tuple[int, int]] = []
    length = last = 0
    start: int | None = None
    for match in _MARK.finditer(text):
        parts.append(text[last : match.start()])
        length += match.start() - last
        last = match.end()
        opens = match.group() == "<v>"
        if opens != (start is None):
            return None
        if opens:
            start = length
        elif start is not None:
            stretches.append((start, length))
            start = None
    return None if start is not None else ("".join([*parts, text[last:]]), stretches)


FORMAT = FileFormat(
    name="mqm",
    description="MQM ratings, tab-separated",
    suffixes=(".tsv", ".txt"),
    declares=frozenset({"annotator", "document"}),
    matches=_matches,
    read=_read,
    options=_OPTIONS,
)
