"""95 % intervals over documents for values and differences of values, by the jackknife.

A value is 1 - r with r = observed / expected disagreement, both sums over documents. Nothing is resampled: the
jackknife gives the standard error of √r, and the interval is Student's t with two corrections.

1. Skewness. With d_i the influence of document i on r, Hall's cubic transformation of (√r̂ - √r) / error takes away the
   skewness of the sum and the curvature of the ratio and of the root (`_shape`).
2. Degrees of freedom. An error is known only as well as the documents that it rests on: their effective number is
   N = min(1 / Σ share², 3(n - 1)/(n + 1) · (Σd²)² / Σd⁴, n), `share` being a document's share of the expected
   disagreement. The first is small if few documents hold most of the units, the second if few documents hold most of
   the variance. Degrees of freedom are N - 1.

A difference of two values has the same interval with d_i = ± the influences, without the root. For two annotations of
the same documents the influences of a document are added; two independent samples have a variance each (Welch and
Satterthwaite).

If the expected disagreement does not add up over documents (uα family, expected disorder that documents share), its
pseudo-values stand for what each document adds: E - E without it, plus a constant so that they sum to E.

An interval is given if at least `MIN_DOCUMENTS` documents have disagreement and as many have agreement: if all
documents of a rare category disagree completely, the value varies hardly at all and nothing is known about its error.

How often the intervals hold the truth is measured in tools/bench/results/coverage.md.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 11 (jackknife).
Hall 1992, On the removal of skewness by transformation, J. R. Statist. Soc. B 54.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
from gamma_align.inference.student import t_quantiles
from gamma_align.inference.values import Value

MIN_DOCUMENTS = 3  # documents with disagreement, and documents with agreement, that an interval takes

NO_DISAGREEMENT = "no disagreement to estimate it from"
FEW_DOCUMENTS = "fewer than three documents with disagreement"
FEW_AGREEING = "fewer than three documents with agreement"
ONE_HOLDS_ALL = "without one of the documents no disagreement is expected by chance"
ALL_EQUAL = "all documents give the same value"

# Documents at which the skewness of the sample counts half; with few documents it is mostly noise. From 0 to 15 the
# mean coverage changes by at most .006.
_HALF_WEIGHT_AT = 5.0
_FEW_DOCUMENTS_MAX = 4  # the coverage from .93 to .97 was measured from five documents on
_NOTED_BELOW = 8.0  # effective documents: with fewer, Student's t makes the interval a fifth wider and more
_ROUNDING = 1e-12  # relative to a sum: what may remain by rounding alone when all of it is taken away
_LINEAR_BELOW = 1e-9  # |b| of the cubic: below it the inverse would divide by 0, and is linear


class ConfidenceInterval(NamedTuple):
    """A 95 % interval of a coefficient and its standard error, or the reason why there is none.

    `low`, `high` and `error` are NaN if there is none. `rests_on` is N, the effective number of documents, and `note`
    a warning if that is few.
    """

    low: float
    high: float
    error: float
    missing: str | None = None
    rests_on: float = math.nan
    note: str | None = None

    def one_minus(self) -> ConfidenceInterval:
        """Return the interval of 1 - the coefficient: of a rate of errors."""
        return self._replace(low=1.0 - self.high, high=1.0 - self.low)

    def around(self, value: float) -> Value:
        """Return the value with this interval."""
        return Value(value, **self.fields)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a `Value` that an interval fills, by name."""
        return {
            "low": self.low,
            "high": self.high,
            "no_interval": self.missing,
            "rests_on": self.rests_on,
            "interval_note": self.note,
        }


class Parts(NamedTuple):
    """Sums of observed and expected disagreement, and how they change without each document.

    `observed` and `expected` have the shape (n_values,), the other arrays (n_values, n_documents). `disagreeing` and
    `agreeing` are the documents that have disagreement and agreement. Of a corpus that is planned each document stands
    for as many as `times`, also for a part of one.
    """

    observed: FloatArray
    expected: FloatArray
    observed_without: FloatArray
    expected_without: FloatArray
    disagreeing: BoolArray
    agreeing: BoolArray
    times: float = 1.0

    @classmethod
    def of_sums(cls, observed: FloatArray, expected: FloatArray, agreeing: BoolArray, times: float = 1.0) -> Parts:
        """Return the parts if what documents add to both sums is known, shape (n_values, n_documents)."""
        total_observed, total_expected = times * _total(observed), times * _total(expected)
        return cls(
            total_observed,
            total_expected,
            total_observed[:, None] - observed,
            total_expected[:, None] - expected,
            observed > 0,
            agreeing,
            times,
        )

    def take(self, values: slice) -> Parts:
        """Return the parts of some values."""
        return Parts(
            self.observed[values],
            self.expected[values],
            self.observed_without[values],
            self.expected_without[values],
            self.disagreeing[values],
            self.agreeing[values],
            self.times,
        )

    @property
    def ratio(self) -> FloatArray:
        """Observed by expected disagreement, shape (n_values,)."""
        return self.observed / self.expected

    @property
    def used(self) -> BoolArray:
        """The documents without which either sum is another one."""
        sums = ((self.observed, self.observed_without), (self.expected, self.expected_without))
        observed, expected = (np.abs(total[:, None] - without) > _ROUNDING * total[:, None] for total, without in sums)
        return observed | expected

    @property
    def ratio_without(self) -> FloatArray:
        """Observed by expected disagreement without each document."""
        return np.maximum(self.observed_without, 0.0) / self.expected_without

    def added(self, used: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return what each document that is used adds to the two sums (pseudo-values), 0 for the others."""
        observed = _pseudo_values(self.observed, self.observed_without, used, self.times)
        return observed, _pseudo_values(self.expected, self.expected_without, used, self.times)


class Intervals(NamedTuple):
    """95 % intervals of r, or of a difference of two r, shape (n_values,): see `ConfidenceInterval`.

    `missing` are the reasons why there is none. `documents` are the documents that each rests on, all counted alike.
    """

    low: FloatArray
    high: FloatArray
    error: FloatArray
    rests_on: FloatArray
    documents: FloatArray
    missing: list[str | None]

    def of(self, index: int, noun: str = "documents") -> ConfidenceInterval:
        """Return one of them, as the interval of a coefficient; `noun` is the name of the parts it is over."""
        missing = self.missing[index]
        if missing is not None:
            return no_interval(missing.replace("documents", noun))
        low, high, error, rests_on, documents = (float(column[index]) for column in self[:5])
        return ConfidenceInterval(low, high, error, None, rests_on, _note(rests_on, int(documents), noun))


def no_interval(reason: str, error: float = math.nan) -> ConfidenceInterval:
    """Return that there is no interval, and why."""
    return ConfidenceInterval(math.nan, math.nan, error, reason)


def ratio_interval(
    observed: FloatArray, expected: FloatArray, agreeing: BoolArray, *, largest: float = math.inf
) -> ConfidenceInterval:
    """Return the interval of 1 - Σ observed / Σ expected, from what each document adds to the two sums.

    Parameters
    ----------
    observed, expected : ndarray, shape (n_documents,)
        What each document adds.
    agreeing : ndarray of bool, shape (n_documents,)
        The documents that have agreement.
    largest : float
        The largest ratio that is possible: 1 for shares.
    """
    parts = Parts.of_sums(observed[None, :], expected[None, :], agreeing[None, :])
    return one_minus_ratio(ratio_intervals(parts), 0, largest=largest)


def jackknife_interval(
    observed: float, expected: float, observed_without: FloatArray, expected_without: FloatArray, agreeing: BoolArray
) -> ConfidenceInterval:
    """Return the interval of 1 - observed / expected, whose expected disagreement does not add up over documents.

    Both are also given without each document, shape (n_documents,). The observed disagreement adds up.
    """
    without = observed_without[None, :], expected_without[None, :]
    totals = np.array([observed]), np.array([expected])
    disagreeing = observed - without[0] > _ROUNDING * observed
    return one_minus_ratio(ratio_intervals(Parts(*totals, *without, disagreeing, agreeing[None, :])), 0)


def one_minus_ratio(
    intervals: Intervals, index: int, noun: str = "documents", *, largest: float = math.inf
) -> ConfidenceInterval:
    """Return the interval of the coefficient 1 - r from those of r, none of which is above `largest`."""
    interval = intervals.of(index, noun)
    if interval.missing is not None:
        return interval
    return interval._replace(low=1.0 - min(interval.high, largest), high=1.0 - interval.low)


def difference_interval(
    first: Parts, second: Parts, possible: tuple[float, float], noun: str = "documents"
) -> ConfidenceInterval:
    """Return the interval of the first value less the second one, of two annotations of the same documents.

    The parts are of one value; `possible` are the least and the largest difference that there can be.
    """
    interval = difference_intervals(first, second).of(0, noun)
    if interval.missing is not None:
        return interval
    return interval._replace(low=max(interval.low, possible[0]), high=min(interval.high, possible[1]))


def leave_one_out_error(values: FloatArray, counts: FloatArray) -> float:
    """Return √((n - 1)/n Σ (θ_i - θ̄)²) over n items, `counts` of which have each of the values θ_i without them."""
    n_items = int(counts.sum())
    mean = float(values @ counts) / n_items
    return math.sqrt((n_items - 1) / n_items * float(counts @ (values - mean) ** 2))


def ratio_intervals(parts: Parts) -> Intervals:
    """Return the intervals of the ratios of observed and expected disagreement."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        used = parts.used
        shape, without = _shape([(1.0, parts)], used, root=True), parts.ratio_without
        moved = np.sqrt(without) - np.sqrt(parts.ratio)[:, None]
        variance = _jackknife_variance(moved, used, parts.times)
        number = _effective(parts, used)
        low, high, rests_on = _limits(np.sqrt(parts.ratio), variance, [(variance, number)], shape)
        error = np.sqrt(_jackknife_variance(without, used, parts.times))
    missing = _missing([parts], used, shape)
    return Intervals(
        np.square(np.maximum(low, 0.0)), np.square(np.maximum(high, 0.0)), error, rests_on, shape.documents, missing
    )


def difference_intervals(first: Parts, second: Parts, *, independent: bool = False) -> Intervals:
    """Return the intervals of the ratios of the second less those of the first: of the first *values* less the second.

    Both are over the same documents. Of `independent` samples they are over the documents of both, each with nothing in
    the documents of the other.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms, each_used = [(-1.0, first), (1.0, second)], [first.used, second.used]
        used = each_used[0] | each_used[1]
        shape = _shape(terms, used, root=False)
        moved = [sign * (parts.ratio_without - parts.ratio[:, None]) for sign, parts in terms]
        numbers = [_effective(parts, own) for (_, parts), own in zip(terms, each_used, strict=True)]
        if independent:
            variances = [_jackknife_variance(part, own) for part, own in zip(moved, each_used, strict=True)]
            samples = [*zip(variances, numbers, strict=True)]
        else:
            samples = [(_jackknife_variance(moved[0] + moved[1], used), np.minimum(*numbers))]
        variance = sum((variance for variance, _ in samples), np.zeros(len(used)))
        low, high, rests_on = _limits(second.ratio - first.ratio, variance, samples, shape)
    missing = _missing([first, second], used, shape)
    if independent:  # each sample has to tell its own error
        alone = (_missing([parts], own, shape) for (_, parts), own in zip(terms, each_used, strict=True))
        missing = [reason or one or other for reason, one, other in zip(missing, *alone, strict=True)]
    return Intervals(low, high, np.sqrt(variance), rests_on, shape.documents, missing)


class _Shape(NamedTuple):
    """What the influences of documents say of the distribution of a value, shape (n_values,) each.

    `linear` and `constant` are b and k of the transformation T + b·T² + b²·T³/3 + k of the studentised value;
    `documents` is n, `by_variance` N by the influences, and `is_constant` whether these are all 0.
    """

    linear: FloatArray
    constant: FloatArray
    documents: FloatArray
    by_variance: FloatArray
    is_constant: BoolArray

    def inverse(self, quantile: FloatArray) -> FloatArray:
        """Return T at which the transformation is this quantile."""
        straight = quantile - self.constant
        bent = (np.cbrt(1.0 + 3.0 * self.linear * straight) - 1.0) / self.linear
        return np.where(np.abs(self.linear) > _LINEAR_BELOW, bent, straight)


def _shape(terms: Sequence[tuple[float, Parts]], used: BoolArray, *, root: bool) -> _Shape:
    """Return the shape of a sum of ratios, each with its sign; on the scale of its root if there is one ratio."""
    times = terms[0][1].times
    n = times * np.count_nonzero(used, axis=-1)
    value, largest = np.zeros((2, len(used)))
    parts, sizes = [], []
    for sign, part in terms:
        observed, expected = part.added(used)
        ratio, total = part.ratio[:, None], part.expected[:, None]
        value = value + sign * part.ratio
        parts.append(sign * (observed - ratio * expected) / total)
        sizes.append(expected / total)
        largest = np.maximum(largest, (np.abs(observed / total) + np.abs(ratio * expected / total)).max(axis=-1))
    influence = sum(parts, np.zeros(used.shape))
    square = times * _total(influence**2)
    deviation = np.sqrt(square * n / (n - 1.0))
    skewness = times * _total(influence**3) / square**1.5
    both = [*zip(parts, sizes, strict=True)]
    curvature = -sum(
        (times**2 * _total(influence * part) * _total(influence * size) for part, size in both), np.zeros(len(used))
    ) / (square * deviation)
    bias = -times * sum((_total(part * size) for part, size in both), np.zeros(len(used))) / deviation
    of_root = deviation / (4.0 * value) if root else 0.0
    weight = n / (n + _HALF_WEIGHT_AT)
    by_variance = (
        3.0 * (n - 1.0) / (n + 1.0) * square**2 / (times * _total(influence**4))
    )  # n, if influences are normal
    return _Shape(
        linear=weight * (skewness / 3.0 + curvature - of_root),
        constant=weight * (skewness / 6.0 + curvature - bias),
        documents=n,
        by_variance=by_variance,
        is_constant=np.sqrt(square) <= _ROUNDING * np.sqrt(n) * largest,
    )


def _limits(
    centre: FloatArray, variance: FloatArray, samples: Sequence[tuple[FloatArray, FloatArray]], shape: _Shape
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the limits and N; `samples` have the variance and the effective number of documents of each sample."""
    freedom = variance**2 / sum(
        (part**2 / np.maximum(number - 1.0, 1.0) for part, number in samples), np.zeros(len(variance))
    )
    freedom = np.minimum(np.minimum(freedom, shape.by_variance - 1.0), shape.documents - 1.0)
    freedom = np.maximum(freedom, 1.0)
    quantile, error = t_quantiles(freedom), np.sqrt(variance)
    return centre - shape.inverse(quantile) * error, centre - shape.inverse(-quantile) * error, freedom + 1.0


def _effective(parts: Parts, used: BoolArray) -> FloatArray:
    """Return 1 / Σ share² of the documents' shares of the expected disagreement."""
    _, expected = parts.added(used)
    return parts.times * np.square(_total(np.abs(expected))) / _total(np.square(expected))


def _jackknife_variance(without: FloatArray, used: BoolArray, times: float = 1.0) -> FloatArray:
    """Return the jackknife's variance of values, from the values without each document that is used."""
    count = np.count_nonzero(used, axis=-1)
    mean, n = _total(np.where(used, without, 0.0)) / count, times * count
    variance: FloatArray = (n - 1) / n * times * _total(np.where(used, without - mean[:, None], 0.0) ** 2)
    return variance


def _pseudo_values(total: FloatArray, without: FloatArray, used: BoolArray, times: float) -> FloatArray:
    """Return what documents add to a total: less each without them, and a constant so that they sum to the total."""
    added = np.where(used, total[:, None] - without, 0.0)
    rest = (total / times - _total(added)) / np.maximum(np.count_nonzero(used, axis=-1), 1)
    return np.where(used, added + rest[:, None], 0.0)


def _total(values: FloatArray) -> FloatArray:
    total: FloatArray = values.sum(axis=-1)
    return total


def _missing(terms: Sequence[Parts], used: BoolArray, shape: _Shape) -> list[str | None]:
    """Return why each value has no interval, None if it has one; the first reason that applies."""
    disagreeing, agreeing = (
        terms[0].times
        * np.count_nonzero(np.logical_or.reduce([getattr(parts, name) & used for parts in terms]), axis=-1)
        for name in ("disagreeing", "agreeing")
    )
    # not <=: the expected disagreement without a document may also be undefined
    held = [~(parts.expected_without > _ROUNDING * parts.expected[:, None]).all(axis=-1) for parts in terms]
    reasons = {
        NO_DISAGREEMENT: np.logical_and.reduce([parts.observed <= 0 for parts in terms]),
        FEW_DOCUMENTS: disagreeing < MIN_DOCUMENTS,
        FEW_AGREEING: agreeing < MIN_DOCUMENTS,
        ONE_HOLDS_ALL: np.logical_or.reduce(held),
        ALL_EQUAL: shape.is_constant,
    }
    first = np.select([*reasons.values()], [*range(len(reasons))], default=len(reasons))
    names = [*reasons, None]
    return [names[code] for code in first.tolist()]


def _note(rests_on: float, documents: int, noun: str) -> str | None:
    """Return the warning if an interval rests on few documents."""
    if documents > _FEW_DOCUMENTS_MAX and rests_on >= max(_NOTED_BELOW, documents / 2):
        return None
    few = f": few {noun}" if documents <= _FEW_DOCUMENTS_MAX else ""
    return f"rests on about {rests_on:.0f} of {documents} {noun}{few}"
