"""Files that only one process uses at a time."""

from __future__ import annotations

from typing import IO


def locked(file: IO[bytes]) -> bool | None:
    """Lock a file until it is closed or the process ends; return whether the lock was acquired.

    Return ``None`` if the system has no such locks (Windows).
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
