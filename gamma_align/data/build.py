"""Build the columns of a corpus from records and tables: coding, checks, sorting.

Each check of data is worded once, here, in `tables` or in `extents`, with its rows and the cure. All checks add to a
list of problems; building a corpus raises the first of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import isfinite, nan
from operator import itemgetter
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from gamma_align.columns import UNLABELLED, BoolArray, FloatArray, IntArray, distinct
from gamma_align.data.category_lists import one_category_a_row, several_annotators
from gamma_align.data.clock_times import with_seconds
from gamma_align.data.column_names import READ_ROLES, recognised
from gamma_align.data.decimals import end_of
from gamma_align.data.extents import Extents, Rows, declared_extents, extents
from gamma_align.data.problem import Problems, RowsProblem, refuse
from gamma_align.data.spelling import composed
from gamma_align.data.tables import (
    Coded,
    Table,
    factorized,
    in_one_form,
    known_columns,
    label_of,
    merged,
    names,
    numbers,
)
from gamma_align.data.unread_categories import refuse_unread_category
from gamma_align.data.versions import Versions, repeated_rows, versions
from gamma_align.errors import Cure, Fix, InputError, Note, SettingsError

ONE_DOCUMENT = "continuum"
"""The name of the document of units that have no column of documents."""

_UNIT_FIELDS = ("document", "annotator", "start", "end", "category")


def unit_columns(records: Iterable[Sequence[object]], *, document: str | None = None) -> dict[str, list[object]]:
    """Return the columns of units from records; with `document`, records begin with the annotator."""
    names = _UNIT_FIELDS if document is None else _UNIT_FIELDS[1:]
    rows = _checked(records, names, n_optional=1, kind="unit")
    given_by_all = names if {*map(len, rows)} <= {len(names)} else names[:-1]
    columns = {name: [*map(itemgetter(index), rows)] for index, name in enumerate(given_by_all)}
    if "category" not in columns:
        columns["category"] = [row[-1] if len(row) == len(names) else None for row in rows]
    if document is not None:
        columns["document"] = [document] * len(rows)
    return columns


def pair_columns(pairs: Iterable[Sequence[object]]) -> dict[str, list[object]]:
    """Return the columns of (document, annotator) pairs."""
    rows = _checked(pairs, ("document", "annotator"), n_optional=0, kind="annotation")
    return {"document": [row[0] for row in rows], "annotator": [row[1] for row in rows]}


def document_columns(
    extents: Mapping[str, tuple[float, float]], documents: Iterable[str], used: Iterable[object]
) -> dict[str, list[object]] | None:
    """Return the list of documents with their extents, or ``None`` if no document is declared.

    `used` are the documents of units and annotations, which the list has to contain, too.
    """
    pairs = ((name, *_pair(name, pair)) for name, pair in extents.items())
    rows = _checked(pairs, ("document", "L", "R"), n_optional=0, kind="extent")
    bounds = {_name(name): (low, high) for name, low, high in rows}
    declared = [*map(_name, documents), *bounds]
    if not declared:
        return None
    # A missing name among the units is reported later, with its row.
    names = list(dict.fromkeys([*declared, *(_name(name) for name in used if name is not None)]))
    form = composed(name for name in names if name is not None)
    if form:  # each name is listed once
        bounds = {form.get(str(name), name): pair for name, pair in bounds.items()}
        names = list(dict.fromkeys(form.get(str(name), name) for name in names))
    no_bounds = (None, None)
    return {
        "document": [*names],
        "start": [bounds.get(name, no_bounds)[0] for name in names],
        "end": [bounds.get(name, no_bounds)[1] for name in names],
    }


def _name(value: object) -> str | None:
    try:
        return label_of(value)
    except TypeError as error:
        raise InputError(f"a document is named {value!r}, {error}", "a name is one string") from None


def _pair(name: str, pair: Iterable[object]) -> tuple[object, ...]:
    try:
        return tuple(pair)
    except TypeError:
        raise InputError(f"the extent of document {name!r} is {pair!r}", "(L, R) is needed") from None


def _checked(
    records: Iterable[Sequence[object]], names: tuple[str, ...], n_optional: int, kind: str
) -> list[tuple[object, ...]]:
    """Return the records as tuples; each needs the fields in `names`; the last `n_optional` may be missing."""
    records = [*records]
    if {*map(type, records)} <= {tuple, list}:  # looked at together; the loop says which record is wrong
        rows = [*map(tuple, records)]
        if {*map(len, rows)} <= {*range(len(names) - n_optional, len(names) + 1)}:
            return rows
    rows = []
    for number, record in enumerate(records, 1):
        if isinstance(record, (str, bytes)) or not hasattr(record, "__iter__"):
            raise InputError(f"{kind} {number} is {record!r}", f"a record of {', '.join(names)} is needed")
        row = tuple(record)
        if not len(names) - n_optional <= len(row) <= len(names):
            expected = f"{len(names)}: {', '.join(names)}"
            if n_optional:
                fields = f"{', '.join(names[:-1])} and optionally {names[-1]}"
                expected = f"{len(names) - n_optional} or {len(names)}: {fields}"
            raise InputError(f"{kind} {number} has {len(row)} fields: {row!r}", f"give {expected}")
        rows.append(row)
    return rows


_NO_LABELS = Coded(np.empty(0, dtype=np.int64), ())


class CorpusColumns(TypedDict, total=False):
    """The columns of a corpus, by the names of its attributes."""

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    seen_offsets: IntArray
    seen: IntArray
    unit_offsets: IntArray
    annotator: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray
    extents: FloatArray
    length_unit: str | None
    notes: tuple[str, ...]
    texts: tuple[str | None, ...]
    tokens: tuple[tuple[str, ...] | None, ...]
    seen_is_told: bool


class CheckSettings(TypedDict, total=False):
    """Keyword arguments of `check_tables`."""

    annotations: Table | None
    documents: Table | None
    columns: Mapping[str, str | None] | None
    outside: str
    document: str
    swap: bool
    ask_versions: bool
    split_lists: bool


class CheckedTables(NamedTuple):
    """The contents of tables, and all their problems.

    `seen` are the annotators who saw a document, as document * number of annotators + annotator, ascending, shape
    (n_pairs,); `category` has an entry for each row. Without `problems`, a corpus can be built from it; `swapped` are
    the units whose bounds were swapped. If cells of categories hold lists, `listed_rows` is the row that each of `rows`
    comes from. `versions` is a column that tells repeated units apart.
    """

    rows: Rows
    seen: IntArray
    extents: Extents
    length_unit: str | None
    category: Coded
    problems: Problems
    swapped: list[RowsProblem]
    listed_rows: IntArray | None = None
    versions: Versions | None = None

    def say_versions(self, *, may_name_annotators: bool = False) -> tuple[Note, ...]:
        """Add the column that tells repeated units apart to the problems, or return a note; see `Versions.said`."""
        if self.versions is None:
            return ()
        return self.versions.said(self.problems, self.rows.table.origin, may_name_annotators=may_name_annotators)

    def repeated(self) -> IntArray:
        """Return the rows of units that have another one of the same annotator at their place."""
        rows = self.rows
        return repeated_rows(rows.table, _owner(rows), (rows.start, rows.end))

    def columns(self, notes: tuple[str, ...] = (), texts: Mapping[str, str] | None = None) -> CorpusColumns:
        """Return the columns of the corpus, by the names of its attributes: units sorted, categories in use coded."""
        rows = self.rows
        labels, (category,) = merged(self.category)
        order = np.lexsort((category, rows.end, rows.start, rows.annotator, rows.document))
        edges = np.arange(len(rows.documents) + 1)
        n_annotators = max(len(rows.annotators), 1)
        result: CorpusColumns = {
            "documents": rows.documents,
            "annotators": rows.annotators,
            "categories": labels,
            "seen_offsets": _codes(self.seen.searchsorted(edges * n_annotators)),
            "seen": _codes(self.seen % n_annotators),
            "unit_offsets": _codes(rows.document[order].searchsorted(edges)),
            "annotator": _codes(rows.annotator[order]),
            "start": np.ascontiguousarray(rows.start[order]),
            "end": np.ascontiguousarray(rows.end[order]),
            "category": _codes(category[order]),
            "extents": np.ascontiguousarray(self.extents.bounds),
            "length_unit": self.length_unit,
            "notes": tuple(dict.fromkeys((*notes, *self.extents.notes))),
        }
        if texts:
            result["texts"] = tuple(texts.get(name) for name in rows.documents)
        return result


def corpus_columns(
    units: Table,
    *,
    notes: tuple[str, ...] = (),
    texts: Mapping[str, str] | None = None,
    **settings: Unpack[CheckSettings],
) -> CorpusColumns:
    """Return the columns of the corpus from tables, by the names of its attributes; the settings are `check_tables`'s.

    The notes of the checks are added to `notes`; `texts` are the texts of documents.
    """
    checked = check_tables(units, **settings)
    notes = (*notes, *checked.say_versions())
    refuse(checked.problems)
    return checked.columns(notes, texts)


def check_tables(
    units: Table,
    *,
    annotations: Table | None = None,
    documents: Table | None = None,
    columns: Mapping[str, str | None] | None = None,
    outside: str = "refuse",
    document: str = ONE_DOCUMENT,
    swap: bool = False,
    ask_versions: bool = True,
    split_lists: bool = True,
) -> CheckedTables:
    """Return the contents of tables, with the arguments of `Corpus.from_columns`, and all their problems.

    `columns` maps known column names to names in the tables, or to None to ignore a column; `outside` ("refuse" or
    "extend") applies to units outside the declared extent; `document` names the document of units without a column of
    documents; with `swap` the bounds of units that end before they start are swapped; with `ask_versions` a column is
    looked for that is not read and tells repeated units apart, about which `CheckedTables.say_versions` asks; with
    `split_lists` a category such as "['A', 'B']", which is a list in a cell, is those of several units.
    """
    if outside not in ("refuse", "extend"):
        raise SettingsError(f"outside must be 'refuse' or 'extend', not {outside!r}")
    recognised_names, notes = recognised(units.columns, columns or {}, table=units.origin)
    by_role = {**dict.fromkeys(READ_ROLES), **recognised_names}
    if by_role["category"] is None:
        refuse_unread_category(units, columns or {}, {name for name in by_role.values() if name is not None})
    table = units
    units = known_columns(units, by_role, required=("annotator", "start", "end"))
    if "document" not in units.columns:
        units = units.with_column("document", Coded(np.zeros(len(units), dtype=np.int64), (document,)))
    units, listed_rows, cell_notes = read_cells(units, split_lists=split_lists)
    tables = {"units": units}
    if annotations is not None:
        tables["annotations"] = known_columns(annotations, by_role, required=("document", "annotator"))
    if documents is not None:
        tables["documents"] = known_columns(documents, by_role, required=("document",))
    form_notes = _unite_forms(tables)
    units = tables["units"]
    annotations = tables.get("annotations")
    documents = tables.get("documents")
    problems: Problems = []
    start, end, is_valid, swapped = checked_bounds(units, problems, swap=swap)
    document_names, unit_document, seen_document, is_listed = _documents(units, annotations, documents, problems)
    is_valid &= unit_document >= 0
    if is_listed is not None:
        is_valid &= is_listed[unit_document]
    seen_names = _NO_LABELS if annotations is None else names(annotations, "annotator", problems)
    unit_names = names(units, "annotator", problems)
    annotators, (unit_annotator, seen_annotator) = merged(unit_names, seen_names)
    several = several_annotators(units, annotators)
    problems += [] if several is None else [several]
    is_valid &= unit_annotator >= 0
    rows = Rows(units, document_names, annotators, unit_document, unit_annotator, start, end, is_valid)
    found = _versions(table, by_role, rows) if ask_versions else None
    if annotations is None:
        seen = distinct((unit_document * len(annotators) + unit_annotator)[is_valid])
    else:
        is_named = (seen_document >= 0) & (seen_annotator >= 0)
        seen = distinct((seen_document * len(annotators) + seen_annotator)[is_named])
        _check_declared(rows, seen, annotations, problems)
    declared, length_unit = _declared(documents, document_names, problems)
    category = Coded(np.full(len(units), UNLABELLED, dtype=np.int64), ())
    if "category" in units.columns:
        category = factorized(units, "category", nullable=True)
    extent = extents(rows, declared, outside, problems)
    extent = extent._replace(notes=(*notes, *cell_notes, *form_notes, *extent.notes))
    return CheckedTables(rows, seen, extent, length_unit, category, problems, swapped, listed_rows, found)


def _versions(table: Table, by_role: Mapping[str, str | None], rows: Rows) -> Versions | None:
    """Return the column that tells repeated units apart; `by_role` are the columns of the table that are read."""
    names_read = [name for name in by_role.values() if name is not None]
    return versions(table, names_read, rows.table, _owner(rows), (rows.start, rows.end))


def _owner(rows: Rows) -> IntArray:
    """Return a code for the document and annotator of each row, -1 for rows that are no units."""
    return np.where(rows.is_valid, rows.document * len(rows.annotators) + rows.annotator, -1)


def _unite_forms(tables: dict[str, Table]) -> list[str]:
    """Give each name that is written in two forms of Unicode one in all tables, and return notes on these names."""
    notes: list[str] = []
    for role in ("document", "annotator", "category"):
        coded = {
            kind: factorized(table, role, nullable=True) for kind, table in tables.items() if role in table.columns
        }
        united, role_notes = in_one_form(role, *coded.values())
        notes += role_notes
        for kind, column in zip(coded, united, strict=True):
            tables[kind] = tables[kind].with_column(role, column)
    return notes


def read_cells(units: Table, *, split_lists: bool = True) -> tuple[Table, IntArray | None, tuple[str, ...]]:
    """Return the units with times as seconds and a row for each category in a cell, and notes.

    The array has the row of the table that each row comes from; it is None if no cell has several categories.
    """
    units, time_notes = with_seconds(units)
    units, rows, list_notes = one_category_a_row(units) if split_lists else (units, None, ())
    return units, rows, (*time_notes, *list_notes)


def _codes(values: IntArray) -> IntArray:
    return np.ascontiguousarray(values, dtype=np.int64)


def checked_bounds(
    units: Table, problems: Problems, *, swap: bool = False
) -> tuple[FloatArray, FloatArray, BoolArray, list[RowsProblem]]:
    """Return start and end of each row, whether they are valid, and the units whose bounds were swapped."""
    is_valid = np.ones(len(units), dtype=np.bool_)
    bounds = []
    has_ends = "end" in units.columns
    for name in ("start", "end" if has_ends else "duration"):
        not_numbers: list[RowsProblem] = []
        bounds.append(numbers(units, name, not_numbers))
        for problem in not_numbers:
            is_valid[problem.rows] = False
        problems += not_numbers
    start, end = bounds if has_ends else (bounds[0], _ends(*bounds))
    _check_finite(units, "start", start, is_valid, problems)
    _check_finite(units, "end", end, is_valid, problems)
    is_valid &= np.isfinite(start) & np.isfinite(end)
    with np.errstate(invalid="ignore"):
        rows = (is_valid & (end < start)).nonzero()[0]
    if not len(rows):
        return start, end, is_valid, []

    def cause(row: int) -> str:
        return f"the unit ends at {end[row]:.15g}, before its start {start[row]:.15g}"

    cure = Cure(
        "{}, or check that the columns are start and end, not start and length",
        Fix("swapped-bounds", "swap the bounds"),
    )
    if not swap:
        problems.append(RowsProblem(units.location, rows, cause, cure))
        is_valid[rows] = False
        return start, end, is_valid, []
    return np.minimum(start, end), np.maximum(start, end), is_valid, [RowsProblem(units.location, rows, cause)]


def _ends(start: FloatArray, duration: FloatArray) -> FloatArray:
    """Return start + duration as decimal numbers, rounded once: units that join each other share the bound."""
    pairs = zip(start.tolist(), duration.tolist(), strict=True)
    return np.array(
        [end_of(Decimal(repr(low)), Decimal(repr(length))) if isfinite(low + length) else nan for low, length in pairs],
        dtype=np.float64,
    )


def _check_finite(units: Table, name: str, values: FloatArray, is_number: BoolArray, problems: Problems) -> None:
    def cause(row: int) -> str:
        return f"{name} is {'missing (or NaN)' if np.isnan(values[row]) else f'{values[row]}'}"

    bad = (is_number & ~np.isfinite(values)).nonzero()[0]
    if len(bad):
        problems.append(RowsProblem(units.location, bad, cause, Cure("a bound is a finite number")))


def _documents(
    units: Table, annotations: Table | None, documents: Table | None, problems: Problems
) -> tuple[tuple[str, ...], IntArray, IntArray, BoolArray | None]:
    """Return the names of the documents, their codes for units and annotations, and whether each is listed.

    The last is None without a list of documents.
    """
    coded = [
        _NO_LABELS if table is None else names(table, "document", problems) for table in (units, annotations, documents)
    ]
    labels, (unit_document, seen_document, list_document) = merged(*coded)
    if documents is None:
        return labels, unit_document, seen_document, None
    _check_listed_once(documents, labels, list_document, problems)
    is_listed = np.zeros(len(labels) + 1, dtype=np.bool_)  # the last entry is for code -1
    is_listed[list_document] = True
    is_listed[-1] = True
    for table, column in ((units, unit_document), (annotations, seen_document)):
        missing = (~is_listed[column]).nonzero()[0]
        if table is not None and len(missing):

            def cause(row: int, column: IntArray = column) -> str:
                return f"document {labels[column[row]]!r} is not listed in {documents.origin}"

            problems.append(RowsProblem(table.location, missing, cause, Cure("list it there or correct its name")))
    return labels, unit_document, seen_document, is_listed


def _check_listed_once(documents: Table, labels: tuple[str, ...], document: IntArray, problems: Problems) -> None:
    is_repeated = np.ones(len(document), dtype=np.bool_)
    is_repeated[np.unique(document, return_index=True)[1]] = False
    rows = (is_repeated & (document >= 0)).nonzero()[0]

    def cause(row: int) -> str:
        first = documents.row_name(int((document == document[row]).nonzero()[0][0]))
        return f"document {labels[document[row]]!r} is listed twice, first in {first}"

    if len(rows):
        problems.append(RowsProblem(documents.location, rows, cause, Cure("keep one row for each document")))


def _declared(documents: Table | None, labels: tuple[str, ...], problems: Problems) -> tuple[FloatArray, str | None]:
    """Return the extent of each document from the list of documents, NaN if it has none, and the unit of length."""
    declared = np.full((len(labels), 2), np.nan)
    if documents is None:
        return declared, None
    bounds, length_unit = declared_extents(documents, problems)
    code = {label: index for index, label in enumerate(labels)}
    column = factorized(documents, "document", nullable=True)
    document = np.array([*(code.get(label, -1) for label in column.labels), -1], dtype=np.int64)[column.codes]
    rows = (document >= 0).nonzero()[0][::-1]  # the first row of a document is written last, and counts
    declared[document[rows]] = bounds[rows]
    return declared, length_unit


def _check_declared(rows: Rows, seen: IntArray, annotations: Table, problems: Problems) -> None:
    """Add the units of annotators that are not declared for the document, which become invalid."""
    pair = rows.document * len(rows.annotators) + rows.annotator
    index = np.minimum(seen.searchsorted(pair), max(len(seen) - 1, 0))
    is_declared = seen[index] == pair if len(seen) else np.zeros(len(pair), dtype=np.bool_)
    bad = (rows.is_valid & ~is_declared).nonzero()[0]

    def cause(row: int) -> str:
        return (
            f"a unit of annotator {rows.annotators[rows.annotator[row]]!r}, not declared for document "
            f"{rows.documents[rows.document[row]]!r} in {annotations.origin}"
        )

    if len(bad):
        cure = Cure("declare the annotator there or correct the name")
        problems.append(RowsProblem(rows.table.location, bad, cause, cure))
        rows.is_valid[bad] = False
