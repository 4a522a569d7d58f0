"""A cause that holds in the later, or the earlier, documents of an annotator only: units left out, or relabelled."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, numbered, ranges, stable_order
from gamma_align.data import counted
from gamma_align.insight.causes.cause import (
    Candidate,
    Cause,
    Sentence,
    Tier,
    label_of,
    name_of,
    others_of,
    quoted,
)
from gamma_align.insight.causes.claims import Claim
from gamma_align.insight.causes.evidence import (
    EVIDENCE_TOLERANCE,
    MIN_ATTRIBUTION,
    MIN_NET,
    N_USUAL_DOCUMENTS,
    binomial_evidence,
    contrast_evidence,
)
from gamma_align.insight.causes.filling import fill, relabel, take_events_to_repair
from gamma_align.insight.causes.kinds.confusion import Confusion
from gamma_align.insight.causes.kinds.marking import Marking
from gamma_align.insight.causes.kinds.never import Never
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.scopes import MIN_HITS, Counts
from gamma_align.insight.causes.view import Events, View

# directions
LATER = "later documents"
EARLIER = "earlier documents"
_NUMBER = re.compile(r"\d+")  # in the name of a document
_MIN_DOCUMENTS = 3  # on either side of a change: fewer are single documents, not a habit
_MIN_RATIO = 2.0  # of the rates on both sides: otherwise the cause holds everywhere
_MIN_DIRECTION = 3.0  # nats that one of two annotators takes a label for another one, not the reverse: five give 3.5
_N_TABLES = 3  # units left out by label and by word, and labels taken for others


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Drift(Claim):
    """Places that an annotator leaves out, or labels otherwise, from a document on or up to one."""

    hits: Events
    new: IntArray  # labels that the units of the hits get; empty if they are left out
    unit: IntArray
    n_documents: int
    is_pair: bool

    def scope(self, view: View) -> tuple[Events, BoolArray]:
        """Return the places with these labels or words, and which of them are in the documents."""
        if len(self.unit):
            cells = view.label_cells
            first_label, second_label = (code % cells.n_labels for code in self.labels)
            cells = cells.take(cells.label_of_others == first_label)
            alignment = view.alignments.group[cells.unit]
            events = Events(cells.annotator, cells.document, alignment, cells.own_label == second_label)
        else:
            events = _places_left_out(view)
            rows = view.row_of(events)
            if self.words:
                codes = np.flatnonzero(np.isin(view.words.vocabulary, self.words))
                events = events.take(np.isin(view.words_of_others[rows], codes))
            elif self.labels:
                events = events.take(np.maximum(view.rows.label[rows], -1) == self.labels[0])
        return events, np.isin(events.document, self.documents)

    def refines(self, candidate: Candidate) -> bool:
        """Return whether another candidate concerns the same labels and words in all documents."""
        is_same = self.annotator == candidate.annotator or (self.is_pair and bool(len(self.unit)))
        is_same &= set(self.labels) == set(candidate.labels) and set(self.words) == set(candidate.words)
        return is_same and type(candidate) in (Confusion, Marking, Never)

    def repair(self, view: View) -> Repair:
        """Add the units, or give them the label of the others."""
        if len(self.unit):
            return relabel(view, self.unit, self.new)
        return fill(view, take_events_to_repair(self.hits, self.counts.total, self.counts.rest_rate))

    def sentence(self, view: View) -> Sentence:
        """Return how the annotator differs from a document on, or up to one, and the counts on both sides."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        documents = _document_order(view)[np.isin(_document_order(view), self.documents)]
        bound = view.corpus.documents[int(documents[0 if self.direction == LATER else -1])]
        scope = f"From {bound} on" if self.direction == LATER else f"Up to {bound}"
        if len(self.unit):
            first_label, second_label = (label_of(view, code) for code in self.labels)
            say = "says" if view.is_pair else "say"
            claim = f"{name} says {second_label} where {others_name} {say} {first_label}"
        else:
            places = quoted(self.words) or (label_of(view, self.labels[0]) if self.labels else "units")
            claim = f"{name} leaves out {places}"
            if view.is_pair:
                claim = f"{others_name} marks {places} where {name} marks nothing"
        counts = self.counts_as_annotated(view)
        reference = "the reverse" if view.is_pair else "the other annotators"
        return Sentence(
            f"{scope}, {claim}",
            f"{counts.hits:,} of {counts.total:,} in {counted(self.n_documents, 'document')}; in the other ones "
            f"{counts.rest_hits:,} of {counts.rest_total:,}; {reference}: {counts.others_hits:,} such places.",
        )

    def question(self, view: View) -> str:
        """Ask what changed."""
        habit = "a habit" if view.is_pair else f"the habit of {name_of(view, self.annotator)}"
        return f"Did the guidelines, the tool or {habit} change there?"


class _ScopedEvents(NamedTuple):
    """Events, the scope of each, -1 for none, and the number of scopes."""

    events: Events
    scope: IntArray
    n_scopes: int


class _Part(NamedTuple):
    """The best cut of the documents of a scope: the evidence, the documents in the part, and counts."""

    net: float
    direction: str
    documents: IntArray
    counts: tuple[int, int, int, int]


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators who leave out, or label otherwise, in their later or earlier documents only."""
    if needs_order(view) is not None:
        return
    rank = np.empty(len(view.corpus), dtype=np.int64)
    rank[_document_order(view)] = np.arange(len(view.corpus))
    yield from _propose_relabelled(view, rank)
    for table, is_words in _tables_left_out(view):
        events = table.events
        keys = np.where(table.scope >= 0, events.annotator * table.n_scopes + table.scope, -1)
        tried = _Tried.of(keys[events.hit], keys)
        places = _Places(tried.candidate, events.document[tried.rows], events.hit[tried.rows])
        for index, part in _find_best_parts(view, tried.keys // table.n_scopes, places, rank, tried.price):
            inside = tried.rows[tried.candidate == index]
            annotator, scope = divmod(int(tried.keys[index]), table.n_scopes)
            is_other = (events.annotator != annotator) & (table.scope == scope) & events.hit
            n_others = int(np.count_nonzero(is_other & np.isin(events.document, part.documents)))
            hits = events.take(inside[events.hit[inside] & np.isin(events.document[inside], part.documents)])
            if _attribute_part(view, part, n_others) < MIN_ATTRIBUTION:
                continue
            yield _make_candidate(
                view,
                annotator,
                part,
                n_others,
                hits,
                labels=() if is_words or scope == 0 else (scope - 1,),
                words=(view.words.vocabulary[scope],) if is_words else (),
            )


def _tables_left_out(view: View) -> Iterator[tuple[_ScopedEvents, bool]]:
    """Yield the places that annotators may leave out: all and by label, then by words, without silent documents."""
    events = _places_left_out(view)
    rows = view.row_of(events)
    n_labels = len(view.corpus.categories)
    everything = np.zeros(len(events), dtype=np.int64)
    yield _ScopedEvents(events, everything, n_labels + 1), False
    if n_labels > 1:
        yield _ScopedEvents(events, np.maximum(view.rows.label[rows], -1) + 1, n_labels + 1), False
    if view.words.vocabulary:
        yield _ScopedEvents(events, view.words_of_others[rows], len(view.words.vocabulary)), True


def _places_left_out(view: View) -> Events:
    """Return the `chances` in documents in which the annotator has a unit."""
    events = view.chances
    return events.take(np.isin(events.document * view.n_annotators + events.annotator, view.lanes[0]))


def _propose_relabelled(view: View, rank: IntArray) -> Iterator[Candidate]:
    """Yield annotators who give another label than the others in their later or earlier documents only."""
    if view.has_one_label:
        return
    cells = view.label_cells
    n = cells.n_labels
    row = cells.annotator * n + cells.label_of_others
    tried = _Tried.of((row * n + cells.own_label)[cells.own_label != cells.label_of_others], row, n)
    is_hit = cells.own_label[tried.rows] == (tried.keys % n)[tried.candidate]
    places = _Places(tried.candidate, cells.document[tried.rows], is_hit)
    for index, part in _find_best_parts(view, tried.keys // n // n, places, rank, tried.price):
        inside = tried.rows[tried.candidate == index]
        key, second = divmod(int(tried.keys[index]), n)
        annotator, first = divmod(key, n)
        is_hit = cells.own_label[inside] == second
        is_other = (cells.label_of_others == first) & (cells.own_label == second) & (cells.annotator != annotator)
        n_others = int(np.count_nonzero(np.isin(cells.document[is_other], part.documents)))
        if _attribute_part(view, part, n_others) < (_MIN_DIRECTION if view.is_pair else MIN_ATTRIBUTION):
            continue
        selected = inside[is_hit & np.isin(cells.document[inside], part.documents)]
        selected = selected[np.argsort(cells.unit[selected])]
        codes = tuple(-1 if code == n - 1 else code for code in (first, second))
        unit = cells.unit[selected]
        hit = np.ones(len(selected), dtype=np.bool_)
        yield _make_candidate(
            view,
            annotator,
            part,
            n_others,
            Events(cells.annotator[selected], cells.document[selected], view.alignments.group[unit], hit),
            labels=codes,
            unit=unit,
            new=np.full(len(selected), codes[0]),
        )


_NONE = np.empty(0, dtype=np.int64)  # no units, if they are left out


def _make_candidate(
    view: View,
    annotator: int,
    part: _Part,
    n_others: int,
    hits: Events,
    labels: tuple[int, ...] = (),
    words: tuple[str, ...] = (),
    unit: IntArray = _NONE,
    new: IntArray = _NONE,
) -> Drift:
    return Drift(
        annotator=annotator,
        net=part.net,
        documents=part.documents,
        direction=part.direction,
        labels=labels,
        words=words,
        hits=hits,
        unit=unit,
        new=new,
        n_documents=len(part.documents),
        is_pair=view.is_pair,
        counts=Counts(*part.counts, n_others),
    )


class _Tried(NamedTuple):
    """Candidates whose hits may be enough evidence, wherever they are among their places.

    `keys` are of each candidate; `rows` are their places, sorted by `candidate`, and `price` is that of looking at all
    candidates.
    """

    keys: IntArray
    rows: IntArray
    candidate: IntArray
    price: float

    @classmethod
    def of(cls, hit_keys: IntArray, place_keys: IntArray, n_columns: int = 1) -> _Tried:
        """Return the candidates with these keys of hits; -1 is no candidate.

        The places of a candidate have the key // n_columns.
        """
        keys, n_hits = np.unique(hit_keys[hit_keys >= 0], return_counts=True)
        is_frequent = n_hits >= MIN_HITS
        # Where the hits are among the documents does not depend on how many there are: others need not be paid for.
        keys = keys[is_frequent]
        n_hits = n_hits[is_frequent]
        price = math.log(_N_TABLES * len(keys)) if len(keys) else 0.0
        order = stable_order(place_keys + 1)
        first, last = (place_keys[order].searchsorted(keys // n_columns, side=side) for side in ("left", "right"))
        is_tried = _may_be_enough(n_hits, last - first, price)
        counts = (last - first)[is_tried]
        events = order[ranges(first[is_tried], counts)]
        return cls(keys[is_tried], events, np.arange(len(counts)).repeat(counts), price)


def _may_be_enough(n_hits: IntArray, n: IntArray, price: float) -> BoolArray:
    """Return whether `n_hits` hits among `n` events may have enough evidence, wherever they are.

    Two rates have at most the evidence that they have if one of them is 1 and the other 0.
    """
    n_misses = n - n_hits
    max_evidence = n_hits * np.log(n / n_hits) + n_misses * np.log(n / np.maximum(n_misses, 1))
    result: BoolArray = max_evidence > MIN_NET + price - EVIDENCE_TOLERANCE
    return result


class _Places(NamedTuple):
    """Places of candidates, sorted by candidate: the document of each, and whether it is a hit."""

    candidate: IntArray
    document: IntArray
    hit: BoolArray


class _Totals(NamedTuple):
    """Hits and places of candidates by document, sorted by candidate, then in the order of the documents.

    The documents of candidate c have the rows from `first[c]` to `first[c + 1]`; `rank` is the place of each in the
    order of all documents.
    """

    candidate: IntArray
    rank: IntArray
    hits: FloatArray
    total: FloatArray
    first: IntArray

    @classmethod
    def of(cls, places: _Places, rank: IntArray, n_candidates: int) -> _Totals:
        """Return the totals of the places of candidates, given the place of each document in their order."""
        keys, entry = numbered(places.candidate * len(rank) + rank[places.document])
        hits = np.bincount(entry, places.hit, len(keys))
        total = np.bincount(entry, minlength=len(keys))
        candidate, rank = np.divmod(keys, len(rank))
        first = candidate.searchsorted(np.arange(n_candidates + 1))
        return cls(candidate, rank, hits.astype(np.float64), total.astype(np.float64), first)

    def divided(self, column: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of a column over the documents of a candidate up to each document, and after it."""
        sums = np.append(0.0, column.cumsum())
        return sums[1:] - sums[self.first[self.candidate]], sums[self.first[self.candidate + 1]] - sums[1:]


def _find_best_parts(
    view: View, annotator: IntArray, places: _Places, rank: IntArray, price: float
) -> Iterator[tuple[int, _Part]]:
    """Yield each candidate whose hits are concentrated in later or earlier documents, with the best such part.

    `annotator` is of each candidate.
    """
    totals = _Totals.of(places, rank, len(annotator))
    n_documents = np.diff(totals.first)
    before, after = totals.divided(totals.hits)
    n_before, n_after = totals.divided(totals.total)
    is_cut = _may_be_cut(view, annotator, totals, rank)
    best: dict[int, _Part] = {}
    for direction, columns in (
        (LATER, (after, n_after, before, n_before)),
        (EARLIER, (before, n_before, after, n_after)),
    ):
        part_hits, part_total, rest_hits, rest_total = columns
        cuts = (is_cut & (part_hits * rest_total >= _MIN_RATIO * rest_hits * part_total)).nonzero()[0]
        evidence = contrast_evidence(*(column[cuts] for column in columns))
        # φ is at least 1, and takes longer.
        is_enough = evidence > np.log(2 * n_documents)[totals.candidate[cuts]] + price + MIN_NET - EVIDENCE_TOLERANCE
        cuts = cuts[is_enough]
        evidence = evidence[is_enough]
        order = np.lexsort((-evidence, totals.candidate[cuts]))
        is_best = np.diff(totals.candidate[cuts[order]], prepend=-1) != 0
        for index in order[is_best].tolist():
            cut = int(cuts[index])
            candidate = int(totals.candidate[cut])
            documents = slice(int(totals.first[candidate]), int(totals.first[candidate + 1]))
            phi = _dispersion_beside(totals.hits[documents], totals.total[documents], cut - documents.start)
            net = float(evidence[index]) / phi - math.log(2 * int(n_documents[candidate])) - price
            if net < MIN_NET or (candidate in best and net <= best[candidate].net):
                continue
            members = (
                totals.rank[cut + 1 : documents.stop] if direction == LATER else totals.rank[documents.start : cut + 1]
            )
            counts = (int(part_hits[cut]), int(part_total[cut]), int(rest_hits[cut]), int(rest_total[cut]))
            best[candidate] = _Part(net, direction, np.sort(_document_order(view)[members]), counts)
    yield from sorted(best.items())


def _may_be_cut(view: View, annotator: IntArray, totals: _Totals, rank: IntArray) -> BoolArray:
    """Return the documents after which a habit may change: the annotator saw enough documents up to it and after it."""
    seen, ends = view.documents_seen
    n_documents = len(rank)
    keys = np.sort(np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)) * n_documents + rank[seen])
    person = annotator[totals.candidate]
    n_up_to = keys.searchsorted(person * n_documents + totals.rank, side="right")
    is_last = np.arange(len(totals.candidate)) == totals.first[totals.candidate + 1] - 1
    n_seen_before = n_up_to - np.append(0, ends)[person]
    result: BoolArray = ~is_last & (n_seen_before >= _MIN_DOCUMENTS) & (ends[person] - n_up_to >= _MIN_DOCUMENTS)
    return result


def _dispersion_beside(hits: FloatArray, total: FloatArray, cut: int) -> float:
    """Return φ of the counts over documents around the two rates before and after a cut, at least 1.

    As in `dispersions`, usual documents are counted beside them, and single places vary as by chance.
    """
    statistic = N_USUAL_DOCUMENTS
    for part in (slice(0, cut + 1), slice(cut + 1, len(hits))):
        rate = hits[part].sum() / total[part].sum()
        variance = total[part] * rate * (1 - rate)
        terms = (hits[part] - total[part] * rate) ** 2 / np.maximum(variance, 1e-12)
        statistic += float(np.where((total[part] <= 1) & (variance > 0), 1.0, terms).sum())
    return max(statistic / max(len(hits) - 2 + N_USUAL_DOCUMENTS, 1), 1.0)


def _attribute_part(view: View, part: _Part, n_others: int) -> float:
    share = float(np.mean(1.0 / view.document_size[part.documents]))
    n = part.counts[0]
    return float(binomial_evidence(n, n + n_others, share))


# the order of documents


def _document_order(view: View) -> IntArray:
    """Return the documents in the order of the numbers in their names."""
    return _order_of_names(view.corpus.documents)


@lru_cache(maxsize=4)
def _order_of_names(names: tuple[str, ...]) -> IntArray:
    numbers = [tuple(map(int, _NUMBER.findall(name))) for name in names]
    return np.array(sorted(range(len(numbers)), key=numbers.__getitem__), dtype=np.int64)


def needs_order(view: View) -> str | None:
    """Return why documents have no order, or None: their names differ in numbers or dates alone."""
    if len(view.corpus) < 2 * _MIN_DOCUMENTS:
        return f"there are fewer than {2 * _MIN_DOCUMENTS} documents"
    if not _are_numbered(view.corpus.documents):
        return "the names of the documents do not number them"
    return None


@lru_cache(maxsize=4)
def _are_numbered(names: tuple[str, ...]) -> bool:
    """Return whether names differ in their numbers alone."""
    first = _NUMBER.sub("0", names[0])
    return all(_NUMBER.sub("0", name) == first for name in names)


DRIFT_CAUSE = Cause(
    "drift",
    Tier.MARKING,
    "units left out, or another label, in later or earlier documents only",
    "adds the units, or gives them the label of the others",
    propose,
    needs_order,
)
