"""Quantiles and probabilities of Student's t, which is the normal distribution for infinite degrees of freedom."""

from __future__ import annotations

import math

import numpy as np

from gamma_align.columns import FloatArray

LEVEL = 0.95  # of the intervals, unless a level is requested


def t_quantile(freedom: float, level: float = LEVEL) -> float:
    """Return half the width of a two-sided interval in standard errors; infinite without degrees of freedom."""
    return float(t_quantiles(np.array([freedom], dtype=np.float64), level)[0])


def t_quantiles(freedom: FloatArray, level: float = LEVEL) -> FloatArray:
    """Return `t_quantile` for an array of degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    tail = (1.0 + level) / 2.0
    return np.where(np.isinf(freedom), ndtri(tail), np.where(freedom > 0, stdtrit(freedom, tail), np.inf))


def t_probability(statistic: float, freedom: float) -> float:
    """Return the probability that Student's t is at most `statistic`."""
    from scipy.special import ndtr, stdtr

    return float(ndtr(statistic) if math.isinf(freedom) else stdtr(freedom, statistic))


def two_sided_p(statistic: float, freedom: float) -> float:
    """Return the probability that Student's t is at least as far from 0 as `statistic`, on either side."""
    return 2.0 * t_probability(-abs(statistic), freedom)
