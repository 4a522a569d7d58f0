"""Annotators without a unit in a unitary alignment: those who leave the place out, and those who have others there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.differences.kinds import seen_by
from gamma_align.differences.parts import UnitaryAlignments
from gamma_align.differences.words import Words

_GAP_TOLERANCE = 1e-9  # relative to the extent: bounds that were computed, such as seconds, differ by rounding errors


class Absences(NamedTuple):
    """The pairs of a unitary alignment and an annotator who saw its document but has no unit in it.

    `alignment` and `annotator` are indices; `overlaps` is true if another unit of the annotator overlaps the place.
    """

    alignment: IntArray
    annotator: IntArray
    overlaps: BoolArray


def absences(corpus: Corpus, alignments: UnitaryAlignments) -> Absences:
    """Return the annotators without a unit in each unitary alignment, and whether another unit of theirs overlaps it.

    Units that only touch the place do not overlap it.
    """
    has_absent = np.flatnonzero(alignments.size < corpus.n_annotators[alignments.document])
    entry, slot = seen_by(corpus, alignments, has_absent)
    alignment, annotator = has_absent[entry], corpus.seen[slot]
    people = max(len(corpus.annotators), 1)
    members = alignments.members
    present = alignments.group[members] * people + corpus.annotator[members]
    absent = ~np.isin(alignment * people + annotator, present)
    alignment, annotator = alignment[absent], annotator[absent]
    lane = alignments.document[alignment] * people + annotator
    overlaps = _overlap_units(corpus, lane, alignments.start[alignment], alignments.end[alignment])
    return Absences(alignment, annotator, overlaps)


def _overlap_units(corpus: Corpus, lane: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
    """Return whether any unit overlaps each stretch; `lane` is document · n_annotators + annotator of a stretch."""
    own_lane = corpus.unit_document * max(len(corpus.annotators), 1) + corpus.annotator
    # Ranks in place of positions: a lane and a position then are one integer, and one search serves all lanes.
    positions, rank = np.unique(np.concatenate([corpus.start, corpus.end, start, end]), return_inverse=True)
    bounds = np.split(rank.reshape(-1), np.cumsum([corpus.n_units, corpus.n_units, len(start)]))
    unit_start, unit_end, low, high = bounds
    n_ranks = len(positions)
    begun = np.searchsorted(np.sort(own_lane * n_ranks + unit_start), lane * n_ranks + high, side="left")
    ended = np.searchsorted(np.sort(own_lane * n_ranks + unit_end), lane * n_ranks + low, side="right")
    result: BoolArray = begun > ended  # units of lanes before this one are in both counts
    return result


def gapless_documents(corpus: Corpus, words: Words) -> BoolArray:
    """Return the documents in which the units of each annotator cover the whole extent without a gap.

    Blanks and punctuation between units of a known text are no gap. Shape (n_documents,).
    """
    people = max(len(corpus.annotators), 1)
    lane = corpus.unit_document * people + corpus.annotator
    order = np.lexsort((corpus.start, lane))
    lane, start = lane[order], corpus.start[order]
    ends, rank = np.unique(corpus.end[order], return_inverse=True)
    n_ends = max(len(ends), 1)
    reached = ends[np.maximum.accumulate(lane * n_ends + rank.reshape(-1)) % n_ends] if len(ends) else start

    is_first = np.diff(lane, prepend=-1) > 0
    is_last = np.diff(lane, append=-1) != 0
    document = lane // people
    before = np.where(is_first, corpus.extents[document, 0], np.roll(reached, 1))
    stretches = (
        np.concatenate([document, document[is_last]]),
        np.concatenate([before, reached[is_last]]),
        np.concatenate([start, corpus.extents[document[is_last], 1]]),
    )
    length = corpus.extents[:, 1] - corpus.extents[:, 0]
    is_gap = stretches[2] - stretches[1] > _GAP_TOLERANCE * length[stretches[0]]
    gap_document, low, high = (column[is_gap] for column in stretches)
    with_gap = gap_document[words.has_letters(gap_document, low, high)]

    n_marking = np.bincount(document[is_first], minlength=len(corpus))
    result: BoolArray = (n_marking == corpus.n_annotators) & (n_marking > 0)
    result[with_gap] = False
    return result
