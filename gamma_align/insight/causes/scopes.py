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

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray
from gamma_align.insight.causes.evidence import (
    MIN_ATTRIBUTION,
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

    def text(self, reference: str, verb: str = "") -> str:
        """Return the counts in words; `reference` names the others."""
        here, elsewhere = f"{self.hits:,} of {self.total:,}", f"{self.rest_hits:,} of {self.rest_total:,}"
        return f"{here}{verb}; of all else {elsewhere}; {reference}: {self.others_hits:,} such places."

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
        φ of the counts in the scope over documents.
    share_dispersion : ndarray of float64
        φ of the annotator's share of all hits in the scope over documents: if another annotator has most of them in
        each document, as after an exchange of roles, the share varies more than by chance.
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
    share_dispersion: FloatArray

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

    @property
    def attribution(self) -> FloatArray:
        """Evidence that it is this annotator and not all."""
        evidence = binomial_evidence(self.hits, self.hits + self.others_hits, self.share)
        return evidence / np.maximum(self.dispersion, self.share_dispersion)


def count_scopes(view: View, events: Events, scope: IntArray, n_scopes: int) -> Scopes:
    """Return the counts of each annotator in each scope; `scope` is the scope of each event, -1 for none."""
    from scipy import sparse

    n_documents = max(len(view.corpus), 1)
    is_inside = np.flatnonzero(scope >= 0)
    hit = events.hit.astype(np.float64)
    cell = events.annotator[is_inside] * n_scopes + scope[is_inside]
    cells, row = np.unique(cell, return_inverse=True)
    row = row.reshape(-1)
    annotator = cells // n_scopes
    hits = np.bincount(row, hit[is_inside], len(cells)).astype(np.float64)
    total = np.bincount(row, minlength=len(cells)).astype(np.float64)
    all_hits = np.bincount(events.annotator, hit, view.n_annotators)[annotator]
    all_total = np.bincount(events.annotator, minlength=view.n_annotators)[annotator]

    keys, entry = np.unique(row * n_documents + events.document[is_inside], return_inverse=True)
    entry = entry.reshape(-1)
    group = keys // n_documents
    entry_hits = np.bincount(entry, hit[is_inside], len(keys))
    entry_total = np.bincount(entry, minlength=len(keys)).astype(np.float64)

    # Hits of all annotators by document and scope, added over the documents that each annotator saw.
    places = (events.document[is_inside], scope[is_inside])
    by_document = sparse.csr_array((hit[is_inside], places), shape=(n_documents, n_scopes))
    all_entry_hits = np.zeros(len(keys))
    if len(keys):
        all_entry_hits = np.asarray(by_document.tocsr()[keys % n_documents, cells[group] % n_scopes]).reshape(-1)
    seen_hits = (view.seen_matrix @ by_document).tocsr()
    everybody = np.asarray(seen_hits[annotator, cells % n_scopes]).reshape(-1) if len(cells) else np.zeros(0)
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
        dispersion=dispersions(group, entry_hits, entry_total, len(cells)),
        share_dispersion=dispersions(group, entry_hits, all_entry_hits, len(cells)),
    )


class PartCounter:
    """Counts of each annotator in parts of the same events, such as units up to many lengths one after the other.

    `count` returns the counts that `count_scopes` returns for one scope.
    """

    def __init__(self, view: View, events: Events) -> None:
        self._view, self._events = view, events
        n_documents = max(len(view.corpus), 1)
        lanes, lane = np.unique(events.annotator * n_documents + events.document, return_inverse=True)
        self._lane = lane.reshape(-1)
        self._annotator, self._document = np.divmod(lanes, n_documents)

    def count(self, is_inside: BoolArray, min_evidence: float = 0.0) -> Scopes:
        """Return the counts of each annotator with events in a part.

        Annotators whose evidence is less than `min_evidence` before it is divided by φ are left out.
        """
        return next(self.count_growing(np.where(is_inside, 0, 1), 1, min_evidence))

    def count_up_to(
        self, value: FloatArray, cuts: FloatArray, min_evidence: float
    ) -> Iterator[tuple[float, bool, Scopes]]:
        """Yield each cut with the counts of the events up to it (False), and with those from it on (True).

        `value` is a number of each event, and `cuts` are in order. An undefined value is in no part.
        """
        n = len(cuts)
        at_least, at_most = np.searchsorted(cuts, value), n - np.searchsorted(cuts, value, side="right")
        above = list(self.count_growing(np.where(np.isnan(value), n, at_most), n, min_evidence))
        for k, scopes in enumerate(self.count_growing(at_least, n, min_evidence)):
            yield float(cuts[k]), False, scopes
            yield float(cuts[k]), True, above[n - 1 - k]

    def count_growing(self, level: IntArray, n_parts: int, min_evidence: float) -> Iterator[Scopes]:
        """Yield the counts of parts that grow: part k has the events of level k and less.

        Level `n_parts` is in no part.
        """
        from scipy import sparse

        view, events = self._view, self._events
        width, n_levels = view.n_annotators, n_parts + 1
        cell = level * width + events.annotator

        def table(weight: FloatArray) -> FloatArray:
            sums = np.bincount(cell, weight, n_levels * width).reshape(n_levels, width)
            result: FloatArray = np.cumsum(sums[:n_parts], axis=0)
            return result

        hits, total = table(events.hit.astype(np.float64)), table(np.ones(len(events)))
        size = table(view.document_size[events.document].astype(np.float64))
        places = (events.document[events.hit], level[events.hit])
        by_document = sparse.csr_array((np.ones(len(places[0])), places), shape=(len(view.corpus), n_levels))
        everybody = np.cumsum((view.seen_matrix @ by_document).toarray()[:, :n_parts], axis=1).T
        rest_hits = np.bincount(events.annotator, events.hit, width) - hits
        rest_total = np.bincount(events.annotator, minlength=width) - total
        keeps = (total > 0) & (contrast_evidence(hits, total, rest_hits, rest_total) >= min_evidence)
        order = np.argsort(level, kind="stable")
        ends = np.searchsorted(level[order], np.arange(n_parts), side="right")
        for k, end in enumerate(ends.tolist()):
            dispersion, share_dispersion = self._dispersions(order[:end], keeps[k])
            scopes = Scopes(
                annotator=np.arange(width),
                scope=np.zeros(width, dtype=np.int64),
                hits=hits[k],
                total=total[k],
                rest_hits=rest_hits[k],
                rest_total=rest_total[k],
                others_hits=np.maximum(everybody[k] - hits[k], 0.0),
                share=total[k] / np.maximum(size[k], 1.0),
                dispersion=dispersion,
                share_dispersion=share_dispersion,
            )
            yield scopes.take(keeps[k])

    def _dispersions(self, rows: IntArray, keeps: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return φ of the counts, and φ of the share of all hits, of some annotators in some rows of the events."""
        width = len(keeps)
        if not keeps.any():
            return np.ones(width), np.ones(width)
        events, n_lanes = self._events, len(self._annotator)
        document_hits = np.bincount(events.document[rows[events.hit[rows]]], minlength=len(self._view.corpus))
        own = rows[keeps[events.annotator[rows]]]
        lane_total = np.bincount(self._lane[own], minlength=n_lanes)
        lane_hits = np.bincount(self._lane[own[events.hit[own]]], minlength=n_lanes)
        lanes = np.flatnonzero(lane_total)
        annotator, lane_hits = self._annotator[lanes], lane_hits[lanes]
        return (
            dispersions(annotator, lane_hits, lane_total[lanes], width),
            dispersions(annotator, lane_hits, document_hits[self._document[lanes]], width),
        )
