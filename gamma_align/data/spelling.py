"""Labels that may be one label, written differently."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from gamma_align.columns import IntArray

_MIN_LENGTH = 4  # characters of labels that differ in one letter: shorter ones are often different labels, "per", "peo"


_CONNECTORS = "-_./:,;()[]"  # other signs may mean something: A and A' are two themes of a piece


_JOINING_MARKS = ("\n", "|", ";", ",", "/", "+", "&")
_MIN_JOINED = 2  # cells
_MIN_JOINED_SHARE = 0.03  # of the cells
_MIN_REPEATED = 0.8  # of the parts of labels


def composed(names: Iterable[str]) -> dict[str, str]:
    r"""Return the composed form (NFC) of each name that is written in two forms of Unicode among the names.

    Programs write "é" as one character or as "e" and an accent; on the screen both look the same.

    Examples
    --------
    >>> sorted(map(ascii, composed(["Jos\u00e9", "Jose\u0301", "Rene\u0301"])))
    ["'Jose\\u0301'", "'Jos\\xe9'"]
    """
    spellings: dict[str, set[str]] = {}
    for name in names:
        if not name.isascii():
            spellings.setdefault(unicodedata.normalize("NFC", name), set()).add(name)
    return {name: form for form, names in spellings.items() if len(names) > 1 for name in names}


def in_forms_of(others: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Return for each of the names that differs from one of the others in the form of Unicode alone this other one."""
    other_of = {unicodedata.normalize("NFC", other): other for other in others if not other.isascii()}
    new_names = {name: other_of.get(unicodedata.normalize("NFC", name), name) for name in names}
    return {name: new_name for name, new_name in new_names.items() if name != new_name}


def forms_note(kind: str, name: str) -> str:
    """Return the note on a name that is written in two forms of Unicode; `kind` is what it names."""
    return f"the {kind} {name!r} is written in two forms of Unicode (NFC and NFD); both are read as one {kind}"


def spelling_key(label: str) -> str:
    """Return a label without case, blanks and connecting punctuation; a label of these alone stays as it is.

    Examples
    --------
    >>> spelling_key("Noun phrase"), spelling_key("noun-phrase"), spelling_key("+")
    ('nounphrase', 'nounphrase', '+')
    """
    key = "".join(char for char in label.casefold() if not (char in _CONNECTORS or char.isspace()))
    return key or label


def spelling_groups(labels: Iterable[str]) -> list[list[str]]:
    """Return the labels that differ in case, blanks and connecting punctuation alone, each group in order.

    Examples
    --------
    >>> spelling_groups(["Unit_Type", "unit", "Unit-Type"])
    [['Unit-Type', 'Unit_Type']]
    """
    groups: dict[str, list[str]] = {}
    for label in sorted(labels):
        groups.setdefault(spelling_key(label), []).append(label)
    return [group for group in groups.values() if len(group) > 1]


def are_one_edit_apart(first: str, second: str) -> bool:
    """Return whether two labels of four characters or more differ in one letter, which is not a digit.

    Examples
    --------
    >>> are_one_edit_apart("event", "evnt"), are_one_edit_apart("arg1", "arg2")
    (True, False)
    """
    shorter, longer = sorted((first.casefold(), second.casefold()), key=len)
    if len(shorter) < _MIN_LENGTH or len(longer) - len(shorter) > 1 or shorter == longer:
        return False
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    rest = start + 1 if len(shorter) == len(longer) else start
    differing = longer[start] + shorter[start:rest]
    return shorter[rest:] == longer[start + 1 :] and differing.isalpha()


def joining_mark(labels: Sequence[str], counts: IntArray) -> str | None:
    """Return the mark between the labels that others are made of, None if labels are whole.

    The parts of labels repeat more than the labels do, and are labels themselves, or half as many.

    Examples
    --------
    >>> joining_mark(["a", "b", "a|b"], np.array([3, 2, 4])), joining_mark(["and/or", "not"], np.array([3, 2]))
    ('|', None)
    """
    for mark in _JOINING_MARKS:
        joined = [index for index, label in enumerate(labels) if mark in label]
        if counts[joined].sum() < max(_MIN_JOINED, _MIN_JOINED_SHARE * counts.sum()):
            continue
        parts = Counter[str]()
        for label, count in zip(labels, counts.tolist(), strict=True):
            parts.update({part.strip(): count for part in label.split(mark)})
        n_repeated = sum(count for count in parts.values() if count > 1)
        whole = {*labels} - {labels[index] for index in joined}
        if "" in parts or len(parts) >= len(labels) or n_repeated < _MIN_REPEATED * parts.total():
            continue
        if all({part.strip() for part in labels[index].split(mark)} & whole for index in joined) or (
            2 * len(parts) <= len(labels)
        ):
            return mark
    return None
