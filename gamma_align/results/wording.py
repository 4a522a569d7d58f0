"""Names, positions and counts as people read them, in texts and in pictures."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

_WIDE = ("W", "F")
_NO_WIDTH = ("Mn", "Me", "Cf")
_JOINERS = "\u200c\u200d"


def printable(label: str) -> str:
    """Return the label with everything that would upset a line or a terminal written as an escape."""
    return "".join(
        char if char.isprintable() or char in _JOINERS else char.encode("unicode_escape").decode() for char in label
    )


def label_text(label: str | None) -> str:
    """Return a category for people: nothing for none, quotes for the empty label."""
    return "" if label is None else printable(label) or '""'


def display_width(text: str) -> int:
    """Return the number of terminal cells of a text: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.category(char) in _NO_WIDTH else 1 + (unicodedata.east_asian_width(char) in _WIDE)
        for char in text
    )


def number(value: float) -> str:
    """Return a position as people write it: 19, 19.25."""
    return format(value + 0.0, ".15g")  # + 0.0: no "-0"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals and a true minus; "NA" for NaN."""
    if math.isnan(value):
        return "NA"
    return format(round(value, digits) + 0.0, f".{digits}f").replace("-", "\u2212")


def span(start: float, end: float) -> str:
    """Return the bounds of a unit: 19–25."""
    dash = " – " if start < 0 or end < 0 else "–"
    return f"{number(start)}{dash}{number(end)}"


def counted(count: int, noun: str) -> str:
    """Return "1 unit", "2 units"."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def whole_percents(parts: Sequence[float]) -> list[int]:
    """Return shares in whole percents that add up to 100, by largest remainder; zeros if there is nothing to share.

    Examples
    --------
    >>> whole_percents([1, 1, 1])
    [34, 33, 33]
    """
    total = math.fsum(parts)
    if not total > 0:
        return [0] * len(parts)
    exact = [100 * part / total for part in parts]
    whole = [math.floor(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda index: (whole[index] - exact[index], index))
    for index in by_remainder[: 100 - sum(whole)]:
        whole[index] += 1
    return whole
