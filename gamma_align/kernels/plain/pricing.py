"""Twin of ``price``: branch and bound on every root, operation by operation that of src/pricing.hpp."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

_FORBIDDEN = -1e6
_PRECISE = 1e-12
_STALLED = 0.1


def price(
    begin: IntArray,
    partner: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    reach: FloatArray,
    prices: FloatArray,
    roots: IntArray,
    threshold: float,
    nodes: int,
    keep: int,
    every: bool,  # noqa: FBT001  (the compiled twin's signature)
    work: int,
    most: int,
) -> tuple[IntArray, IntArray, FloatArray, IntArray, FloatArray, int]:
    """Return columns of each root that gain more than a threshold at given prices, and a bound on all of them.

    The root of a column is its lowest unit. Its gain at prices y is Σ (1 - y) + Σ w - 1 over its units and their pairs,
    each of which stands at its lower unit.

    `reach` is Σ over annotators of each unit's best saving with a unit of theirs, where that is positive. The `roots`
    are searched in this order, each at `nodes` nodes at most; `keep` columns of a root are returned, the last of the
    ever better ones met, or `every` one above the threshold. When `work` look-ups of pairs are done, or `most` columns
    are there, what is left is bounded without a search.

    Returns
    -------
    offsets, units : ndarray of int64, shape (n_columns + 1,) and (n_entries,)
        The columns, units in the order of their annotators.
    saving : ndarray of float64, shape (n_columns,)
        What each saves: its number of units - 1 + Σ w.
    root : ndarray of int64, shape (n_columns,)
        The root of each.
    bound : ndarray of float64, shape (n_roots,)
        No column of the root gains more than this or the threshold, whichever is greater; in a search of every column,
        none is missing where it is the threshold.
    spent : int
        Work done.

    References
    ----------
    The bound: block-coordinate ascent on the dual of the max-product linear programme, with handshake updates
    (Globerson & Jaakkola 2007; Tourani, Shekhovtsov, Rother & Savchynskyy 2018).
    """
    pricer = _Pricer(begin, partner, saving, annotator, reach, prices, threshold, nodes, keep, every, work, most)
    gaining: list[tuple[int, float, list[int]]] = []
    bound = []
    for root in roots.tolist():
        bound.append(pricer.root(root))
        gaining += [(root, value, units) for value, units in pricer.incumbents]
    columns = [sorted([*units, root], key=annotator.__getitem__) for root, _, units in gaining]
    paid = [_sum(0.0, prices[column].tolist()) for column in columns]
    return (
        np.concatenate([[0], np.cumsum([len(column) for column in columns], dtype=np.int64)]).astype(np.int64),
        np.array([unit for column in columns for unit in column], dtype=np.int64),
        np.array([value + cost for (_, value, _), cost in zip(gaining, paid, strict=True)], dtype=np.float64),
        np.array([root for root, _, _ in gaining], dtype=np.int64),
        np.array(bound, dtype=np.float64),
        pricer.spent,
    )


@dataclass(slots=True)
class _Model:
    base: float
    begin: list[int]
    label: IntArray
    unary: FloatArray
    pair: FloatArray

    @property
    def ranges(self) -> list[tuple[int, int]]:
        return list(zip(self.begin[:-1], self.begin[1:], strict=True))

    def best(self) -> list[float]:
        return [float(self.unary[a:b].max()) for a, b in self.ranges]

    def sweep(self) -> None:
        ranges = self.ranges
        for r, (a, b) in enumerate(ranges):
            for c, d in ranges[r + 1 :]:
                both = self.unary[a:b, None] + self.unary[None, c:d] + self.pair[a:b, c:d]
                row = both.max(axis=1) / 2
                both -= row[:, None]
                column = both.max(axis=0)
                both -= column
                most = both.max(axis=1)
                both -= most[:, None]
                self.pair[a:b, c:d] = both
                self.unary[c:d] = column
                self.unary[a:b] = row + most

    def between(self, x: int, y: int) -> float:
        return float(self.pair[x, y] if x < y else self.pair[y, x])

    def reduced(self, kept: BoolArray) -> tuple[_Model, list[int]]:
        """Return what is left, and the labels that were taken because nothing else is left to their variable."""
        begin, live, taken = [0], [], []
        for a, b in self.ranges:
            left = [x for x in range(a, b) if kept[x]]
            if len(left) == 1:
                taken += left
                continue
            live += left
            begin.append(len(live))
        base = self.base
        for i, x in enumerate(taken):
            base += float(self.unary[x])
            for y in taken[:i]:
                base += self.between(y, x)
        unary = self.unary[live]
        for fixed in taken:
            unary = unary + np.array([self.between(fixed, x) for x in live])
        model = _Model(base, begin, self.label[live], unary, self.pair[np.ix_(live, live)])
        return model, self.label[taken].tolist()


@dataclass(slots=True)
class _Pricer:
    begin: IntArray
    partner: IntArray
    saving: FloatArray
    annotator: IntArray
    reach: FloatArray
    prices: FloatArray
    threshold: float
    nodes: int
    keep: int
    every: bool
    work: int
    most: int
    spent: int = 0
    listed: int = 0
    incumbents: list[tuple[float, list[int]]] = field(default_factory=list)
    width: int = field(init=False)
    root_unit: int = 0
    best: float = 0.0
    open: float = -inf
    left: int = 0
    unit_of: list[int] = field(default_factory=list)
    worth: FloatArray = field(init=False)
    table: FloatArray = field(init=False)
    chosen: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.width = int(self.annotator.max(initial=-1)) + 1

    def root(self, unit: int) -> float:
        """Search one root; return an upper bound of the gain of any of its columns."""
        self.root_unit, self.best, self.open, self.left = unit, self.threshold, -inf, self.nodes
        self.incumbents, self.chosen = [], []
        near = self._candidates(unit)
        if near:
            self._descend(self._model(near))
        self.listed += len(self.incumbents)
        return max(self.best, self.open)

    def _full(self) -> bool:
        return self.spent >= self.work or self.listed + len(self.incumbents) >= self.most

    def _candidates(self, unit: int) -> list[tuple[int, float]]:
        top = [0.0] * self.width
        seen = []
        for e in range(self.begin[unit], self.begin[unit + 1]):
            v = int(self.partner[e])
            worth = float(1.0 - self.prices[v] + self.saving[e])
            most = worth + float(self.reach[v]) / 2
            annotator = int(self.annotator[v])
            top[annotator] = max(top[annotator], most)
            seen.append((v, annotator, worth, most))
        total = _sum(-float(self.prices[unit]), top)
        if total <= self.best + _PRECISE:
            return []
        if self._full():
            self.open = total
            return []
        return [
            (v, worth) for v, annotator, worth, most in seen if total - top[annotator] + most > self.best + _PRECISE
        ]

    def _model(self, near: list[tuple[int, float]]) -> _Model:
        begin, worth, last = [], [], -1
        self.unit_of = []
        for v, value in sorted(near, key=lambda candidate: int(self.annotator[candidate[0]])):
            if self.annotator[v] != last:
                last = int(self.annotator[v])
                begin.append(len(self.unit_of))
                self.unit_of.append(-1)
                worth.append(0.0)
            self.unit_of.append(v)
            worth.append(value)
        begin.append(len(self.unit_of))
        self.worth, self.table = np.array(worth), self._table()
        labels = np.arange(len(worth))
        return _Model(-float(self.prices[self.root_unit]), begin, labels, self.worth.copy(), self.table.copy())

    def _table(self) -> FloatArray:
        index = {v: x for x, v in enumerate(self.unit_of) if v >= 0}
        table = np.full((len(self.unit_of),) * 2, _FORBIDDEN)
        none = np.flatnonzero(np.array(self.unit_of) < 0)
        table[none, :] = table[:, none] = 0.0
        for v, x in index.items():
            for e in range(self.begin[v], self.begin[v + 1]):
                y = index.get(int(self.partner[e]))
                if y is not None:
                    table[x, y] = table[y, x] = self.saving[e]
        return table

    def _decode(self, model: _Model) -> None:
        labels = list(self.chosen)
        value = model.unary.copy()
        for a, b in model.ranges:
            best = a + int(np.argmax(value[a:b]))
            labels.append(int(model.label[best]))
            value[b:] += model.pair[best, b:]
        self._offer(labels)

    def _offer(self, labels: list[int]) -> None:
        held = sorted(x for x in labels if self.unit_of[x] >= 0)
        value = -float(self.prices[self.root_unit])
        for x in held:
            value += float(self.worth[x])
        for i, x in enumerate(held):
            for y in held[:i]:
                value += float(self.table[y, x])
        if not held or not value > self.best + (0.0 if self.every else _PRECISE):
            return
        self.incumbents.append((value, [self.unit_of[x] for x in held]))
        if not self.every:
            self.best = value
            del self.incumbents[: -self.keep]

    def _descend(self, model: _Model) -> None:
        self.left -= 1
        mark = len(self.chosen)
        before = inf
        while True:
            if len(model.begin) == 1:
                self._offer(self.chosen)
                if not self.every and model.base > self.best:
                    self.open = max(self.open, model.base)
                break
            self.spent += len(model.label) ** 2
            model.sweep()
            bound = _sum(model.base, model.best())
            if not self.every and bound > self.best + _PRECISE:
                self._decode(model)
            if bound <= self.best + _PRECISE:
                break
            stalled = before - bound < _STALLED * (bound - self.best)
            before = bound
            kept = self._kept(model, bound)
            if not kept.all():
                model, taken = model.reduced(kept)
                self.chosen += taken
                continue
            if stalled:
                self._branch(model, bound)
                break
        del self.chosen[mark:]

    def _kept(self, model: _Model, bound: float) -> BoolArray:
        kept = np.zeros(len(model.label), dtype=np.bool_)
        for (a, b), best in zip(model.ranges, model.best(), strict=True):
            kept[a:b] = (bound - best) + model.unary[a:b] > self.best + _PRECISE
        return kept

    def _branch(self, model: _Model, bound: float) -> None:
        variable = int(np.argmin(np.diff(model.begin)))
        a, b = model.ranges[variable]
        rest = bound - model.best()[variable]
        for x in sorted(range(a, b), key=lambda label: -float(model.unary[label])):
            most = rest + float(model.unary[x])
            if most <= self.best + _PRECISE:
                break
            if self.left <= 0 or self._full():
                self.open = max(self.open, most)
                break
            kept = np.ones(len(model.label), dtype=np.bool_)
            kept[a:b] = False
            kept[x] = True
            mark = len(self.chosen)
            child, taken = model.reduced(kept)
            self.chosen += taken
            self._descend(child)
            del self.chosen[mark:]


def _sum(start: float, values: list[float]) -> float:
    for value in values:
        start += value
    return start
