"""The experiments of Mathet 2017 as text, CSV and figures."""

from __future__ import annotations

import itertools
import math
import textwrap
from typing import TYPE_CHECKING

from gamma_align.report._csv import csv_cell, csv_text
from gamma_align.report._plain import table
from gamma_align.report.curves import curves_svg
from gamma_align.report.experiments_svg import experiment_curves, symbol
from gamma_align.report.experiments_text import missing_values_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gamma_align.shuffling.experiment import Experiment
    from gamma_align.shuffling.mathet2017 import Mathet2017

_WIDTH = 110


def mathet2017_text(result: Mathet2017, titles: Mapping[str, str]) -> str:
    """Return verdicts and curves for people.

    Parameters
    ----------
    result : Mathet2017
        The result.
    titles : mapping of str to str
        Of the experiments, by name.
    """
    scale = result.scale
    size = f"{scale.units} units, {scale.annotators} annotators, {len(scale.magnitudes)} magnitudes"
    holds = sum(verdict.holds for verdict in result.verdicts)
    lines = [
        "The experiments of Mathet 2017, §5, run again",
        f"{size}, {scale.repetitions} repetitions, precision {scale.precision:g}, seed {scale.seed}",
        "",
        f"{holds} of {len(result.verdicts)} claims come out",
        "",
        *_verdicts(result),
    ]
    for name, experiment in result.experiments.items():
        lines += ["", f"{titles[name]} (means of {scale.repetitions})", *_means(experiment)]
    return "\n".join([*lines, "", "Table 2: conceptions of missing values", ""]) + missing_values_text(result.missing)


def _verdicts(result: Mathet2017) -> Iterator[str]:
    rows = [["", "experiment", "claim", "here"]]
    rows += [["yes" if one.holds else "NO", one.experiment, one.claim, one.measured] for one in result.verdicts]
    yield from table(rows)
    for one in result.verdicts:
        if one.why:
            yield ""
            yield from textwrap.wrap(f"{one.experiment}, {one.claim}: {one.why}", _WIDTH)


def _means(experiment: Experiment) -> list[str]:
    curves = [experiment.curve(measure) for measure in experiment.measures]
    rows = [["m", *map(symbol, experiment.measures)]]
    rows += [
        [f"{bands[0].magnitude:.2f}", *(mean_text(band.mean) for band in bands)] for bands in zip(*curves, strict=True)
    ]
    return table(rows, right=range(len(rows[0])), indent="  ")


def mean_text(value: float) -> str:
    """Return a mean with four decimals, or NA."""
    return "NA" if math.isnan(value) else f"{value + 0.0:.4f}"


def mathet2017_csv(result: Mathet2017) -> str:
    """Return every point as CSV: experiment, magnitude, repetition, measure, value, reason."""
    rows: list[Sequence[str | int]] = [("experiment", "magnitude", "repetition", "measure", "value", "reason")]
    for name, experiment in result.experiments.items():
        rows += [(name, *row) for row in point_rows(experiment)]
    return csv_text(rows)


def point_rows(experiment: Experiment) -> list[tuple[str | int, ...]]:
    """Return the points as rows of cells: magnitude, repetition, measure, value, reason."""
    return [
        (repr(one.magnitude), one.repetition, one.measure, csv_cell(one.value), one.reason or "")
        for one in experiment.points
    ]


def mathet2017_figures(result: Mathet2017, titles: Mapping[str, str]) -> dict[str, str]:
    """Return file name to SVG; the two experiments of figure 14 are one figure."""
    figures = {}
    for figure, names in itertools.groupby(result.experiments, key=lambda name: name.partition(",")[0]):
        all_of = list(names)
        several = len(all_of) > 1
        curves = [
            curve
            for name in all_of
            for curve in experiment_curves(
                result.experiments[name], f"length{name.partition(',')[2]}: " if several else ""
            )
        ]
        title = "Figure 14: length of the category that is never confused" if several else titles[all_of[0]]
        figures[f"{figure.replace(' ', '-').replace('.', '-')}.svg"] = curves_svg(curves, title=title)
    return figures
