"""The formats of tables: alone, as a folder of units, annotations and documents, or as the files of a tool are.

The last is a document a file, or an annotator a file, or both.

Conventions
-----------
* Tidy tables (csv, tsv, parquet) have a header with ``start`` and ``end``, and what else of ``document``,
  ``annotator`` and ``category`` the place of the file does not say. Their names can be given with ``columns=``, and
  ``layer`` and ``unit`` are read where they are asked for, as in one table. A header alone is a document that its
  annotator saw and marked nothing in.
* ``pygamma`` is pygamma-agreement's CSV, headerless ``annotator,category,start,end``, one document a file; it is
  written too. It has no place for annotators without units, extents and the unit of length, which are refused.
* ``gamma-software`` is what scripts write for the gamma software and the corpus shuffling tool: headerless
  ``id,annotator,category,features,start,end``, one document a file. Ids and features are left out.

References
----------
pygamma-agreement ``Continuum.from_csv``; https://gamma.greyc.fr.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import listed
from gamma_align.data.tables import factorized
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files.sources import Head, Source
from gamma_align.io.formats import FileFormat
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import Marks
from gamma_align.io.marks.writable import as_path, lost_in_units
from gamma_align.io.tables import csv_tables, parquet_tables
from gamma_align.io.tables.csv_tables import PYGAMMA, is_headerless, is_number, quoted
from gamma_align.io.tables.table_marks import marks_of_table, more_columns
from gamma_align.io.tables.table_options import Options, TableFile

KINDS = ("units", "annotations", "documents")
"""The tables of a corpus."""

GAMMA_SOFTWARE = ("id", "annotator", "category", "features", "start", "end")
"""Order of the columns in a file for the gamma software."""

_BESIDE = ("annotations", "documents")
_LOOKED_AT = 20
_OPTIONS = {
    "columns": "your names of columns",
    "header": "whether the first row names the columns",
    "parts": "whether a column 'unit' names what parts are one unit",
}


def _rows(head: Head, delimiter: str) -> list[list[str]]:
    """Return the first rows that have text, as far as they are delimited text."""
    lines = [line for line in head.lines[: 4 * _LOOKED_AT] if line.strip()]
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):
        rows.extend(csv.reader(lines[:_LOOKED_AT], delimiter=delimiter, strict=True))
    return [row for row in rows if "".join(row).strip()]


def _is_tidy(suffix: str, delimiter: str) -> Callable[[Head], bool]:
    def matches(head: Head) -> bool:
        if head.suffix != suffix or PurePosixPath(head.name).stem in _BESIDE:
            return False
        rows = _rows(head, delimiter)
        return bool(rows) and {"start", "end"} <= {cell.strip() for cell in rows[0]}

    return matches


def _is_parquet(head: Head) -> bool:
    return head.suffix == ".parquet" and head.data.startswith(b"PAR1")


def _is_pygamma(head: Head) -> bool:
    rows = _rows(head, ",") if head.suffix == ".csv" else []
    return bool(rows) and is_headerless(rows[0]) and all(map(_is_unit, rows[1:]))


def _is_unit(row: list[str]) -> bool:
    return len(row) == len(PYGAMMA) and is_number(row[-2]) and is_number(row[-1])


def _is_gamma_software(head: Head) -> bool:
    rows = _rows(head, ",") if head.suffix == ".csv" else []
    width = len(GAMMA_SOFTWARE)
    return bool(rows) and all(len(row) == width and is_number(row[-2]) and is_number(row[-1]) for row in rows)


def _reader(name: str) -> Callable[[Source, Choices], Iterable[Marks]]:
    def read(source: Source, choices: Choices) -> Iterable[Marks]:
        given = choices.options
        columns = dict(given.get("columns") or {})
        more = more_columns(choices, columns, parts=bool(given.get("parts")))
        table = _table(source, name, columns, given.get("header", "auto"), more)
        marks = _marks(table, columns, more)
        if not {columns.get(ours, ours) for ours in ("annotator", "document")} & set(table.table.columns):
            marks.annotated()
        return (marks,)

    return read


def _marks(file: TableFile, columns: dict[str, str], more: tuple[str, ...] = ()) -> Marks:
    """Return what the table in a file says, with its notes and problems."""
    marks = marks_of_table(file.table, columns, more=more)
    marks.notes += file.notes
    marks.problems[:0] = listed(file.problems)
    return marks


def _table(source: Source, name: str, columns: dict[str, str], header: object, more: tuple[str, ...]) -> TableFile:
    how = Options(columns, header, source.encoding, more, source.name)
    try:
        return by_name(name).read_table(source.path, "units", how)
    except OSError as error:
        raise InputError(f"{source.name}: cannot be read: {error.strerror or error}") from None


def _read_pygamma(source: Source, _: Choices) -> Iterable[Marks]:
    return (_marks(_table(source, "csv", {}, PYGAMMA, ()), {}),)


def _read_gamma_software(source: Source, _: Choices) -> Iterable[Marks]:
    file = _table(source, "csv", {}, GAMMA_SOFTWARE, ("features",))
    marks = _marks(file, {})
    features = factorized(file.table, "features", nullable=True)
    filled = np.array([bool(label.strip()) for label in features.labels], dtype=np.bool_)
    if filled.any():
        marks.notes.append(
            f"{source.name}: the features of {np.count_nonzero(filled[features.codes])} units are left out"
        )
    return (marks,)


def _write_pygamma(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    lost = lost_in_units(corpus)
    if lost:
        raise InputError(
            f"pygamma's CSV would lose {', '.join(lost)}; write csv, parquet or jsonl, or the units alone: "
            "Corpus.from_records((name, *unit) for name in corpus for unit in corpus[name].units())"
        )
    for at, document in enumerate(corpus.documents):
        yield f"{as_path(document, 'document')}.csv", _pygamma(corpus.continuum(at))


def _pygamma(continuum: Continuum) -> bytes:
    units = list(continuum.units())
    labels = {unit.category for unit in units}
    if labels == {""} or (None in labels and len(labels) > 1):
        raise InputError(
            f"document {continuum.document!r}: pygamma's CSV does not tell the category '' from none, and some units "
            "have it or none; write parquet or jsonl"
        )
    lines = [
        f"{_cell(unit.annotator)},{_cell(unit.category or '')},{_number(unit.start)},{_number(unit.end)}\n"
        for unit in units
    ]
    try:
        return "".join(lines).encode()
    except UnicodeEncodeError as error:
        told = repr(error.object[error.start])
        raise InputError(f"document {continuum.document!r}: {told} is no character UTF-8 can hold; rename it") from None


def _cell(text: str) -> str:
    # a byte-order mark that begins the file would not be read as text
    return f'"{text.replace(chr(34), 2 * chr(34))}"' if text.startswith("\ufeff") else quoted(text, ",")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) <= 2**53 else repr(value)


@dataclass(frozen=True, slots=True)
class TableFormat(FileFormat):
    """A format of tables: its files are also single tables, of units, annotations or documents.

    Attributes
    ----------
    read_table : callable
        (path, kind, options) → the table, notes and problems.
    write_table : callable
        (path, columns of the table) → nothing; the file is written whole.
    """

    read_table: Callable[[Path, str, Options], TableFile] = field(kw_only=True)
    write_table: Callable[[Path, dict[str, Any]], None] = field(kw_only=True)

    @property
    def suffix(self) -> str:
        """Suffix of its files, with the point."""
        return self.suffixes[0]


def _delimited(name: str, description: str, delimiter: str) -> TableFormat:
    return TableFormat(
        name,
        description,
        (f".{name}",),
        _is_tidy(f".{name}", delimiter),
        _reader(name),
        declares=("annotator",),
        options=_OPTIONS,
        read_table=partial(csv_tables.read_table, delimiter=delimiter),
        write_table=partial(csv_tables.write_table, delimiter=delimiter),
    )


TABLES: dict[str, TableFormat] = {
    fmt.name: fmt
    for fmt in (
        TableFormat(
            "parquet",
            "Parquet tables of units",
            (".parquet",),
            _is_parquet,
            _reader("parquet"),
            declares=("annotator",),
            extra="parquet",
            options=_OPTIONS,
            read_table=parquet_tables.read_table,
            write_table=parquet_tables.write_table,
        ),
        _delimited("csv", "comma-separated tables of units", ","),
        _delimited("tsv", "tab-separated tables of units", "\t"),
    )
}
"""The formats of tables by name; in a folder with several the first is read."""

PYGAMMA_CSV = FileFormat(
    name="pygamma",
    description=f"CSV without header as pygamma-agreement reads it ({','.join(PYGAMMA)})",
    suffixes=(".csv",),
    declares=("annotator",),
    matches=_is_pygamma,
    read=_read_pygamma,
    write=_write_pygamma,
)
GAMMA_SOFTWARE_CSV = FileFormat(
    name="gamma-software",
    description=f"CSV without header for the gamma software ({','.join(GAMMA_SOFTWARE)})",
    suffixes=(".csv",),
    declares=("annotator",),
    matches=_is_gamma_software,
    read=_read_gamma_software,
)

FORMATS: tuple[FileFormat, ...] = (*TABLES.values(), GAMMA_SOFTWARE_CSV, PYGAMMA_CSV)
"""For the registry of all formats (`gamma_align.io.formats`)."""


def by_name(name: str) -> TableFormat:
    """Return the format of tables called `name`."""
    if name not in TABLES:
        raise SettingsError(f"format must be one of {', '.join(map(repr, TABLES))}, not {name!r}")
    return TABLES[name]


def by_suffix(path: Path) -> TableFormat | None:
    """Return the format of tables that files named like `path` have, or ``None``."""
    suffix = path.suffix.lower()
    return next((fmt for fmt in TABLES.values() if fmt.suffix == suffix), None)
