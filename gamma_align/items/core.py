"""One coefficient of one table: 1 - D_o / D_e, whatever the expected disagreement D_e is.

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

from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gamma_align._types import FloatArray
from gamma_align.data.item_table import ItemTable
from gamma_align.distances.base import Distance, Labels
from gamma_align.distances.forms import Form, form_of
from gamma_align.items.counts import Patterns, Sums, item_weights, patterns_of, sums_of
from gamma_align.items.spec import (
    ANONYMOUS,
    NO_COMPLETE,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NO_VARIATION_PAIR,
    NOT_TWO,
    ONE_CODER,
    TOO_LARGE,
    TOO_MANY_PAIRS,
    Spec,
)


class Parts(NamedTuple):
    """Observed and expected disagreement of each replicate; NaN where there is none."""

    observed: FloatArray
    expected: FloatArray

    def value(self, least: float = 0.0) -> FloatArray:
        """Return 1 - D_o/D_e; NaN where D_e is not above `least`."""
        ok = self.expected.real > least
        value: FloatArray = np.where(ok, 1.0 - self.observed / np.where(ok, self.expected, 1.0), np.nan)
        return value


def parts_of(sums: Sums, metric: Form, kind: str) -> Parts:
    """Return observed and expected disagreement."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return Parts(observed_of(sums), _EXPECTED[kind](sums, metric))


def observed_of(sums: Sums) -> FloatArray:
    """Return the observed disagreement; NaN where nothing can be paired."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed: FloatArray = sums.disagreement / sums.weight
        return observed


def _uniform(sums: Sums, metric: Form) -> FloatArray:
    return np.broadcast_to(np.asarray(metric.total / max(metric.size, 1) ** 2), sums.weight.shape)


def _none(sums: Sums, metric: Form) -> FloatArray:
    largest = np.asarray(metric.largest)
    return np.broadcast_to(np.where(largest == 0, 1.0, largest), sums.weight.shape)


def _half(sums: Sums, metric: Form) -> FloatArray:
    return _none(sums, metric) / 2


def _items(sums: Sums, metric: Form) -> FloatArray:
    share = sums.margin / sums.items[:, None]
    return metric.form(share, share)


def _values(sums: Sums, metric: Form) -> FloatArray:
    n = metric.count(sums.margin)
    expected: FloatArray = metric.form(sums.margin, sums.margin) / (n * (n - 1))
    return expected


def _coders(sums: Sums, metric: Form) -> FloatArray:
    """Pairs of coders weigh P(c)P(c′), and Σ_{a<b} x_a·x_b is half of (Σ x)² - Σ x²."""
    number = metric.count(sums.coders)
    return _over_coders(sums.coders, metric, number.sum(axis=1) ** 2 - (number**2).sum(axis=1))


def _conger(sums: Sums, metric: Form) -> FloatArray:
    number = metric.count(sums.coders)
    there = number.real > 0
    share = sums.coders / np.where(there, number, 1.0)[:, :, None]
    many = there.sum(axis=1).astype(np.float64)
    return _over_coders(share, metric, many**2 - many)


def _over_coders(coders: FloatArray, metric: Form, pairs: FloatArray) -> FloatArray:
    together = coders.sum(axis=1)
    expected: FloatArray = (metric.form(together, together) - metric.form(coders, coders).sum(axis=1)) / pairs
    return expected


def _gwet(sums: Sums, metric: Form) -> FloatArray:
    size, largest = metric.size, metric.largest
    if size < 2:  # noqa: PLR2004
        return np.full(sums.weight.shape, np.nan)
    share = sums.margin / sums.items[:, None]
    weights = size**2 - metric.total / largest
    by_chance = weights / (size * (size - 1)) * (1.0 - (share**2).sum(axis=-1))
    expected: FloatArray = largest * (1.0 - by_chance)
    return expected


_EXPECTED = {
    "uniform": _uniform,
    "none": _none,
    "half": _half,
    "items": _items,
    "values": _values,
    "coders": _coders,
    "conger": _conger,
    "gwet": _gwet,
}


MOST_PAIRS = 5000
"""Above so many pairs of coders, means over pairs are not computed."""


@dataclass(frozen=True, slots=True, eq=False)
class TableCoefficient:
    """A coefficient on patterns of judgments.

    Attributes
    ----------
    spec : Spec
        Which coefficient.
    distance : Distance
        Between categories.
    missing : str
        The conception of missing values.
    patterns : Patterns
        Items that take part: with RM the complete ones.
    labels : sequence
        The categories.
    anonymous : bool
        Whether nobody knows who judged what.
    chance : TableCoefficient or None
        The same coefficient on other items, which the expected disagreement, and distances that follow the data, are
        taken from; None: from these.
    """

    spec: Spec
    distance: Distance
    missing: str
    patterns: Patterns
    labels: Labels
    anonymous: bool
    chance: TableCoefficient | None = None

    @classmethod
    def of(
        cls, table: ItemTable, spec: Spec, distance: Distance, missing: str, patterns: Patterns | None = None
    ) -> TableCoefficient:
        """Return the coefficient of a table."""
        distance = distance.among(table.labels, declared=table.declared)
        patterns = patterns_of(table) if patterns is None else patterns
        if missing == "RM":
            patterns = patterns.some(patterns.judgments == patterns.coders)
        return cls(spec, distance, missing, patterns, table.labels, table.anonymous)

    def with_times(self, times: np.ndarray[tuple[int], np.dtype[np.float64]]) -> TableCoefficient:
        """Return the coefficient of other numbers of items of each pattern."""
        patterns = replace(self.patterns, times=times)
        return replace(self, patterns=patterns.some(times > 0))

    def metric(self) -> Form:
        """Return the distance bound to the categories."""
        if self.chance is not None:
            return self.chance.metric()
        return form_of(self.distance, self.labels, self.patterns.counts((self.patterns.judgments > 1).astype(float)))

    @property
    def items(self) -> int:
        """How many items the coefficient rests on."""
        used = self.patterns.judgments > 1 if self.spec.kind == "values" else self.patterns.judgments > 0
        return int(self.patterns.times[used].sum())

    @property
    def pairable(self) -> int:
        """How many items were judged by two coders or more (with RM: by all)."""
        return int(self.patterns.times[item_weights(self.patterns, self.missing) > 0].sum())

    def obstacle(self) -> str | None:
        """Return why there can be no value, as far as it shows before computing."""
        if self.patterns.coders < 2:  # noqa: PLR2004
            return ONE_CODER
        if not len(self.patterns.times):
            return NO_COMPLETE if self.missing == "RM" else NO_ITEMS
        if self.spec.named and self.anonymous:
            return ANONYMOUS
        if self.spec.coders is not None and self.patterns.coders != self.spec.coders:
            return NOT_TWO
        if self.spec.kind == "pairs" and self.patterns.coders * (self.patterns.coders - 1) / 2 > MOST_PAIRS:
            return TOO_MANY_PAIRS
        return None if self.pairable else NO_PAIRS

    def parts(self, metric: Form) -> Parts:
        """Return observed and expected disagreement."""
        sums = sums_of(self.patterns, metric, self.spec.kind, self.missing)
        if self.chance is not None:
            return Parts(observed_of(sums), self.chance.parts(metric).expected)
        return parts_of(sums, metric, self.spec.kind)

    def evaluate(self) -> tuple[float, float, float, str | None]:
        """Return value, observed and expected disagreement, and the reason where there is no value."""
        reason = self.obstacle() or (self.chance.obstacle() if self.chance else None)
        if reason is not None:
            return np.nan, np.nan, np.nan, reason
        metric = self.metric()
        if self.spec.kind == "pairs":
            return self._mean_of_pairs(metric)
        parts = self.parts(metric)
        value, observed, expected = float(parts.value()[0]), float(parts.observed[0]), float(parts.expected[0])
        if metric.size > 1 and not np.isfinite([observed, expected]).all():
            return np.nan, np.nan, np.nan, TOO_LARGE
        return value, observed, expected, NO_VARIATION if np.isnan(value) else None

    def _mean_of_pairs(self, metric: Form) -> tuple[float, float, float, str | None]:
        result = [parts for _, parts in pairwise(self.patterns, metric)]
        values = [float(parts.value()[0]) for parts in result]
        observed = float(np.mean([parts.observed[0] for parts in result]))
        expected = float(np.mean([parts.expected[0] for parts in result]))
        if not np.isfinite([observed, expected]).all():
            return np.nan, np.nan, np.nan, TOO_LARGE
        if np.isnan(values).any():
            return np.nan, observed, expected, NO_VARIATION_PAIR
        return float(np.mean(values)), observed, expected, None


def pairwise(patterns: Patterns, metric: Form) -> list[tuple[tuple[int, int], Parts]]:
    """Return κ's parts for each pair of coders with items in common, on those items."""
    result = []
    for first, second in combinations(range(patterns.coders), 2):
        both = patterns.of_coders(first, second)
        if len(both.times):
            result.append(((first, second), parts_of(sums_of(both, metric, "coders", "IL"), metric, "coders")))
    return result
