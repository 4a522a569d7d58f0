"""The stopping rule: how many samples of each document make an expected disorder as precise as requested.

After a first round, every document gets n times as many samples, n being the same for all, until the pooled δ_e has
the precision. If each document has to be precise, each has an n of its own. The variance of a mean is inversely
proportional to the number of samples, so n is the ratio of the variance to the largest one allowed.

References
----------
Mathet 2015, §5.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.chance.categorial import CategorialEstimates, variance_ratio
from gamma_align.chance.chance_options import (
    CONTROL,
    FIRST_SAMPLES,
    MAX_SAMPLES,
    PRECISION,
    PRECISION_OF,
    SAMPLES,
)
from gamma_align.chance.estimate import ESTIMATED
from gamma_align.columns import BoolArray, Columns, FloatArray, Index, IntArray
from gamma_align.inference import (
    MIN_SAMPLES,
    MIN_SAMPLES_CONTROLLED,
    Estimates,
    joint_error,
    relative_half_width,
    t_quantile,
    t_quantiles,
)
from gamma_align.options import check_fields

_TARGET_MARGIN = 0.95  # of the allowed variance: slightly more samples now save a further round
_MAX_GROWTH = 8.0  # of the samples for γcat from round to round: the first ones say little of the number required
# Of all samples for γcat that only few pairs of units may contribute to, in the unit of `sample_costs`: some seconds.
_GAMMA_CAT_MAX_COST = 2e6
# In which aligned units of a document are searched, if their probability is not known. A document without any in so
# many samples has them in less than .3 % of all samples, at 95 %.
_MAX_SEARCH_SAMPLES = 1_000


class SampleCounts(NamedTuple):
    """Number of samples of each document, and whether pairs of annotators control them, shape (n_documents,) each."""

    full: IntArray
    controlled: BoolArray

    @classmethod
    def none(cls, n_documents: int) -> SampleCounts:
        """Return counts of 0 for `n_documents` documents."""
        return cls(np.zeros(n_documents, dtype=np.int64), np.zeros(n_documents, dtype=np.bool_))

    def select(self, documents: Index) -> SampleCounts:
        """Return the counts of these documents."""
        return SampleCounts(self.full[documents], self.controlled[documents])

    def at(self, documents: Index, n_documents: int) -> SampleCounts:
        """Return counts for `n_documents` documents: these for the indexed documents, and 0 for the others."""
        counts = SampleCounts.none(n_documents)
        counts.full[documents], counts.controlled[documents] = self
        return counts

    def at_least(self, full: IntArray) -> SampleCounts:
        """Return the counts, raised to these numbers of samples."""
        return self._replace(full=np.maximum(self.full, full))


class ExpectedDisorders(NamedTuple):
    """Estimates of δ_e of each document, and their weights in the pooled value; NaN or 0 does not count."""

    weight: FloatArray
    estimates: Estimates


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectedCategorialDisorders(Columns):
    """Estimates of δ_e,cat of each document; `weight` is Σ weight of its aligned pairs, for pooling."""

    weight: FloatArray
    estimates: CategorialEstimates


@dataclass(frozen=True, slots=True)
class PrecisionRule:
    """Stopping rule: draw samples until t · (standard error of δ_e) ≤ precision · δ_e.

    With plain samples of one document this is N = max(30, ⌈(t · CV / precision)²⌉), with CV = σ/μ of the sampled
    disorders (M15 §5.3, which uses 1.96 for t). Where the rule would draw more than 30 samples of a document, pairs of
    annotators control them (see `pairs`), and 16 suffice to begin with.

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
    """

    precision: float = PRECISION.default
    samples: int | None = None
    max_samples: int = MAX_SAMPLES.default
    control: str = CONTROL.default
    of: str = PRECISION_OF.default

    def __post_init__(self) -> None:
        check_fields(self, (PRECISION, SAMPLES, MAX_SAMPLES, CONTROL))
        PRECISION_OF.check(self.of)

    @property
    def is_pooled(self) -> bool:
        """Whether the precision applies to the pooled values, γcat included."""
        return self.samples is None and self.of == "corpus"

    def first_counts(self, can_control: BoolArray) -> SampleCounts:
        """Return the number of samples to draw first; `can_control` marks documents whose pairs can be a control.

        If only the pooled value has to be precise, all documents together have as many as one alone, but each has
        enough for an interval.
        """
        n_documents = len(can_control)
        can_control = can_control & (self.control == "pairs")
        if self.samples is not None:
            full = np.full(n_documents, self.samples)
            return SampleCounts(full, can_control & (full >= MIN_SAMPLES_CONTROLLED))
        if self._applies_to_documents(n_documents):
            return SampleCounts(np.where(can_control, MIN_SAMPLES_CONTROLLED, FIRST_SAMPLES), can_control)
        full = np.full(n_documents, max(MIN_SAMPLES, math.ceil(FIRST_SAMPLES / n_documents)))
        return SampleCounts(full, np.zeros_like(can_control))

    def next_counts(self, gamma: ExpectedDisorders, drawn: SampleCounts, can_control: BoolArray) -> SampleCounts:
        """Return the total number of samples that γ requires, given the estimates from those drawn.

        Sampling is complete if no count exceeds the number drawn.
        """
        if self.samples is not None:
            return drawn
        if self._applies_to_documents(len(drawn.full)):
            return drawn.at_least(self._grow(drawn.full, self._growth_of_documents(gamma.estimates)))
        full = self._grow(drawn.full, self._growth_of_corpus(gamma))
        # A round with pairs shows how much of the variance they explain.
        is_new = can_control & ~drawn.controlled & (self.control == "pairs") & (full > FIRST_SAMPLES)
        if is_new.any():
            full = np.where(is_new, np.maximum(drawn.full, MIN_SAMPLES_CONTROLLED), drawn.full)
        return SampleCounts(full, drawn.controlled | is_new)

    def _grow(self, drawn: IntArray, growth: FloatArray | float) -> IntArray:
        """Return the numbers drawn multiplied by the growth, at most the limit, and never fewer than are drawn."""
        full = np.minimum(np.ceil(growth * drawn), self.max_samples).astype(np.int64)
        return np.maximum(full, drawn)

    @np.errstate(divide="ignore", invalid="ignore")
    def _growth_of_documents(self, estimates: Estimates) -> FloatArray:
        """Return how many times the samples drawn make each document precise; 1 at least."""
        target = self.precision * estimates.mean / t_quantiles(estimates.freedom)
        growth = np.square(estimates.error / target)
        return np.where(growth > 1.0, growth, 1.0)

    def _growth_of_corpus(self, gamma: ExpectedDisorders) -> float:
        """Return how many times the samples drawn make the pooled δ_e precise; 1 at least."""
        weight, estimates = gamma
        is_known = (weight > 0) & np.isfinite(estimates.error)
        mean = math.fsum(weight[is_known] * estimates.mean[is_known])
        error, freedom = joint_error(weight[is_known] * estimates.error[is_known], estimates.freedom[is_known])
        return self._growth(mean, error, freedom)

    def _growth(self, mean: float, error: float, freedom: float) -> float:
        """Return the factor by which samples must grow until a mean is precise; 1 if it is, or if nothing is known."""
        if not relative_half_width(mean, error, freedom) > self.precision:  # NaN: nothing to improve
            return 1.0
        return (error * t_quantile(freedom) / (self.precision * mean)) ** 2 / _TARGET_MARGIN

    def next_counts_gamma_cat(
        self, gamma_cat: ExpectedCategorialDisorders, drawn: SampleCounts, costs: FloatArray
    ) -> SampleCounts:
        """Return the total number of samples that the pooled γcat requires; `costs` are those of a sample.

        γcat uses the samples of γ, and additional ones within a limit: only a few pairs of units of a sample may
        contribute to γcat, so the precision could require many times the samples of γ. Beyond the limit, the precision
        that was reached is reported instead.
        """
        weight = gamma_cat.weight
        estimates = gamma_cat.estimates
        # Every document may have the first batch of M15, and all of them as many as a few seconds allow.
        affordable = max(FIRST_SAMPLES, int(_GAMMA_CAT_MAX_COST / costs.sum()))
        can_vary = (weight > 0) & (estimates.status == ESTIMATED)
        is_unknown = can_vary & np.isnan(estimates.mean)
        growth = np.where(can_vary, min(self._growth_of_categories(gamma_cat), _MAX_GROWTH), 1.0)
        growth = np.where(is_unknown & (drawn.full < _MAX_SEARCH_SAMPLES), _MAX_GROWTH, growth)
        return drawn.at_least(np.minimum(self._grow(drawn.full, growth), affordable))

    def _growth_of_categories(self, gamma_cat: ExpectedCategorialDisorders) -> float:
        """Return how many times the samples drawn make the pooled δ_e,cat precise; 1 at least."""
        weight = gamma_cat.weight
        estimates = gamma_cat.estimates
        is_known = (weight > 0) & ~np.isnan(estimates.mean)
        ratio = variance_ratio(weight, estimates.squares, estimates.prior, estimates.samples)
        errors = weight[is_known] * np.sqrt(estimates.variance(ratio)[is_known])
        mean = math.fsum(weight[is_known] * estimates.mean[is_known])
        error, freedom = joint_error(errors, estimates.freedom[is_known])
        if error > 0 and not mean > 0:  # no pair of the samples disagrees
            return _MAX_GROWTH
        return self._growth(mean, error, freedom)

    def _applies_to_documents(self, n_documents: int) -> bool:
        """Return whether every document has to be precise.

        The value of a single document is the value of the corpus.
        """
        return self.of == "documents" or n_documents == 1
