"""The tables of a human ceiling: what can be scored against the annotators, and the ceiling of each label."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from gamma_align.data import decimal, label_text
from gamma_align.insight.ceiling import APPROXIMATE_MEASURES, GAMMA, MAJORITY, Ceiling, CeilingScore
from gamma_align.present.table import Column, Kind, Priority, Table

_DIGITS = 3  # the range is known to 1/16,384, its interval to some hundredths


class _ScoreRow(NamedTuple):
    """A score against the annotators, with its range, its interval and its meaning in words."""

    name: str
    value: float
    range: str = ""
    interval: str = ""
    meaning: str = ""


def ceiling_tables(result: Ceiling) -> list[Table]:
    """Return the tables of a ceiling for papers."""
    return [scores_table(result), labels_table(result)]


def scores_table(result: Ceiling) -> Table:
    """Return the ceiling, another annotator, the others together, and the model."""
    measure = result.settings["measure"]
    heading = "γ" if measure == GAMMA else "F1"
    columns = [
        Column("name", heading=""),
        Column("value", Kind.NUMBER, heading, digits=_DIGITS),
        Column("range"),
        Column("interval", heading="95 %"),
        Column("meaning", heading="", priority=Priority.TERMINAL),
    ]
    title = heading if measure == GAMMA else f"F1 ({measure})"
    return Table("scores", f"{title} of answers against these annotators", columns, [*_score_rows(result)])


def _score_rows(result: Ceiling) -> Iterator[_ScoreRow]:
    score = result.score
    gold = "their majority" if result.settings["against"] == MAJORITY else "one of these annotators"
    interval = _limits(score.interval_low, score.interval_high)
    about = "about " if result.settings["measure"] in APPROXIMATE_MEASURES else ""
    best = f"the best any answer can score against {gold}"
    yield _ScoreRow("ceiling", score.ceiling, f"{about}{_range(score)}", interval, best)
    another = score.another
    yield _ScoreRow(
        "another",
        another.value,
        interval=_limits(another.low, another.high),
        meaning="one annotator against another (“human agreement”)",
    )
    yield _ScoreRow("others", score.others_together, meaning="the other annotators together against the one left out")
    if result.model is not None:
        verdict = result.model.verdict
        meaning = "no verdict" if verdict is None else f"{verdict} the ceiling"
        yield _ScoreRow(result.model.model, result.model.f1, meaning=meaning)


def _range(score: CeilingScore) -> str:
    limits = f"[{decimal(score.low, _DIGITS)}, {decimal(score.high, _DIGITS)}]"
    return "" if math.isnan(score.low) else limits


def _limits(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{decimal(low, _DIGITS)} to {decimal(high, _DIGITS)}"


def labels_table(result: Ceiling) -> Table:
    """Return the ceiling of each label."""
    columns = [
        Column("category", format=label_text, missing="(none)"),
        Column("units", Kind.NUMBER, digits=0),
        Column("ceiling", Kind.NUMBER, digits=_DIGITS),
        Column("range", content=_range),
        Column("interval", heading="95 %", content=lambda row: _limits(row.interval_low, row.interval_high)),
        Column("another", Kind.ESTIMATE),
    ]
    return Table("labels", "The ceiling of each label", columns, result.labels)


def ceiling_table(result: Ceiling) -> Table:
    """Return the scores with all their numbers: the table of CSV."""
    numbers = ("ceiling", "low", "high", "interval_low", "interval_high", "documents_low", "documents_high")
    columns = [
        Column("category"),
        Column("units", Kind.NUMBER),
        Column("annotators", Kind.COUNT),
        *(Column(name, Kind.NUMBER) for name in numbers),
        Column("no_interval"),
        Column("covers"),
        Column("another", Kind.VALUE),
        *(Column(name, Kind.NUMBER) for name in ("others_together", "precision", "recall")),
    ]
    return Table("ceiling", "The ceiling", columns, result.rows)
