"""What each pair of categories contributes to cuα and to γcat (M17 §5.2, table 3).

cuα weighs pairs of categories by the length on which their units meet, γcat by how well aligned pairs of units match:
by position, and by how many share a unitary alignment. The shares of both side by side show what each listens to.

References
----------
Mathet 2017, §5.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.results.values import Result, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.data.batch import Batch
    from gamma_align.gammas.results import GammaResult
    from gamma_align.gammas.statistics import WeightedPairs
    from gamma_align.results.values import Columns
    from gamma_align.unitizing.coincidences import Coincidences
    from gamma_align.unitizing.results import UnitizingResult


@dataclass(frozen=True, slots=True)
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
    """

    first: str | None
    second: str | None
    length: float
    cu: float
    weight: float
    gamma_cat: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
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

    def _columns(self) -> Columns:
        return columns_of(self.contributions, Contribution.__slots__)


class Amounts(NamedTuple):
    """Additive amounts of pairs of categories, by document.

    `document`, `first`, `second` (first ≤ second; the highest code is no category) and `amount`, shape (n,) each.
    """

    document: IntArray
    first: IntArray
    second: IntArray
    amount: FloatArray


def meeting_lengths(documents: IntArray, found: Coincidences) -> Amounts:
    """Return the coincidences of units, both orders together.

    Parameters
    ----------
    documents : ndarray of int64, shape (n_rows,)
        Document of each row.
    found : Coincidences
        Rows of documents; the last value is φ.
    """
    row, column, value = found.lengths
    first, second = column // found.n_values, column % found.n_values
    units = second < found.n_values - 1
    both = np.where(first == second, 1.0, 2.0) * value
    return Amounts(documents[row[units]], first[units], second[units], both[units])


def pair_weights(documents: IntArray, n_categories: int, batch: Batch, pairs: WeightedPairs) -> Amounts:
    """Return the Σ weight of aligned pairs.

    Parameters
    ----------
    documents : ndarray of int64, shape (n_instances,)
        Document of each instance of the batch.
    n_categories : int
        How many categories there are.
    batch : Batch
        The instances.
    pairs : WeightedPairs
        Their aligned pairs.
    """
    one, other = (
        np.where(batch.category[units] < 0, n_categories, batch.category[units])
        for units in (pairs.first, pairs.second)
    )
    low, high, width = np.minimum(one, other), np.maximum(one, other), n_categories + 1
    keys, place = np.unique((batch.instance[pairs.first] * width + low) * width + high, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=pairs.weight, minlength=1)[: len(keys)].astype(np.float64)
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
    found = []
    for (first, second), amounts in sorted(table.items()):
        length, weight = amounts
        cu, cat = (amount / total if total > 0 else math.nan for amount, total in zip(amounts, totals, strict=True))
        found.append(Contribution(labels[first], labels[second], length, cu, weight, cat))
    return tuple(found)
