"""Samples of two annotators in strata: their law, by enumeration, and the expected disorders from them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.inference.means import bounds
from gamma_align.measures.gamma import computed_chance
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run
from gamma_align.measures.gamma.precision import PrecisionRule
from gamma_align.measures.gamma.sampler import ShiftSampler

SEEDS = 60


def small_document(span, *, shift=0.0):
    """Return a document of two annotators whose units have a mean length of 1."""
    units = [
        ("d", name, start + shift, start + 1 + shift)
        for name, starts in (("a", (0, 3)), ("b", (1,)))
        for start in starts
    ]
    return ga.Corpus.from_records(units, extents={"d": (0, span)})


def text(units, labels, seed):
    """Return a text of two annotators who mark this number of passages each, with labels at random."""
    draw = np.random.default_rng(seed)
    records = []
    for annotator in ("ann", "bob"):
        starts = np.sort(draw.integers(0, 20 * units, units))
        ends = starts + draw.integers(4, 40, units)
        records += [("d", annotator, *unit) for unit in zip(starts, ends, draw.choice([*labels], units), strict=True)]
    return ga.Corpus.from_records(records)


@pytest.mark.parametrize("span", [8, 9])
def test_places_are_the_law_of_the_shift_sampler(span, monkeypatch):
    """All annotators, turns and gaps are equally likely if the place and the turn are uniform."""
    sampler, n_gaps = ShiftSampler(small_document(span), seed=0), span - 2 + 1
    strata = 8 * n_gaps  # each of half a quarter of the places, divided by the gaps
    cases = [(exchange, turn, number) for exchange in (0.2, 0.7) for turn in range(span) for number in range(strata)]
    exchanges, turns, numbers = (np.array(column) for column in zip(*cases, strict=True))

    def random_numbers(_, row, __):
        columns = np.zeros((len(row), 4))
        columns[:, 0], columns[:, 1], columns[:, 2] = exchanges, 0.5, (turns + 0.5) / span
        return columns

    monkeypatch.setattr(sampler, "_random_numbers", random_numbers)
    slot, offset = sampler._draw_in_strata(np.zeros_like(numbers), numbers, strata)
    drawn = Counter(zip(*(map(tuple, column.reshape(-1, 2).tolist()) for column in (slot, offset)), strict=True))
    gaps = range(1, n_gaps + 1)
    assert set(drawn) == {
        (slots, (turn, turn + gap)) for slots in product(range(2), repeat=2) for turn in range(span) for gap in gaps
    }
    assert len(set(drawn.values())) == 1


def test_a_round_has_one_place_in_each_stratum():
    corpus = small_document(20, shift=0.25)
    sampler, number = ShiftSampler(corpus, seed=3), np.arange(64)
    slot, offset = sampler._draw_in_strata(np.zeros_like(number), number, 32)
    for rows in (slice(0, 64), slice(64, 128)):  # two rounds
        slots, offsets = slot[rows].reshape(-1, 2), offset[rows].reshape(-1, 2)
        share = (offsets[:, 1] - offsets[:, 0] - 1) / 18  # of the gaps, from the first row to the second
        share = np.where(slots[:, 0] > slots[:, 1], 1 - share, share)
        same, kind = slots[:, 0] == slots[:, 1], slots.sum(axis=1)
        share = np.where(same, np.minimum(share, 1 - share), share)
        place = np.where(same, kind / 2 * 0.75 + share / 2, 0.25 + share / 2)
        assert np.floor(32 * place + 1e-9).astype(int).tolist() == [*range(32)]
    one = ShiftSampler(corpus, seed=3)._draw_in_strata(np.array([0]), np.array([40]), 32)
    assert [*one[0], *one[1]] == [*slot[80:82], *offset[80:82]]  # by its number alone


def rows_by_seed(corpus, **options):
    return [run(corpus, GammaSettings.of(seed=seed, **options)) for seed in range(SEEDS)]


def exact_rows(corpus, monkeypatch):
    """Return the rows of a corpus with its expected disorders by finite sums, whatever they take."""
    with monkeypatch.context() as patch:
        for limit in ("_MAX_EXACT_WORK", "_MAX_EXACT_WORK_ALONE"):
            patch.setattr(computed_chance, limit, math.inf)
        rows = run(corpus, GammaSettings())
    assert rows.samples.tolist() == [0]
    return rows


@pytest.mark.parametrize(("units", "labels"), [(14, "x"), (14, "xyz"), (25, "x"), (25, "xyz"), (40, "abcdefgh")])
def test_expected_disorders_are_unbiased_and_their_intervals_cover(units, labels, monkeypatch):
    corpus = text(units, labels, seed=1)
    exact, sampled = exact_rows(corpus, monkeypatch), rows_by_seed(corpus)
    for name in ["gamma", "gamma_cat", "gamma_k"][: 1 if labels == "x" else 3]:
        truth = getattr(exact, name).expected
        columns = ("expected", "error", "skewness", "freedom")
        expected, error, skewness, freedom = (
            np.array([getattr(getattr(rows, name), column) for rows in sampled]) for column in columns
        )
        deviation = expected - truth
        assert (np.abs(deviation.mean(axis=0)) < 4 * deviation.std(axis=0) / math.sqrt(SEEDS)).all()
        low, high = bounds(expected.ravel(), error.ravel(), skewness.ravel(), freedom.ravel())
        truths = np.tile(truth, SEEDS)
        assert np.mean((low <= truths) & (truths <= high)) > (0.87 if len(truth) == 1 else 0.89)


@pytest.mark.parametrize("empty_samples", ["skip", "one"])
def test_stated_errors_are_the_spread_over_seeds(empty_samples):
    """The errors of γk as well: they were twice as large if empty samples count as one."""
    sampled = rows_by_seed(text(25, "xyz", seed=1), empty_samples=empty_samples)
    for name in ("gamma_cat", "gamma_k"):
        expected, error = (
            np.array([getattr(getattr(rows, name), column) for rows in sampled]) for column in ("expected", "error")
        )
        stated = np.sqrt(np.square(error).mean(axis=0) / expected.var(axis=0, ddof=1))
        assert (stated > 0.75).all()  # the spread of 60 seeds is known to a tenth
        assert (stated < 1.3).all()


@pytest.mark.parametrize("labels", ["x", "xyz"])
def test_strata_save_samples(labels):
    corpus = text(25, labels, seed=2)
    in_strata, independent = (
        np.mean([rows.samples[0] for rows in rows_by_seed(corpus, **options)]) for options in ({}, {"control": "none"})
    )
    assert in_strata < 0.6 * independent


def test_samples_in_strata_are_the_same_with_workers_and_from_a_work_folder(tmp_path):
    corpus = text(25, "xyz", seed=4)
    result = ga.gamma(corpus, seed=2)
    assert max(result.gamma.expected_precision, result.gamma_cat.expected_precision) <= 0.02
    assert ga.gamma(corpus, seed=2, n_jobs=2) == result
    for _ in range(2):
        assert ga.gamma(corpus, seed=2, work=tmp_path / "work") == result
    (row,) = result.documents
    fixed = ga.gamma(corpus, seed=2, samples=row.samples)
    assert fixed.documents[0].gamma.expected != row.gamma.expected  # a fixed number of samples is independent


@pytest.mark.parametrize(
    ("case", "has_strata"),
    [("", True), ("three annotators", False), ("no units", False), ("two documents", False), ("empty samples", True)],
)
def test_only_the_samples_of_one_document_of_two_annotators_with_units_are_in_strata(case, has_strata, monkeypatch):
    seen, first_counts = [], PrecisionRule.first_counts

    def keep(rule, costs):
        seen.append(first_counts(rule, costs).strata > 1)
        return first_counts(rule, costs)

    monkeypatch.setattr(PrecisionRule, "first_counts", keep)
    monkeypatch.setattr(computed_chance, "_MAX_EXACT_WORK", 0)
    records = [("d", unit.annotator, unit.start, unit.end, "x") for unit in text(40, "x", seed=5)["d"].units()]
    if case == "three annotators":
        records += [("d", "cat", *unit[2:]) for unit in records[:25]]
    elif case == "no units":
        records = [unit for unit in records if unit[1] == "ann"]
    elif case == "two documents":
        records += [("e", *unit[1:]) for unit in records]
    corpus = ga.Corpus.from_records(records, annotations=[("d", "ann"), ("d", "bob")] if case == "no units" else None)
    run(corpus, GammaSettings.of(empty_samples="one" if case == "empty samples" else None))
    assert seen == [has_strata]
