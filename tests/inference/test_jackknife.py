"""Intervals over documents: against their definition, and the rules by which they are given."""

from __future__ import annotations

import math

import numpy as np
import oracles_intervals
import pytest

import gamma_align as ga
from gamma_align.columns import RowGroups
from gamma_align.inference import jackknife
from gamma_align.inference.jackknife import (
    ALL_EQUAL,
    FEW_AGREEING,
    FEW_DOCUMENTS,
    NO_DISAGREEMENT,
    ONE_HOLDS_ALL,
    Parts,
    difference_interval,
    difference_intervals,
    grouped_ratio_intervals,
    jackknife_interval,
    ratio_interval,
    ratio_intervals,
)

ANYTHING = (-math.inf, math.inf)


def sums(seed, n):
    draw = np.random.default_rng(seed)
    return draw.gamma(1.0, size=n), draw.gamma(2.0, size=n) + 0.1


def parts(observed, expected):
    return Parts.of_sums(observed[None, :], expected[None, :], np.ones((1, len(observed)), dtype=bool))


def everywhere(observed):
    return np.ones(len(observed), dtype=bool)


@pytest.mark.parametrize("n", [3, 4, 7, 12, 40])
@pytest.mark.parametrize("seed", range(4))
def test_the_interval_of_a_ratio_is_the_definition(n, seed):
    observed, expected = sums(seed, n)
    interval, oracle = (
        ratio_interval(observed, expected, everywhere(observed)),
        oracles_intervals.interval([(1, observed, expected)]),
    )
    assert (interval.low, interval.high) == pytest.approx((1 - oracle.high, 1 - oracle.low), abs=1e-10)
    assert interval.rests_on == pytest.approx(oracle.rests_on)
    assert interval.low < 1 - observed.sum() / expected.sum() < interval.high <= 1


@pytest.mark.parametrize("n", [3, 8, 30])
def test_the_interval_of_a_difference_is_the_definition(n):
    first, second = sums(1, n), sums(2, n)
    interval = difference_interval(parts(*first), parts(*second), ANYTHING)
    oracle = oracles_intervals.interval([(1, *second), (-1, *first)])
    assert (interval.low, interval.high, interval.error) == pytest.approx(
        (oracle.low, oracle.high, oracle.error), abs=1e-10
    )
    assert interval.rests_on == pytest.approx(oracle.rests_on)


def test_reversed_difference_has_the_opposite_sign():
    first, second = parts(*sums(1, 9)), parts(*sums(2, 9))
    one, reversed_interval = difference_interval(first, second, ANYTHING), difference_interval(second, first, ANYTHING)
    assert (one.low, one.high) == pytest.approx((-reversed_interval.high, -reversed_interval.low))


def test_expected_disagreement_that_does_not_add_up_has_pseudo_values():
    observed, expected = sums(3, 8)
    total = expected.sum() ** 1.1  # any function of the sum
    without = (expected.sum() - expected) ** 1.1
    interval = jackknife_interval(observed.sum(), total, observed.sum() - observed, without, everywhere(observed))
    added = oracles_intervals.pseudo_values(total, without)
    oracle = oracles_intervals.interval([(1, observed, added)], [(observed.sum() - observed, without)])
    assert (interval.low, interval.high) == pytest.approx((1 - oracle.high, 1 - oracle.low), abs=1e-10)


def test_the_standard_error_is_the_jackknife_of_the_coefficient():
    observed, expected = sums(4, 9)
    without = np.array([np.delete(observed, i).sum() / np.delete(expected, i).sum() for i in range(9)])
    error = math.sqrt(8 / 9 * np.sum((without - without.mean()) ** 2))
    assert ratio_interval(observed, expected, everywhere(observed)).error == pytest.approx(error)


def test_documents_without_disagreement_do_not_change_the_interval():
    observed, expected = sums(5, 6)
    padded = [np.concatenate([column, np.zeros(3)]) for column in (observed, expected)]
    interval = ratio_interval(*padded, everywhere(padded[0]))
    assert interval == pytest.approx(ratio_interval(observed, expected, everywhere(observed)), nan_ok=True)


def test_two_independent_samples_have_the_degrees_of_freedom_of_welch():
    first, second = sums(6, 40), sums(7, 40)
    pad = np.zeros(40)
    sides = [
        parts(*(np.concatenate([column, pad]) for column in first)),
        parts(*(np.concatenate([pad, column]) for column in second)),
    ]
    interval = difference_intervals(*sides, independent=True).each()[0]
    single = [ratio_interval(*side, everywhere(side[0])) for side in (first, second)]
    assert interval.error == pytest.approx(math.hypot(*(one.error for one in single)), rel=1e-6)
    assert min(one.rests_on for one in single) < interval.rests_on < 80


OBSERVED = np.array([0.3, 0.2, 0.4, 0.1, 0.5])


@pytest.mark.parametrize(
    ("observed", "expected", "agreeing", "reason"),
    [
        (np.zeros(5), np.ones(5), np.ones(5), NO_DISAGREEMENT),
        ([0.3, 0.2, 0, 0, 0], np.ones(5), np.ones(5), FEW_DOCUMENTS),
        (OBSERVED, np.ones(5), [1, 1, 0, 0, 0], FEW_AGREEING),
        (OBSERVED, [0, 0, 0, 0, 1], np.ones(5), ONE_HOLDS_ALL),
        (OBSERVED, 3 * OBSERVED, np.ones(5), ALL_EQUAL),
        ([0.3], [1], [1], FEW_DOCUMENTS),
    ],
)
def test_missing_interval_has_a_reason(observed, expected, agreeing, reason):
    observed, expected = (np.array(column, dtype=np.float64) for column in (observed, expected))
    interval = ratio_interval(observed, expected, np.array(agreeing, dtype=bool))
    assert interval.missing == reason
    assert math.isnan(interval.low)
    assert math.isnan(interval.rests_on)


def test_reasons_and_notes_name_the_units_of_the_jackknife():
    few_runs = ratio_intervals(parts(np.array([0.3, 0.2, 0, 0, 0]), np.ones(5))).each("runs of documents")[0]
    assert few_runs.missing == "fewer than three runs of documents with disagreement"
    held = ratio_intervals(parts(OBSERVED, np.array([0, 0, 0, 0, 1.0]))).each("units")[0]
    assert held.missing == "without one of the units no disagreement is expected by chance"
    assert ratio_intervals(parts(*sums(1, 6))).each("units")[0].note.endswith(" of 6 units")


def test_planned_corpus_has_the_interval_of_repeated_documents():
    observed, expected = sums(8, 9)
    tiled = ratio_interval(np.tile(observed, 4), np.tile(expected, 4), everywhere(np.tile(observed, 4)))
    columns = observed[None, :], expected[None, :], everywhere(observed)[None, :]
    planned = ratio_intervals(Parts.of_sums(*columns, 4.0))
    assert (1 - planned.high[0], 1 - planned.low[0]) == pytest.approx((tiled.low, tiled.high))
    assert planned.rests_on[0] == pytest.approx(tiled.rests_on)


def test_both_independent_samples_need_documents_with_disagreement():
    pad, one = np.zeros(6), sums(1, 6)
    sides = [
        parts(*(np.concatenate([column, pad]) for column in one)),
        parts(np.concatenate([pad, [0.3, 0.2, 0, 0, 0, 0]]), np.concatenate([pad, np.ones(6)])),
    ]
    assert difference_intervals(*sides).missing == [None]
    assert difference_intervals(*sides, independent=True).missing == [FEW_DOCUMENTS]


def test_documents_without_expected_disagreement_count():
    interval = ratio_interval(np.array([0.2, 0.4, 0.1, 0.3]), np.array([1.0, 1.0, 1.0, 0.0]), np.ones(4, dtype=bool))
    assert interval.low < 1 - 1.0 / 3.0 < interval.high


def test_intervals_of_shares_stay_between_0_and_1():
    observed, expected = np.array([1.0, 0.9, 0.95, 0.2]), np.ones(4)
    free, share = (ratio_interval(observed, expected, observed < 1.1, largest=largest) for largest in (math.inf, 1.0))
    assert free.low < 0
    assert (share.low, share.high) == (0.0, free.high)


def test_interval_of_a_difference_stays_within_its_limits():
    first, second = parts(*sums(1, 4)), parts(*sums(2, 4))
    free = difference_interval(first, second, ANYTHING)
    limited = difference_interval(first, second, (free.low + 0.1, free.high - 0.1))
    assert (limited.low, limited.high) == (free.low + 0.1, free.high - 0.1)


@pytest.mark.parametrize(
    ("sizes", "note"),
    [
        ([1.0] * 30, None),
        ([40.0] * 3 + [1.0] * 27, "rests on about 4 of 30 documents"),
        ([1.0] * 3, "rests on about 3 of 3 documents: few documents"),
    ],
)
def test_an_interval_that_rests_on_few_documents_has_a_note(sizes, note):
    expected = np.array(sizes)
    observed = expected * np.resize([0.2, 0.3, 0.25, 0.35, 0.15], len(expected))
    interval = ratio_interval(observed, expected, everywhere(observed))
    assert interval.note == note
    assert (interval.note is None) == (interval.rests_on >= max(8, len(expected) / 2))


def test_values_print_the_note_of_their_interval():
    value = ga.Value(0.5, 0.4, 0.6, rests_on=4.2, interval_note="rests on about 4 of 20 documents")
    assert str(value) == "0.5000 [0.4000, 0.6000] (rests on about 4 of 20 documents)"
    assert value.to_dict()["rests_on"] == 4.2


def test_groups_of_documents_have_the_intervals_that_each_has_alone(monkeypatch):
    observed, expected = sums(8, 40)
    agreeing = everywhere(observed)
    rng = np.random.default_rng(5)
    groups = [np.sort(rng.choice(40, size, replace=False)) for size in (1, 5, 5, 12, 1, 40, 5)]
    measures = [(observed, expected, agreeing), (observed / 3, expected, agreeing), (observed, 2 * expected, ~agreeing)]
    columns = [np.array(column) for column in zip(*measures, strict=True)]
    for max_terms in (1 << 18, 70):  # all measures together, or one or two at a time
        monkeypatch.setattr(jackknife, "_MAX_TERMS", max_terms)
        grouped = grouped_ratio_intervals(*columns, RowGroups(groups), largest=1.0)
        alone = [
            [ratio_interval(*(column[rows] for column in terms), largest=1.0) for rows in groups] for terms in measures
        ]
        assert repr(grouped) == repr(alone)  # NaN equals NaN
