"""The statistics of documents from which γ, γcat and γk are computed, as columns with one row per document.

A document's row depends neither on other documents nor on the division of the work. So the rows of parts of a corpus,
one part after the other, are the rows of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np

from gamma_align.chance import Estimate
from gamma_align.columns import BoolArray, CodeArray, Columns, FloatArray, IntArray, distinct
from gamma_align.data import AnyFrame, Backend, Corpus, Frame, number_range
from gamma_align.measures.document_rows import (
    COMMON,
    RowsOfDocuments,
    columns_of_rows,
    common_of,
    select_one_per_document,
)

_ROUNDING_TOLERANCE = 1e-12  # relative: a mean of distances that are all 1 may differ from 1 by this much


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Chances(Columns):
    """Observed and expected values of one disorder in several documents, shape (n,) each.

    Attributes
    ----------
    observed, pairs : ndarray
        δ of the data, NaN if it is not defined, and the number of aligned pairs of units it is computed from.
    weight : ndarray
        Weight of the document when disorders are pooled: x̄ for γ, Σ weight of its pairs for γcat and γk.
    expected, samples, controls : ndarray
        The mean over the samples that have the disorder, their number, and the number of pair samples that serve as a
        control variate.
    error, freedom, skewness : ndarray
        Standard error of the mean, its degrees of freedom, and its skewness.
    deviation : ndarray
        Standard deviation (n - 1) of the samples.
    bracket : ndarray
        Upper limit of the amount by which the mean is too large because alignments of samples are not proven optimal.
    prior, status : ndarray
        Variance of a sample before it is drawn, and whether δ_e is estimated, impossible, constant or computed (see
        `chance.categorial`).
    numerical_error : ndarray
        Numerical error of a δ_e that is computed; 0 if the sum is exact, or if δ_e is estimated.
    """

    observed: FloatArray
    weight: FloatArray
    pairs: CodeArray
    expected: FloatArray
    error: FloatArray
    deviation: FloatArray
    skewness: FloatArray
    samples: CodeArray
    controls: CodeArray
    freedom: FloatArray
    bracket: FloatArray
    prior: FloatArray
    status: CodeArray
    numerical_error: FloatArray

    @classmethod
    def unavailable(cls, n_documents: int) -> Self:
        """Return the rows of documents without the disorder."""
        observed, expected, error, deviation = np.full((4, n_documents), np.nan)
        return cls.blank(n_documents, observed=observed, expected=expected, error=error, deviation=deviation)

    @classmethod
    def spread(cls, n_documents: int, parts: Sequence[tuple[IntArray, Self]]) -> Self:
        """Return the rows of documents from parts of them, given with their indices, ascending in each part."""
        if len(parts) == 1 and len(parts[0][1]) == n_documents:
            return parts[0][1].narrowed()
        rows = cls.unavailable(n_documents)
        for documents, part in parts:
            rows.fill(documents, part)
        return rows

    def agreeing(self, max_disorder: FloatArray | float = 1.0) -> BoolArray:
        """Return the documents with agreement: units are aligned, and δ is below the largest possible disorder."""
        return np.asarray((self.pairs > 0) & (self.observed < max_disorder * (1.0 - _ROUNDING_TOLERANCE)))

    @classmethod
    def of(cls, observed: FloatArray, weight: FloatArray, pairs: CodeArray, expected: Estimate) -> Self:
        """Return the rows of documents with these observed and expected disorders."""
        columns = expected.columns()
        estimate = {"expected": columns.pop("mean"), "status": columns.pop("kind"), **columns}
        return cls(observed=observed, weight=weight, pairs=pairs, **estimate)

    @property
    def is_known(self) -> BoolArray:
        """Whether both disorders are available."""
        return np.asarray(~(np.isnan(self.observed) | np.isnan(self.expected)))


KINDS = ("gamma", "gamma_cat", "gamma_k")  # of coefficients, in the order of columns
# The columns with a number for each document, except disorders.
_DOCUMENT_COLUMNS = ("annotators", "units", "alignments", "samples", "unlabelled", "gap", "distance_lowered")
_FRAME_COLUMNS = (
    *("document", "coefficient", "category"),
    *(f"document_{name}" for name in _DOCUMENT_COLUMNS),
    *Chances.row_fields(),
    *COMMON,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GammaRows(RowsOfDocuments):
    """The statistics of γ, γcat and γk of documents, one row per document.

    Attributes
    ----------
    documents : tuple of str
        Names of the documents.
    categories : tuple of str
        Names of the categories; `category_k` contains indices into it.
    annotators, units, alignments, samples : ndarray of int32, shape (n_documents,)
        Counts, as in `DocumentResult`.
    gap : ndarray of float64, shape (n_documents,)
        Largest proven gap of an alignment used.
    distance_lowered : ndarray of bool, shape (n_documents,)
        Whether the extent could not hold the offsets of the samples at the requested distance.
    unlabelled : ndarray of int32, shape (n_documents,)
        Number of units without a category.
    gamma, gamma_cat : Chances
        Disorders of each document.
    document_k, category_k : ndarray of int64, shape (n_present,)
        The categories of each document, sorted.
    gamma_k : Chances
        Disorders of each of these categories.
    length_unit : str or None
        Name of the unit of length, if the data contain it.
    notes : tuple of str
        Changes made to the data while reading.
    made_with : str
        Hash of the settings, for rows that are to be pooled.
    work_divisor : int
        What the limit of work of each computed δ_e was divided by, because all would have taken too much together.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> settings = ga.GammaSettings.of(samples=30)
    >>> rows = ga.document_statistics(units, settings)
    >>> rows, ga.GammaRows.from_frame(rows.to_frame("pyarrow")) == rows
    (<GammaRows: documents 2>, True)
    """

    documents: tuple[str, ...]
    categories: tuple[str, ...]
    annotators: CodeArray
    units: CodeArray
    alignments: CodeArray
    samples: CodeArray
    gap: FloatArray
    distance_lowered: BoolArray
    unlabelled: CodeArray
    gamma: Chances
    gamma_cat: Chances
    document_k: IntArray
    category_k: IntArray
    gamma_k: Chances
    length_unit: str | None = None
    notes: tuple[str, ...] = ()
    made_with: str = ""
    work_divisor: int = 1

    common_fields = ("categories", *COMMON, "work_divisor")
    entry_fields = ("document_k", "category_k", "gamma_k")

    @classmethod
    def without_counts(cls, corpus: Corpus, **values: object) -> Self:
        """Return the rows of documents with these values, before they are aligned and sampled."""
        rows = cls.blank(
            len(corpus),
            documents=corpus.documents,
            categories=corpus.categories,
            length_unit=corpus.length_unit,
            notes=corpus.notes,
            made_with="",
            work_divisor=1,
            **values,
        )
        rows.annotators[:] = corpus.n_annotators
        rows.units[:] = corpus.units_per_document
        rows.unlabelled[:] = np.bincount(corpus.unit_document[corpus.category < 0], minlength=len(corpus))
        return rows

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return rows of the same categories, one part after the other."""
        return cls.gather(tuple(chain.from_iterable(part.documents for part in parts)), parts)

    @classmethod
    def gather(cls, documents: tuple[str, ...], parts: Iterable[Self]) -> Self:
        """Return the rows of all parts, which need not be in memory at the same time; `documents` are all names."""
        remaining = iter(parts)
        head = next(remaining)
        common = {name: getattr(head, name) for name in cls.common_fields}
        rows = cls.blank(len(documents), documents=documents, **common)
        notes: dict[str, None] = {}
        document_k: list[IntArray] = []
        category_k: list[IntArray] = []
        gamma_k: list[Chances] = []
        first = 0
        for part in chain([head], remaining):
            rows.fill(slice(first, first + len(part)), part)
            document_k.append(part.document_k + first)
            category_k.append(part.category_k)
            gamma_k.append(part.gamma_k)
            notes |= dict.fromkeys(part.notes)
            first += len(part)
        return replace(
            rows,
            document_k=np.concatenate(document_k),
            category_k=np.concatenate(category_k),
            gamma_k=Chances.join(gamma_k),
            notes=tuple(notes),
        )

    def to_frame(self, backend: Backend = "pandas") -> Frame:
        """Return the rows as a flat data frame, from which `from_frame` restores them.

        A document has a row for γ, one for γcat, and one for γk of each of its categories; each repeats the columns of
        the document.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        documents, labels = (np.array([*names, None], dtype=object) for names in (self.documents, self.categories))
        all_rows = np.arange(len(self))
        document = np.concatenate([all_rows, all_rows, self.document_k])
        chances = Chances.join([self.gamma, self.gamma_cat, self.gamma_k])
        columns = {
            "document": documents[document],
            "coefficient": np.array(KINDS, dtype=object).repeat([len(self), len(self), len(self.document_k)]),
            "category": labels[np.concatenate([np.full(2 * len(self), -1), self.category_k])],
            **{f"document_{name}": getattr(self, name)[document] for name in _DOCUMENT_COLUMNS},
            **chances.columns(),
        }
        return self._framed(columns, document, backend)

    @classmethod
    def from_frame(cls, frame: AnyFrame | Mapping[str, Sequence[object]]) -> Self:
        """Return the rows from a data frame, or a mapping of columns, that `to_frame` returned; its rows in any order.

        Raises
        ------
        InputError
            If a column is missing, if a document does not have exactly one row of γ and one of γcat, or if rows were
            computed with different settings.
        """
        table = columns_of_rows(frame, _FRAME_COLUMNS)
        document_code = {name: index for index, name in enumerate(sorted(set(table["document"])))}
        document = np.array([document_code[name] for name in table["document"]], dtype=np.int64)
        kind = np.array(table["coefficient"], dtype=object)
        chances = Chances(*(np.array(table[name], dtype=Chances.dtype_of(name)) for name in Chances.row_fields()))
        gamma, gamma_cat = (
            select_one_per_document(kind == name, document, [*document_code], name) for name in KINDS[:2]
        )
        rows_k = (kind == KINDS[2]).nonzero()[0]
        labels = [table["category"][row] for row in rows_k.tolist()]
        label_code = {label: index for index, label in enumerate(sorted(set(labels)))}
        category = np.array([label_code[label] for label in labels], dtype=np.int64)
        order = np.lexsort((category, document[rows_k]))
        document_columns: dict[str, Any] = {
            name: np.array(table[f"document_{name}"], dtype=cls.dtype_of(name))[gamma] for name in _DOCUMENT_COLUMNS
        }
        return cls(
            documents=tuple(document_code),
            categories=tuple(label_code),
            **document_columns,
            gamma=chances.take(gamma),
            gamma_cat=chances.take(gamma_cat),
            document_k=document[rows_k][order],
            category_k=category[order],
            gamma_k=chances.take(rows_k[order]),
            **common_of(table),
        )

    def of_category(self, label: str) -> Chances:
        """Return the disorders of a category in every document; they are NaN for documents without it."""
        chances = Chances.unavailable(len(self))
        if label in self.categories:
            has_label = self.category_k == self.categories.index(label)
            chances.fill(self.document_k[has_label], self.gamma_k.take(has_label))
        return chances

    @property
    def labels(self) -> list[str]:
        """The categories that occur in a document, sorted."""
        return [self.categories[code] for code in distinct(self.category_k).tolist()]


def counts_in_words(samples: Sequence[int], numerical_errors: Sequence[float]) -> str:
    """Return how the expected disorders of documents were obtained: "exact", "lattice", numbers of samples, or several.

    A document without samples is computed; an exact sum has no numerical error.
    """
    computed = [error for count, error in zip(samples, numerical_errors, strict=True) if not count]
    sampled = [count for count in samples if count]
    parts = ["exact"] * (not all(computed)) + ["lattice"] * any(computed)
    return "+".join([*parts, *([number_range(sampled)] if sampled or not parts else [])])
