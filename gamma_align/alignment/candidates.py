"""Pairs of units worth considering: found by a sweep over dilated intervals, all instances at once.

Conventions
-----------
Costs and savings are in units of Δ. In a unitary alignment of an instance with n annotators a pair of units u, v
*saves* w(u, v) = (1 - d(u, v)/Δ) / C(n, 2), which may be negative (DEFINITIONS §3).

Which pairs can matter
----------------------
A unitary alignment that can be split in two at no cost is never needed. Where none of its splits is free,
splitting off u alone costs 1 + Σ w(u, ·) > 0; no w exceeds 1/C(n, 2) and there are at most m - 1 other units, m
being the number of annotators with units. So each pair has d(u, v) < (C(n, 2) + m - 1)·Δ.
Position alone then bounds the distance of the middles: α·d_pos < limit gives
|mid u - mid v| < √(limit/α)·(length u + length v)/2, the overlap of two dilated intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.batch import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.batch import Batch
    from gamma_align.dissimilarity.combined import PairDissimilarity

_SLACK = 1e-9
_CHUNK = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Candidate pairs, sorted by (first, second); the annotator of `first` has the lower number.

    Attributes
    ----------
    first, second : ndarray of int64, shape (n_pairs,)
        Units of the batch.
    saving : ndarray of float64, shape (n_pairs,)
        w of the pair, in units of Δ.
    """

    first: IntArray
    second: IntArray
    saving: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    def within(self, begin: int, end: int) -> Pairs:
        """Return the pairs of units begin … end - 1, numbered from 0."""
        inside = (self.first >= begin) & (self.first < end)
        return Pairs(self.first[inside] - begin, self.second[inside] - begin, self.saving[inside])


def active_annotators(batch: Batch) -> IntArray:
    """Return the number of annotators with units of each instance, shape (n_instances,)."""
    width = int(batch.n_annotators.max(initial=0)) + 1
    present = np.unique(batch.instance * width + batch.annotator)
    counts: IntArray = np.bincount(present // width, minlength=len(batch))
    return counts


def pair_counts(batch: Batch) -> IntArray:
    """Return C(n, 2) of each instance, shape (n_instances,)."""
    counts: IntArray = batch.n_annotators * (batch.n_annotators - 1) // 2
    return counts


def candidate_pairs(batch: Batch, dissimilarity: PairDissimilarity) -> Pairs:
    """Return every pair of units that some unsplittable unitary alignment may hold.

    Parameters
    ----------
    batch : Batch
        Instances of at least two annotators.
    dissimilarity : PairDissimilarity
        d, bound to the batch's categories.

    Returns
    -------
    Pairs
        Exactly the pairs of different annotators with d < (C(n, 2) + m - 1)·Δ.
    """
    combinations = pair_counts(batch)
    limit = (combinations + active_annotators(batch) - 1).astype(np.float64)
    parts = [
        _kept(batch, dissimilarity, left, right, limit, combinations)
        for left, right in _overlapping(batch, dissimilarity.alpha, limit)
    ]
    if not parts:
        nothing = np.empty(0, dtype=np.int64)
        return Pairs(nothing, nothing, np.empty(0))
    first, second, saving = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((second, first))
    return Pairs(first[order], second[order], saving[order])


def _overlapping(batch: Batch, alpha: float, limit: FloatArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield chunks of pairs whose dilated intervals overlap (all pairs of an instance where α = 0)."""
    low, high = _dilated(batch, alpha, limit)
    order = np.lexsort((low, batch.instance))
    low, high, instance = low[order], high[order], batch.instance[order]
    beyond = _first_beyond(low, high, batch.offsets[instance + 1])
    here = np.arange(len(order))
    counts = beyond - here - 1
    for part in _parts(counts):
        yield order[np.repeat(here[part], counts[part])], order[ranges(here[part] + 1, counts[part])]


def _dilated(batch: Batch, alpha: float, limit: FloatArray) -> tuple[FloatArray, FloatArray]:
    if alpha == 0.0:
        return np.zeros(batch.n_units), np.zeros(batch.n_units)
    begin = np.zeros(len(batch))
    some = np.diff(batch.offsets) > 0
    begin[some] = batch.start[batch.offsets[:-1][some]]
    start, end = batch.start - begin[batch.instance], batch.end - begin[batch.instance]
    middle = (start + end) / 2
    reach = np.sqrt(limit / alpha)[batch.instance] * (end - start) / 2 * (1 + _SLACK) + _SLACK * np.abs(middle)
    return middle - reach, middle + reach


def _first_beyond(low: FloatArray, high: FloatArray, stop: IntArray) -> IntArray:
    """Return, for each row i, the first row of its instance after i whose `low` exceeds high[i]: a bisection."""
    left = np.arange(1, len(low) + 1)
    right = stop.copy()
    while True:
        open_ = np.flatnonzero(left < right)
        if not len(open_):
            return left
        middle = (left[open_] + right[open_]) // 2
        inside = low[middle] <= high[open_]
        left[open_[inside]] = middle[inside] + 1
        right[open_[~inside]] = middle[~inside]


def _parts(counts: IntArray) -> list[slice]:
    """Cut rows into slices of bounded numbers of pairs."""
    total = np.cumsum(counts)
    cuts = np.searchsorted(total, np.arange(_CHUNK, int(total[-1]) + _CHUNK if len(total) else 0, _CHUNK)) + 1
    edges = np.unique(np.concatenate([[0], np.minimum(cuts, len(counts)), [len(counts)]]))
    return [slice(a, b) for a, b in pairwise(edges.tolist())]


def _kept(
    batch: Batch,
    dissimilarity: PairDissimilarity,
    left: IntArray,
    right: IntArray,
    limit: FloatArray,
    combinations: IntArray,
) -> tuple[IntArray, IntArray, FloatArray]:
    other = batch.annotator[left] != batch.annotator[right]
    left, right = left[other], right[other]
    swap = batch.annotator[left] > batch.annotator[right]
    first, second = np.where(swap, right, left), np.where(swap, left, right)
    distance = dissimilarity.pairs(batch, first, second) / dissimilarity.delta_empty
    near = distance < limit[batch.instance[first]]
    first, second = first[near], second[near]
    saving = (1.0 - distance[near]) / combinations[batch.instance[first]]
    return first, second, saving
