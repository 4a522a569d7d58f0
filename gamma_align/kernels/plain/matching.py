"""Plain ``match``, shortest augmenting paths with dual prices, and ``rematch``, which matches parts of alignments.

Both perform the operations of src/matching.hpp and src/local.hpp in the same order.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

import numpy as np

from gamma_align.columns import FloatArray, IntArray

_MIN_JOINT_SAVING = 1e-9  # in units of Δ; smaller savings count as none, as in `useful`


def match(
    begin: IntArray, column: IntArray, saving: FloatArray, n_columns: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the matching of rows and columns with the greatest saving, and dual prices that prove it.

    Rows and columns may stay unmatched. One call may contain several instances that share no row and no column; each
    is solved as if it were alone. The edges of row i are those from begin[i] to begin[i + 1], at most one to a column;
    each has its `column` and its `saving`, which is positive.

    Returns
    -------
    edge : ndarray of int64, shape (n_rows,)
        The edge matched to each row, or -1.
    row_price, column_price : ndarray of float64, shape (n_rows,) and (n_columns,)
        Prices ≥ 0. But for rounding, no edge saves more than the prices of its two ends, a matched edge saves exactly
        as much, and unmatched rows and columns have price 0. So the sum of the prices is the greatest possible saving.

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
    """An optimal matching of the rows entered so far; the attributes are those that `match` returns."""

    def __init__(self, begin: list[int], column: list[int], saving: list[float], n_columns: int) -> None:
        self.begin = begin
        self.column = column
        self.saving = saving
        self.edge = [-1] * (len(begin) - 1)
        self.row_price = [0.0] * (len(begin) - 1)
        self.column_price = [0.0] * n_columns
        self.matched_row = [-1] * n_columns  # of each column

    def enter(self, row: int) -> None:
        """Match the row with its best column if that is free; otherwise search for an augmenting path.

        Among equally good columns, the first free one is the best.
        """
        best = 0.0
        best_edge = -1
        for e in range(self.begin[row], self.begin[row + 1]):
            column = self.column[e]
            gain = self.saving[e] - self.column_price[column]
            is_tied = gain == best and best_edge >= 0
            if gain > best or (
                is_tied and self.matched_row[self.column[best_edge]] >= 0 and self.matched_row[column] < 0
            ):
                best = gain
                best_edge = e
        if best_edge < 0:
            return
        self.row_price[row] = best
        if self.matched_row[self.column[best_edge]] < 0:
            self.edge[row] = best_edge
            self.matched_row[self.column[best_edge]] = row
        else:
            self._augment(row)

    def _augment(self, root: int) -> None:
        """Find the shortest path from `root` to a free column or to a row to be dropped; update matching and prices."""
        path = _Path(root, self.row_price[root])
        self._relax(path, root)
        while path.heap:
            length, column = path.heap[0]
            if length >= path.limit:
                break
            heappop(path.heap)
            if length > path.distance[column]:
                continue  # an outdated entry: a shorter path to the column was found later
            row = self.matched_row[column]
            path.reach[row] = length
            if length + self.row_price[row] < path.limit:
                path.limit = length + self.row_price[row]
                path.dropped = row
                path.free = -1
            self._relax(path, row)
        self._update_prices(path)
        self._flip(path)
        for row in path.reach:  # computed anew from the matched edges, so that rounding does not accumulate
            edge = self.edge[row]
            if edge >= 0:
                self.row_price[row] = max(self.saving[edge] - self.column_price[self.column[edge]], 0.0)

    def _relax(self, path: _Path, row: int) -> None:
        """Extend the search by the unmatched edges of a row."""
        price = self.row_price[row]
        reach = path.reach[row]
        matched = self.edge[row]
        for e in range(self.begin[row], self.begin[row + 1]):
            if e == matched:
                continue
            column = self.column[e]
            length = reach + max(price + self.column_price[column] - self.saving[e], 0.0)
            if length >= path.limit or length >= path.distance.get(column, inf):
                continue
            path.distance[column] = length
            path.via[column] = (e, row)
            if self.matched_row[column] < 0:
                path.limit = length
                path.free = column
            else:
                heappush(path.heap, (length, column))

    def _update_prices(self, path: _Path) -> None:
        """Change the prices of the rows reached and of their columns, so that the edges of the path become tight."""
        for row, reach in path.reach.items():
            change = path.limit - reach
            if self.edge[row] >= 0:
                self.column_price[self.column[self.edge[row]]] += change
            self.row_price[row] = max(self.row_price[row] - change, 0.0)

    def _flip(self, path: _Path) -> None:
        """Exchange the matched and the unmatched edges of the path."""
        column = path.free
        if column < 0:
            self.row_price[path.dropped] = 0.0
            if path.dropped == path.root:
                return
            column = self.column[self.edge[path.dropped]]
            self.edge[path.dropped] = -1
        while True:
            e, row = path.via[column]
            previous = self.edge[row]
            self.edge[row] = e
            self.matched_row[column] = row
            if row == path.root:
                return
            column = self.column[previous]


class _Path:
    """A search from one row.

    `reach` is the distance of each visited row, `distance` the distance of each visited column; `via` is the edge and
    the row by which a column was reached. The path ends at the column `free` or, if that is -1, by unmatching the row
    `dropped`; its length is `limit`.
    """

    __slots__ = ("distance", "dropped", "free", "heap", "limit", "reach", "root", "via")

    def __init__(self, root: int, limit: float) -> None:
        self.root = root
        self.limit = limit
        self.dropped = root
        self.free = -1
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
    """Return the labels of units after moves that cut all unitary alignments in two and match the parts optimally.

    Each pair is listed at both of its units. `label` is the unitary alignment of each unit: 0, 1, … in the order of
    their lowest units; the labels returned are numbered likewise. No move makes an alignment worse.

    `sides`, shape (n_moves * width,), contains for each move the side of each of the `width` annotators: parts of side
    0 are matched with parts of side 1. Units of annotators of side 2 must be alone, and stay alone.
    """
    unit = np.repeat(np.arange(len(label)), np.diff(begin))
    for side in sides.reshape(-1, width):
        label = _moved(unit, partner, saving, side[annotator], label)
    return label


def _moved(unit: IntArray, partner: IntArray, saving: FloatArray, side: IntArray, label: IntArray) -> IntArray:
    """Return the labels after one move; `side`, shape (n_units,), is the side of each unit."""
    n_groups = int(label.max(initial=-1)) + 1
    across = (side[unit] == 0) & (side[partner] == 1)
    key, pair = np.unique(label[unit[across]] * n_groups + label[partner[across]], return_inverse=True)
    total = np.bincount(pair, weights=saving[across], minlength=len(key))
    count = np.bincount(pair, minlength=len(key))
    row, column = np.divmod(key, max(n_groups, 1))
    sizes = [np.bincount(label[side == number], minlength=n_groups) for number in (0, 1)]
    # Two parts may be joined if all pairs between them are candidates.
    can_join = (count == sizes[0][row] * sizes[1][column]) & (1.0 + total > _MIN_JOINT_SAVING)
    column = column[can_join]
    edge, _, _ = match(np.searchsorted(row[can_join], np.arange(n_groups + 1)), column, 1.0 + total[can_join], n_groups)
    joined_to = np.arange(n_groups, 2 * n_groups)
    matched = np.flatnonzero(edge >= 0)
    joined_to[column[edge[matched]]] = matched
    new_label = np.where(side == 1, joined_to[label], label)
    _, first, dense = np.unique(new_label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first, kind="stable"), kind="stable")[dense]
