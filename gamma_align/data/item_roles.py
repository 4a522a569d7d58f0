"""Find the columns that name the items and the columns of coders, in a table with a row per item.

Conventions
-----------
* Coders are the columns that the user lists. Without a list, all columns are coders, except the item, columns whose
  names show that they are ids, texts or remarks (`data.item_names`), and columns without a name and without values.
  A note names each column that is not read.
* A column with another name is refused, and the user decides, if its values are hardly judgments: it is empty; it holds
  long texts; it numbers the rows, counts again and again (1, 2, 3, 1, 2, 3) or has blocks of equal numbers (1, 1, 1, 2,
  2, 2), although other columns do not; its values are all different although other columns repeat values; most of its
  numbers are outside the range of the others, which are rating scales; it shares no value with the largest group of
  columns that share values; or it names each row together with another column.
* A column is refused, too, if the others explain it, as a mean or a majority, or if it hardly agrees with them while
  they agree with each other (`data.item_evidence`); if its name is that of a reference, of a group or of one of several
  properties; if it is outside of a series of numbered coders; and if names are pairs of coders and variables. So is a
  column with the name of a remark, such as "Total", that agrees with the coders as they do with each other.
* Judgments may also be all different, such as lengths that coders measure. A column is then a coder if the columns of
  the other coders hardly repeat values either, or if its values are in the range of theirs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain, combinations, product

import numpy as np

from gamma_align.data.cells import number_of
from gamma_align.data.item_evidence import Judged, agree, blanks_agree, odd_row, pairs_of, summary_of, unlinked
from gamma_align.data.item_labels import parse_number
from gamma_align.data.item_meanings import Given, Meaning
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
from gamma_align.data.layout_options import CODERS_IN_ROWS
from gamma_align.data.problem import few
from gamma_align.data.profiles import Profile, Profiles, are_different, determines
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Cure, InputError, Reference, Set

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
_IS_REMARK = "its name is that of an id or a remark, and its values are those of coders"
_NAMES_ANNOTATORS = "its name is that of a column of annotators"


def wide_meaning(given: Given) -> Meaning:
    """Return the meaning of a table with a row per item and a column per coder.

    Raises
    ------
    InputError
        If a listed column does not exist, the names of items repeat, or a column may be a coder or not.
    """
    options = given.options
    requested = [options.names["item"]] if "item" in options.names else []
    missing = next((name for name in (*(options.coders or ()), *requested) if name not in given.profiles), None)
    if missing is not None:
        raise given.no_column(missing)
    item, notes = _item_columns(given)
    coders = [*options.coders] if options.coders is not None else _coders(given, item)
    names = [name for name in given.names if name not in (*item, *coders) and (name or name not in options.index)]
    cure = Cure("if one of them is a coder, list all coders with {}", Set("coders"))
    notes = (*notes, *given.unread(names, "coders", cure if options.coders is None else None))
    if not coders:
        raise given.question("there is no column of judgments", "add a column for each coder")
    return Meaning("wide", item, tuple(coders), notes=notes)


def _coders(given: Given, item: Sequence[str]) -> list[str]:
    """Return the columns of coders; InputError about doubtful columns: a wrong guess would change values silently."""
    options = given.options
    free = [name for name in given.names if name not in item and name not in options.index]
    columns = {name: given.judged(name) for name in free if not is_no_coder(name)}
    candidates = {name: column for name, column in columns.items() if not _is_void(column)}
    if not options.names.get("item"):
        _refuse_summary_rows(given, [name for name in given.names if name not in candidates] or given.names[:1])
    is_wide = options.layout == "wide"
    doubts = _doubts(candidates, is_wide=is_wide)
    if not is_wide:
        is_full = any(column.shares_with(other) for column, other in combinations(candidates.values(), 2))
        keys = _row_keys(given, is_full=is_full or len(candidates) < _MIN_COLUMNS_WITH_ODD_ONE)
        _refuse_long(given, keys)
        for name, other in (keys, keys[::-1]) if keys else ():
            if name in candidates and name not in doubts:
                doubts[name] = f"it names each row together with {other!r}"
        undoubted = {name: column for name, column in candidates.items() if name not in doubts}
        doubts |= _doubts_of_evidence(given, undoubted, is_judged=not doubts)
        if not doubts and _share_nothing(candidates):
            doubts = dict.fromkeys(candidates, "it shares no value with another column")
        if not doubts:
            remarks = {name: given.judged(name) for name in free if name not in candidates}
            doubts = dict.fromkeys(agree(remarks, candidates), _IS_REMARK)
            candidates |= {name: remarks[name] for name in doubts}
    _refuse_doubtful(given, doubts, [*candidates])
    return [*candidates]


def _refuse_summary_rows(given: Given, names: Sequence[str]) -> None:
    """Raise InputError if one of the last rows is named as one of totals or means."""
    n_rows = len(given.table)
    for row, name in product(range(max(n_rows - _MAX_SUMMARY_ROWS, 1), n_rows), names):
        cell = given.profiles[name].cells[row]
        if isinstance(cell, str) and fits(cell, "summary") >= SURE:
            raise given.question(
                f"by {cell!r} in column {name!r}, the row has sums or means, and no judgments",
                "delete it; if it is an item, set {}",
                Set("columns", {"item": name}),
                row=row,
            )


def refuse_pairs(given: Given) -> None:
    """Raise InputError if names of columns are pairs, such as those of coders and variables."""
    names = [name for name in given.names if not is_no_coder(name) and name not in given.options.index]
    pairs = pairs_of(names)
    if pairs is None:
        return
    heads, tails = (few((repr(part) for part in parts if part), _MAX_SHOWN) for parts in (pairs.heads, pairs.tails))
    raise given.question(
        f"columns are named by pairs of {heads} and {tails}, such as coders with two variables or in two rounds",
        "list the columns of one variable or round, such as {} or {}; if each column is a coder, set {}",
        Set("coders", [row[0] for row in pairs.table]),
        Set("coders", [*pairs.table[0]]),
        Set("coders", names),
    )


def _doubts_of_evidence(given: Given, columns: Profiles, *, is_judged: bool) -> dict[str, str]:
    """Return the columns that other columns tell to be no coders, with the reasons.

    If the columns are surely coders (`is_judged`), InputError for a row that is hardly an item, and for blank cells
    that may be a category.
    """
    doubts = {name: _IS_PROPERTY for name in columns if fits(name, "property") >= SURE}
    if len(doubts) == 1:
        doubts = {}
    doubts |= {name: _IS_CONDITION for name in columns if fits(name, "condition") >= SURE}
    judged = Judged.of([column for name, column in columns.items() if name not in doubts])
    if judged is None:
        return doubts
    for name in reversed(judged.names):  # a summary stands behind the columns that it is computed from
        if summary := summary_of(judged, name):
            doubts[name] = summary
            judged = judged.without(name)
    unnamed = [name for name in unlinked(judged) if not names_coder(name)]
    doubts |= dict.fromkeys(unnamed, "it hardly agrees with the others, which agree with each other")
    if not is_judged or doubts:
        return doubts
    names = Set("coders", [*judged.names])
    row = odd_row(judged)
    if row is not None:
        shown = few((repr(given.profiles[name].cells[row]) for name in judged.names), _MAX_SHOWN)
        raise given.question(
            f"the values of this row are in no other one ({shown}), as of a second line of names or of sums",
            "delete it; if they are judgments, list the coders with {}",
            names,
            row=row,
        )
    if blanks_agree(judged):
        n_blank = np.count_nonzero(judged.codes < 0)
        raise given.question(
            f"{n_blank} cells are blank, mostly those of different coders for the same items: they may mean a category",
            "if so, write its name into them, such as 'none'; if they mean no judgment, list the coders with {}",
            names,
        )
    return doubts


def counts_item(given: Given) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the column that names the items of a table of counts, if it has one, and notes."""
    options = given.options
    item = options.names.get("item", "item")
    if item in given.profiles:
        return (item,), ()
    if "item" in options.names:
        raise given.no_column(item)
    name = options.index[0] if len(options.index) == 1 else next(iter(given.names), None)
    if name is None:
        return (), ()
    first = given.profiles[name]
    is_text = all(isinstance(cell, str) and parse_number(cell) is None for cell in first.cells)
    if (name in options.index or is_item_id(name) or is_text) and given.is_key([name]):
        return (name,), _item_note(given, [name])
    if first.numbers_rows:
        raise given.question(
            f"column {name!r} seems to number the items, because its values are {few(first.filled, _MAX_SHOWN)}",
            "if it does, set {}; if they are counts, put another column first",
            options.column_option("item", name),
        )
    return (), ()


def _item_columns(given: Given) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that name the items, and a note if they were recognised by their names."""
    options = given.options
    item = options.names.get("item", "item")
    coders = set(options.coders or ())
    if item in given.profiles and item not in coders:
        return (item,), ()
    if options.index and given.is_key(options.index):
        return options.index, _item_note(given, [name for name in options.index if name])
    ids = [name for name in given.names if is_item_id(name) and name not in coders]
    texts = [name for name in given.names if is_item_text(name) and name not in coders]
    # A single id is preferred. Ids that start again in each document name an item together with the document.
    for names in (*([name] for name in ids), ids, *([name] for name in texts), [*ids, *texts]):
        if names and given.is_key(names):
            return tuple(names), _item_note(given, names)
    if ids and options.coders is None:
        raise _repeated(given, ids[0])
    repeated = [*ids, *texts][:1]
    return (), tuple(f"{given.table.origin}: {name!r} repeats values: items are numbered" for name in repeated)


def _item_note(given: Given, names: Sequence[str]) -> tuple[str, ...]:
    columns = " and ".join(map(repr, names))
    return (f"{given.table.origin}: read {columns} as item",) if names else ()


def _repeated(given: Given, name: str) -> InputError:
    """Return the error at the first row whose id is empty or the id of an earlier row."""
    has_annotators = any(map(names_annotators, given.names))
    _refuse_long(given, _row_keys(given, is_full=not has_annotators))
    column = given.profiles[name]
    codes = column.coded[0]
    _, first_rows, inverse = np.unique(codes, return_index=True, return_inverse=True)
    earlier = first_rows[inverse]
    row = int(np.flatnonzero((earlier < np.arange(len(codes))) | (codes < 0))[0])
    fault = "is empty"
    if codes[row] >= 0:
        fault = f"is {column.cells[row]!r} again (first in {given.table.row_name(int(earlier[row]))})"
    clauses: list[tuple[str, Reference]] = []
    if has_annotators:
        clauses.append(("if a row is one judgment, set {}", _category_option(given)))
    candidates = {column: given.judged(column) for column in given.names if not is_no_coder(column)}
    doubts = _doubts(candidates, is_wide=given.options.layout == "wide")
    coders = named_as_coders(given.names) or [name for name in candidates if name not in doubts] or [*candidates]
    others = [each for each in given.names if each != name and each not in coders and given.is_key([name, each])]
    if others and given.options.from_file:
        sets = {coder: {"category": coder} for coder in coders}
        joined = {"form": "items-wide", "roles": {"item": {"columns": [name, others[0]]}}, "sets": sets}
        answer = Set("map", json.dumps(joined, ensure_ascii=False))
        clauses.append((f"if {_literal(name)} and {_literal(others[0])} together name the items, set {{}}", answer))
    clauses += [
        ("if another column names the items, set {}", given.options.column_option("item")),
        ("if each row is an item of its own, list the coders with {}, and items are numbered", Set("coders", coders)),
    ]
    cause = f"{name!r} {fault}, and a wide table has one row per item"
    return given.question(cause, _join_clauses(clauses), row=row)


def _category_option(given: Given) -> Reference:
    """Return the option that names the category of a table with a row per judgment: the first column that may be it."""
    others = [name for name in given.names if not (is_no_coder(name) or names_annotators(name))]
    return given.options.column_option("category", next(iter(judgments(others) or others), ""))


def _join_clauses(clauses: Sequence[tuple[str, Reference]]) -> Cure:
    """Return a cure of several clauses, each with one reference."""
    return Cure("; ".join(clause for clause, _ in clauses), *(reference for _, reference in clauses))


def _is_void(column: Profile) -> bool:
    """Return whether a column has neither a name nor values, as spreadsheets leave them at the end of a table."""
    return not column.filled and (not column.name.strip() or column.name.startswith("Unnamed: "))


def _refuse_doubtful(given: Given, reasons: dict[str, str], candidates: Sequence[str]) -> None:
    """Raise InputError if there are reasons against columns; the cure shows how to decide about them."""
    if not reasons:
        return
    clauses: list[tuple[str, Reference]] = []
    key = next((name for name in reasons if not names_annotators(name) and given.is_key([name])), None)
    if key is not None:
        clauses.append((f"if {_literal(key)} names the items, set {{}}", given.options.column_option("item", key)))
    annotators = [name for name, reason in reasons.items() if reason == _NAMES_ANNOTATORS]
    if any(given.is_key([name]) for name in annotators):
        clauses.append(("if a row is a coder, set {}", Set("layout", CODERS_IN_ROWS)))
    elif annotators:
        clauses.append(("if a row is one judgment, set {}", _category_option(given)))
    counts = named_as_counts(candidates)
    if counts:
        counted = {"form": "counts", "columns": counts, **({} if key is None else {"roles": {"item": key}})}
        clauses.append(
            (
                "if columns count the coders of each category, set {}",
                Set("map", json.dumps(counted, ensure_ascii=False)),
            )
        )
    # The cure lists the columns that are named as coders, or the undoubted ones, if there are any.
    coders = named_as_coders(candidates) or [name for name in candidates if name not in reasons] or candidates
    clauses.append(("list all columns that are coders with {}", Set("coders", [*coders])))
    doubts = ", ".join(f"{name!r} ({reason})" for name, reason in reasons.items())
    raise given.question(f"columns that hardly hold the judgments of a coder: {doubts}", _join_clauses(clauses))


def _refuse_long(given: Given, keys: Sequence[str]) -> None:
    """Raise InputError if two columns name each row of a table, and one other column has judgments."""
    others = [name for name in given.names if name not in keys and not is_reference(name)]
    coders = [name for name in others if not is_no_coder(name)] or judgments(others) or others
    if keys and len(coders) > 1:  # what one item or annotator has alone is about it, and no judgment
        coders = [name for name in coders if not any(_tells(given, key, name) for key in keys)]
    if not keys or len(coders) != 1:
        return
    annotator = next(filter(names_annotators, keys), None) or _likelier_annotator(given, keys, others)
    item = next(name for name in keys if name != annotator)
    if fits(coders[0], "frequency") >= SURE:
        raise given.question(
            f"{coders[0]!r} seems to tell how often {item!r} and {annotator!r} have these values",
            "give a table with a row for each item, or a square of counts with a row and a column for each value",
        )
    roles = {"item": item, "annotator": annotator, "category": coders[0]}
    raise given.question(
        f"{item!r} and {annotator!r} together name each row, as in a table with a row per judgment",
        "if they are item and annotator, set {}; if each row is an item, list the coders with {}",
        given.options.columns_option(roles),
        Set("coders"),
    )


def _likelier_annotator(given: Given, keys: Sequence[str], others: Sequence[str]) -> str:
    """Return the one of two columns that is less likely the item: by its name, or by what it tells; else the second."""
    first, second = ((fits(key, "item"), sum(_tells(given, key, name) for name in others)) for key in keys)
    return keys[0] if second > first else keys[1]


def _tells(given: Given, key: str, name: str) -> bool:
    return determines(given.profiles[key], given.profiles[name])


def _row_keys(given: Given, *, is_full: bool) -> tuple[str, str] | tuple[()]:
    """Return two columns that repeat values and together name each row, the one with more values first.

    If `is_full`, most pairs of their values occur, so that they are hardly judgments: two coders often agree.
    """
    n_rows = len(given.table)
    most = n_rows * _VARIED_SHARE if is_full else n_rows - 1
    columns = [each for each in given.profiles.values() if each.are_labels and each.is_full]
    for first, second in combinations([each for each in columns if 1 < each.n_values <= most], 2):
        n_pairs = first.n_values * second.n_values
        if not _MIN_ROWS_OF_KEYS <= n_rows <= n_pairs or (is_full and n_pairs > n_rows / _MIN_PAIRS_SHARE):
            continue
        if are_different((first, second)):
            names = (first.name, second.name)
            return names if first.n_values >= second.n_values else names[::-1]
    return ()


def _literal(name: str) -> str:
    """Return a name in quotes for the template of a `Cure`."""
    return repr(name).replace("{", "{{").replace("}", "}}")


def _doubts(candidates: Profiles, *, is_wide: bool) -> dict[str, str]:
    """Return each column that is hardly a coder with the reason; `is_wide` is whether the user set the layout."""
    reasons = {}
    odd = _odd_columns(candidates)
    of_names = _doubts_of_names(candidates, is_wide=is_wide)
    for name, column in candidates.items():
        filled = [other for other in candidates.values() if other is not column and other.filled]
        if not column.filled:
            reasons[name] = "it is empty"
        elif not is_wide and _may_name_annotators(column, filled):
            reasons[name] = _NAMES_ANNOTATORS
        elif reason := _doubt_of_values(column, filled) or of_names.get(name, ""):
            reasons[name] = reason
        elif name in odd:
            sharers = "few other columns have" if any(map(column.shares_with, filled)) else "no other column has"
            reasons[name] = f"{sharers} its values: {few(map(repr, _shown(column)), _MAX_SHOWN)}"
        elif column.numbering and not all(other.numbering for other in filled):
            reasons[name] = f"it {column.numbering}"
    return reasons


def _shown(column: Profile) -> list[str]:
    """Return the values of a column in order, numbers first."""
    return sorted({*column.coded[1]}, key=lambda name: (number_of(name) is None, number_of(name) or 0.0, name))


def _doubts_of_names(candidates: Profiles, *, is_wide: bool) -> dict[str, str]:
    """Return the columns that are named as references, or in another way than numbered coders, with the reasons."""
    filled = [name for name, column in candidates.items() if column.filled]
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


def _may_name_annotators(column: Profile, others: Sequence[Profile]) -> bool:
    """Return whether a column may have names of annotators, and no judgments: a student and an expert may be coders."""
    is_text = column.points is None
    return names_annotators(column.name) and not (is_text and any(map(column.shares_with, others)))


def _doubt_of_values(column: Profile, others: Sequence[Profile]) -> str:
    """Return why the values of a column are hardly judgments beside those of the others, nothing if they may be."""
    repeating = [other for other in others if not other.is_varied]
    if column.is_long_text and repeating:
        return f"its texts have {column.mean_length:.0f} characters on average"
    if column.numbers_rows and not all(other.numbers_rows for other in others):
        return "it numbers the rows"
    if column.is_all_different and repeating and not column.is_measured(repeating):
        return f"its {len(column.filled)} values are all different"
    return "most of its numbers are outside the range of the others" if column.is_beyond(repeating) else ""


def _share_nothing(candidates: Profiles) -> bool:
    """Return whether no two columns have a value in common, though some repeat theirs: names, quotes and codes."""
    filled = [column for column in candidates.values() if column.filled]
    if len(filled) < 2 or len(filled[0].names) < _MIN_ROWS_OF_KEYS or all(column.is_varied for column in filled):  # noqa: PLR2004
        return False
    return not any(first.shares_with(second) for first, second in combinations(filled, 2))


def _odd_columns(candidates: Profiles) -> set[str]:
    """Return the columns that share no value with the largest group of columns that share values.

    Nothing if no column shares values with another, or if there are too few columns or rows. Of two groups of one
    size, the one with texts is preferred, as numbers are more often ids.
    """
    filled = {name: column for name, column in candidates.items() if column.filled}
    n_rows = max((len(column.names) for column in filled.values()), default=0)
    if len(filled) < _MIN_COLUMNS_WITH_ODD_ONE or n_rows < _MIN_ROWS_OF_ODD_COLUMN:
        return set()
    groups: list[list[str]] = []
    for name, column in filled.items():
        sharing = [group for group in groups if any(column.shares_with(filled[key]) for key in group)]
        groups = [group for group in groups if group not in sharing]
        groups.append([*chain.from_iterable(sharing), name])
    largest = max(groups, key=lambda group: (len(group), any(filled[name].points is None for name in group)))
    return set(filled) - set(largest) if len(largest) > 1 else set()
