"""What a measurement of the unitizing family gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gamma_align.results.values import Columns, Result, Value, columns_of, value_columns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnitizingValues(Result):
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

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> corpus = ga.Corpus.from_records(units)
    >>> values = ga.unitizing_alpha(corpus).values
    >>> round(values.u.value, 2), sorted(values.ku)
    (-0.09, ['x', 'y'])
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnitizingDocument(Result):
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

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> corpus = ga.Corpus.from_records(units)
    >>> [(document.document, document.length) for document in ga.unitizing_alpha(corpus).documents]
    [('d1', 5.0), ('d2', 4.0)]
    """

    document: str
    annotators: int
    units: int
    length: float
    values: UnitizingValues

    def _contents(self) -> dict[str, Any]:
        head = {"document": self.document, "annotators": self.annotators, "units": self.units, "length": self.length}
        return head | self.values.to_dict()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnitizingResult(Result):
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

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> corpus = ga.Corpus.from_records(units)
    >>> result = ga.unitizing_alpha(corpus)
    >>> result.interval
    '95 %, jackknife over documents'
    >>> result.signature.rsplit("|", 1)[0]
    'uα|docs:2|n:2|L:?|δ:nominal|own:pairwise|overlap:refuse|j:documents'
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

    def _contents(self) -> dict[str, Any]:
        return {
            "schema_version": 1,
            "signature": self.signature,
            "settings": self.settings,
            "length_unit": self.length_unit,
            "interval": self.interval,
            "corpus": self.values,
            "documents": self.documents,
            "notes": self.notes,
        }

    def _columns(self) -> Columns:
        columns = columns_of(self.documents, ("document", "annotators", "units", "length"))
        columns["coverage"] = [row.values.coverage for row in self.documents]
        for name in ("u", "bar_u", "cu"):
            columns |= value_columns(name, [getattr(row.values, name) for row in self.documents])
        return columns
