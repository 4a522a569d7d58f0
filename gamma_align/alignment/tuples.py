"""Unitary alignments worth considering, found by level-wise joins over candidate pairs, all instances at once.

Conventions
-----------
A *column* is a possible unitary alignment: its units, one of each of some annotators, and its cost
δ/Δ = 1 - Σ w over its pairs. Units within a column stand in the order of their annotators.

A column is *useful* when no unit of it can be split off at no cost: 1 + Σ w(u, ·) > 0 for each of its units.
A column that is not useful is never needed in an alignment of least disorder (splitting it costs nothing).
Joins extend partial columns by units of later annotators, and drop a partial column as soon as one of its
units could not be held even by the best unit of every later annotator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.batch import ranges

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.alignment.candidates import Pairs
    from gamma_align.batch import Batch

FREE = 1e-9
"""Savings (in units of Δ) up to this are taken as none: such units stay apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Possible unitary alignments.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_columns + 1,)
        Where each column's units begin in `units`.
    units : ndarray of int64
        Units of the batch.
    cost : ndarray of float64, shape (n_columns,)
        δ/Δ of each column.
    """

    offsets: IntArray
    units: IntArray
    cost: FloatArray

    @classmethod
    def of(cls, members: list[IntArray], costs: list[FloatArray]) -> Columns:
        """Return columns from arrays of equal-sized ones, shapes (m, k) and (m,)."""
        sizes = [np.full(len(rows), rows.shape[1]) for rows in members]
        return cls(
            offsets=np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))]),
            units=np.concatenate([np.empty(0, np.int64), *(rows.ravel() for rows in members)]),
            cost=np.concatenate([np.empty(0), *costs]),
        )

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def sizes(self) -> IntArray:
        """Number of units of each column."""
        return np.diff(self.offsets)

    @property
    def column_of(self) -> IntArray:
        """The column of each entry of `units`."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def first(self) -> IntArray:
        """The first unit of each column, that of its lowest annotator."""
        return self.units[self.offsets[:-1]]

    def sums(self, values: FloatArray) -> FloatArray:
        """Return, for each column, the sum of `values` over its units, in the order of the units."""
        if not len(self):
            return np.empty(0)
        total: FloatArray = np.add.reduceat(values[self.units], self.offsets[:-1])
        return total

    def take(self, columns: IntArray | BoolArray) -> Columns:
        """Return the columns of these indices, or where a mask is true."""
        chosen = np.flatnonzero(columns) if columns.dtype == np.bool_ else columns
        sizes = self.sizes[chosen]
        return Columns(
            offsets=np.concatenate([[0], np.cumsum(sizes)]),
            units=self.units[ranges(self.offsets[chosen], sizes)],
            cost=self.cost[chosen],
        )

    def over(self, units: IntArray) -> Columns:
        """Return the same columns, their units replaced by these (one for each entry of `units`)."""
        return Columns(self.offsets, units, self.cost)

    def join(self, other: Columns) -> Columns:
        """Return these columns followed by the others."""
        return Columns(
            offsets=np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            units=np.concatenate([self.units, other.units]),
            cost=np.concatenate([self.cost, other.cost]),
        )


def single_columns(n_units: int) -> Columns:
    """Return the columns of one unit each; δ of a lone unit is Δ."""
    return Columns(np.arange(n_units + 1), np.arange(n_units), np.ones(n_units))


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Candidate pairs as adjacency lists towards later annotators."""

    pairs: Pairs
    begin: IntArray  # where each unit's pairs begin
    keys: IntArray  # first * n_units + second, ascending
    n_units: int

    @classmethod
    def of(cls, pairs: Pairs, n_units: int) -> Graph:
        """Index the pairs."""
        begin = np.searchsorted(pairs.first, np.arange(n_units + 1))
        return cls(pairs, begin, pairs.first * n_units + pairs.second, n_units)

    def extensions(self, last: IntArray) -> tuple[IntArray, IntArray]:
        """Return (row, pair) for every pair that begins at last[row]."""
        counts = self.begin[last + 1] - self.begin[last]
        return np.repeat(np.arange(len(last)), counts), ranges(self.begin[last], counts)

    def lookup(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the index of each pair, or -1 where it is not a candidate."""
        key = first * self.n_units + second
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        found: IntArray = np.where(self.keys[place] == key, place, -1)
        return found


def best_per_annotator(batch: Batch, graph: Graph, values: FloatArray, width: int) -> FloatArray:
    """Return the largest of `values` (one a pair) over each unit's pairs with each later annotator, shape (n, width).

    Where a unit has no pair with an annotator: -inf.
    """
    best = np.full((graph.n_units, width), -np.inf)
    np.maximum.at(best, (graph.pairs.first, batch.annotator[graph.pairs.second]), values)
    return best


def after(best: FloatArray) -> FloatArray:
    """Return S[u, a] = Σ over annotators r > a of max(0, best[u, r]), shape like `best`."""
    positive = np.maximum(best, 0.0)
    total = np.cumsum(positive[:, ::-1], axis=1)[:, ::-1]
    later: FloatArray = total - positive
    return later


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """Columns under construction, all of k units.

    `held` is Σ w(u, ·) of each unit within its column, shape (m, k); `saving` the sum over pairs, shape (m,).
    """

    members: IntArray
    held: FloatArray
    saving: FloatArray

    def take(self, rows: IntArray | BoolArray) -> Partial:
        """Return the partial columns of these rows."""
        return Partial(self.members[rows], self.held[rows], self.saving[rows])


def seeds(graph: Graph) -> Partial:
    """Return the candidate pairs as partial columns of two units."""
    first, second, saving = graph.pairs.first, graph.pairs.second, graph.pairs.saving
    return Partial(np.stack([first, second], axis=1), np.stack([saving, saving], axis=1), saving)


def extended(graph: Graph, partial: Partial) -> Partial:
    """Return every extension of the partial columns by one unit of a later annotator, all pairs candidates."""
    size = partial.members.shape[1]
    row, pair = graph.extensions(partial.members[:, -1])
    new = graph.pairs.second[pair]
    links = np.empty((len(row), size))
    links[:, -1] = graph.pairs.saving[pair]
    for position in range(size - 1):
        found = graph.lookup(partial.members[row, position], new)
        keep = found >= 0
        row, new, links = row[keep], new[keep], links[keep]
        links[:, position] = graph.pairs.saving[found[keep]]
    gained = links.sum(axis=1)
    return Partial(
        np.concatenate([partial.members[row], new[:, None]], axis=1),
        np.concatenate([partial.held[row] + links, gained[:, None]], axis=1),
        partial.saving[row] + gained,
    )


def useful_columns(batch: Batch, pairs: Pairs, most: IntArray) -> tuple[Columns, BoolArray]:
    """Return every useful column of two units and more, and which instances have too many to hold.

    Parameters
    ----------
    batch : Batch
        The instances.
    pairs : Pairs
        Their candidate pairs.
    most : ndarray of int64, shape (n_instances,)
        Partial columns of one size that each instance may have; those that have more are given up, with all
        their columns.

    Returns
    -------
    columns : Columns
        By size, then in the order of their units; units are those of the batch.
    too_many : ndarray of bool, shape (n_instances,)
        The instances given up.
    """
    graph = Graph.of(pairs, batch.n_units)
    width = int(batch.n_annotators.max(initial=1))
    later = after(best_per_annotator(batch, graph, pairs.saving, width))
    partial = seeds(graph)
    members, costs = [], []
    too_many = np.zeros(len(batch), dtype=np.bool_)
    while len(partial.saving):
        instance = batch.instance[partial.members[:, 0]]
        too_many |= np.bincount(instance, minlength=len(batch)) > most
        last = batch.annotator[partial.members[:, -1]]
        alive = (1.0 + partial.held + later[partial.members, last[:, None]] > FREE).all(axis=1)
        partial = partial.take(alive & ~too_many[instance])
        useful = (1.0 + partial.held > FREE).all(axis=1)
        members.append(partial.members[useful])
        costs.append(1.0 - partial.saving[useful])
        partial = extended(graph, partial)
    columns = Columns.of(members, costs)
    if too_many.any():
        columns = columns.take(~too_many[batch.instance[columns.first]])
    return columns, too_many
