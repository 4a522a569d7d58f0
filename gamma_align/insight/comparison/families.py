"""`families`: γ's family and Krippendorff's unitizing family side by side (M17 §5.2).

Besides, what each pair of categories contributes to cuα and to γcat (M17 table 3): cuα weighs pairs of categories by
the length on which their units meet, γcat by how well aligned pairs of units match: by position, and by how many share
a unitary alignment. The shares of both side by side show what each listens to.

References
----------
Mathet 2017, §5.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from gamma_align.alignment.solve import solve
from gamma_align.columns import FloatArray, IntArray, chunks
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import FrameColumns
from gamma_align.data.sources import Source, corpus_of
from gamma_align.errors import InputError
from gamma_align.inference.values import Result, columns_of
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.gamma.statistics import WeightedPairs, weighted_pairs
from gamma_align.measures.unitizing.coincidences import Coincidences, document_rows
from gamma_align.measures.unitizing.unitizing_alpha import UnitizingSettings, not_available, unitizing_alpha
from gamma_align.measures.unitizing.unitizing_result import UnitizingResult
from gamma_align.options import takes_options

_PART_UNITS = 4_000  # of the documents aligned together


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contribution(Result):
    """What two categories contribute.

    Attributes
    ----------
    first, second : str or None
        The categories, equal or in the order of their names; None is no category, and comes last.
    length : float
        Coincidence of the two: length on which ordered pairs of annotators have them, each counting 1 / (m - 1).
    cu : float
        Its share of cuα's; NaN where no two units meet.
    weight : float
        Σ weight of the aligned pairs of units of these categories.
    gamma_cat : float
        Its share of γcat's; NaN where no two units are aligned.

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
    """γ and uα of a corpus, and what each pair of categories contributes to γcat and cuα.

    Attributes
    ----------
    gamma : GammaResult
        γ, γcat and γk.
    unitizing : UnitizingResult
        uα, |uα, cuα and (k)uα.
    contributions : tuple of Contribution
        In the whole corpus, sorted by category.
    documents : mapping of str to tuple of Contribution
        In each document.

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
        """What the reader of the numbers should know."""
        return tuple(dict.fromkeys([*self.gamma.notes, *self.unitizing.notes]))

    def _contents(self) -> dict[str, Any]:
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
    """Additive amounts of pairs of categories, by document.

    `document`, `first`, `second` (first ≤ second; the highest code is no category) and `amount`, shape (n,) each.
    """

    document: IntArray
    first: IntArray
    second: IntArray
    amount: FloatArray


def meeting_lengths(documents: IntArray, coincidences: Coincidences) -> Amounts:
    """Return the coincidences of units, both orders together, of rows that are of these documents."""
    row, column, value = coincidences.lengths
    first, second = column // coincidences.n_values, column % coincidences.n_values
    units = second < coincidences.n_values - 1
    both = np.where(first == second, 1.0, 2.0) * value
    return Amounts(documents[row[units]], first[units], second[units], both[units])


def pair_weights(documents: IntArray, n_categories: int, batch: Batch, pairs: WeightedPairs) -> Amounts:
    """Return the Σ weight of the aligned pairs of a batch, whose instances are these documents."""
    first, second = (
        np.where(batch.category[units] < 0, n_categories, batch.category[units])
        for units in (pairs.first, pairs.second)
    )
    low, high, width = np.minimum(first, second), np.maximum(first, second), n_categories + 1
    keys, index = np.unique((batch.instance[pairs.first] * width + low) * width + high, return_inverse=True)
    sums = np.bincount(index.reshape(-1), weights=pairs.weight, minlength=1)[: len(keys)].astype(np.float64)
    return Amounts(documents[keys // width**2], keys // width % width, keys % width, sums)


def contributions(
    categories: tuple[str, ...], n_documents: int, lengths: Amounts, weights: Iterable[Amounts]
) -> tuple[tuple[Contribution, ...], list[tuple[Contribution, ...]]]:
    """Return the contributions in the whole corpus, and in each document."""
    labels = (*categories, None)
    tables: list[dict[tuple[int, int], list[float]]] = [{} for _ in range(n_documents)]
    for kind, amounts in [(0, lengths), *((1, part) for part in weights)]:
        for document, first, second, amount in zip(*(column.tolist() for column in amounts), strict=True):
            tables[document].setdefault((first, second), [0.0, 0.0])[kind] += amount
    whole: dict[tuple[int, int], list[list[float]]] = {}
    for table in tables:
        for key, both in table.items():
            whole.setdefault(key, []).append(both)
    pooled = {key: [math.fsum(column) for column in zip(*rows, strict=True)] for key, rows in whole.items()}
    return _shares(pooled, labels), [_shares(table, labels) for table in tables]


def _shares(table: dict[tuple[int, int], list[float]], labels: tuple[str | None, ...]) -> tuple[Contribution, ...]:
    totals = [math.fsum(column) for column in zip(*table.values(), strict=True)] or [0.0, 0.0]
    shares = []
    for (first, second), amounts in sorted(table.items()):
        length, weight = amounts
        cu, cat = (amount / total if total > 0 else math.nan for amount, total in zip(amounts, totals, strict=True))
        shares.append(Contribution(labels[first], labels[second], length, cu, weight, cat))
    return tuple(shares)


@takes_options(GAMMA_OPTIONS)
def families(
    source: Source,
    /,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Families:
    """Return both families, and the contributions of pairs of categories to cuα and γcat (M17 table 3).

    The distance is D of γ, and δ² of cuα and (k)uα. M17's own figures need ``conventions="authors"``.

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data; where units of one annotator overlap, uα is not available, and says so.
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
        If no document has two annotators, or for a label that the distance cannot place.
    SettingsError
        For a setting out of its range.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> result = ga.families(units, samples=10)
    >>> round(result.gamma.gamma.value, 2), round(result.unitizing.u.value, 2)
    (0.03, -0.09)
    """
    corpus = corpus_of(source, "families")
    options = GammaSettings.of(**settings)
    result = gamma_of(corpus, options, n_jobs=n_jobs, progress=progress)
    unitizing, lengths = _unitizing(corpus, UnitizingSettings(options.dissimilarity.categorial))
    whole, by_document = contributions(corpus.categories, len(corpus), lengths, _weights(corpus, options))
    return Families(
        gamma=result,
        unitizing=unitizing,
        contributions=whole,
        documents=dict(zip(corpus.documents, by_document, strict=True)),
    )


def _unitizing(corpus: Corpus, settings: UnitizingSettings) -> tuple[UnitizingResult, Amounts]:
    """Return the unitizing family with the lengths its pairs of categories share; no values where units overlap."""
    try:
        rows = document_rows(corpus, layers=False)
    except InputError as error:
        nothing = np.empty(0, dtype=np.int64)
        note = f"uα is not available: {error}"
        amounts = Amounts(nothing, nothing, nothing, np.empty(0))
        return not_available(corpus, settings, "units of one annotator overlap", note), amounts
    return unitizing_alpha(corpus, distance=settings.distance), meeting_lengths(rows.documents, rows.coincidences)


def _weights(corpus: Corpus, settings: GammaSettings) -> Iterator[Amounts]:
    """Yield the weights of aligned pairs, some documents at a time."""
    bound_to = settings.dissimilarity.bind(corpus.categories)
    for first, last in chunks(corpus.units_per_document + 1, _PART_UNITS):
        batch, _ = Batch.from_corpus(corpus.documents_between(first, last))
        measurable = np.flatnonzero(batch.n_annotators >= 2)  # noqa: PLR2004
        measured = batch.take(measurable)
        group = solve(measured, bound_to, settings.limits).group
        pairs = weighted_pairs(measured, group, bound_to, confidence=settings.confidence)
        yield pair_weights(first + measurable, len(corpus.categories), measured, pairs)
