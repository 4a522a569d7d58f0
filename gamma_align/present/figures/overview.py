"""The map of a document: columns as high as the disorder that begins in them, and a frame around the window."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.present.figures.axis import Axis
from gamma_align.present.figures.elements import Attributes, element, pixels, text_element, text_width
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window

MAP_HEIGHT = 40.0
"""Height of the highest column, in pixels."""
_COLUMN_WIDTH = 3.0  # pixels
_MIN_HEIGHT = 2.0  # pixels; a lower column is hard to see
_FONT_SIZE = 11.0  # pixels
_NUMBER_WIDTH = 60.0  # pixels for the number at each end of the axis
_LARGEST_ROUNDED = 1e6  # fractions of larger positions need more than six digits


def overview(scene: Scene, *, window: Window | None = None, width: float, palette: Palette) -> Picture:
    """Return the map of a document, with a frame around the window if one is given."""
    axis = Axis.of(scene.continuum.extent, 1.0, width - 1.0)
    content = [disorder_columns(scene, axis, 2.0, palette)]
    if window is not None:
        left, right = axis.x(np.array(scene.window(window))).tolist()
        box: Attributes = {"x": left, "y": 1.0, "width": max(right - left, 2.0), "height": MAP_HEIGHT + 2}
        paint: Attributes = {
            "fill": palette["link"],
            "fill_opacity": 0.12,
            "stroke": palette["link"],
            "stroke_width": 2.0,
        }
        content.append(element("rect", None, **box, **paint, class_="window"))
    for x, position, anchor in ((1.0, axis.low, "start"), (width - 1.0, axis.high, "end")):
        label = f"{position:,.15g}"
        if abs(position) < _LARGEST_ROUNDED and position % 1:
            label = f"{position:,.6g}"
        content.append(text_element(x, MAP_HEIGHT + 17, label, size=_FONT_SIZE, fill=palette["soft"], anchor=anchor))
    caption = "disorder along the document" + ("" if window is None else "; the frame is what is shown below")
    if text_width(caption, _FONT_SIZE) < width - 2 * _NUMBER_WIDTH:
        content.append(
            text_element(width / 2, MAP_HEIGHT + 17, caption, size=_FONT_SIZE, fill=palette["soft"], anchor="middle")
        )
    sentence = scene.sentence(scene.window(window), "the frame in a map of the disorder along the document")
    if window is None:
        sentence = scene.sentence(scene.continuum.extent, "a map of the disorder along the document")
    return Picture("".join(content), width, MAP_HEIGHT + 24, sentence)


def disorder_columns(scene: Scene, axis: Axis, top: float, palette: Palette) -> str:
    """Return columns as high as the disorder that begins in them, in the colour of the worst unitary alignment."""
    foot = top + MAP_HEIGHT
    n_columns = max(int(axis.width // _COLUMN_WIDTH), 1)
    shares, steps = _column_heights(scene, axis, n_columns)
    width = axis.width / n_columns
    parts = [element("line", x1=axis.left, x2=axis.right, y1=foot, y2=foot, stroke=palette["line"])]
    heights = np.maximum(shares * MAP_HEIGHT, _MIN_HEIGHT)
    # 0.7 pixels remain between columns
    across = f"h{pixels(width - 0.7)}"
    down = f"V{pixels(foot)}Z"
    for step in range(1, 5):
        path = "".join(
            f"M{pixels(axis.left + column * width)} {pixels(foot)}v{pixels(-heights[column])}{across}{down}"
            for column in np.flatnonzero(steps == step).tolist()
        )
        if path:
            parts.append(element("path", d=path, fill=palette[f"d{step}"]))
    return element("g", "".join(parts), class_="disorder")


def _column_heights(scene: Scene, axis: Axis, n_columns: int) -> tuple[FloatArray, FloatArray]:
    """Return the height of each column, as a share of the highest, and its step of disorder, 1 to 4."""
    start, _ = scene.bounds
    is_inside = (scene.disorder > 0) & (start >= axis.low) & (start <= axis.high)
    column = ((axis.x(start[is_inside]) - axis.left) / axis.width * n_columns).astype(np.int64)
    column = np.clip(column, 0, n_columns - 1)
    total = np.bincount(column, weights=scene.disorder[is_inside], minlength=n_columns)
    steps = np.zeros(n_columns)
    np.maximum.at(steps, column, scene.steps[is_inside])
    return total / (total.max(initial=0.0) or 1.0), steps
