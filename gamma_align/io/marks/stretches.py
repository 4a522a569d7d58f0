"""What two sequences have in common, in order: by their ends, by what is unique in both, and by difflib between.

Conventions
-----------
A stretch is (start in one, start in the other, length). Stretches ascend in both sequences and do not overlap. They
are a common subsequence, not always a longest one; between two stretches too long to be compared item by item, that
have no item unique in both, nothing is common.

References
----------
The anchors are those of patience diff (Bram Cohen); https://docs.python.org/3/library/difflib.html.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

_COMPARED = 1 << 16
"""Pairs of items that are compared each with each: difflib's time grows faster than their number."""


class Stretch(NamedTuple):
    """`size` equal items, from `one` in the one sequence and from `other` in the other."""

    one: int
    other: int
    size: int


class _Part(NamedTuple):
    """Items `low` … `high` - 1 of the one, `other_low` … of the other."""

    low: int
    high: int
    other_low: int
    other_high: int


def equal_stretches(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[Stretch]:
    """Return what the sequences have in common, in ascending order.

    Parameters
    ----------
    one, other : sequence
        Characters or words; time grows with their lengths, and with the number of differences.
    """
    found: list[Stretch] = []
    parts = [_Part(0, len(one), 0, len(other))]
    while parts:
        part = _without_ends(one, other, parts.pop(), found)
        if part.low == part.high or part.other_low == part.other_high:
            continue
        if (part.high - part.low) * (part.other_high - part.other_low) <= _COMPARED:
            found += _compared(one, other, part)
        else:
            parts += _between_anchors(one, other, part)
    return _joined(sorted(found))


def _without_ends(one: Sequence[Hashable], other: Sequence[Hashable], part: _Part, found: list[Stretch]) -> _Part:
    """Return the part without what begins and ends both; that is found."""
    low, high, other_low, other_high = part
    size = 0
    most = min(high - low, other_high - other_low)
    while size < most and one[low + size] == other[other_low + size]:
        size += 1
    if size:
        found.append(Stretch(low, other_low, size))
    low, other_low, most = low + size, other_low + size, most - size
    size = 0
    while size < most and one[high - 1 - size] == other[other_high - 1 - size]:
        size += 1
    if size:
        found.append(Stretch(high - size, other_high - size, size))
    return _Part(low, high - size, other_low, other_high - size)


def _compared(one: Sequence[Hashable], other: Sequence[Hashable], part: _Part) -> list[Stretch]:
    matcher = SequenceMatcher(None, one[part.low : part.high], other[part.other_low : part.other_high], autojunk=False)
    return [
        Stretch(part.low + block.a, part.other_low + block.b, block.size)
        for block in matcher.get_matching_blocks()
        if block.size
    ]


def _between_anchors(one: Sequence[Hashable], other: Sequence[Hashable], part: _Part) -> list[_Part]:
    """Return the parts that begin with an item unique in both, and that before the first; none without anchors."""
    anchors = _anchors(one, other, part)
    if not anchors:
        return []
    starts = [(part.low, part.other_low), *anchors]
    ends = [*anchors, (part.high, part.other_high)]
    return [_Part(start[0], end[0], start[1], end[1]) for start, end in zip(starts, ends, strict=True)]


def _anchors(one: Sequence[Hashable], other: Sequence[Hashable], part: _Part) -> list[tuple[int, int]]:
    """Return the places of items unique in both, as many as come in the same order in both."""
    counts = [Counter(one[part.low : part.high]), Counter(other[part.other_low : part.other_high])]
    places = {
        item: at
        for at, item in enumerate(other[part.other_low : part.other_high], part.other_low)
        if counts[0][item] == counts[1][item] == 1
    }
    pairs = [(at, places[item]) for at, item in enumerate(one[part.low : part.high], part.low) if item in places]
    return _longest_ascending(pairs)


def _longest_ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return most pairs whose second numbers ascend, as the first do; by patience sorting."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for at, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [place]
        piles[pile : pile + 1] = [at]
    found = []
    at = piles[-1] if piles else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    """Return the stretches with those that touch in both sequences as one."""
    found: list[Stretch] = []
    for stretch in stretches:
        last = found[-1] if found else None
        if last is not None and (last.one + last.size, last.other + last.size) == stretch[:2]:
            found[-1] = Stretch(last.one, last.other, last.size + stretch.size)
        else:
            found.append(stretch)
    return found
