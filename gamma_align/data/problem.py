"""What is wrong in a file or table, and where: line or row, cause and cure.

Checks add problems to a list. Reading raises the first of the list, validating shows all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from gamma_align.columns import IntArray
from gamma_align.errors import InputError

Where = int | str
"""A line, or words ("row 3", "task 3, annotation 17")."""

SHOWN = 10
"""How many rows a message names before it counts the rest."""


class Location(NamedTuple):
    """A file (or other origin) and the line, row or part of it."""

    file: str
    where: Where | None

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.file, self.within(self.file))))

    def within(self, file: str) -> str:
        """Return the line or row alone where a message has named the file."""
        if self.file != file:
            return str(self)
        return f"line {self.where}" if isinstance(self.where, int) else self.where or ""


class Problem(NamedTuple):
    """Something wrong: the file, the line or row in it, what, and what to do."""

    file: str
    where: Where | None
    what: str

    def __str__(self) -> str:
        return f"{Location(self.file, self.where)}: {self.what}"


class RowsProblem(NamedTuple):
    """The same thing wrong in several rows (ascending) of a table, each with its location and cause.

    `summary` is the message for all rows, where it is not that of the first with the names of the others.
    """

    location: Callable[[int], Location]
    rows: IntArray
    what: Callable[[int], str]
    cure: str
    summary: str = ""

    def each(self) -> list[Problem]:
        """Return one problem for each row."""
        cure = f"; {self.cure}" if self.cure else ""
        return [Problem(*self.location(row), f"{self.what(row)}{cure}") for row in self.rows.tolist()]

    def __str__(self) -> str:
        if self.summary:
            return self.summary
        first, *further = map(self.location, self.rows[:SHOWN].tolist())
        more = f" and {len(self.rows) - SHOWN} more" if len(self.rows) > SHOWN else ""
        names = ", ".join(location.within(first.file) for location in further)
        cure = f"; {self.cure}" if self.cure else ""
        return f"{first}: {self.what(int(self.rows[0]))}{cure}{f' (also {names}{more})' if names else ''}"


Problems = list[Problem | RowsProblem]
"""What checks have added."""


def each(problems: Iterable[Problem | RowsProblem]) -> list[Problem]:
    """Return the problems one by one."""
    lists = ([problem] if isinstance(problem, Problem) else problem.each() for problem in problems)
    return [problem for single in lists for problem in single]


def refuse(problems: Problems, *, more: str = "") -> None:
    """Raise the first problem, if there is any; `more` says how the others are found, ``{}`` being their number."""
    if problems:
        number = sum(1 if isinstance(problem, Problem) else len(problem.rows) for problem in problems[1:])
        raise InputError(f"{problems[0]}{more.format(number) if number and more else ''}")


def few(names: Iterable[object], limit: int = 5) -> str:
    """Return the first of the names, and how many there are if that is not all."""
    texts = list(map(str, names))
    return ", ".join(texts[:limit]) + (f" … ({len(texts)} in all)" if len(texts) > limit else "")
