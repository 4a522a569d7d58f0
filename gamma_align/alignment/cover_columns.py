"""Selecting the best cover from listed columns (see `gamma_align.alignment.cover`)."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, Self

import numpy as np

from gamma_align.alignment.candidates import FREE, Columns, Pairs
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import covering_ip, incidence
from gamma_align.alignment.partition import partition
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.batch import Batch

MAX_SUBSET_ANNOTATORS = 5
"""With more annotators, the subsets of unitary alignments are too many (2^n) to be columns of a partition."""
_MAX_TABLE_CELLS = 20_000_000  # units × annotators; of a larger batch, pairs alone bound the cost, to limit the memory
_SELECTED = 0.5  # x of the integer programme is 0 or 1


def lone_units(units: IntArray) -> Columns:
    """Return these units as columns of one unit, which cost 1."""
    return Columns.of(np.ones(len(units), dtype=np.int64), units, np.ones(len(units)))


class Choices(NamedTuple):
    """The unitary alignments that a cover may use, the lone units last, and the cheapest one that contains each unit.

    `cheapest`, shape (n_units,), is its index in `columns`; `min_cost` is its cost, m(u).
    """

    columns: Columns
    cheapest: IntArray
    min_cost: FloatArray

    @classmethod
    def of(cls, columns: Columns, n_units: int) -> Self:
        """Return the choices among these columns of at least two units and the lone units."""
        choices = Columns.joined(columns, lone_units(np.arange(n_units)))
        column = choices.column_of
        # Of equally cheap columns the smallest one, then the first one: columns are sorted by their units.
        order = np.lexsort((column, choices.sizes[column], choices.cost[column], choices.units))
        cheapest = column[order[np.searchsorted(choices.units[order], np.arange(n_units))]]
        return cls(choices, cheapest, choices.cost[cheapest])

    def completed(self, selected: IntArray, covered: IntArray) -> Columns:
        """Return the selected columns and the cheapest ones of the units that are not covered, each once."""
        is_covered = np.zeros(len(self.cheapest), dtype=np.bool_)
        is_covered[covered] = True
        return without_redundant(self.columns.take(np.union1d(selected, self.cheapest[~is_covered])))


def without_redundant(columns: Columns) -> Columns:
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


def cover_by_partition(
    columns: Columns, canonical_index: IntArray, deadline: Deadline, gap: float = 0.0
) -> tuple[Columns, FloatArray]:
    """Return the best cover by these columns and lone units, and its bound divided among the units.

    `columns` are the unitary alignments of two units or more that may be needed; `canonical_index`, shape (n_units,),
    is the index of each unit within its instance. `deadline` and `gap` are as in `partition`.
    """
    choices = Choices.of(columns, len(canonical_index))
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
        units, column, saving = units[is_useful], column[is_useful], saving[is_useful]
        order = np.lexsort((column, -saving, *units.T[::-1]))
        units, column, saving = units[order], column[order], saving[order]
        is_first = np.ones(len(units), dtype=np.bool_)
        is_first[1:] = (units[1:] != units[:-1]).any(axis=1)
        units, saving = units[is_first], saving[is_first]
        sizes = np.full(len(units), size)
        parts.append(Columns.of(sizes, units.ravel(), size - saving))
        sources.append(column[is_first])
    return Columns.joined(*parts), np.concatenate(sources)


def _subsets_of_size(columns: Columns, size: int) -> tuple[IntArray, IntArray]:
    """Return all subsets of a size of columns, shape (n_subsets, size), and the column of each."""
    all_units, all_columns = [np.zeros((0, size), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for column_size in range(size, int(columns.sizes.max(initial=0)) + 1):
        rows = np.flatnonzero(columns.sizes == column_size)
        units = columns.take(rows).units.reshape(-1, column_size)
        for positions in combinations(range(column_size), size):
            all_units.append(units[:, positions])
            all_columns.append(rows)
    return np.concatenate(all_units), np.concatenate(all_columns)


def cover_by_programme(columns: Columns, n_units: int, deadline: Deadline) -> tuple[Columns, float]:
    """Return the best cover of one instance by these columns and lone units, and its bound, by an integer programme."""
    choices = Choices.of(columns, n_units)
    x, bound = covering_ip(incidence(choices.columns, n_units), choices.columns.cost, deadline)
    if x is None:  # the deadline came before any cover was found
        return choices.completed(np.arange(0), np.arange(0)), bound
    selected = np.flatnonzero(x > _SELECTED)
    return without_redundant(choices.columns.take(selected)), bound


def greedy_costs(batch: Batch, pairs: Pairs) -> FloatArray:
    """Return an upper bound of m(u): the cost of a unitary alignment that contains each unit, shape (n_units,).

    Tried are each pair, and each unit with the best unit of every annotator with whom it saves something.
    """
    cost = np.ones(batch.n_units)
    for unit in (pairs.first, pairs.second):
        np.minimum.at(cost, unit, 1.0 - pairs.saving)
    width = int(batch.annotator.max(initial=0)) + 1
    if not len(pairs) or batch.n_units * width > _MAX_TABLE_CELLS:
        return cost
    unit, partner = np.concatenate([pairs.first, pairs.second]), np.concatenate([pairs.second, pairs.first])
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


def pairs_below(batch: Batch, pairs: Pairs, cost: FloatArray) -> Pairs:
    """Return the pairs that a cover may need if each unit is in a unitary alignment of this cost, shape (n_units,).

    A unitary alignment T is needed only if each of its units u lowers the cost: δ(T) < δ(T without u) + m(u), thus
    m(u) + Σ w(u, ·) > 0. In the sum, the other units are at best the best ones of their annotators.
    """
    if batch.n_units * (int(batch.annotator.max(initial=0)) + 1) > _MAX_TABLE_CELLS:
        return pairs
    best = pairs.best_savings(batch.annotator)
    total = best.sum(axis=1) + cost
    first, second = pairs.first, pairs.second
    first_total = total[first] - best[first, batch.annotator[second]]
    second_total = total[second] - best[second, batch.annotator[first]]
    # Twice the tolerance: the cheapest unitary alignment of a unit must stay, and sums are rounded.
    return pairs.take(np.minimum(first_total, second_total) + pairs.saving > -FREE)
