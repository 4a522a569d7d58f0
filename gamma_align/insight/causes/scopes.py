"""Scopes: some of the events of an annotator, such as those on a label, against the rest and against the others.

Two tests: *evidence* compares the scope with the same annotator elsewhere, *attribution* compares the annotator with
the others in the same scope. With the first alone, words that are hard for everybody would be put on one person; with
the second alone, a careless annotator would leave out every word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, is_among, numbered, ranges, stable_order
from gamma_align.insight.causes.evidence import (
    MIN_ATTRIBUTION,
    N_USUAL_DOCUMENTS,
    binomial_evidence,
    contrast_evidence,
    dispersions,
)
from gamma_align.insight.causes.view import Events, View

MIN_HITS = 3  # fewer cannot reach 5 nats


class Counts(NamedTuple):
    """Hits and all events of an annotator in a scope and elsewhere, and the hits of the others in the scope."""

    hits: int
    total: int
    rest_hits: int
    rest_total: int
    others_hits: int

    def text(self, view: View) -> str:
        """Return the counts in words; of two annotators, the hits of the other one are the reverse."""
        here = f"{self.hits:,} of {self.total:,}"
        elsewhere = f"{self.rest_hits:,} of {self.rest_total:,}"
        reference = "the reverse" if view.is_pair else "the other annotators"
        return f"{here}; of all else {elsewhere}; {reference}: {self.others_hits:,} such places."

    @property
    def is_higher(self) -> bool:
        """Whether the rate is higher in the scope than elsewhere."""
        return self.hits * self.rest_total > self.rest_hits * self.total

    @property
    def rest_rate(self) -> float:
        """Rate of the annotator elsewhere."""
        return self.rest_hits / max(self.rest_total, 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scopes(Columns):
    """Counts of each annotator in each scope, one row for each pair of the two that has events.

    Attributes
    ----------
    annotator, scope : ndarray of int64
    hits, total : ndarray of float64
        Counts of the annotator in the scope.
    rest_hits, rest_total : ndarray of float64
        Counts of the annotator elsewhere.
    others_hits : ndarray of float64
        Hits of the others in the scope, in documents that the annotator saw.
    share : ndarray of float64
        Share of the hits that would be the annotator's if all had as many: 1 / number of annotators.
    dispersion : ndarray of float64
        φ of the counts in the scope over documents, with `N_USUAL_DOCUMENTS` beside them.
    """

    annotator: IntArray
    scope: IntArray
    hits: FloatArray
    total: FloatArray
    rest_hits: FloatArray
    rest_total: FloatArray
    others_hits: FloatArray
    share: FloatArray
    dispersion: FloatArray

    @property
    def evidence(self) -> FloatArray:
        """Evidence that the annotator has a higher rate in the scope than elsewhere."""
        return contrast_evidence(self.hits, self.total, self.rest_hits, self.rest_total) / self.dispersion

    def nets(self, price: float) -> FloatArray:
        """Return the evidence of each row less the price of looking, 0 if it is not clear whose it is."""
        is_clear = (self.attribution >= MIN_ATTRIBUTION) & (self.hits >= MIN_HITS)
        result: FloatArray = np.where(is_clear, self.evidence - price, 0.0)
        return result

    def counts(self, row: int) -> Counts:
        """Return the counts of a row, as sentences give them."""
        return Counts(*(int(getattr(self, name)[row]) for name in Counts._fields))

    def hits_of_one_other(self, row: int) -> float:
        """Return how many hits one of the others has in the documents of the annotator of a row, in the mean."""
        share = float(self.share[row])
        return float(self.others_hits[row]) * share / (1 - share)

    @property
    def attribution(self) -> FloatArray:
        """Evidence that the annotator has more hits than the others; `exchange_evidence` takes documents as wholes."""
        return binomial_evidence(self.hits, self.hits + self.others_hits, self.share)


def count_scopes(view: View, events: Events, scope: IntArray, n_scopes: int) -> Scopes:
    """Return the counts of each annotator in each scope; `scope` is the scope of each event, -1 for none."""
    n_documents = max(len(view.corpus), 1)
    is_inside = np.flatnonzero(scope >= 0)
    hit = events.hit.astype(np.float64)
    cell = events.annotator[is_inside] * n_scopes + scope[is_inside]
    cells, row = numbered(cell)
    annotator = cells // n_scopes
    hits = np.bincount(row, hit[is_inside], len(cells)).astype(np.float64)
    total = np.bincount(row, minlength=len(cells)).astype(np.float64)
    all_hits = np.bincount(events.annotator, hit, view.n_annotators)[annotator]
    all_total = np.bincount(events.annotator, minlength=view.n_annotators)[annotator]

    keys, entry = numbered(row * n_documents + events.document[is_inside])
    group = keys // n_documents
    entry_hits = np.bincount(entry, hit[is_inside], len(keys))
    entry_total = np.bincount(entry, minlength=len(keys)).astype(np.float64)

    is_hit = is_inside[events.hit[is_inside]]
    seen_cells, counts = view.count_seen(events.document[is_hit], scope[is_hit], n_scopes)
    is_known = is_among(seen_cells, cells)
    everybody = np.bincount(np.searchsorted(cells, seen_cells[is_known]), counts[is_known], len(cells))
    size = np.bincount(row, view.document_size[events.document[is_inside]], len(cells))
    return Scopes(
        annotator=annotator,
        scope=cells % n_scopes,
        hits=hits,
        total=total,
        rest_hits=all_hits - hits,
        rest_total=all_total - total,
        others_hits=np.maximum(everybody - hits, 0.0),
        share=total / np.maximum(size, 1.0),
        dispersion=dispersions(group, entry_hits, entry_total, len(cells), N_USUAL_DOCUMENTS),
    )


def count_in(view: View, annotator: int, events: Events, is_inside: BoolArray) -> Counts:
    """Return the counts of an annotator in one scope."""
    scopes = count_own(view, annotator, events, is_inside)
    return scopes.counts(0) if len(scopes) else Counts(0, 0, 0, 0, 0)


def count_own(view: View, annotator: int, events: Events, is_inside: BoolArray) -> Scopes:
    """Return the counts of an annotator in one scope as a row; no row if the annotator has no event in it."""
    scopes = PartCounter(view, events).count(is_inside)
    return scopes.take(scopes.annotator == annotator)


def count_all(view: View, annotator: IntArray, document: IntArray, all_hits: Events) -> Scopes:
    """Return the counts of each annotator with events in all of them; φ, which takes longest, is 1.

    `annotator` and `document` are of each event, in any order, `all_hits` the events that are hits.
    """
    width = view.n_annotators
    hits = np.bincount(all_hits.annotator, minlength=width)
    total = np.bincount(annotator, minlength=width)
    size = np.bincount(annotator, view.document_size[document], width)
    others_hits = np.maximum(_count_seen_hits(view, all_hits.document) - hits, 0.0)
    annotator = np.flatnonzero(total)
    zeros = np.zeros(len(annotator))
    return Scopes(
        annotator=annotator,
        scope=np.zeros(len(annotator), dtype=np.int64),
        hits=hits[annotator].astype(np.float64),
        total=total[annotator].astype(np.float64),
        rest_hits=zeros,
        rest_total=zeros,
        others_hits=others_hits[annotator],
        share=total[annotator] / np.maximum(size[annotator], 1.0),
        dispersion=np.ones(len(annotator)),
    )


def _count_seen_hits(view: View, document: IntArray) -> FloatArray:
    """Return the number of hits in the documents that each annotator saw; `document` is of each hit."""
    seen_documents, ends = view.documents_seen
    sums = np.concatenate([[0], np.cumsum(np.bincount(document, minlength=len(view.corpus))[seen_documents])])
    counts: FloatArray = np.diff(sums[np.append(0, ends)]).astype(np.float64)
    return counts


class PartCounter:
    """Counts of each annotator in parts of the same events, such as units up to many lengths one after the other.

    `count` returns the counts that `count_scopes` returns for one scope. Annotators whose evidence is less than
    `min_evidence` before it is divided by φ, or whose attribution is less than `min_attribution`, are left out: φ is at
    least 1, and computing it is most of the work.
    """

    def __init__(self, view: View, events: Events) -> None:
        self._view = view
        self._events = events
        n_documents = max(len(view.corpus), 1)
        # Events are sorted by annotator, then by document.
        lane = events.annotator * n_documents + events.document
        is_first = np.diff(lane, prepend=-1) != 0
        self._lane = np.cumsum(is_first) - 1
        self._annotator = events.annotator[is_first]
        self._lane_counts = np.bincount(self._annotator, minlength=view.n_annotators)
        self._first_lane = np.cumsum(self._lane_counts) - self._lane_counts

    def count(self, is_inside: BoolArray, min_evidence: float = 0.0, min_attribution: float = 0.0) -> Scopes:
        """Return the counts of each annotator with events in a part."""
        level = np.where(is_inside, 0, 1)
        sums = self._sums(level, 1)
        return next(self._count_growing(sums, level, np.ones(1, dtype=np.int64), min_evidence, min_attribution))

    def count_up_to(
        self, value: FloatArray, cuts: FloatArray, min_evidence: float, min_attribution: float = 0.0
    ) -> Iterator[tuple[float, bool, Scopes]]:
        """Yield each cut with the counts of the events up to it (False), and with those from it on (True).

        Counts without annotators are left out. `value` is a number of each event, and `cuts` rise. An undefined
        value is in no part.
        """
        n = len(cuts)
        # Values between two cuts have an even level, values equal to cut k have the level 2k + 1.
        n_below = np.searchsorted(cuts, value)
        level = 2 * n_below + (np.append(cuts, np.nan)[n_below] == value)
        mirrored = 2 * n - level
        level[np.isnan(value)] = mirrored[np.isnan(value)] = 2 * n + 1
        n_levels = 2 * np.arange(n) + 2  # of the part up to cut k, and of the part from cut n - 1 - k on
        limits = min_evidence, min_attribution
        sums = self._sums(level, 2 * n + 1)
        reverse = _LevelSums(*(column[::-1] for column in sums))
        above = list(self._count_growing(reverse, mirrored, n_levels, *limits))
        below = self._count_growing(sums, level, n_levels, *limits)
        for cut, scopes, scopes_above in zip(cuts.tolist(), below, reversed(above), strict=True):
            if len(scopes):
                yield cut, False, scopes
            if len(scopes_above):
                yield cut, True, scopes_above

    def _sums(self, level: IntArray, n_levels: int) -> _LevelSums:
        """Return the sums over the events of each level below `n_levels`; all others are in no part."""
        view = self._view
        events = self._events
        width = view.n_annotators
        cell = level * width + events.annotator
        shape = n_levels + 1, width
        n_cells = shape[0] * shape[1]
        total = np.bincount(cell, minlength=n_cells).reshape(shape)
        hit = np.flatnonzero(events.hit)
        hits = np.bincount(cell[hit], minlength=n_cells).reshape(shape)
        size = np.bincount(cell, view.document_size[events.document], n_cells).reshape(shape)
        seen_cells, counts = view.count_seen(events.document[hit], level[hit], shape[0])
        everybody = np.bincount(seen_cells, counts, n_cells).reshape(width, shape[0]).T
        return _LevelSums(*(column[:n_levels].astype(np.float64) for column in (hits, total, size, everybody)))

    def _count_growing(
        self, sums: _LevelSums, level: IntArray, n_levels: IntArray, min_evidence: float, min_attribution: float
    ) -> Iterator[Scopes]:
        """Yield the counts of parts that grow: part k has the events of the first n_levels[k] levels."""
        events = self._events
        width = self._view.n_annotators
        # Sums of whole numbers are exact in any order.
        hits, total, size, everybody = (np.cumsum(column, axis=0)[n_levels - 1] for column in sums)
        rest_hits = np.bincount(events.annotator, events.hit, width) - hits
        rest_total = np.bincount(events.annotator, minlength=width) - total
        others_hits = np.maximum(everybody - hits, 0.0)
        share = total / np.maximum(size, 1.0)
        keeps = (total > 0) & (contrast_evidence(hits, total, rest_hits, rest_total) >= min_evidence)
        keeps &= binomial_evidence(hits, hits + others_hits, share) >= min_attribution
        columns = (hits, total, rest_hits, rest_total, others_hits, share)
        empty = Scopes.blank(0)
        for k, (annotator, phi) in enumerate(self._dispersions(level, n_levels, keeps)):
            if not len(annotator):
                yield empty
                continue
            scope = np.zeros(len(annotator), dtype=np.int64)
            yield Scopes(annotator, scope, *[*(column[k, annotator] for column in columns), phi])

    def _dispersions(
        self, level: IntArray, n_levels: IntArray, keeps: BoolArray
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the annotators who are kept in each part, and φ of their counts."""
        events = self._events
        # Only documents of annotators who are kept in any part are counted.
        is_kept: BoolArray = np.logical_or.reduce(keeps, axis=0)
        kept_events = np.flatnonzero(is_kept[events.annotator])
        order = kept_events[stable_order(level[kept_events])]
        ends = np.searchsorted(level[order], n_levels)
        lane_total, lane_hits = np.zeros((2, len(self._annotator)), dtype=np.int64)
        n_counted = 0
        for k, end in enumerate(ends.tolist()):
            annotator = np.flatnonzero(keeps[k])
            if not len(annotator):
                yield annotator, np.ones(0)
                continue
            new = order[n_counted:end]
            n_counted = end
            new_hits = new[events.hit[new]]
            np.add.at(lane_total, self._lane[new], 1)
            np.add.at(lane_hits, self._lane[new_hits], 1)
            counts = self._lane_counts[annotator]
            lanes = ranges(self._first_lane[annotator], counts)
            row = np.repeat(np.arange(len(annotator)), counts)
            row = row[lane_total[lanes] > 0]
            lanes = lanes[lane_total[lanes] > 0]
            yield annotator, dispersions(row, lane_hits[lanes], lane_total[lanes], len(annotator), N_USUAL_DOCUMENTS)


class _LevelSums(NamedTuple):
    """Sums over the events of each level by annotator, shape (n_levels, n_annotators) each.

    `everybody` are the hits of all annotators in documents that the annotator saw, `size` the numbers of annotators of
    the documents of events.
    """

    hits: FloatArray
    total: FloatArray
    size: FloatArray
    everybody: FloatArray
