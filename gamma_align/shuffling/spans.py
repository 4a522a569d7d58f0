"""F1 of spans: how many units two annotators have in common, bounds and category alike; no correction for chance."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.data.corpus import Corpus


def span_f1(corpus: Corpus) -> FloatArray:
    """Return the mean over pairs of annotators of 2·(units in common) / (units of both), for each document.

    Parameters
    ----------
    corpus : Corpus
        The data.

    Returns
    -------
    ndarray of float64, shape (n_documents,)
        NaN where no pair of annotators has a unit.
    """
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.unit_offsets))
    people = max(len(corpus.annotators), 1)
    seen_document = np.repeat(np.arange(len(corpus)), corpus.n_annotators)
    slot = np.searchsorted(seen_document * people + corpus.seen, document * people + corpus.annotator)
    number = slot - corpus.seen_offsets[document]
    rows = np.stack([document, corpus.start, corpus.end, corpus.category], axis=1)
    units, which = np.unique(rows, axis=0, return_inverse=True)
    of_document = units[:, 0].astype(np.int64)
    most = int(corpus.n_annotators.max(initial=0))
    counts = np.zeros((len(units), most))
    np.add.at(counts, (which.reshape(-1), number), 1.0)
    marked = np.zeros((len(corpus), most))
    np.add.at(marked, (document, number), 1.0)
    total, pairs = np.zeros(len(corpus)), np.zeros(len(corpus))
    for one, other in itertools.combinations(range(most), 2):
        common = np.bincount(of_document, np.minimum(counts[:, one], counts[:, other]), minlength=len(corpus))
        both = marked[:, one] + marked[:, other]
        some = (corpus.n_annotators > other) & (both > 0)
        total[some] += 2.0 * common[some] / both[some]
        pairs += some
    with np.errstate(invalid="ignore"):
        mean: FloatArray = total / pairs
    return mean
