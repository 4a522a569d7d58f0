"""Find the columns of item, coder and category in a table with a row per judgment."""

from __future__ import annotations

from collections.abc import Iterable

from gamma_align.data.column_names import is_item_id, is_item_text, judgments, names_annotators, the_one, usual
from gamma_align.data.column_values import are_different, name_codes
from gamma_align.data.item_options import LONG, Options
from gamma_align.data.tables import Table
from gamma_align.errors import Cure, InputError, Location, Set


def is_long(table: Table, options: Options) -> bool:
    """Return whether a row of the table is a judgment.

    It is if the table has one of our names for the coder or the category. Other usual names of both are not enough,
    because a table of tweets may have a column 'user' and a column per coder: then the items must repeat.
    """
    named = _named(table, options)
    if {"annotator", "category"} & set(named):
        return True
    if not (_annotators(table.columns) and judgments(table.columns)):
        return False
    categories = judgments(table.columns)
    items = [name for name in table.columns if _may_be_item(name) and name not in categories]
    if "item" in named:
        items = [named["item"]]
    return not items or any(_repeats(table, name) for name in items)


def long_roles(table: Table, options: Options) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the columns of item, annotator and category by role, and a note on the columns that were recognised.

    Raises
    ------
    InputError
        If a column is missing, or several may have the same role.
    """
    roles = _named(table, options)
    recognised = {}
    for role in ("annotator", "category"):
        if role not in roles and role not in options.names:
            unassigned = [name for name in table.columns if name not in roles.values()]
            likely = judgments(unassigned) if role == "category" else _annotators(unassigned)
            name = the_one(likely, role, table.origin)
            if name is not None:
                roles[role] = recognised[role] = name
    if "item" not in roles and "item" not in options.names and "annotator" in roles:
        item = _item(table, roles)
        if item is not None:
            roles["item"] = recognised["item"] = item
    missing = next((options.names.get(role, role) for role in LONG if role not in roles), None)
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
    read = ", ".join(f"{recognised[role]!r} as {role}" for role in LONG if role in recognised)
    return roles, (f"{table.origin}: read {read}",) if read else ()


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


def _item(table: Table, roles: dict[str, str]) -> str | None:
    """Return the column that identifies items: the first with a usual name in which no annotator judges an item twice.

    A column without repeated values, such as row numbers, identifies judgments, so one that repeats is preferred.
    """
    names = [name for name in table.columns if name not in roles.values() and _may_be_item(name)]
    annotator = name_codes(table, roles["annotator"])
    unique_pairs = [name for name in names if are_different([name_codes(table, name), annotator])]
    repeated = [name for name in unique_pairs if _repeats(table, name)]
    return next(iter([*repeated, *unique_pairs, *names]), None)


def _repeats(table: Table, name: str) -> bool:
    return not are_different([name_codes(table, name)])
