"""Each annotator's units and the gaps between them as one partition of the continuum (K16 eq. 1), and intersections.

The segments of a slot cover the continuum without overlapping, so the segments that intersect a given segment of
another slot are contiguous: two searches find them. Boundaries are replaced by their ranks, so that many instances are
searched at once and segments that only touch are recognised exactly.

Conventions
-----------
* An *instance* is one continuum with its annotators: a document, or one layer of a document.
* A *slot* is one annotator of one instance; slots of an instance are contiguous, and so are the segments of a slot.
* Units without length are ignored: they add nothing to any length and leave gaps as they are.
* On a layer of one category, units of one annotator that overlap are joined: a layer shows where the category occurs.

References
----------
K16: Krippendorff, Mathet, Bouvry & Widlöcher 2016, On the reliability of unitizing textual continua.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, chunks, ranges
from gamma_align.data import Corpus, counted
from gamma_align.errors import Cure, InputError, Set

NO_UNIT = -1  # in place of the row of a unit, for a gap
MIN_ANNOTATORS = 2  # of a document that can be measured

# Boundaries other than 0 lie between the inverse and this value, so that powers of lengths do not overflow.
_MAX_BOUNDARY = 1e50
_CHUNK_SEGMENTS = 500_000  # segments whose intersections are computed at once


@dataclass(frozen=True, slots=True, eq=False)
class SlotUnits:
    """Units of instances, sorted by slot and position.

    `document` and `layer`, shape (n_instances,), identify an instance; the layer is -1 if the instance is a document.
    `slots` are the offsets of instances in the slots, shape (n_instances + 1,), and `units` the offsets of slots in the
    units, shape (n_slots + 1,). `row`, `start` and `end`, shape (n_units,), are rows in the corpus (of joined units,
    the first one's) and boundaries. `joined`, shape (n_documents,), is the number of units joined to a previous one.
    """

    document: IntArray
    layer: IntArray
    slots: IntArray
    units: IntArray
    row: IntArray
    start: FloatArray
    end: FloatArray
    joined: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Partitions of the continuum, one for each slot.

    `slots` are the offsets of instances in the slots, and `offsets` the offsets of slots in the segments. `start`,
    `end` and `unit`, shape (n_segments,), are boundaries and the unit's row in the corpus, `NO_UNIT` for a gap. Every
    segment has a length, and begins at the end of the previous segment of its slot.
    """

    slots: IntArray
    offsets: IntArray
    start: FloatArray
    end: FloatArray
    unit: IntArray

    @property
    def instance(self) -> IntArray:
        """The instance of each segment."""
        counts: IntArray = np.diff(self.offsets[self.slots])
        return np.repeat(np.arange(len(counts)), counts)


def measurable_documents(corpus: Corpus) -> IntArray:
    """Return the documents that two annotators saw and that have a length."""
    return np.flatnonzero((corpus.n_annotators >= MIN_ANNOTATORS) & (corpus.extents[:, 1] > corpus.extents[:, 0]))


def slot_units(corpus: Corpus, *, layers: bool, join: bool = True) -> SlotUnits:
    """Return the units of all measurable documents.

    With `layers`, an instance is a category of a document, and `join` joins units of a layer that overlap.
    """
    documents = measurable_documents(corpus)
    row = np.flatnonzero(np.isin(corpus.unit_document, documents) & (corpus.end > corpus.start))
    unit_document = corpus.unit_document[row]
    _refuse_out_of_range(corpus, unit_document, np.stack([corpus.start[row], corpus.end[row]], axis=1))
    _refuse_out_of_range(corpus, documents, corpus.extents[documents])
    if layers:
        width = len(corpus.categories) + 1
        label = corpus.category[row] + 1  # units without a label have a layer, too
        keys, instance = np.unique(unit_document * width + label, return_inverse=True)
        document = keys // width
        layer = keys % width - 1
    else:
        document = documents
        layer = np.full(len(document), -1)
        instance = np.searchsorted(document, unit_document)
    slots = np.concatenate([[0], np.cumsum(corpus.n_annotators[document])])
    slot = slots[instance] + corpus.annotator_in_document[row]
    order = np.argsort(slot, kind="stable")
    row = row[order]
    slot = slot[order]
    start = corpus.start[row]
    end = corpus.end[row]
    joined = np.zeros(len(corpus), dtype=np.int64)
    if layers and join and len(row):
        first, end = _join_overlapping(slot, start, end)
        joined = np.bincount(corpus.unit_document[np.delete(row, first)], minlength=len(corpus))
        row = row[first]
        slot = slot[first]
        start = start[first]
    units = np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=int(slots[-1])))])
    return SlotUnits(document, layer, slots, units, row, start, end, joined)


def _refuse_out_of_range(corpus: Corpus, document: IntArray, boundaries: FloatArray) -> None:
    """Raise an InputError if squared lengths would exceed the range of floating-point numbers."""
    size = np.abs(boundaries)
    is_wrong = (size > _MAX_BOUNDARY) | ((size > 0) & (size < 1 / _MAX_BOUNDARY))
    if is_wrong.any():
        row, column = np.argwhere(is_wrong)[0].tolist()
        raise InputError(
            f"document {corpus.documents[document[row]]!r}: the boundary {boundaries[row, column]:.15g} is out of "
            f"range for powers of lengths, which is {1 / _MAX_BOUNDARY:g} to {_MAX_BOUNDARY:g} and 0",
            "give boundaries in another unit of length",
        )


def _join_overlapping(slot: IntArray, start: FloatArray, end: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the first unit of each run of units of a slot that overlap, and the end of the run."""
    ends, rank = np.unique(end, return_inverse=True)
    # The maximum so far is always of the unit's slot: keys grow with the slot.
    run_key = np.maximum.accumulate(slot * len(end) + rank.reshape(-1))
    run_end = ends[run_key - slot * len(end)]
    is_first = np.ones(len(start), dtype=np.bool_)
    is_first[1:] = (slot[1:] != slot[:-1]) | (start[1:] >= run_end[:-1])
    first = np.flatnonzero(is_first)
    return first, run_end[np.append(first[1:], len(start)) - 1]


def partition(corpus: Corpus, units: SlotUnits) -> Segments:
    """Return the partitions: units, and gaps before, between and after them."""
    start = units.start
    end = units.end
    n_slots = len(units.units) - 1
    n_units = len(start)
    slot = np.repeat(np.arange(n_slots), np.diff(units.units))
    is_same_slot = slot[1:] == slot[:-1]
    _refuse_overlap(corpus, units, is_same_slot & (start[1:] < end[:-1]))

    # Slot s with k units has the 2k + 1 segments gap, unit, gap, …, gap; they begin at 2 · (units before it) + s.
    first_gap, last_gap = (2 * n_before + np.arange(n_slots) for n_before in (units.units[:-1], units.units[1:]))
    unit = 2 * np.arange(n_units) + 1 + slot
    low = np.empty(2 * n_units + n_slots)
    high = np.empty(2 * n_units + n_slots)
    row = np.full(len(low), NO_UNIT)
    low[unit] = start
    high[unit] = end
    row[unit] = units.row
    extents = np.repeat(corpus.extents[units.document], np.diff(units.slots), axis=0)
    high[unit - 1] = start
    high[last_gap] = extents[:, 1]
    low[unit + 1] = end
    low[first_gap] = extents[:, 0]

    has_length = high > low
    offsets = np.concatenate([[0], np.cumsum(has_length)])[np.append(first_gap, len(low))]
    return Segments(units.slots, offsets, low[has_length], high[has_length], row[has_length])


def _refuse_overlap(corpus: Corpus, units: SlotUnits, overlaps_next: BoolArray) -> None:
    """Raise an InputError that names the first two units of an annotator that overlap."""
    overlaps = np.flatnonzero(overlaps_next)
    if not len(overlaps):
        return
    first = units.row[overlaps[0]]
    second = units.row[overlaps[0] + 1]
    document = corpus.unit_document[first]
    annotator = corpus.annotator[first]
    further = f" (and {counted(len(overlaps) - 1, 'further pair')})" if len(overlaps) > 1 else ""
    cure = Cure("correct them")
    if not (units.layer >= 0).any():
        cure = Cure("{}, or measure each category on a layer of its own with {}", cure, Set("overlap", "layers"))
    raise InputError(
        f"document {corpus.documents[document]!r}, annotator {corpus.annotators[annotator]!r}: units "
        f"{_describe_unit(corpus, first)} and {_describe_unit(corpus, second)} overlap{further}; lengths of "
        "intersections are defined only if units of one annotator do not overlap",
        cure,
    )


def _describe_unit(corpus: Corpus, row: int) -> str:
    """Return a unit in words: its bounds and category."""
    code = int(corpus.category[row])
    label = "" if code < 0 else f" {corpus.categories[code]!r}"
    return f"[{corpus.start[row]:.15g}, {corpus.end[row]:.15g}]{label}"


class Intersections(NamedTuple):
    """Pairs of segments of two slots of one instance that share some length; a pair of slots is always complete.

    `first` and `second` are rows of segments, `length` the shared length; shape (n_pairs,) each.
    """

    first: IntArray
    second: IntArray
    length: FloatArray


def intersections(segments: Segments) -> Iterator[Intersections]:
    """Yield the intersections of all pairs of slots of an instance, each pair of slots once.

    Instances are not divided, and adjacent slots come first, so that the sums of an instance do not depend on other
    instances. Only the segments and the pairs just yielded are in memory.
    """
    start_key, width = _start_keys(segments)
    n_slots = np.diff(segments.slots)
    for first, last in chunks(np.diff(segments.offsets[segments.slots]), _CHUNK_SEGMENTS):
        slots = np.arange(segments.slots[first], segments.slots[last])
        n_following = np.repeat(segments.slots[first + 1 : last + 1], n_slots[first:last]) - slots  # itself included
        for step in range(1, int(n_slots[first:last].max(initial=0))):
            yield _intersections_ahead(segments, slots[n_following > step], step, start_key, width)


def _start_keys(segments: Segments) -> tuple[IntArray, int]:
    """Return slot · width + rank of the start, ascending, and the width; ranks are within an instance."""
    slot = np.repeat(np.arange(len(segments.offsets) - 1), np.diff(segments.offsets))
    instance = segments.instance
    order = np.lexsort((segments.start, instance))
    instance = instance[order]
    start = segments.start[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (instance[1:] != instance[:-1]) | (start[1:] != start[:-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(is_new)
    width = len(order) + 2
    return slot * width + rank, width


def _intersections_ahead(
    segments: Segments, slots: IntArray, step: int, start_key: IntArray, width: int
) -> Intersections:
    """Return the intersections of these slots with the slots `step` after them."""
    counts = np.diff(segments.offsets)[slots]
    rows = ranges(segments.offsets[slots], counts)
    target_key = start_key[rows] + step * width
    begins = np.searchsorted(start_key, target_key, side="right") - 1
    # A segment ends at the start of the next one of its slot, the last segment at the end of the continuum.
    ends = np.empty(len(rows), dtype=np.int64)
    ends[:-1] = np.searchsorted(start_key, target_key[1:], side="left")
    ends[np.cumsum(counts) - 1] = segments.offsets[slots + step + 1]
    n_partners = ends - begins
    first = np.repeat(rows, n_partners)
    second = ranges(begins, n_partners)
    length = np.minimum(segments.end[first], segments.end[second])
    length -= np.maximum(segments.start[first], segments.start[second])
    return Intersections(first, second, length)
