"""Tables as HTML, with the columns that a page shows."""

from __future__ import annotations

import math
from html import escape

from gamma_align.data import decimal
from gamma_align.inference import Value
from gamma_align.present.table import NEUTRAL, Column, Priority, Table
from gamma_align.present.writers.cells import CellWriter
from gamma_align.present.writers.paper import is_left


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


class _HtmlWriter(CellWriter):
    """Writes cells for pages, without escapes; a value that is not available has its reason beside it."""

    digits = 3

    def number(self, number: float, digits: int) -> str:
        """Return a number with this number of decimals."""
        return decimal(number, digits)

    def value(self, value: Value, *, has_interval: bool) -> str:
        """Return a value with three decimals, with or without its interval."""
        if value.reason is not None:
            return f"NA ({value.reason})"
        number = decimal(value.value, self.digits)
        if not has_interval:
            return number
        if math.isnan(value.low):
            return f"{number} (no interval: {value.no_interval})" if value.no_interval else number
        note = f" ({value.interval_note})" if value.interval_note else ""
        return f"{number} [{decimal(value.low, self.digits)}, {decimal(value.high, self.digits)}]{note}"


cell_text = _HtmlWriter().cell
"""The function that returns the content of a cell of a column as text, without escapes."""
