"""The values of a column of a table of items, and whether they look like judgments of a coder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data.item_labels import Cells, exact_number, is_missing, label_name, list_cells, parse_number
from gamma_align.data.tables import Table, factorized

Value = str | float
"""A cell, or a member of a set in a cell: a number if it reads as one."""

_MIN_ALL_DIFFERENT = 10  # values; fewer judgments may all be different by chance
_MIN_NUMBERED = 6  # rows; six judgments are hardly 1, 2, 3, 4, 5, 6 in this order
_NUMBERS_ROWS = "numbers the rows"
_MIN_BLOCK = 3  # rows on average
_MIN_ROWS_OF_BLOCKS = 12  # fewer judgments may be sorted by chance
_MIN_RUN = 3  # numbers on average from one reset to the next
_MIN_UNEVEN_RUN = 5  # the same, if numbers are left out or runs begin anywhere
_MIN_LONG_TEXT = 40  # characters on average; names of categories are shorter
_VARIED_SHARE = 0.5  # of different values; above, a column hardly repeats values
_MAX_SCALE_RANGE = 10  # rating scales rarely have more points than 0 to 10
_IN_RANGE_SHARE = 0.5  # of numbers in the range of other coders; above, they may measure the same quantity
_MAX_COMPARED = 10_000  # numbers of an array: sorting a million takes a tenth of a second


class ColumnValues(NamedTuple):
    """The values of a column.

    `rows` is the number of cells, `size` the number of cells with a value. `values` are the different values, as
    numbers if they read as numbers; `n_different` of the first `n_compared` values differ. If all values are numbers,
    `numbers` are the different ones, sorted. `mean_length` is in characters, 0 for numbers. `numbering` says what the
    values are in the order of the rows, if they are not judgments: "numbers the rows", "counts" again and again (1, 2,
    3, 1, 2, 3), or "has blocks of equal numbers" (1, 1, 1, 2, 2, 2); otherwise it is empty.
    """

    rows: int
    size: int
    values: frozenset[Value]
    n_different: int
    n_compared: int
    numbers: FloatArray | None
    mean_length: float
    numbering: str

    @classmethod
    def examine(cls, cells: Cells, separator: str | None) -> ColumnValues:
        """Return the values of a column. If cells are sets with this separator, each member is a value."""
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu" and not isinstance(cells, np.ma.MaskedArray):
            return cls._examine_array(cells)
        rows = list_cells(cells)
        counts = {cell: count for cell, count in _count_cells(rows).items() if not _is_blank(cell)}
        members = [_members(cell, separator) for cell in counts]
        values: set[Value] = set().union(*members)
        size = sum(counts.values())
        characters = sum(len(cell) * count for cell, count in counts.items() if isinstance(cell, str))
        numbers = None
        if values and separator is None and all(isinstance(value, float) for value in values):
            numbers = np.array(sorted(map(float, values)))
        # Numbers may be written in several ways, such as 1 and 1.0.
        n_different = len(counts) if numbers is None else len(numbers)
        numbering = ""
        if numbers is not None and size == len(rows):
            number = {cell: float(*_members(cell, None)) for cell in counts}
            numbering = _numbering(np.array([number[_hashable(cell)] for cell in rows]))
        mean_length = characters / max(size, 1)
        return cls(len(rows), size, frozenset(values), n_different, size, numbers, mean_length, numbering)

    @classmethod
    def _examine_array(cls, cells: npt.NDArray[Any]) -> ColumnValues:
        numbers = cells.astype(np.float64)
        numbers = numbers[~np.isnan(numbers)]
        compared = numbers[:_MAX_COMPARED]
        different = np.unique(compared)
        values = frozenset(different.tolist())
        # The range is the range of all numbers, although only the first ones are compared.
        distinct = np.union1d(different, [numbers.min(), numbers.max()]) if len(numbers) else None
        numbering = _numbering(numbers) if len(numbers) == len(cells) else ""
        return cls(len(cells), len(numbers), values, len(different), len(compared), distinct, 0.0, numbering)

    @property
    def numbers_rows(self) -> bool:
        """Whether the values are 0, 1, 2, … or 1, 2, 3, … in the order of the rows."""
        return self.numbering == _NUMBERS_ROWS

    @property
    def shown(self) -> list[str]:
        """The values as messages show them, in order."""
        numbers = sorted(value for value in self.values if isinstance(value, float))
        return [*map(label_name, numbers), *sorted(value for value in self.values if isinstance(value, str))]

    @property
    def is_varied(self) -> bool:
        """Whether the column hardly repeats values."""
        return self.n_different > _VARIED_SHARE * self.n_compared

    @property
    def is_all_different(self) -> bool:
        """Whether no value repeats, and there are enough values for this to be significant."""
        return self.n_different == self.n_compared >= _MIN_ALL_DIFFERENT

    @property
    def is_long_text(self) -> bool:
        """Whether the values are texts too long for categories."""
        return self.mean_length >= _MIN_LONG_TEXT and self.is_varied

    @property
    def is_rating_scale(self) -> bool:
        """Whether the values are whole numbers as close together as the points of a rating scale."""
        if self.numbers is None or (self.numbers != np.floor(self.numbers)).any():
            return False
        return bool(self.numbers[-1] - self.numbers[0] <= _MAX_SCALE_RANGE)

    def is_beyond(self, columns: Iterable[ColumnValues]) -> bool:
        """Whether most values are whole numbers outside the range of the other columns, which are rating scales."""
        numeric = [column for column in columns if column.numbers is not None]
        if (
            self.numbers is None
            or not numeric
            or self.is_rating_scale
            or (self.numbers != np.floor(self.numbers)).any()
        ):
            return False
        return all(column.is_rating_scale for column in numeric) and not self.is_measured(numeric)

    def is_measured(self, columns: Iterable[ColumnValues]) -> bool:
        """Whether numbers that are all different may measure the same quantity as the other columns, in more detail.

        Whole numbers outside the range of the other numbers are ids. Fractions are not ids, but next to columns with
        the few values of a rating scale they are times or scores.
        """
        numeric = [column for column in columns if column.numbers is not None]
        # Texts are not measured.
        if self.numbers is None or not numeric:
            return False
        if (self.numbers != np.floor(self.numbers)).any():
            return not all(column.is_rating_scale for column in numeric)
        ranges = [(column.numbers[0], column.numbers[-1]) for column in numeric if column.numbers is not None]
        low = min(low for low, _ in ranges)
        high = max(high for _, high in ranges)
        return bool(np.mean((self.numbers >= low) & (self.numbers <= high)) > _IN_RANGE_SHARE)

    def shares_with(self, column: ColumnValues) -> bool:
        """Whether the two columns have a value in common, or numbers in overlapping ranges."""
        if self.numbers is not None and column.numbers is not None:
            return bool(self.numbers[0] <= column.numbers[-1] and column.numbers[0] <= self.numbers[-1])
        return not self.values.isdisjoint(column.values)


def _is_blank(cell: object) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and not cell.strip())


def _count_cells(cells: list[object]) -> Counter[object]:
    """Return the number of occurrences of each cell; if a cell cannot be hashed, sets and lists become frozen sets."""
    try:
        return Counter(cells)
    except TypeError:
        return Counter[object](map(_hashable, cells))


def _hashable(cell: object) -> Hashable:
    if isinstance(cell, (set, list, tuple)):
        return frozenset(map(str, cell))
    return cell if isinstance(cell, Hashable) else repr(cell)


def _numbering(numbers: FloatArray) -> str:
    """Return how numbers that are no judgments number the rows, as `ColumnValues.numbering`."""
    if len(numbers) < _MIN_NUMBERED:
        return ""
    if are_row_numbers(numbers):
        return _NUMBERS_ROWS
    begins = np.flatnonzero(np.r_[True, np.diff(numbers) != 0])
    blocks = numbers[begins]
    lengths = np.diff(np.r_[begins, len(numbers)])
    if len(blocks) == len(numbers):
        return "counts" if _counts_up(blocks) else ""
    # The judgments of a coder change more often, unless they are sorted.
    is_sorted = len(numbers) >= max(_MIN_ROWS_OF_BLOCKS, _MIN_BLOCK * len(blocks)) and bool((np.diff(blocks) > 0).all())
    is_even = len(set(lengths.tolist())) == 1 and lengths[0] >= _MIN_BLOCK
    is_counted = len(blocks) > 1 and (is_sorted or (is_even and len(np.unique(blocks)) < len(blocks)))
    return "has blocks of equal numbers" if is_counted or _counts_up(blocks) else ""


def are_row_numbers(numbers: FloatArray | IntArray) -> bool:
    """Return whether numbers are 0, 1, 2, … or 1, 2, 3, …, if there are enough of them."""
    is_first = len(numbers) >= _MIN_NUMBERED and numbers[0] in (0, 1)
    return is_first and bool((numbers == numbers[0] + np.arange(len(numbers))).all())


def _counts_up(numbers: FloatArray) -> bool:
    """Return whether numbers count up, once or again and again from the same number."""
    if len(numbers) < _MIN_NUMBERED:
        return False
    steps = np.diff(numbers)
    begins = np.r_[0, np.flatnonzero(steps < 0) + 1]
    mean_length = len(numbers) / len(begins)
    is_even = bool((numbers[begins] == numbers[0]).all()) and len(np.unique(steps[steps > 0])) == 1
    # Judgments in any order go up two or three times in a row.
    if is_even and mean_length >= _MIN_RUN:
        return True
    return mean_length >= _MIN_UNEVEN_RUN and len(numbers) >= _MIN_ROWS_OF_BLOCKS


def _members(cell: object, separator: str | None) -> set[Value]:
    """Return the values in a cell: the members of a set, or a single value."""
    if isinstance(cell, (frozenset, tuple)):
        return {str(member) for member in cell}
    if isinstance(cell, str):
        parts = [cell] if separator is None else cell.split(separator)
        numbers = {part.strip(): parse_number(part.strip()) for part in parts}
        return {text if number is None else float(number) for text, number in numbers.items()}
    number = exact_number(cell)
    return {str(cell) if number is None else float(number)}


def name_codes(table: Table, name: str) -> IntArray:
    """Return a column of names as codes, -1 for a blank cell."""
    column = factorized(table, name, nullable=True)
    is_blank = np.array([*(not label.strip() for label in column.labels), True])  # code -1 reads the last entry
    return np.where(is_blank[column.codes], UNLABELLED, column.codes)


def joined_codes(columns: Sequence[IntArray]) -> IntArray:
    """Return the rows of columns of codes as codes."""
    rows = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        # The inverse is less than the number of rows, so that the product cannot overflow.
        _, rows = np.unique(rows * (column.max(initial=0) + 2) + column + 1, return_inverse=True)
    return rows


def are_different(columns: Sequence[IntArray]) -> bool:
    """Return whether the rows of columns of codes are all different."""
    return len(np.unique(joined_codes(columns))) == len(columns[0])
