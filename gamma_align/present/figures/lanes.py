"""Lanes and bands: a lane for each annotator along an axis, and bands between aligned units that differ.

With 2 to 7 annotators, lanes are high enough for labels, and bands are curved. With 8 to 20, lanes are lower, and bands
are straight and faint. With more, lanes are rows of 3 pixels, similar annotators are neighbours, and columns above the
lanes show the disorder. Up to 2,000 units in view are elements with a title; with more, each lane has one path for each
label.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import label_text, short_names
from gamma_align.present.figures.axis import AXIS_HEIGHT, Axis
from gamma_align.present.figures.bars import (
    HIDDEN_ROW,
    Box,
    assign_rows,
    group_hidden_units,
    merged_paths,
    pixel_spans,
    selection_frame,
    visible_right_edges,
)
from gamma_align.present.figures.coverage import label_grid
from gamma_align.present.figures.elements import Attributes, element, pixels, text_element, text_width, xml_text
from gamma_align.present.figures.legend import names_below
from gamma_align.present.figures.overview import MAP_HEIGHT, disorder_columns
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window

MAX_LANE_ANNOTATORS = 100
"""With more annotators, a count band replaces the lanes."""
MAX_TITLED_UNITS = 2000
"""With more units in view, units are merged into one path for each lane and label."""
_MAX_NAME_LENGTH = 22  # characters
# pixels
_NAME_FONT_SIZE = 13.0
_LABEL_FONT_SIZE = 11.0
_MIN_LABELLED_WIDTH = 24.0  # pixels; a narrower bar has no label
_TOP_MARGIN = 4.0  # pixels
_ROW_GAP = 2.0  # pixels between the rows of a lane
_COUNT_HEIGHT = 10.0  # pixels for a count such as "+3"
_N_CELLS = 512  # parts of the window in which annotators are compared
_MIN_DISTANCE = 0.3  # pixels between the left edges of units of a row, unless units are merged
_SMALL_DIAMOND = 3.0  # pixels, if units are merged
_COUNT_WIDTH = 30.0  # pixels; closer counts are added up
_MAX_TITLES = 20  # hidden units in the title of a count


class _Style(NamedTuple):
    """Sizes for a number of annotators, in pixels.

    A lane with one row has the height `lane`, the rows of other lanes have the height `row`, and `gap` separates lanes.
    `diamond` is the width of a unit without length, and `bands` the opacity of bands, 0 for none.
    """

    max_annotators: float
    lane: float
    row: float
    gap: float
    diamond: float
    bands: float
    is_curved: bool = False
    are_named: bool = True


_LANE_STYLES = (
    _Style(7, lane=28, row=18, gap=16, diamond=14, bands=0.45, is_curved=True),
    _Style(20, lane=14, row=10, gap=6, diamond=10, bands=0.3),
    _Style(math.inf, lane=3, row=3, gap=1, diamond=5, bands=0.0, are_named=False),
)


@dataclass(frozen=True, slots=True)
class _Lane:
    """The lane of an annotator, with its edges in pixels."""

    annotator: int
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of lanes, of units in view, with their boxes, and of units that are counted instead of drawn."""

    units: tuple[int, ...]
    boxes: tuple[Box, ...]
    lanes: tuple[_Lane, ...]
    hidden: tuple[tuple[_Lane, tuple[tuple[int, float, float], ...]], ...]
    bottom: float

    @classmethod
    def of(cls, scene: Scene, window: Window, axis: Axis, top: float) -> Layout:
        """Return the layout of the units in the window, below `top`."""
        style = _style(scene)
        view = scene.in_view(window)
        start = scene.continuum.start[view]
        end = scene.continuum.end[view]
        has_titles = len(view) <= MAX_TITLED_UNITS
        left, right = pixel_spans(axis, start, end, style.diamond if has_titles else _SMALL_DIAMOND)
        indices: list[list[int]] = [[] for _ in scene.continuum.annotators]
        for index in np.lexsort((view, left)).tolist():  # by pixels, because a diamond begins before its position
            indices[scene.continuum.annotator[view[index]]].append(index)
        bounds = list(zip(left.tolist(), right.tolist(), strict=True))
        is_point = (start == end).tolist()
        # merged units need no rows of their own to cover the same pixels
        min_distance = _MIN_DISTANCE if has_titles else 0.0
        boxes: dict[int, Box] = {}
        lanes = []
        hidden = []
        for annotator in _lane_order(scene, window, style):
            lane_bounds = [bounds[index] for index in indices[annotator]]
            rows = assign_rows(lane_bounds, min_distance=min_distance)
            n_rows = max(rows, default=0) + 1
            height = style.lane if n_rows == 1 else style.row
            right_edges = visible_right_edges(lane_bounds, rows)
            counted = []
            for index, row, (x, _), edge in zip(indices[annotator], rows, lane_bounds, right_edges, strict=True):
                y = top + row * (height + _ROW_GAP)
                if row == HIDDEN_ROW:
                    counted.append((int(view[index]), x, edge))
                else:
                    boxes[index] = Box(x, y, edge, y + height, is_point[index])
            lane = _Lane(annotator, top, top + n_rows * (height + _ROW_GAP) - _ROW_GAP)
            lanes.append(lane)
            top = lane.bottom + style.gap
            if counted:
                hidden.append((lane, tuple(counted)))
                top += _COUNT_HEIGHT
        drawn = sorted(boxes)
        units = tuple(view[drawn].tolist())
        return cls(units, tuple(boxes[index] for index in drawn), tuple(lanes), tuple(hidden), top - style.gap)


def _style(scene: Scene) -> _Style:
    return next(style for style in _LANE_STYLES if len(scene.continuum.annotators) <= style.max_annotators)


def lanes(
    scene: Scene,
    *,
    window: Window | None = None,
    width: float,
    palette: Palette,
    selected: int | None = None,
) -> Picture:
    """Return the picture of lanes and bands; `selected` is the index of a unitary alignment in the scene."""
    window = scene.window(window)
    style = _style(scene)
    left = _names_width(scene, style)
    axis = Axis.of(window, left, width - 12)
    map_height = 0.0 if style.bands else MAP_HEIGHT + 8
    layout = Layout.of(scene, window, axis, _TOP_MARGIN + map_height)
    foot = layout.bottom + style.gap / 2 + 2
    content = [
        disorder_columns(scene, axis, _TOP_MARGIN, palette) if map_height else "",
        _names(scene, layout, axis, style, palette),
        axis.draw(_TOP_MARGIN + map_height, foot, palette),
        _bands(scene, layout, style, palette, selected),
        _units(scene, layout, style, palette),
        _counts(scene, layout, palette),
        _selection(scene, layout, palette, selected),
    ]
    height = foot + AXIS_HEIGHT
    if not style.are_named:
        annotators = [scene.continuum.annotators[lane.annotator] for lane in layout.lanes]
        numbered = [(f"{number}", name) for number, name in enumerate(annotators, 1)]
        names, height = names_below(numbered, head="rows from the top:", top=height, width=width, palette=palette)
        content.append(names)
    sentence = scene.sentence(window, "a lane of units for each annotator")
    return Picture("\n".join(filter(None, content)), width, height, sentence)


def _names_width(scene: Scene, style: _Style) -> float:
    if not style.are_named:
        return 12.0
    names = short_names(scene.continuum.annotators, _MAX_NAME_LENGTH).values()
    return 14 + max((text_width(name, min(_NAME_FONT_SIZE, style.lane)) for name in names), default=0.0)


def _names(scene: Scene, layout: Layout, axis: Axis, style: _Style, palette: Palette) -> str:
    """Return the name of each annotator, and the ground of the lane."""
    parts = []
    names = short_names(scene.continuum.annotators, _MAX_NAME_LENGTH)
    for lane in layout.lanes:
        name = scene.continuum.annotators[lane.annotator]
        size: Attributes = {"width": axis.width, "height": lane.bottom - lane.top}
        ground = element("rect", None, x=axis.left, y=lane.top, **size, fill=palette["ground"])
        label = ""
        if style.are_named:
            font = min(_NAME_FONT_SIZE, style.lane)
            y = (lane.top + lane.bottom) / 2 + font * 0.35
            label = text_element(axis.left - 10, y, names[name], size=font, fill=palette["ink"], anchor="end")
        parts.append(element("g", element("title", xml_text(name)) + ground + label, class_="lane"))
    return "".join(parts)


def _group_boxes(scene: Scene, layout: Layout) -> dict[int, list[Box]]:
    """Return the boxes of the units of each unitary alignment in view, from top to bottom."""
    members: dict[int, list[Box]] = {}
    for unit, box in zip(layout.units, layout.boxes, strict=True):
        for group in scene.groups_of_units[unit]:
            members.setdefault(group, []).append(box)
    return {group: sorted(boxes, key=lambda box: box.top) for group, boxes in members.items()}


def _bands(scene: Scene, layout: Layout, style: _Style, palette: Palette, selected: int | None) -> str:
    """Return the bands of unitary alignments with disorder, drawing the worst last so that no other band hides it."""
    if not style.bands:
        return ""
    paths: list[tuple[float, int, list[str]]] = []
    for group, boxes in _group_boxes(scene, layout).items():
        disorder = float(scene.disorder[group])
        if disorder > 0 or group == selected:
            outlines = [_band(*pair, is_curved=style.is_curved) for pair in itertools.pairwise(boxes)]
            paths.append((disorder, group, outlines))
    steps = scene.steps.tolist()
    if len(layout.units) > MAX_TITLED_UNITS:
        step_outlines: dict[int, list[str]] = {}
        for _, group, outlines in sorted(paths):
            step_outlines.setdefault(steps[group], []).extend(outlines)
        bands = [_band_element("".join(step_outlines[step]), step, style, palette) for step in sorted(step_outlines)]
    else:
        bands = []
        for _, group, outlines in sorted(paths):
            attributes = scene.alignment_attribute(group)
            bands += [_band_element(outline, steps[group], style, palette, **attributes) for outline in outlines]
    return element("g", "".join(bands), class_="bands") if bands else ""


def _band_element(outline: str, step: int, style: _Style, palette: Palette, **attributes: str | float) -> str:
    return element("path", None, d=outline, fill=palette[f"d{step}"], fill_opacity=style.bands, **attributes)


def _band(upper: Box, lower: Box, *, is_curved: bool) -> str:
    """Return the outline of a band from the bottom of one box to the top of another."""
    # a diamond is widest at its centre, so a band begins or ends there
    top = upper.centre if upper.is_point else upper.bottom
    bottom = lower.centre if lower.is_point else lower.top
    a, b, c, d = map(pixels, (upper.left, upper.right, lower.right, lower.left))
    y = pixels(top)
    z = pixels(bottom)
    if not is_curved:
        return f"M{a} {y}L{b} {y}L{c} {z}L{d} {z}Z"
    bend = pixels((top + bottom) / 2)
    return f"M{a} {y}L{b} {y}C{b} {bend} {c} {bend} {c} {z}L{d} {z}C{d} {bend} {a} {bend} {a} {y}Z"


def _units(scene: Scene, layout: Layout, style: _Style, palette: Palette) -> str:
    if len(layout.units) > MAX_TITLED_UNITS:
        return _merged(scene, layout, palette)
    has_one_label = len(np.unique(scene.codes)) == 1  # the legend is enough then
    parts = []
    for unit, box in zip(layout.units, layout.boxes, strict=True):
        label = scene.units[unit].category
        is_lone = bool(scene.lone[unit])
        paint: Attributes = {"fill": palette.fill(label)}
        if is_lone and style.are_named:
            paint = _dashed(palette, palette[palette.mark(label).colour])
        content = element("title", xml_text(scene.describe(unit)))
        content += box.shape(rx=2.0 if style.are_named else 0.0, **paint)
        if not has_one_label:
            content += _label(label, box, palette, is_lone=is_lone)
        parts.append(element("g", content, **scene.unit_attributes(unit)))
    return element("g", "\n".join(parts), class_="units")


def _dashed(palette: Palette, colour: str) -> Attributes:
    return {"fill": palette["paper"], "stroke": colour, "stroke_width": 1.6, "stroke_dasharray": "4 2.5"}


def _label(label: str | None, box: Box, palette: Palette, *, is_lone: bool) -> str:
    """Return the label of a bar on a white chip, or nothing if the bar is too small."""
    text = label_text(label)
    width = text_width(text, _LABEL_FONT_SIZE) + 8
    height = box.bottom - box.top
    if (
        not text
        or box.is_point
        or height < _LABEL_FONT_SIZE + 5
        or width < 1
        or box.width < max(width + 6, _MIN_LABELLED_WIDTH)
    ):
        return ""
    y = box.centre + _LABEL_FONT_SIZE * 0.36
    chip = ""
    if not is_lone:  # the bar of a lone unit is white already
        size: Attributes = {"width": width, "height": _LABEL_FONT_SIZE + 4, "rx": 2}
        chip = element(
            "rect", None, x=box.left + 3, y=box.centre - _LABEL_FONT_SIZE / 2 - 2, **size, fill=palette["paper"]
        )
    return chip + text_element(box.left + 6, y, text, size=_LABEL_FONT_SIZE, fill=palette["ink"])


def _merged(scene: Scene, layout: Layout, palette: Palette) -> str:
    """Return the units as one path for each lane and label."""
    units = np.array(layout.units, dtype=np.int64)
    width = len(scene.marks)
    keys: IntArray = scene.continuum.annotator[units] * width + scene.codes[units]
    parts = []
    for key, outline in merged_paths(layout.boxes, keys).items():
        annotator, code = divmod(key, width)
        label = scene.marks[code]
        attributes = {"data_annotator": scene.continuum.annotators[annotator], "data_label": label_text(label)}
        parts.append(element("path", None, d=outline, fill=palette.fill(label), **attributes))
    return element("g", "\n".join(parts), class_="units")


def _counts(scene: Scene, layout: Layout, palette: Palette) -> str:
    """Return the number of hidden units, such as "+3", below the lane at the position of the units."""
    parts = []
    for lane, hidden in layout.hidden:
        for group in group_hidden_units(hidden, _COUNT_WIDTH):
            titles = [scene.describe(unit) for unit in group.units[:_MAX_TITLES]]
            title = element("title", xml_text("; ".join(titles)))
            label = f"+{len(group.units)}"
            text = text_element(group.left, lane.bottom + _COUNT_HEIGHT, label, size=10, fill=palette["ink"])
            parts.append(element("g", title + text, **scene.hidden_attribute(group.units)))
    return "".join(parts)


def _selection(scene: Scene, layout: Layout, palette: Palette, selected: int | None) -> str:
    boxes = [] if selected is None else _group_boxes(scene, layout).get(selected, [])
    if not boxes or selected is None:
        return ""
    box = Box(
        min(box.left for box in boxes) - 3,
        min(box.top for box in boxes) - 3,
        max(box.right for box in boxes) + 3,
        max(box.bottom for box in boxes) + 3,
    )
    return selection_frame(box, palette, class_="selected", **scene.alignment_attribute(selected))


def _lane_order(scene: Scene, window: Window, style: _Style) -> Sequence[int]:
    """Return the annotators in the order of their lanes: if lanes have no names, similar annotators are neighbours."""
    annotators = range(len(scene.continuum.annotators))
    if style.are_named:
        return annotators
    grid = label_grid(scene, window, _N_CELLS)
    if not len(grid):
        return annotators
    # greedy: begin with the annotator that covers most, then append the most similar remaining annotator
    order = [int(np.argmax(np.count_nonzero(grid, axis=1)))]
    remaining = [annotator for annotator in annotators if annotator != order[0]]
    while remaining:
        n_different = np.count_nonzero(grid[remaining] != grid[order[-1]], axis=1)
        order.append(remaining.pop(int(np.argmin(n_different))))
    return order
