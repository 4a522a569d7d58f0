"""Results: a value compares as a number, a result as its contents, and both are frames."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.inference.values import Value, json_ready, json_texts

available = Value(0.5, 0.4, 0.7)
missing = Value.unavailable("no units")


def test_a_value_compares_as_its_number():
    assert available == 0.5
    assert available == np.float64(0.5)
    assert available != 0.4
    assert (available < 0.6, available <= 0.5, available > 0.5, available >= 0.6) == (True, True, False, False)
    assert float(available) == 0.5


def test_values_are_equal_if_their_intervals_and_reasons_are():
    assert Value(0.5, 0.4, 0.7) == available
    assert Value(0.5, 0.4, 0.8) != available
    assert Value.unavailable("no units") == missing  # although NaN is not equal to itself
    assert Value.unavailable("no annotator") != missing
    assert (hash(Value(0.5, 0.4, 0.7)) == hash(available), missing == 0.5, math.isnan(missing.value)) == (
        True,
        False,
        True,
    )


def test_a_result_is_a_frame_of_one_row():
    frame = ga.item_coefficient([["a", "b"], ["b", "b"], ["a", "a"]], "kappa").to_frame()
    assert len(frame) == 1
    assert frame["name"].tolist() == ["kappa"]
    report = ga.chance_report([["a", "b"], ["b", "b"], ["a", "a"]])
    frame = report.to_frame()
    assert len(frame) == 1
    assert frame["bias"].tolist() == [report.bias]
    assert frame["kappa"].tolist() == pytest.approx([float(report.kappa)])


def test_rows_are_equal_to_a_sequence_of_the_same_rows_alone():
    units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    rows = ga.unitizing_alpha(units).documents
    first, second = rows
    assert rows == [first, second]
    assert rows == ga.unitizing_alpha(units).documents
    for other in ([second, first], [first], [first, second, second], [], {first.document, second.document}, 2):
        assert rows != other
    assert (rows[0], rows[-1], [*rows[1:]], [*rows[::-1]]) == (first, second, [second], [second, first])
    for row in (2, -3):
        with pytest.raises(IndexError, match=f"no row {row}: there are 2"):
            rows[row]


def test_columns_become_the_json_of_their_rows():
    records = [
        (f'd{document} ä"%s', f"a{annotator}", start, start + 3, 'xy"\n'[(document + start) % 4])
        for document in range(12)
        for annotator in range(2 + document % 2)
        for start in range(0, 4 * document, 4)
    ]
    seen = [(f'd{document} ä"%s', f"a{annotator}") for document in range(12) for annotator in range(3)]
    documents = ga.gamma(ga.Corpus.from_records(records, annotations=seen), samples=8).documents
    expected = [json.dumps(json_ready(row), ensure_ascii=False) for row in documents]
    assert [*documents.json_texts()] == expected
    assert any('"reason": "' in text for text in expected)
    assert any("null" in text for text in expected)


@pytest.mark.parametrize(
    "cells",
    [[], [1.5, math.nan, -math.inf], [1, True, 1.0, None, "a"], [0, False], ["é", "\ud800"], [{"a": (1, math.nan)}]],
)
def test_cells_become_the_json_of_each(cells):
    assert json_texts(cells) == [json.dumps(json_ready(cell), ensure_ascii=False) for cell in cells]
