"""Pairs of annotators of a document as instances of a batch, and the stretches that their units cover."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, ranges
from gamma_align.data import Batch, Corpus, few
from gamma_align.errors import Location, SettingsError, did_you_mean
from gamma_align.inference import Value

REFERENCE = 0
SYSTEM = 1
"""The two sides of a pair: indices of annotators in the batch, and of columns that have one for each side."""

_MAX_NAMES_SHOWN = 10  # annotators that a message lists


class Slots(NamedTuple):
    """Pairs of annotators of a document: indices into `corpus.seen`, shape (n_pairs,) each."""

    reference: IntArray
    system: IntArray


def pairs_with_reference(corpus: Corpus, reference: int) -> Slots:
    """Return the pairs of an annotator with all others, on the documents that both saw."""
    reference_slots = np.flatnonzero(corpus.seen == reference)
    slot_of_document = np.full(len(corpus), -1)
    slot_of_document[corpus.seen_document[reference_slots]] = reference_slots
    partner = slot_of_document[corpus.seen_document]
    system_slots = np.flatnonzero((partner >= 0) & (corpus.seen != reference))
    return Slots(partner[system_slots], system_slots)


def all_pairs(corpus: Corpus) -> Slots:
    """Return all pairs of annotators of each document; the first by name is in the position of the reference."""
    slots = np.arange(len(corpus.seen))
    n_later = corpus.seen_offsets[corpus.seen_document + 1] - slots - 1
    return Slots(np.repeat(slots, n_later), ranges(slots + 1, n_later))


def annotator_pairs(corpus: Corpus, slots: Slots) -> Iterator[tuple[str, str, IntArray]]:
    """Yield the names of two annotators, sorted, and the indices of their pairs."""
    width = max(len(corpus.annotators), 1)
    key = corpus.seen[slots.reference] * width + corpus.seen[slots.system]
    order = np.argsort(key, kind="stable")
    keys, first = np.unique(key[order], return_index=True)
    bounds = itertools.pairwise([*first.tolist(), len(order)])
    for pair_key, (begin, end) in zip(keys.tolist(), bounds, strict=True):
        yield corpus.annotators[pair_key // width], corpus.annotators[pair_key % width], order[begin:end]


def mean_over_pairs(values: Sequence[Value]) -> Value:
    """Return the plain mean of the values that are available."""
    available = [value.value for value in values if value.reason is None]
    return Value(math.fsum(available) / len(available)) if available else Value.unavailable("no pair has a value")


def annotator_code(corpus: Corpus, reference: str) -> int:
    """Return the code of the annotator that is the reference, or raise SettingsError."""
    if reference in corpus.annotators:
        return corpus.annotators.index(reference)
    hint = did_you_mean(repr(reference), map(repr, corpus.annotators))
    listing = f"; there are {few(map(repr, corpus.annotators), _MAX_NAMES_SHOWN)}"
    cause = f"there is no annotator {reference!r}{hint or listing}"
    raise SettingsError(cause, location=Location.for_option("reference"))


@dataclass(frozen=True, slots=True, eq=False)
class Pairings:
    """Pairs of annotators, each on one document, and their units.

    `document` and the codes of the two annotators, `reference` and `system`, have shape (n_pairs,). In `batch` pair i
    is instance i, and its annotators are `REFERENCE` and `SYSTEM`; `row` is the row of each unit in the corpus.
    """

    document: IntArray
    reference: IntArray
    system: IntArray
    batch: Batch
    row: IntArray

    @classmethod
    def of(cls, corpus: Corpus, slots: Slots) -> Pairings:
        """Return the pairs with their units."""
        slot = np.stack(slots, axis=1).ravel()
        n_units = np.bincount(corpus.unit_seen, minlength=len(corpus.seen))
        rows = ranges((np.cumsum(n_units) - n_units)[slot], n_units[slot])  # the units of a slot are consecutive rows
        instance, side = np.divmod(np.repeat(np.arange(len(slot)), n_units[slot]), 2)
        n_annotators = np.full(len(slots.reference), 2)
        columns = (corpus.start[rows], corpus.end[rows], corpus.category[rows])
        batch, order = Batch.build(n_annotators, instance, side, *columns)
        document = corpus.seen_document[slots.reference]
        return cls(document, corpus.seen[slots.reference], corpus.seen[slots.system], batch, rows[order])

    def names(self, corpus: Corpus) -> list[str]:
        """Return the name of the document of each pair."""
        return [corpus.documents[document] for document in self.document.tolist()]

    def __len__(self) -> int:
        return len(self.document)


def rank_positions(instance: IntArray, position: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the rank of each position among all, by instance, and the instance and position of each rank."""
    order = np.lexsort((position, instance))
    instance = instance[order]
    position = position[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (instance[1:] != instance[:-1]) | (position[1:] != position[:-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(is_new) - 1
    return rank, instance[is_new], position[is_new]


def range_sums(values: FloatArray, low: IntArray, high: IntArray) -> FloatArray:
    """Return the sums of values low, low + 1 … high - 1.

    Each is added up by itself: as a difference of cumulative sums it would be rounded by values outside the range.
    """
    sums = np.zeros(len(low))
    is_filled = low < high
    if is_filled.any():
        ends = np.stack([low[is_filled], high[is_filled]], axis=1).ravel()
        sums[is_filled] = np.add.reduceat(np.append(values, 0.0), ends)[::2]
    return sums


class Pieces(NamedTuple):
    """Stretches between neighbouring boundaries of a group of units.

    `group`, shape (n_pieces,); `low` and `high`, the ranks of their ends; `active`, the number of units by side, shape
    (2, n_pieces).
    """

    group: IntArray
    low: IntArray
    high: IntArray
    active: IntArray

    @classmethod
    def of(cls, group: IntArray, low: IntArray, high: IntArray, side: IntArray, n_ranks: int) -> Pieces:
        """Return the pieces with a unit, of units that reach from rank `low` to rank `high`."""
        keys = np.tile(group, 2) * n_ranks + np.concatenate([low, high])
        points, point = np.unique(keys, return_inverse=True)
        change = np.repeat([1.0, -1.0], len(group))  # a unit begins, a unit ends
        key = np.tile(side, 2) * len(points) + point.reshape(-1)
        changes = np.bincount(key, weights=change, minlength=2 * len(points)).reshape(2, -1)
        active = np.cumsum(changes, axis=1).astype(np.int64)
        # No unit is active from the last point of a group on, so that the next point is of the same group.
        covered = np.flatnonzero(active.any(axis=0))
        group, start = np.divmod(points[covered], n_ranks)
        return cls(group, start, points[covered + 1] % n_ranks, active[:, covered])
