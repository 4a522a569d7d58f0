"""Coincidences and self-pairings of segments as additive numbers (K16 eq. 2-4, 9-10; K19 §12.6).

The segments of every two annotators are intersected, and the lengths of the intersections added up by values: one row
for each document, or for each unit of one document.

Values are codes, the highest being φ, the gaps. A coincidence l_ck is the length on which ordered pairs of annotators
have c and k, each pair with weight 1 / (m - 1); it is stored once, for c ≤ k, since l_kc = l_ck. The self-pairing terms
are own_c = Σ L² over units, and own*_c = 1 / (m - 1) · Σ (length of the unit that intersects units of the other)² over
ordered pairs of annotators and units. own of φ is its length, l_φ, and needs no column.

Rows of documents add up: the row of a corpus is their sum, as if documents were joined end to end. Rows of the units of
a document also add up to the row of the document: if two units intersect, each has half of l_ck.

With `document_rows` values are the categories (codes 0 … n - 1), units without a category (n), and φ. With layers, each
category of a document is partitioned separately, and the values of layer k are its units (2k) and its gaps (2k + 1); φ
does not occur.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, Index, IntArray, distinct, entries_of_rows, grouped_sums
from gamma_align.data import Corpus, available_memory
from gamma_align.errors import Location, OutOfMemoryError
from gamma_align.measures.unitizing.segments import (
    NO_UNIT,
    Intersections,
    Segments,
    SlotUnits,
    intersections,
    measurable_documents,
    partition,
    slot_units,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_PARTS = 500  # parts of the data that are left out one at a time

_MAX_UNIT_ROWS = 2000  # rows of the units of a document; beyond it, consecutive units share a row
# Sums are counted in a dense table if it has at most this number of cells, or this number for each term of the sums.
_MAX_DENSE_CELLS = 1_000_000
_MAX_DENSE_CELLS_PER_TERM = 4
_CHUNK_CELLS = 2_000_000  # cells of dense tables of sums in memory at once
_MAX_PENDING_TERMS = 2_000_000  # of sums, 48 MB: then they are added up
_TERM_BYTES = 120  # at the peak of adding up, an estimate: 24 of a term, its key, and what sorting the keys takes
_GIB = 1 << 30  # bytes
_ROUNDING = 1e-12  # relative to a sum: what may remain by rounding alone if all of it is subtracted


@dataclass(frozen=True, slots=True, eq=False)
class CoincidenceRows:
    """Coincidences of the measurable documents, or of the units of one.

    `documents` are indices in the corpus. If `run` is 0, `coincidences` has a row for each of them. Otherwise it has a
    row for each run of `run` consecutive units of one document, and a last row for lengths without a unit.
    """

    documents: IntArray
    coincidences: Coincidences
    run: int = 0


def document_rows(corpus: Corpus, *, layers: bool) -> CoincidenceRows:
    """Return the additive numbers of all measurable documents, with each category on a layer of its own or not."""
    return rows_of_units(corpus, slot_units(corpus, layers=layers), layers=layers)


def rows_of_units(corpus: Corpus, units: SlotUnits, *, layers: bool) -> CoincidenceRows:
    """Return the additive numbers of all measurable documents, given the units of the corpus."""
    documents = measurable_documents(corpus)
    row = np.searchsorted(documents, units.document)
    pair_weight = 1.0 / (corpus.n_annotators[documents] - 1).astype(np.float64)
    coincidences = _count(corpus, units, row, pair_weight, layers=layers)
    if layers:
        length = np.ptp(corpus.extents, axis=1)[documents] * corpus.n_annotators[documents]
        gaps = absent_layers(row, _layer_code(corpus, units), length, coincidences.n_values)
        coincidences = coincidences.add_lengths(gaps)
    return CoincidenceRows(documents, coincidences)


def unit_rows(corpus: Corpus, document: int, *, layers: bool) -> CoincidenceRows:
    """Return the additive numbers of the units of one document; the last row has lengths without a unit.

    If there are more than 2,000 units, a row is a run of consecutive units.
    """
    corpus = corpus.documents_between(document, document + 1)
    units = slot_units(corpus, layers=layers)
    run = max(1, -(-len(units.row) // _MAX_UNIT_ROWS))
    order = np.lexsort((corpus.category[units.row], units.end, units.start))
    row_of_unit = np.full(corpus.n_units, NO_UNIT)
    row_of_unit[units.row[order]] = np.arange(len(order)) // run
    last = int(row_of_unit.max(initial=-1)) + 1
    row = np.full(len(units.document), last)
    pair_weight = np.full(last + 1, 1.0 / (corpus.n_annotators[0] - 1.0))
    coincidences = _count(corpus, units, row, pair_weight, layers=layers, row_of_unit=row_of_unit)
    return CoincidenceRows(np.array([document]), coincidences, run)


def _count(
    corpus: Corpus,
    units: SlotUnits,
    row: IntArray,
    pair_weight: FloatArray,
    *,
    layers: bool,
    row_of_unit: IntArray | None = None,
) -> Coincidences:
    """Return the coincidences of categories, or of layers; `row` is the row of each instance.

    With `row_of_unit`, numbers of a unit are added to its own row.
    """
    segments = partition(corpus, units)
    n_categories = len(corpus.categories)
    is_unit = segments.unit != NO_UNIT
    segment_row = row[segments.instance]
    if row_of_unit is not None:
        segment_row = np.where(is_unit, np.append(row_of_unit, NO_UNIT)[segments.unit], segment_row)
    if layers:
        n_values = 2 * n_categories + 3
        value = 2 * _layer_code(corpus, units)[segments.instance] + ~is_unit
    else:
        code = np.where(corpus.category < 0, n_categories, corpus.category)
        n_values = n_categories + 2
        value = np.append(code, n_categories + 1)[segments.unit]
    assignment = Assignment(pair_weight, n_values, segment_row, value, is_unit, row_of_unit is not None)
    try:
        return count_coincidences(segments, assignment)
    except OutOfMemoryError as error:
        n_segments = np.bincount(units.document[segments.instance], minlength=len(corpus))
        raise error.at(Location(f"document {corpus.documents[int(n_segments.argmax())]!r}")) from None


def _layer_code(corpus: Corpus, units: SlotUnits) -> IntArray:
    """Return the code of the layer of each instance; units without a category have the last one."""
    return np.where(units.layer < 0, len(corpus.categories), units.layer)


def absent_layers(row: IntArray, layer: IntArray, length: FloatArray, n_values: int) -> Entries:
    """Return the coincidences that rows without a category add to its layer: nothing but gaps, with a length of m·L.

    `row` and `layer` are the layers that rows have; `length` is m·L of each row. Layers that no row has are ignored.
    """
    layers, column = np.unique(layer, return_inverse=True)
    is_present = np.zeros((len(length), len(layers)), dtype=np.bool_)
    is_present[row, column.reshape(-1)] = True
    absent, column = np.nonzero(~is_present)
    gap = 2 * layers[column] + 1
    return Entries(absent, gap * n_values + gap, length[absent])


class Entries(NamedTuple):
    """The numbers of a sparse table, sorted by row and column: `row`, `column` (int64) and `value` (float64)."""

    row: IntArray
    column: IntArray
    value: FloatArray

    def select(self, index: Index, n_rows: int) -> Entries:
        """Return the numbers of the rows of an index; the table has `n_rows`."""
        entries, row = entries_of_rows(self.row, n_rows, index)
        return Entries(row, self.column[entries], self.value[entries])


NO_ENTRIES = Entries(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


class Assignment(NamedTuple):
    """The row and the value that each segment is counted for, shape (n_segments,), and whether it is a unit.

    `pair_weight` is 1 / (m - 1) of each row. If `is_by_unit`, rows are units: two units that intersect have half of
    the length each, and gaps are counted in the row for lengths without a unit.
    """

    pair_weight: FloatArray
    n_values: int
    row: IntArray
    value: IntArray
    is_unit: BoolArray
    is_by_unit: bool

    def sums(self, row: IntArray, column: IntArray, value: FloatArray, n_columns: int) -> Entries:
        """Return the sums of the values, all positive, by row and column."""
        return sum_entries(Entries(row, column, value), len(self.pair_weight), n_columns)

    def running_sums(self, n_columns: int) -> RunningSums:
        """Return sums by row and column to which parts are added."""
        return RunningSums(len(self.pair_weight), n_columns)

    def weighted(self, sums: Entries) -> Entries:
        """Return sums with the weights of pairs of annotators."""
        return sums._replace(value=sums.value * self.pair_weight[sums.row])


class RunningSums:
    """Sums by row and column. Parts are added up before they take much memory, in their order.

    m annotators have m(m - 1) / 2 pairs, and the units of each pair intersect about as often as there are units. Rows
    and columns are few, unless there are many annotators and thousands of categories.
    """

    def __init__(self, n_rows: int, n_columns: int) -> None:
        self._n_rows = n_rows
        self._n_columns = n_columns
        self._parts: list[Entries] = []
        self._n_sums = self._n_pending = 0

    def add(self, part: Entries) -> None:
        """Add a part, all of whose values are positive.

        Raises
        ------
        OutOfMemoryError
            If the sums take more memory than there is.
        """
        self._parts.append(part)
        self._n_pending += len(part.row)
        # Not before there are as many terms as sums: all sums are sorted each time.
        if self._n_pending > max(_MAX_PENDING_TERMS, self._n_sums):
            self._check_memory()
            self._parts = [self.total()]
            self._n_sums = len(self._parts[0].row)
            self._n_pending = 0

    def total(self) -> Entries:
        """Return the sums of all parts."""
        return join_entries(self._parts, self._n_rows, self._n_columns)

    def _check_memory(self) -> None:
        """Raise an OutOfMemoryError if the sums take more memory than there is."""
        n_terms = self._n_sums + self._n_pending
        needed = n_terms * _TERM_BYTES
        available = available_memory()
        if available is not None and needed > available:
            raise OutOfMemoryError(
                f"its annotators have too many different pairs of units or categories that intersect: {n_terms:,} "
                f"sums take {needed / _GIB:.1f} GiB of memory, and {available / _GIB:.1f} GiB are free",
                "cut the document into shorter ones, leave out annotators or use fewer categories",
            )


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

    def add_lengths(self, lengths: Entries) -> Coincidences:
        """Return the coincidences with further lengths added."""
        return replace(self, lengths=join_entries([self.lengths, lengths], self.n_rows, self.n_values**2))


def count_coincidences(segments: Segments, assignment: Assignment) -> Coincidences:
    """Return the additive numbers of partitions, from one pass over their intersections."""
    n_values = assignment.n_values
    is_unit = assignment.is_unit
    lengths = assignment.running_sums(n_values**2)
    own_met = assignment.running_sums(n_values)
    for intersection in intersections(segments):
        first, second, length = intersection
        lengths.add(_pair_lengths(intersection, assignment))
        both_units = is_unit[first] & is_unit[second]
        for segment in (first, second):
            own_met.add(_own_met(segment[both_units], length[both_units], assignment))
    square = np.square(segments.end[is_unit] - segments.start[is_unit])
    return Coincidences(
        len(assignment.pair_weight),
        n_values,
        assignment.weighted(lengths.total()),
        assignment.sums(assignment.row[is_unit], assignment.value[is_unit], square, n_values),
        assignment.weighted(own_met.total()),
    )


def _pair_lengths(intersection: Intersections, assignment: Assignment) -> Entries:
    """Return (m - 1)·l_ck of intersections: both orders of the pair of annotators, or the part of each unit."""
    first, second, length = intersection
    value = assignment.value[first]
    second_value = assignment.value[second]
    column = np.minimum(value, second_value) * assignment.n_values + np.maximum(value, second_value)
    row = assignment.row[first]
    second_row = assignment.row[second]
    amount = length * np.where(value == second_value, 2.0, 1.0)  # l_ck and l_kc are the same number if c = k
    if assignment.is_by_unit:  # a unit has half of its intersection with a unit, all of that with a gap
        is_unit = assignment.is_unit[first]
        second_is_unit = assignment.is_unit[second]
        first_half = np.where(second_is_unit & ~is_unit, second_row, row)
        second_half = np.where(is_unit & ~second_is_unit, row, second_row)
        row = np.append(first_half, second_half)
        column = np.tile(column, 2)
        amount = np.tile(amount / 2.0, 2)
    return assignment.sums(row, column, amount, assignment.n_values**2)


def _own_met(segment: IntArray, length: FloatArray, assignment: Assignment) -> Entries:
    """Return Σ (length of the unit that intersects units of the other)².

    Each segment must intersect segments of one slot only.
    """
    offset = int(segment.min()) if len(segment) else 0
    covered = np.bincount(segment - offset, weights=length)
    index = np.flatnonzero(covered)
    row = assignment.row[index + offset]
    value = assignment.value[index + offset]
    return assignment.sums(row, value, np.square(covered[index]), assignment.n_values)


def sum_entries(entries: Entries, n_rows: int, n_columns: int) -> Entries:
    """Return the sums of the values, all positive, by row and column."""
    key = entries.row * n_columns + entries.column
    if n_rows * n_columns <= max(_MAX_DENSE_CELLS_PER_TERM * len(key), _MAX_DENSE_CELLS):
        sums = grouped_sums(key, entries.value, 1)
        keys = np.flatnonzero(sums)
        sums = sums[keys]
    else:
        keys, index = np.unique(key, return_inverse=True)
        sums = grouped_sums(index, entries.value, 1)
    return Entries(keys // n_columns, keys % n_columns, sums)


def join_entries(parts: Sequence[Entries], n_rows: int, n_columns: int) -> Entries:
    """Return the sums over all parts by row and column; all values are positive."""
    columns = (np.concatenate(column) for column in zip(NO_ENTRIES, *parts, strict=True))
    return sum_entries(Entries(*columns), n_rows, n_columns)


class CoincidenceSums(NamedTuple):
    """Coincidences of several sets of data at once, over the `values` other than φ that occur in any of them.

    `first` ≤ `second` are indices of values, n for φ; `lengths`, shape (n_pairs, n_sets), is l_ck of each pair. `own`
    and `own_met`, shape (n, n_sets), are own_c and own*_c.
    """

    values: IntArray
    first: IntArray
    second: IntArray
    lengths: FloatArray
    own: FloatArray
    own_met: FloatArray


class CoincidenceTable:
    """The additive numbers by key; a key is one of the numbers of a row of the coincidences."""

    def __init__(self, coincidences: Coincidences) -> None:
        n = coincidences.n_values
        self._n_values = n
        self._n_rows = coincidences.n_rows
        first_keys = (0, n**2, n**2 + n)  # of the three tables
        keys = [table.column + first for table, first in zip(coincidences.tables, first_keys, strict=True)]
        key = np.concatenate(keys)
        order = np.argsort(key, kind="stable")  # the numbers of a key stay in the order of their rows
        is_first = np.diff(key[order], prepend=-1) > 0
        self._keys = key[order][is_first]
        self._index = np.cumsum(is_first) - 1
        self._offsets = np.flatnonzero(is_first)
        self._row = np.concatenate([table.row for table in coincidences.tables])[order]
        self._numbers = np.concatenate([table.value for table in coincidences.tables])[order]

    @property
    def _matrix(self) -> csr_matrix[np.float64]:
        """The numbers as a sparse matrix of keys and rows."""
        from scipy.sparse import csr_matrix  # a third of the time of a small command to import; few need it

        entries = (self._numbers, self._row, np.append(self._offsets, len(self._numbers)))
        return csr_matrix(entries, shape=(len(self._keys), self._n_rows))

    def sums_of_rows(self) -> Iterator[CoincidenceSums]:
        """Yield the sums of each row, a block of consecutive rows at a time."""
        columns = self._matrix.tocsc()
        if not columns.shape[1]:
            return
        # Without its first column, a block has at most √n columns and numbers, so that its dense table stays small.
        sizes = np.cumsum(np.diff(columns.indptr) + 1)
        begins = np.flatnonzero(np.diff(sizes // int(math.sqrt(_CHUNK_CELLS)), prepend=-1))
        for first, last in pairwise([*begins.tolist(), columns.shape[1]]):
            block = columns[:, first:last].tocsr()
            present = np.flatnonzero(np.diff(block.indptr))
            yield self._sums(self._keys[present], block[present].toarray())

    def total(self) -> CoincidenceSums:
        """Return the sums over all rows, as one set; sums are exact, then rounded."""
        numbers = np.split(self._numbers, self._offsets[1:])
        return self._sums(self._keys, np.array([math.fsum(terms) for terms in numbers]).reshape(-1, 1))

    def sums_of_parts(self, *, fixed: int | None = None) -> Iterator[tuple[CoincidenceSums, CoincidenceSums]]:
        """Yield the sums of parts of the rows, and the sums without each of these parts, a chunk of parts at a time.

        A part is a row, or a run of consecutive rows if there are more than `MAX_PARTS`. The `fixed` row is in no part.
        """
        rows = np.delete(np.arange(self._n_rows), [] if fixed is None else fixed)
        n_parts = min(len(rows), MAX_PARTS)
        part_of_row = np.full(self._n_rows, -1)
        part_of_row[rows] = np.arange(len(rows)) * n_parts // max(len(rows), 1)
        part = part_of_row[self._row]
        total = np.add.reduceat(self._numbers, self._offsets).reshape(-1, 1)
        for first, last in self._chunks(n_parts):
            is_chosen = (part >= first) & (part < last)
            width = min(last, n_parts) - first
            cell = self._index[is_chosen] * width + part[is_chosen] - first
            part_sums = grouped_sums(cell, self._numbers[is_chosen], len(total) * width).reshape(-1, width)
            remaining = total - part_sums
            remaining = np.where(remaining > _ROUNDING * total, remaining, 0.0)
            yield self._sums(self._keys, part_sums), self._sums(self._keys, remaining)

    def weighted(self, weights: csr_matrix[np.float64]) -> Iterator[CoincidenceSums]:
        """Yield the weighted sums, a chunk of sets at a time; weights of rows have the shape (n_sets, n_rows)."""
        matrix = self._matrix
        for first, last in self._chunks(weights.shape[0]):
            yield self._sums(self._keys, (matrix @ weights[first:last].T).toarray())

    def _chunks(self, n_sets: int) -> Iterator[tuple[int, int]]:
        """Yield the begin and end of chunks of sets, of which the dense tables fit into memory."""
        step = max(1, _CHUNK_CELLS // max(len(self._keys), 1))
        for first in range(0, n_sets, step):
            yield first, first + step

    def _sums(self, keys: IntArray, numbers: FloatArray) -> CoincidenceSums:
        """Return the sums for numbers of these keys, as dense tables over the values that occur."""
        n = self._n_values
        is_length = keys < n**2
        is_own_met = keys >= n**2 + n
        first, second = np.divmod(keys[is_length], n)
        values = distinct(np.append(first, second))
        values = values[values != n - 1]  # φ
        tables = []
        for is_row, first_key in ((~is_length & ~is_own_met, n**2), (is_own_met, n**2 + n)):
            table = np.zeros((len(values), numbers.shape[1]))
            table[np.searchsorted(values, keys[is_row] - first_key)] = numbers[is_row]
            tables.append(table)
        pair = (np.searchsorted(values, first), np.searchsorted(values, second))  # φ is above all values: n
        return CoincidenceSums(values, *pair, numbers[is_length], *tables)
