"""Results as CSV: what is not available is an empty cell, with its reason beside it."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gamma_align.results.values import Value


def csv_text(rows: Iterable[Sequence[str | int]]) -> str:
    """Return the rows as CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def csv_head(name: str, kind: type[Value]) -> list[str]:
    """Return the columns of a kind of values: the value under the name, its other fields under name_field."""
    return [name if field.name == "value" else f"{name}_{field.name}" for field in fields(kind)]


def csv_value(value: Value) -> list[str | int]:
    """Return the cells of a value, in the order of `csv_head`."""
    cells = (getattr(value, field.name) for field in fields(value))
    return [csv_cell(cell) if isinstance(cell, float) else ("" if cell is None else cell) for cell in cells]


def csv_cell(value: float) -> str:
    """Return a number with all its digits, or nothing."""
    return repr(float(value)) if math.isfinite(value) else ""


def csv_yes(*, said: bool) -> str:
    """Return a truth value."""
    return "true" if said else "false"


def joined_rows(tables: Sequence[list[list[str | int]]], keys: int) -> list[list[str | int]]:
    """Return tables side by side, the first `keys` columns once; a row that a table lacks is empty there.

    Parameters
    ----------
    tables : sequence of lists of rows
        Header first.
    keys : int
        How many columns say what a row is of.
    """
    by_key = [{tuple(row[:keys]): row[keys:] for row in table} for table in tables]
    widths = [len(table[0]) - keys for table in tables]
    order = dict.fromkeys(key for table in by_key for key in table)
    return [
        [*key, *(cell for table, width in zip(by_key, widths, strict=True) for cell in table.get(key, [""] * width))]
        for key in order
    ]
