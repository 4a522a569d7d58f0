"""An alignment as a picture: one self-contained SVG, without scripts or fonts of its own.

A lane an annotator, a rounded rectangle a unit (a diamond if it has no length), coloured by category; units
of one annotator that overlap stand below each other. Bands join the units of a unitary alignment, from grey
(no disorder) to red (as bad as an empty unit). Units aligned with nothing are dashed. The same alignment
gives the same bytes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gamma_align.alignment.align import Alignment
from gamma_align.data.continuum import Continuum, Unit
from gamma_align.report._drawing import (
    FAINT,
    GRID,
    INK,
    NO_LABEL,
    PAPER,
    category_colours,
    disorder_colour,
    element,
    pixels,
    round_step,
    svg_document,
    text_element,
    text_on,
    xml_text,
)
from gamma_align.results.wording import counted, display_width, label_text, printable, span

_MARGIN = 20.0
_HEAD = 66.0
_AXIS_HEIGHT = 34.0
_LEGEND_ROW = 22.0
_LEGEND_MOST = 30
_NAME_MOST = 22
_LABEL_SIZE, _NAME_SIZE = 11.0, 13.0
_CHAR = 0.6
_NARROWEST, _WIDEST, _PER_UNIT = 960.0, 4000.0, 30.0
ROW_HEIGHT, ROW_GAP = 20.0, 3.0
LANE_GAP = 30.0
DIAMOND = 12.0
_THINNEST = 2.0
_TICK_EVERY = 90.0
_SMALLEST_SPAN = 1e-300


def alignment_svg(alignment: Alignment, *, width: float | None = None, title: str | None = None) -> str:
    """Return the picture of an alignment as SVG text.

    Parameters
    ----------
    alignment : Alignment
        What to draw.
    width : float, optional
        Width in pixels; without it, 960, more for annotators with many units.
    title : str, optional
        Headline; the name of the document by default.

    Returns
    -------
    str
        A whole SVG document. Units are elements with their row of the continuum as ``data-unit`` and the number of
        their unitary alignment as ``data-alignment``; bands have the latter alone.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("Ann", 0, 10, "x"), ("Bob", 1, 9, "x")])
    >>> picture = ga.alignment_svg(ga.align(continuum), title="An example")
    >>> picture.count("data-unit")
    2
    """
    continuum = alignment.continuum
    names = [_shortened(name, _NAME_MOST) for name in continuum.annotators]
    left = _MARGIN + max((_text_width(name, _NAME_SIZE) for name in names), default=0.0) + 14
    width = _fitting_width(continuum) if width is None else max(width, left + 10 * _MARGIN)
    axis = Axis.of(continuum.extent, left, width - _MARGIN)
    layout = Layout.of(continuum, axis, _HEAD)
    bottom = layout.lanes[-1].bottom + LANE_GAP / 2 if layout.lanes else _HEAD
    colours = _colours(continuum)
    legend, height = _legend(colours, bottom + _AXIS_HEIGHT, width, bands=len(alignment) < len(continuum))
    head = continuum.document if title is None else title
    parts = [
        element("rect", width=width, height=height, fill=PAPER),
        _headline(head, alignment),
        _scale(axis, _HEAD - 10, bottom),
        _lanes(continuum, names, layout, axis),
        _bands(alignment, layout),
        _units(alignment, layout, colours),
        legend,
    ]
    return svg_document(parts, f"{head}: {_summary(alignment)}", width, height)


def _fitting_width(continuum: Continuum) -> float:
    most = max((continuum.annotator.tolist().count(code) for code in range(len(continuum.annotators))), default=0)
    return min(max(_NARROWEST, most * _PER_UNIT), _WIDEST)


def _text_width(text: str, size: float) -> float:
    return display_width(text) * size * _CHAR


def _shortened(text: str, most: int) -> str:
    text = printable(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _summary(alignment: Alignment) -> str:
    continuum = alignment.continuum
    counts = f"{counted(len(continuum.annotators), 'annotator')} · {counted(len(continuum), 'unit')}"
    if not len(alignment):
        return counts
    proof = "proven optimal" if alignment.is_optimal else f"not proven optimal, gap {alignment.gap:.2%}"
    proof = "given" if alignment.is_given else proof
    aligned = counted(len(alignment), "unitary alignment")
    return f"{counts} · {aligned} · disorder {alignment.disorder:.4f}, {proof}"


def _headline(head: str, alignment: Alignment) -> str:
    return text_element(_MARGIN, 28, printable(head), size=16, font_weight="600") + text_element(
        _MARGIN, 46, _summary(alignment), size=12, fill=FAINT
    )


def _scale(axis: Axis, top: float, bottom: float) -> str:
    """Return the axis with its grid."""
    parts = [element("line", x1=axis.left, x2=axis.right, y1=bottom, y2=bottom, stroke=FAINT)]
    for position, label in axis.ticks():
        x = axis.x(position)
        parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, stroke=GRID))
        parts.append(element("line", x1=x, x2=x, y1=bottom, y2=bottom + 5, stroke=FAINT))
        parts.append(text_element(x, bottom + 18, label, size=11, fill=FAINT, anchor="middle"))
    return element("g", "".join(parts), class_="axis")


def _lanes(continuum: Continuum, names: Sequence[str], layout: Layout, axis: Axis) -> str:
    """Return the annotators' names and a strip under the units of each."""
    parts = []
    for name, shown, lane in zip(continuum.annotators, names, layout.lanes, strict=True):
        size = {"width": axis.right - axis.left, "height": lane.bottom - lane.top + 6}
        strip = element("rect", None, x=axis.left, y=lane.top - 3, **size, rx=5, fill="#eef1f5", fill_opacity=0.7)
        middle = (lane.top + lane.bottom) / 2 + _NAME_SIZE * 0.35
        label = text_element(axis.left - 12, middle, shown, size=_NAME_SIZE, anchor="end")
        parts.append(element("g", element("title", xml_text(name)) + strip + label, class_="lane"))
    return "".join(parts)


def _members(alignment: Alignment) -> list[list[int]]:
    """Return the units of each unitary alignment, in the order of their annotators."""
    members: list[list[int]] = [[] for _ in range(len(alignment))]
    for unit, group in enumerate(alignment.group.tolist()):
        members[group].append(unit)
    return members


def _worst(alignment: Alignment) -> float:
    """Return the disorder drawn as the worst: that of a lone unit (it is Δ), or 1 if there is none."""
    costs = alignment.unitary_disorders.tolist()
    lone = [cost for cost, units in zip(costs, _members(alignment), strict=True) if len(units) == 1]
    return max(lone, default=1.0) or 1.0


def _bands(alignment: Alignment, layout: Layout) -> str:
    """Return the bands, the calm ones first, so that the alarming ones are not hidden."""
    worst = _worst(alignment)
    numbered = zip(alignment.unitary_disorders.tolist(), range(len(alignment)), _members(alignment), strict=True)
    parts = []
    for disorder, group, units in sorted(numbered):
        colour = disorder_colour(disorder / worst)
        opacity = 0.30 + 0.25 * min(max(disorder / worst, 0.0), 1.0)
        for upper, lower in itertools.pairwise(units):
            path = _band(layout.boxes[upper], layout.boxes[lower])
            paint = {"fill": colour, "fill_opacity": opacity, "stroke": colour, "stroke_opacity": 0.8}
            parts.append(element("path", None, d=path, **paint, data_alignment=str(group)))
    return element("g", "".join(parts), class_="bands") if parts else ""


def _band(upper: Box, lower: Box) -> str:
    """Return the outline of a band from the foot of one box to the head of another."""
    # a band of points begins at their widest, behind them
    top = upper.centre if upper.is_point else upper.bottom
    bottom = lower.centre if lower.is_point else lower.top
    bend = pixels((top + bottom) / 2)
    a, b, c, d = map(pixels, (upper.left, upper.right, lower.right, lower.left))
    y, z = pixels(top), pixels(bottom)
    return f"M{a} {y}L{b} {y}C{b} {bend} {c} {bend} {c} {z}L{d} {z}C{d} {bend} {a} {bend} {a} {y}Z"


def _colours(continuum: Continuum) -> dict[str | None, str]:
    """Return the colour of each category used, None for units without one."""
    codes = sorted(set(continuum.category.tolist()))
    used = [continuum.categories[code] for code in codes if code >= 0]
    colours: dict[str | None, str] = dict(category_colours(used, continuum.categories).items())
    if codes and codes[0] < 0:
        colours[None] = NO_LABEL
    return colours


def _units(alignment: Alignment, layout: Layout, colours: dict[str | None, str]) -> str:
    members = _members(alignment)
    costs = alignment.unitary_disorders.tolist()
    parts = []
    rows = zip(alignment.continuum.units(), alignment.group.tolist(), layout.boxes, strict=True)
    for number, (unit, group, box) in enumerate(rows):
        lone = len(members[group]) == 1
        shape = _tooltip(unit, costs[group], lone=lone) + _shape(unit, box, colours[unit.category], lone=lone)
        parts.append(element("g", shape, data_unit=str(number), data_alignment=str(group)))
    return element("g", "\n".join(parts), class_="units")


def _tooltip(unit: Unit, disorder: float, *, lone: bool) -> str:
    words = [unit.annotator, *([] if unit.category is None else [unit.category]), span(unit.start, unit.end)]
    words += ["aligned with nothing"] if lone else []
    return element("title", xml_text(" · ".join([*words, f"disorder {disorder:.2f}"])))


def _shape(unit: Unit, box: Box, colour: str, *, lone: bool) -> str:
    """Return a unit's rectangle or diamond, and its category where there is room."""
    paint: dict[str, str | float] = {"fill": colour, "stroke": PAPER, "stroke_width": 0.6}
    if lone:
        paint = {"fill": PAPER, "stroke": colour, "stroke_width": 1.6, "stroke_dasharray": "4 2.5"}
    if box.is_point:
        return element("path", None, d=_diamond(box), **paint)
    width, height = box.right - box.left, box.bottom - box.top
    frame = {"x": box.left, "y": box.top, "width": width, "height": height, "rx": min(4.0, width / 2)}
    shape = element("rect", None, **frame, **paint)
    label = label_text(unit.category)
    if not label or _text_width(label, _LABEL_SIZE) > width - 6:
        return shape
    ink = INK if lone else text_on(colour)
    return shape + text_element(box.middle, box.bottom - 6, label, size=_LABEL_SIZE, fill=ink, anchor="middle")


def _diamond(box: Box) -> str:
    half = (box.right - box.left) / 2
    x, y = pixels(box.middle), pixels(box.centre)
    up, down = pixels(box.centre - half), pixels(box.centre + half)
    return f"M{x} {up}L{pixels(box.right)} {y}L{x} {down}L{pixels(box.left)} {y}Z"


def _legend(colours: dict[str | None, str], top: float, width: float, *, bands: bool) -> tuple[str, float]:
    """Return the legend below `top`, and where the picture ends."""
    entries = [
        (colour, "no category" if label is None else _shortened(label_text(label), _NAME_MOST))
        for label, colour in list(colours.items())[:_LEGEND_MOST]
    ]
    parts = []
    x, y = _MARGIN, top + _LEGEND_ROW / 2
    for colour, label in entries:
        needed = 16 + _text_width(label, 12) + 18
        if x + needed > width - _MARGIN and x > _MARGIN:
            x, y = _MARGIN, y + _LEGEND_ROW
        parts.append(element("rect", x=x, y=y, width=12, height=12, rx=3, fill=colour))
        parts.append(text_element(x + 17, y + 10.5, label, size=12))
        x += needed
    if len(colours) > len(entries):
        parts.append(text_element(x, y + 10.5, f"and {len(colours) - len(entries)} more", size=12, fill=FAINT))
    if entries:
        y += _LEGEND_ROW
    parts.append(_key(y, bands=bands))
    return element("g", "".join(parts), class_="legend"), y + _LEGEND_ROW + _MARGIN / 2


def _key(y: float, *, bands: bool) -> str:
    """Return what bands and dashes mean."""
    size = {"width": 22, "height": 12, "rx": 3}
    dashed = element("rect", None, x=_MARGIN, y=y, **size, fill="#ffffff", stroke=FAINT, stroke_dasharray="4 2.5")
    parts = [dashed, text_element(_MARGIN + 28, y + 10.5, "aligned with nothing", size=12, fill=FAINT)]
    if bands:
        x, steps, step = _MARGIN + 190, 24, 5.0
        parts.append(text_element(x, y + 10.5, "disorder 0", size=12, fill=FAINT))
        x += 70
        for number in range(steps):
            colour = disorder_colour(number / (steps - 1))
            parts.append(element("rect", x=x + number * step, y=y, width=step + 0.5, height=12, fill=colour))
        parts.append(text_element(x + steps * step + 6, y + 10.5, "as an empty unit", size=12, fill=FAINT))
    return "".join(parts)


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
    """Where an annotator's units are drawn: one row, or more where units overlap."""

    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Axis:
    """From positions, of an extent that is wider than a point, to pixels between left and right."""

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
        step = round_step((self.high / 2 - self.low / 2) / wanted * 2)
        decimals = min(max(0, -math.floor(math.log10(step))), 15)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        labelled: dict[str, float] = {}
        for tick in range(first, last + 1):
            labelled.setdefault(_tick_label(tick * step, decimals), tick * step)
        return [(position, label) for label, position in labelled.items()]


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
        starts, ends = continuum.start.tolist(), continuum.end.tolist()
        for unit, annotator in enumerate(continuum.annotator.tolist()):
            spans[annotator].append((unit, *_drawn_span(axis, starts[unit], ends[unit])))
        boxes: dict[int, Box] = {}
        lanes: list[Lane] = []
        for spans_of_annotator in spans:
            rows = _stack(spans_of_annotator)
            for (unit, left, right), row in zip(spans_of_annotator, rows, strict=True):
                y = top + row * (ROW_HEIGHT + ROW_GAP)
                boxes[unit] = Box(left, y, right, y + ROW_HEIGHT, starts[unit] == ends[unit])
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
