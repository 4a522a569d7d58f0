"""The shift sampler: random continua made of the data's own units (DEFINITIONS §4; M15 §5.2); and what samplers share.

Each row of a sample takes the units of an annotator drawn uniformly with replacement, shifted circularly along the
extent by a random offset; no unit is cut: one whose start passes R re-enters at L whole. The offsets of the n rows are
uniform over all sets of n that keep the distance asked for, around the circle too. A sample without any unit (only
annotators who marked nothing were drawn) has no disorder and is drawn again.

On request only some annotators are drawn, those of a reference: then the mean length of units, which offsets keep
apart, is that of theirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, ranges
from gamma_align.data.batch import Batch, canonical
from gamma_align.data.corpus import Corpus
from gamma_align.data.philox import stream_keys, uniform
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma.gamma_options import MIN_DISTANCE

MIN_DISTANCES = {"mean": 1.0, "half": 0.5}
"""Least distance of two offsets, in mean lengths of the document's units."""


Draw = Callable[[IntArray, IntArray, IntArray, int], tuple[IntArray, FloatArray]]
"""What draws the slot of rows, and another number of each, from document, row, sample number and attempt."""


class Sampler(ABC):
    """Random continua of the documents of a corpus.

    Sample s of document d is a function of (seed, name of d, s) and of the data, and of nothing else: neither of what
    else is drawn, nor when. `lowered` marks the documents whose samples are not quite as they were asked for.
    """

    lowered: BoolArray

    def __init__(self, corpus: Corpus, *, seed: int) -> None:
        if seed < 0:
            raise SettingsError(f"the seed must be 0 or more, not {seed}")
        self._n = corpus.n_annotators
        self._low = corpus.extents[:, 0]
        self._span = corpus.extents[:, 1] - corpus.extents[:, 0]
        self._seed, self._names = seed, corpus.documents
        self._keys, self._keyed = np.zeros((len(corpus), 2), dtype=np.uint64), np.zeros(len(corpus), dtype=np.bool_)

    @abstractmethod
    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch: the documents they are of, which must have units, and their numbers."""

    def _rows(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        """Return sample and number of each row of samples of these documents."""
        n_rows = self._n[documents]
        return np.repeat(np.arange(len(documents)), n_rows), ranges(0, n_rows)

    def _rows_with_units(
        self, slots: Slots, documents: IntArray, numbers: IntArray, draw: Draw
    ) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """Return sample, number, slot and what else is drawn of each row, drawn again where a sample has no unit."""
        sample, row = self._rows(documents)
        slot, other = np.zeros(len(sample), dtype=np.int64), np.zeros(len(sample))
        open_, attempt = np.arange(len(sample)), 0
        while len(open_):
            slot[open_], other[open_] = draw(documents[sample[open_]], row[open_], numbers[sample[open_]], attempt)
            units = np.bincount(sample, weights=slots.counts(slot), minlength=len(documents))
            open_ = np.flatnonzero(units[sample] == 0)
            attempt += 1
        return sample, row, slot, other

    def _words(
        self, document: IntArray, row: IntArray, number: IntArray, attempt: int = 0, further: IntArray | int = 0
    ) -> FloatArray:
        """Return four random numbers for each row of a sample, or for what is `further` in it, shape (n_rows, 4)."""
        self._make_keys(document)
        counter = np.zeros((len(row), 4), dtype=np.uint64)
        counter[:, 0], counter[:, 1], counter[:, 2], counter[:, 3] = row, number, attempt, further
        return uniform(self._keys[document], counter)

    def _make_keys(self, documents: IntArray) -> None:
        """Make the keys of the documents' streams that are not made yet: of a large corpus, few at a time are used."""
        wanted = np.zeros_like(self._keyed)
        wanted[documents] = True
        new = np.flatnonzero(wanted & ~self._keyed)
        self._keys[new] = stream_keys(self._seed, [self._names[index] for index in new.tolist()])
        self._keyed[new] = True


class Slots:
    """The units of the annotators who may be drawn, sorted by slot: one annotator of one document, in canonical order.

    `choices` are the slots that may be drawn, from `first_choice` on `n_choices` of each document; the units of slot s
    are those from `offsets[s]` to `offsets[s + 1]` of `document`, `start`, `end` and `category`.
    """

    def __init__(self, corpus: Corpus, chance_from: Sequence[str]) -> None:
        drawn = drawn_annotators(corpus, chance_from)
        slot_of = corpus.seen_offsets[corpus.seen_document] + canonical(corpus)
        slot = slot_of[corpus.unit_seen]
        order = np.argsort(slot, kind="stable")
        order = order[drawn[corpus.unit_seen[order]]]
        self.choices = np.sort(slot_of[drawn])
        self.n_choices = np.bincount(corpus.seen_document[drawn], minlength=len(corpus))
        self.first_choice = np.cumsum(self.n_choices) - self.n_choices
        self.offsets = np.searchsorted(slot[order], np.arange(len(corpus.seen) + 1))
        self.document = corpus.unit_document[order]
        self.start, self.end = corpus.start[order], corpus.end[order]
        self.category = corpus.category[order]

    def of(self, document: IntArray, words: FloatArray) -> IntArray:
        """Return a slot of each document, by a random number each."""
        choice = (words * self.n_choices[document]).astype(np.int64)
        slots: IntArray = self.choices[self.first_choice[document] + choice]
        return slots

    def units(self, slot: IntArray) -> tuple[IntArray, IntArray]:
        """Return the units of these slots, and the entry of `slot` that each is of."""
        counts = self.counts(slot)
        return ranges(self.offsets[slot], counts), np.repeat(np.arange(len(slot)), counts)

    def counts(self, slot: IntArray) -> IntArray:
        """Return the number of units of each of these slots."""
        counts: IntArray = self.offsets[slot + 1] - self.offsets[slot]
        return counts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OffsetLaw(Columns):
    """How offsets of shifted samples are drawn, for each of some documents; shape (n_documents,) each.

    The extent begins at `low` and is `span` long. Offsets keep a `distance`; they are integers where `integer`.
    """

    n_rows: IntArray
    low: FloatArray
    span: FloatArray
    distance: FloatArray
    integer: BoolArray


class ShiftSampler(Sampler):
    """Random continua of units that are moved along their document.

    The options are those of `GammaSettings`. `lowered` marks the documents whose extent cannot hold n offsets at the
    least distance; there it is lowered to what fits. `chance_from` are the annotators to draw, all if there are none; a
    document without a unit of theirs has no samples.
    """

    def __init__(
        self,
        corpus: Corpus,
        *,
        seed: int,
        min_distance: str = "mean",
        integer_offsets: bool | None = None,
        chance_from: Sequence[str] = (),
    ) -> None:
        MIN_DISTANCE.check(min_distance)
        super().__init__(corpus, seed=seed)
        self._slots = Slots(corpus, chance_from)
        self._integer = _integral(corpus) if integer_offsets is None else np.full(len(corpus), integer_offsets)
        self._distance, self.lowered = self._distances(MIN_DISTANCES[min_distance])

    @property
    def slots(self) -> Slots:
        """The units of the annotators who may be drawn."""
        return self._slots

    def offset_law(self, documents: IntArray) -> OffsetLaw:
        """Return how the offsets of samples of these documents are drawn."""
        return OffsetLaw(self._n, self._low, self._span, self._distance, self._integer).take(documents)

    def _distances(self, share: float) -> tuple[FloatArray, BoolArray]:
        slots = self._slots
        units = np.bincount(slots.document, minlength=len(self._n))
        lengths = np.bincount(slots.document, weights=slots.end - slots.start, minlength=len(self._n))
        wanted = share * lengths / np.maximum(units, 1)
        wanted = np.where(self._integer, np.ceil(wanted), wanted)
        fits = self._span / np.maximum(self._n, 1)
        fits = np.where(self._integer, np.floor(fits), fits)
        return np.minimum(wanted, fits), wanted > fits

    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch: the documents they are of, which must have units, and their numbers."""
        return self._moved(documents, *self._rows_with_units(self._slots, documents, numbers, self._drawn))

    def _drawn(self, document: IntArray, row: IntArray, number: IntArray, attempt: int) -> tuple[IntArray, FloatArray]:
        """Return the slot and the offset of rows of samples, all rows of a sample together."""
        words = self._words(document, row, number, attempt)
        n_rows, offset = self._n[document], np.empty(len(row))
        for n in np.unique(n_rows).tolist():
            same = np.flatnonzero(n_rows == n)
            offset[same] = self._offsets(document[same[::n]], words[same].reshape(-1, n, 4)).ravel()
        return self._slots.of(document, words[:, 0]), offset

    def _offsets(self, document: IntArray, words: npt.NDArray[np.float64]) -> FloatArray:
        """Return offsets, shape (m, n), from random numbers, shape (m, n, 4): a rotation, then the gaps."""
        n = words.shape[1]
        span, distance, integer = (column[document][:, None] for column in (self._span, self._distance, self._integer))
        free = span - n * distance
        turn = words[:, :1, 2] * span
        real = np.sort(words[:, 1:, 1] * free, axis=1)
        whole = _stars_and_bars(words[:, 1:, 1], free[:, 0])
        beyond = np.where(integer, whole, real) + distance * np.arange(1, n)
        first = np.where(integer, np.floor(turn), turn)
        return np.concatenate([first, first + beyond], axis=1)

    def _moved(self, documents: IntArray, sample: IntArray, row: IntArray, slot: IntArray, offset: FloatArray) -> Batch:
        """Return the samples: the units of each row's slot, moved by its offset along the extent and around it."""
        unit, unit_row = self._slots.units(slot)
        document = documents[sample[unit_row]]
        low, span = self._low[document], self._span[document]
        start = self._slots.start[unit]
        with np.errstate(invalid="ignore"):  # a span of nothing leaves every unit where it is
            moved = low + np.mod(start - low + offset[unit_row], span)
        moved = np.where(span > 0, moved, start)
        end = moved + (self._slots.end[unit] - start)
        instance, annotator = sample[unit_row], row[unit_row]
        return Batch.build(self._n[documents], instance, annotator, moved, end, self._slots.category[unit])[0]


def drawn_annotators(corpus: Corpus, chance_from: Sequence[str]) -> BoolArray:
    """Return which annotators of each document may be drawn, shape (n_seen,)."""
    if not chance_from:
        return np.ones(len(corpus.seen), dtype=np.bool_)
    codes = [code for code, name in enumerate(corpus.annotators) if name in chance_from]
    return np.isin(corpus.seen, codes)


def _integral(corpus: Corpus) -> BoolArray:
    """Whether all boundaries of each document, and of its extent, are integers."""
    whole = (corpus.start == np.floor(corpus.start)) & (corpus.end == np.floor(corpus.end))
    broken = np.bincount(corpus.unit_document, weights=~whole, minlength=len(corpus)) > 0
    integral: BoolArray = ~broken & (corpus.extents == np.floor(corpus.extents)).all(axis=1)
    return integral


def _stars_and_bars(words: FloatArray, free: FloatArray) -> FloatArray:
    """Return k non-decreasing integers from 0 to `free`, uniform over all such lists, shape (m, k).

    k distinct numbers below free + k, sorted, less 0, 1, … k - 1.
    """
    return np.sort(distinct_numbers(words, free), axis=1) - np.arange(words.shape[1])


def distinct_numbers(words: FloatArray, free: FloatArray) -> FloatArray:
    """Return k distinct integers below free + k, uniform over all such sets, shape (m, k): Floyd's method."""
    chosen = np.full(words.shape, -1.0)
    for step in range(words.shape[1]):
        top = np.floor(free) + step
        drawn = np.floor(words[:, step] * (top + 1.0))
        taken = (chosen[:, :step] == drawn[:, None]).any(axis=1)
        chosen[:, step] = np.where(taken, top, drawn)
    return chosen
