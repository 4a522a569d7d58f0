"""Column generation: the best alignment of one instance of many annotators, with columns generated on demand.

1. The first columns are a good alignment (`gamma_align.alignment.heuristic`) and its neighbourhood.
2. Columns that gain at the prices of the current columns are added, until no column gains. With up to fifteen
   annotators, soft prices are used (`gamma_align.kernels.soften`), and the smoothing decreases from round to round.
   With more annotators, or if a wide gap remains, prices are the dual prices of a restricted master programme, smoothed
   towards the prices of the best bound (Wentges 1997).
3. The bound is then the bound of the linear relaxation. A better alignment than the best known one contains only
   columns that lose no more than the gap between the two. All of these are listed, and their best selection is found by
   the tie rule (`gamma_align.alignment.partition`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.blocks import unit_bounds
from gamma_align.alignment.candidates import Columns, Links, Pairs
from gamma_align.alignment.heuristic import (
    aligned_columns,
    first_alignment,
    improve,
    neighbourhood,
    renumber,
    tight_prices,
    total_saving,
)
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.lp import new_master
from gamma_align.alignment.partition import partition
from gamma_align.alignment.pricing import (
    COLUMNS_PER_ROOT,
    FIRST_WIDTH,
    MAX_LISTED_COLUMNS,
    MAX_NODES_PER_ROOT,
    MIN_GAIN,
    THRESHOLD,
    WIDTH_RATIO,
    Budget,
    Priced,
    first_prices,
    price,
)
from gamma_align.alignment.search import TIE
from gamma_align.alignment.watching import report_gap
from gamma_align.columns import FloatArray
from gamma_align.data import Batch

# Tolerances, in units of Δ.
_PROOF_TOLERANCE = 1e-9
_MIN_VALUE = 1e-9  # x of a column that the programme selects, at least in part

_MAX_NEAR_LOSS = 0.1  # in units of Δ; columns that lose more are not tried in an alignment

# Soft prices.
_MAX_SOFT_ANNOTATORS = 15  # with more annotators, programmes are faster
# per round; 41 steps end at a width of 0.001
_FIRST_STEPS = 11
_ADDED_STEPS = 5
_MAX_STEPS = 41
_MIN_ROOT_GAIN = 0.02  # of the gap: if the roots gain less in total, further rounds would change little

# Many annotators.
# Share of the work that is left for a bound from blocks. A proof needs the programmes; if a bracket is enough, a better
# bound narrows it more than they do.
_BLOCK_SHARE = 0.25
_BLOCK_SHARE_OF_BRACKET = 0.75
_MAX_BLOCK_WORK = 600_000_000  # about a second; only more than the default work exceeds it

# Programmes.
_MIN_GAP_FOR_PROGRAMMES = 1.0  # in units of Δ; smaller gaps are closed by listing columns
# Weight of the prices of the best bound. It increases with the number of annotators: the more columns compete, the more
# the prices of a programme vary from round to round.
_MAX_SMOOTHING = 0.5
_SMOOTHING_PER_ANNOTATOR = 0.025
_CLOSE_GAP_PER_UNIT = 1e-6  # in units of Δ; listing columns closes a smaller gap faster

# Giving up.
_SMALL_GAP = 0.05  # of the cost; at smaller gaps, slow rounds are the usual end of a proof
_COSTLY_UNITS = 600  # above, a bracket may be enough
_PROBE_ROOTS = 5  # priced to estimate the work
_MAX_COSTLY_PROBES = 2  # of them: then rounds over all roots would exceed the work allowed
_STALL_ROUNDS = 8  # within which the value of the programmes must change, or the gap must halve

# Listing columns.
_FULL_LISTING_GAP = 1e-3  # in units of Δ; up to this gap, all columns are listed at once
# otherwise the limit of loss starts at gap / 4096 and triples
_FIRST_LIMIT_DIVISOR = 4096
_LIMIT_FACTOR = 3


class Programme:
    """The restricted master programme of an instance.

    `y` are the initial prices of the units. With `once`, the programme is solved once and does not grow.

    `best_prices` are the prices with the least bound so far, and `best_total` is that bound; `prices` are the prices of
    the programme.
    """

    def __init__(self, y: FloatArray, n_annotators: int, *, once: bool) -> None:
        self.master = new_master(len(y), once=once)
        self.columns: list[Columns] = []
        self.prices = y
        self.best_prices = y
        self.best_total = np.inf
        self._initial_smoothing = min(_MAX_SMOOTHING, _SMOOTHING_PER_ANNOTATOR * n_annotators)
        self.smoothing = self._initial_smoothing
        self.misses = 0
        self.is_done = False

    def grow(self, columns: Columns, saving: FloatArray) -> None:
        """Add columns with their savings, and solve the programme for its prices."""
        self.master.add(columns, saving)
        self.columns.append(columns)
        self.prices = self.master.solve()
        self.smoothing = self._initial_smoothing
        self.misses = 0

    @property
    def trial_prices(self) -> FloatArray:
        """Prices to try next, between the best ones and the prices of the programme."""
        return self.smoothing * self.best_prices + (1.0 - self.smoothing) * self.prices

    def selected_columns(self) -> Columns:
        """Return the columns that the programme selects, at least in part."""
        return Columns.joined(*self.columns).take(self.master.values() > _MIN_VALUE)

    def record_bound(self, total: float) -> None:
        """Record the bound of the trial prices: their sum plus the gains of their roots."""
        if total < self.best_total:
            self.best_prices = self.trial_prices
            self.best_total = total

    def record_miss(self) -> None:
        """Record that no column that gains at the trial prices also gains at the prices of the programme.

        The programme is done if these prices were equal. Otherwise the smoothing is reduced.
        """
        if self.smoothing == 0.0 or self.best_total - self.prices.sum() <= _CLOSE_GAP_PER_UNIT * len(self.prices):
            self.is_done = True
        self.misses += 1
        self.smoothing = max(0.0, 1.0 - (self.misses + 1) * (1.0 - self._initial_smoothing))


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
    current = history[-1]
    earlier = history[-1 - _STALL_ROUNDS]
    is_unchanged = abs(current.value - earlier.value) <= MIN_GAIN
    return is_unchanged and current.bound - current.value > (earlier.bound - earlier.value) / 2


class _Generation:
    """The state of column generation on one instance.

    `pool` are the columns generated so far, `label` is the best known alignment, `y` the current prices; `feasible` are
    the prices with the best bound, which no column beats.
    """

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        annotators, annotator = np.unique(batch.annotator, return_inverse=True)
        self.batch = replace(batch, annotator=annotator)
        self.pairs = pairs
        self.n_annotators = len(annotators)
        has_many = self.n_annotators > _MAX_SOFT_ANNOTATORS
        self.budget = Budget(limits.work_for_many_annotators if has_many else limits.work, deadline)
        self._block_work = 0
        if has_many:
            share = _BLOCK_SHARE_OF_BRACKET if limits.gap > 0 else _BLOCK_SHARE
            self._block_work = min(int(share * self.budget.remaining), _MAX_BLOCK_WORK)
            self.budget.remaining -= self._block_work
        self._accepted_gap = limits.gap if batch.n_units > _COSTLY_UNITS else 0.0  # relative to the cost
        self.upward = Links.upward(pairs, batch.n_units)
        self.links = Links.both_ways(pairs, batch.n_units)
        self.reach = pairs.best_savings(annotator).sum(axis=1)
        self.label = first_alignment(self.batch, self.links)
        self._floor = np.zeros(0)  # a lower bound of the cost, divided among the units, that no prices prove
        if has_many:
            self._floor = unit_bounds(self.batch, pairs)
        self.pool = neighbourhood(self.batch, self.links, self.label)
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
        share = max(self.budget.remaining // self.batch.n_units, 1)
        n_exceeding = 0
        for root in np.linspace(0, self.batch.n_units - 1, _PROBE_ROOTS).astype(np.int64):
            trial = Budget(share, self.budget.deadline)
            roots = np.array([root])
            price(self.batch, self.upward, self.reach, self.y, trial, threshold=THRESHOLD, roots=roots)
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
            self.y = kernels.soften(*arrays, FIRST_WIDTH, WIDTH_RATIO, steps)
            priced = self._price(self.y, keep=COLUMNS_PER_ROOT)
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
        """Find prices by programmes of more and more columns; try the columns that the last one selects."""
        # Without work left no further columns are generated, so the programme is solved once.
        programme = Programme(self.y, self.n_annotators, once=self.budget.is_spent)
        programme.grow(self.pool, self.pool.saving)
        history: list[_Progress] = []
        while not (programme.is_done or self.budget.is_spent or self._is_stuck(history)):
            self._extend(programme)
            history.append(_Progress(float(programme.prices.sum()), programme.best_total))
        self.y = programme.best_prices
        priced = self._price(self.y)
        self.pool = Columns.joined(self.pool, priced.columns)
        self._used_programmes = True
        self._record_bound(self.y, priced)
        if self._is_stuck(history):
            self.budget.remaining = 0
        self._try_best_selection(programme.selected_columns())

    def _extend(self, programme: Programme) -> None:
        """Price all columns at the trial prices once, and add those that gain at the prices of the programme."""
        y = programme.trial_prices
        priced = self._price(y)
        self._record_bound(y, priced)
        gaining = np.flatnonzero(priced.saving - priced.columns.sums(programme.prices) > MIN_GAIN)
        columns = priced.columns.take(gaining)
        self.pool = Columns.joined(self.pool, columns)
        programme.record_bound(float((y + np.maximum(priced.root_gain, 0.0)).sum()))
        if len(columns):
            programme.grow(columns, priced.saving[gaining])
        else:
            programme.record_miss()

    def _price(self, y: FloatArray, *, keep: int = 3) -> Priced:
        """Return columns that gain at prices y."""
        return price(self.batch, self.upward, self.reach, y, self.budget, threshold=THRESHOLD, keep=keep)

    def _try_best_selection(self, columns: Columns) -> None:
        """Try the alignment of the best selection of these columns."""
        best = partition(columns, np.arange(self.batch.n_units), self.budget.deadline)
        self._try_alignment(columns.take(best.selected))

    def _try_alignment(self, columns: Columns) -> None:
        """Improve the alignment of these columns, and store it if it is the best one."""
        label = np.arange(self.batch.n_units)
        label[columns.units] = np.repeat(columns.units[columns.offsets[:-1]], columns.sizes)
        label = improve(self.batch, self.links, renumber(label))
        if total_saving(self.links, label) > total_saving(self.links, self.label):
            self.label = label

    def result(self) -> tuple[Columns, FloatArray]:
        """Return the best alignment and its proof, or the best known alignment and its bound.

        An alignment that contains a column with a loss above `max_loss` costs more than the bound plus `max_loss`. So
        columns up to a loss are listed; the limit rises until it covers the gap, while alignments found on the way
        narrow the gap.
        """
        canonical_index = np.arange(self.batch.n_units)
        max_loss = self.gap
        raised_bound = 0.0
        if max_loss > _FULL_LISTING_GAP:
            max_loss = max(max_loss / _FIRST_LIMIT_DIVISOR, _FULL_LISTING_GAP)
        while True:
            unproven = 1.0 - self.feasible + raised_bound / self.batch.n_units
            if self._floor.sum() > unproven.sum():
                unproven = self._floor
            if self.is_accepted:
                return self._known_columns(), unproven
            listed = self._columns_up_to(max_loss)
            cost = self._cost
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
            max_nodes=MAX_NODES_PER_ROOT,
            list_all=True,
            max_columns=MAX_LISTED_COLUMNS,
        )
        is_complete = (priced.root_gain <= threshold).all()
        return priced.columns if is_complete else None
