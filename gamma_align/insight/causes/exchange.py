"""Whose a pattern is: the evidence against exchanged roles, which would give it to one annotator as clearly.

If somebody differs in each of two documents, one annotator may differ in both by accident: of four annotators, with
probability 1/4. So the number of documents limits how clearly a pattern over documents is one person's.
"""

from __future__ import annotations

import math

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, numbered
from gamma_align.insight.causes.view import Events, View

MIN_EXCHANGE = 3.0  # nats; exchanged roles reach it for any of the annotators with a probability of at most .05
# nats; of kinds without other evidence than whose it is, and of words, which are chosen from a vocabulary
MIN_EXCHANGE_ALONE = 4.0
_ROUNDING = 0.01  # nats, of the largest evidence that a corpus can reach
_MAX_TILT = 40.0  # e^-40 of the weight is on smaller counts: as good as none
_FIRST_TILT = 1.0
_MAX_STEPS = 60  # of the search of the tilt; halving the interval alone takes 50
_TILT_TOLERANCE = 1e-7  # at the largest ratio, its square is left: less than a rounding error


def exchange_evidence(view: View, annotator: int, hit_annotator: IntArray, hit_document: IntArray) -> float:
    """Return the evidence in nats that hits belong to an annotator, and not to somebody in each document.

    The hits belong to all annotators. The null hypothesis exchanges the annotators of each document at random, with
    their numbers of hits. The evidence is the largest log likelihood ratio of a tilted exchange, in which the annotator
    gets n of N hits with a probability in proportion to exp(t n / √N): without the root, one document with many hits
    would outweigh all others. By Chernoff's inequality, exchanged roles reach e nats with a probability of at most
    exp(-e). The price of choosing the annotator, ln of their number, is deducted. So D documents with A annotators each
    have at most D ln A nats, less the price.

    Parameters
    ----------
    hit_annotator, hit_document : ndarray of int64, shape (n_hits,)
    """
    is_there = view.has_seen(annotator)[hit_document]
    width = view.n_annotators
    cell = hit_document[is_there] * width + hit_annotator[is_there]
    cells, counts = np.unique(cell, return_counts=True)
    documents, row = numbered(cells // width)
    own_counts = np.bincount(row, counts * (cells % width == annotator), len(documents))
    size = view.document_size[documents].astype(np.float64)
    n_without = size - np.bincount(row, minlength=len(documents))
    scale = np.sqrt(np.bincount(row, counts, len(documents)))
    return _maximize_ratio(own_counts / scale, counts / scale[row], row, size, n_without) - math.log(width)


def may_be_exchanged(
    view: View, annotator: int, hit_annotator: IntArray, hit_document: IntArray, min_evidence: float
) -> bool:
    """Return whether exchanged roles would give somebody the hits of an annotator as clearly.

    A corpus of a few documents, or of one, can hardly reach the evidence. A pattern that is the annotator's in all of
    its documents is then a fact about the corpus.
    """
    evidence = exchange_evidence(view, annotator, hit_annotator, hit_document)
    if evidence >= min_evidence:
        return False
    most = float(np.log(view.document_size).sum()) - math.log(view.n_annotators)
    return evidence < most - _ROUNDING


def may_events_be_exchanged(
    view: View, annotator: int, events: Events, is_inside: BoolArray, min_evidence: float
) -> bool:
    """Return whether exchanged roles would give somebody the hits inside a scope as clearly (`may_be_exchanged`)."""
    hits = is_inside & events.hit
    return may_be_exchanged(view, annotator, events.annotator[hits], events.document[hits], min_evidence)


def _maximize_ratio(
    own_counts: FloatArray, counts: FloatArray, row: IntArray, size: FloatArray, n_without: FloatArray
) -> float:
    """Return the largest log likelihood ratio over all tilts t >= 0; it is concave in t.

    `counts` are the numbers of hits of annotators with hits, in documents `row`. `own_counts` are the annotator's hits,
    and `n_without` the numbers of annotators without hits, by document.
    """
    largest = np.zeros(len(size))
    np.maximum.at(largest, row, counts)
    gaps = counts - largest[row]
    total_own = float(own_counts.sum())

    def weights(tilt: float) -> tuple[FloatArray, FloatArray]:
        # Relative to the largest count of each document, so that no exponential overflows.
        factors = np.exp(tilt * gaps)
        return factors, np.bincount(row, factors, len(size)) + n_without * np.exp(-tilt * largest)

    if total_own <= float((counts / size[row]).sum()):
        return 0.0  # no tilt gives the annotator more hits than without one
    low = 0.0
    high = _MAX_TILT
    tilt = _FIRST_TILT
    for _ in range(_MAX_STEPS):
        factors, total = weights(tilt)
        weighted = factors * counts
        mean = np.bincount(row, weighted, len(size)) / total
        variance = float((np.bincount(row, weighted * counts, len(size)) / total - mean * mean).sum())
        missing = total_own - float(mean.sum())
        low, high = (tilt, high) if missing > 0 else (low, tilt)
        # Newton's step, or half the interval if it would leave it.
        is_inside = variance > 0 and low < tilt + missing / variance < high
        next_tilt = tilt + missing / variance if is_inside else (low + high) / 2
        if abs(next_tilt - tilt) <= _TILT_TOLERANCE:
            break
        tilt = next_tilt
    _, total = weights(tilt)
    return max(float((tilt * (own_counts - largest) - np.log(total / size)).sum()), 0.0)
