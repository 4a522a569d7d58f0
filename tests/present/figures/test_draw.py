"""The picture of an alignment: valid XML, every unit drawn once or counted, none on another, nothing made up."""

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
from hypothesis import given
from hypothesis import strategies as st
from places import TESTS

from gamma_align.alignment.align import Alignment
from gamma_align.data.continuum import Continuum
from gamma_align.errors import SettingsError
from gamma_align.present.figures.axis import Axis
from gamma_align.present.figures.draw import alignment_svg, draw
from gamma_align.present.figures.palette import TOKENS, Palette
from gamma_align.present.figures.scene import Scene

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


def hidden_units(root):
    return [
        int(unit) for node in root.iter() if "data-hidden" in node.attrib for unit in node.get("data-hidden").split()
    ]


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
    assert right - left == pytest.approx(14, abs=0.02)
    assert bottom - top == pytest.approx(14, abs=0.02)


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


def bands(root):
    (group,) = (node for node in root.iter(f"{SVG}g") if node.get("class") == "bands")
    return {band.get("data-alignment"): band.get("fill") for band in group}


def test_worse_alignments_have_more_wine_and_agreement_has_none():
    records = [(who, at, at + 5, "x") for who in "AB" for at in (0, 20, 40)]
    root = drawn(aligned(records, [0, 1, 2, 0, 1, 2], costs=[0.0, 0.2, 0.9]))
    assert bands(root) == {"1": TOKENS["d1"].light, "2": TOKENS["d4"].light}


def test_the_darkest_wine_is_the_cost_of_a_unit_aligned_with_nothing():
    records = [("A", 0, 5, "x"), ("A", 20, 25, "x"), ("B", 0, 5, "x")]
    root = drawn(aligned(records, [0, 1, 0], costs=[1.0, 2.0]))  # Δ = 2
    assert bands(root) == {"0": TOKENS["d2"].light}


def test_an_annotator_without_units_has_a_lane():
    root = drawn(aligned([("A", 0, 5, "x")], annotators=["A", "Nobody"]))
    lanes = [element for element in root.iter(f"{SVG}g") if element.get("class") == "lane"]
    assert [lane.find(f"{SVG}title").text for lane in lanes] == ["A", "Nobody"]


def test_category_is_written_where_it_fits():
    root = drawn(aligned([("A", 0, 500, "PERSON"), ("A", 600, 630, "PERSON"), ("A", 700, 1000, "PLACE")]))
    labels = [element.findtext(f"{SVG}text") for element in unit_elements(root)]
    assert labels == ["PERSON", None, "PLACE"]


def test_the_legend_names_every_category(three):
    texts = [text.text for text in list(drawn(three))[-1].iter(f"{SVG}text")]
    assert texts == [
        *"pxy",
        "no label",
        "aligned with nothing",
        "disorder, from little to that of a unit aligned with nothing",
    ]


def test_a_legend_of_many_categories_says_how_many_more():
    root = drawn(aligned([("A", at, at + 1, f"c{at:03}") for at in range(40)]))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "and 10 more labels" in texts


def test_an_unproven_alignment_says_so():
    root = drawn(aligned(THREE, optimal=False))
    assert "not proven optimal, gap 50.00%" in root.get("aria-label")


@pytest.mark.surfaces
def test_the_same_alignment_gives_the_same_bytes_in_another_process():
    records = [(who, at, at + 7, label) for who in "AB" for at in (0, 5, 30) for label in ("x", "y<&")]
    here = alignment_svg(aligned(records))
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from test_draw import aligned, alignment_svg\n"
        f"sys.stdout.buffer.write(alignment_svg(aligned({records!r})).encode())"
    )
    there = subprocess.run(
        [sys.executable, "-c", program, str(TESTS / "present" / "figures"), str(TESTS / "helpers")],
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
    assert root.findtext(f"{SVG}text") == "My & talk"


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
def test_any_names_and_any_bounds_give_valid_xml_with_every_unit_apart(records, name):
    records = [(who, min(start, end), max(start, end), label) for who, start, end, label in records]
    alignment = aligned(records, document=name)
    root = drawn(alignment)
    elements = unit_elements(root)
    shown = [int(element.get("data-unit")) for element in elements]
    assert sorted([*shown, *hidden_units(root)]) == list(range(len(records)))
    boxes = [box(element) for element in elements]
    assert np.isfinite(boxes).all()
    assert all(apart(*pair) for pair in itertools.combinations(boxes, 2))
    units = list(alignment.continuum.units())
    for element, unit in zip(elements, [units[number] for number in shown], strict=True):
        words = element.find(f"{SVG}title").text
        plain = [char for char in unit.category or "" if unicodedata.category(char)[0] in "LNP"]
        assert set(plain) <= set(words)


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
    assert all(0 <= axis.x(np.array(position)) <= 450.0001 for position, _ in axis.ticks())


def test_an_extent_without_length_has_an_axis():
    axis = Axis.of((26.0, 26.0), 0.0, 400.0)
    assert axis.x(np.array(26.0)) == 200.0
    assert "26.0" in [label for _, label in axis.ticks()]


def test_overlapping_units_past_four_rows_are_counted_where_they_would_stand():
    records = [("A", 0, 50 + number, "x") for number in range(6)] + [("A", 80, 90, "x"), ("B", 0, 9, "x")]
    root = drawn(aligned(records, extent=(0, 100)))
    assert len(unit_elements(root)) == 6
    (counted,) = (node for node in root.iter() if "data-hidden" in node.attrib)
    assert counted.findtext(f"{SVG}text") == "+2"
    assert hidden_units(root) == [4, 5]
    assert "A · x · 0–55" in counted.findtext(f"{SVG}title")


def test_narrow_units_that_do_not_overlap_stand_in_one_row():
    records = [("A", at / 10, at / 10 + 0.1, "x") for at in range(0, 100, 2)] + [("B", 0, 100, "x")]
    root = drawn(aligned(records))
    boxes = [box(element) for element in unit_elements(root)][:50]
    assert len({(top, bottom) for _, top, _, bottom in boxes}) == 1
    assert all(apart(*pair) for pair in itertools.combinations(boxes, 2))
    assert boxes[-1][2] - boxes[-1][0] == pytest.approx(2, abs=0.02)  # wide enough to be seen, where there is room


def test_labels_keep_their_colour_from_document_to_document():
    few, many = aligned([("A", 0, 5, "x"), ("B", 0, 5, "y")]), aligned([("A", 0, 5, "y"), ("B", 0, 5, "y")])
    fills = [
        {unit.find(f"{SVG}rect").get("stroke") for unit in unit_elements(drawn(alignment, labels=("y", "x")))}
        for alignment in (few, many)
    ]
    assert fills == [{TOKENS["c1"].light, TOKENS["c2"].light}, {TOKENS["c1"].light}]


def test_labels_are_coloured_by_frequency():
    records = [("A", at, at + 5, "rare" if at == 0 else "often") for at in (0, 10, 20)]
    strokes = [unit.find(f"{SVG}rect").get("stroke") for unit in unit_elements(drawn(aligned(records)))]
    assert strokes == [TOKENS["c2"].light, TOKENS["c1"].light, TOKENS["c1"].light]


def test_a_window_has_what_stands_in_it_and_a_map_above():
    records = [(who, at, at + 10, "x") for who in "AB" for at in range(0, 100, 20)]
    alignment = aligned(records, [0, 1, 2, 3, 4] * 2)
    root = drawn(alignment, window=(25, 70))
    assert [element.get("data-unit") for element in unit_elements(root)] == ["1", "2", "3", "6", "7", "8"]
    (window,) = (node for node in root.iter() if node.get("class") == "window")
    assert float(window.get("width")) == pytest.approx(918 * 45 / 90, abs=0.1)
    assert not [node for node in drawn(alignment).iter() if node.get("class") == "window"]
    boxes = [box(element) for element in unit_elements(root)]
    width = float(root.get("width"))
    assert all(0 <= left < right <= width for left, _, right, _ in boxes)


@pytest.mark.parametrize("window", [(5, 5), (7, 3), (200, 300), (-9, -5)])
def test_a_window_outside_is_refused(window, three):
    with pytest.raises(SettingsError, match=r"must be a stretch of the extent, 0–40 of document 'talk <3>'"):
        alignment_svg(three, window=window)


def people(n, units, *, length=5):
    records = [(f"p{person:03}", at * 10, at * 10 + length, f"l{at % 3}") for person in range(n) for at in range(units)]
    return aligned(records, list(range(units)) * n, costs=np.linspace(0, 1, units), extent=(0, units * 10))


def paths_with(root, attribute):
    return [node for node in root.iter(f"{SVG}path") if attribute in node.attrib]


def fragment(alignment, **options):
    scene = Scene.of_alignment(alignment)
    return ET.fromstring(draw(scene, width=900, palette=Palette(scene.labels), **options))  # noqa: S314


@pytest.mark.parametrize(
    ("annotators", "height", "has_bands"),
    [(2, 28, True), (7, 28, True), (8, 14, True), (20, 14, True), (21, 3, False)],
)
def test_lanes_are_as_high_as_annotators_are_few(annotators, height, has_bands):
    root = fragment(people(annotators, 4))
    assert {float(unit.find(f"{SVG}rect").get("height")) for unit in unit_elements(root)} == {height}
    assert any(node.get("class") == "bands" for node in root.iter()) == has_bands
    assert len(unit_elements(root)) == 4 * annotators
    boxes = [box(element) for element in unit_elements(root)]
    assert all(apart(*pair) for pair in itertools.combinations(boxes, 2))


def test_similar_annotators_are_neighbours_in_rows():
    records = [(f"p{n:02}", 0, 50, "x" if n % 2 else "y") for n in range(22)]
    root = fragment(aligned(records, [0] * 22))
    rows = [node.findtext(f"{SVG}title") for node in root.iter(f"{SVG}g") if node.get("class") == "lane"]
    assert rows == [f"p{n:02}" for n in (*range(0, 22, 2), *range(1, 22, 2))]


def test_a_hundred_and_one_annotators_are_a_count_band():
    root = fragment(people(101, 3))
    assert unit_elements(root) == []
    assert {path.get("data-label") for path in paths_with(root, "data-label")} == {"l0", "l1", "l2"}


def test_up_to_two_thousand_units_have_titles_and_more_are_one_path_for_each_lane_and_label():
    assert len(unit_elements(fragment(people(2, 1000)))) == 2000
    root = fragment(people(2, 1001))
    assert unit_elements(root) == []
    paths = paths_with(root, "data-label")
    assert [(path.get("data-annotator"), path.get("data-label")) for path in paths] == [
        (who, label) for who in ("p000", "p001") for label in ("l0", "l1", "l2")
    ]
    assert sum(path.get("d").count("M") for path in paths) == 2002


def test_more_than_ten_thousand_units_are_columns_until_the_window_is_small():
    alignment = people(2, 5001)
    whole = fragment(alignment)
    outlines = "".join(path.get("d") for path in paths_with(whole, "data-label"))
    lefts = sorted(float(x) for x in re.findall(r"M([\d.]+)", outlines))
    assert len(lefts) <= 3 * 840  # a column for each pixel and label
    assert len(unit_elements(fragment(alignment, window=(0, 1000)))) == 200


def test_a_count_band_is_as_high_as_the_share_who_mark():
    records = [(f"p{n:03}", 0, 100, "x") for n in range(30)] + [(f"p{n:03}", 0, 100, "y") for n in range(30, 45)]
    root = fragment(aligned(records, annotators=[f"p{n:03}" for n in range(120)], extent=(0, 200)))
    (x,), (y,) = (re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)", path.get("d")) for path in paths_with(root, "data-label"))
    assert float(x[0]) - float(x[1]) == pytest.approx(120 * 30 / 120, abs=0.02)
    assert float(y[0]) == float(x[1])  # y stands on x
    assert float(y[0]) - float(y[1]) == pytest.approx(120 * 15 / 120, abs=0.02)


def test_what_is_selected_is_framed():
    root = fragment(people(3, 4), selected=2)
    (frame,) = (node for node in root.iter() if node.get("class") == "selected")
    assert frame.get("data-alignment") == "2"
    assert frame.get("stroke") == TOKENS["link"].light
    left, _, right, _ = map(float, (frame.get(name) for name in ("x", "y", "width", "height")))
    boxes = [box(unit) for unit in unit_elements(root) if unit.get("data-alignment") == "2"]
    assert left < min(edge[0] for edge in boxes)
    assert left + right > max(edge[2] for edge in boxes)


def test_one_annotator_alone_is_a_picture():
    continuum = Continuum.from_records([("A", 0, 5, "x"), ("A", 7, 7, None)])
    scene = Scene(continuum, np.array([-1, -1]), np.empty(0), 1.0, ("x",))
    root = ET.fromstring(draw(scene, width=400, palette=Palette(("x",))))  # noqa: S314  (our own output)
    assert [unit.get("data-unit") for unit in unit_elements(root)] == ["0", "1"]
    assert not any("data-alignment" in node.attrib for node in root.iter())


def test_a_label_of_five_thousand_characters_does_not_break_the_picture():
    root = drawn(aligned([("A", 0, 900, "x" * 5000), ("B", 0, 900, "y")]))
    width = float(root.get("width"))
    assert width == 960
    assert all(len(text.text) <= 200 for text in root.iter(f"{SVG}text"))
