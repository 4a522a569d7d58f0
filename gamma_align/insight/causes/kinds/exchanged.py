"""A document that carries the annotation of another document."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import FloatArray, IntArray, distinct, numbered, numbered_rows, ranges
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of, others_of
from gamma_align.insight.causes.evidence import EVIDENCE_TOLERANCE, poisson_evidence
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

_MAX_NAMED = 3  # documents in a sentence
_MIN_UNITS = 3
_MIN_SHARE = 0.3  # of the units of the annotator in the document that are units of the other document
_NOISE_CELLS = 8.0  # width of a cell of continuous bounds, in standard deviations
_MIN_EXPECTED_SHARE = 0.02  # of the units that stand so by accident, at least
_MAX_PAIRS = 5_000_000  # equal units of different documents: of more, the bounds say nothing


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Exchanged(Candidate):
    """Units of an annotator in `documents` that belong to the documents in `sources`."""

    fixed_question: ClassVar[str] = "Was the wrong text or recording loaded, or the file named after another document?"

    sources: tuple[int, ...]
    n_equal: tuple[int, int, int]  # units equal to those of the source, to those of the others there, and all

    def repair(self, view: View) -> Repair:
        """Put copies of the units of the others in place of the units, so that the document counts as agreed."""
        units = np.flatnonzero(np.isin(view.unit_document, self.documents) & (view.corpus.annotator == self.annotator))
        rows = view.rows
        is_there = np.isin(rows.document, self.documents) & (rows.annotator == self.annotator)
        selected = np.flatnonzero(is_there & view.have_most_others)
        return Repair(units, view.templates(rows.alignment[selected], rows.annotator[selected]))

    def sentence(self, view: View) -> Sentence:
        """Return where the units come from."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        names = view.corpus.documents
        documents = [names[index] for index in self.documents.tolist()]
        sources = [names[index] for index in self.sources]
        pairs = ", ".join(
            f"{document} those of {source}"
            for document, source in zip(documents[:_MAX_NAMED], sources[:_MAX_NAMED], strict=True)
        )
        n_more = len(documents) - _MAX_NAMED
        remainder = f" and {n_more} more" if n_more > 0 else ""
        n_source, n_own, n = self.n_equal
        return Sentence(
            f"{name} has units of another document: {pairs}{remainder}",
            f"{n_source:,} of {n:,} units stand where there are units in the other document, {n_own:,} where units of "
            f"{others_name} are.",
        )


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators whose units of a document are units of another document."""
    corpus = view.corpus
    width = view.n_annotators
    lanes, offsets = view.lanes
    n_documents = len(corpus)
    if n_documents <= 1 or not corpus.n_units:
        return  # there is no other document
    key = _unit_codes(view)
    n_units = np.diff(offsets)
    coincides = _have_equals_here(view, key)
    n_coinciding = np.add.reduceat(coincides, offsets[:-1])
    lane_size = view.document_size[lanes // width]
    suspects = np.flatnonzero((n_units >= _MIN_UNITS) & (2 * n_coinciding < n_units) & (lane_size > 1))
    if not len(suspects):
        return
    # All units of other documents that are equal to a unit of a suspect.
    lane_of_unit = np.repeat(np.arange(len(lanes)), n_units)
    units = np.flatnonzero(np.isin(lane_of_unit, suspects))
    # Distinct pairs of a unit and a document.
    present = distinct(key * n_documents + view.unit_document)
    first = np.searchsorted(present, key[units] * n_documents)
    last = np.searchsorted(present, (key[units] + 1) * n_documents)
    if (last - first).sum() > _MAX_PAIRS:
        return
    n_with = (last - first).astype(np.float64)
    # Units of other documents that coincide, and the evidence if all units of a lane are in one of these documents.
    n_elsewhere = np.bincount(lane_of_unit[units], n_with - 1, len(lanes))
    price = math.log(len(lanes) * n_documents)
    least_expected = np.maximum((n_elsewhere - n_units) / max(n_documents - 2, 1), _MIN_EXPECTED_SHARE * n_units)
    can_be_enough = (poisson_evidence(n_units, least_expected) > price - EVIDENCE_TOLERANCE)[lane_of_unit[units]]
    units = units[can_be_enough]
    first = first[can_be_enough]
    last = last[can_be_enough]
    source = present[ranges(first, last - first)] % n_documents
    unit = np.repeat(units, last - first)
    is_other = source != view.unit_document[unit]
    lane, document, n = _find_sources(lane_of_unit[unit[is_other]], source[is_other], n_documents)
    # Units of an average other document that coincide; the document found does not count.
    elsewhere = n_elsewhere[lane] - n
    expected = np.maximum(elsewhere / max(n_documents - 2, 1), _MIN_EXPECTED_SHARE * n_units[lane])
    evidence = poisson_evidence(n, expected)
    evidence *= _independent_share(view, units, lane_of_unit, len(lanes))[lane]
    evidence -= price
    # Units may be the own ones of the other document: the one of the two that fits its document is the source.
    fit = np.append(n_coinciding / n_units, np.inf)
    own_lane = np.searchsorted(lanes, document * width + lanes[lane] % width)
    has_own = lanes[np.minimum(own_lane, len(lanes) - 1)] == document * width + lanes[lane] % width
    fits_better = fit[lane] < fit[np.where(has_own, own_lane, len(lanes))]
    is_found = (
        fits_better
        & (n >= _MIN_UNITS)
        & (n >= _MIN_SHARE * n_units[lane])
        & (n > 2 * n_coinciding[lane])
        & (evidence > 0)
    )
    lane = lane[is_found]
    document = document[is_found]
    n = n[is_found]
    evidence = evidence[is_found]
    annotator = lanes[lane] % width
    for annotator_index in np.unique(annotator).tolist():
        rows = np.flatnonzero(annotator == annotator_index)
        yield Exchanged(
            annotator=annotator_index,
            net=float(evidence[rows].sum()),
            documents=lanes[lane[rows]] // width,
            sources=tuple(document[rows].tolist()),
            n_equal=(int(n[rows].sum()), int(n_coinciding[lane[rows]].sum()), int(n_units[lane[rows]].sum())),
        )


def _find_sources(lane: IntArray, source: IntArray, n_documents: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return each lane with a unit, its most frequent source, and how often that occurs; `lane`, `source` are of units.

    Of sources that are equally frequent, it is the first.
    """
    cells, counts = np.unique(lane * n_documents + source, return_counts=True)
    row = cells // n_documents
    order = np.lexsort((-counts, row))
    order = order[np.unique(row[order], return_index=True)[1]]
    return row[order], cells[order] % n_documents, counts[order]


def _independent_share(view: View, units: IntArray, lane_of_unit: IntArray, n_lanes: int) -> FloatArray:
    """Return the share of units in each lane that do not begin where the one before ends.

    Who marks word after word has the units of any other document in which somebody does. Where all is covered, units
    touch each other anyway.
    """
    corpus = view.corpus
    touches = np.zeros(corpus.n_units, dtype=np.bool_)
    touches[1:] = (corpus.start[1:] <= corpus.end[:-1] + 1) & (view.lane[1:] == view.lane[:-1])
    touches &= ~view.covered[view.unit_document]
    n = np.bincount(lane_of_unit[units], minlength=n_lanes)
    n_touching = np.bincount(lane_of_unit[units], touches[units], n_lanes)
    return 1.0 - n_touching / np.maximum(n, 1)


def _unit_codes(view: View) -> IntArray:
    """Return a code of the start, end and label of each unit; equal units of different documents have one code."""
    corpus = view.corpus
    start = corpus.start
    end = corpus.end
    if view.noise > 0:
        width = _NOISE_CELLS * view.noise
        start = np.round(start / width)
        end = np.round((end - corpus.start) / width)
    return numbered_rows(corpus.category, start, end)


def _have_equals_here(view: View, key: IntArray) -> IntArray:
    """Return 1 for each unit that another annotator has in the same document, else 0."""
    cell = numbered(view.unit_document * (int(key.max(initial=0)) + 1) + key)[1]
    owned = distinct(cell * view.n_annotators + view.corpus.annotator)
    n_annotators = np.bincount(owned // view.n_annotators)
    result: IntArray = (n_annotators[cell] > 1).astype(np.int64)
    return result


EXCHANGED_CAUSE = Cause(
    "exchanged",
    Tier.POSITION,
    "the annotation of another document",
    "puts copies of the others' units in their place",
    propose,
    names_one_of_two=True,
)
