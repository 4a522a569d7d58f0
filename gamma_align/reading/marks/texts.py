"""Annotated texts: units of offsets, and the mapping of offsets in one text to offsets in another.

Conventions
-----------
A stretch is (start in the first, start in the second, length). Stretches ascend in both sequences and do not overlap.
They are a common subsequence, not always a longest one: parts that are too long to be compared item by item, and have
no item that is unique in both, are taken to have nothing in common.

References
----------
The anchors are as in patience diff (Bram Cohen); https://docs.python.org/3/library/difflib.html.
"""

from __future__ import annotations

import operator
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

_Number = TypeVar("_Number", int, float)

_MAX_COMPARED_PAIRS = 1 << 16
"""Limit of pairs of items to be compared by difflib: its time grows faster than their number."""


class Stretch(NamedTuple):
    """`size` equal items, which begin at these indices of two sequences."""

    first: int
    second: int
    size: int


class _Part(NamedTuple):
    """Indices of two sequences that are yet to be compared."""

    first: range
    second: range


def equal_stretches(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[Stretch]:
    """Return the stretches that two sequences of characters or words have in common, in ascending order.

    Time grows with their lengths, and with the number of differences.
    """
    stretches: list[Stretch] = []
    # The order of the parts does not matter: the stretches are sorted at the end.
    parts = [_Part(range(len(first)), range(len(second)))]
    while parts:
        part = _without_ends(first, second, parts.pop(), stretches)
        if len(part.first) * len(part.second) > _MAX_COMPARED_PAIRS:
            parts += _between_anchors(first, second, part)
        elif part.first and part.second:
            stretches += _match_part(first, second, part)
    return _joined(sorted(stretches))


def _without_ends(
    first: Sequence[Hashable], second: Sequence[Hashable], part: _Part, stretches: list[Stretch]
) -> _Part:
    """Return the part without the items that begin and end both sides, which are added to the stretches."""
    for ends in (False, True):
        size = 0
        sides = zip(*(side[::-1] if ends else side for side in part), strict=False)
        while (pair := next(sides, None)) is not None and first[pair[0]] == second[pair[1]]:
            size += 1
        if size:
            begin = -size if ends else 0
            stretches.append(Stretch(part.first[begin], part.second[begin], size))
            part = _Part(*(side[:-size] if ends else side[size:] for side in part))
    return part


def _match_part(first: Sequence[Hashable], second: Sequence[Hashable], part: _Part) -> list[Stretch]:
    """Return the stretches of a part without anchors, by the standard library's slower comparison."""
    from difflib import SequenceMatcher

    items, second_items = (
        sequence[side.start : side.stop] for sequence, side in zip((first, second), part, strict=True)
    )
    blocks = SequenceMatcher(None, items, second_items, autojunk=False).get_matching_blocks()
    return [Stretch(part.first[block.a], part.second[block.b], block.size) for block in blocks if block.size]


def _between_anchors(first: Sequence[Hashable], second: Sequence[Hashable], part: _Part) -> list[_Part]:
    """Return the parts between anchors, and before the first one; none without anchors."""
    anchors = _anchors(first, second, part)
    if not anchors:
        return []
    starts = [(part.first.start, part.second.start), *anchors]
    stops = [*anchors, (part.first.stop, part.second.stop)]
    return [_Part(*map(range, start, stop)) for start, stop in zip(starts, stops, strict=True)]


def _anchors(first: Sequence[Hashable], second: Sequence[Hashable], part: _Part) -> list[tuple[int, int]]:
    """Return the indices of items unique in both sequences, restricted to the largest set in the same order."""
    counts = [Counter(sequence[side.start : side.stop]) for sequence, side in zip((first, second), part, strict=True)]
    unique = {item for item, count in counts[0].items() if count == counts[1][item] == 1}
    index_of = {second[index]: index for index in part.second if second[index] in unique}
    return _longest_ascending([(index, index_of[first[index]]) for index in part.first if first[index] in unique])


def _longest_ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs with ascending second numbers, by patience sorting."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for index, (_, number) in enumerate(pairs):
        pile = bisect_left(tops, number)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [number]
        piles[pile : pile + 1] = [index]
    ascending = []
    index = piles[-1] if piles else -1
    while index >= 0:
        ascending.append(pairs[index])
        index = before[index]
    return ascending[::-1]


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    """Return the stretches, joining those that touch in both sequences."""
    result: list[Stretch] = []
    for stretch in stretches:
        last = result[-1] if result else None
        if last is not None and (last.first + last.size, last.second + last.size) == stretch[:2]:
            result[-1] = last._replace(size=last.size + stretch.size)
        else:
            result.append(stretch)
    return result


def joined(
    spans: Iterable[tuple[_Number, _Number]], apart: Callable[[_Number, _Number], bool] = operator.lt
) -> list[tuple[_Number, _Number]]:
    """Return spans of text or time in order. Two are joined unless one ends apart from the start of the next."""
    result: list[tuple[_Number, _Number]] = []
    for start, end in sorted(spans):
        if result and not apart(result[-1][1], start):
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


_CONTEXT_SIZE = 20  # characters on either side of a difference in messages
_WORD_PATTERN = re.compile(r"\w+|[^\w\s]")


def first_difference(first: Sequence[object], second: Sequence[object]) -> int:
    """Return the index of the first item that differs, or the length of the shorter sequence."""
    size = min(len(first), len(second))
    return next((index for index in range(size) if first[index] != second[index]), size)


def describe_difference(first: str, second: str, names: tuple[str, str]) -> str:
    """Describe the first difference of two texts."""
    index = first_difference(first, second)
    shown = [repr(text[max(index - _CONTEXT_SIZE, 0) : index + _CONTEXT_SIZE]) for text in (first, second)]
    return f"from character {index} on, {shown[0]} of {names[0]!r} is {shown[1]} of {names[1]!r}"


class TextMapping(NamedTuple):
    """Maps offsets in a source sequence (a text, or tokens) to offsets in a target sequence of `length` items.

    For each offset in the source, `start` is the target position of the first matched item from there on, and `end` the
    target position behind the last matched item before it, shape (n + 1,). `equal` marks the matched items, shape (n,).
    """

    start: IntArray
    end: IntArray
    equal: BoolArray
    length: int

    def moved(self, start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of units in the target.

        A unit extends from its first matched item to its last one. A unit without matched items gets no length, at the
        position between its neighbours. Bounds past the end stay as far past it.
        """
        last = len(self.equal)
        low, high = (np.clip(bounds, 0, last).astype(np.int64) for bounds in (start, end))
        first = self.start[low]
        after = self.end[high]
        at_point = (low == high) & (low < last) & self.equal[np.minimum(low, max(last - 1, 0))] if last else low > high
        first = np.where(first >= after, np.where(at_point, first, after), first)
        after = np.maximum(first, after)
        return self._past(start, first), self._past(end, after)

    def _past(self, bounds: FloatArray, moved: IntArray) -> FloatArray:
        """Return the moved bounds, or, for bounds past the end, positions as far past the target's end."""
        past: FloatArray = np.where(bounds > len(self.equal), bounds - len(self.equal) + self.length, moved)
        return past


def text_mapping(source: str, target: str) -> TextMapping:
    """Return the mapping of offsets in one text to offsets in another.

    Matched are the characters of equal words in the same order, then equal characters between these words, then blanks
    next to matched characters, as far as both texts have them; see `equal_stretches`.
    """
    return _mapping_from_partners(_equal_characters(source, target), len(target))


def token_mapping(source: Sequence[Hashable], target: Sequence[Hashable]) -> TextMapping:
    """Return the mapping of indices in one sequence of tokens to another, by equal tokens in the same order."""
    return _mapping_from_partners(_partners(equal_stretches(source, target), len(source)), len(target))


def _partners(stretches: list[Stretch], length: int) -> IntArray:
    """Return, for each item, the index of its match in the other sequence, -1 without one."""
    partner = np.full(length, -1, dtype=np.int64)
    for first, second, size in stretches:
        partner[first : first + size] = np.arange(second, second + size)
    return partner


def _mapping_from_partners(partner: IntArray, length: int) -> TextMapping:
    """Return the mapping from the index of each item's match, -1 without one; `length` is that of the target."""
    equal: BoolArray = partner >= 0
    before = np.maximum.accumulate(np.concatenate([[0], np.where(equal, partner + 1, 0)]))
    after = np.minimum.accumulate(np.concatenate([np.where(equal, partner, length), [length]])[::-1])[::-1]
    return TextMapping(after.astype(np.int64), before.astype(np.int64), equal, length)


def _equal_characters(source: str, target: str) -> IntArray:
    """Return, for each character of a text, the index of its match in another, -1 without one."""
    texts = (source, target)
    words = [_WORD_PATTERN.findall(text) for text in texts]
    packed = ["".join(tokens) for tokens in words]  # the texts without blanks
    edges = [np.concatenate([[0], np.cumsum([len(word) for word in tokens])]) for tokens in words]
    partner = np.full(len(packed[0]), -1, dtype=np.int64)
    done = (0, 0)
    for first, second, size in [*equal_stretches(words[0], words[1]), Stretch(len(words[0]), len(words[1]), 0)]:
        low = int(edges[0][first])
        target_low = int(edges[1][second])
        for stretch in equal_stretches(packed[0][done[0] : low], packed[1][done[1] : target_low]):
            begin = done[0] + stretch.first
            to = done[1] + stretch.second
            partner[begin : begin + stretch.size] = np.arange(to, to + stretch.size)
        done = (int(edges[0][first + size]), int(edges[1][second + size]))
        partner[low : done[0]] = np.arange(target_low, done[1])
    blank = [np.fromiter(map(str.isspace, text), dtype=np.bool_, count=len(text)) for text in texts]
    positions = [np.flatnonzero(~is_blank) for is_blank in blank]
    equal_of = np.full(len(source), -1, dtype=np.int64)
    equal_of[positions[0][partner >= 0]] = positions[1][partner[partner >= 0]]
    _add_blanks(equal_of, blank[0], blank[1])
    return equal_of


def _add_blanks(equal_of: IntArray, blank: BoolArray, target_blank: BoolArray) -> None:
    """Match blanks after and before matched characters (or the ends of the texts), as far as both texts have them."""
    taken = np.zeros(len(target_blank) + 2, dtype=np.bool_)  # the two more are before and after the text
    for step in (1, -1):
        index = np.concatenate([[-1], np.flatnonzero(equal_of >= 0), [len(blank)]])
        to = np.concatenate([[-1], equal_of[equal_of >= 0], [len(target_blank)]])
        taken[to] = True
        while len(index):
            index = index + step
            to = to + step
            inside = (index >= 0) & (index < len(blank)) & (to >= 0) & (to < len(target_blank))
            index = index[inside]
            to = to[inside]
            can_match = blank[index] & target_blank[to] & (equal_of[index] < 0) & ~taken[to]
            index = index[can_match]
            to = to[can_match]
            equal_of[index] = to
            taken[to] = True


def code_points_at(text: str, offsets: str) -> IntArray:
    """Return, for each offset 0 … in UTF-16 code units, UTF-8 bytes or line ends, the code point there; -1 within one.

    There is one entry more than the text has code units, bytes, or code points with each CR LF as one.
    """
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    width = 1 + (points >= 1 << 16).astype(np.int64)
    if offsets == "bytes":
        width = 1 + (points >= 1 << 7) + (points >= 1 << 11) + (points >= 1 << 16).astype(np.int64)
    elif offsets == "line-ends":
        is_second = np.concatenate([[False], points[:-1] == ord("\r")]) & (points == ord("\n"))
        width = 1 - is_second.astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
    table = np.full(int(starts[-1]) + 1, -1, dtype=np.int64)
    table[starts] = np.arange(len(points) + 1)
    return table


def to_code_points(bounds: FloatArray, text: str, offsets: str) -> FloatArray:
    """Return bounds, which count in `offsets`, in code points.

    A bound within a character is NaN; a bound past the end stays as far past it.
    """
    if offsets == "code-points" or (text.isascii() and offsets != "line-ends"):
        return bounds
    table = code_points_at(text, offsets)
    last = len(table) - 1
    inside = (bounds >= 0) & (bounds <= last)
    points = table[np.where(inside, bounds, 0).astype(np.int64)].astype(np.float64)
    points[points < 0] = np.nan
    return np.where(inside, points, np.where(bounds < 0, bounds, bounds - last + table[-1]))


def to_tokens(
    start: FloatArray, end: FloatArray, tokens: Sequence[tuple[int, int]] | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds in tokens: from the first token that a unit touches to after the last.

    `tokens` are the bounds of the tokens in characters, in order, without overlap. A unit between tokens is without
    length before the next one, and one without length stays so, before the token it is in or before.
    """
    edges = np.asarray(tokens, dtype=np.float64).reshape(-1, 2)
    first = np.searchsorted(edges[:, 1], start, side="right")
    after = np.searchsorted(edges[:, 0], end, side="left")
    after = np.where(end > start, np.maximum(after, first), first)
    return first.astype(np.float64), after.astype(np.float64)
