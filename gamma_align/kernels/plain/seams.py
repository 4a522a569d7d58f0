"""The alignment of units of two rows by the tie rule, on which plain ``turn_averages`` builds.

The operations are the same as in `SeamMatching` and `ComponentChoice` in src/turns.hpp, in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np

from gamma_align.kernels.plain.matching import match

TIE = 1e-9  # in units of Δ; losses up to it count as none (alignment/search.py)
MIN_TIE = 1e-13  # smaller losses are rounding errors (alignment/assignment.py)
REQUIRED_VALUE = 2.0**46  # value of matching a unit that must be matched (alignment/assignment.py)
_WORD = (1 << 64) - 1  # SplitMix64 computes modulo 2^64


class SeamMatching:
    """The best matching of one component, and of what a seam leaves of it: shortest augmenting paths.

    Edge e joins units `first[e]` and `second[e]`, which are numbered with those of the first row first, and is
    sorted by the former. No edge saves more than the `price` of its two units; `mate` is the edge that each unit is
    matched by.
    """

    def __init__(self, first: list[int], second: list[int], saving: list[float], n_first: int, n_units: int) -> None:
        self.first, self.second, self.saving = first, second, saving
        self.listed: list[list[int]] = [[] for _ in range(n_units)]
        for e, units in enumerate(zip(first, second, strict=True)):
            for unit in units:
                self.listed[unit].append(e)
        self.exists = [True] * len(first)
        self.mate = [-1] * n_units
        self.price = [0.0] * n_units
        for e, unit in enumerate(first):
            self.price[unit] = max(self.price[unit], saving[e])
        for unit in range(n_first):
            self._enter(unit)
        self._whole = [*self.price], [*self.mate]

    def restrict_to(self, exists: list[bool]) -> None:
        """Match what is left without the edges that do not exist, beginning with the matching of all edges."""
        self.price, self.mate = [*self._whole[0]], [*self._whole[1]]
        exposed = [unit for unit, edge in enumerate(self.mate) if edge >= 0 and not exists[edge]]
        self.exists = exists
        for unit in exposed:
            self.mate[unit] = -1
        for unit in exposed:
            if self.mate[unit] < 0 and self.price[unit] > 0.0:
                self._enter(unit)

    def partner(self, edge: int, unit: int) -> int:
        """Return the other unit of an edge."""
        return self.first[edge] + self.second[edge] - unit

    def _enter(self, root: int) -> None:
        """Find the shortest alternating path from an unmatched unit to one that may stay unmatched; flip its edges."""
        path = _Path(root, self.price[root])
        self._relax(path, root)
        while True:
            best = -1
            for unit, distance in path.distance.items():
                is_better = best < 0 or distance < path.distance[best]
                if unit not in path.done and distance < path.limit and is_better:
                    best = unit
            if best < 0:
                break
            path.done.add(best)
            row = self.partner(self.mate[best], best)
            path.reach[row] = path.distance[best]
            if path.reach[row] + self.price[row] < path.limit:
                path.limit, path.end = path.reach[row] + self.price[row], row
            self._relax(path, row)
        for unit, distance in path.distance.items():
            if distance < path.limit:
                self.price[unit] += path.limit - distance
        for unit, reach in path.reach.items():
            if reach < path.limit:
                self.price[unit] = max(self.price[unit] - (path.limit - reach), 0.0)
        self._flip(path)

    def _relax(self, path: _Path, row: int) -> None:
        for edge in self.listed[row]:
            if not self.exists[edge] or edge == self.mate[row]:
                continue
            unit = self.partner(edge, row)
            slack = max(self.price[row] + self.price[unit] - self.saving[edge], 0.0)
            length = path.reach[row] + slack
            if length >= path.distance.get(unit, math.inf) or length >= path.limit:
                continue
            path.distance[unit] = length
            path.via[unit] = edge
            if self.mate[unit] < 0:
                path.limit, path.end = length, unit

    def _flip(self, path: _Path) -> None:
        unit = path.end
        if path.end in path.reach:  # the end is dropped
            self.price[path.end] = 0.0
            if path.end == path.root:
                return
            edge = self.mate[path.end]
            self.mate[path.end] = -1
            unit = self.partner(edge, path.end)
        while True:
            edge = path.via[unit]
            row = self.partner(edge, unit)
            before = self.mate[row]
            self.mate[row] = self.mate[unit] = edge
            if row == path.root:
                return
            unit = self.partner(before, row)


class _Path:
    """A search from one unit: lengths of paths to units of its side and of the other one, which edges lead to."""

    __slots__ = ("distance", "done", "end", "limit", "reach", "root", "via")

    def __init__(self, root: int, limit: float) -> None:
        self.root = self.end = root
        self.limit = limit
        self.reach = {root: 0.0}
        self.distance: dict[int, float] = {}
        self.via: dict[int, int] = {}
        self.done: set[int] = set()


class ComponentChoice:
    """The alignment of one component at a seam, as the tie rule selects it (`alignment/assignment.py`)."""

    def __init__(self, edges: Sequence[tuple[int, int, float]], n_units: int) -> None:
        """Match all edges: their units within a sample of `n_units`, and what they save; sorted by the units."""
        self.edges, self.n_units = edges, n_units
        number: dict[int, int] = {}
        self.row = [number.setdefault(first, len(number)) for first, _, _ in edges]
        self.n_rows = len(number)
        self.column = [number.setdefault(second, len(number)) for _, second, _ in edges]
        self.saving = [saving for _, _, saving in edges]
        self.matching = SeamMatching(self.row, self.column, self.saving, self.n_rows, len(number))
        self.exists = [True] * len(edges)
        self.whole = self.choose(None)

    def align(self, exists: list[bool]) -> list[int] | None:
        """Match the edges that exist; return those that are chosen, None if that takes the canonical indices."""
        self.exists = exists
        if self.whole is not None and all(exists[e] for e in self.whole):
            return self.whole  # if all that is chosen from all edges exists, it is chosen from these, too
        self.matching.restrict_to(exists)
        return self.choose(None)

    def choose(self, index: list[int] | None) -> list[int] | None:
        """Return the edges that are chosen; None if that takes the canonical indices, and none are given."""
        selected = self._unique()
        if selected is not None:
            return selected
        selected = self._select(TIE, index)
        if selected is None or self._loss(selected) <= TIE:
            return selected
        return self._select(max(TIE / float(self.n_units), MIN_TIE), index)

    def _ends(self, e: int) -> tuple[int, int]:
        return self.row[e], self.column[e]

    def _edge_loss(self, e: int) -> float:
        price = self.matching.price
        return max(price[self.row[e]] + price[self.column[e]] - self.saving[e], 0.0)

    def _loss(self, selected: list[int]) -> float:
        unit_loss = [*self.matching.price]
        for e in selected:
            row, column = self._ends(e)
            unit_loss[row], unit_loss[column] = self._edge_loss(e), 0.0
        total = 0.0
        for loss in unit_loss:
            total += loss
        return total

    def _must_match(self, unit: int) -> bool:
        return self.matching.price[unit] > TIE

    def _unique(self) -> list[int] | None:
        """Return all matched edges if they are forced, else None: then the tie rule selects.

        Further tied edges are extra. A matched edge is forced if one of its units must be matched and has no extra
        edge; the extra edges of its other unit are then out of the question.
        """
        mate = self.matching.mate
        matched = [edge for edge in mate[: self.n_rows] if edge >= 0]
        if not all(any(map(self._must_match, self._ends(e))) for e in matched):
            return None
        tied = [e for e in range(len(self.edges)) if self.exists[e] and self._edge_loss(e) <= TIE]
        extra = {e for e in tied if mate[self.row[e]] != e}
        n_extra = [0] * len(mate)
        for e in extra:
            for unit in self._ends(e):
                n_extra[unit] += 1

        def is_forced(unit: int) -> bool:
            other = self.matching.partner(mate[unit], unit) if mate[unit] >= 0 else -1
            return other >= 0 and n_extra[other] == 0 and self._must_match(other)

        while excluded := {e for e in extra if any(map(is_forced, self._ends(e)))}:
            extra -= excluded
            for e in excluded:
                for unit in self._ends(e):
                    n_extra[unit] -= 1
        return None if extra else matched

    def _select(self, tie: float, index: list[int] | None) -> list[int] | None:
        """Return the edges that the tie rule selects; losses up to `tie` count as none."""
        price = self.matching.price
        tied = [e for e in range(len(self.edges)) if self.exists[e] and self._edge_loss(e) <= tie]
        required = [p > tie for p in price]
        options = [0] * len(price)
        for e in tied:
            for unit in self._ends(e):
                options[unit] += 1
        selected = [e for e in tied if any(required[unit] and options[unit] == 1 for unit in self._ends(e))]
        covered = {*chain.from_iterable(map(self._ends, selected))}
        remaining = [
            e for e in tied if covered.isdisjoint(self._ends(e)) and any(required[unit] for unit in self._ends(e))
        ]
        if not remaining:
            return selected
        value = [self._required_value(e, required) - 1.0 for e in remaining]
        matched, price = self._match(remaining, value)
        # Only tight edges are in an optimal matching. All numbers are whole, so that equality is exact.
        tight = [e for e, v in zip(remaining, value, strict=True) if sum(price[unit] for unit in self._ends(e)) == v]
        if len(tight) > len(matched):  # several selections of so many pairs: the least Σ h decides
            if index is None:
                return None
            required = [p > 0.0 for p in price]
            matched, _ = self._match(
                tight, [self._required_value(e, required) - self._added_hash(e, index) for e in tight]
            )
        return selected + matched

    def _required_value(self, e: int, required: list[bool]) -> float:
        row, column = self._ends(e)
        return REQUIRED_VALUE * required[row] + REQUIRED_VALUE * required[column]

    def _match(self, edges: list[int], value: list[float]) -> tuple[list[int], list[float]]:
        """Match some of the edges; return the matched ones, and the price of each unit."""
        begin = np.zeros(self.n_rows + 1, dtype=np.int64)
        for e in edges:
            begin[self.row[e] + 1] += 1
        column = np.array([self.column[e] - self.n_rows for e in edges], dtype=np.int64)
        n_columns = len(self.matching.price) - self.n_rows
        edge, row_price, column_price = match(np.cumsum(begin), column, np.array(value), n_columns)
        matched = [edges[at] for at in edge.tolist() if at >= 0]
        return matched, row_price.tolist() + column_price.tolist()

    def _added_hash(self, e: int, index: list[int]) -> float:
        """Return h of a pair less those of its units alone (`alignment/search.py`)."""
        first_hash, second_hash = (splitmix(index[unit]) for unit in self.edges[e][:2])
        return float(bits((first_hash + second_hash) & _WORD)) - float(bits(first_hash)) - float(bits(second_hash))


def splitmix(value: int) -> int:
    """Return SplitMix64's output for a state (Steele, Lea & Flood 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & _WORD
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _WORD
    return value ^ (value >> 31)


def bits(mixed: int) -> int:
    """Return the 24 bits of the tie rule."""
    return splitmix(mixed) >> 40
