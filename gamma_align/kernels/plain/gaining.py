"""Plain ``gaining``: the useful columns that gain more than a threshold at given prices."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray, IntArray, rank_in_runs
from gamma_align.kernels.plain.columns import useful

_UNLIMITED = 2**62  # columns


def gaining(
    annotator: IntArray,
    begin: IntArray,
    second: IntArray,
    saving: FloatArray,
    price: FloatArray,
    threshold: float,
    keep: int,
    max_columns: int,
    free: float,
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, int]:
    """Return the useful columns of one instance that gain more than a threshold, at most `keep` of each root.

    The root of a column is its unit of the lowest annotator. The gain of a column is its saving, compared with its
    units alone, less the prices of its units. The best columns of a root are kept, in the order of their units by
    annotator. The compiled kernel lists no other columns on its way; this one lists all useful columns first.

    Returns
    -------
    offsets, units : ndarray of int64
        The columns by root.
    cost : ndarray of float64, shape (n_columns,)
        1 - Σ w, with the bits of `useful`.
    root_gain : ndarray of float64, shape (n_units,)
        Greatest gain of a column of each root, kept or not; the threshold if no column gains more.
    too_many : int
        1 if there are more than `max_columns` columns; then the search ends, and the other results are of no use.
    """
    n_units = len(annotator)
    arrays = (np.array([0, n_units]), annotator, begin, second, saving, np.array([_UNLIMITED]))
    offsets, units, cost, _ = useful(*arrays, free)
    sizes = np.diff(offsets)
    members = np.full((len(cost), int(sizes.max(initial=0))), -1)
    members[np.repeat(np.arange(len(cost)), sizes), np.arange(len(units)) - np.repeat(offsets[:-1], sizes)] = units
    gain = sizes - cost
    for position in range(members.shape[1]):
        rows = np.flatnonzero(members[:, position] >= 0)
        gain[rows] -= price[members[rows, position]]
    rows = np.flatnonzero(gain > threshold)
    root = members[rows, 0]
    root_gain = np.full(n_units, threshold)
    np.maximum.at(root_gain, root, gain[rows])
    rows = rows[_in_order(members[rows], annotator)]
    root = members[rows, 0]
    best = np.lexsort((-gain[rows], root))
    rows = rows[np.sort(best[rank_in_runs(root[best]) < keep])]
    sizes = sizes[rows]
    kept = members[rows]
    return (
        np.concatenate([[0], np.cumsum(sizes)]),
        kept[kept >= 0],
        cost[rows],
        root_gain,
        int(len(rows) > max_columns),
    )


def _in_order(members: IntArray, annotator: IntArray) -> IntArray:
    """Return the order of columns by root, then by annotators and units; a column precedes its extensions."""
    rank = np.empty(len(annotator) + 1, dtype=np.int64)
    rank[np.lexsort((np.arange(len(annotator)), annotator))] = np.arange(len(annotator))
    rank[-1] = -1  # no unit
    keys = [rank[members[:, position]] for position in range(members.shape[1] - 1, 0, -1)]
    return np.lexsort((*keys, members[:, 0])) if len(members) else np.zeros(0, dtype=np.int64)
