"""Tables as delimited text: CSV and TSV, UTF-8, with a header; and pygamma-agreement's CSV without one.

Conventions
-----------
* Every name and category is the string that is written, blanks around it included; "NA" and "null" are labels
  like others. Bounds may have blanks around them.
* An empty category is the label "", unless the whole column is empty: then the units have no categories.
* Rows without any text are skipped; "line" in a message is the line of the file where the row begins.
* Labels are coded and bounds are numbers as their block of rows is read; the text of a file is never held whole.

References
----------
RFC 4180; pygamma-agreement ``Continuum.from_csv`` (annotator, category, start, end).
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import numpy as np

from gamma_align._types import UNLABELLED, FloatArray, IntArray
from gamma_align.data.problem import Problems, refuse
from gamma_align.data.tables import KNOWN, Coded, Table
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files.atomic import atomic_text
from gamma_align.io.files.sources import Source
from gamma_align.io.tables.delimited_rows import Block, blocks
from gamma_align.io.tables.table_options import Options, TableFile

PYGAMMA = ("annotator", "category", "start", "end")
"""Order of the columns in a file without header."""

_BOUNDS = frozenset({"start", "end", "length"})
_EXACT = 2**53
_FEW = 20
_LONG = 400
_SHOWN = 60


def read_table(path: Path, kind: str, options: Options, *, delimiter: str) -> TableFile:
    """Return the table in a delimited file."""
    source = Source(path, options.place or path.name, options.encoding)
    problems: Problems = []
    rows = blocks(source, delimiter, problems)
    first = next(rows, None)
    if first is None:
        refuse(problems)
        raise InputError(f"{source.name}: the file is empty; it needs a header with annotator, start, end")
    header = _has_header(first.cells, kind, options)
    order = options.header if isinstance(options.header, tuple) else PYGAMMA
    names = [name.strip() for name in first.cells] if header else list(order)
    if len(names) != first.width:
        raise InputError(
            f"{source.name}, line {first.lines[0]}: {first.width} fields, but a file without header has "
            f"{','.join(names)}; quote cells with delimiters in them"
        )
    _check_names(source, first.lines[0], names, kind, options)
    columns = _Columns(source, kind, names, options)
    if not header:
        columns.add(first)
    for block in rows:
        columns.add(block)
    notes = columns.notes()
    if not header and order is not options.header:
        notes = (f"{source.name}: no header: read as {','.join(PYGAMMA)} (pygamma-agreement's order)", *notes)
    return TableFile(columns.table(), notes, problems)


def _has_header(first: list[str], kind: str, options: Options) -> bool:
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
    return not is_headerless(first, frozenset(options.columns.values()))


def is_headerless(first: list[str], names: frozenset[str] = frozenset()) -> bool:
    """Whether a first row is one of pygamma's: four cells, the last two numbers, none the name of a column."""
    if names or len(first) != len(PYGAMMA) or {cell.strip() for cell in first} & {*KNOWN["units"]}:
        return False
    return is_number(first[2]) and is_number(first[3])


def is_number(cell: str) -> bool:
    """Whether Python reads the cell as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _check_names(source: Source, line: int, names: list[str], kind: str, options: Options) -> None:
    wanted = {options.columns.get(name, name) for name in KNOWN[kind]}
    twice = [name for name in names if name in wanted and names.count(name) > 1]
    if twice:
        raise InputError(f"{source.name}, line {line}: column {twice[0]!r} is there twice; rename or delete one")
    if kind == "units" and not options.columns and not wanted & set(names):  # what is renamed is checked with the rest
        told = ", ".join(map(repr, names[:_FEW])) + (f" … ({len(names)} in all)" if len(names) > _FEW else "")
        told = told if len(told) <= _FEW * _SHOWN else f"{told[: _FEW * _SHOWN]}…"
        raise InputError(
            f"{source.name}, line {line}: none of {', '.join(KNOWN['units'])} is in the header, which is {told}; "
            f"{_cure(names)}"
        )


def _cure(names: list[str]) -> str:
    between = next((mark for mark in ";\t|," if len(names) == 1 and mark in names[0]), None)
    if between is not None:
        return f"its cells seem to be between {between!r}; save it with commas, or with tabs and the suffix .tsv"
    return (
        "give it a header (is the delimiter right?), or name your columns with columns={'annotator': '<your name>', …} "
        "(--column annotator=<your name> …)"
    )


class _Columns:
    """The columns of a table as its blocks of rows come."""

    def __init__(self, source: Source, kind: str, names: list[str], options: Options) -> None:
        self._place, self._kind = source.name, kind
        self._lines = array("q")
        self._all = names
        self._at: dict[str, int] = {}
        self._columns: dict[str, _Labels | _Bounds] = {}
        for theirs, roles in _roles(kind, names, options).items():
            self._at[theirs] = names.index(theirs)
            self._columns[theirs] = _Bounds(kind) if roles <= _BOUNDS else _Labels(roles, kind)

    def add(self, block: Block) -> None:
        """Add the rows of a block."""
        for name, column in self._columns.items():
            column.add(block.cells[self._at[name] :: block.width])
        self._lines.extend(block.lines)

    def table(self) -> Table:
        """Return the table; columns that are not read are there for messages alone."""
        lines = self._lines
        columns = {name: self._columns[name].values() if name in self._columns else () for name in self._all}
        return Table(columns, self._kind, self._place, lambda row: f"line {lines[row]}")

    def notes(self) -> tuple[str, ...]:
        """Return what to tell: labels with blanks at their edge."""
        told = []
        for column in self._columns.values():
            if isinstance(column, _Labels) and (padded := column.padded()):
                few = ", ".join(map(repr, padded[:3])) + (" …" if len(padded) > 3 else "")  # noqa: PLR2004
                told.append(
                    f"{self._place}: column {column.role}: blanks at the edge are kept as part of the name: {few}"
                )
        return tuple(told)


def _roles(kind: str, names: list[str], options: Options) -> dict[str, set[str]]:
    """Return what each column is read as; lists of annotators and documents may keep our names."""
    roles: dict[str, set[str]] = {}
    for ours in (*KNOWN[kind], *(options.more if kind == "units" else ())):
        theirs = options.columns.get(ours, ours)
        theirs = ours if kind != "units" and theirs not in names else theirs
        if theirs in names:
            roles.setdefault(theirs, set()).add(ours)
    return roles


class _Codes(dict[str, int]):
    """Labels to codes, given as they come."""

    def __missing__(self, label: str) -> int:
        self[label] = code = len(self)
        return code


class _Labels:
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

    def values(self) -> Coded:
        codes = np.concatenate([np.empty(0, dtype=np.int64), *self._parts])
        void = self._codes.get("")
        if void is not None and (self._stripped or (self.role == "category" and len(self._codes) == 1)):
            codes[codes == void] = UNLABELLED
        return Coded(codes, tuple(self._codes))

    def padded(self) -> list[str]:
        """Return the labels with blanks at the edge."""
        return [] if self._stripped else [label for label in self._codes if label != label.strip()]


class _Bounds:
    """A column of numbers; an empty cell is none, which a list of documents may have.

    A cell that is no number stays as it is: `numbers` says what is wrong with it.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._parts: list[FloatArray | list[Any]] = []

    def add(self, cells: list[str]) -> None:
        if self._kind == "documents":
            cells = [cell if cell.strip() else "nan" for cell in cells]
        try:
            values = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
            plain = "_" not in "".join(cells) and not (np.abs(values) >= _EXACT).any()
        except ValueError:
            plain = False
        self._parts.append(values if plain else list(map(_short, cells)))

    def values(self) -> FloatArray | list[Any]:
        if all(isinstance(part, np.ndarray) for part in self._parts):
            return np.concatenate([np.empty(0), *self._parts])
        return [value for part in self._parts for value in (part if isinstance(part, list) else part.tolist())]


def _short(cell: str) -> str:
    """Return the cell as a message can show it, the same number if it is one."""
    if len(cell) <= _LONG:  # no integer that float64 holds has more digits
        return cell
    return repr(float(cell)) if is_number(cell) and "_" not in cell else f"{cell[:_SHOWN]}…"


def write_table(path: Path, columns: dict[str, Any], *, delimiter: str) -> None:
    """Write a table as delimited text, whole or not at all."""
    cells = [_cells(values, delimiter) for values in columns.values()]
    lines = [delimiter.join(columns), *map(delimiter.join, zip(*cells, strict=True))]
    try:
        atomic_text(path, "\n".join(lines) + "\n")
    except UnicodeEncodeError as error:
        raise InputError(f"{path.name}: {error.object[error.start]!r} is no character UTF-8 can hold") from None


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
