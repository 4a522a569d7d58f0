"""A corpus's γ on its own curves, and plans of larger corpora, as text, CSV and a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gamma_align.report._tables import csv_cell, csv_text, mean_text, table
from gamma_align.report.curves import curve_of, curves_svg
from gamma_align.shuffling.curve import Placement, ReferenceCurve
from gamma_align.shuffling.experiment import Band
from gamma_align.shuffling.plan import Plan

_IN_WORDS = {
    "shift": "move bounds",
    "false-negative": "miss units",
    "false-positive": "add units",
    "category": "confuse categories",
    "split": "split units",
}
_FACTORS = (1, 2, 4, 8)


def kinds_text(kinds: Sequence[str]) -> str:
    """Return kinds of errors in words: "move bounds, miss units"."""
    return ", ".join(_IN_WORDS[kind] for kind in kinds)


def curve_text(result: ReferenceCurve) -> str:
    """Return the placements and the curves for people."""
    rows = [[kinds_text(one.kinds), *_placement(one)] for one in result.placements]
    means = [{band.magnitude: mean_text(band.mean) for band in one.bands} for one in result.curves]
    header = ["m", *(kinds_text(one.kinds) for one in result.placements)]
    body = [[f"{m:.2f}", *(column.get(m, "") for column in means)] for m in sorted(set().union(*means))]
    samples = [number for one in result.curves for number in one.samples if number]
    errors = [error for one in result.curves for error in one.errors]
    lines = [
        f"γ of the corpus is {result.gamma}.",
        "As much as the corpus itself has when annotators only",
        *table(rows, indent="  "),
        "",
        f"γ of the corpus, degraded (means of {result.settings['repetitions']})",
        *table([header, *body], right=range(len(header)), indent="  "),
        f"with {_range(samples)} samples a document: standard error {max(errors):.4f} at most",
        *([f"largest gap of an alignment not proven optimal: {result.gap:.2%}"] if result.gap else []),
    ]
    return "\n".join(lines) + "\n"


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _placement(one: Placement) -> list[str]:
    if math.isnan(one.magnitude):
        return ["never", f"(γ is {one.least:.4f} at least)"]
    edges = [f"{edge:.2f}" if not math.isnan(edge) else "1 or more" for edge in (one.low, one.high)]
    return [f"at m = {one.magnitude:.2f}", f"({edges[0]} to {edges[1]})"]


def curve_csv(result: ReferenceCurve) -> str:
    """Return the curves as CSV: kinds, magnitude, mean, low, high, available, sampling_error, samples."""
    rows: list[Sequence[str | int]] = [("kinds", *Band._fields, "sampling_error", "samples")]
    for one in result.curves:
        kinds = "+".join(one.settings.ordered)
        rows += [
            (kinds, *map(csv_cell, band[:4]), band.available, csv_cell(error), samples)
            for band, error, samples in zip(one.bands, one.errors, one.samples, strict=True)
        ]
    return csv_text(rows)


def curve_svg(result: ReferenceCurve, name: str) -> str:
    """Return the curves with the measured γ as a figure."""
    curves = [curve_of(kinds_text(one.settings.ordered), one.bands) for one in result.curves]
    level = (f"measured {result.gamma.value:.3f}", result.gamma.value)
    return curves_svg(curves, title=f"γ of {name}, degraded", y_label="γ", level=level)


def plan_text(plan: Plan) -> str:
    """Return the plan for people."""
    documents = [plan.documents * factor for factor in _FACTORS]
    header = ["annotators", *(f"{number} documents" for number in documents), f"documents for {plan.target:g}"]
    rows = [
        [str(n), *(f"{plan.width(n, number):.4f}" for number in documents), str(plan.documents_needed(n))]
        for n in plan.deviations
    ]
    width = "not known" if plan.gamma.no_interval else f"{plan.gamma.high - plan.gamma.low:.4f} by jackknife"
    simulated = f"{plan.within:.4f} (simulated, errors of m = {plan.magnitude:.2f}{_out_of_reach(plan)})"
    lines = [
        f"pilot: {plan.documents} documents, {plan.annotators:.3g} annotators each, γ {plan.gamma}",
        f"width of its 95 % interval: {width}, {plan.pilot_width:.4f} by the formula used here",
        "(Student's t, of γ linearised in the documents' parts)",
        f"spread of documents: {plan.between:.4f}, of which annotators: {simulated}",
        "",
        "width of the 95 % interval of γ, by annotators of each document and documents",
        *table([header, *rows], right=range(len(header)), indent="  "),
    ]
    return "\n".join(lines) + "\n"


def _out_of_reach(plan: Plan) -> str:
    return "" if plan.reached else f"; their γ is {plan.least:.4f}, still above the pilot's"


def plan_csv(plan: Plan) -> str:
    """Return the plan as CSV: annotators, deviation, documents needed."""
    rows: list[Sequence[str | int]] = [("annotators", "deviation", "target_width", "documents_needed")]
    rows += [
        (n, csv_cell(deviation), csv_cell(plan.target), plan.documents_needed(n))
        for n, deviation in plan.deviations.items()
    ]
    return csv_text(rows)
