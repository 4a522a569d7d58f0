"""Workbooks of spreadsheets (.xlsx, .xls, .ods): each sheet as a file of comma-separated text.

Conventions
-----------
* The line of a row is its number in the sheet. Rows above the table, such as a title, are blank lines.
* The table begins with the first row that is nearly as wide as the widest one and whose cells are different texts.
* A whole number has no point, a date is written as in ISO 8601, a time or a duration as ``0:01:03.58``; an empty cell
  is an empty text. A formula is its last result.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path

from gamma_align.data import number_of
from gamma_align.errors import InputError, Location, MissingExtraError
from gamma_align.reading.files import archives
from gamma_align.reading.files.sources import HEAD, Head, Source

SUFFIXES = (".xlsx", ".ods", ".xls", ".xlsm", ".xlsb")
_SIGNATURES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # zip; OLE 2, which older workbooks are
_INSPECTED_ROWS = 60  # the table begins among the first rows
_MIN_NAMED_SHARE = 0.6  # of the width of the table, for a row of names
_MAX_CELLS = 50_000_000  # in the rectangle of a sheet; readers hold all of it
_MAX_REPEATED = 100_000  # times that a cell or row with a value is repeated
_CELL_NAME = re.compile(rb'<c\b[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
_REPEATED_CELL = re.compile(rb'<table:table-cell\b(?=[^>]*office:value-type)[^>]*columns-repeated="(\d+)"')
_REPEATED_ROW = re.compile(
    rb'<table:table-row\b[^>]*rows-repeated="(\d+)"[^>]*>(?:(?!</table:table-row>).)*?value-type', re.DOTALL
)
_SECONDS_PER_MINUTE = 60


def is_workbook(head: Head) -> bool:
    """Return whether a file is a workbook, by its suffix and its first bytes."""
    return head.suffix in SUFFIXES and head.data.startswith(_SIGNATURES)


class Sheet(Source):
    """One sheet of a workbook, as comma-separated text."""

    def __init__(self, workbook: str, title: str, rows: Sequence[Sequence[object]]) -> None:
        super().__init__(Path(f"{title}.csv"), f"{workbook}, sheet {title!r}")
        self.title = title
        self.workbook = workbook
        self._text = _delimited(rows)

    @property
    def suffix(self) -> str:
        """The suffix of comma-separated text."""
        return ".csv"

    @property
    def stem(self) -> str:
        """The title of the sheet."""
        return self.title

    def open(self) -> io.BufferedReader:
        """Open the text as bytes."""
        return io.BufferedReader(io.BytesIO(self.data()))

    def data(self) -> bytes:
        """Return the text in UTF-8."""
        return self._text.encode("utf-8", "replace")

    @property
    def head(self) -> Head:
        """The beginning of the text."""
        return Head(self.name, self.suffix, self.data()[:HEAD], self.open)

    @property
    def is_empty(self) -> bool:
        """Whether the sheet has no cell with a text."""
        return not self._text.strip()


def sheets(data: bytes, name: str) -> list[Sheet]:
    """Return the sheets of a workbook that are not empty; `name` is the name of the file in messages.

    Raises
    ------
    InputError
        If the workbook is damaged, protected by a password, or larger than a spreadsheet shows.
    MissingExtraError
        If python-calamine is not installed.
    """
    try:
        import python_calamine
    except ImportError as error:
        raise MissingExtraError("python-calamine", "spreadsheets", "reading spreadsheets") from error
    location = Location(name)
    if zipfile.is_zipfile(io.BytesIO(data)):
        _check_size(data, name)
    try:
        workbook = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        grids = {
            title: workbook.get_sheet_by_name(title).to_python(skip_empty_area=False) for title in _titles(workbook)
        }
    except python_calamine.PasswordError:
        raise InputError("the workbook is protected by a password", "save it without one", location) from None
    except (python_calamine.CalamineError, OSError, ValueError, OverflowError) as error:
        raise InputError(f"the workbook cannot be read: {error}", "save it again", location) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of the library's Rust code, which derives no class of Python's
            raise
        raise InputError("the workbook is damaged", "save it again", location) from None
    return [sheet for title, rows in grids.items() if not (sheet := Sheet(name, title, rows)).is_empty]


def opened(source: Source) -> list[Source]:
    """Return the sheets of a workbook that are not empty, and any other file as it is; errors are as of `sheets`."""
    return [*sheets(source.data(), source.name)] if is_workbook(source.head) else [source]


def _titles(workbook: object) -> Iterator[str]:
    """Yield the names of the sheets with cells: others are charts or programs."""
    for about in getattr(workbook, "sheets_metadata", ()):
        if str(about.typ).endswith("WorkSheet"):
            yield about.name


def _check_size(data: bytes, name: str) -> None:
    """Refuse a workbook whose cells would fill the memory: few bytes may declare a cell in the last row and column."""
    for member in archives.members_in(data, name):
        if not member.inside.endswith(".xml"):
            continue
        content = member.data()
        columns = 0
        rows = 0
        for column, row in _CELL_NAME.findall(content):
            columns = max(columns, _column_number(column))
            rows = max(rows, int(row))
        repeated = (*_REPEATED_CELL.findall(content), *_REPEATED_ROW.findall(content))
        if columns * rows > _MAX_CELLS or any(map(_is_many, repeated)):
            raise InputError(
                f"a sheet ({member.inside}) reaches as far as no table does",
                "copy the table into a new sheet",
                Location(name),
            )


def _is_many(count: bytes) -> bool:
    return len(count) > len(str(_MAX_REPEATED)) or int(count) > _MAX_REPEATED


def _column_number(name: bytes) -> int:
    """Return the number of a column, 1 for A."""
    number = 0
    for letter in name:
        number = 26 * number + letter - ord("A") + 1
    return number


def _delimited(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as comma-separated text, with blank lines above the table."""
    table = [[_text(cell) for cell in row] for row in rows]
    begin = _header(table)
    used = max((1 + index for row in table for index, cell in enumerate(row) if cell), default=0)
    out = io.StringIO()
    out.write("\n" * begin)
    writer = csv.writer(out, lineterminator="\n")
    for row in table[begin:]:
        # A row of a single empty cell would be written as quotes.
        cells = [cell.replace("\r\n", " ").replace("\n", " ").replace("\r", " ") for cell in row[:used]]
        if any(cells):
            writer.writerow(cells)
        else:
            out.write("\n")
    return out.getvalue()


def _header(table: Sequence[Sequence[str]]) -> int:
    """Return the index of the row with the names of columns, 0 if none looks so."""
    first = table[:_INSPECTED_ROWS]
    width = max((sum(map(bool, row)) for row in first), default=0)
    for index, row in enumerate(first):
        names = [cell for cell in row if cell]
        is_wide = len(names) >= max(min(2, width), width - 1, math.ceil(_MIN_NAMED_SHARE * width)) or (
            len(names) > 1 and len(names) >= _MIN_NAMED_SHARE * width
        )
        if is_wide:
            return index if len(set(names)) == len(names) and all(number_of(name) is None for name in names) else 0
    return 0


def _text(cell: object) -> str:
    """Return a cell as text."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1 << 53 else repr(cell)
    if isinstance(cell, time):
        return _clock(
            timedelta(hours=cell.hour, minutes=cell.minute, seconds=cell.second, microseconds=cell.microsecond)
        )
    if isinstance(cell, timedelta):
        return _clock(cell)
    if isinstance(cell, (datetime, date)):
        return cell.isoformat()
    return "" if cell is None else str(cell).strip()


def _clock(duration: timedelta) -> str:
    """Return a duration as hours, minutes and seconds."""
    minutes, seconds = divmod(duration / timedelta(seconds=1), _SECONDS_PER_MINUTE)
    hours, minutes = divmod(int(minutes), _SECONDS_PER_MINUTE)
    return f"{hours}:{minutes:02d}:{seconds:09.6f}"
