"""What is defined for two coders, or in closed form: κ's large-sample errors, its maximum, π's and Fleiss's errors.

References
----------
Fleiss, Cohen & Everitt 1969 (κ, κ_w). Cohen 1960 (κ_max). Bloch & Kraemer 1989 (π, 2 × 2). Fleiss, Nee & Landis 1979
(multi-π under no agreement; the variance of Fleiss 1971 was withdrawn by it).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.items.counts import confusion

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.items.counts import Patterns
    from gamma_align.items.study import Study


class Errors(NamedTuple):
    """Standard errors of κ: in general, for an interval; and if κ were 0, for a test."""

    error: float
    null_error: float


def fleiss_cohen_everitt(study: Study) -> Errors | None:
    """Return κ's or κ_w's standard errors; None where it is not κ of two coders on items that both judged."""
    patterns = study.patterns
    two = patterns.coders == 2 and study.spec.name in ("kappa", "kappa-conger", "kappa-mean")  # noqa: PLR2004
    if not two or study.chance is not None or bool((patterns.judgments < 2).any()):  # noqa: PLR2004
        return None
    distance = study.distance.matrix(study.labels, patterns.counts())
    return kappa_errors(confusion(patterns, 0, 1), 1.0 - distance / (distance.max(initial=0.0) or 1.0))


def kappa_errors(table: FloatArray, weights: FloatArray) -> Errors:
    """Return κ_w's standard errors (Fleiss, Cohen & Everitt 1969).

    Parameters
    ----------
    table : ndarray of float64, shape (q, q)
        How many items have each pair of categories.
    weights : ndarray of float64, shape (q, q)
        Agreement of two categories, 1 on the diagonal.
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
    return Errors(
        math.sqrt(max(float(general), 0.0) / count) / (1 - chance) ** 2,
        math.sqrt(max(float(null), 0.0) / count) / (1 - chance),
    )


def kappa_max(table: FloatArray) -> float:
    """Return the largest κ that the coders' margins allow (Cohen 1960); NaN with a single category."""
    return kappa_max_of_margins(table.sum(axis=1), table.sum(axis=0))


def kappa_max_of_margins(first: FloatArray, second: FloatArray) -> float:
    """Return (Σ min(p, q) - Σ pq)/(1 - Σ pq) of two coders' counts of categories on the same items."""
    first, second = first / first.sum(), second / second.sum()
    chance = float(first @ second)
    return (float(np.minimum(first, second).sum()) - chance) / (1 - chance) if chance < 1 else math.nan


def pi_error(table: FloatArray) -> float:
    """Return the standard error of Scott's π on a 2 × 2 table (Bloch & Kraemer 1989, intraclass κ)."""
    share = table / table.sum()
    margin = float(share[0].sum() + share[:, 0].sum()) / 2
    spread = 2 * margin * (1 - margin)
    if spread == 0:
        return math.nan
    pi = 1 - float(share[0, 1] + share[1, 0]) / spread
    variance = (1 - pi) * ((1 - pi) * (1 - 2 * pi) + pi * (2 - pi) / spread)
    return math.sqrt(variance / float(table.sum()))


def fleiss_null_error(patterns: Patterns, category: int | None = None) -> float:
    """Return the standard error of multi-π if there were no agreement (Fleiss, Nee & Landis 1979).

    Parameters
    ----------
    patterns : Patterns
        Every item judged by the same number of coders.
    category : int, optional
        Of π of this category against the others, whose error does not depend on it.

    Returns
    -------
    float
        For a test against 0 alone, never for an interval; NaN where items differ in their number of judgments.
    """
    coders = int(patterns.judgments[0])
    if bool((patterns.judgments != coders).any()) or coders < 2:  # noqa: PLR2004
        return math.nan
    pairs = float(patterns.times.sum()) * coders * (coders - 1)
    if category is not None:
        return math.sqrt(2 / pairs)
    share = patterns.counts()
    share = share / share.sum()
    spread = share * (1 - share)
    total = float(spread.sum())
    inner = total**2 - float((spread * (1 - 2 * share)).sum())
    return math.sqrt(2 / pairs * max(inner, 0.0)) / total if total else math.nan
