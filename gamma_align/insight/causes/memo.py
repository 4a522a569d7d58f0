"""Results that most repairs leave as they are, by the data that they depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np

from gamma_align.columns import BoolArray, IntArray

Remembered = TypeVar("Remembered")


class Memo:
    """Results of detectors by the data they depend on. A repair changes few of these."""

    def __init__(self) -> None:
        self._results: dict[tuple[object, ...], object] = {}

    def get(self, key: tuple[object, ...], compute: Callable[[], Remembered]) -> Remembered:
        """Return the result of a key, which is computed if it is not there."""
        if key not in self._results:
            self._results[key] = compute()
        return cast("Remembered", self._results[key])


def digest(*columns: IntArray | BoolArray) -> bytes:
    """Return a short key of the contents of columns of one length."""
    from hashlib import blake2b

    state = blake2b(digest_size=16)
    for column in columns:
        state.update(np.ascontiguousarray(column).data)
    return state.digest()
