"""Places that an annotator leaves out: whole documents, or all from or up to a position, in one document or in all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, order_in_runs, ranges
from gamma_align.data import counted, few, number
from gamma_align.insight.causes.cause import (
    NOBODY,
    Candidate,
    Cause,
    Sentence,
    Tier,
    documents_text,
    name_of,
    others_of,
)
from gamma_align.insight.causes.evidence import (
    EVIDENCE_TOLERANCE,
    MIN_NET,
    binomial_evidence,
    contrast_evidence,
    log_binomial,
    poisson_evidence,
    run_log_probability,
)
from gamma_align.insight.causes.exchange import MIN_EXCHANGE, may_events_be_exchanged
from gamma_align.insight.causes.filling import Omission
from gamma_align.insight.causes.scopes import PartCounter
from gamma_align.insight.causes.view import Events, View

# Directions: which part of the documents is silent
EVERYWHERE = "everywhere"
WHOLE_DOCUMENTS = "whole documents"
FROM_DOCUMENT = "from a document on"
# a position
AFTER = "after"
BEFORE = "before"

_MAX_NAMED = 4  # annotators in a sentence
_MIN_RUN = 3
_LONG_RUN = 4  # places left out in a row; the usual rate is estimated without documents with such a run
_MIN_RUN_ATTRIBUTION = 3.0  # nats; of two annotators, five places in a row give 3.5
_MIN_PLACES = 8  # places of a document; in smaller ones, no part with few units is looked for
_MIN_SHARE_MISSED = 0.5  # least share of the places in such a part that are left out
_CUTS = np.linspace(0.0, 1.0, 31)[1:-1]  # of the extent of a document
_MIN_SIDE = 0.02  # share of all places that has to be on either side of such a cut
_MANY_WHOLE = 3  # whole documents; from so many on, the rate at which the others leave out documents counts
MAX_CORRELATION = 0.5  # within documents
_MAX_SIZE = 10  # places; larger documents count as documents of this size
_MIN_LANES = 5  # documents of one size; with fewer, the rate of all sizes is used
PRIOR_MISSES = 0.5  # added to counts, so that no rate is 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Silence(Omission):
    """The places that an annotator leaves out in documents, or in parts of them."""

    silent: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # if nothing is marked anywhere
    expected: float = 0.0  # documents of the silent ones in which one of the others would have a unit
    n_documents: int  # of the annotator, or of all who are silent
    position: float = 0.0  # at which the part begins or ends; a share of each document if there are several
    is_empty: bool = True  # whether the annotator has no unit in the part, before all repairs

    def sentence(self, view: View) -> Sentence:
        """Return the part that is left out, and how often the annotator leaves out places there and elsewhere."""
        if self.annotator == NOBODY:
            n_annotations = np.bincount(view.corpus.seen, minlength=view.n_annotators)[self.silent]
            # Whoever has seen most documents comes first.
            by_number = self.silent[np.argsort(-n_annotations, kind="stable")]
            people = few((name_of(view, code) for code in by_number.tolist()), _MAX_NAMED)
            title = f"{len(by_number):,} annotators mark nothing in any of their {self.n_documents:,} annotations"
            return Sentence(
                f"{title}: {people}",
                f"One of the others would have units in {self.expected:,.0f} of them. Most others have units in "
                f"{len(self.events):,} places of these documents.",
            )
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        events = view.base.chances.of_annotator(self.annotator)
        is_there = np.isin(events.document, self.documents)
        start = view.base.alignments.start[events.alignment]
        is_part = is_there & _is_part(view, events.document, start, self.documents, self.direction, self.position)
        n, total = (int(np.count_nonzero(marks)) for marks in (is_part & ~events.hit, is_part))
        have = "has" if view.is_pair else "have"
        proof = f"There {others_name} {have} units in {counted(total, 'place')}, {name} in {n:,}"
        amount = "marks nothing" if self.is_empty else "marks little"
        if not self.is_named:
            amount = f"marks much more than {name}"
            name = others_name
        if self.direction in (AFTER, BEFORE):
            is_elsewhere = is_there & ~is_part
            n_else = np.count_nonzero(is_elsewhere & ~events.hit)
            total_else = np.count_nonzero(is_elsewhere)
            proof += f"; elsewhere in {n_else:,} of {total_else:,}"
        names = view.corpus.documents
        if self.direction == EVERYWHERE:
            title = f"{name} marks nothing in any of {counted(self.n_documents, 'document')}"
        elif self.direction == FROM_DOCUMENT:
            first = names[int(self.documents[0])]
            title = f"{name} marks nothing from {first} on, {counted(len(self.documents), 'document')}"
        elif self.direction == WHOLE_DOCUMENTS:
            title = f"{name} marks nothing in {documents_text(view, self.documents, self.n_documents)}"
        elif len(self.documents) == 1:
            title = f"{names[int(self.documents[0])]}: {name} {amount} {self.direction} {number(self.position)}"
        else:
            share = f"{100 * (1 - self.position if self.direction == AFTER else self.position):.0f} %"
            side = "last" if self.direction == AFTER else "first"
            title = f"{name} {amount} in the {side} {share} of each document"
        return Sentence(title, f"{proof}.")

    def question(self, view: View) -> str:
        """Ask whether the annotation is complete."""
        if self.annotator == NOBODY:
            return "Did these annotators see the documents, or is a part of the files missing?"
        if not self.is_named:
            return "Is a part of either annotation missing, or is there more to mark in this part?"
        verb = "begun late" if self.direction == BEFORE else "finished"
        return f"Was the annotation by {name_of(view, self.annotator)} {verb}, or is a part of the file missing?"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Lanes(Columns):
    """The places of an annotator in a document in order, one row each: counts of left out ones and runs of them.

    `chances` are the places where the others have units.
    """

    annotator: IntArray
    document: IntArray
    first: IntArray
    total: IntArray
    chances: IntArray
    misses: IntArray
    head: IntArray
    tail: IntArray
    longest: IntArray

    @property
    def is_silent(self) -> BoolArray:
        """Whether all places are left out."""
        result: BoolArray = self.misses == self.total
        return result


def _make_lanes(view: View) -> tuple[Events, _Lanes]:
    """Return the places in the order of position, and their lanes.

    The places of an annotator are the chances, and the places of all own units: who marks units that nobody else marks
    is not silent there.
    """
    is_own = view.is_marking & ~view.is_copy[view.rows.unit]
    events = view.events_of(view.is_chance | is_own, ~view.is_marking)
    n = len(events)
    # They are sorted by annotator and document; within most lanes, they are in the order of position, too.
    is_new = np.ones(n, dtype=np.bool_)
    is_new[1:] = (np.diff(events.annotator) != 0) | (np.diff(events.document) != 0)
    events = events.take(order_in_runs(is_new, view.alignments.start[events.alignment]))
    first = np.flatnonzero(is_new)
    total = np.diff(np.append(first, n))
    lane = np.cumsum(is_new) - 1
    misses = np.bincount(lane, events.hit, len(first)).astype(np.int64)
    chances = np.bincount(lane, view.is_chance[view.row_of(events)], len(first)).astype(np.int64)
    # Length of the run of misses that ends at each place.
    index = np.arange(n)
    last_mark = np.maximum.accumulate(np.where(events.hit, first[lane] - 1 if n else index, index))
    run = index - np.maximum(last_mark, first[lane] - 1)
    tail = run[first + total - 1] if n else np.zeros(0, dtype=np.int64)
    marks = np.where(events.hit, n, index)
    first_mark = np.minimum.reduceat(marks, first) if n else np.zeros(0, dtype=np.int64)
    head = np.minimum(first_mark - first, total)
    longest = np.maximum.reduceat(run, first) if n else np.zeros(0, dtype=np.int64)
    counts = (first, total, chances, misses, head, tail, longest)
    return events, _Lanes(events.annotator[first], events.document[first], *counts)


class _Habits:
    """The usual rate of leaving out of each annotator, and how it varies between documents, without silent ones."""

    def __init__(self, lanes: _Lanes, n_annotators: int) -> None:
        usual = _without_long_ends(lanes.take(~lanes.is_silent))
        self.rate = _truncated_rates(usual, n_annotators)
        # In the mean over all annotators if one has no usual document.
        rate = self.rate[usual.annotator]
        expected = usual.chances * rate
        variance = usual.chances * rate * (1 - rate)
        statistic = np.bincount(
            usual.annotator, (usual.misses - expected) ** 2 / np.maximum(variance, 1e-12), n_annotators
        )
        n = np.bincount(usual.annotator, minlength=n_annotators)
        size = np.bincount(usual.annotator, usual.chances, n_annotators) / np.maximum(n, 1)
        self.dispersion = np.where(n > 1, np.maximum(statistic / np.maximum(n - 1, 1), 1.0), 1.0)
        correlation = (self.dispersion - 1) / np.maximum(size - 1, 1)
        # A rate that is estimated from n places is about as uncertain as one that varies so much.
        uncertainty = 1.0 / (np.bincount(usual.annotator, usual.chances, n_annotators) + 2.0)
        self.correlation = np.minimum(np.maximum(correlation, uncertainty), MAX_CORRELATION)

    def max_evidence(self, annotator: IntArray, length: IntArray) -> FloatArray:
        """Return an upper limit of `run_evidence`: its value if places are left out independently of each other."""
        evidence: FloatArray = -(length.astype(np.float64) * np.log(self.rate[annotator]))
        return evidence

    def run_evidence(self, annotator: IntArray, length: IntArray) -> FloatArray:
        """Return -ln of the probability that `length` places in a row are left out (beta-binomial)."""
        rate = self.rate[annotator]
        correlation = self.correlation[annotator]
        result = self.max_evidence(annotator, length)
        is_dependent = np.flatnonzero(correlation > 0)
        scale = 1 / correlation[is_dependent] - 1
        result[is_dependent] = -run_log_probability(rate[is_dependent] * scale, scale, length[is_dependent])
        return result


def _without_long_ends(lanes: _Lanes) -> _Lanes:
    """Return lanes with one place only of a long run left out at the beginning or the end.

    An annotator who leaves out more has fewer documents without a long run: these alone would show too low a rate.
    """
    ends = sum(np.where(run >= _LONG_RUN, run - 1, 0) for run in (lanes.head, lanes.tail))
    return replace(lanes, chances=lanes.chances - ends, misses=lanes.misses - ends)


def _truncated_rates(usual: _Lanes, n_annotators: int) -> FloatArray:
    """Return the rate of leaving out of each annotator in documents that are not left out as wholes.

    A document with one place says nothing: it is among these only if that place is marked. The likelihood of the
    others is conditional on at least one unit, so the expected number left out of n is n (q - q^n) / (1 - q^n).
    """
    longer = usual.take(usual.chances > 1)
    misses = np.bincount(longer.annotator, longer.misses, n_annotators)
    total = np.bincount(longer.annotator, longer.chances, n_annotators)
    pooled = (misses.sum() + PRIOR_MISSES) / (total.sum() + 1.0)
    rate = np.where(total > 0, (misses + PRIOR_MISSES) / (total + 1.0), pooled)
    target = np.where(total > 0, misses + PRIOR_MISSES * total / (total + 1.0), 0.0)
    low = np.full(n_annotators, 1e-6)
    high = np.full(n_annotators, 1 - 1e-6)
    for _ in range(40):  # bisection: the expected number rises with the rate
        middle = (low + high) / 2
        q = middle[longer.annotator]
        power = q**longer.chances
        expected = np.bincount(longer.annotator, longer.chances * (q - power) / (1 - power), n_annotators)
        is_low = expected < target
        low = np.where(is_low, middle, low)
        high = np.where(is_low, high, middle)
    return np.where(total > 0, (low + high) / 2, rate)


def propose_parts(view: View) -> Iterator[Candidate]:
    """Yield silences in whole documents, in a part of one, and in the same part of all."""
    if not len(view.chances):
        return
    events, lanes = _make_lanes(view)
    habits = _Habits(lanes, view.n_annotators)
    n_lanes = np.bincount(lanes.annotator, minlength=view.n_annotators)
    yield from _propose_runs(view, events, lanes, habits)
    yield from _propose_sparse_parts(view, events, lanes)
    yield from _propose_whole_documents(view, events, lanes, habits, n_lanes)
    yield from _propose_same_part(view, events, n_lanes)


def _make_candidate(
    view: View, events: Events, rows: IntArray, direction: str, net: float, n_documents: int, position: float = 0.0
) -> Silence:
    """Return the silence of an annotator in a part of documents; `rows` are the rows of the events in that part."""
    # The counts are those of places where the others have units.
    rows = rows[view.is_chance[view.row_of(events.take(rows))]]
    part = events.take(rows)
    annotator = int(part.annotator[0])
    documents = np.unique(part.document)
    stretch = None
    if direction in (AFTER, BEFORE) and len(documents) == 1:
        stretch = (position, math.inf) if direction == AFTER else (-math.inf, position)
    units = view.first.units_in(documents)
    units = units[view.first.corpus.annotator[units] == annotator]
    unit_columns = view.first.unit_document[units], view.first.corpus.start[units]
    is_empty = not _is_part(view, *unit_columns, documents, direction, position).any()
    return Silence(
        annotator=annotator,
        net=net,
        is_named=is_empty or view.has_three_annotators,  # of two annotators, the other one may mark much there
        direction=direction,
        documents=documents,
        stretch=stretch,
        events=part.take(part.hit),
        n_documents=n_documents,
        position=position,
        is_empty=is_empty,
    )


def _is_part(
    view: View, document: IntArray, position: FloatArray, documents: IntArray, direction: str, cut: float
) -> BoolArray:
    """Return whether positions in documents are in a part of these; `cut` is a share of each if there are several."""
    if direction not in (AFTER, BEFORE):
        return np.ones(len(document), dtype=np.bool_)
    low, high = view.corpus.extents[document].T
    bound = np.where(len(documents) > 1, low + cut * (high - low), cut)
    return position >= bound if direction == AFTER else position < bound


def _propose_runs(view: View, events: Events, lanes: _Lanes, habits: _Habits) -> Iterator[Silence]:
    """Yield runs of places left out at the end or the beginning of a document."""
    start, end = (column[events.alignment] for column in (view.alignments.start, view.alignments.end))
    price = math.log(2 * len(lanes))
    for direction, run in ((AFTER, lanes.tail), (BEFORE, lanes.head)):
        is_run = np.flatnonzero((run >= _MIN_RUN) & ~lanes.is_silent)
        max_evidence = habits.max_evidence(lanes.annotator[is_run], run[is_run])
        is_run = is_run[max_evidence > price + MIN_NET - EVIDENCE_TOLERANCE]
        first_row = lanes.first[is_run] + (lanes.total - run)[is_run] * (direction == AFTER)
        # Places that overlap are left out together.
        n_apart = [
            _count_apart(start[first : first + n], end[first : first + n])
            for first, n in zip(first_row.tolist(), run[is_run].tolist(), strict=True)
        ]
        evidence = habits.run_evidence(lanes.annotator[is_run], np.array(n_apart, dtype=np.int64)) - price
        is_found = evidence > MIN_NET
        for lane, net in zip(is_run[is_found].tolist(), evidence[is_found].tolist(), strict=True):
            first = int(lanes.first[lane])
            total = int(lanes.total[lane])
            length = int(run[lane])
            rows = np.arange(first, first + length)
            if direction == AFTER:
                rows = rows + total - length
            position = float(
                start[rows[0]] if direction == AFTER else view.alignments.end[events.alignment[rows]].max()
            )
            if _attribute_part(view, events, rows) >= _MIN_RUN_ATTRIBUTION:
                yield _make_candidate(view, events, rows, direction, net, 1, position)


def _count_apart(start: FloatArray, end: FloatArray) -> int:
    """Return how many of these places, at most, do not overlap each other."""
    n = 0
    reached = -math.inf
    for low, high in sorted(zip(start.tolist(), end.tolist(), strict=True), key=lambda place: place[1]):
        if low >= reached:
            n = n + 1
            reached = high
    return n


def _propose_sparse_parts(view: View, events: Events, lanes: _Lanes) -> Iterator[Silence]:
    """Yield parts of a document in which an annotator leaves out half and more, and much less elsewhere."""
    large = lanes.take((lanes.total >= _MIN_PLACES) & ~lanes.is_silent & (lanes.misses >= _LONG_RUN))
    start = view.alignments.start[events.alignment]
    n_lanes = len(lanes)
    within = _dispersion_within(events, lanes, view.n_annotators) if len(large) else np.ones(0)
    for lane in range(len(large)):
        first = int(large.first[lane])
        total = int(large.total[lane])
        misses = np.cumsum(events.hit[first : first + total])[:-1].astype(np.float64)
        n_before = np.arange(1.0, total)
        all_misses = float(large.misses[lane])
        after = contrast_evidence(all_misses - misses, total - n_before, misses, n_before)
        before = contrast_evidence(misses, n_before, all_misses - misses, total - n_before)
        after[(all_misses - misses) < _MIN_SHARE_MISSED * (total - n_before)] = 0.0
        before[misses < _MIN_SHARE_MISSED * n_before] = 0.0
        # No cut between units that start together.
        is_together = np.diff(start[first : first + total]) == 0
        after[is_together] = before[is_together] = 0.0
        phi = float(within[large.annotator[lane]])
        for direction, evidence in ((AFTER, after), (BEFORE, before)):
            cut = int(evidence.argmax())
            net = float(evidence[cut]) / phi - math.log(2 * n_lanes) - math.log(total)
            if net < MIN_NET:
                continue
            rows = np.arange(first, first + total)
            rows = rows[cut + 1 :] if direction == AFTER else rows[: cut + 1]
            position = float(start[first + cut + 1])
            if _attribute_part(view, events, rows) >= _MIN_RUN_ATTRIBUTION:
                yield _make_candidate(view, events, rows, direction, net, 1, position)


def _dispersion_within(events: Events, lanes: _Lanes, n_annotators: int) -> FloatArray:
    """Return φ of each annotator between the two halves of documents, without documents with long runs."""
    usual = lanes.take((lanes.total >= _MIN_PLACES) & (lanes.longest < _LONG_RUN) & (lanes.misses > 0))
    misses = np.concatenate([[0], np.cumsum(events.hit)])
    half = usual.total // 2
    in_first = misses[usual.first + half] - misses[usual.first]
    rate = usual.misses / usual.total
    variance = usual.total * rate * (1 - rate) / 4
    terms = (in_first - usual.misses * half / usual.total) ** 2 / np.maximum(variance, 1e-12)
    n = np.bincount(usual.annotator, minlength=n_annotators)
    statistic: FloatArray = np.bincount(usual.annotator, terms, n_annotators) / np.maximum(n, 1)
    return np.maximum(statistic, 1.0)


def _attribute_part(view: View, events: Events, rows: IntArray) -> float:
    """Return the evidence that an annotator leaves out more than the others in a part of a document."""
    part = events.take(rows)
    document = int(part.document[0])
    annotator = int(part.annotator[0])
    start = view.alignments.start
    low = start[part.alignment].min()
    high = start[part.alignment].max()
    is_other_miss = (events.document == document) & (events.annotator != annotator) & events.hit
    miss_start = start[events.alignment[is_other_miss]]
    n_others = int(np.count_nonzero((miss_start >= low) & (miss_start <= high)))
    n = int(np.count_nonzero(part.hit))
    return float(binomial_evidence(n, n + n_others, 1 / float(view.document_size[document])))


def _propose_whole_documents(
    view: View, events: Events, lanes: _Lanes, habits: _Habits, n_lanes: IntArray
) -> Iterator[Silence]:
    """Yield annotators who leave out whole documents, or all from a document on."""
    silent = lanes.take(lanes.is_silent)
    # Annotators whose evidence can suffice: for most, it need not be computed.
    max_evidence = habits.max_evidence(silent.annotator, silent.total)
    max_sums = np.bincount(silent.annotator, max_evidence, view.n_annotators)
    may_suffice = max_sums > MIN_NET + math.log(view.n_annotators) - EVIDENCE_TOLERANCE
    rows = np.flatnonzero(may_suffice[silent.annotator])
    evidence = np.zeros(len(silent))
    evidence[rows] = habits.run_evidence(silent.annotator[rows], silent.total[rows])
    marked = np.bincount(lanes.annotator, ~lanes.is_silent, view.n_annotators)
    habits_of_others = _OthersHabits(lanes, view.n_annotators)
    n_silent = np.bincount(silent.annotator, minlength=view.n_annotators)
    lane_ends = np.cumsum(n_lanes)
    silent_ends = np.cumsum(n_silent)
    for annotator in np.flatnonzero((n_silent > 0) & may_suffice).tolist():
        if not marked[annotator]:
            continue  # nothing anywhere is a candidate of its own
        k = int(n_silent[annotator])
        n = int(n_lanes[annotator])
        rows = np.arange(silent_ends[annotator] - k, silent_ends[annotator])
        own_documents = lanes.document[lane_ends[annotator] - n : lane_ends[annotator]]
        habit = habits_of_others.expected(annotator, silent.total[rows])
        limit = float(poisson_evidence(k, habit)) if k >= _MANY_WHOLE else math.inf
        is_alone_enough = evidence[rows] - math.log(len(lanes)) > MIN_NET
        net = float(evidence[rows].sum()) - log_binomial(n, k)
        if not is_alone_enough.all():
            net = min(net, limit)
        net -= math.log(view.n_annotators)
        documents = silent.document[rows]
        direction = WHOLE_DOCUMENTS
        last = np.sort(own_documents)[-k:]
        is_tail = k > 1 and np.array_equal(np.sort(documents), last)
        if is_tail:
            direction = FROM_DOCUMENT
            # That so many documents are left out is one thing; that they are the last ones is another.
            limit += log_binomial(n, k) - math.log(2)
            net = max(net, min(float(evidence[rows].sum()) - math.log(n), limit) - math.log(view.n_annotators))
        if net < MIN_NET:
            continue
        yield _make_candidate(view, events, ranges(silent.first[rows], silent.total[rows]), direction, net, n)


class _OthersHabits:
    """Numbers of documents that annotators have seen and left out as wholes, by their number of places."""

    def __init__(self, lanes: _Lanes, n_annotators: int) -> None:
        cell = lanes.annotator * (_MAX_SIZE + 1) + np.minimum(lanes.chances, _MAX_SIZE)
        shape = n_annotators, _MAX_SIZE + 1
        own_n = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        own_silent = np.bincount(cell[lanes.is_silent], minlength=shape[0] * shape[1]).reshape(shape)
        n = own_n.sum(axis=0) - own_n
        silent = own_silent.sum(axis=0) - own_silent
        rate = (silent + PRIOR_MISSES * (n == 0)) / np.maximum(n, 1)
        # With more places a whole document is left out less often.
        smooth = (silent.sum(axis=1) + PRIOR_MISSES) / (n.sum(axis=1) + 1)
        self._rate = np.maximum(np.where(n >= _MIN_LANES, rate, smooth[:, None]), 1e-4)

    def expected(self, annotator: int, totals: IntArray) -> float:
        """Return how many documents with these numbers of places the others of an annotator would leave out."""
        return float(self._rate[annotator, np.minimum(totals, _MAX_SIZE)].sum())


def _propose_same_part(view: View, events: Events, n_lanes: IntArray) -> Iterator[Silence]:
    """Yield annotators who leave out the same share of every document, at its end or its beginning."""
    low, high = view.corpus.extents[events.document].T
    with np.errstate(divide="ignore", invalid="ignore"):
        relative_start = (view.alignments.start[events.alignment] - low) / (high - low)
    best: dict[int, tuple[float, float, str]] = {}
    price = math.log(2 * len(_CUTS) * view.n_annotators)
    limits = price + MIN_NET, _MIN_RUN_ATTRIBUTION
    for cut, is_after, scopes in PartCounter(view, events).count_up_to(relative_start, _CUTS, *limits):
        # Where units fill a small part of the extent, a cut with nearly all of them on one side is no cut.
        if not _MIN_SIDE < (relative_start >= cut if is_after else relative_start <= cut).mean() < 1 - _MIN_SIDE:
            continue
        net = np.where(scopes.attribution >= _MIN_RUN_ATTRIBUTION, scopes.evidence - price, 0.0)
        net[(n_lanes[scopes.annotator] <= 1) | (scopes.hits < _MIN_SHARE_MISSED * scopes.total)] = 0.0
        for row in np.flatnonzero(net > MIN_NET).tolist():
            annotator = int(scopes.annotator[row])
            candidate = (float(net[row]), cut, AFTER if is_after else BEFORE)
            best[annotator] = max(best.get(annotator, (0.0, 0.0, "")), candidate)
    for annotator, (evidence, cut, direction) in best.items():
        is_inside = relative_start >= cut if direction == AFTER else relative_start <= cut
        if may_events_be_exchanged(view, annotator, events, is_inside, MIN_EXCHANGE):
            continue
        rows = np.flatnonzero(is_inside & (events.annotator == annotator))
        yield _make_candidate(view, events, rows, direction, evidence, int(n_lanes[annotator]), cut)


PARTS_CAUSE = Cause(
    "silence",
    Tier.MARKING,
    "documents, or parts of them, that an annotator leaves out",
    "fills the gap with the others' units",
    propose_parts,
    names_one_of_two=True,
)
