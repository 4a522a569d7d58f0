"""The values of two annotations of the same documents, as functions of how often each document counts.

γ, γcat and γk are 1 - Σ w·δ / Σ w·δ_e over documents, w being x̄ for γ and Σ weight of pairs for the others, as they are
pooled in one corpus. The unitizing family is a function of sums of coincidences. A document that has a coefficient in
one of the annotations only does not count in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
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


class Name(NamedTuple):
    """Which coefficient: its name in results, and its category where it is of one."""

    coefficient: str
    category: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GammaPool:
    """γ, γcat and γk from the numbers of each document, shape (2, n_documents, n_names), 0 where it does not count.

    `observed` and `expected` are w·δ and w·δ_e, `agreeing` documents have agreement. `sampling_error` is what the
    number of samples leaves open of the difference, and `bracket` by how much the first and the second value may be too
    high because costly samples are not solved to the end, shape (n_names,) and (2, n_names). No value can be below
    `lowest`, shape (2, n_names).
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
        """Return the pool of two annotations, whose rows are of the same documents.

        The disorder of γ is at most n·Δ of n annotators, as if no units were aligned; that of γcat and γk is at most 1.
        """
        labels = sorted({*first.labels, *second.labels})
        names = (Name("gamma"), Name("gamma_cat"), *(Name("gamma_k", label) for label in labels))
        chances = [[_chances(rows, name) for name in names] for rows in (first, second)]

        def column(field: str) -> FloatArray:
            return np.array([np.stack([getattr(each, field) for each in side], axis=1) for side in chances])

        weight, observed, expected = column("weight"), column("observed"), column("expected")
        counted = np.asarray(np.isfinite(observed + expected).all(axis=0))
        largest = np.ones_like(weight)
        largest[:, :, 0] = [rows.annotators * delta_empty for rows in (first, second)]
        # Whether units are aligned is enough for γ; γcat and γk are of aligned units alone.
        limits = [math.inf, *[1.0] * (len(names) - 1)]
        agreement = [[each.agreeing(limit) for each, limit in zip(side, limits, strict=True)] for side in chances]
        agreeing = counted & np.array([np.stack(side, axis=1) for side in agreement])
        observed, expected, error, bracket = (
            np.where(counted, weight * part, 0.0) for part in (observed, expected, column("error"), column("bracket"))
        )
        total, by_chance = observed.sum(axis=1), expected.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = total / by_chance**2 * np.sqrt(np.square(error).sum(axis=1))
            too_high = np.where(total > 0, total / (by_chance - bracket.sum(axis=1)) - total / by_chance, 0.0)
            lowest = 1.0 - np.where(counted, weight * largest, 0.0).sum(axis=1) / by_chance
        return cls(names, observed, expected, counted, np.hypot(*errors), too_high, agreeing, lowest)

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self.counted)

    @property
    def noun(self) -> str:
        """What its `parts` are over."""
        return "documents"

    def parts(self) -> Iterator[tuple[Parts, Parts]]:
        """Yield the sums of both annotations, with and without each document, for each value."""
        for column in range(len(self.names)):
            both = Parts.of_sums(self.observed[:, :, column], self.expected[:, :, column], self.agreeing[:, :, column])
            yield both.take(slice(0, 1)), both.take(slice(1, 2))

    def values(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> FloatArray:
        """Return the values, as `exchanges.Pool` describes them."""
        observed, expected = (first @ part[0] + second @ part[1] for part in (self.observed, self.expected))
        there = (first + second) @ self.counted.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.where(observed > 0, 1.0 - observed / expected, 1.0)
        return np.where((there > 0) & ((expected > 0) | (observed == 0)), value, np.nan)


def _chances(rows: GammaRows, name: Name) -> Chances:
    if name.category is not None:
        return rows.of_category(name.category)
    return rows.gamma if name.coefficient == "gamma" else rows.gamma_cat


class _Sums(NamedTuple):
    """Coincidences of all documents, of each document alone, and of all documents but one."""

    whole: CoincidenceSums
    alone: Iterator[CoincidenceSums]
    rest: Iterator[CoincidenceSums]


@dataclass(frozen=True, slots=True, eq=False)
class UnitizingPool:
    """uα, |uα, cuα and (k)uα from rows of coincidences: those of the first annotation, then those of the second.

    `columns` are the values of the family that have a name, `measured` the documents that have rows.
    """

    names: tuple[Name, ...]
    family: Family
    rows: CoincidenceRows
    columns: list[int]
    n_documents: int

    @classmethod
    def of(cls, first: Corpus, second: Corpus, distance: Distance, *, layers: bool) -> UnitizingPool:
        """Return the pool of two annotations of the same documents, with the same extents."""
        both = _numbered(first, 1).merge(_numbered(second, 2))
        rows = document_rows(both, layers=layers)
        family = Family.of(both.categories, distance, rows, layers=layers)
        by_category = "layers" if layers else "ku"
        names = [Name("u"), Name("bar_u"), Name("cu"), *(Name(by_category, label) for label in family.labels)]
        known = [column for column, name in enumerate(names) if column < 3 or name.category is not None]  # noqa: PLR2004
        if layers:
            known = [column for column in known if names[column].coefficient not in ("bar_u", "cu")]
        return cls(tuple(names[column] for column in known), family, rows, known, len(first))

    @property
    def noun(self) -> str:
        """What its `parts` are over."""
        return "documents" if self.n_documents <= MAX_BLOCKS else "runs of documents"

    @property
    def counted(self) -> BoolArray:
        """Which documents count, in any of the values: those with a length."""
        half = self.rows.documents[: len(self.rows.documents) // 2]
        counted = np.zeros((self.n_documents, len(self.names)), dtype=np.bool_)
        counted[half] = True
        return counted

    @property
    def sampling_error(self) -> FloatArray:
        """Nothing is sampled."""
        return np.full(len(self.names), math.nan)

    @property
    def bracket(self) -> FloatArray:
        """Nothing is sampled."""
        return np.zeros((2, len(self.names)))

    @property
    def lowest(self) -> FloatArray:
        """The values of data that disagree everywhere, shape (2, n_names)."""
        return np.stack([self.family.lowest(self._sums(side).whole)[self.columns] for side in (0, 1)])

    def parts(self) -> Iterator[tuple[Parts, Parts]]:
        """Yield the sums of both annotations, with and without each document (or run of them), for each value."""
        first, second = (self.family.parts(*self._sums(side)) for side in (0, 1))
        for column in self.columns:
            value = slice(column, column + 1)
            yield first.take(value), second.take(value)

    def _sums(self, side: int) -> _Sums:
        """Return the coincidences of one annotation: of all documents, of each one, and of all but each one."""
        blocks, table = Blocks.of(self.n_documents), CoincidenceTable(self.rows.coincidences)
        each = np.eye(blocks.n_blocks)

        def sums(weights: FloatArray) -> Iterator[CoincidenceSums]:
            both = [blocks.weights(weights), blocks.weights(np.zeros_like(weights))]
            return table.weighted(self._weights(both[side], both[1 - side]))

        return _Sums(next(sums(np.ones((1, blocks.n_blocks)))), sums(each), sums(1.0 - each))

    def _weights(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> csr_matrix[np.float64]:
        """Return how often each row of coincidences counts if documents count so often."""
        from scipy.sparse import hstack

        half = self.rows.documents[: len(self.rows.documents) // 2]
        weights: csr_matrix[np.float64] = hstack([first[:, half], second[:, half]], format="csr")
        return weights

    def values(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> FloatArray:
        """Return the values, as `exchanges.Pool` describes them."""
        return self.family.weighted(self.rows, self._weights(first, second))[:, self.columns]


def _numbered(corpus: Corpus, number: int) -> Corpus:
    return corpus.rename(documents={name: f"{number} {name}" for name in corpus.documents})
