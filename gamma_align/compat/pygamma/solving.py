"""From continua to gamma_align's alignments, and back to objects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from gamma_align.alignment import COVER, FREE, PARTITION, near_pairs, solve_alignment, unitary_disorders
from gamma_align.columns import FloatArray, IntArray
from gamma_align.compat.pygamma.alignment import Alignment, Continuum, SoftAlignment, UnitaryAlignment
from gamma_align.compat.pygamma.dissimilarity import AbstractDissimilarity
from gamma_align.compat.pygamma.instances import Instance, batch_of
from gamma_align.compat.pygamma.unit import Unit
from gamma_align.data import Batch
from gamma_align.distances import PairDissimilarity


def best_alignments(
    continua: Sequence[Continuum], dissimilarity: AbstractDissimilarity, *, soft: bool
) -> list[Alignment]:
    """Return the alignment of least disorder of each continuum; a cover if it is `soft`."""
    for continuum in continua:
        assert len(continuum.annotators) >= 2, "Disorder cannot be computed with less than two annotators."  # noqa: PLR2004
        assert continuum, "Disorder cannot be computed without annotations."
    instances = [_instance_of(continuum) for continuum in continua]
    batch, rows, labels = batch_of(instances)
    bound_to = dissimilarity.bind(labels)
    solution = solve_alignment(batch, bound_to, alignment=COVER if soft else PARTITION)
    if not soft:
        solution = solution._replace(group=_joined(batch, solution.group, bound_to))
    members = solution.members(batch)
    unitary = unitary_disorders(members, solution.group, bound_to)
    table: list[dict[int, list[tuple[int, Unit]]]] = [{} for _ in instances]
    units = list(chain.from_iterable(instance.units for instance in instances))
    member_rows = rows if solution.units is None else rows[solution.units]
    columns = (members.instance.tolist(), solution.group.tolist(), member_rows.tolist())
    for index, group, row in zip(*columns, strict=True):
        table[index].setdefault(group, []).append(units[row])
    gaps = np.where(solution.is_proven, 0.0, solution.cost - solution.bound) / np.maximum(solution.cost, 1e-300)
    return [
        _alignment(continuum, instance.annotators, groups, unitary, gap, soft=soft)
        for continuum, instance, groups, gap in zip(continua, instances, table, gaps.tolist(), strict=True)
    ]


def _joined(batch: Batch, group: IntArray, bound_to: PairDissimilarity) -> IntArray:
    """Return the groups with every two joined that cost the same together: of tied alignments, one of fewer groups.

    gamma_align leaves such units apart. γcat of pygamma-agreement counts units apart as disagreement, so the choice
    matters here. Groups A and B may be joined if every two units of them are near; that costs 1 + Σ w less.
    """
    combinations = batch.n_annotators * (batch.n_annotators - 1) / 2
    # If Σ w = -1 over at most C(n, 2) pairs, each w at most 1/C(n, 2), then no d is above 2 C(n, 2).
    first, second, distance = near_pairs(batch, bound_to, 2.0 * combinations + 1.0)
    saving_of_pairs = (1.0 - distance) / combinations[batch.instance[first]]
    low = np.minimum(group[first], group[second])
    high = np.maximum(group[first], group[second])
    is_across = low != high
    keys, index = np.unique(low[is_across] * batch.n_units + high[is_across], return_inverse=True)
    saving = 1.0 + np.bincount(index, weights=saving_of_pairs[is_across], minlength=len(keys))
    low = keys // batch.n_units
    high = keys % batch.n_units
    size = np.bincount(group, minlength=batch.n_units)
    is_tied = (np.bincount(index, minlength=len(keys)) == size[low] * size[high]) & (np.abs(saving) <= FREE)
    joined = set[int]()
    group = group.copy()
    for lower, higher in zip(low[is_tied].tolist(), high[is_tied].tolist(), strict=True):
        if not joined & {lower, higher}:
            joined |= {lower, higher}
            group[group == higher] = lower
    return group


def _alignment(
    continuum: Continuum,
    annotators: Sequence[str],
    groups: dict[int, list[tuple[int, Unit]]],
    unitary: FloatArray,
    gap: float,
    *,
    soft: bool,
) -> Alignment:
    """Return the alignment with these groups of (annotator's index, unit) and their disorders."""
    unitary_alignments = []
    for group, entries in groups.items():
        units: dict[int, Unit] = dict(entries)
        unitary_alignment = UnitaryAlignment([(name, units.get(index)) for index, name in enumerate(annotators)])
        unitary_alignment.disorder = float(unitary[group])
        unitary_alignments.append(unitary_alignment)
    total = float(sum(unitary_alignment.disorder for unitary_alignment in unitary_alignments))
    disorder = total / continuum.avg_num_annotations_per_annotator
    kind = SoftAlignment if soft else Alignment
    alignment = kind(unitary_alignments, continuum=continuum, disorder=disorder)
    alignment.gap = gap
    return alignment


def _instance_of(continuum: Continuum) -> Instance:
    annotators = list(continuum.annotators)
    index = {name: code for code, name in enumerate(annotators)}
    return Instance(annotators, [(index[name], unit) for name, unit in continuum])
