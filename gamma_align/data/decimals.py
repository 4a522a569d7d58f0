"""Sums of decimal numbers, rounded to float64 once.

Files give decimal numbers. Their sum is taken before it is rounded, so that a unit that ends where the next begins ends
there (0.1 + 0.2 is 0.3); added as float64 the two would be apart by a rounding.
"""

from __future__ import annotations

from decimal import Context, Decimal

EXACT = Context(prec=800, Emin=-999_999, Emax=999_999)
"""Holds sums and differences of any float64 exactly."""


def end_of(onset: Decimal, duration: Decimal) -> float:
    """Return onset + duration, rounded once to float64; infinite beyond the range of float64."""
    return float(EXACT.add(onset, duration))
