"""Interlinear text: under each line of text, a lane of bars for each annotator, or a count band for many annotators.

A wine ground behind text and lanes shows disorder. If an annotator has no unit in a unitary alignment, their lane has
an empty box. Agreement stays white, so that only disagreements attract attention.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from gamma_align.data import short_names
from gamma_align.present.figures.bars import HIDDEN_ROW, Box, assign_rows, selection_frame
from gamma_align.present.figures.count_band import stacked_areas
from gamma_align.present.figures.coverage import label_shares
from gamma_align.present.figures.elements import Attributes, element, pixels, text_element, text_width, xml_text
from gamma_align.present.figures.legend import names_below
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window
from gamma_align.present.figures.text_grid import Line, break_lines

MONOSPACE = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
CELL = 8.4
"""Width of a character in pixels, as in most monospace fonts at 14 pixels."""
MAX_LANES = 20
"""With more annotators, a count band replaces the lanes."""
# pixels
_FONT_SIZE = 14.0
_NAME_FONT_SIZE = 10.0
_MAX_NAME_LENGTH = 14  # characters
_TEXT_HEIGHT = 20.0  # pixels from the top of a line to its lanes
_BASELINE = 14.0  # pixels from the top of a line
_LINE_GAP = 12.0  # pixels between the lanes of a line and the next line
_RIGHT_MARGIN = 28.0  # pixels, for counts such as "+3"
_MIN_COLUMNS = 10  # characters of a line, even if the picture is too narrow
_MIN_NUMBERED = 8  # annotators; their lanes are too low for names
_MIN_NAMED_WIDTH = 480.0  # pixels; narrower pictures have numbers for names, to leave more room for the text
_BAND_HEIGHT = 26.0  # pixels
_DIAMOND_WIDTH = 8.0  # pixels, of a unit without length
_THIN_WIDTH = 4.0  # pixels; only a wider bar is shortened to keep it apart from its neighbours
_GROUND_OPACITY = 0.38
_MAX_TITLES = 20  # hidden units in the title of a count
_MIN_WIDTH = 2.0  # pixels; a narrower bar is hard to see
_NO_UNIT = -1  # in place of a unit: a missing unit, or a ground


class _Style(NamedTuple):
    """Distance between lanes and height of a bar, in pixels."""

    pitch: float
    bar: float


_NAMED_STYLE = _Style(11.0, 8.0)
_NUMBERED_STYLE = _Style(6.0, 4.5)


class _Piece(NamedTuple):
    """The part of a unit, of a missing unit or of a ground (`_NO_UNIT`) that belongs to one line, in pixels."""

    left: float
    right: float
    unit: int
    group: int
    is_point: bool = False


def interlinear(
    scene: Scene,
    *,
    window: Window | None = None,
    width: float,
    palette: Palette,
    selected: int | None = None,
) -> Picture:
    """Return the text of a window in lines, with units below; `selected` is the index of a unitary alignment.

    Raises
    ------
    SettingsError
        For a window that is empty or outside the document.
    """
    window = scene.window(window)
    page = _Page(scene, window, width, palette, selected)
    return Picture(page.content(), width, page.bottom, scene.sentence(window, "the text, with the units under it"))


class _Page:
    """Draws lines of text, one below the other, and collects the elements of each layer."""

    def __init__(self, scene: Scene, window: Window, width: float, palette: Palette, selected: int | None) -> None:
        annotators = scene.continuum.annotators
        self.scene = scene
        self.palette = palette
        self.width = width
        self.selected = selected
        self.window = window
        self.has_lanes = len(annotators) <= MAX_LANES
        self.style = _NAMED_STYLE if len(annotators) < _MIN_NUMBERED else _NUMBERED_STYLE
        self.names = [str(number) for number in range(1, len(annotators) + 1)]
        is_short = max(map(len, annotators), default=0) <= len(str(len(annotators)))
        is_narrow = width < _MIN_NAMED_WIDTH and not is_short
        self.is_numbered = (len(annotators) >= _MIN_NUMBERED or is_narrow) and self.has_lanes
        if not self.is_numbered:
            self.names = [*short_names(annotators, _MAX_NAME_LENGTH).values()]
        self.left = 8 + max((text_width(name, _NAME_FONT_SIZE) for name in self.names), default=0.0)
        if not self.has_lanes:
            self.left = 8 + text_width(f"{len(annotators)} of {len(annotators)}", _NAME_FONT_SIZE)
        columns = max(int((width - self.left - _RIGHT_MARGIN) / CELL), _MIN_COLUMNS)
        self.right = self.left + columns * CELL
        self.lines = break_lines(scene.text or "", math.floor(window[0]), math.ceil(window[1]), columns)
        self.starts = np.array([line.start for line in self.lines], dtype=np.int64)
        self.grounds: list[str] = []
        self.bands: list[str] = []
        self.texts: list[str] = []
        self.lanes: list[str] = []
        self.missing: list[str] = []
        self.shapes: defaultdict[int, list[str]] = defaultdict(list)
        self.counts: list[str] = []
        self.frames: list[str] = []
        self.bottom = 0.0

    def content(self) -> str:
        """Draw all lines and return the elements, layer by layer from the back to the front."""
        pieces = self._pieces()
        grounds = self._grounds()
        for index, line in enumerate(self.lines):
            top = self.bottom
            self._text(line, top)
            foot = self._lanes(pieces[index], top) if self.has_lanes else self._band(line, grounds[index], top)
            self._ground(grounds[index], top, foot)
            self.bottom = foot + _LINE_GAP
        if self.is_numbered:
            numbered = list(zip(self.names, self.scene.continuum.annotators, strict=True))
            names, self.bottom = names_below(numbered, top=self.bottom, width=self.width, palette=self.palette)
            self.counts.append(names)
        units = [
            element("g", "".join(self._unit(unit)), **self.scene.unit_attributes(unit)) for unit in sorted(self.shapes)
        ]
        mono: Attributes = {"font_family": MONOSPACE, "font_size": _FONT_SIZE, "fill": self.palette["ink"]}
        groups = [
            element("g", "".join(self.grounds), class_="grounds"),
            *self.bands,
            element("g", "\n".join(self.texts), class_="text", **mono),
            *self.lanes,
            element("g", "".join(self.missing), class_="missing"),
            element("g", "\n".join(units), class_="units"),
            *self.counts,
            *self.frames,
        ]
        return "\n".join(groups)

    def _unit(self, unit: int) -> list[str]:
        return [element("title", xml_text(self.scene.describe(unit))), *self.shapes[unit]]

    def _shift(self, line: Line) -> float:
        """Return the left edge of a line in pixels: text from right to left is aligned with the right margin."""
        return self.right - line.n_cells * CELL if line.is_right_to_left else self.left

    def _between(self, start: float, end: float) -> list[tuple[int, float, float]]:
        """Return the index of the line, the left and the right edge of each part of a stretch of the text."""
        first = math.floor(start)
        last = math.ceil(end)
        first_line = max(int(np.searchsorted(self.starts, first, side="right")) - 1, 0)
        if first == last:
            line = self.lines[first_line]
            x = self._shift(line) + line.edge(min(max(first, line.start), line.end)) * CELL
            return [(first_line, x, x)]
        parts = []
        for index in range(first_line, int(np.searchsorted(self.starts, last, side="left"))):
            line = self.lines[index]
            shift = self._shift(line)
            parts += [(index, shift + a * CELL, shift + b * CELL) for a, b in line.stretches(first, last)]
        return parts

    def _pieces(self) -> list[dict[int, list[_Piece]]]:
        """Return the parts of units and of missing units, by line and annotator."""
        scene = self.scene
        pieces: list[dict[int, list[_Piece]]] = [defaultdict(list) for _ in self.lines]
        if not self.has_lanes or not self.lines:
            return pieces
        columns = (scene.continuum.annotator, scene.continuum.start, scene.continuum.end, scene.group)
        view = scene.in_view(self.window)
        present: defaultdict[int, set[int]] = defaultdict(set)
        for unit, annotator, start, end, group in zip(view.tolist(), *(c[view].tolist() for c in columns), strict=True):
            for index, left, right in self._between(start, end):
                pieces[index][annotator].append(_piece(left, right, unit, group, is_point=start == end))
        units, groups = scene.members
        for group, annotator in zip(groups.tolist(), scene.continuum.annotator[units].tolist(), strict=True):
            present[group].add(annotator)
        for group in self._visible_alignments():
            parts = self._between(*(float(bound[group]) for bound in scene.bounds))
            for annotator in range(len(scene.continuum.annotators)):
                if annotator not in present[group]:
                    for index, left, right in parts:
                        pieces[index][annotator].append(_piece(left, right, _NO_UNIT, group, is_point=False))
        return pieces

    def _visible_alignments(self) -> list[int]:
        """Return the unitary alignments in view that have disorder or are selected."""
        start, end = self.scene.bounds
        is_visible = (start <= self.window[1]) & (end >= self.window[0])
        is_visible &= (self.scene.disorder > 0) | (np.arange(len(start)) == self.selected)
        return [int(group) for group in np.flatnonzero(is_visible)]

    def _grounds(self) -> list[list[_Piece]]:
        """Return the grounds of unitary alignments by line."""
        grounds: list[list[_Piece]] = [[] for _ in self.lines]
        if self.lines:
            for group in self._visible_alignments():
                for index, left, right in self._between(*(float(bound[group]) for bound in self.scene.bounds)):
                    grounds[index].append(_piece(left, right, _NO_UNIT, group, is_point=False))
        return grounds

    def _text(self, line: Line, top: float) -> None:
        shift = self._shift(line)
        for run in line.runs():
            x = shift + run.cell * CELL
            # fonts differ in the width of a character: stretch the text to its cells
            fit: Attributes = {"textLength": run.cells * CELL}
            if not run.is_simple:  # spacing alone would separate joined letters
                fit["lengthAdjust"] = "spacingAndGlyphs"
            if run.is_reversed:
                x += run.cells * CELL
                fit["direction"] = "rtl"
            self.texts.append(element("text", xml_text(run.text), x=x, y=top + _BASELINE, **fit))

    def _lanes(self, pieces: dict[int, list[_Piece]], top: float) -> float:
        """Draw the lanes under a line of text, unless the line has no units, and return their bottom edge."""
        y = top + _TEXT_HEIGHT
        if not any(pieces.values()):
            return y
        names = []
        rules = []
        for annotator, name in enumerate(self.names):
            middle = y + self.style.bar / 2
            # low lanes have room for every second number only
            if self.style is _NAMED_STYLE or annotator % 2 == 0:
                names.append(element("text", xml_text(name), x=self.left - 6, y=middle + _NAME_FONT_SIZE * 0.35))
            n_rows = self._draw_lane(pieces.get(annotator, []), y)
            rules += [middle + row * self.style.pitch for row in range(n_rows)]
            y += n_rows * self.style.pitch
        self._rules(names, rules)
        return y

    def _rules(self, names: list[str], rules: list[float]) -> None:
        path = "".join(f"M{pixels(self.left)} {pixels(y)}H{pixels(self.right)}" for y in rules)
        lines = element("path", None, d=path, stroke=self.palette["line"])
        paint: Attributes = {"fill": self.palette["soft"], "font_size": _NAME_FONT_SIZE, "text_anchor": "end"}
        self.lanes.append(element("g", lines + "".join(names), class_="lanes", **paint))

    def _draw_lane(self, pieces: list[_Piece], top: float) -> int:
        """Draw the pieces of an annotator in a line, and return the number of rows.

        A missing unit is drawn only if a row has room for it.
        """
        units = sorted(
            (piece for piece in pieces if piece.unit != _NO_UNIT), key=lambda piece: (piece.left, piece.unit)
        )
        rows = assign_rows((piece.left, piece.right) for piece in units)
        n_rows = max(max(rows, default=0), 0) + 1
        row_pieces: list[list[_Piece]] = [[] for _ in range(n_rows)]
        hidden = []
        for piece, row in zip(units, rows, strict=True):
            if row == HIDDEN_ROW:
                hidden.append(piece.unit)
            else:
                row_pieces[row].append(piece)
                self.shapes[piece.unit].append(self._bar(piece, top + row * self.style.pitch))
        for piece in pieces:
            if piece.unit == _NO_UNIT:
                self._draw_missing(piece, row_pieces, top)
        if hidden:
            self._count(hidden, top + (n_rows - 0.5) * self.style.pitch)
        return n_rows

    def _draw_missing(self, piece: _Piece, row_pieces: list[list[_Piece]], top: float) -> None:
        """Draw the box of a missing unit in the first row that has room for it, if any."""
        for row, neighbours in enumerate(row_pieces):
            if all(piece.right <= neighbour.left or neighbour.right <= piece.left for neighbour in neighbours):
                neighbours.append(piece)
                self.missing.append(self._box(piece, top + row * self.style.pitch))
                return

    def _box(self, piece: _Piece, top: float) -> str:
        paint: Attributes = {"fill": self.palette["paper"], "stroke": self.palette["d4"], "stroke_dasharray": "2 1.5"}
        box = Box(piece.left + 0.5, top + 0.5, piece.right - 0.5, top + self.style.bar - 0.5)
        return box.shape(rx=1.5, **paint, **self.scene.alignment_attribute(piece.group))

    def _bar(self, piece: _Piece, top: float) -> str:
        fill = self.palette.fill(self.scene.units[piece.unit].category)
        return Box(piece.left, top, piece.right, top + self.style.bar, piece.is_point).shape(rx=1.5, fill=fill)

    def _count(self, hidden: list[int], y: float) -> None:
        """Draw the number of units of a lane that are not drawn because no row has room."""
        units = sorted(set(hidden))
        title = element("title", xml_text("; ".join(self.scene.describe(unit) for unit in units[:_MAX_TITLES])))
        text = text_element(
            self.right + CELL + 2, y + 2, f"+{len(units)}", size=_NAME_FONT_SIZE, fill=self.palette["ink"]
        )
        self.counts.append(element("g", title + text, **self.scene.hidden_attribute(units)))

    def _ground(self, grounds: list[_Piece], top: float, foot: float) -> None:
        """Draw the grounds of a line, and the frame of the selected unitary alignment.

        Where unitary alignments overlap, the ground has the colour of the worst. Each unitary alignment also has a
        transparent ground with its title, so that a pointer finds it.
        """
        foot += 1
        steps = [int(self.scene.steps[piece.group]) for piece in grounds]
        edges = sorted({*itertools.chain.from_iterable((piece.left, piece.right) for piece in grounds)})
        stretches = []
        for left, right in itertools.pairwise(edges):
            overlapping = (
                step for piece, step in zip(grounds, steps, strict=True) if piece.left < right and left < piece.right
            )
            stretches.append((max(overlapping, default=0), left, right))
        # neighbouring stretches with the same step are one ground
        for step, group in itertools.groupby(stretches, key=lambda stretch: stretch[0]):
            if step:
                run = list(group)
                box = Box(run[0][1], top, run[-1][2], foot)
                self.grounds.append(box.shape(rx=2, fill=self.palette[f"d{step}"], fill_opacity=_GROUND_OPACITY))
        for piece in grounds:
            box = Box(piece.left - 1, top, piece.right + 1, foot)
            attributes = self.scene.alignment_attribute(piece.group)
            title = element("title", f"disorder {self.scene.disorder[piece.group]:.2f}")
            self.grounds.append(element("g", title + box.shape(fill_opacity=0.0), **attributes))
            if piece.group == self.selected:
                self.frames.append(selection_frame(box, self.palette, class_="selected", **attributes))

    def _band(self, line: Line, grounds: list[_Piece], top: float) -> float:
        """Draw the count band under a line and the lanes of the selected alignment; return their bottom edge."""
        n_characters = len(line.text)
        order = np.argsort(line.cells[:n_characters], kind="stable")  # from left to right
        widths = line.widths[order] * CELL
        edges = self._shift(line) + np.concatenate([[0.0], np.cumsum(widths)])
        heights_by_label = label_shares(self.scene, (line.start, line.end), n_characters)
        foot = top + _TEXT_HEIGHT + _BAND_HEIGHT
        heights = {code: share[order] for code, share in heights_by_label.items()}
        self.bands.append(stacked_areas(self.scene, heights, edges, foot, _BAND_HEIGHT, self.palette))
        rules = [foot + 0.5]
        names = [
            element("text", text, x=self.left - 6, y=y + 3)
            for text, y in (("all", foot - _BAND_HEIGHT + 3), ("0", foot - 1))
        ]
        y = foot + 8
        if any(piece.group == self.selected for piece in grounds):
            for count, unit in self._choices():
                names.append(element("text", f"{count} of {len(self.names)}", x=self.left - 6, y=y + 7))
                y = self._choice(unit, line, grounds, y)
        self._rules(names, rules)
        return y

    def _choices(self) -> list[tuple[int, int]]:
        """Return the number of annotators of each distinct unit of the selected alignment, the most frequent first.

        The last entry is the number of annotators without a unit, with `_NO_UNIT`.
        """
        scene = self.scene
        units, groups = scene.members
        members = units[groups == self.selected].tolist()
        first_units: dict[tuple[float, float, str | None], int] = {}
        counts: Counter[int] = Counter()
        for unit in members:
            counts[first_units.setdefault(scene.units[unit][1:], unit)] += 1
        choices = [(count, unit) for unit, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
        n_missing = len(scene.continuum.annotators) - len(members)
        if n_missing:
            choices.append((n_missing, _NO_UNIT))
        return choices

    def _choice(self, unit: int, line: Line, grounds: list[_Piece], y: float) -> float:
        """Draw a lane of the selected alignment, and return the top of the next lane."""
        line_index = self.lines.index(line)
        if unit == _NO_UNIT:
            self.missing += [self._box(piece, y) for piece in grounds if piece.group == self.selected]
        else:
            start, end = self.scene.units[unit][1:3]
            for index, left, right in self._between(start, end):
                if index == line_index:
                    piece = _piece(left, right, unit, int(self.scene.group[unit]), is_point=start == end)
                    self.shapes[unit].append(self._bar(piece, y))
        return y + _NAMED_STYLE.pitch


def _piece(left: float, right: float, unit: int, group: int, *, is_point: bool) -> _Piece:
    """Return a piece that is wide enough to be seen and, if possible, half a pixel apart from its neighbours."""
    if is_point:
        return _Piece(left - _DIAMOND_WIDTH / 2, left + _DIAMOND_WIDTH / 2, unit, group, is_point=True)
    if right - left > _THIN_WIDTH:
        left = left + 0.5
        right = right - 0.5
    return _Piece(round(left, 2), round(max(right, left + _MIN_WIDTH), 2), unit, group)
