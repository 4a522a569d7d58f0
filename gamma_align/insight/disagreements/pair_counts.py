"""Each two annotators in the alignment of all: in how many places they differ, and how far.

γ of each pair takes an alignment and chance of its own, which is too much for the pairs of many annotators. These
counts come from the alignment of all annotators, so they cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, numbered, pairs_in_runs
from gamma_align.distances import Dissimilarity
from gamma_align.insight.disagreements.material import Material


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairCounts(Columns):
    """One row for each two annotators with a document in common, sorted by `first`, then by `second`.

    A place is a unitary alignment of a common document in which one of the two has a unit. They differ in it if the
    other has none, or if their units have any dissimilarity.

    Attributes
    ----------
    first, second : ndarray of int64
        Codes of the annotators, first < second.
    documents, places, differ : ndarray of int64
        Documents that both saw, places, and places in which they differ.
    disorder : ndarray of float64
        Mean disorder of the two over the places, in disorders of a missing unit, and at most one in each place: 0 if
        their units are the same, 1 if each has units where the other has none. NaN without a place.
    """

    first: IntArray
    second: IntArray
    documents: IntArray
    places: IntArray
    differ: IntArray
    disorder: FloatArray

    def with_others(self, n_annotators: int) -> FloatArray:
        """Return the mean disorder of each annotator over the places of all pairs, shape (n_annotators,)."""
        disorder = np.where(self.places > 0, self.disorder, 0.0) * self.places
        total = np.zeros(n_annotators)
        places = np.zeros(n_annotators)
        for annotator in (self.first, self.second):
            total += np.bincount(annotator, disorder, n_annotators)
            places += np.bincount(annotator, self.places, n_annotators)
        return _ratio(total, places)


def pair_counts(material: Material, dissimilarity: Dissimilarity) -> PairCounts:
    """Return the counts of each two annotators.

    At least one of two annotators has a unit in (units of one + units of the other - aligned pairs) unitary alignments.
    """
    corpus = material.corpus
    width = len(corpus.annotators)
    # Each two annotators of each document.
    _, entry, other_entry = pairs_in_runs(corpus.seen_offsets)
    is_pair = entry < other_entry
    entry = entry[is_pair]
    other_entry = other_entry[is_pair]
    key, row = numbered(corpus.seen[entry] * width + corpus.seen[other_entry])
    n_units = np.bincount(corpus.unit_seen[material.alignments.members], minlength=len(corpus.seen))
    n_units_of_both = np.bincount(row, n_units[entry] + n_units[other_entry], len(key))
    documents = np.bincount(row, minlength=len(key))

    codes = np.sort(corpus.annotator[np.stack(material.pairs)], axis=0)
    row = np.searchsorted(key, codes[0].astype(np.int64) * width + codes[1])
    distances = pair_distances(material, dissimilarity)
    n_aligned = np.bincount(row, minlength=len(key)).astype(np.float64)
    n_equal = np.bincount(row, distances == 0, len(key))
    places = n_units_of_both - n_aligned
    missing = places - n_aligned
    # In an alignment of many, two units may be further apart than a unit and none; they count as much as these.
    disorder = missing + np.bincount(row, np.minimum(distances, 1.0), len(key))
    return PairCounts(
        first=key // width,
        second=key % width,
        documents=documents,
        places=places.astype(np.int64),
        differ=(places - n_equal).astype(np.int64),
        disorder=_ratio(disorder, places),
    )


def pair_distances(material: Material, dissimilarity: Dissimilarity) -> FloatArray:
    """Return the dissimilarity of each aligned pair of units in disorders of a missing unit, shape (n_pairs,)."""
    position = material.positional_distances
    category = material.categorial_distances
    result: FloatArray = dissimilarity.alpha * position + dissimilarity.beta * category
    return result


def are_equal(material: Material, dissimilarity: Dissimilarity) -> BoolArray:
    """Return whether the units of each aligned pair have no dissimilarity, shape (n_pairs,)."""
    result: BoolArray = pair_distances(material, dissimilarity) == 0
    return result


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return a ratio, NaN where the denominator is 0."""
    result: FloatArray = np.divide(numerator, denominator, out=np.full(len(numerator), np.nan), where=denominator > 0)
    return result
