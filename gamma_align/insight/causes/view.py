"""The view of a corpus that detectors work on: its unitary alignments, and who has, lacks or alone has a unit where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gamma_align.alignment import aligned_pairs
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, distinct, ranges, stable_order
from gamma_align.data import Corpus
from gamma_align.insight.causes.label_cells import LabelCells
from gamma_align.insight.causes.others import NO_LABEL_IN_COMMON, extremes_of_others, most_frequent_of_others
from gamma_align.insight.causes.repair import Repair, Units, repaired_units, replaced_alignments
from gamma_align.insight.disagreements.absences import (
    OverlapCounter,
    Stretches,
    covered_documents,
    gapless_blocks,
)
from gamma_align.insight.disagreements.kinds import document_annotators
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments
from gamma_align.insight.disagreements.words import Words

PAIR = 2  # annotators; with more of them, the others can outvote one
NOISE_WIDTHS = 3.0  # standard deviations within which nearly all differences of the same bound are
_SIGMA = 1.4826  # standard deviation of a normal distribution, in median absolute deviations


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows(Columns):
    """One row for each unitary alignment and annotator of its document, sorted by alignment, then by annotator.

    `unit` is the unit of the annotator in it, -1 for none; `other_units` the number of units of other annotators in it,
    and `label` the label of most of the others. Without a unit, `is_overlapped` is whether a unit of the annotator
    overlaps the unitary alignment; with a unit, `is_alone` is whether no unit of another annotator overlaps the unit.
    Both count the units before all repairs, too: what a repair has moved away was there.
    """

    alignment: IntArray
    annotator: IntArray
    document: IntArray
    unit: IntArray
    other_units: IntArray
    is_overlapped: BoolArray
    label: IntArray
    is_alone: BoolArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Events(Columns):
    """Occasions on which an annotator may do something, and whether the annotator did it.

    Sorted by annotator, then by unitary alignment, and so by document and position.
    """

    annotator: IntArray
    document: IntArray
    alignment: IntArray
    hit: BoolArray

    def of_annotator(self, annotator: int) -> Events:
        """Return the events of an annotator."""
        first, last = np.searchsorted(self.annotator, [annotator, annotator + 1]).tolist()
        return self.take(slice(first, last))


class View:
    """A corpus with its unitary alignments; everything else is computed if it is used.

    Attributes
    ----------
    corpus : Corpus
    alignments : UnitaryAlignments
    origin : ndarray of int64, shape (n_units,)
        The unit of the original corpus that each unit is, or is a copy of.
    first : View
        The view of the original corpus.
    base : View
        The view whose counts sentences give: a later repair that makes units equal takes nothing from them.
    """

    def __init__(
        self, corpus: Corpus, alignments: UnitaryAlignments, origin: IntArray | None = None, first: View | None = None
    ) -> None:
        self.corpus = corpus
        self.alignments = alignments
        self.origin = np.arange(corpus.n_units) if origin is None else origin
        self.first = self if first is None else first
        self.base = self.first

    def forget(self) -> None:
        """Drop the tables that were computed, which take much memory; they are computed again if they are used."""
        kept = ("corpus", "alignments", "origin", "first", "base", "words", "is_alone")
        for name in [name for name in self.__dict__ if name not in kept]:
            del self.__dict__[name]

    def after_repair(self, repair: Repair, documents: IntArray, part: UnitaryAlignments) -> View:
        """Return the view of the corpus after a repair; `part` has the unitary alignments of the touched documents."""
        corpus, origin = repaired_units(self.corpus, self.origin, repair)
        alignments = replaced_alignments(self.alignments, part, documents, self.corpus, corpus)
        result = View(corpus, alignments, origin, self.first)
        result.base = self.base
        return result

    # sizes

    @cached_property
    def n_annotators(self) -> int:
        """Number of annotators, at least 1."""
        return max(len(self.corpus.annotators), 1)

    @property
    def is_pair(self) -> bool:
        """Whether there are two annotators, so that each differs from the other as often as the other from it."""
        return self.n_annotators == PAIR

    @property
    def has_three_annotators(self) -> bool:
        """Whether there are three annotators or more, so that the others can outvote one."""
        return self.n_annotators > PAIR

    @cached_property
    def unit_document(self) -> IntArray:
        """Document of each unit."""
        return self.corpus.unit_document

    @cached_property
    def document_size(self) -> IntArray:
        """Number of annotators of each document."""
        return self.corpus.n_annotators

    @cached_property
    def is_copy(self) -> BoolArray:
        """Whether each unit is a copy of another annotator's unit, by which a repair has filled a gap."""
        result: BoolArray = self.first.corpus.annotator[self.origin] != self.corpus.annotator
        return result

    @cached_property
    def units(self) -> Units:
        """All units as columns."""
        return Units.of_corpus(self.corpus, self.origin)

    @cached_property
    def disorder(self) -> float:
        """Disorder of all unitary alignments."""
        return float(self.alignments.disorder.sum())

    def disorder_of(self, documents: IntArray) -> float:
        """Return the disorder of all unitary alignments of some documents."""
        return float(self._disorder_by_document[documents].sum())

    @cached_property
    def _disorder_by_document(self) -> FloatArray:
        return np.bincount(self.alignments.document, self.alignments.disorder, len(self.corpus)).astype(np.float64)

    @cached_property
    def words(self) -> Words:
        """The words of unitary alignments."""
        return Words(self.corpus, self.alignments)

    @cached_property
    def has_texts(self) -> bool:
        """Whether the text of any document is known."""
        return any(text is not None for text in self.corpus.texts or ())

    def units_in(self, documents: IntArray) -> IntArray:
        """Return the units of documents."""
        first = self.corpus.unit_offsets[documents]
        return ranges(first, self.corpus.unit_offsets[documents + 1] - first)

    def annotators_in(self, documents: IntArray) -> IntArray:
        """Return the annotators who saw any of some documents, sorted."""
        corpus = self.corpus
        return distinct(corpus.seen[ranges(corpus.seen_offsets[documents], self.document_size[documents])])

    @cached_property
    def documents_seen(self) -> tuple[IntArray, IntArray]:
        """The documents that each annotator saw, one annotator after the other, and the end of each annotator's."""
        seen = self.corpus.seen
        return self.corpus.seen_document[stable_order(seen)], np.cumsum(np.bincount(seen, minlength=self.n_annotators))

    def documents_of(self, annotator: int) -> IntArray:
        """Return the documents that an annotator saw, sorted."""
        documents, ends = self.documents_seen
        return documents[ends[annotator - 1] if annotator else 0 : ends[annotator]]

    def count_seen(self, document: IntArray, column: IntArray, n_columns: int) -> tuple[IntArray, IntArray]:
        """Return cells and counts: entries of each column in the documents that each annotator saw.

        A cell is annotator · n_columns + column; its number of entries is the sum of its counts. `document` and
        `column` are of each entry.
        """
        corpus = self.corpus
        keys, counts = np.unique(document * n_columns + column, return_counts=True)
        document, column = np.divmod(keys, n_columns)
        size = self.document_size[document]
        annotator = corpus.seen[ranges(corpus.seen_offsets[document], size)]
        return annotator * n_columns + np.repeat(column, size), np.repeat(counts, size)

    def has_seen(self, annotator: int) -> BoolArray:
        """Return whether an annotator saw each document."""
        result = np.zeros(len(self.corpus), dtype=np.bool_)
        result[self.documents_of(annotator)] = True
        return result

    @cached_property
    def n_documents_with_units(self) -> IntArray:
        """Number of documents in which each annotator has units, shape (n_annotators,)."""
        return np.bincount(self.lanes[0] % self.n_annotators, minlength=self.n_annotators)

    # who has a unit where

    @cached_property
    def own_units(self) -> OverlapCounter:
        """The units of each lane, to count those that overlap stretches."""
        return OverlapCounter(Stretches(self.lane, self.corpus.start, self.corpus.end))

    @cached_property
    def _document_units(self) -> OverlapCounter:
        """The units of each document, to count those that overlap stretches."""
        return OverlapCounter(Stretches(self.unit_document, self.corpus.start, self.corpus.end))

    @cached_property
    def lane(self) -> IntArray:
        """Document and annotator of each unit as one number: document · n_annotators + annotator."""
        return self.unit_document * self.n_annotators + self.corpus.annotator

    @cached_property
    def lanes(self) -> tuple[IntArray, IntArray]:
        """The lanes with units, sorted, and the index of the first unit of each and the end of the last, (n + 1,)."""
        lanes, first = np.unique(self.lane, return_index=True)  # units are sorted by document and annotator
        return lanes, np.append(first, len(self.lane))

    @cached_property
    def rows(self) -> Rows:
        """The annotators of each unitary alignment, with and without a unit in it."""
        corpus = self.corpus
        alignments = self.alignments
        width = self.n_annotators
        alignment, annotator = document_annotators(corpus, alignments, np.arange(len(alignments)))
        document = alignments.document[alignment]
        unit = np.full(len(alignment), -1)
        members = alignments.members
        position = np.searchsorted(
            alignment * width + annotator, alignments.member_group * width + corpus.annotator[members]
        )
        unit[position] = members
        n_others = alignments.size[alignment] - (unit >= 0)
        absent = np.flatnonzero(unit < 0)
        is_overlapped = np.zeros(len(alignment), dtype=np.bool_)
        for view, places in self._places:
            n_own, _ = view.count_units(places.take(alignment[absent]), annotator[absent])
            is_overlapped[absent] |= n_own != 0
        return Rows(
            alignment=alignment,
            annotator=annotator,
            document=document,
            unit=unit,
            other_units=n_others,
            is_overlapped=is_overlapped,
            label=self._label_of_others(alignment, unit, n_others),
            is_alone=(unit >= 0) & self.is_alone[unit],
        )

    @cached_property
    def is_alone(self) -> BoolArray:
        """Whether no unit of another annotator overlaps each unit, in this corpus and in the original one.

        Units may be aligned without overlapping: in a crowd, two that are alone cost less together than one by one.
        """
        corpus = self.corpus
        first = self.first
        n_own, n_all = self.count_units(Stretches(self.unit_document, corpus.start, corpus.end), corpus.annotator)
        is_alone: BoolArray = n_all <= n_own
        return is_alone if self is first else is_alone & first.is_alone[self.origin]

    def count_units(self, places: Stretches, annotator: IntArray) -> tuple[IntArray, IntArray]:
        """Return how many units of an annotator, and how many of anybody, overlap each place; lanes are documents."""
        lane = places.lane * self.n_annotators + annotator
        return self.own_units.count(Stretches(lane, places.start, places.end)), self._document_units.count(places)

    @cached_property
    def _places(self) -> list[tuple[View, Stretches]]:
        """The places of the unitary alignments in this corpus and, if it was repaired, in the original one."""
        alignments = self.alignments
        first = self.first
        places = [(self, Stretches(alignments.document, alignments.start, alignments.end))]
        if self is not first and len(alignments):
            origin = self.origin[alignments.members]
            begins = alignments.offsets[:-1]
            start = np.minimum.reduceat(first.corpus.start[origin], begins)
            end = np.maximum.reduceat(first.corpus.end[origin], begins)
            places.append((first, Stretches(first.unit_document[origin[begins]], start, end)))
        return places

    def _label_of_others(self, alignment: IntArray, unit: IntArray, n_others: IntArray) -> IntArray:
        """Return the label that most units of the others have, `NO_LABEL_IN_COMMON` for none."""
        own_code = np.where(unit >= 0, self.corpus.category[unit] + 1, -1)
        label, count = self._most_frequent_of_others(self.corpus.category + 1, alignment, own_code)
        return np.where(2 * count > n_others, label - 1, NO_LABEL_IN_COMMON)

    def _most_frequent_of_others(
        self, code: IntArray, alignment: IntArray, own_code: IntArray
    ) -> tuple[IntArray, IntArray]:
        members = self.alignments.members
        group = self.alignments.member_group
        return most_frequent_of_others(group, code[members], alignment, own_code)

    @cached_property
    def words_of_others(self) -> IntArray:
        """Code of the words that most of the others have in each of the `rows`; -1 if they are not known.

        Words of the annotator do not count: they would be others wherever the annotator has other bounds.
        """
        rows = self.rows
        code = self.words.unit_code
        own_code = np.where(rows.unit >= 0, code[rows.unit], -1)
        return self._most_frequent_of_others(code, rows.alignment, own_code)[0]

    @cached_property
    def rows_by_annotator(self) -> IntArray:
        """The rows sorted by annotator, then by unitary alignment."""
        return stable_order(self.rows.annotator)

    @cached_property
    def bounds_of_others(self) -> FloatArray:
        """The bounds of the units of the others in each of the `rows`, shape (n_rows, 4).

        The least start and end, then the largest start and end; without other units, the bounds of the own one.
        """
        rows = self.rows
        members = self.alignments.members
        group = self.alignments.member_group
        starts, ends = (
            extremes_of_others(group, column[members], members, rows.alignment, rows.unit)
            for column in (self.corpus.start, self.corpus.end)
        )
        return np.stack([starts[0], ends[0], starts[1], ends[1]], axis=1)

    def row_of(self, events: Events) -> IntArray:
        """Return the row of each event."""
        rows = self.rows
        width = self.n_annotators
        row: IntArray = np.searchsorted(
            rows.alignment * width + rows.annotator, events.alignment * width + events.annotator
        )
        return row

    @cached_property
    def chances(self) -> Events:
        """Unitary alignments in which at least half of the others have a unit; a hit is that the annotator has none.

        If a unit of the annotator overlaps the place without being aligned, it is not left out: no chance. Neither is a
        place that an earlier repair has filled.
        """
        return self.events_of(self.is_chance, self.rows.unit < 0)

    @cached_property
    def have_most_others(self) -> BoolArray:
        """Whether at least half of the other annotators have a unit in the unitary alignment of each of the `rows`."""
        rows = self.rows
        n_others = self.document_size[rows.document] - 1
        result: BoolArray = (rows.other_units > 0) & (2 * rows.other_units >= n_others)
        return result

    @cached_property
    def is_chance(self) -> BoolArray:
        """Whether each of the `rows` is one of the `chances`."""
        rows = self.rows
        has_unit = rows.unit >= 0
        result: BoolArray = self.have_most_others & (has_unit | ~rows.is_overlapped)
        return result & ~(has_unit & self.is_copy[rows.unit])

    @cached_property
    def is_marking(self) -> BoolArray:
        """Whether each of the `rows` is one of the `markings`."""
        result: BoolArray = self.rows.unit >= 0
        return result

    @cached_property
    def markings(self) -> Events:
        """Units of documents that another annotator saw; a hit is that no unit of another one overlaps the unit."""
        return self.events_of(self.is_marking, self.rows.is_alone)

    @cached_property
    def missed_chances(self) -> Events:
        """The `chances` at which the annotator has no unit."""
        is_missed = self.is_chance & ~self.is_marking
        return self.events_of(is_missed, is_missed)

    @cached_property
    def lone_markings(self) -> Events:
        """The `markings` that no unit of another annotator overlaps."""
        is_lone = self.is_marking & self.rows.is_alone
        return self.events_of(is_lone, is_lone)

    def events_of(self, is_event: BoolArray, hit: BoolArray) -> Events:
        """Return some of the `rows` as events; `hit` is of each row."""
        rows = self.rows
        index = np.flatnonzero(is_event)
        index = index[stable_order(rows.annotator[index])]
        return Events(rows.annotator[index], rows.document[index], rows.alignment[index], hit[index])

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Every two aligned units in both orders: a unit, and the unit of another annotator aligned with it."""
        units = self.alignments.members
        first, second = aligned_pairs(self.alignments.member_group)
        first = units[first]
        second = units[second]
        return np.concatenate([first, second]), np.concatenate([second, first])

    @cached_property
    def pair_weight(self) -> FloatArray:
        """Weight of each of the `pairs`: the pairs of a unit are one occasion, however many others there are."""
        alignments = self.alignments
        weight: FloatArray = 1.0 / (alignments.size[alignments.group[self.pairs[0]]] - 1)
        return weight

    @cached_property
    def noise(self) -> float:
        """Standard deviation of differences between the starts of aligned units around the median of the lane.

        It is 0 if most aligned units have the usual start or end: data are exact even if somebody splits most units, as
        the part that is aligned has one bound of the whole. Where all is covered, nothing is split.
        """
        unit, partner = self.pairs
        lane = self.lane[unit]
        start_deviation, end_deviation = (
            _deviations_from_median(bound[unit] - bound[partner], lane)
            for bound in (self.corpus.start, self.corpus.end)
        )
        is_covered = self.covered[self.unit_document[unit]]
        least = np.where(is_covered, start_deviation, np.minimum(start_deviation, end_deviation))
        if not len(least) or np.median(least) == 0:
            return 0.0
        return _SIGMA * float(np.median(start_deviation))

    @property
    def noise_width(self) -> float:
        """Difference up to which two bounds count as the same; 0 for exact data."""
        return NOISE_WIDTHS * self.noise

    @cached_property
    def bounds_inside_words(self) -> BoolArray:
        """Whether the start or the end of each unit is between two letters or digits of a word; false without text."""
        return self.cut_words(self.units)

    def cut_words(self, units: Units) -> BoolArray:
        """Return whether the start or the end of each unit is inside a word; false if the text is not known."""
        inside = self.words.inside_words
        return inside(units.document, units.start) | inside(units.document, units.end)

    @cached_property
    def has_one_label(self) -> bool:
        """Whether all units have the same label, or none."""
        category = self.corpus.category
        return not len(category) or bool(category.min() == category.max())

    @cached_property
    def label_cells(self) -> LabelCells:
        """The label of the others beside the label of each annotator, in each place where both are known.

        Units that a repair has copied are of one label with the others, which says nothing: they are left out.
        """
        rows = self.rows
        n_labels = len(self.corpus.categories) + 1
        is_said = (rows.unit >= 0) & ~self.is_copy[rows.unit]
        if self.is_pair:
            has_copy = np.bincount(self.alignments.member_group, self.is_copy[self.alignments.members]) > 0
            is_said &= ~has_copy[rows.alignment]
        is_said &= (rows.other_units > 0) & (rows.label != NO_LABEL_IN_COMMON)
        index = self.rows_by_annotator[is_said[self.rows_by_annotator]]
        unit = rows.unit[index]
        labels = rows.label[index] % n_labels, self.corpus.category[unit] % n_labels
        return LabelCells(n_labels, unit, rows.annotator[index], rows.document[index], *labels)

    @cached_property
    def covered(self) -> BoolArray:
        """Whether the units of every annotator cover nearly the whole extent of each document."""
        has_letters = self.first.words.has_letters  # texts stay as they are
        return covered_documents(self.corpus, gapless_blocks(self.corpus, has_letters))

    # copies of units

    def templates(self, alignment: IntArray, annotator: IntArray) -> Units:
        """Return a unit for an annotator in each unitary alignment: a copy of the most frequent unit of the others."""
        corpus = self.corpus
        alignments = self.alignments
        width = self.n_annotators
        requested = distinct(alignment)
        size = alignments.size[requested]
        group = np.repeat(requested, size)
        members = alignments.members[ranges(alignments.offsets[requested], size)]
        is_own = np.isin(group * width + corpus.annotator[members], alignment * width + annotator)
        members = members[~is_own]
        group = group[~is_own]
        columns = (corpus.category[members], corpus.end[members], corpus.start[members], group)
        order = np.lexsort(columns)
        members = members[order]
        sorted_columns = [column[order] for column in columns]
        is_new = np.ones(len(members), dtype=np.bool_)
        is_new[1:] = np.any([column[1:] != column[:-1] for column in sorted_columns], axis=0)
        first = np.flatnonzero(is_new)
        counts = np.diff(np.append(first, len(members)))
        template_group = sorted_columns[-1][first]
        best = np.lexsort((-counts, template_group))
        template = np.full(len(alignments), -1)
        template[template_group[best[::-1]]] = members[first[best[::-1]]]  # the last assignment of a group remains
        copies = self.units.take(template[alignment])
        return Units(copies.document, annotator, copies.start, copies.end, copies.category, copies.origin)


def _deviations_from_median(difference: FloatArray, lane: IntArray) -> FloatArray:
    """Return how far each difference is from the median difference of its lane, the higher of two in the middle."""
    order = np.lexsort((difference, lane))
    first = np.flatnonzero(np.diff(lane[order], prepend=-1))
    counts = np.diff(np.append(first, len(order)))
    deviation = np.empty(len(order))
    deviation[order] = np.abs(difference[order] - np.repeat(difference[order[first + counts // 2]], counts))
    return deviation
