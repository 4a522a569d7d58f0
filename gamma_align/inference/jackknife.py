"""95 % intervals over documents for values and differences of values, by the jackknife.

A value is 1 - r with r = observed / expected disagreement, both sums over documents. Nothing is resampled: the
jackknife gives the standard error of √r, and √r ± Student's t times this error, squared, are the limits of r.

An error is known only as well as the documents that it rests on. Their effective number is
N = min(1 / Σ share², 3(n - 1)/(n + 1) · (Σd²)² / Σd⁴, n), `share` being a document's share of the expected
disagreement and d its influence on r. The first is small if few documents hold most of the units, the second if few
documents hold most of the variance. Degrees of freedom are N - 1.

A difference of two values has the same interval without the root. For two corpora of the same documents, d is the
difference of the influences of a document, and N the smaller one of both; two independent samples have a variance and
an N each (Welch and Satterthwaite). If some documents are shared, all documents are in one jackknife: a shared one is
left out of both corpora at once, and any other has an influence on one of the two values alone. If any document is not
shared, each value needs enough documents by itself.

If the expected disagreement does not add up over documents (uα family, expected disorder that documents share), its
pseudo-values replace the terms of documents: E - E without the document, plus a constant so that they sum to E.

An interval is given if at least `MIN_DOCUMENTS` documents have disagreement and as many have agreement: if all
documents of a rare category disagree completely, the value varies hardly at all and nothing is known about its error.

The coverage of the intervals is measured in tools/bench/results/coverage.md.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 11 (jackknife).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict, cast

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, Numbers, RowGroups
from gamma_align.data import printable
from gamma_align.inference.student import t_quantiles
from gamma_align.inference.values import Value

MIN_DOCUMENTS = 3  # documents with disagreement, and documents with agreement, that an interval takes

NO_DISAGREEMENT = "no disagreement to estimate it from"
FEW_DOCUMENTS = "fewer than three documents with disagreement"
FEW_AGREEING = "fewer than three documents with agreement"
ONE_HOLDS_ALL = "without one of the documents no disagreement is expected by chance"
ALL_EQUAL = "all documents give the same value"

_FEW_DOCUMENTS_MAX = 4  # the coverage from .93 to .97 was measured from five documents on
_ROUNDING_TOLERANCE = 1e-12  # relative to a sum: the amount that rounding may leave when all terms are subtracted
_MAX_TERMS = 1 << 18  # of several measures that are computed together, which bounds the memory


class Basis(NamedTuple):
    """The documents that an interval is computed from: their number, and what they are called in messages.

    `deciding` is the name of the document that holds more than half of the variance, None if there is none or if it has
    no name; `without` is the coefficient without it.
    """

    documents: int
    noun: str = "documents"
    deciding: str | None = None
    without: float = math.nan


class ConfidenceInterval(NamedTuple):
    """A 95 % interval of a coefficient and its standard error, or the reason why there is none.

    `low`, `high` and `error` are NaN if there is none. `rests_on` is N, the effective number of documents.
    """

    low: float
    high: float
    error: float
    missing: str | None = None
    rests_on: float = math.nan
    basis: Basis | None = None

    @property
    def note(self) -> str | None:
        """A warning if the interval rests on few documents, or on few of them; else None."""
        if self.basis is None:
            return None
        documents, noun, deciding, without = self.basis
        if documents <= _FEW_DOCUMENTS_MAX:
            return f"rests on few {noun}"
        if self.rests_on >= documents / 2:
            return None
        value = "" if deciding is None else f"; without {printable(deciding)} it is {round(without, 2) + 0.0:.2f}"
        return f"rests on about {self.rests_on:.0f} of {documents} {noun}{value}"

    def one_minus(self) -> ConfidenceInterval:
        """Return the interval of 1 - the coefficient: of a rate of errors."""
        basis = self.basis and self.basis._replace(without=1.0 - self.basis.without)
        return self._replace(low=1.0 - self.high, high=1.0 - self.low, basis=basis)

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
        total_observed = times * _total(observed)
        total_expected = times * _total(expected)
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
    `deciding` is the index of the document that holds more than half of the variance, -1 if there is none, and
    `without` is r without the document that holds most of it.
    """

    low: FloatArray
    high: FloatArray
    error: FloatArray
    rests_on: FloatArray
    documents: FloatArray
    deciding: IntArray
    without: FloatArray
    missing: list[str | None]

    def as_list(self, noun: str = "documents", names: Sequence[str] | None = None) -> list[ConfidenceInterval]:
        """Return the interval of each value.

        `noun` is what the jackknife leaves out, as messages call it, and `names` are their names, if they have any.
        """
        missing = {reason: no_interval(reason.replace("documents", noun)) for reason in {*self.missing} if reason}
        columns = (column.tolist() for column in self[:-1])
        intervals = []
        for low, high, error, rests_on, documents, deciding, without, reason in zip(
            *columns, self.missing, strict=True
        ):
            if reason is not None:
                intervals.append(missing[reason])
                continue
            name = names[deciding] if names is not None and deciding >= 0 else None
            basis = Basis(int(documents), noun, name, without)
            intervals.append(ConfidenceInterval(low, high, error, None, rests_on, basis))
        return intervals


def no_interval(reason: str) -> ConfidenceInterval:
    """Return a missing interval with its reason."""
    return ConfidenceInterval(math.nan, math.nan, math.nan, reason)


def ratio_interval(
    observed: FloatArray,
    expected: FloatArray,
    agreeing: BoolArray,
    *,
    largest: float = math.inf,
    names: Sequence[str] | None = None,
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
    names : sequence of str, optional
        Names of the documents, for messages.
    """
    parts = Parts.of_sums(observed[None, :], expected[None, :], agreeing[None, :])
    return one_minus_ratios(ratio_intervals(parts), names=names, largest=largest)[0]


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
            block_intervals = ratio_intervals(parts)
            row_of_document = np.tile(rows, (len(parts) // len(rows), 1))
            deciding = np.where(block_intervals.deciding < 0, -1, _pick(row_of_document, block_intervals.deciding))
            block_intervals = block_intervals._replace(deciding=deciding)
            values = iter(one_minus_ratios(block_intervals, names=groups.names, largest=largest))
            for row in intervals[measures]:
                for member in members.tolist():
                    row[member] = next(values)
    return cast("list[list[ConfidenceInterval]]", intervals)


def jackknife_interval(
    observed: float,
    expected: float,
    observed_without: FloatArray,
    expected_without: FloatArray,
    agreeing: BoolArray,
    *,
    noun: str = "documents",
    names: Sequence[str] | None = None,
) -> ConfidenceInterval:
    """Return the interval of 1 - observed / expected if only the observed disagreement adds up over documents.

    Both sums are also passed without each document, shape (n_documents,). Messages call what is left out by its `noun`
    and its `names`.
    """
    without = observed_without[None, :], expected_without[None, :]
    totals = np.array([observed]), np.array([expected])
    disagreeing = _differs(totals[0], without[0])
    parts = Parts(*totals, *without, disagreeing, agreeing[None, :])
    return one_minus_ratios(ratio_intervals(parts), noun, names)[0]


def one_minus_ratios(
    intervals: Intervals,
    noun: str = "documents",
    names: Sequence[str] | None = None,
    *,
    largest: float = math.inf,
) -> list[ConfidenceInterval]:
    """Return the intervals of coefficients 1 - r from the intervals of r, which are at most `largest`."""
    return [
        interval._replace(high=min(interval.high, largest)).one_minus() if interval.missing is None else interval
        for interval in intervals.as_list(noun, names)
    ]


def difference_interval(
    first: Parts,
    second: Parts,
    limits: tuple[float, float],
    noun: str = "documents",
    names: Sequence[str] | None = None,
    *,
    shared: str = "all",
) -> ConfidenceInterval:
    """Return the interval of the first value minus the second; `shared` is as in `difference_intervals`.

    The parts have one row; `limits` are the smallest and the largest possible difference.
    """
    [interval] = difference_intervals(first, second, shared=shared).as_list(noun, names)
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
        without = parts.ratio_without
        influences = _influences([(1.0, parts)], is_used)
        variance = _jackknife_variance(np.sqrt(without), is_used, parts.times)
        half, rests_on = _half_width([(variance, influences.effective)])
        root = np.sqrt(parts.ratio)
        error = np.sqrt(_jackknife_variance(without, is_used, parts.times))
    return Intervals(
        # The limits are of √r, which is not negative; squaring a limit below 0 would make it positive.
        np.square(np.maximum(root - half, 0.0)),
        np.square(root + half),
        error,
        rests_on,
        influences.documents,
        influences.deciding,
        _pick(without, influences.largest),
        _missing_reasons([parts], is_used, influences),
    )


def difference_intervals(first: Parts, second: Parts, *, shared: str = "all") -> Intervals:
    """Return the intervals of the second ratio minus the first, which is the first *value* minus the second.

    Both are over the same documents, which are those of either corpus; the terms of a corpus are 0 in a document that
    it does not have. `shared` says which documents are in both: "all", "some" or "none".
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        first_used = first.is_used
        second_used = second.is_used
        is_used = first_used | second_used
        influences = _influences([(-1.0, first), (1.0, second)], is_used)
        without = second.ratio_without - first.ratio_without
        sides = [(first, first_used), (second, second_used)]
        influences_by_side = [_influences([(1.0, side)], used) for side, used in sides] if shared != "all" else []
        if shared == "none":
            variances = [_jackknife_variance(side.ratio_without, used) for side, used in sides]
            half, rests_on = _half_width(
                [
                    (v, side_influences.effective)
                    for v, side_influences in zip(variances, influences_by_side, strict=True)
                ]
            )
            error = np.sqrt(variances[0] + variances[1])
        else:
            variance = _jackknife_variance(without, is_used)
            half, rests_on = _half_width([(variance, influences.effective)])
            error = np.sqrt(variance)
        difference = second.ratio - first.ratio
    reasons = [_missing_reasons([first, second], is_used, influences)]
    if shared != "all":  # the error of each sample has to be known
        reasons += [
            _missing_reasons([side], used, side_influences)
            for (side, used), side_influences in zip(sides, influences_by_side, strict=True)
        ]
    return Intervals(
        difference - half,
        difference + half,
        error,
        rests_on,
        influences.documents,
        influences.deciding,
        _pick(without, influences.largest),
        [next(filter(None, row), None) for row in zip(*reasons, strict=True)],
    )


class _Influences(NamedTuple):
    """How the influences of documents on a value determine its error, shape (n_values,) each.

    `documents` is n and `effective` is N. `largest` is the index of the document with the largest influence, and
    `deciding` the same if it holds more than half of the variance, else -1. `is_constant` is True if all influences are
    0.
    """

    documents: FloatArray
    effective: FloatArray
    largest: IntArray
    deciding: IntArray
    is_constant: BoolArray


def _influences(terms: Sequence[tuple[float, Parts]], is_used: BoolArray) -> _Influences:
    """Return the influences of the documents on a sum of ratios, each ratio with its sign."""
    times = terms[0][1].times
    n = times * np.count_nonzero(is_used, axis=-1)
    influence = np.zeros(is_used.shape)
    max_term = np.zeros(len(is_used))
    by_size = np.full(len(is_used), np.inf)
    for sign, parts in terms:
        observed, expected = parts.pseudo_values(is_used)
        ratio = parts.ratio[:, None]
        total = parts.expected[:, None]
        influence = influence + sign * (observed - ratio * expected) / total
        max_term = np.maximum(max_term, (np.abs(observed / total) + np.abs(ratio * expected / total)).max(axis=-1))
        # 1 / Σ share²
        own_size = times * np.square(_total(np.abs(expected))) / _total(np.square(expected))
        by_size = np.minimum(by_size, own_size)
    # Products, since a power takes a hundred times as long, and its last bit depends on the machine.
    squared = influence * influence
    square = times * _total(squared)
    # n, if influences are normal
    by_variance = 3.0 * (n - 1.0) / (n + 1.0) * square**2 / (times * _total(squared * squared))
    largest = squared.argmax(axis=-1)
    decides = 2.0 * _pick(squared, largest) > square
    return _Influences(
        documents=n,
        effective=np.minimum(np.minimum(by_size, by_variance), n),
        largest=largest,
        deciding=np.where(decides, largest, -1),
        is_constant=np.sqrt(square) <= _ROUNDING_TOLERANCE * np.sqrt(n) * max_term,
    )


def _half_width(samples: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Return half the widths of intervals, and N; `samples` have the variance and N of each independent sample."""
    freedoms = [np.maximum(number - 1.0, 1.0) for _, number in samples]
    variance = samples[0][0]
    freedom = freedoms[0]
    if len(samples) > 1:  # Welch and Satterthwaite
        variances = np.array([part for part, _ in samples])
        variance = variances.sum(axis=0)
        freedom = np.square(variance) / (np.square(variances) / np.array(freedoms)).sum(axis=0)
    half: FloatArray = t_quantiles(freedom) * np.sqrt(variance)
    return half, freedom + 1.0


def jackknife_errors(without: FloatArray) -> FloatArray:
    """Return the standard error of each value, from the values without each part, shape (n_parts, …)."""
    n = len(without)
    errors: FloatArray = np.sqrt((n - 1) / n * np.square(without - without.mean(axis=0)).sum(axis=0))
    return errors


def _jackknife_variance(without: FloatArray, is_used: BoolArray, times: float = 1.0) -> FloatArray:
    """Return the jackknife's variance of values, from the values without each used document."""
    count = np.count_nonzero(is_used, axis=-1)
    mean = _total(np.where(is_used, without, 0.0)) / count
    n = times * count
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


def _pick(rows: Numbers, index: IntArray) -> Numbers:
    """Return the number at an index of each row: `index` has an index into the columns for each row."""
    return rows[np.arange(len(rows)), index]


def _total(values: FloatArray) -> FloatArray:
    """Return the sums over the last axis."""
    total: FloatArray = values.sum(axis=-1)
    return total


def _missing_reasons(terms: Sequence[Parts], is_used: BoolArray, influences: _Influences) -> list[str | None]:
    """Return for each value the first reason why it has no interval, None if it has one."""
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
        ALL_EQUAL: influences.is_constant,
    }
    first = np.select([*reasons.values()], [*range(len(reasons))], default=len(reasons))
    names = [*reasons, None]
    return [names[code] for code in first.tolist()]
