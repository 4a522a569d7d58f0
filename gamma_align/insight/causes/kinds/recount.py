"""Positions that were counted in another way: line ends as two characters, bytes, or UTF-16 units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, numbered, numbered_rows
from gamma_align.insight.causes.cause import (
    Candidate,
    Cause,
    Sentence,
    Tier,
    documents_text,
    name_of,
    needs_texts,
    others_of,
)
from gamma_align.insight.causes.kinds.offset import is_owner_named
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

# ways
LINE_ENDS = "line end"
BYTES = "character outside ASCII"
UTF16 = "character beyond U+FFFF"
_COUNTS_OF_WAYS = {LINE_ENDS: "line ends count twice", BYTES: "bytes of UTF-8 are counted", UTF16: "UTF-16 is counted"}
_MORE_BYTES_AFTER = (0x7F, 0x7FF, 0xFFFF)  # the last code points that take 1, 2 and 3 bytes in UTF-8, and 2 in UTF-16
NATS_OF_A_UNIT = 3.0  # that a unit coincides with one of the others after a change of its bounds and not before
_PRICE_OF_A_DOCUMENT = 2.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NewBounds(Candidate):
    """The units of an annotator in some documents, to be moved to `start` and `end`.

    `fits` are the numbers of units that coincide with one of the others before and after.
    """

    units: IntArray
    start: FloatArray
    end: FloatArray
    fits: tuple[int, int]
    n_documents: int

    def repair(self, view: View) -> Repair:
        """Move the units."""
        changed = view.units.take(self.units)
        changed.start[:] = self.start
        changed.end[:] = self.end
        return Repair(self.units, changed)


class Recount(NewBounds):
    """Units whose positions were counted in another way, to be counted anew."""

    def sentence(self, view: View) -> Sentence:
        """Return the character with which the difference grows, and how many units coincide when counted anew."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        scope = documents_text(view, self.documents, self.n_documents)
        before, after = self.fits
        return Sentence(
            f"In {scope}, the difference between {name} and {others_name} grows by 1 with each {self.direction}",
            f"Counted anew, {after:,} units coincide with one of {others_name}; {before:,} do now.",
        )

    def question(self, view: View) -> str:  # noqa: ARG002  (the interface)
        """Ask how positions are counted."""
        return f"Are positions counted in another way, so that {_COUNTS_OF_WAYS[self.direction]}?"


@lru_cache(maxsize=4)
def _extra_counts(texts: tuple[str | None, ...]) -> dict[str, list[IntArray | None]]:
    """Return how much more each way of counting counts before each character of a document; None for nothing."""
    result: dict[str, list[IntArray | None]] = {name: [] for name in (LINE_ENDS, BYTES, UTF16)}
    for text in texts:
        codes = np.frombuffer((text or "").encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        extra = {
            LINE_ENDS: codes == ord("\n"),
            BYTES: np.sum([codes > limit for limit in _MORE_BYTES_AFTER], axis=0),
            UTF16: codes > _MORE_BYTES_AFTER[-1],
        }
        for name, is_counted_more in extra.items():
            result[name].append(np.concatenate([[0], np.cumsum(is_counted_more)]) if is_counted_more.any() else None)
    return result


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators whose units coincide with the others' units after a recount."""
    if not view.has_texts:
        return
    for way, tables in _extra_counts(view.corpus.texts or ()).items():
        documents = [index for index, table in enumerate(tables) if table is not None]
        if documents:
            for sign in (1, -1):
                yield from _propose_recounts(view, way, sign, tables, documents)


def _propose_recounts(
    view: View, way: str, sign: int, tables: list[IntArray | None], documents: list[int]
) -> Iterator[Candidate]:
    corpus = view.corpus
    width = view.n_annotators
    rows = [np.arange(corpus.unit_offsets[index], corpus.unit_offsets[index + 1]) for index in documents]
    unit = np.concatenate(rows)
    start, end = (
        np.concatenate(
            [
                _recount_positions(column[document_units], tables[index], sign)
                for index, document_units in zip(documents, rows, strict=True)
            ]
        )
        for column in (corpus.start, corpus.end)
    )
    has_moved = start != corpus.start[unit]
    unit = unit[has_moved]
    start = start[has_moved]
    end = end[has_moved]
    before = have_equals(view, unit, corpus.start[unit], corpus.end[unit])
    after = have_equals(view, unit, start, end)
    lane = view.lane[unit]
    lanes, entry = numbered(lane)
    up, down = (np.bincount(entry, gained, len(lanes)) for gained in (after & ~before, before & ~after))
    evidence = NATS_OF_A_UNIT * (up - down) - _PRICE_OF_A_DOCUMENT
    is_moved = (up > 2 * down) & (evidence > 0)
    if not is_moved.any():
        return
    is_moved &= ~_fit_better_shifted(view, lanes, unit, start, up - down)
    for annotator in np.unique(lanes[is_moved] % width).tolist():
        is_own = is_moved & (lanes % width == annotator)
        touched = np.flatnonzero(np.isin(lane, lanes[is_own]))
        documents_of_lanes = lanes[is_own] // width
        # With two annotators, either could be counted anew: it is the one whose bounds are inside words.
        named = is_owner_named(view, annotator, documents_of_lanes)
        if named is None:
            continue
        yield Recount(
            annotator=annotator,
            net=float(evidence[is_own].sum()) - math.log(6 * width),
            is_named=named,
            documents=documents_of_lanes,
            direction=way,
            units=unit[touched],
            start=start[touched],
            end=end[touched],
            fits=(int(down[is_own].sum()), int(up[is_own].sum())),
            n_documents=int(np.count_nonzero(view.lanes[0] % width == annotator)),
        )


def have_equals(view: View, unit: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
    """Return whether another annotator has a unit with these bounds, and the label and document of each unit."""
    corpus = view.corpus
    labels = view.unit_document * (len(corpus.categories) + 1) + corpus.category + 1
    columns = ((labels, labels[unit]), (corpus.start, start), (corpus.end, end))
    key = numbered_rows(*map(np.concatenate, columns))
    unit_keys, sought_keys = np.split(key, [corpus.n_units])
    n_all = np.bincount(unit_keys, minlength=int(key.max(initial=0)) + 1)[sought_keys]
    width = view.n_annotators
    annotator_keys = np.sort(unit_keys * width + corpus.annotator)
    own_keys = sought_keys * width + corpus.annotator[unit]
    first = np.searchsorted(annotator_keys, own_keys, side="left")
    n_own = np.searchsorted(annotator_keys, own_keys, side="right") - first
    result: BoolArray = n_all > n_own
    return result


def _fit_better_shifted(view: View, lanes: IntArray, unit: IntArray, start: FloatArray, gained: IntArray) -> BoolArray:
    """Return whether a constant offset of all units of each lane explains more than the recount of some of them.

    A single line end before most units of a document would otherwise be taken for the cause of an offset by 1. The
    offset tried is the median change by the recount; `gained` counts the units that coincide by the recount.
    """
    corpus = view.corpus
    change = start - corpus.start[unit]
    lane = np.searchsorted(lanes, view.lane[unit])
    order = np.lexsort((change, lane))
    first = np.searchsorted(lane[order], np.arange(len(lanes)))
    counts = np.bincount(lane, minlength=len(lanes))
    lag = change[order][first + counts // 2]
    units = np.flatnonzero(np.isin(view.lane, lanes))
    lane_index = np.searchsorted(lanes, view.lane[units])
    unit_lag = lag[lane_index]
    before = have_equals(view, units, corpus.start[units], corpus.end[units])
    shifted = have_equals(view, units, corpus.start[units] + unit_lag, corpus.end[units] + unit_lag)
    gained_by_shift = np.bincount(lane_index, shifted.astype(np.int64) - before, len(lanes))
    result: BoolArray = gained_by_shift > gained
    return result


def _recount_positions(position: FloatArray, table: IntArray | None, sign: int) -> FloatArray:
    """Return positions counted in characters (+1: of positions that count more), or in the other way (-1)."""
    if table is None:
        return position
    if sign > 0:
        counted = np.arange(len(table)) + table
        return np.searchsorted(counted, position, side="left").astype(np.float64)
    index = np.clip(position.astype(np.int64), 0, len(table) - 1)
    result: FloatArray = position + table[index]
    return result


RECOUNT_CAUSE = Cause(
    "growing-offset",
    Tier.COUNTING,
    "positions that count line ends, bytes or UTF-16 units",
    "counts them in characters",
    propose,
    needs_texts,
    names_one_of_two=True,
)
