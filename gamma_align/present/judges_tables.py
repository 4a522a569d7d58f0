"""The tables of judges: agreement with people, and position bias."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from gamma_align.insight.replacement import JudgeResult
from gamma_align.present.table import Column, Kind, Priority, Table


def judges_table(results: Sequence[JudgeResult]) -> Table:
    """Return the agreement of judges with people, beside the agreement of two people, and their self-consistency."""
    columns = [
        Column("judge"),
        Column("runs", Kind.COUNT, content=lambda row: len(row.runs)),
        Column("items", Kind.COUNT),
        Column("agreement", Kind.VALUE, "α with a person"),
        Column("people", Kind.ESTIMATE, "of two people"),
        Column("consistency", Kind.VALUE, "among runs"),
    ]
    if any(row.difference is not None for row in results):
        columns.append(Column("difference", Kind.VALUE, "judge − people"))
    return Table("judges", "judges and people, 95 % intervals", columns, results)


def positions_table(results: Sequence[JudgeResult]) -> Table:
    """Return the position bias of judges that saw pairs of answers in both orders."""

    def column(name: str, kind: Kind, heading: str | None = None) -> Column:
        return Column(name, kind, heading, attrgetter(f"position.{name}"))

    columns = [
        Column("judge"),
        column("pairs", Kind.COUNT),
        column("consistent", Kind.COUNT),
        column("first", Kind.COUNT, "first twice"),
        column("second", Kind.COUNT, "second twice"),
        column("other", Kind.COUNT)._replace(priority=Priority.TERMINAL),
        column("consistency", Kind.VALUE),
        column("bias", Kind.VALUE, "bias to the first"),
        column("p", Kind.PROBABILITY),
    ]
    rows = [row for row in results if row.position is not None]
    return Table("positions", "answers of pairs in both orders", columns, rows)
