"""Exact set partitioning of all instances at once, the columns at hand.

In savings form: maximise Σ s(S)·x(S) with each unit covered at most once, s(S) = |S| - cost(S). Units that columns link
make a *part*; parts never interact. With good prices the search of a part (`gamma_align.alignment.search`) has little
to look at:

1. Parts of few columns: prices from a few passes of dual ascent, and a search of all their columns.
2. Other parts, and what that leaves: *soft prices*, those of the dual smoothed by an entropy whose width falls
   (`gamma_align.kernels.soften`). The columns of little loss alone make small parts, whose choices lose U together.
   Where U is less than any other column loses, they are the best; otherwise more columns may make U less, and only
   columns that lose U at most can matter: the part is searched with these.

What is left after rounds of better prices is a linear programme (`gamma_align.alignment.certification`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.certification import certified
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.search import TIE, PartSearch
from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct

_FEW = 3_000
_PASSES = 10
_COSTLY = 50_000  # columns of a part above which a bracket may be enough
_NODES, _NODES_PER_UNIT = 10_000, 150  # work allowed (`gamma_align.kernels.choose`): about what soft prices would take


class _Round(NamedTuple):
    """Soft prices of so many steps, each so much less wide than the one before, and the searches with them.

    `near` is what columns lose that are searched first, one after the other, `nodes` the work allowed for a part of
    these, and `nodes_known` for a part where it is known what some choice loses.
    """

    steps: int
    ratio: float
    near: tuple[float, ...]
    nodes: int
    nodes_known: int


_WIDTH = 0.1
_ROUNDS = (
    _Round(40, 0.921, (0.03, 0.2), 400_000, 4_000_000),
    _Round(80, 0.952, (0.2,), 1_000_000, 4_000_000),
    _Round(320, 0.987, (0.2,), 1_000_000, 8_000_000),
)

Prices = Callable[[Columns, int], FloatArray]
Search = Callable[[PartSearch, IntArray, IntArray], tuple[FloatArray, BoolArray, IntArray]]
"""What returns a lower bound of the loss of each part, whether it is done with, and the columns of the choices.

Its arguments are a search over columns, the part of each unit and that of each column.
"""


class Partition(NamedTuple):
    """The best choice of columns, ascending; units in none of them stay alone.

    `bound`, shape (n_units,), are shares of the units in a proven lower bound of the sum of costs; their sums over an
    instance count. `open`, shape (n_open,), are the units of parts that were left, being too large for a programme.
    """

    chosen: IntArray
    bound: FloatArray
    open: IntArray


def partition(
    columns: Columns, number: IntArray, deadline: Deadline, most: int | None = None, gap: float = 0.0
) -> Partition:
    """Return the choice of disjoint columns of least cost, by the tie rule where several are.

    The columns are every useful column of two units and more; `number`, shape (n_units,), is the canonical number of
    each unit within its instance. After the deadline what is left is chosen greedily, and the bound shows that. Parts
    of more than `most` columns are no linear programme: where soft prices do not solve them, they are left open. Large
    parts that two or more rounds of soft prices do not solve are left with a choice proven to cost no more than the
    share `gap` of its cost too much.
    """
    work = _Work(columns, number)
    size = np.bincount(work.of_column)[work.of_column]  # columns of the part of each
    work.attempt(np.flatnonzero(size <= _FEW), _hard_prices, _all_searched)
    for stage in _ROUNDS:
        if len(work.left) and not deadline.over:
            enough = 0.0 if stage is _ROUNDS[0] else gap
            search = partial(_near_searched, stage=stage, gap=enough)
            work.attempt(work.left, partial(_soft_prices, stage=stage), search)
    rows = work.left if most is None else work.left[size[work.left] <= most]
    if len(rows):
        rest = columns.take(rows)
        chosen, bound = certified(rest, number, deadline)
        work.close(np.ones(work.n_parts, dtype=np.bool_), rows, bound, chosen)
    return Partition(np.flatnonzero(work.chosen), work.bound, distinct(columns.take(work.left).units))


class _Work:
    """Parts that are solved one after the other: `left` are the columns of those that are not.

    `part`, shape (n_units,), are the parts that all columns link, `of_column`, shape (n_columns,), those of columns.
    """

    def __init__(self, columns: Columns, number: IntArray) -> None:
        self._columns, self._number = columns, number
        self.part = kernels.linked(columns.offsets, columns.units, len(number))
        self.of_column = self.part[columns.first]
        self._first = np.unique(self.part, return_index=True)[1]
        self.left = np.arange(len(columns))
        self.chosen = np.zeros(len(columns), dtype=np.bool_)
        self.bound = np.ones(len(number))

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self._first)

    def attempt(self, rows: IntArray, prices: Prices, search: Search) -> None:
        """Price and search these columns, all of some parts; close the parts that are solved."""
        if not len(rows):
            return
        every = len(rows) == len(self._columns)
        columns = self._columns if every else self._columns.take(rows)
        price = prices(columns, len(self._number))
        work = PartSearch(columns, self._number, price, columns.losses(price))
        least, solved, chosen = search(work, self.part, self.of_column if every else self.of_column[rows])
        bound = 1.0 - price
        bound[self._first] += least
        self.close(solved, rows, bound, chosen)

    def close(self, solved: BoolArray, rows: IntArray, bound: FloatArray, chosen: IntArray) -> None:
        """Keep the choice among the columns `rows` of solved parts, and the shares of their units in the bound."""
        done = solved & (np.bincount(self.of_column[rows], minlength=self.n_parts) > 0)
        if not done.any():
            return
        units = np.flatnonzero(done[self.part])
        self.bound[units] = bound[units]
        self.chosen[rows[chosen]] = True
        self.left = self.left[~done[self.of_column[self.left]]]


def _hard_prices(columns: Columns, n_units: int) -> FloatArray:
    prices: FloatArray = kernels.ascend(columns.offsets, columns.units, columns.saving, n_units, _PASSES)
    return prices


def _soft_prices(columns: Columns, n_units: int, *, stage: _Round) -> FloatArray:
    arrays = (columns.offsets, columns.units, columns.saving, np.zeros(n_units))
    prices: FloatArray = kernels.soften(*arrays, _WIDTH, stage.ratio, stage.steps)
    return prices


def _all_searched(work: PartSearch, part: IntArray, _: IntArray) -> tuple[FloatArray, BoolArray, IntArray]:
    return work.choose(part, _NODES + _NODES_PER_UNIT * np.bincount(part))


def _near_searched(
    work: PartSearch, part: IntArray, of_column: IntArray, *, stage: _Round, gap: float
) -> tuple[FloatArray, BoolArray, IntArray]:
    """Search columns of little loss, then all that lose no more than these do together."""
    near = _Near(work, part, of_column)
    for most in stage.near:
        near.search(most, stage.nodes)
    known, solved, few = np.isfinite(near.least), near.solved, near.chosen
    least, again = np.where(known, near.least, 0.0), known & ~solved
    if not again.any():
        return least, solved, few[solved[of_column[few]]]
    most_known = np.where(again, least + 10 * TIE, -1.0)
    rows = np.flatnonzero(work.loss <= most_known[of_column])
    nodes = np.full(len(least), stage.nodes_known)
    lost, proven, more = work.choose(np.where(again[part], part, -1), nodes, rows, most_known)
    proven &= again
    least[proven] = lost[proven]
    costly = np.bincount(of_column, minlength=len(least)) > _COSTLY
    enough = again & ~proven & costly & (least <= gap * (work.bounds(part) + least))
    least[enough] = np.minimum(least, near.within)[enough]
    more = rows[more]
    chosen = np.concatenate([few[(solved | enough)[of_column[few]]], more[proven[of_column[more]]]])
    return least, solved | proven | enough, chosen


class _Near:
    """The choices of columns of little loss: what each part loses by them, and whether nothing loses less.

    They are the best choices of the columns that lose no more than `within`.
    """

    def __init__(self, work: PartSearch, part: IntArray, of_column: IntArray) -> None:
        self._work, self._part, self._of_column = work, part, of_column
        n_parts = int(part.max(initial=-1)) + 1
        self.least, self.solved = np.full(n_parts, np.inf), np.zeros(n_parts, dtype=np.bool_)
        self.within = np.zeros(n_parts)
        self.chosen = np.zeros(0, dtype=np.int64)
        self._lost = np.full(len(part), np.inf)  # by the choice of each small part, at its first unit

    def search(self, most: float, nodes: int) -> None:
        """Search the columns that lose no more than `most`, in the parts that are not solved."""
        part, of_column, open_ = self._part, self._of_column, ~self.solved
        if not open_.any():
            return
        rows = np.flatnonzero(self._work.loss <= np.where(open_, most, -1.0)[of_column])
        near = self._work.columns.take(rows)
        small = kernels.linked(near.offsets, near.units, len(part))
        known: FloatArray = np.bincount(small, weights=self._lost).astype(np.float64) + 10 * TIE
        lost, proven, chosen = self._work.choose(
            np.where(open_[part], small, -1), np.full(len(known), nodes), rows, known
        )
        first = np.unique(small, return_index=True)[1]
        unproven = np.bincount(part[first], weights=~proven, minlength=len(open_)) > 0
        better = open_ & ~unproven
        now = np.zeros(len(part))
        now[first] = lost
        self._lost = np.where(better[part], now, self._lost)
        self.least[better] = np.bincount(part, weights=now, minlength=len(open_))[better]
        self.within[better] = most
        chosen = rows[chosen]
        before = self.chosen[~better[of_column[self.chosen]]]
        self.chosen = np.concatenate([before, chosen[better[of_column[chosen]]]])
        self.solved |= better & (self.least + TIE < most)
