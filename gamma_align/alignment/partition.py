"""Exact set partitioning of all instances at once, the columns at hand.

1. Components: units linked by columns. Components never interact.
2. Linear relaxation, in packs of whole components (one programme for everything is far slower).
   In savings form: maximise Σ s(S)·x(S) with each unit covered at most once, s(S) = |S| - cost(S).
   Dual prices y ≥ 0 give every column a loss l(S) = Σ y - s(S) ≥ 0, and every unit the loss y when alone.
   With two annotators this is the assignment problem, whose relaxation has integral vertices.
3. Proof. An integral component is optimal: primal = dual. Elsewhere *local certification*: columns without loss are
   active; each connected part of active columns is solved exactly and loses val. A column S that is not active can be
   left out for good when l(S) exceeds the sum of val over the parts it touches (taking it loses at least l(S) and
   saves at most those). Otherwise it is activated, and the parts it joins are solved again.
4. Ties are broken by the rule of `gamma_align.alignment.search`, over the columns without loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.alignment.lp import packing_ip
from gamma_align.alignment.relaxation import Relaxation, components, incidence, relax, savings
from gamma_align.alignment.search import TIE, Part, search, tie_hash
from gamma_align.alignment.tuples import Columns, single_columns

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.alignment.limits import Deadline

_NODES = 400
_NODES_KNOWN = 20_000
_INTEGRAL = 1e-7
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The best choice of columns; units in none of them stay alone.

    Attributes
    ----------
    chosen : ndarray of int64
        Columns, ascending.
    bound : ndarray of float64, shape (n_units,)
        Shares of the units in a proven lower bound of the sum of costs; their sums over an instance count.
    """

    chosen: IntArray
    bound: FloatArray


class _Solved(NamedTuple):
    value: float  # proven: no choice in the part loses less
    chosen: IntArray
    units: IntArray


def partition(columns: Columns, number: IntArray, deadline: Deadline) -> Partition:
    """Return the choice of disjoint columns of least cost, by the tie rule where several are.

    Parameters
    ----------
    columns : Columns
        Every useful column of two units and more.
    number : ndarray of int64, shape (n_units,)
        Canonical number of each unit within its instance.
    deadline : Deadline
        When it is over, what is left is chosen greedily, and the bound says so.
    """
    relaxed = relax(columns, len(number))
    work = _Certification(columns, relaxed, number, deadline)
    hard = work.certify()
    easy = work.active & ~np.isin(work.part[work.first], work.hard_parts)
    chosen = [part.chosen for part in hard] + [work.untied(np.flatnonzero(easy))]
    bound = 1.0 - relaxed.price
    for part in hard:
        bound[part.units[0]] += part.value
    return Partition(np.sort(np.concatenate(chosen)), bound)


class _Certification:
    """Local certification over the columns of many instances; see the module."""

    def __init__(self, columns: Columns, relaxed: Relaxation, number: IntArray, deadline: Deadline) -> None:
        self.columns, self.relaxed, self.number, self.deadline = columns, relaxed, number, deadline
        self.first = columns.first
        self.fractional = (relaxed.x > _INTEGRAL) & (relaxed.x < 1 - _INTEGRAL)
        self.active: BoolArray = (relaxed.loss <= TIE) | (relaxed.x > _INTEGRAL)
        self.part: IntArray = _NONE
        self.hard_parts: IntArray = _NONE
        self._known: dict[tuple[int, int], _Solved] = {}

    def certify(self) -> list[_Solved]:
        """Activate columns until none is left that could pay; return the parts that had to be solved."""
        hard = self.fractional.copy()
        while True:
            self.part = components(self.columns.take(self.active), len(self.number))
            self.hard_parts = np.unique(self.part[self.first[hard]])
            solved = [self._solved(members) for members in self._members(self.hard_parts)]
            value = np.zeros(len(self.number))
            value[self.hard_parts] = [part.value for part in solved]
            new = _NONE if self.deadline.over else self._violators(value)
            if not len(new):
                return self._weakened(solved, value)
            self.active[new] = True
            hard[new] = True

    def _weakened(self, solved: list[_Solved], value: FloatArray) -> list[_Solved]:
        """Where time ran out before the last violator: claim no more than the relaxation's bound."""
        if self.deadline.over and len(self._violators(value)):
            return [part._replace(value=0.0) for part in solved]
        return solved

    def _members(self, parts: IntArray) -> list[IntArray]:
        return grouped(np.flatnonzero(self.active), self.part[self.first], parts)

    def _solved(self, members: IntArray) -> _Solved:
        # active columns are only ever added: their lowest unit and their number tell a part from all others
        key = (int(self.first[members].min()), len(members))
        if key not in self._known:
            self._known[key] = self.solve_part(members)
        return self._known[key]

    def _violators(self, value: FloatArray) -> IntArray:
        """Return inactive columns whose loss is within the sum of `value` over the parts they touch."""
        if not value.any():
            return _NONE
        at_most = self.columns.sums(value[self.part])
        rows = np.flatnonzero(~self.active & (at_most > 0) & (at_most + TIE >= self.relaxed.loss))
        near = self.columns.take(rows)
        touched = np.unique(near.column_of * len(value) + self.part[near.units])
        total = np.bincount(touched // len(value), weights=value[touched % len(value)], minlength=len(rows))
        eager = rows[self.relaxed.loss[rows] < total / 2]
        return eager if len(eager) else rows[self.relaxed.loss[rows] <= total + TIE]

    def solve_part(self, members: IntArray) -> _Solved:
        """Solve one part of these columns exactly: by search, and where that is too long by integer programme."""
        columns = self.columns.take(members)
        units = np.unique(columns.units)
        of_columns, of_units = self._hashes
        hashes = (of_columns[members], of_units[units])
        part = Part.of(columns, units, self.relaxed.loss[members], self.relaxed.price[units], hashes)
        found = search(part, _NODES)
        if found is None:
            value, chosen = self._by_programme(members, columns, units)
            found = search(part, _NODES_KNOWN, value) or (value, tuple(chosen.tolist()))
        return _Solved(found[0], members[list(found[1])], units)

    @cached_property
    def _hashes(self) -> tuple[IntArray, IntArray]:
        """Tie hashes of all columns, and of all units alone."""
        return tie_hash(self.columns, self.number), tie_hash(single_columns(len(self.number)), self.number)

    def _by_programme(self, members: IntArray, columns: Columns, units: IntArray) -> tuple[float, IntArray]:
        """Return (proven least loss, chosen columns) of a part too large to search."""
        saving = savings(columns)
        rows = columns.over(np.searchsorted(units, columns.units))
        x, at_most = packing_ip(incidence(rows, len(units)), saving, self.deadline)
        chosen = np.flatnonzero(x > 0.5)  # noqa: PLR2004
        quick = greedy(columns, self.relaxed.loss[members])  # only ever better where time ran out
        if saving[quick].sum() > saving[chosen].sum():
            chosen = quick
        return max(float(self.relaxed.price[units].sum()) - at_most, 0.0), chosen

    def untied(self, members: IntArray) -> IntArray:
        """Return the choice by the tie rule among columns without loss, of which some choice loses nothing."""
        chosen = []
        single = self.relaxed.price <= TIE
        covered = np.zeros(len(self.number))
        while True:
            forced = _forced(self.columns.take(members), single)
            if not forced.any():
                break
            chosen.append(members[forced])
            covered[self.columns.take(members[forced]).units] = 1.0
            members = members[self.columns.take(members).sums(covered) == 0]
        if len(members):
            part = components(self.columns.take(members), len(self.number))
            of = part[self.first]
            chosen += [self.solve_part(group).chosen for group in grouped(members, of, np.unique(of[members]))]
        return np.concatenate([_NONE, *chosen])


def grouped(rows: IntArray, of: IntArray, groups: IntArray) -> list[IntArray]:
    """Return, for each of `groups`, those of `rows` that belong to it (`of` gives the group of any row)."""
    order = rows[np.argsort(of[rows], kind="stable")]
    begins, ends = np.searchsorted(of[order], groups), np.searchsorted(of[order], groups, side="right")
    return [order[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]


def _forced(columns: Columns, single: BoolArray) -> BoolArray:
    """Whether each column is the only way to cover one of its units without loss."""
    if not len(columns):
        return np.zeros(0, dtype=np.bool_)
    options = np.bincount(columns.units, minlength=len(single)) + single
    only = (options[columns.units] == 1).astype(np.float64)
    forced: BoolArray = np.bincount(columns.column_of, weights=only, minlength=len(columns)) > 0
    return forced


def greedy(columns: Columns, loss: FloatArray) -> IntArray:
    """Return disjoint columns taken in the order of their losses."""
    taken: set[int] = set()
    chosen = []
    for column in np.argsort(loss, kind="stable").tolist():
        units = columns.units[columns.offsets[column] : columns.offsets[column + 1]].tolist()
        if taken.isdisjoint(units):
            taken.update(units)
            chosen.append(column)
    return np.array(chosen, dtype=np.int64)
