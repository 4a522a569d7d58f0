"""What kind of disagreement a unitary alignment is: its reason, shape, labels, and who has no unit in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges, rank_in_runs
from gamma_align.data.corpus import Corpus
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments
from gamma_align.insight.disagreements.words import Words

SHAPES = ("one unit", "same bounds", "spaces only", "same start", "same end", "nested", "overlapping", "disjoint")
"""How the units of a unitary alignment lie to each other; the first that holds."""
SPACES = SHAPES[2]
"""The shape of boundaries that differ by white space and punctuation alone, which `Corpus.trim` cuts."""
_ALONE, _SAME, _SPACES, _START, _END, _NESTED, _OVERLAPPING, _DISJOINT = range(len(SHAPES))
_NAMED = 2
"""Up to so many annotators are named, those without a unit or those with one; more are counted."""
NOBODY = -1
ANYBODY = -2
"""For annotators who are not named one by one."""


class Traits(NamedTuple):
    """What makes the kind of each unitary alignment, shape (n_alignments,) each.

    `labels`, shape (n_alignments, 2), are the two categories that most of its units have, ascending, twice the same
    where there is but one; `absent`, shape (n_alignments, 2), are the annotators without a unit, and `present`,
    likewise, those with one where more than two have none; -1 stands for nobody, -2 for those who are too many to be
    named.
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
    """Return what makes the kind of each unitary alignment."""
    missing = corpus.n_annotators[alignments.document] - alignments.size
    absent = _absent(corpus, alignments, missing)
    present = np.full_like(absent, NOBODY)
    units = alignments.members
    rank = rank_in_runs(alignments.group[units])
    people = np.full_like(absent, NOBODY)
    low = rank < _NAMED
    people[alignments.group[units][low], rank[low]] = corpus.annotator[units][low]
    people.sort(axis=1)
    many = missing > _NAMED
    present[many] = np.where((alignments.size <= _NAMED)[many, None], people[many], ANYBODY)
    labels = _labels(corpus, alignments)
    return Traits(alignments.reason, _shape(corpus, alignments, words), labels, absent, present)


def _shape(corpus: Corpus, alignments: UnitaryAlignments, words: Words) -> IntArray:
    """Return the index in `SHAPES` of each unitary alignment."""
    units = alignments.members
    group, start, end = alignments.group[units], corpus.start[units], corpus.end[units]
    last_start, first_end = np.full(len(alignments), -np.inf), np.full(len(alignments), np.inf)
    np.maximum.at(last_start, group, start)
    np.minimum.at(first_end, group, end)
    same_start, same_end = alignments.start == last_start, alignments.end == first_end
    whole = np.zeros(len(alignments), dtype=np.bool_)
    whole[group[(start == alignments.start[group]) & (end == alignments.end[group])]] = True
    overlap = last_start < first_end
    spaces = overlap & ~(same_start & same_end)
    if words.are_known:
        index = np.flatnonzero(spaces)
        spaces[index] = ~_differ_in_letters(alignments, words, index, last_start[index], first_end[index])
    else:
        spaces[:] = False
    conditions = (alignments.size == 1, same_start & same_end, spaces, same_start, same_end, overlap & whole, overlap)
    result: IntArray = np.select(conditions, range(_DISJOINT), _DISJOINT)
    return result


def _differ_in_letters(
    alignments: UnitaryAlignments, words: Words, index: IntArray, last_start: FloatArray, first_end: FloatArray
) -> BoolArray:
    document = alignments.document[index]
    before = words.has_letters(document, alignments.start[index], last_start)
    return before | words.has_letters(document, first_end, alignments.end[index])


def _labels(corpus: Corpus, alignments: UnitaryAlignments) -> IntArray:
    """Return the two categories that most units of each unitary alignment have, of equals the first by name."""
    units = alignments.members
    width = len(corpus.categories) + 1
    keys, counts = np.unique(alignments.group[units] * width + corpus.category[units] + 1, return_counts=True)
    order = np.lexsort((keys % width, -counts, keys // width))
    group, label = keys[order] // width, keys[order] % width - 1
    rank = rank_in_runs(group)
    labels = np.empty((len(alignments), 2), dtype=np.int64)
    for column in (0, 1):  # the second only where there is one
        some = rank <= column
        labels[group[some], column] = label[some]
    labels.sort(axis=1)
    return labels


def _absent(corpus: Corpus, alignments: UnitaryAlignments, missing: IntArray) -> IntArray:
    """Return the annotators without a unit, where they are few enough to be named."""
    absent = np.full((len(alignments), _NAMED), NOBODY, dtype=np.int64)
    absent[missing > _NAMED] = ANYBODY
    few = np.flatnonzero((missing > 0) & (missing <= _NAMED))
    entry, slot = seen_by(corpus, alignments, few)
    people = max(len(corpus.annotators), 1)
    has_unit = np.unique(alignments.group[alignments.members] * people + corpus.annotator[alignments.members])
    pair = few[entry] * people + corpus.seen[slot]
    without = ~np.isin(pair, has_unit)
    entry, slot = entry[without], slot[without]
    absent[few[entry], rank_in_runs(entry)] = corpus.seen[slot]
    return absent


def seen_by(corpus: Corpus, alignments: UnitaryAlignments, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for each annotator of each chosen alignment's document, the index in `chosen` and in `corpus.seen`."""
    document = alignments.document[chosen]
    counts = corpus.n_annotators[document]
    return np.repeat(np.arange(len(chosen)), counts), ranges(corpus.seen_offsets[document], counts)
