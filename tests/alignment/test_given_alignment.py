"""Given alignments have the disorder of the definition, and invalid ones are refused."""

import json
import math

import numpy as np
import oracles
import pytest
import strategies as sts
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.errors import InputError

THREE = ga.Continuum.from_records(
    [("a", 0, 5, "x"), ("a", 6, 9, "y"), ("b", 1, 5, "x"), ("b", 6, 8, "x"), ("c", 20, 22, None)]
)


def named(continuum):
    """Return (annotator, i) of each unit, in the order of the continuum."""
    counts = {}
    names = []
    for unit in continuum.units():
        names.append((unit.annotator, counts.get(unit.annotator, 0)))
        counts[unit.annotator] = names[-1][1] + 1
    return names


@given(case=sts.cases(), weights=sts.settings_of_weights(), seed=st.integers(0, 1000))
def test_the_disorder_of_a_given_alignment_equals_the_definition(case, weights, seed):
    continuum = sts.continuum_of(case)
    units, n = oracles.units_of(continuum), case[1]
    draw = np.random.default_rng(seed)
    groups: list[list[int]] = []
    for index in draw.permutation(len(units)).tolist():
        fits = [
            group
            for group in groups
            if all(
                units[other][0] != units[index][0]
                and math.isfinite(oracles.positional_definition(units[other], units[index]))
                for other in group
            )
        ]
        if fits and draw.random() < 0.7:
            fits[0].append(index)
        else:
            groups.append([index])
    names = named(continuum)
    members = [[names[index] for index in group] for group in groups if len(group) > 1 or draw.random() < 0.5]
    options = {"alpha": weights.alpha, "beta": weights.beta, "delta_empty": weights.delta_empty}
    alignment = ga.given_alignment(continuum, members, **options)
    assert sorted(map(sorted, oracles.groups_of(alignment))) == sorted(map(sorted, groups))
    if not units:
        assert math.isnan(alignment.disorder)
        return
    expected = oracles.disorder_definition(units, n, groups, weights)
    assert alignment.disorder == pytest.approx(expected, rel=1e-12, abs=1e-12)
    each = [
        oracles.unitary_disorder_definition([units[index] for index in group], n, weights)
        for group in oracles.groups_of(alignment)
    ]
    assert alignment.unitary_disorders == pytest.approx(each, rel=1e-12, abs=1e-12)
    assert alignment.disorder >= ga.align(continuum, **options).bound - 1e-9


def test_the_best_alignment_as_given_alignment_is_unchanged_without_proof():
    best = ga.align(THREE)
    groups = [[unit for unit in row if unit is not None] for row in best.unitary_alignments()]
    alignment = ga.given_alignment(THREE, groups)
    assert alignment.disorder == best.disorder
    assert alignment.group.tolist() == best.group.tolist()
    assert (alignment.is_given, alignment.is_optimal, alignment.bound) == (True, False, 0.0)
    assert (best.is_given, best.is_optimal) == (False, True)
    assert math.isnan(alignment.gap)
    found = json.loads(json.dumps(alignment.to_dict(), allow_nan=False))
    assert (found["given"], found["optimal"], found["bound"], found["gap"]) == (True, None, None, None)
    assert found["unitary_alignments"] == best.to_dict()["unitary_alignments"]
    assert alignment.to_items().rows() == best.to_items().rows()


def test_units_without_a_group_are_unaligned():
    alone = ga.given_alignment(THREE, [])
    assert len(alone) == len(THREE)
    assert alone.disorder == pytest.approx(3.0)  # Δ each, x̄ = 5/3
    assert len(ga.given_alignment(THREE, [[("a", 1), ("b", 1)]])) == 4


def test_equal_units_are_assigned_in_order():
    twice = ga.Continuum.from_records([("a", 0, 2, "x"), ("a", 0, 2, "x"), ("b", 0, 2, "x"), ("c", 0, 2, "x")])
    first, _, second, third = twice.units()
    alignment = ga.given_alignment(twice, [[first, second], [first, third]])
    assert sorted(alignment.group.tolist()) == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[("a", 0), ("a", 1)]], "group 1: two units of 'a'"),
        ([[("a", 0)], [("a", 0), ("b", 0)]], r"group 2: \('a', 0\) is in two groups, or twice in one"),
        ([[("a", 0), ("a", 0)]], "twice in one"),
        ([[("a", 2)]], r"group 1: \('a', 2\) is not in the document"),
        ([[("z", 0)]], "is not in the document"),
        ([[ga.Unit("a", 0, 5, "z")]], "is not in the document"),
        ([[("a", 0)], []], "group 2: it is empty"),
        ([["a"]], "a group contains 'a', which is not a unit; give a Unit, or the name of an annotator"),
        ([[("a", True)]], "a Unit, or the name"),
    ],
)
def test_invalid_groups_are_refused(groups, message):
    with pytest.raises(InputError, match=message):
        ga.given_alignment(THREE, groups)


def test_units_that_cannot_be_aligned_are_refused():
    points = ga.Continuum.from_records([("a", 0, 0, "x"), ("b", 1, 1, "x")])
    with pytest.raises(InputError, match="two units without length that do not coincide"):
        ga.given_alignment(points, [[("a", 0), ("b", 0)]])
    with pytest.raises(InputError, match=r"only one annotator: 'a', on 'continuum'\. If others saw"):
        ga.given_alignment(ga.Continuum.from_records([("a", 0, 1, "x")]), [])
