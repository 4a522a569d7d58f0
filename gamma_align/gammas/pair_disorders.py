"""Pairs of annotators predict the disorder of a sample: the control variate of the expected disorder.

The best alignment of three annotators and more is costly; those of each two of them alone are not, and their mean
disorder goes up and down with it. So a few samples are aligned whole, many more by pairs only, and a regression of the
one on the other joins the two levels (`gamma_align.results.estimates`).

References
----------
Peherstorfer, Willcox & Gunzburger 2016, Optimal model management for multifidelity Monte Carlo estimation.
Owen, Monte Carlo theory, methods and examples, ch. 8.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.alignment.disorder import unitary_disorders
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch
from gamma_align.gammas.statistics import weighted_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.distances.dissimilarity import PairDissimilarity

ALL_PAIRS = 12
"""Up to so many annotators all pairs are aligned; of more, each annotator with `_PARTNERS` others."""
_PARTNERS = 12
_UNITS = 200_000


class PairDisorders(NamedTuple):
    """What the pairs of annotators of each instance give, shape (n_instances,) each.

    Attributes
    ----------
    disorder : ndarray of float64
        Mean disorder of the best alignments of two annotators; NaN without units.
    categorial : ndarray of float64
        Σ weight·d_cat/Δ over Σ weight of the units that these align; NaN where none are aligned.
    """

    disorder: FloatArray
    categorial: FloatArray


def pair_disorders(batch: Batch, dissimilarity: PairDissimilarity, confidence: str) -> PairDisorders:
    """Return the disorders of pairs of annotators of each instance.

    Parameters
    ----------
    batch : Batch
        Instances of two annotators or more.
    dissimilarity : PairDissimilarity
        d, bound to the batch's categories.
    confidence : {"positional", "weighted", "none"}
        Of pairs of units, for the categorial disorder.
    """
    disorder, weight, distance = (np.zeros(len(batch)) for _ in range(3))
    n_pairs = np.ones(len(batch))
    for instances, pairs in _by_annotators(batch):
        of_pairs = _pair_batch(batch.take(instances), pairs)
        group = solve(of_pairs, dissimilarity).group
        sample = instances[of_pairs.instance // len(pairs)]
        disorder += np.bincount(sample, unitary_disorders(of_pairs, group, dissimilarity), len(batch))
        aligned = weighted_pairs(of_pairs, group, dissimilarity, confidence=confidence)
        weight += np.bincount(sample[aligned.first], aligned.weight, len(batch))
        distance += np.bincount(sample[aligned.first], aligned.distance, len(batch))
        n_pairs[instances] = len(pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return PairDisorders(disorder / n_pairs / batch.mean_units, distance / weight)


def _by_annotators(batch: Batch) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield instances of one number of annotators, in chunks of bounded size, and the pairs of their annotators."""
    units = np.diff(batch.offsets)
    for n in np.unique(batch.n_annotators).tolist():
        instances, pairs = np.flatnonzero(batch.n_annotators == n), annotator_pairs(n)
        copies = np.cumsum(units[instances] * (2 * len(pairs) // n + 1))
        cuts = np.flatnonzero(np.diff(copies // _UNITS))
        yield from ((chunk, pairs) for chunk in np.split(instances, cuts + 1))


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
    """Return an instance for each instance and pair of its annotators, who all have the same number of pairs."""
    n = int(pairs.max()) + 1
    member = np.argsort(pairs.ravel(), kind="stable").reshape(n, -1)  # where in `pairs` each annotator stands
    copies = member.shape[1]
    unit = np.repeat(np.arange(batch.n_units), copies)
    entry = member[batch.annotator].ravel()
    return Batch.build(
        np.full(len(batch) * len(pairs), 2),
        batch.instance[unit] * len(pairs) + entry // 2,
        entry % 2,
        batch.start[unit],
        batch.end[unit],
        batch.category[unit],
    )[0]
