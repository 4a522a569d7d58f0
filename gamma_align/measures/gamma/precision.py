"""Number of samples to draw for each document until the expected disorder is as precise as requested.

The precision applies either to the pooled expected disorder of the corpus or to each document. The variance of a pooled
value is a sum over documents of weight² · variance / samples. For a given cost it is smallest if the samples are
proportional to weight · deviation / √cost (Neyman 1934).

With pairs of annotators as a control variate each document contributes two terms: the residual variance of the
regression, divided by the number of full samples, and the variance of the expectation of the pairs, which falls at
least in proportion to the number of pair samples (see `pairs`).

References
----------
Mathet 2015, §5.3.
Neyman 1934, On the two different aspects of the representative method, J. R. Statist. Soc. 97.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, Index, IntArray, are_all, ordered_sum
from gamma_align.data.corpus import MIN_ANNOTATORS
from gamma_align.inference.means import (
    MIN_SAMPLES,
    MIN_SAMPLES_CONTROLLED,
    Estimates,
    joint_error,
    relative_half_width,
)
from gamma_align.inference.student import t_quantile, t_quantiles
from gamma_align.measures.gamma.categorial import ESTIMATED, CategorialEstimates, variance_ratio
from gamma_align.measures.gamma.gamma_options import (
    CONTROL,
    FIRST_SAMPLES,
    MAX_SAMPLES,
    PRECISION,
    PRECISION_OF,
    SAMPLES,
)
from gamma_align.measures.gamma.pairs import MAX_PAIRS_OF_POINT
from gamma_align.options import check_fields

# Pair samples of a document with a control variate: 64 replace 70 to 2,000 plain samples of pairs.
FIRST_PAIR_SAMPLES = 64
# If only the pooled value has to be precise, the minimum for an interval is enough. Small documents have
# `FIRST_SAMPLES`: their disorder takes so few different values that eight samples may all be equal.
FIRST_SAMPLES_POOLED = MIN_SAMPLES
# Without each annotator, documents show no interval, and fewer samples may make the pooled value precise. Together they
# need degrees of freedom for its error; each document needs some, since terms of unequal variance have fewer together.
_MIN_FIRST_SAMPLES, _MIN_FREEDOM_POOLED = 4, 60
# Fewer annotators have a larger relative error: with five, up to 1.25 times the error of all in three corpora. If the
# first samples turn out to be too few, more are drawn than the usual first ones.
_ERROR_WITHOUT_ONE = 1.3

# Model of the cost of a sample. One unit of cost is one unit aligned with one other annotator.
_MAX_ANNOTATORS_AT_PAIR_COST = 3  # up to three annotators, a full sample costs the same as its pairs
_MAX_PARTNERS = 12  # other annotators that each annotator is counted with: more were not fitted
_PAIR_COST_FACTOR = 1.5  # fitted to measured times
_MIN_COST_RATIO = 0.004  # lower limit of the cost of all pairs relative to full cost
# The same for long documents of few annotators, whose columns are listed by price: the cost of their full samples does
# not grow by a factor with each annotator. A pair sample then costs 0.03 of a full sample if five annotators are
# drawn from: measured, 0.03 in meetings (ami_diarization) and 0.1 in nights (dreem_sleep_epochs).
_MIN_COST_RATIO_LISTED, _MIN_UNITS_LISTED, _MAX_ANNOTATORS_LISTED = 0.08, 1_000, 7
# Measured: a pair of annotators that is moved and aligned alone. In a full sample this takes two to eight times longer.
_COST_IN_PAIR_SAMPLE = 0.25
# A pair of annotators is moved by the positions of all others, which are compared with each other. Up to fifteen
# annotators this is little beside the units; the factor was measured with 356.
_COST_OF_TWO_POSITIONS, _MAX_FREE_POSITIONS = 0.001, 15

# Pairs that cost less are used in any case. The first samples of each document usually suffice for a pooled value, and
# the expectation of more costly pairs is not worth its cost then.
_CONTROL_MAX_COST_RATIO = 0.5
# The variance of a sample's disorder is about so much divided by the number of units, relative to the mean squared: .07
# to .45 in 13 documents of 12 to 570 units of three annotators.
_VARIANCE_TIMES_UNITS = 0.25
_NORMAL_QUANTILE = 1.96
_SMALL_DOCUMENT_COST = 30.0  # 15 units of three annotators
_GAMMA_CAT_MAX_COST = 2e6  # a few seconds for all documents
_MAX_PAIR_SAMPLES_RATIO = 10  # upper limit of pair samples, relative to `max_samples`

_TARGET_MARGIN = 0.95  # aim for 95 % of the allowed variance: slightly more samples now save a further batch
_MAX_GROWTH = 8.0  # of a document's samples from batch to batch: the first ones say little of the number required
# Samples in which aligned units of a document are searched, if their probability is not known. A document without any
# in so many samples has them in less than .3 % of all samples, at 95 %.
_MAX_SEARCH_SAMPLES = 1_000


class SampleCosts(NamedTuple):
    """Approximate cost of one full sample and of one pair sample of each document, and its units, (n_documents,) each.

    The cost of a pair sample is infinite if pairs cannot serve as a control variate.
    """

    full: FloatArray
    pairs: FloatArray
    units: IntArray

    @classmethod
    def estimate(
        cls, annotators: IntArray, units: IntArray, coverage: FloatArray, n_choices: IntArray | None = None
    ) -> SampleCosts:
        """Estimate the costs from the size of each document.

        The estimate decides how many samples are drawn and how they are distributed to workers; it does not change the
        result of a sample.

        Parameters
        ----------
        annotators, units
            Number of annotators and of units of each document.
        coverage
            Share of the extent that the units of one annotator cover, on average.
        n_choices
            Number of annotators that rows of samples are drawn from; 0, as by default, if pairs cannot serve as a
            control variate.
        """
        if n_choices is None:
            n_choices = np.zeros_like(annotators)
        if not np.count_nonzero((annotators > MIN_ANNOTATORS) | (n_choices > 0)):
            full = units * (annotators - 1.0)  # what follows, without the terms of a third annotator
            return cls(full, np.full(len(units), np.inf), units)
        # In a random sample, a unit can be aligned with about 2 · coverage units of every other annotator or with none,
        # so the number of candidates grows by that factor for each annotator.
        fitted = _PAIR_COST_FACTOR / (1.0 + 2.0 * coverage) ** (annotators - 1.0)
        is_listed = (units >= _MIN_UNITS_LISTED) & (annotators <= _MAX_ANNOTATORS_LISTED)
        min_ratio = np.where(is_listed, _MIN_COST_RATIO_LISTED, _MIN_COST_RATIO)
        ratio = np.where(
            annotators <= _MAX_ANNOTATORS_AT_PAIR_COST, 1.0, np.minimum(np.maximum(fitted, min_ratio), 1.0)
        )
        choices = np.where(n_choices > 0, n_choices, np.inf)
        pairs = np.minimum(choices * (choices + 1.0) / 2.0, MAX_PAIRS_OF_POINT)
        units_in_pairs = np.where(n_choices > 0, 2.0 * units / choices * pairs, np.inf)
        full = units * np.minimum(annotators - 1.0, _MAX_PARTNERS) / ratio
        positions = np.maximum(annotators - _MAX_FREE_POSITIONS, 0.0)
        cost_of_positions = _COST_OF_TWO_POSITIONS * positions**2 * pairs
        cost_of_pairs = _COST_IN_PAIR_SAMPLE * units_in_pairs + cost_of_positions
        return cls(full, cost_of_pairs, units)

    def take(self, documents: Index) -> SampleCosts:
        """Return the costs of these documents."""
        columns = {name: column[documents] for name, column in self._asdict().items()}
        return SampleCosts(**columns)

    @property
    def can_control(self) -> BoolArray:
        """Whether pairs can serve as a control variate."""
        return np.isfinite(self.pairs)

    @property
    def ratio(self) -> FloatArray:
        """Cost of a pair sample relative to a full sample."""
        return self.pairs / self.full


class SampleCounts(NamedTuple):
    """Number of full samples and of pair samples of each document, shape (n_documents,).

    In a full sample all annotators are aligned together; in a pair sample, two at a time. The number of pair samples is
    0 or a power of two (see `pairs`).
    """

    full: IntArray
    pairs: IntArray

    def select(self, documents: Index) -> SampleCounts:
        """Return the counts of these documents."""
        return SampleCounts(self.full[documents], self.pairs[documents])

    def equals(self, counts: SampleCounts) -> bool:
        """Return whether all counts are the same."""
        return are_all((self.full == counts.full) & (self.pairs == counts.pairs))

    def maximum(self, other: SampleCounts) -> SampleCounts:
        """Return the larger of both counts for each document."""
        return SampleCounts(np.maximum(self.full, other.full), np.maximum(self.pairs, other.pairs))


class ExpectedDisorders(NamedTuple):
    """Estimates of δ_e of each document, without and with pairs as a control variate.

    `weight` is the weight of a document in the pooled value; it is NaN or 0 for documents that do not contribute.
    """

    weight: FloatArray
    plain: Estimates
    controlled: Estimates


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectedCategorialDisorders(Columns):
    """Estimates of δ_e,cat of each document; `weight` is Σ weight of its aligned pairs, for pooling."""

    weight: FloatArray
    estimates: CategorialEstimates


@dataclass(frozen=True, slots=True)
class PrecisionRule:
    """Stopping rule: draw samples until t · (standard error of δ_e) ≤ precision · δ_e.

    After each batch the rule computes the number of samples required from the current estimates. With plain samples of
    one document this is N = max(30, ⌈(t · CV / precision)²⌉), with CV = σ/μ of the sampled disorders (M15 §5.3, which
    uses 1.96 for t). A control variate is used if it reaches the precision at a lower cost.

    Parameters
    ----------
    precision
        Largest half width of the 95 % interval of δ_e, relative to δ_e.
    samples
        Fixed number of samples per document; replaces the rule.
    max_samples
        Upper limit per document.
    control
        "pairs" to allow pairs of annotators as a control variate, or "none".
    of
        "corpus" if the pooled δ_e and δ_e,cat have to be precise, "documents" if δ_e of every document has to be.
    first_samples
        Number of samples in the first batch of documents that are not small, if the pooled values have to be precise.
    costly_samples
        Number of samples that γcat may have of every document, whatever they cost: the first batch of M15, or fewer.
    """

    precision: float = PRECISION.default
    samples: int | None = None
    max_samples: int = MAX_SAMPLES.default
    control: str = CONTROL.default
    of: str = PRECISION_OF.default
    first_samples: int = FIRST_SAMPLES_POOLED
    costly_samples: int = FIRST_SAMPLES

    def __post_init__(self) -> None:
        check_fields(self, (PRECISION, SAMPLES, MAX_SAMPLES, CONTROL))
        PRECISION_OF.check(self.of)

    @property
    def is_pooled(self) -> bool:
        """Whether the precision applies to the pooled values, γcat included."""
        return self.samples is None and self.of == "corpus"

    def without_one(self, expected_precision: float, n_documents: int) -> PrecisionRule:
        """Return the rule for the pooled values without one annotator, whose documents show no interval.

        `expected_precision` is the relative half width of the pooled δ_e with all annotators, NaN if it is not known,
        and `n_documents` the number of their documents. γcat has fewer samples that cost much: they would be drawn for
        the corpus without each annotator, and take longer than γ of all.
        """
        if not self.is_pooled or math.isnan(expected_precision):
            return self
        required = FIRST_SAMPLES_POOLED * (_ERROR_WITHOUT_ONE * expected_precision / self.precision) ** 2
        samples = max(_MIN_FIRST_SAMPLES, math.ceil(required), 1 + math.ceil(_MIN_FREEDOM_POOLED / n_documents))
        return replace(self, first_samples=min(samples, FIRST_SAMPLES_POOLED), costly_samples=FIRST_SAMPLES_POOLED)

    def first_counts(self, costs: SampleCosts) -> SampleCounts:
        """Return the number of samples to draw in the first batch."""
        n_documents = len(costs.full)
        use_control = self.uses_pairs(costs)
        if self.samples is not None:
            full = np.full(n_documents, self.samples)
            use_control &= full >= MIN_SAMPLES_CONTROLLED
        elif self._applies_to_documents(costs):
            full = np.where(use_control, MIN_SAMPLES_CONTROLLED, FIRST_SAMPLES)
        else:
            full = np.where(costs.full < _SMALL_DOCUMENT_COST, FIRST_SAMPLES, self.first_samples)
            use_control[:] = False  # pairs are added later, if these samples are not precise enough
        return SampleCounts(full, np.where(use_control, FIRST_PAIR_SAMPLES, 0))

    def uses_pairs(self, costs: SampleCosts) -> BoolArray:
        """Return the documents that pairs of annotators may be used for as a control variate."""
        if self.control != "pairs" or not np.count_nonzero(costs.can_control):
            return np.zeros(len(costs.full), dtype=np.bool_)
        is_cheap: BoolArray = costs.ratio < _CONTROL_MAX_COST_RATIO
        if self.samples is not None or not self._applies_to_documents(costs):
            return is_cheap
        # Otherwise if plain sampling is expected to take more than the first samples.
        n_plain = _VARIANCE_TIMES_UNITS / costs.units * (_NORMAL_QUANTILE / self.precision) ** 2
        return costs.can_control & (is_cheap | (n_plain > FIRST_SAMPLES))

    def next_counts(self, gamma: ExpectedDisorders, drawn: SampleCounts, costs: SampleCosts) -> SampleCounts:
        """Return the total number of samples that γ requires, given the estimates from those drawn.

        Sampling is complete if no count exceeds the number drawn.
        """
        if self.samples is not None:
            return self._pairs_for_fixed_samples(gamma, costs)
        if self._applies_to_documents(costs):
            return self._counts_for_documents(gamma, costs)
        return self._counts_for_corpus(gamma, drawn, costs)

    def next_counts_gamma_cat(
        self, gamma_cat: ExpectedCategorialDisorders, drawn: SampleCounts, costs: SampleCosts
    ) -> SampleCounts:
        """Return the total number of samples that the pooled γcat requires.

        γcat uses the samples of γ, and additional ones within a limit: only a few pairs of units of a sample may
        contribute to γcat, so the precision could require many times the samples of γ. Beyond the limit, the precision
        that was reached is reported instead.
        """
        weight, estimates = gamma_cat.weight, gamma_cat.estimates
        # Every document may have the first batch of M15, and all of them as many as a few seconds allow.
        first = np.minimum(np.where(self.uses_pairs(costs), MIN_SAMPLES_CONTROLLED, FIRST_SAMPLES), self.costly_samples)
        affordable = min(int(_GAMMA_CAT_MAX_COST / costs.full.sum()), self.max_samples)
        max_samples = np.maximum(np.maximum(first, affordable), drawn.full)

        can_vary = (weight > 0) & (estimates.status == ESTIMATED)
        is_unknown = can_vary & np.isnan(estimates.mean)
        search_limit = np.minimum(np.minimum(_MAX_GROWTH * drawn.full, _MAX_SEARCH_SAMPLES), max_samples)
        searched = np.where(is_unknown, search_limit, drawn.full)
        precise = self._categorial_counts(gamma_cat, drawn, costs, max_samples, can_vary & ~is_unknown)
        return SampleCounts(np.maximum(precise, searched).astype(np.int64), drawn.pairs)

    def _categorial_counts(
        self,
        gamma_cat: ExpectedCategorialDisorders,
        drawn: SampleCounts,
        costs: SampleCosts,
        max_samples: IntArray,
        can_improve: BoolArray,
    ) -> FloatArray | IntArray:
        """Return the numbers of full samples that make the pooled δ_e,cat precise.

        `can_improve` marks the documents whose samples can reduce its error.
        """
        weight, estimates = gamma_cat.weight, gamma_cat.estimates
        is_known = (weight > 0) & ~np.isnan(estimates.mean)
        ratio = variance_ratio(weight, estimates.squares, estimates.prior, estimates.samples)
        variance = np.where(is_known, weight**2 * estimates.variance(ratio), 0.0)
        mean = math.fsum(weight[is_known] * estimates.mean[is_known])
        error, freedom = joint_error(np.sqrt(variance[is_known]), estimates.freedom[is_known])
        if not error > 0 or relative_half_width(mean, error, freedom) <= self.precision:
            return drawn.full
        max_samples = np.minimum(max_samples, np.ceil(_MAX_GROWTH * drawn.full))
        if not mean > 0 or math.isinf(t_quantile(freedom)):
            return np.where(can_improve, np.minimum(2 * drawn.full, max_samples), drawn.full)

        # Samples are allocated by facts known before any is drawn: weight, positions, and one ratio for the corpus. By
        # its own disorders, a document would be sampled least if its first samples happen to agree.
        is_sampled = can_improve & (estimates.samples > 0)
        contributing_share = (estimates.samples + 0.5) / (drawn.full + 1.0)
        prior = np.where(is_sampled, ratio * estimates.prior, estimates.unsampled)
        deviation = weight * np.sqrt(np.fmax(prior, 0.0) / contributing_share / costs.full)
        reducible = np.where(is_sampled, variance * drawn.full, 0.0)
        fixed = ordered_sum(np.where(is_sampled, 0.0, variance))
        target = _TARGET_MARGIN * (self.precision * mean / t_quantile(freedom)) ** 2 - fixed
        current = drawn.full.astype(np.float64)
        return np.ceil(
            proportional_allocation(
                reducible,
                np.where(can_improve, deviation, 0.0),
                current,
                np.where(can_improve, max_samples, current),
                target,
            )
        )

    def _applies_to_documents(self, costs: SampleCosts) -> bool:
        """Whether every document has to be precise; the value of a single document is the value of the corpus."""
        return self.of == "documents" or len(costs.full) == 1

    def _pairs_for_fixed_samples(self, gamma: ExpectedDisorders, costs: SampleCosts) -> SampleCounts:
        """Return the optimal number of pair samples for a fixed number of full samples."""
        controlled = gamma.controlled
        with np.errstate(divide="ignore", invalid="ignore"):
            optimal = controlled.slope / controlled.residual / np.sqrt(costs.ratio)
            pairs_per_sample = np.minimum(optimal, 1.0 / costs.ratio)  # spend no more on pairs than on full samples
        pairs = _powers_of_two(np.maximum(controlled.samples * np.nan_to_num(pairs_per_sample), controlled.controls))
        return SampleCounts(gamma.plain.samples, np.where(controlled.controls > 0, pairs, 0))

    def _counts_for_documents(self, gamma: ExpectedDisorders, costs: SampleCosts) -> SampleCounts:
        """Return the counts that make every document precise, with pairs if they are used."""
        use_control, estimates = gamma.controlled.controls > 0, gamma.plain
        if np.count_nonzero(use_control):
            estimates = gamma.controlled.where(use_control, gamma.plain)
        cost_ratio = np.where(costs.can_control, costs.ratio, 1.0)
        min_samples = np.where(use_control, MIN_SAMPLES_CONTROLLED, FIRST_SAMPLES)
        return self._required_counts(estimates, cost_ratio, min_samples)

    @np.errstate(divide="ignore", invalid="ignore")
    def _required_counts(self, estimates: Estimates, cost_ratio: FloatArray, min_samples: IntArray) -> SampleCounts:
        """Return the cheapest counts that reach the precision in each document; never fewer than are drawn."""
        # Minimise full + cost_ratio · pairs subject to residual² / full + slope² / pairs ≤ target.
        slope = estimates.slope
        target = np.square(self.precision * estimates.mean / t_quantiles(estimates.freedom))
        residual = estimates.residual_of_error  # not the plain one, which HC3 errors exceed
        full = residual * (residual + slope * np.sqrt(cost_ratio)) / target
        full = np.maximum(np.ceil(np.where(np.isnan(full), 0.0, full)), min_samples)
        full = np.minimum(np.maximum(full, estimates.samples), self.max_samples)
        if not np.count_nonzero(slope > 0):
            return SampleCounts(full.astype(np.int64), estimates.controls)
        pairs = slope**2 / (target - residual**2 / full)
        # If the full samples alone exceed the target (pairs < 0), no number of pairs suffices: take the maximum.
        max_pairs = float(_MAX_PAIR_SAMPLES_RATIO * self.max_samples)
        pairs = np.where((pairs >= 0) & (pairs < max_pairs), pairs, max_pairs)
        counts = _powers_of_two(np.maximum(pairs, estimates.controls))
        return SampleCounts(full.astype(np.int64), np.where(slope > 0, counts, estimates.controls))

    def _counts_for_corpus(self, expected: ExpectedDisorders, drawn: SampleCounts, costs: SampleCosts) -> SampleCounts:
        """Return the cheapest counts that make the pooled value precise."""
        estimates = expected.controlled.where(drawn.pairs > 0, expected.plain)
        is_known = (expected.weight > 0) & np.isfinite(estimates.error)
        weight = np.where(is_known, expected.weight, 0.0)
        mean = math.fsum(weight[is_known] * estimates.mean[is_known])
        error, freedom = joint_error(weight[is_known] * estimates.error[is_known], estimates.freedom[is_known])
        is_imprecise = relative_half_width(mean, error, freedom) > self.precision  # False if NaN: nothing to improve
        if not is_imprecise:
            return drawn

        # Try pairs before drawing more: they show how much of the variance the control variate explains.
        can_try_pairs = is_known & self.uses_pairs(costs) & (drawn.pairs == 0)
        if can_try_pairs.any():
            full = np.where(can_try_pairs, np.maximum(drawn.full, MIN_SAMPLES_CONTROLLED), drawn.full)
            return SampleCounts(full, np.where(can_try_pairs, FIRST_PAIR_SAMPLES, drawn.pairs))

        # Only samples that have the disorder reduce its error, so proportionally more have to be drawn.
        contributing_share = np.where(is_known, estimates.samples / drawn.full, 1.0)
        full_deviation = weight * estimates.residual / np.sqrt(contributing_share)
        pair_deviation = weight * estimates.slope
        current = np.concatenate([drawn.full, np.maximum(drawn.pairs, 1)]).astype(np.float64)
        limits = np.repeat([self.max_samples, _MAX_PAIR_SAMPLES_RATIO * self.max_samples], len(drawn.full))
        # `error` includes the uncertainty of the regression slope, the deviations do not. A ratio of the variances
        # carries the same margin over to the allocation.
        error_ratio = _TARGET_MARGIN * (self.precision * mean / t_quantile(freedom) / error) ** 2
        counts = cheapest_allocation(
            np.nan_to_num(np.concatenate([full_deviation, pair_deviation])),
            np.concatenate([costs.full, costs.pairs]),
            current,
            np.maximum(limits, current),
            error_ratio,
        )
        full, pairs = np.ceil(counts).reshape(2, -1)
        return SampleCounts(full.astype(np.int64), np.where(drawn.pairs > 0, _powers_of_two(pairs), 0))


def _powers_of_two(numbers: FloatArray) -> IntArray:
    """Return the least power of two, at least `FIRST_PAIR_SAMPLES`, that is not below each number."""
    mantissa, exponent = np.frexp(np.maximum(numbers, FIRST_PAIR_SAMPLES))
    return np.left_shift(1, np.where(mantissa > 0.5, exponent, exponent - 1)).astype(np.int64)  # noqa: PLR2004


def cheapest_allocation(
    deviation: FloatArray, cost: FloatArray, current: FloatArray, maximum: FloatArray, target_ratio: float
) -> FloatArray:
    """Return the cheapest sample counts that reduce the variance Σ deviation² / count to `target_ratio` of it.

    The counts lie between `current` and `maximum` and are not rounded; all arrays have shape (n_terms,). If `maximum`
    does not reduce the variance enough, it is returned for all terms that have a deviation.
    """
    variance = deviation**2
    is_random = deviation > 1e-9 * deviation.max()  # more samples of a constant term would gain nothing
    rate = np.where(is_random, deviation / np.sqrt(cost), 0.0)  # Neyman 1934
    return proportional_allocation(variance, rate, current, maximum, target_ratio * ordered_sum(variance / current))


def proportional_allocation(
    variance: FloatArray, rate: FloatArray, current: FloatArray, maximum: FloatArray, target: float
) -> FloatArray:
    """Return sample counts proportional to `rate` for which the variance Σ variance / count is the target.

    The counts lie between `current` and `maximum` and are not rounded; all arrays have shape (n_terms,). If `maximum`
    is not enough, it is returned. A term of rate 0 keeps its current count.
    """
    has_rate = rate > 0
    upper_counts = np.where(has_rate, maximum, current)
    if not has_rate.any() or ordered_sum(variance / upper_counts) >= target:
        return upper_counts

    # Counts are `scale` · rate within their limits. From one mark to the next, the variance is fixed + inverse / scale:
    # at a mark a count leaves its lower limit or reaches its upper one.
    variances, rates, lowest, highest = (column[has_rate] for column in (variance, rate, current, maximum))
    marks = np.concatenate([lowest / rates, highest / rates])
    order = marks.argsort(kind="stable")
    marks = marks[order]
    fixed = np.concatenate([-variances / lowest, variances / highest])[order].cumsum()
    fixed += ordered_sum(variance / current)
    inverse = np.concatenate([variances / rates, -variances / rates])[order].cumsum()
    enough = fixed + inverse / marks <= target
    if enough[0]:
        scale = float(marks[0])
    else:
        after = int(np.argmax(enough)) or len(marks) - 1  # rounding errors may hide that the last mark is enough
        scale = float(np.clip(inverse[after - 1] / (target - fixed[after - 1]), *marks[after - 1 : after + 1]))
    return np.clip(scale * rate, current, maximum)
