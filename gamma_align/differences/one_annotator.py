"""The unitary alignments in which an annotator differs from most of the others."""

from __future__ import annotations

import numpy as np

from gamma_align._types import BoolArray
from gamma_align.differences.rules import Material
from gamma_align.distances.dissimilarity import Dissimilarity, sporadic


def differing(material: Material, annotator: str, dissimilarity: Dissimilarity) -> BoolArray:
    """Return in which unitary alignments the annotator differs from more than half of the others of the document.

    Two annotators differ where one of them has no unit, or where their units have any dissimilarity. Where anybody
    differs, everybody differs from somebody; hence the half.
    """
    corpus, alignments = material.corpus, material.alignments
    code = corpus.annotators.index(annotator)
    saw = np.zeros(len(corpus), dtype=np.bool_)
    saw[np.repeat(np.arange(len(corpus)), corpus.n_annotators)[corpus.seen == code]] = True
    has_unit = np.zeros(len(alignments), dtype=np.bool_)
    group = alignments.group[corpus.annotator == code]
    has_unit[group[group >= 0]] = True
    first, second = material.pairs
    own = (corpus.annotator[first] == code) | (corpus.annotator[second] == code)
    first, second = first[own], second[own]
    position = sporadic(corpus.start[first], corpus.end[first], corpus.start[second], corpus.end[second])
    category = material.apart(corpus.category[first], corpus.category[second])
    alike = dissimilarity.alpha * position + dissimilarity.beta * category == 0
    like_own = np.bincount(alignments.group[first[alike]], minlength=len(alignments))
    others = corpus.n_annotators[alignments.document] - 1
    differ = np.where(has_unit, others - like_own, alignments.size)
    result: BoolArray = saw[alignments.document] & (2 * differ > others)
    return result
