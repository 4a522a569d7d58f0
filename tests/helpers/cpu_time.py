"""A bound of the CPU time of tests: a loop without end fails in minutes, and a busy machine fails no test."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class CpuTimeError(BaseException):
    """A test has used more CPU time than it may; no `Exception`, which Hypothesis would try to reproduce."""


CPU_SECONDS = 300.0  # of one test that is not left to a release: a loop without end fails, and no other comes near it


@contextmanager
def cpu_time_below(seconds: float) -> Iterator[None]:
    """Raise CpuTimeError in the block if the process uses more CPU time than this; Windows has no such timer."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_: object) -> None:
        raise CpuTimeError(f"more than {seconds:g} s of CPU time")

    handler, timer = signal.signal(signal.SIGPROF, end), signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *timer)
        signal.signal(signal.SIGPROF, handler)
