"""The tables of models in the place of annotators: models, people, people in the model's place, differences of ρ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from gamma_align.insight.replacement import ModelDifference, ModelResult, PersonTest, Replacement
from gamma_align.present.table import Column, Kind, Priority, Table, further_by_option

_VERDICT_WORDS = {True: "yes", False: "no"}


def models_table(result: Replacement) -> Table:
    """Return the models, the largest ρ first."""
    columns = [
        Column("model", priority=Priority.PAGE),
        Column("instances", Kind.COUNT, f"{result.noun}s", priority=Priority.TERMINAL),
        Column("omega", Kind.ESTIMATE, "ω", priority=Priority.PAGE),
        _verdict("passes", "passes"),
        Column("rho", Kind.VALUE, "ρ", priority=Priority.PAGE),
        Column("nearness", Kind.NUMBER),
        Column("nearer", heading="nearer than", content=_nearer_text, is_data=False),
        Column("standing", Kind.VALUE),
        Column("nearer_than", Kind.COUNT, priority=Priority.DATA),
        Column("n_people", Kind.COUNT, priority=Priority.DATA),
    ]
    # The order of the data frame.
    order = ("model", "instances", "omega", "rho", "standing")
    return Table("models", "Models, the largest ρ first, 95 % intervals", columns, result.models, data_order=order)


def _nearer_text(model: ModelResult) -> str | None:
    return f"{model.nearer_than} of {model.n_people} people" if model.standing.is_available else None


def _verdict(name: str, heading: str) -> Column:
    return Column(name, heading=heading, format=_VERDICT_WORDS.__getitem__, missing="NA")


def equivalence_table(result: Replacement) -> Table:
    """Return the change of agreement with each model in the place of a person; no rows without a margin."""
    models = [model for model in result.models if model.equivalence is not None]
    margin = models[0].equivalence.margin if models and models[0].equivalence is not None else math.nan

    def column(name: str, kind: Kind, heading: str | None = None) -> Column:
        return Column(name, kind, heading, attrgetter(f"equivalence.{name}"))

    columns = [
        Column("model"),
        column("measure", Kind.TEXT),
        column("agreement", Kind.NUMBER, "of people"),
        column("difference", Kind.NUMBER, "change"),
        column("low", Kind.NUMBER, "90 % from"),
        column("high", Kind.NUMBER, "to"),
        column("p", Kind.PROBABILITY),
        _verdict("is_equivalent", "equivalent")._replace(content=attrgetter("equivalence.is_equivalent")),
        column("reason", Kind.TEXT, "")._replace(priority=Priority.TERMINAL),
    ]
    title = f"Agreement with the model in the place of a person, margin {margin:g}"
    return Table("equivalence", title, columns, models)


def differences_table(result: Replacement) -> Table:
    """Return the differences of ρ of every two models."""
    columns = [
        Column("first", heading="model"),
        Column("second", heading="minus"),
        Column("difference", Kind.VALUE, content=lambda row: row, value_type=ModelDifference),
    ]
    return Table("differences", "Differences of ρ, 95 % intervals", columns, result.differences)


def people_table(model: ModelResult, noun: str) -> Table:
    """Return the tests of people against one model, the people whom it could replace first, then by p."""
    rows = sorted(model.people, key=lambda row: (row.reason is not None, row.p if row.reason is None else 0.0))
    return Table("people", f"{model.model} in the place of each person", _person_columns(noun), rows)


def _person_columns(noun: str) -> list[Column]:
    return [
        Column("person"),
        Column("instances", Kind.COUNT, f"{noun}s"),
        Column("won", Kind.COUNT, "nearer"),
        Column("tied", Kind.COUNT, "as near"),
        Column("lost", Kind.COUNT, "less near"),
        Column("advantage", Kind.NUMBER, priority=Priority.TERMINAL),
        Column("mean_difference", Kind.NUMBER, priority=Priority.DATA),
        Column("p", Kind.PROBABILITY),
        _verdict("is_replaceable", "replaceable"),
        Column("reason", heading="", priority=Priority.TERMINAL),
    ]


def calibration_table(result: Replacement, max_rows: int | None = None) -> Table:
    """Return the people in the model's place, the nearest first."""
    columns = [
        Column("person"),
        Column("omega", Kind.ESTIMATE, "ω"),
        _verdict("passes", "passes"),
        Column("nearness", Kind.NUMBER),
    ]
    rows = sorted(result.calibration, key=lambda row: (math.isnan(row.nearness), -row.nearness))
    title = "People in the model's place, the nearest first"
    table = Table("calibration", title, columns, rows)
    return table if max_rows is None else table.first(max_rows, further_by_option)


class _TestRow(NamedTuple):
    """A model, or one of its tests of a person."""

    model: ModelResult
    person: PersonTest | None = None

    @property
    def level(self) -> str:
        """The level of the row."""
        return "model" if self.person is None else "person"


def replacement_table(result: Replacement) -> Table:
    """Return the models, each followed by its tests of people: the table of CSV."""
    models = [
        column
        for column in models_table(result).columns
        if column.is_data and column.name not in ("model", "instances")
    ]
    people = [column for column in _person_columns(result.noun) if column.name not in ("person", "instances")]
    columns = [
        Column("level"),
        Column("model", content=attrgetter("model.model")),
        Column("person").for_part(attrgetter("person")),
        Column("instances", Kind.COUNT, content=lambda row: (row.person or row.model).instances),
        *(column.for_part(lambda row: row.model if row.person is None else None) for column in models),
        *(column.for_part(attrgetter("person")) for column in people),
    ]
    return Table("replacement", "Models, and people whom they could replace", columns, [*_test_rows(result)])


def _test_rows(result: Replacement) -> Iterator[_TestRow]:
    for model in result.models:
        yield _TestRow(model)
        yield from (_TestRow(model, person) for person in model.people)


def replacement_tables(result: Replacement) -> list[Table]:
    """Return the tables for papers."""
    tables = [models_table(result), equivalence_table(result), differences_table(result), calibration_table(result)]
    return [table for table in tables if table.rows]
