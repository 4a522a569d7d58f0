"""Rows of JSON: a table for each list of records, with the values of all records around it.

Conventions
-----------
* The name of a column is its path from the top: ``[]`` each of a list, ``{}`` each value of a dictionary whose keys are
  names, ``.name`` a field. ``[].spans[].start`` is the start of each span of each record of a list.
* ``[].by{key}`` is the key itself, where the values of ``[].by`` are by names, such as those of annotators.
* A list of numbers and texts, ``[0, 4, "PER"]``, has the columns ``.0``, ``.1``, ``.2``; one that is the whole file,
  such as the stages of a night, has a row for each, with the column ``[]``.
* A dictionary has names as keys if all its values are lists, or all are dictionaries, and no key is a usual name of a
  field or role.
* An empty list of records is a row without the columns of the records: its annotator marked nothing.
* What is no record, in a list of records, is a row with the path of the list as its only column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeGuard

from gamma_align.data import Cell, usual_names, without_accents
from gamma_align.errors import InputError, Location, Where
from gamma_align.reading.files import json_files
from gamma_align.reading.files.sources import Source
from gamma_align.reading.intake.rows import Rows

SUFFIXES = (".json", ".jsonl", ".ndjson")
"""Suffixes of files that are read as trees."""

_MAX_TUPLE = 6  # values of a list that is one record
_MAX_DEPTH = 12  # of lists and dictionaries in one another
_PAIR = 2

Row = dict[str, Cell]


@dataclass(slots=True)
class _Tables:
    """The rows of each list of records in a tree, by its path."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    where: dict[str, list[Where]] = field(default_factory=dict)
    empty: dict[str, list[tuple[Row, Where]]] = field(default_factory=dict)

    def add(self, path: str, row: Row, where: Where) -> None:
        """Add a row of the list at a path."""
        self.rows.setdefault(path, []).append(row)
        self.where.setdefault(path, []).append(where)


def tree_rows(source: Source) -> dict[str, Rows]:
    """Return the rows of each list of records in a file of JSON or JSON Lines, by the path of the list.

    Raises
    ------
    InputError
        If the file is no JSON.
    """
    tables = _Tables()
    for where, value in _values(source):
        _walk(value, "[]" if isinstance(where, int) else "", {}, where, tables, 0)
    result = {}
    for path in dict.fromkeys((*tables.rows, *tables.empty)):
        empty = tables.empty.get(path, ())
        all_rows = [*tables.rows.get(path, ()), *(row for row, _ in empty)]
        names = dict.fromkeys(name for row in all_rows for name in row)
        columns = {name: [row.get(name) for row in all_rows] for name in names}
        places = [*tables.where.get(path, ()), *(place for _, place in empty)]
        result[path] = Rows(source.name, columns, places)
    return result


def _values(source: Source) -> Iterator[tuple[Where, object]]:
    """Yield line and value of each value in a file; the only value of a file of JSON has a text as its place."""
    values = [*json_files.lines(source)]
    if source.suffix == ".json" and len(values) <= 1:
        yield "the file", json_files.document(source)
    else:
        yield from values


def _walk(value: object, path: str, around: Row, where: Where, tables: _Tables, depth: int) -> None:
    """Add the rows in a value; `around` are the values of the records around it."""
    if depth > _MAX_DEPTH:
        raise InputError(f"lists and dictionaries are {depth} deep in one another", location=Location(path, where))
    if isinstance(value, list):
        _walk_list(value, path, around, where, tables, depth)
    elif isinstance(value, dict) and has_names_as_keys(value):
        for key, part in value.items():
            _walk(part, f"{path}{{}}", {**around, f"{path}{{key}}": key}, where, tables, depth + 1)
    elif isinstance(value, dict):
        row, inner = _parts(value, path)
        row = {**around, **row}
        tables.add(path, row, where)
        for name, part in inner:
            _walk(part, name, _without_lists(row), where, tables, depth + 1)
    elif value is not None and path.endswith("[]"):  # something else among records: readers refuse it
        tables.add(path, {**around, path: value}, where)


def _walk_list(values: list[object], path: str, around: Row, where: Where, tables: _Tables, depth: int) -> None:
    if not values:
        tables.empty.setdefault(f"{path}[]", []).append((around, where))
    for number, item in enumerate(values, 1):
        place = f"record {number}" if where == "the file" else where
        if not path and _is_scalar(item):
            tables.add("[]", {"[]": item}, place)
        elif _is_tuple(item):
            tables.add(f"{path}[]", {**around, **_tuple(f"{path}[]", item)}, place)
        elif isinstance(item, list) and any(map(_is_scalar, item)) and not all(map(_is_scalar, item)):
            # One record, such as ["T1", "PER", [[0, 4]]]: its parts have numbers in place of names.
            _walk({str(index): part for index, part in enumerate(item)}, f"{path}[]", around, place, tables, depth + 1)
        else:
            _walk(item, f"{path}[]", around, place, tables, depth + 1)


def _without_lists(row: Row) -> Row:
    return {name: cell for name, cell in row.items() if not isinstance(cell, list)}


def _parts(record: Mapping[str, object], path: str) -> tuple[Row, list[tuple[str, object]]]:
    """Return the values of a record and of the records in it, and the lists and dictionaries of records in them."""
    row: Row = {}
    inner: list[tuple[str, object]] = []
    for key, value in record.items():
        name = f"{path}.{key}"
        if isinstance(value, dict) and not has_names_as_keys(value):
            values, further = _parts(value, name)
            row |= values
            inner += further
        elif isinstance(value, dict) or value == [] or (isinstance(value, list) and not all(map(_is_scalar, value))):
            inner.append((name, value))
        elif isinstance(value, list) and len(value) == _PAIR and all(map(_is_number, value)):
            row |= _tuple(name, value)
        elif _is_scalar(value) or (isinstance(value, list) and (_are_texts(value) or all(map(_is_number, value)))):
            row[name] = value
    return row, inner


def has_names_as_keys(value: Mapping[str, object]) -> bool:
    """Return whether the keys of a dictionary are names of documents, annotators or categories, and no fields."""
    kinds = {type(part) for part in value.values()}
    if len(kinds) != 1 or not kinds <= {list, dict}:
        return False
    words = {*map(without_accents, value)}
    return words.isdisjoint(_field_names())


def _field_names() -> frozenset[str]:
    return frozenset().union(*usual_names().values()) - usual_names()["preposition"]  # "Till" is a name, too


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_tuple(value: object) -> TypeGuard[list[object]]:
    """Return whether a list is one record: numbers, texts and perhaps lists of texts."""
    if not isinstance(value, list) or not _PAIR <= len(value) <= _MAX_TUPLE:
        return False
    return sum(map(_is_number, value)) >= _PAIR and all(_is_scalar(part) for part in value)


def _tuple(path: str, value: list[object]) -> Row:
    return {f"{path}.{index}": part for index, part in enumerate(value)}


def is_tree(name: str) -> bool:
    """Return whether a file is read as a tree."""
    return PurePosixPath(name).suffix.lower() in SUFFIXES
