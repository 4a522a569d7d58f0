"""Completion of command lines in a shell, by argcomplete."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gamma_align.requests import PROGRAM

if TYPE_CHECKING:
    from gamma_align.apps.cli._parser import Parser

VARIABLE = "_ARGCOMPLETE"  # a shell that asks for completions sets this environment variable


def shell_code(shell: str) -> str:
    """Return the code for the start-up file of a shell (bash, zsh, fish) that turns completion on."""
    code: str = _argcomplete().shellcode([PROGRAM], shell=shell)
    return code


def complete(parser: Parser) -> None:
    """Print the completions of the command line in the environment, and end the process."""
    library = _argcomplete()
    parser.prepare(os.environ["COMP_LINE"].split())
    library.autocomplete(parser, always_complete_options=False)


def format_names(**_: object) -> list[str]:
    """Return the names of the formats that can be read."""
    from gamma_align.reading.formats import formats

    return list(formats())


def _argcomplete() -> Any:  # noqa: ANN401  (the module)
    try:
        import argcomplete
    except ImportError:
        from gamma_align.errors import MissingExtraError

        raise MissingExtraError("argcomplete", "completion", "completion in the shell") from None
    return argcomplete
