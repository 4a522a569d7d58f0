"""Scopes: some of the events of an annotator, such as those on a label, against the rest and against the others.

Two tests: *evidence* compares the scope with the same annotator elsewhere, *attribution* compares the annotator with
the others in the same scope. With the first alone, words that are hard for everybody would be put on one person; with
the second alone, a careless annotator would leave out every word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import Columns, FloatArray, IntArray
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

    @property
    def attribution(self) -> FloatArray:
        """Evidence that it is this annotator and not all."""
        return binomial_evidence(self.hits, self.hits + self.others_hits, self.share) / self.dispersion


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
    )
