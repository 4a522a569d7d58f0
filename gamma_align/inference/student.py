"""Quantiles and probabilities of Student's t, which is the normal distribution for infinite degrees of freedom.

Quantiles are computed here because every command needs one and `scipy.special` takes a third of the time of a small
command to import. The tests compare them with SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from gamma_align.columns import FloatArray

LEVEL = 0.95  # of the intervals, unless a level is requested

_SERIES_MAX = 0.6  # x² up to which the series is used: its last term is then 1e-15 of the first
_TERMS = 64  # of the series
_NODES = 48  # of the integral: exact to rounding errors if x² is larger
_LAST_STEP = 1e-8  # relative; Newton's method squares it, so that the next step would be a rounding error
_MAX_STEPS = 60  # a level of .99999 takes 12
_SERIES_FROM = 100.0  # degrees of freedom from which the series of a ratio of gamma functions is exact to 1e-15
_NORMAL_FROM = 1e17  # degrees of freedom from which t and the normal distribution differ by less than a rounding error


def t_quantile(freedom: float, level: float = LEVEL) -> float:
    """Return half the width of a two-sided interval in standard errors; infinite without degrees of freedom."""
    return float(t_quantiles(np.array([freedom], dtype=np.float64), level)[0])


def t_quantiles(freedom: FloatArray, level: float = LEVEL) -> FloatArray:
    """Return `t_quantile` for an array of degrees of freedom, which are at least 1 or not positive."""
    different, row = np.unique(freedom, return_inverse=True)
    normal = _normal_quantile(level)
    quantiles = np.where(different > 0, normal, np.inf)
    is_student = (different > 0) & (different < _NORMAL_FROM)
    if is_student.any():
        quantiles[is_student] = _student_quantiles(different[is_student], level, normal)
    return quantiles[row.reshape(freedom.shape)]


@cache
def _normal_quantile(level: float) -> float:
    """Return z with P(|Z| ≤ z) = level, by Newton's method from below, where the probability is concave."""
    quantile = 0.0
    for _ in range(_MAX_STEPS):
        density = math.sqrt(2.0 / math.pi) * math.exp(-quantile * quantile / 2.0)
        step = (math.erfc(quantile / math.sqrt(2.0)) - (1.0 - level)) / density
        quantile += step
        if abs(step) <= _LAST_STEP * quantile:
            break
    return quantile


def _student_quantiles(freedom: FloatArray, level: float, normal: float) -> FloatArray:
    """Return t with P(|T| ≤ t) = level.

    With t = √ν tan φ, φ has the density c cos(φ)^(ν - 1), c = 2 Γ((ν + 1)/2) / (√π Γ(ν/2)).
    """
    factor = 2.0 / math.sqrt(math.pi) * _gamma_ratio(freedom)
    # the expansion of t in 1/ν (Abramowitz & Stegun 26.7.5), which is nearer than the normal distribution
    first = (normal**3 + normal) / 4.0
    second = (5.0 * normal**5 + 16.0 * normal**3 + 3.0 * normal) / 96.0
    start = normal + first / freedom + second / np.square(freedom)
    cosine = np.sqrt(freedom / (freedom + np.square(start)))
    in_tail = np.square(cosine) <= _SERIES_MAX
    quantiles = np.empty(len(freedom))
    for rows, tangent in ((in_tail, _tangent_by_series), (~in_tail, _tangent_by_integral)):
        if rows.any():
            quantiles[rows] = np.sqrt(freedom[rows]) * tangent(freedom[rows], factor[rows], level, cosine[rows])
    return quantiles


def _tangent_by_series(freedom: FloatArray, factor: FloatArray, level: float, cosine: FloatArray) -> FloatArray:
    """Return tan φ from the series of P(|T| > t) in x = cos φ: the integral of c x^(ν - 1) / √(1 - x²).

    It is convex in x, so that Newton's method from above converges; `cosine` is the first x.
    """
    term = np.arange(_TERMS)
    coefficient = np.cumprod([1.0, *((2.0 * term[1:] - 1.0) / (2.0 * term[1:]))])  # of x^2k in 1 / √(1 - x²)
    exponent = freedom[:, None] + 2.0 * term

    def step(x: FloatArray) -> FloatArray:
        probability = factor * (coefficient * x[:, None] ** exponent / exponent).sum(axis=1)
        density = factor * x ** (freedom - 1.0) / np.sqrt(1.0 - np.square(x))
        steps: FloatArray = (1.0 - level - probability) / density
        return steps

    x = _newton(step, cosine)
    tangent: FloatArray = np.sqrt(1.0 - np.square(x)) / x
    return tangent


@cache
def _gauss_legendre() -> tuple[FloatArray, FloatArray]:
    """Return the nodes and weights of the sum; to find them takes longer than to use them."""
    from numpy.polynomial.legendre import leggauss

    nodes, weights = leggauss(_NODES)
    return nodes, weights


def _tangent_by_integral(freedom: FloatArray, factor: FloatArray, level: float, cosine: FloatArray) -> FloatArray:
    """Return tan φ from P(|T| ≤ t), the integral of c cos(θ)^(ν - 1) from 0 to φ, by a Gauss-Legendre sum.

    It is concave in φ, so that Newton's method from below converges; `cosine` is the first cos φ.
    """
    nodes, weights = _gauss_legendre()
    exponent = (freedom - 1.0) / 2.0

    def step(angle: FloatArray) -> FloatArray:
        angles = np.multiply.outer(angle, (nodes + 1.0) / 2.0)
        # log1p: a rounding error of the cosine itself would be raised to the power ν
        powers = np.exp(exponent[:, None] * np.log1p(-np.square(np.sin(angles))))
        probability = factor * (powers * weights).sum(axis=1) * angle / 2.0
        density = factor * np.exp(exponent * np.log1p(-np.square(np.sin(angle))))
        steps: FloatArray = (level - probability) / density
        return steps

    return np.tan(_newton(step, np.arccos(cosine)))


def _newton(step: Callable[[FloatArray], FloatArray], values: FloatArray) -> FloatArray:
    """Add steps to positive values until all have converged.

    A value that has converged keeps its bits, regardless of the steps that others need.
    """
    is_open = np.ones(len(values), dtype=np.bool_)
    for _ in range(_MAX_STEPS):
        steps = np.where(is_open, step(values), 0.0)
        values = values + steps
        is_open &= np.abs(steps) > _LAST_STEP * values
        if not is_open.any():
            break
    return values


def _gamma_ratio(freedom: FloatArray) -> FloatArray:
    """Return Γ((ν + 1)/2) / Γ(ν/2)."""
    half = freedom / 2.0
    inverse = 1.0 / freedom
    # asymptotic series (Abramowitz & Stegun 6.1.47) in 1/ν
    series = np.polynomial.polynomial.polyval(
        inverse, [1.0, -1 / 4, 1 / 32, 5 / 128, -21 / 2048, -399 / 8192, 869 / 65536, 39325 / 262144]
    )
    ratio: FloatArray = np.sqrt(half) * series
    is_small = freedom < _SERIES_FROM
    ratio[is_small] = [math.gamma(x + 0.5) / math.gamma(x) for x in half[is_small].tolist()]
    return ratio


def t_probability(statistic: float, freedom: float) -> float:
    """Return the probability that Student's t is at most `statistic`."""
    from scipy.special import ndtr, stdtr

    return float(ndtr(statistic) if math.isinf(freedom) else stdtr(freedom, statistic))


def two_sided_p(statistic: float, freedom: float) -> float:
    """Return the probability that Student's t is at least as far from 0 as `statistic`, on either side."""
    return 2.0 * t_probability(-abs(statistic), freedom)
