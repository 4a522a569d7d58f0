"""Coincidences and self-pairings of segments as additive numbers (K16 eq. 2-4, 9-10; K19 §12.6).

The segments of every two annotators are intersected, the lengths of the intersections added up by values, a row for
each document, or for each unit of one document.

Values are codes, the highest being φ, the gaps. A coincidence l_ck is the length on which ordered pairs of annotators
have c and k, each pair counting 1 / (m - 1); it is kept once, for c ≤ k, and l_kc = l_ck. The self-pairing terms are
own_c = Σ L² over units, and own*_c = 1 / (m - 1) · Σ over ordered pairs of annotators and units of (what of the unit
meets the other's units)². That of φ is its length, l_φ, and needs no column.

Rows of documents add up: the row of a corpus is their sum, as if they were joined end to end. So do rows of the units
of a document, each with its part in the document's: where two units meet, each has half of l_ck.

With `document_rows` values are the categories (codes 0 … n - 1), units without a category (n), and φ. With layers,
where each category of a document is partitioned alone, they are the units of layer k (2k) and its gaps (2k + 1); φ does
not occur.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, Index, IntArray, entries_of_rows
from gamma_align.data.corpus import Corpus
from gamma_align.measures.unitizing.segments import (
    NO_UNIT,
    Intersections,
    Segments,
    SlotUnits,
    intersections,
    measurable,
    segments,
    slot_units,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST_PARTS = 500  # left out one after the other, at most

_MOST = 2000
_DENSE = 4
_SMALL = 1_000_000
_CELLS = 2_000_000
_ROUNDING = 1e-12  # what is left of a sum when all of it is taken away


@dataclass(frozen=True, slots=True, eq=False)
class CoincidenceRows:
    """Coincidences of the documents that two annotators saw and that have a length.

    `documents`, shape (n_rows,), are their indices in the corpus. `coincidences` has a row for each of them, with a
    `run` of 0; or a row for each run of so many units of one document, and one for what no unit meets.
    """

    documents: IntArray
    coincidences: Coincidences
    run: int = 0


def document_rows(corpus: Corpus, *, layers: bool) -> CoincidenceRows:
    """Return the additive numbers of every document, with each category on a layer of its own or without layers."""
    return rows_of_units(corpus, slot_units(corpus, layers=layers), layers=layers)


def rows_of_units(corpus: Corpus, units: SlotUnits, *, layers: bool) -> CoincidenceRows:
    """Return what `document_rows` does, of the units of a corpus."""
    documents = measurable(corpus)
    row = np.searchsorted(documents, units.document)
    share = 1.0 / (corpus.n_annotators[documents] - 1).astype(np.float64)
    counted = _counted(corpus, units, row, share, layers=layers)
    if layers:
        length = np.ptp(corpus.extents, axis=1)[documents] * corpus.n_annotators[documents]
        layer = _layer(corpus, units)
        parts = [counted.lengths, absent_layers(row, layer, length, counted.n_values)]
        counted = replace(counted, lengths=joined(parts, counted.n_rows, counted.n_values**2))
    return CoincidenceRows(documents, counted)


def unit_rows(corpus: Corpus, document: int, *, layers: bool) -> CoincidenceRows:
    """Return the additive numbers of the units of one document, the last row being what no unit meets.

    A row is a unit, or where there are more than 2,000 a run of consecutive ones, so that there are not more rows.
    """
    corpus = corpus.documents_between(document, document + 1)
    units = slot_units(corpus, layers=layers)
    run = max(1, -(-len(units.row) // _MOST))
    order = np.lexsort((corpus.category[units.row], units.end, units.start))
    group = np.full(corpus.n_units, NO_UNIT)
    group[units.row[order]] = np.arange(len(order)) // run
    last = int(group.max(initial=-1)) + 1
    row, share = np.full(len(units.document), last), np.full(last + 1, 1.0 / (corpus.n_annotators[0] - 1.0))
    return CoincidenceRows(np.array([document]), _counted(corpus, units, row, share, layers=layers, group=group), run)


def _counted(
    corpus: Corpus, units: SlotUnits, row: IntArray, share: FloatArray, *, layers: bool, group: IntArray | None = None
) -> Coincidences:
    """Return the coincidences of categories, or of layers; what is of an instance goes to its row.

    With `group`, what is of a unit goes to the row of its group instead.
    """
    parts, n_categories = segments(corpus, units), len(corpus.categories)
    unit, rows = parts.unit != NO_UNIT, row[parts.instance]
    if group is not None:
        rows = np.where(unit, np.append(group, NO_UNIT)[parts.unit], rows)
    if layers:
        n_values, value = 2 * n_categories + 3, 2 * _layer(corpus, units)[parts.instance] + ~unit
    else:
        codes = np.where(corpus.category < 0, n_categories, corpus.category)
        n_values, value = n_categories + 2, np.append(codes, n_categories + 1)[parts.unit]
    return count_coincidences(parts, Sorting(share, n_values, rows, value, unit, by_unit=group is not None))


def _layer(corpus: Corpus, units: SlotUnits) -> IntArray:
    """Return the layer's code of each instance: that of units without a category comes last."""
    return np.where(units.layer < 0, len(corpus.categories), units.layer)


def absent_layers(row: IntArray, layer: IntArray, length: FloatArray, n_values: int) -> Entries:
    """Return what documents without a category add to its layer, one that others have: nothing but gaps, m·L of them.

    `row` and `layer` are those that are there, `length` is m·L of each row.
    """
    layers, column = np.unique(layer, return_inverse=True)
    there = np.zeros((len(length), len(layers)), dtype=np.bool_)
    there[row, column.reshape(-1)] = True
    absent, column = np.nonzero(~there)
    gap = 2 * layers[column] + 1
    return Entries(absent, gap * n_values + gap, length[absent])


class Entries(NamedTuple):
    """Numbers of a sparse table by row, then column: `row`, `column` (int64) and `value` (float64)."""

    row: IntArray
    column: IntArray
    value: FloatArray

    def select(self, index: Index, n_rows: int) -> Entries:
        """Return the numbers of the rows of an index; the table has `n_rows`."""
        here, row = entries_of_rows(self.row, n_rows, index)
        return Entries(row, self.column[here], self.value[here])


class Sorting(NamedTuple):
    """What segments count for: 1 / (m - 1) of each row; and of each segment its row, its value, whether it is a unit.

    With `by_unit` rows are of units, and two that meet have half each; gaps then have a row for what no unit meets.
    """

    share: FloatArray
    n_values: int
    row: IntArray
    value: IntArray
    unit: BoolArray
    by_unit: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coincidences(Columns):
    """Additive numbers, a row for each document (or layer of a document, or group of units).

    `lengths` are l_ck in the column c · n_values + k, c ≤ k, the last value being φ; `own` and `own_met` are own_c and
    own*_c in the column c.
    """

    n_rows: int
    n_values: int
    lengths: Entries
    own: Entries
    own_met: Entries

    @property
    def tables(self) -> tuple[Entries, Entries, Entries]:
        """The three tables, in the order of the fields."""
        return self.lengths, self.own, self.own_met

    def __len__(self) -> int:
        return self.n_rows

    def take(self, index: Index) -> Coincidences:
        """See `Columns.take`."""
        tables = (table.select(index, self.n_rows) for table in self.tables)
        return Coincidences(len(np.arange(self.n_rows)[index]), self.n_values, *tables)

    @classmethod
    def join(cls, parts: Sequence[Coincidences]) -> Self:
        """See `Columns.join`; all parts have the same values."""
        first_rows = np.cumsum([0, *map(len, parts)]).tolist()
        moved = [
            [table._replace(row=table.row + first) for table in part.tables]
            for part, first in zip(parts, first_rows, strict=False)
        ]
        tables = (Entries(*map(np.concatenate, zip(*table, strict=True))) for table in zip(*moved, strict=True))
        return cls(first_rows[-1], parts[0].n_values, *tables)


def count_coincidences(segments: Segments, sorting: Sorting) -> Coincidences:
    """Return the additive numbers of partitions, from one pass over their intersections."""
    n_values = sorting.n_values
    lengths: list[Entries] = []
    met: list[Entries] = []
    for first, second, length in intersections(segments):
        lengths.append(_lengths(Intersections(first, second, length), sorting))
        units = sorting.unit[first] & sorting.unit[second]
        met += [_met(segment[units], length[units], sorting) for segment in (first, second)]
    unit = sorting.unit
    square = np.square(segments.end[unit] - segments.start[unit])
    return Coincidences(
        len(sorting.share),
        n_values,
        _shared(joined(lengths, len(sorting.share), n_values**2), sorting),
        _sums(sorting.row[unit], sorting.value[unit], square, len(sorting.share), n_values),
        _shared(joined(met, len(sorting.share), n_values), sorting),
    )


def _lengths(met: Intersections, sorting: Sorting) -> Entries:
    """Return (m - 1)·l_ck of some intersections: both orders of the pair, or each unit's part."""
    value, second_value = sorting.value[met.first], sorting.value[met.second]
    column = np.minimum(value, second_value) * sorting.n_values + np.maximum(value, second_value)
    half = met.length * np.where(value == second_value, 1.0, 0.5)
    row, second_row = sorting.row[met.first], sorting.row[met.second]
    if sorting.by_unit:  # a unit that meets a gap has all of it
        unit, second_unit = sorting.unit[met.first], sorting.unit[met.second]
        parts = np.where(second_unit & ~unit, second_row, row), np.where(unit & ~second_unit, row, second_row)
        row, column, half = np.concatenate(parts), np.tile(column, 2), np.tile(half, 2)
    else:
        half *= 2.0
    return _sums(row, column, half, len(sorting.share), sorting.n_values**2)


def _met(segment: IntArray, length: FloatArray, sorting: Sorting) -> Entries:
    """Return Σ (what of a unit meets the other's units)², each segment meeting segments of one slot only."""
    least = int(segment.min()) if len(segment) else 0
    covered = np.bincount(segment - least, weights=length)
    some = np.flatnonzero(covered)
    row, value = sorting.row[some + least], sorting.value[some + least]
    return _sums(row, value, np.square(covered[some]), len(sorting.share), sorting.n_values)


def _sums(row: IntArray, column: IntArray, value: FloatArray, n_rows: int, n_columns: int) -> Entries:
    """Return the sums of the values, all positive, by row and column."""
    key = row * n_columns + column
    if n_rows * n_columns <= max(_DENSE * len(key), _SMALL):
        sums = np.bincount(key, weights=value, minlength=1)
        keys = np.flatnonzero(sums)
        sums = sums[keys]
    else:
        keys, index = np.unique(key, return_inverse=True)
        sums = np.bincount(index, weights=value, minlength=1)
    return Entries(keys // n_columns, keys % n_columns, sums.astype(np.float64))


def joined(parts: list[Entries], n_rows: int, n_columns: int) -> Entries:
    """Return the sums of entries, all positive, by row and column."""
    nothing = Entries(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    row, column, value = (np.concatenate(numbers) for numbers in zip(nothing, *parts, strict=True))
    return _sums(row, column, value, n_rows, n_columns)


def _shared(entries: Entries, sorting: Sorting) -> Entries:
    return entries._replace(value=entries.value * sorting.share[entries.row])


class CoincidenceSums(NamedTuple):
    """Coincidences of several sets of data at once, over the `values` that occur in one of them, φ not among these.

    `first` and `second` are indices of values, n for φ, the first not above the second; `lengths`, shape (n_pairs,
    n_sets), is l_ck of each pair. `own` and `own_met`, shape (n, n_sets), are own_c and own*_c.
    """

    values: IntArray
    first: IntArray
    second: IntArray
    lengths: FloatArray
    own: FloatArray
    own_met: FloatArray


class CoincidenceTable:
    """The additive numbers as one sparse table: a row a number, a column a row of the coincidences."""

    def __init__(self, coincidences: Coincidences) -> None:
        from scipy.sparse import csr_matrix

        self._n = coincidences.n_values
        parts = (coincidences.lengths, coincidences.own, coincidences.own_met)
        begins = (0, self._n**2, self._n**2 + self._n)  # of the keys of each
        keys = np.concatenate([entries.column + begin for entries, begin in zip(parts, begins, strict=True)])
        row = np.concatenate([entries.row for entries in parts])
        value = np.concatenate([entries.value for entries in parts])
        self._keys, number = np.unique(keys, return_inverse=True)
        self._parts: csr_matrix[np.float64] = csr_matrix(
            (value, (number.reshape(-1), row)), shape=(len(self._keys), coincidences.n_rows)
        )

    def each(self) -> Iterator[tuple[int, CoincidenceSums]]:
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

    def whole(self) -> CoincidenceSums:
        """Return the sums over all rows, as one set; exact, then rounded."""
        values = np.split(self._parts.data, self._parts.indptr[1:-1])
        return self._sums(self._keys, np.array([[math.fsum(some)] for some in values]).reshape(-1, 1))

    def parts(self, *, fixed: int | None = None) -> Iterator[tuple[CoincidenceSums, CoincidenceSums]]:
        """Yield the sums of parts of the rows, and of all rows but each of these parts, some parts at a time.

        A part is a row, or where there are more than `MOST_PARTS` a run of consecutive ones. A `fixed` row is in no
        part, and never left out.
        """
        from scipy.sparse import csr_matrix

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

    def weighted(self, weights: csr_matrix[np.float64]) -> Iterator[CoincidenceSums]:
        """Yield the sums in which each row counts so often, shape (n_sets, n_rows), some sets at a time."""
        step = max(1, _CELLS // max(len(self._keys), 1))
        for first in range(0, weights.shape[0], step):
            yield self._sums(self._keys, (self._parts @ weights[first : first + step].T).toarray())

    def _sums(self, keys: IntArray, numbers: FloatArray) -> CoincidenceSums:
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
        pair = (np.searchsorted(values, first), np.searchsorted(values, second))  # φ, above all, gets n
        return CoincidenceSums(values, *pair, numbers[cells], *tables)
