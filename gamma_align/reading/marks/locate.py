"""Spans without offsets, found in their text: as they are, then folded, then with a few edits.

A *mention* is the text of a span as a model repeats it. It is searched

1. exactly;
2. folded: white space, case, quotes and dashes made equal;
3. with the fewest edits (Levenshtein), at most a share of its length.

A later step is taken only if the earlier ones find nothing. Places that begin or end within a word are left out if the
mention does not; scripts without spaces between words have no such places. Of several places, an occurrence number or
the words around decide; then mentions with the same text and label are the places in order, if they are as many. All
other mentions with several places are placed by the order of mentions, and marked as not unique.

References
----------
Sellers 1980, The theory and computation of evolutionary distances: pattern recognition (search with edits).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, IntArray

MAX_EDITS = 0.2  # of the length of a mention: a typing error in a word of five letters
_MAX_CELLS = 20_000_000  # of the table of edits: a longer mention or text is not searched with edits

_FOLDED_CHARACTERS = {
    **dict.fromkeys("‘’‚‛′`´ʼ＇", "'"),
    **dict.fromkeys("“”„‟″«»‹›＂", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
}
_DROPPED = "\u00ad\u200b\u2060\ufeff"  # soft hyphen and marks without width
# Scripts that put no space between words: Thai, Lao, Burmese, Khmer, kana and Han.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A span as an answer gives it: its text, its category, and what tells its place.

    `occurrence` counts from 1; `before` and `after` are the words around it.
    """

    text: str
    category: str | None = None
    occurrence: int | None = None
    before: str | None = None
    after: str | None = None


class Found(NamedTuple):
    """The place of a mention; NaN-free bounds, or a reason why there is none.

    `edits` is the number of edits, -1 if it is found folded. `doubt` says why the place may be another one.
    """

    start: int = -1
    end: int = -1
    edits: int = 0
    doubt: str | None = None
    reason: str | None = None


class _Places(NamedTuple):
    """The places of a mention: start and end of each, in order, and the edits they take (-1: folded)."""

    spans: list[tuple[int, int]]
    edits: int = 0


class Finder:
    """Finds mentions in one text."""

    def __init__(self, text: str, max_edits: float = MAX_EDITS) -> None:
        self.text = text
        self.max_edits = max_edits
        self.folded, self.origin = _fold(text)
        self.inside_word = np.array([_is_in_word(self.folded, index) for index in range(len(self.folded) + 1)])

    def find(self, mentions: Sequence[Mention]) -> list[Found]:
        """Return the place of each mention."""
        places = {text: self._places(text) for text in {mention.text for mention in mentions}}
        decisions: list[Found | None] = [self._decided(mention, places[mention.text]) for mention in mentions]
        groups: dict[str, list[int]] = defaultdict(list)
        for index, mention in enumerate(mentions):
            if decisions[index] is None:
                groups[mention.text].append(index)
        for text, indices in groups.items():
            spans = places[text].spans
            if len({mentions[index].category for index in indices}) == 1 and len(indices) == len(spans):
                # The mentions are interchangeable, so their order does not matter.
                for index, span in zip(indices, spans, strict=True):
                    decisions[index] = Found(*span, places[text].edits)
        self._place_by_order(mentions, places, decisions)
        return [entry for entry in decisions if entry is not None]

    def in_order(self, mentions: Sequence[Mention]) -> list[Found]:
        """Return the place of each mention of a list in the order of the text: the earliest that the order allows.

        A place has a doubt if the order allows a later one, too. If mentions are not in the order of the text, those
        with several places have none, but a reason.
        """
        places = {text: self._places(text) for text in {mention.text for mention in mentions}}
        spans = [places[mention.text].spans for mention in mentions]
        known = [index for index, found in enumerate(spans) if found]
        bounds = dict(zip(known, _in_order([spans[index] for index in known]), strict=False))
        result = []
        for index, mention in enumerate(mentions):
            n_places = len(spans[index])
            edits = places[mention.text].edits
            if index in bounds:
                first, last = bounds[index]
                doubt = None if first == last else f"it is in the text {n_places} times"
                result.append(Found(*first, edits, doubt))
            elif n_places == 1:
                result.append(Found(*spans[index][0], edits))
            elif n_places:
                result.append(Found(reason=f"it is in the text {n_places} times, and the list is in no order"))
            else:
                result.append(Found(reason="it is not in the text" if mention.text.strip() else "it is empty"))
        return result

    def _places(self, mention: str) -> _Places:
        """Return the places of a mention, of the first step that finds any."""
        if not mention.strip():
            return _Places([])
        exact = self._whole_words([(at, at + len(mention)) for at in _occurrences(self.text, mention)])
        if exact:
            return _Places(exact)
        folded = self._whole_words(self._folded_places(mention))
        if folded:
            return _Places(folded, -1)
        return self._edited_places(mention)

    def _folded_places(self, mention: str) -> list[tuple[int, int]]:
        pattern, _ = _fold(mention.strip())
        if not pattern:
            return []
        return [self._original(at, at + len(pattern)) for at in _occurrences(self.folded, pattern)]

    def _original(self, start: int, end: int) -> tuple[int, int]:
        """Return the bounds in the text of a stretch of the folded text."""
        return int(self.origin[start]), int(self.origin[end - 1]) + 1

    def _edited_places(self, mention: str) -> _Places:
        pattern, _ = _fold(mention.strip())
        limit = int(self.max_edits * len(pattern))
        if not limit or len(pattern) * len(self.folded) > _MAX_CELLS:
            return _Places([])
        edits, begin = _with_edits(pattern, self.folded, ~self.inside_word)
        end = np.arange(len(edits))
        is_whole = (begin < end) & ~self.inside_word[end] & (edits <= limit)
        if not is_whole.any():
            return _Places([])
        fewest = int(edits[is_whole].min())
        ends = np.flatnonzero(is_whole & (edits == fewest))
        spans = _apart(list(zip(begin[ends].tolist(), ends.tolist(), strict=True)), len(pattern))
        return _Places([self._original(*span) for span in spans], max(fewest, 1))

    def _whole_words(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the places that do not begin or end within a word."""
        return [span for span in spans if not any(_is_in_word(self.text, index) for index in span)]

    def _decided(self, mention: Mention, places: _Places) -> Found | None:
        """Return the place of a mention that needs no other mention; None if several places remain."""
        spans, edits = places
        if not spans:
            return Found(reason="it is not in the text" if mention.text.strip() else "it is empty")
        if mention.occurrence is not None:
            if 1 <= mention.occurrence <= len(spans):
                return Found(*spans[mention.occurrence - 1], edits)
            return Found(reason=f"it is mentioned as occurrence {mention.occurrence}, and there are {len(spans)}")
        fitting = [span for span in spans if self._fits(mention, span)]
        if len(fitting) == 1 and (mention.before or mention.after):
            return Found(*fitting[0], edits)
        return Found(*spans[0], edits, self._doubt(mention, places, fitting)) if len(spans) == 1 else None

    def _doubt(self, mention: Mention, places: _Places, fitting: list[tuple[int, int]]) -> str | None:
        """Return why the only place of a mention may be another one."""
        if not fitting:
            return "the words around it are elsewhere"
        # "us" may be meant by "US", which is in the text as well.
        n_places = len(self._whole_words(self._folded_places(mention.text))) if places.edits == 0 else 1
        return f"it is in the text {n_places} times if case, quotes and dashes are ignored" if n_places > 1 else None

    def _fits(self, mention: Mention, span: tuple[int, int]) -> bool:
        before, _ = _fold(self.text[: span[0]])
        after, _ = _fold(self.text[span[1] :])
        wanted_before = _fold(mention.before or "")[0]
        wanted_after = _fold(mention.after or "")[0]
        return before.strip().endswith(wanted_before.strip()) and after.strip().startswith(wanted_after.strip())

    def _place_by_order(
        self, mentions: Sequence[Mention], places: dict[str, _Places], decisions: list[Found | None]
    ) -> None:
        """Place the mentions that remain in the first place that is free, from the last mention on if there is one."""
        taken = {
            (text, entry[:2]) for text, entry in zip(_texts(mentions), decisions, strict=True) if entry is not None
        }
        last = 0
        for index, mention in enumerate(mentions):
            entry = decisions[index]
            if entry is None:
                spans, edits = places[mention.text]
                free = [span for span in spans if (mention.text, span) not in taken]
                later = [span for span in free if span[0] >= last]
                if not free:
                    entry = Found(reason=f"it is mentioned more often than it is in the text ({len(spans)} times)")
                else:
                    span = (later or free)[0]
                    taken.add((mention.text, span))
                    entry = Found(*span, edits, f"it is in the text {len(spans)} times")
                decisions[index] = entry
            if entry.reason is None:
                last = entry.start


def _in_order(spans: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the first and the last place of each that begins after the one before; empty if there is no such order."""
    earliest: list[tuple[int, int]] = []
    for places in spans:
        place = next((span for span in places if not earliest or span[0] > earliest[-1][0]), None)
        if place is None:
            return []
        earliest.append(place)
    latest: list[tuple[int, int]] = []
    for places in reversed(spans):
        latest.append(next(span for span in reversed(places) if not latest or span[0] < latest[-1][0]))
    return [*zip(earliest, reversed(latest), strict=True)]


def _texts(mentions: Sequence[Mention]) -> Iterator[str]:
    return (mention.text for mention in mentions)


def _fold(text: str) -> tuple[str, IntArray]:
    """Return the text with white space, case, quotes and dashes made equal, and the index of each character in it."""
    characters: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        if character in _DROPPED:
            continue
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                origin.append(index)
            continue
        folded = _FOLDED_CHARACTERS.get(character) or unicodedata.normalize("NFKC", character).casefold()
        characters += folded
        origin += [index] * len(folded)
    return "".join(characters), np.array(origin, dtype=np.int64)


def _occurrences(text: str, pattern: str) -> Iterator[int]:
    """Yield where the pattern begins, overlapping occurrences included."""
    index = text.find(pattern)
    while index >= 0:
        yield index
        index = text.find(pattern, index + 1)


def _is_in_word(text: str, index: int) -> bool:
    """Return whether an index is between two letters or digits of one word."""
    if not 0 < index < len(text):
        return False
    around = text[index - 1 : index + 1]
    return around[0].isalnum() and around[1].isalnum() and not _UNSPACED.search(around)


def _with_edits(pattern: str, text: str, can_begin: BoolArray) -> tuple[IntArray, IntArray]:
    """Return, for each end in the text, the fewest edits of the pattern to a stretch that ends there, and its begin.

    A stretch begins at one of the indices `can_begin`, 0 among them. Row i of the table is for the first i characters
    of the pattern.
    """
    codes = np.array([ord(character) for character in text], dtype=np.int64)
    columns = np.arange(len(codes) + 1)
    begin = np.maximum.accumulate(np.where(can_begin, columns, 0))
    edits = columns - begin  # insertions before the first character of the pattern
    for n_done, character in enumerate(pattern, 1):
        # Of equal costs, a replacement before a deletion: the stretch then has about the length of the pattern.
        replaced = np.concatenate([[n_done], edits[:-1] + (codes != ord(character))])
        replaced_begin = np.concatenate([[0], begin[:-1]])
        is_deleted = edits + 1 < replaced
        best = np.where(is_deleted, edits + 1, replaced)
        best_begin = np.where(is_deleted, begin, replaced_begin)
        # An insertion follows the best entry to its left.
        key = best - columns
        running = np.minimum.accumulate(key)
        source = np.maximum.accumulate(np.where(key == running, columns, 0))
        edits = running + columns
        begin = best_begin[source]
    return edits, begin


def _apart(spans: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the spans; of spans that overlap, the one whose length is nearest to `length`."""
    result: list[tuple[int, int]] = []
    for start, end in spans:
        if not result or start >= result[-1][1]:
            result.append((start, end))
        elif abs(end - start - length) < abs(result[-1][1] - result[-1][0] - length):
            result[-1] = (start, end)
    return result
