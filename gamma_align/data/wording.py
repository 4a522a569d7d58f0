"""Names, positions and counts as people read them, in texts and in pictures."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence

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


def short_names(names: Iterable[str], most: int) -> dict[str, str]:
    """Return each name as it is printed: long ones are cut in the middle to `most` characters, or to a few more.

    Different names stay different. If the middle distinguishes names, they are cut around the first difference; if
    `most` characters do not distinguish them, they get longer.

    Examples
    --------
    >>> short_names(["annotator_of_crowd_0001", "annotator_of_crowd_0002", "ann"], 12).values()
    dict_values(['annota…_0001', 'annota…_0002', 'ann'])
    >>> short_names(["batch_3/round_1/final", "batch_3/round_2/final"], 12).values()
    dict_values(['bat…1/final', 'bat…2/final'])
    """
    texts = {name: printable(name) for name in names}
    taken = {text for text in texts.values() if len(text) <= most}
    result = {name: text for name, text in texts.items() if len(text) <= most}
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        if name not in result:
            groups.setdefault(_cut(text, most), []).append(name)
    for group in groups.values():
        cuts = _distinct_cuts([texts[name] for name in group], most, taken)
        taken |= set(cuts)
        result |= dict(zip(group, cuts, strict=True))
    return {name: result[name] for name in texts}


def short_labels(labels: Iterable[str | None], most: int) -> dict[str | None, str]:
    """Return each label as it is printed, "no label" for None, cut as in `short_names`."""
    texts = {label: "no label" if label is None else label_text(label) for label in labels}
    names = short_names(texts.values(), most)
    return {label: names[text] for label, text in texts.items()}


def _distinct_cuts(texts: Sequence[str], most: int, taken: set[str]) -> list[str]:
    """Return the texts, cut as short as possible so that they differ from each other and from what is taken."""
    first, last = min(texts), max(texts)
    same = next((index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    for width in range(most, max(map(len, texts))):
        for cuts in ([_cut(text, width) for text in texts], [_cut_before(text, same, width) for text in texts]):
            if len({*cuts}) == len({*texts}) and taken.isdisjoint(cuts):
                return cuts
    return list(texts)


def _cut(text: str, most: int) -> str:
    """Return a text in at most so many characters, its middle replaced by an ellipsis."""
    tail = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


_HEAD = 3  # characters that stay before the ellipsis if a text is cut around a difference


def _cut_before(text: str, index: int, most: int) -> str:
    """Return a text in at most so many characters: its head, and what begins at an index."""
    if len(text) <= most or index <= _HEAD + 1 or index >= len(text):
        return _cut(text, most)
    shown = text[index : index + most - _HEAD - 1]
    is_cut = index + len(shown) < len(text)
    return f"{text[:_HEAD]}…{shown[:-1]}…" if is_cut else f"{text[:_HEAD]}…{shown}"


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
