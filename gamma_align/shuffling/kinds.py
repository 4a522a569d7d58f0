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

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.errors import SettingsError
from gamma_align.shuffling.reference import KINDS, Copies, CopyPlan, Reference, joined

SHORTEST_PIECE = 0.01  # of the reference's mean length: splits leave no shorter piece

CONFUSIONS = ("prevalence", "uniform")
OVERLAPS = ("allow", "cut")
_MOVING = ("shift", "false-positive")
_ATTEMPTS = 200
_ROUNDING = 1e-9  # 0.29 · 100 is 28.999…96
_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Shuffling:
    """Kinds of errors and their parameters.

    Attributes
    ----------
    kinds : tuple of str
        Of `KINDS`, in any order: they always apply in theirs.
    confusion : {"prevalence", "uniform"}
        P, where wrong categories come from: the reference's frequencies, or all the same.
    overlap_matrix : tuple of tuple of float, optional
        O, how categories resemble each other: a row for each of the reference's categories, in their order, which sums
        to 1.
    subset : tuple of str, optional
        Only these categories are confused, with each other.
    shift_factor : float
        Bounds move by at most m · this · the mean length.
    split_factor : float
        m · this · the number of units is how often a unit is cut in two, while there are units long enough.
    overlaps : {"allow", "cut"}
        Whether units of an annotator that are shifted or added may overlap; if not, the earlier unit ends where the
        later one begins, as uα and coefficients on atoms need it. The reference's units must not overlap either.
    integer : bool, optional
        Whether bounds are integers; without it, where all of the document's are.
    """

    kinds: tuple[str, ...] = ("shift",)
    confusion: str = "prevalence"
    overlap_matrix: tuple[tuple[float, ...], ...] | None = None
    subset: tuple[str, ...] | None = None
    shift_factor: float = 2.0
    split_factor: float = 2.5
    overlaps: str = "allow"
    integer: bool | None = None

    def __post_init__(self) -> None:
        if not self.kinds:
            raise SettingsError(f"at least one kind of errors is needed, of {', '.join(KINDS)}")
        for kind in self.kinds:
            if kind not in KINDS:
                raise SettingsError(f"no kind of errors {kind!r}; there are {', '.join(KINDS)}")
        for name, known in (("confusion", CONFUSIONS), ("overlaps", OVERLAPS)):
            if getattr(self, name) not in known:
                raise SettingsError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        for name in ("shift_factor", "split_factor"):
            if not 0 <= getattr(self, name) < math.inf:
                raise SettingsError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if self.subset is not None and self.overlap_matrix is not None:
            raise SettingsError("a subset and an overlap matrix do not go together: let the matrix confuse the subset")

    @classmethod
    def of(cls, categories: tuple[str, ...], kinds: Sequence[str], options: Mapping[str, Any]) -> Self:
        """Return the settings, checked against the categories of the reference."""
        known = [name for name in cls.__dataclass_fields__ if name != "kinds"]
        unknown = set(options) - set(known)
        if unknown:
            raise SettingsError(f"no option {min(unknown)!r}; there are {', '.join(known)}")
        if isinstance(kinds, str):
            raise SettingsError(f"kinds is a list of kinds of errors, not the text {kinds!r}: [{kinds!r}]")
        chosen = dict(options)
        if chosen.get("overlap_matrix") is not None:
            chosen["overlap_matrix"] = _rows(chosen["overlap_matrix"], categories)
        if chosen.get("subset") is not None:
            chosen["subset"] = tuple(chosen["subset"])
        settings = cls(kinds=tuple(kinds), **chosen)
        settings.confused(categories, np.ones(len(categories)))
        settings.similar(categories)
        return settings

    @property
    def ordered(self) -> tuple[str, ...]:
        """The kinds, each once, in the order in which they apply."""
        return tuple(kind for kind in KINDS if kind in self.kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, ready for JSON."""
        names = ("confusion", "shift_factor", "split_factor", "overlaps", "integer")
        lists = {"kinds": self.ordered, "subset": self.subset, "overlap_matrix": self.overlap_matrix}
        data: dict[str, Any] = {name: value if value is None else list(value) for name, value in lists.items()}
        return data | {name: getattr(self, name) for name in names}

    def confused(self, categories: tuple[str, ...], frequencies: FloatArray) -> FloatArray:
        """Return P: for each category, the probabilities of the one it is confused with, shape (n, n)."""
        within = np.ones(len(categories), dtype=np.bool_)
        if self.subset is not None:
            unknown = [name for name in self.subset if name not in categories]
            if unknown:
                names = ", ".join(map(repr, categories[:10])) or "none"
                raise SettingsError(f"no category {unknown[0]!r} to confuse; the reference has {names}")
            within = np.isin(np.array(categories), np.array(self.subset))
        row = np.where(within, frequencies if self.confusion == "prevalence" else 1.0, 0.0)
        total = row.sum()
        confused = np.tile(row / total if total > 0 else row, (len(categories), 1))
        return np.where((within & (total > 0))[:, None], confused, np.eye(len(categories)))

    def similar(self, categories: tuple[str, ...]) -> FloatArray | None:
        """Return O, checked, or None."""
        if self.overlap_matrix is None:
            return None
        size = len(categories)
        if [len(row) for row in self.overlap_matrix] != [size] * size:
            raise SettingsError(
                f"the overlap matrix needs a row and a column for each of the {size} categories of the reference, in "
                f"this order: {', '.join(categories)}"
            )
        matrix = np.array(self.overlap_matrix, dtype=np.float64).reshape(size, size)
        if not (matrix >= 0).all() or not np.allclose(matrix.sum(axis=1), 1.0, rtol=0, atol=1e-9):
            raise SettingsError("the rows of the overlap matrix are probabilities: 0 or more, with the sum 1")
        return matrix


def _rows(matrix: Any, categories: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:  # noqa: ANN401
    if not hasattr(matrix, "keys"):
        return tuple(tuple(map(float, row)) for row in matrix)
    unknown = [name for row in (matrix, *matrix.values()) for name in row if name not in categories]
    if unknown:
        raise SettingsError(f"the overlap matrix has {unknown[0]!r}, which is no category of the reference")
    rows = {name: matrix.get(name, {name: 1.0}) for name in categories}
    return tuple(tuple(float(row.get(column, 0.0)) for column in categories) for row in rows.values())


def check_magnitude(magnitude: float) -> float:
    """Return the magnitude if it is one."""
    if not 0 <= magnitude <= 1:
        raise SettingsError(f"a magnitude is from 0 (no errors) to 1 (the worst), not {magnitude}")
    return round(float(magnitude), 12)  # 0.15000000000000002 is nobody's magnitude


def degraded(reference: Reference, plan: CopyPlan, units: Copies, settings: Shuffling) -> Copies:
    """Apply the kinds of errors of the settings, in their order."""
    degrader = _Degrader(reference, plan, settings, _whole(reference, settings)[plan.document])
    cut = settings.overlaps == "cut"
    if cut:
        _check_apart(reference)
    for kind in settings.ordered:
        units = _APPLY[kind](degrader, units)
        if cut and kind in _MOVING:
            units = _cut_overlaps(units)
    return units


def _whole(reference: Reference, settings: Shuffling) -> BoolArray:
    """Return, for each document, whether its bounds are drawn as integers."""
    if settings.integer is None:
        return reference.integral
    if settings.integer and not reference.integral.all():
        name = reference.documents[int(np.argmin(reference.integral))]
        raise SettingsError(f"document {name!r} has bounds that are no integers; integer=True is for those that are")
    return np.full(len(reference.documents), settings.integer)


@dataclass(frozen=True, slots=True)
class _Degrader:
    """The kinds of errors on all copies; `whole` says of each copy whether its boundaries are drawn as integers."""

    reference: Reference
    plan: CopyPlan
    settings: Shuffling
    whole: BoolArray

    def shift(self, units: Copies) -> Copies:
        """Move the boundaries of units, both again while the start is not before the end."""
        reach = (self.settings.shift_factor * self.plan.magnitude * self.reference.mean_length)[units.copy]
        low, high = self.reference.extents[self.plan.document][units.copy].T
        integer = self.whole[units.copy]
        start, end = units.start.copy(), units.end.copy()
        columns = [
            (boundary, np.maximum(boundary - reach, low), np.minimum(boundary + reach, high))
            for boundary in (start, end)
        ]
        point = units.start == units.end
        open_, attempt = np.flatnonzero(reach > 0), 0
        while len(open_):
            words = self.plan.uniform("shift", units.copy[open_], units.number[open_], attempt)
            for column, (boundary, least, most) in enumerate(columns):
                drawn = least[open_] + words[:, column] * (most - least)[open_]
                boundary[open_] = np.where(integer[open_], np.rint(drawn), drawn)
            # a unit without length may stay one: between integers nothing else may be in reach
            again = (start[open_] > end[open_]) | ((start[open_] == end[open_]) & ~point[open_])
            open_, attempt = open_[again], attempt + 1
        return units._replace(start=start, end=end)

    def drop(self, units: Copies) -> Copies:
        """Drop each unit with probability m; where all of a copy would go, the one with the best luck stays."""
        luck = self.plan.uniform("false-negative", units.copy, units.number)[:, 0]
        stays = luck >= self.plan.magnitude[units.copy]
        order = np.lexsort((luck, units.copy))
        copy = units.copy[order]
        best = order[np.flatnonzero(np.diff(copy, append=-1) != 0)]
        left = np.bincount(units.copy[stays], minlength=len(self.plan.document))
        stays[best[left[units.copy[best]] == 0]] = True
        return units.rows(stays)

    def add(self, units: Copies) -> Copies:
        """Add units: the category of a random unit of the reference, a normal length, a position where it fits."""
        count = self._times(1.0)
        copy = np.repeat(np.arange(len(count)), count)
        number = ranges(0, count)
        if not len(copy):
            return units
        low, high = self.reference.extents[self.plan.document[copy]].T
        length, whole = self._lengths(copy, number, high - low), self.whole[copy]
        words = self.plan.uniform("false-positive", copy, number)
        length = np.where(whole, np.clip(np.rint(length), np.minimum(1.0, high - low), high - low), length)
        start = low + words[:, 0] * (high - low - length)
        start = np.where(whole, np.rint(start), start)
        drawn = (words[:, 1] * len(self.reference.category)).astype(np.int64)
        end = np.minimum(start + length, high)
        return units.with_more(Copies(copy, number, start, end, self.reference.category[drawn]))

    def _times(self, factor: float) -> IntArray:
        """Return ⌊m · factor · (units of the reference)⌋ for each copy."""
        units = self.reference.n_units[self.plan.document]
        return np.floor(self.plan.magnitude * factor * units + _ROUNDING).astype(np.int64)

    def _lengths(self, copy: IntArray, number: IntArray, room: FloatArray) -> FloatArray:
        """Return normal lengths, each drawn again while it is not positive or exceeds the document.

        In a document too short for that, the length is the mean, or the whole document where the mean exceeds it.
        """
        mean, deviation = self.reference.mean_length, self.reference.length_deviation
        length = np.minimum(mean, room)
        open_, attempt = np.arange(len(copy)) if deviation > 0 else np.empty(0, dtype=np.int64), 1
        open_ = open_[room[open_] > 0]
        while len(open_) and attempt <= _ATTEMPTS:
            words = self.plan.uniform("false-positive", copy[open_], number[open_], attempt)
            normal = np.sqrt(-2.0 * np.log1p(-words[:, 0])) * np.cos(2.0 * np.pi * words[:, 1])  # Box & Muller 1958
            length[open_] = mean + deviation * normal
            again = (length[open_] <= 0) | (length[open_] > room[open_])
            open_, attempt = open_[again], attempt + 1
        length[open_] = np.minimum(mean, room[open_])
        return length

    def confuse(self, units: Copies) -> Copies:
        """Draw each unit's category from its row of the transition matrix; a unit without category keeps none."""
        labels = self.reference.categories
        confused, similar = self.settings.confused(labels, self.reference.frequencies), self.settings.similar(labels)
        labelled = np.flatnonzero(units.category >= 0)
        words = self.plan.uniform("category", units.copy[labelled], units.number[labelled])
        before, m = units.category[labelled], self.plan.magnitude[units.copy[labelled]]
        to_p = m**2 if similar is None else m**3
        to_o = np.zeros(len(m)) if similar is None else m - m**3
        after = before.copy()
        for rows, chosen in (
            (confused, words[:, 0] < to_p),
            (similar, (words[:, 0] >= to_p) & (words[:, 0] < to_p + to_o)),
        ):
            if rows is not None and len(labels):
                after[chosen] = _drawn(rows, before[chosen], words[chosen, 1])
        category = units.category.copy()
        category[labelled] = after
        return units._replace(category=category)

    def split(self, units: Copies) -> Copies:
        """Cut units drawn at random of those twice as long as the shortest piece; once a copy has none, cut no more."""
        count = self._times(self.settings.split_factor)
        shortest = np.where(self.whole, 1.0, SHORTEST_PIECE * self.reference.mean_length)
        sizes = np.bincount(units.copy, minlength=len(count))
        step = max(1, _CELLS // int((sizes + count).max(initial=1)))
        first = np.concatenate([[0], np.cumsum(sizes)])
        parts = []
        for begin in range(0, len(count), step):
            copies = np.arange(begin, min(begin + step, len(count)))
            rows = units.rows(slice(first[copies[0]], first[copies[-1] + 1]))
            parts.append(_Cutting(self, rows, copies, sizes[copies], count[copies], shortest[copies]).pieces())
        return joined(parts) if parts else units


_APPLY: dict[str, Callable[[_Degrader, Copies], Copies]] = {
    "shift": _Degrader.shift,
    "false-negative": _Degrader.drop,
    "false-positive": _Degrader.add,
    "category": _Degrader.confuse,
    "split": _Degrader.split,
}


def _drawn(rows: FloatArray, row: IntArray, words: FloatArray) -> IntArray:
    """Return a column for each row number, with the probabilities in that row."""
    edges = np.cumsum(rows, axis=1)
    edges /= edges[:, -1:]
    flat = (edges + np.arange(len(rows))[:, None]).ravel()
    column: IntArray = np.searchsorted(flat, words + row, side="right") - row * len(rows)
    return np.minimum(column, len(rows) - 1)


def _cut_overlaps(units: Copies) -> Copies:
    """Return the units of each copy sorted by start, each ending where the next begins if they overlapped."""
    order = np.lexsort((units.end, units.start, units.copy))
    sorted_ = units.rows(order)
    end = sorted_.end.copy()
    same = sorted_.copy[1:] == sorted_.copy[:-1]
    end[:-1][same] = np.minimum(sorted_.end[:-1], sorted_.start[1:])[same]
    return sorted_._replace(end=end)


def _check_apart(reference: Reference) -> None:
    """Refuse a reference with units that overlap."""
    document = np.repeat(np.arange(len(reference.documents)), reference.n_units)
    overlapping = np.flatnonzero((reference.start[1:] < reference.end[:-1]) & (document[1:] == document[:-1]))
    if len(overlapping):
        unit = int(overlapping[0])
        first, second = (f"{reference.start[i]:g}–{reference.end[i]:g}" for i in (unit, unit + 1))
        raise SettingsError(
            f"document {reference.documents[document[unit]]!r}: units {first} and {second} of the reference overlap; "
            "overlaps='cut' is for references without overlaps"
        )


class _Cutting:
    """Some copies as rows of rectangles: pieces, and which of them can be cut."""

    def __init__(
        self, of: _Degrader, units: Copies, copies: IntArray, sizes: IntArray, count: IntArray, shortest: FloatArray
    ) -> None:
        self._plan, self._whole, self._copies, self._units = of.plan, of.whole[copies], copies, units
        self._sizes, self._count, self._shortest = sizes, count, shortest
        shape = (len(copies), int((sizes + count).max(initial=0)))
        row = units.copy - copies[0]
        column = ranges(0, sizes)
        self._start, self._end = np.zeros(shape), np.zeros(shape)
        self._unit = np.zeros(shape, dtype=np.int64)  # the unit that a piece is of
        self._start[row, column], self._end[row, column] = units.start, units.end
        self._unit[row, column] = np.arange(len(row))
        can = self._can_be_cut(row, units.start, units.end)
        self._n_open = np.bincount(row[can], minlength=len(copies))
        self._open = np.zeros(shape, dtype=np.int64)
        self._open[row[can], ranges(0, self._n_open)] = column[can]

    def _can_be_cut(self, row: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
        length = end - start
        return np.logical_and(length >= 2.0 * self._shortest[row], length > 0)

    def pieces(self) -> Copies:
        """Cut, and return the pieces."""
        for turn in range(int(self._count.max(initial=0))):
            rows = np.flatnonzero((self._count > turn) & (self._n_open > 0))
            if len(rows):
                self._cut(rows, turn)
        row = np.repeat(np.arange(len(self._copies)), self._sizes)
        column = ranges(0, self._sizes)
        unit, start, end = self._unit[row, column], self._start[row, column], self._end[row, column]
        return Copies(self._copies[row], self._units.number[unit], start, end, self._units.category[unit])

    def _cut(self, rows: IntArray, turn: int) -> None:
        words = self._plan.uniform("split", self._copies[rows], np.full(len(rows), turn))
        slot = (words[:, 0] * self._n_open[rows]).astype(np.int64)
        piece, new = self._open[rows, slot], self._sizes[rows]
        start, end, shortest = self._start[rows, piece], self._end[rows, piece], self._shortest[rows]
        real = start + shortest + words[:, 1] * (end - start - 2.0 * shortest)
        whole = start + 1.0 + np.floor(words[:, 1] * (end - start - 1.0))
        cut = np.where(self._whole[rows], whole, real)
        self._end[rows, piece] = cut
        self._start[rows, new], self._end[rows, new], self._unit[rows, new] = cut, end, self._unit[rows, piece]
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
