"""Batch: many independent continua as one set of columns.

Documents of a corpus, random samples of one document, and both together are the same thing to the kernels:
many *instances* that never interact. Units of an instance stand in canonical order (start, end, annotator,
category); every kernel depends on nothing but that order, so results do not depend on which instances share a
batch.

The annotators of an instance are numbered by what they marked (first unit, last unit, number of units, then
all units), and by name only where that is the same: renaming people changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align import kernels
from gamma_align.columns import FloatArray, IntArray, ranges
from gamma_align.data.corpus import Corpus


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Columns of many instances.

    `offsets` is where each instance's units begin, shape (n_instances + 1,); `n_annotators` counts the annotators of
    each, those without units included, shape (n_instances,). The others have shape (n_units,): instance, number of the
    annotator within the instance, bounds, code of the category (-1: none).
    """

    offsets: IntArray
    n_annotators: IntArray
    instance: IntArray
    annotator: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray

    @classmethod
    def build(
        cls,
        n_annotators: IntArray,
        instance: IntArray,
        annotator: IntArray,
        start: FloatArray,
        end: FloatArray,
        category: IntArray,
    ) -> tuple[Batch, IntArray]:
        """Put units in canonical order; return the batch and, for each of its units, the row given."""
        order, offsets = kernels.canonical_order(len(n_annotators), instance, start, end, annotator, category)
        batch = cls(
            offsets=offsets,
            n_annotators=n_annotators,
            instance=instance[order],
            annotator=annotator[order],
            start=start[order],
            end=end[order],
            category=category[order],
        )
        return batch, order

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> tuple[Batch, IntArray]:
        """Return the corpus as a batch, one instance a document, and each unit's row in the corpus."""
        n_annotators = corpus.n_annotators
        numbers = canonical_annotators(corpus)
        return cls.build(n_annotators, corpus.unit_document, numbers, corpus.start, corpus.end, corpus.category)

    def __len__(self) -> int:
        return len(self.n_annotators)

    @property
    def n_units(self) -> int:
        """Number of units in all instances."""
        return len(self.start)

    @property
    def mean_units(self) -> FloatArray:
        """x̄ of each instance (M15 §4.3); NaN without annotators, shape (n_instances,)."""
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.diff(self.offsets) / self.n_annotators
        return mean

    def take(self, instances: IntArray) -> Batch:
        """Return the batch of these instances, in this order."""
        counts = np.diff(self.offsets)[instances]
        rows = ranges(self.offsets[instances], counts)
        return Batch(
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            n_annotators=self.n_annotators[instances],
            instance=np.repeat(np.arange(len(instances)), counts),
            annotator=self.annotator[rows],
            start=self.start[rows],
            end=self.end[rows],
            category=self.category[rows],
        )


def canonical_annotators(corpus: Corpus) -> IntArray:
    """Return the canonical number of each unit's annotator within its document, shape (n_units,): see `canonical`."""
    numbers: IntArray = canonical(corpus)[corpus.unit_seen]
    return numbers


def canonical(corpus: Corpus) -> IntArray:
    """Return the canonical number of each annotator of each document, shape (n_seen,).

    Annotators are ordered by the bounds of their first and last unit, then by their number of units, those
    without units last: an order that translation and scale keep. Ties go by categories and all units; names
    decide only between people who marked the same.
    """
    n_seen, slot = len(corpus.seen), corpus.unit_seen
    count = np.bincount(slot, minlength=n_seen)
    # units of a slot are contiguous and sorted by (start, end): the first and last of each can be read off
    stop = np.cumsum(count)
    first, last, marked = stop - count, stop - 1, count > 0
    keys = np.full((8, n_seen), np.inf)
    keys[0], keys[5] = corpus.seen_document, count
    start, end, category = corpus.start, corpus.end, corpus.category
    columns = ((1, start, first), (2, end, first), (3, start, last), (4, end, last))
    for row, column, unit in (*columns, (6, category, first), (7, category, last)):
        keys[row, marked] = column[unit[marked]]
    order = np.lexsort((np.arange(n_seen), *keys[::-1]))
    _settle_ties(corpus, order, keys, first, stop)
    rank = np.empty(n_seen, dtype=np.int64)
    rank[order] = np.arange(n_seen) - np.repeat(corpus.seen_offsets[:-1], corpus.n_annotators)
    return rank


def _settle_ties(corpus: Corpus, order: IntArray, keys: FloatArray, first: IntArray, stop: IntArray) -> None:
    """Sort, in place, each run of `order` with equal `keys` by all the units of its slots."""
    # the keys hold all there is of one or two units
    many = (stop - first)[order[1:]] > 2  # noqa: PLR2004
    tied = many & (keys[:, order[1:]] == keys[:, order[:-1]]).all(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], tied, [False]]).astype(np.int8)))
    for low, high in edges.reshape(-1, 2).tolist():
        order[low : high + 1] = sorted(
            order[low : high + 1].tolist(),
            key=lambda slot: [
                column[first[slot] : stop[slot]].tolist() for column in (corpus.start, corpus.end, corpus.category)
            ],
        )
