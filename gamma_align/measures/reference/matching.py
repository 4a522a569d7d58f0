"""The one-to-one matching of the units of two annotators, and the kind of case that each unit is.

A unit of the reference and one of the system can be matched if they overlap or have the same bounds. The matching has

1. the most pairs with the same bounds and label;
2. of such matchings, the most pairs with the same bounds;
3. then the most pairs with the same label;
4. then the greatest sum of shares |g ∩ p| / |g ∪ p| (rounded to a fraction of a power of 2, so that sums are exact);
5. then the most pairs. Remaining ties are decided by the position of units.

Units with the same bounds and label are interchangeable, so pairs of them are matched first. The remaining units are
matched with the greatest total weight (kernel `match`); the weights rank the five criteria. A greedy choice in the
order of units could give up an exact match for an overlap that comes before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, rank_in_runs
from gamma_align.data import Batch
from gamma_align.measures.reference.pairings import REFERENCE
from gamma_align.measures.reference.reference_options import KINDS

CORRECT, BOUNDARY, LABEL, BOUNDARY_AND_LABEL, MISSED, SPURIOUS = range(len(KINDS))  # indices into `KINDS`

_MAX_DISTANCE = 1.0 + 1e-9  # d_pos / Δ: units that overlap are below 1; the margin is for rounding
_FLOAT_BITS = 53  # float64 holds whole numbers of this number of bits exactly
_MIN_SHARE_BITS = 4


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Overlaps(Columns):
    """Pairs of a unit of the reference and one of the system that overlap or have the same bounds.

    For each pair the rows of its units in the batch, the length of the intersection, |g ∩ p| / |g ∪ p|, and whether
    bounds and labels are the same; shape (n_pairs,).
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
        max_distance = np.full(len(batch), _MAX_DISTANCE)
        first, second, _ = kernels.sweep(batch.offsets, batch.annotator, batch.start, batch.end, max_distance)
        starts, ends = (np.stack([column[first], column[second]]) for column in (batch.start, batch.end))
        same_bounds = (starts[0] == starts[1]) & (ends[0] == ends[1])
        length = ends.min(axis=0) - starts.max(axis=0)
        union = ends.max(axis=0) - starts.min(axis=0)  # 0 for units without length, which have the same bounds
        share = np.where(same_bounds, 1.0, length / np.where(union > 0, union, 1.0))
        same_label = batch.category[first] == batch.category[second]
        return cls(first, second, length, share, same_bounds, same_label).take(same_bounds | (length > 0))


class Matching(NamedTuple):
    """The overlaps of all units, the matched pairs among them, and the kind of case of each unit.

    `kind` is an index into `KINDS`, shape (n_units,).
    """

    overlaps: Overlaps
    pairs: Overlaps
    kind: IntArray

    @classmethod
    def of(cls, batch: Batch) -> Matching:
        """Match the units of all instances."""
        overlaps = Overlaps.of(batch)
        pairs = _match_units(batch, overlaps)
        return cls(overlaps, pairs, _kinds_of_units(batch, pairs))


def _match_units(batch: Batch, overlaps: Overlaps) -> Overlaps:
    """Return the matched pairs: identical units first, then the best matching of the others."""
    identical = _identical_pairs(batch, overlaps)
    is_matched = np.zeros(batch.n_units, dtype=np.bool_)
    is_matched[identical.reference] = is_matched[identical.system] = True
    remaining = overlaps.take(~(is_matched[overlaps.reference] | is_matched[overlaps.system]))
    best = _best_pairs(remaining, (remaining.same_bounds, remaining.same_label), batch.n_units)
    return Overlaps.join([identical, remaining.take(best)])


def _kinds_of_units(batch: Batch, pairs: Overlaps) -> IntArray:
    """Return the kind of case of each unit as an index into `KINDS`, given the matched pairs."""
    kind = np.where(batch.annotator == REFERENCE, MISSED, SPURIOUS)
    same_bounds = np.where(pairs.same_label, CORRECT, LABEL)
    other_bounds = np.where(pairs.same_label, BOUNDARY, BOUNDARY_AND_LABEL)
    kind[pairs.reference] = kind[pairs.system] = np.where(pairs.same_bounds, same_bounds, other_bounds)
    return kind


def match_allowed(batch: Batch, overlaps: Overlaps, is_allowed: BoolArray) -> Overlaps:
    """Return the one-to-one matching with the most allowed pairs, and of such matchings the greatest sum of shares."""
    allowed = overlaps.take(is_allowed)
    return allowed.take(_best_pairs(allowed, (np.ones(len(allowed), dtype=np.bool_),), batch.n_units))


def _identical_pairs(batch: Batch, overlaps: Overlaps) -> Overlaps:
    """Return pairs of units with the same bounds and label, as many as the side with fewer of them has."""
    columns = (batch.instance, batch.start, batch.end, batch.category)
    order = np.lexsort((batch.annotator, *columns[::-1]))
    is_new = np.zeros(len(order), dtype=np.bool_)
    for column in columns:
        is_new[1:] |= column[order][1:] != column[order][:-1]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = rank_in_runs(np.cumsum(is_new) * 2 + batch.annotator[order])
    # The n-th unit of one side is paired with the n-th of the other.
    has_same_rank = rank[overlaps.reference] == rank[overlaps.system]
    return overlaps.take(overlaps.same_bounds & overlaps.same_label & has_same_rank)


def _best_pairs(pairs: Overlaps, tiers: tuple[BoolArray, ...], n_units: int) -> IntArray:
    """Return the indices of the pairs of the best matching, sorted by their units.

    The best matching has the most pairs of the first tier, then of the next, then the greatest sum of shares, then the
    most pairs. A weight has a field of bits for each criterion, wide enough for the sum over all pairs that can
    influence each other, so that no sum carries into the next field.
    """
    ends = np.stack([pairs.reference, pairs.system], axis=1).ravel()
    component = kernels.linked(np.arange(len(pairs) + 1) * 2, ends, n_units)
    max_pairs = int(np.bincount(component, minlength=1).max()) // 2
    count_bits = max(max_pairs.bit_length(), 1)
    share_bits = max(_FLOAT_BITS - count_bits * (len(tiers) + 2), _MIN_SHARE_BITS)
    weight = 1.0 + np.rint(pairs.share * (2.0**share_bits - 1.0)) * 2.0**count_bits
    for position, tier in enumerate(tiers[::-1]):
        weight += np.where(tier, 2.0 ** (share_bits + count_bits * (position + 2)), 0.0)
    begin = np.concatenate([[0], np.cumsum(np.bincount(pairs.reference, minlength=n_units))])
    edge, _, _ = kernels.match(begin, np.ascontiguousarray(pairs.system), weight, n_units)
    return edge[edge >= 0]
