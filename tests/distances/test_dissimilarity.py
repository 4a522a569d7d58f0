"""Dissimilarities equal golden values and the definition, and refuse invalid weights."""

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
    """Return d of all pairs of units, shape (n_units, n_units)."""
    records = [(f"d{index:03d}", "a", *unit[1:]) for index, unit in enumerate(units)]
    corpus = ga.Corpus.from_records(records)
    batch, _ = Batch.from_corpus(corpus)  # with one unit per document, the units keep their order
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
def test_golden_pairs_are_reproduced(entry):
    u, v = (0, *entry["u"]), (0, *entry["v"])
    assert pair(u, v, sts.dissimilarity_of(entry)) == pytest.approx(entry["expected"], abs=entry["tolerance"])
    assert oracles.dissimilarity_definition(u, v, sts.weights_of(entry)) == pytest.approx(
        entry["expected"], abs=entry["tolerance"]
    )


@pytest.mark.parametrize("entry", **by_id(GOLDEN["fixtures"]))
def test_pairs_equal_the_float32_values_of_another_implementation(entry):
    annotators = sorted({unit[0] for unit in entry["units"]})
    units_of = {name: [row for row, unit in enumerate(entry["units"]) if unit[0] == name] for name in annotators}
    matrices = {
        kind: matrix_of_pairs(entry["units"], sts.dissimilarity_of(entry), kind)
        for kind in ("positional_pairs", "categorial_pairs", "pairs")
    }
    rows = [units_of[name][index] for name, index, *_ in entry["pairs"]]
    columns = [units_of[name][index] for _, _, name, index, *_ in entry["pairs"]]
    for column, kind in enumerate(matrices, start=4):
        expected = [numbers[column] for numbers in entry["pairs"]]
        assert matrices[kind][rows, columns] == pytest.approx(expected, rel=1e-6)  # float32


# ------------------------------------------------------------------------------------------------ the definition


@given(st.lists(units, min_size=2, max_size=6), sts.settings_of_weights())
def test_dissimilarity_equals_the_definition(examples, weights):
    dissimilarity = ga.Dissimilarity(weights.alpha, weights.beta, weights.delta_empty)
    matrix = matrix_of_pairs(examples, dissimilarity)
    expected = [[oracles.dissimilarity_definition(u, v, weights) for v in examples] for u in examples]
    np.testing.assert_allclose(matrix, expected, rtol=1e-13, atol=0)
    positional = [[oracles.positional_definition(u, v, weights.delta_empty) for v in examples] for u in examples]
    np.testing.assert_allclose(
        matrix_of_pairs(examples, dissimilarity, "positional_pairs"), positional, rtol=1e-13, atol=0
    )
    categorial = [[oracles.categorial_definition(u, v, weights.delta_empty) for v in examples] for u in examples]
    np.testing.assert_array_equal(matrix_of_pairs(examples, dissimilarity, "categorial_pairs"), categorial)


@given(st.lists(units, min_size=2, max_size=6), sts.settings_of_weights())
def test_dissimilarity_is_symmetric_not_negative_and_0_for_equal_units(examples, weights):
    matrix = matrix_of_pairs(examples, ga.Dissimilarity(weights.alpha, weights.beta, weights.delta_empty))
    np.testing.assert_array_equal(matrix, matrix.T)
    assert not np.diag(matrix).any()
    assert (matrix >= 0).all()


@given(st.lists(units, min_size=2, max_size=5), st.integers(-1000, 1000), st.sampled_from([0.25, 2.0, 8.0]))
def test_dissimilarity_is_invariant_to_translation_and_scale(examples, shift, scale):
    moved = [(0, scale * (start + shift), scale * (end + shift), label) for _, start, end, label in examples]
    np.testing.assert_array_equal(matrix_of_pairs(moved), matrix_of_pairs(examples))


@given(st.lists(units, min_size=2, max_size=5))
def test_dissimilarity_is_invariant_to_reflection(examples):
    mirrored = [(0, -end, -start, label) for _, start, end, label in examples]
    np.testing.assert_array_equal(matrix_of_pairs(mirrored), matrix_of_pairs(examples))


def test_figure_20_is_invariant_to_scale():
    short, long = (0, 0, 7, "a"), (0, 0, 10, "a")
    assert pair(short, long) == pytest.approx((3 / 17) ** 2, rel=1e-14)
    assert pair((0, 0, 21, "a"), (0, 0, 30, "a")) == pair(short, long)


# ---------------------------------------------------------------------------------- zero length, no label, matrix


@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
def test_two_units_without_length_match_only_at_the_same_position(alpha):
    dissimilarity = ga.Dissimilarity(alpha=alpha)
    assert pair((0, 5, 5, "x"), (0, 5, 5, "x"), dissimilarity) == 0
    assert pair((0, 5, 5, "x"), (0, 5, 5, "y"), dissimilarity) == 1
    assert pair((0, 5, 5, "x"), (0, 6, 6, "x"), dissimilarity) == math.inf


def test_a_unit_without_length_has_a_finite_dissimilarity_from_a_longer_one():
    assert pair((0, 2, 2, "x"), (0, 0, 4, "x")) == 1
    assert pair((0, 0, 0, "x"), (0, 0, 4, "x")) == 1
    assert pair((0, 6, 6, "x"), (0, 0, 4, "x")) == 4


@pytest.mark.parametrize("categorial", [ga.Nominal(), ga.Matrix(["x", "y"], [[0, 0.25], [0.25, 0]])])
@pytest.mark.parametrize("delta_empty", [0.5, 2.0])
def test_units_without_a_label_are_at_the_maximum_from_labelled_units(categorial, delta_empty):
    dissimilarity = ga.Dissimilarity(beta=3.0, delta_empty=delta_empty, categorial=categorial)
    assert pair((0, 0, 1, None), (0, 0, 1, None), dissimilarity) == 0
    assert pair((0, 0, 1, None), (0, 0, 1, "x"), dissimilarity) == 3 * delta_empty
    assert pair((0, 0, 1, "y"), (0, 0, 1, None), dissimilarity) == 3 * delta_empty


def test_the_empty_string_is_a_label():
    assert pair((0, 0, 1, ""), (0, 0, 1, None)) == 1
    assert pair((0, 0, 1, ""), (0, 0, 1, "")) == 0


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6), st.permutations("wxyz"))
def test_distances_of_a_matrix_are_found_by_label(values, labels):
    table = np.zeros((4, 4))
    table[np.triu_indices(4, 1)] = values
    table += table.T
    row = {label: index for index, label in enumerate(labels)}
    dissimilarity = ga.Dissimilarity(alpha=0, categorial=ga.Matrix(labels, table))
    matrix = matrix_of_pairs([(0, 0, 1, label) for label in "wxyz"], dissimilarity)
    np.testing.assert_array_equal(matrix, [[table[row[u], row[v]] for v in "wxyz"] for u in "wxyz"])


def test_pairs_that_a_mapping_omits_are_1_apart():
    matrix = ga.Matrix.from_mapping({("x", "y"): 0.25, ("z", "y"): 0.5})
    matrix = matrix_of_pairs([(0, 0, 1, label) for label in "xyz"], ga.Dissimilarity(categorial=matrix))
    np.testing.assert_array_equal(matrix, [[0, 0.25, 1], [0.25, 0, 0.5], [1, 0.5, 0]])


def test_a_label_that_the_matrix_does_not_have_is_refused():
    continuum = ga.Continuum.from_records([("a", 0, 1, "x"), ("b", 0, 1, "q")])
    dissimilarity = ga.Dissimilarity(categorial=ga.Matrix(["x", "y"], [[0, 1], [1, 0]]))
    with pytest.raises(InputError, match="does not have the category 'q'; it has 'x', 'y'"):
        ga.align(continuum, dissimilarity=dissimilarity)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1.0}, "alpha must be 0, or from .*, not -1"),
        ({"alpha": 1e51}, "alpha must be 0, or from .*, not 1e"),
        ({"beta": 1e-320}, "beta must be 0, or from .*"),
        ({"alpha": math.inf}, "alpha must be a finite number, not inf"),
        ({"beta": math.nan}, "beta must be a finite number, not nan"),
        ({"delta_empty": 0.0}, "delta_empty must be from 1e-50 to .*, not 0"),
        ({"delta_empty": -2.0}, "delta_empty must be from 1e-50 to .*, not -2"),
        ({"delta_empty": 1e-51}, "delta_empty must be from 1e-50 to .*, not 1e"),
        ({"delta_empty": math.inf}, "delta_empty must be a finite number, not inf"),
    ],
)
@pytest.mark.parametrize("entry_point", ["class", "align", "gamma"])
def test_invalid_weights_are_refused(settings, message, entry_point):
    continuum = ga.Continuum.from_records([("a", 0, 1), ("b", 0, 1)])
    calls = {
        "class": ga.Dissimilarity,
        "align": lambda **weights: ga.align(continuum, **weights),
        "gamma": lambda **weights: ga.gamma(continuum, **weights),
    }
    with pytest.raises(SettingsError, match=message):
        calls[entry_point](**settings)


def test_settings_errors_are_value_errors():
    assert issubclass(SettingsError, ValueError)
    assert issubclass(SettingsError, GammaAlignError)


@given(units, units)
def test_dissimilarity_grows_with_the_gap_between_units(u, v):
    assume(u[2] > u[1] or v[2] > v[1])
    further = (0, v[1] + 100, v[2] + 100, v[3])
    assert pair(u, further, ga.Dissimilarity(beta=0)) > pair(u, v, ga.Dissimilarity(beta=0))
