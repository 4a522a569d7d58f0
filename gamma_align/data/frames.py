"""Columns as a data frame of any library, and as the table that a notebook shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

Backend = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]
FrameColumns = dict[str, Sequence[Any]]

SHOWN = 20  # rows that a notebook shows


class Framed:
    """Base of data with columns: as a data frame, and as the first rows of it in a notebook."""

    __slots__ = ()

    def to_frame(self, backend: Backend = "pandas") -> Any:  # noqa: ANN401  (the backend's own frame)
        """Return the data as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        return frame_of(self._columns(), backend)

    def _repr_html_(self) -> str:
        """Return sizes and first rows, for a notebook."""
        return html_table(self._columns(SHOWN), repr(self).strip("<>"), self._n_rows())

    def _columns(self, limit: int | None = None) -> FrameColumns:
        """Return the columns of the data frame, of the first `limit` rows if it is set."""
        raise NotImplementedError

    def _n_rows(self) -> int:
        """Return the number of rows of the data frame."""
        raise NotImplementedError


def frame_of(columns: FrameColumns, backend: Backend) -> Any:  # noqa: ANN401  (the backend's own frame)
    """Return columns as a data frame of the backend."""
    import narwhals as nw

    return nw.from_dict(columns, backend=backend).to_native()


def html_table(columns: FrameColumns, caption: str, n_rows: int | None = None) -> str:
    """Return columns as an HTML table of at most `SHOWN` rows; `n_rows` is how many there are, if not all are given."""
    from html import escape

    if n_rows is None:
        n_rows = max(map(len, columns.values()), default=0)
    rows = [*zip(*(column[:SHOWN] for column in columns.values()), strict=True)]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in rows)
    more = f"<tr><td>… {n_rows - SHOWN} more</td></tr>" if n_rows > SHOWN else ""
    return f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{body}{more}</table>"


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
