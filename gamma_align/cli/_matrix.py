"""Distances of categories given as a square CSV table."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from gamma_align.distances import Matrix
from gamma_align.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def read_matrix(path: Path) -> Matrix:
    """Return the matrix in a CSV file with the labels in its first row and in its first column.

    Raises
    ------
    InputError
        For a file that cannot be read or a table that is not square, symmetric, zero on the diagonal and nowhere
        below 0; the message names file and line.
    """
    rows = read_rows(path)
    if not rows:
        raise InputError(f"{path}: the file is empty; it needs the labels in its first row and first column")
    head_line, head = rows[0]
    labels = head[1:]
    if not labels or len(set(labels)) < len(labels):
        raise InputError(f"{path}:{head_line}: the first row must hold an empty cell and then every label once")
    if len(rows) - 1 != len(labels):
        raise InputError(
            f"{path}:{rows[-1][0]}: {len(rows) - 1} rows for the {len(labels)} labels of the first row; "
            "the table must be square"
        )
    values: list[list[float]] = []
    for line, row in rows[1:]:
        values.append(_row(f"{path}:{line}", row, labels, values))
    return Matrix(labels, values)


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, with their line numbers and without blanks around cells."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True, skipinitialspace=True)
            rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    return [(line, row) for line, row in rows if any(row)]


def _row(location: str, row: list[str], labels: list[str], above: list[list[float]]) -> list[float]:
    """Return the numbers of a row, checked against the labels and the rows above."""
    own = len(above)
    if row[0] != labels[own]:
        raise InputError(f"{location}: the row is labelled {row[0]!r}, its column {labels[own]!r}; use the same order")
    if len(row) - 1 != len(labels):
        raise InputError(f"{location}: {len(row) - 1} numbers for {len(labels)} labels")
    numbers = [_number(location, label, cell) for label, cell in zip(labels, row[1:], strict=True)]
    if numbers[own] != 0:
        raise InputError(f"{location}: {labels[own]!r} against itself is {row[own + 1]}; it must be 0")
    for column, upper in enumerate(above):
        if numbers[column] != upper[own]:
            raise InputError(
                f"{location}: {labels[own]!r} against {labels[column]!r} is {numbers[column]:g}, but "
                f"{upper[own]:g} the other way round; the table must be symmetric"
            )
    return numbers


def _number(location: str, label: str, cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise InputError(f"{location}: {cell!r} in the column of {label!r} is not a number of 0 or more")
    return number
