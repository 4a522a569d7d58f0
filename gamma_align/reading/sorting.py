"""Tables larger than memory, sorted by document and written as a Parquet data set: an external merge sort.

Some rows at a time are checked, sorted by document and kept as a *run* in a temporary folder. Then all runs are read
together from their beginnings, little of each in memory at a time: documents before the last one read of any run are
whole, and become a corpus, with all that is checked of one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamma_align.data.build import checked_bounds, corpus_columns
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import refuse
from gamma_align.data.tables import (
    KNOWN,
    Coded,
    Table,
    factorized,
    joined,
    known_columns,
    labels_in_use,
    merged,
    names,
    numbers,
)
from gamma_align.errors import InputError, Location
from gamma_align.reading.files.atomic import atomic_write, new_folder, temporary_beside
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import Choices, choices
from gamma_align.reading.marks.writable import lost_in_units
from gamma_align.reading.read import layout_or_tables
from gamma_align.reading.tables.columns import Piece, TableOptions, refuse_tags
from gamma_align.reading.tables.corpus_tables import Columns, are_whole, cuts_of, tables_of
from gamma_align.reading.tables.parquet_tables import cut, part_of, row_group_columns, row_group_writer, write_table
from gamma_align.reading.tables.table_formats import TableFormat
from gamma_align.reading.write import is_folder_name, refuse_loss

LARGE = {"csv": 1 << 28, "tsv": 1 << 28, "parquet": 1 << 25}
"""Bytes of a file of units, by its format, from which on it is sorted on disk and not in memory."""

_RUN = 1 << 19  # rows
_GROUP = 1 << 13  # rows of a run that are read at once
_BATCH = 1 << 19  # rows that become a corpus at once, at least
_REQUIRED = {
    "units": ("document", "annotator", "start", "end"),
    "annotations": ("document", "annotator"),
    "documents": ("document",),
}

Rows = dict[str, Any]
"""Rows of a table: labels as `Coded`, numbers as arrays, by our names; "where" is their line or row in the file."""


class Written(NamedTuple):
    """How many documents, annotators and units were written, and notes on how the tables were read."""

    documents: int
    annotators: int
    units: int
    notes: tuple[str, ...]


def convert_large(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  (as in `read`)
    columns: Mapping[str, str | None] | None = None,
    encoding: str | None = None,
    outside: str = "refuse",
) -> Written | None:
    """Write tables as Parquet, sorted by document, in bounded memory; ``None`` where they are not large.

    The corpus written is that of `gamma_align.read` with these settings; `target` is a file of units or a new folder,
    as in `gamma_align.write`, and is written whole or not at all. Tables with texts beside them, and of units without
    documents or annotators, are not taken.

    Raises
    ------
    InputError
        For data that cannot be measured, and units in one file that would lose what the corpus has.
    """
    tables = large_tables(path, format=format, columns=columns, encoding=encoding)
    if tables is None:
        return None
    place = Path(os.path.abspath(target))  # noqa: PTH100  (resolve would follow a link)
    runs_folder = temporary_beside(next(parent for parent in place.parents if parent.is_dir()) / place.name)
    try:
        runs_folder.mkdir()
        tables.sort(runs_folder)
        return tables.write(target, outside)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(runs_folder, ignore_errors=True)


def large_tables(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  (as in `read`)
    columns: Mapping[str, str | None] | None = None,
    encoding: str | None = None,
) -> _Tables | None:
    """Return the tables at a path, ``None`` where they are not large or no tables of documents."""
    place, options, choice = Path(path), TableOptions(dict(columns or {})), choices(encoding=encoding)
    found = layout_or_tables(place, format, choice, {}, columns=bool(columns))
    if not isinstance(found, dict):
        return None
    paths, formats = {kind: file for kind, (file, _) in found.items()}, {kind: fmt for kind, (_, fmt) in found.items()}
    units = Source(paths["units"], paths["units"].name, choice.encoding)
    if units.path.stat().st_size < LARGE[formats["units"].name]:
        return None
    with contextlib.suppress(InputError):  # reading them in memory says what is wrong
        named, _ = options.resolved(Location(units.name, None), formats["units"].header(units.head))
        if named.name("document") is not None and named.name("annotator") is not None:
            return _Tables(paths, formats, options, choice)
    return None


@dataclass
class _Tables:
    """Large tables: what is known of them once they were read, and their runs."""

    paths: Mapping[str, Path]
    formats: Mapping[str, TableFormat]
    options: TableOptions
    choice: Choices
    runs: dict[str, list[Path]] = field(default_factory=dict)
    nothing: dict[str, Rows] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    categories: set[str] = field(default_factory=set)
    length_units: set[str] = field(default_factory=set)
    whole: dict[str, bool] = field(default_factory=dict)

    def sort(self, folder: Path) -> None:
        """Write the runs of all tables."""
        for kind, path in self.paths.items():
            fmt = self.formats[kind]
            self.runs[kind], self.whole[kind] = [], True
            for piece in fmt.pieces(Source(path, path.name, self.choice.encoding), kind, self.options, _RUN):
                self.options = piece.file.options if kind == "units" else self.options
                rows = self._checked(piece, kind)
                if not self.runs[kind]:
                    self.nothing[kind] = {name: part_of(values, 0, 0) for name, values in rows.items()}
                    self.notes.update(dict.fromkeys(self.options.notes(piece.file.table)))
                self.notes.update(dict.fromkeys(piece.file.notes))
                self.runs[kind].append(folder / f"{kind}-{len(self.runs[kind])}.parquet")
                write_table(self.runs[kind][-1], rows, range(_GROUP, len(piece.where), _GROUP))

    def _checked(self, piece: Piece, kind: str) -> Rows:
        """Return the rows of a piece, sorted by document; raises the first problem that rows have."""
        problems = list(piece.file.problems)
        table = known_columns(piece.file.table, self.options.columns, required=_REQUIRED[kind])
        rows: Rows = {name: names(table, name, problems) for name in ("document", "annotator") if name in table.columns}
        bounds = [name for name in ("start", "end", "length") if name in table.columns]
        if kind == "units":
            rows["start"], rows["end"], *_ = checked_bounds(table, problems)
        else:
            rows |= {name: numbers(table, name, problems) for name in bounds}
        refuse(problems)
        self.whole[kind] &= are_whole(*(rows[name][~np.isnan(rows[name])] for name in bounds))
        if "category" in table.columns:
            refuse_tags(piece.file, self.choice)
            rows["category"] = self._category(factorized(table, "category", nullable=True))
        if "unit" in table.columns:
            rows["unit"] = factorized(table, "unit", nullable=True)
            self.length_units.update(labels_in_use(rows["unit"]))
        return _by_document(rows | {"where": piece.where})

    def _category(self, column: Coded) -> Coded:
        """Return the categories of a piece; an empty cell is a label if any piece has another one."""
        if self.formats["units"].name != "parquet" and (column.codes < 0).all():
            return Coded(np.zeros_like(column.codes), ("",))
        self.categories.update(labels_in_use(column))
        return column

    def write(self, target: str | os.PathLike[str], outside: str) -> Written:
        """Merge the runs into a data set."""
        of_units = self.whole["units"]
        columns = Columns(of_units, of_units and self.whole.get("documents", True), bool(self.categories))
        written = _Count()
        with _writing(target, columns) as write:
            for batch in _whole_documents(self.runs, _BATCH):
                corpus = self._corpus(batch, outside)
                written.add(corpus)
                write(corpus)
        notes = [*self.notes, *written.notes]
        return Written(written.documents, len(written.annotators), written.units, tuple(dict.fromkeys(notes)))

    def _corpus(self, batch: Mapping[str, Sequence[Rows]], outside: str) -> Corpus:
        """Return the corpus of rows of whole documents."""
        tables = {kind: self._table(kind, joined([self.nothing[kind], *rows])) for kind, rows in batch.items()}
        columns = corpus_columns(
            tables["units"],
            annotations=tables.get("annotations"),
            documents=tables.get("documents"),
            outside=outside,
        )
        return Corpus(**columns | {"length_unit": "/".join(sorted(self.length_units)) or None})

    def _table(self, kind: str, rows: Rows) -> Table:
        where, name = rows.pop("where"), self.paths[kind].name
        if not self.categories:
            rows.pop("category", None)
        of_parquet = self.formats[kind].name == "parquet"

        def location(row: int) -> Location:
            return Location(name, f"row {where[row]}" if of_parquet else int(where[row]))

        return Table(rows, kind, name, location)


@dataclass
class _Count:
    """What of all batches is said in the end."""

    documents: int = 0
    units: int = 0
    annotators: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add(self, corpus: Corpus) -> None:
        self.documents += len(corpus)
        self.units += corpus.n_units
        self.annotators.update(corpus.annotators)
        self.notes += corpus.notes


def _by_document(rows: Rows) -> Rows:
    """Return the rows sorted by document, and its labels too."""
    document = rows["document"]
    labels, (codes,) = merged(document)
    order = np.argsort(codes, kind="stable")
    taken = {
        name: values._replace(codes=values.codes[order]) if isinstance(values, Coded) else values[order]
        for name, values in rows.items()
    }
    return taken | {"document": Coded(codes[order], labels)}


class _Run:
    """A sorted run: the rows of it that are in memory, and those that follow."""

    def __init__(self, path: Path) -> None:
        self._groups = row_group_columns(path)
        self._rows: Rows = {}
        self.is_over = False

    def __len__(self) -> int:
        return len(self._rows["where"]) if self._rows else 0

    @property
    def last(self) -> str:
        """The last document in memory."""
        return self._document(len(self) - 1)

    def _document(self, row: int) -> str:
        column: Coded = self._rows["document"]
        return str(column.labels[column.codes[row]])

    def fill(self, least: int) -> None:
        """Read on until there are so many rows, or no more."""
        while len(self) < least and not self.is_over:
            following = next(self._groups, None)
            self.is_over = following is None
            if following is not None:
                self._rows = joined([self._rows, following] if self._rows else [following])

    def before(self, document: str | None) -> Rows:
        """Take the rows before a document, ``None`` for all."""
        rows = len(self)
        cut = rows if document is None else bisect_left(range(rows), document, key=self._document)
        taken = {name: part_of(values, 0, cut) for name, values in self._rows.items()}
        self._rows = {name: part_of(values, cut, rows) for name, values in self._rows.items()}
        return taken


def _whole_documents(paths: Mapping[str, Sequence[Path]], least: int) -> Iterator[dict[str, list[Rows]]]:
    """Yield the rows of each table, by whole documents in order, `least` at a time or a few more."""
    runs = {kind: [_Run(path) for path in of_kind] for kind, of_kind in paths.items()}
    every = [run for of_kind in runs.values() for run in of_kind]
    batch: dict[str, list[Rows]] = {kind: [] for kind in runs}
    bound: str | None = None
    while any(len(run) or not run.is_over for run in every):
        for run in every:
            # where all that is left of a run is one document, it may go on
            run.fill(len(run) + 1 if len(run) and run.last == bound else _GROUP // 2)
        bound = min((run.last for run in every if not run.is_over), default=None)
        for kind, of_kind in runs.items():
            batch[kind] += [run.before(bound) for run in of_kind if len(run)]
        if sum(len(rows["where"]) for of_kind in batch.values() for rows in of_kind) >= least:
            yield batch
            batch = {kind: [] for kind in runs}
    if any(batch.values()):
        yield batch


@contextlib.contextmanager
def _writing(target: str | os.PathLike[str], columns: Columns) -> Iterator[Callable[[Corpus], None]]:
    """Yield what adds a corpus to a folder of Parquet tables, or to a file of units."""
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
            tables, cuts = tables_of(corpus, columns), cuts_of(corpus)
            for kind, write_rows in writers.items():
                for rows in cut(tables[kind], cuts[kind]):
                    write_rows(rows)

        yield write
