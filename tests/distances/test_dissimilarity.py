"""Dissimilarities: golden pairs, the definition, their laws, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
import strategies as sts
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import GOLDEN, by_id

import gamma_align as ga
from gamma_align.data.batch import Batch
from gamma_align.errors import GammaAlignError, InputError, SettingsError


def matrix_of_pairs(units, dissimilarity=None, kind="pairs"):
    """Return d of all pairs of units, in the order given, through the package."""
    records = [(f"d{place:03d}", "a", *unit[1:]) for place, unit in enumerate(units)]
    corpus = ga.Corpus.from_records(records)
    batch, _ = Batch.from_corpus(corpus)  # one unit a document: the order given
    bound = (dissimilarity or ga.Dissimilarity()).bind(corpus.categories)
    first, second = (side.ravel() for side in np.indices((len(units), len(units))))
    return getattr(bound, kind)(batch, first, second).reshape(len(units), len(units))


def pair(u, v, dissimilarity=None, kind="pairs"):
    return matrix_of_pairs([u, v], dissimilarity, kind)[0, 1]


units = st.builds(
    lambda start, length, label: (0, start / 4, (start + length) / 4, label),
    st.integers(-40, 40),
    st.integers(0, 20),
    st.sampled_from([None, "x", "y", "z"]),
)

# ------------------------------------------------------------------------------------------------------ golden


@pytest.mark.parametrize("entry", **by_id(GOLDEN["pairs"]))
def test_golden_pair(entry):
    u, v = (0, *entry["u"]), (0, *entry["v"])
    assert pair(u, v, sts.dissimilarity_of(entry)) == pytest.approx(entry["expected"], abs=entry["tolerance"])
    assert oracles.dissimilarity_definition(u, v, sts.weights_of(entry)) == pytest.approx(
        entry["expected"], abs=entry["tolerance"]
    )


@pytest.mark.parametrize("entry", **by_id(GOLDEN["fixtures"]))
def test_pairs_of_the_other_port(entry):
    people = sorted({unit[0] for unit in entry["units"]})
    place = {name: [row for row, unit in enumerate(entry["units"]) if unit[0] == name] for name in people}
    found = {
        kind: matrix_of_pairs(entry["units"], sts.dissimilarity_of(entry), kind)
        for kind in ("positional_pairs", "categorial_pairs", "pairs")
    }
    rows = [place[name][index] for name, index, *_ in entry["pairs"]]
    columns = [place[name][index] for _, _, name, index, *_ in entry["pairs"]]
    for column, kind in enumerate(found, start=4):
        theirs = [numbers[column] for numbers in entry["pairs"]]
        assert found[kind][rows, columns] == pytest.approx(theirs, rel=1e-6)  # float32


# ------------------------------------------------------------------------------------------------ the definition


@given(st.lists(units, min_size=2, max_size=6), sts.settings_of_weights())
def test_equals_the_definition(some, weights):
    dissimilarity = ga.Dissimilarity(weights.alpha, weights.beta, weights.delta_empty)
    found = matrix_of_pairs(some, dissimilarity)
    expected = [[oracles.dissimilarity_definition(u, v, weights) for v in some] for u in some]
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=0)
    positional = [[oracles.positional_definition(u, v, weights.delta_empty) for v in some] for u in some]
    np.testing.assert_allclose(matrix_of_pairs(some, dissimilarity, "positional_pairs"), positional, rtol=1e-13, atol=0)
    categorial = [[oracles.categorial_definition(u, v, weights.delta_empty) for v in some] for u in some]
    np.testing.assert_array_equal(matrix_of_pairs(some, dissimilarity, "categorial_pairs"), categorial)


@given(st.lists(units, min_size=2, max_size=6), sts.settings_of_weights())
def test_symmetric_zero_on_itself_and_not_negative(some, weights):
    found = matrix_of_pairs(some, ga.Dissimilarity(weights.alpha, weights.beta, weights.delta_empty))
    np.testing.assert_array_equal(found, found.T)
    assert not np.diag(found).any()
    assert (found >= 0).all()


@given(st.lists(units, min_size=2, max_size=5), st.integers(-1000, 1000), st.sampled_from([0.25, 2.0, 8.0]))
def test_translation_and_scale_change_nothing(some, shift, scale):
    moved = [(0, scale * (start + shift), scale * (end + shift), label) for _, start, end, label in some]
    np.testing.assert_array_equal(matrix_of_pairs(moved), matrix_of_pairs(some))


@given(st.lists(units, min_size=2, max_size=5))
def test_mirror_image_changes_nothing(some):
    mirrored = [(0, -end, -start, label) for _, start, end, label in some]
    np.testing.assert_array_equal(matrix_of_pairs(mirrored), matrix_of_pairs(some))


def test_scale_of_figure_20():
    short, long = (0, 0, 7, "a"), (0, 0, 10, "a")
    assert pair(short, long) == pytest.approx((3 / 17) ** 2, rel=1e-14)
    assert pair((0, 0, 21, "a"), (0, 0, 30, "a")) == pair(short, long)


# ---------------------------------------------------------------------------------- zero length, no label, matrix


@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
def test_two_units_without_length(alpha):
    dissimilarity = ga.Dissimilarity(alpha=alpha)
    assert pair((0, 5, 5, "x"), (0, 5, 5, "x"), dissimilarity) == 0
    assert pair((0, 5, 5, "x"), (0, 5, 5, "y"), dissimilarity) == 1
    assert pair((0, 5, 5, "x"), (0, 6, 6, "x"), dissimilarity) == math.inf


def test_one_unit_without_length():
    assert pair((0, 2, 2, "x"), (0, 0, 4, "x")) == 1
    assert pair((0, 0, 0, "x"), (0, 0, 4, "x")) == 1
    assert pair((0, 6, 6, "x"), (0, 0, 4, "x")) == 4


@pytest.mark.parametrize("categorial", [ga.Nominal(), ga.Matrix(["x", "y"], [[0, 0.25], [0.25, 0]])])
@pytest.mark.parametrize("delta_empty", [0.5, 2.0])
def test_unlabelled_units(categorial, delta_empty):
    dissimilarity = ga.Dissimilarity(beta=3.0, delta_empty=delta_empty, categorial=categorial)
    assert pair((0, 0, 1, None), (0, 0, 1, None), dissimilarity) == 0
    assert pair((0, 0, 1, None), (0, 0, 1, "x"), dissimilarity) == 3 * delta_empty
    assert pair((0, 0, 1, "y"), (0, 0, 1, None), dissimilarity) == 3 * delta_empty


def test_the_empty_string_is_a_label():
    assert pair((0, 0, 1, ""), (0, 0, 1, None)) == 1
    assert pair((0, 0, 1, ""), (0, 0, 1, "")) == 0


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6), st.permutations("wxyz"))
def test_matrix_is_looked_up_by_label(values, labels):
    table = np.zeros((4, 4))
    table[np.triu_indices(4, 1)] = values
    table += table.T
    place = {label: row for row, label in enumerate(labels)}
    dissimilarity = ga.Dissimilarity(alpha=0, categorial=ga.Matrix(labels, table))
    found = matrix_of_pairs([(0, 0, 1, label) for label in "wxyz"], dissimilarity)
    np.testing.assert_array_equal(found, [[table[place[u], place[v]] for v in "wxyz"] for u in "wxyz"])


def test_matrix_from_mapping_is_one_where_nothing_is_said():
    matrix = ga.Matrix.from_mapping({("x", "y"): 0.25, ("z", "y"): 0.5})
    found = matrix_of_pairs([(0, 0, 1, label) for label in "xyz"], ga.Dissimilarity(categorial=matrix))
    np.testing.assert_array_equal(found, [[0, 0.25, 1], [0.25, 0, 0.5], [1, 0.5, 0]])


def test_label_the_matrix_does_not_know():
    continuum = ga.Continuum.from_records([("a", 0, 1, "x"), ("b", 0, 1, "q")])
    dissimilarity = ga.Dissimilarity(categorial=ga.Matrix(["x", "y"], [[0, 1], [1, 0]]))
    with pytest.raises(InputError, match="does not have the category 'q'; it has 'x', 'y'"):
        ga.align(continuum, dissimilarity=dissimilarity)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1.0}, "alpha must be 0 or more, not -1"),
        ({"alpha": math.inf}, "alpha must be a finite number, not inf"),
        ({"beta": math.nan}, "beta must be a finite number, not nan"),
        ({"delta_empty": 0.0}, "delta_empty must be above 0, not 0"),
        ({"delta_empty": -2.0}, "delta_empty must be above 0, not -2"),
        ({"delta_empty": math.inf}, "delta_empty must be a finite number, not inf"),
    ],
)
@pytest.mark.parametrize("entry_point", ["class", "align", "gamma"])
def test_weights_refused(settings, message, entry_point):
    continuum = ga.Continuum.from_records([("a", 0, 1), ("b", 0, 1)])
    calls = {
        "class": ga.Dissimilarity,
        "align": lambda **given: ga.align(continuum, **given),
        "gamma": lambda **given: ga.gamma(continuum, **given),
    }
    with pytest.raises(SettingsError, match=message):
        calls[entry_point](**settings)


def test_settings_errors_are_value_errors():
    assert issubclass(SettingsError, ValueError)
    assert issubclass(SettingsError, GammaAlignError)


@given(units, units)
def test_far_apart_is_worse(u, v):
    assume(u[2] > u[1] or v[2] > v[1])
    further = (0, v[1] + 100, v[2] + 100, v[3])
    assert pair(u, further, ga.Dissimilarity(beta=0)) > pair(u, v, ga.Dissimilarity(beta=0))
