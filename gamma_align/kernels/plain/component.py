"""The alignment of units of two rows by the tie rule, on which plain ``turn_averages`` builds.

The operations are the same as in `ComponentChoice` in src/component.hpp, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from gamma_align.kernels.plain.matching import match

TIE = 1e-9  # in units of Δ; losses up to it count as none (alignment/search.py)
MIN_TIE = 1e-13  # smaller losses are rounding errors (alignment/assignment.py)
REQUIRED_VALUE = 2.0**46  # value of matching a unit that must be matched (alignment/assignment.py)
_WORD = (1 << 64) - 1  # SplitMix64 computes modulo 2^64


class ComponentChoice:
    """The alignment of one component at a seam, as the tie rule selects it (`alignment/assignment.py`)."""

    def __init__(self, edges: Sequence[tuple[int, int, float]], n_units: int) -> None:
        """Match all edges: their units within a sample of `n_units`, and what they save; sorted by the units."""
        self.edges = edges
        self.n_units = n_units
        number: dict[int, int] = {}
        self.row = [number.setdefault(first, len(number)) for first, _, _ in edges]
        self.n_rows = len(number)
        self.column = [number.setdefault(second, len(number)) for _, second, _ in edges]
        self.saving = [saving for _, _, saving in edges]
        self.n_present = len(number)
        self._match_existing([True] * len(edges))
        self.whole = self.choose(None)

    def align(self, exists: list[bool]) -> list[int] | None:
        """Match the edges that exist; return those that are chosen, None if that takes the canonical indices."""
        if self.whole is not None and all(exists[e] for e in self.whole):
            return self.whole  # if all that is chosen from all edges exists, it is chosen from these, too
        self._match_existing(exists)
        return self.choose(None)

    def choose(self, index: list[int] | None) -> list[int] | None:
        """Return the edges that are chosen; None if that takes the canonical indices, and none are given."""
        selected = self._forced_matching()
        if selected is not None:
            return selected
        selected = self._select(TIE, index)
        if selected is None or self._loss(selected) <= TIE:
            return selected
        return self._select(max(TIE / float(self.n_units), MIN_TIE), index)

    def _match_existing(self, exists: list[bool]) -> None:
        """Match the edges that exist; `mate` is the edge that each unit is matched by, or -1."""
        self.exists = exists
        existing = [e for e, is_there in enumerate(exists) if is_there]
        matched, self.price = self._match(existing, [self.saving[e] for e in existing])
        self.mate = [-1] * self.n_present
        for e in matched:
            self.mate[self.row[e]] = self.mate[self.column[e]] = e

    def _ends(self, e: int) -> tuple[int, int]:
        """Return the two units of an edge."""
        return self.row[e], self.column[e]

    def _edge_loss(self, e: int) -> float:
        """Return the prices of the units of an edge less its saving."""
        return max(self.price[self.row[e]] + self.price[self.column[e]] - self.saving[e], 0.0)

    def _loss(self, selected: list[int]) -> float:
        """Return the loss of a selection: that of its edges, and the prices of the units it leaves alone."""
        unit_loss = [*self.price]
        for e in selected:
            row, column = self._ends(e)
            unit_loss[row] = self._edge_loss(e)
            unit_loss[column] = 0.0
        total = 0.0
        for loss in unit_loss:
            total += loss
        return total

    def _must_match(self, unit: int) -> bool:
        """Return whether a unit loses more than the tolerance if it stays alone."""
        return self.price[unit] > TIE

    def _forced_matching(self) -> list[int] | None:
        """Return all matched edges if they are forced, else None: then the tie rule selects.

        Further tied edges are extra. A matched edge is forced if one of its units must be matched and has no extra
        edge; the extra edges of its other unit are then out of the question.
        """
        mate = self.mate
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
            if mate[unit] < 0:
                return False
            partner = sum(self._ends(mate[unit])) - unit
            return n_extra[partner] == 0 and self._must_match(partner)

        while excluded := {e for e in extra if any(map(is_forced, self._ends(e)))}:
            extra -= excluded
            for e in excluded:
                for unit in self._ends(e):
                    n_extra[unit] -= 1
        return None if extra else matched

    def _select(self, tie: float, index: list[int] | None) -> list[int] | None:
        """Return the edges that the tie rule selects; losses up to `tie` count as none."""
        price = self.price
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
        """Return the value of an edge for the units that must be matched."""
        row, column = self._ends(e)
        return REQUIRED_VALUE * required[row] + REQUIRED_VALUE * required[column]

    def _match(self, edges: list[int], value: list[float]) -> tuple[list[int], list[float]]:
        """Match some of the edges; return the matched ones, and the price of each unit."""
        begin = np.zeros(self.n_rows + 1, dtype=np.int64)
        for e in edges:
            begin[self.row[e] + 1] += 1
        column = np.array([self.column[e] - self.n_rows for e in edges], dtype=np.int64)
        n_columns = self.n_present - self.n_rows
        edge, row_price, column_price = match(np.cumsum(begin), column, np.array(value, dtype=np.float64), n_columns)
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
