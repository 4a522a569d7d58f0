"""Tables for programs: CSV with all rows, columns and digits."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, cast

from gamma_align.data import FrameColumns, Json, spreadsheet_text
from gamma_align.inference import LazyRows, Value, column_of, json_ready
from gamma_align.present.table import Column, Row, Table

_MAIN_FIELDS = 3  # of a value: itself and its interval
_CHUNK_ROWS = 500  # of CSV that are formatted at once: more do not fit into the cache of the processor


def csv_rows(table: Table) -> Iterator[Sequence[object]]:
    """Yield the rows of CSV, the header first: a value has a column for each of its fields."""
    columns = table.data_columns()
    yield [*chain.from_iterable(map(_names, columns))]
    rows = iter(table.rows)
    while chunk := [*itertools.islice(rows, _CHUNK_ROWS)]:
        yield from zip(*chain.from_iterable(_contents(column, chunk) for column in columns), strict=True)


def _contents(column: Column, rows: Sequence[object]) -> Iterable[Sequence[object]]:
    """Return the columns of CSV of a column of the table: one, or one for each field of its values."""
    # Rows that are created on access have their attributes as columns.
    contents = column_of(rows, column.name) if column.content is None else [*map(column.read, rows)]
    if not column.has_values:
        return [contents]
    names = _fields(column.value_type)  # type: ignore[arg-type]  # a class has a hash
    if isinstance(contents, LazyRows):
        return map(contents.column, names)
    read = attrgetter(*names)
    empty = (None,) * len(names)
    return zip(*(empty if value is None else read(value) for value in contents), strict=True)


def frame_columns(table: Table) -> FrameColumns:
    """Return the columns of a data frame, those of CSV: values and their intervals first, then their other fields."""
    columns = table.data_columns()
    names = [_names(column) for column in columns]
    main = chain.from_iterable(fields_of_column[:_MAIN_FIELDS] for fields_of_column in names)
    frame: dict[str, list[object]] = {name: [] for name in (*main, *chain.from_iterable(names))}
    rows = table.rows if isinstance(table.rows, Sequence) else [*table.rows]
    # Blocks keep the values that several columns are read from.
    for block in rows.blocks() if isinstance(rows, LazyRows) else [rows]:
        for column in columns:
            for name, contents in zip(_names(column), _contents(column, block), strict=True):
                frame[name] += contents
    return {**frame}


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
    """Yield the CSV of the rows as `csv_text` returns it, a chunk of rows at a time."""
    remaining = iter(rows)
    # The header first, and alone: its texts are not of the types of the columns.
    yield _csv_chunk([*itertools.islice(remaining, 1)], delimiter, is_safe=is_safe)
    while chunk := [*itertools.islice(remaining, _CHUNK_ROWS)]:
        yield _csv_chunk(chunk, delimiter, is_safe=is_safe)


def _csv_chunk(rows: Sequence[Sequence[object]], delimiter: str, *, is_safe: bool) -> str:
    """Return the CSV of rows: the cells of each column at once, and then each row as one text."""
    lines: list[str] = []
    for width, same_width in itertools.groupby(rows, len):
        columns = [_csv_column(column, is_safe=is_safe) for column in zip(*same_width, strict=True)]
        texts = chain.from_iterable(column.distinct for column in columns)
        if width == 1 or any("\r" in text for text in texts):
            lines += _lines_by_csv(zip(*(column.texts for column in columns), strict=True), delimiter)
        else:
            quoted = (column.quoted(delimiter) for column in columns)
            lines += map(delimiter.join, zip(*quoted, strict=True))
    return "\n".join([*lines, ""])


def _lines_by_csv(rows: Iterable[Sequence[str]], delimiter: str) -> Iterator[str]:
    """Yield rows as the module `csv` writes them: rows with a carriage return, or of one cell that may be empty."""
    stream = io.StringIO()
    few_quotes, all_quotes = (
        csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    )
    for row in rows:
        # Before Python 3.13 the writer leaves a lone carriage return bare, which is read as the end of the row.
        (all_quotes if "\r" in "".join(row) else few_quotes).writerow(row)
        yield stream.getvalue()[:-1]
        stream.seek(0)
        stream.truncate()


class _CsvColumn(NamedTuple):
    """The cells of a column as CSV without quotes, and its different texts, some of which may need quotes."""

    texts: Sequence[str]
    distinct: Iterable[str] = ()

    def quoted(self, delimiter: str) -> Sequence[str]:
        """Return the cells with quotes where they are needed."""
        special = re.compile(f'[{re.escape(delimiter)}"\n]')
        quoted = {text: '"' + text.replace('"', '""') + '"' for text in self.distinct if special.search(text)}
        return [quoted.get(text, text) for text in self.texts] if quoted else self.texts


def _csv_column(cells: Sequence[object], *, is_safe: bool) -> _CsvColumn:
    """Return the cells of a column as CSV, like `csv_cell`; most columns have cells of one type, or none."""
    types = set(map(type, cells)) - {type(None)}
    if not types:
        return _CsvColumn([""] * len(cells))
    if types == {float}:
        isfinite = math.isfinite
        numbers = cast("Sequence[float | None]", cells)
        return _CsvColumn([repr(cell) if cell is not None and isfinite(cell) else "" for cell in numbers])
    if types == {int}:
        return _CsvColumn(["" if cell is None else str(cell) for cell in cells])
    texts = [*map(_safe_cell if is_safe else csv_cell, cells)]
    return _CsvColumn(texts, dict.fromkeys(texts))


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
