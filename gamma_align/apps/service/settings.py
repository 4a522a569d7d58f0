"""Settings in JSON are the options of the command line: its parser checks them, and its help describes them."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

from gamma_align.apps.cli import _argument_types as types
from gamma_align.apps.cli import _subcommands
from gamma_align.apps.cli._parser import Parser
from gamma_align.errors import Location, SettingsError, did_you_mean

_ELSEWHERE = ("path", "jobs", "read_texts", "expected_from", "work", "backend", "scheduler", "output", "to", "quiet")
"""Arguments that name files, or are the service's own affair."""
_SHOWN = ("by_category", "by_item", "by_pair", "cases")
"""Arguments on the output that decide what is in the JSON."""
_TABLE = "FILE.csv"
_WHOLE, _REAL, _TEXT = ("N", "UNITS"), ("X", "E", "SECONDS", "P"), ("NAME", "SEP", "PATTERN")
_TYPES = {
    **dict.fromkeys(_WHOLE, "integer"),
    **dict.fromkeys(_REAL, "number"),
    **dict.fromkeys(_TEXT, "string"),
}
_ARGUMENT = re.compile(r"argument (?:-\w/)?--([a-z0-9-]+): ")
_ESCAPED = (types.layers, types.labels)
_BESIDE = re.compile(r"(^|[/\\])\.\.([/\\]|$)|^[/\\~]|^[A-Za-z]:|\x00")


class _Settings(Parser):
    """A parser whose errors are exceptions."""

    def error(self, message: str) -> NoReturn:
        self._intermixing = False  # it is used again
        match = _ARGUMENT.match(message)  # argparse has put the option into its message
        if match is None:
            raise SettingsError(message)
        raise SettingsError(message[match.end() :], location=Location.for_option(match[1].replace("-", "_")))


@cache
def _parser(command: str) -> _Settings:
    parser = _Settings(fill=partial(getattr(_subcommands, command)), prog=command)
    parser.fill()
    return parser


@cache
def options(command: str) -> dict[str, argparse.Action]:
    """Return each setting of a command, and the option that it is.

    Settings are called as the options are, with underscores: ``delta_empty``.
    """
    found = {}
    for group in _parser(command)._action_groups:  # noqa: SLF001
        for action in group._group_actions:  # noqa: SLF001
            is_shown = group.title not in ("output", "help") or action.dest in _SHOWN
            is_file = action.type in (Path, types.file) and action.metavar != _TABLE
            if is_shown and not is_file and action.dest not in _ELSEWHERE and action.option_strings:
                found[action.option_strings[-1].removeprefix("--").replace("-", "_")] = action
    return found


def schema(command: str) -> dict[str, Any]:
    """Return the JSON Schema of a command's settings."""
    return {
        "type": "object",
        "description": "What the command line calls options, with underscores; nothing is what it takes without them.",
        "additionalProperties": False,
        "properties": {name: _schema(command, action) for name, action in options(command).items()},
    }


def _schema(command: str, action: argparse.Action) -> dict[str, Any]:
    """Return the JSON Schema of a setting: that of its declaration, if it has one."""
    declared = _parser(command).declared.get(action.dest)
    if declared is not None and declared.flag in action.option_strings:
        return declared.schema()
    return {**_shape(action), "description": (action.help or "").replace("%%", "%")}


def _shape(action: argparse.Action) -> dict[str, Any]:
    """Return what JSON a setting is, by what the help calls its value."""
    if action.nargs == 0:
        return {"type": "boolean"}
    if action.choices is not None:
        return {"enum": [*action.choices]}
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if metavar in _TYPES:
        return {"type": _TYPES[metavar]}
    cell: dict[str, Any] = {"type": ["string", "number"]}
    several = {"type": "array", "items": cell}
    if metavar == _TABLE:
        return {"type": "array", "items": several}
    mapping = [{"type": "object", "additionalProperties": {"type": ["string", "number", "null"]}}]
    return {"anyOf": [cell, several, *mapping * ("=" in metavar)]}


def arguments_of(command: str, settings: Mapping[str, Any], paths: list[str], folder: Path) -> argparse.Namespace:
    """Return the arguments that settings and paths are; tables among the settings are written to the folder.

    Raises
    ------
    SettingsError
        As the command line has it, or for a setting that there is not.
    """
    known = options(command)
    words: list[str] = []
    for name, value in settings.items():
        if name not in known:
            raise SettingsError(
                f"there is no such setting{did_you_mean(name, known)}", location=Location.for_option(name)
            )
        words += _words(name, known[name], value, folder)
    parser = _parser(command)
    namespace: argparse.Namespace = parser.parse_args([*words, "--quiet", *paths])
    _check_files(namespace)
    return namespace


def _words(name: str, action: argparse.Action, value: object, folder: Path) -> list[str]:
    """Return the words of the command line that a setting stands for."""
    option = action.option_strings[-1]
    if value is None:
        return []
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise SettingsError(f"must be true or false, not {value!r}", location=_location(option))
        return [option] * value
    if action.metavar == _TABLE:
        return [f"{option}={_table(option, value, folder / f'{name}.csv')}"]
    if isinstance(action, argparse._AppendAction):  # noqa: SLF001
        pairs = [f"{key}={_json(text)}" for key, text in value.items()] if isinstance(value, dict) else value
        return [f"{option}={_text(option, text)}" for text in (pairs if isinstance(pairs, list) else [pairs])]
    return [f"{option}={_joined(option, action, value)}"]


def _joined(option: str, action: argparse.Action, value: object) -> str:
    """Return a value as the text that the option takes: names with commas between, escaped as the option has it."""
    if isinstance(value, dict):
        escaped = (
            (_escaped(str(key)), "" if text is None else _escaped(_text(option, text))) for key, text in value.items()
        )
        return ",".join(f"{key}={text}" for key, text in escaped)
    if not isinstance(value, list):
        return _text(option, value)
    texts = [_text(option, text) for text in value]
    if action.type is types.ordered_labels:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(texts)
        return line.getvalue()
    if action.type in _ESCAPED:
        return ",".join(map(_escaped, texts))
    comma = next((text for text in texts if "," in text), None)
    if comma is not None:
        raise SettingsError(f"{comma!r} has a comma, which none of these names has", location=_location(option))
    return ",".join(texts)


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _escaped(text: str) -> str:
    return re.sub(r"([\\,=])", r"\\\1", text)


def _text(option: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise SettingsError(f"{value!r} is neither a text nor a number", location=_location(option))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return str(int(value))  # JSON does not tell 7.0 from 7
    return str(value)


def _table(option: str, value: object, file: Path) -> Path:
    """Write the rows of a table to a file."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise SettingsError("a table is a list of rows, each a list of cells", location=_location(option))
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[_text(option, cell) for cell in row] for row in value])
    return file


def _location(flag: str) -> Location:
    """Return the location of a setting, from its option on the command line."""
    return Location.for_option(flag.removeprefix("--").replace("-", "_"))


def _check_files(namespace: argparse.Namespace) -> None:
    """Refuse options of formats that name files elsewhere."""
    for name, value in vars(namespace).get("read_options") or ():
        for text in (
            (value, *value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
        ):
            if isinstance(text, str) and _BESIDE.search(text):
                raise SettingsError(
                    f"{name}={text!r} is not a file of the request", "send the file with it", _location("--option")
                )
