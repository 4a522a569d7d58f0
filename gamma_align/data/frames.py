"""Columns as a data frame of any library, and as the table that a notebook shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, cast

Backend = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]
FrameColumn = Sequence[Any]
"""A column of a data frame."""

FrameColumns = dict[str, FrameColumn]
"""Columns of a data frame by name."""

MAX_ROWS_SHOWN = 20
"""Number of rows that a notebook shows."""


class Frame(Protocol):
    """A data frame of any library that narwhals supports."""

    @property
    def columns(self) -> Iterable[object]:
        """The columns or their names, depending on the library."""
        ...


class Framed:
    """Base of data with columns: converts to a data frame, and shows its first rows in a notebook."""

    __slots__ = ()

    def to_frame(self, backend: Backend = "pandas") -> Frame:
        """Return the data as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        return frame_of(self._columns(), backend)

    def _repr_html_(self) -> str:
        """Return sizes and first rows, for a notebook."""
        return html_table(self._columns(MAX_ROWS_SHOWN), repr(self).strip("<>"), self._n_rows())

    def _columns(self, limit: int | None = None) -> FrameColumns:
        """Return the columns of the data frame; only the first `limit` rows if it is set."""
        raise NotImplementedError

    def _n_rows(self) -> int:
        """Return the number of rows of the data frame."""
        raise NotImplementedError


def frame_of(columns: FrameColumns, backend: Backend) -> Frame:
    """Return columns as a data frame of the backend."""
    import narwhals as nw

    return cast("Frame", nw.from_dict(columns, backend=backend).to_native())


def html_table(columns: FrameColumns, caption: str, n_rows: int | None = None) -> str:
    """Return the first rows of columns as an HTML table; `n_rows` is the number of all rows if not all are passed."""
    from html import escape

    if n_rows is None:
        n_rows = max(map(len, columns.values()), default=0)
    rows = [*zip(*(column[:MAX_ROWS_SHOWN] for column in columns.values()), strict=True)]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in rows)
    more = f"<tr><td>… {n_rows - MAX_ROWS_SHOWN} more</td></tr>" if n_rows > MAX_ROWS_SHOWN else ""
    return f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{body}{more}</table>"


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
