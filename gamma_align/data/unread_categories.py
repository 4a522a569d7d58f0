"""A column that is not read and may have the categories of units, which no other column has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from gamma_align.data.column_names import doubt
from gamma_align.data.problem import few
from gamma_align.data.profiles import Profile
from gamma_align.data.tables import Table, cells_of
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Cure, Location, OpenRoleError

_OTHER_ROLES = ("document", "annotator", "quote", "text", "token", "item", "round", "part", "about")
_MIN_SHARE_OF_REPEATED = 0.5  # of the rows have a value of several: names of units and remarks are no categories


def refuse_unread_category(table: Table, columns: Mapping[str, str | None], read: Collection[str]) -> None:
    """Refuse a table of units without categories if a column that is not read may have them.

    Without it all units would seem to be of one category.

    Parameters
    ----------
    table : Table
        The units.
    columns : mapping of str to str or None
        The columns that the user gave for roles.
    read : collection of str
        The columns that are read.

    Raises
    ------
    OpenRoleError
        If there is such a column.
    """
    if "category" in columns:
        return
    names = [name for name in table.columns if name not in read]
    names = [name for name in names if max(fits(name, role) for role in _OTHER_ROLES) < SURE]
    unread = [column for name in names if (column := _unread(table, name)) is not None]
    for each in unread:
        are_categories = each.are_grades if each.is_number else each.has_names and _repeats(each)
        if are_categories and not each.is_constant:
            raise doubt("category", each.name, table.origin)
    marked = [each.name for each in unread if each.has_marks]
    if len(marked) > 1:
        raise OpenRoleError(marks_fact(marked), Cure(MARKS_CURE), Location(table.origin))


def _repeats(column: Profile) -> bool:
    """Return whether most of the filled cells have the value of another one."""
    counts = np.unique(column.filled, return_counts=True)[1]
    return bool(counts[counts > 1].sum() >= _MIN_SHARE_OF_REPEATED * len(column.filled))


def _unread(table: Table, name: str) -> Profile | None:
    column = table.unread_labels(name)
    return None if column is None else Profile(name, cells_of(column))


MARKS_CURE = "write the category of each unit into one column; if units have none, delete these columns"


def marks_fact(names: Sequence[str]) -> str:
    """Return the words for columns in which a mark says that a unit is of this category."""
    return f"cells of {few(map(repr, names), 3)} have a mark or are empty: each may be a category"
