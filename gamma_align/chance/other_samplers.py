"""Further samplers: units from other documents, and units drawn from normal distributions.

*Documents* (M15 §5.2, for corpora): each row of a sample has the units of an annotator of a different document, drawn
from all documents of the corpus including the sample's own; bounds are stretched to the extent. Rows are independent of
each other. In contrast to shifts, regularities such as units at the beginning of documents are kept.

*Statistical* (the default of pygamma-agreement 0.5.9, for comparisons with it): the number of units, the gaps between
them and their lengths are drawn from normal distributions with the mean and standard deviation (over n) of the
document; categories are drawn by their frequencies. The gaps are those between an annotator's successive units, the
distance from 0 to the first unit if it is above 0, and one additional 0; so γ depends on the origin of positions.
Numbers of units are truncated to integers, negative numbers and lengths change their sign, and the first row has at
least one unit. Units may lie outside the extent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gamma_align.chance.chance_options import SAMPLER
from gamma_align.chance.chance_settings import ChanceSettings
from gamma_align.chance.sampler import Sampler, ShiftSampler, Slots, distinct_integers
from gamma_align.columns import FloatArray, IntArray, ranges
from gamma_align.data import Batch, Corpus, counted
from gamma_align.errors import Cure, InputError, Set, SettingsError

DOCUMENTS, STATISTICAL = SAMPLER.words[1:]  # choices of the option
_MIN_LENGTH = 1e-6  # shorter units are drawn again
_MAX_BOUND = 1e150  # the sums of squares of lengths stay below the largest float, 1.8e308
_HALF_STEP = 2.0**-54  # half the distance between two random numbers; added so that none is 0


def make_sampler(corpus: Corpus, settings: ChanceSettings, source: SourceDocuments | None = None) -> Sampler:
    """Return the requested sampler; `source` contains the documents of the whole corpus if samples are made of them."""
    common: dict[str, Any] = {"seed": settings.seed, "chance_from": settings.chance_from}
    if settings.sampler == DOCUMENTS:
        return DocumentSampler(corpus, source=source, **common)
    if settings.sampler == STATISTICAL:
        return StatisticalSampler(corpus, **common)
    return shift_sampler(corpus, settings)


def shift_sampler(corpus: Corpus, settings: ChanceSettings) -> ShiftSampler:
    """Return the shift sampler with the options of the settings."""
    return ShiftSampler(
        corpus,
        seed=settings.seed,
        min_distance=settings.min_distance,
        integer_offsets=settings.integer_offsets,
        chance_from=settings.chance_from,
    )


class SourceDocuments:
    """The documents that rows of samples are taken from, sorted once for all samples of a corpus.

    `slots` are their annotators' units, `documents` the indices of documents with annotators that can be drawn, `low`
    and `span` the begin and length of each document's extent.
    """

    def __init__(self, corpus: Corpus, chance_from: Sequence[str]) -> None:
        self.slots = Slots(corpus, chance_from)
        self.documents = np.flatnonzero(self.slots.n_choices)
        self.low = corpus.extents[:, 0]
        self.span = corpus.extents[:, 1] - corpus.extents[:, 0]


class DocumentSampler(Sampler):
    """Random continua of units from the documents in `source`, by default the documents of the corpus itself."""

    def __init__(
        self, corpus: Corpus, *, seed: int, chance_from: Sequence[str] = (), source: SourceDocuments | None = None
    ) -> None:
        super().__init__(corpus, seed=seed)
        self.is_distance_lowered = np.zeros(len(corpus), dtype=np.bool_)
        self._source = SourceDocuments(corpus, chance_from) if source is None else source
        n_documents = len(self._source.documents)
        max_annotators = int(self._n.max(initial=0))
        if max_annotators > n_documents:
            name = corpus.documents[int(np.argmax(self._n))]
            raise SettingsError(
                "the sampler 'documents' takes each row of a sample from a different document, but document "
                f"{name!r} has {max_annotators} annotators, and units can be taken from "
                f"{counted(n_documents, 'document')} only",
                Cure("use {}", Set("sampler", "shift")),
            )

    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch, given the document and the number of each."""
        sample, row, slot, origin = self._rows_with_units(self._source.slots, documents, numbers, self._draw)
        return self._stretched(documents, sample, row, slot, origin.astype(np.int64))

    def _draw(self, document: IntArray, row: IntArray, number: IntArray, attempt: int) -> tuple[IntArray, FloatArray]:
        """Return the slot and the source document of rows of samples, all rows of a sample together."""
        random_numbers = self._random_numbers(document, row, number, attempt)
        origin = self._source.documents[self._distinct_documents(self._n[document], random_numbers[:, 1])]
        return self._source.slots.choose(origin, random_numbers[:, 0]), origin.astype(np.float64)

    def _distinct_documents(self, n_rows: IntArray, random_numbers: FloatArray) -> IntArray:
        """Return an index into the source documents for each row, different for the consecutive rows of a sample."""
        source_index = np.empty(len(n_rows), dtype=np.int64)
        for n in np.unique(n_rows).tolist():
            same = n_rows == n
            free = np.full(int(same.sum()) // n, float(len(self._source.documents) - n))
            source_index[same] = distinct_integers(random_numbers[same].reshape(-1, n), free).astype(np.int64).ravel()
        return source_index

    def _stretched(
        self, documents: IntArray, sample: IntArray, row: IntArray, slot: IntArray, origin: IntArray
    ) -> Batch:
        """Return the samples: the units of each row's slot, stretched to the extent."""
        slots = self._source.slots
        unit, unit_row = slots.units(slot)
        document = documents[sample[unit_row]]
        low = self._source.low[origin[unit_row]]
        span = self._source.span[origin[unit_row]]
        factor = np.divide(self._span[document], span, out=np.zeros(len(span)), where=span > 0)
        start, end = (self._low[document] + (bounds[unit] - low) * factor for bounds in (slots.start, slots.end))
        instance = sample[unit_row]
        annotator = row[unit_row]
        return Batch.build(self._n[documents], instance, annotator, start, end, slots.category[unit])[0]


class _Normal(NamedTuple):
    """Mean and standard deviation of a quantity in each document, shape (n_documents,)."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def fit(cls, document: IntArray, values: FloatArray, counts: IntArray) -> _Normal:
        """Return the distributions of values in documents. Each document has `counts` values; missing ones are 0."""
        mean = np.bincount(document, weights=values, minlength=len(counts)) / np.maximum(counts, 1)
        squares = np.bincount(document, weights=(values - mean[document]) ** 2, minlength=len(counts))
        n_values = np.bincount(document, minlength=len(counts))
        return cls(mean, np.sqrt((squares + (counts - n_values) * mean**2) / np.maximum(counts, 1)))

    def draw(self, document: IntArray, random_numbers: FloatArray) -> FloatArray:
        """Return a value for each document, drawn by a random number each."""
        from scipy.special import ndtri

        drawn: FloatArray = self.mean[document] + self.deviation[document] * ndtri(random_numbers + _HALF_STEP)
        return drawn


class StatisticalSampler(Sampler):
    """Random continua of units that are drawn from normal distributions."""

    def __init__(self, corpus: Corpus, *, seed: int, chance_from: Sequence[str] = ()) -> None:
        super().__init__(corpus, seed=seed)
        self.is_distance_lowered = np.zeros(len(corpus), dtype=np.bool_)
        too_far = np.flatnonzero(np.abs(corpus.extents).max(axis=1, initial=0.0) > _MAX_BOUND)
        if len(too_far):
            raise InputError(
                f"document {corpus.documents[too_far[0]]!r} has bounds beyond {_MAX_BOUND:g}, and the sampler "
                "'statistical' needs the squares of its lengths, which overflow",
                Cure("choose a coarser unit, or {}", Set("sampler", "shift")),
            )
        slots = Slots(corpus, chance_from)
        document = slots.document
        counts = slots.counts(slots.choices).astype(np.float64)
        self._counts = _Normal.fit(corpus.seen_document[slots.choices], counts, slots.n_choices)
        units = np.bincount(document, minlength=len(corpus))
        self._lengths = _Normal.fit(document, slots.end - slots.start, units)
        # Otherwise a length above the minimum would be drawn for ever.
        self._can_have_length = self._lengths.mean + self._lengths.deviation > _MIN_LENGTH
        self._gaps = _Normal.fit(*_gaps(slots))
        self._first_unit = np.cumsum(units) - units
        self._units = units
        self._category = slots.category

    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch, given the document (with units) and number of each."""
        sample, row = self._rows(documents)
        document = documents[sample]
        number = numbers[sample]
        counts = np.abs(np.trunc(self._counts.draw(document, self._random_numbers(document, row, number)[:, 0])))
        counts = np.maximum(counts, row == 0).astype(np.int64)
        unit_row = np.repeat(np.arange(len(row)), counts)
        unit = ranges(0, counts)
        sample = sample[unit_row]
        row = row[unit_row]
        document = document[unit_row]
        number = number[unit_row]
        random_numbers = self._random_numbers(document, row, number, index=unit + 1)
        length = np.abs(self._lengths.draw(document, random_numbers[:, 1]))
        short = np.flatnonzero((length < _MIN_LENGTH) & self._can_have_length[document])
        attempt = 1
        while len(short):
            redrawn = self._random_numbers(document[short], row[short], number[short], attempt, unit[short] + 1)
            length[short] = np.abs(self._lengths.draw(document[short], redrawn[:, 1]))
            short = short[length[short] < _MIN_LENGTH]
            attempt = attempt + 1
        gap = self._gaps.draw(document, random_numbers[:, 0])
        start, end = _consecutive_bounds(unit_row, unit, gap, length, counts)
        choice = (random_numbers[:, 2] * self._units[document]).astype(np.int64)
        category = self._category[self._first_unit[document] + choice]
        return Batch.build(self._n[documents], sample, row, start, end, category)[0]


def _gaps(slots: Slots) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the document and size of each gap, and the number of gaps per document, including the additional 0."""
    first = slots.offsets[slots.choices]
    first = first[slots.counts(slots.choices) > 0]
    first = first[slots.start[first] > 0]
    has_previous = np.ones(len(slots.start), dtype=np.bool_)
    has_previous[slots.offsets[:-1][np.diff(slots.offsets) > 0]] = False
    following = np.flatnonzero(has_previous)
    document = np.concatenate([slots.document[following], slots.document[first]])
    size = np.concatenate([slots.start[following] - slots.end[following - 1], slots.start[first]])
    return document, size, 1 + np.bincount(document, minlength=len(slots.n_choices))


def _consecutive_bounds(
    row: IntArray, unit: IntArray, gap: FloatArray, length: FloatArray, counts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return starts and ends of consecutive units; each row is summed by itself, from 0."""
    steps = np.zeros((len(counts), int(counts.max(initial=0)), 2))
    steps[row, unit, 0] = gap
    steps[row, unit, 1] = length
    bounds = np.cumsum(steps.reshape(len(counts), -1), axis=1).reshape(steps.shape)[row, unit]
    return bounds[:, 0], bounds[:, 1]
