"""All distances agree in their three uses (items, γ, the uα family), and all forms of a distance are accepted."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import unitizing_oracles as oracle
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align import distances as ds
from gamma_align.apps.cli import main
from gamma_align.data.item_labels import label_name as text
from gamma_align.errors import InputError, SettingsError

NUMBERS = ("1", "10", "11", "2", "9")  # sorted as text, as in a corpus
IN_ORDER = ("1", "2", "9", "10", "11")
WORDS = ("high", "low", "mid", "top")
RISING = ("low", "mid", "high", "top")
SETS = ("a", "a|b", "b|c", "{}")
NODES = ("G1", "LABEL", "WN1", "WN22")
TREE = {"G1": ["WN1", "WN3", "WN19", "WN22"], "LABEL": ["WN1", "WN3"]}
TABLE = [[0, 0.25, 1, 0.5], [0.25, 0, 0.75, 1], [1, 0.75, 0, 0.125], [0.5, 1, 0.125, 0]]


def by_length(first, second):
    return abs(len(first) - len(second)) / 9 if first[0] == second[0] else 1.0 * (first != second)


DISTANCES = [
    *(
        (ds.as_distance(name), NUMBERS)
        for name in ("nominal", "ordinal", "gwet-ordinal", "interval", "ratio", "linear")
    ),
    *((ds.as_distance(name), NUMBERS) for name in ("bipolar", "circular:24", "interval:position", "linear:position")),
    *((kind(order=RISING), WORDS) for kind in (ds.Ordinal, ds.GwetOrdinal)),
    *((kind(by="position", order=RISING), WORDS) for kind in (ds.Interval, ds.Linear)),
    (ds.Bipolar(low=-3, high=20.5), NUMBERS),
    (ds.EditDistance(), WORDS),
    *((ds.as_distance(name), SETS) for name in ("jaccard", "dice", "passonneau", "masi", "masi-product")),
    *((kind(TREE), NODES) for kind in (ds.MelamedResnik, ds.TaxonomyPath, ds.ExtendedSenses)),
    (ds.Matrix(WORDS, TABLE), WORDS),
    (ds.Callable(by_length), WORDS),
]
for_all_distances = pytest.mark.parametrize(
    ("distance", "labels"), [pytest.param(*case, id=f"{case[0].name}-{index}") for index, case in enumerate(DISTANCES)]
)
WEIGHTS = np.array([3.0, 0.0, 5.0, 2.0, 7.0])
SCALED = ("ordinal", "gwet-ordinal", "interval", "ratio", "linear", "bipolar")


def table(function, size, first=0):
    """Return the values of a function of two columns of codes, for all pairs of the codes first … size - 1."""
    codes = np.arange(first, size)
    return function(np.repeat(codes, len(codes)), np.tile(codes, len(codes))).reshape(len(codes), len(codes))


# ------------------------------------------------------------------------------------ three uses, one distance


@for_all_distances
def test_a_distance_is_symmetric_not_negative_and_0_for_equal_labels(distance, labels):
    values = distance.matrix(labels, WEIGHTS[: len(labels)])
    assert values.shape == (len(labels), len(labels))
    assert (values >= 0).all()
    assert (values == values.T).all()
    assert (np.diag(values) == 0).all()
    assert values.max() > 0


@for_all_distances
def test_items_gamma_and_u_alpha_have_the_same_values(distance, labels):
    size, weights = len(labels), WEIGHTS[: len(labels)]
    unweighted = distance.matrix(labels)
    assert table(distance.between(labels), size) == pytest.approx(unweighted)
    assert table(distance.bind(labels), size) == pytest.approx(
        unweighted / unweighted.max() if distance.name in SCALED else unweighted
    )
    weighted = distance.matrix(labels, weights)
    assert distance.adaptive == (np.abs(weighted - unweighted).max() > 1e-9)
    metric = distance.metric(labels)
    assert table(lambda a, b: metric.pairs(a, b, weights[:, None])[:, 0], size) == pytest.approx(weighted)
    assert metric.weighted_sum(weights[:, None])[:, 0] == pytest.approx(weighted @ weights)
    scores = distance.scores(labels, weights)
    if scores is not None:
        assert np.square(scores[:, None] - scores) == pytest.approx(weighted)


@for_all_distances
def test_the_order_of_the_categories_does_not_matter(distance, labels):
    order = np.array([2, 0, 3, 1, 4][: len(labels)])
    moved = tuple(labels[row] for row in order)
    assert (distance.matrix(moved) == distance.matrix(labels)[np.ix_(order, order)]).all()
    assert (
        table(distance.bind(moved), len(order)) == table(distance.bind(labels), len(order))[np.ix_(order, order)]
    ).all()
    # a document has a selection of the values, or has them in another order
    margins = np.ones((3, 1))
    selected, reordered = distance.metric(labels).take(order[:3]), distance.metric(moved).take(np.arange(3))
    assert table(lambda a, b: selected.pairs(a, b, margins)[:, 0], 3) == pytest.approx(
        table(lambda a, b: reordered.pairs(a, b, margins)[:, 0], 3)
    )
    assert selected.weighted_sum(margins) == pytest.approx(reordered.weighted_sum(margins))


@for_all_distances
def test_gamma_uses_values_from_0_to_1_and_1_for_a_missing_category(distance, labels):
    values = table(distance.bind(labels), len(labels), -1)
    assert ((values >= 0) & (values <= 1)).all()
    assert (values[0, 1:] == 1).all()
    assert (values[1:, 0] == 1).all()
    assert values[0, 0] == 0


@for_all_distances
def test_u_alpha_uses_1_for_a_missing_category_or_refuses_it(distance, labels):
    with_none = [*labels[:2], None]
    if distance.closed:
        with pytest.raises(InputError, match=f"the {distance.name} distance needs a category on every unit"):
            distance.metric(with_none)
        return
    values = distance.metric(with_none).pairs(np.array([0, 2, 2]), np.array([2, 1, 2]), np.ones((3, 1)))
    assert values[:, 0].tolist() == [1, 1, 0]


@for_all_distances
def test_an_empty_list_of_labels_has_an_empty_matrix(distance, labels):
    assert distance.matrix(labels[:0]).shape == (0, 0)
    no_label = np.full(2, -1)
    assert distance.bind(())(no_label, no_label).tolist() == [0, 0]


@for_all_distances
def test_a_distance_can_be_pickled_and_written_as_json(distance, labels):
    copy = pickle.loads(pickle.dumps(distance))  # noqa: S301
    assert (copy.matrix(labels) == distance.matrix(labels)).all()
    assert copy == distance
    from_json = json.loads(json.dumps(distance.to_dict()))
    assert from_json == distance.to_dict()
    assert from_json["name"] == distance.name


@for_all_distances
def test_gamma_u_alpha_and_items_accept_all_distances(distance, labels):
    units = [("a", 0, 4, labels[0]), ("b", 0, 4, labels[1]), ("a", 6, 9, labels[2]), ("b", 6, 9, labels[3])]
    continuum = ga.Continuum.from_records(units, extent=(0, 20))
    corpus = ga.Corpus.from_continua([continuum])
    bound = distance.bind(corpus.categories)
    codes = {label: corpus.categories.index(label) for label in labels[:4]}
    first = np.array([codes[labels[0]], codes[labels[2]]])
    second = np.array([codes[labels[1]], codes[labels[3]]])
    assert ga.align(continuum, distance=distance).disorder == pytest.approx(np.minimum(bound(first, second), 2).mean())
    result = ga.unitizing_alpha(continuum, distance=distance)
    assert result.cu.is_available
    assert result.settings["distance"] == distance.to_dict()
    items = ga.ItemTable.from_continuum(continuum)
    assert ga.krippendorff_alpha(items, distance=distance, interval=None).is_available


def test_the_package_exposes_the_classes_of_distances():
    for name in ("Interval", "Matrix", "Nominal", "Ordinal", "Ratio"):
        assert getattr(ga, name) is getattr(ds, name)


# ------------------------------------------------------------------------------------------- ranks


@pytest.fixture(scope="module")
def ranked():
    """A corpus of two annotators who sometimes differ by one step of the scale 1, 2, 9, 10, 11."""
    steps = [(0, 0), (1, 2), (2, 2), (3, 4), (4, 4), (4, 3), (1, 1), (0, 1), (3, 3), (2, 3)]
    records = [
        (name, 5 * at, 5 * at + 3 + (at % 3), IN_ORDER[step])
        for at, pair in enumerate(steps)
        for name, step in zip("ab", pair, strict=True)
    ]
    return ga.Corpus.from_continua([ga.Continuum.from_records(records, extent=(0, 60))])


@pytest.mark.parametrize(
    ("given_as", "with_order"),
    [
        ("ordinal", ds.Ordinal(order=IN_ORDER)),
        ("gwet-ordinal", ds.GwetOrdinal(order=IN_ORDER)),
        ("linear:position", ds.Linear("position", order=IN_ORDER)),
        ("interval:position", ds.Interval("position", order=IN_ORDER)),
    ],
)
def test_numbers_are_ranked_by_value_and_not_as_text(ranked, given_as, with_order):
    assert ranked.categories == NUMBERS
    results = [ga.families(ranked, distance=distance, samples=10) for distance in (given_as, with_order)]
    for values in zip(
        *([r.gamma.gamma_cat.value, r.gamma.gamma.value, r.unitizing.cu.value] for r in results), strict=True
    ):
        assert values[0] == values[1]
    text_order = ds.by_name(given_as, order=NUMBERS)
    assert ga.gamma(ranked, distance=text_order, samples=10).gamma_cat.value < results[0].gamma.gamma_cat.value - 0.1
    tables = [ga.ItemTable.from_matrix([[1, 9], [11, 10], [2, 2], [10, 9]], categories=categories) for categories in
              (None, [1, 2, 9, 10, 11])]  # fmt: skip
    tables.append(ga.ItemTable.from_matrix([["1", "9"], ["11", "10"], ["2", "2"], ["10", "9"]]))
    alphas = {
        ga.krippendorff_alpha(items, distance=d, interval=None).value
        for items in tables
        for d in (given_as, with_order)
    }
    assert len(alphas) == 1


@pytest.mark.parametrize("name", ["ordinal", "gwet-ordinal", "linear:position"])
def test_a_table_of_items_and_its_continuum_have_the_same_ranks(name):
    items = ga.ItemTable.from_matrix([[1, 9], [11, 10], [2, 2], [10, 9]])
    continuum = items.to_continuum()
    corpus = ga.Corpus.from_continua([continuum])
    distance = ds.as_distance(name)
    plain = distance.matrix(items.labels)
    codes = [corpus.categories.index(category) for category in items.categories]
    assert table(distance.bind(corpus.categories), 5)[np.ix_(codes, codes)] == pytest.approx(plain / plain.max())


@given(numbers=st.lists(st.integers(-99, 99), min_size=1, max_size=6, unique=True), shuffled=st.randoms())
def test_ranks_do_not_depend_on_the_order_of_the_labels(numbers, shuffled):
    labels = list(map(str, numbers))
    order = [str(number) for number in sorted(numbers)]
    shuffled.shuffle(labels)
    for name in ("ordinal", "gwet-ordinal", "linear:position"):
        plain, explicit = ds.by_name(name), ds.by_name(name, order=order)
        assert (plain.matrix(labels) == explicit.matrix(labels)).all()
        assert (table(plain.bind(labels), len(labels)) == table(explicit.bind(labels), len(labels))).all()


def test_equal_numbers_share_a_rank_and_an_order_overrides_numbers():
    assert ds.Ordinal().matrix(["7", "3", "7.0"])[0].tolist() == [0, 1, 0]
    assert ds.Ordinal(order=[3, 1, 2]).matrix(["1", "2", "3"])[2].tolist() == [1, 4, 0]


@pytest.mark.parametrize("name", ["ordinal", "gwet-ordinal", "linear:position", "interval:position"])
def test_words_without_an_order_are_refused_by_distances_of_ranks(name):
    plain_name = name.partition(":")[0]
    message = (
        rf"needs an order of the categories \('high', 'low' …\), .*; list them, lowest first, with order= of the "
        f"{plain_name} distance"
    )
    continuum = ga.Continuum.from_records([("a", 0, 4, "low"), ("b", 0, 4, "high")])
    items = ga.ItemTable.from_matrix([["low", "high"]])
    for call in (
        lambda: ga.gamma(continuum, distance=name),
        lambda: ga.align(continuum, distance=name),
        lambda: ga.unitizing_alpha(continuum, distance=name),
        lambda: ga.krippendorff_alpha(items, distance=name),
    ):
        with pytest.raises(InputError, match=message):
            call()
    assert (
        ga.krippendorff_alpha(items.with_categories(["low", "mid", "high"]), distance=name, interval=None).observed > 0
    )


@pytest.mark.parametrize("labels", [(), ("7",), ("7", "7.0")])
@pytest.mark.parametrize("name", ["ordinal", "gwet-ordinal", "interval", "ratio", "linear", "bipolar", "circular:5"])
def test_equal_labels_are_0_apart_in_gamma(name, labels):
    values = table(ds.by_name(name).bind(labels), len(labels), -1)
    assert (values[1:, 1:] == 0).all()
    assert (values[0, 1:] == 1).all()


# --------------------------------------------------------------------------------- metrics of the uα family

LABELS = ("1", "2", "4", "10")
STEPS = np.abs(np.subtract.outer([0, 1, 2, 4], [0, 1, 2, 4])) / 4
MATRIX = ga.Matrix(LABELS, STEPS)


@pytest.mark.parametrize(
    ("squared", "distance"),
    [
        (lambda _: oracle.nominal, ga.Nominal()),
        (lambda _: oracle.interval, ga.Interval()),
        (lambda _: oracle.ratio, ga.Ratio()),
        (oracle.ordinal, ga.Ordinal()),
        (lambda _: lambda a, b: Fraction(float(STEPS[LABELS.index(a), LABELS.index(b)])), MATRIX),
    ],
    ids=["nominal", "interval", "ratio", "ordinal", "matrix"],
)
@given(margins=st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=1, max_size=3))
def test_a_metric_equals_its_definition(squared, distance, margins):
    metric, columns = distance.metric(LABELS), np.array(margins, dtype=np.float64).T
    first, second = np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4)
    pairs = np.broadcast_to(metric.pairs(first, second, columns), (16, len(margins)))
    sums = metric.weighted_sum(columns)
    for column, margin in enumerate(margins):
        definition = squared({label: Fraction(n) for label, n in zip(LABELS, margin, strict=True)})
        expected = np.array([[float(definition(a, b)) for b in LABELS] for a in LABELS])
        assert pairs[:, column].reshape(4, 4) == pytest.approx(expected, abs=1e-12)
        assert sums[:, column] == pytest.approx(expected @ np.array(margin), abs=1e-9)


def test_ordinal_metric_equals_the_values_printed_by_krippendorff():
    # Krippendorff 2004 p. 230: pairable margins 9 13 10 5 0 3; the unused value 5 keeps its rank
    margins = np.array([[9.0], [13], [10], [5], [0], [3]])
    first, second = np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6)
    values = np.sqrt(ga.Ordinal().metric(list("123456")).pairs(first, second, margins)).reshape(6, 6)
    assert values[0].tolist() == [0, 11, 22.5, 30, 32.5, 34]
    assert values[4].tolist() == [32.5, 21.5, 10, 2.5, 0, 1.5]


@pytest.mark.parametrize("distance", [ga.Interval(), ga.Ordinal(), ga.Ratio(), ga.Nominal(), MATRIX])
@given(row=st.integers(0, 3), amount=st.floats(1e-3, 1e6))
def test_a_single_value_has_a_weighted_sum_of_exactly_0(distance, row, amount):
    margins = np.zeros((4, 1))
    margins[row] = amount
    assert distance.metric(LABELS).weighted_sum(margins)[row] == 0


def test_a_document_uses_the_ranks_of_the_corpus():
    records = [
        (document, annotator, 0, 4, label)
        for document, labels in (("x", "13"), ("y", "22"))
        for annotator, label in zip("ab", labels, strict=True)
    ]
    result = ga.unitizing_alpha(ga.Corpus.from_records(records), distance="gwet-ordinal")
    assert result.documents[0].observed["cu"] == pytest.approx(3.0)  # 1 and 3 are two ranks apart: C(3, 2)


# ---------------------------------------------------------------------------------- numbers as they are

BIG = 2**60


@given(
    numbers=st.lists(st.integers(0, 40), min_size=2, max_size=5, unique=True),
    origin=st.sampled_from([2**53, BIG, -BIG, 10**30]),
    kind=st.sampled_from([str, int, np.int64, np.array]),
)
def test_differences_of_large_integers_are_exact(numbers, origin, kind):
    integers = [origin + number for number in numbers]
    if kind in (np.int64, np.array):
        integers = [number if abs(number) < 2**62 else number % 2**62 for number in integers]
    labels = np.array(integers) if kind is np.array else list(map(kind, integers))
    low, high = min(integers), max(integers)
    definitions = {
        "interval": lambda a, b: (a - b) ** 2,
        "linear": lambda a, b: abs(a - b),
        "ordinal": lambda a, b: (sorted(integers).index(a) - sorted(integers).index(b)) ** 2,
        "ratio": lambda a, b: Fraction(a - b, a + b) ** 2,
        "bipolar": lambda a, b: Fraction((a - b) ** 2, (a + b - 2 * low) * (2 * high - a - b)) if a != b else 0,
        "circular:24": lambda a, b: math.sin(math.pi * ((a - b) % 24) / 24) ** 2,
    }
    for name, definition in definitions.items():
        if name == "ratio" and origin < 0:
            continue
        expected = np.array([[float(definition(a, b)) for b in integers] for a in integers])
        assert ds.as_distance(name).matrix(labels) == pytest.approx(expected, rel=1e-12, abs=1e-24)


@pytest.mark.parametrize("name", ["interval", "linear", "ratio", "bipolar", "ordinal", "circular:7"])
def test_gamma_and_u_alpha_distinguish_integers_that_floats_do_not(name):
    units = [("a", 0, 4, str(BIG)), ("b", 0, 4, str(BIG + 1)), ("a", 5, 9, str(BIG)), ("b", 5, 9, str(BIG))]
    continuum = ga.Continuum.from_records(units)
    assert ga.align(continuum, distance=name).disorder > 0
    assert ga.unitizing_alpha(continuum, distance=name).cu.value < 0.5


@pytest.mark.parametrize("label", ["1e300", "-1e61", "1e-61", "inf", "nan", "1_0", "PER", "", "1e400", 10**400, None])
@pytest.mark.parametrize("name", ["interval", "linear", "ratio", "bipolar", "circular:7"])
def test_labels_that_are_not_numbers_or_too_large_to_square_are_refused(name, label):
    with pytest.raises(
        InputError, match=f"the {name.partition(':')[0]} distance is for numbers, and the category .* is not one"
    ):
        ds.as_distance(name).matrix(["1", label])


@pytest.mark.parametrize("number", [math.nan, math.inf, 1e61])
def test_invalid_numbers_in_arrays_are_refused(number):
    with pytest.raises(InputError, match="the linear distance is for numbers, and the category"):
        ds.Linear().matrix(np.array([1.0, number]))


def test_the_largest_numbers_and_ends_have_finite_distances():
    for distance in (ds.Interval(), ds.Linear(), ds.Ratio(), ds.Bipolar(), ds.Bipolar(-1e60, 1e60), ds.Circular(360)):
        values = distance.matrix(["0", "1e-60", "2e-60", "1e60"])
        assert np.isfinite(values).all()
        assert (values[~np.eye(4, dtype=bool)] > 0).all() or distance.name == "circular"


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ({"low": 1e300}, "an end of a bipolar scale is a number up to 1e.60 in size, not 1e.300"),
        ({"high": math.inf}, "an end of a bipolar scale is a number"),
        ({"low": math.nan}, "an end of a bipolar scale is a number"),
        ({"low": 3, "high": 3}, r"a bipolar scale needs an end above the other one, not \[3, 3\]"),
        ({"low": 3, "high": 1}, r"a bipolar scale needs an end above the other one, not \[3, 1\]"),
    ],
)
def test_invalid_ends_of_a_bipolar_scale_are_refused(ends, message):
    with pytest.raises(SettingsError, match=message):
        ds.Bipolar(**ends)


def test_a_bipolar_scale_of_one_category_has_no_variation():
    result = ga.krippendorff_alpha(ga.ItemTable.from_matrix([[4, 4], [4, 4]]), distance="bipolar")
    assert (
        "no variation" in result.reason
        or "vary" in result.reason
        or result.reason == ga.krippendorff_alpha(ga.ItemTable.from_matrix([["x", "x"], ["x", "x"]])).reason
    )


@given(st.one_of(st.floats(allow_nan=False), st.integers()), st.one_of(st.floats(allow_nan=False), st.integers()))
def test_different_numbers_have_different_names(first, second):
    assert (text(first) == text(second)) == (first == second)


def test_different_sets_have_different_names():
    sets = [frozenset(members) for members in ([], ["a"], ["a", "b"], ["a, b"], ["'a, b'"], ["{}"], ["a'", "b"])]
    assert len(set(map(text, sets))) == len(sets)
    assert text(sets[2]) == "{a, b}"


# ----------------------------------------------------------------------------- whatever is taken for a distance

SCALE = ("1", "2", "4")
D = np.abs(np.subtract.outer([1, 2, 4], [1, 2, 4])) / 4
OBJECT = ds.Matrix(SCALE, D)


def quarter(first, second):
    return abs(float(first) - float(second)) / 4


class Columns:
    """An object with an attribute `columns` that is not a data frame."""

    columns = "ab"


FORMS = {
    "mapping of mappings": {a: {b: D[i, j] for j, b in enumerate(SCALE)} for i, a in enumerate(SCALE)},
    "without a diagonal": {a: {b: D[i, j] for j, b in enumerate(SCALE) if a != b} for i, a in enumerate(SCALE)},
    "mapping of pairs": {(1, 2): 0.25, (2, 4): 0.5, (1, 4): 0.75},
    "pandas": pd.DataFrame(D, index=SCALE, columns=SCALE),
    "pandas, another order": pd.DataFrame(D, index=[1, 2, 4], columns=[1, 2, 4]).loc[[4, 1, 2]],
    "polars": pl.DataFrame({"label": SCALE, **{label: D[:, row] for row, label in enumerate(SCALE)}}),
    "polars, lazy": pl.LazyFrame({"label": [1, 2, 4], **{label: D[:, row] for row, label in enumerate(SCALE)}}),
    "function": quarter,
}
UNITS = [("a", 0, 4, "1"), ("b", 0, 4, "2"), ("a", 6, 9, "4"), ("b", 6, 9, "4"), ("a", 12, 14, "2"), ("b", 12, 15, "4")]
CONTINUUM = ga.Continuum.from_records(UNITS)
ITEMS = ga.ItemTable.from_matrix([[1, 2], [4, 4], [2, 4], [1, 1]])


CALLS = {
    "gamma": lambda d: ga.gamma(CONTINUUM, distance=d, samples=3).gamma_cat.value,
    "gamma, dissimilarity": lambda d: (
        ga.gamma(CONTINUUM, dissimilarity=ga.Dissimilarity(categorial=d), samples=3).gamma_cat.value
    ),
    "align": lambda d: ga.align(CONTINUUM, distance=d).disorder,
    "families": lambda d: ga.families(CONTINUUM, distance=d, samples=3).unitizing.cu.value,
    "unitizing_alpha": lambda d: ga.unitizing_alpha(CONTINUUM, distance=d).cu.value,
    "krippendorff_alpha": lambda d: ga.krippendorff_alpha(ITEMS, distance=d, interval=None).value,
    "item_coefficient": lambda d: ga.item_coefficient(ITEMS, "kappa", distance=d, interval=None).value,
    "item_agreement": lambda d: ga.item_agreement(ITEMS, distance=d, interval=None)["alpha"].value,
    "by_item": lambda d: ga.by_item(ITEMS, distance=d).disagreement.tolist(),
    "coder_agreement": lambda d: ga.coder_agreement(ITEMS, distance=d).tolist(),
    "experiment": lambda d: [
        point.value
        for point in ga.experiment(
            CONTINUUM, annotator="a", kinds=["category"], magnitudes=[1], repetitions=1, samples=3, distance=d
        ).points
    ],
}


@pytest.fixture(scope="module")
def expected_values():
    return {name: call(OBJECT) for name, call in CALLS.items()}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", CALLS)
def test_all_functions_accept_tables_and_functions(expected_values, call, form):
    assert CALLS[call](FORMS[form]) == expected_values[call]


@pytest.mark.parametrize("call", CALLS)
def test_all_functions_accept_names(call):
    assert CALLS[call]("linear") == CALLS[call](ds.Linear())
    assert CALLS[call]("linear") != CALLS[call]("nominal")
    with pytest.raises(SettingsError, match=r"distance must be one of nominal, .* not 'euclid'"):
        CALLS[call]("euclid")
    with pytest.raises(SettingsError, match="distance must be a name, a Distance, a table"):
        CALLS[call](D)


def test_curves_and_plans_accept_tables():
    corpus = ga.Corpus.from_records([(d, *unit) for d in "xyz" for unit in UNITS])
    for run in (
        lambda d: ga.curve(corpus, kinds=["category"], magnitudes=[0, 1], repetitions=1, samples=3, distance=d),
        lambda d: ga.plan(corpus, target=0.5, annotators=(2,), repetitions=2, samples=3, distance=d),
    ):
        values = run(FORMS["mapping of pairs"]).to_dict()
        assert values == run(OBJECT).to_dict()
        assert values["settings"]["gamma"]["categorial"]["name"] == "matrix"


def test_all_distances_except_tables_and_functions_have_a_name():
    assert [ds.as_distance(name).name for name in ds.NAMES] == list(ds.NAMES)
    assert [ds.by_name(name, taxonomy=TREE).name for name in ds.TAXONOMY_NAMES] == list(ds.TAXONOMY_NAMES)
    assert ds.as_distance("circular:12.5") == ds.Circular(12.5)
    assert ds.as_distance("linear:position") == ds.Linear(by="position")
    assert ds.by_name("masi", separator="+") == ds.Masi("+")
    kinds = {
        kind
        for kind in map(partial(getattr, ds), ds.__all__)
        if isinstance(kind, type) and issubclass(kind, ds.Distance)
    }
    named = {type(ds.as_distance(name)) for name in (*ds.NAMES, "circular:1")}
    named |= {type(ds.by_name(name, taxonomy=TREE)) for name in ds.TAXONOMY_NAMES}
    assert kinds - named == {ds.Distance, ds.Matrix, ds.Callable}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (3, "must be a name, a Distance, a table with its labels .* or a function of two labels, not int"),
        (None, "not NoneType"),
        (D.tolist(), "not list"),
        (ds.Ordinal, "not the class Ordinal itself"),
        ("circular", "the circular distance needs its period; append it to the name, as in 'circular:360'"),
        ("circular:once", "'circular:once': 'once' is not a number"),
        ("circular:0", "the period of a circular distance must be above 0"),
        ("ratio:position", "distance must be one of"),
        ("linear:rank", "by must be one of 'value', 'position'"),
        ("path", "the path distance needs its taxonomy; give one with taxonomy= of the distance"),
        ({"a": {"b": 1}, "b": {"a": 1, "c": 2}}, r"is not square: it has no d\('a', 'c'\)"),
        ({"a": {"b": 1}}, r"is not square: it has no d\('b', 'a'\)"),
        ({"a": 1}, "'a' is not a pair"),
        ({("a", "b"): 0.2, ("b", "a"): 0.3}, r"d\('a', 'b'\) is 0.2 but 0.3 the other way round"),
        ({("a", "b"): "far"}, "not a square of numbers: could not convert string"),
        (pd.DataFrame(D, columns=list("abc")), "a data frame of distances has the categories as its columns, and"),
        (pd.DataFrame(index=list("ab")), "a data frame of distances has the categories as its columns, and"),
        (pd.DataFrame(np.zeros((2, 2)), columns=list("aa")), "no data frame of distances: "),
        (Columns(), "no data frame of distances: "),
        (pl.DataFrame({"a": [0.0]}), "a data frame of distances has the categories as its columns, and"),
        (pd.DataFrame([[0, None], [None, 0]], index=list("ab"), columns=list("ab")), "a distance is 0 or more"),
    ],
)
def test_invalid_distances_are_refused(wrong, message):
    with pytest.raises(SettingsError, match=message):
        ds.as_distance(wrong)


@pytest.mark.parametrize("call", [ga.gamma, ga.align])
def test_a_distance_and_a_dissimilarity_together_are_refused(call):
    with pytest.raises(
        SettingsError,
        match=r"a distance and a dissimilarity are given, and both define .*; leave out distance=, or give it",
    ):
        call(CONTINUUM, distance="nominal", dissimilarity=ga.Dissimilarity())


@pytest.mark.parametrize("distance", [ds.Matrix(SCALE, 4 * D), lambda a, b: abs(float(a) - float(b))])
def test_only_gamma_refuses_tables_and_functions_above_1(distance):
    message = r"d\('1', '4'\) is 3, and γ takes distances from 0 to 1; .* divide the distances by the largest one"
    for call in ("gamma", "align", "families"):
        with pytest.raises(SettingsError, match=message):
            CALLS[call](distance)
    with_missing_category = [("a", 0, 4, "1"), ("b", 0, 4, "4"), ("a", 5, 6, None)]
    with pytest.raises(SettingsError, match=message):
        ga.unitizing_alpha(ga.Continuum.from_records(with_missing_category), distance=distance)
    for call in ("unitizing_alpha", "krippendorff_alpha"):
        assert CALLS[call](distance) == pytest.approx(CALLS[call](OBJECT))
    two = ga.Continuum.from_records([("a", 0, 4, "1"), ("b", 0, 4, "2")])
    assert ga.align(two, distance=distance).disorder == 1  # only used categories count


def test_the_labels_are_named_if_a_function_fails():
    with pytest.raises(InputError, match="the distance function has no number for '1' and '1': TypeError"):
        ga.gamma(CONTINUUM, distance=lambda a, b: abs(a - b))
    with pytest.raises(InputError, match=r"no number for 1\.0 and 1\.0: TypeError"):
        ga.krippendorff_alpha(ITEMS, distance=lambda _a, _b: None)


def test_the_result_reports_the_distance():
    result = ga.gamma(CONTINUUM, distance="interval", samples=3)
    assert "|d:sporadic+interval|" in result.signature
    assert result.settings["categorial"] == {"name": "interval", "by": "value", "order": None}


# ------------------------------------------------------------------------------------- the command line

ROWS = "annotator,start,end,category\n" + "".join(f"{','.join(map(str, unit))}\n" for unit in UNITS)


@pytest.fixture
def files(tmp_path):
    contents = {
        "units": ROWS,
        "words": ROWS.replace(",1\n", ',"b, d"\n').replace(",2\n", ",c\n").replace(",4\n", ",a\n"),
        "sets": ROWS.replace(",1\n", ",x+y\n").replace(",2\n", ",y\n").replace(",4\n", ",z\n"),
        "items": "one,other\n1,2\n4,4\n2,4\n1,1\n",
        "matrix": ",1,2,4\n"
        + "".join(f"{label},{','.join(map(str, row))}\n" for label, row in zip(SCALE, D, strict=True)),
        "tree": "r,1\nr,2\nr,s\ns,4\n",
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
    return {name: tmp_path / f"{name}.csv" for name in contents}


OPTIONS = [
    ("units", "--distance ratio", ds.Ratio()),
    ("units", "--distance circular:24", ds.Circular(24)),
    ("units", "--distance edit", ds.EditDistance()),
    ("units", "--distance ordinal --order 2,1,4", ds.Ordinal(order=["2", "1", "4"])),
    ("words", '--distance linear:position --order a,"b, d",c', ds.Linear("position", order=["a", "b, d", "c"])),
    ("sets", "--distance masi --set-separator +", ds.Masi("+")),
    ("units", "--distance-matrix {matrix}", OBJECT),
    ("units", "--taxonomy {tree}", ds.MelamedResnik({"r": ["1", "2", "s"], "s": ["4"]})),
    ("units", "--taxonomy {tree} --distance path", ds.TaxonomyPath({"r": ["1", "2", "s"], "s": ["4"]})),
]


def split(options, files):
    parts = options.replace(", d", ",\0d").split(" ")
    return [part.replace("\0", " ").format(**files) for part in parts]


@pytest.mark.parametrize(("file", "options", "distance"), OPTIONS, ids=[options for _, options, _ in OPTIONS])
def test_options_of_measure_and_align_define_the_distance(files, capsys, file, options, distance):
    corpus, arguments_of_distance = ga.read(files[file]), split(options, files)

    def printed(*arguments):
        assert main([*map(str, arguments), *arguments_of_distance, "--json", "--quiet"]) == 0
        return json.loads(capsys.readouterr().out)

    coefficients = printed("measure", files[file], "--coefficients", "gamma,unitizing-alpha", "--samples", "3")[
        "coefficients"
    ]
    assert coefficients["gamma"]["settings"]["categorial"] == distance.to_dict()
    assert coefficients["unitizing-alpha"]["settings"]["distance"] == distance.to_dict()
    assert (
        coefficients["gamma"]["corpus"]["gamma_cat"]["value"]
        == ga.gamma(corpus, distance=distance, samples=3).gamma_cat.value
    )
    aligned = printed("align", files[file])["documents"][0]
    assert aligned["disorder"] == ga.align(corpus[corpus.documents[0]], distance=distance).disorder


@pytest.mark.parametrize(
    ("subcommand", "further_options"),
    [
        ("families {units}", "--samples 3"),
        ("curve {units}", "--samples 3 --kinds category --magnitudes 0,1 --repetitions 1"),
        ("items {items}", "--interval none"),
    ],
)
@pytest.mark.parametrize(("file", "options", "distance"), [OPTIONS[3], OPTIONS[6], OPTIONS[8]])
def test_options_of_other_commands_define_the_same_distance(
    files, capsys, subcommand, further_options, file, options, distance
):
    arguments = split(f"{subcommand} {further_options} {options}", files)
    assert main([*arguments, "--json", "--quiet"]) == 0
    assert file == "units"
    assert json.dumps(distance.to_dict(), ensure_ascii=False) in json.dumps(
        json.loads(capsys.readouterr().out), ensure_ascii=False
    )


@pytest.mark.parametrize("subcommand", ["measure", "families", "align", "curve", "plan --target-width 0.5", "items"])
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--distance euclid", 2, "argument --distance: distance must be one of nominal, ordinal"),
        ("--distance ordinal --set-separator +", 2, "the ordinal distance has no separator; jaccard, dice"),
        ("--order 1,1 --distance ordinal", 2, "the order of the ordinal distance names '1' twice"),
        ('--order 1,"2 --distance ordinal', 2, "argument --order: '1,\"2' is not a list of labels"),
        ("--order 1,2 --distance interval", 2, "the interval distance by value does not use an order"),
        ("--order 1,2 --distance ordinal", 3, "the order of the ordinal distance does not have the category '4'"),
        ("--distance-matrix {matrix} --distance ordinal", 2, "argument --distance-matrix: it sets all distances"),
        ("--distance-matrix {matrix} -o {matrix}", 2, "is named twice; it would be overwritten"),
        ("--taxonomy {tree} -o {tree}", 2, "is named twice; it would be overwritten"),
    ],
)
def test_all_commands_refuse_incompatible_options(files, capsys, subcommand, options, code, message):
    name, *further_options = subcommand.split(" ")
    assert (
        main([name, str(files["items" if name == "items" else "units"]), *further_options, *split(options, files)])
        == code
    )
    assert message in capsys.readouterr().err
