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
    """A span as an answer gives it: its text, its category, and hints at its position.

    `occurrence` counts from 1; `before` and `after` are the words around it.
    """

    text: str
    category: str | None = None
    occurrence: int | None = None
    before: str | None = None
    after: str | None = None


class LocatedMention(NamedTuple):
    """The bounds of a mention in the text, or, with bounds of -1, the `reason` why it has none.

    `edits` is the number of edits, -1 if the text matches only after folding (`_fold`). `doubt` is the reason why the
    mention may refer to another occurrence.
    """

    start: int = -1
    end: int = -1
    edits: int = 0
    doubt: str | None = None
    reason: str | None = None


class _Occurrences(NamedTuple):
    """All occurrences of a mention in the text, (start, end) in ascending order, and the edits needed (-1: folding)."""

    spans: list[tuple[int, int]]
    edits: int = 0


class Finder:
    """Finds mentions in one text."""

    def __init__(self, text: str, max_edits: float = MAX_EDITS) -> None:
        self.text = text
        self.max_edits = max_edits
        self.folded, self.origin = _fold(text)
        self.inside_word = np.array([_is_in_word(self.folded, index) for index in range(len(self.folded) + 1)])

    def find(self, mentions: Sequence[Mention]) -> list[LocatedMention]:
        """Return the location of each mention, in the order of the mentions.

        A mention that occurs several times is located by its hints, or else takes the next free occurrence, with a
        doubt.
        """
        occurrences = {text: self._find_occurrences(text) for text in {mention.text for mention in mentions}}
        decisions: list[LocatedMention | None] = [
            self._decide_alone(mention, occurrences[mention.text]) for mention in mentions
        ]
        groups: dict[str, list[int]] = defaultdict(list)
        for index, mention in enumerate(mentions):
            if decisions[index] is None:
                groups[mention.text].append(index)
        for text, indices in groups.items():
            spans = occurrences[text].spans
            if len({mentions[index].category for index in indices}) == 1 and len(indices) == len(spans):
                # The mentions are interchangeable, so their order does not matter.
                for index, span in zip(indices, spans, strict=True):
                    decisions[index] = LocatedMention(*span, occurrences[text].edits)
        self._place_by_order(mentions, occurrences, decisions)
        return [entry for entry in decisions if entry is not None]

    def in_order(self, mentions: Sequence[Mention]) -> list[LocatedMention]:
        """Return the place of each mention of a list in the order of the text: the earliest that the order allows.

        A place has a doubt if the order allows a later one, too. If mentions are not in the order of the text, those
        with several places have none, but a reason.
        """
        occurrences = {text: self._find_occurrences(text) for text in {mention.text for mention in mentions}}
        spans = [occurrences[mention.text].spans for mention in mentions]
        located = [index for index, mention_spans in enumerate(spans) if mention_spans]
        bounds = dict(zip(located, _earliest_and_latest([spans[index] for index in located]), strict=False))
        result = []
        for index, mention in enumerate(mentions):
            n_places = len(spans[index])
            edits = occurrences[mention.text].edits
            if index in bounds:
                first, last = bounds[index]
                doubt = None if first == last else f"it is in the text {n_places} times"
                result.append(LocatedMention(*first, edits, doubt))
            elif n_places == 1:
                result.append(LocatedMention(*spans[index][0], edits))
            elif n_places:
                result.append(LocatedMention(reason=f"it is in the text {n_places} times, and the list is in no order"))
            else:
                result.append(LocatedMention(reason="it is not in the text" if mention.text.strip() else "it is empty"))
        return result

    def _find_occurrences(self, mention: str) -> _Occurrences:
        """Return the occurrences of a mention: exact ones, or else folded ones, or else those with the fewest edits.

        Empty if there are none, or if the mention is blank.
        """
        if not mention.strip():
            return _Occurrences([])
        exact = self._whole_words([(at, at + len(mention)) for at in _occurrences(self.text, mention)])
        if exact:
            return _Occurrences(exact)
        folded = self._whole_words(self._find_folded(mention))
        if folded:
            return _Occurrences(folded, -1)
        return self._find_edited(mention)

    def _find_folded(self, mention: str) -> list[tuple[int, int]]:
        """Return the bounds of the occurrences if case, white space, quotes and dashes are ignored."""
        pattern, _ = _fold(mention.strip())
        if not pattern:
            return []
        return [self._unfold(at, at + len(pattern)) for at in _occurrences(self.folded, pattern)]

    def _unfold(self, start: int, end: int) -> tuple[int, int]:
        """Return the bounds in the text for bounds in the folded text."""
        return int(self.origin[start]), int(self.origin[end - 1]) + 1

    def _find_edited(self, mention: str) -> _Occurrences:
        """Return the occurrences with the fewest edits, at most `max_edits` relative to the length of the mention.

        Empty if there are none, or if mention and text are too long for the table of edits.
        """
        pattern, _ = _fold(mention.strip())
        limit = int(self.max_edits * len(pattern))
        if not limit or len(pattern) * len(self.folded) > _MAX_CELLS:
            return _Occurrences([])
        edits, begin = _fewest_edits(pattern, self.folded, ~self.inside_word)
        end = np.arange(len(edits))
        is_whole = (begin < end) & ~self.inside_word[end] & (edits <= limit)
        if not is_whole.any():
            return _Occurrences([])
        fewest = int(edits[is_whole].min())
        ends = np.flatnonzero(is_whole & (edits == fewest))
        spans = _drop_overlapping(list(zip(begin[ends].tolist(), ends.tolist(), strict=True)), len(pattern))
        return _Occurrences([self._unfold(*span) for span in spans], max(fewest, 1))

    def _whole_words(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the spans that do not begin or end within a word."""
        return [span for span in spans if not any(_is_in_word(self.text, index) for index in span)]

    def _decide_alone(self, mention: Mention, occurrences: _Occurrences) -> LocatedMention | None:
        """Return the location of a mention if it needs no other mention; ``None`` if several occurrences remain."""
        spans, edits = occurrences
        if not spans:
            return LocatedMention(reason="it is not in the text" if mention.text.strip() else "it is empty")
        if mention.occurrence is not None:
            if 1 <= mention.occurrence <= len(spans):
                return LocatedMention(*spans[mention.occurrence - 1], edits)
            return LocatedMention(
                reason=f"it is mentioned as occurrence {mention.occurrence}, and there are {len(spans)}"
            )
        fitting = [span for span in spans if self._fits_context(mention, span)]
        if len(fitting) == 1 and (mention.before or mention.after):
            return LocatedMention(*fitting[0], edits)
        return (
            LocatedMention(*spans[0], edits, self._reason_for_doubt(mention, occurrences, fitting))
            if len(spans) == 1
            else None
        )

    def _reason_for_doubt(
        self, mention: Mention, occurrences: _Occurrences, fitting: list[tuple[int, int]]
    ) -> str | None:
        """Return why a mention may not refer to its only occurrence, ``None`` if nothing suggests it."""
        if not fitting:
            return "the words around it are elsewhere"
        # "us" may be meant by "US", which is in the text as well.
        n_places = len(self._whole_words(self._find_folded(mention.text))) if occurrences.edits == 0 else 1
        return f"it is in the text {n_places} times if case, quotes and dashes are ignored" if n_places > 1 else None

    def _fits_context(self, mention: Mention, span: tuple[int, int]) -> bool:
        """Return whether the folded text around the span has the words `before` and `after` of the mention."""
        before, _ = _fold(self.text[: span[0]])
        after, _ = _fold(self.text[span[1] :])
        expected_before = _fold(mention.before or "")[0]
        expected_after = _fold(mention.after or "")[0]
        return before.strip().endswith(expected_before.strip()) and after.strip().startswith(expected_after.strip())

    def _place_by_order(
        self, mentions: Sequence[Mention], occurrences: dict[str, _Occurrences], decisions: list[LocatedMention | None]
    ) -> None:
        """Fill in the missing decisions: a mention takes its first free occurrence after the previous mention.

        If none is after the previous mention, it takes the first free one; if none is free, it gets a reason.
        """
        taken = {
            (mention.text, entry[:2]) for mention, entry in zip(mentions, decisions, strict=True) if entry is not None
        }
        last = 0
        for index, mention in enumerate(mentions):
            entry = decisions[index]
            if entry is None:
                spans, edits = occurrences[mention.text]
                free = [span for span in spans if (mention.text, span) not in taken]
                later = [span for span in free if span[0] >= last]
                if not free:
                    entry = LocatedMention(
                        reason=f"it is mentioned more often than it is in the text ({len(spans)} times)"
                    )
                else:
                    span = (later or free)[0]
                    taken.add((mention.text, span))
                    entry = LocatedMention(*span, edits, f"it is in the text {len(spans)} times")
                decisions[index] = entry
            if entry.reason is None:
                last = entry.start


def _earliest_and_latest(spans: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return for each mention its first and last span such that all mentions begin in ascending order.

    `spans` lists the occurrences of each mention. Empty if no choice of occurrences is in ascending order.
    """
    earliest: list[tuple[int, int]] = []
    for mention_spans in spans:
        first = next((span for span in mention_spans if not earliest or span[0] > earliest[-1][0]), None)
        if first is None:
            return []
        earliest.append(first)
    latest: list[tuple[int, int]] = []
    for mention_spans in reversed(spans):
        latest.append(next(span for span in reversed(mention_spans) if not latest or span[0] < latest[-1][0]))
    return [*zip(earliest, reversed(latest), strict=True)]


def _fold(text: str) -> tuple[str, IntArray]:
    """Return the text with case, white space, quotes and dashes made equal, and each character's index in `text`.

    A run of white space becomes one blank, and characters without width are dropped.
    """
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
    """Yield the indices at which the pattern begins in the text, overlapping occurrences included."""
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


def _fewest_edits(pattern: str, text: str, can_begin: BoolArray) -> tuple[IntArray, IntArray]:
    """Return, for each end index in the text, the fewest edits of the pattern to a stretch there, and its begin.

    Both arrays have shape (len(text) + 1,). A stretch begins at an index at which `can_begin` is true; index 0 always
    counts. Step i of the loop is the row of the table of edits for the first i characters of the pattern.
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


def _drop_overlapping(spans: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the spans; of spans that overlap, only the one whose length is nearest to `length`."""
    result: list[tuple[int, int]] = []
    for start, end in spans:
        if not result or start >= result[-1][1]:
            result.append((start, end))
        elif abs(end - start - length) < abs(result[-1][1] - result[-1][0] - length):
            result[-1] = (start, end)
    return result
