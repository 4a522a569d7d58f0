"""Tests of hypotheses against their definitions: a mean, several hypotheses, equivalence, and exchanged documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gamma_align.inference.exchanges import Exchanges
from gamma_align.inference.hypotheses import benjamini_yekutieli, equivalence_p, mean_below_p

probabilities = st.lists(st.sampled_from([0.0, 0.001, 0.004, 0.01, 0.012, 0.02, 0.04, 0.3, 1.0]), max_size=8)


@given(probabilities, st.sampled_from([0.01, 0.05, 0.2]))
def test_hypotheses_are_rejected_up_to_the_last_p_below_its_threshold(p_values, rate):
    rejected = benjamini_yekutieli(np.array(p_values), rate)
    n, harmonic = len(p_values), sum(1 / rank for rank in range(1, len(p_values) + 1))
    ranks = [rank for rank, p in enumerate(sorted(p_values), 1) if p <= rank * rate / (n * harmonic) * (1 + 1e-12)]
    assert np.count_nonzero(rejected) == max(ranks, default=0)
    accepted = [p for p, is_rejected in zip(p_values, rejected, strict=True) if not is_rejected]
    assert all(
        p <= other for p, is_rejected in zip(p_values, rejected, strict=True) if is_rejected for other in accepted
    )


@pytest.mark.parametrize("threshold", [0.2, 1.0, 2.6, 4.0])
def test_p_of_a_mean_is_that_of_a_one_sided_t_test(threshold):
    terms = np.array([1.0, 2.5, 3.0, 0.5, 2.0])
    expected = stats.ttest_1samp(terms, threshold, alternative="less").pvalue
    assert mean_below_p(terms, threshold) == pytest.approx(expected)


def test_equal_terms_are_below_a_threshold_or_not():
    for terms in (np.full(4, 0.1), np.array([0.1])):
        assert [mean_below_p(terms, threshold) for threshold in (0.2, 0.1, 0.05)] == [0.0, 1.0, 1.0]
    assert math.isnan(mean_below_p(np.zeros(0), 1.0))


def test_p_of_equivalence_counts_the_replicates_beyond_either_limit():
    replicates = np.array([-0.3, -0.1, 0.0, 0.1, 0.1, 0.2, 0.4])
    assert equivalence_p(replicates, 0.3) == (1 + 1) / 8
    assert equivalence_p(replicates, 0.1) == (4 + 1) / 8
    assert equivalence_p(replicates, 1.0) == 1 / 8


@pytest.mark.parametrize(("is_complete", "p"), [(True, [2 / 4, 2 / 3]), (False, [3 / 5, 3 / 4])])
def test_p_of_exchanges_is_the_share_that_differ_as_much(is_complete, p):
    """Random exchanges do not include the data, which are added (Phipson & Smyth 2010)."""
    exchanged = np.array([[0.1, 0.5], [0.3, np.nan], [-0.3, 0.2], [0.2, -0.6]])
    exchanges = Exchanges(np.array([-0.3, 0.5]), exchanged, is_complete)
    assert [exchanges.p_value(column) for column in (0, 1)] == pytest.approx(p)
    assert math.isnan(Exchanges(np.ones(1), np.full((3, 1), np.nan), is_complete).p_value(0))
