"""How far the best alignment known may be from the best there is, told to those who wait while a search goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

_told: ContextVar[Callable[[float], None] | None] = ContextVar("told", default=None)


@contextlib.contextmanager
def telling(told: Callable[[float], None]) -> Iterator[None]:
    """Let `told` be called with the gap, relative to the cost, whenever it may have shrunk.

    Searches that are over at once tell nothing; one that takes long is column generation.
    """
    token = _told.set(told)
    try:
        yield
    finally:
        _told.reset(token)


def tell(gap: Callable[[], float]) -> None:
    """Tell the gap, which is found out only where somebody waits for it."""
    told = _told.get()
    if told is not None:
        told(gap())
