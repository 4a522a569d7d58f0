"""uα, |uα, cuα and (k)uα from sums of coincidences: pure functions (K16 eq. 5-13; K19 §12.6 eq. 32-38).

They are computed from `Sums` of rows: each row alone, all of them, or all but some.

Each is 1 - observed / expected disagreement. With l_c = Σ_k l_ck, l.. = Σ l_c, l* the coincidences of values alone
(units that meet), and self-pairings left out of what is expected:

* uα (nominal, φ is a value): Σ_{c≠k} l_ck against Σ_{c≠k} l_c·l_k / (l.. - Σ own_c / l..);
* |uα: the same with all values of units as one;
* cuα: Σ l*_ck·δ²_ck against Σ l*_c·l*_k·δ²_ck / (l*.. - Σ own*_c / l*..);
* (k)uα: the row of value k of cuα, as a share of l*_k and of ε*_k = (l*_k·l*.. - own*_k) / (l*.. - Σ own*_c / l*..);
* coverage: l*_k / l_k, and over all l*.. / l.. .

By chance, a value meets itself on (l_c² - own_c) / (l.. - Σ own_c / l..). Over all values together that is negative
where a few units meet a few of many annotators, and where gaps are shorter than one unit of length. More than
everything would then be expected to differ, and data that always disagree would get a positive coefficient, so there
is none. Nor is there one where own_c leaves nothing to expect. For (k)uα, what value k alone is expected to share
with itself decides.

References
----------
K16: Krippendorff, Mathet, Bouvry & Widlöcher 2016 (its erratum, Quality & Quantity 50:2365, was not to be had).
K19: Krippendorff 2019, §12.6.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.distances.metric import Metric, column_sums
from gamma_align.unitizing.coincidences import Coincidences, Entries

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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


class Disagreement(NamedTuple):
    """Observed and expected disagreement, arrays of one shape; expected is NaN where nothing can be expected."""

    observed: FloatArray
    expected: FloatArray

    def coefficient(self) -> FloatArray:
        """Return 1 - observed / expected; NaN where nothing is expected."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value: FloatArray = np.where(self.expected > 0, 1.0 - self.observed / self.expected, np.nan)
        return value


class Measures(NamedTuple):
    """The family for several sets of data.

    Attributes
    ----------
    total, in_units, met : ndarray of float64, shape (n_sets,)
        l.., what of it is in units, and l*.., what of it meets a unit.
    length_k, met_k : ndarray of float64, shape (n, n_sets)
        l_k and l*_k of each value.
    u, bar_u, cu : Disagreement
        Shape (n_sets,).
    ku : Disagreement
        Shape (n, n_sets).
    """

    total: FloatArray
    in_units: FloatArray
    met: FloatArray
    length_k: FloatArray
    met_k: FloatArray
    u: Disagreement
    bar_u: Disagreement
    cu: Disagreement
    ku: Disagreement


def measures(sums: Sums, metric: Metric) -> Measures:
    """Return the family.

    Parameters
    ----------
    sums : Sums
        Coincidences.
    metric : Metric
        δ² of cuα and (k)uα, bound to the labels of `sums.values`.
    """
    n = len(sums.values)
    differ = sums.first != sums.second
    gap = sums.second == n
    margin = _margins(sums, n + 1, np.ones(len(sums.first), dtype=np.bool_))
    met_k = _margins(sums, n, ~gap)
    length_k, empty = margin[:n], margin[n]
    total, in_units, met = column_sums(margin), column_sums(length_k), column_sums(met_k)
    own = column_sums(sums.own) + empty  # the self-pairing of φ is its length: gaps are matched point by point
    chance = column_sums(margin * (total - margin))
    units_met_gap = column_sums(sums.lengths[gap & differ])
    return Measures(
        total,
        in_units,
        met,
        length_k,
        met_k,
        _share(2.0 * column_sums(sums.lengths[differ]), chance, margin, own),
        _share(units_met_gap, in_units * empty, np.stack([in_units, empty]), own),
        *_coding(sums, metric, met_k),
    )


def _coding(sums: Sums, metric: Metric, met_k: FloatArray) -> tuple[Disagreement, Disagreement]:
    """Return what cuα and (k)uα are made of."""
    n = len(sums.values)
    coded = (sums.first != sums.second) & (sums.second < n)
    first, second = sums.first[coded], sums.second[coded]
    apart = sums.lengths[coded] * metric.pairs(first, second, met_k)
    observed_k = _onto(first, apart, n) + _onto(second, apart, n)
    expected_k = met_k * metric.weighted_sum(met_k)
    met, own_met = column_sums(met_k), column_sums(sums.own_met)
    partners = met_k * met - sums.own_met  # of all that could be met, what is not the unit itself
    with np.errstate(divide="ignore", invalid="ignore"):
        known = (met - own_met / met > _ROUNDING * met) & (met_k**2 - sums.own_met >= -_ROUNDING * met_k * met)
        ku = Disagreement(observed_k / met_k, np.where(known, expected_k / partners, np.nan))
    return _share(column_sums(observed_k), column_sums(expected_k), met_k, own_met), ku


def _share(observed: FloatArray, chance: FloatArray, margins: FloatArray, own: FloatArray) -> Disagreement:
    """Return the shares of all coincidences that differ and are expected to, the latter NaN where it is not defined.

    Parameters
    ----------
    observed, chance : ndarray of float64, shape (n_sets,)
        Σ l_ck δ²_ck and Σ l_c l_k δ²_ck.
    margins : ndarray of float64, shape (n, n_sets)
        l_c of each value.
    own : ndarray of float64, shape (n_sets,)
        Σ own_c.
    """
    total = column_sums(margins)
    themselves = column_sums(margins**2) - own
    with np.errstate(divide="ignore", invalid="ignore"):
        pairable = total - own / total
        known = (pairable > _ROUNDING * total) & (themselves >= -_ROUNDING * total**2)
        return Disagreement(observed / total, np.where(known, chance / pairable, np.nan) / total)


def _margins(sums: Sums, size: int, some: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> FloatArray:
    """Return Σ_k l_ck of these pairs for each c below `size`."""
    first, second, lengths = sums.first[some], sums.second[some], sums.lengths[some]
    differ = first != second
    return _onto(first, lengths, size) + _onto(second[differ], lengths[differ], size)


def _onto(place: IntArray, numbers: FloatArray, size: int) -> FloatArray:
    """Return the sums of rows of numbers by place, in the order of the rows."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (its products add up in a fixed order on every machine)

    rows = np.arange(len(place))
    onto: csr_matrix[np.float64] = csr_matrix((np.ones(len(place)), (place, rows)), shape=(size, len(place)))
    return np.asarray(onto @ numbers)
