"""The best choice of columns in parts that are small enough, and the rule where several are the best.

Prices y ≥ 0 that no column beats give every column a loss l(S) = Σ y - s(S) ≥ 0, and every unit the loss y when alone;
an alignment saves Σ y less what it loses, so the one of least loss is the best, whatever the prices. Good prices make
it easy to find.

The tie rule
------------
Among alignments of the same disorder (to 1e-9 of Δ): the one with most unitary alignments (units that gain nothing
by standing together stay apart); among those, the one of least Σ h, where h(ă) is a fixed pseudo-random number of 24
bits made of the canonical numbers of its units (`tie_hash`). The rule looks at nothing but the instance itself, so
the choice is the same in any batch, order of rows or machine, and whichever solver found the disorder.
(In a part where so many tie that the search is given up, the integer programme's own choice stands: still the same in
any batch and order, and of the same disorder.)
"""

from __future__ import annotations

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.columns import BoolArray, FloatArray, IntArray, WordArray

TIE = 1e-9  # losses that differ by no more than this (in units of Δ) are equal

_TIE_IN_PART = TIE / 10  # an instance may have several parts


def tie_hash(columns: Columns, number: IntArray) -> IntArray:
    """Return h of each column: 24 bits, from the canonical number of each unit within its instance."""
    mixed = np.add.reduceat(splitmix(number.astype(np.uint64))[columns.units], columns.offsets[:-1])
    return _bits(mixed)


def tie_hash_alone(number: IntArray) -> IntArray:
    """Return h of each unit alone."""
    return _bits(splitmix(number.astype(np.uint64)))


def _bits(mixed: WordArray) -> IntArray:
    return (splitmix(mixed) >> np.uint64(40)).astype(np.int64)


def splitmix(value: WordArray) -> WordArray:
    """Return SplitMix64's output for each state (Steele, Lea & Flood 2014)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


class PartSearch:
    """The search over parts of some columns, at prices that none of them beats: what each unit loses alone.

    `loss`, shape (n_columns,), is what each of the `columns` loses.
    """

    def __init__(self, columns: Columns, number: IntArray, price: FloatArray, loss: FloatArray) -> None:
        self.columns, self._number, self._price, self.loss = columns, number, price, loss
        self._alone = tie_hash_alone(number)

    def bounds(self, part: IntArray) -> FloatArray:
        """Return a lower bound of the cost of each part: what its units cost alone less their prices."""
        return np.bincount(part, weights=1.0 - self._price).astype(np.float64)

    def choose(
        self, part: IntArray, nodes: IntArray, rows: IntArray | None = None, known: FloatArray | None = None
    ) -> tuple[FloatArray, BoolArray, IntArray]:
        """Return (least loss, whether solved) of each part, and the chosen columns: of all, or among those of `rows`.

        Units of part -1 are not to be solved. `nodes` is the work allowed for each part, `known` a loss that some
        choice in it is known to reach, which spares what loses more.
        """
        columns, loss = (self.columns, self.loss) if rows is None else (self.columns.take(rows), self.loss[rows])
        known = np.full(len(nodes), np.inf) if known is None else known
        hash_ = tie_hash(columns, self._number)
        least, solved, chosen = kernels.choose(
            part, columns.offsets, columns.units, loss, self._price, hash_, self._alone, known, nodes, _TIE_IN_PART
        )
        return least, solved > 0, chosen
