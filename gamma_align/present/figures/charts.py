"""Small charts: the parts of a disorder, a value on its scale, shares, and the density of units.

Each is an ``<svg>`` element with a sentence for screen readers, or hidden from them if the page repeats it as text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data import Continuum, counted, printable, short_names, whole_percents
from gamma_align.insight.disagreements import REASONS, Share
from gamma_align.present.figures.elements import Attributes, element, pixels, text_element, text_width
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture, figure

_SMALL_FONT_SIZE = 12.0  # pixels
_CUT_WIDTH = 12.0  # pixels, for the "»" of a bar that is cut
_DOT_RADIUS = 5.0  # pixels
_SCALE_MARGIN = 8.0  # pixels, with room for half a dot
_ROW_MARGIN = 6.0  # pixels, with room for half a dot
_ROW_HEIGHT = 16.0  # pixels
_COLUMN_WIDTH = 14.0  # approximate width in pixels
_LANE_HEIGHT = 28.0  # pixels
_MAX_COLUMN_HEIGHT = 22.0  # pixels
_MAX_NAME_LENGTH = 22  # characters


def parts_bar(
    disorder: Share,
    *,
    width: float,
    palette: Palette,
    scale: float | None = None,
    height: float = 12.0,
    hidden: bool = False,
) -> str:
    """Return a bar of the parts of a disorder: missing solid, position hatched, category dotted.

    Parameters
    ----------
    disorder : Share
        The disorder and its parts.
    width, height : float
        Size in pixels.
    palette : Palette
        The colours.
    scale : float, optional
        Pixels for a disorder of 1; a bar that is longer than the chart is cut and ends in "»". By default, the bar
        fills the chart and shows the shares of the parts.
    hidden : bool
        Whether to hide the chart from screen readers, because the page has the parts in words.

    Examples
    --------
    >>> from gamma_align.insight.disagreements.shares import Share
    >>> bar = parts_bar(Share(1.0, 0.75, 0.25, 0.0, 1.0), width=100, palette=Palette(in_page=True))
    >>> "missing 75 %, position 25 %, category 0 % of the disorder" in bar
    True
    """
    parts = [disorder.missing, disorder.position, disorder.category]
    total = math.fsum(parts)
    if scale is None:
        scale = width / total if total > 0 else 0.0
    content = [_ground(width, height, palette["d0"])]
    is_cut = total * scale > width + 0.5
    room = width - _CUT_WIDTH if is_cut else width
    left = 0.0
    for reason, part in zip(REASONS, parts, strict=True):
        right = min(left + part * scale, room)
        if right > left:
            paint = _reason_paint(height, palette.reason(reason), reason)
            content.append(f'<rect x="{pixels(left)}" width="{pixels(right - left)}" {paint}')
        left = max(left, right)
    if is_cut:
        content.append(text_element(width, height / 2 + 4.5, "»", size=14, fill=palette["ink"], anchor="end"))
    # The sentence of a hidden chart is not used, and a page has thousands of them.
    sentence = "" if hidden else _parts_text(parts)
    return figure(Picture("".join(content), width, height, sentence), palette, hidden=hidden)


def value_scale(
    value: float,
    low: float,
    high: float,
    *,
    palette: Palette,
    threshold: float | None = None,
    is_band: bool = True,
    is_precise: bool = True,
    width: float = 520.0,
) -> str:
    """Return γ on the scale from "0: chance" to "1: identical".

    Parameters
    ----------
    value, low, high : float
        The value and its interval, NaN if not available.
    palette : Palette
        The colours.
    threshold : float, optional
        The requested minimum, drawn as a tick.
    is_band : bool
        Whether to draw the interval as a band, for a corpus, or as a whisker, for one document, whose interval measures
        only the precision of the sampled chance.
    is_precise : bool
        Whether the requested precision is reached; if not, the band is dotted.
    width : float
        Width in pixels.
    """
    finite = [number for number in (value, low) if math.isfinite(number)]
    lowest = min([0.0, *(math.floor(number * 10) / 10 for number in finite)])
    axis = _Axis(lowest, width, _SCALE_MARGIN)
    content = [
        _ruler(axis, palette),
        _interval(axis, low, high, palette, is_band=is_band, is_precise=is_precise),
        "" if threshold is None else _threshold(axis, threshold, palette),
        _dot(axis, value, palette, radius=6.5),
    ]
    foot = 42.0 if threshold is None else 60.0
    for text, x, anchor in (("0: chance", axis.x(0.0) - 6, "start"), ("1: identical", axis.x(1.0) + 6, "end")):
        content.append(text_element(x, foot, text, size=13, fill=palette["soft"], anchor=anchor))
    sentence = f"{_value_text(value, low, high)}, on a scale from 0, chance, to 1, identical"
    if threshold is not None:
        sentence += f"; asked for: at least {threshold:.2f}"
    return figure(Picture("".join(content), width, foot + 4, sentence), palette)


def dot_row(
    value: float,
    low: float,
    high: float,
    *,
    axis_low: float,
    palette: Palette,
    width: float = 320.0,
    reference: float | None = None,
) -> str:
    """Return a row of a dot plot: a value with a whisker, unless the whisker is narrower than the dot.

    It is hidden from screen readers, because the page has the value in words.

    Parameters
    ----------
    value, low, high : float
        The value and its interval; nothing is drawn for NaN.
    axis_low : float
        The beginning of the axis, as in `dot_axis`; it ends at 1.
    palette, width
        As in `value_scale`.
    reference : float, optional
        A value for comparison, such as γ of the corpus: a dashed line through all rows.
    """
    axis = _Axis(axis_low, width, _ROW_MARGIN, middle=_ROW_HEIGHT / 2)
    content = _row_ground(axis, reference, palette["grid"], palette["line"], palette["soft"])
    content += _interval(axis, low, high, palette, is_band=False, is_precise=True)
    content += _dot(axis, value, palette, radius=_DOT_RADIUS)
    return figure(Picture(content, width, _ROW_HEIGHT, ""), palette, hidden=True)


@lru_cache(maxsize=16)  # the same in all rows of a plot
def _row_ground(axis: _Axis, reference: float | None, grid: str, line: str, soft: str) -> str:
    """Return the axis of a row of a dot plot with its ticks, in these colours."""
    content = element("line", x1=axis.x(axis.lowest), x2=axis.x(1.0), y1=axis.middle, y2=axis.middle, stroke=grid)
    if axis.lowest < 0:
        content += axis.tick(0.0, _ROW_HEIGHT / 2, stroke=line, stroke_width=1.5)
    if reference is not None and math.isfinite(reference):
        content += axis.tick(reference, _ROW_HEIGHT / 2, stroke=soft, stroke_dasharray="3 2", stroke_width=1.5)
    return content


def dot_axis(axis_low: float, *, palette: Palette, width: float = 320.0) -> str:
    """Return the axis above the rows of `dot_row`: labels at `axis_low`, at 0 or the centre of the axis, and at 1."""
    axis = _Axis(axis_low, width, _ROW_MARGIN)
    content = []
    centre = 0.0 if axis_low < 0 else (axis_low + 1) / 2
    for position in dict.fromkeys([axis_low, centre, 1.0]):
        anchor = {axis_low: "start", 1.0: "end"}.get(position, "middle")
        x = axis.x(position) + {"start": -_ROW_MARGIN, "middle": 0.0, "end": _ROW_MARGIN}[anchor]
        label = f"{position:.3g}".replace("-", "\u2212")
        content.append(text_element(x, 11, label, size=_SMALL_FONT_SIZE, fill=palette["soft"], anchor=anchor))
    return figure(Picture("".join(content), width, 14, ""), palette, hidden=True)


def marked_bar(n_marked: int, n_occurrences: int, *, palette: Palette, width: float = 52.0, name: str = "") -> str:
    """Return a bar of the share of occurrences that the annotator `name` marked.

    Examples
    --------
    >>> "user1 marked 3 of 4" in marked_bar(3, 4, palette=Palette(), name="user1")
    True
    """
    height = 10.0
    share = n_marked / n_occurrences if n_occurrences else 0.0
    content = _ground(width, height, palette["d0"])
    if n_marked:
        content += element("rect", width=max(width * share, 1.0), height=height, fill=palette["soft"])
    sentence = f"{printable(name)} marked {n_marked} of {n_occurrences}".strip()
    return figure(Picture(content, width, height, sentence), palette)


def density_strip(
    continuum: Continuum,
    *,
    palette: Palette,
    cut: float,
    annotator: str | None = None,
    side: Literal["before", "after"] = "after",
    length_unit: str = "",
    width: float = 640.0,
) -> str:
    """Return the number of units of each annotator along a document, as columns on the same scale for all annotators.

    Parameters
    ----------
    continuum : Continuum
        The document.
    palette, width
        As in `value_scale`.
    cut : float
        A position to mark by a line.
    annotator : str, optional
        The annotator with few units on one `side` of the cut, which has a wine ground.
    length_unit : str
        Unit of positions, such as "character", written before the position of the cut.
    """
    names = [*short_names(continuum.annotators, _MAX_NAME_LENGTH).values()]
    left = 8 + max((text_width(name, _SMALL_FONT_SIZE) for name in names), default=0.0)
    low, high = continuum.extent
    high = high if high > low else low + 1.0
    counts = _counts(continuum, (low, high), max(int((width - left) // _COLUMN_WIDTH), 1))
    top = 18.0
    bottom = top + _LANE_HEIGHT * len(names)
    content = []
    cut_x = left + (min(max(cut, low), high) - low) / (high - low) * (width - left)
    if annotator in continuum.annotators:
        ground = (cut_x, width) if side == "after" else (left, cut_x)
        y = top + _LANE_HEIGHT * continuum.annotators.index(annotator)
        box = {"x": ground[0], "y": y, "width": ground[1] - ground[0], "height": _LANE_HEIGHT}
        content.append(element("rect", None, **box, fill=palette["d1"], fill_opacity=0.6))
    for lane, name in enumerate(names):
        foot = top + _LANE_HEIGHT * (lane + 1) - 3
        content.append(
            text_element(left - 8, foot - 4, name, size=_SMALL_FONT_SIZE, fill=palette["soft"], anchor="end")
        )
        content.append(element("line", x1=left, x2=width, y1=foot, y2=foot, stroke=palette["line"]))
        content.append(element("path", d=_columns(counts[lane], (left, width), foot), fill=palette["soft"]))
    line = {"x1": cut_x, "x2": cut_x, "y1": top - 4, "y2": bottom}
    content.append(element("line", None, **line, stroke=palette["ink"], stroke_width=1.5))
    cut_label = f"{length_unit} {cut:,.15g}".strip()
    cut_anchor = "start" if cut_x < width / 2 else "end"
    content.append(
        text_element(cut_x, top - 7, cut_label, size=_SMALL_FONT_SIZE, fill=palette["ink"], anchor=cut_anchor)
    )
    for x, position, anchor in ((left, low, "start"), (width, high, "end")):
        label = f"{position:,.15g}"
        content.append(text_element(x, bottom + 14, label, size=_SMALL_FONT_SIZE, fill=palette["soft"], anchor=anchor))
    sentence = f"Units placed along {printable(continuum.document)} by {counted(len(names), 'annotator')}"
    if annotator is not None:
        sentence += f"; {printable(annotator)} places few {side} {cut:,.15g}"
    return figure(Picture("".join(content), width, bottom + 18, sentence), palette)


def _counts(continuum: Continuum, extent: tuple[float, float], n_columns: int) -> FloatArray:
    """Return the number of units that begin in each column, divided by the largest, shape (n_annotators, n_columns)."""
    low, high = extent
    column = np.clip(((continuum.start - low) / (high - low) * n_columns).astype(np.int64), 0, n_columns - 1)
    counts = np.zeros((len(continuum.annotators), n_columns))
    np.add.at(counts, (continuum.annotator, column), 1)
    heights: FloatArray = counts / max(counts.max(initial=0.0), 1.0)
    return heights


def _columns(heights: FloatArray, extent: tuple[float, float], foot: float) -> str:
    """Return columns, with heights from 0 to 1, as one path."""
    left, right = extent
    width = (right - left) / len(heights)
    # one pixel remains between columns
    down = f"V{pixels(foot)}z"
    across = f"h{pixels(width - 1)}"
    return "".join(
        f"M{pixels(left + column * width + 0.5)} {pixels(foot)}v{pixels(-height * _MAX_COLUMN_HEIGHT)}{across}{down}"
        for column, height in enumerate(heights.tolist())
        if height
    )


class _Axis(NamedTuple):
    """A horizontal axis from the value `lowest` to 1, at the height `middle`, with a margin on both sides (pixels)."""

    lowest: float
    width: float
    margin: float
    middle: float = 16.0

    def x(self, value: float) -> float:
        """Return the position of a value in pixels, clipped to the axis."""
        fraction = (min(max(value, self.lowest), 1.0) - self.lowest) / (1.0 - self.lowest)
        return self.margin + fraction * (self.width - 2 * self.margin)

    def line(self, low: float, high: float, **paint: str | float) -> str:
        """Return the part of the axis between two values."""
        return element("line", None, x1=self.x(low), x2=self.x(high), y1=self.middle, y2=self.middle, **paint)

    def tick(self, value: float, half: float, **paint: str | float) -> str:
        """Return a vertical line through the axis."""
        x = self.x(value)
        return element("line", None, x1=x, x2=x, y1=self.middle - half, y2=self.middle + half, **paint)


def _ruler(axis: _Axis, palette: Palette) -> str:
    paint: Attributes = {"stroke": palette["line"], "stroke_width": 1.5}
    line = axis.line(axis.lowest, 1.0, **paint)
    ticks = range(math.ceil(axis.lowest * 5 - 1e-9), 6)  # at multiples of 0.2; 1e-9 absorbs rounding errors
    return line + "".join(axis.tick(tick / 5, 6 if tick in (0, 5) else 4, **paint) for tick in ticks)


def _threshold(axis: _Axis, threshold: float, palette: Palette) -> str:
    # the label extends towards the centre, so that it stays within the chart
    x = axis.x(threshold)
    anchor = "end" if threshold > (axis.lowest + 1) / 2 else "start"
    label = text_element(x, 42, f"asked for: ≥ {threshold:.2f}", size=13, fill=palette["ink"], anchor=anchor)
    return axis.tick(threshold, 12, stroke=palette["ink"], stroke_width=1.5) + label


def _interval(axis: _Axis, low: float, high: float, palette: Palette, *, is_band: bool, is_precise: bool) -> str:
    """Return an interval as a band, dotted if it is not precise, or as a whisker if this is wider than the dot."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    left = axis.x(low)
    right = axis.x(high)
    paint: Attributes = {"fill": palette["soft"], "fill_opacity": 0.45}
    if not is_precise:
        paint = {"fill": "none", "stroke": palette["soft"], "stroke_width": 1.5, "stroke_dasharray": "1.5 2.5"}
    if is_band:
        return element("rect", None, x=left, y=axis.middle - 5, width=right - left, height=10, rx=5, **paint)
    if right - left <= 2 * _DOT_RADIUS:
        return ""
    stroke: Attributes = {"stroke": palette["ink"], "stroke_width": 1.5}
    ends = axis.tick(low, 4, **stroke) + axis.tick(high, 4, **stroke)
    return axis.line(low, high, **stroke) + ends


def _dot(axis: _Axis, value: float, palette: Palette, *, radius: float) -> str:
    if not math.isfinite(value):
        return ""
    paint: Attributes = {"fill": palette["ink"], "stroke": palette["paper"], "stroke_width": 2.0}
    return element("circle", None, cx=axis.x(value), cy=axis.middle, r=radius, **paint)


# A page has thousands of bars of few heights.
@lru_cache(maxsize=256)
def _ground(width: float, height: float, fill: str) -> str:
    return element("rect", width=width, height=height, fill=fill)


@lru_cache(maxsize=256)
def _reason_paint(height: float, fill: str, reason: str) -> str:
    """Return the attributes of a part of a bar after its place, and the end of the element."""
    return element("rect", height=height, fill=fill, data_reason=reason).removeprefix("<rect ")


def _parts_text(parts: Sequence[float]) -> str:
    if not math.fsum(parts) > 0:
        return "no disorder"
    shares = zip(REASONS, whole_percents(parts), strict=True)
    return ", ".join(f"{reason} {share} %" for reason, share in shares) + " of the disorder"


def _value_text(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return "γ is not available"
    interval = f", 95 percent interval {low:.3f} to {high:.3f}" if math.isfinite(low) and math.isfinite(high) else ""
    return f"γ {value:.3f}{interval}".replace("-", "\u2212")
