"""Parquet data sets larger than memory: read part by part, each a few row groups of whole documents.

The statistics of row groups say which documents they hold. Groups with documents in common, in whichever of the tables,
are read together: where rows are sorted by document that is one group of each table, otherwise it may be all of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import Part
from gamma_align.data.problem import RowsProblem, refuse, single_problems
from gamma_align.data.tables import Coded, Table, joined
from gamma_align.errors import InputError, Location, MissingExtraError, Problem
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import choices
from gamma_align.reading.read import ReadTables, layout_or_tables
from gamma_align.reading.tables.columns import TableFile, TableOptions, refuse_tags
from gamma_align.reading.tables.parquet_tables import RowGroup, column_names, read_table, row_groups

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
    encoding: str | None = None,  # noqa: ARG001  (as in `read`; Parquet is UTF-8)
    least: int | None = None,
) -> DataSet | None:
    """Return the data set of Parquet tables at a path, ``None`` where there is none of `least` units.

    Settings are those of `gamma_align.read`; it reads the same corpus, whole. Parts without problems are read to know
    all names, and no part is kept.
    """
    found = _files(Path(path), format, dict(columns or {}), {"annotations": annotations, "documents": documents})
    if found is None:
        return None
    sources, notes = found
    options = TableOptions(dict(columns or {}))
    ranges = _ranges(sources, options)
    if ranges is None or sum(group.rows for group in ranges["units"]) < (LARGE if least is None else least):
        return None
    return DataSet(sources, options, _parts(ranges), notes)


def large_data_set(path: str | os.PathLike[str], **settings: Any) -> DataSet | None:  # noqa: ANN401  (of data_set_at)
    """Return the data set at a path if it is large and can be read in parts; errors are left to reading it whole."""
    with contextlib.suppress(InputError, MissingExtraError):
        data = data_set_at(path, **settings)
        return data if data is not None and len(data) > 1 else None
    return None


def _files(
    path: Path, name: str | None, columns: dict[str, str | None], beside: Mapping[str, str | os.PathLike[str] | None]
) -> tuple[dict[str, list[Source]], tuple[str, ...]] | None:
    """Return the files of each table, of units one or several, and notes; ``None`` where there are others or texts."""
    named = {kind: Path(file) for kind, file in beside.items() if file is not None}
    if name not in (None, "parquet") or not (path.is_dir() or path.suffix.lower() == ".parquet"):
        return None
    found = layout_or_tables(path, name, choices(), named, columns=bool(columns))
    if found is None:
        return None
    if not isinstance(found, dict):
        sources = [placed.source for placed in found.files]
        is_parquet = found.fmt.name == "parquet" and all(source.suffix == ".parquet" for source in sources)
        return ({"units": sources}, found.notes) if is_parquet else None
    if any(fmt.name != "parquet" for _, fmt in found.values()):
        return None
    return {kind: [Source(file, file.name)] for kind, (file, _) in found.items()}, ()


class Marked(NamedTuple):
    """What annotators marked in all parts: the documents that each saw, and the units of each.

    `annotator` and `category` are codes: each annotator with each category of the units, -1 for none, once.
    """

    documents: IntArray
    units: IntArray
    annotator: IntArray
    category: IntArray


class _Names(NamedTuple):
    """What is known of all parts once each was read."""

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    n_documents: int
    length_unit: str | None
    notes: tuple[str, ...]
    marked: Marked


class DataSet:
    """A corpus in Parquet tables, part by part: see `gamma_align.data.parts`."""

    def __init__(
        self,
        files: Mapping[str, Sequence[Source]],
        options: TableOptions,
        parts: Sequence[Groups],
        notes: tuple[str, ...] = (),
    ) -> None:
        self._files, self._options, self._parts, self._notes = files, options, parts, notes

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
    def marked(self) -> Marked:
        """What annotators marked, documents with problems left out."""
        return self._names.marked

    @cached_property
    def fingerprint(self) -> Mapping[str, str]:
        """Size and hash of each file."""
        every = [(kind, file) for kind, files in self._files.items() for file in files]
        return {f"{kind} ({file.name})": _fingerprint(file.path) for kind, file in every}

    @cached_property
    def _names(self) -> _Names:
        length_units, notes = set[str](), dict[str, None]()
        documents, units, pairs = Counter[str](), Counter[str](), set[tuple[str, str | None]]()
        categories, n_documents = set[str](), 0
        for index in range(len(self)):
            (corpus, _), n_faulty = self._read(index).part()
            n_documents += len(corpus) + n_faulty
            categories.update(corpus.categories)
            length_units.update((corpus.length_unit or "").split("/"))
            notes.update(dict.fromkeys(corpus.notes))
            documents.update(_counted(corpus.seen, corpus.annotators))
            units.update(_counted(corpus.annotator, corpus.annotators))
            pairs |= _pairs(corpus)
        people, labels = tuple(sorted(documents)), tuple(sorted(categories))
        self._check_tags(labels)
        annotator = _codes([name for name, _ in pairs], people)
        category = _codes([label for _, label in pairs], labels)
        seen, marked = (np.array([counts[name] for name in people], dtype=np.int64) for counts in (documents, units))
        length_unit = "/".join(sorted(length_units - {""})) or None
        return _Names(people, labels, n_documents, length_unit, tuple(notes), Marked(seen, marked, annotator, category))

    def _check_tags(self, categories: Sequence[str]) -> None:
        column = {self._options.name("category") or "": Coded(np.empty(0, dtype=np.int64), categories)}
        table = Table.of(column, "units", self._files["units"][0].name)
        refuse_tags(TableFile(table, (), [], self._options), choices())

    def _read(self, index: int) -> _PartTables:
        options, tables, notes = self._options, dict[str, Table](), [*self._notes]
        for kind, sources in self._files.items():
            groups = self._parts[index][kind]
            of_source = [[group for group in groups if group.source is source] for source in sources]
            there = [pair for pair in zip(sources, of_source, strict=True) if pair[1]] or [(sources[0], [])]
            files = [read_table(source, kind, options, some) for source, some in there]
            options = files[0].options if kind == "units" else options
            tables[kind] = _one_table([file.table for file in files])
            for file in files:
                notes += (*file.notes, *options.notes(file.table))
        names = {kind: frozenset(source.name for source in sources) for kind, sources in self._files.items()}
        return _PartTables(ReadTables(tables, self._files["units"][0].path, options), names, tuple(notes))


def _one_table(tables: Sequence[Table]) -> Table:
    """Return the rows of several tables of the same columns as one."""
    if len(tables) == 1:
        return tables[0]
    ends = np.cumsum([len(table) for table in tables]).tolist()

    def location(row: int) -> Location:
        index = bisect_right(ends, row)
        return tables[index].location(row - (ends[index - 1] if index else 0))

    return replace(tables[0], columns=joined([table.columns for table in tables]), location=location)


class _PartTables(NamedTuple):
    """The tables of a part, the names of the files of each, and notes on how they were read."""

    read: ReadTables
    files: Mapping[str, frozenset[str]]
    notes: tuple[str, ...]

    def part(self) -> tuple[Part, int]:
        """Return the documents without problems and the problems of the others, and how many others there are."""
        read, problems, faulty = self.read, list[Problem](), set[str]()
        while (checked := read.checked()).problems:
            documents = set[str]().union(*(self._documents_of(problem, read) for problem in checked.problems))
            if not documents:
                refuse(checked.problems)
            problems += single_problems(checked.problems)
            faulty |= documents
            read = read._replace(tables={kind: _without(table, read, documents) for kind, table in read.tables.items()})
        return Part(Corpus(**checked.columns(self.notes)), tuple(problems)), len(faulty)

    def _documents_of(self, problem: Problem | RowsProblem, read: ReadTables) -> set[str]:
        """Return the documents that have a problem, none where it does not say whose it is."""
        if isinstance(problem, Problem):
            return set()
        file = problem.location(int(problem.rows[0])).file
        kinds = [kind for kind, names in self.files.items() if file in names]
        if len(kinds) != 1:
            return set()
        column = _document_column(read.tables[kinds[0]], read)
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
    category = _codes([*corpus.categories, None], names.categories)  # code -1 reads the last
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


def _codes(some: Iterable[str | None], every: Sequence[str]) -> IntArray:
    """Return where some names stand among all, -1 for none."""
    code: dict[str | None, int] = {name: index for index, name in enumerate(every)}
    code[None] = UNLABELLED
    return np.array([code[name] for name in some], dtype=np.int64)


def _counted(codes: IntArray, names: Sequence[str]) -> dict[str, int]:
    """Return how often each name is there."""
    return dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))


def _pairs(corpus: Corpus) -> set[tuple[str, str | None]]:
    """Return the names of each annotator and category that some unit has."""
    labels = [*corpus.categories, None]  # code -1 reads the last
    keys = np.unique(corpus.annotator * len(labels) + corpus.category + 1).tolist()
    return {(corpus.annotators[key // len(labels)], labels[key % len(labels) - 1]) for key in keys}


def _fingerprint(file: Path) -> str:
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "blake2b").hexdigest()
    return f"{file.stat().st_size} bytes, {digest[:32]}"


def _ranges(files: Mapping[str, Sequence[Source]], options: TableOptions) -> Groups | None:
    """Return the row groups of each table with the range of their documents, ``None`` where that is not known."""
    names = [column_names(source.path) for source in files["units"]]
    options, _ = options.resolved(Location(files["units"][0].name, None), names[0])
    if options.name("document") is None or options.name("annotator") is None or names.count(names[0]) < len(names):
        return None
    ranges: Groups = {kind: [] for kind in files}
    for kind, source in ((kind, source) for kind, sources in files.items() for source in sources):
        groups = row_groups(source, options.name("document") or "")
        groups = row_groups(source, "document") if groups is None and kind != "units" else groups
        if groups is None:
            return None
        ranges[kind] += groups
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
    return [{kind: sorted(groups, key=_place) for kind, groups in part.items()} for part in parts]


def _place(group: RowGroup) -> int:
    return group.number


def _first_document(group_of_kind: tuple[RowGroup, str]) -> str:
    return group_of_kind[0].low
