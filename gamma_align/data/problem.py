"""Problems of many rows, and how they are raised: reading raises the first problem, validating shows all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import NamedTuple

from gamma_align.columns import IntArray
from gamma_align.errors import PYTHON, Call, Cure, InputError, Location, Problem

MAX_ROWS_SHOWN = 10
"""Maximum number of rows that a message names before it counts the others."""


class RowsProblem(NamedTuple):
    """The same problem in several rows (ascending) of a table, each with its location and cause.

    `summary` is the problem of all rows together. Without one, it is the problem of the first row with
    the names of the others.
    """

    location: Callable[[int], Location]
    rows: IntArray
    cause: Callable[[int], str]
    cure: Cure | None = None
    summary: Problem | None = None

    def single_problems(self) -> list[Problem]:
        """Return one problem for each row."""
        return [Problem(self.location(row), self.cause(row), self.cure) for row in self.rows.tolist()]

    def as_one_problem(self) -> Problem:
        """Return one problem for all rows."""
        if self.summary is not None:
            return self.summary
        first, *further = map(self.location, self.rows[:MAX_ROWS_SHOWN].tolist())
        names = ", ".join(location.within(first.file) for location in further)
        n_more = len(self.rows) - MAX_ROWS_SHOWN
        more = f" and {n_more} more" if n_more > 0 else ""
        details = f" (also {names}{more})" if names else ""
        return Problem(first, self.cause(int(self.rows[0])), self.cure, details)

    def __str__(self) -> str:
        return self.as_one_problem().render(PYTHON)


Problems = list[Problem | RowsProblem]
"""The problems that checks have added."""


def single_problems(problems: Iterable[Problem | RowsProblem]) -> list[Problem]:
    """Return the problems one by one, one for each row."""
    lists = ([problem] if isinstance(problem, Problem) else problem.single_problems() for problem in problems)
    return [*chain.from_iterable(lists)]


def refuse(problems: Problems, *, can_be_listed: bool = False) -> None:
    """Raise the first problem, if there is any.

    If `can_be_listed`, the message counts the others and says that `validate` lists them.
    """
    if not problems:
        return
    first = problems[0]
    n_more = sum(1 if isinstance(problem, Problem) else len(problem.rows) for problem in problems[1:])
    see_all = Cure("{} lists them all", Call("validate", "validate")) if n_more and can_be_listed else None
    raise InputError(first if isinstance(first, Problem) else first.as_one_problem(), n_more=n_more, see_all=see_all)


def few(names: Iterable[object], limit: int = 5) -> str:
    """Return the first names, and the number of all names if there are more."""
    texts = list(map(str, names))
    return ", ".join(texts[:limit]) + (f" … ({len(texts)} in all)" if len(texts) > limit else "")
