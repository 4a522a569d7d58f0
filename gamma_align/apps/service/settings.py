"""Settings of the HTTP API: the declared options, as JSON; the parser of the command line checks them."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
from collections.abc import Mapping
from copy import copy
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import NoReturn

from gamma_align.apps.cli._parser import Declared, Parser
from gamma_align.apps.cli._subcommands import fill_subcommand
from gamma_align.errors import Location, SettingsError, did_you_mean
from gamma_align.options import File, Flag, Kind, Listed, Option

_OF_THE_MACHINE = ("jobs", "texts", "expected_from", "backend", "scheduler")
"""Options that name files, or that the service decides."""
_SHOWN = ("by_category", "by_item", "by_pair", "cases")
"""Options of the output that decide the contents of the JSON."""
_ARGUMENT = re.compile(r"argument (?:-\w/)?--([a-z0-9-]+): ")  # the prefix that argparse gives a message
_MAX_CACHED_WORDS = 500  # characters of arguments that are parsed once: long ones are seldom repeated
_EXACT_INTEGERS = 1 << 53  # a float64 that is larger may stand for several integers
# A path above the folder of the request, an absolute path, or a null character.
_PATH_ELSEWHERE = re.compile(r"(^|[/\\])\.\.([/\\]|$)|^[/\\~]|^[A-Za-z]:|\x00")


class _Settings(Parser):
    """A parser that raises its errors."""

    def error(self, message: str) -> NoReturn:
        self._intermixing = False  # it is used again
        match = _ARGUMENT.match(message)  # argparse has put the option into its message
        if match is None:
            raise SettingsError(message)
        raise SettingsError(message[match.end() :], location=_location(match[1]))


@cache
def _parser(command: str) -> _Settings:
    parser = _Settings(fill=partial(fill_subcommand, command), prog=command)
    parser.fill()
    return parser


@cache
def options(command: str) -> dict[str, Option]:
    """Return the option of each setting of a command.

    Settings have the names of the options on the command line, with underscores: ``delta_empty``.
    """
    served = [declared.option for declared in _parser(command).declared.values() if _is_served(declared)]
    return {option.flag.removeprefix("--").replace("-", "_"): option for option in served}


def _is_served(declared: Declared) -> bool:
    option = declared.option
    is_file = isinstance(option.kind, File) and not option.kind.is_table
    is_shown = declared.section != "output" or option.name in _SHOWN
    return is_shown and not is_file and option.name not in _OF_THE_MACHINE


def schema(command: str) -> dict[str, object]:
    """Return the JSON Schema of a command's settings."""
    return {
        "type": "object",
        "description": "The options of the command line, with underscores; without a setting, its default holds.",
        "additionalProperties": False,
        "properties": {name: option.schema() for name, option in options(command).items()},
    }


def arguments_of(command: str, settings: Mapping[str, object], paths: list[str], folder: Path) -> argparse.Namespace:
    """Return the parsed arguments of settings and paths; tables among the settings are written to the folder.

    Raises
    ------
    SettingsError
        For an unknown setting, or a value that the command line refuses.
    """
    declared = options(command)
    words: list[str] = []
    for name, value in settings.items():
        if name not in declared:
            raise SettingsError(f"there is no such setting{did_you_mean(name, declared)}", location=_location(name))
        words += _words(name, declared[name], value, folder)
    words += ["--quiet", *paths]
    parse = _parsed if sum(map(len, words)) <= _MAX_CACHED_WORDS else _parsed.__wrapped__
    # A command may change its arguments.
    namespace = argparse.Namespace(**{name: copy(value) for name, value in vars(parse(command, *words)).items()})
    _check_files(namespace)
    return namespace


@lru_cache(maxsize=64)  # most requests have the same few settings, and argparse takes as long as a small alignment
def _parsed(command: str, *words: str) -> argparse.Namespace:
    namespace: argparse.Namespace = _parser(command).parse_args([*words])
    return namespace


def _words(name: str, option: Option, value: object, folder: Path) -> list[str]:
    """Return the arguments of the command line that a setting stands for."""
    kind = option.kind
    if value is None:
        return []
    if isinstance(kind, Flag):
        if not isinstance(value, bool):
            raise SettingsError(f"must be true or false, not {value!r}", location=_location(name))
        return [option.flag] * value
    if isinstance(kind, File):
        return [f"{option.flag}={_table(name, value, folder / f'{name}.csv')}"]
    if isinstance(kind, Listed) and kind.is_repeated:
        pairs = [f"{key}={_json(text)}" for key, text in value.items()] if isinstance(value, dict) else value
        return [f"{option.flag}={_text(name, text)}" for text in (pairs if isinstance(pairs, list) else [pairs])]
    # With "=", a value that begins with a dash is not taken for an option.
    return [f"{option.flag}={_joined(name, kind, value)}"]


def _joined(name: str, kind: Kind, value: object) -> str:
    """Return a value as the argument of its option: names with commas between, escaped as the option requires."""
    if isinstance(value, dict):
        entries = ((str(key), "" if text is None else _text(name, text)) for key, text in value.items())
        return ",".join(f"{_escaped(key)}={_escaped(text)}" for key, text in entries)
    if not isinstance(value, list):
        return _text(name, value)
    texts = [_text(name, text) for text in value]
    syntax = kind.syntax if isinstance(kind, Listed) else ""
    if syntax == "quoted":
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(texts)
        return line.getvalue()
    if syntax in ("escaped", "labels"):
        return ",".join(map(_escaped, texts))
    # The syntax of names has no escape for a comma.
    comma = next((text for text in texts if "," in text), None)
    if comma is not None:
        raise SettingsError(f"{comma!r} has a comma, which none of these names has", location=_location(name))
    return ",".join(texts)


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _escaped(text: str) -> str:
    return re.sub(r"([\\,=])", r"\\\1", text)


def _text(name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise SettingsError(f"{value!r} is neither a text nor a number", location=_location(name))
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_INTEGERS:
        return str(int(value))  # JSON does not distinguish 7.0 from 7
    return str(value)


def _table(name: str, value: object, file: Path) -> Path:
    """Write the rows of a table to a file."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise SettingsError("a table is a list of rows, each a list of cells", location=_location(name))
    file.parent.mkdir(mode=0o700, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[_text(name, cell) for cell in row] for row in value])
    return file


def _location(setting: str) -> Location:
    """Return the location of a setting, as the option of its name: keywords may have other names."""
    return Location.for_option(f"--{setting}")


def _check_files(namespace: argparse.Namespace) -> None:
    """Refuse options of formats that name files elsewhere."""
    for name, value in vars(namespace).get("read_options") or ():
        texts = [*value.values()] if isinstance(value, dict) else value
        texts = texts if isinstance(texts, list) else [texts]
        for text in texts:
            if isinstance(text, str) and _PATH_ELSEWHERE.search(text):
                cause = f"{name}={text!r} is not a file of the request"
                raise SettingsError(cause, "send the file with it", _location("option"))
