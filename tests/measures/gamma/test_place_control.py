"""The place of a sample as a control of its categorial disorder: a known mean, the right places, fewer samples."""

from __future__ import annotations

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.inference.means import bounds
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run
from gamma_align.measures.gamma.part_work import PartWork
from gamma_align.measures.gamma.place_control import PlaceControl
from gamma_align.measures.gamma.sampler import ShiftSampler

SEEDS = 60


def entities(units, labels, *, seed, distance=100, integer=True):
    """Return a text in which two annotators mark names of some 12 characters each, with labels at random."""
    draw = np.random.default_rng(seed)
    records = []
    for annotator in ("ann", "bob"):
        starts = np.sort(draw.uniform(0, distance * units, units))
        ends = starts + draw.uniform(6, 18, units)
        if integer:
            starts, ends = np.floor(starts), np.ceil(ends)
        records += [
            ("d", annotator, *unit)
            for unit in zip(starts.tolist(), ends.tolist(), draw.choice([*labels], units).tolist(), strict=True)
        ]
    return ga.Corpus.from_records(records)


def control_of(corpus, **options):
    settings = GammaSettings.of(**options)
    sampler = ShiftSampler(corpus, seed=settings.seed)
    codes = np.arange(len(corpus.categories))
    return PlaceControl.of(sampler, corpus.categories, settings, 0, codes)


@pytest.mark.parametrize("strata", [1, 16])
@pytest.mark.parametrize("shift", [0.0, 0.25])
def test_places_are_those_of_the_samples(strata, shift):
    """The place gives the annotators, and the gap from the first to the second one, or either one of the same."""
    starts = [("ann", shift), ("ann", 3 + shift), ("bob", 1 + shift)]  # of units of length 1
    units = [("d", annotator, start, start + 1) for annotator, start in starts]
    sampler = ShiftSampler(ga.Corpus.from_records(units, extents={"d": (0, 20)}), seed=3)
    number = np.arange(500)
    document, row = np.zeros(1_000, dtype=np.int64), np.tile([0, 1], 500)
    if strata == 1:
        slot, offset = sampler._draw(document, row, number.repeat(2), 0)
    else:
        slot, offset = sampler._draw_in_strata(document[:500], number, strata)
    slot, offset = slot.reshape(-1, 2), offset.reshape(-1, 2)
    kind, share = sampler.places(document[:500], number, strata)
    assert kind.tolist() == slot.sum(axis=1).tolist()
    n_gaps = 18 + (shift == 0.0)
    apart = offset[:, 1] - offset[:, 0]
    is_exchanged = slot[:, 0] > slot[:, 1]
    apart = np.where(is_exchanged, 20 - apart, apart)
    gap = share * n_gaps
    if shift == 0.0:
        gap = np.floor(gap)
    is_same = slot[:, 0] == slot[:, 1]
    same_gap = np.minimum(apart, 20 - apart)
    assert np.where(is_same, same_gap, apart) == pytest.approx(1 + gap)
    assert (share[is_same] <= 0.5).all()


@pytest.mark.parametrize("empty_samples", ["skip", "one"])
@pytest.mark.parametrize("integer", [True, False])
def test_the_mean_over_all_places_is_zero(integer, empty_samples, monkeypatch):
    control = control_of(entities(8, "xyz", seed=1, integer=integer), empty_samples=empty_samples)
    n = 400_000
    halves = np.full((n, 4), 0.5)
    monkeypatch.setattr(control.sampler, "_random_numbers", lambda *_: halves)
    values = control.of_samples(np.arange(n), strata=n)  # the middle of each stratum
    assert values.shape == (4, n)
    assert np.abs(values).max() > 0.1
    assert values.mean(axis=1) == pytest.approx(0.0, abs=2e-4)


@pytest.mark.parametrize(("units", "labels", "distance", "integer"), [(20, "xy", 100, True), (30, "xyz", 60, False)])
def test_places_save_samples_of_sparse_documents(units, labels, distance, integer, monkeypatch):
    corpus = entities(units, labels, seed=2, distance=distance, integer=integer)
    with_places = [run(corpus, GammaSettings(seed=seed)) for seed in range(10)]
    monkeypatch.setattr(PartWork, "use_places", lambda *_: False)
    without = [run(corpus, GammaSettings(seed=seed)) for seed in range(10)]
    samples, samples_without = (np.array([rows.samples[0] for rows in several]) for several in (with_places, without))
    assert (samples <= samples_without).all()
    assert samples.mean() < 0.7 * samples_without.mean()
    for rows in with_places:
        assert rows.gamma_cat.error[0] * 1.96 < 0.021 * rows.gamma_cat.expected[0]


@pytest.mark.parametrize(
    ("units", "labels", "integer", "empty_samples"),
    [(20, "xy", True, "skip"), (20, "xyz", False, "skip"), (20, "xy", True, "one"), (30, "abcdef", True, "skip")],
)
def test_expected_disorders_are_unbiased_and_their_intervals_cover(units, labels, integer, empty_samples, monkeypatch):
    corpus = entities(units, labels, seed=3, integer=integer)
    used, use_places = [], PartWork.use_places
    monkeypatch.setattr(PartWork, "use_places", lambda *arguments: used.append(use_places(*arguments)) or used[-1])
    sampled = [run(corpus, GammaSettings.of(seed=seed, empty_samples=empty_samples)) for seed in range(SEEDS)]
    assert used.count(True) > SEEDS / 2
    exact = many_samples(corpus, empty_samples)
    for name in ("gamma_cat", "gamma_k"):
        truth, truth_error = (getattr(getattr(exact, name), column) for column in ("expected", "error"))
        columns = ("expected", "error", "skewness", "freedom")
        expected, error, skewness, freedom = (
            np.array([getattr(getattr(rows, name), column) for rows in sampled]) for column in columns
        )
        deviation = expected - truth
        limit = np.sqrt(deviation.var(axis=0) / SEEDS + truth_error**2)
        assert (np.abs(deviation.mean(axis=0)) < 4 * limit).all()
        low, high = bounds(expected.ravel(), error.ravel(), skewness.ravel(), freedom.ravel())
        slack = np.tile(truth_error, SEEDS)
        truths = np.tile(truth, SEEDS)
        assert np.mean((low - slack <= truths) & (truths <= high + slack)) > 0.89


def many_samples(corpus, empty_samples):
    """Return the rows of a corpus with a precision of a tenth of what is asked by default."""
    return run(corpus, GammaSettings.of(seed=10**6, precision=0.002, empty_samples=empty_samples))


def test_places_change_nothing_with_workers_and_from_a_work_folder(tmp_path):
    corpus = entities(20, "xy", seed=4)
    result = ga.gamma(corpus, seed=2)
    assert result.gamma_cat.expected_precision <= 0.02
    assert ga.gamma(corpus, seed=2, n_jobs=2) == result
    for _ in range(2):
        assert ga.gamma(corpus, seed=2, work=tmp_path / "work") == result
