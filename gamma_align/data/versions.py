"""A column that is not read and tells repeated units of an annotator apart: a version of a guideline, a round, a pass.

In JSON a key is such a column.

If the versions of one annotation are read as one, every unit has a twin of the same annotator at its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, distinct
from gamma_align.data.problem import Problems
from gamma_align.data.tables import Table, factorized, merged
from gamma_align.errors import Cure, Location, Note, Problem, Set

_MIN_OVERLAP = 0.8  # share of the union: annotators repeat their own bounds about as well
# Of the units. In corpora of people, up to 7 % of the units overlap another one of their annotator by half. A span with
# several labels has a twin of another category.
_MIN_SHARE_OF_TWINS = 0.1
_MIN_SHARE_OF_ANY_CATEGORY = 0.5
# Units of several documents, or of several parts, that are read as one overlap by chance.
_MIN_SHARE_OF_OVERLAPS = 0.15
_MIN_OVERLAPS = 8  # units: fewer overlap for reasons of their own
_MIN_TOLD_SHARE = 0.95  # of the pairs of twins: within a version an annotator repeats a unit only by a slip
_ROWS_A_VALUE = 4  # at least, on average: a column of ids or times differs in every row


class Versions(NamedTuple):
    """A column that tells repeated units apart.

    `n_twins` of `n_units` have a twin; `values` are values of the column. If the share of twins is `min_share` or more,
    the versions were hardly meant as one annotation. `is_of_file` is whether options choose rows, and
    `may_name_documents` whether no column does.
    """

    column: str
    values: tuple[str, ...]
    n_twins: int
    n_units: int
    min_share: float
    is_of_file: bool
    may_name_documents: bool

    @property
    def are_many(self) -> bool:
        """Whether so many units are repeated that the user has to say what they are."""
        return self.n_twins >= self.min_share * self.n_units

    @property
    def cause(self) -> str:
        """The fact."""
        return (
            f"{self.n_twins} of {self.n_units} units have another one of the same annotator at their place, and "
            f"{self.column!r}, which is not read, tells them apart ({', '.join(map(repr, self.values))})"
        )

    @property
    def cure(self) -> Cure:
        """How to read one version, or each as a document of its own, or all as they are."""
        if not self.is_of_file:
            return Cure(
                f"pass the rows with one value of {self.column!r}; if it tells no versions apart, leave the column out"
            )
        layer = Set("columns", {"layer": self.column})
        cure = Cure(
            "split the file by it: {} and {} read one version, {} and {} each as a document of its own; if they are no "
            "versions, {} and {} read all rows",
            layer,
            Set("layers", [self.values[-1]]),
            layer,
            Set("document", "{document}/{layer}"),
            layer,
            Set("layers", "*"),
        )
        if not self.may_name_documents:
            return cure
        document = Set("columns", {"document": self.column})
        return Cure("if it names the documents, set {}; if it tells versions apart, {}", document, cure)

    def said(self, problems: Problems, origin: str, *, may_name_annotators: bool = False) -> tuple[Note, ...]:
        """Add a problem if many units are repeated, and return a note if few are; `origin` names the table.

        If the column may name the annotators, which nothing else does, there is a note: measures need two annotators.
        """
        cure = self.cure
        if may_name_annotators:
            annotator = Set("columns", {"annotator": self.column})
            cure = Cure("if it names the annotators, set {}; if it tells versions apart, {}", annotator, cure)
        elif self.are_many:
            problems.append(Problem(Location(origin), self.cause, cure))
            return ()
        return (Note(f"{origin}: {self.cause}", cure),)


def versions(
    table: Table,
    names: Collection[str],
    units: Table,
    owner: IntArray,
    bounds: tuple[FloatArray, FloatArray],
    *,
    n_units: int | None = None,
) -> Versions | None:
    """Return the column that tells repeated units apart, ``None`` without such units or such a column.

    Parameters
    ----------
    table : Table
        The table with all columns.
    names : collection of str
        The columns that are read.
    units : Table
        The columns that are read, by our names.
    owner : ndarray of int64, shape (n_units,)
        A code for each document and annotator, negative for rows that are no units.
    bounds : two ndarrays of float64, shape (n_units,)
        Start and end.
    n_units : int, optional
        The number of units in all, if these are only units with a twin.
    """
    unread = [name for name in table.columns if name not in names]
    if not unread:
        return None
    kinds = [(*kind, True) for kind in _categories(units, owner)]
    kinds.append((kinds[-1][0], _MIN_SHARE_OF_OVERLAPS, False))
    if n_units is None:
        n_units = int(np.count_nonzero(owner >= 0))
    few = None
    for category, min_share, are_twins in kinds:
        first, second = _twins(owner, category, *bounds, are_twins=are_twins)
        n_twins = len(distinct(np.concatenate([first, second])))
        if not are_twins and n_twins < _MIN_OVERLAPS:
            continue
        # A few twins of other categories are spans with several labels.
        if not n_twins or not (n_twins >= min_share * n_units or (are_twins and category is kinds[0][0])):
            continue
        telling = _telling_apart(table, unread, first, second)
        if telling is not None:
            is_of_file = table.unread is not None
            has_documents = "document" in units.columns
            found = Versions(*telling, n_twins, n_units, min_share, is_of_file, not has_documents)
            if found.are_many:
                return found
            few = found
    return few


def repeated_rows(units: Table, owner: IntArray, bounds: tuple[FloatArray, FloatArray]) -> IntArray:
    """Return the rows that have another one of the same owner at their place; the arguments are those of `versions`."""
    pairs = [_twins(owner, category, *bounds) for category, _ in _categories(units, owner)]
    return distinct(np.concatenate([*chain.from_iterable(pairs)]))


def _categories(units: Table, owner: IntArray) -> list[tuple[IntArray, float]]:
    """Return the categories of twins, if units have categories, and one for all; each with its minimum of twins."""
    kinds = [(np.zeros_like(owner), _MIN_SHARE_OF_ANY_CATEGORY)]
    if "category" in units.columns:
        _, (category,) = merged(factorized(units, "category", nullable=True))  # a label may have several codes
        kinds.insert(0, (category, _MIN_SHARE_OF_TWINS))
    return kinds


def versions_of_parts(found: Iterable[Versions | None], n_units: int) -> Versions | None:
    """Return the column that tells units apart in parts of the data, with counts of all parts, `n_units` in all."""
    by_column: dict[str, list[Versions]] = {}
    for each in found:
        if each is not None:
            by_column.setdefault(each.column, []).append(each)
    if not by_column:
        return None
    parts = max(by_column.values(), key=lambda parts: sum(part.n_twins for part in parts))
    n_twins = sum(part.n_twins for part in parts)
    return parts[0]._replace(n_twins=n_twins, n_units=n_units, min_share=min(part.min_share for part in parts))


def _telling_apart(
    table: Table, names: Sequence[str], first: IntArray, second: IntArray
) -> tuple[str, tuple[str, ...]] | None:
    """Return the column with the fewest values that tells the rows of pairs apart, and two of its values."""
    found: list[tuple[int, str, tuple[str, ...]]] = []
    for name in names:
        column = table.unread_labels(name)
        # If cells of categories hold lists, units have other rows than the table.
        if column is None or len(column.codes) <= max(first.max(), second.max()):
            continue
        codes, labels = column
        n_values = len(distinct(codes))
        is_told = codes[first] != codes[second]
        are_few = _ROWS_A_VALUE * n_values <= max(len(codes), 2 * _ROWS_A_VALUE)
        if are_few and is_told.mean() >= _MIN_TOLD_SHARE:
            pair = int(np.argmax(is_told))
            values = sorted({int(codes[first[pair]]), int(codes[second[pair]])})
            found.append((n_values, name, tuple("" if code < 0 else labels[code] for code in values)))
    return min(found)[1:] if found else None


def _twins(
    owner: IntArray, category: IntArray, start: FloatArray, end: FloatArray, *, are_twins: bool = True
) -> tuple[IntArray, IntArray]:
    """Return pairs of rows of one owner and category at one place, or else those that overlap, but not as twins."""
    rows = np.flatnonzero(owner >= 0)
    rows = rows[np.lexsort((end[rows], start[rows], category[rows], owner[rows]))]
    first = rows[:-1]
    second = rows[1:]
    overlap = np.minimum(end[first], end[second]) - start[second]
    union = np.maximum(end[first], end[second]) - start[first]
    is_twin = (owner[first] == owner[second]) & (category[first] == category[second])
    are_same = overlap >= _MIN_OVERLAP * union
    is_twin &= are_same if are_twins else (overlap > 0) & ~are_same
    return first[is_twin], second[is_twin]
