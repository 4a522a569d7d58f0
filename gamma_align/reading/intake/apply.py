"""The application of a map to rows: units as `Marks`, which formats yield, or judgments as an `ItemTable`.

The only place where rows of tables and trees become units or items. A reader of a format whose columns are known has
its map as a constant and ends in `marks_of`::

    MAP = ColumnMap("row", {"start": "begin", "end": "end", "category": "code", "annotator": "coder"})

    def _read(source, choices):
        return (marks_of(rows_in(source), MAP, choices),)

What a map does not name stays ``None``: the path or the user names documents and annotators, as for every format. All
checks of units are those of tables (`data.build`), with the line of each row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from gamma_align.data import LONG, ItemTable, Options, Table, factorized, from_table
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.intake.cells import cells_of_role, check_columns, name_of, names_of_role, selected
from gamma_align.reading.intake.forms import Owner, Units, epochs_of, units_of
from gamma_align.reading.intake.mapping import ColumnMap
from gamma_align.reading.intake.rows import Cell, Rows, is_blank
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.tables.columns import LAYER, PART, TableFile, TableOptions, without_missing_words
from gamma_align.reading.tables.table_formats import marks_of_table


def marks_of(rows: Rows, mapping: ColumnMap, choices: Choices | None = None) -> Marks:
    """Return the units in rows, with what was seen, texts and extents; rows that are no units are problems of it.

    `choices` give the texts of documents, if rows tell units by their words alone, and words for no category.

    Raises
    ------
    InputError
        If a column of the map is not there, if the map reads items, or if the text of a quote is not known.
    """
    if mapping.is_of_items:
        raise InputError(
            f"the form {mapping.form!r} reads judgments of items, not units",
            Cure("measure them as items, or correct {}", Set("map")),
            Location(rows.file),
        )
    check_columns(rows, mapping)
    choices = choices or Choices()
    texts = _texts(rows, mapping, choices)
    units = units_of(rows, mapping, texts)
    file = _table_file(rows, mapping, units, choices)
    marks = marks_of_table(file.table, file.options)
    marks.notes = [*file.notes, *marks.notes]
    for note in units.notes:
        marks.note(note)
    for problem in units.problems:
        marks.problem(*problem)
    marks.length_unit = units.length_unit
    if mapping.end == "exclusive" and units.texts:
        marks.surface = {index: quote for index, row in marks.part.items() if (quote := units.quote[int(row)])}
    marks.part = {}
    for owner in units.seen:
        marks.annotated(*owner)
    marks.texts.update({(owner.document, owner.annotator): text for owner, text in units.texts.items()})
    marks.extents.update(units.extents)
    return marks


def _texts(rows: Rows, mapping: ColumnMap, choices: Choices) -> Mapping[str, str]:
    """Return the texts that the user gives, by document, if units are told by their words."""
    if mapping.form != "quotes" or choices.texts is None or "text" in mapping.roles:
        return {}
    from gamma_align.reading.texts import texts_of

    documents = dict.fromkeys(name for name in names_of_role(rows, mapping, "document") if name is not None)
    texts = texts_of(choices.texts, documents, choices.encoding)
    return {name: text for name, text in texts.items() if text is not None}


def _table_file(rows: Rows, mapping: ColumnMap, units: Units, choices: Choices) -> TableFile:
    """Return the units as a table with our names of columns, without words that mean no category."""
    bound = "duration" if units.has_durations else "end"
    columns: dict[str, object] = {"start": units.start, bound: units.end, PART: [*map(str, range(len(units.start)))]}
    for role in Owner._fields:
        names = [getattr(owner, role) for owner in units.owner]
        if any(name is not None for name in names):
            columns[role] = names
    if any(category is not None for category in units.category):
        columns["category"] = units.category
    table = Table(columns, "units", rows.file, lambda row: Location(rows.file, units.where[row]))
    if "category" in columns:
        table = table.with_column("category", factorized(table, "category", nullable=True))
    absent = dict.fromkeys(
        role for role in ("document", "annotator", "category", "duration", "end") if role not in columns
    )
    extra = (PART, LAYER) if LAYER in columns else (PART,)
    options = TableOptions({**absent}, extra=extra, na=(*mapping.missing, *choices.na))
    return without_missing_words(TableFile(table, (), [], options))


def items_of(rows: Rows, mapping: ColumnMap, options: Options | None = None) -> ItemTable:
    """Return the judgments in rows as a table of items.

    `options` give declared categories, members of sets and words for missing judgments, as for every table of items.

    Raises
    ------
    InputError
        If a column of the map is not there, or as `ItemTable.from_columns`.
    """
    check_columns(rows, mapping)
    given = options or Options(from_file=True)
    layout, table, item = _item_table(rows, mapping)
    read = Options(
        layout,
        given.categories,
        {"item": item} if item else {},
        given.sets,
        [name for name in table.columns if name != item] if layout == "wide" else None,
        from_file=True,
        na=(*mapping.missing, *given.na),
    )
    return ItemTable(*from_table(table, read))


def _item_table(rows: Rows, mapping: ColumnMap) -> tuple[str, Table, str]:
    """Return the layout of judgments as tables of items have it, the table, and the name of its column of items."""
    kept = selected(rows, mapping)
    if mapping.form == "epochs":
        return _of_epochs(rows, mapping)
    if mapping.form == "items-transposed":
        coders = names_of_role(rows, mapping, "annotator")
        item = _free_name("item", [str(coders[row]) for row in kept])
        columns: dict[str, list[Cell]] = {item: [*mapping.columns]}
        for row in kept:
            columns[str(coders[row])] = [_judgment(rows.cells(name)[row]) for name in mapping.columns]
        return "wide", Table(columns, "items", rows.file, lambda _: Location(rows.file)), item
    if mapping.form == "items-long":
        layout = "long"
        item = "item"
        names = LONG
        columns = {role: [*names_of_role(rows, mapping, role)] for role in names[:-1]}
        if "item" not in mapping.roles:
            columns["item"] = _numbers_of_judgments(rows, mapping)
        columns[names[-1]] = [_judgment(cell) for cell in cells_of_role(rows, mapping.roles["category"])]
    else:
        layout = mapping.form.removeprefix("items-")
        of_coders = {name: columns["category"] for name, columns in mapping.sets.items()}
        judged = of_coders or {name: name for name in mapping.columns}
        item = _free_name("item", judged)
        columns = {name: [_judgment(cell) for cell in rows.cells(column)] for name, column in judged.items()}
        first = "category" if mapping.form == "contingency" else "item"
        if first in mapping.roles or "document" in mapping.roles:
            columns = {item: [*names_of_role(rows, mapping, first)], **columns}
    if "document" in mapping.roles:
        documents = names_of_role(rows, mapping, "document")
        items = columns.get(item) or [*range(1, len(rows) + 1)]
        columns[item] = [f"{document}, {name}" for document, name in zip(documents, items, strict=True)]
    columns = {name: [cells[row] for row in kept] for name, cells in columns.items()}
    table = Table(columns, "items", rows.file, lambda row: rows.location(kept[row]))
    is_named = item in columns and mapping.form in ("items-wide", "counts")
    return layout, table, item if is_named else ""


def _numbers_of_judgments(rows: Rows, mapping: ColumnMap) -> list[Cell]:
    """Return the number of each row among those of its document and annotator, from 1."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    numbers: list[Cell] = []
    for owner in zip(names_of_role(rows, mapping, "document"), names_of_role(rows, mapping, "annotator"), strict=True):
        counts[owner] += 1
        numbers.append(counts[owner])
    return numbers


def _of_epochs(rows: Rows, mapping: ColumnMap) -> tuple[str, Table, str]:
    """Return the epochs of each document as items."""
    sequences = epochs_of(rows, mapping)
    annotators = [*dict.fromkeys(owner.annotator or rows.file for owner in sequences)]
    lengths: dict[str | None, int] = {}
    for owner, epochs in sequences.items():
        lengths[owner.document] = max(len(epochs), lengths.get(owner.document, 0))
    item = _free_name("item", annotators)
    keys = [(document, epoch) for document, length in lengths.items() for epoch in range(length)]
    columns: dict[str, list[Cell]] = {
        item: [f"{epoch + 1}" if document is None else f"{document}, {epoch + 1}" for document, epoch in keys]
    }
    for annotator in annotators:
        own = {
            owner.document: epochs for owner, epochs in sequences.items() if (owner.annotator or rows.file) == annotator
        }
        columns[annotator] = [
            own[document][epoch][0] if epoch < len(own.get(document, ())) else None for document, epoch in keys
        ]
    return "wide", Table(columns, "items", rows.file, lambda _: Location(rows.file)), item


def _judgment(cell: Cell) -> Cell:
    """Return a judgment without blanks around its text, None if it is blank."""
    return name_of(cell.strip()) if isinstance(cell, str) else None if is_blank(cell) else cell


def _free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that no other column has."""
    taken = {*taken}
    while name in taken:
        name += " of the row"
    return name
