"""Rows of a file as every reader of tables and trees yields them: values by column, and where each row stands.

A reader of a format (a sheet, a list of records, a project of a tool) yields one `Rows` for each list of records in a
file. What its columns mean is said by a `ColumnMap` (`reading.intake.mapping`), and `reading.intake.apply` makes units
of both::

    rows = Rows("calls.selections.txt", {"Begin": [1.5], "End": [2.0], "Code": ["A"]}, where=[2], length_unit="s")
    mapping = ColumnMap("row", {"start": "Begin", "end": "End", "category": "Code"})
    marks = marks_of(rows, mapping)

Conventions
-----------
* A cell is a text, a number, ``None`` (missing), or a list or dictionary of a tree. A blank text is a missing cell.
* The name of a column is the one that the user sees: in the header, or a path of keys (``[].spans[].start``).
* A *place* is what the surroundings of the rows say, equal in all of them: ``@sheet`` (name of the sheet), ``@folder
  1`` (first folder of the path), ``@stem`` (name of the file without suffix). A map refers to places as to columns.
* A document or annotator that is ``None`` is the one that the path of the file names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gamma_align.data import Cell, Profile
from gamma_align.errors import Location, Where


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one table in a file.

    Attributes
    ----------
    file : str
        The name of the file in messages.
    columns : mapping of str to sequence
        The cells of each column, all of one length.
    where : sequence of int or str
        The line of each row, or words for it ("sheet 'Anna', row 3").
    places : mapping of str to str
        What the surroundings say, by the name of the place, which begins with ``@``.
    length_unit : str, optional
        The unit of bounds, if the source tells it: "s", "ms", "char", "token".
    texts : mapping of (str or None) to str
        The annotated text of each document, if the source has texts.
    seen : sequence of (str or None, str or None)
        The pairs of document and annotator that the source says were annotated, with or without units.
    extents : mapping of (str or None) to (float, float)
        Begin and end of each document, if the source tells them, such as the length of a recording.
    """

    file: str
    columns: Mapping[str, Sequence[Cell]]
    where: Sequence[Where]
    places: Mapping[str, str] = field(default_factory=dict)
    length_unit: str | None = None
    texts: Mapping[str | None, str] = field(default_factory=dict)
    seen: Sequence[tuple[str | None, str | None]] = ()
    extents: Mapping[str | None, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lengths = {name: len(cells) for name, cells in self.columns.items()}
        if any(length != len(self.where) for length in lengths.values()):
            raise ValueError(f"{self.file}: {len(self.where)} rows, and columns of {lengths}")

    def __len__(self) -> int:
        return len(self.where)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a map may use: columns, then places."""
        return (*self.columns, *self.places)

    def cells(self, name: str) -> Sequence[Cell]:
        """Return the cells of a column or place, one for each row; KeyError if there is neither."""
        return [self.places[name]] * len(self) if name in self.places else self.columns[name]

    def profiles(self, given: Mapping[str, str | None]) -> dict[str, Profile]:
        """Return the profiles of the columns and places, by name; `given` are the user's columns of roles."""
        return {name: Profile(name, self.cells(name), is_place(name), given) for name in self.names}

    def take(self, index: Sequence[int]) -> Rows:
        """Return the rows of an index, in its order."""
        columns = {name: [cells[row] for row in index] for name, cells in self.columns.items()}
        return replace(self, columns=columns, where=[self.where[row] for row in index])

    def location(self, row: int) -> Location:
        """Return file and line of a row."""
        return Location(self.file, self.where[row], row)


def joined(parts: Sequence[Rows], file: str) -> Rows:
    """Return the rows of several files one after the other, places as columns; a column that one lacks is None there.

    Each row says its file in `where`; `file` names all of them.
    """
    names = dict.fromkeys(chain.from_iterable(part.names for part in parts))
    columns = {
        name: [*chain.from_iterable(part.cells(name) if name in part.names else [None] * len(part) for part in parts)]
        for name in names
    }
    units = {part.length_unit for part in parts}
    return Rows(
        file,
        columns,
        [str(part.location(row)) for part in parts for row in range(len(part))],
        length_unit=units.pop() if len(units) == 1 else None,
        texts={name: text for part in parts for name, text in part.texts.items()},
        seen=[pair for part in parts for pair in part.seen],
        extents={name: bounds for part in parts for name, bounds in part.extents.items()},
    )


def is_place(name: str) -> bool:
    """Return whether a column is told by the surroundings of rows: by their path, or by the key of a dictionary."""
    return name.startswith("@") or name.endswith("{key}")


def record_of(name: str) -> str:
    """Return the path of the record that has a column; "" in a table."""
    end = max(name.rfind("[]"), name.rfind("{}"))
    return name[: end + 2] if end >= 0 else ""
