"""Completion of what is typed in a shell, by argcomplete: the code for the shell, and what may come next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gamma_align.apps.cli._surface import PROGRAM
from gamma_align.errors import MissingExtraError

if TYPE_CHECKING:
    from gamma_align.apps.cli._parser import Parser

ASKED = "_ARGCOMPLETE"
"""The environment variable of a shell that asks what may come next."""


def shell_code(shell: str) -> str:
    """Return what makes a shell (bash, zsh, fish) complete our command lines."""
    code: str = _argcomplete().shellcode([PROGRAM], shell=shell)
    return code


def complete(parser: Parser) -> None:
    """Tell the shell what may come next, by its environment, and leave the process."""
    library = _argcomplete()
    parser.prepare(os.environ["COMP_LINE"].split())
    library.autocomplete(parser, always_complete_options=False)


def format_names(**_: object) -> list[str]:
    """Return the names of the formats that are read."""
    from gamma_align.reading.formats import formats

    return list(formats())


def _argcomplete() -> Any:  # noqa: ANN401  (the module)
    try:
        import argcomplete
    except ImportError:
        raise MissingExtraError("argcomplete", "completion", "completion in the shell") from None
    return argcomplete
