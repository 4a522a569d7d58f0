"""Data of which nobody has said whether they are units or items: units if they can be read as units, else items."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from gamma_align.data import Corpus, ItemTable, Options
from gamma_align.errors import Cure, InputError, Set, UnknownMeaningError
from gamma_align.reading.files.workbooks import SUFFIXES as WORKBOOK_SUFFIXES
from gamma_align.reading.intake.judgments import cells_of
from gamma_align.reading.intake.mapping import ITEM_FORMS, READ_ITEMS, loaded
from gamma_align.reading.intake.read import name_of_paths, sources_of
from gamma_align.reading.intake.tables import SUFFIXES
from gamma_align.reading.places.walk import walk_folder
from gamma_align.reading.read import contents_at, read
from gamma_align.reading.tables.item_tables import answered_items, items_of_coders, read_items


def items_by_map(
    paths: Sequence[str | os.PathLike[str]], map: str | os.PathLike[str] | Mapping[str, object] | None
) -> ItemTable | None:
    """Return the table of items that a map reads, None if it reads units or there is no map."""
    if map is None or loaded(map).form not in ITEM_FORMS:
        return None
    return read_items(paths, map=map)


def read_either(path: str | os.PathLike[str]) -> Corpus | ItemTable:
    """Return the corpus at a path, or the table of items if no column tells of units.

    Raises
    ------
    InputError
        As `read`, if it is no table of items either.
    """
    try:
        return read(path)
    except InputError:
        table = items_instead([path])
        if table is None:
            raise
        return table


def items_instead(paths: Sequence[str | os.PathLike[str]]) -> ItemTable | None:
    """Return the table of items at paths that hold no units as far as their columns tell; None if there is none.

    Several tables may have the judgments of a coder each. Several tables of the same coders are one: their items are
    named by file and item.

    Raises
    ------
    InputError
        If it is not sure which judgments the tables of a coder each have, or what their columns mean.
    """
    if not all(map(_tells_nothing, paths)):
        return None
    files = [Path(path) for path in paths]
    try:
        return _items_of_coders(files) or _items_of_parts(files if len(files) > 1 else _tables_in(files[0]))
    except InputError as error:
        cure = error.problem.cure
        answers = [] if cure is None else [each.option for each in cure.references if isinstance(each, Set)]
        if error.proposals and {*answers} == {"map"}:
            raise  # maps are read by every command
        needed = "units need the columns annotator, start and end"
        steps = Cure(needed) if cure is None else Cure(f"{{}} reads items: {{}}; {needed}", READ_ITEMS, cure)
        question = InputError(error.problem.cause, steps, error.problem.location)
        question.proposals = error.proposals
        raise question from None


def _items_of_coders(files: Sequence[Path]) -> ItemTable | None:
    """Return the table of items in files of a coder each, None for other files."""
    options = Options(from_file=True)
    answered = answered_items(files, options)
    if answered is not None:
        return answered
    if len(files) == 1 and not files[0].is_dir():
        return None
    try:
        sources = sources_of(files, None)
    except InputError:
        return None
    return items_of_coders(sources, name_of_paths(files), options)


def _tables_in(path: Path) -> list[Path]:
    """Return a file, or the tables in a folder if none of them tells of units."""
    if not path.is_dir():
        return [path]
    files = [path / name for name in walk_folder(path).files]
    tables = [file for file in files if file.suffix.lower() in (*SUFFIXES, *WORKBOOK_SUFFIXES)]
    return tables if all(map(_tells_nothing, tables)) else []


def _items_of_parts(files: Sequence[Path]) -> ItemTable | None:
    """Return the table of items in files of the same coders, None if they hold none.

    Raises
    ------
    InputError
        If a table may be one of items, and the user has to say what its columns mean.
    """
    try:
        tables = [read_items(file) for file in files]
    except InputError as error:
        if error.proposals or all(map(_is_table, files)):
            raise
        return None
    if len(tables) < 2:  # noqa: PLR2004
        return tables[0] if tables else None
    if any({*table.coders} != {*tables[0].coders} for table in tables):
        return None
    names = [file.stem for file in files]
    if len({*names}) < len(names):
        return None
    return ItemTable.from_records(
        (f"{name}, {item}", coder, label)
        for name, table in zip(names, tables, strict=True)
        for item, coder, label in table.to_records()
    )


def _is_table(file: Path) -> bool:
    """Return whether a file is a table that can be read, whatever it means."""
    try:
        sources = sources_of([file], None) if file.is_file() else []
        return len(sources) == 1 and len(cells_of(sources[0])) > 0
    except InputError:
        return False


def _tells_nothing(path: str | os.PathLike[str]) -> bool:
    """Return whether names of columns or files do not tell what they mean; a question about units tells of units.

    A folder tells nothing: its tables are asked one by one.
    """
    if Path(path).is_dir():
        return True
    try:
        return contents_at(path).unknown is not None
    except UnknownMeaningError as error:
        return not error.proposals
    except InputError:
        return False
