r"""Cells of WebAnno TSV 3: their escapes, stacked values and disambiguation ids, there and back.

A backslash takes its meaning from the character behind it, from left to right; so ``\\|`` is a backslash and then a
separator, which readers that look behind separators for a backslash take for an escaped one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

NONE = "_"
"""A cell of a layer that has no annotation there."""

NULL = "*"
"""The value of an annotation if its feature is not set."""

ID = re.compile(r"\[([0-9]{1,15})\]\Z")
"""The disambiguation id behind a value."""

LINK = re.compile(r"->([0-9]{1,15}-[0-9]{1,15})\Z")
"""The position in a chain, "chain-element", behind the value of its relation."""

_ESCAPED_CHARACTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
"""Meanings of letters behind a backslash; any other character stands for itself."""

_ESCAPE_LETTERS = {character: letter for letter, character in _ESCAPED_CHARACTERS.items()}
_ESCAPED_VALUE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
_ESCAPED_TEXT = re.compile(r"\\(u[0-9a-fA-F]{4}|[\\tnfrb\x00-\x07\x0e-\x1f])")
_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n*]")
_TEXT_TO_ESCAPE = re.compile(r"[\\\t\n\f\r\b\x00-\x07\x0e-\x1f]")
_CELL_PIECES = re.compile(r"[^\\|]++|\\.?|\|", re.DOTALL)


def split_stack(cell: str) -> list[str]:
    """Return the values of a cell, still escaped; there are several if annotations of a layer are stacked."""
    if "\\" not in cell:
        return cell.split("|")
    values: list[list[str]] = [[]]
    for piece in _CELL_PIECES.findall(cell):
        if piece == "|":
            values.append([])
        else:
            values[-1].append(piece)
    return ["".join(value) for value in values]


def split_suffix(value: str, suffix: re.Pattern[str]) -> tuple[str, str | None]:
    """Return a value without its suffix (`ID` or `LINK`), and the content of the suffix or ``None``."""
    match = suffix.search(value)
    before = value if match is None else value[: match.start()]
    # After an odd number of backslashes the suffix is part of the value.
    is_escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return (value, None) if match is None or is_escaped else (before, match[1])


def fill_by_id(stacks: Sequence[list[str] | None]) -> list[list[str]] | None:
    """Return columns of stacked values in which each id of any column has a value, `NULL` where it had none.

    ``None`` if a value has no id. A column of ``None`` has no values.
    """
    by_id = [{split_suffix(value, ID)[1]: value for value in stack or ()} for stack in stacks]
    names = list(dict.fromkeys(chain.from_iterable(by_id)))
    if None in names or any(len(values) < len(stack or ()) for values, stack in zip(by_id, stacks, strict=True)):
        return None
    return [[values.get(name, f"{NULL}[{name}]") for name in names] for values in by_id]


def unescape_value(written: str) -> str | None:
    """Return the value of a feature without escapes, ``None`` if it is not set."""
    return None if written in (NULL, NONE) else _ESCAPED_VALUE.sub(lambda match: _unescape_character(match[1]), written)


def escape_value(value: str | None) -> str:
    """Return a value with its special characters escaped, `NULL` for ``None``."""
    return NULL if value is None else _TO_ESCAPE.sub(_escape_match, value)


def unescape_text(written: str, *, java: bool) -> str:
    r"""Return a line of text; versions up to 3.1 have `java` escapes (``\u0041``)."""

    def plain(match: re.Match[str]) -> str:
        if len(match[1]) == 1:
            return _unescape_character(match[1])
        return chr(int(match[1][1:], 16)) if java else match[0]

    return _ESCAPED_TEXT.sub(plain, written)


def escape_text(line: str) -> str:
    """Return a line of text with its special characters escaped."""
    return _TEXT_TO_ESCAPE.sub(_escape_match, line)


def _unescape_character(name: str) -> str:
    return _ESCAPED_CHARACTERS.get(name, name)


def _escape_match(match: re.Match[str]) -> str:
    return "\\" + _ESCAPE_LETTERS.get(match[0], match[0])
