"""Samplers of random continua that draw the same numbers from NumPy's generator as pygamma-agreement does."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gamma_align.compat.pygamma.continuum import Continuum
from gamma_align.compat.pygamma.sorted_set import SortedSet
from gamma_align.compat.pygamma.unit import SEGMENT_PRECISION, Segment

_PIVOT_OF_NO_SEGMENT = 1.0  # if no segment with a length is left, pygamma-agreement takes this one


class AbstractContinuumSampler(ABC):
    """A sampler of random continua; `init_sampling` gives it the continuum they resemble."""

    def __init__(self) -> None:
        self._reference_continuum: Continuum | None = None
        self._ground_truth_annotators: SortedSet[str] = SortedSet()
        self._generator: Any = np.random  # the global generator, which np.random.seed seeds

    def init_sampling(
        self, reference_continuum: Continuum, ground_truth_annotators: Iterable[str] | None = None
    ) -> None:
        """Take the continuum that samples resemble, and the annotators whose units they are made of."""
        assert reference_continuum, "Cannot initialize sampling with an empty reference continuum."
        annotators = reference_continuum.annotators
        selected = annotators if ground_truth_annotators is None else SortedSet(ground_truth_annotators)
        assert annotators.issuperset(selected), "Can't sample from ground truth annotators not in the reference."
        self._reference_continuum = reference_continuum
        self._ground_truth_annotators = selected

    @contextlib.contextmanager
    def using(self, random_state: np.random.RandomState | None) -> Iterator[None]:
        """Draw from this generator inside a ``with`` block; from the global one if it is None."""
        self._generator = np.random if random_state is None else random_state
        try:
            yield
        finally:
            self._generator = np.random

    @property
    def _reference(self) -> Continuum:
        """The continuum; AssertionError before `init_sampling`."""
        assert self._reference_continuum is not None, (
            "Sampler hasnt been initialized. Call 'sampler.init_sampling' before 'sampler.sample_from_continuum'."
        )
        return self._reference_continuum

    @property
    @abstractmethod
    def sample_from_continuum(self) -> Continuum:
        """A new random continuum at each access."""


class ShuffleContinuumSampler(AbstractContinuumSampler):
    """Samples of shifted annotators (M15 §5.2), with the pivots of pygamma-agreement.

    Each row is a random annotator, shifted by a pivot; pivots are meant to be half a mean length apart. `pivot_type` is
    "int_pivot" or "float_pivot".
    """

    def __init__(self, pivot_type: str = "int_pivot") -> None:
        super().__init__()
        self._pivot_type = pivot_type

    @property
    def sample_from_continuum(self) -> Continuum:
        """A new random continuum at each access."""
        assert self._pivot_type in ("float_pivot", "int_pivot")
        reference = self._reference
        annotators = self._ground_truth_annotators
        distance = reference.avg_length_unit / 2
        low, high = reference.bounds
        sample = reference.copy_flush()
        while not sample:  # the annotators drawn may have no units
            segments = [Segment(low, high)]
            for index in range(len(annotators)):
                if segments:
                    pivot = self._random_position(segments)
                    segments = _without(segments, pivot, distance)
                else:
                    pivot = self._generator.uniform(low, high)
                drawn = annotators[self._generator.choice(len(annotators))]
                name = f"Sampled_annotation {index}"
                sample.add_annotator(name)
                for unit in reference.iter_annotator(drawn):
                    shift = pivot + (low - high if unit.segment.start + pivot > high else 0)
                    segment = Segment(unit.segment.start + shift, unit.segment.end + shift)
                    sample.add(name, segment, unit.annotation)
        return sample

    def _random_position(self, segments: Sequence[Segment]) -> float:
        """Return a random position in segments, which are drawn by their lengths."""
        weights = np.array([segment.end - segment.start for segment in segments], dtype=np.float64)
        total = float(np.sum(weights))
        if total == 0:
            return _PIVOT_OF_NO_SEGMENT
        try:
            segment = segments[self._generator.choice(len(segments), p=weights / total)]
        except ValueError:
            return _PIVOT_OF_NO_SEGMENT
        position: float = self._generator.uniform(segment.start, segment.end)
        return int(position) if self._pivot_type == "int_pivot" else position


def _without(segments: Sequence[Segment], pivot: float, distance: float) -> list[Segment]:
    """Return segments without the surroundings of a pivot, from the last to the first.

    As in pygamma-agreement, a segment far from the pivot becomes longer: its near bound is moved to the surroundings.
    """
    first = pivot - distance
    last = pivot + distance
    result = []
    for segment in reversed(segments):
        if segment.start < first:
            result.append(Segment(segment.start, first))
        if segment.end > last:
            result.append(Segment(last, segment.end))
    return result


class StatisticalContinuumSampler(AbstractContinuumSampler):
    """Samples of normal distributions of the number of units, gaps and lengths; categories by their frequencies."""

    _avg_nb_units_per_annotator: float
    _std_nb_units_per_annotator: float
    _avg_gap: float
    _std_gap: float
    _avg_unit_duration: float
    _std_unit_duration: float

    def __init__(self) -> None:
        super().__init__()
        self._categories: list[str | None] = []
        self._categories_weight: Any = None

    def init_sampling(
        self, reference_continuum: Continuum, ground_truth_annotators: Iterable[str] | None = None
    ) -> None:
        """Take the means and standard deviations of a continuum; of all annotators, whichever are selected."""
        super().init_sampling(reference_continuum, ground_truth_annotators)
        annotators = [list(reference_continuum.iter_annotator(name)) for name in reference_continuum.annotators]
        counts = list(map(len, annotators))
        # The gaps begin with a 0, so that there is one; then those between units; then the first starts, from 0.
        gaps = [0.0]
        for units in annotators:
            pairs = zip(units[1:], units, strict=False)
            gaps += [later.segment.start - earlier.segment.end for later, earlier in pairs]
        gaps += [units[0].segment.start for units in annotators if units and units[0].segment.start > 0]
        all_units = list(chain.from_iterable(annotators))
        durations = [unit.segment.duration for unit in all_units]
        self._avg_nb_units_per_annotator, self._std_nb_units_per_annotator = _moments(counts)
        self._avg_gap, self._std_gap = _moments(gaps)
        self._avg_unit_duration, self._std_unit_duration = _moments(durations)
        labels = [unit.annotation for unit in all_units]
        unlabelled: list[str | None] = [None] if None in labels else []
        self._categories = unlabelled + list(reference_continuum.categories)
        weights = np.array([labels.count(label) for label in self._categories], dtype=np.float64)
        self._categories_weight = weights / reference_continuum.num_units

    def init_sampling_custom(
        self,
        annotators: Iterable[str],
        avg_num_units_per_annotator: float,
        std_num_units_per_annotator: float,
        avg_gap: float,
        std_gap: float,
        avg_duration: float,
        std_duration: float,
        categories: Iterable[str],
        categories_weight: Iterable[float] | None = None,
    ) -> None:
        """Take these means and standard deviations; categories are equally probable without weights."""
        reference = Continuum()
        for annotator in annotators:
            reference.add(annotator, Segment(0, 10), "Dummy")
        super().init_sampling(reference)
        self._avg_nb_units_per_annotator = avg_num_units_per_annotator
        self._std_nb_units_per_annotator = std_num_units_per_annotator
        self._avg_gap = avg_gap
        self._std_gap = std_gap
        self._avg_unit_duration = avg_duration
        self._std_unit_duration = std_duration
        self._categories = [str(category) for category in categories]
        self._categories_weight = None if categories_weight is None else np.array([*categories_weight])
        if categories_weight is not None and len(self._categories) != len(self._categories_weight):
            raise ValueError("categories and categories_weight have different sizes.")

    @property
    def sample_from_continuum(self) -> Continuum:
        """A new random continuum at each access."""
        sample = self._reference.copy_flush()
        generator = self._generator
        for annotator in self._ground_truth_annotators:
            sample.add_annotator(annotator)
            count = generator.normal(self._avg_nb_units_per_annotator, self._std_nb_units_per_annotator)
            n_units = abs(int(count))
            if not sample:
                n_units = max(1, n_units)
            end = 0.0
            for _ in range(n_units):
                start = end + generator.normal(self._avg_gap, self._std_gap)
                end = start + self._duration()
                while end - start < SEGMENT_PRECISION:
                    end = start + self._duration()
                category = generator.choice(len(self._categories), p=self._categories_weight)
                sample.add(annotator, Segment(start, end), self._categories[category])
        return sample

    def _duration(self) -> float:
        return abs(float(self._generator.normal(self._avg_unit_duration, self._std_unit_duration)))


Continuum.default_sampler = StatisticalContinuumSampler


def _moments(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation of a population."""
    return float(np.mean(values)), float(np.std(values))
