"""Column generation: the best alignment of one instance of many annotators, its columns made on demand.

1. A good alignment (`gamma_align.alignment.heuristic`) and its neighbours are the first columns.
2. Prices from the restricted master programme, smoothed towards those of the best bound so far (Wentges 1997), are
   given to pricing; columns that gain are added, until there is none.
3. Then the bound is the linear relaxation's. Any alignment better than the best known holds columns only that lose no
   more than the gap between the two; all of those are listed and the best choice of them is found
   (`gamma_align.alignment.partition`), by the tie rule.

Prices are settled area by area
-------------------------------
A programme over a whole long document costs more than its parts: the simplex method is not linear. An
*area* is a stretch of an instance whose prices are found together, those of the rest being fixed (block-coordinate
descent on the dual): in an area, columns save what is left of their saving when
the units outside have been paid. First the areas tile the document, and columns across their borders are left out; then
they straddle the borders. Any prices prove a bound; they need to be good, not best, for what is left open between bound
and alignment is closed by listing columns. More turns gained nothing.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.alignment.candidates import Links, Pairs
from gamma_align.alignment.cuts import contenders
from gamma_align.alignment.heuristic import first_alignment, improved, neighbourhood, saved, shares
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.lp import Master
from gamma_align.alignment.partition import partition
from gamma_align.alignment.pricing import Budget, first_prices, price
from gamma_align.alignment.relaxation import savings
from gamma_align.alignment.search import TIE
from gamma_align.alignment.tuples import Columns
from gamma_align.data.batch import Batch

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


_NEAR = 2
_GAIN = 1e-9
_EXACT = 1e-11
_NEAR_LOSS = 0.1
_PROOF = 1e-9
_CUT = 20  # columns a unit above which cuts leave out what they can first
_WINDOW, _WINDOW_NODES = 300_000, 10_000  # columns in all, nodes of one root
_AT_ONCE, _STEPS, _WIDEN = 1e-3, 4096, 3


def generate(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Return (chosen columns, shares of the units in a lower bound of the cost) of one instance.

    Parameters
    ----------
    batch : Batch
        One instance.
    pairs : Pairs
        Its candidate pairs.
    limits, deadline : Limits, Deadline
        When to stop with a gap.
    """
    work = _Generation(batch, pairs, limits, deadline)
    work.settle()
    return work.finished()


class _Generation:
    """The state of column generation on one instance."""

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        self.batch, self.budget = batch, Budget(limits.work, deadline)
        self.upward, self.links = Links.upward(pairs, batch.n_units), Links.both_ways(pairs, batch.n_units)
        self.reach = self.links.reach(batch.annotator)
        self.label = first_alignment(batch, self.links)
        self.pool = neighbourhood(batch, self.links, self.label, _NEAR)
        self.feasible = first_prices(batch, pairs)
        self.y = np.clip(shares(self.links, self.label), 0.0, 1.0)
        self._settled, self.annotators = False, int(batch.annotator.max(initial=0)) + 1

    @property
    def gap(self) -> float:
        """How much more than the best alignment known another might save."""
        return max(float(self.feasible.sum()) - saved(self.links, self.label), 0.0)

    def settle(self) -> None:
        """Settle the prices, in areas that tile the units, then in those across their borders; try what they hold."""
        ends = borders(self.upward, self.annotators)
        held = self._stage(list(pairwise(ends.tolist())), inside(self.upward, ends))
        if across := straddling(ends, self.annotators):
            held += self._stage(across, self.upward)
        number = np.arange(self.batch.n_units)
        columns = reduce(Columns.join, held, Columns.of([], []))
        self._offer(columns.take(partition(columns, number, self.budget.deadline).chosen))

    def _stage(self, stretches: list[tuple[int, int]], upward: Links) -> list[Columns]:
        """Settle the prices in these stretches of units; return the columns that their programmes hold."""
        last = farthest(upward)
        areas = [
            Area(low, high, np.flatnonzero(last[:high] >= low), self.y, self.annotators) for low, high in stretches
        ]
        loss = self.pool.sums(self.y) - savings(self.pool)
        near = self.pool.take(loss <= (_NEAR_LOSS if self._settled else np.inf))
        for area in areas:
            area.add(near, savings(near), self.y)
            area.solve()
        while open_ := [area for area in areas if not area.done]:
            if self.budget.spent:
                break
            self._round(open_, upward)
        for area in areas:
            self.y[area.rows] = area.centre
        self._settled = True
        priced = price(self.batch, self.upward, self.reach, self.y, self.budget, threshold=_EXACT)
        self.pool = self.pool.join(priced.columns)
        feasible = self.y + np.maximum(priced.root_gain, 0.0)
        if feasible.sum() < self.feasible.sum():
            self.feasible = feasible
        return [columns for area in areas for columns in area.held()]

    def _round(self, areas: list[Area], upward: Links) -> None:
        """Price the columns of these areas once; add to each what it asks for."""
        y, prices = self.y.copy(), self.y.copy()
        root_area, row_area = np.full(self.batch.n_units, -1), np.full(self.batch.n_units, -1)
        for number, area in enumerate(areas):
            y[area.rows], prices[area.rows] = area.y, area.prices
            root_area[area.roots], row_area[area.rows] = number, number
        roots = np.flatnonzero(root_area >= 0)
        priced = price(self.batch, upward, self.reach, y, self.budget, threshold=_EXACT, roots=roots)
        gains = np.bincount(root_area[roots], weights=np.maximum(priced.root_gain, 0.0), minlength=len(areas))
        found, of = priced.columns, root_area[priced.root]
        own = row_area[found.units] == of[found.column_of]
        asked = np.where(own, prices[found.units], self.y[found.units])
        new = np.flatnonzero(priced.saving - np.bincount(found.column_of, weights=asked, minlength=len(of)) > _GAIN)
        columns, saving, of = found.take(new), priced.saving[new], of[new]
        self.pool = self.pool.join(columns)
        for number, area in enumerate(areas):
            area.bounded(float(y[area.rows].sum()) + float(gains[number]))
            mine = of == number
            if mine.any() and area.add(columns.take(mine), saving[mine], self.y):
                area.solve()
            else:
                area.missed()

    def _offer(self, columns: Columns) -> None:
        label = np.arange(self.batch.n_units)
        label[columns.units] = np.repeat(columns.units[columns.offsets[:-1]], columns.sizes)
        _, first, dense = np.unique(label, return_index=True, return_inverse=True)
        label = np.argsort(np.argsort(first))[dense]
        label = improved(self.batch, self.links, label)
        if saved(self.links, label) > saved(self.links, self.label):
            self.label = label

    def finished(self) -> tuple[Columns, FloatArray]:
        """Return the best alignment and its proof, or the best known and its bound.

        An alignment that holds a column of loss above some reach costs more than the bound plus that reach. So columns
        are listed within a reach that widens until it covers the gap, which the choices made on the way narrow.
        """
        number, reach, bound = np.arange(self.batch.n_units), self.gap, 0.0
        if reach > _AT_ONCE:
            reach = max(reach / _STEPS, _AT_ONCE)
        while True:
            window, cost = self._window(reach), self.batch.n_units - saved(self.links, self.label)
            if window is None:
                return self._known(), 1.0 - self.feasible + bound / self.batch.n_units
            if len(window) > _CUT * self.batch.n_units:
                known = saved(self.links, self.label)
                window = window.take(contenders(window, self.feasible, known, self.budget.deadline))
            best = partition(window, number, self.budget.deadline)
            chosen = window.take(best.chosen)
            self._offer(chosen)
            if self.gap <= reach:
                best_known = float(savings(chosen).sum()) >= saved(self.links, self.label) - _PROOF
                return (chosen if best_known else self._known()), best.bound
            proven = min(float(best.bound.sum()), cost) - float((1.0 - self.feasible).sum())
            bound = max(bound, min(reach, proven))
            reach = min(reach * _WIDEN, self.gap)

    def _known(self) -> Columns:
        order = np.lexsort((self.batch.annotator, self.label))
        sizes = np.bincount(self.label)
        together = self.links.saving * (self.label[self.links.unit] == self.label[self.links.other])
        cost = 1.0 - np.bincount(self.label[self.links.unit], weights=together, minlength=len(sizes)) / 2
        every = Columns(np.concatenate([[0], np.cumsum(sizes)]), order, cost)
        return every.take(sizes > 1)

    def _window(self, reach: float) -> Columns | None:
        """Return every column that loses no more than `reach` and a tie, or None if they are too many."""
        threshold = -(reach + 2 * TIE)
        priced = price(
            self.batch,
            self.upward,
            self.reach,
            self.feasible,
            self.budget,
            threshold=threshold,
            nodes=_WINDOW_NODES,
            every=True,
            most=_WINDOW,
        )
        complete = (priced.root_gain <= threshold).all()
        return priced.columns if complete else None
