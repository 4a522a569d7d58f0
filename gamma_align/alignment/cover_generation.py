"""Column generation for covers: the best cover of one instance whose unitary alignments are too many to list.

The linear relaxation is: minimise Σ δ(T)·x(T) with each unit covered at least once. Its dual prices y ≥ 0 satisfy
Σ y ≤ δ(T) over the units of each column T, and then Σ y is a lower bound of the cost of a cover. The search for
columns that break this is the pricing of partitions (`gamma_align.alignment.pricing.price`) at the prices 1 - y.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align.alignment.candidates import Columns, Links, Pairs
from gamma_align.alignment.cover_columns import (
    MAX_SUBSET_ANNOTATORS,
    cover_by_partition,
    cover_by_programme,
)
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.lp import incidence, packing_lp
from gamma_align.alignment.pricing import UNLIMITED, Budget, Priced, price
from gamma_align.columns import FloatArray
from gamma_align.data.batch import Batch

# Tolerances, in units of Δ.
_MIN_GAIN = 1e-9  # a column with a smaller gain is not added; it may be a rounding error
_PRICING_THRESHOLD = 1e-11  # gain above which pricing returns a column: less than `_MIN_GAIN`, for an exact bound
_PROOF_TOLERANCE = 1e-9

_COLUMNS_PER_ROOT = 10  # returned by pricing
# Weight of the prices of the best bound in the prices tried (Wentges 1997): prices of a programme jump from round to
# round.
_SMOOTHING = 0.5
_MAX_ROUNDS = 200
_MAX_LISTED_COLUMNS = 300_000
_MAX_NODES_PER_ROOT = 10_000


class _Bound(NamedTuple):
    """Prices y that no column beats, shape (n_units,), and their sum: a lower bound of the cost."""

    y: FloatArray
    total: float


def generate_cover(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Solve the single instance of the batch; return the selected columns, and a bound divided among the units."""
    return _Generation(batch, pairs, limits, deadline).result()


class _Generation:
    """The state of column generation: `pool` are the columns found, `bound` the best prices so far."""

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        annotators, annotator = np.unique(batch.annotator, return_inverse=True)
        self.batch, self.pairs, self.deadline = replace(batch, annotator=annotator), pairs, deadline
        self.n_annotators, self.accepted_gap = len(annotators), limits.gap
        self.budget = Budget(limits.work, deadline)
        self.upward = Links.upward(pairs, batch.n_units)
        self.reach = pairs.best_savings(annotator).sum(axis=1)
        two_units = np.stack([pairs.first, pairs.second], axis=1).ravel()
        self.pool = Columns(np.arange(0, len(two_units) + 1, 2), two_units, 1.0 - pairs.saving)
        self.bound = self._first_bound(int(batch.n_annotators[0]))

    def _first_bound(self, n_annotators: int) -> _Bound:
        """Return prices from pairs alone.

        The disorder of a unitary alignment is a mean over C(n, 2) pairs. A unit is charged with half of each pair with
        another unit, and with all of each pair with an empty unit, whichever is less.
        """
        combinations = n_annotators * (n_annotators - 1) / 2
        best = self.pairs.best_savings(self.batch.annotator, -np.inf)
        distance = np.minimum((1.0 - combinations * best) / 2.0, 1.0)
        distance[np.arange(len(distance)), self.batch.annotator] = 0.0
        without_units = n_annotators - self.n_annotators
        y = np.maximum((distance.sum(axis=1) + without_units) / combinations, 0.0)
        return _Bound(y, float(y.sum()))

    def _price(self, y: FloatArray, *, threshold: float, list_all: bool = False) -> Priced:
        """Return the columns with Σ y - δ(T) above the threshold."""
        return price(
            *(self.batch, self.upward, self.reach, 1.0 - y, self.budget),
            threshold=threshold,
            keep=_COLUMNS_PER_ROOT,
            list_all=list_all,
            max_nodes=_MAX_NODES_PER_ROOT if list_all else UNLIMITED,
            max_columns=_MAX_LISTED_COLUMNS if list_all else UNLIMITED,
        )

    def _settle_prices(self) -> None:
        """Add columns to the pool until no column beats its prices, or a limit is reached."""
        smoothing = _SMOOTHING
        for _ in range(_MAX_ROUNDS):
            y = self._prices_of_pool()
            tried = smoothing * self.bound.y + (1.0 - smoothing) * y
            priced = self._price(tried, threshold=_PRICING_THRESHOLD)
            self._record_bound(tried, np.maximum(priced.root_gain, 0.0))
            gaining = priced.columns.take(priced.columns.sums(y) - priced.columns.cost > _MIN_GAIN)
            if self.budget.is_spent or float(y.sum()) - self.bound.total <= _PROOF_TOLERANCE * self.batch.n_units:
                return
            if len(gaining):
                self.pool, smoothing = Columns.joined(self.pool, gaining), _SMOOTHING
            elif smoothing == 0.0:
                return
            else:
                smoothing = 0.0

    def _prices_of_pool(self) -> FloatArray:
        """Return the dual prices of the relaxation over the pool and lone units.

        The programme is a packing in which a unit that is covered once more costs 1: the price of a lone unit.
        """
        from scipy.sparse import hstack, identity

        n_units = self.batch.n_units
        matrix = hstack([incidence(self.pool, n_units), -identity(n_units)], format="csr")
        _, prices = packing_lp(matrix, np.concatenate([self.pool.saving, -np.ones(n_units)]))
        y: FloatArray = 1.0 - np.clip(prices, 0.0, 1.0)
        return y

    def _record_bound(self, y: FloatArray, root_gain: FloatArray) -> None:
        """Lower prices so that no column beats them, by the gains of the roots, and keep them if they are the best.

        What the price of a root lacks is taken from its partners: each column of the root has one of them.
        """
        lacking = root_gain - y
        y = np.maximum(y - root_gain, 0.0)
        for root in np.flatnonzero(lacking > 0).tolist():
            partners = self.upward.partner[self.upward.begin[root] : self.upward.begin[root + 1]]
            y[partners] = np.maximum(y[partners] - lacking[root], 0.0)
        total = float(y.sum())
        if total > self.bound.total:
            self.bound = _Bound(y, total)

    def result(self) -> tuple[Columns, FloatArray]:
        """Return the best cover and the bound: proven if the columns that a better cover needs can be listed."""
        self._settle_prices()
        best, _ = self._select(self._near(self.pool, np.inf))
        cost = float(best.cost.sum())
        gap = cost - self.bound.total
        # The bound of the prices may miss the cost by a rounding error of each unit: then few columns are listed.
        if gap <= max(_PROOF_TOLERANCE / 2, self.accepted_gap * cost):
            return best, self.bound.y
        listed = self._price(self.bound.y, threshold=-(gap + _PROOF_TOLERANCE), list_all=True)
        is_complete = (listed.root_gain <= -gap).all() and len(listed.columns) < _MAX_LISTED_COLUMNS
        if not is_complete or self.budget.is_spent:
            return best, self.bound.y
        columns = listed.columns.take(np.lexsort((np.arange(len(listed.columns)), listed.columns.sizes)))
        selected, unit_bound = self._select(columns.take(columns.sizes > 1))
        # A cover with other columns costs at least as much as the best one known.
        if float(unit_bound.sum()) < self.bound.total:
            unit_bound = self.bound.y
        return min((selected, best), key=lambda cover: float(cover.cost.sum())), unit_bound

    def _near(self, columns: Columns, max_loss: float) -> Columns:
        """Return different columns that lose no more than this at the best prices."""
        loss = columns.cost - columns.sums(self.bound.y)
        rows = np.flatnonzero(loss <= max_loss)
        names = [columns.units[columns.offsets[row] : columns.offsets[row + 1]].tobytes() for row in rows.tolist()]
        first = dict(zip(reversed(names), reversed(rows.tolist()), strict=True))
        return columns.take(np.array(sorted(first.values()), dtype=np.int64))

    def _select(self, columns: Columns) -> tuple[Columns, FloatArray]:
        """Return the best cover by these columns, and a lower bound of such covers, divided among the units."""
        n_units = self.batch.n_units
        if self.n_annotators <= MAX_SUBSET_ANNOTATORS:
            return cover_by_partition(columns, np.arange(n_units), self.deadline)
        selected, total = cover_by_programme(columns, n_units, self.deadline)
        bound = np.zeros(n_units)
        bound[0] = total
        return selected, bound
