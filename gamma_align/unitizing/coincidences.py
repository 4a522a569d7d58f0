"""Observed coincidences and self-pairings as additive numbers (K16 eq. 2-4, 9-10; K19 §12.6).

Values are codes, the highest being φ, the gaps. A coincidence l_ck is the length on which ordered pairs of annotators
have c and k, each pair counting 1 / (m - 1); it is kept once, for c ≤ k, and l_kc = l_ck. The self-pairing terms are
own_c = Σ L² over units, and own*_c = 1 / (m - 1) · Σ over ordered pairs of annotators and units of (what of the unit
meets the other's units)². That of φ is its length, l_φ, and needs no column.

Rows of documents add up: the row of a corpus is their sum, as if they were joined end to end. So do rows of the units
of a document, each with its part in the document's: where two units meet, each has half of l_ck.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.unitizing.intersections import intersections

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.unitizing.intersections import Intersections
    from gamma_align.unitizing.segments import Segments

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
