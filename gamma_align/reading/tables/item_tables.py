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
from gamma_align.errors import Cure, InputError, Location, Note, Set
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import SUFFIXES as WORKBOOK_SUFFIXES
from gamma_align.reading.files.workbooks import Sheet, is_workbook, sheets
from gamma_align.reading.intake.mapping import ColumnMap, loaded, refuse_beside_map
from gamma_align.reading.tables.columns import refuse_duplicates
from gamma_align.reading.tables.csv_tables import DELIMITER_CANDIDATES, blocks
from gamma_align.reading.tables.parquet_tables import read_columns

DELIMITER_OF_SUFFIX = {".csv": ",", ".tsv": "\t"}


def read_items(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
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
    """Return the table of items in a CSV, TSV or Parquet file, in a spreadsheet, or in the files of each coder.

    Parameters
    ----------
    path : path or sequence of paths
        The file; its suffix tells the format. Or the files of each coder, or the folder that has them: tables of the
        same items, or files with a judgment in each line, such as stages of sleep.
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
    files = _paths(path)
    options = Options(layout, categories, dict(columns or {}), sets, coders, from_file=True, na=na)
    if map is not None:
        return _mapped(files, loaded(map), options, encoding)
    file = files[0]
    location = Location(str(file))
    if len(files) > 1 or file.is_dir() or _has_sheets(file):
        found = items_of_coders(files, options, encoding)
        if found is not None:
            return found
        if len(files) > 1 or file.is_dir():
            raise _not_of_coders(files)
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


def _has_sheets(file: Path) -> bool:
    """Return whether a file is a workbook in which several sheets have cells."""
    source = Source(file, file.name)
    is_of_sheets = source.suffix in WORKBOOK_SUFFIXES and is_workbook(source.head)
    return is_of_sheets and len(sheets(source.data(), source.name)) > 1


def _paths(paths: object) -> list[Path]:
    """Return a path, or a sequence of paths, as a list; InputError for anything else, and if one is not there."""
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if not isinstance(listed, (list, tuple)) or not all(isinstance(path, (str, os.PathLike)) for path in listed):
        raise InputError(
            "read_items() takes a path",
            Cure(
                "measure data in memory as they are, for example ga.krippendorff_alpha(data), or make a table with "
                "ga.ItemTable.from_columns(), from_frame(), from_records() or from_matrix()"
            ),
        )
    files = [Path(path) for path in listed]
    missing = next((file for file in files if not file.exists()), None)
    if missing is not None:
        raise InputError("there is no such file", location=Location(str(missing)))
    return files


def _not_of_coders(files: Sequence[Path]) -> InputError:
    """Return the error for a folder, or for several files, that are not read as the judgments of a coder each."""
    if len(files) == 1:
        cause = "a folder, in which files are not the judgments of a coder each"
        return InputError(cause, "name one file (folders of units are for `measure`)", Location(str(files[0])))
    return InputError(
        "the files are not the judgments of a coder each: they need the same columns and the same items",
        Cure("read one file, or say what columns mean with {}", Set("map")),
        Location(str(files[0])),
    )


def items_of_coders(paths: Sequence[Path], options: Options, encoding: str | None = None) -> ItemTable | None:
    """Return the table of files with the judgments of a coder each, None for other files."""
    from gamma_align.reading.intake.apply import items_of
    from gamma_align.reading.intake.decide import decided_items

    found = decided_items(paths, encoding)
    if found is None:
        return None
    if found.decision.question is not None:
        raise found.decision.question
    table = items_of(found.tables[0], found.decision.reading.mapping, options)
    return replace(table, notes=(found.decision.note, *table.notes))


def _mapped(files: Sequence[Path], mapping: ColumnMap, options: Options, encoding: str | None) -> ItemTable:
    """Return the table of items as a map reads it; SettingsError if an option says what the map says."""
    others = {"layout": options.layout != "auto", "columns": options.names, "coders": options.coders}
    refuse_beside_map(others)
    from gamma_align.reading.intake.read import mapped_items

    return mapped_items(files, mapping, options, encoding)


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
