"""Score interval of 1 - D_o/D_e over items: all true values that the data do not contradict.

An interval of a number of standard errors to each side of the value fails if agreement is high: few items disagree,
and the error is small just when too few of these were drawn; it is 0 without any. Wilson (1927) turns it round for a
proportion: a true value belongs to the interval if the data lie within t errors *as large as they would be if it were
true*. Here 1 - θ = D_o/D_e takes the place of the proportion. For two coders and two even categories it is twice the
proportion of items that disagree, so its variance over n items is r(2 - r)/n with r = 1 - θ; for others it is a
multiple φ of that, which the jackknife estimates:

    (θ̂ - θ)² ≤ t² φ r (R - r) / n,    φ = (n·error² + R²/10n) / (r̂(R - r̂) + R²/10n)

with Student's t of n - 1 degrees of freedom, and R the largest r. A tenth of an item that disagrees completely is added
to both sides of φ: without it few and small disagreements make φ too small, and without any it would be 0/0.

References
----------
Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference (p a proportion, φ = 1, z for t).
Lee & Tu 1994 (κ of two coders: errors as the true value would have them).
"""

from __future__ import annotations

import math
from typing import NamedTuple

_ADDED_ITEMS = 0.1  # that disagree completely, added to the dispersion; selected by coverage


class ScoreInterval(NamedTuple):
    """A value over `n_items` items, R (`reach`: how far below 1 values go) and φ (`dispersion`)."""

    value: float
    n_items: int
    reach: float
    dispersion: float

    @classmethod
    def of(cls, value: float, error: float, n_items: int, *, reach: float = 2.0) -> ScoreInterval:
        """Return the score interval of a value with its standard error."""
        ratio = 1.0 - value
        # A ratio above the reach would have a negative variance r(R - r).
        reach = max(reach, ratio)
        added = _ADDED_ITEMS * reach**2 / n_items
        return cls(value, n_items, reach, (n_items * error**2 + added) / (ratio * (reach - ratio) + added))

    def interval(self, quantile: float) -> tuple[float, float]:
        """Return the bounds of the true values within `quantile` of their errors from the value."""
        ratio = 1.0 - self.value
        share = quantile**2 * self.dispersion / self.n_items
        shift = share * self.reach / 2
        # (ratio - r)² = share·r·(reach - r), a quadratic equation of r
        half = math.sqrt(shift**2 + share * ratio * (self.reach - ratio))
        low, high = ((ratio + shift + side * half) / (1 + share) for side in (-1, 1))
        # The lower root is 0 or more but for rounding.
        return 1.0 - high, 1.0 - max(low, 0.0)

    def statistic(self, threshold: float) -> float:
        """Return (value - threshold) in the errors that the value would have if `threshold` were true."""
        ratio = 1.0 - threshold
        variance = self.dispersion * ratio * (self.reach - ratio) / self.n_items
        if variance <= 0:  # no other value than the threshold is possible there
            return 0.0 if self.value == threshold else math.copysign(math.inf, self.value - threshold)
        return (self.value - threshold) / math.sqrt(variance)
