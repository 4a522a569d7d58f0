"""A column that is not read and may have the categories of units, which no other column has."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from gamma_align.data.column_names import doubt
from gamma_align.data.problem import few
from gamma_align.data.tables import Table
from gamma_align.data.words import SURE, fits
from gamma_align.errors import Cure, Location, OpenRoleError

_OTHER_ROLES = ("document", "annotator", "quote", "text", "token", "item", "round", "part", "about")
_MAX_VALUES = 60  # different ones; categories are few
_MAX_LENGTH = 60  # characters, on average
_GRADE = re.compile(r"-?\d|10")  # of a scale; larger numbers count or measure something
_ROWS_A_GRADE = 4
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
    for name in names:
        if _has_categories(table, name):
            raise doubt("category", name, table.origin)
    marked = [name for name in names if _has_marks(table, name)]
    if len(marked) > 1:
        raise OpenRoleError(marks_fact(marked), Cure(MARKS_CURE), Location(table.origin))


MARKS_CURE = "write the category of each unit into one column; if units have none, delete these columns"


def marks_fact(names: Sequence[str]) -> str:
    """Return the words for columns in which a mark says that a unit is of this category."""
    return f"cells of {few(map(repr, names), 3)} have a mark or are empty: each may be a category"


def _has_marks(table: Table, name: str) -> bool:
    """Return whether cells have one value or are empty."""
    column = table.unread_labels(name)
    if column is None:
        return False
    is_filled = np.array([bool(label.strip()) for label in (*column.labels, "")])[column.codes]
    return len({label for label in column.labels if label.strip()}) == 1 and 0 < is_filled.sum() < len(is_filled)


def _has_categories(table: Table, name: str) -> bool:
    column = table.unread_labels(name)
    if column is None:
        return False
    labels = [label for label in column.labels if label.strip()]
    n_filled = int((column.codes >= 0).sum())
    if all(map(_GRADE.fullmatch, labels)):
        return 1 < len(labels) <= n_filled / _ROWS_A_GRADE
    counts = np.bincount(column.codes[column.codes >= 0])
    if not 1 < len(labels) <= _MAX_VALUES or counts[counts > 1].sum() < _MIN_SHARE_OF_REPEATED * n_filled:
        return False
    return sum(map(len, labels)) <= _MAX_LENGTH * len(labels) and not any(map(_is_number, labels))


def _is_number(label: str) -> bool:
    try:
        float(label.replace(",", ".").replace(":", ""))
    except ValueError:
        return False
    return True
