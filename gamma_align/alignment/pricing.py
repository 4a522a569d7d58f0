"""Columns made on demand, for more annotators than can be enumerated (column generation).

With dual prices y, a column is worth adding when its *gain* s(S) - Σ y = Σ (1 - y_u) + Σ w - 1 is positive. `price`
finds such columns by the level-wise joins of `gamma_align.alignment.tuples`, pruned by a bound on the gain of every
completion of a partial column. Each column has one *root*, its unit of the lowest annotator, and an alignment holds at
most one column of each root; so for any y ≥ 0

    Σ y + Σ over roots of the greatest gain

is an upper bound of what an alignment can save (put on the roots, the gains make the prices feasible).
A beam keeps the most promising partial columns of each root; what it
drops still enters the bound, so a bound is always known, and it is exact once nothing was dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.heuristic import columns_of, dense_savings, neighbourhood, rematched
from gamma_align.alignment.partition import greedy, partition
from gamma_align.alignment.relaxation import Relaxation, best_of_each, relax, savings
from gamma_align.alignment.search import TIE
from gamma_align.alignment.tuples import (
    Columns,
    Graph,
    Partial,
    after,
    best_per_annotator,
    extended,
    seeds,
    single_columns,
)

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.alignment.candidates import Pairs
    from gamma_align.alignment.limits import Deadline, Limits
    from gamma_align.batch import Batch

_BEAM = 4
_WIDEN = 8
_EVERY = 4
_PER_ROOT = 8
_SMOOTHING = 0.5
_POOL = 20  # columns a unit; above, those of greatest loss are forgotten
_GAIN = 1e-9
_NEAR = 2
_CELLS = 8  # of a table of annotators, that cost as much as one look-up of a pair
_TABLE = 2_000_000  # cells of such a table to hold at once
_DENSE = 3000  # units above which a table of all pairs is too large


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """What pricing found.

    Attributes
    ----------
    columns : Columns
        Columns of gain above the threshold, their gains in `gain`.
    root_gain : ndarray of float64, shape (n_units,)
        Upper bound of the gain of any column of each root, 0 or more.
    complete : bool
        Whether nothing was dropped: `columns` are all there are.
    """

    columns: Columns
    gain: FloatArray
    root_gain: FloatArray
    complete: bool


@dataclass(slots=True)
class Budget:
    """Work that may still be done."""

    left: float
    deadline: Deadline

    @property
    def spent(self) -> bool:
        """Whether nothing is left, of work or of time."""
        return self.left <= 0 or self.deadline.over


def price(batch: Batch, graph: Graph, y: FloatArray, threshold: float, beam: int, budget: Budget) -> Priced:
    """Return columns of gain above `threshold` (0 or less) at prices y, `beam` partial columns a root at most.

    When the budget is spent, every partial column left is dropped, and counts by its bound.
    """
    width = int(batch.annotator.max(initial=0)) + 1
    worth = 1.0 - y
    pairs = graph.pairs
    later = after(best_per_annotator(batch, graph, pairs.saving, width))
    ahead = worth + later[np.arange(batch.n_units), batch.annotator]
    partial = seeds(graph)
    found, gains, complete = [], [], True
    root_gain = np.zeros(batch.n_units)
    while len(partial.saving):
        size = partial.members.shape[1]
        value = partial.saving + worth[partial.members].sum(axis=1) - 1.0
        np.maximum.at(root_gain, partial.members[:, 0], value)
        good = value > threshold
        found.append(partial.take(good))
        gains.append(value[good])
        reach = best_per_annotator(batch, graph, ahead[pairs.second] / size + pairs.saving, width)
        bound = value + _completion(batch, reach, partial)
        keep = np.flatnonzero(bound > threshold)
        kept = keep[best_of_each(partial.members[keep, 0], bound[keep], 0 if budget.spent else beam)]
        if len(kept) < len(keep):
            complete = False
            dropped = np.setdiff1d(keep, kept, assume_unique=True)
            np.maximum.at(root_gain, partial.members[dropped, 0], bound[dropped])
        partial = extended(graph, partial.take(kept))
        budget.left -= partial.members.size * (1.0 + width / _CELLS)
    columns = Columns.of([part.members for part in found], [1.0 - part.saving for part in found])
    return Priced(columns, np.concatenate([np.empty(0), *gains]), root_gain, complete)


def _completion(batch: Batch, reach: FloatArray, partial: Partial) -> FloatArray:
    """Return an upper bound of what units of later annotators can add to each partial column.

    A unit x of annotator r adds at most Σ over the k members z of (worth_x + what x gains ahead)/k + w(z, x); the
    largest of each term over the units of r is `reach`.
    """
    last = batch.annotator[partial.members[:, -1]]
    bound = np.empty(len(last))
    step = max(1, _TABLE // reach.shape[1])
    for begin in range(0, len(last), step):
        rows = slice(begin, begin + step)
        total = reach[partial.members[rows, 0]]
        for position in range(1, partial.members.shape[1]):
            total += reach[partial.members[rows, position]]
        total[np.arange(total.shape[1])[None, :] <= last[rows, None]] = 0.0
        bound[rows] = np.maximum(total, 0.0).sum(axis=1)
    return bound


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
    while work.improved():
        pass
    if work.converged:
        number = np.arange(batch.n_units)
        best = partition(work.pool, number, deadline)
        chosen = work.pool.take(best.chosen)
        window = work.window(batch.n_units - float(savings(chosen).sum()))
        if window is not None:
            best = partition(window, number, deadline)
            return window.take(best.chosen), best.bound
        return chosen, 1.0 - work.feasible
    return work.rounded(), 1.0 - work.feasible


def first_prices(batch: Batch, pairs: Pairs) -> FloatArray:
    """Return prices that no column of one instance beats, from its pairs alone: a bound to begin with.

    A column of k units costs Σ over its units of (1/k - half of what its pairs with the others save), at least the
    least, over k, of 1/k less half of the k - 1 best savings of the unit's pairs with different annotators.
    """
    width = int(batch.n_annotators.max())
    best = np.full((batch.n_units, width), -np.inf)
    np.maximum.at(best, (pairs.first, batch.annotator[pairs.second]), pairs.saving)
    np.maximum.at(best, (pairs.second, batch.annotator[pairs.first]), pairs.saving)
    ranked = -np.sort(-best, axis=1)[:, : width - 1]
    saved = np.concatenate([np.zeros((batch.n_units, 1)), np.cumsum(ranked, axis=1)], axis=1)
    share = (1.0 / np.arange(1, width + 1) - saved / 2).min(axis=1, where=np.isfinite(saved), initial=1.0)
    # no column costs less than nothing either: of the two bounds, the better
    return 1.0 - share if share.sum() > 0 else np.ones(batch.n_units)


class _Generation:
    """The state of column generation on one instance."""

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        self.batch = batch
        self.budget = Budget(limits.work, deadline)
        self.graph = Graph.of(pairs, batch.n_units)
        saving = 1.0 + pairs.saving
        worth = saving > _GAIN
        both = np.stack([pairs.first[worth], pairs.second[worth]], axis=1)
        self.pool = Columns.of([both], [1.0 - pairs.saving[worth]])
        self.table = dense_savings(pairs, batch.n_units) if batch.n_units <= _DENSE else None
        self.start = single_columns(0)
        if self.table is not None:
            label = rematched(batch, self.table, np.arange(batch.n_units))
            self.start = columns_of(batch, label, self.table)
            self.pool = self.pool.join(neighbourhood(batch, label, self.table, _NEAR))
        self.relaxed: Relaxation = relax(self.pool, batch.n_units)
        self.centre = self.relaxed.price
        self.feasible = first_prices(batch, pairs)
        self.widest = max(limits.max_columns // max(batch.n_units, 1), _BEAM)
        self.beam, self.rounds, self.converged = _BEAM, 0, False

    def improved(self) -> bool:
        """Do one round; return whether another may help."""
        self.rounds += 1
        if self.rounds % _EVERY == 0 and self.beam < self.widest:
            self.beam *= 2
        for smoothing in (_SMOOTHING, 0.0):
            y = smoothing * self.centre + (1.0 - smoothing) * self.relaxed.price
            priced = price(self.batch, self.graph, y, 0.0, self.beam, self.budget)
            self._bound(y, priced)
            if self.feasible.sum() - self.relaxed.price.sum() <= _GAIN:
                self.converged = True
                return False
            gain = savings(priced.columns) - priced.columns.sums(self.relaxed.price)
            new = np.flatnonzero(gain > _GAIN)
            if len(new):
                self._add(priced.columns.take(new), gain[new])
                return not self.budget.spent
        if priced.complete:
            self.converged = True
            return False
        if self.beam >= self.widest:
            return False
        self.beam *= _WIDEN
        return not self.budget.spent

    def _bound(self, y: FloatArray, priced: Priced) -> None:
        feasible = y + priced.root_gain
        if feasible.sum() < self.feasible.sum():
            self.centre, self.feasible = y, feasible

    def _add(self, columns: Columns, gain: FloatArray) -> None:
        if len(self.pool) > _POOL * self.batch.n_units:
            order = np.lexsort((self.relaxed.loss, self.relaxed.x < TIE))
            self.pool = self.pool.take(np.sort(order[: len(order) // 2]))
        self.pool = self.pool.join(columns.take(best_of_each(columns.first, gain, _PER_ROOT)))
        self.relaxed = relax(self.pool, self.batch.n_units)

    def window(self, cost: float) -> Columns | None:
        """Return every column that an alignment of this cost or less may hold, or None if they are too many."""
        gap = max(cost - (self.batch.n_units - float(self.feasible.sum())), 0.0)
        priced = price(self.batch, self.graph, self.feasible, -(gap + 2 * TIE), self.widest * _WIDEN, self.budget)
        return priced.columns if priced.complete else None

    def rounded(self) -> Columns:
        """Return the best alignment known: the start, or the relaxation's columns, rounded and re-matched."""
        chosen = self.pool.take(greedy(self.pool, self.relaxed.loss - self.relaxed.x))
        if self.table is not None:
            label = np.arange(self.batch.n_units)
            label[chosen.units] = np.repeat(chosen.first, chosen.sizes)
            chosen = columns_of(self.batch, rematched(self.batch, self.table, label), self.table)
        return max(self.start, chosen, key=lambda columns: float(savings(columns).sum()))
