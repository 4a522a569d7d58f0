"""Counts of a table of items: everything coefficients are computed from, and it adds up.

Items with the same judgments are one *pattern* that occurs so many times; a million items of five coders are at most
some ten thousand patterns. From patterns come `ItemSums`, additive over items and with a leading axis of replicates, so
that a jackknife is a difference and a bootstrap a product of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import CodeArray, Columns, FloatArray, IntArray
from gamma_align.data.item_table import ItemTable
from gamma_align.distances.forms import Form
from gamma_align.measures.items.items_options import MISSING

CONCEPTIONS = MISSING.words
"""What weighs the same where judgments are missing (M17 §3): items, values, pairs; RM drops incomplete items."""

COUNTED = "gwet"
"""The kind whose margin stays counts: Gwet's Σ P(k)(1 - P(k)) is no form of the distance."""

_BITS = 62
_TABLE = 1 << 22


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Patterns(Columns):
    """Rows of judgments that differ, and how many items have each; items nobody judged are left out.

    `rows` are codes of categories, -1 missing, shape (n_patterns, n_coders); `times` is how many items there are of
    each pattern, `judgments` how many coders judged it (n_i), `size` the number of categories.
    """

    rows: CodeArray
    times: FloatArray
    judgments: IntArray
    size: int

    common_fields = ("size",)

    @property
    def coders(self) -> int:
        """How many coders there are."""
        return int(self.rows.shape[1])

    def of_coders(self, first: int, second: int) -> Patterns:
        """Return the items that two coders both judged, with these two only."""
        rows = self.rows[:, [first, second]]
        pairs = replace(self, rows=rows, judgments=np.full(len(self), 2))
        return pairs.take(np.flatnonzero((rows >= 0).all(axis=1)))

    def counts(self, weights: FloatArray | None = None) -> FloatArray:
        """Return Σ weight · n_ik over items (times included), shape (n_categories,)."""
        return sum(self._by_coder(self.times if weights is None else self.times * weights), np.zeros(self.size))

    def coder_counts(self) -> FloatArray:
        """Return n_ck, shape (n_coders, n_categories)."""
        return np.stack(list(self._by_coder(self.times)))

    def pairable_counts(self) -> FloatArray:
        """Return how many judgments of each category are on items with two or more."""
        return self.counts((self.judgments > 1).astype(np.float64))

    def _by_coder(self, weights: FloatArray) -> Iterator[FloatArray]:
        for codes in self.rows.T:
            judged = codes >= 0
            yield np.bincount(codes[judged], weights[judged], minlength=self.size).astype(np.float64, copy=False)


def patterns_of(table: ItemTable) -> Patterns:
    """Return the patterns of a table, sorted by their codes."""
    rows, size = table.codes, table.n_categories
    if _coders_in_key(size) < rows.shape[1]:
        return counted(rows, np.ones(len(rows)), size)
    [key] = _keys(rows, size) or [np.zeros(0, dtype=np.int64)]
    key, times = _counted(key, max(size + 1, 2) ** rows.shape[1])
    return _judged(_unpacked(key, size, rows.shape[1]), times.astype(np.float64), size)


def counted(rows: CodeArray, times: FloatArray, size: int) -> Patterns:
    """Return the patterns of rows of judgments of which there are so many each, sorted by their codes."""
    keys = _keys(rows, size)
    if not len(rows) or not keys:
        return Patterns(rows[:0], np.zeros(0), np.zeros(0, dtype=np.int64), size)
    order = np.lexsort(keys[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    first = np.flatnonzero(new)
    return _judged(rows[order[first]], np.add.reduceat(times[order], first), size)


def _judged(rows: CodeArray, times: FloatArray, size: int) -> Patterns:
    """Return patterns without the one of items that nobody judged."""
    judgments = np.count_nonzero(rows >= 0, axis=1)
    return Patterns(rows, times, judgments, size).take(judgments > 0)


def _coders_in_key(size: int) -> int:
    """Return the judgments of how many coders an integer of 64 bits holds."""
    return max(int(_BITS / math.log2(max(size + 1, 2))), 1)


def _keys(rows: CodeArray, size: int) -> list[IntArray]:
    """Return integers for the judgments of each item, of as many coders each as they hold: they sort as rows do."""
    keys, step = [], _coders_in_key(size)
    for first in range(0, rows.shape[1], step):
        key = np.zeros(len(rows), dtype=np.int64)
        for codes in rows[:, first : first + step].T:
            key *= size + 1
            key += codes
            key += 1
        keys.append(key)
    return keys


def _counted(key: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """Return the keys that occur and how often; without sorting where a table of all of them is small."""
    if most > min(_TABLE, max(4 * len(key), 1 << 12)):
        return np.unique(key, return_counts=True)
    times = np.bincount(key, minlength=most)
    used = np.flatnonzero(times)
    return used, times[used]


def _unpacked(key: IntArray, size: int, coders: int) -> CodeArray:
    rows = np.empty((len(key), coders), dtype=np.int64)
    for column in reversed(range(coders)):
        key, rows[:, column] = np.divmod(key, size + 1)
    return rows - 1


def item_weights(patterns: Patterns, missing: str) -> FloatArray:
    """Return the weight of an item of each pattern in the observed disagreement; 0 where nothing can be paired."""
    n = patterns.judgments.astype(np.float64)
    weights = {"IL": np.ones(len(n)), "VL": n, "PL": n * (n - 1), "RM": (n == patterns.coders).astype(np.float64)}
    return np.where(n > 1, weights[missing], 0.0)


def margin_weights(patterns: Patterns, kind: str) -> FloatArray:
    """Return what a judgment adds to the margin of a coefficient, by the pattern it stands in."""
    n = patterns.judgments
    weight: FloatArray = (n > 1).astype(np.float64) if kind == "values" else 1.0 / np.maximum(n, 1)
    return weight


class ItemSums(NamedTuple):
    """What adds up over items, with a leading axis of replicates; a coefficient is a function of these.

    `disagreement` and `weight` are Σ w·disagr and Σ w over items (M17 §3), `items` how many were judged by somebody.
    `margin` has the features of the judgments, shape (replicates, n_features): each item weighing 1 (π, AC₁), or each
    judgment that can be paired (α); `coders` those of each coder's judgments (κ), shape (replicates, n_coders,
    n_features), of no coder where they do not matter. Where distances follow the data, `coincidences` and `pairable`
    are weighted coincidences, shape (replicates, n_features, n_features), and pairable judgments; elsewhere void.
    """

    disagreement: FloatArray
    weight: FloatArray
    items: FloatArray
    margin: FloatArray
    coders: FloatArray
    coincidences: FloatArray = np.zeros((1, 0, 0))
    pairable: FloatArray = np.zeros((1, 0))

    def weighted(self, weights: FloatArray) -> ItemSums:
        """Return Σ weight · sums of each item, for weights of shape (replicates, items)."""
        flat = ((weights @ each.reshape(len(each), -1), each.shape[1:]) for each in self)
        return ItemSums(*(products.reshape(len(weights), *shape) for products, shape in flat))

    def plus(self, more: ItemSums, times: complex = 1.0) -> ItemSums:
        """Return these sums and so many times the others, broadcast against each other."""
        return ItemSums(*(own + times * added for own, added in zip(self, more, strict=True)))


def sums_of(patterns: Patterns, metric: Form, kind: str, missing: str) -> ItemSums:
    """Return the sums of a whole table, one replicate."""
    weight = item_weights(patterns, missing) * patterns.times
    margin = patterns.counts(margin_weights(patterns, kind))
    return ItemSums(
        np.array([item_disagreements(patterns, metric) @ weight]),
        np.array([weight.sum()]),
        np.array([patterns.times.sum()]),
        (margin if kind == COUNTED else metric.margin(margin))[None],
        (metric.margin(patterns.coder_counts()) if needs_coders(kind) else np.zeros((0, metric.n_features)))[None],
    )


def needs_coders(kind: str) -> bool:
    """Return whether the expected disagreement is made of each coder's own counts."""
    return kind in ("coders", "conger")


def item_disagreements(patterns: Patterns, metric: Form) -> FloatArray:
    """Return disagr_i = Σ_kl n_ik n_il d_kl / (n_i (n_i - 1)) of each pattern; 0 where n_i < 2."""
    n = patterns.judgments.astype(np.float64)
    disagreement: FloatArray = metric.disagreements(patterns.rows) / np.maximum(n * (n - 1), 1.0)
    return disagreement


def coincidences(patterns: Patterns) -> FloatArray:
    """Return Krippendorff's coincidences, Σ_i n_ik (n_il - [k=l]) / (n_i - 1), shape (n_categories, n_categories)."""
    share = patterns.times / np.maximum(patterns.judgments - 1, 1)
    coders = range(patterns.coders)
    pairs = (confusion(patterns, first, second, share) for first in coders for second in coders if first != second)
    return sum(pairs, np.zeros((patterns.size, patterns.size)))


def confusion(patterns: Patterns, first: int, second: int, weights: FloatArray | None = None) -> FloatArray:
    """Return how many items (or what weight of them) have each pair of categories of two coders, shape (size, size)."""
    rows = patterns.rows[:, [first, second]]
    both = (rows >= 0).all(axis=1)
    cell = rows[both, 0].astype(np.int64) * patterns.size + rows[both, 1]
    counted = np.bincount(cell, (patterns.times if weights is None else weights)[both], minlength=patterns.size**2)
    return counted.astype(np.float64).reshape(patterns.size, patterns.size)
