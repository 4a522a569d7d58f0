"""Distances of categories that are sets: several labels at once.

Two empty sets are 0 apart; the empty set and another are 1 apart. A text label is read as a set by splitting it at
the separator ("|"), so that units of a continuum can have sets as categories too; "{}" is the empty set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from gamma_align.distances.base import Distance, Labels

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray

SUBSET, OVERLAP = 1 / 3, 2 / 3
"""Passonneau's distances of a set and a subset of it, and of two sets that only share something."""


class Sizes(NamedTuple):
    """Sizes of the sets and of what each pair of them shares: A, B, A ∩ B, shape (n, n) after broadcasting."""

    first: FloatArray
    second: FloatArray
    both: FloatArray

    @property
    def union(self) -> FloatArray:
        """|A ∪ B|."""
        return self.first + self.second - self.both

    @property
    def equal(self) -> BoolArray:
        """Whether A = B."""
        same: BoolArray = self.union == self.both
        return same


def set_of(label: Any, separator: str) -> frozenset[str]:  # noqa: ANN401  (a label of any kind)
    """Return the set a label stands for."""
    if isinstance(label, (set, frozenset)):
        return frozenset(label)
    written = str(label)
    return frozenset() if written == "{}" else frozenset(part.strip() for part in written.split(separator))


def sizes(sets: list[frozenset[str]]) -> Sizes:
    """Return the sizes of all pairs of sets."""
    members = {member: at for at, member in enumerate(sorted({member for one in sets for member in one}))}
    table = np.zeros((len(sets), max(len(members), 1)))
    for row, one in enumerate(sets):
        table[row, [members[member] for member in one]] = 1.0
    counts = table.sum(axis=1)
    return Sizes(counts[:, None], counts[None, :], table @ table.T)


def jaccard(pair: Sizes) -> FloatArray:
    """Return 1 - |A ∩ B| / |A ∪ B|."""
    return np.where(pair.equal, 0.0, 1.0 - pair.both / np.maximum(pair.union, 1.0))


def dice(pair: Sizes) -> FloatArray:
    """Return 1 - 2|A ∩ B| / (|A| + |B|)."""
    return np.where(pair.equal, 0.0, 1.0 - 2.0 * pair.both / np.maximum(pair.first + pair.second, 1.0))


def passonneau(pair: Sizes, *, empty_is_subset: bool = False) -> FloatArray:
    """Return 0 for equal sets, 1/3 for a subset, 2/3 for sets that share something, 1 for disjoint ones."""
    inside = pair.both == np.minimum(pair.first, pair.second)
    result = np.where(inside, SUBSET, np.where(pair.both > 0, OVERLAP, 1.0))
    if not empty_is_subset:
        result = np.where(pair.both == 0, 1.0, result)
    return np.where(pair.equal, 0.0, result)


@dataclass(frozen=True, slots=True)
class _SetDistance(Distance):
    """A distance of sets, from their sizes."""

    separator: str = "|"

    def of_sets(self, sets: list[frozenset[str]]) -> FloatArray:
        """Return d between all pairs of sets, shape (n, n)."""
        return self.of_sizes(sizes(sets))

    def of_sizes(self, pair: Sizes) -> FloatArray:
        """Return d from the sizes."""
        raise NotImplementedError

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return d between all pairs; see `Distance.matrix`."""
        return self.of_sets([set_of(label, self.separator) for label in labels])


@dataclass(frozen=True, slots=True)
class Jaccard(_SetDistance):
    """1 - |A ∩ B| / |A ∪ B|."""

    name: ClassVar[str] = "jaccard"

    def of_sizes(self, pair: Sizes) -> FloatArray:
        """Return d from the sizes."""
        return jaccard(pair)


@dataclass(frozen=True, slots=True)
class Dice(_SetDistance):
    """1 - 2|A ∩ B| / (|A| + |B|)."""

    name: ClassVar[str] = "dice"

    def of_sizes(self, pair: Sizes) -> FloatArray:
        """Return d from the sizes."""
        return dice(pair)


@dataclass(frozen=True, slots=True)
class Passonneau(_SetDistance):
    """Passonneau 2004: 0 equal, 1/3 a subset, 2/3 something shared, 1 disjoint.

    Attributes
    ----------
    empty_is_subset : bool
        Whether the empty set is a subset of every set (1/3), as in DKPro; otherwise it shares nothing (1).
    """

    name: ClassVar[str] = "passonneau"
    empty_is_subset: bool = False

    def of_sizes(self, pair: Sizes) -> FloatArray:
        """Return d from the sizes."""
        return passonneau(pair, empty_is_subset=self.empty_is_subset)


@dataclass(frozen=True, slots=True)
class Masi(_SetDistance):
    """1 - J·M with J = 1 - Jaccard and M = 1 - Passonneau (Passonneau 2006; NLTK)."""

    name: ClassVar[str] = "masi"

    def of_sizes(self, pair: Sizes) -> FloatArray:
        """Return d from the sizes."""
        return 1.0 - (1.0 - jaccard(pair)) * (1.0 - passonneau(pair))


@dataclass(frozen=True, slots=True)
class MasiProduct(_SetDistance):
    """Jaccard times Passonneau, as Artstein & Poesio 2008 §4.4.1 print MASI, and DKPro computes it.

    The product makes sets *nearer* than either factor, which is not what MASI is for; `Masi` is Passonneau's.

    Attributes
    ----------
    empty_is_subset : bool
        Whether the empty set is a subset of every set, as in DKPro, which computes this product; see `Passonneau`.
    """

    name: ClassVar[str] = "masi-product"
    empty_is_subset: bool = False

    def of_sizes(self, pair: Sizes) -> FloatArray:
        """Return d from the sizes."""
        return jaccard(pair) * passonneau(pair, empty_is_subset=self.empty_is_subset)
