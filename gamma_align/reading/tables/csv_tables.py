"""Tables as delimited text: CSV and TSV with a header, and CSV of scripts and tools without one.

Conventions
-----------
* Every name and category is the string in the file, with the blanks around it; "NA" and "null" are labels like others.
  Bounds may have blanks around them.
* An empty category is the label "", unless the whole column is empty: then the units have no categories.
* If cells are not separated by commas, numbers may have decimal commas, which a note says. A first line ``sep=;`` is
  skipped.
* Rows without any text are skipped; "line" in a message is the line of the file where the row begins, from 1.
* Rows are read in blocks: labels are coded and bounds parsed block by block, so the text of a file is never held whole.
* A cell has at most ``csv.field_size_limit()`` characters, a line at most `MAX_LINE_LENGTH`: anything longer is a quote
  that was not closed, or no table.

References
----------
RFC 4180; pygamma-agreement ``Continuum.from_csv`` (annotator, category, start, end).
"""

from __future__ import annotations

import csv
import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TypeGuard

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data import KNOWN, Coded, Problems, Table, few, has_bounds, has_thousands, number_of, refuse
from gamma_align.errors import Cure, InputError, Location, Problem, Set, SettingsError
from gamma_align.reading.files.atomic import atomic_text
from gamma_align.reading.files.line_files import opened_text
from gamma_align.reading.files.sources import Source
from gamma_align.reading.tables.columns import (
    PYGAMMA,
    ColumnValues,
    Piece,
    TableFile,
    TableOptions,
    refuse_numbers_of_parts,
    without_missing_words,
)

MAX_LINE_LENGTH = 1 << 24
"""Maximum number of characters in a line: a longer one is no table, and memory should not have to hold it."""

SEPARATOR = re.compile(r"sep=.[\r\n]*", re.IGNORECASE)
"""A first line that tells Excel the delimiter, and is no row."""

_DELIMITERS = ";\t|,"

_BLOCK_ROWS = 1 << 12
_DECIMAL_COMMA = re.compile(r"\s*-?\d+(,\d+)?\s*")
_THOUSANDS_COMMAS = re.compile(r"\s*-?[1-9]\d{0,2}(,\d{3})*\s*")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_NUMBER_ROLES = frozenset({"start", "end", "duration", "length"})
_MAX_EXACT_INTEGER = 2**53  # float64 does not hold all larger ones; `data.tables.numbers` decides on their texts
_MAX_NUMBER_LENGTH = 400  # characters; no integer that float64 holds has more digits
_SHOWN_LENGTH = 60  # characters of a long cell in a message


class Block(NamedTuple):
    """Successive rows: the cells of all rows in one list, and the line of each row.

    A list for each row would make the garbage collector work longer than the reader.
    """

    width: int
    cells: list[str]
    lines: Sequence[int]


def blocks(source: Source, delimiter: str, problems: Problems, *, min_width: int | None = None) -> Iterator[Block]:
    """Yield the rows of a delimited file, the first row alone in the first block.

    Rows of another width than the first are added to the problems. With `min_width`, rows with at least so many cells
    are filled up, and longer ones are cut if the further cells are empty. Rows of empty cells are no rows. A quote that
    is not closed and a cell that is too long end the reading with a problem.
    """
    with opened_text(source, newline="") as file:
        reader = csv.reader(_lines(file, source.name), delimiter=delimiter, strict=True)
        width = 0
        line = 1
        n_rows = 1  # the first row determines the width and, for callers, the columns of the others
        while True:
            rows: list[list[str]] = []
            error = _add_rows(rows, reader, n_rows)
            if not rows and error is None:
                return
            lines, line = _lines_of_rows(rows, line, reader.line_num)
            # Most rows begin with text: they are recognised without a call.
            kept = [index for index, row in enumerate(rows) if row and (row[0].strip() or "".join(row).strip())]
            if kept:
                width = width or len(rows[kept[0]])
                n_rows = _BLOCK_ROWS
                if min_width is not None:
                    _fit([rows[index] for index in kept], width, min_width)
                fitting = [index for index in kept if len(rows[index]) == width]
                if len(fitting) < len(kept):
                    odd = [index for index in kept if len(rows[index]) != width]
                    problems += [_width_problem(source.name, lines[index], len(rows[index]), width) for index in odd]
                if fitting:
                    cells = list(chain.from_iterable(map(rows.__getitem__, fitting)))
                    are_all = len(fitting) == len(rows)
                    yield Block(width, cells, lines if are_all else [lines[index] for index in fitting])
            if error is not None:
                problems.append(_csv_problem(error, Location(source.name, line)))
                return


def _fit(rows: list[list[str]], width: int, min_width: int) -> None:
    """Fill rows up to the width, or cut them, if neither changes the cells that are read."""
    for row in rows:
        if min_width <= len(row) < width:
            row.extend([""] * (width - len(row)))
        elif len(row) > width and not "".join(row[width:]).strip():
            del row[width:]


def _width_problem(file: str, line: int, n_cells: int, width: int) -> Problem:
    if n_cells < width:
        cure = Cure("fill the row up, with empty cells if need be")
    else:
        cure = Cure("quote cells with delimiters in them")
    return Problem(Location(file, line), f"{n_cells} fields, but the first row has {width}", cure)


def rows(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line of each row and its cells, no cells for a blank line."""
    with opened_text(source, newline="") as file:
        reader = csv.reader(_lines(file, source.name), delimiter=delimiter, strict=True)
        line = 1
        try:
            for cells in reader:
                yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            raise InputError(_csv_problem(error, Location(source.name, line))) from None


def _lines(file: TextIOWrapper, name: str) -> Iterator[str]:
    """Yield the lines, each with its end."""
    for number, line in enumerate(iter(partial(file.readline, MAX_LINE_LENGTH), ""), 1):
        if len(line) == MAX_LINE_LENGTH and line[-1] not in "\r\n":
            cause = f"longer than {MAX_LINE_LENGTH:,} characters; this is no table of units"
            raise InputError(cause, location=Location(name, number))
        text = line.removeprefix("\ufeff") if number == 1 else line
        # A blank line in place of the separator keeps the numbers of the lines.
        yield "\n" if number == 1 and SEPARATOR.fullmatch(text) else text


def _add_rows(rows: list[list[str]], reader: Iterator[list[str]], n_rows: int) -> csv.Error | None:
    """Add up to `n_rows` rows, and return the error that ended the reading, if any."""
    try:
        rows.extend(islice(reader, n_rows))
    except csv.Error as error:
        return error
    return None


def _lines_of_rows(rows: list[list[str]], line: int, last_line: int) -> tuple[Sequence[int], int]:
    """Return the line where each row begins, and the line after the last row."""
    if last_line + 1 - line == len(rows):
        return range(line, line + len(rows)), line + len(rows)
    lines = []
    for row in rows:  # some cell has a line break
        lines.append(line)
        line += 1 + sum(len(_LINE_BREAK.findall(cell)) for cell in row)
    return lines, line


def _csv_problem(error: csv.Error, location: Location) -> Problem:
    if "field limit" in str(error):
        cause = f"a cell is longer than {csv.field_size_limit():,} characters"
        return Problem(location, cause, Cure("check that the quote which opens it is closed"))
    cure = "a quoted cell ends with a quote, and a quote within it is doubled; the lines that follow are not read"
    return Problem(location, str(error), Cure(cure))


def read_table(source: Source, kind: str, options: TableOptions, *, delimiter: str) -> TableFile:
    """Return the table in a delimited file."""
    (piece,) = pieces(source, kind, options, sys.maxsize, delimiter=delimiter)
    return piece.file


def pieces(source: Source, kind: str, options: TableOptions, n_rows: int, *, delimiter: str) -> Iterator[Piece]:
    """Yield the table in a delimited file, about `n_rows` rows at a time.

    Decisions that depend on a whole column are made for each piece: whether empty categories are labels, and whether
    commas are decimal.
    """
    problems: Problems = []
    notes: list[str] = []
    rows = blocks(source, delimiter, problems)
    first = next(rows, None)
    new_delimiter = None if first is None else other_delimiter(first.cells, options.columns.values())
    if new_delimiter is not None:
        delimiter = new_delimiter
        notes.append(f"{source.name}: cells are between {delimiter!r}")
        problems.clear()  # rows had the wrong width with the wrong delimiter
        rows = blocks(source, delimiter, problems)
        first = next(rows, None)
    if first is None:
        refuse(problems)
        raise InputError("the file is empty", "give it a header with annotator, start, end", Location(source.name))
    names, has_header = _names(first, kind, options)
    location = Location(source.name, first.lines[0])
    if len(names) != first.width:
        raise InputError(
            f"{first.width} fields, but a file without header has {','.join(names)}",
            "quote cells with delimiters in them",
            location,
        )
    if has_header and kind == "units" and len(names) > 1:
        options, usual_names = options.resolved(location, names)
        notes += usual_names
    options.check_names(location, kind, names)
    columns = _TableColumns(kind, names, options, use_decimal_commas=delimiter != ",")
    if has_header and columns.min_width < first.width:
        # The last columns are not read: rows may be shorter or longer there.
        rows = blocks(source, delimiter, problems, min_width=columns.min_width)
        next(rows)
    if not has_header and not isinstance(options.header, tuple):
        order = f"{','.join(PYGAMMA)} (pygamma-agreement's order; a first row with names says another)"
        notes.insert(0, f"{source.name}: no header: read as {order}")
    if not has_header:
        rows = chain((first,), rows)
    for block in rows:
        columns.add(block)
        if columns.n_rows >= n_rows:
            yield columns.take(source.name, notes, problems, options)
    yield columns.take(source.name, notes, problems, options)


def other_delimiter(header: list[str], columns: Iterable[str | None] = ()) -> str | None:
    """Return the delimiter of a header of one cell whose names include bounds of units, or the user's columns.

    None for other headers.
    """
    if len(header) != 1:
        return None
    named = {name for name in columns if name is not None}
    for delimiter in _DELIMITERS:
        names = [name.strip() for name in header[0].split(delimiter)]
        if has_bounds(names) or (named and named <= {*names}):
            return delimiter
    return None


def _names(first: Block, kind: str, options: TableOptions) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether the first row has them."""
    if isinstance(options.header, tuple):
        return list(options.header), False
    if not _has_header(first.cells, kind, options):
        return list(PYGAMMA), False
    return [name.strip() for name in first.cells], True


def _has_header(first: list[str], kind: str, options: TableOptions) -> bool:
    if options.header not in ("auto", True, False):
        raise SettingsError(f"header must be 'auto', True or False, not {options.header!r}")
    if kind != "units":
        return True
    if options.header is False and options.columns:
        raise SettingsError(
            "names of columns are names in the header, and without a header there are none",
            Cure("leave out {}, or let the first row name the columns", Set("columns")),
        )
    if options.header != "auto":
        return bool(options.header)
    return bool(options.columns) or not is_headerless(first)


def is_headerless(first: list[str]) -> bool:
    """Return whether a first row is pygamma's: four cells, the last two numbers, no cell the name of a column."""
    if len(first) != len(PYGAMMA) or {cell.strip() for cell in first} & {*KNOWN["units"]}:
        return False
    return number_of(first[2]) is not None and number_of(first[3]) is not None


class _TableColumns:
    """The columns of a table, to which blocks of rows are added."""

    def __init__(self, kind: str, names: list[str], options: TableOptions, *, use_decimal_commas: bool) -> None:
        self._kind = kind
        self._names = names
        self._lines = array("q")
        self._columns: dict[str, _LabelColumn | _BoundColumn] = {}
        for name, roles in options.roles(kind, names).items():
            if roles <= _NUMBER_ROLES:
                self._columns[name] = _BoundColumn(kind, use_decimal_commas=use_decimal_commas)
            else:
                self._columns[name] = _LabelColumn(roles, kind)

    @property
    def min_width(self) -> int:
        """Number of cells up to the last column that is read."""
        return 1 + max(map(self._names.index, self._columns), default=-1)

    @property
    def n_rows(self) -> int:
        """Number of rows added and not yet taken."""
        return len(self._lines)

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        for name, column in self._columns.items():
            column.add(block.cells[self._names.index(name) :: block.width])
        self._lines.extend(block.lines)

    def take(self, file: str, notes: list[str], problems: Problems, options: TableOptions) -> Piece:
        """Remove and return the rows added; columns that are not read are there, empty, for messages alone."""
        lines = self._lines
        self._lines = array("q")
        notes = [*notes, *self._notes(file)]
        columns: dict[str, ColumnValues] = {
            name: self._columns[name].take() if name in self._columns else () for name in self._names
        }
        table = Table(columns, self._kind, file, lambda row: Location(file, lines[row]))
        table_file = TableFile(table, tuple(notes), problems, options)
        if self._kind == "units":
            refuse_numbers_of_parts(table_file)
            table_file = without_missing_words(table_file)
        return Piece(table_file, np.frombuffer(lines, dtype=np.int64))

    def _notes(self, file: str) -> Iterator[str]:
        for column in self._columns.values():
            if isinstance(column, _LabelColumn) and (padded := column.padded()):
                names = few(map(repr, padded), 3)
                yield f"{file}: column {column.role}: blanks at the edge are kept as part of the name: {names}"
        if any(isinstance(column, _BoundColumn) and column.has_commas for column in self._columns.values()):
            yield f"{file}: the numbers have decimal commas"


class _Codes(dict[str, int]):
    """Codes of labels, in the order of their first occurrence."""

    def __missing__(self, label: str) -> int:
        self[label] = code = len(self)
        return code


class _LabelColumn:
    """A column of labels.

    An empty category is a label unless all categories are empty. Other empty names stay, and are refused later.
    """

    def __init__(self, roles: set[str], kind: str) -> None:
        self.role = min(roles)
        self._is_stripped = kind == "documents" and roles == {"unit"}
        self._codes = _Codes()
        self._parts: list[IntArray] = []

    def add(self, cells: list[str]) -> None:
        if self._is_stripped:
            cells = list(map(str.strip, cells))
        self._parts.append(np.fromiter(map(self._codes.__getitem__, cells), dtype=np.int64, count=len(cells)))

    def take(self) -> Coded:
        """Remove and return the labels added."""
        codes = np.concatenate([np.empty(0, dtype=np.int64), *self._parts])
        labels = self._codes
        # The returned labels keep their codes: the next rows start with new ones.
        self._parts = []
        self._codes = _Codes()
        empty = labels.get("")
        if empty is not None and (self._is_stripped or (self.role == "category" and len(labels) == 1)):
            codes[codes == empty] = UNLABELLED
        return Coded(codes, tuple(labels))

    def padded(self) -> list[str]:
        """Return the labels with blanks at the edge."""
        return [] if self._is_stripped else [label for label in self._codes if label != label.strip()]


class _BoundColumn:
    """A column of numbers; tables of documents may have empty cells.

    A cell that is no number stays as it is: `data.tables.numbers` reports it. If cells are not separated by commas,
    numbers with decimal commas are read, unless all commas of the column may separate thousands.
    """

    def __init__(self, kind: str, *, use_decimal_commas: bool) -> None:
        self._kind = kind
        self._use_decimal_commas = use_decimal_commas
        self.has_commas = False
        self._parts: list[FloatArray | list[str]] = []

    def add(self, cells: list[str]) -> None:
        if self._kind == "documents":
            cells = [cell if cell.strip() else "nan" for cell in cells]
        if self._use_decimal_commas and _may_have_decimal_commas(cells):
            self.has_commas |= not all(_THOUSANDS_COMMAS.fullmatch(cell) for cell in cells if "," in cell)
            cells = _with_points(cells) if self.has_commas else cells
        self._parts.append([*cells] if has_thousands(cells, ".") else _numbers(cells))

    def take(self) -> FloatArray | list[object]:
        """Remove and return the numbers added."""
        parts = self._parts
        self._parts = []
        if self.has_commas:  # the first blocks may have had commas that could separate thousands
            parts = [_numbers(_with_points(part)) if _is_text_with_commas(part) else part for part in parts]
        if all(isinstance(part, np.ndarray) for part in parts):
            return np.concatenate([np.empty(0), *parts])
        return [*chain.from_iterable(part if isinstance(part, list) else part.tolist() for part in parts)]


def _is_text_with_commas(part: FloatArray | list[str]) -> TypeGuard[list[str]]:
    return isinstance(part, list) and _may_have_decimal_commas(part)


def _may_have_decimal_commas(cells: list[str]) -> bool:
    """Return whether some cells have a comma, and all commas may be decimal."""
    with_comma = [cell for cell in cells if "," in cell]
    if not with_comma or not all(map(_DECIMAL_COMMA.fullmatch, with_comma)):
        return False
    return not any("." in cell for cell in cells)


def _with_points(cells: list[str]) -> list[str]:
    return [cell.replace(",", ".") for cell in cells]


def _numbers(cells: list[str]) -> FloatArray | list[str]:
    """Return the numbers in cells, or the cells if one of them is no number that float64 holds."""
    try:
        values = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        return list(map(_shortened, cells))
    is_exact = "_" not in "".join(cells) and not (np.abs(values) >= _MAX_EXACT_INTEGER).any()
    return values if is_exact else list(map(_shortened, cells))


def _shortened(cell: str) -> str:
    """Return the cell as a message can show it; a number stays the same number."""
    if len(cell) <= _MAX_NUMBER_LENGTH:
        return cell
    return repr(number_of(cell)) if number_of(cell) is not None else f"{cell[:_SHOWN_LENGTH]}…"


def write_table(
    path: Path, columns: Mapping[str, ColumnValues], _group_starts: Sequence[int] = (), *, delimiter: str
) -> None:
    """Write a table as delimited text, whole or not at all; it has no row groups."""
    cells = [_cells(values, delimiter) for values in columns.values()]
    lines = [delimiter.join(columns), *map(delimiter.join, zip(*cells, strict=True))]
    atomic_text(path, "\n".join(lines) + "\n")


def _cells(values: ColumnValues, delimiter: str) -> list[str]:
    if not isinstance(values, Coded):
        return list(map(repr, np.asarray(values).tolist()))
    labels = [quoted(label, delimiter) for label in values.labels]
    return [labels[code] for code in values.codes.tolist()]


def quoted(cell: str, delimiter: str) -> str:
    """Return the text of a cell, in quotes if they are needed."""
    # csv.writer leaves a lone carriage return bare, which is read as the end of the row.
    if cell == cell.strip() and not any(mark in cell for mark in (delimiter, '"', "\r", "\n")):
        return cell
    return '"' + cell.replace('"', '""') + '"'
