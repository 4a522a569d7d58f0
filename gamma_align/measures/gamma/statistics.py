"""Statistics of aligned instances: the disorder and the sums from which γ, γcat and γk are computed (DEFINITIONS §5).

For every two units of one unitary alignment with n_v units, M17 Alg. 1 weighs the pair by
(1/(n_v - 1)) · max(0, 1 - d_pos/Δ), and sums weights and weighted d_cat/Δ: over all pairs for γcat, over the pairs with
at least one unit of category k for γk.

The control variate of the expected disorder
--------------------------------------------
The best alignment of three or more annotators is costly. The best alignments of every two of them are not, and their
mean disorder is correlated with it. So a few samples are aligned in full and many more by pairs only, and a regression
of the former on the latter combines both (`gamma_align.inference.means`).

References
----------
Peherstorfer, Willcox & Gunzburger 2016, Optimal model management for multifidelity Monte Carlo estimation.
Owen, Monte Carlo theory, methods and examples, ch. 8.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.alignment.memory import TooManyPairsError
from gamma_align.alignment.solve import Solution, aligned_pairs, disorders, solve, unitary_disorders
from gamma_align.columns import UNLABELLED, Columns, FloatArray, IntArray, chunks, grouped_sums
from gamma_align.data.batch import Batch
from gamma_align.distances.dissimilarity import PairDissimilarity
from gamma_align.measures.gamma.gamma_options import CONFIDENCE

MAX_ANNOTATORS_ALL_PAIRS = 12  # with more annotators, each is aligned with `_N_PARTNERS` others only
_N_PARTNERS = 12
_CHUNK_UNITS = 200_000


def pair_disorders(batch: Batch, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return the mean disorder of the best alignments of two annotators in each instance, NaN without units.

    All instances have two annotators or more.
    """
    disorder, n_pairs = np.zeros(len(batch)), np.ones(len(batch))
    for instances, pairs in _by_annotators(batch):
        pair_batch = _pair_batch(batch.take(instances), pairs)
        try:
            group = solve(pair_batch, dissimilarity).group
        except TooManyPairsError as error:
            error.instance = int(instances[error.instance % len(instances)])
            raise
        instance = instances[pair_batch.instance % len(instances)]
        disorder += np.bincount(instance, unitary_disorders(pair_batch, group, dissimilarity), len(batch))
        n_pairs[instances] = len(pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: FloatArray = disorder / n_pairs / batch.mean_units
    return mean


def _by_annotators(batch: Batch) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield instances with the same number of annotators, in chunks of bounded size, and their annotator pairs."""
    units = np.diff(batch.offsets)
    for n in np.unique(batch.n_annotators).tolist():
        instances, pairs = np.flatnonzero(batch.n_annotators == n), annotator_pairs(n)
        copies = units[instances] * (2 * len(pairs) // n + 1)
        yield from ((instances[first:last], pairs) for first, last in chunks(copies, _CHUNK_UNITS))


def annotator_pairs(n: int) -> IntArray:
    """Return the pairs of n annotators that are aligned, shape (n_pairs, 2): all, or the same number per annotator."""
    if n <= MAX_ANNOTATORS_ALL_PAIRS:
        return np.stack(np.triu_indices(n, 1), axis=1)
    # Rows of a sample are in the order of their offsets, so partners are taken at distances from near to far.
    steps = np.unique(np.linspace(1, (n - 1) // 2, _N_PARTNERS // 2).astype(np.int64))
    first = np.tile(np.arange(n), len(steps))
    return np.stack([first, (first + np.repeat(steps, n)) % n], axis=1)


def _pair_batch(batch: Batch, pairs: IntArray) -> Batch:
    """Return an instance for each pair of annotators of each instance; the instances of the first pair come first.

    All instances have the same number of annotators.
    """
    # Units keep their order, so `Batch.build` usually finds them sorted.
    units = [np.flatnonzero((batch.annotator == first) | (batch.annotator == second)) for first, second in pairs]
    pair = np.repeat(np.arange(len(pairs)), list(map(len, units)))
    unit = np.concatenate(units)
    return Batch.build(
        np.full(len(batch) * len(pairs), 2),
        pair * len(batch) + batch.instance[unit],
        (batch.annotator[unit] == pairs[pair, 1]).astype(np.int64),
        batch.start[unit],
        batch.end[unit],
        batch.category[unit],
    )[0]


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
    """Return the statistics of solved instances."""
    unitary = unitary_disorders(batch, solution.group, dissimilarity)
    first, second, weight, distance = weighted_pairs(batch, solution.group, dissimilarity, confidence=confidence)
    instance = batch.instance[first]
    category_sums = sums_by_category(batch, first, second, weight, distance)
    size = np.bincount(solution.group, minlength=batch.n_units)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(solution.is_proven, 0.0, (solution.cost - solution.bound) / solution.cost)
    return Statistics(
        disorder=disorders(batch, unitary),
        gap=gap,
        weight=grouped_sums(instance, weight, len(batch)),
        distance=grouped_sums(instance, distance, len(batch)),
        instance_k=category_sums.instance,
        category_k=category_sums.category,
        weight_k=category_sums.weight,
        distance_k=category_sums.distance,
        alignments=np.bincount(batch.instance[size > 0], minlength=len(batch)),
        aligned=grouped_sums(batch.instance, size * (size - 1) / 2, len(batch)).astype(np.int64),
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
    first_label, second_label = batch.category[first], batch.category[second]
    has_first = np.flatnonzero(first_label != UNLABELLED)
    has_other_second = np.flatnonzero((second_label != first_label) & (second_label != UNLABELLED))
    pair = np.concatenate([has_first, has_other_second])  # once for each of its categories
    labels = np.concatenate([first_label[has_first], second_label[has_other_second]])
    keys, index = np.unique(batch.instance[first[pair]] * width + labels, return_inverse=True)
    weight_k, distance_k = (grouped_sums(index, values[pair], len(keys)) for values in (weight, distance))
    return CategorySums(keys // width, keys % width, weight_k, distance_k, np.bincount(index, minlength=len(keys)))
