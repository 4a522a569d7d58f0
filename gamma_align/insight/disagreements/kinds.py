"""The kind of a disagreement: its reason, its shape, its labels, and the annotators without a unit in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, is_among, ranges, rank_in_runs
from gamma_align.data import Corpus
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments
from gamma_align.insight.disagreements.words import Words

SHAPES = ("one unit", "same bounds", "spaces only", "same start", "same end", "nested", "overlapping", "disjoint")
"""How the units of a unitary alignment lie to each other; the first that applies."""
SPACES = "spaces only"
"""The shape of boundaries that differ by white space and punctuation alone, which `Corpus.trim` cuts."""
_MAX_NAMED = 2  # annotators without a unit, or with one, that are named; a row has a column for each of them
NOBODY = -1
"""Code of an annotator if there is no further one."""
ANYBODY = -2
"""Code of annotators who are too many to be named one by one."""


class Traits(NamedTuple):
    """The properties that make the kind of each unitary alignment.

    Attributes
    ----------
    reason, shape : ndarray of int64, shape (n_alignments,)
        Indices in `REASONS` and `SHAPES`.
    labels : ndarray of int64, shape (n_alignments, 2)
        The two most frequent categories of its units, ascending; the same one twice if there is only one.
    absent : ndarray of int64, shape (n_alignments, 2)
        The annotators without a unit.
    present : ndarray of int64, shape (n_alignments, 2)
        The annotators with a unit, if more than two have none.

    Annotators are codes, `NOBODY`, or `ANYBODY` if they are too many to be named.
    """

    reason: IntArray
    shape: IntArray
    labels: IntArray
    absent: IntArray
    present: IntArray

    @property
    def keys(self) -> IntArray:
        """The traits of each unitary alignment as a row."""
        return np.column_stack(self)


def traits(corpus: Corpus, alignments: UnitaryAlignments, words: Words) -> Traits:
    """Return the properties that make the kind of each unitary alignment."""
    n_missing = corpus.n_annotators[alignments.document] - alignments.size
    absent = _absent(corpus, alignments, n_missing)
    present = np.full_like(absent, NOBODY)
    is_crowd = n_missing > _MAX_NAMED
    can_name_present = (alignments.size <= _MAX_NAMED)[is_crowd, None]
    present[is_crowd] = np.where(can_name_present, _first_annotators(corpus, alignments)[is_crowd], ANYBODY)
    labels = _labels(corpus, alignments)
    return Traits(alignments.reason, _shape(corpus, alignments, words), labels, absent, present)


def _first_annotators(corpus: Corpus, alignments: UnitaryAlignments) -> IntArray:
    """Return the annotators of the first units of each unitary alignment, ascending, shape (n_alignments, 2)."""
    units = alignments.members
    group = alignments.member_group
    rank = rank_in_runs(alignments.member_group)
    annotators = np.full((len(alignments), _MAX_NAMED), NOBODY, dtype=np.int64)
    is_first = rank < _MAX_NAMED
    annotators[group[is_first], rank[is_first]] = corpus.annotator[units][is_first]
    annotators.sort(axis=1)
    return annotators


def _shape(corpus: Corpus, alignments: UnitaryAlignments, words: Words) -> IntArray:
    """Return the index in `SHAPES` of each unitary alignment."""
    units = alignments.members
    group = alignments.member_group
    start = corpus.start[units]
    end = corpus.end[units]
    last_start = np.full(len(alignments), -np.inf)
    first_end = np.full(len(alignments), np.inf)
    np.maximum.at(last_start, group, start)
    np.minimum.at(first_end, group, end)
    same_start = alignments.start == last_start
    same_end = alignments.end == first_end
    has_outer_unit = np.zeros(len(alignments), dtype=np.bool_)
    has_outer_unit[group[(start == alignments.start[group]) & (end == alignments.end[group])]] = True
    overlap = last_start < first_end
    spaces = overlap & ~(same_start & same_end)
    if words.are_known:
        index = np.flatnonzero(spaces)
        spaces[index] = ~_differ_in_letters(alignments, words, index, last_start[index], first_end[index])
    else:
        spaces[:] = False
    conditions = {
        "one unit": alignments.size == 1,
        "same bounds": same_start & same_end,
        SPACES: spaces,
        "same start": same_start,
        "same end": same_end,
        "nested": overlap & has_outer_unit,
        "overlapping": overlap,
    }
    indices = [SHAPES.index(shape) for shape in conditions]
    result: IntArray = np.select([*conditions.values()], indices, SHAPES.index("disjoint"))
    return result


def _differ_in_letters(
    alignments: UnitaryAlignments, words: Words, index: IntArray, last_start: FloatArray, first_end: FloatArray
) -> BoolArray:
    """Return whether there are letters between the starts, or the ends, of the units of unitary alignments."""
    document = alignments.document[index]
    before = words.has_letters(document, alignments.start[index], last_start)
    return before | words.has_letters(document, first_end, alignments.end[index])


def _labels(corpus: Corpus, alignments: UnitaryAlignments) -> IntArray:
    """Return the two most frequent categories of each unitary alignment; of equally frequent ones the first by name."""
    units = alignments.members
    width = len(corpus.categories) + 1
    keys, counts = np.unique(alignments.member_group * width + corpus.category[units] + 1, return_counts=True)
    order = np.lexsort((keys % width, -counts, keys // width))
    group = keys[order] // width
    label = keys[order] % width - 1
    rank = rank_in_runs(group)
    labels = np.empty((len(alignments), 2), dtype=np.int64)
    for column in (0, 1):
        # The second column keeps the first label if there is no second one.
        is_used = rank <= column
        labels[group[is_used], column] = label[is_used]
    labels.sort(axis=1)
    return labels


def _absent(corpus: Corpus, alignments: UnitaryAlignments, n_missing: IntArray) -> IntArray:
    """Return the annotators without a unit in each unitary alignment, `ANYBODY` if they are more than two."""
    absent = np.full((len(alignments), _MAX_NAMED), NOBODY, dtype=np.int64)
    absent[n_missing > _MAX_NAMED] = ANYBODY
    nameable = np.flatnonzero((n_missing > 0) & (n_missing <= _MAX_NAMED))
    row, annotator = document_annotators(corpus, alignments, nameable)
    width = max(len(corpus.annotators), 1)
    present = np.sort(alignments.member_group * width + corpus.annotator[alignments.members])
    is_absent = ~is_among(nameable[row] * width + annotator, present)
    row = row[is_absent]
    annotator = annotator[is_absent]
    absent[nameable[row], rank_in_runs(row)] = annotator
    return absent


def document_annotators(corpus: Corpus, alignments: UnitaryAlignments, selected: IntArray) -> tuple[IntArray, IntArray]:
    """Return index in `selected` and code of each annotator of the documents of selected unitary alignments."""
    document = alignments.document[selected]
    counts = corpus.n_annotators[document]
    annotator = corpus.seen[ranges(corpus.seen_offsets[document], counts)]
    return np.repeat(np.arange(len(selected)), counts), annotator
