"""Tests of a mean against a threshold, of several hypotheses together, and of equivalence.

References
----------
Holm 1979, A simple sequentially rejective multiple test procedure.
Benjamini & Yekutieli 2001, The control of the false discovery rate in multiple testing under dependency.
Schuirmann 1987, A comparison of the two one-sided tests procedure (equivalence).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
from gamma_align.inference.student import t_probability

_ROUNDING_TOLERANCE = 1e-12  # deviations of terms that are equal, and a mean that equals its threshold


def mean_below_p(terms: FloatArray, threshold: float) -> float:
    """Return the p of the one-sided t-test of the hypothesis that the mean of the terms is at least `threshold`.

    Terms that are all equal have no spread: p is 0 if they are below the threshold, else 1. NaN without terms.
    """
    if not len(terms):
        return math.nan
    distance = float(terms.mean()) - threshold
    deviation = float(np.std(terms, ddof=1)) if len(terms) > 1 else 0.0
    if deviation <= _ROUNDING_TOLERANCE:
        return 0.0 if distance < -_ROUNDING_TOLERANCE else 1.0
    return t_probability(distance / deviation * math.sqrt(len(terms)), len(terms) - 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p values after Holm's correction for the number of values that are not NaN; NaN stays NaN.

    The smallest of m values is multiplied by m, the next one by m - 1 and so on; none is below the one before it.
    """
    adjusted = [math.nan] * len(p_values)
    ascending = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    lowest = 0.0
    for rank, (p, index) in enumerate(ascending):
        lowest = max(lowest, min(p * (len(ascending) - rank), 1.0))
        adjusted[index] = lowest
    return adjusted


def benjamini_yekutieli(p_values: FloatArray, rate: float) -> BoolArray:
    """Return which hypotheses are rejected at a false discovery rate, whatever the dependence of the tests.

    The sorted p are compared with (rank / m) · rate / Σ 1/s, s = 1 … m. All hypotheses up to the largest p that is not
    above its threshold are rejected.
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    ranks = np.arange(1, n + 1)
    holds = np.flatnonzero(p_values[order] <= ranks / n * rate / (1.0 / ranks).sum())
    rejected = np.zeros(n, dtype=np.bool_)
    rejected[order[: holds[-1] + 1 if len(holds) else 0]] = True
    return rejected


def equivalence_p(replicates: FloatArray, margin: float) -> float:
    """Return the p of two one-sided tests of the hypothesis that a difference is `margin` or more, of either sign.

    `replicates` are those of a bootstrap of the difference. Each test counts the replicates beyond its limit, and the
    larger p holds; it is never 0.
    """
    beyond = max(int((replicates <= -margin).sum()), int((replicates >= margin).sum()))
    # One is added to both counts, because a finite number of replicates cannot prove that p is 0.
    return (beyond + 1) / (len(replicates) + 1)
