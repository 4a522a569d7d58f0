"""Repairs that users ask for by name; each says what it changed and where.

They apply in the order of `TOLD`, whatever the order they are asked for in: what one leaves behind (a unit cut to
no length, two that became equal) is there for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.errors import SettingsError
from gamma_align.io.marks.seconds import TOLERANCE
from gamma_align.validation import findings as checks
from gamma_align.validation.columns import Columns


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did.

    Attributes
    ----------
    name : str
        Of the repair.
    told : str
        What it did.
    count : int
        Units changed or left out.
    places : tuple of str
        The first few, as they were before.
    """

    name: str
    told: str
    count: int
    places: tuple[str, ...]


class Repair(NamedTuple):
    """A repair: what it does, for help, and the function that does it."""

    told: str
    run: Callable[[Columns], tuple[Columns, list[Repaired]]]


def repaired(columns: Columns, names: Iterable[str]) -> tuple[Columns, list[Repaired]]:
    """Return the units after the repairs, and what each did; `SWAPPED` was done when they were read."""
    asked = set(names)
    for name in sorted(asked - set(TOLD)):
        raise SettingsError(f"no repair {name!r}; there are {', '.join(TOLD)}")
    done: list[Repaired] = []
    for name, repair in REPAIRS.items():
        if name in asked:
            columns, told = repair.run(columns)
            done += told
    return columns, done


def swapped(places: list[str]) -> Repaired:
    """Return what was done to units that ended before they started."""
    return Repaired(
        SWAPPED, "bounds swapped of units that ended before they started", len(places), tuple(places[: checks.SHOWN])
    )


def _report(columns: Columns, changed: BoolArray, name: str, told: str) -> Repaired:
    units = np.flatnonzero(changed)
    places = tuple(columns.told(unit) for unit in units[: checks.SHOWN].tolist())
    return Repaired(name, told, len(units), places)


def _recoded(columns: Columns, table: IntArray, changed: BoolArray, name: str, told: str) -> tuple[Columns, Repaired]:
    """Return the units with new codes of labels; `table` has one entry more, for no label."""
    done = _report(columns, changed, name, told)
    return replace(columns, label=table[columns.label]), done


def _strip_blanks(columns: Columns) -> tuple[Columns, list[Repaired]]:
    stripped = [label.strip() for label in columns.labels]
    labels = tuple(dict.fromkeys(stripped))
    code = {label: at for at, label in enumerate(labels)}
    odd = np.array([*(one != other for one, other in zip(stripped, columns.labels, strict=True)), False])
    table = np.array([*(code[label] for label in stripped), -1], dtype=np.int64)
    told = "blanks at the edge of the category removed"
    columns, done = _recoded(columns, table, odd[columns.label], "blanks", told)
    return replace(columns, labels=labels), [done]


def _unite_case(columns: Columns) -> tuple[Columns, list[Repaired]]:
    moved = checks.spellings(columns, str.casefold)
    table = np.arange(len(columns.labels) + 1)
    table[-1] = -1
    done: list[Repaired] = []
    for code, best in moved.items():
        told = f"category {columns.labels[code]!r} written {columns.labels[best]!r}, which is more frequent"
        done.append(_report(columns, columns.label == code, "case", told))
        table[code] = best
    if not moved:
        done.append(Repaired("case", "no category differs from another in case alone", 0, ()))
    return replace(columns, label=table[columns.label]), done


def _close_gaps(columns: Columns) -> tuple[Columns, list[Repaired]]:
    start, adjacent = checks.nearest_starts(columns)
    told = f"end moved by less than {TOLERANCE:g} to the start of the annotator's next unit"
    done = _report(columns, adjacent, "adjacency", told)
    return replace(columns, end=np.where(adjacent, start, columns.end)), [done]


def _cut_at_extent(columns: Columns) -> tuple[Columns, list[Repaired]]:
    low, high = _bounds(columns)
    beyond = checks.outside(columns)
    apart = beyond & ((columns.end <= low) | (columns.start >= high))
    done = [
        _report(columns, beyond & ~apart, "past-end", "cut where the extent of their document ends"),
        _report(columns, apart, "past-end", "left out, as a whole outside the extent of their document"),
    ]
    columns = replace(columns, start=np.clip(columns.start, low, high), end=np.clip(columns.end, low, high))
    return columns.kept(~apart), done


def _bounds(columns: Columns) -> tuple[FloatArray, FloatArray]:
    """Return the extent of each unit's document, infinite where it is not declared."""
    low, high = columns.extents[columns.document].T
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _drop_points(columns: Columns) -> tuple[Columns, list[Repaired]]:
    points = columns.start == columns.end
    done = _report(columns, points, "zero-length", "left out, without length")
    return columns.kept(~points), [done]


def _drop_repeats(columns: Columns) -> tuple[Columns, list[Repaired]]:
    again = checks.repeated(columns)
    done = _report(columns, again, "duplicates", "left out, there before with the same bounds and category")
    return columns.kept(~again), [done]


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

TOLD = {SWAPPED: "swap start and end of units that end before they start"} | {
    name: repair.told for name, repair in REPAIRS.items()
}
"""What each repair does, for help."""
