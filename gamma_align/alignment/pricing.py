"""Pricing: the columns that gain at given prices, and bounds of all gains.

At dual prices y, a column is added if its *gain* s(S) - Σ y = Σ (1 - y_u) + Σ w - 1 is positive. Each column has one
*root*, its lowest unit, and an alignment contains at most one column of each root. So for any y ≥ 0

    Σ y + Σ over roots of the greatest gain

is an upper bound of the saving of an alignment: if the gains are added to the prices of the roots, no column beats the
prices. The search of a root may be stopped at any point; the branches not searched have a bound too. So a bound is
always known, and it is exact if all branches were searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns, Links, Pairs
from gamma_align.alignment.limits import Deadline
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Batch

UNLIMITED = 2**62  # columns or nodes
_ROOTS_PER_CALL = 64  # between two checks of the deadline and of Ctrl-C
# In units of Δ.
MIN_GAIN = 1e-9  # a column with a smaller gain is not added; it may be a rounding error
THRESHOLD = 1e-11  # gain above which pricing returns a column: less than `MIN_GAIN`, for an exact bound
COLUMNS_PER_ROOT = 30  # returned with soft prices
# of the smoothing of soft prices: twenty steps divide the width by ten
FIRST_WIDTH = 0.1
WIDTH_RATIO = 0.8913
MAX_LISTED_COLUMNS = 300_000  # in a list of all columns up to a loss
MAX_NODES_PER_ROOT = 10_000  # searched for such a list


@dataclass(slots=True)
class Budget:
    """The remaining work, in pairs looked up, and the deadline."""

    remaining: int
    deadline: Deadline

    @property
    def is_spent(self) -> bool:
        """Whether no work or no time remains."""
        return self.remaining <= 0 or self.deadline.is_over


class Priced(NamedTuple):
    """The columns that gain more than a threshold, their savings and roots, and bounds of the roots.

    `root_gain`, shape (n_roots,), is an upper bound of the gain of the columns of each root, or the threshold if that
    is greater.
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
    max_nodes: int = UNLIMITED,
    keep: int = 3,
    list_all: bool = False,
    max_columns: int = UNLIMITED,
    roots: IntArray | None = None,
) -> Priced:
    """Return columns with a gain above `threshold` at prices y: the `keep` best ones found for each root, or all.

    Once the budget is spent, the remaining roots are bounded without a search. `upward` contains the candidate pairs of
    one instance at their lower units. `roots` are all units by default. For the other arguments, see
    `gamma_align.kernels.plain.pricing.price`.
    """
    if roots is None:
        roots = np.arange(batch.n_units)
    parts: list[Priced] = []
    remaining_columns = max_columns
    links = (upward.begin, upward.partner, upward.saving, batch.annotator, reach, y)
    for begin in range(0, max(len(roots), 1), _ROOTS_PER_CALL):
        max_work = 0 if budget.is_spent else budget.remaining
        offsets, units, saving, root, bound, work = kernels.price(
            *links,
            roots[begin : begin + _ROOTS_PER_CALL],
            threshold,
            max_nodes,
            keep,
            list_all,
            max_work,
            remaining_columns,
        )
        budget.remaining -= work
        remaining_columns -= len(saving)
        parts.append(Priced(Columns(offsets, units, np.diff(offsets) - saving), saving, root, bound))
    return Priced(
        Columns.joined(*(part.columns for part in parts)),
        np.concatenate([part.saving for part in parts]),
        np.concatenate([part.root for part in parts]),
        np.concatenate([part.root_gain for part in parts]),
    )


def first_prices(batch: Batch, pairs: Pairs) -> FloatArray:
    """Return prices that no column of one instance beats, from its pairs alone: an initial bound.

    The cost of a column of k units is a sum over its units of 1/k minus half of the savings of its pairs with the
    others. The share of a unit is at least the minimum over k of 1/k minus half of the k - 1 best savings with units of
    different annotators.
    """
    best = pairs.best_savings(batch.annotator, -np.inf)
    width = best.shape[1]
    ranked = -np.sort(-best, axis=1)[:, : width - 1]
    max_saving = np.concatenate([np.zeros((batch.n_units, 1)), np.cumsum(ranked, axis=1)], axis=1)
    is_possible = np.isfinite(max_saving)
    min_share: FloatArray = (1.0 / np.arange(1, width + 1) - max_saving / 2).min(axis=1, where=is_possible, initial=1.0)
    if min_share.sum() > 0:
        return 1.0 - min_share
    return np.ones(batch.n_units)  # a better bound then: no column costs less than 0
