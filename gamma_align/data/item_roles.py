"""Find the columns that name the items and the columns of coders, in a table with a row per item.

Conventions
-----------
* Coders are the columns that the user lists. Without a list, all columns are coders, except the item, columns whose
  names show that they are ids, texts or remarks (`data.column_names`), and columns without a name and without values.
  A note names each column that is not read.
* A column with another name is refused, and the user decides, if its values are hardly judgments: it is empty; it holds
  long texts; it numbers the rows, counts again and again (1, 2, 3, 1, 2, 3) or has blocks of equal numbers (1, 1, 1, 2,
  2, 2), although other columns do not; its values are all different although other columns repeat values; most of its
  numbers are outside the range of the others, which are rating scales; it shares no value with the largest group of
  columns that share values; or it names each row together with another column.
* A column is refused, too, if the others explain it, as a mean or a majority, or if it hardly agrees with them while
  they agree with each other (`data.item_evidence`); if its name is that of a reference, of a group or of one of several
  properties; if it is outside of a series of numbered coders; and if names are pairs of coders and variables.
* Judgments may also be all different, such as lengths that coders measure. A column is then a coder if the columns of
  the other coders hardly repeat values either, or if its values are in the range of theirs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.column_values import ColumnValues, are_different, name_codes
from gamma_align.data.item_evidence import Judged, blanks_agree, odd_row, pairs_of, summary_of, unlinked
from gamma_align.data.item_labels import Cells, list_cells, parse_number
from gamma_align.data.item_names import (
    is_item_id,
    is_item_text,
    is_no_coder,
    is_reference,
    judgments,
    named_as_coders,
    named_as_counts,
    names_annotators,
    names_coder,
)
from gamma_align.data.item_options import Options
from gamma_align.data.layout_options import CODERS_IN_ROWS
from gamma_align.data.problem import few
from gamma_align.data.tables import Table
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Cure, InputError, Location, Note, Reference, Set

_MIN_ROWS_OF_ODD_COLUMN = 3  # in one or two rows, coders may share no value by chance
_MIN_COLUMNS_WITH_ODD_ONE = 3  # of two columns without a common value, either may be the odd one
_MIN_CODERS_OF_REFERENCE = 2  # besides a column called 'gold'; a single coder is compared with it on purpose
_MIN_ROWS_OF_KEYS = 8  # fewer judgments of two coders may be different pairs
_MIN_PAIRS_SHARE = 0.5  # of the pairs of two values; the judgments of two coders are few of the possible pairs
_VARIED_SHARE = 0.5  # of different values; above, a column hardly repeats values
_MAX_SHOWN = 3  # values or columns in a message
_MAX_SUMMARY_ROWS = 3  # at the end of a table
_IS_REFERENCE = "its name is that of a reference, of a prediction, or of the judgments of all coders"
_IS_PROPERTY = "its name is that of a property that a coder may judge"
_IS_CONDITION = "its name is that of a group or condition"
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
    cells = {
        name: options.missing.without(table.columns[name])
        for name in remaining
        if not is_no_coder(name) and name not in options.index
    }
    columns = {name: ColumnValues.examine(column, options.sets) for name, column in cells.items()}
    candidates = {name: column for name, column in columns.items() if not _is_void(name, column)}
    if not options.names.get("item"):
        _refuse_summary_rows(table, [name for name in table.columns if name not in candidates] or [*table.columns][:1])
    # The user decides about doubtful columns: a wrong guess would change the values silently.
    is_wide = options.layout == "wide"
    doubts = _doubts(candidates, is_wide=is_wide)
    if not is_wide:
        is_full = any(column.shares_with(other) for column, other in combinations(candidates.values(), 2))
        keys = _row_keys(table, is_full=is_full or len(candidates) < _MIN_COLUMNS_WITH_ODD_ONE)
        _refuse_long(table, options, keys)
        for name, other in (keys, keys[::-1]) if keys else ():
            if name in candidates and name not in doubts:
                doubts[name] = f"it names each row together with {other!r}"
        undoubted = [name for name in candidates if name not in doubts]
        doubts |= _doubts_of_evidence(table, {name: cells[name] for name in undoubted}, is_judged=not doubts)
        if not doubts and _share_nothing(candidates):
            doubts = dict.fromkeys(candidates, "it shares no value with another column")
    _refuse_doubtful(table, options, doubts, [*candidates])
    return WideRoles(item, tuple(candidates), (*item_notes, *_unread_note(table, options, remaining, [*candidates])))


def _refuse_summary_rows(table: Table, names: Sequence[str]) -> None:
    """Raise InputError if one of the last rows is named as one of totals or means."""
    n_rows = len(table)
    for row, name in product(range(max(n_rows - _MAX_SUMMARY_ROWS, 1), n_rows), names):
        cell = list_cells(table.columns[name][row : row + 1])[0]
        if isinstance(cell, str) and fits(cell, "summary") >= SURE:
            raise InputError(
                f"by {cell!r} in column {name!r}, the row has sums or means, and no judgments",
                Cure("delete it; if it is an item, set {}", Set("columns", {"item": name})),
                table.location(row),
            )


def refuse_pairs(table: Table, options: Options) -> None:
    """Raise InputError if names of columns are pairs, such as those of coders and variables."""
    names = [name for name in table.columns if not is_no_coder(name) and name not in options.index]
    pairs = pairs_of(names)
    if pairs is None:
        return
    heads, tails = (few((repr(part) for part in parts if part), _MAX_SHOWN) for parts in (pairs.heads, pairs.tails))
    of_tail = [row[0] for row in pairs.table]
    raise InputError(
        f"columns are named by pairs of {heads} and {tails}, such as coders with two variables or in two rounds",
        Cure(
            "list the columns of one variable or round, such as {} or {}; if each column is a coder, set {}",
            Set("coders", of_tail),
            Set("coders", [*pairs.table[0]]),
            Set("coders", [*names]),
        ),
        Location(table.origin),
    )


def _doubts_of_evidence(table: Table, cells: Mapping[str, Cells], *, is_judged: bool) -> dict[str, str]:
    """Return the columns that other columns tell to be no coders, with the reasons.

    If the columns are surely coders (`is_judged`), InputError for a row that is hardly an item, and for blank cells
    that may be a category.
    """
    doubts = {name: _IS_PROPERTY for name in cells if fits(name, "property") >= SURE}
    if len(doubts) == 1:
        doubts = {}
    doubts |= {name: _IS_CONDITION for name in cells if fits(name, "condition") >= SURE}
    undoubted = {name: column for name, column in cells.items() if name not in doubts}
    judged = Judged.of(undoubted) if undoubted else None
    if judged is None:
        return doubts
    for name in reversed(judged.names):  # a summary stands behind the columns that it is computed from
        if summary := summary_of(judged, name):
            doubts[name] = summary
            judged = judged.without([name])
    unnamed = [name for name in unlinked(judged) if not names_coder(name)]
    doubts |= dict.fromkeys(unnamed, "it hardly agrees with the others, which agree with each other")
    if is_judged and not doubts:
        _refuse_odd_row(table, judged)
        _ask_about_blanks(table, judged)
    return doubts


def _refuse_odd_row(table: Table, judged: Judged) -> None:
    row = odd_row(judged)
    if row is not None:
        shown = few((repr(list_cells(table.columns[name])[row]) for name in judged.names), _MAX_SHOWN)
        raise InputError(
            f"the values of this row are in no other one ({shown}), as of a second line of names or of sums",
            Cure("delete it; if they are judgments, list the coders with {}", Set("coders", [*judged.names])),
            table.location(row),
        )


def _ask_about_blanks(table: Table, judged: Judged) -> None:
    if blanks_agree(judged):
        n_blank = np.count_nonzero(judged.codes < 0)
        raise InputError(
            f"{n_blank} cells are blank, mostly those of different coders for the same items: they may mean a category",
            Cure(
                "if so, write its name into them, such as 'none'; if they mean no judgment, list the coders with {}",
                Set("coders", [*judged.names]),
            ),
            Location(table.origin),
        )


def counts_item(table: Table, options: Options) -> tuple[str | None, tuple[str, ...]]:
    """Return the column that names the items of a table of counts, if it has one, and notes."""
    names = list(table.columns)
    _check_exist(table, _requested_item(options))
    item = options.names.get("item", "item")
    if item in names or not names:
        return (item if item in names else None), ()
    first = options.index[0] if len(options.index) == 1 else names[0]
    is_text = all(isinstance(cell, str) and parse_number(cell) is None for cell in list_cells(table.columns[first]))
    if (first in options.index or is_item_id(first) or is_text) and is_key(table, [first]):
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
    if options.index and is_key(table, options.index):
        return options.index, _item_note(table, [name for name in options.index if name])
    ids = [name for name in table.columns if is_item_id(name) and name not in coders]
    texts = [name for name in table.columns if is_item_text(name) and name not in coders]
    # A single id is preferred. Ids that start again in each document name an item together with the document.
    for names in (*([name] for name in ids), ids, *([name] for name in texts), [*ids, *texts]):
        if names and is_key(table, names):
            return tuple(names), _item_note(table, names)
    if ids and options.coders is None:
        _refuse_repeated(table, options, ids[0])
    return (), tuple(f"{table.origin}: {name!r} repeats values: items are numbered" for name in [*ids, *texts][:1])


def _item_note(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    columns = " and ".join(map(repr, names))
    return (f"{table.origin}: read {columns} as item",) if names else ()


def is_key(table: Table, names: Sequence[str]) -> bool:
    """Return whether no cell of the columns is blank and their rows are all different."""
    try:
        codes = [name_codes(table, name) for name in names]
    except InputError:  # the cells cannot be names, such as lists of tokens
        return False
    return all(bool((column >= 0).all()) for column in codes) and are_different(codes)


def _refuse_repeated(table: Table, options: Options, name: str) -> None:
    """Raise InputError at the first row whose id is empty or the id of an earlier row."""
    _refuse_long(table, options, _row_keys(table, is_full=not any(map(names_annotators, table.columns))))
    codes = name_codes(table, name)
    _, first_rows, inverse = np.unique(codes, return_index=True, return_inverse=True)
    earlier = first_rows[inverse]
    row = int(np.flatnonzero((earlier < np.arange(len(codes))) | (codes < 0))[0])
    fault = "is empty"
    if codes[row] >= 0:
        fault = f"is {list_cells(table.columns[name])[row]!r} again (first in {table.row_name(int(earlier[row]))})"
    clauses: list[tuple[str, Reference]] = []
    if any(map(names_annotators, table.columns)):
        clauses.append(("if a row is one judgment, set {}", _category_option(table, options)))
    candidates = {
        column: ColumnValues.examine(options.missing.without(table.columns[column]), options.sets)
        for column in table.columns
        if not is_no_coder(column)
    }
    doubts = _doubts(candidates, is_wide=options.layout == "wide")
    coders = named_as_coders(table.columns) or [name for name in candidates if name not in doubts] or [*candidates]
    clauses += [
        ("if another column names the items, set {}", options.column_option("item")),
        ("if each row is an item of its own, list the coders with {}, and items are numbered", Set("coders", coders)),
    ]
    raise InputError(
        f"{name!r} {fault}, and a wide table has one row per item", _join_clauses(clauses), table.location(row)
    )


def _category_option(table: Table, options: Options) -> Reference:
    """Return the option that names the category of a table with a row per judgment: the first column that may be it."""
    others = [name for name in table.columns if not (is_no_coder(name) or names_annotators(name))]
    return options.column_option("category", next(iter(judgments(others) or others), ""))


def _join_clauses(clauses: Sequence[tuple[str, Reference]]) -> Cure:
    """Return a cure of several clauses, each with one reference."""
    return Cure("; ".join(clause for clause, _ in clauses), *(reference for _, reference in clauses))


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
    key = next((name for name in reasons if not names_annotators(name) and is_key(table, [name])), None)
    if key is not None:
        clauses.append((f"if {_literal(key)} names the items, set {{}}", options.column_option("item", key)))
    annotators = [name for name, reason in reasons.items() if reason == _NAMES_ANNOTATORS]
    if any(is_key(table, [name]) for name in annotators):
        clauses.append(("if a row is a coder, set {}", Set("layout", CODERS_IN_ROWS)))
    elif annotators:
        clauses.append(("if a row is one judgment, set {}", _category_option(table, options)))
    counts = named_as_counts(candidates)
    if counts:
        counted = {"form": "counts", "columns": counts, **({} if key is None else {"roles": {"item": key}})}
        clauses.append(("if columns count the coders of each category, set {}", Set("map", json.dumps(counted))))
    # The cure lists the columns that are named as coders, or the undoubted ones, if there are any.
    coders = named_as_coders(candidates) or [name for name in candidates if name not in reasons] or candidates
    clauses.append(("list all columns that are coders with {}", Set("coders", [*coders])))
    doubts = ", ".join(f"{name!r} ({reason})" for name, reason in reasons.items())
    raise InputError(
        f"columns that hardly hold the judgments of a coder: {doubts}", _join_clauses(clauses), Location(table.origin)
    )


def _refuse_long(table: Table, options: Options, keys: Sequence[str]) -> None:
    """Raise InputError if two columns name each row of a table, and one other column has judgments."""
    others = [name for name in table.columns if name not in keys and not is_reference(name)]
    coders = [name for name in others if not is_no_coder(name)] or judgments(others) or others
    if keys and len(coders) > 1:  # what one item or annotator has alone is about it, and no judgment
        coders = [name for name in coders if not any(_tells(table, key, name) for key in keys)]
    if not keys or len(coders) != 1:
        return
    annotator = next(filter(names_annotators, keys), None) or _likelier_annotator(table, keys, others)
    item = next(name for name in keys if name != annotator)
    if fits(coders[0], "frequency") >= SURE:
        raise InputError(
            f"{coders[0]!r} seems to tell how often {item!r} and {annotator!r} have these values",
            "give a table with a row for each item, or a square of counts with a row and a column for each value",
            Location(table.origin),
        )
    roles = {"item": item, "annotator": annotator, "category": coders[0]}
    raise InputError(
        f"{item!r} and {annotator!r} together name each row, as in a table with a row per judgment",
        Cure(
            "if they are item and annotator, set {}; if each row is an item, list the coders with {}",
            options.columns_option(roles),
            Set("coders"),
        ),
        Location(table.origin),
    )


def _likelier_annotator(table: Table, keys: Sequence[str], others: Sequence[str]) -> str:
    """Return the one of two columns that is less likely the item: by its name, or by what it tells; else the second."""
    first, second = ((fits(key, "item"), sum(_tells(table, key, name) for name in others)) for key in keys)
    return keys[0] if second > first else keys[1]


def _tells(table: Table, key: str, name: str) -> bool:
    """Return whether each value of one column has one value of another."""
    values = [*zip(map(str, list_cells(table.columns[key])), map(str, list_cells(table.columns[name])), strict=True)]
    return len({*values}) == len({value for value, _ in values})


def _row_keys(table: Table, *, is_full: bool) -> tuple[str, str] | tuple[()]:
    """Return two columns that repeat values and together name each row, the one with more values first.

    If `is_full`, most pairs of their values occur, so that they are hardly judgments: two coders often agree.
    """
    codes: dict[str, IntArray] = {}
    for name in table.columns:
        with suppress(InputError):  # the cells cannot be names, such as lists of tokens
            codes[name] = name_codes(table, name)
    n_rows = len(table)
    sizes = {name: len(np.unique(column)) for name, column in codes.items() if bool((column >= 0).all())}
    most = n_rows * _VARIED_SHARE if is_full else n_rows - 1
    names = [name for name, size in sizes.items() if 1 < size <= most]
    for first, second in combinations(names, 2):
        n_pairs = sizes[first] * sizes[second]
        if not _MIN_ROWS_OF_KEYS <= n_rows <= n_pairs or (is_full and n_pairs > n_rows / _MIN_PAIRS_SHARE):
            continue
        if are_different([codes[first], codes[second]]):
            return (first, second) if sizes[first] >= sizes[second] else (second, first)
    return ()


def _literal(name: str) -> str:
    """Return a name in quotes for the template of a `Cure`."""
    return repr(name).replace("{", "{{").replace("}", "}}")


def _doubts(candidates: Mapping[str, ColumnValues], *, is_wide: bool) -> dict[str, str]:
    """Return each column that is hardly a coder with the reason; `is_wide` is whether the user set the layout."""
    reasons = {}
    odd = _odd_columns(candidates)
    of_names = _doubts_of_names(candidates, is_wide=is_wide)
    for name, column in candidates.items():
        filled = [candidates[key] for key in candidates if key != name and candidates[key].size]
        if not column.size:
            reasons[name] = "it is empty"
        elif not is_wide and _may_name_annotators(name, column, filled):
            reasons[name] = _NAMES_ANNOTATORS
        elif reason := _doubt_of_values(column, filled) or of_names.get(name, ""):
            reasons[name] = reason
        elif name in odd:
            sharers = "few other columns have" if any(map(column.shares_with, filled)) else "no other column has"
            reasons[name] = f"{sharers} its values: {few(map(repr, column.shown), _MAX_SHOWN)}"
        elif column.numbering and not all(other.numbering for other in filled):
            reasons[name] = f"it {column.numbering}"
    return reasons


def _doubts_of_names(candidates: Mapping[str, ColumnValues], *, is_wide: bool) -> dict[str, str]:
    """Return the columns that are named as references, or in another way than numbered coders, with the reasons."""
    filled = [name for name, column in candidates.items() if column.size]
    references = {name for name in filled if is_reference(name) and not (is_wide and fits(name, "category"))}
    if len(references) == len(filled):  # such as "Final Ann" and "Final Ben", of which "final" alone is none
        references = {name for name in references if fits(name, "reference") >= SURE}
    if len(filled) <= _MIN_CODERS_OF_REFERENCE or len(references) == len(filled):
        references = set()
    numbered = [name for name in filled if names_coder(name)]
    series = [] if is_wide else numbered if len(numbered) > 1 else named_as_coders(filled)
    others = (name for name in filled if name not in series) if series else ()
    reasons = {name: f"its name is not in the series {few(map(repr, series), _MAX_SHOWN)}" for name in others}
    return reasons | dict.fromkeys(references, _IS_REFERENCE)


def _may_name_annotators(name: str, column: ColumnValues, others: Sequence[ColumnValues]) -> bool:
    """Return whether a column may have names of annotators, and no judgments: a student and an expert may be coders."""
    is_text = column.numbers is None
    return names_annotators(name) and not (is_text and any(map(column.shares_with, others)))


def _doubt_of_values(column: ColumnValues, others: Sequence[ColumnValues]) -> str:
    """Return why the values of a column are hardly judgments beside those of the others, nothing if they may be."""
    repeating = [other for other in others if not other.is_varied]
    if column.is_long_text and repeating:
        return f"its texts have {column.mean_length:.0f} characters on average"
    if column.numbers_rows and not all(other.numbers_rows for other in others):
        return "it numbers the rows"
    if column.is_all_different and repeating and not column.is_measured(repeating):
        return f"its {column.size} values are all different"
    return "most of its numbers are outside the range of the others" if column.is_beyond(repeating) else ""


def _share_nothing(candidates: Mapping[str, ColumnValues]) -> bool:
    """Return whether no two columns have a value in common, though some repeat theirs: names, quotes and codes."""
    filled = [column for column in candidates.values() if column.size]
    if len(filled) < 2 or filled[0].rows < _MIN_ROWS_OF_KEYS or all(column.is_varied for column in filled):  # noqa: PLR2004
        return False
    return not any(first.shares_with(second) for first, second in combinations(filled, 2))


def _odd_columns(candidates: Mapping[str, ColumnValues]) -> set[str]:
    """Return the columns that share no value with the largest group of columns that share values.

    Nothing if no column shares values with another, or if there are too few columns or rows. Of two groups of one
    size, the one with texts is preferred, as numbers are more often ids.
    """
    filled = {name: column for name, column in candidates.items() if column.size}
    n_rows = max((column.rows for column in filled.values()), default=0)
    if len(filled) < _MIN_COLUMNS_WITH_ODD_ONE or n_rows < _MIN_ROWS_OF_ODD_COLUMN:
        return set()
    groups: list[list[str]] = []
    for name, column in filled.items():
        sharing = [group for group in groups if any(column.shares_with(filled[key]) for key in group)]
        groups = [group for group in groups if group not in sharing]
        groups.append([*chain.from_iterable(sharing), name])
    largest = max(groups, key=lambda group: (len(group), any(filled[name].numbers is None for name in group)))
    return set(filled) - set(largest) if len(largest) > 1 else set()
