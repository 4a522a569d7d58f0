"""Unitary alignments and alignments, with pygamma-agreement's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
from gamma_align.compat.pygamma.dissimilarity import AbstractDissimilarity, CombinedCategoricalDissimilarity
from gamma_align.compat.pygamma.sorted_set import SortedSet
from gamma_align.compat.pygamma.unit import Unit

UnitsTuple = list[tuple[str, Unit | None]]
_MIN_ANNOTATORS = 2


class Continuum(Protocol):
    """What an alignment and its search need of a `Continuum`, whose module imports this one."""

    @property
    def annotators(self) -> SortedSet[str]:
        """The annotators."""

    @property
    def categories(self) -> SortedSet[str]:
        """The categories."""

    @property
    def avg_num_annotations_per_annotator(self) -> float:
        """The mean number of units of an annotator."""

    def __iter__(self) -> Iterator[tuple[str, Unit]]: ...


class SetPartitionError(Exception):
    """The unitary alignments do not contain each unit of the continuum once (of a soft alignment: at least once)."""


class UnitaryAlignment:
    """One unit, or None, of each annotator."""

    def __init__(self, n_tuple: UnitsTuple) -> None:
        assert len(n_tuple) >= _MIN_ANNOTATORS
        self._n_tuple = n_tuple
        self._disorder: float | None = None

    @property
    def n_tuple(self) -> UnitsTuple:
        """The annotators with their units; assigning them forgets the disorder."""
        return self._n_tuple

    @n_tuple.setter
    def n_tuple(self, n_tuple: UnitsTuple) -> None:
        self._n_tuple = n_tuple
        self._disorder = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The first start and the last end."""
        segments = [unit.segment for _, unit in self.n_tuple if unit is not None]
        start = min((segment.start for segment in segments), default=np.inf)
        return start, max((segment.end for segment in segments), default=-np.inf)

    @property
    def nb_units(self) -> int:
        """The number of units."""
        return sum(unit is not None for _, unit in self._n_tuple)

    @property
    def disorder(self) -> float:
        """The disorder; ValueError before it is computed."""
        if self._disorder is None:
            raise ValueError("Disorder hasn't been computed. Call `compute_disorder()` first to compute it.")
        return self._disorder

    @disorder.setter
    def disorder(self, value: float) -> None:
        self._disorder = value

    def compute_disorder(self, dissimilarity: AbstractDissimilarity) -> float:
        """Compute the disorder as if the alignment had these units alone: divided by their mean number, x̄."""
        self._disorder = Alignment([self]).compute_disorder(dissimilarity)
        return self._disorder

    def __repr__(self) -> str:
        return f"UnitaryAlignment({self._n_tuple!r})"


class _Pairs:
    """The pairs of units of an alignment that γcat counts, in the order of the unitary alignments."""

    def __init__(self, alignment: Alignment, dissimilarity: CombinedCategoricalDissimilarity) -> None:
        weights = []
        distances = []
        labels = []
        is_aligned = []
        for unitary in alignment:
            units = [unit for _, unit in unitary.n_tuple]
            n_units = unitary.nb_units
            for index, first in enumerate(units):
                for second in units[index + 1 :]:
                    if first is None and second is None:
                        continue
                    labels.append((first and first.annotation, second and second.annotation))
                    is_aligned.append(first is not None and second is not None)
                    if first is None or second is None:
                        weights.append(dissimilarity.delta_empty)
                        distances.append(dissimilarity.delta_empty)
                        continue
                    position = dissimilarity.alpha * dissimilarity.positional_dissim.d(first, second)
                    weights.append(max(0.0, 1.0 - position) / (n_units - 1))
                    distances.append(dissimilarity.categorical_dissim.d(first, second))
        self.weight = np.array(weights)
        self.distance = np.array(distances)
        self.labels = labels
        self.is_aligned = np.array(is_aligned, dtype=np.bool_)

    def disorder(self, category: str | None) -> float:
        """Return the categorial disorder of all pairs, or of the pairs with a unit of a category."""
        is_used: BoolArray = np.ones(len(self.labels), dtype=np.bool_)
        if category is not None:
            is_used = np.array([category in pair for pair in self.labels], dtype=np.bool_)
        if not (is_used & self.is_aligned).any():
            return 0.0 if is_used.any() or category is None else 1.0
        weight: FloatArray = self.weight[is_used]
        total = float((weight * self.distance[is_used]).sum())
        return total / float(weight.sum()) if total else 0.0


class Alignment:
    """Unitary alignments that contain each unit of a continuum once.

    `gap` is the proven relative gap of the disorder of a best alignment, 0 if it is proven to be the least one.
    """

    def __init__(
        self,
        unitary_alignments: Iterable[UnitaryAlignment],
        continuum: Continuum | None = None,
        check_validity: bool = False,
        disorder: float | None = None,
    ) -> None:
        self.unitary_alignments = list(unitary_alignments)
        self.continuum = continuum
        self.gap = 0.0
        self._disorder = disorder
        self._pairs: tuple[AbstractDissimilarity, int, _Pairs] | None = None
        if check_validity:
            self.check()

    def __getitem__(self, keys: int | tuple[int] | tuple[int, str]) -> UnitaryAlignment | tuple[str, Unit | None]:
        index, *names = (keys,) if isinstance(keys, int) else keys
        unitary = self.unitary_alignments[int(index)]
        return unitary.n_tuple[self.annotators.index(names[0])] if names else unitary

    def __iter__(self) -> Iterator[UnitaryAlignment]:
        return iter(self.unitary_alignments)

    def members(self) -> Iterator[tuple[str, Unit]]:
        """Yield the annotator and the unit of each membership, by unitary alignment."""
        for unitary in self:
            yield from ((name, unit) for name, unit in unitary.n_tuple if unit is not None)

    def take_until_limit(self, x_limit: float) -> Iterator[UnitaryAlignment]:
        """Yield the unitary alignments that end at a position at the latest, by their ends."""
        ordered = sorted(self.unitary_alignments, key=lambda unitary: unitary.bounds[1])
        return (unitary for unitary in ordered if unitary.bounds[1] <= x_limit)

    @property
    def annotators(self) -> SortedSet[str]:
        """The annotators."""
        return SortedSet(name for name, _ in self.unitary_alignments[0].n_tuple)

    @property
    def categories(self) -> SortedSet[str]:
        """The categories of the continuum, or without one of the units."""
        if self.continuum is not None:
            return self.continuum.categories
        labels = [unit.annotation for _, unit in self.members()]
        return SortedSet(label for label in labels if label is not None)

    @property
    def avg_num_annotations_per_annotator(self) -> float:
        """The mean number of units of an annotator, x̄."""
        if self.continuum is not None:
            return self.continuum.avg_num_annotations_per_annotator
        return sum(unitary.nb_units for unitary in self) / self.num_annotators

    @property
    def num_unitary_alignments(self) -> int:
        """The number of unitary alignments."""
        return len(self.unitary_alignments)

    @property
    def num_annotators(self) -> int:
        """The number of annotators."""
        return len(self.unitary_alignments[0].n_tuple)

    @property
    def disorder(self) -> float:
        """The disorder: the sum over the unitary alignments, divided by x̄."""
        if self._disorder is None:
            total = sum(unitary.disorder for unitary in self.unitary_alignments)
            self._disorder = total / self.avg_num_annotations_per_annotator
        return self._disorder

    def compute_disorder(self, dissimilarity: AbstractDissimilarity) -> float:
        """Compute the disorder of the whole and of each unitary alignment again."""
        disorders = dissimilarity.compute_disorder(self).tolist()
        for unitary, disorder in zip(self.unitary_alignments, disorders, strict=True):
            unitary.disorder = disorder
        self._disorder = float(sum(disorders)) / self.avg_num_annotations_per_annotator
        return self._disorder

    def gamma_k_disorder(self, dissimilarity: AbstractDissimilarity, category: str | None) -> float:
        """Return the categorial disorder of a category, or of γcat with None.

        Each pair of a unit with an empty one adds Δ² to the disorder and Δ to the weight. It is 0 if no units are
        aligned, and 1 if the alignment has no unit of the category.
        """
        if not isinstance(dissimilarity, CombinedCategoricalDissimilarity):
            raise TypeError(
                "Gamma-k and Gamma-cat can only be computed using the CombinedCategoricalDissimilarity dissimilarity."
            )
        cached = self._pairs
        if cached is None or cached[0] is not dissimilarity or cached[1] != len(self.unitary_alignments):
            cached = dissimilarity, len(self.unitary_alignments), _Pairs(self, dissimilarity)
            self._pairs = cached
        return cached[2].disorder(category)

    def check(self, continuum: Continuum | None = None) -> None:
        """Check that each unit of the continuum is in one unitary alignment.

        Raises
        ------
        ValueError
            Without a continuum, or if unitary alignments have different numbers of annotators.
        SetPartitionError
            If a unit is in none, or in several.
        """
        expected, counts = self._counts(continuum)
        self._refuse(sorted(expected - counts.keys()), "not in the set of unitary alignments")
        repeated = sorted(key for key, count in counts.items() if count > 1)
        self._refuse(repeated, "found more than once in the set of unitary alignments")

    def _counts(self, continuum: Continuum | None) -> tuple[set[tuple[str, Unit]], Counter[tuple[str, Unit]]]:
        """Return the units of the continuum, and how often each unit is in a unitary alignment."""
        continuum = self.continuum if continuum is None else continuum
        if continuum is None:
            raise ValueError("No continuum was set")
        if len({len(unitary.n_tuple) for unitary in self}) > 1:
            raise ValueError("Unitary alignments don't have the same amount of units tuples")
        return set(continuum), Counter(self.members())

    @staticmethod
    def _refuse(entries: Sequence[tuple[str, Unit]], problem: str) -> None:
        """Raise a SetPartitionError that lists the entries, if there are any."""
        if entries:
            raise SetPartitionError(f"{', '.join(f'{name}->{unit}' for name, unit in entries)}: {problem}")


class SoftAlignment(Alignment):
    """Unitary alignments that contain each unit of a continuum at least once."""

    def check(self, continuum: Continuum | None = None) -> None:
        """Check that each unit of the continuum is in a unitary alignment; see `Alignment.check`."""
        expected, counts = self._counts(continuum)
        self._refuse(sorted(expected - counts.keys()), "not in the soft alignment")
