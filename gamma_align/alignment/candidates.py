"""Candidates: the pairs of units and the unitary alignments that an alignment of least disorder may need.

Conventions
-----------
Costs and savings are in units of Δ. In a unitary alignment of an instance with n annotators, a pair of units u, v
*saves* w(u, v) = (1 - d(u, v)/Δ) / C(n, 2), which may be negative (DEFINITIONS §3). A *column* is a possible unitary
alignment: at most one unit of each annotator, with the cost δ/Δ = 1 - Σ w over its pairs. The units of a column are in
the order of their annotators.

Useful columns
--------------
A column is *useful* if splitting off any of its units raises the cost: 1 + Σ w(u, ·) > 0 for each unit u. An alignment
of least disorder never needs another column.

Candidate pairs
---------------
In a useful column of an instance in which m annotators have units, no w exceeds 1/C(n, 2), and a unit has at most m - 1
partners. So each pair has d(u, v) < (C(n, 2) + m - 1)·Δ. This limits the distance of the middles: α·d_pos < limit
implies |mid u - mid v| < √(limit/α)·(length u + length v)/2, which is the overlap of two dilated intervals. One sweep
finds the pairs of all instances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.data import Batch
from gamma_align.distances import PairDissimilarity

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FREE = 1e-9  # in units of Δ; smaller savings count as none, so that such units stay apart

_SWEEP_SLACK = 1e-9  # relative; rounding must not make the sweep exclude a pair that the dissimilarity would keep


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Candidate pairs of units of a batch, each with its `saving` w in units of Δ; shape (n_pairs,).

    They are sorted by (first, second); the annotator of `first` has the lower index.
    """

    first: IntArray
    second: IntArray
    saving: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    def take(self, mask: BoolArray) -> Pairs:
        """Return the pairs selected by a mask."""
        return Pairs(self.first[mask], self.second[mask], self.saving[mask])

    def within(self, begin: int, end: int) -> Pairs:
        """Return the pairs of units begin … end - 1, numbered from 0."""
        inside = self.take((self.first >= begin) & (self.first < end))
        return Pairs(inside.first - begin, inside.second - begin, inside.saving)

    def best_savings(self, annotator: IntArray, minimum: float = 0.0) -> FloatArray:
        """Return the best saving of each unit with a unit of each annotator, or `minimum` if that is greater.

        `annotator`, shape (n_units,), is the index of the annotator of each unit. The result has the shape
        (n_units, n_annotators).
        """
        width = int(annotator.max(initial=0)) + 1
        best = np.full(len(annotator) * width, minimum)
        # One index of cells takes half of the time of two indices.
        np.maximum.at(best, self.first * width + annotator[self.second], self.saving)
        np.maximum.at(best, self.second * width + annotator[self.first], self.saving)
        return best.reshape(len(annotator), width)


class Links(NamedTuple):
    """Pairs listed by unit: the pairs of unit u are begin[u] … begin[u + 1] - 1.

    `partner` is the other unit of each pair, ascending within a unit; `saving` its w.
    """

    begin: IntArray
    partner: IntArray
    saving: FloatArray

    @classmethod
    def upward(cls, pairs: Pairs, n_units: int) -> Links:
        """List each pair at its lower unit."""
        low = np.minimum(pairs.first, pairs.second)
        high = np.maximum(pairs.first, pairs.second)
        return cls._sorted(low, high, pairs.saving, n_units)

    @classmethod
    def both_ways(cls, pairs: Pairs, n_units: int) -> Links:
        """List each pair at both of its units."""
        unit = np.concatenate([pairs.first, pairs.second])
        partner = np.concatenate([pairs.second, pairs.first])
        return cls._sorted(unit, partner, np.concatenate([pairs.saving, pairs.saving]), n_units)

    @classmethod
    def _sorted(cls, unit: IntArray, partner: IntArray, saving: FloatArray, n_units: int) -> Links:
        """Return the links sorted by unit, then by partner."""
        order = np.argsort(unit * n_units + partner)  # keys are unique, and sorting one key is faster than `lexsort`
        begin = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=n_units))])
        return cls(begin.astype(np.int64), partner[order], saving[order])

    @property
    def unit(self) -> IntArray:
        """The unit that each pair is listed at."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Possible unitary alignments: column i has units[offsets[i] : offsets[i + 1]] and costs cost[i].

    `units` are indices into the batch; `cost`, shape (n_columns,), is δ/Δ.
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
        # An empty array in front, so that no parts make no columns.
        no_units = np.empty(0, dtype=np.int64)
        no_cost = np.empty(0)
        return cls.of(
            np.concatenate([no_units, *(part.sizes for part in parts)]),
            np.concatenate([no_units, *(part.units for part in parts)]),
            np.concatenate([no_cost, *(part.cost for part in parts)]),
        )

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def sizes(self) -> IntArray:
        """Number of units of each column."""
        return np.diff(self.offsets)

    @property
    def saving(self) -> FloatArray:
        """Saving of each column compared with its units alone."""
        return self.sizes - self.cost

    @property
    def column_of(self) -> IntArray:
        """The column of each entry of `units`."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def first(self) -> IntArray:
        """The first unit of each column, which its lowest annotator placed."""
        return self.units[self.offsets[:-1]]

    def sums(self, values: FloatArray) -> FloatArray:
        """Return, for each column, the sum of `values` over its units, in the order of the units."""
        return np.add.reduceat(values[self.units], self.offsets[:-1])

    def losses(self, price: FloatArray) -> FloatArray:
        """Return Σ y - s(S) of each column, at prices y that no column beats but for rounding: never below 0."""
        return np.maximum(self.sums(price) - self.saving, 0.0)

    def take(self, columns: IntArray | BoolArray) -> Columns:
        """Return the columns of these indices, or the columns selected by a mask."""
        rows = np.flatnonzero(columns) if columns.dtype == np.bool_ else columns
        sizes = self.sizes[rows]
        return Columns.of(sizes, self.units[ranges(self.offsets[rows], sizes)], self.cost[rows])

    def with_units(self, units: IntArray) -> Columns:
        """Return the same columns with other units, one for each entry of `units`."""
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
    combinations, limit = _limits(batch)
    first, second, distance = near_pairs(batch, dissimilarity, limit)
    return Pairs(first, second, (1.0 - distance) / combinations[batch.instance[first]])


def near_pairs(
    batch: Batch, dissimilarity: PairDissimilarity, limit: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of units of different annotators with d/Δ below the limit of their instance, and their d/Δ.

    They are sorted by (first, second); the annotator of `first` has the lower index.
    """
    position_limit = _position_limit(dissimilarity, limit)
    first, second, ratio = kernels.sweep(batch.offsets, batch.annotator, batch.start, batch.end, position_limit)
    distance = dissimilarity.combined(ratio, dissimilarity.categorial_pairs(batch, first, second))
    distance /= dissimilarity.delta_empty
    is_near = distance < limit[batch.instance[first]]
    return first[is_near], second[is_near], distance[is_near]


def _limits(batch: Batch) -> tuple[IntArray, FloatArray]:
    """Return C(n, 2), and the limit of d / Δ of candidate pairs, shapes (n_instances,)."""
    combinations: IntArray = batch.n_annotators * (batch.n_annotators - 1) // 2
    return combinations, (combinations + active_annotators(batch) - 1).astype(np.float64)


def _position_limit(dissimilarity: PairDissimilarity, limit: FloatArray) -> FloatArray:
    """Return the limit of d_pos / Δ of pairs with d / Δ below the limit."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # if α is (almost) 0, position sets no limit
        return np.where(dissimilarity.alpha > 0, limit / dissimilarity.alpha * (1 + _SWEEP_SLACK), np.inf)


def most_pairs(batch: Batch) -> IntArray:
    """Return the number of pairs of units of different annotators of each instance, shape (n_instances,).

    There are never more candidate pairs.
    """
    width = int(batch.annotator.max(initial=0)) + 1
    counts = np.bincount(batch.instance * width + batch.annotator, minlength=len(batch) * width).reshape(-1, width)
    max_pairs: IntArray = (counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)) // 2
    return max_pairs


def count_pairs(batch: Batch, dissimilarity: PairDissimilarity) -> IntArray:
    """Return the number of pairs that are near in position, which `candidate_pairs` lists, shape (n_instances,)."""
    position_limit = _position_limit(dissimilarity, _limits(batch)[1])
    return kernels.count_near(batch.offsets, batch.annotator, batch.start, batch.end, position_limit)


def useful_columns(batch: Batch, pairs: Pairs, max_partial: IntArray) -> tuple[Columns, BoolArray]:
    """Return all useful columns of at least two units, and a mask of the instances that have too many.

    Columns are sorted by size, then by their units. An instance with more than `max_partial` partial columns of one
    size, shape (n_instances,), is given up with all its columns.
    """
    begin = np.searchsorted(pairs.first, np.arange(batch.n_units + 1))
    offsets, units, cost, too_many = kernels.useful(
        batch.offsets, batch.annotator, begin, pairs.second, pairs.saving, max_partial, FREE
    )
    return Columns(offsets, units, cost), too_many > 0


def incidence(columns: Columns, n_rows: int) -> csr_matrix[np.float64]:
    """Return the matrix of rows × columns that is 1 if a column covers a row; the units of the columns are rows."""
    from scipy.sparse import csc_matrix as csc

    ones = np.ones(len(columns.units))
    return csc((ones, columns.units, columns.offsets), shape=(n_rows, len(columns))).tocsr()
