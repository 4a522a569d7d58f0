"""Annotators without a unit in a unitary alignment: those who leave the place out, and those who have others there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.insight.disagreements.kinds import seen_by
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments
from gamma_align.insight.disagreements.words import Words

GAP_TOLERANCE = 1e-9  # relative to the extent: bounds that were computed, such as seconds, differ by rounding errors
COVERED_SHARE = 0.95  # of the extent: a recording that is scored from end to end may have a few epochs without a score


class Absences(NamedTuple):
    """The pairs of a unitary alignment and an annotator who saw its document but has no unit in it.

    `alignment` and `annotator` are indices. `overlaps` is true if another unit of the annotator overlaps the place;
    units that only touch it do not. `cuts` is true if the annotator cuts the place at other positions: the document is
    covered (`covered_documents`), the units of the annotator cover the place without a gap, and none has its bounds.
    """

    alignment: IntArray
    annotator: IntArray
    overlaps: BoolArray
    cuts: BoolArray


def absences(corpus: Corpus, alignments: UnitaryAlignments, words: Words) -> Absences:
    """Return the annotators without a unit in each unitary alignment, and whether other units of theirs are there."""
    has_absent = np.flatnonzero(alignments.size < corpus.n_annotators[alignments.document])
    entry, slot = seen_by(corpus, alignments, has_absent)
    alignment, annotator = has_absent[entry], corpus.seen[slot]
    people = max(len(corpus.annotators), 1)
    members = alignments.members
    present = alignments.group[members] * people + corpus.annotator[members]
    absent = ~np.isin(alignment * people + annotator, present)
    alignment, annotator = alignment[absent], annotator[absent]
    lane = alignments.document[alignment] * people + annotator
    places = Stretches(lane, alignments.start[alignment], alignments.end[alignment])
    units = Stretches(corpus.unit_document * people + corpus.annotator, corpus.start, corpus.end)
    blocks = gapless_blocks(corpus, words)
    overlaps = _overlap(units, places)
    cuts = np.zeros_like(overlaps)
    candidates = np.flatnonzero(overlaps & covered_documents(corpus, blocks)[alignments.document[alignment]])
    if len(candidates):
        places = places.take(candidates)
        cuts[candidates] = _hold(blocks, places) & ~_same_bounds(units, places)
    return Absences(alignment, annotator, overlaps, cuts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stretches(Columns):
    """Stretches of documents; `lane` is document · n_annotators + annotator."""

    lane: IntArray
    start: FloatArray
    end: FloatArray


def _overlap(units: Stretches, places: Stretches) -> BoolArray:
    """Return whether any unit of the same lane overlaps each place."""
    begun = _count(units.lane, units.start, places.lane, places.end, side="left")
    ended = _count(units.lane, units.end, places.lane, places.start, side="right")
    result: BoolArray = begun > ended
    return result


def _hold(blocks: Stretches, places: Stretches) -> BoolArray:
    """Return whether a block of the same lane holds each place; blocks of a lane do not overlap."""
    begun = _count(blocks.lane, blocks.start, places.lane, places.start, side="right")
    ended = _count(blocks.lane, blocks.end, places.lane, places.end, side="left")
    result: BoolArray = begun > ended
    return result


def _same_bounds(units: Stretches, places: Stretches) -> BoolArray:
    """Return whether a unit of the same lane has the start and the end of each place."""
    key = np.concatenate([units.lane, places.lane])
    for bounds in ((units.start, places.start), (units.end, places.end)):
        values, rank = np.unique(np.concatenate(bounds), return_inverse=True)
        _, key = np.unique(key * len(values) + rank.reshape(-1), return_inverse=True)
        key = key.reshape(-1)
    own, other = np.split(key, [len(units.lane)])
    return np.isin(other, own)


def _count(
    lane: IntArray, position: FloatArray, of_lane: IntArray, limit: FloatArray, *, side: Literal["left", "right"]
) -> IntArray:
    """Return how many positions are in earlier lanes, or in the same lane and below the limit ("right": or at it)."""
    # Ranks replace positions: a lane and a position then are one integer, and one search serves all lanes.
    values, rank = np.unique(np.concatenate([position, limit]), return_inverse=True)
    own, other = np.split(rank.reshape(-1), [len(position)])
    return np.searchsorted(np.sort(lane * len(values) + own), of_lane * len(values) + other, side=side)


def covered_documents(corpus: Corpus, blocks: Stretches) -> BoolArray:
    """Return the documents in which the units of each annotator cover nearly the whole extent, shape (n_documents,).

    `blocks` are the `gapless_blocks`: blanks and punctuation between units of a known text are covered too.
    """
    people = max(len(corpus.annotators), 1)
    # A table of documents × annotators would not fit into memory: most annotators of a crowd see few documents.
    lanes, lane = np.unique(blocks.lane, return_inverse=True)
    length = np.bincount(lane.reshape(-1), weights=blocks.end - blocks.start, minlength=len(lanes))
    document = lanes // people
    extent = corpus.extents[document, 1] - corpus.extents[document, 0]
    covering = (length > 0) & (length >= COVERED_SHARE * extent)
    n_covering = np.bincount(document[covering], minlength=len(corpus))
    result: BoolArray = (n_covering == corpus.n_annotators) & (n_covering > 0)
    return result


def gapless_blocks(corpus: Corpus, words: Words) -> Stretches:
    """Return the stretches that the units of one annotator cover without a gap, as long as possible."""
    people = max(len(corpus.annotators), 1)
    lane = corpus.unit_document * people + corpus.annotator
    order = np.lexsort((corpus.start, lane))
    lane, start = lane[order], corpus.start[order]
    ends, rank = np.unique(corpus.end[order], return_inverse=True)
    if not len(ends):
        return Stretches(lane, start, start)
    reached = ends[np.maximum.accumulate(lane * len(ends) + rank.reshape(-1)) % len(ends)]  # largest end so far

    document = lane // people
    before = np.concatenate([start[:1], reached[:-1]])
    is_first = np.diff(lane, prepend=-1) > 0
    tolerance = GAP_TOLERANCE * (corpus.extents[document, 1] - corpus.extents[document, 0])
    begins = is_first | (start - before > tolerance)
    gaps = np.flatnonzero(begins & ~is_first)
    begins[gaps] = words.has_letters(document[gaps], before[gaps], start[gaps])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(lane)) - 1
    return Stretches(lane[first], start[first], reached[last])
