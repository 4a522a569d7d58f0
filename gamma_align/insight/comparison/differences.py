"""What a comparison of two annotations gives back: values, their differences, and the documents that differ most."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gamma_align.data.frames import FrameColumns
from gamma_align.inference.values import Result, Value, columns_of, value_columns


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Difference(Value):
    """The first value less the second one, with a 95 % interval, or the reason why it is not available.

    Attributes
    ----------
    coefficient : str
        Which: ``gamma``, ``gamma_cat``, ``gamma_k``, ``u``, ``bar_u``, ``cu``, ``ku``, ``layers``; of items as
        `item_coefficient` names them.
    category : str or None
        Of γk and (k)uα.
    first, second : float
        The two values, NaN where not available.
    p : float
        Two-sided p of the hypothesis that the two do not differ; NaN where there is none.
    standard_error : float
        Of the difference.
    sampling_error : float
        What of it the number of samples leaves open (part of the standard error, not to be added to it): γ and its
        relatives; NaN for others.
    documents : int
        Documents that count; of items, items or clusters of them.

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
        Which document and coefficient.
    first, second, difference : float
        The values, and the first less the second one.
    first_units, second_units : int
        Units of all annotators in either annotation.

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
    """Two annotations of the same documents or items: how far their values differ.

    ``result["gamma"]`` is one of the differences, ``result["gamma_k", "PER"]`` one of a category.

    Attributes
    ----------
    names : tuple of str
        What the first and the second are called.
    differences : tuple of Difference
        Of each coefficient, then of each category.
    documents : tuple of DocumentDifference
        For each coefficient but those of categories, the documents that count, the largest difference first; empty for
        items.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader of the numbers should know.
    gap : float
        The largest gap of an alignment that γ rests on; 0 where all are proven optimal.

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
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()
    gap: float = 0.0

    def __getitem__(self, name: str | tuple[str, str | None]) -> Difference:
        """Return the difference of a coefficient, or of a coefficient and category."""
        wanted = (name, None) if isinstance(name, str) else name
        for row in self.differences:
            if (row.coefficient, row.category) == wanted:
                return row
        raise KeyError(name)

    def _summary(self) -> str:
        if self.documents:  # a row for each coefficient of each document
            number = f"documents: {len({row.document for row in self.documents})}"
        else:
            clustered = self.settings.get("clusters") is not None
            number = f"{'clusters' if clustered else 'items'}: {max(row.documents for row in self.differences)}"
        first, second = self.names
        return f"{first} and {second}, differences: {len(self.differences)}, {number}"

    def _contents(self) -> dict[str, Any]:
        head = self._named("names", "signature", "settings", "differences", "documents", "gap", "notes")
        return {"schema_version": 1, **head}

    def _columns(self) -> FrameColumns:
        names = ("coefficient", "category", "first", "second")
        return columns_of(self.differences, names) | {
            name: column
            for name, column in value_columns("difference", self.differences, Difference).items()
            if name.removeprefix("difference_") not in names
        }
