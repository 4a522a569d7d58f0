"""Twins of ``match`` (shortest augmenting paths with dual prices) and of ``rematch`` (matching what was cut).

Both follow src/matching.hpp and src/local.hpp operation by operation.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

import numpy as np

from gamma_align._types import FloatArray, IntArray

_WORTH_JOINING = 1e-9


def match(
    begin: IntArray, column: IntArray, saving: FloatArray, n_columns: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return a matching of greatest saving; see `gamma_align.kernels.match`."""
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
        best, at = 0.0, -1
        for e in range(self.begin[row], self.begin[row + 1]):
            column = self.column[e]
            gain = self.saving[e] - self.column_price[column]
            if gain > best or (
                gain == best and at >= 0 and self.row_of[self.column[at]] >= 0 and self.row_of[column] < 0
            ):
                best, at = gain, e
        if at < 0:
            return
        self.row_price[row] = best
        if self.row_of[self.column[at]] < 0:
            self.edge[row] = at
            self.row_of[self.column[at]] = row
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
    other: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    label: IntArray,
    sides: IntArray,
    width: int,
) -> IntArray:
    """Return the labels after these moves; see `gamma_align.kernels.rematch`."""
    unit = np.repeat(np.arange(len(label)), np.diff(begin))
    for side in sides.reshape(-1, width):
        label = _moved(unit, other, saving, side[annotator], label)
    return label


def _moved(unit: IntArray, other: IntArray, saving: FloatArray, side: IntArray, label: IntArray) -> IntArray:
    groups = int(label.max(initial=-1)) + 1
    across = (side[unit] == 0) & (side[other] == 1)
    key, place = np.unique(label[unit[across]] * groups + label[other[across]], return_inverse=True)
    total = np.bincount(place, weights=saving[across], minlength=len(key))
    count = np.bincount(place, minlength=len(key))
    one, two = np.divmod(key, max(groups, 1))
    of_side = [np.bincount(label[side == which], minlength=groups) for which in (0, 1)]
    joins = (count == of_side[0][one] * of_side[1][two]) & (1.0 + total > _WORTH_JOINING)
    column = two[joins]
    edge, _, _ = match(np.searchsorted(one[joins], np.arange(groups + 1)), column, 1.0 + total[joins], groups)
    partner = np.arange(groups, 2 * groups)
    row = np.flatnonzero(edge >= 0)
    partner[column[edge[row]]] = row
    now = np.where(side == 1, partner[label], label)
    _, first, dense = np.unique(now, return_index=True, return_inverse=True)
    numbered: IntArray = np.argsort(np.argsort(first, kind="stable"), kind="stable")[dense]
    return numbered
