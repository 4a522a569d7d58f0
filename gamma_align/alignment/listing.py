"""The best alignment of one large instance, from the columns that its prices require.

A document of five annotators and thousands of units has hundreds of thousands of useful columns, of which about one in
a hundred is ever near an optimum. Only these are listed:

1. A heuristic alignment (`gamma_align.alignment.heuristic`) has prices. Columns that gain at them, or lose little, are
   listed (`gamma_align.kernels.gaining`) and added to a *pool*.
2. Soft prices of the pool (`gamma_align.kernels.soften`) are the next prices. Columns are listed again, until hardly
   any of them gains. Smoothing and limit of loss decrease from round to round.
3. With the greatest gain of each root added to its price, no column beats the prices: they prove a bound. Then prices
   are lowered as far as the listed columns allow.
4. Columns of small loss form small parts, whose best selections lose U in total (`gamma_align.alignment.partition`). If
   all columns that lose no more than U are listed and searched, the result is optimal. The limit of loss begins very
   low: columns of greater loss would link units to parts that are too large to search, and smaller parts whose best
   selections are known limit the search of larger ones.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import FREE, Columns, Links, Pairs
from gamma_align.alignment.heuristic import aligned_columns, first_alignment, tight_prices
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.partition import NearSearch
from gamma_align.alignment.pricing import UNLIMITED, first_prices
from gamma_align.alignment.search import TIE_MARGIN, PartSearch, splitmix
from gamma_align.alignment.watching import report_gap
from gamma_align.columns import FloatArray
from gamma_align.data import Batch


class _Round(NamedTuple):
    """A round of listing columns and soft prices; losses and widths are in units of Δ.

    Columns that lose up to `max_loss` are listed. At most `keep` of a root, with the least loss, go to the pool. The
    soft prices of the pool take `steps` steps from `width`, which is multiplied by `ratio` after each.
    """

    max_loss: float
    keep: int
    width: float
    ratio: float
    steps: int


# The first prices are poor: many columns gain at them, and few of these are needed. The last round is repeated.
_ROUNDS = (
    _Round(0.2, 30, 0.1, 0.794, 10),
    _Round(0.1, 30, 0.05, 0.845, 15),
    _Round(0.05, UNLIMITED, 0.02, 0.905, 30),
)
_MAX_ROUNDS = 8
_SMALL_GAIN = 0.01  # in units of Δ; if the roots gain less in total, further rounds would change little

# Limits of loss, in units of Δ. Columns are listed up to each of the first limits, and the last list has all columns
# that may matter; the first list is short and solves most instances. The columns of a list are searched up to each of
# the other limits in turn.
_LIST_LIMITS = (0.05, 0.2, np.inf)
_SEARCH_LIMITS = (0.005, 0.01, 0.02, 0.03, 0.06, 0.12, 0.2, 0.4, 0.8)
_LISTS_BEFORE_GAP = 2  # searched before a gap is accepted: two prove most alignments, and the last one may be long
_MAX_LIST_LIMIT = 1.0  # longer lists take longer than column generation
# of a part; in the final search a selection is known
_MAX_WORK = 400_000
_MAX_FINAL_WORK = 4_000_000


class Listed(NamedTuple):
    """An alignment as columns, its proof, and whether no more work is needed.

    `unit_bound`, shape (n_units,), is a lower bound of the cost, divided among the units. The search `is_done` if the
    alignment is optimal, or if its gap is accepted.
    """

    selected: Columns
    unit_bound: FloatArray
    is_done: bool


def solve_by_listing(batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> Listed:
    """Return the best alignment of the single instance of the batch, or a good one with a bound."""
    work = _Listing(batch, pairs, limits, deadline)
    work.settle_prices()
    return work.search()


class _Listing:
    """The prices `y` of an instance, and the columns that matter at them.

    No column beats the prices after `settle_prices`.
    """

    def __init__(self, batch: Batch, pairs: Pairs, limits: Limits, deadline: Deadline) -> None:
        self._batch = batch
        self._pairs = pairs
        self._gap = limits.gap
        self._deadline = deadline
        self._begin = np.searchsorted(pairs.first, np.arange(batch.n_units + 1))
        self._max_columns = int(limits.columns_for(np.array([batch.n_units]))[0])
        self._links = Links.both_ways(pairs, batch.n_units)
        self._label = first_alignment(batch, self._links)
        self.y = np.clip(tight_prices(self._links, self._label), 0.0, 1.0)

    def settle_prices(self) -> None:
        """Find prices with a good bound."""
        pool = Pool(self._batch.n_units)
        best = first_prices(self._batch, self._pairs)
        for index in range(_MAX_ROUNDS + 1):
            stage = _ROUNDS[min(index, len(_ROUNDS) - 1)]
            listed = self._list(stage.max_loss, stage.keep)
            if listed is None:
                break
            feasible = self.y + listed.root_gain
            if feasible.sum() < best.sum():
                best = feasible
            has_converged = index >= len(_ROUNDS) and listed.root_gain.sum() <= _SMALL_GAIN
            if has_converged or index == _MAX_ROUNDS or self._deadline.is_over:
                break
            pool.add(listed.columns)
            columns = pool.columns
            arrays = (columns.offsets, columns.units, columns.saving, self.y)
            self.y = kernels.soften(*arrays, stage.width, stage.ratio, stage.steps)
        self.y = best
        if listed is not None and best is feasible and stage.keep == UNLIMITED:
            self._lower(listed.columns, stage.max_loss)

    def _lower(self, columns: Columns, max_loss: float) -> None:
        """Lower the prices as far as these columns allow, which are all that lose no more than `max_loss`.

        If no price falls by more than its share of that loss, no other column beats the new prices.
        """
        lowered = kernels.soften(columns.offsets, columns.units, columns.saving, self.y, 1.0, 1.0, 0)
        n_annotators = int(self._batch.annotator.max(initial=0)) + 1
        self.y = np.maximum(lowered, self.y - max_loss / (n_annotators + 1))

    def _list(self, max_loss: float, keep: int = UNLIMITED) -> _ListedColumns | None:
        """Return the columns that lose no more than `max_loss` at the prices, at most `keep` of a root.

        None if there are too many.
        """
        pairs = self._pairs
        offsets, units, cost, root_gain, too_many = kernels.gaining(
            self._batch.annotator,
            self._begin,
            pairs.second,
            pairs.saving,
            self.y,
            -max_loss,
            keep,
            self._max_columns,
            FREE,
        )
        return None if too_many else _ListedColumns(Columns(offsets, units, cost), np.maximum(root_gain, 0.0))

    def search(self) -> Listed:
        """Search the columns of small loss, then the ones of greater loss that may matter."""
        unit_bound = 1.0 - self.y
        base = float(unit_bound.sum())
        selected = aligned_columns(self._batch, self._links, self._label)
        best = _Selection(selected, float(len(self.y) - selected.saving.sum()) - base, 0.0, is_solved=False)
        for index, list_limit in enumerate(_LIST_LIMITS):
            if index >= _LISTS_BEFORE_GAP and self._is_accepted(best, base):
                break
            limit = max(min(list_limit, best.loss + TIE_MARGIN), _LIST_LIMITS[0])
            if limit > _MAX_LIST_LIMIT or self._deadline.is_over:
                break
            listed = self._list(limit)
            if listed is None:
                break
            best = best.better(self._search_up_to(limit, listed.columns))
            gap = (best.loss - best.proven_loss) / (base + best.loss)
            report_gap(partial(float, gap))
            if best.is_solved:
                break
        unit_bound[0] += best.proven_loss
        return Listed(best.columns, unit_bound, best.is_solved or self._is_accepted(best, base))

    def _is_accepted(self, best: _Selection, base: float) -> bool:
        """Whether the gap of a selection is accepted; `base` is the bound of the prices."""
        return best.loss - best.proven_loss <= self._gap * (base + best.loss)

    def _search_up_to(self, limit: float, columns: Columns) -> _Selection:
        """Return the best selection of these columns, which are all that lose no more than `limit`."""
        n_units = len(self.y)
        work = PartSearch(columns, np.arange(n_units), self.y, columns.losses(self.y))
        part = np.zeros(n_units, dtype=np.int64)
        column_part = np.zeros(len(columns), dtype=np.int64)
        search = NearSearch(work, part, column_part)
        for max_loss in _SEARCH_LIMITS:
            if max_loss > limit or search.is_solved.any():
                break
            search.search(max_loss, np.array([_MAX_WORK]))
        loss = float(search.min_loss[0])
        is_solved = bool(search.is_solved[0])
        if not is_solved and loss + TIE_MARGIN <= limit:
            known_loss = search.min_loss + TIE_MARGIN
            rows = np.flatnonzero(work.loss <= known_loss[0])
            min_loss, is_proven, selected = work.choose(part, np.array([_MAX_FINAL_WORK]), rows, known_loss)
            if is_proven[0]:
                loss = float(min_loss[0])
                return _Selection(columns.take(rows[selected]), loss, loss, is_solved=True)
        # Another alignment contains a column that loses more than `max_loss`, or it is not better.
        proven_loss = loss if is_solved else min(loss, float(search.max_loss[0]))
        return _Selection(columns.take(search.selected), loss, proven_loss, is_solved)


class _Selection(NamedTuple):
    """Columns that lose `loss` in total, with the units alone; no alignment loses less than `proven_loss`."""

    columns: Columns
    loss: float
    proven_loss: float
    is_solved: bool

    def better(self, candidate: _Selection) -> _Selection:
        """Return the better one, with the greater proven loss; a solved one is better if they lose the same."""
        proven_loss = max(self.proven_loss, candidate.proven_loss)
        best = candidate if candidate.is_solved or candidate.loss < self.loss else self
        return best._replace(proven_loss=min(proven_loss, best.loss))


class _ListedColumns(NamedTuple):
    """Listed columns, and the greatest gain of a column of each root, 0 if none gains; shape (n_units,)."""

    columns: Columns
    root_gain: FloatArray


class Pool:
    """Different columns. Two columns with the same 64 bits count as one: fewer columns only make prices worse."""

    def __init__(self, n_units: int) -> None:
        self.columns = Columns.joined()
        self._unit_hash = splitmix(np.arange(n_units, dtype=np.uint64))
        self._hashes = np.zeros(0, dtype=np.uint64)  # ascending

    def add(self, columns: Columns) -> None:
        """Add the columns that are not in the pool."""
        if not len(columns):
            return
        hashes = splitmix(np.add.reduceat(self._unit_hash[columns.units], columns.offsets[:-1]))
        # Faster than `numpy.isin`. The columns of a list differ from each other.
        position = np.searchsorted(self._hashes, hashes)
        is_new = np.append(self._hashes, np.uint64(0))[position] != hashes
        is_new |= position == len(self._hashes)
        self._hashes = np.sort(np.concatenate([self._hashes, hashes[is_new]]))
        self.columns = Columns.joined(self.columns, columns.take(is_new))
