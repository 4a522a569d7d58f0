"""How many samples the precision asked for takes, of which documents and of which kind.

The precision is that of the pooled expected disorder, or of every document's. The error of a pooled value is a sum over
documents of weight² · variance / samples, so that its samples do most where they are in proportion to
weight · deviation / √cost (Neyman 1934). With pairs of annotators as a control variate a document has two such terms:
what pairs leave open, over the samples aligned whole, and what they tell, over those aligned by pairs.

References
----------
Mathet 2015, §5.3.
Neyman 1934, On the two different aspects of the representative method, J. R. Statist. Soc. 97.
Peherstorfer, Willcox & Gunzburger 2016, Optimal model management for multifidelity Monte Carlo estimation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, ordered_sum
from gamma_align.inference.means import MIN_SAMPLES, Estimates, joint_error, relative_half_width
from gamma_align.inference.student import t_quantile
from gamma_align.measures.gamma.categorial import ESTIMATED, CategorialEstimates, variance_ratio
from gamma_align.measures.gamma.gamma_options import CONTROL, FIRST, MAX_SAMPLES, PRECISION, PRECISION_OF, SAMPLES
from gamma_align.options import check_fields

FIRST_WITH_CONTROL = 12  # and where pairs of annotators show how samples vary: intervals cover from so many on
FIRST_OF_MANY = 8  # and of each document where the precision is that of the pooled value: as many as an interval
# takes; but for small ones, which have few disorders, so that eight samples may well have the same

_PAIRS, _CHEAP, _CHEAPEST = 1.5, 0.5, 0.004
_SMALL = 30.0  # in `Costs`: fifteen units of three annotators
_LITTLE = 2e6  # in `Costs`: some seconds
_AIM = 0.95  # of the variance allowed: a little more at once saves rounds
_HALVINGS = 60
_GROWTH = 8.0  # times as many samples of a document in one round: the first ones say little of how many are needed
# Samples in which aligned units of a document are looked for, if their chance is not known. A document that has none in
# so many has them in less than .3 % of all samples, at 95 %.
_SEARCH = 1_000


class Costs(NamedTuple):
    """About what a sample of each document costs, aligned whole and by pairs of annotators; shape (n_documents,)."""

    whole: FloatArray
    pairs: FloatArray

    @classmethod
    def of(cls, annotators: IntArray, units: IntArray, coverage: FloatArray) -> Costs:
        """Return the costs for these numbers of annotators and of units, and shares of the extent that one covers.

        A rough fit to measured times: in a random sample a unit may be aligned with about twice the coverage of the
        units of each other annotator, or with none, and that multiplies. Three annotators cost what their pairs do. It
        decides what is drawn and how work is shared out, not what comes out.
        """
        share = _PAIRS / (1.0 + 2.0 * coverage) ** (annotators - 1.0)
        ratio = np.where(annotators <= 3, 1.0, np.clip(share, _CHEAPEST, 1.0))  # noqa: PLR2004
        pairs = units * (np.minimum(annotators, 13) - 1.0)
        return cls(pairs / ratio, pairs)

    @property
    def ratio(self) -> FloatArray:
        """Cost of the pairs by that of the whole, 1 at most."""
        return self.pairs / self.whole


class Wanted(NamedTuple):
    """How many samples of each document to align whole, and by pairs of annotators; shape (n_documents,)."""

    samples: IntArray
    pairs: IntArray

    def of(self, documents: slice) -> Wanted:
        """Return those of some documents."""
        return Wanted(self.samples[documents], self.pairs[documents])

    def union(self, other: Wanted) -> Wanted:
        """Return as many as both of them want."""
        return Wanted(np.maximum(self.samples, other.samples), np.maximum(self.pairs, other.pairs))


class Expected(NamedTuple):
    """Estimates of one expected disorder in each document, without and with pairs of annotators, and its weights.

    The weights are those with which documents are pooled; NaN or 0 for one that has no part in the pooled value.
    """

    weight: FloatArray
    plain: Estimates
    controlled: Estimates


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectedCategorial(Columns):
    """Estimates of δ_e,cat of each document, and Σ weight of its aligned pairs, with which documents are pooled."""

    weight: FloatArray
    estimates: CategorialEstimates


@dataclass(frozen=True, slots=True)
class PrecisionRule:
    """As many samples as it takes for t · (standard error of δ_e) ≤ precision · δ_e, asked again until it holds.

    δ_e, and δ_e,cat likewise, is the pooled one of the corpus, or (`of` "documents") δ_e of every document: with plain
    samples then N = max(30, ⌈(t·CV/e)²⌉), CV = σ/μ of the sampled disorders (M15 §5.3, with 1.96 for t). With pairs of
    annotators as a control variate samples of both levels are drawn in the proportion that costs least, where that is
    less than plain samples cost.
    """

    precision: float = PRECISION.default
    samples: int | None = None
    max_samples: int = MAX_SAMPLES.default
    control: str = CONTROL.default
    of: str = PRECISION_OF.default

    def __post_init__(self) -> None:
        check_fields(self, (PRECISION, SAMPLES, MAX_SAMPLES, CONTROL))
        PRECISION_OF.check(self.of)

    def begin(self, costs: Costs) -> Wanted:
        """Return how many samples each document has first."""
        n_documents, controlled = len(costs.whole), self._controlled(costs)
        if self.samples is not None:
            samples = np.full(n_documents, self.samples)
            controlled &= samples >= MIN_SAMPLES
        elif self._of_each(costs):
            samples = np.where(controlled, FIRST_WITH_CONTROL, FIRST)
        else:
            samples = np.where(costs.whole < _SMALL, FIRST, FIRST_OF_MANY)
            controlled[:] = False  # pairs come in where these samples are not enough
        return Wanted(samples, np.where(controlled, samples, 0))

    def _of_each(self, costs: Costs) -> bool:
        """Whether each document is to be precise: the value of one document is that of the corpus."""
        return self.of == "documents" or len(costs.whole) == 1

    @property
    def pooled(self) -> bool:
        """Whether pooled values are to be precise, that of γcat among them."""
        return self.samples is None and self.of == "corpus"

    def _controlled(self, costs: Costs) -> BoolArray:
        """Whether pairs of annotators may serve: where they cost about as much as the sample they gain nothing."""
        controlled: BoolArray = (costs.ratio < _CHEAP) & (self.control == "pairs")
        return controlled

    def more(self, gamma: Expected, drawn: Wanted, costs: Costs) -> Wanted:
        """Return how many samples γ should have of each document, now that some are drawn."""
        if self.samples is not None:
            return self._fixed(gamma, costs)
        if self._of_each(costs):
            return self._of_documents(gamma, costs)
        return self._of_corpus(gamma, drawn, costs, np.full(len(drawn.samples), self.max_samples))

    def more_categorial(self, gamma_cat: ExpectedCategorial, drawn: Wanted, costs: Costs) -> Wanted:
        """Return how many samples γcat should have of each document.

        It has those of γ, and where pooled values are to be precise up to the first samples of M15 of a document, and
        more of them all as far as that costs little; beyond, its precision is stated and not reached: the few pairs of
        a sample that count may ask for many more samples than γ.

        Samples are allocated by what is known before them: by weight, places, and one ratio for the corpus. By a
        document's own disorders it would be sampled least if its first samples agree by luck.
        """
        weight, estimates = gamma_cat.weight, gamma_cat.estimates
        most = np.where(self._controlled(costs), FIRST_WITH_CONTROL, FIRST)
        most = np.maximum(most, min(int(_LITTLE / costs.whole.sum()), self.max_samples))
        most = np.maximum(most, drawn.samples)
        varies = (weight > 0) & (estimates.status == ESTIMATED)
        unknown = varies & np.isnan(estimates.mean)
        searched = np.where(unknown, np.minimum(np.minimum(_GROWTH * drawn.samples, _SEARCH), most), drawn.samples)
        wanted = np.maximum(self._samples_of_corpus(gamma_cat, drawn, costs, most, varies & ~unknown), searched)
        return Wanted(wanted.astype(np.int64), drawn.pairs)

    def _samples_of_corpus(
        self, gamma_cat: ExpectedCategorial, drawn: Wanted, costs: Costs, most: IntArray, varies: BoolArray
    ) -> FloatArray | IntArray:
        """Return the numbers of samples that make the pooled δ_e,cat precise; `varies` marks those that can help."""
        weight, estimates = gamma_cat.weight, gamma_cat.estimates
        known = (weight > 0) & ~np.isnan(estimates.mean)
        ratio = variance_ratio(weight, estimates.squares, estimates.prior, estimates.samples)
        variance = np.where(known, weight**2 * estimates.variance(ratio), 0.0)
        mean = math.fsum(weight[known] * estimates.mean[known])
        error, freedom = joint_error(np.sqrt(variance[known]), estimates.freedom[known])
        if not error > 0 or relative_half_width(mean, error, freedom) <= self.precision:
            return drawn.samples
        most = np.minimum(most, np.ceil(_GROWTH * drawn.samples))
        if not mean > 0 or math.isinf(t_quantile(freedom)):
            return np.where(varies, np.minimum(2 * drawn.samples, most), drawn.samples)
        sampled = varies & (estimates.samples > 0)
        share = (estimates.samples + 0.5) / (drawn.samples + 1.0)
        prior = np.where(sampled, ratio * estimates.prior, estimates.unsampled)
        rate = np.where(varies, weight * np.sqrt(np.nan_to_num(prior) / share / costs.whole), 0.0)
        terms = np.where(sampled, variance * drawn.samples, 0.0)
        target = _AIM * (self.precision * mean / t_quantile(freedom)) ** 2 - ordered_sum(
            np.where(sampled, 0.0, variance)
        )
        now = drawn.samples.astype(np.float64)
        return np.ceil(filled(terms, rate, now, np.where(varies, most, now), target))

    def _fixed(self, gamma: Expected, costs: Costs) -> Wanted:
        """Return the pairs that go best with a fixed number of samples."""
        controlled = gamma.controlled
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.minimum(controlled.slope / controlled.residual / np.sqrt(costs.ratio), 1.0 / costs.ratio)
        pairs = np.ceil(controlled.samples * np.nan_to_num(ratio)).astype(np.int64)
        pairs = np.where(controlled.controls > 0, np.maximum(pairs, controlled.controls), 0)
        return Wanted(gamma.plain.samples, pairs)

    def _of_documents(self, gamma: Expected, costs: Costs) -> Wanted:
        """Return what is as precise in every document."""
        cost = costs.ratio
        alone = self._needed(gamma.plain, np.zeros(len(cost)), cost, FIRST)
        joint = self._needed(gamma.controlled, gamma.controlled.slope, cost, FIRST_WITH_CONTROL)
        worth = (gamma.controlled.controls > 0) & (joint.samples + cost * joint.pairs < alone.samples)
        return Wanted(*(np.where(worth, with_pairs, without) for with_pairs, without in zip(joint, alone, strict=True)))

    def _needed(self, estimates: Estimates, slope: FloatArray, cost: FloatArray, first: int) -> Wanted:
        """Return the numbers of samples that reach the precision at the least cost, not fewer than there are."""
        with np.errstate(divide="ignore", invalid="ignore"):
            quantile = np.array([t_quantile(freedom) for freedom in estimates.freedom.tolist()])
            target = np.square(self.precision * estimates.mean / quantile)
            residual = estimates.residual_of_error  # not the plain one, which HC3 errors exceed
            samples = residual * (residual + slope * np.sqrt(cost)) / target
            samples = np.maximum(np.ceil(np.nan_to_num(samples)), first)
            samples = np.minimum(np.maximum(samples, estimates.samples), self.max_samples)
            pairs = slope**2 / (target - residual**2 / samples)
        most = 10.0 * self.max_samples
        pairs = np.where((pairs >= 0) & (pairs < most), np.ceil(pairs), most)
        pairs = np.where(slope > 0, np.maximum(pairs, np.maximum(samples, estimates.controls)), 0)
        return Wanted(samples.astype(np.int64), pairs.astype(np.int64))

    def _of_corpus(self, expected: Expected, drawn: Wanted, costs: Costs, most: IntArray) -> Wanted:
        """Return what makes the pooled value precise at the least cost, of each document `most` samples."""
        estimates = expected.controlled.where(drawn.pairs > 0, expected.plain)
        known = (expected.weight > 0) & np.isfinite(estimates.error)
        weight = np.where(known, expected.weight, 0.0)
        mean = math.fsum(weight[known] * estimates.mean[known])
        error, freedom = joint_error(weight[known] * estimates.error[known], estimates.freedom[known])
        if not relative_half_width(mean, error, freedom) > self.precision:
            return drawn
        untried = known & self._controlled(costs) & (drawn.pairs == 0) & (drawn.samples >= MIN_SAMPLES)
        if untried.any():
            return Wanted(drawn.samples, np.where(untried, drawn.samples, drawn.pairs))
        # a sample may lack the disorder (γcat): as many more are needed
        share = np.where(known, estimates.samples / drawn.samples, 1.0)
        deviation = np.concatenate([weight * estimates.residual / np.sqrt(share), weight * estimates.slope])
        now = np.concatenate([drawn.samples, np.maximum(drawn.pairs, 1)]).astype(np.float64)
        most = np.concatenate([most, 10 * most])
        # the terms leave out what regression adds to the error: allow them as much less
        aim = _AIM * (self.precision * mean / t_quantile(freedom) / error) ** 2
        wanted = cheapest(np.nan_to_num(deviation), np.concatenate(costs), now, np.maximum(most, now), aim)
        samples, pairs = np.ceil(wanted).astype(np.int64).reshape(2, -1)
        return Wanted(samples, np.where(drawn.pairs > 0, np.maximum(samples, pairs), 0))


def cheapest(deviation: FloatArray, cost: FloatArray, now: FloatArray, most: FloatArray, share: float) -> FloatArray:
    """Return numbers from `now` to `most` that bring Σ deviation²/number to a share of what it is, at the least cost.

    All arrays have shape (n_terms,); where `most` is not enough, that is the answer.
    """
    some = deviation > 1e-9 * deviation.max()
    variance, rate = deviation**2, np.where(some, deviation / np.sqrt(cost), 0.0)
    return filled(variance, rate, now, most, share * ordered_sum(variance / now))


def filled(variance: FloatArray, rate: FloatArray, now: FloatArray, most: FloatArray, target: float) -> FloatArray:
    """Return numbers in proportion to `rate`, within `now` and `most`, for which Σ variance/number is the target.

    All arrays have shape (n_terms,); if `most` is not enough, it is the answer. A term of rate 0 stays as it is.
    """
    some = rate > 0
    numbers = np.where(some, most, now)
    if not some.any() or ordered_sum(variance / numbers) >= target:
        return numbers
    low, high = float((now[some] / rate[some]).min()), float((most[some] / rate[some]).max())
    for _ in range(_HALVINGS):
        middle = math.sqrt(low) * math.sqrt(high)
        numbers = np.clip(middle * rate, now, most)
        low, high = (middle, high) if ordered_sum(variance / numbers) > target else (low, middle)
    return np.clip(high * rate, now, most)
