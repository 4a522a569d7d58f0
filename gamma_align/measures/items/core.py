"""Compute 1 - D_o / D_e for a table, with any of the expected disagreements D_e.

========== ======================================================================= ==============================
kind       expected disagreement D_e                                               coefficients
========== ======================================================================= ==============================
uniform    Σ d_kl / q², q categories declared                                      S
items      Σ P(k)P(l)d_kl, P(k) the mean over items of n_ik/n_i                    π, multi-π (K), α′
values     Σ n_k n_l d_kl / (n(n - 1)), over judgments that can be paired          α
coders     coder pairs weighted by their judgments, Σ P(k|c)P(l|c′)d_kl            κ, κ_w, multi-κ, β
conger     the same, each pair of coders the same weight                           Conger's κ
gwet       (1 - T/(q(q - 1))·Σ P(k)(1 - P(k))) · d_max, T = Σ (1 - d_kl/d_max)     AC₁, AC₂
none       d_max                                                                   A_o
half       d_max / 2                                                               2A_o - 1
========== ======================================================================= ==============================

References
----------
Artstein & Poesio 2005, §2-3, §5.1; 2008, §2. Krippendorff 2011. Gwet 2008. Conger 1980. Davies & Fleiss 1982.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.distances import Distance, Form, Labels, Nominal, form_of
from gamma_align.inference import Value
from gamma_align.measures.items.counts import ItemSums, Patterns, item_weights, sums_of
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.spec import (
    NO_COMPLETE,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NO_VARIATION_PAIR,
    ONE_CODER,
    SPECS,
    TOO_LARGE,
    TOO_MANY_PAIRS,
    UNNAMED_CODERS,
    CoefficientSpec,
)


class Parts(NamedTuple):
    """Observed and expected disagreement of each replicate; NaN if not available."""

    observed: FloatArray
    expected: FloatArray

    def value(self, threshold: float = 0.0) -> FloatArray:
        """Return 1 - D_o/D_e, or NaN unless D_e is above the threshold."""
        varies = self.expected.real > threshold
        value: FloatArray = np.where(varies, 1.0 - self.observed / np.where(varies, self.expected, 1.0), np.nan)
        return value


def compute_parts(sums: ItemSums, metric: Form, kind: str) -> Parts:
    """Return observed and expected disagreement; `kind` selects the expected one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return Parts(observed_disagreement(sums), np.broadcast_to(_EXPECTED[kind](sums, metric), sums.weight.shape))


def observed_disagreement(sums: ItemSums) -> FloatArray:
    """Return the observed disagreement, or NaN if no judgments can be paired."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums.disagreement / sums.weight)


def _expected_max(_: ItemSums, metric: Form) -> FloatArray:
    """Return the largest distance: the observed agreement without chance."""
    # With a single category d_max is 0. Any positive D_e then makes A_o = 1.
    return np.where(np.equal(metric.largest, 0), 1.0, metric.largest)


def _expected_by_items(sums: ItemSums, metric: Form) -> FloatArray:
    """Return D_e of two judgments drawn with replacement, if each item has weight 1 (π)."""
    # P(k) is the mean of the shares of items: each item has weight 1.
    share = sums.margin / sums.items[:, None]
    return metric.form(share, share)


def _expected_by_judgments(sums: ItemSums, metric: Form) -> FloatArray:
    """Return D_e of two judgments drawn without replacement (α)."""
    n = metric.count(sums.margin)
    # Judgments are paired without replacement: each of n with n - 1 others.
    return np.asarray(metric.form(sums.margin, sums.margin) / (n * (n - 1)))


def _expected_by_coders(sums: ItemSums, metric: Form) -> FloatArray:
    """Return D_e of the judgments of two coders, weighted by their numbers of judgments (κ).

    The weight of a pair of coders is P(c)P(c′); Σ_{a<b} x_a·x_b is half of (Σ x)² - Σ x².
    """
    judgments = metric.count(sums.coders)
    return _over_coders(sums.coders, metric, judgments.sum(axis=1) ** 2 - (judgments**2).sum(axis=1))


def _expected_conger(sums: ItemSums, metric: Form) -> FloatArray:
    """Return D_e of the judgments of two coders if all coders with judgments have the same weight (Conger's κ)."""
    judgments = metric.count(sums.coders)
    is_active = judgments.real > 0
    share = sums.coders / np.where(is_active, judgments, 1.0)[:, :, None]
    n_coders = is_active.sum(axis=1).astype(np.float64)
    # Each coder has weight 1, independently of the number of judgments.
    return _over_coders(share, metric, n_coders**2 - n_coders)


def _over_coders(coders: FloatArray, metric: Form, pairs: FloatArray) -> FloatArray:
    """Return the mean distance of two judgments by different coders, over `pairs` ordered pairs."""
    total = coders.sum(axis=1)
    return np.asarray((metric.form(total, total) - metric.form(coders, coders).sum(axis=1)) / pairs)


def _expected_gwet(sums: ItemSums, metric: Form) -> FloatArray:
    """Return D_e of Gwet's AC₁ and AC₂; NaN with fewer than two categories."""
    size = metric.size
    largest = metric.largest
    if size <= 1:
        return np.asarray(np.nan)
    share = sums.margin / sums.items[:, None]
    # T, the sum of the agreement weights of all pairs of categories.
    weights = size**2 - metric.total / largest
    chance_agreement = weights / (size * (size - 1)) * (1.0 - (share**2).sum(axis=-1))
    return np.asarray(largest * (1.0 - chance_agreement))


_EXPECTED: dict[str, Callable[[ItemSums, Form], FloatArray]] = {
    "uniform": lambda _, metric: np.asarray(metric.total / max(metric.size, 1) ** 2),
    "none": _expected_max,
    "half": lambda sums, metric: _expected_max(sums, metric) / 2,
    "items": _expected_by_items,
    "values": _expected_by_judgments,
    "coders": _expected_by_coders,
    "conger": _expected_conger,
    "gwet": _expected_gwet,
}
"""The function of the expected disagreement, by kind."""

MAX_CODER_PAIRS = 5000
"""Maximum number of pairs of coders for which means over pairs are computed."""


class Evaluation(NamedTuple):
    """Value, observed and expected disagreement of a coefficient, or the reason why it is not available."""

    value: float
    observed: float
    expected: float
    reason: str | None

    @classmethod
    def of(cls, parts: Sequence[Parts], metric: Form, no_variation: str = NO_VARIATION) -> Evaluation:
        """Return the mean of coefficients; each of the parts has one replicate."""
        observed = float(np.mean([part.observed[0] for part in parts]))
        expected = float(np.mean([part.expected[0] for part in parts]))
        value = float(np.mean([part.value()[0] for part in parts]))
        # Distances that overflow are not a lack of variation, and have a reason of their own.
        if metric.size > 1 and not np.isfinite([observed, expected]).all():
            return cls(np.nan, np.nan, np.nan, TOO_LARGE)
        return cls(value, observed, expected, no_variation if np.isnan(value) else None)

    def as_value(self) -> Value:
        """Return the coefficient without interval."""
        return Value(self.value) if self.reason is None else Value.unavailable(self.reason)


@dataclass(frozen=True, slots=True, eq=False)
class TableCoefficient:
    """A coefficient on patterns of judgments: the patterns of all judged items, or with RM of the complete ones.

    If `chance` is set, the expected disagreement and adaptive distances are computed from it: it is the same
    coefficient on other items.
    """

    spec: CoefficientSpec
    distance: Distance
    missing: str
    patterns: Patterns
    labels: Labels
    anonymous: bool
    chance: TableCoefficient | None = None

    @classmethod
    def of(cls, rows: ItemRows, spec: CoefficientSpec, distance: Distance, missing: str) -> TableCoefficient:
        """Return the coefficient of a table from its rows."""
        distance = distance.among(rows.labels, declared=rows.declared)
        patterns = rows.patterns
        if missing == "RM":
            patterns = patterns.take(patterns.judgments == patterns.coders)
        return cls(spec, distance, missing, patterns, rows.labels, rows.anonymous)

    def with_times(self, times: FloatArray) -> TableCoefficient:
        """Return the coefficient of a table with these numbers of items of each pattern."""
        return replace(self, patterns=replace(self.patterns, times=times).take(times > 0))

    def metric(self) -> Form:
        """Return the distance bound to the categories."""
        if self.chance is not None:
            return self.chance.metric()
        return form_of(self.distance, self.labels, self.patterns.pairable_counts())

    @property
    def items(self) -> int:
        """Number of items that the coefficient is computed from."""
        return int(self.times_used.sum())

    @property
    def times_used(self) -> FloatArray:
        """Number of items of each pattern that the coefficient is computed from."""
        if self.spec.kind != "values":
            return self.patterns.times
        return np.where(self.patterns.judgments > 1, self.patterns.times, 0.0)

    @property
    def pairable(self) -> int:
        """Number of items judged by two coders or more (with RM by all coders)."""
        return int(self.patterns.times[item_weights(self.patterns, self.missing) > 0].sum())

    def obstacle(self) -> str | None:
        """Return the reason why the coefficient is not available, as far as it is known before computing, or None."""
        if self.patterns.coders <= 1:
            return ONE_CODER
        if not len(self.patterns.times):
            return NO_COMPLETE if self.missing == "RM" else NO_ITEMS
        if self.spec.named and self.anonymous:
            return UNNAMED_CODERS
        if self.spec.kind == "pairs" and self.patterns.coders * (self.patterns.coders - 1) / 2 > MAX_CODER_PAIRS:
            return TOO_MANY_PAIRS
        return None if self.pairable else NO_PAIRS

    def parts(self, metric: Form) -> Parts:
        """Return observed and expected disagreement."""
        sums = sums_of(self.patterns, metric, self.spec.kind, self.missing)
        if self.chance is not None:
            return Parts(observed_disagreement(sums), self.chance.parts(metric).expected)
        return compute_parts(sums, metric, self.spec.kind)

    def evaluate(self) -> Evaluation:
        """Return value, observed and expected disagreement, or the reason why the coefficient is not available."""
        reason = self.obstacle() or (self.chance.obstacle() if self.chance else None)
        if reason is not None:
            return Evaluation(np.nan, np.nan, np.nan, reason)
        metric = self.metric()
        if self.spec.kind == "pairs":
            return Evaluation.of([parts for _, parts in pairwise(self.patterns, metric)], metric, NO_VARIATION_PAIR)
        return Evaluation.of([self.parts(metric)], metric)


def nominal_coefficient(rows: ItemRows, name: str, missing: str | None) -> Evaluation:
    """Return a coefficient of a table with the nominal distance, from its rows."""
    spec = SPECS[name]
    return TableCoefficient.of(rows, spec, Nominal(), missing or spec.missing).evaluate()


def pairwise(patterns: Patterns, metric: Form) -> Iterator[tuple[tuple[int, int], Parts]]:
    """Yield the parts of κ for each pair of coders, on the items that both judged, if there are any."""
    for pair in combinations(range(patterns.coders), 2):
        shared = patterns.of_coders(*pair)
        if len(shared.times):
            yield pair, compute_parts(sums_of(shared, metric, "coders", "IL"), metric, "coders")
