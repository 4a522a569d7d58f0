"""Batch: many independent continua as one set of columns.

Kernels treat documents of a corpus and random samples of a document alike: as *instances* that never interact. The
units of an instance are in canonical order (start, end, annotator, category). Every kernel depends only on that order,
so results do not depend on the other instances of a batch.

The annotators of an instance are numbered by their units (first unit, last unit, number of units, then all units), and
by name only if all units are equal, so that results do not depend on names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align import kernels
from gamma_align.columns import FloatArray, Index, IntArray, are_all, ranges
from gamma_align.data.corpus import Corpus


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Columns of many instances.

    `offsets` is the row at which each instance's units begin, shape (n_instances + 1,); `n_annotators` is the number of
    annotators of each instance, including annotators without units, shape (n_instances,). The other columns have shape
    (n_units,): instance, number of the annotator within the instance, bounds, code of the category (-1: none).
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
        """Put units in canonical order; return the batch and, for each of its units, the row in the arguments."""
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
        """Return the corpus as a batch with one instance per document, and each unit's row in the corpus."""
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
            mean: FloatArray = (self.offsets[1:] - self.offsets[:-1]) / self.n_annotators
        return mean

    def take(self, instances: IntArray) -> Batch:
        """Return the batch of these instances, in this order."""
        if len(instances) == len(self) and (instances == np.arange(len(self))).all():
            return self
        counts = np.diff(self.offsets)[instances]
        rows = ranges(self.offsets[instances], counts)
        instance = np.arange(len(instances)).repeat(counts)
        return self._with_units(rows, instance, counts, self.n_annotators[instances])

    def repeat(self, units: IntArray) -> Batch:
        """Return the batch with these units, ascending; a unit may be repeated."""
        instance = self.instance[units]
        return self._with_units(units, instance, np.bincount(instance, minlength=len(self)), self.n_annotators)

    def _with_units(self, rows: IntArray, instance: IntArray, counts: IntArray, n_annotators: IntArray) -> Batch:
        """Return a batch of these units; `counts` is the number of units of each instance."""
        return Batch(
            offsets=np.concatenate([[0], counts.cumsum()]),
            n_annotators=n_annotators,
            instance=instance,
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

    Annotators are ordered by the bounds of their first and last unit, then by their number of units; annotators
    without units are last. Translation and scale keep this order. Ties are broken by categories and all units, and by
    names only between annotators with the same units.
    """
    n_seen = len(corpus.seen)
    slot = corpus.unit_seen
    count = np.bincount(slot, minlength=n_seen)
    # The units of a slot are contiguous and sorted by (start, end).
    stop = count.cumsum()
    first = stop - count
    last = stop - 1
    has_units = count > 0
    keys = np.full((8, n_seen), np.inf)
    keys[0] = corpus.seen_document
    keys[5] = count
    start = corpus.start
    end = corpus.end
    category = corpus.category
    columns = ((1, start, first), (2, end, first), (3, start, last), (4, end, last))
    slots: Index = slice(None) if are_all(has_units) else has_units
    for row, column, unit in (*columns, (6, category, first), (7, category, last)):
        keys[row, slots] = column[unit[slots]]
    order = np.lexsort((np.arange(n_seen), *keys[::-1]))
    _break_ties(corpus, order, keys, first, stop)
    rank = np.empty(n_seen, dtype=np.int64)
    rank[order] = np.arange(n_seen) - corpus.seen_offsets[:-1].repeat(corpus.n_annotators)
    return rank


_UNITS_IN_KEYS = 2  # the keys of `canonical` contain the first and the last unit completely


def _break_ties(corpus: Corpus, order: IntArray, keys: FloatArray, first: IntArray, stop: IntArray) -> None:
    """Sort, in place, each run of `order` with equal `keys` by all the units of its slots."""
    starts = keys[1, order]
    if not np.count_nonzero(starts[1:] == starts[:-1]):  # most first units differ, and all keys take much longer
        return
    has_further_units = (stop - first)[order[1:]] > _UNITS_IN_KEYS
    is_tied = has_further_units & (keys[:, order[1:]] == keys[:, order[:-1]]).all(axis=0)
    if not np.count_nonzero(is_tied):
        return
    edges = np.diff(np.concatenate([[False], is_tied, [False]]).astype(np.int8)).nonzero()[0]
    for low, high in edges.reshape(-1, 2).tolist():
        order[low : high + 1] = sorted(
            order[low : high + 1].tolist(),
            key=lambda slot: [
                column[first[slot] : stop[slot]].tolist() for column in (corpus.start, corpus.end, corpus.category)
            ],
        )
