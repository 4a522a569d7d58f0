"""δ² between values, for coefficients on lengths or counts: by pairs, and summed over a distribution of values.

Conventions
-----------
Values are rows 0 … n_values - 1 of the labels of a metric; None is "no label". Margins are the total length or count of
each value, with a column for each data set: shape (n_values, n_sets). Only Krippendorff's ordinal metric depends on
them.

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
    """δ² bound to labels; it is symmetric, and 0 for equal values."""

    __slots__ = ()

    @abc.abstractmethod
    def take(self, rows: IntArray) -> Metric:
        """Return the metric of a selection of the values."""

    @abc.abstractmethod
    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:
        """Return δ² of pairs of values, shape (n_pairs, n_sets), or (n_pairs, 1) if it does not depend on margins."""

    @abc.abstractmethod
    def weighted_sum(self, margins: FloatArray) -> FloatArray:
        """Return Σ_k margin_k · δ²_ck for each value c, shape (n_values, n_sets)."""


class NominalMetric(Metric):
    """δ² = 0 for equal values, 1 for different ones."""

    def take(self, rows: IntArray) -> NominalMetric:  # noqa: ARG002  (independent of the values)
        """See `Metric.take`."""
        return self

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:  # noqa: ARG002
        """See `Metric.pairs`."""
        differ: FloatArray = (first != second).astype(np.float64)[:, None]
        return differ

    def weighted_sum(self, margins: FloatArray) -> FloatArray:
        """See `Metric.weighted_sum`."""
        # Sums without the value itself. Subtracting it from the total would not give exactly 0 for a single value.
        before = np.cumsum(margins, axis=0) - margins
        after = np.cumsum(margins[::-1], axis=0)[::-1] - margins
        return before + after


@dataclass(frozen=True, slots=True, eq=False)
class LineMetric(Metric):
    """δ² = (x_c - x_k)² for values on a line: x are numbers, or the mid-ranks of Krippendorff's ordinal metric.

    `values` are x. If `ranked`, they are the ranks of the values from 0, and x depends on the margins.
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
        # Relative to the most frequent value: if it is the only one, the result is exactly 0.
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
    """δ² by a function of two rows."""

    squared: PairsOfCodes

    def take(self, rows: IntArray) -> PairMetric:
        """See `Metric.take`."""
        return PairMetric(lambda first, second: self.squared(rows[first], rows[second]))

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:  # noqa: ARG002
        """See `Metric.pairs`."""
        return self.squared(first, second)[:, None]

    def weighted_sum(self, margins: FloatArray) -> FloatArray:
        """See `Metric.weighted_sum`."""
        rows = np.arange(len(margins))
        sums: FloatArray = np.zeros_like(margins)
        # Value by value: the rounding of a matrix product depends on the shapes.
        for value in rows.tolist():
            sums += self.squared(rows, np.full_like(rows, value))[:, None] * margins[value]
        return sums


def column_sums(numbers: FloatArray) -> FloatArray:
    """Return the sum of each column, with rows added in order: a column has the same sum alone and among others."""
    running = np.cumsum(numbers, axis=0)
    return running[-1] if len(running) else np.zeros(numbers.shape[1:])
