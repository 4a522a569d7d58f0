"""Fast texts of the page, against the plain expressions that they stand for."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from gamma_align.data.continuum import Unit
from gamma_align.insight.disagreements.disputed_rows import Disagreement
from gamma_align.insight.disagreements.shares import Share
from gamma_align.present.figures.elements import pixels
from gamma_align.present.page.card_html import escaped
from gamma_align.present.page.deciding import place
from gamma_align.present.page.numbers import decimal, rounded

NUMBERS = st.one_of(
    st.floats(-1e9, 1e9), st.floats(-0.02, 0.02), st.integers(-(10**7), 10**7).map(lambda number: number / 200)
)


@given(NUMBERS, st.integers(0, 4))
def test_decimals_are_rounded_and_zero_has_no_sign(value, digits):
    assert decimal(value, digits) == format(round(value, digits) + 0.0, f",.{digits}f").replace("-", "\N{MINUS SIGN}")


@given(NUMBERS)
def test_coordinates_have_two_decimals_at_most(value):
    assert pixels(value) == format(round(value, 2) + 0.0, ".10g")


@pytest.mark.parametrize("value", [0, -0.0, -0.001, 1e7, 9_999_999.999, 1e12, math.inf, -math.inf, math.nan])
def test_coordinates_of_extreme_values(value):
    assert pixels(value) == format(round(value, 2) + 0.0, ".10g")


@given(st.lists(st.floats(0, 50), max_size=4))
def test_rounded_parts_add_up_to_their_rounded_sum(parts):
    values = rounded(parts)
    assert sum(values) == pytest.approx(round(sum(parts), 2), abs=0.0101)
    assert all(abs(value - part) < 0.0101 for value, part in zip(values, parts, strict=True))


@given(st.text())
def test_texts_are_escaped_as_in_templates(text):
    assert escaped(text) == str(escape(text))


@given(st.text(), st.lists(st.tuples(st.text(), st.floats(0, 9), st.floats(9, 99), st.none() | st.text()), min_size=1))
def test_a_place_is_its_document_and_units_in_json(document, units):
    none = Share(0.0, 0.0, 0.0, 0.0, 0.0)
    row = Disagreement(0, document, 0.0, 1.0, none, "missing", 0, None, tuple(Unit(*unit) for unit in units), ())
    fields = ("annotator", "start", "end", "category")
    assert json.loads(place(row)) == {
        "document": document,
        "units": [dict(zip(fields, unit, strict=True)) for unit in units],
    }
