"""The map: the whole document in columns as high as the disorder that begins there, and the window that is read."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.present.figures.axis import Axis
from gamma_align.present.figures.elements import Attributes, element, pixels, text_element, text_width
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window

HEIGHT = 40.0
"""Height of the columns."""
_COLUMN = 3.0
_LOWEST = 2.0
_SIZE = 11.0
_NUMBERS = 60.0


def overview(scene: Scene, *, window: Window | None = None, width: float, palette: Palette) -> Picture:
    """Return the map of a document, with a frame around the window if one is given."""
    axis = Axis.of(scene.continuum.extent, 1.0, width - 1.0)
    content = [columns(scene, axis, 2.0, palette)]
    if window is not None:
        left, right = axis.x(np.array(scene.window(window))).tolist()
        box: Attributes = {"x": left, "y": 1.0, "width": max(right - left, 2.0), "height": HEIGHT + 2}
        paint: Attributes = {
            "fill": palette["link"],
            "fill_opacity": 0.12,
            "stroke": palette["link"],
            "stroke_width": 2.0,
        }
        content.append(element("rect", None, **box, **paint, class_="window"))
    for x, position, anchor in ((1.0, axis.low, "start"), (width - 1.0, axis.high, "end")):
        label = f"{position:,.6g}" if abs(position) < 1e6 and position % 1 else f"{position:,.15g}"  # noqa: PLR2004
        content.append(text_element(x, HEIGHT + 17, label, size=_SIZE, fill=palette["soft"], anchor=anchor))
    caption = "disorder along the document" + ("" if window is None else "; the frame is what is shown below")
    if text_width(caption, _SIZE) < width - 2 * _NUMBERS:
        content.append(text_element(width / 2, HEIGHT + 17, caption, size=_SIZE, fill=palette["soft"], anchor="middle"))
    sentence = scene.sentence(scene.window(window), "the frame in a map of the disorder along the document")
    if window is None:
        sentence = scene.sentence(scene.continuum.extent, "a map of the disorder along the document")
    return Picture("".join(content), width, HEIGHT + 24, sentence)


def columns(scene: Scene, axis: Axis, top: float, palette: Palette) -> str:
    """Return columns as high as the disorder that begins there, in the wine of the worst unitary alignment."""
    foot = top + HEIGHT
    n_columns = max(int(axis.width // _COLUMN), 1)
    height, step = _sums(scene, axis, n_columns)
    wide = axis.width / n_columns
    parts = [element("line", x1=axis.left, x2=axis.right, y1=foot, y2=foot, stroke=palette["line"])]
    tall = np.maximum(height * HEIGHT, _LOWEST)
    across, down = f"h{pixels(wide - 0.7)}", f"V{pixels(foot)}Z"
    for number in range(1, 5):
        path = "".join(
            f"M{pixels(axis.left + column * wide)} {pixels(foot)}v{pixels(-tall[column])}{across}{down}"
            for column in np.flatnonzero(step == number).tolist()
        )
        if path:
            parts.append(element("path", d=path, fill=palette[f"d{number}"]))
    return element("g", "".join(parts), class_="disorder")


def _sums(scene: Scene, axis: Axis, n_columns: int) -> tuple[FloatArray, FloatArray]:
    """Return height, as a share of the highest, and step of wine of each column."""
    start, _ = scene.bounds
    inside = (scene.disorder > 0) & (start >= axis.low) & (start <= axis.high)
    place = ((axis.x(start[inside]) - axis.left) / axis.width * n_columns).astype(np.int64)
    place = np.clip(place, 0, n_columns - 1)
    total = np.bincount(place, weights=scene.disorder[inside], minlength=n_columns)
    step = np.zeros(n_columns)
    np.maximum.at(step, place, scene.steps[inside])
    return total / (total.max(initial=0.0) or 1.0), step
