"""Replicates of a coefficient: leave-one-out, bootstraps over items or pairs of judgments, and derivatives.

All are computed from sums over items. If the sums of all replicates do not fit in memory, they are computed in parts.
If even that is too much work, a table with few patterns is measured again for each replicate, and for other tables the
result is not available (`TOO_MUCH_WORK`).

Hayes & Krippendorff's bootstrap of α (2007) draws pairs of judgments, not items; it is provided for comparison only.
α* = 1 - Σ δ² / (M·D_e) over M draws from the coincidence matrix, D_e kept. Pairs of one item are drawn as if they were
independent, so the interval is about half as wide as one that resamples items, and more so with many coders
(Gwet; Hughes 2021). α* below -1 becomes -1. If all draws of a replicate agree, α* is 1. It becomes 0 if only one
category is used, and otherwise in the expected number of replicates that draw pairs of only one category.

References
----------
Hayes & Krippendorff 2007, Answering the Call for a Standard Reliability Measure; Krippendorff's KALPHA macro.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from itertools import chain, combinations

import numpy as np

from gamma_align.columns import MISSING, CodeArray, FloatArray
from gamma_align.distances import MAX_COUNTED_CATEGORIES, Form, ScoreForm, TableForm, slices
from gamma_align.inference import draw_counts
from gamma_align.measures.items.core import Parts, TableCoefficient, compute_parts, observed_disagreement
from gamma_align.measures.items.counts import (
    COUNTED,
    ItemSums,
    Patterns,
    coincidences,
    item_disagreements,
    item_weights,
    margin_weights,
    needs_coders,
    sums_of,
)
from gamma_align.measures.items.spec import CODERS_PER_PAIR

_MAX_CELLS = 4_000_000  # numbers in memory at a time, 32 MB
_MAX_SUMS = 1_000_000_000  # numbers in the sums of all patterns
_MAX_CELLS_MEASURED_AGAIN = 5_000_000  # replicates times cells of the patterns
_MAX_BLOCK_CELLS = 100_000  # features of judgments that are added at once
_STREAM = 0x17E5  # the stream of the bootstrap among the streams of a seed
_NEGLIGIBLE_SHARE = 1e-12  # of D_e of the table; below, D_e of a replicate is only rounding, so it has no variation
_IMAGINARY_STEP = 1e-30  # of a complex-step derivative: nothing is subtracted, so a tiny step loses no precision


class Engine:
    """Computes the values of replicates of an available coefficient from their sums."""

    def __init__(self, coefficient: TableCoefficient) -> None:
        self.coefficient = coefficient
        metric = coefficient.metric()
        kind = "coders" if coefficient.spec.kind == "pairs" else coefficient.spec.kind
        # If the expected disagreement comes from another table, margins are not needed.
        self.kind = kind if coefficient.chance is None else "none"
        is_small = metric.size <= MAX_COUNTED_CATEGORIES
        self.is_data_dependent = coefficient.distance.adaptive and coefficient.chance is None
        self.is_adaptive = self.is_data_dependent and is_small
        if isinstance(metric, ScoreForm) and (self.is_adaptive or (is_small and self.kind == COUNTED)):
            counts = coefficient.patterns.pairable_counts()
            metric = TableForm.of_table(coefficient.distance.matrix(coefficient.labels, counts))
        self.metric: Form = metric
        self.expected = None if coefficient.chance is None else coefficient.chance.parts(metric).expected
        self.pairs = _pairs(coefficient)
        self.n_features: int = metric.size if self.kind == COUNTED else metric.n_features

    @property
    def width(self) -> int:
        """Number of values in the sums of one item."""
        coders = self.coefficient.patterns.coders if needs_coders(self.kind) else 0
        pairs = self.n_features**2 + self.n_features if self.is_adaptive else 0
        return (3 + (1 + coders) * self.n_features + pairs) * max(len(self.pairs), 1)

    @property
    def is_feasible(self) -> bool:
        """Whether the sums of all patterns can be computed."""
        is_unsupported = self.is_data_dependent and (not self.is_adaptive or self.coefficient.spec.kind == "pairs")
        n_sums = len(self.coefficient.patterns.times) * self.width
        is_too_large = self.n_features > MAX_COUNTED_CATEGORIES or n_sums > _MAX_SUMS
        return not (is_unsupported or is_too_large)

    def sums(self, part: slice) -> list[ItemSums]:
        """Return the sums of one item of each pattern of the part: one set, or one for each pair of coders."""
        patterns = self.coefficient.patterns.take(part)
        return [self._sums(view) for view in [_judged_by_pair(patterns, pair) for pair in self.pairs] or [patterns]]

    def _sums(self, patterns: Patterns) -> ItemSums:
        """Return the sums of one item of each pattern."""
        weight = item_weights(patterns, self.coefficient.missing)
        coders = np.zeros((len(weight), 0, self.n_features))
        if needs_coders(self.kind):
            coders = self._features_of(patterns.rows)
        features = self._item_features(patterns.rows)
        sums = ItemSums(
            np.zeros(len(weight)) if self.is_adaptive else weight * item_disagreements(patterns, self.metric),
            weight,
            (patterns.judgments > 0).astype(np.float64),
            features * margin_weights(patterns, self.kind)[:, None],
            coders,
            np.zeros((len(weight), 0, 0)),
            np.zeros((len(weight), 0)),
        )
        if not self.is_adaptive:
            return sums
        n = patterns.judgments.astype(np.float64)
        products = features[:, :, None] * features[:, None, :]
        diagonal = np.arange(self.n_features)
        products[:, diagonal, diagonal] -= features  # a judgment is not paired with itself
        share = weight / np.maximum(n * (n - 1), 1.0)
        return sums._replace(coincidences=products * share[:, None, None], pairable=features * (n > 1)[:, None])

    def _item_features(self, rows: CodeArray) -> FloatArray:
        """Return the sum of the features of the judgments of each item, some coders at a time: there may be a million.

        They are added in the order of coders, so that the sum does not depend on the number added at once.
        """
        total = np.zeros((len(rows), self.n_features))
        for part in slices(rows.shape[1], total.size, _MAX_BLOCK_CELLS):
            block = self._features_of(rows[:, part])
            total = np.cumsum(np.concatenate([total[:, None], block], axis=1), axis=1)[:, -1]
        return total

    def _features_of(self, codes: CodeArray) -> FloatArray:
        """Return the features of judgments, in a further axis; 0 for missing ones."""
        by_category = None if self.kind == COUNTED else self.metric.features
        if by_category is None:
            by_category = np.eye(self.n_features)
        # Code -1 reads the last row.
        features: FloatArray = np.concatenate([by_category, np.zeros((1, self.n_features))])[codes]
        return features

    @functools.cached_property
    def thresholds(self) -> list[float]:
        """Expected disagreements up to which a replicate has no variation."""
        return [_NEGLIGIBLE_SHARE * float(self._parts(sums).expected[0]) for sums in self.total]

    @functools.cached_property
    def total(self) -> list[ItemSums]:
        """The sums of all items."""
        times = self.coefficient.patterns.times[None, :]
        return _weighted_total((self.sums(part), times[:, part]) for part in slices(times.size, self.width, _MAX_CELLS))

    def values(self, replicates: list[ItemSums]) -> FloatArray:
        """Return the coefficient of each replicate, NaN if not available.

        A mean over pairs of coders excludes pairs without a common item in the replicate.
        """
        result = [
            self._parts(sums).value(threshold) for sums, threshold in zip(replicates, self.thresholds, strict=True)
        ]
        if not self.pairs:
            return result[0]
        has_items = np.stack([sums.weight.real > 0 for sums in replicates])
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.where(has_items, result, 0.0).sum(axis=0) / has_items.sum(axis=0)
        return mean

    def _parts(self, sums: ItemSums) -> Parts:
        """Return observed and expected disagreement of each replicate."""
        if self.expected is not None:
            observed = observed_disagreement(sums)
            return Parts(observed, np.broadcast_to(self.expected, observed.shape))
        if not self.is_adaptive:
            return compute_parts(sums, self.metric, self.kind)
        metric = _ReplicateScores(sums.pairable @ self._ranks.T)
        return compute_parts(sums._replace(disagreement=metric.disagreement(sums.coincidences)), metric, self.kind)

    @functools.cached_property
    def _ranks(self) -> FloatArray:
        """The matrix A with scores = A · counts: mid-ranks are linear in the counts."""
        distance = self.coefficient.distance
        labels = self.coefficient.labels
        columns = [distance.scores(labels, row) for row in np.eye(len(labels))]
        return np.stack([column for column in columns if column is not None], axis=1)


def _weighted_total(parts: Iterable[tuple[list[ItemSums], FloatArray]]) -> list[ItemSums]:
    """Return Σ weight · sums over the items of all parts, one set or one for each pair of coders."""
    weighted = ([sums.weighted(weights) for sums in part] for part, weights in parts)
    return functools.reduce(_add, weighted)


def _add(first: list[ItemSums], second: list[ItemSums], times: complex = 1.0) -> list[ItemSums]:
    """Return the first sums plus `times` the second, set by set."""
    return [sums.plus(addend, times) for sums, addend in zip(first, second, strict=True)]


class _ReplicateScores(ScoreForm):
    """The squared difference of scores that differ between replicates; margins are counts."""

    def __init__(self, scores: FloatArray) -> None:
        self.size = scores.shape[1]
        self.scores = scores
        self.features = None
        self.total = np.asarray(2 * self.size * (scores**2).sum(axis=1) - 2 * scores.sum(axis=1) ** 2)
        order = np.argsort(scores.real, axis=1)
        ends = np.take_along_axis(scores, order[:, [0, -1]], axis=1)
        self.largest = np.asarray((ends[:, 1] - ends[:, 0]) ** 2)

    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the form, for margins of shape (replicates, …, categories)."""
        scores = self.scores.reshape(len(self.scores), *([1] * (first.ndim - 2)), self.size)
        squares = first.sum(axis=-1) * (second * scores**2).sum(axis=-1)
        squares = squares + (first * scores**2).sum(axis=-1) * second.sum(axis=-1)
        return np.asarray(squares - 2 * (first * scores).sum(axis=-1) * (second * scores).sum(axis=-1))

    def disagreement(self, coincidences: FloatArray) -> FloatArray:
        """Return Σ_kl c_kl d_kl of symmetric coincidences, shape (replicates,)."""
        cross = np.einsum("bk,bkl,bl->b", self.scores, coincidences, self.scores)
        return np.asarray(2 * ((coincidences.sum(axis=2) * self.scores**2).sum(axis=1) - cross))


def _pairs(coefficient: TableCoefficient) -> list[tuple[int, int]]:
    """Return the pairs of coders with common items, if the coefficient is a mean over pairs."""
    if coefficient.spec.kind != "pairs":
        return []
    # A pair without a common item has no κ.
    judged = coefficient.patterns.rows >= 0
    pairs = combinations(range(coefficient.patterns.coders), 2)
    return [(first, second) for first, second in pairs if (judged[:, first] & judged[:, second]).any()]


def _judged_by_pair(patterns: Patterns, pair: tuple[int, int]) -> Patterns:
    """Return the same patterns with only the judgments of two coders on items that both judged."""
    rows = patterns.rows[:, list(pair)]
    is_shared = (rows >= 0).all(axis=1)
    judgments = np.where(is_shared, CODERS_PER_PAIR, 0)
    return Patterns(np.where(is_shared, rows.T, MISSING).T, patterns.times, judgments, patterns.size)


def leave_one_out(coefficient: TableCoefficient) -> FloatArray | None:
    """Return the coefficient without one item of each pattern, shape (n_patterns,); None if it is too much work."""
    # All items of a pattern have the same leave-one-out value.
    engine = Engine(coefficient)
    times = coefficient.patterns.times
    if not engine.is_feasible:
        changed = (times - np.eye(1, len(times), pattern).ravel() for pattern in range(len(times)))
        return _measure_again(coefficient, changed, len(times))
    parts = (engine.sums(part) for part in slices(len(times), engine.width, _MAX_CELLS))
    return np.concatenate([engine.values(_add(engine.total, sums, -1.0)) for sums in parts])


def influences(coefficient: TableCoefficient) -> FloatArray | None:
    """Return the derivative of the coefficient by the weight of an item of each pattern, shape (n_patterns,).

    They are scaled so that the standard error is √(Σ times·influence² / (n(n - 1))). None if it is too much work.
    """
    engine = Engine(coefficient)
    if not engine.is_feasible:
        return None
    total = engine.total
    count = coefficient.items
    values = []
    for part in slices(len(coefficient.patterns.times), 2 * engine.width, _MAX_CELLS):
        steps = _add(_add(total, engine.sums(part), count * _IMAGINARY_STEP * 1j), total, -_IMAGINARY_STEP * 1j)
        values.append(engine.values(steps).imag / _IMAGINARY_STEP)
    return np.concatenate(values)


def bootstrap_values(coefficient: TableCoefficient, *, seed: int, replicates: int) -> FloatArray | None:
    """Return the coefficient of tables of items drawn with replacement; None if it is too much work."""
    engine = Engine(coefficient)
    draws = _draws(coefficient, seed, replicates)
    if not engine.is_feasible:
        return _measure_again(coefficient, chain.from_iterable(draws), replicates)
    parts = slices(len(coefficient.patterns.times), engine.width, _MAX_CELLS)
    # The sums of a single part are computed once; the sums of several parts would not fit in memory.
    sums = engine.sums(parts[0]) if len(parts) == 1 else None
    values = []
    for weights in draws:
        total = _weighted_total((sums or engine.sums(part), weights[:, part]) for part in parts)
        values.append(engine.values(total))
    return np.concatenate(values)


def _draws(coefficient: TableCoefficient, seed: int, replicates: int) -> Iterator[FloatArray]:
    """Yield batches of the number of times that each pattern is drawn, from all judged items."""
    times = coefficient.patterns.times
    n_items = int(times.sum())
    return draw_counts(times / n_items, n_items, seed=seed, stream=_STREAM, replicates=replicates, cells=_MAX_CELLS)


def _measure_again(
    coefficient: TableCoefficient, times_of_replicates: Iterator[FloatArray], replicates: int
) -> FloatArray | None:
    """Return the coefficient measured again for each replicate; None if that is too much work.

    `times_of_replicates` yields the number of items with each pattern, for each replicate.
    """
    if replicates * coefficient.patterns.rows.size > _MAX_CELLS_MEASURED_AGAIN:
        return None
    return np.array([coefficient.with_times(times).evaluate()[0] for times in times_of_replicates])


_PAIRS_STREAM = 0x4A1F  # the stream of the bootstrap of pairs among the streams of a seed
_PAIR_CELLS = 2_000_000  # counts of a batch: 16 MB


def hayes_krippendorff(
    coefficient: TableCoefficient, *, seed: int, replicates: int, count: int | None = None
) -> FloatArray | None:
    """Return the replicates of α, shape (replicates,); None for a table with too many categories.

    A replicate draws `count` pairs, by default the number of pairs of the table (the macro of 2007).
    """
    metric = coefficient.metric()
    if metric.size > MAX_COUNTED_CATEGORIES:
        return None
    matrix = coincidences(coefficient.patterns)
    distance = coefficient.distance.matrix(coefficient.labels, matrix.sum(axis=1))
    expected = float(compute_parts(sums_of(coefficient.patterns, metric, "values", "VL"), metric, "values").expected[0])
    n = coefficient.patterns.judgments
    # KALPHA counts each pair of judgments of an item once.
    pairs = int(coefficient.patterns.times @ (n * (n - 1) / 2))
    count = pairs if count is None else count
    share = (matrix / matrix.sum()).ravel()
    draws = draw_counts(share, count, seed=seed, stream=_PAIRS_STREAM, replicates=replicates, cells=_PAIR_CELLS)
    sums = [counts @ distance.ravel() for counts in draws]
    values = np.maximum(1.0 - np.concatenate(sums) / (count * expected), -1.0)
    return _without_certainty(values, np.diag(matrix) / matrix.sum(), pairs)


def _without_certainty(values: FloatArray, diagonal: FloatArray, pairs: int) -> FloatArray:
    """Return the replicates after correcting values of 1, like KALPHA."""
    certain = np.flatnonzero(values == 1.0)
    used = diagonal[diagonal > 0]
    n_corrected = len(certain) if len(used) == 1 else round(len(values) * math.fsum(used**pairs))
    values[certain[:n_corrected]] = 0.0
    return values
