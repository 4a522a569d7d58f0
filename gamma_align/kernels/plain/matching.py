"""Twins of ``match`` (shortest augmenting paths with dual prices) and of ``rematch`` (matching what was cut).

Both follow src/matching.hpp and src/local.hpp operation by operation.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

import numpy as np

from gamma_align.columns import FloatArray, IntArray

_WORTH_JOINING = 1e-9


def match(
    begin: IntArray, column: IntArray, saving: FloatArray, n_columns: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the matching of rows and columns of greatest saving, and dual prices that prove it.

    Rows and columns may stay unmatched. Any number of instances that share no row or column are solved in one call;
    each is solved as if it were alone. The edges of a row, at most one to a column, are those from its entry of
    `begin`, shape (n_rows + 1,), on; each has its `column` and its `saving`, above 0.

    Returns
    -------
    edge : ndarray of int64, shape (n_rows,)
        The edge matched to each row, or -1.
    row_price, column_price : ndarray of float64, shape (n_rows,) and (n_columns,)
        Prices ≥ 0 of which, but for rounding, no edge saves more than the two of its ends, those matched exactly as
        much; 0 for what is not matched. So their sum is the greatest saving there can be.

    References
    ----------
    Successive shortest paths with potentials: Ahuja, Magnanti & Orlin 1993, §12.4.
    """
    matching = _Matching(begin.tolist(), column.tolist(), saving.tolist(), n_columns)
    for row in range(len(begin) - 1):
        matching.enter(row)
    return (
        np.array(matching.edge, dtype=np.int64),
        np.array(matching.row_price, dtype=np.float64),
        np.array(matching.column_price, dtype=np.float64),
    )


class _Matching:
    def __init__(self, begin: list[int], column: list[int], saving: list[float], n_columns: int) -> None:
        self.begin, self.column, self.saving = begin, column, saving
        self.edge = [-1] * (len(begin) - 1)
        self.row_price = [0.0] * (len(begin) - 1)
        self.column_price = [0.0] * n_columns
        self.row_of = [-1] * n_columns

    def enter(self, row: int) -> None:
        """Give the row its best column if that is free, a free one first among equals; otherwise search a path."""
        best, best_edge = 0.0, -1
        for e in range(self.begin[row], self.begin[row + 1]):
            column = self.column[e]
            gain = self.saving[e] - self.column_price[column]
            tied = gain == best and best_edge >= 0
            if gain > best or (tied and self.row_of[self.column[best_edge]] >= 0 and self.row_of[column] < 0):
                best, best_edge = gain, e
        if best_edge < 0:
            return
        self.row_price[row] = best
        if self.row_of[self.column[best_edge]] < 0:
            self.edge[row] = best_edge
            self.row_of[self.column[best_edge]] = row
        else:
            self._search(row)

    def _search(self, root: int) -> None:
        path = _Path(root, self.row_price[root])
        self._relax(path, root)
        while path.heap:
            length, column = path.heap[0]
            if length >= path.limit:
                break
            heappop(path.heap)
            if length > path.distance[column]:
                continue
            row = self.row_of[column]
            path.reach[row] = length
            if length + self.row_price[row] < path.limit:
                path.limit, path.dropped, path.free = length + self.row_price[row], row, -1
            self._relax(path, row)
        self._reprice(path)
        self._flip(path)
        for row in path.reach:
            edge = self.edge[row]
            if edge >= 0:
                self.row_price[row] = max(self.saving[edge] - self.column_price[self.column[edge]], 0.0)

    def _relax(self, path: _Path, row: int) -> None:
        price, reach, matched = self.row_price[row], path.reach[row], self.edge[row]
        for e in range(self.begin[row], self.begin[row + 1]):
            if e == matched:
                continue
            column = self.column[e]
            length = reach + max(price + self.column_price[column] - self.saving[e], 0.0)
            if length >= path.limit or length >= path.distance.get(column, inf):
                continue
            path.distance[column] = length
            path.via[column] = (e, row)
            if self.row_of[column] < 0:
                path.limit, path.free = length, column
            else:
                heappush(path.heap, (length, column))

    def _reprice(self, path: _Path) -> None:
        for row, reach in path.reach.items():
            change = path.limit - reach
            if self.edge[row] >= 0:
                self.column_price[self.column[self.edge[row]]] += change
            self.row_price[row] = max(self.row_price[row] - change, 0.0)

    def _flip(self, path: _Path) -> None:
        column = path.free
        if column < 0:
            self.row_price[path.dropped] = 0.0
            if path.dropped == path.root:
                return
            column = self.column[self.edge[path.dropped]]
            self.edge[path.dropped] = -1
        while True:
            e, row = path.via[column]
            before = self.edge[row]
            self.edge[row] = e
            self.row_of[column] = row
            if row == path.root:
                return
            column = self.column[before]


class _Path:
    """A search from one row: how far rows and columns are, and where the path may end."""

    __slots__ = ("distance", "dropped", "free", "heap", "limit", "reach", "root", "via")

    def __init__(self, root: int, limit: float) -> None:
        self.root, self.limit = root, limit
        self.dropped, self.free = root, -1
        self.reach = {root: 0.0}
        self.distance: dict[int, float] = {}
        self.via: dict[int, tuple[int, int]] = {}
        self.heap: list[tuple[float, int]] = []


def rematch(
    begin: IntArray,
    partner: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    label: IntArray,
    sides: IntArray,
    width: int,
) -> IntArray:
    """Return the labels of units after moves that cut all unitary alignments in two and match the parts at best.

    Each pair stands at both of its units. `label` is the unitary alignment of each unit: 0, 1, … in the order of their
    lowest units; the labels returned are numbered likewise. No move makes an alignment worse.

    `sides`, shape (n_moves * width,), has for each move the side of each of the `width` annotators: parts of side 0 are
    matched with those of side 1; units of annotators of side 2, which must stand alone, are left so.
    """
    unit = np.repeat(np.arange(len(label)), np.diff(begin))
    for side in sides.reshape(-1, width):
        label = _moved(unit, partner, saving, side[annotator], label)
    return label


def _moved(unit: IntArray, partner: IntArray, saving: FloatArray, side: IntArray, label: IntArray) -> IntArray:
    groups = int(label.max(initial=-1)) + 1
    across = (side[unit] == 0) & (side[partner] == 1)
    key, pair = np.unique(label[unit[across]] * groups + label[partner[across]], return_inverse=True)
    total = np.bincount(pair, weights=saving[across], minlength=len(key))
    count = np.bincount(pair, minlength=len(key))
    row, column = np.divmod(key, max(groups, 1))
    sizes = [np.bincount(label[side == number], minlength=groups) for number in (0, 1)]
    joins = (count == sizes[0][row] * sizes[1][column]) & (1.0 + total > _WORTH_JOINING)
    column = column[joins]
    edge, _, _ = match(np.searchsorted(row[joins], np.arange(groups + 1)), column, 1.0 + total[joins], groups)
    joined_to = np.arange(groups, 2 * groups)
    matched = np.flatnonzero(edge >= 0)
    joined_to[column[edge[matched]]] = matched
    now = np.where(side == 1, joined_to[label], label)
    _, first, dense = np.unique(now, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first, kind="stable"), kind="stable")[dense]
