"""The line between *core* and *surfaces*: a core test starts no process and no server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

FOLDERS = ("apps/service", "docs")
"""All tests in these folders are surfaces; a test elsewhere that starts a process is marked one by one."""
_STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec", "socket.bind")
"""The audit events of Python that say that a process or a server starts."""
_is_core = False


class SurfaceError(BaseException):
    """A core test starts a process or a server; no `Exception`, which the program that it tests could catch."""


def is_in_a_folder_of_surfaces(path: PurePath, tests: PurePath) -> bool:
    """Return whether a file is in one of `FOLDERS` of the folder `tests`."""
    return any(path.is_relative_to(tests / folder) for folder in FOLDERS)


@contextmanager
def core() -> Iterator[None]:
    """Raise SurfaceError in the block if it starts a process or a server."""
    global _is_core  # noqa: PLW0603  (Python calls the hook without arguments of ours)
    before = _is_core
    _is_core = True
    try:
        yield
    finally:
        _is_core = before


def _refuse(event: str, _: tuple[object, ...]) -> None:
    if _is_core and event in _STARTS:
        raise SurfaceError(f"a core test starts a process or a server ({event}): mark it with pytest.mark.surfaces")


sys.addaudithook(_refuse)  # a hook cannot be removed, so there is one for all tests
