"""Pairs of units and unitary alignments worth considering: what could as well be left out is not among them.

Conventions
-----------
Costs and savings are in units of Δ. In a unitary alignment of an instance with n annotators a pair of units u, v
*saves* w(u, v) = (1 - d(u, v)/Δ) / C(n, 2), which may be negative (DEFINITIONS §3). A *column* is a possible unitary
alignment: its units, one of each of some annotators, and its cost δ/Δ = 1 - Σ w over its pairs. Units within a column
stand in the order of their annotators.

Useful columns
--------------
A column is *useful* when no unit of it can be split off at no cost: 1 + Σ w(u, ·) > 0 for each of its units. A column
that is not useful is never needed in an alignment of least disorder (splitting it costs nothing).

Pairs that can matter
---------------------
In a useful column of m annotators with units, no w exceeds 1/C(n, 2) and there are at most m - 1 other units, so each
pair has d(u, v) < (C(n, 2) + m - 1)·Δ. Position alone then bounds the distance of the middles: α·d_pos < limit gives
|mid u - mid v| < √(limit/α)·(length u + length v)/2, the overlap of two dilated intervals. One sweep finds the pairs of
all instances.

Needless pairs
--------------
A pair (u, x) is in no useful column if even with the best unit of every other annotator
1 + w(u, x) + Σ max(0, best w(u, ·)) ≤ 0, seen from u or from x. Taking such pairs away may leave others needless.

Settled stacks
--------------
Let K be a component of the graph of the pairs that are left, with one unit of an annotator at most and a pair between
every two of its units, and 1 + Σ min(0, w) > 0 over its pairs. Then K as a whole is one unitary alignment in every best
alignment: columns do not reach beyond a component, so the units of K are covered by columns A, B, … inside K; if
there are two or more, A ∪ B is a possible column too, and putting it in their place saves 1 + Σ w over the pairs
between A and B ≥ 1 + Σ min(0, w) > 0. (A stack of identical units is the plainest case: all w = 1/C(n, 2).) A stack
that is not a whole component is not always in a best alignment, squared distances being no metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.data.batch import Batch
from gamma_align.distances.dissimilarity import PairDissimilarity

FREE = 1e-9  # savings (in units of Δ) up to this are taken as none: such units stay apart

_SWEEP_SLACK = 1e-9  # the sweep leaves out nothing that the whole dissimilarity would keep
_SUM_SLACK = 1e-12  # sums in another order than where columns are made
_ROUNDS = 4
_CELLS = 20_000_000  # of the table of units × annotators; a larger batch keeps its needless pairs


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Candidate pairs of units of a batch, each with its `saving` w in units of Δ; shape (n_pairs,).

    They are sorted by (first, second); the annotator of `first` has the lower number.
    """

    first: IntArray
    second: IntArray
    saving: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    def take(self, chosen: BoolArray) -> Pairs:
        """Return the pairs where the mask is true."""
        return Pairs(self.first[chosen], self.second[chosen], self.saving[chosen])

    def within(self, begin: int, end: int) -> Pairs:
        """Return the pairs of units begin … end - 1, numbered from 0."""
        inside = self.take((self.first >= begin) & (self.first < end))
        return Pairs(inside.first - begin, inside.second - begin, inside.saving)

    def best_savings(self, annotator: IntArray, least: float = 0.0) -> FloatArray:
        """Return each unit's best saving with a unit of each annotator, no less than `least`: (n_units, n_annotators).

        The annotators are those up to the highest number in `annotator`, shape (n_units,).
        """
        best = np.full((len(annotator), int(annotator.max(initial=0)) + 1), least)
        np.maximum.at(best, (self.first, annotator[self.second]), self.saving)
        np.maximum.at(best, (self.second, annotator[self.first]), self.saving)
        return best


class Links(NamedTuple):
    """Pairs by one of their units: those of each unit from its entry of `begin` on, shape (n_units + 1,).

    `partner` is the other unit of each pair, ascending within a unit; `saving` its w.
    """

    begin: IntArray
    partner: IntArray
    saving: FloatArray

    @classmethod
    def upward(cls, pairs: Pairs, n_units: int) -> Links:
        """Return each pair at its lower unit."""
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        return cls._of(low, high, pairs.saving, n_units)

    @classmethod
    def both_ways(cls, pairs: Pairs, n_units: int) -> Links:
        """Return each pair at both of its units."""
        unit, partner = np.concatenate([pairs.first, pairs.second]), np.concatenate([pairs.second, pairs.first])
        return cls._of(unit, partner, np.concatenate([pairs.saving, pairs.saving]), n_units)

    @classmethod
    def _of(cls, unit: IntArray, partner: IntArray, saving: FloatArray, n_units: int) -> Links:
        order = np.lexsort((partner, unit))
        begin = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=n_units))])
        return cls(begin.astype(np.int64), partner[order], saving[order])

    @property
    def unit(self) -> IntArray:
        """The unit that each pair stands at."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Possible unitary alignments: the units of each from its entry of `offsets`, shape (n_columns + 1,), and its δ/Δ.

    `units` are those of the batch, `cost` has the shape (n_columns,).
    """

    offsets: IntArray
    units: IntArray
    cost: FloatArray

    @classmethod
    def of(cls, sizes: IntArray, units: IntArray, cost: FloatArray) -> Columns:
        """Return columns of these sizes, shape (n_columns,)."""
        return cls(np.concatenate([[0], np.cumsum(sizes)]), units, cost)

    @classmethod
    def joined(cls, *parts: Columns) -> Columns:
        """Return the columns of the parts, one after the other."""
        nothing = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
        arrays = [nothing, *((part.sizes, part.units, part.cost) for part in parts)]
        sizes, units, cost = (np.concatenate(column) for column in zip(*arrays, strict=True))
        return cls.of(sizes, units, cost)

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def sizes(self) -> IntArray:
        """Number of units of each column."""
        return np.diff(self.offsets)

    @property
    def saving(self) -> FloatArray:
        """What each column saves against its units alone."""
        return self.sizes - self.cost

    @property
    def column_of(self) -> IntArray:
        """The column of each entry of `units`."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def first(self) -> IntArray:
        """The first unit of each column, that of its lowest annotator."""
        return self.units[self.offsets[:-1]]

    def sums(self, values: FloatArray) -> FloatArray:
        """Return, for each column, the sum of `values` over its units, in the order of the units."""
        return np.add.reduceat(values[self.units], self.offsets[:-1])

    def losses(self, price: FloatArray) -> FloatArray:
        """Return Σ y - s(S) of each column at prices y that none beats but for rounding: never below 0."""
        return np.maximum(self.sums(price) - self.saving, 0.0)

    def take(self, columns: IntArray | BoolArray) -> Columns:
        """Return the columns of these indices, or where a mask is true."""
        chosen = np.flatnonzero(columns) if columns.dtype == np.bool_ else columns
        sizes = self.sizes[chosen]
        return Columns.of(sizes, self.units[ranges(self.offsets[chosen], sizes)], self.cost[chosen])

    def over(self, units: IntArray) -> Columns:
        """Return the same columns, their units replaced by these (one for each entry of `units`)."""
        return Columns(self.offsets, units, self.cost)


def active_annotators(batch: Batch) -> IntArray:
    """Return the number of annotators with units of each instance, shape (n_instances,)."""
    width = int(batch.n_annotators.max(initial=0)) + 1
    present = np.zeros((len(batch), width), dtype=np.bool_)
    present[batch.instance, batch.annotator] = True
    active: IntArray = present.sum(axis=1)
    return active


def candidate_pairs(batch: Batch, dissimilarity: PairDissimilarity) -> Pairs:
    """Return the pairs of different annotators with d < (C(n, 2) + m - 1)·Δ (see the module)."""
    combinations = batch.n_annotators * (batch.n_annotators - 1) // 2
    limit = (combinations + active_annotators(batch) - 1).astype(np.float64)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # nothing is too far where α is (almost) 0
        most = np.where(dissimilarity.alpha > 0, limit / dissimilarity.alpha * (1 + _SWEEP_SLACK), np.inf)
    first, second, ratio = kernels.sweep(batch.offsets, batch.annotator, batch.start, batch.end, most)
    distance = dissimilarity.combined(ratio, dissimilarity.categorial_pairs(batch, first, second))
    distance /= dissimilarity.delta_empty
    instance = batch.instance[first]
    near = distance < limit[instance]
    return Pairs(first[near], second[near], (1.0 - distance[near]) / combinations[instance[near]])


def needed_pairs(batch: Batch, pairs: Pairs) -> Pairs:
    """Return the pairs without those that are seen to be needless in some rounds (see the module)."""
    if batch.n_units * (int(batch.annotator.max(initial=0)) + 1) > _CELLS:
        return pairs
    for _ in range(_ROUNDS):
        first, second = pairs.first, pairs.second
        best = pairs.best_savings(batch.annotator)
        total = best.sum(axis=1)
        most = np.minimum(
            total[first] - best[first, batch.annotator[second]], total[second] - best[second, batch.annotator[first]]
        )
        needed = 1.0 + most + pairs.saving > FREE - _SUM_SLACK
        if needed.all():
            break
        pairs = pairs.take(needed)
    return pairs


def settled_stacks(batch: Batch, pairs: Pairs) -> tuple[Columns, Pairs]:
    """Return the components that are one column of every best alignment (see the module), and the pairs of the others.

    The pairs may be all of the batch, or the needed ones.
    """
    ends = np.stack([pairs.first, pairs.second], axis=1).ravel()
    part = kernels.linked(np.arange(len(pairs) + 1) * 2, ends, batch.n_units)
    n_parts = int(part.max(initial=-1)) + 1
    of_pair = part[pairs.first]
    size, n_pairs = np.bincount(part, minlength=n_parts), np.bincount(of_pair, minlength=n_parts)
    lost = np.bincount(of_pair, weights=np.minimum(pairs.saving, 0.0), minlength=n_parts)
    # all pairs there are: then no two units are of one annotator either
    settled = (size > 1) & (n_pairs == size * (size - 1) // 2) & (1.0 + lost > 2 * FREE)
    saved = np.bincount(of_pair, weights=pairs.saving, minlength=n_parts)
    units = np.flatnonzero(settled[part])
    units = units[np.lexsort((batch.annotator[units], part[units]))]
    return Columns.of(size[settled], units, 1.0 - saved[settled]), pairs.take(~settled[of_pair])


def useful_columns(batch: Batch, pairs: Pairs, most: IntArray) -> tuple[Columns, BoolArray]:
    """Return every useful column of two units and more, and which instances have too many to hold.

    Columns are sorted by size, then by their units. Instances with more than `most` partial columns of one size, shape
    (n_instances,), are given up, with all their columns.
    """
    begin = np.searchsorted(pairs.first, np.arange(batch.n_units + 1))
    offsets, units, cost, too_many = kernels.useful(
        batch.offsets, batch.annotator, begin, pairs.second, pairs.saving, most, FREE
    )
    return Columns(offsets, units, cost), too_many > 0
