"""A bound of the cost of an alignment of many annotators, from the best alignments of few of them.

The cost of an alignment is the number of its unitary alignments minus the savings of its aligned pairs. Take *blocks*
of annotators such that every two annotators are in a block. The saving of a pair of units is divided equally among the
blocks that contain both annotators. No block has units in more unitary alignments than there are in all; so this number
is divided among the blocks, too, by shares ρ ≥ 0 that add up to 1. The alignment of least

    ρ · number of unitary alignments - Σ savings

of each block is a smaller problem. The sum of these minima, or of lower bounds of them, is a lower bound of the cost.
The larger the blocks are, the tighter is the bound, and the more work it takes.

Blocks
------
The annotators are divided among the points of a projective plane, and the annotators on a line are a block. Every two
points are on exactly one line. A plane of order q has q² + q + 1 points and as many lines, each of q + 1 points, so a
block has about 1/q of the annotators; a triangle serves as the plane of order 1. The smallest blocks are the pairs of
annotators.

Shares
------
The minimum of a block is a concave function of its ρ, so the shares go where the functions rise most. The minima of
pairs of annotators are matchings, and are computed at some values of ρ. For other blocks, heuristic alignments are an
estimate: each of them is a line, and the minimum is below all lines. Any shares prove a bound.

Minima
------
With savings divided by ρ, all blocks together are one instance whose parts do not interact. Soft prices of a pool of
columns, and columns that gain at them, take turns, as in `gamma_align.alignment.generation`. Prices that no column
beats prove a lower bound of the minimum of each block.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.assignment import matching_bound
from gamma_align.alignment.candidates import Columns, Links, Pairs
from gamma_align.alignment.heuristic import first_alignment, neighbourhood, quick_alignment, tight_prices
from gamma_align.alignment.pricing import COLUMNS_PER_ROOT, FIRST_WIDTH, THRESHOLD, WIDTH_RATIO, Budget, price
from gamma_align.columns import FloatArray, IntArray, distinct, grouped_sums
from gamma_align.data import Batch

# Values of ρ, relative to equal shares. Blocks whose units are far from each other need much less than the others.
_PAIR_SHARES = np.geomspace(0.001, 400.0, 24)
_BLOCK_SHARES = np.geomspace(0.005, 400.0, 64)
# Values of ρ for heuristic alignments; fewer factors or refinements lose up to a tenth of the bound.
_TRIAL_FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)
_N_REFINEMENTS = 2

_ORDERS = (13, 11, 7, 5, 3, 2, 1)  # of the planes: 1 and primes, for which remainders are a field
_FIRST_BLOCK_SIZE = 8  # annotators; the blocks of the first plane are not larger, if a plane is in the list
_WORK_RATIO = 8  # of an order and the one before: 3 to 25 on twelve crowds
_MAX_STEP = 2  # from an order to the next one: the work cannot be predicted further

_STEPS = (11, 16, 21, 26, 31, 36, 41, 41)  # of each round
_MAX_EXCESS = 0.004  # of the bound; if the roots gain less in total, further rounds would change little


def unit_bounds(batch: Batch, pairs: Pairs, budget: Budget | None = None) -> FloatArray:
    """Return a lower bound of the cost of one instance, divided among the units, shape (n_units,).

    The bound comes from all pairs of annotators, or with a budget from blocks that are as large as it allows. Units
    without pairs stay alone, and their bound is their cost.
    """
    result = np.ones(batch.n_units)
    paired = distinct(np.concatenate([pairs.first, pairs.second]))
    if len(paired):
        index = np.full(batch.n_units, -1)
        index[paired] = np.arange(len(paired))
        _, dense = np.unique(batch.annotator[paired], return_inverse=True)
        inner = replace(batch.repeat(paired), annotator=dense)
        inner_pairs = Pairs(index[pairs.first], index[pairs.second], pairs.saving)
        bound = pair_bound(inner, inner_pairs) if budget is None else _best_plane_bound(inner, inner_pairs, budget)
        result[paired] = bound / len(paired)
    return result


def _best_plane_bound(batch: Batch, pairs: Pairs, budget: Budget) -> float:
    """Return the best bound of larger and larger blocks, as far as their work can be expected to be in the budget."""
    n_annotators = int(batch.annotator.max()) + 1
    bound = -np.inf
    position = max(sum(order * _FIRST_BLOCK_SIZE >= n_annotators for order in _ORDERS) - 1, 0)
    while not budget.is_spent:
        before = budget.remaining
        bound = max(bound, plane_bound(batch, pairs, _ORDERS[position], budget))
        work = before - budget.remaining
        max_step = min(_MAX_STEP, len(_ORDERS) - 1 - position)
        step = sum(work * _WORK_RATIO**step <= budget.remaining for step in range(1, max_step + 1))
        if step == 0:
            break
        position += step
    return bound


def pair_bound(batch: Batch, pairs: Pairs) -> float:
    """Return the bound of one instance from all pairs of annotators; all annotators have units."""
    blocks = _Blocks(batch, pairs, _all_pairs(int(batch.annotator.max()) + 1))
    shares = _PAIR_SHARES / blocks.n_blocks
    return _distribute(shares, np.stack([blocks.minima_of_pairs(share) for share in shares.tolist()]))[0]


def plane_bound(batch: Batch, pairs: Pairs, order: int, budget: Budget) -> float:
    """Return the bound of one instance from the lines of a plane of this order, 1 or a prime."""
    blocks = _Blocks(batch, pairs, _plane(order))
    return blocks.soft_bound(blocks.best_shares(), budget)


def _distribute(shares: FloatArray, values: FloatArray) -> tuple[float, FloatArray]:
    """Return the greatest sum of the values of the blocks if their shares add up to 1, and these shares.

    `values`, shape (n_shares, n_blocks), come from concave functions; between two shares they are at least the mean.
    """
    n_blocks = values.shape[1]
    steps = np.diff(shares)
    # The functions are concave, so the slopes decrease but for rounding.
    slopes = np.minimum.accumulate(np.diff(values, axis=0) / steps[:, None], axis=0)
    remaining = 1.0 - n_blocks * float(shares[0])
    total = float(values[0].sum())
    order = np.argsort(-slopes, axis=None, kind="stable")
    step = np.repeat(steps, n_blocks)[order]
    used = np.clip(remaining - (np.cumsum(step) - step), 0.0, step)
    block_shares = shares[0] + np.bincount(order % n_blocks, weights=used, minlength=n_blocks)
    return total + float((used * slopes.ravel()[order]).sum()), block_shares


class _Geometry(NamedTuple):
    """Points and lines such that every two points are on one line.

    `line_of`, shape (n_points, n_points), is the line through two different points, and `lines_at`, shape (n_points,
    n_lines_of_a_point), are the lines through each point.
    """

    line_of: IntArray
    lines_at: IntArray


def _all_pairs(n_points: int) -> _Geometry:
    """Return the geometry in which every two points are a line."""
    low, high = np.triu_indices(n_points, 1)
    line_of = np.zeros((n_points, n_points), dtype=np.int64)
    line_of[low, high] = line_of[high, low] = np.arange(len(low))
    is_other = ~np.eye(n_points, dtype=np.bool_)
    return _Geometry(line_of, line_of[is_other].reshape(n_points, n_points - 1))


def _plane(order: int) -> _Geometry:
    """Return the projective plane of this order, a prime, or the triangle for 1.

    Points and lines are the vectors of three remainders whose first entry that is not 0 is 1. A point is on a line if
    their product is 0.
    """
    if order == 1:
        return _all_pairs(3)
    first, second = np.divmod(np.arange(order * order), order)
    finite = np.stack([np.ones_like(first), first, second], axis=1)
    at_infinity = np.stack([np.zeros(order, np.int64), np.ones(order, np.int64), np.arange(order)], axis=1)
    vectors = np.concatenate([finite, at_infinity, [[0, 0, 1]]])
    _, point = np.nonzero(vectors @ vectors.T % order == 0)
    points_on = point.reshape(len(vectors), order + 1)
    line_of = np.zeros((len(vectors), len(vectors)), dtype=np.int64)
    line_of[points_on[:, :, None], points_on[:, None, :]] = np.arange(len(vectors))[:, None, None]
    return _Geometry(line_of, points_on)  # a point is on a line if the line is on the point


class _Blocks:
    """The units and pairs of all blocks of one instance, one block after the other, as one instance."""

    def __init__(self, batch: Batch, pairs: Pairs, geometry: _Geometry) -> None:
        n_annotators = int(batch.annotator.max()) + 1
        n_points = len(geometry.line_of)
        self.n_blocks = int(geometry.lines_at.max()) + 1
        # The more units the annotators of a block have, the more unitary alignments it has. So annotators with many
        # units share blocks: few blocks then have nearly all shares, and contain most of what annotators can save.
        order = np.argsort(-np.bincount(batch.annotator), kind="stable")
        rank = np.empty(n_annotators, dtype=np.int64)
        rank[order] = np.arange(n_annotators)
        point = rank[batch.annotator] * n_points // n_annotators
        block, unit = _in_order(geometry.lines_at[point].ravel(), _repeated(np.arange(batch.n_units), geometry))
        self._block = block
        self._batch = replace(batch.repeat(unit), annotator=_ranks(block, batch.annotator[unit], self.n_blocks))
        first_point = point[pairs.first]
        second_point = point[pairs.second]
        apart = np.flatnonzero(first_point != second_point)
        together = np.flatnonzero(first_point == second_point)
        # The annotators of one point are together on all its lines, others on one.
        pair_block, pair = _in_order(
            np.concatenate(
                [
                    geometry.line_of[first_point[apart], second_point[apart]],
                    geometry.lines_at[first_point[together]].ravel(),
                ]
            ),
            np.concatenate([apart, _repeated(together, geometry)]),
        )
        key = block * batch.n_units + unit  # sorted
        first, second = (
            np.searchsorted(key, pair_block * batch.n_units + bound[pair]) for bound in (pairs.first, pairs.second)
        )
        n_common = np.where(first_point == second_point, geometry.lines_at.shape[1], 1)
        saving = (pairs.saving / n_common)[pair]
        order = np.lexsort((second, first))
        self._pairs = Pairs(first[order], second[order], saving[order])
        self._pair_block = block[self._pairs.first]
        self._links = Links.both_ways(self._pairs, len(block))
        self._link_block = block[self._links.unit]

    def minima_of_pairs(self, share: float) -> FloatArray:
        """Return the minimum of each block at one share, if the blocks are pairs of annotators."""
        return share * self._sums(matching_bound(self._divided(np.full(self.n_blocks, share)), len(self._block)))

    def best_shares(self) -> FloatArray:
        """Return shares that add up to 1, by heuristic alignments at several shares."""
        equal = np.full(self.n_blocks, 1.0 / self.n_blocks)
        lines = [self._line(factor * equal) for factor in _TRIAL_FACTORS]
        for _ in range(_N_REFINEMENTS):
            lines.append(self._line(self._shares_of(lines)))
        return self._shares_of(lines)

    def _shares_of(self, lines: list[tuple[FloatArray, FloatArray]]) -> FloatArray:
        """Return the best shares if the minimum of each block is the least of these lines."""
        shares = _BLOCK_SHARES / self.n_blocks
        values = np.min([shares[:, None] * slope - saving for slope, saving in lines], axis=0)
        return _distribute(shares, values)[1]

    def _line(self, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the number of unitary alignments and the saving of each block in a good alignment at these shares."""
        label = quick_alignment(self._batch, self._divided_links(shares))
        _, first = np.unique(label, return_index=True)
        n_unitary = np.bincount(self._block[first], minlength=self.n_blocks).astype(np.float64)
        saving = self._pairs.saving * (label[self._pairs.first] == label[self._pairs.second])
        return n_unitary, grouped_sums(self._pair_block, saving, self.n_blocks)

    def soft_bound(self, shares: FloatArray, budget: Budget) -> float:
        """Return the sum of lower bounds of the minima of the blocks at these shares, by soft prices."""
        batch = self._batch
        pairs = self._divided(shares)
        unit_share = shares[self._block]
        links = self._divided_links(shares)
        upward = Links.upward(pairs, batch.n_units)
        reach = pairs.best_savings(batch.annotator).sum(axis=1)
        label = first_alignment(batch, links)
        pool = neighbourhood(batch, links, label)
        y = np.maximum(tight_prices(links, label), 0.0)
        best = np.full(self.n_blocks, -np.inf)
        for steps in _STEPS:
            y = kernels.soften(pool.offsets, pool.units, pool.saving, y, FIRST_WIDTH, WIDTH_RATIO, steps)
            priced = price(batch, upward, reach, y, budget, threshold=THRESHOLD, keep=COLUMNS_PER_ROOT)
            gain = np.maximum(priced.root_gain, 0.0)
            best = np.maximum(best, self._sums(unit_share * (1.0 - y - gain)))
            if budget.is_spent or (unit_share * gain).sum() <= _MAX_EXCESS * best.sum():
                break
            pool = Columns.joined(pool, priced.columns)
        return float(best.sum())

    def _divided(self, shares: FloatArray) -> Pairs:
        """Return the pairs with their savings in units of the share of their block."""
        return Pairs(self._pairs.first, self._pairs.second, self._pairs.saving / shares[self._pair_block])

    def _divided_links(self, shares: FloatArray) -> Links:
        """Return the same pairs, each listed at both of its units."""
        return self._links._replace(saving=self._links.saving / shares[self._link_block])

    def _sums(self, unit_value: FloatArray) -> FloatArray:
        """Return the sum of each block."""
        return grouped_sums(self._block, unit_value, self.n_blocks)


def _repeated(items: IntArray, geometry: _Geometry) -> IntArray:
    """Repeat each item once for every line at a point."""
    return np.repeat(items, geometry.lines_at.shape[1])


def _in_order(block: IntArray, item: IntArray) -> tuple[IntArray, IntArray]:
    """Return blocks and items sorted by block, then by item."""
    order = np.lexsort((item, block))
    return block[order], item[order]


def _ranks(block: IntArray, annotator: IntArray, n_blocks: int) -> IntArray:
    """Return the rank of each annotator among the annotators of the block."""
    width = int(annotator.max(initial=0)) + 1
    present, rank = np.unique(block * width + annotator, return_inverse=True)
    result: IntArray = rank - np.searchsorted(present, np.arange(n_blocks) * width)[block]
    return result
