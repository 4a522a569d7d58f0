"""Settings of the HTTP API: the declared options of requests, as JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import cast

from gamma_align.data import Json
from gamma_align.errors import Location, SettingsError, did_you_mean
from gamma_align.options import File, Flag, Kind, Listed, Option
from gamma_align.requests import Named, options_of, reader

_OF_THE_MACHINE = ("jobs", "texts", "expected_from", "dask")
"""Options that name files, or that the service decides."""
_EXACT_INTEGERS = 1 << 53  # a float64 that is larger may stand for several integers
# A path above the folder of the request, an absolute path, or a null character.
_PATH_ELSEWHERE = re.compile(r"(^|[/\\])\.\.([/\\]|$)|^[/\\~]|^[A-Za-z]:|\x00")


@cache
def _served(command: str) -> dict[str, Named]:
    """Return the option of each setting of a command, with its name in a request."""
    served = [named for named in options_of(command) if _is_served(named)]
    return {named.option.flag.removeprefix("--").replace("-", "_"): named for named in served}


def options(command: str) -> dict[str, Option]:
    """Return the option of each setting of a command.

    Settings have the names of the options on the command line, with underscores: ``delta_empty``.
    """
    return {setting: named.option for setting, named in _served(command).items()}


def _is_served(named: Named) -> bool:
    """Return whether a request may set an option: none that names files or belongs to the machine."""
    is_file = isinstance(named.option.kind, File) and not named.option.kind.is_table
    return not is_file and named.option.name not in _OF_THE_MACHINE


def schema(command: str) -> dict[str, Json]:
    """Return the JSON Schema of a command's settings."""
    return {
        "type": "object",
        "description": "The options of the command line, with underscores; without a setting, its default holds.",
        "additionalProperties": False,
        "properties": {name: option.schema() for name, option in options(command).items()},
        "required": [name for name, option in options(command).items() if option.is_required],
    }


def values_of(command: str, settings: Mapping[str, object], folder: Path) -> dict[str, Json]:
    """Return the values of all options of a request; tables among the settings are written to the folder.

    Raises
    ------
    SettingsError
        For an unknown setting, a value that its option refuses, or a missing setting that has no default.
    """
    served = _served(command)
    values = {named.name: named.default() for named in options_of(command)}
    for setting, value in settings.items():
        if setting not in served:
            raise SettingsError(f"there is no such setting{did_you_mean(setting, served)}", location=_location(setting))
        if value is not None:
            values[served[setting].name] = _value(setting, served[setting].option.kind, value, folder)
    for setting, named in served.items():
        if named.option.is_required and values[named.name] is None:
            raise SettingsError("this setting is required", location=_location(setting))
    _check_files(values)
    return values


def _value(setting: str, kind: Kind, value: object, folder: Path) -> Json:
    """Return the value of an option that a setting stands for."""
    if isinstance(kind, Flag):
        if not isinstance(value, bool):
            raise SettingsError(f"must be true or false, not {value!r}", location=_location(setting))
        return value
    if isinstance(kind, File):
        return _table(setting, value, folder / f"{setting}.csv")
    if isinstance(kind, Listed) and kind.is_repeated:
        pairs = [f"{key}={_json(text)}" for key, text in value.items()] if isinstance(value, dict) else value
        return [_read(setting, kind, _text(setting, text)) for text in (pairs if isinstance(pairs, list) else [pairs])]
    result = _read(setting, kind, _joined(setting, kind, value))
    return [*cast("Iterable[object]", result)] if isinstance(kind, Listed) and kind.is_extended else result


def _read(setting: str, kind: Kind, text: str) -> object:
    """Return the value of an option that is written in one text."""
    try:
        return reader(kind)(text)
    except ValueError as error:
        raise SettingsError(str(error), location=_location(setting)) from None


def _joined(name: str, kind: Kind, value: object) -> str:
    """Return a value in one text: names with commas between, escaped as the option requires."""
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


def _check_files(values: Mapping[str, Json]) -> None:
    """Refuse options of formats that name files elsewhere, and maps that are no JSON but a file."""
    for name in ("read_map", "map"):
        value = values.get(name)
        if isinstance(value, str) and not value.lstrip().startswith("{"):
            raise SettingsError("a map is sent as a text of JSON, not as the path of a file", location=_location("map"))
    for name, value in values.get("read_options") or ():
        texts = [*value.values()] if isinstance(value, dict) else value
        texts = texts if isinstance(texts, list) else [texts]
        for text in texts:
            if isinstance(text, str) and _PATH_ELSEWHERE.search(text):
                cause = f"{name}={text!r} is not a file of the request"
                raise SettingsError(cause, "send the file with it", _location("option"))
