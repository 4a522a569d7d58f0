"""Statistics of aligned instances: the disorder and the sums from which γ, γcat and γk are computed (DEFINITIONS §5).

For every two units of one unitary alignment with n_v units, M17 Alg. 1 weighs the pair by
(1/(n_v - 1)) · max(0, 1 - d_pos/Δ), and sums weights and weighted d_cat/Δ: over all pairs for γcat, over the pairs with
at least one unit of category k for γk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.alignment import Solution, aligned_pairs, disorders, unitary_disorders
from gamma_align.chance.chance_options import CONFIDENCE
from gamma_align.columns import UNLABELLED, Columns, FloatArray, IntArray, grouped_sums
from gamma_align.data import Batch
from gamma_align.distances import PairDissimilarity

# Units that only touch have confidence 0, but sums of bounds are rounded: random offsets that fill the span gave
# touching units a confidence of 1e-16, and thus samples without aligned units a δ_cat.
MIN_CONFIDENCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Statistics(Columns):
    """Statistics of each instance of a batch, shape (n_instances,); columns named …_k have shape (n_present,).

    `disorder` is δ (NaN without units), `gap` the proven relative gap of its alignment; `weight` and `distance` are
    Σ weight and Σ weight·d_cat/Δ over all pairs. Columns named …_k are over the pairs with a unit of a category, for
    every (instance_k, category_k) with a pair that has a weight, sorted. `alignments`, `aligned` and `pairs` are the
    numbers of unitary alignments, of aligned pairs of units, and of aligned pairs that have a weight.
    """

    disorder: FloatArray
    gap: FloatArray
    weight: FloatArray
    distance: FloatArray
    instance_k: IntArray
    category_k: IntArray
    weight_k: FloatArray
    distance_k: FloatArray
    alignments: IntArray
    aligned: IntArray
    pairs: IntArray
    pairs_k: IntArray

    entry_fields = ("instance_k", "category_k", "weight_k", "distance_k", "pairs_k")


def statistics(
    batch: Batch, solution: Solution, dissimilarity: PairDissimilarity, *, confidence: str = "positional"
) -> Statistics:
    """Return the statistics of solved instances; in a cover, a pair counts in each of its unitary alignments."""
    members = solution.members(batch)
    unitary = unitary_disorders(members, solution.group, dissimilarity)
    first, second, weight, distance = weighted_pairs(members, solution.group, dissimilarity, confidence=confidence)
    instance = members.instance[first]
    category_sums = sums_by_category(members, first, second, weight, distance)
    size = np.bincount(solution.group, minlength=members.n_units)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(solution.is_proven, 0.0, (solution.cost - solution.bound) / solution.cost)
    return Statistics(
        disorder=disorders(batch, unitary, members.instance),
        gap=gap,
        weight=grouped_sums(instance, weight, len(batch)),
        distance=grouped_sums(instance, distance, len(batch)),
        instance_k=category_sums.instance,
        category_k=category_sums.category,
        weight_k=category_sums.weight,
        distance_k=category_sums.distance,
        alignments=np.bincount(members.instance[size > 0], minlength=len(batch)),
        aligned=grouped_sums(members.instance, size * (size - 1) / 2, len(batch)).astype(np.int64),
        pairs=np.bincount(instance, minlength=len(batch)),
        pairs_k=category_sums.pairs,
    )


class WeightedPairs(NamedTuple):
    """Aligned pairs of units that count for γcat, with their weight and weight·d_cat/Δ; shape (n_pairs,) each."""

    first: IntArray
    second: IntArray
    weight: FloatArray
    distance: FloatArray


def weighted_pairs(
    batch: Batch, group: IntArray, dissimilarity: PairDissimilarity, *, confidence: str = "positional"
) -> WeightedPairs:
    """Return the aligned pairs with a weight above 0 (M17 Alg. 1); rounding errors count as 0 (`MIN_CONFIDENCE`).

    `group` is the unitary alignment of each unit. The pairing `confidence` is "positional", 1 - d_pos/Δ (M17 §4.2.3),
    "weighted", 1 - α·d_pos/Δ as in the authors' program, or "none", 1 for every pair.
    """
    first, second = aligned_pairs(group)
    positional = dissimilarity.positional_pairs(batch, first, second) / dissimilarity.delta_empty
    size = np.bincount(group, minlength=batch.n_units)[group[first]]
    pair_confidence = 1.0 - position_factor(dissimilarity, confidence) * positional
    weight = pair_confidence / (size - 1)
    categorial = dissimilarity.categorial_pairs(batch, first, second) / dissimilarity.delta_empty
    counts = pair_confidence > MIN_CONFIDENCE
    return WeightedPairs(first[counts], second[counts], weight[counts], weight[counts] * categorial[counts])


def position_factor(dissimilarity: PairDissimilarity, confidence: str) -> float:
    """Return f of the pairing confidence 1 - f · d_pos/Δ."""
    CONFIDENCE.check(confidence)
    return {"positional": 1.0, "weighted": dissimilarity.alpha, "none": 0.0}[confidence]


class CategorySums(NamedTuple):
    """Sums over the pairs with a unit of a category, for every (instance, category) that has such a pair, sorted."""

    instance: IntArray
    category: IntArray
    weight: FloatArray
    distance: FloatArray
    pairs: IntArray


def sums_by_category(
    batch: Batch, first: IntArray, second: IntArray, weight: FloatArray, distance: FloatArray
) -> CategorySums:
    """Return the sums of `weight` and `distance`, and the number of pairs, over the pairs with a unit of a category."""
    width = int(batch.category.max(initial=0)) + 1
    first_label = batch.category[first]
    second_label = batch.category[second]
    has_first = (first_label != UNLABELLED).nonzero()[0]
    has_other_second = ((second_label != first_label) & (second_label != UNLABELLED)).nonzero()[0]
    pair = np.concatenate([has_first, has_other_second])  # once for each of its categories
    labels = np.concatenate([first_label[has_first], second_label[has_other_second]])
    keys, index = np.unique(batch.instance[first[pair]] * width + labels, return_inverse=True)
    weight_k, distance_k = (grouped_sums(index, values[pair], len(keys)) for values in (weight, distance))
    return CategorySums(keys // width, keys % width, weight_k, distance_k, np.bincount(index, minlength=len(keys)))
