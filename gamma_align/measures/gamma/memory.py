"""What the C library of Linux does with memory that is freed; other systems' is left alone."""

from __future__ import annotations

import contextlib
import ctypes
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_BYTES = 1 << 29
_ELSEWHERE = (OSError, AttributeError, TypeError)  # where there is no such function


def give_back() -> None:
    """Give memory that parts had back to the system: small arrays would keep hold of the gaps between them."""
    with contextlib.suppress(*_ELSEWHERE):
        ctypes.CDLL(None).malloc_trim(0)


@cache
def keep() -> None:
    """Let this process, which is ours, keep what is freed for what comes next.

    A task makes and frees the same large arrays again and again; to have each page from the system anew takes a fifth
    of the time, and twice that where two processes ask for pages.
    """
    with contextlib.suppress(*_ELSEWHERE):
        for threshold in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            ctypes.CDLL(None).mallopt(threshold, _BYTES)
