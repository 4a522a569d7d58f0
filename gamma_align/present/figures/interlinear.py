"""Interlinear text: lines of text, and under each a lane of bars for each annotator, or a count band for many.

Behind text and lanes there is a wine ground where there is disorder; where an annotator has no unit in a unitary
alignment, an empty box stands in their lane. Agreement stays white: what one sees is what to talk about.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from gamma_align.data.wording import short_names
from gamma_align.present.figures.bars import HIDDEN, Box, frame, stack
from gamma_align.present.figures.count_band import stacked
from gamma_align.present.figures.coverage import shares
from gamma_align.present.figures.elements import Attributes, element, pixels, text_element, text_width, xml_text
from gamma_align.present.figures.legend import names_below
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window
from gamma_align.present.figures.text_grid import Line, break_lines

MONOSPACE = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
CELL = 8.4
"""Width of a character, that of most monospace fonts at 14 pixels."""
MOST_LANES = 20
"""With more annotators, a count band takes the place of their lanes."""
_FONT, _NAME_SIZE = 14.0, 10.0
_NAME_MOST = 14
_TEXT_HEIGHT = 20.0
_BASELINE = 14.0
_AFTER = 12.0
_ROOM_RIGHT = 28.0
_NUMBERED_FROM = 8
_NAMED_FROM = 480.0
"""On narrower pictures, numbers stand for names, too: the room is the text's."""
_BAND = 26.0
_POINT = 8.0
_THIN = 4.0
_OPACITY = 0.38
_MOST_TITLES = 20


class _Style(NamedTuple):
    """Pixels from lane to lane, and of a bar."""

    pitch: float
    bar: float


_NAMED, _NUMBERED = _Style(11.0, 8.0), _Style(6.0, 4.5)


class _Piece(NamedTuple):
    """A part of a unit, or of what is missing (no unit), in a line."""

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
    """Return the text of a window in lines, with the units under it; `selected` is the number of a unitary alignment.

    Raises
    ------
    SettingsError
        For a window that is empty or outside the document.
    """
    window = scene.window(window)
    page = _Page(scene, window, width, palette, selected)
    return Picture(page.content(), width, page.bottom, scene.sentence(window, "the text, with the units under it"))


class _Page:
    """Lines of text being drawn, one below the other."""

    def __init__(self, scene: Scene, window: Window, width: float, palette: Palette, selected: int | None) -> None:
        people = scene.continuum.annotators
        self.scene, self.palette, self.width, self.selected = scene, palette, width, selected
        self.window = window
        self.has_lanes = len(people) <= MOST_LANES
        self.style = _NAMED if len(people) < _NUMBERED_FROM else _NUMBERED
        self.is_numbered = (len(people) >= _NUMBERED_FROM or width < _NAMED_FROM) and self.has_lanes
        self.names = [str(number) for number in range(1, len(people) + 1)]
        if not self.is_numbered:
            self.names = [*short_names(people, _NAME_MOST).values()]
        self.left = 8 + max((text_width(name, _NAME_SIZE) for name in self.names), default=0.0)
        if not self.has_lanes:
            self.left = 8 + text_width(f"{len(people)} of {len(people)}", _NAME_SIZE)
        columns = max(int((width - self.left - _ROOM_RIGHT) / CELL), 10)
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
        """Draw all lines and return the elements, those behind others first."""
        pieces, grounds = self._pieces(), self._grounds()
        for number, line in enumerate(self.lines):
            top = self.bottom
            self._text(line, top)
            foot = self._lanes(pieces[number], top) if self.has_lanes else self._band(line, grounds[number], top)
            self._ground(grounds[number], top, foot)
            self.bottom = foot + _AFTER
        if self.is_numbered:
            numbered = list(zip(self.names, self.scene.continuum.annotators, strict=True))
            names, self.bottom = names_below(numbered, top=self.bottom, width=self.width, palette=self.palette)
            self.counts.append(names)
        units = [element("g", "".join(self._unit(unit)), **self.scene.names(unit)) for unit in sorted(self.shapes)]
        mono: Attributes = {"font_family": MONOSPACE, "font_size": _FONT, "fill": self.palette["ink"]}
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
        """Return the pixel of a line's first cell: text from right to left ends at the right margin."""
        return self.right - line.n_cells * CELL if line.is_right_to_left else self.left

    def _between(self, start: float, end: float) -> list[tuple[int, float, float]]:
        """Return the line, left and right of each part of a stretch of the text; one without length has no width."""
        first, last = math.floor(start), math.ceil(end)
        if first == last:
            number = max(int(np.searchsorted(self.starts, first, side="right")) - 1, 0)
            line = self.lines[number]
            x = self._shift(line) + line.edge(min(max(first, line.start), line.end)) * CELL
            return [(number, x, x)]
        parts = []
        low = max(int(np.searchsorted(self.starts, first, side="right")) - 1, 0)
        for number in range(low, int(np.searchsorted(self.starts, last, side="left"))):
            line = self.lines[number]
            shift = self._shift(line)
            parts += [(number, shift + a * CELL, shift + b * CELL) for a, b in line.stretches(first, last)]
        return parts

    def _pieces(self) -> list[dict[int, list[_Piece]]]:
        """Return the parts of units and of what is missing, by line and annotator."""
        scene = self.scene
        pieces: list[dict[int, list[_Piece]]] = [defaultdict(list) for _ in self.lines]
        if not self.has_lanes or not self.lines:
            return pieces
        columns = (scene.continuum.annotator, scene.continuum.start, scene.continuum.end, scene.group)
        view = scene.in_view(self.window)
        present: defaultdict[int, set[int]] = defaultdict(set)
        for unit, annotator, start, end, group in zip(view.tolist(), *(c[view].tolist() for c in columns), strict=True):
            for number, left, right in self._between(start, end):
                pieces[number][annotator].append(_piece(left, right, unit, group, is_point=start == end))
        for group, annotator in zip(scene.group.tolist(), scene.continuum.annotator.tolist(), strict=True):
            present[group].add(annotator)
        everybody = range(len(scene.continuum.annotators))
        for group in self._alignments():
            parts = self._between(*(float(bound[group]) for bound in scene.bounds))
            for annotator in everybody:
                if annotator not in present[group]:
                    for number, left, right in parts:
                        pieces[number][annotator].append(_piece(left, right, HIDDEN, group, is_point=False))
        return pieces

    def _alignments(self) -> list[int]:
        """Return the unitary alignments in view that have disorder, or are selected."""
        start, end = self.scene.bounds
        inside = (start <= self.window[1]) & (end >= self.window[0])
        inside &= (self.scene.disorder > 0) | (np.arange(len(start)) == self.selected)
        return [int(group) for group in np.flatnonzero(inside)]

    def _grounds(self) -> list[list[_Piece]]:
        """Return by line where the grounds of unitary alignments are."""
        grounds: list[list[_Piece]] = [[] for _ in self.lines]
        if self.lines:
            for group in self._alignments():
                for number, left, right in self._between(*(float(bound[group]) for bound in self.scene.bounds)):
                    grounds[number].append(_piece(left, right, HIDDEN, group, is_point=False))
        return grounds

    def _text(self, line: Line, top: float) -> None:
        shift = self._shift(line)
        for run in line.runs():
            x = shift + run.cell * CELL
            fit: Attributes = {"textLength": run.cells * CELL}
            if not run.is_simple:
                fit["lengthAdjust"] = "spacingAndGlyphs"
            if run.is_reversed:
                x += run.cells * CELL
                fit["direction"] = "rtl"
            self.texts.append(element("text", xml_text(run.text), x=x, y=top + _BASELINE, **fit))

    def _lanes(self, pieces: dict[int, list[_Piece]], top: float) -> float:
        """Draw the lanes under a line of text, none where nobody has a unit, and return where they end."""
        y = top + _TEXT_HEIGHT
        if not any(pieces.values()):
            return y
        names, rules = [], []
        for annotator, name in enumerate(self.names):
            middle = y + self.style.bar / 2
            if self.style is _NAMED or annotator % 2 == 0:
                names.append(element("text", xml_text(name), x=self.left - 6, y=middle + _NAME_SIZE * 0.35))
            rows = self._stacked(pieces.get(annotator, []), y)
            rules += [middle + row * self.style.pitch for row in range(rows)]
            y += rows * self.style.pitch
        self._rules(names, rules)
        return y

    def _rules(self, names: list[str], rules: list[float]) -> None:
        path = "".join(f"M{pixels(self.left)} {pixels(y)}H{pixels(self.right)}" for y in rules)
        lines = element("path", None, d=path, stroke=self.palette["line"])
        paint: Attributes = {"fill": self.palette["soft"], "font_size": _NAME_SIZE, "text_anchor": "end"}
        self.lanes.append(element("g", lines + "".join(names), class_="lanes", **paint))

    def _stacked(self, pieces: list[_Piece], top: float) -> int:
        """Draw the pieces of an annotator in a line, what is missing only where there is room; return the rows."""
        own = sorted((piece for piece in pieces if piece.unit != HIDDEN), key=lambda piece: (piece.left, piece.unit))
        placed = stack((piece.left, piece.right) for piece in own)
        rows = max(placed, default=0) + 1 if set(placed) != {HIDDEN} else 1
        taken: list[list[_Piece]] = [[] for _ in range(rows)]
        hidden = []
        for piece, row in zip(own, placed, strict=True):
            if row == HIDDEN:
                hidden.append(piece.unit)
            else:
                taken[row].append(piece)
                self.shapes[piece.unit].append(self._bar(piece, top + row * self.style.pitch))
        for piece in pieces:
            if piece.unit == HIDDEN:
                self._empty(piece, taken, top)
        if hidden:
            self._count(hidden, top + (rows - 0.5) * self.style.pitch)
        return rows

    def _empty(self, piece: _Piece, taken: list[list[_Piece]], top: float) -> None:
        """Draw the box of a missing unit in the first row where there is room, if there is one."""
        for row, others in enumerate(taken):
            if all(piece.right <= other.left or other.right <= piece.left for other in others):
                others.append(piece)
                self.missing.append(self._box(piece, top + row * self.style.pitch))
                return

    def _box(self, piece: _Piece, top: float) -> str:
        paint: Attributes = {"fill": self.palette["paper"], "stroke": self.palette["d4"], "stroke_dasharray": "2 1.5"}
        box = Box(piece.left + 0.5, top + 0.5, piece.right - 0.5, top + self.style.bar - 0.5)
        return box.shape(rx=1.5, **paint, **self.scene.alignment_name(piece.group))

    def _bar(self, piece: _Piece, top: float) -> str:
        fill = self.palette.fill(self.scene.units[piece.unit].category)
        return Box(piece.left, top, piece.right, top + self.style.bar, piece.is_point).shape(rx=1.5, fill=fill)

    def _count(self, hidden: list[int], y: float) -> None:
        """Say how many units of a lane are not drawn for want of room."""
        units = sorted(set(hidden))
        title = element("title", xml_text("; ".join(self.scene.describe(unit) for unit in units[:_MOST_TITLES])))
        text = text_element(self.right + CELL + 2, y + 2, f"+{len(units)}", size=_NAME_SIZE, fill=self.palette["ink"])
        self.counts.append(element("g", title + text, **self.scene.hidden_names(units)))

    def _ground(self, grounds: list[_Piece], top: float, foot: float) -> None:
        """Draw one ground where there is disorder, of the worst at each place, and the frame of what is selected.

        Above it, each unitary alignment has a ground that is not seen, by which it is found.
        """
        foot += 1
        stepped = [(piece, int(self.scene.steps[piece.group])) for piece in grounds]
        edges = sorted({edge for piece in grounds for edge in (piece.left, piece.right)})
        worst = [
            max((step for piece, step in stepped if piece.left < right and left < piece.right), default=0)
            for left, right in itertools.pairwise(edges)
        ]
        for step, run in itertools.groupby(
            zip(worst, itertools.pairwise(edges), strict=True), key=lambda pair: pair[0]
        ):
            if step:
                stretches = [stretch for _, stretch in run]
                box = Box(stretches[0][0], top, stretches[-1][1], foot)
                self.grounds.append(box.shape(rx=2, fill=self.palette[f"d{step}"], fill_opacity=_OPACITY))
        for piece in grounds:
            box = Box(piece.left - 1, top, piece.right + 1, foot)
            names = self.scene.alignment_name(piece.group)
            title = element("title", f"disorder {self.scene.disorder[piece.group]:.2f}")
            self.grounds.append(element("g", title + box.shape(fill_opacity=0.0), **names))
            if piece.group == self.selected:
                self.frames.append(frame(box, self.palette, class_="selected", **names))

    def _band(self, line: Line, grounds: list[_Piece], top: float) -> float:
        """Draw the count band under a line of text, and the lanes of what is selected, and return where they end."""
        n_characters = len(line.text)
        order = np.argsort(line.cells[:n_characters], kind="stable")
        widths = line.widths[order] * CELL
        edges = self._shift(line) + np.concatenate([[0.0], np.cumsum(widths)])
        of_label = shares(self.scene, (line.start, line.end), n_characters)
        foot = top + _TEXT_HEIGHT + _BAND
        heights = {code: share[order] for code, share in of_label.items()}
        self.bands.append(stacked(self.scene, heights, edges, foot, _BAND, self.palette))
        rules = [foot + 0.5]
        names = [
            element("text", text, x=self.left - 6, y=y + 3) for text, y in (("all", foot - _BAND + 3), ("0", foot - 1))
        ]
        y = foot + 8
        if any(piece.group == self.selected for piece in grounds):
            for number, unit in self._choices():
                names.append(element("text", f"{number} of {len(self.names)}", x=self.left - 6, y=y + 7))
                y = self._choice(unit, line, grounds, y)
        self._rules(names, rules)
        return y

    def _choices(self) -> list[tuple[int, int]]:
        """Return the different units of the selected alignment with how many chose each, and `HIDDEN` for none."""
        scene = self.scene
        members = np.flatnonzero(scene.group == self.selected).tolist()
        first: dict[tuple[float, float, str | None], int] = {}
        counts: Counter[int] = Counter()
        for unit in members:
            counts[first.setdefault(scene.units[unit][1:], unit)] += 1
        choices = [(number, unit) for unit, number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
        absent = len(scene.continuum.annotators) - len(members)
        return [*choices, *([(absent, HIDDEN)] if absent else [])]

    def _choice(self, unit: int, line: Line, grounds: list[_Piece], y: float) -> float:
        """Draw a lane of the selected alignment, and return where the next one is."""
        number = self.lines.index(line)
        if unit == HIDDEN:
            self.missing += [self._box(piece, y) for piece in grounds if piece.group == self.selected]
        else:
            start, end = self.scene.units[unit][1:3]
            for at, left, right in self._between(start, end):
                if at == number:
                    piece = _piece(left, right, unit, int(self.scene.group[unit]), is_point=start == end)
                    self.shapes[unit].append(self._bar(piece, y))
        return y + _NAMED.pitch


def _piece(left: float, right: float, unit: int, group: int, *, is_point: bool) -> _Piece:
    """Return a piece with a hair of paper between those that touch, and wide enough to be seen."""
    if is_point:
        return _Piece(left - _POINT / 2, left + _POINT / 2, unit, group, is_point=True)
    if right - left > _THIN:
        left, right = left + 0.5, right - 0.5
    return _Piece(round(left, 2), round(max(right, left + 2.0), 2), unit, group)
