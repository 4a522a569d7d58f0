"""Parquet data sets larger than memory: read part by part, each a few row groups of whole documents.

The statistics of row groups say which documents they hold. Groups with documents in common, in whichever of the tables,
are read together: where rows are sorted by document that is one group of each table, otherwise it may be all of them.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamma_align._types import UNLABELLED, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import Part
from gamma_align.data.problem import Location, Problem, RowsProblem, each, refuse
from gamma_align.data.tables import Coded, Table
from gamma_align.io.files.sources import Source
from gamma_align.io.marks.choices import choices
from gamma_align.io.reading import ReadTables, table_format, table_paths
from gamma_align.io.tables.columns import TableFile, TableOptions, refuse_tags
from gamma_align.io.tables.parquet_tables import RowGroup, column_names, read_table, row_groups

LARGE = 1_000_000
"""Units from which on a data set is read part by part."""

_LEAST = 50_000  # rows of the tables in a part: small row groups are read together

Groups = dict[str, list[RowGroup]]
"""Row groups by the table they are of."""


def data_set_at(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  (as in `read`)
    columns: Mapping[str, str | None] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    least: int = LARGE,
) -> DataSet | None:
    """Return the data set of Parquet tables at a path, ``None`` where there is none of `least` units.

    Settings are those of `gamma_align.read`; it reads the same corpus, whole. Parts without problems are read to know
    all names, and no part is kept.
    """
    source = Path(path)
    named = {kind: Path(file) for kind, file in (("annotations", annotations), ("documents", documents)) if file}
    if format not in (None, "parquet") or not (source.is_dir() or source.suffix.lower() == ".parquet"):
        return None
    if source.is_dir() and not (source / "units.parquet").is_file():
        return None
    paths = table_paths(source, format, named)
    if any(table_format(file, kind, format).name != "parquet" for kind, file in paths.items()):
        return None
    options = TableOptions(dict(columns or {}))
    ranges = _ranges(paths, options)
    if ranges is None or sum(group.rows for group in ranges["units"]) < least:
        return None
    return DataSet(paths, options, _parts(ranges))


class _Names(NamedTuple):
    """What is known of all parts once each was read."""

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    n_documents: int
    length_unit: str | None
    notes: tuple[str, ...]
    units: Mapping[str, int]


class DataSet:
    """A corpus in Parquet tables, part by part: see `gamma_align.data.parts`."""

    def __init__(self, paths: Mapping[str, Path], options: TableOptions, parts: Sequence[Groups]) -> None:
        self._paths, self._options, self._parts = paths, options, parts

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: int) -> Part:
        part, _ = self._read(index).part()
        return part._replace(corpus=_with_names(part.corpus, self._names))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of all annotators, sorted."""
        return self._names.annotators

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of all categories, sorted."""
        return self._names.categories

    @property
    def n_documents(self) -> int:
        """The number of documents, those with problems included."""
        return self._names.n_documents

    @property
    def length_unit(self) -> str | None:
        """The unit of length, where the data say it."""
        return self._names.length_unit

    @property
    def notes(self) -> tuple[str, ...]:
        """How the data were changed while reading."""
        return self._names.notes

    @property
    def units_of_annotators(self) -> Mapping[str, int]:
        """How many units each annotator has."""
        return self._names.units

    @property
    def most_units(self) -> int:
        """How many units the largest part has."""
        return max(sum(group.rows for group in groups["units"]) for groups in self._parts)

    @cached_property
    def fingerprint(self) -> Mapping[str, str]:
        """Size and hash of each file."""
        return {f"{kind} ({file.name})": _fingerprint(file) for kind, file in self._paths.items()}

    @cached_property
    def _names(self) -> _Names:
        annotators, categories, length_units, notes = set[str](), set[str](), set[str](), dict[str, None]()
        units: Counter[str] = Counter()
        n_documents = 0
        for index in range(len(self)):
            (corpus, _), n_faulty = self._read(index).part()
            n_documents += len(corpus) + n_faulty
            annotators.update(corpus.annotators)
            categories.update(corpus.categories)
            length_units.update((corpus.length_unit or "").split("/"))
            notes.update(dict.fromkeys(corpus.notes))
            counts = np.bincount(corpus.annotator, minlength=len(corpus.annotators)).tolist()
            units.update(dict(zip(corpus.annotators, counts, strict=True)))
        people, labels = tuple(sorted(annotators)), tuple(sorted(categories))
        self._check_tags(labels)
        length_unit = "/".join(sorted(length_units - {""})) or None
        return _Names(people, labels, n_documents, length_unit, tuple(notes), {name: units[name] for name in people})

    def _check_tags(self, categories: Sequence[str]) -> None:
        column = {self._options.name("category") or "": Coded(np.empty(0, dtype=np.int64), categories)}
        table = Table.of(column, "units", self._paths["units"].name)
        refuse_tags(TableFile(table, (), [], self._options), choices())

    def _read(self, index: int) -> _PartTables:
        options, tables, notes = self._options, dict[str, Table](), list[str]()
        for kind, path in self._paths.items():
            file = read_table(Source(path, path.name), kind, options, self._parts[index][kind])
            options = file.options if kind == "units" else options
            tables[kind] = file.table
            notes += (*file.notes, *options.notes(file.table))
        return _PartTables(ReadTables(tables, self._paths["units"], options), tuple(notes))


class _PartTables(NamedTuple):
    """The tables of a part, and notes on how they were read."""

    read: ReadTables
    notes: tuple[str, ...]

    def part(self) -> tuple[Part, int]:
        """Return the documents without problems and the problems of the others, and how many others there are."""
        read, problems, faulty = self.read, list[Problem](), set[str]()
        while (checked := read.checked()).problems:
            documents = set[str]().union(*(_documents_of(problem, read) for problem in checked.problems))
            if not documents:
                refuse(checked.problems)
            problems += each(checked.problems)
            faulty |= documents
            read = read._replace(tables={kind: _without(table, read, documents) for kind, table in read.tables.items()})
        return Part(Corpus(**checked.columns(self.notes)), tuple(problems)), len(faulty)


def _documents_of(problem: Problem | RowsProblem, read: ReadTables) -> set[str]:
    """Return the documents that have a problem, none where it does not say whose it is."""
    if isinstance(problem, Problem):
        return set()
    file = problem.location(int(problem.rows[0])).file
    tables = [table for table in read.tables.values() if table.origin == file]
    if len(tables) != 1:
        return set()
    column = _document_column(tables[0], read)
    return {column.labels[code] for code in np.unique(column.codes[problem.rows]).tolist()}


def _document_column(table: Table, read: ReadTables) -> Coded:
    name = read.options.name("document") or ""
    column: Coded = table.columns[name if name in table.columns else "document"]
    return column


def _without(table: Table, read: ReadTables, documents: set[str]) -> Table:
    """Return a table without the rows of some documents."""
    column = _document_column(table, read)
    kept = np.flatnonzero(np.array([label not in documents for label in column.labels])[column.codes])
    columns = {name: _rows(values, kept) if len(values) else values for name, values in table.columns.items()}
    return replace(table, columns=columns, location=lambda row: table.location(int(kept[row])))


def _rows(values: Any, kept: IntArray) -> Any:  # noqa: ANN401  (Coded, an array or a list)
    if isinstance(values, Coded):
        return values._replace(codes=values.codes[kept])
    return values[kept] if isinstance(values, np.ndarray) else [values[row] for row in kept.tolist()]


def _with_names(corpus: Corpus, names: _Names) -> Corpus:
    """Return the corpus of a part with the names of all."""
    annotator = _codes(corpus.annotators, names.annotators)
    category = np.append(_codes(corpus.categories, names.categories), UNLABELLED)
    return replace(
        corpus,
        annotators=names.annotators,
        categories=names.categories,
        seen=annotator[corpus.seen],
        annotator=annotator[corpus.annotator],
        category=category[corpus.category],
        length_unit=names.length_unit,
        notes=names.notes,
    )


def _codes(some: Sequence[str], every: Sequence[str]) -> IntArray:
    """Return where some of sorted names stand among all."""
    code = {name: index for index, name in enumerate(every)}
    return np.array([code[name] for name in some], dtype=np.int64)


def _fingerprint(file: Path) -> str:
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "blake2b").hexdigest()
    return f"{file.stat().st_size} bytes, {digest[:32]}"


def _ranges(paths: Mapping[str, Path], options: TableOptions) -> Groups | None:
    """Return the row groups of each table with the range of their documents, ``None`` where that is not known."""
    units = paths["units"]
    options, _ = options.resolved(Location(units.name, None), column_names(units))
    if options.name("document") is None or options.name("annotator") is None:
        return None
    ranges: Groups = {}
    for kind, path in paths.items():
        groups = row_groups(path, options.name("document") or "")
        groups = row_groups(path, "document") if groups is None and kind != "units" else groups
        if groups is None:
            return None
        ranges[kind] = groups
    return ranges


def _parts(ranges: Groups) -> list[Groups]:
    """Return the row groups of each part: those with documents in common, and further ones while they are small."""
    parts: list[Groups] = []
    rows, high = _LEAST, ""
    every = [(group, kind) for kind, groups in ranges.items() for group in groups]
    for group, kind in sorted(every, key=_first_document):
        if rows >= _LEAST and (not parts or group.low > high):
            parts.append({of: [] for of in ranges})
            rows = 0
        parts[-1][kind].append(group)
        high = max(high, group.high)
        rows += group.rows
    return [{kind: sorted(groups) for kind, groups in part.items()} for part in parts]


def _first_document(group_of_kind: tuple[RowGroup, str]) -> str:
    return group_of_kind[0].low
