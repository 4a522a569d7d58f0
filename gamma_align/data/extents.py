"""The extent [L, R] of each document: declared, or the smallest interval that holds its units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.problem import Problems, RowsProblem
from gamma_align.data.tables import Table, factorized, labels_in_use, numbers
from gamma_align.errors import Cure, Fix, Location, Problem, Set

_ROUNDING = 1e-9
"""How far a length may be from end - start, by its size: both may have been rounded when written."""

FURTHEST_BOUND = 1e300
"""The largest bound. Lengths are added over units and annotators: 1e8 of them stay below the largest float, 1.8e308."""
_EXACT_INTEGERS = 2.0**53  # up to here float64 holds every integer; beyond, bounds are rounded by 1 and more
_MIN_STEPS = 1000  # steps between neighbouring floats in a document: with fewer, rounding changes lengths by over .1 %


class Rows(NamedTuple):
    """The units coded, in the order they came; each array has shape (n_units,).

    `document` and `annotator` are codes into `documents` and `annotators`, -1 for none; `good` is which rows are units.
    """

    table: Table
    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    document: IntArray
    annotator: IntArray
    start: FloatArray
    end: FloatArray
    good: BoolArray


class Extents(NamedTuple):
    """[L, R] of each document, shape (n_documents, 2), in all and as declared; and notes for the user."""

    bounds: FloatArray
    declared: FloatArray
    notes: tuple[str, ...]


def extents(rows: Rows, declared: FloatArray, outside: str, problems: Problems) -> Extents:
    """Return the extents: those declared (NaN where they are not) and what units need.

    Units outside a declared extent are added to the problems, or extend it where `outside` is "extend".
    """
    unit = np.flatnonzero(rows.good)
    notes = _outside(rows, unit, declared, outside, problems)
    held = _held(rows, unit)
    bounds = np.where(np.isnan(declared), held, declared)
    bounds[:, 0] = np.minimum(bounds[:, 0], held[:, 0])
    bounds[:, 1] = np.maximum(bounds[:, 1], held[:, 1])
    bounds = _filled(bounds)
    _check_range(rows, bounds, problems)
    return Extents(bounds, declared, notes)


def _held(rows: Rows, unit: IntArray) -> FloatArray:
    """Return the smallest interval that holds the units, [inf, -inf] of a document without any."""
    low = np.full(len(rows.documents), np.inf)
    high = np.full(len(rows.documents), -np.inf)
    np.minimum.at(low, rows.document[unit], rows.start[unit])
    np.maximum.at(high, rows.document[unit], rows.end[unit])
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


def _check_range(rows: Rows, bounds: FloatArray, problems: Problems) -> None:
    """Add the first document whose lengths float64 cannot compute with: too far out, or too short for its distance."""
    furthest = np.abs(bounds).max(axis=1, initial=0.0)
    with np.errstate(over="ignore"):
        length = bounds[:, 1] - bounds[:, 0]
    is_far = furthest > FURTHEST_BOUND
    spacing = np.spacing(np.where(is_far, 0.0, furthest))
    is_coarse = (furthest > _EXACT_INTEGERS) & (length > 0) & (length < _MIN_STEPS * spacing)
    bad = np.flatnonzero(is_far | is_coarse)
    if not bad.size:
        return
    low, high = bounds[bad[0]]
    cause = f"document {rows.documents[bad[0]]!r} reaches from {low:.15g} to {high:.15g}"
    if is_far[bad[0]]:
        cause += f", and sums of lengths beyond {FURTHEST_BOUND:g} may overflow"
        cure = Cure("check its bounds or choose a coarser unit")
    else:
        cause += (
            f", but float64 keeps bounds so far from 0 only to {spacing[bad[0]]:.15g}, so the lengths of its units are "
            "not known"
        )
        cure = Cure("count from a nearer origin")
    problems.append(Problem(Location(rows.table.origin), cause, cure))


def declared_extents(table: Table, problems: Problems) -> tuple[FloatArray, str | None]:
    """Return [L, R] a row of the list of documents, NaN where it does not say; and the unit of length."""
    nothing = np.full(len(table), np.nan)
    low, high, length = (
        numbers(table, name, problems) if name in table.columns else nothing for name in ("start", "end", "length")
    )
    bad = np.isinf(low) | np.isinf(high) | np.isinf(length)
    stated = low, high
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
        if "start" in table.columns:
            from_length = np.where(np.isnan(high), 0.0, high - length)
            low = np.where(np.isnan(low) & ~np.isnan(length), from_length, low)
        else:  # a length or an end alone counts from 0
            low = np.where(np.isnan(length) & np.isnan(high), np.nan, 0.0)
        high = np.where(np.isnan(high), low + length, high)
        clash = np.abs(high - low - length) > _ROUNDING * np.maximum(np.abs(length), 1.0)
        wrong = ~bad & (np.isinf(high - low) | (high < low) | (length < 0) | clash)
    _check_extents(table, bad, (*stated, length), problems)
    _check_extents(table, wrong, (low, high, length), problems)
    right = ~(bad | wrong)
    return np.where(right[:, None], np.stack([low, high], axis=1), np.nan), _length_unit(table)


def _check_extents(
    table: Table, bad: BoolArray, extent: tuple[FloatArray, FloatArray, FloatArray], problems: Problems
) -> None:
    low, high, length = extent

    def what(row: int) -> str:
        long = "" if np.isnan(length[row]) else f" with length {length[row]:.15g}"
        return f"the extent is [{low[row]:.15g}, {high[row]:.15g}]{long}"

    if bad.any():
        cure = Cure("give finite bounds, the first not after the second, and a length that agrees with them")
        problems.append(RowsProblem(table.location, np.flatnonzero(bad), what, cure))


def _length_unit(table: Table) -> str | None:
    if "unit" not in table.columns:
        return None
    coded = factorized(table, "unit", nullable=True)
    return "/".join(sorted(set(labels_in_use(coded)))) or None


def _outside(rows: Rows, unit: IntArray, declared: FloatArray, outside: str, problems: Problems) -> tuple[str, ...]:
    """Add the units outside the declared extent to the problems, or return the note on them."""
    bounds = declared[rows.document[unit]]
    out = unit[(rows.start[unit] < bounds[:, 0]) | (rows.end[unit] > bounds[:, 1])]
    if not len(out):
        return ()
    n_documents = len(np.unique(rows.document[out]))
    cause = f"{_counted(len(out), 'unit')} outside the declared extent"
    if outside == "extend":
        extended = "was" if n_documents == 1 else "were each"
        return (f"{rows.table.origin}: {cause}; {_counted(n_documents, 'document')} {extended} extended to hold them",)

    def what(row: int) -> str:
        low, high = declared[rows.document[row]]
        return (
            f"document {rows.documents[rows.document[row]]!r}, annotator {rows.annotators[rows.annotator[row]]!r}, "
            f"unit [{rows.start[row]:.15g}, {rows.end[row]:.15g}], extent [{low:.15g}, {high:.15g}]"
        )

    lines = "\n".join(f"  {rows.table.row_name(row)}: {what(row)}" for row in out.tolist())
    summary = Problem(
        Location(rows.table.origin),
        f"{cause} of {_counted(n_documents, 'document')}",
        Cure("correct them, or take them as they are with {}", Set("outside", "extend")),
        f":\n{lines}",
    )
    cure = Cure(
        "correct the unit, which is outside; or take such units as they are with {}; or {}",
        Set("outside", "extend"),
        Fix("past-end", "cut them there"),
    )
    problems.append(RowsProblem(rows.table.location, out, what, cure, summary))
    return ()


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
