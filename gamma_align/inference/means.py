"""Means of a disorder over random samples and their standard errors, also with a control variate.

Let y be the disorder of N samples, and x a variable that is correlated with y and known for M ≥ N samples. Then

    E[y] ≈ ȳ_N + b (x̄_M - x̄_N),    b by least squares on the N samples.

The variance has two parts: the part of the variance of y that x does not predict, divided by N, and b² times the
variance of x, divided by M. The first is heteroscedasticity-consistent (HC3, MacKinnon & White 1985).

An interval is Student's t, corrected for the skewness of the samples by Hall's cubic transformation.

References
----------
Owen, Monte Carlo theory, methods and examples, ch. 8.9 (regression).
Peherstorfer, Willcox & Gunzburger 2016, Optimal model management for multifidelity Monte Carlo estimation.
MacKinnon & White 1985, Some heteroskedasticity-consistent covariance matrix estimators, J. Econometrics 29.
Hall 1992, On the removal of skewness by transformation, J. R. Statist. Soc. B 54.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, grouped_sums
from gamma_align.inference.student import t_quantiles

MIN_SAMPLES = 8  # with fewer, neither an interval nor a regression is given

_LEVERAGE_MAX = 1.0 - 1e-6  # a sample whose x alone differs has a leverage of 1, and a residual of 0
_SKEWNESS_MIN = 1e-9  # below it, the limit of the inverse cubic: the formula would divide by 0
_ERROR_MIN_SAMPLES = 2  # one sample has no deviation
_SKEWNESS_HALF_WEIGHT = 5.0  # samples at which their skewness counts half, as in `jackknife`


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimates(Columns):
    """Estimated means of several groups of samples, shape (n_groups,) each.

    Attributes
    ----------
    mean, error : ndarray of float64
        The means, NaN without samples, and their standard errors, NaN with fewer than two samples.
    deviation : ndarray of float64
        Standard deviation of the samples (n - 1).
    skewness : ndarray of float64
        Third central moment of the mean divided by its error cubed; 0 without an error.
    samples, controls : ndarray of int64
        N and M; M is 0 without a control variate.
    freedom : ndarray of float64
        Degrees of freedom of the error; for the sum of both parts by Welch and Satterthwaite.
    slope, residual : ndarray of float64
        |b| times the standard deviation of x, and the standard deviation of y - b·x. They decide how many samples of y
        and of x are worth their cost. Without a control variate they are 0 and `deviation`.
    """

    mean: FloatArray
    error: FloatArray
    deviation: FloatArray
    skewness: FloatArray
    samples: IntArray
    controls: IntArray
    freedom: FloatArray
    slope: FloatArray
    residual: FloatArray

    @property
    def residual_of_error(self) -> FloatArray:
        """The residual standard deviation that explains `error`: with it, error² = residual²/N + slope²/M."""
        sample_variance = np.square(self.error) - np.square(self.slope) / np.maximum(self.controls, 1)
        return np.sqrt(np.maximum(sample_variance, 0.0) * self.samples)

    def where(self, condition: BoolArray, otherwise: Estimates) -> Estimates:
        """Return these estimates for the groups that meet the condition, `otherwise` for the others."""
        names = self.row_fields()
        return Estimates(*(np.where(condition, getattr(self, name), getattr(otherwise, name)) for name in names))


def relative_half_width(mean: float, error: float, freedom: float) -> float:
    """Return half the 95 % interval of a mean, relative to the mean; NaN without an error or a positive mean."""
    return float(relative_half_widths(*(np.array([number], dtype=np.float64) for number in (mean, error, freedom)))[0])


def relative_half_widths(mean: FloatArray, error: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return `relative_half_width` for arrays of means."""
    with np.errstate(divide="ignore", invalid="ignore"):
        widths = np.where(error > 0, t_quantiles(freedom) * error / mean, error)
    return np.where(mean > 0, widths, np.nan)


def joint_error(errors: FloatArray, freedom: FloatArray) -> tuple[float, float]:
    """Return the standard error of a sum and its degrees of freedom (Welch and Satterthwaite) from its terms.

    Both are NaN if an error is.
    """
    variance = np.square(errors)
    total = math.fsum(variance)
    used = variance > 0
    return math.sqrt(total), total**2 / math.fsum(variance[used] ** 2 / freedom[used]) if total > 0 else math.nan


def bounds(
    mean: FloatArray, error: FloatArray, skewness: FloatArray, freedom: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the 95 % intervals of estimated means: Student's t, corrected for skewness (Hall 1992)."""
    quantile = t_quantiles(freedom)
    return mean - _skewed(quantile, skewness) * error, mean - _skewed(-quantile, skewness) * error


def _skewed(quantile: FloatArray, skewness: FloatArray) -> FloatArray:
    """Return the quantiles of studentised means of these skewnesses: the inverse of Hall's cubic."""
    with np.errstate(divide="ignore", invalid="ignore"):
        skewed = 3.0 / skewness * (np.cbrt(1.0 + skewness * (quantile - skewness / 6.0)) - 1.0)
    return np.where(np.abs(skewness) < _SKEWNESS_MIN, quantile, skewed)


def plain_estimates(group: IntArray, values: FloatArray, n_groups: int) -> Estimates:
    """Return the means of groups of samples, which are sorted by group and by their numbers."""
    count = np.bincount(group, minlength=n_groups)
    mean, central = _centred(group, values, count)
    variance = grouped_sums(group, central**2, n_groups) / np.maximum(count - 1, 1)
    variance[count < _ERROR_MIN_SAMPLES] = np.nan
    third = grouped_sums(group, central**3, n_groups) / np.maximum(count, 1) ** 3
    deviation, error = np.sqrt(variance), np.sqrt(variance / np.maximum(count, 1))
    return Estimates(
        mean=mean,
        error=error,
        deviation=deviation,
        skewness=_skewness(third, error, count),
        samples=count,
        controls=np.zeros_like(count),
        freedom=count.astype(np.float64) - 1.0,
        slope=np.zeros(n_groups),
        residual=deviation,
    )


def controlled_estimates(
    group: IntArray, values: FloatArray, control_group: IntArray, control: FloatArray, n_groups: int
) -> Estimates:
    """Return the means of groups of samples, with a control variate if possible.

    `control_group` and `control` are the group and x of the samples for which x is known, sorted as in
    `plain_estimates`; the first of each group are the samples in `values`. A group has a plain mean if it has no x, if
    x does not vary, or if it has fewer than `MIN_SAMPLES` samples.
    """
    plain = plain_estimates(group, values, n_groups)
    controls = plain_estimates(control_group, control, n_groups)
    usable = (plain.samples >= MIN_SAMPLES) & (controls.samples >= plain.samples)
    is_used = usable[group]
    is_sampled = _first_of(control_group, usable, plain.samples)
    group, y, x = group[is_used], values[is_used], control[is_sampled]
    count = np.where(usable, plain.samples, 0)
    mean_x, x = _centred(group, x, count)
    mean_y, y = _centred(group, y, count)
    square = grouped_sums(group, x**2, n_groups)
    usable &= square > 0
    # Groups without a regression get divisors above 0; their results are replaced by plain means at the end.
    square, number = np.where(usable, square, 1.0), np.maximum(count, 3)
    slope = grouped_sums(group, x * y, n_groups) / square
    unexplained = y - slope[group] * x
    residual = np.sqrt(grouped_sums(group, unexplained**2, n_groups) / (number - 2))
    shift = controls.mean - mean_x
    # The estimate is Σ share·y. HC3: each sample has its own error, divided by 1 - leverage, because the residuals are
    # skewed and vary with x.
    share = 1.0 / number[group] + shift[group] * x / square[group]
    leverage = np.minimum(1.0 / number[group] + x**2 / square[group], _LEVERAGE_MAX)
    sample_variance = grouped_sums(group, (share * unexplained / (1.0 - leverage)) ** 2, n_groups)
    predicted = slope * controls.deviation / np.sqrt(np.maximum(controls.samples, 1))
    control_variance = predicted**2
    error = np.sqrt(sample_variance + control_variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = error**4 / (sample_variance**2 / (number - 2) + control_variance**2 / (controls.samples - 1))
    # With few samples the skewness is mostly noise.
    third = grouped_sums(group, (share * unexplained) ** 3, n_groups) * (number / (number + _SKEWNESS_HALF_WEIGHT))
    third += slope**3 * controls.skewness * controls.error**3
    result = Estimates(
        mean=mean_y + slope * shift,
        error=error,
        deviation=plain.deviation,
        skewness=_skewness(third, error, count),
        samples=plain.samples,
        controls=controls.samples,
        freedom=np.where(error > 0, freedom, number - 2.0),
        slope=np.abs(slope) * controls.deviation,
        residual=residual,
    )
    return result.where(usable, plain)


def _first_of(group: IntArray, usable: BoolArray, counts: IntArray) -> BoolArray:
    """Return which samples are among the first `counts` of their group, and of a group that is usable."""
    begins = np.searchsorted(group, np.arange(len(counts)))
    number = np.arange(len(group)) - begins[group]
    return usable[group] & (number < counts[group])


def _centred(group: IntArray, values: FloatArray, count: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each group and the deviations of its values, which are exactly 0 if all are equal."""
    begins = np.minimum(np.cumsum(count) - count, max(len(values) - 1, 0))
    # If all values of a group are equal, subtracting one of them first leaves no rounding errors.
    origin = values[begins] if len(values) else np.zeros(len(count))
    difference = values - origin[group]
    with np.errstate(invalid="ignore"):
        shift = grouped_sums(group, difference, len(count)) / count
    return origin + shift, difference - shift[group]


def _skewness(third: FloatArray, error: FloatArray, count: IntArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness: FloatArray = np.where((error > 0) & (count >= MIN_SAMPLES), third / error**3, 0.0)
    return skewness
