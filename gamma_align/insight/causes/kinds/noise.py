"""An annotator who differs from the others more often than they do from each other, in no particular way."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of
from gamma_align.insight.causes.evidence import MIN_NET, binomial_evidence
from gamma_align.insight.causes.exchange import MIN_EXCHANGE_ALONE, may_be_exchanged
from gamma_align.insight.causes.filling import take_evenly_spaced
from gamma_align.insight.causes.others import NO_LABEL_IN_COMMON
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.scopes import count_all
from gamma_align.insight.causes.view import Events, View

_MIN_ANNOTATORS = 3  # of two, either may be the noisier one
_MIN_EVIDENCE_OF_WAY = 1.0  # nats; less is an excess by chance beside another one that is not
_MISSING, _LONE, _OTHER_LABEL, _OTHER_BOUNDS = range(4)  # ways to differ
_N_WAYS = 4
# no way to differ
_SAME = -1
_NO_OCCASION = -2


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Noise(Candidate):
    """Places at which an annotator alone differs from the others, and how many one of the others has."""

    fixed_question: ClassVar[str] = (
        "Should this person and the others compare notes? The numbers do not say who is right."
    )

    events: Events
    excess: Events
    expected: float

    def repair(self, view: View) -> Repair:
        """Give the excess over the others the units of the others: no correction, but the measure of its share."""
        rows = view.row_of(self.excess)
        has_unit = view.rows.unit[rows] >= 0
        has_others = view.rows.other_units[rows] > 0
        dropped = view.rows.unit[rows[has_unit]]
        filled = self.excess.take(has_others)
        added = view.templates(filled.alignment, filled.annotator) if len(filled) else view.units.take(slice(0, 0))
        return Repair(np.sort(dropped), added)

    def sentence(self, view: View) -> Sentence:
        """Return the number of places, and the number of one of the others."""
        name = name_of(view, self.annotator)
        return Sentence(
            f"{name} differs from all others, who agree, in {len(self.events):,} places",
            f"One of the others does so in {self.expected:,.0f}. No repair: the share is that of the excess.",
        )


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators who alone differ more often than the others do."""
    if view.n_annotators < _MIN_ANNOTATORS:
        return
    events, way = _lone_differences(view)
    price = math.log(view.n_annotators)
    hits = events.take(events.hit)
    way_of_hits = way[events.hit]
    scopes = count_all(view, events.annotator, events.document, hits)
    nets = scopes.attribution - price
    for row in np.flatnonzero(nets >= MIN_NET).tolist():
        share = float(scopes.share[row])
        annotator = int(scopes.annotator[row])
        if may_be_exchanged(view, annotator, hits.annotator, hits.document, MIN_EXCHANGE_ALONE):
            continue
        yield Noise(
            annotator=annotator,
            net=float(nets[row]),
            events=hits.of_annotator(annotator),
            excess=_take_excess(view, hits, way_of_hits, annotator, share),
            expected=scopes.hits_of_one_other(row),
        )


def _take_excess(view: View, hits: Events, way: IntArray, annotator: int, share: float) -> Events:
    """Return the differences of an annotator beyond those that one of the others has, each way by itself.

    An excess of bounds that are one character off has the share of such bounds, not of missing units. `share`
    is the share of all differences that the annotator would have if all had as many.
    """
    n_all = np.bincount(way[view.has_seen(annotator)[hits.document]], minlength=_N_WAYS)
    own_rows = np.flatnonzero(hits.annotator == annotator)
    n_own = np.bincount(way[own_rows], minlength=_N_WAYS)
    n_excess = np.round(n_own - (n_all - n_own) * share / (1 - share)).astype(np.int64)
    is_evident = (n_excess > 0) & (binomial_evidence(n_own, n_all, share) >= _MIN_EVIDENCE_OF_WAY)
    parts = [
        take_evenly_spaced(hits.take(own_rows[way[own_rows] == one_way]), int(n_excess[one_way]))
        for one_way in np.flatnonzero(is_evident)
    ]
    return Events.join(parts) if parts else hits.take(own_rows[:0])


def _lone_differences(view: View) -> tuple[Events, IntArray]:
    """Return each annotator at each place of three and more, and the way in which the annotator differs.

    A hit is that the others agree and the annotator differs. The others agree if all of them have a unit with one
    label, or none has a unit; of other bounds if they have the same within the noise. If they needed that always, an
    annotator with bounds of their own would keep the others from agreeing. Ways are units that are missing, alone, or
    have another label or other bounds.
    """
    way = _ways_to_differ(view)
    events = view.events_of(way != _NO_OCCASION, way != _SAME)
    return events, way[view.row_of(events)]


def _ways_to_differ(view: View) -> IntArray:
    """Return the way in which each row alone differs; `_SAME` if it does not, `_NO_OCCASION` with one other at most."""
    rows = view.rows
    corpus = view.corpus
    noise_width = view.noise_width
    n_others = view.document_size[rows.document] - 1
    index = np.flatnonzero(n_others > 1)
    unit = rows.unit[index]
    low, high = np.split(view.bounds_of_others[index], 2, axis=1)
    is_narrow = np.all(high - low <= noise_width, axis=1)
    all_have = (rows.other_units[index] == n_others[index]) & (rows.label[index] != NO_LABEL_IN_COMMON)
    all_have &= _have_one_label(view, index)
    own_bounds = np.stack([corpus.start[unit], corpus.end[unit]], axis=1)
    same_bounds = np.all((own_bounds >= low - noise_width) & (own_bounds <= high + noise_width), axis=1)
    has_label = corpus.category[unit] == rows.label[index]
    is_alone = (unit >= 0) & (rows.other_units[index] == 0)
    has_other_bounds = is_narrow & ~same_bounds
    is_hit = (all_have & ((unit < 0) | ~has_label | has_other_bounds)) | is_alone
    way = np.full(len(rows), _NO_OCCASION)
    conditions = [~is_hit, unit < 0, is_alone, ~has_label]
    way[index] = np.select(conditions, [_SAME, _MISSING, _LONE, _OTHER_LABEL], _OTHER_BOUNDS)
    return way


def _have_one_label(view: View, index: IntArray) -> np.ndarray:
    """Return whether all other units of each row have the label that most of them have."""
    rows = view.rows
    alignments = view.alignments
    category = view.corpus.category
    members = alignments.members
    n_labels = len(view.corpus.categories) + 1
    count = np.bincount(
        alignments.group[members] * n_labels + category[members] + 1, minlength=len(alignments) * n_labels
    )
    n_same = count[rows.alignment[index] * n_labels + rows.label[index] + 1]
    unit = rows.unit[index]
    n_same -= (unit >= 0) & (category[unit] == rows.label[index])
    result: np.ndarray = n_same == rows.other_units[index]
    return result


def _needs_three_annotators(view: View) -> str | None:
    return None if np.any(view.document_size >= _MIN_ANNOTATORS) else "of two annotators either may be the noisier one"


NOISE_CAUSE = Cause(
    "noise",
    Tier.NOISE,
    "an annotator who differs more often than the others, in no particular way",
    "none; the share is that of the excess over the others",
    propose,
    _needs_three_annotators,
)
