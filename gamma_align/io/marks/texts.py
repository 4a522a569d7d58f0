"""The texts that were annotated: where two differ, and how offsets in one are offsets in another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align._types import FloatArray, IntArray  # noqa: TC001
from gamma_align.io.marks.stretches import Stretch, equal_stretches

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from gamma_align._types import BoolArray

_AROUND = 20
_WORD = re.compile(r"\w+|[^\w\s]")


def first_difference(one: str, other: str) -> int | None:
    """Return the index of the first character that differs, ``None`` for equal texts."""
    if one == other:
        return None
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def told_difference(one: str, other: str, names: tuple[str, str]) -> str:
    """Return words for the first difference of two texts."""
    at = first_difference(one, other) or 0
    shown = [repr(text[max(at - _AROUND, 0) : at + _AROUND]) for text in (one, other)]
    return f"from character {at} on, {shown[0]} of {names[0]!r} is {shown[1]} of {names[1]!r}"


class Mapping(NamedTuple):
    """How offsets in one sequence (a text, or tokens) are offsets in another.

    Attributes
    ----------
    start : ndarray of int64, shape (n + 1,)
        For each offset, where the first item from there on that has an equal in the other stands there.
    end : ndarray of int64, shape (n + 1,)
        For each offset, where the last item before it that has an equal in the other ends there.
    equal : ndarray of bool, shape (n,)
        Which items have an equal in the other.
    length : int
        Of the other.
    """

    start: IntArray
    end: IntArray
    equal: BoolArray
    length: int

    def moved(self, start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of units in the other sequence.

        A unit begins where the first of its items that has an equal does, and ends where the last does. One of items
        that have none is without length, where they would be; what is past the end is as far past it.
        """
        last = len(self.equal)
        low, high = (np.clip(bounds, 0, last).astype(np.int64) for bounds in (start, end))
        first, after = self.start[low], self.end[high]
        at_point = (low == high) & (low < last) & self.equal[np.minimum(low, max(last - 1, 0))] if last else low > high
        first = np.where(first >= after, np.where(at_point, first, after), first)
        after = np.maximum(first, after)
        return self._past(start, first), self._past(end, after)

    def _past(self, bounds: FloatArray, moved: IntArray) -> FloatArray:
        past: FloatArray = np.where(bounds > len(self.equal), bounds - len(self.equal) + self.length, moved)
        return past


def mapping(other: str, onto: str) -> Mapping:
    """Return how offsets in one text are offsets in another.

    Equal are the characters of equal words in the same order, what is equal of the characters between them, and the
    blanks between two equal characters, as many as both texts have there; see `equal_stretches`.

    Parameters
    ----------
    other, onto : str
        The text that offsets are in, and the one they shall be in.
    """
    return _mapping(_equal_characters(other, onto), len(onto))


def mapping_of_tokens(other: Sequence[Hashable], onto: Sequence[Hashable]) -> Mapping:
    """Return how places in one sequence of tokens are places in another, through equal tokens in the same order."""
    return _mapping(_places(equal_stretches(other, onto), len(other)), len(onto))


def _places(stretches: list[Stretch], length: int) -> IntArray:
    """Return, for each item, where its equal is in the other sequence; -1 where there is none."""
    places = np.full(length, -1, dtype=np.int64)
    for one, other, size in stretches:
        places[one : one + size] = np.arange(other, other + size)
    return places


def _mapping(places: IntArray, length: int) -> Mapping:
    equal: BoolArray = places >= 0
    before = np.maximum.accumulate(np.concatenate([[0], np.where(equal, places + 1, 0)]))
    after = np.minimum.accumulate(np.concatenate([np.where(equal, places, length), [length]])[::-1])[::-1]
    return Mapping(after.astype(np.int64), before.astype(np.int64), equal, length)


def _equal_characters(other: str, onto: str) -> IntArray:
    """Return, for each character of a text, where its equal is in another; -1 where there is none."""
    texts = (other, onto)
    words = [_WORD.findall(text) for text in texts]
    packed = ["".join(its) for its in words]  # the texts without blanks
    edges = [np.concatenate([[0], np.cumsum([len(word) for word in its])]).astype(np.int64) for its in words]
    places = np.full(len(packed[0]), -1, dtype=np.int64)
    done = (0, 0)
    for one, two, size in [*equal_stretches(words[0], words[1]), Stretch(len(words[0]), len(words[1]), 0)]:
        low, other_low = int(edges[0][one]), int(edges[1][two])
        for stretch in equal_stretches(packed[0][done[0] : low], packed[1][done[1] : other_low]):
            at, to = done[0] + stretch.one, done[1] + stretch.other
            places[at : at + stretch.size] = np.arange(to, to + stretch.size)
        done = (int(edges[0][one + size]), int(edges[1][two + size]))
        places[low : done[0]] = np.arange(other_low, done[1])
    blank = [np.fromiter(map(str.isspace, text), dtype=np.bool_, count=len(text)) for text in texts]
    marks = [np.flatnonzero(~its) for its in blank]
    found = np.full(len(other), -1, dtype=np.int64)
    found[marks[0][places >= 0]] = marks[1][places[places >= 0]]
    _add_blanks(found, blank[0], blank[1])
    return found


def _add_blanks(found: IntArray, blank: BoolArray, other_blank: BoolArray) -> None:
    """Find equals of blanks after and before equal characters (or the texts' ends), as far as both texts have them."""
    taken = np.zeros(len(other_blank) + 2, dtype=np.bool_)  # the two more are before and after the text
    for step in (1, -1):
        at = np.concatenate([[-1], np.flatnonzero(found >= 0), [len(blank)]])
        to = np.concatenate([[-1], found[found >= 0], [len(other_blank)]])
        taken[to] = True
        while len(at):
            at, to = at + step, to + step
            inside = (at >= 0) & (at < len(blank)) & (to >= 0) & (to < len(other_blank))
            at, to = at[inside], to[inside]
            both = blank[at] & other_blank[to] & (found[at] < 0) & ~taken[to]
            at, to = at[both], to[both]
            found[at] = to
            taken[to] = True
