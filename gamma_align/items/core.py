"""Coefficients on items as pure functions of `Sums`: 1 - D_o / D_e, whatever D_e is (COEFFICIENTS of the literature).

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

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.distances.forms import Metric
    from gamma_align.items.counts import Sums


class Parts(NamedTuple):
    """Observed and expected disagreement of each replicate; NaN where there is none."""

    observed: FloatArray
    expected: FloatArray

    def value(self, least: float = 0.0) -> FloatArray:
        """Return 1 - D_o/D_e; NaN where D_e is not above `least`."""
        ok = self.expected.real > least
        value: FloatArray = np.where(ok, 1.0 - self.observed / np.where(ok, self.expected, 1.0), np.nan)
        return value


def parts_of(sums: Sums, metric: Metric, kind: str) -> Parts:
    """Return observed and expected disagreement.

    Parameters
    ----------
    sums : Sums
        Of any number of replicates; complex ones are fine (for derivatives).
    metric : Metric
        What they were made with.
    kind : str
        See the module.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return Parts(observed_of(sums), _EXPECTED[kind](sums, metric))


def observed_of(sums: Sums) -> FloatArray:
    """Return the observed disagreement; NaN where nothing can be paired."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed: FloatArray = sums.disagreement / sums.weight
        return observed


def _uniform(sums: Sums, metric: Metric) -> FloatArray:
    return np.broadcast_to(np.asarray(metric.total / max(metric.size, 1) ** 2), sums.weight.shape)


def _none(sums: Sums, metric: Metric) -> FloatArray:
    largest = np.asarray(metric.largest)
    return np.broadcast_to(np.where(largest == 0, 1.0, largest), sums.weight.shape)


def _half(sums: Sums, metric: Metric) -> FloatArray:
    return _none(sums, metric) / 2


def _items(sums: Sums, metric: Metric) -> FloatArray:
    share = sums.margin / sums.items[:, None]
    return metric.form(share, share)


def _values(sums: Sums, metric: Metric) -> FloatArray:
    n = metric.count(sums.margin)
    expected: FloatArray = metric.form(sums.margin, sums.margin) / (n * (n - 1))
    return expected


def _coders(sums: Sums, metric: Metric) -> FloatArray:
    """Pairs of coders weigh P(c)P(c′), and Σ_{a<b} x_a·x_b is half of (Σ x)² - Σ x²."""
    number = metric.count(sums.coders)
    return _over_coders(sums.coders, metric, number.sum(axis=1) ** 2 - (number**2).sum(axis=1))


def _conger(sums: Sums, metric: Metric) -> FloatArray:
    number = metric.count(sums.coders)
    there = number.real > 0
    share = sums.coders / np.where(there, number, 1.0)[:, :, None]
    many = there.sum(axis=1).astype(np.float64)
    return _over_coders(share, metric, many**2 - many)


def _over_coders(coders: FloatArray, metric: Metric, pairs: FloatArray) -> FloatArray:
    together = coders.sum(axis=1)
    expected: FloatArray = (metric.form(together, together) - metric.form(coders, coders).sum(axis=1)) / pairs
    return expected


def _gwet(sums: Sums, metric: Metric) -> FloatArray:
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
