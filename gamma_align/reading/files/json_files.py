"""JSON and JSON Lines as annotation tools write them; damaged files are refused with the line and a cure.

Also refused are ``NaN`` and ``Infinity``, integers of hundreds of digits, a key that an object has twice, half a
character (a lone surrogate), and nesting deeper than in any annotation.

Checkers (`need`, `get`, `number`) raise a `FaultError` for a value of another kind; within `as_problem` it becomes a
problem of the file, and the reader goes on with the next record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NoReturn, TypeVar

from gamma_align.errors import InputError, Location, Where
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.marks.marks import Marks

T = TypeVar("T")  # the kind of a value

_MAX_DIGITS = 300  # of an integer; 10^300 still is a float
# JSON's blanks; `\s` would match others too.
_WHITESPACE = re.compile(r"[ \t\r\n]*+")
_TOKEN_PATTERN = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]:,]|-?Infinity|NaN|-?\d++(?:\.\d++)?(?:[eE][-+]?\d++)?', re.DOTALL
)
_ESCAPE_PATTERN = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_KIND_NAMES = {dict: "an object {…}", list: "a list […]", str: "a string", int: "an integer", bool: "true or false"}
_MAX_SHOWN = 40  # characters of a value in a message
_MAX_DEPTH = 500  # of objects and lists; Python's parser fails not far beyond, in every version


class FaultError(InputError):
    """A value of the wrong kind; its problem has no location yet."""


class _RefusedError(ValueError):
    """A token that Python's parser accepts but that is no valid data."""


def document(source: Source, *, constants: bool = False) -> object:
    """Return the only value of a JSON file; with `constants`, NaN and Infinity are allowed as numbers."""
    text = source.text()
    begin = _skip_blanks(text, 0)
    if begin == len(text):
        raise InputError("the file is empty", "export it again", Location(source.name))
    value, end = _value(text, begin, source.name, constants=constants)
    end = _skip_blanks(text, end)
    if end != len(text):
        remainder = _clip(text[end : end + _MAX_SHOWN])
        raise InputError(
            f"{remainder!r} follows the end of the JSON value",
            "if each line has a value, name the file .jsonl",
            Location(source.name, _line_number(text, end)),
        )
    return value


def lines(source: Source) -> Iterator[tuple[int, object]]:
    """Yield (first line, value) of each value in a file of JSON Lines, or of values one after another.

    Blank lines are skipped; a value may extend over several lines.
    """
    text = source.text()
    line = 1
    counted_to = 0
    begin = _skip_blanks(text, 0)
    while begin < len(text):
        # Each line end is counted once, not from the beginning of the file for each value.
        line += text.count("\n", counted_to, begin)
        counted_to = begin
        value, end = _value(text, begin, source.name)
        yield line, value
        begin = _skip_blanks(text, end)


def need(value: object, kind: type[T], name: str) -> T:
    """Return the value, if it is of the kind (dict, list, str, int or bool)."""
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise FaultError(f"{name} is {shown(value)}, not {_KIND_NAMES.get(kind, kind.__name__)}", "correct or delete it")


def get(mapping: dict[str, object], key: str, kind: type[T], of: str = "the record") -> T:
    """Return the value of a key if it is of the kind."""
    if key not in mapping:
        raise FaultError(f"{of} has no {key!r}", "correct or delete it")
    return need(mapping[key], kind, f"{key!r} of {of}")


def maybe(mapping: dict[str, object], key: str, kind: type[T], of: str = "the record") -> T | None:
    """Return the value of a key if it is of the kind, ``None`` if it is null or missing."""
    value = mapping.get(key)
    return None if value is None else need(value, kind, f"{key!r} of {of}")


def number(mapping: dict[str, object], key: str, of: str = "the unit") -> int | float:
    """Return the value of a key if it is a number."""
    value = mapping.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    fault = f"has no {key!r}" if key not in mapping else f"has {shown(value)} as {key!r}, not a number"
    raise FaultError(f"{of} {fault}", "correct or delete it")


@contextmanager
def as_problem(marks: Marks, location: Where | None) -> Iterator[None]:
    """Turn a `FaultError` raised in the block into a problem of the file, and go on after the block."""
    try:
        yield
    except FaultError as fault:
        marks.problem(location, fault.problem.cause, fault.problem.cure)


def shown(value: object) -> str:
    """Return a short description of a value for messages."""
    if isinstance(value, dict):
        return "an object {…}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value) if len(repr(value)) <= _MAX_SHOWN else f"{repr(value)[: _MAX_SHOWN - 1]}…"


def _value(text: str, begin: int, name: str, *, constants: bool = False) -> tuple[object, int]:
    """Return the value that begins at an index of the text, and the index of its end."""
    try:
        value, end = (_LENIENT_DECODER if constants else _STRICT_DECODER).raw_decode(text, begin)
    except json.JSONDecodeError as error:
        _refuse_syntax(text, begin, error, name)
    except _RefusedError:
        index, cause, cure = _refused_token(text, begin, constants=constants)
        raise InputError(cause, cure, Location(name, _line_number(text, index))) from None
    except RecursionError:
        raise InputError(
            "objects or lists in one another, deeper than the reader goes",
            "no annotation tool writes such a file: export it again",
            Location(name, _line_number(text, _deepest(text, begin))),
        ) from None
    if _SURROGATE_ESCAPE.search(text, begin, end):
        _refuse_halves(text, begin, end, name)
    return value, end


def _refuse_syntax(text: str, begin: int, error: json.JSONDecodeError, name: str) -> NoReturn:
    """Raise an InputError for invalid JSON: cut off, or wrong at a place."""
    line = _line_number(text, error.pos)
    first = _line_number(text, begin)
    begun = "" if line == first else f" (the value begins in line {first})"
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        raise InputError(
            f"the file ends in the middle of a value{begun}, as if it was cut off",
            "export or copy it again",
            Location(name, line),
        ) from None
    remainder = _clip(text[error.pos : error.pos + _MAX_SHOWN])
    raise InputError(
        f"this is no JSON: {error.msg[:1].lower()}{error.msg[1:]}, and there is {remainder!r}{begun}",
        "correct it or export the file again",
        Location(name, f"line {line}, column {error.colno}"),
    ) from None


def _refused_token(text: str, begin: int, *, constants: bool) -> tuple[int, str, str]:
    """Return the index of the refused token, cause and cure: the hooks of the parser do not know the index."""
    keys: list[set[str]] = []
    key = ""
    for match in _TOKEN_PATTERN.finditer(text, begin):
        index = match.start()
        word = match.group()
        if word in ("NaN", "Infinity", "-Infinity") and not constants:
            return index, f"{word} is no number of JSON", "write null or delete it"
        if word[0] in "-0123456789" and _too_long(word):
            return index, f"an integer of {len(word):,} digits", "no annotation has one: delete it"
        if word == ":":
            if key in keys[-1]:
                return index, f"the key {_clip(key)} stands twice in one object", "delete one of the two"
            keys[-1].add(key)
        elif word in ("{", "["):
            keys.append(set())
        elif word in ("}", "]") and len(keys) > 1:
            keys.pop()
        elif word[0] == '"':
            key = word
    return begin, "a key stands twice in one object", "delete one of the two"


def _refuse_halves(text: str, begin: int, end: int, name: str) -> None:
    """Raise an InputError if a string of the value contains half a character."""
    for match in _ESCAPE_PATTERN.finditer(text, begin, end):
        if match.group(1) is not None:
            raise InputError(
                f"{match.group()} is half a character (a surrogate without its other half), as text cut by its UTF-16 "
                "length has",
                "write \\ufffd in its place",
                Location(name, _line_number(text, match.start())),
            )


def _deepest(text: str, begin: int) -> int:
    """Return the first index at which values are nested deeper than `_MAX_DEPTH`."""
    depth = 0
    for match in _TOKEN_PATTERN.finditer(text, begin):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match.group(), 0)
        if depth > _MAX_DEPTH:
            return match.start()
    return begin


def _skip_blanks(text: str, begin: int) -> int:
    """Return the index after the white space at an index."""
    match = _WHITESPACE.match(text, begin)
    return begin if match is None else match.end()


def _line_number(text: str, index: int) -> int:
    """Return the line of an index, from 1."""
    return text.count("\n", 0, index) + 1


def _clip(text: str) -> str:
    return text if len(text) < _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _too_long(number: str) -> bool:
    return len(number) > _MAX_DIGITS and number.lstrip("-").isdecimal()


def _parse_integer(digits: str) -> int:
    if _too_long(digits):
        raise _RefusedError
    return int(digits)


def _refuse_constant(_: str) -> NoReturn:
    raise _RefusedError


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these pairs; refuse a key that stands twice, of which a dict has only the last value."""
    result = dict(pairs)
    # Of a key that stands twice, the mapping has only the last value.
    if len(result) != len(pairs):
        raise _RefusedError
    return result


# A format that allows NaN and Infinity uses the lenient decoder.
_STRICT_DECODER = json.JSONDecoder(
    parse_int=_parse_integer, parse_constant=_refuse_constant, object_pairs_hook=_make_object
)
_LENIENT_DECODER = json.JSONDecoder(parse_int=_parse_integer, object_pairs_hook=_make_object)


_MAX_SHAPE_DEPTH = 12  # of paths in `shape`; deeper ones are "…", so that their number stays small
_SHAPE_TOKEN = re.compile(
    r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\n]*+(:?)|([{\[])|([}\]])|(-?\d[\d.eE+-]*+)|(true|false|null)|(")', re.DOTALL
)


@lru_cache(maxsize=4)
def first_keys(head: Head) -> list[str]:
    """Return the keys of the first record of a JSON or JSON Lines file with this beginning; none for other files."""
    try:
        first = json.loads(head.lines[0]) if head.lines else None
    except (ValueError, RecursionError):
        return sorted(key.removeprefix("[].") for key in shape(head) if re.fullmatch(r"(\[\]\.)?\w+", key))
    first = first[0] if isinstance(first, list) and first else first
    return list(first) if isinstance(first, dict) else []


def may_be_spans(head: Head) -> bool:
    """Whether the records of a file of JSON have two numbers each, not counting those within lists and objects."""
    return len({path for path in shape(head) if re.fullmatch(r"(\[\]\.)?[^.\[\]]+:num", path)}) > 1


def shape(head: Head) -> frozenset[str]:
    """Return the paths of keys and values at the beginning of a JSON or JSON Lines file; none for other files.

    A path is ``"annotations[].start"`` for a key, with ``":num"``, ``":str"`` or ``":etc"`` behind it for its value,
    and ``"label[][]"`` for a list of lists.
    """
    text = head.text.lstrip("\ufeff \t\r\n")
    return frozenset(_shape_paths(text)) if text[:1] in ("{", "[") else frozenset()


def _value_kind(string: str | None, number: str | None) -> str:
    if string is not None:
        return "str"
    return "num" if number else "etc"


def _shape_paths(text: str) -> set[str]:
    """Return the paths of keys and values in the beginning of JSON: see `shape`."""
    paths: set[str] = set()
    stack: list[str] = []  # path of each open object or list
    path = ""
    for match in _SHAPE_TOKEN.finditer(text):
        string, colon, opens, closes, number, _, cut = match.groups()
        if cut:
            break
        if colon:
            inside = stack[-1] if stack else ""
            path = f"{inside}.{string}" if inside else str(string)
            paths.add(path)
        elif opens:
            inside = path + "[]" * (opens == "[") if len(stack) < _MAX_SHAPE_DEPTH else "…"
            stack.append(inside)
            paths.add(inside)
            path = stack[-1]
        elif closes:
            stack[-1:] = []
            path = stack[-1] if stack else ""
        else:
            paths.add(f"{path}:{_value_kind(string, number)}")
            path = stack[-1] if stack else ""
    return paths
