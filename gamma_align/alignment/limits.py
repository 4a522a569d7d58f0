"""Limits on the work that an alignment may cost, and the clock that watches them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from gamma_align.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop with a stated gap.

    Attributes
    ----------
    time_limit : float or None
        Seconds for each alignment (on average over those solved together); None is no limit. A result that
        such a limit cut short depends on the machine, and says that it is not optimal.
    max_columns : int
        Possible unitary alignments of one size to hold for one instance at once; above, columns are made on demand.
    max_rounds : int
        Rounds of making columns on demand for one instance.
    """

    time_limit: float | None = None
    max_columns: int = 100_000
    max_rounds: int = 1000

    def __post_init__(self) -> None:
        if self.time_limit is not None and not (math.isfinite(self.time_limit) and self.time_limit > 0):
            raise SettingsError(f"time_limit must be a finite number of seconds above 0, not {self.time_limit}")
        for name in ("max_columns", "max_rounds"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be 1 or more, not {getattr(self, name)}")

    def deadline(self, alignments: int) -> Deadline:
        """Return the clock for solving so many alignments together, started now."""
        return Deadline(None if self.time_limit is None else time.monotonic() + self.time_limit * alignments)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time, or none."""

    at: float | None = None

    @property
    def remaining(self) -> float | None:
        """Seconds left (negative when over); None without a limit."""
        return None if self.at is None else self.at - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether time is up."""
        return self.at is not None and time.monotonic() >= self.at
