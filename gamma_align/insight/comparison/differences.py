"""The result of a comparison of two annotations: values, their differences, and the differences of documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gamma_align.data.frames import FrameColumns
from gamma_align.inference.values import Result, Value, columns_of, value_columns


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difference(Value):
    """The first value minus the second one, with a 95 % interval, or the reason why it is not available.

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
    >>> print(ga.Difference(0.1, 0.05, 0.15, coefficient="gamma", first=0.8, second=0.7))
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
        The values, and the first minus the second one.
    first_units, second_units : int
        Number of units of all annotators in each annotation.

    Examples
    --------
    >>> row = ga.DocumentDifference("d1", "gamma", 0.75, 0.5, 0.25, 12, 10)
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
class Paired(Result):
    """Differences of the values of two annotations of the same documents or items.

    ``result["gamma"]`` is one of the differences, ``result["gamma_k", "PER"]`` one of a category.

    Attributes
    ----------
    names : tuple of str
        Names of the first and the second annotation.
    differences : tuple of Difference
        The difference of each coefficient, then of each category.
    documents : tuple of DocumentDifference
        The documents that count for each coefficient without a category, the largest difference first; empty for
        items.
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
    >>> careful, careless = (ga.shuffle(reference, magnitude=size, annotators=2) for size in (0.1, 0.5))
    >>> result = ga.paired(careful, careless, samples=10)
    >>> result["gamma"].low > 0, result["gamma"].p < 0.05, result.documents[0].coefficient
    (True, True, 'gamma')
    """

    names: tuple[str, str]
    differences: tuple[Difference, ...]
    documents: tuple[DocumentDifference, ...] = ()
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
        if self.documents:  # a row for each coefficient of each document
            size = f"documents: {len({row.document for row in self.documents})}"
        else:
            noun = "items" if self.settings.get("clusters") is None else "clusters"
            size = f"{noun}: {max(row.documents for row in self.differences)}"
        first, second = self.names
        return f"{first} and {second}, differences: {len(self.differences)}, {size}"

    def _contents(self) -> dict[str, object]:
        fields = self._named("names", "signature", "settings", "differences", "documents", "gap", "notes")
        return {"schema_version": 1, **fields}

    def _columns(self) -> FrameColumns:
        names = ("coefficient", "category", "first", "second")
        return columns_of(self.differences, names) | {
            name: column
            for name, column in value_columns("difference", self.differences, Difference).items()
            if name.removeprefix("difference_") not in names
        }
