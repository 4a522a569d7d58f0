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

from collections.abc import Callable

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.data.batch import ranges
from gamma_align.errors import SettingsError
from gamma_align.shuffling.reference import Copies, CopyPlan, Reference, joined
from gamma_align.shuffling.settings import SHORTEST_PIECE, Shuffling, overlaps_of, targets

_MOVING = ("shift", "false-positive")
_ATTEMPTS = 200
_ROUNDING = 1e-9  # 0.29 · 100 is 28.999…96


def degraded(reference: Reference, plan: CopyPlan, units: Copies, settings: Shuffling) -> Copies:
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


def _shift(reference: Reference, plan: CopyPlan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
    reach = settings.shift_factor * plan.magnitude * reference.mean_length
    extents = reference.extents[plan.document]
    return shift(plan, units, extents, reach, whole)


def _drop(reference: Reference, plan: CopyPlan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
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


def _add(reference: Reference, plan: CopyPlan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
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


def _lengths(reference: Reference, plan: CopyPlan, copy: IntArray, place: IntArray, room: FloatArray) -> FloatArray:
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


def _confuse(reference: Reference, plan: CopyPlan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
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


def _split(reference: Reference, plan: CopyPlan, units: Copies, settings: Shuffling, whole: BoolArray) -> Copies:
    count = _times(plan.magnitude * settings.split_factor, reference.n_units[plan.document])
    return split(plan, units, count, np.where(whole, 1.0, SHORTEST_PIECE * reference.mean_length), whole)


def _times(share: FloatArray, units: IntArray) -> IntArray:
    """Return ⌊share · units⌋."""
    times: IntArray = np.floor(share * units + _ROUNDING).astype(np.int64)
    return times


_KINDS: dict[str, Callable[[Reference, CopyPlan, Copies, Shuffling, BoolArray], Copies]] = {
    "shift": _shift,
    "false-negative": _drop,
    "false-positive": _add,
    "category": _confuse,
    "split": _split,
}


def shift(plan: CopyPlan, units: Copies, extents: FloatArray, reach: FloatArray, whole: BoolArray) -> Copies:
    """Return the units with their bounds moved, both again while the start is not before the end.

    Parameters
    ----------
    extents : ndarray of float64, shape (n_copies, 2)
        [L, R].
    reach, whole : ndarray, shape (n_copies,)
        How far bounds move at most; whether they are integers.
    """
    low, high = extents[units.copy].T
    far, integer = reach[units.copy], whole[units.copy]
    start, end = units.start.copy(), units.end.copy()
    columns = [(bound, np.maximum(bound - far, low), np.minimum(bound + far, high)) for bound in (start, end)]
    point = units.start == units.end
    open_, attempt = np.flatnonzero(far > 0), 0
    while len(open_):
        words = plan.uniform("shift", units.copy[open_], units.place[open_], attempt)
        for at, (bound, least, most) in enumerate(columns):
            drawn = least[open_] + words[:, at] * (most - least)[open_]
            bound[open_] = np.where(integer[open_], np.rint(drawn), drawn)
        # a unit without length may stay one: between integers nothing else may be in reach
        again = (start[open_] > end[open_]) | ((start[open_] == end[open_]) & ~point[open_])
        open_, attempt = open_[again], attempt + 1
    return units._replace(start=start, end=end)


def cut_overlaps(units: Copies) -> Copies:
    """Return the units of each copy sorted by start, each ending where the next begins if they overlapped."""
    order = np.lexsort((units.end, units.start, units.copy))
    sorted_ = units.rows(order)
    end = sorted_.end.copy()
    same = sorted_.copy[1:] == sorted_.copy[:-1]
    end[:-1][same] = np.minimum(sorted_.end[:-1], sorted_.start[1:])[same]
    return sorted_._replace(end=end)


def check_apart(reference: Reference) -> None:
    """Refuse a reference with units that overlap."""
    document = np.repeat(np.arange(len(reference.documents)), reference.n_units)
    overlapping = np.flatnonzero((reference.start[1:] < reference.end[:-1]) & (document[1:] == document[:-1]))
    if len(overlapping):
        at = int(overlapping[0])
        one, other = (f"{reference.start[k]:g}–{reference.end[k]:g}" for k in (at, at + 1))
        raise SettingsError(
            f"document {reference.documents[document[at]]!r}: units {one} and {other} of the reference overlap; "
            "overlaps='cut' is for references without overlaps"
        )


_CELLS = 4_000_000


def split(plan: CopyPlan, units: Copies, count: IntArray, shortest: FloatArray, whole: BoolArray) -> Copies:
    """Return the units after `count` cuts of each copy, each of a unit drawn at random and at a uniform position.

    A cut leaves the shortest length at least on both of its sides, so only units twice as long are drawn. Once a copy
    has none, the rest of its cuts is left out.

    Parameters
    ----------
    count : ndarray of int64, shape (n_copies,)
        How many cuts.
    shortest : ndarray of float64, shape (n_copies,)
        Shortest length of a piece; 1 where boundaries are integers.
    whole : ndarray of bool, shape (n_copies,)
        Whether boundaries are integers.
    """
    sizes = np.bincount(units.copy, minlength=len(count))
    width = int((sizes + count).max(initial=1))
    step = max(1, _CELLS // width)
    first = np.concatenate([[0], np.cumsum(sizes)])
    parts = []
    for begin in range(0, len(count), step):
        some = np.arange(begin, min(begin + step, len(count)))
        rows = slice(first[some[0]], first[some[-1] + 1])
        parts.append(_Cutting(plan, units.rows(rows), some, sizes, count, shortest, whole).done())
    return joined(parts) if parts else units


class _Cutting:
    """Some copies as rows of rectangles: pieces, and which of them can be cut."""

    def __init__(
        self,
        plan: CopyPlan,
        units: Copies,
        some: IntArray,
        sizes: IntArray,
        count: IntArray,
        shortest: FloatArray,
        whole: BoolArray,
    ) -> None:
        self._plan, self._copies, self._units = plan, some, units
        self._sizes, self._count = sizes[some], count[some]
        self._shortest, self._whole = shortest[some], whole[some]
        shape = (len(some), int((self._sizes + self._count).max(initial=0)))
        row = units.copy - some[0]
        column = ranges(np.zeros(len(some), dtype=np.int64), self._sizes)
        self._start, self._end = np.zeros(shape), np.zeros(shape)
        self._of = np.zeros(shape, dtype=np.int64)  # the unit that a piece is of
        self._start[row, column], self._end[row, column] = units.start, units.end
        self._of[row, column] = np.arange(len(row))
        can = self._can_be_cut(row, units.start, units.end)
        self._n_open = np.bincount(row[can], minlength=len(some))
        self._open = np.zeros(shape, dtype=np.int64)
        self._open[row[can], ranges(np.zeros(len(some), dtype=np.int64), self._n_open)] = column[can]

    def _can_be_cut(self, row: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
        length = end - start
        can: BoolArray = (length >= 2.0 * self._shortest[row]) & (length > 0)
        return can

    def done(self) -> Copies:
        """Cut, and return the pieces."""
        for turn in range(int(self._count.max(initial=0))):
            rows = np.flatnonzero((self._count > turn) & (self._n_open > 0))
            if len(rows):
                self._cut(rows, turn)
        row = np.repeat(np.arange(len(self._copies)), self._sizes)
        column = ranges(np.zeros(len(self._copies), dtype=np.int64), self._sizes)
        of = self._of[row, column]
        return Copies(
            self._copies[row],
            self._units.place[of],
            self._start[row, column],
            self._end[row, column],
            self._units.category[of],
        )

    def _cut(self, rows: IntArray, turn: int) -> None:
        words = self._plan.uniform("split", self._copies[rows], np.full(len(rows), turn))
        slot = (words[:, 0] * self._n_open[rows]).astype(np.int64)
        piece, new = self._open[rows, slot], self._sizes[rows]
        start, end, shortest = self._start[rows, piece], self._end[rows, piece], self._shortest[rows]
        real = start + shortest + words[:, 1] * (end - start - 2.0 * shortest)
        whole = start + 1.0 + np.floor(words[:, 1] * (end - start - 1.0))
        at = np.where(self._whole[rows], whole, real)
        self._end[rows, piece] = at
        self._start[rows, new], self._end[rows, new], self._of[rows, new] = at, end, self._of[rows, piece]
        self._sizes[rows] += 1
        self._reopen(rows, slot, new)

    def _reopen(self, rows: IntArray, slot: IntArray, new: IntArray) -> None:
        """Keep the list of pieces that can be cut: the left part in its slot if it can, the right part at the end."""
        piece = self._open[rows, slot]
        right = self._can_be_cut(rows, self._start[rows, new], self._end[rows, new])
        self._open[rows[right], self._n_open[rows[right]]] = new[right]
        self._n_open[rows[right]] += 1
        closed = ~self._can_be_cut(rows, self._start[rows, piece], self._end[rows, piece])
        last = self._n_open[rows[closed]] - 1
        self._open[rows[closed], slot[closed]] = self._open[rows[closed], last]
        self._n_open[rows[closed]] = last
