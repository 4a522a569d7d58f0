"""The parser of the command line, and a run of the subcommand chosen, whose module is imported only then."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from gamma_align.cli._messages import (
    EXIT_CODES,
    PROGRAM,
    ExitCode,
    prepare_streams,
    print_message,
    print_warnings,
    write_stdout,
)
from gamma_align.errors import GammaAlignError, InputError, SettingsError, SolverError, did_you_mean
from gamma_align.kernels import COMPILED, PLAIN
from gamma_align.kernels import kind as kernel_kind
from gamma_align.version import __version__

_SHOWN = 3
_TRACEBACK = "GAMMA_ALIGN_TRACEBACK"
_COMMANDS = {
    "measure": "γ, γcat, γk of each document and of the corpus; uα, |uα, cuα, (k)uα on request",
    "compare": "γ and Krippendorff's uα side by side, and what each pair of categories contributes to γcat and cuα",
    "align": "the best alignment of each document, as a table, JSON or a picture",
    "items": "S, π, κ, K, α, AC₁ … of coders who categorise predefined items",
    "convert": "annotations from one format to another; --list prints the formats",
    "validate": "what is in files of annotations, and all that is wrong with them",
    "shuffle": "simulated annotators: a reference with errors of known kinds and size",
    "curve": "which size of errors would give the γ of a corpus, for errors of each kind",
    "plan": "how many documents and annotators a narrow interval takes, from a pilot",
    "reproduce": "published experiments and worked examples, run again",
}
"""Each subcommand, which is a module of that name here, and its line in the help."""

_KERNELS = {COMPILED: "compiled kernels", PLAIN: "plain Python kernels, not compiled"}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line in every subcommand, with what was meant, and that takes no abbreviations.

    The parser of a subcommand gets its arguments from the subcommand's module, once it is chosen. It is argparse's:
    other packages for command lines import more than all of ``--help`` takes now.
    """

    def __init__(self, *, module: str | None = None, **settings: Any) -> None:  # noqa: ANN401  (those of ArgumentParser)
        super().__init__(**{"allow_abbrev": False, "epilog": EXIT_CODES, **settings})
        self._module = module
        self._intermixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401  (those of ArgumentParser)
        if self._module is not None:
            import_module(self._module).add_arguments(self)
            self._module = None
        if self._intermixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._intermixing = True  # paths may stand before and after options; argparse calls this function for that
        namespace, unknown = self.parse_known_intermixed_args(args, namespace)
        self._intermixing = False
        if unknown:
            self._refuse(unknown)
        return namespace, unknown

    def _refuse(self, unknown: list[str]) -> NoReturn:
        """End with the error of arguments that are not known."""
        options = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        if not options:
            few = ", ".join(map(repr, unknown[:_SHOWN])) + (" …" if len(unknown) > _SHOWN else "")
            self.error(f"too many arguments: {few}")
        self.error(f"no option {options[0]}{did_you_mean(options[0], self._option_string_actions)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401  (that of ArgumentParser)
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:  # noqa: SLF001
            self.error(f"no {str(action.metavar).lower()} {value!r}{did_you_mean(value, action.choices)}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        print_message("error", f"{message} ({self.prog} --help)")
        raise SystemExit(ExitCode.USAGE)


class _Version(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        write_stdout(f"{PROGRAM} {__version__} ({_KERNELS[kernel_kind()]})\n")
        raise SystemExit(ExitCode.FINE)


class _Cite(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        text = Path(__file__).with_name("citation.bib").read_text(encoding="utf-8")
        write_stdout(text.replace("VERSION", __version__))
        raise SystemExit(ExitCode.FINE)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM, description="How far annotators agree on units they place themselves: γ, γcat and γk, exactly."
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="print the version and which kernels are in use, and exit"
    )
    parser.add_argument("--cite", action=_Cite, nargs=0, help="print what to cite, as BibTeX, and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, text in _COMMANDS.items():
        commands.add_parser(name, help=text, module=f"gamma_align.cli.{name}")
    return parser


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, with the function that runs the subcommand; SystemExit for wrong ones and for --help."""
    prepare_streams()
    try:
        return _parser().parse_args(argv)
    except GammaAlignError as error:  # of --version, which asks which kernels are in use
        print_message("error", str(error))
        raise SystemExit(_code_of(error)) from None


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand and return its exit code."""
    try:
        with warnings.catch_warnings():
            print_warnings(quiet=arguments.quiet)
            code: int = arguments.run(arguments)
    except GammaAlignError as error:
        print_message("error", str(error))
        return _code_of(error)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is our fault)
        return _report(error)
    return code


def _code_of(error: GammaAlignError) -> int:
    if isinstance(error, InputError):
        return ExitCode.INVALID_INPUT
    if isinstance(error, SolverError):
        return ExitCode.NOT_AVAILABLE
    if isinstance(error, (SettingsError, ImportError)):
        return ExitCode.USAGE
    return ExitCode.BUG


def _report(error: Exception) -> int:
    """Print how to report a bug, with the traceback where the user asks for it, and return the exit code."""
    if os.environ.get(_TRACEBACK):
        import traceback  # noqa: PLC0415  (likewise)

        traceback.print_exception(error)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    print_message(
        "error",
        f"a bug of {PROGRAM} {__version__}: {what}; please report it to the developers, with the command and what it "
        f"prints after  export {_TRACEBACK}=1",
    )
    return ExitCode.BUG
