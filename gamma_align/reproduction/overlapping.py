"""cuα where units of one annotator overlap: over all intersections, as if overlaps were no obstacle.

K16 defines the family for units that do not overlap. Its sums over intersections of units can be taken all the same;
that is one reading of experiments in which shifted units overlap (M17 §5.3), and no published coefficient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.data.corpus import Corpus


def cu_alpha_of_overlapping(corpus: Corpus) -> FloatArray:
    """Return nominal cuα of each document over all intersections of two annotators' units; every unit has a category.

    Parameters
    ----------
    corpus : Corpus
        The data.

    Returns
    -------
    ndarray of float64, shape (n_documents,)
        NaN where nothing is expected by chance. Without overlaps it is cuα with pairwise self-pairing (K16 eq. 10).
    """
    bounds = zip(corpus.unit_offsets[:-1].tolist(), corpus.unit_offsets[1:].tolist(), strict=True)
    return np.array([_of_document(corpus, slice(first, last)) for first, last in bounds], dtype=np.float64)


def _of_document(corpus: Corpus, units: slice) -> float:
    start, end, annotator = corpus.start[units], corpus.end[units], corpus.annotator[units]
    of_category = corpus.category[units, None] == np.arange(len(corpus.categories))
    by = annotator[:, None] == np.unique(annotator)
    meeting = np.minimum(end[:, None], end) - np.maximum(start[:, None], start)
    meeting = np.where(annotator[:, None] == annotator, 0.0, np.maximum(meeting, 0.0))
    others = max(by.shape[1] - 1, 1)
    lengths = of_category.T @ meeting @ of_category / others
    own = of_category.T @ np.square(meeting @ by).sum(axis=1) / others
    total, margins = lengths.sum(), lengths.sum(axis=1)
    if total <= 0 or total <= own.sum() / total:
        return float("nan")
    expected = (total**2 - np.square(margins).sum()) / (total - own.sum() / total)
    return float(1.0 - (total - np.trace(lengths)) / expected) if expected > 0 else float("nan")
