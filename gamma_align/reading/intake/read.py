"""A path read with a map: the tables there become the marks of files, or one table of items."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path, PurePosixPath

from gamma_align.data import ItemTable, Options, few
from gamma_align.errors import InputError, Location
from gamma_align.reading.contents import Contents
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import SUFFIXES as WORKBOOK_SUFFIXES
from gamma_align.reading.files.workbooks import Sheet, opened
from gamma_align.reading.intake.apply import items_of, marks_of
from gamma_align.reading.intake.cells import check_columns
from gamma_align.reading.intake.judgments import cells_of
from gamma_align.reading.intake.mapping import ColumnMap
from gamma_align.reading.intake.rows import Rows, joined
from gamma_align.reading.intake.tables import SUFFIXES, placed, table_rows
from gamma_align.reading.intake.trees import SUFFIXES as TREES
from gamma_align.reading.intake.trees import is_tree
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.places.walk import check_exists, walk_folder

_PLACES = ("@stem", "@sheet", "@name 1", "@name 2", "@folder 1", "@folder 2")


def sources_at(path: Path, encoding: str | None) -> list[Source]:
    """Return the file at a path, or the files of JSON in a folder, or the tables in it; sheets in place of workbooks.

    Raises
    ------
    InputError
        If there is no such path, or no table in the folder.
    """
    check_exists(path)
    if not path.is_dir():
        return opened(Source(path, path.name, encoding))
    files = walk_folder(path).files
    all_sources = [Source(path / file, file, encoding) for file in files]
    # Beside JSON, tables and texts are something else.
    trees = [source for source in all_sources if is_tree(source.name)]
    tables = [source for source in all_sources if source.suffix in (*SUFFIXES, *WORKBOOK_SUFFIXES)]
    sources = trees or _without_texts(tables)
    if not sources:
        raise InputError(
            f"no table is in the folder, which has {few(files) or 'no files'}",
            f"give files named {', '.join((*SUFFIXES, *WORKBOOK_SUFFIXES, *TREES))}",
            Location(str(path)),
        )
    return [*chain.from_iterable(map(opened, sources))]


def sources_of(paths: Sequence[Path], encoding: str | None) -> list[Source]:
    """Return the files at a path, as `sources_at`, or several files, named by their paths below what they share."""
    if len(paths) == 1:
        return sources_at(paths[0], encoding)
    for path in paths:
        check_exists(path)
    folder = Path(os.path.commonpath([path.absolute().parent for path in paths]))
    files = (Source(path, str(path.absolute().relative_to(folder)), encoding) for path in paths)
    return [*chain.from_iterable(map(opened, files))]


def name_of_paths(paths: Sequence[Path]) -> str:
    """Return the name of one path, or of several, in messages."""
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"


def _without_texts(sources: Sequence[Source]) -> list[Source]:
    """Return the files without those named .txt beside tables, unless they begin as a table does."""
    first_lines = {next(iter(source.head.lines), "") for source in sources if source.suffix != ".txt"}
    return [
        source
        for source in sources
        if source.suffix != ".txt" or not first_lines or next(iter(source.head.lines), "") in first_lines
    ]


def tables_at(sources: Sequence[Source], mapping: ColumnMap | None = None) -> list[Rows]:
    """Return the rows of each file, with what its path says."""
    return placed([_rows_of(source, mapping) for source in sources])


def _rows_of(source: Source, mapping: ColumnMap | None) -> Rows:
    """Return the rows of a file, as items are read without a map if the map has the names of these columns alone."""
    if mapping is None or not mapping.is_of_items or "each" in mapping.rows:
        return table_rows(source, mapping)
    needed = {*mapping.used_columns} - {*_PLACES}
    rows = cells_of(source) if is_tree(source.name) else table_rows(source, mapping)
    if needed <= {*rows.names} or "header" in mapping.rows:
        return rows
    return table_rows(source, mapping) if is_tree(source.name) else cells_of(source)


def sheets_with(sources: Sequence[Source], tables: Sequence[Rows], mapping: ColumnMap) -> list[int]:
    """Return the indexes of the tables to read: of sheets, those with the columns of the map, if there are any."""
    needed = {*mapping.used_columns}
    others = [
        isinstance(source, Sheet) and not needed <= {*table.names}
        for source, table in zip(sources, tables, strict=True)
    ]
    return [index for index, is_other in enumerate(others) if not is_other or all(others)]


def add_mapped(
    contents: Contents,
    sources: Sequence[Source],
    tables: Sequence[Rows],
    mapping: ColumnMap,
    choices: Choices,
    *,
    outside: str,
    swap: bool,
) -> None:
    """Add the units of tables, as a map reads them, to the contents, with every problem."""
    from gamma_align.reading.marks.assemble import add_marks
    from gamma_align.reading.marks.marks import Marks
    from gamma_align.reading.places.layout import Placed

    marked: list[tuple[Placed, Marks]] = []
    kept = sheets_with(sources, tables, mapping)
    for source, table in ((sources[index], tables[index]) for index in kept):
        name = source.workbook if isinstance(source, Sheet) else source.name
        fields = {"document": str(PurePosixPath(name).with_suffix("")), "annotator": source.stem}
        with contents.keeping():
            marked.append((Placed(source, fields, guessed=True), marks_of(table, mapping, choices)))
    others = [repr(source.stem) for index, source in enumerate(sources) if index not in kept]
    if others:
        contents.notes.append(f"sheets without the columns are left out: {few(others)}")
    if len(marked) == len(kept):
        add_marks(contents, marked, choices, outside=outside, swap=swap)


def mapped_items(paths: Sequence[Path], mapping: ColumnMap, options: Options, encoding: str | None) -> ItemTable:
    """Return the table of items at a path, or in several files, as a map reads it.

    Raises
    ------
    InputError
        As `items_of`, and if there is no table.
    """
    sources = sources_of(paths, encoding)
    all_tables = tables_at(sources, mapping)
    tables = [all_tables[index] for index in sheets_with(sources, all_tables, mapping)]
    for table in tables:
        check_columns(table, mapping)
    return items_of(tables[0] if len(tables) == 1 else joined(tables, name_of_paths(paths)), mapping, options)
