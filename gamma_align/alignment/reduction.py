"""What can be told from the candidate pairs alone, exactly, before any unitary alignment is enumerated.

Needless pairs
--------------
In a useful column (`gamma_align.alignment.tuples`) each unit u has 1 + Σ w(u, ·) > 0. A pair (u, x) is in none if even
with the best unit of every other annotator 1 + w(u, x) + Σ max(0, best w(u, ·)) ≤ 0, seen from u or from x. Taking
such pairs away may leave others needless.

Settled stacks
--------------
Let K be a component of the graph of the pairs that are left, with one unit of an annotator at most and a pair between
every two of its units, and 1 + Σ min(0, w) > 0 over its pairs. Then K as a whole is one unitary alignment in every best
alignment: columns do not reach beyond a component, so the units of K are covered by columns A, B, … inside K; if
there are two or more, A ∪ B is a possible column too, and putting it in their place saves 1 + Σ w over the pairs
between A and B ≥ 1 + Σ min(0, w) > 0. (A stack of identical units is the plainest case: all w = 1/C(n, 2).) A stack
that is not a whole component is not always in a best alignment, squared distances being no metric.
"""

from __future__ import annotations

import numpy as np

from gamma_align import kernels
from gamma_align._types import BoolArray
from gamma_align.alignment.candidates import Pairs
from gamma_align.alignment.tuples import FREE, Columns
from gamma_align.data.batch import Batch

_SLACK = 1e-12  # sums in another order than where columns are made
_ROUNDS = 4
_CELLS = 20_000_000  # of the table of units × annotators; a larger batch keeps its needless pairs


def needed_pairs(batch: Batch, pairs: Pairs) -> Pairs:
    """Return the pairs without those that are found needless in some rounds (see the module)."""
    width = int(batch.annotator.max(initial=0)) + 1
    if batch.n_units * width > _CELLS:
        return pairs
    for _ in range(_ROUNDS):
        first, second, saving = pairs.first, pairs.second, pairs.saving
        best = np.zeros((batch.n_units, width))
        np.maximum.at(best, (first, batch.annotator[second]), saving)
        np.maximum.at(best, (second, batch.annotator[first]), saving)
        total = best.sum(axis=1)
        most = np.minimum(
            total[first] - best[first, batch.annotator[second]], total[second] - best[second, batch.annotator[first]]
        )
        needed = 1.0 + most + saving > FREE - _SLACK
        if needed.all():
            break
        pairs = _take(pairs, needed)
    return pairs


def settled_stacks(batch: Batch, pairs: Pairs) -> tuple[Columns, Pairs]:
    """Return the components that are one column of every best alignment (see the module), and the pairs of the others.

    Parameters
    ----------
    batch : Batch
        The instances.
    pairs : Pairs
        Their candidate pairs, or the needed ones.
    """
    n_units = batch.n_units
    both = np.stack([pairs.first, pairs.second], axis=1).ravel()
    part = kernels.linked(np.arange(len(pairs) + 1) * 2, both, n_units)
    n_parts = int(part.max(initial=-1)) + 1
    of_pair = part[pairs.first]
    size, n_pairs = np.bincount(part, minlength=n_parts), np.bincount(of_pair, minlength=n_parts)
    lost = np.bincount(of_pair, weights=np.minimum(pairs.saving, 0.0), minlength=n_parts)
    # all pairs there are: then no two units are of one annotator either
    settled = (size > 1) & (n_pairs == size * (size - 1) // 2) & (1.0 + lost > 2 * FREE)
    if not settled.any():
        return Columns.of([], []), pairs
    saved = np.bincount(of_pair, weights=pairs.saving, minlength=n_parts)
    units = np.flatnonzero(settled[part])
    units = units[np.lexsort((batch.annotator[units], part[units]))]
    stacks = Columns(np.concatenate([[0], np.cumsum(size[settled])]), units, 1.0 - saved[settled])
    return stacks, _take(pairs, ~settled[of_pair])


def _take(pairs: Pairs, which: BoolArray) -> Pairs:
    return Pairs(pairs.first[which], pairs.second[which], pairs.saving[which])
