"""Repairs of units, which users request by name; each reports its changes.

Repairs apply in the order of `REPAIRS`, whatever the order of the request. A later repair therefore sees the
results of an earlier one, such as a unit that was cut to no length, or two units that became equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray
from gamma_align.errors import Cure, SettingsError
from gamma_align.reading.marks.seconds import TOLERANCE
from gamma_align.reading.options import REPAIR_DESCRIPTIONS
from gamma_align.reading.validation import findings as checks
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.findings import MAX_PLACES, Finding


def repaired(columns: UnitColumns, names: Iterable[str]) -> tuple[UnitColumns, list[Finding]]:
    """Return the units after the repairs, and the changes; `SWAPPED` has been done while reading.

    Raises
    ------
    SettingsError
        For an unknown name.
    """
    requested = set(names)
    unknown = sorted(requested - set(REPAIR_DESCRIPTIONS))
    if unknown:
        raise SettingsError(f"there is no repair {unknown[0]!r}", Cure(f"choose from {', '.join(REPAIR_DESCRIPTIONS)}"))
    changes: list[Finding] = []
    for name, repair in REPAIRS.items():
        if name in requested:
            columns, repair_changes = repair(columns)
            changes += repair_changes
    return columns, changes


def swapped(places: list[str]) -> Finding:
    """Return the changes to units that ended before they started."""
    message = "bounds swapped of units that ended before they started"
    return Finding(SWAPPED, message, len(places), tuple(places[:MAX_PLACES]))


def _strip_blanks(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    stripped = [label.strip() for label in columns.labels]
    labels = tuple(dict.fromkeys(stripped))
    code = {label: index for index, label in enumerate(labels)}
    # One more entry serves units without a category, whose code -1 reads the last.
    is_padded = np.array([*(label != plain for label, plain in zip(columns.labels, stripped, strict=True)), False])
    new_code = np.array([*(code[label] for label in stripped), UNLABELLED], dtype=np.int64)
    message = "blanks at the edge of the category removed"
    change = Finding.of_units(columns, is_padded[columns.label], "blanks", message)
    return replace(columns, labels=labels, label=new_code[columns.label]), [change]


def _unite_spellings(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    replacements = checks.spellings(columns, checks.trimmed_key)
    if not replacements:
        return columns, [
            Finding("spelling", "no category differs from another in case, blanks and hyphens alone", 0, ())
        ]
    new_code = np.array([*range(len(columns.labels)), UNLABELLED])
    changes: list[Finding] = []
    for code, best in replacements.items():
        message = f"category {columns.labels[code]!r} written {columns.labels[best]!r}, which is more frequent"
        changes.append(Finding.of_units(columns, columns.label == code, "spelling", message))
        new_code[code] = best
    return replace(columns, label=new_code[columns.label]), changes


def _close_gaps(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    start, is_adjacent = checks.nearest_starts(columns)
    message = f"end moved by less than {TOLERANCE:g} to the start of the annotator's next unit"
    change = Finding.of_units(columns, is_adjacent, "adjacency", message)
    return replace(columns, end=np.where(is_adjacent, start, columns.end)), [change]


def _cut_at_extent(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    low, high = _bounds(columns)
    is_outside = checks.outside(columns)
    # Cutting a unit that lies outside as a whole would leave a point at the end of the extent.
    is_apart = is_outside & ((columns.end <= low) | (columns.start >= high))
    is_cut = is_outside & ~is_apart
    changes = [
        Finding.of_units(columns, is_cut, "past-end", "cut where the extent of their document ends"),
        Finding.of_units(columns, is_apart, "past-end", "left out, as a whole outside the extent of their document"),
    ]
    columns = replace(columns, start=np.clip(columns.start, low, high), end=np.clip(columns.end, low, high))
    return columns.take(~is_apart), changes


def _bounds(columns: UnitColumns) -> tuple[FloatArray, FloatArray]:
    """Return the extent of each unit's document, infinite if it is not declared."""
    low, high = columns.extents[columns.document].T
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _drop_points(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    is_point = columns.start == columns.end
    change = Finding.of_units(columns, is_point, "zero-length", "left out, without length")
    return columns.take(~is_point), [change]


def _drop_repeats(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    is_repeated = checks.repeated(columns)
    message = "left out, there before with the same bounds and category"
    change = Finding.of_units(columns, is_repeated, "duplicates", message)
    return columns.take(~is_repeated), [change]


REPAIRS: dict[str, Callable[[UnitColumns], tuple[UnitColumns, list[Finding]]]] = {
    "blanks": _strip_blanks,
    "spelling": _unite_spellings,
    "adjacency": _close_gaps,
    "past-end": _cut_at_extent,
    "zero-length": _drop_points,
    "duplicates": _drop_repeats,
}
"""The repairs of units by name, in the order in which they apply."""

SWAPPED = "swapped-bounds"
"""The repair that happens while reading: without it, units that end before they start are not read."""
