"""Two annotators: an alignment is a matching, found without a solver, and dual prices prove it.

1. With units of two annotators only, an alignment is a matching of their units, and what it saves against all units
   alone is the sum of its pairs' savings s(u, v) = 1 + w(u, v). The kernel `match` finds the greatest sum, and prices
   y ≥ 0 of which no pair saves more than y(u) + y(v): Σ (1 - y) is a lower bound of the cost, and equal to it.
2. What an alignment costs above that is the sum of its *losses*: y(u) + y(v) - s(u, v) of a pair, y(u) of a unit
   alone. So the tie rule (`gamma_align.alignment.search`) chooses among pairs without loss, and a unit that has a
   price must have one. A pair that is the only one of such a unit is taken.
3. Among the rest, the rule is two more matchings, in whole numbers: the fewest pairs that give every such unit one;
   and, of the pairs and units that the prices of that matching leave, the choice of least Σ h.
4. A loss up to 1e-9 counts as none. In an instance where the choice then loses more than that in sum, only losses
   that cannot add up to it count as none.
"""

from __future__ import annotations

import numpy as np

from gamma_align.alignment.candidates import FREE, Columns, Pairs
from gamma_align.alignment.search import TIE, tie_hash, tie_hash_alone
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.batch import Batch
from gamma_align.kernels import match

_ROUNDING = 1e-13
_MUST = 2.0**46  # worth of giving a unit the pair it must have: above any sum of h, and sums with it are exact


def best_matching(batch: Batch, pairs: Pairs) -> tuple[Columns, FloatArray]:
    """Return the best alignment of instances with units of two annotators, and its proof.

    It is given by columns of two units (the others stay alone) and by the shares of the units in a proven lower bound
    of the sum of costs; their sums over an instance count.
    """
    useful = pairs.take(1.0 + pairs.saving > FREE)
    units = np.stack([useful.first, useful.second], axis=1).ravel()
    columns = Columns(np.arange(0, len(units) + 1, 2), units, 1.0 - useful.saving)
    _, price = _matched(columns.units, columns.saving, batch.n_units)
    price, loss = _proof(columns, columns.saving, price)
    number = np.arange(batch.n_units) - batch.offsets[batch.instance]
    tie = np.full(len(batch), TIE)
    chosen = _by_rule(columns, loss, price, tie[batch.instance], number)
    over = _above(batch, columns, loss, price, chosen) > TIE
    if over.any():
        tie[over] = np.maximum(TIE / np.diff(batch.offsets)[over], _ROUNDING)
        chosen = _by_rule(columns, loss, price, tie[batch.instance], number)
    return columns.take(chosen), 1.0 - price


def _matched(units: IntArray, worth: FloatArray, n_units: int) -> tuple[IntArray, FloatArray]:
    """Return the matching of greatest worth of pairs (units 0 and 1, 2 and 3 …, first ones sorted), and all prices."""
    begin = np.concatenate([[0], np.cumsum(np.bincount(units[::2], minlength=n_units))])
    edge, of_first, of_second = match(begin, np.ascontiguousarray(units[1::2]), worth, n_units)
    return edge[edge >= 0], of_first + of_second


def _proof(columns: Columns, saving: FloatArray, price: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return prices raised where rounding left a pair saving more, so that they prove a bound, and all losses."""
    first, second = columns.units[::2], columns.units[1::2]
    short = saving - (price[first] + price[second])
    bad = short > 0
    raised = np.zeros(len(price))
    np.maximum.at(raised, first[bad], short[bad])
    price = price + raised
    return price, np.maximum(price[first] + price[second] - saving, 0.0)


def _by_rule(columns: Columns, loss: FloatArray, price: FloatArray, tie: FloatArray, number: IntArray) -> IntArray:
    """Return the choice by the tie rule, taking losses up to `tie` (by unit) as none."""
    first, second = columns.units[::2], columns.units[1::2]
    tied, must = np.flatnonzero(loss <= tie[first]), price > tie
    first, second = first[tied], second[tied]
    options = np.bincount(first, minlength=len(price)) + np.bincount(second, minlength=len(price))
    only = must & (options == 1)
    taken = only[first] | only[second]
    covered = np.zeros(len(price), dtype=np.bool_)
    covered[first[taken]] = covered[second[taken]] = True
    rest = tied[~(covered[first] | covered[second])]
    return np.concatenate([tied[taken], rest[_untied(columns.take(rest), must, number)]])


def _untied(columns: Columns, must: BoolArray, number: IntArray) -> IntArray:
    """Return the fewest of the columns, then those of least Σ h, that cover every unit that must be covered."""
    present, units = np.unique(columns.units, return_inverse=True)
    must = must[present]
    alone = tie_hash_alone(number[present])
    added = tie_hash(columns, number) - alone[units[::2]] - alone[units[1::2]]
    rows = chosen = np.flatnonzero(must[units[::2]] | must[units[1::2]])
    for penalty in (np.ones(len(columns)), added.astype(np.float64)):
        first, second = units[::2][rows], units[1::2][rows]
        worth = _MUST * must[first] + _MUST * must[second] - penalty[rows]
        edge, price = _matched(np.stack([first, second], axis=1).ravel(), worth, len(present))
        chosen, must = rows[edge], price > 0
        rows = rows[price[first] + price[second] == worth]
    return chosen


def _above(batch: Batch, columns: Columns, loss: FloatArray, price: FloatArray, chosen: IntArray) -> FloatArray:
    """Return what the choice loses against the bound in each instance."""
    lost = price.copy()
    lost[columns.units[::2][chosen]] = loss[chosen]
    lost[columns.units[1::2][chosen]] = 0.0
    return np.bincount(batch.instance, weights=lost, minlength=len(batch)).astype(np.float64)
