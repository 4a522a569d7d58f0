"""Means of samples and their intervals, with and without a control variate, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from gamma_align.inference.means import (
    ControlMeans,
    bounds,
    controlled_estimates,
    joint_error,
    plain_estimates,
    relative_half_width,
    stratified_means,
)
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


def strata_of(rng, sizes):
    """Return the group of each stratum of groups of so many strata, and the places of its two points."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    stratum = np.concatenate([np.arange(n) for n in sizes])
    places = (stratum + rng.random((2, len(group)))) / np.array(sizes)[group]
    return group, places


def test_stratified_means_have_the_error_of_pairs_within_strata():
    group, places = strata_of(np.random.default_rng(1), [4, 0, 8])
    result = stratified_means(group, *np.sin(places), 3)
    for index, n in ((0, 4), (2, 8)):
        values = np.sin(places)[:, group == index]
        assert result.mean[index] == pytest.approx(values.mean())
        assert result.error[index] == pytest.approx(math.sqrt(np.square(values[0] - values[1]).sum()) / (2 * n))
    assert np.isnan(result.mean[1])
    assert result.points.tolist() == [8, 0, 16]


def test_degrees_of_freedom_of_stratified_means_are_those_of_squared_differences():
    """Each squared difference has one, so that E[Σ d⁴] = 3 Σ E[d²]² (Satterthwaite)."""
    group, places = strata_of(np.random.default_rng(6), [16, 4])
    values = np.exp(8 * places) + np.where(group == 1, 100 * places, 0)
    result = stratified_means(group, *values, 2)
    for index, n in ((0, 16), (1, 4)):
        squares = np.square(np.diff(values[:, group == index], axis=0))
        freedom = 3 * squares.sum() ** 2 / np.square(squares).sum() - 2
        assert result.freedom[index] == pytest.approx(min(max(freedom, 1), n))
    assert 1 < result.freedom[0] < 16


def test_stated_error_of_stratified_means_is_the_real_one():
    rng = np.random.default_rng(5)
    group, places = strata_of(rng, [16] * 2000)
    values = np.square(places) + 0.1 * rng.standard_normal(places.shape)
    result = stratified_means(group, *values, 2000)
    assert np.square(result.error).mean() == pytest.approx((result.mean - 1 / 3).var(), rel=0.1)
    assert abs(result.mean.mean() - 1 / 3) < 4 * result.mean.std() / math.sqrt(2000)
    assert result.error.mean() < 0.4 * values.std() / math.sqrt(32)  # of plain points


def test_a_controlled_estimate_is_the_regression_at_the_expected_control():
    rng = np.random.default_rng(2)
    x = rng.normal(3, 1, 20)
    y = 2 + 0.7 * x + rng.normal(0, 0.2, 20)
    expected = ControlMeans(*map(np.array, ([3.1], [0.05], [12.0], [64])))
    result = controlled_estimates(np.zeros(20, dtype=np.int64), y, x, expected, 1)
    line = stats.linregress(x, y)
    assert result.mean[0] == pytest.approx(line.intercept + line.slope * 3.1)
    residual = y - line.intercept - line.slope * x
    # HC3 by its definition: (X'X)⁻¹ X' diag(e² / (1 - h)²) X (X'X)⁻¹ at the expected control
    design = np.stack([np.ones(20), x], axis=1)
    inverse = np.linalg.inv(design.T @ design)
    enlarged = residual / (1 - np.einsum("ij,jk,ik->i", design, inverse, design))
    at = np.array([1.0, 3.1])
    variance = at @ inverse @ (design.T * enlarged**2) @ design @ inverse @ at
    assert result.error[0] == pytest.approx(math.sqrt(variance + (line.slope * 0.05) ** 2))
    assert result.controls[0] == 64
    assert 12 < result.freedom[0] < 12 + 18


def test_the_interval_of_a_controlled_estimate_is_students_t():
    rng = np.random.default_rng(4)
    x = rng.gamma(0.5, size=20)
    y = 2 + 3 * x + rng.gamma(0.5, 0.2, 20)
    expected = ControlMeans(*map(np.array, ([0.6], [0.02], [12.0], [64])))
    result = controlled_estimates(np.zeros(20, dtype=np.int64), y, x, expected, 1)
    low, high = bounds(result.mean, result.error, result.skewness, result.freedom)
    half = t_quantile(result.freedom[0]) * result.error[0]
    assert (low[0], high[0]) == pytest.approx((result.mean[0] - half, result.mean[0] + half))


def test_groups_without_controls_or_with_few_samples_have_a_plain_mean():
    rng = np.random.default_rng(3)
    group, values = groups_of(rng, [20, 10, 20, 20])
    x = rng.normal(size=len(group))
    x[group == 2] = 4.0  # a control that does not vary tells nothing
    x[np.flatnonzero(group == 3)[5]] = np.nan  # it is not known of one sample
    mean = np.array([np.nan, 0.0, 4.0, 0.0])
    expected = ControlMeans(mean, np.full(4, 0.1), np.ones(4), np.array([0, 64, 64, 64]))
    result, plain = controlled_estimates(group, values, x, expected, 4), plain_estimates(group, values, 4)
    assert result.mean.tolist() == plain.mean.tolist()
    assert result.controls.tolist() == [0, 0, 0, 0]


def test_a_group_whose_control_is_worse_than_none_has_a_plain_mean():
    rng = np.random.default_rng(3)
    x = rng.normal(size=20)
    y, zero = 2 + x, np.zeros(20, dtype=np.int64)
    vague, precise = (ControlMeans(*map(np.array, ([0.0], [error], [31.0], [64]))) for error in (1.0, 0.001))
    assert controlled_estimates(zero, y, x, vague, 1) == plain_estimates(zero, y, 1)
    assert controlled_estimates(zero, y, x, precise, 1).mean[0] == pytest.approx(2.0)


def test_bounds_are_students_t_corrected_for_skewness():
    (low, skewed_low), (high, skewed_high) = bounds(*map(np.array, ([2.0, 2.0], [0.1, 0.1], [0.0, -0.3], [11.0, 11.0])))
    assert (low, high) == pytest.approx((2 - stats.t.ppf(0.975, 11) * 0.1, 2 + stats.t.ppf(0.975, 11) * 0.1))
    # where a few samples far below pull the mean down, the truth is rather below it than above
    assert skewed_low < low
    assert skewed_high < high
    assert t_quantile(0) == math.inf


def test_the_error_of_a_sum_has_the_degrees_of_freedom_of_welch_and_satterthwaite():
    error, freedom = joint_error(np.array([0.3, 0.0, 0.4]), np.array([4.0, 9.0, 7.0]))
    assert error == pytest.approx(0.5)
    assert freedom == pytest.approx(0.25**2 / (0.09**2 / 4 + 0.16**2 / 7))
    # for two means this is what Welch's test of their difference uses
    first, second = np.array([1.0, 2.5, 3.0, 7.0]), np.array([2.0, 2.5, 9.0, 4.0, 6.5])
    welch = stats.ttest_ind(first, second, equal_var=False)
    _, freedom = joint_error(np.array([stats.sem(first), stats.sem(second)]), np.array([3.0, 4.0]))
    assert freedom == pytest.approx(welch.df)


def test_the_error_of_a_sum_is_0_without_errors_and_not_a_number_if_an_error_is_missing():
    error, freedom = joint_error(np.zeros(2), np.ones(2))
    assert (error, math.isnan(freedom)) == (0.0, True)
    assert [math.isnan(number) for number in joint_error(np.array([0.3, np.nan]), np.ones(2))] == [True, True]


def test_half_of_an_interval_is_relative_to_the_mean():
    assert relative_half_width(2.0, 0.1, 11.0) == pytest.approx(stats.t.ppf(0.975, 11) * 0.05)
    assert relative_half_width(2.0, 0.0, 11.0) == 0.0
    assert math.isnan(relative_half_width(0.0, 0.1, 11.0))
    assert math.isnan(relative_half_width(2.0, math.nan, 11.0))


@pytest.mark.parametrize("skewness", [-0.3, 0.05, 0.2])
def test_bounds_are_the_inverse_of_halls_cubic(skewness):
    mean, error, freedom = (np.array([number]) for number in (2.0, 0.1, 11.0))
    bound = bounds(mean, error, np.array([skewness]), freedom)
    quantile = stats.t.ppf(0.975, 11)
    for (number,), level in zip(bound, (quantile, -quantile), strict=True):
        t = (2.0 - number) / 0.1
        assert t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6 == pytest.approx(level)
