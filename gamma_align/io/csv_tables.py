"""Tables as delimited text: CSV and TSV, UTF-8, with a header; and pygamma-agreement's CSV without one.

Conventions
-----------
* Every name and category is the string that is written, blanks around it included; "NA" and "null" are labels
  like others. Bounds may have blanks around them.
* An empty category is the label "", unless the whole column is empty: then the units have no categories.
* Rows without any text are skipped; "line" in a message is the line of the file where the row begins.

References
----------
RFC 4180; pygamma-agreement ``Continuum.from_csv`` (annotator, category, start, end).
"""

from __future__ import annotations

import codecs
import csv
import io
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align._tables import KNOWN, Coded, Table
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.atomic import atomic_text

if TYPE_CHECKING:
    from pathlib import Path

    from gamma_align.io.registry import Options

PYGAMMA = ("annotator", "category", "start", "end")
"""Order of the columns in a file without header."""

_LABELS = frozenset({"document", "annotator", "category"})


class _Grid(NamedTuple):
    """Cells row after row, as many as the first has; the line of each row; line and width of the first odd one.

    The cells are one list: a list a row would keep the garbage collector busier than the reading.
    """

    width: int
    cells: list[str]
    lines: list[int]
    odd: tuple[int, int] | None


def read_table(path: Path, kind: str, options: Options, *, delimiter: str) -> tuple[Table, tuple[str, ...]]:
    """Return the table in a delimited file, and what to tell about it.

    Raises
    ------
    InputError
        For a file that is not UTF-8, is empty, has a row of another number of fields than the first, a quote
        that does not close, or a column name twice; the message names file and line.
    SettingsError
        For a `header` that is not "auto", True or False, or names for the columns of a file without header.
    """
    grid = _grid(path, _decoded(path), delimiter)
    first = grid.cells[: grid.width]
    header = _has_header(first, kind, options)
    names = [name.strip() for name in first] if header else list(PYGAMMA)
    notes: tuple[str, ...] = ()
    if not header:
        notes = (f"{path.name}: no header: read as {','.join(PYGAMMA)} (pygamma-agreement's order)",)
    _check_widths(path, grid, names, header=header)
    _check_names(path, grid.lines[0], names, kind, options)
    begin = grid.width if header else 0
    columns: dict[str, Any] = {name: grid.cells[begin + at :: grid.width] for at, name in enumerate(names)}
    ours = {name: name for name in KNOWN[kind]} | {options.columns.get(name, name): name for name in KNOWN[kind]}
    for name in names:
        columns[name], told = _typed(path, kind, ours.get(name, ""), columns[name])
        notes += told
    lines = grid.lines[int(header) :]
    return Table(columns, kind, path.name, lambda row: f"line {lines[row]}"), notes


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{path.name}, line 1: the file is UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path.name}, line {line}: byte 0x{data[error.start]:02x} (byte {error.start + 1} of the file) "
            "is not UTF-8; save the file as UTF-8"
        ) from None


def _grid(path: Path, text: str, delimiter: str) -> _Grid:
    """Return the cells of the rows that hold some text."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    cells: list[str] = []
    lines: list[int] = []
    width, odd, line = 0, None, 1
    try:
        for row in reader:
            if row and (row[0].strip() or "".join(row).strip()):
                width = width or len(row)
                if len(row) != width:
                    odd = (line, len(row))
                    break
                cells += row
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"{path.name}, line {line}: {error}; a quoted cell ends with a quote, and a quote within it is doubled"
        ) from None
    if not cells:
        raise InputError(f"{path.name}: the file is empty; it needs a header with annotator, start, end")
    return _Grid(width, cells, lines, odd)


def _has_header(first: list[str], kind: str, options: Options) -> bool:
    if options.header not in ("auto", True, False):
        raise SettingsError(f"header must be 'auto', True or False, not {options.header!r}")
    if kind != "units":
        return True
    if options.header is False and options.columns:
        raise SettingsError("columns= gives names in the header; with header=False there are none")
    if options.header != "auto":
        return bool(options.header)
    named = {cell.strip() for cell in first} & {*KNOWN["units"], *options.columns.values()}
    four = len(first) == len(PYGAMMA)
    return bool(named or options.columns) or not (four and _is_number(first[2]) and _is_number(first[3]))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _check_widths(path: Path, grid: _Grid, names: list[str], *, header: bool) -> None:
    line, width = grid.odd or (grid.lines[0], grid.width)
    if width != len(names):
        what = f"the header has {len(names)}" if header else f"a file without header has {','.join(names)}"
        raise InputError(f"{path.name}, line {line}: {width} fields, but {what}; quote cells with delimiters in them")


def _check_names(path: Path, line: int, names: list[str], kind: str, options: Options) -> None:
    wanted = {options.columns.get(name, name) for name in KNOWN[kind]}
    twice = [name for name in names if names.count(name) > 1 and name in wanted]
    if twice:
        raise InputError(f"{path.name}, line {line}: column {twice[0]!r} is there twice; rename or delete one")
    if kind == "units" and not wanted & set(names):
        told = ", ".join(map(repr, names))
        raise InputError(
            f"{path.name}, line {line}: none of {', '.join(KNOWN['units'])} is in the header, which is {told}; "
            "give it a header (is the delimiter right?), or name your columns with columns="
        )


def _typed(path: Path, kind: str, name: str, cells: list[str]) -> tuple[Any, tuple[str, ...]]:
    """Return the cells of our column `name` as what empty ones mean, and what to tell."""
    if name == "category" and not any(cells):
        return [None] * len(cells), ()
    if kind == "documents" and name != "document":
        return [cell.strip() or None for cell in cells], ()
    if name not in _LABELS:
        return cells, ()
    padded = [cell for cell in dict.fromkeys(cells) if cell != cell.strip()]
    if not padded:
        return cells, ()
    told = ", ".join(map(repr, padded[:3])) + (" …" if len(padded) > 3 else "")  # noqa: PLR2004
    return cells, (f"{path.name}: column {name}: blanks at the edge are kept as part of the name: {told}",)


def write_table(path: Path, columns: dict[str, Any], *, delimiter: str) -> None:
    """Write a table as delimited text, whole or not at all.

    Raises
    ------
    InputError
        For names or labels that are not Unicode text (lone surrogates).
    """
    cells = [_cells(values, delimiter) for values in columns.values()]
    lines = [delimiter.join(columns), *map(delimiter.join, zip(*cells, strict=True))]
    try:
        atomic_text(path, "\n".join(lines) + "\n")
    except UnicodeEncodeError as error:
        raise InputError(f"{path.name}: {error.object[error.start]!r} is no character UTF-8 can hold") from None


def _cells(values: Any, delimiter: str) -> list[str]:  # noqa: ANN401  (Coded or an array of numbers)
    if not isinstance(values, Coded):
        return list(map(repr, np.asarray(values).tolist()))
    quoted = [_quoted(label, delimiter) for label in values.labels]
    return [quoted[code] for code in values.codes.tolist()]


def _quoted(cell: str, delimiter: str) -> str:
    # csv.writer leaves a lone carriage return bare, which is read as the end of the row
    if cell == cell.strip() and not any(mark in cell for mark in (delimiter, '"', "\r", "\n")):
        return cell
    return '"' + cell.replace('"', '""') + '"'
