"""The experiments of Mathet 2017 as text for people, as CSV, and as figures."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence

from gamma_align.report._tables import csv_cell, csv_text, csv_yes, mean_text, table
from gamma_align.report.curves import curves_svg, experiment_curves, symbol
from gamma_align.reproduction.mathet2017 import READINGS, SPECS, Mathet2017
from gamma_align.reproduction.mathet2017_claims import Verdict
from gamma_align.reproduction.missing_values import missing_values_text
from gamma_align.shuffling.experiment import Experiment

_WIDTH = 110
_INTRODUCTION = (
    "A claim comes out where the deciding figure is within 0.03 of the paper's. Figures are means over repetitions, "
    "each with a reference of its own, ± their standard errors. A question mark: within two standard errors of the "
    "limit, where chance decides."
)


def mathet2017_text(result: Mathet2017) -> str:
    """Return verdicts and curves for people."""
    scale = result.scale
    size = f"{scale.units} units, {scale.annotators} annotators, {len(scale.magnitudes)} magnitudes"
    lines = [
        "The experiments of Mathet 2017, §4.2.3 and §5, run again",
        f"{size}, {scale.repetitions} repetitions of {scale.samples} samples each, seed {scale.seed}",
        "",
        *textwrap.wrap(_INTRODUCTION, _WIDTH),
        "",
        f"{_count(result.chosen.verdicts)} claims come out",
        "",
        *_verdicts(result.chosen.verdicts),
        "",
        *_readings(result),
    ]
    for name, experiment in result.chosen.experiments.items():
        times = max(point.repetition for point in experiment.points) + 1
        gaps = f"gaps of {experiment.settings['gap']:g} ± {experiment.settings['gap_deviation']:g}"
        lines += ["", f"{SPECS[name].title} ({gaps}; means of {times})", *_means(experiment)]
    return "\n".join([*lines, "", "Table 2: conceptions of missing values", ""]) + missing_values_text(result.missing)


def _count(verdicts: Sequence[Verdict]) -> str:
    return f"{sum(verdict.holds for verdict in verdicts)} of {len(verdicts)}"


def _mark(verdict: Verdict) -> str:
    return ("yes" if verdict.holds else "NO") + ("" if verdict.clear else "?")


def _verdicts(verdicts: Sequence[Verdict]) -> Iterator[str]:
    rows = [["", "experiment", "claim", "here"]]
    rows += [[_mark(one), one.experiment, one.claim, one.measured] for one in verdicts]
    yield from table(rows)
    for one in verdicts:
        if one.why:
            yield ""
            yield from textwrap.wrap(f"{one.experiment}, {one.claim}: {one.why}", _WIDTH)


def _readings(result: Mathet2017) -> Iterator[str]:
    """Yield what comes out under each reading, side by side."""
    yield "The same claims under each reading of what the paper leaves open (the figure that decides)"
    yield from (f"  {name}: {READINGS[name].title}" for name in result.readings)
    yield ""
    outcomes = [outcome.verdicts for outcome in result.readings.values()]
    rows = [["experiment", "claim", *result.readings], ["", "come out", *map(_count, outcomes)]]
    for several in zip(*outcomes, strict=True):
        cells = [f"{_mark(one)} {one.value + 0.0:.3f}" for one in several]
        rows.append([several[0].experiment, several[0].claim, *cells])
    yield from table(rows)
    none = [several[0].claim for several in zip(*outcomes, strict=True) if not any(one.holds for one in several)]
    yield ""
    yield from textwrap.wrap(f"Under no reading: {'; '.join(none) or 'none'}", _WIDTH)


def _means(experiment: Experiment) -> list[str]:
    curves = [experiment.curve(measure) for measure in experiment.measures]
    rows = [["m", *map(symbol, experiment.measures)]]
    rows += [
        [f"{bands[0].magnitude:.2f}", *(mean_text(band.mean) for band in bands)] for bands in zip(*curves, strict=True)
    ]
    return table(rows, right=range(len(rows[0])), indent="  ")


def mathet2017_csv(result: Mathet2017) -> str:
    """Return every point of the chosen readings as CSV: experiment, magnitude, repetition, measure, value, reason."""
    rows: list[Sequence[str | int]] = [("experiment", "magnitude", "repetition", "measure", "value", "reason")]
    for name, experiment in result.chosen.experiments.items():
        rows += [(name, *row) for row in point_rows(experiment)]
    return csv_text(rows)


def verdicts_csv(result: Mathet2017) -> str:
    """Return every verdict as CSV, under the chosen readings and under each reading."""
    head = ("reading", "experiment", "claim", "holds", "clear", "value", "error", "excess")
    rows: list[Sequence[str | int]] = [head]
    for name, outcome in {"chosen": result.chosen, **result.readings}.items():
        for one in outcome.verdicts:
            numbers = map(csv_cell, (one.value, one.error, one.excess))
            rows.append((name, one.experiment, one.claim, csv_yes(said=one.holds), csv_yes(said=one.clear), *numbers))
    return csv_text(rows)


def point_rows(experiment: Experiment) -> list[tuple[str | int, ...]]:
    """Return the points as rows of cells: magnitude, repetition, measure, value, reason."""
    return [
        (repr(one.magnitude), one.repetition, one.measure, csv_cell(one.value), one.reason or "")
        for one in experiment.points
    ]


def mathet2017_figures(result: Mathet2017) -> dict[str, str]:
    """Return file name to SVG; the two experiments of figure 14 are one figure, a single magnitude is none."""
    figures = {}
    curved = [name for name, one in result.chosen.experiments.items() if len(one.curve(one.measures[0])) > 1]
    for figure, names in itertools.groupby(curved, key=lambda name: name.partition(",")[0]):
        all_of = list(names)
        several = len(all_of) > 1
        curves = [
            curve
            for name in all_of
            for curve in experiment_curves(
                result.chosen.experiments[name], f"length{name.partition(',')[2]}: " if several else ""
            )
        ]
        title = "Figure 14: length of the category that is never confused" if several else SPECS[all_of[0]].title
        figures[f"{figure.replace(' ', '-').replace('.', '-')}.svg"] = curves_svg(curves, title=title)
    return figures
