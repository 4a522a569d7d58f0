"""Offsets without a minimum distance: two rows may have the same one, and all rows are independent."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from all_shifts import expected_by_all_shifts

import gamma_align as ga
from gamma_align.chance.computed_chance import ExpectedWork, compute_chances
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.chance.pairs import control_means, control_values
from gamma_align.chance.sampler import ShiftSampler
from gamma_align.data.sources import corpus_of
from gamma_align.measures.gamma.gamma_settings import GammaSettings

ONE = np.array([0])
SETTINGS = GammaSettings()
NAMES = ("ann", "bob", "cat", "dan")


def points_of(rng, n_annotators, n_units, extent, labels="xy"):
    """Return a document of units without length, of which each annotator has some."""
    units = [
        (name, int(place), int(place), str(rng.choice([*labels])))
        for name in NAMES[:n_annotators]
        for place in rng.choice(extent, n_units, replace=False)
    ]
    continuum = ga.Continuum.from_records(units, extent=(0, extent), annotators=NAMES[:n_annotators])
    return corpus_of(continuum, "gamma")


def crowded(n_annotators=4, extent=3):
    """Return a document whose extent is shorter than the number of its annotators, who have a unit each."""
    starts = [row % extent for row in range(n_annotators)]
    units = [
        (name, start, start + 1, "xy"[row // 2]) for row, (name, start) in enumerate(zip(NAMES, starts, strict=False))
    ]
    continuum = ga.Continuum.from_records(units, extent=(0, extent), annotators=NAMES[:n_annotators])
    return corpus_of(continuum, "gamma")


def expected_of_two(places, other, extent):
    """Return δ_e of two annotators of points of one label: equal places are aligned, and cost nothing."""
    costs = []
    for first, second in product((places, other), repeat=2):
        n_units = len(first) + len(second)
        for offset in range(extent):
            n_aligned = len({*first} & {(place + offset) % extent for place in second})
            costs.append((n_units - 2 * n_aligned) / (n_units / 2))
    return sum(costs) / len(costs)


def test_two_annotators_of_points_have_each_offset_once():
    places, other = (1, 3, 8, 20, 21, 33), (1, 4, 8, 19, 30, 33)
    units = [(name, place, place, "x") for name, own in (("ann", places), ("bob", other)) for place in own]
    result = ga.gamma(ga.Continuum.from_records(units, extent=(0, 40)))
    assert "|N:exact|" in result.signature
    assert result.gamma.expected == pytest.approx(expected_of_two(places, other, 40), abs=1e-12)


def test_exact_sum_without_a_distance_equals_all_offsets():
    rng = np.random.default_rng(1)
    corpora = [points_of(rng, 2, int(rng.integers(1, 5)), int(rng.integers(5, 12))) for _ in range(10)]
    for corpus in [*corpora, crowded(2, 1)]:
        result = compute_chances(corpus, SETTINGS, ONE, ONE)
        disorder, categorial, by_category = expected_by_all_shifts(corpus, SETTINGS)
        assert (result.points[0], result.disorder[0]) == (0, pytest.approx(disorder, abs=1e-12))
        assert result.categorial[0] == pytest.approx(categorial, abs=1e-12, nan_ok=True)
        for code, value in zip(result.category_k.tolist(), result.categorial_k.tolist(), strict=True):
            assert value == pytest.approx(by_category[code], abs=1e-12, nan_ok=True)


def test_lattice_without_a_distance_agrees_with_the_sum():
    corpus = points_of(np.random.default_rng(2), 2, 8, 3_000)
    exact = compute_chances(corpus, SETTINGS, ONE, ONE)
    lattice = compute_chances(
        corpus, SETTINGS, ONE, ONE, work_limit=0.99 * ExpectedWork.estimate(corpus, SETTINGS).exact[0]
    )
    assert (exact.points[0], lattice.points[0] > 0) == (0, True)
    assert lattice.disorder[0] == pytest.approx(exact.disorder[0], abs=2 * lattice.disorder_error[0] + 1e-12)


@pytest.mark.parametrize("corpus", [points_of(np.random.default_rng(7), 3, 2, 5), crowded()], ids=["points", "crowded"])
def test_samples_of_more_annotators_have_the_mean_of_all_offsets(corpus):
    disorder, categorial, _ = expected_by_all_shifts(corpus, SETTINGS)
    result = ga.gamma(corpus, samples=6_000, control="none")
    for value, truth in ((result.gamma, disorder), (result.gamma_cat, categorial)):
        assert abs(value.expected - truth) < 3.5 * value.expected_error


@pytest.mark.parametrize("n_annotators", [2, 3])
def test_samples_without_a_distance_have_independent_offsets(n_annotators, monkeypatch):
    extent = 4
    sampler = ShiftSampler(points_of(np.random.default_rng(4), n_annotators, 2, extent), seed=0)
    shares = [(place + 0.5) / extent for place in range(extent)]
    numbers = np.zeros((extent**n_annotators, n_annotators, 4))
    combinations = np.array([*product(shares, repeat=n_annotators)])
    numbers[:, 0, 2], numbers[:, 1:, 1] = combinations[:, 0], combinations[:, 1:]
    monkeypatch.setattr(sampler, "_random_numbers", lambda _, row, sample, __: numbers[sample, row])
    sample = np.arange(len(numbers)).repeat(n_annotators)
    row = np.tile(np.arange(n_annotators), len(numbers))
    _, offset = sampler._draw(np.zeros_like(row), row, sample, 0)
    drawn = Counter(tuple(sorted(some)) for some in (offset.reshape(-1, n_annotators) % extent).tolist())
    expected = Counter(tuple(sorted(some)) for some in product(range(extent), repeat=n_annotators))
    assert drawn == expected
    assert len(drawn) == len([*combinations_with_replacement(range(extent), n_annotators)])


def test_expectation_of_pairs_without_a_distance_is_the_mean_of_samples():
    corpus = points_of(np.random.default_rng(5), 3, 4, 9)
    dissimilarity, sampler = SETTINGS.dissimilarity.bind(corpus.categories), shift_sampler(corpus, SETTINGS)
    numbers = np.arange(6_000)
    controls = control_values(sampler.sample(np.zeros_like(numbers), numbers), dissimilarity)
    means = [
        control_means(shift_sampler(corpus, replace(SETTINGS, seed=seed)), np.zeros(1, dtype=np.int64), dissimilarity)
        for seed in range(64)
    ]
    mean = np.mean([one.mean[0] for one in means])
    error = math.hypot(controls.std() / math.sqrt(len(numbers)), np.std([one.mean[0] for one in means]) / 8)
    assert abs(mean - controls.mean()) < 3.5 * error
