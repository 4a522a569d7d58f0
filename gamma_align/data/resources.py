"""Processors, memory and disk space: how much there is, and the errors if it is not enough."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gamma_align.errors import Cure, DiskFullError, OutOfMemoryError, Set

_DISK_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}  # Windows has no quota error
_CGROUP_FOLDER = Path("/sys/fs/cgroup")
_KIB = 1024  # bytes


def is_disk_full(error: OSError) -> bool:
    """Return whether an error means that a disk, a quota or the limit of the size of a file is used up."""
    return error.errno in _DISK_FULL


def disk_full(path: str | os.PathLike[str], error: OSError) -> DiskFullError:
    """Return the error for a file or folder that could not be written because a disk is full."""
    cure = "free space there, or name a place on another disk"
    return DiskFullError(f"cannot write {os.fspath(path)}: {os.strerror(error.errno or 0)}", cure)


def out_of_memory(work: str = "the work") -> OutOfMemoryError:
    """Return the error for work that could not get the memory it asked for."""
    cure = Cure("use fewer workers ({}), or fewer or shorter documents at a time", Set("n_jobs", 1))
    return OutOfMemoryError(f"{work} takes more memory than there is", cure)


def processors() -> int:
    """Return the number of processors that this process may use."""
    # A process may be allowed fewer processors than the machine has; not all systems report it.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory() -> int | None:
    """Return how many bytes of memory this process can still get; None if the system does not report it.

    It is the least of the memory that the machine has free, the rest of the limit of the container or the batch job
    (control groups of Linux), and the rest of the limit of the process (``ulimit -v``).
    """
    amounts = [*_free_of_machine(), *_free_of_control_groups(), *_free_of_process()]
    return max(min(amounts), 0) if amounts else None


def _free_of_machine() -> Iterator[int]:
    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
            yield from (int(line.split()[1]) * _KIB for line in lines if line.startswith("MemAvailable:"))
    elif hasattr(os, "sysconf"):  # macOS: the memory that it has, since it does not report how much is free
        with suppress(OSError, ValueError):
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _own_group() -> Path:
    """Return the folder of the control group (version 2) of this process."""
    lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    return _CGROUP_FOLDER.joinpath(*(line.removeprefix("0::").strip("/") for line in lines if line.startswith("0::")))


def _free_of_control_groups() -> Iterator[int]:
    """Yield the memory left in each control group of this process, from the innermost outwards."""
    with suppress(OSError, ValueError):
        inmost = _own_group()
        for folder in (inmost, *inmost.parents):
            if not folder.is_relative_to(_CGROUP_FOLDER):
                return
            with suppress(OSError, ValueError, StopIteration):  # "max" is no number: this group has no limit
                limit = int((folder / "memory.max").read_text(encoding="ascii"))
                used = int((folder / "memory.current").read_text(encoding="ascii"))
                statistics = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
                # The system drops the cache of files if a process needs its memory.
                cache = next(int(line.split()[1]) for line in statistics if line.startswith("inactive_file "))
                yield limit - used + cache


def _free_of_process() -> Iterator[int]:
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            yield limit - pages * resource.getpagesize()
