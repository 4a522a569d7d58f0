"""Plain ``price``: columns of positive gain, found by branch and bound, in the same order as src/pricing.hpp.

The root of a column is its lowest unit. The greatest gain of the columns of one root is the optimum of a small
graphical model: one *variable* for each annotator with units near the root; the *labels* of a variable are these units
and "none". The value of a label is (1 - its price) + its saving with the root. Two labels of different variables have
their saving with each other as a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray

_FORBIDDEN = -1e6  # value of two labels that are no candidate pair; finite, so that sweeps can redistribute it
_GAIN_TOLERANCE = 1e-12  # gains that differ by less are equal
_MIN_BOUND_PROGRESS = 0.1  # of the distance from the bound to the best gain; branch if a sweep makes less progress


def price(
    begin: IntArray,
    partner: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    reach: FloatArray,
    prices: FloatArray,
    roots: IntArray,
    threshold: float,
    max_nodes: int,
    keep: int,
    list_all: bool,  # noqa: FBT001  (the compiled kernel has no keyword-only arguments)
    max_work: int,
    max_columns: int,
) -> tuple[IntArray, IntArray, FloatArray, IntArray, FloatArray, int]:
    """Return columns of each root with a gain above a threshold at given prices, and an upper bound of all gains.

    The root of a column is its lowest unit. The gain of a column at prices y is Σ (1 - y) + Σ w - 1 over its units and
    their pairs. Each pair is listed at its lower unit.

    Parameters
    ----------
    begin, partner, saving, annotator
        Pairs and units, see `gamma_align.kernels.plain`.
    reach : ndarray of float64, shape (n_units,)
        Σ over annotators of the best saving of the unit with one of their units, if that is positive.
    prices : ndarray of float64, shape (n_units,)
        y.
    roots : ndarray of int64, shape (n_roots,)
        Roots to search, in this order.
    threshold : float
        Gain that a column must exceed.
    max_nodes : int
        Limit for the nodes of the search of one root.
    keep : int
        Number of columns to return for each root: the last ones found, each of which was better than all before.
    list_all : bool
        Return all columns above the threshold instead.
    max_work, max_columns : int
        Limits for the number of pairs looked up and of columns returned. Beyond them, roots are bounded without a
        search.

    Returns
    -------
    offsets, units : ndarray of int64, shape (n_columns + 1,) and (n_entries,)
        The columns; units in the order of their annotators.
    saving : ndarray of float64, shape (n_columns,)
        Saving of each column: its number of units - 1 + Σ w.
    root : ndarray of int64, shape (n_columns,)
        Root of each column.
    bound : ndarray of float64, shape (n_roots,)
        No column of the root gains more than this or the threshold, whichever is greater. If all columns are listed and
        this is the threshold, the list of the root is complete.
    work : int
        Number of pairs looked up.

    References
    ----------
    The bound: block-coordinate ascent on the dual of the max-product linear programme, with handshake updates
    (Globerson & Jaakkola 2007; Tourani, Shekhovtsov, Rother & Savchynskyy 2018).
    """
    pricer = _Pricer(
        begin, partner, saving, annotator, reach, prices, threshold, max_nodes, keep, list_all, max_work, max_columns
    )
    columns_found: list[tuple[int, float, list[int]]] = []
    bound = []
    for root in roots.tolist():
        bound.append(pricer.search_root(root))
        columns_found += [(root, gain, units) for gain, units in pricer.incumbents]
    columns = [sorted([*units, root], key=annotator.__getitem__) for root, _, units in columns_found]
    paid = [_ordered_sum(0.0, prices[column].tolist()) for column in columns]
    return (
        np.concatenate([[0], np.cumsum([len(column) for column in columns], dtype=np.int64)]).astype(np.int64),
        np.fromiter(chain.from_iterable(columns), dtype=np.int64),
        np.array([gain + cost for (_, gain, _), cost in zip(columns_found, paid, strict=True)], dtype=np.float64),
        np.array([root for root, _, _ in columns_found], dtype=np.int64),
        np.array(bound, dtype=np.float64),
        pricer.work,
    )


@dataclass(slots=True)
class _Model:
    """A node of the search: the remaining labels of each variable, with values redistributed between them.

    Variable i has the labels begin[i] … begin[i + 1] - 1. `base` is the value of the labels that are already fixed;
    `label` are the labels of the root's first model, `unary` and `pair` the values of labels and of pairs of labels.
    """

    base: float
    begin: list[int]
    label: IntArray
    unary: FloatArray
    pair: FloatArray

    @property
    def ranges(self) -> list[tuple[int, int]]:
        return list(zip(self.begin[:-1], self.begin[1:], strict=True))

    def best(self) -> list[float]:
        """Return the value of the best label of each variable; with `base`, their sum is an upper bound."""
        return [float(self.unary[begin:end].max()) for begin, end in self.ranges]

    def sweep(self) -> None:
        """Redistribute values between labels, one pair of variables after the other; the bound never rises."""
        ranges = self.ranges
        for index, (begin, end) in enumerate(ranges):
            for other_begin, other_end in ranges[index + 1 :]:
                value = (
                    self.unary[begin:end, None]
                    + self.unary[None, other_begin:other_end]
                    + self.pair[begin:end, other_begin:other_end]
                )
                row = value.max(axis=1) / 2  # half of the value goes to either variable
                value -= row[:, None]
                column = value.max(axis=0)
                value -= column
                remainder = value.max(axis=1)
                value -= remainder[:, None]
                self.pair[begin:end, other_begin:other_end] = value
                self.unary[other_begin:other_end] = column
                self.unary[begin:end] = row + remainder

    def pair_value(self, x: int, y: int) -> float:
        """Return the value of two labels; only pairs of ascending variables are kept up to date."""
        return float(self.pair[x, y] if x < y else self.pair[y, x])

    def reduced(self, keep: BoolArray) -> tuple[_Model, list[int]]:
        """Return the model of the labels to keep, and the labels fixed because they are the last of their variable."""
        begin = [0]
        remaining = []
        fixed = []
        for low, high in self.ranges:
            labels = [x for x in range(low, high) if keep[x]]
            if len(labels) == 1:
                fixed += labels
                continue
            remaining += labels
            begin.append(len(remaining))
        base = self.base
        for index, x in enumerate(fixed):
            base += float(self.unary[x])
            for y in fixed[:index]:
                base += self.pair_value(y, x)
        unary = self.unary[remaining]
        for x in fixed:  # one after the other: sums are rounded as in the compiled kernel
            unary = unary + np.array([self.pair_value(x, y) for y in remaining])
        model = _Model(base, begin, self.label[remaining], unary, self.pair[np.ix_(remaining, remaining)])
        return model, self.label[fixed].tolist()


class _Candidate(NamedTuple):
    """A unit near the root: its value as a label, and an upper bound of the gain of a column by it."""

    unit: int
    annotator: int
    value: float
    max_value: float


@dataclass(slots=True)
class _Pricer:
    """The search, root by root; the first attributes are the parameters of `price`.

    `incumbents` are the (gain, units without the root) found for the current root. `best` is the gain that a column of
    it must exceed, `open_bound` an upper bound of the branches that were not searched.
    """

    begin: IntArray
    partner: IntArray
    saving: FloatArray
    annotator: IntArray
    reach: FloatArray
    prices: FloatArray
    threshold: float
    max_nodes: int
    keep: int
    list_all: bool
    max_work: int
    max_columns: int
    work: int = 0
    n_columns: int = 0  # of the previous roots
    incumbents: list[tuple[float, list[int]]] = field(default_factory=list)
    n_annotators: int = field(init=False)
    root: int = 0
    best: float = 0.0
    open_bound: float = -inf
    remaining_nodes: int = 0
    label_unit: list[int] = field(default_factory=list)  # -1: "none"
    label_value: FloatArray = field(init=False)  # as given, not redistributed
    pair_saving: FloatArray = field(init=False)  # of labels, as given
    fixed: list[int] = field(default_factory=list)  # labels fixed on the current branch

    def __post_init__(self) -> None:
        self.n_annotators = int(self.annotator.max(initial=-1)) + 1

    def search_root(self, unit: int) -> float:
        """Search one root; return an upper bound of the gain of all of its columns."""
        self.root = unit
        self.best = self.threshold
        self.open_bound = -inf
        self.remaining_nodes = self.max_nodes
        self.incumbents = []
        self.fixed = []
        candidates = self._candidates(unit)
        if candidates:
            self._descend(self._model(candidates))
        self.n_columns += len(self.incumbents)
        return max(self.best, self.open_bound)

    def _is_exhausted(self) -> bool:
        """Whether the limit of work or of columns is reached."""
        return self.work >= self.max_work or self.n_columns + len(self.incumbents) >= self.max_columns

    def _candidates(self, unit: int) -> list[_Candidate]:
        """Return the units that a column of this root with a gain above the best may contain."""
        best_of_annotator = [0.0] * self.n_annotators
        partners = []
        for e in range(self.begin[unit], self.begin[unit + 1]):
            v = int(self.partner[e])
            value = float(1.0 - self.prices[v] + self.saving[e])
            # Half of each saving is counted at either unit of a pair.
            candidate = _Candidate(v, int(self.annotator[v]), value, value + float(self.reach[v]) / 2)
            best_of_annotator[candidate.annotator] = max(best_of_annotator[candidate.annotator], candidate.max_value)
            partners.append(candidate)
        total = _ordered_sum(-float(self.prices[unit]), best_of_annotator)
        if total <= self.best + _GAIN_TOLERANCE:
            return []
        if self._is_exhausted():
            self.open_bound = total
            return []
        return [
            candidate
            for candidate in partners
            if total - best_of_annotator[candidate.annotator] + candidate.max_value > self.best + _GAIN_TOLERANCE
        ]

    def _model(self, candidates: list[_Candidate]) -> _Model:
        """Return the model of the root: labels by annotator, the first label of each variable is "none"."""
        begin = []
        values = []
        previous = -1
        self.label_unit = []
        for candidate in sorted(candidates, key=lambda candidate: candidate.annotator):
            if candidate.annotator != previous:
                previous = candidate.annotator
                begin.append(len(self.label_unit))
                self.label_unit.append(-1)
                values.append(0.0)
            self.label_unit.append(candidate.unit)
            values.append(candidate.value)
        begin.append(len(self.label_unit))
        self.label_value = np.array(values)
        self.pair_saving = self._pair_savings()
        labels = np.arange(len(values))
        return _Model(-float(self.prices[self.root]), begin, labels, self.label_value.copy(), self.pair_saving.copy())

    def _pair_savings(self) -> FloatArray:
        """Return the savings of all pairs of labels: 0 with "none", forbidden if they are no candidate pair."""
        label = {unit: x for x, unit in enumerate(self.label_unit) if unit >= 0}
        table = np.full((len(self.label_unit),) * 2, _FORBIDDEN)
        none = np.flatnonzero(np.array(self.label_unit) < 0)
        table[none, :] = table[:, none] = 0.0
        for unit, x in label.items():
            for e in range(self.begin[unit], self.begin[unit + 1]):
                y = label.get(int(self.partner[e]))
                if y is not None:
                    table[x, y] = table[y, x] = self.saving[e]
        return table

    def _decode(self, model: _Model) -> None:
        """Take the best label of each variable, given the labels of the previous variables, and offer the column."""
        labels = list(self.fixed)
        value = model.unary.copy()
        for begin, end in model.ranges:
            best = begin + int(np.argmax(value[begin:end]))
            labels.append(int(model.label[best]))
            value[end:] += model.pair[best, end:]
        self._offer(labels)

    def _offer(self, labels: Sequence[int]) -> None:
        """Add the column of these labels to the incumbents if its gain exceeds the best."""
        members = sorted(x for x in labels if self.label_unit[x] >= 0)
        gain = -float(self.prices[self.root])
        for x in members:
            gain += float(self.label_value[x])
        for index, x in enumerate(members):
            for y in members[:index]:  # the order of the compiled kernel
                gain += float(self.pair_saving[y, x])
        tolerance = 0.0 if self.list_all else _GAIN_TOLERANCE
        if not members or not gain > self.best + tolerance:
            return
        self.incumbents.append((gain, [self.label_unit[x] for x in members]))
        if not self.list_all:
            self.best = gain
            del self.incumbents[: -self.keep]

    def _descend(self, model: _Model) -> None:
        """Search a node: sweep and remove labels until nothing remains or the bound stalls, then branch."""
        self.remaining_nodes -= 1
        n_fixed = len(self.fixed)
        previous_bound = inf
        while True:
            if len(model.begin) == 1:
                self._offer(self.fixed)
                if not self.list_all and model.base > self.best:  # by rounding alone
                    self.open_bound = max(self.open_bound, model.base)
                break
            self.work += len(model.label) ** 2
            model.sweep()
            bound = _ordered_sum(model.base, model.best())
            if not self.list_all and bound > self.best + _GAIN_TOLERANCE:
                self._decode(model)
            if bound <= self.best + _GAIN_TOLERANCE:
                break
            is_stalled = previous_bound - bound < _MIN_BOUND_PROGRESS * (bound - self.best)
            previous_bound = bound
            keep = self._labels_to_keep(model, bound)
            if not keep.all():
                model, fixed = model.reduced(keep)
                self.fixed += fixed
                continue
            if is_stalled:
                self._branch(model, bound)
                break
        del self.fixed[n_fixed:]

    def _labels_to_keep(self, model: _Model, bound: float) -> BoolArray:
        """Return which labels a column with a gain above the best may contain."""
        keep = np.zeros(len(model.label), dtype=np.bool_)
        for (begin, end), best in zip(model.ranges, model.best(), strict=True):
            keep[begin:end] = (bound - best) + model.unary[begin:end] > self.best + _GAIN_TOLERANCE
        return keep

    def _branch(self, model: _Model, bound: float) -> None:
        """Search each label of the variable with the fewest labels, the best label first."""
        variable = int(np.argmin(np.diff(model.begin)))
        begin, end = model.ranges[variable]
        other_variables = bound - model.best()[variable]
        for x in sorted(range(begin, end), key=lambda label: -float(model.unary[label])):
            branch_bound = other_variables + float(model.unary[x])
            if branch_bound <= self.best + _GAIN_TOLERANCE:
                break
            if self.remaining_nodes <= 0 or self._is_exhausted():
                self.open_bound = max(self.open_bound, branch_bound)
                break
            keep = np.ones(len(model.label), dtype=np.bool_)
            keep[begin:end] = False
            keep[x] = True
            n_fixed = len(self.fixed)
            child, fixed = model.reduced(keep)
            self.fixed += fixed
            self._descend(child)
            del self.fixed[n_fixed:]


def _ordered_sum(start: float, values: list[float]) -> float:
    """Return the sum of all values, added in order, as in the compiled kernel."""
    for value in values:
        start += value
    return start
