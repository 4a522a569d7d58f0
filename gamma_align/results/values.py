"""What a measurement gives back: values with intervals, or with the reason why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Self

from gamma_align.errors import MissingExtraError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

JsonValue = dict[str, float | str | None]
COUNTS = ("document", "annotators", "units", "alignments", "samples", "pair_samples")
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
    no_interval : str or None
        Why there is a coefficient and no interval of it; None where there is one, or none was asked for.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None
    no_interval: str | None = None

    @classmethod
    def unavailable(cls, reason: str) -> Self:
        """Return a value that is not available, and why."""
        return cls(math.nan, reason=reason)

    @property
    def is_available(self) -> bool:
        """Whether there is a value."""
        return self.reason is None

    def __str__(self) -> str:
        if self.reason is not None:
            return f"NA ({self.reason})"
        if self.no_interval is not None:
            return f"{self.value:.4f} (no interval: {self.no_interval})"
        if math.isnan(self.low) or math.isnan(self.high):
            return f"{self.value:.4f}"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"

    def to_dict(self) -> JsonValue:
        """Return the fields, ready for JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: finite_or_none(value) if isinstance(value, float) else value for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class GammaValue(Value):
    """γ, γcat or γk, and what it is made of.

    Attributes
    ----------
    standard_error : float
        Of the coefficient: from the error of the expected disorder in a document, between documents in a corpus.
    observed, expected : float
        The disorder of the best alignments, and its mean over the samples; of a corpus, their weighted means over the
        documents. NaN where not defined.
    expected_error : float
        Standard error of `expected`: what the number of samples leaves open.
    documents : int
        How many documents have a part in it.
    pairs : int
        Aligned pairs of units: for γ all, for γcat and γk those that count.
    samples : int
        Random samples that have it, over all documents.
    """

    standard_error: float = math.nan
    observed: float = math.nan
    expected: float = math.nan
    expected_error: float = math.nan
    documents: int = 0
    pairs: int = 0
    samples: int = 0


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """γ, γcat and γk of one document, and what they were made of.

    Attributes
    ----------
    document : str
        Its name.
    annotators, units, alignments : int
        How many there are, `alignments` being the unitary alignments.
    samples : int
        Random samples aligned for the expected disorder.
    pair_samples : int
        Random samples of which pairs of annotators were aligned, to make it more precise; 0 where that is not worth it.
    optimal : bool
        Whether every alignment used (observed and samples) is proven optimal.
    gap : float
        Largest proven gap of an alignment used, relative to its disorder: (disorder - bound) / disorder.
    gamma, gamma_cat : GammaValue
        The coefficients with the interval that the sampling error gives.
    gamma_k : mapping of str to GammaValue
        γk of every category of the document.
    distance_lowered : bool
        Whether the extent could not hold the offsets of the samples at the distance asked for.
    precise : bool
        Whether the precision asked for was reached (false at the maximum number of samples).
    """

    document: str
    annotators: int
    units: int
    alignments: int
    samples: int
    pair_samples: int
    optimal: bool
    gap: float
    gamma: GammaValue
    gamma_cat: GammaValue
    gamma_k: Mapping[str, GammaValue] = field(default_factory=dict)
    distance_lowered: bool = False
    precise: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            **{name: getattr(self, name) for name in (*COUNTS, "optimal")},
            "gap": finite_or_none(self.gap),
            "gamma": self.gamma.to_dict(),
            "gamma_cat": self.gamma_cat.to_dict(),
            "gamma_k": {label: value.to_dict() for label, value in self.gamma_k.items()},
            "distance_lowered": self.distance_lowered,
            "precise": self.precise,
        }


@dataclass(frozen=True, slots=True)
class GammaResult:
    """γ, γcat and γk of a corpus: pooled over the documents, and document by document.

    Attributes
    ----------
    gamma, gamma_cat : GammaValue
        Pooled: disorders summed over the documents before dividing. The interval is a jackknife over documents, or
        with one document the sampling interval of that document.
    gamma_k : mapping of str to GammaValue
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

    gamma: GammaValue
    gamma_cat: GammaValue
    gamma_k: Mapping[str, GammaValue]
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

    def to_frame(self, backend: Backend = "pandas", *, level: str = "document") -> Any:  # noqa: ANN401  (the backend's)
        """Return the result as a data frame; NaN and missing reasons where there is nothing to say.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        level : {"document", "category"}
            A row a document, with γ and γcat; or a row for each category of each document, with γk.

        Raises
        ------
        MissingExtraError
            Without narwhals.
        SettingsError
            For another level.
        """
        if level not in ("document", "category"):
            raise SettingsError(f"level must be 'document' or 'category', not {level!r}")
        if level == "category":
            rows = [(row.document, label, value) for row in self.documents for label, value in row.gamma_k.items()]
            names, labels = [name for name, _, _ in rows], [label for _, label, _ in rows]
            columns = value_columns("gamma_k", [value for _, _, value in rows])
            return native_frame({"document": names, "category": labels, **columns}, backend)
        columns = {name: [getattr(row, name) for row in self.documents] for name in COUNTS}
        for name in ("gamma", "gamma_cat"):
            columns |= value_columns(name, [getattr(row, name) for row in self.documents])
        columns |= {name: [getattr(row, name) for row in self.documents] for name in ("optimal", "gap", "precise")}
        return native_frame(columns, backend)


def value_columns(name: str, values: list[Any], kind: type[Value] = GammaValue) -> dict[str, list[Any]]:
    """Return the columns of a data frame that hold the fields of values of a kind, the value itself under the name."""
    return {
        name if field.name == "value" else f"{name}_{field.name}": [getattr(value, field.name) for value in values]
        for field in fields(kind)
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
