"""The tables of a comparison: values with their differences, documents, causes, annotators and labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gamma_align.data import label_text
from gamma_align.inference import Value
from gamma_align.insight import verdicts
from gamma_align.insight.comparison import CauseChange, Comparison, Difference, DocumentDifference, DocumentFate
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import Column, Kind, LevelRow, Priority, Table, selected

SIDES = ("A", "B")
"""Names of the two in tables."""
_DIFFERENCE = " − ".join(reversed(SIDES))  # the heading of differences


def symbol(row: Difference, prefix: str = "") -> str:
    """Return the symbol of a coefficient and its category, γk PER; `prefix` precedes γ."""
    name = symbol_of(row.coefficient, prefix)
    return name if row.category is None else f"{name} {label_text(row.category)}"


def values_table(result: Comparison, p_align: Literal["left"] | None = None) -> Table:
    """Return the values of both with their differences; `p_align` is the alignment of p."""
    return _values_table(result, "differences", result.differences, "", p_align)


def overall_table(result: Comparison, p_align: Literal["left"] | None = None) -> Table | None:
    """Return the differences over all documents, if both have only some of them; else None."""
    if not result.overall:
        return None
    return _values_table(result, "overall", result.overall, ", all documents", p_align)


def _values_table(
    result: Comparison, name: str, rows: Sequence[Difference], of: str, p_align: Literal["left"] | None
) -> Table:
    title = " and ".join(f"{side} ({name})" for side, name in zip(SIDES, result.names, strict=True))
    columns = [
        Column("coefficient", heading="", content=lambda row: symbol(row, prefix_of(result.settings))),
        *(Column(side, Kind.NUMBER, heading) for side, heading in zip(("first", "second"), SIDES, strict=True)),
        Column("difference", Kind.VALUE, _DIFFERENCE, lambda row: row, value_type=Difference),
        Column("p", Kind.PROBABILITY, align=p_align),
        Column("documents", Kind.COUNT),
    ]
    return Table(name, f"{title}{of}, 95 % interval of the difference", columns, rows)


def causes_table(result: Comparison) -> Table:
    """Return the causes that came, went and stayed, with their shares of the disorder."""
    first, second = SIDES
    columns = [
        Column("change", heading="", is_grouped=True),
        Column("first_share", Kind.SHARE, first, _share_of("first"), format=verdicts.percent, align="right"),
        Column("second_share", Kind.SHARE, second, _share_of("second"), format=verdicts.percent, align="right"),
        Column("title", heading="cause"),
    ]
    return Table("causes", "Causes of disagreement, with their shares of the disorder", columns, result.causes or ())


def _share_of(side: str) -> Callable[[CauseChange], float | None]:
    """Return the function that reads the share of a cause in one corpus, None if it is not found there."""
    return lambda row: None if getattr(row, side) is None else getattr(row, f"{side}_share")


def costs_tables(result: Comparison) -> Iterator[Table]:
    """Yield what annotators and labels cost of γ."""
    first, second = SIDES
    columns = [
        Column("first_units", Kind.COUNT, f"units of {first}"),
        Column("second_units", Kind.COUNT, f"of {second}"),
        Column("first_cost", Kind.NUMBER, f"cost in {first}"),
        Column("second_cost", Kind.NUMBER, f"in {second}"),
        Column("change", Kind.NUMBER, _DIFFERENCE),
    ]
    for name, noun, kind, rows in (
        ("annotators", "annotator", Kind.TEXT, result.annotators),
        ("labels", "label", Kind.CATEGORY, result.labels),
    ):
        title = f"What the disagreements of each {noun} cost of {prefix_of(result.settings)}γ"
        if name == "labels":
            title = f"What disagreements about each label cost of {prefix_of(result.settings)}γ"
        # Two annotators always cost the same.
        if rows and (name == "labels" or len(rows) > len(SIDES)):
            yield Table(name, title, [Column("name", kind, noun), *columns], rows)


def fates_table(fates: Sequence[DocumentFate]) -> Table:
    """Return what became of each document."""
    first, second = SIDES
    columns = [
        Column("document"),
        Column("fate"),
        Column("former", heading="former name"),
        Column("changed", heading="changed by", content=lambda row: ", ".join(row.changed) or None),
        Column("first_units", Kind.COUNT, f"units of {first}"),
        Column("second_units", Kind.COUNT, f"of {second}"),
    ]
    return Table("fates", "What became of each document", columns, fates)


def documents_tables(result: Comparison, n_rows: int) -> Iterator[tuple[Table, int]]:
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


def comparison_table(result: Comparison) -> Table:
    """Return the differences of coefficients and categories, then of documents: the table of CSV."""
    rows = [LevelRow("corpus", row) for row in result.differences]
    rows += [LevelRow("all documents", row) for row in result.overall]
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
