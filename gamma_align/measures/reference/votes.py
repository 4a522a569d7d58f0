"""Elements that annotators mark, and how many of a document's annotators have each.

An element is a unit with its document, bounds and category (``strict``), without its category (``exact``), or a stretch
of positions with a label (``characters``), which counts by its length. An element that an annotator marks twice counts
once. Documents with one annotator say nothing about agreement and have no elements.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums, ranges
from gamma_align.data import MIN_ANNOTATORS, Corpus
from gamma_align.measures.reference.pairings import rank_positions


class Votes(NamedTuple):
    """The elements of a corpus and who marks them.

    Attributes
    ----------
    document, category : ndarray of int64, shape (n_elements,)
        Indices into the documents and categories of the corpus; the category of an ``exact`` element is 0.
    size : ndarray of float64, shape (n_elements,)
        1, or the length of a stretch.
    element, annotator : ndarray of int64, shape (n_marks,)
        For each mark, an index into the elements and an index into the annotators of the corpus.
    n_seen : ndarray of int64, shape (n_documents,)
        Number of annotators who saw each document; 0 if only one did.
    """

    document: IntArray
    category: IntArray
    size: FloatArray
    element: IntArray
    annotator: IntArray
    n_seen: IntArray

    @classmethod
    def of(cls, corpus: Corpus, measure: str) -> Self:
        """Return the elements of a corpus; `measure` is ``strict``, ``exact`` or ``characters``."""
        n_seen = np.where(corpus.n_annotators >= MIN_ANNOTATORS, corpus.n_annotators, 0)
        if measure == "characters":
            document, category, size, element, annotator = _stretches(corpus, n_seen)
        else:
            document, category, size, element, annotator = _units(corpus, n_seen, with_category=measure == "strict")
        return cls(document, category, size, element, annotator, n_seen)

    @property
    def votes(self) -> IntArray:
        """How many annotators mark each element, shape (n_elements,)."""
        return np.bincount(self.element, minlength=len(self.document))

    @property
    def agreement(self) -> float:
        """F1 of one annotator against another, every document counting once; 0 without elements."""
        votes = self.votes
        annotators = self.n_seen[self.document]
        units = (self.size * votes / annotators).sum()
        shared = (self.size * votes * (votes - 1) / (annotators * (annotators - 1))).sum()
        return float(shared / units) if len(self.document) else 0.0

    def of_category(self, category: int) -> Self:
        """Return the elements with one category."""
        return self.keep_elements(self.category == category)

    def without_annotator(self, annotator: int, seen: BoolArray) -> Self:
        """Return the elements that the other annotators mark; `seen` are the documents that this one saw."""
        n_seen = self.n_seen - seen
        n_seen[n_seen < MIN_ANNOTATORS] = 0
        is_kept = self.annotator != annotator
        remaining = self._replace(element=self.element[is_kept], annotator=self.annotator[is_kept], n_seen=n_seen)
        return remaining.keep_elements((remaining.votes > 0) & (n_seen[self.document] > 0))

    def keep_elements(self, is_kept: BoolArray) -> Self:
        """Return the elements of a mask, shape (n_elements,), and their marks."""
        number = np.cumsum(is_kept) - 1
        marks = is_kept[self.element]
        return self._replace(
            document=self.document[is_kept],
            category=self.category[is_kept],
            size=self.size[is_kept],
            element=number[self.element[marks]],
            annotator=self.annotator[marks],
        )


_Elements = tuple[IntArray, IntArray, FloatArray, IntArray, IntArray]
"""Document, category and size of elements; element and annotator of marks."""


def _units(corpus: Corpus, n_seen: IntArray, *, with_category: bool) -> _Elements:
    """Return the elements that are units: units of one document with the same bounds (and category) are one element."""
    rows = np.flatnonzero(n_seen[corpus.unit_document] > 0)
    document = corpus.unit_document[rows]
    annotator = corpus.annotator[rows]
    start = corpus.start[rows]
    end = corpus.end[rows]
    category = corpus.category[rows] if with_category else np.zeros(len(rows), dtype=np.int64)
    order = np.lexsort((annotator, category, end, start, document))
    bounds = (document[order], start[order], end[order], category[order])
    begins_element = _differs(*bounds)
    begins_mark = begins_element | _differs(annotator[order])
    first = order[begins_element]
    element = (np.cumsum(begins_element) - 1)[begins_mark]
    return document[first], category[first], np.ones(len(first)), element, annotator[order][begins_mark]


def _stretches(corpus: Corpus, n_seen: IntArray) -> _Elements:
    """Return the stretches between neighbouring bounds of one document and category, and who marks each."""
    rows = np.flatnonzero((n_seen[corpus.unit_document] > 0) & (corpus.end > corpus.start))
    document = corpus.unit_document[rows]
    category = corpus.category[rows]
    width = len(corpus.categories) + 1
    group = document * width + category + 1  # units without a category have -1
    # All bounds of a group, each once, in order: neighbouring ones enclose a stretch.
    bounds = np.concatenate([corpus.start[rows], corpus.end[rows]])
    rank, bound_group, bound = rank_positions(np.tile(group, 2), bounds)
    low = rank[: len(rows)]
    high = rank[len(rows) :]
    counts = high - low
    stretch = ranges(low, counts)
    marks = np.unique(np.stack([stretch, np.repeat(corpus.annotator[rows], counts)], axis=1), axis=0)
    used, element = np.unique(marks[:, 0], return_inverse=True)
    size = bound[used + 1] - bound[used]
    used_document, used_category = np.divmod(bound_group[used], width)
    return used_document, used_category - 1, size, element.reshape(-1), marks[:, 1]


def _differs(*columns: IntArray | FloatArray) -> BoolArray:
    """Return for each row whether it differs from the row before it; the first row does."""
    differs = np.zeros(len(columns[0]), dtype=np.bool_)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return differs


class Cells(NamedTuple):
    """Elements counted by how many annotators their document has and how many of these mark them.

    Attributes
    ----------
    annotators, votes : ndarray of int64, shape (n_cells,)
        k and v of each cell; v is at least 1.
    sizes : ndarray of float64, shape (n_documents, n_cells)
        Sum of the sizes of a document's elements in each cell.
    """

    annotators: IntArray
    votes: IntArray
    sizes: FloatArray

    @classmethod
    def of(cls, votes: Votes) -> Self:
        """Return the cells v = 1 … k of every number k of annotators that a document has, in the order of k and v."""
        n_seen = votes.n_seen[votes.document]
        numbers = np.unique(n_seen)
        first_cell = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.int64)
        first_cell[numbers] = np.cumsum(numbers) - numbers
        n_cells = int(numbers.sum())
        cell = first_cell[n_seen] + votes.votes - 1
        n_documents = len(votes.n_seen)
        sums = grouped_sums(votes.document * n_cells + cell, votes.size, n_documents * n_cells)
        annotators = np.repeat(numbers, numbers)
        return cls(annotators, np.arange(n_cells) - first_cell[annotators] + 1, sums.reshape(n_documents, n_cells))
