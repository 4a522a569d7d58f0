"""Names, positions and counts as they are shown in texts and figures."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

_MAX_DIGITS = 17  # decimals that tell two floats apart
_WIDE = ("W", "F")  # values of the Unicode property East_Asian_Width
_NO_WIDTH = ("Mn", "Me", "Cf")  # Unicode categories
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that change the direction of the text after them, without the line break."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters of formulas in Excel, LibreOffice and Google Sheets, the last four in full width."""
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_JOINERS = "\u200c\u200d"  # not printable by Python, but part of words in Persian and of emojis


def printable(label: str) -> str:
    """Return the label with escapes in place of characters that would break a line or a terminal."""
    return "".join(
        char if char.isprintable() or char in _JOINERS else char.encode("unicode_escape").decode() for char in label
    )


def terminal_text(text: str) -> str:
    """Return a text with escapes in place of control characters other than the line break.

    These would move the cursor, change the title of the window or hide what follows.
    """
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def spreadsheet_text(text: str) -> str:
    """Return a text that no spreadsheet runs as a formula: with an apostrophe before it, unless it is a number."""
    is_run = text.startswith(_FORMULA_STARTS) and not _PLAIN_NUMBER.fullmatch(text)
    return f"'{text}" if is_run else text


def label_text(label: str | None) -> str:
    """Return a category as text: nothing without a category, quotes for the empty label."""
    return "" if label is None else printable(label) or '""'


def digits_above(share: float, limit: float, least: int = 1) -> int:
    """Return the number of decimals, at least `least`, with which a share in percent is written above a lower one.

    Examples
    --------
    >>> digits_above(0.0312, 0.02), digits_above(0.020004, 0.02)
    (1, 4)
    """
    digits = least
    while share > limit and float(f"{100 * share:.{digits}f}") <= 100 * limit and digits < _MAX_DIGITS:
        digits += 1
    return digits


def display_width(text: str) -> int:
    """Return the number of terminal cells of a text: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.category(char) in _NO_WIDTH else 1 + (unicodedata.east_asian_width(char) in _WIDE)
        for char in text
    )


def short_names(names: Iterable[str], max_width: int) -> dict[str, str]:
    """Return each name as it is printed: long ones are cut in the middle to `max_width` characters, or to a few more.

    Different names stay different. If the middle distinguishes names, they are cut around the first difference; if
    `max_width` characters do not distinguish them, they get longer.

    Examples
    --------
    >>> short_names(["annotator_of_crowd_0001", "annotator_of_crowd_0002", "ann"], 12).values()
    dict_values(['annota…_0001', 'annota…_0002', 'ann'])
    >>> short_names(["batch_3/round_1/final", "batch_3/round_2/final"], 12).values()
    dict_values(['bat…1/final', 'bat…2/final'])
    """
    texts = {name: printable(name) for name in names}
    used = {text for text in texts.values() if len(text) <= max_width}
    result = {name: text for name, text in texts.items() if len(text) <= max_width}
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        if name not in result:
            groups.setdefault(_cut(text, max_width), []).append(name)
    for group in groups.values():
        cuts = _distinct_cuts([texts[name] for name in group], max_width, used)
        used |= set(cuts)
        result |= dict(zip(group, cuts, strict=True))
    return {name: result[name] for name in texts}


def short_labels(labels: Iterable[str | None], max_width: int) -> dict[str | None, str]:
    """Return each label as it is printed, "no label" for None, cut as in `short_names`."""
    texts = {label: "no label" if label is None else label_text(label) for label in labels}
    names = short_names(texts.values(), max_width)
    return {label: names[text] for label, text in texts.items()}


def _distinct_cuts(texts: Sequence[str], max_width: int, used: set[str]) -> list[str]:
    """Return the texts, cut as short as possible so that they differ from each other and from the used ones."""
    # The first and the last text in order have the shortest prefix in common.
    pairs = zip(min(texts), max(texts), strict=False)
    common = next((index for index, (one, other) in enumerate(pairs) if one != other), len(min(texts)))
    for width in range(max_width, max(map(len, texts))):
        for cuts in ([_cut(text, width) for text in texts], [_cut_before(text, common, width) for text in texts]):
            if len({*cuts}) == len({*texts}) and used.isdisjoint(cuts):
                return cuts
    return list(texts)


def _cut(text: str, max_width: int) -> str:
    """Return a text of at most `max_width` characters, with an ellipsis in place of its middle."""
    tail = (max_width - 1) // 2
    return text if len(text) <= max_width else f"{text[: max_width - 1 - tail]}…{text[len(text) - tail :]}"


_HEAD_LENGTH = 3  # characters before the ellipsis if a text is cut around a difference


def _cut_before(text: str, index: int, max_width: int) -> str:
    """Return a text of at most `max_width` characters: its head, and the part that begins at an index."""
    if len(text) <= max_width or index <= _HEAD_LENGTH + 1 or index >= len(text):
        return _cut(text, max_width)
    shown = text[index : index + max_width - _HEAD_LENGTH - 1]
    is_cut = index + len(shown) < len(text)
    return f"{text[:_HEAD_LENGTH]}…{shown[:-1]}…" if is_cut else f"{text[:_HEAD_LENGTH]}…{shown}"


def number(value: float) -> str:
    """Return a position without needless digits: 19, 19.25."""
    return format(value + 0.0, ".15g")  # + 0.0: no "-0"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with this number of decimals and a typographic minus; "NA" for NaN."""
    if math.isnan(value):
        return "NA"
    return format(round(value, digits) + 0.0, f".{digits}f").replace("-", "\u2212")


def span(start: float, end: float) -> str:
    """Return the bounds of a unit: 19–25."""
    dash = " – " if start < 0 or end < 0 else "–"
    return f"{number(start)}{dash}{number(end)}"


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts names as people count: "d2" comes before "d10".

    Examples
    --------
    >>> sorted(["d10", "d2", "a"], key=natural_key)
    ['a', 'd2', 'd10']
    """
    # Every other part is a number.
    return [(int(part), "") if index % 2 else (-1, part) for index, part in enumerate(re.split("([0-9]+)", name))]


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
    percents = [math.floor(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda index: (percents[index] - exact[index], index))
    for index in by_remainder[: 100 - sum(percents)]:
        percents[index] += 1
    return percents
