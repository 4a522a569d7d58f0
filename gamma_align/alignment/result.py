"""Alignment: the partition of a continuum's units, with its certificate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align._types import MISSING, FloatArray, IntArray
from gamma_align.alignment.disorder import aligned_pairs
from gamma_align.data.build_items import observed
from gamma_align.data.corpus import Continuum, Unit
from gamma_align.data.item_table import ItemTable
from gamma_align.results.values import Columns, Result, columns_of

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True, eq=False)
class Alignment(Result):
    """An alignment of a continuum: the best one, or one that was given.

    Attributes
    ----------
    continuum : Continuum
        What was aligned.
    group : ndarray of int64, shape (n_units,)
        The unitary alignment of each unit of the continuum, numbered from 0 in the order of their first units.
    unitary_disorders : ndarray of float64, shape (n_unitary_alignments,)
        δ of each unitary alignment.
    disorder : float
        δ of the alignment, (1/x̄) Σ δ(ă) (M15 §4.3); NaN for a continuum without units.
    bound : float
        Proven lower bound of the disorder of any alignment.
    is_optimal : bool
        Whether `disorder` is proven to be the least there is.
    is_given : bool
        Whether the alignment was given, and only its disorder computed: nothing was searched, and nothing proven.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> alignment = ga.align(continuum)
    >>> round(alignment.disorder, 4), alignment.is_optimal
    (0.7083, True)
    >>> alignment.units_by_values()
    [('x', 'x'), ('y', None)]
    >>> alignment.to_items()
    <ItemTable: items 2, coders 2, categories 2>
    """

    continuum: Continuum
    group: IntArray
    unitary_disorders: FloatArray
    disorder: float
    bound: float
    is_optimal: bool
    is_given: bool = False

    @property
    def gap(self) -> float:
        """Proven relative gap, (disorder - bound) / disorder; 0 for an optimal alignment, NaN for a given one."""
        if self.is_given:
            return math.nan
        return 0.0 if self.is_optimal else (self.disorder - self.bound) / self.disorder

    def __len__(self) -> int:
        return len(self.unitary_disorders)

    def unitary_alignments(self) -> list[tuple[Unit | None, ...]]:
        """Return each unitary alignment as one unit or None (empty) for each annotator, in their order."""
        place: dict[str, int] = {name: column for column, name in enumerate(self.continuum.annotators)}
        table: list[list[Unit | None]] = [[None] * len(place) for _ in range(len(self))]
        for group, unit in zip(self.group.tolist(), self.continuum.units(), strict=True):
            table[group][place[unit.annotator]] = unit
        return [tuple(row) for row in table]

    def units_by_values(self) -> list[tuple[str | None, ...]]:
        """Return the units × values matrix of M17 fig. 5: a row for each unitary alignment, a column an annotator.

        An empty unit is a missing value, None; a unit without a category gives "".
        """
        return [
            tuple(None if unit is None else unit.category or "" for unit in row) for row in self.unitary_alignments()
        ]

    def to_items(self) -> ItemTable:
        """Return the alignment as predefined items: an item for each unitary alignment (M17 fig. 5).

        An empty unit is a missing judgment; a unit without a category is one too.
        """
        codes = np.full((len(self), len(self.continuum.annotators)), MISSING, dtype=np.int64)
        codes[self.group, self.continuum.annotator] = self.continuum.category
        return ItemTable(*observed(codes, self.continuum.annotators, self.continuum.categories))

    def to_graph(self) -> nx.Graph[int]:
        """Return the alignment as a networkx graph: a node for each unit, an edge between two units aligned.

        Nodes are the units' numbers in the continuum, with ``annotator``, ``start``, ``end``, ``category`` and
        ``unitary_alignment``; unitary alignments are its connected components.
        """
        import networkx as nx  # noqa: PLC0415  (heavy, and only wanted here)

        graph: nx.Graph[int] = nx.Graph(document=self.continuum.document, disorder=self.disorder)
        for number, (group, unit) in enumerate(zip(self.group.tolist(), self.continuum.units(), strict=True)):
            graph.add_node(number, unitary_alignment=group, **unit._asdict())
        first, second = aligned_pairs(self.group)
        graph.add_edges_from(zip(first.tolist(), second.tolist(), strict=True))
        return graph

    def _contents(self) -> dict[str, Any]:
        """Return disorder, bound, optimal, gap, and each unitary alignment.

        Of an alignment that was given, bound, optimal and gap are None.
        """
        continuum = self.continuum
        unitary: list[dict[str, Any]] = [{"disorder": float(d), "units": []} for d in self.unitary_disorders]
        for group, unit in zip(self.group.tolist(), continuum.units(), strict=True):
            unitary[group]["units"].append(unit)
        empty, given = len(continuum) == 0, self.is_given
        return {
            "document": continuum.document,
            "annotators": continuum.annotators,
            "extent": continuum.extent,
            "disorder": None if empty else self.disorder,
            "given": given,
            "bound": None if empty or given else self.bound,
            "optimal": None if given else self.is_optimal,
            "gap": None if empty or given else self.gap,
            "unitary_alignments": unitary,
        }

    def _columns(self) -> Columns:
        """Return a row for each unit, in the order of the continuum."""
        columns = columns_of(list(self.continuum.units()), Unit._fields)
        return {"unitary_alignment": self.group.tolist(), **columns}
