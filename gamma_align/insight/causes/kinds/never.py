"""A label that an annotator never uses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, label_of, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_ATTRIBUTION, MIN_NET
from gamma_align.insight.causes.filling import Omission
from gamma_align.insight.causes.scopes import count_scopes
from gamma_align.insight.causes.view import Events, View

NEVER = "never"  # direction
_MIN_PLACES = 3  # with the label; fewer cannot reach 5 nats
_MIN_MISSING = 0.5  # share of the places that have to be left out; if most have another label, it is a confusion


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Never(Omission):
    """The places with a label that an annotator never uses and leaves out."""

    # Units with another label are no events: they may have a cause of their own, such as a swap.

    def sentence(self, view: View) -> Sentence:
        """Return the label, and how often it is left out in the data as annotated."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        have = "has" if view.is_pair else "have"
        events, unit, label = _places(view.base)
        is_own = events.annotator == self.annotator
        is_there = label == self.labels[0]
        n_missing = np.count_nonzero(is_own & is_there & (unit < 0))
        return Sentence(
            f"{name} has no unit of {label_of(view, self.labels[0])}",
            f"{others_name} {have} it in {np.count_nonzero(is_own & is_there):,} places; {name} marks nothing in "
            f"{n_missing:,} of them, and differs in {np.count_nonzero(is_own & ~is_there & events.hit):,} of "
            f"{np.count_nonzero(is_own & ~is_there):,} places with other labels.",
        )

    def question(self, view: View) -> str:
        """Ask about the label."""
        label = label_of(view, self.labels[0])
        if view.is_pair:
            return f"Is {label} to be marked?"
        return f"Does {name_of(view, self.annotator)} know that {label} is to be marked?"


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators who have no unit of a label that the others use."""
    n_labels = len(view.corpus.categories)
    if n_labels <= 1:
        return  # one label is all there is
    events, unit, label = _places(view)
    scopes = count_scopes(view, events, label, n_labels)
    is_used = np.zeros((view.n_annotators, n_labels + 1), dtype=np.bool_)  # no label has the last code
    for corpus in (view.corpus, view.first.corpus):  # a repair may give all units with a label another one
        is_used[corpus.annotator, corpus.category] = True
    nets = scopes.evidence - math.log(view.n_annotators * n_labels)
    is_found = (nets >= MIN_NET) & (scopes.attribution >= MIN_ATTRIBUTION) & (scopes.total >= _MIN_PLACES)
    is_found &= ~is_used[scopes.annotator, scopes.scope]
    for row in np.flatnonzero(is_found).tolist():
        code = int(scopes.scope[row])
        inside = (events.annotator == scopes.annotator[row]) & (label == code)
        missing = events.take(inside & (unit < 0))
        if len(missing) < _MIN_MISSING * scopes.total[row]:
            continue
        yield Never(
            annotator=int(scopes.annotator[row]),
            net=float(nets[row]),
            direction=NEVER,
            labels=(code,),
            events=missing,
        )


def _places(view: View) -> tuple[Events, IntArray, IntArray]:
    """Return the places with a label of most others, the unit of the annotator in each, and the label.

    A hit is that the annotator has no unit with that label.
    """
    rows = view.rows
    is_place = (rows.label >= 0) & view.have_most_others & (view.is_marking | ~rows.is_overlapped)
    events = view.events_of(is_place, ~view.is_marking | (view.corpus.category[rows.unit] != rows.label))
    row = view.row_of(events)
    return events, rows.unit[row], rows.label[row]


NEVER_CAUSE = Cause(
    "label-use",
    Tier.MARKING,
    "a label that an annotator never uses",
    "adds the units",
    propose,
    lambda view: None if len(view.corpus.categories) > 1 else "there is one label",
    names_one_of_two=True,
)
