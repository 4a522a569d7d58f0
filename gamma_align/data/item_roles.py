"""Which columns of a table with a row per item name the item, which are coders, and which are neither.

Conventions
-----------
* Coders are the columns that the user lists. Without a list, all columns are coders, except the item, columns whose
  names show that they are ids, texts or remarks (`data.column_names`), and columns without a name and without values.
  A note names each column that is left out.
* A column that has another name, but values that hardly are judgments, is refused: the user decides. It is empty, or
  holds long texts; it counts the rows; its values are all different although other columns repeat theirs; or it
  shares no value with another column although others do.
* Judgments may be all different too, such as lengths that coders measure. Then the columns of the other coders hardly
  repeat values either, or the values are in the range of theirs; such columns are coders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.data.column_names import is_about_item, is_item_id, is_item_text, is_reference, usual
from gamma_align.data.column_values import ColumnValues, are_different, name_codes
from gamma_align.data.item_labels import listed
from gamma_align.data.item_options import Options
from gamma_align.data.problem import few
from gamma_align.data.tables import Table
from gamma_align.errors import InputError

_ODD_MIN = 3  # rows; in one or two rows even coders who agree in general may share no value
_ODD_COLUMNS_MIN = 3  # of two columns without a common value, either may be the odd one
_REFERENCE_CODERS_MIN = 2  # besides a column called 'gold'; one coder is compared with it on purpose
_SHOWN = 3
_NAMES_ANNOTATORS = "its name is that of a column of annotators"


class WideRoles(NamedTuple):
    """The columns that name an item together (none: items are numbered), the columns of coders, and notes."""

    item: tuple[str, ...]
    coders: tuple[str, ...]
    notes: tuple[str, ...]


def wide_roles(table: Table, options: Options) -> WideRoles:
    """Return the roles of the columns of a table with a row per item and a column per coder.

    Raises
    ------
    InputError
        If a listed column does not exist, the names of items repeat, or a column may be a coder or not.
    """
    names = list(table.columns)
    _check_exist(table, [*(options.coders or ()), *_given_item(options)])
    item, notes = _item_columns(table, options)
    rest = [name for name in names if name not in item]
    if options.coders is not None:
        return WideRoles(item, tuple(options.coders), (*notes, *_left_out(table, options, rest, options.coders)))
    columns = {name: ColumnValues.examine(table.columns[name], options.sets) for name in rest if not _is_no_coder(name)}
    candidates = {
        name: column for name, column in columns.items() if name not in options.index and not _is_void(name, column)
    }
    _refuse_doubtful(table, options, _doubts(candidates, is_wide=options.layout == "wide"), [*candidates])
    return WideRoles(item, tuple(candidates), (*notes, *_left_out(table, options, rest, [*candidates])))


def counts_item(table: Table, options: Options) -> tuple[str | None, tuple[str, ...]]:
    """Return the column that names the items of a table of counts, if it has one, and notes."""
    names = list(table.columns)
    _check_exist(table, _given_item(options))
    given = options.names.get("item", "item")
    if given in names or not names:
        return (given if given in names else None), ()
    first = options.index[0] if len(options.index) == 1 else names[0]
    if (first in options.index or is_item_id(first)) and _is_key(table, [first]):
        return first, _read_as_item(table, [first])
    if ColumnValues.examine(table.columns[first], None).numbers_rows:
        values = few(listed(table.columns[first]), _SHOWN)
        raise InputError(
            f"{table.origin}: column {first!r} seems to number the items: its values are {values}. "
            f"If it does, add {options.column_cure('item', first)}; if they are counts, put another column first"
        )
    return None, ()


def _given_item(options: Options) -> list[str]:
    return [options.names["item"]] if "item" in options.names else []


def _check_exist(table: Table, names: Sequence[str]) -> None:
    missing = next((name for name in names if name not in table.columns), None)
    if missing is not None:
        have = ", ".join(map(repr, table.columns)) or "none"
        raise InputError(f"{table.origin}: no column {missing!r}; there are {have}")


def _item_columns(table: Table, options: Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that name the items, and a note if they were recognised by their names."""
    given = options.names.get("item", "item")
    coders = set(options.coders or ())
    if given in table.columns and given not in coders:
        return (given,), ()
    if options.index and _is_key(table, options.index):
        return options.index, _read_as_item(table, [name for name in options.index if name])
    ids = [name for name in table.columns if is_item_id(name) and name not in coders]
    texts = [name for name in table.columns if is_item_text(name) and name not in coders]
    # One id is best; ids that count anew within a document name an item together with the document.
    for names in (*([name] for name in ids), ids, *([name] for name in texts), [*ids, *texts]):
        if names and _is_key(table, names):
            return tuple(names), _read_as_item(table, names)
    if ids and options.coders is None:
        _refuse_repeated(table, options, ids[0])
    return (), tuple(f"{table.origin}: {name!r} repeats values: items are numbered" for name in [*ids, *texts][:1])


def _read_as_item(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    read = " and ".join(map(repr, names))
    return (f"{table.origin}: read {read} as item",) if names else ()


def _is_key(table: Table, names: Sequence[str]) -> bool:
    """Return whether the columns have values in all rows that differ, taken together, from row to row."""
    try:
        codes = [name_codes(table, name) for name in names]
    except InputError:  # cells that are no names, such as lists of tokens
        return False
    return all(bool((column >= 0).all()) for column in codes) and are_different(codes)


def _refuse_repeated(table: Table, options: Options, name: str) -> None:
    """Raise InputError at the first row whose id is empty or the id of an earlier row."""
    codes = name_codes(table, name)
    _, first_rows, inverse = np.unique(codes, return_index=True, return_inverse=True)
    earlier = first_rows[inverse]
    row = int(np.flatnonzero((earlier < np.arange(len(codes))) | (codes < 0))[0])
    fault = "is empty"
    if codes[row] >= 0:
        fault = f"is {listed(table.columns[name])[row]!r} once more (first in {table.row_name(int(earlier[row]))})"
    coders = options.coders_cure([other for other in table.columns if not _is_no_coder(other)])
    long = ""
    if usual(table.columns, "annotator"):
        long = f"If a row is one judgment, add {options.column_cure('category', 'NAME')}. "
    raise InputError(
        f"{table.location(row)}: {name!r} {fault}; a wide table has one row an item. {long}If another column names the "
        f"items, add {options.column_cure('item', 'NAME')}; if each row is an item of its own, list the coders, and "
        f"items are numbered: {coders}"
    )


def _is_no_coder(name: str) -> bool:
    return is_item_id(name) or is_item_text(name) or is_about_item(name)


def _left_out(table: Table, options: Options, rest: Iterable[str], coders: Sequence[str]) -> tuple[str, ...]:
    """Return a note on the columns that are neither item nor coder."""
    unread = [name for name in rest if name not in coders and (name or name not in options.index)]
    if not unread:
        return ()
    cure = "" if options.coders is not None else "; if one of them is a coder, list all coders with "
    cure += options.coders_cure(["NAME", "…"]) if cure else ""
    return (f"{table.origin}: columns that are not read as coders: {', '.join(map(repr, unread))}{cure}",)


def _is_void(name: str, column: ColumnValues) -> bool:
    """Return whether a column has neither a name nor values, as spreadsheets leave them at the end of a table."""
    return not column.size and (not name.strip() or name.startswith("Unnamed: "))


def _refuse_doubtful(table: Table, options: Options, reasons: dict[str, str], candidates: Sequence[str]) -> None:
    """Raise InputError with the reasons against columns, if any, and the options that settle what they are."""
    if not reasons:
        return
    doubts = "; ".join(f"{name!r} ({reason})" for name, reason in reasons.items())
    item = long = ""
    key = next((name for name in reasons if not usual([name], "annotator") and _is_key(table, [name])), None)
    if key is not None:
        item = f"If {key!r} names the items, add {options.column_cure('item', key)}. "
    if _NAMES_ANNOTATORS in reasons.values():
        long = f"If a row is one judgment, add {options.column_cure('category', 'NAME')}. "
    coders = [name for name in candidates if name not in reasons] or candidates
    raise InputError(
        f"{table.origin}: columns that hardly hold the judgments of a coder: {doubts}. {item}{long}List "
        f"the columns that are coders, these among them if they are: {options.coders_cure(coders)}"
    )


def _doubts(candidates: Mapping[str, ColumnValues], *, is_wide: bool) -> dict[str, str]:
    """Return the reason for each column that hardly is a coder. `is_wide` is whether the user names the layout."""
    reasons = {}
    odd = _odd_columns(candidates)
    for name, column in candidates.items():
        others = [other for other in candidates if other != name and candidates[other].size]
        repeating = [candidates[other] for other in others if not candidates[other].is_varied]
        if not column.size:
            reasons[name] = "it is empty"
        elif usual([name], "annotator") and not is_wide:
            reasons[name] = _NAMES_ANNOTATORS
        elif is_reference(name) and len(others) >= _REFERENCE_CODERS_MIN:
            reasons[name] = "its name is that of a reference, or of a summary of the coders"
        elif column.is_long_text and repeating:
            reasons[name] = f"its texts have {column.mean_length:.0f} characters on average"
        elif column.numbers_rows and not all(candidates[other].numbers_rows for other in others):
            reasons[name] = "it numbers the rows"
        elif column.is_all_different and repeating and not column.is_measured(repeating):
            reasons[name] = f"its {column.size} values are all different"
        elif name in odd:
            reasons[name] = f"no other column has its values: {few(map(repr, column.shown), _SHOWN)}"
    return reasons


def _odd_columns(candidates: Mapping[str, ColumnValues]) -> set[str]:
    """Return the columns that share no value with another column, if at least two others share values."""
    filled = {name: column for name, column in candidates.items() if column.size}
    if len(filled) < _ODD_COLUMNS_MIN or max(column.rows for column in filled.values()) < _ODD_MIN:
        return set()
    odd = {
        name
        for name, column in filled.items()
        if not any(column.shares_with(other) for key, other in filled.items() if key != name)
    }
    return odd if len(odd) < len(filled) else set()
