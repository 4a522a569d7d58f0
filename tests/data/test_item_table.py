"""Item tables can be built from many sources, refuse invalid ones, and convert to and from continua."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.errors import InputError, OutOfMemoryError, SettingsError

ROWS = [("N", "N", "V"), ("V", None, "V"), (None, None, None)]
T = ga.ItemTable
RECORDS = [("i1", "ann", "N"), ("i1", "bob", "N"), ("i1", "cy", "V"), ("i2", "ann", "V"), ("i2", "cy", "V")]

cells = st.sampled_from(["a", "b", "", "ü", None])
matrices = st.integers(1, 4).flatmap(
    lambda w: st.lists(st.lists(cells, min_size=w, max_size=w), min_size=1, max_size=6)
)


# ----------------------------------------------------------------------------------------- building


def test_a_table_is_built_from_records():
    table = ga.ItemTable.from_records(RECORDS)
    assert table.rows() == [("N", "N", "V"), ("V", None, "V")]
    assert (table.coders, table.items, table.categories) == (("ann", "bob", "cy"), ("i1", "i2"), ("N", "V"))
    assert table.judgments.tolist() == [3, 2]
    assert sorted(table.to_records()) == sorted(RECORDS)


def test_a_table_is_built_from_a_matrix():
    table = ga.ItemTable.from_matrix(ROWS, coders=["x", "y", "z"], items=["one", "two", "three"])
    assert table.rows() == ROWS
    assert (len(table), table.n_categories, table.coders, table.items) == (
        3,
        2,
        ("x", "y", "z"),
        ("one", "two", "three"),
    )
    assert ga.ItemTable.from_matrix(ROWS).items == ("1", "2", "3")


@given(rows=matrices)
def test_rows_of_a_table_equal_the_matrix(rows):
    assert ga.ItemTable.from_matrix(rows).rows() == [tuple(row) for row in rows]


@pytest.mark.parametrize("value", [3, 300, -7, 1e6, 0.25])
def test_numbers_stay_numbers(value):
    rows = np.array([[value, value + 1], [np.nan, value]])
    table = ga.ItemTable.from_matrix(rows)
    assert table.labels.tolist() == [value, value + 1]
    assert table.rows() == [(f"{value:.15g}", f"{value + 1:.15g}"), (None, f"{value:.15g}")]


def test_a_tiny_fraction_is_a_category_distinct_from_0():
    table = ga.ItemTable.from_matrix(np.array([[-1.0, 7e-130], [0.0, -1.0]]))
    assert list(table.labels) == [-1.0, 0.0, 7e-130]


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(-5000, 5000), st.floats(-1e3, 1e3)), min_size=2, max_size=2),
        min_size=1,
    )
)
def test_numbers_are_coded_by_value(rows):
    table = ga.ItemTable.from_matrix(np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float))
    for row, codes in zip(rows, table.codes.tolist(), strict=True):
        assert [None if code < 0 else table.labels[code] for code in codes] == [
            None if v is None else float(v) for v in row
        ]
    assert (np.diff(table.labels) > 0).all()


def test_1_and_1_0_are_one_category_and_text_that_reads_as_numbers_is_sorted_as_numbers():
    assert ga.ItemTable.from_matrix([[1, 1.0], [2, np.float64(1)]]).categories == ("1", "2")
    assert ga.ItemTable.from_matrix([["10", "9"], ["2", "2"]]).categories == ("2", "9", "10")


def test_a_table_is_built_from_long_and_wide_columns():
    long = {"item": [1, 1, 2], "annotator": ["a", "b", "a"], "category": ["x", "y", "x"]}
    assert ga.ItemTable.from_columns(long).rows() == [("x", "y"), ("x", None)]
    with_coder = {"item": [1, 1, 2], "coder": ["a", "b", "a"], "category": ["x", "y", "x"]}
    assert ga.ItemTable.from_columns(with_coder).rows() == [("x", "y"), ("x", None)]
    wide = {"item": ["p", "q"], "a": ["x", "x"], "b": ["y", None]}
    table = ga.ItemTable.from_columns(wide)
    assert (table.rows(), table.items, table.coders) == ([("x", "y"), ("x", None)], ("p", "q"), ("a", "b"))
    renamed = {"doc": [1, 1], "annotator": ["a", "b"], "tag": ["x", "y"]}
    names = {"item": "doc", "category": "tag"}
    assert ga.ItemTable.from_columns(renamed, names=names).rows() == [("x", "y")]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_is_built_from_data_frames(library):
    frame = library({"a": ["x", None, "y"], "b": ["x", "y", "y"]})
    assert ga.ItemTable.from_frame(frame).rows() == [("x", "x"), (None, "y"), ("y", "y")]
    numbers = library({"a": [1.0, None, 3.0], "b": [1.0, 2.0, 3.0]})
    table = ga.ItemTable.from_frame(numbers)
    assert table.rows() == [("1", "1"), (None, "2"), ("3", "3")]
    assert table.labels.tolist() == [1.0, 2.0, 3.0]


def test_a_table_is_built_from_counts():
    table = ga.ItemTable.from_counts([[2, 1, 0], [0, 0, 3], [0, 1, 0]], ["a", "b", "c"], items=["i", "j", "k"])
    assert table.rows() == [("a", "a", "b"), ("c", "c", "c"), ("b", None, None)]
    assert table.anonymous
    assert table.declared
    columns = {"item": ["i", "j"], "a": ["2", "0"], "b": ["1", ""]}
    assert ga.ItemTable.from_columns({**columns, "b": [1, 3]}, layout="counts").rows() == [
        ("a", "a", "b"),
        ("b", "b", "b"),
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: T.from_counts([[1, 2], [10**15, 2]], "ab", items=["i", "j"]),
            "item 'j' has 1,000,000,000,000,002 jud",
        ),
        (lambda: T.from_counts([[10**15, 2]], "ab"), "item 1 has 1,000,000,000,000,002 judgments"),
        (lambda: T.from_contingency([[2, 10**15], [0, 3]], "ab"), "the table has 1,000,000,000,000,005 items"),
    ],
)
def test_counts_that_do_not_fit_into_memory_are_refused_before_they_take_any(make, message):
    with pytest.raises(OutOfMemoryError, match=message) as caught:
        make()
    assert "check the counts" in str(caught.value)


def test_a_table_is_built_from_a_contingency_table():
    table = ga.ItemTable.from_contingency([[2, 1], [0, 3]], ["yes", "no"], coders=("p", "q"))
    assert sorted(table.rows()) == sorted([("yes", "yes")] * 2 + [("yes", "no")] + [("no", "no")] * 3)
    columns = {"": ["yes", "no"], "yes": [2, 0], "no": [1, 3]}
    assert ga.ItemTable.from_columns(columns, layout="contingency").rows() == table.rows()


def test_sets_are_categories():
    table = ga.ItemTable.from_matrix([[{"a", "b"}, {"a"}], [None, set()]])
    assert table.categories == ("{}", "{a}", "{a, b}")
    assert table.rows() == [("{a, b}", "{a}"), (None, "{}")]
    split = ga.ItemTable.from_columns({"x": ["a|b", None], "y": ["a", "{}"]}, sets="|")
    assert split.rows() == table.rows()


def test_declared_categories_keep_their_order():
    table = ga.ItemTable.from_matrix([["low", "high"], ["low", None]], categories=["low", "mid", "high"])
    assert (table.categories, table.declared, table.codes.tolist()) == (("low", "mid", "high"), True, [[0, 2], [0, -1]])
    assert ga.ItemTable.from_matrix([["low", "high"]]).with_categories(["low", "mid", "high"]).codes.tolist() == [
        [0, 2]
    ]
    numbers = ga.ItemTable.from_matrix([[3, 1], [np.nan, 3]], categories=[5, 3, 1])
    assert (numbers.codes.tolist(), numbers.labels.tolist()) == ([[1, 2], [-1, 1]], [5.0, 3.0, 1.0])
    assert numbers.with_categories([1, 3, 5]).codes.tolist() == [[1, 0], [-1, 1]]
    sets = ga.ItemTable.from_matrix([[{"a"}, {"b"}]]).with_categories([{"b"}, {"a"}, set()])
    assert sets.codes.tolist() == [[1, 0]]


def test_codes_use_the_smallest_type():
    assert ga.ItemTable.from_matrix([[1, 2]]).codes.dtype == np.int8
    assert ga.ItemTable.from_matrix([list(range(200))]).codes.dtype == np.int16
    assert ga.ItemTable.from_matrix(np.arange(50_000.0)[:, None]).codes.dtype == np.int32


def test_tables_are_read_only_and_can_be_pickled():
    table = ga.ItemTable.from_matrix([[1.0, 2.0]])
    for array in (table.codes, table.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    copy = pickle.loads(pickle.dumps(table))  # noqa: S301
    assert copy.rows() == table.rows()
    assert not copy.codes.flags.writeable


def test_the_array_of_the_caller_stays_writeable():
    matrix = np.array([[1.0, np.nan]])
    ga.ItemTable.from_matrix(matrix)
    matrix[0, 0] = 5.0
    assert matrix[0, 0] == 5.0


def test_a_table_may_be_empty():
    empty = ga.ItemTable.from_matrix([])
    assert (len(empty), empty.coders) == (0, ())
    assert ga.krippendorff_alpha(empty).reason == "one coder only"
    assert ga.ItemTable.from_matrix([[None, None]]).n_categories == 0
    assert ga.ItemTable.from_matrix(np.full((2, 2), np.nan)).n_categories == 0


# ------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: T.from_records([("i", "a")]), "judgment 1 is .*; give a record of item, coder and category"),
        (lambda: T.from_records(["iax"]), "judgment 1 is 'iax'"),
        (
            lambda: T.from_records([*RECORDS, ("i2", "ann", "N")]),
            "row 6: coder 'ann' has a second judgment of item 'i2' .another category; the first is in row 4",
        ),
        (lambda: T.from_records([("i", "", "x")]), "row 1: the annotator is empty"),
        (lambda: T.from_records([(None, "a", "x")]), "row 1: the item is missing"),
        (lambda: T.from_records([("i", "a", b"x")]), "row 1: the category is b'x', a bytes"),
        (lambda: T.from_matrix([["a", "b"], ["a"]]), "row 2 has 1 judgments, the first 2"),
        (lambda: T.from_matrix(np.zeros(3)), "the matrix has shape .3,."),
        (lambda: T.from_matrix([["a", "b"]], coders=["x"]), "1 names .1 different. for 2 coders"),
        (lambda: T.from_matrix([["a"], ["b"]], items=["x", "x"]), "2 names .1 different. for 2 items"),
        (
            lambda: T.from_matrix([["a", "b"]], categories=["a"]),
            "row 1: the category 'b' is not declared",
        ),
        (
            lambda: T.from_matrix([[1, 2]], categories=[1, 3]),
            "row 1: the category '2' is not declared",
        ),
        (lambda: T.from_matrix([[1, 2]], categories=[]), "row 1: the category '1' is not declared"),
        (lambda: T.from_matrix([[1, 2]], categories=["a"]), "the categories are numbers, but 'a' is declared"),
        (lambda: T.from_matrix([["a"]], categories=["a", "a"]), "the category 'a' is declared twice"),
        (lambda: T.from_matrix([[math.inf, 1.0]]), "row 1: the category is inf; use NaN"),
        (
            lambda: T.from_matrix([[{"a"}, "b"]]),
            "row 1: the category is 'b', but other categories are sets",
        ),
        (lambda: T.from_columns({"a": ["x"], "b": ["x", "y"]}), "columns differ in length .a 1, b 2."),
        (lambda: T.from_columns({"item": ["x"]}), "no column of judgments"),
        (
            lambda: T.from_columns({"item": ["x", "x"], "a": ["p", "q"]}),
            "row 2: item 'x' is repeated .first in row 1",
        ),
        (
            lambda: T.from_columns({"item": ["x"], "a": ["p"]}, layout="long"),
            "no column 'annotator'; there are 'item', 'a'",
        ),
        (
            lambda: T.from_columns({"item": ["i"], "annotator": ["a"], "category": ["x", "y"]}),
            "columns differ in length",
        ),
        (lambda: T.from_columns({"a": ["1.5"]}, layout="counts"), "row 1: a is '1.5'; a count must be a whole number"),
        (lambda: T.from_columns({"item": ["i"]}, layout="counts"), "no column of counts"),
        (
            lambda: T.from_columns({"": ["a", "b"], "b": [1, 2], "c": [1, 2]}, layout="contingency"),
            "the labels 'a', 'b', the header has 'b', 'c'; give a column of labels",
        ),
        (lambda: T.from_columns({"": ["a"]}, layout="contingency"), "the header has none; give a column of labels"),
        (
            lambda: T.from_counts([[1, 2]], ["a"]),
            "the counts have shape .1, 2., and there are 1 categories",
        ),
        (lambda: T.from_counts([[-1, 2]], ["a", "b"]), "must be whole numbers, 0 or more"),
        (lambda: T.from_counts([["x", 2]], ["a", "b"]), "the counts are not numbers"),
        (
            lambda: T.from_contingency([[1, 2]], ["a", "b"]),
            "has shape .1, 2., and there are 2 categories; give a row",
        ),
        (lambda: T.from_frame([1, 2]), "a data frame is needed"),
    ],
)
def test_invalid_tables_are_refused(build, message):
    with pytest.raises(InputError, match=message):
        build()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "tall"}, "layout must be one of auto, long, wide"),
        (
            {"names": {"coder": "x"}},
            "names of columns can be given for .*, not for 'coder'; correct names=",
        ),
        ({"sets": ""}, "the text between the members of a set is empty; give one with sets="),
    ],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        ga.ItemTable.from_columns({"a": ["x"]}, **options)


# ------------------------------------------------------------------------------------------- bridges


def table_of_krippendorff_2011():
    rows = [
        *([1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4]),
        *([1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None]),
    ]
    return ga.ItemTable.from_matrix(rows)


def test_a_table_is_unchanged_by_conversion_to_a_continuum_and_back():
    table = table_of_krippendorff_2011()
    continuum = table.to_continuum(document="k2011")
    assert (continuum.document, len(continuum), continuum.extent) == ("k2011", 41, (0.0, 12.0))
    assert all(unit.end == unit.start + 1 for unit in continuum.units())
    assert ga.ItemTable.from_continuum(continuum).rows() == table.rows()


def test_an_item_without_judgments_leaves_a_gap_in_the_continuum():
    table = ga.ItemTable.from_matrix([["a", "a"], [None, None], ["b", "a"]])
    converted = ga.ItemTable.from_continuum(table.to_continuum())
    assert converted.items == ("0–1", "2–3")
    assert converted.rows() == [("a", "a"), ("b", "a")]


def test_the_alignment_of_predefined_items_equals_the_table():
    # M17 §5.1, without the two items that have one or two judgments: γ may align these with their neighbours
    full = table_of_krippendorff_2011()
    table = ga.ItemTable(full.codes[:10], full.coders, full.labels)
    aligned = ga.align(table.to_continuum()).to_items()
    assert sorted(map(str, aligned.rows())) == sorted(map(str, table.rows()))
    values = [ga.krippendorff_alpha(items, interval=None).value for items in (aligned, table)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_an_alignment_is_a_table_of_items():
    # M17 fig. 5: an empty unit is a missing value
    continuum = ga.Continuum.from_records(
        [("x", 0, 5, "A"), ("y", 1, 5, "B"), ("z", 0, 6, "A"), ("x", 10, 12, "B"), ("z", 20, 22, None)]
    )
    table = ga.align(continuum).to_items()
    assert sorted(map(str, table.rows())) == sorted(map(str, [("A", "B", "A"), ("B", None, None), (None, None, None)]))
    assert table.categories == ("A", "B")


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([("a", 0, 5, "x"), ("b", 3, 8, "x")], r"continuum: \[0, 5\] and \[3, 8\] overlap, but have different bounds"),
        ([("a", 0, 9, "x"), ("b", 2, 3, "x"), ("b", 4, 5, "x")], r"\[0, 9\] and \[2, 3\] overlap"),
        ([("a", 0, 5, "x"), ("a", 0, 5, "y")], "'a' has two units with the same bounds"),
    ],
)
def test_units_that_are_not_predefined_are_refused(records, message):
    with pytest.raises(InputError, match=message):
        ga.ItemTable.from_continuum(ga.Continuum.from_records(records))


def test_touching_units_are_items():
    touching = ga.Continuum.from_records([("a", 0, 5, "x"), ("b", 0, 5, "x"), ("a", 5, 9, "y")])
    assert ga.ItemTable.from_continuum(touching).rows() == [("x", "x"), ("y", None)]


def test_an_empty_continuum_is_an_empty_table():
    empty = ga.Continuum.from_records([], annotators=["a", "b"], extent=(0, 5))
    assert len(ga.ItemTable.from_continuum(empty)) == 0


def test_a_table_of_counts_cannot_become_a_continuum():
    with pytest.raises(InputError, match="does not name the coder of a judgment"):
        ga.ItemTable.from_counts([[1, 1]], ["a", "b"]).to_continuum()


def test_the_repr_of_a_table_is_one_line():
    table = ga.ItemTable.from_records([("i", "a", "x"), ("i", "b", "y")])
    assert repr(table) == "<ItemTable: items 1, coders 2, categories 2>"
