"""`Continuum`, with pygamma-agreement's names: a sorted set of units for each annotator."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Protocol, overload

import numpy as np

from gamma_align.compat.pygamma.alignment import Alignment
from gamma_align.compat.pygamma.dissimilarity import AbstractDissimilarity, CombinedCategoricalDissimilarity
from gamma_align.compat.pygamma.notes import note
from gamma_align.compat.pygamma.results import GammaResults
from gamma_align.compat.pygamma.solving import best_alignments
from gamma_align.compat.pygamma.sorted_set import SortedSet
from gamma_align.compat.pygamma.unit import AnySegment, Segment, Unit

AnyPath = str | os.PathLike[str]
PRECISION_LEVEL = {"high": 0.01, "medium": 0.02, "low": 0.1}
"""The precision of each word; pygamma-agreement's documentation says 5 % for "low", its code 10 %."""
_NORMAL_95 = 1.96  # quantile of a 95 % interval, as rounded in M15 §5.3
_MILLISECONDS = 1000  # per second: ELAN's times are whole milliseconds


class Sampler(Protocol):
    """An `AbstractContinuumSampler`, whose module imports this one."""

    def init_sampling(
        self, reference_continuum: Continuum, ground_truth_annotators: Iterable[str] | None = None
    ) -> None:
        """Take the continuum that samples resemble."""

    def using(self, random_state: np.random.RandomState | None) -> AbstractContextManager[None]:
        """Draw from a generator inside a ``with`` block."""

    @property
    def sample_from_continuum(self) -> Continuum:
        """A new random continuum."""


class Continuum:
    """Units of annotators on one text, recording or video.

    Equal units of an annotator are one unit, and units have a length.

    Examples
    --------
    >>> from gamma_align.compat.pygamma import Continuum, Segment
    >>> continuum = Continuum()
    >>> continuum.add("Alex", Segment(2, 9), "noun")
    >>> continuum.add("Paul", Segment(3, 9), "noun")
    >>> continuum.annotators, continuum["Paul", 0], continuum.bounds
    (SortedSet(['Alex', 'Paul']), Unit(segment=<Segment(3, 9)>, annotation='noun'), (0.0, 9))
    >>> round(continuum.get_best_alignment().disorder, 6)
    0.005917
    """

    default_sampler: ClassVar[Callable[[], Sampler]]
    """What makes the sampler of `compute_gamma` if none is given: `sampler`, which imports this module, sets it."""

    def __init__(self, uri: str | None = None) -> None:
        self.uri = uri
        self._annotations: dict[str, SortedSet[Unit]] = {}
        self._categories: SortedSet[str] = SortedSet()
        self.bound_inf: float = 0.0
        self.bound_sup: float = 0.0

    # reading and writing

    @classmethod
    def from_csv(
        cls,
        path: AnyPath,
        discard_invalid_rows: bool = True,
        delimiter: str = ",",
    ) -> Continuum:
        """Read rows of annotator, category, start and end, without a header.

        Units without length are left out with a message on stderr, or refused with a ValueError.
        """
        continuum = cls()
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            for row in filter(None, csv.reader(file, delimiter=delimiter)):
                annotator, category, start, end = row[:4]
                try:
                    continuum.add(annotator, Segment(float(start), float(end)), category)
                except ValueError as error:
                    if not discard_invalid_rows:
                        raise
                    print(f"Discarded invalid segment : {error}", file=sys.stderr)
        return continuum

    @classmethod
    def from_rttm(cls, path: AnyPath) -> Continuum:
        """Read an RTTM file: its recordings are the annotators, its speakers the categories."""
        from gamma_align.reading.read import read

        continuum = cls()
        corpus = read(os.fspath(path), format="rttm")
        for name in corpus.documents:
            for unit in corpus[name].units():
                continuum.add(name, Segment(unit.start, unit.end), unit.category)
        return continuum

    def add_textgrid(
        self,
        annotator: str,
        tg_path: AnyPath,
        selected_tiers: Iterable[str] | None = None,
        use_tier_as_annotation: bool = False,
    ) -> None:
        """Add the intervals with a text of a TextGrid, or of some of its tiers."""
        self._add_tiers(annotator, tg_path, "textgrid", selected_tiers, 1, use_tier=use_tier_as_annotation)

    def add_elan(
        self,
        annotator: str,
        eaf_path: AnyPath,
        selected_tiers: Iterable[str] | None = None,
        use_tier_as_annotation: bool = False,
    ) -> None:
        """Add the annotations of an ELAN file, or of some of its tiers, in milliseconds."""
        self._add_tiers(annotator, eaf_path, "elan", selected_tiers, _MILLISECONDS, use_tier=use_tier_as_annotation)

    def _add_tiers(
        self,
        annotator: str,
        path: AnyPath,
        file_format: str,
        selected: Iterable[str] | None,
        scale: int,
        *,
        use_tier: bool,
    ) -> None:
        """Add the units of tiers; the category is the text or the name of the tier, times are multiplied by `scale`."""
        from gamma_align.reading.read import read

        tiers = None if selected is None else set(selected)
        corpus = read(os.fspath(path), format=file_format, annotator="{layer}")
        for name in corpus.documents:
            for unit in corpus[name].units():
                if tiers is None or unit.annotator in tiers:
                    # Rounding undoes the division by which the times became seconds.
                    start, end = (round(bound * scale, 6) for bound in (unit.start, unit.end))
                    self.add(annotator, Segment(start, end), unit.annotator if use_tier else unit.category)

    def to_csv(self, path: AnyPath, delimiter: str = ",") -> None:
        """Write rows of annotator, category, start and end."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            for annotator, unit in self:
                writer.writerow([annotator, unit.annotation, unit.segment.start, unit.segment.end])

    # contents

    def copy_flush(self) -> Continuum:
        """Return a continuum with the same bounds, without annotators."""
        continuum = Continuum(self.uri)
        continuum.bound_inf, continuum.bound_sup = self.bounds
        return continuum

    def copy(self) -> Continuum:
        """Return a copy."""
        continuum = self.copy_flush()
        continuum._annotations = {name: units.copy() for name, units in self._annotations.items()}
        continuum._categories = self._categories.copy()
        return continuum

    def __bool__(self) -> bool:
        return any(map(len, self._annotations.values()))

    def __len__(self) -> int:
        return len(self._annotations)

    def __eq__(self, continuum: object) -> bool:
        return isinstance(continuum, Continuum) and self.annotators == continuum.annotators and [*self] == [*continuum]

    __hash__ = None  # type: ignore[assignment]

    @property
    def num_units(self) -> int:
        """The number of units."""
        return sum(map(len, self._annotations.values()))

    @property
    def categories(self) -> SortedSet[str]:
        """The categories, in alphabetical order."""
        return self._categories

    @property
    def category_weights(self) -> dict[str | None, float]:
        """The share of units of each category, in alphabetical order."""
        labels = [unit.annotation for _, unit in self]
        return {label: labels.count(label) / len(labels) for label in sorted(set(labels), key=lambda name: name or "")}

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest start, 0 at most, and the largest end, 0 at least."""
        return self.bound_inf, self.bound_sup

    @property
    def num_annotators(self) -> int:
        """The number of annotators."""
        return len(self._annotations)

    @property
    def avg_num_annotations_per_annotator(self) -> float:
        """The mean number of units of an annotator, x̄."""
        return self.num_units / self.num_annotators

    @property
    def max_num_annotations_per_annotator(self) -> int:
        """The largest number of units of an annotator."""
        return max(map(len, self._annotations.values()), default=0)

    @property
    def avg_length_unit(self) -> float:
        """The mean length of the units."""
        return sum(unit.segment.duration for _, unit in self) / self.num_units

    @property
    def annotators(self) -> SortedSet[str]:
        """The annotators, in alphabetical order."""
        return SortedSet(self._annotations)

    def add_annotator(self, annotator: str) -> None:
        """Add an annotator without units, if it is not there."""
        self._annotations.setdefault(annotator, SortedSet())

    def add(self, annotator: str, segment: AnySegment, annotation: str | None = None) -> None:
        """Add a unit; ValueError if it has no length."""
        unit = Unit(segment, annotation)
        if unit.segment.duration == 0:
            raise ValueError("Tried adding segment of duration 0.0")
        self.add_annotator(annotator)
        self._annotations[annotator].add(unit)
        if annotation is not None:
            self._categories.add(annotation)
        self.bound_inf = min(self.bound_inf, unit.segment.start)
        self.bound_sup = max(self.bound_sup, unit.segment.end)

    def add_annotation(self, annotator: str, annotation: Any) -> None:  # noqa: ANN401  (pyannote's Annotation)
        """Add the segments of an annotation of pyannote with their labels."""
        for segment, _, label in annotation.itertracks(yield_label=True):
            self.add(annotator, segment, label)

    def add_timeline(self, annotator: str, timeline: Iterable[AnySegment]) -> None:
        """Add segments without categories, such as a timeline of pyannote."""
        for segment in timeline:
            self.add(annotator, segment)

    def remove(self, annotator: str, unit: Unit) -> None:
        """Remove a unit; KeyError if it is not there. Bounds and categories stay."""
        self._annotations[annotator].remove(unit)

    def reset_bounds(self) -> None:
        """Set the bounds to the first start and the last end."""
        segments = [unit.segment for _, unit in self]
        self.bound_inf = min((segment.start for segment in segments), default=0.0)
        self.bound_sup = max((segment.end for segment in segments), default=0.0)

    def merge(self, continuum: Continuum, in_place: bool = False) -> Continuum | None:
        """Return the units of both continua; or add the units of the second one `in_place`, and return None."""
        merged = self if in_place else self.copy()
        for annotator in continuum.annotators:
            merged.add_annotator(annotator)
        for annotator, unit in continuum:
            merged.add(annotator, unit.segment, unit.annotation)
        return None if in_place else merged

    def __add__(self, continuum: Continuum) -> Continuum:
        merged = self.merge(continuum)
        assert merged is not None
        return merged

    @overload
    def __getitem__(self, keys: str) -> SortedSet[Unit]: ...

    @overload
    def __getitem__(self, keys: tuple[str, int]) -> Unit: ...

    def __getitem__(self, keys: str | tuple[str, int]) -> SortedSet[Unit] | Unit:
        """Return the units of an annotator, or one of them by its index."""
        annotator, *index = (keys,) if isinstance(keys, str) else keys
        if annotator not in self._annotations:
            raise KeyError("key must be either Annotator (from the continuum) or (Annotator, int)")
        units = self._annotations[str(annotator)]
        if not index:
            return units.copy()
        try:
            return units[int(index[0])]
        except IndexError:
            raise IndexError(f"index {index[0]} of annotations by {annotator} is out of range") from None

    def __iter__(self) -> Iterator[tuple[str, Unit]]:
        """Yield each annotator with each of its units, both in order."""
        for annotator in sorted(self._annotations):
            for unit in self._annotations[annotator]:
                yield annotator, unit

    def iter_annotator(self, annotator: str) -> Iterator[Unit]:
        """Yield the units of an annotator."""
        yield from self._annotations[annotator]

    def iterunits(self, annotator: str) -> Iterator[Unit]:
        """Return an iterator over the units of an annotator."""
        return iter(self._annotations[annotator])

    # alignments and γ

    def get_best_alignment(self, dissimilarity: AbstractDissimilarity | None = None) -> Alignment:
        """Return the alignment of least disorder; AssertionError without two annotators or without units."""
        return _best([self], dissimilarity, soft=False)[0]

    def get_best_soft_alignment(self, dissimilarity: AbstractDissimilarity | None = None) -> Alignment:
        """Return the cover of least disorder: each unit is in at least one unitary alignment."""
        return _best([self], dissimilarity, soft=True)[0]

    def get_fast_alignment(self, dissimilarity: AbstractDissimilarity, window_size: float = np.inf) -> Alignment:  # noqa: ARG002
        """Return the alignment of least disorder: the exact one is as fast."""
        note(_NOT_FAST)
        return self.get_best_alignment(dissimilarity)

    def measure_best_window_size(self, dissimilarity: AbstractDissimilarity) -> None:
        """Do nothing: windows are not needed."""

    def compute_gamma(
        self,
        dissimilarity: AbstractDissimilarity | None = None,
        n_samples: int = 30,
        precision_level: float | str | None = None,
        ground_truth_annotators: Iterable[str] | None = None,
        sampler: Sampler | None = None,
        fast: bool = False,
        soft: bool = False,
        *,
        random_state: np.random.RandomState | None = None,
    ) -> GammaResults:
        """Return γ of the continuum.

        Parameters
        ----------
        dissimilarity : AbstractDissimilarity, optional
            By default `CombinedCategoricalDissimilarity` with α = β = Δ = 1.
        n_samples : int
            Number of samples, of which a precision may require more.
        precision_level : float or {"high", "medium", "low"}, optional
            Relative precision of the expected disorder, estimated from the first samples: .01, .02 or .1.
        ground_truth_annotators : iterable of str, optional
            The annotators of which samples are made, all by default.
        sampler : AbstractContinuumSampler, optional
            By default `StatisticalContinuumSampler`.
        fast : bool
            No effect: alignments are exact.
        soft : bool
            Soft-γ: a unit may be in several unitary alignments.
        random_state : numpy.random.RandomState, optional
            The generator of the samples; by default NumPy's global one, which ``np.random.seed`` seeds.
        """
        if soft and fast:
            raise NotImplementedError("Fast-gamma and Soft-gamma are not compatible with each other.")
        if fast:
            note(_NOT_FAST)
        dissimilarity = dissimilarity or CombinedCategoricalDissimilarity()
        sampler = sampler or type(self).default_sampler()
        sampler.init_sampling(self, ground_truth_annotators)
        with sampler.using(random_state):
            samples = [sampler.sample_from_continuum for _ in range(n_samples)]
            best, *chance = _best([self, *samples], dissimilarity, soft=soft)
            precision = PRECISION_LEVEL[precision_level] if isinstance(precision_level, str) else precision_level
            if precision is not None:
                assert 0 < precision < 1
                disorders = [alignment.disorder for alignment in chance]
                required = int(np.ceil((np.std(disorders) / np.mean(disorders) * _NORMAL_95 / precision) ** 2))
                second_batch = [sampler.sample_from_continuum for _ in range(required - n_samples)]
                chance += _best(second_batch, dissimilarity, soft=soft) if second_batch else []
        return GammaResults(best, chance, dissimilarity, precision)


_NOT_FAST = "fast alignments are the exact ones: fast=True has no effect"


def _best(continua: Sequence[Continuum], dissimilarity: AbstractDissimilarity | None, *, soft: bool) -> list[Alignment]:
    """Return the best alignment of each continuum."""
    return best_alignments(continua, dissimilarity or CombinedCategoricalDissimilarity(), soft=soft)
