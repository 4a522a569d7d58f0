"""Tables as delimited text: CSV and TSV with a header, and CSV of scripts and tools without one.

Conventions
-----------
* Every name and category is the string that is written, blanks around it included; "NA" and "null" are labels
  like others. Bounds may have blanks around them.
* An empty category is the label "", unless the whole column is empty: then the units have no categories.
* Where cells are not between commas, numbers may have decimal commas, which a note says. A first line ``sep=;`` is
  skipped.
* Rows without any text are skipped; "line" in a message is the line of the file where the row begins, from 1.
* Labels are coded and bounds are numbers as their block of rows is read; the text of a file is never held whole.
* A cell has at most ``csv.field_size_limit()`` characters, a line at most `LONGEST`: what is longer is a quote that
  was not closed, or no table.

References
----------
RFC 4180; pygamma-agreement ``Continuum.from_csv`` (annotator, category, start, end).
"""

from __future__ import annotations

import csv
import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data.column_names import usual
from gamma_align.data.problem import Problems, few, refuse
from gamma_align.data.tables import KNOWN, Coded, Table
from gamma_align.errors import InputError, Location, Problem, SettingsError
from gamma_align.reading.files.atomic import atomic_text
from gamma_align.reading.files.line_files import opened_text
from gamma_align.reading.files.sources import Source
from gamma_align.reading.tables.columns import PYGAMMA, Piece, TableFile, TableOptions, refuse_numbers_of_parts

LONGEST = 1 << 24
"""Characters a line may have."""

SEPARATOR = re.compile(r"sep=.[\r\n]*", re.IGNORECASE)
"""A first line that tells Excel what is between cells, and is no row."""

_ROWS = 1 << 12
_DECIMAL = re.compile(r"\s*-?\d+(,\d+)?\s*")
_THOUSANDS = re.compile(r"\s*-?[1-9]\d{0,2}(,\d{3})*\s*")
_BREAK = re.compile(r"\r\n|\r|\n")
_BOUNDS = frozenset({"start", "end", "length"})
_EXACT = 2**53
_LONG = 400
_SHOWN = 60


class Block(NamedTuple):
    """Rows one after the other: cells in a row, the cells row after row, the line of each row.

    A list a row would keep the garbage collector busier than the reading.
    """

    width: int
    cells: list[str]
    lines: Sequence[int]


def blocks(
    source: Source, delimiter: str, problems: Problems, *, blank_rows: bool = False, least: int | None = None
) -> Iterator[Block]:
    """Yield the rows of a delimited file, first the first one alone; a row of empty cells is one if `blank_rows`.

    A row with another number of cells than the first is added to the problems, unless its first `least` are there and
    any beyond the width of the first row are empty. So is a quote that does not close or a cell too long, which ends
    the reading.
    """
    with opened_text(source, newline="") as file:
        reader = csv.reader(_lines(file, source.name), delimiter=delimiter, strict=True)
        size, width, line = 1, 0, 1
        while True:
            rows: list[list[str]] = []
            error = _add_rows(rows, reader, size)
            if not rows and error is None:
                return
            begins, line = _begins(rows, line, reader.line_num)
            kept = [
                index for index, row in enumerate(rows) if row and (row[0].strip() or _is_row(row, width, blank_rows))
            ]
            if kept:
                width = width or len(rows[kept[0]])
                whole = [index for index in kept if len(rows[index]) == width]
                if len(whole) < len(kept) and least is not None:
                    for index in kept:
                        _fit(rows[index], width, least)
                    whole = [index for index in kept if len(rows[index]) == width]
                if len(whole) < len(kept):
                    odd = [(begins[index], len(rows[index])) for index in kept if len(rows[index]) != width]
                    problems += (Problem(Location(source.name, begin), _odd(count, width)) for begin, count in odd)
                if whole:
                    cells = list(chain.from_iterable(map(rows.__getitem__, whole)))
                    yield Block(
                        width, cells, begins if len(whole) == len(begins) else [begins[index] for index in whole]
                    )
                    size = _ROWS
            if error is not None:
                problems.append(Problem(Location(source.name, line), _message(error)))
                return


def _fit(row: list[str], width: int, least: int) -> None:
    """Fill a row up to the width, or cut it down to it, where neither changes what is read."""
    if least <= len(row) < width:
        row += [""] * (width - len(row))
    elif not "".join(row[width:]).strip():
        del row[width:]


def _odd(count: int, width: int) -> str:
    """Return what is wrong with a row of so many cells where the first row has another number."""
    cure = "fill the row up, with empty cells if need be" if count < width else "quote cells with delimiters in them"
    return f"{count} fields, but the first row has {width}; {cure}"


def rows(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line where each row begins and its cells, none for a blank line."""
    with opened_text(source, newline="") as file:
        reader = csv.reader(_lines(file, source.name), delimiter=delimiter, strict=True)
        begin = 1
        try:
            for cells in reader:
                yield begin, cells
                begin = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"{source.name}, line {begin}: {_message(error)}") from None


def _is_row(row: list[str], width: int, blank_rows: bool) -> bool:  # noqa: FBT001
    """Whether a row whose first cell is blank is one."""
    return (len(row) > 1 or width == 1) if blank_rows else bool("".join(row).strip())


def _lines(file: TextIOWrapper, name: str) -> Iterator[str]:
    """Yield the lines, each with its end."""
    for number, line in enumerate(iter(partial(file.readline, LONGEST), ""), 1):
        if len(line) == LONGEST and line[-1] not in "\r\n":
            raise InputError(f"{name}, line {number}: longer than {LONGEST:,} characters; this is no table of units")
        whole = line.removeprefix("\ufeff") if number == 1 else line
        yield "\n" if number == 1 and SEPARATOR.fullmatch(whole) else whole


def _add_rows(rows: list[list[str]], reader: Iterator[list[str]], size: int) -> csv.Error | None:
    """Add rows, and return the error that ended them before their number, if any."""
    try:
        rows.extend(islice(reader, size))
    except csv.Error as error:
        return error
    return None


def _begins(rows: list[list[str]], line: int, last: int) -> tuple[Sequence[int], int]:
    """Return the line where each row begins, and that after the last row."""
    if last + 1 - line == len(rows):
        return range(line, line + len(rows)), line + len(rows)
    begins = []
    for row in rows:
        begins.append(line)
        line += 1 + sum(len(_BREAK.findall(cell)) for cell in row)
    return begins, line


def _message(error: csv.Error) -> str:
    if "field limit" in str(error):
        return f"a cell longer than {csv.field_size_limit():,} characters; is the quote that opens it closed?"
    return f"{error}; a quoted cell ends with a quote, and a quote within it is doubled; what follows is not looked at"


def read_table(source: Source, kind: str, options: TableOptions, *, delimiter: str) -> TableFile:
    """Return the table in a delimited file."""
    (piece,) = pieces(source, kind, options, sys.maxsize, delimiter=delimiter)
    return piece.file


def pieces(source: Source, kind: str, options: TableOptions, most: int, *, delimiter: str) -> Iterator[Piece]:
    """Yield the table in a delimited file, about `most` rows at a time.

    What a whole column decides is decided for each piece: whether empty categories are labels, and commas decimal.
    """
    problems: Problems = []
    rows = blocks(source, delimiter, problems)
    first = next(rows, None)
    notes: list[str] = []
    mark = other_delimiter(first.cells) if first is not None else None
    if mark is not None:
        notes.append(f"{source.name}: cells are between {mark!r}")
        problems.clear()
        rows = blocks(source, mark, problems)
        first = next(rows, None)
    if first is None:
        refuse(problems)
        raise InputError(f"{source.name}: the file is empty; it needs a header with annotator, start, end")
    header = _has_header(first.cells, kind, options)
    order = options.header if isinstance(options.header, tuple) else PYGAMMA
    names = [name.strip() for name in first.cells] if header else list(order)
    location = Location(source.name, first.lines[0])
    if len(names) != first.width:
        raise InputError(
            f"{location}: {first.width} fields, but a file without header has {','.join(names)}; quote cells with "
            "delimiters in them"
        )
    if header and kind == "units" and len(names) > 1:
        options, recognised = options.resolved(location, names)
        notes += recognised
    options.check_names(location, kind, names)
    columns = _TableColumns(kind, names, options, decimal_commas=(mark or delimiter) != ",")
    if header and columns.least < first.width:
        rows = blocks(source, mark or delimiter, problems, least=columns.least)
        next(rows)
    if not header and order is not options.header:
        order_read = f"{','.join(PYGAMMA)} (pygamma-agreement's order; a first row with names says another)"
        notes.insert(0, f"{source.name}: no header: read as {order_read}")
    for block in rows if header else chain((first,), rows):
        columns.add(block)
        if columns.rows >= most:
            yield columns.taken(source.name, notes, problems, options)
    yield columns.taken(source.name, notes, problems, options)


def other_delimiter(header: list[str]) -> str | None:
    """Return what stands between the names in a header of one cell, where these name the boundaries of units."""
    for mark in ";\t|," if len(header) == 1 else "":
        names = header[0].split(mark)
        if all(usual(names, role) for role in ("start", "end")):
            return mark
    return None


def _has_header(first: list[str], kind: str, options: TableOptions) -> bool:
    if isinstance(options.header, tuple):
        return False
    if options.header not in ("auto", True, False):
        raise SettingsError(f"header must be 'auto', True or False, not {options.header!r}")
    if kind != "units":
        return True
    if options.header is False and options.columns:
        raise SettingsError("columns= gives names in the header; with header=False there are none")
    if options.header != "auto":
        return bool(options.header)
    return bool(options.columns) or not is_headerless(first)


def is_headerless(first: list[str]) -> bool:
    """Whether a first row is one of pygamma's: four cells, the last two numbers, none the name of a column."""
    if len(first) != len(PYGAMMA) or {cell.strip() for cell in first} & {*KNOWN["units"]}:
        return False
    return is_number(first[2]) and is_number(first[3])


def is_number(cell: str) -> bool:
    """Whether Python reads the cell as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


class _TableColumns:
    """The columns of a table as its blocks of rows come."""

    def __init__(self, kind: str, names: list[str], options: TableOptions, *, decimal_commas: bool) -> None:
        self._kind = kind
        self._names = names
        self._lines = array("q")
        self._columns: dict[str, _LabelColumn | _BoundColumn] = {
            name: _BoundColumn(kind, decimal_commas=decimal_commas) if roles <= _BOUNDS else _LabelColumn(roles, kind)
            for name, roles in options.roles(kind, names).items()
        }

    @property
    def least(self) -> int:
        """How many of a row's first cells have all that is read."""
        return 1 + max(map(self._names.index, self._columns), default=-1)

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        for name, column in self._columns.items():
            column.add(block.cells[self._names.index(name) :: block.width])
        self._lines.extend(block.lines)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._lines)

    def taken(self, file: str, notes: list[str], problems: Problems, options: TableOptions) -> Piece:
        """Return the rows so far, which are then forgotten; columns that are not read are there for messages alone."""
        lines, self._lines = self._lines, array("q")
        notes = [*notes, *self._notes(file)]
        columns = {name: self._columns[name].taken() if name in self._columns else () for name in self._names}
        table = Table(columns, self._kind, file, lambda row: Location(file, lines[row]))
        table_file = TableFile(table, tuple(notes), problems, options)
        if self._kind == "units":
            refuse_numbers_of_parts(table_file)
        return Piece(table_file, np.frombuffer(lines, dtype=np.int64))

    def _notes(self, file: str) -> Iterator[str]:
        for column in self._columns.values():
            if isinstance(column, _LabelColumn) and (padded := column.padded()):
                names = few(map(repr, padded), 3)
                yield f"{file}: column {column.role}: blanks at the edge are kept as part of the name: {names}"
        if any(isinstance(column, _BoundColumn) and column.had_commas for column in self._columns.values()):
            yield f"{file}: the numbers have decimal commas"


class _Codes(dict[str, int]):
    """Labels to codes, given as they come."""

    def __missing__(self, label: str) -> int:
        self[label] = code = len(self)
        return code


class _LabelColumn:
    """A column of labels; an empty cell of a category is a label unless all are, of another column none."""

    def __init__(self, roles: set[str], kind: str) -> None:
        self.role = min(roles)
        self._stripped = kind == "documents" and roles == {"unit"}
        self._codes = _Codes()
        self._parts: list[IntArray] = []

    def add(self, cells: list[str]) -> None:
        if self._stripped:
            cells = list(map(str.strip, cells))
        self._parts.append(np.fromiter(map(self._codes.__getitem__, cells), dtype=np.int64, count=len(cells)))

    def taken(self) -> Coded:
        """Return the labels so far, which are then forgotten."""
        codes, labels = np.concatenate([np.empty(0, dtype=np.int64), *self._parts]), self._codes
        self._parts, self._codes = [], _Codes()
        void = labels.get("")
        if void is not None and (self._stripped or (self.role == "category" and len(labels) == 1)):
            codes[codes == void] = UNLABELLED
        return Coded(codes, tuple(labels))

    def padded(self) -> list[str]:
        """Return the labels with blanks at the edge."""
        return [] if self._stripped else [label for label in self._codes if label != label.strip()]


class _BoundColumn:
    """A column of numbers; an empty cell is none, which a list of documents may have.

    A cell that is no number stays as it is: `data.tables.numbers` says what is wrong with it. Where cells are not
    between commas, numbers with decimal commas are read, unless all of the column may be thousands.
    """

    def __init__(self, kind: str, *, decimal_commas: bool) -> None:
        self._kind = kind
        self._decimal_commas = decimal_commas
        self.had_commas = False
        self._parts: list[FloatArray | list[str]] = []

    def add(self, cells: list[str]) -> None:
        if self._kind == "documents":
            cells = [cell if cell.strip() else "nan" for cell in cells]
        if self._decimal_commas and _have_decimal_commas(cells):
            self.had_commas |= not all(_THOUSANDS.fullmatch(cell) for cell in cells if "," in cell)
            cells = _with_points(cells) if self.had_commas else cells
        self._parts.append(_numbers(cells))

    def taken(self) -> FloatArray | list[Any]:
        """Return the numbers so far, which are then forgotten."""
        parts, self._parts = self._parts, []
        if self.had_commas:  # blocks before the first that shows what the commas are
            parts = [_numbers(_with_points(part)) if _is_of_commas(part) else part for part in parts]
        if all(isinstance(part, np.ndarray) for part in parts):
            return np.concatenate([np.empty(0), *parts])
        return [value for part in parts for value in (part if isinstance(part, list) else part.tolist())]


def _is_of_commas(part: FloatArray | list[str]) -> TypeGuard[list[str]]:
    return isinstance(part, list) and _have_decimal_commas(part)


def _have_decimal_commas(cells: list[str]) -> bool:
    """Whether some cells have a comma, which may be that of decimals in all of them."""
    with_comma = [cell for cell in cells if "," in cell]
    return bool(with_comma) and all(map(_DECIMAL.fullmatch, with_comma)) and not any("." in cell for cell in cells)


def _with_points(cells: list[str]) -> list[str]:
    return [cell.replace(",", ".") for cell in cells]


def _numbers(cells: list[str]) -> FloatArray | list[str]:
    """Return the numbers in cells, or the cells where one is none that float64 holds."""
    try:
        values = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        return list(map(_short, cells))
    plain = "_" not in "".join(cells) and not (np.abs(values) >= _EXACT).any()
    return values if plain else list(map(_short, cells))


def _short(cell: str) -> str:
    """Return the cell as a message can show it, the same number if it is one."""
    if len(cell) <= _LONG:  # no integer that float64 holds has more digits
        return cell
    return repr(float(cell)) if is_number(cell) and "_" not in cell else f"{cell[:_SHOWN]}…"


def write_table(path: Path, columns: dict[str, Any], _cuts: Sequence[int] = (), *, delimiter: str) -> None:
    """Write a table as delimited text, whole or not at all; it has no groups of rows."""
    cells = [_cells(values, delimiter) for values in columns.values()]
    lines = [delimiter.join(columns), *map(delimiter.join, zip(*cells, strict=True))]
    atomic_text(path, "\n".join(lines) + "\n")


def _cells(values: Any, delimiter: str) -> list[str]:  # noqa: ANN401  (Coded or an array of numbers)
    if not isinstance(values, Coded):
        return list(map(repr, np.asarray(values).tolist()))
    labels = [quoted(label, delimiter) for label in values.labels]
    return [labels[code] for code in values.codes.tolist()]


def quoted(cell: str, delimiter: str) -> str:
    """Return the cell as it is written, in quotes where it has to be."""
    # csv.writer leaves a lone carriage return bare, which is read as the end of the row
    if cell == cell.strip() and not any(mark in cell for mark in (delimiter, '"', "\r", "\n")):
        return cell
    return '"' + cell.replace('"', '""') + '"'
