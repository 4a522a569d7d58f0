"""A file that one process has at a time."""

from __future__ import annotations

from typing import IO


def locked(file: IO[bytes]) -> bool | None:
    """Take a file for this process alone, until it is closed or the process ends; return whether it could be.

    None where the system has no such locks (Windows).
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
