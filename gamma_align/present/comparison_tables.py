"""The tables of a comparison: values with their differences, and the documents that differ most."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gamma_align.data.wording import label_text
from gamma_align.inference.values import Value
from gamma_align.insight.comparison.differences import Difference, DocumentDifference, Paired
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import Column, Kind, LevelRow, Priority, Table, selected

SIDES = ("A", "B")
"""Names of the two annotations in tables, the first minus the second."""
_DIFFERENCE = " − ".join(SIDES)  # the heading of differences


def symbol(row: Difference, prefix: str = "") -> str:
    """Return the symbol of a coefficient and its category, γk PER; `prefix` precedes γ."""
    name = symbol_of(row.coefficient, prefix)
    return name if row.category is None else f"{name} {label_text(row.category)}"


def values_table(result: Paired, p_align: Literal["left"] | None = None) -> Table:
    """Return the values of both annotations with their differences; `p_align` is the alignment of p."""
    title = " and ".join(f"{side} ({name})" for side, name in zip(SIDES, result.names, strict=True))
    columns = [
        Column("coefficient", heading="", content=lambda row: symbol(row, prefix_of(result.settings))),
        *(Column(name, Kind.NUMBER, side) for name, side in zip(("first", "second"), SIDES, strict=True)),
        Column("difference", Kind.VALUE, _DIFFERENCE, lambda row: row, value_type=Difference),
        Column("p", Kind.PROBABILITY, align=p_align),
        Column("documents", Kind.COUNT),
    ]
    return Table("differences", f"{title}, 95 % interval of the difference", columns, result.differences)


def documents_tables(result: Paired, n_rows: int) -> Iterator[tuple[Table, int]]:
    """Yield, for each coefficient, the documents that differ most, and the number of all documents."""
    for name in dict.fromkeys(row.coefficient for row in result.documents):
        rows = [row for row in result.documents if row.coefficient == name]
        yield _documents_table(name, symbol_of(name, prefix_of(result.settings)), rows, n_rows), len(rows)


def _documents_table(coefficient: str, symbol_text: str, rows: list[DocumentDifference], n_rows: int) -> Table:
    first, second = SIDES
    columns = [
        Column("document"),
        Column("first", Kind.NUMBER, first, terminal_heading=f"{symbol_text} of {first}"),
        Column("second", Kind.NUMBER, second, terminal_heading=f"{symbol_text} of {second}"),
        Column("difference", Kind.NUMBER, _DIFFERENCE),
        Column("first_units", Kind.COUNT, f"units of {first}", priority=Priority.TERMINAL),
        Column("second_units", Kind.COUNT, f"of {second}", priority=Priority.TERMINAL),
    ]
    shown = rows[:n_rows]
    remainder = selected(len(shown), len(rows), "that differ most", "csv", "json")
    title = f"{symbol_text} by document, the largest difference first"
    return Table(coefficient, title, columns, shown, remainder)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _DataDifference(Value):
    """The fields of a difference that CSV has beside the columns of coefficient, category and values."""

    p: float = math.nan
    standard_error: float = math.nan
    sampling_error: float = math.nan
    documents: int | None = None


def comparison_table(result: Paired) -> Table:
    """Return the differences of coefficients and categories, then of documents: the table of CSV."""
    rows = [LevelRow("corpus", row) for row in result.differences]
    rows += [LevelRow("document", row) for row in result.documents]
    columns = [
        Column("level"),
        *map(_data_column, ("document", "coefficient", "category", "first", "second")),
        Column("difference", Kind.VALUE, content=_data_difference, value_type=_DataDifference),
        *map(_data_column, ("first_units", "second_units")),
    ]
    return Table("comparison", "Differences of corpora and documents", columns, rows)


def _data_column(name: str) -> Column:
    """Return a column that is empty for rows without this attribute."""
    return Column(name, content=lambda entry: getattr(entry.row, name, None))


def _data_difference(entry: LevelRow) -> Value:
    return entry.row if isinstance(entry.row, Difference) else _DataDifference(entry.row.difference)
