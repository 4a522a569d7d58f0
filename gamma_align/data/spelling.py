"""Labels that may be one label, written differently."""

from __future__ import annotations

_MIN_LENGTH = 4  # characters of labels that differ in one letter: shorter ones are often different labels, "per", "peo"


_CONNECTORS = " -_./:,;()[]\t"  # other signs may mean something: A and A' are two themes of a piece


def spelling_key(label: str) -> str:
    """Return a label without case, blanks and connecting punctuation; a label of these alone stays as it is.

    Examples
    --------
    >>> spelling_key("Noun phrase"), spelling_key("noun-phrase"), spelling_key("+")
    ('nounphrase', 'nounphrase', '+')
    """
    key = "".join(char for char in label.casefold() if char not in _CONNECTORS)
    return key or label


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
