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
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from gamma_align.data import (
    ItemColumns,
    ItemTable,
    Options,
    Table,
    few,
    from_table,
    given_of,
    meaning_of,
    number_of,
)
from gamma_align.errors import Cure, GammaAlignError, InputError, Location, Note, Set
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import Sheet
from gamma_align.reading.intake.cells import judgment_of
from gamma_align.reading.intake.judgments import cells_of
from gamma_align.reading.intake.mapping import ColumnMap, loaded, refuse_beside_map, saved
from gamma_align.reading.intake.read import mapped_items, name_of_paths, sources_of
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.intake.tables import unnamed
from gamma_align.reading.intake.trees import is_tree
from gamma_align.reading.tables.columns import refuse_duplicates

_COMMA = re.compile(r"(-?\d+)(?:,(\d+))?")


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
    """Return the table of items in a table, a spreadsheet or records of JSON, or in the files of each coder.

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
    answered = answered_items(files, options, encoding)
    if answered is not None:
        return answered
    sources = sources_of(files, encoding)
    if len(sources) != 1:
        found = items_of_coders(sources, name_of_paths(files), options) if sources else None
        if found is None:
            raise _not_of_coders(files, sources)
        return found
    if files[0].is_dir() and sources[0].suffix == ".txt":  # texts of other files
        raise _not_of_coders(files, sources)
    return items_in(cells_of(sources[0]), options)


def _judgments_in(rows: Rows) -> dict[str, list[object]]:
    """Return the cells of each column as judgments."""
    return {name: [*map(judgment_of, cells)] for name, cells in rows.columns.items()}


def items_in(rows: Rows, options: Options) -> ItemTable:
    """Return the table of items that rows hold; errors are as of `read_items`."""
    columns = _judgments_in(rows)
    with_points = {} if options.sets is not None else _with_points(columns)
    notes: tuple[str, ...] = ()
    if with_points:
        shown = few((repr(name) for name in with_points), 3)
        notes = (f"{rows.file}: decimal commas are read as points in {shown}",)
    table = Table({**columns, **with_points}, "items", rows.file, rows.location)
    try:
        # Names that the user knows are names.
        if options.layout == "auto" and not options.names and options.coders is None:
            _refuse_judgments_above(rows)
        result = from_table(table, options)
    except InputError as error:
        numbers = "comma" if with_points else "plain"
        error.proposals = tuple(_proposals(error.problem.cure, table, options, rows, numbers))
        raise
    return ItemTable(*result._replace(notes=(*notes, *result.notes, *_notes(table, result))))


def as_periods(rows: Rows) -> ColumnMap | None:
    """Return the map that reads runs of equal judgments as units, such as the stages of a night, None for other tables.

    The rows of a table with a column for each coder follow each other if their items are numbered, in each document if
    another column names those.
    """
    given = given_of(Table(_judgments_in(rows), "items", rows.file, rows.location), Options(from_file=True))
    meaning = meaning_of(given)
    *document, number = meaning.item or ("",)
    if meaning.layout != "wide" or len(document) > 1 or not number or not given.profiles[number].is_counter:
        return None
    roles = dict(zip(["document"], document, strict=False))
    return ColumnMap("epochs", roles, {coder: {"category": coder} for coder in meaning.columns})


def _proposals(
    cure: Cure | None, table: Table, options: Options, rows: Rows, numbers: str
) -> Iterator[dict[str, object]]:
    """Yield the map of each answer in a cure, if it needs no second question."""
    from gamma_align.reading.intake.apply import items_of, map_of

    for answer in [] if cure is None else cure.references:
        if not isinstance(answer, Set) or answer.value is None:
            continue
        try:
            if answer.option == "map":
                mapping: ColumnMap | None = loaded(str(answer.value))
            else:
                answered = {"names" if answer.option == "columns" else answer.option: answer.value}
                read = replace(options, **answered)  # type: ignore[arg-type]
                missing = (read.na,) if isinstance(read.na, str) else tuple(read.na)
                mapping = map_of(meaning_of(given_of(table, read)), missing=missing, numbers=numbers)
            if mapping is not None:
                items_of(rows, mapping, options)
                yield mapping.to_json()
        except (GammaAlignError, TypeError):  # another question, or an option that no map has
            continue


def _with_points(columns: Mapping[str, list[object]]) -> dict[str, list[object]]:
    """Return the columns of numbers with decimal commas, with points; "1,2" may also list the labels 1 and 2."""
    found: dict[str, list[object]] = {}
    parts: set[tuple[str, str]] = set()
    whole: set[str] = set()
    for name, cells in columns.items():
        texts = {cell for cell in cells if isinstance(cell, str)}
        matches = [_COMMA.fullmatch(text) for text in texts]
        if texts and all(matches):
            pairs = {(match[1], match[2]) for match in matches if match is not None and match[2]}
            whole |= texts
            parts |= pairs
            if pairs:
                found[name] = [cell.replace(",", ".") if isinstance(cell, str) else cell for cell in cells]
    are_lists = len({second for _, second in parts}) > 1 and all(
        second in whole and int(first) < int(second) for first, second in parts
    )
    return {} if are_lists else found


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


def _not_of_coders(files: Sequence[Path], sources: Sequence[Source]) -> InputError:
    """Return the error for several files or sheets that are not read as the judgments of a coder each."""
    location = Location(str(files[0]))
    sheets = [source for source in sources if isinstance(source, Sheet)]
    if len(files) > 1:
        return InputError(
            "the files are not the judgments of a coder each: they need the same columns and the same items",
            Cure("read one file, or say what columns mean with {}", Set("map")),
            location,
        )
    if files[0].is_dir():
        cause = "a folder, in which files are not the judgments of a coder each"
        return InputError(cause, "name one file (folders of units are for `measure`)", location)
    titles = few((repr(sheet.title) for sheet in sheets), 5)
    return InputError(
        f"the workbook has {len(sheets)} sheets with cells ({titles})" if sheets else "the workbook has no cells",
        "save the sheet with the judgments as a workbook of its own",
        location,
    )


def answered_items(paths: Sequence[Path], options: Options, encoding: str | None = None) -> ItemTable | None:
    """Return the answers about whole texts that an annotation tool has written, None for other files."""
    if not all(path.is_dir() or is_tree(path.name) for path in paths):
        return None
    from gamma_align.reading.formats.potato import answers_in

    answers = answers_in(paths, encoding)
    if answers is None:
        return None
    schemas = [name for name in answers.columns if name not in ("item", "annotator")]
    names = {"category": schemas[0]} if len(schemas) == 1 else {}
    return items_in(answers, replace(options, names={**names, **options.names}))


def items_of_coders(sources: Sequence[Source], name: str, options: Options) -> ItemTable | None:
    """Return the table of files with the judgments of a coder each, None for other files; `name` is for messages."""
    from gamma_align.reading.intake.apply import items_of
    from gamma_align.reading.intake.decide import decided_items

    found = decided_items(sources, name)
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
    return mapped_items(files, mapping, options, encoding)


def _notes(table: Table, result: ItemColumns) -> tuple[str, ...]:
    """Return a note if the first row may be judgments and no header: all its cells occur again in their columns."""
    names = [name for name in result.coders if name in table.columns]
    if result.anonymous or not names or not all(name in set(table.columns[name]) for name in names):
        return ()
    cause = f"{table.origin}: the header is taken as names of coders: {few(map(repr, names), 3)}"
    return (Note(cause, Cure("if it is a row of judgments, put names above")),)


def _refuse_judgments_above(rows: Rows) -> None:
    """Raise InputError if the cells of the first row occur again in all columns that repeat values."""
    columns = [(name, [str(cell).strip() for cell in cells]) for name, cells in rows.columns.items()]
    is_unnamed = [*rows.columns] == unnamed(len(columns))
    if is_unnamed:  # the first line repeats a name
        columns = [(first, cells) for _, (first, *cells) in columns]
    values = [{*cells} for _, cells in columns]
    repeating = [index for index, (_, cells) in enumerate(columns) if 2 * len(values[index]) <= len(cells)]
    judged = repeating or [*range(len(columns))]
    names = [columns[index][0] for index in judged]
    is_repeated = len(repeating) > 1 and all(columns[index][0] in values[index] for index in repeating)
    if is_unnamed and not is_repeated:
        refuse_duplicates(Location(rows.file, rows.where[0]), [name for name, _ in columns if name])
    has_fractions = any("." in name and number_of(name) is not None for name, _ in columns)
    is_numbering = names in ([str(number + first) for number in range(len(names))] for first in (0, 1))
    if not has_fractions and (is_numbering or not is_repeated):
        return
    all_cells = [[name, *cells] for name, cells in columns]
    roles = _map_without_header(all_cells, judged)
    clauses = "if no line names the columns, set {}"
    answers = [Set("map", saved(roles, indent=None).strip())]
    if len({*names}) == len(names):
        clauses += "; if it names coders, set {}"
        answers.append(Set("coders", names))
    shown = few((repr(name) for name, _ in columns), 3)
    reason = "numbers with fractions are no names" if has_fractions else "its cells occur again in their columns"
    raise InputError(
        f"the first line may have judgments and no names ({shown}): {reason}",
        Cure(clauses, *answers),
        Location(rows.file),
    )


def _map_without_header(columns: Sequence[Sequence[str]], judged: Sequence[int]) -> ColumnMap:
    """Return a map of a table without header: long if two columns name each row of three, otherwise wide."""
    rows: dict[str, object] = {"header": None}
    names = unnamed(len(columns))
    repeating = [index for index in judged if 2 * len({*columns[index]}) <= len(columns[index])]
    for pair in combinations(repeating, 2) if len(columns) == 3 else ():  # noqa: PLR2004  (item, annotator, category)
        if len({*zip(*(columns[index] for index in pair), strict=True)}) == len(columns[0]):
            item, annotator = sorted(pair, key=lambda index: -len({*columns[index]}))
            category = ({0, 1, 2} - {*pair}).pop()
            roles = {"item": names[item], "annotator": names[annotator], "category": names[category]}
            return ColumnMap("items-long", roles, rows=rows)
    item_roles = {} if 0 in judged else {"item": names[0]}
    sets = {names[index]: {"category": names[index]} for index in judged}
    return ColumnMap("items-wide", item_roles, sets, rows=rows)
