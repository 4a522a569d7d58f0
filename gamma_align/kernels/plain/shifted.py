"""Plain ``align_shifted``: shift samples and documents, aligned and summed one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, WordArray
from gamma_align.kernels.plain.random import philox
from gamma_align.kernels.plain.seams import ComponentChoice, bits, splitmix
from gamma_align.kernels.plain.turns import FREE, MIN_CONFIDENCE

DOCUMENT = -1  # number of the document itself, which is not moved
MAX_ENUMERATED = 7  # units of a component whose alignments are all listed
SAME_COST = 1e-12  # in units of Δ; costs of equal alignments differ by rounding
UNCLEAR_COST = 1e-8  # costs that differ by less, but more than rounding, are left to the caller
_SWEEP_SLACK = 1e-9  # relative (alignment/candidates.py)
_WORD = (1 << 64) - 1
_MIN_ROWS = 2  # with units, in which units can be aligned


def align_shifted(
    document: IntArray,
    number: IntArray,
    count_overlaps: IntArray,
    keys: WordArray,
    law: FloatArray,
    kind: IntArray,
    choices: IntArray,
    slot_offsets: IntArray,
    start: FloatArray,
    end: FloatArray,
    label: IntArray,
    categorial: FloatArray,
    alpha: float,
    beta: float,
    delta: float,
    factor: float,
) -> tuple[IntArray, FloatArray, IntArray, IntArray, IntArray, FloatArray]:
    """Draw shift samples and align them, if their best alignments are clear; return their sums.

    A sample of number -1 is the document itself: each of its slots is a row, and no unit is moved.

    The alignment is the one of `gamma_align.alignment`: in a component of up to seven units all alignments are listed;
    a larger one of units of two rows is a matching. An alignment is not clear if another one costs less than 1e-8 more,
    but not the same, or if a larger component has units of more rows. All sums have the bits of the samples that
    `ShiftSampler` draws, `solve` aligns, and `statistics` and `overlap_sums` add up.

    Parameters
    ----------
    document, number, count_overlaps : ndarray of int64, shape (n_samples,)
        Document and number of each sample; 1 if its overlapping pairs are counted.
    keys : ndarray of uint64, shape (n_documents, 2)
        Key of each document's stream of random numbers.
    law : ndarray of float64, shape (n_documents * 3,)
        Begin of the extent, its length, and the minimum distance of offsets.
    kind : ndarray of int64, shape (n_documents * 7,)
        For each document: number of rows; 1 if offsets are integers; the first of its slots in `choices`, and their
        number; the number of its labels; the begin of their table in `categorial`; 1 if label 0 means no label.
    choices : ndarray of int64
        Slots that rows are drawn from. The units of slot s are those from slot_offsets[s] to slot_offsets[s + 1].
    start, end, label : ndarray, shape (n_units,)
        Units of the slots.
    categorial : ndarray of float64
        Tables of d_cat / Δ between the labels of a document, row by row.
    alpha, beta, delta : float
        α, β and Δ.
    factor : float
        f of the pairing confidence 1 - f · d_pos / Δ.

    Returns
    -------
    is_clear : ndarray of int64, shape (n_samples,)
        1 if the alignment is clear. The sums of other samples are not defined.
    sums : ndarray of float64, shape (n_samples, 5)
        Disorder; Σ weight and Σ weight · d_cat / Δ over aligned pairs that have a weight; number of overlapping pairs
        of units of different rows, and Σ d_cat / Δ over them.
    counts : ndarray of int64, shape (n_samples, 3)
        Numbers of unitary alignments, of aligned pairs of units, and of aligned pairs with a weight.
    counts_k : ndarray of int64, shape (n_samples,)
        Number of labels of such pairs; 0 if the alignment is not clear.
    label_k : ndarray of int64, shape (n_entries,)
        These labels, ascending for each sample.
    sums_k : ndarray of float64, shape (n_entries, 5)
        Weight, weight · d_cat / Δ and number of the aligned pairs that have a weight, number of overlaps and their
        Σ d_cat / Δ, over the pairs with a unit of the label.
    """
    n = len(document)
    is_clear, sums, counts_k = np.zeros(n, dtype=np.int64), np.zeros((n, 5)), np.zeros(n, dtype=np.int64)
    counts = np.zeros((n, 3), dtype=np.int64)
    labels: list[int] = []
    rows: list[list[float]] = []
    distances = _Distances(categorial.tolist(), alpha, beta, delta, factor)
    for at, (d, sample_number) in enumerate(zip(document.tolist(), number.tolist(), strict=True)):
        sample_law = _Law(*law[3 * d : 3 * d + 3].tolist(), *kind[7 * d : 7 * d + 7].tolist())
        if sample_number == DOCUMENT:
            first = sample_law.first_choice
            slots = choices[first : first + sample_law.n_rows].tolist()
            units = _units(slots, slot_offsets, start, end, label)
        else:
            slots, offsets = _draw(sample_law, keys[d], sample_number, choices, slot_offsets)
            units = _moved(sample_law, offsets, _units(slots, slot_offsets, start, end, label))
        sample = _Sample(sample_law, units, distances)
        if sample.align():
            is_clear[at] = 1
            sums[at], counts[at], by_label = sample.sums(count_overlaps=bool(count_overlaps[at]))
            counts_k[at] = len(by_label)
            for index, row in sorted(by_label.items()):
                labels.append(index)
                rows.append(row)
    sums_k = np.array(rows, dtype=np.float64).reshape(-1, 5)
    return is_clear, sums, counts, counts_k, np.array(labels, dtype=np.int64), sums_k


class _Law(NamedTuple):
    low: float
    span: float
    distance: float
    n_rows: int
    integer: int
    first_choice: int
    n_choices: int
    n_labels: int
    table: int
    has_unlabelled: int


class _Unit(NamedTuple):
    """A unit, in canonical order."""

    start: float
    end: float
    row: int
    label: int


def _draw(
    law: _Law, key: WordArray, number: int, choices: IntArray, slot_offsets: IntArray
) -> tuple[list[int], list[float]]:
    """Return a slot and an offset for each row; a sample without any unit is drawn again."""
    attempt = 0
    while True:
        numbers = _random_numbers(law, key, number, attempt)
        slots = choices[[law.first_choice + int(row[0] * law.n_choices) for row in numbers]].tolist()
        if any(slot_offsets[slot] < slot_offsets[slot + 1] for slot in slots):
            return slots, _offsets(law, numbers[0][2], [row[1] for row in numbers[1:]])
        attempt += 1


def _random_numbers(law: _Law, key: WordArray, number: int, attempt: int) -> list[list[float]]:
    """Return four random numbers for each row of a sample."""
    counter = np.array([[row, number, attempt, 0] for row in range(law.n_rows)], dtype=np.uint64)
    words = philox(np.tile(key, (law.n_rows, 1)), counter)
    numbers: list[list[float]] = ((words >> np.uint64(11)).astype(np.float64) * 2.0**-53).tolist()
    return numbers


def _offsets(law: _Law, rotation: float, numbers: list[float]) -> list[float]:
    """Return the offsets of the rows: a rotation, then the gaps, which keep the distance."""
    free, first = law.span - law.n_rows * law.distance, rotation * law.span
    gaps = [number * free for number in numbers]
    if law.integer:
        first = float(math.floor(first))
    if law.integer and law.distance == 0.0:  # independent
        gaps = [float(math.floor(gap)) for gap in gaps]
    elif law.integer:
        gaps = []
        for step, number in enumerate(numbers):  # Floyd's method
            top = math.floor(free) + step
            value = math.floor(number * (top + 1.0))
            gaps.append(float(top if value in gaps else value))
    gaps.sort()
    steps = range(1, len(gaps) + 1)
    if law.integer and law.distance > 0.0:
        gaps = [gap - (step - 1.0) for step, gap in zip(steps, gaps, strict=True)]
    return [first, *(first + (gap + law.distance * step) for step, gap in zip(steps, gaps, strict=True))]


def _units(
    slots: list[int], slot_offsets: IntArray, start: FloatArray, end: FloatArray, label: IntArray
) -> list[_Unit]:
    """Return the units of the rows with these slots."""
    units = []
    for row, slot in enumerate(slots):
        rows = slice(int(slot_offsets[slot]), int(slot_offsets[slot + 1]))
        columns = (column[rows].tolist() for column in (start, end, label))
        units += [_Unit(low, high, row, code) for low, high, code in zip(*columns, strict=True)]
    return sorted(units)


def _moved(law: _Law, offsets: list[float], units: list[_Unit]) -> list[_Unit]:
    """Return the units, moved along the circular extent."""
    moved = []
    for unit in units:
        start = unit.start
        if law.span > 0:
            start = law.low + float(np.mod(unit.start - law.low + offsets[unit.row], law.span))
        moved.append(_Unit(start, start + (unit.end - unit.start), unit.row, unit.label))
    return sorted(moved)


class _Distances(NamedTuple):
    table: list[float]
    alpha: float
    beta: float
    delta: float
    factor: float

    def ratio(self, first: _Unit, second: _Unit) -> float:
        """Return d_pos / Δ."""
        apart = abs(first.start - second.start) + abs(first.end - second.end)
        lengths = (first.end - first.start) + (second.end - second.start)
        if apart == 0.0:
            return 0.0
        ratio = apart / lengths if lengths else math.inf
        return ratio * ratio

    def categorial(self, law: _Law, first: _Unit, second: _Unit) -> float:
        """Return d_cat / Δ."""
        return self.table[law.table + first.label * law.n_labels + second.label]

    def combined(self, ratio: float, categorial: float) -> float:
        """Return d."""
        positional = ratio * self.delta
        return positional if math.isinf(positional) else self.alpha * positional + self.beta * (categorial * self.delta)


class _Alignment(NamedTuple):
    """One of all alignments of a component: its cost, number of unitary alignments, Σ h, and the columns."""

    cost: float
    n_columns: int
    hash: int
    columns: tuple[tuple[int, ...], ...]

    def with_column(self, column: tuple[int, ...], cost: float, mixed: int) -> _Alignment:
        return _Alignment(self.cost + cost, self.n_columns + 1, self.hash + bits(mixed), (*self.columns, column))


class _Sample:
    """A sample and the columns of its alignment."""

    def __init__(self, law: _Law, units: list[_Unit], distances: _Distances) -> None:
        self.law, self.units, self.distances = law, units, distances
        self.n_active = len({unit.row for unit in units})
        self.combinations = float(law.n_rows * (law.n_rows - 1) // 2)
        self.columns: list[tuple[int, ...]] = []

    def _pairs(self, limit: float) -> Iterator[tuple[int, int, float]]:
        """Yield the pairs of different rows with d_pos / Δ below the limit, the lower row first, with d_pos / Δ."""
        for first, first_unit in enumerate(self.units):
            for second, second_unit in enumerate(self.units):
                if first_unit.row >= second_unit.row:
                    continue
                ratio = self.distances.ratio(first_unit, second_unit)
                if ratio < limit:
                    yield first, second, ratio

    def align(self) -> bool:
        """Align the units; return whether the best alignment is clear."""
        edges = self._edges() if self.n_active >= _MIN_ROWS else []
        self.columns = [(unit,) for unit in {*range(len(self.units))}.difference(*(edge[:2] for edge in edges))]
        return all(map(self._align_component, self._components(edges)))

    def _edges(self) -> list[tuple[int, int, float]]:
        """Return the candidate pairs and what they save; of two rows with units, those that save something alone."""
        limit, alpha, edges = self.combinations + self.n_active - 1.0, self.distances.alpha, []
        for first, second, ratio in self._pairs(limit / alpha * (1.0 + _SWEEP_SLACK) if alpha > 0 else math.inf):
            categorial = self.distances.categorial(self.law, self.units[first], self.units[second])
            apart = self.distances.combined(ratio, categorial) / self.distances.delta
            saving = (1.0 - apart) / self.combinations
            if apart < limit and (self.n_active > _MIN_ROWS or 1.0 + saving > FREE):
                edges.append((first, second, saving))
        return edges

    def _components(self, edges: list[tuple[int, int, float]]) -> list[list[tuple[int, int, float]]]:
        """Return the edges of each component."""
        lowest = list(range(len(self.units)))
        for first, second, _ in edges:
            low_part, high_part = lowest[first], lowest[second]
            lowest = [min(low_part, high_part) if low in (low_part, high_part) else low for low in lowest]
        components: dict[int, list[tuple[int, int, float]]] = {}
        for edge in edges:
            components.setdefault(lowest[edge[0]], []).append(edge)
        return [components[low] for low in sorted(components)]

    def _align_component(self, edges: list[tuple[int, int, float]]) -> bool:
        members = sorted({*chain.from_iterable(edge[:2] for edge in edges)})
        if len(members) > MAX_ENUMERATED:
            if self.n_active == _MIN_ROWS:
                self._match(members, edges)
            return self.n_active == _MIN_ROWS
        saving = {(first, second): value for first, second, value in edges}
        saving |= {(second, first): value for first, second, value in edges}
        alignments = [*self._alignments(members, saving, _Alignment(0.0, 0, 0, ()))]
        min_cost = min(alignment.cost for alignment in alignments)
        close = [alignment for alignment in alignments if alignment.cost <= min_cost + UNCLEAR_COST]
        best, *further = sorted(close, key=lambda alignment: (-alignment.n_columns, alignment.hash))
        self.columns += best.columns
        is_equal = bool(further) and further[0][1:3] == best[1:3]
        return not is_equal and all(alignment.cost <= min_cost + SAME_COST for alignment in close)

    def _match(self, members: list[int], edges: list[tuple[int, int, float]]) -> None:
        """Match the units by the tie rule, as in computed chance."""
        choice = ComponentChoice([(first, second, 1.0 + saving) for first, second, saving in edges], len(self.units))
        selected = choice.align([True] * len(edges))
        if selected is None:
            selected = choice.choose(list(range(len(self.units))))
        matched = [edges[e][:2] for e in selected or ()]
        unpaired = {*members}.difference(*matched)
        self.columns += [*((min(pair), max(pair)) for pair in matched), *((unit,) for unit in unpaired)]

    def _alignments(
        self, members: list[int], saving: dict[tuple[int, int], float], current: _Alignment
    ) -> Iterator[_Alignment]:
        """Yield all alignments of the members."""
        if not members:
            yield current
            return
        stack: list[tuple[tuple[int, ...], float, int]] = [((members[0],), 1.0, splitmix(members[0]))]
        while stack:
            column, cost, mixed = stack.pop()
            remaining = [unit for unit in members if unit not in column]
            yield from self._alignments(remaining, saving, current.with_column(column, cost, mixed))
            for unit in members:
                if unit > column[-1] and all((member, unit) in saving for member in column):
                    saved = 0.0
                    for member in column:
                        saved += saving[member, unit]
                    stack.append(((*column, unit), cost - saved, (mixed + splitmix(unit)) & _WORD))

    def sums(self, *, count_overlaps: bool) -> tuple[list[float], list[int], dict[int, list[float]]]:
        """Return the sums, the counts, and the sums by label, as `align_shifted` does."""
        disorder, weighted, n_aligned = 0.0, [], 0
        for column in sorted(self.columns):
            total = 0.0
            for second in range(1, len(column)):
                for first in range(second):
                    pair = self.units[column[first]], self.units[column[second]]
                    ratio, categorial = self.distances.ratio(*pair), self.distances.categorial(self.law, *pair)
                    total += self.distances.combined(ratio, categorial)
                    delta = self.distances.delta
                    confidence = 1.0 - self.distances.factor * (ratio * delta / delta)
                    if confidence > MIN_CONFIDENCE:
                        weight = confidence / (len(column) - 1.0)
                        labels = pair[0].label, pair[1].label
                        weighted.append((*labels, weight, weight * (categorial * delta / delta)))
            n_pairs = len(column) * (len(column) - 1) // 2
            n_aligned += n_pairs
            disorder += (total + self.distances.delta * (self.combinations - n_pairs)) / self.combinations
        by_label: dict[int, list[float]] = {}
        weight_sum, distance_sum = self._add(weighted, by_label, 0)
        overlaps = self._overlaps() if count_overlaps else []
        overlap_sums = self._add(overlaps, by_label, 3)
        sums = [disorder / (len(self.units) / self.law.n_rows), weight_sum, distance_sum, *overlap_sums]
        return sums, [len(self.columns), n_aligned, len(weighted)], by_label

    def _overlaps(self) -> list[tuple[int, int, float, float]]:
        """Return the labels, 1, and d_cat / Δ of the overlapping pairs."""
        pairs = self._pairs((1.0 - MIN_CONFIDENCE) / self.distances.factor)
        units = [(self.units[first], self.units[second]) for first, second, _ in pairs]
        return [
            (first.label, second.label, 1.0, self.distances.categorial(self.law, first, second))
            for first, second in units
        ]

    def _add(
        self, pairs: list[tuple[int, int, float, float]], by_label: dict[int, list[float]], column: int
    ) -> tuple[float, float]:
        """Return the sums over pairs; add them by label: first by the labels of their first units, then by others."""
        no_label = 0 if self.law.has_unlabelled else -1
        entries = [(label, weight, distance) for label, _, weight, distance in pairs]
        entries += [(label, weight, distance) for first, label, weight, distance in pairs if label != first]
        for label, weight, distance in entries:
            if label != no_label:
                row = by_label.setdefault(label, [0.0] * 5)
                row[column] += weight
                row[column + 1] += distance
                row[2] += column == 0
        weight_sum = distance_sum = 0.0
        for _, _, weight, distance in pairs:
            weight_sum += weight
            distance_sum += distance
        return weight_sum, distance_sum
