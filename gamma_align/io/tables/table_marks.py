"""A table of units as what a file says: so that all that is chosen on reading files can be chosen for tables."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align.data.tables import KNOWN, Coded, Table, factorized, known_columns, numbers
from gamma_align.errors import InputError
from gamma_align.io.marks.marks import Key, Marks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gamma_align._types import BoolArray, IntArray

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

    Raises
    ------
    InputError
        For a column that is not there, or that holds something else than labels or numbers.
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
    good = _good_bounds(marks, units)
    owners = {name: _owner(marks, units, name, good) for name in ("document", "annotator")}
    _fill(marks, units, owners, np.flatnonzero(good))
    return marks


def _good_bounds(marks: Marks, units: Table) -> BoolArray:
    start, end = (numbers(units, name) for name in ("start", "end"))
    for name, values in (("start", start), ("end", end)):
        for row in np.flatnonzero(~np.isfinite(values)).tolist():
            what = "missing (or NaN)" if np.isnan(values[row]) else f"{values[row]}"
            marks.problem(units.row_name(row), f"{name} is {what}; a bound is a finite number")
    finite: BoolArray = np.isfinite(start) & np.isfinite(end)
    with np.errstate(invalid="ignore"):
        swapped = finite & (end < start)
    for row in np.flatnonzero(swapped).tolist():
        marks.problem(
            units.row_name(row),
            f"the unit ends at {end[row]:.15g}, before its start {start[row]:.15g}; swap the bounds, or check that the "
            "columns are start and end, not start and length",
        )
    return finite & ~swapped


def _owner(marks: Marks, units: Table, name: str, good: BoolArray) -> Coded | None:
    """Return a column of names, ``None`` where there is none; a row without one is no unit."""
    if name not in units.columns:
        return None
    coded = factorized(units, name, nullable=True)
    void = np.array([*(not label.strip() for label in coded.labels), True])  # the last is that of code -1
    for row in np.flatnonzero(void[coded.codes]).tolist():
        marks.problem(units.row_name(row), f"the {name} is empty; every row of units needs one")
    good &= ~void[coded.codes]
    return coded


def _fill(marks: Marks, units: Table, owners: Mapping[str, Coded | None], rows: IntArray) -> None:
    """Add the units of `rows`; equals `Marks.unit` row by row."""
    layers = factorized(units, LAYER, nullable=True) if LAYER in units.columns else None
    coded = [owners["document"], owners["annotator"], layers]
    key = np.zeros(len(rows), dtype=np.int64)
    for column in coded:
        if column is not None:
            key = key * (len(column.labels) + 1) + column.codes[rows] + 1
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    marks.keys = [Key(*(_label(column, int(rows[at])) for column in coded)) for at in first.tolist()]
    for its in marks.keys:
        marks.annotated(*its)
    marks.key = _array("q", inverse)
    _fill_labels(marks, units, rows)
    marks.start, marks.end = (_array("d", numbers(units, name)[rows] + 0.0) for name in ("start", "end"))
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
