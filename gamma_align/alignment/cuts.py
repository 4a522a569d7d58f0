"""Subset-row cuts: fewer columns left to choose from where the linear relaxation leaves a gap (Jepsen et al. 2008).

Of the columns that hold two or three of any three units, an alignment has one at most. The relaxation may have more in
parts; with such cuts added where it does, it comes nearer to the best alignment, and the columns that lose more than
what is still open can be left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import Master, best_of_each, incidence
from gamma_align.alignment.search import TIE
from gamma_align.columns import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_ROUNDS = 30
_CUTS = 60  # of one round
_PER_UNIT = 10  # columns to begin with
_MORE = 5
_GAIN = 1e-9
_FRACTION = 1e-6
_VIOLATED = 1e-3
_ROWS = 80  # of a fractional part: C(80, 3) triples


def contenders(columns: Columns, price: FloatArray, known: float, deadline: Deadline) -> BoolArray:
    """Return which columns an alignment that saves as much as `known` may hold: what is known by the deadline.

    The columns are of one instance; none of them beats the prices, shape (n_units,). Some alignment is known to save
    `known`, in units of Δ.
    """
    work = _Cutting(columns, price, known)
    for _ in range(_ROUNDS):
        work.solve()
        if deadline.over or not work.cut():
            break
    return work.open


class _Cutting:
    """The relaxation of explicit columns, with cuts; only the columns its prices ask for are in the programme."""

    def __init__(self, columns: Columns, price: FloatArray, known: float) -> None:
        self.columns, self.known, self.saving = columns, known, columns.saving
        self.table: csr_matrix[np.float64] = incidence(columns, len(price)).T.tocsr()  # columns x units
        self.open: BoolArray = np.ones(len(columns), dtype=np.bool_)
        self.held: list[IntArray] = []  # for each cut, the columns that hold two and more of its units
        self.master = Master(len(price))
        self.inside = np.empty(0, dtype=np.int64)
        self.seen: set[tuple[int, ...]] = set()
        loss = columns.sums(price) - self.saving
        self._add(best_of_each(columns.first, -loss, _PER_UNIT))

    def solve(self) -> None:
        """Solve the relaxation over the open columns; close those that lose more than is open."""
        while True:
            price, cut_price = self.master.solve()
            loss = self.columns.sums(price) - self.saving
            for held, cost in zip(self.held, cut_price.tolist(), strict=True):
                loss[held] += cost
            short = np.flatnonzero(self.open & (loss < -_GAIN))
            if not len(short):
                break
            self._add(short[best_of_each(self.columns.first[short], -loss[short], _MORE)])
        bound = float(price.sum() + cut_price.sum()) + len(price) * _GAIN
        self.open &= loss <= bound - self.known + TIE

    def _add(self, columns: IntArray) -> None:
        number = np.full(len(self.columns), -1)
        number[columns] = np.arange(len(columns))
        cuts = [(cut, number[held][number[held] >= 0]) for cut, held in enumerate(self.held)]
        self.master.add(self.columns.take(columns), self.saving[columns], cuts)
        self.inside = np.concatenate([self.inside, columns])

    def cut(self) -> bool:
        """Add the cuts that the relaxation's fractions violate most; return whether there are any."""
        x = self.master.values()
        some = (x > _FRACTION) & (x < 1.0 - _FRACTION)
        violated = [cut for part in self._parts(self.inside[some]) for cut in self._violated(part, x)]
        new = [triple for _, triple in sorted(violated, reverse=True) if triple not in self.seen][:_CUTS]
        for triple in new:
            self.seen.add(triple)
            marks = np.zeros(self.table.shape[1])
            marks[list(triple)] = 1.0
            held = np.flatnonzero(np.asarray(self.table @ marks) > 1.0)
            self.held.append(held)
            self.master.cut(np.flatnonzero(np.isin(self.inside, held)))
        return bool(new)

    def _parts(self, fractional: IntArray) -> list[IntArray]:
        """Return the fractional columns, as indices into `inside`, by the parts they link."""
        columns = self.columns.take(fractional)
        label = kernels.linked(columns.offsets, columns.units, self.table.shape[1])[columns.first]
        index = np.flatnonzero(np.isin(self.inside, fractional))
        order = np.argsort(label, kind="stable")
        return np.split(index[order], np.flatnonzero(np.diff(label[order])) + 1) if len(order) else []

    def _violated(self, part: IntArray, x: FloatArray) -> list[tuple[float, tuple[int, ...]]]:
        """Return (violation, units) of the triples of a part of which columns hold more than one in sum."""
        table = self.table[self.inside[part]]
        units = np.unique(table.indices)[:_ROWS]
        held = table[:, units].toarray()
        weighted = held * x[part][:, None]
        pairs = weighted.T @ held
        violated = set()
        for i, j in zip(*np.nonzero(np.triu(pairs, 1) > _FRACTION), strict=True):
            both = weighted[:, i] * held[:, j]
            excess = pairs[i, j] + pairs[i] + pairs[j] - 2.0 * (both @ held) - 1.0
            for k in np.flatnonzero(excess > _VIOLATED).tolist():
                if k not in {i, j}:
                    violated.add((float(excess[k]), tuple(sorted(units[[i, j, k]].tolist()))))
        return sorted(violated, reverse=True)[:_CUTS]
