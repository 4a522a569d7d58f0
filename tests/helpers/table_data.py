"""The data of a table as JSON and as a data frame, which those of its result should equal."""

from __future__ import annotations

import math

from gamma_align.data.frames import frame_of
from gamma_align.inference.values import Value, json_ready, value_columns


def records(table):
    """Return a table ready for JSON: a record for each row, in which a value is a record of its fields."""
    columns = table.data_columns()
    names = [column.name for column in columns]
    return [dict(zip(names, map(json_ready, cells), strict=True)) for cells in table.cells(columns)]


def frame(table):
    """Return a table as a data frame."""
    columns = table.data_columns()
    rows = [*table.cells(columns)]
    contents = {}
    for index, column in enumerate(columns):
        cells = [row[index] for row in rows]
        if not column.has_values:
            contents[column.name] = cells
            continue
        # A cell without a value still fills the columns of all fields.
        empty = column.value_type(math.nan)
        values = [cell if isinstance(cell, Value) else empty for cell in cells]
        contents |= value_columns(column.name, values, column.value_type)
    return frame_of(contents, "pandas")
