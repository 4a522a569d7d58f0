"""Report the gap of an alignment while its search is running."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

_gap_callback: ContextVar[Callable[[float], None] | None] = ContextVar("gap_callback", default=None)


@contextlib.contextmanager
def reporting_gaps(callback: Callable[[float], None]) -> Iterator[None]:
    """Inside a ``with`` block, call `callback` with the gap, relative to the cost, whenever it may have shrunk.

    Only column generation reports gaps; the other searches are too short.
    """
    token = _gap_callback.set(callback)
    try:
        yield
    finally:
        _gap_callback.reset(token)


def report_gap(gap: Callable[[], float]) -> None:
    """Report the gap; it is computed only if a callback is set."""
    callback = _gap_callback.get()
    if callback is not None:
        callback(gap())
