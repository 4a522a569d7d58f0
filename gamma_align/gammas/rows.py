"""The numbers of each document before they are made coefficients, as columns: what is pooled, kept and passed on.

A document's numbers are independent of other documents and of how the work was cut up, so rows of parts of a corpus,
one after the other, are those of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np

from gamma_align._rows import ranges
from gamma_align._types import BoolArray, CodeArray, FloatArray, IntArray, equal
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import Backend
from gamma_align.results.frames import COMMON, RowsOfDocuments, columns_of_rows, common_of, one_each

_ROUNDING = 1e-12  # relative: a mean of distances that are all 1 may be this far from 1


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Observed and expected values of one disorder in several documents, shape (n,) each.

    `observed` is δ of the data (NaN where not defined), made of so many aligned `pairs` of units that count; `weight`
    is what the document weighs when disorders are pooled: x̄ for γ, Σ weight of its pairs for γcat and γk. `expected` is
    the mean over the `samples` that have it, made more precise by the `controls` of which pairs of annotators were
    aligned; `error`, with its degrees of `freedom`, and `skewness` are those of this mean, `deviation` that of the
    samples (n - 1). So much, the `bracket`, the mean may be too large because costly samples are not solved to the end.
    For γcat and γk `prior` is the variance of a sample before it is seen, and `status` whether δ_e is estimated,
    impossible or exact (see `gammas.categorial`); 0 for γ.
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
        weight, skewness, freedom, bracket, prior = np.zeros((5, number))
        pairs, samples, controls, status = np.zeros((4, number), dtype=np.int32)
        of_mean = (expected, error, deviation, skewness)
        return cls(observed, weight, pairs, *of_mean, samples, controls, freedom, bracket, prior, status)

    @classmethod
    def joined(cls, parts: Sequence[Chances]) -> Self:
        """Return the numbers of several lists as those of one list."""
        return cls(*(np.concatenate(columns) for columns in zip(*map(_columns, parts), strict=True)))

    def __len__(self) -> int:
        return len(self.observed)

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def take(self, index: IntArray | BoolArray | slice) -> Chances:
        """Return the numbers at these places."""
        return Chances(*(column[index] for column in _columns(self)))

    def put(self, index: IntArray | slice, some: Chances) -> None:
        """Write the numbers of some documents to these places."""
        for column, values in zip(_columns(self), _columns(some), strict=True):
            column[index] = values

    def agreeing(self, largest: FloatArray | float = 1.0) -> BoolArray:
        """Return the documents with agreement: units are aligned, and δ is below the `largest` possible one."""
        return np.asarray((self.pairs > 0) & (self.observed < largest * (1.0 - _ROUNDING)))

    @property
    def known(self) -> BoolArray:
        """Where there is something observed and something expected."""
        return np.asarray(~(np.isnan(self.observed) | np.isnan(self.expected)))


COLUMNS: dict[str, Any] = {
    **dict.fromkeys(("annotators", "units", "alignments", "samples", "unlabelled"), np.int32),
    "gap": np.float64,
    "distance_lowered": np.bool_,
}
"""The columns with a number for each document, but for those of disorders."""
KINDS = ("gamma", "gamma_cat", "gamma_k")
_NAMES = (
    *("document", "coefficient", "category"),
    *(f"document_{name}" for name in COLUMNS),
    *Chances.__slots__,
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

    @classmethod
    def nothing(cls, corpus: Corpus) -> Self:
        """Return rows without numbers, as of documents that nothing can be measured of."""
        without = np.where(corpus.category < 0, 1.0, 0.0)
        counts = (corpus.n_annotators, corpus.units_per_document)
        unlabelled = np.bincount(corpus.unit_document, weights=without, minlength=len(corpus)).astype(np.int64)
        rows = cls._blank(corpus.documents, corpus.categories, corpus.length_unit, corpus.notes)
        for column, values in zip((rows.annotators, rows.units, rows.unlabelled), (*counts, unlabelled), strict=True):
            column[:] = values
        return rows

    @classmethod
    def _blank(
        cls, documents: tuple[str, ...], categories: tuple[str, ...], length_unit: str | None, notes: tuple[str, ...]
    ) -> Self:
        number, nothing = len(documents), np.zeros(0, dtype=np.int64)
        columns: dict[str, Any] = {name: np.zeros(number, dtype=kind) for name, kind in COLUMNS.items()}
        return cls(
            documents=documents,
            categories=categories,
            **columns,
            gamma=Chances.nothing(number),
            gamma_cat=Chances.nothing(number),
            document_k=nothing,
            category_k=nothing,
            gamma_k=Chances.nothing(0),
            length_unit=length_unit,
            notes=notes,
        )

    @classmethod
    def joined(cls, parts: Sequence[GammaRows]) -> Self:
        """Return rows of the same categories, one after the other."""
        names = tuple(name for part in parts for name in part.documents)
        return cls.filled(names, parts)

    @classmethod
    def filled(cls, documents: tuple[str, ...], parts: Iterable[GammaRows]) -> Self:
        """Return rows of the same categories, of these documents, from parts that are not held all at once."""
        notes, of_k, first = dict[str, None](), list[tuple[IntArray, IntArray, Chances]](), 0
        rest = iter(parts)
        head = next(rest)
        whole = cls._blank(documents, head.categories, head.length_unit, head.notes)
        for part in chain([head], rest):
            here = slice(first, first + len(part))
            for name in COLUMNS:
                getattr(whole, name)[here] = getattr(part, name)
            whole.gamma.put(here, part.gamma)
            whole.gamma_cat.put(here, part.gamma_cat)
            of_k.append((part.document_k + first, part.category_k, part.gamma_k))
            notes |= dict.fromkeys(part.notes)
            first += len(part)
        document_k, category_k, gamma_k = zip(*of_k, strict=True)
        return replace(
            whole,
            document_k=np.concatenate(document_k),
            category_k=np.concatenate(category_k),
            gamma_k=Chances.joined(gamma_k),
            notes=tuple(notes),
            made_with=head.made_with,
        )

    def take(self, index: IntArray) -> GammaRows:
        """Return the rows at these places, as often as they are named."""
        offsets = np.searchsorted(self.document_k, np.arange(len(self) + 1))
        counts = np.diff(offsets)[index]
        of_k = ranges(offsets[index], counts)
        names = tuple(self.documents[row] for row in index.tolist())
        return self._some(names, lambda column: column[index], of_k, np.repeat(np.arange(len(index)), counts))

    def between(self, first: int, last: int) -> GammaRows:
        """Return rows first … last - 1."""
        of_k = slice(*np.searchsorted(self.document_k, [first, last]))
        return self._some(
            self.documents[first:last], lambda column: column[first:last], of_k, self.document_k[of_k] - first
        )

    def _some(
        self,
        documents: tuple[str, ...],
        chosen: Callable[[Any], Any],
        of_k: IntArray | slice,
        document_k: IntArray,
    ) -> GammaRows:
        """Return rows whose columns are those `chosen`, with the entries `of_k`, which are of `document_k`."""
        return replace(
            self,
            documents=documents,
            **{name: chosen(getattr(self, name)) for name in COLUMNS},
            gamma=Chances(*map(chosen, _columns(self.gamma))),
            gamma_cat=Chances(*map(chosen, _columns(self.gamma_cat))),
            document_k=document_k,
            category_k=self.category_k[of_k],
            gamma_k=self.gamma_k.take(of_k),
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
        every, chances = np.arange(len(self)), Chances.joined([self.gamma, self.gamma_cat, self.gamma_k])
        document = np.concatenate([every, every, self.document_k])
        columns = {
            "document": documents[document],
            "coefficient": np.repeat(np.array(KINDS, dtype=object), [len(self), len(self), len(self.document_k)]),
            "category": labels[np.concatenate([np.full(2 * len(self), -1), self.category_k])],
            **{f"document_{name}": getattr(self, name)[document] for name in COLUMNS},
            **{name: getattr(chances, name) for name in Chances.__slots__},
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
        chances = Chances(*(np.array(table[name], dtype=_kind_of(name)) for name in Chances.__slots__))
        gamma, gamma_cat = (one_each(kind == name, document, [*code], name) for name in KINDS[:2])
        of_k = np.flatnonzero(kind == KINDS[2])
        labels = [table["category"][row] for row in of_k.tolist()]
        label_code = {label: index for index, label in enumerate(sorted(set(labels)))}
        category = np.array([label_code[label] for label in labels], dtype=np.int64)
        order = np.lexsort((category, document[of_k]))
        of_documents: dict[str, Any] = {
            name: np.array(table[f"document_{name}"], dtype=dtype)[gamma] for name, dtype in COLUMNS.items()
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
            chances.put(self.document_k[here], self.gamma_k.take(here))
        return chances

    @property
    def labels(self) -> list[str]:
        """The categories that some document has, sorted."""
        return [self.categories[code] for code in np.unique(self.category_k).tolist()]


def _columns(chances: Chances) -> list[Any]:
    return [getattr(chances, name) for name in Chances.__slots__]


def _kind_of(name: str) -> type:
    return np.int32 if name in ("pairs", "samples", "controls", "status") else np.float64
