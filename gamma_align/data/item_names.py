"""What the names of columns tell in a table of items."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gamma_align.data.words import SURE, fits, without_accents

_ID_ENDINGS = frozenset(["id", "ids", "uid", "uuid", "guid", "idx", "index", "nr", "key", "no", "num", "number"])
_ID_BEGINNINGS = frozenset(["id", "ids", "nr", "nummer", "numero"])
_SAVED_INDEX = re.compile(r"(unnamed_\d+|level_\d+)?")
"""Names that pandas gives the index of a data frame in a file: "" and "Unnamed: 0"."""
_NUMBERED_NAME = re.compile(r"(.*?)[\W_]*\d+")
_NUMBERED_CODER = re.compile(r"(.*?)[\W_]*(?:\d+|(?<![A-Z])[A-Z](?![a-z]))(.*)")
_NAME_ENDINGS = _ID_ENDINGS | frozenset(["name", "names", "in", "innen"])  # "Annotator/in"


def names_annotators(name: str) -> bool:
    """Return whether a name is that of a column of annotators, perhaps after other words: "amt_worker_ids"."""
    fit = fits(name, "annotator")
    return fit >= SURE or (fit > 0 and _last_word(name) in _NAME_ENDINGS)


def names_coder(name: str) -> bool:
    """Return whether a name is a word for a coder with a number: "rater 2", "r2"."""
    return is_stem_of("coder", stem_of(name))


def named_as_coders(names: Iterable[str]) -> list[str]:
    """Return the columns of numbered coders, such as "Coder1Text" and "Coder2Text", or "ExpertA" and "ExpertB"."""
    series: dict[tuple[str, str], list[str]] = {}
    for name in names:
        match = _NUMBERED_CODER.fullmatch(name.strip())
        if match is not None and (is_stem_of("coder", without_accents(match[1])) or names_annotators(match[1])):
            series.setdefault((match[1], match[2]), []).append(name)
    longest = max(series.values(), key=len, default=[])
    return longest if len(longest) > 1 else []


def named_as_counts(names: Iterable[str]) -> list[str]:
    """Return the columns of votes or counts of a category each, such as "joy_vote" and "anger_vote"."""
    found = [name for name in names if fits(name, "count")]
    return found if len(found) > 1 else []


def stem_of(name: str) -> str | None:
    """Return the letters before the number at the end of a name, None for a name without a number."""
    match = _NUMBERED_NAME.fullmatch(name.strip())
    return None if match is None else without_accents(match[1])


def is_stem_of(kind: str, stem: str | None) -> bool:
    """Return whether a stem is a usual one of numbered columns of this kind: "item" or "coder"."""
    return stem is not None and fits(stem, f"{kind}_stem") >= SURE


def judgments(names: Iterable[str]) -> list[str]:
    """Return the names that are usual names of a column of judgments of items."""
    names = list(names)
    for role in ("category", "judgment"):
        found = [name for name in names if fits(name, role) >= SURE]
        if found:
            return found
    return []


def bounds_of(names: Iterable[str]) -> tuple[str, str] | tuple[()]:
    """Return the names of columns with the start, and with the end or the duration, of units, if both are there."""
    names = list(names)
    start = next((name for name in names if fits(name, "start") >= SURE), None)
    end = next((name for role in ("end", "duration") for name in names if fits(name, role) >= SURE), None)
    return () if start is None or end is None else (start, end)


def is_item_id(name: str) -> bool:
    """Return whether a column with this name identifies the items of a table with a row per item."""
    if any(fits(name, role) >= SURE for role in ("id", "item", "document", "part")):
        return True
    is_ending = ends_as_id(name) or _SAVED_INDEX.fullmatch(without_accents(name)) is not None
    return is_ending and not names_annotators(name)


def ends_as_id(name: str) -> bool:
    """Return whether the last word of a name is one for ids or numbers."""
    words = without_accents(name).split("_")
    first = words[0]
    last = words[-1]
    return last in _ID_ENDINGS or first in _ID_BEGINNINGS or last.endswith(("nummer", "nr"))


def is_item_text(name: str) -> bool:
    """Return whether a column with this name has the texts of items."""
    return fits(name, "item_text") >= SURE or _last_word(name) in ("text", "texts", "tweet", "sentence")


def is_about_item(name: str) -> bool:
    """Return whether a column with this name describes items or judgments, and is neither an id nor a coder."""
    return max(fits(name, "item_about"), fits(name, "about")) >= SURE


def is_no_coder(name: str) -> bool:
    """Return whether a column with this name is an id, a text or a remark."""
    return is_item_id(name) or is_item_text(name) or is_about_item(name)


def is_reference(name: str) -> bool:
    """Return whether a column with this name has a reference, a prediction, or a summary of several coders."""
    return fits(name, "reference") > 0 or fits(name, "category") >= SURE


def names_result(name: str) -> bool:
    """Return whether a file with this name has a result of several coders, by a word in its name."""
    return fits(name, "reference") > 0 or fits(name, "summary") > 0


def _last_word(name: str) -> str:
    return without_accents(name).split("_")[-1]
