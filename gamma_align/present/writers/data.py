"""Tables for programs: CSV with all rows, columns and digits."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain

from gamma_align.data.wording import spreadsheet_text
from gamma_align.inference.values import Value
from gamma_align.present.table import Column, Table

_CHUNK_ROWS = 10_000  # of CSV that are in memory at once


def csv_rows(table: Table) -> Iterator[list[object]]:
    """Yield the rows of CSV, the header first: a value has a column for each of its fields."""
    columns = table.data_columns()
    yield [*chain.from_iterable(map(_names, columns))]
    types = [column.value_type if column.has_values else None for column in columns]
    for cells in table.cells(columns):
        row: list[object] = []
        for kind, cell in zip(types, cells, strict=True):
            if kind is None:
                row.append(cell)
            else:
                row += csv_value(cell, kind)
        yield row


def _names(column: Column) -> list[str]:
    return csv_head(column.name, column.value_type) if column.has_values else [column.name]


def csv_text(rows: Iterable[Sequence[object]], delimiter: str = ",", *, is_safe: bool = False) -> str:
    """Return the rows as CSV; None, NaN and infinity are empty cells. If it `is_safe`, spreadsheets run no text."""
    return "".join(csv_pieces(rows, delimiter, is_safe=is_safe))


def csv_pieces(rows: Iterable[Sequence[object]], delimiter: str = ",", *, is_safe: bool = False) -> Iterator[str]:
    """Yield the CSV of the rows as `csv_text` returns it, a chunk of rows at a time."""
    remaining = iter(rows)
    cell = _safe_cell if is_safe else csv_cell
    for chunk in iter(lambda: [*itertools.islice(remaining, _CHUNK_ROWS)], []):
        stream = io.StringIO()
        few_quotes, all_quotes = (
            csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=quoting)
            for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
        )
        for row in chunk:
            cells = [*map(cell, row)]
            # Before Python 3.13 the writer leaves a lone carriage return bare, which is read as the end of the row.
            writer = all_quotes if "\r" in "".join(cells) else few_quotes
            writer.writerow(cells)
        yield stream.getvalue()


def _safe_cell(value: object) -> str:
    return spreadsheet_text(value) if isinstance(value, str) else csv_cell(value)


def csv_cell(value: object) -> str:
    """Return a cell of CSV: numbers with all their digits, "true" or "false", nothing for None, NaN and infinity."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float):
        # The repr of a NumPy number contains its type, hence `float`.
        return repr(float(value)) if math.isfinite(value) else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def csv_head(name: str, kind: type[Value]) -> list[str]:
    """Return the columns of a class of values: `name` for the value and name_field for each other field."""
    return [name if field == "value" else f"{name}_{field}" for field in _fields(kind)]  # type: ignore[arg-type]  # a class has a hash


def csv_value(value: object, kind: type[Value]) -> list[object]:
    """Return the cells of a value, in the order of `csv_head`; empty ones for None."""
    names = _fields(kind)  # type: ignore[arg-type]  # a class has a hash
    return [None] * len(names) if value is None else [getattr(value, name) for name in names]


@cache
def _fields(kind: type[Value]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def joined_rows(tables: Iterable[Iterable[list[object]]], keys: int) -> Iterable[list[object]]:
    """Return tables of CSV side by side, joined by their first `keys` columns; missing rows become empty cells."""
    first, *following = tables
    if not following:  # a single table may be long: do not load it into memory
        return first
    in_memory = [[*table] for table in (first, *following)]
    cells_by_key = [{tuple(row[:keys]): row[keys:] for row in table} for table in in_memory]
    joined: list[list[object]] = []
    # A dictionary keeps the order in which keys first occur; the header is joined like any other row.
    for key in dict.fromkeys(itertools.chain.from_iterable(cells_by_key)):
        row = [*key]
        for table, cells in zip(in_memory, cells_by_key, strict=True):
            row += cells.get(key, [None] * (len(table[0]) - keys))
        joined.append(row)
    return joined
