"""What the columns of a table look like: numbers, texts, lists, names; the evidence for what they mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, islice

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.cells import Cell, is_blank, list_of, name_of, number_of
from gamma_align.data.clock_times import seconds_of
from gamma_align.data.decimals import has_thousands
from gamma_align.data.words import fits

Profiles = Mapping[str, "Profile"]
"""The columns of a table by name."""

COLLECTIONS = (set, frozenset, list, tuple, dict)
"""The types of cells with several values."""

MAX_SCALE_RANGE = 10
"""Rating scales rarely have more points than 0 to 10."""

_KINDS = {str, int, float, bool}  # of cells that are equal if their names are
_MIN_NUMBERS = 0.98  # share of the cells: a few errors are reported later
_MAX_NAMES = 60  # values of a column of names
_MAX_NAME_LENGTH = 60  # characters, on average
_MIN_LONG_TEXT = 40  # characters on average; names of categories are shorter
_VARIED_SHARE = 0.5  # of different values; above, a column hardly repeats values
_MIN_ALL_DIFFERENT = 10  # values; fewer judgments may all be different by chance
_IN_RANGE_SHARE = 0.5  # of numbers in the range of other coders; above, they may measure the same quantity
_MIN_SHARED = 0.5  # of the values of one column
_GRADES = frozenset(map(str, range(-9, 11)))  # larger numbers count or measure something
_ROWS_A_GRADE = 4
_LOOKED_AT = 500  # cells that tell lists, dates and ranges
_COMMA = re.compile(r"\s*-?\d+(,\d+)?\s*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_NUMBER = r"(-?\d+(?:[.,]\d+)?)"
_RANGE = re.compile(rf"\s*{_NUMBER}\s*(?:[-–—:]|\.\.|,\s)\s*{_NUMBER}\s*")
_RANGE_IN_BRACKETS = re.compile(r"\s*[\[(]\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*[\])]\s*")
_MIN_NUMBERED = 6  # rows; six judgments are hardly 1, 2, 3, 4, 5, 6 in this order
_MIN_BLOCK = 3  # rows on average
_MIN_ROWS_OF_BLOCKS = 12  # fewer judgments may be sorted by chance
_MIN_RUN = 3  # numbers on average from one reset to the next
_MIN_UNEVEN_RUN = 5  # the same, if numbers are left out or runs begin anywhere


@dataclass(frozen=True, eq=False)
class Profile:
    """A column or place of a table: its name and its cells.

    `given` are the columns that the user gave for roles, None for a role without a column.
    """

    name: str
    cells: Sequence[Cell]
    is_place: bool = False
    given: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def is_key(self) -> bool:
        """Whether the values are the keys of a dictionary."""
        return self.name.endswith("{key}")

    @property
    def field(self) -> str:
        """The name of the field whose keys the values are."""
        return re.split(r"[.\[\]{}]+", self.name.removesuffix("{key}").rstrip("[]{}"))[-1]

    def fits(self, role: str) -> int:
        """Return how well the name tells a role, as `words.fits`; the user's word counts as our name."""
        if self.name in self.given.values() or role in self.given:
            return 3 if self.given.get(role) == self.name else 0
        return 0 if self.is_place else fits(self.name, role)

    def may_have(self, role: str) -> bool:
        """Return whether the user gave no other column the role, and this column no other role."""
        is_free = role in self.given or self.name not in self.given.values()
        return is_free and self.given.get(role, self.name) == self.name

    @cached_property
    def names(self) -> list[str | None]:
        """The names in the cells, None for a blank one."""
        kinds = {*map(type, self.cells)} - {type(None)}
        if len(kinds) > 1 or not kinds <= _KINDS:  # 1 and True are equal and have two names
            return [*map(name_of, self.cells)]
        name = {cell: name_of(cell) for cell in {*self.cells}}
        return [*map(name.__getitem__, self.cells)]

    @cached_property
    def filled(self) -> list[str]:
        """The names of the cells that are not blank."""
        return [name for name in self.names if name is not None]

    @cached_property
    def coded(self) -> tuple[IntArray, list[str]]:
        """The code of each cell, -1 for a blank one, and the distinct names."""
        code = {name: index for index, name in enumerate(dict.fromkeys(self.filled))}
        codes = np.fromiter((-1 if name is None else code[name] for name in self.names), np.int64, len(self.names))
        return codes, list(code)

    @property
    def n_values(self) -> int:
        """Number of distinct names."""
        return len(self.coded[1])

    @cached_property
    def is_constant(self) -> bool:
        """Whether all filled cells are equal."""
        return self.n_values <= 1

    @cached_property
    def has_commas(self) -> bool:
        """Whether all cells are numbers, some with a decimal comma."""
        if not all(map(_COMMA.fullmatch, self.filled[:_LOOKED_AT])):
            return False
        return any("," in name for name in self.filled) and all(map(_COMMA.fullmatch, self.filled))

    @cached_property
    def has_thousands(self) -> bool:
        """Whether texts are numbers with marks of thousands."""
        if not any("," in name or "." in name for name in self.coded[1]):
            return False
        texts = [cell for cell in self.cells if isinstance(cell, str) and cell.strip()]
        return len(texts) == len(self.filled) and any(has_thousands(texts, mark) for mark in ".,")

    @cached_property
    def is_clock(self) -> bool:
        """Whether all filled cells are times of a clock."""
        return bool(self.filled) and ":" in self.filled[0] and seconds_of(self.filled) is not None

    @cached_property
    def numbers(self) -> FloatArray:
        """The number in each cell, NaN where there is none."""
        codes, names = self.coded
        if self.is_clock:
            numbers: list[float | None] = [*(seconds_of(names) or ([], True))[0]]
        else:
            marks = ",." if self.has_thousands else ""
            plain = (name.translate(dict.fromkeys(map(ord, marks))) for name in names)
            numbers = [number_of(name.replace(",", ".") if self.has_commas else name) for name in plain]
        return np.array([*numbers, None], dtype=np.float64)[codes]  # code -1 reads the last entry

    @cached_property
    def is_number(self) -> bool:
        """Whether nearly all filled cells are numbers or times."""
        if not self.filled or self.is_list:
            return False
        if not self.is_clock and sum(_may_be_number(name) for name in self.filled[:_LOOKED_AT]) == 0:
            return False
        return bool(np.isfinite(self.numbers).sum() >= _MIN_NUMBERS * len(self.filled))

    @cached_property
    def is_integer(self) -> bool:
        """Whether all numbers are whole."""
        numbers = self.numbers[np.isfinite(self.numbers)]
        return self.is_number and not self.is_clock and bool((numbers == np.round(numbers)).all())

    @cached_property
    def is_counter(self) -> bool:
        """Whether numbers count rows: 1, 2, 3 …, perhaps beginning again."""
        if not self.is_integer or not self.is_full:
            return False
        step = np.diff(self.numbers)
        if not len(step):
            return False
        begins_again = self.numbers[1:] == self.numbers.min()
        return bool(((step == 1) | begins_again).all() and (step == 1).mean() > 0.5)  # noqa: PLR2004  (most)

    @cached_property
    def is_list(self) -> bool:
        """Whether all filled cells are lists."""
        filled = [*islice((cell for cell in self.cells if not is_blank(cell)), _LOOKED_AT)]
        return bool(filled) and all(list_of(cell) is not None for cell in filled)

    @cached_property
    def is_range(self) -> bool:
        """Whether all filled cells are two numbers."""
        filled = self.filled[:_LOOKED_AT]
        return bool(filled) and all(range_of(name) is not None for name in filled) and not self.is_clock

    @cached_property
    def is_date(self) -> bool:
        """Whether cells have dates."""
        return bool(self.filled) and all(map(_DATE.search, self.filled[:_LOOKED_AT]))

    @cached_property
    def mean_length(self) -> float:
        """Mean number of characters of the filled cells."""
        return float(np.mean([len(name) for name in self.filled])) if self.filled else 0.0

    @property
    def is_full(self) -> bool:
        """Whether no cell is blank."""
        return len(self.filled) == len(self.names)

    @cached_property
    def are_labels(self) -> bool:
        """Whether no cell has several values."""
        return not any(issubclass(kind, COLLECTIONS) for kind in {*map(type, self.cells)})

    @property
    def has_names(self) -> bool:
        """Whether the values may be names: not too many, and short."""
        return (
            bool(self.filled)
            and not self.is_list
            and not self.is_date
            and self.n_values <= max(2, min(_MAX_NAMES, len(self.filled)))
            and self.mean_length <= _MAX_NAME_LENGTH
        )

    @property
    def has_marks(self) -> bool:
        """Whether cells have one value or are empty."""
        return self.is_constant and 0 < len(self.filled) < len(self.names)

    @property
    def are_grades(self) -> bool:
        """Whether numbers may be grades of a scale."""
        return self.is_integer and self.n_values <= len(self.filled) / _ROWS_A_GRADE and {*self.filled} <= _GRADES

    @cached_property
    def points(self) -> FloatArray | None:
        """The distinct numbers in order, None if a cell is something else or no cell is filled."""
        if not self.filled or self.is_clock or self.has_commas or self.has_thousands:
            return None
        points = np.unique(self.numbers[self.coded[0] >= 0])
        return points if np.isfinite(points).all() else None

    @cached_property
    def values(self) -> frozenset[float | str]:
        """The distinct values: numbers, other names, and the members of sets."""
        sets = [] if self.are_labels else [cell for cell in self.cells if isinstance(cell, COLLECTIONS)]
        numbers = {name: number_of(name) for name in {*self.coded[1]}.difference(map(name_of, sets))}
        values = [name if n is None or not math.isfinite(n) else n for name, n in numbers.items()]
        return frozenset(values).union(*(map(str, cell) for cell in sets))

    @property
    def n_distinct(self) -> int:
        """Number of distinct values; numbers may be written in several ways, such as 1 and 1.0."""
        return self.n_values if self.points is None else len(self.points)

    @property
    def is_varied(self) -> bool:
        """Whether the column hardly repeats values."""
        return self.n_distinct > _VARIED_SHARE * len(self.filled)

    @property
    def is_all_different(self) -> bool:
        """Whether no value repeats, and there are enough values for this to be significant."""
        return self.n_distinct == len(self.filled) >= _MIN_ALL_DIFFERENT

    @property
    def are_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return self.points is not None and bool((self.points == np.floor(self.points)).all())

    @property
    def is_rating_scale(self) -> bool:
        """Whether the values are whole numbers as close together as the points of a rating scale."""
        return self.points is not None and self.are_whole and bool(np.ptp(self.points) <= MAX_SCALE_RANGE)

    def is_beyond(self, others: Iterable[Profile]) -> bool:
        """Whether most values are whole numbers outside the range of other columns, which are rating scales."""
        numeric = [other for other in others if other.points is not None]
        if not self.are_whole or not numeric or self.is_rating_scale:
            return False
        return all(other.is_rating_scale for other in numeric) and not self.is_measured(numeric)

    def is_measured(self, others: Iterable[Profile]) -> bool:
        """Whether numbers that are all different may measure the same quantity as other columns, in more detail.

        Whole numbers outside the range of the other numbers are ids. Fractions are not ids, but next to columns with
        the few values of a rating scale they are times or scores.
        """
        numeric = [other for other in others if other.points is not None]
        if self.points is None or not numeric:  # texts are not measured
            return False
        if not self.are_whole:
            return not all(other.is_rating_scale for other in numeric)
        points = np.concatenate([other.points for other in numeric if other.points is not None])
        return bool(np.mean((self.points >= points.min()) & (self.points <= points.max())) > _IN_RANGE_SHARE)

    def shares_with(self, other: Profile) -> bool:
        """Return whether two columns have a value in common, or numbers in overlapping ranges."""
        if self.points is not None and other.points is not None:
            return bool(self.points[0] <= other.points[-1] and other.points[0] <= self.points[-1])
        return not self.values.isdisjoint(other.values)

    @property
    def is_long_text(self) -> bool:
        """Whether the values are texts too long for categories."""
        return self.mean_length >= _MIN_LONG_TEXT and self.is_varied

    @cached_property
    def is_in_blocks(self) -> bool:
        """Whether the rows of each value follow one another, and some value has several rows."""
        n_runs = sum(1 for _ in groupby(self.names))
        return n_runs == len(set(self.names)) and 1 < n_runs < len(self.names)

    @cached_property
    def numbering(self) -> str:
        """What numbers do in the order of the rows, if they are hardly judgments, else nothing.

        They may be 1, 2, 3, … ("numbers the rows"), count again and again ("counts", 1, 2, 3, 1, 2, 3), or number
        blocks of rows ("has blocks of equal numbers", 1, 1, 1, 2, 2, 2).
        """
        if len(self.names) < _MIN_NUMBERED or not self.is_full or not np.isfinite(self.numbers).all():
            return ""
        if self.numbers_rows:
            return "numbers the rows"
        begins = np.flatnonzero(np.r_[True, np.diff(self.numbers) != 0])
        blocks = self.numbers[begins]
        lengths = np.diff(np.r_[begins, len(self.numbers)])
        if len(blocks) == len(self.numbers):
            return "counts" if _counts_up(blocks) else ""
        # The judgments of a coder change more often, unless they are sorted.
        n_rows = len(self.numbers)
        is_sorted = n_rows >= max(_MIN_ROWS_OF_BLOCKS, _MIN_BLOCK * len(blocks)) and bool((np.diff(blocks) > 0).all())
        is_even = len(set(lengths.tolist())) == 1 and lengths[0] >= _MIN_BLOCK
        is_counted = len(blocks) > 1 and (is_sorted or (is_even and len(np.unique(blocks)) < len(blocks)))
        return "has blocks of equal numbers" if is_counted or _counts_up(blocks) else ""

    @cached_property
    def numbers_rows(self) -> bool:
        """Whether the values are 0, 1, 2, … or 1, 2, 3, … in the order of the rows, and enough of them."""
        is_first = len(self.numbers) >= _MIN_NUMBERED and self.numbers[0] in (0, 1)
        return is_first and bool((self.numbers == self.numbers[0] + np.arange(len(self.numbers))).all())

    def share_values(self, other: Profile) -> bool:
        """Return whether half of the values of one of two columns are values of the other."""
        first, second = ({*each.coded[1]} for each in (self, other))
        return len(first & second) >= _MIN_SHARED * min(len(first), len(second))


def _may_be_number(name: str) -> bool:
    return bool(_COMMA.fullmatch(name)) or number_of(name) is not None


def range_of(cell: Cell) -> tuple[str, str] | None:
    """Return the two numbers in a cell such as "0 - 10", "0..10" or "[0, 10]", None if there are others."""
    match = _RANGE.fullmatch(str(cell)) or _RANGE_IN_BRACKETS.fullmatch(str(cell))
    return None if match is None else (match[1], match[2])


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


def joined_codes(columns: Iterable[Profile]) -> IntArray:
    """Return a code for each row of columns, the same for rows with the same names."""
    codes = [column.coded[0] for column in columns]
    rows = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        # The inverse is less than the number of rows, so that the product cannot overflow.
        _, rows = np.unique(rows * (code.max(initial=0) + 2) + code + 1, return_inverse=True)
    return rows


def are_different(columns: Iterable[Profile]) -> bool:
    """Return whether no two rows of columns have the same names."""
    rows = joined_codes(columns)
    return len(np.unique(rows)) == len(rows)


def determines(first: Profile, second: Profile) -> bool:
    """Return whether the value of one column determines that of another one."""
    n_first = len(np.unique(first.coded[0]))
    return len(np.unique(joined_codes((first, second)))) == n_first
