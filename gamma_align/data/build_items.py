"""From records, matrices, columns and counts to the columns of an `ItemTable`, all checks passed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import MISSING, CodeArray, IntArray
from gamma_align.data.continuum import Continuum
from gamma_align.data.item_labels import (
    EXACT,
    Labels,
    coded,
    declared,
    exact,
    in_order,
    keys_of,
    labels_of,
    listed,
    recoded,
    small,
    written,
)
from gamma_align.data.item_long_roles import is_long, long_roles
from gamma_align.data.item_options import LONG, Options
from gamma_align.data.item_roles import counts_item, wide_roles
from gamma_align.data.tables import Table, check_lengths, factorized, merged
from gamma_align.errors import InputError, Location

_SHOWN = 5
_DECLARED = Table.of({}, "items", "categories")


class ItemColumns(NamedTuple):
    """The attributes of an `ItemTable`, in its order."""

    codes: CodeArray
    coders: tuple[str, ...]
    labels: Labels
    names: tuple[str, ...] | None = None
    declared: bool = False
    anonymous: bool = False
    notes: tuple[str, ...] = ()

    def item_name(self, item: int) -> str:
        """Return the name of an item, its number from 1 where it has none."""
        return str(item + 1) if self.names is None else self.names[item]


def from_records(judgments: Iterable[Sequence[Any]], categories: Sequence[Any] | None) -> ItemColumns:
    """Return the table of (item, coder, category) records."""
    rows = []
    for number, record in enumerate(judgments, 1):
        row = () if isinstance(record, (str, bytes)) or not hasattr(record, "__iter__") else tuple(record)
        if len(row) != len(LONG):
            raise InputError(f"judgment {number} is {record!r}; a record of item, coder and category is needed")
        rows.append(row)
    columns = {name: [row[column] for row in rows] for column, name in enumerate(LONG)}
    return from_table(Table.of(columns, "items"), Options("long", categories))


def from_table(table: Table, options: Options) -> ItemColumns:
    """Return the item table of a table of any layout."""
    table = _with_text_names(table)
    layout = _layout(table, options) if options.layout == "auto" else options.layout
    if layout == "long":
        return _long(table, options)
    if layout == "wide":
        return _wide(table, options)
    if layout == "counts":
        return _counts(table, options)
    return _contingency(table)


def _with_text_names(table: Table) -> Table:
    """Return the table with names of columns that are text; data frames may have numbers."""
    if all(isinstance(name, str) for name in table.columns):
        return table
    columns = {str(name): values for name, values in table.columns.items()}
    if len(columns) < len(table.columns):
        raise InputError(f"{table.origin}: two columns have the same name as text, such as 1 and '1'; rename one")
    return replace(table, columns=columns)


def _layout(table: Table, options: Options) -> str:
    """Return the layout of a table: "wide" if it names coders or nothing shows that a row is a judgment."""
    if options.coders is not None:
        return "wide"
    if {"start", "end"} <= set(table.columns):
        raise InputError(
            f"{table.origin}: columns 'start' and 'end': these are units, for `gamma-align measure`, ga.read; a table "
            "of items has item, annotator, category, or a column a coder (layout='wide', --layout wide)"
        )
    return "long" if is_long(table, options) else "wide"


def _long(table: Table, options: Options) -> ItemColumns:
    column_names, notes = long_roles(table, options)
    ours = check_lengths(replace(table, columns={name: table.columns[column_names[name]] for name in LONG}))
    item, coder = factorized(ours, "item"), factorized(ours, "annotator")
    names, (column,) = merged(coder)
    codes, labels = coded(ours, "category", options.categories, options.sets, text_numbers=options.from_file)
    twice = _repeated(item.codes * len(names) + column)
    if twice is not None:
        first, second = twice
        same = "the same" if codes[first] == codes[second] else "another"
        person, judged = coder.labels[coder.codes[second]], item.labels[item.codes[second]]
        raise InputError(
            f"{table.location(second)}: {person!r} judges {judged!r} once more ({same} category; first in "
            f"{table.row_name(first)}); a coder judges an item once. Units of one person that overlap are for γ"
        )
    matrix = np.full((len(item.labels), len(names)), MISSING, dtype=codes.dtype)
    matrix[item.codes, column] = codes
    return ItemColumns(matrix, names, labels, tuple(item.labels), options.categories is not None, notes=notes)


def _repeated(codes: IntArray) -> tuple[int, int] | None:
    """Return the first two rows of a code that is there twice."""
    order = np.argsort(codes, kind="stable")
    for index in np.flatnonzero(np.diff(codes[order]) == 0)[:1].tolist():
        return int(order[index]), int(order[index + 1])
    return None


def _wide(table: Table, options: Options) -> ItemColumns:
    table = check_lengths(replace(table, columns={**table.columns}))  # a data frame converts a column once
    roles = wide_roles(table, options)
    if not roles.coders:
        raise InputError(f"{table.origin}: no column of judgments; a wide table has a column a coder")
    columns = [table.columns[name] for name in roles.coders]
    width = len(columns)
    cells = {"category": _stacked(columns)}
    stacked = replace(table, columns=cells, location=lambda cell: table.location(cell // width))
    codes, labels = coded(stacked, "category", options.categories, options.sets, text_numbers=options.from_file)
    names = _item_names(table, roles.item) if roles.item else None
    is_declared = options.categories is not None
    coders = tuple(map(str, roles.coders))
    return ItemColumns(codes.reshape(-1, width), coders, labels, names, is_declared, notes=roles.notes)


def _item_names(table: Table, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the name of the item of each row, from one column or several; each item has one row."""
    parts = []
    for name in columns:
        column = factorized(replace(table, columns={"item": table.columns[name]}), "item")
        parts.append([column.labels[code] for code in column.codes.tolist()])
        twice = _repeated(column.codes) if len(columns) == 1 else None
        if twice is not None:
            raise InputError(
                f"{table.location(twice[1])}: item {parts[0][twice[1]]!r} is there twice (first in "
                f"{table.row_name(twice[0])}); a wide table has one row an item"
            )
    return tuple(map(", ".join, zip(*parts, strict=True)))


def _stacked(columns: list[Any]) -> Any:  # noqa: ANN401
    """Return the cells row after row: an array where all columns are arrays of one kind of number, else a list."""
    kinds = {values.dtype.kind if isinstance(values, np.ndarray) else "" for values in columns}
    if kinds in ({"f"}, {"i"}, {"u"}) and not any(isinstance(values, np.ma.MaskedArray) for values in columns):
        return np.stack(columns, axis=1).ravel()
    lists = [listed(values) for values in columns]
    return [cell for row in zip(*lists, strict=True) for cell in row]


def from_matrix(
    matrix: Any,  # noqa: ANN401
    *,
    coders: Sequence[str] | None,
    items: Sequence[str] | None,
    categories: Sequence[Any] | None,
) -> ItemColumns:
    """Return the table of a matrix, items × coders."""
    if isinstance(matrix, np.ndarray) and not isinstance(matrix, np.ma.MaskedArray):
        if matrix.ndim != 2:  # noqa: PLR2004
            raise InputError(f"the matrix has shape {matrix.shape}; items × coders are needed")
        height, width = matrix.shape
        flat: Any = matrix.reshape(-1) if matrix.dtype.kind in "fiu" else matrix.reshape(-1).tolist()
    else:
        rows = [tuple(row) for row in (matrix.tolist() if isinstance(matrix, np.ma.MaskedArray) else matrix)]
        height, width = len(rows), len(rows[0]) if rows else 0
        for number, row in enumerate(rows, 1):
            if len(row) != width:
                raise InputError(f"row {number} has {len(row)} judgments, the first {width}; use None for missing")
        flat = [cell for row in rows for cell in row]
    table = Table(
        {"category": flat}, "items", "items", lambda cell: Location("items", f"row {cell // max(width, 1) + 1}")
    )
    codes, labels = coded(table, "category", categories)
    names = None if items is None else _names(items, height, "items")
    columns = tuple(map(str, range(1, width + 1))) if coders is None else _names(coders, width, "coders")
    return ItemColumns(codes.reshape(height, width), columns, labels, names, categories is not None)


def _names(names: Sequence[str], size: int, described: str) -> tuple[str, ...]:
    texts = tuple(map(str, names))
    if len(texts) != size or len(set(texts)) < size:
        raise InputError(f"{len(texts)} names ({len(set(texts))} different) for {size} {described}; each needs its own")
    return texts


def observed(codes: IntArray, coders: tuple[str, ...], categories: tuple[str, ...]) -> ItemColumns:
    """Return the table with those of the categories that occur, codes into `categories`."""
    keys = in_order(categories[code] for code in np.unique(codes[codes >= 0]).tolist())
    return ItemColumns(recoded(_DECLARED, codes, categories, keys), coders, labels_of(keys))


def with_categories(table: ItemColumns, categories: Sequence[Any]) -> ItemColumns:
    """Return the table with these categories, in this order."""
    width = max(len(table.coders), 1)
    cells = Table({}, "items", "items", lambda cell: Location("items", f"item {table.item_name(cell // width)!r}"))
    old = keys_of(table.labels)
    new = declared(cells, categories, old)
    codes = recoded(cells, table.codes.reshape(-1), old, new).reshape(table.codes.shape)
    return table._replace(codes=codes, labels=labels_of(new), declared=True)


def _counts(table: Table, options: Options) -> ItemColumns:
    item, notes = counts_item(table, options)
    kinds = [name for name in table.columns if name != item]
    if not kinds:
        raise InputError(f"{table.origin}: no column of counts; a table of counts has a column a category")
    counts = np.array([_whole(table, name) for name in kinds], dtype=np.int64).T
    names = None if item is None else list(map(str, listed(table.columns[item])))
    result = from_counts(counts, kinds, names)._replace(notes=notes)
    return result if options.categories is None else with_categories(result, options.categories)


def _whole(table: Table, name: str) -> list[int]:
    cells = []
    for row, cell in enumerate(listed(table.columns[name])):
        number = written(cell) if isinstance(cell, str) else exact(0 if cell is None else cell)
        if number is None or not number.is_finite() or not 0 <= number <= EXACT or number != int(number):
            raise InputError(f"{table.location(row)}: {name} is {cell!r}; a count is a whole number, 0 or more")
        cells.append(int(number))
    return cells


def from_counts(counts: Any, categories: Sequence[Any], items: Sequence[str] | None) -> ItemColumns:  # noqa: ANN401
    """Return the anonymous table of an agreement table (items × categories)."""
    table = _whole_array(counts, "counts")
    if table.ndim != 2 or table.shape[1] != len(categories):  # noqa: PLR2004
        raise InputError(f"counts of shape {table.shape} for {len(categories)} categories; a column each is needed")
    width = int(table.sum(axis=1).max(initial=0))
    labels = labels_of(declared(_DECLARED, categories, ()))
    codes = np.full((len(table), width), MISSING, dtype=small(len(labels)))
    item, category = np.nonzero(table)
    times = table[item, category]
    row, value = np.repeat(item, times), np.repeat(category, times)
    begin = np.concatenate([[0], np.cumsum(table.sum(axis=1))])[:-1]
    codes[row, np.arange(len(row)) - begin[row]] = value
    names = None if items is None else _names(items, len(table), "items")
    return ItemColumns(codes, tuple(map(str, range(1, width + 1))), labels, names, declared=True, anonymous=True)


def _whole_array(values: Any, described: str) -> IntArray:  # noqa: ANN401
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"the {described} are not numbers") from None
    if not bool((table == np.floor(table)).all()) or bool((table < 0).any()):
        raise InputError(f"the {described} must be whole numbers, 0 or more")
    return table.astype(np.int64)


def from_contingency(table: Any, categories: Sequence[Any], coders: tuple[str, str]) -> ItemColumns:  # noqa: ANN401
    """Return the table of two coders whose pairs of categories were counted."""
    counts = _whole_array(table, "cells of the table")
    size = len(categories)
    if counts.shape != (size, size):
        raise InputError(f"a contingency table of shape {counts.shape} for {size} categories; it must be square")
    first, second = np.nonzero(counts)
    times = counts[first, second]
    codes = np.stack([np.repeat(first, times), np.repeat(second, times)], axis=1).astype(small(size))
    labels = labels_of(declared(_DECLARED, categories, ()))
    return ItemColumns(codes, _names(coders, 2, "coders"), labels, declared=True)


def _contingency(table: Table) -> ItemColumns:
    names = list(table.columns)
    if len(names) < 2:  # noqa: PLR2004
        raise InputError(f"{table.origin}: a contingency table has a column of labels and a column for each of them")
    rows = [str(label) for label in listed(table.columns[names[0]])]
    if rows != names[1:]:
        raise InputError(
            f"{table.origin}: the first column has {', '.join(map(repr, rows[:_SHOWN]))}, the header "
            f"{', '.join(map(repr, names[1 : _SHOWN + 1]))}; both must name the same categories in order"
        )
    counts = np.array([_whole(table, name) for name in names[1:]], dtype=np.int64).T
    return from_contingency(counts, rows, ("1", "2"))


def items_of(continuum: Continuum) -> tuple[IntArray, tuple[str, ...]]:
    """Return the item of each unit of a continuum and the items' names, "start–end"."""
    order = np.lexsort((continuum.end, continuum.start))
    start, end = continuum.start[order], continuum.end[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (start[1:] != start[:-1]) | (end[1:] != end[:-1])
    firsts = np.flatnonzero(new)
    reach = np.maximum.accumulate(end[firsts])
    for inside in np.flatnonzero(start[firsts][1:] < reach[:-1])[:1].tolist():
        left, right = firsts[inside], firsts[inside + 1]
        raise InputError(
            f"{continuum.document}: [{start[left]:g}, {end[left]:g}] and [{start[right]:g}, {end[right]:g}] overlap "
            "without being the same: units are not predefined here; measure γ, or take the items from an alignment"
        )
    item = np.empty(len(order), dtype=np.int64)
    item[order] = np.cumsum(new) - 1
    twice = _repeated(item * max(len(continuum.annotators), 1) + continuum.annotator)
    if twice is not None:
        annotator = continuum.annotators[continuum.annotator[twice[0]]]
        raise InputError(
            f"{continuum.document}: {annotator!r} has two units with the same bounds; a coder judges an item once"
        )
    bounds = zip(start[firsts].tolist(), end[firsts].tolist(), strict=True)
    return item, tuple(f"{low:.15g}–{high:.15g}" for low, high in bounds)
