"""The kinds of errors of the corpus shuffling tool, applied to the units of all copies at once.

At magnitude m (Mathet 2017, §5):

* *shift* moves each bound uniformly within ± m · 2 · (mean unit length);
* *false negatives* drop each unit with probability m, but never all units of a copy;
* *false positives* add ⌊m · (units of the reference)⌋ units;
* *categories* follow the transition matrix (1 - m²)·I + m²·P, or (1 - m)·I + (m - m³)·O + m³·P with an overlap
  matrix O;
* *splits* cut a randomly drawn unit, ⌊m · 2.5 · (units of the reference)⌋ times. No piece is shorter than 1/100 of the
  mean unit length (1 if bounds are integers).

All units stay within the document: a bound is drawn from the part of its range that lies inside the extent.

References
----------
Mathet et al. 2012. Mathet, Widlöcher & Métivier 2015, §6.3. Mathet 2017, §5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.options import check_fields
from gamma_align.simulation.keywords import ShufflingOptions
from gamma_align.simulation.reference import CopiedUnits, CopyPlan, Reference, concatenate
from gamma_align.simulation.simulation_options import (
    CONFUSION,
    ERROR_OPTIONS,
    KINDS,
    OVERLAPS,
    SHIFT_FACTOR,
    SPLIT_FACTOR,
    OverlapMatrix,
)

MIN_PIECE_LENGTH = 0.01  # relative to the mean unit length of the reference; splits leave no shorter piece

_KINDS_THAT_OVERLAP = ("shift", "false-positive")  # the other kinds leave disjoint units disjoint
_MAX_LENGTH_DRAWS = 200  # then use the mean length: in a short document hardly any draw may fit
_FLOOR_TOLERANCE = 1e-9  # 0.29 · 100 is 28.999…96
_MAX_CELLS = 4_000_000  # of an array of pieces, 32 MB: more copies are cut in chunks


@dataclass(frozen=True, slots=True)
class Shuffling:
    """Kinds of errors and their parameters.

    Attributes
    ----------
    kinds : tuple of str
        Names from `KINDS`. Errors are always applied in the order of `KINDS`.
    confusion : {"prevalence", "uniform"}
        The distribution P of wrong categories: the frequencies in the reference, or uniform.
    overlap_matrix : tuple of tuple of float, optional
        The similarity O of categories: a row for each category of the reference, in their order; each row sums to 1.
    subset : tuple of str, optional
        Confuse only these categories, with each other.
    shift_factor : float
        Bounds move by at most m · shift_factor · (mean unit length).
    split_factor : float
        Units are cut m · split_factor · (number of units) times, as long as a unit is long enough to be cut.
    overlaps : {"allow", "cut"}
        Whether shifted and added units of an annotator may overlap. With "cut", the earlier unit ends where the later
        one begins, as uα and coefficients on atoms require; the units of the reference must not overlap either.
    integer : bool, optional
        Whether bounds are integers. By default they are integers if all bounds of the document are.
    """

    kinds: tuple[str, ...] = ("shift",)
    confusion: str = CONFUSION.default
    overlap_matrix: tuple[tuple[float, ...], ...] | None = None
    subset: tuple[str, ...] | None = None
    shift_factor: float = SHIFT_FACTOR.default
    split_factor: float = SPLIT_FACTOR.default
    overlaps: str = OVERLAPS.default
    integer: bool | None = None

    def __post_init__(self) -> None:
        if not self.kinds:
            raise SettingsError(f"at least one kind of errors is needed: {', '.join(KINDS)}")
        for kind in self.kinds:
            if kind not in KINDS:
                raise SettingsError(f"no kind of errors {kind!r}; there are {', '.join(KINDS)}")
        check_fields(self, ERROR_OPTIONS.options)
        if self.subset is not None and self.overlap_matrix is not None:
            raise SettingsError(
                "a subset and an overlap matrix cannot be combined",
                "let the matrix confuse only the categories of the subset",
            )

    @classmethod
    def of(cls, categories: tuple[str, ...], kinds: Sequence[str], options: ShufflingOptions) -> Self:
        """Return the settings, checked against the categories of the reference."""
        names = [name for name in cls.__dataclass_fields__ if name != "kinds"]
        unknown = set(options) - set(names)
        if unknown:
            raise SettingsError(f"no option {min(unknown)!r}; there are {', '.join(names)}")
        if isinstance(kinds, str):
            cure = Cure("use {}", Set("kinds", [kinds]))
            raise SettingsError(f"kinds must be a list of kinds of errors, not the text {kinds!r}", cure)
        values: dict[str, Any] = dict(options)
        if values.get("overlap_matrix") is not None:
            values["overlap_matrix"] = _matrix_rows(values["overlap_matrix"], categories)
        if values.get("subset") is not None:
            values["subset"] = tuple(values["subset"])
        settings = cls(kinds=tuple(kinds), **values)
        # Both matrices raise an error if they do not fit the categories.
        settings.confusion_matrix(categories, np.ones(len(categories)))
        settings.similarity_matrix(categories)
        return settings

    @property
    def ordered(self) -> tuple[str, ...]:
        """The distinct kinds, in the order in which they are applied."""
        return tuple(kind for kind in KINDS if kind in self.kinds)

    def to_dict(self) -> dict[str, object]:
        """Return the settings, ready for JSON."""
        data: dict[str, object] = {}
        for name, values in (("kinds", self.ordered), ("subset", self.subset), ("overlap_matrix", self.overlap_matrix)):
            data[name] = None if values is None else list(values)
        for name in ("confusion", "shift_factor", "split_factor", "overlaps", "integer"):
            data[name] = getattr(self, name)
        return data

    def confusion_matrix(self, categories: tuple[str, ...], frequencies: FloatArray) -> FloatArray:
        """Return P: the probabilities of the category that replaces each category, shape (n, n)."""
        can_change = np.ones(len(categories), dtype=np.bool_)
        if self.subset is not None:
            unknown = [name for name in self.subset if name not in categories]
            if unknown:
                names = ", ".join(map(repr, categories[:10])) or "none"
                raise SettingsError(f"no category {unknown[0]!r} to confuse; the reference has {names}")
            can_change = np.isin(np.array(categories), np.array(self.subset))
        weights = frequencies if self.confusion == "prevalence" else np.ones(len(categories))
        row = np.where(can_change, weights, 0.0)
        total = row.sum()
        if not total > 0:  # the reference has no unit of the subset: nothing is confused
            return np.eye(len(categories))
        confused = np.tile(row / total, (len(categories), 1))
        return np.where(can_change[:, None], confused, np.eye(len(categories)))

    def similarity_matrix(self, categories: tuple[str, ...]) -> FloatArray | None:
        """Return the checked overlap matrix O, or None if there is none."""
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


def _matrix_rows(matrix: OverlapMatrix, categories: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
    """Return the rows of an overlap matrix in the order of the categories; a category without a row is never confused.

    The number of rows and columns is not checked here.
    """
    if not isinstance(matrix, Mapping):
        return tuple(tuple(map(float, row)) for row in matrix)
    for names in (matrix, *matrix.values()):
        unknown = [name for name in names if name not in categories]
        if unknown:
            raise SettingsError(f"the overlap matrix has {unknown[0]!r}, which is no category of the reference")
    rows = [matrix.get(name, {name: 1.0}) for name in categories]
    return tuple(tuple(float(row.get(column, 0.0)) for column in categories) for row in rows)


def check_magnitude(magnitude: float) -> float:
    """Return the magnitude, rounded to 12 decimals, if it is between 0 and 1."""
    if not 0 <= magnitude <= 1:
        raise SettingsError(f"a magnitude is from 0 (no errors) to 1 (the worst), not {magnitude}")
    return round(float(magnitude), 12)  # 0.05 · 3 = 0.15000000000000002 means 0.15


def degrade(reference: Reference, plan: CopyPlan, units: CopiedUnits, settings: Shuffling) -> CopiedUnits:
    """Return the units after all kinds of errors of the settings were applied, in their order."""
    degrader = _Degrader(reference, plan, settings, _documents_with_integers(reference, settings)[plan.document])
    cut_overlaps = settings.overlaps == "cut"
    if cut_overlaps:
        _check_disjoint(reference)
    for kind in settings.ordered:
        units = _METHODS[kind](degrader, units)
        if cut_overlaps and kind in _KINDS_THAT_OVERLAP:
            units = _cut_overlaps(units)
    return units


def _documents_with_integers(reference: Reference, settings: Shuffling) -> BoolArray:
    """Return, for each document, whether its bounds are drawn as integers."""
    if settings.integer is None:
        return reference.integral
    if settings.integer and not reference.integral.all():
        name = reference.documents[int(np.argmin(reference.integral))]
        raise SettingsError(
            f"document {name!r} has bounds that are not integers, so its errors cannot have integer bounds",
            Cure("leave out {}", Set("integer")),
        )
    return np.full(len(reference.documents), settings.integer)


@dataclass(frozen=True, slots=True, eq=False)
class _Degrader:
    """Applies the kinds of errors to all copies; `has_integers` marks copies whose bounds are drawn as integers."""

    reference: Reference
    plan: CopyPlan
    settings: Shuffling
    has_integers: BoolArray

    def shift(self, units: CopiedUnits) -> CopiedUnits:
        """Move the bounds of all units; both bounds of a unit are redrawn until its start is before its end."""
        reach = (self.settings.shift_factor * self.plan.magnitude * self.reference.mean_length)[units.copy]
        left_limit, right_limit = self.reference.extents[self.plan.document][units.copy].T
        has_integers = self.has_integers[units.copy]
        was_point = units.start == units.end
        start = units.start.copy()
        end = units.end.copy()
        bound_ranges = []
        for bound in (start, end):
            low = np.maximum(bound - reach, left_limit)
            high = np.minimum(bound + reach, right_limit)
            bound_ranges.append((bound, low, high))
        pending = np.flatnonzero(reach > 0)
        attempt = 0
        while len(pending):
            uniform = self.plan.uniform("shift", units.copy[pending], units.unit[pending], attempt)
            for column, (bound, low, high) in enumerate(bound_ranges):
                drawn = low[pending] + uniform[:, column] * (high - low)[pending]
                bound[pending] = np.where(has_integers[pending], np.rint(drawn), drawn)
            # A unit without length may stay one: between two integers there may be no other position in reach.
            is_empty = (start[pending] == end[pending]) & ~was_point[pending]
            pending = pending[(start[pending] > end[pending]) | is_empty]
            attempt += 1
        return units._replace(start=start, end=end)

    def drop(self, units: CopiedUnits) -> CopiedUnits:
        """Drop each unit with probability m. If a copy would lose all its units, its luckiest unit stays."""
        luck = self.plan.uniform("false-negative", units.copy, units.unit)[:, 0]
        stays = luck >= self.plan.magnitude[units.copy]
        order = np.lexsort((luck, units.copy))
        copy = units.copy[order]
        luckiest = order[np.flatnonzero(np.diff(copy, append=-1) != 0)]  # the last unit of each copy
        remaining = np.bincount(units.copy[stays], minlength=len(self.plan.document))
        stays[luckiest[remaining[units.copy[luckiest]] == 0]] = True
        return units.take(stays)

    def add(self, units: CopiedUnits) -> CopiedUnits:
        """Add units with the category of a random unit of the reference, a normal length and a uniform position."""
        counts = self._error_counts(1.0)
        copy = np.repeat(np.arange(len(counts)), counts)
        index = ranges(0, counts)
        if not len(copy):
            return units
        low, high = self.reference.extents[self.plan.document[copy]].T
        length = self._draw_lengths(copy, index, high - low)
        has_integers = self.has_integers[copy]
        uniform = self.plan.uniform("false-positive", copy, index)
        min_length = np.minimum(1.0, high - low)
        length = np.where(has_integers, np.clip(np.rint(length), min_length, high - low), length)
        start = low + uniform[:, 0] * (high - low - length)
        start = np.where(has_integers, np.rint(start), start)
        end = np.minimum(start + length, high)
        model = (uniform[:, 1] * len(self.reference.category)).astype(np.int64)  # the unit that lends its category
        return units.merge(CopiedUnits(copy, index, start, end, self.reference.category[model]))

    def _error_counts(self, factor: float) -> IntArray:
        """Return ⌊m · factor · (units of the reference)⌋ for each copy."""
        units = self.reference.n_units[self.plan.document]
        return np.floor(self.plan.magnitude * factor * units + _FLOOR_TOLERANCE).astype(np.int64)

    def _draw_lengths(self, copy: IntArray, index: IntArray, max_length: FloatArray) -> FloatArray:
        """Return normal lengths, each redrawn until it is positive and not longer than the document.

        If that fails, the length is the mean unit length, or `max_length` if the mean is longer.
        """
        mean = self.reference.mean_length
        deviation = self.reference.length_deviation
        length = np.minimum(mean, max_length)
        if not deviation > 0:
            return length
        # attempt 0 draws position and category
        pending = np.flatnonzero(max_length > 0)
        attempt = 1
        while len(pending) and attempt <= _MAX_LENGTH_DRAWS:
            uniform = self.plan.uniform("false-positive", copy[pending], index[pending], attempt)
            normal = np.sqrt(-2.0 * np.log1p(-uniform[:, 0])) * np.cos(2.0 * np.pi * uniform[:, 1])  # Box & Muller 1958
            length[pending] = mean + deviation * normal
            pending = pending[(length[pending] <= 0) | (length[pending] > max_length[pending])]
            attempt += 1
        length[pending] = np.minimum(mean, max_length[pending])
        return length

    def confuse(self, units: CopiedUnits) -> CopiedUnits:
        """Redraw categories from the rows of the transition matrix; a unit without a category keeps none."""
        labels = self.reference.categories
        confusion = self.settings.confusion_matrix(labels, self.reference.frequencies)
        similarity = self.settings.similarity_matrix(labels)
        labelled = np.flatnonzero(units.category >= 0)
        uniform = self.plan.uniform("category", units.copy[labelled], units.unit[labelled])
        previous = units.category[labelled]
        m = self.plan.magnitude[units.copy[labelled]]
        new = previous.copy()
        # The first number selects the matrix, the second one the category in its row.
        if similarity is None:
            _redraw(new, previous, uniform, confusion, uniform[:, 0] < m**2)
        else:
            _redraw(new, previous, uniform, confusion, uniform[:, 0] < m**3)
            is_similar = (uniform[:, 0] >= m**3) & (uniform[:, 0] < m**3 + (m - m**3))
            _redraw(new, previous, uniform, similarity, is_similar)
        category = units.category.copy()
        category[labelled] = new
        return units._replace(category=category)

    def split(self, units: CopiedUnits) -> CopiedUnits:
        """Cut random units that are at least two minimum pieces long, until a copy has no such unit."""
        counts = self._error_counts(self.settings.split_factor)
        min_length = np.where(self.has_integers, 1.0, MIN_PIECE_LENGTH * self.reference.mean_length)
        sizes = np.bincount(units.copy, minlength=len(counts))
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        chunk_size = max(1, _MAX_CELLS // int((sizes + counts).max(initial=1)))
        parts = []
        for begin in range(0, len(counts), chunk_size):
            copies = np.arange(begin, min(begin + chunk_size, len(counts)))
            chunk = units.take(slice(offsets[copies[0]], offsets[copies[-1] + 1]))
            pieces = _PieceTable(self, chunk, copies, sizes[copies], counts[copies], min_length[copies])
            parts.append(pieces.cut_all())
        return concatenate(parts) if parts else units


_METHODS: dict[str, Callable[[_Degrader, CopiedUnits], CopiedUnits]] = {
    "shift": _Degrader.shift,
    "false-negative": _Degrader.drop,
    "false-positive": _Degrader.add,
    "category": _Degrader.confuse,
    "split": _Degrader.split,
}
"""The method that applies each kind of errors."""


def _redraw(new: IntArray, previous: IntArray, uniform: FloatArray, matrix: FloatArray, is_changed: BoolArray) -> None:
    """Draw the category of each changed unit from the row of its previous category."""
    if len(matrix):
        new[is_changed] = _draw_columns(matrix, previous[is_changed], uniform[is_changed, 1])


def _draw_columns(matrix: FloatArray, rows: IntArray, uniform: FloatArray) -> IntArray:
    """Return a column for each row index, drawn with the probabilities in that row."""
    edges = np.cumsum(matrix, axis=1)
    edges /= edges[:, -1:]
    # Row i is moved to (i, i + 1], so that one sorted array serves all rows.
    flat = (edges + np.arange(len(matrix))[:, None]).ravel()
    column: IntArray = np.searchsorted(flat, uniform + rows, side="right") - rows * len(matrix)
    return np.minimum(column, len(matrix) - 1)


def _cut_overlaps(units: CopiedUnits) -> CopiedUnits:
    """Return the units of each copy sorted by start; a unit that overlaps the next one ends at its start."""
    by_start = units.take(np.lexsort((units.end, units.start, units.copy)))
    end = by_start.end.copy()
    is_same_copy = by_start.copy[1:] == by_start.copy[:-1]
    end[:-1][is_same_copy] = np.minimum(by_start.end[:-1], by_start.start[1:])[is_same_copy]
    return by_start._replace(end=end)


def _check_disjoint(reference: Reference) -> None:
    """Raise an error if units of the reference overlap."""
    document = np.repeat(np.arange(len(reference.documents)), reference.n_units)
    overlapping = np.flatnonzero((reference.start[1:] < reference.end[:-1]) & (document[1:] == document[:-1]))
    if len(overlapping):
        unit = int(overlapping[0])
        first, second = (f"{reference.start[i]:g}–{reference.end[i]:g}" for i in (unit, unit + 1))
        raise SettingsError(
            f"document {reference.documents[document[unit]]!r}: units {first} and {second} of the reference overlap",
            Cure("correct them, or leave out {}", Set("overlaps", "cut")),
        )


class _PieceTable:
    """The pieces of some copies: a row for each copy, a column for each piece.

    The pieces of a copy that can still be cut are listed in its row of `_open`, in the first `_n_open` columns.
    """

    def __init__(
        self,
        degrader: _Degrader,
        units: CopiedUnits,
        copies: IntArray,
        sizes: IntArray,
        counts: IntArray,
        min_length: FloatArray,
    ) -> None:
        self._plan = degrader.plan
        self._has_integers = degrader.has_integers[copies]
        self._copies = copies
        self._units = units
        self._sizes = sizes
        self._counts = counts
        self._min_length = min_length
        shape = (len(copies), int((sizes + counts).max(initial=0)))
        row = units.copy - copies[0]
        column = ranges(0, sizes)
        self._start = np.zeros(shape)
        self._end = np.zeros(shape)
        self._unit = np.zeros(shape, dtype=np.int64)  # the unit that each piece belongs to
        self._start[row, column] = units.start
        self._end[row, column] = units.end
        self._unit[row, column] = np.arange(len(row))
        is_open = self._can_be_cut(row, units.start, units.end)
        self._n_open = np.bincount(row[is_open], minlength=len(copies))
        self._open = np.zeros(shape, dtype=np.int64)
        self._open[row[is_open], ranges(0, self._n_open)] = column[is_open]

    def _can_be_cut(self, row: IntArray, start: FloatArray, end: FloatArray) -> BoolArray:
        """Return whether pieces are at least two minimum lengths long."""
        length = end - start
        return np.logical_and(length >= 2.0 * self._min_length[row], length > 0)

    def cut_all(self) -> CopiedUnits:
        """Cut each copy as often as requested and return its pieces."""
        for iteration in range(int(self._counts.max(initial=0))):
            rows = np.flatnonzero((self._counts > iteration) & (self._n_open > 0))
            if len(rows):
                self._cut(rows, iteration)
        row = np.repeat(np.arange(len(self._copies)), self._sizes)
        column = ranges(0, self._sizes)
        unit = self._unit[row, column]
        start = self._start[row, column]
        end = self._end[row, column]
        return CopiedUnits(self._copies[row], self._units.unit[unit], start, end, self._units.category[unit])

    def _cut(self, rows: IntArray, iteration: int) -> None:
        """Cut one random open piece in each of these rows."""
        uniform = self._plan.uniform("split", self._copies[rows], np.full(len(rows), iteration))
        slot = (uniform[:, 0] * self._n_open[rows]).astype(np.int64)
        piece = self._open[rows, slot]
        new = self._sizes[rows]
        start = self._start[rows, piece]
        end = self._end[rows, piece]
        min_length = self._min_length[rows]
        real_position = start + min_length + uniform[:, 1] * (end - start - 2.0 * min_length)
        integer_position = start + 1.0 + np.floor(uniform[:, 1] * (end - start - 1.0))
        position = np.where(self._has_integers[rows], integer_position, real_position)
        self._end[rows, piece] = position
        self._start[rows, new] = position
        self._end[rows, new] = end
        self._unit[rows, new] = self._unit[rows, piece]
        self._sizes[rows] += 1
        self._update_open(rows, slot, new)

    def _update_open(self, rows: IntArray, slot: IntArray, new: IntArray) -> None:
        """Update the lists of open pieces: the left piece keeps its slot if it can be cut, the right one is appended.

        The order decides which piece a random number selects, so it is part of the results.
        """
        piece = self._open[rows, slot]
        is_open = self._can_be_cut(rows, self._start[rows, new], self._end[rows, new])
        self._open[rows[is_open], self._n_open[rows[is_open]]] = new[is_open]
        self._n_open[rows[is_open]] += 1
        is_closed = ~self._can_be_cut(rows, self._start[rows, piece], self._end[rows, piece])
        last = self._n_open[rows[is_closed]] - 1
        self._open[rows[is_closed], slot[is_closed]] = self._open[rows[is_closed], last]  # the last one fills the gap
        self._n_open[rows[is_closed]] = last
