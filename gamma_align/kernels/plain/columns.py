"""Twins of ``sweep``, ``useful`` and ``linked``: near pairs, columns worth having, parts.

``sweep`` finds pairs by dilated intervals that overlap, all instances at once; ``useful`` joins pairs level by level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.kernels.position import sporadic

_SLACK = 1e-9
_CHUNK = 4_000_000


def sweep(
    offsets: IntArray, annotator: IntArray, start: FloatArray, end: FloatArray, most: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of units of different annotators of one instance that are near in position.

    The first unit of an instance has the least start. Pairs are near below the d_pos / Δ of `most`, shape
    (n_instances,), which is infinite for all pairs that can be aligned at all.

    Returns
    -------
    first, second : ndarray of int64, shape (n_pairs,)
        Units, that of the lower annotator first; sorted by (first, second).
    ratio : ndarray of float64, shape (n_pairs,)
        d_pos / Δ, the same digits as `gamma_align.kernels.position.sporadic`.
    """
    instance = np.repeat(np.arange(len(most)), np.diff(offsets))
    parts = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))]
    for left, right in _overlapping(offsets, instance, start, end, most):
        apart = annotator[left] != annotator[right]
        left, right = left[apart], right[apart]  # noqa: PLW2901
        swap = annotator[left] > annotator[right]
        first, second = np.where(swap, right, left), np.where(swap, left, right)
        ratio = sporadic(start[first], end[first], start[second], end[second])
        near = ratio < most[instance[first]]
        parts.append((first[near], second[near], ratio[near]))
    first, second, ratio = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((second, first))
    return first[order], second[order], ratio[order]


def _overlapping(
    offsets: IntArray, instance: IntArray, start: FloatArray, end: FloatArray, most: FloatArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield chunks of pairs whose dilated intervals overlap."""
    low, high = _dilated(offsets, instance, start, end, most)
    order = np.lexsort((low, instance))
    low, high = low[order], high[order]
    here = np.arange(len(order))
    counts = _first_beyond(low, high, offsets[instance[order] + 1]) - here - 1
    for part in _parts(counts):
        yield order[np.repeat(here[part], counts[part])], order[ranges(here[part] + 1, counts[part])]


def _dilated(
    offsets: IntArray, instance: IntArray, start: FloatArray, end: FloatArray, most: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return closed intervals that overlap wherever d_pos/Δ is below `most`; the slack is for rounding."""
    begin = start[offsets[instance]]
    from_, to = start - begin, end - begin
    middle = (from_ + to) / 2
    bounded = np.isfinite(most)
    dilation = np.sqrt(np.where(bounded, np.maximum(most, 0.0), 0.0))[instance]
    reach = dilation * (to - from_) / 2 * (1 + _SLACK) + _SLACK * np.abs(middle)
    everything = ~bounded[instance]
    middle[everything] = reach[everything] = 0.0
    return middle - reach, middle + reach


def _first_beyond(low: FloatArray, high: FloatArray, stop: IntArray) -> IntArray:
    """Return, for each row i, the first row of its instance after i whose `low` exceeds high[i]: a bisection."""
    left = np.arange(1, len(low) + 1)
    right = stop.copy()
    while True:
        open_ = np.flatnonzero(left < right)
        if not len(open_):
            return left
        middle = (left[open_] + right[open_]) // 2
        inside = low[middle] <= high[open_]
        left[open_[inside]] = middle[inside] + 1
        right[open_[~inside]] = middle[~inside]


def _parts(counts: IntArray) -> list[slice]:
    """Cut rows into slices of bounded numbers of pairs."""
    total = np.cumsum(counts)
    cuts = np.searchsorted(total, np.arange(_CHUNK, int(total[-1]) + _CHUNK if len(total) else 0, _CHUNK)) + 1
    edges = np.unique(np.concatenate([[0], np.minimum(cuts, len(counts)), [len(counts)]]))
    return [slice(a, b) for a, b in pairwise(edges.tolist())]


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
        index = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(self.keys[index] == key, index, -1)


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
    """Return every useful column of two units and more, and which instances have too many to hold.

    A *partial* column is one of candidate pairs only, each unit of it able to save more than ``free - 1`` with the
    others and the best unit of every later annotator; a *useful* one has it of the others alone. Instances with more
    than `most` extensions to one size, shape (n_instances,), are given up, with all their columns. Savings up to `free`
    are taken as none.

    Returns
    -------
    offsets, units : ndarray of int64
        The columns by size, then in the order of their units.
    cost : ndarray of float64, shape (n_columns,)
        1 - Σ w, in units of Δ; a unit's savings are summed in the order of the units, then those sums.
    too_many : ndarray of int64, shape (n_instances,)
        1 for the instances given up.
    """
    first = np.repeat(np.arange(len(annotator)), np.diff(begin))
    pairs = _Pairs(begin, second, saving, first * len(annotator) + second)
    instance = np.repeat(np.arange(len(most)), np.diff(offsets))
    later = _later(pairs, first, annotator)
    partial = _Partial(np.stack([first, second], axis=1), np.stack([saving, saving], axis=1), saving)
    members, costs = [np.empty((0, 2), dtype=np.int64)], [np.empty(0)]
    too_many = np.zeros(len(most), dtype=np.bool_)
    while len(partial.saving):
        of_instance = instance[partial.members[:, 0]]
        too_many |= np.bincount(of_instance, minlength=len(most)) > most
        last = annotator[partial.members[:, -1]]
        alive = (1.0 + partial.held + later[partial.members, last[:, None]] > free).all(axis=1)
        partial = partial.take(alive & ~too_many[of_instance])
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
    return np.cumsum(best[:, ::-1], axis=1)[:, ::-1]


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
        pair = pairs.lookup(partial.members[row, position], new)
        keep = pair >= 0
        row, new, links = row[keep], new[keep], links[keep]
        links[:, position] = pairs.saving[pair[keep]]
    gained = links[:, 0].copy()
    for position in range(1, size):
        gained += links[:, position]
    return _Partial(
        np.concatenate([partial.members[row], new[:, None]], axis=1),
        np.concatenate([partial.held[row] + links, gained[:, None]], axis=1),
        partial.saving[row] + gained,
    )


def linked(offsets: IntArray, units: IntArray, n_units: int) -> IntArray:
    """Return the part of each unit, shape (n_units,): units that columns link, directly or through other units.

    Parts are numbered in the order of their first units.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    first = np.repeat(units[offsets[:-1]], np.diff(offsets))
    links = csr_matrix((np.ones(len(first), dtype=np.int8), (first, units)), shape=(n_units, n_units))
    component = connected_components(links, directed=False)[1]
    _, lowest = np.unique(component, return_index=True)
    rank = np.empty(len(lowest), dtype=np.int64)
    rank[np.argsort(lowest)] = np.arange(len(lowest))
    return rank[component]
