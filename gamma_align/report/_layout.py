"""Where things stand in the picture of an alignment: the axis, and a box for each unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from gamma_align.data.continuum import Continuum

ROW_HEIGHT, ROW_GAP = 20.0, 3.0
LANE_GAP = 30.0
DIAMOND = 12.0
_THINNEST = 2.0
_TICK_EVERY = 90.0
_SMALLEST_SPAN = 1e-300


class Box(NamedTuple):
    """Where a unit is drawn, in pixels; a unit without length is a point at its middle."""

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


class Lane(NamedTuple):
    """The place of an annotator: one row, or more where units overlap."""

    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Axis:
    """From positions to pixels.

    Attributes
    ----------
    low, high : float
        The extent, made wider than a point.
    left, right : float
        Where it is drawn.
    """

    low: float
    high: float
    left: float
    right: float

    @classmethod
    def of(cls, extent: tuple[float, float], left: float, right: float) -> Axis:
        """Return the axis of an extent."""
        low, high = extent
        if not high - low > max(abs(low), abs(high)) * 1e-15 + _SMALLEST_SPAN:
            room = max(abs(low) * 1e-3, 0.5)
            low, high = low - room, high + room
        return cls(low, high, left, right)

    def x(self, position: float) -> float:
        """Return the pixel of a position; halves, so that the widest extent does not overflow."""
        part = (position / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.left + part * (self.right - self.left)

    def ticks(self) -> list[tuple[float, str]]:
        """Return round positions and their labels, about one every 90 pixels."""
        wanted = max((self.right - self.left) / _TICK_EVERY, 2.0)
        step = _round_step((self.high / 2 - self.low / 2) / wanted * 2)
        decimals = min(max(0, -math.floor(math.log10(step))), 15)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        labelled: dict[str, float] = {}
        for place in range(first, last + 1):
            labelled.setdefault(_tick_label(place * step, decimals), place * step)
        return [(position, label) for label, position in labelled.items()]


def _round_step(least: float) -> float:
    """Return the smallest of …, 1, 2, 5, 10, 20, … that is at least `least`."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def _tick_label(position: float, decimals: int) -> str:
    if abs(position) >= 1e15 or 0 < abs(position) < 1e-9:  # noqa: PLR2004  (too long in full)
        return f"{position:.6g}"
    return f"{position + 0.0:.{decimals}f}"


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes of the units, in the order of the continuum's columns, and lanes of the annotators."""

    boxes: tuple[Box, ...]
    lanes: tuple[Lane, ...]

    @classmethod
    def of(cls, continuum: Continuum, axis: Axis, top: float) -> Layout:
        """Place the units below `top`, those of one annotator never on one another."""
        spans: list[list[tuple[int, float, float]]] = [[] for _ in continuum.annotators]
        columns = (continuum.annotator.tolist(), continuum.start.tolist(), continuum.end.tolist())
        for unit, (annotator, start, end) in enumerate(zip(*columns, strict=True)):
            spans[annotator].append((unit, *_drawn_span(axis, start, end)))
        boxes: dict[int, Box] = {}
        lanes: list[Lane] = []
        for own in spans:
            rows = _stack(own)
            for (unit, left, right), row in zip(own, rows, strict=True):
                y = top + row * (ROW_HEIGHT + ROW_GAP)
                is_point = columns[1][unit] == columns[2][unit]
                boxes[unit] = Box(left, y, right, y + ROW_HEIGHT, is_point)
            height = (max(rows, default=0) + 1) * (ROW_HEIGHT + ROW_GAP) - ROW_GAP
            lanes.append(Lane(top, top + height))
            top += height + LANE_GAP
        return cls(tuple(boxes[unit] for unit in range(len(continuum))), tuple(lanes))


def _drawn_span(axis: Axis, start: float, end: float) -> tuple[float, float]:
    """Return left and right pixels of a unit, wide enough to be seen, rounded as they are printed."""
    left, right = axis.x(start), axis.x(end)
    if start == end:
        left, right = left - DIAMOND / 2, left + DIAMOND / 2
    elif right - left > 2 * _THINNEST:
        left, right = left + 0.5, right - 0.5  # a hair of paper between units that touch
    else:
        right = max(right, left + _THINNEST)
    return round(left, 2), round(right, 2)


def _stack(spans: list[tuple[int, float, float]]) -> list[int]:
    """Return the row of each span (given by left edge): the first row where it covers nothing."""
    ends: list[float] = []
    rows = []
    for _, left, right in spans:
        row = next((row for row, end in enumerate(ends) if end <= left), len(ends))
        ends[row : row + 1] = [right]
        rows.append(row)
    return rows
