"""Control over freed memory: in the C library of Linux, as other systems have no such functions, and in pyarrow."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from functools import cache

# parameters of mallopt(3)
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_KEPT_BYTES = 1 << 29  # 512 MiB
_UNSUPPORTED_ERRORS = (OSError, AttributeError, TypeError)  # raised if the C library has no such function


def release_freed_memory() -> None:
    """Return freed memory to the system. Otherwise small arrays hold on to the gaps between them.

    The tables of files are in the memory of pyarrow, which keeps what it has freed.
    """
    pyarrow = sys.modules.get("pyarrow")  # None if it is not imported, or must not be
    if pyarrow is not None:
        pyarrow.default_memory_pool().release_unused()
    with contextlib.suppress(*_UNSUPPORTED_ERRORS):
        ctypes.CDLL(None).malloc_trim(0)


@cache
def keep_freed_memory() -> None:
    """Make this process keep freed memory for later allocations.

    A task allocates and frees the same large arrays repeatedly. Requesting each page from the system again would take a
    fifth of the time, and twice that if two processes request pages.
    """
    with contextlib.suppress(*_UNSUPPORTED_ERRORS):
        for threshold in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            ctypes.CDLL(None).mallopt(threshold, _KEPT_BYTES)
