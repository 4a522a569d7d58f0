"""Set partitioning with the prices of a linear programme: the last resort, for parts that soft prices leave open.

*Local certification*: with the prices of the linear relaxation, columns of little loss are active; each part that
active columns link is searched, and loses val. A column S that is not active can be left out for good when l(S) exceeds
the sum of val over the parts it touches (taking it loses at least l(S) and saves at most those). Otherwise it is
activated, and what it links is searched again. A part too large to search is an integer programme. All columns that
could tie are active.
"""

from __future__ import annotations

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import Relaxation, incidence, packing_ip, relax
from gamma_align.alignment.search import TIE, PartSearch
from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct

_NODES, _NODES_KNOWN = 400_000, 4_000_000  # work allowed (`gamma_align.kernels.choose`)
_ACTIVE = 0.02  # columns of more loss are seldom needed
_INTEGRAL = 1e-7


def certified(columns: Columns, number: IntArray, deadline: Deadline) -> tuple[IntArray, FloatArray]:
    """Return the columns of the best choice, and shares of the units in its proven bound: see `partition`.

    After the deadline what is left is chosen greedily, and the bound shows that.
    """
    relaxed = relax(columns, len(number))
    work = _Certification(columns, relaxed, number, deadline)
    work.certify()
    return np.flatnonzero(work.chosen), 1.0 - relaxed.price + work.value


class _Certification:
    """Local certification over the columns of many instances; see the module.

    `value` is what each part must lose, at its first unit; `chosen` marks the columns of the choices that lose it.
    """

    def __init__(self, columns: Columns, relaxed: Relaxation, number: IntArray, deadline: Deadline) -> None:
        self.columns, self.relaxed, self.deadline = columns, relaxed, deadline
        self.search = PartSearch(columns, number, relaxed.price, relaxed.loss)
        self.active: BoolArray = (relaxed.loss <= _ACTIVE) | (relaxed.x > _INTEGRAL)
        self.chosen: BoolArray = np.zeros(len(columns), dtype=np.bool_)
        self.value: FloatArray = np.zeros(len(number))
        self._known: IntArray = np.full(len(number), -1)  # active columns of the part that begins there, when solved

    def certify(self) -> None:
        """Activate columns until none is left that could pay."""
        while True:
            rows = np.flatnonzero(self.active)
            part = self._solve(rows)
            new = self._violators(part)
            if not len(new) or self.deadline.over:
                break
            self.active[new] = True
        if len(new):  # no time for the last of them: claim no more than the relaxation's bound
            self.value[:] = 0.0

    def _solve(self, rows: IntArray) -> IntArray:
        """Solve the parts of the active columns `rows` that changed; return the part of each unit."""
        columns = self.columns.take(rows)
        part = kernels.linked(columns.offsets, columns.units, len(self.value))
        first = np.unique(part, return_index=True)[1]
        of_column = part[columns.first]
        size = np.bincount(of_column, minlength=len(first))
        # active columns are only ever added: a part of the same first unit and as many columns is the same
        changed = self._known[first] != size
        self._known[:] = -1
        self._known[first] = size
        self.chosen[rows[changed[of_column]]] = False
        changed_part = np.where(changed[part], part, -1)
        least, solved, chosen = self.search.choose(changed_part, np.full(len(first), _NODES), rows)
        least[~changed] = self.value[first[~changed]]
        self.value[:] = 0.0
        self.value[first] = least
        self.chosen[rows[chosen]] = True
        for label in np.flatnonzero(changed & ~solved).tolist():
            self._by_programme(rows[of_column == label], np.flatnonzero(part == label))
        return part

    def _violators(self, part: IntArray) -> IntArray:
        """Return inactive columns whose loss is within the sum of `value` over the parts they touch."""
        value = np.zeros(len(part))
        np.add.at(value, part, self.value)
        at_most = self.columns.sums(value[part])
        loss = self.relaxed.loss
        rows = np.flatnonzero(~self.active & (at_most > 0) & (at_most + TIE >= loss))
        near = self.columns.take(rows)
        touched = distinct(near.column_of * len(value) + part[near.units])
        total = np.bincount(touched // len(value), weights=value[touched % len(value)], minlength=len(rows))
        eager = rows[loss[rows] < total / 2]
        return eager if len(eager) else rows[loss[rows] <= total + TIE]

    def _by_programme(self, rows: IntArray, units: IntArray) -> None:
        """Solve a part too large to search, of these columns and units."""
        columns = self.columns.take(rows)
        saving = columns.saving
        x, at_most = packing_ip(
            incidence(columns.over(np.searchsorted(units, columns.units)), len(units)), saving, self.deadline
        )
        chosen = np.flatnonzero(x > 0.5)  # noqa: PLR2004
        quick = _greedy(columns, self.relaxed.loss[rows])  # only ever better where time ran out
        if saving[quick].sum() > saving[chosen].sum():
            chosen = quick
        price = float(self.relaxed.price[units].sum())
        self.value[units[0]] = max(price - at_most, 0.0)
        part = np.full(len(self.value), -1)
        part[units] = 0
        known = np.array([price - float(saving[chosen].sum())])
        least, solved, best = self.search.choose(part, np.array([_NODES_KNOWN]), rows, known)
        if solved[0]:  # by the tie rule, and proven once more
            self.value[units[0]], chosen = least[0], best
        self.chosen[rows[chosen]] = True


def _greedy(columns: Columns, loss: FloatArray) -> IntArray:
    """Return disjoint columns taken in the order of their losses."""
    taken: set[int] = set()
    chosen = []
    for column in np.argsort(loss, kind="stable").tolist():
        units = columns.units[columns.offsets[column] : columns.offsets[column + 1]].tolist()
        if taken.isdisjoint(units):
            taken.update(units)
            chosen.append(column)
    return np.array(chosen, dtype=np.int64)
