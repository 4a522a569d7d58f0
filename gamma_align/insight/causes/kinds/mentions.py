"""Words that an annotator marks once in a document, or every second, third, … time, though others mark all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray, IntArray, rank_in_runs
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of, needs_texts, others_of
from gamma_align.insight.causes.claims import Claim
from gamma_align.insight.causes.evidence import MIN_ATTRIBUTION, MIN_NET
from gamma_align.insight.causes.exchange import MIN_EXCHANGE, may_events_be_exchanged
from gamma_align.insight.causes.filling import excess, fill
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.scopes import PartCounter
from gamma_align.insight.causes.view import Events, View

LEAVES_OUT = "leaves out"  # direction
_PERIODS = (2, 3, 4, 5)  # one mention in so many is marked; more are rarely in one document
_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}  # of `_PERIODS`


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Mentions(Claim):
    """Mentions that are left out: all after the first (period 0), or all but one in `period`."""

    fixed_question: ClassVar[str] = "Do the guidelines say whether every mention is marked?"

    events: Events
    period: int

    def scope(self, view: View) -> tuple[Events, BoolArray]:
        """Return the places, and which of them are to be left out."""
        return view.chances, _are_skipped(_mention_ranks(view, view.chances), self.period)

    def repair(self, view: View) -> Repair:
        """Add the mentions that are left out."""
        return fill(view, excess(self.events, self.counts.total, self.counts.rest_rate))

    def sentence(self, view: View) -> Sentence:
        """Return which mentions are left out, and how many."""
        name = name_of(view, self.annotator)
        if self.period:
            mentions = f"every {_ORDINALS[self.period]} mention of the same words in a document"
            title = f"{name} marks only {mentions}"
        else:
            title = f"{name} leaves out later mentions of the same words in a document"
        if view.is_pair:
            mentions = mentions if self.period else "the first mention of the same words in a document"
            title = f"{others_of(view, self.annotator)} marks more than {mentions}, {name} does not"
        return Sentence(title, self.counts_as_annotated(view).text(view))


def _are_skipped(rank: IntArray, period: int) -> BoolArray:
    """Return whether places with so many earlier mentions are left out if only one in `period` is marked."""
    is_later = rank > 0
    return is_later & (rank % period != 0) if period else is_later


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators who leave out words that they marked before in the document."""
    if not view.words.are_known:
        return
    events = view.chances
    rank = _mention_ranks(view, events)
    if not (rank > 0).any():
        return
    counter = PartCounter(view, events)
    for period in (0, *_PERIODS):
        # Half the weight is on the first mention only, the other half on all periods together.
        price = math.log(2 * view.n_annotators * (2 * len(_PERIODS) if period else 2))
        is_skipped = _are_skipped(rank, period)
        if period and not (rank >= period).any():
            continue  # no word is there so often: this is the same as the first mention only
        scopes = counter.count(is_skipped, price + MIN_NET, MIN_ATTRIBUTION)
        nets = scopes.nets(price)
        for row in np.flatnonzero(nets >= MIN_NET).tolist():
            annotator = int(scopes.annotator[row])
            if may_events_be_exchanged(view, annotator, events, is_skipped, MIN_EXCHANGE):
                continue
            yield Mentions(
                annotator=annotator,
                net=float(nets[row]),
                direction=f"marks one in {period}" if period else LEAVES_OUT,
                events=events.take((events.annotator == annotator) & events.hit & is_skipped),
                period=period,
                counts=scopes.counts(row),
            )


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


MENTIONS_CAUSE = Cause(
    "first-mention",
    Tier.MARKING,
    "words that are marked once in a document, or every n-th time",
    "adds the other mentions",
    propose,
    needs_texts,
)
