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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray

Labels = Sequence[str | None]


class Metric(Protocol):
    """δ² bound to labels; symmetric, zero for a value and itself."""

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:
        """Return δ² of pairs of values, shape (n_pairs, n_sets) or (n_pairs, 1) where margins do not matter."""
        ...

    def spread(self, margins: FloatArray) -> FloatArray:
        """Return Σ_k margin_k · δ²_ck for each value c, shape (n_values, n_sets)."""
        ...


class Distance(Protocol):
    """A distance between labels that can be asked for its δ²."""

    @property
    def name(self) -> str:
        """Short name for the signature."""
        ...

    def metric(self, labels: Labels) -> Metric:
        """Return δ² for these labels, unscaled.

        Raises
        ------
        InputError
            For a label the distance cannot tell from others: no number, unknown, or no label at all.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        ...


@dataclass(frozen=True, slots=True)
class NominalMetric:
    """δ² = 0 for the same value, 1 for different ones."""

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return δ² of pairs; see `Metric.pairs`."""
        differ: FloatArray = (first != second).astype(np.float64)[:, None]
        return differ

    def spread(self, margins: FloatArray) -> FloatArray:
        """Return Σ_k margin_k · δ²_ck; see `Metric.spread`."""
        # summed without the value itself, and not by subtracting it: nothing but one value is exactly nothing
        before = np.cumsum(margins, axis=0) - margins
        after = np.cumsum(margins[::-1], axis=0)[::-1] - margins
        return before + after


@dataclass(frozen=True, slots=True)
class LineMetric:
    """δ² = (x_c - x_k)² for values that stand on a line: where, may depend on the margins.

    Attributes
    ----------
    place : callable
        From margins to x, shape (n_values, n_sets) or (n_values, 1).
    """

    place: Callable[[FloatArray], FloatArray]

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:
        """Return δ² of pairs; see `Metric.pairs`."""
        at = self.place(margins)
        return np.square(at[first] - at[second])

    def spread(self, margins: FloatArray) -> FloatArray:
        """Return Σ_k margin_k · δ²_ck by its closed form, linear in the number of values; see `Metric.spread`."""
        at = self.place(margins)
        # measured from a value there is most of: where it is the only one, everything is exactly 0
        origin = margins.argmax(axis=0)[None, :] if len(margins) else np.zeros((0, margins.shape[1]), dtype=np.int64)
        at = at - np.take_along_axis(np.broadcast_to(at, margins.shape), origin, axis=0).sum(axis=0)
        total = column_sums(margins)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(total > 0, column_sums(margins * at) / total, 0.0)
        from_mean = np.square(at - mean)
        spread: FloatArray = total * from_mean + column_sums(margins * from_mean)
        return spread


@dataclass(frozen=True, slots=True)
class PairMetric:
    """δ² by any function of two rows.

    Attributes
    ----------
    squared : callable
        From two arrays of rows, broadcast against each other, to δ².
    """

    squared: Callable[[IntArray, IntArray], FloatArray]

    def pairs(self, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return δ² of pairs; see `Metric.pairs`."""
        return self.squared(first, second)[:, None]

    def spread(self, margins: FloatArray) -> FloatArray:
        """Return Σ_k margin_k · δ²_ck; see `Metric.spread`."""
        every = np.arange(len(margins))
        spread: FloatArray = np.zeros_like(margins)
        # value by value, and no matrix product: that one rounds by the shape of what it is given
        for value in every.tolist():
            spread += self.squared(every, np.full_like(every, value))[:, None] * margins[value]
        return spread


def column_sums(numbers: FloatArray) -> FloatArray:
    """Return the sum of each column, rows added in their order: the same for one column as among many."""
    running = np.cumsum(numbers, axis=0)
    return running[-1] if len(running) else np.zeros(numbers.shape[1:])
