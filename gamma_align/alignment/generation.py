"""Column generation: the best alignment of one instance of many annotators, its columns made on demand.

1. A good alignment (`gamma_align.alignment.heuristic`) and its neighbours are the first columns.
2. Prices of the columns so far are given to pricing; columns that gain are added, until there is none. Up to fifteen
   annotators these are soft prices (`gamma_align.kernels.soften`), less smoothed from round to round; beyond, and where
   they leave a wide gap, those of the restricted master programme, smoothed towards those of the best bound so far
   (Wentges 1997).
3. Then the bound is the linear relaxation's. Any alignment better than the best known holds columns only that lose no
   more than the gap between the two; all of those are listed and the best choice of them is found
   (`gamma_align.alignment.partition`), by the tie rule.

Programmes are solved area by area
----------------------------------
A programme over a whole long document costs more than its parts: the simplex method is not linear. An *area* is a
stretch of an instance whose prices are found together, those of the rest being fixed (block-coordinate descent on the
dual): in an area, columns save what is left of their saving when the units outside have been paid. First the areas tile
the document, and columns across their borders are left out; then they straddle the borders. Any prices prove a bound;
they need to be good, not best: what is left open is closed by listing columns. More turns gained nothing.

Pricing
-------
With dual prices y, a column is worth adding when its *gain* s(S) - Σ y = Σ (1 - y_u) + Σ w - 1 is positive. Each column
has one *root*, its lowest unit, and an alignment holds at most one column of each root; so for any y ≥ 0

    Σ y + Σ over roots of the greatest gain

is an upper bound of what an alignment can save (put on the roots, the gains make the prices feasible). The search of a
root may be cut short at any point: what was left open has a bound too, so a bound is always known, and it is exact once
nothing was left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns, Links, Pairs
from gamma_align.alignment.cuts import contenders
from gamma_align.alignment.heuristic import first_alignment, improved, neighbourhood, saved, shares
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.lp import Master, MasterOnce
from gamma_align.alignment.partition import partition
from gamma_align.alignment.search import TIE
from gamma_align.alignment.watching import tell
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.batch import Batch

_SLICE = 64  # roots between two looks at the clock, and for Ctrl-C
UNLIMITED = 2**62
_SMOOTHING, _SMOOTHING_PER_ANNOTATOR = 0.5, 0.025  # the most; the more columns compete, the more it steadies
_CLOSE = 1e-6  # of the number of units: nearer than this, listing what may close the gap is quicker
_SIZE, _SIZE_PER_ANNOTATOR = 800, 100
_HELD = 1e-9
_NEAR = 2
_GAIN = 1e-9
_EXACT = 1e-11
_NEAR_LOSS = 0.1
_PROOF = 1e-9
_CUT = 20  # columns a unit above which cuts leave out what they can first
_WINDOW, _WINDOW_NODES = 300_000, 10_000  # columns in all, nodes of one root
_AT_ONCE, _STEPS, _WIDEN = 1e-3, 4096, 3

_SOFT = 15  # annotators up to which soft prices are the quicker ones
_WIDTH, _RATIO = 0.1, 0.9441  # of the smoothing: forty steps a decade
_FIRST_STEPS, _MORE_STEPS, _MOST_STEPS = 21, 9, 81  # of a round: the last one ends at a width of .001
_KEEP = 30  # columns of a root
_LITTLE = 0.02  # of the gap: what the roots may still gain
_OPEN = 1.0  # the gap above which programmes go on

_FAR = 0.05  # of the cost: nearer than this, slow rounds are the usual end of a proof
_COSTLY = 600  # units above which a bracket may be enough
_PROBES, _OVER = 5, 2  # roots that are tried, and how many of them tell that rounds of all are beyond the work allowed
_STILL = 8  # rounds in which the programmes' value has to move, or what is open has to shrink by half


@dataclass(slots=True)
class Budget:
    """Work that may still be done, in look-ups of pairs, and the time for it."""

    left: int
    deadline: Deadline

    @property
    def spent(self) -> bool:
        """Whether nothing is left, of work or of time."""
        return self.left <= 0 or self.deadline.over


class Priced(NamedTuple):
    """The columns that gain more than a threshold, with what each saves and its root; and bounds of the roots.

    `root_gain`, shape (n_roots,), is an upper bound of the gain of any column of each root, or the threshold where that
    is greater.
    """

    columns: Columns
    saving: FloatArray
    root: IntArray
    root_gain: FloatArray


def price(
    batch: Batch,
    upward: Links,
    reach: FloatArray,
    y: FloatArray,
    budget: Budget,
    *,
    threshold: float = 0.0,
    nodes: int = UNLIMITED,
    keep: int = 3,
    every: bool = False,
    most: int = UNLIMITED,
    roots: IntArray | None = None,
) -> Priced:
    """Return columns of gain above `threshold` at prices y, the `keep` best met of each root or every one.

    Once the budget is spent, what is left is bounded without a search. `upward` has the candidate pairs of one instance
    at their lower units; the other arguments are those of `gamma_align.kernels.plain.pricing.price`, and `roots` are
    all units by default.
    """
    parts, left = [], most
    roots = np.arange(batch.n_units) if roots is None else roots
    links = (upward.begin, upward.partner, upward.saving, batch.annotator, reach, y)
    for begin in range(0, max(len(roots), 1), _SLICE):
        work = 0 if budget.spent else budget.left
        offsets, units, saving, root, bound, spent = kernels.price(
            *links, roots[begin : begin + _SLICE], threshold, nodes, keep, every, work, left
        )
        budget.left -= spent
        left -= len(saving)
        parts.append((Columns(offsets, units, np.diff(offsets) - saving), saving, root, bound))
    columns, *numbers = zip(*parts, strict=True)
    return Priced(Columns.joined(*columns), *(np.concatenate(arrays) for arrays in numbers))


def first_prices(batch: Batch, pairs: Pairs) -> FloatArray:
    """Return prices that no column of one instance beats, from its pairs alone: a bound to begin with.

    A column of k units costs Σ over its units of (1/k - half of what its pairs with the others save), at least the
    least, over k, of 1/k less half of the k - 1 best savings of the unit's pairs with different annotators.
    """
    best = pairs.best_savings(batch.annotator, -np.inf)
    width = best.shape[1]
    ranked = -np.sort(-best, axis=1)[:, : width - 1]
    saved = np.concatenate([np.zeros((batch.n_units, 1)), np.cumsum(ranked, axis=1)], axis=1)
    share = (1.0 / np.arange(1, width + 1) - saved / 2).min(axis=1, where=np.isfinite(saved), initial=1.0)
    # no column costs less than nothing either: of the two bounds, the better
    return 1.0 - share if share.sum() > 0 else np.ones(batch.n_units)


class Area:
    """One area, the units low … high - 1, and its restricted master programme.

    `roots` are those of the columns that may hold some of these units, `y` the prices of all units to begin with. The
    programme is solved `once`, or grows.
    """

    def __init__(self, low: int, high: int, roots: IntArray, y: FloatArray, annotators: int, *, once: bool) -> None:
        self.rows, self.roots = slice(low, high), roots
        self.master = MasterOnce(high - low) if once else Master(high - low)
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
        within = Columns.of(held[held > 0], columns.units[inside] - self.rows.start, columns.cost)
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

    def held(self) -> Columns:
        """Return the columns that the master programme holds, in whole or in part."""
        return Columns.joined(*self.columns).take(self.master.values() > _HELD)

    def bounded(self, total: float) -> None:
        """Learn that the prices tried, with the gains of their roots, come to this sum."""
        if total < self.reached:
            self.centre, self.reached = self.y, total

    def missed(self) -> None:
        """Learn that the prices tried found no column that the programme's own would ask for."""
        if self.smoothing == 0.0 or self.reached - self.prices.sum() <= _CLOSE * len(self.prices):
            self.done = True
        self.misses += 1
        self.smoothing = max(0.0, 1.0 - (self.misses + 1) * (1.0 - self._steady))


def borders(upward: Links, annotators: int) -> IntArray:
    """Return where areas that tile the units begin and end: where few pairs reach across, more or less evenly."""
    n_units, size = len(upward.begin) - 1, _size(annotators)
    change = np.zeros(n_units + 1, dtype=np.int64)
    np.add.at(change, upward.unit + 1, 1)
    np.add.at(change, upward.partner + 1, -1)
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


def farthest(upward: Links) -> IntArray:
    """Return the highest unit that each unit has a pair with, or is."""
    last = np.arange(len(upward.begin) - 1)
    some = np.flatnonzero(np.diff(upward.begin))
    last[some] = upward.partner[upward.begin[some + 1] - 1]
    return last


def generate(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Return (chosen columns, shares of the units in a lower bound of the cost) of the one instance in the batch."""
    work = _Generation(batch, pairs, limits, deadline)
    work.settle()
    return work.finished()


def _still(history: list[tuple[float, float]]) -> bool:
    """Whether neither value nor bound of programmes has moved much; `history` are both after each round."""
    if len(history) <= _STILL:
        return False
    (value, bound), (value_before, bound_before) = history[-1], history[-1 - _STILL]
    return abs(value - value_before) <= _GAIN and bound - value > (bound_before - value_before) / 2


class _Generation:
    """The state of column generation on one instance."""

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        active, annotator = np.unique(batch.annotator, return_inverse=True)
        self.batch, self.pairs, self.annotators = replace(batch, annotator=annotator), pairs, len(active)
        self.budget = Budget(limits.work, deadline)
        self._enough = limits.gap if batch.n_units > _COSTLY else 0.0
        self.upward, self.links = Links.upward(pairs, batch.n_units), Links.both_ways(pairs, batch.n_units)
        self.reach = pairs.best_savings(annotator).sum(axis=1)
        self.label = first_alignment(self.batch, self.links)
        self.pool = neighbourhood(self.batch, self.links, self.label, _NEAR)
        self.feasible = first_prices(self.batch, pairs)
        self.y = np.clip(shares(self.links, self.label), 0.0, 1.0)
        self._settled = False

    @property
    def gap(self) -> float:
        """How much more than the best alignment known another might save."""
        return max(float(self.feasible.sum()) - saved(self.links, self.label), 0.0)

    @property
    def _cost(self) -> float:
        """What the best alignment known costs."""
        return self.batch.n_units - saved(self.links, self.label)

    @property
    def enough(self) -> bool:
        """Whether the best alignment known is near enough to the best there is."""
        return self._enough > 0 and self.gap <= self._enough * self._cost

    def settle(self) -> None:
        """Settle the prices, and try the columns that lose little at these."""
        if self.annotators <= _SOFT:
            self._soften()
            near = self.pool.take(self.pool.losses(self.feasible) <= _NEAR_LOSS)
            self._offer_best(near)
        elif self._too_hard():
            self.budget.left = 0  # programmes choose the best of the columns known
        if self.annotators > _SOFT or (self.gap > _OPEN and not self.enough):
            self._settle_by_programmes()

    def _too_hard(self) -> bool:
        """Whether several of some roots take more than their share of the work: two rounds would be beyond it."""
        share, over = max(self.budget.left // self.batch.n_units, 1), 0
        for root in np.linspace(0, self.batch.n_units - 1, _PROBES).astype(np.int64):
            trial = Budget(share, self.budget.deadline)
            price(self.batch, self.upward, self.reach, self.y, trial, threshold=_EXACT, roots=np.array([root]))
            self.budget.left -= share - trial.left
            over += trial.spent
            if over == _OVER:
                return True
        return False

    def _soften(self) -> None:
        """Find soft prices of the columns known and columns that gain at these, in turn, ever less smoothed."""
        steps = _FIRST_STEPS
        while not self.budget.spent:
            arrays = (self.pool.offsets, self.pool.units, self.pool.saving, self.y)
            self.y = kernels.soften(*arrays, _WIDTH, _RATIO, steps)
            priced = self._priced(self.y, self.upward, threshold=_EXACT, keep=_KEEP)
            self.pool = Columns.joined(self.pool, priced.columns)
            self._bounded(self.y, priced)
            gains = float(np.maximum(priced.root_gain, 0.0).sum())
            if (
                self.gap <= _CLOSE * self.batch.n_units
                or self.enough
                or (steps == _MOST_STEPS and gains <= _LITTLE * self.gap)
            ):
                break
            steps = min(steps + _MORE_STEPS, _MOST_STEPS)

    def _stuck(self, history: list[tuple[float, float]]) -> bool:
        """Whether rounds go on far from a proof and move nothing."""
        return _still(history) and self.gap > _FAR * self._cost

    def _bounded(self, y: FloatArray, priced: Priced) -> None:
        """Take the prices and the gains of their roots, which are all units, for a bound, if it is better."""
        feasible = y + np.maximum(priced.root_gain, 0.0)
        if feasible.sum() < self.feasible.sum():
            self.feasible = feasible
        tell(lambda: self.gap / self._cost)

    def _settle_by_programmes(self) -> None:
        """Settle the prices in areas that tile the units, then in those across their borders; try what they hold."""
        ends = borders(self.upward, self.annotators)
        area = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        inside = self.pairs.take(area[self.pairs.first] == area[self.pairs.second])
        upward = self.upward if len(inside) == len(self.pairs) else Links.upward(inside, self.batch.n_units)
        held = self._stage(list(pairwise(ends.tolist())), upward)
        if across := straddling(ends, self.annotators):
            held += self._stage(across, self.upward)
        self._offer_best(Columns.joined(*held))

    def _stage(self, stretches: list[tuple[int, int]], upward: Links) -> list[Columns]:
        """Settle the prices in these stretches of units; return the columns that their programmes hold."""
        last = farthest(upward)
        areas = [
            Area(low, high, np.flatnonzero(last[:high] >= low), self.y, self.annotators, once=self.budget.spent)
            for low, high in stretches
        ]
        loss = self.pool.sums(self.y) - self.pool.saving
        near = self.pool.take(loss <= (_NEAR_LOSS if self._settled else np.inf))
        for area in areas:
            area.add(near, near.saving, self.y)
            area.solve()
        history: list[tuple[float, float]] = []
        while open_ := [area for area in areas if not area.done]:
            if self.budget.spent or self._stuck(history):
                break
            self._round(open_, upward)
            history.append((sum(float(area.prices.sum()) for area in areas), sum(area.reached for area in areas)))
        for area in areas:
            self.y[area.rows] = area.centre
        priced = self._priced(self.y, self.upward, threshold=_EXACT)
        self.pool = Columns.joined(self.pool, priced.columns)
        self._settled = True
        self._bounded(self.y, priced)
        if self._stuck(history):
            self.budget.left = 0
        return [area.held() for area in areas]

    def _round(self, areas: list[Area], upward: Links) -> None:
        """Price the columns of these areas once; add to each what it asks for."""
        y, prices = self.y.copy(), self.y.copy()
        root_area, row_area = np.full(self.batch.n_units, -1), np.full(self.batch.n_units, -1)
        for number, area in enumerate(areas):
            y[area.rows], prices[area.rows] = area.y, area.prices
            root_area[area.roots], row_area[area.rows] = number, number
        roots = np.flatnonzero(root_area >= 0)
        priced = self._priced(y, upward, threshold=_EXACT, roots=roots)
        if upward is self.upward and len(roots) == self.batch.n_units:
            self._bounded(y, priced)
        gains = np.bincount(root_area[roots], weights=np.maximum(priced.root_gain, 0.0), minlength=len(areas))
        columns, column_area = priced.columns, root_area[priced.root]
        own = row_area[columns.units] == column_area[columns.column_of]
        asked = np.where(own, prices[columns.units], self.y[columns.units])
        paid = np.bincount(columns.column_of, weights=asked, minlength=len(columns))
        new = np.flatnonzero(priced.saving - paid > _GAIN)
        columns, saving, column_area = columns.take(new), priced.saving[new], column_area[new]
        self.pool = Columns.joined(self.pool, columns)
        for number, area in enumerate(areas):
            area.bounded(float(y[area.rows].sum()) + float(gains[number]))
            mine = column_area == number
            if mine.any() and area.add(columns.take(mine), saving[mine], self.y):
                area.solve()
            else:
                area.missed()

    def _priced(self, y: FloatArray, upward: Links, **options: Any) -> Priced:  # noqa: ANN401  (those of `price`)
        return price(self.batch, upward, self.reach, y, self.budget, **options)

    def _offer_best(self, columns: Columns) -> None:
        """Try the best choice of these columns."""
        self._offer(columns.take(partition(columns, np.arange(self.batch.n_units), self.budget.deadline).chosen))

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
            if self.enough:
                return self._known(), 1.0 - self.feasible + bound / self.batch.n_units
            window, cost = self._window(reach), self.batch.n_units - saved(self.links, self.label)
            if window is None and not self._settled and not self.budget.spent:  # programmes leave less of a gap
                self._settle_by_programmes()
                return self.finished()
            if window is None:
                return self._known(), 1.0 - self.feasible + bound / self.batch.n_units
            if len(window) > _CUT * self.batch.n_units:
                known = saved(self.links, self.label)
                window = window.take(contenders(window, self.feasible, known, self.budget.deadline))
            best = partition(window, number, self.budget.deadline)
            chosen = window.take(best.chosen)
            self._offer(chosen)
            if self.gap <= reach:
                best_known = float(chosen.saving.sum()) >= saved(self.links, self.label) - _PROOF
                return (chosen if best_known else self._known()), best.bound
            proven = min(float(best.bound.sum()), cost) - float((1.0 - self.feasible).sum())
            bound = max(bound, min(reach, proven))
            reach = min(reach * _WIDEN, self.gap)

    def _known(self) -> Columns:
        order = np.lexsort((self.batch.annotator, self.label))
        sizes = np.bincount(self.label)
        together = self.links.saving * (self.label[self.links.unit] == self.label[self.links.partner])
        cost = 1.0 - np.bincount(self.label[self.links.unit], weights=together, minlength=len(sizes)) / 2
        return Columns.of(sizes, order, cost).take(sizes > 1)

    def _window(self, reach: float) -> Columns | None:
        """Return every column that loses no more than `reach` and a tie, or None if they are too many."""
        threshold = -(reach + 2 * TIE)
        limits = {"nodes": _WINDOW_NODES, "most": _WINDOW}
        priced = self._priced(self.feasible, self.upward, threshold=threshold, every=True, **limits)
        complete = (priced.root_gain <= threshold).all()
        return priced.columns if complete else None
