"""Arguments of options that the package declares: added to a parser, and read from what it parsed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from gamma_align.apps.cli import _argument_types as types
from gamma_align.apps.cli._completion import format_names
from gamma_align.apps.cli._parser import HELP, MORE, READING, Parser
from gamma_align.options import Choice, Flag, Group, Listed, Option, Real, Text, Whole

_PAGES = {"": HELP, "reading": READING, "more": MORE}
_SYNTAXES: dict[str, Callable[[str], object]] = {
    "names": types.names,
    "escaped": types.layers,
    "quoted": types.ordered_labels,
    "labels": types.labels,
    "column": types.item_column,
    "pair": types.pair,
    "option": types.option,
    "text": str,
}
"""The function that reads an argument of each syntax of `Listed`."""


def add_group(parser: Parser, group: Group, *, prefix: str = "") -> None:
    """Add the arguments of a group's options; names in the namespace begin with the prefix."""
    container = parser.section(group.title, _PAGES[group.page]) if group.title else parser
    for option in group.options:
        if option.is_argument:
            add_option(parser, container, option, prefix=prefix)


def add_option(
    parser: Parser, container: argparse._ActionsContainer, option: Option, *, prefix: str = ""
) -> argparse.Action:
    """Add the argument of an option to a container of the parser, and return it."""
    settings: dict[str, Any] = {"help": option.help_text().replace("%", "%%"), "dest": f"{prefix}{option.name}"}
    if isinstance(option.kind, Flag):
        settings |= {"action": "store_true", "default": option.default}
    elif isinstance(option.kind, Choice):
        settings |= {"choices": option.kind.words, "default": option.own_default}
    else:
        settings |= {"type": _parser_of(option), "metavar": option.metavar, "default": option.own_default}
    if isinstance(option.kind, Listed) and option.kind.is_repeated:
        default = None if option.default is None else [*option.default]
        settings |= {"action": "append", "default": default}
    parser.declared[settings["dest"]] = option
    action = container.add_argument(option.flag, **settings)
    if isinstance(option.kind, Text) and option.kind.completion == "formats":
        action.completer = format_names  # type: ignore[attr-defined]
    return action


def given(arguments: argparse.Namespace, options: Iterable[Option], *, prefix: str = "") -> dict[str, Any]:
    """Return the options that the arguments set, as keyword arguments."""
    values = vars(arguments)
    settings = {option.name: _value_of(option, values.get(f"{prefix}{option.name}")) for option in options}
    return {name: value for name, value in settings.items() if value is not None}


def _value_of(option: Option, value: object) -> object:
    return option.kind.value_of(value) if isinstance(option.kind, Choice) else value


def _parser_of(option: Option) -> Callable[[str], object]:
    """Return the function that reads the text of an argument."""
    kind = option.kind
    if isinstance(kind, Listed):
        return _SYNTAXES[kind.syntax]
    if not isinstance(kind, (Real, Whole)):
        return str
    number: type[float | int] = float if isinstance(kind, Real) else int
    noun = "number" if isinstance(kind, Real) else "whole number"

    def parse(text: str) -> float:
        try:
            value = number(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a {noun}") from None
        problem = kind.problem(value)
        if problem is not None:
            raise argparse.ArgumentTypeError(f"{problem}, not {text}")
        return value

    return parse
