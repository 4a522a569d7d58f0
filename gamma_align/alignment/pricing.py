"""Columns made on demand, for more annotators than can be enumerated: pricing (column generation, first half).

With dual prices y, a column is worth adding when its *gain* s(S) - Σ y = Σ (1 - y_u) + Σ w - 1 is positive. Each column
has one *root*, its lowest unit, and an alignment holds at most one column of each root; so for any y ≥ 0

    Σ y + Σ over roots of the greatest gain

is an upper bound of what an alignment can save (put on the roots, the gains make the prices feasible). The search of a
root may be cut short at any point: what was left open has a bound too, so a bound is always known, and it is exact once
nothing was left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align import kernels
from gamma_align._types import FloatArray, IntArray
from gamma_align.alignment.candidates import Links, Pairs
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.tuples import Columns
from gamma_align.data.batch import Batch

_SLICE = 64  # roots between two looks at the clock, and for Ctrl-C
UNLIMITED = 2**62


@dataclass(slots=True)
class Budget:
    """Work that may still be done, in look-ups of pairs, and the time for it."""

    left: int
    deadline: Deadline

    @property
    def spent(self) -> bool:
        """Whether nothing is left, of work or of time."""
        return self.left <= 0 or self.deadline.over


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """What pricing found.

    Attributes
    ----------
    columns : Columns
        Columns of gain above the threshold.
    saving : ndarray of float64, shape (n_columns,)
        What each saves.
    root : ndarray of int64, shape (n_columns,)
        The root of each.
    root_gain : ndarray of float64, shape (n_roots,)
        Upper bound of the gain of any column of each root, or the threshold where that is greater.
    """

    columns: Columns
    saving: FloatArray
    root: IntArray
    root_gain: FloatArray


def price(
    batch: Batch,
    upward: Links,
    reach: FloatArray,
    y: FloatArray,
    budget: Budget,
    *,
    threshold: float = 0.0,
    nodes: int = UNLIMITED,
    keep: int = 3,
    every: bool = False,
    most: int = UNLIMITED,
    roots: IntArray | None = None,
) -> Priced:
    """Return columns of gain above `threshold` at prices y, the `keep` best met of each root or every one.

    Parameters
    ----------
    batch, upward : Batch, Links
        One instance, and its candidate pairs at their lower units.
    reach : ndarray of float64, shape (n_units,)
        What each unit might save with others at most (`Links.reach`).
    y : ndarray of float64, shape (n_units,)
        Prices, 0 or more.
    budget : Budget
        When it is spent, what is left is bounded without a search.
    threshold, nodes, keep, every, most
        See `gamma_align.kernels.price`.
    roots : ndarray of int64, optional
        The roots; all of them by default.
    """
    parts, left = [], most
    roots = np.arange(batch.n_units) if roots is None else roots
    links = (upward.begin, upward.other, upward.saving, batch.annotator, reach, y)
    for begin in range(0, len(roots), _SLICE):
        some = roots[begin : begin + _SLICE]
        work = 0 if budget.spent else budget.left
        *found, spent = kernels.price(*links, some, threshold, nodes, keep, every, work, left)
        budget.left -= spent
        left -= len(found[2])
        parts.append(found)
    sizes, units, saving, root, bound = (
        np.concatenate([np.empty(0, dtype), *columns])
        for dtype, columns in zip(
            (np.int64, np.int64, np.float64, np.int64, np.float64),
            zip(*((np.diff(offsets), *rest) for offsets, *rest in parts), strict=True) if parts else [()] * 5,
            strict=True,
        )
    )
    columns = Columns(np.concatenate([[0], np.cumsum(sizes)]), units, sizes - saving)
    return Priced(columns, saving, root, bound)


def first_prices(batch: Batch, pairs: Pairs) -> FloatArray:
    """Return prices that no column of one instance beats, from its pairs alone: a bound to begin with.

    A column of k units costs Σ over its units of (1/k - half of what its pairs with the others save), at least the
    least, over k, of 1/k less half of the k - 1 best savings of the unit's pairs with different annotators.
    """
    width = int(batch.annotator.max(initial=0)) + 1
    best = np.full((batch.n_units, width), -np.inf)
    np.maximum.at(best, (pairs.first, batch.annotator[pairs.second]), pairs.saving)
    np.maximum.at(best, (pairs.second, batch.annotator[pairs.first]), pairs.saving)
    ranked = -np.sort(-best, axis=1)[:, : width - 1]
    saved = np.concatenate([np.zeros((batch.n_units, 1)), np.cumsum(ranked, axis=1)], axis=1)
    share = (1.0 / np.arange(1, width + 1) - saved / 2).min(axis=1, where=np.isfinite(saved), initial=1.0)
    # no column costs less than nothing either: of the two bounds, the better
    return 1.0 - share if share.sum() > 0 else np.ones(batch.n_units)
