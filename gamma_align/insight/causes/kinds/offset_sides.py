"""Starts or ends alone that are moved by a constant; continuous bounds that are nearly always later, or earlier."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.insight.causes.cause import Candidate, Cause, Tier
from gamma_align.insight.causes.evidence import MIN_NET, binomial_evidence, dispersion
from gamma_align.insight.causes.kinds.offset import ALL_BOUNDS, ENDS, MIN_SHARE, STARTS, Offset, is_owner_named
from gamma_align.insight.causes.view import PAIR, View

_MIN_UNITS = 3  # fewer cannot reach 5 nats
_SAME_WORDS = 0.6  # share of the pairs with the same text at the bound from which on it is no constant


def propose(view: View) -> Iterator[Candidate]:
    """Yield offsets of starts or ends alone; continuous bounds may all be moved."""
    unit, partner = view.pairs
    if not len(unit):
        return
    corpus = view.corpus
    starts, ends = corpus.start[unit] - corpus.start[partner], corpus.end[unit] - corpus.end[partner]
    if view.noise > 0:
        yield from _continuous_sides(view, unit, starts, ends)
        return
    for direction, moved, fixed in ((ENDS, ends, starts), (STARTS, starts, ends)):
        yield from _exact_side(view, unit, partner, direction, moved, fixed)


def _rules(
    lane: IntArray, lag: IntArray, weight: FloatArray, lane_weight: FloatArray, annotator_of_lane: IntArray
) -> list[tuple[int, int]]:
    """Return annotators and codes of lags that are the rule in enough lanes; the first arrays are by pair.

    Most lags are the rule nowhere, and are not looked at any further.
    """
    n_lags = int(lag.max()) + 1
    cells, cell = np.unique(lane * n_lags + lag, return_inverse=True)
    cell_weight = np.bincount(cell.reshape(-1), weight, len(cells))
    rules = np.flatnonzero(cell_weight >= MIN_SHARE * lane_weight[cells // n_lags])
    keys, key = np.unique(
        annotator_of_lane[cells[rules] // n_lags] * n_lags + cells[rules] % n_lags, return_inverse=True
    )
    key_weight = np.bincount(key.reshape(-1), cell_weight[rules], len(keys))
    return [divmod(code, n_lags) for code in keys[key_weight >= _MIN_UNITS].tolist()]


class _RowsByLag:
    """The rows of pairs by their lag."""

    def __init__(self, rows: IntArray, lags: FloatArray, code: IntArray) -> None:
        order = np.argsort(code, kind="stable")
        self._rows, self._lags = rows[order], lags
        self._first = np.searchsorted(code[order], np.arange(len(lags) + 1))

    def of(self, lag: float) -> IntArray:
        """Return the rows with a lag."""
        index = int(np.searchsorted(self._lags, lag))
        if index == len(self._lags) or self._lags[index] != lag:
            return self._rows[:0]
        rows: IntArray = self._rows[self._first[index] : self._first[index + 1]]
        return rows


def _exact_side(
    view: View, unit: IntArray, partner: IntArray, direction: str, moved: FloatArray, fixed: FloatArray
) -> Iterator[Candidate]:
    """Yield constants at one side of aligned units whose other side is equal."""
    corpus, width = view.corpus, view.n_annotators
    same = np.flatnonzero((fixed == 0) & (moved != 0))
    if not len(same):
        return
    lanes_of_pairs, entry = np.unique(view.lane[unit], return_inverse=True)
    entry, weight = entry.reshape(-1), view.pair_weight
    lane_counts = np.bincount(entry, weight).astype(np.float64)
    n_equal = np.bincount(entry[(fixed == 0) & (moved == 0)], minlength=len(lanes_of_pairs))
    lags, lag_code = np.unique(moved[same], return_inverse=True)
    rows_by_lag = _RowsByLag(same, lags, lag_code.reshape(-1))
    n_keys = len(np.unique(corpus.annotator[unit[same]] * len(lags) + lag_code.reshape(-1)))
    keys = _rules(entry[same], lag_code.reshape(-1), weight[same], lane_counts, lanes_of_pairs % width)
    for annotator, code in keys:
        lag = float(lags[code])
        is_hit = rows_by_lag.of(lag)
        is_hit = is_hit[corpus.annotator[unit[is_hit]] == annotator]
        own, position = np.unique(entry[is_hit], return_inverse=True)
        hits = np.bincount(position.reshape(-1), weight[is_hit], len(own))
        # In these documents most units have it; elsewhere single units do.
        is_rule = hits >= MIN_SHARE * lane_counts[own]
        own, hits = own[is_rule], hits[is_rule]
        if hits.sum() < _MIN_UNITS or _share_of_commonest_text(view, unit, partner, is_hit, direction) > _SAME_WORDS:
            continue
        is_reverse = rows_by_lag.of(-lag)
        is_reverse = is_reverse[np.isin(entry[is_reverse], own)]
        n_reverse = np.bincount(np.searchsorted(own, entry[is_reverse]), weight[is_reverse], len(own))
        total = (hits + n_reverse).astype(np.float64)
        phi = dispersion(hits.astype(np.float64), total)
        evidence = float(binomial_evidence(hits.sum(), total.sum(), 0.5)) / phi
        net = evidence - math.log(n_keys) - math.log(4 * width)
        if net < MIN_NET:
            continue
        documents = lanes_of_pairs[own] // width
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
            fits=(int(n_equal[own].sum()), int(hits.sum())),
            n_documents=int(np.count_nonzero(view.lanes[0] % width == annotator)),
            is_exact=True,
        )


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
    """Return the share of pairs that have the same text at the bound; 0 if no text is known."""
    if not view.has_texts:
        return 0.0
    corpus = view.corpus
    column = corpus.end if direction == ENDS else corpus.start
    low, high = np.minimum(column[unit], column[partner])[is_hit], np.maximum(column[unit], column[partner])[is_hit]
    texts = view.words.texts_between(view.unit_document[unit[is_hit]], low, high)
    known_texts = [text for text in texts if text is not None]
    if not known_texts:
        return 0.0
    _, counts = np.unique(np.array(known_texts), return_counts=True)
    return float(counts.max()) / len(known_texts)


def _continuous_sides(view: View, unit: IntArray, starts: FloatArray, ends: FloatArray) -> Iterator[Candidate]:
    """Yield annotators whose bounds are nearly always on one side of the others' bounds, by the median."""
    corpus, width = view.corpus, view.n_annotators
    annotator, document = corpus.annotator[unit], view.unit_document[unit]
    for annotator_index in np.unique(annotator).tolist():
        is_own = annotator == annotator_index
        documents = np.unique(document[is_own])
        entry, weight = np.searchsorted(documents, document[is_own]), view.pair_weight[is_own]
        shifts = {}
        for direction, difference in ((STARTS, starts[is_own]), (ENDS, ends[is_own])):
            lag = float(np.median(difference))
            is_later = difference * math.copysign(1.0, lag) > 0
            is_different = difference != 0
            hits = np.bincount(entry, weight * is_later, len(documents))
            total = np.bincount(entry, weight * is_different, len(documents))
            net = float(binomial_evidence(hits.sum(), total.sum(), 0.5)) / dispersion(hits, total) - math.log(4 * width)
            shifts[direction] = (net, lag, int(is_later.sum()), int(is_different.sum()))
        (start_net, start_lag, *_), (end_net, end_lag, *_) = shifts[STARTS], shifts[ENDS]
        is_both = min(start_net, end_net) > 0 and abs(start_lag - end_lag) < view.noise
        if is_both:
            direction, lag = ALL_BOUNDS, (start_lag + end_lag) / 2
        else:
            direction = STARTS if start_net > end_net else ENDS
            lag = shifts[direction][1]
        if lag == 0 or max(start_net, end_net) < MIN_NET:
            continue
        named = is_owner_named(view, annotator_index, documents)
        if named is None:
            continue
        after, before = shifts[STARTS if direction == ALL_BOUNDS else direction][2:]
        yield Offset(
            annotator=annotator_index,
            net=max(start_net, end_net),
            is_named=named,
            documents=documents,
            direction=direction,
            lag=lag,
            fits=(before - after, after),
            n_documents=len(documents),
            is_exact=False,
            is_sign=True,
        )


SIDES_CAUSE = Cause(
    "offset",
    Tier.POSITION,
    "starts or ends alone that are moved by a constant",
    "moves them back",
    propose,
    is_clerical=True,
)
