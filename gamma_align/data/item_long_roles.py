"""Find the columns of item, coder and category in a table with a row per judgment.

Conventions
-----------
* The item is the column in which no annotator judges an item twice; ids that begin again in each document name an item
  together with the document.
* A column that has one value for each item, or for each annotator, hardly has judgments: a reference or a topic tells
  about the item, a country about the annotator. If the category has, and another column has not, the user decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from gamma_align.data.column_names import the_one, usual
from gamma_align.data.item_meanings import Given, Meaning
from gamma_align.data.item_names import is_item_id, is_item_text, is_no_coder, is_reference, judgments, names_annotators
from gamma_align.data.item_options import LONG
from gamma_align.data.profiles import Profile, are_different, joined_codes
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Set


def is_long(given: Given) -> bool:
    """Return whether a row of the table is a judgment.

    It is if the table has one of our names for the coder or the category. Other usual names of both are not enough,
    because a table of tweets may have a column 'user' and a column per coder: then the items must repeat.
    """
    named = _named(given)
    if {"annotator", "category"} & set(named):
        return True
    categories = judgments(given.names)
    if not (_annotators(given.names) and categories):
        return False
    items = [name for name in given.names if _may_be_item(name) and name not in categories]
    if "item" in named:
        items = [named["item"]]
    return not items or any(not are_different([given.profiles[name]]) for name in items)


def long_meaning(given: Given) -> Meaning:
    """Return the columns of item, annotator and category, and a note on the columns that were recognised.

    Raises
    ------
    InputError
        If a column is missing, or several may have the same role.
    """
    options = given.options
    roles = _named(given)
    recognised: dict[str, tuple[str, ...]] = {}
    for role in ("annotator", "category"):
        if role not in roles and role not in options.names:
            unassigned = [name for name in given.names if name not in roles.values()]
            likely = judgments(unassigned) if role == "category" else _annotators(unassigned)
            name = the_one(likely, role, given.table.origin)
            if name is not None:
                roles[role] = name
                recognised[role] = (name,)
    item: tuple[str, ...] = (roles["item"],) if "item" in roles else ()
    if "item" not in options.names and "annotator" in roles:
        found = _item(given, roles)
        if found and found != item:
            item = recognised["item"] = found
    missing = next((options.names.get(role, role) for role in LONG[1:] if role not in roles), None)
    if not item:
        missing = options.names.get("item", "item")
    if missing is not None:
        columns = ", ".join(map(repr, given.names)) or "none"
        unread = [name for name in given.names if name not in roles.values()]
        raise given.question(
            f"no column {missing!r}; there are {columns}; a long table has {', '.join(LONG)}",
            "name yours with {}; if each coder has a column, use {}",
            options.column_option(missing, unread[0] if missing in LONG and unread else ""),
            Set("layout", "wide"),
        )
    if "category" not in options.names:
        _check_judged(given, item, roles)
    read = ", ".join(f"{' and '.join(map(repr, recognised[role]))} as {role}" for role in LONG if role in recognised)
    notes = (f"{given.table.origin}: read {read}",) if read else ()
    return Meaning("long", item, annotator=roles["annotator"], category=roles["category"], notes=notes)


def _check_judged(given: Given, item: tuple[str, ...], roles: dict[str, str]) -> None:
    """Raise InputError if another column may be judged, and the category is a score or told by item or annotator."""
    owners = {"item": item, "annotator": (roles["annotator"],)}
    profiles = {owner: [given.profiles[name] for name in names] for owner, names in owners.items()}
    category = roles["category"]
    by = next((owner for owner, columns in profiles.items() if _is_told(given.profiles[category], columns)), None)
    # A score may be the judgment, or be beside it.
    if by is None and not is_no_coder(category):
        return
    for name in given.names:
        is_other = is_no_coder(name) or is_reference(name)
        if name in (*item, *roles.values()) or (is_other and not judgments([name])):
            continue
        column = given.judged(name)
        if not column.filled or column.is_varied or len(column.values) == 1:
            continue
        if not any(_is_told(given.profiles[name], columns) for columns in profiles.values()):
            fact = f"{category!r} has one value for each {by}, and {name!r} has several: it may have the judgments"
            raise given.question(
                f"{category!r} and {name!r} may each have the judgments" if by is None else fact,
                "if {} has, set {}; if {} has, set {}",
                repr(name),
                given.options.column_option("category", name),
                repr(category),
                given.options.column_option("category", category),
            )


def _is_told(column: Profile, owner: Sequence[Profile]) -> bool:
    """Return whether a column has one value for each owner, of which some have several rows."""
    if not column.are_labels:
        return False
    n_owners = len(np.unique(joined_codes(owner)))
    return len(np.unique(joined_codes([*owner, column]))) == n_owners < len(column.names)


def _named(given: Given) -> dict[str, str]:
    """Return the columns, by role, that have the name given by the user, or else our name."""
    options = given.options
    names = {role: options.names.get(role, role) for role in LONG}
    # "coder" is our second name of this column.
    if "annotator" not in options.names and "annotator" not in given.profiles:
        names["annotator"] = "coder"
    return {role: name for role, name in names.items() if name in given.profiles}


def _annotators(names: Iterable[str]) -> list[str]:
    """Return the names that are usual for annotators, or else the names with a word for them."""
    names = list(names)
    return usual(names, "annotator") or [name for name in names if names_annotators(name)]


def _may_be_item(name: str) -> bool:
    return is_item_id(name) or is_item_text(name)


def _item(given: Given, roles: dict[str, str]) -> tuple[str, ...]:
    """Return the columns that identify items: the first with a usual name in which no annotator judges an item twice.

    A column without repeated values, such as row numbers, identifies judgments, so one that repeats is preferred, and
    two that repeat together, such as document and sentence.
    """
    others = {*roles.values()} - {roles.get("item")}
    names = [name for name in given.names if name not in others and _may_be_item(name)]
    if "item" in roles:
        names = [roles["item"], *(name for name in names if name != roles["item"])]
    single = [(name,) for name in names]
    are_pairs = [pair for pair in combinations(names, 2) if not any(fits(name, "round") >= SURE for name in pair)]
    unique: list[tuple[str, ...]] = []
    for item in (*single, *are_pairs):
        columns = [given.profiles[name] for name in item]
        if not are_different([*columns, given.profiles[roles["annotator"]]]):
            continue
        if not are_different(columns) or item == (roles.get("item"),):
            return item
        unique.append(item)
    return next(iter([*unique, *single]), ())
