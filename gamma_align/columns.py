"""Columns: arrays of one length as one object, and counting by ranges, runs and groups without loops.

`Columns` is the base of dataclasses whose fields are arrays of one length. It selects, joins, fills and compares rows,
so that a class declares its fields once and says in which way they are not columns:

* fields named in `common_fields` have one value for all rows;
* fields named in `entry_fields` are columns of entries; each row may have none, one or several. The first
  of these fields is the row of each entry, ascending.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain, pairwise
from typing import Any, ClassVar, Self, TypeVar, cast, get_type_hints

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
WordArray = npt.NDArray[np.uint64]
"""Random words of 64 bits."""
CodeArray = npt.NDArray[np.signedinteger[Any]]
"""Codes or counts, in any width that holds them."""
Numbers = TypeVar("Numbers", IntArray, FloatArray)
Index = IntArray | BoolArray | slice
"""Rows to select: their indices, in any order and as often as they are named, or a mask, or a slice."""

UNLABELLED = -1
"""Code of a unit without a category."""
MISSING = UNLABELLED
"""Code of a missing judgment."""

# for which a table of codes takes less time than sorting
_MIN_TABLED_VALUES = 256
_MAX_CODES_PER_VALUE = 32
_BLOCK_ROWS = 1 << 18  # rows of groups that are computed at once: some 40 MB of intermediate results


def distinct(values: Numbers) -> Numbers:
    """Return the different `values`, sorted."""
    is_used = _codes_in_use(values)
    return _without_repeats(values) if is_used is None else is_used.nonzero()[0].astype(values.dtype, copy=False)


def _without_repeats(values: Numbers) -> Numbers:
    """Return the different `values`, found by sorting."""
    ordered = values.copy()
    ordered.sort()
    is_first = np.empty(len(ordered), dtype=np.bool_)
    is_first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]  # a third of the time of np.unique for few codes


def numbered(values: Numbers) -> tuple[Numbers, IntArray]:
    """Return the different `values`, sorted, and the index of each value among them."""
    is_used = _codes_in_use(values)
    if is_used is None:
        different = _without_repeats(values)
        return different, different.searchsorted(values)  # of few values, less than np.unique takes for the inverse
    codes = is_used.nonzero()[0]
    number = np.empty(len(is_used), dtype=np.int64)
    number[codes] = np.arange(len(codes))
    return codes.astype(values.dtype, copy=False), number[values]


def numbered_rows(*columns: npt.NDArray[Any]) -> IntArray:
    """Return a number for each row of columns; equal rows have one number, and numbers ascend with the first column."""
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, rank = numbered(column)
        number = numbered(number * len(values) + rank)[1]
    return number


def _codes_in_use(values: Numbers) -> BoolArray | None:
    """Return whether each code from 0 on is among the `values`; None if a table of all codes takes longer than sorting.

    Of 15,000 values below 60,000, numbers by such a table take a twentieth of the time.
    """
    if len(values) < _MIN_TABLED_VALUES or values.dtype.kind != "i" or values.min() < 0:
        return None
    n_codes = int(values.max()) + 1
    if n_codes > _MAX_CODES_PER_VALUE * len(values):
        return None
    is_used = np.zeros(n_codes, dtype=np.bool_)
    is_used[values] = True
    return is_used


def are_all(marks: BoolArray) -> bool:
    """Return whether all marks are true; of few marks, `marks.all()` takes four times as long as counting them."""
    return bool(np.count_nonzero(marks) == len(marks))


def frozen(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Make `array` read-only, so that a column cannot change after its validation, and return it."""
    array.flags.writeable = False
    return array


def equal(first: object, second: object) -> bool:
    """Return whether two values are the same, field by field and element by element; NaN equals NaN."""
    if type(first) is not type(second):
        return False
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if is_dataclass(first):
        return all(
            equal(getattr(first, field.name), getattr(second, field.name)) for field in fields(first) if field.compare
        )
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if isinstance(first, (tuple, list)) and isinstance(second, (tuple, list)):
        return len(first) == len(second) and all(map(equal, first, second))
    return bool(first == second or (first != first and second != second))  # noqa: PLR0124  (NaN alone differs from itself)


def ranges(first: IntArray | int, counts: IntArray) -> IntArray:
    """Return first[0], first[0] + 1, … (counts[0] numbers), first[1], …: many ranges as one array."""
    ends = counts.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    steps: IntArray = np.arange(total) - (ends - counts - first).repeat(counts)
    return steps


def pairs_in_runs(offsets: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return run, i and j of every two rows i ≤ j of each run, in the order of i, then of j.

    The rows of run r are those from offsets[r] to offsets[r + 1].
    """
    run = np.arange(len(offsets) - 1).repeat(np.diff(offsets))
    row = np.arange(len(run)) + offsets[0]
    partners = offsets[1:][run] - row
    return run.repeat(partners), row.repeat(partners), ranges(row, partners)


def rank_in_runs(values: IntArray) -> IntArray:
    """Return the rank of each of the sorted `values` among equal ones: 0, 1, … in every run."""
    begins = np.diff(values, prepend=-1).nonzero()[0]
    ranks: IntArray = np.arange(len(values)) - begins.repeat(np.diff(np.append(begins, len(values))))
    return ranks


def is_among(values: IntArray, sorted_values: IntArray) -> BoolArray:
    """Return whether each value is one of the sorted ones; they are searched, as hashing takes longer."""
    if not len(sorted_values):
        return np.zeros(len(values), dtype=np.bool_)
    index = np.minimum(sorted_values.searchsorted(values), len(sorted_values) - 1)
    result: BoolArray = sorted_values[index] == values
    return result


def stable_order(codes: IntArray) -> IntArray:
    """Return the indices that sort codes from 0 on; equal codes keep their order."""
    # Sixteen bits are sorted in linear time.
    narrow = codes.astype(np.uint16) if codes.max(initial=0) <= np.iinfo(np.uint16).max else codes
    return narrow.argsort(kind="stable")


def order_in_runs(begins_run: BoolArray, values: FloatArray) -> IntArray:
    """Return the indices that sort the values of each run; equal values keep their order.

    `begins_run` says where a run begins. Only runs that are not in order are sorted, as most of them are.
    """
    order = np.arange(len(values))
    falls = ((values[1:] < values[:-1]) & ~begins_run[1:]).nonzero()[0] + 1
    if len(falls):
        run = begins_run.cumsum() - 1
        is_unsorted = np.zeros(run[-1] + 1, dtype=np.bool_)
        is_unsorted[run[falls]] = True
        rows = is_unsorted[run].nonzero()[0]
        order[rows] = rows[np.lexsort((values[rows], run[rows]))]
    return order


def chunks(sizes: IntArray | FloatArray, chunk_size: int) -> list[tuple[int, int]]:
    """Divide rows of these sizes into chunks of about `chunk_size` each; return (first, last + 1) of each chunk."""
    if not len(sizes):
        return []
    total = sizes.cumsum(dtype=np.float64)
    if total[-1] < chunk_size:
        return [(0, len(sizes))]
    marks = np.arange(1, total[-1] // chunk_size + 1) * chunk_size
    return list(pairwise(np.unique([0, *total.searchsorted(marks) + 1, len(sizes)]).tolist()))


def grouped_sums(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Return the sum of each group, shape (n_groups, …), of values of shape (n_rows, …).

    Values are added in their order, so that every machine gives the same bits.
    """
    if not len(group):  # then `bincount` returns integers
        return np.zeros((n_groups, *values.shape[1:]))
    if values.ndim == 1:
        return cast("FloatArray", np.bincount(group, weights=values, minlength=n_groups))
    width = math.prod(values.shape[1:])
    cell = group[:, None] * width + np.arange(width)
    sums = grouped_sums(cell.reshape(-1), values.reshape(-1), n_groups * width)
    return sums.reshape(n_groups, *values.shape[1:])


def cube(values: FloatArray) -> FloatArray:
    """Return values³ as products: a power takes a hundred times as long, and its last bit depends on the machine."""
    return values * values * values


def ordered_sum(values: FloatArray) -> float:
    """Return the sum of values, added in their order, so that every machine gives the same bits."""
    return float(values.cumsum()[-1]) if len(values) else 0.0


class RowGroups:
    """Groups of rows; groups of one size form a block, so that all groups of a block are computed at once.

    Parameters
    ----------
    groups : sequence of ndarray of int
        The rows of each group; a row may be in several groups.
    names : sequence of str, optional
        Names of all rows, for messages.
    """

    def __init__(self, groups: Sequence[IntArray], names: Sequence[str] | None = None) -> None:
        self._n_groups = len(groups)
        self.names = names
        self._blocks = [*_blocks(groups)]  # kept: each measure sums the same groups several times

    def __len__(self) -> int:
        return self._n_groups

    def blocks(self) -> Sequence[tuple[IntArray, IntArray]]:
        """Return the indices of groups of one size, shape (n_groups,), and their rows, shape (n_groups, size)."""
        return self._blocks

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of the rows of each group, shape (n_groups, …), of values of shape (n_rows, …)."""
        sums = np.zeros((len(self), *values.shape[1:]))
        for members, rows in self.blocks():
            sums[members] = values[rows].sum(axis=1)
        return sums


def _blocks(groups: Sequence[IntArray]) -> Iterator[tuple[IntArray, IntArray]]:
    sizes = np.fromiter(map(len, groups), dtype=np.int64, count=len(groups))
    for size in distinct(sizes).tolist():
        members = (sizes == size).nonzero()[0]
        for first, end in chunks(np.full(len(members), size), _BLOCK_ROWS):
            part = members[first:end]
            yield part, np.array([groups[group] for group in part], dtype=np.int64).reshape(len(part), size)


class Columns:
    """Base of dataclasses of columns: arrays, tuples or other `Columns` of one length.

    Subclasses are dataclasses with ``frozen=True, slots=True, eq=False, repr=False``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from gamma_align.columns import Columns, IntArray
    >>> @dataclass(frozen=True, slots=True, eq=False, repr=False)
    ... class Counts(Columns):
    ...     documents: tuple[str, ...]
    ...     units: IntArray
    ...     unit_row: IntArray
    ...     length: IntArray
    ...     entry_fields = ("unit_row", "length")
    >>> counts = Counts(("a", "b"), np.array([2, 1]), np.array([0, 0, 1]), np.array([5, 6, 7]))
    >>> counts.take(np.array([1])).columns()
    {'documents': ('b',), 'units': array([1]), 'unit_row': array([0]), 'length': array([7])}
    >>> Counts.join([counts.take(slice(0, 1)), counts.take(slice(1, 2))]) == counts
    True
    """

    __slots__ = ()
    common_fields: ClassVar[tuple[str, ...]] = ()
    entry_fields: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def blank(cls, n_rows: int, **values: object) -> Self:
        """Return rows of zeros without entries, to be filled, except for the fields given in `values`."""
        zeros: dict[str, Any] = {}
        for name, kind in _blank_types(cls).items():
            if name not in values:
                length = 0 if name in cls.entry_fields else n_rows
                zeros[name] = np.zeros(length, kind) if isinstance(kind, np.dtype) else kind.blank(length)
        return cls(**zeros, **values)

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all parts, one part after the other; common fields are taken from the first part."""
        if len(parts) == 1:
            return parts[0]
        joined: dict[str, Any] = {name: getattr(parts[0], name) for name in cls.common_fields}
        for name in (*cls.row_fields(), *cls.entry_fields):
            joined[name] = _concatenated([getattr(part, name) for part in parts])
        if cls.entry_fields:
            row = cls.entry_fields[0]
            first_rows = np.cumsum([0, *map(len, parts[:-1])])
            joined[row] += first_rows.repeat([len(getattr(part, row)) for part in parts])
        return cls(**joined)

    @classmethod
    def row_fields(cls) -> tuple[str, ...]:
        """Return the names of the columns that have one value for each row."""
        return _row_fields(cls)

    @classmethod
    def dtype_of(cls, name: str) -> np.dtype[np.generic]:
        """Return the type of the elements of a blank column."""
        return cast("np.dtype[np.generic]", _blank_types(cls)[name])

    def __len__(self) -> int:
        return len(getattr(self, _row_fields(type(self))[0]))

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    def __hash__(self) -> int:
        raise TypeError(f"{type(self).__name__} has no hash, because arrays have none")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: rows {len(self)}>"

    def take(self, index: Index) -> Self:
        """Return the rows of an index."""
        taken = {name: getattr(self, name) for name in self.common_fields}
        for name in self.row_fields():
            taken[name] = _taken(getattr(self, name), index)
        if self.entry_fields:
            row, *entry_names = self.entry_fields
            entries, taken[row] = entries_of_rows(getattr(self, row), len(self), index)
            for name in entry_names:
                taken[name] = _taken(getattr(self, name), entries)
        return type(self)(**taken)

    def fill(self, index: Index, part: Self) -> None:
        """Write `part` into the rows of an index; names, which are tuples, and entries stay as they are."""
        for name in self.row_fields():
            column = getattr(self, name)
            values = getattr(part, name)
            if isinstance(column, Columns):
                column.fill(index, values)
            elif isinstance(column, np.ndarray):
                column[index] = values

    def narrowed(self) -> Self:
        """Return the rows with each column in the type of a blank one: counts in 32 bits. Columns are arrays."""
        types = _blank_types(type(self)).items()
        return type(self)(**{name: getattr(self, name).astype(kind, copy=False) for name, kind in types})

    def columns(self) -> dict[str, Any]:
        """Return the columns of rows and of entries by their names."""
        return {name: getattr(self, name) for name in (*self.row_fields(), *self.entry_fields)}


Column = npt.NDArray[Any] | tuple[Any, ...] | Columns


def entries_of_rows(row: IntArray, n_rows: int, index: Index) -> tuple[IntArray | slice, IntArray]:
    """Return the entries of the rows of an index, and the row of each counted within the index.

    `row` is the row of each entry, ascending.
    """
    if isinstance(index, slice) and index.step in (None, 1):  # without copies, and without work on other rows
        first, last, _ = index.indices(n_rows)
        begin, end = row.searchsorted([first, max(first, last)]).tolist()
        return slice(begin, end), row[begin:end] - first
    rows = np.arange(n_rows)[index]
    offsets = row.searchsorted(np.arange(n_rows + 1))
    counts = np.diff(offsets)[rows]
    return ranges(offsets[rows], counts), np.arange(len(rows)).repeat(counts)


def _find_row_fields(kind: type[Columns]) -> tuple[str, ...]:
    excluded = (*kind.common_fields, *kind.entry_fields)
    return tuple(field.name for field in fields(cast("Any", kind)) if field.name not in excluded)


# A column of codes or counts is blank in 32 bits: the widths of a million documents add up.
_BLANK_TYPES: dict[object, np.dtype[np.generic]] = {
    FloatArray: np.dtype(np.float64),
    IntArray: np.dtype(np.int64),
    BoolArray: np.dtype(np.bool_),
    WordArray: np.dtype(np.uint64),
    CodeArray: np.dtype(np.int32),
}


def _find_blank_types(kind: type[Columns]) -> dict[str, type[Columns] | np.dtype[np.generic]]:
    hints = get_type_hints(kind)
    names = (*kind.row_fields(), *kind.entry_fields)
    return {name: _BLANK_TYPES.get(hints[name], hints[name]) for name in names}


# For a small corpus, looking up the fields of a class would take as long as the work on them.
_row_fields: Callable[[Any], tuple[str, ...]] = cache(_find_row_fields)
_blank_types: Callable[[Any], dict[str, type[Columns] | np.dtype[np.generic]]] = cache(_find_blank_types)


def _concatenated(parts: Sequence[Any]) -> Column:
    if isinstance(parts[0], Columns):
        return type(parts[0]).join(parts)
    return tuple(chain.from_iterable(parts)) if isinstance(parts[0], tuple) else np.concatenate(parts)


def _taken(column: Column, index: Index) -> Column:
    if isinstance(column, Columns):
        return column.take(index)
    if isinstance(column, np.ndarray) or isinstance(index, slice):
        return column[index]
    return tuple(column[row] for row in np.arange(len(column))[index].tolist())
