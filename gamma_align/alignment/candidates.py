"""Pairs of units worth considering, and the lists of each unit's pairs that kernels take.

The pairs of all instances are found together, by one sweep over dilated intervals.

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

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.batch import Batch
from gamma_align.distances.dissimilarity import PairDissimilarity
from gamma_align.kernels import sweep


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Pairs by one of their units.

    Attributes
    ----------
    begin : ndarray of int64, shape (n_units + 1,)
        Where each unit's pairs begin.
    other : ndarray of int64
        The other unit of each pair, ascending within a unit.
    saving : ndarray of float64
        w of each.
    """

    begin: IntArray
    other: IntArray
    saving: FloatArray

    @classmethod
    def upward(cls, pairs: Pairs, n_units: int) -> Links:
        """Return each pair at its lower unit."""
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        return cls._of(low, high, pairs.saving, n_units)

    @classmethod
    def both_ways(cls, pairs: Pairs, n_units: int) -> Links:
        """Return each pair at both of its units."""
        one, other = np.concatenate([pairs.first, pairs.second]), np.concatenate([pairs.second, pairs.first])
        return cls._of(one, other, np.concatenate([pairs.saving, pairs.saving]), n_units)

    @classmethod
    def _of(cls, one: IntArray, other: IntArray, saving: FloatArray, n_units: int) -> Links:
        order = np.lexsort((other, one))
        begin = np.concatenate([[0], np.cumsum(np.bincount(one, minlength=n_units))])
        return cls(begin.astype(np.int64), other[order], saving[order])

    @property
    def unit(self) -> IntArray:
        """The unit that each pair stands at."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))

    def reach(self, annotator: IntArray) -> FloatArray:
        """Return Σ over annotators of each unit's best saving with a unit of theirs, where that is positive.

        Both ways: each pair must stand at both of its units.
        """
        width = int(annotator.max(initial=0)) + 1
        best = np.zeros((len(annotator), width))
        np.maximum.at(best, (self.unit, annotator[self.other]), self.saving)
        total: FloatArray = best.sum(axis=1)
        return total


_SLACK = 1e-9  # the sweep leaves out nothing that the whole dissimilarity would keep


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
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # nothing is too far where α is (almost) 0
        most = np.where(dissimilarity.alpha > 0, limit / dissimilarity.alpha * (1 + _SLACK), np.inf)
    first, second, ratio = sweep(batch.offsets, batch.annotator, batch.start, batch.end, most)
    distance = dissimilarity.combined(ratio, dissimilarity.categorial_pairs(batch, first, second))
    distance /= dissimilarity.delta_empty
    instance = batch.instance[first]
    near = distance < limit[instance]
    return Pairs(first[near], second[near], (1.0 - distance[near]) / combinations[instance[near]])
