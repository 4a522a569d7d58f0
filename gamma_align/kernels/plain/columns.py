"""Twins of ``useful``, ``linked`` and ``ascend``: the columns worth having, their parts, and dual prices of units.

``useful`` joins candidate pairs level by level, all instances at once; ``ascend`` follows src/ascent.hpp operation by
operation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.data.batch import ranges


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    begin: IntArray
    second: IntArray
    saving: FloatArray
    keys: IntArray  # first · n_units + second, ascending

    @property
    def n_units(self) -> int:
        return len(self.begin) - 1

    def lookup(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the index of each pair, or -1 where it is not a candidate."""
        key = first * self.n_units + second
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        found: IntArray = np.where(self.keys[place] == key, place, -1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Partial:
    """Columns under construction, all of k units.

    `held` is Σ w(u, ·) of each unit within its column, shape (m, k); `saving` the sum over pairs, shape (m,).
    """

    members: IntArray
    held: FloatArray
    saving: FloatArray

    def take(self, rows: BoolArray) -> _Partial:
        return _Partial(self.members[rows], self.held[rows], self.saving[rows])


def useful(
    offsets: IntArray,
    annotator: IntArray,
    begin: IntArray,
    second: IntArray,
    saving: FloatArray,
    most: IntArray,
    free: float,
) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Return the useful columns; see `gamma_align.kernels.useful`."""
    first = np.repeat(np.arange(len(annotator)), np.diff(begin))
    pairs = _Pairs(begin, second, saving, first * len(annotator) + second)
    instance = np.repeat(np.arange(len(most)), np.diff(offsets))
    later = _later(pairs, first, annotator)
    partial = _Partial(np.stack([first, second], axis=1), np.stack([saving, saving], axis=1), saving)
    members, costs = [np.empty((0, 2), dtype=np.int64)], [np.empty(0)]
    too_many = np.zeros(len(most), dtype=np.bool_)
    while len(partial.saving):
        at = instance[partial.members[:, 0]]
        too_many |= np.bincount(at, minlength=len(most)) > most
        last = annotator[partial.members[:, -1]]
        alive = (1.0 + partial.held + later[partial.members, last[:, None]] > free).all(axis=1)
        partial = partial.take(alive & ~too_many[at])
        useful = (1.0 + partial.held > free).all(axis=1)
        members.append(partial.members[useful])
        costs.append(1.0 - partial.saving[useful])
        partial = _extended(pairs, partial)
    kept = [~too_many[instance[rows[:, 0]]] for rows in members]
    rows = [some[keep] for some, keep in zip(members, kept, strict=True)]
    sizes = np.concatenate([np.full(len(some), some.shape[1]) for some in rows])
    return (
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([some.ravel() for some in rows]),
        np.concatenate([cost[keep] for cost, keep in zip(costs, kept, strict=True)]),
        too_many.astype(np.int64),
    )


def _later(pairs: _Pairs, first: IntArray, annotator: IntArray) -> FloatArray:
    """Return S[u, a] = Σ over annotators r > a of max(0, best saving of u with a unit of r), shape (n_units, width)."""
    width = int(annotator.max(initial=0)) + 1
    best = np.zeros((pairs.n_units, width))
    np.maximum.at(best, (first, annotator[pairs.second]), pairs.saving)
    best = np.roll(best, -1, axis=1)  # S[u, a] = S[u, a + 1] + best[u, a + 1], and nothing after the last
    best[:, -1] = 0.0
    later: FloatArray = np.cumsum(best[:, ::-1], axis=1)[:, ::-1]
    return later


def _extended(pairs: _Pairs, partial: _Partial) -> _Partial:
    """Return every extension of the partial columns by one unit of a later annotator, all pairs candidates."""
    size = partial.members.shape[1]
    last = partial.members[:, -1]
    counts = pairs.begin[last + 1] - pairs.begin[last]
    row, pair = np.repeat(np.arange(len(last)), counts), ranges(pairs.begin[last], counts)
    new = pairs.second[pair]
    links = np.empty((len(row), size))
    links[:, -1] = pairs.saving[pair]
    for position in range(size - 1):
        found = pairs.lookup(partial.members[row, position], new)
        keep = found >= 0
        row, new, links = row[keep], new[keep], links[keep]
        links[:, position] = pairs.saving[found[keep]]
    gained = links[:, 0].copy()
    for position in range(1, size):
        gained += links[:, position]
    return _Partial(
        np.concatenate([partial.members[row], new[:, None]], axis=1),
        np.concatenate([partial.held[row] + links, gained[:, None]], axis=1),
        partial.saving[row] + gained,
    )


def linked(offsets: IntArray, units: IntArray, n_units: int) -> IntArray:
    """Return the part of each unit; see `gamma_align.kernels.linked`."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (scipy takes its time to import)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    first = np.repeat(units[offsets[:-1]], np.diff(offsets))
    links = csr_matrix((np.ones(len(first), dtype=np.int8), (first, units)), shape=(n_units, n_units))
    found: IntArray = connected_components(links, directed=False)[1].astype(np.int64)
    _, lowest = np.unique(found, return_index=True)
    rank = np.empty(len(lowest), dtype=np.int64)
    rank[np.argsort(lowest)] = np.arange(len(lowest))
    label: IntArray = rank[found]
    return label


def ascend(offsets: IntArray, units: IntArray, saving: FloatArray, n_units: int, passes: int) -> FloatArray:
    """Return dual prices; see `gamma_align.kernels.ascend`."""
    columns_of: list[list[int]] = [[] for _ in range(n_units)]
    column = np.repeat(np.arange(len(saving)), np.diff(offsets))
    for unit, at in zip(units.tolist(), column.tolist(), strict=True):
        columns_of[unit].append(at)
    price, gain = [0.0] * n_units, saving.tolist()
    for number in range(passes + 2):
        order = range(n_units) if number % 2 == 0 else range(n_units - 1, -1, -1)
        for unit in order:
            if columns_of[unit]:
                price[unit] = _step(columns_of[unit], gain, price[unit], tight=number >= passes)
    return np.array(price, dtype=np.float64)


def _step(columns: list[int], gain: list[float], price: float, *, tight: bool) -> float:
    """Return the new price of a unit of these columns, whose gains it changes."""
    best = second = 0.0
    for column in columns:
        here = gain[column] + price
        if here > best:
            best, second = here, best
        elif here > second:
            second = here
    new = best if tight else 0.5 * (best + second)
    change = new - price
    if change != 0.0:
        for column in columns:
            gain[column] -= change
    return new
