"""Samples of documents without one of their annotators, which serve γ without several annotators at once.

A sample of a document of n annotators without annotator j has n - 1 rows. Each has the units of one of the other
annotators, drawn uniformly with replacement, and their offsets keep a distance of D_j, the mean length of the others'
units (see `sampler`). Now draw n - 1 rows from all n annotators instead, at offsets that keep the least of the
distances D_j. Such a *candidate* that contains units, draws j in no row, and keeps D_j is distributed as a sample
without j: a uniform distribution, under a condition, is uniform. So one sequence of candidates is drawn for all
annotators, and sample s without j is the s-th candidate that serves j. Samples without j are independent of each
other, and i and j share all candidates that serve both.

A candidate serves (1 - 1/n)^(n - 1) · n annotators on average, if their distances are nearly the same: more than n/e.
So the samples without each of five annotators cost 2.4 times the samples without one; e times with many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, ranges
from gamma_align.data.batch import canonical
from gamma_align.data.corpus import Corpus
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.sampler import ShiftOptions, ShiftSampler, min_distances
from gamma_align.measures.gamma.shifted_samples import max_kernel_units

_MIN_ANNOTATORS = 4  # the others of three are a pair, whose γ is computed, or known from the pairs of annotators
# Probability that the offsets of a candidate keep the distance of an annotator. If distances differ more, as in short
# documents of few units, candidates would serve few annotators, and each annotator has samples of their own.
_MIN_SERVED = 0.5
# Candidates looked at for each sample that is missing: e of them have a sample, and more if distances differ.
_CANDIDATES_PER_SAMPLE, _MIN_CANDIDATES = 3, 8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dropped(Columns):
    """The annotator whom each document lacks, shape (n_documents,) each.

    `rank` is the canonical number of the annotator in the complete document; -1 if the document has samples of its
    own. `distance` is the minimum distance of the offsets of candidates.
    """

    rank: IntArray
    distance: FloatArray


class CompleteDocuments:
    """The documents of a corpus, and which of them have candidates for samples without each of their annotators."""

    def __init__(self, corpus: Corpus, settings: GammaSettings) -> None:
        self._corpus, self._rank = corpus, canonical(corpus)
        self._distance = _candidate_distances(corpus, self._rank, settings)

    def dropped(self, part: Corpus, complete: IntArray) -> Dropped:
        """Return the annotators whom the documents of a part of the corpus lack; `complete` are their indices here."""
        n_before, rank = self._corpus.n_annotators[complete], np.full(len(part), -1)
        lacking = np.flatnonzero((n_before == part.n_annotators + 1) & ~np.isnan(self._distance[complete]))
        index = {name: code for code, name in enumerate(self._corpus.annotators)}
        codes = np.array([index[name] for name in part.annotators], dtype=np.int64)
        sums = np.bincount(part.seen_document, codes[part.seen], len(part))[lacking]
        complete = complete[lacking]
        missing = np.bincount(self._corpus.seen_document, self._corpus.seen, len(self._corpus))[complete] - sums
        keys = self._corpus.seen_document * len(index) + self._corpus.seen
        rank[lacking] = self._rank[np.searchsorted(keys, complete * len(index) + missing.astype(np.int64))]
        distance = np.zeros(len(part))
        distance[lacking] = self._distance[complete]
        return Dropped(rank, distance)


def _candidate_distances(corpus: Corpus, rank: IntArray, settings: GammaSettings) -> FloatArray:
    """Return the minimum distance of the offsets of each document's candidates; NaN if it has none.

    `rank` is the canonical number of each annotator of each document.
    """
    n, units = corpus.n_annotators, corpus.units_per_document
    result = np.full(len(corpus), np.nan)
    if settings.sampler != "shift" or settings.chance_from:
        return result
    distances, integer, remaining = _without_each(corpus, rank, settings)
    is_there = np.arange(len(distances))[:, None] < n
    min_distance = np.where(is_there, distances, np.inf).min(axis=0, initial=np.inf)
    span = corpus.extents[:, 1] - corpus.extents[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        served = (span - (n - 1) * distances) / (span - (n - 1) * min_distance)
    served = np.where(distances == min_distance, 1.0, np.nan_to_num(served)) ** np.maximum(n - 2, 1)
    is_suitable = (n >= _MIN_ANNOTATORS) & (served >= _MIN_SERVED) & (integer == integer[:1])
    is_suitable &= remaining > max_kernel_units(n - 1)
    is_shared = (is_suitable | ~is_there).all(axis=0) & (n >= _MIN_ANNOTATORS) & (units > 0)
    result[is_shared] = min_distance[is_shared]
    return result


def _without_each(corpus: Corpus, rank: IntArray, settings: GammaSettings) -> tuple[FloatArray, BoolArray, IntArray]:
    """Return facts of each document without each annotator, shape (n_ranks, n_documents) each.

    They are the distance of offsets, whether offsets are integers, and the number of units.
    """
    n_ranks, n_documents = int(corpus.n_annotators.max(initial=0)), len(corpus)
    distances = np.zeros((n_ranks, n_documents))
    integer, counts = np.zeros(distances.shape, dtype=np.bool_), np.zeros(distances.shape, dtype=np.int64)
    # Sums of the lengths are added in the order of a sampler, so that its distances are the same to the last bit.
    order = np.argsort(corpus.seen_offsets[corpus.unit_document] + rank[corpus.unit_seen], kind="stable")
    document, unit_rank = corpus.unit_document[order], rank[corpus.unit_seen[order]]
    start, end = corpus.start[order], corpus.end[order]
    has_fraction = (start != np.floor(start)) | (end != np.floor(end))
    has_integer_ends = (corpus.extents == np.floor(corpus.extents)).all(axis=1)
    span, n_rows = corpus.extents[:, 1] - corpus.extents[:, 0], corpus.n_annotators - 1
    for dropped in range(n_ranks):
        is_kept = unit_rank != dropped
        counts[dropped] = np.bincount(document[is_kept], minlength=n_documents)
        lengths = np.bincount(document, np.where(is_kept, end - start, 0.0), n_documents)
        n_fractions = np.bincount(document[is_kept & has_fraction], minlength=n_documents)
        decided = settings.integer_offsets
        integer[dropped] = has_integer_ends & (n_fractions == 0) if decided is None else decided
        facts = lengths, counts[dropped], span, n_rows, integer[dropped]
        distances[dropped], _ = min_distances(settings.min_distance, *facts)
    return distances, integer, counts


class CandidateSampler(ShiftSampler):
    """Random continua of documents that lack an annotator: candidates, if the document has them, else its own samples.

    `options` are as in `ShiftSampler`.
    """

    def __init__(self, corpus: Corpus, dropped: Dropped, **options: Unpack[ShiftOptions]) -> None:
        super().__init__(corpus, **options)
        self._dropped = dropped
        # The candidates that are known to serve each document, sorted, and the number of candidates looked at.
        self._serving = np.zeros((2, 0), dtype=np.int64)
        self._n_seen = np.zeros(len(corpus), dtype=np.int64)

    def candidates(self, documents: IntArray, numbers: IntArray) -> IntArray:
        """Return the number of the candidate that is each sample; its own number if the document has no candidates."""
        shared = np.flatnonzero(self._dropped.rank[documents] >= 0)
        n_required = np.zeros(len(self._n_seen), dtype=np.int64)
        np.maximum.at(n_required, documents[shared], numbers[shared] + 1)
        while len(pending := np.flatnonzero(self._n_serving() < n_required)):
            n_missing = (n_required - self._n_serving())[pending]
            self._look_at_more(pending, _CANDIDATES_PER_SAMPLE * n_missing + _MIN_CANDIDATES)
        result = numbers.copy()
        first = np.cumsum(self._n_serving()) - self._n_serving()
        result[shared] = self._serving[1, first[documents[shared]] + numbers[shared]]
        return result

    def _n_serving(self) -> IntArray:
        return np.bincount(self._serving[0], minlength=len(self._n_seen))

    def _look_at_more(self, documents: IntArray, counts: IntArray) -> None:
        """Look at the next candidates of these documents, and add the ones that serve the annotators."""
        document, candidate = np.repeat(documents, counts), ranges(self._n_seen[documents], counts)
        self._n_seen[documents] += counts
        is_serving = self._is_serving(document, candidate)
        serving = np.concatenate([self._serving, [document[is_serving], candidate[is_serving]]], axis=1)
        self._serving = serving[:, np.lexsort(serving[::-1])]

    def _is_serving(self, document: IntArray, candidate: IntArray) -> BoolArray:
        """Return the candidates that have units, none of the dropped annotator, at the distance of the document."""
        instance, row = self._rows(document)
        slot, offset = self._drawn(document[instance], row, candidate[instance])
        units = np.bincount(instance, np.where(slot < 0, 0, self._slots.counts(np.maximum(slot, 0))), len(document))
        draws_dropped = np.bincount(instance[slot < 0], minlength=len(document)) > 0
        first = np.flatnonzero(row == 0)
        gap = np.append(offset[1:], 0.0) - offset  # to the next row, and around the circle from the last one
        last = first + self._n[document] - 1
        gap[last] = self._span[document] - (offset[last] - offset[first])
        # The difference of two rounded offsets may be below the distance that they were made of.
        has_distance = np.minimum.reduceat(gap, first) >= self._distance[document] if len(first) else draws_dropped
        has_distance |= self._dropped.distance[document] == self._distance[document]
        is_serving: BoolArray = (units > 0) & ~draws_dropped & has_distance
        return is_serving

    def _draw(self, document: IntArray, row: IntArray, number: IntArray, attempt: int) -> tuple[IntArray, FloatArray]:
        """Return the slot and the offset of rows of samples, all rows of a sample together."""
        has_candidates = self._dropped.rank[document] >= 0
        slot, offset = np.zeros(len(row), dtype=np.int64), np.zeros(len(row))
        unshared, shared = np.flatnonzero(~has_candidates), np.flatnonzero(has_candidates)
        slot[unshared], offset[unshared] = super()._draw(document[unshared], row[unshared], number[unshared], attempt)
        candidate = self.candidates(document[shared], number[shared])
        slot[shared], offset[shared] = self._drawn(document[shared], row[shared], candidate)
        return slot, offset

    def _drawn(self, document: IntArray, row: IntArray, candidate: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the slot and the offset of rows of candidates, all rows together; -1 for the dropped annotator."""
        random_numbers = self._random_numbers(document, row, candidate)
        rank, slots = self._dropped.rank[document], self._slots
        choice = (random_numbers[:, 0] * (slots.n_choices[document] + 1)).astype(np.int64)
        index = slots.first_choice[document] + np.where(choice == rank, 0, choice - (choice > rank))
        offset = self._offsets_of_rows(document, random_numbers, self._dropped.distance)
        return np.where(choice == rank, -1, slots.choices[index]), offset
