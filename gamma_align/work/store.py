"""Where the results of tasks are kept, so that measurements can be interrupted."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np

from gamma_align.errors import GammaAlignError

Result = TypeVar("Result")

StoredColumns = dict[str, Any]
"""Columns by name, those named …_k having `counts_k` rows for each row of the others."""


class Store(Protocol):
    """Storage for the results of tasks, by part and kind: each piece is written completely or not at all.

    Results are saved whenever the work since the last save took `seconds`.
    """

    seconds: float

    def save(self, part: int, kind: str, columns: StoredColumns) -> None:
        """Save a piece."""
        ...

    def load(self, part: int, kind: str) -> Iterable[StoredColumns]:
        """Return the pieces of a kind."""
        ...


class PartStore:
    """The results of a part's tasks in a store, or nothing without a store."""

    def __init__(self, store: Store | None, part: int) -> None:
        self._store = store
        self._part = part

    def load(self, kind: str) -> Iterable[StoredColumns]:
        """Return the pieces of a kind."""
        return () if self._store is None else self._store.load(self._part, kind)

    def save_while_iterating(
        self, kind: str, results: Iterable[Result], columns: Callable[[Result], StoredColumns]
    ) -> Iterator[Result]:
        """Yield the results; save them after every `seconds` of the store, at the end, and if interrupted."""
        pending: list[StoredColumns] = []
        last_save = time.monotonic()
        try:
            for result in results:
                yield result
                if self._store is not None:
                    pending.append(columns(result))
                    if time.monotonic() - last_save > self._store.seconds:
                        self._save(kind, pending)
                        last_save = time.monotonic()
        except KeyboardInterrupt:  # also at SIGTERM: batch systems stop a process like this, and start it again
            with contextlib.suppress(GammaAlignError):
                self._save(kind, pending)
            raise
        self._save(kind, pending)

    def _save(self, kind: str, pending: list[StoredColumns]) -> None:
        """Save pending pieces as one, and forget them."""
        if self._store is not None and pending:
            columns = {name: np.concatenate([piece[name] for piece in pending]) for name in pending[0]}
            self._store.save(self._part, kind, columns)
            pending.clear()
