"""Arguments of declared options, added to a parser."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from gamma_align.apps.cli._completion import format_names
from gamma_align.apps.cli._parser import HELP, MORE, READING, Declared, Parser
from gamma_align.data import Json
from gamma_align.options import Choice, Flag, Group, Listed, Option, Text
from gamma_align.requests import Part, reader

_PAGES = {"": HELP, "reading": READING, "more": MORE}
"""The page of the help, by the name that a `Group` gives it."""


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


def add_parts(parser: Parser, parts: Iterable[Part]) -> None:
    """Add the arguments of parts of a request."""
    for part in parts:
        add_groups(parser, part.group, prefix=part.prefix)


def _add_option(container: argparse._ActionsContainer, option: Option, name: str) -> None:
    """Add the argument of an option, with this name in the namespace."""
    kind = option.kind
    default = option.own_default
    # argparse formats the help with "%", so a literal one is doubled.
    settings: dict[str, Json] = {"help": option.help_text().replace("%", "%%"), "dest": name, "default": default}
    if isinstance(kind, Flag):
        settings |= {"action": "store_true"}
    elif option.flag_value is not None:
        settings |= {"action": "store_const", "const": option.flag_value}
    elif isinstance(kind, Choice):
        settings |= {"choices": kind.words, "metavar": option.metavar}
    else:
        settings |= {"type": _checked(reader(kind)), "metavar": option.metavar}
    if isinstance(kind, Listed) and (kind.is_repeated or kind.is_extended):
        action = "append" if kind.is_repeated else "extend"
        # argparse appends to a copy of the default, which must be a list.
        settings |= {"action": action, "default": [*default] if isinstance(default, tuple) else None}
    if option.is_required:
        settings |= {"required": True}
    argument = container.add_argument(*filter(None, (option.short, option.flag)), **settings)
    if isinstance(kind, Text) and kind.completion == "formats":
        argument.completer = format_names  # type: ignore[attr-defined]


def _checked(parse: Callable[[str], object]) -> Callable[[str], object]:
    """Return the function with its ValueError as an error of the argument."""

    def read(text: str) -> object:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read
