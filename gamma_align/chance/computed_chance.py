"""The expected disorder of two annotators, computed instead of sampled.

A shift sample of two annotators has two rows, at t and t + r on the circle. Units move whole, so its disorder depends
on t only through the gap between two successive starts in which the extent begins, the *seam*. So the mean over t is a
finite sum (`kernels.turn_averages`), and the expected disorder is a sum over r:

* If offsets are integers and the limit of work pays for the sum, every r is added: the value is **exact**.
* Otherwise r runs over the midpoints of a **lattice** on the offsets at which units can meet, three times as many each
  time, until the numerical error is small enough for the precision that is asked, or the limit is reached. The
  midpoints of a third of each cell include the points of the cell, so no point is computed twice. The error comes
  from the difference between three thirds of the points.
* If the limit does not even pay for a lattice of `_MIN_AFFORDABLE_POINTS`, the document is **sampled**: the samples of
  so many units vary little.

Each row has an annotator drawn with replacement: both rows have the same one, or one each. Exchanging the rows turns r
into span - r and changes nothing else, so half of the offsets suffice if both rows have the same annotator. Samples
without any unit are drawn again, so their share is divided among the others.

The limit of work of a document depends on nothing else, and a document has the same value alone and in a corpus. Only
if all documents together would take more than a second limit, and not each of them has to be precise, the limits of all
are divided by the same number (`work_divisor`), which the signature shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment import KERNELS, PARTITION
from gamma_align.chance.aligned_sums import position_factor
from gamma_align.chance.chance_settings import ChanceSettings
from gamma_align.chance.estimate import Estimate
from gamma_align.chance.label_distances import LabelTables
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.chance.sampler import OffsetLaw, ShiftSampler, coverage, has_integer_bounds
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, grouped_sums, is_among, ordered_sum, ranges
from gamma_align.data import Corpus
from gamma_align.distances import Dissimilarity

_N_ROWS = 2
# Of a document. The unit is one unit or near pair at one offset and seam: .001 to .004 µs in the bench, so that most
# documents take 40 ms at most. Ties of short units on few whole numbers take up to .02 µs. With it, texts of 2 × 50
# units of three tokens are exact, and those of 2 × 25 passages up to 2,500 characters.
MAX_WORK = 2.5e7
# Of all documents together: .2 to .5 seconds. The 884 recordings of `salami` then take a fifth more than as they did
# with the least lattice each.
_MAX_TOTAL_WORK = 2e8
_MAX_INTEGER_SPAN = 2.0**52  # beyond it, floating-point numbers skip integers
# In 884 recordings of music, 48 points are precise enough for a pooled value, and 144 for a document of its own.
_FIRST_POINTS = 48
_MIN_AFFORDABLE_POINTS = 144
_POINTS_GROWTH = 3
_MAX_REFINEMENTS = 3
_MAX_POINTS = _FIRST_POINTS * _POINTS_GROWTH**_MAX_REFINEMENTS
# Documents of so many units have a lattice however much their units overlap. If all of them do, it takes .15 s.
_MAX_UNITS_IN_ANY_CASE = 100
# If units cover less than this share of the extent, few pairs of units meet at a point, and three thirds may agree by
# accident: of 150 documents with integer bounds, 5 % had a δ_e,cat that was off by more than 2 %, up to 31 %. With at
# least this number of points 1 % were, up to 3 %. It takes less, too: fewer lattices are refined.
_MAX_SPARSE_COVERAGE = 0.25
_FIRST_SPARSE_POINTS = 432
# The lattice in three thirds: of three neighbouring points each third has one, the first and the last in turns. The
# middle ones are the lattice of a third as many points.
_FRACTIONS = (1 / 6, 1 / 2, 5 / 6)
_N_THIRDS = 3
_MIDDLE_THIRD = 1
# Errors of the thirds have either sign, and cancel in their mean, in finer lattices more of them. In 177 recordings of
# music and 100 made ones, these shares of the largest difference from the mean were an upper limit of its error in 94
# to 99 %, at 48 to 432 points; the second one is about lattices finer than the first.
_THIRDS_SHARES = 0.4, 0.3
_THIRDS_SHARE_OF_RATIOS = 1.0
# Numerical errors of δ_e and δ_e,cat that suffice, relative to the precision asked. With a tenth for δ_e, most
# documents of 50 units would take three times as many points.
_ERROR_SHARE = 0.3
_CATEGORIAL_ERROR_SHARE = 1.0
_ALL_OFFSETS = 0  # number of points of an exact sum


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComputedChances(Columns):
    """Expected disorders of documents that are computed, shape (n_documents,) each.

    Attributes
    ----------
    document : ndarray of int64
        Index of the document.
    points : ndarray of int64
        Number of points of the lattice; 0 if the sum is exact.
    disorder, disorder_error : ndarray of float64
        δ_e and its numerical error, 0 of an exact sum.
    categorial, categorial_error : ndarray of float64
        δ_e,cat, NaN if no sample has aligned units, and its numerical error.
    document_k, category_k : ndarray of int64, shape (n_present,)
        Row and category of the columns named …_k, sorted.
    categorial_k, error_k : ndarray of float64, shape (n_present,)
        δ_e,k, NaN if no sample has it, and its numerical error.
    """

    document: IntArray
    points: IntArray
    disorder: FloatArray
    disorder_error: FloatArray
    categorial: FloatArray
    categorial_error: FloatArray
    document_k: IntArray
    category_k: IntArray
    categorial_k: FloatArray
    error_k: FloatArray

    entry_fields = ("document_k", "category_k", "categorial_k", "error_k")

    def to_stored(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return all columns, to be stored; those named …_k have `counts_k` rows for each document."""
        columns = self.columns()
        return {"counts_k": np.bincount(columns.pop("document_k"), minlength=len(self)), **columns}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> ComputedChances:
        """Return the expected disorders from the columns that `to_stored` returned."""
        columns = dict(stored)
        document_k = np.arange(len(columns["document"])).repeat(columns.pop("counts_k"))
        return cls(**columns, document_k=document_k)

    def disorders(self) -> Estimate:
        """Return δ_e of these documents."""
        return Estimate.computed(self.disorder, self.disorder_error)

    def categorial_disorders(self) -> Estimate:
        """Return δ_e,cat of these documents."""
        return Estimate.computed(self.categorial, self.categorial_error)

    def disorders_of(self, document: IntArray, category: IntArray, missing: float) -> tuple[IntArray, Estimate]:
        """Return the indices of the entries that belong to these documents, and their δ_e,k.

        `document` and `category`, shape (n_entries,), identify the entries and are sorted; `document` is as in
        `self.document`. An annotator who is not drawn may have used a category alone: the disorder of such an entry is
        `missing`.
        """
        entries = is_among(document, self.document).nonzero()[0]
        width = int(max(category.max(initial=0), self.category_k.max(initial=0))) + 1
        keys = document[entries] * width + category[entries]
        computed_keys = self.document[self.document_k] * width
        computed_keys += self.category_k
        row = keys.searchsorted(computed_keys)
        expected = np.full(len(keys), missing)
        error = np.zeros(len(keys))
        expected[row] = self.categorial_k
        error[row] = self.error_k
        return entries, Estimate.computed(expected, error)


NO_CHANCES = ComputedChances.blank(0)  # made once: columns take a hundredth of a small corpus, even without rows


class ExpectedWork(NamedTuple):
    """The work that computing the chance of documents takes, shape (n_documents,); infinite if it is not possible.

    `exact` is the work of a sum over all offsets, and `point` of one point of a lattice. In documents that are
    `is_sparse`, units cover little of the extent.
    """

    exact: FloatArray
    point: FloatArray
    is_sparse: BoolArray

    @classmethod
    def estimate(cls, corpus: Corpus, settings: ChanceSettings, sampler: ShiftSampler | None = None) -> ExpectedWork:
        """Estimate the work from the units and extent of each document.

        `sampler` is the shift sampler of the corpus, if there is one already.
        """
        exact, point = np.full((2, len(corpus)), np.inf)
        is_sparse = coverage(corpus) <= _MAX_SPARSE_COVERAGE
        can_be_asked = (
            settings.sampler == "shift"
            and settings.rule.samples is None
            and settings.rule.control != "none"  # the plain mean of samples is asked for
            and settings.limits.solver == KERNELS
            and settings.alignment == PARTITION
            and type(settings.dissimilarity) is Dissimilarity
        )
        documents = (corpus.n_annotators == _N_ROWS).nonzero()[0] if can_be_asked else np.zeros(0, dtype=np.int64)
        if not len(documents):
            return cls(exact, point, is_sparse)
        sampler = shift_sampler(corpus, settings) if sampler is None else sampler
        law = sampler.offset_law(documents)
        slots = sampler.slots
        units = np.bincount(slots.document, minlength=len(corpus))[documents].astype(np.float64)
        lengths = np.bincount(slots.document, slots.end - slots.start, len(corpus))[documents]
        # Integer offsets of fractional bounds: then the seam is not where the gaps between starts tell.
        has_integers = law.integer if settings.integer_offsets is None else has_integer_bounds(corpus)[documents]
        is_countable = has_integers & (law.span <= _MAX_INTEGER_SPAN)
        is_possible = (units > 0) & (~law.integer | is_countable)
        is_listed, n_offsets = _offsets(law)
        work = _work_of_point(units, lengths, law.span, settings.dissimilarity.alpha)
        affordable = np.where(units <= _MAX_UNITS_IN_ANY_CASE, MAX_WORK // _MIN_AFFORDABLE_POINTS, np.inf)
        point_work = np.minimum(work, affordable)
        point[documents] = np.where(is_possible, point_work, np.inf)
        is_short = n_offsets <= _MIN_AFFORDABLE_POINTS  # a lattice would have as many points as there are offsets
        sums = n_offsets * np.where(is_short, point_work, work)
        exact[documents] = np.where(is_possible & is_listed, sums, np.inf)
        return cls(exact, point, is_sparse)

    @classmethod
    def join(cls, parts: Sequence[ExpectedWork]) -> ExpectedWork:
        """Return the work on all parts, one after the other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def take(self, documents: IntArray) -> ExpectedWork:
        """Return the work on these documents."""
        return ExpectedWork(self.exact[documents], self.point[documents], self.is_sparse[documents])

    def max_points(self, limit: float) -> IntArray:
        """Return the largest number of points that the limit of work pays for; 0 if it pays for no lattice."""
        min_points = np.where(self.is_sparse, _MIN_AFFORDABLE_POINTS, _FIRST_POINTS)
        is_affordable = (min_points * self.point <= limit) & (_MIN_AFFORDABLE_POINTS * self.point <= MAX_WORK)
        points = np.where(is_affordable, min_points, 0)
        point = np.where(is_affordable, self.point, 0.0)
        for _ in range(_MAX_REFINEMENTS):
            finer = _POINTS_GROWTH * points
            points = np.where((finer <= _MAX_POINTS) & (finer * point <= limit), finer, points)
        return points

    def is_computed(self, limit: float) -> BoolArray:
        """Return the documents whose expected disorder is computed within the limit of work of each."""
        return (self.exact <= limit) | (self.max_points(limit) > 0)

    def total(self, limit: float) -> float:
        """Return the most work that all documents together may take within the limit of each."""
        points = self.max_points(limit)
        lattice = np.where(points > 0, self.point, 0.0) * points
        return ordered_sum(np.where(self.exact <= limit, self.exact, lattice))


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def _work_of_point(units: FloatArray, lengths: FloatArray, span: FloatArray, alpha: float) -> FloatArray:
    """Return the approximate work of one offset of documents with this number of units and sum of their lengths."""
    # Two units can be aligned at offsets within √(2/α) · (sum of their lengths), and at one if they have no length.
    reach = np.fmax(np.sqrt(np.divide(2.0, alpha)) * 2.0 * lengths, units)
    n_near = units * np.minimum(reach / span, units)
    n_near = np.where((span > 0) & (alpha > 0), n_near, units**2)
    # There are as many seams as units, and a component of near units is aligned at most of its own.
    work: FloatArray = units * (np.minimum(n_near, 1.0) * units + n_near)
    return work


def work_divisor(works: ExpectedWork, share: float = 1.0) -> int:
    """Return the power of two that the limit of each document is divided by, because all take too much together.

    `share` is that of the second limit which these documents may take.
    """
    divisor = 1
    while works.total(MAX_WORK / divisor) > share * _MAX_TOTAL_WORK:
        divisor *= 2
    return divisor


def needs_no_divisor(n_documents: int, share: float = 1.0) -> bool:
    """Return whether so few documents cannot take too much together."""
    return n_documents * MAX_WORK <= share * _MAX_TOTAL_WORK


def _offsets(law: OffsetLaw) -> tuple[BoolArray, FloatArray]:
    """Return whether the offsets can be listed, and their number or, if they cannot, the length of their range."""
    free = law.span - _N_ROWS * law.distance
    is_listed = law.integer | (free == 0.0)  # real offsets: then one is possible
    n_integers = np.where(law.can_coincide, np.maximum(law.span, 1.0), free + 1.0)  # 0 and the span are the same offset
    return is_listed, np.where(is_listed, n_integers, free)


class _Units(NamedTuple):
    """Units of documents, as the kernel takes them.

    The units of slot s of the sampler are the rows offsets[s] … offsets[s + 1] - 1 of `start`, `length` and `label`.
    `label` is an index into the labels of the unit's document, see `labels`.
    """

    offsets: IntArray
    start: FloatArray
    length: FloatArray
    label: IntArray
    labels: LabelTables

    @classmethod
    def of(
        cls,
        sampler: ShiftSampler,
        documents: IntArray,
        law: OffsetLaw,
        dissimilarity: Dissimilarity,
        categories: tuple[str, ...],
    ) -> _Units:
        """Return the units of these documents, sorted by start within each slot."""
        slots = sampler.slots
        index = np.full(int(documents.max()) + 1, -1)
        index[documents] = np.arange(len(documents))
        rows = (slots.document <= documents.max()).nonzero()[0]
        rows = rows[index[slots.document[rows]] >= 0]
        document = index[slots.document[rows]]
        slot = slots.offsets.searchsorted(rows, side="right") - 1
        labels = slots.labels_of(document, slots.category[rows], len(documents), dissimilarity, categories)
        # In an extent of length 0 all units are one point.
        span = np.where(law.span > 0, law.span, 1.0)[document]
        start = np.mod(slots.start[rows] - law.low[document], span)
        length = slots.end[rows] - slots.start[rows]
        order = np.lexsort((labels.label, length, start, slot))
        offsets = slot[order].searchsorted(np.arange(len(slots.offsets)))
        label = np.ascontiguousarray(labels.label[order])
        return cls(offsets, np.ascontiguousarray(start[order]), np.ascontiguousarray(length[order]), label, labels)


class _Pairings(NamedTuple):
    """The slots that the two rows of a sample can have, with their probability; shape (n_pairings,) each.

    `document` is an index into the documents of the computation; `first` and `second` are slots of the sampler. The
    weights of a document add up to 1.
    """

    document: IntArray
    first: IntArray
    second: IntArray
    weight: FloatArray

    @classmethod
    def of(cls, sampler: ShiftSampler, documents: IntArray) -> _Pairings:
        """Return the pairings of documents in which some annotator has units."""
        slots = sampler.slots
        n_choices = slots.n_choices[documents]
        first = slots.first_choice[documents]
        index = np.arange(len(documents))
        two = (n_choices == _N_ROWS).nonzero()[0]
        document = np.concatenate([index, two, two])
        first_slot = slots.choices[np.concatenate([first, first[two], first[two] + 1])]
        second_slot = slots.choices[np.concatenate([first, first[two] + 1, first[two] + 1])]
        weight = np.concatenate([np.ones(len(index)), np.full(len(two), 2.0), np.ones(len(two))])
        weight[slots.counts(first_slot) + slots.counts(second_slot) == 0] = 0.0  # drawn again
        used = weight.nonzero()[0]
        used = used[document[used].argsort(kind="stable")]
        total = grouped_sums(document[used], weight[used], len(documents))
        return cls(document[used], first_slot[used], second_slot[used], weight[used] / total[document[used]])


class _Computation:
    """The expected disorders of documents of a corpus, with more and more points.

    `disorder` and `categorial` are δ_e and δ_e,cat, each with its numerical error, by the points so far.
    """

    disorder: tuple[FloatArray, FloatArray]
    categorial: tuple[FloatArray, FloatArray]

    def __init__(
        self,
        sampler: ShiftSampler,
        categories: tuple[str, ...],
        settings: ChanceSettings,
        documents: IntArray,
    ) -> None:
        self._settings = settings
        self._dissimilarity = settings.dissimilarity.bind(categories)
        self.sampler = sampler
        self.law = self.sampler.offset_law(documents)
        self._units = _Units.of(self.sampler, documents, self.law, settings.dissimilarity, categories)
        self._pairings = _Pairings.of(self.sampler, documents)
        self._label_document = np.arange(len(documents)).repeat(self._units.labels.n_labels)
        n = len(documents)
        n_labels = len(self._units.labels.category)
        self._points = np.zeros(n, dtype=np.int64)
        # Columns: a row for each of `_FRACTIONS`; an exact sum has three equal ones.
        self._columns = np.zeros((3, len(_FRACTIONS), n))
        self._columns_k = np.zeros((2, len(_FRACTIONS), n_labels))
        self._disorder, self._categorial, self._chance = self._columns
        self._categorial_k, self._chance_k = self._columns_k

    def compute(self, documents: IntArray, points: IntArray) -> None:
        """Compute the sums of these documents, with this number of points each."""
        pairings = self._pairings
        units = self._units
        is_new = self._points == 0
        self._points[documents] = points[documents]
        is_selected = np.zeros(len(self.law), dtype=np.bool_)
        is_selected[documents] = True
        pairing = is_selected[pairings.document].nonzero()[0]
        document = pairings.document[pairing]
        pairing, rule = self._rules(pairing, points[document] > _ALL_OFFSETS, is_new[document])
        if np.count_nonzero(self._columns):
            self._refine(is_selected)
        sums, sums_k = self._sums(pairing, np.array(_FRACTIONS)[rule], points)
        document = pairings.document[pairing]
        weight = pairings.weight[pairing]
        n_units = (self._counts(pairings.first) + self._counts(pairings.second))[pairing]
        factor = self._settings.dissimilarity.delta_empty * _N_ROWS / n_units  # Δ / x̄
        np.add.at(self._disorder, (rule, document), weight * factor * sums[:, 0])
        np.add.at(self._categorial, (rule, document), weight * sums[:, 1])
        np.add.at(self._chance, (rule, document), weight * sums[:, 2])
        n_labels = units.labels.n_labels[document]
        label = ranges(units.labels.first_label[document], n_labels)
        rule_k = rule.repeat(n_labels)
        weight_k = weight.repeat(n_labels)
        np.add.at(self._categorial_k, (rule_k, label), weight_k * sums_k[:, 0])
        np.add.at(self._chance_k, (rule_k, label), weight_k * sums_k[:, 1])
        is_exact_document = is_selected & (points == _ALL_OFFSETS)
        if np.count_nonzero(is_exact_document):
            is_exact_k = is_exact_document[self._label_document]
            for columns, is_exact in ((self._columns, is_exact_document), (self._columns_k, is_exact_k)):
                columns[:, 1:, is_exact] = columns[:, :1, is_exact]
        self.disorder = self._disorder_and_error()
        self.categorial = self._ratios(self._categorial, self._chance)

    @np.errstate(invalid="ignore")  # δ_e,cat may be missing
    def is_precise(self, precision: float) -> BoolArray:
        """Return the documents whose numerical errors are small enough for this precision."""
        disorder, error = self.disorder
        categorial, error_cat = self.categorial
        is_precise: BoolArray = error <= _ERROR_SHARE * precision * disorder
        return is_precise & ~(error_cat > _CATEGORIAL_ERROR_SHARE * precision * categorial)

    @staticmethod
    def _rules(pairing: IntArray, has_lattice: BoolArray, is_new: BoolArray) -> tuple[IntArray, IntArray]:
        """Return the sums to compute: an index into the pairings and one into `_FRACTIONS` for each.

        An exact sum is computed once. A lattice has three thirds, but the middle third of a finer lattice is known: it
        is the lattice before.
        """
        # The middle third of a finer lattice is the lattice before.
        parts = pairing, pairing[has_lattice & is_new], pairing[has_lattice]
        return np.concatenate(parts), np.arange(len(parts)).repeat([*map(len, parts)])

    def _refine(self, is_selected: BoolArray) -> None:
        """Make room for a finer lattice of the selected documents.

        The sums so far become the middle third, as they are of the same points; the first and the last third become 0.
        """
        is_label = is_selected[self._label_document]
        for columns, is_cleared in ((self._columns, is_selected), (self._columns_k, is_label)):
            columns[:, _MIDDLE_THIRD, is_cleared] = columns[:, :, is_cleared].sum(axis=1) / _N_THIRDS
            columns[:, :: _N_THIRDS - 1, is_cleared] = 0.0

    def _counts(self, slot: IntArray) -> IntArray:
        """Return the number of units of each slot."""
        counts: IntArray = self._units.offsets[slot + 1] - self._units.offsets[slot]
        return counts

    def _sums(self, pairing: IntArray, fraction: FloatArray, points: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of the kernel for the pairings of these indices, shape (n, 3), and by label.

        `fraction` is the position of points within the steps of the lattice, and `points` the number of points of each
        document.
        """
        units = self._units
        pairings = self._pairings
        law = self.law.take(self._pairings.document[pairing])
        document, first, second = (column[pairing] for column in pairings[:3])
        has_span = law.span > 0
        is_listed, n_offsets = _offsets(law)
        # The points of a third are divided in proportion to the probability of the pairing.
        share = np.ceil(_FIRST_POINTS / _N_THIRDS * pairings.weight[pairing]) * (points[document] // _FIRST_POINTS)
        bounds = (units.offsets[first], units.offsets[first + 1], units.offsets[second], units.offsets[second + 1])
        rows = np.array([*bounds, units.labels.n_labels[document], units.labels.table[document]])
        # Offsets from 0 on have no middle, about which they would be symmetric.
        is_symmetric = (first == second) & ~law.can_coincide
        kinds = np.array([is_listed, is_symmetric, share], dtype=np.int64)
        laws = np.array([np.where(has_span, law.span, 1.0), law.distance, n_offsets, fraction])
        dissimilarity = self._dissimilarity
        return kernels.turn_averages(
            rows.T.ravel(),
            kinds.T.ravel(),
            laws.T.ravel(),
            units.start,
            units.length,
            units.label,
            units.labels.distance,
            dissimilarity.alpha,
            dissimilarity.beta,
            position_factor(dissimilarity, self._settings.confidence),
        )

    def _disorder_and_error(self) -> tuple[FloatArray, FloatArray]:
        """Return δ_e and its numerical error."""
        value = self._disorder.sum(axis=0) / _N_THIRDS
        share = np.where(self._points > _FIRST_POINTS, _THIRDS_SHARES[1], _THIRDS_SHARES[0])
        return value, _numerical_error(self._disorder, value, share)

    def _ratios(self, total: FloatArray, chance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean over the samples that have the disorder, and its numerical error."""
        if self._settings.empty_samples == "one":
            total = total + (1.0 - chance)
            chance = np.ones_like(chance)
        with np.errstate(divide="ignore", invalid="ignore"):
            value: FloatArray = total.sum(axis=0) / chance.sum(axis=0)
            return value, _numerical_error(total / chance, value, _THIRDS_SHARE_OF_RATIOS)

    def result(self, document: IntArray, points: IntArray) -> ComputedChances:
        """Return the expected disorders; exact sums have no numerical error."""
        disorder, disorder_error = self.disorder
        categorial, error_cat = self.categorial
        categorial_k, error_k = self._ratios(self._categorial_k, self._chance_k)
        is_exact = points == _ALL_OFFSETS
        is_label = self._units.labels.category >= 0
        is_exact_k = is_exact[self._label_document]
        return ComputedChances(
            document=document,
            points=points,
            disorder=disorder,
            disorder_error=np.where(is_exact, 0.0, disorder_error),
            categorial=categorial,
            categorial_error=np.where(is_exact, 0.0, error_cat),
            document_k=self._label_document[is_label],
            category_k=self._units.labels.category[is_label],
            categorial_k=categorial_k[is_label],
            error_k=np.where(is_exact_k, 0.0, error_k)[is_label],
        )


def _numerical_error(thirds: FloatArray, value: FloatArray, share: FloatArray | float) -> FloatArray:
    """Return the numerical error of a mean of three thirds: `share` of the largest difference from the mean.

    A third without any sample that has the disorder could have any value between 0 and 1.
    """
    # A third without any sample that has the disorder could have any one, between 0 and 1.
    difference = np.where(np.isnan(thirds), np.maximum(value, np.abs(1.0 - value)), np.abs(thirds - value))
    error: FloatArray = share * difference.max(axis=0)
    return error


def compute_chances(
    corpus: Corpus,
    settings: ChanceSettings,
    in_corpus: IntArray,
    document: IntArray,
    *,
    work_limit: float = MAX_WORK,
    sampler: ShiftSampler | None = None,
) -> ComputedChances:
    """Compute the expected disorders of some documents, each within the limit of work.

    Every offset is summed if the limit allows it; otherwise points are added until the numerical error is small enough
    for the precision, or the limit is reached.

    Parameters
    ----------
    in_corpus : ndarray of int64, shape (n_documents,)
        The documents, as indices into `corpus`.
    document : ndarray of int64, shape (n_documents,)
        The numbers that these documents have in the result.
    sampler : ShiftSampler, optional
        The shift sampler of `corpus`, if it was made before.
    """
    sampler = shift_sampler(corpus, settings) if sampler is None else sampler
    computation = _Computation(sampler, corpus.categories, settings, in_corpus)
    works = ExpectedWork.estimate(corpus, settings, sampler).take(in_corpus)
    max_points = works.max_points(work_limit)
    first_points = np.minimum(np.where(works.is_sparse, _FIRST_SPARSE_POINTS, _FIRST_POINTS), max_points)
    points = np.where(works.exact <= work_limit, _ALL_OFFSETS, first_points)
    pending = np.arange(len(points))
    while len(pending):
        computation.compute(pending, points)
        is_imprecise = ~computation.is_precise(settings.rule.precision)
        pending = ((points > _ALL_OFFSETS) & (points < max_points) & is_imprecise).nonzero()[0]
        points[pending] *= _POINTS_GROWTH
    return computation.result(document, points)
