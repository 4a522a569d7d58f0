"""Check records, matrices, columns and counts, and build the columns of an `ItemTable` from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.columns import MISSING, CodeArray, IntArray
from gamma_align.data.continuum import Continuum
from gamma_align.data.item_forms import count_column, meaning_of, square_of, total_of, whole_number
from gamma_align.data.item_labels import (
    Cells,
    Labels,
    code_categories,
    code_type,
    declare_keys,
    is_missing,
    keys_of,
    label_name,
    labels_of,
    parse_number,
    recode,
    sort_keys,
)
from gamma_align.data.item_meanings import Given, Meaning
from gamma_align.data.item_options import LONG, Options
from gamma_align.data.layout_options import CODERS_IN_ROWS
from gamma_align.data.missing_words import MissingWords, count_texts
from gamma_align.data.problem import few
from gamma_align.data.profiles import are_different
from gamma_align.data.resources import available_memory
from gamma_align.data.spelling import composed, joining_mark, spelling_groups, spelling_key
from gamma_align.data.tables import (
    Coded,
    Table,
    cells_of,
    check_lengths,
    factorized,
    in_one_form,
    merged,
    text_in_one_form,
)
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Cure, InputError, Location, OutOfMemoryError, Set, SettingsError

_N_CODERS_OF_CONTINGENCY = 2
_JUDGMENT_BYTES = 40  # at the peak, an estimate: codes of judgments, and four indices of each while they are filled in
_MAX_SHOWN = 3  # groups of labels in a message
_GIB = 1 << 30  # bytes
_MATRIX_DIMENSIONS = 2
_CONTINGENCY_CURE = "give a column of labels and a column of counts for each of these labels"
_NO_TABLE = Table.of({}, "items", "categories")
"""The origin of categories that are not in a table, for messages."""

Rows = npt.NDArray[np.generic] | Sequence[Sequence[object]]
"""A matrix as an array or as a sequence of rows."""


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
        """Return the name of an item, or its number from 1 if items have no names."""
        return str(item + 1) if self.names is None else self.names[item]


def from_records(
    judgments: Iterable[Sequence[object]], categories: Sequence[object] | None, na: Sequence[str]
) -> ItemColumns:
    """Return the table of (item, coder, category) records."""
    records = []
    for index, judgment in enumerate(judgments, 1):
        record = () if isinstance(judgment, (str, bytes)) or not hasattr(judgment, "__iter__") else tuple(judgment)
        if len(record) != len(LONG):
            raise InputError(f"judgment {index} is {judgment!r}", "give a record of item, coder and category")
        records.append(record)
    columns = {name: [record[column] for record in records] for column, name in enumerate(LONG)}
    return from_table(Table.of(columns, "items"), Options("long", categories, na=na))


def from_table(table: Table, options: Options) -> ItemColumns:
    """Return the item table from a table of any layout."""
    given = given_of(table, options)
    return built(given, meaning_of(given))


def given_of(table: Table, options: Options) -> Given:
    """Return a table of items, with text as names of its columns: in a data frame they may be numbers."""
    form = composed(name for name in table.columns if isinstance(name, str))
    if form:
        name = next(iter(form.values()))
        raise InputError(f"two columns are named {name!r}, in two forms of Unicode", "rename one", _origin(table))
    columns = {str(name): values for name, values in table.columns.items()}
    if len(columns) < len(table.columns):
        raise InputError("two columns have the same name as text, such as 1 and '1'", "rename one", _origin(table))
    return Given.of(check_lengths(replace(table, columns=columns)), options)


def built(given: Given, meaning: Meaning) -> ItemColumns:
    """Return the item table of a table whose columns have this meaning."""
    build = {
        "long": _long,
        "wide": _wide,
        "counts": _counts,
        "contingency": _contingency,
        CODERS_IN_ROWS: _coders_in_rows,
    }
    result = build[meaning.layout](given, meaning)
    return result._replace(notes=(*meaning.notes, *result.notes))


def _origin(table: Table) -> Location:
    return Location(table.origin)


def _long(given: Given, meaning: Meaning) -> ItemColumns:
    table = given.table
    options = given.options
    items = table.columns[meaning.item[0]] if len(meaning.item) == 1 else list(_item_names(table, meaning.item))
    columns = {
        "item": items,
        "annotator": table.columns[meaning.annotator or ""],
        "category": table.columns[meaning.category or ""],
    }
    renamed = replace(table, columns=columns)
    (item,), item_notes = in_one_form("item", factorized(renamed, "item"))
    (coder,), coder_notes = in_one_form("coder", factorized(renamed, "annotator"))
    if options.layout == "auto":
        _refuse_spellings(table, "item", item, coder)
        _refuse_spellings(table, "coder", coder, item)
    # Coders are sorted, because the order of rows in a long table has no meaning.
    names, (column,) = merged(coder)
    codes, labels, word_notes = _code_judgments(renamed, item.codes, options)
    repeated = _first_repeated(item.codes * len(names) + column)
    if repeated is not None:
        first, second = repeated
        category = "the same category" if codes[first] == codes[second] else "another category"
        raise InputError(
            f"coder {coder.labels[coder.codes[second]]!r} has a second judgment of item "
            f"{item.labels[item.codes[second]]!r} ({category}; the first is in {table.row_name(first)})",
            _cure_of_second(given, meaning),
            table.location(second),
        )
    matrix = np.full((len(item.labels), len(names)), MISSING, dtype=codes.dtype)
    matrix[item.codes, column] = codes
    is_declared = options.categories is not None
    return ItemColumns(
        matrix, names, labels, tuple(item.labels), is_declared, notes=(*item_notes, *coder_notes, *word_notes)
    )


def _refuse_spellings(table: Table, kind: str, column: Coded, other: Coded) -> None:
    """Raise InputError if two names differ in their spelling alone, and never stand beside the same other name."""
    spelled: dict[str, list[int]] = {}
    for code, label in enumerate(column.labels):
        number = parse_number(label)
        spelled.setdefault(spelling_key(label) if number is None else str(number.normalize()), []).append(code)
    groups = [codes for codes in spelled.values() if len(codes) > 1]
    if not groups:
        return
    beside = {code: {*other.codes[column.codes == code].tolist()} for codes in groups for code in codes}
    alike = [codes for codes in groups if all(beside[a].isdisjoint(beside[b]) for a, b in combinations(codes, 2))]
    if 2 * len(alike) > len(groups):
        shown = (" and ".join(repr(column.labels[code]) for code in codes) for codes in alike)
        raise InputError(
            f"{kind}s seem to be written in two ways: {few(shown, _MAX_SHOWN)}",
            Cure("write them alike; if they are different, set {}", Set("layout", "long")),
            _origin(table),
        )


def _cure_of_second(given: Given, meaning: Meaning) -> Cure:
    """Return the cure for two judgments of one coder on one item: a column that tells them apart."""
    used = (*meaning.item, str(meaning.annotator))
    others = [each for each in given.profiles.values() if each.name not in (*used, meaning.category)]
    owners = [given.profiles[name] for name in used]
    telling = (each for each in others if given.options.from_file and are_different([*owners, each]))
    apart = next(telling, None)
    if apart is None or are_different([apart]):
        return Cure("remove one, or measure overlapping units with γ")
    import json

    def mapping(item: Sequence[str], **rest: object) -> Set:
        name: object = item[0] if len(item) == 1 else {"columns": item}
        roles = {"item": name, "annotator": meaning.annotator, "category": meaning.category}
        return Set("map", json.dumps({"form": "items-long", "roles": roles, **rest}, ensure_ascii=False))

    one = mapping(meaning.item, where=[[apart.name, "is", label_name(apart.cells[0])]])
    is_bound = apart.is_range or any(fits(apart.name, role) for role in ("start", "end", "time", "duration"))
    if is_bound or fits(apart.name, "round") >= SURE:
        return Cure("{} tells them apart; to read one of its values, set {}", repr(apart.name), one)
    return Cure(
        "{} tells them apart; if it is a part of the item, set {}; to read one of its values, set {}",
        repr(apart.name),
        mapping([*meaning.item, apart.name]),
        one,
    )


def _code_judgments(table: Table, item: IntArray, options: Options) -> tuple[CodeArray, Labels, tuple[str, ...]]:
    """Return the column "category" as codes, -1 for missing judgments, its labels, and notes on words in it.

    `item` is the item of each cell.
    """
    column, form_notes = text_in_one_form("category", table.columns["category"])
    cells, notes = _without_words(table.with_column("category", column), item, options.missing)
    notes = (*form_notes, *notes)
    coded = replace(table, columns={"category": cells})
    codes, labels = code_categories(coded, "category", options.categories, options.sets, text_numbers=options.from_file)
    if options.categories is None:
        _check_labels(labels, np.bincount(codes[codes >= 0], minlength=len(labels)), table, options)
    return codes, labels, notes


def _check_labels(labels: Labels, counts: IntArray, table: Table, options: Options) -> None:
    """Raise InputError if a label may mean "missing", or if two texts differ in their spelling alone."""
    if isinstance(labels, np.ndarray):
        options.missing.check_codes(labels, counts, table.origin)
        return
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < len(labels):
        return
    options.missing.check_text(texts, counts, table.origin)
    mark = None if options.sets is not None else joining_mark(texts, counts)
    if mark is not None:
        raise InputError(
            f"categories may be several labels with {mark!r} between them, such as {few(map(repr, texts), _MAX_SHOWN)}",
            Cure(
                "if so, set {} and a distance of sets, such as {}; if each is one category, set {}",
                Set("sets", mark),
                Set("distance", "masi"),
                Set("categories", texts),
            ),
            _origin(table),
        )
    # Grades such as A and A- are different.
    groups = spelling_groups(text for text in texts if parse_number(text) is None and not text.endswith(("-", "+")))
    # Texts that hardly repeat, such as translations, are no names of categories.
    if groups and 2 * len(texts) <= counts.sum():
        shown = few((" and ".join(map(repr, group)) for group in groups), _MAX_SHOWN)
        raise InputError(
            f"categories differ in case, blanks and hyphens alone: {shown}",
            Cure("if they are one, write them alike; if they are several, set {}", Set("categories", texts)),
            _origin(table),
        )


def _without_words(table: Table, item: IntArray, words: MissingWords) -> tuple[Cells, tuple[str, ...]]:
    """Return the cells of the column "category" with None in place of words for "missing", and a note on them."""
    column: Cells = table.columns["category"]
    cells = cells_of(column)
    counts = count_texts(() if isinstance(column, np.ndarray) and column.dtype.kind in "fiub" else cells)
    if not any(map(words.may_be_missing, counts)):
        return words.without(column), ()
    is_word = np.array([isinstance(cell, str) and cell.strip() in words.known for cell in cells])
    n_cells = np.bincount(item)
    n_words = np.bincount(item, weights=is_word)
    doubt = ""
    if any(is_missing(cell) for cell in cells):
        doubt = "other cells are blank"
    elif bool(((n_cells == n_words) & (n_cells > 1)).any()):
        doubt = "all judgments of an item are such a word"
    return words.without(cells), words.decide(counts, table.origin, doubt)


def _first_repeated(codes: IntArray) -> tuple[int, int] | None:
    """Return the first two rows with the lowest code that is repeated, if any."""
    order = np.argsort(codes, kind="stable")
    repeated = np.flatnonzero(np.diff(codes[order]) == 0)
    if not len(repeated):
        return None
    first = int(repeated[0])
    return int(order[first]), int(order[first + 1])


def _wide(given: Given, meaning: Meaning) -> ItemColumns:
    table = given.table
    # Cells are coded together, so that all coders have the same categories.
    width = len(meaning.columns)
    codes, labels, notes = _code_rows(given, meaning.columns, np.arange(len(table)).repeat(width))
    names = _item_names(table, meaning.item) if meaning.item else None
    is_declared = given.options.categories is not None
    return ItemColumns(codes.reshape(-1, width), meaning.columns, labels, names, is_declared, notes=notes)


def _code_rows(given: Given, columns: Sequence[str], item: IntArray) -> tuple[CodeArray, Labels, tuple[str, ...]]:
    """Return the cells of columns, row by row, as `_code_judgments`."""
    table = given.table
    cells = {"category": _stack([table.columns[name] for name in columns])}
    stacked = replace(table, columns=cells, location=lambda cell: table.location(cell // len(columns)))
    return _code_judgments(stacked, item, given.options)


def _item_names(table: Table, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the name of the item of each row, from one or several columns; InputError if one column repeats a name."""
    parts = []
    for name in columns:
        (column,), _ = in_one_form("item", factorized(replace(table, columns={"item": table.columns[name]}), "item"))
        parts.append([column.labels[code] for code in column.codes.tolist()])
        repeated = _first_repeated(column.codes) if len(columns) == 1 else None
        if repeated is not None:
            first, second = repeated
            raise InputError(
                f"item {parts[0][second]!r} is repeated (first in {table.row_name(first)}), and a wide table has one "
                "row per item",
                "remove one, or join them",
                table.location(second),
            )
    return tuple(map(", ".join, zip(*parts, strict=True)))


def _stack(columns: Sequence[Cells]) -> Cells:
    """Return the cells row by row: an array if all columns are arrays of one kind of number, else a list."""
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    arrays = [array for array in arrays if not isinstance(array, np.ma.MaskedArray)]
    kinds = {array.dtype.kind for array in arrays}
    if len(arrays) == len(columns) and kinds in ({"f"}, {"i"}, {"u"}):
        return np.stack(arrays, axis=1).ravel()
    rows = zip(*map(cells_of, columns), strict=True)
    return list(chain.from_iterable(rows))


def from_matrix(
    matrix: Rows,
    *,
    coders: Sequence[str] | None,
    items: Sequence[str] | None,
    options: Options,
) -> ItemColumns:
    """Return the table of a matrix, items × coders, or coders × items with the layout "row-per-coder"."""
    if options.layout not in ("wide", CODERS_IN_ROWS):
        raise SettingsError(
            f"a matrix has the layout 'wide' or {CODERS_IN_ROWS!r}, not {options.layout!r}", "choose one of the two"
        )
    height, width, flat = _flatten(matrix)
    table = Table(
        {"category": flat}, "items", "items", lambda cell: Location("items", f"row {cell // max(width, 1) + 1}")
    )
    row, column = np.indices((height, width))
    is_transposed = options.layout == CODERS_IN_ROWS
    codes, labels, notes = _code_judgments(table, (column if is_transposed else row).ravel(), options)
    codes = codes.reshape(height, width)
    codes = np.ascontiguousarray(codes.T) if is_transposed else codes
    n_items, n_coders = codes.shape
    names = None if items is None else _names(items, n_items, "items")
    columns = tuple(map(str, range(1, n_coders + 1))) if coders is None else _names(coders, n_coders, "coders")
    return ItemColumns(codes, columns, labels, names, options.categories is not None, notes=notes)


def _flatten(matrix: Rows) -> tuple[int, int, Cells]:
    """Return the height and the width of a matrix, and its cells row by row."""
    if isinstance(matrix, np.ndarray) and not isinstance(matrix, np.ma.MaskedArray):
        if matrix.ndim != _MATRIX_DIMENSIONS:
            raise InputError(f"the matrix has shape {matrix.shape}", "give one of items × coders")
        height, width = matrix.shape
        flat: npt.NDArray[Any] = matrix.reshape(-1)
        return height, width, flat if flat.dtype.kind in "fiu" else flat.tolist()
    rows = [tuple(row) for row in (matrix.tolist() if isinstance(matrix, np.ma.MaskedArray) else matrix)]
    width = len(rows[0]) if rows else 0
    for index, row in enumerate(rows, 1):
        if len(row) != width:
            raise InputError(f"row {index} has {len(row)} judgments, the first {width}", "use None for missing")
    return len(rows), width, list(chain.from_iterable(rows))


def _names(names: Sequence[str], size: int, described: str) -> tuple[str, ...]:
    texts = tuple(map(str, names))
    if len(texts) != size or len(set(texts)) < size:
        raise InputError(
            f"there are {len(texts)} names ({len(set(texts))} different) for {size} {described}",
            "give each a different name",
        )
    return texts


def observed(codes: IntArray, coders: tuple[str, ...], categories: tuple[str, ...]) -> ItemColumns:
    """Return the table of codes into `categories`, with only the categories that occur."""
    keys = sort_keys(categories[code] for code in np.unique(codes[codes >= 0]).tolist())
    return ItemColumns(recode(_NO_TABLE, codes, categories, keys), coders, labels_of(keys))


def with_categories(table: ItemColumns, categories: Sequence[object]) -> ItemColumns:
    """Return the table with these categories, in this order."""
    width = max(len(table.coders), 1)
    cells = Table({}, "items", "items", lambda cell: Location("items", f"item {table.item_name(cell // width)!r}"))
    old = keys_of(table.labels)
    new = declare_keys(cells, categories, old)
    codes = recode(cells, table.codes.reshape(-1), old, new).reshape(table.codes.shape)
    return table._replace(codes=codes, labels=labels_of(new), declared=True)


def _counts(given: Given, meaning: Meaning) -> ItemColumns:
    categories = [*meaning.columns]
    counts = np.stack([_count_column(given, name) for name in categories], axis=1)
    total = total_of(counts)
    notes: tuple[str, ...] = ()
    if total is not None:
        notes = given.unread([categories.pop(total)], "counts")
        counts = np.delete(counts, total, axis=1)
    names = [*map(str, cells_of(given.table.columns[meaning.item[0]]))] if meaning.item else None
    result = from_counts(counts, categories, names)._replace(notes=notes)
    declared = given.options.categories
    return result if declared is None else with_categories(result, declared)


def _count_column(given: Given, name: str) -> IntArray:
    """Return a column of counts; InputError at the first cell that is none."""
    counts = count_column(given, name)
    if counts is not None:
        return counts
    words = given.options.missing.given
    texts = ["0" if is_missing(cell) or cell in words else label_name(cell) for cell in given.profiles[name].cells]
    row = next(row for row, text in enumerate(texts) if whole_number(text) is None)
    cause = f"{name} is {given.profiles[name].cells[row]!r}"
    raise given.question(cause, "a count must be a whole number, 0 or more", row=row)


def _coders_in_rows(given: Given, meaning: Meaning) -> ItemColumns:
    n_items = len(meaning.columns)
    n_coders = len(given.table)
    codes, labels, notes = _code_rows(given, meaning.columns, np.tile(np.arange(n_items), n_coders))
    coders = tuple(str(row + 1) for row in range(n_coders))
    if meaning.annotator is not None:
        coders = _item_names(given.table, [meaning.annotator])
    matrix = np.ascontiguousarray(codes.reshape(-1, n_items).T)
    return ItemColumns(matrix, coders, labels, meaning.columns, given.options.categories is not None, notes=notes)


def from_counts(counts: npt.ArrayLike, categories: Sequence[object], items: Sequence[str] | None) -> ItemColumns:
    """Return the anonymous table of an agreement table (items × categories)."""
    table = _whole_numbers(counts, "counts")
    if table.ndim != _MATRIX_DIMENSIONS or table.shape[1] != len(categories):
        raise InputError(
            f"the counts have shape {table.shape}, and there are {len(categories)} categories",
            "give a column for each category",
        )
    width = int(table.sum(axis=1).max(initial=0))
    names = None if items is None else _names(items, len(table), "items")
    if width:
        longest = int(table.sum(axis=1).argmax())
        name = repr(names[longest]) if names else longest + 1
        _check_memory(len(table) * width, f"item {name} has {width:,} judgments, and a table with as many coders")
    labels = labels_of(declare_keys(_NO_TABLE, categories, ()))
    # Judgments of an item are padded to the longest row.
    codes = np.full((len(table), width), MISSING, dtype=code_type(len(labels)))
    # Each count becomes that many judgments.
    item, category = np.nonzero(table)
    times = table[item, category]
    row = np.repeat(item, times)
    value = np.repeat(category, times)
    begin = np.concatenate([[0], np.cumsum(table.sum(axis=1))])[:-1]
    codes[row, np.arange(len(row)) - begin[row]] = value
    return ItemColumns(codes, tuple(map(str, range(1, width + 1))), labels, names, declared=True, anonymous=True)


def _check_memory(n_cells: int, described: str) -> None:
    """Refuse counts whose table of judgments does not fit into memory: most likely they are no counts."""
    needed = n_cells * _JUDGMENT_BYTES
    available = available_memory()
    if available is not None and needed > available:
        raise OutOfMemoryError(
            f"{described} takes {needed / _GIB:.1f} GiB of memory; {available / _GIB:.1f} GiB are free",
            "check the counts: each is a number of judgments",
        )


def _whole_numbers(values: npt.ArrayLike, described: str) -> IntArray:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"the {described} are not numbers", "give whole numbers, 0 or more") from None
    if not bool((table == np.floor(table)).all()) or bool((table < 0).any()):
        raise InputError(f"the {described} must be whole numbers, 0 or more")
    return table.astype(np.int64)


def from_contingency(table: npt.ArrayLike, categories: Sequence[object], coders: tuple[str, str]) -> ItemColumns:
    """Return the table of two coders whose pairs of categories were counted."""
    counts = _whole_numbers(table, "cells of the table")
    size = len(categories)
    if counts.shape != (size, size):
        raise InputError(
            f"the contingency table has shape {counts.shape}, and there are {size} categories",
            "give a row and a column for each category",
        )
    n_items = int(counts.sum())
    _check_memory(n_items * _N_CODERS_OF_CONTINGENCY, f"the table has {n_items:,} items, and a list of them")
    first, second = np.nonzero(counts)
    times = counts[first, second]
    codes = np.stack([np.repeat(first, times), np.repeat(second, times)], axis=1).astype(code_type(size))
    labels = labels_of(declare_keys(_NO_TABLE, categories, ()))
    return ItemColumns(codes, _names(coders, _N_CODERS_OF_CONTINGENCY, "coders"), labels, declared=True)


def _contingency(given: Given, _meaning: Meaning) -> ItemColumns:
    if not given.names:
        raise given.question("the table has no columns", _CONTINGENCY_CURE)
    labels_name, *header = given.names
    rows = [*map(label_name, given.profiles[labels_name].cells)]
    square = square_of(given)
    # Without the row and the column of totals, the names are the same, in any order.
    if square is None and sorted(rows) == sorted(header):
        for name in header:
            _count_column(given, name)
    if square is None or square.rows != square.header:
        raise given.question(
            f"the first column has the labels {few(map(repr, rows)) or 'none'}, the header has "
            f"{few(map(repr, header)) or 'none'}",
            _CONTINGENCY_CURE,
        )
    notes = (f"{given.table.origin}: the totals are left out",) if square.has_totals else ()
    return from_contingency(square.counts, square.rows, ("1", "2"))._replace(notes=notes)


def items_of(continuum: Continuum) -> tuple[IntArray, tuple[str, ...]]:
    """Return the item of each unit of a continuum, and the names of the items, "start–end"."""
    # Units with equal bounds are neighbours in this order.
    order = np.lexsort((continuum.end, continuum.start))
    start = continuum.start[order]
    end = continuum.end[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (start[1:] != start[:-1]) | (end[1:] != end[:-1])
    firsts = np.flatnonzero(is_new)
    # An item overlaps an earlier one if it begins before the end of any of them.
    reach = np.maximum.accumulate(end[firsts])
    overlapping = np.flatnonzero(start[firsts][1:] < reach[:-1])
    if len(overlapping):
        first = firsts[overlapping[0]]
        second = firsts[overlapping[0] + 1]
        raise InputError(
            f"[{start[first]:g}, {end[first]:g}] and [{start[second]:g}, {end[second]:g}] overlap, but have different "
            "bounds, so that units are not predefined",
            "measure γ, or take the items from an alignment",
            Location(continuum.document),
        )
    item = np.empty(len(order), dtype=np.int64)
    item[order] = np.cumsum(is_new) - 1
    repeated = _first_repeated(item * max(len(continuum.annotators), 1) + continuum.annotator)
    if repeated is not None:
        annotator = continuum.annotators[continuum.annotator[repeated[0]]]
        raise InputError(
            f"{annotator!r} has two units with the same bounds, and a coder judges an item once",
            "remove one, or measure γ",
            Location(continuum.document),
        )
    bounds = zip(start[firsts].tolist(), end[firsts].tolist(), strict=True)
    return item, tuple(f"{low:.15g}–{high:.15g}" for low, high in bounds)
