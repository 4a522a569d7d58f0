"""Cells of a table as names, numbers and lists."""

from __future__ import annotations

from gamma_align.data.item_labels import is_missing, label_name

Cell = object
"""A text, a number, None, or a list or dictionary of a tree."""


def is_blank(cell: Cell) -> bool:
    """Return whether a cell is missing, or a text without any character but blanks."""
    return not cell.strip() if isinstance(cell, str) else is_missing(cell)


def name_of(cell: Cell) -> str | None:
    """Return a cell as a name, None if it is blank; a whole number is written without a point, as sheets have it."""
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if is_missing(cell):
        return None
    return str(cell).lower() if isinstance(cell, bool) else label_name(cell)


def number_of(cell: Cell) -> float | None:
    """Return a cell as a number, None if it is none."""
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    try:
        return None if isinstance(cell, str) and "_" in cell else float(cell)
    except (ValueError, OverflowError):
        return None


def list_of(cell: Cell) -> list[Cell] | None:
    """Return a list, or the list that a text is in JSON or Python; None if it is none."""
    if isinstance(cell, (list, tuple)):
        return [*cell]
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return None
    import ast  # most cells are no lists
    import json

    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(cell.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, list):
            return value
    return None
