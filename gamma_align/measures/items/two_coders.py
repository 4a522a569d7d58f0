"""Closed forms: large-sample errors and the maximum of κ, the null error of multi-π, bias, prevalence, Stuart's test.

References
----------
Fleiss, Cohen & Everitt 1969 (κ, κ_w). Cohen 1960 (κ_max). Fleiss, Nee & Landis 1979 (multi-π under no agreement; the
variance of Fleiss 1971 was withdrawn by it). Stuart 1955; Zwick 1988; Artstein & Poesio 2005, §3 (a test of the margins
before κ). Di Eugenio & Glass 2004, The Kappa Statistic: A Second Look (κ, π and
2A_o - 1 together). Artstein & Poesio 2005, §2.7 (B). Byrt, Bishop & Carlin 1993 (BI, PI, PABAK, BAK).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import ItemTable
from gamma_align.inference import Result, Value
from gamma_align.measures.items.core import TableCoefficient, nominal_coefficient
from gamma_align.measures.items.counts import Patterns, confusion
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.spec import CODERS_PER_PAIR

_BINARY = 2  # categories
_MAX_TESTED = 1000  # categories in a test of margins, which solves equations of as many unknowns


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
    first = share.sum(axis=1)
    second = share.sum(axis=0)
    # w̄_i· is the mean weight of row i, weighted by the margin of the *other* coder.
    by_row = weights @ second
    by_column = first @ weights
    observed = float((share * weights).sum())
    chance = float(first @ weights @ second)
    mean = by_row[:, None] + by_column[None, :]
    general = (share * (weights * (1 - chance) - mean * (1 - observed)) ** 2).sum()
    general -= (observed * chance - 2 * chance + observed) ** 2
    null = (np.outer(first, second) * (weights - mean) ** 2).sum() - chance**2
    # With perfect agreement the difference is 0, and rounding may make it negative.
    error = math.sqrt(max(float(general), 0.0) / count) / (1 - chance) ** 2
    return error, math.sqrt(max(float(null), 0.0) / count) / (1 - chance)


def kappa_max(first: FloatArray, second: FloatArray) -> float:
    """Return (Σ min(p, q) - Σ pq)/(1 - Σ pq) of two coders' counts of categories on the same items."""
    first = first / first.sum()
    second = second / second.sum()
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


class MarginsTest(NamedTuple):
    """Stuart's test of the hypothesis that two coders use the categories with the same frequencies.

    `statistic` is X² = d′S⁻¹d, with `freedom` degrees of freedom: the number of categories minus 1 if all of them are
    exchanged, directly or over others. `p` is NaN if the coders never differ, and so is `statistic` if there are more
    than 1,000 categories.
    """

    statistic: float
    freedom: int
    p: float


def margins_test(shared: Patterns) -> MarginsTest:
    """Return Stuart's test of the margins of two coders on the items that both judged."""
    if shared.size > _MAX_TESTED:
        return MarginsTest(math.nan, 0, math.nan)
    return stuart_test(confusion(shared, 0, 1))


def stuart_test(table: FloatArray) -> MarginsTest:
    """Return Stuart's test of the margins of a table of counts of pairs of categories, shape (q, q) (Stuart 1955).

    d_k is the difference of the counts of category k, and S its covariance if the margins are equal: S_kk = n_k· + n_·k
    - 2n_kk, S_kl = -(n_kl + n_lk). With two categories it is McNemar's test.
    """
    from scipy.special import chdtrc

    difference = table.sum(axis=1) - table.sum(axis=0)
    exchanged = table + table.T
    np.fill_diagonal(exchanged, 0.0)
    covariance = np.diag(exchanged.sum(axis=1)) - exchanged
    # Rows sum to 0, so that S has no inverse: all categories but one of each group that is exchanged are enough.
    kept = _all_but_one(exchanged > 0)
    if not len(kept):
        return MarginsTest(0.0, 0, math.nan)
    solved = np.linalg.solve(covariance[np.ix_(kept, kept)], difference[kept])
    statistic = max(float(difference[kept] @ solved), 0.0)
    return MarginsTest(statistic, len(kept), float(chdtrc(len(kept), statistic)))


def _all_but_one(is_linked: BoolArray) -> IntArray:
    """Return the indices of all nodes of a graph but the first of each component."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(csr_matrix(is_linked.astype(np.float64)), directed=False)
    _, first = np.unique(component, return_index=True)
    return np.setdiff1d(np.arange(len(is_linked)), first)


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
    margins: MarginsTest | None  # of two coders: whether they use the categories with the same frequencies


def chance_report(table: ItemTable, missing: str | None = None) -> ChanceReport:
    """Return κ, π and 2A_o - 1 of a table (nominal distance), and the reasons for their differences.

    Parameters
    ----------
    table : ItemTable
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
    return chance_of(ItemRows.of(table), missing)


def chance_of(rows: ItemRows, missing: str | None) -> ChanceReport:
    """Return the chance report of a table from its rows."""
    kappa, pi, pabak = (nominal_coefficient(rows, name, missing) for name in ("kappa", "pi", "pabak"))
    patterns = rows.patterns
    counts = patterns.counts()
    prevalence = dict(zip(rows.categories, (counts / max(counts.sum(), 1.0)).tolist(), strict=True))
    indices = None
    margins = None
    largest_kappa = math.nan
    if not rows.anonymous and len(rows.coders) == CODERS_PER_PAIR:
        shared = patterns.of_coders(0, 1)
        if len(shared.times):
            largest_kappa = kappa_max(*shared.coder_counts())
            indices = byrt(confusion(shared, 0, 1)) if shared.size == _BINARY else None
            margins = margins_test(shared)
    return ChanceReport(
        kappa.as_value(),
        pi.as_value(),
        pabak.as_value(),
        kappa.expected - pi.expected,
        prevalence,
        indices,
        largest_kappa,
        margins,
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
