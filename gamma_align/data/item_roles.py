"""Find the columns that name the items and the columns of coders, in a table with a row per item.

Conventions
-----------
* Coders are the columns that the user lists. Without a list, all columns are coders, except the item, columns whose
  names show that they are ids, texts or remarks (`data.column_names`), and columns without a name and without values.
  A note names each column that is not read.
* A column with another name is refused, and the user decides, if its values are hardly judgments: it is empty; it holds
  long texts; it numbers the rows; its values are all different although other columns repeat values; or it shares no
  value with another column although other columns do.
* Judgments may also be all different, such as lengths that coders measure. A column is then a coder if the columns of
  the other coders hardly repeat values either, or if its values are in the range of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.data.column_names import is_about_item, is_item_id, is_item_text, is_reference, usual
from gamma_align.data.column_values import ColumnValues, are_different, name_codes
from gamma_align.data.item_labels import list_cells
from gamma_align.data.item_options import Options
from gamma_align.data.problem import few
from gamma_align.data.tables import Table
from gamma_align.errors import Cure, InputError, Location, Note, Reference, Set

_MIN_ROWS_OF_ODD_COLUMN = 3  # in one or two rows, coders may share no value by chance
_MIN_COLUMNS_WITH_ODD_ONE = 3  # of two columns without a common value, either may be the odd one
_MIN_CODERS_OF_REFERENCE = 2  # besides a column called 'gold'; a single coder is compared with it on purpose
_MAX_SHOWN = 3  # values or columns in a message
_NAMES_ANNOTATORS = "its name is that of a column of annotators"


class WideRoles(NamedTuple):
    """The columns that together name the items, which may be none, the columns of coders, and notes."""

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
    _check_exist(table, [*(options.coders or ()), *_requested_item(options)])
    item, item_notes = _item_columns(table, options)
    remaining = [name for name in table.columns if name not in item]
    if options.coders is not None:
        coders = tuple(options.coders)
        return WideRoles(item, coders, (*item_notes, *_unread_note(table, options, remaining, coders)))
    columns = {
        name: ColumnValues.examine(table.columns[name], options.sets) for name in remaining if not _is_no_coder(name)
    }
    candidates = {
        name: column for name, column in columns.items() if name not in options.index and not _is_void(name, column)
    }
    # The user decides about doubtful columns: a wrong guess would change the values silently.
    _refuse_doubtful(table, options, _doubts(candidates, is_wide=options.layout == "wide"), [*candidates])
    return WideRoles(item, tuple(candidates), (*item_notes, *_unread_note(table, options, remaining, [*candidates])))


def counts_item(table: Table, options: Options) -> tuple[str | None, tuple[str, ...]]:
    """Return the column that names the items of a table of counts, if it has one, and notes."""
    names = list(table.columns)
    _check_exist(table, _requested_item(options))
    item = options.names.get("item", "item")
    if item in names or not names:
        return (item if item in names else None), ()
    first = options.index[0] if len(options.index) == 1 else names[0]
    if (first in options.index or is_item_id(first)) and _is_key(table, [first]):
        return first, _item_note(table, [first])
    if ColumnValues.examine(table.columns[first], None).numbers_rows:
        values = few(list_cells(table.columns[first]), _MAX_SHOWN)
        raise InputError(
            f"column {first!r} seems to number the items, because its values are {values}",
            Cure(
                "if it does, set {}; if they are counts, put another column first", options.column_option("item", first)
            ),
            Location(table.origin),
        )
    return None, ()


def _requested_item(options: Options) -> list[str]:
    return [options.names["item"]] if "item" in options.names else []


def _check_exist(table: Table, names: Sequence[str]) -> None:
    missing = next((name for name in names if name not in table.columns), None)
    if missing is not None:
        columns = ", ".join(map(repr, table.columns)) or "none"
        raise InputError(f"no column {missing!r}; there are {columns}", "name one of them", Location(table.origin))


def _item_columns(table: Table, options: Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that name the items, and a note if they were recognised by their names."""
    item = options.names.get("item", "item")
    coders = set(options.coders or ())
    if item in table.columns and item not in coders:
        return (item,), ()
    if options.index and _is_key(table, options.index):
        return options.index, _item_note(table, [name for name in options.index if name])
    ids = [name for name in table.columns if is_item_id(name) and name not in coders]
    texts = [name for name in table.columns if is_item_text(name) and name not in coders]
    # A single id is preferred. Ids that start again in each document name an item together with the document.
    for names in (*([name] for name in ids), ids, *([name] for name in texts), [*ids, *texts]):
        if names and _is_key(table, names):
            return tuple(names), _item_note(table, names)
    if ids and options.coders is None:
        _refuse_repeated(table, options, ids[0])
    return (), tuple(f"{table.origin}: {name!r} repeats values: items are numbered" for name in [*ids, *texts][:1])


def _item_note(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    columns = " and ".join(map(repr, names))
    return (f"{table.origin}: read {columns} as item",) if names else ()


def _is_key(table: Table, names: Sequence[str]) -> bool:
    """Return whether no cell of the columns is blank and their rows are all different."""
    try:
        codes = [name_codes(table, name) for name in names]
    except InputError:  # the cells cannot be names, such as lists of tokens
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
        fault = f"is {list_cells(table.columns[name])[row]!r} again (first in {table.row_name(int(earlier[row]))})"
    clauses: list[tuple[str, Reference]] = []
    if usual(table.columns, "annotator"):
        clauses.append(("if a row is one judgment, set {}", options.column_option("category")))
    coders = [column for column in table.columns if not _is_no_coder(column)]
    clauses += [
        ("if another column names the items, set {}", options.column_option("item")),
        ("if each row is an item of its own, list the coders with {}, and items are numbered", Set("coders", coders)),
    ]
    raise InputError(
        f"{name!r} {fault}, and a wide table has one row per item", _join_clauses(clauses), table.location(row)
    )


def _join_clauses(clauses: Sequence[tuple[str, Reference]]) -> Cure:
    """Return a cure of several clauses, each with one reference."""
    return Cure("; ".join(clause for clause, _ in clauses), *(reference for _, reference in clauses))


def _is_no_coder(name: str) -> bool:
    return is_item_id(name) or is_item_text(name) or is_about_item(name)


def _unread_note(table: Table, options: Options, remaining: Iterable[str], coders: Sequence[str]) -> tuple[str, ...]:
    """Return a note on the columns that are neither item nor coder, if there are any."""
    unread = [name for name in remaining if name not in coders and (name or name not in options.index)]
    if not unread:
        return ()
    cure = Cure("if one of them is a coder, list all coders with {}", Set("coders"))
    cause = f"{table.origin}: columns that are not read as coders: {', '.join(map(repr, unread))}"
    return (Note(cause, cure if options.coders is None else None),)


def _is_void(name: str, column: ColumnValues) -> bool:
    """Return whether a column has neither a name nor values, as spreadsheets leave them at the end of a table."""
    return not column.size and (not name.strip() or name.startswith("Unnamed: "))


def _refuse_doubtful(table: Table, options: Options, reasons: dict[str, str], candidates: Sequence[str]) -> None:
    """Raise InputError if there are reasons against columns; the cure shows how to decide about them."""
    if not reasons:
        return
    clauses: list[tuple[str, Reference]] = []
    key = next((name for name in reasons if not usual([name], "annotator") and _is_key(table, [name])), None)
    if key is not None:
        clauses.append((f"if {_literal(key)} names the items, set {{}}", options.column_option("item", key)))
    if _NAMES_ANNOTATORS in reasons.values():
        clauses.append(("if a row is one judgment, set {}", options.column_option("category")))
    # The cure lists the undoubted columns, if there are any.
    coders = [name for name in candidates if name not in reasons] or candidates
    clauses.append(("list all columns that are coders with {}", Set("coders", [*coders])))
    doubts = ", ".join(f"{name!r} ({reason})" for name, reason in reasons.items())
    raise InputError(
        f"columns that hardly hold the judgments of a coder: {doubts}", _join_clauses(clauses), Location(table.origin)
    )


def _literal(name: str) -> str:
    """Return a name in quotes for the template of a `Cure`."""
    return repr(name).replace("{", "{{").replace("}", "}}")


def _doubts(candidates: Mapping[str, ColumnValues], *, is_wide: bool) -> dict[str, str]:
    """Return each column that is hardly a coder with the reason; `is_wide` is whether the user set the layout."""
    reasons = {}
    odd = _odd_columns(candidates)
    for name, column in candidates.items():
        filled = [candidates[key] for key in candidates if key != name and candidates[key].size]
        repeating = [candidate for candidate in filled if not candidate.is_varied]
        if not column.size:
            reasons[name] = "it is empty"
        elif usual([name], "annotator") and not is_wide:
            reasons[name] = _NAMES_ANNOTATORS
        elif is_reference(name) and len(filled) >= _MIN_CODERS_OF_REFERENCE:
            reasons[name] = "its name is that of a reference, or of a summary of the coders"
        elif column.is_long_text and repeating:
            reasons[name] = f"its texts have {column.mean_length:.0f} characters on average"
        elif column.numbers_rows and not all(candidate.numbers_rows for candidate in filled):
            reasons[name] = "it numbers the rows"
        elif column.is_all_different and repeating and not column.is_measured(repeating):
            reasons[name] = f"its {column.size} values are all different"
        elif name in odd:
            reasons[name] = f"no other column has its values: {few(map(repr, column.shown), _MAX_SHOWN)}"
    return reasons


def _odd_columns(candidates: Mapping[str, ColumnValues]) -> set[str]:
    """Return the columns that share no value with another column, if at least two others share values."""
    filled = {name: column for name, column in candidates.items() if column.size}
    n_rows = max((column.rows for column in filled.values()), default=0)
    if len(filled) < _MIN_COLUMNS_WITH_ODD_ONE or n_rows < _MIN_ROWS_OF_ODD_COLUMN:
        return set()
    odd = {
        name
        for name, column in filled.items()
        if not any(column.shares_with(filled[key]) for key in filled if key != name)
    }
    return odd if len(odd) < len(filled) else set()
