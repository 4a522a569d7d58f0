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

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.assignment import matching_bound
from gamma_align.alignment.candidates import FREE, Columns, Pairs
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.partition import partition
from gamma_align.columns import FloatArray, IntArray, distinct

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
        min_values = blocks.least_of_pairs(share) if half == 1 else blocks.least(share, deadline)
        if min_values is None or deadline.is_over:
            return -np.inf
        values[index] = min_values
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

    `values`, shape (n_shares, n_blocks), come from concave functions; between two shares they are at least the mean.
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
        group = annotator // half
        n_groups = int(group.max()) + 1
        self.n_blocks = max(n_groups * (n_groups - 1) // 2, 1)
        block, unit = _blocks_with(group, group, n_groups)
        self._offsets = np.concatenate([[0], np.cumsum(np.bincount(block, minlength=self.n_blocks))])
        self._annotator, self._block = annotator[unit], block
        first_group, second_group = group[pairs.first], group[pairs.second]
        pair_block, pair = _blocks_with(first_group, second_group, n_groups)
        key = block * len(annotator) + unit  # sorted
        first, second = (
            np.searchsorted(key, pair_block * len(annotator) + bound[pair]) for bound in (pairs.first, pairs.second)
        )
        # Two annotators of one group are together in all its blocks, others in one.
        n_common = np.where(first_group == second_group, max(n_groups - 1, 1), 1)
        saving = (pairs.saving / n_common)[pair]
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


def _blocks_with(first_group: IntArray, second_group: IntArray, n_groups: int) -> tuple[IntArray, IntArray]:
    """Return the blocks that contain two groups, for each of several pairs of groups: block and index of the pair.

    A block is two groups, and all blocks are numbered in the order (0, 1), (0, 2) …; a single group is a block. The
    result is sorted by block, then by pair. Only blocks with content take memory: 350 annotators have 61,000 blocks.
    """
    if n_groups == 1:
        return np.zeros(len(first_group), dtype=np.int64), np.arange(len(first_group))
    apart = np.flatnonzero(first_group != second_group)
    together = np.repeat(np.flatnonzero(first_group == second_group), n_groups - 1)
    # A group is together with each other one.
    partner = np.tile(np.arange(n_groups - 1), len(together) // (n_groups - 1))
    partner += partner >= first_group[together]
    item = np.concatenate([apart, together])
    low = np.concatenate([np.minimum(first_group, second_group)[apart], np.minimum(first_group[together], partner)])
    high = np.concatenate([np.maximum(first_group, second_group)[apart], np.maximum(first_group[together], partner)])
    block = low * n_groups - low * (low + 1) // 2 + high - low - 1
    order = np.lexsort((item, block))
    return block[order], item[order]
