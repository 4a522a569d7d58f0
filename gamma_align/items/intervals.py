"""Errors, intervals and tests of coefficients on items.

What is resampled are *items*: the question is what the coefficient would be on other items of the same kind. Pairs of
judgments of one item are not independent, so an interval that resamples pairs ("pairs") is about half as wide
as it should be; it is there for comparison with published ones.

========== ============================================================================ =========================
method     what it is                                                                   defined for
========== ============================================================================ =========================
jackknife  leave one item out; score interval, t of pairable items - 1 degrees          every coefficient
linearised first derivatives by the weights of items (Gwet 2008); ± t errors, items - 1 all but mean κ, ordinal
bootstrap  items drawn with replacement; percentiles                                    every coefficient
fce        Fleiss, Cohen & Everitt 1969, large samples; ± normal errors                 κ and κ_w, two coders
pairs      Hayes & Krippendorff 2007: pairs of judgments drawn, D_e kept                α
========== ============================================================================ =========================

The first covers its level from few items on (below). The others are as they were published; where agreement is high
and items are few they are too narrow, and they have no interval at all where fewer than two items disagree. What each
covers is in ``tools/bench/results/coverage_items.md``.

Linearised errors differ from irrCAC's where items have one judgment or none: irrCAC takes the number of items with two
or more as known, as if other items were certain to have as many. With 40 items and 30 to 50 % missing, ours are 1 to
4 % below what values really vary by, and irrCAC's are up to 9 % above (``tools/bench/results/errors_items.md``).

The score interval holds all true values that the data do not contradict. An interval of so many errors to each side of
the value fails where coders agree well: few items disagree, the error is small just when too few of them were drawn,
and 0 without any. Wilson (1927) turns it round for a proportion: a true value belongs to the interval if the data lie
within t errors *as large as they would be if it were true*. Here 1 - θ = D_o/D_e takes the place of the proportion. For
two coders and two even categories it is twice the proportion of items that disagree, so its variance over n items is
r(2 - r)/n with r = 1 - θ; for others it is a multiple φ of that, which the jackknife estimates:

    (θ̂ - θ)² ≤ t² φ r (R - r) / n,    φ = (n·error² + R²/10n) / (r̂(R - r̂) + R²/10n)

with Student's t of n - 1 degrees of freedom and R = 2, or 1 for A_o, whose values begin at 0; n counts the items that
two or more judged, for the others cannot disagree. A tenth of an item that disagrees completely is added to both sides
of φ: without it few and small disagreements make it too small, and without any it would be 0/0.

References
----------
Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference (p a proportion, φ = 1, z for t).
Lee & Tu 1994 (κ of two coders: errors as the true value would have them).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.errors import SettingsError
from gamma_align.items.core import TableCoefficient
from gamma_align.items.counts import item_disagreements, item_weights
from gamma_align.items.options import INTERVAL, LEVEL, REPLICATES, SEED
from gamma_align.items.replicates import bootstrapped, hayes_krippendorff, influences, leave_one_out, limits
from gamma_align.items.spec import FEW_DISAGREE, NO_REPLICATE, NOT_FOR_THIS, ONE_ITEM, TOO_MUCH_WORK, UNSTABLE
from gamma_align.items.two_coders import fleiss_cohen_everitt
from gamma_align.options import check_fields
from gamma_align.results.estimates import student


@dataclass(frozen=True, slots=True)
class IntervalSettings:
    """How intervals are made, by the method of the module that is named (None: no intervals), and of which level."""

    interval: str | None = INTERVAL.default
    level: float = LEVEL.default
    seed: int = SEED.default
    replicates: int = REPLICATES.default

    def __post_init__(self) -> None:
        if self.interval is not None and self.interval not in METHODS:
            raise SettingsError(f"interval must be one of {', '.join(METHODS)} or None, not {self.interval!r}")
        check_fields(self, (LEVEL, REPLICATES))


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """How far a value may be from those that other items would give: its standard error and interval, NaN without.

    `freedom` are degrees of freedom of Student's t, infinite for a normal distribution, NaN for a bootstrap;
    `null_error` is the standard error if the true value were 0, where the method has one of its own; `sample` has the
    replicates of a bootstrap that have a value; `reason` is why there is no error.
    """

    error: float = math.nan
    low: float = math.nan
    high: float = math.nan
    freedom: float = math.nan
    null_error: float = math.nan
    sample: FloatArray | None = None
    score: ScoreInterval | None = None
    reason: str | None = None

    def p_value(self, value: float, threshold: float) -> float:
        """Return the two-sided p of the hypothesis that the true value is `threshold`; NaN without an error."""
        if self.sample is not None:
            below, above = int((self.sample <= threshold).sum()), int((self.sample >= threshold).sum())
            return min(1.0, 2 * (min(below, above) + 1) / (len(self.sample) + 1))
        error = self.null_error if threshold == 0 and not math.isnan(self.null_error) else self.error
        return 2 * self._tail(-abs(self._statistic(value, threshold, error)))

    def probability_below(self, value: float, threshold: float) -> float:
        """Return the probability that other items give a value below `threshold`; NaN without an error."""
        if self.sample is not None:
            return float(np.mean(self.sample < threshold))
        return self._tail(-self._statistic(value, threshold, self.error))

    def _statistic(self, value: float, threshold: float, error: float) -> float:
        """Return by how many errors a value lies above a threshold; NaN without an error."""
        if self.score is not None:
            return self.score.statistic(threshold)
        if error == 0:
            return 0.0 if value == threshold else math.copysign(math.inf, value - threshold)
        return (value - threshold) / error

    def _tail(self, statistic: float) -> float:
        from scipy.special import ndtr, stdtr

        return float(ndtr(statistic) if math.isinf(self.freedom) else stdtr(self.freedom, statistic))


def uncertainty_of(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    """Return error and interval of a coefficient that has a value."""
    if settings.interval is None:
        return Uncertainty()
    if coefficient.pairable < 2:  # noqa: PLR2004
        return Uncertainty(reason=ONE_ITEM)
    if settings.interval == "jackknife":
        return _jackknife(coefficient, value, settings.level)
    patterns = coefficient.patterns
    apart = (item_disagreements(patterns, coefficient.metric()) > 0) & (item_weights(patterns, coefficient.missing) > 0)
    if patterns.times[apart].sum() < 2:  # noqa: PLR2004
        return Uncertainty(reason=FEW_DISAGREE)
    return _PUBLISHED[settings.interval](coefficient, value, settings)


def _jackknife(coefficient: TableCoefficient, value: float, level: float) -> Uncertainty:
    error, reason = jackknife_error(coefficient)
    if reason is not None:
        return Uncertainty(reason=reason)
    score = ScoreInterval.of(value, error, coefficient.pairable, reach=1.0 if coefficient.spec.kind == "none" else 2.0)
    freedom = coefficient.pairable - 1
    low, high = score.interval(student(freedom, level))
    return Uncertainty(error, low, high, freedom, score=score)


def jackknife_error(coefficient: TableCoefficient) -> tuple[float, str | None]:
    """Return √((n - 1)/n Σ (θ_i - θ̄)²) over the values without one item, or the reason why there is none."""
    values = leave_one_out(coefficient)
    if values is None:
        return math.nan, TOO_MUCH_WORK
    times, count = coefficient.times_used, coefficient.items
    used = times > 0
    if np.isnan(values[used]).any():
        return math.nan, UNSTABLE
    mean = float(values[used] @ times[used]) / count
    return math.sqrt((count - 1) / count * float(times[used] @ (values[used] - mean) ** 2)), None


def linearised_error(coefficient: TableCoefficient) -> tuple[float, str | None]:
    """Return √(Σ influence² / (n(n - 1))), or the reason why there is none."""
    if coefficient.spec.kind == "pairs" and coefficient.distance.adaptive:
        # each pair's distances would move with all items
        return math.nan, NOT_FOR_THIS
    result = influences(coefficient)
    if result is None:
        return math.nan, TOO_MUCH_WORK
    times, count = coefficient.times_used, coefficient.items
    return math.sqrt(float(times @ result**2) / (count * (count - 1))), None


def _student(value: float, error: float, freedom: float, level: float) -> Uncertainty:
    reach = student(freedom, level) * error
    return Uncertainty(error, value - reach, min(value + reach, 1.0), freedom)


def _linearised(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    error, reason = linearised_error(coefficient)
    return Uncertainty(reason=reason) if reason else _student(value, error, coefficient.items - 1, settings.level)


def _bootstrap(coefficient: TableCoefficient, _: float, settings: IntervalSettings) -> Uncertainty:
    values = bootstrapped(coefficient, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Uncertainty(reason=TOO_MUCH_WORK)
    kept = values[~np.isnan(values)]
    if not len(kept):
        return Uncertainty(reason=NO_REPLICATE)
    low, high = np.quantile(kept, [(1 - settings.level) / 2, (1 + settings.level) / 2]).tolist()
    error = float(np.std(kept, ddof=1)) if len(kept) > 1 else math.nan
    return Uncertainty(error, low, min(high, 1.0), sample=kept)


def _fce(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    errors = fleiss_cohen_everitt(coefficient)
    if errors is None:
        return Uncertainty(reason=NOT_FOR_THIS)
    return replace(_student(value, errors[0], math.inf, settings.level), null_error=errors[1])


def _pairs(coefficient: TableCoefficient, _: float, settings: IntervalSettings) -> Uncertainty:
    if coefficient.spec.name != "alpha" or coefficient.missing != "VL" or coefficient.chance is not None:
        return Uncertainty(reason=NOT_FOR_THIS)
    values = hayes_krippendorff(coefficient, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Uncertainty(reason=TOO_MUCH_WORK)
    low, high = limits(values, settings.level)
    return Uncertainty(float(np.std(values, ddof=1)) if len(values) > 1 else math.nan, low, high, sample=values)


_PUBLISHED = {"linearised": _linearised, "bootstrap": _bootstrap, "fce": _fce, "pairs": _pairs}
METHODS = ("jackknife", *_PUBLISHED)


_ADDED = 0.1
"""How much of an item that disagrees completely is added to the dispersion; chosen by coverage."""


class ScoreInterval(NamedTuple):
    """A value with its n items, R (how far below 1 values go) and φ (its variance by that of a proportion)."""

    value: float
    items: int
    reach: float
    dispersion: float

    @classmethod
    def of(cls, value: float, error: float, items: int, *, reach: float = 2.0) -> ScoreInterval:
        """Return the score of a value with its standard error."""
        ratio = 1.0 - value
        reach = max(reach, ratio)
        added = _ADDED * reach**2 / items
        return cls(value, items, reach, (items * error**2 + added) / (ratio * (reach - ratio) + added))

    def interval(self, t: float) -> tuple[float, float]:
        """Return the true values within `t` of their errors from the value."""
        ratio, share = 1.0 - self.value, t**2 * self.dispersion / self.items
        shift = share * self.reach / 2
        # (ratio - r)² = share·r·(reach - r), a quadratic equation of r
        half = math.sqrt(shift**2 + share * ratio * (self.reach - ratio))
        low, high = ((ratio + shift + side * half) / (1 + share) for side in (-1, 1))
        return 1.0 - high, 1.0 - max(low, 0.0)

    def statistic(self, threshold: float) -> float:
        """Return (value - threshold) by the error that the value would have if `threshold` were true."""
        ratio = 1.0 - threshold
        variance = self.dispersion * ratio * (self.reach - ratio) / self.items
        if variance <= 0:  # no other value than the threshold is possible there
            return 0.0 if self.value == threshold else math.copysign(math.inf, self.value - threshold)
        return (self.value - threshold) / math.sqrt(variance)
