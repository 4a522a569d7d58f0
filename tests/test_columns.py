"""Tests of `Columns`: rows and their entries are selected, joined, filled and compared."""

from __future__ import annotations

import doctest
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

import gamma_align.columns
from gamma_align.columns import (
    BoolArray,
    CodeArray,
    Columns,
    FloatArray,
    IntArray,
    RowGroups,
    chunks,
    distinct,
    grouped_sums,
    numbered,
    order_in_runs,
    stable_order,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Means(Columns):
    mean: FloatArray
    count: CodeArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Documents(Columns):
    names: tuple[str, ...]
    means: Means
    is_known: BoolArray
    unit_row: IntArray
    unit_means: Means
    length_unit: str

    common_fields = ("length_unit",)
    entry_fields = ("unit_row", "unit_means")


def make_means(*values):
    return Means(np.array(values, dtype=np.float64), np.arange(len(values), dtype=np.int32))


UNITS_PER_DOCUMENT = (2, 0, 3, 1)
DOCUMENTS = Documents(
    names=("a", "b", "c", "d"),
    means=make_means(0.5, np.nan, 2.5, 3.5),
    is_known=np.array([True, False, True, True]),
    unit_row=np.repeat(np.arange(4), UNITS_PER_DOCUMENT),
    unit_means=make_means(0.0, 0.1, 2.0, 2.1, 2.2, 3.0),
    length_unit="char",
)


def unit_means(documents, row):
    """Return the means of the units of one row."""
    return documents.unit_means.mean[documents.unit_row == row].tolist()


def test_the_example_runs():
    assert doctest.testmod(gamma_align.columns).failed == 0


def test_rows_are_taken_with_their_entries_in_the_order_of_the_index():
    taken = DOCUMENTS.take(np.array([2, 0, 2]))
    assert taken.names == ("c", "a", "c")
    assert taken.means.mean.tolist() == [2.5, 0.5, 2.5]
    assert taken.unit_row.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert [unit_means(taken, row) for row in range(3)] == [[2.0, 2.1, 2.2], [0.0, 0.1], [2.0, 2.1, 2.2]]
    assert taken.length_unit == "char"


@pytest.mark.parametrize(
    ("index", "same"),
    [
        (slice(1, 3), [1, 2]),
        (slice(2, 99), [2, 3]),
        (slice(3, 1), []),
        (slice(-1, None), [3]),
        (slice(None, None, -2), [3, 1]),
        (np.array([-1, -3]), [3, 1]),
        (np.array([True, False, False, True]), [0, 3]),
    ],
    ids=[
        "slice",
        "slice beyond the end",
        "empty slice",
        "slice from the end",
        "slice backwards",
        "indices from the end",
        "mask",
    ],
)
def test_a_slice_or_a_mask_selects_the_rows_that_their_indices_select(index, same):
    assert DOCUMENTS.take(index) == DOCUMENTS.take(np.array(same, dtype=np.int64))


def test_joining_the_parts_gives_the_whole():
    parts = [DOCUMENTS.take(slice(*cut)) for cut in ((0, 1), (1, 1), (1, 3), (3, 4))]
    assert Documents.join(parts) == DOCUMENTS
    assert parts[2].unit_row.tolist() == [1, 1, 1]  # not changed by joining


def test_filling_writes_rows_and_leaves_entries():
    blank = Documents.blank(4, names=DOCUMENTS.names, length_unit="char")
    assert blank.means == Means(np.zeros(4), np.zeros(4, dtype=np.int32))
    assert len(blank.unit_row) == len(blank.unit_means) == 0
    blank.fill(slice(0, 3), DOCUMENTS.take(slice(0, 3)))
    blank.fill(np.array([3]), DOCUMENTS.take(np.array([3])))
    assert replace(blank, unit_row=DOCUMENTS.unit_row, unit_means=DOCUMENTS.unit_means) == DOCUMENTS


def test_equality_compares_nan_types_and_common_fields():
    assert make_means(np.nan) == make_means(np.nan)
    assert make_means(np.nan) != make_means(0.0)
    assert make_means(1.0) != replace(make_means(1.0), count=np.zeros(1, dtype=np.int64))
    assert replace(DOCUMENTS, length_unit="s") != DOCUMENTS
    assert pickle.loads(pickle.dumps(DOCUMENTS)) == DOCUMENTS  # noqa: S301


def test_columns_have_a_length_names_and_a_short_printed_form():
    assert len(DOCUMENTS) == 4
    assert repr(DOCUMENTS) == "<Documents: rows 4>"
    assert [*DOCUMENTS.columns()] == ["names", "means", "is_known", "unit_row", "unit_means"]
    assert Means.dtype_of("count") == np.int32


def test_chunks_cover_all_rows_in_order():
    assert chunks(np.array([4, 4, 4, 20, 1]), 8) == [(0, 2), (2, 4), (4, 5)]
    assert chunks(np.zeros(0), 8) == []


def test_sums_of_groups_of_rows_are_their_own_sums():
    rng = np.random.default_rng(3)
    values = rng.random((50, 2))
    groups = [rng.integers(0, 50, size) for size in (3, 0, 40, 3, 1, 40)]
    sums = RowGroups(groups).sums(values)
    assert sums.tolist() == [values[rows].sum(axis=0).tolist() for rows in groups]
    assert len(RowGroups([]).sums(values)) == 0


@pytest.mark.parametrize("shape", [(50, 7), (50, 0), (0, 3), (50, 2, 3)])
def test_grouped_sums_of_tables_add_rows_in_their_order(shape):
    generator = np.random.default_rng(2)
    group, values = generator.integers(0, 4, shape[0]), generator.normal(size=shape)
    expected = np.zeros((5, *shape[1:]))
    for code, row in zip(group, values, strict=True):
        expected[code] += row
    np.testing.assert_array_equal(grouped_sums(group, values, 5), expected)


def test_groups_of_many_rows_are_divided_into_blocks(monkeypatch):
    monkeypatch.setattr(gamma_align.columns, "_BLOCK_ROWS", 10)
    groups = [np.arange(4)] * 7 + [np.arange(30)]
    blocks = [(members.tolist(), rows.shape) for members, rows in RowGroups(groups).blocks()]
    assert [index for members, _ in blocks for index in members] == list(range(8))
    assert max(shape[0] for _, shape in blocks) == 3


def test_values_are_sorted_in_each_run_and_equal_ones_keep_their_order():
    rng = np.random.default_rng(5)
    begins_run = rng.random(400) < 0.2
    begins_run[0] = True
    values = rng.integers(0, 4, 400).astype(float)
    run = np.cumsum(begins_run)
    assert order_in_runs(begins_run, values).tolist() == np.lexsort((values, run)).tolist()
    assert order_in_runs(begins_run[:0], values[:0]).tolist() == []


@pytest.mark.parametrize("largest", [3, 65_535, 65_536])
def test_codes_of_any_width_are_sorted_and_equal_ones_keep_their_order(largest):
    codes = np.array([largest, 1, largest, 0, 1, largest - 1])
    assert stable_order(codes).tolist() == [3, 1, 4, 5, 0, 2]


@pytest.mark.parametrize("values", [[], [3], [2, 2, -1, 5, 2, -1]])
def test_values_are_numbered_as_by_numpy(values):
    codes = np.array(values, dtype=np.int64)
    for found, expected in zip(numbered(codes), np.unique(codes, return_inverse=True), strict=True):
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("size", [255, 256, 3_000])
@pytest.mark.parametrize(("low", "high", "kind"), [
    (0, 5, np.int64), (0, 90_000, np.int64), (0, 10**12, np.int64), (-9, 50, np.int64), (0, 700, np.int32),
    (0, 9, np.float64),
])  # fmt: skip
def test_many_values_are_numbered_as_by_numpy(size, low, high, kind):
    values = np.random.default_rng(size).integers(low, high, size).astype(kind)
    for found, expected in zip(numbered(values), np.unique(values, return_inverse=True), strict=True):
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()
    assert distinct(values).dtype == kind
    assert distinct(values).tolist() == np.unique(values).tolist()
