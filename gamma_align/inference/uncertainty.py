"""Standard error, interval and tests of a value over items, by whichever method."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.inference.bootstrap import bootstrap_p
from gamma_align.inference.score import ScoreInterval
from gamma_align.inference.student import LEVEL, t_probability, t_quantile, two_sided_p


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Standard error and interval of a value, NaN if there is none.

    Attributes
    ----------
    error, low, high : float
        Standard error and bounds of the interval.
    freedom : float
        Degrees of freedom of Student's t, infinite for a normal distribution, NaN for a bootstrap.
    null_error : float
        Standard error if the true value were 0, if the method has one of its own.
    sample : ndarray, optional
        Replicates of a bootstrap that have a value.
    score : ScoreInterval, optional
        The score interval, if `low` and `high` are its bounds.
    reason : str, optional
        Why there is no error.
    """

    error: float = math.nan
    low: float = math.nan
    high: float = math.nan
    freedom: float = math.nan
    null_error: float = math.nan
    sample: FloatArray | None = None
    score: ScoreInterval | None = None
    reason: str | None = None

    @classmethod
    def symmetric(
        cls,
        value: float,
        error: float,
        freedom: float,
        level: float = LEVEL,
        *,
        maximum: float = math.inf,
        null_error: float = math.nan,
    ) -> Uncertainty:
        """Return the interval of Student's t around the value, up to `maximum`."""
        half_width = t_quantile(freedom, level) * error
        return cls(error, value - half_width, min(value + half_width, maximum), freedom, null_error)

    def p_value(self, value: float, threshold: float) -> float:
        """Return the two-sided p of the hypothesis that the true value is `threshold`; NaN without an error."""
        if self.sample is not None:
            return bootstrap_p(self.sample, threshold)
        error = self.error
        # A test of 0 takes the error that the value would have if 0 were true, if the method knows it.
        if threshold == 0 and not math.isnan(self.null_error):
            error = self.null_error
        return two_sided_p(self._statistic(value, threshold, error), self.freedom)

    def probability_below(self, value: float, threshold: float) -> float:
        """Return the probability that other items give a value below `threshold`; NaN without an error."""
        if self.sample is not None:
            return float(np.mean(self.sample < threshold))
        return t_probability(-self._statistic(value, threshold, self.error), self.freedom)

    def _statistic(self, value: float, threshold: float, error: float) -> float:
        """Return by how many errors a value lies above a threshold; NaN without an error."""
        if self.score is not None:
            return self.score.statistic(threshold)
        if error == 0:
            return 0.0 if value == threshold else math.copysign(math.inf, value - threshold)
        return (value - threshold) / error
