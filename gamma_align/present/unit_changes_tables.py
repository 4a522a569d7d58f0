"""The tables of the fates of units: counts by fate, the matrix of labels, and the units that are not the same."""

from __future__ import annotations

from collections.abc import Iterator

from gamma_align.data import label_text, span
from gamma_align.insight.comparison import FateCount, LabelChange, UnitChanges, UnitFate
from gamma_align.present.comparison_tables import SIDES
from gamma_align.present.table import Cell, Column, Kind, Table, further_by_option, table_of_cells

NONE = "∅"
"""The label of a unit in the version that does not have it."""
_MAX_LABELS = 12  # of a matrix; of more labels, the cells that are not on its diagonal are listed


def counts_table(result: UnitChanges) -> Table:
    """Return how many units of each version have each fate, and how many units there are."""
    first, second = SIDES
    rows = [row for row in result.counts if row.first or row.second]
    total = FateCount("all", sum(row.first for row in rows), sum(row.second for row in rows))
    columns = [
        Column("fate", heading=""),
        Column("first", Kind.COUNT, f"units of {first}"),
        Column("second", Kind.COUNT, f"of {second}"),
    ]
    return Table("counts", "What became of the units", columns, [*rows, total])


def labels_table(result: UnitChanges) -> Table:
    """Return the matrix of labels, a row for each label of the first version; or a list of changes if it is large."""
    first, second = SIDES
    labels = sorted({label for row in result.labels for label in _labels_of(row)}, key=_order)
    if len(labels) > _MAX_LABELS:
        rows = [(*_labels_of(row), row.units) for row in result.labels if len({*_labels_of(row)}) > 1]
        cells: list[list[Cell]] = [[*row] for row in sorted(rows, key=lambda row: (-row[2], row[:2]))]
        return table_of_cells("Labels that changed", [first, second, "units"], cells)
    count = {_labels_of(row): row.units for row in result.labels}
    matrix: list[list[Cell]] = [[one, *(count.get((one, other), 0) for other in labels)] for one in labels]
    title = f"Labels of {first} (rows) and {second} (columns); {NONE}: not there"
    return table_of_cells(title, ["", *labels], matrix)


def _labels_of(row: LabelChange) -> tuple[str, str]:
    """Return the labels of a cell in both versions, as texts."""
    one = NONE if row.where == "second" else label_text(row.first)
    other = NONE if row.where == "first" else label_text(row.second)
    return one, other


def _order(label: str) -> tuple[bool, str]:
    return label == NONE, label


def changed_table(result: UnitChanges, n_rows: int | None = None) -> Table:
    """Return the units that are not the same; at most `n_rows` of them."""
    first, second = SIDES
    columns = [
        Column("document", is_grouped=True),
        Column("annotator"),
        Column("fate"),
        Column("first", heading=first, content=lambda row: _spans(row, "first")),
        Column("second", heading=second, content=lambda row: _spans(row, "second")),
        Column("text", content=lambda row: None if row.text is None else " ".join(row.text.split())),
    ]
    table = Table("changed", "Units that are not the same", columns, result.changed)
    return table if n_rows is None else table.first(n_rows, further_by_option)


def _spans(row: UnitFate, side: str) -> str | None:
    units = getattr(row, side)
    return ", ".join(f"{span(unit.start, unit.end)} {label_text(unit.category)}".rstrip() for unit in units) or None


def unit_tables(result: UnitChanges, n_rows: int) -> Iterator[Table]:
    """Yield the tables for papers."""
    yield counts_table(result)
    yield labels_table(result)
    yield changed_table(result, n_rows)
