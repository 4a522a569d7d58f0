"""From a solution to disorders, and to the pairs that were aligned (DEFINITIONS §3)."""

from __future__ import annotations

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.batch import Batch, ranges, rank_in_runs
from gamma_align.distances.dissimilarity import PairDissimilarity


def aligned_pairs(group: IntArray) -> tuple[IntArray, IntArray]:
    """Return (first, second) of every two units in one unitary alignment, shapes (n_pairs,).

    Parameters
    ----------
    group : ndarray of int64, shape (n_units,)
        Label of each unit's unitary alignment.
    """
    order = np.argsort(group, kind="stable")
    place = rank_in_runs(group[order])
    second = np.repeat(np.arange(len(order)), place)
    first = ranges(np.arange(len(order)) - place, place)
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
