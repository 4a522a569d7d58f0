"""Tables that programs write in a layout of their own: each format is a description of its columns.

Conventions
-----------
* A table is recognised by the names of its columns, whatever stands above them: it begins with the first line that has
  all the names which a description needs.
* ``raven``: selection tables of Raven, in seconds from the beginning of the recording. The category is the column
  ``Species``, ``Annotation``, ``Tag``, ``Call Type``, ``Type``, ``Label`` or ``Class``, if there is one. Frequencies
  are left out. Of the rows of one selection in several views one is read.
* ``boris-events``: events of BORIS as tables, aggregated (a bout a row) or tabular (a row where it starts and one where
  it stops). The subject is the layer, as in projects of BORIS.
* ``noldus``: event logs of The Observer XT; a state lasts from "State start" to "State stop".
* The file is by one annotator, whom its path names.

References
----------
https://www.ravensoundsoftware.com; https://www.boris.unito.it; https://www.noldus.com/observer-xt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gamma_align.errors import InputError, Location
from gamma_align.reading.files.sources import Head, Source, split_lines
from gamma_align.reading.formats import Choices, FileFormat, Marks
from gamma_align.reading.intake.apply import marks_of
from gamma_align.reading.intake.declarations import (
    DECLARATIONS,
    Declaration,
    cells_of,
    declaration_of,
    find_names,
)
from gamma_align.reading.intake.mapping import ColumnMap, Value
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.intake.tables import table_rows

_SUFFIXES = (".txt", ".tsv", ".csv")


def marks_of_declaration(declaration: Declaration, source: Source, choices: Choices) -> Marks:
    """Return the units of a table."""
    lines = split_lines(source.text())
    found = find_names(lines, declaration.needed)
    if found is None:
        raise InputError(
            f"no line names the columns {', '.join(map(repr, declaration.needed))}",
            "export the table again",
            Location(source.name),
        )
    begin, delimiter = found
    place: dict[str, object] = {"delimiter": delimiter, "header": begin + 1}
    rows = table_rows(source, replace(declaration.map, rows=place))
    titles = (cells_of(line, delimiter) for line in lines[:begin])
    document = next((cells[1] for cells in titles if len(cells) > 1 and cells[0] == declaration.title), "")
    mapping = _map_of(declaration, rows, document)
    marks = marks_of(_distinct(rows, declaration.distinct), mapping, choices)
    marks.length_unit = "s"
    if not marks.seen and not {"document", "annotator"} & mapping.roles.keys():
        marks.annotated()
    return marks


def _map_of(declaration: Declaration, rows: Rows, document: str) -> ColumnMap:
    """Return the map with the columns and the document that are there, and decimal commas if times have them."""
    roles = dict(declaration.map.roles)
    for role, candidates in declaration.optional.items():
        present = next((name for name in candidates if name in rows.names), None)
        if present is not None:
            roles[role] = present
    if document:
        roles.setdefault("document", Value(document))
    times = [str(cell) for role in ("start", "end", "time") if role in roles for cell in rows.cells(str(roles[role]))]
    has_commas = any("," in time for time in times) and not any("." in time for time in times)
    return replace(declaration.map, roles=roles, numbers="comma" if has_commas else "plain")


def _distinct(rows: Rows, names: Sequence[str]) -> Rows:
    """Return the rows without those that show a row before again, with the same cells in some columns."""
    first: dict[tuple[object, ...], int] = {}
    for row in range(len(rows)):
        first.setdefault(tuple(rows.columns[name][row] for name in names) or (row,), row)
    return rows.take([*first.values()])


def _matcher(name: str) -> Callable[[Head], bool]:
    def matches(head: Head) -> bool:
        return head.suffix in _SUFFIXES and declaration_of(head, (name,)) is not None

    return matches


def _reader(name: str) -> Callable[[Source, Choices], Iterable[Marks]]:
    def read(source: Source, choices: Choices) -> Iterable[Marks]:
        head = source.head
        declaration = declaration_of(head, (name,)) or DECLARATIONS[name][0]
        return (marks_of_declaration(declaration, source, choices),)

    return read


def _format(name: str, description: str, declares: tuple[str, ...]) -> FileFormat:
    return FileFormat(name, description, _SUFFIXES, _matcher(name), _reader(name), declares=declares)


FORMATS = (
    _format("raven", "selection tables of Raven (.txt)", ()),
    _format("boris-events", "events of BORIS as tables, aggregated or tabular (.tsv, .csv)", ("document",)),
    _format("noldus", "event logs of The Observer XT (.csv, .txt)", ("document",)),
)
