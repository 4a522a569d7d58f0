"""The page as it is seen without colour, by people who see colours otherwise, and on paper."""

from __future__ import annotations

import io
import itertools
import random
import re

import numpy as np
import pytest
from browser import browser, opened
from matplotlib.image import imread
from served import served

PAPER = (687, 1017)
"""Pixels of A4 between its margins."""
NOVELS = "/?example=novels_ner&document=VanityFair"
VISIONS = ("achromatopsia", "protanopia", "deuteranopia")
APART = 5.0
"""Of 100 steps of lightness: two patches that differ by more, however one is moved on the other, are told apart."""
TILE = 6
"""Pixels after which every pattern is the same again, or nearly."""
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


@pytest.fixture(scope="module")
def running():
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def address():
    with served() as client:
        yield str(client.base_url).rstrip("/")


def six_labels():
    """Return a table of three annotators who use six labels."""
    draw = random.Random(1)  # noqa: S311
    rows = ["document,annotator,start,end,category"]
    for annotator, at in itertools.product(("ann", "bob", "cy"), range(24)):
        start = 20 * at + draw.randint(0, 4)
        label = "uvwxyz"[at % 6 if draw.random() < 0.9 else draw.randint(0, 5)]
        rows.append(f"d,{annotator},{start},{start + draw.randint(10, 13)},{label}")
    return "\n".join(rows)


def open_labels(page, name):
    """Show a corpus of two labels, or of six."""
    if name == "six":
        page.set_input_files("#files", {"name": "six.csv", "mimeType": "text/csv", "buffer": six_labels().encode()})
    page.wait_for_selector("body[data-state=done]")
    if name == "six":
        page.select_option("#document", "d")
        page.wait_for_selector("#reading [data-unit]")


def lab(pixels):
    """Return sRGB pixels, shape (height, width, 3), as CIELAB."""
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    x, y, z = np.moveaxis(np.cbrt(np.maximum(linear @ TO_XYZ.T / WHITE, 0.008856)), -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def patch_of(page, element):
    """Return the middle of an element as it is seen: 12 + 6 times 6 pixels, CIELAB."""
    box = element.bounding_box()
    left, top = box["x"] + box["width"] / 2 - 9, box["y"] + box["height"] / 2 - 3
    picture = page.screenshot(clip={"x": round(left), "y": round(top), "width": 18, "height": 6})
    return lab(imread(io.BytesIO(picture))[..., :3].astype(float))


def has_room(element):
    """Return whether a patch can be taken of an element."""
    box = element.bounding_box()
    return box["width"] > 19 and box["height"] > 6


def apart(one, other):
    """Return by how much two patches differ where one is moved to where it is most like the other."""
    shifted = (np.roll(other, (down, right), (0, 1)) for down in range(TILE) for right in range(TILE))
    return min(float(np.linalg.norm(one[:, :12] - each[:, :12], axis=-1).mean()) for each in shifted)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "labels"), [("novels", 2), ("six", 6)])
def test_labels_are_told_apart_without_colour(running, address, name, labels, scheme):
    with opened(running, f"{address}{NOVELS if name == 'novels' else '/'}", height=1400, color_scheme=scheme) as page:
        open_labels(page, name)
        session = page.context.new_cdp_session(page)
        keys = {key.get_attribute("fill"): key for key in page.locator("#tools .key rect").all()}
        assert len(keys) == labels
        bare = "#reading [data-unit]:not(:has(text)) rect"
        drawn = {fill: next(filter(has_room, page.locator(f"{bare}[fill='{fill}']").all())) for fill in keys}
        for vision in VISIONS:
            session.send("Emulation.setEmulatedVisionDeficiency", {"type": vision})
            shown = {fill: patch_of(page, key) for fill, key in keys.items()}
            bars = {fill: patch_of(page, bar) for fill, bar in drawn.items()}
            for one, other in itertools.combinations(keys, 2):
                assert min(apart(bars[one], bars[other]), apart(shown[one], shown[other])) > APART, (vision, one, other)
            for fill, bar in bars.items():
                assert min(shown, key=lambda key: apart(bar, shown[key])) == fill, (vision, fill)


@pytest.mark.parametrize("width", [1280, 390])
def test_print_is_light_whole_and_has_no_controls(running, address, width):
    with opened(running, f"{address}{NOVELS}", width=width, color_scheme="dark") as page:
        page.wait_for_selector("body[data-state=done]")
        page.keyboard.press("w")
        page.wait_for_selector("#card .card")
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size({"width": PAPER[0], "height": PAPER[1]})
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.locator(":is(button, input, .actions, progress):visible").count() == 0
        words = page.inner_text("body")
        assert all(each in words for each in ("VanityFair", "0.594", "α 1, β 1, Δ 1, 2 %, seed 0", "Alignment "))
        whole = page.evaluate(
            """() => [...document.querySelectorAll("#card .card, .values tr, #map svg, #reading svg")].map((each) => {
              const { left, right, height } = each.getBoundingClientRect();
              return [getComputedStyle(each).breakInside, Math.floor(left), Math.ceil(right), Math.ceil(height)];
            })"""
        )
        assert len(whole) > 6
        assert all(each[0] == "avoid" and each[1] >= 0 for each in whole)
        assert max(each[2] for each in whole) <= PAPER[0]
        assert max(each[3] for each in whole) <= PAPER[1]
        assert len(re.findall(rb"/ToUnicode ", page.pdf(format="A4"))) >= 1  # texts are texts, not outlines
