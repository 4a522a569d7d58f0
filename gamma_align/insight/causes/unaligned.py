"""Causes that show without an alignment: units of length that are mistaken for each other, and exact offsets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.data import Corpus
from gamma_align.insight.causes.cause import Candidate
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.kinds.offset import OFFSET_CAUSE, Offset
from gamma_align.insight.causes.kinds.scale import SCALE_CAUSE
from gamma_align.insight.causes.kinds.tokens import TOKENS_CAUSE
from gamma_align.insight.causes.pursuit import order_proposals
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments

_MIN_SHARE = 0.02  # of the units of an annotator: one of fifty documents
_MIN_UNITS = 3  # in the mean of the documents: single units of small documents are moved to another one by accident

CAUSES_WITHOUT_ALIGNMENT = (SCALE_CAUSE, TOKENS_CAUSE, OFFSET_CAUSE)


class Suspicion(NamedTuple):
    """A clerical cause that may hold: its kind, and the claim with the numbers that support it."""

    kind: str
    title: str
    counts: str


def suspicions(corpus: Corpus) -> list[Suspicion]:
    """Return the clerical causes of a corpus that show without an alignment, those with the most evidence first.

    The disorder that a repair removes is not known here. Offsets are found if bounds are equal once moved; those of
    bounds that differ by noise need an alignment.
    """
    if len(corpus.annotators) <= 1 or not corpus.n_units:
        return []
    view = View(corpus, no_alignments(corpus))
    proposals = [
        (cause, candidate)
        for cause in CAUSES_WITHOUT_ALIGNMENT
        for candidate in cause.propose(view)
        if candidate.net >= MIN_NET
    ]
    proposals = [(cause, candidate) for cause, candidate in proposals if _is_frequent(view, candidate)]
    lags = [candidate for _, candidate in proposals if isinstance(candidate, Offset)]
    # Units that are moved to both sides by turns coincide by accident.
    later, earlier = ({lag.annotator for lag in lags if lag.lag * sign > 0} for sign in (1, -1))
    proposals = [
        (cause, candidate)
        for cause, candidate in proposals
        if cause is not OFFSET_CAUSE or candidate.annotator not in later & earlier
    ]
    return [Suspicion(cause.name, *candidate.sentence(view)) for cause, candidate in order_proposals(proposals)]


def _is_frequent(view: View, candidate: Candidate) -> bool:
    """Return whether a cause concerns enough units of its annotator, and documents that are large enough.

    `pursue` drops rare accidents by their share of the disorder, which is not known here.
    """
    is_own = view.corpus.annotator == candidate.annotator
    n_touched = int(np.count_nonzero(is_own & np.isin(view.unit_document, candidate.documents)))
    is_rare = n_touched < _MIN_SHARE * np.count_nonzero(is_own)
    return not is_rare and n_touched >= _MIN_UNITS * len(candidate.documents)


def no_alignments(corpus: Corpus) -> UnitaryAlignments:
    """Return no unitary alignment at all."""
    none = np.empty(0, dtype=np.int64)
    no_positions = np.empty(0)
    return UnitaryAlignments(
        group=np.full(corpus.n_units, -1),
        document=none,
        size=none,
        start=no_positions,
        end=no_positions,
        disorder=no_positions,
        parts=np.empty((0, 3)),
        gaps=np.zeros(len(corpus)),
    )
