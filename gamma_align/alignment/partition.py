"""Exact set partitioning of all instances at once, the columns at hand.

In savings form: maximise Σ s(S)·x(S) with each unit covered at most once, s(S) = |S| - cost(S). Prices y ≥ 0 that no
column beats give every column a loss l(S) = Σ y - s(S) ≥ 0, and every unit the loss y when alone; an alignment saves
Σ y less what it loses, so the one of least loss is the best, whatever the prices. Good prices make it easy to find.

1. Units that columns link make a part; parts never interact. Each is searched with prices from a few passes of dual
   ascent (`gamma_align.kernels.choose`), and if that takes too long, its columns of little loss alone: that is enough
   where they lose less together than any other column. With three annotators, and in small parts, this is all there is
   to do.
2. For the parts left: prices from the linear relaxation, in packs of whole parts.
3. *Local certification* with these prices: columns of little loss are active; each part that active columns link is
   searched, and loses val. A column S that is not active can be left out for good when l(S) exceeds the sum of val over
   the parts it touches (taking it loses at least l(S) and saves at most those). Otherwise it is activated, and what it
   links is searched again. A part too large to search is an integer programme.
4. Ties are broken by rule: all columns that could tie are active.

The tie rule
------------
Among alignments of the same disorder (to 1e-9 of Δ): the one with most unitary alignments (units that gain nothing
by standing together stay apart); among those, the one of least Σ h, where h(ă) is a fixed pseudo-random number of 24
bits made of the canonical numbers of its units (`tie_hash`). The rule looks at nothing but the instance itself, so
the choice is the same in any batch, order of rows or machine, and whichever solver found the disorder.
(In a part where so many tie that the search is given up, the integer programme's own choice stands: still the same in
any batch and order, and of the same disorder.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamma_align import kernels
from gamma_align._types import BoolArray, FloatArray, IntArray, distinct
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import Relaxation, incidence, packing_ip, relax

TIE = 1e-9  # losses that differ by no more than this (in units of Δ) are equal

_TIE_IN_PART = TIE / 10  # an instance may have several parts

# Work allowed (`gamma_align.kernels.choose`), by measured cost: about what the linear relaxation would take.
_NODES, _NODES_PER_UNIT = 10_000, 150
_NODES_CERTIFYING, _NODES_KNOWN = 400_000, 4_000_000
_PASSES = 10
_NEAR = 0.2
_ACTIVE = 0.02  # columns of more loss are seldom needed
_INTEGRAL = 1e-7


def tie_hash(columns: Columns, number: IntArray) -> IntArray:
    """Return h of each column: 24 bits, from the canonical number of each unit within its instance."""
    mixed = np.add.reduceat(splitmix(number.astype(np.uint64))[columns.units], columns.offsets[:-1])
    return _bits(mixed)


def tie_hash_alone(number: IntArray) -> IntArray:
    """Return h of each unit alone."""
    return _bits(splitmix(number.astype(np.uint64)))


def _bits(mixed: npt.NDArray[np.uint64]) -> IntArray:
    return (splitmix(mixed) >> np.uint64(40)).astype(np.int64)


def splitmix(value: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return SplitMix64's output for each state (Steele, Lea & Flood 2014)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


class _PartSearch:
    """The search over parts of some columns, at prices that none of them beats: what each unit loses alone."""

    def __init__(self, columns: Columns, number: IntArray, price: FloatArray, loss: FloatArray) -> None:
        self._price, self.loss = price, loss
        self._hash, self._alone = tie_hash(columns, number), tie_hash_alone(number)

    def choose(
        self,
        columns: Columns,
        part: IntArray,
        nodes: IntArray,
        rows: IntArray | None = None,
        known: FloatArray | None = None,
    ) -> tuple[FloatArray, BoolArray, IntArray]:
        """Return (least loss, whether solved) of each part, and the chosen ones of the columns.

        The columns are all, or those of the indices `rows`. Units of part -1 are not to be solved. `nodes` is the work
        allowed for each part, `known` a loss that some choice in it is known to reach, which spares what loses more.
        """
        loss, hash_ = (self.loss, self._hash) if rows is None else (self.loss[rows], self._hash[rows])
        known = np.full(len(nodes), np.inf) if known is None else known
        least, solved, chosen = kernels.choose(
            part, columns.offsets, columns.units, loss, self._price, hash_, self._alone, known, nodes, _TIE_IN_PART
        )
        return least, solved > 0, chosen


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The best choice of columns, ascending; units in none of them stay alone.

    `bound`, shape (n_units,), are shares of the units in a proven lower bound of the sum of costs; their sums over an
    instance count.
    """

    chosen: IntArray
    bound: FloatArray


def partition(columns: Columns, number: IntArray, deadline: Deadline) -> Partition:
    """Return the choice of disjoint columns of least cost, by the tie rule where several are.

    The columns are every useful column of two units and more; `number`, shape (n_units,), is the canonical number of
    each unit within its instance. After the deadline what is left is chosen greedily, and the bound shows that.
    """
    n_units = len(number)
    price = kernels.ascend(columns.offsets, columns.units, columns.saving, n_units, _PASSES)
    search = _PartSearch(columns, number, price, columns.losses(price))
    part = kernels.linked(columns.offsets, columns.units, n_units)
    least, solved, chosen = search.choose(columns, part, _NODES + _NODES_PER_UNIT * np.bincount(part))
    if not solved.all():
        chosen = np.concatenate([chosen, _near(columns, search, part, least, solved)])
    bound = 1.0 - price
    bound[np.unique(part, return_index=True)[1]] += least
    left = np.flatnonzero(~solved[part[columns.first]])
    if len(left):
        hard = _certified(columns.take(left), number, deadline)
        chosen = np.concatenate([chosen, left[hard.chosen]])
        units = ~solved[part]
        bound[units] = hard.bound[units]
    return Partition(np.sort(chosen), bound)


def _near(columns: Columns, search: _PartSearch, part: IntArray, least: FloatArray, solved: BoolArray) -> IntArray:
    """Solve parts that are left by their columns of little loss; note it in `least` and `solved`, return the chosen.

    Where a choice loses less than any other column does alone, it is the best.
    """
    rows = np.flatnonzero((search.loss <= _NEAR) & ~solved[part[columns.first]])
    open_part = np.where(solved[part], -1, part)
    lost, proven, chosen = search.choose(columns.take(rows), open_part, np.full(len(solved), _NODES_CERTIFYING), rows)
    proven &= ~solved & (lost + TIE < _NEAR)
    least[proven] = lost[proven]
    solved |= proven
    return rows[chosen][proven[part[columns.first[rows[chosen]]]]]


def _certified(columns: Columns, number: IntArray, deadline: Deadline) -> Partition:
    """Return the partition by linear relaxation and local certification."""
    relaxed = relax(columns, len(number))
    work = _Certification(columns, relaxed, number, deadline)
    work.certify()
    bound = 1.0 - relaxed.price
    bound += work.value
    return Partition(np.flatnonzero(work.chosen), bound)


class _Certification:
    """Local certification over the columns of many instances; see the module.

    `value` is what each part must lose, at its first unit; `chosen` marks the columns of the choices that lose it.
    """

    def __init__(self, columns: Columns, relaxed: Relaxation, number: IntArray, deadline: Deadline) -> None:
        self.columns, self.relaxed, self.deadline = columns, relaxed, deadline
        self.search = _PartSearch(columns, number, relaxed.price, relaxed.loss)
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
        least, solved, chosen = self.search.choose(columns, changed_part, np.full(len(first), _NODES_CERTIFYING), rows)
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
        least, solved, best = self.search.choose(columns, part, np.array([_NODES_KNOWN]), rows, known)
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
