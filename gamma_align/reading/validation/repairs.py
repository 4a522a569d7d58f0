"""Repairs that users ask for by name; each says what it changed and where.

They apply in the order of `DESCRIPTIONS`, whatever the order they are asked for in: what one leaves behind (a unit cut
to no length, two that became equal) is there for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.errors import SettingsError
from gamma_align.reading.marks.seconds import TOLERANCE
from gamma_align.reading.validation import findings as checks
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.findings import Finding


class Repair(NamedTuple):
    """A repair: what it does, for help, and the function that does it."""

    description: str
    run: Callable[[UnitColumns], tuple[UnitColumns, list[Finding]]]


def repaired(columns: UnitColumns, names: Iterable[str]) -> tuple[UnitColumns, list[Finding]]:
    """Return the units after the repairs, and what each did; `SWAPPED` was done when they were read."""
    asked = set(names)
    for name in sorted(asked - set(DESCRIPTIONS)):
        raise SettingsError(f"no repair {name!r}; there are {', '.join(DESCRIPTIONS)}")
    done: list[Finding] = []
    for name, repair in REPAIRS.items():
        if name in asked:
            columns, findings = repair.run(columns)
            done += findings
    return columns, done


def swapped(places: list[str]) -> Finding:
    """Return what was done to units that ended before they started."""
    message = "bounds swapped of units that ended before they started"
    return Finding(SWAPPED, message, len(places), tuple(places[: checks.SHOWN]))


def _strip_blanks(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    stripped = [label.strip() for label in columns.labels]
    labels = tuple(dict.fromkeys(stripped))
    code = {label: index for index, label in enumerate(labels)}
    odd = np.array([*(label != plain for label, plain in zip(columns.labels, stripped, strict=True)), False])
    table = np.array([*(code[label] for label in stripped), -1], dtype=np.int64)
    done = Finding.of_units(columns, odd[columns.label], "blanks", "blanks at the edge of the category removed")
    return replace(columns, labels=labels, label=table[columns.label]), [done]


def _unite_case(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    moved = checks.spellings(columns, str.casefold)
    table = np.arange(len(columns.labels) + 1)
    table[-1] = -1
    done: list[Finding] = []
    for code, best in moved.items():
        message = f"category {columns.labels[code]!r} written {columns.labels[best]!r}, which is more frequent"
        done.append(Finding.of_units(columns, columns.label == code, "case", message))
        table[code] = best
    if not moved:
        done.append(Finding("case", "no category differs from another in case alone", 0, ()))
    return replace(columns, label=table[columns.label]), done


def _close_gaps(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    start, adjacent = checks.nearest_starts(columns)
    message = f"end moved by less than {TOLERANCE:g} to the start of the annotator's next unit"
    done = Finding.of_units(columns, adjacent, "adjacency", message)
    return replace(columns, end=np.where(adjacent, start, columns.end)), [done]


def _cut_at_extent(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    low, high = _bounds(columns)
    beyond = checks.outside(columns)
    apart = beyond & ((columns.end <= low) | (columns.start >= high))
    done = [
        Finding.of_units(columns, beyond & ~apart, "past-end", "cut where the extent of their document ends"),
        Finding.of_units(columns, apart, "past-end", "left out, as a whole outside the extent of their document"),
    ]
    columns = replace(columns, start=np.clip(columns.start, low, high), end=np.clip(columns.end, low, high))
    return columns.take(~apart), done


def _bounds(columns: UnitColumns) -> tuple[FloatArray, FloatArray]:
    """Return the extent of each unit's document, infinite where it is not declared."""
    low, high = columns.extents[columns.document].T
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _drop_points(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    points = columns.start == columns.end
    done = Finding.of_units(columns, points, "zero-length", "left out, without length")
    return columns.take(~points), [done]


def _drop_repeats(columns: UnitColumns) -> tuple[UnitColumns, list[Finding]]:
    again = checks.repeated(columns)
    done = Finding.of_units(columns, again, "duplicates", "left out, there before with the same bounds and category")
    return columns.take(~again), [done]


REPAIRS: dict[str, Repair] = {
    "blanks": Repair("remove blanks at the edge of categories", _strip_blanks),
    "case": Repair("write categories that differ in case alone like the most frequent of them", _unite_case),
    "adjacency": Repair(
        f"move ends that are less than {TOLERANCE:g} beside the start of the annotator's next unit there",
        _close_gaps,
    ),
    "past-end": Repair(
        "cut units where the extent of their document ends, and leave out those beyond it", _cut_at_extent
    ),
    "zero-length": Repair("leave out units without length", _drop_points),
    "duplicates": Repair("keep one of units that are the same", _drop_repeats),
}
"""The repairs of units by name, in the order they apply in."""

SWAPPED = "swapped-bounds"
"""The repair that the reader does: without it such units are none."""

DESCRIPTIONS = {SWAPPED: "swap start and end of units that end before they start"} | {
    name: repair.description for name, repair in REPAIRS.items()
}
"""What each repair does, for help."""
