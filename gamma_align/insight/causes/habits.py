"""Habits of marking: the negative binomial distribution of numbers of documents, with or without a silent class."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

_START_SHAPE = 2.0  # of the habits, from which their fit starts
_MAX_LOG_SHAPE = 12.0  # from which on the habits are as good as equal: e^12 times their mean would change nothing
_BOUNDS = ((-3.0, 3.0), (-5.0, _MAX_LOG_SHAPE), (-20.0, 20.0))  # of log mean, log shape and log odds
# A relative gain below it ends the fit. By the default of SciPy, fits of 600 crowds ended up to .3 nats too early.
_MIN_GAIN = 1e-14


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


def max_log_likelihoods(habits: Habits) -> tuple[float, float]:
    """Return the largest log likelihood of the habits, without and with a class of annotators who mark nothing.

    The numbers of documents are Poisson, times a habit of the annotator that has a gamma distribution.
    """
    from scipy.optimize import minimize

    def misfit(parameters: FloatArray) -> float:
        return -_log_likelihood(habits, *parameters)

    without = minimize(misfit, [0.0, math.log(_START_SHAPE)], bounds=_BOUNDS[:2], tol=_MIN_GAIN)
    n, n_silent = len(habits.marked), int(np.count_nonzero(habits.is_silent))
    log_odds = math.log((n_silent + 0.5) / (n - n_silent + 0.5))
    with_class = minimize(misfit, [*without.x, log_odds], bounds=_BOUNDS, tol=_MIN_GAIN)
    return -without.fun, max(-without.fun, -with_class.fun)  # a class without members changes nothing


def _log_likelihood(habits: Habits, log_mean: float, log_shape: float, log_odds: float | None = None) -> float:
    """Return the log likelihood of the habits, with a class of silent annotators of these odds; None for no class."""
    from scipy.special import gammaln

    marked, shape = habits.marked, math.exp(log_shape)
    mean = math.exp(log_mean) * habits.expected
    logs = gammaln(marked + shape) - gammaln(shape) - gammaln(marked + 1.0)
    logs = logs - shape * np.log1p(mean / shape) - marked * np.log1p(shape / mean)
    if log_odds is not None:
        log_silent, log_marking = -np.logaddexp(0.0, -log_odds), -np.logaddexp(0.0, log_odds)
        logs = logs + log_marking
        logs = np.where(habits.is_silent, np.logaddexp(log_silent, logs), logs)
    return float(logs.sum())
