"""Where something stands in a file, and what is wrong there.

Checks add what they find to a list. Reading raises the first of the list, validating shows all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from gamma_align._types import IntArray
from gamma_align.errors import InputError

Where = int | str
"""A line, or words ("task 3, annotation 17")."""

_DIGITS = 18


class Place(NamedTuple):
    """Where a unit stands: the file, and the line or place in it."""

    file: str
    where: Where | None

    def __str__(self) -> str:
        if self.where is None or self.where == "":
            return self.file
        return f"{self.file}, line {self.where}" if isinstance(self.where, int) else f"{self.file}, {self.where}"


class Problem(NamedTuple):
    """Something wrong: the file, the line or place in it, what, and what to do."""

    file: str
    where: Where | None
    what: str

    def __str__(self) -> str:
        return f"{Place(self.file, self.where)}: {self.what}"


class Located(Protocol):
    """A table, whose rows have a location (`data.tables.Table`)."""

    def where(self, row: int) -> str:
        """Return the location of a row as words."""

    def location(self, row: int) -> Place:
        """Return file and line of a row."""

    def and_others(self, rows: IntArray) -> str:
        """Return words for the rows after the first."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Rows of a table with the same thing wrong.

    Attributes
    ----------
    table : Table
        The table the rows are in.
    rows : ndarray of int64
        The rows, ascending.
    what : callable
        From a row to what is wrong with it.
    cure : str
        What to do.
    summary : str
        What an error says of all the rows, where it is not the first of them.
    """

    table: Located
    rows: IntArray
    what: Callable[[int], str]
    cure: str
    summary: str = ""

    def message(self, row: int) -> str:
        """Return what is wrong with a row, and what to do."""
        return f"{self.what(row)}; {self.cure}" if self.cure else self.what(row)

    def __str__(self) -> str:
        row = int(self.rows[0])
        return self.summary or f"{self.table.where(row)}: {self.message(row)}{self.table.and_others(self.rows)}"


Problems = list[Problem | Fault]
"""What checks found."""


def listed(problems: Iterable[Problem | Fault]) -> list[Problem]:
    """Return the problems one by one, a fault as one for each of its rows."""
    single: list[Problem] = []
    for problem in problems:
        if isinstance(problem, Problem):
            single.append(problem)
        else:
            single += (Problem(*problem.table.location(row), problem.message(row)) for row in problem.rows.tolist())
    return single


def refuse(problems: Problems, *, more: str = "") -> None:
    """Raise the first problem, if there is any; `more` says how the others are found, ``{}`` being their number."""
    if problems:
        others = sum(1 if isinstance(problem, Problem) else len(problem.rows) for problem in problems[1:])
        raise InputError(f"{problems[0]}{more.format(others) if others and more else ''}")


def line_of(where: Where | None) -> Where | None:
    """Return the number of a line where words say no more than "line 12", else what is given."""
    digits = where.removeprefix("line ") if isinstance(where, str) and where.startswith("line ") else ""
    return int(digits) if digits.isdecimal() and digits.isascii() and len(digits) <= _DIGITS else where
