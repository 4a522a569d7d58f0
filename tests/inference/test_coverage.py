"""Coverage on simulated data: how often each kind of interval contains the true value, and the size of tests."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest
from places import ROOT
from scipy.sparse import csr_matrix
from scipy.special import gammaincinv

from gamma_align.inference.bootstrap import draw_counts, percentile_interval
from gamma_align.inference.delta import clustered_error, influence_error
from gamma_align.inference.exchanges import BOTH, exchange
from gamma_align.inference.jackknife import Parts, difference_intervals, leave_one_out_error, ratio_intervals
from gamma_align.inference.means import (
    MIN_SAMPLES_CONTROLLED,
    bounds,
    controlled_estimates,
    plain_estimates,
    stratified_means,
)
from gamma_align.inference.score import ScoreInterval
from gamma_align.inference.student import t_quantile
from gamma_align.inference.uncertainty import Uncertainty

REPETITIONS = 2000


def covered(low, high, truth):
    return np.mean((np.asarray(low) <= truth) & (truth <= np.asarray(high)))


# -------------------------------------------------------------------------------------------------- means of samples


@pytest.mark.parametrize("n_samples", [3, 8, 30])
def test_interval_of_a_plain_mean_has_its_coverage(n_samples):
    values = np.random.default_rng(1).normal(5.0, 1.0, size=(REPETITIONS, n_samples))
    group = np.repeat(np.arange(REPETITIONS), n_samples)
    result = plain_estimates(group, values.ravel(), REPETITIONS)
    low, high = bounds(result.mean, result.error, result.skewness, result.freedom)
    assert 0.93 <= covered(low, high, 5.0) <= 0.97


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_interval_of_a_controlled_mean_has_its_coverage(noise):
    """2,000 groups of 16 samples and 64 points, skewed both: 95 % intervals hold the truth in .93 to .97 of them."""
    rng = np.random.default_rng(4)
    n, repetition = MIN_SAMPLES_CONTROLLED, np.arange(2000)
    x = rng.gamma(3.0, size=(2000, n))
    y = 5 + x + noise * rng.gamma(2.0, size=(2000, n))
    stratum = np.tile(np.arange(32), 2000)
    points = gammaincinv(3.0, (stratum + rng.random((2, len(stratum)))) / 32)  # a stratified gamma variable
    expected = stratified_means(np.repeat(repetition, 32), *points, 2000)
    group = np.repeat(repetition, n)
    result = controlled_estimates(group, y.ravel(), x.ravel(), expected, 2000)
    truth = 5 + 3 + 2 * noise
    columns = (result.mean, result.error, result.skewness, result.freedom)
    low, high = bounds(*columns)
    assert 0.93 <= np.mean((low <= truth) & (truth <= high)) <= 0.97
    assert abs(result.mean.mean() - truth) < 5 * result.mean.std() / math.sqrt(2000)
    plain = plain_estimates(group, y.ravel(), 2000)
    assert np.median(result.error / plain.error) < (0.25 if noise < 1 else 0.75)


# -------------------------------------------------------------------------------------- jackknife over documents


def coverage(population, n, draws=1500):
    """Return how often intervals of corpora of n documents hold the ratio of the population, and miss on each side."""
    index = np.random.default_rng(n).integers(len(population.observed), size=(draws, n))
    columns = (population.observed, population.expected, population.agreeing)
    with np.errstate(all="ignore"):
        intervals = ratio_intervals(Parts.of_sums(*(column[index] for column in columns)))
    has_interval = np.array([reason is None for reason in intervals.missing])
    below, above = (
        float(np.mean(misses[has_interval]))
        for misses in (population.ratio < intervals.low, population.ratio > intervals.high)
    )
    return 1 - below - above, below, above, float(has_interval.mean())


@pytest.fixture(scope="module")
def cells():
    """Coverage of corpora of 5 to 60 documents, of all populations but those whose extremes no sample can know."""
    synthetic = runpy.run_path(str(ROOT / "tools" / "bench" / "populations.py"))["synthetic"]
    populations = [population for population in synthetic() if population.hopeless is None]
    table = [coverage(population, n) for population in populations for n in (5, 8, 20, 60)]
    return np.array([cell for cell in table if cell[3] > 0.15])


def test_jackknife_interval_has_its_coverage(cells):
    assert 0.94 <= cells[:, 0].mean() <= 0.965
    assert np.mean(cells[:, 0] < 0.925) <= 0.08


def test_jackknife_interval_seldom_misses_on_one_side(cells):
    assert np.mean(cells[:, 1:3].max(axis=1) > 0.05) <= 0.13


def test_measured_coverage_of_real_corpora_is_near_its_level():
    """The table of `tools/bench/coverage.py`: all real populations from five documents on."""
    text = (ROOT / "tools" / "bench" / "results" / "coverage.md").read_text(encoding="utf-8")
    tables = {}
    for part in text.split("\n## "):
        title, _, rest = part.partition("\n")
        lines = [line for line in rest.splitlines() if line.startswith("|")]
        tables[title] = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]
    named = {row[0] for title, rows in tables.items() if title.startswith("Populations that rest on") for row in rows}
    cells = []
    for name, documents, _, _, coverage, sides, *_ in tables["Real populations"]:
        if int(documents) >= 5 and coverage != "–":
            cells.append((float(coverage), max(map(float, sides.split("/")))))
            assert float(coverage) >= 0.92 or name in named
    assert len(cells) > 100
    mean, heavier_side = np.mean(cells, axis=0)
    assert 0.94 <= mean <= 0.965
    assert heavier_side <= 0.045


@pytest.mark.parametrize(("shared", "n_shared"), [("all", 20), ("some", 15), ("some", 10), ("some", 2), ("none", 0)])
def test_interval_of_a_difference_has_its_coverage(shared, n_shared):
    n_documents = 20
    alone = n_documents - n_shared
    draw = np.random.default_rng(6)
    expected = draw.gamma(4.0, size=(REPETITIONS, n_documents + alone)) + 1.0
    difficulty = draw.beta(2.0, 3.0, size=expected.shape)  # ratios of .4 on average on both sides
    parts = []
    for side in (0, 1):
        observed = expected * (difficulty + draw.beta(2.0, 3.0, size=expected.shape)) / 2
        # Documents of the first alone, of both, of the second alone; those of the other corpus add nothing.
        has = np.zeros(n_documents + alone, dtype=bool)
        has[alone if side else 0 :][:n_documents] = True
        parts.append(Parts.of_sums(np.where(has, observed, 0.0), np.where(has, expected, 0.0), has & (expected > 0)))
    intervals = difference_intervals(*parts, shared=shared)
    assert 0.93 <= covered(intervals.low, intervals.high, 0.0) <= 0.975


# -------------------------------------------------------------------------------------------------- values over items


def shares_of_agreement(n_items, truth, repetitions):
    return np.random.default_rng(7).random((repetitions, n_items)) < truth


def leave_one_out(agrees):
    return (agrees.sum() - agrees) / (len(agrees) - 1)


@pytest.mark.parametrize(("truth", "n_items"), [(0.7, 20), (0.95, 40)])
def test_score_interval_has_its_coverage(truth, n_items):
    intervals = []
    for agrees in shares_of_agreement(n_items, truth, REPETITIONS):
        error = leave_one_out_error(leave_one_out(agrees), np.ones(n_items))
        score = ScoreInterval.of(agrees.mean(), error, n_items, reach=1.0)
        intervals.append(score.interval(t_quantile(n_items - 1)))
    assert 0.93 <= covered(*zip(*intervals, strict=True), truth) <= 0.985


def test_interval_of_the_delta_method_has_its_coverage():
    intervals = []
    for agrees in shares_of_agreement(60, 0.7, REPETITIONS):
        influences = agrees - agrees.mean()  # of a mean
        error = influence_error(influences, np.ones(60))
        interval = Uncertainty.symmetric(agrees.mean(), error, 59)
        intervals.append((interval.low, interval.high))
    assert 0.93 <= covered(*zip(*intervals, strict=True), 0.7) <= 0.97


def test_interval_over_clusters_has_its_coverage():
    n_clusters, size = 30, 4
    cluster = np.repeat(np.arange(n_clusters), size)
    draw = np.random.default_rng(8)
    intervals = []
    for _ in range(REPETITIONS):
        values = draw.normal(size=n_clusters)[cluster] + draw.normal(size=len(cluster))
        error = clustered_error((values - values.mean()) / len(values), cluster)
        interval = Uncertainty.symmetric(values.mean(), error, n_clusters - 1)
        intervals.append((interval.low, interval.high))
    assert 0.93 <= covered(*zip(*intervals, strict=True), 0.0) <= 0.97


def test_percentile_interval_has_its_coverage():
    n_items, draw = 60, np.random.default_rng(9)
    # The same draws serve all repetitions: which items they hit is random in each.
    (counts,) = draw_counts(np.full(n_items, 1 / n_items), n_items, seed=9, stream=0, replicates=400, cells=10**6)
    replicates = counts @ draw.normal(size=(n_items, REPETITIONS)) / n_items
    intervals = [percentile_interval(column, 0.95) for column in replicates.T]
    assert 0.915 <= covered(*zip(*intervals, strict=True), 0.0) <= 0.965


# ----------------------------------------------------------------------------------------------------- exchange test


class Means:
    """The mean of documents in either annotation, as a pool of values."""

    def __init__(self, first, second):
        self.first, self.second, self.n_documents = first, second, len(first)
        self.side = np.full(len(first), BOTH)

    def values(self, first: csr_matrix, second: csr_matrix):
        return (first @ self.first + second @ self.second)[:, None] / self.n_documents


@pytest.mark.parametrize("n_documents", [8, 25], ids=["all exchanges", "random exchanges"])
def test_exchange_test_rejects_a_true_hypothesis_at_its_level(n_documents):
    draw = np.random.default_rng(10)
    p = []
    for seed in range(400):
        first, second = draw.gamma(1.0, size=(2, n_documents))
        p.append(exchange(Means(first, second), seed=seed, replicates=299).p_value(0))
    for level, tolerance in ((0.05, 0.03), (0.5, 0.075)):  # three standard errors of a share of 400
        assert np.mean(np.array(p) <= level) == pytest.approx(level, abs=tolerance)
