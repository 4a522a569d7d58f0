"""What a measurement of the unitizing family gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gamma_align.results.values import Value, finite_or_none, native_frame, value_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gamma_align.results.values import Backend


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitizingValues:
    """uα, |uα, cuα and (k)uα of a document or of a corpus.

    Attributes
    ----------
    u, bar_u, cu : Value
        uα (unitizing and coding together), |uα (units against gaps), cuα (coding of what units share).
    ku : mapping of str to Value
        (k)uα of every category.
    coverage : float
        Share of the annotators' continua on which a unit meets a unit: what cuα speaks of; NaN without a continuum.
    coverage_k : mapping of str to float
        Share of each category's length that meets a unit: what (k)uα speaks of.
    observed, expected : mapping of str to float
        Disagreements that ``u``, ``bar_u`` and ``cu`` are made of, as shares of the length they speak of; NaN where
        not defined.
    layers : mapping of str to Value
        uα of every category on a layer of its own; empty without layers.
    """

    u: Value
    bar_u: Value
    cu: Value
    ku: Mapping[str, Value] = field(default_factory=dict)
    coverage: float
    coverage_k: Mapping[str, float] = field(default_factory=dict)
    observed: Mapping[str, float] = field(default_factory=dict)
    expected: Mapping[str, float] = field(default_factory=dict)
    layers: Mapping[str, Value] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the values, ready for JSON."""
        return {
            "u": self.u.to_dict(),
            "bar_u": self.bar_u.to_dict(),
            "cu": self.cu.to_dict(),
            "ku": {label: value.to_dict() for label, value in self.ku.items()},
            "coverage": finite_or_none(self.coverage),
            "coverage_k": {label: finite_or_none(share) for label, share in self.coverage_k.items()},
            "observed": {name: finite_or_none(number) for name, number in self.observed.items()},
            "expected": {name: finite_or_none(number) for name, number in self.expected.items()},
            "layers": {label: value.to_dict() for label, value in self.layers.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitizingDocument:
    """The family of one document.

    Attributes
    ----------
    document : str
        Its name.
    annotators, units : int
        How many there are.
    length : float
        Length of its extent, in the unit of the data.
    values : UnitizingValues
        The coefficients; with an interval where it is the only document that can be measured.
    """

    document: str
    annotators: int
    units: int
    length: float
    values: UnitizingValues

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        head = {"document": self.document, "annotators": self.annotators, "units": self.units, "length": self.length}
        return head | self.values.to_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitizingResult:
    """uα, |uα, cuα and (k)uα of a corpus, pooled over its documents, and document by document.

    Attributes
    ----------
    values : UnitizingValues
        Of all documents, as if joined end to end; with 95 % intervals.
    documents : tuple of UnitizingDocument
        Sorted by name.
    length_unit : str or None
        The unit of length, where the data say it. uα and |uα depend on it: gaps count by length, units by its square.
    interval : str
        How the intervals were made.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader of the numbers should know.
    """

    values: UnitizingValues
    documents: tuple[UnitizingDocument, ...]
    length_unit: str | None
    interval: str
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def u(self) -> Value:
        """Pooled uα."""
        return self.values.u

    @property
    def bar_u(self) -> Value:
        """Pooled |uα."""
        return self.values.bar_u

    @property
    def cu(self) -> Value:
        """Pooled cuα."""
        return self.values.cu

    @property
    def ku(self) -> Mapping[str, Value]:
        """Pooled (k)uα of every category."""
        return self.values.ku

    @property
    def coverage(self) -> float:
        """Share of the annotators' continua on which a unit meets a unit."""
        return self.values.coverage

    @property
    def coverage_k(self) -> Mapping[str, float]:
        """Share of each category's length that meets a unit."""
        return self.values.coverage_k

    @property
    def layers(self) -> Mapping[str, Value]:
        """Pooled uα of every category on a layer of its own."""
        return self.values.layers

    def to_dict(self) -> dict[str, Any]:
        """Return the result as one JSON document (``schema_version`` 1)."""
        return {
            "schema_version": 1,
            "signature": self.signature,
            "settings": dict(self.settings),
            "length_unit": self.length_unit,
            "interval": self.interval,
            "corpus": self.values.to_dict(),
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
        names = ("document", "annotators", "units", "length")
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in self.documents] for name in names}
        columns["coverage"] = [row.values.coverage for row in self.documents]
        for name in ("u", "bar_u", "cu"):
            columns |= value_columns(name, [getattr(row.values, name) for row in self.documents], Value)
        return native_frame(columns, backend)
