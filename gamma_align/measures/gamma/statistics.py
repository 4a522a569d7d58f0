"""From aligned instances to the additive numbers that γ, γcat and γk are made of (DEFINITIONS §5).

For every two units of one unitary alignment with n_v units, M17 Alg. 1 weighs the pair by
(1/(n_v - 1)) · max(0, 1 - d_pos/Δ), and sums weights and weighted d_cat/Δ: over all pairs for γcat, over the pairs with
at least one unit of category k for γk.

The control variate of the expected disorder
--------------------------------------------
The best alignment of three annotators and more is costly; those of each two of them alone are not, and their mean
disorder goes up and down with it. So a few samples are aligned whole, many more by pairs only, and a regression of the
one on the other joins the two levels (`gamma_align.inference.means`).

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

from gamma_align.alignment.solve import Solution, aligned_pairs, disorders, solve, unitary_disorders
from gamma_align.columns import UNLABELLED, Columns, FloatArray, IntArray, chunks, grouped_sums
from gamma_align.data.batch import Batch
from gamma_align.distances.dissimilarity import PairDissimilarity
from gamma_align.measures.gamma.gamma_options import CONFIDENCE

ALL_PAIRS = 12  # up to so many annotators all pairs are aligned; of more, each annotator with `_PARTNERS` others
_PARTNERS = 12
_UNITS = 200_000


def pair_disorders(batch: Batch, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return the mean disorder of the best alignments of two annotators in each instance, NaN without units.

    All instances have two annotators or more.
    """
    disorder, n_pairs = np.zeros(len(batch)), np.ones(len(batch))
    for instances, pairs in _by_annotators(batch):
        of_pairs = _pair_batch(batch.take(instances), pairs)
        group = solve(of_pairs, dissimilarity).group
        sample = instances[of_pairs.instance % len(instances)]
        disorder += np.bincount(sample, unitary_disorders(of_pairs, group, dissimilarity), len(batch))
        n_pairs[instances] = len(pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: FloatArray = disorder / n_pairs / batch.mean_units
    return mean


def _by_annotators(batch: Batch) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield instances of one number of annotators, in chunks of bounded size, and the pairs of their annotators."""
    units = np.diff(batch.offsets)
    for n in np.unique(batch.n_annotators).tolist():
        instances, pairs = np.flatnonzero(batch.n_annotators == n), annotator_pairs(n)
        copies = units[instances] * (2 * len(pairs) // n + 1)
        yield from ((instances[first:last], pairs) for first, last in chunks(copies, _UNITS))


def annotator_pairs(n: int) -> IntArray:
    """Return the pairs of n annotators that are aligned, shape (n_pairs, 2): all, or as many for each annotator.

    Rows of a sample are in the order of their offsets, so partners are taken at distances from near to far.
    """
    if n <= ALL_PAIRS:
        return np.stack(np.triu_indices(n, 1), axis=1)
    steps = np.unique(np.linspace(1, (n - 1) // 2, _PARTNERS // 2).astype(np.int64))
    first = np.tile(np.arange(n), len(steps))
    return np.stack([first, (first + np.repeat(steps, n)) % n], axis=1)


def _pair_batch(batch: Batch, pairs: IntArray) -> Batch:
    """Return an instance for each pair of annotators and instance, who all have the same number of pairs.

    Those of the first pair come first. Units stay in their order, so most often there is nothing to sort.
    """
    units = [np.flatnonzero((batch.annotator == one) | (batch.annotator == other)) for one, other in pairs]
    number = np.repeat(np.arange(len(pairs)), [len(some) for some in units])
    unit = np.concatenate(units)
    return Batch.build(
        np.full(len(batch) * len(pairs), 2),
        number * len(batch) + batch.instance[unit],
        (batch.annotator[unit] == pairs[number, 1]).astype(np.int64),
        batch.start[unit],
        batch.end[unit],
        batch.category[unit],
    )[0]


# Units that only touch have confidence 0, but rounding moves bounds that were added up: random offsets that fill the
# span gave touching units a confidence of 1e-16, and so a δ_cat to samples without aligned units.
MIN_CONFIDENCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Statistics(Columns):
    """Numbers of each instance of a batch, shape (n_instances,); those named …_k have shape (n_present,).

    `disorder` is δ (NaN without units), `gap` the proven relative gap of its alignment; `weight` and `distance` are
    Σ weight and Σ weight·d_cat/Δ over all pairs, those named …_k over the pairs with a unit of a category, for every
    (instance_k, category_k), sorted, for which some pair has a weight. `alignments`, `aligned` and `pairs` count the
    unitary alignments, the aligned pairs of units, and those that have a weight.
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
    """Return the aligned pairs of weight above 0 (M17 Alg. 1), but for rounding (`MIN_CONFIDENCE`).

    `group` is the unitary alignment of each unit. The pairing `confidence` is "positional", 1 - d_pos/Δ (M17 §4.2.3),
    "weighted", 1 - α·d_pos/Δ as the authors' program has it, or "none", 1 for every pair.
    """
    first, second = aligned_pairs(group)
    apart = dissimilarity.positional_pairs(batch, first, second) / dissimilarity.delta_empty
    size = np.bincount(group, minlength=batch.n_units)[group[first]]
    pair_confidence = 1.0 - position_factor(dissimilarity, confidence) * apart
    weight = pair_confidence / (size - 1)
    categorial = dissimilarity.categorial_pairs(batch, first, second) / dissimilarity.delta_empty
    some = pair_confidence > MIN_CONFIDENCE
    return WeightedPairs(first[some], second[some], weight[some], weight[some] * categorial[some])


def position_factor(dissimilarity: PairDissimilarity, confidence: str) -> float:
    """Return f of the pairing confidence 1 - f · d_pos/Δ."""
    CONFIDENCE.check(confidence)
    return {"positional": 1.0, "weighted": dissimilarity.alpha, "none": 0.0}[confidence]


class CategorySums(NamedTuple):
    """Sums over the pairs with a unit of a category, for every (instance, category) that has some, sorted."""

    instance: IntArray
    category: IntArray
    weight: FloatArray
    distance: FloatArray
    pairs: IntArray


def sums_by_category(
    batch: Batch, first: IntArray, second: IntArray, weight: FloatArray, distance: FloatArray
) -> CategorySums:
    """Return both sums over the pairs of units with a unit of each category, and the number of these pairs."""
    width = int(batch.category.max(initial=0)) + 1
    label, second_label = batch.category[first], batch.category[second]
    labelled = np.flatnonzero(label != UNLABELLED)
    distinct = np.flatnonzero((second_label != label) & (second_label != UNLABELLED))
    pair = np.concatenate([labelled, distinct])  # once for each category that is in it
    labels = np.concatenate([label[labelled], second_label[distinct]])
    keys, index = np.unique(batch.instance[first[pair]] * width + labels, return_inverse=True)
    weight_k, distance_k = (grouped_sums(index, values[pair], len(keys)) for values in (weight, distance))
    return CategorySums(keys // width, keys % width, weight_k, distance_k, np.bincount(index, minlength=len(keys)))
