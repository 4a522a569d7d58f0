"""Run a command as a process of its own and tell what it cost: CPU, wall time, peak memory (POSIX only)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes there, KiB elsewhere
STOPPED_BY = (signal.SIGXCPU, signal.SIGKILL)


@dataclass(frozen=True)
class Run:
    """What one process cost and printed."""

    cpu: float  # user and system, seconds, all threads
    wall: float
    peak: float  # MB, resident
    code: int  # exit code; the negative signal number if a signal ended it
    stdout: str
    stderr: str

    @property
    def stopped(self) -> bool:
        """Whether a limit ended it."""
        return -self.code in STOPPED_BY


def run(command: list[str], cwd: Path, wall_limit: float | None = None, settings: dict[str, str] | None = None) -> Run:
    """Run the command to its end, or kill it after `wall_limit` seconds; `settings` join its environment."""
    with tempfile.TemporaryFile("w+b") as out, tempfile.TemporaryFile("w+b") as err:
        started = time.perf_counter()
        environment = {**os.environ, **(settings or {})}
        process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        timer = threading.Timer(wall_limit or threading.TIMEOUT_MAX, os.kill, (process.pid, signal.SIGKILL))
        timer.daemon = True
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:  # interrupted: leave nothing running
            process.kill()
            raise
        finally:
            timer.cancel()
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)  # reaped above; Popen must not wait again
        return Run(
            cpu=usage.ru_utime + usage.ru_stime,
            wall=wall,
            peak=usage.ru_maxrss * MAXRSS_UNIT / 1e6,
            code=process.returncode,
            stdout=_text(out),
            stderr=_text(err),
        )


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", errors="replace")
