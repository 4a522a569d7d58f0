"""Messages and progress on stderr, and the exit codes. Help prints none, and the errors are imported with the first."""

from __future__ import annotations

import enum
import io
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Self, TextIO

from gamma_align.requests import COMMAND_LINE, PROGRAM

_COLOURS = {"error": "\x1b[31m", "warning": "\x1b[33m", "note": "\x1b[36m"}
"""Escape sequences that begin a colour, by kind of message."""
_COLOUR_END = "\x1b[0m"
_BAR_LENGTH = 24  # characters
_REDRAW_SECONDS = 0.1  # between two drawings of the progress on a terminal
_LINE_SECONDS = 10.0  # between two lines of progress in a file or pipe
_MIN_ESTIMATE_SECONDS = 0.5  # before that, the remaining time cannot be estimated
_MINUTE_SECONDS = 60
_HOUR_SECONDS = 3600


class ExitCode(enum.IntEnum):
    """The exit code of the process."""

    FINE = 0
    BELOW_THRESHOLD = 1
    USAGE = 2
    INVALID_INPUT = 3
    NOT_AVAILABLE = 4
    NOT_PROVEN = 5
    LEFT_OUT = 6
    NO_RESOURCES = 7
    BUG = 70
    INTERRUPTED = 130  # by Ctrl-C, as shells report it: 128 and the number of the signal
    TERMINATED = 143  # by SIGTERM


EXIT_CODES = (
    "exit codes: 0 fine, 1 --fail-under missed or versions differ, 2 usage, 3 invalid input, 4 result not available, "
    "5 not proven optimal within the limit asked for, 6 documents with problems left out, 7 not enough "
    "memory or disk space, 70 a bug of gamma-align, 130 interrupted, 143 terminated"
)


def in_colour(stream: TextIO) -> bool:
    """Return whether to print in colour: by NO_COLOR, then FORCE_COLOR, then on any terminal that is not dumb."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def print_message(kind: str, text: str) -> None:
    """Print an error, a warning or a note to stderr."""
    from gamma_align.data import terminal_text
    from gamma_align.errors import render

    shown = f"{_COLOURS[kind]}{kind}:{_COLOUR_END}" if in_colour(sys.stderr) else f"{kind}:"
    # The message may quote a label or a name, or the exception of another package that quotes what it read.
    print(f"{PROGRAM}: {shown} {terminal_text(render(text, COMMAND_LINE))}", file=sys.stderr)


def print_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print each note once, unless `quiet`."""
    if quiet:
        return
    for note in dict.fromkeys(notes):
        print_message("note", note)


def print_warnings(*, quiet: bool) -> None:
    """Print warnings of this package as messages from now on. Python prints warnings of other packages."""
    from gamma_align.errors import GammaAlignWarning

    show_by_python = warnings.showwarning

    def show(  # its signature is that of `warnings.showwarning`
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not issubclass(category, GammaAlignWarning):
            show_by_python(message, category, filename, lineno, file, line)
        elif not quiet:
            print_message("warning", str(message))

    warnings.showwarning = show


def check_proofs(gaps: Sequence[float], seconds: float | None, documents: int | None = None) -> int:
    """Return the exit code of alignments with these gaps, and warn if a time limit left some of them unproven."""
    gaps = [gap for gap in gaps if gap]
    # Only a limit that the user sets has an exit code for gaps.
    if not gaps or seconds is None:
        return ExitCode.FINE
    subject = "alignments are" if documents is None else f"{len(gaps)} of {documents} documents"
    print_message(
        "warning",
        f"{subject} not proven optimal after {seconds:g} s (largest gap {max(gaps):.2%}); "
        "a larger --time-limit may prove them",
    )
    return ExitCode.NOT_PROVEN


def prepare_streams() -> None:
    """Make both streams UTF-8, so that γ and any label can be printed in any locale; the same bytes on all systems.

    Windows would add carriage returns to the ends of lines. Its console needs none.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller (2>&-): else the next file that is opened would get the messages
            # A result that nobody gets is an error: its stream cannot be written.
            mode = os.O_RDONLY if name == "stdout" else os.O_WRONLY
            setattr(sys, name, os.fdopen(os.open(os.devnull, mode), "w", encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty()


def write_stdout(result: str | bytes | Iterable[str]) -> None:
    """Print the result, on a terminal without control characters. It is no error if the reader of a pipe stops reading.

    A file or a pipe gets CSV, JSON and tables as they are.
    """
    if _is_terminal(sys.stdout):
        from gamma_align.data import terminal_text

        if isinstance(result, bytes):
            result = result.decode("utf-8", "backslashreplace")
        result = map(terminal_text, [result] if isinstance(result, str) else result)
    try:
        if isinstance(result, bytes):
            sys.stdout.buffer.write(result)
        else:
            sys.stdout.writelines([result] if isinstance(result, str) else result)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes stdout again at its end, which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            from gamma_align.data import disk_full, is_disk_full
            from gamma_align.errors import SettingsError

            if is_disk_full(error):
                raise disk_full("the result", error) from None
            raise SettingsError(f"cannot write the result: {error.strerror or error}") from None


class Progress:
    """The progress of the work on stderr; call it with (done, total).

    On a terminal it is one line that is erased at the end, in a file or pipe one line every ten seconds. Tests pass a
    stream and a clock.
    """

    def __init__(
        self, *, quiet: bool, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._drawn = 0
        self._quiet = quiet
        self.documents = 0  # their number, if documents per second are shown
        self._draws = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._coloured = in_colour(self._stream)
        self._start_time = self._last_time = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Erase the line, before something else is printed."""
        self._replace("", "")

    def __call__(self, done: int, total: int) -> None:
        """Draw at most ten times a second, or print a line every ten seconds."""
        time_now = self._clock()
        interval = _REDRAW_SECONDS if self._draws else _LINE_SECONDS
        if self._quiet or total <= 0 or time_now - self._last_time < interval:
            return
        self._last_time = time_now
        bar, text = progress_line(done, total, time_now - self._start_time, self.documents)
        if self._draws:
            self._replace(bar, text[: max(self._columns() - len(bar) - 1, 0)])
        elif done < total:
            print(f"{PROGRAM}:{text}", file=self._stream, flush=True)

    def _replace(self, bar: str, text: str) -> None:
        """Draw the line again."""
        if not self._drawn and not bar:
            return
        length = len(bar) + len(text)
        # spaces instead of an escape sequence: they erase text on every terminal
        blank = " " * (self._drawn - length)
        shown = f"{_COLOURS['note']}{bar}{_COLOUR_END}" if bar and self._coloured else bar
        # Ctrl-C may come while the line is written: it must be erased all the same.
        self._drawn = max(self._drawn, length)
        self._stream.write(f"\r{shown}{text}{blank}" + ("" if length else "\r"))
        self._stream.flush()
        self._drawn = length

    def _columns(self) -> int:
        # A pseudo-terminal may report 0 columns, and the stream of a test has none.
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            return 80


def progress_line(done: int, total: int, seconds: float, documents: int = 0) -> tuple[str, str]:
    """Return the bar, and the text behind it, for `done` of `total` after a time."""
    share = min(done / total, 1.0)
    n_full = int(share * _BAR_LENGTH)
    remaining = ""
    if 0 < done < total and seconds >= _MIN_ESTIMATE_SECONDS:
        rate = f", {documents * share / seconds:.3g} documents a second" if documents else ""
        remaining = f"{rate}, {duration(seconds * (total - done) / done)} left"
    return "#" * n_full + "." * (_BAR_LENGTH - n_full), f" {int(share * 100)} % ({done} of {total}{remaining})"


def duration(seconds: float) -> str:
    """Return a duration in seconds, in minutes and seconds, or in hours and minutes."""
    rounded = int(seconds + 0.5)
    if rounded < _MINUTE_SECONDS:
        return f"{rounded} s"
    if rounded < _HOUR_SECONDS:
        return f"{rounded // _MINUTE_SECONDS} min {rounded % _MINUTE_SECONDS:02} s"
    return f"{rounded // _HOUR_SECONDS} h {rounded % _HOUR_SECONDS // _MINUTE_SECONDS:02} min"
