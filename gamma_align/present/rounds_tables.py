"""The tables of rounds: values, differences, and people in two rounds; and the text of them."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from gamma_align.data import printable
from gamma_align.insight.comparison import Rounds
from gamma_align.measures.gamma import GammaValue
from gamma_align.present.comparison_tables import symbol
from gamma_align.present.symbols import prefix_of
from gamma_align.present.table import NEUTRAL, Column, FormNames, Kind, Table
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import Footnotes, table_lines


def rounds_table(result: Rounds) -> Table:
    """Return the values of each round."""
    prefix = prefix_of(result.settings)
    columns = [
        Column("name", heading="round"),
        *(Column(name, Kind.COUNT) for name in ("documents", "annotators", "units")),
        Column("gamma", Kind.VALUE, f"{prefix}γ", value_type=GammaValue),
        Column("gamma_cat", Kind.VALUE, f"{prefix}γcat", value_type=GammaValue),
    ]
    return Table("rounds", "Agreement in each round", columns, result.rounds)


def differences_table(result: Rounds) -> Table:
    """Return the differences of every two rounds."""
    prefix = prefix_of(result.settings)
    columns = [
        Column("coefficient", heading="", content=lambda row: symbol(row.difference, prefix), is_grouped=True),
        Column("first", heading="from"),
        Column("second", heading="to"),
        Column("difference", Kind.VALUE),
        Column("p", Kind.PROBABILITY, content=attrgetter("difference.p")),
        Column("p_holm", Kind.PROBABILITY, "p (Holm)"),
        Column("shared", Kind.COUNT, "in both"),
        Column("documents", Kind.COUNT, "of documents", attrgetter("difference.documents")),
    ]
    return Table("differences", "Differences of every two rounds", columns, result.differences)


def retests_table(result: Rounds) -> Table:
    """Return the people in two rounds, with γ of themselves and with others."""
    columns = [
        Column("annotator"),
        Column("first", heading="from"),
        Column("second", heading="to"),
        Column("documents", Kind.COUNT),
        Column("itself", Kind.VALUE, "with oneself", value_type=GammaValue),
        Column("first_others", Kind.VALUE, "with others, from"),
        Column("second_others", Kind.VALUE, "to"),
    ]
    title = f"{prefix_of(result.settings)}γ of one person in two rounds, and with others in each"
    return Table("retests", title, columns, result.retests)


def tables_of_rounds(result: Rounds) -> Iterator[Table]:
    """Yield the tables for readers."""
    yield rounds_table(result)
    yield differences_table(result)
    if result.retests:
        yield retests_table(result)


def rounds_text(result: Rounds, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:  # noqa: ARG001  (as other texts)
    """Return the values of rounds, their differences, people in two rounds, and the signature."""
    notes = Footnotes()
    blocks = [[table.title, *table_lines(table, indent="  ", notes=notes)] for table in tables_of_rounds(result)]
    return blocks_text([*blocks, notes.lines(), [printable(result.signature)]])
