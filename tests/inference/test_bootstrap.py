"""Draws with replacement and intervals of replicates."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gamma_align.inference.bootstrap import (
    bootstrap_error,
    bootstrap_p,
    draw_counts,
    order_statistic_interval,
    percentile_interval,
)

SHARES = np.array([0.5, 0.25, 0.25])


def draws(cells):
    return np.concatenate([*draw_counts(SHARES, 8, seed=3, stream=1, replicates=50, cells=cells)])


def test_order_statistics_are_the_limits_of_kalpha():
    assert order_statistic_interval(np.arange(1.0, 1001.0), 0.95) == (25.0, 976.0)


def test_percentiles_enclose_the_level():
    assert percentile_interval(np.arange(101.0), 0.9) == pytest.approx((5.0, 95.0))


def test_one_replicate_has_no_error():
    assert math.isnan(bootstrap_error(np.ones(1)))
    assert bootstrap_error(np.array([1.0, 3.0])) == pytest.approx(math.sqrt(2))


def test_p_is_never_0():
    replicates = np.linspace(0.5, 1.0, 99)
    assert bootstrap_p(replicates, 0.0) == pytest.approx(2 / 100)
    assert bootstrap_p(replicates, 0.75) == 1.0


def test_draws_do_not_depend_on_the_batches():
    assert np.array_equal(draws(cells=6), draws(cells=10**6))
    assert (draws(cells=6).sum(axis=1) == 8).all()
