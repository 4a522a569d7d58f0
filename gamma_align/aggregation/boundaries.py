"""Where the unit of a unitary alignment begins and ends: the medians of its units' boundaries.

Of an even number of boundaries the median is the mean of the two in the middle. Where all boundaries of a document are
whole numbers (characters, tokens), it is the earlier of the two: a boundary that somebody placed, and whole. Either way
starts and ends are taken at the same ranks, so that no unit ends before it starts.
"""

from __future__ import annotations

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus


def medians(corpus: Corpus, group: IntArray, document: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return start and end of each group of units; `document` is that of each group."""
    sizes = np.bincount(group, minlength=len(document))
    low = np.cumsum(sizes) - sizes + (sizes - 1) // 2
    high = np.where(_whole(corpus)[document], low, low + 1 - sizes % 2)
    start, end = (column[np.lexsort((column, group))] for column in (corpus.start, corpus.end))
    return (start[low] + start[high]) / 2, (end[low] + end[high]) / 2


def _whole(corpus: Corpus) -> BoolArray:
    """Return whether all boundaries of each document are whole numbers, shape (n_documents,)."""
    broken = (corpus.start % 1 != 0) | (corpus.end % 1 != 0)
    result: BoolArray = np.bincount(corpus.unit_document[broken], minlength=len(corpus)) == 0
    return result
