"""The score interval of a coefficient on items: all true values that the data do not contradict.

An interval of so many errors to each side of the value fails where coders agree well: few items disagree, the error is
small just when too few of them were drawn, and 0 without any. Wilson (1927) turns it round for a proportion: a true
value belongs to the interval if the data lie within t errors *as large as they would be if it were true*. Here
1 - θ = D_o/D_e takes the place of the proportion. For two coders and two even categories it is twice the proportion of
items that disagree, so its variance over n items is r(2 - r)/n with r = 1 - θ; for others it is a multiple φ of that,
which the jackknife tells:

    (θ̂ - θ)² ≤ t² φ r (R - r) / n,    φ = (n·error² + R²/10n) / (r̂(R - r̂) + R²/10n)

with Student's t of n - 1 degrees of freedom and R = 2, or 1 for A_o, whose values begin at 0; n counts the items that
two or more judged, for the others cannot disagree. A tenth of an item that disagrees completely is added to both sides
of φ: without it few and small disagreements make it too small, and without any it would be 0/0. What such intervals
cover is in ``tools/bench/results/coverage_items.md``.

References
----------
Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference (p a proportion, φ = 1, z for t).
Lee & Tu 1994 (κ of two coders: errors as the true value would have them).
"""

from __future__ import annotations

import math
from typing import NamedTuple

_ADDED = 0.1
"""How much of an item that disagrees completely is added to the dispersion; chosen by coverage."""


class Score(NamedTuple):
    """What the score interval of a value is made of.

    Attributes
    ----------
    value : float
        The coefficient.
    items : int
        How many items two or more judged, n.
    reach : float
        R, how far below 1 its values go.
    dispersion : float
        φ, the variance by that of a proportion.
    """

    value: float
    items: int
    reach: float
    dispersion: float

    @classmethod
    def of(cls, value: float, error: float, items: int, *, reach: float = 2.0) -> Score:
        """Return the score of a value with its standard error."""
        ratio = 1.0 - value
        reach = max(reach, ratio)
        added = _ADDED * reach**2 / items
        return cls(value, items, reach, (items * error**2 + added) / (ratio * (reach - ratio) + added))

    def interval(self, t: float) -> tuple[float, float]:
        """Return the true values within `t` of their errors from the value."""
        ratio, share = 1.0 - self.value, t**2 * self.dispersion / self.items
        shift = share * self.reach / 2
        # (ratio - r)² = share·r·(reach - r), a quadratic equation of r
        half = math.sqrt(shift**2 + share * ratio * (self.reach - ratio))
        low, high = ((ratio + shift + side * half) / (1 + share) for side in (-1, 1))
        return 1.0 - high, 1.0 - max(low, 0.0)

    def statistic(self, threshold: float) -> float:
        """Return (value - threshold) by the error that the value would have if `threshold` were true."""
        ratio = 1.0 - threshold
        variance = self.dispersion * ratio * (self.reach - ratio) / self.items
        if variance <= 0:  # no other value than the threshold is possible there
            return 0.0 if self.value == threshold else math.copysign(math.inf, self.value - threshold)
        return (self.value - threshold) / math.sqrt(variance)
