"""Curves of experiments and of a degraded corpus as pictures; curves and plans as text.

A picture is one self-contained SVG document without scripts and fonts; the same curves give the same bytes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gamma_align.data import number, printable
from gamma_align.insight import verdicts
from gamma_align.present.curve_tables import curves_table, kinds_text, placements_table, plan_table, power_table
from gamma_align.present.figures.elements import Attributes, element, pixels, round_step, text_element
from gamma_align.present.figures.palette import COLOURS, Palette
from gamma_align.present.figures.picture import Picture, document
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import section_lines
from gamma_align.simulation import MAX_DOCUMENTS, Band, Experiment, Plan, PowerPlan, ReferenceCurve

# In pixels: the plotting area, and the margins around it for title, ticks and legend.
_MARGIN_LEFT = 64.0
_MARGIN_TOP = 56.0
_MARGIN_RIGHT = 190.0
_MARGIN_BOTTOM = 56.0
_PLOT_WIDTH = 560.0
_PLOT_HEIGHT = 360.0
_LEGEND_LINE_HEIGHT = 22.0
_MAX_TICKS = 7  # of an axis
_Y_STEP = 5  # the y axis ends at a multiple of 1/5
_TOLERANCE = 1e-9  # a bound that rounding moved past a tick still ends at this tick
_DASHES = ("", "7 3", "2 3", "9 3 2 3")  # so that curves are told apart without colours
_FILE_PALETTE = Palette()
_INK_COLOUR = _FILE_PALETTE["ink"]
_SOFT_COLOUR = _FILE_PALETTE["soft"]
_GRID_COLOUR = _FILE_PALETTE["line"]

_MEASURE_SYMBOLS = {
    "gamma": "γ",
    "gamma-cat": "γcat",
    "gamma-cat:unweighted": "γcat unweighted",
    "u-alpha": "uα",
    "bar-u-alpha": "|uα",
    "cu-alpha": "cuα",
}


class CurvePoint(NamedTuple):
    """A point of a curve with its band; NaN if there is no value."""

    x: float
    y: float
    low: float
    high: float


class Curve(NamedTuple):
    """A curve and its name in the legend."""

    name: str
    points: tuple[CurvePoint, ...]


class _Frame(NamedTuple):
    """The ranges of both axes, which map values to pixels."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        low, high = self.x_range
        return _MARGIN_LEFT + (value - low) / (high - low) * _PLOT_WIDTH

    def y(self, value: float) -> float:
        low, high = self.y_range
        return _MARGIN_TOP + (high - value) / (high - low) * _PLOT_HEIGHT

    def path(self, points: Sequence[tuple[float, float]]) -> str:
        return "M" + "L".join(f"{pixels(self.x(x))} {pixels(self.y(y))}" for x, y in points)


def experiment_svg(experiment: Experiment, title: str = "Response to errors") -> str:
    """Return the picture of an experiment as SVG text: the mean of each measure by the magnitude of the errors.

    Bands go from the 5 % to the 95 % quantile of the repetitions.

    Parameters
    ----------
    experiment : Experiment
        The result to draw.
    title : str
        Headline.

    Returns
    -------
    str
        A whole SVG document; an element with ``data-curve`` is a curve, one with ``data-band`` a band.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=5, seed=1)
    >>> result = ga.experiment(reference, magnitudes=[0, 1], measures=["cu-alpha"], repetitions=2)
    >>> ga.experiment_svg(result).count("data-curve")
    1
    """
    return curves_svg(experiment_curves(experiment), title=title)


def symbol(measure: str) -> str:
    """Return the symbol of a measure of an experiment."""
    if measure.startswith("gamma-k:"):
        return f"γk({measure.removeprefix('gamma-k:')})"
    if measure.startswith("atoms:"):
        return f"{measure.removeprefix('atoms:')} on atoms"
    return _MEASURE_SYMBOLS.get(measure, "F1 of spans")


def experiment_curves(experiment: Experiment, prefix: str = "") -> list[Curve]:
    """Return the curves of an experiment, whose names begin with `prefix`."""
    return [_curve(f"{prefix}{symbol(measure)}", experiment.curve(measure)) for measure in experiment.measures]


def _curve(name: str, bands: Sequence[Band]) -> Curve:
    return Curve(name, tuple(CurvePoint(band.magnitude, band.mean, band.low, band.high) for band in bands))


def curves_svg(
    curves: Sequence[Curve],
    *,
    title: str,
    y_label: str = "value",
    level: tuple[str, float] | None = None,
) -> str:
    """Return curves as SVG text; `level` is the name and the value of a horizontal line."""
    frame = _fit_frame(curves, level)
    colours = [_FILE_PALETTE[COLOURS[index % len(COLOURS)]] for index in range(len(curves))]
    # SVG draws later elements over earlier ones, so bands come before lines.
    parts = [
        text_element(_MARGIN_LEFT, _MARGIN_TOP - 26, title, fill=_INK_COLOUR, size=16.0, font_weight="600"),
        *_axes(frame, y_label),
        *itertools.chain.from_iterable(map(_band, itertools.repeat(frame), curves, colours)),
        *([] if level is None else _level(frame, *level, len(curves))),
        *itertools.chain.from_iterable(map(_line, itertools.repeat(frame), curves, colours, itertools.count())),
    ]
    width = _MARGIN_LEFT + _PLOT_WIDTH + _MARGIN_RIGHT
    height = _MARGIN_TOP + _PLOT_HEIGHT + _MARGIN_BOTTOM
    sentence = f"{title}: {', '.join(curve.name for curve in curves)}"
    return document(Picture("\n".join(parts), width, height, sentence), _FILE_PALETTE)


def _fit_frame(curves: Sequence[Curve], level: tuple[str, float] | None) -> _Frame:
    """Return the frame that contains all curves, the level, and 0 to 1 on the y axis."""
    points = [*itertools.chain.from_iterable(curve.points for curve in curves)]
    xs = [point.x for point in points]
    ys = [0.0, 1.0, *itertools.chain.from_iterable(point[1:] for point in points)]
    ys += [] if level is None else [level[1]]
    # A point without a value is NaN, which no axis can contain.
    finite = [y for y in ys if math.isfinite(y)]
    low = math.floor(min(finite) * _Y_STEP + _TOLERANCE) / _Y_STEP
    high = math.ceil(max(finite) * _Y_STEP - _TOLERANCE) / _Y_STEP
    x_min = min(xs, default=0.0)
    x_max = max(xs, default=1.0)
    # A single magnitude would give a range of zero, by which the frame divides.
    return _Frame((x_min, x_max if x_max > x_min else x_min + 1.0), (low, high))


def _axes(frame: _Frame, y_label: str) -> Iterator[str]:
    bottom = _MARGIN_TOP + _PLOT_HEIGHT
    right = _MARGIN_LEFT + _PLOT_WIDTH
    for tick in _ticks(frame.y_range):
        y = frame.y(tick)
        yield element("line", x1=_MARGIN_LEFT, x2=right, y1=y, y2=y, stroke=_GRID_COLOUR)
        yield text_element(_MARGIN_LEFT - 8, y + 4, number(tick), anchor="end", fill=_SOFT_COLOUR)
    for tick in _ticks(frame.x_range):
        x = frame.x(tick)
        yield element("line", x1=x, x2=x, y1=_MARGIN_TOP, y2=bottom, stroke=_GRID_COLOUR)
        yield text_element(x, bottom + 18, number(tick), anchor="middle", fill=_SOFT_COLOUR)
    yield text_element(_MARGIN_LEFT + _PLOT_WIDTH / 2, bottom + 42, "magnitude m", anchor="middle", fill=_INK_COLOUR)
    yield text_element(_MARGIN_LEFT, _MARGIN_TOP - 8, y_label, fill=_SOFT_COLOUR)


def _ticks(axis_range: tuple[float, float]) -> list[float]:
    """Return round numbers within a range: 1, 2 or 5 times a power of ten apart."""
    low, high = axis_range
    step = round_step((high - low) / (_MAX_TICKS - 1))
    first = math.ceil(low / step - _TOLERANCE)
    last = math.floor(high / step + _TOLERANCE)
    # Rounding removes the error of the product: 3 * 0.1 is 0.30000000000000004.
    return [round(index * step, 12) for index in range(first, last + 1)]


def _runs(curve: Curve) -> Iterator[list[CurvePoint]]:
    """Yield the stretches of a curve that have values."""
    for has_value, points in itertools.groupby(curve.points, key=lambda point: math.isfinite(point.y)):
        if has_value:
            yield list(points)


def _band(frame: _Frame, curve: Curve, colour: str) -> Iterator[str]:
    paths = []
    for points in _runs(curve):
        if all(math.isfinite(point.low) and math.isfinite(point.high) for point in points):
            upper = [(point.x, point.high) for point in points]
            # The lower edge runs backwards, so that both edges enclose one area.
            lower = [(point.x, point.low) for point in reversed(points)]
            paths.append(f"{frame.path(upper + lower)}Z")
    if paths:
        yield element("path", d="".join(paths), fill=colour, fill_opacity=0.16, data_band=curve.name)


def _line(frame: _Frame, curve: Curve, colour: str, index: int) -> Iterator[str]:
    runs = list(_runs(curve))
    style: Attributes = {"fill": "none", "stroke": colour, "stroke_width": 2.0}
    # When all colours have been used, the next curve of a colour has another dash.
    dashes = _DASHES[(index + index // len(COLOURS)) % len(_DASHES)]
    if dashes:
        style["stroke_dasharray"] = dashes
    if runs:
        path = "".join(frame.path([(point.x, point.y) for point in points]) for points in runs)
        yield element("path", None, d=path, data_curve=curve.name, **style)
    for points in runs:
        if len(points) == 1:  # a path of one point is invisible
            yield element("circle", cx=frame.x(points[0].x), cy=frame.y(points[0].y), r=3.0, fill=colour)
    yield from _legend(curve.name, style, index)


def _level(frame: _Frame, name: str, value: float, index: int) -> Iterator[str]:
    if math.isfinite(value):
        y = frame.y(value)
        style: Attributes = {"stroke": _INK_COLOUR, "stroke_dasharray": "4 4"}
        yield element("line", None, x1=_MARGIN_LEFT, x2=_MARGIN_LEFT + _PLOT_WIDTH, y1=y, y2=y, **style)
        yield from _legend(name, style, index)


def _legend(name: str, style: Attributes, index: int) -> Iterator[str]:
    """Draw the entry of the legend with this index, the first one at the top."""
    x = _MARGIN_LEFT + _PLOT_WIDTH
    y = _MARGIN_TOP + 14 + _LEGEND_LINE_HEIGHT * index
    yield element("path", None, d=f"M{pixels(x + 18)} {pixels(y)}h28", **style)
    yield text_element(x + 54, y + 4, name, fill=_INK_COLOUR)


def curve_text(result: ReferenceCurve) -> str:
    """Return the placements and the curves as text."""
    samples = [*filter(None, itertools.chain.from_iterable(curve.samples for curve in result.curves))]
    max_error = max(max(curve.errors) for curve in result.curves)
    placed = [
        f"{prefix_of(result.settings)}γ of the corpus is {result.gamma}.",
        *section_lines(placements_table(result)),
    ]
    sizes = [(kinds_text(placement.kinds), placement.magnitude) for placement in result.placements]
    symbol_text = symbol_of("gamma", prefix_of(result.settings))
    sentence = [verdicts.errors_as_large(symbol_text, result.gamma.value, sizes)] if result.gamma.is_available else []
    degraded = [
        *section_lines(curves_table(result)),
        f"with {_range(samples)} samples a document: standard error {max_error:.4f} at most",
        *([f"largest gap of an alignment not proven optimal: {result.gap:.2%}"] if result.gap else []),
    ]
    return blocks_text([placed, sentence, degraded])


def _range(counts: Sequence[int]) -> str:
    low = min(counts)
    high = max(counts)
    return str(low) if low == high else f"{low} to {high}"


def curve_svg(result: ReferenceCurve, name: str) -> str:
    """Return the picture of the curves, with the measured γ as a horizontal line."""
    curves = [_curve(kinds_text(curve.settings.ordered), curve.bands) for curve in result.curves]
    level = (f"measured {result.gamma.value:.3f}", result.gamma.value)
    symbol_text = symbol_of("gamma", prefix_of(result.settings))
    return curves_svg(curves, title=f"{symbol_text} of {name}, degraded", y_label=symbol_text, level=level)


def plan_text(plan: Plan) -> str:
    """Return the plan as text."""
    prefix = prefix_of(plan.settings)
    above = "" if plan.reached else f"; their {prefix}γ is {plan.least:.4f}, still above the pilot's"
    simulated = f"{plan.within:.4f} (simulated, errors of m = {plan.magnitude:.2f}{above})"
    pilot = [
        f"pilot: {plan.documents} documents, {plan.annotators:.3g} annotators each, {prefix}γ {plan.gamma}",
        f"width of the 95 % interval of as many documents like these: {plan.pilot_width:.4f}",
        f"spread of documents: {plan.between:.4f}, of which annotators: {simulated}",
    ]
    needed = [(annotators, plan.documents_needed(annotators)) for annotators in plan.deviations]
    sentence = verdicts.documents_needed(f"{prefix}γ", plan.target, needed)
    return blocks_text([pilot, section_lines(plan_table(plan)), [sentence]])


def power_text(plan: PowerPlan) -> str:
    """Return the plan of a difference as text."""
    symbol = symbol_of("gamma", prefix_of(plan.settings))
    first, second = map(printable, plan.names)
    pilot = [
        f"pilot: {plan.documents} documents, {symbol} {plan.first:.4f} ({first}) and {plan.second:.4f} ({second})",
        f"difference to find: {plan.difference:+.4f}",
    ]
    sentence = verdicts.documents_of_difference(
        symbol, plan.difference, plan.target, plan.documents_needed, MAX_DOCUMENTS
    )
    return blocks_text([pilot, section_lines(power_table(plan)), [sentence]])
