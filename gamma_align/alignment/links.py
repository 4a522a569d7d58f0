"""Candidate pairs as adjacency lists, in the form the kernels take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.alignment.candidates import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Pairs by one of their units.

    Attributes
    ----------
    begin : ndarray of int64, shape (n_units + 1,)
        Where each unit's pairs begin.
    other : ndarray of int64
        The other unit of each pair, ascending within a unit.
    saving : ndarray of float64
        w of each.
    """

    begin: IntArray
    other: IntArray
    saving: FloatArray

    @classmethod
    def upward(cls, pairs: Pairs, n_units: int) -> Links:
        """Return each pair at its lower unit."""
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        return cls._of(low, high, pairs.saving, n_units)

    @classmethod
    def both_ways(cls, pairs: Pairs, n_units: int) -> Links:
        """Return each pair at both of its units."""
        one, other = np.concatenate([pairs.first, pairs.second]), np.concatenate([pairs.second, pairs.first])
        return cls._of(one, other, np.concatenate([pairs.saving, pairs.saving]), n_units)

    @classmethod
    def _of(cls, one: IntArray, other: IntArray, saving: FloatArray, n_units: int) -> Links:
        order = np.lexsort((other, one))
        begin = np.concatenate([[0], np.cumsum(np.bincount(one, minlength=n_units))])
        return cls(begin.astype(np.int64), other[order], saving[order])

    @property
    def unit(self) -> IntArray:
        """The unit that each pair stands at."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))

    def reach(self, annotator: IntArray) -> FloatArray:
        """Return Σ over annotators of each unit's best saving with a unit of theirs, where that is positive.

        Both ways: each pair must stand at both of its units.
        """
        width = int(annotator.max(initial=0)) + 1
        best = np.zeros((len(annotator), width))
        np.maximum.at(best, (self.unit, annotator[self.other]), self.saving)
        total: FloatArray = best.sum(axis=1)
        return total
