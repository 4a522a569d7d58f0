"""95 % intervals over documents for values and differences of values, by the jackknife.

A value is 1 - r with r = observed / expected disagreement, both sums over documents. Nothing is resampled: the
jackknife gives the standard error of √r, and the interval is Student's t with two corrections.

1. Skewness. With d_i the influence of document i on r, Hall's cubic transformation of (√r̂ - √r) / error removes the
   skewness of the sum and the curvature of the ratio and of the root (`_shape`).
2. Degrees of freedom. An error is known only as well as the documents that it rests on: their effective number is
   N = min(1 / Σ share², 3(n - 1)/(n + 1) · (Σd²)² / Σd⁴, n), `share` being a document's share of the expected
   disagreement. The first is small if few documents hold most of the units, the second if few documents hold most of
   the variance. Degrees of freedom are N - 1.

A difference of two values has the same interval with d_i = ± the influences, without the root. For two annotations of
the same documents the influences of a document are added; two independent samples have a variance each (Welch and
Satterthwaite).

If the expected disagreement does not add up over documents (uα family, expected disorder that documents share), its
pseudo-values replace the terms of documents: E - E without the document, plus a constant so that they sum to E.

An interval is given if at least `MIN_DOCUMENTS` documents have disagreement and as many have agreement: if all
documents of a rare category disagree completely, the value varies hardly at all and nothing is known about its error.

The coverage of the intervals is measured in tools/bench/results/coverage.md.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 11 (jackknife).
Hall 1992, On the removal of skewness by transformation, J. R. Statist. Soc. B 54.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict, cast

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, RowGroups
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
_MIN_EFFECTIVE_DOCUMENTS = 8.0  # with fewer, Student's t makes the interval a fifth wider or more
_ROUNDING_TOLERANCE = 1e-12  # relative to a sum: the amount that rounding may leave when all terms are subtracted
_MAX_TERMS = 1 << 18  # of several measures that are computed together, which bounds the memory
_MIN_CURVATURE = 1e-9  # |b| of the cubic: below it the inverse would divide by 0, and is linear


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
        # Without the dict of `fields`: F1 of all pairs of a crowd has hundreds of thousands of values.
        return Value(
            value,
            self.low,
            self.high,
            no_interval=self.missing,
            rests_on=self.rests_on,
            interval_note=self.note,
        )

    @property
    def fields(self) -> IntervalFields:
        """The fields of a `Value` that describe its interval, by name."""
        return {
            "low": self.low,
            "high": self.high,
            "no_interval": self.missing,
            "rests_on": self.rests_on,
            "interval_note": self.note,
        }


class IntervalFields(TypedDict):
    """Keyword arguments of a `Value` that describe its interval."""

    low: float
    high: float
    no_interval: str | None
    rests_on: float
    interval_note: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parts(Columns):
    """Sums of observed and expected disagreement, with and without each document; one row per value.

    `observed` and `expected` have the shape (n_values,), the other arrays (n_values, n_documents). `disagreeing` and
    `agreeing` mark the documents that have disagreement and agreement. In a planned corpus, each document is repeated
    `times` times, which need not be an integer.
    """

    observed: FloatArray
    expected: FloatArray
    observed_without: FloatArray
    expected_without: FloatArray
    disagreeing: BoolArray
    agreeing: BoolArray
    times: float = 1.0

    common_fields = ("times",)

    @classmethod
    def of_sums(cls, observed: FloatArray, expected: FloatArray, agreeing: BoolArray, times: float = 1.0) -> Parts:
        """Return the parts of sums whose terms are known for each document, shape (n_values, n_documents)."""
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

    @property
    def ratio(self) -> FloatArray:
        """Observed divided by expected disagreement, shape (n_values,)."""
        return self.observed / self.expected

    @property
    def is_used(self) -> BoolArray:
        """The documents that change either sum."""
        return _differs(self.observed, self.observed_without) | _differs(self.expected, self.expected_without)

    @property
    def ratio_without(self) -> FloatArray:
        """Observed divided by expected disagreement without each document."""
        # The sum without a document is a difference, which rounding may put below 0.
        return np.maximum(self.observed_without, 0.0) / self.expected_without

    def pseudo_values(self, is_used: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the terms of both sums of each used document (pseudo-values), 0 for other documents."""
        observed = _pseudo_values(self.observed, self.observed_without, is_used, self.times)
        return observed, _pseudo_values(self.expected, self.expected_without, is_used, self.times)


class Intervals(NamedTuple):
    """95 % intervals of r, or of a difference of two r, shape (n_values,): see `ConfidenceInterval`.

    `missing` are the reasons for missing intervals, and `documents` the numbers of documents with equal weights.
    """

    low: FloatArray
    high: FloatArray
    error: FloatArray
    rests_on: FloatArray
    documents: FloatArray
    missing: list[str | None]

    def each(self, noun: str = "documents") -> list[ConfidenceInterval]:
        """Return the interval of each value; `noun` is the name of the units of the jackknife in messages."""
        missing = {reason: no_interval(reason.replace("documents", noun)) for reason in {*self.missing} if reason}
        columns = (column.tolist() for column in self[:5])
        return [
            ConfidenceInterval(low, high, error, None, rests_on, _note(rests_on, int(documents), noun))
            if reason is None
            else missing[reason]
            for low, high, error, rests_on, documents, reason in zip(*columns, self.missing, strict=True)
        ]


def no_interval(reason: str, error: float = math.nan) -> ConfidenceInterval:
    """Return a missing interval with its reason."""
    return ConfidenceInterval(math.nan, math.nan, error, reason)


def ratio_interval(
    observed: FloatArray, expected: FloatArray, agreeing: BoolArray, *, largest: float = math.inf
) -> ConfidenceInterval:
    """Return the interval of 1 - Σ observed / Σ expected, from the terms of each document.

    Parameters
    ----------
    observed, expected : ndarray, shape (n_documents,)
        Terms of both sums.
    agreeing : ndarray of bool, shape (n_documents,)
        The documents that have agreement.
    largest : float
        The largest possible ratio: 1 for shares.
    """
    parts = Parts.of_sums(observed[None, :], expected[None, :], agreeing[None, :])
    return one_minus_ratios(ratio_intervals(parts), largest=largest)[0]


def grouped_ratio_intervals(
    observed: FloatArray, expected: FloatArray, agreeing: BoolArray, groups: RowGroups, *, largest: float = math.inf
) -> list[list[ConfidenceInterval]]:
    """Return the interval of each group of documents in each of several measures: see `ratio_interval`.

    The terms have shape (n_measures, n_documents); the result has a list of n_groups intervals for each measure.
    """
    n_measures = len(observed)
    intervals: list[list[ConfidenceInterval | None]] = [[None] * len(groups) for _ in range(n_measures)]
    for members, rows in groups.blocks():
        # Groups of one size are few, and measures are many: together they take as many calls as one measure.
        n_together = max(_MAX_TERMS // max(rows.size, 1), 1)
        for first in range(0, n_measures, n_together):
            measures = slice(first, first + n_together)
            # The order of a sum, and so its last bit, depend on the layout: each row is contiguous, as in one measure.
            shape = -1, rows.shape[1]
            parts = Parts.of_sums(
                np.ascontiguousarray(observed[measures][:, rows].reshape(shape)),
                np.ascontiguousarray(expected[measures][:, rows].reshape(shape)),
                agreeing[measures][:, rows].reshape(shape),
            )
            values = iter(one_minus_ratios(ratio_intervals(parts), largest=largest))
            for row in intervals[measures]:
                for member in members.tolist():
                    row[member] = next(values)
    return cast("list[list[ConfidenceInterval]]", intervals)


def jackknife_interval(
    observed: float, expected: float, observed_without: FloatArray, expected_without: FloatArray, agreeing: BoolArray
) -> ConfidenceInterval:
    """Return the interval of 1 - observed / expected if only the observed disagreement adds up over documents.

    Both sums are also passed without each document, shape (n_documents,).
    """
    without = observed_without[None, :], expected_without[None, :]
    totals = np.array([observed]), np.array([expected])
    disagreeing = _differs(totals[0], without[0])
    return one_minus_ratios(ratio_intervals(Parts(*totals, *without, disagreeing, agreeing[None, :])))[0]


def one_minus_ratios(
    intervals: Intervals, noun: str = "documents", *, largest: float = math.inf
) -> list[ConfidenceInterval]:
    """Return the intervals of coefficients 1 - r from the intervals of r, which are at most `largest`."""
    return [
        interval._replace(low=1.0 - min(interval.high, largest), high=1.0 - interval.low)
        if interval.missing is None
        else interval
        for interval in intervals.each(noun)
    ]


def difference_interval(
    first: Parts, second: Parts, limits: tuple[float, float], noun: str = "documents"
) -> ConfidenceInterval:
    """Return the interval of the first value minus the second, for two annotations of the same documents.

    The parts have one row; `limits` are the smallest and the largest possible difference.
    """
    [interval] = difference_intervals(first, second).each(noun)
    if interval.missing is not None:
        return interval
    return interval._replace(low=max(interval.low, limits[0]), high=min(interval.high, limits[1]))


def leave_one_out_error(values: FloatArray, counts: FloatArray) -> float:
    """Return √((n - 1)/n Σ (θ_i - θ̄)²) over n items; θ_i, the value without item i, is the same for `counts` items."""
    n_items = int(counts.sum())
    mean = float(values @ counts) / n_items
    return math.sqrt((n_items - 1) / n_items * float(counts @ (values - mean) ** 2))


def ratio_intervals(parts: Parts) -> Intervals:
    """Return the intervals of the ratios of observed and expected disagreement."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        is_used = parts.is_used
        shape, without = _shape([(1.0, parts)], is_used, root=True), parts.ratio_without
        change = np.sqrt(without) - np.sqrt(parts.ratio)[:, None]
        variance = _jackknife_variance(change, is_used, parts.times)
        n_effective = _effective_number(parts, is_used)
        low, high, rests_on = _limits(np.sqrt(parts.ratio), variance, [(variance, n_effective)], shape)
        error = np.sqrt(_jackknife_variance(without, is_used, parts.times))
    missing = _missing([parts], is_used, shape)
    # The limits are of √r, which is not negative; squaring a limit below 0 would make it positive.
    return Intervals(
        np.square(np.maximum(low, 0.0)), np.square(np.maximum(high, 0.0)), error, rests_on, shape.documents, missing
    )


def difference_intervals(first: Parts, second: Parts, *, independent: bool = False) -> Intervals:
    """Return the intervals of the second ratio minus the first, which is the first *value* minus the second.

    Both are over the same documents. With `independent` samples, these are the documents of both samples, and the terms
    of a sample are 0 in the documents of the other.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        first_used, second_used = first.is_used, second.is_used
        is_used = first_used | second_used
        shape = _shape([(-1.0, first), (1.0, second)], is_used, root=False)
        first_change = first.ratio[:, None] - first.ratio_without
        second_change = second.ratio_without - second.ratio[:, None]
        n_first, n_second = _effective_number(first, first_used), _effective_number(second, second_used)
        if independent:
            first_variance = _jackknife_variance(first_change, first_used)
            second_variance = _jackknife_variance(second_change, second_used)
            variance = first_variance + second_variance
            samples = [(first_variance, n_first), (second_variance, n_second)]
        else:
            variance = _jackknife_variance(first_change + second_change, is_used)
            samples = [(variance, np.minimum(n_first, n_second))]
        low, high, rests_on = _limits(second.ratio - first.ratio, variance, samples, shape)
    reasons = [_missing([first, second], is_used, shape)]
    if independent:  # the error of each sample has to be known
        reasons += [_missing([first], first_used, shape), _missing([second], second_used, shape)]
    missing = [next(filter(None, row), None) for row in zip(*reasons, strict=True)]
    return Intervals(low, high, np.sqrt(variance), rests_on, shape.documents, missing)


class _Shape(NamedTuple):
    """The shape of the distribution of a value, estimated from the influences of documents, shape (n_values,) each.

    `linear` and `constant` are b and k of the transformation T + b·T² + b²·T³/3 + k of the studentised value;
    `documents` is n, `by_variance` N by the influences, and `is_constant` is True if these are all 0.
    """

    linear: FloatArray
    constant: FloatArray
    documents: FloatArray
    by_variance: FloatArray
    is_constant: BoolArray

    def inverse(self, quantile: FloatArray) -> FloatArray:
        """Return T at which the transformation is this quantile."""
        shifted = quantile - self.constant
        curved = (np.cbrt(1.0 + 3.0 * self.linear * shifted) - 1.0) / self.linear
        return np.where(np.abs(self.linear) > _MIN_CURVATURE, curved, shifted)


def _shape(terms: Sequence[tuple[float, Parts]], is_used: BoolArray, *, root: bool) -> _Shape:
    """Return the shape of a sum of ratios, each with its sign; with `root`, of the root of a single ratio."""
    times = terms[0][1].times
    n = times * np.count_nonzero(is_used, axis=-1)
    value, max_term = np.zeros((2, len(is_used)))
    influences, shares = [], []
    for sign, parts in terms:
        observed, expected = parts.pseudo_values(is_used)
        ratio, total = parts.ratio[:, None], parts.expected[:, None]
        value = value + sign * parts.ratio
        influences.append(sign * (observed - ratio * expected) / total)
        shares.append(expected / total)
        max_term = np.maximum(max_term, (np.abs(observed / total) + np.abs(ratio * expected / total)).max(axis=-1))
    influence = sum(influences, np.zeros(is_used.shape))
    # Products, since a power takes a hundred times as long, and its last bit depends on the machine.
    squared = influence * influence
    square = times * _total(squared)
    deviation = np.sqrt(square * n / (n - 1.0))
    skewness = times * _total(squared * influence) / square**1.5
    curvature, bias = np.zeros((2, len(is_used)))
    for part, share in zip(influences, shares, strict=True):
        curvature = curvature + times**2 * _total(influence * part) * _total(influence * share)
        bias = bias + _total(part * share)
    curvature, bias = -curvature / (square * deviation), -times * bias / deviation
    root_curvature = deviation / (4.0 * value) if root else 0.0
    weight = n / (n + _HALF_WEIGHT_AT)
    # n, if influences are normal
    by_variance = 3.0 * (n - 1.0) / (n + 1.0) * square**2 / (times * _total(squared * squared))
    return _Shape(
        linear=weight * (skewness / 3.0 + curvature - root_curvature),
        constant=weight * (skewness / 6.0 + curvature - bias),
        documents=n,
        by_variance=by_variance,
        is_constant=np.sqrt(square) <= _ROUNDING_TOLERANCE * np.sqrt(n) * max_term,
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


def _effective_number(parts: Parts, is_used: BoolArray) -> FloatArray:
    """Return 1 / Σ share² of the documents' shares of the expected disagreement."""
    expected = _pseudo_values(parts.expected, parts.expected_without, is_used, parts.times)
    return parts.times * np.square(_total(np.abs(expected))) / _total(np.square(expected))


def _jackknife_variance(without: FloatArray, is_used: BoolArray, times: float = 1.0) -> FloatArray:
    """Return the jackknife's variance of values, from the values without each used document."""
    count = np.count_nonzero(is_used, axis=-1)
    mean, n = _total(np.where(is_used, without, 0.0)) / count, times * count
    variance: FloatArray = (n - 1) / n * times * _total(np.where(is_used, without - mean[:, None], 0.0) ** 2)
    return variance


def _pseudo_values(total: FloatArray, without: FloatArray, is_used: BoolArray, times: float) -> FloatArray:
    """Return the change of a total without each document, plus a constant so that they sum to the total."""
    change = np.where(is_used, total[:, None] - without, 0.0)
    constant = (total / times - _total(change)) / np.maximum(np.count_nonzero(is_used, axis=-1), 1)
    return np.where(is_used, change + constant[:, None], 0.0)


def _differs(total: FloatArray, without: FloatArray) -> BoolArray:
    """Return whether a total differs from the total without each document by more than a rounding error."""
    differs: BoolArray = np.abs(total[:, None] - without) > _ROUNDING_TOLERANCE * total[:, None]
    return differs


def _total(values: FloatArray) -> FloatArray:
    total: FloatArray = values.sum(axis=-1)
    return total


def _missing(terms: Sequence[Parts], is_used: BoolArray, shape: _Shape) -> list[str | None]:
    """Return the first reason why each value has no interval, None if it has one."""
    disagreeing = np.logical_or.reduce([parts.disagreeing for parts in terms]) & is_used
    agreeing = np.logical_or.reduce([parts.agreeing for parts in terms]) & is_used
    times = terms[0].times
    # not <=: the expected disagreement without a document may also be undefined
    needs_one = [
        ~(parts.expected_without > _ROUNDING_TOLERANCE * parts.expected[:, None]).all(axis=-1) for parts in terms
    ]
    reasons = {
        NO_DISAGREEMENT: np.logical_and.reduce([parts.observed <= 0 for parts in terms]),
        FEW_DOCUMENTS: times * np.count_nonzero(disagreeing, axis=-1) < MIN_DOCUMENTS,
        FEW_AGREEING: times * np.count_nonzero(agreeing, axis=-1) < MIN_DOCUMENTS,
        ONE_HOLDS_ALL: np.logical_or.reduce(needs_one),
        ALL_EQUAL: shape.is_constant,
    }
    first = np.select([*reasons.values()], [*range(len(reasons))], default=len(reasons))
    names = [*reasons, None]
    return [names[code] for code in first.tolist()]


def _note(rests_on: float, documents: int, noun: str) -> str | None:
    """Return the warning if an interval rests on few documents."""
    if documents > _FEW_DOCUMENTS_MAX and rests_on >= max(_MIN_EFFECTIVE_DOCUMENTS, documents / 2):
        return None
    warning = f": few {noun}" if documents <= _FEW_DOCUMENTS_MAX else ""
    return f"rests on about {rests_on:.0f} of {documents} {noun}{warning}"
