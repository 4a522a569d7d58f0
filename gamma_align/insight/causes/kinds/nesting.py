"""Only the outer or only the inner one of two nested units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import BoolArray
from gamma_align.insight.causes.cause import Candidate, Cause, Sentence, Tier, name_of, others_of
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.exchange import MIN_EXCHANGE_ALONE, may_events_be_exchanged
from gamma_align.insight.causes.filling import Omission
from gamma_align.insight.causes.scopes import count_scopes
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.absences import Stretches, count_overlaps

# directions
OUTER = "outer only"
INNER = "inner only"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Nesting(Omission):
    """Places where the others have nested units and an annotator has only one of them."""

    fixed_question: ClassVar[str] = "Do the guidelines say whether units within units are marked?"

    counts: tuple[int, int, int]  # of the annotator, all such places, and of the others

    def sentence(self, view: View) -> Sentence:
        """Return which unit is missing, and how often."""
        name = name_of(view, self.annotator)
        others_name = others_of(view, self.annotator)
        missing, has = ("inner", "outer") if self.direction == OUTER else ("outer", "inner")
        n, total, n_others = self.counts
        title = f"Of nested units, {name} has only the {has} one"
        if view.is_pair:
            title = f"Of nested units, {others_name} has both, {name} only the {has} one"
        return Sentence(title, f"{n:,} of {total:,} {missing} units are missing; {others_name}: {n_others:,}.")


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators who have only one of two nested units."""
    nested = _is_nested(view)
    if not any(mask.any() for mask in nested.values()):
        return
    rows = view.rows
    for direction, is_inside in nested.items():
        # A unit within or around another unit of the others; the annotator has the other one there.
        has_one = view.is_marking | rows.is_overlapped
        events = view.events_of(view.have_most_others & is_inside[rows.alignment] & has_one, ~view.is_marking)
        if not len(events):
            continue
        scopes = count_scopes(view, events, np.zeros(len(events), dtype=np.int64), 1)
        nets = scopes.attribution - math.log(2 * view.n_annotators)
        for row in np.flatnonzero(nets >= MIN_NET).tolist():
            annotator = int(scopes.annotator[row])
            if may_events_be_exchanged(
                view, annotator, events, np.ones(len(events), dtype=np.bool_), MIN_EXCHANGE_ALONE
            ):
                continue
            own_hits = events.take((events.annotator == annotator) & events.hit)
            yield Nesting(
                annotator=annotator,
                net=float(nets[row]),
                direction=direction,
                events=own_hits,
                counts=(int(scopes.hits[row]), int(scopes.total[row]), int(scopes.others_hits[row])),
            )


def _is_nested(view: View) -> dict[str, BoolArray]:
    """Return whether each unitary alignment has a unit within (OUTER: the outer one is there) or around another unit.

    Within and around refer to units of the same annotator.
    """
    corpus = view.corpus
    alignments = view.alignments
    long = np.flatnonzero(corpus.end > corpus.start)
    overlaps = count_overlaps(
        Stretches(view.lane[long], corpus.start[long], corpus.end[long]),
        Stretches(view.lane[long], corpus.start[long], corpus.end[long]),
    )
    candidates = long[overlaps > 1]
    result = {OUTER: np.zeros(len(alignments), dtype=np.bool_), INNER: np.zeros(len(alignments), dtype=np.bool_)}
    if not len(candidates):
        return result
    # Units are sorted by start, then by end: a unit is nested if an earlier start in its lane reaches its end.
    order = candidates[np.lexsort((-corpus.end[candidates], corpus.start[candidates], view.lane[candidates]))]
    lane = view.lane[order]
    end = corpus.end[order]
    values, rank = np.unique(end, return_inverse=True)
    group = np.cumsum(np.diff(lane, prepend=lane[:1]) != 0)
    reached = np.maximum.accumulate(group * len(values) + rank.reshape(-1)) - group * len(values)
    is_new = np.diff(lane, prepend=-1) != 0
    previous = np.where(is_new, -1, np.concatenate([[-1], reached[:-1]]))
    is_inner = previous >= rank.reshape(-1)
    # A unit that contains the next one of its lane.
    is_outer = np.append(is_inner[1:], False) & ~is_inner
    for direction, mask in ((OUTER, is_inner), (INNER, is_outer)):
        aligned = alignments.group[order[mask]]
        result[direction][aligned[aligned >= 0]] = True
    return result


NESTING_CAUSE = Cause(
    "nesting",
    Tier.SHAPE,
    "the inner or the outer one of nested units alone",
    "adds the other one",
    propose,
)
