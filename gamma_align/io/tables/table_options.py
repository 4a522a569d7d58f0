"""What the user says about how a table is read."""

from __future__ import annotations

from typing import Any, NamedTuple


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
