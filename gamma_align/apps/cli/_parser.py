"""The parser of a command, whose help has several pages: common options first, others on further pages."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from gamma_align.apps.cli._messages import ExitCode, print_message, write_stdout

if TYPE_CHECKING:
    from gamma_align.options import Option

# options that print a page of the help
HELP = "--help"
READING = "--help-reading"
MORE = "--help-more"
PAGES = {READING: "how files are read", MORE: "settings that are rarely needed"}
"""The further pages with their content."""

_USAGE_OPTIONS = argparse.Action([], "options", nargs="?", metavar="options")  # "[options]" in the usage line
_MAX_UNKNOWN = 3  # unknown arguments in a message


class _Formatter(argparse.HelpFormatter):
    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_on_hyphens=False)  # names of options are not broken

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


class Declared(NamedTuple):
    """The declaration of an argument, and the section of the help that it is in."""

    option: Option
    section: str


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line and suggestions, and without abbreviations of options.

    `fill` adds its arguments as soon as it is used. It is based on argparse, since other packages for command lines
    take longer to import than ``--help`` takes in full.
    """

    def __init__(self, *, fill: Callable[[Parser], None], **settings: Any) -> None:  # noqa: ANN401  (ArgumentParser's)
        super().__init__(**settings, formatter_class=_Formatter, allow_abbrev=False, add_help=False)
        self._positionals.title = "arguments"
        self._fill: Callable[[Parser], None] | None = fill
        self._page_of: dict[str | None, str] = {}
        self._examples: tuple[str, ...] = ()
        self.declared: dict[str, Declared] = {}
        """The declarations of arguments by name in the namespace."""
        self._intermixing = False

    def describe(self, text: str, *examples: str) -> None:
        """Set the description of the command and its examples, which begin the help."""
        self.description = text
        self._examples = examples

    def section(self, title: str, page: str = HELP) -> argparse._ArgumentGroup:
        """Return the group of arguments with this title; make it on a page of the help if it is missing."""
        for group in self._action_groups:
            if group.title == title:
                return group
        self._page_of[title] = page
        return self.add_argument_group(title)

    def fill(self) -> None:
        """Add the arguments, unless they have been added."""
        if self._fill is None:
            return
        self._fill(self)
        self._fill = None
        usage = self._get_formatter()
        required = [action for action in self._actions if action.required or not action.option_strings]
        usage.add_usage(None, [_USAGE_OPTIONS, *required], [], prefix="")
        self.usage = usage.format_help().strip()
        group = self.section("help")

        def add(page: str, text: str, *short: str) -> None:
            group.add_argument(*short, page, action=Answer, nargs=0, const=lambda _: self.format_help(page), help=text)

        add(HELP, "print this page, and exit", "-h")
        for page, content in PAGES.items():
            actions = chain.from_iterable(actions for _, actions in self._sections(page))
            names = [action.option_strings[-1] for action in actions]
            if names:
                add(page, f"{content}: {', '.join(names)}")

    def _sections(self, page: str) -> list[tuple[str | None, list[argparse.Action]]]:
        """Return the title and the arguments of each section of a page."""
        groups = [group for group in self._action_groups if self._page_of.get(group.title, HELP) == page]
        return [(group.title, group._group_actions) for group in groups]  # noqa: SLF001

    def format_help(self, page: str = HELP) -> str:
        """Return a page of the help."""
        head = self._get_formatter()
        body = self._get_formatter()
        head.add_usage(self.usage, [], [])
        head.add_text(self.description if page == HELP else f"{PAGES[page].capitalize()}; all else: {self.prog} {HELP}")
        lines = "".join(f"  {example}\n" for example in self._examples)
        examples = f"examples, in a checkout of the repository:\n{lines}\n" if page == HELP else ""
        for title, actions in self._sections(page):
            body.start_section(title)
            body.add_arguments(actions)
            body.end_section()
        body.add_text(self.epilog if page == HELP else None)
        return f"{head.format_help()}\n{examples}{body.format_help()}"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401  (those of ArgumentParser)
        self.fill()
        if self._intermixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._intermixing = True  # for paths before and after options; argparse calls this function again
        namespace, unknown = self.parse_known_intermixed_args(args, namespace)
        self._intermixing = False
        if unknown:
            self._refuse(unknown)
        return namespace, unknown

    def _refuse(self, unknown: list[str]) -> NoReturn:
        """End with the error of unknown arguments."""
        options = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        if not options:
            shown = ", ".join(map(repr, unknown[:_MAX_UNKNOWN])) + (" …" if len(unknown) > _MAX_UNKNOWN else "")
            self.error(f"too many arguments: {shown}")
        from gamma_align.apps.cli._pointers import OPTIONS
        from gamma_align.errors import did_you_mean

        pointer = OPTIONS.get(options[0])
        hint = did_you_mean(options[0], self._option_string_actions) if pointer is None else f"; {pointer}"
        self.error(f"no option {options[0]}{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401  (that of ArgumentParser)
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:  # noqa: SLF001
            from gamma_align.apps.cli._pointers import COMMANDS
            from gamma_align.errors import did_you_mean

            pointer = COMMANDS.get(value.lower())
            hint = did_you_mean(value, action.choices) if pointer is None else f"; {pointer}"
            if not hint and any(sign in value for sign in "./\\"):
                self.error(f"there is no file or folder {value!r}")
            self.error(f"no {str(action.metavar).lower()} {value!r}{hint}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        print_message("error", f"{message} ({self.prog} --help)")
        raise SystemExit(ExitCode.USAGE)

    def prepare(self, words: Iterable[str]) -> None:
        """Add the arguments, also of the subcommands among the words, for argcomplete, which reads them at once."""
        self.fill()
        self._intermixing = True  # required arguments may not be typed yet
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
                for name in set(words) & action.choices.keys():
                    action.choices[name].prepare(words)


class Answer(argparse.Action):
    """An option that prints the value of the function `const`, and ends the program."""

    def __call__(self, _: object, __: object, value: Any, *___: object) -> NoReturn:  # noqa: ANN401  (an argument)
        write_stdout(self.const(value))
        raise SystemExit(ExitCode.FINE)
