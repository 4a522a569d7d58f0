"""Cells of rows as names, numbers and lists."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.intake.mapping import ColumnMap, Joined, Part, Reference, Value
from gamma_align.reading.intake.rows import Cell, Rows, is_blank

_NUMBER = r"(-?\d+(?:[.,]\d+)?)"
_RANGE = re.compile(rf"\s*{_NUMBER}\s*(?:[-–—:]|\.\.|,\s)\s*{_NUMBER}\s*")
_RANGE_IN_BRACKETS = re.compile(r"\s*[\[(]\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*[\])]\s*")


def range_of(cell: Cell) -> tuple[str, str] | None:
    """Return the two numbers in a cell such as "0 - 10", "0..10" or "[0, 10]", None if there are others."""
    match = _RANGE.fullmatch(str(cell)) or _RANGE_IN_BRACKETS.fullmatch(str(cell))
    return None if match is None else (match[1], match[2])


def name_of(cell: Cell) -> str | None:
    """Return a cell as a name, None if it is blank; a whole number is written without a point, as sheets have it."""
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if is_blank(cell):
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def list_of(cell: Cell) -> list[Cell] | None:
    """Return a list, or the list that a text is in JSON or Python; None if it is none."""
    if isinstance(cell, (list, tuple)):
        return [*cell]
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(cell.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, list):
            return value
    return None


def number_of(cell: Cell) -> float | None:
    """Return a cell as a number, None if it is none."""
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    try:
        return None if isinstance(cell, str) and "_" in cell else float(cell)
    except (ValueError, OverflowError):
        return None


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
