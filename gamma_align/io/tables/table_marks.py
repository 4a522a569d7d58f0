"""A table of units as `Marks`, so that all that is chosen on reading tools' files can be chosen for tables.

Layers, categories, patterns for names, and the parts of one unit.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from gamma_align._types import UNLABELLED, IntArray
from gamma_align.data.build import CheckedTables, checked_bounds
from gamma_align.data.problem import Problems, each
from gamma_align.data.tables import KNOWN, Coded, Table, factorized, known_columns, names
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import Key, Marks
from gamma_align.io.tables.columns import LAYER, PART, TableOptions


def marks_of_table(table: Table, options: TableOptions) -> Marks:
    """Return a table of units as marks, vectorised; rows that are no units are its problems.

    Without a column of annotators or documents, the path of the file names them.
    """
    renamed = {name: theirs for name, theirs in options.columns.items() if name in KNOWN["units"]}
    units = known_columns(table, renamed, required=("start", "end"))
    for column in options.more:
        theirs = options.name(column)
        if theirs is not None and theirs in table.columns:
            units = units.with_column(column, table.columns[theirs])
        elif column in options.columns:
            have = ", ".join(map(repr, table.columns)) or "none"
            raise InputError(f"{table.origin}: no column {theirs!r} for columns={{{column!r}: …}}; there are {have}")
    marks = Marks(table.origin, length_unit=None)
    problems: Problems = []
    start, end, good, _ = checked_bounds(units, problems)
    owners = {name: names(units, name, problems) for name in ("document", "annotator") if name in units.columns}
    for coded in owners.values():
        good &= coded.codes >= 0
    marks.problems = each(problems)
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
    marks.where = [units.location(row).where or "" for row in rows.tolist()]
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


def declare(marks: Marks, checked: CheckedTables, *, by_name: bool) -> tuple[str, ...]:
    """Add to the marks of a table of units who saw what and how long documents are, as the tables beside it say.

    `by_name` is whether the table of units names annotators; returned is a note on documents that are left out.
    """
    rows, extents = checked.rows, checked.extents
    people = max(len(rows.annotators), 1)
    for pair in checked.seen.tolist():
        document, annotator = rows.documents[pair // people], rows.annotators[pair % people]
        marks.annotated(document, annotator if by_name else None)
    marks.length_unit = checked.length_unit
    for document, low_high in enumerate(extents.declared):
        if not np.isnan(low_high).all():
            low, high = np.where(np.isnan(low_high), extents.bounds[document], low_high).tolist()
            marks.extents[rows.documents[document]] = (low, high)
    unseen = len(rows.documents) - len(np.unique(checked.seen // people))
    return (f"{unseen} documents that nobody annotated are left out",) if unseen else ()
