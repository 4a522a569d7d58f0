"""Units cut in two, one cut after the other: a piece may be cut again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.data.batch import ranges
from gamma_align.shuffling.copies import Copies, joined

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.shuffling.copies import Plan

_CELLS = 4_000_000


def split(plan: Plan, units: Copies, count: IntArray, shortest: FloatArray, whole: BoolArray) -> Copies:
    """Return the units after `count` cuts of each copy, each of a unit drawn at random and at a uniform position.

    A cut leaves the shortest length at least on both of its sides, so only units twice as long are drawn. Once a copy
    has none, the rest of its cuts is left out.

    Parameters
    ----------
    plan : Plan
        Of the copies.
    units : Copies
        The units.
    count : ndarray of int64, shape (n_copies,)
        How many cuts.
    shortest : ndarray of float64, shape (n_copies,)
        Shortest length of a piece; 1 where boundaries are integers.
    whole : ndarray of bool, shape (n_copies,)
        Whether boundaries are integers.
    """
    sizes = np.bincount(units.copy, minlength=len(count))
    width = int((sizes + count).max(initial=1))
    step = max(1, _CELLS // width)
    first = np.concatenate([[0], np.cumsum(sizes)])
    parts = []
    for begin in range(0, len(count), step):
        some = np.arange(begin, min(begin + step, len(count)))
        rows = slice(first[some[0]], first[some[-1] + 1])
        parts.append(_Cutting(plan, units.rows(rows), some, sizes, count, shortest, whole).done())
    return joined(parts) if parts else units


class _Cutting:
    """Some copies as rows of rectangles: pieces, and which of them can be cut."""

    def __init__(
        self,
        plan: Plan,
        units: Copies,
        some: IntArray,
        sizes: IntArray,
        count: IntArray,
        shortest: FloatArray,
        whole: BoolArray,
    ) -> None:
        self._plan, self._copies, self._units = plan, some, units
        self._sizes, self._count = sizes[some], count[some]
        self._shortest, self._whole = shortest[some], whole[some]
        shape = (len(some), int((self._sizes + self._count).max(initial=0)))
        row = units.copy - some[0]
        column = ranges(np.zeros(len(some), dtype=np.int64), self._sizes)
        self._start, self._end = np.zeros(shape), np.zeros(shape)
        self._of = np.zeros(shape, dtype=np.int64)  # the unit that a piece is of
        self._start[row, column], self._end[row, column] = units.start, units.end
        self._of[row, column] = np.arange(len(row))
        can = self._can_be_cut(row, units.start, units.end)
        self._n_open = np.bincount(row[can], minlength=len(some))
        self._open = np.zeros(shape, dtype=np.int64)
        self._open[row[can], ranges(np.zeros(len(some), dtype=np.int64), self._n_open)] = column[can]

    def _can_be_cut(self, row: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
        length = end - start
        can: BoolArray = (length >= 2.0 * self._shortest[row]) & (length > 0)
        return can

    def done(self) -> Copies:
        """Cut, and return the pieces."""
        for turn in range(int(self._count.max(initial=0))):
            rows = np.flatnonzero((self._count > turn) & (self._n_open > 0))
            if len(rows):
                self._cut(rows, turn)
        row = np.repeat(np.arange(len(self._copies)), self._sizes)
        column = ranges(np.zeros(len(self._copies), dtype=np.int64), self._sizes)
        of = self._of[row, column]
        return Copies(
            self._copies[row],
            self._units.place[of],
            self._start[row, column],
            self._end[row, column],
            self._units.category[of],
        )

    def _cut(self, rows: IntArray, turn: int) -> None:
        words = self._plan.uniform("split", self._copies[rows], np.full(len(rows), turn))
        slot = (words[:, 0] * self._n_open[rows]).astype(np.int64)
        piece, new = self._open[rows, slot], self._sizes[rows]
        start, end, shortest = self._start[rows, piece], self._end[rows, piece], self._shortest[rows]
        real = start + shortest + words[:, 1] * (end - start - 2.0 * shortest)
        whole = start + 1.0 + np.floor(words[:, 1] * (end - start - 1.0))
        at = np.where(self._whole[rows], whole, real)
        self._end[rows, piece] = at
        self._start[rows, new], self._end[rows, new], self._of[rows, new] = at, end, self._of[rows, piece]
        self._sizes[rows] += 1
        self._reopen(rows, slot, new)

    def _reopen(self, rows: IntArray, slot: IntArray, new: IntArray) -> None:
        """Keep the list of pieces that can be cut: the left part in its slot if it can, the right part at the end."""
        piece = self._open[rows, slot]
        right = self._can_be_cut(rows, self._start[rows, new], self._end[rows, new])
        self._open[rows[right], self._n_open[rows[right]]] = new[right]
        self._n_open[rows[right]] += 1
        closed = ~self._can_be_cut(rows, self._start[rows, piece], self._end[rows, piece])
        last = self._n_open[rows[closed]] - 1
        self._open[rows[closed], slot[closed]] = self._open[rows[closed], last]
        self._n_open[rows[closed]] = last
