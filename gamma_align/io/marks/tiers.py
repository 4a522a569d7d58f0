"""Tiers of TextGrids and ELAN: what their names say of layer and annotator, and tiers of one name."""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gamma_align.io.marks.marks import Marks

OPTION = "a pattern for the names of tiers, such as '{layer}@{annotator}'"
"""What ``options={"tiers": …}`` is, for messages."""

_SHOWN = 3


class Tier(NamedTuple):
    """Whose a tier is (``None``: its name does not say), and its layer."""

    layer: str
    annotator: str | None


class Names:
    """What the names of tiers say.

    Parameters
    ----------
    pattern : str or None
        With ``{layer}`` and ``{annotator}``; a layer is as short as it can be. Without one, or where a name does not
        fit, the name is the layer.

    Raises
    ------
    SettingsError
        For a pattern without the two fields, or with others.
    """

    def __init__(self, pattern: str | None) -> None:
        self._pattern = None if pattern is None else _compiled(pattern)
        self._text = pattern
        self._other: Counter[str] = Counter()

    def tier(self, name: str) -> Tier:
        """Return layer and annotator that the name says."""
        fits = None if self._pattern is None else self._pattern.fullmatch(name)
        if fits is not None:
            return Tier(fits["layer"], fits["annotator"])
        if self._pattern is not None:
            self._other[name] += 1
        return Tier(name, None)

    def note(self, marks: Marks) -> None:
        """Add a note on tiers whose names do not fit the pattern."""
        if self._other:
            marks.note(
                f"the names of tiers ({self._other.total()}) do not fit {self._text!r}, and are their "
                f"layers: {few(self._other)}"
            )


def _compiled(pattern: str) -> re.Pattern[str]:
    parts = {"layer": "(?P<layer>.+?)", "annotator": "(?P<annotator>.+)"}
    found = []
    try:
        for text, field, spec, conversion in string.Formatter().parse(pattern):
            found.append(re.escape(text))
            if field is not None:
                found.append(parts.pop(field) if not spec and not conversion else "")
    except (KeyError, ValueError):
        parts = {"layer": ""}
    if parts:
        raise SettingsError(f"the option 'tiers' is {pattern!r}, not {OPTION}")
    return re.compile("".join(found), re.DOTALL)


def note_same(marks: Marks, names: Iterable[str]) -> None:
    """Add a note on tiers of one name, which are one layer."""
    several = {repr(name): count for name, count in Counter(names).items() if count > 1}
    if several:
        told = ", ".join(f"{count} {name}" for name, count in list(several.items())[:_SHOWN])
        marks.note(f"tiers of one name are read as one: {told}")


def few(names: Iterable[object]) -> str:
    """Return the first names."""
    names = list(names)
    return ", ".join(map(repr, names[:_SHOWN])) + (" …" if len(names) > _SHOWN else "")
