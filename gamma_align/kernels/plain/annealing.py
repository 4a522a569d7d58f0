"""Plain ``anneal``: a better alignment by simulated annealing, by the same operations as src/annealing.hpp."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.kernels.plain.soft_prices import exponential

_NEVER = -1e3  # saving of two units that cannot be aligned
_MASK = 2**64 - 1
_ALONE_BITS = 31  # one move in 32 is away from all other units


def anneal(
    begin: IntArray,
    partner: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    label: IntArray,
    moves: int,
    levels: int,
    temperature: float,
    ratio: float,
    seed: int,
) -> IntArray:
    """Return the labels of the best alignment found by simulated annealing of one instance.

    A move takes a random unit to the group of a random partner, or away from all others. If a unit of its annotator is
    in that group, the two change places. A move that saves g < 0 is accepted with the probability e^(g / temperature).
    There are `moves` moves at each of the `levels`; then the temperature is multiplied by `ratio`. The result is the
    best of the alignments at the ends of the levels and the initial one, `label`, whose labels are less than n_units.

    References
    ----------
    Kirkpatrick, Gelatt & Vecchi 1983, Optimization by simulated annealing, Science 220.
    """
    if not len(label):
        return label.copy()
    work = _Annealing(begin, partner, saving, annotator, label, seed)
    gained = best = 0.0
    best_label = list(work.label)
    for _ in range(levels):
        for _ in range(moves):
            gained += work.move(temperature)
        if gained > best:
            best, best_label = gained, list(work.label)
        temperature *= ratio
    return np.array(best_label, dtype=np.int64)


class _Annealing:
    """An alignment of one instance: the members of each group, the place of each unit among them, and empty groups."""

    def __init__(
        self, begin: IntArray, partner: IntArray, saving: FloatArray, annotator: IntArray, label: IntArray, seed: int
    ) -> None:
        n_units = len(annotator)
        self._partners = [partner[begin[u] : begin[u + 1]].tolist() for u in range(n_units)]
        self._annotator, self._state = annotator.tolist(), seed
        self._saving = np.full((n_units, n_units), _NEVER)
        self._saving[np.repeat(np.arange(n_units), np.diff(begin)), partner] = saving
        self.label: list[int] = label.tolist()
        self._members: list[list[int]] = [[] for _ in range(n_units)]
        for unit, group in enumerate(self.label):
            self._members[group].append(unit)
        self._empty = [group for group in reversed(range(n_units)) if not self._members[group]]

    def _random(self) -> int:
        """Return the next number of SplitMix64."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
        return value ^ (value >> 31)

    def _saved(self, unit: int, group: int, without: int) -> float:
        """Return the saving of a unit with the members of a group, without itself and another unit."""
        total = 0.0
        for neighbour in self._members[group]:
            if neighbour not in {unit, without}:
                total += float(self._saving[unit, neighbour])
        return total

    def move(self, temperature: float) -> float:
        """Try one move; return what it saves, 0 if it is rejected."""
        drawn = self._random()
        unit = (drawn >> 20) % len(self.label)
        partners, source = self._partners[unit], self.label[unit]
        if not partners:
            return 0.0
        is_alone = drawn & _ALONE_BITS == 0
        if is_alone:
            if len(self._members[source]) == 1:
                return 0.0
            target = self._empty[-1]
        else:
            target = self.label[partners[(self._random() >> 20) % len(partners)]]
            if target == source:
                return 0.0
        same = [neighbour for neighbour in self._members[target] if self._annotator[neighbour] == self._annotator[unit]]
        neighbour = same[0] if same else -1
        gain = self._gain(unit, source, target, neighbour, is_alone=is_alone)
        if not gain >= 0.0:
            chance = (self._random() >> 11) * 2.0**-53
            if not chance < float(exponential(np.array([gain / temperature]))[0]):
                return 0.0
        self._apply(unit, source, target, neighbour, is_alone=is_alone)
        return gain

    def _gain(self, unit: int, source: int, target: int, neighbour: int, *, is_alone: bool) -> float:
        gain = self._saved(unit, target, neighbour) - self._saved(unit, source, -1)
        if neighbour >= 0:
            return gain + (self._saved(neighbour, source, unit) - self._saved(neighbour, target, -1))
        if len(self._members[source]) == 1:
            gain += 1.0
        if is_alone:
            gain -= 1.0
        return gain

    def _apply(self, unit: int, source: int, target: int, neighbour: int, *, is_alone: bool) -> None:
        members, position = self._members[source], self._members[source].index(unit)
        self.label[unit] = target
        if neighbour >= 0:
            self._members[target][self._members[target].index(neighbour)] = unit
            members[position] = neighbour
            self.label[neighbour] = source
            return
        if is_alone:
            self._empty.pop()
        members[position] = members[-1]
        members.pop()
        if not members:
            self._empty.append(source)
        self._members[target].append(unit)
