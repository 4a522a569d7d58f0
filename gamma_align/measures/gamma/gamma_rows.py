"""The numbers of each document before they are made coefficients, as columns: what is pooled, kept and passed on.

A document's numbers are independent of other documents and of how the work was cut up, so rows of parts of a corpus,
one after the other, are those of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np

from gamma_align.columns import BoolArray, CodeArray, Columns, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import Backend
from gamma_align.measures.document_rows import COMMON, RowsOfDocuments, columns_of_rows, common_of, one_each

_ROUNDING = 1e-12  # relative: a mean of distances that are all 1 may be this far from 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Chances(Columns):
    """Observed and expected values of one disorder in several documents, shape (n,) each.

    `observed` is δ of the data (NaN where not defined), made of so many aligned `pairs` of units that count; `weight`
    is what the document weighs when disorders are pooled: x̄ for γ, Σ weight of its pairs for γcat and γk. `expected` is
    the mean over the `samples` that have it, made more precise by the `controls` of which pairs of annotators were
    aligned; `error`, with its degrees of `freedom`, and `skewness` are those of this mean, `deviation` that of the
    samples (n - 1). So much, the `bracket`, the mean may be too large because costly samples are not solved to the end.
    For γcat and γk `prior` is the variance of a sample before it is seen, and `status` whether δ_e is estimated,
    impossible or exact (see `measures.gamma.categorial`); 0 for γ.
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

    @classmethod
    def nothing(cls, number: int) -> Self:
        """Return the numbers of so many documents that do not have the disorder."""
        observed, expected, error, deviation = np.full((4, number), np.nan)
        return cls.blank(number, observed=observed, expected=expected, error=error, deviation=deviation)

    def agreeing(self, largest: FloatArray | float = 1.0) -> BoolArray:
        """Return the documents with agreement: units are aligned, and δ is below the `largest` possible one."""
        return np.asarray((self.pairs > 0) & (self.observed < largest * (1.0 - _ROUNDING)))

    @property
    def known(self) -> BoolArray:
        """Where there is something observed and something expected."""
        return np.asarray(~(np.isnan(self.observed) | np.isnan(self.expected)))


KINDS = ("gamma", "gamma_cat", "gamma_k")
# The columns with a number for each document, except those of disorders.
_NUMBERS = ("annotators", "units", "alignments", "samples", "unlabelled", "gap", "distance_lowered")
_NAMES = (
    *("document", "coefficient", "category"),
    *(f"document_{name}" for name in _NUMBERS),
    *Chances.row_fields(),
    *COMMON,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GammaRows(RowsOfDocuments):
    """The numbers of γ, γcat and γk of documents, a row for each.

    Attributes
    ----------
    documents : tuple of str
        Their names.
    categories : tuple of str
        What `category_k` points into.
    annotators, units, alignments, samples : ndarray of int32, shape (n_documents,)
        How many there are, as in `DocumentResult`.
    gap : ndarray of float64, shape (n_documents,)
        Largest proven gap of an alignment used.
    distance_lowered : ndarray of bool, shape (n_documents,)
        Whether the extent could not hold the offsets of the samples at the distance asked for.
    unlabelled : ndarray of int32, shape (n_documents,)
        Units without a category.
    gamma, gamma_cat : Chances
        Of each document.
    document_k, category_k : ndarray of int64, shape (n_present,)
        Each category of each document, sorted.
    gamma_k : Chances
        Of each of these.
    length_unit : str or None
        Name of the unit of length, where the data say it.
    notes : tuple of str
        How the data were changed while reading.
    made_with : str
        A hash of the settings, of rows that are to be pooled.

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

    common_fields = ("categories", *COMMON)
    entry_fields = ("document_k", "category_k", "gamma_k")

    @classmethod
    def nothing(cls, corpus: Corpus) -> Self:
        """Return rows without numbers, as of documents that nothing can be measured of."""
        without = np.where(corpus.category < 0, 1.0, 0.0)
        counts = (corpus.n_annotators, corpus.units_per_document)
        unlabelled = np.bincount(corpus.unit_document, weights=without, minlength=len(corpus)).astype(np.int64)
        rows = cls.blank(
            len(corpus),
            documents=corpus.documents,
            categories=corpus.categories,
            gamma=Chances.nothing(len(corpus)),
            gamma_cat=Chances.nothing(len(corpus)),
            length_unit=corpus.length_unit,
            notes=corpus.notes,
            made_with="",
        )
        for column, values in zip((rows.annotators, rows.units, rows.unlabelled), (*counts, unlabelled), strict=True):
            column[:] = values
        return rows

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return rows of the same categories, one part after the other."""
        return cls.filled(tuple(chain.from_iterable(part.documents for part in parts)), parts)

    @classmethod
    def filled(cls, documents: tuple[str, ...], parts: Iterable[Self]) -> Self:
        """Return the rows of all parts, which need not be in memory at the same time; `documents` are all names."""
        remaining = iter(parts)
        head = next(remaining)
        common = {name: getattr(head, name) for name in cls.common_fields}
        rows = cls.blank(len(documents), documents=documents, **common)
        notes, entries, first = dict[str, None](), list[tuple[IntArray, IntArray, Chances]](), 0
        for part in chain([head], remaining):
            rows.fill(slice(first, first + len(part)), part)
            entries.append((part.document_k + first, part.category_k, part.gamma_k))
            notes |= dict.fromkeys(part.notes)
            first += len(part)
        document_k, category_k, gamma_k = zip(*entries, strict=True)
        return replace(
            rows,
            document_k=np.concatenate(document_k),
            category_k=np.concatenate(category_k),
            gamma_k=Chances.join(gamma_k),
            notes=tuple(notes),
        )

    def to_frame(self, backend: Backend = "pandas") -> Any:  # noqa: ANN401  (the backend's own frame)
        """Return the rows as a flat data frame, for engines that pass tables on: `from_frame` makes them again.

        A document has a row for γ, one for γcat, and one for γk of each of its categories; what is of the document
        stands in each.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        documents, labels = (np.array([*names, None], dtype=object) for names in (self.documents, self.categories))
        every, chances = np.arange(len(self)), Chances.join([self.gamma, self.gamma_cat, self.gamma_k])
        document = np.concatenate([every, every, self.document_k])
        columns = {
            "document": documents[document],
            "coefficient": np.repeat(np.array(KINDS, dtype=object), [len(self), len(self), len(self.document_k)]),
            "category": labels[np.concatenate([np.full(2 * len(self), -1), self.category_k])],
            **{f"document_{name}": getattr(self, name)[document] for name in _NUMBERS},
            **chances.columns(),
        }
        return self._framed(columns, document, backend)

    @classmethod
    def from_frame(cls, frame: Any) -> Self:  # noqa: ANN401  (any library's)
        """Return the rows in a data frame, or in a mapping of columns, that `to_frame` made; their order is any.

        Raises
        ------
        InputError
            For columns that are missing, a document that has not one row of γ and one of γcat, rows that were made with
            different settings.
        """
        table = columns_of_rows(frame, _NAMES)
        code = {name: index for index, name in enumerate(sorted(set(table["document"])))}
        document = np.array([code[name] for name in table["document"]], dtype=np.int64)
        kind = np.array(table["coefficient"], dtype=object)
        chances = Chances(*(np.array(table[name], dtype=Chances.dtype_of(name)) for name in Chances.row_fields()))
        gamma, gamma_cat = (one_each(kind == name, document, [*code], name) for name in KINDS[:2])
        of_k = np.flatnonzero(kind == KINDS[2])
        labels = [table["category"][row] for row in of_k.tolist()]
        label_code = {label: index for index, label in enumerate(sorted(set(labels)))}
        category = np.array([label_code[label] for label in labels], dtype=np.int64)
        order = np.lexsort((category, document[of_k]))
        of_documents: dict[str, Any] = {
            name: np.array(table[f"document_{name}"], dtype=cls.dtype_of(name))[gamma] for name in _NUMBERS
        }
        return cls(
            documents=tuple(code),
            categories=tuple(label_code),
            **of_documents,
            gamma=chances.take(gamma),
            gamma_cat=chances.take(gamma_cat),
            document_k=document[of_k][order],
            category_k=category[order],
            gamma_k=chances.take(of_k[order]),
            **common_of(table),
        )

    def of_category(self, label: str) -> Chances:
        """Return the numbers of a category in every document, nothing where a document does not have it."""
        chances = Chances.nothing(len(self))
        if label in self.categories:
            here = self.category_k == self.categories.index(label)
            chances.fill(self.document_k[here], self.gamma_k.take(here))
        return chances

    @property
    def labels(self) -> list[str]:
        """The categories that some document has, sorted."""
        return [self.categories[code] for code in np.unique(self.category_k).tolist()]
