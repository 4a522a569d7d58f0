"""Sphinx extension: the options of commands, from the parser of the command line.

``{command-options} measure`` lists the options of `gamma-align measure`; without a command it lists the commands. With
``:page: reading`` it lists the options on reading alone, which most commands share.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, ClassVar

from sphinx.util.docutils import SphinxDirective

from gamma_align.apps.cli._parser import HELP, MORE, READING, Parser
from gamma_align.apps.cli._program import _COMMANDS, _fill

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

PAGES = {"reading": (READING,), "all": (HELP, MORE)}


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("command-options", CommandOptions)


def parser_of(command: str) -> Parser:
    """Return the parser of a command, such as ``measure``, with its arguments."""
    parser = Parser(fill=_fill, prog="gamma-align")
    parser.fill()
    for word in command.split():
        (subcommands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        parser = subcommands.choices[word]
        parser.fill()
    return parser


class CommandOptions(SphinxDirective):
    """The options of a command in the sections of its help, or all commands with what they do."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"page": str}

    def run(self) -> list[nodes.Node]:
        if not self.arguments:
            commands = [f"[{name}]({name}.md)\n: {_escaped(text)}\n" for name, text in _COMMANDS.items()]
            return self.parse_text_to_nodes("\n".join(commands))
        parser = parser_of(self.arguments[0])
        lines = [f"```{{program}} {parser.prog}\n```\n"]
        for page in PAGES[self.options.get("page", "all")]:
            for title, actions in parser._sections(page):
                if actions and title != "help":
                    lines += [f"```{{rubric}} {title}\n```\n", *(_described(parser, action) for action in actions)]
        return self.parse_text_to_nodes("\n".join(lines))


def _described(parser: Parser, action: argparse.Action) -> str:
    if isinstance(action, argparse._SubParsersAction):  # these have options of their own
        return "".join(f"`{choice.dest}`\n: {_escaped(choice.help)}\n\n" for choice in action._choices_actions)
    formatter = parser._get_formatter()
    usage = formatter._format_action_invocation(action)
    return f"````{{option}} {usage}\n{_escaped(formatter._expand_help(action))}\n````\n"


def _escaped(text: str) -> str:
    """Return text in which no character is Markdown, with names of options as code: two hyphens would become a dash."""
    escaped = re.sub(r"([\\`*_\[\]<>$#~^{}])", r"\\\1", text)
    return re.sub(r"(?<![\w-])--[a-z][a-z-]*", r"`\g<0>`", escaped)
