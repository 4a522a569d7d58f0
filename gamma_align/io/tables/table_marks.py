"""A table of units as what a file says: so that all that is chosen on reading files can be chosen for tables.

Layers, categories, patterns for names, and the parts of one unit.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from gamma_align._types import IntArray
from gamma_align.data.build import CheckedTables, checked_bounds
from gamma_align.data.problem import Problems, listed
from gamma_align.data.tables import KNOWN, Coded, Table, factorized, known_columns, names
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import Key, Marks

LAYER = "layer"
PART = "unit"
"""Names of the columns of a unit's layer, and of what the parts of one discontinuous unit share."""


def marks_of_table(table: Table, columns: Mapping[str, str], *, more: tuple[str, ...] = ()) -> Marks:
    """Return what a table of units says, vectorised; rows that are no units are its problems.

    Parameters
    ----------
    table : Table
        Units; without a column of annotators or documents, its place says who and what.
    columns : mapping of str to str
        Our name of a column to theirs.
    more : tuple of str
        `LAYER` and `PART`, as far as they are read.
    """
    named = {name: theirs for name, theirs in columns.items() if name in KNOWN["units"]}
    units = known_columns(table, named, required=("start", "end"))
    for name in more:
        theirs = columns.get(name, name)
        if theirs in table.columns:
            units = units.with_column(name, table.columns[theirs])
        elif name in columns:
            have = ", ".join(map(repr, table.columns)) or "none"
            raise InputError(f"{table.place}: no column {theirs!r} for columns={{{name!r}: …}}; there are {have}")
    marks = Marks(table.place, length_unit=None)
    problems: Problems = []
    start, end, good, _ = checked_bounds(units, problems)
    owners = {name: names(units, name, problems) for name in ("document", "annotator") if name in units.columns}
    for coded in owners.values():
        good &= coded.codes >= 0
    marks.problems = listed(problems)
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
    marks.keys = [Key(*(_label(column, int(rows[at])) for column in coded)) for at in first.tolist()]
    for each in marks.keys:
        marks.annotated(*each)
    marks.key = _array("q", inverse)
    _fill_labels(marks, units, rows)
    marks.where = [units.row_name(row) for row in rows.tolist()]
    if PART in units.columns:
        parts = factorized(units, PART, nullable=True)
        names = [parts.labels[code] if code >= 0 else "" for code in parts.codes[rows].tolist()]
        marks.part = {at: name for at, name in enumerate(names) if name.strip()}


def _fill_labels(marks: Marks, units: Table, rows: IntArray) -> None:
    nothing = Coded(np.full(len(units), -1, dtype=np.int64), ())
    labels = factorized(units, "category", nullable=True) if "category" in units.columns else nothing
    codes = labels.codes[rows]
    used, inverse = np.unique(codes, return_inverse=True)
    marks.labels = [None if code < 0 else labels.labels[code] for code in used.tolist()]
    marks.label = _array("q", inverse)


def _label(column: Coded | None, row: int) -> str | None:
    code = -1 if column is None else int(column.codes[row])
    return None if column is None or code < 0 else column.labels[code]


def _array(kind: str, values: Any) -> Any:  # noqa: ANN401  (an array of that kind)
    return array(kind, np.ascontiguousarray(values, dtype=np.int64 if kind == "q" else np.float64).tobytes())


def more_columns(choices: Choices, columns: Mapping[str, str], *, parts: bool) -> tuple[str, ...]:
    """Return the columns of units to read besides those always read: only what somebody asks for.

    Parameters
    ----------
    choices : Choices
        Whose `layers` and patterns may ask for layers.
    columns : mapping of str to str
        Our names to the user's; "layer" and "unit" in it ask for them.
    parts : bool
        Whether the user says what to do with discontinuous units.
    """
    by_layer = any("{layer}" in (pattern or "") for pattern in (choices.annotator, choices.document))
    layer = choices.layers is not None or by_layer or LAYER in columns
    return (LAYER,) * layer + (PART,) * (parts or PART in columns)


def is_asked(choices: Choices, more: tuple[str, ...]) -> bool:
    """Whether anything is chosen that takes more than reading the table as it is."""
    return bool(more or choices.labels or choices.annotator or choices.document)


def check_choices(choices: Choices, place: str) -> None:
    """Refuse what has no meaning for tables."""
    for name, value in (
        ("positions", choices.positions),
        ("offsets", choices.offsets),
        ("mismatch", choices.mismatch if choices.mismatch != "refuse" else None),
        ("align_text", choices.align_text or None),
    ):
        if value is not None:
            raise SettingsError(
                f"{name}={value!r} is for files with texts; {place} is a table, whose bounds are taken as they are"
            )
    if choices.options:
        raise SettingsError(
            f"a table has no options ({', '.join(choices.options)}), and {place} is one; columns= names its columns"
        )
    feature = next((feature for feature in (choices.layers or {}).values() if feature), None)
    if feature is not None:
        raise SettingsError(
            f"the layers of a table have no features, and {feature!r} of layers= names one; say which column is the "
            f"category with columns={{'category': {feature!r}}} (--column category={feature})"
        )


def declare(marks: Marks, checked: CheckedTables, *, by_name: bool = True) -> tuple[str, ...]:
    """Tell the marks of a table who saw what and how long documents are, as the tables beside it say.

    Parameters
    ----------
    marks : Marks
        Those of the table of units.
    checked : CheckedTables
        The tables, without problems.
    by_name : bool
        Whether the table of units names annotators.

    Returns
    -------
    tuple of str
        A note on documents that are left out.
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
