"""The best alignment of every instance of a batch, and the disorder of alignments (DEFINITIONS §3).

Instances are solved in chunks of bounded size; each is solved from its own units alone, so the cut into chunks never
changes a result. Two annotators with units: a matching. More: all useful columns, then set partitioning. Too many
columns to hold: columns on demand. The solver "ortools" takes none of these ways (`gamma_align.alignment.witness`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.alignment.assignment import best_matching
from gamma_align.alignment.candidates import (
    Columns,
    Pairs,
    active_annotators,
    candidate_pairs,
    needed_pairs,
    settled_stacks,
    useful_columns,
)
from gamma_align.alignment.generation import generate
from gamma_align.alignment.limits import ORTOOLS, Deadline, Limits
from gamma_align.alignment.partition import partition
from gamma_align.alignment.witness import by_programmes
from gamma_align.columns import BoolArray, FloatArray, IntArray, chunks, ranges, rank_in_runs
from gamma_align.data.batch import Batch
from gamma_align.distances.dissimilarity import PairDissimilarity

_WEIGHT = 100_000
_PROOF = 1e-9
_PROGRAMME = 150_000  # columns of a part above which making them on demand is quicker than a linear programme


class Solution(NamedTuple):
    """The best alignments of a batch.

    `group`, shape (n_units,), is the unitary alignment of each unit: the lowest unit in it. `cost`, shape
    (n_instances,), is Σ δ(ă) / Δ; `bound` a proven lower bound of it, equal where the alignment is proven optimal.
    """

    group: IntArray
    cost: FloatArray
    bound: FloatArray

    @property
    def proven(self) -> BoolArray:
        """Whether each instance's alignment is proven optimal."""
        return np.equal(self.cost, self.bound)


def solve(batch: Batch, dissimilarity: PairDissimilarity, limits: Limits | None = None) -> Solution:
    """Return the alignment of least disorder of every instance, with its proof or its gap.

    An instance with units of fewer than two annotators leaves every unit alone. `dissimilarity` is bound to the batch's
    categories; `limits` tell when to stop with a stated gap.
    """
    limits = limits or Limits()
    group = np.arange(batch.n_units)
    counts = np.diff(batch.offsets)
    cost, bound = counts.astype(np.float64), counts.astype(np.float64)
    active = active_annotators(batch)
    for instances in _chunks(active, counts):
        part = batch.take(instances)
        chosen, shares = _solved(part, dissimilarity, limits, two=bool(active[instances[0]] == 2))  # noqa: PLR2004
        lowest, unit_cost = _labels(chosen, part.n_units)
        rows = ranges(batch.offsets[instances], counts[instances])
        group[rows] = rows[lowest]
        cost[instances] = np.bincount(part.instance, weights=unit_cost, minlength=len(part))
        bound[instances] = np.bincount(part.instance, weights=shares, minlength=len(part))
    proven = cost - bound <= _PROOF * np.maximum(cost, 1.0)
    return Solution(group, cost, np.where(proven, cost, bound))


def _chunks(active: IntArray, counts: IntArray) -> list[IntArray]:
    """Return instances to be solved together: of one kind, and of bounded weight (columns grow with annotators)."""
    result: list[IntArray] = []
    for kind in (active == 2, active > 2):  # noqa: PLR2004
        instances = np.flatnonzero(kind)
        weight = counts[instances] * 4.0 ** np.minimum(active[instances] - 2, 8)
        result += [instances[first:last] for first, last in chunks(weight, _WEIGHT)]
    return result


def _solved(batch: Batch, dissimilarity: PairDissimilarity, limits: Limits, *, two: bool) -> tuple[Columns, FloatArray]:
    """Solve the instances of one chunk; return the chosen columns and the units' shares in the bound."""
    pairs = candidate_pairs(batch, dissimilarity)
    deadline = limits.deadline(len(batch))
    if limits.solver == ORTOOLS:
        return by_programmes(batch, pairs, limits.max_columns, deadline)
    if two:
        return best_matching(batch, pairs)
    number = np.arange(batch.n_units) - batch.offsets[batch.instance]
    stacks, pairs = settled_stacks(batch, needed_pairs(batch, pairs))
    columns, too_many = useful_columns(batch, pairs, limits.columns_for(np.diff(batch.offsets)))
    best = partition(columns, number, deadline, _PROGRAMME, limits.gap)
    too_many[batch.instance[best.open]] = True
    kept = best.chosen[~too_many[batch.instance[columns.first[best.chosen]]]]
    chosen, shares = [stacks, columns.take(kept)], best.bound
    for instance in np.flatnonzero(too_many).tolist():
        units = slice(int(batch.offsets[instance]), int(batch.offsets[instance + 1]))
        alone = batch.take(np.array([instance]))
        generated, shares[units] = _on_demand(alone, pairs.within(units.start, units.stop), limits, deadline)
        chosen.append(generated.over(generated.units + units.start))
    shares[stacks.units] = 0.0
    shares[stacks.first] = stacks.cost
    return Columns.joined(*chosen), shares


def _on_demand(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Make the columns of one instance on demand; where that leaves a gap, list all if they are few enough after all.

    What is listed goes to OR-Tools in the end. A limit of work that was asked for is kept, and ends with its gap.
    """
    results = [generate(batch, pairs, limits, deadline)]
    gap = _gap(*results[0])
    enough = max(_PROOF * batch.n_units, limits.gap * (gap + float(results[0][1].sum())))
    if gap > enough and limits.max_work is None and not deadline.over:
        columns, too_many = useful_columns(batch, pairs, np.array([min(limits.max_columns, _PROGRAMME)]))
        if not too_many[0]:
            best = partition(columns, np.arange(batch.n_units), deadline)
            results.append((columns.take(best.chosen), best.bound))
    return min(results, key=lambda result: _gap(*result))


def _gap(chosen: Columns, shares: FloatArray) -> float:
    """Return what the choice costs above the bound."""
    return float(len(shares) - chosen.saving.sum() - shares.sum())


def _labels(chosen: Columns, n_units: int) -> tuple[IntArray, FloatArray]:
    """Return each unit's label, the lowest unit of its column, and at that unit the cost of the column."""
    label, cost = np.arange(n_units), np.ones(n_units)
    if len(chosen):
        lowest = np.minimum.reduceat(chosen.units, chosen.offsets[:-1])
        label[chosen.units] = np.repeat(lowest, chosen.sizes)
        cost[chosen.units] = 0.0
        cost[lowest] = chosen.cost
    return label, cost


def aligned_pairs(group: IntArray) -> tuple[IntArray, IntArray]:
    """Return (first, second) of every two units in one unitary alignment, shapes (n_pairs,); `group` is their label."""
    rows = np.arange(len(group))
    if np.bincount(group).max(initial=0) <= 2:  # noqa: PLR2004  (no need to sort)
        low, high = np.zeros_like(rows), np.zeros_like(rows)
        low[group[::-1]], high[group] = rows[::-1], rows  # of equal labels, the last one stays
        some = np.flatnonzero(low != high)
        return low[some], high[some]
    order = np.argsort(group, kind="stable")
    rank = rank_in_runs(group[order])
    second = np.repeat(rows, rank)
    first = ranges(rows - rank, rank)
    return order[first], order[second]


def unitary_disorders(batch: Batch, group: IntArray, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return δ(ă) at the lowest unit of each unitary alignment and 0 elsewhere, shape (n_units,).

    δ(ă) = (Σ d over its pairs of units + Δ · the number of its other pairs) / C(n, 2).
    """
    first, second = aligned_pairs(group)
    distance = dissimilarity.pairs(batch, first, second)
    total = np.bincount(group[first], weights=distance, minlength=batch.n_units)
    pairs = np.bincount(group[first], minlength=batch.n_units)
    n = batch.n_annotators[batch.instance]
    combinations = n * (n - 1) // 2
    lowest = group == np.arange(batch.n_units)
    disorder = np.zeros(batch.n_units)
    empty = dissimilarity.delta_empty * (combinations - pairs)
    disorder[lowest] = (total[lowest] + empty[lowest]) / combinations[lowest]
    return disorder


def disorders(batch: Batch, unitary: FloatArray) -> FloatArray:
    """Return δ = (1/x̄) Σ δ(ă) of each instance (M15 §4.3); NaN without units, shape (n_instances,)."""
    total = np.bincount(batch.instance, weights=unitary, minlength=len(batch))
    with np.errstate(divide="ignore", invalid="ignore"):
        delta: FloatArray = total / batch.mean_units
    return delta
