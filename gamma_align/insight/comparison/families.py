"""`families`: γ's family and Krippendorff's unitizing family of one corpus (M17 §5.2).

Also the contribution of each pair of categories to cuα and to γcat (M17 table 3). cuα weights pairs of categories by
the length on which their units overlap. γcat weights them by the position and the number of their aligned pairs of
units. The two shares of a pair of categories show how differently the two coefficients weight it.

References
----------
Mathet 2017, §5.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np

from gamma_align.alignment import naming_documents, solve_alignment
from gamma_align.chance import WeightedPairs, weighted_pairs
from gamma_align.columns import FloatArray, IntArray, chunks, grouped_sums
from gamma_align.data import Batch, Corpus, FrameColumns
from gamma_align.errors import InputError
from gamma_align.inference import Result, columns_of
from gamma_align.insight.disagreements.unitary_alignments import MIN_ANNOTATORS
from gamma_align.measures.gamma import GAMMA_OPTIONS, GammaOptions, GammaResult, GammaSettings, gamma_of
from gamma_align.measures.unitizing import (
    Coincidences,
    UnitizingResult,
    UnitizingSettings,
    document_rows,
    not_available,
)
from gamma_align.measures.unitizing.unitizing_alpha import unitizing_alpha
from gamma_align.options import takes_options

_CHUNK_UNITS = 4_000  # units of the documents that are aligned in one batch, which bounds the memory


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contribution(Result):
    """The contributions of a pair of categories to cuα and γcat.

    Attributes
    ----------
    first, second : str or None
        The categories, equal or in the order of their names; None is no category, and comes last.
    length : float
        Coincidence of the two: length on which ordered pairs of annotators have them, each weighted 1 / (m - 1).
    cu : float
        Share of all coincidences, which cuα is computed from; NaN if no two units overlap.
    weight : float
        Σ weight of the aligned pairs of units of these categories.
    gamma_cat : float
        Share of all weight, which γcat is computed from; NaN if no two units are aligned.

    Examples
    --------
    >>> ga.Contribution("x", "y", length=2.0, cu=0.25, weight=0.5, gamma_cat=0.2).to_dict()["cu"]
    0.25
    """

    first: str | None
    second: str | None
    length: float
    cu: float
    weight: float
    gamma_cat: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Families(Result):
    """γ and uα of a corpus, and the contributions of each pair of categories to γcat and cuα.

    Attributes
    ----------
    gamma : GammaResult
        γ, γcat and γk.
    unitizing : UnitizingResult
        uα, |uα, cuα and (k)uα.
    contributions : tuple of Contribution
        Contributions in the corpus, sorted by category.
    documents : mapping of str to tuple of Contribution
        Contributions in each document.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> result = ga.families(units, samples=10)
    >>> [(entry.first, entry.second, entry.length) for entry in result.contributions]
    [('x', 'x', 6.0), ('x', 'y', 6.0)]
    """

    gamma: GammaResult
    unitizing: UnitizingResult
    contributions: tuple[Contribution, ...]
    documents: Mapping[str, tuple[Contribution, ...]]

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions and warnings for readers of the numbers."""
        return tuple(dict.fromkeys([*self.gamma.notes, *self.unitizing.notes]))

    def _contents(self) -> dict[str, object]:
        return {
            "schema_version": 1,
            "gamma": self.gamma,
            "unitizing_alpha": self.unitizing,
            "contributions": {"corpus": self.contributions, "documents": self.documents},
            "notes": self.notes,
        }

    def _columns(self) -> FrameColumns:
        return columns_of(self.contributions, Contribution.__slots__)


class Amounts(NamedTuple):
    """Additive amounts of pairs of categories of documents, shape (n,) each.

    `first` and `second` are codes, first ≤ second; the code of no category follows the codes of categories.
    """

    document: IntArray
    first: IntArray
    second: IntArray
    amount: FloatArray


def meeting_lengths(documents: IntArray, coincidences: Coincidences) -> Amounts:
    """Return the coincidences of units in both orders; `documents` are the documents of the rows of coincidences."""
    row, column, length = coincidences.lengths
    first = column // coincidences.n_values
    second = column % coincidences.n_values
    has_units = second < coincidences.n_values - 1  # the last value is a gap
    amount = np.where(first == second, 1.0, 2.0) * length
    return Amounts(documents[row[has_units]], first[has_units], second[has_units], amount[has_units])


def pair_weights(documents: IntArray, n_categories: int, batch: Batch, pairs: WeightedPairs) -> Amounts:
    """Return Σ weight of the aligned pairs of a batch; `documents` are the documents of its instances."""
    codes = np.where(batch.category < 0, n_categories, batch.category)
    first = codes[pairs.first]
    second = codes[pairs.second]
    width = n_categories + 1  # with the code of no category
    cells = np.minimum(first, second) * width + np.maximum(first, second)
    keys, index = np.unique(batch.instance[pairs.first] * width**2 + cells, return_inverse=True)
    weights = grouped_sums(index.reshape(-1), pairs.weight, len(keys))
    return Amounts(documents[keys // width**2], keys // width % width, keys % width, weights)


_Codes = tuple[int, int]  # of two categories


class _Totals(NamedTuple):
    """Length and weight of a pair of categories, or of all pairs."""

    length: float
    weight: float

    @classmethod
    def of(cls, parts: Iterable[_Totals]) -> _Totals:
        """Return the correctly rounded sums, which do not depend on the order."""
        columns = [*zip(*parts, strict=True)] or [(), ()]
        return cls(*map(math.fsum, columns))


def contributions(
    categories: tuple[str, ...], n_documents: int, lengths: Amounts, weights: Iterable[Amounts]
) -> tuple[tuple[Contribution, ...], list[tuple[Contribution, ...]]]:
    """Return the contributions in the corpus, and in each document."""
    labels = (*categories, None)
    tables: list[dict[_Codes, _Totals]] = [{} for _ in range(n_documents)]
    for document, key, length in _rows(lengths):
        _add(tables[document], key, _Totals(length, 0.0))
    for part in weights:
        for document, key, weight in _rows(part):
            _add(tables[document], key, _Totals(0.0, weight))
    parts: dict[_Codes, list[_Totals]] = {}
    for table in tables:
        for key, totals in table.items():
            parts.setdefault(key, []).append(totals)
    pooled = {key: _Totals.of(totals) for key, totals in parts.items()}
    return _shares(pooled, labels), [_shares(table, labels) for table in tables]


def _rows(amounts: Amounts) -> Iterator[tuple[int, _Codes, float]]:
    for document, first, second, amount in zip(*(column.tolist() for column in amounts), strict=True):
        yield document, (first, second), amount


def _add(table: dict[_Codes, _Totals], key: _Codes, amounts: _Totals) -> None:
    total = table.get(key, _Totals(0.0, 0.0))
    table[key] = _Totals(total.length + amounts.length, total.weight + amounts.weight)


def _shares(table: dict[_Codes, _Totals], labels: tuple[str | None, ...]) -> tuple[Contribution, ...]:
    """Return the pairs of categories of a table with their shares of its totals."""
    total = _Totals.of(table.values())
    return tuple(
        Contribution(
            labels[first],
            labels[second],
            amounts.length,
            _share(amounts.length, total.length),
            amounts.weight,
            _share(amounts.weight, total.weight),
        )
        for (first, second), amounts in sorted(table.items())
    )


def _share(amount: float, total: float) -> float:
    return amount / total if total > 0 else math.nan


@takes_options(GAMMA_OPTIONS)
def families(
    corpus: Corpus,
    /,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Families:
    """Measure both families, and the contributions of pairs of categories to cuα and γcat (M17 table 3).

    γ uses the distance as D, cuα and (k)uα as δ². The figures printed in M17 need ``conventions="authors"``.

    Parameters
    ----------
    corpus : Corpus
        The data. If units of one annotator overlap, uα is not available, and a note gives the reason.
    n_jobs, progress
        As in `gamma`.
    **settings
        Options of γ.

    Returns
    -------
    Families

    Raises
    ------
    InputError
        If no document has two annotators, or a label is unknown to the distance.
    SettingsError
        If a setting is out of its range.
    ResourceError
        If the memory, the disk space or the workers are not enough.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> result = ga.families(units, samples=10)
    >>> round(result.gamma.gamma.value, 2), round(result.unitizing.u.value, 2)
    (0.03, -0.09)
    """
    options = GammaSettings.of(**settings)
    result = gamma_of(corpus, options, n_jobs=n_jobs, progress=progress)
    unitizing, lengths = _unitizing(corpus, UnitizingSettings(options.dissimilarity.categorial))
    pooled, by_document = contributions(corpus.categories, len(corpus), lengths, _weights(corpus, options))
    return Families(
        gamma=result,
        unitizing=unitizing,
        contributions=pooled,
        documents=dict(zip(corpus.documents, by_document, strict=True)),
    )


def _unitizing(corpus: Corpus, settings: UnitizingSettings) -> tuple[UnitizingResult, Amounts]:
    """Return the unitizing family and the coincidences of pairs of categories; no values if units overlap."""
    try:
        rows = document_rows(corpus, layers=False)
    except InputError as error:
        # γ is defined for overlapping units of one annotator, uα is not: γ is returned all the same.
        note = error.prefixed("uα is not available").problem.as_note()
        no_codes = np.empty(0, dtype=np.int64)
        result = not_available(corpus, settings, "units of one annotator overlap", note)
        return result, Amounts(no_codes, no_codes, no_codes, np.empty(0))
    return unitizing_alpha(corpus, distance=settings.distance), meeting_lengths(rows.documents, rows.coincidences)


def _weights(corpus: Corpus, settings: GammaSettings) -> Iterator[Amounts]:
    """Yield the weights of aligned pairs, a chunk of documents at a time."""
    dissimilarity = settings.dissimilarity.bind(corpus.categories)
    # Documents without units count too (+ 1), so that a chunk cannot have too many of them.
    for first, last in chunks(corpus.units_per_document + 1, _CHUNK_UNITS):
        batch, _ = Batch.from_corpus(corpus.documents_between(first, last))
        measurable = np.flatnonzero(batch.n_annotators >= MIN_ANNOTATORS)
        batch = batch.take(measurable)
        with naming_documents(corpus.documents, first + measurable):
            solution = solve_alignment(batch, dissimilarity, settings.limits, alignment=settings.alignment)
        members = solution.members(batch)
        pairs = weighted_pairs(members, solution.group, dissimilarity, confidence=settings.confidence)
        yield pair_weights(first + measurable, len(corpus.categories), members, pairs)
