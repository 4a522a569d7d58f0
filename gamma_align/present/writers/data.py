"""Tables for programs: CSV with all rows, columns and digits."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain
from operator import attrgetter

from gamma_align.data import FrameColumns, Json, spreadsheet_text
from gamma_align.inference import Value, json_ready
from gamma_align.present.table import Column, Row, Table

_MAIN_FIELDS = 3  # of a value: itself and its interval


def csv_rows(table: Table) -> Iterator[Sequence[object]]:
    """Yield the rows of CSV, the header first: a value has a column for each of its fields."""
    columns = table.data_columns()
    yield [*chain.from_iterable(map(_names, columns))]
    readers = [*map(_reader, columns)]
    for row in table.rows:
        yield [*chain.from_iterable(read(row) for read in readers)]


def _reader(column: Column) -> Callable[[Row], Sequence[object]]:
    """Return the function that returns the cells of a row in a column of the table: one, or one for each field."""
    read = column.read
    if not column.has_values:
        return lambda row: (read(row),)
    names = _fields(column.value_type)  # type: ignore[arg-type]  # a class has a hash
    fields_of = attrgetter(*names)
    empty = (None,) * len(names)

    def cells(row: Row) -> Sequence[object]:
        value = read(row)
        return empty if value is None else fields_of(value)

    return cells


def frame_columns(table: Table) -> FrameColumns:
    """Return the columns of a data frame, those of CSV: values and their intervals first, then their other fields."""
    columns = [_names(column) for column in table.data_columns()]
    main = chain.from_iterable(names[:_MAIN_FIELDS] for names in columns)
    head, *rows = csv_rows(table)
    contents = zip(*rows, strict=True) if rows else ((),) * len(head)
    by_name = {str(name): [*cells] for name, cells in zip(head, contents, strict=True)}
    return {name: by_name[name] for name in dict.fromkeys([*main, *by_name])}


def with_columns(contents: Mapping[str, Json], table: Table) -> Mapping[str, Json]:
    """Return the contents of JSON; the rows of a table among them have its columns that they lack."""
    key = next((key for key, rows in contents.items() if rows is table.rows), None)
    if key is None or not table.rows:
        return contents
    first = json_ready(next(iter(table.rows)))
    further = [column for column in table.data_columns() if column.name not in first]
    if not further:
        return contents
    return {**contents, key: [json_ready(row) | _entries(further, row) for row in table.rows]}


def _entries(columns: Iterable[Column], row: Row) -> dict[str, Json]:
    return {column.name: json_ready(column.read(row)) for column in columns}


def _names(column: Column) -> list[str]:
    return csv_head(column.name, column.value_type) if column.has_values else [column.name]


def csv_text(rows: Iterable[Sequence[object]], delimiter: str = ",", *, is_safe: bool = False) -> str:
    """Return the rows as CSV; None, NaN and infinity are empty cells. If it `is_safe`, spreadsheets run no text."""
    return "".join(csv_pieces(rows, delimiter, is_safe=is_safe))


def csv_pieces(rows: Iterable[Sequence[object]], delimiter: str = ",", *, is_safe: bool = False) -> Iterator[str]:
    """Yield the CSV of the rows as `csv_text` returns it, a row at a time."""
    stream = io.StringIO()
    few_quotes, all_quotes = (
        csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    )
    cell = _safe_cell if is_safe else csv_cell
    for row in rows:
        cells = [*map(cell, row)]
        # Before Python 3.13 the writer leaves a lone carriage return bare, which is read as the end of the row.
        (all_quotes if any("\r" in text for text in cells) else few_quotes).writerow(cells)
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()


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


@cache
def _fields(kind: type[Value]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def joined_rows(tables: Iterable[Iterable[Sequence[object]]], keys: int) -> Iterable[Sequence[object]]:
    """Return tables of CSV side by side, joined by their first `keys` columns; missing rows become empty cells."""
    first, *following = tables
    if not following:  # a single table may be long: do not load it into memory
        return first
    in_memory = [[*table] for table in (first, *following)]
    cells_by_key = [{tuple(row[:keys]): row[keys:] for row in table} for table in in_memory]
    joined: list[Sequence[object]] = []
    # A dictionary keeps the order in which keys first occur; the header is joined like any other row.
    for key in dict.fromkeys(itertools.chain.from_iterable(cells_by_key)):
        row = [*key]
        for table, cells in zip(in_memory, cells_by_key, strict=True):
            row += cells.get(key, [None] * (len(table[0]) - keys))
        joined.append(row)
    return joined
