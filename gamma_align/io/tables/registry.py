"""The formats of a table, by name and by suffix: how each is read and written.

A reader gives the columns of one table with the names of its rows, and notes; a writer takes columns and a
path.
To add a format is to write its module and add one line to `FORMATS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gamma_align.errors import SettingsError
from gamma_align.io.tables import csv_tables, parquet_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gamma_align.io.tables.table_options import Options, TableFile

KINDS = ("units", "annotations", "documents")


@dataclass(frozen=True, slots=True)
class Format:
    """One format of a table.

    Attributes
    ----------
    name : str
        What it is called in ``format=``.
    suffix : str
        Of its files, with the point.
    description : str
        What it is, for messages.
    read : callable
        (path, kind, options) → the table, notes and problems.
    write : callable
        (path, columns of the table) → nothing; the file is written whole.
    """

    name: str
    suffix: str
    description: str
    read: Callable[[Path, str, Options], TableFile]
    write: Callable[[Path, dict[str, Any]], None]


def _delimited(name: str, description: str, delimiter: str) -> Format:
    return Format(
        name=name,
        suffix=f".{name}",
        description=description,
        read=partial(csv_tables.read_table, delimiter=delimiter),
        write=partial(csv_tables.write_table, delimiter=delimiter),
    )


FORMATS: dict[str, Format] = {
    fmt.name: fmt
    for fmt in (
        Format("parquet", ".parquet", "Parquet", parquet_tables.read_table, parquet_tables.write_table),
        _delimited("csv", "comma-separated, with a header", ","),
        _delimited("tsv", "tab-separated, with a header", "\t"),
    )
}


def by_name(name: str) -> Format:
    """Return the format called `name`.

    Raises
    ------
    SettingsError
        For a name that is none.
    """
    if name not in FORMATS:
        raise SettingsError(f"format must be one of {', '.join(map(repr, FORMATS))}, not {name!r}")
    return FORMATS[name]


def by_suffix(path: Path) -> Format | None:
    """Return the format that files named like `path` have, or ``None``."""
    suffix = path.suffix.lower()
    return next((fmt for fmt in FORMATS.values() if fmt.suffix == suffix), None)
