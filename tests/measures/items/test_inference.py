"""Errors, intervals, tests and bootstraps of coefficients on items, against the same done slowly."""

import math
from dataclasses import replace

import numpy as np
import oracles_items as naive
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import gamma_align as ga
from gamma_align import distances
from gamma_align.errors import SettingsError
from gamma_align.inference.uncertainty import Uncertainty
from gamma_align.measures.items import replicates as resampling
from gamma_align.measures.items.core import TableCoefficient
from gamma_align.measures.items.intervals import IntervalSettings, uncertainty_of
from gamma_align.measures.items.items_options import METHODS, SCALES
from gamma_align.measures.items.items_result import WARNING, word
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.replicates import (
    Engine,
    bootstrap_values,
    hayes_krippendorff,
    influences,
    leave_one_out,
)
from gamma_align.measures.items.spec import ERROR_REASONS, SPECS, spec_of
from gamma_align.measures.items.two_coders import kappa_errors

LABELS = (1.0, 2.0, 4.0)
NAMES = ("s", "pi", "kappa", "kappa-conger", "kappa-mean", "alpha", "ac1", "observed", "pabak")

rows_of_numbers = st.integers(2, 4).flatmap(
    lambda coders: st.lists(
        st.lists(st.sampled_from((*LABELS, LABELS[0], None)), min_size=coders, max_size=coders), min_size=3, max_size=9
    )
)


def table_of(rows):
    return ga.ItemTable.from_matrix(rows, categories=LABELS)


def make_table(items=60, coders=4, seed=0):
    draw = np.random.default_rng(seed)
    true = draw.choice(LABELS, size=items)
    rows = np.where(draw.random((items, coders)) < 0.6, true[:, None], draw.choice(LABELS, size=(items, coders)))
    rows[draw.random(rows.shape) < 0.15] = np.nan
    return table_of(rows)


def make_coefficient(table, name, distance="nominal", missing=None):
    spec = spec_of(name)
    missing = missing or spec.missing.replace("RM", "IL")
    return TableCoefficient.of(ItemRows.of(table), spec, distances.as_distance(distance), missing)


def without(table, item):
    return replace(table, codes=np.delete(table.codes, item, axis=0), names=None)


# --------------------------------------------------------------------------------- leave one item out


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("distance", ["nominal", "interval", "linear", "ordinal"])
@given(rows=rows_of_numbers)
@settings(max_examples=15)
def test_leave_one_out_values_equal_those_of_smaller_tables(rows, name, distance):
    table = table_of(rows)
    coefficient = make_coefficient(table, name, distance)
    assume(coefficient.evaluate()[3] is None)
    actual = leave_one_out(coefficient)
    rows = coefficient.patterns.rows.tolist()
    by_pattern = {tuple(row): value for row, value in zip(rows, actual.tolist(), strict=True)}
    for item, row in enumerate(table.codes.tolist()):
        if tuple(row) in by_pattern:
            expected = make_coefficient(without(table, item), name, distance).evaluate()[0]
            assert by_pattern[tuple(row)] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("missing", ["IL", "VL", "PL", "RM"])
def test_the_jackknife_equals_its_formula(name, missing):
    table = make_table()
    coefficient = make_coefficient(table, name, missing="IL" if name == "kappa-mean" else missing)
    min_judgments = {"alpha": 2}.get(name, 1) if missing != "RM" or name == "kappa-mean" else len(table.coders)
    used = np.flatnonzero(table.judgments >= min_judgments)
    options = {"missing": coefficient.missing} if name != "kappa-mean" else {}
    values = np.array(
        [ga.item_coefficient(without(table, item), name, interval=None, **options).value for item in used]
    )
    count = len(used)
    expected = math.sqrt((count - 1) / count * ((values - values.mean()) ** 2).sum())
    actual = ga.item_coefficient(table, name, **options)
    assert actual.items == count
    assert actual.error == pytest.approx(expected, abs=1e-10)
    lowest = 0.0 if name == "observed" else -1.0
    pairs = actual.pairable
    interval = naive.score_interval(actual.value, expected, pairs, stats.t.ppf(0.975, pairs - 1), lowest)
    assert (actual.low, actual.high) == pytest.approx(interval)
    linearised = ga.item_coefficient(table, name, **options, interval="linearised")
    margin = stats.t.ppf(0.975, count - 1) * linearised.error
    bounds = linearised.value - margin, min(linearised.value + margin, 1.0)
    assert (linearised.low, linearised.high) == pytest.approx(bounds)


@pytest.mark.parametrize("distance", ["nominal", "interval", "ordinal", "linear"])
@pytest.mark.parametrize("name", NAMES)
def test_width_is_the_number_of_values_in_the_sums_of_an_item(name, distance):
    engine = Engine(make_coefficient(make_table(), name, distance))
    size = sum(field[0].size for sums in engine.sums(slice(0, 1)) for field in sums)
    if name == "kappa-mean":  # each pair has two coders, and is counted with all of them
        assert size < engine.width < 2 * size
    else:
        assert engine.width == size


def test_replicates_do_not_depend_on_parts_or_recomputation(monkeypatch):
    table = make_table()
    expected = {name: leave_one_out(make_coefficient(table, name, "interval")) for name in NAMES}
    drawn = {name: bootstrap_values(make_coefficient(table, name, "interval"), seed=3, replicates=7) for name in NAMES}
    slopes = {name: influences(make_coefficient(table, name, "interval")) for name in NAMES}
    monkeypatch.setattr(resampling, "_MAX_CELLS", 500)
    for name in NAMES:
        assert leave_one_out(make_coefficient(table, name, "interval")) == pytest.approx(expected[name], abs=1e-12)
        assert bootstrap_values(make_coefficient(table, name, "interval"), seed=3, replicates=7) == pytest.approx(
            drawn[name], abs=1e-12
        )
        assert influences(make_coefficient(table, name, "interval")) == pytest.approx(slopes[name], abs=1e-9)
    monkeypatch.setattr(resampling, "_MAX_SUMS", 0)
    for name in NAMES:
        assert not Engine(make_coefficient(table, name)).is_feasible
        assert leave_one_out(make_coefficient(table, name, "interval")) == pytest.approx(expected[name], abs=1e-9)
    monkeypatch.setattr(resampling, "_MAX_CELLS_MEASURED_AGAIN", 0)
    for method in ("jackknife", "linearised", "bootstrap"):
        actual = ga.krippendorff_alpha(table, interval=method)
        assert actual.uncertainty.reason == "too many items and categories to resample with this distance"
        assert actual.is_available


def test_many_values_are_resampled_by_their_moments():
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(500, 1)) + draw.normal(scale=0.5, size=(500, 2))
    table = ga.ItemTable.from_matrix(rows)
    actual = ga.krippendorff_alpha(table, distance="interval")
    coefficient = make_coefficient(table, "alpha", "interval")
    assert Engine(coefficient).is_feasible
    expected = [
        make_coefficient(without(table, item), "alpha", "interval").evaluate()[0] for item in range(0, 500, 100)
    ]
    pattern = {tuple(row): index for index, row in enumerate(coefficient.patterns.rows.tolist())}
    values = leave_one_out(coefficient)
    patterns = [pattern[tuple(table.codes[item].tolist())] for item in range(0, 500, 100)]
    assert values[patterns] == pytest.approx(expected, abs=1e-10)
    assert actual.low < actual.value < actual.high
    ordinal = ga.krippendorff_alpha(table, distance="ordinal")
    assert ordinal.error == pytest.approx(actual.error, rel=0.5)


# --------------------------------------------------------------------------------------- derivatives


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("distance", ["nominal", "interval", "ordinal"])
def test_influences_are_derivatives_with_respect_to_the_weight_of_an_item(name, distance):
    coefficient = make_coefficient(make_table(), name, distance)
    if (name, distance) == ("kappa-mean", "ordinal"):
        actual = ga.item_coefficient(make_table(), name, distance=distance, interval="linearised")
        assert actual.uncertainty.reason == "this method is not defined for this coefficient"
        return
    actual = influences(coefficient)
    count, step = coefficient.items, 1e-6
    for at in range(0, len(actual), 7):
        moved = []
        for sign in (1, -1):
            times = coefficient.patterns.times * (1 - sign * step)
            times[at] += sign * step * count
            moved.append(coefficient.with_times(times).evaluate()[0])
        assert actual[at] == pytest.approx((moved[0] - moved[1]) / (2 * step), abs=1e-6)


# ----------------------------------------------------------------------------------------- bootstraps


def test_a_bootstrap_draws_items_with_replacement():
    table = make_table(items=12)
    coefficient = make_coefficient(table, "alpha", "ordinal")
    times = coefficient.patterns.times
    count = int(times.sum())
    seed = np.random.SeedSequence(entropy=9, spawn_key=(0x17E5,))
    draws = np.random.Generator(np.random.PCG64(seed)).multinomial(count, times / count, size=50)
    expected = [coefficient.with_times(row.astype(float)).evaluate()[0] for row in draws]
    assert draws.sum(axis=1).tolist() == [count] * 50
    assert bootstrap_values(coefficient, seed=9, replicates=50) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_the_interval_of_a_bootstrap_depends_only_on_the_seed():
    table = make_table()
    one, two, three = (ga.item_coefficient(table, "pi", interval="bootstrap", seed=seed) for seed in (1, 1, 2))
    assert (one.low, one.high) == (two.low, two.high) != (three.low, three.high)
    assert one.error == pytest.approx(ga.item_coefficient(table, "pi").error, rel=0.2)


def test_the_pair_bootstrap_is_too_narrow_with_a_note():
    draw = np.random.default_rng(4)
    true = draw.integers(0, 4, size=80)
    rows = np.where(draw.random((80, 8)) < 0.7, true[:, None], draw.integers(0, 4, size=(80, 8)))
    table = ga.ItemTable.from_matrix(rows)
    items, pairs = (ga.krippendorff_alpha(table, interval=method) for method in ("bootstrap", "pairs"))
    assert pairs.high - pairs.low < 0.6 * (items.high - items.low)
    notes = ga.item_agreement(table, coefficients=["alpha"], interval="pairs").notes
    assert any("it is too narrow" in note for note in notes)
    assert not any("it is too narrow" in note for note in ga.item_agreement(table, coefficients=["alpha"]).notes)
    assert (
        ga.item_coefficient(table, "pi", interval="pairs").uncertainty.reason
        == "this method is not defined for this coefficient"
    )


def test_the_pair_bootstrap_corrects_replicates_of_1():
    # With one category on the diagonal, α = 1 becomes 0.
    table = ga.ItemTable.from_matrix([[1, 1]] * 40 + [[1, 2]])
    values = hayes_krippendorff(make_coefficient(table, "alpha"), seed=0, replicates=2000)
    assert not (values == 1).any()
    assert (values == 0).sum() > 500
    # With two, the expected number of replicates with pairs of only one category becomes 0.
    table = ga.ItemTable.from_matrix([[1, 1]] * 3 + [[2, 2]] * 3)
    values = hayes_krippendorff(make_coefficient(table, "alpha"), seed=0, replicates=2000)
    assert (values == 0).sum() == round(2000 * 2 * 0.5**6)
    assert ((values == 0) | (values == 1)).all()


# ------------------------------------------------------------------------------------ the score interval


def test_the_interval_of_complete_agreement_narrows_with_the_number_of_items():
    lows = []
    for items in (5, 50, 500):
        actual = ga.krippendorff_alpha(
            table_of([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [1.0, 1.0], [2.0, 2.0]] * (items // 5))
        )
        assert (actual.value, actual.high, actual.error) == (1.0, 1.0, 0.0)
        lows.append(actual.low)
    # like the "rule of three": of n items without disagreement, up to about 3/n may disagree
    assert lows[0] < 0.2
    assert 0.8 < lows[1] < 0.9
    assert 1 - 8 / 500 < lows[2] < 1 - 3 / 500


@pytest.mark.parametrize("method", ["linearised", "bootstrap", "fce", "pairs"])
def test_published_intervals_need_two_items_in_disagreement(method):
    name = "kappa" if method == "fce" else "alpha"
    for cells in ([[5, 0], [0, 5]], [[5, 1], [0, 4]]):
        table = ga.ItemTable.from_contingency(cells, ["x", "y"])
        actual = ga.item_coefficient(table, name, interval=method)
        assert actual.uncertainty.reason == "fewer than two items disagree: this kind of interval needs them"
        assert math.isnan(actual.low)
        assert ga.item_coefficient(table, name).low < actual.value
    two = ga.ItemTable.from_contingency([[5, 1], [1, 4]], ["x", "y"])
    assert ga.item_coefficient(two, name, interval=method).low < 1


# ------------------------------------------------------------------------------- in closed form


def test_the_large_sample_error_of_kappa_converges_to_the_linearised_one():
    # Fleiss, Cohen & Everitt is the delta method with n for n - 1
    table = ga.ItemTable.from_contingency([[46, 4, 1], [6, 32, 6], [2, 5, 10]], ["a", "b", "c"])
    for distance in ("nominal", distances.Linear(by="position")):
        closed, general = (
            ga.item_coefficient(table, "kappa", distance=distance, interval=m) for m in ("fce", "linearised")
        )
        assert closed.error == pytest.approx(general.error * math.sqrt(1 - 1 / len(table)), rel=1e-9)
        assert math.isinf(closed.uncertainty.freedom)


def test_the_null_error_of_kappa_is_correct_for_a_known_table():
    # under independence and even margins of two categories κ = 0 has variance 1/n
    error, null = kappa_errors(np.full((2, 2), 25.0), np.eye(2))
    assert null == pytest.approx(math.sqrt(1 / 100))
    assert error == pytest.approx(math.sqrt(1 / 100))


def test_the_error_of_pi_equals_bloch_and_kraemer():
    cells = np.array([[31, 9], [7, 53]])  # B.4 of the collected values: statpsych's example has .0748 at π .6737
    table = ga.ItemTable.from_contingency(cells, ["x", "y"])
    pi = ga.item_coefficient(table, "pi", interval="linearised")
    assert naive.pi_error(cells.astype(float)) == pytest.approx(pi.error * math.sqrt(99 / 100), rel=0.02)
    assert math.isnan(naive.pi_error(np.array([[10.0, 0.0], [0.0, 0.0]])))


@pytest.mark.parametrize(("name", "coders"), [("pi", 2), ("kappa", 3)])
def test_large_sample_errors_are_defined_only_for_kappa_of_two_coders(name, coders):
    rows = np.random.default_rng(0).choice(LABELS, size=(20, coders))
    actual = ga.item_coefficient(table_of(rows), name, interval="fce")
    assert actual.is_available
    assert actual.uncertainty.reason == "this method is not defined for this coefficient"


def test_large_sample_errors_need_complete_pairs():
    table = table_of([[1.0, 1.0], [2.0, 2.0], [1.0, 2.0], [2.0, 4.0], [4.0, None]])
    assert ga.item_coefficient(table, "kappa", interval="fce").uncertainty.reason is not None
    assert ga.item_coefficient(table, "kappa", interval="fce", missing="RM").error > 0


# -------------------------------------------------------------------------------------------- tests


@pytest.mark.parametrize("method", ["jackknife", "linearised"])
def test_p_values_agree_with_intervals(method):
    actual = ga.krippendorff_alpha(make_table(), interval=method)
    freedom, error = actual.pairable - 1, actual.error
    for threshold in (0.0, 0.2, 0.8):
        if method == "jackknife":
            error = math.sqrt(actual.uncertainty.score.dispersion * (1 - threshold**2) / actual.items)
        t = (actual.value - threshold) / error
        assert actual.p_value(threshold) == pytest.approx(2 * stats.t.sf(abs(t), freedom))
        assert actual.probability_below(threshold) == pytest.approx(stats.t.cdf(-t, freedom))
    inside = [actual.p_value(threshold) for threshold in (actual.low + 1e-9, actual.low - 1e-9)]
    assert inside[0] > 0.05 > inside[1]


def test_p_values_of_a_bootstrap_count_replicates():
    actual = Uncertainty(error=0.1, sample=np.array([0.1, 0.2, 0.3, 0.4]))
    assert actual.probability_below(0.25, 0.3) == 0.5
    assert actual.p_value(0.25, 0.0) == pytest.approx(2 / 5)
    assert actual.p_value(0.25, 0.25) == 1.0


def test_complete_agreement_is_stronger_evidence_with_more_items():
    few, many = (ga.krippendorff_alpha(table_of([[1.0, 1.0], [2.0, 2.0]] * times)) for times in (2, 20))
    assert few.p_value(0.0) > 0.05
    assert many.p_value(0.0) < 1e-6
    assert few.p_value(1.0) == many.p_value(1.0) == 1.0
    assert few.probability_below(0.8) > 0.2
    assert many.probability_below(0.8) < 0.03
    assert few.p_value(-1.0) == 0.0  # coders who never agree cannot agree


REASONS = {
    "one item: no spread to estimate an error from": [[1.0, 2.0]],
    "without some single item there is no variation left": [[1.0, 1.0], [1.0, 1.0], [1.0, 2.0]],
}


@pytest.mark.parametrize("reason", REASONS)
def test_an_error_that_is_not_available_has_a_reason(reason):
    actual = ga.krippendorff_alpha(table_of(REASONS[reason]))
    assert actual.is_available
    assert math.isnan(actual.error)
    assert actual.uncertainty.reason == reason
    assert reason in ERROR_REASONS
    assert math.isnan(actual.p_value())
    assert math.isnan(actual.probability_below(0.5))


def test_one_item_with_two_judgments_has_no_error():
    for method in METHODS:
        actual = ga.item_coefficient(table_of([[1.0, 2.0], *[[1.0, None]] * 5, [None, 4.0]]), "pi", interval=method)
        assert actual.uncertainty.reason == "one item: no spread to estimate an error from"


def test_a_bootstrap_excludes_replicates_without_variation():
    actual = ga.krippendorff_alpha(table_of([[1.0, 1.0], [1.0, 1.0], [1.0, 2.0], [2.0, 1.0]]), interval="bootstrap")
    assert 0 < len(actual.uncertainty.sample) < 1000
    assert np.isfinite(actual.uncertainty.sample).all()


def test_a_higher_level_widens_the_interval():
    table = make_table()
    for method in ("jackknife", "linearised", "bootstrap", "pairs"):
        narrow, wide = (ga.krippendorff_alpha(table, interval=method, level=level) for level in (0.8, 0.99))
        assert wide.low < narrow.low < narrow.high < wide.high


def test_nothing_is_resampled_without_an_interval(monkeypatch):
    monkeypatch.setattr("gamma_align.measures.items.intervals.leave_one_out", None)
    coefficient = make_coefficient(make_table(), "pi")
    assert math.isnan(uncertainty_of(coefficient, 0.5, IntervalSettings(None)).error)
    assert ga.item_coefficient(make_table(), "pi", interval=None).interval is None


@pytest.mark.parametrize("method", METHODS)
def test_an_interval_contains_the_value_and_ends_at_1(method):
    table = ga.ItemTable.from_contingency([[40, 3], [2, 55]], ["x", "y"])
    for name in SPECS:
        actual = ga.item_coefficient(table, name, interval=method)
        if actual.uncertainty.reason is None:
            assert actual.low <= actual.value <= actual.high <= 1.0


@pytest.mark.parametrize("name", ["pi", "kappa", "alpha", "ac1", "s"])
def test_intervals_over_items_cover_their_level(name):
    # coders give the true category with probability .7, else any of three; the truth is from a table of 60,000
    draw = np.random.default_rng(11)

    def table(items):
        true = draw.integers(0, 3, size=items)
        rows = np.where(draw.random((items, 3)) < 0.7, true[:, None], draw.integers(0, 3, size=(items, 3)))
        return ga.ItemTable.from_matrix(rows.astype(float), categories=[0, 1, 2])

    truth = ga.item_coefficient(table(60_000), name, interval=None).value
    actual = [ga.item_coefficient(table(50), name) for _ in range(300)]
    share = np.mean([one.low <= truth <= one.high for one in actual])
    assert 0.91 < share < 0.985


# ------------------------------------------------------------------------------------------- scales


def test_scales_have_words_for_all_values():
    expected = {
        "landis-koch": ["poor", "slight", "fair", "moderate", "substantial", "almost perfect"],
        "krippendorff": ["not reliable"] * 4 + ["tentative conclusions", "reliable"],
        "green": ["low", "low", "low", "fair to good", "fair to good", "high"],
    }
    assert set(expected) == set(SCALES)
    for scale, words in expected.items():
        assert [word(value, scale) for value in (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9)] == words
        assert word(math.nan, scale) == ""
    assert word(0.8, "krippendorff") == "reliable"
    assert "no single threshold" in WARNING
    with pytest.raises(SettingsError, match="scale must be one of"):
        word(0.5, "nasa")
