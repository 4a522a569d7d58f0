"""The kinds of errors of the corpus shuffling tool, on all units of all copies at once.

At magnitude m: *shift* moves each bound uniformly within ± m · 2 · (mean unit length); *false negatives* drop each unit
with probability m, never all; *false positives* add ⌊m · (units of the reference)⌋ units; *categories* follow the
transition matrix (1 - m²)·I + m²·P, or (1 - m)·I + (m - m³)·O + m³·P with an overlap matrix O; *splits* cut
⌊m · 2.5 · (units of the reference)⌋ times a unit drawn at random, and leave no piece shorter than 1/100 of the mean
length of units (1 where bounds are integers).

Nothing leaves the document: a bound is drawn in the part of its range that the extent holds.

References
----------
Mathet et al. 2012. Mathet, Widlöcher & Métivier 2015, §6.3. Mathet 2017, §5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.data.batch import ranges
from gamma_align.errors import SettingsError
from gamma_align.shuffling.copies import Copies
from gamma_align.shuffling.settings import SHORTEST_PIECE, overlaps_of, targets
from gamma_align.shuffling.shift import check_apart, cut_overlaps, shift
from gamma_align.shuffling.split import split

if TYPE_CHECKING:
    from collections.abc import Callable

    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.shuffling.copies import Plan
    from gamma_align.shuffling.reference import Reference
    from gamma_align.shuffling.settings import Shuffling

_MOVING = ("shift", "false-positive")
_ATTEMPTS = 200
_ROUNDING = 1e-9  # 0.29 · 100 is 28.999…96


def degraded(reference: Reference, plan: Plan, units: Copies, settings: Shuffling) -> Copies:
    """Apply the kinds of errors of the settings, in their order."""
    whole = _whole(reference, settings)[plan.document]
    if settings.overlaps == "cut":
        check_apart(reference)
    for kind, apply in _KINDS.items():
        if kind in settings.kinds:
            units = apply(reference, plan, units, settings, whole)
            if kind in _MOVING and settings.overlaps == "cut":
                units = cut_overlaps(units)
    return units


def _whole(reference: Reference, settings: Shuffling) -> BoolArray:
    """Return, for each document, whether its bounds are drawn as integers."""
    if settings.integer is None:
        return reference.integral
    if settings.integer and not reference.integral.all():
        name = reference.documents[int(np.argmin(reference.integral))]
        raise SettingsError(f"document {name!r} has bounds that are no integers; integer=True is for those that are")
    return np.full(len(reference.documents), settings.integer)


def _shift(reference: Reference, plan: Plan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
    reach = settings.shift_factor * plan.magnitude * reference.mean_length
    extents = reference.extents[plan.document]
    return shift(plan, units, extents, reach, whole)


def _drop(reference: Reference, plan: Plan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
    """Drop each unit with probability m; where all of a copy would go, the one with the best luck stays."""
    del reference, settings, whole
    luck = plan.uniform("false-negative", units.copy, units.place)[:, 0]
    stays = luck >= plan.magnitude[units.copy]
    order = np.lexsort((luck, units.copy))
    copy = units.copy[order]
    best = order[np.flatnonzero(np.diff(copy, append=-1) != 0)]
    left = np.bincount(units.copy[stays], minlength=len(plan.document))
    stays[best[left[units.copy[best]] == 0]] = True
    return units.rows(stays)


def _add(reference: Reference, plan: Plan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
    """Add units: the category of a random unit of the reference, a normal length, a place where it fits."""
    del settings
    count = _times(plan.magnitude, reference.n_units[plan.document])
    copy = np.repeat(np.arange(len(count)), count)
    place = ranges(np.zeros(len(count), dtype=np.int64), count)
    if not len(copy):
        return units
    low, high = reference.extents[plan.document[copy]].T
    length = _lengths(reference, plan, copy, place, high - low)
    words = plan.uniform("false-positive", copy, place)
    length = np.where(whole[copy], np.clip(np.rint(length), np.minimum(1.0, high - low), high - low), length)
    start = low + words[:, 0] * (high - low - length)
    start = np.where(whole[copy], np.rint(start), start)
    drawn = (words[:, 1] * len(reference.category)).astype(np.int64)
    end = np.minimum(start + length, high)
    return units.with_more(Copies(copy, place, start, end, reference.category[drawn]))


def _lengths(reference: Reference, plan: Plan, copy: IntArray, place: IntArray, room: FloatArray) -> FloatArray:
    """Return normal lengths, each drawn again while it is not positive or exceeds the document.

    In a document too short for that, the length is the mean, or the whole document where the mean exceeds it.
    """
    mean, deviation = reference.mean_length, reference.length_deviation
    length = np.minimum(mean, room)
    open_, attempt = np.arange(len(copy)) if deviation > 0 else np.empty(0, dtype=np.int64), 1
    open_ = open_[room[open_] > 0]
    while len(open_) and attempt <= _ATTEMPTS:
        words = plan.uniform("false-positive", copy[open_], place[open_], attempt)
        normal = np.sqrt(-2.0 * np.log1p(-words[:, 0])) * np.cos(2.0 * np.pi * words[:, 1])  # Box & Muller 1958
        length[open_] = mean + deviation * normal
        again = (length[open_] <= 0) | (length[open_] > room[open_])
        open_, attempt = open_[again], attempt + 1
    length[open_] = np.minimum(mean, room[open_])
    return length


def _confuse(reference: Reference, plan: Plan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
    """Draw each unit's category from its row of the transition matrix; a unit without category keeps none."""
    del whole
    size = len(reference.categories)
    confused = targets(settings, reference.categories, reference.frequencies)
    similar = overlaps_of(settings, reference.categories)
    which = np.flatnonzero(units.category >= 0)
    words = plan.uniform("category", units.copy[which], units.place[which])
    was, m = units.category[which], plan.magnitude[units.copy[which]]
    to_p = m**2 if similar is None else m**3
    to_o = np.zeros(len(m)) if similar is None else m - m**3
    now = was.copy()
    for rows, chosen in (
        (confused, words[:, 0] < to_p),
        (similar, (words[:, 0] >= to_p) & (words[:, 0] < to_p + to_o)),
    ):
        if rows is not None and size:
            now[chosen] = _drawn(rows, was[chosen], words[chosen, 1])
    category = units.category.copy()
    category[which] = now
    return units._replace(category=category)


def _drawn(rows: FloatArray, row: IntArray, words: FloatArray) -> IntArray:
    """Return a column for each row number, with the probabilities in that row."""
    edges = np.cumsum(rows, axis=1)
    edges /= edges[:, -1:]
    flat = (edges + np.arange(len(rows))[:, None]).ravel()
    column: IntArray = np.searchsorted(flat, words + row, side="right") - row * len(rows)
    return np.minimum(column, len(rows) - 1)


def _split(reference: Reference, plan: Plan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
    count = _times(plan.magnitude * settings.split_factor, reference.n_units[plan.document])
    return split(plan, units, count, np.where(whole, 1.0, SHORTEST_PIECE * reference.mean_length), whole)


def _times(share: FloatArray, units: IntArray) -> IntArray:
    """Return ⌊share · units⌋."""
    times: IntArray = np.floor(share * units + _ROUNDING).astype(np.int64)
    return times


_KINDS: dict[str, Callable[[Reference, Plan, Copies, Shuffling, BoolArray], Copies]] = {
    "shift": _shift,
    "false-negative": _drop,
    "false-positive": _add,
    "category": _confuse,
    "split": _split,
}
