"""Starts or ends alone that are moved by a constant; continuous bounds that are nearly always later, or earlier."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, numbered
from gamma_align.insight.causes.cause import Candidate, Cause, Tier
from gamma_align.insight.causes.evidence import EVIDENCE_TOLERANCE, MIN_NET, binomial_evidence, dispersion
from gamma_align.insight.causes.kinds.offset import (
    ALL_BOUNDS,
    ENDS,
    MIN_DOMINANCE,
    MIN_SHARE,
    STARTS,
    Offset,
    is_owner_named,
)
from gamma_align.insight.causes.view import PAIR, View
from gamma_align.insight.disagreements.absences import Stretches

_MIN_UNITS = 3  # fewer cannot reach 5 nats
_SAME_WORDS = 0.6  # share of the pairs with the same text at the bound from which on it is no constant


def propose(view: View) -> Iterator[Candidate]:
    """Yield offsets of starts or ends alone."""
    starts, ends = _bound_differences(view)
    for direction, moved, fixed in ((ENDS, ends, starts), (STARTS, starts, ends)):
        same = np.flatnonzero((np.abs(fixed) <= view.noise_width) & (moved != 0))
        same = same[_overlap_one_another_only(view, same)]
        if view.noise > 0:
            difference = np.zeros(len(moved))
            difference[same] = moved[same]
            yield from _propose_shifts(view, direction, [difference])
        elif len(same):
            is_equal = (fixed == 0) & (moved == 0)
            yield from _propose_constants(view, direction, same, moved[same], is_equal)


def propose_both(view: View) -> Iterator[Candidate]:
    """Yield offsets of continuous bounds, starts and ends alike."""
    if view.noise > 0:
        yield from _propose_shifts(view, ALL_BOUNDS, _bound_differences(view))


def _overlap_one_another_only(view: View, pairs: IntArray) -> BoolArray:
    """Return whether either unit of each of these pairs overlaps no other unit of the annotator of the other one.

    The parts of a split unit begin, or end, at a distance from the whole. Where all is covered, a unit whose start is
    moved overlaps the neighbour of its partner, too.
    """
    units = np.stack(view.pairs)[:, pairs]
    corpus = view.corpus
    unit = units.ravel()
    n_met = view.own_units.count(Stretches(view.lane[units[::-1]].ravel(), corpus.start[unit], corpus.end[unit]))
    result: BoolArray = np.all(n_met.reshape(units.shape) <= 1, axis=0)
    result |= view.covered[view.unit_document[units[0]]]
    return result


def _bound_differences(view: View) -> list[FloatArray]:
    """Return the differences of the starts and of the ends of each of the pairs of aligned units."""
    unit, partner = view.pairs
    return [bound[unit] - bound[partner] for bound in (view.corpus.start, view.corpus.end)]


class _LagsByLane(NamedTuple):
    """Weights of pairs by lane and lag, sorted by annotator, by the code of the lag, then by lane.

    `hits` are those with the lag, `reverse` those with the opposite lag. Only lanes in which the lag is the rule are
    there: in the others single units have it.
    """

    annotator: IntArray
    code: IntArray
    lane: IntArray
    hits: FloatArray
    reverse: FloatArray


def _find_rules(
    lane: IntArray, lags: FloatArray, code: IntArray, weight: FloatArray, least_weight: FloatArray, annotator: IntArray
) -> _LagsByLane:
    """Return the lags that are the rule in lanes. `lane`, `code` of the lag and `weight` are by pair.

    `least_weight` is the least weight of a rule of each lane, `annotator` its annotator. `lags` are sorted.
    """
    n_lags = len(lags)
    cells, cell = numbered(lane * n_lags + code)
    cell_weight = np.bincount(cell, weight, len(cells)).astype(np.float64)
    rules = np.flatnonzero(cell_weight >= least_weight[cells // n_lags])
    rule_lane, rule_code = np.divmod(cells[rules], n_lags)
    opposite = np.minimum(np.searchsorted(lags, -lags), n_lags - 1)
    reverse_cell = rule_lane * n_lags + opposite[rule_code]
    index = np.minimum(np.searchsorted(cells, reverse_cell), len(cells) - 1)
    has_reverse = (cells[index] == reverse_cell) & (lags[opposite] == -lags)[rule_code]
    reverse = np.where(has_reverse, cell_weight[index], 0.0)
    order = np.lexsort((rule_lane, rule_code, annotator[rule_lane]))
    rule_lane = rule_lane[order]
    rule_code = rule_code[order]
    return _LagsByLane(annotator[rule_lane], rule_code, rule_lane, cell_weight[rules][order], reverse[order])


def _select_rules(
    rules: _LagsByLane, lane_weight: FloatArray, n_all_hits: FloatArray, prices: tuple[float, float]
) -> Iterator[tuple[slice, float]]:
    """Yield the rows of each annotator and lag with enough evidence, and the net evidence."""
    begins = np.flatnonzero(np.diff(rules.annotator * len(n_all_hits) + rules.code, prepend=-1))
    if not len(begins):
        return
    document_evidence = _evidence_of_documents(rules, begins, lane_weight, n_all_hits)
    n_hits = np.add.reduceat(rules.hits, begins)
    n_all = n_hits + np.add.reduceat(rules.reverse, begins)
    # φ is at least 1. Sums of another order differ by rounding errors.
    max_evidence = np.maximum(binomial_evidence(n_hits, n_all, 0.5), document_evidence)
    can_be_enough = np.flatnonzero(max_evidence - sum(prices) >= MIN_NET - EVIDENCE_TOLERANCE)
    ends = np.append(begins[1:], len(rules.lane))
    for rule in can_be_enough.tolist():
        begin = int(begins[rule])
        end = int(ends[rule])
        hits = rules.hits[begin:end]
        total = hits + rules.reverse[begin:end]
        evidence = float(binomial_evidence(hits.sum(), total.sum(), 0.5)) / dispersion(hits, total)
        net = max(evidence, float(document_evidence[rule])) - prices[0] - prices[1]
        if hits.sum() >= _MIN_UNITS and net >= MIN_NET:
            yield slice(begin, end), net


def _propose_constants(
    view: View, direction: str, same: IntArray, lag_of_pair: FloatArray, is_equal: BoolArray
) -> Iterator[Candidate]:
    """Yield constants at one side of aligned units whose other side is equal.

    `same` are these of the pairs of aligned units, `lag_of_pair` is how much each of them differs at the side, and
    `is_equal` marks the pairs, of all, with both bounds equal.
    """
    corpus = view.corpus
    width = view.n_annotators
    (unit, partner) = view.pairs
    lanes, entry = numbered(view.lane[unit])
    weight = view.pair_weight
    n_equal = np.bincount(entry[is_equal], minlength=len(lanes))
    lags, code = numbered(lag_of_pair)
    lane_weight = np.bincount(entry, weight).astype(np.float64)
    # The lag is the rule of a document if many units have it and few fit as they are.
    equal_weight = np.bincount(entry[is_equal], weight[is_equal], len(lanes))
    least_weight = np.maximum(MIN_SHARE * lane_weight, MIN_DOMINANCE * equal_weight)
    rules = _find_rules(entry[same], lags, code, weight[same], least_weight, lanes % width)
    n_keys = np.count_nonzero(np.bincount(corpus.annotator[unit[same]] * len(lags) + code))
    n_all_hits = np.bincount(code, weight[same], len(lags)).astype(np.float64)
    for rows, net in _select_rules(rules, lane_weight, n_all_hits, (math.log(n_keys), math.log(4 * width))):
        annotator = int(rules.annotator[rows.start])
        lag = float(lags[rules.code[rows.start]])
        if view.has_texts:
            is_hit = same[(code == rules.code[rows.start]) & (corpus.annotator[unit[same]] == annotator)]
            if _share_of_commonest_text(view, unit, partner, is_hit, direction) > _SAME_WORDS:
                continue
        own_lanes = rules.lane[rows]
        documents = lanes[own_lanes] // width
        named = _named_by_excess(view, annotator, documents, direction, lag)
        if named is None:
            continue
        yield Offset(
            annotator=annotator,
            net=net,
            is_named=named,
            documents=documents,
            direction=direction,
            lag=lag,
            fits=(int(n_equal[own_lanes].sum()), int(rules.hits[rows].sum())),
            n_documents=int(view.n_documents_with_units[annotator]),
            is_exact=True,
        )


def _evidence_of_documents(
    rules: _LagsByLane, begins: IntArray, lane_weight: FloatArray, n_all_hits: FloatArray
) -> FloatArray:
    """Return the evidence that each annotator's lag is the rule in some lanes, and rare in all other ones.

    `n_all_hits` is the number of pairs of all annotators with each lag.
    """
    group = np.cumsum(np.isin(np.arange(len(rules.lane)), begins)) - 1
    weight = lane_weight[rules.lane]
    n_elsewhere = lane_weight.sum() - np.add.reduceat(weight, begins)
    hits_elsewhere = n_all_hits[rules.code[begins]] - np.add.reduceat(rules.hits, begins)
    rate = np.minimum((hits_elsewhere + 0.5) / (n_elsewhere + 1.0), 0.5)
    gains = binomial_evidence(rules.hits, weight, rate[group]) - math.log(len(lane_weight))
    result: FloatArray = np.add.reduceat(np.maximum(gains, 0.0), begins)
    return result


def _named_by_excess(view: View, annotator: int, documents: IntArray, direction: str, lag: float) -> bool | None:
    """Return whether an annotator may be named; None if the candidate of the other one is to be kept.

    Of two annotators, bounds inside words tell whose they are; else the shorter units are taken for the ones that leave
    out the last position.
    """
    named = is_owner_named(view, annotator, documents)
    if named is True or view.bounds_inside_words.any():
        return named
    if len(view.annotators_in(documents)) > PAIR:
        return True
    is_shorter = (lag < 0) == (direction == ENDS)
    return False if is_shorter else None


def _share_of_commonest_text(view: View, unit: IntArray, partner: IntArray, is_hit: IntArray, direction: str) -> float:
    """Return the share of pairs that have the same text at the bound; 0 if the text of none is known.

    A bound inside a word leaves out no text but a number of characters, whatever they are.
    """
    corpus = view.corpus
    column = corpus.end if direction == ENDS else corpus.start
    low = np.minimum(column[unit], column[partner])[is_hit]
    high = np.maximum(column[unit], column[partner])[is_hit]
    document = view.unit_document[unit[is_hit]]
    texts = view.words.texts_between(document, low, high)
    is_cut = view.words.inside_words(document, low if direction == ENDS else high)
    known_texts = [text for text in texts if text is not None]
    whole_texts = [text for text, inside in zip(texts, is_cut, strict=True) if text is not None and not inside]
    if not whole_texts:
        return 0.0
    _, counts = np.unique(np.array(whole_texts), return_counts=True)
    return float(counts.max()) / len(known_texts)


class _Shift(NamedTuple):
    """By how much the bounds at a side differ in the median: net evidence, lag, and differences each way."""

    net: float
    lag: float
    fits: tuple[int, int]


def _propose_shifts(view: View, direction: str, differences: list[FloatArray]) -> Iterator[Candidate]:
    """Yield annotators whose bounds are nearly always on one side of the others' bounds, by the median.

    `differences` has, for one side or for both, the difference of each of the pairs of aligned units; 0 is none.
    """
    unit = view.pairs[0]
    annotator = view.corpus.annotator[unit]
    for annotator_index in np.unique(annotator).tolist():
        pairs = np.flatnonzero(annotator == annotator_index)
        documents = np.unique(view.unit_document[unit[pairs]])
        shifts = [_measure_shift(view, pairs, documents, difference[pairs]) for difference in differences]
        lags = [shift.lag for shift in shifts]
        if max(shift.net for shift in shifts) < MIN_NET or min(shift.net for shift in shifts) <= 0:
            continue
        if max(lags) - min(lags) >= view.noise:
            continue
        named = is_owner_named(view, annotator_index, documents)
        if named is None:
            continue
        yield Offset(
            annotator=annotator_index,
            net=max(shift.net for shift in shifts),
            is_named=named,
            documents=documents,
            direction=direction,
            lag=sum(lags) / len(lags),
            fits=shifts[0].fits,
            n_documents=len(documents),
            is_exact=False,
            is_sign=True,
        )


def _measure_shift(view: View, pairs: IntArray, documents: IntArray, difference: FloatArray) -> _Shift:
    """Return the shift of an annotator's bounds at a side; without evidence if more of them fit as they are."""
    is_different = difference != 0
    if not is_different.any():
        return _Shift(0.0, 0.0, (0, 0))
    lag = float(np.median(difference[is_different]))
    is_later = difference * math.copysign(1.0, lag) > 0
    fits = int(np.count_nonzero(is_different & ~is_later)), int(np.count_nonzero(is_later))
    n_now, n_moved = (np.count_nonzero(np.abs(difference[is_different] - at) <= view.noise_width) for at in (0.0, lag))
    if abs(lag) > view.noise_width and n_moved < MIN_DOMINANCE * n_now:
        return _Shift(0.0, lag, fits)
    entry = np.searchsorted(documents, view.unit_document[view.pairs[0][pairs]])
    weight = view.pair_weight[pairs]
    hits, total = (np.bincount(entry, weight * marks, len(documents)) for marks in (is_later, is_different))
    evidence = float(binomial_evidence(hits.sum(), total.sum(), 0.5)) / dispersion(hits, total)
    return _Shift(evidence - math.log(4 * view.n_annotators), lag, fits)


BOTH_SIDES_CAUSE = Cause(
    "offset",
    Tier.POSITION,
    "continuous bounds that are nearly always later, or earlier",
    "moves them back",
    propose_both,
    is_clerical=True,
    names_one_of_two=True,
)
SIDES_CAUSE = Cause(
    "offset",
    Tier.SIDE,
    "starts or ends alone that are moved by a constant",
    "moves them back",
    propose,
    is_clerical=True,
    names_one_of_two=True,
)
