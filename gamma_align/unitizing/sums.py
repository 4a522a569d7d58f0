"""Sums of rows of coincidences: each row alone, all of them, or all but some; what coefficients are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.sparse import csr_matrix

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.unitizing.coincidences import Coincidences, Entries

MOST_PARTS = 500
"""Left out one after the other, at most."""

_CELLS = 2_000_000
_ROUNDING = 1e-12  # what is left of a sum when all of it is taken away


class Sums(NamedTuple):
    """Coincidences of several sets of data at once, over the values that occur in one of them.

    Attributes
    ----------
    values : ndarray of int64, shape (n,)
        Codes of the values that occur, φ not among them.
    first, second : ndarray of int64, shape (n_pairs,)
        Indices into `values`; n is φ. The first is not above the second.
    lengths : ndarray of float64, shape (n_pairs, n_sets)
        l_ck of each pair.
    own, own_met : ndarray of float64, shape (n, n_sets)
        own_c and own*_c.
    """

    values: IntArray
    first: IntArray
    second: IntArray
    lengths: FloatArray
    own: FloatArray
    own_met: FloatArray


class Table:
    """The additive numbers as one sparse table: a row a number, a column a row of the coincidences."""

    def __init__(self, found: Coincidences) -> None:
        from scipy.sparse import csr_matrix  # noqa: PLC0415  (its products add up in a fixed order on every machine)

        self._n = found.n_values
        parts = (found.lengths, found.own, found.own_met)
        sizes = (found.n_values**2, found.n_values, found.n_values)
        keys = np.concatenate([entries.column + first for entries, first in _stacked(parts, sizes)])
        row = np.concatenate([entries.row for entries in parts])
        value = np.concatenate([entries.value for entries in parts])
        self._keys, number = np.unique(keys, return_inverse=True)
        self._parts: csr_matrix[np.float64] = csr_matrix(
            (value, (number.reshape(-1), row)), shape=(len(self._keys), found.n_rows)
        )

    def each(self) -> Iterator[tuple[int, Sums]]:
        """Yield (first row, sums of each row from there on), some rows at a time."""
        columns = self._parts.tocsc()
        if not columns.shape[1]:
            return
        filled = np.diff(columns.indptr)
        # a block is as wide as its rows together have numbers, at most
        cuts = np.flatnonzero(np.diff(np.cumsum(filled + 1) // int(math.sqrt(_CELLS)), prepend=-1))
        for first, last in zip(cuts.tolist(), [*cuts[1:].tolist(), columns.shape[1]], strict=True):
            block = columns[:, first:last].tocsr()
            some = np.flatnonzero(np.diff(block.indptr))
            yield first, self._sums(self._keys[some], block[some].toarray())

    def whole(self) -> Sums:
        """Return the sums over all rows, as one set; exact, then rounded."""
        values = np.split(self._parts.data, self._parts.indptr[1:-1])
        return self._sums(self._keys, np.array([[math.fsum(some)] for some in values]).reshape(-1, 1))

    def parts(self, *, fixed: int | None = None) -> Iterator[tuple[Sums, Sums]]:
        """Yield the sums of parts of the rows, and of all rows but each of these parts, some parts at a time.

        A part is a row, or where there are more than `MOST_PARTS` a run of consecutive ones.

        Parameters
        ----------
        fixed : int, optional
            A row that is in no part, and never left out.
        """
        from scipy.sparse import csr_matrix  # noqa: PLC0415  (as above)

        n_rows = self._parts.shape[1]
        rows = np.array([row for row in range(n_rows) if row != fixed], dtype=np.int64)
        n_parts = min(len(rows), MOST_PARTS)
        part = np.arange(len(rows)) * n_parts // max(len(rows), 1)
        onto = csr_matrix((np.ones(len(rows)), (rows, part)), shape=(n_rows, n_parts))
        whole = np.asarray(self._parts.sum(axis=1)).reshape(-1, 1)
        step = max(1, _CELLS // max(len(self._keys), 1))
        for first in range(0, n_parts, step):
            part_sums = (self._parts @ onto[:, first : first + step]).toarray()
            rest = whole - part_sums
            rest = np.where(rest > _ROUNDING * whole, rest, 0.0)
            yield self._sums(self._keys, part_sums), self._sums(self._keys, rest)

    def _sums(self, keys: IntArray, numbers: FloatArray) -> Sums:
        """Return the sums for numbers of these keys, as one dense table over the values that occur."""
        n = self._n
        gap = n - 1
        cells, own = keys < n * n, (keys >= n * n) & (keys < n * n + n)
        first, second = keys[cells] // n, keys[cells] % n
        values = np.unique(np.concatenate([first, second]))
        values = values[values != gap]
        tables = []
        for some, begin in ((own, n * n), (keys >= n * n + n, n * n + n)):
            table = np.zeros((len(values), numbers.shape[1]))
            table[np.searchsorted(values, keys[some] - begin)] = numbers[some]
            tables.append(table)
        places = (np.searchsorted(values, first), np.searchsorted(values, second))  # φ, above all, gets n
        return Sums(values, *places, numbers[cells], *tables)


def _stacked(parts: tuple[Entries, ...], sizes: tuple[int, ...]) -> Iterator[tuple[Entries, int]]:
    begin = 0
    for entries, size in zip(parts, sizes, strict=True):
        yield entries, begin
        begin += size
