"""Text in lines of cells: lines break between words, and each character has a fixed cell, so that marks align with it.

Conventions
-----------
* A character takes one cell; East Asian wide characters and emoji take two. Combining marks, joiners and joined
  characters take none: they belong to the cell of the preceding character.
* A line ends at a line break of the text. A longer line is broken after a blank or beside a wide character, or between
  any two characters if it has neither. Blanks at the end of a line extend beyond the margin.
* A line is aligned with the right margin if its first letter belongs to a right-to-left script. Within a line,
  stretches of the opposite direction are reversed (a part of the Unicode bidirectional algorithm, UAX #9, without
  explicit embeddings).
* Stretches of simple characters are fitted to their cells by spacing; other scripts are fitted word by word.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_MARK_CATEGORIES = ("Mn", "Mc", "Me")  # general categories of combining marks
_NO_CELL_CATEGORIES = (
    "Mn",
    "Me",
    "Cf",
)  # general categories without a cell of their own: combining marks and format characters
_WIDE_WIDTHS = ("W", "F")  # values of East_Asian_Width
_WIDE_CELLS = 2
_WORDS = re.compile(r"\S+(?: \S+)*")  # words separated by single blanks
_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_STRONG_SIDES = {"L": "L", "R": "R", "AL": "R"}  # bidirectional classes with a direction
_NUMBER_CLASSES = ("EN", "AN")
_SEPARATOR_CLASSES = ("CS", "ES")


class Run(NamedTuple):
    """A stretch of a line that is drawn as one element: its text, first cell, number of cells, and kind."""

    text: str
    cell: int
    cells: int
    is_simple: bool
    is_reversed: bool


def cell_widths(text: str) -> IntArray:
    """Return the number of cells of each character, shape (n_characters,).

    Examples
    --------
    >>> cell_widths("a日e\u0301").tolist()
    [1, 2, 1, 0]
    """
    if text.isascii():
        return np.ones(len(text), dtype=np.int64)
    widths = []
    previous = ""
    for char in text:
        is_joined = previous == _ZERO_WIDTH_JOINER and unicodedata.category(char) == "So"
        if unicodedata.category(char) in _NO_CELL_CATEGORIES or is_joined or _SKIN_TONES[0] <= char <= _SKIN_TONES[1]:
            widths.append(0)
        else:
            widths.append(_WIDE_CELLS if unicodedata.east_asian_width(char) in _WIDE_WIDTHS else 1)
        previous = char
    return np.array(widths, dtype=np.int64)


@dataclass(frozen=True)
class Line:
    """A line of text and the cells of its characters.

    Attributes
    ----------
    start : int
        Position of the first character in the text.
    text : str
        The characters; a line break at the end is a blank.
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        """Position in the text after the last character."""
        return self.start + len(self.text)

    @cached_property
    def widths(self) -> IntArray:
        """Number of cells of each character."""
        return cell_widths(self.text)

    @property
    def n_cells(self) -> int:
        """Number of cells of the line."""
        return int(self.widths.sum())

    @cached_property
    def levels(self) -> IntArray | None:
        """Embedding level of each character; None if the line has no right-to-left characters."""
        return _levels(self.text) if _RIGHT_TO_LEFT.search(self.text) else None

    @property
    def is_right_to_left(self) -> bool:
        """Whether the line is aligned with the right margin."""
        return self.levels is not None and _base_level(self.text) == 1

    @cached_property
    def cells(self) -> IntArray:
        """First cell of each character, counted from the left, followed by the number of cells of the line."""
        if self.levels is None:
            return np.concatenate([[0], np.cumsum(self.widths)])
        order = _visual_order(self.levels)
        left = np.empty(len(self.text) + 1, dtype=np.int64)
        left[order] = np.cumsum(self.widths[order]) - self.widths[order]
        left[-1] = self.n_cells
        # a combining mark has the cell of its character, also in reversed text
        for index in np.flatnonzero(self.widths[1:] == 0).tolist():
            left[index + 1] = left[index]
        return left

    def stretches(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the first and last cells of the characters between two positions, one pair for each visual stretch."""
        first = max(start, self.start) - self.start
        last = min(end, self.end) - self.start
        if self.levels is None:
            return [(int(self.cells[first]), max(int(self.cells[last]), int(self.cells[first])))]
        indices = np.arange(first, last)[self.widths[first:last] > 0]
        ends = self.cells[indices] + self.widths[indices]
        pairs = sorted(zip(self.cells[indices].tolist(), ends.tolist(), strict=True))
        merged: list[tuple[int, int]] = []
        for left, right in pairs:
            if merged and merged[-1][1] == left:
                merged[-1] = (merged[-1][0], right)
            else:
                merged.append((left, right))
        return merged

    def edge(self, position: int) -> int:
        """Return the cell edge of a position: left of its character, or right of it in right-to-left text."""
        index = position - self.start
        if self.levels is None or index == len(self.text):
            last = len(self.text) - 1
            is_reversed = self.levels is not None and last >= 0 and self.levels[last] % 2 == 1
            return int(self.cells[last]) if is_reversed else int(self.cells[index])
        is_reversed = self.levels[index] % 2 == 1
        return int(self.cells[index] + (self.widths[index] if is_reversed else 0))

    def runs(self) -> Iterator[Run]:
        """Yield the stretches that are drawn as one element each."""
        for first, last in self._stretches_by_kind():
            # viewers differ in their rendering of repeated blanks and of blanks at the ends of an element
            for words in _WORDS.finditer(self.text, first, last):
                begin, end = words.span()
                is_reversed = self.levels is not None and self.levels[begin] % 2 == 1
                cell = int(self.cells[begin:end].min())
                width = int(self.widths[begin:end].sum())
                yield Run(words.group(), cell, width, self._kinds[begin] != _COMPLEX_KIND, is_reversed)

    def _stretches_by_kind(self) -> Iterator[tuple[int, int]]:
        if self.text.isascii():
            yield 0, len(self.text)
            return
        first = 0
        for index in range(1, len(self.text) + 1):
            if index == len(self.text) or self._begins_run(index):
                yield first, index
                first = index

    def _begins_run(self, index: int) -> bool:
        """Return whether a character begins a new run."""
        if self.widths[index] == 0:
            return False
        if self.levels is not None and self.levels[index] != self.levels[index - 1]:
            return True
        return bool(self._kinds[index] != self._kinds[index - 1])

    @cached_property
    def _kinds(self) -> IntArray:
        """Kind of each character: narrow, wide, or part of a word that has to be shaped as a whole."""
        kinds = np.where(self.widths == _WIDE_CELLS, _WIDE_KIND, _NARROW_KIND)
        for word in re.finditer(r"\S+", self.text):
            if any(
                unicodedata.category(char) in _MARK_CATEGORIES or char == _ZERO_WIDTH_JOINER for char in word.group()
            ) or (_RIGHT_TO_LEFT.search(word.group())):
                kinds[word.start() : word.end()] = _COMPLEX_KIND
        return kinds


_NARROW_KIND, _WIDE_KIND, _COMPLEX_KIND = range(3)  # values of Line._kinds


def break_lines(text: str, start: int, end: int, columns: int) -> list[Line]:
    """Return the lines of a stretch of text, each of at most `columns` cells, not counting blanks at its end.

    Examples
    --------
    >>> [line.text for line in break_lines("one two three", 0, 13, 8)]
    ['one two ', 'three']
    """
    lines: list[Line] = []
    while start < end:
        new_line = text.find("\n", start, end)
        stop = end if new_line < 0 else new_line + 1
        lines += _lines_of_paragraph(text[start:stop], start, columns)
        start = stop
    return lines


def _lines_of_paragraph(text: str, offset: int, columns: int) -> Iterator[Line]:
    cells = np.concatenate([[0], np.cumsum(cell_widths(text))])
    first = 0
    while first < len(text):
        fitting = int(np.searchsorted(cells, cells[first] + columns, side="right")) - 1
        last = len(text) if fitting >= len(text) else _break(text, cells, first, max(fitting, first + 1))
        while last < len(text) and text[last].isspace():
            last += 1
        yield Line(offset + first, text[first:last].replace("\n", " "))
        first = last


def _break(text: str, cells: IntArray, first: int, fitting: int) -> int:
    """Return the position at which to break a line that begins at `first` and has room up to `fitting`."""
    if text[fitting].isspace():
        return fitting
    for index in range(fitting, first, -1):
        is_beside_wide = _WIDE_CELLS in (cells[index] - cells[index - 1], cells[index + 1] - cells[index])
        if text[index - 1].isspace() or (is_beside_wide and cells[index + 1] > cells[index]):
            return index
    while fitting < len(text) and cells[fitting + 1] == cells[fitting]:
        fitting += 1  # combining marks stay with their character
    return fitting


def _base_level(text: str) -> int:
    return int(
        next((_STRONG_SIDES[kind] for kind in map(unicodedata.bidirectional, text) if kind in _STRONG_SIDES), "L")
        == "R"
    )


def _levels(text: str) -> IntArray:
    """Return the embedding level of each character: 0 or 1 for the direction of the line, more for other stretches."""
    base = _base_level(text)
    sides = _sides(text, base)
    strong = [side and ("L" if side == "L" else "R") for side in sides]  # numbers count as R (N1)
    side_levels = ({"L": 0, "R": 1, "N": 2}, {"L": 2, "R": 1, "N": 2})[base]
    levels = np.full(len(text), base, dtype=np.int64)
    previous = "LR"[base]
    index = 0
    for has_side, stretch in itertools.groupby(strong, key=bool):
        last = index + len(list(stretch))
        if has_side:
            levels[index:last] = [side_levels[side] for side in sides[index:last]]
            previous = strong[last - 1]
        elif last < len(text) and strong[last] == previous:  # N1; otherwise N2, the level of the line
            levels[index:last] = side_levels[previous]
        index = last
    levels[len(text.rstrip()) :] = base  # L1
    return levels


def _sides(text: str, base: int) -> list[str]:
    """Return the direction of each character: "L", "R", "N" for a number in right-to-left text, "" for neutral."""
    kinds = [unicodedata.bidirectional(char) for char in text]
    last = ""
    for index, kind in enumerate(kinds):
        last = kind if kind in _STRONG_SIDES else last
        if kind == "NSM" and index:
            kinds[index] = kinds[index - 1]  # W1
        elif kind == "EN" and last == "AL":
            kinds[index] = "AN"  # W2
    for index in range(1, len(kinds) - 1):
        around = {kinds[index - 1], kinds[index + 1]}
        if (kinds[index] in _SEPARATOR_CLASSES and around == {"EN"}) or (kinds[index] == "CS" and around == {"AN"}):
            kinds[index] = kinds[index - 1]  # W4
    sides = []
    strong = "LR"[base]
    for kind in kinds:
        strong = _STRONG_SIDES.get(kind, strong)
        number = "L" if kind == "EN" and strong == "L" else "N"  # W7
        sides.append(_STRONG_SIDES.get(kind, number if kind in _NUMBER_CLASSES else ""))
    return sides


def _visual_order(levels: IntArray) -> IntArray:
    """Return the indices of the characters from left to right (UAX #9, L2)."""
    order = np.arange(len(levels))
    for level in range(int(levels.max(initial=0)), 0, -1):
        is_reversed = levels[order] >= level
        edges = np.flatnonzero(np.diff(np.concatenate([[False], is_reversed, [False]]).astype(np.int64)))
        for first, last in edges.reshape(-1, 2).tolist():
            order[first:last] = order[first:last][::-1]
    return order
