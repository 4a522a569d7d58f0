r"""Cells of WebAnno TSV 3: their escapes, stacked values and disambiguation ids, there and back.

A backslash takes its meaning from the character behind it, from left to right; so ``\\|`` is a backslash and then a
separator, which readers that look behind separators for a backslash take for an escaped one.
"""

from __future__ import annotations

import re

NONE = "_"
"""A cell of a layer that has no annotation there."""

NULL = "*"
"""The value of an annotation whose feature is not set."""

_VALUE = {"\\": "\\", "[": "[", "]": "]", "|": "|", "_": "_", "->": "->", ";": ";", "t": "\t", "n": "\n", "*": "*"}
_TEXT = {"\\": "\\", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
_CONTROLS = {chr(code): chr(code) for code in (*range(8), *range(14, 32))}
_ESCAPED_VALUE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
_ESCAPED_TEXT = re.compile(r"\\(u[0-9a-fA-F]{4}|[\\tnfrb\x00-\x07\x0e-\x1f])")
_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n*]")
_TEXT_TO_ESCAPE = re.compile(r"[\\\t\n\f\r\b\x00-\x07\x0e-\x1f]")
_PIECES = re.compile(r"[^\\|]++|\\.?|\|", re.DOTALL)
_ID = re.compile(r"\[([0-9]{1,15})\]\Z")
_CHAIN = re.compile(r"->([0-9]{1,15}-[0-9]{1,15})\Z")


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


def with_id(value: str) -> tuple[str, str | None]:
    """Return a value and its disambiguation id, ``None`` without one."""
    return _parted(value, _ID)


def with_place(value: str) -> tuple[str, str | None]:
    """Return the value of a chain's relation and the place in the chain, "chain-element"."""
    return _parted(value, _CHAIN)


def _parted(value: str, suffix: re.Pattern[str]) -> tuple[str, str | None]:
    match = suffix.search(value)
    if match is None:
        return value, None
    before = value[: match.start()]
    if (len(before) - len(before.rstrip("\\"))) % 2:
        return value, None  # the bracket or arrow is escaped
    return before, match.group(1)


def plain_value(written: str) -> str | None:
    """Return the value of a feature, ``None`` where it is not set."""
    if written in (NULL, NONE):
        return None
    return _ESCAPED_VALUE.sub(lambda match: _VALUE[match.group(1)], written)


def written_value(value: str | None) -> str:
    """Return a value as it is written."""
    if value is None:
        return NULL
    names = {plain: name for name, plain in _VALUE.items()}
    return _TO_ESCAPE.sub(lambda match: "\\" + names[match.group()], value)


def plain_text(written: str, *, java: bool) -> str:
    r"""Return a line of text; `java` escapes (``\u0041``) are those of versions up to 3.1."""
    return _ESCAPED_TEXT.sub(lambda match: _character(match, java=java), written)


def _character(match: re.Match[str], *, java: bool) -> str:
    name = match.group(1)
    if len(name) > 1:
        return chr(int(name[1:], 16)) if java else match.group()
    return _TEXT.get(name, name)


def written_text(line: str) -> str:
    """Return a line of text as it is written."""
    names = {plain: name for name, plain in (_TEXT | _CONTROLS).items()}
    return _TEXT_TO_ESCAPE.sub(lambda match: "\\" + names[match.group()], line)
