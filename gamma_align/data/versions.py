"""A column that is not read and tells repeated units of an annotator apart: a version of a guideline, a round, a pass.

If the versions of one annotation are read as one, every unit has a twin of the same annotator at its place.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, distinct
from gamma_align.data.problem import Problems
from gamma_align.data.tables import Table, factorized
from gamma_align.errors import Cure, Location, Note, Problem, Set

# Two units at one place overlap by this share of their union: annotators repeat their own bounds about as well.
_MIN_OVERLAP = 0.8
# Of the units. In corpora of people, up to 7 % of the units overlap another one of their annotator by half.
_MIN_SHARE_OF_TWINS = 0.1
# Of the pairs of twins: within a version an annotator repeats a unit only by a slip.
_MIN_TOLD_SHARE = 0.95
_ROWS_A_VALUE = 4  # on average, at least: a column of ids or times differs in every row


class Versions(NamedTuple):
    """A column that tells repeated units apart.

    `n_twins` of `n_units` have a twin; `values` are values of the column; `is_of_file` is whether options choose rows.
    """

    column: str
    values: tuple[str, ...]
    n_twins: int
    n_units: int
    is_of_file: bool

    @property
    def are_many(self) -> bool:
        """Whether so many units are repeated that the versions were hardly meant as one annotation."""
        return self.n_twins >= _MIN_SHARE_OF_TWINS * self.n_units

    @property
    def cause(self) -> str:
        """The fact."""
        return (
            f"{self.n_twins} of {self.n_units} units have another one of the same annotator, document and category at "
            f"their place, and the column {self.column!r}, which is not read, tells them apart "
            f"({', '.join(map(repr, self.values))})"
        )

    @property
    def cure(self) -> Cure:
        """How to read one version, or each as a document of its own, or all as they are."""
        if not self.is_of_file:
            return Cure(
                f"pass the rows with one value of {self.column!r}; if it tells no versions apart, leave the column out"
            )
        layer = Set("columns", {"layer": self.column})
        return Cure(
            "split the file by it: {} and {} read one version, {} and {} each as a document of its own; if they are no "
            "versions, read all rows with {}",
            layer,
            Set("layers", [self.values[-1]]),
            layer,
            Set("document", "{document}/{layer}"),
            Set("columns", {"layer": None}),
        )

    def said(self, problems: Problems, origin: str) -> tuple[Note, ...]:
        """Add a problem if many units are repeated, and return a note if few are; `origin` names the table."""
        if self.are_many:
            problems.append(Problem(Location(origin), self.cause, self.cure))
            return ()
        return (Note(f"{origin}: {self.cause}", self.cure),)


def versions(
    table: Table, names: Collection[str], units: Table, owner: IntArray, bounds: tuple[FloatArray, FloatArray]
) -> Versions | None:
    """Return the column that tells repeated units apart, ``None`` without such units or such a column.

    Parameters
    ----------
    table : Table
        The table with all columns, whose rows are those of `units`.
    names : collection of str
        The columns that are read.
    units : Table
        The columns that are read, by our names.
    owner : ndarray of int64, shape (n_units,)
        A code for each document and annotator, negative for rows that are no units.
    bounds : two ndarrays of float64, shape (n_units,)
        Start and end.
    """
    unread = [name for name in table.columns if name not in names]
    if not unread:
        return None
    category = (
        factorized(units, "category", nullable=True).codes if "category" in units.columns else np.zeros_like(owner)
    )
    first, second = _twins(owner, category, *bounds)
    if not len(first):
        return None
    found: list[tuple[int, str, tuple[str, ...]]] = []
    for name, column in table.unread_labels(unread).items():
        if len(column.codes) != len(owner):
            continue
        n_values = len(distinct(column.codes))
        is_told = column.codes[first] != column.codes[second]
        if _ROWS_A_VALUE * n_values <= max(len(owner), 2 * _ROWS_A_VALUE) and is_told.mean() >= _MIN_TOLD_SHARE:
            pair = (int(column.codes[first[0]]), int(column.codes[second[0]]))
            found.append((n_values, name, tuple("" if code < 0 else column.labels[code] for code in sorted(pair))))
    if not found:
        return None
    _, name, values_shown = min(found)
    n_twins = len(distinct(np.concatenate([first, second])))
    return Versions(name, values_shown, n_twins, int(np.count_nonzero(owner >= 0)), table.unread is not None)


def _twins(owner: IntArray, category: IntArray, start: FloatArray, end: FloatArray) -> tuple[IntArray, IntArray]:
    """Return pairs of rows of one owner and category at one place."""
    rows = np.flatnonzero(owner >= 0)
    rows = rows[np.lexsort((end[rows], start[rows], category[rows], owner[rows]))]
    first, second = rows[:-1], rows[1:]
    overlap = np.minimum(end[first], end[second]) - start[second]
    union = np.maximum(end[first], end[second]) - start[first]
    is_same = (owner[first] == owner[second]) & (category[first] == category[second])
    is_twin = is_same & (overlap >= _MIN_OVERLAP * union)
    return first[is_twin], second[is_twin]
