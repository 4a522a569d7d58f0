"""Tables as HTML, with the columns that a page shows."""

from __future__ import annotations

import math
from html import escape

from gamma_align.data import decimal, label_text, printable
from gamma_align.inference import Value
from gamma_align.present.table import NEUTRAL, Column, Kind, Priority, Table
from gamma_align.present.writers.paper import is_left
from gamma_align.present.writers.text import percent, probability_text

_DIGITS = 3  # decimals if a column does not set them


def html(table: Table, priority: Priority = Priority.PAGE) -> str:
    """Return a table as an element of HTML, with the columns of a priority."""
    columns = table.columns_for(priority)
    head = "".join(f'<th scope="col"{_class(column)}>{escape(column.head)}</th>' for column in columns)
    rows = "".join(f"<tr>{_cells(columns, cells)}</tr>" for cells in table.cells(columns))
    foot = "" if table.remainder is None else f"<p>{escape(table.remainder(NEUTRAL))}</p>"
    caption = escape(table.title)
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{foot}"


def _class(column: Column) -> str:
    return "" if is_left(column) else ' class="n"'


def _cells(columns: list[Column], cells: list[object]) -> str:
    pairs = zip(columns, cells, strict=True)
    return "".join(f"<td{_class(column)}>{escape(cell_text(column, cell))}</td>" for column, cell in pairs)


def cell_text(column: Column, content: object) -> str:
    """Return the content of a cell as text: a value with its interval, or the reason why it is not available."""
    if content is None:
        return column.missing
    if column.format is not None:
        return printable(column.format(content))
    if isinstance(content, Value):
        return _value_text(content, has_interval=column.kind is Kind.VALUE)
    if isinstance(content, float):
        return _number_text(column, content)
    return label_text(str(content)) if column.kind is Kind.CATEGORY else printable(str(content))


def _number_text(column: Column, number: float) -> str:
    if column.kind is Kind.SHARE:
        return percent(number)
    if column.kind is Kind.PROBABILITY:
        return probability_text(number)
    return decimal(number, _DIGITS if column.digits is None else column.digits)


def _value_text(value: Value, *, has_interval: bool) -> str:
    if value.reason is not None:
        return f"NA ({value.reason})"
    number = decimal(value.value, _DIGITS)
    if not has_interval:
        return number
    if math.isnan(value.low):
        return f"{number} (no interval: {value.no_interval})" if value.no_interval else number
    note = f" ({value.interval_note})" if value.interval_note else ""
    return f"{number} [{decimal(value.low, _DIGITS)}, {decimal(value.high, _DIGITS)}]{note}"
