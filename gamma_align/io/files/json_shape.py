"""What a JSON file is, told by its beginning alone: which keys stand where, however long the file is."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamma_align.io.files.sources import Head

_DEEPEST = 12
_TOKEN = re.compile(
    r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\n]*+(:?)|([{\[])|([}\]])|(-?\d[\d.eE+-]*+)|(true|false|null)|(")', re.DOTALL
)


@lru_cache(maxsize=4)
def shape(head: Head) -> frozenset[str]:
    """Return the places of keys and values in what a file of JSON, or of JSON Lines, begins with.

    Parameters
    ----------
    head : Head
        The beginning; it may end anywhere.

    Returns
    -------
    frozenset of str
        ``"annotations[].start"`` for a key, with ``":num"``, ``":str"`` or ``":etc"`` behind it for its value, and
        ``"label[][]"`` for a list of lists; without elements if it begins as no JSON.
    """
    text = head.text.lstrip("\ufeff \t\r\n")
    return frozenset(_places(text)) if text[:1] in ("{", "[") else frozenset()


def _places(text: str) -> set[str]:
    found: set[str] = set()
    stack: list[str] = []  # what each open object or list is called
    place = ""
    for match in _TOKEN.finditer(text):
        string, colon, opens, closes, number, _, cut = match.groups()
        if cut:
            break
        if colon:
            inside = stack[-1] if stack else ""
            place = f"{inside}.{string}" if inside else str(string)
            found.add(place)
        elif opens:
            inside = place + "[]" * (opens == "[") if len(stack) < _DEEPEST else "…"
            stack.append(inside)
            found.add(inside)
            place = stack[-1]
        elif closes:
            stack[-1:] = []
            place = stack[-1] if stack else ""
        else:
            found.add(f"{place}:{'str' if string is not None else 'num' if number else 'etc'}")
            place = stack[-1] if stack else ""
    return found
