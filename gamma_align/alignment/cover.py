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
3. **More annotators, or too many columns to list**: column generation. A linear programme over the columns found
   gives prices y ≥ 0; columns with δ(T) < Σ y are added until there is none. Then Σ y is a lower bound. Columns with
   δ(T) - Σ y above the gap to the best cover of the columns found cannot be in a better one; the others are listed, and
   an integer programme selects among them. If this stops at a limit, the gap is the result.

Ties: of equally cheap unitary alignments that contain a unit, the smallest one is used, then the one of the lowest
units; partitions follow the tie rule (`gamma_align.alignment.search`). A unitary alignment whose units are all in other
selected ones is removed.

References
----------
Titeux & Riad 2021, pygamma-agreement: Inter-annotator agreement for continuous annotations. (The software defines
soft-γ; the definition of the disorder is M15 §4.3.)
"""

from __future__ import annotations

import numpy as np

from gamma_align.alignment.assignment import best_matching
from gamma_align.alignment.candidates import Columns, Pairs, active_annotators, candidate_pairs, useful_columns
from gamma_align.alignment.cover_columns import (
    MAX_SUBSET_ANNOTATORS,
    Choices,
    cover_by_partition,
    cover_by_programme,
    greedy_costs,
    lone_units,
    pairs_below,
)
from gamma_align.alignment.cover_generation import generate_cover
from gamma_align.alignment.limits import ORTOOLS, Deadline, Limits
from gamma_align.alignment.memory import chunks_in_memory
from gamma_align.alignment.solve import PAIR, Solution, chunks_by_kind, proven_bound
from gamma_align.alignment.witness import check_size
from gamma_align.columns import FloatArray, grouped_sums, ranges
from gamma_align.data.batch import Batch
from gamma_align.distances.dissimilarity import PairDissimilarity


def solve_cover(batch: Batch, dissimilarity: PairDissimilarity, limits: Limits | None = None) -> Solution:
    """Return the cover of least disorder of each instance, with its proof or its gap.

    `dissimilarity` is bound to the categories of the batch. If fewer than two annotators of an instance have units, all
    of its units stay alone.
    """
    limits = limits or Limits()
    counts = np.diff(batch.offsets)
    active = active_annotators(batch)
    bound = counts.astype(np.float64)
    lone = lone_units(np.flatnonzero(active[batch.instance] < PAIR))
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
    units, column = columns.units[order], columns.column_of[order]
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
    pairs = pairs_below(batch, pairs, greedy_costs(batch, pairs))
    can_list = active_annotators(batch) <= MAX_SUBSET_ANNOTATORS
    max_columns = np.where(can_list, limits.columns_for(np.diff(batch.offsets)), 0)
    columns, too_many = useful_columns(batch, pairs, max_columns)
    canonical_index = np.arange(batch.n_units) - batch.offsets[batch.instance]
    selected, unit_bound = cover_by_partition(columns, canonical_index, deadline, limits.gap)
    if not too_many.any():
        return selected, unit_bound
    results = [selected.take(~too_many[batch.instance[selected.first]])]
    for instance in np.flatnonzero(too_many).tolist():
        units = slice(int(batch.offsets[instance]), int(batch.offsets[instance + 1]))
        generated, unit_bound[units] = generate_cover(
            batch.take(np.array([instance])), pairs.within(units.start, units.stop), limits, deadline
        )
        results.append(generated.with_units(generated.units + units.start))
    return Columns.joined(*results), unit_bound


def _cover_by_matching(batch: Batch, pairs: Pairs) -> tuple[Columns, FloatArray]:
    """Return the best cover of instances with units of two annotators, and its bound divided among the units."""
    units = np.stack([pairs.first, pairs.second], axis=1).ravel()
    choices = Choices.of(Columns(np.arange(0, len(units) + 1, 2), units, 1.0 - pairs.saving), batch.n_units)
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
    selected, bound = [lone_units(np.zeros(0, dtype=np.int64))], np.zeros(batch.n_units)
    for index in range(len(batch)):
        first, last = int(batch.offsets[index]), int(batch.offsets[index + 1])
        instance_columns = columns.take(instance == index)
        best, bound[first] = cover_by_programme(
            instance_columns.with_units(instance_columns.units - first), last - first, deadline
        )
        selected.append(best.with_units(best.units + first))
    return Columns.joined(*selected), bound
