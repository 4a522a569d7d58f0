"""Column generation: the best alignment of one instance of many annotators, with columns generated on demand.

1. The first columns are a good alignment (`gamma_align.alignment.heuristic`) and its neighbourhood.
2. Columns that gain at the prices of the current columns are added, until no column gains. With up to fifteen
   annotators, soft prices are used (`gamma_align.kernels.soften`), and the smoothing decreases from round to round.
   With more annotators, or if a wide gap remains, prices are the dual prices of a restricted master programme, smoothed
   towards the prices of the best bound (Wentges 1997).
3. The bound is then the bound of the linear relaxation. A better alignment than the best known one contains only
   columns that lose no more than the gap between the two. All of these are listed, and their best selection is found by
   the tie rule (`gamma_align.alignment.partition`).

Programmes are solved area by area
----------------------------------
The simplex method is not linear, so one programme for a long document costs more than several smaller ones. An *area*
is a range of units of an instance whose prices are found together, while all other prices are fixed (block-coordinate
descent on the dual): in an area, the saving of a column is reduced by the prices of its units outside. The first areas
tile the document, without the columns that cross their borders; the second areas lie across the borders. Any prices
prove a bound, so they need to be good, not optimal: the remaining gap is closed by listing columns. Further passes over
the areas gained nothing.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.blocks import unit_bounds
from gamma_align.alignment.candidates import Columns, Links, Pairs
from gamma_align.alignment.heuristic import (
    aligned_columns,
    first_alignment,
    improve,
    in_order,
    neighbourhood,
    tight_prices,
    total_saving,
)
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.lp import Master, SingleMaster
from gamma_align.alignment.partition import partition
from gamma_align.alignment.pricing import Budget, Priced, price
from gamma_align.alignment.search import TIE
from gamma_align.alignment.watching import report_gap
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.batch import Batch

# Tolerances, in units of Δ.
_MIN_GAIN = 1e-9  # a column with a smaller gain is not added; it may be a rounding error
_PRICING_THRESHOLD = 1e-11  # gain above which pricing returns a column: less than `_MIN_GAIN`, for an exact bound
_PROOF_TOLERANCE = 1e-9
_MIN_VALUE = 1e-9  # x of a column that the programme selects, at least in part

_NEIGHBOURS = 2  # units of each annotator tried with each unitary alignment
_MAX_NEAR_LOSS = 0.1  # in units of Δ; columns that lose more are not tried in an alignment, or in second areas

# Soft prices.
_MAX_SOFT_ANNOTATORS = 15  # with more annotators, programmes are faster
_FIRST_WIDTH, _WIDTH_RATIO = 0.1, 0.8913  # of the smoothing: twenty steps divide the width by ten
_FIRST_STEPS, _ADDED_STEPS, _MAX_STEPS = 11, 5, 41  # per round; 41 steps end at a width of 0.001
_COLUMNS_PER_ROOT = 30  # returned by pricing
_MIN_ROOT_GAIN = 0.02  # of the gap: if the roots gain less in total, further rounds would change little

# Many annotators.
# Share of the work that is left for a bound from blocks. A proof needs the programmes; if a bracket is enough, a better
# bound narrows it more than they do.
_BLOCK_SHARE, _BLOCK_SHARE_OF_BRACKET = 0.25, 0.75
_MAX_BLOCK_WORK = 600_000_000  # about a second; only more than the default work exceeds it

# Programmes.
_MIN_GAP_FOR_PROGRAMMES = 1.0  # in units of Δ; smaller gaps are closed by listing columns
# Weight of the prices of the best bound. It increases with the number of annotators: the more columns compete, the more
# the prices of a programme vary from round to round.
_MAX_SMOOTHING, _SMOOTHING_PER_ANNOTATOR = 0.5, 0.025
_CLOSE_GAP_PER_UNIT = 1e-6  # in units of Δ; listing columns closes a smaller gap faster
_AREA_UNITS, _AREA_UNITS_PER_ANNOTATOR = 800, 100  # size of an area: the larger of 800 and 100 · annotators

# Giving up.
_SMALL_GAP = 0.05  # of the cost; at smaller gaps, slow rounds are the usual end of a proof
_COSTLY_UNITS = 600  # above, a bracket may be enough
_PROBE_ROOTS = 5  # priced to estimate the work
_MAX_COSTLY_PROBES = 2  # of them: then rounds over all roots would exceed the work allowed
_STALL_ROUNDS = 8  # within which the value of the programmes must change, or the gap must halve

# Listing columns.
_MAX_LISTED_COLUMNS = 300_000
_MAX_NODES_PER_ROOT = 10_000
_FULL_LISTING_GAP = 1e-3  # in units of Δ; up to this gap, all columns are listed at once
_FIRST_LIMIT_DIVISOR, _LIMIT_FACTOR = 4096, 3  # otherwise the limit of loss starts at gap / 4096 and triples


def first_prices(batch: Batch, pairs: Pairs) -> FloatArray:
    """Return prices that no column of one instance beats, from its pairs alone: an initial bound.

    The cost of a column of k units is a sum over its units of 1/k minus half of the savings of its pairs with the
    others. The share of a unit is at least the minimum over k of 1/k minus half of the k - 1 best savings with units of
    different annotators.
    """
    best = pairs.best_savings(batch.annotator, -np.inf)
    width = best.shape[1]
    ranked = -np.sort(-best, axis=1)[:, : width - 1]
    max_saving = np.concatenate([np.zeros((batch.n_units, 1)), np.cumsum(ranked, axis=1)], axis=1)
    is_possible = np.isfinite(max_saving)
    min_share: FloatArray = (1.0 / np.arange(1, width + 1) - max_saving / 2).min(axis=1, where=is_possible, initial=1.0)
    if min_share.sum() > 0:
        return 1.0 - min_share
    return np.ones(batch.n_units)  # a better bound then: no column costs less than 0


class Area:
    """The units low … high - 1 of an instance, and their restricted master programme.

    `roots` are the roots of the columns that may contain these units, `y` the initial prices of all units of the
    instance. With `once`, the programme is solved once and does not grow.

    `best_prices` are the prices with the least bound so far, and `best_total` is that bound; `prices` are the prices of
    the programme.
    """

    def __init__(self, low: int, high: int, roots: IntArray, y: FloatArray, n_annotators: int, *, once: bool) -> None:
        self.units, self.roots = slice(low, high), roots
        self.master = SingleMaster(high - low) if once else Master(high - low)
        self.columns: list[Columns] = []
        self.best_prices, self.best_total = y[low:high].copy(), np.inf
        self.prices = self.best_prices
        self._initial_smoothing = min(_MAX_SMOOTHING, _SMOOTHING_PER_ANNOTATOR * n_annotators)
        self.smoothing, self.misses = self._initial_smoothing, 0
        self.is_done = False

    def add(self, columns: Columns, saving: FloatArray, y: FloatArray) -> bool:
        """Add the columns with units in the area; return whether there are any.

        Their savings are reduced by the prices `y` of their units outside.
        """
        first = np.minimum.reduceat(columns.units, columns.offsets[:-1])
        last = np.maximum.reduceat(columns.units, columns.offsets[:-1])
        # The outermost units rule out columns of other areas before all units are compared.
        may_touch = np.flatnonzero((first < self.units.stop) & (last >= self.units.start))
        columns, saving = columns.take(may_touch), saving[may_touch]
        is_inside = (columns.units >= self.units.start) & (columns.units < self.units.stop)
        n_inside = np.bincount(columns.column_of[is_inside], minlength=len(columns))
        touches = n_inside > 0
        is_inside = is_inside[np.repeat(touches, columns.sizes)]
        columns, saving, n_inside = columns.take(touches), saving[touches], n_inside[touches]
        if not len(columns):
            return False
        is_outside = ~is_inside
        paid = np.bincount(columns.column_of[is_outside], weights=y[columns.units[is_outside]], minlength=len(columns))
        inner = Columns.of(n_inside, columns.units[is_inside] - self.units.start, columns.cost)
        self.master.add(inner, saving - paid)
        self.columns.append(columns)
        return True

    def solve(self) -> None:
        """Solve the master programme for its prices."""
        self.prices = self.master.solve()
        self.smoothing, self.misses = self._initial_smoothing, 0

    @property
    def trial_prices(self) -> FloatArray:
        """Prices to try next, between the best ones and the prices of the programme."""
        return self.smoothing * self.best_prices + (1.0 - self.smoothing) * self.prices

    def selected_columns(self) -> Columns:
        """Return the columns that the master programme selects, at least in part."""
        return Columns.joined(*self.columns).take(self.master.values() > _MIN_VALUE)

    def record_bound(self, total: float) -> None:
        """Record the bound of the trial prices: their sum plus the gains of their roots."""
        if total < self.best_total:
            self.best_prices, self.best_total = self.trial_prices, total

    def record_miss(self) -> None:
        """Record that no column that gains at the trial prices also gains at the prices of the programme.

        The area is done if these prices were equal. Otherwise the smoothing is reduced.
        """
        if self.smoothing == 0.0 or self.best_total - self.prices.sum() <= _CLOSE_GAP_PER_UNIT * len(self.prices):
            self.is_done = True
        self.misses += 1
        self.smoothing = max(0.0, 1.0 - (self.misses + 1) * (1.0 - self._initial_smoothing))


def area_borders(upward: Links, n_annotators: int) -> IntArray:
    """Return the borders of areas of similar size that tile the units, at positions that few pairs cross."""
    n_units, size = len(upward.begin) - 1, _area_size(n_annotators)
    change = np.zeros(n_units + 1, dtype=np.int64)
    np.add.at(change, upward.unit + 1, 1)
    np.add.at(change, upward.partner + 1, -1)
    n_crossing = np.cumsum(change)
    borders = [0]
    while n_units - borders[-1] > size * 3 // 2:
        low, high = borders[-1] + size * 3 // 4, borders[-1] + size * 5 // 4
        borders.append(low + int(np.argmin(n_crossing[low:high])))
    return np.array([*borders, n_units])


def areas_across(borders: IntArray, n_annotators: int) -> list[tuple[int, int]]:
    """Return the begin and end of areas across the inner borders."""
    half = _area_size(n_annotators) // 3
    return [(max(border - half, 0), min(border + half, int(borders[-1]))) for border in borders[1:-1].tolist()]


def _area_size(n_annotators: int) -> int:
    """Return the approximate number of units of an area."""
    return max(_AREA_UNITS, _AREA_UNITS_PER_ANNOTATOR * n_annotators)


def highest_partners(upward: Links) -> IntArray:
    """Return the highest unit that each unit has a pair with; the unit itself if it has no pairs."""
    highest = np.arange(len(upward.begin) - 1)
    paired = np.flatnonzero(np.diff(upward.begin))
    highest[paired] = upward.partner[upward.begin[paired + 1] - 1]
    return highest


def generate(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Solve the single instance of the batch; return the selected columns and a bound, divided among the units."""
    work = _Generation(batch, pairs, limits, deadline)
    work.settle_prices()
    return work.with_better_bound(*work.result())


class _Progress(NamedTuple):
    """Value and bound of the programmes after a round."""

    value: float
    bound: float


def _has_stalled(history: list[_Progress]) -> bool:
    """Whether neither value nor bound changed much within the last rounds."""
    if len(history) <= _STALL_ROUNDS:
        return False
    current, earlier = history[-1], history[-1 - _STALL_ROUNDS]
    is_unchanged = abs(current.value - earlier.value) <= _MIN_GAIN
    return is_unchanged and current.bound - current.value > (earlier.bound - earlier.value) / 2


class _Generation:
    """The state of column generation on one instance.

    `pool` are the columns generated so far, `label` is the best known alignment, `y` the current prices; `feasible` are
    the prices with the best bound, which no column beats.
    """

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        annotators, annotator = np.unique(batch.annotator, return_inverse=True)
        self.batch, self.pairs, self.n_annotators = replace(batch, annotator=annotator), pairs, len(annotators)
        has_many = self.n_annotators > _MAX_SOFT_ANNOTATORS
        self.budget = Budget(limits.work_for_many_annotators if has_many else limits.work, deadline)
        self._block_work = 0
        if has_many:
            share = _BLOCK_SHARE_OF_BRACKET if limits.gap > 0 else _BLOCK_SHARE
            self._block_work = min(int(share * self.budget.remaining), _MAX_BLOCK_WORK)
            self.budget.remaining -= self._block_work
        self._accepted_gap = limits.gap if batch.n_units > _COSTLY_UNITS else 0.0  # relative to the cost
        self.upward, self.links = Links.upward(pairs, batch.n_units), Links.both_ways(pairs, batch.n_units)
        self.reach = pairs.best_savings(annotator).sum(axis=1)
        self.label = first_alignment(self.batch, self.links)
        self._floor = np.zeros(0)  # a lower bound of the cost, divided among the units, that no prices prove
        if has_many:
            self._floor = unit_bounds(self.batch, pairs)
        self.pool = neighbourhood(self.batch, self.links, self.label, _NEIGHBOURS)
        self.feasible = first_prices(self.batch, pairs)
        self.y = np.clip(tight_prices(self.links, self.label), 0.0, 1.0)
        self._used_programmes = False

    @property
    def gap(self) -> float:
        """How much more another alignment might save than the best known one, according to the prices."""
        return max(float(self.feasible.sum()) - total_saving(self.links, self.label), 0.0)

    @property
    def _proven_gap(self) -> float:
        """How much less another alignment might cost than the best known one."""
        return min(self.gap, max(self._cost - float(self._floor.sum()), 0.0))

    @property
    def _cost(self) -> float:
        """Cost of the best known alignment."""
        return self.batch.n_units - total_saving(self.links, self.label)

    @property
    def is_accepted(self) -> bool:
        """Whether the gap of the best known alignment is accepted."""
        return self._accepted_gap > 0 and self._proven_gap <= self._accepted_gap * self._cost

    def settle_prices(self) -> None:
        """Find prices with a good bound, and try the columns of small loss."""
        use_soft_prices = self.n_annotators <= _MAX_SOFT_ANNOTATORS
        if use_soft_prices:
            self._settle_soft_prices()
            self._try_best_selection(self.pool.take(self.pool.losses(self.feasible) <= _MAX_NEAR_LOSS))
        elif self._is_too_hard():
            self.budget.remaining = 0
            return
        if not use_soft_prices or (self.gap > _MIN_GAP_FOR_PROGRAMMES and not self.is_accepted):
            self._settle_by_programmes()

    def _is_too_hard(self) -> bool:
        """Whether several of a few roots exceed their share of the work: then two rounds would exceed all of it."""
        share, n_exceeding = max(self.budget.remaining // self.batch.n_units, 1), 0
        for root in np.linspace(0, self.batch.n_units - 1, _PROBE_ROOTS).astype(np.int64):
            trial = Budget(share, self.budget.deadline)
            roots = np.array([root])
            price(self.batch, self.upward, self.reach, self.y, trial, threshold=_PRICING_THRESHOLD, roots=roots)
            self.budget.remaining -= share - trial.remaining
            n_exceeding += trial.is_spent
            if n_exceeding == _MAX_COSTLY_PROBES:
                return True
        return False

    def _settle_soft_prices(self) -> None:
        """Alternate between soft prices of the known columns and columns that gain at them, with less smoothing."""
        steps = _FIRST_STEPS
        while not self.budget.is_spent:
            arrays = (self.pool.offsets, self.pool.units, self.pool.saving, self.y)
            self.y = kernels.soften(*arrays, _FIRST_WIDTH, _WIDTH_RATIO, steps)
            priced = self._price(self.y, self.upward, keep=_COLUMNS_PER_ROOT)
            self.pool = Columns.joined(self.pool, priced.columns)
            self._record_bound(self.y, priced)
            total_gain = float(np.maximum(priced.root_gain, 0.0).sum())
            has_converged = steps == _MAX_STEPS and total_gain <= _MIN_ROOT_GAIN * self.gap
            if self.gap <= _CLOSE_GAP_PER_UNIT * self.batch.n_units or self.is_accepted or has_converged:
                break
            steps = min(steps + _ADDED_STEPS, _MAX_STEPS)

    def _is_stuck(self, history: list[_Progress]) -> bool:
        """Whether rounds have stalled far from a proof."""
        return _has_stalled(history) and self.gap > _SMALL_GAP * self._cost

    def _record_bound(self, y: FloatArray, priced: Priced) -> None:
        """Store the prices y, raised by the gains of their roots, if their bound is the best; all units are roots."""
        feasible = y + np.maximum(priced.root_gain, 0.0)
        if feasible.sum() < self.feasible.sum():
            self.feasible = feasible
        report_gap(lambda: self._proven_gap / self._cost)

    def _settle_by_programmes(self) -> None:
        """Find prices in areas that tile the units, then in areas across their borders; try the selected columns."""
        borders = area_borders(self.upward, self.n_annotators)
        area = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
        inside = self.pairs.take(area[self.pairs.first] == area[self.pairs.second])
        upward = self.upward
        if len(inside) < len(self.pairs):
            upward = Links.upward(inside, self.batch.n_units)
        selected = self._settle_areas(list(pairwise(borders.tolist())), upward)
        across = areas_across(borders, self.n_annotators)
        if across:
            selected += self._settle_areas(across, self.upward)
        self._try_best_selection(Columns.joined(*selected))

    def _settle_areas(self, ranges: list[tuple[int, int]], upward: Links) -> list[Columns]:
        """Find prices in areas with these ranges of units; return the columns that their programmes select."""
        highest = highest_partners(upward)
        # Without work left no further columns are generated, so each programme is solved once.
        once = self.budget.is_spent
        areas = [
            Area(low, high, np.flatnonzero(highest[:high] >= low), self.y, self.n_annotators, once=once)
            for low, high in ranges
        ]
        loss = self.pool.sums(self.y) - self.pool.saving
        max_loss = _MAX_NEAR_LOSS if self._used_programmes else np.inf  # without good prices, losses mean little
        near_columns = self.pool.take(loss <= max_loss)
        for area in areas:
            area.add(near_columns, near_columns.saving, self.y)
            area.solve()
        history: list[_Progress] = []
        while pending := [area for area in areas if not area.is_done]:
            if self.budget.is_spent or self._is_stuck(history):
                break
            self._price_areas(pending, upward)
            value, bound = sum(float(area.prices.sum()) for area in areas), sum(area.best_total for area in areas)
            history.append(_Progress(value, bound))
        for area in areas:
            self.y[area.units] = area.best_prices
        priced = self._price(self.y, self.upward)
        self.pool = Columns.joined(self.pool, priced.columns)
        self._used_programmes = True
        self._record_bound(self.y, priced)
        if self._is_stuck(history):
            self.budget.remaining = 0
        return [area.selected_columns() for area in areas]

    def _price_areas(self, areas: list[Area], upward: Links) -> None:
        """Price the columns of these areas once, and add to each area the columns that gain at its prices."""
        y, prices = self.y.copy(), self.y.copy()
        root_area, unit_area = np.full(self.batch.n_units, -1), np.full(self.batch.n_units, -1)
        for index, area in enumerate(areas):
            y[area.units], prices[area.units] = area.trial_prices, area.prices
            root_area[area.roots], unit_area[area.units] = index, index
        roots = np.flatnonzero(root_area >= 0)
        priced = self._price(y, upward, roots=roots)
        # Gains bound the whole instance only if no pair was excluded and every unit is a root.
        if upward is self.upward and len(roots) == self.batch.n_units:
            self._record_bound(y, priced)
        gains = np.bincount(root_area[roots], weights=np.maximum(priced.root_gain, 0.0), minlength=len(areas))
        columns, column_area = priced.columns, root_area[priced.root]
        is_inside = unit_area[columns.units] == column_area[columns.column_of]
        unit_price = np.where(is_inside, prices[columns.units], self.y[columns.units])
        paid = np.bincount(columns.column_of, weights=unit_price, minlength=len(columns))
        gaining = np.flatnonzero(priced.saving - paid > _MIN_GAIN)
        columns, saving, column_area = columns.take(gaining), priced.saving[gaining], column_area[gaining]
        self.pool = Columns.joined(self.pool, columns)
        for index, area in enumerate(areas):
            area.record_bound(float(y[area.units].sum()) + float(gains[index]))
            is_new = column_area == index
            if is_new.any() and area.add(columns.take(is_new), saving[is_new], self.y):
                area.solve()
            else:
                area.record_miss()

    def _price(self, y: FloatArray, upward: Links, *, keep: int = 3, roots: IntArray | None = None) -> Priced:
        """Return columns that gain at prices y."""
        return price(
            self.batch, upward, self.reach, y, self.budget, threshold=_PRICING_THRESHOLD, keep=keep, roots=roots
        )

    def _try_best_selection(self, columns: Columns) -> None:
        """Try the alignment of the best selection of these columns."""
        best = partition(columns, np.arange(self.batch.n_units), self.budget.deadline)
        self._try_alignment(columns.take(best.selected))

    def _try_alignment(self, columns: Columns) -> None:
        """Improve the alignment of these columns, and store it if it is the best one."""
        label = np.arange(self.batch.n_units)
        label[columns.units] = np.repeat(columns.units[columns.offsets[:-1]], columns.sizes)
        label = improve(self.batch, self.links, in_order(label))
        if total_saving(self.links, label) > total_saving(self.links, self.label):
            self.label = label

    def result(self) -> tuple[Columns, FloatArray]:
        """Return the best alignment and its proof, or the best known alignment and its bound.

        An alignment that contains a column with a loss above `max_loss` costs more than the bound plus `max_loss`. So
        columns up to a loss are listed; the limit rises until it covers the gap, while alignments found on the way
        narrow the gap.
        """
        canonical_index, max_loss, raised_bound = np.arange(self.batch.n_units), self.gap, 0.0
        if max_loss > _FULL_LISTING_GAP:
            max_loss = max(max_loss / _FIRST_LIMIT_DIVISOR, _FULL_LISTING_GAP)
        while True:
            unproven = 1.0 - self.feasible + raised_bound / self.batch.n_units
            if self._floor.sum() > unproven.sum():
                unproven = self._floor
            if self.is_accepted:
                return self._known_columns(), unproven
            listed, cost = self._columns_up_to(max_loss), self._cost
            if listed is None and not self._used_programmes and not self.budget.is_spent:
                self._settle_by_programmes()  # with a smaller gap there are fewer columns
                return self.result()
            if listed is None:
                return self._known_columns(), unproven
            best = partition(listed, canonical_index, self.budget.deadline)
            selected = listed.take(best.selected)
            self._try_alignment(selected)
            if self.gap <= max_loss:
                # The alignment that follows the tie rule, unless the search was stopped before it was the best.
                is_best = float(selected.saving.sum()) >= total_saving(self.links, self.label) - _PROOF_TOLERANCE
                return (selected if is_best else self._known_columns()), best.bound
            proven = min(float(best.bound.sum()), cost) - float((1.0 - self.feasible).sum())
            raised_bound = max(raised_bound, min(max_loss, proven))
            max_loss = min(max_loss * _LIMIT_FACTOR, self.gap)

    def with_better_bound(self, selected: Columns, unit_bound: FloatArray) -> tuple[Columns, FloatArray]:
        """Return the result with the bound from blocks of annotators, if it is better and a gap remains."""
        cost = self.batch.n_units - float(selected.saving.sum())
        gap = cost - float(unit_bound.sum())
        if self._block_work and gap > max(_PROOF_TOLERANCE * self.batch.n_units, self._accepted_gap * cost):
            block_bound = unit_bounds(self.batch, self.pairs, Budget(self._block_work, self.budget.deadline))
            unit_bound = max(unit_bound, block_bound, key=np.sum)
            report_gap(lambda: max(cost - float(unit_bound.sum()), 0.0) / cost)
        return selected, unit_bound

    def _known_columns(self) -> Columns:
        """Return the unitary alignments of at least two units of the best known alignment."""
        return aligned_columns(self.batch, self.links, self.label)

    def _columns_up_to(self, max_loss: float) -> Columns | None:
        """Return all columns that lose no more than `max_loss`, or tie with it; None if there are too many."""
        threshold = -(max_loss + 2 * TIE)
        priced = price(
            self.batch,
            self.upward,
            self.reach,
            self.feasible,
            self.budget,
            threshold=threshold,
            max_nodes=_MAX_NODES_PER_ROOT,
            list_all=True,
            max_columns=_MAX_LISTED_COLUMNS,
        )
        is_complete = (priced.root_gain <= threshold).all()
        return priced.columns if is_complete else None
