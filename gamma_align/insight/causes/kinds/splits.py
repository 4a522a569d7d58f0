"""Several units of one annotator where another one has a single unit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, Columns, IntArray, distinct, numbered, numbered_rows, ranges
from gamma_align.data import few
from gamma_align.insight.causes.cause import NOBODY, Candidate, Cause, Sentence, Tier, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_ATTRIBUTION, MIN_NET, binomial_evidence, poisson_evidence
from gamma_align.insight.causes.exchange import MIN_EXCHANGE_ALONE, may_be_exchanged
from gamma_align.insight.causes.filling import join_units
from gamma_align.insight.causes.repair import Repair, Units
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.absences import Positions, Stretches

# directions
SPLITS = "splits"
MERGES = "merges"
_MIN_PARTS = 2
_MIN_OCCASIONS = 3  # fewer cannot reach 5 nats
_MIN_OCCASIONS_OF_NOBODY = 5  # fewer may be one or two places, at which several annotators have several units
_MIN_COVERED = 0.7  # share of the single unit that the several units cover
_USUAL_GAPS = 0.95  # of the gaps between parts of split units are no wider than those that are joined elsewhere
_MIN_ATTRIBUTION_ALONE = 3.0  # nats, if nobody else splits any: three of one of three annotators, five of one of two
_MAX_NAMED = 4  # annotators in a sentence
_NATS_OF_A_TILING = 4.0  # that several units begin and end exactly where one does is no accident


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Splits(Candidate):
    """Groups of an annotator's units, each of which lies in one unit of another (or the reverse: merges)."""

    fixed_question: ClassVar[str] = "Do the guidelines say whether this is one unit or several?"

    groups: Groups
    counts: tuple[int, int]  # of the annotator, and of the others

    def repair(self, view: View) -> Repair:
        """Put a copy of the single unit in place of several, or copies of the several in place of the single one."""
        groups = self.groups
        if self.direction == SPLITS:
            drop = groups.parts()
            template = groups.single
            own_unit = groups.first
            owner = view.corpus.annotator[groups.first]
        else:
            template = ranges(groups.first, groups.counts)
            own_unit = np.repeat(groups.single, groups.counts)
            drop = np.unique(own_unit)
            owner = np.full(len(template), self.annotator)
        copies = view.units.take(template)
        copies.annotator[:] = owner
        copies.origin[:] = view.origin[own_unit]
        # Two others may have the same single unit: one copy of each is enough.
        keys = np.stack([copies.document, copies.annotator, copies.start, copies.end, copies.category], axis=1)
        copies = copies.take(np.sort(np.unique(keys, axis=0, return_index=True)[1]))
        if self.direction == SPLITS and self.annotator != NOBODY:
            joined = _joined_neighbours(view, self.annotator, groups)
            drop = np.union1d(drop, joined.drop)
            copies = Units.join([copies, joined.add])
        return Repair(drop, copies)

    def sentence(self, view: View) -> Sentence:
        """Return how often, and how often the other way round."""
        n, n_reverse = self.counts
        if self.annotator == NOBODY:
            numbers = np.bincount(view.corpus.annotator[np.unique(self.groups.first)])
            by_number = np.argsort(-numbers, kind="stable")
            people = (f"{name_of(view, code)} {numbers[code]:,}" for code in by_number.tolist() if numbers[code])
            title = f"Where one annotator has one unit, another has several: {n:,} times"
            return Sentence(title, f"Several units: {few(people, _MAX_NAMED)}. It is nobody's in particular.")
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        have = "has" if view.is_pair else "have"
        title = f"Where {others_name} {have} several units, {name} has one: {n:,} times"
        if self.direction == SPLITS:
            title = f"Where {others_name} {have} one unit, {name} has several: {n:,} times"
        return Sentence(title, f"The other way round: {n_reverse:,} times.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Groups(Columns):
    """Groups of consecutive units of one lane: the first, their number, and the single unit of another annotator."""

    first: IntArray
    counts: IntArray
    single: IntArray
    is_tiling: BoolArray

    def parts(self) -> IntArray:
        """Return the units of all groups, each once."""
        return np.unique(ranges(self.first, self.counts))


def _joined_neighbours(view: View, annotator: int, groups: Groups) -> Repair:
    """Join neighbours of one label where nobody else has a unit, as far apart as the parts of split units are.

    An annotator who splits units that others have also splits units that the others miss. If these parts were not
    joined, they would look like short units that the others leave out.
    """
    corpus = view.corpus
    inside = ranges(groups.first, groups.counts - 1)
    gap = corpus.start[1:] - corpus.end[:-1]
    max_gap = float(np.quantile(gap[inside], _USUAL_GAPS))
    parts = groups.parts()
    is_own = (corpus.annotator == annotator) & np.isin(view.unit_document, view.unit_document[parts])
    is_own[parts] = False
    n_own_units, n_units = view.count_units(Stretches(view.unit_document, corpus.start, corpus.end), corpus.annotator)
    is_own &= n_own_units == n_units
    joins = is_own[1:] & is_own[:-1] & (view.lane[1:] == view.lane[:-1]) & (gap >= 0) & (gap <= max_gap)
    joins &= corpus.category[1:] == corpus.category[:-1]
    return join_units(view, np.flatnonzero(joins) + 1)


def find_groups(view: View) -> Groups:
    """Return every group of two units and more of one label in one unit of another annotator."""
    corpus = view.corpus
    width = view.n_annotators
    lanes, offsets = view.lanes
    # Each unit against each other lane of its document that has several units.
    n_units = np.diff(offsets)
    large = np.flatnonzero(n_units >= _MIN_PARTS)
    lanes_of_document = np.bincount(lanes[large] // width, minlength=len(corpus))
    n_lanes = lanes_of_document[view.unit_document]
    unit = np.repeat(np.arange(corpus.n_units), n_lanes)
    lane = large[ranges((np.cumsum(lanes_of_document) - lanes_of_document)[view.unit_document], n_lanes)]
    is_other = lanes[lane] != view.lane[unit]
    unit = unit[is_other]
    lane = lane[is_other]
    starts = Positions(np.repeat(np.arange(len(lanes)), n_units), corpus.start)
    low, high = (starts.count(lane, bound[unit], side="left") for bound in (corpus.start, corpus.end))
    has_parts = np.flatnonzero(high - low >= _MIN_PARTS)
    unit = unit[has_parts]
    low = low[has_parts]
    high = high[has_parts]
    last = high - 1
    length = np.concatenate([[0.0], np.cumsum(corpus.end - corpus.start)])
    covered = length[high] - length[low]
    changes = np.concatenate([[0], np.cumsum(np.diff(corpus.category) != 0)])
    single_length = corpus.end[unit] - corpus.start[unit]
    is_group = (
        (corpus.end[last] <= corpus.end[unit])
        & (covered >= _MIN_COVERED * single_length)
        & (covered <= single_length)  # no nested units
        & (changes[last] == changes[low])
    )
    is_tiling = (corpus.start[low] == corpus.start[unit]) & (corpus.end[last] == corpus.end[unit])
    return Groups(low, high - low, unit, is_tiling).take(is_group)


def propose_splits(view: View) -> Iterator[Candidate]:
    """Yield annotators who have several units where others have one, or one where they have several."""
    groups = find_groups(view)
    if not len(groups):
        return
    corpus = view.corpus
    document = view.unit_document[groups.single]
    is_open = ~view.covered[document]
    groups = groups.take(is_open)
    document = document[is_open]
    splitter = corpus.annotator[groups.first]
    merger = corpus.annotator[groups.single]
    is_somebodys = False
    for direction, role in ((SPLITS, splitter), (MERGES, merger)):
        if view.is_pair and direction == MERGES:
            continue  # of two annotators, the one who splits is named
        # One occasion counts once, whatever the number of others.
        key = groups.first if direction == SPLITS else groups.single
        occasion = np.unique(key, return_index=True)[1]
        table = _Occasions(role[occasion], document[occasion], groups.is_tiling[occasion])
        for annotator in np.flatnonzero(np.bincount(table.annotator) >= _MIN_OCCASIONS).tolist():
            n, n_others, net = _evidence_of_splits(view, table, annotator)
            if net >= MIN_NET:
                is_somebodys = True
                own_groups = np.flatnonzero(role == annotator)
                yield Splits(
                    annotator=annotator,
                    net=net,
                    documents=np.unique(document[own_groups]),
                    direction=direction,
                    groups=groups.take(own_groups),
                    counts=(n, n_others),
                )
    tilings = np.flatnonzero(groups.is_tiling)
    n = len(np.unique(groups.first[tilings]))
    # If more begin and end together than by accident, it is a habit, whosever it is.
    evidence = float(poisson_evidence(n, _n_accidental_tilings(view)))
    if not is_somebodys and n >= _MIN_OCCASIONS_OF_NOBODY:
        yield Splits(
            annotator=NOBODY,
            net=min(_NATS_OF_A_TILING * n, evidence) - math.log(2 * view.n_annotators),
            documents=np.unique(document[tilings]),
            direction=SPLITS,
            groups=groups.take(tilings),
            counts=(n, 0),
        )


def _n_accidental_tilings(view: View) -> float:
    """Return how often two neighbours would begin and end like one unit of another annotator if all were independent.

    Units of the others begin at any of the positions in the document at which somebody's units begin, and have the
    lengths of all units. Where they have the same unit as one of the neighbours, they do not have both as one.
    """
    corpus = view.corpus
    n_labels = len(corpus.categories) + 1
    document = view.unit_document
    label = corpus.category % n_labels
    n_starts = np.bincount(
        distinct(document * (corpus.n_units + 1) + numbered(corpus.start)[1]) // (corpus.n_units + 1)
    )
    by_document, by_lane = (
        np.unique(group * n_labels + label, return_inverse=True, return_counts=True) for group in (document, view.lane)
    )
    n_others = (by_document[2][by_document[1]] - by_lane[2][by_lane[1]])[:-1]
    place = numbered_rows(document, label, corpus.start, corpus.end)
    share_equal = (np.bincount(place)[place] - 1) / np.maximum(view.document_size[document] - 1, 1)
    n_others = n_others * np.maximum(1.0 - np.maximum(share_equal[1:], share_equal[:-1]), 0.0)
    are_neighbours = (view.lane[1:] == view.lane[:-1]) & (label[1:] == label[:-1])
    lengths, n_of_length = np.unique(corpus.end - corpus.start, return_counts=True)
    span = (corpus.end[1:] - corpus.start[:-1])[are_neighbours]
    index = np.minimum(np.searchsorted(lengths, span), len(lengths) - 1)
    share = np.where(lengths[index] == span, n_of_length[index], 0) / corpus.n_units
    return float((n_others / n_starts[document[:-1]])[are_neighbours] @ share)


class _Occasions(NamedTuple):
    """Occasions on which an annotator splits (or merges), and whether both outer bounds are equal."""

    annotator: IntArray
    document: IntArray
    is_tiling: BoolArray


def _evidence_of_splits(view: View, table: _Occasions, annotator: int) -> tuple[int, int, float]:
    """Return the occasions of an annotator, those of the others in documents that both saw, and the net evidence."""
    is_there = view.has_seen(annotator)[table.document]
    is_own = table.annotator == annotator
    n = int(np.count_nonzero(is_own))
    n_all = int(np.count_nonzero(is_there))
    share = float(np.mean(1.0 / view.document_size[table.document[is_own]]))
    attribution = float(binomial_evidence(n, n_all, share))
    n_tilings = int(np.count_nonzero(is_own & table.is_tiling))
    is_alone = n_tilings == n == n_all
    if attribution < (_MIN_ATTRIBUTION_ALONE if is_alone else MIN_ATTRIBUTION):
        return n, n_all - n, 0.0
    # That nobody else ever splits a unit is a fact; who does it more often could be the same person by accident.
    if not is_alone and may_be_exchanged(view, annotator, table.annotator, table.document, MIN_EXCHANGE_ALONE):
        return n, n_all - n, 0.0
    others_tilings = int(np.count_nonzero(is_there & ~is_own & table.is_tiling)) * share / (1 - share)
    # If the others have some, too, it has to be clear that the annotator has more.
    is_habit = 2 * n_tilings > n and (others_tilings == 0 or attribution >= MIN_NET)
    tilings = _NATS_OF_A_TILING * (n_tilings - others_tilings) if is_habit else 0.0
    return n, n_all - n, max(attribution, tilings) - math.log(2 * view.n_annotators)


SPLIT_CAUSE = Cause(
    "split",
    Tier.SHAPE,
    "several units where another annotator has one",
    "puts the single unit in their place, or the several in its place",
    propose_splits,
)
