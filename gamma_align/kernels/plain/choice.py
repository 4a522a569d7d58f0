"""Plain ``choose``: shortest paths over states, in the same order as src/choice.hpp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray

_MAX_SPAN = 256  # units from the lowest to the highest of a column: the size of the compiled kernel's masks


class _Label(NamedTuple):
    """The best path to a state.

    `min_loss` is the exact least loss over all paths to the state. This path has the `loss`, within the tolerance of
    `min_loss`.
    """

    min_loss: float
    loss: float
    alignments: int
    hash: int
    parent: _Label | None
    column: int

    def step(self, loss: float, tie_hash: int, column: int) -> _Label:
        """Return the path continued with a column, or with a unit alone (-1)."""
        return _Label(self.min_loss + loss, self.loss + loss, self.alignments + 1, self.hash + tie_hash, self, column)

    def better(self, rival: _Label, tie: float) -> _Label:
        """Return the better of two paths to one state, by the tie rule if both have the least loss."""
        min_loss = min(self.min_loss, rival.min_loss)
        best = self
        if rival.loss <= min_loss + tie and (
            self.loss > min_loss + tie or (rival.alignments, -rival.hash) > (self.alignments, -self.hash)
        ):
            best = rival
        return best._replace(min_loss=min_loss)


class _Column(NamedTuple):
    """A column of a part; bit i of `mask` is its lowest unit + i."""

    number: int
    mask: int
    loss: float
    hash: int


@dataclass(slots=True)
class _Part:
    """A part, its units numbered 0 … n - 1.

    `columns` are listed by their lowest unit. `max_release_loss` is, for each unit, the greatest additional loss if the
    unit is removed from a column and the other units of the column are left alone.
    """

    price: list[float]
    alone_hash: list[int]
    max_release_loss: list[float]
    columns: list[list[_Column]] = field(default_factory=list)
    span: int = 1

    def add_unit(self, price: float, alone_hash: int) -> int:
        """Add a unit; return its number in the part."""
        self.price.append(price)
        self.alone_hash.append(alone_hash)
        self.max_release_loss.append(0.0)
        self.columns.append([])
        return len(self.price) - 1

    def add_column(self, index: int, rows: list[int], loss: float, tie_hash: int) -> None:
        """Add a column of these units."""
        low = min(rows)
        self.span = max(self.span, max(rows) - low + 1)
        mask = sum(1 << (row - low) for row in rows)
        self.columns[low].append(_Column(index, mask, loss, tie_hash))
        total_price = 0.0
        for row in rows:
            total_price += self.price[row]
        for row in rows:
            self.max_release_loss[row] = max(self.max_release_loss[row], total_price - self.price[row] - loss)


def choose(
    part: IntArray,
    offsets: IntArray,
    units: IntArray,
    loss: FloatArray,
    price: FloatArray,
    tie_hash: IntArray,
    alone_hash: IntArray,
    loss_limit: FloatArray,
    max_work: IntArray,
    tie: float,
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the selection of disjoint columns of least loss in each part; units in no selected column stay alone.

    Among selections whose losses differ by no more than `tie`, one of the most unitary alignments is returned, and
    among these the one of the least Σ hash.

    A part is processed from its first unit on. A *state* is the lowest unit not yet covered, together with the set of
    higher units that are covered; only the best path to each state is kept. Tolerances do not add up: the loss of the
    kept path is within `tie` of the exact least loss. A state is dropped if its loss exceeds the loss of a known
    selection, or if every completion of it is worse than a completion of the leading state of the same lowest unit. The
    leading state can be brought to the same cover at a known cost: each unit that only the leading state covers is
    removed from its column and the other units of the column are left alone; each unit that only the other state covers
    is left alone. If the lead exceeds this cost, the other state is dropped. Both criteria are exact, because no loss
    is negative. Few states are alive at a time if columns span few units.

    Parameters
    ----------
    part : ndarray of int64, shape (n_units,)
        The part of each unit, or -1; the units of a column are in one part.
    offsets, units, loss, tie_hash
        The columns, their losses (0 or more) and their tie hashes.
    price, alone_hash
        Loss and tie hash of each unit alone.
    loss_limit : ndarray of float64, shape (n_parts,)
        A loss that a selection in the part is known to reach, or infinity.
    max_work : ndarray of int64, shape (n_parts,)
        Limit for the number of states visited plus the number of columns tried on them.
    tie : float
        Tolerance for equal losses.

    Returns
    -------
    min_loss : ndarray of float64, shape (n_parts,)
        The least loss; 0 if the part was not solved.
    is_solved : ndarray of int64, shape (n_parts,)
        1 if the part was solved: `max_work` sufficed, and no column spans more than 256 units of the part.
    selected : ndarray of int64
        The columns selected in the solved parts, ascending.
    """
    n_parts = len(loss_limit)
    min_loss = np.zeros(n_parts)
    is_solved = np.zeros(n_parts, dtype=np.int64)
    selected: list[int] = []
    parts, row = _parts(part, price, alone_hash, n_parts)
    _add_columns(parts, part, row, (offsets, units), (loss, tie_hash))
    for index, current in enumerate(parts):
        best = _search(current, float(loss_limit[index]), int(max_work[index]), tie)
        if best is None:
            continue
        is_solved[index] = 1
        min_loss[index] = best.min_loss
        label: _Label | None = best
        while label is not None:
            if label.column >= 0:
                selected.append(label.column)
            label = label.parent
    return min_loss, is_solved, np.array(sorted(selected), dtype=np.int64)


def _parts(part: IntArray, price: FloatArray, alone_hash: IntArray, n_parts: int) -> tuple[list[_Part], list[int]]:
    """Return the parts without columns, and the number of each unit in its part."""
    parts = [_Part([], [], []) for _ in range(n_parts)]
    row = [0] * len(part)
    for unit, (index, unit_price, unit_hash) in enumerate(
        zip(part.tolist(), price.tolist(), alone_hash.tolist(), strict=True)
    ):
        if index >= 0:
            row[unit] = parts[index].add_unit(unit_price, unit_hash)
    return parts, row


def _add_columns(
    parts: list[_Part],
    part: IntArray,
    row: list[int],
    columns: tuple[IntArray, IntArray],
    values: tuple[FloatArray, IntArray],
) -> None:
    """Add each column to the part of its units; `values` are losses and tie hashes."""
    label = part.tolist()
    ends = columns[0].tolist()
    units = columns[1].tolist()
    for column, (loss, tie_hash) in enumerate(zip(values[0].tolist(), values[1].tolist(), strict=True)):
        members = units[ends[column] : ends[column + 1]]
        if label[members[0]] >= 0:
            parts[label[members[0]]].add_column(column, [row[unit] for unit in members], loss, tie_hash)


def _search(part: _Part, loss_limit: float, max_work: int, tie: float) -> _Label | None:
    """Return the end of the best path, or None if the work limit was reached."""
    size = len(part.price)
    start = _Label(0.0, 0.0, 0, 0, None, -1)
    if size == 0:
        return start
    if part.span > _MAX_SPAN:
        return None
    best = None
    remaining_work = max_work
    # The states of each lowest uncovered unit, by the set of covered units: bit i is that unit + i.
    stages: list[dict[int, _Label]] = [{} for _ in range(size)]
    stages[0][0] = start
    for stage, states in enumerate(stages):
        # Equivalent to charging each state in turn, as the compiled kernel does.
        remaining_work -= len(states) * (1 + len(part.columns[stage]))
        if remaining_work < 0:
            return None
        for cover, label in _promising_states(part, stage, states, tie):
            for new_cover, path in _continuations(part, stage, cover, label):
                if path.min_loss > loss_limit + tie:
                    continue
                n_covered = (~new_cover & (new_cover + 1)).bit_length() - 1  # ones at the low end
                if stage + n_covered < size:
                    target = stages[stage + n_covered]
                    state = new_cover >> n_covered
                    target[state] = target[state].better(path, tie) if state in target else path
                else:
                    best = path if best is None else best.better(path, tie)
                    loss_limit = min(loss_limit, path.min_loss)
        states.clear()  # frees memory
    return best


def _continuations(part: _Part, stage: int, cover: int, label: _Label) -> Iterator[tuple[int, _Label]]:
    """Yield (covered units, path) for each way to cover the unit of the stage."""
    for column in part.columns[stage]:
        if not column.mask & cover:
            yield cover | column.mask, label.step(column.loss, column.hash, column.number)
    yield cover | 1, label.step(part.price[stage], part.alone_hash[stage], -1)


def _promising_states(part: _Part, stage: int, states: dict[int, _Label], tie: float) -> Iterator[tuple[int, _Label]]:
    """Yield the states except those that the leading state dominates: see `choose`."""
    if not states:
        return
    leading_cover, leader = min(states.items(), key=lambda state: state[1].min_loss)
    for cover, label in states.items():
        lead = label.min_loss - leader.min_loss - tie
        if lead > 0.0:
            for bit in _bits(leading_cover & ~cover):
                lead -= part.max_release_loss[stage + bit]
            for bit in _bits(cover & ~leading_cover):
                lead -= part.price[stage + bit]
        if not lead > 0.0:
            yield cover, label


def _bits(mask: int) -> Iterator[int]:
    """Yield the positions of the ones in a mask, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
