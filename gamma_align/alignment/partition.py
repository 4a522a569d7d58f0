"""Exact set partitioning of all instances at once, from a list of columns.

In savings form: maximise Σ s(S)·x(S) with each unit covered at most once, s(S) = |S| - cost(S). Units that columns
connect form a *part*; parts do not interact. With good prices, the search of a part (`gamma_align.alignment.search`)
has to visit few states. So *soft prices* come first: prices of the dual smoothed by an entropy of decreasing width
(`gamma_align.kernels.soften`). The columns of small loss form small parts; the best selections of these lose U in
total. If U is less than the loss of any other column, they are optimal. Otherwise considering more columns may lower U,
and only columns that lose at most U can matter: the part is searched with these.

Parts that several rounds of better prices do not solve become a linear programme
(`gamma_align.alignment.certification`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.certification import certify
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.search import TIE, TIE_MARGIN, PartSearch
from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct

_MANY_COLUMNS = 5_000  # of a part; above, columns on demand are faster if there are few units
_COSTLY_COLUMNS = 50_000  # of a part; above, a bracket may be enough


class _Round(NamedTuple):
    """A round of soft prices and the searches with them.

    The prices take `steps` steps, and the width is multiplied by `ratio` after each. Columns that lose no more than the
    first of `max_losses` are searched first, then the next; `max_work` is the work allowed for a part of these, and
    `max_final_work` for a part for which a selection is known. Both are less for parts of few columns, which a linear
    programme solves soon: the work per column is then at most `work_per_column` and `final_work_per_column`.
    """

    steps: int
    ratio: float
    max_losses: tuple[float, ...]
    max_work: int
    max_final_work: int
    work_per_column: float
    final_work_per_column: float

    def limits(self, n_columns: IntArray) -> tuple[IntArray, IntArray]:
        """Return the work allowed for parts with this many columns: first for those of small loss, then for all."""
        is_few = n_columns <= _COSTLY_COLUMNS
        columns = np.maximum(n_columns, 1)  # 0 · ∞ is no number
        work, final_work = (
            _MIN_PROGRAMME_WORK + factor * columns for factor in (self.work_per_column, self.final_work_per_column)
        )
        return (
            np.where(is_few, np.minimum(work, self.max_work), self.max_work).astype(np.int64),
            np.where(is_few, np.minimum(final_work, self.max_final_work), self.max_final_work).astype(np.int64),
        )


_MIN_PROGRAMME_WORK = 20_000  # to build a linear programme takes about a millisecond, however small it is
_FIRST_WIDTH = 0.1  # of the smoothing, in units of Δ
# Each round has better prices than the one before, and takes longer. A linear programme takes as long as some 25 units
# of work for each column, so that searches of a part that the first round did not solve may take about as much.
_ROUNDS = (
    _Round(20, 0.848, (0.03, 0.2), 400_000, 4_000_000, math.inf, 50.0),
    _Round(40, 0.906, (0.2,), 1_000_000, 4_000_000, 5.0, 20.0),
    _Round(160, 0.974, (0.2,), 1_000_000, 8_000_000, 5.0, 20.0),
)

Prices = Callable[[Columns, int], FloatArray]
"""From columns and the number of units to prices."""
Search = Callable[[PartSearch, IntArray, IntArray], tuple[FloatArray, BoolArray, IntArray]]
"""From a search over columns, the part of each unit and the part of each column to the result of each part.

The result is a lower bound of the loss of each part, whether the part is finished, and the selected columns.
"""


class Partition(NamedTuple):
    """The best selection of columns, ascending; units in no selected column stay alone.

    `bound`, shape (n_units,), is a proven lower bound of the cost, divided among the units: the bound of an instance is
    the sum over its units. `open_units`, shape (n_open,), are the units of parts that were not solved, because they are
    too large for a programme.
    """

    selected: IntArray
    bound: FloatArray
    open_units: IntArray


def partition(
    columns: Columns,
    canonical_index: IntArray,
    deadline: Deadline,
    max_programme_columns: int | None = None,
    gap: float = 0.0,
    is_on_demand: BoolArray | None = None,
) -> Partition:
    """Return the selection of disjoint columns of least cost, and by the tie rule if there are several.

    Parameters
    ----------
    columns : Columns
        All useful columns of at least two units.
    canonical_index : ndarray of int64, shape (n_units,)
        Canonical index of each unit within its instance.
    deadline : Deadline
        After it, columns are selected greedily, and the bound is accordingly lower.
    max_programme_columns : int, optional
        Parts with more columns are not solved by a linear programme: if soft prices do not solve them, they stay open.
    gap : float
        If two or more rounds of soft prices do not solve a large part, a selection is accepted that is proven to cost
        no more than this share of its cost above the optimum.
    is_on_demand : ndarray of bool, shape (n_units,), optional
        Parts of these units stay open if they have many columns and the first round of soft prices does not solve them.
    """
    work = _Work(columns, canonical_index)
    part_size = np.bincount(work.column_part)[work.column_part]  # columns of the part of each column
    rows = work.remaining
    for stage in _ROUNDS:
        if len(rows) and not deadline.is_over:
            accepted_gap = 0.0 if stage is _ROUNDS[0] else gap
            search = partial(_search_near, stage=stage, gap=accepted_gap)
            work.attempt(rows, partial(_soft_prices, stage=stage), search)
        rows = work.remaining
        if is_on_demand is not None:
            rows = rows[~is_on_demand[columns.first[rows]] | (part_size[rows] <= _MANY_COLUMNS)]
    if max_programme_columns is not None:
        rows = rows[part_size[rows] <= max_programme_columns]
    if len(rows):
        selected, bound = certify(columns.take(rows), canonical_index, deadline)
        work.close(np.ones(work.n_parts, dtype=np.bool_), rows, bound, selected)
    open_units = distinct(columns.take(work.remaining).units)
    return Partition(np.flatnonzero(work.is_selected), work.bound, open_units)


class _Work:
    """Parts that are solved one after the other; `remaining` are the columns of the unsolved ones.

    `part`, shape (n_units,), is the part of each unit, `column_part`, shape (n_columns,), the part of each column.
    """

    def __init__(self, columns: Columns, canonical_index: IntArray) -> None:
        self._columns = columns
        self._canonical_index = canonical_index
        self.part = kernels.linked(columns.offsets, columns.units, len(canonical_index))
        self.column_part = self.part[columns.first]
        self._first = np.unique(self.part, return_index=True)[1]
        self.remaining = np.arange(len(columns))
        self.is_selected = np.zeros(len(columns), dtype=np.bool_)
        self.bound = np.ones(len(canonical_index))

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self._first)

    def attempt(self, rows: IntArray, prices: Prices, search: Search) -> None:
        """Price and search these columns, which must be all columns of their parts; close the parts that are solved."""
        if not len(rows):
            return
        columns = self._columns
        column_part = self.column_part
        if len(rows) < len(columns):
            columns = columns.take(rows)
            column_part = column_part[rows]
        price = prices(columns, len(self._canonical_index))
        work = PartSearch(columns, self._canonical_index, price, columns.losses(price))
        min_loss, is_solved, selected = search(work, self.part, column_part)
        bound = 1.0 - price
        bound[self._first] += min_loss
        self.close(is_solved, rows, bound, selected)

    def close(self, is_solved: BoolArray, rows: IntArray, bound: FloatArray, selected: IntArray) -> None:
        """Store the selected columns, indices into `rows`, and the bound of the solved parts."""
        is_done = is_solved & (np.bincount(self.column_part[rows], minlength=self.n_parts) > 0)
        if not is_done.any():
            return
        units = np.flatnonzero(is_done[self.part])
        self.bound[units] = bound[units]
        self.is_selected[rows[selected]] = True
        self.remaining = self.remaining[~is_done[self.column_part[self.remaining]]]


def _soft_prices(columns: Columns, n_units: int, *, stage: _Round) -> FloatArray:
    """Return soft prices of the units from these columns, with the widths and steps of a round."""
    arrays = (columns.offsets, columns.units, columns.saving, np.zeros(n_units))
    prices: FloatArray = kernels.soften(*arrays, _FIRST_WIDTH, stage.ratio, stage.steps)
    return prices


def _search_near(
    work: PartSearch, part: IntArray, column_part: IntArray, *, stage: _Round, gap: float
) -> tuple[FloatArray, BoolArray, IntArray]:
    """Search columns of small loss, then all columns that lose no more than the best selection of these."""
    search = NearSearch(work, part, column_part)
    max_near_work, max_final_work = stage.limits(np.bincount(column_part, minlength=int(part.max(initial=-1)) + 1))
    for max_loss in stage.max_losses:
        search.search(max_loss, max_near_work)
    has_selection = np.isfinite(search.min_loss)
    is_solved = search.is_solved
    near_selected = search.selected
    min_loss = np.where(has_selection, search.min_loss, 0.0)
    is_pending = has_selection & ~is_solved
    if not is_pending.any():
        return min_loss, is_solved, near_selected[is_solved[column_part[near_selected]]]
    loss_limit = np.where(is_pending, min_loss + TIE_MARGIN, -1.0)  # -1: no columns of the other parts
    rows = np.flatnonzero(work.loss <= loss_limit[column_part])
    final_loss, is_proven, final_selected = work.choose(
        np.where(is_pending[part], part, -1), max_final_work, rows, loss_limit
    )
    is_proven &= is_pending
    min_loss[is_proven] = final_loss[is_proven]
    is_costly = np.bincount(column_part, minlength=len(min_loss)) > _COSTLY_COLUMNS
    is_near_enough = min_loss <= gap * (work.bounds(part) + min_loss)
    is_accepted = is_pending & ~is_proven & is_costly & is_near_enough
    min_loss[is_accepted] = np.minimum(min_loss, search.max_loss)[is_accepted]  # a proven bound
    final_selected = rows[final_selected]
    from_near = near_selected[(is_solved | is_accepted)[column_part[near_selected]]]
    from_final = final_selected[is_proven[column_part[final_selected]]]
    return min_loss, is_solved | is_proven | is_accepted, np.concatenate([from_near, from_final])


class NearSearch:
    """The best selections of columns of small loss.

    `min_loss` is the loss of the selection of each part, infinite before one is known. It is the best selection of the
    columns that lose no more than `max_loss`; `is_solved` tells if it is the best of all columns.
    """

    def __init__(self, work: PartSearch, part: IntArray, column_part: IntArray) -> None:
        self._work = work
        self._part = part
        self._column_part = column_part
        n_parts = int(part.max(initial=-1)) + 1
        self.min_loss = np.full(n_parts, np.inf)
        self.is_solved = np.zeros(n_parts, dtype=np.bool_)
        self.max_loss = np.zeros(n_parts)
        self.selected = np.zeros(0, dtype=np.int64)
        self._small_part_loss = np.full(len(part), np.inf)  # at the first unit of each small part

    def search(self, max_loss: float, max_work: IntArray) -> None:
        """Search the columns that lose no more than `max_loss`, in the parts that are not solved.

        `max_work` is the work allowed for each of the small parts that a part is divided into.
        """
        part = self._part
        column_part = self._column_part
        is_open = ~self.is_solved
        if not is_open.any():
            return
        rows = np.flatnonzero(self._work.loss <= np.where(is_open, max_loss, -1.0)[column_part])
        near_columns = self._work.columns.take(rows)
        # Columns of small loss divide the parts into small parts, which are searched separately.
        small_part = kernels.linked(near_columns.offsets, near_columns.units, len(part))
        first = np.unique(small_part, return_index=True)[1]
        loss_limit: FloatArray = np.bincount(small_part, weights=self._small_part_loss).astype(np.float64) + TIE_MARGIN
        loss, is_proven, selected = self._work.choose(
            np.where(is_open[part], small_part, -1), max_work[part[first]], rows, loss_limit
        )
        is_unproven = np.bincount(part[first], weights=~is_proven, minlength=len(is_open)) > 0
        is_improved = is_open & ~is_unproven
        unit_loss = np.zeros(len(part))
        unit_loss[first] = loss
        self._small_part_loss = np.where(is_improved[part], unit_loss, self._small_part_loss)
        self.min_loss[is_improved] = np.bincount(part, weights=unit_loss, minlength=len(is_open))[is_improved]
        self.max_loss[is_improved] = max_loss
        selected = rows[selected]
        unchanged = self.selected[~is_improved[column_part[self.selected]]]
        self.selected = np.concatenate([unchanged, selected[is_improved[column_part[selected]]]])
        self.is_solved |= is_improved & (self.min_loss + TIE < max_loss)
