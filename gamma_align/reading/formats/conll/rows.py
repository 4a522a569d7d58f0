"""Lines as rows of cells, between tabs, blanks, commas or semicolons."""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gamma_align.data import usual
from gamma_align.reading.files.line_files import numbered
from gamma_align.reading.files.sources import Source
from gamma_align.reading.tables import csv_tables

_BREAK_CELL = "-DOCSTART-"
_MIN_LISTS = 2  # tokens and tags


class Row(NamedTuple):
    """The cells of a line, its number, and its text if it may be a comment, otherwise ""."""

    number: int
    cells: list[str]
    comment: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether all cells are empty."""
        return not any(self.cells)

    @property
    def is_break(self) -> bool:
        """Whether the row begins a document without a name."""
        return next(filter(None, self.cells), "").startswith(_BREAK_CELL)

    @property
    def is_token(self) -> bool:
        """Whether the row is a token for sure; a row that looks like a comment may be a hashtag, which is one too."""
        return not (self.is_blank or self.is_break or self.comment)


def mark_of(lines: Iterable[str], suffix: str) -> str | None:
    """Return the separator of cells: a tab, a comma, a semicolon, or ``None`` for blanks.

    Commas and semicolons are separators in a ``.csv``, and if one of the names between them is usual for tokens.
    """
    filled = (line for line in lines if line.strip() and not csv_tables.SEPARATOR.fullmatch(line))
    meant = (line for line in filled if suffix == ".csv" or not line.startswith(("#", _BREAK_CELL)))
    first = next(meant, "")
    if "\t" in first:
        return "\t"
    cells = {mark: next(rows_of([first], mark), Row(1, [])).cells for mark in ",;"}
    mark = max(cells, key=lambda mark: len(cells[mark]))
    return mark if len(cells[mark]) > 1 and (suffix == ".csv" or usual(cells[mark], "token")) else None


def is_table(mark: str | None) -> bool:
    """Whether cells between these may be in quotes, and no line is a comment."""
    return mark in (",", ";")


def rows(source: Source, mark: str | None) -> Iterator[Row]:
    """Yield the rows of a file."""
    if mark is not None and is_table(mark):
        for number, cells in csv_tables.rows(source, mark):
            yield from _unfold_lists(Row(number, list(map(str.strip, cells))))
    else:
        for number, line in numbered(source):
            yield _row(number, line, mark)


def rows_of(lines: Iterable[str], mark: str | None) -> Iterator[Row]:
    """Yield the rows of the beginning of a file, up to the first that is damaged."""
    if mark is None or not is_table(mark):
        yield from (_row(number, line, mark) for number, line in enumerate(lines, 1))
        return
    try:
        meant = (line for line in lines if not csv_tables.SEPARATOR.fullmatch(line))
        for number, cells in enumerate(csv.reader(meant, delimiter=mark, strict=True), 1):
            yield from _unfold_lists(Row(number, list(map(str.strip, cells))))
    # The beginning of a file may end within quotes.
    except csv.Error:
        return


def _row(number: int, line: str, mark: str | None) -> Row:
    """Return the row of a line, divided at `mark` or at blanks."""
    cells = line.split() if mark is None else [cell.strip() for cell in line.split(mark)]
    return Row(number, cells, line.rstrip() if line.startswith("#") else "")


def _unfold_lists(row: Row) -> Iterable[Row]:
    """Return the row; if its cells are lists of one length, return a row for each item and then a blank row.

    Data frames with a sentence in each row are written so.
    """
    listed = [index for index, cell in enumerate(row.cells) if cell.startswith("[") and cell.endswith("]")]
    if len(listed) < _MIN_LISTS:
        return (row,)
    lists = {index: items for index in listed if (items := _parse_list(row.cells[index])) is not None}
    sizes = {len(items) for items in lists.values()}
    if len(lists) < len(listed) or len(sizes) > 1:
        return (row,)
    unfolded = (
        [str(lists[index][item]) if index in lists else cell for index, cell in enumerate(row.cells)]
        for item in range(sizes.pop())
    )
    return [*(row._replace(cells=cells) for cells in unfolded), Row(row.number, [])]


def _parse_list(cell: str) -> list[object] | None:
    """Return the list that a cell contains, ``None`` if it is no list."""
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list) else None
