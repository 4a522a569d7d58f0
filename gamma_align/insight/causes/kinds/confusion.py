"""Labels that are used for one another, in one direction or in both."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct, is_among, numbered, stable_order
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
from gamma_align.insight.causes.label_cells import MIN_PAIRS, LabelCells
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import PAIR, View

_SWAP_RATE = 0.3  # of both labels that are exchanged, from which on they are swapped
_SWAPPED_DOCUMENT = 0.6  # share of the units of two labels in a document that are exchanged
_MAX_REVERSE_SHARE = 0.1  # of exchanged units in one of the two directions, up to which it may be noise
_ONE_WAY_SHARE = 0.7  # of all units with such labels that are in the documents, if one direction alone shows
_MIN_LABELS = 3  # with two, there is no other cell to compare with


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Confusion(Candidate):
    """Units of an annotator with a label where the others have another one: `units` get the labels in `new`."""

    units: IntArray
    new: IntArray
    counts: tuple[int, int]  # pairs with the two labels, and all with the label of the others
    reverse: tuple[int, int]
    expected: float

    def repair(self, view: View) -> Repair:
        """Give the units the label of the others."""
        changed = view.units.take(self.units)
        changed.category[:] = self.new
        return Repair(self.units, changed)

    def sentence(self, view: View) -> Sentence:
        """Return the direction and the counts of both directions."""
        first_label, second_label = (label_of(view, code) for code in self.labels)
        (n, total), (n_reverse, total_reverse) = self.counts, self.reverse
        if self.annotator == NOBODY:
            return Sentence(
                f"{first_label} and {second_label} are taken for each other, by nobody in particular",
                f"{n:,} of {total:,} pairs with one of the two; {self.expected:.1f} would be usual.",
            )
        name, others_name = name_of(view, self.annotator), others_of(view, self.annotator)
        say = "says" if others_name != "the others" else "say"
        return Sentence(
            f"Where {others_name} {say} {first_label}, {name} says {second_label}",
            f"{n:,} of {total:,}; the reverse {n_reverse:,} of {total_reverse:,}; {self.expected:.1f} would be usual.",
        )

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
        name, others_name = name_of(view, self.annotator), others_of(view, self.annotator)
        scope = f" in {documents_text(view, self.documents, self.n_documents)}" if len(self.documents) else ""
        if self.is_one_way:
            say, have = ("say", "have") if others_name == "the others" else ("says", "has")
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
    if n_used < _MIN_LABELS:
        return
    annotators = cells.differing
    directed = [
        candidate
        for annotator in annotators
        for candidate in _directed(view, cells, annotator, n_used, len(annotators))
    ]
    yield from directed
    # If the evidence shows whose confusion it is, it is not everybody's.
    explained = {frozenset(candidate.labels) for candidate in directed}
    yield from (candidate for candidate in _of_nobody(view, cells) if frozenset(candidate.labels) not in explained)


def propose_swaps(view: View) -> Iterator[Candidate]:
    """Yield two labels that an annotator has exchanged."""
    if view.has_one_label:
        return
    cells = view.label_cells
    n_used = cells.n_used
    unclear: dict[frozenset[int], list[Swap]] = {}
    # Of two annotators, the swap of one is the swap of the other, unless it shows in one direction only.
    for annotator in reversed(cells.differing):
        for swap in _swaps(view, cells.of(annotator), annotator, n_used):
            # Documents of a crowd may have two annotators, too.
            if view.is_pair or np.all(view.document_size[view.unit_document[swap.units]] > PAIR):
                yield swap
            else:
                unclear.setdefault(frozenset(swap.labels), []).append(swap)
    yield from (_swap_of_two(view, swaps) for swaps in unclear.values())


def _swap_of_two(view: View, swaps: list[Swap]) -> Swap:
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
        is_named=False,
        documents=documents,
        units=units,
        new=new[is_changed][order],
        counts=(len(units), round(share * sum(swap.counts[1] for swap in swaps))),
        n_documents=len(view.corpus),
        is_one_way=False,
    )


def _directed(view: View, all_cells: LabelCells, annotator: int, n_used: int, n_annotators: int) -> Iterator[Confusion]:
    cells = all_cells.of(annotator)
    key = ("confusion", annotator, cells.key)
    table, usual, evidence = view.memo.get(key, lambda: _unusual_pairs(cells.table()))
    price = math.log(n_used * (n_used - 1) * max(n_annotators, 1))
    totals = table.sum(axis=1)
    for first, second in np.argwhere((evidence > price + MIN_NET) & (table >= MIN_PAIRS)).tolist():
        is_row = cells.label_of_others == first
        is_hit = is_row & (cells.own_label == second)
        phi = view.memo.get((*key, first, second), partial(dispersion_by_document, cells.document, is_row, is_hit))
        net = float(evidence[first, second]) / phi - price
        if net < MIN_NET:
            continue
        attribution = _attribution(view, all_cells, annotator, table, first, second)
        if attribution < MIN_ATTRIBUTION:
            continue
        is_such = (all_cells.label_of_others == first) & (all_cells.own_label == second)
        hits = all_cells.annotator[is_such], all_cells.document[is_such]
        if may_be_exchanged(view, annotator, *hits, MIN_EXCHANGE):
            continue
        units = cells.unit[is_hit]
        yield Confusion(
            annotator=annotator,
            net=net,
            labels=_codes(cells, first, second),
            units=np.sort(units),
            new=np.full(len(units), _codes(cells, first, second)[0]),
            counts=(int(table[first, second]), int(totals[first])),
            reverse=(int(table[second, first]), int(totals[second])),
            expected=float(usual[first, second]),
        )


def _unusual_pairs(table: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return a table of pairs of labels, the usual number of each pair, and the evidence that there are more."""
    usual = usual_errors(table)
    evidence = poisson_evidence(table, np.maximum(usual, 0.5)) * ~np.eye(len(table), dtype=np.bool_)
    return table, usual, evidence


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


def _codes(cells: LabelCells, first: int, second: int) -> tuple[int, int]:
    """Return labels as codes of the corpus, in which -1 stands for no label."""
    last = cells.n_labels - 1
    return (-1 if first == last else first, -1 if second == last else second)


def _swaps(view: View, cells: LabelCells, annotator: int, n_used: int) -> Iterator[Swap]:
    """Yield two labels that are exchanged in both directions, everywhere or in some documents."""
    key = ("swaps", annotator, n_used, cells.key)
    for swap, index in view.memo.get(key, lambda: [*_swapped_cells(view, cells, annotator, n_used)]):
        units, new = cells.unit[index], cells.label_of_others[index]
        order = np.argsort(units)
        yield replace(swap, units=units[order], new=np.where(new == cells.n_labels - 1, -1, new)[order])


def _swapped_cells(view: View, cells: LabelCells, annotator: int, n_used: int) -> Iterator[tuple[Swap, IntArray]]:
    """Yield swaps of an annotator without their units, and the indices of the exchanged cells."""
    table = cells.table()
    by_label = stable_order(cells.label_of_others)
    ends = np.cumsum(table.sum(axis=1))
    n_labels = int(np.count_nonzero(table.sum(axis=0) + table.sum(axis=1)))
    price = _swap_price(view, n_used)
    for pair in _promising_pairs(_exchanges(cells), table, n_labels, price):
        rows = [by_label[ends[label] - table[label].sum() : ends[label]] for label in pair]
        members = np.concatenate(rows)
        part = cells.take(members)
        # Repairs change few of the pairs of an annotator.
        key = ("swap", annotator, pair, n_labels, n_used, part.key)
        swapped = view.memo.get(key, partial(_swap, view, part, table, annotator, n_labels, price, pair))
        if swapped is not None:
            yield swapped[0], members[swapped[1]]


def _swap_price(view: View, n_used: int) -> float:
    """Return the price of looking at all pairs of labels of all annotators."""
    return math.log(max(n_used * (n_used - 1) / 2, 1) * view.n_annotators)


class _Exchanges(NamedTuple):
    """Numbers of exchanged units of two labels of an annotator, and of all their units, by labels and document.

    There is an entry for each two labels and document with exchanged units.
    """

    first: IntArray
    second: IntArray
    hits: IntArray
    total: IntArray

    @property
    def is_swapped(self) -> BoolArray:
        """Whether the two labels may be swapped in the document."""
        result: BoolArray = self.hits > _SWAPPED_DOCUMENT * self.total
        return result


def _exchanges(cells: LabelCells) -> _Exchanges:
    """Return the exchanged units of all pairs of labels: of many labels, most are exchanged in hardly any document."""
    n, width = cells.n_labels, int(cells.document.max(initial=0)) + 1
    is_exchanged = cells.own_label != cells.label_of_others
    low, high = np.minimum(cells.own_label, cells.label_of_others), np.maximum(cells.own_label, cells.label_of_others)
    same, n_same = np.unique((cells.own_label * width + cells.document)[~is_exchanged], return_counts=True)

    def count_same(label: IntArray, document: IntArray) -> IntArray:
        key = label * width + document
        index = np.searchsorted(same, key)
        return np.where(np.append(same, -1)[index] == key, np.append(n_same, 0)[index], 0)

    keys, hits = np.unique(((low * n + high) * width + cells.document)[is_exchanged], return_counts=True)
    (first, second), document = np.divmod(keys // width, n), keys % width
    return _Exchanges(first, second, hits, hits + count_same(first, document) + count_same(second, document))


def _promising_pairs(exchanges: _Exchanges, table: IntArray, n_labels: int, price: float) -> list[tuple[int, int]]:
    """Return the pairs of labels that may be swapped: an upper limit of the evidence of `_swap` is enough.

    `table` counts the pairs of labels of the annotator. The limit leaves out that each document beyond those with
    exchanged units makes looking at a document more expensive.
    """
    pairs, row = numbered(exchanges.first * len(table) + exchanges.second)
    n = len(pairs)
    first, second = np.divmod(pairs, len(table))
    is_swapped = exchanges.is_swapped
    swapped_row, hits, total = row[is_swapped], exchanges.hits[is_swapped], exchanges.total[is_swapped]
    n_swapped, all_swapped = (np.bincount(swapped_row, counts, n) for counts in (hits, total))
    n_exchanged = table[first, second] + table[second, first]
    usual = _rate_of_other_errors(table, n_labels, first, second)
    n_elsewhere = n_exchanged + table[first, first] + table[second, second] - all_swapped
    rate = np.minimum(np.maximum((n_exchanged - n_swapped + usual) / (n_elsewhere + 1.0), usual), 0.5)
    evidence = binomial_evidence(hits, total, rate[swapped_row])
    row_totals = np.maximum(table.sum(axis=1), 1)
    rates = np.minimum(table[first, second] / row_totals[first], table[second, first] / row_totals[second])
    is_everywhere = (rates >= _SWAP_RATE) & (n_swapped >= _SWAPPED_DOCUMENT * n_exchanged)
    price_of_document = np.where(is_everywhere, math.log(2), np.log(np.bincount(row, minlength=n)))
    gains = np.maximum(evidence - price_of_document[swapped_row], 0.0)
    max_net = np.bincount(swapped_row, gains, n) - price
    is_promising = (n_swapped >= MIN_PAIRS) & (max_net > MIN_NET - EVIDENCE_TOLERANCE)
    return list(zip(first[is_promising].tolist(), second[is_promising].tolist(), strict=True))


def _swap(
    view: View,
    cells: LabelCells,
    table: IntArray,
    annotator: int,
    n_labels: int,
    price: float,
    labels: tuple[int, int],
) -> tuple[Swap, IntArray] | None:
    """Return two labels that are exchanged, without units, and the indices of the exchanged cells; None if none are.

    `cells` has the places of an annotator where the others have one of the two labels, `table` counts all its places.
    """
    first, second = labels
    is_pair = (cells.own_label == first) | (cells.own_label == second)
    is_exchanged = is_pair & (cells.own_label != cells.label_of_others)
    documents, entry = numbered(cells.document[is_pair])
    total = np.bincount(entry, minlength=len(documents)).astype(np.float64)
    hits = np.bincount(entry, is_exchanged[is_pair], len(documents))
    is_swapped = hits > _SWAPPED_DOCUMENT * total
    rest_hits, rest_total = hits[~is_swapped].sum(), total[~is_swapped].sum()
    usual = float(_rate_of_other_errors(table, n_labels, np.array([first]), np.array([second]))[0])
    rate = max((rest_hits + usual) / (rest_total + 1.0), usual)
    n = hits[is_swapped].sum()
    evidence = binomial_evidence(hits[is_swapped], total[is_swapped], min(rate, 0.5))
    rates = [table[i, j] / max(table[i].sum(), 1) for i, j in ((first, second), (second, first))]
    is_everywhere = min(rates) >= _SWAP_RATE and n >= _SWAPPED_DOCUMENT * is_exchanged.sum()
    gains = evidence - (math.log(2) if is_everywhere else math.log(len(documents)))
    useful = gains > 0
    if not useful.any() or n < MIN_PAIRS:
        return None
    net = float(gains[useful].sum()) - price
    if net < MIN_NET:
        return None
    swapped = documents[is_swapped][useful]
    is_touched = is_exchanged & is_among(cells.document, swapped)
    ways = _ways(cells, is_touched, first, second)
    if not ways:
        return None
    swap = Swap(
        annotator=annotator,
        net=net,
        is_named=view.has_three_annotators,
        labels=_codes(cells, *ways[0]),
        documents=np.empty(0, dtype=np.int64) if len(swapped) == len(documents) else swapped,
        units=np.empty(0, dtype=np.int64),
        new=np.empty(0, dtype=np.int64),
        counts=(int(np.count_nonzero(is_touched)), int(total[is_swapped][useful].sum())),
        reverse=(0, 0),
        expected=0.0,
        n_documents=int(np.count_nonzero(view.corpus.seen == annotator)),
        is_one_way=len(ways) == 1,
    )
    return swap, np.flatnonzero(is_touched)


def _ways(cells: LabelCells, is_touched: BoolArray, first: int, second: int) -> list[tuple[int, int]]:
    """Return the directions (label of the others, own label) in which labels are exchanged; none if it is no swap.

    One direction is enough if the others have hardly any unit of the other label in these documents, and if it is rare
    in all other ones: else it is a confusion.
    """
    directions = [(first, second), (second, first)]
    counts = [int(np.count_nonzero(cells.label_of_others[is_touched] == label)) for label, _ in directions]
    max_reverse = max(1, _MAX_REVERSE_SHARE * sum(counts))
    if min(counts) >= max_reverse:
        return directions
    label_of_others, own_label = directions[int(np.argmax(counts))]
    is_there = is_among(cells.document, distinct(cells.document[is_touched]))
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


def _rate_of_other_errors(table: IntArray, n_labels: int, first: IntArray, second: IntArray) -> FloatArray:
    """Return the rate at which two labels would be taken for each other if it were as usual as any third label.

    Documents with many exchanges by accident are left out of the other rate, which is then too low, and there is none
    if the labels are exchanged in all documents. Of two labels, there is no third one: one half.
    """
    n_third = n_labels - 2
    if n_third <= 0:
        return np.full(len(first), 0.5)
    kept, exchanged = table[first, first] + table[second, second], table[first, second] + table[second, first]
    totals = table.sum(axis=1)
    to_third = (totals[first] + totals[second] - kept - exchanged) / n_third
    rate: FloatArray = (to_third + 0.5) / (to_third + np.maximum(kept, exchanged) + 1.0)
    return rate


def _of_nobody(view: View, cells: LabelCells) -> Iterator[Confusion]:
    """Yield labels that annotators take for each other in both directions."""
    table = cells.table()
    usual = usual_errors(table)
    n_used = cells.n_used
    price = math.log(n_used * (n_used - 1) / 2)
    n_mutual, usual_mutual = (table + table.T).astype(np.float64), usual + usual.T
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
            is_named=False,
            labels=_codes(cells, first, second),
            units=cells.unit[changed][order],
            new=np.where(new == cells.n_labels - 1, -1, new),
            counts=(int(np.count_nonzero(changed)), int(np.count_nonzero(is_pair))),
            reverse=(0, 0),
            expected=float(usual_mutual[first, second] * per_pair),
        )


def _two_labels(view: View) -> str | None:
    n = len(view.corpus.categories)
    if n >= _MIN_LABELS:
        return None
    count = "is one label" if n == 1 else f"are {n} labels"
    return f"there {count}: nothing to compare with"


CONFUSION_CAUSE = Cause(
    "confusion",
    Tier.MARKING,
    "a label that is used for another one",
    "gives the units the label of the others",
    propose,
    _two_labels,
)
SWAP_CAUSE = Cause(
    "swap",
    Tier.MARKING,
    "two labels that are exchanged",
    "exchanges them back",
    propose_swaps,
)
