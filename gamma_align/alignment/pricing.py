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
from gamma_align.alignment.candidates import Columns, Links
from gamma_align.alignment.limits import Deadline
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.batch import Batch

UNLIMITED = 2**62  # columns or nodes
_ROOTS_PER_CALL = 64  # between two checks of the deadline and of Ctrl-C


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
