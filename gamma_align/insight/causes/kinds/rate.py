"""An annotator with more or fewer units than the others in the same documents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.exchange import MIN_EXCHANGE_ALONE, may_be_exchanged
from gamma_align.insight.causes.filling import LEAVES_OUT, MARKS_ALONE, fill_or_drop, take_evenly_spaced
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.scopes import Scopes, count_all
from gamma_align.insight.causes.view import Events, View

_NORMAL_95 = 1.96  # quantile of the normal distribution for an interval of 95 %


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rate(Candidate):
    """The excess of places left out, or of units that nobody else has."""

    fixed_question: ClassVar[str] = "How much is to be marked? The numbers alone do not say who is right."

    events: Events
    excess: int  # events more than one of the others has
    n: int
    expected: float

    def is_unclear(self, view: View) -> bool:
        """Return whether exchanged roles would give somebody the same number as clearly."""
        hits = _events_of_direction(view, self.direction)
        return may_be_exchanged(view, self.annotator, hits.annotator, hits.document, MIN_EXCHANGE_ALONE)

    def repair(self, view: View) -> Repair:
        """Add or drop only the excess over the others: all of it would make the others differ in turn."""
        return fill_or_drop(view, take_evenly_spaced(self.events, self.excess), self.direction)

    def sentence(self, view: View) -> Sentence:
        """Return the number, the number expected, and the interval of their ratio."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        ratio = ""
        if self.expected >= 1:
            times = self.n / self.expected
            factor = math.exp(_NORMAL_95 * math.sqrt(1 / self.n + 1 / self.expected))
            ratio = f": {times:.1f} times as many (95 % interval {times / factor:.1f} to {times * factor:.1f})"
        if view.is_pair:
            title = f"{others_name} marks {self.n:,} places where {name} marks nothing"
            return Sentence(title, f"The reverse: {self.expected:,.0f} places{ratio}.")
        if self.direction == LEAVES_OUT:
            title = f"{name} leaves out {self.n:,} places that most others mark"
            verb = "leave out"
        else:
            title = f"{name} marks {self.n:,} units that nobody else does"
            verb = "have"
        return Sentence(title, f"One of the others would {verb} {self.expected:,.0f} in these documents{ratio}.")


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators who leave out, or alone mark, more than the others in the same documents."""
    yield from _propose_excesses(view, LEAVES_OUT)
    if view.has_three_annotators:  # of two, what one alone marks is what the other leaves out
        yield from _propose_excesses(view, MARKS_ALONE)


def _events_of_direction(view: View, direction: str) -> Events:
    return view.missed_chances if direction == LEAVES_OUT else view.lone_markings


def _propose_excesses(view: View, direction: str) -> Iterator[Candidate]:
    """Yield the excesses that are left once those with more evidence are repaired, if they are no less in the data."""
    price = math.log(2 * view.n_annotators)
    left = _count_direction(view, direction)
    before = _count_direction(view.base, direction)
    row_before = np.full(view.n_annotators, -1)
    row_before[before.annotator] = np.arange(len(before))
    is_excess = (row_before[left.annotator] >= 0) & (before.attribution[row_before[left.annotator]] > 0)
    nets = np.where(is_excess, left.attribution - price, 0.0)
    for row in np.flatnonzero(nets >= MIN_NET).tolist():
        annotator = int(left.annotator[row])
        events = _events_of_direction(view, direction).of_annotator(annotator)
        first = int(row_before[annotator])
        yield Rate(
            annotator=annotator,
            net=float(nets[row]),
            direction=direction,
            events=events,
            excess=round(len(events) - left.hits_of_one_other(row)),
            n=int(before.hits[first]),
            expected=before.hits_of_one_other(first),
        )


def _count_direction(view: View, direction: str) -> Scopes:
    rows = view.rows
    hits = _events_of_direction(view, direction)
    event = np.flatnonzero(view.is_chance if direction == LEAVES_OUT else view.is_marking)
    return count_all(view, rows.annotator[event], rows.document[event], hits)


RATE_CAUSE = Cause(
    "rate",
    Tier.RATE,
    "an annotator with more or fewer units than the others",
    "adds or drops the excess over the others",
    propose,
)
