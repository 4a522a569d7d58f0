"""Results: a value compares as a number, a result as its contents, and both are frames."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.inference.values import Value

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
