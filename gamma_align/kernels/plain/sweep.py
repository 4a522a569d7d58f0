"""Twin of ``sweep``: near pairs by a sweep over dilated intervals, all instances at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.batch import ranges
from gamma_align.distances.dissimilarity import sporadic

_SLACK = 1e-9
_CHUNK = 4_000_000


def sweep(
    offsets: IntArray, annotator: IntArray, start: FloatArray, end: FloatArray, most: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs nearer than `most`; see `gamma_align.kernels.sweep`."""
    instance = np.repeat(np.arange(len(most)), np.diff(offsets))
    parts = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))]
    for left, right in _overlapping(offsets, instance, start, end, most):
        other = annotator[left] != annotator[right]
        left, right = left[other], right[other]  # noqa: PLW2901
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
