"""Text in lines of cells: broken at words, each character at a fixed place, so that marks stand exactly under it.

Conventions
-----------
* A character takes one cell, an East Asian wide one or an emoji two. Combining marks, joiners and what is joined take
  none: they stand in the cell of the character before.
* Lines end at line breaks of the text; else after a blank or beside a wide character, and where neither is near,
  anywhere. Blanks at the end of a line hang over its margin.
* A line whose first letter is of a script written from right to left stands at the right margin. Within a line,
  stretches of the other direction are turned (a part of the Unicode bidirectional algorithm, UAX #9, without explicit
  embeddings).
* Stretches of simple characters are fitted to their cells by spacing, others (joined or stacked scripts) word by word.
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
_STACKED = ("Mn", "Mc", "Me")
_NO_CELL = ("Mn", "Me", "Cf")
_WIDE = ("W", "F")
_SPACED = re.compile(r"\S+(?: \S+)*")
_JOINER = "\u200d"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_STRONG = {"L": "L", "R": "R", "AL": "R"}
_NUMBERS = ("EN", "AN")
_SEPARATORS = ("CS", "ES")


class Run(NamedTuple):
    """A stretch of a line that is drawn at once: its text, first cell and number of cells, and how it is fitted."""

    text: str
    cell: int
    cells: int
    is_simple: bool
    is_reversed: bool


def cell_widths(text: str) -> IntArray:
    """Return how many cells each character takes, shape (n_characters,).

    Examples
    --------
    >>> cell_widths("a日e\u0301").tolist()
    [1, 2, 1, 0]
    """
    if text.isascii():
        return np.ones(len(text), dtype=np.int64)
    widths = []
    before = ""
    for char in text:
        is_joined = before == _JOINER and unicodedata.category(char) == "So"
        if unicodedata.category(char) in _NO_CELL or is_joined or _SKIN_TONES[0] <= char <= _SKIN_TONES[1]:
            widths.append(0)
        else:
            widths.append(2 if unicodedata.east_asian_width(char) in _WIDE else 1)
        before = char
    return np.array(widths, dtype=np.int64)


@dataclass(frozen=True)
class Line:
    """A line of text: what it holds and where its characters stand.

    Attributes
    ----------
    start : int
        Where it begins in the text.
    text : str
        Its characters; a line break is the last of them, as a blank.
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.start + len(self.text)

    @cached_property
    def widths(self) -> IntArray:
        """Cells of each character."""
        return cell_widths(self.text)

    @property
    def n_cells(self) -> int:
        """Cells of the line."""
        return int(self.widths.sum())

    @cached_property
    def levels(self) -> IntArray | None:
        """Embedding level of each character; None if all are written from left to right."""
        return _levels(self.text) if _RIGHT_TO_LEFT.search(self.text) else None

    @property
    def is_right_to_left(self) -> bool:
        """Whether the line stands at the right margin."""
        return self.levels is not None and _base_level(self.text) == 1

    @cached_property
    def cells(self) -> IntArray:
        """First cell of each character, from the left of the line, and the number of cells at the end."""
        if self.levels is None:
            return np.concatenate([[0], np.cumsum(self.widths)])
        order = _visual_order(self.levels)
        left = np.empty(len(self.text) + 1, dtype=np.int64)
        left[order] = np.cumsum(self.widths[order]) - self.widths[order]
        left[-1] = self.n_cells
        # a mark stands in the cell of its character, whichever side is next
        for index in np.flatnonzero(self.widths[1:] == 0).tolist():
            left[index + 1] = left[index]
        return left

    def stretches(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the cells, from and to, of the characters between two positions: several where directions change."""
        first, last = max(start, self.start) - self.start, min(end, self.end) - self.start
        if self.levels is None:
            return [(int(self.cells[first]), max(int(self.cells[last]), int(self.cells[first])))]
        inside = np.arange(first, last)[self.widths[first:last] > 0]
        pairs = sorted(
            zip(self.cells[inside].tolist(), (self.cells[inside] + self.widths[inside]).tolist(), strict=True)
        )
        merged: list[tuple[int, int]] = []
        for left, right in pairs:
            if merged and merged[-1][1] == left:
                merged[-1] = (merged[-1][0], right)
            else:
                merged.append((left, right))
        return merged

    def edge(self, position: int) -> int:
        """Return the cell at whose left a position stands, or whose right in text from right to left."""
        index = position - self.start
        if self.levels is None or index == len(self.text):
            last = len(self.text) - 1
            turned = self.levels is not None and last >= 0 and self.levels[last] % 2 == 1
            return int(self.cells[last]) if turned else int(self.cells[index])
        turned = self.levels[index] % 2 == 1
        return int(self.cells[index] + (self.widths[index] if turned else 0))

    def runs(self) -> Iterator[Run]:
        """Yield what is drawn at once."""
        for first, last in self._stretches_of_a_kind():
            # programs differ in what they make of blanks at an end and of several blanks
            for words in _SPACED.finditer(self.text, first, last):
                begin, end = words.span()
                is_reversed = self.levels is not None and self.levels[begin] % 2 == 1
                cell, width = int(self.cells[begin:end].min()), int(self.widths[begin:end].sum())
                yield Run(words.group(), cell, width, self._kinds[begin] != _COMPLEX, is_reversed)

    def _stretches_of_a_kind(self) -> Iterator[tuple[int, int]]:
        if self.text.isascii():
            yield 0, len(self.text)
            return
        first = 0
        for index in range(1, len(self.text) + 1):
            if index == len(self.text) or self._is_apart(index):
                yield first, index
                first = index

    def _is_apart(self, index: int) -> bool:
        """Return whether a character begins a new run."""
        if self.widths[index] == 0:
            return False
        if self.levels is not None and self.levels[index] != self.levels[index - 1]:
            return True
        return bool(self._kinds[index] != self._kinds[index - 1])

    @cached_property
    def _kinds(self) -> IntArray:
        """Return what each character is: a blank, of one cell, wide, or in a word that is shaped as a whole."""
        kinds = np.where(self.widths == 2, _WIDE_KIND, _NARROW)  # noqa: PLR2004  (cells)
        for word in re.finditer(r"\S+", self.text):
            if any(unicodedata.category(char) in _STACKED or char == _JOINER for char in word.group()) or (
                _RIGHT_TO_LEFT.search(word.group())
            ):
                kinds[word.start() : word.end()] = _COMPLEX
        return kinds


_NARROW, _WIDE_KIND, _COMPLEX = range(3)


def break_lines(text: str, start: int, end: int, columns: int) -> list[Line]:
    """Return the lines of a stretch of text, of at most so many cells without the blanks at their ends.

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
    """Return where to break a line that begins at `first` and has room up to `fitting`."""
    if text[fitting].isspace():
        return fitting
    for index in range(fitting, first, -1):
        wide = cells[index] - cells[index - 1] == 2 or cells[index + 1] - cells[index] == 2  # noqa: PLR2004  (cells)
        if text[index - 1].isspace() or (wide and cells[index + 1] > cells[index]):
            return index
    while fitting < len(text) and cells[fitting + 1] == cells[fitting]:
        fitting += 1  # marks stay with their character
    return fitting


def _base_level(text: str) -> int:
    return int(next((_STRONG[kind] for kind in map(unicodedata.bidirectional, text) if kind in _STRONG), "L") == "R")


def _levels(text: str) -> IntArray:
    """Return the embedding level of each character: that of its line is 0 or 1, turned stretches are higher."""
    base = _base_level(text)
    sides = _sides(text, base)
    strong = [side and ("L" if side == "L" else "R") for side in sides]  # numbers count as R (N1)
    of_side = ({"L": 0, "R": 1, "N": 2}, {"L": 2, "R": 1, "N": 2})[base]
    levels = np.full(len(text), base, dtype=np.int64)
    before, index = "LR"[base], 0
    for has_side, stretch in itertools.groupby(strong, key=bool):
        last = index + len(list(stretch))
        if has_side:
            levels[index:last] = [of_side[side] for side in sides[index:last]]
            before = strong[last - 1]
        elif last < len(text) and strong[last] == before:
            levels[index:last] = of_side[before]
        index = last
    levels[len(text.rstrip()) :] = base  # L1
    return levels


def _sides(text: str, base: int) -> list[str]:
    """Return "L", "R", or "N" for a number among right-to-left text, of each character; "" for those with no side."""
    kinds = [unicodedata.bidirectional(char) for char in text]
    last = ""
    for index, kind in enumerate(kinds):
        last = kind if kind in _STRONG else last
        if kind == "NSM" and index:
            kinds[index] = kinds[index - 1]  # W1
        elif kind == "EN" and last == "AL":
            kinds[index] = "AN"  # W2
    for index in range(1, len(kinds) - 1):
        around = {kinds[index - 1], kinds[index + 1]}
        if (kinds[index] in _SEPARATORS and around == {"EN"}) or (kinds[index] == "CS" and around == {"AN"}):
            kinds[index] = kinds[index - 1]  # W4
    sides, strong = [], "LR"[base]
    for kind in kinds:
        strong = _STRONG.get(kind, strong)
        number = "L" if kind == "EN" and strong == "L" else "N"  # W7
        sides.append(_STRONG.get(kind, number if kind in _NUMBERS else ""))
    return sides


def _visual_order(levels: IntArray) -> IntArray:
    """Return the characters from left to right (UAX #9, L2)."""
    order = np.arange(len(levels))
    for level in range(int(levels.max(initial=0)), 0, -1):
        inside = levels[order] >= level
        edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(np.int64)))
        for first, last in edges.reshape(-1, 2).tolist():
            order[first:last] = order[first:last][::-1]
    return order
