"""The data that tables of disagreements are computed from: a corpus, its unitary alignments, their words and pairs."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gamma_align.alignment import aligned_pairs
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.distances import Distance
from gamma_align.insight.disagreements.absences import Absences, absences
from gamma_align.insight.disagreements.kinds import Traits, traits
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments
from gamma_align.insight.disagreements.words import Words
from gamma_align.kernels.position import sporadic


class Material:
    """A corpus, its unitary alignments, their words, and the distance of labels."""

    def __init__(
        self,
        corpus: Corpus,
        alignments: UnitaryAlignments,
        words: Words,
        distance: Distance,
    ) -> None:
        self.corpus = corpus
        self.alignments = alignments
        self.words = words
        self._distance = distance

    def with_alignments(self, alignments: UnitaryAlignments) -> Material:
        """Return the same material with other unitary alignments of the same units."""
        return Material(self.corpus, alignments, self.words, self._distance)

    @cached_property
    def absences(self) -> Absences:
        """The annotators without a unit in each unitary alignment."""
        return absences(self.corpus, self.alignments, self.words)

    @cached_property
    def traits(self) -> Traits:
        """The properties that make the kind of each unitary alignment."""
        return traits(self.corpus, self.alignments, self.words)

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The aligned pairs of units: indices of the first and of the second units, shape (n_pairs,) each."""
        units = self.alignments.members
        (first, second) = self._member_pairs
        return units[first], units[second]

    @property
    def pair_alignment(self) -> IntArray:
        """The unitary alignment of each of the `pairs`."""
        return self.alignments.member_group[self._member_pairs[0]]

    @cached_property
    def _member_pairs(self) -> tuple[IntArray, IntArray]:
        return aligned_pairs(self.alignments.member_group)

    @cached_property
    def positional_distances(self) -> FloatArray:
        """The positional dissimilarity of each aligned pair, without weight, shape (n_pairs,)."""
        corpus = self.corpus
        (first, second) = self.pairs
        return sporadic(corpus.start[first], corpus.end[first], corpus.start[second], corpus.end[second])

    @cached_property
    def categorial_distances(self) -> FloatArray:
        """The categorial dissimilarity of each aligned pair, without weight, shape (n_pairs,)."""
        category = self.corpus.category
        (first, second) = self.pairs
        return self._distance.bind(self.corpus.categories)(category[first], category[second])


def label_codes(corpus: Corpus) -> IntArray:
    """Return the category of each unit; the code of units without one follows the codes of categories."""
    return np.where(corpus.category < 0, len(corpus.categories), corpus.category)


def confusions(corpus: Corpus, first: IntArray, second: IntArray) -> IntArray:
    """Return the number of aligned pairs with each two categories, symmetric; the last row is for no category.

    Pairs of two units of one category count once, on the diagonal.
    """
    width = len(corpus.categories) + 1
    codes = label_codes(corpus)
    keys = np.minimum(codes[first], codes[second]) * width + np.maximum(codes[first], codes[second])
    upper = np.bincount(keys, minlength=width * width).reshape(width, width)
    result: IntArray = upper + np.triu(upper, 1).T
    return result
