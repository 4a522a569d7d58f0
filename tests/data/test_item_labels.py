"""Categories that are numbers are exact, whatever their type and origin."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.errors import InputError

BIG = 2**53  # float64 holds every integer only up to this one
TEXTS = (str(BIG), str(BIG + 1))
# two coders disagree on all items except the last
ROWS = [(BIG, BIG + 1), (BIG + 1, BIG), (BIG, BIG)]
ALPHA = 1 - (2 / 3) / (2 * 4 * 2 / (6 * 5))

SOURCES = {
    "integers": lambda: ga.ItemTable.from_matrix(ROWS),
    "int64": lambda: ga.ItemTable.from_matrix(np.array(ROWS)),
    "uint64": lambda: ga.ItemTable.from_matrix(np.array(ROWS, dtype=np.uint64)),
    "objects": lambda: ga.ItemTable.from_matrix(np.array(ROWS, dtype=object)),
    "NumPy's integers": lambda: ga.ItemTable.from_matrix([tuple(map(np.int64, row)) for row in ROWS]),
    "decimals": lambda: ga.ItemTable.from_matrix([tuple(map(Decimal, row)) for row in ROWS]),
    "integers and floats": lambda: ga.ItemTable.from_matrix([(float(BIG), BIG + 1), (BIG + 1, BIG), (BIG, BIG)]),
    "text": lambda: ga.ItemTable.from_matrix([tuple(map(str, row)) for row in ROWS]),
    "records": lambda: ga.ItemTable.from_records([(i, c, k) for i, row in enumerate(ROWS) for c, k in enumerate(row)]),
    "columns": lambda: ga.ItemTable.from_columns({"a": [a for a, _ in ROWS], "b": [b for _, b in ROWS]}),
    "a column of int64 and one of uint64": lambda: ga.ItemTable.from_columns(
        {"a": np.array(ROWS)[:, 0], "b": np.array(ROWS, dtype=np.uint64)[:, 1]}
    ),
    "declared": lambda: ga.ItemTable.from_matrix(ROWS, categories=[BIG, BIG + 1]),
    "declared later": lambda: ga.ItemTable.from_matrix(ROWS).with_categories([str(BIG), Decimal(BIG + 1)]),
    "a contingency table": lambda: ga.ItemTable.from_contingency([[1, 1], [1, 0]], [BIG, BIG + 1]),
}


@pytest.mark.parametrize("source", SOURCES)
def test_integers_beyond_2_53_are_distinct_categories(source):
    table = SOURCES[source]()
    assert table.categories == TEXTS
    assert ga.krippendorff_alpha(table, interval=None).value == pytest.approx(ALPHA)
    converted = ga.ItemTable.from_continuum(table.to_continuum())
    assert (converted.rows(), converted.categories) == (table.rows(), TEXTS)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_large_integers_are_exact_in_data_frames(library):
    frame = {"a": [a for a, _ in ROWS], "b": [b for _, b in ROWS]}
    assert ga.ItemTable.from_frame(library(frame)).categories == TEXTS
    if library is pd.DataFrame:
        missing = pd.DataFrame({name: pd.array([*values, None], dtype="Int64") for name, values in frame.items()})
    else:
        missing = library({name: [*values, None] for name, values in frame.items()})
    assert ga.ItemTable.from_frame(missing).rows() == [*(tuple(map(str, row)) for row in ROWS), (None, None)]


@pytest.mark.parametrize("kind", ["int64", "uint64", "decimal128(20, 2)", "string"])
def test_large_integers_are_exact_in_parquet_files(tmp_path, kind):
    path = tmp_path / "t.parquet"
    kinds = {"int64": pa.int64(), "uint64": pa.uint64(), "string": pa.string()}
    make = {"string": str}.get(kind, Decimal if "decimal" in kind else int)
    columns = {
        name: pa.array([make(row[column]) for row in ROWS] + [None], type=kinds.get(kind, pa.decimal128(20, 2)))
        for column, name in enumerate("ab")
    }
    pq.write_table(pa.table(columns), path)
    assert ga.read_items(path).rows() == [*(tuple(map(str, row)) for row in ROWS), (None, None)]


def test_booleans_in_a_parquet_file_are_text_next_to_integers(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [0, 1], "b": [True, False]}), path)
    assert ga.read_items(path).rows() == [("0", "True"), ("1", "False")]


def test_large_integers_are_exact_in_csv_files(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n{BIG},{BIG + 1}\n{BIG + 1},{BIG}.0\n,{BIG}\n")
    assert ga.read_items(path).rows() == [TEXTS, TEXTS[::-1], (None, TEXTS[0])]
    path.write_text("a,b\n0.30000000000000000001,0.3\n1,1.0\n")
    assert ga.read_items(path).rows() == [("0.30000000000000000001", "0.3"), ("1", "1")]
    path.write_text(f"{BIG},{BIG + 1}\n1,0\n0,2\n")
    assert ga.read_items(path, layout="counts").categories == TEXTS
    path.write_text(f"a,b\n{10**19},{10**19 - 1}\n")
    assert ga.read_items(path, categories=[str(10**19), str(10**19 - 1)]).codes.tolist() == [[0, 1]]


def test_equal_numbers_of_different_types_are_one_category():
    for number in (1, 1.0, np.uint8(1), np.float32(1), Decimal("1.00")):
        assert ga.ItemTable.from_matrix([[1, number], [2, Decimal(BIG + 1)]]).categories == ("1", "2", TEXTS[1])
    assert ga.ItemTable.from_matrix([[0.1, Decimal("0.1")]]).categories == ("0.1",)
    assert ga.ItemTable.from_matrix([[2**60, 2.0**60]]).categories == (str(2**60),)
    assert ga.ItemTable.from_matrix([[-0.0, 0]]).categories == ("0",)


def test_equal_numbers_among_text_are_one_category():
    table = ga.ItemTable.from_matrix([[1, 1.0, "x"], [BIG, BIG + 1, Decimal("NaN")]])
    assert table.rows() == [("1", "1", "x"), (*TEXTS, None)]


@pytest.mark.parametrize(
    ("cells", "categories"),
    [
        ([1 / 3, math.nextafter(1 / 3, 1)], ("0.3333333333333333", "0.33333333333333337")),
        ([0.3, 0.1 + 0.2], ("0.3", "0.30000000000000004")),
        ([10**400, 1], ("1", "1E+400")),
        ([Decimal("1.50"), Decimal("1.500000000000000000001")], ("1.5", "1.500000000000000000001")),
        ([Fraction(1, 3), Fraction(2, 3)], ("1/3", "2/3")),
        ([True, 1], ("1", "True")),
        ([np.complex128(1), np.complex128(1j)], ("(1+0j)", "1j")),
    ],
)
def test_similar_and_unusual_numbers_are_distinct_categories(cells, categories):
    assert ga.ItemTable.from_matrix([cells]).categories == categories


def test_floats_longer_than_float64_are_exact():
    longer = np.nextafter(np.longdouble(1), np.longdouble(2))
    table = ga.ItemTable.from_matrix(np.array([[longer, 1]], dtype=np.longdouble))
    assert table.n_categories == (1 if float(longer) == longer else 2)  # on some machines no type is longer


def test_masked_arrays_have_missing_judgments():
    masked = np.ma.array([[1, 2], [2, 2]], mask=[[False, True], [False, False]])
    assert ga.ItemTable.from_matrix(masked).rows() == [("1", None), ("2", "2")]
    assert ga.ItemTable.from_columns({"a": masked[:, 0], "b": masked[:, 1]}).rows() == [("1", None), ("2", "2")]


def test_invalid_and_undeclared_numbers_are_refused():
    with pytest.raises(InputError, match="row 1: the category is Infinity; use NaN"):
        ga.ItemTable.from_matrix([[Decimal("Infinity"), BIG + 1]])
    with pytest.raises(InputError, match=f"row 1: the category '{BIG + 1}' is not declared"):
        ga.ItemTable.from_matrix([[BIG, BIG + 1]], categories=[BIG])
    with pytest.raises(InputError, match="declared twice"):
        ga.ItemTable.from_matrix([[BIG, BIG + 1]], categories=[BIG, BIG + 1, float(BIG)])


numbers = st.one_of(
    st.none(),
    st.integers(BIG - 2, BIG + 2),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
)


@given(st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=1, max_size=8))
def test_judgments_have_one_category_if_and_only_if_their_numbers_are_equal(rows):
    table = ga.ItemTable.from_matrix(rows)
    flat = [cell for row in rows for cell in row]
    codes = table.codes.ravel().tolist()
    exact = [Decimal(repr(cell)) if isinstance(cell, float) and not cell.is_integer() else cell for cell in flat]
    for (first, first_code), (second, second_code) in product(zip(exact, codes, strict=True), repeat=2):
        assert (first_code == second_code) == (first == second)
    assert len(set(table.categories)) == table.n_categories


@given(st.lists(st.integers(-(10**25), 10**25).map(str), min_size=1, max_size=6))
def test_texts_that_are_all_numbers_are_sorted_as_numbers(labels):
    table = ga.ItemTable.from_matrix([labels])
    assert list(table.categories) == sorted(set(labels), key=int)


# ---------------------------------------------------------------------------------- categories of units


UNITS = {
    "integers": [BIG, BIG + 1],
    "int64": np.array([BIG, BIG + 1]),
    "uint64": np.array([2**64 - 2, 2**64 - 1], dtype=np.uint64),
    "decimals": [Decimal(BIG), Decimal(BIG + 1)],
    "text": [str(BIG), str(BIG + 1)],
}


@pytest.mark.parametrize("kind", UNITS)
def test_categories_of_units_are_exact(kind, tmp_path):
    labels = UNITS[kind]
    expected = tuple(map(str, labels))
    columns = {"document": ["d"] * 2, "annotator": ["a", "b"], "start": [0, 0], "end": [1, 1], "category": labels}
    rows = list(zip(*columns.values(), strict=True))
    assert ga.Corpus.from_records(rows).categories == expected
    assert ga.Corpus.from_columns(columns).categories == expected
    assert ga.Continuum.from_records([row[1:] for row in rows]).categories == expected
    for library in (pd.DataFrame, pl.DataFrame, pa.table):
        assert ga.Corpus.from_frame(library(columns)).categories == expected
    pq.write_table(pa.table(columns), tmp_path / "units.parquet")
    assert ga.read(tmp_path / "units.parquet").categories == expected
    csv = "document,annotator,start,end,category\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "units.csv").write_text(csv)
    assert ga.read(tmp_path / "units.csv").categories == expected


def test_categories_of_units_are_exact_if_some_are_missing():
    columns = {"document": ["d"] * 3, "annotator": ["a", "b", "c"], "start": [0] * 3, "end": [1] * 3}
    frames = [pd.DataFrame({**columns, "category": pd.array([BIG, BIG + 1, None], dtype="Int64")})]
    frames += [library({**columns, "category": [BIG, BIG + 1, None]}) for library in (pl.DataFrame, pa.table)]
    for frame in frames:
        assert ga.Corpus.from_frame(frame).categories == TEXTS


def test_sets_with_members_that_look_like_sets_have_distinct_names():
    table = ga.ItemTable.from_matrix([[{"a, b"}, {"a", "b"}], [{"c"}, {"{c}"}]])
    assert len(set(table.categories)) == table.n_categories == 4
    converted = ga.ItemTable.from_continuum(table.to_continuum())
    assert converted.n_categories == 4
