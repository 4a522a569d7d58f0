"""Results as CSV: what is not available is an empty cell, with its reason beside it."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gamma_align.coefficients.values import Value


def csv_text(rows: Iterable[Sequence[str | int]]) -> str:
    """Return the rows as CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def csv_values(*values: Value) -> list[str]:
    """Return four cells a value: value, low, high, reason."""
    return [
        cell
        for value in values
        for cell in (csv_cell(value.value), csv_cell(value.low), csv_cell(value.high), value.reason or "")
    ]


def csv_cell(value: float) -> str:
    """Return a number with all its digits, or nothing."""
    return repr(float(value)) if math.isfinite(value) else ""


def csv_yes(*, said: bool) -> str:
    """Return a truth value."""
    return "true" if said else "false"


def joined_rows(tables: Sequence[list[list[str | int]]], keys: int) -> list[list[str | int]]:
    """Return tables of the same rows side by side, the first `keys` columns once.

    Parameters
    ----------
    tables : sequence of lists of rows
        Header first; rows of all tables agree in the first `keys` cells.
    keys : int
        How many columns say what a row is of.
    """
    return [[*rows[0], *(cell for row in rows[1:] for cell in row[keys:])] for rows in zip(*tables, strict=True)]
