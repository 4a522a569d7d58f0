"""From records and tables as they come to the columns of a corpus: coding, checks, sorting.

Every check of data is worded once, here, in `tables` or `extents`, with its rows and the cure; all of them add to a
list of problems, of which making a corpus raises the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import UNLABELLED, BoolArray, FloatArray, IntArray, distinct
from gamma_align.data.column_names import ROLES, recognised
from gamma_align.data.extents import Extents, Rows, declared_extents, extents
from gamma_align.data.problem import Problems, RowsProblem, refuse
from gamma_align.data.tables import Coded, Table, factorized, known_columns, label_of, merged, names, numbers
from gamma_align.errors import Cure, Fix, InputError, SettingsError

ONE_DOCUMENT = "continuum"
"""The name of the document of units that have no column of documents."""

_UNIT = ("document", "annotator", "start", "end", "category")


def unit_columns(records: Iterable[Sequence[Any]], *, document: str | None = None) -> dict[str, Any]:
    """Return the columns of units given as records; with `document`, records begin with the annotator."""
    names = _UNIT if document is None else _UNIT[1:]
    rows = _checked(records, names, optional=1, kind="unit")
    columns: dict[str, Any] = {name: [row[index] for row in rows] for index, name in enumerate(names[:-1])}
    columns["category"] = [row[len(names) - 1] if len(row) == len(names) else None for row in rows]
    if document is not None:
        columns["document"] = [document] * len(rows)
    return columns


def pair_columns(pairs: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """Return the columns of (document, annotator) pairs."""
    rows = _checked(pairs, ("document", "annotator"), optional=0, kind="annotation")
    return {"document": [row[0] for row in rows], "annotator": [row[1] for row in rows]}


def document_columns(
    extents: Mapping[str, tuple[float, float]], documents: Iterable[str], used: Iterable[Any]
) -> dict[str, Any] | None:
    """Return the list of documents with their extents, or ``None`` where nothing is declared.

    `used` are the documents of units and annotations; a list of documents has to hold them as well.
    """
    pairs = ((name, *_pair(name, pair)) for name, pair in extents.items())
    rows = _checked(pairs, ("document", "L", "R"), optional=0, kind="extent")
    bounds = {_name(name): (low, high) for name, low, high in rows}
    declared = [*map(_name, documents), *bounds]
    if not declared:
        return None
    # a missing name among the units is a problem where its row is known
    names = list(dict.fromkeys([*declared, *(_name(name) for name in used if name is not None)]))
    nothing = (None, None)
    return {
        "document": names,
        "start": [bounds.get(name, nothing)[0] for name in names],
        "end": [bounds.get(name, nothing)[1] for name in names],
    }


def _name(value: Any) -> str | None:  # noqa: ANN401
    try:
        return label_of(value)
    except TypeError as error:
        raise InputError(f"a document is named {value!r}, {error}; a name is one string") from None


def _pair(name: str, pair: Any) -> tuple[Any, ...]:  # noqa: ANN401
    try:
        return tuple(pair)
    except TypeError:
        raise InputError(f"the extent of document {name!r} is {pair!r}; (L, R) is needed") from None


def _checked(
    records: Iterable[Sequence[Any]], names: tuple[str, ...], optional: int, kind: str
) -> list[tuple[Any, ...]]:
    """Return the records as tuples, each with as many fields as `names`, or up to `optional` fewer."""
    rows = []
    for number, record in enumerate(records, 1):
        if isinstance(record, (str, bytes)) or not hasattr(record, "__iter__"):
            raise InputError(f"{kind} {number} is {record!r}; a record of {', '.join(names)} is needed")
        row = tuple(record)
        if not len(names) - optional <= len(row) <= len(names):
            wanted = f"{len(names) - optional} or {len(names)}" if optional else f"{len(names)}"
            last = f"{', '.join(names[:-1])} and, where there is one, {names[-1]}" if optional else ", ".join(names)
            raise InputError(f"{kind} {number} has {len(row)} fields, expected {wanted}: {last}; got {row!r}")
        rows.append(row)
    return rows


_NOTHING = Coded(np.empty(0, dtype=np.int64), ())


class CheckedTables(NamedTuple):
    """What tables hold, and all that is wrong with them.

    `seen` is who saw what, as document * number of annotators + annotator, ascending, shape (n_pairs,); `category` is
    that of each row. Without `problems` it can be a corpus; `swapped` are units whose bounds were swapped.
    """

    rows: Rows
    seen: IntArray
    extents: Extents
    length_unit: str | None
    category: Coded
    problems: Problems
    swapped: list[RowsProblem]

    def columns(self, notes: tuple[str, ...] = (), texts: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the columns of the corpus, by the names of its attributes: units sorted, categories in use coded."""
        rows = self.rows
        labels, (category,) = merged(self.category)
        order = np.lexsort((category, rows.end, rows.start, rows.annotator, rows.document))
        edges = np.arange(len(rows.documents) + 1)
        people = max(len(rows.annotators), 1)
        result = {
            "documents": rows.documents,
            "annotators": rows.annotators,
            "categories": labels,
            "seen_offsets": _column(np.searchsorted(self.seen, edges * people)),
            "seen": _column(self.seen % people),
            "unit_offsets": _column(np.searchsorted(rows.document[order], edges)),
            "annotator": _column(rows.annotator[order]),
            "start": _column(rows.start[order]),
            "end": _column(rows.end[order]),
            "category": _column(category[order]),
            "extents": _column(self.extents.bounds),
            "length_unit": self.length_unit,
            "notes": (*notes, *self.extents.notes),
        }
        if texts:
            result["texts"] = tuple(texts.get(name) for name in rows.documents)
        return result


def corpus_columns(
    units: Table,
    *,
    notes: tuple[str, ...] = (),
    texts: Mapping[str, str] | None = None,
    **settings: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """Return the columns of the corpus that tables make, by the names of its attributes; `check_tables` has the rest.

    `notes` are the reader's, to which those of the checks are added; `texts` are those of documents.
    """
    checked = check_tables(units, **settings)
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
) -> CheckedTables:
    """Return what tables hold, and all that is wrong with them; they are those of `Corpus.from_columns`.

    `columns` maps our column names to theirs, or to None for no such column; `outside` ("refuse" or "extend") is for
    units outside the declared extent; `document` names the document of units that have no such column; with `swap` the
    bounds of units that end before they start are swapped.
    """
    if outside not in ("refuse", "extend"):
        raise SettingsError(f"outside must be 'refuse' or 'extend', not {outside!r}")
    names_of, notes = recognised(units.columns, columns or {}, table=units.origin)
    by_role = {**dict.fromkeys(ROLES), **names_of}
    units = known_columns(units, by_role, required=("annotator", "start", "end"))
    if "document" not in units.columns:
        units = units.with_column("document", Coded(np.zeros(len(units), dtype=np.int64), (document,)))
    if annotations is not None:
        annotations = known_columns(annotations, by_role, required=("document", "annotator"))
    if documents is not None:
        documents = known_columns(documents, by_role, required=("document",))
    problems: Problems = []
    start, end, good, swapped = checked_bounds(units, problems, swap=swap)
    labels, unit_document, seen_document, listed = _documents(units, annotations, documents, problems)
    good &= unit_document >= 0
    if listed is not None:
        good &= listed[unit_document]
    seen = _NOTHING if annotations is None else names(annotations, "annotator", problems)
    people, (unit_annotator, seen_annotator) = merged(names(units, "annotator", problems), seen)
    good &= unit_annotator >= 0
    rows = Rows(units, labels, people, unit_document, unit_annotator, start, end, good)
    if annotations is None:
        pairs = distinct((unit_document * len(people) + unit_annotator)[good])
    else:
        named = (seen_document >= 0) & (seen_annotator >= 0)
        pairs = distinct((seen_document * len(people) + seen_annotator)[named])
        _check_declared(rows, pairs, annotations, problems)
    declared, length_unit = _declared(documents, labels, problems)
    nothing = Coded(np.full(len(units), UNLABELLED, dtype=np.int64), ())
    category = factorized(units, "category", nullable=True) if "category" in units.columns else nothing
    extent = extents(rows, declared, outside, problems)
    extent = extent._replace(notes=(*notes, *extent.notes))
    return CheckedTables(rows, pairs, extent, length_unit, category, problems, swapped)


def _column(values: Any) -> Any:  # noqa: ANN401  (int or float, kept)
    return np.ascontiguousarray(values, dtype=np.float64 if values.dtype.kind == "f" else np.int64)


def checked_bounds(
    units: Table, problems: Problems, *, swap: bool = False
) -> tuple[FloatArray, FloatArray, BoolArray, list[RowsProblem]]:
    """Return start and end of each row, which rows have right ones, and the units whose bounds were swapped."""
    good = np.ones(len(units), dtype=np.bool_)
    both = []
    for name in ("start", "end"):
        unread: list[RowsProblem] = []
        both.append(numbers(units, name, unread))
        for problem in unread:
            good[problem.rows] = False
        problems += unread
    for name, values in zip(("start", "end"), both, strict=True):
        _check_finite(units, name, values, good, problems)
    start, end = both
    good &= np.isfinite(start) & np.isfinite(end)
    with np.errstate(invalid="ignore"):
        rows = np.flatnonzero(good & (end < start))
    if not len(rows):
        return start, end, good, []

    def what(row: int) -> str:
        return f"the unit ends at {late[row]:.15g}, before its start {early[row]:.15g}"

    early, late = start, end
    cure = Cure(
        "{}, or check that the columns are start and end, not start and length",
        Fix("swapped-bounds", "swap the bounds"),
    )
    if not swap:
        problems.append(RowsProblem(units.location, rows, what, cure))
        good[rows] = False
        return start, end, good, []
    return np.minimum(start, end), np.maximum(start, end), good, [RowsProblem(units.location, rows, what)]


def _check_finite(units: Table, name: str, values: FloatArray, read: BoolArray, problems: Problems) -> None:
    def what(row: int) -> str:
        return f"{name} is {'missing (or NaN)' if np.isnan(values[row]) else f'{values[row]}'}"

    bad = np.flatnonzero(read & ~np.isfinite(values))
    if len(bad):
        problems.append(RowsProblem(units.location, bad, what, Cure("a bound is a finite number")))


def _documents(
    units: Table, annotations: Table | None, documents: Table | None, problems: Problems
) -> tuple[tuple[str, ...], IntArray, IntArray, BoolArray | None]:
    """Name the documents, code them for units and annotations, and return which are listed, if there is a list."""
    coded = [
        _NOTHING if table is None else names(table, "document", problems) for table in (units, annotations, documents)
    ]
    labels, (unit_document, seen_document, list_document) = merged(*coded)
    if documents is None:
        return labels, unit_document, seen_document, None
    _check_twice(documents, labels, list_document, problems)
    listed = np.zeros(len(labels) + 1, dtype=np.bool_)  # the last is that of code -1
    listed[list_document] = True
    listed[-1] = True
    for table, column in ((units, unit_document), (annotations, seen_document)):
        missing = np.flatnonzero(~listed[column])
        if table is not None and len(missing):

            def what(row: int, column: IntArray = column) -> str:
                return f"document {labels[column[row]]!r} is not listed in {documents.origin}"

            problems.append(RowsProblem(table.location, missing, what, Cure("list it there or correct its name")))
    return labels, unit_document, seen_document, listed


def _check_twice(documents: Table, labels: tuple[str, ...], document: IntArray, problems: Problems) -> None:
    first = np.unique(document, return_index=True)[1]
    again = np.ones(len(document), dtype=np.bool_)
    again[first] = False
    rows = np.flatnonzero(again & (document >= 0))

    def what(row: int) -> str:
        before = documents.row_name(int(np.flatnonzero(document == document[row])[0]))
        return f"document {labels[document[row]]!r} is listed twice, first in {before}"

    if len(rows):
        problems.append(RowsProblem(documents.location, rows, what, Cure("keep one row for each document")))


def _declared(documents: Table | None, labels: tuple[str, ...], problems: Problems) -> tuple[FloatArray, str | None]:
    """Return the extent of each document as the list of documents has it, NaN where it does not say."""
    declared = np.full((len(labels), 2), np.nan)
    if documents is None:
        return declared, None
    bounds, length_unit = declared_extents(documents, problems)
    code = {label: index for index, label in enumerate(labels)}
    column = factorized(documents, "document", nullable=True)
    table = np.array([*(code.get(label, -1) for label in column.labels), -1], dtype=np.int64)[column.codes]
    named = np.flatnonzero(table >= 0)[::-1]  # the first row of a document counts
    declared[table[named]] = bounds[named]
    return declared, length_unit


def _check_declared(rows: Rows, seen: IntArray, annotations: Table, problems: Problems) -> None:
    """Add the units of annotators that are not declared for the document, which then are none."""
    pair = rows.document * len(rows.annotators) + rows.annotator
    index = np.minimum(np.searchsorted(seen, pair), max(len(seen) - 1, 0))
    declared = seen[index] == pair if len(seen) else np.zeros(len(pair), dtype=np.bool_)
    bad = np.flatnonzero(rows.good & ~declared)

    def what(row: int) -> str:
        return (
            f"a unit of annotator {rows.annotators[rows.annotator[row]]!r}, not declared for document "
            f"{rows.documents[rows.document[row]]!r} in {annotations.origin}"
        )

    if len(bad):
        cure = Cure("declare the annotator there or correct the name")
        problems.append(RowsProblem(rows.table.location, bad, what, cure))
        rows.good[bad] = False
