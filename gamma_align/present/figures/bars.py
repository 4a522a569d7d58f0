"""Bars and diamonds of units: their positions, their shapes, and rows so that units of an annotator do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.present.figures.axis import Axis
from gamma_align.present.figures.elements import Attributes, element, pixels
from gamma_align.present.figures.palette import Palette

MAX_ROWS = 4
"""Number of rows for overlapping units of one annotator; further units are counted instead of drawn."""
HIDDEN_ROW = -1
"""Row of a unit that is counted instead of drawn."""
_MIN_WIDTH = 2.0  # pixels; a narrower bar is hard to see


class Box(NamedTuple):
    """Edges of a unit in the picture, in pixels; a unit without length is drawn as a diamond."""

    left: float
    top: float
    right: float
    bottom: float
    is_point: bool = False

    @property
    def middle(self) -> float:
        """Horizontal centre."""
        return (self.left + self.right) / 2

    @property
    def centre(self) -> float:
        """Vertical centre."""
        return (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        """Width in pixels."""
        return self.right - self.left

    def diamond(self) -> str:
        """Return the outline of the largest diamond around the centre of the box."""
        half = min(self.width, self.bottom - self.top) / 2
        x = pixels(self.middle)
        y = pixels(self.centre)
        up = pixels(self.centre - half)
        down = pixels(self.centre + half)
        return f"M{x} {up}L{pixels(self.middle + half)} {y}L{x} {down}L{pixels(self.middle - half)} {y}Z"

    def outline(self) -> str:
        """Return the outline as a path."""
        if self.is_point:
            return self.diamond()
        width = pixels(self.width)
        height = pixels(self.bottom - self.top)
        return f"M{pixels(self.left)} {pixels(self.top)}h{width}v{height}h-{width}Z"

    def shape(self, *, rx: float = 0.0, **paint: str | float) -> str:
        """Return the bar or diamond as an element."""
        if self.is_point:
            return element("path", None, d=self.diamond(), **paint)
        attributes: Attributes = {"x": self.left, "y": self.top, "width": self.width, "height": self.bottom - self.top}
        if rx:
            attributes["rx"] = min(rx, self.width / 2)
        return element("rect", None, **attributes, **paint)


def pixel_spans(axis: Axis, start: FloatArray, end: FloatArray, diamond_width: float) -> tuple[FloatArray, FloatArray]:
    """Return the left and right edges of units in pixels, clipped to the axis; a unit without length is a diamond."""
    left = np.clip(axis.x(start), axis.left, axis.right)
    right = np.clip(axis.x(end), axis.left, axis.right)
    is_wide = right - left > 2 * _MIN_WIDTH
    # half a pixel on each side keeps units that touch apart
    left = np.where(is_wide, left + 0.5, left)
    right = np.where(is_wide, right - 0.5, right)
    is_point = start == end
    half = diamond_width / 2
    right = np.where(is_point, left + half, right)
    left = np.where(is_point, left - half, left)
    return left.round(2), right.round(2)


def assign_rows(spans: Iterable[tuple[float, float]], *, min_distance: float = 0.0) -> list[int]:
    """Return the row of each span: the first row with room, or `HIDDEN_ROW` if all `MAX_ROWS` rows are occupied.

    Spans are sorted by their left edge. Spans of a row do not overlap, and their left edges are at least `min_distance`
    apart.
    """
    free_from: list[float] = []
    rows = []
    for left, right in spans:
        row = next((row for row, edge in enumerate(free_from) if edge <= left), len(free_from))
        if row < MAX_ROWS:
            free_from[row : row + 1] = [max(right, left + min_distance)]
        rows.append(row if row < MAX_ROWS else HIDDEN_ROW)
    return rows


def visible_right_edges(spans: Sequence[tuple[float, float]], rows: Sequence[int]) -> list[float]:
    """Return the right edges of spans, moved so that each span is wide enough to be seen and does not overlap the next.

    Spans are sorted by their left edge.
    """
    edges = [right for _, right in spans]
    next_left: dict[int, float] = {}
    for index in reversed(range(len(rows))):
        left, right = spans[index]
        edges[index] = max(right, min(left + _MIN_WIDTH, next_left.get(rows[index], np.inf)))
        next_left[rows[index]] = left
    return edges


class HiddenUnits(NamedTuple):
    """Neighbouring units that are counted instead of drawn, and the span that they cover, in pixels."""

    left: float
    right: float
    units: list[int]


def group_hidden_units(hidden: Sequence[tuple[int, float, float]], text_width: float) -> list[HiddenUnits]:
    """Return hidden units in groups, so that the counts, each `text_width` pixels wide, do not overlap.

    Hidden units are (unit, left, right), sorted by their left edge.
    """
    groups: list[HiddenUnits] = []
    for unit, left, right in hidden:
        if groups and left < max(groups[-1].right, groups[-1].left + text_width):
            last = groups[-1]
            groups[-1] = HiddenUnits(last.left, max(last.right, right), [*last.units, unit])
        else:
            groups.append(HiddenUnits(left, right, [unit]))
    return groups


def merged_paths(boxes: Sequence[Box], keys: IntArray) -> dict[int, str]:
    """Return the joint outline of all boxes of each key, by key."""
    paths: dict[int, list[str]] = {}
    for box, key in zip(boxes, keys.tolist(), strict=True):
        paths.setdefault(key, []).append(box.outline())
    return {key: "".join(outlines) for key, outlines in sorted(paths.items())}


def selection_frame(box: Box, palette: Palette, **attributes: str | float) -> str:
    """Return the frame around the selected unitary alignment."""
    return box.shape(rx=3.0, fill="none", stroke=palette["link"], stroke_width=2.0, **attributes)
