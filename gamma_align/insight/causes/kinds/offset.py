"""Bounds that are all moved by a constant."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, numbered, numbered_rows, ranges
from gamma_align.data import number
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, documents_text, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_NET, log_binomial, poisson_evidence
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import View

# directions
ALL_BOUNDS = "all bounds"
STARTS = "starts"
ENDS = "ends"

_WINDOW = 60.0  # median lengths of units: the farthest offset that is looked for
_MAX_PAIRS = 3_000_000  # pairs of units that are compared; the window is narrower if there are more
_MAX_HALVINGS = 20  # of the window
MIN_SHARE = 0.3  # of the units of an annotator in a document that an offset has to explain
_NOISE_CELLS = 3.0  # half the width of a window of continuous lags, in standard deviations
_LENGTH_TOLERANCE = 4.5  # difference between the lengths of two units that may be the same, in standard deviations
_MANY_DOCUMENTS = 6  # from which on a further document with the same offset costs ln 2 and not ln(documents)
_ROUNDING = 1e-9  # bounds in seconds are computed, and lags that are equal differ by rounding errors
_MAX_CUTS = 0.05  # share of units that begin or end inside a word where whole words are marked
MIN_DOMINANCE = 2.0  # times as many units have to fit at the offset as at none, and at the opposite one


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Offset(Candidate):
    """The units of an annotator in some documents, to be moved back by `lag`."""

    lag: float
    fits: tuple[int, int]  # numbers of pairs with the others that coincide, before and after
    n_documents: int  # of the annotator
    is_exact: bool
    is_sign: bool = False  # `fits` counts differences to the other side, and to this side

    def repair(self, view: View) -> Repair:
        """Move the bounds back, except those of units that show that they are where they were meant to be."""
        units = view.units_in(self.documents)
        is_own = view.corpus.annotator[units] == self.annotator
        other_units = units[~is_own]
        units = units[is_own]
        moved = view.units.take(units)
        if self.direction != ENDS:
            moved.start[:] -= self.lag
        if self.direction != STARTS:
            moved.end[:] -= self.lag
        is_moved = np.ones(len(units), dtype=np.bool_)
        if self.direction != ALL_BOUNDS:
            is_moved &= moved.start < moved.end
        if view.bounds_inside_words[other_units].mean() <= _MAX_CUTS:
            is_moved &= ~view.cut_words(moved) | view.bounds_inside_words[units]
        if abs(self.lag) > view.noise_width:
            is_moved &= ~_fit_somebody(view)[units]
        return Repair(units[is_moved], moved.take(is_moved))

    def sentence(self, view: View) -> Sentence:
        """Return the offset and how many units coincide with and without it."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
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


def _fit_somebody(view: View) -> BoolArray:
    """Return whether each unit has the label and, within the noise, the bounds of a unit that it is aligned with."""
    corpus = view.corpus
    (unit, partner) = view.pairs
    fits = corpus.category[unit] == corpus.category[partner]
    for bound in (corpus.start, corpus.end):
        fits &= np.abs(bound[unit] - bound[partner]) <= view.noise_width
    result = np.zeros(corpus.n_units, dtype=np.bool_)
    result[unit[fits]] = True
    return result


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Lags(Columns):
    """Differences between the starts of near units of one label: own minus other, by lane of the own unit.

    Equal units of an annotator are one row, `own`, and equal units of the others one row, `other`: a lag between them
    counts `n_own` · `n_other` times.
    """

    lane: IntArray
    own: IntArray
    other: IntArray
    n_own: IntArray
    n_other: IntArray
    lag: FloatArray


def near_lags(view: View) -> tuple[_Lags, float]:
    """Return the lags between units of two annotators with one label and about one length, and how far they reach."""
    corpus = view.corpus
    tolerance = _LENGTH_TOLERANCE * view.noise
    length = corpus.end - corpus.start
    window = max(_WINDOW * float(np.median(length)), 1.0)
    group = view.unit_document * (len(corpus.categories) + 1) + corpus.category + 1
    if tolerance == 0:
        group = numbered_rows(group, length)
    # Equal units are one place, so that sixty annotators with one unit each take as long as one.
    place = numbered_rows(group, corpus.start, length)
    _, first_unit, n_units = np.unique(place, return_index=True, return_counts=True)
    n_places = len(first_unit)
    cells, n_own = np.unique(view.lane * n_places + place, return_counts=True)
    lane, own_place = np.divmod(cells, n_places)
    start = corpus.start[first_unit]
    length = length[first_unit]
    # One sorted column of group and start serves all documents and labels: places are sorted so.
    reach = float(start.max()) - float(start.min()) + 2 * window + 1.0
    position = numbered(group[first_unit])[1] * reach + (start - start.min())
    for _ in range(_MAX_HALVINGS):
        first = np.searchsorted(position, position - window, side="left")[own_place]
        counts = np.searchsorted(position, position + window, side="right")[own_place] - first
        if counts.sum() <= _MAX_PAIRS:
            break
        window /= 2
    else:
        return _Lags.blank(0), window  # hundreds of thousands of units begin at one position
    own = np.repeat(np.arange(len(cells)), counts)
    other = ranges(first, counts)
    fits = np.abs(length[own_place[own]] - length[other]) <= tolerance
    own = own[fits]
    other = other[fits]
    lane = lane[own]
    key = lane * n_places + other
    index = np.minimum(np.searchsorted(cells, key), len(cells) - 1)
    n_other = n_units[other] - np.where(cells[index] == key, n_own[index], 0)
    lag = start[own_place[own]] - start[other]
    return _Lags(lane, own, other, n_own[own], n_other, lag).take(n_other > 0), window


def propose(view: View) -> Iterator[Candidate]:
    """Yield offsets of all bounds."""
    if not view.corpus.n_units:
        return
    lags, window = near_lags(view)
    if not len(lags):
        return
    # Half the width of a cell: with exact data a lag is one number.
    half = _NOISE_CELLS * view.noise
    counter = _LagCounter(view, lags, window, half)
    peaks = counter.peaks(*counter.best_lags())
    annotator = peaks.lane % view.n_annotators
    n_lanes = len(view.lanes[0])
    for annotator_index in np.unique(annotator).tolist():
        n_documents = int(view.n_documents_with_units[annotator_index])
        rows = np.flatnonzero(annotator == annotator_index)
        for group in _groups_of_lags(peaks.lag[rows], half):
            members = peaks.take(np.sort(rows[group]))
            lag = float(np.median(members.lag))
            if half and len(members) > 1:
                # Each document has its own best lag: only what they have at one lag is evidence for it.
                members = counter.peaks(np.searchsorted(view.lanes[0], members.lane), np.full(len(members), lag))
            price = math.log(n_lanes) if len(members) < _MANY_DOCUMENTS else math.log(2)
            members = members.take(members.evidence > price)
            if not len(members):
                continue
            n_tried = max(2 * window / max(2 * half, 1.0 if half == 0 else half), float(members.n_pairs.max()))
            net = (
                float(members.evidence.sum())
                - log_binomial(n_documents, len(members))
                - math.log(n_documents)
                - math.log(n_tried)
                - math.log(view.n_annotators)
            )
            if net < MIN_NET:
                continue
            documents = members.lane // view.n_annotators
            named = is_owner_named(view, annotator_index, documents)
            if named is None:
                continue
            yield Offset(
                annotator=annotator_index,
                net=net,
                is_named=named,
                documents=documents,
                direction=ALL_BOUNDS,
                lag=lag,
                fits=(int(members.count_at_zero.sum()), int(members.count.sum())),
                n_documents=n_documents,
                is_exact=half == 0,
            )


def _groups_of_lags(lag: FloatArray, half: float) -> list[IntArray]:
    """Return the indices of equal lags, or of lags that are one within the noise."""
    order = np.argsort(lag, kind="stable")
    cuts = np.flatnonzero(np.diff(lag[order]) > half + _ROUNDING) + 1
    return [order[first:last] for first, last in itertools.pairwise([0, *cuts.tolist(), len(order)])]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Peaks(Columns):
    """Lags of lanes that pass the tests, and the evidence for them; `n_pairs` are the pairs with any lag."""

    lane: IntArray
    lag: FloatArray
    count: FloatArray
    count_at_zero: FloatArray
    n_pairs: IntArray
    evidence: FloatArray


class _LagCounter:
    """Counts of units that coincide with one of the others if they are moved by a lag.

    Parameters
    ----------
    window : float
        The farthest lag.
    half : float
        Half the width of the cell of lags that count as one.
    """

    def __init__(self, view: View, lags: _Lags, window: float, half: float) -> None:
        self._view = view
        self._half = half
        lanes, first = view.lanes
        lane = np.searchsorted(lanes, lags.lane)
        self._reach = 4 * window
        position = lane * self._reach + lags.lag
        order = np.argsort(position, kind="stable")
        self._position = position[order]
        self._lane = lane[order]
        self._lags = lags.take(order)
        self._n_pairs_to = np.append(0, np.cumsum(self._lags.n_own * self._lags.n_other))
        self._n_units = np.diff(first)
        self._n_others = view.document_size[lanes // view.n_annotators] - 1
        # Of units anywhere in a document, most pairs have a small lag.
        widest = np.minimum(np.maximum(_spans_of_starts(view), 1.0), window)
        width = widest * (2 - widest / np.maximum(_spans_of_starts(view), widest))  # a square may overflow
        cell = 2 * half if half else 1.0
        self._n_cells = width[lanes // view.n_annotators] / cell + 1
        self._n_cells_of_window = 2 * window / cell + 1

    def _range(self, row: IntArray, centre: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the first lag of a lane within half a cell of a centre, and the end of the last."""
        low = row * self._reach + centre - self._half - _ROUNDING
        high = row * self._reach + centre + self._half + _ROUNDING
        return np.searchsorted(self._position, low, side="left"), np.searchsorted(self._position, high, side="right")

    def _n_pairs_between(self, first: IntArray, last: IntArray) -> IntArray:
        """Return the number of pairs of units with these lags."""
        result: IntArray = self._n_pairs_to[last] - self._n_pairs_to[first]
        return result

    def best_lags(self) -> tuple[IntArray, FloatArray]:
        """Return each lane with lags, and its most frequent lag other than none."""
        lag = self._lags.lag
        half = self._half
        # The window begins at a lag, so that no peak is cut in two.
        counts = self._n_pairs_between(*self._range(self._lane, lag + half))
        counts[np.abs(lag + half) <= max(half, _ROUNDING)] = 0  # no offset
        best = np.lexsort((np.abs(lag), -counts, self._lane))
        best = best[np.unique(self._lane[best], return_index=True)[1]]
        first, last = self._range(self._lane[best], lag[best] + half)
        return self._lane[best], lag[(first + last) // 2]

    def _count(self, row: IntArray, centre: FloatArray) -> FloatArray:
        """Return the number of pairs of units with a lag, each unit with one unit of each other annotator at most."""
        first, last = self._range(row, centre)
        counts = last - first
        index = ranges(first, counts)
        entry = np.repeat(np.arange(len(row)), counts)
        lags = self._lags.take(index)
        own, own_index, own_code = np.unique(lags.own, return_index=True, return_inverse=True)
        n_partners = np.bincount(own_code, lags.n_other, len(own))
        n_of_own = lags.n_own[own_index] * np.minimum(n_partners, self._n_others[row[entry[own_index]]])
        keys = entry * (int(lags.other.max(initial=0)) + 1) + lags.other
        other_index = np.unique(keys, return_index=True)[1]
        return np.minimum(
            np.bincount(entry[own_index], n_of_own, len(row)),
            np.bincount(entry[other_index], lags.n_other[other_index], len(row)),
        )

    def peaks(self, row: IntArray, centre: FloatArray) -> _Peaks:
        """Return lags of lanes that beat none and their opposite, and the evidence for them."""
        view = self._view
        lanes = view.lanes[0]
        n, at_zero, opposite = (self._count(row, lag) for lag in (centre, np.zeros(len(row)), -centre))
        n_units = self._n_units[row]
        n_others = self._n_others[row]
        n_cells = self._n_cells[row]
        is_peak = (n >= MIN_DOMINANCE * np.maximum(at_zero, opposite)) & (n > at_zero)
        is_peak &= n >= MIN_SHARE * n_units * np.maximum(n_others / 2, 1)
        n_pairs = self._n_pairs_between(
            np.searchsorted(self._lane, row), np.searchsorted(self._lane, row, side="right")
        )
        n_elsewhere = n_pairs - self._n_pairs_between(*self._range(row, centre))
        other_units = np.diff(view.corpus.unit_offsets)[lanes[row] // view.n_annotators] - n_units
        n_labels = max(len(view.corpus.categories), 1)
        expected = np.maximum(
            n_elsewhere / n_cells, MIN_SHARE * n_units * other_units / self._n_cells_of_window / n_labels
        )
        # A unit counts once, however many others there are.
        evidence = poisson_evidence(n, expected) / np.maximum(n_others, 1)
        return _Peaks(lanes[row], centre, n, at_zero, n_pairs, evidence).take(is_peak)


def _spans_of_starts(view: View) -> FloatArray:
    """Return the distance between the first and the last start in each document, 0 without units."""
    documents = view.unit_document
    first = np.full(len(view.corpus), np.inf)
    last = np.full(len(view.corpus), -np.inf)
    np.minimum.at(first, documents, view.corpus.start)
    np.maximum.at(last, documents, view.corpus.start)
    return np.where(last >= first, last - first, 0.0)


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
    if own_rate > 2 * other_rate + _MAX_CUTS:
        return True
    if other_rate > 2 * own_rate + _MAX_CUTS:
        return None
    return False if annotator_index > other_annotators[0] else None


OFFSET_CAUSE = Cause(
    "offset",
    Tier.POSITION,
    "bounds that are moved by a constant",
    "moves them back",
    propose,
    is_clerical=True,
    names_one_of_two=True,
)
