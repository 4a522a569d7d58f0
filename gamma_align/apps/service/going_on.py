"""Unfinished work of a measurement that was cancelled, from which the same measurement resumes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from gamma_align.errors import DiskFullError
from gamma_align.reading import WorkFolder, locked_folder
from gamma_align.work import StoredColumns

_MAX_BYTES = 64 << 20  # of the pieces of a folder in memory; on disk they are compressed


@contextlib.contextmanager
def work_so_far(folder: Path) -> Iterator[WorkSoFar | None]:
    """Yield the work in a folder, which is empty in the end; None if another process uses the folder.

    Also None if the system does not report whether another process uses it.
    """
    with locked_folder(folder) as is_ours:
        if not is_ours:
            yield None
            return
        store = WorkFolder(folder, {"request": folder.name})
        yield WorkSoFar(store)
        # Not reached after an error or if the worker is killed: the same measurement can then resume.
        store.clear()


class WorkSoFar:
    """A folder of work that is written seldom, up to a size: see `gamma_align.work.store.Store`.

    Work of less than `seconds` is not written: to do it again is as quick.
    """

    seconds = 1.0

    def __init__(self, store: WorkFolder) -> None:
        self._store = store
        self._last_write = time.monotonic()
        self._size = 0  # of the pieces that were loaded or written, in bytes
        self._pending: list[tuple[int, str, StoredColumns]] = []

    def save(self, part: int, kind: str, columns: StoredColumns) -> None:
        """Hold a piece; write all that are held if the last write was `seconds` ago."""
        self._pending.append((part, kind, columns))
        if time.monotonic() - self._last_write < self.seconds:
            return
        for piece_part, piece_kind, piece in self._pending:
            self._size += _size(piece)
            if self._size <= _MAX_BYTES:
                try:
                    self._store.save(piece_part, piece_kind, piece)
                except DiskFullError:  # the result needs the space more
                    self._store.clear()
                    self._size = _MAX_BYTES
        self._pending.clear()
        self._last_write = time.monotonic()

    def load(self, part: int, kind: str) -> Iterator[StoredColumns]:
        """Yield the pieces of a kind that were written, in their order."""
        for piece in self._store.load(part, kind):
            self._size += _size(piece)
            yield piece


def _size(columns: StoredColumns) -> int:
    return sum(int(column.nbytes) for column in columns.values())
