"""Each annotator's units and the gaps between them, as one partition of the continuum (K16 eq. 1).

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

from dataclasses import dataclass

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.data.batch import ranges
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError

NO_UNIT = -1
"""Row of the unit that a gap is not."""

FURTHEST = 1e50
"""Bounds are not further out, nor, but for 0 itself, nearer to 0 than its inverse: powers of lengths stay in range."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Units of instances, those of a slot contiguous and in order.

    Attributes
    ----------
    document : ndarray of int64, shape (n_instances,)
        The document each instance is (a layer) of.
    layer : ndarray of int64, shape (n_instances,)
        The category it is the layer of; -1 where it is not a layer.
    slots : ndarray of int64, shape (n_instances + 1,)
        Where each instance's slots begin.
    units : ndarray of int64, shape (n_slots + 1,)
        Where each slot's units begin.
    row : ndarray of int64, shape (n_units,)
        The unit's row in the corpus; of joined units, the first one's.
    start, end : ndarray of float64, shape (n_units,)
        Bounds.
    joined : int
        How many units were joined to one before them.
    """

    document: IntArray
    layer: IntArray
    slots: IntArray
    units: IntArray
    row: IntArray
    start: FloatArray
    end: FloatArray
    joined: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Partitions of the continuum, one a slot.

    Attributes
    ----------
    slots : ndarray of int64, shape (n_instances + 1,)
        Where each instance's slots begin.
    offsets : ndarray of int64, shape (n_slots + 1,)
        Where each slot's segments begin.
    start, end : ndarray of float64, shape (n_segments,)
        Bounds; every segment has a length, and begins where the one before it in its slot ends.
    unit : ndarray of int64, shape (n_segments,)
        Row of the unit in the corpus, -1 for a gap.
    """

    slots: IntArray
    offsets: IntArray
    start: FloatArray
    end: FloatArray
    unit: IntArray


def measurable(corpus: Corpus) -> IntArray:
    """Return the documents that two annotators saw and that have a length."""
    return np.flatnonzero((corpus.n_annotators >= 2) & (corpus.extents[:, 1] > corpus.extents[:, 0]))  # noqa: PLR2004


def placed(corpus: Corpus, *, layers: bool, join: bool = True) -> Placed:
    """Return the units of every document that two annotators saw and that has a length.

    Parameters
    ----------
    corpus : Corpus
        The data.
    layers : bool
        One instance for each document and category in it, instead of one for each document.
    join : bool
        Join units of a layer that overlap.
    """
    unit_document = corpus.unit_document
    documents = measurable(corpus)
    row = np.flatnonzero(np.isin(unit_document, documents) & (corpus.end > corpus.start))
    _refuse_out_of_range(corpus, unit_document[row], np.stack([corpus.start[row], corpus.end[row]], axis=1))
    _refuse_out_of_range(corpus, documents, corpus.extents[documents])
    if layers:
        width = len(corpus.categories) + 1
        keys, instance = np.unique(
            unit_document[row] * width + corpus.category[row] + 1, return_inverse=True
        )  # + 1: a layer of those without a label too
        document, layer = keys // width, keys % width - 1
    else:
        document = documents
        layer = np.full(len(document), -1)
        instance = np.searchsorted(document, unit_document[row])
    slots = np.concatenate([[0], np.cumsum(corpus.n_annotators[document])])
    slot = slots[instance] + corpus.annotator_in_document[row]
    start, end, joined = corpus.start[row], corpus.end[row], 0
    if layers:
        order = np.argsort(slot, kind="stable")
        row, slot, start, end = row[order], slot[order], start[order], end[order]
    if layers and join and len(row):
        first, end = _joined(slot, start, end)
        joined = len(row) - len(first)
        row, slot, start = row[first], slot[first], start[first]
    units = np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=int(slots[-1])))])
    return Placed(document, layer, slots, units, row, start, end, joined)


def _refuse_out_of_range(corpus: Corpus, document: IntArray, bounds: FloatArray) -> None:
    size = np.abs(bounds)
    for row, column in np.argwhere((size > FURTHEST) | ((size > 0) & (size < 1 / FURTHEST)))[:1].tolist():
        raise InputError(
            f"document {corpus.documents[document[row]]!r}: the bound {bounds[row, column]:.15g} is out of range for "
            f"powers of lengths, which is {1 / FURTHEST:g} to {FURTHEST:g} and 0; give bounds in another unit of length"
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


def segments(corpus: Corpus, units: Placed) -> Segments:
    """Return the partitions: units, and gaps before, between and after them."""
    start, end = units.start, units.end
    n_slots, count = len(units.units) - 1, np.diff(units.units)
    slot = np.repeat(np.arange(n_slots), count)
    same = slot[1:] == slot[:-1]
    _refuse_overlap(corpus, units, same & (start[1:] < end[:-1]))
    extents = np.repeat(corpus.extents[units.document], np.diff(units.slots), axis=0)
    # slot s with k units is  gap unit gap unit … gap:  2k + 1 segments, from 2·(units before it) + s on
    unit_at = 2 * np.arange(len(start)) + 1 + slot
    last_at = 2 * units.units[1:] + np.arange(n_slots)
    low, high = np.empty(2 * len(start) + n_slots), np.empty(2 * len(start) + n_slots)
    row = np.full(len(low), NO_UNIT)
    low[unit_at], high[unit_at], row[unit_at] = start, end, units.row
    high[unit_at - 1], high[last_at] = start, extents[:, 1]
    low[unit_at + 1] = end
    low[2 * units.units[:-1] + np.arange(n_slots)] = extents[:, 0]
    some = high > low
    kept = np.concatenate([[0], np.cumsum(some)])
    offsets = kept[np.concatenate([2 * units.units[:-1] + np.arange(n_slots), [len(low)]])]
    return Segments(units.slots, offsets, low[some], high[some], row[some])


def _refuse_overlap(corpus: Corpus, units: Placed, overlapping: BoolArray) -> None:
    at = np.flatnonzero(overlapping)
    if not len(at):
        return
    first, second = units.row[at[0]], units.row[at[0] + 1]
    document = corpus.unit_document[first]
    cure = "mend them"
    if not (units.layer >= 0).any():
        cure += ", or measure each category on a layer of its own: unitizing_alpha(overlap='layers'), "
        cure += "measure --overlap layers"
    more = f" (and at {len(at) - 1} other places)" if len(at) > 1 else ""
    raise InputError(
        f"document {corpus.documents[document]!r}, annotator {corpus.annotators[corpus.annotator[first]]!r}: units "
        f"{_describe_unit(corpus, first)} and {_describe_unit(corpus, second)} overlap{more}; lengths of "
        f"intersections need units of one annotator that do not: {cure}"
    )


def _describe_unit(corpus: Corpus, row: int) -> str:
    code = int(corpus.category[row])
    label = "" if code < 0 else f" {corpus.categories[code]!r}"
    return f"[{corpus.start[row]:.15g}, {corpus.end[row]:.15g}]{label}"


def segment_ranges(segments: Segments, slots: IntArray) -> IntArray:
    """Return the rows of all segments of these slots, slot by slot."""
    return ranges(segments.offsets[slots], np.diff(segments.offsets)[slots])
