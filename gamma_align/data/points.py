"""Events without length: their distances between annotators, and the width that makes them comparable.

γ compares units by how far they overlap. Two events without length overlap only at the same place, so that γ of events
is about 0 however near they are. With a width each event is an interval around its time.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.columns import FloatArray, IntArray

if TYPE_CHECKING:
    from gamma_align.data.corpus import Corpus

_WIDTHS_PER_DISTANCE = 2  # two events at this distance overlap by half of their width


def distances_to_others(corpus: Corpus) -> FloatArray:
    """Return how far each event without length is from the nearest one of another annotator in its document.

    Events that no other annotator has any beside are left out.
    """
    is_point = corpus.start == corpus.end
    document, annotator, time = (column[is_point] for column in (corpus.unit_document, corpus.annotator, corpus.start))
    order = np.lexsort((time, document))
    document = document[order]
    annotator = annotator[order]
    time = time[order]
    nearest = np.full(len(time), np.inf)
    for first, last in _runs(document):
        for own in np.unique(annotator[first:last]).tolist():
            is_own = annotator[first:last] == own
            others = time[first:last][~is_own]
            if len(others):
                at = np.searchsorted(others, time[first:last][is_own])
                before = np.append(-np.inf, others)[at]
                after = np.append(others, np.inf)[at]
                mine = time[first:last][is_own]
                nearest[first:last][is_own] = np.minimum(mine - before, after - mine)
    known: FloatArray = nearest[np.isfinite(nearest)]
    return known


def _runs(values: IntArray) -> list[tuple[int, int]]:
    """Return the begin and end of each run of equal values."""
    edges = np.flatnonzero(np.diff(values)) + 1
    bounds = [0, *edges.tolist(), len(values)]
    return [(first, last) for first, last in pairwise(bounds) if first < last]


def proposed_width(distances: FloatArray) -> float | None:
    """Return twice the median distance, to two digits; ``None`` if there is no distance above 0."""
    if not len(distances):
        return None
    width = _WIDTHS_PER_DISTANCE * float(np.median(distances))
    return float(f"{width:.2g}") if width > 0 else None
