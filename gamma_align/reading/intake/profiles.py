"""What the columns of a table look like: numbers, texts, lists, names; the evidence for what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, islice

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import fits, has_thousands, seconds_of
from gamma_align.reading.intake.cells import list_of, name_of, number_of, range_of
from gamma_align.reading.intake.rows import Cell, Rows, is_blank

_MIN_NUMBERS = 0.98  # share of the cells: a few errors are reported later
_MAX_NAMES = 60  # values of a column of names
_MAX_NAME_LENGTH = 60  # characters, on average
_LOOKED_AT = 500  # cells that tell lists, dates and ranges
_COMMA = re.compile(r"\s*-?\d+(,\d+)?\s*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")


@dataclass(frozen=True)
class Profile:
    """A column or place: its name, cells, and the names in the cells (None for a blank one).

    `given` are the columns that the user gave for roles, None for a role without a column.
    """

    name: str
    cells: Sequence[Cell]
    names: Sequence[str | None]
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
        texts = [cell for cell in self.cells if isinstance(cell, str) and cell.strip()]
        return len(texts) == len(self.filled) and any(has_thousands(texts, mark) for mark in ".,")

    @cached_property
    def is_clock(self) -> bool:
        """Whether all filled cells are times of a clock."""
        return bool(self.filled) and ":" in self.filled[0] and seconds_of(self.filled) is not None

    @cached_property
    def numbers(self) -> FloatArray:
        """The number in each cell, NaN where there is none."""
        if self.is_clock:
            seconds = iter((seconds_of(self.filled) or ([], True))[0])
            return np.array([np.nan if name is None else next(seconds) for name in self.names])
        names = self.names
        if self.has_thousands:
            names = [None if name is None else name.replace(",", "").replace(".", "") for name in names]
        elif self.has_commas:
            names = [None if name is None else name.replace(",", ".") for name in names]
        try:
            return np.array([np.nan if name is None else float(name) for name in names])
        except (ValueError, OverflowError):
            numbers = map(number_of, names)
            return np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)

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
        if not self.is_integer or len(self.filled) < len(self.names):
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
    def has_names(self) -> bool:
        """Whether the values may be names: not too many, and short."""
        return (
            bool(self.filled)
            and not self.is_list
            and not self.is_date
            and self.n_values <= max(2, min(_MAX_NAMES, len(self.filled)))
            and self.mean_length <= _MAX_NAME_LENGTH
        )

    @cached_property
    def is_in_blocks(self) -> bool:
        """Whether the rows of each value follow one another, and some value has several rows."""
        n_runs = sum(1 for _ in groupby(self.names))
        return n_runs == len(set(self.names)) and 1 < n_runs < len(self.names)


def _may_be_number(name: str) -> bool:
    return bool(_COMMA.fullmatch(name)) or number_of(name) is not None


def is_place(name: str) -> bool:
    """Return whether a column is told by the surroundings of rows: by their path, or by the key of a dictionary."""
    return name.startswith("@") or name.endswith("{key}")


def record_of(name: str) -> str:
    """Return the path of the record that has a column; "" in a table."""
    end = max(name.rfind("[]"), name.rfind("{}"))
    return name[: end + 2] if end >= 0 else ""


def profiles_of(rows: Rows, given: Mapping[str, str | None]) -> dict[str, Profile]:
    """Return the profiles of the columns and places of rows, by name; `given` are the user's columns of roles."""
    cells = {name: rows.cells(name) for name in rows.names}
    return {
        name: Profile(name, values, [*map(name_of, values)], is_place(name), given) for name, values in cells.items()
    }


def determines(first: Profile, second: Profile) -> bool:
    """Return whether the value of one column determines that of another one."""
    value: dict[str | None, str | None] = {}
    return all(value.setdefault(a, b) == b for a, b in zip(first.names, second.names, strict=True))
