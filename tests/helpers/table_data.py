"""The data of a table as JSON and as a data frame, which those of its result should equal."""

from __future__ import annotations

from gamma_align.data.frames import frame_of
from gamma_align.inference.values import json_ready
from gamma_align.present.writers.data import frame_columns


def records(table):
    """Return a table ready for JSON: a record for each row, in which a value is a record of its fields."""
    columns = table.data_columns()
    names = [column.name for column in columns]
    return [dict(zip(names, map(json_ready, cells), strict=True)) for cells in table.cells(columns)]


def frame(table):
    """Return a table as a data frame."""
    return frame_of(frame_columns(table), "pandas")
