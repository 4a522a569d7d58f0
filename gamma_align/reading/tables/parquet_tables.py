"""Tables as Parquet, through pyarrow: dictionary columns are read as codes, never as strings one by one."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data.column_names import usual
from gamma_align.data.tables import Coded, Table, label_of
from gamma_align.errors import InputError, Location, MissingExtraError
from gamma_align.reading.files.atomic import atomic_write
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.tables.columns import Piece, TableFile, TableOptions, refuse_twice

MAGIC = b"PAR1"
"""What a Parquet file begins with."""


class RowGroup(NamedTuple):
    """Rows of a file that are read together: its number there, the first row, how many, the least and last label."""

    source: Source
    number: int
    begin: int
    rows: int
    low: str
    high: str


def row_groups(source: Source, column: str) -> list[RowGroup] | None:
    """Return the row groups of a file with the range of their labels in a column, as the file's statistics say.

    ``None`` where they do not say: no such column or statistics, other values than text, missing ones.
    """
    pa, pq = _pyarrow("reading")
    with _refusing_damage(source.name), pq.ParquetFile(source.path) as file:
        schema, metadata = file.schema_arrow, file.metadata
        if schema.names.count(column) != 1 or any(pa.types.is_nested(field.type) for field in schema):
            return None
        where, groups, begin = schema.names.index(column), [], 0
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            known = group.column(where).statistics
            if group.num_rows and not (known is not None and known.has_min_max and not known.null_count):
                return None
            if group.num_rows:
                groups.append(RowGroup(source, number, begin, group.num_rows, known.min, known.max))
            begin += group.num_rows
    return groups if all(isinstance(group.low, str) for group in groups) else None


def read_table(source: Source, kind: str, options: TableOptions, groups: Sequence[RowGroup] | None = None) -> TableFile:
    """Return the table in a Parquet file, or in some of its row groups; columns that are not read are for messages."""
    notes: tuple[str, ...] = ()
    if kind == "units":
        options, notes = options.resolved(Location(source.name, None), column_names(source.path))
    columns = read_columns(source, lambda names: options.roles(kind, names), groups)
    table = Table.of(columns, kind, source.name)
    if groups is not None:
        table = replace(table, location=_locations(source.name, groups))
    return TableFile(table, notes, [], options)


def pieces(source: Source, kind: str, options: TableOptions, most: int) -> Iterator[Piece]:
    """Yield the table in a Parquet file, at most so many rows at a time."""
    pa, pq = _pyarrow("reading")
    notes: tuple[str, ...] = ()
    if kind == "units":
        options, notes = options.resolved(Location(source.name, None), column_names(source.path))
    begin = 0
    with _refusing_damage(source.name):
        names, texts = _chosen(source, lambda names: options.roles(kind, names))
        with pq.ParquetFile(source.path, read_dictionary=texts) as file:
            unread = {name: () for name in file.schema_arrow.names if name not in names}
            for batch in file.iter_batches(batch_size=most, columns=names):
                batch.validate(full=True)
                columns = {name: _column(pa, pa.chunked_array([batch.column(name)])) for name in names} | unread
                where = np.arange(begin, begin + batch.num_rows) + 1
                begin += batch.num_rows
                table = replace(Table.of(columns, kind, source.name), location=partial(_location, source.name, where))
                yield Piece(TableFile(table, notes, [], options), where)


def _location(name: str, where: IntArray, row: int) -> Location:
    return Location(name, f"row {where[row]}")


def row_group_columns(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the columns of each row group of a file that `row_group_writer` wrote."""
    pa, pq = _pyarrow("reading")
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            data = file.read_row_group(number)
            yield {name: _column(pa, data.column(name)) for name in data.column_names}


def _locations(name: str, groups: Sequence[RowGroup]) -> Callable[[int], Location]:
    """Return what tells the row in the file of a row in some of its groups."""

    def location(row: int) -> Location:
        for group in groups:
            if row < group.rows:
                break
            row -= group.rows
        return Location(name, f"row {group.begin + row + 1}")

    return location


def column_names(file: Path | IO[bytes]) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    return list(_schema(file).names)


def is_nested(head: Head) -> bool:
    """Return whether a Parquet file has lists or structures in place of bounds: records of texts, no table of units."""
    if head.opened is None or not head.data.startswith(MAGIC):
        return False
    try:
        with head.opened() as file:
            types, schema = importlib.import_module("pyarrow").types, _schema(file)
            has_bounds = all(usual(schema.names, role) for role in ("start", "end"))
            return not has_bounds and any(types.is_nested(field.type) for field in schema)
    except (InputError, MissingExtraError, ImportError):
        return False  # reading it as a table says what is wrong


def _schema(file: Path | IO[bytes]) -> Any:  # noqa: ANN401  (pyarrow has no types)
    _, pq = _pyarrow("reading")
    with _refusing_damage(file.name if isinstance(file, Path) else "the file"):
        return pq.read_schema(file)


def read_records(source: Source) -> tuple[list[dict[str, Any]], dict[bytes, bytes]]:
    """Return the rows of a Parquet file, one dictionary each, and the metadata of its schema."""
    pa, pq = _pyarrow("reading")
    with _refusing_damage(source.name):
        table = pq.read_table(pa.BufferReader(source.data()))
        return table.to_pylist(), table.schema.metadata or {}


@contextlib.contextmanager
def _refusing_damage(name: str) -> Iterator[None]:
    """Raise InputError, which names the file, for what pyarrow makes of damaged data."""
    pa, _ = _pyarrow("reading")
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"{name}: not a Parquet file that can be read: {reason}") from error


def read_columns(
    source: Source, wanted: Callable[[list[str]], Collection[str]], groups: Sequence[RowGroup] | None = None
) -> dict[str, Any]:
    """Return the columns of a Parquet file: labels as `Coded`, numbers as arrays, anything else as lists.

    `wanted` chooses of the names, the other columns are empty; `groups` are the row groups to read, ``None`` for all.
    """
    pa, pq = _pyarrow("reading")
    with _refusing_damage(source.name):
        names, texts = _chosen(source, wanted)
        with pq.ParquetFile(source.path, read_dictionary=texts) as file:
            every = file.schema_arrow.names
            numbers = range(file.num_row_groups) if groups is None else [group.number for group in groups]
            data = file.read_row_groups(numbers, columns=names)
            data.validate(full=True)  # damage may leave codes without a label, and bytes that are no text
            columns = {name: _column(pa, data.column(name)) for name in names}
    return columns | {name: () for name in every if name not in columns}


def _chosen(source: Source, wanted: Callable[[list[str]], Collection[str]]) -> tuple[list[str], list[str]]:
    """Return the names of the columns that are wanted, and of those of them that are text."""
    pa, pq = _pyarrow("reading")
    with pq.ParquetFile(source.path) as file:
        schema = file.schema_arrow
    chosen = wanted(schema.names)
    names = [name for name in schema.names if name in chosen]
    refuse_twice(Location(source.name, None), names)
    return names, [name for name in names if pa.types.is_string(schema.field(name).type)]


def _pyarrow(doing: str) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", f"{doing} Parquet") from error
    return pa, pq


def _column(pa: Any, column: Any) -> Any:  # noqa: ANN401  (pyarrow has no types)
    """Return labels as `Coded`, numbers as an array, anything else as a list."""
    kind = column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if text or pa.types.is_null(kind):
        column = column.dictionary_encode()
    elif pa.types.is_floating(kind) or (pa.types.is_integer(kind) and not column.null_count):
        return np.concatenate([np.empty(0, kind.to_pandas_dtype()), *map(_numbers, column.chunks)])
    elif not pa.types.is_dictionary(kind):
        return column.to_pylist()
    return _coded(column.unify_dictionaries())


def _numbers(chunk: Any) -> Any:  # noqa: ANN401
    """Return a chunk of numbers as an array, NaN where it is null.

    Equals ``chunk.to_numpy(zero_copy_only=False)``, which imports pandas where it is installed, and so costs
    more than reading the file.
    """
    chunk = chunk.fill_null(np.nan) if chunk.null_count else chunk
    dtype = np.dtype(chunk.type.to_pandas_dtype())
    if not len(chunk):
        return np.empty(0, dtype)
    return np.frombuffer(chunk.buffers()[1], dtype, count=len(chunk), offset=chunk.offset * dtype.itemsize)


def _coded(column: Any) -> Any:  # noqa: ANN401
    """Return a column of dictionaries as `Coded`; as a list where its values are no labels: a problem of each row."""
    codes = [_codes(chunk.indices) for chunk in column.chunks]
    values = column.chunk(0).dictionary.to_pylist() if codes else []
    if set(map(type, values)) <= {str}:
        return Coded(_joined(codes), values)
    try:
        labels = list(map(label_of, values))
    except TypeError:
        return column.to_pylist()
    code = _joined(codes)
    for void in [index for index, label in enumerate(labels) if label is None]:
        code[code == void] = UNLABELLED  # a dictionary may hold a null of its own
    return Coded(code, ["" if label is None else label for label in labels])


def _joined(codes: list[Any]) -> IntArray:
    joined: IntArray = np.concatenate([np.empty(0, dtype=np.int64), *codes])
    return joined


def _codes(indices: Any) -> Any:  # noqa: ANN401
    wide = indices.cast("int64")  # -1 is no unsigned number
    return _numbers(wide.fill_null(UNLABELLED) if wide.null_count else wide)


def write_table(path: Path, columns: dict[str, Any], cuts: Sequence[int] = ()) -> None:
    """Write a table as Parquet (zstd), whole or not at all, in row groups that end before the rows `cuts`."""
    with atomic_write(path) as temporary, row_group_writer(temporary) as write:
        for rows in cut(columns, cuts):
            write(rows)


def cut(columns: dict[str, Any], cuts: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table between `cuts`."""
    rows = max((_length(values) for values in columns.values()), default=0)
    for first, last in pairwise([0, *cuts, rows]):
        yield {name: part_of(values, first, last) for name, values in columns.items()}


@contextlib.contextmanager
def row_group_writer(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield what writes columns as one more row group of a Parquet file; without rows, the first names them alone."""
    pa, pq = _pyarrow("writing")
    with contextlib.ExitStack() as stack:
        writers: list[Any] = []

        def write(columns: dict[str, Any]) -> None:
            table = pa.table({name: _array(pa, values) for name, values in columns.items()})
            if not writers:
                writers.append(stack.enter_context(pq.ParquetWriter(path, table.schema, compression="zstd")))
            if len(table):
                writers[0].write_table(table, row_group_size=len(table))

        yield write


def _length(values: Any) -> int:  # noqa: ANN401  (Coded or an array)
    return len(values.codes if isinstance(values, Coded) else values)


def part_of(values: Any, first: int, last: int) -> Any:  # noqa: ANN401
    """Return rows of a column (Coded or an array); of labels those alone that are used."""
    if not isinstance(values, Coded):
        return values[first:last]
    codes = values.codes[first:last]
    used, inverse = np.unique(codes, return_inverse=True)
    void = int(np.count_nonzero(used < 0))
    return Coded(inverse - void, [values.labels[code] for code in used[void:].tolist()])


def _array(pa: Any, values: Any) -> Any:  # noqa: ANN401
    if not isinstance(values, Coded):
        return pa.array(values)
    codes = pa.array(values.codes.astype(np.int32), mask=values.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(list(values.labels), type=pa.string()))
