"""The extent [L, R] of each document: declared, or the smallest interval that contains its units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.problem import Problems, RowsProblem
from gamma_align.data.tables import Table, factorized, labels_in_use, numbers
from gamma_align.data.wording import counted
from gamma_align.errors import Cure, Fix, Location, Problem, Set

_LENGTH_TOLERANCE = 1e-9
"""Relative difference allowed between a length and end - start: both may have been rounded when written."""

MAX_BOUND = 1e300
"""The largest bound. Lengths are added over units and annotators: 1e8 of them stay below the largest float, 1.8e308."""
_MAX_EXACT_INTEGER = 2.0**53  # up to here float64 represents every integer; beyond, bounds are rounded by 1 or more
_MIN_STEPS = 1000  # steps between neighbouring floats in a document: with fewer, rounding changes lengths by over .1 %


class Rows(NamedTuple):
    """The coded units in the order of their table; each array has shape (n_units,).

    `document` and `annotator` are codes into `documents` and `annotators`, or -1; only rows that are valid are units.
    """

    table: Table
    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    document: IntArray
    annotator: IntArray
    start: FloatArray
    end: FloatArray
    is_valid: BoolArray


class Extents(NamedTuple):
    """[L, R] of each document, final and as declared, shape (n_documents, 2); and notes for the user."""

    bounds: FloatArray
    declared: FloatArray
    notes: tuple[str, ...]


def extents(rows: Rows, declared: FloatArray, outside: str, problems: Problems) -> Extents:
    """Return the declared extents (NaN if not declared), extended to contain the units.

    Units outside a declared extent are added to the problems unless `outside` is "extend".
    """
    unit = rows.is_valid.nonzero()[0]
    notes = _outside(rows, unit, declared, outside, problems)
    unit_bounds = _unit_bounds(rows, unit)
    bounds = np.where(np.isnan(declared), unit_bounds, declared)
    bounds[:, 0] = np.minimum(bounds[:, 0], unit_bounds[:, 0])
    bounds[:, 1] = np.maximum(bounds[:, 1], unit_bounds[:, 1])
    bounds = _without_infinity(bounds)
    _check_range(rows, bounds, problems)
    return Extents(bounds, declared, notes)


def _unit_bounds(rows: Rows, unit: IntArray) -> FloatArray:
    """Return the smallest interval that contains the units of each document, [inf, -inf] without units."""
    low = np.full(len(rows.documents), np.inf)
    high = np.full(len(rows.documents), -np.inf)
    np.minimum.at(low, rows.document[unit], rows.start[unit])
    np.maximum.at(high, rows.document[unit], rows.end[unit])
    return np.array([low, high]).T


def _without_infinity(bounds: FloatArray) -> FloatArray:
    """Return the bounds with a finite one in place of each that is unknown: 0, or the other bound if 0 is beyond it."""
    if np.isfinite(bounds).all():
        return bounds
    low = bounds[:, 0]
    high = bounds[:, 1]
    has_low = np.isfinite(low)
    has_high = np.isfinite(high)
    default_low = np.where(has_high, np.minimum(high, 0.0), 0.0)
    default_high = np.where(has_low, np.maximum(low, 0.0), 0.0)
    return np.array([np.where(has_low, low, default_low), np.where(has_high, high, default_high)]).T


def _check_range(rows: Rows, bounds: FloatArray, problems: Problems) -> None:
    """Add the first document with lengths that float64 cannot represent: too far from 0, or too short for that."""
    max_bound = np.abs(bounds).max(axis=1, initial=0.0)
    if not np.count_nonzero(max_bound > _MAX_EXACT_INTEGER):
        return
    with np.errstate(over="ignore"):
        length = bounds[:, 1] - bounds[:, 0]
    is_far = max_bound > MAX_BOUND
    spacing = np.spacing(np.where(is_far, 0.0, max_bound))
    is_coarse = (max_bound > _MAX_EXACT_INTEGER) & (length > 0) & (length < _MIN_STEPS * spacing)
    bad = (is_far | is_coarse).nonzero()[0]
    if not bad.size:
        return
    low, high = bounds[bad[0]]
    cause = f"document {rows.documents[bad[0]]!r} reaches from {low:.15g} to {high:.15g}"
    if is_far[bad[0]]:
        cause += f", and sums of lengths beyond {MAX_BOUND:g} may overflow"
        cure = Cure("check its bounds or choose a coarser unit")
    else:
        cause += (
            f", but float64 keeps bounds so far from 0 only to {spacing[bad[0]]:.15g}, so the lengths of its units are "
            "not known"
        )
        cure = Cure("count from a nearer origin")
    problems.append(Problem(Location(rows.table.origin), cause, cure))


def declared_extents(table: Table, problems: Problems) -> tuple[FloatArray, str | None]:
    """Return [L, R] for each row of the list of documents, NaN if not declared; and the unit of length."""
    undeclared = np.full(len(table), np.nan)
    low, high, length = (
        numbers(table, name, problems) if name in table.columns else undeclared for name in ("start", "end", "length")
    )
    is_infinite = np.isinf(low) | np.isinf(high) | np.isinf(length)
    declared = low, high, length
    with np.errstate(over="ignore", invalid="ignore"):  # bounds that overflow are refused
        if "start" in table.columns:
            from_length = np.where(np.isnan(high), 0.0, high - length)
            low = np.where(np.isnan(low) & ~np.isnan(length), from_length, low)
        else:  # without a start, a length or an end counts from 0
            low = np.where(np.isnan(length) & np.isnan(high), np.nan, 0.0)
        high = np.where(np.isnan(high), low + length, high)
        differs = np.abs(high - low - length) > _LENGTH_TOLERANCE * np.maximum(np.abs(length), 1.0)
        is_wrong = ~is_infinite & (np.isinf(high - low) | (high < low) | (length < 0) | differs)
    _check_extents(table, is_infinite, declared, problems)
    _check_extents(table, is_wrong, (low, high, length), problems)
    is_valid = ~(is_infinite | is_wrong)
    return np.where(is_valid[:, None], np.stack([low, high], axis=1), np.nan), _length_unit(table)


def _check_extents(
    table: Table, bad: BoolArray, extent: tuple[FloatArray, FloatArray, FloatArray], problems: Problems
) -> None:
    low, high, length = extent

    def cause(row: int) -> str:
        length_text = "" if np.isnan(length[row]) else f" with length {length[row]:.15g}"
        return f"the extent is [{low[row]:.15g}, {high[row]:.15g}]{length_text}"

    if bad.any():
        cure = Cure("give finite bounds, the first not after the second, and a length that agrees with them")
        problems.append(RowsProblem(table.location, bad.nonzero()[0], cause, cure))


def _length_unit(table: Table) -> str | None:
    if "unit" not in table.columns:
        return None
    coded = factorized(table, "unit", nullable=True)
    return "/".join(sorted(set(labels_in_use(coded)))) or None


def _outside(rows: Rows, unit: IntArray, declared: FloatArray, outside: str, problems: Problems) -> tuple[str, ...]:
    """Add the units outside the declared extent to the problems, or return the note on them."""
    if np.isnan(declared).all():
        return ()
    bounds = declared[rows.document[unit]]
    outer = unit[(rows.start[unit] < bounds[:, 0]) | (rows.end[unit] > bounds[:, 1])]
    if not len(outer):
        return ()
    n_documents = len(np.unique(rows.document[outer]))
    fact = f"{counted(len(outer), 'unit')} outside the declared extent"
    if outside == "extend":
        verb = "was" if n_documents == 1 else "were each"
        return (f"{rows.table.origin}: {fact}; {counted(n_documents, 'document')} {verb} extended to hold them",)

    def cause(row: int) -> str:
        low, high = declared[rows.document[row]]
        return (
            f"document {rows.documents[rows.document[row]]!r}, annotator {rows.annotators[rows.annotator[row]]!r}, "
            f"unit [{rows.start[row]:.15g}, {rows.end[row]:.15g}], extent [{low:.15g}, {high:.15g}]"
        )

    lines = "\n".join(f"  {rows.table.row_name(row)}: {cause(row)}" for row in outer.tolist())
    summary = Problem(
        Location(rows.table.origin),
        f"{fact} of {counted(n_documents, 'document')}",
        Cure("correct them, or take them as they are with {}", Set("outside", "extend")),
        f":\n{lines}",
    )
    cure = Cure(
        "correct the unit, which is outside; or take such units as they are with {}; or {}",
        Set("outside", "extend"),
        Fix("past-end", "cut them there"),
    )
    problems.append(RowsProblem(rows.table.location, outer, cause, cure, summary))
    return ()
