"""The best alignment of each instance of a batch, and the disorder of alignments (DEFINITIONS §3).

Instances are solved in chunks of bounded size. Each instance is solved from its own units alone, so the chunks do not
change a result. An instance in which two annotators have units is a matching. With more annotators, all useful columns
are listed and a set partitioning is solved. Columns of large instances are listed by price. If there are too many
columns, or a gap remains, columns are generated on demand. The solver
"ortools" uses none of these methods (`gamma_align.alignment.witness`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.alignment.assignment import best_matching
from gamma_align.alignment.candidates import Columns, Pairs, active_annotators, candidate_pairs, useful_columns
from gamma_align.alignment.generation import generate
from gamma_align.alignment.limits import ORTOOLS, Deadline, Limits
from gamma_align.alignment.listing import solve_by_listing
from gamma_align.alignment.memory import chunks_in_memory
from gamma_align.alignment.partition import partition
from gamma_align.alignment.witness import solve_by_programmes
from gamma_align.columns import BoolArray, FloatArray, IntArray, chunks, ranges, rank_in_runs
from gamma_align.data import Batch
from gamma_align.distances import PairDissimilarity

_CHUNK_WEIGHT = 100_000  # limits the memory: see `chunks_by_kind`
_MAX_WEIGHT_EXPONENT = 8  # annotators beyond two that raise the weight
_PROOF_TOLERANCE = 1e-9  # relative; cost and bound that differ by less are equal
PAIR = 2
"""Annotators with units: the alignment of such an instance is a matching."""
# Candidate pairs, in total and per unit, of an instance whose columns are listed by price. Small instances are solved
# many at a time, and if few units overlap there are few columns: then a list of all of them is faster.
_LARGE_PAIRS = 12_000
_LARGE_PAIRS_PER_UNIT = 11
_MAX_LISTED_ANNOTATORS = 7  # of such an instance; with more, too many columns lose little
_MAX_PROGRAMME_COLUMNS = 150_000  # of a part; generating more columns on demand is faster than a linear programme
_FEW_UNITS = 200  # of an instance; columns on demand take milliseconds, and OR-Tools a fifth of a second to load


_Aligned = tuple[Columns, FloatArray]
"""Selected columns, and the bound divided among the units."""


class Solution(NamedTuple):
    """The best alignments of a batch.

    `group`, shape (n_units,), is the unitary alignment of each unit: the lowest unit in it. `cost`, shape
    (n_instances,), is Σ δ(ă) / Δ; `bound` is a proven lower bound of it, and equal to it if the alignment is proven to
    be optimal.

    In a cover, a unit may be in several unitary alignments (`gamma_align.alignment.cover`). Then `units`, ascending, is
    the unit of each membership, and `group` has the lowest index of `units` in the unitary alignment. `units` is None
    if each unit is in one unitary alignment.
    """

    group: IntArray
    cost: FloatArray
    bound: FloatArray
    units: IntArray | None = None

    @property
    def is_proven(self) -> BoolArray:
        """Whether the alignment of each instance is proven to be optimal."""
        return np.equal(self.cost, self.bound)

    def members(self, batch: Batch) -> Batch:
        """Return the batch with one row for each membership: `group` belongs to its rows."""
        return batch if self.units is None else batch.repeat(self.units)


def solve(batch: Batch, dissimilarity: PairDissimilarity, limits: Limits | None = None) -> Solution:
    """Return the alignment of least disorder of each instance, with its proof or its gap.

    If fewer than two annotators of an instance have units, all of its units stay alone. `dissimilarity` is bound to the
    categories of the batch.
    """
    limits = limits or Limits()
    counts = np.diff(batch.offsets)
    blank = counts.astype(np.float64)
    result = Solution(np.arange(batch.n_units), blank, blank.copy())
    active = active_annotators(batch)
    for instances in chunks_in_memory(chunks_by_kind(active, counts), batch, dissimilarity):
        part = batch.take(instances)
        is_matching = bool(active[instances[0]] == PAIR)
        _store(result, batch, instances, part, *_solve_chunk(part, dissimilarity, limits, is_matching=is_matching))
    return result._replace(bound=proven_bound(result.cost, result.bound))


def _store(
    solution: Solution, batch: Batch, instances: IntArray, part: Batch, selected: Columns, unit_bound: FloatArray
) -> None:
    """Store the alignments of some instances of the batch, of which `part` is the batch."""
    lowest, unit_cost = _labels(selected, part.n_units)
    rows = ranges(batch.offsets[instances], np.diff(batch.offsets)[instances])
    solution.group[rows] = rows[lowest]
    solution.cost[instances] = np.bincount(part.instance, weights=unit_cost, minlength=len(part))
    solution.bound[instances] = np.bincount(part.instance, weights=unit_bound, minlength=len(part))


def proven_bound(cost: FloatArray, bound: FloatArray) -> FloatArray:
    """Return the bounds of costs; a bound that differs from the cost by rounding alone is the cost."""
    is_proven = cost - bound <= _PROOF_TOLERANCE * np.maximum(cost, 1.0)
    return np.where(is_proven, cost, bound)


def chunks_by_kind(active: IntArray, counts: IntArray) -> list[IntArray]:
    """Return chunks of instances of one kind and of bounded weight; the number of columns grows with the annotators."""
    result: list[IntArray] = []
    for is_of_kind in (active == PAIR, active > PAIR):
        instances = np.flatnonzero(is_of_kind)
        exponent = np.minimum(active[instances] - PAIR, _MAX_WEIGHT_EXPONENT)
        weight = counts[instances] * 4.0**exponent
        result += [instances[first:last] for first, last in chunks(weight, _CHUNK_WEIGHT)]
    return result


def _solve_chunk(batch: Batch, dissimilarity: PairDissimilarity, limits: Limits, *, is_matching: bool) -> _Aligned:
    """Solve the instances of one chunk."""
    pairs = candidate_pairs(batch, dissimilarity)
    deadline = limits.deadline(len(batch))
    if limits.solver == ORTOOLS:
        return solve_by_programmes(batch, pairs, limits.max_columns, deadline)
    if is_matching:
        return best_matching(batch, pairs)
    canonical_index = np.arange(batch.n_units) - batch.offsets[batch.instance]
    large = _large_instances(batch, pairs)
    columns, too_many = useful_columns(
        batch, pairs.take(~large[batch.instance[pairs.first]]), limits.columns_for(np.diff(batch.offsets))
    )
    every_unit = np.ones(batch.n_units, dtype=np.bool_)
    best = partition(columns, canonical_index, deadline, _MAX_PROGRAMME_COLUMNS, limits.gap, every_unit)
    is_open = np.zeros(len(batch), dtype=np.bool_)
    is_open[batch.instance[best.open_units]] = True
    can_close = is_open & (np.diff(batch.offsets) > _FEW_UNITS)
    is_other = too_many | large | is_open
    listed = best.selected[~is_other[batch.instance[columns.first[best.selected]]]]
    selected = [columns.take(listed)]
    unit_bound = best.bound
    for instance in np.flatnonzero(is_other).tolist():
        units = slice(int(batch.offsets[instance]), int(batch.offsets[instance + 1]))
        instance_batch = batch.take(np.array([instance]))
        instance_pairs = pairs.within(units.start, units.stop)
        if can_close[instance]:
            in_batch = columns.take(batch.instance[columns.first] == instance)
            instance_columns = in_batch.with_units(in_batch.units - units.start)
            aligned, unit_bound[units] = _close(instance_batch, instance_pairs, instance_columns, limits, deadline)
        else:
            solve_one = _solve_large if large[instance] else _solve_on_demand
            aligned, unit_bound[units] = solve_one(instance_batch, instance_pairs, limits, deadline)
        selected.append(aligned.with_units(aligned.units + units.start))
    return Columns.joined(*selected), unit_bound


def _large_instances(batch: Batch, pairs: Pairs) -> BoolArray:
    """Return the instances that are large enough to list their columns by price."""
    n_pairs = np.bincount(batch.instance[pairs.first], minlength=len(batch))
    is_large = (n_pairs >= _LARGE_PAIRS) & (n_pairs >= _LARGE_PAIRS_PER_UNIT * np.diff(batch.offsets))
    return is_large & (active_annotators(batch) <= _MAX_LISTED_ANNOTATORS)


def _solve_large(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> _Aligned:
    """Solve one large instance by columns listed by price, and by columns generated on demand if a gap remains."""
    listed = solve_by_listing(batch, pairs, limits, deadline)
    result = listed.selected, listed.unit_bound
    if listed.is_done or deadline.is_over:
        return result
    return _least_gap([result, _solve_on_demand(batch, pairs, limits, deadline)])


def _close(batch: Batch, pairs: Pairs, columns: Columns, limits: Limits, deadline: Deadline) -> _Aligned:
    """Solve one instance of many units of which parts of many columns are open after the first soft prices.

    `columns` are all useful ones.
    """
    if limits.gap > 0 and active_annotators(batch)[0] <= _MAX_LISTED_ANNOTATORS:
        # A short list brackets the disorder soon; programmes of all columns took ten times longer.
        return _solve_large(batch, pairs, limits, deadline)
    best = partition(columns, np.arange(batch.n_units), deadline, _MAX_PROGRAMME_COLUMNS, limits.gap)
    if len(best.open_units):
        return _solve_on_demand(batch, pairs, limits, deadline)
    return columns.take(best.selected), best.bound


def _solve_on_demand(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> _Aligned:
    """Solve one instance with columns generated on demand.

    If a gap remains and there are few enough columns after all, all columns are listed, and their programme is solved
    by OR-Tools if necessary. This is not done if `limits` set the work: then the gap is the result.
    """
    results = [generate(batch, pairs, limits, deadline)]
    gap = _gap(*results[0])
    accepted_gap = max(_PROOF_TOLERANCE * batch.n_units, limits.gap * (gap + float(results[0][1].sum())))
    if gap > accepted_gap and limits.max_work is None and not deadline.is_over:
        max_columns = np.array([min(limits.max_columns, _MAX_PROGRAMME_COLUMNS)])
        columns, too_many = useful_columns(batch, pairs, max_columns)
        if not too_many[0]:
            best = partition(columns, np.arange(batch.n_units), deadline)
            results.append((columns.take(best.selected), best.bound))
    return _least_gap(results)


def _least_gap(results: list[_Aligned]) -> _Aligned:
    """Return the result of the least gap, the first one if several have it."""
    return min(results, key=lambda result: _gap(*result))


def _gap(selected: Columns, unit_bound: FloatArray) -> float:
    """Return the cost of the selected columns and the units alone, less the bound."""
    return float(len(unit_bound) - selected.saving.sum() - unit_bound.sum())


def _labels(selected: Columns, n_units: int) -> tuple[IntArray, FloatArray]:
    """Return the label of each unit, the lowest unit of its column, and the cost of each column at that unit."""
    label = np.arange(n_units)
    cost = np.ones(n_units)
    if len(selected):
        lowest = np.minimum.reduceat(selected.units, selected.offsets[:-1])
        label[selected.units] = np.repeat(lowest, selected.sizes)
        cost[selected.units] = 0.0
        cost[lowest] = selected.cost
    return label, cost


def aligned_pairs(group: IntArray) -> tuple[IntArray, IntArray]:
    """Return (first, second) of all pairs of units in one unitary alignment, shapes (n_pairs,).

    `group`, shape (n_units,), is the unitary alignment of each unit.
    """
    rows = np.arange(len(group))
    if np.bincount(group).max(initial=0) <= PAIR:  # then no sorting is needed
        low = np.zeros_like(rows)
        high = np.zeros_like(rows)
        # of two units in one group, the last one assigned stays
        low[group[::-1]] = rows[::-1]
        high[group] = rows
        pairs = np.flatnonzero(low != high)
        return low[pairs], high[pairs]
    order = np.argsort(group, kind="stable")
    rank = rank_in_runs(group[order])
    second = np.repeat(rows, rank)
    first = ranges(rows - rank, rank)
    return order[first], order[second]


def unitary_disorders(batch: Batch, group: IntArray, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return δ(ă) at the lowest unit of each unitary alignment and 0 at all other units, shape (n_units,).

    δ(ă) = (Σ d over its pairs of units + Δ · number of its pairs with an empty unit) / C(n, 2).
    """
    first, second = aligned_pairs(group)
    distance = dissimilarity.pairs(batch, first, second)
    total = np.bincount(group[first], weights=distance, minlength=batch.n_units)
    n_pairs = np.bincount(group[first], minlength=batch.n_units)
    n = batch.n_annotators[batch.instance]
    combinations = n * (n - 1) // 2
    is_lowest = group == np.arange(batch.n_units)
    disorder = np.zeros(batch.n_units)
    empty = dissimilarity.delta_empty * (combinations - n_pairs)
    disorder[is_lowest] = (total[is_lowest] + empty[is_lowest]) / combinations[is_lowest]
    return disorder


def disorders(batch: Batch, unitary: FloatArray, instance: IntArray | None = None) -> FloatArray:
    """Return δ = (1/x̄) Σ δ(ă) of each instance (M15 §4.3); NaN without units, shape (n_instances,).

    `instance` is the instance of each entry of `unitary`, by default of each unit.
    """
    total = np.bincount(batch.instance if instance is None else instance, weights=unitary, minlength=len(batch))
    with np.errstate(divide="ignore", invalid="ignore"):
        delta: FloatArray = total / batch.mean_units
    return delta
