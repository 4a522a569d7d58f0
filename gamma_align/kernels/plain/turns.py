"""Plain ``turn_averages``: sums over all turns of two shifted rows, for the offsets between them.

The two rows of a shift sample are at t and t + r on a circle, r being their *offset*. Units move whole, so everything
depends on t only through the *seam*: the gap between two successive starts in which the extent begins. For one offset,

1. the edges are found: pairs of units that are near the short way round, and exist unless the seam is between their
   starts, or the long way round, and exist only then;
2. the edges are divided into components, which are aligned independently. The edges of one change only at the starts of
   its own units, so it is aligned once for each of these, by the tie rule of `gamma_align.alignment`;
3. the sums at each seam count with the probability of its gap.

The tie rule depends on the canonical indices of units, and thus on the seam and, if units of both rows have the same
bounds, on which row is the first one. Only if there are ties that it decides, the alignment is selected at every seam,
and both orders of the rows count one half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.kernels.plain.component import ComponentChoice

FREE = 1e-9  # smaller savings count as none (alignment/candidates.py)
MIN_CONFIDENCE = 1e-9  # smaller confidences are rounding errors (chance/statistics.py)
_REACH_SLACK = 1e-9  # relative; rounding must not exclude offsets at which units meet


def turn_averages(
    rows: IntArray,
    kinds: IntArray,
    laws: FloatArray,
    start: FloatArray,
    length: FloatArray,
    label: IntArray,
    categorial: FloatArray,
    alpha: float,
    beta: float,
    factor: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the expected sums of two shifted rows, for several groups of two rows and their offsets.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_groups * 6,)
        For each group: begin and end of the units of the first row, and of the second row; the number of labels; the
        begin of their table in `categorial`.
    kinds : ndarray of int64, shape (n_groups * 3,)
        For each group: 1 if offsets are `distance` + 0, 1, 2 …; 1 if exchanging the rows changes nothing, so that half
        of the offsets suffice; the number of points of the lattice, 0 for all offsets.
    laws : ndarray of float64, shape (n_groups * 4,)
        For each group: the span of the circle; the smallest offset, `distance`; the number of offsets or, if they are
        real, the length of their range; the place of points within the steps of the lattice: the place of every second
        one is 1 minus this fraction.
    start, length, label : ndarray, shape (n_units,)
        Units of the rows: start from 0 to the span, length, and index of the label; sorted by these within a row.
    categorial : ndarray of float64
        Tables of d_cat / Δ between the labels of a document, row by row.
    alpha, beta : float
        α and β.
    factor : float
        f of the pairing confidence 1 - f · d_pos / Δ.

    Returns
    -------
    sums : ndarray of float64, shape (n_groups, 3)
        The expected cost Σ δ(ă) / Δ; the sum of probability · δ_cat over the alignments that have δ_cat; and their
        probability.
    sums_k : ndarray of float64, shape (n_labels of all groups, 2)
        The last two for the pairs with a unit of each label.
    """
    n_groups = len(laws) // 4
    groups = [
        _Group(*rows[6 * g : 6 * g + 6].tolist(), *laws[4 * g : 4 * g + 4].tolist(), *kinds[3 * g : 3 * g + 3].tolist())
        for g in range(n_groups)
    ]
    average = _TurnAverage(start.tolist(), length.tolist(), label.tolist(), categorial.tolist(), alpha, beta, factor)
    sums = np.zeros((n_groups, 3))
    sums_k = [np.zeros((0, 2))]
    for index, group in enumerate(groups):
        average.run(group)
        sums[index] = average.sums
        sums_k.append(np.array(average.sums_k, dtype=np.float64).reshape(-1, 2))
    return sums, np.concatenate(sums_k)


class _Group(NamedTuple):
    first_begin: int
    first_end: int
    second_begin: int
    second_end: int
    n_labels: int
    table: int
    span: float
    distance: float
    n_offsets: float
    fraction: float
    integer: int
    symmetric: int
    points: int


class _Edge(NamedTuple):
    """A pair of units; it exists if the seam is between their starts just if it `wraps`."""

    first: int
    second: int
    saving: float
    weight: float
    distance: float
    wraps: bool


class _Pair(NamedTuple):
    """Two units at any offset: d_cat, their lengths, and how far apart their middles may be."""

    middle: float
    reach: float
    total: float
    shift: float
    categorial: float


@dataclass(slots=True)
class _PairSums:
    """Sums over aligned pairs: what they save, their weight and weight · d_cat; the last two also by label."""

    saving: float
    weight: float
    distance: float
    weight_k: list[float]
    distance_k: list[float]

    @classmethod
    def zero(cls, n_labels: int) -> _PairSums:
        """Return sums of 0."""
        return cls(0.0, 0.0, 0.0, [0.0] * n_labels, [0.0] * n_labels)

    def add(self, addend: _PairSums) -> None:
        """Add sums to these."""
        self.saving += addend.saving
        self.weight += addend.weight
        self.distance += addend.distance
        for label in range(len(self.weight_k)):
            self.weight_k[label] += addend.weight_k[label]
            self.distance_k[label] += addend.distance_k[label]


class _TurnAverage:
    """The sums of one group after another."""

    def __init__(
        self,
        start: list[float],
        length: list[float],
        label: list[int],
        categorial: list[float],
        alpha: float,
        beta: float,
        factor: float,
    ) -> None:
        self.start = start
        self.length = length
        self.label = label
        self.categorial = categorial
        self.alpha = alpha
        self.beta = beta
        self.factor = factor

    def run(self, group: _Group) -> None:
        """Compute `sums` and `sums_k` of a group."""
        self.group = group
        first = slice(group.first_begin, group.first_end)
        second = slice(group.second_begin, group.second_end)
        self.n_first = group.first_end - group.first_begin
        self.n_second = group.second_end - group.second_begin
        self.n_units = self.n_first + self.n_second
        self.starts = (self.start[first], self.start[second])
        self.lengths = self.length[first] + self.length[second]
        self.labels = self.label[first] + self.label[second]
        self.sums = [0.0, 0.0, 0.0]
        self.sums_k = [[0.0, 0.0] for _ in range(group.n_labels)]
        self.pairs = self._prepare_pairs()
        measure = group.n_offsets / 2.0 if group.symmetric else group.n_offsets
        support = self._support(measure)
        total = 0.0
        for low, high in support:
            total += high - low
        if group.points == 0:
            for low, high in support:
                at = low
                while at < high:
                    self._add_offset(group.distance + at, min(high - at, 1.0) / measure)
                    at += 1.0
        else:
            self._add_lattice(support, total, measure)
        self.sums[0] += (1.0 - total / measure) * float(self.n_units)

    def _add_lattice(self, support: list[tuple[float, float]], total: float, measure: float) -> None:
        """Add the offsets of a lattice on the support."""
        group = self.group
        if not support:
            return
        points = float(group.points)
        weight = total / points / measure
        at = 0
        before = 0.0
        for i in range(group.points):
            fraction = group.fraction if i % 2 == 0 else 1.0 - group.fraction
            position = (float(i) + fraction) / points * total
            while at + 1 < len(support) and position - before >= support[at][1] - support[at][0]:
                before += support[at][1] - support[at][0]
                at += 1
            offset = support[at][0] + (position - before)
            if group.integer:
                offset = math.floor(offset)
            self._add_offset(group.distance + offset, weight)

    def _prepare_pairs(self) -> list[list[_Pair]]:
        """Return the pairs of each unit of the first row."""
        group = self.group
        pairs = []
        for i in range(self.n_first):
            row = []
            for j in range(self.n_first, self.n_units):
                categorial = self.categorial[group.table + self.labels[i] * group.n_labels + self.labels[j]]
                limit = 2.0 - self.beta * categorial
                total = self.lengths[i] + self.lengths[j]
                shift = self.lengths[j] - self.lengths[i]
                reach = -1.0  # the units are never aligned
                if limit > FREE:
                    reach = 2.0 * group.span
                    if self.alpha > 0.0:
                        reach = math.sqrt(limit / self.alpha) * total / 2.0
                    if total == 0.0:
                        reach = 0.0
                    reach = min(reach, 2.0 * group.span) + _REACH_SLACK * group.span
                row.append(_Pair(shift / 2.0, reach, total, shift, categorial))
            pairs.append(row)
        return pairs

    def _support(self, measure: float) -> list[tuple[float, float]]:
        """Return the offsets, less the smallest, at which units may meet: disjoint spans of [0, measure), ascending."""
        group = self.group
        spans = []
        for first_start, row in zip(self.starts[0], self.pairs, strict=True):
            for second_start, pair in zip(self.starts[1], row, strict=True):
                if pair.reach < 0.0:
                    continue
                base = second_start - first_start + pair.middle + group.distance
                for turn in range(-2, 5):
                    centre = turn * group.span - base
                    low = centre - pair.reach
                    high = centre + pair.reach
                    if group.integer:
                        low = float(math.ceil(low))
                        high = math.floor(high) + 1.0
                    low = max(low, 0.0)
                    high = min(high, measure)
                    if low < high:
                        spans.append((low, high))
        support: list[tuple[float, float]] = []
        for low, high in sorted(spans):
            if support and low <= support[-1][1]:
                support[-1] = (support[-1][0], max(support[-1][1], high))
            else:
                support.append((low, high))
        return support

    def _add_offset(self, offset: float, weight: float) -> None:
        """Add the mean over all turns of two rows at this offset."""
        span = self.group.span
        # the first unit of the second row that wraps
        second = []
        self.wrapped = self.n_second
        for j, start in enumerate(self.starts[1]):
            position = start + offset
            if position >= span:
                position -= span
                self.wrapped = min(self.wrapped, j)
            second.append(position)
        self.place = self.starts[0] + second
        edges = self._edges()
        if not edges:
            self.sums[0] += weight * float(self.n_units)
        elif len(edges) == 1:
            self._add_single(edges[0], weight)
        else:
            self._order_units(second_first=False)
            components = self._components(edges)
            if self._align(components) and self.coincide:  # either row may be the first one of a sample
                self._collect(weight / 2.0)
                self._order_units(second_first=True)
                self._align(components)
                self._collect(weight / 2.0)
            else:
                self._collect(weight)

    def _edges(self) -> list[_Edge]:
        """Return the edges at this offset, sorted by their units."""
        edges: list[_Edge] = []
        span = self.group.span
        for i, row in enumerate(self.pairs):
            first_start = self.place[i]
            for j, pair in enumerate(row, self.n_first):
                apart = self.place[j] - first_start
                middle = apart + pair.middle
                if abs(middle) <= pair.reach:
                    self._consider(edges, i, j, pair, apart, wraps=False)
                if apart > 0.0:
                    if abs(middle - span) <= pair.reach:
                        self._consider(edges, i, j, pair, apart - span, wraps=True)
                elif apart < 0.0 and abs(middle + span) <= pair.reach:
                    self._consider(edges, i, j, pair, apart + span, wraps=True)
        return edges

    def _consider(self, edges: list[_Edge], i: int, j: int, pair: _Pair, apart: float, *, wraps: bool) -> None:
        """Add the edge of two units whose starts are `apart`, if it saves anything."""
        difference = abs(apart) + abs(apart + pair.shift)
        ratio = 0.0
        if difference != 0.0:
            if pair.total == 0.0:
                return
            ratio = difference / pair.total
            ratio = ratio * ratio
        saving = 2.0 - (self.alpha * ratio + self.beta * pair.categorial)
        if not saving > FREE:
            return
        confidence = 1.0 - self.factor * ratio
        if not confidence > MIN_CONFIDENCE:
            confidence = 0.0
        edges.append(_Edge(i, j, saving, confidence, confidence * pair.categorial, wraps))

    def _add_single(self, edge: _Edge, weight: float) -> None:
        """Add the only edge, whose probability is known."""
        between = abs(self.place[edge.second] - self.place[edge.first]) / self.group.span
        chance = weight * (between if edge.wraps else 1.0 - between)
        self.sums[0] += weight * float(self.n_units) - chance * edge.saving
        if not edge.weight > 0.0:
            return
        disorder = chance * (edge.distance / edge.weight)
        self.sums[1] += disorder
        self.sums[2] += chance
        for label in dict.fromkeys((self.labels[edge.first], self.labels[edge.second])):
            self._add_k(label, disorder, chance)

    def _add_k(self, label: int, disorder: float, chance: float) -> None:
        """Add a disorder, weighted by its probability, to the sums of a label."""
        self.sums_k[label][0] += disorder
        self.sums_k[label][1] += chance

    def _order_units(self, *, second_first: bool) -> None:
        """Merge the rows in canonical order; `coincide` if units of both have the same bounds."""
        first = list(range(self.n_first))
        second = [self.n_first + (self.wrapped + j) % self.n_second for j in range(self.n_second)]
        order: list[int] = []
        self.coincide = False
        i = 0
        j = 0
        while len(order) < self.n_units:
            take_second = i == self.n_first
            if i < self.n_first and j < self.n_second:
                first_unit = first[i]
                second_unit = second[j]
                bounds = (self.place[first_unit], self.lengths[first_unit])
                other_bounds = (self.place[second_unit], self.lengths[second_unit])
                take_second = other_bounds < bounds
                if bounds == other_bounds:
                    self.coincide = True
                    take_second = second_first
            if take_second:
                order.append(second[j])
                j += 1
            else:
                order.append(first[i])
                i += 1
        self._find_gaps(order)

    def _find_gaps(self, order: list[int]) -> None:
        """Find the gaps between successive starts, each with its probability and the canonical index after it."""
        self.rank = [0] * self.n_units
        self.gap = [0] * self.n_units
        self.gap_rank: list[int] = []
        self.gap_weight: list[float] = []
        span = self.group.span
        for at, unit in enumerate(order):
            start = self.place[unit]
            previous = self.place[order[at - 1]]
            if at == 0 or start != previous:
                self.gap_rank.append(at)
                back = start - previous + span if at == 0 else start - previous
                self.gap_weight.append(back / span)
            self.rank[unit] = at
            self.gap[unit] = len(self.gap_rank) - 1

    def _components(self, edges: list[_Edge]) -> list[list[_Edge]]:
        """Return the edges of each component, in the order of their lowest units."""
        parent = list(range(self.n_units))

        def root(unit: int) -> int:
            while parent[unit] != unit:
                parent[unit] = parent[parent[unit]]
                unit = parent[unit]
            return unit

        for edge in edges:
            first_root = root(edge.first)
            second_root = root(edge.second)
            if first_root != second_root:
                parent[max(first_root, second_root)] = min(first_root, second_root)
        components: dict[int, list[_Edge]] = {}
        for edge in edges:
            components.setdefault(root(edge.first), []).append(edge)
        return [components[unit] for unit in sorted(components)]

    def _align(self, components: list[list[_Edge]]) -> bool:
        """Align at every seam; return whether canonical indices decided between ties."""
        gaps = len(self.gap_weight)
        self.by_gap = [_PairSums.zero(self.group.n_labels) for _ in range(gaps)]
        uses_order = False
        for edges in components:
            if len(edges) == 1:
                sums = self._sum(edges)
                for gap in range(gaps):
                    if self._exists(edges[0], gap):
                        self.by_gap[gap].add(sums)
            else:
                uses_order = self._align_component(edges) or uses_order
        return uses_order

    def _exists(self, edge: _Edge, seam: int) -> bool:
        """Return whether an edge exists at a seam: see `_Edge`."""
        first_gap = self.gap[edge.first]
        second_gap = self.gap[edge.second]
        return (min(first_gap, second_gap) < seam <= max(first_gap, second_gap)) == edge.wraps

    def _sum(self, edges: list[_Edge]) -> _PairSums:
        """Return the sums over these aligned edges; edges without a weight add their saving alone."""
        sums = _PairSums.zero(self.group.n_labels)
        for edge in edges:
            sums.saving += edge.saving
            if edge.weight > 0.0:
                sums.weight += edge.weight
                sums.distance += edge.distance
                for label in dict.fromkeys((self.labels[edge.first], self.labels[edge.second])):
                    sums.weight_k[label] += edge.weight
                    sums.distance_k[label] += edge.distance
        return sums

    def _align_component(self, edges: list[_Edge]) -> bool:
        """Align a component at every seam: its edges are the same between two successive starts of its own units."""
        starts = sorted({*chain.from_iterable((self.gap[edge.first], self.gap[edge.second]) for edge in edges)})
        choice = ComponentChoice([edge[:3] for edge in edges], self.n_units)
        uses_order = self._add_run(choice, edges, 0, starts[0])
        for before, start in pairwise(starts):
            uses_order = self._add_run(choice, edges, before + 1, start) or uses_order
        # beyond the last start, the seam is outside the component, as before the first
        if starts[-1] + 1 < len(self.gap_weight):
            uses_order = self._add_run(choice, edges, starts[-1] + 1, len(self.gap_weight) - 1) or uses_order
        return uses_order

    def _add_run(self, choice: ComponentChoice, edges: list[_Edge], low: int, high: int) -> bool:
        """Align the component at the seams from `low` to `high`; return whether canonical indices decided."""
        selected = choice.align([self._exists(edge, high) for edge in edges])
        is_decided = selected is not None
        for gap in range(low, high + 1):
            if not is_decided:
                selected = choice.choose(self._indices(gap))
            self.by_gap[gap].add(self._sum([edges[e] for e in selected or ()]))
        return not is_decided

    def _indices(self, gap: int) -> list[int]:
        """Return the canonical index of each unit if the extent begins at this seam."""
        first = self.gap_rank[gap]
        return [(rank - first) % self.n_units for rank in self.rank]

    def _collect(self, weight: float) -> None:
        """Add the sums at all seams."""
        for gap_weight, sums in zip(self.gap_weight, self.by_gap, strict=True):
            chance = weight * gap_weight
            self.sums[0] += chance * (float(self.n_units) - sums.saving)
            if not sums.weight > 0.0:
                continue
            self.sums[1] += chance * (sums.distance / sums.weight)
            self.sums[2] += chance
            for label, weight_k in enumerate(sums.weight_k):
                if weight_k > 0.0:
                    self._add_k(label, chance * (sums.distance_k[label] / weight_k), chance)
