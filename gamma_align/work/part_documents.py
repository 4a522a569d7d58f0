"""The measurable documents of a part, and what is known of them before any work."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gamma_align.chance import (
    ChanceSettings,
    ShiftSampler,
    SourceDocuments,
    can_be_drawn,
    can_pair,
    make_sampler,
    sample_costs,
)
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import MIN_ANNOTATORS, Corpus, Part
from gamma_align.errors import Problem

# A sampler is made once for all samples: of a document of 100 units that takes as long as twenty samples.
_MAX_UNITS_OF_KEPT_SAMPLER = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class PartDocuments:
    """The measurable documents of a part, numbered from 0; columns have shape (n_measurable,).

    Attributes
    ----------
    corpus : Corpus
        The part.
    problems : tuple of Problem
        The problems of documents that were skipped.
    index : ndarray of int64
        Index of each document in the corpus.
    costs : ndarray of float64
        Approximate cost of a sample.
    can_control : ndarray of bool
        Whether pairs of annotators can control the samples.
    distance_lowered : ndarray of bool
        Whether the extent could not hold the offsets of the samples at the requested distance.
    source : SourceDocuments or None
        The documents of the whole corpus, if samples are made of their units.
    sampler : ShiftSampler or None
        Draws the samples, if they are made of the document's own units.
    """

    corpus: Corpus
    problems: tuple[Problem, ...]
    index: IntArray
    costs: FloatArray
    can_control: BoolArray
    distance_lowered: BoolArray
    source: SourceDocuments | None
    sampler: ShiftSampler | None

    @classmethod
    def of(cls, part: Part, settings: ChanceSettings, source: SourceDocuments | None) -> PartDocuments:
        """Return the documents of two annotators or more that have units to draw."""
        corpus, problems = part
        is_drawn = can_be_drawn(corpus, settings.chance_from)
        n_units = np.bincount(corpus.unit_document[is_drawn[corpus.unit_seen]], minlength=len(corpus))
        index = ((corpus.n_annotators >= MIN_ANNOTATORS) & (n_units > 0)).nonzero()[0]
        can_control = can_pair(corpus, n_units, integer_offsets=settings.integer_offsets)[index]
        sampler = make_sampler(corpus, settings, source)
        return cls(
            corpus=corpus,
            problems=problems,
            index=index,
            costs=sample_costs(corpus)[index],
            can_control=can_control & (settings.sampler == "shift"),
            distance_lowered=sampler.is_distance_lowered[index],
            source=source,
            sampler=sampler if isinstance(sampler, ShiftSampler) else None,
        )

    def __len__(self) -> int:
        return len(self.index)

    @property
    def annotators(self) -> IntArray:
        """Number of annotators of each document."""
        return self.corpus.n_annotators[self.index]

    @property
    def mean_units(self) -> FloatArray:
        """Mean number of units of the annotators of each document: its weight in a pooled δ."""
        mean: FloatArray = self.corpus.units_per_document[self.index] / self.annotators
        return mean

    def to_keep(self) -> PartDocuments:
        """Return the documents without the sampler of a large part, which takes as much memory as the corpus."""
        is_large = self.corpus.n_units > _MAX_UNITS_OF_KEPT_SAMPLER
        return replace(self, sampler=None) if is_large else self
