"""The run of a subcommand: its errors become messages and exit codes. Help is printed without this module."""

from __future__ import annotations

import argparse
import os
import warnings

from gamma_align.apps.cli._messages import ExitCode, print_message, print_warnings
from gamma_align.data import out_of_memory
from gamma_align.errors import GammaAlignError, InputError, ResourceError, SettingsError, SolverError
from gamma_align.requests import COMMAND_LINE, PROGRAM
from gamma_align.version import __version__

_TRACEBACK_VARIABLE = "GAMMA_ALIGN_TRACEBACK"  # if it is set, errors that are bugs are printed with their traceback


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand and return its exit code."""
    try:
        # `print_warnings` replaces `warnings.showwarning`, which a program that calls `main` needs again.
        with warnings.catch_warnings():
            print_warnings(quiet=arguments.quiet)
            code: int = arguments.run(arguments)
    except Exception as error:  # noqa: BLE001  (an exception that is no error of ours is a bug, and reported as one)
        return report(error)
    return code


def report(error: Exception) -> int:
    """Print the message of an error, or how to report the bug, and return the exit code."""
    if isinstance(error, MemoryError) and not isinstance(error, ResourceError):
        error = out_of_memory()
    if not isinstance(error, GammaAlignError):
        return _report_bug(error)
    print_message("error", error.render(COMMAND_LINE))
    if isinstance(error, InputError):
        return ExitCode.INVALID_INPUT
    if isinstance(error, ResourceError):
        return ExitCode.NO_RESOURCES
    if isinstance(error, SolverError):
        return ExitCode.NOT_AVAILABLE
    if isinstance(error, (SettingsError, ImportError)):
        return ExitCode.USAGE
    return ExitCode.BUG


def _report_bug(error: Exception) -> int:
    """Print how to report a bug, with the traceback if the variable requests it, and return the exit code."""
    if os.environ.get(_TRACEBACK_VARIABLE):
        import traceback

        traceback.print_exception(error)
    # The message of an exception may have several lines, and an error has one.
    description = " ".join(f"{type(error).__name__}: {error}".split())
    print_message(
        "error",
        f"a bug of {PROGRAM} {__version__}: {description}; please report it to the developers, with the command and "
        f"what it prints after  export {_TRACEBACK_VARIABLE}=1",
    )
    return ExitCode.BUG
