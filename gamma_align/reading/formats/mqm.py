"""MQM: tab-separated ratings of translations, one error in each row, as Google publishes them for WMT.

Conventions
-----------
* A document is a segment of one system's output, ``system/segment``; the annotator is the ``rater``.
* An error stands between ``<v>`` and ``</v>``, in the target or the source. Each of the two is a layer and a text of
  its own, so that only one is read at a time. Several such stretches in a row are one discontinuous unit.
* ``No-error`` means that the rater saw the segment and marked nothing. Rows about planted errors (severity
  ``HOTW-test``) and errors without a stretch are left out, and counted in notes; their raters saw the segment.
* The category is the whole ``category``; ``options={"category": …}`` selects ``"top"``, the part before the first
  ``/``, ``"severity"``, or ``"both"``, severity and category.
* Quotation marks are ordinary characters. A last column with a name that begins with ``#`` is a comment.

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

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files.sources import split_lines
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.records import one_of

_OPTION_HELP = {
    "category": "'full', 'top' (what stands before the first '/'), 'severity' or 'both': what is the category"
}
_CATEGORY_CHOICES = ("full", "top", "severity", "both")
_REQUIRED_COLUMNS = ("system", "rater", "source", "target", "category", "severity")
# Names of the column of segments; the first that a file has is used.
_SEGMENT_COLUMNS = ("globalSegId", "seg_id", "segmentId", "docSegId")
_TEXT_SIDES = ("source", "target")
_NOTE_TEXTS = {
    "planted": "{} rows about planted errors (HOTW-test) are left out",
    "unplaced": "{} errors without <v> in source or target are left out; their raters saw the segment",
}
_STRETCH_TAG = re.compile(r"</?v>")


class _Row(NamedTuple):
    """One rating: its document and rater, and the stretches that it marks in both texts."""

    line: int
    document: str
    rater: str
    category: str | None
    stretches: dict[str, list[tuple[int, int]]]
    texts: dict[str, str]


def _columns(header: str) -> dict[str, int]:
    """Return the index of each column by its name."""
    return {name.strip(): column for column, name in enumerate(header.split("\t"))}


def _matches(head: Head) -> bool:
    columns = _columns(head.lines[0]) if head.lines else {}
    return all(name in columns for name in _REQUIRED_COLUMNS) and any(name in columns for name in _SEGMENT_COLUMNS)


class _MqmFile:
    """One file of ratings."""

    def __init__(self, source: Source, choices: Choices) -> None:
        self.file = source.name
        self.category = one_of(choices, "category", _CATEGORY_CHOICES)
        self.sides = _sides(source, choices)
        self.lines = split_lines(source.text())
        self.marks = Marks(source.name)
        self.n_skipped: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Marks]:
        columns = _columns(self.lines[0]) if self.lines else {}
        missing = [name for name in _REQUIRED_COLUMNS if name not in columns]
        segment = next((name for name in _SEGMENT_COLUMNS if name in columns), None)
        if missing or segment is None:
            raise InputError(
                f"no column {missing[0] if missing else ' or '.join(_SEGMENT_COLUMNS)}",
                "begin a file of MQM ratings with a line of its columns, "
                f"{', '.join(_REQUIRED_COLUMNS)} and {_SEGMENT_COLUMNS[0]} among them",
                Location(self.file, 1),
            )
        # A row may lack the columns behind the required ones.
        width = 1 + max(columns[name] for name in (*_REQUIRED_COLUMNS, segment))
        rows = []
        for number, line in enumerate(self.lines[1:], 2):
            cells = line.split("\t")
            if len(cells) >= width:
                rows.append(
                    self._parse_row(
                        number, {name: cells[columns[name]] for name in (*_REQUIRED_COLUMNS, segment)}, segment
                    )
                )
            elif line.strip():
                self.marks.problem(
                    number, f"{len(cells)} cells, and columns up to the {width}th are needed", "complete it"
                )
        self._add_units([row for row in rows if row is not None])
        self.marks.note_counts(self.n_skipped, _NOTE_TEXTS)
        yield self.marks

    def _parse_row(self, line: int, cells: dict[str, str], segment: str) -> _Row | None:
        """Return the rating in a row; report a row with an empty cell or unpaired tags and return ``None``."""
        empty = next((name for name in ("system", segment, "rater", "category") if not cells[name].strip()), None)
        if empty is not None:
            self.marks.problem(line, f"no {empty}", "fill the cell")
            return None
        stretches = {}
        texts = {}
        for side in _TEXT_SIDES:
            marked = _stretches(cells[side])
            if marked is None:
                self.marks.problem(line, f"<v> and </v> do not take turns in the {side}", "correct it")
                return None
            texts[side], stretches[side] = marked
        category = self._category(cells["category"], cells["severity"], is_marked=any(stretches.values()))
        return _Row(line, f"{cells['system']}/{cells[segment]}", cells["rater"], category, stretches, texts)

    def _category(self, category: str, severity: str, *, is_marked: bool) -> str | None:
        """Return the category of the row's unit, ``None`` if it has no unit; count the rows left out."""
        if severity.casefold() == "hotw-test":
            self.n_skipped["planted"] += 1
            return None
        if "no-error" in (category.casefold(), severity.casefold()):
            return None
        if not is_marked:
            self.n_skipped["unplaced"] += 1
            return None
        short = {"top": category.partition("/")[0], "severity": severity, "both": f"{severity} {category}"}
        return short.get(self.category, category)

    def _add_units(self, rows: list[_Row]) -> None:
        """Add the units of the requested layers, and the rated text if all units are in one of the two texts."""
        filled = {side for row in rows if row.category for side in _TEXT_SIDES if row.stretches[side]}
        default_side = "target" if "target" in self.sides else "source"
        shown = [side for side in self.sides if side in filled] or [default_side]
        for line, document, rater, category, stretches, texts in rows:
            self.marks.annotated(document, rater)
            text = texts[shown[0]]
            if len(shown) == 1 and self.marks.texts.setdefault((document, rater), text) != text:
                self.marks.problem(
                    line, f"the text of {document!r} differs from the rater's rows before", "make them equal"
                )
            if category is None:
                continue
            for side in _TEXT_SIDES:
                about = {"document": document, "annotator": rater, "layer": side}
                self.marks.parts(stretches[side], category, part=str(line), location=line, **about)


def _sides(source: Source, choices: Choices) -> tuple[str, ...]:
    """Return the requested layers; raise an `InputError` for both, since they are two texts."""
    if choices.layers is None:
        return ("target", "source")
    sides = tuple(side for side in _TEXT_SIDES if choices.wants(side))
    if len(sides) > 1:
        raise InputError(
            "source and target are two texts, and their units cannot be aligned",
            Cure("read one of them with {} or {}", Set("layers", "target"), Set("layers", "source")),
            Location(source.name),
        )
    return sides or ("target",)


def _stretches(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    """Return the text without tags, and the bounds of the stretches between them; ``None`` if tags do not alternate."""
    pieces = _STRETCH_TAG.split(text)
    opening = [mark == "<v>" for mark in _STRETCH_TAG.findall(text)]
    # An odd number of tags differs in length.
    if opening != [True, False] * (len(opening) // 2):
        return None
    edges = list(accumulate(map(len, pieces[:-1])))
    return "".join(pieces), list(zip(edges[::2], edges[1::2], strict=True))


# Rows name the rater and the segment, so that the path names nothing.
FORMAT = FileFormat(
    "mqm",
    "MQM ratings, tab-separated",
    (".tsv", ".txt"),
    _matches,
    _MqmFile,
    declares=("annotator", "document"),
    options=_OPTION_HELP,
)
