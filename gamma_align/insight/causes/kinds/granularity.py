"""Finer or coarser division of documents that the units of each annotator cover."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, ranges
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_NET, binomial_evidence
from gamma_align.insight.causes.exchange import MIN_EXCHANGE_ALONE, may_be_exchanged
from gamma_align.insight.causes.filling import join_units
from gamma_align.insight.causes.repair import Repair, Units
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.absences import Positions

# directions
FINER = "finer"
COARSER = "coarser"
ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Granularity(Candidate):
    """Cuts of an annotator that most others do not have, or cuts of most others that the annotator lacks."""

    fixed_question: ClassVar[str] = "Do the guidelines say how short a unit may be?"

    cuts: Cuts
    counts: tuple[int, float]  # of the annotator, and of one of the others
    n_missing: int = 0  # elsewhere: boundaries that all others have and the annotator lacks

    def repair(self, view: View) -> Repair:
        """Remove the annotator's own cuts, or add the others' cuts."""
        return (
            join_units(view, self.cuts.unit)
            if self.direction != COARSER
            else _divide_units(view, self.annotator, self.cuts)
        )

    def sentence(self, view: View) -> Sentence:
        """Return the numbers of cuts."""
        name = name_of(view, self.annotator)
        documents = self.documents.tolist()
        if len(documents) == 1 and len(view.corpus) > 1:
            name = f"{view.corpus.documents[documents[0]]}: {name}"
        n, n_reference = self.counts
        reference = others_of(view, self.annotator) if view.is_pair else "One of the others"
        if view.is_pair:
            return Sentence(
                f"{name} divides more finely than {reference}: {n:,} boundaries that {reference} does not have",
                f"{reference} has {n_reference:,.0f} that {name_of(view, self.annotator)} does not have.",
            )
        if self.direction == ELSEWHERE:
            return Sentence(
                f"{name} divides elsewhere: {n:,} boundaries that most others do not have, and {self.n_missing:,} that "
                "all others have are missing",
                f"{reference} has {n_reference:,.0f} boundaries that most others do not have in the same documents.",
            )
        if self.direction == FINER:
            return Sentence(
                f"{name} divides more finely: {n:,} boundaries that most others do not have",
                f"{reference} has {n_reference:,.0f} such boundaries in the same documents.",
            )
        return Sentence(
            f"{name} divides more coarsely: {n:,} boundaries that all others have are missing",
            f"{reference} lacks {n_reference:,.0f} such boundaries in the same documents.",
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cuts(Columns):
    """Boundaries of an annotator's units: the unit that begins there (or -1), the document and the position."""

    unit: IntArray
    document: IntArray
    position: FloatArray


def propose_granularity(view: View) -> Iterator[Candidate]:
    """Yield annotators who divide covered documents more finely or more coarsely than the others."""
    documents = np.flatnonzero(view.covered & (view.document_size > 1))
    if not len(documents):
        return
    # Once one annotator is repaired, the rest is another standard: who follows it may only seem to differ.
    first_counts = _first_counts(view.first)
    for candidate in _propose_by_direction(view):
        counts = first_counts.get(candidate.annotator, {})
        if candidate.direction not in counts:
            continue
        if len(counts) == 1:
            yield candidate
        elif candidate.direction == FINER:  # and coarser: neither is true
            yield replace(candidate, direction=ELSEWHERE, n_missing=counts[COARSER])


def _first_counts(view: View) -> dict[int, dict[str, int]]:
    """Return the number of boundaries of each annotator that has a candidate, by direction."""
    counts: dict[int, dict[str, int]] = {}
    for candidate in _propose_by_direction(view):
        directions = counts.setdefault(candidate.annotator, {})
        directions[candidate.direction] = directions.get(candidate.direction, 0) + candidate.counts[0]
    return counts


def _propose_by_direction(view: View) -> Iterator[Granularity]:
    corpus = view.corpus
    width = view.n_annotators
    lanes, offsets = view.lanes
    is_first = np.zeros(corpus.n_units, dtype=np.bool_)
    is_first[offsets[:-1]] = True
    unit = np.flatnonzero(view.covered[view.unit_document] & ~is_first)
    if not len(unit):
        return
    cuts = Cuts(unit, view.unit_document[unit], corpus.start[unit])
    document = cuts.document
    annotator = corpus.annotator[unit]
    # Each boundary against the boundaries of each other annotator of its document.
    lane_document = lanes // width
    first_lane = np.searchsorted(lane_document, document, side="left")
    n_lanes = np.searchsorted(lane_document, document, side="right") - first_lane
    row = np.repeat(np.arange(len(unit)), n_lanes)
    lane = ranges(first_lane, n_lanes)
    has_cut = _have_cuts(view, cuts, lanes[lane], row)
    is_other = lanes[lane] % width != annotator[row]
    n_with = np.bincount(row[is_other & has_cut], minlength=len(unit))
    n_others = view.document_size[document] - 1
    unmatched = np.flatnonzero(2 * n_with < n_others)
    yield from _propose_by_annotator(view, FINER, annotator[unmatched], cuts.take(unmatched))
    # Boundaries that one annotator alone lacks, as the first of the others has them.
    lacks = np.flatnonzero(is_other & ~has_cut)
    lacks = lacks[(n_with[row[lacks]] == n_others[row[lacks]] - 1) & (n_others[row[lacks]] > 1)]
    lacking = lanes[lane[lacks]] % width
    first_other = lanes[first_lane[row[lacks]]] % width
    second_other = lanes[np.minimum(first_lane[row[lacks]] + 1, len(lanes) - 1)] % width
    is_counted = annotator[row[lacks]] == np.where(first_other == lacking, second_other, first_other)
    boundary = row[lacks][is_counted]
    lacking = lacking[is_counted]
    missing_cuts = replace(cuts.take(boundary), unit=np.full(len(boundary), -1))
    yield from _propose_by_annotator(view, COARSER, lacking, missing_cuts)


def _have_cuts(view: View, cuts: Cuts, lane: IntArray, index: IntArray) -> BoolArray:
    """Return whether each lane has a cut near the cut of its index: within the noise, or the shortest unit."""
    corpus = view.corpus
    length = corpus.end - corpus.start
    tolerance = 2 * view.noise if view.noise > 0 else float(length[length > 0].min(initial=np.inf))
    starts = Positions(view.lane[cuts.unit], cuts.position)
    position = cuts.position[index]
    first = starts.count(lane, position - tolerance, side="left")
    result: BoolArray = starts.count(lane, position + tolerance, side="right") > first
    return result


def _propose_by_annotator(view: View, direction: str, annotator: IntArray, cuts: Cuts) -> Iterator[Granularity]:
    """Yield the annotators with more such cuts than the others have."""
    width = view.n_annotators
    for annotator_index in np.unique(annotator).tolist():
        is_there = view.has_seen(annotator_index)[cuts.document]
        rows = np.flatnonzero(annotator == annotator_index)
        candidate = _make_candidate(view, direction, annotator_index, rows, cuts, is_there, 2 * width)
        if candidate is None:
            continue
        if not may_be_exchanged(view, annotator_index, annotator, cuts.document, MIN_EXCHANGE_ALONE):
            yield candidate
            continue
        # Too few documents to be a habit: each document for itself, as a fact.
        for document in candidate.documents.tolist():
            in_document = cuts.document == document
            price = 2 * len(view.lanes[0])
            single = _make_candidate(
                view, direction, annotator_index, rows[in_document[rows]], cuts, in_document, price
            )
            if single is not None:
                yield single


def _make_candidate(
    view: View, direction: str, annotator: int, rows: IntArray, cuts: Cuts, is_there: BoolArray, n_tried: int
) -> Granularity | None:
    """Return the candidate of an annotator's cuts `rows` among all cuts, if there is enough evidence."""
    n = len(rows)
    n_all = int(np.count_nonzero(is_there))
    share = float(np.mean(1.0 / view.document_size[cuts.document[rows]]))
    net = float(binomial_evidence(n, n_all, share)) - math.log(n_tried)
    if net < MIN_NET:
        return None
    return Granularity(
        annotator=annotator,
        net=net,
        documents=np.unique(cuts.document[rows]),
        direction=direction,
        cuts=cuts.take(rows),
        counts=(n, float(n_all - n) / max(1 / share - 1, 1)),
    )


def _divide_units(view: View, annotator: int, cuts: Cuts) -> Repair:
    """Divide the units of an annotator at cuts that the others have.

    The longest part of a unit keeps its label; the others get another annotator's label.
    """
    corpus = view.corpus
    lane = cuts.document * view.n_annotators + annotator
    unit = np.maximum(Positions(view.lane, corpus.start).count(lane, cuts.position, side="right") - 1, 0)
    is_inside = (view.lane[unit] == lane) & (corpus.start[unit] < cuts.position) & (cuts.position < corpus.end[unit])
    unit = unit[is_inside]
    position = cuts.position[is_inside]
    drop = np.unique(unit)
    source = np.concatenate([drop, unit])
    bound = np.concatenate([corpus.start[drop], position])
    order = np.lexsort((bound, source))
    source = source[order]
    bound = bound[order]
    is_last = np.append(np.diff(source) != 0, True)
    end = np.where(is_last, corpus.end[source], np.append(bound[1:], 0.0))
    parts = view.units.take(source)
    by_length = np.lexsort((bound - end, source))
    is_longest = np.zeros(len(source), dtype=np.bool_)
    is_longest[by_length[np.unique(source[by_length], return_index=True)[1]]] = True
    label = np.where(is_longest, parts.category, _labels_at(view, annotator, parts.document, (bound + end) / 2))
    return Repair(drop, Units(parts.document, parts.annotator, bound, end, label, parts.origin))


def _labels_at(view: View, annotator: int, document: IntArray, position: FloatArray) -> IntArray:
    """Return the label of the unit that the first other annotator of a document has at each position."""
    corpus = view.corpus
    width = view.n_annotators
    lanes = view.lanes[0]
    first = np.searchsorted(lanes // width, document, side="left")
    first = np.where(lanes[first] % width == annotator, np.minimum(first + 1, len(lanes) - 1), first)
    unit_index = Positions(view.lane, corpus.start).count(lanes[first], position, side="right") - 1
    return corpus.category[np.maximum(unit_index, 0)]


def _needs_cover(view: View) -> str | None:
    return None if view.covered.any() else "no document is covered by the units of each annotator"


GRANULARITY_CAUSE = Cause(
    "granularity",
    Tier.SHAPE,
    "finer or coarser division of what is covered",
    "removes the boundaries of one annotator, or adds the others' boundaries",
    propose_granularity,
    _needs_cover,
)
