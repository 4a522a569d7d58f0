"""The count band: the share of the annotators that mark each part of a document, stacked by label."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data import label_text
from gamma_align.present.figures.axis import AXIS_HEIGHT, Axis
from gamma_align.present.figures.coverage import label_shares
from gamma_align.present.figures.elements import element, pixels, text_element
from gamma_align.present.figures.overview import MAP_HEIGHT, disorder_columns
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window

_BAND_HEIGHT = 120.0  # pixels
_AXIS_LEFT = 48.0  # pixels, with room for "100 %"
_CELLS_PER_COLUMN = 4  # a unit shorter than a column counts for a part of it only


def count_band(scene: Scene, *, window: Window | None = None, width: float, palette: Palette) -> Picture:
    """Return the picture of a count band, with the disorder as columns above it."""
    window = scene.window(window)
    axis = Axis.of(window, _AXIS_LEFT, width - 12)
    top = 4 + MAP_HEIGHT + 10
    foot = top + _BAND_HEIGHT
    n_columns = int(axis.width)
    heights = {
        code: share.reshape(n_columns, _CELLS_PER_COLUMN).mean(axis=1)
        for code, share in label_shares(scene, (axis.low, axis.high), n_columns * _CELLS_PER_COLUMN).items()
    }
    content = [disorder_columns(scene, axis, 4.0, palette), axis.draw(top, foot, palette)]
    for share, label in ((0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")):
        y = foot - share * _BAND_HEIGHT
        content.append(element("line", x1=axis.left, x2=axis.right, y1=y, y2=y, stroke=palette["grid"]))
        content.append(text_element(axis.left - 6, y + 4, label, size=11, fill=palette["soft"], anchor="end"))
    edges = np.linspace(axis.left, axis.right, n_columns + 1)
    content.append(stacked_areas(scene, heights, edges, foot, _BAND_HEIGHT, palette))
    sentence = scene.sentence(window, "the share of the annotators who mark each part, by label")
    return Picture("\n".join(content), width, foot + AXIS_HEIGHT, sentence)


def stacked_areas(
    scene: Scene, heights: dict[int, FloatArray], edges: FloatArray, foot: float, height: float, palette: Palette
) -> str:
    """Return one area for each label, stacked; `heights` are from 0 to 1, for columns between the `edges`."""
    parts = []
    base = np.zeros(len(edges) - 1)
    for code, share in heights.items():
        label = scene.marks[code]
        outline = _step_outline(edges, foot - (base + share) * height, foot - base * height)
        if outline:
            names = {"data_label": label_text(label)}
            parts.append(element("path", None, d=outline, fill=palette.fill(label), **names))
        base = base + share
    return element("g", "\n".join(parts), class_="shares") if parts else ""


def _step_outline(edges: FloatArray, upper: FloatArray, lower: FloatArray) -> str:
    """Return the outline of the area between two step functions, without columns of height 0."""
    upper = upper.round(2)
    lower = lower.round(2)
    has_height = upper < lower
    # neighbouring columns of the same height are one rectangle
    changes = (upper[1:] != upper[:-1]) | (lower[1:] != lower[:-1])
    first = np.flatnonzero(np.concatenate([[True], changes]))
    last = np.append(first[1:], len(upper))
    drawn = has_height[first]
    columns = (edges[first[drawn]], edges[last[drawn]], upper[first[drawn]], lower[first[drawn]])
    return "".join(
        f"M{pixels(left)} {pixels(low)}V{pixels(high)}H{pixels(right)}V{pixels(low)}Z"
        for left, right, high, low in zip(*(column.tolist() for column in columns), strict=True)
    )
