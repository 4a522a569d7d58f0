"""The shift sampler: random continua made of the data's own units (DEFINITIONS §4; M15 §5.2); and the base of samplers.

Each row of a sample has the units of an annotator drawn uniformly with replacement, shifted circularly along the extent
by a random offset. No unit is cut: a unit whose start passes R re-enters at L in one piece. The offsets of the n rows
are uniform over all sets of n that keep the minimum distance, around the circle too. At a minimum distance of 0 they
are independent: two rows may have the same integer offset. A sample without any unit (only annotators without units
were drawn) has no disorder and is drawn again.

If only annotators of a reference are to be drawn, the minimum distance is computed from the mean length of their units.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.chance.chance_options import MIN_DISTANCE
from gamma_align.chance.label_distances import LabelTables
from gamma_align.columns import UNLABELLED, BoolArray, Columns, FloatArray, IntArray, WordArray, ranges
from gamma_align.data import Batch, Corpus, canonical, stream_keys, uniform
from gamma_align.distances import Dissimilarity
from gamma_align.errors import SettingsError

MIN_DISTANCES = {"mean": 1.0, "half": 0.5}
"""Minimum distance of two offsets, in mean lengths of the document's units."""
_MAX_COST_GROWTH = 100.0  # of a sample by annotators: beyond it, work is bounded by the limits of the alignment


Draw = Callable[[IntArray, IntArray, IntArray, int], tuple[IntArray, FloatArray]]
"""Function that draws a slot and a further number for each row, given document, row, sample number and attempt."""


class Sampler(ABC):
    """Random continua of the documents of a corpus.

    Sample s of document d depends only on (seed, name of d, s) and on the data: neither on other samples nor on the
    order in which they are drawn. `is_distance_lowered` marks the documents whose offsets cannot keep the requested
    minimum distance.
    """

    is_distance_lowered: BoolArray

    def __init__(self, corpus: Corpus, *, seed: int) -> None:
        if seed < 0:
            raise SettingsError(f"the seed must be 0 or more, not {seed}")
        self._n = corpus.n_annotators
        self._low = corpus.extents[:, 0]
        self._span = corpus.extents[:, 1] - corpus.extents[:, 0]
        self._seed = seed
        self._names = corpus.documents
        self._keys = np.zeros((len(corpus), 2), dtype=np.uint64)
        self._has_key = np.zeros(len(corpus), dtype=np.bool_)

    @abstractmethod
    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch, given the document (with units) and number of each."""

    def _rows(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        """Return the index of the sample of each row, and the index of the row within its sample."""
        n_rows = self._n[documents]
        return np.arange(len(documents)).repeat(n_rows), ranges(0, n_rows)

    def _rows_with_units(
        self, slots: Slots, documents: IntArray, numbers: IntArray, draw: Draw
    ) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """Return the sample, the row, the slot and the further number drawn for each row, shape (n_rows,) each.

        `draw` returns slot and number. All rows of a sample are drawn again until one of them has a unit.
        """
        sample, row = self._rows(documents)
        slot = np.zeros(len(sample), dtype=np.int64)
        drawn = np.zeros(len(sample))
        pending = np.arange(len(sample))
        attempt = 0
        while len(pending):
            document = documents[sample[pending]]
            number = numbers[sample[pending]]
            slot[pending], drawn[pending] = draw(document, row[pending], number, attempt)
            units = np.bincount(sample, weights=slots.counts(slot), minlength=len(documents))
            pending = (units[sample] == 0).nonzero()[0]
            attempt += 1
        return sample, row, slot, drawn

    def _random_numbers(
        self, document: IntArray, row: IntArray, number: IntArray, attempt: int = 0, index: IntArray | int = 0
    ) -> FloatArray:
        """Return four random numbers for each row of a sample, or for each index within a row, shape (n_rows, 4)."""
        self._make_keys(document)
        counter = np.zeros((len(row), 4), dtype=np.uint64)
        counter[:, 0] = row
        counter[:, 1] = number
        counter[:, 2] = attempt
        counter[:, 3] = index
        return uniform(self._keys[document], counter)

    def keys(self, documents: IntArray) -> WordArray:
        """Return the keys of the streams of all documents, shape (n_documents, 2); keys of other ones may be 0."""
        self._make_keys(documents)
        return self._keys

    def _make_keys(self, documents: IntArray) -> None:
        """Make the missing keys of the documents' streams: few documents of a large corpus are used at a time."""
        is_used = np.zeros(len(self._has_key), dtype=np.bool_)
        is_used[documents] = True
        missing = (is_used & ~self._has_key).nonzero()[0]
        if len(missing):
            self._keys[missing] = stream_keys(self._seed, [self._names[index] for index in missing.tolist()])
            self._has_key[missing] = True


class Slots:
    """The units that can be drawn, sorted by slot; a slot is one annotator of one document, in canonical order.

    `choices` are the slots that can be drawn; each document has `n_choices` of them, beginning at `first_choice`. The
    units of slot s have the rows from `offsets[s]` to `offsets[s + 1]` of `document`, `start`, `end` and `category`.
    """

    def __init__(self, corpus: Corpus, chance_from: Sequence[str]) -> None:
        is_drawn = can_be_drawn(corpus, chance_from)
        unit_seen = corpus.unit_seen
        seen_document = corpus.seen_document
        slot_of = corpus.seen_offsets[seen_document] + canonical(corpus)
        slot = slot_of[unit_seen]
        order = slot.argsort(kind="stable")
        order = order[is_drawn[unit_seen[order]]]
        self.choices = np.sort(slot_of[is_drawn])
        self.n_choices = np.bincount(seen_document[is_drawn], minlength=len(corpus))
        self.first_choice = self.n_choices.cumsum() - self.n_choices
        self.offsets = slot[order].searchsorted(np.arange(len(corpus.seen) + 1))
        self.document = corpus.unit_document[order]
        self.start = corpus.start[order]
        self.end = corpus.end[order]
        self.category = corpus.category[order]
        self._labels: tuple[Dissimilarity, tuple[str, ...], LabelTables] | None = None

    def labels(self, dissimilarity: Dissimilarity, categories: tuple[str, ...]) -> LabelTables:
        """Return the labels of each document's units, and the distances between them; the last ones are kept."""
        if self._labels is None or self._labels[0] is not dissimilarity or self._labels[1] != categories:
            bound = dissimilarity.bind(categories)
            tables = LabelTables.of(self.document, self.category, len(self.n_choices), bound)
            self._labels = dissimilarity, categories, tables
        return self._labels[2]

    def labels_of(
        self,
        document: IntArray,
        category: IntArray,
        n_documents: int,
        dissimilarity: Dissimilarity,
        categories: tuple[str, ...],
    ) -> LabelTables:
        """Return the labels of the units of some documents, in order, given the document and category of each unit.

        The documents are numbered from 0. If they are all documents, `labels` are kept already.
        """
        if n_documents == len(self.n_choices):
            return self.labels(dissimilarity, categories)
        return LabelTables.of(document, category, n_documents, dissimilarity.bind(categories))

    def choose(self, document: IntArray, random_numbers: FloatArray) -> IntArray:
        """Return a slot of each document, chosen by a random number each."""
        choice = (random_numbers * self.n_choices[document]).astype(np.int64)
        slots: IntArray = self.choices[self.first_choice[document] + choice]
        return slots

    def units(self, slot: IntArray) -> tuple[IntArray, IntArray]:
        """Return the units of these slots, and for each unit the index in `slot`."""
        counts = self.counts(slot)
        return ranges(self.offsets[slot], counts), np.arange(len(slot)).repeat(counts)

    def counts(self, slot: IntArray) -> IntArray:
        """Return the number of units of each of these slots."""
        counts: IntArray = self.offsets[slot + 1] - self.offsets[slot]
        return counts


class MovedUnits(NamedTuple):
    """The units of documents, the laws of their offsets and their labels: see kernels/src/shifted.hpp."""

    law: FloatArray
    kind: IntArray
    choices: IntArray
    slot_offsets: IntArray
    start: FloatArray
    end: FloatArray
    label: IntArray
    categorial: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OffsetLaw(Columns):
    """The distribution of the offsets of shifted samples, shape (n_documents,) each.

    The extent begins at `low` and has length `span`. Offsets keep a minimum `distance`; with `integer` they are whole.
    """

    n_rows: IntArray
    low: FloatArray
    span: FloatArray
    distance: FloatArray
    integer: BoolArray

    @property
    def can_coincide(self) -> BoolArray:
        """Whether two rows may have the same offset: integers without a minimum distance, which are independent."""
        result: BoolArray = self.integer & (self.distance == 0.0)
        return result


class ShiftSampler(Sampler):
    """Random continua of units that are moved along their document.

    The options are as in `ChanceSettings`. If the extent of a document cannot hold n offsets at the minimum distance,
    the distance is lowered to the largest that fits. `chance_from` are the annotators to draw, by default all; a
    document in which they have no unit has no samples.
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
        self._moved_units: tuple[LabelTables, MovedUnits] | None = None
        self._integer = has_integer_bounds(corpus) if integer_offsets is None else np.full(len(corpus), integer_offsets)
        self._distance, self.is_distance_lowered = self._distances(min_distance)

    @property
    def slots(self) -> Slots:
        """The units that can be drawn."""
        return self._slots

    def offset_law(self, documents: IntArray) -> OffsetLaw:
        """Return the distribution of the offsets of samples of these documents."""
        return OffsetLaw(self._n, self._low, self._span, self._distance, self._integer).take(documents)

    def moved_units(self, labels: LabelTables) -> MovedUnits:
        """Return the units of all documents as `kernels.align_shifted` takes them; the last ones are kept."""
        if self._moved_units is None or self._moved_units[0] is not labels:
            slots = self._slots
            n_documents = len(self._n)
            has_unlabelled = np.zeros(n_documents, dtype=np.int64)
            has_unlabelled[slots.document[slots.category == UNLABELLED]] = 1
            law = np.array([self._low, self._span, self._distance])
            kind = (self._n, self._integer, slots.first_choice, slots.n_choices, labels.n_labels, labels.table)
            units = MovedUnits(
                law=law.T.ravel(),
                kind=np.array([*kind, has_unlabelled], dtype=np.int64).T.ravel(),
                choices=np.ascontiguousarray(slots.choices),
                slot_offsets=np.ascontiguousarray(slots.offsets),
                start=np.ascontiguousarray(slots.start),
                end=np.ascontiguousarray(slots.end),
                label=np.ascontiguousarray(labels.label),
                categorial=labels.distance,
            )
            self._moved_units = labels, units
        return self._moved_units[1]

    def _distances(self, min_distance: str) -> tuple[FloatArray, BoolArray]:
        """Return the minimum distance of offsets, and whether it had to be lowered."""
        slots = self._slots
        units = np.bincount(slots.document, minlength=len(self._n))
        lengths = np.bincount(slots.document, weights=slots.end - slots.start, minlength=len(self._n))
        requested = MIN_DISTANCES[min_distance] * lengths / np.maximum(units, 1)
        requested = np.where(self._integer, np.ceil(requested), requested)
        max_distance = self._span / np.maximum(self._n, 1)
        max_distance = np.where(self._integer, np.floor(max_distance), max_distance)
        return np.minimum(requested, max_distance), requested > max_distance

    def sample(self, documents: IntArray, numbers: IntArray) -> Batch:
        """Return random samples as a batch, given the document (with units) and number of each."""
        rows = self._rows_with_units(self._slots, documents, numbers, self._draw)
        return self.moved(documents[rows[0]], self._n[documents], *rows)

    def point_numbers(
        self, document: IntArray, row: IntArray, number: IntArray, stream: int, block: int = 0
    ) -> FloatArray:
        """Return four random numbers for each row of a point, of a stream that no sample uses, shape (n_rows, 4)."""
        return self._random_numbers(document, row, number, attempt=stream, index=block)

    def _draw(self, document: IntArray, row: IntArray, number: IntArray, attempt: int) -> tuple[IntArray, FloatArray]:
        """Return the slot and the offset of rows of samples, all rows of a sample together."""
        random_numbers = self._random_numbers(document, row, number, attempt)
        n_rows = self._n[document]
        offset = np.empty(len(document))
        for n in np.unique(n_rows).tolist():
            same = (n_rows == n).nonzero()[0]
            instances = document[same[::n]]
            numbers = random_numbers[same].reshape(-1, n, 4)
            offset[same] = self._offsets(instances, numbers).ravel()
        return self._slots.choose(document, random_numbers[:, 0]), offset

    def _offsets(self, document: IntArray, random_numbers: npt.NDArray[np.float64]) -> FloatArray:
        """Return offsets, shape (m, n), from random numbers, shape (m, n, 4): a rotation, then the gaps."""
        n = random_numbers.shape[1]
        span = self._span[document][:, None]
        integer = self._integer[document][:, None]
        distance = self._distance[document][:, None]
        free = span - n * distance
        rotation = random_numbers[:, :1, 2] * span
        real_gaps = np.sort(random_numbers[:, 1:, 1] * free, axis=1)
        distinct_gaps = _stars_and_bars(random_numbers[:, 1:, 1], free[:, 0])
        integer_gaps = np.where(distance > 0, distinct_gaps, np.floor(real_gaps))
        gaps = np.where(integer, integer_gaps, real_gaps) + distance * np.arange(1, n)
        first = np.where(integer, np.floor(rotation), rotation)
        return np.concatenate([first, first + gaps], axis=1)

    def moved(
        self,
        document: IntArray,
        n_annotators: IntArray,
        instance: IntArray,
        row: IntArray,
        slot: IntArray,
        offset: FloatArray,
    ) -> Batch:
        """Return instances of units that are moved along the circular extent of their document.

        `n_annotators` is given for each instance; the other arguments for each row: its document, its instance, its
        index in the instance, the slot whose units it has, and their offset.
        """
        unit, unit_row = self._slots.units(slot)
        low = self._low[document[unit_row]]
        span = self._span[document[unit_row]]
        start = self._slots.start[unit]
        with np.errstate(invalid="ignore"):  # in an extent of length 0, units keep their position
            moved = low + np.mod(start - low + offset[unit_row], span)
        moved = np.where(span > 0, moved, start)
        end = moved + (self._slots.end[unit] - start)
        return Batch.build(n_annotators, instance[unit_row], row[unit_row], moved, end, self._slots.category[unit])[0]


def can_be_drawn(corpus: Corpus, chance_from: Sequence[str]) -> BoolArray:
    """Return whether each annotator of each document can be drawn, shape (n_seen,)."""
    if not chance_from:
        return np.ones(len(corpus.seen), dtype=np.bool_)
    codes = [code for code, name in enumerate(corpus.annotators) if name in chance_from]
    return np.isin(corpus.seen, codes)


def coverage(corpus: Corpus) -> FloatArray:
    """Return the share of each document's extent that the units of one annotator cover, on average."""
    length = np.bincount(corpus.unit_document, weights=corpus.end - corpus.start, minlength=len(corpus))
    span = (corpus.extents[:, 1] - corpus.extents[:, 0]) * corpus.n_annotators
    return np.divide(length, span, out=np.ones(len(corpus)), where=span > 0)


def sample_costs(corpus: Corpus) -> FloatArray:
    """Return the approximate cost of aligning a sample of each document, shape (n_documents,).

    One unit of cost is one unit aligned with one other annotator: about a microsecond. In a random sample, a unit is
    near about 2 · coverage units of every other annotator or near none, so from the fourth annotator on, each
    multiplies the unitary alignments by that number. The cost divides work among workers and limits the samples for
    γcat; it changes the result of no sample.
    """
    n = corpus.n_annotators
    growth = np.minimum((1.0 + 2.0 * coverage(corpus)) ** np.maximum(n - 3.0, 0.0), _MAX_COST_GROWTH)
    costs: FloatArray = corpus.units_per_document * np.maximum(n - 1.0, 0.0) * growth
    return costs


def has_integer_bounds(corpus: Corpus) -> BoolArray:
    """Return whether all boundaries of each document, and of its extent, are integers."""
    is_integer = (corpus.start == np.floor(corpus.start)) & (corpus.end == np.floor(corpus.end))
    has_fraction = np.bincount(corpus.unit_document, weights=~is_integer, minlength=len(corpus)) > 0
    has_integers: BoolArray = ~has_fraction & (corpus.extents == np.floor(corpus.extents)).all(axis=1)
    return has_integers


def _stars_and_bars(random_numbers: FloatArray, free: FloatArray) -> FloatArray:
    """Return k non-decreasing integers from 0 to `free`, uniform over all such lists, shape (m, k)."""
    # k distinct integers below free + k, sorted, less 0, 1, … k - 1, are non-decreasing.
    return np.sort(distinct_integers(random_numbers, free), axis=1) - np.arange(random_numbers.shape[1])


def distinct_integers(random_numbers: FloatArray, free: FloatArray) -> FloatArray:
    """Return k distinct integers below free + k, uniform over all such sets, shape (m, k): Floyd's method."""
    integers = np.full(random_numbers.shape, -1.0)
    for step in range(random_numbers.shape[1]):
        top = np.floor(free) + step
        drawn = np.floor(random_numbers[:, step] * (top + 1.0))
        is_taken = (integers[:, :step] == drawn[:, None]).any(axis=1)
        integers[:, step] = np.where(is_taken, top, drawn)
    return integers
