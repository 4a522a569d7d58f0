"""Where something stands in a file, and what is wrong there."""

from __future__ import annotations

from typing import NamedTuple

Where = int | str
"""A line, or words ("task 3, annotation 17")."""

_DIGITS = 18


class Problem(NamedTuple):
    """Something wrong: the file, the line or place in it, what, and what to do."""

    file: str
    where: Where | None
    what: str

    def __str__(self) -> str:
        place = f", line {self.where}" if isinstance(self.where, int) else f", {self.where}" if self.where else ""
        return f"{self.file}{place}: {self.what}"


class Place(NamedTuple):
    """Where a unit stands: the file, and the line or place in it."""

    file: str
    where: Where | None

    def __str__(self) -> str:
        if self.where is None:
            return self.file
        return f"{self.file}, line {self.where}" if isinstance(self.where, int) else f"{self.file}, {self.where}"


def line_of(where: Where | None) -> Where | None:
    """Return the number of a line where words say no more than "line 12", else what is given."""
    digits = where.removeprefix("line ") if isinstance(where, str) and where.startswith("line ") else ""
    return int(digits) if digits.isdecimal() and digits.isascii() and len(digits) <= _DIGITS else where
