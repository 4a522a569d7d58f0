"""The linear relaxation of set partitioning, over packs of whole components (see `gamma_align.alignment.partition`)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gamma_align import kernels
from gamma_align._types import FloatArray, IntArray
from gamma_align.alignment.lp import packing_lp
from gamma_align.alignment.tuples import Columns
from gamma_align.data.batch import ranges, rank_in_runs

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_PACK_ROWS = 500
_WIDE = 60  # columns a row above which only the promising ones are given to the solver at first
_START = 20
_MORE = 10


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """The linear relaxation solved.

    Attributes
    ----------
    x : ndarray of float64, shape (n_columns,)
        A vertex of greatest saving.
    price : ndarray of float64, shape (n_units,)
        Dual prices y ≥ 0.
    loss : ndarray of float64, shape (n_columns,)
        Σ y - s(S) ≥ 0 of each column.
    """

    x: FloatArray
    price: FloatArray
    loss: FloatArray


def savings(columns: Columns) -> FloatArray:
    """Return what each column saves against its units alone, in units of Δ."""
    return columns.sizes - columns.cost


def incidence(columns: Columns, n_rows: int) -> csr_matrix[np.float64]:
    """Return the matrix of rows × columns with a one where a column covers a row, its units being rows."""
    from scipy.sparse import csc_matrix as csc  # noqa: PLC0415

    ones = np.ones(len(columns.units))
    return csc((ones, columns.units, columns.offsets), shape=(n_rows, len(columns))).tocsr()


def losses(columns: Columns, price: FloatArray) -> FloatArray:
    """Return Σ y - s(S) of each column at prices that none beats but for rounding: never below 0."""
    return np.maximum(columns.sums(price) - savings(columns), 0.0)


def relax(columns: Columns, n_units: int) -> Relaxation:
    """Solve the linear relaxation in packs of whole components; prices are made feasible to the last bit.

    Components of the same columns at the same costs are solved once.
    """
    label = kernels.linked(columns.offsets, columns.units, n_units)
    by_component = np.argsort(label[columns.first], kind="stable")
    ordered = columns.take(by_component)
    units = np.unique(ordered.units)
    units = units[np.argsort(label[units], kind="stable")]
    components = _Components(ordered, units, label)
    x, price = np.zeros(len(columns)), np.zeros(n_units)
    unlike, like = components.unlike()
    for pack in _packs(components.n_units[unlike]):
        components.solve(unlike[pack], x, price)
    components.copy(like, x, price)
    in_order = np.empty(len(columns))
    in_order[by_component] = x
    return _repaired(columns, in_order, price)


class _Components:
    """Columns and units in the order of their components."""

    def __init__(self, columns: Columns, units: IntArray, label: IntArray) -> None:
        self.columns, self.units = columns, units
        labels, first = np.unique(label[units], return_index=True)
        self.unit_ends = np.append(first, len(units))
        self.column_ends = np.searchsorted(label[columns.first], np.append(labels, label.max(initial=0) + 1))
        self.row = np.zeros(len(label), dtype=np.int64)  # of each unit, within its component
        self.row[units] = ranges(np.zeros(len(first), dtype=np.int64), self.n_units)

    @property
    def n_units(self) -> IntArray:
        return np.diff(self.unit_ends)

    def unlike(self) -> tuple[IntArray, IntArray]:
        """Return the components that are the first of their kind, and for each component that first one."""
        first: dict[bytes, int] = {}
        ends, offsets = self.column_ends.tolist(), self.columns.offsets
        rows = self.row[self.columns.units]
        like = np.arange(len(ends) - 1)
        for at, (low, high) in enumerate(pairwise(ends) if len(like) > 1 else ()):
            parts = (np.diff(offsets[low : high + 1]), rows[offsets[low] : offsets[high]], self.columns.cost[low:high])
            like[at] = first.setdefault(b"".join(part.tobytes() for part in parts), at)
        return np.flatnonzero(like == np.arange(len(like))), like

    def solve(self, which: IntArray, x: FloatArray, price: FloatArray) -> None:
        """Solve these components as one programme."""
        counts = np.diff(self.column_ends)[which]
        columns = ranges(self.column_ends[which], counts)
        pack = self.columns.take(columns)
        above = np.cumsum(self.n_units[which]) - self.n_units[which]
        rows = self.row[pack.units] + np.repeat(np.repeat(above, counts), pack.sizes)
        units = self.units[ranges(self.unit_ends[which], self.n_units[which])]
        x[columns], price[units] = _pack_solved(pack.over(rows), len(units))

    def copy(self, like: IntArray, x: FloatArray, price: FloatArray) -> None:
        """Give components what the first of their kind has."""
        copies = np.flatnonzero(like != np.arange(len(like)))
        for ends, values, at in ((self.column_ends, x, None), (self.unit_ends, price, self.units)):
            counts = np.diff(ends)[copies]
            to, of = ranges(ends[copies], counts), ranges(ends[like[copies]], counts)
            values[to if at is None else at[to]] = values[of if at is None else at[of]]


def _packs(sizes: IntArray) -> list[slice]:
    """Cut components into runs of about _PACK_ROWS units."""
    starts = np.cumsum(sizes) - sizes
    cuts = np.flatnonzero(np.diff(starts // _PACK_ROWS, prepend=-1)).tolist()
    return [slice(a, b) for a, b in pairwise([*cuts, len(sizes)])]


def _pack_solved(pack: Columns, n_rows: int) -> tuple[FloatArray, FloatArray]:
    """Solve one pack, its units being rows; a wide one by sifting: promising columns, then those prices want."""
    saving = savings(pack)
    if len(pack) <= _WIDE * n_rows:
        return packing_lp(incidence(pack, n_rows), saving)
    chosen = best_of_each(pack.first, saving / pack.sizes, _START)
    while True:
        part = pack.take(chosen)
        part_x, price = packing_lp(incidence(part, n_rows), savings(part))
        gain = saving - pack.sums(price)
        gain[chosen] = 0.0
        wanted = np.flatnonzero(gain > 1e-10)  # noqa: PLR2004  (the solver's own tolerance)
        if not len(wanted):
            x = np.zeros(len(pack))
            x[chosen] = part_x
            return x, price
        chosen = np.union1d(chosen, wanted[best_of_each(pack.first[wanted], gain[wanted], _MORE)])


def best_of_each(group: IntArray, merit: FloatArray, most: int) -> IntArray:
    """Return the rows of greatest merit in each group, at most so many of each, ascending."""
    order = np.lexsort((-merit, group))
    return np.sort(order[rank_in_runs(group[order]) < most])


def _repaired(columns: Columns, x: FloatArray, price: FloatArray) -> Relaxation:
    """Raise prices where rounding left a column with a negative loss, so that they prove a bound."""
    price = np.maximum(price, 0.0)
    short = savings(columns) - columns.sums(price)
    bad = np.flatnonzero(short > 0)
    worst = columns.take(bad)
    raised = np.zeros(len(price))
    np.maximum.at(raised, worst.units, np.repeat(short[bad] / worst.sizes, worst.sizes))
    price = price + raised
    return Relaxation(x, price, losses(columns, price))
