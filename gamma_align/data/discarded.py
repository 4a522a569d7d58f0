"""Columns that mark units which were deleted, cancelled or rejected, beside those that count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from gamma_align.data.wording import counted
from gamma_align.data.words import SURE, fits

_YES = frozenset(["1", "j", "ja", "oui", "s", "si", "sim", "sí", "true", "vrai", "wahr", "x", "y", "yes", "да", "是"])


class Discarded(NamedTuple):
    """A column in which some units are marked: its name, the mark, and the number of units that have it."""

    column: str
    mark: str
    n_units: int

    @property
    def fact(self) -> str:
        """What the column tells, for messages."""
        have = "has" if self.n_units == 1 else "have"
        return f"{counted(self.n_units, 'unit')} {have} {self.mark!r} in {self.column!r}"


def discarded_in(name: str, cells: Iterable[str | None]) -> Discarded | None:
    """Return which units a column marks as discarded, None if its name does not say so, or it marks all or none."""
    if fits(name, "discarded") < SURE:
        return None
    counts = Counter("" if cell is None else cell.strip() for cell in cells)
    marks = [cell for cell in counts if cell.casefold() in _YES]
    if len(counts) != 2 or len(marks) != 1:  # noqa: PLR2004  (marked or not)
        return None
    return Discarded(name, marks[0], counts[marks[0]])
