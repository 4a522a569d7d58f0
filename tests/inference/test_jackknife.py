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
        oracles_intervals.of_ratio(*oracles_intervals.side(observed, expected)),
    )
    assert (interval.low, interval.high) == pytest.approx((1 - oracle.high, 1 - oracle.low), abs=1e-10)
    assert interval.rests_on == pytest.approx(oracle.rests_on)
    assert interval.low < 1 - observed.sum() / expected.sum() < interval.high <= 1


@pytest.mark.parametrize("n", [3, 8, 30])
def test_the_interval_of_a_difference_is_the_definition(n):
    first, second = sums(1, n), sums(2, n)
    interval = difference_interval(parts(*first), parts(*second), ANYTHING)
    oracle = oracles_intervals.of_difference(*(oracles_intervals.side(*column) for column in (first, second)))
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
    oracle = oracles_intervals.of_ratio(observed, added, observed.sum() - observed, without)
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
    alone = ratio_interval(observed, expected, everywhere(observed))
    for name in ("low", "high", "error", "rests_on"):
        assert getattr(interval, name) == pytest.approx(getattr(alone, name))
    assert interval.basis.documents == 6


def independent_sides(first, second):
    """Return the parts of two samples over the documents of both, each with nothing in those of the other."""
    before, after = (len(column[0]) for column in (first, second))
    return [
        parts(*(np.concatenate([column, np.zeros(after)]) for column in first)),
        parts(*(np.concatenate([np.zeros(before), column]) for column in second)),
    ]


@pytest.mark.parametrize("sizes", [(40, 40), (5, 20)])
def test_two_independent_samples_have_the_degrees_of_freedom_of_welch(sizes):
    first, second = sums(6, sizes[0]), sums(7, sizes[1])
    interval = difference_intervals(*independent_sides(first, second), shared="none").as_list()[0]
    oracle = oracles_intervals.of_independent(*(oracles_intervals.side(*column) for column in (first, second)))
    assert (interval.low, interval.high, interval.error, interval.rests_on) == pytest.approx(oracle)
    single = [ratio_interval(*side, everywhere(side[0])) for side in (first, second)]
    assert min(one.rests_on for one in single) < interval.rests_on < sum(sizes)


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
    few_runs = ratio_intervals(parts(np.array([0.3, 0.2, 0, 0, 0]), np.ones(5))).as_list("runs of documents")[0]
    assert few_runs.missing == "fewer than three runs of documents with disagreement"
    held = ratio_intervals(parts(OBSERVED, np.array([0, 0, 0, 0, 1.0]))).as_list("units")[0]
    assert held.missing == "without one of the units no disagreement is expected by chance"
    assert ratio_intervals(parts(*sums(1, 4))).as_list("units")[0].note == "rests on few units"


def test_planned_corpus_has_the_interval_of_repeated_documents():
    observed, expected = sums(8, 9)
    tiled = ratio_interval(np.tile(observed, 4), np.tile(expected, 4), everywhere(np.tile(observed, 4)))
    columns = observed[None, :], expected[None, :], everywhere(observed)[None, :]
    planned = ratio_intervals(Parts.of_sums(*columns, 4.0))
    assert (1 - planned.high[0], 1 - planned.low[0]) == pytest.approx((tiled.low, tiled.high))
    assert planned.rests_on[0] == pytest.approx(tiled.rests_on)


def test_both_independent_samples_need_documents_with_disagreement():
    sides = independent_sides(sums(1, 6), (np.array([0.3, 0.2, 0, 0, 0, 0]), np.ones(6)))
    assert difference_intervals(*sides).missing == [None]
    assert difference_intervals(*sides, shared="none").missing == [FEW_DOCUMENTS]


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
        ([1.0] * 8, None),
        ([40.0] * 3 + [1.0] * 27, "rests on about 4 of 30 documents"),
        ([1.0] * 4, "rests on few documents"),
        ([1.0] * 3, "rests on few documents"),
    ],
)
def test_an_interval_that_rests_on_few_documents_has_a_note(sizes, note):
    expected = np.array(sizes)
    observed = expected * np.resize([0.2, 0.3, 0.25, 0.35, 0.15], len(expected))
    interval = ratio_interval(observed, expected, everywhere(observed), names=[*map(str, range(len(expected)))])
    assert interval.note == note
    assert (interval.note is None) == (interval.rests_on >= len(expected) / 2 and len(expected) > 4)


def test_the_note_names_the_document_that_holds_more_than_half_of_the_variance():
    observed, expected = np.array([0.1, 0.12, 0.9, *[0.11, 0.09, 0.1] * 3]), np.ones(12)
    names = [f"d{number}" for number in range(12)]
    interval = ratio_interval(observed, expected, everywhere(observed), names=names)
    assert f"of 12 documents; without d2 it is {1 - (observed.sum() - 0.9) / 11:.2f}" in interval.note
    rate = interval.one_minus()  # of a rate of errors
    assert f"without d2 it is {(observed.sum() - 0.9) / 11:.2f}" in rate.note
    assert "without" not in ratio_interval(observed, expected, everywhere(observed)).note  # documents without names
    two = observed + np.eye(12)[3] * 0.8  # two documents with as much variance each
    assert "without" not in str(ratio_interval(two, expected, everywhere(two), names=names).note)


def test_the_note_of_a_difference_names_the_document_without_which_it_is_another():
    expected = np.ones(12)
    first, second = np.linspace(0.3, 0.4, 12), np.linspace(0.5, 0.45, 12)
    second[4] = 2.0
    sides = parts(first, expected), parts(second, expected)
    interval = difference_interval(*sides, ANYTHING, names=[f"d{number}" for number in range(12)])
    kept = np.delete(np.arange(12), 4)
    assert interval.note.endswith(f"without d4 it is {second[kept].mean() - first[kept].mean():.2f}")


def test_values_print_the_note_of_their_interval():
    value = ga.Value(0.5, 0.4, 0.6, rests_on=4.2, interval_note="rests on about 4 of 20 documents")
    assert str(value) == "0.5000 [0.4000, 0.6000] (rests on about 4 of 20 documents)"
    assert value.to_dict()["rests_on"] == 4.2


def test_groups_of_documents_have_the_intervals_that_each_has_alone(monkeypatch):
    observed, expected = sums(8, 40)
    observed[3] = 30.0  # it decides in all of its groups
    agreeing, names = everywhere(observed), [f"d{number}" for number in range(40)]
    rng = np.random.default_rng(5)
    groups = [np.sort(rng.choice(40, size, replace=False)) for size in (1, 5, 5, 12, 1, 40, 5)]
    measures = [(observed, expected, agreeing), (observed / 3, expected, agreeing), (observed, 2 * expected, ~agreeing)]
    columns = [np.array(column) for column in zip(*measures, strict=True)]
    for max_terms in (1 << 18, 70):  # all measures together, or one or two at a time
        monkeypatch.setattr(jackknife, "_MAX_TERMS", max_terms)
        grouped = grouped_ratio_intervals(*columns, RowGroups(groups, names), largest=1.0)
        alone = [
            [
                ratio_interval(*(column[rows] for column in terms), largest=1.0, names=[names[row] for row in rows])
                for rows in groups
            ]
            for terms in measures
        ]
        assert repr(grouped) == repr(alone)  # NaN equals NaN
    assert "without d3 it is" in grouped[0][5].note


# --------------------------------------------------------------------------------------------- laws and stability


def drawn_corpora(kind, n, count=150):
    """Return observed and expected disagreement of drawn corpora, shape (count, n) each: sizes by kind, some without
    disagreement, and one document in ten bad.
    """
    draw = np.random.default_rng((n, len(kind)))
    shape = count, n
    expected = {
        "gamma": lambda: draw.gamma(2.0, size=shape) + 0.05,
        "lognormal": lambda: draw.lognormal(0.0, 1.0, size=shape),
        "pareto": lambda: draw.pareto(1.5, size=shape) + 1.0,
    }[kind]()
    rate = draw.beta(2.0, 5.0, size=shape)
    rate[draw.random(shape) < 0.2] = 0.0
    rate[draw.random(shape) < 0.1] = 1.2
    return expected * rate, expected


def limits(observed, expected, times=1.0):
    """Return the limits and N of corpora, NaN if no interval is given."""
    intervals = ratio_intervals(Parts.of_sums(observed, expected, np.ones(observed.shape, dtype=bool), times))
    none = np.array([reason is not None for reason in intervals.missing])
    return [np.where(none, np.nan, column) for column in (intervals.low, intervals.high, intervals.rests_on)]


CORPORA = [(kind, n) for kind in ("gamma", "lognormal", "pareto") for n in (3, 5, 8, 20, 60)]
"""15 · 150: more than two thousand corpora."""


@pytest.mark.parametrize(("kind", "n"), CORPORA)
def test_no_bound_swings_if_expected_disagreement_changes_a_little(kind, n):
    observed, expected = drawn_corpora(kind, n)
    _, high, _ = limits(observed, expected)
    squares_of_high, squares_of_ratio = np.zeros((2, len(high)))
    step = 1e-4
    for document in range(n):
        changed = expected.copy()
        changed[:, document] *= 1 + step
        _, changed_high, _ = limits(observed, changed)
        squares_of_high += np.square(np.log(changed_high / high) / step)
        squares_of_ratio += np.square(np.log(changed.sum(axis=1) / expected.sum(axis=1)) / step)
    condition = np.sqrt(squares_of_high / squares_of_ratio)
    given = np.isfinite(condition)
    assert given.mean() > 0.2
    assert condition[given].max() <= 12


@pytest.mark.parametrize(("kind", "n"), CORPORA)
def test_the_value_without_any_one_document_lies_inside_the_interval(kind, n):
    observed, expected = drawn_corpora(kind, n)
    low, high, rests_on = limits(observed, expected)
    given = np.isfinite(low)
    observed, expected, low, high, rests_on = (row[given] for row in (observed, expected, low, high, rests_on))
    ratio = observed.sum(axis=1) / expected.sum(axis=1)
    without = (observed.sum(axis=1)[:, None] - observed) / (expected.sum(axis=1)[:, None] - expected)
    assert ((low[:, None] <= without) & (without <= high[:, None])).all()
    assert ((low < ratio) & (ratio < high)).all()
    assert ((rests_on >= 2) & (rests_on <= n)).all()


@pytest.mark.parametrize("n", [3, 8, 30])
def test_limits_are_divided_by_a_factor_of_all_expected_disagreement(n):
    observed, expected = drawn_corpora("lognormal", n)
    low, high, rests_on = limits(observed, expected)
    scaled = limits(observed, expected * 7.3)
    assert scaled[0] * 7.3 == pytest.approx(low, nan_ok=True)
    assert scaled[1] * 7.3 == pytest.approx(high, nan_ok=True)
    assert scaled[2] == pytest.approx(rests_on, nan_ok=True)
    same = limits(observed * 1000.0, expected * 1000.0)  # another unit of length
    assert np.array(same) == pytest.approx(np.array([low, high, rests_on]), nan_ok=True)


@pytest.mark.parametrize("n", [3, 8, 30])
def test_the_order_of_documents_changes_nothing(n):
    observed, expected = drawn_corpora("pareto", n)
    order = np.random.default_rng(n).permutation(n)
    reordered = limits(observed[:, order], expected[:, order])
    assert np.array(reordered) == pytest.approx(np.array(limits(observed, expected)), nan_ok=True, rel=1e-9)


@pytest.mark.parametrize("n", [5, 12, 30])
def test_no_bound_moves_much_more_than_the_document_that_grows(n):
    draw, growing = np.random.default_rng(n), np.linspace(0.3, 3.3, 3001)
    rate = np.tile(draw.uniform(0.25, 0.35, size=n), (len(growing), 1))
    rate[:, 0] = growing
    expected = np.tile(draw.gamma(2.0, size=n) + 0.1, (len(growing), 1))
    low, high, _ = limits(rate * expected, expected)
    for bound in (low, high):
        assert np.isfinite(bound).all()
        assert np.abs(np.diff(bound)).max() <= 10 * np.diff(growing).max()
