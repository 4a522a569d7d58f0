"""What the program prints about its work, on stderr: messages, and progress. And the exit codes."""

from __future__ import annotations

import enum
import io
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, TextIO

from gamma_align.apps.cli._surface import COMMAND_LINE, PROGRAM
from gamma_align.errors import GammaAlignWarning, SettingsError, render

_COLOURS = {"error": "\x1b[31m", "warning": "\x1b[33m", "note": "\x1b[36m"}
_PLAIN = "\x1b[0m"
_BAR = 24
_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 10.0
_RELIABLE_SECONDS = 0.5
_MINUTE, _HOUR = 60, 3600


class ExitCode(enum.IntEnum):
    """The number the process ends with."""

    FINE = 0
    BELOW_THRESHOLD = 1
    USAGE = 2
    INVALID_INPUT = 3
    NOT_AVAILABLE = 4
    NOT_PROVEN = 5
    LEFT_OUT = 6
    BUG = 70
    INTERRUPTED = 130


EXIT_CODES = (
    "exit codes: 0 fine, 1 --fail-under missed, 2 usage, 3 invalid input, 4 result not available, "
    "5 not proven optimal within the limit asked for, 6 documents with problems left out, 70 a bug of "
    "gamma-align, 130 interrupted"
)


def in_colour(stream: TextIO) -> bool:
    """Whether to print in colour: as NO_COLOR says, or else FORCE_COLOR, or else on a terminal that is not dumb."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def print_message(kind: str, text: str) -> None:
    """Print an error, a warning or a note to stderr."""
    shown = f"{_COLOURS[kind]}{kind}:{_PLAIN}" if in_colour(sys.stderr) else f"{kind}:"
    print(f"{PROGRAM}: {shown} {render(text, COMMAND_LINE)}", file=sys.stderr)


def print_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print each note once, unless asked to be quiet."""
    if quiet:
        return
    for note in dict.fromkeys(notes):
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


def check_proofs(gaps: Sequence[float], seconds: float | None, documents: int | None = None) -> int:
    """Return the exit code for alignments with these gaps, and warn if a time limit left some unproven."""
    gaps = [gap for gap in gaps if gap]
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


def write_stdout(result: str | bytes | Iterable[str]) -> None:
    """Print the result, or its pieces; it is no error if the reader of a pipe has stopped reading."""
    try:
        if isinstance(result, bytes):
            sys.stdout.buffer.write(result)
        else:
            sys.stdout.writelines([result] if isinstance(result, str) else result)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at its end: give it something that can be written to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise SettingsError(f"cannot write the result: {error.strerror or error}") from None


class Progress:
    """How far the work is, on stderr; call it with (done, total).

    On a terminal it is one line, erased at the end; in a file or pipe a line every ten seconds. Tests have a stream and
    a clock of their own.
    """

    def __init__(
        self, *, quiet: bool, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._drawn = 0
        self._quiet = quiet
        self.documents = 0  # where documents a second are to be shown
        self._draws = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._coloured = in_colour(self._stream)
        self._began = self._last = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._replace("", "")

    def __call__(self, done: int, total: int) -> None:
        """Draw, at most ten times a second, or print a line every ten seconds."""
        now = self._clock()
        interval = _REDRAW_SECONDS if self._draws else _LINE_SECONDS
        if self._quiet or total <= 0 or now - self._last < interval:
            return
        self._last = now
        bar, rest = progress_line(done, total, now - self._began, self.documents)
        if self._draws:
            self._replace(bar, rest[: max(self._columns() - len(bar) - 1, 0)])
        elif done < total:
            print(f"{PROGRAM}:{rest}", file=self._stream, flush=True)

    def _replace(self, bar: str, rest: str) -> None:
        if not self._drawn and not bar:
            return
        length = len(bar) + len(rest)
        # spaces and not an escape sequence: they erase on every terminal
        blank = " " * (self._drawn - length)
        shown = f"{_COLOURS['note']}{bar}{_PLAIN}" if bar and self._coloured else bar
        # Ctrl-C may come before the line is whole: it is to be erased all the same
        self._drawn = max(self._drawn, length)
        self._stream.write(f"\r{shown}{rest}{blank}" + ("" if length else "\r"))
        self._stream.flush()
        self._drawn = length

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            return 80


def progress_line(done: int, total: int, seconds: float, documents: int = 0) -> tuple[str, str]:
    """Return the bar and the words after it, for `done` of `total`, of so many documents, after so many seconds."""
    part = min(done / total, 1.0)
    full = int(part * _BAR)
    left = ""
    if 0 < done < total and seconds >= _RELIABLE_SECONDS:
        rate = f", {documents * part / seconds:.3g} documents a second" if documents else ""
        left = f"{rate}, {duration(seconds * (total - done) / done)} left"
    return "#" * full + "." * (_BAR - full), f" {int(part * 100)} % ({done} of {total}{left})"


def duration(seconds: float) -> str:
    """Return a time span in the words people use."""
    whole = int(seconds + 0.5)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE:02} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE:02} min"
