"""Errors, intervals and tests of coefficients on items.

*Items* are resampled: an interval covers the coefficient of other items of the same kind. Pairs of judgments of an item
are not independent, so an interval that resamples pairs ("pairs") is about half as wide as it should be; it is provided
for comparison with published intervals.

========== ============================================================================ =========================
method     definition                                                                   defined for
========== ============================================================================ =========================
jackknife  leave one item out; score interval, t of pairable items - 1 degrees          every coefficient
linearised first derivatives by the weights of items (Gwet 2008); ± t errors, items - 1 all but mean κ, ordinal
bootstrap  items drawn with replacement; percentiles                                    every coefficient
fce        Fleiss, Cohen & Everitt 1969, large samples; ± normal errors                 κ and κ_w, two coders
pairs      Hayes & Krippendorff 2007: pairs of judgments drawn, D_e kept                α
========== ============================================================================ =========================

The first one covers its level with few items too (below). The others are as published: with high agreement and few
items they are too narrow, and with fewer than two items in disagreement they are not available. Their coverage is
reported in ``tools/bench/results/coverage_items.md``.

Linearised errors differ from irrCAC's if items have one judgment or none: irrCAC treats the number of items with two or
more judgments as known, as if it were the same in other samples. With 40 items and 30 to 50 % missing, our errors are 1
to 4 % below the true variation, and irrCAC's are up to 9 % above it (``tools/bench/results/errors_items.md``).

The score interval is defined in `inference.score`, with R = 2, or 1 for A_o, which is at least 0; n is the number of
items with at least two judgments, because the others cannot disagree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gamma_align.errors import SettingsError
from gamma_align.inference import (
    ScoreInterval,
    Uncertainty,
    bootstrap_error,
    influence_error,
    leave_one_out_error,
    order_statistic_interval,
    percentile_interval,
    t_quantile,
)
from gamma_align.measures.items.core import TableCoefficient
from gamma_align.measures.items.counts import item_disagreements, item_weights
from gamma_align.measures.items.items_options import INTERVAL, LEVEL, METHODS, REPLICATES, SEED
from gamma_align.measures.items.replicates import bootstrap_values, hayes_krippendorff, influences, leave_one_out
from gamma_align.measures.items.spec import (
    FEW_DISAGREE,
    NO_REMAINING_VARIATION,
    NO_REPLICATE,
    NOT_FOR_THIS,
    ONE_ITEM,
    TOO_MUCH_WORK,
)
from gamma_align.measures.items.two_coders import fleiss_cohen_everitt
from gamma_align.options import check_fields

MAXIMUM = 1.0  # of every coefficient: no item disagrees
_RANGE_OF_OBSERVED = 1.0  # the minimum of A_o is 0
_RANGE = 2.0  # the minimum of the other coefficients is -1, except in tables of very few items
_MIN_ITEMS = 2  # with one item, there is no variance to estimate


@dataclass(frozen=True, slots=True)
class IntervalSettings:
    """The method of intervals, as in the table of this module, or None for no intervals; and their level."""

    interval: str | None = INTERVAL.default
    level: float = LEVEL.default
    seed: int = SEED.default
    replicates: int = REPLICATES.default

    def __post_init__(self) -> None:
        if self.interval is not None and self.interval not in METHODS:
            raise SettingsError(f"interval must be one of {', '.join(METHODS)} or None, not {self.interval!r}")
        check_fields(self, (LEVEL, REPLICATES))


def uncertainty_of(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    """Return error and interval of an available coefficient."""
    if settings.interval is None:
        return Uncertainty()
    if coefficient.pairable < _MIN_ITEMS:
        return Uncertainty(reason=ONE_ITEM)
    if settings.interval == "jackknife":
        return _jackknife(coefficient, value, settings.level)
    patterns = coefficient.patterns
    is_used = item_weights(patterns, coefficient.missing) > 0
    disagrees = (item_disagreements(patterns, coefficient.metric()) > 0) & is_used
    if patterns.times[disagrees].sum() < _MIN_ITEMS:
        return Uncertainty(reason=FEW_DISAGREE)
    return _PUBLISHED[settings.interval](coefficient, value, settings)


def _jackknife(coefficient: TableCoefficient, value: float, level: float) -> Uncertainty:
    """Return error and interval by leaving out one item at a time."""
    error, reason = jackknife_error(coefficient)
    if reason is not None:
        return Uncertainty(reason=reason)
    reach = _RANGE_OF_OBSERVED if coefficient.spec.kind == "none" else _RANGE
    score = ScoreInterval.of(value, error, coefficient.pairable, reach=reach)
    # Items that were not compared carry no information on the variance.
    freedom = coefficient.pairable - 1
    low, high = score.interval(t_quantile(freedom, level))
    return Uncertainty(error, low, high, freedom, score=score)


def jackknife_error(coefficient: TableCoefficient) -> tuple[float, str | None]:
    """Return the leave-one-out standard error and None, or NaN and the reason why it is not available."""
    values = leave_one_out(coefficient)
    if values is None:
        return math.nan, TOO_MUCH_WORK
    used = coefficient.times_used > 0
    # The value may depend on a single item, without which nothing varies.
    if np.isnan(values[used]).any():
        return math.nan, NO_REMAINING_VARIATION
    return leave_one_out_error(values[used], coefficient.times_used[used]), None


def linearised_error(coefficient: TableCoefficient) -> tuple[float, str | None]:
    """Return the standard error by the delta method and None, or NaN and the reason why it is not available."""
    if coefficient.spec.kind == "pairs" and coefficient.distance.adaptive:
        # The distances of a pair would depend on all items, not only on the items of the pair.
        return math.nan, NOT_FOR_THIS
    result = influences(coefficient)
    if result is None:
        return math.nan, TOO_MUCH_WORK
    return influence_error(result, coefficient.times_used), None


def _symmetric(
    value: float, error: float, freedom: float, settings: IntervalSettings, null_error: float = math.nan
) -> Uncertainty:
    """Return the interval of Student's t around the value."""
    return Uncertainty.symmetric(value, error, freedom, settings.level, maximum=MAXIMUM, null_error=null_error)


def _linearised(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    """Return error and interval by the delta method."""
    error, reason = linearised_error(coefficient)
    return Uncertainty(reason=reason) if reason else _symmetric(value, error, coefficient.items - 1, settings)


def _bootstrap(coefficient: TableCoefficient, _: float, settings: IntervalSettings) -> Uncertainty:
    """Return error and interval from tables of items drawn with replacement."""
    values = bootstrap_values(coefficient, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Uncertainty(reason=TOO_MUCH_WORK)
    available = values[~np.isnan(values)]
    if not len(available):
        return Uncertainty(reason=NO_REPLICATE)
    low, high = percentile_interval(available, settings.level)
    return Uncertainty(bootstrap_error(available), low, min(high, MAXIMUM), sample=available)


def _fce(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    """Return the error and interval of Fleiss, Cohen & Everitt, or the reason why they are not available."""
    errors = fleiss_cohen_everitt(coefficient)
    if errors is None:
        return Uncertainty(reason=NOT_FOR_THIS)
    error, null_error = errors
    return _symmetric(value, error, math.inf, settings, null_error)


def _pairs(coefficient: TableCoefficient, _: float, settings: IntervalSettings) -> Uncertainty:
    """Return error and interval of α from pairs drawn as by KALPHA."""
    if coefficient.spec.name != "alpha" or coefficient.missing != "VL" or coefficient.chance is not None:
        return Uncertainty(reason=NOT_FOR_THIS)
    values = hayes_krippendorff(coefficient, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Uncertainty(reason=TOO_MUCH_WORK)
    low, high = order_statistic_interval(values, settings.level)
    return Uncertainty(bootstrap_error(values), low, high, sample=values)


_PUBLISHED = {"linearised": _linearised, "bootstrap": _bootstrap, "fce": _fce, "pairs": _pairs}
"""The function of each published method."""
