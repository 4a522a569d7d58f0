"""Cells of rows as names, numbers and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamma_align.data import Cell, is_blank, list_of, name_of, number_of, range_of
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.intake.mapping import ColumnMap, Joined, Part, Reference, Value
from gamma_align.reading.intake.rows import Rows


def judgment_of(cell: Cell, *, has_commas: bool = False) -> Cell:
    """Return a cell as a judgment: without blanks around its text, None if it is blank, a list of labels as a set.

    A list that has a label twice stays a list, which no judgment may be. With `has_commas` it has a decimal comma.
    """
    labels = list_of(cell)
    if labels is not None and all(isinstance(label, str) for label in labels):
        names = [*map(str, labels)]
        each = frozenset(names)
        return each if len(each) == len(names) else names
    if isinstance(cell, str):
        return cell.strip().replace(",", ".") or None if has_commas else cell.strip() or None
    return None if is_blank(cell) else cell


def check_columns(rows: Rows, mapping: ColumnMap) -> None:
    """Refuse a map that needs a column which the rows do not have."""
    missing = next((name for name in mapping.used_columns if name not in rows.names), None)
    if missing is not None:
        names = ", ".join(map(repr, rows.names)) or "none"
        raise InputError(
            f"the map needs the column {missing!r}; there are {names}",
            Cure("correct {}, or give the table that it was made for", Set("map")),
            Location(rows.file),
        )


def selected(rows: Rows, mapping: ColumnMap) -> list[int]:
    """Return the rows that meet the conditions of the map."""
    kept = [*range(len(rows))]
    for column, is_equal, value in mapping.where:
        cells = rows.cells(column)
        wanted = name_of(value)
        kept = [row for row in kept if (name_of(cells[row]) == wanted) == is_equal]
    return kept


def cells_of_role(rows: Rows, reference: Reference) -> Sequence[Cell]:
    """Return the cell of each row that a reference names or makes."""
    if isinstance(reference, str):
        return rows.cells(reference)
    if isinstance(reference, Value):
        return [reference.value] * len(rows)
    if isinstance(reference, Joined):
        parts = zip(*(map(name_of, rows.cells(name)) for name in reference.columns), strict=True)
        return [None if None in names else "/".join(map(str, names)) for names in parts]
    if isinstance(reference, Part):
        ranges = map(range_of, rows.cells(reference.column))
        return [None if found is None else found[reference.part] for found in ranges]
    pairs = zip(rows.cells(reference.start), rows.cells(reference.words), strict=True)
    return [_end_of(start, words) for start, words in pairs]


def _end_of(start: Cell, words: Cell) -> Cell:
    low = number_of(start)
    return None if low is None or is_blank(words) else low + len(str(words))


def names_of_role(rows: Rows, mapping: ColumnMap, role: str) -> list[str | None]:
    """Return the name of each row in a role, with the names that the map gives; None where it has none."""
    if role not in mapping.roles:
        return [None] * len(rows)
    given: Mapping[str, str] = mapping.names.get(role, {})
    names = map(name_of, cells_of_role(rows, mapping.roles[role]))
    return [given.get(name or "", name) for name in names]
