"""Units as bars: where they stand, stacked so that those of one annotator never lie on each other, and their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.present.figures.axis import Axis
from gamma_align.present.figures.elements import Attributes, element, pixels
from gamma_align.present.figures.palette import Palette

MOST_ROWS = 4
"""Overlapping units of one annotator stand below each other in so many rows; further ones are counted."""
HIDDEN = -1
"""The row of a unit that is counted only."""
_THINNEST = 2.0


class Box(NamedTuple):
    """Where a unit is drawn, in pixels; a unit without length is a diamond."""

    left: float
    top: float
    right: float
    bottom: float
    is_point: bool = False

    @property
    def middle(self) -> float:
        """Horizontal middle."""
        return (self.left + self.right) / 2

    @property
    def centre(self) -> float:
        """Vertical middle."""
        return (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        """Pixels from left to right."""
        return self.right - self.left

    def diamond(self) -> str:
        """Return the outline of a diamond in the middle of the box, as high as this or as wide."""
        half = min(self.width, self.bottom - self.top) / 2
        x, y = pixels(self.middle), pixels(self.centre)
        up, down = pixels(self.centre - half), pixels(self.centre + half)
        return f"M{x} {up}L{pixels(self.middle + half)} {y}L{x} {down}L{pixels(self.middle - half)} {y}Z"

    def outline(self) -> str:
        """Return the outline as a path."""
        if self.is_point:
            return self.diamond()
        wide, high = pixels(self.width), pixels(self.bottom - self.top)
        return f"M{pixels(self.left)} {pixels(self.top)}h{wide}v{high}h-{wide}Z"

    def shape(self, *, rx: float = 0.0, **paint: str | float) -> str:
        """Return the bar or diamond as an element."""
        if self.is_point:
            return element("path", None, d=self.diamond(), **paint)
        frame: Attributes = {"x": self.left, "y": self.top, "width": self.width, "height": self.bottom - self.top}
        if rx:
            frame["rx"] = min(rx, self.width / 2)
        return element("rect", None, **frame, **paint)


def spans(axis: Axis, start: FloatArray, end: FloatArray, diamond: float) -> tuple[FloatArray, FloatArray]:
    """Return left and right pixels of units, within the axis; `diamond` is the width of those without length."""
    left = np.clip(axis.x(start), axis.left, axis.right)
    right = np.clip(axis.x(end), axis.left, axis.right)
    wide = right - left > 2 * _THINNEST
    # half a pixel of paper between units that touch
    left, right = np.where(wide, left + 0.5, left), np.where(wide, right - 0.5, right)
    is_point = start == end
    left, right = np.where(is_point, left - diamond / 2, left), np.where(is_point, left + diamond / 2, right)
    return left.round(2), right.round(2)


def stack(spans: Iterable[tuple[float, float]], *, closest: float = 0.0) -> list[int]:
    """Return the row of each span, given by left edge: the first with room, or `HIDDEN` if none has.

    Spans of a row do not lie on each other, and begin at least `closest` apart.
    """
    free: list[float] = []
    rows = []
    for left, right in spans:
        row = next((row for row, edge in enumerate(free) if edge <= left), len(free))
        if row < MOST_ROWS:
            free[row : row + 1] = [max(right, left + closest)]
        rows.append(row if row < MOST_ROWS else HIDDEN)
    return rows


def widened(spans: Sequence[tuple[float, float]], rows: Sequence[int]) -> list[float]:
    """Return the right edges of spans, moved so that they are wide enough to be seen, as far as the row has room."""
    edges = [right for _, right in spans]
    following: dict[int, float] = {}
    for index in reversed(range(len(rows))):
        left, right = spans[index]
        edges[index] = max(right, min(left + _THINNEST, following.get(rows[index], np.inf)))
        following[rows[index]] = left
    return edges


class Hidden(NamedTuple):
    """Units that are counted where they would stand, and where."""

    left: float
    right: float
    units: list[int]


def counted_together(hidden: Sequence[tuple[int, float, float]], room: float) -> list[Hidden]:
    """Return hidden units, given by left edge, with those closer than the `room` of a number together."""
    groups: list[Hidden] = []
    for unit, left, right in hidden:
        if groups and left < max(groups[-1].right, groups[-1].left + room):
            last = groups[-1]
            groups[-1] = Hidden(last.left, max(last.right, right), [*last.units, unit])
        else:
            groups.append(Hidden(left, right, [unit]))
    return groups


def merged_paths(boxes: Sequence[Box], keys: IntArray) -> dict[int, str]:
    """Return one outline for all boxes of each key."""
    paths: dict[int, list[str]] = {}
    for box, key in zip(boxes, keys.tolist(), strict=True):
        paths.setdefault(key, []).append(box.outline())
    return {key: "".join(outlines) for key, outlines in sorted(paths.items())}


def frame(box: Box, palette: Palette, **names: str | float) -> str:
    """Return the frame around what is selected."""
    return box.shape(rx=3.0, fill="none", stroke=palette["link"], stroke_width=2.0, **names)
