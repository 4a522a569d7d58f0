"""A column that is not read and may have the categories of units, which no other column has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gamma_align.data.column_names import doubt
from gamma_align.data.problem import few
from gamma_align.data.profiles import Profile
from gamma_align.data.tables import Table, cells_of
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Cure, Location, OpenRoleError

_OTHER_ROLES = ("document", "annotator", "quote", "text", "token", "item", "round", "part", "about")
_ROWS_A_VALUE = 2  # at least, on average: a name of each unit is no category


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
        are_few = each.has_names and _ROWS_A_VALUE * each.n_values <= len(each.filled)
        if not each.is_constant and (each.are_grades if each.is_number else are_few):
            raise doubt("category", each.name, table.origin)
    marked = [each.name for each in unread if each.has_marks]
    if len(marked) > 1:
        raise OpenRoleError(marks_fact(marked), Cure(MARKS_CURE), Location(table.origin))


def _unread(table: Table, name: str) -> Profile | None:
    column = table.unread_labels(name)
    return None if column is None else Profile(name, cells_of(column))


MARKS_CURE = "write the category of each unit into one column; if units have none, delete these columns"


def marks_fact(names: Sequence[str]) -> str:
    """Return the words for columns in which a mark says that a unit is of this category."""
    return f"cells of {few(map(repr, names), 3)} have a mark or are empty: each may be a category"
