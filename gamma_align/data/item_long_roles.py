"""Find the columns of item, coder and category in a table with a row per judgment.

Conventions
-----------
* The item is the column in which no annotator judges an item twice; ids that begin again in each document name an item
  together with the document.
* A column that has one value for each item, or for each annotator, hardly has judgments: a reference or a topic tells
  about the item, a country about the annotator. If the category has, and another column has not, the user decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.column_names import the_one, usual
from gamma_align.data.column_values import ColumnValues, are_different, joined_codes, name_codes
from gamma_align.data.item_names import is_item_id, is_item_text, is_no_coder, is_reference, judgments, names_annotators
from gamma_align.data.item_options import LONG, Options
from gamma_align.data.tables import Table
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Cure, InputError, Location, Set


class LongRoles(NamedTuple):
    """The columns that together name the item, the columns of annotator and category, and notes."""

    item: tuple[str, ...]
    annotator: str
    category: str
    notes: tuple[str, ...]


def is_long(table: Table, options: Options) -> bool:
    """Return whether a row of the table is a judgment.

    It is if the table has one of our names for the coder or the category. Other usual names of both are not enough,
    because a table of tweets may have a column 'user' and a column per coder: then the items must repeat.
    """
    named = _named(table, options)
    if {"annotator", "category"} & set(named):
        return True
    categories = judgments(table.columns)
    if not (_annotators(table.columns) and categories):
        return False
    items = [name for name in table.columns if _may_be_item(name) and name not in categories]
    if "item" in named:
        items = [named["item"]]
    return not items or any(_repeats(table, name) for name in items)


def long_roles(table: Table, options: Options) -> LongRoles:
    """Return the columns of item, annotator and category, and a note on the columns that were recognised.

    Raises
    ------
    InputError
        If a column is missing, or several may have the same role.
    """
    roles = _named(table, options)
    recognised: dict[str, tuple[str, ...]] = {}
    for role in ("annotator", "category"):
        if role not in roles and role not in options.names:
            unassigned = [name for name in table.columns if name not in roles.values()]
            likely = judgments(unassigned) if role == "category" else _annotators(unassigned)
            name = the_one(likely, role, table.origin)
            if name is not None:
                roles[role] = name
                recognised[role] = (name,)
    item: tuple[str, ...] = (roles["item"],) if "item" in roles else ()
    if "item" not in options.names and "annotator" in roles:
        found = _item(table, roles)
        if found and found != item:
            item = recognised["item"] = found
    missing = next((options.names.get(role, role) for role in LONG[1:] if role not in roles), None)
    if not item:
        missing = options.names.get("item", "item")
    if missing is not None:
        columns = ", ".join(map(repr, table.columns)) or "none"
        unread = [name for name in table.columns if name not in roles.values()]
        raise InputError(
            f"no column {missing!r}; there are {columns}; a long table has {', '.join(LONG)}",
            Cure(
                "name yours with {}; if each coder has a column, use {}",
                options.column_option(missing, unread[0] if missing in LONG and unread else ""),
                Set("layout", "wide"),
            ),
            Location(table.origin),
        )
    if "category" not in options.names:
        _check_judged(table, item, roles, options)
    read = ", ".join(f"{' and '.join(map(repr, recognised[role]))} as {role}" for role in LONG if role in recognised)
    notes = (f"{table.origin}: read {read}",) if read else ()
    return LongRoles(item, roles["annotator"], roles["category"], notes)


def _check_judged(table: Table, item: tuple[str, ...], roles: dict[str, str], options: Options) -> None:
    """Raise InputError if the category is told by the item or the annotator, and another column may be judged."""
    owners = {
        "item": joined_codes([name_codes(table, name) for name in item]),
        "annotator": name_codes(table, roles["annotator"]),
    }
    category = roles["category"]
    by = next((owner for owner, codes in owners.items() if _is_told(table, category, codes)), None)
    if by is None:
        return
    others = [name for name in table.columns if name not in (*item, *roles.values())]
    for name in others:
        if not judgments([name]) and (is_no_coder(name) or is_reference(name)):
            continue
        values = ColumnValues.examine(options.missing.without(table.columns[name]), options.sets)
        if not values.size or values.is_varied or len(values.values) == 1:
            continue
        if not any(_is_told(table, name, codes) for codes in owners.values()):
            raise InputError(
                f"{category!r} has one value for each {by}, and {name!r} has several: it may have the judgments",
                Cure(
                    "if it has, set {}; if {} has, set {}",
                    options.column_option("category", name),
                    repr(category),
                    options.column_option("category", category),
                ),
                Location(table.origin),
            )


def _is_told(table: Table, name: str, owner: IntArray) -> bool:
    """Return whether a column has one value for each owner, of which some have several rows."""
    try:
        codes = name_codes(table, name)
    except InputError:  # the cells cannot be names, such as sets
        return False
    n_owners = len(np.unique(owner))
    n_pairs = len(np.unique(joined_codes([owner, codes])))
    return n_pairs == n_owners < len(owner)


def _named(table: Table, options: Options) -> dict[str, str]:
    """Return the columns, by role, that have the name given by the user, or else our name."""
    names = {role: options.names.get(role, role) for role in LONG}
    # "coder" is our second name of this column.
    if "annotator" not in options.names and "annotator" not in table.columns:
        names["annotator"] = "coder"
    return {role: name for role, name in names.items() if name in table.columns}


def _annotators(names: Iterable[str]) -> list[str]:
    """Return the names that are usual for annotators, or else the names with a word for them."""
    names = list(names)
    return usual(names, "annotator") or [name for name in names if names_annotators(name)]


def _may_be_item(name: str) -> bool:
    return is_item_id(name) or is_item_text(name)


def _item(table: Table, roles: dict[str, str]) -> tuple[str, ...]:
    """Return the columns that identify items: the first with a usual name in which no annotator judges an item twice.

    A column without repeated values, such as row numbers, identifies judgments, so one that repeats is preferred, and
    two that repeat together, such as document and sentence.
    """
    others = {*roles.values()} - {roles.get("item")}
    names = [name for name in table.columns if name not in others and _may_be_item(name)]
    if "item" in roles:
        names = [roles["item"], *(name for name in names if name != roles["item"])]
    annotator = name_codes(table, roles["annotator"])
    single = [(name,) for name in names]
    are_pairs = [pair for pair in combinations(names, 2) if not any(fits(name, "round") >= SURE for name in pair)]
    unique: list[tuple[str, ...]] = []
    for columns in (*single, *are_pairs):
        codes = joined_codes([name_codes(table, name) for name in columns])
        if not are_different([codes, annotator]):
            continue
        if not are_different([codes]) or columns == (roles.get("item"),):
            return columns
        unique.append(columns)
    return next(iter([*unique, *single]), ())


def _repeats(table: Table, name: str) -> bool:
    return not are_different([name_codes(table, name)])
