"""Pairs of annotators of a document as instances of a batch, and the stretches on which their units stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, ranges
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import few
from gamma_align.errors import SettingsError, did_you_mean

REFERENCE, SYSTEM = 0, 1
"""The two sides of a pair: numbers of annotators in the batch, and columns of what is counted."""


class Slots(NamedTuple):
    """Pairs of annotators of a document: entries of `corpus.seen`, shape (n_pairs,) each."""

    reference: IntArray
    system: IntArray


def with_reference(corpus: Corpus, reference: int) -> Slots:
    """Return an annotator with each of the others, on the documents that both saw."""
    own = np.flatnonzero(corpus.seen == reference)
    own_of = np.full(len(corpus), -1)
    own_of[corpus.seen_document[own]] = own
    of_other = own_of[corpus.seen_document]
    others = np.flatnonzero((of_other >= 0) & (corpus.seen != reference))
    return Slots(of_other[others], others)


def every_two(corpus: Corpus) -> Slots:
    """Return every two annotators of each document; the first by name takes the place of the reference."""
    entries = np.arange(len(corpus.seen))
    later = corpus.seen_offsets[corpus.seen_document + 1] - entries - 1
    return Slots(np.repeat(entries, later), ranges(entries + 1, later))


def annotator_pairs(corpus: Corpus, slots: Slots) -> Iterator[tuple[str, str, IntArray]]:
    """Yield the names of two annotators, sorted, and the indices of their pairs."""
    width = max(len(corpus.annotators), 1)
    key = corpus.seen[slots.reference] * width + corpus.seen[slots.system]
    order = np.argsort(key, kind="stable")
    codes, begin = np.unique(key[order], return_index=True)
    for code, rows in zip(codes.tolist(), np.split(order, begin[1:]), strict=True) if len(codes) else ():
        yield corpus.annotators[code // width], corpus.annotators[code % width], rows


def code_of(corpus: Corpus, reference: str) -> int:
    """Return the code of an annotator; SettingsError for one who is not there."""
    if reference in corpus.annotators:
        return corpus.annotators.index(reference)
    names = few(map(repr, corpus.annotators), 10)
    hint = did_you_mean(repr(reference), map(repr, corpus.annotators)) or f"; there are {names}"
    raise SettingsError(f"no annotator {reference!r} to be the reference{hint}")


@dataclass(frozen=True, slots=True, eq=False)
class Pairings:
    """Pairs of annotators, each on one document, and their units.

    `document` and the two annotators' codes, `reference` and `system`, have shape (n_pairs,). In `batch` pair i is
    instance i, its reference annotator `REFERENCE`, the other `SYSTEM`; `row` is the row of each unit in the corpus.
    """

    document: IntArray
    reference: IntArray
    system: IntArray
    batch: Batch
    row: IntArray

    @classmethod
    def of(cls, corpus: Corpus, slots: Slots) -> Pairings:
        """Return the pairs with their units."""
        entries = np.stack(slots, axis=1).ravel()
        counts = np.bincount(corpus.unit_seen, minlength=len(corpus.seen))
        rows = ranges((np.cumsum(counts) - counts)[entries], counts[entries])  # units of an entry stand together
        place = np.repeat(np.arange(len(entries)), counts[entries])
        two = np.full(len(slots.reference), 2)
        columns = (corpus.start[rows], corpus.end[rows], corpus.category[rows])
        batch, order = Batch.build(two, place // 2, place % 2, *columns)
        document = corpus.seen_document[slots.reference]
        return cls(document, corpus.seen[slots.reference], corpus.seen[slots.system], batch, rows[order])

    def __len__(self) -> int:
        return len(self.document)


class Pieces(NamedTuple):
    """Stretches between neighbouring boundaries of a group of units.

    `group`, shape (n_pieces,); `low` and `high`, the ranks of their ends; `active`, the number of units there by side,
    shape (2, n_pieces).
    """

    group: IntArray
    low: IntArray
    high: IntArray
    active: IntArray


def between(steps: FloatArray, low: IntArray, high: IntArray) -> FloatArray:
    """Return the sums of steps low, low + 1 … high - 1, whatever else there is: not differences of sums."""
    some = low < high
    sums = np.zeros(len(low))
    if some.any():
        ends = np.stack([low[some], high[some]], axis=1).ravel()
        sums[some] = np.add.reduceat(np.append(steps, 0.0), ends)[::2]
    return sums


def ranks(instance: IntArray, position: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the rank of each position among those of all instances, and the instance and position of each rank."""
    order = np.lexsort((position, instance))
    of, at = instance[order], position[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (of[1:] != of[:-1]) | (at[1:] != at[:-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(new) - 1
    return rank, of[new], at[new]


def pieces(group: IntArray, low: IntArray, high: IntArray, side: IntArray, n_ranks: int) -> Pieces:
    """Return the pieces of the groups on which there are units, which go from rank `low` to rank `high`."""
    points, index = np.unique(
        np.concatenate([group, group]) * n_ranks + np.concatenate([low, high]), return_inverse=True
    )
    change = np.repeat([1.0, -1.0], len(group))
    steps = np.bincount(np.tile(side, 2) * len(points) + index.reshape(-1), weights=change, minlength=2 * len(points))
    count = np.cumsum(steps.reshape(2, -1), axis=1).astype(np.int64)
    covered = np.flatnonzero(count.any(axis=0))  # a group's last point covers nothing
    return Pieces(
        points[covered] // n_ranks, points[covered] % n_ranks, points[covered + 1] % n_ranks, count[:, covered]
    )
