"""Twin of ``choose``: shortest paths over states, in the same order as src/choice.hpp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray

_SPAN = 256  # units that a column may reach over: what the compiled kernel's masks hold


class _Label(NamedTuple):
    """The best way to a state, and `least`, the exact least loss of all ways: `loss` is within the tolerance of it."""

    least: float
    loss: float
    alignments: int
    hash: int
    parent: _Label | None
    column: int

    def step(self, loss: float, value: int, column: int) -> _Label:
        """Return the way that goes on with a column, or a unit alone (-1)."""
        return _Label(self.least + loss, self.loss + loss, self.alignments + 1, self.hash + value, self, column)

    def or_better(self, rival: _Label, tie: float) -> _Label:
        """Return the better of two ways to one state, by the tie rule where both are of least loss."""
        least = min(self.least, rival.least)
        best = self
        if rival.loss <= least + tie and (
            self.loss > least + tie or (rival.alignments, -rival.hash) > (self.alignments, -self.hash)
        ):
            best = rival
        return best._replace(least=least)


@dataclass(slots=True)
class _Part:
    """Units 0 … n - 1, and the columns of each lowest unit as (id, mask from that unit on, loss, hash)."""

    price: list[float]
    alone_hash: list[int]
    freed: list[float]
    columns: list[list[tuple[int, int, float, int]]] = field(default_factory=list)
    span: int = 1


def choose(
    part: IntArray,
    offsets: IntArray,
    units: IntArray,
    loss: FloatArray,
    price: FloatArray,
    hash: IntArray,  # noqa: A002  (the tie hash, by that name everywhere)
    alone_hash: IntArray,
    known: FloatArray,
    nodes: IntArray,
    tie: float,
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the choice of disjoint columns of least loss in each part; units in none of them stay alone.

    Among choices of equal loss, to within `tie`: one of most unitary alignments, and among those of least Σ hash.

    A part is swept from its first unit on. A *state* is the lowest unit not yet covered with the set of units covered
    beyond it; of the ways to a state the best is kept (tolerances do not add up: its loss is within `tie` of the exact
    least). A state falls away where its loss exceeds that of a choice already known, or where the leading state of the
    same lowest unit does better whatever follows: that is the case if it is ahead by more than what it takes to bring
    it to the same cover, units that only it covers taken out of their columns and the rest of these left alone, units
    that only the other covers left alone. Both ways out are exact, because no loss is negative. Few states are alive at
    a time where columns reach over few units.

    `part`, shape (n_units,), is the part of each unit, or -1; the units of a column are in one part. `loss` and `hash`
    are the loss (0 or more) and the tie hash of each column, `price` and `alone_hash` those of each unit alone. Each
    part has a loss that some choice in it is `known` to reach, or infinity, and the work allowed for it in `nodes`:
    states looked at, and columns tried on them.

    Returns
    -------
    least : ndarray of float64, shape (n_parts,)
        The least loss, 0 where the part was not solved.
    solved : ndarray of int64, shape (n_parts,)
        1 where it was: the nodes sufficed, and no column reaches over more than 256 units of its part.
    chosen : ndarray of int64
        The columns chosen in the parts solved, ascending.
    """
    least, solved = np.zeros(len(known)), np.zeros(len(known), dtype=np.int64)
    chosen: list[int] = []
    parts = _parts(part, (offsets, units), (loss, hash), (price, alone_hash), len(known))
    for number, units_of_part in enumerate(parts):
        best = _search(units_of_part, float(known[number]), int(nodes[number]), tie)
        if best is None:
            continue
        solved[number], least[number] = 1, best.least
        step: _Label | None = best
        while step is not None:
            if step.column >= 0:
                chosen.append(step.column)
            step = step.parent
    return least, solved, np.array(sorted(chosen), dtype=np.int64)


def _parts(
    part: IntArray,
    columns: tuple[IntArray, IntArray],
    of_columns: tuple[FloatArray, IntArray],
    of_units: tuple[FloatArray, IntArray],
    n_parts: int,
) -> list[_Part]:
    """Return the parts; units and columns of each in ascending order."""
    parts = [_Part([], [], []) for _ in range(n_parts)]
    row = [0] * len(part)
    label = part.tolist()
    for unit, (price, alone) in enumerate(zip(of_units[0].tolist(), of_units[1].tolist(), strict=True)):
        if label[unit] >= 0:
            own = parts[label[unit]]
            row[unit] = len(own.price)
            own.price.append(price)
            own.alone_hash.append(alone)
            own.freed.append(0.0)
            own.columns.append([])
    ends, units = columns[0].tolist(), columns[1].tolist()
    for column, (loss, value) in enumerate(zip(of_columns[0].tolist(), of_columns[1].tolist(), strict=True)):
        members = units[ends[column] : ends[column + 1]]
        if label[members[0]] >= 0:
            _add(parts[label[members[0]]], column, [row[unit] for unit in members], (loss, value))
    return parts


def _add(part: _Part, column: int, rows: list[int], of_column: tuple[float, int]) -> None:
    """Add a column of these rows."""
    loss, value = of_column
    low = min(rows)
    part.span = max(part.span, max(rows) - low + 1)
    part.columns[low].append((column, sum(1 << (row - low) for row in rows), loss, value))
    alone = 0.0
    for row in rows:
        alone += part.price[row]
    for row in rows:
        part.freed[row] = max(part.freed[row], alone - part.price[row] - loss)


def _search(part: _Part, known: float, nodes: int, tie: float) -> _Label | None:
    """Return the end of the best way, or None if the nodes did not suffice."""
    size = len(part.price)
    start = _Label(0.0, 0.0, 0, 0, None, -1)
    if size == 0:
        return start
    if part.span > _SPAN:
        return None
    limit, best = known, None
    stages: list[dict[int, _Label]] = [{} for _ in range(size)]
    stages[0][0] = start
    for stage, states in enumerate(stages):
        nodes -= len(states) * (1 + len(part.columns[stage]))
        if nodes < 0:
            return None
        for cover, label in _hopeful(part, stage, states, tie):
            for reached, way in _ways(part, stage, cover, label):
                if way.least > limit + tie:
                    continue
                gone = (~reached & (reached + 1)).bit_length() - 1  # ones at the low end
                if stage + gone < size:
                    ahead, state = stages[stage + gone], reached >> gone
                    ahead[state] = ahead[state].or_better(way, tie) if state in ahead else way
                else:
                    best, limit = way if best is None else best.or_better(way, tie), min(limit, way.least)
        states.clear()
    return best


def _ways(part: _Part, stage: int, cover: int, label: _Label) -> Iterator[tuple[int, _Label]]:
    """Yield (units covered, label) of each way to cover the unit of the stage."""
    for column, mask, loss, value in part.columns[stage]:
        if not mask & cover:
            yield cover | mask, label.step(loss, value, column)
    yield cover | 1, label.step(part.price[stage], part.alone_hash[stage], -1)


def _hopeful(part: _Part, stage: int, states: dict[int, _Label], tie: float) -> Iterator[tuple[int, _Label]]:
    """Yield the states but for those whose completions all complete the leading state at less loss."""
    if not states:
        return
    top, lead = min(states.items(), key=lambda state: state[1].least)
    for cover, label in states.items():
        room = label.least - lead.least - tie
        if room > 0.0:
            for bit in _bits(top & ~cover):
                room -= part.freed[stage + bit]
            for bit in _bits(cover & ~top):
                room -= part.price[stage + bit]
        if not room > 0.0:
            yield cover, label


def _bits(mask: int) -> Iterator[int]:
    """Yield the positions of the ones in a mask, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
