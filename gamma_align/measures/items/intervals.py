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

The score interval is that of `inference.score`, with R = 2, or 1 for A_o, whose values begin at 0; n counts the items
that two or more judged, for the others cannot disagree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gamma_align.errors import SettingsError
from gamma_align.inference.bootstrap import bootstrap_error, order_statistic_interval, percentile_interval
from gamma_align.inference.delta import influence_error
from gamma_align.inference.jackknife import leave_one_out_error
from gamma_align.inference.score import ScoreInterval
from gamma_align.inference.student import t_quantile
from gamma_align.inference.uncertainty import Uncertainty
from gamma_align.measures.items.core import TableCoefficient
from gamma_align.measures.items.counts import item_disagreements, item_weights
from gamma_align.measures.items.items_options import INTERVAL, LEVEL, METHODS, REPLICATES, SEED
from gamma_align.measures.items.replicates import bootstrapped, hayes_krippendorff, influences, leave_one_out
from gamma_align.measures.items.spec import FEW_DISAGREE, NO_REPLICATE, NOT_FOR_THIS, ONE_ITEM, TOO_MUCH_WORK, UNSTABLE
from gamma_align.measures.items.two_coders import fleiss_cohen_everitt
from gamma_align.options import check_fields

MAXIMUM = 1.0  # of every coefficient: no item disagrees
_REACH_OF_OBSERVED = 1.0  # A_o begins at 0
_REACH = 2.0  # the other coefficients begin at -1, but for tables of very few items
_MIN_ITEMS = 2


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


def uncertainty_of(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    """Return error and interval of a coefficient that has a value."""
    if settings.interval is None:
        return Uncertainty()
    if coefficient.pairable < _MIN_ITEMS:
        return Uncertainty(reason=ONE_ITEM)
    if settings.interval == "jackknife":
        return _jackknife(coefficient, value, settings.level)
    patterns = coefficient.patterns
    apart = (item_disagreements(patterns, coefficient.metric()) > 0) & (item_weights(patterns, coefficient.missing) > 0)
    if patterns.times[apart].sum() < _MIN_ITEMS:
        return Uncertainty(reason=FEW_DISAGREE)
    return _PUBLISHED[settings.interval](coefficient, value, settings)


def _jackknife(coefficient: TableCoefficient, value: float, level: float) -> Uncertainty:
    error, reason = jackknife_error(coefficient)
    if reason is not None:
        return Uncertainty(reason=reason)
    reach = _REACH_OF_OBSERVED if coefficient.spec.kind == "none" else _REACH
    score = ScoreInterval.of(value, error, coefficient.pairable, reach=reach)
    freedom = coefficient.pairable - 1
    low, high = score.interval(t_quantile(freedom, level))
    return Uncertainty(error, low, high, freedom, score=score)


def jackknife_error(coefficient: TableCoefficient) -> tuple[float, str | None]:
    """Return the standard error from the values without one item, or the reason why there is none."""
    values = leave_one_out(coefficient)
    if values is None:
        return math.nan, TOO_MUCH_WORK
    used = coefficient.times_used > 0
    if np.isnan(values[used]).any():
        return math.nan, UNSTABLE
    return leave_one_out_error(values[used], coefficient.times_used[used]), None


def linearised_error(coefficient: TableCoefficient) -> tuple[float, str | None]:
    """Return the standard error of the delta method, or the reason why there is none."""
    if coefficient.spec.kind == "pairs" and coefficient.distance.adaptive:
        # each pair's distances would move with all items
        return math.nan, NOT_FOR_THIS
    result = influences(coefficient)
    if result is None:
        return math.nan, TOO_MUCH_WORK
    return influence_error(result, coefficient.times_used), None


def _symmetric(
    value: float, error: float, freedom: float, settings: IntervalSettings, null_error: float = math.nan
) -> Uncertainty:
    return Uncertainty.symmetric(value, error, freedom, settings.level, maximum=MAXIMUM, null_error=null_error)


def _linearised(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    error, reason = linearised_error(coefficient)
    return Uncertainty(reason=reason) if reason else _symmetric(value, error, coefficient.items - 1, settings)


def _bootstrap(coefficient: TableCoefficient, _: float, settings: IntervalSettings) -> Uncertainty:
    values = bootstrapped(coefficient, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Uncertainty(reason=TOO_MUCH_WORK)
    kept = values[~np.isnan(values)]
    if not len(kept):
        return Uncertainty(reason=NO_REPLICATE)
    low, high = percentile_interval(kept, settings.level)
    return Uncertainty(bootstrap_error(kept), low, min(high, MAXIMUM), sample=kept)


def _fce(coefficient: TableCoefficient, value: float, settings: IntervalSettings) -> Uncertainty:
    errors = fleiss_cohen_everitt(coefficient)
    if errors is None:
        return Uncertainty(reason=NOT_FOR_THIS)
    error, null_error = errors
    return _symmetric(value, error, math.inf, settings, null_error)


def _pairs(coefficient: TableCoefficient, _: float, settings: IntervalSettings) -> Uncertainty:
    if coefficient.spec.name != "alpha" or coefficient.missing != "VL" or coefficient.chance is not None:
        return Uncertainty(reason=NOT_FOR_THIS)
    values = hayes_krippendorff(coefficient, seed=settings.seed, replicates=settings.replicates)
    if values is None:
        return Uncertainty(reason=TOO_MUCH_WORK)
    low, high = order_statistic_interval(values, settings.level)
    return Uncertainty(bootstrap_error(values), low, high, sample=values)


_PUBLISHED = {"linearised": _linearised, "bootstrap": _bootstrap, "fce": _fce, "pairs": _pairs}
