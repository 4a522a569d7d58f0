"""Tables as Parquet, through pyarrow: dictionary columns are read as codes, without a string for each row."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from gamma_align.columns import IntArray, ranges
from gamma_align.data import Coded, Table, has_bounds
from gamma_align.errors import InputError, Location, MissingExtraError
from gamma_align.reading.files.atomic import atomic_write
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.tables.arrow import Schema, array_of, load_pyarrow, values_of
from gamma_align.reading.tables.columns import ColumnValues, Piece, TableFile, TableOptions, refuse_duplicates

MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""


class RowGroup(NamedTuple):
    """Rows of a file that are read together: position in the file, first row, number of rows, range of the labels."""

    source: Source
    position: int
    first_row: int
    n_rows: int
    lowest: str
    highest: str


def row_groups(source: Source, column: str) -> list[RowGroup] | None:
    """Return the row groups of a file, each with the range of its labels in a column from the file's statistics.

    Return None if the range is not known: no such column, no statistics, values other than text, or missing values.
    """
    pa, pq = load_pyarrow("reading")
    with _refuse_damage(source.name), pq.ParquetFile(source.path) as file:
        schema = file.schema_arrow
        metadata = file.metadata
        # A nested column has several columns of statistics, so that positions in the schema are no longer theirs.
        if schema.names.count(column) != 1 or any(pa.types.is_nested(field.type) for field in schema):
            return None
        column_position = schema.names.index(column)
        groups: list[RowGroup] = []
        first_row = 0
        for position in range(metadata.num_row_groups):
            group = metadata.row_group(position)
            if group.num_rows:
                statistics = group.column(column_position).statistics
                if statistics is None or not statistics.has_min_max or statistics.null_count:
                    return None
                groups.append(RowGroup(source, position, first_row, group.num_rows, statistics.min, statistics.max))
            first_row += group.num_rows
    return groups if all(isinstance(group.lowest, str) for group in groups) else None


def read_table(source: Source, kind: str, options: TableOptions, groups: Sequence[RowGroup] | None = None) -> TableFile:
    """Return the table in a Parquet file, or in some of its row groups; columns that are not read are for messages."""
    options, notes = _resolved(source, kind, options)
    columns = read_columns(source, lambda names: options.roles(kind, names), groups)
    table = Table.of(columns, kind, source.name)
    if groups is not None:
        rows = ranges(
            np.array([group.first_row + 1 for group in groups], dtype=np.int64),
            np.array([group.n_rows for group in groups], dtype=np.int64),
        )
        table = replace(table, location=partial(_location, source.name, rows))
    return TableFile(table, notes, [], options)


def pieces(source: Source, kind: str, options: TableOptions, n_rows: int) -> Iterator[Piece]:
    """Yield the table in a Parquet file, at most `n_rows` rows at a time."""
    pa, pq = load_pyarrow("reading")
    options, notes = _resolved(source, kind, options)
    first_row = 0
    with _refuse_damage(source.name):
        names, text_names = _selected(source, lambda names: options.roles(kind, names))
        with pq.ParquetFile(source.path, read_dictionary=text_names) as file:
            unread: dict[str, ColumnValues] = {name: () for name in file.schema_arrow.names if name not in names}
            for batch in file.iter_batches(batch_size=n_rows, columns=names):
                batch.validate(full=True)
                columns = {name: values_of(pa, pa.chunked_array([batch.column(name)])) for name in names}
                rows = np.arange(first_row, first_row + batch.num_rows) + 1
                first_row += batch.num_rows
                table = replace(
                    Table.of(columns | unread, kind, source.name), location=partial(_location, source.name, rows)
                )
                yield Piece(TableFile(table, notes, [], options), rows)


def _resolved(source: Source, kind: str, options: TableOptions) -> tuple[TableOptions, tuple[str, ...]]:
    if kind != "units":
        return options, ()
    return options.resolved(Location(source.name), column_names(source.path))


def _location(name: str, rows: IntArray, row: int) -> Location:
    return Location(name, f"row {rows[row]}")


def row_group_columns(path: Path) -> Iterator[dict[str, ColumnValues]]:
    """Yield the columns of each row group of a file that `row_group_writer` wrote."""
    pa, pq = load_pyarrow("reading")
    with pq.ParquetFile(path) as file:
        for index in range(file.num_row_groups):
            data = file.read_row_group(index)
            yield {name: values_of(pa, data.column(name)) for name in data.column_names}


def column_names(file: Path | IO[bytes]) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    return list(_schema(file).names)


def is_nested(head: Head) -> bool:
    """Return whether a Parquet file has lists or structures in place of bounds: records of texts, no table of units."""
    if head.opened is None or not head.data.startswith(MAGIC):
        return False
    try:
        with head.opened() as file:
            types = importlib.import_module("pyarrow").types
            schema = _schema(file)
            return not has_bounds(schema.names) and any(types.is_nested(field.type) for field in schema)
    except (InputError, MissingExtraError, ImportError):
        return False  # reading it as a table reports the problem


def _schema(file: Path | IO[bytes]) -> Schema:
    _, pq = load_pyarrow("reading")
    with _refuse_damage(file.name if isinstance(file, Path) else "the file"):
        return pq.read_schema(file)


def read_records(source: Source) -> tuple[list[dict[str, object]], dict[bytes, bytes]]:
    """Return the rows of a Parquet file, one dictionary each, and the metadata of its schema."""
    pa, pq = load_pyarrow("reading")
    with _refuse_damage(source.name):
        table = pq.read_table(pa.BufferReader(source.data()))
        return table.to_pylist(), table.schema.metadata or {}


@contextlib.contextmanager
def _refuse_damage(name: str) -> Iterator[None]:
    """Raise InputError, which names the file, in place of pyarrow's errors about damaged data."""
    pa, _ = load_pyarrow("reading")
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"not a Parquet file that can be read: {reason}", location=Location(name)) from error


def read_columns(
    source: Source, select: Callable[[list[str]], Collection[str]], groups: Sequence[RowGroup] | None = None
) -> dict[str, ColumnValues]:
    """Return the columns of a Parquet file: labels as `Coded`, numbers as arrays, anything else as lists.

    `select` returns the names of the columns to read, given all names; other columns are empty. `groups` are the row
    groups to read, by default all.
    """
    pa, pq = load_pyarrow("reading")
    with _refuse_damage(source.name):
        names, text_names = _selected(source, select)
        with pq.ParquetFile(source.path, read_dictionary=text_names) as file:
            all_names = file.schema_arrow.names
            positions = range(file.num_row_groups) if groups is None else [group.position for group in groups]
            data = file.read_row_groups(positions, columns=names)
            data.validate(full=True)  # damage may leave codes without a label, and bytes that are no text
            columns: dict[str, ColumnValues] = {name: values_of(pa, data.column(name)) for name in names}
    return columns | {name: () for name in all_names if name not in columns}


def _selected(source: Source, select: Callable[[list[str]], Collection[str]]) -> tuple[list[str], list[str]]:
    """Return the names of the selected columns, and the names of the columns of text among them."""
    pa, pq = load_pyarrow("reading")
    with pq.ParquetFile(source.path) as file:
        schema = file.schema_arrow
    selected = select(schema.names)
    names = [name for name in schema.names if name in selected]
    refuse_duplicates(Location(source.name), names)
    return names, [name for name in names if pa.types.is_string(schema.field(name).type)]


def write_table(path: Path, columns: Mapping[str, ColumnValues], group_starts: Sequence[int] = ()) -> None:
    """Write a table as Parquet (zstd), whole or not at all; `group_starts` are the first rows of further row groups."""
    with atomic_write(path) as temporary, row_group_writer(temporary) as write:
        for rows in split(columns, group_starts):
            write(rows)


def split(columns: Mapping[str, ColumnValues], starts: Sequence[int]) -> Iterator[dict[str, ColumnValues]]:
    """Yield the rows of a table in parts; all parts but the first begin at the rows `starts`."""
    n_rows = max((_length(values) for values in columns.values()), default=0)
    for first, last in pairwise([0, *starts, n_rows]):
        yield {name: part_of(values, first, last) for name, values in columns.items()}


@contextlib.contextmanager
def row_group_writer(path: Path) -> Iterator[Callable[[Mapping[str, ColumnValues]], None]]:
    """Yield a function that writes columns as one more row group of a Parquet file.

    Columns without rows are written only as the first, which names the columns.
    """
    pa, pq = load_pyarrow("writing")
    with contextlib.ExitStack() as stack:
        writer = None

        def write(columns: Mapping[str, ColumnValues]) -> None:
            nonlocal writer
            table = pa.table({name: array_of(pa, values) for name, values in columns.items()})
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(path, table.schema, compression="zstd"))
            if len(table):
                writer.write_table(table, row_group_size=len(table))  # by default, long tables would be divided

        yield write


def _length(values: ColumnValues) -> int:
    return len(values.codes if isinstance(values, Coded) else values)


def part_of(values: ColumnValues, first: int, last: int) -> ColumnValues:
    """Return rows of a column; of labels, only those in use."""
    if not isinstance(values, Coded):
        return values[first:last]
    used, inverse = np.unique(values.codes[first:last], return_inverse=True)
    n_missing = int(np.count_nonzero(used < 0))  # the code -1 comes first
    return Coded(inverse - n_missing, [values.labels[code] for code in used[n_missing:].tolist()])
