"""Set partitioning with the prices of a linear programme: the last resort, for parts that soft prices do not solve.

*Local certification*: at the prices of the linear relaxation, columns of small loss are active. The active columns
connect units to parts; each part is searched, and its best selection has a loss. An inactive column S is never needed
if l(S) exceeds the sum of these losses over the parts it touches: selecting it costs at least l(S) and saves at most
that sum. Otherwise S is activated, and the parts it connects are searched again. A part too large to search becomes an
integer programme. As this takes long, its next one has all columns that can be needed: those that lose no more than all
parts that columns of any loss connect to it lose together. All columns that could tie are active.
"""

from __future__ import annotations

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns, incidence
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import Relaxation, packing_ip, relax
from gamma_align.alignment.search import TIE, PartSearch
from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct

# Limits of `gamma_align.kernels.choose` for a part. Once a selection is known, the search can skip more.
_MAX_WORK = 400_000
_MAX_WORK_WITH_KNOWN_LOSS = 4_000_000
_MAX_ACTIVE_LOSS = 0.02  # in units of Δ; columns of greater loss are seldom needed
_MAX_ADDED_COLUMNS = 10_000  # to a programme at once; with more, one programme takes longer than several small ones
_MIN_FRACTION = 1e-7  # smaller values of the relaxation are 0 but for rounding
_SELECTED = 0.5  # x of the integer programme is 0 or 1


def certify(columns: Columns, canonical_index: IntArray, deadline: Deadline) -> tuple[IntArray, FloatArray]:
    """Return the columns of the best selection and a proven bound, divided among the units: see `partition`.

    After the deadline, columns are selected greedily, and the bound is accordingly lower.
    """
    relaxed = relax(columns, len(canonical_index))
    work = _Certification(columns, relaxed, canonical_index, deadline)
    work.run()
    return np.flatnonzero(work.is_selected), 1.0 - relaxed.price + work.part_loss


class _Certification:
    """Local certification of the columns of many instances; see the module.

    `part_loss`, shape (n_units,), is the least loss of each part, at its first unit; `is_selected` marks the columns of
    the selections.
    """

    def __init__(self, columns: Columns, relaxed: Relaxation, canonical_index: IntArray, deadline: Deadline) -> None:
        self.columns = columns
        self.relaxed = relaxed
        self.deadline = deadline
        self.search = PartSearch(columns, canonical_index, relaxed.price, relaxed.loss)
        self.is_active: BoolArray = (relaxed.loss <= _MAX_ACTIVE_LOSS) | (relaxed.x > _MIN_FRACTION)
        self.is_selected: BoolArray = np.zeros(len(columns), dtype=np.bool_)
        self.part_loss: FloatArray = np.zeros(len(canonical_index))
        # Units that columns of any loss connect, and whether a part of them became a programme.
        self._component = kernels.linked(columns.offsets, columns.units, len(canonical_index))
        self._is_programme = np.zeros(len(canonical_index), dtype=np.bool_)
        # Number of active columns of each solved part, at its first unit; -1 at all other units.
        self._solved_size: IntArray = np.full(len(canonical_index), -1)

    def run(self) -> None:
        """Activate columns until no inactive column can be needed."""
        while True:
            rows = np.flatnonzero(self.is_active)
            part = self._solve_parts(rows)
            violating = self._violating_columns(part)
            if not len(violating) or self.deadline.is_over:
                break
            self.is_active[violating] = True
            self.is_active[self._columns_of_programmes(violating)] = True
        if len(violating):  # stopped by the deadline: only the bound of the relaxation is proven
            self.part_loss[:] = 0.0

    def _solve_parts(self, rows: IntArray) -> IntArray:
        """Solve the parts of the active columns `rows` that changed; return the part of each unit."""
        columns = self.columns.take(rows)
        part = kernels.linked(columns.offsets, columns.units, len(self.part_loss))
        first = np.unique(part, return_index=True)[1]
        column_part = part[columns.first]
        size = np.bincount(column_part, minlength=len(first))
        # Columns are only ever activated, so a part with the same first unit and number of columns is unchanged.
        is_changed = self._solved_size[first] != size
        self._solved_size[:] = -1
        self._solved_size[first] = size
        self.is_selected[rows[is_changed[column_part]]] = False
        changed_part = np.where(is_changed[part], part, -1)
        min_loss, is_solved, selected = self.search.choose(changed_part, np.full(len(first), _MAX_WORK), rows)
        min_loss[~is_changed] = self.part_loss[first[~is_changed]]
        self.part_loss[:] = 0.0
        self.part_loss[first] = min_loss
        self.is_selected[rows[selected]] = True
        for label in np.flatnonzero(is_changed & ~is_solved).tolist():
            self._solve_by_programme(rows[column_part == label], np.flatnonzero(part == label))
        return part

    def _violating_columns(self, part: IntArray) -> IntArray:
        """Return inactive columns with a loss no greater than the total loss of the parts they touch.

        If there are columns with less than half of it, only these are returned: activating them may suffice.
        """
        part_loss = np.zeros(len(part))
        np.add.at(part_loss, part, self.part_loss)
        # A part is counted once for each unit of the column in it: an upper bound of the total, which is cheap.
        max_total = self.columns.sums(part_loss[part])
        loss = self.relaxed.loss
        rows = np.flatnonzero(~self.is_active & (max_total > 0) & (max_total + TIE >= loss))
        columns = self.columns.take(rows)
        touched = distinct(columns.column_of * len(part_loss) + part[columns.units])
        column = touched // len(part_loss)
        touched_part = touched % len(part_loss)
        total = np.bincount(column, weights=part_loss[touched_part], minlength=len(rows))
        small = rows[loss[rows] < total / 2]
        if len(small):
            return small
        return rows[loss[rows] <= total + TIE]

    def _columns_of_programmes(self, violating: IntArray) -> IntArray:
        """Return the columns that can be needed in components that have violating columns and a programme."""
        component = self._component[self.columns.first]
        loss = self.relaxed.loss
        total_loss = np.full(len(self.part_loss), -1.0)
        total = np.bincount(self._component, weights=self.part_loss)
        growing = component[violating][self._is_programme[component[violating]]]
        total_loss[growing] = total[growing]
        rows = np.flatnonzero(~self.is_active & (loss <= total_loss[component] + TIE))
        return rows if len(rows) <= _MAX_ADDED_COLUMNS else rows[:0]

    def _solve_by_programme(self, rows: IntArray, units: IntArray) -> None:
        """Solve a part too large to search, with these columns and units, by an integer programme."""
        self._is_programme[self._component[units[0]]] = True
        columns = self.columns.take(rows)
        saving = columns.saving
        matrix = incidence(columns.with_units(np.searchsorted(units, columns.units)), len(units))
        x, max_saving = packing_ip(matrix, saving, self.deadline)
        selected = np.flatnonzero(x > _SELECTED)
        greedy = _select_greedily(columns, self.relaxed.loss[rows])  # better only if the programme ran out of time
        if saving[greedy].sum() > saving[selected].sum():
            selected = greedy
        price = float(self.relaxed.price[units].sum())
        self.part_loss[units[0]] = max(price - max_saving, 0.0)
        # With a known loss the search may succeed after all: its result follows the tie rule and is proven twice.
        part = np.full(len(self.part_loss), -1)
        part[units] = 0
        loss_limit = np.array([price - float(saving[selected].sum())])
        max_work = np.array([_MAX_WORK_WITH_KNOWN_LOSS])
        min_loss, is_solved, best = self.search.choose(part, max_work, rows, loss_limit)
        if is_solved[0]:
            self.part_loss[units[0]] = min_loss[0]
            selected = best
        self.is_selected[rows[selected]] = True


def _select_greedily(columns: Columns, loss: FloatArray) -> IntArray:
    """Return disjoint columns, selected in the order of their losses."""
    covered: set[int] = set()
    selected = []
    for column in np.argsort(loss, kind="stable").tolist():
        units = columns.units[columns.offsets[column] : columns.offsets[column + 1]].tolist()
        if covered.isdisjoint(units):
            covered.update(units)
            selected.append(column)
    return np.array(selected, dtype=np.int64)
