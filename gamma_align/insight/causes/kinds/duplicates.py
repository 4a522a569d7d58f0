"""Units that an annotator has several times, with the same bounds and label."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, documents_text, name_of
from gamma_align.insight.causes.evidence import poisson_evidence
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

_MIN_COPIES = 3
_NATS_OF_A_COPY = 10.0  # if nobody else has any: a pair of equal units is no accident


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Duplicates(Candidate):
    """The later copies of an annotator's units."""

    fixed_question: ClassVar[str] = "Was the file exported or read twice?"

    copies: IntArray

    def repair(self, view: View) -> Repair:
        """Drop the copies."""
        return Repair(self.copies, view.units.take(slice(0, 0)))

    def sentence(self, view: View) -> Sentence:
        """Return the number of copies."""
        name = name_of(view, self.annotator)
        n_units = int(np.count_nonzero(view.corpus.annotator == self.annotator))
        scope = documents_text(view, self.documents, len(view.documents_of(self.annotator)))
        return Sentence(
            f"{name} has {len(self.copies):,} of {n_units:,} units twice",
            f"The same bounds and label again, in {scope}.",
        )


def equal_previous(view: View) -> BoolArray:
    """Return whether each unit equals the one before it, in the order of the corpus."""
    corpus = view.corpus
    result = np.zeros(corpus.n_units, dtype=np.bool_)
    columns = (view.lane, corpus.start, corpus.end, corpus.category)
    if corpus.n_units:
        result[1:] = np.all([column[1:] == column[:-1] for column in columns], axis=0)
    return result


def propose(view: View) -> Iterator[Candidate]:
    """Yield the annotators with copies, everywhere or in the documents of which they have many."""
    is_copied = equal_previous(view)
    copies = np.flatnonzero(is_copied)
    counts = np.bincount(view.corpus.annotator[copies], minlength=view.n_annotators)
    n_units = np.bincount(view.corpus.annotator, minlength=view.n_annotators)
    if not np.any(counts >= _MIN_COPIES):
        return
    by_lane = _evidence_by_lane(view, is_copied)
    for annotator in np.flatnonzero(counts >= _MIN_COPIES).tolist():
        n_copies = int(counts[annotator])
        n_other_copies = counts.sum() - n_copies
        n_other_units = n_units.sum() - n_units[annotator]
        net = _NATS_OF_A_COPY * n_copies
        own_copies = copies[view.corpus.annotator[copies] == annotator]
        if n_other_copies:
            expected = n_units[annotator] * n_other_copies / max(n_other_units, 1) + 0.5
            net = float(poisson_evidence(n_copies, expected)) - math.log(view.n_annotators)
            in_documents, net_in_documents = _take_copied_documents(view, by_lane, own_copies)
            if net_in_documents > net:
                own_copies = in_documents
                net = net_in_documents
        yield Duplicates(
            annotator=annotator, net=net, copies=own_copies, documents=np.unique(view.unit_document[own_copies])
        )


def _evidence_by_lane(view: View, is_copied: BoolArray) -> FloatArray:
    """Return the evidence that each lane has more copies than all other lanes, less the price of looking at all."""
    lanes, offsets = view.lanes
    n_copies = np.add.reduceat(is_copied.astype(np.int64), offsets[:-1])
    n_units = np.diff(offsets)
    expected = n_units * (n_copies.sum() - n_copies + 0.5) / (n_units.sum() - n_units + 1.0)
    evidence = poisson_evidence(n_copies, expected) - math.log(len(lanes))
    return np.where(n_copies >= _MIN_COPIES, np.maximum(evidence, 0.0), 0.0)


def _take_copied_documents(view: View, by_lane: FloatArray, own_copies: IntArray) -> tuple[IntArray, float]:
    """Return the copies of an annotator in documents with far more of them than usual, and the evidence for them.

    If others have a few copies, too, a document of which all units were exported twice still stands out.
    """
    lane = np.searchsorted(view.lanes[0], view.lane[own_copies])
    return own_copies[by_lane[lane] > 0], float(by_lane[np.unique(lane)].sum())


DUPLICATES_CAUSE = Cause(
    "duplicates",
    Tier.FILE,
    "units that an annotator has twice",
    "drops the copies",
    propose,
    is_clerical=True,
    names_one_of_two=True,
)
