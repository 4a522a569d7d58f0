"""The solver of alignments, limits for the work of one alignment, and the deadline."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gamma_align.alignment.backend import has_ortools
from gamma_align.alignment.options import PROOF_OPTIONS, SOLVER
from gamma_align.columns import IntArray
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.options import check_fields

# the solvers
KERNELS = "kernels"
ORTOOLS = "ortools"

_DEFAULT_MAX_WORK = 12_000_000_000  # pairs looked up; about half a minute
# Factor by which the default work is lower for more than fifteen annotators: after some seconds, gaps hardly shrink.
_REDUCTION_MANY_ANNOTATORS = 6
_UNLIMITED_WORK = 2**62
_REDUCTION = 10  # factor by which `Limits.reduced` lowers the work, and the default of it if a gap is accepted
_ALWAYS_LISTED_COLUMNS = 3_000  # of an instance; set by measured cost
_SAMPLE_GAP = 0.002  # of the disorder


@dataclass(frozen=True, slots=True)
class Limits:
    """The solver of an alignment, and limits beyond which it stops with a stated gap.

    Attributes
    ----------
    time_limit : float or None
        Seconds per alignment, on average over the alignments solved together; None is no limit. If the limit stops a
        search, the result depends on the machine and is marked as not optimal.
    max_columns : int
        Maximum number of possible unitary alignments of one instance in memory. If an instance has more, columns are
        generated on demand.
    max_columns_per_unit : int
        Maximum number of columns per unit that are listed, because listing is faster than generating them on demand.
        Up to 3,000 columns of an instance are always listed.
    max_work : int or None
        Maximum number of pairs looked up while columns of one instance are generated on demand. It limits the time as
        `time_limit` does, but the result is the same on every machine. None is 12 billion (about half a minute), a
        sixth of it with more than fifteen annotators, and a tenth if a `gap` is accepted; no limit if a `time_limit` is
        set. With more than fifteen annotators, a part of the work goes into a bound from blocks of annotators.
    solver : {"kernels", "ortools"}
        "kernels" uses the kernels of this package, and OR-Tools for parts that they do not solve, or HiGHS if OR-Tools
        is not installed. "ortools" checks them by OR-Tools alone, with one programme per instance: it is slow, and
        instances with more than `max_columns` raise a `SolverError`. The least disorder is the same; if several
        alignments have it, another one may be returned.
    gap : float
        If a search becomes costly (more than two rounds or lists, linear programmes, columns on demand), it stops at
        an alignment proven to be at most this share above the least disorder. 0 requests the optimum.

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
        check_fields(self, PROOF_OPTIONS)
        if self.solver == ORTOOLS and not has_ortools():
            raise SettingsError(
                "the solver 'ortools' is OR-Tools, which is not installed (it has no wheel for some systems)",
                Cure("leave out {}", Set("solver")),
            )
        if not 0.0 <= self.gap < 1.0:
            raise SettingsError(f"gap must be 0 or more and less than 1, not {self.gap}")
        for name in ("max_columns", "max_columns_per_unit", "max_work"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingsError(f"{name} must be 1 or more, not {value}")

    @property
    def work(self) -> int:
        """Maximum number of pairs looked up while columns of one instance are generated on demand."""
        if self.max_work is not None:
            return self.max_work
        if self.time_limit is not None:
            return _UNLIMITED_WORK
        return _DEFAULT_MAX_WORK // _REDUCTION if self.gap > 0 else _DEFAULT_MAX_WORK

    @property
    def work_for_many_annotators(self) -> int:
        """The same for an instance of more than fifteen annotators."""
        is_default = self.max_work is None and self.time_limit is None
        return self.work // _REDUCTION_MANY_ANNOTATORS if is_default else self.work

    @property
    def reduced(self) -> Limits:
        """A tenth of the work: for samples of a document that these limits left unproven."""
        if self.time_limit is not None:
            return self
        return replace(self, max_work=max(self.work // _REDUCTION, 1))

    @property
    def for_samples(self) -> Limits:
        """The same limits for samples: a costly sample needs only a proven bracket of its disorder."""
        return _for_samples(self)

    def columns_for(self, n_units: IntArray) -> IntArray:
        """Return the maximum number of columns to list for instances with these numbers of units."""
        return np.minimum(np.maximum(self.max_columns_per_unit * n_units, _ALWAYS_LISTED_COLUMNS), self.max_columns)

    def deadline(self, n_alignments: int) -> Deadline:
        """Return the deadline for solving this number of alignments together, from now on."""
        return Deadline(None if self.time_limit is None else time.monotonic() + self.time_limit * n_alignments)


@lru_cache(maxsize=16)  # checked once, not in each request
def _for_samples(limits: Limits) -> Limits:
    """Return the limits for samples, made once for each limits: documents share the object."""
    return replace(limits, gap=max(limits.gap, _SAMPLE_GAP))


class Deadline(NamedTuple):
    """A point in time, or no limit."""

    end: float | None = None

    @property
    def remaining(self) -> float | None:
        """Remaining seconds, negative after the deadline; None without a limit."""
        return None if self.end is None else self.end - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.end is not None and time.monotonic() >= self.end
