"""The formats of tables: one table, a folder of units, annotations and documents, or many files as tools write them.

In the last case a file contains one document, or the units of one annotator, or both.

Conventions
-----------
* Tidy tables (csv, tsv, parquet) have a header with ``start`` and ``end``, and with ``document``, ``annotator`` and
  ``category`` unless the path of the file determines them. Other names of columns are given with ``columns=``;
  ``layer`` and ``unit`` are read on request, as in one table. A file with a header alone is a document in which its
  annotator marked nothing.
* ``pygamma`` is pygamma-agreement's CSV, headerless ``annotator,category,start,end``, one document per file; it is also
  written. It cannot hold annotators without units, extents and the unit of length: such corpora are refused.
* ``gamma-software`` is the CSV that scripts write for the gamma software and the corpus shuffling tool: headerless
  ``id,annotator,category,features,start,end``, one document per file. Ids and features are left out.

References
----------
pygamma-agreement ``Continuum.from_csv``; https://gamma.greyc.fr.
"""

from __future__ import annotations

import contextlib
import csv
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data import (
    KNOWN,
    CheckedTables,
    Coded,
    Continuum,
    Corpus,
    Problems,
    Table,
    checked_bounds,
    factorized,
    has_bounds,
    known_columns,
    names,
    number_of,
    read_cells,
    refuse,
    single_problems,
    usual,
)
from gamma_align.data.versions import versions
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.intake.declarations import declaration_of
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.marks import Key, Marks
from gamma_align.reading.marks.writable import as_path, drop_cure, encoded, lost_in_categories, lost_in_units
from gamma_align.reading.tables import csv_tables, parquet_tables
from gamma_align.reading.tables.columns import (
    GAMMA_SOFTWARE,
    LAYER,
    PART,
    PYGAMMA,
    ColumnValues,
    Piece,
    TableFile,
    TableOptions,
    extra_columns,
    refuse_other_categories,
    refuse_other_positions,
    refuse_tags,
)
from gamma_align.reading.tables.csv_tables import SEPARATOR, is_headerless, other_delimiter, quoted
from gamma_align.reading.tables.parquet_tables import MAGIC, is_nested

TEXTS = "texts.jsonl"
"""The file of texts in a folder of tables."""

_MAX_EXACT_INTEGER = 2**53  # float64 holds all integers up to this one
_TABLES_BESIDE_UNITS = ("annotations", "documents")
_INSPECTED_ROWS = 20  # rows at the beginning of a file from which its format is recognised
_INSPECTED_LINES = 4 * _INSPECTED_ROWS  # lines may be blank
_TEXT_SETTINGS = {"positions": None, "offsets": None, "mismatch": "refuse", "align_text": False}
"""Settings of files with texts, and their defaults."""

# Columns of tables in a layout of their own; others need not be compared with the layouts.
_DECLARED_NAMES = frozenset({"Observation id", "Selection"})
FORMAT_OPTIONS = {
    "columns": "your names of columns",
    "header": "whether the first row names the columns",
    "parts": "whether a column 'unit' names what parts are one unit",
}


def _rows(head: Head, delimiter: str) -> list[list[str]]:
    """Return the first rows that have text, up to the first that is no delimited text."""
    lines = [line for line in head.lines[:_INSPECTED_LINES] if line.strip() and not SEPARATOR.fullmatch(line)]
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):
        rows.extend(csv.reader(lines[:_INSPECTED_ROWS], delimiter=delimiter, strict=True))
    return [row for row in rows if "".join(row).strip()]


def header_of(head: Head, delimiter: str) -> list[str]:
    """Return the cells of the first row that has text."""
    rows = _rows(head, delimiter)
    new_delimiter = other_delimiter(rows[0]) if rows else None
    if new_delimiter is not None:
        rows = _rows(head, new_delimiter)
    return [cell.strip() for cell in rows[0]] if rows else []


def _is_tidy(suffix: str, delimiter: str) -> Callable[[Head], bool]:
    def matches(head: Head) -> bool:
        if head.suffix != suffix or PurePosixPath(head.name).stem in _TABLES_BESIDE_UNITS:
            return False
        header = header_of(head, delimiter)
        return has_bounds(header) and not (_DECLARED_NAMES & set(header) and _is_declared(head))

    return matches


def _is_declared(head: Head) -> bool:
    """Return whether the table has a layout that a format declares."""
    return declaration_of(head) is not None


def _is_parquet(head: Head) -> bool:
    is_of_units = PurePosixPath(head.name).stem not in _TABLES_BESIDE_UNITS
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
    return len(row) == len(order) and all(number_of(cell) is not None for cell in row[-2:])


def _is_gamma_software(head: Head) -> bool:
    rows = _rows(head, ",") if head.suffix == ".csv" else []
    return bool(rows) and all(_is_unit(row, GAMMA_SOFTWARE) for row in rows)


def marks_in(source: Source, name: str, choices: Choices) -> Iterable[Marks]:
    """Return the units in a file as the format of tables with this name reads it."""
    columns = dict(choices.options.get("columns") or {})
    extra = extra_columns(choices, columns, use_parts=bool(choices.options.get("parts")))
    options = TableOptions(columns, choices.options.get("header", "auto"), extra, choices.na)
    file, marks = _marks(source, name, options)
    refuse_tags(file, choices)
    refuse_other_positions(file)
    refuse_other_categories(file, columns)
    # Even if the table has no rows, the annotator in its path saw the document.
    names_owners = any(file.options.name(role) in file.table.columns for role in ("annotator", "document"))
    if not names_owners:
        marks.annotated()
    return (marks,)


def _reader(name: str) -> Callable[[Source, Choices], Iterable[Marks]]:
    def read(source: Source, choices: Choices) -> Iterable[Marks]:
        return marks_in(source, name, choices)

    return read


def _marks(source: Source, name: str, options: TableOptions) -> tuple[TableFile, Marks]:
    """Return the table in a file, and its units as marks with the notes and problems."""
    file = by_name(name).table(source, "units", options)
    marks = marks_of_table(file.table, file.options)
    marks.notes += file.notes
    marks.problems[:0] = single_problems(file.problems)
    return file, marks


def _read_pygamma(source: Source, choices: Choices) -> Iterable[Marks]:
    return (_marks(source, "csv", TableOptions({}, PYGAMMA, na=choices.na))[1],)


def _read_gamma_software(source: Source, choices: Choices) -> Iterable[Marks]:
    file, marks = _marks(source, "csv", TableOptions({}, GAMMA_SOFTWARE, ("features",), choices.na))
    features = factorized(file.table, "features", nullable=True)
    is_filled = np.array([bool(label.strip()) for label in features.labels], dtype=np.bool_)
    if is_filled.any():
        marks.note(f"the features of {np.count_nonzero(is_filled[features.codes])} units are left out")
    return (marks,)


def _write_pygamma(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    continua = [corpus.continuum(index) for index in range(len(corpus))]
    lost = lost_in_units(corpus)
    if any(map(_has_ambiguous_categories, continua)):
        lost = lost | lost_in_categories(corpus)
    if lost:
        cure = Cure("write csv, parquet or jsonl, or {}", drop_cure(lost))
        raise InputError(f"pygamma's CSV would lose {', '.join(lost.values())}", cure)
    for continuum in continua:
        yield f"{as_path(continuum.document, 'document')}.csv", _pygamma(continuum)


def _has_ambiguous_categories(continuum: Continuum) -> bool:
    """Return whether an empty cell could be either the category '' or no category."""
    labels = {unit.category for unit in continuum.units()}
    return labels == {""} or (None in labels and len(labels) > 1)


def _pygamma(continuum: Continuum) -> bytes:
    lines = [
        f"{_cell(unit.annotator)},{_cell(unit.category or '')},{_number(unit.start)},{_number(unit.end)}\n"
        for unit in continuum.units()
    ]
    return encoded("".join(lines), f"document {continuum.document!r}")


def _cell(text: str) -> str:
    # A byte-order mark at the beginning of the file would not be read as text.
    return f'"{text.replace(chr(34), 2 * chr(34))}"' if text.startswith("\ufeff") else quoted(text, ",")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) <= _MAX_EXACT_INTEGER else repr(value)


def marks_of_table(table: Table, options: TableOptions) -> Marks:
    """Return a table of units as marks; rows that are no units are problems of the marks.

    Without a column of annotators or documents, the path of the file names them.
    """
    renamed = {role: name for role, name in options.columns.items() if role in KNOWN["units"]}
    units = known_columns(table, renamed, required=("start", "end"))
    for role in options.extra:
        name = options.name(role)
        if name is not None and name in table.columns:
            units = units.with_column(role, table.columns[name])
        elif role in options.columns:
            columns = ", ".join(map(repr, table.columns)) or "none"
            raise InputError(
                f"no column {name!r}, which should be the column {role!r}; there are {columns}",
                location=Location(table.origin),
            )
    marks = Marks(table.origin, length_unit=None)
    marks.tells_seen = "document" not in units.columns  # a file for each document is there or not
    units, _, notes = read_cells(units)
    marks.notes += notes
    problems: Problems = []
    start, end, is_good, _ = checked_bounds(units, problems)
    owners = {name: names(units, name, problems) for name in ("document", "annotator") if name in units.columns}
    for coded in owners.values():
        is_good &= coded.codes >= 0
    if LAYER not in options.extra:
        owner = np.zeros(len(units), dtype=np.int64)
        for coded in owners.values():
            owner = owner * (len(coded.labels) + 1) + coded.codes
        names_read = [name for role in (*KNOWN["units"], *options.extra) if (name := options.name(role)) is not None]
        marks.versions = versions(table, names_read, units, np.where(is_good, owner, -1), (start, end))
    marks.problems = single_problems(problems)
    rows = np.flatnonzero(is_good)
    # + 0.0: no unit begins or ends at -0.0
    marks.start = _float_array(start[rows] + 0.0)
    marks.end = _float_array(end[rows] + 0.0)
    _fill(marks, units, owners, rows)
    return marks


def _fill(marks: Marks, units: Table, owners: Mapping[str, Coded], rows: IntArray) -> None:
    """Add the units of `rows`; equals `Marks.unit` row by row."""
    missing = Coded(np.full(len(units), UNLABELLED, dtype=np.int64), ())
    layers = factorized(units, LAYER, nullable=True) if LAYER in units.columns else missing
    key_columns = [owners.get("document", missing), owners.get("annotator", missing), layers]
    code = np.zeros(len(rows), dtype=np.int64)
    # One code for each combination of document, annotator and layer.
    for column in key_columns:
        code = code * (len(column.labels) + 1) + column.codes[rows] + 1
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    for row in rows[first].tolist():
        key = Key(*(_label(column, row) for column in key_columns))
        marks.keys.append(key)
        marks.annotated(*key)
    marks.key = _int_array(inverse)
    categories = factorized(units, "category", nullable=True) if "category" in units.columns else missing
    used, inverse = np.unique(categories.codes[rows], return_inverse=True)
    marks.labels = [None if code < 0 else categories.labels[code] for code in used.tolist()]
    marks.label = _int_array(inverse)
    marks.locations = [units.location(row).where or "" for row in rows.tolist()]
    if PART in units.columns:
        parts = factorized(units, PART, nullable=True)
        labels = (parts.labels[code] if code >= 0 else "" for code in parts.codes[rows].tolist())
        marks.part = {index: name for index, name in enumerate(labels) if name.strip()}


def _label(column: Coded, row: int) -> str | None:
    code = int(column.codes[row])
    return None if code < 0 else column.labels[code]


def _int_array(values: IntArray) -> array[int]:
    return array("q", np.ascontiguousarray(values, dtype=np.int64).tobytes())


def _float_array(values: FloatArray) -> array[float]:
    return array("d", np.ascontiguousarray(values, dtype=np.float64).tobytes())


def check_choices(choices: Choices, file: str) -> None:
    """Refuse settings without a meaning for tables."""
    for name, default in _TEXT_SETTINGS.items():
        value = getattr(choices, name)
        if value != default:
            raise SettingsError(
                f"{value!r} is for files with texts; {file} is a table, whose bounds are taken as they are",
                "leave it out",
                Location.for_option(name),
            )
    if choices.options:
        raise SettingsError(
            f"a table has no options ({', '.join(choices.options)}), and {file} is a table",
            Cure("name its columns with {}", Set("columns")),
        )
    feature = next((feature for feature in (choices.layers or {}).values() if feature), None)
    if feature is not None:
        raise SettingsError(
            f"the layers of a table have no features, and the layers requested name the feature {feature!r}",
            Cure("name the column that is the category with {}", Set("columns", {"category": feature})),
        )


def declare(marks: Marks, checked: CheckedTables, *, annotators_named: bool) -> tuple[str, ...]:
    """Add the annotations and extents of the tables beside a table of units to its marks.

    `annotators_named` is whether the table of units names annotators. Return a note on documents that are left out.
    """
    rows = checked.rows
    extents = checked.extents
    n_annotators = max(len(rows.annotators), 1)
    for pair in checked.seen.tolist():
        document = rows.documents[pair // n_annotators]
        annotator = rows.annotators[pair % n_annotators]
        marks.annotated(document, annotator if annotators_named else None)
    marks.length_unit = checked.length_unit
    for index, (name, declared) in enumerate(zip(rows.documents, extents.declared, strict=True)):
        # A document may declare only its start or only its end.
        if not np.isnan(declared).all():
            low, high = np.where(np.isnan(declared), extents.bounds[index], declared).tolist()
            marks.extents[name] = (low, high)
    n_unseen = len(rows.documents) - len(np.unique(checked.seen // n_annotators))
    return (f"{n_unseen} documents that nobody annotated are left out",) if n_unseen else ()


@dataclass(frozen=True, slots=True)
class TableFormat(FileFormat):
    """A format of tables: a file is a table of units, annotations or documents.

    Attributes
    ----------
    read_table : callable
        Return the table of a kind in a file.
    pieces : callable
        Yield the table of a kind in a file, some rows at a time.
    write_table : callable
        Write columns to a path, whole or not at all. Formats with row groups begin one at each of the given rows.
    header : callable
        Return the names of the columns from the beginning of a file.
    """

    read_table: Callable[[Source, str, TableOptions], TableFile] = field(kw_only=True)
    pieces: Callable[[Source, str, TableOptions, int], Iterator[Piece]] = field(kw_only=True)
    write_table: Callable[[Path, Mapping[str, ColumnValues], Sequence[int]], None] = field(kw_only=True)
    header: Callable[[Head], list[str]] = field(kw_only=True)

    def table(self, source: Source, kind: str, options: TableOptions) -> TableFile:
        """Return the table of a kind in a file, whose other columns are read if they are asked for."""

        def unread(name: str) -> Mapping[str, ColumnValues]:
            file = self.read_table(source, kind, options.alone(name))
            refuse(file.problems)  # rows may be too short for this column, and left out
            return file.table.columns

        file = self.read_table(source, kind, options)
        return file._replace(table=replace(file.table, unread=unread))

    def declared(self, head: Head) -> tuple[str, ...]:
        """Return the roles among "annotator" and "document" for which the file has a column."""
        header = self.header(head)
        return tuple(role for role in ("annotator", "document") if usual(header, role))

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
        options=FORMAT_OPTIONS,
        header=partial(header_of, delimiter=delimiter),
        read_table=partial(csv_tables.read_table, delimiter=delimiter),
        pieces=partial(csv_tables.pieces, delimiter=delimiter),
        write_table=partial(csv_tables.write_table, delimiter=delimiter),
    )


_PARQUET_FORMAT = TableFormat(
    "parquet",
    "Parquet tables of units",
    (".parquet",),
    _is_parquet,
    _reader("parquet"),
    declares=("annotator",),
    extra="parquet",
    options=FORMAT_OPTIONS,
    header=_parquet_header,
    read_table=parquet_tables.read_table,
    pieces=parquet_tables.pieces,
    write_table=parquet_tables.write_table,
)

TABLES: dict[str, TableFormat] = {
    table_format.name: table_format
    for table_format in (
        _PARQUET_FORMAT,
        _delimited("csv", "comma-separated tables of units", ","),
        _delimited("tsv", "tab-separated tables of units", "\t"),
    )
}
"""The formats of tables by name; in a folder with several formats, the first is recognised."""

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
    """Return the format of tables with this name."""
    if name not in TABLES:
        raise SettingsError(f"format must be one of {', '.join(map(repr, TABLES))}, not {name!r}")
    return TABLES[name]


def by_suffix(path: Path) -> TableFormat | None:
    """Return the format of tables that the suffix of a path stands for, or ``None``."""
    suffix = path.suffix.lower()
    return next((fmt for fmt in TABLES.values() if fmt.suffix == suffix), None)
