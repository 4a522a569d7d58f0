"""Plain ``sweep``, ``count_near``, ``useful`` and ``linked``: pairs of near units, useful columns, and parts.

``sweep`` finds pairs by the overlap of dilated intervals, for all instances at once; ``useful`` builds columns of
k + 1 units from columns of k units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.kernels.position import sporadic

_ROUNDING_SLACK = 1e-9  # relative; intervals are widened so that rounding excludes no pair
_CHUNK_PAIRS = 4_000_000  # bounds the memory


def sweep(
    offsets: IntArray, annotator: IntArray, start: FloatArray, end: FloatArray, limit: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of units of different annotators of one instance that are near in position.

    The first unit of an instance has the lowest start. A pair is near if its d_pos / Δ is below the `limit` of its
    instance, shape (n_instances,). An infinite limit selects all pairs that can be aligned at all.

    Returns
    -------
    first, second : ndarray of int64, shape (n_pairs,)
        The units, the lower annotator first; sorted by (first, second).
    ratio : ndarray of float64, shape (n_pairs,)
        d_pos / Δ, with the same bits as `gamma_align.kernels.position.sporadic`.
    """
    instance = np.repeat(np.arange(len(limit)), np.diff(offsets))
    chunks = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))]
    for earlier, later in _overlapping(offsets, instance, start, end, limit):
        chunks.append(_near_pairs(earlier, later, instance, annotator, start, end, limit))
    first, second, ratio = (np.concatenate(arrays) for arrays in zip(*chunks, strict=True))
    order = np.lexsort((second, first))
    return first[order], second[order], ratio[order]


def count_near(
    offsets: IntArray, annotator: IntArray, start: FloatArray, end: FloatArray, limit: FloatArray
) -> IntArray:
    """Return the number of pairs that `sweep` finds in each instance, shape (n_instances,), without listing them."""
    instance = np.repeat(np.arange(len(limit)), np.diff(offsets))
    counts = np.zeros(len(limit), dtype=np.int64)
    for earlier, later in _overlapping(offsets, instance, start, end, limit):
        first, _, _ = _near_pairs(earlier, later, instance, annotator, start, end, limit)
        counts += np.bincount(instance[first], minlength=len(limit))
    return counts


def _near_pairs(
    earlier: IntArray,
    later: IntArray,
    instance: IntArray,
    annotator: IntArray,
    start: FloatArray,
    end: FloatArray,
    limit: FloatArray,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return first, second and ratio of the near pairs among candidates, as `sweep` but not sorted."""
    differs = annotator[earlier] != annotator[later]
    earlier = earlier[differs]
    later = later[differs]
    swap = annotator[earlier] > annotator[later]
    first = np.where(swap, later, earlier)
    second = np.where(swap, earlier, later)
    ratio = sporadic(start[first], end[first], start[second], end[second])
    is_near = ratio < limit[instance[first]]
    return first[is_near], second[is_near], ratio[is_near]


def _overlapping(
    offsets: IntArray, instance: IntArray, start: FloatArray, end: FloatArray, limit: FloatArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield chunks of the pairs whose dilated intervals overlap."""
    low, high = _dilated(offsets, instance, start, end, limit)
    order = np.lexsort((low, instance))
    low = low[order]
    high = high[order]
    row = np.arange(len(order))
    counts = _first_beyond(low, high, offsets[instance[order] + 1]) - row - 1
    for chunk in _chunks(counts):
        yield order[np.repeat(row[chunk], counts[chunk])], order[ranges(row[chunk] + 1, counts[chunk])]


def _dilated(
    offsets: IntArray, instance: IntArray, start: FloatArray, end: FloatArray, limit: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return closed intervals that overlap if d_pos / Δ is below the limit.

    d_pos / Δ < limit implies |Δmiddle| < √limit · (sum of lengths) / 2.
    """
    origin = start[offsets[instance]]
    low = start - origin
    high = end - origin
    middle = (low + high) / 2
    is_bounded = np.isfinite(limit)
    dilation = np.sqrt(np.where(is_bounded, np.maximum(limit, 0.0), 0.0))[instance]
    reach = dilation * (high - low) / 2 * (1 + _ROUNDING_SLACK) + _ROUNDING_SLACK * np.abs(middle)
    # Without a limit every two units of the instance are candidates: all intervals become the point 0.
    unbounded = ~is_bounded[instance]
    middle[unbounded] = reach[unbounded] = 0.0
    return middle - reach, middle + reach


def _first_beyond(low: FloatArray, high: FloatArray, stop: IntArray) -> IntArray:
    """Return, for each row i, the first row of its instance after i whose `low` exceeds high[i]: a bisection."""
    lower = np.arange(1, len(low) + 1)
    upper = stop.copy()
    while True:
        pending = np.flatnonzero(lower < upper)
        if not len(pending):
            return lower
        middle = (lower[pending] + upper[pending]) // 2
        overlaps = low[middle] <= high[pending]
        lower[pending[overlaps]] = middle[overlaps] + 1
        upper[pending[~overlaps]] = middle[~overlaps]


def _chunks(counts: IntArray) -> list[slice]:
    """Divide rows into slices with bounded numbers of pairs."""
    total = np.cumsum(counts)
    n_pairs = int(total[-1]) + _CHUNK_PAIRS if len(total) else 0
    cuts = np.searchsorted(total, np.arange(_CHUNK_PAIRS, n_pairs, _CHUNK_PAIRS)) + 1
    edges = np.unique(np.concatenate([[0], np.minimum(cuts, len(counts)), [len(counts)]]))
    return [slice(begin, end) for begin, end in pairwise(edges.tolist())]


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Candidate pairs, by their first unit; `keys` are first · n_units + second, ascending."""

    begin: IntArray
    second: IntArray
    saving: FloatArray
    keys: IntArray

    @property
    def n_units(self) -> int:
        return len(self.begin) - 1

    def lookup(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the index of each pair, or -1 if it is not a candidate."""
        key = first * self.n_units + second
        index = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(self.keys[index] == key, index, -1)


@dataclass(frozen=True, slots=True, eq=False)
class _PartialColumns:
    """Partial columns of one size k.

    `unit_saving` is Σ w(u, ·) of each unit within its column, shape (n_columns, k); `saving` the sum over the pairs of
    the column, shape (n_columns,).
    """

    members: IntArray
    unit_saving: FloatArray
    saving: FloatArray

    def take(self, rows: BoolArray) -> _PartialColumns:
        return _PartialColumns(self.members[rows], self.unit_saving[rows], self.saving[rows])


def useful(
    offsets: IntArray,
    annotator: IntArray,
    begin: IntArray,
    second: IntArray,
    saving: FloatArray,
    max_partial: IntArray,
    free: float,
) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Return all useful columns of at least two units, and the instances that have too many.

    A *partial* column contains only candidate pairs, and each of its units can save more than ``free - 1`` with its
    other units and the best unit of each later annotator. A *useful* column is one in which each unit saves more than
    ``free - 1`` with the other units alone. An instance with more than `max_partial` extensions to one size, shape
    (n_instances,), is given up with all its columns. Savings up to `free` count as none.

    Returns
    -------
    offsets, units : ndarray of int64
        The columns by size, then in the order of their units.
    cost : ndarray of float64, shape (n_columns,)
        1 - Σ w, in units of Δ; the savings of a unit are added in the order of the units, then these sums.
    too_many : ndarray of int64, shape (n_instances,)
        1 for each instance given up.
    """
    first = np.repeat(np.arange(len(annotator)), np.diff(begin))
    pairs = _Pairs(begin, second, saving, first * len(annotator) + second)
    instance = np.repeat(np.arange(len(max_partial)), np.diff(offsets))
    later = _later_savings(pairs, first, annotator)
    partial = _PartialColumns(np.stack([first, second], axis=1), np.stack([saving, saving], axis=1), saving)
    members = [np.empty((0, 2), dtype=np.int64)]
    costs = [np.empty(0)]
    too_many = np.zeros(len(max_partial), dtype=np.bool_)
    while len(partial.saving):
        column_instance = instance[partial.members[:, 0]]
        too_many |= np.bincount(column_instance, minlength=len(max_partial)) > max_partial
        last = annotator[partial.members[:, -1]]
        can_be_useful = (1.0 + partial.unit_saving + later[partial.members, last[:, None]] > free).all(axis=1)
        partial = partial.take(can_be_useful & ~too_many[column_instance])
        is_useful = (1.0 + partial.unit_saving > free).all(axis=1)
        members.append(partial.members[is_useful])
        costs.append(1.0 - partial.saving[is_useful])
        partial = _extended(pairs, partial)
    # Columns that were listed before their instance was given up are removed.
    keep = [~too_many[instance[columns[:, 0]]] for columns in members]
    members = [columns[mask] for columns, mask in zip(members, keep, strict=True)]
    costs = [cost[mask] for cost, mask in zip(costs, keep, strict=True)]
    sizes = np.concatenate([np.full(len(columns), columns.shape[1]) for columns in members])
    return (
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([columns.ravel() for columns in members]),
        np.concatenate(costs),
        too_many.astype(np.int64),
    )


def _later_savings(pairs: _Pairs, first: IntArray, annotator: IntArray) -> FloatArray:
    """Return S[u, a] = Σ over annotators r > a of max(0, best saving of u with a unit of r), shape (n_units, width)."""
    width = int(annotator.max(initial=0)) + 1
    best = np.zeros((pairs.n_units, width))
    np.maximum.at(best, (first, annotator[pairs.second]), pairs.saving)
    best = np.roll(best, -1, axis=1)  # S[u, a] = S[u, a + 1] + best[u, a + 1], and 0 after the last annotator
    best[:, -1] = 0.0
    return np.cumsum(best[:, ::-1], axis=1)[:, ::-1]


def _extended(pairs: _Pairs, partial: _PartialColumns) -> _PartialColumns:
    """Return the extensions of the partial columns by a unit of a later annotator that pairs with each member."""
    size = partial.members.shape[1]
    last = partial.members[:, -1]
    counts = pairs.begin[last + 1] - pairs.begin[last]
    row = np.repeat(np.arange(len(last)), counts)
    pair = ranges(pairs.begin[last], counts)
    new = pairs.second[pair]
    links = np.empty((len(row), size))  # saving of the new unit with each member
    links[:, -1] = pairs.saving[pair]
    for position in range(size - 1):
        pair = pairs.lookup(partial.members[row, position], new)
        keep = pair >= 0
        row = row[keep]
        new = new[keep]
        links = links[keep]
        links[:, position] = pairs.saving[pair[keep]]
    gained = links[:, 0].copy()  # added in order, as in the compiled kernel
    for position in range(1, size):
        gained += links[:, position]
    return _PartialColumns(
        np.concatenate([partial.members[row], new[:, None]], axis=1),
        np.concatenate([partial.unit_saving[row] + links, gained[:, None]], axis=1),
        partial.saving[row] + gained,
    )


def linked(offsets: IntArray, units: IntArray, n_units: int) -> IntArray:
    """Return the part of each unit, shape (n_units,).

    Two units are in one part if a column contains both, or if a chain of such units connects them. Parts are numbered
    in the order of their first units.
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
