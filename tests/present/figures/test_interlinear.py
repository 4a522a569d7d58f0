"""Interlinear text: marks stand under the characters they cover, disorder behind them, nothing on anything else."""

from __future__ import annotations

import itertools
from collections import defaultdict
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.alignment.align import Alignment
from gamma_align.data.continuum import Continuum
from gamma_align.present.figures.draw import draw, shows_text
from gamma_align.present.figures.interlinear import CELL
from gamma_align.present.figures.palette import TOKENS, Palette
from gamma_align.present.figures.scene import Scene
from gamma_align.present.figures.text_grid import break_lines

SVG = "{http://www.w3.org/2000/svg}"
TEXT = "Becky Sharp met her friend,  and they went to her house.\nThe end"


def scene_of(records, groups=None, *, text=TEXT, costs=None, **declared):
    continuum = Continuum.from_records(records, extent=(0, len(text)), **declared)
    group = np.arange(len(continuum)) if groups is None else np.asarray(groups, dtype=np.int64)
    disorder = np.ones(int(group.max(initial=-1)) + 1) if costs is None else np.asarray(costs, dtype=float)
    alignment = Alignment(continuum, group, disorder, float(disorder.sum()), float(disorder.sum()), is_optimal=True)
    return Scene.of_alignment(alignment, text=text)


def drawn(scene, width=700, **options):
    return ET.fromstring(draw(scene, width=width, palette=Palette(scene.labels), **options))  # noqa: S314


def group_of(root, name):
    return next((node for node in root.iter(f"{SVG}g") if node.get("class") == name), [])


def edges(shape):
    if shape.tag == f"{SVG}rect":
        x, y, width, height = (float(shape.get(name)) for name in ("x", "y", "width", "height"))
        return x, y, x + width, y + height
    points = shape.get("d").replace("M", "").replace("Z", "").split("L")
    xs, ys = zip(*(map(float, point.split()) for point in points), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def units(root):
    """Return the shapes of each unit by its number."""
    return {
        int(node.get("data-unit")): [edges(shape) for shape in node if shape.tag != f"{SVG}title"]
        for node in group_of(root, "units")
    }


def left_of_text(root):
    return float(next(iter(group_of(root, "text"))).get("x"))


def test_a_mark_stands_under_the_characters_it_covers():
    root = drawn(scene_of([("Ann", 0, 11, "PER"), ("Bob", 16, 19, "PER")]))
    left = left_of_text(root)
    (name,), (pronoun,) = units(root).values()
    assert (name[0], name[2]) == pytest.approx((left + 0.5, left + 11 * CELL - 0.5), abs=0.01)
    assert (pronoun[0], pronoun[2]) == pytest.approx((left + 16 * CELL + 0.5, left + 19 * CELL - 0.5), abs=0.01)


def test_the_text_is_there_once_and_fitted_to_its_cells():
    root = drawn(scene_of([("Ann", 0, 11, "PER")]), width=300)
    texts = list(group_of(root, "text"))
    assert " ".join(node.text for node in texts).split() == TEXT.split()
    assert len({node.get("y") for node in texts}) == 3
    for node in texts:
        assert float(node.get("textLength")) == pytest.approx(len(node.text) * CELL, abs=0.01)
        assert "  " not in node.text  # programs differ in what they make of several blanks


def test_a_unit_over_a_line_break_has_a_part_in_each_line():
    root = drawn(scene_of([("Ann", 40, 63, "PER")]))
    ((first, second),) = units(root).values()
    assert first[1] < second[1]
    assert second[0] == pytest.approx(left_of_text(root) + 0.5, abs=0.01)
    assert first[2] - first[0] + second[2] - second[0] == pytest.approx(23 * CELL - 2, abs=0.02)


def test_only_lines_with_units_have_lanes():
    root = drawn(scene_of([("Ann", 0, 11, "PER"), ("Bob", 0, 11, "PER")], [0, 0]))
    lanes = [group for group in root.iter(f"{SVG}g") if group.get("class") == "lanes"]
    assert len({text.get("y") for text in group_of(root, "text")}) == 2
    assert len(lanes) == 1


def test_a_missing_unit_is_an_empty_box_in_the_lane():
    scene = scene_of([("Ann", 0, 11, "PER"), ("Cy", 0, 11, "PER")], [0, 0], annotators=["Ann", "Bob", "Cy"])
    root = drawn(scene)
    (box,) = group_of(root, "missing")
    (above,), (below,) = units(root).values()
    left, top, right, bottom = edges(box)
    assert (left, right) == pytest.approx((above[0] + 0.5, above[2] - 0.5), abs=0.01)
    assert above[3] <= top < bottom <= below[1]
    assert box.get("stroke-dasharray")
    assert box.get("data-alignment") == "0"


def grounds(root):
    """Return what is seen behind the text, and the unitary alignments that are found there."""
    nodes = list(group_of(root, "grounds"))
    seen = [(node.get("fill"), edges(node)) for node in nodes if node.tag == f"{SVG}rect"]
    found = [node.get("data-alignment") for node in nodes if node.tag == f"{SVG}g"]
    return seen, found


def test_agreement_stays_white_and_disorder_has_wine():
    records = [(who, start, start + 4, "x") for who in ("Ann", "Bob") for start in (0, 20, 40)]
    seen, found = grounds(drawn(scene_of(records, [0, 1, 2, 0, 1, 2], costs=[0, 0.2, 0.95])))
    assert [fill for fill, _ in seen] == [TOKENS["d1"].light, TOKENS["d4"].light]
    assert found == ["1", "2"]


def test_grounds_lie_never_on_each_other():
    records = [("Ann", 0, 20, "x"), ("Bob", 10, 30, "y"), ("Ann", 25, 28, "x")]
    seen, found = grounds(drawn(scene_of(records, costs=[0.2, 0.95, 0.5])))
    assert sorted(found) == ["0", "1", "2"]
    spans = sorted((left, right) for _, (left, _, right, _) in seen)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
    assert spans[-1][1] - spans[0][0] == pytest.approx(30 * CELL - 1, abs=0.01)


def test_a_zero_length_unit_is_a_diamond_where_it_stands():
    root = drawn(scene_of([("Ann", 6, 6, "x"), ("Bob", 6, 6, "x")], [0, 0], costs=[0]))
    assert all(node[1].tag == f"{SVG}path" for node in group_of(root, "units"))
    for ((left, _, right, _),) in units(root).values():
        assert (left + right) / 2 == pytest.approx(left_of_text(root) + 6 * CELL, abs=0.01)


def test_overlapping_units_past_four_rows_are_counted():
    root = drawn(scene_of([("Ann", 0, 5 + number, "x") for number in range(7)] + [("Bob", 0, 5, "x")]))
    (counted,) = (node for node in root.iter() if "data-hidden" in node.attrib)
    assert counted.findtext(f"{SVG}text") == "+3"
    assert sorted([*units(root), *map(int, counted.get("data-hidden").split())]) == list(range(8))


def test_titles_have_the_words():
    root = drawn(scene_of([("Ann", 23, 33, "x")]))
    assert group_of(root, "units")[0].findtext(f"{SVG}title") == (
        "Ann · x · 23–33 · “end, and” · aligned with nothing · disorder 1.00"
    )


def test_eight_to_twenty_annotators_have_numbers_with_a_legend():
    root = drawn(scene_of([(f"person {n}", 0, 5, "x") for n in range(1, 10)], [0] * 9))
    names = [text.text for text in group_of(root, "lanes").iter(f"{SVG}text")]
    assert names == ["1", "3", "5", "7", "9"]
    assert [text.text for text in group_of(root, "names")][:2] == ["1 person 1", "2 person 2"]
    assert {bottom - top for ((_, top, _, bottom),) in units(root).values()} == {4.5}


def many(n=30, **options):
    records = [(f"p{k:02}", 0, 11, "x" if k % 3 else "y") for k in range(n - 6)]
    return scene_of(records, [0] * (n - 6), annotators=[f"p{k:02}" for k in range(n)], costs=[0.5], **options)


def test_on_a_narrow_picture_numbers_stand_for_names():
    scene = scene_of([("a long name", 0, 5, "x"), ("bob", 6, 11, "x")])
    for width, names in ((340, ["1", "2"]), (700, ["a long name", "bob"])):
        root = drawn(scene, width=width)
        lanes = group_of(root, "lanes")
        assert [node.text for node in lanes.iter(f"{SVG}text")][:2] == names
        assert ("1 a long name" in [node.text for node in root.iter(f"{SVG}text")]) == (width == 340)


def test_more_annotators_are_a_count_band():
    root = drawn(many())
    assert units(root) == {}
    paths = {node.get("data-label"): node.get("d") for node in group_of(root, "shares")}
    left = left_of_text(root)
    x_of, top, right, foot = np.array(
        [
            float(number)
            for number in paths["x"].replace("M", "").replace("Z", "").replace("V", " ").replace("H", " ").split()
        ]
    )[[0, 2, 3, 1]]
    assert (x_of, right) == pytest.approx((left, left + 11 * CELL), abs=0.01)
    assert foot - top == pytest.approx(26 * 16 / 30, abs=0.02)
    assert paths["y"].startswith(f"M{x_of:.10g} {top:.10g}V")  # y stands on x


def test_the_choices_of_what_is_selected_are_counted():
    root = drawn(many(), selected=0)
    names = [text.text for text in group_of(root, "lanes").iter(f"{SVG}text")]
    assert names == ["all", "0", "16 of 30", "8 of 30", "6 of 30"]
    assert len(units(root)) == 2
    assert len(group_of(root, "missing")) == 1
    assert len([node for node in root.iter() if node.get("class") == "selected"]) == 1


def test_text_from_right_to_left_stands_right_with_its_marks():
    text = "\u05d0\u05d1\u05d2 \u05d3\u05d4"
    root = drawn(scene_of([("Ann", 0, 3, "x"), ("Bob", 4, 6, "x")], text=text))
    first, second = group_of(root, "text")
    assert {first.get("direction"), second.get("direction")} == {"rtl"}
    (word,), (other,) = units(root).values()
    assert word[2] == pytest.approx(float(first.get("x")) - 0.5, abs=0.01)
    assert other[2] == pytest.approx(float(second.get("x")) - 0.5, abs=0.01)
    assert other[2] < word[0]


def test_names_that_are_markup_stay_text():
    evil = "<img onerror=alert(1)>"
    scene = scene_of([(evil, 0, 5, evil), ("Bob", 0, 5, evil)], text=f"{evil} & text")
    root = drawn(scene)
    assert not [node for node in root.iter() if node.tag.endswith("img")]
    assert [node.text for node in group_of(root, "text")] == [f"{evil} & text"]


def test_no_unit_and_no_text_are_pictures():
    assert units(drawn(scene_of([], annotators=["Ann", "Bob"]))) == {}
    empty = Continuum.from_records([("Ann", 0, 0, "x")], extent=(0, 0))
    root = drawn(Scene(empty, np.array([0]), np.array([1.0]), 1.0, ("x",), text=""))
    assert root.get("role") == "img"


def test_long_texts_and_many_units_are_not_written_out():
    assert shows_text(scene_of([("Ann", 0, 5, "x")]), (0, 40))
    assert not shows_text(scene_of([("Ann", 0, 5, "x")], text="x " * 25_000), (0, 50_000))
    assert shows_text(scene_of([("Ann", 0, 5, "x")], text="x " * 25_000), (0, 500))
    assert not shows_text(scene_of([("Ann", at, at + 1, "x") for at in range(2001)], text="x" * 2001), (0, 2001))


@given(
    st.lists(
        st.tuples(st.sampled_from("ABC"), st.integers(0, 63), st.integers(0, 63), st.sampled_from("xyz")), max_size=14
    ),
    st.sampled_from([150, 300, 900]),
    st.data(),
)
def test_every_unit_is_drawn_or_counted_and_none_lies_on_another(spans, width, data):
    records = [(who, min(a, b), max(a, b), label) for who, a, b, label in spans]
    order = sorted(records)
    last: dict[str, int] = defaultdict(int)
    groups = []
    for who, *_ in order:  # the first units of all are aligned, the second …
        groups.append(last[who])
        last[who] += 1
    numbers = {number: index for index, number in enumerate(sorted(set(groups)))}
    scene = scene_of(order, [numbers[group] for group in groups], annotators="ABC")
    root = drawn(scene, width=width, selected=data.draw(st.integers(0, 3)))
    shapes = units(root)
    hidden = {int(unit) for node in root.iter() for unit in node.get("data-hidden", "").split()}
    assert sorted({*shapes, *hidden}) == list(range(len(records)))
    boxes = [box for parts in shapes.values() for box in parts]
    boxes += [edges(box) for box in group_of(root, "missing")]
    for a, b in itertools.combinations(boxes, 2):
        assert a[2] <= b[0] + 0.011 or b[2] <= a[0] + 0.011 or a[3] <= b[1] + 0.011 or b[3] <= a[1] + 0.011
    columns = max(int((width - left_of_text(root) - 28) / CELL), 10)
    lines = break_lines(TEXT, 0, len(TEXT), columns)
    for number, parts in shapes.items():
        unit = scene.units[number]
        crossed = [line for line in lines if line.start < unit.end and unit.start < line.end]
        if number not in hidden:
            assert len(parts) == max(len(crossed), 1)
