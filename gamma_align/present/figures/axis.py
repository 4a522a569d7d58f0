"""From positions to pixels, with round positions to write at an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.present.figures.elements import element, round_step, text_element
from gamma_align.present.figures.palette import Palette

AXIS_HEIGHT = 30.0
"""Height of an axis with its labels."""
_TICK_EVERY = 90.0
_SMALLEST_SPAN = 1e-300


@dataclass(frozen=True, slots=True)
class Axis:
    """From positions, of a window that is wider than a point, to pixels between left and right."""

    low: float
    high: float
    left: float
    right: float

    @classmethod
    def of(cls, window: tuple[float, float], left: float, right: float) -> Axis:
        """Return the axis of a window; one without length gets some room on both sides."""
        low, high = window
        if not high - low > max(abs(low), abs(high)) * 1e-15 + _SMALLEST_SPAN:
            room = max(abs(low) * 1e-3, 0.5)
            low, high = low - room, high + room
        return cls(low, high, left, right)

    @property
    def width(self) -> float:
        """Pixels from left to right."""
        return self.right - self.left

    def x(self, position: FloatArray) -> FloatArray:
        """Return the pixels of positions; halves, so that the widest window does not overflow."""
        part = (position / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        pixels: FloatArray = self.left + part * self.width
        return pixels

    def ticks(self) -> list[tuple[float, str]]:
        """Return round positions and their labels, about one every 90 pixels."""
        wanted = max(self.width / _TICK_EVERY, 2.0)
        step = round_step((self.high / 2 - self.low / 2) / wanted * 2)
        decimals = min(max(0, -math.floor(math.log10(step))), 15)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        labelled: dict[str, float] = {}
        for tick in range(first, last + 1):
            labelled.setdefault(_tick_label(tick * step, decimals), tick * step)
        return [(position, label) for label, position in labelled.items()]

    def draw(self, top: float, bottom: float, palette: Palette) -> str:
        """Return the axis at the bottom, with its labels below it and a grid up to the top."""
        parts = [element("line", x1=self.left, x2=self.right, y1=bottom, y2=bottom, stroke=palette["soft"])]
        ticks = self.ticks()
        for x, (_, label) in zip(self.x(np.array([position for position, _ in ticks])).tolist(), ticks, strict=True):
            parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, stroke=palette["grid"]))
            parts.append(element("line", x1=x, x2=x, y1=bottom, y2=bottom + 5, stroke=palette["soft"]))
            parts.append(text_element(x, bottom + 18, label, size=11, fill=palette["soft"], anchor="middle"))
        return element("g", "".join(parts), class_="axis")


def _tick_label(position: float, decimals: int) -> str:
    if abs(position) >= 1e15 or 0 < abs(position) < 1e-9:  # noqa: PLR2004  (too long in full)
        return f"{position:.6g}"
    return f"{position + 0.0:.{decimals}f}"
