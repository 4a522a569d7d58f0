"""Tables of predefined items: CSV, TSV, spreadsheets and Parquet, wide or long; tables of counts, contingency tables.

Conventions
-----------
* Long: columns ``item``, ``annotator`` (or ``coder``) and ``category``. Wide: a column for each coder, and perhaps
  ``item``. Counts: a column for each category, each cell a number of coders, and perhaps ``item``. Contingency: labels
  in the first row and first column, the first coder in rows.
* An empty cell is no judgment, and neither is a word for "missing", such as NA (`data.missing_words`). Blanks around a
  cell are removed.
* If all labels of a CSV file can be read as numbers, they are exact numbers: 1 and 1.0 are one category,
  9007199254740992 and 9007199254740993 are two.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gamma_align.data import ItemColumns, ItemTable, Options, Problems, Table, few, from_table, list_cells, refuse
from gamma_align.errors import Cure, InputError, Location, Note
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import SUFFIXES as WORKBOOK_SUFFIXES
from gamma_align.reading.files.workbooks import Sheet, is_workbook, sheets
from gamma_align.reading.intake.mapping import ColumnMap, loaded, refuse_beside_map
from gamma_align.reading.tables.columns import refuse_duplicates
from gamma_align.reading.tables.csv_tables import DELIMITER_CANDIDATES, blocks
from gamma_align.reading.tables.parquet_tables import read_columns

DELIMITER_OF_SUFFIX = {".csv": ",", ".tsv": "\t"}


def read_items(
    path: str | os.PathLike[str],
    *,
    layout: str = "auto",
    categories: Sequence[object] | None = None,
    columns: Mapping[str, str] | None = None,
    map: str | os.PathLike[str] | Mapping[str, object] | None = None,
    sets: str | None = None,
    na: Sequence[str] = (),
    encoding: str | None = None,
    coders: Sequence[str] | None = None,
) -> ItemTable:
    """Return the table of items in a CSV, TSV or Parquet file, or in a spreadsheet with one sheet.

    Parameters
    ----------
    path : path
        The file; its suffix tells the format. Or a folder of files with a judgment in each line, such as stages of
        sleep, whose paths name item and coder.
    layout, categories, sets, coders, na
        As in `ItemTable.from_columns`.
    columns : mapping of str to str, optional
        Your names for ``item``, ``annotator`` and ``category``.
    map : mapping or path, optional
        What the columns of a table, or of the tables in a folder, mean; as in `read`, and instead of `layout`,
        `columns` and `coders`.
    encoding : str, optional
        Encoding of a text file that is not UTF-8 and has no byte-order mark.

    Raises
    ------
    InputError
        If the file does not exist, has another format, is empty or damaged, or is no table of items. The message names
        the file, the line (in Parquet the row) and the cure.
    SettingsError
        For an unknown `layout` or a renamed column that does not exist.
    MissingExtraError
        For Parquet without pyarrow, and a spreadsheet without python-calamine.

    Examples
    --------
    >>> import gamma_align as ga
    >>> ga.read_items("corpora/items/dreem_dodh_epochs.parquet")
    <ItemTable: items 25440, coders 5, categories 5>
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(
            "read_items() takes a path",
            Cure(
                "measure data in memory as they are, for example ga.krippendorff_alpha(data), or make a table with "
                "ga.ItemTable.from_columns(), from_frame(), from_records() or from_matrix()"
            ),
        )
    file = Path(path)
    options = Options(layout, categories, dict(columns or {}), sets, coders, from_file=True, na=na)
    if map is not None:
        return _mapped(file, loaded(map), options, encoding)
    location = Location(str(file))
    if not file.exists():
        raise InputError("there is no such file", location=location)
    if file.is_dir():
        found = _folder(file, options, encoding)
        if found is not None:
            return found
        raise InputError("a folder; a table of items is one file (folders are corpora, for `measure`)", None, location)
    source = Source(file, file.name, encoding)
    if source.suffix not in (*DELIMITER_OF_SUFFIX, ".parquet", *WORKBOOK_SUFFIXES):
        raise InputError(
            f"files named {source.suffix or 'without suffix'} are not read; .csv, .tsv, .xlsx, .xls, .ods and .parquet "
            "are",
            None,
            location,
        )
    notes: tuple[str, ...] = ()
    if source.suffix == ".parquet":
        table = _parquet(source)
    elif source.suffix in WORKBOOK_SUFFIXES and is_workbook(source.head):
        table, notes = _delimited(_only_sheet(source), ",")
    else:
        table, notes = _delimited(source, DELIMITER_OF_SUFFIX.get(source.suffix, "\t"))  # .xls may be text with tabs
    if not len(table):
        raise InputError("a header and no rows; there is nothing to measure", location=location)
    cells = {name: [_cell(value) for value in values] for name, values in table.columns.items()}
    result = from_table(replace(table, columns=cells), options)
    return ItemTable(*result._replace(notes=(*notes, *result.notes, *_notes(table, result))))


def _folder(folder: Path, options: Options, encoding: str | None) -> ItemTable | None:
    """Return the table of a folder of files with a judgment in each line, None for another folder."""
    from gamma_align.reading.intake.apply import items_of
    from gamma_align.reading.intake.decide import decided_items

    found = decided_items(folder, encoding)
    if found is None:
        return None
    if found.decision.question is not None:
        raise found.decision.question
    table = items_of(found.tables[0], found.decision.reading.mapping, options)
    return replace(table, notes=(found.decision.note, *table.notes))


def _mapped(file: Path, mapping: ColumnMap, options: Options, encoding: str | None) -> ItemTable:
    """Return the table of items as a map reads it; SettingsError if an option says what the map says."""
    others = {"layout": options.layout != "auto", "columns": options.names, "coders": options.coders}
    refuse_beside_map(others)
    from gamma_align.reading.intake.read import mapped_items

    return mapped_items(file, mapping, options, encoding)


def _notes(table: Table, result: ItemColumns) -> tuple[str, ...]:
    """Return a note if the first row may be judgments and no header: all its cells occur again in their columns."""
    names = [name for name in result.coders if name in table.columns]
    if result.anonymous or not names or not all(name in set(table.columns[name]) for name in names):
        return ()
    cause = f"{table.origin}: the header is taken as names of coders: {few(map(repr, names), 3)}"
    return (Note(cause, Cure("if it is a row of judgments, put names above")),)


def _parquet(source: Source) -> Table:
    columns = read_columns(source, lambda names: names)
    return Table.of({name: list_cells(values) for name, values in columns.items()}, "items", source.name)


def _only_sheet(source: Source) -> Sheet:
    """Return the only sheet of a workbook that has cells."""
    filled = sheets(source.data(), source.name)
    if len(filled) != 1:
        titles = few((repr(sheet.title) for sheet in filled), 5)
        raise InputError(
            f"the workbook has {len(filled)} sheets with cells ({titles})" if filled else "the workbook has no cells",
            "save the sheet with the judgments as a workbook of its own",
            Location(source.name),
        )
    return filled[0]


def _delimited(source: Source, delimiter: str) -> tuple[Table, tuple[str, ...]]:
    """Return the cells of a delimited file, column by column, and a note if the delimiter is another one."""
    problems: Problems = []
    notes: tuple[str, ...] = ()
    rows = blocks(source, delimiter, problems, keep_empty=True)
    head = next(rows, None)
    new_delimiter = None if head is None or head.width > 1 else _other_delimiter(head.cells[0])
    if new_delimiter is not None:
        notes = (f"{source.name}: cells are between {new_delimiter!r}",)
        problems.clear()
        rows = blocks(source, new_delimiter, problems, keep_empty=True)
        head = next(rows, None)
    if head is None:
        refuse(problems)
        raise InputError("the file is empty", "give it a header", Location(source.name))
    cells: list[list[str]] = [[] for _ in head.cells]
    lines: list[int] = []
    for block in rows:
        lines += block.lines
        for index, column in enumerate(cells):
            column.extend(block.cells[index :: block.width])
    refuse(problems)
    named = zip(map(str.strip, head.cells), cells, strict=True)
    # Spreadsheets leave columns without header and cells at the end of a table, often several of them.
    filled = [(name, column) for name, column in named if name or any(map(str.strip, column))]
    refuse_duplicates(Location(source.name, head.lines[0]), [name for name, _ in filled])
    return Table(dict(filled), "items", source.name, lambda row: Location(source.name, lines[row])), notes


def _other_delimiter(header: str) -> str | None:
    """Return the delimiter of a header that one cell contains, None if it is a single name."""
    return next((mark for mark in DELIMITER_CANDIDATES if mark in header), None)


def _cell(value: object) -> object:
    """Return a cell without blanks around its text, None if it is empty."""
    return value.strip() or None if isinstance(value, str) else value
