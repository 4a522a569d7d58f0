"""The tables of curves and plans: placements, curves, points of curves, and widths of intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import itemgetter

from gamma_align.present.symbols import prefix_of
from gamma_align.present.table import Column, Kind, Priority, Table
from gamma_align.simulation import Band, Placement, Plan, PowerPlan, ReferenceCurve

_KIND_PHRASES = {
    "shift": "move bounds",
    "false-negative": "miss units",
    "false-positive": "add units",
    "category": "confuse categories",
    "split": "split units",
}
_FACTORS = (1, 2, 4, 8)  # numbers of documents to plan with, relative to the pilot


def kinds_text(kinds: Sequence[str]) -> str:
    """Return kinds of errors in words: "move bounds, miss units"."""
    return ", ".join(_KIND_PHRASES[kind] for kind in kinds)


def placements_table(result: ReferenceCurve) -> Table:
    """Return the magnitude at which the curve of each kind of errors has the measured γ, and the edges of its band."""
    columns = [Column(name, content=itemgetter(index)) for index, name in enumerate(("kinds", "magnitude", "band"))]
    prefix = prefix_of(result.settings)
    title = "As much as the corpus itself has when annotators only"
    return Table(
        "placements", title, columns, [_placement(placement, prefix) for placement in result.placements], has_head=False
    )


def _placement(placement: Placement, prefix: str) -> tuple[str, str, str]:
    kinds = kinds_text(placement.kinds)
    if math.isnan(placement.magnitude):
        return kinds, "never", f"({prefix}γ is {placement.least:.4f} at least)"
    low, high = ("1 or more" if math.isnan(edge) else f"{edge:.2f}" for edge in (placement.low, placement.high))
    return kinds, f"at m = {placement.magnitude:.2f}", f"({low} to {high})"


def curves_table(result: ReferenceCurve) -> Table:
    """Return the means of all curves side by side, a row for each magnitude."""
    means = [{band.magnitude: band.mean for band in curve.bands} for curve in result.curves]
    columns = [Column("m", Kind.NUMBER, content=float, digits=2)]
    # A refined curve has one magnitude more, at which the other curves have an empty cell.
    for curve, mean_at in zip(result.curves, means, strict=True):
        columns.append(Column(kinds_text(curve.settings.ordered), Kind.NUMBER, content=mean_at.get))
    title = f"{prefix_of(result.settings)}γ of the corpus, degraded (means of {result.settings['repetitions']})"
    return Table("curves", title, columns, sorted(set[float]().union(*means)))


def points_table(result: ReferenceCurve) -> Table:
    """Return the points of all curves: the table of CSV."""
    rows = []
    for curve in result.curves:
        kinds = "+".join(curve.settings.ordered)
        for band, error, samples in zip(curve.bands, curve.errors, curve.samples, strict=True):
            rows.append((kinds, *band, error, samples))
    names = ("kinds", *Band._fields, "sampling_error", "samples")
    columns = [Column(name, content=itemgetter(index)) for index, name in enumerate(names)]
    return Table("points", "points of the curves", columns, rows)


def plan_table(plan: Plan) -> Table:
    """Return the width of the interval and the documents needed, a row for each number of annotators."""
    columns = [
        Column("annotators", Kind.COUNT, content=int),
        *(_width_column(plan, plan.documents * factor) for factor in _FACTORS),
        Column("deviation", content=plan.deviations.get, priority=Priority.DATA),
        Column("target_width", content=lambda _: plan.target, priority=Priority.DATA),
        Column("documents_needed", Kind.COUNT, f"documents for {plan.target:g}", plan.documents_needed),
        Column("ceiling", heading="range of the ceiling", content=lambda n: _range(*plan.ceilings[n]), is_data=False),
        Column("ceiling_low", content=lambda n: plan.ceilings[n][0], priority=Priority.DATA),
        Column("ceiling_high", content=lambda n: plan.ceilings[n][1], priority=Priority.DATA),
    ]
    title = f"width of the 95 % interval of {prefix_of(plan.settings)}γ, by annotators of each document and documents"
    return Table("plan", title, columns, plan.deviations)


def power_table(plan: PowerPlan) -> Table:
    """Return the power of the test of a difference, a row for each number of documents."""
    columns = [
        Column("documents", Kind.COUNT, content=int),
        Column("power", Kind.NUMBER, content=plan.powers.get, digits=2),
    ]
    title = f"share of corpora in which the test finds the difference (p ≤ {plan.settings['level']:g}), by documents"
    return Table("power", title, columns, plan.powers)


def _range(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{low:.3f} to {high:.3f}"


def _width_column(plan: Plan, documents: int) -> Column:
    return Column(f"{documents} documents", Kind.NUMBER, content=lambda n: plan.width(n, documents), is_data=False)
