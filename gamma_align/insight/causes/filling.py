"""Repairs that many kinds of causes share: add units as the others have them, drop units, give them other labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align.columns import IntArray, numbered
from gamma_align.insight.causes.cause import Candidate
from gamma_align.insight.causes.repair import Repair, Units
from gamma_align.insight.causes.view import Events, View

LEAVES_OUT = "leaves out"
MARKS_ALONE = "marks alone"
_RULE_SHARE = 0.5  # of the places in a scope from which on leaving out is the rule


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Omission(Candidate):
    """Places that an annotator leaves out; the repair fills them."""

    events: Events

    def repair(self, view: View) -> Repair:
        """Add a unit in each place, as most of the others have it."""
        return fill(view, self.events)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Relabelling(Candidate):
    """Units that the repair gives other labels: `new` has the code of the label of each of the `units`."""

    units: IntArray
    new: IntArray

    def repair(self, view: View) -> Repair:
        """Give the units the new labels."""
        return relabel(view, self.units, self.new)


def relabel(view: View, units: IntArray, new: IntArray) -> Repair:
    """Give each of these units a new label; `new` has the codes."""
    changed = view.units.take(units)
    changed.category[:] = new
    return Repair(units, changed)


def rename_labels(view: View, units: IntArray, old: IntArray, new: IntArray) -> Repair:
    """Give the units with one of the `old` labels, of these units, the `new` label in its place."""
    code = np.arange(len(view.corpus.categories) + 1)  # code -1 reads the last
    code[-1] = -1
    code[old] = new
    category = view.corpus.category[units]
    is_changed = code[category] != category
    return relabel(view, units[is_changed], code[category[is_changed]])


def fill(view: View, events: Events) -> Repair:
    """Add a unit for each annotator in each unitary alignment of events, a copy of the unit of most others."""
    return Repair(np.empty(0, dtype=np.int64), view.templates(events.alignment, events.annotator))


def take_events_to_repair(events: Events, total: int, rest_rate: float) -> Events:
    """Return the events to repair: all if they are the rule in the scope, else the excess over the rate elsewhere.

    If all events of a tendency were repaired, the rest of the annotator's units would look bad in the next round: after
    the repair of "leaves out short units: 16 %", "leaves out long units: 10 %" would stand out against none.
    """
    n = len(events)
    if n >= _RULE_SHARE * total:
        return events
    return take_evenly_spaced(events, round(n - rest_rate * total))


def take_evenly_spaced(events: Events, n: int) -> Events:
    """Return `n` of the events, at least one, evenly spaced."""
    return events.take(np.unique(np.round(np.linspace(0, len(events) - 1, max(n, 1))).astype(np.int64)))


def fill_or_drop(view: View, events: Events, direction: str) -> Repair:
    """Fill places that an annotator leaves out; drop the units that the annotator marks alone (`MARKS_ALONE`)."""
    if direction != MARKS_ALONE:
        return fill(view, events)
    return Repair(np.sort(view.rows.unit[view.row_of(events)]), view.units.take(slice(0, 0)))


def join_units(view: View, begin: IntArray) -> Repair:
    """Join each of these units with the one before it, under the label of the longer one."""
    corpus = view.corpus
    is_joined = np.zeros(corpus.n_units, dtype=np.bool_)
    is_joined[begin] = True
    block = np.cumsum(~is_joined) - 1
    touched = np.isin(block, block[begin])
    units = np.flatnonzero(touched)
    length = corpus.end[units] - corpus.start[units]
    longest = np.lexsort((-length, block[units]))
    longest = longest[np.unique(block[units][longest], return_index=True)[1]]
    joined = view.units.take(units[longest])
    number = numbered(block[units])[1]
    start = np.full(len(joined), np.inf)
    end = np.full(len(joined), -np.inf)
    np.minimum.at(start, number, corpus.start[units])
    np.maximum.at(end, number, corpus.end[units])
    return Repair(units, Units(joined.document, joined.annotator, start, end, joined.category, joined.origin))
