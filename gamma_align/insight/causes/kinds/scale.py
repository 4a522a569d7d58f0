"""Bounds that count another unit of length: milliseconds for seconds, frames for seconds, or ten times anything."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, order_in_runs
from gamma_align.data import number
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, documents_text, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_ATTRIBUTION, MIN_NET, contrast_evidence
from gamma_align.insight.causes.factors import Meetings, estimate_factor
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import PAIR, View
from gamma_align.insight.disagreements.absences import Stretches, count_overlaps

# Units of length that are mistaken for each other, relative to the smaller one: milli- and microseconds, minutes,
# hours, frames of film, video and speech features, epochs of sleep, samples of audio.
FACTORS = (1000.0, 1e6, 60.0, 3600.0, 24.0, 25.0, 29.97, 30.0, 50.0, 100.0, 8000.0, 16000.0, 22050.0, 44100.0, 48000.0)
_ALL_FACTORS = (*FACTORS, *(1 / value for value in FACTORS))
_LOG_FACTORS = np.array([[math.log(factor)] for factor in _ALL_FACTORS])
_TOLERANCE = 0.6  # of ln(factor): medians of a few units differ; how many units overlap decides between factors
_NATS_OF_A_UNIT = 3.0  # that a unit overlaps or meets one of the others when rescaled, and none before
_MIN_MEETING = 0.5  # share of the units of a document that meet others; with fewer, its factor may be another one
_MAX_PAIRS = 2**18  # of units of all annotators, from which their factors are estimated
_LARGE_FACTOR = 8.0  # documents differ by less in the length that is annotated


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scale(Candidate):
    """The units of an annotator, to be divided by a factor."""

    fixed_question: ClassVar[str] = "Does this file count another unit of length?"

    factor: float
    units: IntArray
    overlaps: tuple[int, int]  # numbers of these units that overlap a unit of the others, before and after
    meetings: tuple[int, int]  # numbers of these units that meet units of the others
    n_documents: int

    def repair(self, view: View) -> Repair:
        """Divide the bounds by the factor."""
        changed = view.units.take(self.units)
        changed.start[:] /= self.factor
        changed.end[:] /= self.factor
        return Repair(self.units, changed)

    def sentence(self, view: View) -> Sentence:
        """Return the factor, and how many units overlap and meet others before and after rescaling."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        times = f"{number(self.factor)} times" if self.factor > 1 else f"1/{number(1 / self.factor)} of"
        before, after = self.overlaps
        n_meeting, n_then = self.meetings
        scope = documents_text(view, self.documents, self.n_documents)
        return Sentence(
            f"Positions of {name} are {times} those of {others_name} in {scope}",
            f"{before:,} of {len(self.units):,} units of {name} overlap one of {others_name}; rescaled, {after:,} do. "
            f"{n_meeting:,} have the same bounds up to a third of their length; rescaled, {n_then:,} do.",
        )


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators whose positions are a factor away from the others' positions, a known or an estimated one."""
    width = view.n_annotators
    if not view.corpus.n_units:
        return
    lanes, median = _median_ends(view)
    document, annotator = np.divmod(lanes, width)
    n_units = np.diff(view.lanes[1])
    price = math.log(2 * len(FACTORS) * len(lanes))
    # The evidence is largest if no unit overlaps another one before, and every unit does afterwards.
    min_units = (MIN_NET + price) / _NATS_OF_A_UNIT
    meetings = Meetings(view)
    meets = meetings.are_met(np.arange(view.corpus.n_units))
    n_meeting = np.bincount(np.repeat(np.arange(len(lanes)), n_units), meets, len(lanes))
    far = _are_suspect(document, median), n_meeting < _MIN_MEETING * n_units
    by_factor, by_meeting = (np.bincount(annotator[is_far], n_units[is_far], width) >= min_units for is_far in far)
    max_pairs = _MAX_PAIRS // max(int(np.count_nonzero(by_meeting)), 1)
    for suspect in np.flatnonzero(by_factor | by_meeting).tolist():
        is_own = annotator == suspect
        candidates: list[Scale] = []
        if by_factor[suspect]:
            rows = np.flatnonzero(far[0] & is_own)
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.log(median[rows] / _median_of_others(view, suspect, document[rows]))
            is_explained = np.abs(ratio - _LOG_FACTORS) < _TOLERANCE
            candidates = [
                _make_candidate(
                    view, meetings, suspect, _ALL_FACTORS[index], document[rows[is_explained[index]]], price
                )
                for index in np.flatnonzero(is_explained @ n_units[rows] >= min_units).tolist()
            ]
        if by_meeting[suspect]:
            candidates += _propose_estimated_factor(view, meetings, suspect, document[far[1] & is_own], max_pairs)
        # Known factors are tried with few units, so that more than one may suffice.
        best = max(candidates, key=lambda candidate: (candidate.meetings[1], candidate.net), default=None)
        if best is None:
            continue
        who = _is_owner_shown(view, best, document[is_own], median[is_own])
        if who is not None:
            yield replace(best, is_named=who)


def _make_candidate(
    view: View, meetings: Meetings, annotator: int, factor: float, documents: IntArray, price: float
) -> Scale:
    units = view.units_in(documents)
    units = units[view.corpus.annotator[units] == annotator]
    before, after = (_count_overlapping(view, documents, units, scale) for scale in (1.0, factor))
    n_meeting, n_then = (int(np.count_nonzero(meetings.are_met(units, scale))) for scale in (1.0, factor))
    return Scale(
        annotator=annotator,
        net=_NATS_OF_A_UNIT * (after - before) - price,
        documents=documents,
        factor=factor,
        units=units,
        overlaps=(before, after),
        meetings=(n_meeting, n_then),
        n_documents=int(view.n_documents_with_units[annotator]),
    )


def _propose_estimated_factor(
    view: View, meetings: Meetings, annotator: int, documents: IntArray, max_pairs: int
) -> Iterator[Scale]:
    """Yield the candidate of an estimated factor, in documents in which most units meet others with it alone."""
    corpus = view.corpus
    units = view.units_in(documents)
    is_own = corpus.annotator[units] == annotator
    stretches = Stretches(view.unit_document[units], corpus.start[units], corpus.end[units])
    factor = estimate_factor(stretches.take(is_own), stretches.take(~is_own), max_pairs)
    if factor is None or factor.evidence < MIN_NET:
        return
    own = units[is_own]
    n_documents = len(view.corpus)
    n, now, then = (
        np.bincount(view.unit_document[own], marks, n_documents)
        for marks in (np.ones(len(own)), meetings.are_met(own), meetings.are_met(own, factor.value))
    )
    is_rescaled = (then > now) & (then >= _MIN_MEETING * n)
    # Documents of a few units, or with other differences, are like most of the annotator's.
    if 2 * np.count_nonzero(is_rescaled) > len(documents):
        is_rescaled |= (n > 0) & (then >= now)
    if not is_rescaled.any():
        return
    price = math.log(view.n_annotators)
    candidate = _make_candidate(view, meetings, annotator, factor.value, np.flatnonzero(is_rescaled), price)
    before, after = candidate.meetings
    yield replace(candidate, net=min(factor.evidence, _NATS_OF_A_UNIT * (after - before)) - price)


def _is_owner_shown(view: View, candidate: Scale, documents: IntArray, median: FloatArray) -> bool | None:
    """Return whether the evidence shows that it is the annotator of a candidate, None if it is rather the other one.

    Of two annotators, it is the one whose bounds cut words of the text, or whose documents are unlike the own other
    ones. Everywhere, larger numbers are taken for the ones that count something smaller.
    """
    if np.any(view.document_size[candidate.documents] > PAIR):
        return True  # the others are the majority
    cuts, n = _count_cut_words(view, candidate)
    if contrast_evidence(cuts[0], n[0], cuts[1], n[1]) >= MIN_ATTRIBUTION:
        return True
    if contrast_evidence(cuts[1], n[1], cuts[0], n[0]) >= MIN_ATTRIBUTION:
        return None
    is_there = np.isin(documents, candidate.documents)
    size = abs(math.log(candidate.factor))
    if is_there.all() or size < math.log(_LARGE_FACTOR):
        return False if candidate.factor > 1 else None
    usual = math.log(max(float(np.median(median[~is_there])), 1e-9))
    here = math.log(max(float(np.median(median[is_there])), 1e-9))
    return True if abs(here - usual) > size / 2 else None


def _count_cut_words(view: View, candidate: Scale) -> tuple[list[int], list[int]]:
    """Return how many units of an annotator, and of the others, have a bound in a word or after the text, and all."""
    texts = view.corpus.texts or [None] * len(view.corpus)
    units = view.units_in(candidate.documents)
    document = view.unit_document[units]
    is_known = np.array([text is not None for text in texts], dtype=np.bool_)[document]
    length = np.array([len(text or "") for text in texts])[document]
    is_cut = view.bounds_inside_words[units] | (view.corpus.end[units] > length)
    is_own = view.corpus.annotator[units] == candidate.annotator
    sides = [is_known & is_own, is_known & ~is_own]
    return [int(np.count_nonzero(is_cut & side)) for side in sides], [int(np.count_nonzero(side)) for side in sides]


def _are_suspect(document: IntArray, median: FloatArray) -> BoolArray:
    """Return whether the median end of each lane is about a known factor from the least or largest of its document."""
    low = np.full(document.max() + 1, np.inf)
    high = np.zeros(document.max() + 1)
    np.minimum.at(low, document, median)
    np.maximum.at(high, document, median)
    result = np.zeros(len(median), dtype=np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.log(median / low[document])
        below = np.log(high[document] / median)
    for factor in FACTORS:
        for ratio in (above, below):
            result |= np.abs(ratio - math.log(factor)) < 2 * _TOLERANCE
    return result


def _median_ends(view: View) -> tuple[IntArray, FloatArray]:
    """Return the lanes with units, and the median end of the units of each."""
    lanes, offsets = view.lanes
    begins_lane = np.zeros(view.corpus.n_units, dtype=np.bool_)
    begins_lane[offsets[:-1]] = True
    order = order_in_runs(begins_lane, view.corpus.end)
    return lanes, view.corpus.end[order[(offsets[:-1] + offsets[1:]) // 2]]


def _median_of_others(view: View, annotator: int, documents: IntArray) -> FloatArray:
    """Return the median end of the units of the others in each document, NaN for none."""
    units = view.units_in(documents)
    units = units[view.corpus.annotator[units] != annotator]
    units = units[np.lexsort((view.corpus.end[units], view.unit_document[units]))]
    first = np.searchsorted(view.unit_document[units], documents, side="left")
    last = np.searchsorted(view.unit_document[units], documents, side="right")
    result = np.full(len(documents), np.nan)
    has_units = last > first
    result[has_units] = view.corpus.end[units[((first + last) // 2)[has_units]]]
    return result


def _count_overlapping(view: View, documents: IntArray, units: IntArray, factor: float) -> int:
    """Return how many units, divided by the factor, overlap a unit of another annotator."""
    corpus = view.corpus
    other_units = view.units_in(documents)
    other_units = other_units[corpus.annotator[other_units] != corpus.annotator[units[0]]]
    rescaled = Stretches(view.unit_document[units], corpus.start[units] / factor, corpus.end[units] / factor)
    return int(
        np.count_nonzero(
            count_overlaps(
                Stretches(view.unit_document[other_units], corpus.start[other_units], corpus.end[other_units]), rescaled
            )
        )
    )


SCALE_CAUSE = Cause(
    "scale",
    Tier.FILE,
    "bounds that count another unit of length",
    "divides them by the factor",
    propose,
    is_clerical=True,
    names_one_of_two=True,
)
