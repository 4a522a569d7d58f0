"""Bounds that are all moved by a constant."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import Columns, FloatArray, IntArray, numbered
from gamma_align.data.wording import number
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, documents_text, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_NET, poisson_evidence
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

ALL_BOUNDS, STARTS, ENDS = "all bounds", "starts", "ends"  # directions

_WINDOW = 60.0  # median lengths of units: the farthest offset that is looked for
_MAX_PAIRS = 3_000_000  # pairs of units that are compared; the window is narrower if there are more
MIN_SHARE = 0.3  # of the units of an annotator in a document that an offset has to explain
_NOISE_CELLS = 3.0  # half the width of a window of continuous lags, in standard deviations
_LENGTH_TOLERANCE = 4.5  # difference between the lengths of two units that may be the same, in standard deviations
_MANY_DOCUMENTS = 6  # from which on a further document with the same offset costs ln 2 and not ln(documents)
_ROUNDING = 1e-9  # bounds in seconds are computed, and lags that are equal differ by rounding errors
_MIN_DOMINANCE = 2.0  # times as many units have to fit at the offset as at none, and at the opposite one


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Offset(Candidate):
    """The units of an annotator in some documents, to be moved back by `lag`."""

    lag: float
    fits: tuple[int, int]  # numbers of pairs with the others that coincide, before and after
    n_documents: int  # of the annotator
    is_exact: bool
    is_sign: bool = False  # `fits` counts differences to the other side, and to this side

    def repair(self, view: View) -> Repair:
        """Move the bounds back."""
        is_concerned = np.isin(view.unit_document, self.documents) & (view.corpus.annotator == self.annotator)
        units = np.flatnonzero(is_concerned)
        changed = view.units.take(units)
        if self.direction != ENDS:
            changed.start[:] -= self.lag
        if self.direction != STARTS:
            changed.end[:] -= self.lag
        if self.direction != ALL_BOUNDS:
            # A unit shorter than the offset would end before it starts.
            changed.end[:] = np.maximum(changed.end, changed.start)
        return Repair(units, changed)

    def sentence(self, view: View) -> Sentence:
        """Return the offset and how many units coincide with and without it."""
        name, others_name = name_of(view, self.annotator), others_of(view, self.annotator)
        scope = documents_text(view, self.documents, self.n_documents)
        unit = view.corpus.length_unit
        distance = f"{number(round(abs(self.lag), 6))} {unit or ''}".strip()
        kind = "units" if self.direction == ALL_BOUNDS else self.direction
        if self.is_named:
            side = "later" if self.lag > 0 else "earlier"
            verb = "stand" if kind == "units" else "are"
            title = f"In {scope}, {name}'s {kind} {verb} {distance} {side} than those of {others_name}"
        else:
            title = f"In {scope}, the {kind} of {name} and {others_name} differ by {distance}"
        before, after = self.fits
        if self.is_sign:
            return Sentence(title, f"{after:,} of {before + after:,} differences are to this side.")
        coincide = "coincide" if self.is_exact else "nearly coincide"
        return Sentence(title, f"Moved, {after:,} pairs with a unit of {others_name} {coincide}; {before:,} do now.")

    def question(self, view: View) -> str:  # noqa: ARG002  (the interface)
        """Ask about the version of the text, or the convention of ends."""
        if self.direction == ALL_BOUNDS:
            return "Was another version of the text or of the recording annotated, or read?"
        return "Does one of the files count the last position as part of the unit?"


class _Lags(NamedTuple):
    """Differences between the starts of near units of one label: own minus other, by lane of the own unit."""

    lane: IntArray
    unit: IntArray
    partner: IntArray
    lag: FloatArray
    window: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Peaks(Columns):
    """The most frequent lag of each lane that passes the tests, and the evidence for it."""

    lane: IntArray
    lag: FloatArray
    count: FloatArray
    count_at_zero: FloatArray
    evidence: FloatArray


def propose(view: View) -> Iterator[Candidate]:
    """Yield offsets of all bounds."""
    if view.corpus.n_units:
        yield from _offsets_of_all_bounds(view)


def near_pairs(view: View) -> _Lags:
    """Return the pairs of units of two annotators with one label and about one length, near each second_unit."""
    corpus = view.corpus
    length = corpus.end - corpus.start
    window = max(_WINDOW * float(np.median(length)), 1.0)
    key = numbered(view.unit_document * (len(corpus.categories) + 1) + corpus.category + 1)[1]
    low = float(corpus.start.min())
    reach = float(corpus.start.max()) - low + 2 * window + 1.0
    # One sorted column of group and start serves all documents and labels.
    position = key * reach + (corpus.start - low)
    order = np.argsort(position, kind="stable")
    position = position[order]
    while True:
        first = np.searchsorted(position, position - window, side="left")
        last = np.searchsorted(position, position + window, side="right")
        if (last - first).sum() <= _MAX_PAIRS:
            break
        window /= 2
    counts = last - first
    own_unit = np.repeat(np.arange(len(position)), counts)
    begins = np.repeat(np.cumsum(counts) - counts - first, counts)
    partner = order[np.arange(len(own_unit)) - begins]
    own_unit = order[own_unit]
    is_other = corpus.annotator[own_unit] != corpus.annotator[partner]
    tolerance = _LENGTH_TOLERANCE * view.noise
    fits = is_other & (np.abs(length[own_unit] - length[partner]) <= tolerance)
    own_unit, partner = own_unit[fits], partner[fits]
    return _Lags(view.lane[own_unit], own_unit, partner, corpus.start[own_unit] - corpus.start[partner], window)


def _offsets_of_all_bounds(view: View) -> Iterator[Candidate]:
    lags = near_pairs(view)
    if not len(lags.lane):
        return
    # Half the width of a cell: with exact data a lag is one number.
    half = _NOISE_CELLS * view.noise
    peaks = _peaks(view, lags, half)
    document, annotator = np.divmod(peaks.lane, view.n_annotators)
    n_lanes = len(view.lanes[0])
    for annotator_index in np.unique(annotator).tolist():
        rows = np.flatnonzero(annotator == annotator_index)
        for group in _groups_of_lags(peaks.lag[rows], half):
            members = rows[group]
            n_lags = 2 * lags.window / max(2 * half, 1.0 if half == 0 else half)
            price = math.log(n_lanes) if len(members) < _MANY_DOCUMENTS else math.log(2)
            useful = members[peaks.evidence[members] > price]
            if not len(useful):
                continue
            net = (
                float((peaks.evidence[useful] - price).sum()) - math.log(max(n_lags, 1.0)) - math.log(view.n_annotators)
            )
            if net < MIN_NET:
                continue
            lag = float(np.median(peaks.lag[members]))
            fits = (int(peaks.count_at_zero[useful].sum()), int(peaks.count[useful].sum()))
            named = is_owner_named(view, annotator_index, document[useful])
            if named is None:
                continue
            yield Offset(
                annotator=annotator_index,
                net=net,
                is_named=named,
                documents=document[useful],
                direction=ALL_BOUNDS,
                lag=lag,
                fits=fits,
                n_documents=int(view.n_documents_with_units[annotator_index]),
                is_exact=half == 0,
            )


def _groups_of_lags(lag: FloatArray, half: float) -> list[IntArray]:
    """Return the indices of equal lags, or of lags that are one within the noise."""
    order = np.argsort(lag, kind="stable")
    cuts = np.flatnonzero(np.diff(lag[order]) > half + _ROUNDING) + 1
    return [order[first:last] for first, last in itertools.pairwise([0, *cuts.tolist(), len(order)])]


def _peaks(view: View, lags: _Lags, half: float) -> _Peaks:
    """Return the most frequent lag of each lane other than none, if it beats none and its opposite."""
    corpus = view.corpus
    lanes, first = view.lanes
    n_units = np.diff(first)
    lane = np.searchsorted(lanes, lags.lane)
    reach = 4 * lags.window
    position = lane * reach + lags.lag
    order = np.argsort(position, kind="stable")
    position, lane, lag = position[order], lane[order], lags.lag[order]

    def count(centre: FloatArray, row: IntArray) -> FloatArray:
        """Return the number of lags of a lane within half a cell of a centre."""
        low = np.searchsorted(position, row * reach + centre - half - _ROUNDING, side="left")
        high = np.searchsorted(position, row * reach + centre + half + _ROUNDING, side="right")
        return (high - low).astype(np.float64)

    # The window begins at a lag, so that no peak is cut in two.
    counts = count(lag + half, lane)
    counts[np.abs(lag + half) <= max(half, _ROUNDING)] = 0.0  # no offset
    best = np.lexsort((np.abs(lag), -counts, lane))
    best = best[np.unique(lane[best], return_index=True)[1]]
    row, centre, n = lane[best], lag[best] + half, counts[best]
    at_zero, opposite = count(np.zeros(len(row)), row), count(-centre, row)
    n_others = view.document_size[lanes[row] // view.n_annotators] - 1
    is_peak = (n >= _MIN_DOMINANCE * np.maximum(at_zero, opposite)) & (n > at_zero)
    is_peak &= n >= MIN_SHARE * n_units[row] * np.maximum(n_others / 2, 1)
    n_cells = 2 * lags.window / (2 * half if half else 1.0) + 1
    n_pairs = np.bincount(lane, minlength=len(lanes))[row]
    document = lanes[row] // view.n_annotators
    other_units = np.diff(corpus.unit_offsets)[document] - n_units[row]
    n_labels = max(len(corpus.categories), 1)
    expected = np.maximum((n_pairs - n) / n_cells, MIN_SHARE * n_units[row] * other_units / n_cells / n_labels)
    # A unit counts once, however many others there are.
    evidence = poisson_evidence(n, expected) / np.maximum(n_others, 1)
    return _Peaks(lanes[row], centre, n, at_zero, evidence).take(is_peak)


def is_owner_named(view: View, annotator_index: int, documents: IntArray) -> bool | None:
    """Return whether the annotator is the one whose bounds are moved; None if it is the other one.

    With more than one other annotator the evidence says so. With one, bounds inside words tell; without texts nobody is
    named, and of the two candidates the one of the later name is kept.
    """
    annotators = view.annotators_in(documents)
    other_annotators = annotators[annotators != annotator_index]
    if len(other_annotators) > 1:
        return True
    units = view.units_in(documents)
    own_rate, other_rate = (
        float(view.bounds_inside_words[units[view.corpus.annotator[units] == annotator]].mean())
        for annotator in (annotator_index, int(other_annotators[0]))
    )
    if own_rate > 2 * other_rate + 0.05:
        return True
    if other_rate > 2 * own_rate + 0.05:
        return None
    return False if annotator_index > other_annotators[0] else None


OFFSET_CAUSE = Cause(
    "offset",
    Tier.POSITION,
    "bounds that are moved by a constant",
    "moves them back",
    propose,
    is_clerical=True,
)
