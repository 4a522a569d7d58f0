"""The parser of the command line. Help is printed without a module of a subcommand, and without NumPy."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from gamma_align.apps.cli._completion import VARIABLE, complete, shell_code
from gamma_align.apps.cli._messages import EXIT_CODES, prepare_streams
from gamma_align.apps.cli._parser import Answer, Parser
from gamma_align.requests import PROGRAM
from gamma_align.version import __version__

_COMMANDS = {
    "look": "a first look at PATH: a verdict, values, the largest causes; gamma-align PATH does the same",
    "measure": "γ, γcat, γk of each document and of the corpus; uα, |uα, cuα, (k)uα on request",
    "compare": "two annotations of the same documents: how far γ, γcat, γk or uα differ, with interval and test",
    "families": "γ and Krippendorff's uα side by side, and what each pair of categories contributes to γcat and cuα",
    "disagreements": "where and why annotators differ, worst first, and what to settle",
    "report": "everything as one HTML page: γ in words, what to settle, disagreements, documents, annotators, labels",
    "evaluate": "annotators or systems against a reference: F1 of units, γ, uα; segmentation, DER and JER on request",
    "consensus": "one annotation of each document, by votes on the aligned units or by annotators' error rates",
    "replace": "whether a model could take the place of an annotator: alternative annotator test and standing",
    "ceiling": "how well any model can score against these annotators, and where a model stands",
    "align": "the best alignment of each document, as a table, JSON or a picture",
    "items": "S, π, κ, K, α, AC₁ … of coders who categorise predefined items",
    "convert": "annotations from one format to another; --list prints the formats",
    "validate": "the content of annotation files, and everything that is wrong with them",
    "shuffle": "simulated annotators: a reference with errors of known kinds and size",
    "curve": "which magnitude of errors of each kind would give the γ of a corpus",
    "plan": "how many documents and annotators a narrow interval requires, from a pilot",
    "follow": "γ of a project whenever its annotations change: a folder of exports, or Label Studio",
    "serve": "a web page for files dropped on it, and the same as an HTTP API, on this computer",
}
"""The subcommands, which are modules of the same names, and their lines in the help."""


def _version(_: object) -> str:
    """Return the version, the kind of kernels and the solver."""
    from gamma_align.alignment import has_ortools, programme_solver
    from gamma_align.kernels import COMPILED, kind

    kernels = "compiled kernels" if kind() == COMPILED else "plain Python kernels, not compiled"
    solver = f"programmes solved by {programme_solver()}{'' if has_ortools() else ', as OR-Tools is not installed'}"
    return f"{PROGRAM} {__version__} ({kernels})\n{solver}\n"


def _citation(_: object) -> str:
    """Return the BibTeX entries of this package."""
    from gamma_align.present import bibtex

    return bibtex()


def _fill(parser: Parser) -> None:
    """Add the subcommands, and the arguments of the program."""
    parser.describe(
        "How well annotators agree on units that they place themselves: γ, γcat and γk, exactly.",
        "gamma-align corpora/novels_ner",
        "gamma-align measure corpora/pygamma/AlexPaulSuzan.csv",
    )
    parser.epilog = EXIT_CODES
    commands = parser.add_subparsers(prog=PROGRAM, title="commands", metavar="COMMAND", required=True, dest="command")
    for name, text in _COMMANDS.items():
        commands.add_parser(name, help=text, fill=partial(_fill_subcommand, name))
    group = parser.section("help")

    def add(option: str, answer: Callable[[str], str], text: str, **settings: Any) -> None:  # noqa: ANN401
        group.add_argument(option, action=Answer, const=answer, help=f"print {text}, and exit", **settings)

    add("--version", _version, "the version, and the kernels and the solver in use", nargs=0)
    add("--cite", _citation, "what to cite, as BibTeX", nargs=0)
    add(
        "--completion",
        shell_code,
        "the code for a shell's start-up file that completes our command lines",
        choices=("bash", "zsh", "fish"),
    )


def _fill_subcommand(name: str, parser: Parser) -> None:
    import_module("gamma_align.apps.cli._subcommands").fill_subcommand(name, parser)


def _with_command(words: Sequence[str]) -> list[str]:
    """Return the words with the command ``look`` before a path that stands in the place of a command."""
    is_path = bool(words) and words[0] not in _COMMANDS and ("{" in words[0] or Path(words[0]).exists())
    return ["look", *words] if is_path else [*words]


def _refuse_other_words(parser: Parser, words: Sequence[str]) -> None:
    """End with a pointer if the first word is an option of other tools: without a command, argparse misses that."""
    if words and words[0].startswith("-"):
        from gamma_align.apps.cli._pointers import OPTIONS

        if words[0] in OPTIONS:
            parser.error(f"no option {words[0]}; {OPTIONS[words[0]]}")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, with the function that runs the subcommand; SystemExit for wrong arguments and for help."""
    prepare_streams()
    parser = Parser(fill=_fill, prog=PROGRAM)
    try:
        if VARIABLE in os.environ:
            complete(parser)
        words = _with_command(sys.argv[1:] if argv is None else argv)
        _refuse_other_words(parser, words)
        arguments: argparse.Namespace = parser.parse_args(words)
        arguments.typed = words
    except Exception as error:  # noqa: BLE001  (of an option that prints an answer)
        raise SystemExit(import_module("gamma_align.apps.cli._run").report(error)) from None
    arguments.run = import_module(f"gamma_align.apps.cli.{arguments.command}").run
    return arguments
