"""A horizontal axis: converts positions to pixels and labels round positions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.present.figures.elements import element, round_step, text_element
from gamma_align.present.figures.palette import Palette

AXIS_HEIGHT = 30.0
"""Height of an axis with its labels, in pixels."""
_TICK_DISTANCE = 90.0  # approximate distance between labels, in pixels
_SMALLEST_SPAN = 1e-300  # a window around 0 has to be longer than this, or it counts as a point
# labels outside this range would be too long as decimals
_LARGEST_DECIMAL = 1e15
_SMALLEST_DECIMAL = 1e-9


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from the positions `low` to `high`, which differ, to the pixels `left` to `right`."""

    low: float
    high: float
    left: float
    right: float

    @classmethod
    def of(cls, window: tuple[float, float], left: float, right: float) -> Axis:
        """Return the axis of a window; a window without length is extended on both sides."""
        low, high = window
        if not high - low > max(abs(low), abs(high)) * 1e-15 + _SMALLEST_SPAN:
            room = max(abs(low) * 1e-3, 0.5)
            low = low - room
            high = high + room
        return cls(low, high, left, right)

    @property
    def width(self) -> float:
        """Width in pixels."""
        return self.right - self.left

    def x(self, position: FloatArray) -> FloatArray:
        """Return the pixels of positions."""
        # halves, because the length of the widest window overflows
        fraction = (position / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        pixels: FloatArray = self.left + fraction * self.width
        return pixels

    def ticks(self) -> list[tuple[float, str]]:
        """Return round positions and their labels, about one every 90 pixels."""
        n_steps = max(self.width / _TICK_DISTANCE, 2.0)
        step = round_step((self.high / 2 - self.low / 2) / n_steps * 2)
        decimals = min(max(0, -math.floor(math.log10(step))), 15)
        first = math.ceil(self.low / step)
        last = math.floor(self.high / step)
        positions: dict[str, float] = {}
        for tick in range(first, last + 1):
            # rounding can give neighbouring ticks the same label: keep the first
            positions.setdefault(_tick_label(tick * step, decimals), tick * step)
        return [(position, label) for label, position in positions.items()]

    def draw(self, top: float, bottom: float, palette: Palette) -> str:
        """Return the axis line at `bottom`, labels below it and grid lines up to `top`."""
        parts = [element("line", x1=self.left, x2=self.right, y1=bottom, y2=bottom, stroke=palette["soft"])]
        ticks = self.ticks()
        for x, (_, label) in zip(self.x(np.array([position for position, _ in ticks])).tolist(), ticks, strict=True):
            parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, stroke=palette["grid"]))
            parts.append(element("line", x1=x, x2=x, y1=bottom, y2=bottom + 5, stroke=palette["soft"]))
            parts.append(text_element(x, bottom + 18, label, size=11, fill=palette["soft"], anchor="middle"))
        return element("g", "".join(parts), class_="axis")


def _tick_label(position: float, decimals: int) -> str:
    if abs(position) >= _LARGEST_DECIMAL or 0 < abs(position) < _SMALLEST_DECIMAL:
        return f"{position:.6g}"
    return f"{position + 0.0:.{decimals}f}"  # + 0.0 turns -0.0 into 0.0
