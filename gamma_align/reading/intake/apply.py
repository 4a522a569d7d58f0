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

from gamma_align.data import CODERS_IN_ROWS, Cell, ItemTable, Meaning, Options, Table, built, factorized, given_of
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.intake.cells import cells_of_role, check_columns, judgment_of, names_of_role, selected
from gamma_align.reading.intake.forms import Owner, Units, epochs_of, units_of
from gamma_align.reading.intake.mapping import ColumnMap, Joined
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.intake.trees import is_tree
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
    marks.tells_seen |= bool(units.seen) or is_tree(rows.file)
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
    table, meaning = _item_table(rows, mapping)
    na = (*mapping.missing, *given.na)
    read = Options(meaning.layout, given.categories, sets=given.sets, from_file=True, na=na)
    return ItemTable(*built(given_of(table, read), meaning))


def _item_table(rows: Rows, mapping: ColumnMap) -> tuple[Table, Meaning]:
    """Return the columns of judgments and of names of items and coders, and what they mean."""
    if mapping.form == "epochs":
        return _of_epochs(rows, mapping)
    of_coders = {name: columns["category"] for name, columns in mapping.sets.items()}
    judged = of_coders or {name: name for name in mapping.columns}
    columns: dict[str, list[Cell]] = {name: _judgments(rows.cells(column), mapping) for name, column in judged.items()}
    item = _free_name("item", judged)
    roles: dict[str, list[Cell]] = {
        role: [*names_of_role(rows, mapping, role)] for role in ("item", "document", "annotator")
    }
    if mapping.form == "items-long" and "item" not in mapping.roles:
        columns[item] = _numbers_of_judgments(rows, mapping)
    elif "item" in mapping.roles:
        columns[item] = roles["item"]
    if "document" in mapping.roles:
        names = columns.get(item) or [*range(1, len(rows) + 1)]
        columns[item] = [f"{document}, {name}" for document, name in zip(roles["document"], names, strict=True)]
    meaning = Meaning(_LAYOUTS[mapping.form], (item,) if item in columns else (), tuple(judged))
    if mapping.form == "items-long":
        columns["category"] = _judgments(cells_of_role(rows, mapping.roles["category"]), mapping)
    elif "category" in mapping.roles:  # labels of the rows of a contingency table stand first
        columns = {item: [*names_of_role(rows, mapping, "category")], **columns}
    if "annotator" in mapping.roles:
        annotator = _free_name("annotator", columns)
        columns[annotator] = roles["annotator"]
        meaning = meaning._replace(annotator=annotator, category="category")
    kept = selected(rows, mapping)
    columns = {name: [cells[row] for row in kept] for name, cells in columns.items()}
    return Table(columns, "items", rows.file, lambda row: rows.location(kept[row])), meaning


_LAYOUTS = {
    "items-long": "long",
    "items-wide": "wide",
    "items-transposed": CODERS_IN_ROWS,
    "counts": "counts",
    "contingency": "contingency",
}
"""The layout of each form of items but epochs."""


def map_of(meaning: Meaning, **modifiers: object) -> ColumnMap | None:
    """Return the map that says what the columns of a table of items mean, None if coders in rows have no names."""
    form = {layout: form for form, layout in _LAYOUTS.items()}[meaning.layout]
    item = meaning.item[0] if len(meaning.item) == 1 else Joined(meaning.item)
    named = {"annotator": meaning.annotator, "category": meaning.category}
    roles = {**({"item": item} if meaning.item else {}), **{role: name for role, name in named.items() if name}}
    sets = {name: {"category": name} for name in meaning.columns} if form == "items-wide" else {}
    if form == "items-transposed" and meaning.annotator is None:
        return None
    return ColumnMap(form, roles, sets, () if sets else meaning.columns, **modifiers)  # type: ignore[arg-type]


def _judgments(cells: Iterable[Cell], mapping: ColumnMap) -> list[Cell]:
    return [judgment_of(cell, has_commas=mapping.numbers == "comma") for cell in cells]


def _numbers_of_judgments(rows: Rows, mapping: ColumnMap) -> list[Cell]:
    """Return the number of each row among those of its document and annotator, from 1."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    numbers: list[Cell] = []
    for owner in zip(names_of_role(rows, mapping, "document"), names_of_role(rows, mapping, "annotator"), strict=True):
        counts[owner] += 1
        numbers.append(counts[owner])
    return numbers


def _of_epochs(rows: Rows, mapping: ColumnMap) -> tuple[Table, Meaning]:
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
    table = Table(columns, "items", rows.file, lambda _: Location(rows.file))
    return table, Meaning("wide", (item,), tuple(annotators))


def _free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that no other column has."""
    taken = {*taken}
    while name in taken:
        name += " of the row"
    return name
