"""Layouts of the tables of programs: which columns tell a layout, and what they mean.

Not here: reading the tables (`reading.formats.declared`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from gamma_align.reading.files.sources import Head
from gamma_align.reading.intake.mapping import ColumnMap

_DELIMITERS = "\t;,"
_INSPECTED_LINES = 80  # the names of columns stand among the first lines


@dataclass(frozen=True, slots=True)
class Declaration:
    """The layout of a table.

    Attributes
    ----------
    needed : tuple of str
        The names of columns that tell the layout.
    map : ColumnMap
        What they mean.
    optional : mapping of str to tuple of str
        For a role, names of columns of which the first that is there has it.
    title : str
        What stands in a line above the names of columns, with the name of the document behind it.
    distinct : tuple of str
        Columns whose cells are the same in rows that are shown twice, of which one is read.
    """

    needed: tuple[str, ...]
    map: ColumnMap
    optional: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    title: str = ""
    distinct: tuple[str, ...] = ()


_RAVEN = Declaration(
    ("Begin Time (s)", "End Time (s)", "Selection"),
    ColumnMap("row", {"start": "Begin Time (s)", "end": "End Time (s)"}),
    {"category": ("Species", "Annotation", "Tag", "Call Type", "Type", "Label", "Class")},
    distinct=("Selection", "Begin Time (s)", "End Time (s)"),
)
_SUBJECTS = {"layer": {"": "No focal subject"}}  # as BORIS calls it
_AGGREGATED = Declaration(
    ("Observation id", "Behavior", "Start (s)", "Stop (s)"),
    ColumnMap(
        "row",
        {"document": "Observation id", "start": "Start (s)", "end": "Stop (s)", "category": "Behavior"},
        names=_SUBJECTS,
    ),
    {"layer": ("Subject",)},
)
_BORIS_EVENTS = ColumnMap(
    "events",
    {"time": "Time", "event": "Behavior type", "category": "Behavior"},
    starts=("START",),
    stops=("STOP",),
    points=("POINT",),
    names=_SUBJECTS,
)
_TABULAR = Declaration(
    ("Time", "Behavior", "Behavior type"),
    _BORIS_EVENTS,
    {"document": ("Observation id",), "layer": ("Subject",)},
)
_OLD_TABULAR = Declaration(
    ("Time", "Behavior", "Status"),
    replace(_BORIS_EVENTS, roles={**_BORIS_EVENTS.roles, "event": "Status"}),
    {"layer": ("Subject",)},
    title="Observation id",
)
_NOLDUS = Declaration(
    ("Time_Relative_sf", "Behavior", "Event_Type"),
    ColumnMap(
        "events",
        {"time": "Time_Relative_sf", "event": "Event_Type", "category": "Behavior"},
        starts=("State start",),
        stops=("State stop",),
        points=("Point", "Point event"),
        names={"layer": {"": "no subject"}},
    ),
    {"document": ("Observation",), "layer": ("Subject",)},
)
DECLARATIONS: Mapping[str, tuple[Declaration, ...]] = {
    "raven": (_RAVEN,),
    "boris-events": (_AGGREGATED, _TABULAR, _OLD_TABULAR),
    "noldus": (_NOLDUS,),
}
"""The layouts of each format."""


def declaration_of(head: Head, names: Iterable[str] = tuple(DECLARATIONS)) -> Declaration | None:
    """Return the declaration of the table that begins in a file, ``None`` if there is none."""
    candidates = [declaration for name in names for declaration in DECLARATIONS[name]]
    return next((each for each in candidates if find_names(head.lines, each.needed) is not None), None)


def find_names(lines: Iterable[str], needed: Sequence[str]) -> tuple[int, str] | None:
    """Return the index of the line with the names of columns, and the delimiter; ``None`` if no line has all names."""
    for index, line in enumerate(islice(lines, _INSPECTED_LINES)):
        if all(name in line for name in needed):
            for delimiter in _DELIMITERS:
                if set(needed) <= set(cells_of(line, delimiter)):
                    return index, delimiter
    return None


def cells_of(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line without blanks around them; none if it is no CSV."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []
