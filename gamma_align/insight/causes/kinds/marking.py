"""Which units an annotator leaves out, or alone marks: by label, words, length and mention.

Each kind is a scope: places that have something in common. `_SCOPES` says of each which places these are, and what the
sentence and the question about it are; evidence, repair and counts are the same for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, rank_in_runs
from gamma_align.data import number, unit_in_words
from gamma_align.insight.causes.cause import (
    Candidate,
    Cause,
    Sentence,
    Tier,
    label_of,
    name_of,
    needs_texts,
    others_of,
    quoted,
)
from gamma_align.insight.causes.claims import Claim
from gamma_align.insight.causes.evidence import MIN_ATTRIBUTION, MIN_NET, contrast_evidence
from gamma_align.insight.causes.exchange import MIN_EXCHANGE, MIN_EXCHANGE_ALONE, may_events_be_exchanged
from gamma_align.insight.causes.filling import LEAVES_OUT, MARKS_ALONE, fill_or_drop, take_events_to_repair
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.scopes import PartCounter, Scopes, count_own, count_scopes
from gamma_align.insight.causes.view import Events, View

# directions
SHORTER = "shorter"
LONGER = "longer"

_MIN_ANNOTATORS_TO_MARK_ALONE = 3  # of two, what one alone marks is what the other leaves out
_MAX_LENGTHS = 40  # different lengths that are all tried as bounds; of more, quantiles are
# Few units are very short or very long, so bounds are closer together at both ends.
_LENGTH_QUANTILES = np.array([1 / 160, 1 / 80, *(np.arange(1, 40) / 40), 79 / 80, 159 / 160])
_MIN_DOCUMENTS = 2  # in which a word is left out: in one document, it is always the same person or thing
_MIN_WORD_ATTRIBUTION = 5.0  # nats; more than for other scopes, as the words are chosen from a vocabulary
_SAME_EVENTS = 0.8  # share of the places of a length that words have to cover to be tried before the length
_MAX_SHARE_OF_OTHERS = 0.1  # hits of the others relative to the annotator's; up to it, the others hardly leave it out
_MAX_WORDS_LESS = 5  # words that are removed from a union, one after the other, until it is clear whose it is
_PRICE_OF_A_WORD = 1.0  # nats, beside ln of the number of words
_MIN_RATE_OF_WORD = 0.25  # share of the places of a word that are left out; with less, the annotator mostly marks it
_ROUNDS_OF_WORDS = 3  # without the words found so far, the rate of all other words is better known
_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}  # one mention in so many; more are rarely in a document
# Lone units on random words of the texts, counted beside those of the others: if these have few, any word stands out.
_RANDOM_SLIPS = 20.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Marking(Claim):
    """Events of an annotator in a scope, and its counts here, elsewhere, and of the others.

    `bound` is the longest or shortest of lengths; of mentions, one in so many is marked, and 0 is the first alone.
    """

    events: Events
    kind: str
    bound: float = 0.0

    def scope(self, view: View) -> tuple[Events, BoolArray]:
        """Return the places, and which of them are in the scope."""
        events = view.markings if self.direction == MARKS_ALONE else view.chances
        return events, _SCOPES[self.kind].are_inside(view, events, self)

    def refines(self, candidate: Candidate) -> bool:
        """Return whether words are nearly all that another candidate's length is about, and more than that.

        Words that are but a part of the units of a length say no more than the length.
        """
        if not isinstance(candidate, Marking) or (self.kind, candidate.kind) != ("words", "length"):
            return False
        is_same = (self.annotator, self.direction) == (candidate.annotator, LEAVES_OUT)
        n_common = len(np.intersect1d(self.events.alignment, candidate.events.alignment))
        is_more = len(self.events) - n_common >= (1 - _SAME_EVENTS) * len(self.events)
        return is_same and is_more and n_common >= _SAME_EVENTS * len(candidate.events)

    def repair(self, view: View) -> Repair:
        """Add the units that are left out, or drop those that nobody else has."""
        return fill_or_drop(
            view, take_events_to_repair(self.events, self.counts.total, self.counts.rest_rate), self.direction
        )

    def sentence(self, view: View) -> Sentence:
        """Return which units are left out, or marked alone, and the counts."""
        return Sentence(_SCOPES[self.kind].title(view, self), self.counts_as_annotated(view).text(view))

    def question(self, view: View) -> str:  # noqa: ARG002  (the interface)
        """Ask about the guidelines."""
        return _SCOPES[self.kind].question


class _Scope(NamedTuple):
    """The places of a kind, and the words about it.

    Attributes
    ----------
    are_inside : callable
        Return which of the events of a view are in the scope of a candidate.
    title : callable
        Return the claim.
    question : str
        The question for the guidelines.
    """

    are_inside: Callable[[View, Events, Marking], BoolArray]
    title: Callable[[View, Marking], str]
    question: str = "Do the guidelines say whether these are marked?"


def _title_of(name_object: Callable[[View, Marking], str]) -> Callable[[View, Marking], str]:
    """Return the function that writes the title; `name_object` names the units that are left out or marked alone."""

    def title(view: View, candidate: Marking) -> str:
        name = name_of(view, candidate.annotator)
        object_ = name_object(view, candidate)
        if view.is_pair:
            return f"{others_of(view, candidate.annotator)} marks {object_} where {name} marks nothing"
        return f"{name} {'alone marks' if candidate.direction == MARKS_ALONE else 'leaves out'} {object_}"

    return title


def _make_unless_exchanged(
    view: View,
    scopes: Scopes,
    row: int,
    net: float,
    candidate: tuple[str, str],
    events: Events,
    is_inside: BoolArray,
) -> Marking | None:
    """Return the candidate of a row of scopes, unless exchanged roles give it to somebody as clearly.

    `candidate` is its kind and direction, and `is_inside` says which events are in the scope.
    """
    annotator = int(scopes.annotator[row])
    if may_events_be_exchanged(view, annotator, events, is_inside, MIN_EXCHANGE):
        return None
    return _make_candidate(scopes, row, _take_hits(events, annotator, is_inside), net, *candidate)


def _make_candidate(scopes: Scopes, row: int, events: Events, net: float, kind: str, direction: str) -> Marking:
    """Return the candidate of a row of scopes; `events` are the hits in it."""
    return Marking(
        annotator=int(scopes.annotator[row]),
        net=net,
        kind=kind,
        direction=direction,
        events=events,
        counts=scopes.counts(row),
    )


def _events_by_direction(view: View) -> Iterator[tuple[str, Events]]:
    """Yield each direction with its events: leaving units out and, with three annotators, marking units alone."""
    yield LEAVES_OUT, view.chances
    if view.n_annotators >= _MIN_ANNOTATORS_TO_MARK_ALONE:
        yield MARKS_ALONE, view.markings


def _take_hits(events: Events, annotator: int, is_inside: BoolArray) -> Events:
    return events.take((events.annotator == annotator) & events.hit & is_inside)


# labels


def propose_labels(view: View) -> Iterator[Candidate]:
    """Yield annotators who leave out, or alone mark, units of a label."""
    n_labels = len(view.corpus.categories)
    if n_labels <= 1:
        return  # one label is all there is
    for direction, events in _events_by_direction(view):
        label = _labels_of_events(view, events, direction)
        scopes = count_scopes(view, events, label, n_labels)
        nets = scopes.nets(math.log(view.n_annotators * n_labels))
        for row in np.flatnonzero(nets >= MIN_NET).tolist():
            code = int(scopes.scope[row])
            kind = "label-use", direction
            candidate = _make_unless_exchanged(view, scopes, row, float(nets[row]), kind, events, label == code)
            if candidate is not None:
                yield replace(candidate, labels=(code,))


def _labels_of_events(view: View, events: Events, direction: str) -> IntArray:
    """Return the label of the others at each event, or the own one if the annotator alone marks it."""
    rows = view.row_of(events)
    if direction == MARKS_ALONE:
        return view.corpus.category[view.rows.unit[rows]]
    return np.maximum(view.rows.label[rows], -1)


# words


def propose_words(view: View) -> Iterator[Candidate]:
    """Yield annotators who leave out, or alone mark, certain words."""
    vocabulary = view.words.vocabulary
    if not vocabulary:
        return
    for direction, events in _events_by_direction(view):
        code = _words_of_events(view, events, direction)
        scopes = count_scopes(view, events, code, len(vocabulary))
        first = scopes.evidence * np.sqrt(scopes.dispersion) - _PRICE_OF_A_WORD > 0
        for annotator in np.unique(scopes.annotator[first]).tolist():
            candidate = _join_words(view, scopes, events, code, annotator, direction)
            if candidate is not None:
                yield candidate


def _words_of_events(view: View, events: Events, direction: str) -> IntArray:
    """Return the words of the others at each event, or the own ones if the annotator alone marks them; -1 for none."""
    code = view.words.code[events.alignment] if direction == MARKS_ALONE else view.words_of_others[view.row_of(events)]
    has_letters = np.array([any(map(str.isalnum, word)) for word in view.words.vocabulary] + [False], dtype=np.bool_)
    return np.where(has_letters[code], code, -1)


def _join_words(
    view: View, scopes: Scopes, events: Events, code: IntArray, annotator: int, direction: str
) -> Marking | None:
    """Return the candidate of all words that an annotator treats differently.

    Words are compared with all others of the annotator, and these must not include the candidates: they are found in
    rounds. The candidates are the words of several documents, whether the annotator marks them there or not. The
    union has the evidence of the words one by one, or of all together if it is less, for each word alone is compared
    with the same rest.
    """
    own_rows = scopes.take(scopes.annotator == annotator)
    rest_hits = own_rows.hits[0] + own_rows.rest_hits[0]
    rest_total = own_rows.total[0] + own_rows.rest_total[0]
    is_accepted = np.zeros(len(own_rows), dtype=np.bool_)
    net_by_word = np.zeros(len(own_rows))
    hits_of_annotator = events.hit & (events.annotator == annotator) & (code >= 0)
    n_documents_hit = _count_documents(view, events, code, hits_of_annotator)[own_rows.scope]
    places_of_annotator = (events.annotator == annotator) & (code >= 0)
    n_documents = _count_documents(view, events, code, places_of_annotator)[own_rows.scope]
    min_documents = min(_MIN_DOCUMENTS, len(view.corpus))
    is_frequent = (n_documents_hit >= min_documents) & (own_rows.hits >= _MIN_RATE_OF_WORD * own_rows.total)
    price = math.log(max(int(np.count_nonzero(n_documents >= min_documents)), 1))
    for _ in range(_ROUNDS_OF_WORDS):
        base_hits = rest_hits - own_rows.hits[is_accepted].sum()
        base_total = rest_total - own_rows.total[is_accepted].sum()
        is_rest = ~is_accepted
        hits = np.where(is_rest, base_hits - own_rows.hits, base_hits)
        total = np.where(is_rest, base_total - own_rows.total, base_total)
        evidence = contrast_evidence(own_rows.hits, own_rows.total, hits, total)
        net_by_word = evidence / np.sqrt(own_rows.dispersion) - price
        is_accepted = (net_by_word - _PRICE_OF_A_WORD > 0) & is_frequent
    accepted = np.flatnonzero(is_accepted)
    accepted = accepted[np.argsort(-net_by_word[accepted], kind="stable")]
    # A word that others leave out, too, may hide whose the rest is: then the clearest words are enough.
    for n_less in range(min(len(accepted), _MAX_WORDS_LESS + 1)):
        words = accepted[: len(accepted) - n_less]
        net = float(net_by_word[words].sum())
        min_attribution = _MIN_WORD_ATTRIBUTION + math.log(1 + n_less)  # the price of so many attempts
        candidate = _make_union(view, own_rows, words, events, code, net, price, min_attribution, direction)
        if candidate is None:
            continue
        # Fewer words are chosen for being clear: then the others must leave out hardly any of them.
        if not n_less or candidate.counts.others_hits <= _MAX_SHARE_OF_OTHERS * candidate.counts.hits:
            return candidate
    return None


def _count_documents(view: View, events: Events, code: IntArray, is_counted: BoolArray) -> IntArray:
    """Return the number of documents of each code, among some of the events."""
    n_documents = len(view.corpus)
    pairs = np.unique(code[is_counted] * n_documents + events.document[is_counted])
    return np.bincount(pairs // n_documents, minlength=int(code.max(initial=0)) + 1)


def _make_union(
    view: View,
    own_rows: Scopes,
    words: IntArray,
    events: Events,
    code: IntArray,
    net: float,
    price: float,
    min_attribution: float,
    direction: str,
) -> Marking | None:
    """Return the candidate of some words of an annotator, if there is enough evidence for all of them together."""
    annotator = int(own_rows.annotator[0])
    is_inside = np.isin(code, own_rows.scope[words])
    pooled = count_own(view, annotator, events, is_inside)
    if len(words) > 1:
        net = min(net, float(pooled.evidence[0]) - price * len(words))
    net -= math.log(view.n_annotators)
    if net < MIN_NET or float(pooled.attribution[0]) < min_attribution:
        return None
    if may_events_be_exchanged(view, annotator, events, is_inside, MIN_EXCHANGE_ALONE):
        return None
    order = np.argsort(-own_rows.hits[words], kind="stable")
    names = tuple(view.words.vocabulary[index] for index in own_rows.scope[words][order].tolist())
    if direction == MARKS_ALONE:
        among_lone_units = _evidence_among_lone_units(view, events, pooled, names)
        if among_lone_units - price * len(words) < MIN_NET:
            return None
    return replace(
        _make_candidate(pooled, 0, _take_hits(events, annotator, is_inside), net, "words", direction), words=names
    )


def _evidence_among_lone_units(view: View, events: Events, pooled: Scopes, names: tuple[str, ...]) -> float:
    """Return the evidence that these words are more frequent in the annotator's lone units than in the others' ones.

    Words that only slips cover are alone wherever they are marked, whoever slipped.
    """
    everywhere = count_own(view, int(pooled.annotator[0]), events, np.ones(len(events), dtype=np.bool_))
    others_hits = pooled.others_hits + _RANDOM_SLIPS * view.words.frequency(names)
    others_total = everywhere.others_hits + _RANDOM_SLIPS
    evidence = contrast_evidence(pooled.hits, everywhere.hits, others_hits, others_total) / pooled.dispersion
    return float(evidence[0])


# lengths


def _lengths_of_events(view: View, events: Events) -> FloatArray:
    """Return the length of the stretch that the units of the others cover at each event."""
    bounds = view.bounds_of_others[view.row_of(events)]
    length: FloatArray = bounds[:, 3] - bounds[:, 0]
    return length


def propose_lengths(view: View) -> Iterator[Candidate]:
    """Yield annotators who leave out short or long units."""
    events = view.chances
    if not len(events):
        return
    length = _lengths_of_events(view, events)
    in_order = np.sort(length)
    cuts = in_order[np.diff(in_order, prepend=-np.inf) > 0]
    if len(cuts) > _MAX_LENGTHS:
        cuts = np.unique(np.quantile(in_order, _LENGTH_QUANTILES, method="lower"))
    price = math.log(2 * len(cuts) * view.n_annotators)
    best: dict[tuple[int, str], tuple[float, float, Scopes, int]] = {}
    counter = PartCounter(view, events)
    # Whoever marks short units by accident does so where nobody else does: then the attribution alone tells two people
    # apart, and has to pay for the choice of an annotator and of a direction.
    min_attribution = MIN_ATTRIBUTION + math.log(2 * view.n_annotators)
    for cut, is_longer, scopes in counter.count_up_to(length, cuts, price + MIN_NET, min_attribution):
        nets = scopes.nets(price)
        for row in np.flatnonzero(nets >= MIN_NET).tolist():
            key = (int(scopes.annotator[row]), LONGER if is_longer else SHORTER)
            if key not in best or nets[row] > best[key][0]:
                best[key] = (float(nets[row]), cut, scopes, row)
    for (_, direction), (net, cut, scopes, row) in best.items():
        is_inside = length <= cut if direction == SHORTER else length >= cut
        candidate = _make_unless_exchanged(view, scopes, row, net, ("length", direction), events, is_inside)
        if candidate is not None:
            yield replace(candidate, bound=cut)


# mentions


def propose_mentions(view: View) -> Iterator[Candidate]:
    """Yield annotators who leave out words that they marked before in the document."""
    if not view.words.are_known:
        return
    events = view.chances
    rank = _mention_ranks(view, events)
    if not (rank > 0).any():
        return
    counter = PartCounter(view, events)
    for period in (0, *_ORDINALS):
        # Half the weight is on the first mention only, the other half on all periods together.
        price = math.log(2 * view.n_annotators * (2 * len(_ORDINALS) if period else 2))
        is_skipped = _are_skipped_mentions(rank, period)
        if period and not (rank >= period).any():
            continue  # no word is there so often: this is the same as the first mention only
        scopes = counter.count(is_skipped, price + MIN_NET, MIN_ATTRIBUTION)
        nets = scopes.nets(price)
        kind = "first-mention", f"marks one in {period}" if period else LEAVES_OUT
        for row in np.flatnonzero(nets >= MIN_NET).tolist():
            candidate = _make_unless_exchanged(view, scopes, row, float(nets[row]), kind, events, is_skipped)
            if candidate is not None:
                yield replace(candidate, bound=float(period))


def _are_skipped_mentions(rank: IntArray, period: int) -> BoolArray:
    """Return whether places with these numbers of earlier mentions are left out if only one in `period` is marked."""
    is_later = rank > 0
    return is_later & (rank % period != 0) if period else is_later


def _mention_ranks(view: View, events: Events) -> IntArray:
    """Return how many earlier places of the document and annotator have the same words; -1 if no words are known."""
    code = view.words.code[events.alignment]
    start = view.alignments.start[events.alignment]
    order = np.lexsort((start, code, events.document, events.annotator))
    run = np.zeros(len(order), dtype=np.int64)
    if len(order):
        columns = [column[order] for column in (code, events.document, events.annotator)]
        run[1:] = np.cumsum(np.any([column[1:] != column[:-1] for column in columns], axis=0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = rank_in_runs(run)
    return np.where(code >= 0, rank, -1)


# scopes


def _have_words(view: View, events: Events, candidate: Marking) -> BoolArray:
    codes = np.flatnonzero(np.isin(view.words.vocabulary, candidate.words))
    return np.isin(_words_of_events(view, events, candidate.direction), codes)


def _have_label(view: View, events: Events, candidate: Marking) -> BoolArray:
    is_inside: BoolArray = _labels_of_events(view, events, candidate.direction) == candidate.labels[0]
    return is_inside


def _have_length(view: View, events: Events, candidate: Marking) -> BoolArray:
    length = _lengths_of_events(view, events)
    return length <= candidate.bound if candidate.direction == SHORTER else length >= candidate.bound


def _are_later_mentions(view: View, events: Events, candidate: Marking) -> BoolArray:
    return _are_skipped_mentions(_mention_ranks(view, events), int(candidate.bound))


def _units_of_length(view: View, candidate: Marking) -> str:
    unit = view.corpus.length_unit or ("char" if view.has_texts else "")
    bound = number(round(candidate.bound, 6))
    length = f"{bound} {unit_in_words(unit)}" if unit else f"length {bound}"
    return f"units of {length} or {'less' if candidate.direction == SHORTER else 'more'}"


def _title_of_mentions(view: View, candidate: Marking) -> str:
    name = name_of(view, candidate.annotator)
    others_name = others_of(view, candidate.annotator)
    words = "mention of the same words in a document"
    if candidate.bound:
        mentions = f"every {_ORDINALS[int(candidate.bound)]} {words}"
        title = f"{name} marks only {mentions}"
    else:
        mentions = f"the first {words}"
        title = f"{name} leaves out later mentions of the same words in a document"
    return f"{others_name} marks more than {mentions}, {name} does not" if view.is_pair else title


_SCOPES = {
    "label-use": _Scope(_have_label, _title_of(lambda view, candidate: label_of(view, candidate.labels[0]))),
    "words": _Scope(_have_words, _title_of(lambda _, candidate: quoted(candidate.words))),
    "length": _Scope(_have_length, _title_of(_units_of_length)),
    "first-mention": _Scope(
        _are_later_mentions, _title_of_mentions, "Do the guidelines say whether every mention is marked?"
    ),
}

LABELS_CAUSE = Cause(
    "label-use",
    Tier.MARKING,
    "a label that an annotator leaves out or alone uses",
    "adds or drops the units",
    propose_labels,
    lambda view: None if len(view.corpus.categories) > 1 else "there is one label",
)
WORDS_CAUSE = Cause(
    "words",
    Tier.MARKING,
    "words that one annotator treats differently",
    "adds or drops the units",
    propose_words,
    needs_texts,
)
LENGTHS_CAUSE = Cause(
    "length",
    Tier.MARKING,
    "short or long units that an annotator leaves out",
    "adds the units",
    propose_lengths,
)
MENTIONS_CAUSE = Cause(
    "first-mention",
    Tier.MARKING,
    "words that are marked once in a document, or every n-th time",
    "adds the other mentions",
    propose_mentions,
    needs_texts,
)
