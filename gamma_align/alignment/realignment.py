"""Alignments of instances of which nearly all prices are known, because few units differ from an aligned instance.

A repair changes some units of a document. Prices that no column of the old document beats (`Solution.prices`) are still
prices that no column without a new unit beats, and most of them are still tight:

1. New units get the lowest prices at which no column beats the prices. Only columns with new units can require them.
2. Columns of small loss are *active*. They divide the instances into small parts, and each part is searched.
3. Where selections lose much, prices are not tight any more: soft prices replace them, with all other prices fixed.
4. An inactive column is never needed if it loses more than the best selections of the parts it touches together, as in
   `gamma_align.alignment.certification`. Columns that may be needed are listed at prices which are lower by the loss of
   the part of each unit; they are activated, and the parts they connect are searched again.

An instance whose parts become too large to search is left to be solved as if nothing were known. The tie rule does not
depend on prices, so the alignment is the same in either way.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import FREE, Columns, Pairs
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.listing import Pool
from gamma_align.alignment.partition import NearSearch
from gamma_align.alignment.pricing import UNLIMITED
from gamma_align.alignment.search import TIE, PartSearch
from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct, grouped_sums
from gamma_align.data.batch import Batch

_ACTIVE_LOSS = 0.02  # in units of Δ; columns of greater loss would link many parts
_LISTED_ACTIVE_LOSS = _ACTIVE_LOSS + TIE  # the kernel adds savings in another order
_SEARCH_LIMITS = (0.005, _ACTIVE_LOSS)
_SOFTENED_LOSS = 0.001  # in units of Δ; near parts that lose more, prices are improved
_MAX_IMPROVEMENTS, _MIN_IMPROVEMENT = 2, 0.01  # of prices; the latter of their sum, in units of Δ
# A part counts at first with this loss when columns that may be needed are listed: few columns improve its selection,
# which then loses less. It is multiplied by the factor while parts lose more; beyond the limit, lists are too long.
_FIRST_LOSS, _LOSS_FACTOR, _MAX_LOSS = 0.1, 4.0, 1.6  # in units of Δ
_MAX_ROUNDS = 20  # of activating columns
_MAX_ACTIVATED = 10  # columns for each unit in a round; with more, the prices are too poor
_MAX_WORK, _MAX_FINAL_WORK = 400_000, 4_000_000  # of a part; the latter if a selection is known
_TIE_MARGIN = 10 * TIE  # columns that tie are considered


class _Stage(NamedTuple):
    """Columns that lose up to `max_loss` are listed; soft prices then take `steps` steps: see `listing`."""

    max_loss: float
    width: float
    ratio: float
    steps: int


# Prices are good already, so the stages begin with less smoothing than in `listing`. The last stage is repeated.
_STAGES = (_Stage(0.1, 0.05, 0.845, 15), *[_Stage(0.05, 0.02, 0.905, 30)] * 5)
_SMALL_GAIN = 0.01  # in units of Δ; if the roots gain less in total, further stages would change little


class Realigned(NamedTuple):
    """The alignments of a batch as columns, with prices that no column beats, shape (n_units,).

    `unit_bound`, shape (n_units,), is a lower bound of the cost, divided among the units. `is_proven`, shape
    (n_instances,), tells which alignments are optimal; the selected columns of other instances mean nothing.
    """

    selected: Columns
    unit_bound: FloatArray
    price: FloatArray
    is_proven: BoolArray


def realign(batch: Batch, pairs: Pairs, known_prices: FloatArray, limits: Limits) -> Realigned:
    """Align instances of which most prices are known.

    `pairs` are all candidate pairs. `known_prices`, shape (n_units,), are prices that no column of units with a price
    beats, NaN for new units. Other prices are raised first, and may prove nothing.
    """
    max_columns = int(limits.columns_for(np.diff(batch.offsets)).sum())
    price = with_new_prices(batch, pairs, known_prices, max_columns)
    listed = _list_columns(batch, pairs, price, -_LISTED_ACTIVE_LOSS, max_columns) if price is not None else None
    if price is None or listed is None:
        nothing = np.zeros(batch.n_units)
        return Realigned(Columns.joined(), nothing, nothing, np.zeros(len(batch), dtype=np.bool_))
    columns, root_gain = listed
    price += np.maximum(root_gain, 0.0)  # rounding, if the prices are known
    work = _Activation(batch, pairs, price, columns)
    for _ in range(_MAX_IMPROVEMENTS):
        is_poor = (work.loss > _SOFTENED_LOSS)[work.part]
        improved = _improved(work, is_poor, max_columns) if is_poor.any() else None
        if improved is None:
            break
        work = _Activation(batch, pairs, *improved)
    work.run(max_columns)
    return work.result()


def _list_columns(
    batch: Batch, pairs: Pairs, price: FloatArray, threshold: float, max_columns: int
) -> tuple[Columns, FloatArray] | None:
    """Return the columns that gain more than a threshold, and the greatest gain of each root; None if too many."""
    begin = np.searchsorted(pairs.first, np.arange(batch.n_units + 1))
    arrays = (batch.annotator, begin, pairs.second, pairs.saving, price)
    offsets, units, cost, root_gain, too_many = kernels.gaining(*arrays, threshold, UNLIMITED, max_columns, FREE)
    return None if too_many else (Columns(offsets, units, cost), root_gain)


def with_new_prices(batch: Batch, pairs: Pairs, known_prices: FloatArray, max_columns: int) -> FloatArray | None:
    """Return the known prices with the lowest prices of new units that no column beats; None for too many columns.

    Arguments are as in `realign`; `max_columns` is the number of columns that may be listed.
    """
    is_new = np.isnan(known_prices)
    price = np.where(is_new, 0.0, np.maximum(known_prices, 0.0))
    if not is_new.any():
        return price
    listed = _list_columns(batch, _pairs_near(pairs, is_new), price, 0.0, max_columns)
    if listed is None:
        return None
    reduced, saving = _restricted(listed[0], is_new, price)
    start = np.zeros(np.count_nonzero(is_new))
    # No steps: prices are only made such that no column beats them, and as low as possible.
    price[is_new] = kernels.soften(reduced.offsets, reduced.units, saving, start, 1.0, 1.0, 0)
    return price


def _restricted(columns: Columns, is_marked: BoolArray, price: FloatArray) -> tuple[Columns, FloatArray]:
    """Return the columns with marked units, restricted to these, and their savings less the prices of other units.

    Marked units are numbered from 0 on.
    """
    is_entry = is_marked[columns.units]
    n_marked = np.bincount(columns.column_of[is_entry], minlength=len(columns))
    has_marked = n_marked > 0
    units = np.cumsum(is_marked)[columns.units[is_entry]] - 1
    saving = columns.saving - columns.sums(np.where(is_marked, 0.0, price))
    return Columns.of(n_marked[has_marked], units, columns.cost[has_marked]), saving[has_marked]


def _improved(work: _Activation, is_poor: BoolArray, max_columns: int) -> tuple[FloatArray, Columns] | None:
    """Return better prices near some units, and the columns of small loss at these.

    None if there are too many columns, or if the prices are hardly better.
    """
    is_free = _near(work.pairs, is_poor)
    near_pairs = _pairs_near(work.pairs, is_free)
    pool, best, price = Pool(work.batch.n_units), work.price, work.price.copy()
    for stage in _STAGES:
        listed = _list_columns(work.batch, near_pairs, price, -stage.max_loss, max_columns)
        if listed is None:
            break
        columns, root_gain = listed
        feasible = price + np.maximum(root_gain, 0.0)
        if feasible.sum() < best.sum():
            best = feasible
        if best is not work.price and root_gain.sum(where=root_gain > 0.0) <= _SMALL_GAIN:
            break
        pool.add(columns)
        reduced, saving = _restricted(pool.columns, is_free, price)
        arrays = (reduced.offsets, reduced.units, saving, price[is_free])
        price[is_free] = kernels.soften(*arrays, stage.width, stage.ratio, stage.steps)
    if best.sum() > work.price.sum() - _MIN_IMPROVEMENT:
        return None
    is_changed = best != work.price
    changed_pairs = _pairs_near(work.pairs, is_changed)
    listed = _list_columns(work.batch, changed_pairs, best, -_LISTED_ACTIVE_LOSS, max_columns)
    if listed is None:
        return None
    old, new = work.columns, listed[0]
    return best, Columns.joined(old.take(~_touches(old, is_changed)), new.take(_touches(new, is_changed)))


def _touches(columns: Columns, is_marked: BoolArray) -> BoolArray:
    """Return whether each column has a marked unit."""
    return np.bincount(columns.column_of, is_marked[columns.units], len(columns)) > 0


def _pairs_near(pairs: Pairs, is_marked: BoolArray) -> Pairs:
    """Return the pairs of columns with a marked unit."""
    is_near = _near(pairs, is_marked)
    return pairs.take(is_near[pairs.first] & is_near[pairs.second])


def _near(pairs: Pairs, is_marked: BoolArray) -> BoolArray:
    """Return the units that are marked or have a pair with a marked one."""
    is_near = is_marked.copy()
    is_near[pairs.first[is_marked[pairs.second]]] = True
    is_near[pairs.second[is_marked[pairs.first]]] = True
    return is_near


class _Activation:
    """Active columns of a batch, the best selections of their parts, and columns that may be needed beside them.

    `price`, shape (n_units,), are prices that no column beats. `part`, shape (n_units,), is the part of each unit;
    `loss`, shape (n_parts,), is the least loss of each part, and `is_searched` tells if it is known.
    """

    def __init__(self, batch: Batch, pairs: Pairs, price: FloatArray, columns: Columns) -> None:
        self.batch, self.pairs, self.price = batch, pairs, price
        self._canonical_index = np.arange(batch.n_units) - batch.offsets[batch.instance]
        columns = columns.take(columns.losses(price) <= _ACTIVE_LOSS)  # others were listed at lower prices
        self._set_columns(columns)
        search = NearSearch(self._search, self.part, self.part[columns.first])
        for max_loss in _SEARCH_LIMITS:
            search.search(max_loss, np.full(len(search.min_loss), _MAX_WORK))
        self.is_searched: BoolArray = search.is_solved | (search.max_loss >= _ACTIVE_LOSS)
        self.loss = np.where(self.is_searched, search.min_loss, 0.0)
        self.is_selected = np.zeros(len(columns), dtype=np.bool_)
        self.is_selected[search.selected] = True
        self.is_proven = self._is_searched_instance()
        self._is_fresh = np.ones(batch.n_units, dtype=np.bool_)  # units of parts that were searched in the last round

    def _set_columns(self, columns: Columns) -> None:
        self.columns = columns
        self.part: IntArray = kernels.linked(columns.offsets, columns.units, self.batch.n_units)
        self._first: IntArray = np.unique(self.part, return_index=True)[1]
        self._search = PartSearch(columns, self._canonical_index, self.price, columns.losses(self.price))

    def _is_searched_instance(self) -> BoolArray:
        is_open = np.bincount(self._instance, ~self.is_searched, len(self.batch))
        return np.equal(is_open, 0)

    def run(self, max_columns: int) -> None:
        """Activate columns until no inactive one can be needed in any instance that can be proven."""
        max_loss = _FIRST_LOSS
        for _ in range(_MAX_ROUNDS):
            needed = self._needed_columns(max_loss, max_columns)
            if needed is None:
                self.is_proven[:] = False
                return
            if len(needed):
                self._activate(needed)
                self.is_proven &= self._is_searched_instance()
                continue
            loses_more = self._loses_more(max_loss)
            if max_loss >= _MAX_LOSS or not loses_more.any():
                self.is_proven &= ~loses_more
                return
            max_loss *= _LOSS_FACTOR
            self._is_fresh[:] = True
        needed = self._needed_columns(max_loss, max_columns)
        self.is_proven &= ~self._loses_more(max_loss)
        self.is_proven[slice(None) if needed is None else self.batch.instance[needed.first]] = False

    def _loses_more(self, max_loss: float) -> BoolArray:
        """Return whether a part of each instance loses more than this."""
        return np.bincount(self._instance, self.loss > max_loss, len(self.batch)) > 0

    @property
    def _instance(self) -> IntArray:
        """The instance of each part."""
        return self.batch.instance[self._first]

    def _needed_columns(self, max_loss: float, max_columns: int) -> Columns | None:
        """Return inactive columns that may be needed: all of them if no part loses more than `max_loss`.

        None if too many would have to be listed.
        """
        is_provable = self.is_proven[self.batch.instance]
        loss_of_unit = np.where(is_provable, np.minimum(self.loss, max_loss)[self.part], 0.0)
        # Smaller losses are less than the margin, added up. A column that touches no part that was searched in the last
        # round is needed no more than in that round.
        has_loss = (loss_of_unit > TIE) & self._is_fresh
        if not has_loss.any():
            return Columns.joined()
        # A part is counted once for each of its units in a column: a few columns more than needed are listed.
        price = self.price - loss_of_unit
        listed = _list_columns(self.batch, _pairs_near(self.pairs, has_loss), price, -_TIE_MARGIN, max_columns)
        if listed is None:
            return None
        columns, _ = listed
        loss = columns.losses(self.price)
        n_parts = len(self.loss)
        touched = distinct(columns.column_of * n_parts + self.part[columns.units])
        total = np.bincount(touched // n_parts, self.loss[touched % n_parts], len(columns))
        is_candidate = (loss > _ACTIVE_LOSS) & (loss <= total + _TIE_MARGIN)
        needed = self._inactive(columns.take(is_candidate & is_provable[columns.first]))
        n_needed = np.bincount(self.batch.instance[needed.first], minlength=len(self.batch))
        self.is_proven &= n_needed <= _MAX_ACTIVATED * np.diff(self.batch.offsets)
        return needed.take(self.is_proven[self.batch.instance[needed.first]])

    def _inactive(self, columns: Columns) -> Columns:
        """Return the columns that are not active; only active ones that lose much are compared."""
        rows = np.flatnonzero(self._search.loss > _ACTIVE_LOSS)
        if not len(rows) or not len(columns):
            return columns
        active = {tuple(units) for units in _units_of(self.columns.take(rows))}
        return columns.take(np.array([tuple(units) not in active for units in _units_of(columns)], dtype=np.bool_))

    def _activate(self, columns: Columns) -> None:
        """Add columns and search the parts that they connect again."""
        before, n_before = self.part, len(self.columns)
        old_loss, old_searched = self.loss, self.is_searched
        self._set_columns(Columns.joined(self.columns, columns))
        self.is_selected = np.append(self.is_selected, np.zeros(len(columns), dtype=np.bool_))
        first_of_old = np.unique(before, return_index=True)[1]
        new_part = self.part[first_of_old]  # of each old part
        n_parts = len(self._first)
        self.loss = grouped_sums(new_part, old_loss, n_parts)
        is_changed = np.zeros(n_parts, dtype=np.bool_)
        is_changed[self.part[self.columns.first[n_before:]]] = True
        self.is_searched = np.bincount(new_part, ~old_searched, n_parts) == 0
        column_part = self.part[self.columns.first]
        rows = np.flatnonzero(is_changed[column_part])
        limit = self.loss + _TIE_MARGIN
        rows = rows[self._search.loss[rows] <= limit[column_part[rows]]]
        self._is_fresh = is_changed[self.part]
        asked = np.where(self._is_fresh, self.part, -1)
        loss, is_solved, selected = self._search.choose(asked, np.full(n_parts, _MAX_FINAL_WORK), rows, limit)
        self.is_selected[is_changed[column_part] & self.is_selected] = False
        self.is_selected[rows[selected]] = True
        self.loss[is_changed] = np.where(is_solved, loss, 0.0)[is_changed]
        self.is_searched &= ~is_changed | is_solved

    def result(self) -> Realigned:
        """Return the alignments."""
        unit_bound = 1.0 - self.price
        unit_bound[self._first] += self.loss
        is_kept = self.is_selected & self.is_proven[self.batch.instance[self.columns.first]]
        return Realigned(self.columns.take(is_kept), unit_bound, self.price, self.is_proven)


def _units_of(columns: Columns) -> list[list[int]]:
    """Return the units of each column."""
    units, ends = columns.units.tolist(), columns.offsets.tolist()
    return [units[begin:end] for begin, end in pairwise(ends)]
