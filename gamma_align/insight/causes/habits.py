"""Habits of marking: the negative binomial distribution of numbers of documents, with or without a silent class.

It is fitted by Newton's method: to import SciPy's optimizers takes .2 s and 30 MB, fifty times as long as the fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

_START_SHAPE = 2.0  # shape of the distribution of habits at which the fit starts
_MAX_LOG_SHAPE = 12.0  # ln of the shape; above it, all annotators have practically the same habit
_LIMITS = np.array(
    [[-3.0, -5.0, -20.0], [3.0, _MAX_LOG_SHAPE, 20.0]]
)  # lower and upper limits of log mean, log shape and log odds
_MAX_STEPS = 200  # of a fit; with good data it takes ten
_MIN_GAIN = 1e-12  # relative, of the log likelihood; a smaller gain is a rounding error
# relative to the largest curvature
_MIN_DAMPING = 1e-3
_MAX_DAMPING = 1e12
_DAMPING_FACTOR = 10.0


class Habits(NamedTuple):
    """How often each annotator has a unit in a document, and how often the others would have one.

    Annotators whose documents nobody else marks are not among these.
    """

    marked: IntArray  # documents in which the annotator has a unit
    expected: FloatArray  # documents in which one of the others would have one: the sum of their shares

    @property
    def is_silent(self) -> BoolArray:
        """Whether each annotator has no unit."""
        result: BoolArray = self.marked == 0
        return result


class _Curve(NamedTuple):
    """A value at a point, its gradient and its second derivatives."""

    value: float
    gradient: FloatArray
    curvature: FloatArray


def max_log_likelihoods(habits: Habits) -> tuple[float, float]:
    """Return the largest log likelihood of the habits, without and with a class of annotators who mark nothing.

    The numbers of documents are Poisson, times a habit of the annotator that has a gamma distribution.
    """
    likelihood = _Likelihood(habits)
    without, parameters = _maximum(likelihood.without_class, np.array([0.0, math.log(_START_SHAPE)]))
    n = len(habits.marked)
    n_silent = int(np.count_nonzero(habits.is_silent))
    log_odds = math.log((n_silent + 0.5) / (n - n_silent + 0.5))
    with_class, _ = _maximum(likelihood.with_class, np.append(parameters, log_odds))
    return without, max(without, with_class)  # a class without members changes nothing


class _Likelihood:
    """The log likelihood of habits by log mean, log shape, and log odds of the silent class."""

    def __init__(self, habits: Habits) -> None:
        self._habits = habits
        self._factorials = _sums_below(np.log(np.arange(1.0, habits.marked.max(initial=0) + 1.0)), habits.marked)

    def without_class(self, parameters: FloatArray) -> _Curve:
        """Return the log likelihood if all annotators mark."""
        logs, slopes, curvatures = self._terms(*parameters.tolist())
        return _Curve(float(logs.sum()), slopes.sum(axis=1), curvatures.sum(axis=2))

    def with_class(self, parameters: FloatArray) -> _Curve:
        """Return the log likelihood with a class of annotators who mark nothing."""
        *habit, log_odds = parameters.tolist()
        logs, slopes, curvatures = self._terms(*habit)
        log_silent = -math.log1p(math.exp(-log_odds))
        log_marking = -math.log1p(math.exp(log_odds))
        is_silent = self._habits.is_silent
        logs = logs + log_marking
        mixed = np.where(is_silent, np.logaddexp(log_silent, logs), logs)
        marks = np.exp(logs - mixed)  # the probability that each annotator is not of the class
        variance = marks * (1.0 - marks)
        share = math.exp(log_silent)
        gradient = np.append((marks * slopes).sum(axis=1), (1.0 - marks).sum() - len(marks) * share)
        curvature = np.empty((3, 3))
        curvature[:2, :2] = (marks * curvatures).sum(axis=2) + (variance * slopes) @ slopes.T
        curvature[:2, 2] = curvature[2, :2] = -(variance * slopes).sum(axis=1)
        curvature[2, 2] = variance.sum() - len(marks) * share * (1.0 - share)
        return _Curve(float(mixed.sum()), gradient, curvature)

    def _terms(self, log_mean: float, log_shape: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the log likelihood of each annotator, its gradient, (2, n), and second derivatives, (2, 2, n)."""
        marked = self._habits.marked
        shape = math.exp(log_shape)
        mean = math.exp(log_mean) * self._habits.expected
        # Γ(m + s) / Γ(s) is the product of s + i over i < m, as m is a whole number.
        factors = shape + np.arange(marked.max(initial=0))
        logs = _sums_below(np.log(factors), marked) - self._factorials
        logs = logs - shape * np.log1p(mean / shape) - marked * np.log1p(shape / mean)
        total = shape + mean
        excess = (marked - mean) / total
        by_shape = _sums_below(1.0 / factors, marked) - np.log1p(mean / shape) - excess
        bend = mean / (shape * total) + excess / total - _sums_below(1.0 / factors**2, marked)
        slopes = np.stack([shape * excess, shape * by_shape])
        mixed = shape * excess * mean / total
        by_mean = -mean * shape * (shape + marked) / total**2
        curvatures = np.stack([[by_mean, mixed], [mixed, shape * by_shape + shape**2 * bend]])
        return logs, slopes, curvatures


def _sums_below(terms: FloatArray, counts: IntArray) -> FloatArray:
    """Return the sum of the first counts[i] terms, for each i."""
    sums: FloatArray = np.concatenate([[0.0], np.cumsum(terms)])[counts]
    return sums


def _maximum(curve: Callable[[FloatArray], _Curve], point: FloatArray) -> tuple[float, FloatArray]:
    """Return the largest value near a point within the limits of the parameters, and the point that has it.

    Newton's method; a step that gains nothing is damped. In directions in which the value is not concave, the step goes
    up by as much as if it were.
    """
    low, high = _LIMITS[:, : len(point)]
    current = curve(point)
    damping = 0.0
    for _ in range(_MAX_STEPS):
        gradient = current.gradient
        is_free = ~(((point <= low) & (gradient < 0)) | ((point >= high) & (gradient > 0)))
        free = np.flatnonzero(is_free)
        bends, directions = np.linalg.eigh(current.curvature[np.ix_(free, free)])
        largest = float(np.abs(bends).max(initial=0.0))
        if largest == 0.0 or damping > _MAX_DAMPING:
            break
        scale = np.maximum(np.abs(bends), np.finfo(float).eps * largest) + damping * largest
        candidate = point.copy()
        candidate[free] += directions @ ((directions.T @ gradient[free]) / scale)
        candidate = np.clip(candidate, low, high)
        next_curve = curve(candidate)
        gain = next_curve.value - current.value
        if gain <= 0:
            damping = max(damping * _DAMPING_FACTOR, _MIN_DAMPING)
            if damping > 1.0 and abs(gain) <= _MIN_GAIN * abs(current.value):
                break
            continue
        is_last = gain <= _MIN_GAIN * abs(current.value)
        point = candidate
        current = next_curve
        damping = damping / _DAMPING_FACTOR if damping > _MIN_DAMPING else 0.0
        if is_last:
            break
    return current.value, point
