"""Means of samples and their intervals, with and without a control variate, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from gamma_align.inference.means import bounds, controlled_estimates, plain_estimates
from gamma_align.inference.student import t_quantile


def groups_of(rng, sizes):
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, rng.gamma(2.0, size=len(group))


def test_plain_estimates_are_means_with_their_errors():
    group, values = groups_of(np.random.default_rng(1), [5, 0, 1, 12])
    result = plain_estimates(group, values, 4)
    for index in (0, 3):
        samples = values[group == index]
        assert result.mean[index] == pytest.approx(samples.mean())
        assert result.error[index] == pytest.approx(stats.sem(samples))
        assert result.deviation[index] == pytest.approx(samples.std(ddof=1))
    assert math.isnan(result.mean[1])
    assert (result.mean[2], math.isnan(result.error[2])) == (values[5], True)
    samples = values[group == 3]  # skewness of a mean: third moment / n² by the error cubed
    assert result.skewness[3] == pytest.approx(
        np.mean((samples - samples.mean()) ** 3) / 12**2 / stats.sem(samples) ** 3
    )


def test_equal_samples_have_an_error_of_exactly_zero():
    result = plain_estimates(np.zeros(30, dtype=np.int64), np.full(30, 0.1), 1)
    assert (result.mean[0], result.error[0], result.skewness[0]) == (0.1, 0.0, 0.0)


def test_a_controlled_estimate_is_the_regression_at_the_mean_of_all_controls():
    rng = np.random.default_rng(2)
    x = rng.normal(3, 1, 60)
    y = 2 + 0.7 * x[:15] + rng.normal(0, 0.2, 15)
    zero = np.zeros(60, dtype=np.int64)
    result = controlled_estimates(zero[:15], y, zero, x, 1)
    line = stats.linregress(x[:15], y)
    assert result.mean[0] == pytest.approx(line.intercept + line.slope * x.mean())
    residual = y - line.intercept - line.slope * x[:15]
    # HC3 by its definition: (X'X)⁻¹ X' diag(e² / (1 - h)²) X (X'X)⁻¹ at the mean of all controls
    design = np.stack([np.ones(15), x[:15]], axis=1)
    inverse = np.linalg.inv(design.T @ design)
    enlarged = residual / (1 - np.einsum("ij,jk,ik->i", design, inverse, design))
    at = np.array([1.0, x.mean()])
    variance = at @ inverse @ (design.T * enlarged**2) @ design @ inverse @ at
    assert result.error[0] == pytest.approx(math.sqrt(variance + line.slope**2 * x.var(ddof=1) / 60))
    assert result.controls[0] == 60
    assert 13 < result.freedom[0] < 13 + 59


def test_groups_without_controls_or_with_few_samples_have_a_plain_mean():
    rng = np.random.default_rng(3)
    group, values = groups_of(rng, [10, 5, 10])
    controls, x = groups_of(rng, [0, 20, 20])
    x[controls == 2] = 4.0  # a control that does not vary tells nothing
    result, plain = controlled_estimates(group, values, controls, x, 3), plain_estimates(group, values, 3)
    assert result.mean.tolist() == plain.mean.tolist()
    assert result.controls.tolist() == [0, 0, 0]


def test_bounds_are_students_t_corrected_for_skewness():
    (low, skewed_low), (high, skewed_high) = bounds(*map(np.array, ([2.0, 2.0], [0.1, 0.1], [0.0, -0.3], [11.0, 11.0])))
    assert (low, high) == pytest.approx((2 - stats.t.ppf(0.975, 11) * 0.1, 2 + stats.t.ppf(0.975, 11) * 0.1))
    # where a few samples far below pull the mean down, the truth is rather below it than above
    assert skewed_low < low
    assert skewed_high < high
    assert t_quantile(0) == math.inf
