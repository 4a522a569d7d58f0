"""uα, |uα, cuα and (k)uα: published values, definitions, invariances, unavailable values, pooling, intervals."""

from __future__ import annotations

import json
import math
import pickle
import re
from itertools import pairwise

import numpy as np
import oracles_intervals
import pytest
import strategies as sts
import unitizing_oracles as oracle
from hypothesis import given
from hypothesis import strategies as st
from unitizing_cases import TABLES, corpus_of, golden

import gamma_align as ga
from gamma_align.data.parts import CorpusParts
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import values as results_values
from gamma_align.measures.unitizing import coincidences, family, segments
from gamma_align.measures.unitizing.unitizing_alpha import u_alone

PLAIN = ("u", "bar_u", "cu")
KINDS = ("observed", "expected")


def measured(*documents, **options):
    return ga.unitizing_alpha(corpus_of(documents), **options)


def numbers(values):
    """Return every coefficient and coverage of `UnitizingValues`, NaN where there is none."""
    return {
        **{name: getattr(values, name).value for name in PLAIN},
        "ku": {label: value.value for label, value in values.ku.items()},
        "coverage": values.coverage,
        "coverage_k": dict(values.coverage_k),
    }


def assert_equal(actual, expected, tolerance=1e-9):
    """Assert that nested numbers are equal; NaN equals NaN."""
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, dict):
            assert_equal(actual[name], value, tolerance)
        else:
            assert actual[name] == pytest.approx(value, abs=tolerance, nan_ok=True), name


# ---------------------------------------------------------------------------------------------- instances


@st.composite
def observers(draw, values=("1", "2", "3"), max_units=5):
    """Draw the units of one annotator: stretches between cuts of [0, 12], on a grid of halves."""
    cuts = sorted(draw(st.sets(st.integers(0, 24), max_size=2 * max_units)))
    stretches = list(pairwise(cuts))
    labels = draw(st.lists(st.sampled_from((*values, "gap")), min_size=len(stretches), max_size=len(stretches)))
    return [(a / 2, b / 2, v) for (a, b), v in zip(stretches, labels, strict=True) if v != "gap"]


@st.composite
def documents(draw, values=("1", "2", "3"), min_annotators=2):
    annotators = draw(st.lists(observers(values), min_size=min_annotators, max_size=4))
    return -draw(st.integers(0, 2)), 12 + draw(st.integers(0, 3)), annotators


corpora = st.lists(documents(), min_size=1, max_size=3)


# ------------------------------------------------------------------------------------------- published values


def value_of(entry):
    """Return what the package has for a golden entry."""
    low, high, annotators = golden(entry["data"])
    corpus = corpus_of([(low, high, annotators)])
    kind, params = entry["coefficient"], entry["params"]
    if kind.startswith("alpha_U"):
        (result,) = ga.unitizing_alpha_2004(corpus)
        if kind == "alpha_U":
            return result.alpha.value
        (category,) = [c for c in result.categories if c.category == params["category"]]
        return category.observed if kind.endswith("Do") else category.alpha.value
    result = ga.unitizing_alpha(corpus, distance=params.get("metric", "nominal"))
    label = str(params.get("value"))
    return {
        "u_alpha": result.u.value,
        "bar_u_alpha": result.bar_u.value,
        "cu_alpha": result.cu.value,
        "ku_alpha": result.ku[label].value if label in result.ku else None,
        "cu_coverage": result.coverage,
        "ku_coverage": result.coverage_k.get(label),
        "Do_cu": result.observed["cu"],
    }[kind]


@pytest.mark.parametrize("entry", **sts.by_id(TABLES["entries"]))
def test_values_equal_the_golden_table(entry):
    expected = math.nan if entry["expected"] is None else entry["expected"]
    assert value_of(entry) == pytest.approx(expected, abs=entry["tolerance"], nan_ok=True)


def test_golden_table_is_complete():
    assert len(TABLES["entries"]) == 32
    assert {e["coefficient"] for e in TABLES["entries"]} >= {
        "u_alpha",
        "bar_u_alpha",
        "cu_alpha",
        "ku_alpha",
        "alpha_U",
    }


def test_values_of_figure_12_11():
    # K19 fig. 12.11 and K16: .510 .413 .724; (1)(5)(6) 1, (2)(3)(4) 0, (7) undefined; 44 % of 5, 46.11 % of all
    result = measured(golden("fig12_11"))
    assert [round(getattr(result, name).value, 5) for name in PLAIN] == [0.50967, 0.41323, 0.72408]
    values = {label: value.value for label, value in result.ku.items()}
    assert [values[k] for k in "156"] == pytest.approx([1, 1, 1], abs=1e-12)
    assert [values[k] for k in "234"] == pytest.approx([0, 0, 0], abs=1e-12)
    assert result.ku["7"].reason == family.NOT_MET_K
    assert round(100 * result.coverage, 2) == 46.11
    assert round(100 * result.coverage_k["5"], 1) == 44.4


def test_values_of_krippendorff_2011_as_segments_of_one_unit():
    # M17 §5.1: with gaps for missing values cuα is not α (.743): every pair weighs the same
    result = measured(golden("k2011_continuum"))
    assert round(result.cu.value, 4) == 0.7152
    assert round(result.observed["cu"], 5) == 0.21818
    assert [round(result.ku[k].value, 4) for k in "12345"] == [0.6433, 0.6522, 0.7325, 0.7747, 1.0]


# ------------------------------------------------------------------------------------------------ definitions


@given(corpora)
def test_family_equals_the_definition(data):
    result = measured(*data)
    assert_equal(numbers(result), oracle.family_definition(data))
    for document, one in zip(result.documents, data, strict=True):
        assert_equal(numbers(document), oracle.family_definition([one]))


@pytest.mark.parametrize(
    ("distance", "squared"),
    [("interval", oracle.interval), ("ratio", oracle.ratio), ("ordinal", None), ("nominal", oracle.nominal)],
)
@given(data=st.lists(documents(values=("1", "2", "4", "10")), min_size=1, max_size=2))
def test_family_equals_the_definition_for_any_distance(distance, squared, data):
    result = measured(*data, distance=distance)
    assert_equal(numbers(result), oracle.family_definition(data, squared))
    for document, one in zip(result.documents, data, strict=True):
        assert_equal(numbers(document), oracle.family_definition([one], squared))


def test_a_matrix_contains_squared_distances():
    table = {("1", "2"): 0.25, ("1", "3"): 1.0, ("2", "3"): 0.5}
    matrix = ga.Matrix.from_mapping(table)
    data = (0, 20, [[(0, 5, "1"), (5, 9, "2"), (9, 15, "3")], [(1, 6, "2"), (6, 9, "2"), (9, 16, "1")]])

    def squared(first, second):
        return oracle.Fraction(0) if first == second else oracle.Fraction(table[min(first, second), max(first, second)])

    assert_equal(numbers(measured(data, distance=matrix)), oracle.family_definition([data], squared))


def test_ordinal_distance_uses_an_order_of_words():
    order = ga.Ordinal(order=["low", "mid", "high"])
    numbered = {"low": "1", "mid": "2", "high": "3"}
    words = (0, 20, [[(0, 5, "low"), (5, 9, "mid"), (9, 15, "high")], [(1, 6, "mid"), (6, 9, "mid"), (9, 16, "low")]])
    ranks = (0, 20, [[(a, b, numbered[v]) for a, b, v in units] for units in words[2]])
    assert measured(words, distance=order).cu.value == pytest.approx(
        oracle.family_definition([ranks], None)["cu"], abs=1e-12
    )


@given(corpora)
def test_layers_equal_the_definition(data):
    expected = oracle.layers_definition(data)
    result = measured(*data, overlap="layers")
    assert result.u.value == pytest.approx(expected["u"], abs=1e-9, nan_ok=True)
    assert_equal({k: v.value for k, v in result.layers.items()}, expected["layers"])
    for document, one in zip(result.documents, data, strict=True):
        definition = oracle.layers_definition([one])
        assert document.u.value == pytest.approx(definition["u"], abs=1e-9, nan_ok=True)
        assert_equal({k: v.value for k, v in document.layers.items()}, definition["layers"])


@given(documents())
def test_layer_equals_a_corpus_of_its_category(data):
    low, high, annotators = data
    selected = (low, high, [[unit for unit in units if unit[2] == "1"] for units in annotators])
    plain, layer = measured(selected), measured(data, overlap="layers")
    if "1" in layer.layers:
        assert layer.layers["1"].value == pytest.approx(plain.u.value, abs=1e-12, nan_ok=True)


def test_layers_join_overlapping_units_of_a_category():
    data = (0, 20, [[(0, 8, "1"), (6, 12, "1"), (2, 9, "2"), (12, 14, "1")], [(1, 12, "1"), (3, 9, "2")], []])
    result = measured(data, overlap="layers")
    expected = oracle.layers_definition([data])
    assert result.u.value == pytest.approx(expected["u"], abs=1e-12)
    assert_equal({k: v.value for k, v in result.layers.items()}, expected["layers"])
    assert "uα: units joined to another one of their annotator and category that they overlap: 1" in result.notes
    for value in (result.bar_u, result.cu):
        assert value.reason == family.LAYERS
    assert result.ku == {}


@given(st.lists(observers(values=("1", "2")), min_size=2, max_size=4))
def test_alpha_u_2004_equals_the_definition(observed_units):
    annotators = [[(2 * a, 2 * b, v) for a, b, v in units] for units in observed_units]  # whole numbers
    (result,) = ga.unitizing_alpha_2004(corpus_of([(0, 24, annotators)]))
    for category in result.categories:
        observed, expected = oracle.alpha_u_2004_definition((0, 24, annotators), category.category)
        assert category.observed == pytest.approx(float(observed), abs=1e-12)
        assert category.expected == pytest.approx(float(expected), abs=1e-12)
        assert category.alpha.value == pytest.approx(float(1 - observed / expected), abs=1e-9)
    assert {c.category for c in result.categories} == {v for units in annotators for *_, v in units}


def test_alpha_u_2004_has_a_value_for_each_document():
    results = ga.unitizing_alpha_2004(corpus_of([golden("alphaU2004"), (0, 10, [[], []]), (0, 10, [[(1, 2, "x")]])]))
    assert round(results[0].alpha.value, 5) == 0.85867
    assert [result.alpha.reason for result in results] == [None, "no units", "one annotator only"]
    assert json.loads(json.dumps(results[0].to_dict(), allow_nan=False))["categories"][1]["category"] == "k"


@pytest.mark.parametrize(
    ("low", "units", "message"),
    [
        (0, [(0, 2.5, "x")], r"document 'd0': unit \[0, 2.5\] has a boundary that is no whole number"),
        (-0.5, [(0, 2, "x")], r"document 'd0': the extent \[-0.5, 9\] has a boundary that is no whole number"),
        (0, [(0, 4, "x"), (2, 5, "x")], r"units \[0, 4\] 'x' and \[2, 5\] 'x' overlap.*; correct them$"),
    ],
)
def test_alpha_u_2004_refuses_fractions_and_overlaps(low, units, message):
    with pytest.raises(InputError, match=message):
        ga.unitizing_alpha_2004(corpus_of([(low, 9, [units, []])]))


def test_alpha_u_2004_measures_overlapping_categories_and_units_without_one():
    (result,) = ga.unitizing_alpha_2004(corpus_of([(0, 9, [[(0, 4, "x"), (2, 5, None)], [(1, 4, "x"), (2, 5, None)]])]))
    assert [c.category for c in result.categories] == [None, "x"]
    assert result.categories[0].alpha.value == 1


# ------------------------------------------------------------------------------------------------- properties


@given(corpora, st.sampled_from([0.5, 2.0, 3.0]), st.sampled_from([0.0, -7.0, 100.0]))
def test_coding_does_not_depend_on_the_unit_of_length_or_the_extent(data, step, shift):
    plain = ga.unitizing_alpha(corpus_of(data))
    wider = [(low - 3, high + 5, annotators) for low, high, annotators in data]
    moved = ga.unitizing_alpha(corpus_of(wider, step=step, shift=shift))
    assert moved.cu.value == pytest.approx(plain.cu.value, abs=1e-9, nan_ok=True)
    assert_equal({k: v.value for k, v in moved.ku.items()}, {k: v.value for k, v in plain.ku.items()})
    assert_equal(moved.coverage_k, plain.coverage_k)


def test_unitizing_depends_on_the_unit_of_length():
    once, thrice = (ga.unitizing_alpha(corpus_of([golden("fig12_11")], step=step)) for step in (1, 3))
    assert [round(once.u.value, 5), round(thrice.u.value, 5)] == [0.50967, 0.50893]
    assert [round(once.bar_u.value, 5), round(thrice.bar_u.value, 5)] == [0.41323, 0.41234]


@given(st.lists(documents(), min_size=2, max_size=3))
def test_documents_are_pooled_as_if_joined_end_to_end(data):
    annotators = max(len(observers) for _, _, observers in data)
    filled = [(low, high, [*o, *([[]] * (annotators - len(o)))]) for low, high, o in data]
    joined, at = [[] for _ in range(annotators)], 0
    for low, high, observers_ in filled:
        for annotator, units in enumerate(observers_):
            joined[annotator] += [(a - low + at, b - low + at, v) for a, b, v in units]
        at += high - low
    apart, together = measured(*filled), measured((0, at, joined))
    assert_equal(numbers(apart), numbers(together), 1e-12)
    layers = measured(*filled, overlap="layers"), measured((0, at, joined), overlap="layers")
    assert_equal(*({k: v.value for k, v in result.layers.items()} for result in layers), 1e-12)


@given(observers(), st.integers(2, 4), st.sampled_from([1.0, 0.1, 1 / 3]))
def test_identical_annotators_agree(units, annotators, step):
    result = ga.unitizing_alpha(corpus_of([(0, 12, [units] * annotators)], step=step))
    for value in (result.u, result.bar_u, result.cu, *result.ku.values()):
        if value.is_available:
            assert value.value == 1
    assert result.u.is_available == (len({v for *_, v in units}) + (sum(b - a for a, b, _ in units) < 12) > 1)


@given(st.lists(st.lists(st.sampled_from("123"), min_size=3, max_size=3), min_size=2, max_size=8))
def test_segments_of_one_unit_equal_predefined_items(rows):
    annotators = [[(item, item + 1, row[coder]) for item, row in enumerate(rows)] for coder in range(3)]
    for distance, squared in (("nominal", oracle.nominal), ("interval", oracle.interval)):
        result = measured((0, len(rows), annotators), distance=distance)
        expected = oracle.krippendorff_alpha_definition(rows, squared)
        assert result.cu.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if distance == "nominal":
            assert result.u.value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(corpora, st.permutations(range(4)))
def test_values_do_not_depend_on_the_order_of_annotators(data, order):
    permuted = [(low, high, [o[i] for i in order if i < len(o)]) for low, high, o in data]
    results = [ga.unitizing_alpha(corpus_of(documents_)) for documents_ in (data, permuted)]
    assert_equal(*map(numbers, results), 1e-12)
    for name in PLAIN:
        bounds = [(getattr(result, name).low, getattr(result, name).high) for result in results]
        assert bounds[0] == pytest.approx(bounds[1], abs=1e-9, nan_ok=True)


@given(corpora)
def test_values_do_not_depend_on_the_names_of_labels(data):
    renamed = [
        (low, high, [[(a, b, {"1": "z", "2": "a", "3": "m"}[v]) for a, b, v in units] for units in o])
        for low, high, o in data
    ]
    assert_equal(
        {k: v for k, v in numbers(measured(*data)).items() if not k.endswith(("ku", "_k"))},
        {k: v for k, v in numbers(measured(*renamed)).items() if not k.endswith(("ku", "_k"))},
        1e-12,
    )


@given(corpora)
def test_values_do_not_depend_on_the_size_of_chunks(data):
    uncut = ga.unitizing_alpha(corpus_of(data), distance="interval")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_CHUNK_SEGMENTS", 2)
        patch.setattr(coincidences, "_CHUNK_CELLS", 4)
        cut = ga.unitizing_alpha(corpus_of(data), distance="interval")
    assert json.dumps(cut.to_dict()) == json.dumps(uncut.to_dict())


@pytest.mark.parametrize("options", [{}, {"distance": "ratio"}, {"distance": "ordinal"}, {"overlap": "layers"}])
def test_values_of_a_document_do_not_depend_on_other_documents(options):
    rng = np.random.default_rng(3)
    data = []
    for _ in range(5):
        cuts = np.cumsum(rng.uniform(0.1, 2, (3, 80)), axis=1)
        labels = rng.integers(1, 31, (3, 40)).astype(str)
        annotators = [
            list(zip(cut[::2].tolist(), cut[1::2].tolist(), label, strict=True))
            for cut, label in zip(cuts, labels.tolist(), strict=True)
        ]
        data.append((0, 200.0, annotators))
    together = measured(*data, **options)
    for document, one in zip(together.documents, data, strict=True):
        single = measured(one, **options)
        assert numbers(single) == numbers(document) or options.get("overlap") == "layers"
        assert single.u.value == document.u.value


def test_adjacent_units_differ_from_one_unit():
    one = measured((0, 20, [[(0, 10, "1")], [(0, 10, "1"), (12, 14, "2")]]))
    two = measured((0, 20, [[(0, 5, "1"), (5, 10, "1")], [(0, 10, "1"), (12, 14, "2")]]))
    assert one.u.value != two.u.value


# --------------------------------------------------------------------------------------- overlap, points, labels


def test_overlapping_units_are_refused_with_a_cure():
    data = (0, 30, [[(0, 8, "1"), (8, 12, "2")], [(1, 6, "1"), (5, 9, None), (7, 12, "2")]])
    with pytest.raises(InputError) as refusal:
        measured((0, 5, [[], []]), data)
    assert str(refusal.value) == (
        "document 'd1', annotator 'a1': units [1, 6] '1' and [5, 9] overlap (and 1 further pair); lengths of "
        "intersections are defined only if units of one annotator do not overlap; correct them, or measure each "
        "category on a layer of its own with overlap='layers'"
    )


@pytest.mark.parametrize("twice", [(1, 4, "x"), (0, 5, "x"), (2, 3, "y")])
def test_identical_and_nested_units_overlap(twice):
    with pytest.raises(InputError, match="overlap; lengths"):
        measured((0, 9, [[(1, 4, "x"), twice], []]))


def test_units_of_a_single_annotator_may_overlap():
    result = measured(golden("fig12_11"), (0, 9, [[(1, 4, "x"), (2, 5, "x")]]))
    assert result.u.value == measured(golden("fig12_11")).u.value
    assert result.documents[1].u.reason == "one annotator only"
    assert "1 of 2 documents have fewer than two annotators and no value" in result.notes


def test_units_without_length_are_ignored_with_a_note():
    low, high, annotators = golden("fig12_11")
    pointed = [[*annotators[0], (4, 4, "1"), (9, 9, "9"), (10, 10, "1")], *annotators[1:]]
    result = measured((low, high, pointed))
    assert numbers(result) == numbers(measured((low, high, annotators)))
    assert "uα: 3 of 19 units have no length and do not count" in result.notes


def test_units_without_a_category_are_a_value_of_their_own():
    data = (0, 20, [[(0, 5, None), (6, 9, "1"), (10, 15, "2")], [(0, 5, None), (6, 9, "2"), (10, 15, "2")]])
    named = (0, 20, [[(a, b, v or "nothing") for a, b, v in units] for units in data[2]])
    result, expected = measured(data), measured(named)
    assert [getattr(result, name).value for name in PLAIN] == [getattr(expected, name).value for name in PLAIN]
    assert set(result.ku) == {"1", "2"}
    assert "uα: 2 of 6 units have no category; they are of one value of their own" in result.notes
    layers = measured(data, overlap="layers")
    assert set(layers.layers) == {"1", "2"}
    assert layers.u.value == pytest.approx(measured(named, overlap="layers").u.value, abs=1e-15)


@pytest.mark.parametrize("distance", ["ordinal", "interval", "ratio"])
def test_distances_of_numbers_require_a_category_on_every_unit(distance):
    with pytest.raises(
        InputError, match=f"the {distance} distance needs a category on every unit, and some units have none"
    ):
        measured((0, 9, [[(0, 5, None)], [(1, 4, "1")]]), distance=distance)


# ------------------------------------------------------------------------------------------------ not available

UNAVAILABLE = {
    "no units": ((0, 10, [[], []]), (family.NO_UNITS,) * 3),
    "one value everywhere": (
        (0, 10, [[(0, 10, "1")], [(0, 4, "1"), (4, 10, "1")]]),
        (family.ONE_VALUE, family.NO_GAPS, family.SAME_VALUE),
    ),
    "no gaps": (
        (0, 10, [[(0, 10, "1")], [(0, 4, "1"), (4, 10, "2")]]),
        (None, family.NO_GAPS, None),
    ),
    "units never meet": ((0, 10, [[(0, 4, "1")], [(4, 7, "2")]]), (None, None, family.NOT_MET)),
    "one value meets": ((0, 10, [[(0, 4, "1")], [(2, 7, "1")]]), (None, None, family.SAME_VALUE)),
    "an empty observer": ((0, 10, [[(0, 4, "1")], []]), (None, None, family.NOT_MET)),
    "one pair of three observers": (
        (0, 10, [[(0, 4, "1")], [(0, 4, "2")], []]),
        (None, None, family.TOO_LITTLE),
    ),
    "two pairs of three observers": (  # chance would have the values differ 1.5 times as often as they can
        (0, 10, [[(0, 1, "1"), (2, 3, "3")], [(0, 1, "2")], [(2, 3, "4")]]),
        (None, None, family.TOO_LITTLE),
    ),
    "hardly a gap": (
        (0, 2.25, [[(0, 2, "1")], [(0, 2, "2")]]),
        (family.TOO_COARSE, None, None),
    ),
    "too coarse": (
        (0, 0.25, [[(0, 0.125, "1")], [(0, 0.0625, "1")]]),
        (family.TOO_COARSE, family.TOO_COARSE, family.SAME_VALUE),
    ),
    "no length": ((3, 3, [[(3, 3, "1")], []]), (family.NO_LENGTH,) * 3),
}


@pytest.mark.parametrize("case", UNAVAILABLE)
def test_unavailable_values_have_a_reason(case):
    document, reasons = UNAVAILABLE[case]
    result = measured(document)
    for values in (result, result.documents[0]):
        assert tuple(getattr(values, name).reason for name in PLAIN) == reasons
        for name, reason in zip(PLAIN, reasons, strict=True):
            assert math.isnan(getattr(values, name).value) == (reason is not None)
    layers = measured(document, overlap="layers")
    assert layers.bar_u.reason in (family.LAYERS, family.NO_LENGTH)


@given(st.one_of(corpora, st.lists(documents(), min_size=4, max_size=8)))
def test_u_alone_is_the_u_of_the_family(data):
    assert str(u_alone(corpus_of(data)).to_dict()) == str(measured(*data).u.to_dict())


@pytest.mark.parametrize("case", UNAVAILABLE)
def test_u_alone_has_the_reason_of_the_family(case):
    corpus = corpus_of([UNAVAILABLE[case][0]])
    assert str(u_alone(corpus).to_dict()) == str(ga.unitizing_alpha(corpus).u.to_dict())


@pytest.mark.parametrize("corpus", ["dreem_sleep_dodh", "salami"])
@pytest.mark.parametrize("parts", [10, 500])
def test_u_alone_of_many_parts_is_the_u_of_the_family(corpus, parts, monkeypatch):
    monkeypatch.setattr(coincidences, "MAX_PARTS", parts)
    whole = ga.read(f"corpora/{corpus}")
    first, second = (whole.annotators[code] for code in np.argsort(-np.bincount(whole.seen))[:2].tolist())
    pair = whole.select(annotators=[first, second])
    assert str(u_alone(pair).to_dict()) == str(ga.unitizing_alpha(pair).u.to_dict())
    assert u_alone(pair).no_interval is None


def test_all_reasons_are_tested():
    tested = {reason for _, reasons in UNAVAILABLE.values() for reason in reasons if reason}
    tested |= {family.NOT_MET_K, family.LAYERS, family.ONE_ANNOTATOR, family.NO_ANNOTATOR}
    assert tested == set(family.REASONS)


def test_coverage_is_0_if_units_never_meet():
    result = measured((0, 10, [[(0, 4, "1")], [(4, 7, "2")]]))
    assert result.coverage == 0
    assert result.coverage_k == {"1": 0, "2": 0}
    assert {value.reason for value in result.ku.values()} == {family.NOT_MET_K}


@pytest.mark.parametrize("length", [0.1, 1 / 3, 0.7, 123.456, 1e-3])
@pytest.mark.parametrize("annotators", [3, 4])
def test_one_pair_of_many_annotators_is_too_little_at_any_rounding(length, annotators):
    result = measured((0, 1000, [[(0, length, "1")], [(0, length, "2")], *([[]] * (annotators - 2))]))
    assert result.cu.reason == family.TOO_LITTLE
    assert {value.reason for value in result.ku.values()} == {family.TOO_LITTLE}


def test_a_single_category_can_be_unavailable():
    # the one unit of 1 meets one of two others: l*_1² = 2² < own*_1 = 4² / 2
    data = (0, 20, [[(0, 4, "1"), (6, 9, "2"), (9, 12, "3")], [(0, 4, "2"), (6, 9, "2"), (9, 12, "3")], []])
    result = measured(data)
    assert result.cu.is_available
    assert {k: value.reason for k, value in result.ku.items()} == {"1": family.TOO_LITTLE, "2": None, "3": None}


@given(st.lists(documents(min_annotators=3), min_size=1, max_size=2))
def test_complete_disagreement_is_never_positive(data):
    apart = [
        (low, high, [[(a, b, f"{annotator}{v}") for a, b, v in units] for annotator, units in enumerate(annotators)])
        for low, high, annotators in data
    ]
    result = measured(*apart)
    for value in (result.cu, *result.ku.values()):
        assert not value.value > 1e-12


def test_an_annotator_without_units_is_worse_than_chance():
    result = measured((0, 10, [[(0, 4, "1")], []]))
    assert (round(result.u.value, 12), round(result.bar_u.value, 12)) == (-0.15, -0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"overlap": "ignore"}, "overlap must be one of refuse, layers, not 'ignore'"),
        ({"distance": "euclid"}, "distance must be one of nominal, ordinal, gwet-ordinal, interval"),
    ],
)
def test_settings_out_of_range_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        measured((0, 9, [[], []]), **options)


@pytest.mark.parametrize(
    ("measure", "length"),
    [(ga.unitizing_alpha, 1e-51), (ga.unitizing_alpha, 1e200), (ga.unitizing_alpha_2004, 1e51)],
)
def test_bounds_whose_powers_overflow_are_refused(measure, length):
    corpus = corpus_of([(0, 9, [[], []]), (0, length, [[(0, length, "1")], []])])
    with pytest.raises(InputError, match=re.escape(f"document 'd1': the boundary {length:g} is out of range")):
        measure(corpus)


def test_one_annotator_is_refused():
    with pytest.raises(InputError, match="only one annotator: "):
        measured((0, 9, [[(1, 2, "x")]]))


# ---------------------------------------------------------------------------------------------------- intervals


def three_documents():
    rng = np.random.default_rng(5)
    data = []
    for annotators in (2, 3, 3):
        observers_ = []
        for _ in range(annotators):
            cuts = np.sort(rng.choice(60, 16, replace=False)).tolist()
            units = [(float(a), float(b), str(rng.integers(1, 4))) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
            observers_.append(units)
        data.append((0, 60, observers_))
    return data


def jackknife_definition(total, remaining, name, length, lengths):
    """Return the interval of a coefficient from its disagreement with and without each part, as lengths."""
    observed, expected = (getattr(total, kind)[name] * length for kind in KINDS)
    parts = [*zip(remaining, lengths, strict=True)]
    without = [[getattr(result, kind)[name] * part for result, part in parts] for kind in KINDS]
    totals = zip((observed, expected), without, strict=True)
    added = [oracles_intervals.pseudo_values(*column) for column in totals]
    interval = oracles_intervals.of_ratio(*added, *without)
    return 1 - interval.high, 1 - interval.low


def test_intervals_are_a_jackknife_over_documents():
    data = three_documents() * 2
    result = ga.unitizing_alpha(corpus_of(data))
    remaining = [ga.unitizing_alpha(corpus_of(data[:i] + data[i + 1 :])) for i in range(6)]
    total = sum(60 * len(observers_) for _, _, observers_ in data)
    totals = [total - 60 * len(observers_) for _, _, observers_ in data]
    assert result.interval == "95 %, jackknife over documents"
    for name in PLAIN:
        lengths = total, totals
        if name == "cu":  # disagreement of coding is a share of the length on which units meet
            parts = zip(remaining, totals, strict=True)
            lengths = result.coverage * total, [without.coverage * part for without, part in parts]
        value = getattr(result, name)
        assert (value.low, value.high) == pytest.approx(
            jackknife_definition(result, remaining, name, *lengths), abs=1e-9
        )


def test_layers_have_intervals_over_documents():
    data = three_documents() * 2
    result = ga.unitizing_alpha(corpus_of(data), overlap="layers")
    for value in (result.u, *result.layers.values()):
        assert value.low < value.value < value.high
        assert 2 <= value.rests_on <= 6
        assert (value.interval_note is None) == (value.rests_on >= 6 / 2)


def test_intervals_of_one_document_are_a_jackknife_over_units():
    _, _, annotators = three_documents()[1]
    result = ga.unitizing_alpha(corpus_of([(0, 60, annotators)]))
    assert result.interval == "95 %, jackknife over units of one document"
    assert "|j:units|" in result.signature
    assert result.u.low < result.u.value < result.u.high
    assert 2 <= result.u.rests_on <= sum(map(len, annotators))
    one_unit = ga.unitizing_alpha(corpus_of([(0, 60, [annotators[0][:1], annotators[1][:1]])]))
    assert one_unit.u.no_interval == "fewer than three units with disagreement"


def test_units_without_a_category_are_one_of_hundreds_of_values():
    units = [(2 * at, 2 * at + 2, f"c{at:03}") for at in range(260)]  # small integers are one object each, others not
    result = ga.unitizing_alpha(corpus_of([(0, 700, [[*units, (650, 660, None)], [(652, 660, None)]])]))
    assert [*result.ku] == [f"c{at:03}" for at in range(260)]


def test_notes_depend_on_overlaps_alone():
    data = [(0, 60, [[(0, 10, "1"), (20, 30, None)], [(2, 12, "1"), (40, 40, "2")]])]
    common = "uα: 1 of 4 units have no length and do not count"
    depends = "uα and |uα depend on the unit of length, which the data do not name"
    one_value = "uα: 1 of 4 units have no category; they are of one value of their own"
    own_layer = "uα: 1 of 4 units have no category; they are on a layer of their own"
    layers = "uα is of one layer for each category: values never meet, so there is no |uα, cuα or (k)uα"
    results = [ga.unitizing_alpha(corpus_of(data), overlap=overlap) for overlap in ("refuse", "layers")]
    uniform = [[str(note) for note in result.notes if str(note).startswith("uα")] for result in results]
    assert uniform == [[common, one_value, depends], [common, own_layer, depends, layers]]


def test_lengths_without_a_unit_are_in_no_part_of_a_document(monkeypatch):
    _, _, annotators = three_documents()[1]
    fixed_rows, sums_of_parts = [], coincidences.CoincidenceTable.sums_of_parts

    def noted(table, *, fixed=None):
        fixed_rows.append(fixed)
        return sums_of_parts(table, fixed=fixed)

    monkeypatch.setattr(coincidences.CoincidenceTable, "sums_of_parts", noted)
    ga.unitizing_alpha(corpus_of([(0, 60, annotators)]))
    assert fixed_rows == [sum(map(len, annotators))]  # the row after those of the units
    ga.unitizing_alpha(corpus_of(three_documents()))
    assert fixed_rows[1:] == [None]


def test_coding_without_agreement_has_no_interval():
    disagree = [(0, 60, [[(0, 10, "1"), (20, 30, "2")], [(0, 12, "2"), (20, 33, "1")]])] * 5
    result = ga.unitizing_alpha(corpus_of(disagree))
    assert result.cu.no_interval == "fewer than three documents with agreement"


def test_many_units_are_left_out_in_runs(monkeypatch):
    from gamma_align.measures.unitizing import coincidences

    monkeypatch.setattr(coincidences, "_MAX_UNIT_ROWS", 5)
    result = ga.unitizing_alpha(corpus_of(three_documents()[2:]))
    assert result.interval == "95 %, jackknife over runs of 5 consecutive units of one document"
    assert result.u.low < result.u.value < result.u.high


def test_intervals_contain_the_value_and_are_reproducible():
    result, repeated = (ga.unitizing_alpha(corpus_of(three_documents())) for _ in range(2))
    assert result.to_dict() == repeated.to_dict()
    for value in (result.u, result.bar_u, result.cu, *result.ku.values()):
        assert value.low <= value.value <= value.high or value.no_interval is not None
    assert result.u.no_interval is None
    assert all(math.isnan(document.u.low) for document in result.documents)


def test_two_documents_have_no_interval_but_a_reason():
    result = ga.unitizing_alpha(corpus_of(three_documents()[:2]))
    for value in (result.u, result.bar_u, result.cu):
        assert (math.isnan(value.low), value.no_interval) == (True, "fewer than three documents with disagreement")


def test_many_documents_are_left_out_in_runs(monkeypatch):
    from gamma_align.measures.unitizing import coincidences

    corpus = corpus_of(three_documents() * 4)
    single = ga.unitizing_alpha(corpus)
    monkeypatch.setattr(coincidences, "MAX_PARTS", 6)
    runs = ga.unitizing_alpha(corpus)
    assert runs.u.value == single.u.value
    assert runs.u.low != single.u.low
    assert runs.u.low < runs.u.value < runs.u.high


# ------------------------------------------------------------------------------------------------------ results


def test_result_contains_the_unit_of_length():
    named, unnamed = (ga.unitizing_alpha(corpus_of([golden("fig12_11")], unit=unit)) for unit in ("token", None))
    assert (named.length_unit, unnamed.length_unit) == ("token", None)
    assert "|L:token|" in named.signature
    assert "|L:?|" in unnamed.signature
    assert named.to_dict()["length_unit"] == "token"
    note = "uα and |uα depend on the unit of length, which the data do not name"
    assert note in unnamed.notes
    assert note not in named.notes


def test_result_is_frozen_and_becomes_json_and_a_data_frame():
    result = ga.unitizing_alpha(corpus_of([*three_documents(), (0, 9, [[(1, 2, "x")]])]))
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["schema_version"] == 1
    assert data["corpus"]["cu"]["value"] == result.cu.value
    empty = dict.fromkeys(("value", "low", "high", "no_interval", "rests_on", "interval_note"))
    assert data["documents"][3]["u"] == {**empty, "reason": "one annotator only"}
    assert [document["length"] for document in data["documents"]] == [60.0, 60.0, 60.0, 9.0]
    frame = result.to_frame("polars")
    assert frame["u"].to_list()[:3] == [document.u.value for document in result.documents[:3]]
    assert frame["u_reason"].to_list() == [None, None, None, "one annotator only"]
    with pytest.raises(AttributeError):
        result.interval = "none"
    assert type(result.u.value) is float
    assert result.signature.startswith("uα|docs:4|n:2-3|L:?|δ:nominal|own:pairwise|overlap:refuse|j:documents|v:")


@pytest.mark.parametrize("name", ["dreem_sleep_dodh", "novels_ner"])
def test_real_corpora_equal_the_definition(name):
    corpus = ga.read(sts.CORPORA / name)
    result = ga.unitizing_alpha(corpus)
    one = corpus.documents_between(2, 3)
    annotators = [[] for _ in one.continuum(0).annotators]
    for unit in one.continuum(0).units():
        annotators[one.continuum(0).annotators.index(unit.annotator)].append((unit.start, unit.end, unit.category))
    expected = oracle.family_definition([(*one.continuum(0).extent, [units[:60] for units in annotators])])
    cut = ga.unitizing_alpha(corpus_of([(*one.continuum(0).extent, [units[:60] for units in annotators])]))
    assert_equal(numbers(cut), expected)
    assert all(0 < document.u.value < 1 for document in result.documents)


def test_salami_is_refused_without_layers():
    corpus = ga.read(sts.CORPORA / "salami")
    with pytest.raises(InputError, match="document '275', annotator 'annotator3': units"):
        ga.unitizing_alpha(corpus)
    result = ga.unitizing_alpha(corpus, overlap="layers")
    assert 0 < result.u.value < result.layers["A"].value < 1
    assert "uα: 2 of 22726 units have no length and do not count" in result.notes


IN_PARTS = ga.Corpus.from_records(
    [
        (
            f"d{number}",
            annotator,
            start + shift,
            start + shift + 3,
            f"of {(number + start) % 4}" if start < 20 else None,
        )
        for number in range(9)
        for annotator, shift in (("ann", 0), ("bob", number % 3), ("cy", 1))[: 1 if number == 4 else 3]
        for start in range(0, 25, 5)
        if (number + start + shift) % 7
    ]
)


@pytest.mark.parametrize("overlap", ["refuse", "layers"])
@pytest.mark.parametrize("units", [1, 20, 60])
def test_result_does_not_depend_on_the_parts_of_the_corpus(overlap, units):
    parts = CorpusParts(IN_PARTS, units)
    assert len(parts) > 1
    result = ga.unitizing_alpha(parts, overlap=overlap)
    assert json.dumps(result.to_dict()) == json.dumps(ga.unitizing_alpha(IN_PARTS, overlap=overlap).to_dict())
    single = IN_PARTS.select(documents=["d4", "d5"])  # only d5 can be measured, so that its interval is over units
    assert ga.unitizing_alpha(CorpusParts(single, 1), overlap=overlap) == ga.unitizing_alpha(single, overlap=overlap)
    with pytest.raises(InputError, match="no document has two annotators"):
        ga.unitizing_alpha(CorpusParts(IN_PARTS.select(documents="d4"), 1), overlap=overlap)


def test_documents_are_computed_in_blocks_or_one_by_one(monkeypatch):
    result = ga.unitizing_alpha(IN_PARTS)
    rows = [*result.documents]
    monkeypatch.setattr(results_values, "_BLOCK_ROWS", 2)
    assert [*result.documents] == rows == [result.documents[index] for index in range(len(rows))]
    assert result.documents[3:6] == rows[3:6]
    assert [*result.documents.column("u")] == [document.u for document in rows]
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301  (our own)
