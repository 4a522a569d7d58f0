"""Exact search in a small part of an instance: the choice of columns of least loss, ties broken by rule.

The tie rule
------------
Among alignments of the same disorder (to 1e-9 of Δ): the one with most unitary alignments (units that gain nothing
by standing together stay apart); among those, the one of least Σ h, where h(ă) is a fixed pseudo-random number of 24
bits made of the canonical numbers of its units (`tie_hash`). The rule looks at nothing but the instance itself, so
the choice is the same in any batch, order of rows or machine, and whichever solver found the disorder.
(In a part where so many tie that 20,000 nodes of search do not tell them apart, the integer programme's own choice
stands: still the same in any batch and order, and of the same disorder.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.alignment.tuples import Columns

TIE = 1e-9
"""Losses that differ by no more than this (in units of Δ) are equal."""

Score = tuple[float, int, int]
"""(loss, minus the number of unitary alignments, Σ h): less is better."""


def tie_hash(columns: Columns, number: IntArray) -> IntArray:
    """Return h of each column: 24 bits, from the canonical numbers of its units within their instance.

    Parameters
    ----------
    columns : Columns
        Columns of any size.
    number : ndarray of int64, shape (n_units,)
        Canonical number of each unit within its instance.
    """
    if not len(columns):
        return np.empty(0, dtype=np.int64)
    mixed = np.add.reduceat(_splitmix(number[columns.units].astype(np.uint64)), columns.offsets[:-1])
    return (_splitmix(mixed) >> np.uint64(40)).astype(np.int64)


def _splitmix(value: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return SplitMix64's output for each state (Steele, Lea & Flood 2014)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class Part:
    """A part to be solved: units 0 … n-1, each in some column or alone.

    Attributes
    ----------
    masks : list of int
        Units of each column, as bits.
    scores : list of Score
        What each column adds to the score; losses are not negative.
    alone : list of Score
        What each unit adds when it stays alone.
    by_unit : list of list of int
        Columns of each unit, best first.
    """

    masks: list[int]
    scores: list[Score]
    alone: list[Score]
    by_unit: list[list[int]]

    @classmethod
    def of(
        cls, columns: Columns, units: IntArray, loss: FloatArray, price: FloatArray, hashes: tuple[IntArray, IntArray]
    ) -> Part:
        """Return the part of these columns over these sorted units.

        `loss` is by column, `price` (the loss alone) by unit, `hashes` h of the columns and of the units alone.
        """
        place = np.searchsorted(units, columns.units).tolist()
        ends = columns.offsets.tolist()
        masks = [sum(1 << at for at in place[a:b]) for a, b in pairwise(ends)]
        scores = [(cost, -1, h) for cost, h in zip(loss.tolist(), hashes[0].tolist(), strict=True)]
        alone = [(cost, -1, h) for cost, h in zip(price.tolist(), hashes[1].tolist(), strict=True)]
        by_unit: list[list[int]] = [[] for _ in alone]
        for column in sorted(range(len(masks)), key=scores.__getitem__):
            for at in place[ends[column] : ends[column + 1]]:
                by_unit[at].append(column)
        return cls(masks, scores, alone, by_unit)


@dataclass(slots=True)
class _Progress:
    nodes: int
    best: Score = (float("inf"), 0, 0)
    chosen: tuple[int, ...] | None = None
    stack: list[int] = field(default_factory=list)


def search(part: Part, nodes: int, known: float = float("inf")) -> tuple[float, tuple[int, ...]] | None:
    """Return (loss, chosen columns) of the best choice by the tie rule, or None if `nodes` did not suffice.

    `known` is a loss that some choice is known to reach; it spares the search what loses more.
    """
    progress = _Progress(nodes, best=(known, 1, 0))
    _descend(part, progress, (1 << len(part.alone)) - 1, (0.0, 0, 0))
    if progress.nodes <= 0 or progress.chosen is None:
        return None
    return progress.best[0], progress.chosen


def _better(one: Score, other: Score) -> bool:
    if abs(one[0] - other[0]) > TIE:
        return one[0] < other[0]
    return one[1:] < other[1:]


def _descend(part: Part, progress: _Progress, free: int, score: Score) -> None:
    progress.nodes -= 1
    if progress.nodes <= 0 or score[0] > progress.best[0] + TIE:
        return
    if not free:
        if _better(score, progress.best):
            progress.best, progress.chosen = score, tuple(progress.stack)
        return
    bit = free & -free
    unit = bit.bit_length() - 1
    alone = part.alone[unit]
    pending = True
    for column in part.by_unit[unit]:
        mask, added = part.masks[column], part.scores[column]
        if mask & ~free:
            continue
        if pending and alone[0] < added[0]:
            pending = False
            _descend(part, progress, free ^ bit, (score[0] + alone[0], score[1] + alone[1], score[2] + alone[2]))
        progress.stack.append(column)
        _descend(part, progress, free & ~mask, (score[0] + added[0], score[1] + added[1], score[2] + added[2]))
        progress.stack.pop()
    if pending:
        _descend(part, progress, free ^ bit, (score[0] + alone[0], score[1] + alone[1], score[2] + alone[2]))
