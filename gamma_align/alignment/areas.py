"""Areas: stretches of an instance whose prices are found together, those of the rest standing still.

A programme over a whole long document costs more than its parts: the simplex method is not linear. So prices are
settled area by area (block-coordinate descent on the dual): in an area, columns save what is left of their saving when
the units outside have been paid. First the areas tile the document, and columns across their borders are left out; then
they straddle the borders. Any prices prove a bound; they need to be good, not best, for what is left open between bound
and alignment is closed by listing columns (`gamma_align.alignment.generation`). More turns gained nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.master import Master

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.alignment.links import Links
    from gamma_align.alignment.tuples import Columns

_SMOOTHING, _SMOOTHING_PER_ANNOTATOR = 0.5, 0.025  # the most; the more columns compete, the more it steadies
CLOSE = 1e-6  # of the number of units: nearer than this, listing what may close the gap is quicker
_SIZE, _SIZE_PER_ANNOTATOR = 800, 100
_HELD = 1e-9


class Area:
    """One area and its restricted master programme.

    Parameters
    ----------
    low, high : int
        Its units are low … high - 1.
    roots : ndarray of int64
        The roots of the columns that may hold some of them.
    y : ndarray of float64, shape (n_units,)
        Prices of all units to begin with.
    annotators : int
        How many annotators there are.
    """

    def __init__(self, low: int, high: int, roots: IntArray, y: FloatArray, annotators: int) -> None:
        self.rows, self.roots = slice(low, high), roots
        self.master = Master(high - low)
        self.columns: list[Columns] = []
        self.centre, self.reached = y[low:high].copy(), np.inf
        self.prices = self.centre
        self._steady = min(_SMOOTHING, _SMOOTHING_PER_ANNOTATOR * annotators)
        self.smoothing, self.misses = self._steady, 0
        self.done = False

    def add(self, columns: Columns, saving: FloatArray, y: FloatArray) -> bool:
        """Add columns, some of whose units may lie outside; return whether any has a unit inside."""
        first, last = (reduce.reduceat(columns.units, columns.offsets[:-1]) for reduce in (np.minimum, np.maximum))
        touching = np.flatnonzero((first < self.rows.stop) & (last >= self.rows.start))
        columns, saving = columns.take(touching), saving[touching]
        inside = (columns.units >= self.rows.start) & (columns.units < self.rows.stop)
        held = np.bincount(columns.column_of[inside], minlength=len(columns))
        columns, saving, inside = columns.take(held > 0), saving[held > 0], inside[np.repeat(held > 0, columns.sizes)]
        if not len(columns):
            return False
        outside = ~inside
        paid = np.bincount(columns.column_of[outside], weights=y[columns.units[outside]], minlength=len(columns))
        ends = np.concatenate([[0], np.cumsum(held[held > 0])])
        within = type(columns)(ends, columns.units[inside] - self.rows.start, columns.cost)
        self.master.add(within, saving - paid)
        self.columns.append(columns)
        return True

    def solve(self) -> None:
        """Find the master programme's prices."""
        self.prices, _ = self.master.solve()
        self.smoothing, self.misses = self._steady, 0

    @property
    def y(self) -> FloatArray:
        """Prices to be tried: between those of the best bound so far and the master programme's."""
        return self.smoothing * self.centre + (1.0 - self.smoothing) * self.prices

    def held(self) -> list[Columns]:
        """Return the columns that the master programme holds, in whole or in part."""
        x = self.master.values()
        ends = np.cumsum([0, *(len(columns) for columns in self.columns)]).tolist()
        return [
            columns.take(x[low:high] > _HELD)
            for columns, low, high in zip(self.columns, ends[:-1], ends[1:], strict=True)
        ]

    def bounded(self, total: float) -> None:
        """Learn that the prices tried, with the gains of their roots, come to this sum."""
        if total < self.reached:
            self.centre, self.reached = self.y, total

    def missed(self) -> None:
        """Learn that the prices tried found no column that the programme's own would ask for."""
        if self.smoothing == 0.0 or self.reached - self.prices.sum() <= CLOSE * len(self.prices):
            self.done = True
        self.misses += 1
        self.smoothing = max(0.0, 1.0 - (self.misses + 1) * (1.0 - self._steady))


def borders(upward: Links, annotators: int) -> IntArray:
    """Return where areas that tile the units begin and end: where few pairs reach across, more or less evenly."""
    n_units, size = len(upward.begin) - 1, _size(annotators)
    change = np.zeros(n_units + 1, dtype=np.int64)
    np.add.at(change, upward.unit + 1, 1)
    np.add.at(change, upward.other + 1, -1)
    across = np.cumsum(change)
    ends = [0]
    while n_units - ends[-1] > size * 3 // 2:
        low, high = ends[-1] + size * 3 // 4, ends[-1] + size * 5 // 4
        ends.append(low + int(np.argmin(across[low:high])))
    return np.array([*ends, n_units])


def straddling(ends: IntArray, annotators: int) -> list[tuple[int, int]]:
    """Return where areas across the inner borders begin and end."""
    half = _size(annotators) // 3
    return [(max(end - half, 0), min(end + half, int(ends[-1]))) for end in ends[1:-1].tolist()]


def _size(annotators: int) -> int:
    return max(_SIZE, _SIZE_PER_ANNOTATOR * annotators)


def inside(upward: Links, ends: IntArray) -> Links:
    """Return the pairs whose units lie in one area."""
    area = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    unit = upward.unit
    same = area[unit] == area[upward.other]
    begin = np.concatenate([[0], np.cumsum(np.bincount(unit[same], minlength=len(area)))])
    return type(upward)(begin.astype(np.int64), upward.other[same], upward.saving[same])


def farthest(upward: Links) -> IntArray:
    """Return the highest unit that each unit has a pair with, or is."""
    last = np.arange(len(upward.begin) - 1)
    some = np.flatnonzero(np.diff(upward.begin))
    last[some] = upward.other[upward.begin[some + 1] - 1]
    return last
