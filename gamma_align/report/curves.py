"""Curves with bands, those of experiments too, as a picture: one self-contained SVG, without scripts or fonts.

The same curves give the same bytes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gamma_align.report._drawing import (
    FAINT,
    GRID,
    INK,
    PAPER,
    category_colours,
    element,
    pixels,
    svg_document,
    xml_text,
)
from gamma_align.report._tables import number
from gamma_align.shuffling.experiment import Band, Experiment

_LEFT, _TOP, _RIGHT, _BOTTOM = 64.0, 56.0, 190.0, 56.0
_WIDTH, _HEIGHT = 560.0, 360.0
_TICKS = 7
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


class Place(NamedTuple):
    """A point of a curve with its band; NaN where there is nothing to draw."""

    x: float
    y: float
    low: float
    high: float


class Curve(NamedTuple):
    """A curve and what it is called."""

    name: str
    places: tuple[Place, ...]


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


def experiment_svg(experiment: Experiment, title: str = "Response to errors") -> str:
    """Return the picture of an experiment as SVG text: the mean of each measure by the size of the errors.

    Bands go from the 5 % to the 95 % quantile of the repetitions.

    Parameters
    ----------
    experiment : Experiment
        What to draw, from `experiment`.
    title : str
        Headline.

    Returns
    -------
    str
        A whole SVG document; an element with ``data-curve`` is a curve, one with ``data-band`` a band.

    Examples
    --------
    >>> import gamma_align as ga
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
    return Curve(name, tuple(Place(band.magnitude, band.mean, band.low, band.high) for band in bands))


def curves_svg(
    curves: Sequence[Curve],
    *,
    title: str,
    x_label: str = "magnitude m",
    y_label: str = "value",
    level: tuple[str, float] | None = None,
) -> str:
    """Return curves as SVG text.

    Parameters
    ----------
    curves : sequence of Curve
        What to draw.
    title, x_label, y_label : str
        Words around it.
    level : (str, float), optional
        A horizontal line with its name.

    Returns
    -------
    str
        A whole SVG document; an element with ``data-curve`` is a curve, with ``data-band`` a band.
    """
    frame = _frame(curves, level)
    names = [curve.name for curve in curves]
    colours = category_colours(names, names)
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    parts = [
        element("rect", width=width, height=height, fill=PAPER),
        _text(_LEFT, _TOP - 26, title, size=16.0, weight="600"),
        *_axes(frame, x_label, y_label),
        *(_band(frame, curve, colours[curve.name]) for curve in curves),
        *([] if level is None else _level(frame, *level, len(curves))),
        *itertools.chain.from_iterable(
            _line(frame, curve, colours[curve.name], _DASHES[at % len(_DASHES)], at) for at, curve in enumerate(curves)
        ),
    ]
    return svg_document(parts, f"{title}: {', '.join(names)}", width, height)


def _frame(curves: Sequence[Curve], level: tuple[str, float] | None) -> _Frame:
    xs = [place.x for curve in curves for place in curve.places]
    ys = [y for curve in curves for place in curve.places for y in (place.y, place.low, place.high)]
    ys += [] if level is None else [level[1]]
    kept = [y for y in ys if math.isfinite(y)]
    low, high = math.floor(min([0.0, *kept]) * 5 + 1e-9) / 5, math.ceil(max([1.0, *kept]) * 5 - 1e-9) / 5
    left, right = min(xs, default=0.0), max(xs, default=1.0)
    return _Frame((left, right if right > left else left + 1.0), (low, high))


def _axes(frame: _Frame, x_label: str, y_label: str) -> Iterator[str]:
    bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
    for y in _steps(frame.y):
        yield element("line", x1=_LEFT, x2=right, y1=frame.down(y), y2=frame.down(y), stroke=GRID)
        yield _text(_LEFT - 8, frame.down(y) + 4, number(y), anchor="end", fill=FAINT)
    for x in _steps(frame.x):
        yield element("line", x1=frame.across(x), x2=frame.across(x), y1=_TOP, y2=bottom, stroke=GRID)
        yield _text(frame.across(x), bottom + 18, number(x), anchor="middle", fill=FAINT)
    yield _text(_LEFT + _WIDTH / 2, bottom + 42, x_label, anchor="middle")
    yield _text(_LEFT, _TOP - 8, y_label, fill=FAINT)


def _steps(span: tuple[float, float]) -> list[float]:
    """Return round numbers across a span: 1, 2 or 5 times a power of ten apart."""
    raw = (span[1] - span[0]) / (_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= raw * (1 - 1e-9))
    first, last = math.ceil(span[0] / step - 1e-9), math.floor(span[1] / step + 1e-9)
    return [round(at * step, 12) for at in range(first, last + 1)]


def _runs(curve: Curve) -> Iterator[list[Place]]:
    """Yield stretches of a curve that have values."""
    for there, run in itertools.groupby(curve.places, key=lambda place: math.isfinite(place.y)):
        if there:
            yield list(run)


def _band(frame: _Frame, curve: Curve, colour: str) -> str:
    paths = []
    for run in _runs(curve):
        if all(math.isfinite(place.low) and math.isfinite(place.high) for place in run):
            edge = [(place.x, place.high) for place in run] + [(place.x, place.low) for place in reversed(run)]
            paths.append(_path(frame, edge) + "Z")
    if not paths:
        return ""
    return element("path", d="".join(paths), fill=colour, fill_opacity=0.16, data_band=curve.name)


def _line(frame: _Frame, curve: Curve, colour: str, dashes: str, at: int) -> Iterator[str]:
    runs = list(_runs(curve))
    path = "".join(_path(frame, [(place.x, place.y) for place in run]) for run in runs)
    more = {"stroke_dasharray": dashes} if dashes else {}
    style: dict[str, str | float] = {"fill": "none", "stroke": colour, "stroke_width": 2.0, **more}
    if path:
        yield element("path", None, d=path, data_curve=curve.name, **style)
    for place in (run[0] for run in runs if len(run) == 1):
        yield element("circle", cx=frame.across(place.x), cy=frame.down(place.y), r=3.0, fill=colour)
    yield from _legend(curve.name, style, at)


def _level(frame: _Frame, name: str, value: float, at: int) -> Iterator[str]:
    if not math.isfinite(value):
        return
    y = frame.down(value)
    style: dict[str, str | float] = {"stroke": INK, "stroke_dasharray": "4 4"}
    yield element("line", None, x1=_LEFT, x2=_LEFT + _WIDTH, y1=y, y2=y, **style)
    yield from _legend(name, style, at)


def _legend(name: str, style: dict[str, str | float], at: int) -> Iterator[str]:
    y = _TOP + 14 + 22 * at
    yield element("path", None, d=f"M{pixels(_LEFT + _WIDTH + 18)} {pixels(y)}h28", **style)
    yield _text(_LEFT + _WIDTH + 54, y + 4, name)


def _path(frame: _Frame, points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{pixels(frame.across(x))} {pixels(frame.down(y))}" for x, y in points)


def _text(
    x: float, y: float, text: str, *, size: float = 12.0, fill: str = INK, anchor: str = "start", weight: str = "400"
) -> str:
    return element("text", xml_text(text), x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, font_weight=weight)
