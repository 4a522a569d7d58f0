"""Unitary alignments worth considering, as columns: those of no unit that could as well be left out.

Conventions
-----------
A *column* is a possible unitary alignment: its units, one of each of some annotators, and its cost
δ/Δ = 1 - Σ w over its pairs. Units within a column stand in the order of their annotators.

A column is *useful* when no unit of it can be split off at no cost: 1 + Σ w(u, ·) > 0 for each of its units.
A column that is not useful is never needed in an alignment of least disorder (splitting it costs nothing).
They are found by `gamma_align.kernels.useful`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align import kernels
from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.alignment.candidates import Pairs
from gamma_align.data.batch import Batch, ranges

FREE = 1e-9
"""Savings (in units of Δ) up to this are taken as none: such units stay apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Possible unitary alignments.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_columns + 1,)
        Where each column's units begin in `units`.
    units : ndarray of int64
        Units of the batch.
    cost : ndarray of float64, shape (n_columns,)
        δ/Δ of each column.
    """

    offsets: IntArray
    units: IntArray
    cost: FloatArray

    @classmethod
    def of(cls, members: list[IntArray], costs: list[FloatArray]) -> Columns:
        """Return columns from arrays of equal-sized ones, shapes (m, k) and (m,)."""
        sizes = [np.full(len(rows), rows.shape[1]) for rows in members]
        return cls(
            offsets=np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))]),
            units=np.concatenate([np.empty(0, np.int64), *(rows.ravel() for rows in members)]),
            cost=np.concatenate([np.empty(0), *costs]),
        )

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def sizes(self) -> IntArray:
        """Number of units of each column."""
        return np.diff(self.offsets)

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
        if not len(self):
            return np.empty(0)
        total: FloatArray = np.add.reduceat(values[self.units], self.offsets[:-1])
        return total

    def take(self, columns: IntArray | BoolArray) -> Columns:
        """Return the columns of these indices, or where a mask is true."""
        chosen = np.flatnonzero(columns) if columns.dtype == np.bool_ else columns
        sizes = self.sizes[chosen]
        return Columns(
            offsets=np.concatenate([[0], np.cumsum(sizes)]),
            units=self.units[ranges(self.offsets[chosen], sizes)],
            cost=self.cost[chosen],
        )

    def over(self, units: IntArray) -> Columns:
        """Return the same columns, their units replaced by these (one for each entry of `units`)."""
        return Columns(self.offsets, units, self.cost)

    def join(self, other: Columns) -> Columns:
        """Return these columns followed by the others."""
        return Columns(
            offsets=np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            units=np.concatenate([self.units, other.units]),
            cost=np.concatenate([self.cost, other.cost]),
        )


def single_columns(n_units: int) -> Columns:
    """Return the columns of one unit each; δ of a lone unit is Δ."""
    return Columns(np.arange(n_units + 1), np.arange(n_units), np.ones(n_units))


def useful_columns(batch: Batch, pairs: Pairs, most: IntArray) -> tuple[Columns, BoolArray]:
    """Return every useful column of two units and more, and which instances have too many to hold.

    Parameters
    ----------
    batch : Batch
        The instances.
    pairs : Pairs
        Their candidate pairs.
    most : ndarray of int64, shape (n_instances,)
        Partial columns of one size that each instance may have; those that have more are given up, with all
        their columns.

    Returns
    -------
    columns : Columns
        By size, then in the order of their units; units are those of the batch.
    too_many : ndarray of bool, shape (n_instances,)
        The instances given up.
    """
    begin = np.searchsorted(pairs.first, np.arange(batch.n_units + 1))
    offsets, units, cost, too_many = kernels.useful(
        batch.offsets, batch.annotator, begin, pairs.second, pairs.saving, most, FREE
    )
    return Columns(offsets, units, cost), too_many > 0
