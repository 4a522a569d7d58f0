"""Bounds that count another unit of length: milliseconds for seconds, frames for seconds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, order_in_runs
from gamma_align.data.wording import number
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, documents_text, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import PAIR, View
from gamma_align.insight.disagreements.absences import Stretches, count_overlaps

# Units of length that are mistaken for each other, relative to the smaller one: milli- and microseconds, minutes,
# hours, frames of film, video and speech features, epochs of sleep, samples of audio.
FACTORS = (1000.0, 1e6, 60.0, 3600.0, 24.0, 25.0, 29.97, 30.0, 50.0, 100.0, 8000.0, 16000.0, 22050.0, 44100.0, 48000.0)
_ALL_FACTORS = (*FACTORS, *(1 / value for value in FACTORS))
_LOG_FACTORS = np.array([[math.log(factor)] for factor in _ALL_FACTORS])
_TOLERANCE = 0.6  # of ln(factor): medians of a few units differ; how many units overlap decides between factors
_NATS_OF_A_UNIT = 3.0  # that a unit overlaps one of the others when rescaled, and none before


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scale(Candidate):
    """The units of an annotator, to be divided by a factor."""

    fixed_question: ClassVar[str] = "Does this file count another unit of length?"

    factor: float
    units: IntArray
    overlaps: tuple[int, int]  # numbers of these units that overlap a unit of the others, before and after
    n_documents: int

    def repair(self, view: View) -> Repair:
        """Divide the bounds by the factor."""
        changed = view.units.take(self.units)
        changed.start[:] /= self.factor
        changed.end[:] /= self.factor
        return Repair(self.units, changed)

    def sentence(self, view: View) -> Sentence:
        """Return the factor and what it would change."""
        name, others_name = name_of(view, self.annotator), others_of(view, self.annotator)
        times = f"{number(self.factor)} times" if self.factor > 1 else f"1/{number(1 / self.factor)} of"
        before, after = self.overlaps
        scope = documents_text(view, self.documents, self.n_documents)
        return Sentence(
            f"Positions of {name} are {times} those of {others_name} in {scope}",
            f"{before:,} of {len(self.units):,} units of {name} overlap one of {others_name}; rescaled, {after:,} do.",
        )


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators whose ends are a known factor away from the others' ends."""
    width = view.n_annotators
    if not view.corpus.n_units:
        return
    lanes, median = _median_ends(view)
    document, annotator = np.divmod(lanes, width)
    suspects = np.flatnonzero(_are_suspect(document, median))
    price = math.log(2 * len(FACTORS) * len(lanes))
    # The evidence is largest if no unit overlaps another one before, and every unit does afterwards.
    min_units = (MIN_NET + price) / _NATS_OF_A_UNIT
    n_units = np.diff(view.lanes[1])
    n_suspect_units = np.bincount(annotator[suspects], n_units[suspects])
    for suspect in np.flatnonzero(n_suspect_units >= min_units).tolist():
        rows = suspects[annotator[suspects] == suspect]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(median[rows] / _median_of_others(view, suspect, document[rows]))
        is_explained = np.abs(ratio - _LOG_FACTORS) < _TOLERANCE
        n_documents = int(view.n_documents_with_units[suspect])
        candidates = [
            _candidate(view, suspect, _ALL_FACTORS[index], document[rows[is_explained[index]]], price, n_documents)
            for index in np.flatnonzero(is_explained @ n_units[rows] >= min_units).tolist()
        ]
        best = max(candidates, key=lambda candidate: candidate.net, default=None)
        if best is None:
            continue
        is_own = annotator == suspect
        if _is_unusual(view, best, document[is_own], median[is_own]):
            yield best


def _candidate(view: View, annotator: int, factor: float, documents: IntArray, price: float, n_documents: int) -> Scale:
    units = view.units_in(documents)
    units = units[view.corpus.annotator[units] == annotator]
    before, after = (_n_overlapping(view, documents, units, scale) for scale in (1.0, factor))
    return Scale(
        annotator=annotator,
        net=_NATS_OF_A_UNIT * (after - before) - price,
        # Of two annotators, it is the one who counts otherwise than in own other documents.
        is_named=view.has_three_annotators or len(documents) < n_documents,
        documents=documents,
        factor=factor,
        units=units,
        overlaps=(before, after),
        n_documents=n_documents,
    )


def _is_unusual(view: View, candidate: Scale, documents: IntArray, median: FloatArray) -> bool:
    """Return whether the annotator is the one of two whose documents are unlike the own other ones.

    Everywhere, larger numbers are taken for the ones that count something smaller.
    """
    if np.any(view.document_size[candidate.documents] > PAIR):
        return True  # the others are the majority
    is_there = np.isin(documents, candidate.documents)
    if is_there.all():
        return candidate.factor > 1
    usual = math.log(max(float(np.median(median[~is_there])), 1e-9))
    here = math.log(max(float(np.median(median[is_there])), 1e-9))
    return abs(here - usual) > abs(math.log(candidate.factor)) / 2


def _are_suspect(document: IntArray, median: FloatArray) -> BoolArray:
    """Return whether the median end of each lane is about a known factor from the least or largest of its document."""
    low, high = np.full(document.max() + 1, np.inf), np.zeros(document.max() + 1)
    np.minimum.at(low, document, median)
    np.maximum.at(high, document, median)
    result = np.zeros(len(median), dtype=np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        above, below = np.log(median / low[document]), np.log(high[document] / median)
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


def _n_overlapping(view: View, documents: IntArray, units: IntArray, factor: float) -> int:
    """Return how many units, divided by the factor, overlap a unit of another annotator."""
    corpus, other_units = view.corpus, view.units_in(documents)
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
