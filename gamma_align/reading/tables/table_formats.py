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
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data.build import CheckedTables, checked_bounds
from gamma_align.data.column_names import usual
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import Problems, single_problems
from gamma_align.data.tables import KNOWN, Coded, Table, factorized, known_columns, names
from gamma_align.errors import Cure, InputError, SettingsError
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.marks import Key, Marks
from gamma_align.reading.marks.writable import as_path, drop_cure, encoded, lost_in_categories, lost_in_units
from gamma_align.reading.tables import csv_tables, parquet_tables
from gamma_align.reading.tables.columns import (
    GAMMA_SOFTWARE,
    LAYER,
    PART,
    PYGAMMA,
    Piece,
    TableFile,
    TableOptions,
    more_columns,
    refuse_tags,
)
from gamma_align.reading.tables.csv_tables import SEPARATOR, is_headerless, is_number, other_delimiter, quoted
from gamma_align.reading.tables.parquet_tables import MAGIC, is_nested

TEXTS = "texts.jsonl"
"""The file of texts in a folder of tables."""

_BESIDE = ("annotations", "documents")
_LOOKED_AT = 20
_OPTIONS = {
    "columns": "your names of columns",
    "header": "whether the first row names the columns",
    "parts": "whether a column 'unit' names what parts are one unit",
}


def _rows(head: Head, delimiter: str) -> list[list[str]]:
    """Return the first rows that have text, as far as they are delimited text."""
    lines = [line for line in head.lines[: 4 * _LOOKED_AT] if line.strip() and not SEPARATOR.fullmatch(line)]
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):
        rows.extend(csv.reader(lines[:_LOOKED_AT], delimiter=delimiter, strict=True))
    return [row for row in rows if "".join(row).strip()]


def _header(head: Head, delimiter: str) -> list[str]:
    """Return the cells of the first row."""
    rows = _rows(head, delimiter)
    mark = other_delimiter(rows[0]) if rows else None
    rows = rows if mark is None else _rows(head, mark)
    return [cell.strip() for cell in rows[0]] if rows else []


def _is_tidy(suffix: str, delimiter: str) -> Callable[[Head], bool]:
    def matches(head: Head) -> bool:
        if head.suffix != suffix or PurePosixPath(head.name).stem in _BESIDE:
            return False
        header = _header(head, delimiter)
        return all(usual(header, role) for role in ("start", "end"))

    return matches


def _is_parquet(head: Head) -> bool:
    is_of_units = PurePosixPath(head.name).stem not in _BESIDE
    return is_of_units and head.suffix == ".parquet" and head.data.startswith(MAGIC) and not is_nested(head)


def _parquet_header(head: Head) -> list[str]:
    if head.opened is None:
        return []
    with contextlib.suppress(InputError), head.opened() as file:
        return parquet_tables.column_names(file)
    return []


def _is_pygamma(head: Head) -> bool:
    rows = _rows(head, ",") if head.suffix == ".csv" else []
    return bool(rows) and is_headerless(rows[0]) and all(_is_unit(row, PYGAMMA) for row in rows)


def _is_unit(row: list[str], order: tuple[str, ...]) -> bool:
    return len(row) == len(order) and is_number(row[-2]) and is_number(row[-1])


def _is_gamma_software(head: Head) -> bool:
    rows = _rows(head, ",") if head.suffix == ".csv" else []
    return bool(rows) and all(_is_unit(row, GAMMA_SOFTWARE) for row in rows)


def _reader(name: str) -> Callable[[Source, Choices], Iterable[Marks]]:
    def read(source: Source, choices: Choices) -> Iterable[Marks]:
        columns = dict(choices.options.get("columns") or {})
        more = more_columns(choices, columns, parts=bool(choices.options.get("parts")))
        options = TableOptions(columns, choices.options.get("header", "auto"), more)
        file, marks = _marks(source, name, options)
        refuse_tags(file, choices)
        if not set(map(file.options.name, ("annotator", "document"))) & set(file.table.columns):
            marks.annotated()
        return (marks,)

    return read


def _marks(source: Source, name: str, options: TableOptions) -> tuple[TableFile, Marks]:
    """Return the table in a file, and its units as marks with the notes and problems."""
    file = by_name(name).read_table(source, "units", options)
    marks = marks_of_table(file.table, file.options)
    marks.notes += file.notes
    marks.problems[:0] = single_problems(file.problems)
    return file, marks


def _read_pygamma(source: Source, _: Choices) -> Iterable[Marks]:
    return (_marks(source, "csv", TableOptions({}, PYGAMMA))[1],)


def _read_gamma_software(source: Source, _: Choices) -> Iterable[Marks]:
    file, marks = _marks(source, "csv", TableOptions({}, GAMMA_SOFTWARE, ("features",)))
    features = factorized(file.table, "features", nullable=True)
    filled = np.array([bool(label.strip()) for label in features.labels], dtype=np.bool_)
    if filled.any():
        marks.note(f"the features of {np.count_nonzero(filled[features.codes])} units are left out")
    return (marks,)


def _write_pygamma(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    continua = [corpus.continuum(index) for index in range(len(corpus))]
    lost = lost_in_units(corpus) | (lost_in_categories(corpus) if any(map(_has_void, continua)) else {})
    if lost:
        cure = Cure("write csv, parquet or jsonl, or {}", drop_cure(lost))
        raise InputError(f"pygamma's CSV would lose {', '.join(lost.values())}", cure)
    for continuum in continua:
        yield f"{as_path(continuum.document, 'document')}.csv", _pygamma(continuum)


def _has_void(continuum: Continuum) -> bool:
    """Whether an empty cell would not tell no category from the category ''."""
    labels = {unit.category for unit in continuum.units()}
    return labels == {""} or (None in labels and len(labels) > 1)


def _pygamma(continuum: Continuum) -> bytes:
    lines = [
        f"{_cell(unit.annotator)},{_cell(unit.category or '')},{_number(unit.start)},{_number(unit.end)}\n"
        for unit in continuum.units()
    ]
    return encoded("".join(lines), f"document {continuum.document!r}")


def _cell(text: str) -> str:
    # a byte-order mark that begins the file would not be read as text
    return f'"{text.replace(chr(34), 2 * chr(34))}"' if text.startswith("\ufeff") else quoted(text, ",")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) <= 2**53 else repr(value)


def marks_of_table(table: Table, options: TableOptions) -> Marks:
    """Return a table of units as marks, vectorised; rows that are no units are its problems.

    Without a column of annotators or documents, the path of the file names them.
    """
    renamed = {role: name for role, name in options.columns.items() if role in KNOWN["units"]}
    units = known_columns(table, renamed, required=("start", "end"))
    for column in options.more:
        name = options.name(column)
        if name is not None and name in table.columns:
            units = units.with_column(column, table.columns[name])
        elif column in options.columns:
            have = ", ".join(map(repr, table.columns)) or "none"
            raise InputError(f"{table.origin}: no column {name!r} for columns={{{column!r}: …}}; there are {have}")
    marks = Marks(table.origin, length_unit=None)
    problems: Problems = []
    start, end, good, _ = checked_bounds(units, problems)
    owners = {name: names(units, name, problems) for name in ("document", "annotator") if name in units.columns}
    for coded in owners.values():
        good &= coded.codes >= 0
    marks.problems = single_problems(problems)
    rows = np.flatnonzero(good)
    marks.start, marks.end = _array("d", start[rows] + 0.0), _array("d", end[rows] + 0.0)
    _fill(marks, units, owners, rows)
    return marks


def _fill(marks: Marks, units: Table, owners: Mapping[str, Coded], rows: IntArray) -> None:
    """Add the units of `rows`; equals `Marks.unit` row by row."""
    layers = factorized(units, LAYER, nullable=True) if LAYER in units.columns else None
    coded = [owners.get("document"), owners.get("annotator"), layers]
    key = np.zeros(len(rows), dtype=np.int64)
    for column in coded:
        if column is not None:
            key = key * (len(column.labels) + 1) + column.codes[rows] + 1
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    marks.keys = [Key(*(_label(column, row) for column in coded)) for row in rows[first].tolist()]
    for key_of_units in marks.keys:
        marks.annotated(*key_of_units)
    marks.key = _array("q", inverse)
    nothing = Coded(np.full(len(units), UNLABELLED, dtype=np.int64), ())
    categories = factorized(units, "category", nullable=True) if "category" in units.columns else nothing
    used, inverse = np.unique(categories.codes[rows], return_inverse=True)
    marks.labels = [None if code < 0 else categories.labels[code] for code in used.tolist()]
    marks.label = _array("q", inverse)
    marks.locations = [units.location(row).where or "" for row in rows.tolist()]
    if PART in units.columns:
        parts = factorized(units, PART, nullable=True)
        labels = (parts.labels[code] if code >= 0 else "" for code in parts.codes[rows].tolist())
        marks.part = {index: name for index, name in enumerate(labels) if name.strip()}


def _label(column: Coded | None, row: int) -> str | None:
    code = -1 if column is None else int(column.codes[row])
    return None if column is None or code < 0 else column.labels[code]


def _array(kind: str, values: Any) -> Any:  # noqa: ANN401  (an array of that kind)
    return array(kind, np.ascontiguousarray(values, dtype=np.int64 if kind == "q" else np.float64).tobytes())


def check_choices(choices: Choices, file: str) -> None:
    """Refuse what has no meaning for tables."""
    for name, value in (
        ("positions", choices.positions),
        ("offsets", choices.offsets),
        ("mismatch", choices.mismatch if choices.mismatch != "refuse" else None),
        ("align_text", choices.align_text or None),
    ):
        if value is not None:
            raise SettingsError(
                f"{name}={value!r} is for files with texts; {file} is a table, whose bounds are taken as they are"
            )
    if choices.options:
        raise SettingsError(
            f"a table has no options ({', '.join(choices.options)}), and {file} is one; columns= names its columns"
        )
    feature = next((feature for feature in (choices.layers or {}).values() if feature), None)
    if feature is not None:
        raise SettingsError(
            f"the layers of a table have no features, and {feature!r} of layers= names one; say which column is the "
            f"category with columns={{'category': {feature!r}}} (--column category={feature})"
        )


def declare(marks: Marks, checked: CheckedTables, *, annotators_named: bool) -> tuple[str, ...]:
    """Add to the marks of a table of units who saw what and how long documents are, as the tables beside it say.

    `annotators_named` is whether the table of units names annotators. Returns a note on documents that are left out.
    """
    rows, extents = checked.rows, checked.extents
    people = max(len(rows.annotators), 1)
    for pair in checked.seen.tolist():
        document, annotator = rows.documents[pair // people], rows.annotators[pair % people]
        marks.annotated(document, annotator if annotators_named else None)
    marks.length_unit = checked.length_unit
    for document, low_high in enumerate(extents.declared):
        if not np.isnan(low_high).all():
            low, high = np.where(np.isnan(low_high), extents.bounds[document], low_high).tolist()
            marks.extents[rows.documents[document]] = (low, high)
    unseen = len(rows.documents) - len(np.unique(checked.seen // people))
    return (f"{unseen} documents that nobody annotated are left out",) if unseen else ()


@dataclass(frozen=True, slots=True)
class TableFormat(FileFormat):
    """A format of tables: its files are also single tables, of units, annotations or documents.

    `read_table` returns the table of a kind in a file, `pieces` some of its rows at a time; `write_table` writes
    columns to a path, whole or not at all, and where a file has groups of rows, begins one at the rows given; `header`
    returns the names of the columns in the beginning of a file.
    """

    read_table: Callable[[Source, str, TableOptions], TableFile] = field(kw_only=True)
    pieces: Callable[[Source, str, TableOptions, int], Iterator[Piece]] = field(kw_only=True)
    write_table: Callable[[Path, dict[str, Any], Sequence[int]], None] = field(kw_only=True)
    header: Callable[[Head], list[str]] = field(kw_only=True)

    def declared(self, head: Head) -> tuple[str, ...]:
        """Return which of "annotator" and "document" the file has a column for."""
        header = self.header(head)
        return tuple(role for role in ("annotator", "document") if usual(header, role))

    @property
    def suffix(self) -> str:
        """Suffix of its files, with the point."""
        return self.suffixes[0]


def _table_format(
    name: str,
    description: str,
    matches: Callable[[Head], bool],
    extra: str | None = None,
    **functions: Any,  # noqa: ANN401
) -> TableFormat:
    return TableFormat(
        name,
        description,
        (f".{name}",),
        matches,
        _reader(name),
        declares=("annotator",),
        extra=extra,
        options=_OPTIONS,
        **functions,
    )


def _delimited(name: str, description: str, delimiter: str) -> TableFormat:
    return _table_format(
        name,
        description,
        _is_tidy(f".{name}", delimiter),
        header=partial(_header, delimiter=delimiter),
        read_table=partial(csv_tables.read_table, delimiter=delimiter),
        pieces=partial(csv_tables.pieces, delimiter=delimiter),
        write_table=partial(csv_tables.write_table, delimiter=delimiter),
    )


TABLES: dict[str, TableFormat] = {
    fmt.name: fmt
    for fmt in (
        _table_format(
            "parquet",
            "Parquet tables of units",
            _is_parquet,
            extra="parquet",
            header=_parquet_header,
            read_table=parquet_tables.read_table,
            pieces=parquet_tables.pieces,
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
"""For the registry of all formats (`gamma_align.reading.formats`)."""


def by_name(name: str) -> TableFormat:
    """Return the format of tables called `name`."""
    if name not in TABLES:
        raise SettingsError(f"format must be one of {', '.join(map(repr, TABLES))}, not {name!r}")
    return TABLES[name]


def by_suffix(path: Path) -> TableFormat | None:
    """Return the format of tables that files named like `path` have, or ``None``."""
    suffix = path.suffix.lower()
    return next((fmt for fmt in TABLES.values() if fmt.suffix == suffix), None)
