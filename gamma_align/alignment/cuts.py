"""Subset-row cuts: they exclude columns if the linear relaxation has a gap (Jepsen et al. 2008).

Of the columns that contain at least two of three given units, an alignment has at most one. The relaxation may select
more in fractions. Cuts added for the triples that it violates raise its bound towards the best alignment, and columns
that lose more than the remaining gap are excluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import Master, best_of_groups, incidence
from gamma_align.alignment.search import TIE
from gamma_align.columns import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_MAX_ROUNDS = 30  # of cuts
_MAX_CUTS_PER_ROUND = 60
_FIRST_COLUMNS_PER_UNIT = 10  # of the programme
_NEW_COLUMNS_PER_UNIT = 5  # added to the programme at once
_MIN_GAIN = 1e-9  # in units of Δ; smaller gains may be rounding errors of GLOP
_MIN_FRACTION = 1e-6  # x nearer than this to 0 or 1 is an integer but for rounding
_MIN_VIOLATION = 1e-3  # of a cut that is added
_MAX_UNITS_OF_PART = 80  # searched in a fractional part: C(80, 3) triples
_MIN_UNITS_OF_TRIPLE = 2  # that a column of a cut contains


def contenders(columns: Columns, price: FloatArray, known_saving: float, deadline: Deadline) -> BoolArray:
    """Return a mask of the columns that an alignment that saves at least `known_saving` may contain.

    All columns belong to one instance, and none of them beats the prices, shape (n_units,). `known_saving`, in
    units of Δ, is reached by a known alignment. After the deadline, the columns excluded so far are returned.
    """
    work = _Cutting(columns, price, known_saving)
    for _ in range(_MAX_ROUNDS):
        work.solve()
        if deadline.is_over or not work.add_cuts():
            break
    return work.is_open


class _Cutting:
    """The relaxation of listed columns, with cuts; the programme contains only the columns that its prices require.

    `is_open` marks the columns that are not excluded, `inside` are the columns of the programme, and `cut_columns` has
    the columns of each cut.
    """

    def __init__(self, columns: Columns, price: FloatArray, known_saving: float) -> None:
        self.columns, self.known_saving, self.saving = columns, known_saving, columns.saving
        self.table: csr_matrix[np.float64] = incidence(columns, len(price)).T.tocsr()  # columns × units
        self.is_open: BoolArray = np.ones(len(columns), dtype=np.bool_)
        self.cut_columns: list[IntArray] = []
        self.master = Master(len(price))
        self.inside = np.empty(0, dtype=np.int64)
        self.triples: set[tuple[int, ...]] = set()  # of all cuts
        loss = columns.sums(price) - self.saving
        self._add_columns(best_of_groups(columns.first, -loss, _FIRST_COLUMNS_PER_UNIT))

    def solve(self) -> None:
        """Solve the relaxation of the open columns, and exclude columns that lose more than its gap."""
        while True:
            price, cut_price = self.master.solve()
            loss = self.columns.sums(price) - self.saving
            for columns, cost in zip(self.cut_columns, cut_price.tolist(), strict=True):
                loss[columns] += cost
            gaining = np.flatnonzero(self.is_open & (loss < -_MIN_GAIN))
            if not len(gaining):
                break
            best = best_of_groups(self.columns.first[gaining], -loss[gaining], _NEW_COLUMNS_PER_UNIT)
            self._add_columns(gaining[best])
        bound = float(price.sum() + cut_price.sum()) + len(price) * _MIN_GAIN
        self.is_open &= loss <= bound - self.known_saving + TIE

    def _add_columns(self, columns: IntArray) -> None:
        """Add columns to the programme, and to the cuts that contain them."""
        position = np.full(len(self.columns), -1)
        position[columns] = np.arange(len(columns))
        cuts = []
        for cut, cut_columns in enumerate(self.cut_columns):
            positions = position[cut_columns]
            cuts.append((cut, positions[positions >= 0]))
        self.master.add(self.columns.take(columns), self.saving[columns], cuts)
        self.inside = np.concatenate([self.inside, columns])

    def add_cuts(self) -> bool:
        """Add the cuts that the relaxation violates most; return whether any were added."""
        x = self.master.values()
        is_fractional = (x > _MIN_FRACTION) & (x < 1.0 - _MIN_FRACTION)
        violated: list[tuple[float, tuple[int, ...]]] = []
        for part in self._parts(self.inside[is_fractional]):
            violated += self._violated_triples(part, x)
        new = [triple for _, triple in sorted(violated, reverse=True) if triple not in self.triples]
        new = new[:_MAX_CUTS_PER_ROUND]
        for triple in new:
            self.triples.add(triple)
            marks = np.zeros(self.table.shape[1])
            marks[list(triple)] = 1.0
            columns = np.flatnonzero(np.asarray(self.table @ marks) >= _MIN_UNITS_OF_TRIPLE)
            self.cut_columns.append(columns)
            self.master.cut(np.flatnonzero(np.isin(self.inside, columns)))
        return bool(new)

    def _parts(self, fractional: IntArray) -> list[IntArray]:
        """Return the fractional columns of each part that they connect, as indices into `inside`."""
        columns = self.columns.take(fractional)
        label = kernels.linked(columns.offsets, columns.units, self.table.shape[1])[columns.first]
        index = np.flatnonzero(np.isin(self.inside, fractional))
        order = np.argsort(label, kind="stable")
        if not len(order):
            return []
        return np.split(index[order], np.flatnonzero(np.diff(label[order])) + 1)

    def _violated_triples(self, part: IntArray, x: FloatArray) -> list[tuple[float, tuple[int, ...]]]:
        """Return (violation, units) of the violated triples of a part, the most violated first.

        A triple is violated if the sum of x over the columns with at least two of its units exceeds 1.
        """
        table = self.table[self.inside[part]]
        units = np.unique(table.indices)[:_MAX_UNITS_OF_PART]
        contains = table[:, units].toarray()
        weighted = contains * x[part][:, None]
        pairs = weighted.T @ contains  # Σ x of the columns that contain both units
        violated: dict[tuple[int, ...], float] = {}
        for i, j in zip(*np.nonzero(np.triu(pairs, 1) > _MIN_FRACTION), strict=True):
            # Columns with all three units are counted in all three pairs: two of them are subtracted.
            pair_weight = weighted[:, i] * contains[:, j]
            excess = pairs[i, j] + pairs[i] + pairs[j] - 2.0 * (pair_weight @ contains) - 1.0
            for k in np.flatnonzero(excess > _MIN_VIOLATION).tolist():
                if k not in {i, j}:
                    # A triple is found from each of its pairs, with sums that may differ by rounding.
                    violated.setdefault(tuple(sorted(units[[i, j, k]].tolist())), float(excess[k]))
        return sorted(((value, triple) for triple, value in violated.items()), reverse=True)[:_MAX_CUTS_PER_ROUND]
