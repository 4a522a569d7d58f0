"""A bound of the cost of an alignment of many annotators, from the best alignments of few of them.

The cost of an alignment is the number of its unitary alignments minus the savings of its aligned pairs. Take *blocks*
of annotators such that every two annotators are in a block. The saving of a pair of units is divided equally among the
blocks that contain both annotators. No block has units in more unitary alignments than there are in all; so this number
is divided among the blocks, too, by shares ρ ≥ 0 that add up to 1. The alignment of least

    ρ · number of unitary alignments - Σ savings

of each block is a small problem of a few annotators. The sum of these minima is a lower bound of the cost.

The minimum of a block is a concave function of its ρ. It is computed at some values of ρ, and the shares go where the
function rises most.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.assignment import matching_bound
from gamma_align.alignment.candidates import FREE, Columns, Pairs
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.partition import partition
from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct

# Values of ρ, relative to equal shares. Blocks whose units are far from each other need much less than the others.
# Values of larger blocks cost more, and their shares are more alike.
_PAIR_SHARES = np.geomspace(0.001, 400.0, 24)
_SHARES = np.geomspace(0.01, 60.0, 10)
_MAX_COLUMNS = 5_000  # of one size, in a block
_MAX_COLUMNS_IN_ALL = 100_000


def block_bound(annotator: IntArray, pairs: Pairs, half: int, deadline: Deadline) -> float:
    """Return a lower bound of the cost of all alignments of one instance, or -inf if the blocks have too many columns.

    `annotator`, shape (n_units,), is the index of the annotator of each unit; all indices below the number of
    annotators have units. The annotators are divided into groups of `half`, and every two groups are a block.
    """
    blocks = _Blocks(annotator, pairs, half)
    shares = (_PAIR_SHARES if half == 1 else _SHARES) / blocks.n_blocks
    values = np.empty((len(shares), blocks.n_blocks))
    # Blocks with small shares have the most columns.
    for index, share in enumerate(shares.tolist()):
        least = blocks.least_of_pairs(share) if half == 1 else blocks.least(share, deadline)
        if least is None or deadline.is_over:
            return -np.inf
        values[index] = least
    return _distribute(shares, values)


def unit_bounds(annotator: IntArray, pairs: Pairs, deadline: Deadline) -> FloatArray:
    """Return a lower bound of the cost from pairs of annotators, divided among the units, shape (n_units,).

    Units without pairs stay alone, and their bound is their cost.
    """
    result = np.ones(len(annotator))
    paired = distinct(np.concatenate([pairs.first, pairs.second]))
    if len(paired):
        index = np.full(len(annotator), -1)
        index[paired] = np.arange(len(paired))
        _, dense = np.unique(annotator[paired], return_inverse=True)
        inner = Pairs(index[pairs.first], index[pairs.second], pairs.saving)
        result[paired] = block_bound(dense, inner, 1, deadline) / len(paired)
    return result


def _distribute(shares: FloatArray, values: FloatArray) -> float:
    """Return the greatest sum of the values of the blocks whose shares add up to 1.

    `values`, shape (n_shares, n_blocks), are those of concave functions; between two shares they are at least the mean.
    """
    steps = np.diff(shares)
    # The functions are concave, so the slopes decrease but for rounding.
    slopes = np.minimum.accumulate(np.diff(values, axis=0) / steps[:, None], axis=0)
    remaining, total = 1.0 - values.shape[1] * float(shares[0]), float(values[0].sum())
    order = np.argsort(-slopes, axis=None, kind="stable")
    step = np.repeat(steps, values.shape[1])[order]
    used = np.clip(remaining - (np.cumsum(step) - step), 0.0, step)
    return total + float((used * slopes.ravel()[order]).sum())


class _Blocks:
    """The units and pairs of all blocks, one block after the other."""

    def __init__(self, annotator: IntArray, pairs: Pairs, half: int) -> None:
        in_block = _cover(int(annotator.max()) + 1, half)
        self.n_blocks = len(in_block)
        n_common = in_block.T.astype(np.int64) @ in_block.astype(np.int64)
        block, unit = np.nonzero(in_block[:, annotator])
        self._offsets = np.concatenate([[0], np.cumsum(np.bincount(block, minlength=self.n_blocks))])
        self._annotator, self._block = annotator[unit], block
        index = np.full(in_block[:, annotator].shape, -1)
        index[block, unit] = np.arange(len(unit))
        first_annotator, second_annotator = annotator[pairs.first], annotator[pairs.second]
        pair_block, pair = np.nonzero(in_block[:, first_annotator] & in_block[:, second_annotator])
        first, second = index[pair_block, pairs.first[pair]], index[pair_block, pairs.second[pair]]
        saving = (pairs.saving / n_common[first_annotator, second_annotator])[pair]
        order = np.lexsort((second, first))
        self._pairs = Pairs(first[order], second[order], saving[order])
        self._begin = np.searchsorted(self._pairs.first, np.arange(len(unit) + 1))

    def least_of_pairs(self, share: float) -> FloatArray:
        """Return the least value of each block, if the blocks are pairs of annotators."""
        pairs = Pairs(self._pairs.first, self._pairs.second, self._pairs.saving / share)
        return self._sums(share * matching_bound(pairs, len(self._block)))

    def least(self, share: float, deadline: Deadline) -> FloatArray | None:
        """Return the least value of each block, or None if they have too many columns."""
        max_partial = np.full(self.n_blocks, _MAX_COLUMNS)
        arrays = (self._offsets, self._annotator, self._begin, self._pairs.second, self._pairs.saving / share)
        offsets, units, cost, too_many = kernels.useful(*arrays, max_partial, FREE)
        if too_many.any() or len(cost) > _MAX_COLUMNS_IN_ALL:
            return None
        canonical_index = np.arange(len(self._block)) - self._offsets[self._block]
        best = partition(Columns(offsets, units, cost), canonical_index, deadline)
        return self._sums(share * best.bound)

    def _sums(self, unit_value: FloatArray) -> FloatArray:
        """Return the sum of each block."""
        return np.bincount(self._block, weights=unit_value, minlength=self.n_blocks).astype(np.float64)


def _cover(n_annotators: int, half: int) -> BoolArray:
    """Return which annotators are in each block, shape (n_blocks, n_annotators): every two groups of `half`."""
    group = np.arange(n_annotators) // half
    if group[-1] == 0:
        return np.ones((1, n_annotators), dtype=np.bool_)
    pairs = list(combinations(range(int(group[-1]) + 1), 2))
    return np.array([(group == one) | (group == other) for one, other in pairs])
