"""Distances of categories with structure: sets of labels, and nodes of a taxonomy.

Two empty sets are 0 apart; the empty set and any other set are 1 apart. The categories of units are texts: a text is
read as a set by splitting it at the separator ("|"), and "{}" is the empty set.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data import EMPTY_SET, label_name
from gamma_align.distances.base import Distance, Labels
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    import networkx as nx

    TaxonomySource: TypeAlias = "Taxonomy | nx.DiGraph[Any] | Mapping[Any, Iterable[object]]"
    """A taxonomy, a networkx DiGraph (mother → daughter), or a mapping of nodes to their daughters."""

# Passonneau's distances of a set from a subset, and of two sets that overlap without one being a subset of the other.
SUBSET_DISTANCE = 1 / 3
OVERLAP_DISTANCE = 2 / 3


class _Sizes(NamedTuple):
    """Sizes of all pairs of sets, |A|, |B|, |A ∩ B| and |A ∪ B|, shape (n, n) after broadcasting."""

    first: FloatArray
    second: FloatArray
    intersection: FloatArray
    union: FloatArray


@dataclass(frozen=True, slots=True)
class _SetDistance(Distance):
    """A distance of sets that depends only on their sizes; equal sets are 0 apart."""

    separator: str = "|"

    def between_sets(self, sets: Sequence[frozenset[str]]) -> FloatArray:
        """Return d between all pairs of sets, shape (n, n)."""
        members = {member: column for column, member in enumerate(sorted(frozenset().union(*sets)))}
        table = np.zeros((len(sets), max(len(members), 1)))
        for row, labels in enumerate(sets):
            table[row, [members[label] for label in labels]] = 1.0
        counts = table.sum(axis=1)
        intersection = table @ table.T
        sizes = _Sizes(counts[:, None], counts, intersection, counts[:, None] + counts - intersection)
        return np.where(sizes.union == sizes.intersection, 0.0, self._from_sizes(sizes))

    @abc.abstractmethod
    def _from_sizes(self, sizes: _Sizes) -> FloatArray:
        """Return d of all pairs of sets; the result is not used for equal sets."""

    def _matrix(self, labels: Labels) -> FloatArray:
        return self.between_sets(list(map(self._members, labels)))

    def _members(self, label: object) -> frozenset[str]:
        """Return the set that a label stands for: a set itself, or the parts of a text between separators."""
        if isinstance(label, (set, frozenset)):
            return frozenset(label)
        return frozenset() if label == EMPTY_SET else frozenset(map(str.strip, str(label).split(self.separator)))


@dataclass(frozen=True, slots=True)
class Jaccard(_SetDistance):
    """1 - |A ∩ B| / |A ∪ B|.

    Examples
    --------
    >>> ga.distances.Jaccard().matrix(["a|b", "a"]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """

    name: ClassVar[str] = "jaccard"

    def _from_sizes(self, sizes: _Sizes) -> FloatArray:
        return _jaccard(sizes)


def _jaccard(sizes: _Sizes) -> FloatArray:
    """Return 1 - |A ∩ B| / |A ∪ B| of all pairs of sets."""
    return 1.0 - sizes.intersection / np.maximum(sizes.union, 1.0)


@dataclass(frozen=True, slots=True)
class Dice(_SetDistance):
    """1 - 2|A ∩ B| / (|A| + |B|).

    Examples
    --------
    >>> ga.distances.Dice().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.333], [0.333, 0.0]]
    """

    name: ClassVar[str] = "dice"

    def _from_sizes(self, sizes: _Sizes) -> FloatArray:
        return 1.0 - 2.0 * sizes.intersection / np.maximum(sizes.first + sizes.second, 1.0)


@dataclass(frozen=True, slots=True)
class Passonneau(_SetDistance):
    """Passonneau 2004: 0 for equal sets, 1/3 for a subset, 2/3 for other sets that overlap, 1 for disjoint sets.

    Attributes
    ----------
    empty_is_subset : bool
        Whether the empty set counts as a subset of every set (1/3), as in DKPro; by default it is disjoint (1).

    Examples
    --------
    >>> ga.distances.Passonneau().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.333], [0.333, 0.0]]
    """

    name: ClassVar[str] = "passonneau"
    empty_is_subset: bool = False

    def _from_sizes(self, sizes: _Sizes) -> FloatArray:
        return _passonneau(sizes, empty_is_subset=self.empty_is_subset)


def _passonneau(sizes: _Sizes, *, empty_is_subset: bool = False) -> FloatArray:
    """Return Passonneau's distance of all pairs of sets that are not equal."""
    overlap = sizes.intersection > 0
    is_subset = (sizes.intersection == np.minimum(sizes.first, sizes.second)) & (empty_is_subset | overlap)
    return np.where(is_subset, SUBSET_DISTANCE, np.where(overlap, OVERLAP_DISTANCE, 1.0))


@dataclass(frozen=True, slots=True)
class Masi(_SetDistance):
    """1 - J·M with J = 1 - Jaccard and M = 1 - Passonneau (Passonneau 2006; NLTK).

    Examples
    --------
    >>> ga.distances.Masi().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.667], [0.667, 0.0]]
    """

    name: ClassVar[str] = "masi"

    def _from_sizes(self, sizes: _Sizes) -> FloatArray:
        return 1.0 - (1.0 - _jaccard(sizes)) * (1.0 - _passonneau(sizes))


@dataclass(frozen=True, slots=True)
class MasiProduct(Passonneau):
    """Jaccard times Passonneau: MASI as printed by Artstein & Poesio 2008 §4.4.1 and computed by DKPro.

    The product is *smaller* than either factor, which contradicts the purpose of MASI; `Masi` is Passonneau's own
    definition. `empty_is_subset` is as for `Passonneau`; it is true in DKPro.

    Examples
    --------
    >>> ga.distances.MasiProduct().matrix(["a|b", "a"]).round(3).tolist()
    [[0.0, 0.167], [0.167, 0.0]]
    """

    name: ClassVar[str] = "masi-product"

    def _from_sizes(self, sizes: _Sizes) -> FloatArray:
        return _jaccard(sizes) * _passonneau(sizes, empty_is_subset=self.empty_is_subset)


_COMMON_ROOT = object()
"""A node above several roots, so that a path connects any two nodes."""


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A directed graph without cycles: nodes, and edges (mother, daughter), both sorted.

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
            raise SettingsError(
                f"the taxonomy has a cycle: {cycle}",
                "remove one of its edges; an edge goes from a node to its daughter",
            )

    @classmethod
    def of(cls, taxonomy: TaxonomySource) -> Taxonomy:
        """Return the taxonomy from a networkx DiGraph, or from a mapping of nodes to their daughters.

        Raises
        ------
        SettingsError
            For a graph that is not directed or has a cycle.
        """
        if isinstance(taxonomy, Taxonomy):
            return taxonomy
        if isinstance(taxonomy, Mapping):
            edges = {(str(mother), str(daughter)) for mother, daughters in taxonomy.items() for daughter in daughters}
            nodes = {str(mother) for mother in taxonomy} | {daughter for _, daughter in edges}
        elif hasattr(taxonomy, "is_directed") and taxonomy.is_directed():
            edges = {(str(mother), str(daughter)) for mother, daughter in taxonomy.edges()}
            nodes = {str(node) for node in taxonomy.nodes()}
        else:
            raise SettingsError(
                "a taxonomy is a networkx DiGraph (mother → daughter) or a mapping of nodes to daughters, not "
                f"{type(taxonomy).__name__}"
            )
        return cls(tuple(sorted(nodes)), tuple(sorted(edges)))

    def graph(self) -> nx.DiGraph[object]:
        """Return the taxonomy as a networkx DiGraph."""
        import networkx as nx

        graph: nx.DiGraph[object] = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph

    def find_nodes(self, labels: Labels) -> list[str]:
        """Return the labels as nodes; InputError for a label that is not a node."""
        nodes = set(self.nodes)
        names = list(map(label_name, labels))
        unknown = next((name for name in names if name not in nodes), None)
        if unknown is not None:
            raise InputError(f"the taxonomy does not have the category {unknown!r}", "add it as a node")
        return names

    def masses(self) -> dict[str, FloatArray]:
        """Return for each node the distribution of a mass of 1 over the leaves, shape (n_leaves,).

        A node divides its mass evenly among its daughters.
        """
        import networkx as nx

        graph = self.graph()
        leaves = [node for node in self.nodes if not graph.out_degree(node)]
        masses = dict(zip(leaves, np.eye(len(leaves)), strict=True))
        for node in reversed(list(nx.topological_sort(graph))):
            if graph.out_degree(node):
                masses[node] = np.mean([masses[daughter] for daughter in graph.successors(node)], axis=0)
        return masses


@dataclass(frozen=True, slots=True)
class _TaxonomyDistance(Distance):
    """A distance of the nodes of a taxonomy."""

    taxonomy: Taxonomy

    if TYPE_CHECKING:

        def __init__(self, taxonomy: TaxonomySource) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "taxonomy", Taxonomy.of(self.taxonomy))


@dataclass(frozen=True, slots=True)
class MelamedResnik(_TaxonomyDistance):
    """1 - Σ_leaves min(P(leaf | A), P(leaf | B)): Melamed & Resnik 2000 as interpreted by Artstein & Poesio 2008 §4.5.

    Each node divides a mass of 1 evenly among its daughters, level by level. A node is 0 apart from itself (the product
    form printed in 2000 yields more than 0 for inner nodes). `taxonomy` is a networkx DiGraph, or a mapping of nodes to
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
        table = np.array([masses[node] for node in self.taxonomy.find_nodes(labels)])
        # One row at a time: an array of all pairs and all leaves may not fit in memory.
        shared = np.array([np.minimum(row, table).sum(axis=1) for row in table]).reshape(len(table), len(table))
        result: FloatArray = np.maximum(1.0 - shared, 0.0)
        np.fill_diagonal(result, 0.0)
        return result


@dataclass(frozen=True, slots=True)
class TaxonomyPath(_TaxonomyDistance):
    """Length of the shortest path between two nodes divided by the longest such path in the taxonomy.

    If there are several roots, a common node above them connects them.

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
            graph.add_edges_from((_COMMON_ROOT, root) for root in roots)
        nodes = self.taxonomy.find_nodes(labels)
        lengths = dict(nx.all_pairs_shortest_path_length(graph.to_undirected()))
        longest = max((lengths[a][b] for a, b in product(self.taxonomy.nodes, repeat=2)), default=0)
        table = np.array([lengths[a][b] for a, b in product(nodes, repeat=2)], dtype=np.float64)
        return table.reshape(len(nodes), len(nodes)) / max(longest, 1)


@dataclass(frozen=True, slots=True)
class ExtendedSenses(_TaxonomyDistance):
    """Each category stands for the set of itself and its ancestors, and these sets are compared (AP08 §4.5).

    `taxonomy` is as for `MelamedResnik`; `sets` is a distance of sets, by default Passonneau's.

    Examples
    --------
    >>> distance = ga.distances.ExtendedSenses({"animal": ["cat", "dog"]})
    >>> distance.matrix(["animal", "cat", "dog"]).round(3).tolist()
    [[0.0, 0.333, 0.333], [0.333, 0.0, 0.667], [0.333, 0.667, 0.0]]
    """

    name: ClassVar[str] = "extended-senses"
    sets: _SetDistance = field(default_factory=Passonneau)

    if TYPE_CHECKING:

        def __init__(self, taxonomy: TaxonomySource, sets: _SetDistance = ...) -> None: ...

    def _matrix(self, labels: Labels) -> FloatArray:
        import networkx as nx

        graph = self.taxonomy.graph()
        nodes = self.taxonomy.find_nodes(labels)
        return self.sets.between_sets([frozenset({node, *nx.ancestors(graph, node)}) for node in nodes])
