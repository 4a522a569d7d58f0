"""Estimates of chance and intervals over documents, against their definitions written naively."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
import strategies as sts
from places import CORPORA
from scipy import stats

import gamma_align as ga
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.gammas.precision import FIRST_WITH_CONTROL, Costs, PrecisionRule
from gamma_align.gammas.statistics import ALL_PAIRS, annotator_pairs, pair_disorders
from gamma_align.results.estimates import bounds, controlled_estimates, plain_estimates, student
from gamma_align.results.jackknife import FEW_DOCUMENTS

FOUR = [
    [(0, 4, "x"), (6, 9, "y"), (11, 14, "x")],
    [(0, 5, "x"), (6, 9, "x"), (12, 14, "x")],
    [(1, 4, "y"), (7, 9, "y")],
    [(0, 4, "x"), (5, 9, "y"), (11, 15, "y"), (16, 18, "x")],
]


def four(name="d"):
    return sts.continuum_of(case_of(FOUR), document=name, extent=(0, 20))


def case_of(people):
    return [(person, *unit) for person, units in enumerate(people) for unit in units], len(people)


def groups_of(rng, sizes):
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, rng.gamma(2.0, size=len(group))


def test_plain_estimates_are_means_with_their_errors():
    group, values = groups_of(np.random.default_rng(1), [5, 0, 1, 12])
    result = plain_estimates(group, values, 4)
    for index in (0, 3):
        own = values[group == index]
        assert result.mean[index] == pytest.approx(own.mean())
        assert result.error[index] == pytest.approx(stats.sem(own))
        assert result.deviation[index] == pytest.approx(own.std(ddof=1))
    assert math.isnan(result.mean[1])
    assert (result.mean[2], math.isnan(result.error[2])) == (values[5], True)
    own = values[group == 3]  # skewness of a mean: third moment / n² by the error cubed
    assert result.skewness[3] == pytest.approx(np.mean((own - own.mean()) ** 3) / 12**2 / stats.sem(own) ** 3)


def test_equal_samples_have_no_error_at_all():
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


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_controlled_intervals_cover(noise):
    """2,000 groups of 12 samples and 100 controls, skewed both: 95 % intervals hold the truth in .93 to .97 of them."""
    rng = np.random.default_rng(4)
    x = rng.gamma(3.0, size=(2000, 100))
    y = 5 + x[:, :12] + noise * rng.gamma(2.0, size=(2000, 12))
    group = np.repeat(np.arange(2000), 12)
    result = controlled_estimates(group, y.ravel(), np.repeat(np.arange(2000), 100), x.ravel(), 2000)
    truth = 5 + 3 + 2 * noise
    columns = (result.mean, result.error, result.skewness, result.freedom)
    low, high = bounds(*columns)
    assert 0.93 <= np.mean((low <= truth) & (truth <= high)) <= 0.97
    assert abs(result.mean.mean() - truth) < 5 * result.mean.std() / math.sqrt(2000)
    plain = plain_estimates(group, y.ravel(), 2000)
    assert np.median(result.error / plain.error) < (0.45 if noise < 1 else 0.8)


def test_bounds_are_students_t_without_skewness_and_lean_against_it():
    (low, skewed_low), (high, skewed_high) = bounds(*map(np.array, ([2.0, 2.0], [0.1, 0.1], [0.0, -0.3], [11.0, 11.0])))
    assert (low, high) == pytest.approx((2 - stats.t.ppf(0.975, 11) * 0.1, 2 + stats.t.ppf(0.975, 11) * 0.1))
    # where a few samples far below pull the mean down, the truth is rather below it than above
    assert skewed_low < low
    assert skewed_high < high
    assert student(0) == math.inf


# ------------------------------------------------------------------------------------------------ pairs of annotators


def test_pair_disorders_are_those_of_each_two_annotators_alone():
    corpus = Corpus.from_continua([four()])
    dissimilarity = ga.Dissimilarity(alpha=2.0).bind(corpus.categories)
    disorder = pair_disorders(Batch.from_corpus(corpus)[0], dissimilarity)
    weights = oracles.Weights(alpha=2)
    costs = []
    for first in range(4):
        for second in range(first):
            units, _ = case_of([FOUR[first], FOUR[second]])
            costs.append(oracles.best_alignment_definition(units, 2, weights)[0] * len(units) / 2)
    assert disorder[0] == pytest.approx(math.fsum(costs) / 6 / (sum(map(len, FOUR)) / 4))


@pytest.mark.parametrize("n", [2, 3, 7, ALL_PAIRS, ALL_PAIRS + 1, 14, 40, 101])
def test_every_annotator_is_in_as_many_pairs(n):
    pairs = annotator_pairs(n)
    assert len({frozenset(pair) for pair in pairs.tolist()}) == len(pairs)
    assert set(np.bincount(pairs.ravel(), minlength=n).tolist()) == {2 * len(pairs) // n}
    if n <= ALL_PAIRS:
        assert len(pairs) == n * (n - 1) // 2


def test_two_annotators_are_a_pair_and_their_disorder_is_that_of_the_pair():
    corpus = Corpus.from_continua([sts.continuum_of(case_of(FOUR[:2]), extent=(0, 20))])
    dissimilarity = ga.Dissimilarity().bind(corpus.categories)
    batch = Batch.from_corpus(corpus)[0]
    expected = solve(batch, dissimilarity).cost / batch.mean_units
    assert pair_disorders(batch, dissimilarity) == pytest.approx(expected)


# ----------------------------------------------------------------------------------------------- the rule of precision


def test_pairs_and_a_plain_mean_estimate_the_same():
    plain, paired = (
        ga.gamma(four(), samples=samples, control=control, seed=5).documents[0]
        for samples, control in ((4000, "none"), (60, "pairs"))
    )
    assert (plain.pair_samples, paired.pair_samples > 60) == (0, True)
    for name in ("gamma", "gamma_cat"):
        one, other = getattr(plain, name), getattr(paired, name)
        assert abs(one.expected - other.expected) < 4 * math.hypot(one.expected_error, other.expected_error)
    alone = ga.gamma(four(), samples=60, control="none", seed=5).documents[0]
    assert paired.gamma.expected_error < 0.8 * alone.gamma.expected_error


def test_pairs_reach_a_precision_with_fewer_samples():
    chapter = ga.read(CORPORA / "hearst_kazantseva")["moonstone/ch2"]  # six annotators
    plain, paired = (ga.gamma(chapter, precision=0.05, control=one).documents[0] for one in ("none", "pairs"))
    assert max(plain.gamma.expected_precision, paired.gamma.expected_precision) <= 0.05
    assert FIRST_WITH_CONTROL <= paired.samples < 0.4 * plain.samples
    assert student(paired.pair_samples) * paired.gamma.expected_error <= 0.05 * paired.gamma.expected
    assert abs(paired.gamma.expected - plain.gamma.expected) < 0.15 * plain.gamma.expected


def test_the_same_whatever_else_is_in_the_corpus():
    alone = ga.gamma(four("a"), samples=20, seed=7).documents[0]
    among = ga.gamma(Corpus.from_continua([four("a"), four("b")]), samples=20, seed=7).documents
    assert alone == among[0]
    assert "cv:pairs(" in ga.gamma(four(), samples=20, seed=7).signature
    assert "cv:" not in ga.gamma(four(), samples=20, seed=7, control="none").signature


def test_pairs_serve_where_they_are_cheaper_than_samples():
    coverage = np.array([1.0, 0.1, 0.05, 1.0, 0.5])
    costs = Costs.of(np.array([2, 3, 4, 4, 12]), np.array([400, 600, 4, 400, 240]), coverage)
    assert costs.ratio[:3].tolist() == [1.0, 1.0, 1.0]
    assert (costs.ratio[3:] < 0.2).all()
    every = PrecisionRule(of="documents")
    assert every.begin(costs).samples.tolist() == [30, 30, 30, 12, 12]
    assert PrecisionRule().begin(costs).samples.tolist() == [8, 8, 30, 8, 8]
    assert PrecisionRule().begin(costs).pairs.tolist() == [0] * 5
    assert PrecisionRule(control="none", of="documents").begin(costs).pairs.tolist() == [0] * 5
    assert PrecisionRule(samples=7).begin(costs).pairs.tolist() == [0] * 5
    with pytest.raises(SettingsError, match="control must be one of pairs, none, not 'some'"):
        PrecisionRule(control="some")


# --------------------------------------------------------------------------------------------- intervals over documents


def test_two_documents_have_no_interval_and_say_so():
    result = ga.gamma(Corpus.from_continua([four("a"), four("b")]), samples=30)
    assert str(result.gamma).endswith(f"(no interval: {FEW_DOCUMENTS})")
    assert result.gamma.documents == 2
    assert result.gamma.standard_error != result.gamma.standard_error  # NaN: two documents do not tell


def test_one_aligned_pair_has_no_interval():
    result = ga.gamma(ga.Continuum.from_records([("a", 0, 4, "x"), ("b", 1, 4, "x")], extent=(0, 30)), samples=40)
    for value in (result.gamma_cat, result.gamma_k["x"]):
        assert (value.value, value.pairs, value.no_interval) == (1.0, 1, "one aligned pair of units")
    assert (result.gamma.no_interval, result.documents[0].alignments) == (None, 1)
