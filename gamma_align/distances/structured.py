"""Distances of categories with structure: sets of labels, and nodes of a taxonomy.

Two empty sets are 0 apart; the empty set and another are 1 apart. A text label is read as a set by splitting it at
the separator ("|"), so that units of a continuum can have sets as categories too; "{}" is the empty set.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.item_labels import label_name
from gamma_align.distances.base import Distance, Labels
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    import networkx as nx


SUBSET, OVERLAP = 1 / 3, 2 / 3
"""Passonneau's distances of a set and a subset of it, and of two sets that only share something."""


class _Sizes(NamedTuple):
    """Sizes of all pairs of sets, |A|, |B|, |A ∩ B| and |A ∪ B|, shape (n, n) after broadcasting."""

    first: FloatArray
    second: FloatArray
    both: FloatArray
    union: FloatArray


@dataclass(frozen=True, slots=True)
class _SetDistance(Distance):
    """A distance of sets that follows from their sizes; equal sets are 0 apart."""

    separator: str = "|"

    def of_sets(self, sets: list[frozenset[str]]) -> FloatArray:
        """Return d between all pairs of sets, shape (n, n)."""
        members = {member: column for column, member in enumerate(sorted(frozenset().union(*sets)))}
        table = np.zeros((len(sets), max(len(members), 1)))
        for row, labels in enumerate(sets):
            table[row, [members[label] for label in labels]] = 1.0
        counts, both = table.sum(axis=1), table @ table.T
        pair = _Sizes(counts[:, None], counts, both, counts[:, None] + counts - both)
        return np.where(pair.union == pair.both, 0.0, self._of_sizes(pair))

    @abc.abstractmethod
    def _of_sizes(self, pair: _Sizes) -> FloatArray:
        """Return d of sets that differ."""

    def _matrix(self, labels: Labels) -> FloatArray:
        return self.of_sets(list(map(self._set_of, labels)))

    def _set_of(self, label: Any) -> frozenset[str]:  # noqa: ANN401  (a label of any kind)
        if isinstance(label, (set, frozenset)):
            return frozenset(label)
        return frozenset() if label == "{}" else frozenset(map(str.strip, str(label).split(self.separator)))


@dataclass(frozen=True, slots=True)
class Jaccard(_SetDistance):
    """1 - |A ∩ B| / |A ∪ B|.

    Examples
    --------
    >>> ga.distances.Jaccard().matrix(["a|b", "a"]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """

    name: ClassVar[str] = "jaccard"

    def _of_sizes(self, pair: _Sizes) -> FloatArray:
        return _jaccard(pair)


def _jaccard(pair: _Sizes) -> FloatArray:
    return 1.0 - pair.both / np.maximum(pair.union, 1.0)


@dataclass(frozen=True, slots=True)
class Dice(_SetDistance):
    """1 - 2|A ∩ B| / (|A| + |B|).

    Examples
    --------
    >>> ga.distances.Dice().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.333], [0.333, 0.0]]
    """

    name: ClassVar[str] = "dice"

    def _of_sizes(self, pair: _Sizes) -> FloatArray:
        return 1.0 - 2.0 * pair.both / np.maximum(pair.first + pair.second, 1.0)


@dataclass(frozen=True, slots=True)
class Passonneau(_SetDistance):
    """Passonneau 2004: 0 equal, 1/3 a subset, 2/3 something shared, 1 disjoint.

    Attributes
    ----------
    empty_is_subset : bool
        Whether the empty set is a subset of every set (1/3), as in DKPro; otherwise it shares nothing (1).

    Examples
    --------
    >>> ga.distances.Passonneau().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.333], [0.333, 0.0]]
    """

    name: ClassVar[str] = "passonneau"
    empty_is_subset: bool = False

    def _of_sizes(self, pair: _Sizes) -> FloatArray:
        return _passonneau(pair, empty_is_subset=self.empty_is_subset)


def _passonneau(pair: _Sizes, *, empty_is_subset: bool = False) -> FloatArray:
    inside = (pair.both == np.minimum(pair.first, pair.second)) & (empty_is_subset | (pair.both > 0))
    return np.where(inside, SUBSET, np.where(pair.both > 0, OVERLAP, 1.0))


@dataclass(frozen=True, slots=True)
class Masi(_SetDistance):
    """1 - J·M with J = 1 - Jaccard and M = 1 - Passonneau (Passonneau 2006; NLTK).

    Examples
    --------
    >>> ga.distances.Masi().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.667], [0.667, 0.0]]
    """

    name: ClassVar[str] = "masi"

    def _of_sizes(self, pair: _Sizes) -> FloatArray:
        return 1.0 - (1.0 - _jaccard(pair)) * (1.0 - _passonneau(pair))


@dataclass(frozen=True, slots=True)
class MasiProduct(Passonneau):
    """Jaccard times Passonneau, as Artstein & Poesio 2008 §4.4.1 print MASI, and DKPro computes it.

    The product makes sets *nearer* than either factor, which is not what MASI is for; `Masi` is Passonneau's. Whether
    the empty set is a subset of every set is as for `Passonneau`; DKPro, which computes this product, has it so.

    Examples
    --------
    >>> ga.distances.MasiProduct().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.167], [0.167, 0.0]]
    """

    name: ClassVar[str] = "masi-product"

    def _of_sizes(self, pair: _Sizes) -> FloatArray:
        return _jaccard(pair) * _passonneau(pair, empty_is_subset=self.empty_is_subset)


_ROOT = object()  # joins several roots, so that there is a path between any two nodes


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A directed graph without cycles, edges (mother, daughter) between nodes, both sorted.

    A node may have several mothers.

    Examples
    --------
    >>> ga.distances.Taxonomy.of({"animal": ["cat", "dog"]}).edges
    (('animal', 'cat'), ('animal', 'dog'))
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        import networkx as nx

        graph = self.graph()
        if not nx.is_directed_acyclic_graph(graph):
            cycle = " → ".join(mother for mother, _ in nx.find_cycle(graph))
            raise SettingsError(f"the taxonomy goes round in a circle: {cycle}; edges go from a node to its daughters")

    @classmethod
    def of(cls, taxonomy: Taxonomy | nx.DiGraph[Any] | Mapping[str, Any]) -> Taxonomy:
        """Return the taxonomy from a networkx DiGraph, or a mapping of node to daughters.

        Raises
        ------
        SettingsError
            For a graph that is not directed or has a cycle.
        """
        if isinstance(taxonomy, Taxonomy):
            return taxonomy
        if isinstance(taxonomy, Mapping):
            pairs = [(str(mother), str(daughter)) for mother, daughters in taxonomy.items() for daughter in daughters]
            nodes = {str(mother) for mother in taxonomy} | {daughter for _, daughter in pairs}
        elif getattr(taxonomy, "is_directed", lambda: False)():
            pairs = [(str(mother), str(daughter)) for mother, daughter in taxonomy.edges()]
            nodes = {str(node) for node in taxonomy.nodes()}
        else:
            raise SettingsError(
                "a taxonomy is a networkx DiGraph (mother → daughter) or a mapping of nodes to daughters"
            )
        return cls(tuple(sorted(nodes)), tuple(sorted(set(pairs))))

    def graph(self) -> nx.DiGraph[Any]:
        """Return the taxonomy as a networkx DiGraph."""
        import networkx as nx

        graph: nx.DiGraph[Any] = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph

    def known(self, labels: Labels) -> list[str]:
        """Return the labels as nodes; InputError for one that is none."""
        names, nodes = [label_name(label) for label in labels], set(self.nodes)
        for unknown in [name for name in names if name not in nodes][:1]:
            raise InputError(f"the taxonomy does not have the category {unknown!r}; add it as a node")
        return names

    def masses(self) -> dict[str, FloatArray]:
        """Return for each node how its mass of 1 is spread over the leaves, level by level and evenly."""
        import networkx as nx

        graph = self.graph()
        leaves = [node for node in self.nodes if not graph.out_degree(node)]
        masses = dict(zip(leaves, np.eye(len(leaves)), strict=True))
        for node in reversed(list(nx.topological_sort(graph))):
            if graph.out_degree(node):
                masses[node] = np.mean([masses[daughter] for daughter in graph.successors(node)], axis=0)
        return masses


@dataclass(frozen=True, slots=True)
class _OfTaxonomy(Distance):
    """A distance on a taxonomy."""

    taxonomy: Taxonomy

    def __post_init__(self) -> None:
        object.__setattr__(self, "taxonomy", Taxonomy.of(self.taxonomy))


@dataclass(frozen=True, slots=True)
class MelamedResnik(_OfTaxonomy):
    """1 - Σ_leaves min(P(leaf | A), P(leaf | B)): Melamed & Resnik 2000 as Artstein & Poesio 2008 §4.5 read it.

    Each node spreads a mass of 1 evenly over its daughters, level by level. A node and itself are 0 apart (the
    product form printed in 2000 gives more than 0 for inner nodes). Give a networkx DiGraph, or a mapping of nodes to
    their daughters.

    Examples
    --------
    >>> distance = ga.distances.MelamedResnik({"animal": ["cat", "dog"]})
    >>> distance.matrix(["animal", "cat", "dog"]).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]
    """

    name: ClassVar[str] = "melamed-resnik"

    def _matrix(self, labels: Labels) -> FloatArray:
        masses = self.taxonomy.masses()
        table = np.array([masses[name] for name in self.taxonomy.known(labels)])
        # a row at a time: all pairs times all leaves may be large
        shared = np.array([np.minimum(row, table).sum(axis=1) for row in table]).reshape(len(table), len(table))
        result: FloatArray = np.maximum(1.0 - shared, 0.0)
        np.fill_diagonal(result, 0.0)
        return result


@dataclass(frozen=True, slots=True)
class TaxonomyPath(_OfTaxonomy):
    """Length of the shortest path between two nodes, by the longest there is; several roots are joined by one more.

    Examples
    --------
    >>> distance = ga.distances.TaxonomyPath({"animal": ["cat", "dog"]})
    >>> distance.matrix(["animal", "cat", "dog"]).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]
    """

    name: ClassVar[str] = "path"

    def _matrix(self, labels: Labels) -> FloatArray:
        import networkx as nx

        graph = self.taxonomy.graph()
        roots = [node for node in graph if not graph.in_degree(node)]
        if len(roots) > 1:
            graph.add_edges_from((_ROOT, root) for root in roots)
        names = self.taxonomy.known(labels)
        lengths = dict(nx.all_pairs_shortest_path_length(graph.to_undirected()))
        longest = max((lengths[a][b] for a in self.taxonomy.nodes for b in self.taxonomy.nodes), default=0)
        table = np.array([[lengths[first][second] for second in names] for first in names], dtype=np.float64)
        return table.reshape(len(names), len(names)) / max(longest, 1)


@dataclass(frozen=True, slots=True)
class ExtendedSenses(_OfTaxonomy):
    """Each category stands for the set of itself and of all above it, and sets are compared (AP08 §4.5).

    The taxonomy is as for `MelamedResnik`; `sets` is a distance of sets, Passonneau's by default.

    Examples
    --------
    >>> distance = ga.distances.ExtendedSenses({"animal": ["cat", "dog"]})
    >>> distance.matrix(["animal", "cat", "dog"]).round(3).tolist()
    [[0.0, 0.333, 0.333], [0.333, 0.0, 0.667], [0.333, 0.667, 0.0]]
    """

    name: ClassVar[str] = "extended-senses"
    sets: _SetDistance = field(default_factory=Passonneau)

    def _matrix(self, labels: Labels) -> FloatArray:
        import networkx as nx

        graph = self.taxonomy.graph()
        names = self.taxonomy.known(labels)
        return self.sets.of_sets([frozenset({name, *nx.ancestors(graph, name)}) for name in names])
