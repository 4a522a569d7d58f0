"""How a table is read, and what comes of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from gamma_align.data.problem import Problems
from gamma_align.data.tables import Table


class Options(NamedTuple):
    """What the user says about how to read.

    `columns` is our column name to theirs; `header` is whether the first row names the columns, "auto", or their
    names where no row does; `encoding` is that of text; `more` are our names of columns of units that are read
    besides the known ones; `place` is what messages call the file, if not by its name.
    """

    columns: dict[str, str]
    header: Any = "auto"
    encoding: str | None = None
    more: tuple[str, ...] = ()
    place: str | None = None


class TableFile(NamedTuple):
    """The table in a file, what to tell about it, and rows that are none."""

    table: Table
    notes: tuple[str, ...]
    problems: Problems
