"""Each distance follows its definition and refuses labels for which it is not defined."""

import math
from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align import distances
from gamma_align import distances as ds
from gamma_align.errors import InputError, SettingsError

TREE = {"G1": ["WN1", "WN3", "WN19", "WN22"], "LABEL": ["WN1", "WN3"]}

sets = st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=6)


def test_gamma_reads_labels_as_sets_if_the_distance_is_of_sets():
    units = [("a", 0, 4, "PER|LOC"), ("b", 0, 4, "PER"), ("a", 6, 9, "ORG"), ("b", 6, 9, "ORG")]
    continuum = ga.Continuum.from_records(units)
    aligned = ga.align(continuum, dissimilarity=ga.Dissimilarity(categorial=distances.Jaccard()))
    assert aligned.disorder == pytest.approx(0.5 / 2)


# ------------------------------------------------------------------------------------------- numbers


def test_ordinal_distance_is_the_squared_sum_of_the_counts_between():
    counts = np.array([9.0, 13.0, 10.0, 5.0, 0.0, 3.0])
    table = distances.Ordinal().matrix(range(6), counts)
    for low in range(6):
        for high in range(low + 1, 6):
            between = counts[low : high + 1].sum() - (counts[low] + counts[high]) / 2
            assert table[low, high] == pytest.approx(between**2)


def test_ordinal_distance_uses_its_order():
    distance = distances.Ordinal(order=("low", "mid", "high"))
    table = distance.matrix(["high", "low", "mid"], np.array([1.0, 1.0, 1.0]))
    assert table == pytest.approx(np.array([[0, 4, 1], [4, 0, 1], [1, 1, 0]]))
    with pytest.raises(InputError, match="does not have the category 'top'; it has 'low', 'mid', 'high'"):
        distance.matrix(["top"])
    assert distances.Ordinal().bind(("1", "2", "10"))(np.array([0]), np.array([1]))[0] == 0.25


def test_ordinal_distance_of_gwet_is_a_binomial_coefficient_of_ranks():
    assert distances.GwetOrdinal().matrix(["30", "1", "2", "7"])[1].tolist() == [6, 0, 1, 3]


def test_circular_distance_is_periodic():
    table = distances.Circular(24).matrix(np.array([23.0, 1.0, 11.0]))
    assert table[0, 1] == pytest.approx(math.sin(math.pi * 2 / 24) ** 2)
    assert table[0, 2] == pytest.approx(1.0)
    assert distances.Circular(360).matrix(["0", "360", "-720", str(36 * 10**20)]).tolist() == np.zeros((4, 4)).tolist()


def test_bipolar_distance_is_larger_near_the_ends():
    table = distances.Bipolar().matrix(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert table[0, 1] > table[1, 2]
    assert table[0, 4] == pytest.approx(1.0)
    assert distances.Bipolar(low=0, high=10).matrix(np.array([4.0, 6.0]))[0, 1] == pytest.approx(4 / 100)


def test_ratio_distance_of_two_zeros_is_0():
    assert distances.Ratio().matrix(np.array([0.0, 0.0, 2.0])).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ds.Ratio().matrix(np.array([-1.0, 2.0])), InputError, "of 0 and more, and the category '-1' is not"),
        (lambda: ds.Bipolar(high=3).matrix(["1", "5"]), InputError, r"is \[1, 3\], and the category '5' is outside"),
        (lambda: ds.Circular(0), SettingsError, "period of a circular distance must be above 0"),
        (lambda: ds.Interval(by="rank"), SettingsError, "by must be one of 'value', 'position'"),
        (lambda: ds.Interval(order=["a"]), SettingsError, "by value does not use an order"),
        (lambda: ds.Ordinal(order=["a", "b", "a"]), SettingsError, "the order of the ordinal distance names 'a' twice"),
        (lambda: ds.Interval().matrix(("a", "1")), InputError, "the category 'a' is not one"),
        (lambda: ds.Matrix("ab", [[0, 1]]), SettingsError, r"has shape \(1, 2\), its 2 categories"),
        (lambda: ds.Matrix("abc", [[0, 1], [1, 0]]), SettingsError, r"has shape \(2, 2\), its 3 categories"),
        (lambda: ds.Matrix("ab", [[0, 1], [1]]), SettingsError, "is not a square of numbers"),
        (lambda: ds.Matrix("ab", [[0, "x"], ["x", 0]]), SettingsError, "is not a square of numbers"),
        (lambda: ds.Matrix("ab", [[0, 1], [2, 0]]), SettingsError, "is 1 but 2 the other way round"),
        (lambda: ds.Matrix("ab", [[0, -1], [-1, 0]]), SettingsError, "is -1, but a distance is 0 or more"),
        (lambda: ds.Matrix("ab", [[0, math.nan], [math.nan, 0]]), SettingsError, "is nan, but a distance is 0 or more"),
        (lambda: ds.Matrix("ab", [[0, math.inf], [math.inf, 0]]), SettingsError, "is inf, but a distance is 0 or more"),
        (lambda: ds.Matrix("ab", [[1, 1], [1, 0]]), SettingsError, "itself. is 1, but it must be 0"),
        (lambda: ds.Matrix("aa", [[0, 1], [1, 0]]), SettingsError, "names a category twice"),
        (lambda: ds.Matrix("ab", [[0, 1], [1, 0]]).matrix(["c"]), InputError, "the category 'c'; it has 'a', 'b'"),
        (lambda: ds.Callable(lambda a, b: a - b).matrix(np.array([1.0, 2.0])), InputError, "a distance is 0 or more"),
        (lambda: ds.MelamedResnik({"a": ["b"], "b": ["a"]}), SettingsError, "the taxonomy has a cycle: a → b"),
        (lambda: ds.MelamedResnik(nx.Graph([("a", "b")])), SettingsError, "a networkx DiGraph"),
        (lambda: ds.MelamedResnik(TREE).matrix(["WN2"]), InputError, "the taxonomy does not have the category 'WN2'"),
    ],
)  # fmt: skip
def test_invalid_parameters_and_labels_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_function_receives_all_pairs_of_numbers():
    calls = []

    def differ(first, second):
        calls.append((first, second))
        return float(first != second)

    distances.Callable(differ).matrix(np.array([1.0, 2.0]))
    assert set(calls) == {(1.0, 1.0), (1.0, 2.0), (2.0, 1.0), (2.0, 2.0)}


def test_a_function_receives_sets():
    table = ga.ItemTable.from_matrix([[{"a"}, {"a", "b"}], [{"b"}, {"b"}]])
    by_size = ga.krippendorff_alpha(table, distance=lambda a, b: abs(len(a) - len(b)))
    assert by_size.distance == "callable"
    assert by_size.is_available


# -------------------------------------------------------------------------------------------- edits


@cache
def levenshtein(first, second):
    if not first or not second:
        return len(first) + len(second)
    return min(
        levenshtein(first[1:], second) + 1,
        levenshtein(first, second[1:]) + 1,
        levenshtein(first[1:], second[1:]) + (first[0] != second[0]),
    )


@given(st.lists(st.text("abé😀", max_size=6), max_size=6))
def test_edit_distance_is_the_recursive_definition(labels):
    table = distances.EditDistance().matrix(labels)
    for row, first in enumerate(labels):
        for column, second in enumerate(labels):
            assert table[row, column] == levenshtein(first, second) / max(len(first), len(second), 1)


def test_edit_distance_of_known_words():
    table = distances.EditDistance().matrix(["kitten", "sitting", "", "Saturday", "Sunday"])
    assert table[0, 1] == 3 / 7
    assert table[3, 4] == 3 / 8
    assert (table[2, [0, 1, 3, 4]] == 1).all()
    assert distances.EditDistance().matrix([10.0, 100.0])[0, 1] == 1 / 3


# --------------------------------------------------------------------------------------------- sets


@given(examples=sets)
def test_distances_of_sets_are_their_definitions(examples):
    def jaccard(a, b):
        return 1 - len(a & b) / len(a | b) if a | b else 0.0

    def dice(a, b):
        return 1 - 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0

    def passonneau(a, b):
        if a == b:
            return 0.0
        if not a & b:
            return 1.0
        return 1 / 3 if a <= b or b <= a else 2 / 3

    definitions = {
        "jaccard": jaccard,
        "dice": dice,
        "passonneau": passonneau,
        "masi": lambda a, b: 1 - (1 - jaccard(a, b)) * (1 - passonneau(a, b)),
        "masi-product": lambda a, b: jaccard(a, b) * passonneau(a, b),
    }
    for name, definition in definitions.items():
        expected = np.array([[definition(a, b) for b in examples] for a in examples])
        assert distances.as_distance(name).matrix(examples) == pytest.approx(expected)


def test_only_the_product_of_2008_is_smaller_than_both_factors_of_masi():
    pair = [frozenset("a"), frozenset("ab")]
    factors = [distances.as_distance(name).matrix(pair)[0, 1] for name in ("jaccard", "passonneau")]
    assert distances.MasiProduct().matrix(pair)[0, 1] < min(factors)
    assert distances.Masi().matrix(pair)[0, 1] > max(factors)


def test_the_empty_set_is_a_subset_only_on_request():
    pair = [frozenset(), frozenset("a")]
    assert distances.Passonneau().matrix(pair)[0, 1] == 1.0
    assert distances.Passonneau(empty_is_subset=True).matrix(pair)[0, 1] == pytest.approx(1 / 3)
    assert distances.Passonneau(empty_is_subset=True).to_dict()["empty_is_subset"] is True


def test_sets_are_split_at_the_separator():
    assert distances.Jaccard(separator=",").matrix(["a, b", "b"])[0, 1] == 0.5
    assert distances.Jaccard().matrix(["a,b", "b"])[0, 1] == 1.0


# --------------------------------------------------------------------------------------- taxonomies


def test_melamed_resnik_divides_the_mass_of_a_node_among_its_daughters():
    graph = nx.DiGraph([("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("a", "a3")])
    table = distances.MelamedResnik(graph).matrix(["r", "a", "b", "a1"])
    assert table == pytest.approx(
        np.array([[0, 0.5, 0.5, 5 / 6], [0.5, 0, 1, 2 / 3], [0.5, 1, 0, 1], [5 / 6, 2 / 3, 1, 0]])
    )


def test_a_node_with_two_mothers_receives_mass_from_both():
    graph = {"top": ["m1", "m2"], "m1": ["x", "y"], "m2": ["y", "z"]}
    masses = distances.Taxonomy.of(graph).masses()
    assert masses["top"].tolist() == [0.25, 0.5, 0.25]
    # y is one leaf that receives mass from both mothers
    assert distances.MelamedResnik(graph).matrix(["m1", "m2"])[0, 1] == pytest.approx(0.5)


def test_extended_senses_are_sets_of_a_node_and_its_ancestors():
    # AP08 §4.5: WN1 stands for {WN1, LABEL}, LABEL for itself
    distance = distances.ExtendedSenses({"LABEL": ["WN1", "WN3"]})
    assert distance.matrix(["WN1", "LABEL", "WN3"]) == pytest.approx(
        np.array([[0, 1 / 3, 2 / 3], [1 / 3, 0, 1 / 3], [2 / 3, 1 / 3, 0]])
    )
    by_jaccard = distances.ExtendedSenses({"LABEL": ["WN1", "WN3"]}, sets=distances.Jaccard())
    assert by_jaccard.matrix(["WN1", "WN3"])[0, 1] == pytest.approx(2 / 3)
    assert by_jaccard.to_dict()["sets"]["name"] == "jaccard"


def test_path_lengths_are_divided_by_the_longest():
    graph = {"r": ["a", "b"], "a": ["a1"], "b": ["b1"]}
    table = distances.TaxonomyPath(graph).matrix(["a1", "a", "r", "b1"])
    assert table[0].tolist() == [0.0, 0.25, 0.5, 1.0]
    two_roots = distances.TaxonomyPath({"r": ["a"], "s": ["b"]}).matrix(["a", "b", "r"])
    assert two_roots[0].tolist() == [0.0, 1.0, 0.25]


def test_alpha_is_higher_with_a_taxonomy_if_confused_categories_are_related():
    table = ga.ItemTable.from_matrix([["WN1", "LABEL"], ["WN3", "WN3"], ["WN22", "G1"], ["WN19", "WN1"]])
    graph = nx.DiGraph([(mother, daughter) for mother, daughters in TREE.items() for daughter in daughters])
    with_taxonomy = ga.krippendorff_alpha(table, distance=distances.MelamedResnik(graph))
    assert with_taxonomy.value > ga.krippendorff_alpha(table).value
