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
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align._types import FloatArray
from gamma_align.distances.forms import FEW, Form, ScoreForm, TableForm, slices
from gamma_align.items.core import Parts, TableCoefficient, observed_of, parts_of
from gamma_align.items.counts import (
    COUNTED,
    Patterns,
    Sums,
    coincidences,
    item_disagreements,
    item_weights,
    margin_weights,
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
    """Turns sums of replicates of a coefficient into values.

    Parameters
    ----------
    coefficient : TableCoefficient
        A coefficient that has a value.
    """

    def __init__(self, coefficient: TableCoefficient) -> None:
        self.coefficient = coefficient
        metric = coefficient.metric()
        kind = "coders" if coefficient.spec.kind == "pairs" else coefficient.spec.kind
        # margins do not matter where chance is from elsewhere
        self.kind = kind if coefficient.chance is None else "none"
        self.follows = coefficient.distance.adaptive and coefficient.chance is None
        self.adaptive = self.follows and metric.size <= FEW
        if isinstance(metric, ScoreForm) and (self.adaptive or (metric.size <= FEW and self.kind == COUNTED)):
            counts = _pairable(coefficient.patterns)
            metric = TableForm.of_table(coefficient.distance.matrix(coefficient.labels, counts))
        self.metric: Form = metric
        self.expected = None if coefficient.chance is None else coefficient.chance.parts(metric).expected
        self.ranks = _rank_matrix(coefficient) if self.adaptive else None
        self.pairs = _pairs(coefficient)
        counted = metric.features is None or self.kind == COUNTED
        self.features = metric.size if counted else metric.n_features
        self.counted = counted

    @property
    def width(self) -> int:
        """How many numbers the sums of one item are."""
        coders = self.coefficient.patterns.coders if self.kind in ("coders", "conger") else 0
        pairs = self.features**2 + self.features if self.adaptive else 0
        return (3 + (1 + coders) * self.features + pairs) * max(len(self.pairs), 1)

    @property
    def is_feasible(self) -> bool:
        """Whether sums of every pattern can be made."""
        unfit = self.follows and (not self.adaptive or self.coefficient.spec.kind == "pairs")
        large = self.features > FEW or len(self.coefficient.patterns.times) * self.width > _WORK
        return not (unfit or large)

    def rows(self, part: slice) -> list[_Rows]:
        """Return the sums of one item of each pattern of the part; one set, or one a pair of coders."""
        patterns = self.coefficient.patterns
        some = Patterns(patterns.rows[part], patterns.times[part], patterns.judgments[part], patterns.size)
        views = [_masked(some, pair) for pair in self.pairs] if self.pairs else [some]
        return [self._rows(view) for view in views]

    def _rows(self, patterns: Patterns) -> _Rows:
        weight = item_weights(patterns, self.coefficient.missing)
        there = (patterns.judgments > 0).astype(np.float64)
        margin = self._features(patterns) * margin_weights(patterns, self.kind)[:, None]
        coders = np.zeros((len(weight), 0, self.features))
        if self.kind in ("coders", "conger"):
            coders = np.stack([self._column(patterns, column) for column in range(patterns.coders)], axis=1)
        each = np.zeros(len(weight)) if self.adaptive else weight * item_disagreements(patterns, self.metric)
        sums = Sums(each, weight, there, margin, coders)
        if not self.adaptive:
            return _Rows(sums, None, None)
        counts = self._features(patterns)
        n = patterns.judgments.astype(np.float64)
        together = counts[:, :, None] * counts[:, None, :]
        together[:, np.arange(self.features), np.arange(self.features)] -= counts
        share = weight / np.maximum(n * (n - 1), 1.0)
        return _Rows(sums, together * share[:, None, None], counts * (n > 1)[:, None])

    def _column(self, patterns: Patterns, column: int) -> FloatArray:
        codes = patterns.rows[:, column]
        table = np.eye(self.features) if self.counted else self.metric.features
        assert table is not None  # noqa: S101  (a metric without features is counted)
        padded: FloatArray = np.concatenate([table, np.zeros((1, self.features))])[codes]
        return padded

    def _features(self, patterns: Patterns) -> FloatArray:
        total = np.zeros((len(patterns.times), self.features))
        for column in range(patterns.coders):
            total += self._column(patterns, column)
        return total

    @functools.cached_property
    def least(self) -> list[float]:
        """The expected disagreements below which a replicate has no variation."""
        return [_NEGLIGIBLE * float(parts.expected[0]) for parts in self._parts(self.total)]

    @functools.cached_property
    def total(self) -> list[_Rows]:
        """The sums of all items."""
        total: list[_Rows] | None = None
        for part in slices(len(self.coefficient.patterns.times), self.width, _CELLS):
            times = self.coefficient.patterns.times[part]
            some = [row.weighted(times[None, :]) for row in self.rows(part)]
            total = some if total is None else [one.plus(two) for one, two in zip(total, some, strict=True)]
        assert total is not None  # noqa: S101  (a coefficient with a value has patterns)
        return total

    def values(self, replicates: list[_Rows]) -> FloatArray:
        """Return the coefficient of each replicate; NaN where it has none.

        Of several pairs of coders, those that have no item in common in a replicate are left out of its mean.
        """
        result = [parts.value() for parts in self._parts(replicates)]
        for index, parts in enumerate(self._parts(replicates)):
            result[index] = np.where(parts.expected.real > self.least[index], result[index], np.nan)
        if not self.pairs:
            return result[0]
        judged = np.stack([row.sums.weight.real > 0 for row in replicates])
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.where(judged, result, 0.0).sum(axis=0) / judged.sum(axis=0)
        return mean

    def _parts(self, replicates: list[_Rows]) -> list[Parts]:
        return [self._part(row) for row in replicates]

    def _part(self, row: _Rows) -> Parts:
        if self.ranks is None or row.coincidences is None or row.pairable is None:
            if self.expected is None:
                return parts_of(row.sums, self.metric, self.kind)
            observed = observed_of(row.sums)
            return Parts(observed, np.broadcast_to(self.expected, observed.shape))
        scores = row.pairable @ self.ranks.T
        metric = _Ranked(scores)
        disagreement = metric.disagreement(row.coincidences)
        return parts_of(row.sums._replace(disagreement=disagreement), metric, self.kind)


class _Rows(NamedTuple):
    """Sums, and where distances follow the data, weighted coincidences and pairable counts too."""

    sums: Sums
    coincidences: FloatArray | None
    pairable: FloatArray | None

    def _each(self, change: Callable[[FloatArray, int], FloatArray]) -> _Rows:
        sums = Sums(*(change(values, at) for at, values in enumerate(self.sums)))
        more = [
            None if values is None else change(values, len(sums) + at)
            for at, values in enumerate((self.coincidences, self.pairable))
        ]
        return _Rows(sums, *more)

    def weighted(self, weights: FloatArray) -> _Rows:
        """Return Σ weight · row, shape (replicates, …) for weights of shape (replicates, rows)."""

        def product(values: FloatArray, _: int) -> FloatArray:
            flat = weights @ values.reshape(len(values), -1)
            result: FloatArray = flat.reshape(len(weights), *values.shape[1:])
            return result

        return self._each(product)

    def plus(self, other: _Rows, times: complex = 1.0) -> _Rows:
        """Return the sum of two sets of rows, broadcast against each other."""
        theirs = [*other.sums, other.coincidences, other.pairable]

        def added(values: FloatArray, at: int) -> FloatArray:
            more = theirs[at]
            return values if more is None else values + times * more

        return self._each(added)


class _Ranked(ScoreForm):
    """The squared difference of scores that each replicate has of its own; margins are counts."""

    def __init__(self, scores: FloatArray) -> None:
        self.size = scores.shape[1]
        self.scores = scores
        self.features = None

    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the form, for margins of shape (replicates, …, categories)."""
        scores = self.scores.reshape(len(self.scores), *([1] * (first.ndim - 2)), self.size)
        one, two = (first * scores).sum(axis=-1), (second * scores).sum(axis=-1)
        squares = first.sum(axis=-1) * (second * scores**2).sum(axis=-1)
        squares = squares + (first * scores**2).sum(axis=-1) * second.sum(axis=-1)
        value: FloatArray = squares - 2 * one * two
        return value

    def disagreement(self, coincidences: FloatArray) -> FloatArray:
        """Return Σ_kl c_kl d_kl of symmetric coincidences, shape (replicates,)."""
        rows = coincidences.sum(axis=2)
        cross = np.einsum("bk,bkl,bl->b", self.scores, coincidences, self.scores)
        value: FloatArray = 2 * ((rows * self.scores**2).sum(axis=1) - cross)
        return value

    @property
    def total(self) -> FloatArray:  # type: ignore[override]  # one a replicate
        """See `Form.total`."""
        value: FloatArray = 2 * self.size * (self.scores**2).sum(axis=1) - 2 * self.scores.sum(axis=1) ** 2
        return value

    @property
    def largest(self) -> FloatArray:  # type: ignore[override]  # one a replicate
        """See `Form.largest`."""
        order = np.argsort(self.scores.real, axis=1)
        ends = np.take_along_axis(self.scores, order[:, [0, -1]], axis=1)
        value: FloatArray = (ends[:, 1] - ends[:, 0]) ** 2
        return value


def _pairable(patterns: Patterns) -> FloatArray:
    return patterns.counts((patterns.judgments > 1).astype(np.float64))


def _rank_matrix(coefficient: TableCoefficient) -> FloatArray:
    """Return the matrix A with scores = A · counts: mid-ranks are linear in the counts."""
    unit = np.eye(len(coefficient.labels))
    columns = [coefficient.distance.scores(coefficient.labels, row) for row in unit]
    return np.stack([column for column in columns if column is not None], axis=1)


def _pairs(coefficient: TableCoefficient) -> list[tuple[int, int]]:
    """Return the pairs of coders a mean is taken over: those with items in common."""
    if coefficient.spec.kind != "pairs":
        return []
    rows: npt.NDArray[np.bool_] = np.array(coefficient.patterns.rows >= 0, dtype=np.bool_)
    every = combinations(range(coefficient.patterns.coders), 2)
    return [(first, second) for first, second in every if bool((rows[:, first] & rows[:, second]).any())]


def _masked(patterns: Patterns, pair: tuple[int, int]) -> Patterns:
    """Return the patterns with the judgments of two coders alone, on items that both judged."""
    rows = patterns.rows[:, list(pair)]
    both = (rows >= 0).all(axis=1)
    return Patterns(np.where(both, rows.T, -1).T, patterns.times, np.where(both, 2, 0), patterns.size)


def leave_one_out(coefficient: TableCoefficient) -> FloatArray | None:
    """Return the coefficient without one item of each pattern, shape (n_patterns,); None where it is too much work."""
    engine = Engine(coefficient)
    times = coefficient.patterns.times
    if not engine.is_feasible:
        changed = (times - np.eye(1, len(times), at).ravel() for at in range(len(times)))
        return _again(coefficient, changed, len(times))
    values = []
    for part in slices(len(times), engine.width, _CELLS):
        rows = engine.rows(part)
        values.append(engine.values([total.plus(row, -1.0) for total, row in zip(engine.total, rows, strict=True)]))
    return np.concatenate(values)


def influences(coefficient: TableCoefficient) -> FloatArray | None:
    """Return the derivative of the coefficient by the weight of an item of each pattern, shape (n_patterns,).

    Scaled so that the standard error is √(Σ times·influence² / (n(n - 1))); None where it is too much work.
    """
    engine = Engine(coefficient)
    if not engine.is_feasible:
        return None
    count = coefficient.items
    values = []
    for part in slices(len(coefficient.patterns.times), 2 * engine.width, _CELLS):
        steps = [
            total.plus(row, count * _STEP * 1j).plus(total, -_STEP * 1j)
            for total, row in zip(engine.total, engine.rows(part), strict=True)
        ]
        values.append(engine.values(steps).imag / _STEP)
    return np.concatenate(values)


def bootstrapped(coefficient: TableCoefficient, *, seed: int, replicates: int) -> FloatArray | None:
    """Return the coefficient of tables of items drawn with replacement; None where it is too much work."""
    engine = Engine(coefficient)
    times = coefficient.patterns.times
    draws = _draws(coefficient, seed, replicates)
    if not engine.is_feasible:
        return _again(coefficient, (row for some in draws for row in some), replicates)
    cuts = slices(len(times), engine.width, _CELLS)
    kept = engine.rows(cuts[0]) if len(cuts) == 1 else None
    values = []
    for weights in draws:
        total: list[_Rows] | None = None
        for part in cuts:
            rows = engine.rows(part) if kept is None else kept
            some = [row.weighted(weights[:, part]) for row in rows]
            total = some if total is None else [one.plus(two) for one, two in zip(total, some, strict=True)]
        values.append(engine.values(total or []))
    return np.concatenate(values)


def _draws(coefficient: TableCoefficient, seed: int, replicates: int) -> Iterator[FloatArray]:
    """Yield how often each pattern is drawn, some replicates at a time; all items that were judged take part."""
    times = coefficient.patterns.times
    count = int(times.sum())
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(_STREAM,))))
    for part in slices(replicates, len(times), _CELLS):
        yield draw.multinomial(count, times / count, size=part.stop - part.start).astype(np.float64)


def _again(coefficient: TableCoefficient, changed: Iterator[FloatArray], replicates: int) -> FloatArray | None:
    """Return the coefficient computed anew for each replicate, where patterns are few."""
    if replicates * coefficient.patterns.rows.size > _AGAIN:
        return None
    values = [coefficient.with_times(times).evaluate()[0] for times in changed]
    result: npt.NDArray[np.float64] = np.array(values)
    return result


_PAIRS_STREAM = 0x4A1F  # the child of the seed of the bootstrap of pairs


def hayes_krippendorff(
    coefficient: TableCoefficient, *, seed: int, replicates: int, count: int | None = None
) -> FloatArray | None:
    """Return the replicates of α, shape (replicates,); None for a table of too many categories.

    A replicate draws as many pairs as there are (the macro of 2007), or `count`.
    """
    metric = coefficient.metric()
    if metric.size > FEW:
        return None
    matrix = coincidences(coefficient.patterns)
    distance = coefficient.distance.matrix(coefficient.labels, matrix.sum(axis=1))
    expected = float(parts_of(sums_of(coefficient.patterns, metric, "values", "VL"), metric, "values").expected[0])
    pairs = _number_of_pairs(coefficient)
    count = pairs if count is None else count
    share = (matrix / matrix.sum()).ravel()
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(_PAIRS_STREAM,))))
    sums = [
        draw.multinomial(count, share, size=part.stop - part.start) @ distance.ravel()
        for part in slices(replicates, len(share), 2_000_000)
    ]
    values = np.maximum(1.0 - np.concatenate(sums) / (count * expected), -1.0)
    return _without_certainty(values, np.diag(matrix) / matrix.sum(), pairs)


def _number_of_pairs(coefficient: TableCoefficient) -> int:
    n = coefficient.patterns.judgments
    return int(coefficient.patterns.times @ (n * (n - 1) / 2))


def _without_certainty(values: FloatArray, diagonal: FloatArray, pairs: int) -> FloatArray:
    """Return the replicates with those at 1 corrected, as KALPHA does."""
    certain = np.flatnonzero(values == 1.0)
    used = diagonal[diagonal > 0]
    many = len(certain) if len(used) == 1 else round(len(values) * math.fsum(used**pairs))
    values[certain[:many]] = 0.0
    return values


def limits(values: FloatArray, level: float) -> tuple[float, float]:
    """Return KALPHA's limits: order statistics ⌊pB⌋ and ⌊(1 - p)B⌋ + 1, p = (1 - level)/2."""
    ordered = np.sort(values)
    tail = (1 - level) / 2
    low = max(math.floor(tail * len(ordered)), 1)
    high = min(math.floor((1 - tail) * len(ordered)) + 1, len(ordered))
    return float(ordered[low - 1]), float(ordered[high - 1])
