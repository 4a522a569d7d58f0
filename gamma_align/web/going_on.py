"""What a measurement did before it was cancelled, so that the same one goes on from there."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gamma_align.gammas.part_work import Columns
from gamma_align.io.files.atomic import atomic_write
from gamma_align.io.files.locks import locked

_MOST = 64 << 20  # bytes
_LOCK = "lock"


@contextlib.contextmanager
def work_so_far(folder: Path) -> Iterator[WorkSoFar | None]:
    """Yield the work in a folder, which is made if missing and empty in the end; None while another process has it."""
    folder.mkdir(exist_ok=True)
    with (folder / _LOCK).open("wb") as lock:
        if not locked(lock):  # nor where the system cannot tell two from one
            yield None
            return
        work = WorkSoFar(folder)
        yield work
        work.remove()


class WorkSoFar:
    """Pieces of work in a folder, in NumPy's format: see `gamma_align.gammas.part_work.Store`.

    What takes less than `seconds` is not written: to do it again is as quick. (`gamma_align.io.work_folder` needs
    pyarrow, whose threads processes that are forked must not have.)
    """

    seconds = 1.0

    def __init__(self, folder: Path) -> None:
        self._folder, self._last = folder, time.monotonic()  # when pieces were last written
        self._held: list[tuple[int, str, Columns]] = []
        for left in folder.glob(".*.tmp"):  # of a worker that was ended while it wrote
            left.unlink()
        self._number, self._size = len(self._pieces()), sum(file.stat().st_size for file in self._pieces())

    def save(self, part: int, kind: str, columns: Columns) -> None:
        """Hold a piece, and write all that are held now and then, up to what a folder may have."""
        self._held.append((part, kind, columns))
        if time.monotonic() - self._last < self.seconds:
            return
        for of_part, name, piece in self._held:
            self._size += sum(column.nbytes for column in piece.values())
            if self._size <= _MOST:
                path = self._folder / f"{of_part}-{name}-{self._number:06}"
                with atomic_write(path) as temporary, temporary.open("wb") as file:
                    np.savez(file, **piece)
                self._number += 1
        self._held.clear()
        self._last = time.monotonic()

    def load(self, part: int, kind: str) -> Iterator[Columns]:
        """Yield the pieces of a kind that were written, in their order."""
        for file in self._pieces(f"{part}-{kind}-*"):
            with np.load(file, allow_pickle=False) as piece:
                yield dict(piece)

    def remove(self) -> None:
        """Delete the pieces."""
        for file in self._pieces():
            file.unlink()

    def _pieces(self, names: str = "*-*-*") -> list[Path]:
        return sorted(self._folder.glob(names))
