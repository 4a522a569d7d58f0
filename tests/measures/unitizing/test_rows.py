"""Rows of the uα family: what a frame of them contains, equality, runs of units, and what an error names first."""

from __future__ import annotations

import dataclasses
import math

import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.measures.unitizing import coincidences, family
from gamma_align.measures.unitizing.coincidences import CoincidenceTable, document_rows, unit_rows

UNITS = [("d", "ann", 0, 4, "x"), ("d", "ann", 6, 9, None), ("d", "bob", 1, 5, "x"), ("d", "bob", 6, 8, "y")]
CORPUS = ga.Corpus.from_records(UNITS, extents={"d": (0, 10)})


def rows_of_frame(overlap):
    rows = ga.document_statistics(CORPUS, ga.UnitizingSettings.of(overlap=overlap))
    frame = rows.to_frame()
    assert ga.UnitizingRows.from_frame(frame) == rows
    columns = ["number", "first", "first_gap", "second", "second_gap", "value"]
    table = frame[columns].astype(object)
    rows = [*table.where(table.notna(), None).itertuples(index=False, name=None)]
    assert rows[0] == ("document", None, False, None, False, 0.0)
    return rows


def test_a_frame_names_categories_and_gaps():
    """Lengths on which a value of one annotator meets a value of the other, by hand; gaps have no label."""
    rows = rows_of_frame("refuse")
    assert [row[1:] for row in rows if row[0] == "lengths"] == [
        ("x", False, "x", False, 6.0),
        ("x", False, None, True, 2.0),
        ("y", False, None, False, 2.0),
        (None, False, None, True, 1.0),
        (None, True, None, True, 4.0),
    ]
    assert {row[1:] for row in rows if row[0] == "own"} == {
        ("x", False, "x", False, 32.0),
        ("y", False, "y", False, 4.0),
        (None, False, None, False, 9.0),
    }


def test_a_frame_of_layers_names_the_layer_of_each_gap():
    lengths = {row[1:5]: row[5] for row in rows_of_frame("layers") if row[0] == "lengths"}
    assert lengths == {
        ("x", False, "x", False): 6.0,
        ("x", False, "x", True): 2.0,
        ("x", True, "x", True): 10.0,
        ("y", False, "y", True): 2.0,
        ("y", True, "y", True): 16.0,
        (None, False, None, True): 3.0,
        (None, True, None, True): 14.0,
    }


def test_the_same_data_give_equal_rows_and_results():
    """Values that are not available are NaN, which is not equal to itself."""
    assert document_rows(CORPUS, layers=False).coincidences == document_rows(CORPUS, layers=False).coincidences
    assert document_rows(CORPUS, layers=False).coincidences != document_rows(CORPUS, layers=True).coincidences
    apart = [("d", "ann", 0, 4, "x"), ("d", "bob", 6, 8, "y")]
    for measure in (ga.unitizing_alpha, ga.unitizing_alpha_2004):
        first, second, other = measure(apart), measure(apart), measure(UNITS[:1] + UNITS[2:])
        assert first == second
        assert first != other
        assert hash(first) == hash(second)


def test_the_same_documents_are_equal_and_have_one_hash():
    first, second = (ga.unitizing_alpha(UNITS).documents[0] for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)


def test_results_cannot_be_changed():
    for result in (ga.unitizing_alpha(UNITS), *ga.unitizing_alpha_2004(UNITS)):
        for field in dataclasses.fields(result):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(result, field.name, None)


@pytest.mark.parametrize(("max_rows", "run"), [(3, 2), (4, 1), (5, 1), (1, 4), (2, 2)])
def test_units_share_a_row_if_there_are_more_than_rows(monkeypatch, max_rows, run):
    monkeypatch.setattr(coincidences, "_MAX_UNIT_ROWS", max_rows)
    rows = unit_rows(CORPUS, 0, layers=False)
    assert (rows.run, len(rows.coincidences)) == (run, math.ceil(4 / run) + 1)


def test_the_first_boundary_out_of_range_is_named():
    units = [("d", "ann", 0, 1e60, "x"), ("d", "ann", 1e61, 1e62, "x"), ("d", "bob", 0, 4, "x")]
    with pytest.raises(InputError, match=r"the boundary 1e\+60 is out of range"):
        ga.unitizing_alpha(units)


@pytest.mark.parametrize(("distance", "has_limit"), [("nominal", True), ("interval", False)])
def test_coding_has_a_lowest_value_if_the_distance_is_nominal(distance, has_limit):
    """1 - 1 / expected disagreement: all that can disagree does. Squared differences of numbers have no limit."""
    units = [("d", "ann", 0, 4, "1"), ("d", "bob", 0, 5, "2"), ("d", "ann", 6, 8, "2"), ("d", "bob", 6, 9, "2")]
    corpus = ga.Corpus.from_records(units)
    rows = document_rows(corpus, layers=False)
    kind = family.Family.of(corpus.categories, ga.distances.by_name(distance), rows, layers=False)
    lowest = kind.lowest(CoincidenceTable(rows.coincidences).total())
    expected = ga.unitizing_alpha(corpus, distance=distance).expected
    assert lowest[:2] == pytest.approx([1 - 1 / expected["u"], 1 - 1 / expected["bar_u"]])
    assert lowest[2] == (pytest.approx(1 - 1 / expected["cu"]) if has_limit else -math.inf)
