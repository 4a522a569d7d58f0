r"""Cells of WebAnno TSV 3: their escapes, stacked values and disambiguation ids, there and back.

A backslash takes its meaning from the character behind it, from left to right; so ``\\|`` is a backslash and then a
separator, which readers that look behind separators for a backslash take for an escaped one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NONE = "_"
"""A cell of a layer that has no annotation there."""

NULL = "*"
"""The value of an annotation whose feature is not set."""

ID = re.compile(r"\[([0-9]{1,15})\]\Z")
"""The disambiguation id behind a value."""

LINK = re.compile(r"->([0-9]{1,15}-[0-9]{1,15})\Z")
"""The place in a chain, "chain-element", behind the value of its relation."""

_LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
"""What these stand for behind a backslash; everything else that is escaped stands for itself."""

_NAMES = {character: letter for letter, character in _LETTERS.items()}
_ESCAPED_VALUE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
_ESCAPED_TEXT = re.compile(r"\\(u[0-9a-fA-F]{4}|[\\tnfrb\x00-\x07\x0e-\x1f])")
_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n*]")
_TEXT_TO_ESCAPE = re.compile(r"[\\\t\n\f\r\b\x00-\x07\x0e-\x1f]")
_PIECES = re.compile(r"[^\\|]++|\\.?|\|", re.DOTALL)


def stacked(cell: str) -> list[str]:
    """Return the values of a cell, as they are written; several where annotations of a layer are stacked."""
    if "\\" not in cell:
        return cell.split("|")
    values: list[list[str]] = [[]]
    for piece in _PIECES.findall(cell):
        if piece == "|":
            values.append([])
        else:
            values[-1].append(piece)
    return ["".join(value) for value in values]


def parted(value: str, suffix: re.Pattern[str]) -> tuple[str, str | None]:
    """Return a value and what its suffix (`ID` or `LINK`) says, ``None`` without one."""
    match = suffix.search(value)
    before = value if match is None else value[: match.start()]
    is_escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return (value, None) if match is None or is_escaped else (before, match[1])


def filled_by_id(stacks: Sequence[list[str] | None]) -> list[list[str]] | None:
    """Return columns of stacked values, each with one for every id in any of them; ``None`` if a value has no id."""
    by_id = [{parted(value, ID)[1]: value for value in stack or ()} for stack in stacks]
    names = list(dict.fromkeys(name for values in by_id for name in values))
    if None in names or any(len(values) < len(stack or ()) for values, stack in zip(by_id, stacks, strict=True)):
        return None
    return [[values.get(name, f"{NULL}[{name}]") for name in names] for values in by_id]


def plain_value(written: str) -> str | None:
    """Return the value of a feature, ``None`` where it is not set."""
    return None if written in (NULL, NONE) else _ESCAPED_VALUE.sub(lambda match: _plain(match[1]), written)


def written_value(value: str | None) -> str:
    """Return a value as it is written."""
    return NULL if value is None else _TO_ESCAPE.sub(_escaped, value)


def plain_text(written: str, *, java: bool) -> str:
    r"""Return a line of text; `java` escapes (``\u0041``) are those of versions up to 3.1."""

    def plain(match: re.Match[str]) -> str:
        if len(match[1]) == 1:
            return _plain(match[1])
        return chr(int(match[1][1:], 16)) if java else match[0]

    return _ESCAPED_TEXT.sub(plain, written)


def written_text(line: str) -> str:
    """Return a line of text as it is written."""
    return _TEXT_TO_ESCAPE.sub(_escaped, line)


def _plain(name: str) -> str:
    return _LETTERS.get(name, name)


def _escaped(match: re.Match[str]) -> str:
    return "\\" + _NAMES.get(match[0], match[0])
