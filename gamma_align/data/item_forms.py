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

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.item_evidence import Judged
from gamma_align.data.item_labels import MAX_EXACT_INTEGER, label_name, parse_number
from gamma_align.data.item_long_roles import is_long, long_meaning
from gamma_align.data.item_meanings import Given, Meaning
from gamma_align.data.item_names import (
    bounds_of,
    is_about_item,
    is_item_id,
    is_no_coder,
    is_reference,
    is_stem_of,
    judgments,
    names_annotators,
    stem_of,
)
from gamma_align.data.item_roles import counts_item, refuse_pairs, wide_meaning
from gamma_align.data.layout_options import CODERS_IN_ROWS
from gamma_align.errors import Call, Cure, InputError, Note, Set

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
_IF_CODERS = Cure("if each column is a coder, set {}", Set("layout", "wide"))
_SAME_NAMES = "the rows have the names of the columns, as in a contingency table of two coders"


def meaning_of(given: Given) -> Meaning:
    """Return what the columns of a table mean.

    Raises
    ------
    InputError
        If the table may have two layouts, or a column two meanings.
    """
    return _MEANINGS[given.options.layout](given)


def _any_meaning(given: Given) -> Meaning:
    """Return the meaning of a table of any layout."""
    bounds = bounds_of(given.names) if given.options.coders is None else ()
    if bounds:
        start, end = map(repr, bounds)
        raise given.question(
            f"columns {start} and {end} may be bounds of units, and a table of items has the columns item, annotator "
            "and category, or a column for each coder",
            "measure units with {}; if a row is a judgment, set {}; if both are coders, set {}",
            Call("gamma", "measure"),
            Set("layout", "long"),
            Set("layout", "wide"),
        )
    if given.options.coders is not None or not given.names:
        return wide_meaning(given)
    if is_long(given) and not _has_coder_rows(given):
        return long_meaning(given)
    meaning = _square_table(given) or _coders_in_rows(given)
    if meaning is None:
        refuse_pairs(given)
        meaning = _counts(given)
    return meaning or wide_meaning(given)


# -------------------------------------------------------------------------------------- whole numbers


def count_column(given: Given, name: str) -> IntArray | None:
    """Return a column of whole numbers from 0 on, 0 for a missing one; None if another cell is in it."""
    column = given.profiles[name]
    codes, texts = column.coded
    counts = [0 if text in given.options.missing.given else whole_number(text) for text in texts]
    if any(count is None for count in counts) or any(map(_is_empty_text, column.cells)):
        return None
    return np.array([*counts, 0], dtype=np.int64)[codes]  # code -1 reads the last entry


def whole_number(text: str) -> int | None:
    """Return a text as a whole number from 0 on that is exact in float64, None if it is another one."""
    number = parse_number(text)
    return None if number is None or not 0 <= number <= MAX_EXACT_INTEGER or number != int(number) else int(number)


def _is_empty_text(cell: object) -> bool:
    return isinstance(cell, str) and not cell.strip()


def counts_meaning(given: Given) -> Meaning:
    """Return the meaning of a table of counts: a column for each category, and perhaps one that names items."""
    item, notes = counts_item(given)
    names = [name for name in given.names if name not in item]
    # Texts and remarks are not counts, but a column of counts may have such a name: the category "question".
    counts = {name: count_column(given, name) for name in names}
    unread = [name for name, column in counts.items() if column is None and is_no_coder(name)]
    categories = [name for name in names if name not in unread]
    if not categories:
        raise given.question("there is no column of counts", "add a column for each category")
    return Meaning("counts", item, tuple(categories), notes=(*notes, *given.unread(unread, "counts")))


def total_of(counts: IntArray) -> int | None:
    """Return the last column that is the sum of all others, if there is one; `counts` has shape (n_rows, n_columns)."""
    if counts.shape[1] < _MIN_COLUMNS_WITH_TOTAL or not counts.any():
        return None
    totals = np.flatnonzero((2 * counts == counts.sum(axis=1, keepdims=True)).all(axis=0))
    return int(totals[-1]) if len(totals) else None


def _counts(given: Given) -> Meaning | None:
    """Return the meaning of a table whose columns of whole numbers seem to be counts."""
    options = given.options
    item = options.names.get("item", "item")
    numbers = {name: count_column(given, name) for name in given.names if name not in (item, *options.index)}
    whole = {
        name: column for name, column in numbers.items() if column is not None and not given.profiles[name].numbers_rows
    }
    # A column that is neither whole numbers nor a name or text of items may be a coder.
    others = [name for name in numbers if name not in whole and not is_no_coder(name) and not given.is_key([name])]
    if others:
        _ask_about_shares(given, [*others, *whole])
        return None
    named_otherwise = [name for name in whole if not (is_item_id(name) or is_about_item(name))]
    no_reference = [name for name in named_otherwise if not is_reference(name)]  # "true" may be a category
    for names in (no_reference, named_otherwise, list(whole)):
        note = _note_of_counts(given, names, whole) if len(names) > 1 else None
        if note is not None:
            left_out = [name for name in whole if name not in names and not is_item_id(name)]
            kept = {name: each for name, each in given.profiles.items() if name not in left_out}
            found = counts_meaning(replace(given, profiles=kept))
            return found._replace(notes=(note, *given.unread(left_out, "counts"), *found.notes))
    return None


def _ask_about_shares(given: Given, names: list[str]) -> None:
    """Raise InputError if fractions in each row add up to 1."""
    judged = Judged.of([given.profiles[name] for name in names]) if len(names) > 1 else None
    if judged is None or len(judged.numbers) < _MIN_ROWS_ASKED or np.isnan(judged.numbers).any():
        return
    is_whole = (judged.numbers == np.floor(judged.numbers)).all()
    sums = judged.numbers.sum(axis=1)
    if not is_whole and judged.numbers.min() >= 0 and bool((np.abs(sums - 1) <= _ROUNDED).all()):
        raise _question(given, names, "each row adds up to 1, as shares do, and the number of coders is not known")


def _note_of_counts(given: Given, names: list[str], whole: Mapping[str, IntArray]) -> Note | None:
    """Return the note that columns have counts, None if they hardly have; InputError if they may have."""
    counts = np.stack([whole[name] for name in names], axis=1)
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
            raise _question(given, names, f"{described}, as if a row were the one judgment of an item")
        if lowest == _PERCENT and int(np.gcd.reduce(counts, axis=None)) > 1:
            raise _question(given, names, f"{described}, as percentages do, and the number of coders is not known")
        if lowest <= 1:
            return None
        if n_different < _MIN_ROWS_OF_COUNTS or bool(counts.all()):
            raise _question(given, names, f"{described}, as numbers of coders do")
        cause = f"{given.table.origin}: {described}: read as the number of coders for each category"
        return Note(cause, _IF_CODERS)
    is_balanced = float(sums.var()) < _MAX_VARIANCE_SHARE * float(counts.var(axis=0).sum())
    is_unanimous = bool((np.count_nonzero(counts, axis=1) <= 1).all())  # coders would differ in every row
    is_told = n_different >= _MIN_ROWS_OF_COUNTS or is_unanimous
    if total is not None or (is_balanced and is_told and not counts.all()):
        raise _question(given, names, f"the rows add up to {lowest} to {highest}, as numbers of coders may do")
    return None


def _question(given: Given, names: list[str], cause: str) -> InputError:
    return given.question(
        cause,
        "if each column is a category with a number of coders, set {}; if each column is a coder, set {}",
        Set("layout", "counts"),
        Set("coders", names),
    )


# ---------------------------------------------------------------------------------- contingency tables


class Square(NamedTuple):
    """A contingency table: the names in its rows, those in its header, and counts in the order of both."""

    rows: list[str]
    header: list[str]
    counts: IntArray
    has_totals: bool


def square_of(given: Given) -> Square | None:
    """Return the labels and counts of a table without its totals; None if its cells are not whole numbers."""
    labels_name, *header = given.names
    columns = [count_column(given, name) for name in header]
    whole = [column for column in columns if column is not None]
    if not whole or len(whole) < len(columns):
        return None
    rows = without_beginning([*map(label_name, given.profiles[labels_name].cells)])
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


def _square_meaning(given: Given) -> Meaning:
    return Meaning("contingency", columns=tuple(given.names[1:]), category=next(iter(given.names), None))


def _square_table(given: Given) -> Meaning | None:
    """Return the meaning of a table that seems to be a contingency table."""
    if len(given.names) <= _MIN_SQUARE or len(given.table) > len(given.names) or "item" in given.options.names:
        return None
    square = square_of(given)
    first, *header = given.names
    if square is None:
        cells = [*map(label_name, given.profiles[first].cells)]
        judged = Judged.of([given.profiles[name] for name in header]) if sorted(cells) == sorted(header) else None
        if judged is not None and not np.isnan(judged.numbers).any():
            raise given.question(
                f"{_SAME_NAMES}, but not all cells are counts",
                "give numbers of items; if each column is a coder, set {}",
                Set("layout", "wide"),
            )
    if square is None or square.rows != square.header:
        return None
    # Numbers may also name items.
    if all(parse_number(name) is not None for name in square.rows) and is_item_id(first):
        raise given.question(
            _SAME_NAMES,
            "if so, set {}; if each column is a coder, set {}",
            Set("layout", "contingency"),
            Set("layout", "wide"),
        )
    cause = f"{given.table.origin}: rows and columns have the same names: read as the contingency table of two coders"
    return _square_meaning(given)._replace(notes=(Note(cause, _IF_CODERS),))


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


def _coder_column(given: Given) -> str | None:
    """Return the column that names the coders of a table with a coder in each row, if it has one."""
    options = given.options
    if "annotator" in options.names:
        return options.names["annotator"]
    named = next(filter(names_annotators, given.names), None)
    if named is not None:
        return named
    first = options.index[0] if len(options.index) == 1 else next(iter(given.names), None)
    if first is None or not given.is_key([first]):
        return None
    others = [each for each in given.profiles.values() if each.name != first]
    return first if is_item_id(first) or not any(map(given.profiles[first].shares_with, others)) else None


def _has_coder_rows(given: Given) -> bool:
    """Return whether a column of annotators names each row of a table that has a column for each item."""
    coder = _coder_column(given)
    if coder is None or not names_annotators(coder) or judgments(given.names) or "category" in given.options.names:
        return False
    is_named = coder in given.profiles and given.is_key([coder])
    return is_named and len(_items_in_columns(given, coder)) >= _MIN_ITEMS_IN_COLUMNS


def _items_in_columns(given: Given, coder: str | None) -> list[str]:
    """Return the columns that are items of a table with a coder in each row: a numbered series, if there is one."""
    names = [name for name in given.names if name != coder and name not in given.options.index]
    stems = {name: stem for name in names if (stem := stem_of(name)) is not None}
    counts = Counter(stems.values())
    largest = max(counts, key=counts.__getitem__, default="")
    if counts[largest] >= _MIN_ITEMS_IN_COLUMNS:
        return [name for name in names if stems.get(name) == largest]
    return [name for name in names if not is_about_item(name)]


def _rows_meaning(given: Given) -> Meaning:
    """Return the meaning of a table with a row per coder."""
    coder = _coder_column(given)
    if coder is not None and coder not in given.profiles:
        raise given.no_column(coder)
    items = _items_in_columns(given, coder)
    if not items:
        raise given.question("there is no column of judgments", "add a column for each item")
    unread = [name for name in given.names if name not in items and name not in (coder, *given.options.index)]
    return Meaning(CODERS_IN_ROWS, columns=tuple(items), annotator=coder, notes=given.unread(unread, "items"))


def _coders_in_rows(given: Given) -> Meaning | None:
    """Return the meaning of a table that seems to have a row per coder."""
    if given.options.names.get("item", "item") in given.profiles or judgments(given.names):
        return None
    coder = _coder_column(given)
    items = _items_in_columns(given, coder)
    stems = set(map(stem_of, items))
    stem = stems.pop() if len(stems) == 1 else None
    if len(items) < _MIN_ITEMS_IN_COLUMNS or is_stem_of("coder", stem):
        return None
    n_rows = len(given.table)
    is_wide = len(items) > n_rows
    names_coders = _has_coder_rows(given)
    if (
        is_wide
        and coder is not None
        and (names_coders or (is_stem_of("item", stem) and count_column(given, coder) is None))
    ):
        cause = f"{given.table.origin}: read {coder!r} as annotator, and each of {len(items)} columns as an item"
        meaning = _rows_meaning(given)
        return meaning._replace(notes=(Note(cause, _IF_CODERS), *meaning.notes))
    if is_wide or names_coders or is_stem_of("item", stem):
        raise given.question(
            f"{n_rows} rows and {len(items)} columns of judgments may be coders and items, or items and coders",
            "if each row is a coder, set {}; if each column is a coder, set {}",
            Set("layout", CODERS_IN_ROWS),
            Set("layout", "wide"),
        )
    return None


_MEANINGS: Mapping[str, Callable[[Given], Meaning]] = {
    "auto": _any_meaning,
    "long": long_meaning,
    "wide": wide_meaning,
    "counts": counts_meaning,
    "contingency": _square_meaning,
    CODERS_IN_ROWS: _rows_meaning,
}
