"""Counts of a table of items: everything coefficients are computed from, and it adds up.

Items with the same judgments are one *pattern* that occurs so many times; a million items of five coders are at most
some ten thousand patterns. From patterns come `Sums`, additive over items and with a leading axis of replicates, so
that a jackknife is a difference and a bootstrap a product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.item_table import ItemTable
from gamma_align.distances.forms import Form

CONCEPTIONS = ("IL", "VL", "PL", "RM")
"""What weighs the same where judgments are missing (M17 §3): items, values, pairs; RM drops incomplete items."""

COUNTED = "gwet"
"""The kind whose margin stays counts: Gwet's Σ P(k)(1 - P(k)) is no form of the distance."""

_KEYS = 1 << 62
_TABLE = 1 << 22


@dataclass(frozen=True, slots=True)
class Patterns:
    """Rows of judgments that differ, and how many items have each; items nobody judged are left out.

    Attributes
    ----------
    rows : ndarray of signed integers, shape (n_patterns, n_coders)
        Codes of categories, -1 missing.
    times : ndarray of float64, shape (n_patterns,)
        How many items there are of each.
    judgments : ndarray of int64, shape (n_patterns,)
        How many coders judged it, n_i.
    size : int
        How many categories there are.
    """

    rows: npt.NDArray[np.signedinteger[Any]]
    times: FloatArray
    judgments: IntArray
    size: int

    @property
    def coders(self) -> int:
        """How many coders there are."""
        return int(self.rows.shape[1])

    def some(self, kept: npt.NDArray[np.bool_]) -> Patterns:
        """Return the patterns that are kept."""
        return Patterns(self.rows[kept], self.times[kept], self.judgments[kept], self.size)

    def of_coders(self, first: int, second: int) -> Patterns:
        """Return the items that two coders both judged, with these two only."""
        rows = self.rows[:, [first, second]]
        both = (rows >= 0).all(axis=1)
        return Patterns(rows[both], self.times[both], np.full(int(both.sum()), 2), self.size)

    def counts(self, weights: FloatArray | None = None) -> FloatArray:
        """Return Σ weight · n_ik over items (times included), shape (n_categories,)."""
        each = self.times if weights is None else self.times * weights
        total = np.zeros(self.size)
        for column in range(self.coders):
            there = self.rows[:, column] >= 0
            total += np.bincount(self.rows[there, column], each[there], minlength=self.size)[: self.size]
        return total

    def coder_counts(self) -> FloatArray:
        """Return n_ck, shape (n_coders, n_categories)."""
        counted = np.zeros((self.coders, self.size))
        for column in range(self.coders):
            there = self.rows[:, column] >= 0
            counted[column] = np.bincount(self.rows[there, column], self.times[there], minlength=self.size)[: self.size]
        return counted


def patterns_of(table: ItemTable) -> Patterns:
    """Return the patterns of a table."""
    rows, size = table.codes, table.n_categories
    coders = rows.shape[1]
    if len(rows) == 0 or coders == 0:
        return Patterns(rows[:0], np.zeros(0), np.zeros(0, dtype=np.int64), size)
    if (size + 1) ** coders < _KEYS:
        key = np.zeros(len(rows), dtype=np.int64)
        for column in range(coders):
            key *= size + 1
            key += rows[:, column]
            key += 1
        result, times = _counted(key, (size + 1) ** coders)
        rows = _unpacked(result, size, coders)
    else:
        times = np.ones(len(rows), dtype=np.int64)
    judgments = np.count_nonzero(rows >= 0, axis=1)
    kept = judgments > 0
    return Patterns(rows[kept], times[kept].astype(np.float64), judgments[kept], size)


def _counted(key: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """Return the keys that occur and how often; without sorting where a table of all of them is small."""
    if most > min(_TABLE, max(4 * len(key), 1 << 12)):
        return np.unique(key, return_counts=True)
    times = np.bincount(key, minlength=most)
    result = np.flatnonzero(times)
    return result, times[result]


def _unpacked(key: IntArray, size: int, coders: int) -> npt.NDArray[np.signedinteger[Any]]:
    rows = np.empty((len(key), coders), dtype=np.int64)
    for column in reversed(range(coders)):
        key, rows[:, column] = np.divmod(key, size + 1)
    return rows - 1


def item_weights(patterns: Patterns, missing: str) -> FloatArray:
    """Return the weight of an item of each pattern in the observed disagreement; 0 where nothing can be paired."""
    n = patterns.judgments.astype(np.float64)
    weights = {"IL": np.ones(len(n)), "VL": n, "PL": n * (n - 1), "RM": (n == patterns.coders).astype(np.float64)}
    weight: FloatArray = np.where(n > 1, weights[missing], 0.0)
    return weight


class Sums(NamedTuple):
    """What adds up over items, with a leading axis of replicates; a coefficient is a function of these.

    Attributes
    ----------
    disagreement, weight : ndarray, shape (replicates,)
        Σ w·disagr and Σ w over items (M17 §3).
    items : ndarray, shape (replicates,)
        How many items were judged by somebody.
    margin : ndarray, shape (replicates, n_features)
        Features of the judgments: each item weighing 1 (π, AC₁), or each judgment that can be paired (α).
    coders : ndarray, shape (replicates, n_coders, n_features)
        Features of each coder's judgments (κ); of no coder where they do not matter.
    """

    disagreement: FloatArray
    weight: FloatArray
    items: FloatArray
    margin: FloatArray
    coders: FloatArray


def margin_weights(patterns: Patterns, kind: str) -> FloatArray:
    """Return what a judgment adds to the margin of a coefficient, by the pattern it stands in."""
    n = patterns.judgments
    weight: FloatArray = (n > 1).astype(np.float64) if kind == "values" else 1.0 / np.maximum(n, 1)
    return weight


def sums_of(patterns: Patterns, metric: Form, kind: str, missing: str) -> Sums:
    """Return the sums of a whole table, one replicate."""
    each = item_disagreements(patterns, metric)
    weight = item_weights(patterns, missing) * patterns.times
    plain = np.zeros((1, 0, metric.n_features))
    return Sums(
        np.array([each @ weight]),
        np.array([weight.sum()]),
        np.array([patterns.times.sum()]),
        _margin(patterns.counts(margin_weights(patterns, kind)), metric, kind)[None, :],
        metric.margin(patterns.coder_counts())[None] if kind in ("coders", "conger") else plain,
    )


def _margin(counts: FloatArray, metric: Form, kind: str) -> FloatArray:
    return counts if kind == COUNTED else metric.margin(counts)


def item_disagreements(patterns: Patterns, metric: Form) -> FloatArray:
    """Return disagr_i = Σ_kl n_ik n_il d_kl / (n_i (n_i - 1)) of each pattern; 0 where n_i < 2."""
    n = patterns.judgments.astype(np.float64)
    disagreement: FloatArray = metric.disagreements(patterns.rows) / np.maximum(n * (n - 1), 1.0)
    return disagreement


def coincidences(patterns: Patterns) -> FloatArray:
    """Return Krippendorff's coincidences, Σ_i n_ik (n_il - [k=l]) / (n_i - 1), shape (n_categories, n_categories)."""
    matrix = np.zeros((patterns.size, patterns.size))
    share = patterns.times / np.maximum(patterns.judgments - 1, 1)
    for first in range(patterns.coders):
        for second in range(patterns.coders):
            if first != second:
                matrix += _crossed(patterns, first, second, share)
    return matrix


def confusion(patterns: Patterns, first: int, second: int) -> FloatArray:
    """Return how many items have each pair of categories of two coders, shape (n_categories, n_categories)."""
    return _crossed(patterns, first, second, patterns.times)


def _crossed(patterns: Patterns, first: int, second: int, each: FloatArray) -> FloatArray:
    rows = patterns.rows[:, [first, second]]
    both = (rows >= 0).all(axis=1)
    cell = rows[both, 0].astype(np.int64) * patterns.size + rows[both, 1]
    counted = np.bincount(cell, each[both], minlength=patterns.size**2).astype(np.float64)
    return counted.reshape(patterns.size, patterns.size)
