"""Small charts: lengths are the numbers, sentences say them, nothing is drawn for what is not there."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.data.continuum import Continuum
from gamma_align.insight.disagreements.shares import Share
from gamma_align.present.figures.charts import density_strip, dot_axis, dot_row, marked_bar, parts_bar, value_scale
from gamma_align.present.figures.palette import Palette

SVG = "{http://www.w3.org/2000/svg}"
LIGHT, PAGE = Palette(), Palette(in_page=True)


def parsed(text):
    return ET.fromstring(text)  # noqa: S314  (our own output)


def widths(text):
    return {
        node.get("data-reason"): float(node.get("width"))
        for node in parsed(text).iter()
        if "data-reason" in node.attrib
    }


def texts(text):
    return [node.text for node in parsed(text).iter() if node.tag.endswith("text")]


def share(missing, position, category):
    return Share(missing + position + category, missing, position, category, 1.0)


def test_a_bar_of_parts_is_as_long_as_the_disorder():
    bar = parts_bar(share(0.5, 0.25, 0.0), width=110, scale=100, palette=PAGE)
    assert widths(bar) == {"missing": 50, "position": 25}
    assert texts(bar) == []
    fills = [node.get("fill") for node in parsed(bar)]
    assert fills == ["var(--d0)", "var(--d3)", "url(#page-position)"]


def test_a_bar_of_shares_fills_its_width():
    assert widths(parts_bar(share(0.2, 0.1, 0.1), width=100, palette=PAGE)) == {
        "missing": 50,
        "position": 25,
        "category": 25,
    }


def test_a_bar_that_is_too_long_is_cut_and_says_so():
    bar = parts_bar(share(0.5, 0.4, 0.9), width=100, scale=100, palette=PAGE)
    assert sum(widths(bar).values()) == 88
    assert texts(bar) == ["»"]


@given(st.tuples(*[st.floats(0, 3)] * 3), st.sampled_from([None, 10, 110]))
def test_a_bar_never_leaves_its_width(parts, scale):
    assert sum(widths(parts_bar(share(*parts), width=120, scale=scale, palette=PAGE)).values()) <= 120.011


def test_a_sentence_has_shares_that_add_up():
    bar = parsed(parts_bar(share(1, 1, 1), width=100, palette=PAGE))
    assert bar.get("aria-label") == "missing 34 %, position 33 %, category 33 % of the disorder"
    assert bar.get("role") == "img"
    assert parsed(parts_bar(share(0, 0, 0), width=100, palette=PAGE)).get("aria-label") == "no disorder"


def test_a_hidden_chart_is_no_image_to_screen_readers():
    bar = parsed(parts_bar(share(1, 0, 0), width=100, palette=PAGE, hidden=True))
    assert bar.get("aria-hidden") == "true"
    assert bar.get("role") is None


def dot(text):
    (circle,) = (node for node in parsed(text).iter() if node.tag.endswith("circle"))
    return float(circle.get("cx"))


def test_a_value_stands_where_the_scale_says():
    assert dot(value_scale(0.5, 0.4, 0.6, palette=PAGE, width=216)) == 108
    assert dot(value_scale(-1, -1.04, -0.9, palette=PAGE, width=216)) == pytest.approx(8 + 200 * 0.1 / 2.1, abs=0.01)


def test_the_interval_of_a_corpus_is_a_band_and_that_of_a_document_a_whisker():
    band = parsed(value_scale(0.5, 0.4, 0.6, palette=PAGE, width=216))
    (rect,) = (node for node in band.iter() if node.tag.endswith("rect"))
    assert (float(rect.get("x")), float(rect.get("width"))) == (88, 40)
    whisker = parsed(value_scale(0.5, 0.4, 0.6, palette=PAGE, width=216, is_band=False))
    assert [node for node in whisker.iter() if node.tag.endswith("rect")] == []
    dotted = value_scale(0.5, 0.4, 0.6, palette=PAGE, is_precise=False)
    assert "stroke-dasharray" in dotted


def test_a_threshold_is_a_tick_with_its_words():
    text = value_scale(0.5, 0.4, 0.6, palette=PAGE, threshold=0.7)
    assert "asked for: ≥ 0.70" in texts(text)
    assert parsed(text).get("aria-label").endswith("asked for: at least 0.70")


def test_what_is_not_available_is_not_drawn():
    text = value_scale(math.nan, math.nan, math.nan, palette=PAGE)
    assert "circle" not in text
    assert "nan" not in text
    assert parsed(text).get("aria-label").startswith("γ is not available")


def test_a_whisker_narrower_than_its_dot_is_left_out():
    wide, narrow = (dot_row(0.5, 0.5 - half, 0.5 + half, axis_low=0.0, palette=PAGE) for half in (0.1, 0.01))
    assert wide.count("<line") == narrow.count("<line") + 3


def test_rows_and_axis_have_the_same_places():
    assert texts(dot_axis(0.5, palette=PAGE)) == ["0.5", "0.75", "1"]
    assert texts(dot_axis(-0.3, palette=PAGE)) == ["\u22120.3", "0", "1"]
    assert dot(dot_row(0.75, math.nan, math.nan, axis_low=0.5, palette=PAGE, width=320)) == 160


def test_a_bar_of_marks_is_as_long_as_its_share():
    ground, mark = parsed(marked_bar(30, 40, palette=PAGE, width=40))
    assert (ground.get("width"), mark.get("width")) == ("40", "30")
    assert len(parsed(marked_bar(0, 40, palette=PAGE))) == 1
    assert parsed(marked_bar(0, 0, palette=PAGE, name="<b>")).get("aria-label") == "<b> marked 0 of 0"


def strip(**options):
    units = [("Ann", at, at + 1, "x") for at in (0, 1, 2, 3, 90)] + [("Bob", at, at + 1, "x") for at in (5, 95)]
    continuum = Continuum.from_records(units, extent=(0, 100), annotators=["Ann", "Bob", "Cy"], document="d")
    return density_strip(continuum, palette=PAGE, width=164, **options)


def test_a_strip_has_columns_as_high_as_the_numbers_of_units():
    paths = [node.get("d") for node in parsed(strip(cut=50)).iter() if node.tag.endswith("path")]
    heights = [[float(tall) for tall in re.findall(r"v-([\d.]+)", path)] for path in paths]
    assert heights == [[22, 5.5], [5.5, 5.5], []]
    assert texts(strip(cut=50)) == ["Ann", "Bob", "Cy", "50", "0", "100"]


def test_a_strip_marks_who_is_silent_from_where():
    text = strip(cut=50, annotator="Bob", side="after", length_unit="character")
    assert "character 50" in texts(text)
    (ground,) = (node for node in parsed(text).iter() if node.tag.endswith("rect"))
    assert float(ground.get("x")) + float(ground.get("width")) == pytest.approx(164, abs=0.02)
    assert parsed(text).get("aria-label") == "Units placed along d by 3 annotators; Bob places few after 50"
    before = next(
        node for node in parsed(strip(cut=50, annotator="Bob", side="before")).iter() if node.tag.endswith("rect")
    )
    assert float(before.get("x")) + float(before.get("width")) == pytest.approx(float(ground.get("x")), abs=0.02)


@pytest.mark.parametrize("records", [[], [("<img onerror>", 5, 5, None)]])
def test_a_strip_of_next_to_nothing_is_a_picture(records):
    continuum = Continuum.from_records(records, annotators=["<img onerror>"], extent=(5, 5))
    text = density_strip(continuum, palette=LIGHT, cut=5, annotator="<img onerror>")
    assert "<img" not in text
    assert "nan" not in text
    parsed(text)
