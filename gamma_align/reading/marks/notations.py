"""Other ways to write tags of tokens than ``B-PER``: ``PER-B``, ``B:PER``, ``BPER``, ``b-per``, ``__label__B-PER``.

A notation is recognised by the tags of a whole column or file; `Notation.usual` then rewrites each tag as the decoders
read it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

TAG = re.compile(r"O|([BIESLUM])(?:[-_](.+))?")
"""A tag; one without a category is of a unit without one."""

SCHEMES = {"iob1": "BI", "iob2": "BI", "bioes": "BIES", "bilou": "BILU", "bmes": "BMES"}
"""Prefixes of each scheme."""

_LETTER_OF_WORD = {
    **{letter: letter for letter in "BIESLUM"},
    **dict.fromkeys(("BEG", "BEGIN", "BEGINNING", "START"), "B"),
    **dict.fromkeys(("IN", "INSIDE", "INTERMEDIATE"), "I"),
    **dict.fromkeys(("MID", "MIDDLE"), "M"),
    **dict.fromkeys(("END", "ENDING"), "E"),
    "LAST": "L",
    **dict.fromkeys(("SINGLE", "SINGLETON"), "S"),
    **dict.fromkeys(("UNIT", "UNIQUE"), "U"),
}
"""Letters of the usual tags by the words that stand for them."""

_OUTSIDE_TAGS = frozenset(("O", "0", "OUT", "OUTSIDE", "OTHER", "NONE", "NULL", "NIL"))
"""Tags of tokens outside of units, in capitals."""

_EMPTY_CELLS = frozenset(("", "_", "-", "?"))  # cells without a tag

_SEPARATORS = ("-", "_", ":", ".", "/", "|", "+", "#", "@", " ")
_WRAPPED_TAG = re.compile(r"""(?:__label__|[<\[({"'])?(.*?)[>\])}"']?""")
_ANY_WORD = "|".join(_LETTER_OF_WORD)
_ANY_MARK = f"[{re.escape(''.join(_SEPARATORS))}]"
_HAS_WORD = re.compile(
    rf"\W*(?:__label__)?(?:{_ANY_WORD}){_ANY_MARK}|.*{_ANY_MARK}(?:{_ANY_WORD})\W*\Z", re.IGNORECASE | re.DOTALL
)
_UNIT_GOES_ON = frozenset("BIM")  # letters behind which a unit may continue
_MAX_TAGS_PER_OUTSIDE = 10  # as in columns of categories alone


class TagParts(NamedTuple):
    """A tag taken apart: the letter for the position of a token in a unit (B, I, E, S …), and the unit's category."""

    letter: str
    category: str


class Notation(NamedTuple):
    """The order of position and category in a tag, and the `mark` between them ("" if there is none)."""

    mark: str
    is_suffix: bool

    def split(self, tag: str) -> TagParts | None:
        """Return the position letter and category of a tag, ``None`` if the tag is not in this notation."""
        word, category = self._split_at_mark(tag)
        letter = _LETTER_OF_WORD.get(word.upper())
        return None if letter is None or not category else TagParts(letter, category)

    def word(self, tag: str) -> str:
        """Return the word or letter that states the position in a tag, "" if the tag is not in this notation."""
        return self._split_at_mark(tag)[0] if self.split(tag) is not None else ""

    def _split_at_mark(self, tag: str) -> tuple[str, str]:
        """Return the part of a tag where this notation has the position, and the other part; neither is checked."""
        content = _content(tag)
        if not self.mark:
            return (content[-1:], content[:-1]) if self.is_suffix else (content[:1], content[1:])
        if self.is_suffix:
            category, _, word = content.rpartition(self.mark)
        else:
            word, _, category = content.partition(self.mark)
        return word, category

    def standardised(self, tag: str) -> str:
        """Return the tag as the decoders read it ("B-PER", "O"); a tag in another notation is returned unchanged."""
        parts = self.split(tag)
        if parts is not None:
            return "-".join(parts)
        return "O" if _content(tag).upper() in _OUTSIDE_TAGS else tag

    @property
    def example(self) -> str:
        """An example of a tag in this notation, for messages."""
        return f"<category>{self.mark}B" if self.is_suffix else f"B{self.mark}<category>"


_NOTATIONS_WITH_MARK = tuple(Notation(mark, is_suffix) for is_suffix in (False, True) for mark in _SEPARATORS)
_NOTATIONS_WITHOUT_MARK = (Notation("", is_suffix=False), Notation("", is_suffix=True))


def notation_of(tags: Sequence[str], scheme: str | None = None) -> Notation | None:
    """Return the notation of a column of tags, ``None`` if it is the usual one (``B-PER``) or no such column.

    `tags` are in the order of the tokens. Tags with a mark are recognised if one category has both a beginning and an
    inside, or if all tags have a position letter. Tags without a mark must also follow one another as in units, since a
    category may begin with any letter, unless the user names the `scheme`.
    """
    filled = {tag for tag in tags if not _is_outside(tag)}
    if not filled or all(map(TAG.fullmatch, filled)) or _are_paired(_split_standard(filled)):
        return None
    return _marked_notation(tags, filled, scheme) or _unmarked_notation(tags, filled, scheme)


def _marked_notation(tags: Sequence[str], filled: Collection[str], scheme: str | None) -> Notation | None:
    """Return the notation with a mark between position and category that the tags are in, ``None`` if there is none."""
    marked = [*filter(_HAS_WORD.match, filled)]  # few of the words, if it is a column of words
    if len(marked) > 1:  # a beginning and an inside
        for notation in _NOTATIONS_WITH_MARK:
            if _are_paired(map(notation.split, marked)):
                return notation
    n_outside = sum(map(_is_outside, tags))
    is_often_outside = _MAX_TAGS_PER_OUTSIDE * n_outside >= len(tags)
    if not (is_often_outside or scheme is not None):
        return None
    for notation in _NOTATIONS_WITH_MARK:
        # Words such as "in" and "start" also begin categories.
        has_letters = all(notation.mark in tag and len(notation.word(tag)) == 1 for tag in filled)
        if has_letters and _is_in_order(tags, notation, "MEL"):
            return notation
    return None


def _unmarked_notation(tags: Sequence[str], filled: Collection[str], scheme: str | None) -> Notation | None:
    """Return the notation without a mark that all tags are in, ``None`` if there is none."""
    for notation in _NOTATIONS_WITHOUT_MARK:
        if scheme is not None:
            letters = {parts.letter if parts is not None else "" for parts in map(notation.split, filled)}
            if letters <= set(SCHEMES[scheme]) and _is_in_order(tags, notation, "MEL"):
                return notation
            continue
        if any(notation.split(tag) is None for tag in filled):
            continue
        if _are_paired(map(notation.split, filled)) and _is_in_order(tags, notation, "IMEL"):
            return notation
    return None


def notation_of_labels(labels: Collection[str]) -> Notation | None:
    """Return the notation in which labels, in no order, are tags of tokens; ``None`` if they are not.

    Two labels must begin and continue units of one category, each with a single letter. Without a mark all labels must
    be tags, and each category must have both, since a category may begin with any letter.
    """
    filled = {label for label in labels if not _is_outside(label)}
    for notation in (*_NOTATIONS_WITH_MARK, *_NOTATIONS_WITHOUT_MARK):
        # Words such as "start" and "middle" also name parts of a unit.
        label_parts = [parts for label in filled if len(notation.word(label)) == 1 and (parts := notation.split(label))]
        paired = _paired_categories(label_parts)
        is_complete = len(label_parts) == len(filled) and paired == {parts.category for parts in label_parts}
        if paired and (notation.mark or is_complete):
            return notation
    return None


def _content(tag: str) -> str:
    """Return a tag without blanks and the brackets or label prefix around it."""
    match = _WRAPPED_TAG.fullmatch(tag.strip())
    return match[1] if match else tag


def _is_outside(tag: str) -> bool:
    """Return whether a tag says that its token is in no unit."""
    return tag in _EMPTY_CELLS or _content(tag).upper() in _OUTSIDE_TAGS


def _split_standard(tags: Iterable[str]) -> Iterator[TagParts]:
    """Yield the parts of the tags that are in the usual notation (``B-PER``) and have a category; skip other tags."""
    for match in map(TAG.fullmatch, tags):
        if match is not None and match[2]:
            yield TagParts(match[1], match[2])


def _paired_categories(tag_parts: Iterable[TagParts | None]) -> set[str]:
    """Return the categories for which one tag begins a unit and another one is inside."""
    letters: defaultdict[str, set[str]] = defaultdict(set)
    for parts in tag_parts:
        if parts is not None:
            letters[parts.category].add(parts.letter)
    return {category for category, used in letters.items() if "B" in used and used & {"I", "M"}}


def _are_paired(tag_parts: Iterable[TagParts | None]) -> bool:
    """Return whether any category has both a tag that begins a unit and one that is inside."""
    return bool(_paired_categories(tag_parts))


def _is_in_order(tags: Sequence[str], notation: Notation, letters: str) -> bool:
    """Return whether each tag with one of these letters follows a tag that its unit can continue."""
    tag_parts = [None if _is_outside(tag) else notation.split(tag) for tag in tags]
    for before, parts in pairwise([None, *tag_parts]):
        if parts is not None and parts.letter in letters:
            follows = before is not None and before.letter in _UNIT_GOES_ON and before.category == parts.category
            if not follows:
                return False
    return True
