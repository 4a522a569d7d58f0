"""Arguments of declared options: added to a parser, and read from the parsed arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

from gamma_align.apps.cli import _argument_types as types
from gamma_align.apps.cli._completion import format_names
from gamma_align.apps.cli._parser import HELP, MORE, READING, Declared, Parser
from gamma_align.data.json_types import Json
from gamma_align.options import Choice, File, Flag, Group, Kind, Listed, Option, Real, Text, Whole

_PAGES = {"": HELP, "reading": READING, "more": MORE}
"""The page of the help, by the name that a `Group` gives it."""
_SYNTAXES: dict[str, Callable[[str], object]] = {
    "names": types.names,
    "escaped": types.layers,
    "quoted": types.ordered_labels,
    "labels": types.labels,
    "weights": types.weights,
    "column": types.item_column,
    "pair": types.pair,
    "option": types.option,
    "text": str,
}
"""The function that reads an argument of each syntax of `Listed`."""


def add_groups(parser: Parser, *groups: Group, prefix: str = "") -> None:
    """Add the arguments of the options of groups; names in the namespace begin with the prefix."""
    for group in groups:
        container = parser.section(group.title, _PAGES[group.page]) if group.title else parser
        if group.is_exclusive:
            container = container.add_mutually_exclusive_group()
        for option in group.options:
            if option.is_argument:
                name = f"{prefix}{option.name}"
                parser.declared[name] = Declared(option, group.title)
                _add_option(container, option, name)


def _add_option(container: argparse._ActionsContainer, option: Option, name: str) -> None:
    """Add the argument of an option, with this name in the namespace."""
    kind, default = option.kind, option.own_default
    # argparse formats the help with "%", so a literal one is doubled.
    settings: dict[str, Json] = {"help": option.help_text().replace("%", "%%"), "dest": name, "default": default}
    if isinstance(kind, Flag):
        settings |= {"action": "store_true"}
    elif option.flag_value is not None:
        settings |= {"action": "store_const", "const": option.flag_value}
    elif isinstance(kind, Choice):
        settings |= {"choices": kind.words}
    else:
        settings |= {"type": _reader(kind), "metavar": option.metavar}
    if isinstance(kind, Listed) and (kind.is_repeated or kind.is_extended):
        action = "append" if kind.is_repeated else "extend"
        # argparse appends to a copy of the default, which must be a list.
        settings |= {"action": action, "default": [*default] if isinstance(default, tuple) else None}
    if option.is_required:
        settings |= {"required": True}
    argument = container.add_argument(*filter(None, (option.short, option.flag)), **settings)
    if isinstance(kind, Text) and kind.completion == "formats":
        argument.completer = format_names  # type: ignore[attr-defined]


def given(arguments: argparse.Namespace, options: Iterable[Option], *, prefix: str = "") -> dict[str, Json]:
    """Return the options that the arguments set, as keyword arguments."""
    values = vars(arguments)
    settings = {option.name: _value_of(option, values.get(f"{prefix}{option.name}")) for option in options}
    return {name: value for name, value in settings.items() if value not in (None, [])}


def _value_of(option: Option, value: object) -> object:
    if isinstance(option.kind, Listed) and option.kind.is_repeated and option.kind.is_mapping and value is not None:
        return dict(cast("Iterable[tuple[str, object]]", value))
    return option.kind.value_of(value) if isinstance(option.kind, Choice) else value


def _reader(kind: Kind) -> Callable[[str], object]:
    """Return the function that reads the text of an argument."""
    if isinstance(kind, Listed):
        return _SYNTAXES[kind.syntax] if kind.items is None else types.several(_reader(kind.items))
    if isinstance(kind, Choice):
        return types.one_of(kind.words)
    if isinstance(kind, File):
        return Path
    if isinstance(kind, Text):
        return _checked(kind.parse)
    return types.number(kind) if isinstance(kind, (Real, Whole)) else str


def _checked(parse: Callable[[str], object]) -> Callable[[str], object]:
    """Return the function with its ValueError as an error of the argument."""

    def read(text: str) -> object:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read
