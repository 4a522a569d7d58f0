"""uα, |uα, cuα and (k)uα: published values, definitions, what changes nothing, absence, pooling, intervals."""

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
from hypothesis import given, settings
from hypothesis import strategies as st
from unitizing_cases import TABLES, corpus_of, golden

import gamma_align as ga
from gamma_align.data.parts import CorpusParts
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import values as results_values
from gamma_align.measures.unitizing import coincidences, family, segments

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


def same(found, expected, tolerance=1e-9):
    """Assert that nested numbers are equal, NaN where NaN is."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, dict):
            same(found[name], value, tolerance)
        else:
            assert found[name] == pytest.approx(value, abs=tolerance, nan_ok=True), name


# ---------------------------------------------------------------------------------------------- instances


@st.composite
def observers(draw, values=("1", "2", "3"), most=5):
    """Draw the units of one annotator: some of the stretches between cuts of [0, 12], on a grid of halves."""
    cuts = sorted(draw(st.sets(st.integers(0, 24), max_size=2 * most)))
    stretches = list(pairwise(cuts))
    labels = draw(st.lists(st.sampled_from((*values, "gap")), min_size=len(stretches), max_size=len(stretches)))
    return [(a / 2, b / 2, v) for (a, b), v in zip(stretches, labels, strict=True) if v != "gap"]


@st.composite
def documents(draw, values=("1", "2", "3"), least=2):
    people = draw(st.lists(observers(values), min_size=least, max_size=4))
    return -draw(st.integers(0, 2)), 12 + draw(st.integers(0, 3)), people


corpora = st.lists(documents(), min_size=1, max_size=3)


# ------------------------------------------------------------------------------------------- published values


def value_of(entry):
    """Return what the package has for a golden entry."""
    low, high, people = golden(entry["data"])
    corpus = corpus_of([(low, high, people)])
    kind, params = entry["coefficient"], entry["params"]
    if kind.startswith("alpha_U"):
        (found,) = ga.unitizing_alpha_2004(corpus)
        if kind == "alpha_U":
            return found.alpha.value
        (category,) = [c for c in found.categories if c.category == params["category"]]
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
def test_golden_values(entry):
    expected = math.nan if entry["expected"] is None else entry["expected"]
    assert value_of(entry) == pytest.approx(expected, abs=entry["tolerance"], nan_ok=True)


def test_the_golden_table_is_whole():
    assert len(TABLES["entries"]) == 32
    assert {e["coefficient"] for e in TABLES["entries"]} >= {
        "u_alpha",
        "bar_u_alpha",
        "cu_alpha",
        "ku_alpha",
        "alpha_U",
    }


def test_figure_12_11():
    # K19 fig. 12.11 and K16: .510 .413 .724; (1)(5)(6) 1, (2)(3)(4) 0, (7) undefined; 44 % of 5, 46.11 % of all
    result = measured(golden("fig12_11"))
    assert [round(getattr(result, name).value, 5) for name in PLAIN] == [0.50967, 0.41323, 0.72408]
    values = {label: value.value for label, value in result.ku.items()}
    assert [values[k] for k in "156"] == pytest.approx([1, 1, 1], abs=1e-12)
    assert [values[k] for k in "234"] == pytest.approx([0, 0, 0], abs=1e-12)
    assert result.ku["7"].reason == family.NOT_MET_K
    assert round(100 * result.coverage, 2) == 46.11
    assert round(100 * result.coverage_k["5"], 1) == 44.4


def test_krippendorff_2011_as_unit_segments():
    # M17 §5.1: with gaps for missing values cuα is not α (.743): every pair weighs the same
    result = measured(golden("k2011_continuum"))
    assert round(result.cu.value, 4) == 0.7152
    assert round(result.observed["cu"], 5) == 0.21818
    assert [round(result.ku[k].value, 4) for k in "12345"] == [0.6433, 0.6522, 0.7325, 0.7747, 1.0]


# ------------------------------------------------------------------------------------------------ definitions


@given(corpora)
def test_the_family_is_the_definition(found):
    result = measured(*found)
    same(numbers(result), oracle.family_definition(found))
    for document, one in zip(result.documents, found, strict=True):
        same(numbers(document), oracle.family_definition([one]))


@pytest.mark.parametrize(
    ("distance", "squared"),
    [("interval", oracle.interval), ("ratio", oracle.ratio), ("ordinal", None), ("nominal", oracle.nominal)],
)
@given(found=st.lists(documents(values=("1", "2", "4", "10")), min_size=1, max_size=2))
@settings(max_examples=40)
def test_any_distance_is_the_definition(distance, squared, found):
    result = measured(*found, distance=distance)
    same(numbers(result), oracle.family_definition(found, squared))
    for document, one in zip(result.documents, found, strict=True):
        same(numbers(document), oracle.family_definition([one], squared))


def test_a_matrix_is_squared_distances_as_they_are():
    table = {("1", "2"): 0.25, ("1", "3"): 1.0, ("2", "3"): 0.5}
    matrix = ga.Matrix.from_mapping(table)
    found = (0, 20, [[(0, 5, "1"), (5, 9, "2"), (9, 15, "3")], [(1, 6, "2"), (6, 9, "2"), (9, 16, "1")]])

    def squared(first, second):
        return oracle.Fraction(0) if first == second else oracle.Fraction(table[min(first, second), max(first, second)])

    same(numbers(measured(found, distance=matrix)), oracle.family_definition([found], squared))


def test_an_order_of_words():
    order = ga.Ordinal(order=["low", "mid", "high"])
    numbered = {"low": "1", "mid": "2", "high": "3"}
    words = (0, 20, [[(0, 5, "low"), (5, 9, "mid"), (9, 15, "high")], [(1, 6, "mid"), (6, 9, "mid"), (9, 16, "low")]])
    ranks = (0, 20, [[(a, b, numbered[v]) for a, b, v in units] for units in words[2]])
    assert measured(words, distance=order).cu.value == pytest.approx(
        oracle.family_definition([ranks], None)["cu"], abs=1e-12
    )


@given(corpora)
def test_layers_are_the_definition(found):
    expected = oracle.layers_definition(found)
    result = measured(*found, overlap="layers")
    assert result.u.value == pytest.approx(expected["u"], abs=1e-9, nan_ok=True)
    same({k: v.value for k, v in result.layers.items()}, expected["layers"])
    for document, one in zip(result.documents, found, strict=True):
        alone = oracle.layers_definition([one])
        assert document.u.value == pytest.approx(alone["u"], abs=1e-9, nan_ok=True)
        same({k: v.value for k, v in document.layers.items()}, alone["layers"])


@given(documents())
def test_one_category_alone_is_its_layer(found):
    low, high, people = found
    alone = (low, high, [[unit for unit in units if unit[2] == "1"] for units in people])
    plain, layer = measured(alone), measured(found, overlap="layers")
    if "1" in layer.layers:
        assert layer.layers["1"].value == pytest.approx(plain.u.value, abs=1e-12, nan_ok=True)


def test_layers_hold_units_that_overlap_and_join_those_of_one_category():
    found = (0, 20, [[(0, 8, "1"), (6, 12, "1"), (2, 9, "2"), (12, 14, "1")], [(1, 12, "1"), (3, 9, "2")], []])
    result = measured(found, overlap="layers")
    expected = oracle.layers_definition([found])
    assert result.u.value == pytest.approx(expected["u"], abs=1e-12)
    same({k: v.value for k, v in result.layers.items()}, expected["layers"])
    assert "uα: units joined to another one of their annotator and category that they overlap: 1" in result.notes
    for value in (result.bar_u, result.cu):
        assert value.reason == family.LAYERS
    assert result.ku == {}


@given(st.lists(observers(values=("1", "2")), min_size=2, max_size=4))
def test_alpha_u_2004_is_the_definition(people):
    whole = [[(2 * a, 2 * b, v) for a, b, v in units] for units in people]
    (found,) = ga.unitizing_alpha_2004(corpus_of([(0, 24, whole)]))
    for category in found.categories:
        observed, expected = oracle.alpha_u_2004_definition((0, 24, whole), category.category)
        assert category.observed == pytest.approx(float(observed), abs=1e-12)
        assert category.expected == pytest.approx(float(expected), abs=1e-12)
        assert category.alpha.value == pytest.approx(float(1 - observed / expected), abs=1e-9)
    assert {c.category for c in found.categories} == {v for units in whole for *_, v in units}


def test_alpha_u_2004_of_documents():
    found = ga.unitizing_alpha_2004(corpus_of([golden("alphaU2004"), (0, 10, [[], []]), (0, 10, [[(1, 2, "x")]])]))
    assert round(found[0].alpha.value, 5) == 0.85867
    assert [one.alpha.reason for one in found] == [None, "no units", "one annotator only"]
    assert json.loads(json.dumps(found[0].to_dict(), allow_nan=False))["categories"][1]["category"] == "k"


@pytest.mark.parametrize(
    ("low", "units", "message"),
    [
        (0, [(0, 2.5, "x")], r"document 'd0': unit \[0, 2.5\] has a boundary that is no whole number"),
        (-0.5, [(0, 2, "x")], r"document 'd0': the extent \[-0.5, 9\] has a boundary that is no whole number"),
        (0, [(0, 4, "x"), (2, 5, "x")], r"units \[0, 4\] 'x' and \[2, 5\] 'x' overlap.*: mend them$"),
    ],
)
def test_alpha_u_2004_refuses(low, units, message):
    with pytest.raises(InputError, match=message):
        ga.unitizing_alpha_2004(corpus_of([(low, 9, [units, []])]))


def test_alpha_u_2004_takes_categories_that_overlap_and_units_without_one():
    (found,) = ga.unitizing_alpha_2004(corpus_of([(0, 9, [[(0, 4, "x"), (2, 5, None)], [(1, 4, "x"), (2, 5, None)]])]))
    assert [c.category for c in found.categories] == [None, "x"]
    assert found.categories[0].alpha.value == 1


# ------------------------------------------------------------------------------------------------- properties


@given(corpora, st.sampled_from([0.5, 2.0, 3.0]), st.sampled_from([0.0, -7.0, 100.0]))
def test_coding_does_not_depend_on_the_unit_of_length_nor_on_the_extent(found, step, shift):
    plain = ga.unitizing_alpha(corpus_of(found))
    wider = [(low - 3, high + 5, people) for low, high, people in found]
    other = ga.unitizing_alpha(corpus_of(wider, step=step, shift=shift))
    assert other.cu.value == pytest.approx(plain.cu.value, abs=1e-9, nan_ok=True)
    same({k: v.value for k, v in other.ku.items()}, {k: v.value for k, v in plain.ku.items()})
    same(other.coverage_k, plain.coverage_k)


def test_unitizing_depends_on_the_unit_of_length():
    once, thrice = (ga.unitizing_alpha(corpus_of([golden("fig12_11")], step=step)) for step in (1, 3))
    assert [round(once.u.value, 5), round(thrice.u.value, 5)] == [0.50967, 0.50893]
    assert [round(once.bar_u.value, 5), round(thrice.bar_u.value, 5)] == [0.41323, 0.41234]


@given(st.lists(documents(), min_size=2, max_size=3))
def test_documents_are_pooled_as_if_joined_end_to_end(found):
    people = max(len(observers) for _, _, observers in found)
    filled = [(low, high, [*o, *([[]] * (people - len(o)))]) for low, high, o in found]
    joined, at = [[] for _ in range(people)], 0
    for low, high, observers_ in filled:
        for person, units in enumerate(observers_):
            joined[person] += [(a - low + at, b - low + at, v) for a, b, v in units]
        at += high - low
    apart, together = measured(*filled), measured((0, at, joined))
    same(numbers(apart), numbers(together), 1e-12)
    layers = measured(*filled, overlap="layers"), measured((0, at, joined), overlap="layers")
    same(*({k: v.value for k, v in result.layers.items()} for result in layers), 1e-12)


@given(observers(), st.integers(2, 4), st.sampled_from([1.0, 0.1, 1 / 3]))
def test_identical_annotators_agree(units, people, step):
    result = ga.unitizing_alpha(corpus_of([(0, 12, [units] * people)], step=step))
    for value in (result.u, result.bar_u, result.cu, *result.ku.values()):
        if value.is_available:
            assert value.value == 1
    assert result.u.is_available == (len({v for *_, v in units}) + (sum(b - a for a, b, _ in units) < 12) > 1)


@given(st.lists(st.lists(st.sampled_from("123"), min_size=3, max_size=3), min_size=2, max_size=8))
def test_complete_unit_segments_are_predefined_items(rows):
    people = [[(item, item + 1, row[coder]) for item, row in enumerate(rows)] for coder in range(3)]
    for distance, squared in (("nominal", oracle.nominal), ("interval", oracle.interval)):
        result = measured((0, len(rows), people), distance=distance)
        expected = oracle.krippendorff_alpha_definition(rows, squared)
        assert result.cu.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if distance == "nominal":
            assert result.u.value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(corpora, st.permutations(range(4)))
def test_people_have_no_order_and_no_name(found, order):
    permuted = [(low, high, [o[i] for i in order if i < len(o)]) for low, high, o in found]
    one, other = (ga.unitizing_alpha(corpus_of(each)) for each in (found, permuted))
    same(numbers(one), numbers(other), 1e-12)
    for name in PLAIN:
        bounds = [(getattr(r, name).low, getattr(r, name).high) for r in (one, other)]
        assert bounds[0] == pytest.approx(bounds[1], abs=1e-9, nan_ok=True)


@given(corpora)
def test_labels_are_only_names(found):
    renamed = [
        (low, high, [[(a, b, {"1": "z", "2": "a", "3": "m"}[v]) for a, b, v in units] for units in o])
        for low, high, o in found
    ]
    same(
        {k: v for k, v in numbers(measured(*found)).items() if not k.endswith(("ku", "_k"))},
        {k: v for k, v in numbers(measured(*renamed)).items() if not k.endswith(("ku", "_k"))},
        1e-12,
    )


@given(corpora)
@settings(max_examples=30)
def test_nothing_depends_on_how_the_work_is_cut(found):
    whole = ga.unitizing_alpha(corpus_of(found), distance="interval")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_SEGMENTS", 2)
        patch.setattr(coincidences, "_CELLS", 4)
        cut = ga.unitizing_alpha(corpus_of(found), distance="interval")
    assert json.dumps(cut.to_dict()) == json.dumps(whole.to_dict())


@pytest.mark.parametrize("options", [{}, {"distance": "ratio"}, {"distance": "ordinal"}, {"overlap": "layers"}])
def test_a_document_is_the_same_alone_and_among_others(options):
    rng = np.random.default_rng(3)
    found = []
    for _ in range(5):
        cuts = np.cumsum(rng.uniform(0.1, 2, (3, 80)), axis=1)
        labels = rng.integers(1, 31, (3, 40)).astype(str)
        people = [
            list(zip(cut[::2].tolist(), cut[1::2].tolist(), label, strict=True))
            for cut, label in zip(cuts, labels.tolist(), strict=True)
        ]
        found.append((0, 200.0, people))
    together = measured(*found, **options)
    for document, one in zip(together.documents, found, strict=True):
        alone = measured(one, **options)
        assert numbers(alone) == numbers(document) or options.get("overlap") == "layers"
        assert alone.u.value == document.u.value


def test_units_that_touch_are_two_units():
    one = measured((0, 20, [[(0, 10, "1")], [(0, 10, "1"), (12, 14, "2")]]))
    two = measured((0, 20, [[(0, 5, "1"), (5, 10, "1")], [(0, 10, "1"), (12, 14, "2")]]))
    assert one.u.value != two.u.value


# --------------------------------------------------------------------------------------- overlap, points, labels


def test_overlap_names_the_first_pair_and_the_cure():
    found = (0, 30, [[(0, 8, "1"), (8, 12, "2")], [(1, 6, "1"), (5, 9, None), (7, 12, "2")]])
    with pytest.raises(InputError) as told:
        measured((0, 5, [[], []]), found)
    assert str(told.value) == (
        "document 'd1', annotator 'a1': units [1, 6] '1' and [5, 9] overlap (and at 1 other places); lengths of "
        "intersections need units of one annotator that do not: mend them, or measure each category on a layer of its "
        "own: unitizing_alpha(overlap='layers'), measure --overlap layers"
    )


@pytest.mark.parametrize("twice", [(1, 4, "x"), (0, 5, "x"), (2, 3, "y")])
def test_units_that_coincide_or_nest_overlap(twice):
    with pytest.raises(InputError, match="overlap; lengths"):
        measured((0, 9, [[(1, 4, "x"), twice], []]))


def test_documents_of_one_annotator_may_overlap():
    result = measured(golden("fig12_11"), (0, 9, [[(1, 4, "x"), (2, 5, "x")]]))
    assert result.u.value == measured(golden("fig12_11")).u.value
    assert result.documents[1].u.reason == "one annotator only"
    assert "1 of 2 documents have fewer than two annotators and no value" in result.notes


def test_units_without_length_do_not_count_and_it_is_told():
    low, high, people = golden("fig12_11")
    pointed = [[*people[0], (4, 4, "1"), (9, 9, "9"), (10, 10, "1")], *people[1:]]
    result = measured((low, high, pointed))
    assert numbers(result) == numbers(measured((low, high, people)))
    assert "uα: 3 of 19 units have no length and do not count" in result.notes


def test_units_without_a_category_are_of_one_value_of_their_own():
    found = (0, 20, [[(0, 5, None), (6, 9, "1"), (10, 15, "2")], [(0, 5, None), (6, 9, "2"), (10, 15, "2")]])
    named = (0, 20, [[(a, b, v or "nothing") for a, b, v in units] for units in found[2]])
    result, other = measured(found), measured(named)
    assert [getattr(result, name).value for name in PLAIN] == [getattr(other, name).value for name in PLAIN]
    assert set(result.ku) == {"1", "2"}
    assert "uα: 2 of 6 units have no category; they are of one value of their own" in result.notes
    layers = measured(found, overlap="layers")
    assert set(layers.layers) == {"1", "2"}
    assert layers.u.value == pytest.approx(measured(named, overlap="layers").u.value, abs=1e-15)


@pytest.mark.parametrize("distance", ["ordinal", "interval", "ratio"])
def test_a_distance_of_numbers_needs_a_category_on_every_unit(distance):
    with pytest.raises(InputError, match=f"the {distance} distance needs a category on every unit, and some have none"):
        measured((0, 9, [[(0, 5, None)], [(1, 4, "1")]]), distance=distance)


# ------------------------------------------------------------------------------------------------ not available

ABSENT = {
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


@pytest.mark.parametrize("case", ABSENT)
def test_what_is_not_available_says_why(case):
    document, reasons = ABSENT[case]
    result = measured(document)
    for values in (result, result.documents[0]):
        assert tuple(getattr(values, name).reason for name in PLAIN) == reasons
        for name, reason in zip(PLAIN, reasons, strict=True):
            assert math.isnan(getattr(values, name).value) == (reason is not None)
    layers = measured(document, overlap="layers")
    assert layers.bar_u.reason in (family.LAYERS, family.NO_LENGTH)


def test_every_reason_is_documented():
    told = {reason for _, reasons in ABSENT.values() for reason in reasons if reason}
    told |= {family.NOT_MET_K, family.LAYERS, family.ONE_ANNOTATOR, family.NO_ANNOTATOR}
    assert told == set(family.REASONS)


def test_units_that_never_meet_are_covered_nowhere():
    result = measured((0, 10, [[(0, 4, "1")], [(4, 7, "2")]]))
    assert result.coverage == 0
    assert result.coverage_k == {"1": 0, "2": 0}
    assert {value.reason for value in result.ku.values()} == {family.NOT_MET_K}


@pytest.mark.parametrize("length", [0.1, 1 / 3, 0.7, 123.456, 1e-3])
@pytest.mark.parametrize("people", [3, 4])
def test_one_pair_of_many_observers_leaves_nothing_to_expect_whatever_the_rounding(length, people):
    result = measured((0, 1000, [[(0, length, "1")], [(0, length, "2")], *([[]] * (people - 2))]))
    assert result.cu.reason == family.TOO_LITTLE
    assert {value.reason for value in result.ku.values()} == {family.TOO_LITTLE}


def test_a_category_of_too_little_alone_is_not_available():
    # the one unit of 1 meets one of two others: l*_1² = 2² < own*_1 = 4² / 2
    found = (0, 20, [[(0, 4, "1"), (6, 9, "2"), (9, 12, "3")], [(0, 4, "2"), (6, 9, "2"), (9, 12, "3")], []])
    result = measured(found)
    assert result.cu.is_available
    assert {k: value.reason for k, value in result.ku.items()} == {"1": family.TOO_LITTLE, "2": None, "3": None}


@given(st.lists(documents(least=3), min_size=1, max_size=2))
def test_nothing_but_disagreement_is_never_agreement(found):
    apart = [
        (low, high, [[(a, b, f"{person}{v}") for a, b, v in units] for person, units in enumerate(people)])
        for low, high, people in found
    ]
    result = measured(*apart)
    for value in (result.cu, *result.ku.values()):
        assert not value.value > 1e-12


def test_an_empty_observer_is_worse_than_chance():
    result = measured((0, 10, [[(0, 4, "1")], []]))
    assert (round(result.u.value, 12), round(result.bar_u.value, 12)) == (-0.15, -0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"overlap": "ignore"}, "overlap must be one of refuse, layers, not 'ignore'"),
        ({"distance": "euclid"}, "distance must be one of nominal, ordinal, gwet-ordinal, interval"),
    ],
)
def test_settings_out_of_range(options, message):
    with pytest.raises(SettingsError, match=message):
        measured((0, 9, [[], []]), **options)


@pytest.mark.parametrize(
    ("measure", "length"),
    [(ga.unitizing_alpha, 1e-51), (ga.unitizing_alpha, 1e200), (ga.unitizing_alpha_2004, 1e51)],
)
def test_bounds_whose_powers_are_beyond_floating_point_are_refused(measure, length):
    corpus = corpus_of([(0, 9, [[], []]), (0, length, [[(0, length, "1")], []])])
    with pytest.raises(InputError, match=re.escape(f"document 'd1': the boundary {length:g} is out of range")):
        measure(corpus)


def test_nobody_to_agree_with():
    with pytest.raises(InputError, match="only one annotator: "):
        measured((0, 9, [[(1, 2, "x")]]))


# ---------------------------------------------------------------------------------------------------- intervals


def three_documents():
    rng = np.random.default_rng(5)
    found = []
    for people in (2, 3, 3):
        observers_ = []
        for _ in range(people):
            cuts = np.sort(rng.choice(60, 16, replace=False)).tolist()
            units = [(float(a), float(b), str(rng.integers(1, 4))) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
            observers_.append(units)
        found.append((0, 60, observers_))
    return found


def jackknife_definition(whole, rest, name, length, lengths):
    """Return the interval of a coefficient from its disagreement with and without each part, as lengths."""
    observed, expected = (getattr(whole, kind)[name] * length for kind in KINDS)
    without = [[getattr(one, kind)[name] * part for one, part in zip(rest, lengths, strict=True)] for kind in KINDS]
    totals = zip((observed, expected), without, strict=True)
    added = [oracles_intervals.pseudo_values(*column) for column in totals]
    interval = oracles_intervals.interval([(1, *added)], [without])
    return 1 - interval.high, 1 - interval.low


def test_intervals_leave_out_one_document_after_the_other():
    found = three_documents() * 2
    result = ga.unitizing_alpha(corpus_of(found))
    rest = [ga.unitizing_alpha(corpus_of(found[:i] + found[i + 1 :])) for i in range(6)]
    total = sum(60 * len(observers_) for _, _, observers_ in found)
    totals = [total - 60 * len(observers_) for _, _, observers_ in found]
    assert result.interval == "95 %, jackknife over documents"
    for name in PLAIN:
        lengths = total, totals
        if name == "cu":  # disagreement of coding is a share of the length on which units meet
            lengths = result.coverage * total, [one.coverage * part for one, part in zip(rest, totals, strict=True)]
        value = getattr(result, name)
        assert (value.low, value.high) == pytest.approx(jackknife_definition(result, rest, name, *lengths), abs=1e-9)


def test_layers_have_intervals_over_documents():
    found = three_documents() * 2
    result = ga.unitizing_alpha(corpus_of(found), overlap="layers")
    for value in (result.u, *result.layers.values()):
        assert value.low < value.value < value.high
        assert 2 <= value.rests_on <= 6
        assert value.interval_note == f"rests on about {value.rests_on:.0f} of 6 documents"


def test_within_one_document_intervals_leave_out_one_unit_after_the_other():
    _, _, people = three_documents()[1]
    result = ga.unitizing_alpha(corpus_of([(0, 60, people)]))
    assert result.interval == "95 %, jackknife over units of one document"
    assert "|j:units|" in result.signature
    assert result.u.low < result.u.value < result.u.high
    assert 2 <= result.u.rests_on <= sum(map(len, people))
    one_unit = ga.unitizing_alpha(corpus_of([(0, 60, [people[0][:1], people[1][:1]])]))
    assert one_unit.u.no_interval == "fewer than three units with disagreement"


def test_no_interval_of_coding_without_agreement():
    disagree = [(0, 60, [[(0, 10, "1"), (20, 30, "2")], [(0, 12, "2"), (20, 33, "1")]])] * 5
    result = ga.unitizing_alpha(corpus_of(disagree))
    assert result.cu.no_interval == "fewer than three documents with agreement"


def test_many_units_are_drawn_in_runs(monkeypatch):
    from gamma_align.measures.unitizing import coincidences

    monkeypatch.setattr(coincidences, "_MOST", 5)
    result = ga.unitizing_alpha(corpus_of(three_documents()[2:]))
    assert result.interval == "95 %, jackknife over runs of 5 consecutive units of one document"
    assert result.u.low < result.u.value < result.u.high


def test_intervals_hold_the_value():
    one, again = (ga.unitizing_alpha(corpus_of(three_documents())) for _ in range(2))
    assert one.to_dict() == again.to_dict()
    for value in (one.u, one.bar_u, one.cu, *one.ku.values()):
        assert value.low <= value.value <= value.high or value.no_interval is not None
    assert one.u.no_interval is None
    assert all(math.isnan(document.u.low) for document in one.documents)


def test_two_documents_have_no_interval_and_say_so():
    result = ga.unitizing_alpha(corpus_of(three_documents()[:2]))
    for value in (result.u, result.bar_u, result.cu):
        assert (math.isnan(value.low), value.no_interval) == (True, "fewer than three documents with disagreement")


def test_many_documents_are_left_out_in_runs(monkeypatch):
    from gamma_align.measures.unitizing import coincidences

    many = corpus_of(three_documents() * 4)
    alone = ga.unitizing_alpha(many)
    monkeypatch.setattr(coincidences, "MOST_PARTS", 6)
    runs = ga.unitizing_alpha(many)
    assert runs.u.value == alone.u.value
    assert runs.u.low != alone.u.low
    assert runs.u.low < runs.u.value < runs.u.high


# ------------------------------------------------------------------------------------------------------ results


def test_the_unit_of_length_is_part_of_the_result():
    named, unnamed = (ga.unitizing_alpha(corpus_of([golden("fig12_11")], unit=unit)) for unit in ("token", None))
    assert (named.length_unit, unnamed.length_unit) == ("token", None)
    assert "|L:token|" in named.signature
    assert "|L:?|" in unnamed.signature
    assert named.to_dict()["length_unit"] == "token"
    note = "uα and |uα depend on the unit of length, which the data do not name"
    assert note in unnamed.notes
    assert note not in named.notes


def test_a_result_is_frozen_json_and_a_frame():
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
def test_real_corpora(name):
    corpus = ga.read(sts.CORPORA / name)
    result = ga.unitizing_alpha(corpus)
    one = corpus.documents_between(2, 3)
    people = [[] for _ in one.continuum(0).annotators]
    for unit in one.continuum(0).units():
        people[one.continuum(0).annotators.index(unit.annotator)].append((unit.start, unit.end, unit.category))
    expected = oracle.family_definition([(*one.continuum(0).extent, [units[:60] for units in people])])
    cut = ga.unitizing_alpha(corpus_of([(*one.continuum(0).extent, [units[:60] for units in people])]))
    same(numbers(cut), expected)
    assert all(0 < document.u.value < 1 for document in result.documents)


def test_salami_is_refused_by_name_and_measured_on_layers():
    corpus = ga.read(sts.CORPORA / "salami")
    with pytest.raises(InputError, match="document '275', annotator 'annotator3': units"):
        ga.unitizing_alpha(corpus)
    result = ga.unitizing_alpha(corpus, overlap="layers")
    assert 0 < result.u.value < result.layers["A"].value < 1
    assert "uα: 2 of 22726 units have no length and do not count" in result.notes


IN_PARTS = ga.Corpus.from_records(
    [
        (f"d{number}", person, start + shift, start + shift + 3, f"of {(number + start) % 4}" if start < 20 else None)
        for number in range(9)
        for person, shift in (("ann", 0), ("bob", number % 3), ("cy", 1))[: 1 if number == 4 else 3]
        for start in range(0, 25, 5)
        if (number + start + shift) % 7
    ]
)


@pytest.mark.parametrize("overlap", ["refuse", "layers"])
@pytest.mark.parametrize("units", [1, 20, 60])
def test_a_corpus_part_by_part_is_the_corpus(overlap, units):
    parts = CorpusParts(IN_PARTS, units)
    assert len(parts) > 1
    found = ga.unitizing_alpha(parts, overlap=overlap)
    assert json.dumps(found.to_dict()) == json.dumps(ga.unitizing_alpha(IN_PARTS, overlap=overlap).to_dict())
    several = (name for name in IN_PARTS.documents if name != "d4")
    alone = IN_PARTS.select(documents=["d4", next(several)])  # the interval is over units of the other one
    assert ga.unitizing_alpha(CorpusParts(alone, 1), overlap=overlap) == ga.unitizing_alpha(alone, overlap=overlap)
    with pytest.raises(InputError, match="no document has two annotators"):
        ga.unitizing_alpha(CorpusParts(IN_PARTS.select(documents="d4"), 1), overlap=overlap)


def test_documents_are_made_in_blocks_and_one_by_one(monkeypatch):
    whole = ga.unitizing_alpha(IN_PARTS)
    each = [*whole.documents]
    monkeypatch.setattr(results_values, "_BLOCK_ROWS", 2)
    assert [*whole.documents] == each == [whole.documents[index] for index in range(len(each))]
    assert whole.documents[3:6] == each[3:6]
    assert [*whole.documents.column("u")] == [document.u for document in each]
    assert pickle.loads(pickle.dumps(whole)) == whole  # noqa: S301  (our own)
