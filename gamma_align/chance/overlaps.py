"""Overlaps by chance: the expected number of overlapping pairs of units in a shift sample, and their distances.

Two units *overlap* here if the pair would have a weight for γcat when aligned (`statistics.weighted_pairs`). By d_pos
of M15 §4.2, the pairing confidence 1 - f · d_pos/Δ is positive if |Δstart| + |Δend| < (sum of lengths)/√f: for f = 1,
if the units share more than a bound. A sample without overlaps has no categorial disorder.

In a shift sample every row has the units of an annotator drawn with replacement, so the two units of a pair may belong
to one annotator, or even be the same unit. The chance that two given units overlap in two given rows has a closed form
(`kernels.shift_overlaps`). With P of all ordered pairs (u, v) of units, n rows and c annotators to draw from, the
expected number of overlaps in a sample is

    K = n(n-1)/2 / c² · Σ P(u, v) / (1 - P(no unit)),

as a sample without any unit is drawn again. The mean and the variance of d_cat/Δ over overlaps have the weights P.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.chance.aligned_sums import MIN_CONFIDENCE, position_factor, sums_by_category
from gamma_align.chance.label_distances import LabelTables
from gamma_align.chance.sampler import OffsetLaw, ShiftSampler, Slots
from gamma_align.columns import UNLABELLED, BoolArray, FloatArray, IntArray, chunks, distinct, grouped_sums, ranges
from gamma_align.data import Batch, Corpus
from gamma_align.distances import Dissimilarity, PairDissimilarity
from gamma_align.kernels import shift_overlaps, sweep

if TYPE_CHECKING:
    from gamma_align.chance.chance_settings import ChanceSettings

# Work of a document in pairs of units, 150 ns each. The limit is 8 ms, about the time that 30 samples of 300 units of
# three annotators take to align. In larger documents the work grows with the square of the units, while fewer samples
# are enough for δ_e,cat.
_MAX_WORK = 50_000
_ROWS_TERM = 1 / 40  # a pair of units in n rows costs 1 + (n - 1)² / 40: measured with 2 to 20 rows
_CHUNK_PAIRS = 200_000  # of the documents that are computed together: bounds the memory

# Offsets with less freedom than this share of the span have fixed gaps: the freedom is a rounding error.
_MIN_FREE_SHARE = 1e-9


class OverlapMoments(NamedTuple):
    """Overlapping pairs of units of different rows of a sample, as expected by chance; shape (n,) each.

    `count` is their expected number K; `mean` and `variance` are of their categorial dissimilarity divided by Δ, NaN
    and 0 if the number is 0.
    """

    count: FloatArray  # type: ignore[assignment]  # tuple.count is not used
    mean: FloatArray
    variance: FloatArray


class ExpectedOverlaps(NamedTuple):
    """Moments of the requested documents, and of the categories of the units that their samples are made of.

    `documents` has an entry for each document. `categories` are over the pairs with at least one unit of a category,
    for every (`document_k`, `category_k`), sorted; `document_k` is an index into the requested documents. Units without
    a label belong to no category. Moments are NaN for documents that are not `computed`: documents with too many units,
    and the few kinds for which the moments would not be exact (see `expected_overlaps`).

    A number of 0 and a variance of 0 are certain: no sample can have an aligned pair with a weight, or all such pairs
    have the same dissimilarity. The reverse does not hold: of overlapping units, a sample aligns few or none if pairs
    further apart but of one category cost less.
    """

    documents: OverlapMoments
    document_k: IntArray
    category_k: IntArray
    categories: OverlapMoments
    computed: BoolArray


class OverlapSums(NamedTuple):
    """Overlapping pairs of units of different annotators, of each instance of a batch.

    `count` is their number and `distance` Σ d_cat/Δ over them, shape (n_instances,); fields named …_k are over the
    pairs with at least one unit of a category, for every (instance_k, category_k) that has such a pair, sorted.
    """

    count: FloatArray  # type: ignore[assignment]  # tuple.count is not used
    distance: FloatArray
    instance_k: IntArray
    category_k: IntArray
    count_k: FloatArray
    distance_k: FloatArray


def can_compute_overlaps(settings: ChanceSettings) -> bool:
    """Return whether `expected_overlaps` is exact for samples and pairing confidence of these settings."""
    if settings.sampler != "shift":
        return False
    if settings.confidence == "weighted":
        return settings.dissimilarity.alpha > 0  # 0 gives every aligned pair the same weight
    # Without pairing confidence a pair has a weight whenever it is aligned, which depends on the other units as well.
    return settings.confidence == "positional"


def expected_overlaps(
    corpus: Corpus, sampler: ShiftSampler, documents: IntArray, dissimilarity: Dissimilarity, confidence: str
) -> ExpectedOverlaps:
    """Return the exact moments of the overlaps in samples of these documents.

    Besides documents with too many units, documents are not computed if they have

    - integer offsets along an extent whose bounds are not integers,
    - real offsets with fixed gaps (they fill the extent) and units without length, which coincide or not by rounding,
    - weights of α and β so large that two overlapping units alone might not be aligned.
    """
    units = _DrawnUnits(sampler.slots, documents)
    law = sampler.offset_law(documents)
    bound = dissimilarity.bind(corpus.categories)
    is_computed = _is_exact(units, law, bound, confidence) & (_work(units, law) <= _MAX_WORK)
    scale = _pair_factor(units, law)
    sums = _PairSums(units, int(corpus.category.max(initial=0)) + 1)
    reach = math.sqrt((1.0 - MIN_CONFIDENCE) / position_factor(bound, confidence))
    documents_with_pairs = (is_computed & (scale > 0)).nonzero()[0]
    n_units = units.n_units[documents_with_pairs]
    for first, last in chunks(n_units * (n_units + 1.0) / 2.0, _CHUNK_PAIRS):
        _fill_overlaps(sums, units, law, documents_with_pairs[first:last], dissimilarity, corpus.categories, reach)
    document = np.concatenate([np.arange(len(documents)), sums.document_k])
    moments = _moments(sums.sums, scale[document], is_computed[document])
    return ExpectedOverlaps(
        documents=OverlapMoments(*(column[: len(documents)] for column in moments)),
        document_k=sums.document_k,
        category_k=sums.category_k,
        categories=OverlapMoments(*(column[len(documents) :] for column in moments)),
        computed=is_computed,
    )


class _DrawnUnits:
    """The units that samples are made of; document i has `n_units` rows, from `offsets[i]` to `offsets[i + 1]`.

    `annotators` is the number of annotators that can be drawn, and `without_units` the number of them without a unit.
    """

    def __init__(self, slots: Slots, documents: IntArray) -> None:
        self.slots = slots
        self.annotators = slots.n_choices[documents]
        slot = slots.choices[ranges(slots.first_choice[documents], self.annotators)]
        document = np.arange(len(documents)).repeat(self.annotators)
        unit, entry = slots.units(slot)
        self.document = document[entry]
        self.offsets = self.document.searchsorted(np.arange(len(documents) + 1))
        self.n_units = self.offsets[1:] - self.offsets[:-1]
        self.without_units = np.bincount(document[slots.counts(slot) == 0], minlength=len(documents))
        self.start = slots.start[unit]
        self.end = slots.end[unit]
        self.category = slots.category[unit]


def _work(units: _DrawnUnits, law: OffsetLaw) -> FloatArray:
    """Return the work that each document takes."""
    n_units = units.n_units.astype(np.float64)
    work: FloatArray = n_units * (n_units + 1.0) / 2.0 * (1.0 + _ROWS_TERM * np.square(law.n_rows - 1.0))
    return work


def _is_exact(units: _DrawnUnits, law: OffsetLaw, dissimilarity: PairDissimilarity, confidence: str) -> BoolArray:
    """Return the documents for which the moments are exact: see `expected_overlaps`."""
    fits_lattice = ~law.integer | ((law.low == np.floor(law.low)) & (law.span == np.floor(law.span)))
    has_points = np.bincount(units.document[units.start == units.end], minlength=len(law.span)) > 0
    has_fixed_gaps = ~law.integer & (law.span > 0) & (_free_length(law) == 0)
    # A unitary alignment of one pair lowers the cost if d is below Δ(1 + C(n, 2)); if the units overlap, d_pos is below
    # Δ/f.
    limit = 1.0 + law.n_rows * (law.n_rows - 1.0) / 2.0
    max_dissimilarity = dissimilarity.alpha / position_factor(dissimilarity, confidence) + dissimilarity.beta
    is_exact: BoolArray = fits_lattice & ~(has_fixed_gaps & has_points) & (max_dissimilarity <= limit)
    return is_exact


def _free_length(law: OffsetLaw) -> FloatArray:
    """Return the total length by which the gaps of offsets may vary; 0 if it is a rounding error."""
    free = law.span - law.n_rows * law.distance - law.can_coincide  # an offset is below the span
    return np.where(~law.integer & (free <= _MIN_FREE_SHARE * law.span), 0.0, free)


def _pair_factor(units: _DrawnUnits, law: OffsetLaw) -> FloatArray:
    """Return the number of pairs of rows per pair of drawn annotators, by which Σ P becomes a number of pairs.

    Shape (n_documents,); 0 for documents without units or with a single row.
    """
    drawn = np.maximum(units.annotators, 1)
    share = units.without_units / drawn
    all_empty = np.ones(len(share))
    for row in range(int(law.n_rows.max(initial=0))):  # np.power may round differently on another machine
        all_empty = np.where(row < law.n_rows, all_empty * share, all_empty)
    has_units = units.n_units > 0
    chance_of_units = np.where(has_units, 1.0 - all_empty, 1.0)
    factor = law.n_rows * (law.n_rows - 1.0) / 2.0 / (drawn * drawn) / chance_of_units
    return np.where(has_units, factor, 0.0)


class _PairSums:
    """Σ P, Σ P·d and Σ P·d² of documents, followed by the sums of their categories, shape (n, 3)."""

    def __init__(self, units: _DrawnUnits, width: int) -> None:
        labelled = units.category != UNLABELLED
        self._width = width
        self._keys = distinct(units.document[labelled] * width + units.category[labelled])
        self.document_k = self._keys // width
        self.category_k = self._keys % width
        self._n_documents = len(units.n_units)
        self.sums = np.zeros((self._n_documents + len(self._keys), 3))

    def fill(self, documents: IntArray, sums: FloatArray, labels: LabelTables, sums_k: FloatArray) -> None:
        """Write the sums of these documents and of their labels."""
        self.sums[documents] = sums
        labelled = labels.category != UNLABELLED
        document_k = documents.repeat(labels.n_labels)[labelled]
        entry = self._keys.searchsorted(document_k * self._width + labels.category[labelled])
        self.sums[self._n_documents + entry] = sums_k[labelled]


def _fill_overlaps(
    sums: _PairSums,
    units: _DrawnUnits,
    law: OffsetLaw,
    documents: IntArray,
    dissimilarity: Dissimilarity,
    categories: tuple[str, ...],
    reach: float,
) -> None:
    """Write the sums of these documents. All pairs of a document are added together, and thus always in one order."""
    begin = units.offsets[documents]
    counts = units.offsets[documents + 1] - begin
    unit = ranges(begin, counts)
    document = np.arange(len(documents)).repeat(counts)
    labels = units.slots.labels_of(document, units.category[unit], len(documents), dissimilarity, categories)
    part = law.take(documents)
    span = part.span[document]
    with np.errstate(invalid="ignore"):  # in an extent of length 0 all units have the same position
        position = np.where(span > 0, np.mod(units.start[unit] - part.low[document], span), 0.0)
    pair_sums, pair_sums_k = shift_overlaps(
        np.concatenate([[0], counts.cumsum()]),
        position,
        units.end[unit] - units.start[unit],
        np.ascontiguousarray(labels.label),
        np.where(part.can_coincide, 2, part.n_rows),  # then two rows are independent of the others
        part.span,
        part.distance,
        _free_length(part),
        part.integer.astype(np.int64),
        labels.n_labels,
        labels.distance,
        reach,
    )
    sums.fill(documents, pair_sums, labels, pair_sums_k)


@np.errstate(divide="ignore", invalid="ignore")
def _moments(sums: FloatArray, scale: FloatArray, is_computed: BoolArray) -> OverlapMoments:
    """Return the moments of Σ P, Σ P·d and Σ P·d², shape (n, 3); NaN for entries that are not computed.

    `scale`, shape (n,), is the factor of Σ P that gives the number of overlapping pairs.
    """
    chance, distance, square = sums.T
    mean = distance / chance
    variance = np.where(chance > 0, np.maximum(square / chance - mean * mean, 0.0), 0.0)
    count = scale * chance
    return OverlapMoments(*(np.where(is_computed, column, np.nan) for column in (count, mean, variance)))


def overlap_sums(batch: Batch, dissimilarity: PairDissimilarity, confidence: str = "positional") -> OverlapSums:
    """Return the overlaps of units of different annotators in each instance."""
    limit = (1.0 - MIN_CONFIDENCE) / position_factor(dissimilarity, confidence)
    first, second, _ = sweep(batch.offsets, batch.annotator, batch.start, batch.end, np.full(len(batch), limit))
    distance = dissimilarity.categorial(batch.category[first], batch.category[second])
    category_sums = sums_by_category(batch, first, second, np.ones(len(first)), distance)
    instance = batch.instance[first]
    return OverlapSums(
        count=np.bincount(instance, minlength=len(batch)).astype(np.float64),
        distance=grouped_sums(instance, distance, len(batch)),
        instance_k=category_sums.instance,
        category_k=category_sums.category,
        count_k=category_sums.weight,
        distance_k=category_sums.distance,
    )
