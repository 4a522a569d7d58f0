"""The cover of least cost of each instance: every unit is in at least one unitary alignment (soft-γ).

In an alignment (a partition), a unit is in exactly one unitary alignment. In a cover it may be in several: a long unit
of one annotator can be aligned with each of the two short ones of another. The disorder has the same definition,
(1/x̄) Σ δ(ă) with the same x̄.

A cover as a partition
----------------------
Let m(u) be the cost of the cheapest unitary alignment that contains unit u; a lone unit costs 1. Give each unit of a
cover to one of the unitary alignments that contain it. So a cover of least cost is a partition of least cost in which
a set S of units costs c(S) = min δ(T) over the unitary alignments T that contain S, and c({u}) = m(u). A set saves
Σ m(u) - c(S) compared with its units one by one, and sets that save nothing are not needed. So a unitary alignment of
two units or more is needed only if δ(T) < Σ m(u): this bound is the pruning of covers. (The savings of partitions do
not prune covers: there, a unit that is used elsewhere is not available.)

1. **Two annotators**: the sets are pairs; the least cost is Σ m less the matching of greatest Σ m(u) + m(v) - d(u, v).
2. **Three to five annotators**: all unitary alignments are listed, first with upper bounds of m from greedy ones. The
   subsets that save something are the columns of a set partition (`gamma_align.alignment.partition`).
3. **More annotators, or too many columns to list**: column generation. The linear relaxation is: minimise
   Σ δ(T)·x(T) with each unit covered at least once. Its dual prices y ≥ 0 over the columns found break Σ y ≤ δ(T) for
   other columns; these are added until there is none, by the pricing of partitions
   (`gamma_align.alignment.pricing.price`) at the prices 1 - y. Then Σ y is a lower bound. Columns with δ(T) - Σ y
   above the gap to the best cover of the columns found cannot be in a better one; the others are listed, and an integer
   programme selects among them. If this stops at a limit, the gap is the result.

Ties: of equally cheap unitary alignments that contain a unit, the smallest one is used, then the one of the lowest
units; partitions follow the tie rule (`gamma_align.alignment.search`). A unitary alignment whose units are all in other
selected ones is removed.

References
----------
Titeux & Riad 2021, pygamma-agreement: Inter-annotator agreement for continuous annotations. (The software defines
soft-γ; the definition of the disorder is M15 §4.3.)
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, Self

import numpy as np

from gamma_align.alignment.assignment import best_matching
from gamma_align.alignment.candidates import (
    FREE,
    Columns,
    Links,
    Pairs,
    active_annotators,
    candidate_pairs,
    incidence,
    useful_columns,
)
from gamma_align.alignment.limits import ORTOOLS, Deadline, Limits
from gamma_align.alignment.lp import covering_ip, packing_lp
from gamma_align.alignment.memory import chunks_in_memory
from gamma_align.alignment.partition import partition
from gamma_align.alignment.pricing import (
    MAX_LISTED_COLUMNS,
    MAX_NODES_PER_ROOT,
    MIN_GAIN,
    THRESHOLD,
    UNLIMITED,
    Budget,
    Priced,
    price,
)
from gamma_align.alignment.solve import PAIR, Solution, chunks_by_kind, proven_bound
from gamma_align.alignment.witness import check_size
from gamma_align.columns import FloatArray, IntArray, grouped_sums, ranges
from gamma_align.data import Batch
from gamma_align.distances import PairDissimilarity

_MAX_SUBSET_ANNOTATORS = 5  # with more, the subsets of unitary alignments (2^n) are too many for a partition
_MAX_TABLE_CELLS = 20_000_000  # units × annotators; of a larger batch, pairs alone bound the cost, to limit the memory
_SELECTED = 0.5  # x of the integer programme is 0 or 1

# Tolerances, in units of Δ.
_PROOF_TOLERANCE = 1e-9

_COLUMNS_PER_ROOT = 10  # returned by pricing
# Weight of the prices of the best bound in the prices tried (Wentges 1997): prices of a programme jump from round to
# round.
_SMOOTHING = 0.5
_MAX_ROUNDS = 200


def solve_cover(batch: Batch, dissimilarity: PairDissimilarity, limits: Limits | None = None) -> Solution:
    """Return the cover of least disorder of each instance, with its proof or its gap.

    `dissimilarity` is bound to the categories of the batch. If fewer than two annotators of an instance have units, all
    of its units stay alone.
    """
    limits = limits or Limits()
    counts = np.diff(batch.offsets)
    active = active_annotators(batch)
    bound = counts.astype(np.float64)
    lone = _lone_columns(np.flatnonzero(active[batch.instance] < PAIR))
    selected = [lone]
    for instances in chunks_in_memory(chunks_by_kind(active, counts), batch, dissimilarity):
        part = batch.take(instances)
        is_matching = bool(active[instances[0]] == PAIR)
        columns, unit_bound = _solve_chunk(part, dissimilarity, limits, is_matching=is_matching)
        rows = ranges(batch.offsets[instances], counts[instances])
        selected.append(columns.with_units(rows[columns.units]))
        bound[instances] = np.bincount(part.instance, weights=unit_bound, minlength=len(part))
    return _solution(batch, Columns.joined(*selected), bound)


def _solution(batch: Batch, columns: Columns, bound: FloatArray) -> Solution:
    """Return the solution of which these are the unitary alignments."""
    order = np.lexsort((columns.column_of, columns.units))
    units = columns.units[order]
    column = columns.column_of[order]
    lowest = np.full(len(columns), len(units))
    np.minimum.at(lowest, column, np.arange(len(units)))
    instance = batch.instance[columns.first]
    # Columns are added in the order of their first units, so that the sum does not depend on the chunks.
    by_first = np.argsort(lowest, kind="stable")
    cost = grouped_sums(instance[by_first], columns.cost[by_first], len(batch))
    return Solution(lowest[column], cost, proven_bound(cost, bound), units)


def _solve_chunk(
    batch: Batch, dissimilarity: PairDissimilarity, limits: Limits, *, is_matching: bool
) -> tuple[Columns, FloatArray]:
    """Solve the instances of one chunk; return the selected columns, and the bound divided among the units."""
    pairs = candidate_pairs(batch, dissimilarity)
    deadline = limits.deadline(len(batch))
    if limits.solver == ORTOOLS:
        return _cover_by_programmes(batch, pairs, limits, deadline)
    if is_matching:
        return _cover_by_matching(batch, pairs)
    pairs = _pairs_below(batch, pairs, _greedy_costs(batch, pairs))
    can_list = active_annotators(batch) <= _MAX_SUBSET_ANNOTATORS
    max_columns = np.where(can_list, limits.columns_for(np.diff(batch.offsets)), 0)
    columns, too_many = useful_columns(batch, pairs, max_columns)
    canonical_index = np.arange(batch.n_units) - batch.offsets[batch.instance]
    selected, unit_bound = _cover_by_partition(columns, canonical_index, deadline, limits.gap)
    if not too_many.any():
        return selected, unit_bound
    results = [selected.take(~too_many[batch.instance[selected.first]])]
    for instance in np.flatnonzero(too_many).tolist():
        units = slice(int(batch.offsets[instance]), int(batch.offsets[instance + 1]))
        generated, unit_bound[units] = _solve_on_demand(
            batch.take(np.array([instance])), pairs.within(units.start, units.stop), limits, deadline
        )
        results.append(generated.with_units(generated.units + units.start))
    return Columns.joined(*results), unit_bound


def _cover_by_matching(batch: Batch, pairs: Pairs) -> tuple[Columns, FloatArray]:
    """Return the best cover of instances with units of two annotators, and its bound divided among the units."""
    units = np.stack([pairs.first, pairs.second], axis=1).ravel()
    choices = _Choices.of(Columns(np.arange(0, len(units) + 1, 2), units, 1.0 - pairs.saving), batch.n_units)
    value = choices.min_cost[pairs.first] + choices.min_cost[pairs.second] - (1.0 - pairs.saving)
    # `best_matching` adds 1 to the saving of a pair: what two lone units cost more than one unitary alignment.
    matched, unit_bound = best_matching(batch, Pairs(pairs.first, pairs.second, value - 1.0))
    keys = pairs.first * batch.n_units + pairs.second  # ascending
    selected = np.searchsorted(keys, matched.units[::2] * batch.n_units + matched.units[1::2])
    return choices.completed(selected, matched.units), unit_bound - 1.0 + choices.min_cost


def _cover_by_programmes(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Return the covers that OR-Tools alone finds, one programme for each instance: see `Limits`."""
    columns, too_many = useful_columns(batch, pairs, np.full(len(batch), limits.max_columns))
    instance = batch.instance[columns.first]
    check_size(batch, (np.bincount(instance, minlength=len(batch)) > limits.max_columns) | too_many, limits.max_columns)
    selected = [_lone_columns(np.zeros(0, dtype=np.int64))]
    bound = np.zeros(batch.n_units)
    for index in range(len(batch)):
        first = int(batch.offsets[index])
        last = int(batch.offsets[index + 1])
        instance_columns = columns.take(instance == index)
        best, bound[first] = _cover_by_programme(
            instance_columns.with_units(instance_columns.units - first), last - first, deadline
        )
        selected.append(best.with_units(best.units + first))
    return Columns.joined(*selected), bound


def _lone_columns(units: IntArray) -> Columns:
    """Return these units as columns of one unit, which cost 1."""
    return Columns.of(np.ones(len(units), dtype=np.int64), units, np.ones(len(units)))


class _Choices(NamedTuple):
    """The unitary alignments that a cover may use, the lone units last, and the cheapest one that contains each unit.

    `cheapest`, shape (n_units,), is its index in `columns`; `min_cost` is its cost, m(u).
    """

    columns: Columns
    cheapest: IntArray
    min_cost: FloatArray

    @classmethod
    def of(cls, columns: Columns, n_units: int) -> Self:
        """Return the choices among these columns of at least two units and the lone units."""
        choices = Columns.joined(columns, _lone_columns(np.arange(n_units)))
        column = choices.column_of
        # Of equally cheap columns the smallest one, then the first one: columns are sorted by their units.
        order = np.lexsort((column, choices.sizes[column], choices.cost[column], choices.units))
        cheapest = column[order[np.searchsorted(choices.units[order], np.arange(n_units))]]
        return cls(choices, cheapest, choices.cost[cheapest])

    def completed(self, selected: IntArray, covered: IntArray) -> Columns:
        """Return the selected columns and the cheapest ones of the units that are not covered, each once."""
        is_covered = np.zeros(len(self.cheapest), dtype=np.bool_)
        is_covered[covered] = True
        return _without_redundant(self.columns.take(np.union1d(selected, self.cheapest[~is_covered])))


def _without_redundant(columns: Columns) -> Columns:
    """Return the columns without those whose units are all in others, the most costly first.

    In a cover of least cost they cost nothing, or no more than a rounding error.
    """
    count = np.bincount(columns.units)
    is_kept = np.ones(len(columns), dtype=np.bool_)
    if not len(columns):
        return columns
    candidates = np.flatnonzero(np.minimum.reduceat(count[columns.units], columns.offsets[:-1]) > 1)
    for column in sorted(candidates.tolist(), key=lambda index: (-columns.cost[index], index)):
        units = columns.units[columns.offsets[column] : columns.offsets[column + 1]]
        if (count[units] > 1).all():
            count[units] -= 1
            is_kept[column] = False
    return columns.take(is_kept)


def _cover_by_partition(
    columns: Columns, canonical_index: IntArray, deadline: Deadline, gap: float = 0.0
) -> tuple[Columns, FloatArray]:
    """Return the best cover by these columns and lone units, and its bound divided among the units.

    `columns` are the unitary alignments of two units or more that may be needed; `canonical_index`, shape (n_units,),
    is the index of each unit within its instance. `deadline` and `gap` are as in `partition`.
    """
    choices = _Choices.of(columns, len(canonical_index))
    saves = np.flatnonzero(columns.sums(choices.min_cost) - columns.cost > FREE) if len(columns) else np.arange(0)
    subsets, source = _subsets(columns.take(saves), choices.min_cost)
    best = partition(subsets, canonical_index, deadline, gap=gap)
    selected = subsets.take(best.selected)
    return choices.completed(saves[source[best.selected]], selected.units), best.bound - 1.0 + choices.min_cost


def _subsets(columns: Columns, min_cost: FloatArray) -> tuple[Columns, IntArray]:
    """Return the subsets S of columns that save something, as columns of a partition, and the column of each.

    The saving of S is Σ m(u) - c(S). The column is the cheapest one that contains S, of equal ones the first.
    """
    parts = [Columns.joined()]
    sources = [np.zeros(0, dtype=np.int64)]
    max_size = int(columns.sizes.max(initial=0))
    for size in range(2, max_size + 1):
        units, column = _subsets_of_size(columns, size)
        saving = min_cost[units].sum(axis=1) - columns.cost[column]
        is_useful = saving > FREE
        units = units[is_useful]
        column = column[is_useful]
        saving = saving[is_useful]
        order = np.lexsort((column, -saving, *units.T[::-1]))
        units = units[order]
        column = column[order]
        saving = saving[order]
        is_first = np.ones(len(units), dtype=np.bool_)
        is_first[1:] = (units[1:] != units[:-1]).any(axis=1)
        units = units[is_first]
        saving = saving[is_first]
        sizes = np.full(len(units), size)
        parts.append(Columns.of(sizes, units.ravel(), size - saving))
        sources.append(column[is_first])
    return Columns.joined(*parts), np.concatenate(sources)


def _subsets_of_size(columns: Columns, size: int) -> tuple[IntArray, IntArray]:
    """Return all subsets of a size of columns, shape (n_subsets, size), and the column of each."""
    all_units = [np.zeros((0, size), dtype=np.int64)]
    all_columns = [np.zeros(0, dtype=np.int64)]
    for column_size in range(size, int(columns.sizes.max(initial=0)) + 1):
        rows = np.flatnonzero(columns.sizes == column_size)
        units = columns.take(rows).units.reshape(-1, column_size)
        for positions in combinations(range(column_size), size):
            all_units.append(units[:, positions])
            all_columns.append(rows)
    return np.concatenate(all_units), np.concatenate(all_columns)


def _cover_by_programme(columns: Columns, n_units: int, deadline: Deadline) -> tuple[Columns, float]:
    """Return the best cover of one instance by these columns and lone units, and its bound, by an integer programme."""
    choices = _Choices.of(columns, n_units)
    x, bound = covering_ip(incidence(choices.columns, n_units), choices.columns.cost, deadline)
    if x is None:  # the deadline came before any cover was found
        return choices.completed(np.arange(0), np.arange(0)), bound
    selected = np.flatnonzero(x > _SELECTED)
    return _without_redundant(choices.columns.take(selected)), bound


def _greedy_costs(batch: Batch, pairs: Pairs) -> FloatArray:
    """Return an upper bound of m(u): the cost of a unitary alignment that contains each unit, shape (n_units,).

    Tried are each pair, and each unit with the best unit of every annotator with whom it saves something.
    """
    cost = np.ones(batch.n_units)
    for unit in (pairs.first, pairs.second):
        np.minimum.at(cost, unit, 1.0 - pairs.saving)
    width = int(batch.annotator.max(initial=0)) + 1
    if not len(pairs) or batch.n_units * width > _MAX_TABLE_CELLS:
        return cost
    unit = np.concatenate([pairs.first, pairs.second])
    partner = np.concatenate([pairs.second, pairs.first])
    both_savings = np.concatenate([pairs.saving, pairs.saving])
    rows = np.flatnonzero(both_savings > 0)
    rows = rows[np.lexsort((-partner[rows], both_savings[rows]))]  # the last one assigned stays: the best
    best = np.full((batch.n_units, width), -1)
    best[unit[rows], batch.annotator[partner[rows]]] = partner[rows]
    best[np.arange(batch.n_units), batch.annotator] = np.arange(batch.n_units)
    saving = np.zeros(batch.n_units)
    for first, second in combinations(range(width), 2):
        saving += _savings(pairs, best[:, first], best[:, second], batch.n_units)
    group_cost = 1.0 - saving
    for annotator in range(width):
        has_unit = best[:, annotator] >= 0
        np.minimum.at(cost, best[has_unit, annotator], group_cost[has_unit])
    return cost


def _savings(pairs: Pairs, first: IntArray, second: IntArray, n_units: int) -> FloatArray:
    """Return the savings of pairs of units: 0 if one of them is -1, and -inf if they are no candidate pair."""
    keys = pairs.first * n_units + pairs.second
    pair_keys = first * n_units + second
    index = np.minimum(np.searchsorted(keys, pair_keys), len(keys) - 1)
    saving = np.where(keys[index] == pair_keys, pairs.saving[index], -np.inf)
    return np.where((first < 0) | (second < 0), 0.0, saving)


def _pairs_below(batch: Batch, pairs: Pairs, cost: FloatArray) -> Pairs:
    """Return the pairs that a cover may need if each unit is in a unitary alignment of this cost, shape (n_units,).

    A unitary alignment T is needed only if each of its units u lowers the cost: δ(T) < δ(T without u) + m(u), thus
    m(u) + Σ w(u, ·) > 0. In the sum, the other units are at best the best ones of their annotators.
    """
    if batch.n_units * (int(batch.annotator.max(initial=0)) + 1) > _MAX_TABLE_CELLS:
        return pairs
    best = pairs.best_savings(batch.annotator)
    total = best.sum(axis=1) + cost
    first = pairs.first
    second = pairs.second
    first_total = total[first] - best[first, batch.annotator[second]]
    second_total = total[second] - best[second, batch.annotator[first]]
    # Twice the tolerance: the cheapest unitary alignment of a unit must stay, and sums are rounded.
    return pairs.take(np.minimum(first_total, second_total) + pairs.saving > -FREE)


class _Bound(NamedTuple):
    """Prices y that no column beats, shape (n_units,), and their sum: a lower bound of the cost."""

    y: FloatArray
    total: float


def _solve_on_demand(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Solve the single instance of the batch; return the selected columns, and a bound divided among the units."""
    return _Generation(batch, pairs, limits, deadline).result()


class _Generation:
    """The state of column generation: `pool` are the columns found, `bound` the best prices so far."""

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        annotators, annotator = np.unique(batch.annotator, return_inverse=True)
        self.batch = replace(batch, annotator=annotator)
        self.pairs = pairs
        self.deadline = deadline
        self.n_annotators = len(annotators)
        self.accepted_gap = limits.gap
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
            max_nodes=MAX_NODES_PER_ROOT if list_all else UNLIMITED,
            max_columns=MAX_LISTED_COLUMNS if list_all else UNLIMITED,
        )

    def _settle_prices(self) -> None:
        """Add columns to the pool until no column beats its prices, or a limit is reached."""
        smoothing = _SMOOTHING
        for _ in range(_MAX_ROUNDS):
            y = self._prices_of_pool()
            tried = smoothing * self.bound.y + (1.0 - smoothing) * y
            priced = self._price(tried, threshold=THRESHOLD)
            self._record_bound(tried, np.maximum(priced.root_gain, 0.0))
            gaining = priced.columns.take(priced.columns.sums(y) - priced.columns.cost > MIN_GAIN)
            if self.budget.is_spent or float(y.sum()) - self.bound.total <= _PROOF_TOLERANCE * self.batch.n_units:
                return
            if len(gaining):
                self.pool = Columns.joined(self.pool, gaining)
                smoothing = _SMOOTHING
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
        is_complete = (listed.root_gain <= -gap).all() and len(listed.columns) < MAX_LISTED_COLUMNS
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
        if self.n_annotators <= _MAX_SUBSET_ANNOTATORS:
            return _cover_by_partition(columns, np.arange(n_units), self.deadline)
        selected, total = _cover_by_programme(columns, n_units, self.deadline)
        bound = np.zeros(n_units)
        bound[0] = total
        return selected, bound
