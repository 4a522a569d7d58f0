"""What a measurement gives back: values with intervals, or with the reason why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from gamma_align.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping

JsonValue = dict[str, float | str | None]
Backend = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]


def finite_or_none(number: float) -> float | None:
    """Return the number, or None where JSON has no word for it (NaN, infinity)."""
    return float(number) if math.isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Value:
    """A coefficient with its 95 % interval, or the reason why it is not available.

    Attributes
    ----------
    value : float
        The coefficient; NaN where it is not available.
    low, high : float
        Bounds of the 95 % interval; NaN where there is none.
    reason : str or None
        Why the coefficient is not available; None where it is.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None

    @classmethod
    def unavailable(cls, reason: str) -> Value:
        """Return a value that is not available, and why."""
        return cls(math.nan, reason=reason)

    @property
    def is_available(self) -> bool:
        """Whether there is a value."""
        return self.reason is None

    def __str__(self) -> str:
        if self.reason is not None:
            return f"NA ({self.reason})"
        if math.isnan(self.low) or math.isnan(self.high):
            return f"{self.value:.4f}"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"

    def to_dict(self) -> JsonValue:
        """Return ``{"value", "low", "high", "reason"}``, ready for JSON."""
        return {
            "value": finite_or_none(self.value),
            "low": finite_or_none(self.low),
            "high": finite_or_none(self.high),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """γ, γcat and γk of one document, and what they were made of.

    Attributes
    ----------
    document : str
        Its name.
    annotators, units : int
        How many there are.
    samples : int
        Random samples drawn for the expected disorder.
    observed, expected : float
        δ of the best alignment, and δ_e, its mean over the samples; NaN where not defined.
    expected_error : float
        Standard error of `expected`.
    optimal : bool
        Whether every alignment used (observed and samples) is proven optimal.
    gap : float
        Largest proven gap of an alignment used, relative to its disorder: (disorder - bound) / disorder.
    gamma, gamma_cat : Value
        The coefficients with the interval that the sampling error gives.
    gamma_k : mapping of str to Value
        γk of every category of the document.
    samples_cat : int
        Samples in which some pair of units qualified for γcat; the others are left out of its mean.
    distance_lowered : bool
        Whether the extent could not hold the offsets of the samples at the distance asked for.
    precise : bool
        Whether the precision asked for was reached (false at the maximum number of samples).
    """

    document: str
    annotators: int
    units: int
    samples: int
    observed: float
    expected: float
    expected_error: float
    optimal: bool
    gap: float
    gamma: Value
    gamma_cat: Value
    gamma_k: Mapping[str, Value] = field(default_factory=dict)
    samples_cat: int = 0
    distance_lowered: bool = False
    precise: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "document": self.document,
            "annotators": self.annotators,
            "units": self.units,
            "samples": self.samples,
            "observed": finite_or_none(self.observed),
            "expected": finite_or_none(self.expected),
            "expected_error": finite_or_none(self.expected_error),
            "optimal": self.optimal,
            "gap": finite_or_none(self.gap),
            "gamma": self.gamma.to_dict(),
            "gamma_cat": self.gamma_cat.to_dict(),
            "gamma_k": {label: value.to_dict() for label, value in self.gamma_k.items()},
            "samples_cat": self.samples_cat,
            "distance_lowered": self.distance_lowered,
            "precise": self.precise,
        }


@dataclass(frozen=True, slots=True)
class GammaResult:
    """γ, γcat and γk of a corpus: pooled over the documents, and document by document.

    Attributes
    ----------
    gamma, gamma_cat : Value
        Pooled: disorders summed over the documents before dividing. The interval is a bootstrap over
        documents, or with one document the sampling interval of that document.
    gamma_k : mapping of str to Value
        Pooled γk of every category.
    documents : tuple of DocumentResult
        Sorted by name.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader of the numbers should know.
    """

    gamma: Value
    gamma_cat: Value
    gamma_k: Mapping[str, Value]
    documents: tuple[DocumentResult, ...]
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def optimal(self) -> bool:
        """Whether every alignment used is proven optimal."""
        return all(document.optimal for document in self.documents)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as one JSON document (``schema_version`` 1)."""
        return {
            "schema_version": 1,
            "signature": self.signature,
            "settings": dict(self.settings),
            "corpus": {
                "gamma": self.gamma.to_dict(),
                "gamma_cat": self.gamma_cat.to_dict(),
                "gamma_k": {label: value.to_dict() for label, value in self.gamma_k.items()},
            },
            "documents": [document.to_dict() for document in self.documents],
            "notes": list(self.notes),
        }

    def to_frame(self, backend: Backend = "pandas") -> Any:  # noqa: ANN401  (the backend's own frame)
        """Return the documents as a data frame, a row each; NaN and missing reasons where there is nothing to say.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.

        Raises
        ------
        MissingExtraError
            Without narwhals.
        """
        names = ("document", "annotators", "units", "samples", "observed", "expected", "expected_error")
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in self.documents] for name in names}
        for name in ("gamma", "gamma_cat"):
            columns |= value_columns(name, [getattr(row, name) for row in self.documents])
        columns |= {name: [getattr(row, name) for row in self.documents] for name in ("optimal", "gap")}
        return native_frame(columns, backend)


def value_columns(name: str, values: list[Value]) -> dict[str, list[Any]]:
    """Return the columns of a data frame that hold these values: value, bounds, reason."""
    return {
        name: [value.value for value in values],
        f"{name}_low": [value.low for value in values],
        f"{name}_high": [value.high for value in values],
        f"{name}_reason": [value.reason for value in values],
    }


def native_frame(columns: dict[str, list[Any]], backend: Backend) -> Any:  # noqa: ANN401  (the backend's own frame)
    """Return the columns as a data frame of the backend.

    Raises
    ------
    MissingExtraError
        Without narwhals.
    """
    try:
        import narwhals as nw  # noqa: PLC0415  (an optional package)
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "a data frame of the result") from None
    return nw.from_dict(columns, backend=backend).to_native()
