"""Recognise tables of items whose columns are not coders: counts, contingency tables, coders in rows.

A form is read only if no other form is likely; if two are, the table is refused, and the cure names the layout of each.

Conventions
-----------
* A table has *counts* if the whole numbers of each row add up to one number, the number of coders. It may also have
  counts if its rows have nearly the same sum: the columns of coders who agree rise and fall together, so that their sum
  varies more than they do, while the columns of counts make up for each other.
* A *contingency table* has the same names in rows and columns, and whole numbers. A row and a column of totals are left
  out.
* A table has *coders in rows* if there are more columns than rows, and the columns are numbered items (i1, i2, …) or
  the first column names annotators.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.column_values import ColumnValues, are_row_numbers
from gamma_align.data.item_evidence import Judged
from gamma_align.data.item_labels import (
    MAX_EXACT_INTEGER,
    Cells,
    exact_number,
    is_missing,
    label_name,
    list_cells,
    parse_number,
)
from gamma_align.data.item_names import (
    is_about_item,
    is_item_id,
    is_no_coder,
    is_reference,
    is_stem_of,
    judgments,
    names_annotators,
    stem_of,
)
from gamma_align.data.item_options import Options
from gamma_align.data.item_roles import is_key, refuse_pairs
from gamma_align.data.layout_options import CODERS_IN_ROWS
from gamma_align.data.tables import Table
from gamma_align.errors import Cure, InputError, Location, Note, Set

_MIN_ROWS_OF_COUNTS = 5  # different rows; the judgments of fewer items may have one sum by chance
_MIN_ROWS_ASKED = 3  # in one or two rows, sums mean nothing
_MIN_SIZE_OF_ONE_HOT = 3  # columns; two coders who always disagree also have one 1 in each row
_MIN_COLUMNS_WITH_TOTAL = 3  # of two equal columns, neither is a total
_MAX_VARIANCE_SHARE = 0.5  # of the sum, in the sum of the variances; 1 if columns are independent, more if coders agree
_MIN_ITEMS_IN_COLUMNS = 5  # fewer columns are hardly all items of a table
_SEPARATORS = "_ .-:"
_MIN_SQUARE = 2  # columns of a contingency table besides the labels
_ROUNDED = 0.02  # the sum of shares, each with two decimals
_PERCENT = 100  # the sum of shares in percent


class Form(NamedTuple):
    """The layout of a table, a note if it was recognised by values, and columns of numbers that are no counts."""

    layout: str
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def form_of(table: Table, options: Options) -> Form:
    """Return the layout of a table that is not long.

    Raises
    ------
    InputError
        If it may have two layouts.
    """
    form = _contingency(table, options) or _coders_in_rows(table, options)
    if form is None:
        refuse_pairs(table, options)
        form = _counts(table, options)
    return form or Form("wide")


# -------------------------------------------------------------------------------------- whole numbers


def whole_numbers(table: Table, name: str, options: Options) -> IntArray | None:
    """Return a column of whole numbers as `count_column`; None if another cell is in it."""
    try:
        return count_column(table, name, options)
    except InputError:
        return None


def count_column(table: Table, name: str, options: Options) -> IntArray:
    """Return a column of whole numbers from 0 on, 0 for a missing one; InputError if another cell is in it."""
    column: Cells = table.columns[name]
    is_masked = isinstance(column, np.ma.MaskedArray)
    if isinstance(column, np.ndarray) and not is_masked and column.dtype.kind in "iu" and column.min(initial=0) >= 0:
        return column.astype(np.int64)
    given = options.missing.given
    counts = []
    count_of: dict[object, int] = {}
    for row, cell in enumerate(list_cells(column)):
        is_known = isinstance(cell, Hashable) and cell in count_of
        if not is_known:
            is_none = is_missing(cell) or cell in given
            # The cells of a CSV file are texts.
            number = 0 if is_none else parse_number(cell) if isinstance(cell, str) else exact_number(cell)
            if number is None or not 0 <= number <= MAX_EXACT_INTEGER or number != int(number):
                cause = f"{name} is {cell!r}"
                raise InputError(cause, "a count must be a whole number, 0 or more", table.location(row))
            count_of[cell] = int(number)
        counts.append(count_of[cell])
    return np.array(counts, dtype=np.int64)


def total_of(counts: IntArray) -> int | None:
    """Return the last column that is the sum of all others, if there is one; `counts` has shape (n_rows, n_columns)."""
    if counts.shape[1] < _MIN_COLUMNS_WITH_TOTAL or not counts.any():
        return None
    totals = np.flatnonzero((2 * counts == counts.sum(axis=1, keepdims=True)).all(axis=0))
    return int(totals[-1]) if len(totals) else None


def _counts(table: Table, options: Options) -> Form | None:
    """Return the form of a table whose columns of whole numbers seem to be counts."""
    item = options.names.get("item", "item")
    numbers = {
        name: whole_numbers(table, name, options) for name in table.columns if name not in (item, *options.index)
    }
    whole = {name: column for name, column in numbers.items() if column is not None and not are_row_numbers(column)}
    # A column that is neither whole numbers nor a name or text of items may be a coder.
    others = [name for name in numbers if name not in whole and not _describes_items(table, name)]
    if others:
        _ask_about_shares(table, [*others, *whole])
        return None
    named_otherwise = [name for name in whole if not (is_item_id(name) or is_about_item(name) or is_reference(name))]
    for names in (named_otherwise, list(whole)):
        if len(names) > 1:
            form = _counts_of(table, names, np.stack([whole[name] for name in names], axis=1))
            if form is not None:
                left_out = tuple(name for name in whole if name not in names and not is_item_id(name))
                return form._replace(left_out=left_out)
    return None


def _ask_about_shares(table: Table, names: list[str]) -> None:
    """Raise InputError if fractions in each row add up to 1."""
    judged = Judged.of({name: table.columns[name] for name in names}) if len(names) > 1 else None
    if judged is None or len(judged.numbers) < _MIN_ROWS_ASKED or np.isnan(judged.numbers).any():
        return
    is_whole = (judged.numbers == np.floor(judged.numbers)).all()
    sums = judged.numbers.sum(axis=1)
    if not is_whole and judged.numbers.min() >= 0 and bool((np.abs(sums - 1) <= _ROUNDED).all()):
        _ask(table, names, "each row adds up to 1, as shares do, and the number of coders is not known")


def _describes_items(table: Table, name: str) -> bool:
    return is_no_coder(name) or is_key(table, [name])


def _counts_of(table: Table, names: list[str], counts: IntArray) -> Form | None:
    total = total_of(counts)
    if total is not None:
        counts = np.delete(counts, total, axis=1)
        names = [name for index, name in enumerate(names) if index != total]
    sums = counts.sum(axis=1)
    n_different = len(np.unique(counts, axis=0))
    if len(counts) < _MIN_ROWS_ASKED or n_different == 1:
        return None
    lowest = int(sums.min())
    highest = int(sums.max())
    if lowest == highest:
        described = f"each row adds up to {lowest}"
        if lowest == 1 and counts.shape[1] >= _MIN_SIZE_OF_ONE_HOT:
            _ask(table, names, f"{described}, as if a row were the one judgment of an item")
        if lowest == _PERCENT and int(np.gcd.reduce(counts, axis=None)) > 1:
            _ask(table, names, f"{described}, as percentages do, and the number of coders is not known")
        if lowest <= 1:
            return None
        if n_different < _MIN_ROWS_OF_COUNTS or bool(counts.all()):
            _ask(table, names, f"{described}, as numbers of coders do")
        cause = f"{table.origin}: {described}: read as the number of coders for each category"
        return Form("counts", (Note(cause, Cure("if each column is a coder, set {}", Set("layout", "wide"))),))
    is_balanced = float(sums.var()) < _MAX_VARIANCE_SHARE * float(counts.var(axis=0).sum())
    if total is not None or (is_balanced and n_different >= _MIN_ROWS_OF_COUNTS and not counts.all()):
        _ask(table, names, f"the rows add up to {lowest} to {highest}, as numbers of coders may do")
    return None


def _ask(table: Table, names: list[str], cause: str) -> None:
    raise InputError(
        cause,
        Cure(
            "if each column is a category with a number of coders, set {}; if each column is a coder, set {}",
            Set("layout", "counts"),
            Set("coders", names),
        ),
        Location(table.origin),
    )


# ---------------------------------------------------------------------------------- contingency tables


class Square(NamedTuple):
    """A contingency table: the names in its rows, those in its header, and counts in the order of both."""

    rows: list[str]
    header: list[str]
    counts: IntArray
    has_totals: bool


def square_of(table: Table, options: Options) -> Square | None:
    """Return the labels and counts of a table without its totals; None if its cells are not whole numbers."""
    labels_name, *header = table.columns
    columns = [whole_numbers(table, name, options) for name in header]
    whole = [column for column in columns if column is not None]
    if not whole or len(whole) < len(columns):
        return None
    rows = without_beginning([label_name(cell) for cell in list_cells(table.columns[labels_name])])
    header = without_beginning(header)
    counts = np.stack(whole, axis=1)
    total_column = total_of(counts)
    total_row = total_of(counts.T)
    if total_column == len(header) - 1:
        header = header[:-1]
        counts = counts[:, :-1]
    if total_row == len(rows) - 1:
        rows = rows[:-1]
        counts = counts[:-1]
    has_totals = total_column is not None or total_row is not None
    if sorted(rows) == sorted(header) and len(set(rows)) == len(rows):
        counts = counts[:, [header.index(name) for name in rows]]
        header = rows
    return Square(rows, header, counts, has_totals)


def _contingency(table: Table, options: Options) -> Form | None:
    if len(table.columns) <= _MIN_SQUARE or len(table) > len(table.columns) or "item" in options.names:
        return None
    square = square_of(table, options)
    if square is None:
        _ask_about_square_of_shares(table)
        return None
    if square.rows != square.header:
        return None
    first = next(iter(table.columns))
    question = Cure(
        "if so, set {}; if each column is a coder, set {}", Set("layout", "contingency"), Set("layout", "wide")
    )
    # Numbers may also name items.
    if all(parse_number(name) is not None for name in square.rows) and is_item_id(first):
        raise InputError(
            "the rows have the names of the columns, as in a contingency table of two coders",
            question,
            Location(table.origin),
        )
    cause = f"{table.origin}: rows and columns have the same names: read as the contingency table of two coders"
    return Form("contingency", (Note(cause, Cure("if each column is a coder, set {}", Set("layout", "wide"))),))


def _ask_about_square_of_shares(table: Table) -> None:
    """Raise InputError if rows and columns have the same names, and all cells are numbers, but no counts."""
    labels_name, *header = table.columns
    rows = [label_name(cell) for cell in list_cells(table.columns[labels_name])]
    judged = Judged.of({name: table.columns[name] for name in header}) if sorted(rows) == sorted(header) else None
    if judged is not None and not np.isnan(judged.numbers).any():
        raise InputError(
            "the rows have the names of the columns, as in a contingency table of two coders, but not all cells are "
            "counts",
            Cure("give numbers of items; if each column is a coder, set {}", Set("layout", "wide")),
            Location(table.origin),
        )


def without_beginning(names: list[str]) -> list[str]:
    """Return names without the words that all begin with, as far as a separator: "Ben_x" and "Ben_y" are x and y."""
    if len(names) < _MIN_SQUARE:
        return names
    low = min(names)
    same = (first == last for first, last in zip(low, max(names), strict=False))
    beginning = low[: sum(takewhile(bool, same))]
    size = max(map(beginning.rfind, _SEPARATORS)) + 1
    return [name[size:] for name in names]


# -------------------------------------------------------------------------------------- coders in rows


def coder_column(table: Table, options: Options) -> str | None:
    """Return the column that names the coders of a table with a coder in each row, if it has one."""
    if "annotator" in options.names:
        return options.names["annotator"]
    named = [name for name in table.columns if names_annotators(name)]
    if named:
        return named[0]
    first = options.index[0] if len(options.index) == 1 else next(iter(table.columns), None)
    if first is None or not is_key(table, [first]):
        return None
    if is_item_id(first):
        return first
    names = ColumnValues.examine(table.columns[first], options.sets)
    others = (ColumnValues.examine(table.columns[name], options.sets) for name in table.columns if name != first)
    return None if any(map(names.shares_with, others)) else first


def has_coder_rows(table: Table, options: Options) -> bool:
    """Return whether a column of annotators names each row of a table that has a column for each item."""
    coder = coder_column(table, options)
    if coder is None or not names_annotators(coder) or judgments(table.columns) or "category" in options.names:
        return False
    is_named = coder in table.columns and is_key(table, [coder])
    return is_named and len(item_columns(table, options, coder)) >= _MIN_ITEMS_IN_COLUMNS


def item_columns(table: Table, options: Options, coder: str | None) -> list[str]:
    """Return the columns that are items of a table with a coder in each row: a numbered series, if there is one."""
    names = [name for name in table.columns if name != coder and name not in options.index]
    stems = {name: stem for name in names if (stem := stem_of(name)) is not None}
    counts = {stem: list(stems.values()).count(stem) for stem in stems.values()}
    largest = max(counts, key=lambda stem: counts[stem], default=None)
    if largest is not None and counts[largest] >= _MIN_ITEMS_IN_COLUMNS:
        return [name for name in names if stems.get(name) == largest]
    return [name for name in names if not is_about_item(name)]


def _coders_in_rows(table: Table, options: Options) -> Form | None:
    item = options.names.get("item", "item")
    if item in table.columns or judgments(table.columns):
        return None
    coder = coder_column(table, options)
    items = item_columns(table, options, coder)
    stems = set(map(stem_of, items))
    stem = stems.pop() if len(stems) == 1 else None
    if len(items) < _MIN_ITEMS_IN_COLUMNS or is_stem_of("coder", stem):
        return None
    is_wide = len(items) > len(table)
    names_coders = has_coder_rows(table, options)
    if (
        is_wide
        and coder is not None
        and (names_coders or (is_stem_of("item", stem) and whole_numbers(table, coder, options) is None))
    ):
        cause = f"{table.origin}: read {coder!r} as annotator, and each of {len(items)} columns as an item"
        return Form(CODERS_IN_ROWS, (Note(cause, Cure("if each column is a coder, set {}", Set("layout", "wide"))),))
    if is_wide or names_coders or is_stem_of("item", stem):
        raise InputError(
            f"{len(table)} rows and {len(items)} columns of judgments may be coders and items, or items and coders",
            Cure(
                "if each row is a coder, set {}; if each column is a coder, set {}",
                Set("layout", CODERS_IN_ROWS),
                Set("layout", "wide"),
            ),
            Location(table.origin),
        )
    return None
