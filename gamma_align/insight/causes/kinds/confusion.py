"""Labels that are used for one another, in one direction or in both."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, distinct, is_among, numbered, ranges
from gamma_align.insight.causes.cause import (
    NOBODY,
    Candidate,
    Cause,
    Sentence,
    Tier,
    documents_text,
    label_of,
    name_of,
    others_of,
)
from gamma_align.insight.causes.evidence import (
    EVIDENCE_TOLERANCE,
    MIN_ATTRIBUTION,
    MIN_NET,
    binomial_evidence,
    contrast_evidence,
    dispersion_by_document,
    poisson_evidence,
)
from gamma_align.insight.causes.exchange import MIN_EXCHANGE, may_be_exchanged
from gamma_align.insight.causes.filling import Relabelling
from gamma_align.insight.causes.kinds.local_names import are_names_local
from gamma_align.insight.causes.label_cells import MIN_PAIRS, LabelCells
from gamma_align.insight.causes.view import PAIR, View

_SWAP_RATE = 0.3  # share of the units of either label that are exchanged, if the labels are swapped everywhere
_SWAPPED_DOCUMENT = 0.6  # share of the units of two labels in a document that are exchanged
_MAX_REVERSE_SHARE = 0.1  # share of the exchanged units in the rarer direction; up to it, that one may be noise
_ONE_WAY_SHARE = 0.7  # share of all such units that are in the documents of a swap that shows in one direction only
_MIN_LABELS = 3  # with two, there is no other cell to compare with, only other annotators
_RULE_RATE = 0.5  # share of the units of a label that get another one; above it, this is the annotator's rule


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Confusion(Relabelling):
    """Units of an annotator with a label where the others have another one."""

    counts: tuple[int, int]  # pairs with the two labels, and all with the label of the others
    expected: float

    def sentence(self, view: View) -> Sentence:
        """Return the direction and the counts of both directions."""
        first_label, second_label = (label_of(view, code) for code in self.labels)
        if self.annotator == NOBODY:
            n, total = self.counts
            return Sentence(
                f"{first_label} and {second_label} are taken for each other, by nobody in particular",
                f"{n:,} of {total:,} pairs with one of the two; {self.expected:.1f} would be usual.",
            )
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        say = "says" if view.is_pair else "say"
        table, (first, second) = self._table_as_annotated(view)
        usual = usual_errors(table)[first, second]
        comparison = f"; {usual:.1f} would be usual" if usual > 0 else ""  # of two labels, there are no other errors
        return Sentence(
            f"Where {others_name} {say} {first_label}, {name} says {second_label}",
            f"{table[first, second]:,} of {table[first].sum():,}; the reverse {table[second, first]:,} of "
            f"{table[second].sum():,}{comparison}.",
        )

    def is_unclear(self, view: View) -> bool:
        """Return whether the data as annotated do not bear the direction out."""
        if self.annotator == NOBODY or isinstance(self, Swap) or view.has_three_annotators:
            return False  # the direction is no part of the claim
        table, (first, second) = self._table_as_annotated(view)
        return bool(table[first, second] * table[second].sum() <= table[second, first] * table[first].sum())

    def _table_as_annotated(self, view: View) -> tuple[IntArray, list[int]]:
        """Return the pairs of labels of the others and own labels before the repairs of other causes, and the codes."""
        cells = view.base.label_cells
        return cells.of_annotator(self.annotator).table(), [code % cells.n_labels for code in self.labels]

    def question(self, view: View) -> str:
        """Ask for a rule."""
        first_label, second_label = (label_of(view, code) for code in self.labels)
        return f"Do the guidelines say how {first_label} and {second_label} differ?"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Swap(Confusion):
    """Two labels that an annotator has exchanged, everywhere or in some documents."""

    n_documents: int
    is_one_way: bool  # the others have one of the two labels only in these documents

    def sentence(self, view: View) -> Sentence:
        """Return where, and how many."""
        first_label, second_label = (label_of(view, code) for code in self.labels)
        n, total = self.counts
        if self.annotator == NOBODY:
            return Sentence(
                f"Two annotators have {first_label} and {second_label} the other way round in "
                f"{documents_text(view, self.documents, self.n_documents)}",
                f"{n:,} of {total:,} units of the two labels. Which of the two exchanged them does not show.",
            )
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        scope = f" in {documents_text(view, self.documents, self.n_documents)}" if len(self.documents) else ""
        if self.is_one_way:
            say = "says" if view.is_pair else "say"
            have = "has" if view.is_pair else "have"
            return Sentence(
                f"{name} says {second_label} where {others_name} {say} {first_label}{scope}",
                f"{n:,} of {total:,} units of the two labels. Whether they are exchanged does not show: {others_name} "
                f"{have} hardly any {second_label} there.",
            )
        return Sentence(
            f"{name} has {first_label} and {second_label} the other way round than {others_name}{scope}",
            f"{n:,} of {total:,} units of the two labels.",
        )

    def question(self, view: View) -> str:
        """Ask about keys and codes."""
        first_label, second_label = (label_of(view, code) for code in self.labels)
        return f"Were the keys or codes of {first_label} and {second_label} exchanged?"


def usual_errors(table: IntArray) -> FloatArray:
    """Return the number of pairs expected in each cell off the diagonal, from all other cells.

    The larger of errors spread evenly over all wrong labels, and in proportion to the frequency of the labels. Neither
    the cell itself nor its reverse are among the others. Independence of rows and columns off the diagonal would be the
    wrong hypothesis: with three labels it has one degree of freedom, which takes up one large cell.
    """
    n = len(table)
    off = table * ~np.eye(n, dtype=np.bool_)
    third_errors = off.sum() - off - off.T
    row_totals = table.sum(axis=1).astype(np.float64)
    frequency = table.sum(axis=0) / max(table.sum(), 1)
    # Opportunities of each cell: units of the row, once as they are and once times the frequency of the column.
    even = np.broadcast_to(row_totals[:, None], table.shape) * ~np.eye(n, dtype=np.bool_)
    even = even * ((row_totals > 0) | (table.sum(axis=0) > 0))[None, :]
    proportional = row_totals[:, None] * frequency[None, :] * ~np.eye(n, dtype=np.bool_)
    expected = np.zeros((n, n))
    for weight in (even, proportional):
        third_weight = weight.sum() - weight - weight.T
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.maximum(expected, np.where(third_weight > 0, weight * third_errors / third_weight, 0.0))
    return expected


def propose(view: View) -> Iterator[Candidate]:
    """Yield directed confusions of each annotator, and confusions of nobody in particular."""
    if len(view.corpus.categories) < _MIN_LABELS - 1:
        return  # with one label more for units without any
    cells = view.label_cells
    n_used = cells.n_used
    if n_used < (_MIN_LABELS if view.is_pair else PAIR):
        return
    annotators = cells.differing
    directed = [
        candidate
        for annotator in annotators
        for candidate in _propose_directed(view, cells, annotator, n_used, len(annotators))
    ]
    yield from directed
    # If the evidence shows whose confusion it is, it is not everybody's.
    explained = {frozenset(candidate.labels) for candidate in directed}
    if n_used >= _MIN_LABELS:
        yield from (
            candidate for candidate in _propose_mutual(view, cells) if frozenset(candidate.labels) not in explained
        )


def propose_swaps(view: View) -> Iterator[Candidate]:
    """Yield two labels that an annotator has exchanged."""
    if view.has_one_label or are_names_local(view):
        return
    cells = view.label_cells
    unclear: dict[frozenset[int], list[Swap]] = {}
    for swap in _find_swaps(view, cells):
        # Documents of a crowd may have two annotators, too.
        if view.is_pair or np.all(view.document_size[view.unit_document[swap.units]] > PAIR):
            yield swap
        else:
            unclear.setdefault(frozenset(swap.labels), []).append(swap)
    yield from (_join_swaps(view, swaps) for swaps in unclear.values())


def _join_swaps(view: View, swaps: list[Swap]) -> Swap:
    """Return swaps of the same labels as one that names nobody; in each document, the units of one annotator change."""
    strongest = max(swaps, key=lambda swap: swap.net)
    units = np.concatenate([swap.units for swap in swaps])
    new = np.concatenate([swap.new for swap in swaps])
    document = view.unit_document[units]
    documents, first = np.unique(document, return_index=True)
    owner = view.corpus.annotator[units[first]]
    is_changed = view.corpus.annotator[units] == owner[np.searchsorted(documents, document)]
    units, order = np.unique(units[is_changed], return_index=True)
    # The two annotators of a document have the same exchanged units: each pair counts once.
    share = len(units) / sum(swap.counts[0] for swap in swaps)
    return replace(
        strongest,
        annotator=NOBODY,
        documents=documents,
        units=units,
        new=new[is_changed][order],
        counts=(len(units), round(share * sum(swap.counts[1] for swap in swaps))),
        n_documents=len(view.corpus),
        is_one_way=False,
    )


def _propose_directed(
    view: View, all_cells: LabelCells, annotator: int, n_used: int, n_annotators: int
) -> Iterator[Confusion]:
    cells = all_cells.of_annotator(annotator)
    table = cells.table()
    usual = usual_errors(table)
    totals = table.sum(axis=1)
    evidence = poisson_evidence(table, np.maximum(usual, 0.5)) if n_used >= _MIN_LABELS else np.zeros(table.shape)
    # Whoever gives most units of a label another one does so as a rule, whatever happens to other labels.
    rule = np.zeros(table.shape) if view.is_pair else binomial_evidence(table, totals[:, None], _RULE_RATE)
    price = math.log(n_used * (n_used - 1) * max(n_annotators, 1))
    is_unusual = (np.maximum(evidence, rule) > price + MIN_NET) & (table >= MIN_PAIRS)
    for first, second in np.argwhere(is_unusual & ~np.eye(len(table), dtype=np.bool_)).tolist():
        is_row = cells.label_of_others == first
        is_hit = is_row & (cells.own_label == second)
        attribution = _attribution(view, all_cells, annotator, table, first, second)
        strength = max(float(evidence[first, second]), min(float(rule[first, second]), attribution))
        net = strength / dispersion_by_document(cells.document, is_row, is_hit) - price
        if net < MIN_NET or attribution < MIN_ATTRIBUTION:
            continue
        is_such = (all_cells.label_of_others == first) & (all_cells.own_label == second)
        hits = all_cells.annotator[is_such], all_cells.document[is_such]
        if may_be_exchanged(view, annotator, *hits, MIN_EXCHANGE):
            continue
        units = cells.unit[is_hit]
        yield Confusion(
            annotator=annotator,
            net=net,
            labels=_codes_of_corpus(cells, first, second),
            units=np.sort(units),
            new=np.full(len(units), _codes_of_corpus(cells, first, second)[0]),
            counts=(int(table[first, second]), int(totals[first])),
            expected=float(usual[first, second]),
        )


def _attribution(view: View, cells: LabelCells, annotator: int, table: IntArray, first: int, second: int) -> float:
    """Return the evidence for the direction (two annotators) or for the annotator (more)."""
    totals = table.sum(axis=1)
    if view.is_pair:
        return float(contrast_evidence(table[first, second], totals[first], table[second, first], totals[second]))
    documents = distinct(cells.document[cells.annotator == annotator])
    is_other = (cells.annotator != annotator) & (cells.label_of_others == first)
    is_other &= is_among(cells.document, documents)
    n_others = int(np.count_nonzero(is_other & (cells.own_label == second)))
    n_occasions = int(np.count_nonzero(is_other))
    n = int(table[first, second])
    if n_occasions:
        return float(contrast_evidence(n, totals[first], n_others, n_occasions))
    # One of three annotators who never says `first` leaves the two others without a majority for it.
    share = 1.0 / float(view.document_size[documents].mean())
    return float(binomial_evidence(n, n, share))


def _codes_of_corpus(cells: LabelCells, first: int, second: int) -> tuple[int, int]:
    """Return labels as codes of the corpus, in which -1 stands for no label."""
    last = cells.n_labels - 1
    return (-1 if first == last else first, -1 if second == last else second)


class _Exchanges(NamedTuple):
    """Units that an annotator has with one of two labels where the others have the other one.

    `annotator`, `first` and `second` are of each pair of labels. An entry is a document with exchanged units of a pair:
    `pair`, ascending, and `document` are of each entry, `hits` the number of its exchanged units, and `total` that of
    all its units of the two labels. The exchanged units of entry e are the cells `cells[begin[e]:begin[e + 1]]`.
    `n_documents` is the number of documents with units of the two labels, exchanged or not, of each pair.
    """

    annotator: IntArray
    first: IntArray
    second: IntArray
    n_documents: IntArray
    pair: IntArray
    document: IntArray
    hits: IntArray
    total: IntArray
    begin: IntArray
    cells: IntArray

    @classmethod
    def of(cls, cells: LabelCells) -> _Exchanges:
        """Return the exchanged units of all annotators."""
        n = cells.n_labels
        n_documents = int(cells.document.max(initial=0)) + 1
        own_label = cells.own_label
        label_of_others = cells.label_of_others
        exchanged = (own_label != label_of_others).nonzero()[0]
        low = np.minimum(own_label, label_of_others)
        high = np.maximum(own_label, label_of_others)
        pair = (cells.annotator * n + low) * n + high
        keys = (pair * n_documents + cells.document)[exchanged]
        order = keys.argsort(kind="stable")
        begin = np.diff(keys[order], prepend=-1).nonzero()[0]
        entry = keys[order][begin]
        document = entry % n_documents
        hits = np.diff(np.append(begin, len(keys)))
        pairs, row = numbered(entry // n_documents)
        annotator = pairs // n**2
        first = pairs // n % n
        second = pairs % n
        labels = annotator * n + np.stack([first, second])  # of an annotator

        # The documents of each annotator and label with units of that label on both sides.
        label_keys = (cells.annotator * n + own_label) * n_documents + cells.document
        same, n_same = np.unique(label_keys[own_label == label_of_others], return_counts=True)
        entry_keys = labels[:, row] * n_documents + document
        index = same.searchsorted(entry_keys)
        n_kept = np.where(np.append(same, -1)[index] == entry_keys, np.append(n_same, 0)[index], 0)

        first_same = same.searchsorted(labels * n_documents)
        counts = same.searchsorted((labels + 1) * n_documents) - first_same
        kept = np.tile(np.arange(len(pairs)), 2).repeat(counts.ravel()) * n_documents
        kept += same[ranges(first_same.ravel(), counts.ravel())] % n_documents
        seen = distinct(np.concatenate([row * n_documents + document, kept]))
        return cls(
            annotator=annotator,
            first=first,
            second=second,
            n_documents=np.bincount(seen // n_documents, minlength=len(pairs)),
            pair=row,
            document=document,
            hits=hits,
            total=hits + n_kept.sum(axis=0),
            begin=np.append(begin, len(keys)),
            cells=exchanged[order],
        )


def _find_swaps(view: View, cells: LabelCells) -> Iterator[Swap]:
    """Yield two labels that an annotator has exchanged, everywhere or in some documents."""
    n_used = cells.n_used
    price = math.log(max(n_used * (n_used - 1) / 2, 1) * view.n_annotators)  # of looking at all pairs of everybody
    exchanges = _Exchanges.of(cells)
    gains = _evidence_of_swaps(cells, exchanges, view.n_annotators)
    nets = np.bincount(exchanges.pair, gains, len(exchanges.annotator)) - price
    promising = (nets > MIN_NET - EVIDENCE_TOLERANCE).nonzero()[0]
    first_entry = exchanges.pair.searchsorted(np.arange(len(exchanges.annotator) + 1))
    # Of two annotators, the swap of one is the swap of the other, unless it shows in one direction only.
    for pair in promising[(-exchanges.annotator[promising]).argsort(kind="stable")].tolist():
        entries = np.arange(first_entry[pair], first_entry[pair + 1])
        entries = entries[gains[entries] > 0]
        net = float(gains[entries].sum()) - price
        swap = _make_swap(view, cells, exchanges, pair, entries, net) if net >= MIN_NET else None
        if swap is not None:
            yield swap


def _evidence_of_swaps(cells: LabelCells, exchanges: _Exchanges, n_annotators: int) -> FloatArray:
    """Return the evidence that each entry is a swap, less the price of looking at its document; 0 if it is none."""
    n = cells.n_labels
    label_of_others = cells.label_of_others
    own_label = cells.own_label
    pair = exchanges.pair
    hits = exchanges.hits
    total = exchanges.total
    n_pairs = len(exchanges.annotator)
    # Places of each label, and those where the annotator has the same one, by annotator.
    n_all, n_kept, n_own = (
        np.bincount((cells.annotator * n + label)[marks], minlength=n_annotators * n)
        for label, marks in (
            (label_of_others, slice(None)),
            (label_of_others, own_label == label_of_others),
            (own_label, slice(None)),
        )
    )
    n_third = np.count_nonzero((n_all + n_own).reshape(n_annotators, n), axis=1) - 2
    first = exchanges.annotator * n + exchanges.first
    second = exchanges.annotator * n + exchanges.second
    n_pair = n_all[first] + n_all[second]
    n_same = n_kept[first] + n_kept[second]
    is_swapped = hits > _SWAPPED_DOCUMENT * total
    n_exchanged, n_swapped = (np.bincount(pair, one, n_pairs).astype(np.float64) for one in (hits, hits * is_swapped))
    n_rest = n_exchanged + n_same - np.bincount(pair, total * is_swapped, n_pairs)
    usual = _rate_of_other_errors(n_third[exchanges.annotator], n_pair, n_same, n_exchanged)
    # Whoever gives any label for any other one exchanges these two no more than others.
    n_places, n_agreed = (
        np.bincount(cells.annotator[marks], minlength=n_annotators)
        for marks in (slice(None), own_label == label_of_others)
    )
    n_third_pairs = n_third[exchanges.annotator] + 1
    n_agreed_third = n_agreed[exchanges.annotator]
    n_other_exchanged = n_places[exchanges.annotator] - n_agreed_third - n_exchanged
    n_other_kept = n_third_pairs * n_agreed_third - n_same
    usual = np.maximum(
        usual, (n_other_exchanged + 0.5 * (n_third_pairs > 1)) / (n_other_exchanged + n_other_kept + 1.0)
    )
    rate = np.minimum(np.maximum((n_exchanged - n_swapped + usual) / (n_rest + 1.0), usual), 0.5)
    says_first = np.append(0, (label_of_others < own_label)[exchanges.cells].cumsum())[exchanges.begin]
    n_first = np.bincount(pair, np.diff(says_first), n_pairs)
    rates = np.minimum(n_first / np.maximum(n_all[first], 1), (n_exchanged - n_first) / np.maximum(n_all[second], 1))
    is_everywhere = (rates >= _SWAP_RATE) & (n_swapped >= _SWAPPED_DOCUMENT * n_exchanged)
    is_everywhere &= n_exchanged > _SWAPPED_DOCUMENT * (n_exchanged + n_same)
    # A swap in all documents is one question, yes or no; any other has to name its documents.
    price = np.array([math.log(n) for n in np.where(is_everywhere, 2, exchanges.n_documents).tolist()])
    gains = binomial_evidence(hits, total, rate[pair]) - price[pair]
    return np.where(is_swapped & (n_swapped >= MIN_PAIRS)[pair], np.maximum(gains, 0.0), 0.0)


def _make_swap(
    view: View, all_cells: LabelCells, exchanges: _Exchanges, pair: int, entries: IntArray, net: float
) -> Swap | None:
    """Return the swap of two labels of an annotator in the documents of some entries, or None if it is none."""
    annotator, first, second = (int(column[pair]) for column in exchanges[:3])
    counts = exchanges.begin[entries + 1] - exchanges.begin[entries]
    touched = np.sort(exchanges.cells[ranges(exchanges.begin[entries], counts)])
    ways = _exchanged_directions(all_cells.of_annotator(annotator), all_cells.take(touched), first, second)
    if not ways:
        return None
    unit = all_cells.unit[touched]
    new = all_cells.label_of_others[touched]
    order = unit.argsort()
    is_everywhere = len(entries) == exchanges.n_documents[pair]
    return Swap(
        annotator=annotator,
        net=net,
        labels=_codes_of_corpus(all_cells, *ways[0]),
        documents=np.empty(0, dtype=np.int64) if is_everywhere else exchanges.document[entries],
        units=unit[order],
        new=np.where(new == all_cells.n_labels - 1, -1, new)[order],
        counts=(len(touched), int(exchanges.total[entries].sum())),
        expected=0.0,
        n_documents=int(np.count_nonzero(view.corpus.seen == annotator)),
        is_one_way=len(ways) == 1,
    )


def _exchanged_directions(cells: LabelCells, touched: LabelCells, first: int, second: int) -> list[tuple[int, int]]:
    """Return the directions (label of the others, own label) in which labels are exchanged; none if it is no swap.

    `touched` are the exchanged ones of an annotator's cells.

    One direction is enough if the others have hardly any unit of the other label in these documents, and if it is rare
    in all other ones: else it is a confusion.
    """
    directions = [(first, second), (second, first)]
    counts = [int(np.count_nonzero(touched.label_of_others == label)) for label, _ in directions]
    max_reverse = max(1, _MAX_REVERSE_SHARE * sum(counts))
    if min(counts) >= max_reverse:
        return directions
    label_of_others, own_label = directions[int(np.argmax(counts))]
    is_there = is_among(cells.document, distinct(touched.document))
    is_row = cells.label_of_others == label_of_others
    is_hit = is_row & (cells.own_label == own_label)
    n_others_own = np.count_nonzero(is_there & (cells.label_of_others == own_label))
    here, elsewhere = (
        (np.count_nonzero(is_hit & part), np.count_nonzero(is_row & part)) for part in (is_there, ~is_there)
    )
    is_rare = here[0] >= _ONE_WAY_SHARE * (here[0] + elsewhere[0])
    if n_others_own > max_reverse or not is_rare or contrast_evidence(*here, *elsewhere) < MIN_NET:
        return []
    return [(label_of_others, own_label)]


def _rate_of_other_errors(n_third: IntArray, n_all: IntArray, n_kept: IntArray, n_exchanged: FloatArray) -> FloatArray:
    """Return the rate at which two labels would be taken for each other if it were as usual as any third label.

    `n_third` is the number of other labels, `n_all` the number of places where the others have one of the two; in
    `n_kept` of them the annotator has the same one, in `n_exchanged` the other of the two. Documents with many
    exchanges by accident are left out of the other rate, which is then too low, and there is none if the labels are
    exchanged in all documents. Of two labels, there is no third one: one half.
    """
    to_third = (n_all - n_kept - n_exchanged) / np.maximum(n_third, 1)
    rate = (to_third + 0.5) / (to_third + np.maximum(n_kept, n_exchanged) + 1.0)
    return np.where(n_third > 0, rate, 0.5)


def _propose_mutual(view: View, cells: LabelCells) -> Iterator[Confusion]:
    """Yield labels that annotators take for each other in both directions."""
    table = cells.table()
    usual = usual_errors(table)
    n_used = cells.n_used
    price = math.log(n_used * (n_used - 1) / 2)
    n_mutual = (table + table.T).astype(np.float64)
    usual_mutual = usual + usual.T
    # Each aligned pair counts once from either side.
    per_pair: float = 1 / 2 if view.is_pair else 1.0 / max(float(view.document_size.mean()), 2.0)
    evidence = poisson_evidence(n_mutual * per_pair, np.maximum(usual_mutual * per_pair, 0.5))
    for first, second in np.argwhere(np.triu((evidence > price + MIN_NET) & (n_mutual >= MIN_PAIRS), 1)).tolist():
        is_pair = (cells.label_of_others == first) | (cells.label_of_others == second)
        is_hit = is_pair & ((cells.own_label == first) | (cells.own_label == second))
        is_hit &= cells.own_label != cells.label_of_others
        net = float(evidence[first, second]) / dispersion_by_document(cells.document, is_pair, is_hit) - price
        if net < MIN_NET:
            continue
        # One unit of each aligned pair is changed; of two annotators, those of the second one.
        changed = is_hit if view.has_three_annotators else is_hit & (cells.annotator == cells.annotator.max())
        order = np.argsort(cells.unit[changed])
        new = cells.label_of_others[changed][order]
        yield Confusion(
            annotator=NOBODY,
            net=net,
            labels=_codes_of_corpus(cells, first, second),
            units=cells.unit[changed][order],
            new=np.where(new == cells.n_labels - 1, -1, new),
            counts=(int(np.count_nonzero(changed)), int(np.count_nonzero(is_pair))),
            expected=float(usual_mutual[first, second] * per_pair),
        )


def _needs_labels(view: View) -> str | None:
    n = len(view.corpus.categories)
    if n >= _MIN_LABELS or (n == PAIR and view.has_three_annotators):
        return None
    count = "is one label" if n == 1 else f"are {n} labels"
    return f"there {count}: nothing to compare with"


CONFUSION_CAUSE = Cause(
    "confusion",
    Tier.MARKING,
    "a label that is used for another one",
    "gives the units the label of the others",
    propose,
    _needs_labels,
)
SWAP_CAUSE = Cause(
    "swap",
    Tier.MARKING,
    "two labels that are exchanged",
    "exchanges them back",
    propose_swaps,
)
