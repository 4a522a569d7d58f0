"""Parquet data sets larger than memory: a part of a few row groups with complete documents is read at a time.

The statistics of row groups give the range of their documents. Groups of any table with overlapping ranges are read
together. If rows are sorted by document, this is one group of each table; otherwise it may be all groups.
"""

from __future__ import annotations

import contextlib
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gamma_align.columns import UNLABELLED, IntArray
from gamma_align.data import (
    Coded,
    Corpus,
    Part,
    Problems,
    RowsProblem,
    Table,
    Versions,
    composed,
    forms_note,
    joined,
    refuse,
    relabelled,
    rows_of,
    single_problems,
    unseen_note,
    versions_of_parts,
)
from gamma_align.errors import Call, Cure, InputError, Location, MissingExtraError, Problem
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import choices
from gamma_align.reading.read import ReadTables, layout_or_tables
from gamma_align.reading.tables.columns import (
    ColumnValues,
    TableFile,
    TableOptions,
    refuse_other_categories,
    refuse_tags,
)
from gamma_align.reading.tables.parquet_tables import RowGroup, column_names, read_table, row_groups

LARGE = 1_000_000
"""Minimum number of units for reading a data set part by part."""

_MIN_PART_ROWS = 50_000  # of all tables together: small row groups are read together

Groups = dict[str, list[RowGroup]]
"""Row groups by kind of table."""


def data_set_at(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    encoding: str | None = None,  # noqa: ARG001  (as in `read`; Parquet is UTF-8)
    min_units: int | None = None,
) -> DataSet | None:
    """Return the data set of Parquet tables at a path, ``None`` if there is none of at least `min_units` units.

    The settings have the meaning of `gamma_align.read`, which returns the same corpus. All parts are read once for the
    names of annotators and categories; no part is kept.
    """
    paths = {"annotations": annotations, "documents": documents}
    files_and_notes = _files(Path(path), format, dict(columns or {}), paths)
    if files_and_notes is None:
        return None
    sources, notes = files_and_notes
    options = TableOptions(dict(columns or {}))
    groups = _groups(sources, options)
    if min_units is None:
        min_units = LARGE
    if groups is None or sum(group.n_rows for group in groups["units"]) < min_units:
        return None
    return DataSet(sources, options, _parts(groups), notes)


def large_data_set(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    annotations: str | os.PathLike[str] | None = None,
    documents: str | os.PathLike[str] | None = None,
    encoding: str | None = None,
) -> DataSet | None:
    """Return the data set at a path if it is large and has several parts; errors are left to reading it whole."""
    with contextlib.suppress(InputError, MissingExtraError):
        data = data_set_at(
            path, format=format, columns=columns, annotations=annotations, documents=documents, encoding=encoding
        )
        return data if data is not None and len(data) > 1 else None
    return None


def _files(
    path: Path,
    name: str | None,
    columns: dict[str, str | None],
    named_paths: Mapping[str, str | os.PathLike[str] | None],
) -> tuple[dict[str, list[Source]], tuple[str, ...]] | None:
    """Return the files of each table, one or several of units, and notes; ``None`` if any file is no Parquet table."""
    named = {kind: Path(file) for kind, file in named_paths.items() if file is not None}
    if name not in (None, "parquet") or not (path.is_dir() or path.suffix.lower() == ".parquet"):
        return None
    tables = layout_or_tables(path, name, choices(), named, has_columns=bool(columns))
    if tables is None:
        return None
    if not isinstance(tables, dict):
        sources = [placed.source for placed in tables.files]
        is_parquet = tables.fmt.name == "parquet" and all(source.suffix == ".parquet" for source in sources)
        return ({"units": sources}, tables.notes) if is_parquet else None
    if any(table_format.name != "parquet" for _, table_format in tables.values()):
        return None
    return {kind: [Source(file, file.name)] for kind, (file, _) in tables.items()}, ()


class Marked(NamedTuple):
    """Numbers of documents that each annotator saw and of units that each marked, in all parts.

    `annotator` and `category` are codes: each pair of an annotator and a category of the annotator's units once, -1 for
    units without category.
    """

    documents: IntArray
    units: IntArray
    annotator: IntArray
    category: IntArray


class _Names(NamedTuple):
    """Names, counts and notes of all parts; `forms` are the names of each role that are written in two forms."""

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    n_documents: int
    length_unit: str | None
    notes: tuple[str, ...]
    marked: Marked
    forms: Mapping[str, Mapping[str, str]]


class DataSet:
    """A corpus in Parquet tables, part by part: see `gamma_align.data.parts`."""

    def __init__(
        self,
        files: Mapping[str, Sequence[Source]],
        options: TableOptions,
        parts: Sequence[Groups],
        notes: tuple[str, ...] = (),
    ) -> None:
        self._files = files
        self._options = options
        self._parts = parts
        self._notes = notes

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: int) -> Part:
        part, *_ = self._read(index, self._names.forms).valid_part()
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
        """The unit of length, if the data name it."""
        return self._names.length_unit

    @property
    def notes(self) -> tuple[str, ...]:
        """Every assumption made while reading."""
        return self._names.notes

    @property
    def marked(self) -> Marked:
        """Numbers of documents and units of each annotator, without documents with problems."""
        return self._names.marked

    @cached_property
    def fingerprint(self) -> Mapping[str, str]:
        """Size and hash of each file."""
        return {f"{kind} ({file.name})": _fingerprint(file.path) for kind, file in _with_kinds(self._files)}

    @cached_property
    def _names(self) -> _Names:
        length_units: set[str] = set()
        notes: dict[str, None] = {}
        documents: Counter[str] = Counter()
        units: Counter[str] = Counter()
        pairs: set[tuple[str, str | None]] = set()
        categories: set[str] = set()
        document_names: set[str] = set()
        found: list[Versions | None] = []
        n_documents = 0
        for index in range(len(self)):
            (corpus, _), n_faulty, found_in_part = self._read(index, find_versions=True).valid_part()
            found.append(found_in_part)
            document_names.update(name for name in corpus.documents if not name.isascii())
            n_documents += len(corpus) + n_faulty
            categories.update(corpus.categories)
            length_units.update((corpus.length_unit or "").split("/"))
            notes.update(dict.fromkeys(corpus.notes))
            documents.update(_counted(corpus.seen, corpus.annotators))
            units.update(_counted(corpus.annotator, corpus.annotators))
            pairs |= _pairs(corpus)
        self._check_documents(document_names)
        notes.update(dict.fromkeys(self._say_versions(found, units.total())))
        forms = {"annotator": composed(documents), "category": composed(categories)}
        for role, form in forms.items():
            notes.update(dict.fromkeys(forms_note(role, name) for name in form.values()))
        documents, units = (_renamed(counts, forms["annotator"]) for counts in (documents, units))
        pairs = {
            (forms["annotator"].get(name, name), label and forms["category"].get(label, label)) for name, label in pairs
        }
        categories = {forms["category"].get(label, label) for label in categories}
        annotators = tuple(sorted(documents))
        labels = tuple(sorted(categories))
        self._check_tags(labels)  # a single part may have too few categories to recognise tags
        marked = Marked(
            documents=np.array([documents[name] for name in annotators], dtype=np.int64),
            units=np.array([units[name] for name in annotators], dtype=np.int64),
            annotator=_codes([name for name, _ in pairs], annotators),
            category=_codes([label for _, label in pairs], labels),
        )
        length_unit = "/".join(sorted(length_units - {""})) or None
        unseen = unseen_note(n_documents, len(annotators), documents.total())
        if unseen is not None and not self._read(0).read.tells_seen:
            notes[unseen] = None
        return _Names(annotators, labels, n_documents, length_unit, tuple(notes), marked, forms)

    def _check_documents(self, names: Iterable[str]) -> None:
        """Refuse a document that has another form of its name in another part: it would be two documents."""
        name = next(iter(composed(names).values()), None)
        if name is not None:
            raise InputError(
                f"the document {name!r} is written in two forms of Unicode (NFC and NFD), far apart in the data set",
                Cure("write the data set anew with {}, which unites them", Call("write", "convert")),
                Location(self._files["units"][0].name),
            )

    def _say_versions(self, found: Iterable[Versions | None], n_units: int) -> tuple[str, ...]:
        """Refuse versions of an annotation that an unread column tells apart, or return a note if they are few."""
        versions = versions_of_parts(found, n_units)
        problems: Problems = []
        notes = () if versions is None else versions.said(problems, self._files["units"][0].name)
        refuse(problems)
        return notes

    def _check_tags(self, categories: Sequence[str]) -> None:
        column = {self._options.name("category") or "": Coded(np.empty(0, dtype=np.int64), categories)}
        table = Table.of(column, "units", self._files["units"][0].name)
        refuse_tags(TableFile(table, (), [], self._options), choices())

    def _read(
        self, index: int, forms: Mapping[str, Mapping[str, str]] | None = None, *, find_versions: bool = False
    ) -> _PartTables:
        """Return the tables of a part with each name in the form of `forms`.

        With `find_versions`, columns that are not read can be looked at.
        """
        options = self._options
        tables: dict[str, Table] = {}
        notes = [*self._notes]
        for kind, sources in self._files.items():
            groups: dict[Source, list[RowGroup]] = {}
            for group in self._parts[index][kind]:
                groups.setdefault(group.source, []).append(group)
            used = [source for source in sources if source in groups] or sources[:1]  # without rows, for the columns
            files = [read_table(source, kind, options, groups.get(source, [])) for source in used]
            if kind == "units":
                options = files[0].options
            table = _in_forms(_one_table([file.table for file in files]), options, forms or {})
            if kind == "units" and find_versions:
                table = replace(table, unread=partial(_read_column, used, groups, options))
                refuse_other_categories(TableFile(table, (), [], options), self._options.columns)
            tables[kind] = table
            for file in files:
                notes += (*file.notes, *options.notes(file.table))
        names = {kind: frozenset(source.name for source in sources) for kind, sources in self._files.items()}
        return _PartTables(ReadTables(tables, self._files["units"][0].path, options), names, tuple(notes))


def _read_column(
    sources: Sequence[Source], groups: Mapping[Source, Sequence[RowGroup]], options: TableOptions, name: str
) -> Mapping[str, ColumnValues]:
    """Return a column of units that the options do not read, in some row groups of each file."""
    alone = options.alone(name)
    columns = [read_table(source, "units", alone, groups.get(source, [])).table.columns[name] for source in sources]
    return joined([{name: column} for column in columns])


def _in_forms(table: Table, options: TableOptions, forms: Mapping[str, Mapping[str, str]]) -> Table:
    """Return a table with each name of a role in the form that `forms` has for it."""
    for role, form in forms.items():
        name = options.name(role) or ""
        name = name if name in table.columns else role
        column = table.columns.get(name)
        if form and isinstance(column, Coded):
            table = table.with_column(name, relabelled(column, form))
    return table


def _one_table(tables: Sequence[Table]) -> Table:
    """Return the rows of several tables of the same columns as one."""
    if len(tables) == 1:
        return tables[0]
    ends = np.cumsum([len(table) for table in tables]).tolist()

    def location(row: int) -> Location:
        index = bisect_right(ends, row)
        return tables[index].location(row - (ends[index - 1] if index else 0))

    return replace(tables[0], columns=joined([table.columns for table in tables]), location=location)


def _with_kinds(files: Mapping[str, Sequence[Source]]) -> Iterator[tuple[str, Source]]:
    """Yield each file with its kind of table."""
    for kind, sources in files.items():
        for source in sources:
            yield kind, source


class _PartTables(NamedTuple):
    """The tables of a part, the names of the files of each kind, and notes on how they were read."""

    read: ReadTables
    files: Mapping[str, frozenset[str]]
    notes: tuple[str, ...]

    def valid_part(self) -> tuple[Part, int, Versions | None]:
        """Return the documents without problems, with the problems of the others, and the number of the others.

        The last is the column that tells repeated units apart.
        """
        read = self.read
        problems: list[Problem] = []
        faulty: set[str] = set()
        checked = read.checked()
        while checked.problems:  # without the faulty documents, checks may find further ones
            documents: set[str] = set()
            for problem in checked.problems:
                documents |= self._documents_with(problem, read, checked.listed_rows)
            if not documents:
                refuse(checked.problems)
            problems += single_problems(checked.problems)
            faulty |= documents
            read = read._replace(tables={kind: _without(table, read, documents) for kind, table in read.tables.items()})
            checked = read.checked()
        return Part(Corpus(**checked.columns(self.notes)), tuple(problems)), len(faulty), checked.versions

    def _documents_with(
        self, problem: Problem | RowsProblem, read: ReadTables, listed_rows: IntArray | None
    ) -> set[str]:
        """Return the documents that have a problem, none if it is not known; see `CheckedTables.listed_rows`."""
        if isinstance(problem, Problem):
            return set()
        file = problem.location(int(problem.rows[0])).file
        kinds = [kind for kind, names in self.files.items() if file in names]
        if len(kinds) != 1:
            return set()
        column = _document_column(read.tables[kinds[0]], read)
        rows = problem.rows if listed_rows is None or kinds[0] != "units" else listed_rows[problem.rows]
        return {column.labels[code] for code in np.unique(column.codes[rows]).tolist()}


def _document_column(table: Table, read: ReadTables) -> Coded:
    name = read.options.name("document") or ""
    column: Coded = table.columns[name if name in table.columns else "document"]
    return column


def _without(table: Table, read: ReadTables, documents: set[str]) -> Table:
    """Return a table without the rows of some documents."""
    column = _document_column(table, read)
    is_kept = np.array([label not in documents for label in column.labels])
    rows = np.flatnonzero(is_kept[column.codes])
    columns = _rows_of_columns(table.columns, rows)
    without = replace(table, columns=columns, location=lambda row: table.location(int(rows[row])))
    read_column = table.unread
    if read_column is None:
        return without
    return replace(without, unread=lambda name: _rows_of_columns(read_column(name), rows))


def _rows_of_columns(columns: Mapping[str, ColumnValues], rows: IntArray) -> dict[str, ColumnValues]:
    """Return rows of the columns that are read; others are empty."""
    return {name: rows_of(values, rows) if len(values) else values for name, values in columns.items()}


def _with_names(corpus: Corpus, names: _Names) -> Corpus:
    """Return the corpus of a part with the names of all parts."""
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


def _codes(names: Iterable[str | None], all_names: Sequence[str]) -> IntArray:
    """Return the index of each name among all, -1 for None."""
    code: dict[str | None, int] = {name: index for index, name in enumerate(all_names)}
    code[None] = UNLABELLED
    return np.array([code[name] for name in names], dtype=np.int64)


def _renamed(counts: Counter[str], new_names: Mapping[str, str]) -> Counter[str]:
    """Return the counts by new names; names without a new one stay."""
    renamed: Counter[str] = Counter()
    for name, count in counts.items():
        renamed[new_names.get(name, name)] += count
    return renamed


def _counted(codes: IntArray, names: Sequence[str]) -> dict[str, int]:
    """Return the frequency of each name."""
    return dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))


def _pairs(corpus: Corpus) -> set[tuple[str, str | None]]:
    """Return each pair of an annotator and a category that units have, by name."""
    labels = [*corpus.categories, None]  # code -1 reads the last
    keys = np.unique(corpus.annotator * len(labels) + corpus.category + 1).tolist()
    return {(corpus.annotators[key // len(labels)], labels[key % len(labels) - 1]) for key in keys}


def _fingerprint(file: Path) -> str:
    import hashlib  # loads OpenSSL: 3.6 MB, which a corpus that is not read in parts does without

    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "blake2b").hexdigest()
    return f"{file.stat().st_size} bytes, {digest[:32]}"


def _groups(files: Mapping[str, Sequence[Source]], options: TableOptions) -> Groups | None:
    """Return the row groups of each kind of table with the range of their documents, ``None`` if it is not known."""
    names = [column_names(source.path) for source in files["units"]]
    options, _ = options.resolved(Location(files["units"][0].name), names[0])
    document = options.name("document")
    # All files of units need the same columns to be one table.
    if document is None or options.name("annotator") is None or names.count(names[0]) < len(names):
        return None
    groups: Groups = {kind: [] for kind in files}
    for kind, source in _with_kinds(files):
        groups_of_file = row_groups(source, document)
        if groups_of_file is None and kind != "units":  # other tables may keep our name
            groups_of_file = row_groups(source, "document")
        if groups_of_file is None:
            return None
        groups[kind] += groups_of_file
    return groups


def _parts(groups: Groups) -> list[Groups]:
    """Return the row groups of each part: groups with overlapping ranges, and further ones while the part is small."""
    pairs = [*chain.from_iterable(zip(groups_of_kind, repeat(kind)) for kind, groups_of_kind in groups.items())]
    parts: list[Groups] = []
    n_rows = 0
    highest = ""
    for group, kind in sorted(pairs, key=_first_document):
        if not parts or (n_rows >= _MIN_PART_ROWS and group.lowest > highest):
            parts.append({kind_of_part: [] for kind_of_part in groups})
            n_rows = 0
        parts[-1][kind].append(group)
        highest = max(highest, group.highest)
        n_rows += group.n_rows
    return [{kind: sorted(in_part, key=_position) for kind, in_part in part.items()} for part in parts]


def _position(group: RowGroup) -> int:
    return group.position


def _first_document(group_and_kind: tuple[RowGroup, str]) -> str:
    group, _ = group_and_kind
    return group.lowest
