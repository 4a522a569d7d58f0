"""Rows of delimited text and Parquet: delimiter, line of the header and lines above it, and what paths say.

Conventions
-----------
* The delimiter is the one of ``, ; tab |`` under which most of the first lines have the same number of cells, more than
  one; a file without is one column.
* The header is the first row as wide as most rows, if it has no number and no cell that occurs again in its column. A
  single column has one if its first cell is a usual name.
  Lines above it are a title. Without a header columns are ``column 1``, ``column 2``, …
* Columns without a name and without a value are left out, and so are rows without any value, except in one column.
* The rows of a sheet of a workbook have its title as the place ``@sheet``.
* ``@stem`` and ``@folder 1``, ``@folder 2`` … are places; ``@name 1`` and ``@name 2`` if the stems of at least four
  files are the pairs of two sets of names: night1_Lou, night1_Kai, night2_Lou, night2_Kai.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import PurePosixPath

from gamma_align.data import Cell, cells_of, counted, few, is_blank, number_of, usual_names, without_accents
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import Sheet
from gamma_align.reading.intake.mapping import ColumnMap
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.intake.trees import is_tree, tree_rows

SUFFIXES = (".csv", ".tsv", ".txt", ".tab", ".parquet")
"""Suffixes of files that are read as tables."""

_DELIMITERS = (",", ";", "\t", "|")
_INSPECTED = 100  # rows from which the delimiter and the header are told
_MIN_GRID = 4  # files whose names are pairs of two sets
_PARTS = 2
_NAME_SEPARATORS = "_-. "
_MAX_SHOWN = 60  # characters of a value in a message
_MIN_FILLED = 0.8  # share of the pairs that are there


def table_rows(source: Source, mapping: ColumnMap | None = None, *, has_header: bool = False) -> Rows:
    """Return the rows of a table in a file; the map may say the delimiter and the line of the header.

    If the table `has_header`, the first line below the title names the columns unless it repeats a name, and each row
    has a cell for each column.

    Raises
    ------
    InputError
        If the file is empty or cannot be decoded, or if a row has more cells than there are columns.
    """
    if is_tree(source.name):
        return _list_of_tree(source, mapping)
    if source.suffix == ".parquet":
        from gamma_align.reading.tables.parquet_tables import read_columns

        columns = {name: cells_of(values) for name, values in read_columns(source, lambda names: names).items()}
        length = len(next(iter(columns.values()), ()))
        return Rows(source.name, columns, [f"row {row + 1}" for row in range(length)])
    given = {} if mapping is None else mapping.rows
    text = source.text().removeprefix("\ufeff")
    delimiter = str(given.get("delimiter") or _delimiter(text))
    read = [*_csv_rows(source.name, text, delimiter)]
    lines = [(line, row) for line, row in read if row and (row[0].strip() or any(map(str.strip, row)))]
    if not lines:
        raise InputError("the file is empty", "give it a header and rows", Location(source.name))
    width = _width([row for _, row in lines])
    if width == 1:  # a blank line between others is a row without a value, such as an epoch that nobody scored
        lines = [(line, row or [""]) for line, row in read if lines[0][0] <= line <= lines[-1][0]]
    if "header" in given:
        header = given["header"]
        body = [(line, row) for line, row in lines if not isinstance(header, int) or line > header]
        names = next((row for line, row in lines if line == header), None)
    else:
        wide = [index for index, (_, row) in enumerate(lines) if len(row) >= width]
        # A spreadsheet fills up the line of a title with empty cells.
        first = next((index for index in wide if width <= _PARTS or _n_filled(lines[index][1]) > 1), wide[0])
        body = lines[first:]
        names = None
        if has_header:
            _check_widths(source.name, lines, first)
        if not _is_repeated(body[0][1]) if has_header else _is_header([row for _, row in body[: _INSPECTED + 1]]):
            names = body[0][1]
            body = body[1:]
    rows = _rows(source.name, names, body, width)
    if not isinstance(source, Sheet):
        return rows
    return replace(rows, places={"@sheet": source.title, "@stem": PurePosixPath(source.workbook).stem})


def _n_filled(row: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _check_widths(file: str, lines: Sequence[tuple[int, list[str]]], first: int) -> None:
    """Raise InputError if a title has several cells, or a row another number of cells than the header."""
    width = len(lines[first][1])
    for index, (line, row) in enumerate(lines):
        if _n_filled(row) > 1 if index < first else len(row) != width and any(map(str.strip, row[width:] or row)):
            raise InputError(
                f"the row has {counted(len(row), 'cell')}, and most rows have {width}",
                "quote cells with delimiters in them, and give each column a name",
                Location(file, line),
            )


def _list_of_tree(source: Source, mapping: ColumnMap | None) -> Rows:
    """Return the rows of the list of records that a map names; by default, of the whole file."""
    tables = tree_rows(source)
    each = str(({} if mapping is None else mapping.rows).get("each", "[]"))
    if each not in tables:
        raise InputError(
            f"there is no list {each!r}; there are {few(map(repr, tables)) or 'none'}",
            Cure("correct 'each' in {}", Set("map")),
            Location(source.name),
        )
    rows = tables[each]
    others = [row for row, cell in enumerate(rows.columns.get(each, ())) if cell is not None]
    if others and len(rows.columns) > 1:
        raise InputError(
            f"{str(rows.columns[each][others[0]])[:_MAX_SHOWN]!r} is no record of the list {each!r}",
            "correct or delete it",
            rows.location(others[0]),
        )
    return rows


def _csv_rows(name: str, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line where each row begins, and its cells."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = 1
    while True:
        try:
            if '"' not in text:  # each line is a row
                yield from enumerate(reader, 1)
                return
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            line = max(line, reader.line_num)
            raise InputError(str(error), "close each quote, or save the table again", Location(name, line)) from None
        yield line, row
        line = reader.line_num + 1


def _delimiter(text: str) -> str:
    """Return the delimiter under which most rows have one number of cells, a comma if there is none."""
    best = ","
    best_count = 1
    best_width = 1
    head = text[: text.find("\n", 1 << 16) + 1 or None]
    for delimiter in _DELIMITERS:
        try:
            rows = [*islice(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter), _INSPECTED)]
        except csv.Error:
            continue
        widths = Counter(len(row) for row in rows if len(row) > 1)
        # Of two delimiters that are in all rows, the one with more columns: texts contain commas, too.
        width, count = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(0, 0))
        if (count, width) > (best_count, best_width):
            best = delimiter
            best_count = count
            best_width = width
    return best


def _width(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of cells of most rows."""
    counts = Counter(map(len, rows[:_INSPECTED]))
    return max(counts, key=lambda width: (counts[width], width))


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of rows names the columns."""
    first = rows[0]
    body = rows[1:]
    if not body or any(number_of(cell) is not None for cell in first if cell.strip()):
        return False
    if len(first) == 1:  # a value that does not occur again, such as the first stage of a night, is no name
        return without_accents(first[0]) in frozenset().union(*usual_names().values())
    if _is_repeated(first):
        return False
    return not any(
        cell.strip() and any(len(row) > index and row[index] == cell for row in body)
        for index, cell in enumerate(first)
    )


def _is_repeated(names: Sequence[str]) -> bool:
    """Return whether a name is there twice."""
    filled = [name.strip() for name in names if name.strip()]
    return len({*filled}) < len(filled)


def unnamed(width: int) -> list[str]:
    """Return the names of so many columns without names."""
    return [f"column {index + 1}" for index in range(width)]


def _rows(file: str, names: Sequence[str] | None, body: Sequence[tuple[int, list[str]]], width: int) -> Rows:
    width = width if names is None else len(names)
    long = next(((line, row) for line, row in body if len(row) > width and any(map(str.strip, row[width:]))), None)
    if long is not None:
        raise InputError(
            f"the row has {len(long[1])} cells, and there are {width} columns",
            "quote cells with delimiters in them",
            Location(file, long[0]),
        )
    columns: dict[str, list[Cell]] = {}
    rows = (row if len(row) == width else [*row, *[""] * width][:width] for _, row in body)
    by_column = [*zip(*rows, strict=True)] or [()] * width
    for given, column in zip(unnamed(width) if names is None else names, by_column, strict=True):
        cells: list[Cell] = [*column]
        name = given.strip()
        if name or not all(map(is_blank, cells)):
            if name in columns:
                raise InputError(f"column {name!r} is there twice", "rename or delete one", Location(file))
            columns[name] = cells
    return Rows(file, columns, [line for line, _ in body])


def placed(tables: Sequence[Rows]) -> list[Rows]:
    """Return the tables of files with what their paths say as places; `file` is the path below the folder."""
    paths = [PurePosixPath(table.file) for table in tables]
    grid = _grid(paths)
    depth = max((len(path.parts) for path in paths), default=1) - 1
    result = []
    for table, path in zip(tables, paths, strict=True):
        folders = (*path.parts[:-1], *[""] * depth)[:depth]
        places = {f"@folder {level}": folder for level, folder in enumerate(folders, 1)}
        places["@stem"] = path.stem
        if path.stem in grid:
            places |= {f"@name {part}": name for part, name in enumerate(grid[path.stem], 1)}
        result.append(replace(table, places={**places, **table.places}))
    return result


def _grid(paths: Sequence[PurePosixPath]) -> dict[str, list[str]]:
    """Return the two parts of each stem if the stems are the pairs of two sets of names, nothing otherwise."""
    stems = [*dict.fromkeys(path.stem for path in paths)]
    if len(stems) < _MIN_GRID:
        return {}
    for separator, split in product(_NAME_SEPARATORS, (str.rsplit, str.split)):
        parts = {stem: split(stem, separator, 1) for stem in stems}
        if {len(names) for names in parts.values()} != {_PARTS}:
            continue
        first, second = ({names[part] for names in parts.values()} for part in range(_PARTS))
        if len(first) > 1 and len(second) > 1 and len(stems) >= _MIN_FILLED * len(first) * len(second):
            return parts
    return {}
