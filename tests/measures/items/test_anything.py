"""Whatever table there is: every public function on items gives values, or an error of this package; nothing else."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align import distances
from gamma_align.errors import GammaAlignError, InputError
from gamma_align.measures.items import counts as count_module
from gamma_align.measures.items import replicates
from gamma_align.measures.items.items_options import METHODS
from gamma_align.measures.items.spec import ERROR_REASONS, REASONS, SPECS

TEXT = ["a", "b", "1", "2.0", "", "{}", "b|a", "é"]
NUMBERS = [0, 1, -1, 2.5, 1e-300, 1e300, -1e308, 2**53, 2**53 + 1, 10**30, 0.1, 7]
SETS = [frozenset(), frozenset("a"), frozenset("ab"), frozenset("bc")]
DISTANCES = [*distances.NAMES, distances.Circular(7), distances.Linear(by="position")]


@st.composite
def tables(draw):
    """Draw a table of any kind of category, any share of missing judgments, declared or not, of counts or not."""
    labels = draw(st.sampled_from([TEXT, NUMBERS, SETS, ["x"], [5], [0, 1]]))
    coders, items = draw(st.integers(0, 5)), draw(st.integers(0, 8))
    cell = st.sampled_from([*labels, *[None] * draw(st.integers(0, 3)), *labels[:1] * draw(st.integers(0, 6))])
    rows = draw(st.lists(st.lists(cell, min_size=coders, max_size=coders), min_size=items, max_size=items))
    kind = draw(st.sampled_from(["matrix", "declared", "counts"]))
    if kind == "counts":
        counts = draw(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=0, max_size=5))
        return ga.ItemTable.from_counts(np.array(counts, dtype=int).reshape(-1, 2), ["x", "y"])
    return ga.ItemTable.from_matrix(rows, categories=labels if kind == "declared" else None)


def ends_well(function, *arguments, **options):
    """Return the result, or None for an error of this package with words; anything else passes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return function(*arguments, **options)
        except GammaAlignError as error:
            return None if str(error) else pytest.fail("an error without words")


def check_value(value):
    assert (value.reason is None) == math.isfinite(value.value)
    assert value.reason is None or value.reason in REASONS
    json.dumps(value.to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", [*SPECS])
@given(table=tables(), distance=st.sampled_from(DISTANCES), interval=st.sampled_from(METHODS), data=st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
def test_a_coefficient_is_a_value_or_a_reason(name, table, distance, interval, data):
    options = {"missing": data.draw(st.sampled_from([None, "IL", "VL", "PL", "RM"]))}
    if data.draw(st.booleans()):
        options["expected_from"] = data.draw(st.sampled_from([table, data.draw(tables())]))
    actual = ends_well(ga.item_coefficient, table, name, distance=distance, interval=interval, replicates=20, **options)
    if actual is None:
        return
    check_value(actual)
    assert actual.error_reason is None or actual.error_reason in ERROR_REASONS
    if actual.is_available:
        assert (actual.error_reason is None) == math.isfinite(actual.low)
        if interval == "jackknife" and actual.error_reason is None:
            assert actual.low <= actual.value + 1e-9
            assert actual.value - 1e-9 <= actual.high <= 1
        for threshold in (-2.0, -1.0, 0.0, 0.5, 1.0):
            for probability in (actual.p_value(threshold), actual.probability_below(threshold)):
                assert math.isnan(probability) if actual.error_reason else 0 <= probability <= 1


@given(table=tables(), distance=st.sampled_from(DISTANCES))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_all_other_functions_return_a_result_or_raise_an_error(table, distance):
    result = ends_well(ga.item_agreement, table, distance=distance, coefficients=[*SPECS])
    if result is not None:
        json.dumps(result.to_dict(), allow_nan=False)
    for value in (
        ga.chance_report(table).kappa,
        ends_well(ga.aickin, table),
        ends_well(ga.aickin, table, correction=False),
    ):
        check_value(value)
    for one in ends_well(ga.by_category, table):
        for value in (one.alpha, one.pi, one.kappa, one.specific):
            check_value(value)
    for pair in ends_well(ga.by_pair, table, distance=distance) or ():
        check_value(pair.kappa)
        assert ends_well(ga.confusion_matrix, table, pair.first, pair.second).sum() == pair.items
    assert np.isfinite(ends_well(ga.coincidence_matrix, table)).all()
    ends_well(ga.coder_agreement, table, distance=distance)
    ends_well(ga.by_item, table, distance=distance)
    ends_well(table.to_continuum)
    for classes in (1, 2):
        model = ends_well(ga.latent_classes, table, classes=classes, starts=2)
        json.dumps(model.to_dict(), allow_nan=False)
        assert model.reason is None or model.reason in REASONS


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.binary(max_size=2),
    st.dates(),
    st.frozensets(st.text(max_size=1), max_size=2),
    st.lists(st.integers(0, 1), max_size=2),
)


@given(rows=st.lists(st.lists(anything, max_size=3), max_size=4), categories=st.none() | st.lists(anything, max_size=3))
def test_cells_of_any_type_are_categories_or_refused(rows, categories):
    table = ends_well(ga.ItemTable.from_matrix, rows, categories=categories)
    if table is not None:
        assert len(set(table.categories)) == table.n_categories
        ends_well(ga.krippendorff_alpha, table)


def test_a_coefficient_is_not_available_if_distances_overflow():
    table = ga.ItemTable.from_matrix([["a", "b"], ["b", "a"], ["a", "a"]])
    for name in ("alpha", "kappa-mean", "observed"):
        actual = ends_well(ga.item_coefficient, table, name, distance=lambda a, b: 1e308 * (a != b))
        assert actual.reason in (None, "categories too far apart: their distance is no longer a number")
        assert name == "observed" or not actual.is_available
    (pair,) = ends_well(ga.by_pair, table, distance=lambda a, b: 1e308 * (a != b))
    assert not pair.kappa.is_available


def test_a_numeric_distance_refuses_a_label_that_is_not_a_number():
    with pytest.raises(InputError, match="the interval distance is for numbers"):
        ga.krippendorff_alpha(ga.ItemTable.from_matrix([["a", "b"]]), distance="interval")


@pytest.mark.release
def test_thousands_of_coders_are_counted_at_once_with_the_same_result(monkeypatch):
    counts = [[9_000, 2, 1], [3, 0, 1], [2, 2, 6_000], [0, 3, 1], [1, 3, 0]]
    table = ga.ItemTable.from_counts(counts, ["a", "b", "c"])
    results = [ga.item_agreement(table)]
    for module in (count_module, replicates):
        monkeypatch.setattr(module, "_MAX_BLOCK_CELLS", 1)
    results.append(ga.item_agreement(table))
    assert results[0].to_dict() == results[1].to_dict()
    weights = [n * (n - 1) for n in map(sum, counts)]
    agreed = [sum(k * (k - 1) for k in row) / weight for row, weight in zip(counts, weights, strict=True)]
    assert results[0]["observed"].value == pytest.approx(sum(agreed) / len(agreed))
