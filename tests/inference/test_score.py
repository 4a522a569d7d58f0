"""The score interval, against its definition and Wilson's interval of a proportion."""

from __future__ import annotations

import oracles_items as naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gamma_align.inference.score import ScoreInterval


@pytest.mark.parametrize(("agreed", "items"), [(0, 7), (3, 7), (7, 7), (58, 60), (60, 60)])
def test_score_interval_of_a_proportion_is_the_interval_of_wilson(agreed, items):
    score = ScoreInterval(agreed / items, items, 1.0, 1.0)
    expected = stats.binomtest(agreed, items).proportion_ci(method="wilson")
    assert score.interval(stats.norm.ppf(0.975)) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(
    value=st.floats(-1.5, 1.0),
    error=st.floats(0.0, 1.0),
    n_items=st.integers(2, 1000),
    t=st.floats(0.1, 15.0),
)
def test_score_interval_ends_where_the_statistic_equals_the_quantile(value, error, n_items, t):
    score = ScoreInterval.of(value, error, n_items)
    low, high = score.interval(t)
    assert 1 - score.reach - 1e-9 <= low <= value + 1e-9
    assert value - 1e-9 <= high <= 1.0
    assert (low, high) == pytest.approx(naive.score_interval(value, error, n_items, t), abs=1e-6)
    for bound, sign in ((low, 1), (high, -1)):
        if 1 - score.reach + 1e-6 < bound < 1 - 1e-6:
            assert score.statistic(bound) == pytest.approx(sign * t, rel=1e-3, abs=1e-6)
