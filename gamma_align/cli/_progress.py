"""Progress with the time left, on a terminal's stderr and nowhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Self, TextIO

_BAR = 24
_REDRAW_SECONDS = 0.1
_RELIABLE_SECONDS = 0.5
_MINUTE, _HOUR = 60, 3600


class Progress:
    """A line that tells how far the work is; call it with (done, total). It is erased at the end.

    Parameters
    ----------
    quiet : bool
        Never draw.
    stream : TextIO, optional
        Where to draw, if it is a terminal; stderr by default.
    clock : callable
        Seconds, for tests.
    """

    def __init__(
        self, *, quiet: bool, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._drawn = 0
        self._enabled = not quiet and self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._coloured = not os.environ.get("NO_COLOR")
        self._began = self._last = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._replace("", "")

    def __call__(self, done: int, total: int) -> None:
        """Draw, at most ten times a second."""
        now = self._clock()
        if not self._enabled or total <= 0 or now - self._last < _REDRAW_SECONDS:
            return
        self._last = now
        bar, rest = progress_line(done, total, now - self._began)
        self._replace(bar, rest[: max(self._columns() - len(bar) - 1, 0)])

    def _replace(self, bar: str, rest: str) -> None:
        if not self._drawn and not bar:
            return
        length = len(bar) + len(rest)
        # spaces and not an escape sequence: they erase on every terminal
        blank = " " * (self._drawn - length)
        shown = f"\x1b[36m{bar}\x1b[0m" if bar and self._coloured else bar
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


def progress_line(done: int, total: int, seconds: float) -> tuple[str, str]:
    """Return the bar and the words after it, for `done` of `total` after so many seconds."""
    part = min(done / total, 1.0)
    full = int(part * _BAR)
    left = ""
    if 0 < done < total and seconds >= _RELIABLE_SECONDS:
        left = f", {duration(seconds * (total - done) / done)} left"
    return "#" * full + "." * (_BAR - full), f" {int(part * 100)} % ({done} of {total}{left})"


def duration(seconds: float) -> str:
    """Return a time span in the words people use."""
    whole = int(seconds + 0.5)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE:02} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE:02} min"
