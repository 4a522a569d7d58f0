"""Conceptions of missing values (Mathet 2017, table 2): what they predict of complete data."""

import math

import pytest
from missing_values import KINDS, Settings, missing_values

from gamma_align.errors import SettingsError


def small(**changes):
    return missing_values(Settings(**{"items": 40, "repetitions": 60, **changes}))


def test_the_experiment_is_a_seed_s():
    assert small(seed=4) == small(seed=4)
    assert small(seed=4).outcomes != small(seed=5).outcomes


def test_nothing_removed_is_no_error_and_removal_is_the_worst():
    result = small(shares=(0.0, 0.3))
    for one in result.outcomes:
        if one.share == 0.0:
            assert (one.bias, one.error) == pytest.approx((0.0, 0.0), abs=1e-15)
    by_name = {(one.kind, one.conception): one.error for one in result.outcomes if one.share == 0.3}
    for kind in KINDS:
        assert by_name[kind, "RM"] > 1.5 * by_name[kind, "IL"] > 0
        assert result.best(kind, 0.3) in ("IL", "VL")


def test_values_that_weigh_the_same_are_best_over_all_shares():
    result = missing_values(Settings(repetitions=300))
    for kind in KINDS:
        total = {
            name: sum(one.error for one in result.outcomes if (one.kind, one.conception) == (kind, name))
            for name in ("IL", "VL", "PL")
        }
        assert min(total, key=total.get) == "VL"
        assert all(abs(one.bias) < 0.01 for one in result.outcomes if one.conception != "RM" and one.kind == kind)


def test_complete_tables_disagree_as_their_model_says():
    # two judgments differ unless both are the reference, or one is and the other guesses it, or both guess the same
    wrong = 0.5**2
    agree = (1 - wrong) ** 2 + (2 * wrong * (1 - wrong) + wrong**2) / 4
    result = missing_values(Settings(repetitions=400, shares=()))
    assert result.disagreement["alike"] == pytest.approx(1 - agree, abs=0.01)


def test_nothing_left_is_not_available():
    result = small(items=2, shares=(0.95,))
    assert {one.available for one in result.outcomes} == {0}
    assert math.isnan(result.outcomes[0].error)
    assert result.to_dict()["outcomes"][0]["error"] is None


@pytest.mark.parametrize("settings", [{"magnitude": 2.0}, {"coders": 1}, {"shares": (1.0,)}, {"repetitions": 0}])
def test_experiments_out_of_range_are_refused(settings):
    with pytest.raises(SettingsError):
        Settings(**settings)
