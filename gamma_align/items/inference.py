"""Errors, intervals and tests of coefficients on items.

What is resampled are *items*: the question is what the coefficient would be on other items of the same kind. Pairs of
judgments of one item are not independent, so an interval that resamples pairs (`items_pairs`) is about half as wide
as it should be; it is there for comparison with published ones, and says so.

========== ============================================================================ =========================
method     what it is                                                                   defined for
========== ============================================================================ =========================
jackknife  leave one item out; score interval, t of pairable items - 1 degrees          every coefficient
linearised first derivatives by the weights of items (Gwet 2008); ± t errors, items - 1 all but mean κ, ordinal
bootstrap  items drawn with replacement; percentiles                                    every coefficient
fce        Fleiss, Cohen & Everitt 1969, large samples; ± normal errors                 κ and κ_w, two coders
pairs      Hayes & Krippendorff 2007: pairs of judgments drawn, D_e kept                α
========== ============================================================================ =========================

The first covers what it says from few items on (`gamma_align.items.score`). The others are as they were
published; where agreement is high and items are few they are too narrow, and they have no interval at all where fewer
than two items disagree. ``tools/bench/results/coverage_items.md`` has what each of them covers.

Linearised errors differ from irrCAC's where items have one judgment or none: irrCAC takes the number of items with two
or more as known, as if other items were certain to have as many. With 40 items and 30 to 50 % missing, ours are 1 to
4 % below what values really vary by, and irrCAC's are up to 9 % above (``tools/bench/results/errors_items.md``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.errors import SettingsError
from gamma_align.items import pairs, two
from gamma_align.items.counts import item_disagreements, item_weights
from gamma_align.items.reasons import (
    FEW_DISAGREE,
    NO_REPLICATE,
    NOT_FOR_THIS,
    ONE_ITEM,
    TOO_MUCH_WORK,
    UNSTABLE,
)
from gamma_align.items.resampling import bootstrapped, influences, leave_one_out
from gamma_align.items.score import Score

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.items.study import Study


@dataclass(frozen=True, slots=True)
class Inference:
    """How intervals are made.

    Attributes
    ----------
    method : str or None
        See the module; None: no intervals.
    level : float
        Of the interval.
    seed, replicates : int
        Of the two bootstraps.
    """

    method: str | None = "jackknife"
    level: float = 0.95
    seed: int = 0
    replicates: int = 1000

    def __post_init__(self) -> None:
        if self.method is not None and self.method not in METHODS:
            raise SettingsError(f"interval must be one of {', '.join(METHODS)} or None, not {self.method!r}")
        if not 0 < self.level < 1:
            raise SettingsError(f"level must be between 0 and 1, not {self.level}")
        if self.replicates < 1:
            raise SettingsError(f"replicates must be 1 or more, not {self.replicates}")


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How far a value may be from what other items would give.

    Attributes
    ----------
    error : float
        Standard error; NaN where there is none.
    low, high : float
        The interval; its upper bound is never above 1.
    freedom : float
        Degrees of freedom of Student's t; infinite for a normal distribution, NaN for a bootstrap.
    null_error : float
        Standard error if the true value were 0, where the method has one of its own.
    sample : ndarray of float64 or None
        Replicates of a bootstrap that have a value.
    score : Score or None
        What a score interval is made of.
    reason : str or None
        Why there is no error.
    """

    error: float = math.nan
    low: float = math.nan
    high: float = math.nan
    freedom: float = math.nan
    null_error: float = math.nan
    sample: FloatArray | None = None
    score: Score | None = None
    reason: str | None = None


def spread(study: Study, value: float, settings: Inference) -> Spread:
    """Return error and interval of a study that has a value."""
    if settings.method is None:
        return Spread()
    if study.pairable < 2:  # noqa: PLR2004
        return Spread(reason=ONE_ITEM)
    if settings.method == "jackknife":
        return _jackknife(study, value, settings.level)
    if _disagreeing(study) < 2:  # noqa: PLR2004
        return Spread(reason=FEW_DISAGREE)
    return _PUBLISHED[settings.method](study, value, settings)


def _disagreeing(study: Study) -> float:
    """Return how many items there are on which coders disagree."""
    patterns = study.patterns
    some = (item_disagreements(patterns, study.metric()) > 0) & (item_weights(patterns, study.missing) > 0)
    return float(patterns.times[some].sum())


def _jackknife(study: Study, value: float, level: float) -> Spread:
    error, reason = jackknife_error(study)
    if reason is not None:
        return Spread(reason=reason)
    score = Score.of(value, error, study.pairable, reach=1.0 if study.spec.kind == "none" else 2.0)
    freedom = study.pairable - 1
    low, high = score.interval(_quantile(freedom, level))
    return Spread(error, low, high, freedom, score=score)


def jackknife_error(study: Study) -> tuple[float, str | None]:
    """Return √((n - 1)/n Σ (θ_i - θ̄)²) over the values without one item, or the reason why there is none."""
    values = leave_one_out(study)
    if values is None:
        return math.nan, TOO_MUCH_WORK
    times, count = _used_times(study), study.items
    used = times > 0
    if np.isnan(values[used]).any():
        return math.nan, UNSTABLE
    mean = float(values[used] @ times[used]) / count
    return math.sqrt((count - 1) / count * float(times[used] @ (values[used] - mean) ** 2)), None


def linearised_error(study: Study) -> tuple[float, str | None]:
    """Return √(Σ influence² / (n(n - 1))), or the reason why there is none."""
    if study.spec.kind == "pairs" and study.distance.adaptive:  # each pair's distances would move with all items
        return math.nan, NOT_FOR_THIS
    found = influences(study)
    if found is None:
        return math.nan, TOO_MUCH_WORK
    times, count = _used_times(study), study.items
    return math.sqrt(float(times @ found**2) / (count * (count - 1))), None


def _used_times(study: Study) -> FloatArray:
    """Return how many items of each pattern the coefficient rests on."""
    patterns = study.patterns
    if study.spec.kind != "values":
        return patterns.times
    times: FloatArray = np.where(patterns.judgments > 1, patterns.times, 0.0)
    return times


def _quantile(freedom: float, level: float) -> float:
    """Return how many errors an interval reaches to each side."""
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415  (not before it is needed)

    tail = (1 + level) / 2
    return float(ndtri(tail) if math.isinf(freedom) else stdtrit(freedom, tail))


def _student(value: float, error: float, freedom: float, level: float) -> Spread:
    reach = _quantile(freedom, level) * error
    return Spread(error, value - reach, min(value + reach, 1.0), freedom)


def _linearised(study: Study, value: float, settings: Inference) -> Spread:
    error, reason = linearised_error(study)
    return Spread(reason=reason) if reason else _student(value, error, study.items - 1, settings.level)


def _bootstrap(study: Study, _: float, settings: Inference) -> Spread:
    values = bootstrapped(study, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Spread(reason=TOO_MUCH_WORK)
    kept = values[~np.isnan(values)]
    if not len(kept):
        return Spread(reason=NO_REPLICATE)
    low, high = np.quantile(kept, [(1 - settings.level) / 2, (1 + settings.level) / 2]).tolist()
    error = float(np.std(kept, ddof=1)) if len(kept) > 1 else math.nan
    return Spread(error, low, min(high, 1.0), sample=kept)


def _fce(study: Study, value: float, settings: Inference) -> Spread:
    errors = two.fleiss_cohen_everitt(study)
    if errors is None:
        return Spread(reason=NOT_FOR_THIS)
    found = _student(value, errors.error, math.inf, settings.level)
    return Spread(found.error, found.low, found.high, math.inf, errors.null_error)


def _pairs(study: Study, _: float, settings: Inference) -> Spread:
    if study.spec.name != "alpha" or study.missing != "VL" or study.chance is not None:
        return Spread(reason=NOT_FOR_THIS)
    values = pairs.hayes_krippendorff(study, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Spread(reason=TOO_MUCH_WORK)
    low, high = pairs.limits(values, settings.level)
    return Spread(float(np.std(values, ddof=1)) if len(values) > 1 else math.nan, low, high, sample=values)


_PUBLISHED = {"linearised": _linearised, "bootstrap": _bootstrap, "fce": _fce, "pairs": _pairs}
METHODS = ("jackknife", *_PUBLISHED)


def p_value(value: float, found: Spread, threshold: float = 0.0) -> float:
    """Return the two-sided p of the hypothesis that the true value is `threshold`; NaN without an error."""
    if found.sample is not None:
        below = int(np.count_nonzero(found.sample <= threshold))
        above = int(np.count_nonzero(found.sample >= threshold))
        return min(1.0, 2 * (min(below, above) + 1) / (len(found.sample) + 1))
    error = found.null_error if threshold == 0 and not math.isnan(found.null_error) else found.error
    return 2 * _tail(-abs(_distance(value, found, threshold, error)), found.freedom)


def probability_below(value: float, found: Spread, threshold: float) -> float:
    """Return the probability that other items give a value below `threshold`; NaN without an error."""
    if found.sample is not None:
        return float(np.mean(found.sample < threshold))
    return _tail(-_distance(value, found, threshold, found.error), found.freedom)


def _distance(value: float, found: Spread, threshold: float, error: float) -> float:
    """Return by how many errors a value lies above a threshold; NaN without an error."""
    if found.score is not None:
        return found.score.statistic(threshold)
    if error == 0:
        return 0.0 if value == threshold else math.copysign(math.inf, value - threshold)
    return (value - threshold) / error


def _tail(distance: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtr  # noqa: PLC0415

    return float(ndtr(distance) if math.isinf(freedom) else stdtr(freedom, distance))
