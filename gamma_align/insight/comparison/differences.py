"""The result of a comparison of two corpora: differences of values, documents, causes, annotators and labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gamma_align.data import FrameColumns
from gamma_align.inference import Result, Value, columns_of, value_columns
from gamma_align.insight.comparison.changed_causes import CauseChange, CostChange
from gamma_align.insight.comparison.fates import DocumentFate

ALL, SOME, NONE = SHARED = ("all", "some", "none")
"""Which documents of two corpora are in both."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difference(Value):
    """The second value minus the first one, with a 95 % interval, or the reason why it is not available.

    Attributes
    ----------
    coefficient : str
        ``gamma``, ``gamma_cat``, ``gamma_k``, ``u``, ``bar_u``, ``cu``, ``ku`` or ``layers``; for items a name that
        `item_coefficient` knows.
    category : str or None
        The category of γk, (k)uα or a layer.
    first, second : float
        The two values, NaN where not available.
    p : float
        Two-sided p of the hypothesis that the two do not differ; NaN if it cannot be computed.
    standard_error : float
        Standard error of the difference.
    sampling_error : float
        The part of the standard error that is due to the number of samples; it is included, not to be added. NaN for
        coefficients other than γ, γcat and γk.
    documents : int
        Number of documents that count; for items the number of items or of their clusters.

    Examples
    --------
    >>> print(ga.Difference(0.1, 0.05, 0.15, coefficient="gamma", first=0.7, second=0.8))
    0.1000 [0.0500, 0.1500]
    """

    coefficient: str = ""
    category: str | None = None
    first: float = math.nan
    second: float = math.nan
    p: float = math.nan
    standard_error: float = math.nan
    sampling_error: float = math.nan
    documents: int = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentDifference(Result):
    """Two values of one document.

    Attributes
    ----------
    document, coefficient : str
        The document and the coefficient.
    first, second, difference : float
        The values, and the second minus the first one.
    first_units, second_units : int
        Number of units of all annotators in each corpus.

    Examples
    --------
    >>> row = ga.DocumentDifference("d1", "gamma", 0.5, 0.75, 0.25, 12, 10)
    >>> row.difference
    0.25
    """

    document: str
    coefficient: str
    first: float
    second: float
    difference: float
    first_units: int
    second_units: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Comparison(Result):
    """What differs between two corpora, or between two sets of judgments of the same items.

    ``result["gamma"]`` is one of the differences, ``result["gamma_k", "PER"]`` one of a category.

    Attributes
    ----------
    names : tuple of str
        Names of the first and the second corpus.
    shared : {"all", "some", "none"}
        Which documents both corpora have; of items, always "all".
    differences : tuple of Difference
        The difference of each coefficient, then of each category: over the documents that both corpora have, or over
        all if both have none.
    overall : tuple of Difference
        If both have only some documents, the differences over all documents.
    documents : tuple of DocumentDifference
        The documents of both that count for each coefficient without a category, the largest difference first; empty
        for items.
    fates : tuple of DocumentFate
        What became of each document of either corpus; empty for items.
    causes : tuple of CauseChange, or None
        The causes of disagreement that came, went and stayed, over all documents; None if they were not looked for.
    annotators, labels : tuple of CostChange
        What the disagreements of each annotator, and about each label, cost of γ; empty if causes were not looked for.
    settings : mapping
        All settings that are needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Assumptions and warnings for readers of the numbers.
    gap : float
        The largest gap of an alignment that γ is computed from; 0 if all are proven optimal.

    Examples
    --------
    >>> documents = [ga.synthetic_reference(units=6, seed=seed, document=f"d{seed}") for seed in range(8)]
    >>> reference = ga.Corpus.from_continua(documents)
    >>> careless, careful = (ga.shuffle(reference, magnitude=size, annotators=2) for size in (0.5, 0.1))
    >>> result = ga.compare(careless, careful, samples=10)
    >>> result["gamma"].low > 0, result["gamma"].p < 0.05, result.documents[0].coefficient
    (True, True, 'gamma')
    """

    names: tuple[str, str]
    differences: tuple[Difference, ...]
    shared: str = ALL
    overall: tuple[Difference, ...] = ()
    documents: tuple[DocumentDifference, ...] = ()
    fates: tuple[DocumentFate, ...] = ()
    causes: tuple[CauseChange, ...] | None = None
    annotators: tuple[CostChange, ...] = ()
    labels: tuple[CostChange, ...] = ()
    settings: Mapping[str, object]
    signature: str
    notes: tuple[str, ...] = ()
    gap: float = 0.0

    def __getitem__(self, name: str | tuple[str, str | None]) -> Difference:
        """Return the difference of a coefficient, or of a coefficient and category."""
        key = (name, None) if isinstance(name, str) else name
        for row in self.differences:
            if (row.coefficient, row.category) == key:
                return row
        raise KeyError(name)

    def _summary(self) -> str:
        if self.fates:
            size = f"documents: {len(self.fates)}"
        else:
            noun = "items" if self.settings.get("clusters") is None else "clusters"
            size = f"{noun}: {max(row.documents for row in self.differences)}"
        first, second = self.names
        return f"{first} and {second}, differences: {len(self.differences)}, {size}"

    def _contents(self) -> dict[str, object]:
        fields = self._named("names", "signature", "settings", "shared", "differences", "overall", "documents", "fates")
        further = self._named("causes", "annotators", "labels", "gap", "notes")
        return {"schema_version": 1, **fields, **further}

    def _columns(self) -> FrameColumns:
        names = ("coefficient", "category", "first", "second")
        return columns_of(self.differences, names) | {
            name: column
            for name, column in value_columns("difference", self.differences, Difference).items()
            if name.removeprefix("difference_") not in names
        }
