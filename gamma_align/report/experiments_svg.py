"""Experiments as figures: a curve with its band for each measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.report.curves import Curve, Place, curves_svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align.shuffling.experiment import Band, Experiment


def experiment_svg(experiment: Experiment, title: str = "Response to errors") -> str:
    """Return an experiment as SVG text: means, and bands from the 5 % to the 95 % quantile of the repetitions."""
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
