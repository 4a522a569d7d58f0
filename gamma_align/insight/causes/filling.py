"""The repair of what an annotator leaves out or alone marks: add a unit as the others have it, or drop the unit."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.insight.causes.repair import Repair
from gamma_align.insight.causes.view import Events, View


def fill(view: View, events: Events) -> Repair:
    """Add a unit for each annotator in each unitary alignment of events, a copy of the unit of most others."""
    return Repair(np.empty(0, dtype=np.int64), view.templates(events.alignment, events.annotator))


def drop(view: View, events: Events) -> Repair:
    """Drop the unit of the annotator in each unitary alignment of events."""
    return Repair(np.sort(units_of(view, events)), view.units.take(slice(0, 0)))


def units_of(view: View, events: Events) -> IntArray:
    """Return the unit of the annotator in the unitary alignment of each event."""
    rows, width = view.rows, view.n_annotators
    row = np.searchsorted(rows.alignment * width + rows.annotator, events.alignment * width + events.annotator)
    unit: IntArray = rows.unit[row]
    return unit
