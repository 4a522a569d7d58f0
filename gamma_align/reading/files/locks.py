"""Files that only one process uses at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO


def locked(file: IO[bytes]) -> bool | None:
    """Lock a file until it is closed or the process ends; return whether the lock was acquired.

    Return ``None`` if the system has no such locks.
    """
    try:
        lock = _lock_function()
    except ImportError:
        return None
    try:
        lock(file)
    except OSError:
        return False
    return True


def _lock_function() -> Callable[[IO[bytes]], object]:
    """Return the function that locks an open file or raises OSError; ImportError if the system has none."""
    try:
        import fcntl
    except ImportError:  # Windows locks a range of bytes, which need not exist
        import msvcrt

        return lambda file: msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    return lambda file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[attr-defined,unused-ignore]
