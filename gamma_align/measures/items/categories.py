"""Agreement category by category, item by item, and coder by coder.

References
----------
Krippendorff 1980 (α of a category against all others). Fleiss 1971 (κ_j: π of a category against all others).
Cohen's κ of the collapsed table is another number than Fleiss's. Dice 1945 (specific agreement).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.frames import FrameColumns
from gamma_align.data.item_sources import ItemSource, items_of
from gamma_align.distances import AnyDistance, as_distance
from gamma_align.distances.forms import form_of
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, Value
from gamma_align.measures.items.core import MOST_PAIRS, Evaluation, TableCoefficient, nominal_coefficient, pairwise
from gamma_align.measures.items.counts import Patterns, coincidences, confusion, item_disagreements, patterns_of
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.spec import ANONYMOUS, NO_PAIRS, SPECS
from gamma_align.measures.items.two_coders import fleiss_null_error, kappa_max


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CategoryAgreement(Result):
    """Agreement on one category, which was given in so many `judgments`, against all others.

    α, π and κ are of the table with all other categories made one; π is Fleiss's κ_j, κ is (multi-)κ. `specific`
    agreement is the probability that another judgment of an item that was given this category gives it too, for two
    coders 2a/(2a + b + c). `z` is π by its standard error under no agreement (Fleiss, Nee & Landis 1979), NaN where
    items differ in judgments.
    """

    category: str
    judgments: int
    alpha: Value
    pi: Value
    kappa: Value
    specific: Value
    z: float


def by_category(source: ItemSource, *, missing: str | None = None) -> tuple[CategoryAgreement, ...]:
    """Return the agreement on each category against all others, in the order of the categories.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> for agreement in ga.by_category(items):
    ...     print(agreement.category, agreement.judgments, round(agreement.specific.value, 3))
    a 3 0.667
    b 5 0.8
    """
    table = items_of(source, "by_category")
    whole = ItemRows.of(table)
    patterns = whole.patterns
    counts, together = patterns.counts(), _specific(patterns)
    result = []
    for code, name in enumerate(table.categories):
        rows = np.where(patterns.rows < 0, -1, (patterns.rows != code).astype(np.int8))
        collapsed = replace(patterns, rows=rows, size=2)
        names = ("alpha", "pi", "kappa")
        merged = replace(whole, patterns=collapsed)
        values = {key: nominal_coefficient(merged, key, missing).as_value() for key in names}
        error = fleiss_null_error(collapsed, code) if len(collapsed.times) else math.nan
        z = values["pi"].value / error if error else math.nan
        result.append(CategoryAgreement(name, int(counts[code]), **values, specific=together[code], z=z))
    return tuple(result)


def _specific(patterns: Patterns) -> list[Value]:
    share = patterns.times / np.maximum(patterns.judgments - 1, 1)
    values = []
    for code, pairable in enumerate(patterns.pairable_counts().tolist()):
        number = np.count_nonzero(patterns.rows == code, axis=1)
        agreed = float(share @ (number * (number - 1)))
        values.append(Value(agreed / pairable) if pairable else Value.unavailable(NO_PAIRS))
    return values


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemDisagreements(Result):
    """How far coders disagree on each item: its name, how many judged it, and the mean distance of two judgments.

    The `disagreement` is NaN where there are not two.
    """

    items: tuple[str, ...]
    judgments: IntArray
    disagreement: FloatArray

    def _contents(self) -> FrameColumns:
        numbers = {"judgments": self.judgments.tolist(), "disagreement": self.disagreement.tolist()}
        return {"item": list(self.items), **numbers}

    _columns = _contents


@np.errstate(over="ignore", invalid="ignore")
def by_item(source: ItemSource, *, distance: AnyDistance = "nominal") -> ItemDisagreements:
    """Return the disagreement of each item, in the order of the table.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.by_item(items).disagreement.tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    table = items_of(source, "by_item")
    if len(table.coders) < 2:  # noqa: PLR2004
        return ItemDisagreements(table.items, table.judgments, np.full(len(table), np.nan))
    each = Patterns(table.codes, np.ones(len(table)), table.judgments, table.n_categories)
    between = as_distance(distance).among(table.labels, declared=table.declared)
    metric = form_of(between, table.labels, each.pairable_counts())
    values = np.where(each.judgments > 1, item_disagreements(each, metric), np.nan)
    return ItemDisagreements(table.items, each.judgments, values)


def coincidence_matrix(source: ItemSource) -> FloatArray:
    """Return Krippendorff's coincidences o_kl, shape (n_categories, n_categories); their sum is the pairable values.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.coincidence_matrix(items).tolist()
    [[2.0, 1.0], [1.0, 4.0]]
    """
    table = items_of(source, "coincidence_matrix")
    return coincidences(patterns_of(table))


def confusion_matrix(source: ItemSource, first: str, second: str) -> FloatArray:
    """Return how many items have each pair of categories of two coders, shape (n_categories, n_categories).

    Raises
    ------
    SettingsError
        For a coder who is not in the table, or a table of counts.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.confusion_matrix(items, *items.coders).tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    table = items_of(source, "confusion_matrix")
    unknown = [name for name in (first, second) if name not in table.coders]
    if unknown or table.anonymous:
        raise SettingsError(ANONYMOUS if table.anonymous else f"there is no coder {unknown[0]!r}")
    return confusion(patterns_of(table), table.coders.index(first), table.coders.index(second))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoderPair(Result):
    """Agreement of two coders: how many `items` both judged, and κ, or κ_w with a distance, on these.

    `kappa_max` is the largest κ (nominal) that their margins allow; NaN where there is none.
    """

    first: str
    second: str
    items: int
    kappa: Value
    kappa_max: float

    def _contents(self) -> dict[str, Any]:
        pair = {"coders": [self.first, self.second]}
        return pair | {name: getattr(self, name) for name in ("items", "kappa", "kappa_max")}


@np.errstate(over="ignore", invalid="ignore")
def by_pair(source: ItemSource, *, distance: AnyDistance = "nominal") -> tuple[CoderPair, ...]:
    """Return the agreement of every two coders, in the order of the coders; nothing for a table of counts.

    Raises
    ------
    InputError
        For categories that the distance is not defined for.
    SettingsError
        For more than 5,000 pairs.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> pair = ga.by_pair(items)[0]
    >>> pair.first, pair.second, pair.items, pair.kappa.value
    ('1', '2', 4, 0.5)
    """
    table = items_of(source, "by_pair")
    rows, coders = ItemRows.of(table), range(len(table.coders))
    pairs = [] if table.anonymous else list(combinations(coders, 2))
    if len(pairs) > MOST_PAIRS:
        raise SettingsError(f"{len(pairs)} pairs of coders; at most {MOST_PAIRS} are compared")
    if not pairs:
        return ()
    kappas = dict(_kappas(rows, distance))
    result = []
    for first, second in pairs:
        both = rows.patterns.of_coders(first, second)
        kappa = kappas.get((first, second), Value.unavailable(NO_PAIRS))
        largest = kappa_max(*both.coder_counts()) if len(both.times) else math.nan
        result.append(CoderPair(table.coders[first], table.coders[second], int(both.times.sum()), kappa, largest))
    return tuple(result)


def _kappas(rows: ItemRows, distance: AnyDistance) -> Iterator[tuple[tuple[int, int], Value]]:
    """Yield κ or κ_w of every two coders with items in common."""
    metric = TableCoefficient.of(rows, SPECS["kappa-mean"], as_distance(distance), "IL").metric()
    for pair, parts in pairwise(rows.patterns, metric):
        yield pair, Evaluation.of([parts], metric).as_value()


@np.errstate(over="ignore", invalid="ignore")
def coder_agreement(source: ItemSource, *, distance: AnyDistance = "nominal") -> FloatArray:
    """Return κ (κ_w) of every two coders on the items both judged, shape (n_coders, n_coders).

    1 on the diagonal; NaN for two coders without a common item or without variation.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.coder_agreement(items).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    table = items_of(source, "coder_agreement")
    matrix = np.full((len(table.coders), len(table.coders)), np.nan)
    np.fill_diagonal(matrix, 1.0)
    if table.anonymous or len(table.coders) < 2:  # noqa: PLR2004
        return matrix
    for (first, second), kappa in _kappas(ItemRows.of(table), distance):
        matrix[first, second] = matrix[second, first] = kappa.value
    return matrix
