"""What a process leaves behind: its child processes, what they hold open, and files in its temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import command

LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def children(pid: int) -> list[int]:
    """Return the ids of all processes that a process has started, and of those that they have started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (state := _state(int(entry.name))) is not None:
            parents[int(entry.name)] = int(state[1])
    found = [child for child, parent in parents.items() if parent == pid]
    for child in found:
        found += [grandchild for grandchild, parent in parents.items() if parent == child]
    return found


def is_alive(pid: int) -> bool:
    """Return whether a process works; a zombie does not."""
    state = _state(pid)
    return state is not None and state[0] != "Z"


def used_time(pid: int) -> int:
    """Return the time of the processor that a process has used, in ticks of the clock; 0 if it has ended."""
    state = _state(pid)
    return 0 if state is None else int(state[11]) + int(state[12])


def _state(pid: int) -> list[str] | None:
    """Return state, parent and more of a process from /proc, None if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None


def shared_memory(pid: int) -> list[str]:
    """Return the files of shared memory that a process has open or mapped."""
    mapped = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").split()
    links = filter(None, map(_target, Path(f"/proc/{pid}/fd").iterdir()))
    return sorted({name for name in [*mapped, *links] if name.startswith("/dev/shm")})  # noqa: S108


def _target(link: Path) -> str | None:
    """Return the path that a link of /proc leads to, None if the process has closed that file since it was listed."""
    try:
        return str(link.readlink())
    except FileNotFoundError:
        return None


def wait_until(is_so: Callable[[], object]) -> None:
    """Wait until something is so, however long it takes: pytest's own timeout ends a test that hangs."""
    while not is_so():
        time.sleep(0.02)


def worker_at_work(pid: int) -> int:
    """Return the id of the first child process that uses a tenth of a second of the processor from now on."""
    before: dict[int, int] = {}
    at_work: list[int] = []

    def works() -> bool:
        used = {child: used_time(child) for child in children(pid)}
        at_work.extend(child for child, ticks in used.items() if ticks >= before.setdefault(child, ticks) + 10)
        return bool(at_work)

    wait_until(works)
    return at_work[0]


def has_new_process(pid: int, before: set[int]) -> bool:
    """Return whether one of these child processes has ended and another was started in its place."""
    now = {*children(pid)}
    return len(now) == len(before) and now != before


@contextmanager
def running(temporary: Path, *arguments: object, workers: int = 2) -> Iterator[subprocess.Popen[str]]:
    """Run the command line with its own temporary folder, and go on as soon as it has so many child processes."""
    temporary.mkdir(exist_ok=True)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    env = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command(*arguments), env=env, **pipes) as process:
        try:
            wait_until(lambda: len(children(process.pid)) >= workers or process.poll() is not None)
            yield process
        finally:
            process.kill()
