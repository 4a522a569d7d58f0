"""Intersections of the segments of two annotators, found in one sorted sweep over all instances.

Segments of a slot cover the continuum without overlapping, so those that meet a given segment of another slot are
contiguous: two searches find them. Bounds are replaced by their ranks for that, so that many instances are searched at
once and touching is decided exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.data.batch import ranges
from gamma_align.unitizing.segments import segment_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.unitizing.segments import Segments

_SEGMENTS = 500_000


class Intersections(NamedTuple):
    """Pairs of segments of two slots of one instance that share some length, every pair of slots whole.

    `first` and `second` are rows of segments, `length` what they share; shape (n_pairs,) each.
    """

    first: IntArray
    second: IntArray
    length: FloatArray


def intersections(segments: Segments) -> Iterator[Intersections]:
    """Yield the intersections of every two slots of an instance, each pair of slots once.

    They come some whole instances at a time, slots next to each other first, so what is summed of an instance does not
    depend on others. The memory is that of the segments and of the pairs yielded.
    """
    start_key, width = _keys(segments)
    members = np.diff(segments.slots)
    for first, last in _groups(segments):
        slots = np.arange(segments.slots[first], segments.slots[last])
        among = members[first:last]
        behind = np.repeat(segments.slots[first + 1 : last + 1], among) - slots  # of its instance, from this slot on
        for step in range(1, int(among.max(initial=0))):
            yield _met(segments, slots[behind > step], step, start_key, width)


def _groups(segments: Segments) -> list[tuple[int, int]]:
    """Return (first, last + 1) of runs of instances of about _SEGMENTS segments."""
    size = np.diff(segments.offsets[segments.slots])
    cuts = np.flatnonzero(np.diff((np.cumsum(size) - size) // _SEGMENTS, prepend=-1)).tolist()
    return list(zip(cuts, [*cuts, len(size)][1:], strict=True))


def _keys(segments: Segments) -> tuple[IntArray, int]:
    """Return slot · width + rank of the start, ascending; the ranks of an instance are among its own starts."""
    slot = np.repeat(np.arange(len(segments.offsets) - 1), np.diff(segments.offsets))
    instance = np.repeat(np.arange(len(segments.slots) - 1), np.diff(segments.slots))[slot]
    order = np.lexsort((segments.start, instance))
    instance, start = instance[order], segments.start[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (instance[1:] != instance[:-1]) | (start[1:] != start[:-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(new)
    width = len(order) + 2
    return slot * width + rank, width


def _met(segments: Segments, slots: IntArray, step: int, start_key: IntArray, width: int) -> Intersections:
    """Return the intersections of these slots with those `step` later."""
    rows = segment_ranges(segments, slots)
    count = np.diff(segments.offsets)[slots]
    moved = start_key[rows] + step * width
    begins = np.searchsorted(start_key, moved, side="right") - 1
    # a segment ends where the next one of its slot starts, the last one where the continuum does
    ends = np.empty(len(rows), dtype=np.int64)
    ends[:-1] = np.searchsorted(start_key, moved[1:], side="left")
    ends[np.cumsum(count) - 1] = segments.offsets[slots + step + 1]
    met = ends - begins
    first, second = np.repeat(rows, met), ranges(begins, met)
    length = np.minimum(segments.end[first], segments.end[second])
    length -= np.maximum(segments.start[first], segments.start[second])
    return Intersections(first, second, length)
