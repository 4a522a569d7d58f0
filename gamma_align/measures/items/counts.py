"""Counts of a table of items, from which all coefficients are computed.

Items with the same judgments are counted as one *pattern*: a million items of five coders and five categories have at
most 7,776 patterns. `ItemSums` are computed from patterns. They are additive over items and have a leading axis of
replicates, so that a jackknife is a difference and a bootstrap a product of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import NamedTuple

import numpy as np

from gamma_align.columns import CodeArray, Columns, FloatArray, IntArray, grouped_sums
from gamma_align.data import ItemTable
from gamma_align.distances import MAX_PAIRED_CODERS, Form, column_sums, counts_of_items, slices
from gamma_align.measures.items.items_options import MISSING

CONCEPTIONS = MISSING.words
"""Conceptions of missing values (M17 §3): items, values or pairs have the same weight; RM drops incomplete items."""

COUNTED = "gwet"
"""The kind whose margin remains counts: Gwet's Σ P(k)(1 - P(k)) is not a form of the distance."""

_MAX_BLOCK_CELLS = 100_000  # judgments that are counted at once
_KEY_BITS = 62  # a signed integer of 64 bits holds 63
_MAX_TABLE_SIZE = 1 << 22  # entries, 32 MB; more keys are sorted
_MIN_TABLE_SIZE = 1 << 12  # so few entries are cheap, however few keys there are
_TABLE_ENTRIES_PER_KEY = 4  # with more entries, most would be empty, and sorting is cheaper


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Patterns(Columns):
    """The different rows of judgments, and the number of items with each; items without judgments are excluded.

    `rows` are codes of categories, -1 if missing, shape (n_patterns, n_coders); `times` is the number of items with
    each pattern, `judgments` the number of judgments in it (n_i), `size` the number of categories.
    """

    rows: CodeArray
    times: FloatArray
    judgments: IntArray
    size: int

    common_fields = ("size",)

    @property
    def coders(self) -> int:
        """Number of coders."""
        return int(self.rows.shape[1])

    def of_coders(self, first: int, second: int) -> Patterns:
        """Return the patterns of two coders, on the items that both judged."""
        rows = self.rows[:, [first, second]]
        pairs = replace(self, rows=rows, judgments=np.full(len(self), 2))
        return pairs.take(np.flatnonzero((rows >= 0).all(axis=1)))

    def counts(self, weights: FloatArray | None = None) -> FloatArray:
        """Return Σ weight · n_ik over items, shape (n_categories,); each pattern counts `times`."""
        total = np.zeros(self.size)
        for block in self._by_coder(self.times if weights is None else self.times * weights):
            total = column_sums(np.concatenate([total[None, :], block]))
        return total

    def coder_counts(self) -> FloatArray:
        """Return n_ck, shape (n_coders, n_categories)."""
        return np.concatenate(list(self._by_coder(self.times)))

    def pairable_counts(self) -> FloatArray:
        """Return the number of judgments of each category on items with at least two judgments."""
        return self.counts((self.judgments > 1).astype(np.float64))

    def _by_coder(self, weights: FloatArray) -> Iterator[FloatArray]:
        """Yield Σ weight of the judgments of each coder and category, some coders at a time: there may be a million."""
        for part in slices(self.coders, len(self), _MAX_BLOCK_CELLS):
            codes = self.rows[:, part]
            pattern, coder = np.nonzero(codes >= 0)
            cell = coder * self.size + codes[pattern, coder]
            n_coders = codes.shape[1]
            yield grouped_sums(cell, weights[pattern], n_coders * self.size).reshape(n_coders, self.size)


def patterns_of(table: ItemTable) -> Patterns:
    """Return the patterns of a table, sorted by their codes."""
    rows = table.codes
    size = table.n_categories
    # The judgments of an item do not fit in one key, so rows are sorted by several keys.
    if _coders_in_key(size) < rows.shape[1]:
        return count_patterns(rows, np.ones(len(rows)), size)
    [key] = _keys(rows, size) or [np.zeros(0, dtype=np.int64)]
    key, times = _count_keys(key, max(size + 1, 2) ** rows.shape[1])
    return _without_unjudged(_unpack_keys(key, size, rows.shape[1]), times.astype(np.float64), size)


def count_patterns(rows: CodeArray, times: FloatArray, size: int) -> Patterns:
    """Return the patterns of rows of judgments that occur `times`, sorted by their codes."""
    keys = _keys(rows, size)
    if not len(rows) or not keys:
        return Patterns(rows[:0], np.zeros(0), np.zeros(0, dtype=np.int64), size)
    order = np.lexsort(keys[::-1])
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    first = np.flatnonzero(is_new)
    return _without_unjudged(rows[order[first]], np.add.reduceat(times[order], first), size)


def _without_unjudged(rows: CodeArray, times: FloatArray, size: int) -> Patterns:
    """Return patterns without the pattern of items that have no judgments."""
    judgments = np.count_nonzero(rows >= 0, axis=1)
    return Patterns(rows, times, judgments, size).take(judgments > 0)


def _coders_in_key(size: int) -> int:
    """Return the number of coders whose judgments of an item fit in one key."""
    return max(int(_KEY_BITS / math.log2(max(size + 1, 2))), 1)


def _keys(rows: CodeArray, size: int) -> list[IntArray]:
    """Return integer keys of the judgments of each item, each key for several coders; sorted keys are sorted rows."""
    coders = rows.shape[1]
    step = min(_coders_in_key(size), max(coders, 1))
    keys = np.zeros((-(-coders // step), len(rows)), dtype=np.int64)
    # One digit of all keys at a time: there may be a million coders.
    for digit in range(step):
        codes = rows[:, digit::step].T  # the last key may have fewer digits
        keys *= size + 1
        keys[: len(codes)] += codes
        keys[: len(codes)] += 1  # a missing judgment, code -1, is the digit 0
    return list(keys)


def _count_keys(key: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Return the keys that occur, and the number of occurrences of each."""
    if n_keys > min(_MAX_TABLE_SIZE, max(_TABLE_ENTRIES_PER_KEY * len(key), _MIN_TABLE_SIZE)):
        return np.unique(key, return_counts=True)
    times = np.bincount(key, minlength=n_keys)
    used = np.flatnonzero(times)
    return used, times[used]


def _unpack_keys(key: IntArray, size: int, coders: int) -> CodeArray:
    """Return the codes of categories of `coders` coders from a key, shape (n_items, coders); -1 if missing."""
    rows = np.empty((len(key), coders), dtype=np.int64)
    # The last coder is the lowest digit of the key.
    for column in reversed(range(coders)):
        key, rows[:, column] = np.divmod(key, size + 1)
    return rows - 1


def item_weights(patterns: Patterns, missing: str) -> FloatArray:
    """Return the weight of an item of each pattern in the observed disagreement; 0 if it has no pair of judgments."""
    n = patterns.judgments.astype(np.float64)
    weights = {"IL": np.ones(len(n)), "VL": n, "PL": n * (n - 1), "RM": (n == patterns.coders).astype(np.float64)}
    return np.where(n > 1, weights[missing], 0.0)


def margin_weights(patterns: Patterns, kind: str) -> FloatArray:
    """Return the weight of a judgment in the margin of a coefficient, by its pattern."""
    n = patterns.judgments
    weight: FloatArray = (n > 1).astype(np.float64) if kind == "values" else 1.0 / np.maximum(n, 1)
    return weight


class ItemSums(NamedTuple):
    """Sums over items, with a leading axis of replicates; a coefficient is a function of them.

    `disagreement` and `weight` are Σ w·disagr and Σ w over items (M17 §3), `items` is the number of judged items.
    `margin` are the features of the judgments, shape (replicates, n_features), in which each item (π, AC₁) or each
    pairable judgment (α) has weight 1. `coders` are the features of the judgments of each coder (κ), shape (replicates,
    n_coders, n_features), with no coder if the coefficient does not need them. With adaptive distances, `coincidences`
    are weighted coincidences, shape (replicates, n_features, n_features), and `pairable` are pairable judgments; with
    other distances both are empty.
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
        flat = ((weights @ field.reshape(len(field), -1), field.shape[1:]) for field in self)
        return ItemSums(*(products.reshape(len(weights), *shape) for products, shape in flat))

    def plus(self, addend: ItemSums, times: complex = 1.0) -> ItemSums:
        """Return these sums plus `times` the addend, broadcast against each other."""
        return ItemSums(*(field + times * added for field, added in zip(self, addend, strict=True)))


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
    """Return whether the expected disagreement depends on the counts of each coder."""
    return kind in ("coders", "conger")


def item_disagreements(patterns: Patterns, metric: Form) -> FloatArray:
    """Return disagr_i = Σ_kl n_ik n_il d_kl / (n_i (n_i - 1)) of each pattern; 0 if n_i < 2."""
    n = patterns.judgments.astype(np.float64)
    # The maximum avoids 0 / 0 for items with one judgment, which have no pairs.
    disagreement: FloatArray = metric.disagreements(patterns.rows) / np.maximum(n * (n - 1), 1.0)
    return disagreement


def coincidences(patterns: Patterns) -> FloatArray:
    """Return Krippendorff's coincidences, Σ_i n_ik (n_il - [k=l]) / (n_i - 1), shape (n_categories, n_categories)."""
    # Items with one judgment have no pairs, so their divisor does not matter.
    share = patterns.times / np.maximum(patterns.judgments - 1, 1)
    if patterns.coders > MAX_PAIRED_CODERS:
        result = np.zeros((patterns.size, patterns.size))
        for part in slices(len(patterns), max(patterns.coders, patterns.size), _MAX_BLOCK_CELLS):
            counts = counts_of_items(patterns.rows[part], patterns.size)
            weighted = counts * share[part, None]
            result += counts.T @ weighted - np.diag(weighted.sum(axis=0))  # a judgment is not paired with itself
        return result
    pairs = permutations(range(patterns.coders), 2)
    matrices = (confusion(patterns, first, second, share) for first, second in pairs)
    return sum(matrices, np.zeros((patterns.size, patterns.size)))


def confusion(patterns: Patterns, first: int, second: int, weights: FloatArray | None = None) -> FloatArray:
    """Return the number (or the weight) of items with each pair of categories of two coders, shape (size, size)."""
    rows = patterns.rows[:, [first, second]]
    is_shared = (rows >= 0).all(axis=1)
    cell = rows[is_shared, 0].astype(np.int64) * patterns.size + rows[is_shared, 1]
    weights = patterns.times if weights is None else weights
    table = np.bincount(cell, weights[is_shared], minlength=patterns.size**2)
    return table.astype(np.float64).reshape(patterns.size, patterns.size)
