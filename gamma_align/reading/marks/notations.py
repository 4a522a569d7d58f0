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

_WORDS = {
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

_OUTSIDE = frozenset(("O", "0", "OUT", "OUTSIDE", "OTHER", "NONE", "NULL", "NIL"))
"""Tags of tokens outside of units, in capitals."""

_EMPTY = frozenset(("", "_", "-", "?"))  # cells without a tag

_MARKS = ("-", "_", ":", ".", "/", "|", "+", "#", "@", " ")
_WRAPPED = re.compile(r"""(?:__label__|[<\[({"'])?(.*?)[>\])}"']?""")
_ANY_WORD = "|".join(_WORDS)
_ANY_MARK = f"[{re.escape(''.join(_MARKS))}]"
_HAS_WORD = re.compile(
    rf"\W*(?:__label__)?(?:{_ANY_WORD}){_ANY_MARK}|.*{_ANY_MARK}(?:{_ANY_WORD})\W*\Z", re.IGNORECASE | re.DOTALL
)
_UNIT_GOES_ON = frozenset("BIM")  # letters behind which a unit may continue
_MAX_TAGS_PER_OUTSIDE = 10  # as in columns of categories alone


class Place(NamedTuple):
    """The letter of the place that a token has in a unit (B, I, E, S …), and the category of the unit."""

    letter: str
    category: str


class Notation(NamedTuple):
    """Where the letter or word for the place stands (before or behind the category), and the mark between, or ""."""

    mark: str
    is_suffix: bool

    def place(self, tag: str) -> Place | None:
        """Return the place in a unit that a tag states, ``None`` if it states none."""
        word, category = self._parts(tag)
        letter = _WORDS.get(word.upper())
        return None if letter is None or not category else Place(letter, category)

    def word(self, tag: str) -> str:
        """Return the word of a tag that states a place, "" for another tag."""
        return self._parts(tag)[0] if self.place(tag) is not None else ""

    def _parts(self, tag: str) -> tuple[str, str]:
        """Return what stands where the place is stated, and the rest."""
        content = _content(tag)
        if not self.mark:
            return (content[-1:], content[:-1]) if self.is_suffix else (content[:1], content[1:])
        category, word = content.rpartition(self.mark)[::2] if self.is_suffix else content.partition(self.mark)[::-2]
        return word, category

    def usual(self, tag: str) -> str:
        """Return the tag as the decoders read it; a tag of another notation stays as it is."""
        place = self.place(tag)
        if place is not None:
            return "-".join(place)
        return "O" if _content(tag).upper() in _OUTSIDE else tag

    @property
    def example(self) -> str:
        """How a tag of this notation looks."""
        return f"<category>{self.mark}B" if self.is_suffix else f"B{self.mark}<category>"


_MARKED = tuple(Notation(mark, is_suffix) for is_suffix in (False, True) for mark in _MARKS)
_UNMARKED = (Notation("", is_suffix=False), Notation("", is_suffix=True))


def notation_of(tags: Sequence[str], scheme: str | None = None) -> Notation | None:
    """Return the notation of a column of tags, in order; ``None`` if it is the usual one, or if they are no such tags.

    Tags with a mark are recognised if one category has both a beginning and an inside, or if all tags have a place in a
    unit. Tags without a mark must also follow one another as in units, since a category may begin with any letter,
    unless the user names the `scheme`.
    """
    filled = {tag for tag in tags if not _is_outside(tag)}
    if not filled or all(map(TAG.fullmatch, filled)) or _are_paired(_usual_places(filled)):
        return None
    return _marked_notation(tags, filled, scheme) or _unmarked_notation(tags, filled, scheme)


def _marked_notation(tags: Sequence[str], filled: Collection[str], scheme: str | None) -> Notation | None:
    """Return the notation with a mark between place and category, if tags are in one."""
    marked = [*filter(_HAS_WORD.match, filled)]  # few of the words, if it is a column of words
    if len(marked) > 1:  # a beginning and an inside
        for notation in _MARKED:
            if _are_paired(map(notation.place, marked)):
                return notation
    n_outside = sum(map(_is_outside, tags))
    is_often_outside = _MAX_TAGS_PER_OUTSIDE * n_outside >= len(tags)
    if not (is_often_outside or scheme is not None):
        return None
    for notation in _MARKED:
        # Words such as "in" and "start" also begin categories.
        has_letters = all(notation.mark in tag and len(notation.word(tag)) == 1 for tag in filled)
        if has_letters and _is_in_order(tags, notation, "MEL"):
            return notation
    return None


def _unmarked_notation(tags: Sequence[str], filled: Collection[str], scheme: str | None) -> Notation | None:
    """Return the notation without a mark, if all tags are in one."""
    for notation in _UNMARKED:
        if scheme is not None:
            letters = {place.letter if place is not None else "" for place in map(notation.place, filled)}
            if letters <= set(SCHEMES[scheme]) and _is_in_order(tags, notation, "MEL"):
                return notation
            continue
        if any(notation.place(tag) is None for tag in filled):
            continue
        if _are_paired(map(notation.place, filled)) and _is_in_order(tags, notation, "IMEL"):
            return notation
    return None


def notation_of_labels(labels: Collection[str]) -> Notation | None:
    """Return the notation in which labels, in no order, are tags; ``None`` if they are not.

    Two labels must begin and continue units of one category, and say so with a letter. Without a mark all labels must
    be tags, and each category must have both, since a category may begin with any letter.
    """
    filled = {label for label in labels if not _is_outside(label)}
    for notation in (*_MARKED, *_UNMARKED):
        # Words such as "start" and "middle" also name parts of a unit.
        places = [place for label in filled if len(notation.word(label)) == 1 and (place := notation.place(label))]
        paired = _paired_categories(places)
        is_complete = len(places) == len(filled) and paired == {place.category for place in places}
        if paired and (notation.mark or is_complete):
            return notation
    return None


def _content(tag: str) -> str:
    match = _WRAPPED.fullmatch(tag.strip())
    return match[1] if match else tag


def _is_outside(tag: str) -> bool:
    return tag in _EMPTY or _content(tag).upper() in _OUTSIDE


def _usual_places(tags: Iterable[str]) -> Iterator[Place]:
    for match in map(TAG.fullmatch, tags):
        if match is not None and match[2]:
            yield Place(match[1], match[2])


def _paired_categories(places: Iterable[Place | None]) -> set[str]:
    """Return the categories of which one tag begins a unit and another one is inside."""
    letters: defaultdict[str, set[str]] = defaultdict(set)
    for place in places:
        if place is not None:
            letters[place.category].add(place.letter)
    return {category for category, found in letters.items() if "B" in found and found & {"I", "M"}}


def _are_paired(places: Iterable[Place | None]) -> bool:
    return bool(_paired_categories(places))


def _is_in_order(tags: Sequence[str], notation: Notation, letters: str) -> bool:
    """Whether the tags with these letters follow a tag of the same unit."""
    places = [None if _is_outside(tag) else notation.place(tag) for tag in tags]
    for before, place in pairwise([None, *places]):
        if place is not None and place.letter in letters:
            follows = before is not None and before.letter in _UNIT_GOES_ON and before.category == place.category
            if not follows:
                return False
    return True
