"""Who marks the same places: shares of units with a partner at their place, of the same and of another annotator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

SAME_PLACE = 0.5
"""Least share of the union that two units at one place have in common."""

TWINS = 0.8
"""Least share of the union that two versions of one unit have in common."""

_NEIGHBOURS = 12  # units after a unit, by start, among which its partners are
_MAX_ROWS = 20_000  # rows of whole documents that are compared


class Shares(NamedTuple):
    """Shares of units with a partner of the same annotator, and of another one."""

    own: float
    cross: float


def sample(document: IntArray) -> BoolArray:
    """Return the rows of the first documents, whole, until there are enough."""
    if len(document) <= _MAX_ROWS:
        return np.ones(len(document), dtype=np.bool_)
    _, first, inverse, counts = np.unique(document, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    before = np.cumsum(counts[order]) - counts[order]
    is_kept = np.zeros(len(counts), dtype=np.bool_)
    is_kept[order[before < _MAX_ROWS]] = True
    return is_kept[inverse]


def shares(document: IntArray, annotator: IntArray, start: FloatArray, end: FloatArray) -> Shares:
    """Return the shares of units with a partner at their place."""
    kept = np.flatnonzero(sample(document))
    kept = kept[np.argsort(start[kept], kind="stable")[:_MAX_ROWS]]  # of a long document, its beginning
    document = document[kept]
    annotator = annotator[kept]
    start = start[kept]
    end = end[kept]
    is_own = partnered((document, annotator), annotator, start, end, SAME_PLACE, is_equal=True)
    is_cross = partnered((document,), annotator, start, end, SAME_PLACE, is_equal=False)
    return Shares(float(is_own.mean()) if len(start) else 0.0, float(is_cross.mean()) if len(start) else 0.0)


def partnered(
    within: tuple[IntArray, ...],
    value: IntArray,
    start: FloatArray,
    end: FloatArray,
    least: float,
    *,
    is_equal: bool,
) -> BoolArray:
    """Return which units have a partner at their place with an equal, or another, value, in the same group.

    Units are in one group if all of `within` are equal; the places share at least `least` of their union.
    """
    result = np.zeros(len(start), dtype=np.bool_)
    order = np.lexsort((end, start, *within))
    for shift in range(1, min(_NEIGHBOURS, len(order) - 1) + 1):
        first = order[:-shift]
        second = order[shift:]
        overlap = np.minimum(end[first], end[second]) - start[second]
        union = np.maximum(end[first], end[second]) - start[first]
        is_partner = (overlap >= least * union) & ((overlap > 0) | (union == 0))
        for group in within:
            is_partner &= group[first] == group[second]
        is_partner &= (value[first] == value[second]) == is_equal
        result[first[is_partner]] = True
        result[second[is_partner]] = True
    return result
