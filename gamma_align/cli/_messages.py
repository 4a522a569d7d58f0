"""What the program prints about its work, on stderr, and the exit codes."""

from __future__ import annotations

import enum
import io
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from gamma_align.errors import GammaAlignWarning, SettingsError

PROGRAM = "gamma-align"


class ExitCode(enum.IntEnum):
    """The number the process ends with."""

    FINE = 0
    BELOW_THRESHOLD = 1
    USAGE = 2
    INVALID_INPUT = 3
    NOT_AVAILABLE = 4
    NOT_PROVEN = 5
    INTERRUPTED = 130


EXIT_CODES = (
    "exit codes: 0 fine, 1 --fail-under missed, 2 usage, 3 invalid input, 4 result not available, "
    "5 not proven optimal within the limit asked for, 130 interrupted"
)


def print_message(kind: str, text: str) -> None:
    """Print an error, a warning or a note to stderr."""
    print(f"{PROGRAM}: {kind}: {text}", file=sys.stderr)


def print_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print each note once, unless asked to be quiet."""
    for note in () if quiet else dict.fromkeys(notes):
        print_message("note", note)


def print_warnings(*, quiet: bool) -> None:
    """From now on, print our own warnings as messages; those of other packages are left to Python."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *location: Any, **more: Any) -> None:  # noqa: ANN401
        if not issubclass(category, GammaAlignWarning):
            usual(message, category, *location, **more)
        elif not quiet:
            print_message("warning", str(message))

    warnings.showwarning = show


def check_proofs(gaps: Sequence[float], documents: int | None, seconds: float | None) -> int:
    """Return the exit code for alignments with these gaps, and warn if a time limit left some unproven."""
    if not gaps or seconds is None:
        return ExitCode.FINE
    subject = "alignments are" if documents is None else f"{len(gaps)} of {documents} documents"
    print_message(
        "warning",
        f"{subject} not proven optimal in {seconds:g} s (gap {max(gaps):.2%} at most); "
        "a larger --time-limit may prove them",
    )
    return ExitCode.NOT_PROVEN


def prepare_streams() -> None:
    """Make both streams UTF-8, so that γ and any label can be printed in every locale."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller (2>&-): what we print there must not go elsewhere
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def write_stdout(text: str) -> None:
    """Print the result; it is no error if the reader of a pipe has stopped reading."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at its end: give it something that can be written to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise SettingsError(f"cannot write the result: {error.strerror or error}") from None
