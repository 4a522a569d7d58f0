"""Colours and patterns: told apart on paper and on screen, the same on all pictures, defined where they are used."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.present.figures.palette import (
    COLOURS,
    TOKENS,
    Palette,
    Token,
    disorder_steps,
    label_order,
    mark_of,
    palette_css,
)
from gamma_align.present.figures.picture import Picture, document, figure

LABELS = tuple("abcdefghijklmn")


def luminance(colour):
    """Return the relative luminance of WCAG 2.2."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(first, second):
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", Token._fields)
def test_texts_and_labels_have_contrast(theme):
    colour = {name: getattr(token, theme) for name, token in TOKENS.items()}
    assert contrast(colour["ink"], colour["paper"]) > 14
    assert min(contrast(colour[name], colour["paper"]) for name in ("soft", "link")) > 7
    assert min(contrast(colour[name], colour["paper"]) for name in COLOURS) >= 3
    tints = [f"{name}t" for name in COLOURS]
    assert min(contrast(colour["ink"], colour[name]) for name in [*tints, "remark", "ground"]) > 7


@pytest.mark.parametrize("theme", Token._fields)
def test_more_disorder_has_more_contrast(theme):
    steps = [contrast(getattr(TOKENS[f"d{step}"], theme), TOKENS["paper"]._asdict()[theme]) for step in range(5)]
    assert steps == sorted(steps)


def test_the_contrast_is_that_of_the_standard():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # as WebAIM's checker gives it


def test_thirty_six_labels_have_marks_of_their_own():
    marks = [mark_of(number) for number in range(36)]
    assert len(set(marks)) == 36
    assert {mark.colour for mark in marks[:6]} == set(COLOURS)
    assert len({mark.pattern for mark in marks[:6]}) == 6  # told apart without colour


def test_labels_are_ordered_by_frequency_in_the_corpus_then_by_name():
    units = [("d1", "A", 0, 1, "y"), ("d1", "A", 2, 3, "z"), ("d2", "A", 0, 1, "z"), ("d2", "A", 2, 3, "x")]
    corpus = Corpus.from_records([*units, ("d2", "A", 5, 6, None)])
    assert label_order(corpus) == ("z", "x", "y")
    assert label_order(corpus["d1"]) == ("y", "z", "x")  # x is a label of the corpus
    assert label_order(Continuum.from_records([], annotators=["A"])) == ()


def test_no_label_is_grey_and_a_label_is_not():
    palette = Palette(LABELS)
    assert palette.fill(None) == TOKENS["soft"].light
    assert palette.fill("a") == TOKENS["c1"].light
    assert palette.mark("g") == ("c1", "diagonal")


def test_every_pattern_that_is_used_is_defined_once():
    palette = Palette(LABELS)
    content = "".join(f'<rect fill="{palette.fill(label)}"/>' for label in LABELS) * 2
    root = ET.fromstring(document(Picture(content, 10, 10, "x"), palette))  # noqa: S314  (our own output)
    fills = {re.sub(r"url\(#(.*)\)", r"\1", node.get("fill")) for node in root if node.tag.endswith("rect")}
    patterns = [node.get("id") for node in root.iter() if node.tag.endswith("pattern")]
    assert sorted(patterns) == sorted(fill for fill in fills if not fill.startswith("#"))
    assert len(patterns) == 12  # of 14 labels, the first and the twelfth are solid
    assert palette.definitions('<rect fill="#ffffff"/>') == ""


def test_ids_of_pictures_side_by_side_are_apart():
    palette = Palette(LABELS)
    pictures = [figure(Picture(f'<rect fill="{palette.fill("b")}" x="{x}"/>', 10, 10, ""), palette) for x in (1, 2)]
    first, second = (set(re.findall(r'id="([^"]*)"', picture)) for picture in pictures)
    assert first
    assert not first & second


def test_a_page_defines_patterns_once_and_pictures_in_it_do_not():
    palette = Palette(LABELS, in_page=True)
    fills = [palette.fill(label) for label in LABELS] + [palette.reason("position"), palette.reason("category")]
    defined = re.findall(r'id="([^"]*)"', palette.definitions())
    assert len(defined) == len(set(defined))
    assert {fill[5:-1] for fill in fills if fill.startswith("url")} == set(defined)
    assert "defs" not in figure(Picture("".join(f'<rect fill="{fill}"/>' for fill in fills), 1, 1, ""), palette)
    assert not re.search("#[0-9a-f]{6}", "".join(fills) + palette.definitions())


def test_the_page_has_every_token_in_both_themes_and_print_is_light():
    css = palette_css()
    light, by_reader, by_page = css.strip().split("\n")
    for name, token in TOKENS.items():
        assert f"--{name}:{token.light};" in light
        assert f"--{name}:{token.dark};" in by_reader
        assert f"--{name}:{token.dark};" in by_page
    assert by_reader.startswith("@media screen and (prefers-color-scheme:dark)")
    assert by_page.startswith("@media screen{:root[data-theme=dark]")  # never in print


@pytest.mark.parametrize(
    ("part", "step"), [(0, 0), (1e-9, 1), (0.349, 1), (0.35, 2), (0.6, 3), (0.899, 3), (0.9, 4), (7, 4)]
)
def test_disorder_has_five_steps(part, step):
    assert disorder_steps(np.array([part * 2.0]), 2.0).tolist() == [step]


def test_disorder_has_steps_where_a_missing_unit_costs_nothing():
    assert disorder_steps(np.array([0.0, 0.5, 1.0]), 0.0).tolist() == [0, 2, 4]


def test_label_colours_differ_enough_in_both_themes():
    for theme in Token._fields:
        colours = [getattr(TOKENS[name], theme) for name in COLOURS]
        channels = [[int(colour[start : start + 2], 16) for start in (1, 3, 5)] for colour in colours]
        apart = [np.abs(np.subtract(a, b)).max() for a, b in itertools.combinations(channels, 2)]
        assert min(apart) > 50
