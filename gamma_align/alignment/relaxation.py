"""The linear relaxation of set partitioning, over packs of whole components (see `gamma_align.alignment.partition`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.lp import packing_lp
from gamma_align.batch import rank_in_runs

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.alignment.tuples import Columns

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


def components(columns: Columns, n_units: int) -> IntArray:
    """Return the component of each unit, numbered in the order of their first units."""
    from scipy.sparse import csr_matrix as csr  # noqa: PLC0415  (scipy takes its time to import)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    first = np.repeat(columns.first, columns.sizes)
    links = csr((np.ones(len(first), dtype=np.int8), (first, columns.units)), shape=(n_units, n_units))
    label: IntArray = connected_components(links, directed=False)[1].astype(np.int64)
    return label


def incidence(columns: Columns, n_rows: int) -> csr_matrix[np.float64]:
    """Return the matrix of rows × columns with a one where a column covers a row, its units being rows."""
    from scipy.sparse import csc_matrix as csc  # noqa: PLC0415

    ones = np.ones(len(columns.units))
    return csc((ones, columns.units, columns.offsets), shape=(n_rows, len(columns))).tocsr()


def relax(columns: Columns, n_units: int) -> Relaxation:
    """Solve the linear relaxation in packs of whole components; prices are made feasible to the last bit."""
    label = components(columns, n_units)
    by_component = np.argsort(label[columns.first], kind="stable")
    ordered = columns.take(by_component)
    column_label = label[ordered.first]
    units = np.unique(ordered.units)
    units = units[np.argsort(label[units], kind="stable")]
    x, price = np.zeros(len(columns)), np.zeros(n_units)
    row_of = np.zeros(n_units, dtype=np.int64)
    for first, last in _packs(label[units]):
        rows = units[first:last]
        row_of[rows] = np.arange(len(rows))
        begin, end = np.searchsorted(column_label, [label[rows[0]], label[rows[-1]] + 1])
        pack = ordered.take(np.arange(begin, end))
        x[by_component[begin:end]], price[rows] = _pack_solved(pack.over(row_of[pack.units]), len(rows))
    return _repaired(columns, x, price)


def _packs(labels: IntArray) -> list[tuple[int, int]]:
    """Cut sorted component labels (one a unit) into runs of whole components of about _PACK_ROWS units."""
    starts = np.flatnonzero(np.diff(labels, prepend=-1))
    cuts = starts[np.flatnonzero(np.diff(starts // _PACK_ROWS, prepend=-1))].tolist()
    ends = [*cuts, len(labels)][1:]
    return list(zip(cuts, ends, strict=True))


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
    loss = np.maximum(columns.sums(price) - savings(columns), 0.0)
    return Relaxation(x, price, loss)
