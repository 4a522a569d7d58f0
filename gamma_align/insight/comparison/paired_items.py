"""The difference of coefficients of two tables of judgments of the same items, by the delta method.

With ψ_gi the derivative of coefficient g with respect to the weight of item i, item i changes the difference by
u_i = ψ_2i - ψ_1i. Over K items, or K clusters of dependent items (u summed within each), the variance of the difference
is K/(K - 1) · Σ u². Hotelling's T² = difference² / variance follows F(1, K - 1), the square of Student's t with K - 1
degrees of freedom, which the interval is computed from. (The R package multiagree 3.01 uses the same variance with
clusters; without them it uses Σ u², so that its T² is K/(K - 1) times ours.)

References
----------
Vanbelle & Albert 2008, A bootstrap method for comparing correlated kappa coefficients, J. Stat. Comput. Simul. 78.
Vanbelle 2017, Comparing dependent kappa coefficients obtained on multilevel data, Biometrical Journal 59.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import ItemTable, counted, few
from gamma_align.distances import AnyDistance, Distance, Nominal, as_distance
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import NO_DISAGREEMENT, clustered_error, t_quantile, two_sided_p
from gamma_align.insight.comparison.differences import Comparison, Difference
from gamma_align.measures.items import (
    MISSING,
    NOT_FOR_THIS,
    TOO_MUCH_WORK,
    CoefficientSpec,
    ItemRows,
    TableCoefficient,
    influences,
    spec_of,
)
from gamma_align.version import __version__

ONE_CLUSTER = "one item or cluster only: no spread to estimate an error from"
DEFAULT = "kappa"
"""The coefficient that is compared by default."""

# A_o lies between 0 and 1. The other coefficients lie between -1 and 1, except for tables of very few items.
_MAX_DIFFERENCE_OF_SHARES = 1.0
_MAX_DIFFERENCE = 2.0


class ItemsOptions(TypedDict, total=False):
    """Options of `compare` for two tables of items, which describes them."""

    distance: AnyDistance
    missing: str | None
    clusters: Sequence[object] | None


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """A coefficient of a table, and its derivative with respect to the weight of each item.

    `reason` says why there is no coefficient, `no_error` why there are no derivatives.
    """

    value: float
    items: FloatArray
    reason: str | None = None
    no_error: str | None = None


class _SharedItems(NamedTuple):
    """Two tables of the same items, the cluster of each item, and notes on the items that do not count."""

    first: ItemTable
    second: ItemTable
    cluster: IntArray
    notes: list[str]

    @property
    def n_clusters(self) -> int:
        """Number of clusters; without clusters, each item is one."""
        return int(self.cluster.max()) + 1


def paired_items(
    first: ItemTable,
    second: ItemTable,
    measure: str | Iterable[str] | None,
    names: tuple[str, str],
    *,
    distance: AnyDistance = "nominal",
    missing: str | None = None,
    clusters: Sequence[object] | None = None,
) -> Comparison:
    """Measure the difference between two tables of items; see `compare`."""
    specs = _specs(measure)
    if missing is not None:
        MISSING.check(missing)
    if clusters is not None and len(clusters) != len(first):
        raise SettingsError(f"clusters has {len(clusters)} labels for the {len(first)} items of the first table")
    item_distance = as_distance(distance)
    shared = _shared_items(first, second, names, clusters)
    differences = []
    for spec in specs:
        sides = [influence_of(table, spec, item_distance, missing) for table in (shared.first, shared.second)]
        differences.append(_difference(spec, sides, shared.cluster, names))
    noun = "items" if clusters is None else "clusters"
    measures = [spec.name for spec in specs]
    signature = f"difference|items:{len(shared.first)}|{noun}:{shared.n_clusters}|measures:{'+'.join(measures)}"
    return Comparison(
        names=names,
        differences=tuple(differences),
        settings={
            "measures": measures,
            "distance": item_distance.to_dict(),
            "missing": missing,
            "clusters": None if clusters is None else shared.n_clusters,
        },
        signature=f"{signature}|d:{item_distance.name}|CI:delta|v:{__version__}",
        notes=tuple(dict.fromkeys(shared.notes)),
    )


def _specs(measure: str | Iterable[str] | None) -> list[CoefficientSpec]:
    """Return the coefficients to compare."""
    if measure is None:
        measure = DEFAULT
    names = (measure,) if isinstance(measure, str) else measure
    return [*dict.fromkeys(spec_of(name) for name in names)]


def _shared_items(
    first: ItemTable, second: ItemTable, names: tuple[str, str], clusters: Sequence[object] | None
) -> _SharedItems:
    """Return both tables with the items that both have."""
    second_rows = {name: row for row, name in enumerate(second.items)}
    rows = [row for row, name in enumerate(first.items) if name in second_rows]
    if not rows:
        raise InputError(
            f"no item is in both: {few(first.items, 3)} in {names[0]}, {few(second.items, 3)} in {names[1]}",
            "give items that both tables have the same name: items are paired by name, or by index if they have none",
        )
    notes = [*first.notes, *second.notes]
    for table, name in ((first, names[0]), (second, names[1])):
        if len(table) > len(rows):
            notes.append(f"only in {name}, and not counted: {counted(len(table) - len(rows), 'item')}")
    # Labels of clusters may be of any type; `repr` keeps 1 and "1" apart.
    labels = [str(row) if clusters is None else repr(clusters[row]) for row in rows]
    _, cluster = np.unique(labels, return_inverse=True)
    return _SharedItems(
        replace(first, codes=first.codes[rows], names=None),
        replace(second, codes=second.codes[[second_rows[first.items[row]] for row in rows]], names=None),
        cluster.reshape(-1),
        notes,
    )


def influence_of(table: ItemTable, spec: CoefficientSpec, distance: Distance, missing: str | None) -> Influence:
    """Return a coefficient with its derivatives with respect to the weights of items."""
    used_distance = Nominal() if spec.nominal else distance
    conception = "IL" if spec.kind == "pairs" else missing or spec.missing
    coefficient = TableCoefficient.of(ItemRows.of(table), spec, used_distance, conception)
    value, *_, reason = coefficient.evaluate()
    zeros = np.zeros(len(table))
    if reason is not None:
        return Influence(math.nan, zeros, reason)
    if spec.kind == "pairs" and used_distance.adaptive:
        return Influence(value, zeros, no_error=NOT_FOR_THIS)
    derivatives = influences(coefficient)
    if derivatives is None:
        return Influence(value, zeros, no_error=TOO_MUCH_WORK)
    # Items with the same judgments are one pattern; each takes the derivative of its pattern.
    patterns = coefficient.patterns.rows
    _, pattern = np.unique(np.concatenate([patterns, table.codes]), axis=0, return_inverse=True)
    pattern, item_pattern = np.split(pattern.reshape(-1), [len(patterns)])
    by_pattern = np.zeros(len(patterns) + len(table))
    by_pattern[pattern] = np.where(coefficient.times_used > 0, derivatives, 0.0)
    return Influence(value, by_pattern[item_pattern] / coefficient.items)


class _Known(TypedDict):
    """The fields of a difference that do not depend on its error."""

    coefficient: str
    first: float
    second: float
    documents: int


def _difference(
    spec: CoefficientSpec, sides: Sequence[Influence], cluster: IntArray, names: tuple[str, str]
) -> Difference:
    first, second = sides
    n_clusters = int(cluster.max()) + 1
    fields = _Known(coefficient=spec.name, first=first.value, second=second.value, documents=n_clusters)
    reasons = [f"{name}: {side.reason}" for name, side in zip(names, sides, strict=True) if side.reason is not None]
    if reasons:
        return replace(Difference.unavailable("; ".join(reasons)), **fields)
    value = second.value - first.value
    no_error = first.no_error or second.no_error or (None if n_clusters > 1 else ONE_CLUSTER)
    error = math.nan if no_error else clustered_error(second.items - first.items, cluster)
    # Without spread, difference / error is not defined.
    if no_error or error == 0:
        return Difference(value, no_interval=no_error or NO_DISAGREEMENT, **fields)
    half_width = t_quantile(n_clusters - 1) * error
    limit = max(_MAX_DIFFERENCE_OF_SHARES if spec.kind == "none" else _MAX_DIFFERENCE, abs(value))
    low = max(value - half_width, -limit)
    high = min(value + half_width, limit)
    p = two_sided_p(value / error, n_clusters - 1)
    return Difference(value, low, high, **fields, p=p, standard_error=error)
