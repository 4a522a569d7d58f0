"""An external merge sort: tables larger than memory are sorted by document and written as a Parquet data set.

First, a limited number of rows at a time is checked, sorted by document and stored as a *run* in a temporary folder.
Then all runs are read together from their beginnings, a few rows of each at a time. Documents before the last document
in memory of every unfinished run are complete: they become a corpus, which is checked and written.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import (
    KNOWN,
    Coded,
    Corpus,
    Problems,
    Table,
    check_tables,
    checked_bounds,
    composed,
    factorized,
    forms_note,
    joined,
    known_columns,
    labels_in_use,
    merged,
    names,
    numbers,
    read_cells,
    refuse,
    relabelled,
    rows_of,
    unseen_note,
)
from gamma_align.data.versions import versions
from gamma_align.errors import InputError, Location, Note
from gamma_align.reading.files.atomic import atomic_write, new_folder, temporary_beside
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import Choices, choices
from gamma_align.reading.marks.writable import lost_in_units
from gamma_align.reading.read import layout_or_tables
from gamma_align.reading.tables.columns import Piece, TableOptions, refuse_other_categories, refuse_tags
from gamma_align.reading.tables.corpus_tables import ColumnTypes, are_whole, group_starts, tables_of
from gamma_align.reading.tables.parquet_tables import part_of, row_group_columns, row_group_writer, split, write_table
from gamma_align.reading.tables.table_formats import TableFormat
from gamma_align.reading.write import is_folder_name, not_writable, refuse_loss

LARGE = {"csv": 1 << 28, "tsv": 1 << 28, "parquet": 1 << 25}
"""Minimum size in bytes of a file of units, by its format, for sorting on disk instead of in memory."""

_RUN_ROWS = 1 << 19
_GROUP_ROWS = 1 << 13  # rows of a run that are read at once
_BATCH_ROWS = 1 << 19  # minimum number of rows that become a corpus at once
_REQUIRED_COLUMNS = {
    "units": ("document", "annotator", "start", "end"),
    "annotations": ("document", "annotator"),
    "documents": ("document",),
}

_LINE = "line"
"""Name of the column with the line or row of each row in its file."""

Rows = dict[str, Any]
"""Rows of a table by our names of columns, and `_LINE`: labels as `Coded`, numbers as arrays."""


class Written(NamedTuple):
    """Numbers of documents, annotators and units written, and notes on how the tables were read."""

    documents: int
    annotators: int
    units: int
    notes: tuple[str, ...]


def convert_large(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    encoding: str | None = None,
    outside: str = "refuse",
) -> Written | None:
    """Write tables as Parquet, sorted by document, in bounded memory; return ``None`` if they are not large.

    The corpus is the same as from `gamma_align.read` with these settings. `target` is a file of units or a new folder,
    as in `gamma_align.write`, and is written whole or not at all. Tables with texts beside them, and units without
    documents or annotators, are not sorted: the result is ``None``.

    Raises
    ------
    InputError
        If the data cannot be measured, or one file of units cannot hold the corpus.
    """
    tables = large_tables(path, format=format, columns=columns, encoding=encoding)
    if tables is None:
        return None
    absolute = Path(os.path.abspath(target))  # noqa: PTH100  (resolve would follow a link)
    # In the nearest existing folder above the target, which may be in a new folder.
    runs_folder = temporary_beside(next(parent for parent in absolute.parents if parent.is_dir()) / absolute.name)
    try:
        runs_folder.mkdir()
        tables.sort(runs_folder)
        return tables.write(target, outside)
    except OSError as error:
        raise not_writable(target, error) from error
    finally:
        shutil.rmtree(runs_folder, ignore_errors=True)


def large_tables(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    encoding: str | None = None,
) -> _Tables | None:
    """Return the tables at a path, ``None`` if they are not large or do not name documents and annotators."""
    options = TableOptions(dict(columns or {}))
    choice = choices(encoding=encoding)
    tables = layout_or_tables(Path(path), format, choice, {}, has_columns=bool(columns))
    if not isinstance(tables, dict):
        return None
    file, table_format = tables["units"]
    units = Source(file, file.name, choice.encoding)
    if file.stat().st_size < LARGE[table_format.name]:
        return None
    with contextlib.suppress(InputError):  # reading them in memory reports the problem
        named, _ = options.resolved(Location(units.name), table_format.header(units.head))
        if named.name("document") is not None and named.name("annotator") is not None:
            return _Tables(tables, options, choice)
    return None


@dataclass
class _Tables:
    """Large tables by kind, each a path with its format, and the facts and runs that reading them yields.

    `no_rows` has the columns of each kind without rows; `is_whole` is whether all bounds of a kind are integers;
    `names` are those of each role that may have another form of Unicode. `unread` are the columns of units that are not
    read, and `repeated` are units with another one of their annotator at their place, among `n_compared` units.
    """

    tables: Mapping[str, tuple[Path, TableFormat]]
    options: TableOptions
    choice: Choices
    runs: dict[str, list[Path]] = field(default_factory=dict)
    no_rows: dict[str, Rows] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    categories: set[str] = field(default_factory=set)
    length_units: set[str] = field(default_factory=set)
    is_whole: dict[str, bool] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    unread: tuple[str, ...] = ()
    repeated: list[Rows] = field(default_factory=list)
    n_compared: int = 0

    def sort(self, folder: Path) -> None:
        """Write the runs of all tables."""
        by_user = self.options.columns
        for kind, (path, table_format) in self.tables.items():
            source = Source(path, path.name, self.choice.encoding)
            self.runs[kind] = []
            self.is_whole[kind] = True
            for piece in table_format.pieces(source, kind, self.options, _RUN_ROWS):
                if kind == "units":
                    self.options = piece.file.options
                    columns = [*piece.file.table.columns]
                    known = {*self.options.roles(kind, columns), *KNOWN[kind], _LINE}
                    self.unread = tuple(name for name in columns if name not in known)
                    if not self.runs[kind]:
                        first = replace(piece.file.table, unread=partial(self._first_rows, source, table_format))
                        refuse_other_categories(piece.file._replace(table=first), by_user)
                rows = self._checked(piece, kind)
                if not self.runs[kind]:
                    self.no_rows[kind] = {name: part_of(values, 0, 0) for name, values in rows.items()}
                    self.notes.update(dict.fromkeys(self.options.notes(piece.file.table)))
                self.notes.update(dict.fromkeys(piece.file.notes))
                run = folder / f"{kind}-{len(self.runs[kind])}.parquet"
                self.runs[kind].append(run)
                _write_run(run, rows)
        self._unite_forms()

    def _first_rows(self, source: Source, table_format: TableFormat, name: str) -> Rows:
        """Return the first piece of a column of units that is not read."""
        piece = next(iter(table_format.pieces(source, "units", self.options.alone(name), _RUN_ROWS)))
        return {name: piece.file.table.columns[name]}

    def _unite_forms(self) -> None:
        """Write the runs anew if a name is written in two forms of Unicode, which are one name."""
        forms = {role: form for role, names in self.names.items() if (form := composed(names))}
        for role, form in forms.items():
            self.notes.update(dict.fromkeys(forms_note(role, name) for name in form.values()))
        for run in chain.from_iterable(self.runs.values()) if forms else ():
            groups = [*row_group_columns(run)]
            if groups:  # the last run may be empty
                rows: Rows = joined(groups)
                rows |= {role: relabelled(rows[role], form) for role, form in forms.items() if role in rows}
                _write_run(run, _by_document(rows))

    def _checked(self, piece: Piece, kind: str) -> Rows:
        """Return the rows of a piece, sorted by document; InputError for the first problem."""
        problems = list(piece.file.problems)
        table = known_columns(piece.file.table, self.options.columns, required=_REQUIRED_COLUMNS[kind])
        table, rows_of_lists, notes = read_cells(table) if kind == "units" else (table, None, ())
        self.notes.update(dict.fromkeys(notes))
        rows: Rows = {name: names(table, name, problems) for name in ("document", "annotator") if name in table.columns}
        bounds = [name for name in ("start", "end", "length") if name in table.columns]
        if kind == "units":
            start, end, *_ = checked_bounds(table, problems)
            values = {"start": start, "end": end}
        else:
            values = {name: numbers(table, name, problems) for name in bounds}
        refuse(problems)
        self.is_whole[kind] &= are_whole(*(numbers[~np.isnan(numbers)] for numbers in values.values()))
        rows |= values
        if "category" in table.columns:
            refuse_tags(piece.file, self.choice)
            rows["category"] = self._category(factorized(table, "category", nullable=True))
        if "unit" in table.columns:
            units = factorized(table, "unit", nullable=True)
            self.length_units.update(labels_in_use(units))
            rows["unit"] = units
        for role in {"document", "annotator", "category"} & rows.keys():
            self.names[role].update(name for name in labels_in_use(rows[role]) if not name.isascii())
        return _by_document(rows | {_LINE: piece.line if rows_of_lists is None else piece.line[rows_of_lists]})

    def _category(self, column: Coded) -> Coded:
        """Return the categories of a piece; an empty cell is a label if another piece has categories."""
        if self._is_text("units") and (column.codes < 0).all():
            return Coded(np.zeros_like(column.codes), ("",))
        self.categories.update(labels_in_use(column))
        return column

    def _is_text(self, kind: str) -> bool:
        """Return whether a table is delimited text, which has lines."""
        _, table_format = self.tables[kind]
        return table_format.name != "parquet"

    def write(self, target: str | os.PathLike[str], outside: str) -> Written:
        """Merge the runs into a data set."""
        # Extents without a declaration are made from bounds of units.
        has_whole_extents = self.is_whole["units"] and self.is_whole.get("documents", True)
        types = ColumnTypes(self.is_whole["units"], has_whole_extents, bool(self.categories))
        n_documents = n_units = n_seen = 0
        annotators: set[str] = set()
        notes = [*self.notes]
        with _corpus_writer(target, types) as write:
            for batch in _complete_documents(self.runs, _BATCH_ROWS):
                corpus = self._corpus(batch, outside)
                n_documents += len(corpus)
                n_units += corpus.n_units
                n_seen += len(corpus.seen)
                annotators.update(corpus.annotators)
                notes += corpus.notes
                write(corpus)
            notes += self._say_versions()
            unseen = unseen_note(n_documents, len(annotators), n_seen)
            notes += [unseen] if unseen is not None and "annotations" not in self.tables else []
        return Written(n_documents, len(annotators), n_units, tuple(dict.fromkeys(notes)))

    def _corpus(self, batch: Mapping[str, Sequence[Rows]], outside: str) -> Corpus:
        """Return the corpus of rows of complete documents."""
        rows_by_kind = {kind: joined([self.no_rows[kind], *rows]) for kind, rows in batch.items()}
        tables = {kind: self._table(kind, rows) for kind, rows in rows_by_kind.items()}
        checked = check_tables(
            tables["units"],
            annotations=tables.get("annotations"),
            documents=tables.get("documents"),
            outside=outside,
            ask_versions=False,
        )
        refuse(checked.problems)
        self._keep_repeated(rows_by_kind["units"], checked.repeated())
        return Corpus(**checked.columns() | {"length_unit": "/".join(sorted(self.length_units)) or None})

    def _table(self, kind: str, rows: Rows) -> Table:
        line = rows[_LINE]
        path, _ = self.tables[kind]
        is_text = self._is_text(kind)
        ignored = {_LINE} if self.categories else {_LINE, "category"}
        columns = {name: values for name, values in rows.items() if name not in ignored}

        def location(row: int) -> Location:
            return Location(path.name, int(line[row]) if is_text else f"row {line[row]}")

        return Table(columns, kind, path.name, location)

    def _keep_repeated(self, rows: Rows, repeated: IntArray) -> None:
        """Keep the rows of units with another one of their annotator at their place, up to a number of rows."""
        if sum(len(kept[_LINE]) for kept in self.repeated) < _RUN_ROWS:
            self.n_compared += len(rows[_LINE])
            self.repeated.append({name: rows_of(values, repeated) for name, values in rows.items()})

    def _say_versions(self) -> tuple[Note, ...]:
        """Refuse versions of an annotation that an unread column tells apart, or return a note if they are few."""
        rows: Rows = joined([self.no_rows["units"], *self.repeated])
        if not self.unread or not len(rows[_LINE]):
            return ()
        table = self._table("units", rows)
        columns = {**dict.fromkeys(self.unread, ()), **table.columns}
        with_unread = replace(table, columns=columns, unread=partial(self._unread, rows[_LINE]))
        _, (document,) = merged(rows["document"])
        annotators, (annotator,) = merged(rows["annotator"])
        owner = document * len(annotators) + annotator
        bounds = (rows["start"], rows["end"])
        found = versions(with_unread, table.columns, table, owner, bounds, n_units=self.n_compared)
        problems: Problems = []
        notes = () if found is None else found.said(problems, table.origin)
        refuse(problems)
        return notes

    def _unread(self, lines: IntArray, name: str) -> Rows:
        """Return a column of units that is not read, in the rows with these lines: the file is read once more."""
        path, table_format = self.tables["units"]
        source = Source(path, path.name, self.choice.encoding)
        parts: list[Rows] = []
        for piece in table_format.pieces(source, "units", self.options.alone(name), _RUN_ROWS):
            refuse(piece.file.problems)
            rows = np.flatnonzero(np.isin(piece.line, lines))
            labels = rows_of(factorized(piece.file.table, name, nullable=True), rows)
            parts.append({_LINE: piece.line[rows], name: part_of(labels, 0, len(rows))})
        found: Rows = joined(parts)
        return {name: rows_of(found[name], np.searchsorted(found[_LINE], lines))}


def _write_run(path: Path, rows: Rows) -> None:
    write_table(path, rows, range(_GROUP_ROWS, len(rows[_LINE]), _GROUP_ROWS))


def _by_document(rows: Rows) -> Rows:
    """Return the rows, and the labels of documents, sorted by document."""
    labels, (codes,) = merged(rows["document"])
    order = np.argsort(codes, kind="stable")
    ordered: Rows = {
        name: values._replace(codes=values.codes[order]) if isinstance(values, Coded) else values[order]
        for name, values in rows.items()
    }
    return ordered | {"document": Coded(codes[order], labels)}


class _Run:
    """A sorted run; only its next rows are in memory."""

    def __init__(self, path: Path) -> None:
        self._groups = row_group_columns(path)
        self._rows: Rows = {}
        self.is_over = False

    def __len__(self) -> int:
        return len(self._rows[_LINE]) if self._rows else 0

    @property
    def last(self) -> str:
        """The last document in memory."""
        return self._document(len(self) - 1)

    def _document(self, row: int) -> str:
        column: Coded = self._rows["document"]
        return str(column.labels[column.codes[row]])

    def fill(self, min_rows: int) -> None:
        """Read until so many rows are in memory, or the run is over."""
        while len(self) < min_rows and not self.is_over:
            group = next(self._groups, None)
            if group is None:
                self.is_over = True
            else:
                self._rows = joined([self._rows, group] if self._rows else [group])

    def take_before(self, document: str | None) -> Rows:
        """Remove and return the rows in memory before a document, all of them if it is ``None``."""
        n_rows = len(self)
        # Rows are sorted by document.
        n_taken = n_rows if document is None else bisect_left(range(n_rows), document, key=self._document)
        taken = {name: part_of(values, 0, n_taken) for name, values in self._rows.items()}
        self._rows = {name: part_of(values, n_taken, n_rows) for name, values in self._rows.items()}
        return taken


def _complete_documents(paths: Mapping[str, Sequence[Path]], min_rows: int) -> Iterator[dict[str, list[Rows]]]:
    """Yield rows of each table, by complete documents in order, `min_rows` or a few more at a time."""
    runs = {kind: [_Run(path) for path in run_paths] for kind, run_paths in paths.items()}
    all_runs = [*chain.from_iterable(runs.values())]
    batch: dict[str, list[Rows]] = {kind: [] for kind in runs}
    bound: str | None = None
    while any(len(run) or not run.is_over for run in all_runs):
        for run in all_runs:
            if len(run) and run.last == bound:
                run.fill(len(run) + 1)  # all rows in memory may be one document, which may continue
            else:
                run.fill(_GROUP_ROWS // 2)
        bound = min((run.last for run in all_runs if not run.is_over), default=None)
        for kind, runs_of_kind in runs.items():
            batch[kind] += [run.take_before(bound) for run in runs_of_kind if len(run)]
        if sum(len(rows[_LINE]) for rows in chain.from_iterable(batch.values())) >= min_rows:
            yield batch
            batch = {kind: [] for kind in runs}
    if any(batch.values()):
        yield batch


@contextlib.contextmanager
def _corpus_writer(target: str | os.PathLike[str], types: ColumnTypes) -> Iterator[Callable[[Corpus], None]]:
    """Yield a function that adds a corpus to a folder of Parquet tables, or to a file of units."""
    with contextlib.ExitStack() as stack:
        if is_folder_name(target):
            folder = stack.enter_context(new_folder(Path(target)))
            files = {kind: folder / f"{kind}.parquet" for kind in KNOWN}
        else:
            files = {"units": stack.enter_context(atomic_write(Path(target)))}
        writers = {kind: stack.enter_context(row_group_writer(file)) for kind, file in files.items()}

        def write(corpus: Corpus) -> None:
            if len(files) == 1:
                refuse_loss(Path(target), lost_in_units(corpus))
            tables = tables_of(corpus, types)
            starts = group_starts(corpus)
            for kind, write_rows in writers.items():
                for rows in split(tables[kind], starts[kind]):
                    write_rows(rows)

        yield write
