"""The picture of an alignment: valid XML, every unit drawn once, none hidden, nothing made up."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import unicodedata
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import TESTS

from gamma_align.alignment.align import Alignment
from gamma_align.data.continuum import Continuum
from gamma_align.report._drawing import category_colours, disorder_colour, text_on
from gamma_align.report.svg import Axis, alignment_svg

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def aligned(records, groups=None, *, costs=None, optimal=True, **declared):
    """Return an alignment made by hand; without groups every unit is alone."""
    continuum = Continuum.from_records(records, **declared)
    group = np.arange(len(continuum)) if groups is None else np.asarray(groups)
    count = int(group.max(initial=-1)) + 1
    disorders = np.ones(count) if costs is None else np.asarray(costs, dtype=float)
    total = float(disorders.sum())
    return Alignment(continuum, group, disorders, total, total if optimal else total / 2, optimal)


def drawn(alignment, **options):
    return ET.fromstring(alignment_svg(alignment, **options))  # noqa: S314  (our own output)


def unit_elements(root):
    return [element for element in root.iter() if "data-unit" in element.attrib]


def box(element):
    """Return (left, top, right, bottom) of a unit's shape."""
    rect = element.find(f"{SVG}rect")
    if rect is not None:
        x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        return x, y, x + width, y + height
    points = np.asarray(re.findall(f"({NUMBER}) ({NUMBER})", element.find(f"{SVG}path").get("d")), dtype=float)
    return (*points.min(axis=0), *points.max(axis=0))


def apart(first, second):
    slack = 0.011  # coordinates are written with two decimals
    return (
        first[2] <= second[0] + slack
        or second[2] <= first[0] + slack
        or first[3] <= second[1] + slack
        or second[3] <= first[1] + slack
    )


THREE = [
    ("Ann", 0, 10, "x"),
    ("Ann", 5, 12, "y"),
    ("Ann", 20, 20, "p"),
    ("Bob", 1, 10, "x"),
    ("Bob", 20, 20, "p"),
    ("Cy", 30, 40, None),
]


@pytest.fixture
def three():
    return aligned(THREE, [0, 1, 2, 0, 2, 3], costs=[0.12, 1.0, 0.4, 1.0], document="talk <3>")


def test_it_is_one_labelled_image(three):
    root = drawn(three)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label").startswith("talk <3>: 3 annotators · 6 units")
    assert "proven optimal" in root.get("aria-label")
    assert root.find(f"{SVG}title").text == root.get("aria-label")


def test_every_unit_is_drawn_once_with_its_alignment(three):
    found = {element.get("data-unit"): element.get("data-alignment") for element in unit_elements(drawn(three))}
    assert len(unit_elements(drawn(three))) == 6
    assert found == {"0": "0", "1": "1", "2": "2", "3": "0", "4": "2", "5": "3"}


def test_tooltips_say_who_what_where_and_how_bad(three):
    told = [element.find(f"{SVG}title").text for element in unit_elements(drawn(three))]
    assert told[3] == "Bob · x · 1–10 · disorder 0.12"
    assert told[1] == "Ann · y · 5–12 · aligned with nothing · disorder 1.00"
    assert told[5] == "Cy · 30–40 · aligned with nothing · disorder 1.00"


def test_a_unit_stands_where_the_axis_says():
    root = drawn(aligned([("A", 0, 50, "x"), ("B", 50, 100, "x")]))
    first, second = map(box, unit_elements(root))
    assert first[2] - first[0] == pytest.approx(second[2] - second[0], abs=0.02)
    assert first[2] + 1 == pytest.approx(second[0], abs=0.02)  # half a pixel of paper on each side


def test_overlapping_units_of_one_annotator_are_apart(three):
    boxes = [box(element) for element in unit_elements(drawn(three))]
    assert all(apart(*pair) for pair in itertools.combinations(boxes, 2))
    assert boxes[1][1] > boxes[0][1]


def test_zero_length_units_are_diamonds(three):
    elements = unit_elements(drawn(three))
    diamonds = [element.get("data-unit") for element in elements if element.find(f"{SVG}path") is not None]
    assert diamonds == ["2", "4"]
    left, top, right, bottom = box(elements[2])
    assert right - left == pytest.approx(12, abs=0.02)
    assert bottom - top == pytest.approx(12, abs=0.02)


def test_lone_units_are_dashed_and_others_are_not(three):
    def dashed(element):
        return any("stroke-dasharray" in shape.attrib for shape in element)

    assert [dashed(element) for element in unit_elements(drawn(three))] == [
        False,
        True,
        False,
        False,
        False,
        True,
    ]


def test_bands_join_the_units_of_a_unitary_alignment():
    records = [("A", 0, 10, "x"), ("B", 0, 10, "x"), ("C", 0, 10, "x"), ("C", 50, 60, "x")]
    root = drawn(aligned(records, [0, 0, 0, 1], costs=[0.2, 1.0]))
    bands = [path for path in root.iter(f"{SVG}path") if "data-alignment" in path.attrib]
    assert [band.get("data-alignment") for band in bands] == ["0", "0"]
    boxes = [box(element) for element in unit_elements(root)]
    for band, (upper, lower) in zip(bands, itertools.pairwise(boxes[:3]), strict=True):
        points = [
            (float(x), float(y)) for x, y in re.findall(f"({NUMBER}) ({NUMBER})", band.get("d").replace("L", " "))
        ]
        assert points[0] == pytest.approx((upper[0], upper[3]), abs=0.02)
        assert min(y for _, y in points) == pytest.approx(upper[3], abs=0.02)
        assert max(y for _, y in points) == pytest.approx(lower[1], abs=0.02)


def test_worse_alignments_are_redder():
    records = [(who, at, at + 5, "x") for who in "AB" for at in (0, 20)]
    root = drawn(aligned(records, [0, 1, 0, 1], costs=[0.0, 0.9]))
    fills = {
        path.get("data-alignment"): path.get("fill")
        for path in root.iter(f"{SVG}path")
        if "data-alignment" in path.attrib
    }
    assert fills == {"0": disorder_colour(0.0), "1": disorder_colour(0.9)}
    green = [int(disorder_colour(part)[3:5], 16) for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert green == sorted(green, reverse=True)
    assert len(set(green)) == 5


def test_the_worst_colour_is_the_cost_of_an_empty_unit():
    records = [("A", 0, 5, "x"), ("A", 20, 25, "x"), ("B", 0, 5, "x")]
    root = drawn(aligned(records, [0, 1, 0], costs=[1.0, 2.0]))  # Δ = 2
    (band,) = (path for path in root.iter(f"{SVG}path") if "data-alignment" in path.attrib)
    assert band.get("fill") == disorder_colour(0.5)


def test_an_annotator_without_units_has_a_lane():
    root = drawn(aligned([("A", 0, 5, "x")], annotators=["A", "Nobody"]))
    lanes = [element for element in root.iter(f"{SVG}g") if element.get("class") == "lane"]
    assert [lane.find(f"{SVG}title").text for lane in lanes] == ["A", "Nobody"]


def test_category_is_written_where_it_fits():
    root = drawn(aligned([("A", 0, 500, "PERSON"), ("A", 600, 630, "PERSON"), ("A", 700, 1000, "PERSON")]))
    labels = [element.findtext(f"{SVG}text") for element in unit_elements(root)]
    assert labels == ["PERSON", None, "PERSON"]


def test_the_legend_names_every_category(three):
    (legend,) = (element for element in drawn(three).iter(f"{SVG}g") if element.get("class") == "legend")
    texts = [text.text for text in legend.iter(f"{SVG}text")]
    assert texts[:4] == ["p", "x", "y", "no category"]


def test_a_legend_of_many_categories_says_how_many_more():
    root = drawn(aligned([("A", at, at + 1, f"c{at:03}") for at in range(40)]))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "and 10 more" in texts


def test_an_unproven_alignment_says_so():
    root = drawn(aligned(THREE, optimal=False))
    assert "not proven optimal, gap 50.00%" in root.get("aria-label")


def test_the_same_alignment_gives_the_same_bytes_in_another_process():
    records = [(who, at, at + 7, label) for who in "AB" for at in (0, 5, 30) for label in ("x", "y<&")]
    here = alignment_svg(aligned(records))
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from test_svg import aligned, alignment_svg\n"
        f"sys.stdout.buffer.write(alignment_svg(aligned({records!r})).encode())"
    )
    there = subprocess.run(
        [sys.executable, "-c", program, str(TESTS / "report"), str(TESTS / "helpers")],
        env={**os.environ, "PYTHONHASHSEED": "77"},
        capture_output=True,
        check=True,
    )
    assert there.stdout.decode() == here


def test_nothing_is_fetched_and_nothing_runs(three):
    text = alignment_svg(three)
    assert "<script" not in text
    assert re.findall(r"https?://[^\"\s]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\b(?:href|on\w+)=", text)


def test_title_and_width_can_be_given(three):
    root = drawn(three, title="My & talk", width=700)
    assert root.get("width") == "700"
    assert root.get("viewBox").startswith("0 0 700 ")
    assert root.find(f"{SVG}title").text.startswith("My & talk: ")


def test_no_units_at_all_is_a_picture_too():
    continuum = Continuum.from_records([], annotators=["A", "B"], extent=(0, 10))
    alignment = Alignment(continuum, np.empty(0, dtype=np.int64), np.empty(0), np.nan, np.nan, is_optimal=True)
    root = drawn(alignment)
    assert unit_elements(root) == []
    assert "nan" not in ET.tostring(root, encoding="unicode")


NASTY = st.text(
    st.sampled_from("<>&\"'\x00\x08\t\n\r\x1b\x85\u200b\u202e\ud800\udfff\ufffe\uffff]\u0301日😀a ") | st.characters(),
    max_size=12,
)
BOUND = st.one_of(
    st.integers(-50, 50).map(float),
    st.floats(-1e6, 1e6),
    st.sampled_from([0.0, -0.0, 1e-310, 1e15, 1e300, -1e300]),
)


@given(
    st.lists(st.tuples(NASTY.filter(str.strip), BOUND, BOUND, st.none() | NASTY), min_size=1, max_size=9),
    NASTY.filter(str.strip),
)
@settings(max_examples=150, deadline=None)
def test_any_names_and_any_bounds_give_valid_xml_with_every_unit_apart(records, name):
    records = [(who, min(start, end), max(start, end), label) for who, start, end, label in records]
    alignment = aligned(records, document=name)
    root = drawn(alignment)
    elements = unit_elements(root)
    assert [int(element.get("data-unit")) for element in elements] == list(range(len(records)))
    boxes = [box(element) for element in elements]
    assert np.isfinite(boxes).all()
    assert all(apart(*pair) for pair in itertools.combinations(boxes, 2))
    for element, unit in zip(elements, alignment.continuum.units(), strict=True):
        told = element.find(f"{SVG}title").text
        plain = [char for char in unit.category or "" if unicodedata.category(char)[0] in "LNP"]
        assert set(plain) <= set(told)


@pytest.mark.parametrize(
    ("extent", "labels"),
    [
        ((0.0, 10.0), ["0", "2", "4", "6", "8", "10"]),
        ((-1.0, 1.0), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
        ((995.0, 1405.0), ["1000", "1100", "1200", "1300", "1400"]),
        ((0.0, 0.003), ["0.000", "0.001", "0.002", "0.003"]),
    ],
)
def test_ticks_are_round(extent, labels):
    axis = Axis.of(extent, 0.0, 450.0)
    assert [label for _, label in axis.ticks()] == labels
    assert all(0 <= axis.x(position) <= 450.0001 for position, _ in axis.ticks())


def test_an_extent_without_length_has_an_axis():
    axis = Axis.of((26.0, 26.0), 0.0, 400.0)
    assert axis.x(26.0) == 200.0
    assert "26.0" in [label for _, label in axis.ticks()]


def test_categories_keep_their_colour_from_document_to_document():
    known = [f"c{place}" for place in range(10)]
    assert category_colours(["c3", "c9"], known) == {
        label: colour for label, colour in category_colours(known, known).items() if label in ("c3", "c9")
    }


def test_colours_of_forty_categories_differ():
    labels = [str(place) for place in range(40)]
    assert len(set(category_colours(labels, labels).values())) == 40


def test_text_is_dark_on_light_and_light_on_dark():
    assert text_on("#f0e442") == "#1f2933"
    assert text_on("#332288") == "#ffffff"
