"""What solves alignments, limits on the work that one may cost, and the clock that watches them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.alignment.options import PROOF, SOLVER
from gamma_align.columns import IntArray
from gamma_align.errors import SettingsError
from gamma_align.options import check_fields

KERNELS, ORTOOLS = "kernels", "ortools"

_WORK = 12_000_000_000
_LESS = 10
_FEW = 3_000  # columns: by measured cost
_SAMPLE_GAP = 0.002


@dataclass(frozen=True, slots=True)
class Limits:
    """What solves an alignment, and when to stop with a stated gap.

    Attributes
    ----------
    time_limit : float or None
        Seconds for each alignment (on average over those solved together); None is no limit. A result that
        such a limit cut short depends on the machine, and says that it is not optimal.
    max_columns : int
        Possible unitary alignments of one instance to hold at once, at most; it bounds the memory. Above, columns are
        made on demand.
    max_columns_per_unit : int
        So many for each unit are listed, because that is quicker than making them on demand. A few thousand always are.
    max_work : int or None
        Look-ups of pairs that making columns on demand may cost for one instance. It bounds the time much as
        `time_limit` does, but the result is the same on every machine. None is 12 billion (half a minute or so), or
        no limit where there is a `time_limit`.
    solver : {"kernels", "ortools"}
        What solves: the kernels of this package, with OR-Tools for what they leave open; or, to check them, OR-Tools
        alone, with one programme for each instance. That is slow, and a `SolverError` for an instance of more than
        `max_columns`. The least disorder is the same; where several alignments have it, the choice may be another.
    gap : float
        Where going on would be costly (better prices than those of two rounds, linear programmes, columns on demand),
        an alignment proven to be no more than this share above the least disorder is good enough. 0 asks for the best.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("bob", 1, 5, "x")])
    >>> ga.align(continuum, limits=ga.Limits(time_limit=10)).is_optimal
    True
    """

    time_limit: float | None = None
    max_columns: int = 2_000_000
    max_columns_per_unit: int = 200
    max_work: int | None = None
    solver: str = SOLVER.default
    gap: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, PROOF)
        if not 0.0 <= self.gap < 1.0:
            raise SettingsError(f"gap must be 0 or more and less than 1, not {self.gap}")
        for name in ("max_columns", "max_columns_per_unit", "max_work"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingsError(f"{name} must be 1 or more, not {value}")

    @property
    def work(self) -> int:
        """Look-ups that making columns on demand may cost for one instance."""
        if self.max_work is not None:
            return self.max_work
        return _WORK if self.time_limit is None else 2**62

    @property
    def less(self) -> Limits:
        """A tenth of the work: for samples of a document whose own alignment these limits left unproven."""
        return self if self.time_limit is not None else replace(self, max_work=max(self.work // _LESS, 1))

    @property
    def of_samples(self) -> Limits:
        """The same limits for samples: where one is costly, a proven bracket of its disorder is enough."""
        return replace(self, gap=max(self.gap, _SAMPLE_GAP))

    def columns_for(self, units: IntArray) -> IntArray:
        """Return how many columns instances of so many units may hold."""
        return np.minimum(np.maximum(self.max_columns_per_unit * units, _FEW), self.max_columns)

    def deadline(self, alignments: int) -> Deadline:
        """Return the clock for solving so many alignments together, started now."""
        return Deadline(None if self.time_limit is None else time.monotonic() + self.time_limit * alignments)


class Deadline(NamedTuple):
    """A point in time, or none."""

    end: float | None = None

    @property
    def remaining(self) -> float | None:
        """Seconds left (negative when over); None without a limit."""
        return None if self.end is None else self.end - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether time is up."""
        return self.end is not None and time.monotonic() >= self.end
