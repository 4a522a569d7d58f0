"""Tags of tokens as units: IOB1, IOB2, BIOES, BILOU and BMES, each decoded as conlleval does.

References
----------
Ramshaw & Marcus 1995, Text chunking using transformation-based learning (IOB1); Tjong Kim Sang & Veenstra 1999,
Representing text chunks (IOB2, IOE); https://www.clips.uantwerpen.be/conll2000/chunking/conlleval.txt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

TAG = re.compile(r"O|([BIESLUM])(?:-(.+))?")
"""A tag; one without a category is of a unit without one."""

UNSEEN = "?"
"""What stands where an annotator was not shown the token."""

SCHEMES = {"iob1": "BI", "iob2": "BI", "bioes": "BIES", "bilou": "BILU", "bmes": "BMES"}
"""Prefixes of each scheme."""

_LAST = frozenset("ESLU")
_INSIDE = frozenset("BIM")


class Decoded(NamedTuple):
    """A unit: its tokens, the category, and the line of the first."""

    start: int
    end: int
    category: str | None
    line: int


class Decoder:
    """Tags of one column, in order, to units; what was odd is counted.

    A unit begins with B, S or U, and with any other tag after O, the end of a unit or another category: so conlleval
    takes what begins without its tag. It ends with E, S, L or U, and before what begins another.
    """

    def __init__(self) -> None:
        self.prefixes: set[str] = set()
        self._without_begin = 0
        self._without_end = 0
        self._without_either = 0
        self._free_begins = 0
        self._open: Decoded | None = None
        self._begun = True
        self._prefix = "O"
        self._kind: str | None = None

    def tag(self, place: int, tag: str, line: int) -> Iterator[Decoded]:
        """Take the tag of a token, which fits `TAG`; yield the unit that ends before it or with it."""
        fits = TAG.fullmatch(tag)
        prefix, kind = (fits.group(1) or "O", fits.group(2)) if fits else ("O", None)
        same = self._open is not None and kind == self._kind
        if prefix in "OBSU" or not same:
            yield from self._closed(place)
        if prefix != "O":
            self.prefixes.add(prefix)
            if self._open is None:
                self._open = Decoded(place, place, kind, line)
                self._begun = prefix in "BSU"
                self._free_begins += prefix == "B" and not same
        self._prefix, self._kind = prefix, kind
        if prefix in _LAST:
            yield from self._closed(place + 1)

    def end(self, place: int) -> Iterator[Decoded]:
        """Take the end of a sentence before the token at `place`; yield the unit that ends there."""
        yield from self._closed(place)

    def _closed(self, place: int) -> Iterator[Decoded]:
        if self._open is not None:
            unit, self._open = self._open._replace(end=place), None
            self._without_begin += not self._begun
            self._without_end += self._prefix in _INSIDE
            self._without_either += not self._begun or self._prefix in _INSIDE
            yield unit

    def scheme(self) -> str | None:
        """Return what the tags were, as far as they say; ``None`` without units."""
        if not self.prefixes:
            return None
        ends = [name for name, letters in (("bioes", "ES"), ("bilou", "LU")) if self.prefixes & set(letters)]
        if "M" in self.prefixes:
            return "bmes"
        if ends:
            return " and ".join(ends)
        return "iob1" if self._without_begin and not self._free_begins else "iob2"

    def repaired(self, scheme: str) -> int:
        """Return how many units begin or end without the tag that the scheme asks for."""
        return {"iob1": 0, "iob2": self._without_begin}.get(scheme, self._without_either)
