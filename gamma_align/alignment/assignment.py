"""Two annotators: an alignment is a matching, found without a solver and proven by dual prices.

1. With units of only two annotators, an alignment is a matching of their units. Compared with all units alone it saves
   the sum of the savings s(u, v) = 1 + w(u, v) of its pairs. The kernel `match` finds the greatest sum, and prices
   y ≥ 0 such that no pair saves more than y(u) + y(v). So Σ (1 - y) is a lower bound of the cost, and equal to it.
2. The cost of any alignment exceeds this bound by the sum of its *losses*: y(u) + y(v) - s(u, v) for a pair, y(u) for a
   unit alone. So the tie rule (`gamma_align.alignment.search`) selects among pairs without loss, and each unit with a
   positive price must be matched. If such a unit has only one pair, that pair is selected.
3. For the remaining units, two more matchings in whole numbers apply the rule: the first uses the fewest pairs that
   match all units that must be matched; the second selects, among the pairs and units that are optimal at the prices of
   the first, those with the least Σ h.
4. A loss up to 1e-9 counts as none. If the losses of the result add up to more than that in an instance, it is solved
   again with a smaller tolerance, at which they cannot.
"""

from __future__ import annotations

import numpy as np

from gamma_align.alignment.candidates import FREE, Columns, Pairs
from gamma_align.alignment.search import TIE, tie_hash, tie_hash_alone
from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums
from gamma_align.data import Batch
from gamma_align.kernels import match

_MIN_TIE = 1e-13  # in units of Δ; smaller losses are rounding errors
# Value of matching a unit that must be matched: greater than any sum of h, and sums with it are exact.
_REQUIRED_VALUE = 2.0**46


def best_matching(batch: Batch, pairs: Pairs) -> tuple[Columns, FloatArray]:
    """Return the best alignment of instances with units of two annotators, and its proof.

    The alignment is returned as columns of two units; the other units stay alone. The proof is a lower bound of the
    cost, divided among the units: the bound of an instance is the sum over its units.
    """
    columns, price, loss = _priced_pairs(pairs, batch.n_units)
    canonical_index = np.arange(batch.n_units) - batch.offsets[batch.instance]
    tie = np.full(len(batch), TIE)
    selected = _select_by_rule(columns, loss, price, tie[batch.instance], canonical_index)
    is_above = _total_loss(batch, columns, loss, price, selected) > TIE
    if is_above.any():
        tie[is_above] = np.maximum(TIE / np.diff(batch.offsets)[is_above], _MIN_TIE)
        selected = _select_by_rule(columns, loss, price, tie[batch.instance], canonical_index)
    return columns.take(selected), 1.0 - price


def matching_bound(pairs: Pairs, n_units: int) -> FloatArray:
    """Return a lower bound of the cost of aligning units of two annotators, divided among the units.

    It is the least cost but for rounding. `pairs` may belong to many instances.
    """
    return 1.0 - _priced_pairs(pairs, n_units)[1]


def _priced_pairs(pairs: Pairs, n_units: int) -> tuple[Columns, FloatArray, FloatArray]:
    """Return the useful pairs as columns, prices of the units that prove the best matching, and the losses of pairs."""
    useful = pairs.take(1.0 + pairs.saving > FREE)
    units = np.stack([useful.first, useful.second], axis=1).ravel()
    columns = Columns(np.arange(0, len(units) + 1, 2), units, 1.0 - useful.saving)
    _, price = _match_pairs(columns.units, columns.saving, n_units)
    price, loss = _feasible_prices(columns, columns.saving, price)
    return columns, price, loss


def _match_pairs(units: IntArray, value: FloatArray, n_units: int) -> tuple[IntArray, FloatArray]:
    """Return the matching of pairs with the greatest value, and the price of each unit.

    The pairs are units 0 and 1, 2 and 3, …; their first units are sorted.
    """
    begin = np.concatenate([[0], np.cumsum(np.bincount(units[::2], minlength=n_units))])
    edge, first_price, second_price = match(begin, np.ascontiguousarray(units[1::2]), value, n_units)
    return edge[edge >= 0], first_price + second_price


def _feasible_prices(columns: Columns, saving: FloatArray, price: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return prices that prove a bound, and the losses of all pairs.

    If a pair saves more than its prices, by rounding, the price of its first unit is raised.
    """
    first = columns.units[::2]
    second = columns.units[1::2]
    excess = saving - (price[first] + price[second])
    is_violated = excess > 0
    increase = np.zeros(len(price))
    np.maximum.at(increase, first[is_violated], excess[is_violated])
    price = price + increase
    return price, np.maximum(price[first] + price[second] - saving, 0.0)


def _select_by_rule(
    columns: Columns, loss: FloatArray, price: FloatArray, tie: FloatArray, canonical_index: IntArray
) -> IntArray:
    """Return the columns selected by the tie rule; losses up to `tie`, shape (n_units,), count as none."""
    first = columns.units[::2]
    second = columns.units[1::2]
    tied = np.flatnonzero(loss <= tie[first])
    is_required = price > tie
    first = first[tied]
    second = second[tied]
    n_options = np.bincount(first, minlength=len(price)) + np.bincount(second, minlength=len(price))
    has_one_option = is_required & (n_options == 1)
    is_forced = has_one_option[first] | has_one_option[second]
    is_covered = np.zeros(len(price), dtype=np.bool_)
    is_covered[first[is_forced]] = is_covered[second[is_forced]] = True
    remaining = tied[~(is_covered[first] | is_covered[second])]
    forced: IntArray = tied[is_forced]
    if not len(remaining):
        return forced
    selected = remaining[_break_ties(columns.take(remaining), is_required, canonical_index)]
    return np.concatenate([forced, selected])


def _break_ties(columns: Columns, is_required: BoolArray, canonical_index: IntArray) -> IntArray:
    """Return the columns that cover all required units: the fewest, and among these the ones of least Σ h."""
    present, units = np.unique(columns.units, return_inverse=True)
    is_required = is_required[present]
    alone_hash = tie_hash_alone(canonical_index[present])
    added_hash = tie_hash(columns, canonical_index) - alone_hash[units[::2]] - alone_hash[units[1::2]]
    selected = np.flatnonzero(is_required[units[::2]] | is_required[units[1::2]])
    rows = selected
    for penalty in (np.ones(len(columns)), added_hash.astype(np.float64)):
        first = units[::2][rows]
        second = units[1::2][rows]
        value = _REQUIRED_VALUE * is_required[first] + _REQUIRED_VALUE * is_required[second] - penalty[rows]
        edge, price = _match_pairs(np.stack([first, second], axis=1).ravel(), value, len(present))
        selected = rows[edge]
        is_required = price > 0
        # Only tight pairs are in an optimal matching. All numbers are whole, so that equality is exact.
        rows = rows[price[first] + price[second] == value]
    return selected


def _total_loss(batch: Batch, columns: Columns, loss: FloatArray, price: FloatArray, selected: IntArray) -> FloatArray:
    """Return the loss of the selected columns and the units alone, summed over each instance."""
    unit_loss = price.copy()
    unit_loss[columns.units[::2][selected]] = loss[selected]
    unit_loss[columns.units[1::2][selected]] = 0.0
    return grouped_sums(batch.instance, unit_loss, len(batch))
