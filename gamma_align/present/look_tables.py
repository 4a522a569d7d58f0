"""The tables of a look: values with remarks, and the largest causes."""

from __future__ import annotations

from gamma_align.insight import verdicts
from gamma_align.insight.look import Look
from gamma_align.present.table import Column, Kind, Priority, Table


def values_table(look: Look) -> Table:
    """Return the values with their remarks."""
    columns = [
        Column("symbol", heading="", priority=Priority.PAGE),
        Column("value", Kind.ESTIMATE, priority=Priority.PAGE),
        Column(
            "interval",
            heading="95 % interval",
            content=lambda row: verdicts.interval(row.value.low, row.value.high),
            priority=Priority.PAGE,
        ),
        Column("remark", heading="", priority=Priority.PAGE),
    ]
    return Table("values", look.size, columns, look.values)


def causes_table(look: Look) -> Table:
    """Return the largest causes, each with γ after it and those above it are settled."""
    columns = [
        Column("title", heading="Why they differ", priority=Priority.PAGE),
        Column("share", Kind.SHARE, format=verdicts.percent, priority=Priority.PAGE),
        Column("gamma", Kind.NUMBER, "γ if settled", format=verdicts.coefficient, priority=Priority.PAGE),
    ]
    further = look.further_causes
    remainder = (lambda _: f"… {further} more: ga.disagreements() has them all") if further else None
    return Table("causes", "The largest causes of disagreement", columns, look.causes, remainder)
