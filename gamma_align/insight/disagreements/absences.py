"""Annotators without a unit in a unitary alignment: some have other units there, others leave the stretch out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, is_among, numbered, numbered_rows
from gamma_align.data import Corpus
from gamma_align.insight.disagreements.kinds import document_annotators
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments
from gamma_align.insight.disagreements.words import Words

GAP_TOLERANCE = 1e-9  # relative to the extent: bounds that were computed, such as seconds, differ by rounding errors
COVERED_SHARE = 0.95  # of the extent: a recording that is scored from end to end may have a few epochs without a score


class Absences(NamedTuple):
    """Pairs of a unitary alignment and an annotator of its document without a unit in it, shape (n_pairs,).

    Attributes
    ----------
    alignment, annotator : ndarray of int64
        Their indices.
    overlaps : ndarray of bool
        Whether another unit of the annotator overlaps the unitary alignment; touching is not overlapping.
    cuts : ndarray of bool
        Whether the annotator cuts the stretch at other positions: the document is covered (`covered_documents`), the
        units of the annotator cover the stretch without a gap, and none has its bounds.
    """

    alignment: IntArray
    annotator: IntArray
    overlaps: BoolArray
    cuts: BoolArray


def absences(corpus: Corpus, alignments: UnitaryAlignments, words: Words) -> Absences:
    """Return the annotators without a unit in each unitary alignment, and whether they have other units there."""
    has_absent = np.flatnonzero(alignments.size < corpus.n_annotators[alignments.document])
    row, annotator = document_annotators(corpus, alignments, has_absent)
    alignment = has_absent[row]
    width = max(len(corpus.annotators), 1)
    members = alignments.members
    present = np.sort(alignments.member_group * width + corpus.annotator[members])
    is_absent = ~is_among(alignment * width + annotator, present)
    alignment = alignment[is_absent]
    annotator = annotator[is_absent]
    lane = alignments.document[alignment] * width + annotator
    stretches = Stretches(lane, alignments.start[alignment], alignments.end[alignment])
    units = Stretches(corpus.unit_document * width + corpus.annotator, corpus.start, corpus.end)
    blocks = gapless_blocks(corpus, words.has_letters)
    overlaps = count_overlaps(units, stretches) > 0
    cuts = np.zeros_like(overlaps)
    candidates = np.flatnonzero(overlaps & covered_documents(corpus, blocks)[alignments.document[alignment]])
    if len(candidates):
        stretches = stretches.take(candidates)
        cuts[candidates] = _contain(blocks, stretches) & ~_have_bounds(units, stretches)
    return Absences(alignment, annotator, overlaps, cuts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stretches(Columns):
    """Stretches of documents; a lane is an annotator in a document: document · n_annotators + annotator."""

    lane: IntArray
    start: FloatArray
    end: FloatArray


class OverlapCounter:
    """Counts of units of lanes that overlap stretches; the units are sorted once for any number of counts."""

    def __init__(self, units: Stretches) -> None:
        self._starts = Positions(units.lane, units.start)
        self._ends = Positions(units.lane, units.end)

    def count(self, stretches: Stretches) -> IntArray:
        """Return the number of units of the same lane that overlap each stretch."""
        begun = self._starts.count(stretches.lane, stretches.end, side="left")
        ended = self._ends.count(stretches.lane, stretches.start, side="right")
        result: IntArray = begun - ended
        return result


def count_overlaps(units: Stretches, stretches: Stretches) -> IntArray:
    """Return the number of units of the same lane that overlap each stretch."""
    return OverlapCounter(units).count(stretches)


def _contain(blocks: Stretches, stretches: Stretches) -> BoolArray:
    """Return whether a block of the same lane contains each stretch; blocks of a lane do not overlap."""
    begun = Positions(blocks.lane, blocks.start).count(stretches.lane, stretches.start, side="right")
    ended = Positions(blocks.lane, blocks.end).count(stretches.lane, stretches.end, side="left")
    result: BoolArray = begun > ended
    return result


def _have_bounds(units: Stretches, stretches: Stretches) -> BoolArray:
    """Return whether a unit of the same lane has the start and the end of each stretch."""
    both = Stretches.join([units, stretches])
    unit_keys, stretch_keys = np.split(numbered_rows(both.lane, both.start, both.end), [len(units)])
    return np.isin(stretch_keys, unit_keys)


class Positions:
    """Positions in lanes, sorted.

    A complex number of a lane and a position is ordered by the lane, then by the position: one search serves all lanes.
    """

    def __init__(self, lane: IntArray, position: FloatArray) -> None:
        self._keys = np.sort(self._key(lane, position), kind="stable")  # mostly in order already

    @staticmethod
    def _key(lane: IntArray, position: FloatArray) -> npt.NDArray[np.complex128]:
        key = np.empty(len(lane), dtype=np.complex128)
        key.real = lane
        key.imag = position
        return key

    def count(self, lane: IntArray, limit: FloatArray, *, side: Literal["left", "right"]) -> IntArray:
        """Return the number of positions in earlier lanes, or in the lane and below the limit ("right": or at it)."""
        return np.searchsorted(self._keys, self._key(lane, limit), side=side)


def covered_documents(corpus: Corpus, blocks: Stretches) -> BoolArray:
    """Return whether the units of every annotator cover nearly the whole extent of a document, shape (n_documents,).

    `blocks` are the `gapless_blocks`: blanks and punctuation between units of a known text are covered too.
    """
    width = max(len(corpus.annotators), 1)
    # A table of documents × annotators would not fit into memory: most annotators of a crowd see few documents.
    lanes, lane = numbered(blocks.lane)
    length = np.bincount(lane, weights=blocks.end - blocks.start, minlength=len(lanes))
    document = lanes // width
    extent = corpus.extents[document, 1] - corpus.extents[document, 0]
    is_covering = (length > 0) & (length >= COVERED_SHARE * extent)
    n_covering = np.bincount(document[is_covering], minlength=len(corpus))
    result: BoolArray = (n_covering == corpus.n_annotators) & (n_covering > 0)
    return result


HasLetters = Callable[[IntArray, FloatArray, FloatArray], BoolArray]
"""Function that returns whether stretches, by document, start and end, contain letters; as `Words.has_letters`."""


def gapless_blocks(corpus: Corpus, has_letters: HasLetters) -> Stretches:
    """Return the longest stretches that the units of one annotator cover without a gap."""
    width = max(len(corpus.annotators), 1)
    lane = corpus.unit_document * width + corpus.annotator
    start = corpus.start  # ascends in each lane, and lanes ascend
    ends, rank = numbered(corpus.end)
    if not len(ends):
        return Stretches(lane, start, start)
    # The running maximum of lane and rank of the end starts anew in each lane.
    reached = ends[np.maximum.accumulate(lane * len(ends) + rank) % len(ends)]

    document = lane // width
    previous = np.concatenate([start[:1], reached[:-1]])
    is_first = np.diff(lane, prepend=-1) > 0
    tolerance = GAP_TOLERANCE * (corpus.extents[document, 1] - corpus.extents[document, 0])
    begins_block = is_first | (start - previous > tolerance)
    gaps = np.flatnonzero(begins_block & ~is_first)
    begins_block[gaps] = has_letters(document[gaps], previous[gaps], start[gaps])
    first = np.flatnonzero(begins_block)
    last = np.append(first[1:], len(lane)) - 1
    return Stretches(lane[first], start[first], reached[last])
