"""Edges of distances that only rare data reach: no values at all, rounding, parameters without a limit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import gamma_align as ga
from gamma_align import distances as ds
from gamma_align.distances.forms import form_of
from gamma_align.distances.metric import mid_ranks
from gamma_align.errors import InputError, SettingsError

DISTANCES = [
    ds.Nominal(),
    ds.Interval(),
    ds.Ratio(),
    ds.Ordinal(),
    ds.Circular(7),
    ds.Callable(lambda a, b: float(a != b)),
]


def test_ranks_of_no_values_are_empty():
    assert mid_ranks(np.zeros(0), np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval", "ratio"])
def test_a_corpus_without_units_has_no_value_but_a_reason(distance):
    corpus = ga.Corpus.from_records([], annotations=[("d", "ann"), ("d", "bob")], extents={"d": (0, 9)})
    result = ga.unitizing_alpha(corpus, distance=distance)
    assert {value.reason for value in (result.u, result.bar_u, result.cu)} == {"no units"}


@pytest.mark.parametrize("distance", [*DISTANCES, ds.Matrix("ab", [[0, 1], [1, 0]])], ids=lambda one: one.name)
def test_a_distance_cannot_be_changed_once_it_is_checked(distance):
    for field in dataclasses.fields(distance):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(distance, field.name, None)


@pytest.mark.parametrize("n_daughters", range(2, 60))
def test_rounding_makes_no_distance_negative(n_daughters):
    """A node with one daughter shares all leaves with it; their masses may add up to a little more than 1."""
    leaves = [f"leaf {number}" for number in range(n_daughters)]
    table = ds.MelamedResnik({"root": ["only daughter"], "only daughter": leaves}).matrix(["root", "only daughter"])
    assert 0.0 <= table[0, 1] < 1e-12


@pytest.mark.parametrize("period", [float("inf"), float("nan"), -1.0])
def test_a_period_must_be_a_length(period):
    with pytest.raises(SettingsError, match="period of a circular distance must be above 0"):
        ds.Circular(period)


def test_of_several_wrong_entries_the_first_is_named():
    with pytest.raises(SettingsError, match=r"d\('a', 'b'\) is -1, but"):
        ds.Matrix("abc", [[0, -1, -2], [-1, 0, -3], [-2, -3, 0]])
    with pytest.raises(InputError, match=r"d\('1', '2'\) is -1, but"):
        ds.Callable(lambda first, second: -abs(float(first) - float(second))).matrix(["1", "2", "5"])


@pytest.mark.parametrize("distance", DISTANCES, ids=lambda one: one.name)
def test_an_item_without_judgments_has_no_disagreement(distance):
    form = form_of(distance, ["1", "2", "4"], np.ones(3))
    rows = np.array([[-1, -1, -1], [0, -1, -1], [0, 2, -1]])
    none, one, two = form.disagreements(rows).tolist()
    assert (none, one) == (0.0, 0.0)
    assert two > 0
