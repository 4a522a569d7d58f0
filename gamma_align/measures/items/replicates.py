"""Replicates of a coefficient: one item left out, items or pairs of judgments drawn again, or derivatives.

All are computed from sums that add up over items. Where sums of all replicates would be too large to hold, they are
made in parts; where even that is too much work, a table with few patterns is computed again for each replicate, and
otherwise there is no answer (`TOO_MUCH_WORK`).

Hayes & Krippendorff's bootstrap of α (2007) draws pairs of judgments, not items; it is here for comparison only.
α* = 1 - Σ δ² / (M·D_e) over M draws from the coincidence matrix, D_e kept. Pairs of one item are drawn as if they were
independent, so the interval is about half as wide as one that resamples items, and more so with many coders
(Gwet; Hughes 2021). α* below -1 becomes -1. Where all draws agree, α* = 1 becomes 0 if only one category is used; and
otherwise for as many replicates as agree by the chance of drawing pairs of one category alone.

References
----------
Hayes & Krippendorff 2007, Answering the Call for a Standard Reliability Measure; Krippendorff's KALPHA macro.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np

from gamma_align.columns import CodeArray, FloatArray
from gamma_align.distances.forms import MAX_COUNTED_CATEGORIES, Form, ScoreForm, TableForm, slices
from gamma_align.inference.bootstrap import draw_counts
from gamma_align.measures.items.core import Parts, TableCoefficient, observed_of, parts_of
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

_CELLS = 4_000_000
_WORK = 1_000_000_000
_AGAIN = 5_000_000
_STREAM = 0x17E5  # the bootstrap's own child of the seed
_NEGLIGIBLE = 1e-12
"""An expected disagreement this small beside that of the table is rounding: the replicate has no variation."""
_STEP = 1e-30
"""Imaginary step of a derivative: nothing is subtracted, so nothing is lost (complex-step derivative)."""


class Engine:
    """Turns sums of replicates of a coefficient that has a value into values."""

    def __init__(self, coefficient: TableCoefficient) -> None:
        self.coefficient = coefficient
        metric = coefficient.metric()
        kind = "coders" if coefficient.spec.kind == "pairs" else coefficient.spec.kind
        # margins do not matter where chance is from elsewhere
        self.kind = kind if coefficient.chance is None else "none"
        self.follows = coefficient.distance.adaptive and coefficient.chance is None
        self.adaptive = self.follows and metric.size <= MAX_COUNTED_CATEGORIES
        if isinstance(metric, ScoreForm) and (
            self.adaptive or (metric.size <= MAX_COUNTED_CATEGORIES and self.kind == COUNTED)
        ):
            counts = coefficient.patterns.pairable_counts()
            metric = TableForm.of_table(coefficient.distance.matrix(coefficient.labels, counts))
        self.metric: Form = metric
        self.expected = None if coefficient.chance is None else coefficient.chance.parts(metric).expected
        self.pairs = _pairs(coefficient)
        self.counted = metric.features is None or self.kind == COUNTED
        self.features = metric.size if self.counted else metric.n_features

    @property
    def width(self) -> int:
        """How many numbers the sums of one item are."""
        coders = self.coefficient.patterns.coders if needs_coders(self.kind) else 0
        pairs = self.features**2 + self.features if self.adaptive else 0
        return (3 + (1 + coders) * self.features + pairs) * max(len(self.pairs), 1)

    @property
    def is_feasible(self) -> bool:
        """Whether sums of every pattern can be made."""
        unfit = self.follows and (not self.adaptive or self.coefficient.spec.kind == "pairs")
        large = self.features > MAX_COUNTED_CATEGORIES or len(self.coefficient.patterns.times) * self.width > _WORK
        return not (unfit or large)

    def sums(self, part: slice) -> list[ItemSums]:
        """Return the sums of one item of each pattern of the part; one set, or one a pair of coders."""
        patterns = self.coefficient.patterns.take(part)
        return [self._sums(view) for view in [_masked(patterns, pair) for pair in self.pairs] or [patterns]]

    def _sums(self, patterns: Patterns) -> ItemSums:
        weight = item_weights(patterns, self.coefficient.missing)
        features = sum(map(self._features, patterns.rows.T), np.zeros((len(weight), self.features)))
        coders = np.zeros((len(weight), 0, self.features))
        if needs_coders(self.kind):
            coders = np.stack([self._features(codes) for codes in patterns.rows.T], axis=1)
        sums = ItemSums(
            np.zeros(len(weight)) if self.adaptive else weight * item_disagreements(patterns, self.metric),
            weight,
            (patterns.judgments > 0).astype(np.float64),
            features * margin_weights(patterns, self.kind)[:, None],
            coders,
            np.zeros((len(weight), 0, 0)),
            np.zeros((len(weight), 0)),
        )
        if not self.adaptive:
            return sums
        n = patterns.judgments.astype(np.float64)
        together = features[:, :, None] * features[:, None, :]
        together[:, np.arange(self.features), np.arange(self.features)] -= features
        share = weight / np.maximum(n * (n - 1), 1.0)
        return sums._replace(coincidences=together * share[:, None, None], pairable=features * (n > 1)[:, None])

    def _features(self, codes: CodeArray) -> FloatArray:
        """Return the features of the judgments of one coder, 0 where there is none."""
        table = np.eye(self.features) if self.counted else self.metric.features
        assert table is not None  # noqa: S101  (a metric without features is counted)
        features: FloatArray = np.concatenate([table, np.zeros((1, self.features))])[codes]
        return features

    @functools.cached_property
    def least(self) -> list[float]:
        """The expected disagreements below which a replicate has no variation."""
        return [_NEGLIGIBLE * float(self._parts(sums).expected[0]) for sums in self.total]

    @functools.cached_property
    def total(self) -> list[ItemSums]:
        """The sums of all items."""
        times = self.coefficient.patterns.times[None, :]
        return _summed((self.sums(part), times[:, part]) for part in slices(times.size, self.width, _CELLS))

    def values(self, replicates: list[ItemSums]) -> FloatArray:
        """Return the coefficient of each replicate; NaN where it has none.

        Of several pairs of coders, those that have no item in common in a replicate are left out of its mean.
        """
        result = [self._parts(sums).value(least) for sums, least in zip(replicates, self.least, strict=True)]
        if not self.pairs:
            return result[0]
        judged = np.stack([sums.weight.real > 0 for sums in replicates])
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.where(judged, result, 0.0).sum(axis=0) / judged.sum(axis=0)
        return mean

    def _parts(self, sums: ItemSums) -> Parts:
        if self.expected is not None:
            observed = observed_of(sums)
            return Parts(observed, np.broadcast_to(self.expected, observed.shape))
        if not self.adaptive:
            return parts_of(sums, self.metric, self.kind)
        metric = _RanksOfReplicates(sums.pairable @ self._ranks.T)
        return parts_of(sums._replace(disagreement=metric.disagreement(sums.coincidences)), metric, self.kind)

    @functools.cached_property
    def _ranks(self) -> FloatArray:
        """The matrix A with scores = A · counts: mid-ranks are linear in the counts."""
        distance, labels = self.coefficient.distance, self.coefficient.labels
        columns = [distance.scores(labels, row) for row in np.eye(len(labels))]
        return np.stack([column for column in columns if column is not None], axis=1)


def _summed(parts: Iterable[tuple[list[ItemSums], FloatArray]]) -> list[ItemSums]:
    """Return Σ weight · sums over the items of all parts, one set or one a pair of coders."""
    weighted = ([sums.weighted(weights) for sums in part] for part, weights in parts)
    return functools.reduce(_added, weighted)


def _added(first: list[ItemSums], second: list[ItemSums], times: complex = 1.0) -> list[ItemSums]:
    return [left.plus(right, times) for left, right in zip(first, second, strict=True)]


class _RanksOfReplicates(ScoreForm):
    """The squared difference of scores that each replicate has of its own; margins are counts."""

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
    """Return the pairs of coders a mean is taken over: those with items in common."""
    if coefficient.spec.kind != "pairs":
        return []
    judged = coefficient.patterns.rows >= 0
    pairs = combinations(range(coefficient.patterns.coders), 2)
    return [(first, second) for first, second in pairs if (judged[:, first] & judged[:, second]).any()]


def _masked(patterns: Patterns, pair: tuple[int, int]) -> Patterns:
    """Return the patterns with the judgments of two coders alone, on items that both judged."""
    rows = patterns.rows[:, list(pair)]
    both = (rows >= 0).all(axis=1)
    return Patterns(np.where(both, rows.T, -1).T, patterns.times, np.where(both, 2, 0), patterns.size)


def leave_one_out(coefficient: TableCoefficient) -> FloatArray | None:
    """Return the coefficient without one item of each pattern, shape (n_patterns,); None where it is too much work."""
    engine, times = Engine(coefficient), coefficient.patterns.times
    if not engine.is_feasible:
        changed = (times - np.eye(1, len(times), pattern).ravel() for pattern in range(len(times)))
        return _again(coefficient, changed, len(times))
    parts = (engine.sums(part) for part in slices(len(times), engine.width, _CELLS))
    return np.concatenate([engine.values(_added(engine.total, sums, -1.0)) for sums in parts])


def influences(coefficient: TableCoefficient) -> FloatArray | None:
    """Return the derivative of the coefficient by the weight of an item of each pattern, shape (n_patterns,).

    Scaled so that the standard error is √(Σ times·influence² / (n(n - 1))); None where it is too much work.
    """
    engine = Engine(coefficient)
    if not engine.is_feasible:
        return None
    total, count, values = engine.total, coefficient.items, []
    for part in slices(len(coefficient.patterns.times), 2 * engine.width, _CELLS):
        steps = _added(_added(total, engine.sums(part), count * _STEP * 1j), total, -_STEP * 1j)
        values.append(engine.values(steps).imag / _STEP)
    return np.concatenate(values)


def bootstrapped(coefficient: TableCoefficient, *, seed: int, replicates: int) -> FloatArray | None:
    """Return the coefficient of tables of items drawn with replacement; None where it is too much work."""
    engine = Engine(coefficient)
    draws = _draws(coefficient, seed, replicates)
    if not engine.is_feasible:
        return _again(coefficient, (row for rows in draws for row in rows), replicates)
    cuts = slices(len(coefficient.patterns.times), engine.width, _CELLS)
    kept = engine.sums(cuts[0]) if len(cuts) == 1 else None
    return np.concatenate(
        [engine.values(_summed((kept or engine.sums(part), weights[:, part]) for part in cuts)) for weights in draws]
    )


def _draws(coefficient: TableCoefficient, seed: int, replicates: int) -> Iterator[FloatArray]:
    """Yield batches of how often each pattern is drawn; all items that were judged take part."""
    times = coefficient.patterns.times
    n_items = int(times.sum())
    return draw_counts(times / n_items, n_items, seed=seed, stream=_STREAM, replicates=replicates, cells=_CELLS)


def _again(coefficient: TableCoefficient, changed: Iterator[FloatArray], replicates: int) -> FloatArray | None:
    """Return the coefficient computed anew for each replicate, where patterns are few."""
    if replicates * coefficient.patterns.rows.size > _AGAIN:
        return None
    return np.array([coefficient.with_times(times).evaluate()[0] for times in changed])


_PAIRS_STREAM = 0x4A1F  # the child of the seed of the bootstrap of pairs
_PAIR_CELLS = 2_000_000  # counts of a batch: 16 MB


def hayes_krippendorff(
    coefficient: TableCoefficient, *, seed: int, replicates: int, count: int | None = None
) -> FloatArray | None:
    """Return the replicates of α, shape (replicates,); None for a table of too many categories.

    A replicate draws as many pairs as there are (the macro of 2007), or `count`.
    """
    metric = coefficient.metric()
    if metric.size > MAX_COUNTED_CATEGORIES:
        return None
    matrix = coincidences(coefficient.patterns)
    distance = coefficient.distance.matrix(coefficient.labels, matrix.sum(axis=1))
    expected = float(parts_of(sums_of(coefficient.patterns, metric, "values", "VL"), metric, "values").expected[0])
    n = coefficient.patterns.judgments
    pairs = int(coefficient.patterns.times @ (n * (n - 1) / 2))
    count = pairs if count is None else count
    share = (matrix / matrix.sum()).ravel()
    draws = draw_counts(share, count, seed=seed, stream=_PAIRS_STREAM, replicates=replicates, cells=_PAIR_CELLS)
    sums = [counts @ distance.ravel() for counts in draws]
    values = np.maximum(1.0 - np.concatenate(sums) / (count * expected), -1.0)
    return _without_certainty(values, np.diag(matrix) / matrix.sum(), pairs)


def _without_certainty(values: FloatArray, diagonal: FloatArray, pairs: int) -> FloatArray:
    """Return the replicates with those at 1 corrected, as KALPHA does."""
    certain = np.flatnonzero(values == 1.0)
    used = diagonal[diagonal > 0]
    many = len(certain) if len(used) == 1 else round(len(values) * math.fsum(used**pairs))
    values[certain[:many]] = 0.0
    return values
