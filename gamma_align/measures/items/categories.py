"""Agreement on each category and item, and of each pair of coders.

References
----------
Krippendorff 1980 (α of a category against all others). Fleiss 1971 (κ_j: π of a category against all others).
Cohen's κ of the collapsed table differs from Fleiss's. Dice 1945 (specific agreement).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import FrameColumns, ItemTable
from gamma_align.distances import AnyDistance, Nominal, as_distance, form_of
from gamma_align.errors import SettingsError
from gamma_align.inference import Result, Value
from gamma_align.measures.items.core import MAX_CODER_PAIRS, Evaluation, TableCoefficient, nominal_coefficient, pairwise
from gamma_align.measures.items.counts import Patterns, coincidences, confusion, item_disagreements, patterns_of
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.spec import NO_PAIRS, SPECS, UNNAMED_CODERS
from gamma_align.measures.items.two_coders import MarginsTest, fleiss_null_error, kappa_max, margins_test


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CategoryAgreement(Result):
    """Agreement on one category against all others; `judgments` is the number of judgments with it.

    α, π and κ are computed after merging all other categories; π is Fleiss's κ_j, κ is (multi-)κ. `specific` agreement
    is the probability that, if one judgment of an item is this category, another one is too; for two coders
    2a/(2a + b + c). `z` is π divided by its standard error under no agreement (Fleiss, Nee & Landis 1979), NaN if items
    have different numbers of judgments.
    """

    category: str
    judgments: int
    alpha: Value
    pi: Value
    kappa: Value
    specific: Value
    z: float


def by_category(table: ItemTable, *, missing: str | None = None) -> tuple[CategoryAgreement, ...]:
    """Return the agreement on each category against all others, in the order of the categories.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> for agreement in ga.by_category(items):
    ...     print(agreement.category, agreement.judgments, round(agreement.specific.value, 3))
    a 3 0.667
    b 5 0.8
    """
    all_rows = ItemRows.of(table)
    patterns = all_rows.patterns
    counts = patterns.counts()
    specific = _specific_agreement(patterns)
    result = []
    for code, name in enumerate(table.categories):
        # The category becomes code 0, all others become code 1.
        rows = np.where(patterns.rows < 0, -1, (patterns.rows != code).astype(np.int8))
        collapsed = replace(patterns, rows=rows, size=2)
        names = ("alpha", "pi", "kappa")
        merged = replace(all_rows, patterns=collapsed)
        values = {key: nominal_coefficient(merged, key, missing).as_value() for key in names}
        error = fleiss_null_error(collapsed, code) if len(collapsed.times) else math.nan
        z = values["pi"].value / error if error else math.nan
        result.append(CategoryAgreement(name, int(counts[code]), **values, specific=specific[code], z=z))
    return tuple(result)


def _specific_agreement(patterns: Patterns) -> list[Value]:
    """Return the specific agreement on each category."""
    share = patterns.times / np.maximum(patterns.judgments - 1, 1)
    values = []
    for code, pairable in enumerate(patterns.pairable_counts().tolist()):
        n = np.count_nonzero(patterns.rows == code, axis=1)
        # Each judgment of the category is paired with n_i - 1 others.
        agreed = float(share @ (n * (n - 1)))
        values.append(Value(agreed / pairable) if pairable else Value.unavailable(NO_PAIRS))
    return values


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemDisagreements(Result):
    """Disagreement on each item: its name, its number of judgments, and the mean distance of two judgments.

    `disagreement` is NaN for an item with fewer than two judgments.
    """

    items: tuple[str, ...]
    judgments: IntArray
    disagreement: FloatArray

    def _contents(self) -> FrameColumns:
        numbers = {"judgments": self.judgments.tolist(), "disagreement": self.disagreement.tolist()}
        return {"item": list(self.items), **numbers}

    _columns = _contents


@np.errstate(over="ignore", invalid="ignore")
def by_item(table: ItemTable, *, distance: AnyDistance = "nominal") -> ItemDisagreements:
    """Return the disagreement of each item, in the order of the table.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.by_item(items).disagreement.tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    if len(table.coders) <= 1:
        return ItemDisagreements(table.items, table.judgments, np.full(len(table), np.nan))
    # Every item is a pattern of its own, so that the values are in the order of the table.
    items = Patterns(table.codes, np.ones(len(table)), table.judgments, table.n_categories)
    between = as_distance(distance).among(table.labels, declared=table.declared)
    metric = form_of(between, table.labels, items.pairable_counts())
    values = np.where(items.judgments > 1, item_disagreements(items, metric), np.nan)
    return ItemDisagreements(table.items, items.judgments, values)


def coincidence_matrix(table: ItemTable) -> FloatArray:
    """Return Krippendorff's coincidences o_kl, shape (n_categories, n_categories).

    Their sum is the number of pairable judgments.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.coincidence_matrix(items).tolist()
    [[2.0, 1.0], [1.0, 4.0]]
    """
    return coincidences(patterns_of(table))


def confusion_matrix(table: ItemTable, first: str, second: str) -> FloatArray:
    """Return the number of items with each pair of categories of two coders, shape (n_categories, n_categories).

    Raises
    ------
    SettingsError
        For a coder that is not in the table, or a table of counts.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.confusion_matrix(items, *items.coders).tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """
    unknown = [name for name in (first, second) if name not in table.coders]
    if unknown or table.anonymous:
        coders = ", ".join(map(repr, table.coders))
        raise SettingsError(
            UNNAMED_CODERS if table.anonymous else f"there is no coder {unknown[0]!r}; there are {coders}"
        )
    return confusion(patterns_of(table), table.coders.index(first), table.coders.index(second))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoderPair(Result):
    """Agreement of two coders: the number of `items` that both judged, and κ, or κ_w with a distance, on these.

    `kappa_max` is the largest κ that their margins allow, NaN if it is not available, as for κ_w. `margins` tests
    whether both use the categories with the same frequencies: see `MarginsTest`.
    """

    first: str
    second: str
    items: int
    kappa: Value
    kappa_max: float
    margins: MarginsTest

    def _contents(self) -> dict[str, object]:
        pair: dict[str, object] = {"coders": [self.first, self.second]}
        return pair | {name: getattr(self, name) for name in ("items", "kappa", "kappa_max", "margins")}


@np.errstate(over="ignore", invalid="ignore")
def by_pair(table: ItemTable, *, distance: AnyDistance = "nominal") -> tuple[CoderPair, ...]:
    """Return the agreement of each pair of coders, in the order of the coders; no pair for a table of counts.

    Raises
    ------
    InputError
        For categories for which the distance is not defined.
    SettingsError
        For more than 5,000 pairs.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> pair = ga.by_pair(items)[0]
    >>> pair.first, pair.second, pair.items, pair.kappa.value
    ('1', '2', 4, 0.5)
    """
    rows = ItemRows.of(table)
    coders = range(len(table.coders))
    pairs = [] if table.anonymous else list(combinations(coders, 2))
    if len(pairs) > MAX_CODER_PAIRS:
        raise SettingsError(
            f"the table has {len(pairs)} pairs of coders, and at most {MAX_CODER_PAIRS} are compared",
            "select fewer coders",
        )
    if not pairs:
        return ()
    kappas = dict(_kappas(rows, distance))
    is_nominal = isinstance(as_distance(distance), Nominal)
    result = []
    for first, second in pairs:
        shared = rows.patterns.of_coders(first, second)
        kappa = kappas.get((first, second), Value.unavailable(NO_PAIRS))
        largest = kappa_max(*shared.coder_counts()) if is_nominal and len(shared.times) else math.nan
        margins = margins_test(shared)
        names = (table.coders[first], table.coders[second])
        result.append(CoderPair(*names, int(shared.times.sum()), kappa, largest, margins))
    return tuple(result)


def _kappas(rows: ItemRows, distance: AnyDistance) -> Iterator[tuple[tuple[int, int], Value]]:
    """Yield κ or κ_w of each pair of coders that have judged the same items."""
    metric = TableCoefficient.of(rows, SPECS["kappa-mean"], as_distance(distance), "IL").metric()
    for pair, parts in pairwise(rows.patterns, metric):
        yield pair, Evaluation.of([parts], metric).as_value()


@np.errstate(over="ignore", invalid="ignore")
def coder_agreement(table: ItemTable, *, distance: AnyDistance = "nominal") -> FloatArray:
    """Return κ (κ_w) of each pair of coders on the items that both judged, shape (n_coders, n_coders).

    The diagonal is 1. A pair without a common item or without variation has NaN.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> ga.coder_agreement(items).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    matrix = np.full((len(table.coders), len(table.coders)), np.nan)
    np.fill_diagonal(matrix, 1.0)
    if table.anonymous or len(table.coders) <= 1:
        return matrix
    for (first, second), kappa in _kappas(ItemRows.of(table), distance):
        matrix[first, second] = matrix[second, first] = kappa.value
    return matrix
