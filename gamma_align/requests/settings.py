"""Settings of measures from the values of options: keyword arguments of `read`, `select`, `gamma` and distances.

The values are those of a request, by the names of `requests.commands`; a surface has read and checked each by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from gamma_align.data import SELECTION_OPTIONS, Json
from gamma_align.options import Choice, Listed, Option
from gamma_align.reading import ABSENT_COLUMNS, READING_OPTIONS

SELECTION_PREFIX = "keep_"
READING_PREFIX = "read_"
"""Prefixes of names in a request: commands have options of these names for other things."""

Values = Mapping[str, Json]
"""The values of a request by the names of their options, with the prefix of their group."""


def given(values: Values, options: Iterable[Option], *, prefix: str = "") -> dict[str, Json]:
    """Return the values of options that are set, as keyword arguments."""
    settings = {option.name: _value_of(option, values.get(f"{prefix}{option.name}")) for option in options}
    return {name: value for name, value in settings.items() if value not in (None, [])}


def _value_of(option: Option, value: object) -> object:
    """Return the value of an option as a keyword argument takes it."""
    if isinstance(option.kind, Listed) and option.kind.is_repeated and option.kind.is_mapping and value is not None:
        return dict(cast("Iterable[tuple[str, object]]", value))
    return option.kind.value_of(value) if isinstance(option.kind, Choice) else value


def selection(values: Values) -> dict[str, Json]:
    """Return the keyword arguments of `Corpus.select`."""
    return given(values, SELECTION_OPTIONS.options, prefix=SELECTION_PREFIX)


def reading_settings(values: Values) -> dict[str, Json]:
    """Return the keyword arguments of `gamma_align.read` that are set."""
    settings = given(values, READING_OPTIONS, prefix=READING_PREFIX)
    absent = given(values, ABSENT_COLUMNS.values(), prefix=READING_PREFIX)
    roles = {role: None for role, option in ABSENT_COLUMNS.items() if absent.get(option.name)}
    return settings | ({"columns": {**settings.get("columns", {}), **roles}} if roles else {})
