"""Two annotators: the pairs that every best alignment holds, found without a solver.

With units of two annotators only, an alignment is a matching, and its saving the sum of its pairs' savings
s(u, v) = 1 + w(u, v). A pair is *settled* when s(u, v) exceeds the best saving u could have with another partner plus
the best v could have: a matching without the pair could put it in the place of at most those two. Settled pairs are
taken, their units removed, and what they overshadowed may settle in turn. What remains, the few contested pairs, is an
assignment problem of its own (`gamma_align.alignment.partition`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.relaxation import savings
from gamma_align.alignment.search import TIE

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.alignment.tuples import Columns


def settled_pairs(columns: Columns, n_units: int) -> tuple[IntArray, IntArray]:
    """Return (settled, contested): columns in every best alignment, and those still to be decided.

    Parameters
    ----------
    columns : Columns
        Columns of two units each.
    n_units : int
        Number of units of the batch.
    """
    first, second = columns.units[0::2], columns.units[1::2]
    saving = savings(columns)
    open_ = np.arange(len(columns))
    settled = []
    taken: BoolArray = np.zeros(n_units, dtype=np.bool_)
    while len(open_):
        wins = _wins(first[open_], second[open_], saving[open_], n_units)
        if not wins.any():
            break
        won = open_[wins]
        settled.append(won)
        taken[first[won]] = taken[second[won]] = True
        open_ = open_[~(taken[first[open_]] | taken[second[open_]])]
    return np.concatenate([np.empty(0, dtype=np.int64), *settled]), open_


def _wins(first: IntArray, second: IntArray, saving: FloatArray, n_units: int) -> BoolArray:
    """Whether each pair saves more than the best other pair of its first unit plus that of its second."""
    rivals = _best_other(first, saving, n_units) + _best_other(second, saving, n_units)
    wins: BoolArray = saving > rivals + TIE
    return wins


def _best_other(unit: IntArray, saving: FloatArray, n_units: int) -> FloatArray:
    """Return, for each pair, the greatest saving among the other pairs of its unit (0 if there is none)."""
    best = np.zeros(n_units)
    np.maximum.at(best, unit, saving)
    is_best = saving == best[unit]
    how_many = np.bincount(unit, weights=is_best, minlength=n_units)
    runner_up = np.zeros(n_units)
    np.maximum.at(runner_up, unit[~is_best], saving[~is_best])
    alone_at_top = is_best & (how_many[unit] == 1)
    other: FloatArray = np.where(alone_at_top, runner_up[unit], best[unit])
    return other
