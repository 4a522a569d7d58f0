"""The difference of coefficients of two tables of judgments of the same items: the delta method.

With ψ_gi the derivative of coefficient g by the weight of item i, the difference moves by u_i = ψ_1i - ψ_2i. Over K
items, or K clusters of items that are not independent of each other (u summed within each), its variance is
K/(K - 1) · Σ u². Hotelling's T² = difference² / variance has the distribution of F(1, K - 1), the square of Student's
t of K - 1 degrees of freedom, which the interval is made with. (The R package multiagree 3.01 has this with clusters;
without, it takes Σ u², so its T² is K/(K - 1) times ours.)

References
----------
Vanbelle & Albert 2008, A bootstrap method for comparing correlated kappa coefficients, J. Stat. Comput. Simul. 78.
Vanbelle 2017, Comparing dependent kappa coefficients obtained on multilevel data, Biometrical Journal 59.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.item_table import ItemTable
from gamma_align.data.problem import few
from gamma_align.data.wording import counted
from gamma_align.distances import AnyDistance, Distance, Nominal, as_distance
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference.delta import clustered_error
from gamma_align.inference.jackknife import NO_DISAGREEMENT
from gamma_align.inference.student import t_quantile, two_sided_p
from gamma_align.insight.comparison.differences import Difference, Paired
from gamma_align.measures.items.core import TableCoefficient
from gamma_align.measures.items.items_options import MISSING
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.replicates import influences
from gamma_align.measures.items.spec import NOT_FOR_THIS, TOO_MUCH_WORK, CoefficientSpec, spec_of
from gamma_align.version import __version__

ONE_CLUSTER = "one item or cluster only: no spread to estimate an error from"
DEFAULT = "kappa"


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """A coefficient of a table, and by how much each item moves it; or why it, or that, is not available."""

    value: float
    items: FloatArray
    reason: str | None = None
    no_error: str | None = None


def paired_items(
    first: ItemTable,
    second: ItemTable,
    measure: str | Iterable[str] | None,
    names: tuple[str, str],
    *,
    distance: AnyDistance = "nominal",
    missing: str | None = None,
    clusters: Sequence[Any] | None = None,
) -> Paired:
    """Return what `paired` does of two tables of items."""
    chosen = (DEFAULT,) if measure is None else (measure,) if isinstance(measure, str) else tuple(measure)
    specs = list(dict.fromkeys(spec_of(name) for name in chosen))
    if missing is not None:
        MISSING.check(missing)
    if clusters is not None and len(clusters) != len(first):
        raise SettingsError(f"clusters has {len(clusters)} labels for the {len(first)} items of the first table")
    between = as_distance(distance)
    left, right, cluster, notes = _shared_items(first, second, names, clusters)
    number = int(cluster.max()) + 1
    of = "items" if clusters is None else "clusters"
    signature = f"difference|items:{len(left)}|{of}:{number}|measures:{'+'.join(spec.name for spec in specs)}"
    return Paired(
        names=names,
        differences=tuple(
            _difference(spec, [_influence(table, spec, between, missing) for table in (left, right)], cluster, names)
            for spec in specs
        ),
        settings={
            "measures": [spec.name for spec in specs],
            "distance": between.to_dict(),
            "missing": missing,
            "clusters": None if clusters is None else number,
        },
        signature=f"{signature}|d:{between.name}|CI:delta|v:{__version__}",
        notes=tuple(dict.fromkeys(notes)),
    )


def _shared_items(
    first: ItemTable, second: ItemTable, names: tuple[str, str], clusters: Sequence[Any] | None
) -> tuple[ItemTable, ItemTable, Any, list[str]]:
    """Return both tables on the items that both have, the cluster of each as a number, and notes."""
    place = {name: row for row, name in enumerate(second.items)}
    rows = [row for row, name in enumerate(first.items) if name in place]
    if not rows:
        raise InputError(
            f"no item is in both: {few(first.items, 3)} in {names[0]}, {few(second.items, 3)} in {names[1]}; items are "
            "paired by name, or by number where they have none"
        )
    notes = [*first.notes, *second.notes]
    for table, name in ((first, names[0]), (second, names[1])):
        if len(table) > len(rows):
            notes.append(f"only in {name}, and not counted: {counted(len(table) - len(rows), 'item')}")
    labels = [str(row) if clusters is None else repr(clusters[row]) for row in rows]
    _, cluster = np.unique(labels, return_inverse=True)
    left = replace(first, codes=first.codes[rows], names=None)
    right = replace(second, codes=second.codes[[place[first.items[row]] for row in rows]], names=None)
    return left, right, cluster.reshape(-1), notes


def _influence(table: ItemTable, spec: CoefficientSpec, distance: Distance, missing: str | None) -> Influence:
    """Return a coefficient with what each item moves it by: first derivatives by the items' weights."""
    used = Nominal() if spec.nominal else distance
    conception = "IL" if spec.kind == "pairs" else missing or spec.missing
    coefficient = TableCoefficient.of(ItemRows.of(table), spec, used, conception)
    value, *_, reason = coefficient.evaluate()
    nothing = np.zeros(len(table))
    if reason is not None:
        return Influence(math.nan, nothing, reason)
    if spec.kind == "pairs" and used.adaptive:
        return Influence(value, nothing, no_error=NOT_FOR_THIS)
    moved = influences(coefficient)
    if moved is None:
        return Influence(value, nothing, no_error=TOO_MUCH_WORK)
    patterns = coefficient.patterns.rows
    _, pattern = np.unique(np.concatenate([patterns, table.codes]), axis=0, return_inverse=True)
    by_pattern = np.zeros(len(patterns) + len(table))
    by_pattern[pattern.reshape(-1)[: len(patterns)]] = np.where(coefficient.times_used > 0, moved, 0.0)
    return Influence(value, by_pattern[pattern.reshape(-1)[len(patterns) :]] / coefficient.items)


def _difference(spec: CoefficientSpec, both: Sequence[Influence], cluster: Any, names: tuple[str, str]) -> Difference:  # noqa: ANN401
    first, second = both
    number = int(cluster.max()) + 1
    known: dict[str, Any] = {"coefficient": spec.name, "first": first.value, "second": second.value}
    known["documents"] = number
    missing = [f"{name}: {side.reason}" for name, side in zip(names, both, strict=True) if side.reason is not None]
    if missing:
        return replace(Difference.unavailable("; ".join(missing)), **known)
    value = first.value - second.value
    no_error = first.no_error or second.no_error or (None if number > 1 else ONE_CLUSTER)
    error = math.nan if no_error else clustered_error(first.items - second.items, cluster)
    if no_error or error == 0:
        return Difference(value, no_interval=no_error or NO_DISAGREEMENT, **known)
    half = t_quantile(number - 1) * error
    # A_o is from 0 to 1, the others from -1 to 1 but for tables of very few items
    furthest = max(1.0 if spec.kind == "none" else 2.0, abs(value))
    low, high = max(value - half, -furthest), min(value + half, furthest)
    return Difference(value, low, high, **known, p=two_sided_p(value / error, number - 1), standard_error=error)
