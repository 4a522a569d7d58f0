"""Experiments, a corpus's γ on its own curves, and plans of larger corpora: as text, as CSV and as pictures.

A picture of curves is one self-contained SVG, without scripts or fonts; the same curves give the same bytes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gamma_align.data.wording import number
from gamma_align.present.curve_tables import curves_table, kinds_text, placements_table, plan_table
from gamma_align.present.figures.elements import Attributes, element, pixels, round_step, text_element
from gamma_align.present.figures.palette import COLOURS, Palette
from gamma_align.present.figures.picture import Picture, document
from gamma_align.present.writers.text import blocks_text, table_lines
from gamma_align.simulation.curve import ReferenceCurve
from gamma_align.simulation.experiment import Band, Experiment
from gamma_align.simulation.plan import Plan

_LEFT, _TOP, _RIGHT, _BOTTOM = 64.0, 56.0, 190.0, 56.0
_WIDTH, _HEIGHT = 560.0, 360.0
_TICKS = 7
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_PALETTE = Palette()
_INK, _SOFT, _GRID = _PALETTE["ink"], _PALETTE["soft"], _PALETTE["line"]


class CurvePoint(NamedTuple):
    """A point of a curve with its band; NaN where there is nothing to draw."""

    x: float
    y: float
    low: float
    high: float


class Curve(NamedTuple):
    """A curve and what it is called."""

    name: str
    points: tuple[CurvePoint, ...]


class _Frame(NamedTuple):
    """From numbers to pixels."""

    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, value: float) -> float:
        low, high = self.x
        return _LEFT + (value - low) / (high - low) * _WIDTH

    def down(self, value: float) -> float:
        low, high = self.y
        return _TOP + (high - value) / (high - low) * _HEIGHT


def _text(x: float, y: float, text: str, *, fill: str = _INK, **more: Any) -> str:  # noqa: ANN401  (of elements)
    return text_element(x, y, text, fill=fill, **more)


def experiment_svg(experiment: Experiment, title: str = "Response to errors") -> str:
    """Return the picture of an experiment as SVG text: the mean of each measure by the size of the errors.

    Bands go from the 5 % to the 95 % quantile of the repetitions.

    Parameters
    ----------
    experiment : Experiment
        What to draw.
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
    """Return how people write a measure."""
    known = {"gamma": "γ", "gamma-cat": "γcat", "gamma-cat:unweighted": "γcat unweighted"}
    known |= {"u-alpha": "uα", "bar-u-alpha": "|uα", "cu-alpha": "cuα"}
    if measure.startswith("gamma-k:"):
        return f"γk({measure[8:]})"
    if measure.startswith("atoms:"):
        return f"{measure[6:]} on atoms"
    return known.get(measure, "F1 of spans")


def experiment_curves(experiment: Experiment, prefix: str = "") -> list[Curve]:
    """Return the curves of an experiment, to be drawn."""
    return [curve_of(prefix + symbol(measure), experiment.curve(measure)) for measure in experiment.measures]


def curve_of(name: str, bands: Sequence[Band]) -> Curve:
    """Return means and bands as a curve to be drawn."""
    return Curve(name, tuple(CurvePoint(band.magnitude, band.mean, band.low, band.high) for band in bands))


def curves_svg(
    curves: Sequence[Curve],
    *,
    title: str,
    y_label: str = "value",
    level: tuple[str, float] | None = None,
) -> str:
    """Return curves as SVG text, with the name and value of a horizontal line."""
    frame = _frame(curves, level)
    names = [curve.name for curve in curves]
    colours = [_PALETTE[COLOURS[number % len(COLOURS)]] for number in range(len(curves))]
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    parts = [
        _text(_LEFT, _TOP - 26, title, size=16.0, font_weight="600"),
        *_axes(frame, y_label),
        *(_band(frame, curve, colour) for curve, colour in zip(curves, colours, strict=True)),
        *([] if level is None else _level(frame, *level, len(curves))),
        *itertools.chain.from_iterable(
            _line(frame, curve, colour, number)
            for number, (curve, colour) in enumerate(zip(curves, colours, strict=True))
        ),
    ]
    content = "\n".join(filter(None, parts))
    return document(Picture(content, width, height, f"{title}: {', '.join(names)}"), _PALETTE)


def _frame(curves: Sequence[Curve], level: tuple[str, float] | None) -> _Frame:
    points = [point for curve in curves for point in curve.points]
    xs = [point.x for point in points]
    ys = [y for point in points for y in (point.y, point.low, point.high)]
    ys += [] if level is None else [level[1]]
    kept = [y for y in ys if math.isfinite(y)]
    low, high = math.floor(min([0.0, *kept]) * 5 + 1e-9) / 5, math.ceil(max([1.0, *kept]) * 5 - 1e-9) / 5
    left, right = min(xs, default=0.0), max(xs, default=1.0)
    return _Frame((left, right if right > left else left + 1.0), (low, high))


def _axes(frame: _Frame, y_label: str) -> Iterator[str]:
    bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
    for y in _steps(frame.y):
        yield element("line", x1=_LEFT, x2=right, y1=frame.down(y), y2=frame.down(y), stroke=_GRID)
        yield _text(_LEFT - 8, frame.down(y) + 4, number(y), anchor="end", fill=_SOFT)
    for x in _steps(frame.x):
        yield element("line", x1=frame.across(x), x2=frame.across(x), y1=_TOP, y2=bottom, stroke=_GRID)
        yield _text(frame.across(x), bottom + 18, number(x), anchor="middle", fill=_SOFT)
    yield _text(_LEFT + _WIDTH / 2, bottom + 42, "magnitude m", anchor="middle")
    yield _text(_LEFT, _TOP - 8, y_label, fill=_SOFT)


def _steps(span: tuple[float, float]) -> list[float]:
    """Return round numbers across a span: 1, 2 or 5 times a power of ten apart."""
    step = round_step((span[1] - span[0]) / (_TICKS - 1))
    first, last = math.ceil(span[0] / step - 1e-9), math.floor(span[1] / step + 1e-9)
    return [round(tick * step, 12) for tick in range(first, last + 1)]


def _runs(curve: Curve) -> Iterator[list[CurvePoint]]:
    """Yield stretches of a curve that have values."""
    for has_value, run in itertools.groupby(curve.points, key=lambda point: math.isfinite(point.y)):
        if has_value:
            yield list(run)


def _band(frame: _Frame, curve: Curve, colour: str) -> str:
    paths = []
    for run in _runs(curve):
        if all(math.isfinite(point.low) and math.isfinite(point.high) for point in run):
            edge = [(point.x, point.high) for point in run] + [(point.x, point.low) for point in reversed(run)]
            paths.append(_path(frame, edge) + "Z")
    if not paths:
        return ""
    return element("path", d="".join(paths), fill=colour, fill_opacity=0.16, data_band=curve.name)


def _line(frame: _Frame, curve: Curve, colour: str, number: int) -> Iterator[str]:
    runs = list(_runs(curve))
    path = "".join(_path(frame, [(point.x, point.y) for point in run]) for run in runs)
    dashes = _DASHES[(number + number // len(COLOURS)) % len(_DASHES)]
    more = {"stroke_dasharray": dashes} if dashes else {}
    style: Attributes = {"fill": "none", "stroke": colour, "stroke_width": 2.0, **more}
    if path:
        yield element("path", None, d=path, data_curve=curve.name, **style)
    for point in (run[0] for run in runs if len(run) == 1):
        yield element("circle", cx=frame.across(point.x), cy=frame.down(point.y), r=3.0, fill=colour)
    yield from _legend(curve.name, style, number)


def _level(frame: _Frame, name: str, value: float, number: int) -> Iterator[str]:
    if not math.isfinite(value):
        return
    y = frame.down(value)
    style: Attributes = {"stroke": _INK, "stroke_dasharray": "4 4"}
    yield element("line", None, x1=_LEFT, x2=_LEFT + _WIDTH, y1=y, y2=y, **style)
    yield from _legend(name, style, number)


def _legend(name: str, style: Attributes, number: int) -> Iterator[str]:
    """Draw an entry of the legend, the first number at the top."""
    y = _TOP + 14 + 22 * number
    yield element("path", None, d=f"M{pixels(_LEFT + _WIDTH + 18)} {pixels(y)}h28", **style)
    yield _text(_LEFT + _WIDTH + 54, y + 4, name)


def _path(frame: _Frame, points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{pixels(frame.across(x))} {pixels(frame.down(y))}" for x, y in points)


def curve_text(result: ReferenceCurve) -> str:
    """Return the placements and the curves for people."""
    placements, curves = placements_table(result), curves_table(result)
    samples = [count for curve in result.curves for count in curve.samples if count]
    max_error = max(max(curve.errors) for curve in result.curves)
    placed = [f"γ of the corpus is {result.gamma}.", placements.title, *table_lines(placements, indent="  ")]
    degraded = [
        curves.title,
        *table_lines(curves, indent="  "),
        f"with {_range(samples)} samples a document: standard error {max_error:.4f} at most",
        *([f"largest gap of an alignment not proven optimal: {result.gap:.2%}"] if result.gap else []),
    ]
    return blocks_text([placed, degraded])


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def curve_svg(result: ReferenceCurve, name: str) -> str:
    """Return the curves with the measured γ as a figure."""
    curves = [curve_of(kinds_text(curve.settings.ordered), curve.bands) for curve in result.curves]
    level = (f"measured {result.gamma.value:.3f}", result.gamma.value)
    return curves_svg(curves, title=f"γ of {name}, degraded", y_label="γ", level=level)


def plan_text(plan: Plan) -> str:
    """Return the plan for people."""
    table = plan_table(plan)
    above = "" if plan.reached else f"; their γ is {plan.least:.4f}, still above the pilot's"
    simulated = f"{plan.within:.4f} (simulated, errors of m = {plan.magnitude:.2f}{above})"
    pilot = [
        f"pilot: {plan.documents} documents, {plan.annotators:.3g} annotators each, γ {plan.gamma}",
        f"width of the 95 % interval of as many documents like these: {plan.pilot_width:.4f}",
        f"spread of documents: {plan.between:.4f}, of which annotators: {simulated}",
    ]
    return blocks_text([pilot, [table.title, *table_lines(table, indent="  ")]])
