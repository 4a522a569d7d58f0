"""The one-to-one matching of the units of two annotators, and what becomes of each unit.

A unit of the reference and one of the system can be matched if they overlap or have the same bounds. The matching has

1. the most pairs with the same bounds and label;
2. of such matchings, the most pairs with the same bounds;
3. then the most pairs with the same label;
4. then the greatest sum of shares |g ∩ p| / |g ∪ p| (rounded to a fraction of a power of 2, so that sums are exact);
5. then the most pairs. What is still equal goes by the position of units.

Units with the same bounds and label are all alike: pairs of them are taken first. The rest is one matching of greatest
weight (kernel `match`), with weights that put the five one before the other. A greedy choice, in the order of units,
can lose an exact match to an overlap that comes before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, rank_in_runs
from gamma_align.data.batch import Batch
from gamma_align.measures.reference.pairings import REFERENCE
from gamma_align.measures.reference.reference_options import KINDS

CORRECT, BOUNDARY, LABEL, BOTH, MISSED, SPURIOUS = range(len(KINDS))

_NEAR = 1.0 + 1e-9  # units overlap where d_pos / Δ < 1; the rest is for rounding
_BITS = 53  # of a float64 that holds whole numbers exactly
_LEAST_BITS = 4  # of a share


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Overlaps(Columns):
    """Units of the reference and of the system that overlap or have the same bounds.

    Of each pair the length in common, |g ∩ p| / |g ∪ p|, and whether bounds and labels are the same; shape (n_pairs,).
    """

    reference: IntArray
    system: IntArray
    length: FloatArray
    share: FloatArray
    same_bounds: BoolArray
    same_label: BoolArray

    @classmethod
    def of(cls, batch: Batch) -> Overlaps:
        """Return the overlaps of all instances."""
        most = np.full(len(batch), _NEAR)
        first, second, _ = kernels.sweep(batch.offsets, batch.annotator, batch.start, batch.end, most)
        starts, ends = (np.stack([column[first], column[second]]) for column in (batch.start, batch.end))
        same_bounds = (starts[0] == starts[1]) & (ends[0] == ends[1])
        length = ends.min(axis=0) - starts.max(axis=0)
        whole = ends.max(axis=0) - starts.min(axis=0)
        share = np.where(same_bounds, 1.0, length / np.where(whole > 0, whole, 1.0))
        label = batch.category[first] == batch.category[second]
        return cls(first, second, length, share, same_bounds, label).take(same_bounds | (length > 0))


def matched(batch: Batch, overlaps: Overlaps) -> Overlaps:
    """Return the pairs of the matching (see the module)."""
    alike = _alike(batch, overlaps)
    taken = np.zeros(batch.n_units, dtype=np.bool_)
    taken[alike.reference] = taken[alike.system] = True
    rest = overlaps.take(~(taken[overlaps.reference] | taken[overlaps.system]))
    chosen = rest.take(_best(rest, (rest.same_bounds, rest.same_label), batch.n_units))
    return Overlaps.join([alike, chosen])


def matched_where(batch: Batch, overlaps: Overlaps, allowed: BoolArray) -> Overlaps:
    """Return the most allowed pairs that a one-to-one matching has, of the greatest sum of shares."""
    useful = overlaps.take(allowed)
    return useful.take(_best(useful, (np.ones(len(useful.reference), dtype=np.bool_),), batch.n_units))


def kinds(batch: Batch, pairs: Overlaps) -> IntArray:
    """Return what becomes of each unit, an index into `KINDS`, by the pairs of the matching; shape (n_units,)."""
    kind = np.where(batch.annotator == REFERENCE, MISSED, SPURIOUS)
    of_pair = np.where(pairs.same_bounds, np.where(pairs.same_label, CORRECT, LABEL), BOTH)
    of_pair[~pairs.same_bounds & pairs.same_label] = BOUNDARY
    kind[pairs.reference] = kind[pairs.system] = of_pair
    return kind


def _alike(batch: Batch, overlaps: Overlaps) -> Overlaps:
    """Return pairs of units with the same bounds and label: the first of each side, then the second."""
    columns = (batch.instance, batch.start, batch.end, batch.category)
    order = np.lexsort((batch.annotator, *columns[::-1]))
    new = np.zeros(len(order), dtype=np.bool_)
    for column in columns:
        new[1:] |= column[order][1:] != column[order][:-1]
    of_class = np.empty(len(order), dtype=np.int64)
    of_class[order] = np.cumsum(new)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = rank_in_runs((of_class * 2 + batch.annotator)[order])
    same = overlaps.same_bounds & overlaps.same_label & (number[overlaps.reference] == number[overlaps.system])
    return overlaps.take(same)


def _best(pairs: Overlaps, tiers: tuple[BoolArray, ...], n_units: int) -> IntArray:
    """Return the indices of the pairs, sorted by their units, of the best matching by tiers."""
    ends = np.stack([pairs.reference, pairs.system], axis=1).ravel()
    part = kernels.linked(np.arange(len(pairs.reference) + 1) * 2, ends, n_units)
    most = int(np.bincount(part, minlength=1).max()) // 2
    bits = max(most.bit_length(), 1)  # of a number of pairs of one part
    fraction = max(_BITS - bits * (len(tiers) + 2), _LEAST_BITS)
    worth = 1.0 + np.rint(pairs.share * (2.0**fraction - 1.0)) * 2.0**bits
    for place, tier in enumerate(tiers[::-1]):
        worth += np.where(tier, 2.0 ** (fraction + bits * (place + 2)), 0.0)
    begin = np.concatenate([[0], np.cumsum(np.bincount(pairs.reference, minlength=n_units))])
    edge, _, _ = kernels.match(begin, np.ascontiguousarray(pairs.system), worth, n_units)
    return edge[edge >= 0]
