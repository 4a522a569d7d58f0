"""Coincidences and self-pairings of segments as additive numbers (K16 eq. 2-4, 9-10; K19 §12.6).

The segments of every two annotators are intersected, the lengths of the intersections added up by values, a row for
each document, or for each unit of one document.

Values are codes, the highest being φ, the gaps. A coincidence l_ck is the length on which ordered pairs of annotators
have c and k, each pair counting 1 / (m - 1); it is kept once, for c ≤ k, and l_kc = l_ck. The self-pairing terms are
own_c = Σ L² over units, and own*_c = 1 / (m - 1) · Σ over ordered pairs of annotators and units of (what of the unit
meets the other's units)². That of φ is its length, l_φ, and needs no column.

Rows of documents add up: the row of a corpus is their sum, as if they were joined end to end. So do rows of the units
of a document, each with its part in the document's: where two units meet, each has half of l_ck.

Segments of a slot cover the continuum without overlapping, so those that meet a given segment of another slot are
contiguous: two searches find them. Bounds are replaced by their ranks for that, so that many instances are searched at
once and touching is decided exactly.

With `document_rows` values are the categories (codes 0 … n - 1), units without a category (n), and φ. With layers,
where each category of a document is partitioned alone, they are the units of layer k (2k) and its gaps (2k + 1); φ does
not occur.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.data.batch import ranges
from gamma_align.data.corpus import Corpus
from gamma_align.unitizing.segments import NO_UNIT, Placed, Segments, measurable, placed, segment_ranges, segments

_MOST = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Coincidences of the documents that two annotators saw and that have a length.

    Attributes
    ----------
    documents : ndarray of int64, shape (n_rows,)
        Index of each row's document in the corpus.
    found : Coincidences
        A row for each of them; for units, a row for each run of `run` units and one for what no unit meets.
    run : int
        Consecutive units in a row of `found`; 0 where rows are of documents.
    joined : int
        Units of a layer joined to one they overlap.
    """

    documents: IntArray
    found: Coincidences
    run: int = 0
    joined: int = 0


def document_rows(corpus: Corpus, *, layers: bool) -> Rows:
    """Return the additive numbers of every document.

    Parameters
    ----------
    corpus : Corpus
        The data.
    layers : bool
        Whether each category is a layer of its own.
    """
    units = placed(corpus, layers=layers)
    documents = measurable(corpus)
    row = np.searchsorted(documents, units.document)
    share = 1.0 / (corpus.n_annotators[documents] - 1).astype(np.float64)
    if not layers:
        return Rows(documents, _plain(corpus, units, row, share))
    found = _layered(corpus, units, row, share)
    lengths = joined([found.lengths, _absent(corpus, documents, units, row)], found.n_rows, found.n_values**2)
    return Rows(documents, replace(found, lengths=lengths), joined=units.joined)


def unit_rows(corpus: Corpus, document: int, *, layers: bool) -> Rows:
    """Return the additive numbers of the units of one document, the last row being what no unit meets.

    A row is a unit, or where there are more than 2,000 a run of consecutive ones, so that there are not more rows.
    """
    corpus = corpus.documents_between(document, document + 1)
    units = placed(corpus, layers=layers)
    run = max(1, -(-len(units.row) // _MOST))
    order = np.lexsort((corpus.category[units.row], units.end, units.start))
    group = np.full(corpus.n_units, NO_UNIT)
    group[units.row[order]] = np.arange(len(order)) // run
    last = int(group.max(initial=-1)) + 1
    share = np.full(last + 1, 1.0 / (corpus.n_annotators[0] - 1.0))
    count = _layered if layers else _plain
    return Rows(np.array([document]), count(corpus, units, np.full(len(units.document), last), share, group), run)


def _plain(
    corpus: Corpus, units: Placed, row: IntArray, share: FloatArray, group: IntArray | None = None
) -> Coincidences:
    """Return the coincidences of categories; those of an instance go to its row, or those of a unit to its group's."""
    parts = segments(corpus, units)
    n_values = len(corpus.categories) + 2
    value = np.append(np.where(corpus.category < 0, n_values - 2, corpus.category), n_values - 1)[parts.unit]
    return coincidences(parts, _sorting(parts, n_values, value, row, share, group))


def _layered(
    corpus: Corpus, units: Placed, row: IntArray, share: FloatArray, group: IntArray | None = None
) -> Coincidences:
    """Return the coincidences of layers, as `_plain`."""
    parts = segments(corpus, units)
    n_values = 2 * len(corpus.categories) + 3
    value = np.where(parts.unit == NO_UNIT, 1, 0) + 2 * _layer(corpus, units)[_instance(parts)]
    return coincidences(parts, _sorting(parts, n_values, value, row, share, group))


def _sorting(
    parts: Segments, n_values: int, value: IntArray, row: IntArray, share: FloatArray, group: IntArray | None
) -> Sorting:
    unit = parts.unit != NO_UNIT
    rows = row[_instance(parts)]
    if group is not None:
        rows = np.where(unit, np.append(group, NO_UNIT)[parts.unit], rows)
    return Sorting(share, n_values, rows, value, unit, by_unit=group is not None)


def _instance(parts: Segments) -> IntArray:
    """Return the instance of each segment."""
    counts: IntArray = np.diff(parts.offsets[parts.slots])
    return np.repeat(np.arange(len(counts)), counts)


def _layer(corpus: Corpus, units: Placed) -> IntArray:
    """Return the layer's code of each instance: that of units without a category comes last."""
    return np.where(units.layer < 0, len(corpus.categories), units.layer)


def _absent(corpus: Corpus, documents: IntArray, units: Placed, row: IntArray) -> Entries:
    """Return what documents without a category add to its layer: nothing but gaps, m·L of them."""
    layer, place = np.unique(_layer(corpus, units), return_inverse=True)
    there = np.zeros((len(documents), len(layer)), dtype=np.bool_)
    there[row, place.reshape(-1)] = True
    at, which = np.nonzero(~there)
    gap, n_values = 2 * layer[which] + 1, 2 * len(corpus.categories) + 3
    length = np.ptp(corpus.extents, axis=1)[documents] * corpus.n_annotators[documents]
    return Entries(at, gap * n_values + gap, length[at])


_SEGMENTS = 500_000


class Intersections(NamedTuple):
    """Pairs of segments of two slots of one instance that share some length, every pair of slots whole.

    `first` and `second` are rows of segments, `length` what they share; shape (n_pairs,) each.
    """

    first: IntArray
    second: IntArray
    length: FloatArray


def intersections(segments: Segments) -> Iterator[Intersections]:
    """Yield the intersections of every two slots of an instance, each pair of slots once.

    They come some whole instances at a time, slots next to each other first, so what is summed of an instance does not
    depend on others. The memory is that of the segments and of the pairs yielded.
    """
    start_key, width = _keys(segments)
    members = np.diff(segments.slots)
    for first, last in _groups(segments):
        slots = np.arange(segments.slots[first], segments.slots[last])
        among = members[first:last]
        behind = np.repeat(segments.slots[first + 1 : last + 1], among) - slots  # of its instance, from this slot on
        for step in range(1, int(among.max(initial=0))):
            yield _met_ahead(segments, slots[behind > step], step, start_key, width)


def _groups(segments: Segments) -> list[tuple[int, int]]:
    """Return (first, last + 1) of runs of instances of about _SEGMENTS segments."""
    size = np.diff(segments.offsets[segments.slots])
    cuts = np.flatnonzero(np.diff((np.cumsum(size) - size) // _SEGMENTS, prepend=-1)).tolist()
    return list(zip(cuts, [*cuts, len(size)][1:], strict=True))


def _keys(segments: Segments) -> tuple[IntArray, int]:
    """Return slot · width + rank of the start, ascending; the ranks of an instance are among its own starts."""
    slot = np.repeat(np.arange(len(segments.offsets) - 1), np.diff(segments.offsets))
    instance = np.repeat(np.arange(len(segments.slots) - 1), np.diff(segments.slots))[slot]
    order = np.lexsort((segments.start, instance))
    instance, start = instance[order], segments.start[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (instance[1:] != instance[:-1]) | (start[1:] != start[:-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(new)
    width = len(order) + 2
    return slot * width + rank, width


def _met_ahead(segments: Segments, slots: IntArray, step: int, start_key: IntArray, width: int) -> Intersections:
    """Return the intersections of these slots with those `step` later."""
    rows = segment_ranges(segments, slots)
    count = np.diff(segments.offsets)[slots]
    moved = start_key[rows] + step * width
    begins = np.searchsorted(start_key, moved, side="right") - 1
    # a segment ends where the next one of its slot starts, the last one where the continuum does
    ends = np.empty(len(rows), dtype=np.int64)
    ends[:-1] = np.searchsorted(start_key, moved[1:], side="left")
    ends[np.cumsum(count) - 1] = segments.offsets[slots + step + 1]
    met = ends - begins
    first, second = np.repeat(rows, met), ranges(begins, met)
    length = np.minimum(segments.end[first], segments.end[second])
    length -= np.maximum(segments.start[first], segments.start[second])
    return Intersections(first, second, length)


_DENSE = 4
_SMALL = 1_000_000


class Entries(NamedTuple):
    """Numbers of a sparse table by row, then column: `row`, `column` (int64) and `value` (float64)."""

    row: IntArray
    column: IntArray
    value: FloatArray


class Sorting(NamedTuple):
    """What segments count for.

    Attributes
    ----------
    share : ndarray of float64, shape (n_rows,)
        1 / (m - 1) of each row.
    n_values : int
        How many values there are.
    row, value : ndarray of int64, shape (n_segments,)
        Row and value of each segment.
    unit : ndarray of bool, shape (n_segments,)
        Whether it is a unit and not a gap.
    by_unit : bool
        Whether rows are of units, and two that meet have half each; gaps have a row for what no unit meets.
    """

    share: FloatArray
    n_values: int
    row: IntArray
    value: IntArray
    unit: BoolArray
    by_unit: bool


@dataclass(frozen=True, slots=True, eq=False)
class Coincidences:
    """Additive numbers, a row for each document (or layer of one, or group of units).

    Attributes
    ----------
    n_rows, n_values : int
        How many rows, and values; the last value is φ.
    lengths : Entries
        l_ck; the column is c · n_values + k, c ≤ k.
    own, own_met : Entries
        own_c and own*_c; the column is c.
    """

    n_rows: int
    n_values: int
    lengths: Entries
    own: Entries
    own_met: Entries


def coincidences(segments: Segments, sorting: Sorting) -> Coincidences:
    """Return the additive numbers of partitions, from one pass over their intersections."""
    n_values = sorting.n_values
    lengths: list[Entries] = []
    met: list[Entries] = []
    for found in intersections(segments):
        lengths.append(_lengths(found, sorting))
        units = sorting.unit[found.first] & sorting.unit[found.second]
        length = found.length[units]
        met += [_met(found.first[units], length, sorting), _met(found.second[units], length, sorting)]
    unit = sorting.unit
    square = np.square(segments.end[unit] - segments.start[unit])
    return Coincidences(
        len(sorting.share),
        n_values,
        _shared(joined(lengths, len(sorting.share), n_values**2), sorting),
        _sums(sorting.row[unit], sorting.value[unit], square, len(sorting.share), n_values),
        _shared(joined(met, len(sorting.share), n_values), sorting),
    )


def _lengths(found: Intersections, sorting: Sorting) -> Entries:
    """Return (m - 1)·l_ck of some intersections: both orders of the pair, or each unit's part."""
    one, other = sorting.value[found.first], sorting.value[found.second]
    column = np.minimum(one, other) * sorting.n_values + np.maximum(one, other)
    half = found.length * np.where(one == other, 1.0, 0.5)
    row, other_row = sorting.row[found.first], sorting.row[found.second]
    if sorting.by_unit:  # a unit that meets a gap has all of it
        unit, other_unit = sorting.unit[found.first], sorting.unit[found.second]
        row, other_row = np.where(other_unit & ~unit, other_row, row), np.where(unit & ~other_unit, row, other_row)
        row, column, half = np.concatenate([row, other_row]), np.tile(column, 2), np.tile(half, 2)
    else:
        half *= 2.0
    return _sums(row, column, half, len(sorting.share), sorting.n_values**2)


def _met(segment: IntArray, length: FloatArray, sorting: Sorting) -> Entries:
    """Return Σ (what of a unit meets the other's units)², each segment meeting segments of one slot only."""
    least = int(segment.min()) if len(segment) else 0
    covered = np.bincount(segment - least, weights=length)
    some = np.flatnonzero(covered)
    at = some + least
    return _sums(sorting.row[at], sorting.value[at], np.square(covered[some]), len(sorting.share), sorting.n_values)


def _sums(row: IntArray, column: IntArray, value: FloatArray, n_rows: int, n_columns: int) -> Entries:
    """Return the sums of the values, all positive, by row and column."""
    key = row * n_columns + column
    if n_rows * n_columns <= max(_DENSE * len(key), _SMALL):
        sums = np.bincount(key, weights=value, minlength=1)
        keys = np.flatnonzero(sums)
        sums = sums[keys]
    else:
        keys, place = np.unique(key, return_inverse=True)
        sums = np.bincount(place, weights=value, minlength=1)
    return Entries(keys // n_columns, keys % n_columns, sums.astype(np.float64))


def joined(parts: list[Entries], n_rows: int, n_columns: int) -> Entries:
    """Return the sums of entries, all positive, by row and column."""
    nothing = Entries(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    row, column, value = (np.concatenate(numbers) for numbers in zip(nothing, *parts, strict=True))
    return _sums(row, column, value, n_rows, n_columns)


def _shared(entries: Entries, sorting: Sorting) -> Entries:
    return entries._replace(value=entries.value * sorting.share[entries.row])
