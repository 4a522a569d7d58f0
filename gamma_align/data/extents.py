"""The extent [L, R] of each document: declared, or the smallest interval that holds its units."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.data.tables import Table, factorized, labels_in_use, numbers
from gamma_align.errors import InputError

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray

_ROUNDING = 1e-9
"""How far a length may be from end - start, by its size: both may have been rounded when written."""


class Rows(NamedTuple):
    """The units coded, in the order they came, with the names to tell of them.

    `document` and `annotator` hold a unit's codes into `documents` and `annotators`; shape (n_units,) each.
    """

    table: Table
    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    document: IntArray
    annotator: IntArray
    start: FloatArray
    end: FloatArray


class Listed(NamedTuple):
    """The list of documents, and the code of the document of each of its rows."""

    table: Table
    document: IntArray


class Extents(NamedTuple):
    """[L, R] of each document, shape (n_documents, 2); the unit of length; what to tell the user."""

    bounds: FloatArray
    length_unit: str | None
    notes: tuple[str, ...]


def extents(rows: Rows, listed: Listed | None, outside: str) -> Extents:
    """Return the extents; units outside a declared one are refused with their list, or extend it."""
    held = _held(rows)
    if listed is None:
        return Extents(_checked(rows, _filled(held)), None, ())
    declared = np.full((len(rows.documents), 2), np.nan)
    declared[listed.document], length_unit = declared_extents(listed.table)
    notes = _outside(rows, declared, outside)
    bounds = np.where(np.isnan(declared), held, declared)
    bounds[:, 0] = np.minimum(bounds[:, 0], held[:, 0])
    bounds[:, 1] = np.maximum(bounds[:, 1], held[:, 1])
    return Extents(_checked(rows, _filled(bounds)), length_unit, notes)


def _held(rows: Rows) -> FloatArray:
    """Return the smallest interval that holds the units, [inf, -inf] of a document without any."""
    low = np.full(len(rows.documents), np.inf)
    high = np.full(len(rows.documents), -np.inf)
    np.minimum.at(low, rows.document, rows.start)
    np.maximum.at(high, rows.document, rows.end)
    return np.stack([low, high], axis=1)


def _filled(bounds: FloatArray) -> FloatArray:
    """Return the bounds, with no length (at the bound known, or 0) where neither list nor units say."""
    low, high = bounds[:, 0], bounds[:, 1]
    known_low, known_high = np.isfinite(low), np.isfinite(high)
    zero = np.zeros(len(bounds))
    return np.stack(
        [
            np.where(known_low, low, np.where(known_high, np.minimum(high, 0.0), zero)),
            np.where(known_high, high, np.where(known_low, np.maximum(low, 0.0), zero)),
        ],
        axis=1,
    )


def _checked(rows: Rows, bounds: FloatArray) -> FloatArray:
    """Return the bounds; one whose length overflows, 1.8e308 and more, is refused."""
    with np.errstate(over="ignore"):
        endless = np.flatnonzero(np.isinf(bounds[:, 1] - bounds[:, 0]))
    if endless.size:
        low, high = bounds[endless[0]]
        raise InputError(
            f"{rows.table.place}: document {rows.documents[endless[0]]!r} reaches from {low:.15g} "
            f"to {high:.15g}, a length float64 does not hold; check its bounds or choose a coarser unit"
        )
    return bounds


def declared_extents(table: Table) -> tuple[FloatArray, str | None]:
    """Return [L, R] a row of the list of documents, NaN where it does not say; and the unit of length.

    Raises
    ------
    InputError
        For an extent that is none.
    """
    nothing = np.full(len(table), np.nan)
    low, high, length = (
        numbers(table, name) if name in table.columns else nothing for name in ("start", "end", "length")
    )
    _refuse(table, np.isinf(low) | np.isinf(high) | np.isinf(length), low, high, length)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
        if "start" in table.columns:
            from_length = np.where(np.isnan(high), 0.0, high - length)
            low = np.where(np.isnan(low) & ~np.isnan(length), from_length, low)
        else:  # a length or an end alone counts from 0
            low = np.where(np.isnan(length) & np.isnan(high), np.nan, 0.0)
        high = np.where(np.isnan(high), low + length, high)
        clash = np.abs(high - low - length) > _ROUNDING * np.maximum(np.abs(length), 1.0)
        _refuse(table, np.isinf(high - low) | (high < low) | (length < 0) | clash, low, high, length)
    return np.stack([low, high], axis=1), _length_unit(table)


def _refuse(table: Table, bad: BoolArray, low: FloatArray, high: FloatArray, length: FloatArray) -> None:
    rows = np.flatnonzero(bad)
    if len(rows):
        row = int(rows[0])
        long = "" if np.isnan(length[row]) else f" with length {length[row]:.15g}"
        raise InputError(
            f"{table.where(row)}: the extent is [{low[row]:.15g}, {high[row]:.15g}]{long}"
            f"{table.and_others(rows)}; it needs finite bounds, the first not after the second, "
            "and a length that agrees with them"
        )


def _length_unit(table: Table) -> str | None:
    if "unit" not in table.columns:
        return None
    coded = factorized(table, "unit", nullable=True)
    return "/".join(sorted(set(labels_in_use(coded)))) or None


def _outside(rows: Rows, declared: FloatArray, outside: str) -> tuple[str, ...]:
    """Refuse units outside the declared extent with the list of all of them, or return the note on them."""
    bounds = declared[rows.document]
    out = np.flatnonzero((rows.start < bounds[:, 0]) | (rows.end > bounds[:, 1]))
    if not len(out):
        return ()
    n_documents = len(np.unique(rows.document[out]))
    told = f"{_counted(len(out), 'unit')} outside the declared extent"
    if outside == "extend":
        extended = "was" if n_documents == 1 else "were each"
        documents = f"{_counted(n_documents, 'document')} {extended} extended"
        return (f"{rows.table.place}: {told}; {documents} to hold them",)
    lines = "\n".join(f"  {_told(rows, row, declared)}" for row in out.tolist())
    raise InputError(
        f"{rows.table.place}: {told} of {_counted(n_documents, 'document')}; correct them, "
        f"or take them as they are with outside='extend' (--outside extend):\n{lines}"
    )


def _told(rows: Rows, row: int, declared: FloatArray) -> str:
    low, high = declared[rows.document[row]]
    return (
        f"{rows.table.row_name(row)}: document {rows.documents[rows.document[row]]!r}, annotator "
        f"{rows.annotators[rows.annotator[row]]!r}, unit [{rows.start[row]:.15g}, {rows.end[row]:.15g}], "
        f"extent [{low:.15g}, {high:.15g}]"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
