"""Lanes and bands: a lane for each annotator along an axis, and bands between units that are aligned and differ.

With 2 to 7 annotators lanes are high enough for labels, and bands are curved; with 8 to 20 they are lower, and bands
straight and faint; with more they are rows of 3 pixels, similar ones beside each other, and the disorder is a strip
above.
Up to 2,000 units in view each is an element of its own with a title; more are one path for each lane and label.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.wording import label_text, short_names
from gamma_align.present.figures.axis import AXIS_HEIGHT, Axis
from gamma_align.present.figures.bars import HIDDEN, Box, counted_together, frame, merged_paths, spans, stack, widened
from gamma_align.present.figures.coverage import label_grid
from gamma_align.present.figures.elements import Attributes, element, pixels, text_element, text_width, xml_text
from gamma_align.present.figures.legend import names_below
from gamma_align.present.figures.overview import HEIGHT as STRIP_HEIGHT
from gamma_align.present.figures.overview import columns
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window

MOST_ROWS_OF_PEOPLE = 100
"""So many annotators have a row each."""
MOST_TITLED = 2000
"""So many units in view are elements of their own."""
_NAME_MOST = 22
_NAME_SIZE, _LABEL_SIZE = 13.0, 11.0
_LABEL_ROOM = 24.0
_TOP = 4.0
_BETWEEN = 2.0
_COUNT_HEIGHT = 10.0
_CELLS = 512
_CLOSEST = 0.3
_SMALL_DIAMOND = 3.0


class _Style(NamedTuple):
    """How lanes are drawn: pixels of a lane with one row, of each of several rows, between lanes, of a diamond."""

    most: float
    lane: float
    row: float
    gap: float
    diamond: float
    bands: float
    is_curved: bool = False
    are_named: bool = True


_STYLES = (
    _Style(7, lane=28, row=18, gap=16, diamond=14, bands=0.45, is_curved=True),
    _Style(20, lane=14, row=10, gap=6, diamond=10, bands=0.3),
    _Style(math.inf, lane=3, row=3, gap=1, diamond=5, bands=0.0, are_named=False),
)


@dataclass(frozen=True, slots=True)
class _Lane:
    """Where the units of an annotator are drawn."""

    annotator: int
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is drawn: the units in view with their boxes, the lanes, and units that are counted only."""

    units: tuple[int, ...]
    boxes: tuple[Box, ...]
    lanes: tuple[_Lane, ...]
    hidden: tuple[tuple[_Lane, tuple[tuple[int, float, float], ...]], ...]
    bottom: float

    @classmethod
    def of(cls, scene: Scene, window: Window, axis: Axis, top: float) -> Layout:
        """Place the units in the window below `top`."""
        style = _style(scene)
        view = scene.in_view(window)
        start, end = scene.continuum.start[view], scene.continuum.end[view]
        titled = len(view) <= MOST_TITLED
        left, right = spans(axis, start, end, style.diamond if titled else _SMALL_DIAMOND)
        of_annotator: list[list[int]] = [[] for _ in scene.continuum.annotators]
        for index in np.lexsort((view, left)).tolist():  # a diamond begins before its position
            of_annotator[scene.continuum.annotator[view[index]]].append(index)
        bounds = list(zip(left.tolist(), right.tolist(), strict=True))
        is_point = (start == end).tolist()
        # in a path of many, units whose pixels are the same need no rows of their own
        closest = _CLOSEST if titled else 0.0
        boxes: dict[int, Box] = {}
        lanes, hidden = [], []
        for annotator in _rows_of_similar(scene, window, style):
            indices = of_annotator[annotator]
            own = [bounds[index] for index in indices]
            rows = stack(own, closest=closest)
            used = max(rows, default=0) + 1
            height = style.lane if used == 1 else style.row
            counted = []
            for index, row, (x, _), edge in zip(indices, rows, own, widened(own, rows), strict=True):
                y = top + row * (height + _BETWEEN)
                if row == HIDDEN:
                    counted.append((int(view[index]), x, edge))
                else:
                    boxes[index] = Box(x, y, edge, y + height, is_point[index])
            lane = _Lane(annotator, top, top + used * (height + _BETWEEN) - _BETWEEN)
            lanes.append(lane)
            top = lane.bottom + style.gap
            if counted:
                hidden.append((lane, tuple(counted)))
                top += _COUNT_HEIGHT
        drawn = sorted(boxes)
        units = tuple(view[drawn].tolist())
        return cls(units, tuple(boxes[index] for index in drawn), tuple(lanes), tuple(hidden), top - style.gap)


def _style(scene: Scene) -> _Style:
    return next(style for style in _STYLES if len(scene.continuum.annotators) <= style.most)


def lanes(
    scene: Scene,
    *,
    window: Window | None = None,
    width: float,
    palette: Palette,
    selected: int | None = None,
) -> Picture:
    """Return the picture of lanes and bands; `selected` is the number of a unitary alignment in the scene."""
    window = scene.window(window)
    style = _style(scene)
    left = _names_width(scene, style)
    axis = Axis.of(window, left, width - 12)
    strip = 0.0 if style.bands else STRIP_HEIGHT + 8
    layout = Layout.of(scene, window, axis, _TOP + strip)
    foot = layout.bottom + style.gap / 2 + 2
    content = [
        columns(scene, axis, _TOP, palette) if strip else "",
        _names(scene, layout, axis, style, palette),
        axis.draw(_TOP + strip, foot, palette),
        _bands(scene, layout, style, palette, selected),
        _units(scene, layout, style, palette),
        _counts(scene, layout, palette),
        _selection(scene, layout, palette, selected),
    ]
    height = foot + AXIS_HEIGHT
    if not style.are_named:
        people = [scene.continuum.annotators[lane.annotator] for lane in layout.lanes]
        numbered = [(f"{number}", name) for number, name in enumerate(people, 1)]
        names, height = names_below(numbered, head="rows from the top:", top=height, width=width, palette=palette)
        content.append(names)
    sentence = scene.sentence(window, "a lane of units for each annotator")
    return Picture("\n".join(filter(None, content)), width, height, sentence)


def _names_width(scene: Scene, style: _Style) -> float:
    if not style.are_named:
        return 12.0
    names = short_names(scene.continuum.annotators, _NAME_MOST).values()
    return 14 + max((text_width(name, min(_NAME_SIZE, style.lane)) for name in names), default=0.0)


def _names(scene: Scene, layout: Layout, axis: Axis, style: _Style, palette: Palette) -> str:
    """Return the annotators' names and a strip under the units of each."""
    parts = []
    names = short_names(scene.continuum.annotators, _NAME_MOST)
    for lane in layout.lanes:
        name = scene.continuum.annotators[lane.annotator]
        size: Attributes = {"width": axis.width, "height": lane.bottom - lane.top}
        strip = element("rect", None, x=axis.left, y=lane.top, **size, fill=palette["ground"])
        label = ""
        if style.are_named:
            font = min(_NAME_SIZE, style.lane)
            y = (lane.top + lane.bottom) / 2 + font * 0.35
            label = text_element(axis.left - 10, y, names[name], size=font, fill=palette["ink"], anchor="end")
        parts.append(element("g", element("title", xml_text(name)) + strip + label, class_="lane"))
    return "".join(parts)


def _members(scene: Scene, layout: Layout) -> dict[int, list[Box]]:
    """Return the boxes of the units of each unitary alignment in view, from the first annotator to the last."""
    members: dict[int, list[Box]] = {}
    for unit, box in zip(layout.units, layout.boxes, strict=True):
        group = int(scene.group[unit])
        if group >= 0:
            members.setdefault(group, []).append(box)
    return {group: sorted(boxes, key=lambda box: box.top) for group, boxes in members.items()}


def _bands(scene: Scene, layout: Layout, style: _Style, palette: Palette, selected: int | None) -> str:
    """Return the bands of unitary alignments with disorder, that of least first, so that the worst are not hidden."""
    if not style.bands:
        return ""
    paths: list[tuple[float, int, list[str]]] = []
    for group, boxes in _members(scene, layout).items():
        disorder = float(scene.disorder[group])
        if disorder > 0 or group == selected:
            outlines = [_band(*pair, is_curved=style.is_curved) for pair in itertools.pairwise(boxes)]
            paths.append((disorder, group, outlines))
    steps = scene.steps.tolist()
    if len(layout.units) > MOST_TITLED:
        of_step: dict[int, list[str]] = {}
        for _, group, outlines in sorted(paths):
            of_step.setdefault(steps[group], []).extend(outlines)
        drawn = [_band_element("".join(outlines), step, style, palette) for step, outlines in sorted(of_step.items())]
    else:
        drawn = [
            _band_element(outline, steps[group], style, palette, **scene.alignment_name(group))
            for _, group, outlines in sorted(paths)
            for outline in outlines
        ]
    return element("g", "".join(drawn), class_="bands") if drawn else ""


def _band_element(outline: str, step: int, style: _Style, palette: Palette, **names: str | float) -> str:
    return element("path", None, d=outline, fill=palette[f"d{step}"], fill_opacity=style.bands, **names)


def _band(upper: Box, lower: Box, *, is_curved: bool) -> str:
    """Return the outline of a band from the foot of one box to the head of another."""
    # a band of points begins at their widest, behind them
    top = upper.centre if upper.is_point else upper.bottom
    bottom = lower.centre if lower.is_point else lower.top
    a, b, c, d = map(pixels, (upper.left, upper.right, lower.right, lower.left))
    y, z = pixels(top), pixels(bottom)
    if not is_curved:
        return f"M{a} {y}L{b} {y}L{c} {z}L{d} {z}Z"
    bend = pixels((top + bottom) / 2)
    return f"M{a} {y}L{b} {y}C{b} {bend} {c} {bend} {c} {z}L{d} {z}C{d} {bend} {a} {bend} {a} {y}Z"


def _units(scene: Scene, layout: Layout, style: _Style, palette: Palette) -> str:
    if len(layout.units) > MOST_TITLED:
        return _merged(scene, layout, palette)
    one_label = len(np.unique(scene.codes)) == 1  # the legend names it
    parts = []
    for unit, box in zip(layout.units, layout.boxes, strict=True):
        label, lone = scene.units[unit].category, bool(scene.lone[unit])
        fill = palette.fill(label)
        paint: Attributes = {"fill": fill}
        if lone and style.are_named:
            paint = _dashed(palette, palette[palette.mark(label).colour])
        content = element("title", xml_text(scene.describe(unit)))
        content += box.shape(rx=2.0 if style.are_named else 0.0, **paint)
        content += "" if one_label else _label(label, box, palette, lone=lone)
        parts.append(element("g", content, **scene.names(unit)))
    return element("g", "\n".join(parts), class_="units")


def _dashed(palette: Palette, colour: str) -> Attributes:
    return {"fill": palette["paper"], "stroke": colour, "stroke_width": 1.6, "stroke_dasharray": "4 2.5"}


def _label(label: str | None, box: Box, palette: Palette, *, lone: bool) -> str:
    """Return the label of a bar on a chip of paper, where there is room for it."""
    text = label_text(label)
    wide = text_width(text, _LABEL_SIZE) + 8
    high = box.bottom - box.top
    if not text or box.is_point or high < _LABEL_SIZE + 5 or wide < 1 or box.width < max(wide + 6, _LABEL_ROOM):
        return ""
    y = box.centre + _LABEL_SIZE * 0.36
    chip = ""
    if not lone:
        size: Attributes = {"width": wide, "height": _LABEL_SIZE + 4, "rx": 2}
        chip = element("rect", None, x=box.left + 3, y=box.centre - _LABEL_SIZE / 2 - 2, **size, fill=palette["paper"])
    return chip + text_element(box.left + 6, y, text, size=_LABEL_SIZE, fill=palette["ink"])


def _merged(scene: Scene, layout: Layout, palette: Palette) -> str:
    """Return the units as one path for each lane and label."""
    units = np.array(layout.units, dtype=np.int64)
    width = len(scene.marks)
    keys: IntArray = scene.continuum.annotator[units] * width + scene.codes[units]
    parts = []
    for key, outline in merged_paths(layout.boxes, keys).items():
        annotator, code = divmod(key, width)
        label = scene.marks[code]
        names = {"data_annotator": scene.continuum.annotators[annotator], "data_label": label_text(label)}
        parts.append(element("path", None, d=outline, fill=palette.fill(label), **names))
    return element("g", "\n".join(parts), class_="units")


def _counts(scene: Scene, layout: Layout, palette: Palette) -> str:
    """Return how many units there are where not all can be drawn: "+3"."""
    parts = []
    for lane, hidden in layout.hidden:
        for group in counted_together(hidden, 30.0):
            titles = [scene.describe(unit) for unit in group.units[:20]]
            title = element("title", xml_text("; ".join(titles)))
            label = f"+{len(group.units)}"
            text = text_element(group.left, lane.bottom + _COUNT_HEIGHT, label, size=10, fill=palette["ink"])
            parts.append(element("g", title + text, **scene.hidden_names(group.units)))
    return "".join(parts)


def _selection(scene: Scene, layout: Layout, palette: Palette, selected: int | None) -> str:
    boxes = [] if selected is None else _members(scene, layout).get(selected, [])
    if not boxes or selected is None:
        return ""
    around = Box(
        min(box.left for box in boxes) - 3,
        min(box.top for box in boxes) - 3,
        max(box.right for box in boxes) + 3,
        max(box.bottom for box in boxes) + 3,
    )
    return frame(around, palette, class_="selected", **scene.alignment_name(selected))


def _rows_of_similar(scene: Scene, window: Window, style: _Style) -> Sequence[int]:
    """Return the annotators in the order of their lanes: theirs, or, in rows without names, similar ones together."""
    people = range(len(scene.continuum.annotators))
    if style.are_named:
        return people
    grid = label_grid(scene, window, _CELLS)
    if not len(grid):
        return people
    row = [int(np.argmax(np.count_nonzero(grid, axis=1)))]
    rest = [person for person in people if person != row[0]]
    while rest:
        apart = np.count_nonzero(grid[rest] != grid[row[-1]], axis=1)
        row.append(rest.pop(int(np.argmin(apart))))
    return row
