"""Closed forms: κ's large-sample errors and its maximum, multi-π's error under no agreement, bias and prevalence.

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


def fleiss_cohen_everitt(coefficient: TableCoefficient) -> tuple[float, float] | None:
    """Return κ's or κ_w's standard errors: in general, for an interval; and if κ were 0, for a test.

    None where it is not κ of two coders on items that both judged.
    """
    patterns = coefficient.patterns
    kappa = patterns.coders == 2 and coefficient.spec.name in ("kappa", "kappa-conger", "kappa-mean")  # noqa: PLR2004
    if not kappa or coefficient.chance is not None or bool((patterns.judgments < 2).any()):  # noqa: PLR2004
        return None
    distance = coefficient.distance.matrix(coefficient.labels, patterns.counts())
    return kappa_errors(confusion(patterns, 0, 1), 1.0 - distance / (distance.max(initial=0.0) or 1.0))


def kappa_errors(table: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return κ_w's standard errors, from counts of pairs of categories and their agreement, shape (q, q), 1 for equal.

    Fleiss, Cohen & Everitt 1969.
    """
    count = float(table.sum())
    share = table / count
    first, second = share.sum(axis=1), share.sum(axis=0)
    # w̄_i· is the mean weight of row i over the *other* coder's margin
    by_row, by_column = weights @ second, first @ weights
    observed, chance = float((share * weights).sum()), float(first @ weights @ second)
    mean = by_row[:, None] + by_column[None, :]
    general = (share * (weights * (1 - chance) - mean * (1 - observed)) ** 2).sum()
    general -= (observed * chance - 2 * chance + observed) ** 2
    null = (np.outer(first, second) * (weights - mean) ** 2).sum() - chance**2
    # a difference that is 0 for perfect agreement may come out a rounding below it
    error = math.sqrt(max(float(general), 0.0) / count) / (1 - chance) ** 2
    return error, math.sqrt(max(float(null), 0.0) / count) / (1 - chance)


def kappa_max(first: FloatArray, second: FloatArray) -> float:
    """Return (Σ min(p, q) - Σ pq)/(1 - Σ pq) of two coders' counts of categories on the same items."""
    first, second = first / first.sum(), second / second.sum()
    chance = float(first @ second)
    return (float(np.minimum(first, second).sum()) - chance) / (1 - chance) if chance < 1 else math.nan


def fleiss_null_error(patterns: Patterns, category: int | None = None) -> float:
    """Return the standard error of multi-π if there were no agreement (Fleiss, Nee & Landis 1979)."""
    coders = int(patterns.judgments[0])
    if bool((patterns.judgments != coders).any()) or coders < 2:  # noqa: PLR2004
        return math.nan
    pairs = float(patterns.times.sum()) * coders * (coders - 1)
    if category is not None:
        return math.sqrt(2 / pairs)
    share = patterns.counts()
    share = share / share.sum()
    variance = share * (1 - share)
    total = float(variance.sum())
    inner = total**2 - float((variance * (1 - 2 * share)).sum())
    return math.sqrt(2 / pairs * max(inner, 0.0)) / total if total else math.nan


class Byrt(NamedTuple):
    """Indices of a 2 × 2 table with cells a b / c d, n items."""

    bias: float  # BI = |b - c| / n
    prevalence: float  # PI = |a - d| / n
    pabak: float  # 2A_o - 1, κ as it would be without bias and with even categories
    bak: float  # κ as it would be without bias; the same as π
    positive: float  # specific agreement 2a/(2a + b + c); NaN where nobody used the category
    negative: float  # 2d/(2d + b + c)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChanceReport(Result):
    """κ, π and 2A_o - 1 side by side, with what makes them differ; their intervals are with the coefficients."""

    kappa: Value
    pi: Value
    pabak: Value
    bias: float  # B = A_e^π - A_e^κ, 0 where all coders use categories equally often; NaN where it is not known
    prevalence: dict[str, float]  # share of each category among all judgments
    byrt: Byrt | None  # of two coders and two categories
    kappa_max: float  # largest κ the margins of two coders allow; NaN for other tables


def chance_report(source: ItemSource, missing: str | None = None) -> ChanceReport:
    """Return κ, π and 2A_o - 1 of a table (nominal distance), and what makes them differ.

    Parameters
    ----------
    source : ItemTable, matrix, data frame, columns, records or path
        Of any number of coders.
    missing : {"IL", "VL", "PL", "RM"}, optional
        The conception of missing values; each coefficient's own by default.

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
    """Return the chance report of a table, from its rows."""
    kappa, pi, pabak = (nominal_coefficient(rows, name, missing) for name in ("kappa", "pi", "pabak"))
    patterns = rows.patterns
    counts = patterns.counts()
    prevalence = dict(zip(rows.categories, (counts / max(counts.sum(), 1.0)).tolist(), strict=True))
    both = None if rows.anonymous or len(rows.coders) != 2 else patterns.of_coders(0, 1)  # noqa: PLR2004
    if both is not None and not len(both.times):
        both = None
    return ChanceReport(
        kappa.as_value(),
        pi.as_value(),
        pabak.as_value(),
        kappa.expected - pi.expected,
        prevalence,
        byrt(confusion(both, 0, 1)) if both is not None and both.size == 2 else None,  # noqa: PLR2004
        math.nan if both is None else kappa_max(*both.coder_counts()),
    )


def byrt(cells: FloatArray) -> Byrt:
    """Return the indices of a 2 × 2 table of counts."""
    (both, first), (second, neither) = cells.tolist()
    count = both + first + second + neither
    disagreed = first + second
    margin = (2 * both + disagreed) / (2 * count)
    expected = 2 * margin * (1 - margin)
    return Byrt(
        abs(first - second) / count,
        abs(both - neither) / count,
        2 * (both + neither) / count - 1,
        1 - disagreed / count / expected if expected else math.nan,
        2 * both / (2 * both + disagreed) if both + disagreed else math.nan,
        2 * neither / (2 * neither + disagreed) if neither + disagreed else math.nan,
    )
