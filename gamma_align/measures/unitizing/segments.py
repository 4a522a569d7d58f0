"""Each annotator's units and the gaps between them, as one partition of the continuum (K16 eq. 1), and what they share.

Segments of a slot cover the continuum without overlapping, so those that meet a given segment of another slot are
contiguous: two searches find them. Boundaries are replaced by their ranks for that, so that many instances are searched
at once and touching is decided exactly.

Conventions
-----------
* An *instance* is one continuum with its annotators: a document, or one layer of a document.
* A *slot* is one annotator of one instance; slots of an instance are contiguous, and so are the segments of a slot.
* Units without length are left out: they take nothing from a gap and add nothing to any length.
* On a layer of one category, units of one annotator that overlap are joined: the layer says where the category is.

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
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError

NO_UNIT = -1  # row of the unit that a gap is not

_FURTHEST = 1e50  # no boundary is further out, nor, but for 0, nearer to 0 than its inverse: for powers of lengths
_SEGMENTS = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class SlotUnits:
    """Units of instances, those of a slot contiguous and in order.

    `document` and `layer`, shape (n_instances,), are what each instance is of, -1 where it is not a layer. The slots of
    an instance begin at its entry of `slots`, the units of a slot at its entry of `units`; both have the end besides.
    `row`, `start` and `end`, shape (n_units,), are the units' rows in the corpus (of joined units, the first one's) and
    boundaries; `joined`, shape (n_documents,), is how many units of each document were joined to one before them.
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
    """Partitions of the continuum, one a slot.

    The slots of an instance begin at its entry of `slots`, the segments of a slot at its entry of `offsets`; both have
    the end besides. `start`, `end` and `unit`, shape (n_segments,), are boundaries and the unit's row in the corpus, -1
    for a gap. Every segment has a length, and begins where the segment before it in its slot ends.
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


def measurable(corpus: Corpus) -> IntArray:
    """Return the documents that two annotators saw and that have a length."""
    return np.flatnonzero((corpus.n_annotators >= 2) & (corpus.extents[:, 1] > corpus.extents[:, 0]))  # noqa: PLR2004


def slot_units(corpus: Corpus, *, layers: bool, join: bool = True) -> SlotUnits:
    """Return the units of every document that two annotators saw and that has a length.

    With `layers`, an instance is a category of a document, and `join` joins units of a layer that overlap.
    """
    unit_document = corpus.unit_document
    documents = measurable(corpus)
    row = np.flatnonzero(np.isin(unit_document, documents) & (corpus.end > corpus.start))
    _refuse_out_of_range(corpus, unit_document[row], np.stack([corpus.start[row], corpus.end[row]], axis=1))
    _refuse_out_of_range(corpus, documents, corpus.extents[documents])
    if layers:
        width = len(corpus.categories) + 1
        label = corpus.category[row] + 1  # units without a label are on a layer too
        keys, instance = np.unique(unit_document[row] * width + label, return_inverse=True)
        document, layer = keys // width, keys % width - 1
    else:
        document = documents
        layer = np.full(len(document), -1)
        instance = np.searchsorted(document, unit_document[row])
    slots = np.concatenate([[0], np.cumsum(corpus.n_annotators[document])])
    slot = slots[instance] + corpus.annotator_in_document[row]
    start, end, joined = corpus.start[row], corpus.end[row], np.zeros(len(corpus), dtype=np.int64)
    if layers:
        order = np.argsort(slot, kind="stable")
        row, slot, start, end = row[order], slot[order], start[order], end[order]
    if layers and join and len(row):
        first, end = _joined(slot, start, end)
        joined = np.bincount(unit_document[np.delete(row, first)], minlength=len(corpus))
        row, slot, start = row[first], slot[first], start[first]
    units = np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=int(slots[-1])))])
    return SlotUnits(document, layer, slots, units, row, start, end, joined)


def _refuse_out_of_range(corpus: Corpus, document: IntArray, boundaries: FloatArray) -> None:
    size = np.abs(boundaries)
    for row, column in np.argwhere((size > _FURTHEST) | ((size > 0) & (size < 1 / _FURTHEST)))[:1].tolist():
        name, boundary = corpus.documents[document[row]], boundaries[row, column]
        raise InputError(
            f"document {name!r}: the boundary {boundary:.15g} is out of range for powers of lengths, which is "
            f"{1 / _FURTHEST:g} to {_FURTHEST:g} and 0; give boundaries in another unit of length"
        )


def _joined(slot: IntArray, start: FloatArray, end: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the first of each run of units of a slot that overlap, and where the run ends."""
    known, rank = np.unique(end, return_inverse=True)
    furthest = np.maximum.accumulate(slot * len(end) + rank.reshape(-1))  # of its own slot: later ones have more
    ends = known[furthest - slot * len(end)]
    new = np.ones(len(start), dtype=np.bool_)
    new[1:] = (slot[1:] != slot[:-1]) | (start[1:] >= ends[:-1])
    last = np.append(np.flatnonzero(new)[1:], len(start)) - 1
    return np.flatnonzero(new), ends[last]


def segments(corpus: Corpus, units: SlotUnits) -> Segments:
    """Return the partitions: units, and gaps before, between and after them."""
    start, end = units.start, units.end
    n_slots, count = len(units.units) - 1, np.diff(units.units)
    slot = np.repeat(np.arange(n_slots), count)
    same = slot[1:] == slot[:-1]
    _refuse_overlap(corpus, units, same & (start[1:] < end[:-1]))
    extents = np.repeat(corpus.extents[units.document], np.diff(units.slots), axis=0)
    # slot s with k units is  gap unit gap unit … gap:  2k + 1 segments, from 2·(units before it) + s on
    first_gap, last_gap = (2 * before + np.arange(n_slots) for before in (units.units[:-1], units.units[1:]))
    unit = 2 * np.arange(len(start)) + 1 + slot
    low, high = np.empty(2 * len(start) + n_slots), np.empty(2 * len(start) + n_slots)
    row = np.full(len(low), NO_UNIT)
    low[unit], high[unit], row[unit] = start, end, units.row
    high[unit - 1], high[last_gap] = start, extents[:, 1]
    low[unit + 1], low[first_gap] = end, extents[:, 0]
    long = high > low
    offsets = np.concatenate([[0], np.cumsum(long)])[np.append(first_gap, len(low))]
    return Segments(units.slots, offsets, low[long], high[long], row[long])


def _refuse_overlap(corpus: Corpus, units: SlotUnits, overlapping: BoolArray) -> None:
    overlaps = np.flatnonzero(overlapping)
    if not len(overlaps):
        return
    first, second = units.row[overlaps[0]], units.row[overlaps[0] + 1]
    document = corpus.unit_document[first]
    cure = "mend them"
    if not (units.layer >= 0).any():
        cure += ", or measure each category on a layer of its own: unitizing_alpha(overlap='layers'), "
        cure += "measure --overlap layers"
    more = f" (and at {len(overlaps) - 1} other places)" if len(overlaps) > 1 else ""
    raise InputError(
        f"document {corpus.documents[document]!r}, annotator {corpus.annotators[corpus.annotator[first]]!r}: units "
        f"{_describe_unit(corpus, first)} and {_describe_unit(corpus, second)} overlap{more}; lengths of "
        f"intersections need units of one annotator that do not: {cure}"
    )


def _describe_unit(corpus: Corpus, row: int) -> str:
    code = int(corpus.category[row])
    label = "" if code < 0 else f" {corpus.categories[code]!r}"
    return f"[{corpus.start[row]:.15g}, {corpus.end[row]:.15g}]{label}"


class Intersections(NamedTuple):
    """Pairs of segments of two slots of one instance that share some length, every pair of slots whole.

    `first` and `second` are rows of segments, `length` what they share; shape (n_pairs,) each.
    """

    first: IntArray
    second: IntArray
    length: FloatArray


def intersections(segments: Segments) -> Iterator[Intersections]:
    """Yield the intersections of every two slots of an instance, each pair of slots once.

    They come some whole instances at a time, slots next to each other first, so what is summed of an instance does not
    depend on others. The memory is that of the segments and of the pairs yielded.
    """
    start_key, width = _keys(segments)
    members = np.diff(segments.slots)
    for first, last in chunks(np.diff(segments.offsets[segments.slots]), _SEGMENTS):
        slots = np.arange(segments.slots[first], segments.slots[last])
        among = members[first:last]
        behind = np.repeat(segments.slots[first + 1 : last + 1], among) - slots  # of its instance, from this slot on
        for step in range(1, int(among.max(initial=0))):
            yield _met_ahead(segments, slots[behind > step], step, start_key, width)


def _keys(segments: Segments) -> tuple[IntArray, int]:
    """Return slot · width + rank of the start, ascending; the ranks of an instance are among its own starts."""
    slot = np.repeat(np.arange(len(segments.offsets) - 1), np.diff(segments.offsets))
    instance = segments.instance
    order = np.lexsort((segments.start, instance))
    instance, start = instance[order], segments.start[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (instance[1:] != instance[:-1]) | (start[1:] != start[:-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(new)
    width = len(order) + 2
    return slot * width + rank, width


def _met_ahead(segments: Segments, slots: IntArray, step: int, start_key: IntArray, width: int) -> Intersections:
    """Return the intersections of these slots with those `step` later."""
    count = np.diff(segments.offsets)[slots]
    rows = ranges(segments.offsets[slots], count)
    moved = start_key[rows] + step * width
    begins = np.searchsorted(start_key, moved, side="right") - 1
    # a segment ends where the next one of its slot starts, the last one where the continuum does
    ends = np.empty(len(rows), dtype=np.int64)
    ends[:-1] = np.searchsorted(start_key, moved[1:], side="left")
    ends[np.cumsum(count) - 1] = segments.offsets[slots + step + 1]
    met = ends - begins
    first, second = np.repeat(rows, met), ranges(begins, met)
    length = np.minimum(segments.end[first], segments.end[second])
    length -= np.maximum(segments.start[first], segments.start[second])
    return Intersections(first, second, length)
