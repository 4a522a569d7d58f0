"""The coefficients of two corpora, as functions of how often each document counts.

γ, γcat and γk are 1 - Σ w·δ / Σ w·δ_e over documents, w being x̄ for γ and Σ weight of pairs for the others, as they are
pooled in one corpus. The unitizing family is a function of sums of coincidences. A pool is made of the documents that
both corpora have, or of all. In the former, a document counts for a coefficient if it has it in both; in the latter, a
document counts for each corpus by itself, and its terms are 0 in a corpus that does not have it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.distances import Distance
from gamma_align.inference import BOTH, MAX_BLOCKS, Blocks, Parts, Weights
from gamma_align.insight.comparison.shared_names import SharedNames
from gamma_align.measures.gamma import Chances, GammaRows
from gamma_align.measures.unitizing import CoincidenceRows, CoincidenceSums, CoincidenceTable, Family, document_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_WITHOUT_CATEGORY = ("u", "bar_u", "cu")
"""The first values of a `Family`; its values by category follow."""


class Name(NamedTuple):
    """The name of a coefficient in results, and its category if it has one."""

    coefficient: str
    category: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GammaPool:
    """γ, γcat and γk of two corpora, from the disorders of each document.

    Attributes
    ----------
    names : tuple of Name
    side : ndarray of int64, shape (n_documents,)
        Where each document is, as in `SharedNames`.
    observed, expected : ndarray of float64, shape (2, n_documents, n_names)
        w·δ and w·δ_e of each document; 0 if it does not count.
    counted : ndarray of bool, shape (n_documents, n_names)
        Documents that count in a corpus.
    sampling_error : ndarray of float64, shape (n_names,)
        Standard error of the difference that is due to the number of samples.
    bracket : ndarray of float64, shape (2, n_names)
        Amount by which a value may be too high because costly samples are not solved to optimality.
    agreeing : ndarray of bool, shape (2, n_documents, n_names)
        Documents with agreement.
    lowest : ndarray of float64, shape (2, n_names)
        Lower limit of each value.
    """

    names: tuple[Name, ...]
    side: IntArray
    observed: FloatArray
    expected: FloatArray
    counted: BoolArray
    sampling_error: FloatArray
    bracket: FloatArray
    agreeing: BoolArray
    lowest: FloatArray

    @classmethod
    def of(
        cls, first: GammaRows, second: GammaRows, delta_empty: float = 1.0, *, all_documents: bool = False
    ) -> GammaPool:
        """Pool the documents of two corpora that both have, or every document."""
        documents = SharedNames.of(first.documents, second.documents)
        if not all_documents:
            shared = np.flatnonzero(documents.side == BOTH)
            first = first.take(np.searchsorted(documents.first, shared))
            second = second.take(np.searchsorted(documents.second, shared))
            documents = SharedNames.of(first.documents, second.documents)
        labels = sorted({*first.labels, *second.labels})
        names = (Name("gamma"), Name("gamma_cat"), *(Name("gamma_k", label) for label in labels))
        chances = [[_chances(rows, name) for name in names] for rows in (first, second)]
        indices = (documents.first, documents.second)
        n_documents = len(documents.names)
        weight, observed, expected, error, bracket = (
            _stacked(chances, field, indices, n_documents)
            for field in ("weight", "observed", "expected", "error", "bracket")
        )
        has_value = np.isfinite(observed + expected)
        counted = has_value if all_documents else np.broadcast_to(has_value.all(axis=0), has_value.shape)
        # γ of n annotators has a disorder of n·Δ at most, as if no units were aligned; the others of 1.
        highest = np.ones_like(weight)
        for side, (rows, index) in enumerate(zip((first, second), indices, strict=True)):
            highest[side, index, 0] = rows.annotators * delta_empty
        observed, expected, error, bracket, highest = (
            np.where(counted, weight * part, 0.0) for part in (observed, expected, error, bracket, highest)
        )
        total_observed = observed.sum(axis=1)
        total_expected = expected.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = total_observed / total_expected
            # The delta method: the error of the ratio that the error of the expected disorder causes.
            errors = total_observed / total_expected**2 * np.sqrt(np.square(error).sum(axis=1))
            highest_ratio = total_observed / (total_expected - bracket.sum(axis=1))
            too_high = np.where(total_observed > 0, highest_ratio - ratio, 0.0)
            lowest = 1.0 - highest.sum(axis=1) / total_expected
        agreeing = counted & _agreeing(chances, indices, n_documents)
        return cls(
            names,
            documents.side,
            observed,
            expected,
            np.asarray(counted.any(axis=0)),
            np.hypot(*errors),
            too_high,
            agreeing,
            lowest,
        )

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.counted)

    @property
    def noun(self) -> str:
        """Name of the entries of `parts`."""
        return "documents"

    def parts(self) -> Iterator[tuple[Parts, Parts]]:
        """Yield the sums of both annotations, with and without each document, for each value."""
        for column in range(len(self.names)):
            parts = Parts.of_sums(self.observed[:, :, column], self.expected[:, :, column], self.agreeing[:, :, column])
            yield parts.take(slice(0, 1)), parts.take(slice(1, 2))

    def values(self, first: Weights, second: Weights) -> FloatArray:
        """Return the values, as `exchanges.Pool` describes them."""
        observed, expected = (first @ part[0] + second @ part[1] for part in (self.observed, self.expected))
        n_counted = (first + second) @ self.counted.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.where(observed > 0, 1.0 - observed / expected, 1.0)
        # Without any disorder it is 1, unless none is expected either: 0/0.
        return np.where((n_counted > 0) & ((expected > 0) | ((observed == 0) & (expected < 0))), value, np.nan)


def _chances(rows: GammaRows, name: Name) -> Chances:
    if name.category is not None:
        return rows.of_category(name.category)
    return rows.gamma if name.coefficient == "gamma" else rows.gamma_cat


def _stacked(
    chances: Sequence[Sequence[Chances]], field: str, indices: Sequence[IntArray], n_documents: int
) -> FloatArray:
    """Return a field of both corpora, shape (2, n_documents, n_names), NaN in documents that one of them lacks."""
    stacked = np.full((len(chances), n_documents, len(chances[0])), np.nan)
    for side, (columns, index) in enumerate(zip(chances, indices, strict=True)):
        stacked[side, index] = np.stack([getattr(chance, field) for chance in columns], axis=1)
    return stacked


def _agreeing(chances: Sequence[Sequence[Chances]], indices: Sequence[IntArray], n_documents: int) -> BoolArray:
    """Return the documents with agreement, shape (2, n_documents, n_names)."""
    agreeing = np.zeros((len(chances), n_documents, len(chances[0])), dtype=np.bool_)
    for side, ((gamma, *by_category), index) in enumerate(zip(chances, indices, strict=True)):
        # For γ it is enough that units are aligned. γcat and γk are computed from aligned units alone.
        columns = [gamma.agreeing(math.inf), *(chance.agreeing() for chance in by_category)]
        agreeing[side, index] = np.stack(columns, axis=1)
    return agreeing


class _Sums(NamedTuple):
    """Coincidences of all documents, and of all documents but one."""

    total: CoincidenceSums
    parts: Iterator[tuple[CoincidenceSums, CoincidenceSums]]


@dataclass(frozen=True, slots=True, eq=False)
class UnitizingPool:
    """uα, |uα, cuα and (k)uα of two corpora, from rows of coincidences.

    Attributes
    ----------
    names : tuple of Name
    side : ndarray of int64, shape (n_documents,)
        Where each document is, as in `SharedNames`.
    family : Family
    rows : CoincidenceRows
        Rows of the first corpus, then of the second.
    indices : (ndarray of int64, ndarray of int64)
        The document of each row of the first corpus, and of the second.
    columns : list of int
        Index of each name in the values of the family.
    """

    names: tuple[Name, ...]
    side: IntArray
    family: Family
    rows: CoincidenceRows
    indices: tuple[IntArray, IntArray]
    columns: list[int]

    @classmethod
    def of(
        cls, first: Corpus, second: Corpus, distance: Distance, *, layers: bool, all_documents: bool = False
    ) -> UnitizingPool:
        """Pool the documents of two corpora that both have, with the same extents, or every document."""
        if not all_documents:
            shared = [name for name in first.documents if name in second]
            first = first.select(documents=shared)
            second = second.select(documents=shared)
        documents = SharedNames.of(first.documents, second.documents)
        corpus = _with_prefix(first, "1").merge(_with_prefix(second, "2"))
        rows = document_rows(corpus, layers=layers)
        family = Family.of(corpus.categories, distance, rows, layers=layers)
        # Values of layers never meet, so that only uα is defined.
        reported = _WITHOUT_CATEGORY[:1] if layers else _WITHOUT_CATEGORY
        names = {_WITHOUT_CATEGORY.index(name): Name(name) for name in reported}
        for column, label in enumerate(family.labels, len(_WITHOUT_CATEGORY)):
            if label is not None:
                names[column] = Name("layers" if layers else "ku", label)
        is_first = rows.documents < len(first)
        indices = documents.first[rows.documents[is_first]], documents.second[rows.documents[~is_first] - len(first)]
        return cls(tuple(names.values()), documents.side, family, rows, indices, [*names])

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.side)

    @property
    def noun(self) -> str:
        """Name of the entries of `parts`."""
        return "documents" if self.n_documents <= MAX_BLOCKS else "runs of documents"

    @property
    def counted(self) -> BoolArray:
        """Documents that count, those with a length, shape (n_documents, n_names): the same for all values."""
        counted = np.zeros((self.n_documents, len(self.names)), dtype=np.bool_)
        for index in self.indices:
            counted[index] = True
        return counted

    @property
    def sampling_error(self) -> FloatArray:
        """NaN, because nothing is sampled."""
        return np.full(len(self.names), math.nan)

    @property
    def bracket(self) -> FloatArray:
        """0, because nothing is sampled."""
        return np.zeros((2, len(self.names)))

    @property
    def lowest(self) -> FloatArray:
        """The values of data that disagree everywhere, shape (2, n_names)."""
        return np.stack([self.family.lowest(self._sums(side).total)[self.columns] for side in (0, 1)])

    def parts(self) -> Iterator[tuple[Parts, Parts]]:
        """Yield the sums of both annotations, with and without each document (or run of them), for each value."""
        first, second = (self.family.parts(*self._sums(side)) for side in (0, 1))
        for column in self.columns:
            value = slice(column, column + 1)
            yield first.take(value), second.take(value)

    def _sums(self, side: int) -> _Sums:
        """Return the coincidences of one corpus: of all documents, of each one, and of all except each one."""
        blocks = Blocks.of(self.side)
        table = CoincidenceTable(self.rows.coincidences)
        identity = np.eye(blocks.n_blocks)

        def sums(weights: FloatArray) -> Iterator[CoincidenceSums]:
            sides = [blocks.weights(weights), blocks.weights(np.zeros_like(weights))]
            return table.weighted(self._weights(sides[side], sides[1 - side]))

        total = next(sums(np.ones((1, blocks.n_blocks))))
        return _Sums(total, zip(sums(identity), sums(1.0 - identity), strict=True))

    def _weights(self, first: Weights, second: Weights) -> csr_matrix[np.float64]:
        """Return the weights of the rows of coincidences from the weights of documents in both corpora."""
        from scipy.sparse import csr_matrix, hstack

        sides = [csr_matrix(side[:, index]) for side, index in zip((first, second), self.indices, strict=True)]
        weights: csr_matrix[np.float64] = hstack(sides, format="csr")
        return weights

    def values(self, first: Weights, second: Weights) -> FloatArray:
        """Return the values, as `exchanges.Pool` describes them."""
        return self.family.weighted(self.rows, self._weights(first, second))[:, self.columns]


def _with_prefix(corpus: Corpus, prefix: str) -> Corpus:
    """Return the corpus with a prefix in the names of documents, which sorts its rows and keeps names apart."""
    return corpus.rename(documents={name: f"{prefix} {name}" for name in corpus.documents})
