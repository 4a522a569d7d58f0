"""Names of two corpora, such as their documents, in one order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.inference import FIRST_ONLY, SECOND_ONLY


class SharedNames(NamedTuple):
    """The names that either of two corpora has, sorted, and an index into them for each name of either corpus.

    `first` belongs to the names of the first corpus, in their order, `second` to the names of the second corpus.
    """

    names: tuple[str, ...]
    first: IntArray
    second: IntArray

    @classmethod
    def of(cls, first: Sequence[str], second: Sequence[str]) -> SharedNames:
        """Return the names of two corpora."""
        names = tuple(sorted({*first, *second}))
        index = {name: number for number, name in enumerate(names)}
        codes = (np.array([index[name] for name in own_names], dtype=np.int64) for own_names in (first, second))
        return cls(names, *codes)

    @property
    def side(self) -> IntArray:
        """Where each name is: in both corpora, in the first or in the second one only."""
        side = np.zeros(len(self.names), dtype=np.int64)
        side[self.first] += FIRST_ONLY
        side[self.second] += SECOND_ONLY
        return side
