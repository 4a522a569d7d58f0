"""Tables of predefined items: CSV, TSV and Parquet, wide or long, tables of counts, contingency tables.

Conventions
-----------
* Long: columns ``item``, ``annotator`` (or ``coder``) and ``category``. Wide: a column a coder, and perhaps ``item``.
  Counts: a column a category, each cell a number of coders, and perhaps ``item``. Contingency: labels in the first row
  and first column, the first coder in rows.
* An empty cell is no judgment, and so is any of the texts in `na`. Blanks around a cell do not count. Other texts are
  labels: "NA" too, unless it is in `na`.
* Labels of a CSV file that all read as numbers are numbers, and exact: 1 and 1.0 are one category, 9007199254740992
  and 9007199254740993 are two.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gamma_align.data.build_items import ItemColumns, from_table
from gamma_align.data.item_labels import list_cells
from gamma_align.data.item_options import Options
from gamma_align.data.item_table import ItemTable
from gamma_align.data.problem import Problems, few, refuse
from gamma_align.data.tables import Table
from gamma_align.errors import InputError, Location
from gamma_align.reading.files.sources import Source
from gamma_align.reading.tables.columns import refuse_twice
from gamma_align.reading.tables.csv_tables import blocks
from gamma_align.reading.tables.parquet_tables import read_columns

DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_items(
    path: str | os.PathLike[str],
    *,
    layout: str = "auto",
    categories: Sequence[Any] | None = None,
    columns: Mapping[str, str] | None = None,
    sets: str | None = None,
    na: Sequence[str] = (),
    encoding: str | None = None,
    coders: Sequence[str] | None = None,
) -> ItemTable:
    """Return the table of items in a CSV, TSV or Parquet file.

    Parameters
    ----------
    path : path
        The file; its suffix tells the format.
    layout, categories, sets, coders
        As in `ItemTable.from_columns`.
    columns : mapping of str to str, optional
        Your names for ``item``, ``annotator`` and ``category``.
    na : sequence of str
        Texts that mean "no judgment", besides the empty cell.
    encoding : str, optional
        Of a text file without a byte-order mark that is not UTF-8.

    Raises
    ------
    InputError
        For a file that does not exist, is of another format, empty or damaged, and for data that are no table of
        items; the message names file, line (row, in Parquet) and the cure.
    SettingsError
        For an unknown `layout` or a renamed column that does not exist.
    MissingExtraError
        For Parquet without pyarrow.

    Examples
    --------
    >>> import gamma_align as ga
    >>> ga.read_items("corpora/items/dreem_dodh_epochs.parquet")
    <ItemTable: items 25440, coders 5, categories 5>
    """
    file = Path(path)
    options = Options(layout, categories, dict(columns or {}), sets, coders, from_file=True)
    if not file.exists():
        raise InputError(f"{file}: there is no such file")
    if file.is_dir():
        raise InputError(f"{file}: a folder; a table of items is one file (folders are corpora, for `measure`)")
    source = Source(file, file.name, encoding)
    if source.suffix not in (*DELIMITERS, ".parquet"):
        raise InputError(
            f"{file}: files named {source.suffix or 'without suffix'} are not read; .csv, .tsv and .parquet are"
        )
    notes: tuple[str, ...] = ()
    if source.suffix == ".parquet":
        table = _parquet(source)
    else:
        table, notes = _delimited(source, DELIMITERS[source.suffix])
    if not len(table):
        raise InputError(f"{file}: a header and no rows; there is nothing to measure")
    cells = {name: [_cell(value, frozenset(na)) for value in values] for name, values in table.columns.items()}
    result = from_table(replace(table, columns=cells), options)
    return ItemTable(*result._replace(notes=(*notes, *result.notes, *_notes(table, result))))


def _notes(table: Table, result: ItemColumns) -> tuple[str, ...]:
    """Return a note where the first row may be judgments and no header: each cell of it occurs again in its column."""
    names = [name for name in result.coders if name in table.columns]
    if result.anonymous or not names or not all(name in set(table.columns[name]) for name in names):
        return ()
    coders = few(map(repr, names), 3)
    cure = "if it is a row of judgments, put names above"
    return (f"{table.origin}: the header is taken as names of coders: {coders}; {cure}",)


def _parquet(source: Source) -> Table:
    columns = read_columns(source, lambda names: names)
    return Table.of({name: list_cells(values) for name, values in columns.items()}, "items", source.name)


def _delimited(source: Source, delimiter: str) -> tuple[Table, tuple[str, ...]]:
    """Return the cells of a delimited file, column by column, and a note if they are between another delimiter."""
    problems: Problems = []
    rows = blocks(source, delimiter, problems, blank_rows=True)
    head = next(rows, None)
    notes: tuple[str, ...] = ()
    other = None if head is None or head.width > 1 else _other_delimiter(head.cells[0])
    if other is not None:
        notes = (f"{source.name}: cells are between {other!r}",)
        problems.clear()
        rows = blocks(source, other, problems, blank_rows=True)
        head = next(rows, None)
    if head is None:
        refuse(problems)
        raise InputError(f"{source.name}: the file is empty; it needs a header")
    cells: list[list[str]] = [[] for _ in head.cells]
    lines: list[int] = []
    for block in rows:
        lines += block.lines
        for index, column in enumerate(cells):
            column.extend(block.cells[index :: block.width])
    refuse(problems)
    names = [name.strip() for name in head.cells]
    # Spreadsheets leave columns without header and cells at the end of a table, often several of them.
    filled = [index for index, name in enumerate(names) if name or any(map(str.strip, cells[index]))]
    names, cells = [names[index] for index in filled], [cells[index] for index in filled]
    refuse_twice(Location(source.name, head.lines[0]), names)
    columns = dict(zip(names, cells, strict=True))
    return Table(columns, "items", source.name, lambda row: Location(source.name, lines[row])), notes


def _other_delimiter(header: str) -> str | None:
    """Return the delimiter of a header that one cell holds, None if it has a single name."""
    return next((mark for mark in ";\t|," if mark in header), None)


def _cell(value: Any, na: frozenset[str]) -> Any:  # noqa: ANN401
    """Return a cell without blanks around its text, None where it is missing."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    return None if not text or text in na else text
