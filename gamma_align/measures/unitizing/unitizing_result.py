"""Results of the unitizing family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from gamma_align.inference import Result, Value

_DOCUMENT_FIELDS = ("document", "annotators", "units", "length")  # besides the values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnitizingValues(Result):
    """uα, |uα, cuα and (k)uα of a document or of a corpus.

    Attributes
    ----------
    u, bar_u, cu : Value
        uα (unitizing and coding together), |uα (units against gaps), cuα (coding where units intersect).
    ku : mapping of str to Value
        (k)uα of every category.
    coverage : float
        Share of the annotators' continua on which a unit intersects a unit, which cuα measures; NaN without a
        continuum.
    coverage_k : mapping of str to float
        Share of each category's length that intersects a unit, which (k)uα measures.
    observed, expected : mapping of str to float
        Disagreements of ``u``, ``bar_u`` and ``cu``, as shares of the length that each measures; NaN if not defined.
    layers : mapping of str to Value
        uα of every category on a layer of its own; empty without layers.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> values = ga.unitizing_alpha(units)
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


def values_of(values: UnitizingValues) -> dict[str, Any]:
    """Return the fields that documents and corpora have in common, by name."""
    return {field.name: getattr(values, field.name) for field in fields(UnitizingValues)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnitizingDocument(UnitizingValues):
    """The values of one document, with an interval if it is the only document that can be measured.

    Attributes
    ----------
    document : str
        Name of the document.
    annotators, units, length : int, int, float
        Number of annotators and of units, and the length of the extent in the unit of the data.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> [(document.document, document.length) for document in ga.unitizing_alpha(units).documents]
    [('d1', 5.0), ('d2', 4.0)]
    """

    document: str
    annotators: int
    units: int
    length: float

    def _contents(self) -> dict[str, object]:
        return self._named(*_DOCUMENT_FIELDS) | values_of(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnitizingResult(UnitizingValues):
    """The values of a corpus with 95 % intervals, its documents as if joined end to end, and of each document.

    Attributes
    ----------
    documents : sequence of UnitizingDocument
        Sorted by name; each is constructed when it is accessed.
    length_unit : str or None
        The unit of length, if the data name it. uα and |uα depend on it: self-pairings of gaps grow with their length,
        units with its square.
    interval : str
        The method of the intervals.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Assumptions and warnings that concern the values.
    problems : tuple of str
        Problems of documents of a data set that are therefore excluded.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> result = ga.unitizing_alpha(units)
    >>> result.interval
    '95 %, jackknife over documents'
    >>> result.signature.rsplit("|", 1)[0]
    'uα|docs:2|n:2|L:?|δ:nominal|own:pairwise|overlap:refuse|j:documents'
    """

    documents: Sequence[UnitizingDocument]
    length_unit: str | None
    interval: str
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def _contents(self) -> dict[str, object]:
        head = {"schema_version": 1, **self._named("signature", "settings", "length_unit", "interval")}
        named = self._named("documents", "notes", *(["problems"] if self.problems else []))
        return {**head, "corpus": values_of(self), **named}
