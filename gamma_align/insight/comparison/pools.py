"""The coefficients of two annotations of the same documents, as functions of how often each document counts.

γ, γcat and γk are 1 - Σ w·δ / Σ w·δ_e over documents, w being x̄ for γ and Σ weight of pairs for the others, as they are
pooled in one corpus. The unitizing family is a function of sums of coincidences. If a document has a coefficient in one
of the annotations only, it does not count for this coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.distances import Distance
from gamma_align.inference.exchanges import MAX_BLOCKS, Blocks
from gamma_align.inference.jackknife import Parts
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows
from gamma_align.measures.unitizing.coincidences import (
    CoincidenceRows,
    CoincidenceSums,
    CoincidenceTable,
    document_rows,
)
from gamma_align.measures.unitizing.family import Family

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
    """γ, γcat and γk of two annotations, from the disorders of each document.

    Attributes
    ----------
    names : tuple of Name
    observed, expected : ndarray of float64, shape (2, n_documents, n_names)
        w·δ and w·δ_e of each document; 0 if it does not count.
    counted : ndarray of bool, shape (n_documents, n_names)
        Documents that count.
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
    observed: FloatArray
    expected: FloatArray
    counted: BoolArray
    sampling_error: FloatArray
    bracket: FloatArray
    agreeing: BoolArray
    lowest: FloatArray

    @classmethod
    def of(cls, first: GammaRows, second: GammaRows, delta_empty: float = 1.0) -> GammaPool:
        """Pool two annotations of the same documents."""
        labels = sorted({*first.labels, *second.labels})
        names = (Name("gamma"), Name("gamma_cat"), *(Name("gamma_k", label) for label in labels))
        chances = [[_chances(rows, name) for name in names] for rows in (first, second)]
        weight, observed, expected = (_stacked(chances, field) for field in ("weight", "observed", "expected"))
        error, bracket = _stacked(chances, "error"), _stacked(chances, "bracket")
        counted = np.asarray(np.isfinite(observed + expected).all(axis=0))
        # γ of n annotators has a disorder of n·Δ at most, as if no units were aligned; the others of 1.
        highest = np.ones_like(weight)
        highest[:, :, 0] = [rows.annotators * delta_empty for rows in (first, second)]
        observed, expected, error, bracket, highest = (
            np.where(counted, weight * part, 0.0) for part in (observed, expected, error, bracket, highest)
        )
        total_observed, total_expected = observed.sum(axis=1), expected.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = total_observed / total_expected
            # The delta method: the error of the ratio that the error of the expected disorder causes.
            errors = total_observed / total_expected**2 * np.sqrt(np.square(error).sum(axis=1))
            highest_ratio = total_observed / (total_expected - bracket.sum(axis=1))
            too_high = np.where(total_observed > 0, highest_ratio - ratio, 0.0)
            lowest = 1.0 - highest.sum(axis=1) / total_expected
        agreeing = counted & _agreeing(chances)
        return cls(names, observed, expected, counted, np.hypot(*errors), too_high, agreeing, lowest)

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

    def values(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> FloatArray:
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


def _stacked(chances: Sequence[Sequence[Chances]], field: str) -> FloatArray:
    """Return a field of both annotations, shape (2, n_documents, n_names)."""
    return np.array([np.stack([getattr(chance, field) for chance in side], axis=1) for side in chances])


def _agreeing(chances: Sequence[Sequence[Chances]]) -> BoolArray:
    """Return the documents with agreement, shape (2, n_documents, n_names)."""
    sides = []
    for gamma, *by_category in chances:
        # For γ it is enough that units are aligned. γcat and γk are computed from aligned units alone.
        columns = [gamma.agreeing(math.inf), *(chance.agreeing() for chance in by_category)]
        sides.append(np.stack(columns, axis=1))
    return np.array(sides)


class _Sums(NamedTuple):
    """Coincidences of all documents, and of all documents but one."""

    total: CoincidenceSums
    parts: Iterator[tuple[CoincidenceSums, CoincidenceSums]]


@dataclass(frozen=True, slots=True, eq=False)
class UnitizingPool:
    """uα, |uα, cuα and (k)uα of two annotations, from rows of coincidences.

    Attributes
    ----------
    names : tuple of Name
    family : Family
    rows : CoincidenceRows
        Rows of the first annotation, then of the second.
    columns : list of int
        Index of each name in the values of the family.
    n_documents : int
    """

    names: tuple[Name, ...]
    family: Family
    rows: CoincidenceRows
    columns: list[int]
    n_documents: int

    @classmethod
    def of(cls, first: Corpus, second: Corpus, distance: Distance, *, layers: bool) -> UnitizingPool:
        """Pool two annotations of the same documents, with the same extents."""
        corpus = _with_prefix(first, "1").merge(_with_prefix(second, "2"))
        rows = document_rows(corpus, layers=layers)
        family = Family.of(corpus.categories, distance, rows, layers=layers)
        # Values of layers never meet, so that only uα is defined.
        reported = _WITHOUT_CATEGORY[:1] if layers else _WITHOUT_CATEGORY
        names = {_WITHOUT_CATEGORY.index(name): Name(name) for name in reported}
        for column, label in enumerate(family.labels, len(_WITHOUT_CATEGORY)):
            if label is not None:
                names[column] = Name("layers" if layers else "ku", label)
        return cls(tuple(names.values()), family, rows, [*names], len(first))

    @property
    def noun(self) -> str:
        """Name of the entries of `parts`."""
        return "documents" if self.n_documents <= MAX_BLOCKS else "runs of documents"

    @property
    def counted(self) -> BoolArray:
        """Documents that count, those with a length, shape (n_documents, n_names): the same for all values."""
        counted = np.zeros((self.n_documents, len(self.names)), dtype=np.bool_)
        counted[self._measured] = True
        return counted

    @property
    def _measured(self) -> IntArray:
        """The documents that have rows, which are the same in both annotations."""
        return self.rows.documents[: len(self.rows.documents) // 2]

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
        """Return the coincidences of one annotation: of all documents, of each one, and of all except each one."""
        blocks, table = Blocks.of(self.n_documents), CoincidenceTable(self.rows.coincidences)
        identity = np.eye(blocks.n_blocks)

        def sums(weights: FloatArray) -> Iterator[CoincidenceSums]:
            sides = [blocks.weights(weights), blocks.weights(np.zeros_like(weights))]
            return table.weighted(self._weights(sides[side], sides[1 - side]))

        total = next(sums(np.ones((1, blocks.n_blocks))))
        return _Sums(total, zip(sums(identity), sums(1.0 - identity), strict=True))

    def _weights(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> csr_matrix[np.float64]:
        """Return the weights of the rows of coincidences from the weights of documents in both annotations."""
        from scipy.sparse import hstack

        weights: csr_matrix[np.float64] = hstack([first[:, self._measured], second[:, self._measured]], format="csr")
        return weights

    def values(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> FloatArray:
        """Return the values, as `exchanges.Pool` describes them."""
        return self.family.weighted(self.rows, self._weights(first, second))[:, self.columns]


def _with_prefix(corpus: Corpus, prefix: str) -> Corpus:
    """Return the corpus with a prefix in the names of documents, which sorts its rows and keeps names apart."""
    return corpus.rename(documents={name: f"{prefix} {name}" for name in corpus.documents})
