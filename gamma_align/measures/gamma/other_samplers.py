"""Samplers beside the default one: units from other documents, and units drawn from normal distributions.

*Documents* (M15 §5.2, for corpora): each row of a sample of n rows takes the units of an annotator of another document,
n different ones of the corpus, that of the sample among those to choose from; bounds are stretched to its extent. Rows
have nothing to do with each other, and keep what a shift would break: what tends to be at the beginning of a document.

*Statistical* (the default of pygamma-agreement 0.5.9, for those who compare with it): the number of units, the gaps
between them and their lengths are drawn from normal distributions, with mean and standard deviation (over n) of the
document, categories by how frequent they are. Gaps are those between an annotator's successive units, the way from 0 to
the first one where it is above 0, and a 0 that is always among them; so γ depends on where positions are counted from.
Numbers of units are cut to whole ones, those below 0 and lengths below 0 change their sign, and the first row has a
unit at least. Units may lie outside the extent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, ranges
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.data.wording import counted
from gamma_align.errors import InputError, SettingsError
from gamma_align.measures.gamma.gamma_options import SAMPLER
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.sampler import Sampler, ShiftSampler, Slots, distinct_numbers

DOCUMENTS, STATISTICAL = SAMPLER.words[1:]
_SHORTEST = 1e-6  # shorter units are drawn again
_FURTHEST_BOUND = 1e150  # the sums of squares of lengths stay below the largest float, 1.8e308
_HALF = 2.0**-54  # half of the distance of random numbers: none is 0


def sampler_of(corpus: Corpus, settings: GammaSettings, source: SourceDocuments | None = None) -> Sampler:
    """Return the sampler that the settings ask for; `source` is of the whole corpus, where that matters."""
    common: dict[str, Any] = {"seed": settings.seed, "chance_from": settings.chance_from}
    if settings.sampler == DOCUMENTS:
        return DocumentSampler(corpus, source=source, **common)
    if settings.sampler == STATISTICAL:
        return StatisticalSampler(corpus, **common)
    return shift_sampler(corpus, settings)


def shift_sampler(corpus: Corpus, settings: GammaSettings) -> ShiftSampler:
    """Return the shift sampler with the options of the settings."""
    return ShiftSampler(
        corpus,
        seed=settings.seed,
        min_distance=settings.min_distance,
        integer_offsets=settings.integer_offsets,
        chance_from=settings.chance_from,
    )


class SourceDocuments:
    """The documents that rows of samples are taken from: sorted once for all samples of a corpus.

    `slots` are their annotators' units, `documents` those that have some, `low` and `span` begin and length of each.
    """

    def __init__(self, corpus: Corpus, chance_from: Sequence[str]) -> None:
        self.slots = Slots(corpus, chance_from)
        self.documents = np.flatnonzero(self.slots.n_choices)
        self.low = corpus.extents[:, 0]
        self.span = corpus.extents[:, 1] - corpus.extents[:, 0]


class DocumentSampler(Sampler):
    """Random continua of units that are from other documents: those of `source`, of the corpus itself without it."""

    def __init__(
        self, corpus: Corpus, *, seed: int, chance_from: Sequence[str] = (), source: SourceDocuments | None = None
    ) -> None:
        super().__init__(corpus, seed=seed)
        self.lowered = np.zeros(len(corpus), dtype=np.bool_)
        self._source = SourceDocuments(corpus, chance_from) if source is None else source
        number = len(self._source.documents)
        most = int(self._n.max(initial=0))
        if most > number:
            name = corpus.documents[int(np.argmax(self._n))]
            raise SettingsError(
                f"samples of units from other documents take each row from a different one: document {name!r} has "
                f"{most} annotators, and there is {counted(number, 'document')} to take them from; use "
                "--sampler shift (sampler='shift')"
            )

    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch: the documents they are of, and their numbers."""
        sample, row, slot, origin = self._rows_with_units(self._source.slots, documents, numbers, self._drawn)
        return self._stretched(documents, sample, row, slot, origin.astype(np.int64))

    def _drawn(self, document: IntArray, row: IntArray, number: IntArray, attempt: int) -> tuple[IntArray, FloatArray]:
        """Return the slot and the source document of rows of samples, all rows of a sample together."""
        words = self._words(document, row, number, attempt)
        origin = self._source.documents[self._different(self._n[document], words[:, 1])]
        return self._source.slots.of(origin, words[:, 0]), origin.astype(np.float64)

    def _different(self, n_rows: IntArray, words: FloatArray) -> IntArray:
        """Return numbers of documents, different ones for the rows of a sample, which follow each other."""
        chosen = np.empty(len(n_rows), dtype=np.int64)
        for n in np.unique(n_rows).tolist():
            same = n_rows == n
            most = np.full(int(same.sum()) // n, float(len(self._source.documents) - n))
            chosen[same] = distinct_numbers(words[same].reshape(-1, n), most).astype(np.int64).ravel()
        return chosen

    def _stretched(
        self, documents: IntArray, sample: IntArray, row: IntArray, slot: IntArray, origin: IntArray
    ) -> Batch:
        """Return the samples: the units of each row's slot, stretched to the extent."""
        slots = self._source.slots
        unit, unit_row = slots.units(slot)
        document = documents[sample[unit_row]]
        low, span = self._source.low[origin[unit_row]], self._source.span[origin[unit_row]]
        factor = np.divide(self._span[document], span, out=np.zeros(len(span)), where=span > 0)
        start, end = (self._low[document] + (bounds[unit] - low) * factor for bounds in (slots.start, slots.end))
        instance, annotator = sample[unit_row], row[unit_row]
        return Batch.build(self._n[documents], instance, annotator, start, end, slots.category[unit])[0]


class _Normal(NamedTuple):
    """Mean and standard deviation of something in each document, shape (n_documents,)."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, document: IntArray, values: FloatArray, number: IntArray) -> _Normal:
        """Return those of values in documents, of which there are so many; those that are not given are 0."""
        mean = np.bincount(document, weights=values, minlength=len(number)) / np.maximum(number, 1)
        square = np.bincount(document, weights=(values - mean[document]) ** 2, minlength=len(number))
        given = np.bincount(document, minlength=len(number))
        return cls(mean, np.sqrt((square + (number - given) * mean**2) / np.maximum(number, 1)))

    def at(self, document: IntArray, words: FloatArray) -> FloatArray:
        """Return a draw for each document, by a random number each."""
        from scipy.special import ndtri

        drawn: FloatArray = self.mean[document] + self.deviation[document] * ndtri(words + _HALF)
        return drawn


class StatisticalSampler(Sampler):
    """Random continua of units that are drawn from normal distributions."""

    def __init__(self, corpus: Corpus, *, seed: int, chance_from: Sequence[str] = ()) -> None:
        super().__init__(corpus, seed=seed)
        self.lowered = np.zeros(len(corpus), dtype=np.bool_)
        far = np.flatnonzero(np.abs(corpus.extents).max(axis=1, initial=0.0) > _FURTHEST_BOUND)
        if len(far):
            raise InputError(
                f"document {corpus.documents[far[0]]!r} has bounds beyond {_FURTHEST_BOUND:g}, and the squares of its "
                "lengths, which --sampler statistical needs, overflow; choose a coarser unit, or --sampler shift"
            )
        slots = Slots(corpus, chance_from)
        document, of_slot = slots.document, corpus.seen_document[slots.choices]
        counts = slots.counts(slots.choices)
        self._counts = _Normal.of(of_slot, counts.astype(np.float64), slots.n_choices)
        units = np.bincount(document, minlength=len(corpus))
        self._lengths = _Normal.of(document, slots.end - slots.start, units)
        self._has_length = self._lengths.mean + self._lengths.deviation > _SHORTEST  # others would be drawn for ever
        self._gaps = _Normal.of(*_gaps(slots))
        self._first, self._units, self._category = np.cumsum(units) - units, units, slots.category

    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch: the documents they are of, which must have units, and their numbers."""
        sample, row = self._rows(documents)
        document, number = documents[sample], numbers[sample]
        counts = np.abs(np.trunc(self._counts.at(document, self._words(document, row, number)[:, 0])))
        counts = np.maximum(counts, row == 0).astype(np.int64)
        of_row, unit = np.repeat(np.arange(len(row)), counts), ranges(0, counts)
        document, number = document[of_row], number[of_row]
        words = self._words(document, row[of_row], number, further=unit + 1)
        length = np.abs(self._lengths.at(document, words[:, 1]))
        short, attempt = np.flatnonzero((length < _SHORTEST) & self._has_length[document]), 1
        while len(short):
            again = self._words(document[short], row[of_row[short]], number[short], attempt, unit[short] + 1)
            length[short] = np.abs(self._lengths.at(document[short], again[:, 1]))
            short, attempt = short[length[short] < _SHORTEST], attempt + 1
        start, end = _one_after_the_other(of_row, unit, self._gaps.at(document, words[:, 0]), length, counts)
        category = self._category[self._first[document] + (words[:, 2] * self._units[document]).astype(np.int64)]
        return Batch.build(self._n[documents], sample[of_row], row[of_row], start, end, category)[0]


def _gaps(slots: Slots) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the document and size of each gap but the 0 that is among them, and how many each document has with it."""
    first = slots.offsets[slots.choices]
    first = first[slots.counts(slots.choices) > 0]
    first = first[slots.start[first] > 0]
    inner = np.ones(len(slots.start), dtype=np.bool_)
    inner[slots.offsets[:-1][np.diff(slots.offsets) > 0]] = False
    next_ = np.flatnonzero(inner)
    document = np.concatenate([slots.document[next_], slots.document[first]])
    size = np.concatenate([slots.start[next_] - slots.end[next_ - 1], slots.start[first]])
    return document, size, 1 + np.bincount(document, minlength=len(slots.n_choices))


def _one_after_the_other(
    of_row: IntArray, unit: IntArray, gap: FloatArray, length: FloatArray, counts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return where units begin and end that follow each other in rows; each row is added up by itself, from 0."""
    steps = np.zeros((len(counts), int(counts.max(initial=0)), 2))
    steps[of_row, unit, 0], steps[of_row, unit, 1] = gap, length
    places = np.cumsum(steps.reshape(len(counts), -1), axis=1).reshape(steps.shape)[of_row, unit]
    return places[:, 0], places[:, 1]
