"""Units, and the continuum that contains them: one document as frozen columns, validated once.

Conventions
-----------
* A *unit* has a start, an end (``start <= end``, in the continuum's own unit of length), a category (a label,
  or none) and an annotator. Units of one annotator may overlap, nest and coincide; they may have no length.
* Names and categories are strings, or are converted by ``str``: the integer 1 and the string "1" are the same
  category. A unit may have no category (``None``). The empty string and blanks are categories, but not names.
* A *continuum* is one document: its extent [L, R], the annotators who saw it (including annotators without units), and
  their units.

References
----------
Mathet, Widlöcher & Métivier 2015, The Unified and Holistic Method Gamma, §3 (continuum, units).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, cast

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, IntArray, equal, frozen
from gamma_align.data.build import ONE_DOCUMENT, corpus_columns, document_columns, pair_columns, unit_columns
from gamma_align.data.frames import FrameColumns, Framed
from gamma_align.data.tables import Table


class Unit(NamedTuple):
    """One annotated unit: its annotator, bounds and category.

    Examples
    --------
    >>> ga.Unit("ann", 0.0, 4.0, "x").end
    4.0
    """

    annotator: str
    start: float
    end: float
    category: str | None


class Frozen:
    """Dataclass with read-only arrays, also after pickling."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for value in values_of(self):
            if isinstance(value, np.ndarray):
                frozen(value)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), values_of(self)

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    def __hash__(self) -> int:
        return hash((type(self), *(value for value in values_of(self) if isinstance(value, (str, tuple)))))


def values_of(instance: object) -> tuple[Any, ...]:
    """Return the values of the fields of a dataclass, in order."""
    return tuple(getattr(instance, field.name) for field in fields(cast("Any", instance)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Continuum(Frozen, Framed):
    """One annotated document.

    Attributes
    ----------
    document : str
        Name of the document, which also determines its random samples.
    annotators : tuple of str
        All annotators who saw the document, with or without units, sorted.
    categories : tuple of str
        Labels of the whole corpus, sorted; `category` contains indices into it.
    annotator : ndarray of int64, shape (n_units,)
        Index into `annotators`.
    start, end : ndarray of float64, shape (n_units,)
        Bounds in the continuum's unit of length.
    category : ndarray of int64, shape (n_units,)
        Index into `categories`, or -1 for a unit without a label.
    extent : tuple of float
        (L, R), the continuum's own bounds.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> continuum
    <Continuum 'continuum': annotators 2, units 3>
    >>> continuum.mean_units
    1.5
    """

    document: str
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    annotator: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray
    extent: tuple[float, float]

    @classmethod
    def from_records(
        cls,
        units: Iterable[Sequence[object]],
        *,
        document: str = ONE_DOCUMENT,
        annotators: Iterable[str] | None = None,
        extent: tuple[float, float] | None = None,
    ) -> Continuum:
        """Build a continuum from (annotator, start, end[, category]) records.

        Parameters
        ----------
        units : iterable of sequences
            ``(annotator, start, end)`` or ``(annotator, start, end, category)``; ``None`` is no category.
        document : str
            Name of the document.
        annotators : iterable of str, optional
            All annotators who saw the document, by default the annotators with a unit.
        extent : tuple of float, optional
            (L, R), by default the smallest interval that contains all units.

        Raises
        ------
        InputError
            For a unit that ends before it starts, a bound that is not a finite number, a unit outside the
            extent or of an undeclared annotator; the message names the record.

        Examples
        --------
        >>> ga.Continuum.from_records([("ann", 0, 4, "x")], annotators=["ann", "bob"], extent=(0, 10))
        <Continuum 'continuum': annotators 2, units 1>
        """
        columns = unit_columns(units, document=document)
        seen = None
        if annotators is not None:
            seen = Table.of(pair_columns((document, name) for name in annotators), "annotations")
        extents = document_columns({} if extent is None else {document: extent}, [document], columns["document"])
        declared = None if extents is None else Table.of(extents, "documents")
        corpus = corpus_columns(Table.of(columns, "units"), annotations=seen, documents=declared, split_lists=False)
        low, high = corpus["extents"][0]
        return cls(
            document=corpus["documents"][0],
            annotators=corpus["annotators"],
            categories=corpus["categories"],
            annotator=corpus["annotator"],
            start=corpus["start"],
            end=corpus["end"],
            category=corpus["category"],
            extent=(float(low), float(high)),
        )

    def __repr__(self) -> str:
        return f"<Continuum {self.document!r}: annotators {len(self.annotators)}, units {len(self)}>"

    def __len__(self) -> int:
        return len(self.start)

    def _n_rows(self) -> int:
        return len(self)

    def _columns(self, limit: int | None = None) -> FrameColumns:
        # the last entry is for code -1: no category
        names = self.annotators
        labels = (*self.categories, None)
        return {
            "document": [self.document] * len(self.start[:limit]),
            "annotator": [names[code] for code in self.annotator[:limit].tolist()],
            "start": self.start[:limit].tolist(),
            "end": self.end[:limit].tolist(),
            "category": [labels[code] for code in self.category[:limit].tolist()],
        }

    @property
    def mean_units(self) -> float:
        """Mean number of units per annotator, x̄ (M15 §4.3); NaN without annotators."""
        return len(self) / len(self.annotators) if self.annotators else float("nan")

    def units(self) -> Iterator[Unit]:
        """Yield the units in the order of the columns.

        Examples
        --------
        >>> list(ga.Continuum.from_records([("ann", 0, 4, "x")]).units())
        [Unit(annotator='ann', start=0.0, end=4.0, category='x')]
        """
        columns = (self.annotator.tolist(), self.start.tolist(), self.end.tolist(), self.category.tolist())
        for annotator, start, end, category in zip(*columns, strict=True):
            label = None if category == UNLABELLED else self.categories[category]
            yield Unit(self.annotators[annotator], start, end, label)
