"""Exact search of the best columns of a part, and the tie rule.

Prices y ≥ 0 that no column beats give each column a loss l(S) = Σ y - s(S) ≥ 0, and each unit alone the loss y. An
alignment saves Σ y minus its total loss, so the alignment of least loss is the best one, whatever the prices. Good
prices make it easy to find.

The tie rule
------------
Among alignments of the same disorder (to 1e-9 of Δ), the one with the most unitary alignments is returned: units that
gain nothing by being aligned stay apart. Among these, the one with the least Σ h is returned; h(ă) is a fixed
pseudo-random number of 24 bits, computed from the canonical indices of its units (`tie_hash`). The rule depends on the
instance alone, so the result does not depend on the batch, the order of rows, the machine or the solver.
(If a part has so many ties that its search is given up, the alignment of the integer programme is returned: it has the
same disorder, and does not depend on the batch and the order either.)
"""

from __future__ import annotations

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.columns import BoolArray, FloatArray, IntArray, WordArray

TIE = 1e-9  # in units of Δ; losses that differ by no more than this are equal
TIE_MARGIN = 10 * TIE  # added to a limit of loss, so that columns that tie are considered

_TIE_IN_PART = TIE / 10  # smaller than for an instance, which may have several parts


def tie_hash(columns: Columns, canonical_index: IntArray) -> IntArray:
    """Return h of each column: 24 bits, from the canonical index of each unit within its instance."""
    mixed = np.add.reduceat(splitmix(canonical_index.astype(np.uint64))[columns.units], columns.offsets[:-1])
    return _bits(mixed)


def tie_hash_alone(canonical_index: IntArray) -> IntArray:
    """Return h of each unit alone."""
    return _bits(splitmix(canonical_index.astype(np.uint64)))


def _bits(mixed: WordArray) -> IntArray:
    """Return the 24 bits of the tie rule from mixed words."""
    return (splitmix(mixed) >> np.uint64(40)).astype(np.int64)


def splitmix(value: WordArray) -> WordArray:
    """Return SplitMix64's output for each state (Steele, Lea & Flood 2014)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


class PartSearch:
    """Search of parts, with prices that no column beats.

    The price of a unit is its loss if it stays alone; `loss`, shape (n_columns,), is the loss of each column.
    """

    def __init__(self, columns: Columns, canonical_index: IntArray, price: FloatArray, loss: FloatArray) -> None:
        self.columns = columns
        self._canonical_index = canonical_index
        self._price = price
        self.loss = loss
        self._alone_hash = tie_hash_alone(canonical_index)

    def bounds(self, part: IntArray) -> FloatArray:
        """Return a lower bound of the cost of each part: the cost of its units alone minus their prices."""
        return np.bincount(part, weights=1.0 - self._price).astype(np.float64)

    def choose(
        self, part: IntArray, max_work: IntArray, rows: IntArray | None = None, loss_limit: FloatArray | None = None
    ) -> tuple[FloatArray, BoolArray, IntArray]:
        """Return the least loss of each part, whether it was solved, and the selected columns.

        `part`, shape (n_units,), is the part of each unit; parts of -1 are skipped. With `rows`, only these columns are
        searched, and the selected columns are indices into `rows`. `max_work` limits the work for each part.
        `loss_limit` is a loss that an alignment of the part is known to reach; anything worse is skipped.
        """
        columns = self.columns
        loss = self.loss
        if rows is not None:
            columns = columns.take(rows)
            loss = loss[rows]
        if loss_limit is None:
            loss_limit = np.full(len(max_work), np.inf)
        hashes = tie_hash(columns, self._canonical_index)
        min_loss, is_solved, selected = kernels.choose(
            part,
            columns.offsets,
            columns.units,
            loss,
            self._price,
            hashes,
            self._alone_hash,
            loss_limit,
            max_work,
            _TIE_IN_PART,
        )
        return min_loss, is_solved > 0, selected
