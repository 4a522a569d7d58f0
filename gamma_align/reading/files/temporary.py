"""Temporary folders: deleted at the end, or by a later process if this one is killed before."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from gamma_align.reading.files.locks import locked

_FOLDER_PREFIX = "gamma-align-tmp-"
_LOCK_FILE = ".lock"
_MAX_START_SECONDS = 3600.0  # a folder without a lock file may be new: it is left alone for so long


class TemporaryFolder:
    """A new folder in the system's folder for temporary files, with everything in it; `close` deletes it.

    It contains a file that is locked while this process lives. The next temporary folder that a process makes deletes
    all folders whose process was killed: nobody holds their locks.
    """

    def __init__(self) -> None:
        import tempfile  # few runs need it

        _delete_abandoned(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
        self._lock = (self.path / _LOCK_FILE).open("wb")
        locked(self._lock)

    def close(self) -> None:
        """Delete the folder."""
        self._lock.close()  # before: Windows deletes no open file
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _delete_abandoned(parent: Path) -> None:
    """Delete the temporary folders of processes that were killed. Those of other users cannot be deleted, and stay."""
    for folder in parent.glob(f"{_FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    """Return whether the process that made a temporary folder has ended; False if the system has no locks."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    lock = folder / _LOCK_FILE
    if not lock.exists():
        return time.time() - folder.stat().st_mtime > _MAX_START_SECONDS
    with lock.open("r+b") as file:
        return locked(file) is True
