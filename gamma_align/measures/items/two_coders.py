"""Closed forms: large-sample errors and the maximum of κ, the null error of multi-π, bias and prevalence.

References
----------
Fleiss, Cohen & Everitt 1969 (κ, κ_w). Cohen 1960 (κ_max). Fleiss, Nee & Landis 1979 (multi-π under no agreement; the
variance of Fleiss 1971 was withdrawn by it). Di Eugenio & Glass 2004, The Kappa Statistic: A Second Look (κ, π and
2A_o - 1 together). Artstein & Poesio 2005, §2.7 (B). Byrt, Bishop & Carlin 1993 (BI, PI, PABAK, BAK).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.item_sources import ItemSource, items_of
from gamma_align.inference.values import Result, Value
from gamma_align.measures.items.core import TableCoefficient, nominal_coefficient
from gamma_align.measures.items.counts import Patterns, confusion
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.spec import CODERS_PER_PAIR

_BINARY = 2  # categories


def fleiss_cohen_everitt(coefficient: TableCoefficient) -> tuple[float, float] | None:
    """Return two standard errors of κ or κ_w: in general, for an interval; and under κ = 0, for a test.

    None unless the coefficient is κ of two coders on items that both judged.
    """
    patterns = coefficient.patterns
    is_pair = patterns.coders == CODERS_PER_PAIR and bool((patterns.judgments == CODERS_PER_PAIR).all())
    is_kappa = coefficient.spec.name in ("kappa", "kappa-conger", "kappa-mean")
    if not is_pair or not is_kappa or coefficient.chance is not None:
        return None
    # The weights are agreements from 0 to 1. If all distances are 0, nothing is divided.
    distance = coefficient.distance.matrix(coefficient.labels, patterns.counts())
    return kappa_errors(confusion(patterns, 0, 1), 1.0 - distance / (distance.max(initial=0.0) or 1.0))


def kappa_errors(table: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the standard errors of κ_w: in general, and under κ_w = 0 (Fleiss, Cohen & Everitt 1969).

    `table` are counts of pairs of categories, `weights` their agreement, 1 for equal ones, both of shape (q, q).
    """
    count = float(table.sum())
    share = table / count
    first, second = share.sum(axis=1), share.sum(axis=0)
    # w̄_i· is the mean weight of row i, weighted by the margin of the *other* coder.
    by_row, by_column = weights @ second, first @ weights
    observed, chance = float((share * weights).sum()), float(first @ weights @ second)
    mean = by_row[:, None] + by_column[None, :]
    general = (share * (weights * (1 - chance) - mean * (1 - observed)) ** 2).sum()
    general -= (observed * chance - 2 * chance + observed) ** 2
    null = (np.outer(first, second) * (weights - mean) ** 2).sum() - chance**2
    # With perfect agreement the difference is 0, and rounding may make it negative.
    error = math.sqrt(max(float(general), 0.0) / count) / (1 - chance) ** 2
    return error, math.sqrt(max(float(null), 0.0) / count) / (1 - chance)


def kappa_max(first: FloatArray, second: FloatArray) -> float:
    """Return (Σ min(p, q) - Σ pq)/(1 - Σ pq) of two coders' counts of categories on the same items."""
    first, second = first / first.sum(), second / second.sum()
    chance = float(first @ second)
    return (float(np.minimum(first, second).sum()) - chance) / (1 - chance) if chance < 1 else math.nan


def fleiss_null_error(patterns: Patterns, category: int | None = None) -> float:
    """Return the standard error of multi-π under no agreement (Fleiss, Nee & Landis 1979).

    NaN if items have different numbers of judgments. With `category`, the error of κ_j of a category.
    """
    coders = int(patterns.judgments[0])
    if bool((patterns.judgments != coders).any()) or coders <= 1:
        return math.nan
    pairs = float(patterns.times.sum()) * coders * (coders - 1)
    # The error of κ_j is the same for all categories.
    if category is not None:
        return math.sqrt(2 / pairs)
    share = patterns.counts()
    share = share / share.sum()
    variance = share * (1 - share)
    total = float(variance.sum())
    # Rounding may make the difference negative.
    inner = total**2 - float((variance * (1 - 2 * share)).sum())
    return math.sqrt(2 / pairs * max(inner, 0.0)) / total if total else math.nan


class Byrt(NamedTuple):
    """Indices of a 2 × 2 table with cells a b / c d, n items."""

    bias: float  # BI = |b - c| / n
    prevalence: float  # PI = |a - d| / n
    pabak: float  # 2A_o - 1, κ of a table without bias and with equally frequent categories
    bak: float  # κ of a table without bias, which is π
    positive: float  # specific agreement 2a/(2a + b + c); NaN if the category is not used
    negative: float  # 2d/(2d + b + c)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChanceReport(Result):
    """κ, π and 2A_o - 1 side by side, with the reasons for their differences."""

    kappa: Value
    pi: Value
    pabak: Value
    bias: float  # B = A_e^π - A_e^κ, 0 if all coders have the same frequencies; NaN if not available
    prevalence: dict[str, float]  # share of each category among all judgments
    byrt: Byrt | None  # of two coders and two categories
    kappa_max: float  # largest κ the margins of two coders allow; NaN for other tables


def chance_report(source: ItemSource, missing: str | None = None) -> ChanceReport:
    """Return κ, π and 2A_o - 1 of a table (nominal distance), and the reasons for their differences.

    Parameters
    ----------
    source : ItemTable, matrix, data frame, columns, records or path
        Of any number of coders.
    missing : {"IL", "VL", "PL", "RM"}, optional
        The conception of missing values; by default the usual one of each coefficient.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> report = ga.chance_report(items)
    >>> print(report.kappa, report.pi, report.pabak, round(report.bias, 4))
    0.5000 0.4667 0.5000 0.0312
    """
    table = items_of(source, "chance_report")
    return chance_of(ItemRows.of(table), missing)


def chance_of(rows: ItemRows, missing: str | None) -> ChanceReport:
    """Return the chance report of a table from its rows."""
    kappa, pi, pabak = (nominal_coefficient(rows, name, missing) for name in ("kappa", "pi", "pabak"))
    patterns = rows.patterns
    counts = patterns.counts()
    prevalence = dict(zip(rows.categories, (counts / max(counts.sum(), 1.0)).tolist(), strict=True))
    indices, largest_kappa = None, math.nan
    if not rows.anonymous and len(rows.coders) == CODERS_PER_PAIR:
        shared = patterns.of_coders(0, 1)
        if len(shared.times):
            largest_kappa = kappa_max(*shared.coder_counts())
            indices = byrt(confusion(shared, 0, 1)) if shared.size == _BINARY else None
    return ChanceReport(
        kappa.as_value(),
        pi.as_value(),
        pabak.as_value(),
        kappa.expected - pi.expected,
        prevalence,
        indices,
        largest_kappa,
    )


def byrt(cells: FloatArray) -> Byrt:
    """Return the indices of a 2 × 2 table of counts."""
    (a, b), (c, d) = cells.tolist()
    n = a + b + c + d
    disagreed = b + c
    margin = (2 * a + disagreed) / (2 * n)
    expected = 2 * margin * (1 - margin)
    return Byrt(
        bias=abs(b - c) / n,
        prevalence=abs(a - d) / n,
        pabak=2 * (a + d) / n - 1,
        bak=1 - disagreed / n / expected if expected else math.nan,
        positive=2 * a / (2 * a + disagreed) if a + disagreed else math.nan,
        negative=2 * d / (2 * d + disagreed) if d + disagreed else math.nan,
    )
