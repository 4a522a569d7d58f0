"""δ² between values as coefficients on lengths or counts need it: by pairs, and summed over a mixture of values.

Conventions
-----------
Values are rows 0 … n_values - 1 of the labels a metric is bound to; None stands for "no label". Margins are how much
there is of each value, a column for each set of data: shape (n_values, n_sets). Krippendorff's ordinal metric depends
on them; the others do not.

References
----------
Krippendorff 2019, Content Analysis, §12.3 (nominal, ordinal, interval and ratio metrics).
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import FloatArray, IntArray

PairsOfCodes = Callable[["IntArray", "IntArray"], "FloatArray"]
"""From two arrays of codes, broadcast against each other, to the distance of each pair."""


class Metric(abc.ABC):
    """δ² bound to labels; symmetric, zero for a value and itself."""

    __slots__ = ()

    @abc.abstractmethod
    def take(self, rows: IntArray) -> Metric:
        """Return the metric of these values alone."""

    @abc.abstractmethod
    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:
        """Return δ² of pairs of values, shape (n_pairs, n_sets) or (n_pairs, 1) where margins do not matter."""

    @abc.abstractmethod
    def weighted_sum(self, margins: FloatArray) -> FloatArray:
        """Return Σ_k margin_k · δ²_ck for each value c, shape (n_values, n_sets)."""


class NominalMetric(Metric):
    """δ² = 0 for the same value, 1 for different ones."""

    def take(self, rows: IntArray) -> NominalMetric:  # noqa: ARG002  (values do not matter)
        """See `Metric.take`."""
        return self

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:  # noqa: ARG002
        """See `Metric.pairs`."""
        differ: FloatArray = (first != second).astype(np.float64)[:, None]
        return differ

    def weighted_sum(self, margins: FloatArray) -> FloatArray:
        """See `Metric.weighted_sum`."""
        # summed without the value itself, and not by subtracting it: nothing but one value is exactly nothing
        before = np.cumsum(margins, axis=0) - margins
        after = np.cumsum(margins[::-1], axis=0)[::-1] - margins
        return before + after


@dataclass(frozen=True, slots=True)
class LineMetric(Metric):
    """δ² = (x_c - x_k)² for values on a line: x are numbers, or the mid-ranks of Krippendorff's ordinal metric.

    `values` are x, or if they are `ranked` the rank of each value from 0, whose x depends on the margins.
    """

    values: FloatArray
    ranked: bool = False

    def take(self, rows: IntArray) -> LineMetric:
        """See `Metric.take`."""
        return LineMetric(self.values[rows], self.ranked)

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:
        """See `Metric.pairs`."""
        x = self._positions(margins)
        return np.square(x[first] - x[second])

    def weighted_sum(self, margins: FloatArray) -> FloatArray:
        """Return Σ_k margin_k · δ²_ck by its closed form, linear in the number of values."""
        x = self._positions(margins)
        # measured from a value there is most of: where it is the only one, everything is exactly 0
        origin = margins.argmax(axis=0)[None, :] if len(margins) else np.zeros((0, margins.shape[1]), dtype=np.int64)
        x = x - np.take_along_axis(np.broadcast_to(x, margins.shape), origin, axis=0).sum(axis=0)
        total = column_sums(margins)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(total > 0, column_sums(margins * x) / total, 0.0)
        from_mean = np.square(x - mean)
        sums: FloatArray = total * from_mean + column_sums(margins * from_mean)
        return sums

    def _positions(self, margins: FloatArray) -> FloatArray:
        """Return x, shape (n_values, n_sets) or (n_values, 1)."""
        return mid_ranks(self.values, margins) if self.ranked else self.values[:, None]


def mid_ranks(ranks: FloatArray, margins: FloatArray) -> FloatArray:
    """Return M = Σ_{g < c} n_g + n_c / 2 of values with these ranks from 0, n_g the margin of rank g."""
    rows = ranks.astype(np.int64)
    size = np.zeros((int(rows.max(initial=-1)) + 1, margins.shape[1]))
    np.add.at(size, rows, margins)
    middle: FloatArray = (np.cumsum(size, axis=0) - size / 2)[rows]
    return middle


@dataclass(frozen=True, slots=True)
class PairMetric(Metric):
    """δ² by any function of two rows."""

    squared: PairsOfCodes

    def take(self, rows: IntArray) -> PairMetric:
        """See `Metric.take`."""
        return PairMetric(lambda first, second: self.squared(rows[first], rows[second]))

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:  # noqa: ARG002
        """See `Metric.pairs`."""
        return self.squared(first, second)[:, None]

    def weighted_sum(self, margins: FloatArray) -> FloatArray:
        """See `Metric.weighted_sum`."""
        every = np.arange(len(margins))
        sums: FloatArray = np.zeros_like(margins)
        # value by value, and no matrix product: that one rounds by the shape of what it is given
        for value in every.tolist():
            sums += self.squared(every, np.full_like(every, value))[:, None] * margins[value]
        return sums


def column_sums(numbers: FloatArray) -> FloatArray:
    """Return the sum of each column, rows added in their order: the same for one column as among many."""
    running = np.cumsum(numbers, axis=0)
    return running[-1] if len(running) else np.zeros(numbers.shape[1:])
