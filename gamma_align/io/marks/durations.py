"""Ends from onsets and durations, and back, as decimal numbers: 0.1 + 0.2 is 0.3.

Files give decimal numbers. Their sum is taken before it is rounded to float64, so that a unit that ends where the
next begins ends there; added as float64 the two would be apart by a rounding.
"""

from __future__ import annotations

from decimal import Context, Decimal, DecimalException

_EXACT = Context(prec=800, Emin=-999_999, Emax=999_999)
"""Holds sums and differences of any float64 exactly."""

_PLAIN = 25  # digits before and after the point that are written without an exponent


def number(text: str) -> Decimal | None:
    """Return the finite number that the text is, ``None`` where it is none."""
    try:
        value = Decimal(text)
    except DecimalException:
        return None
    return value if value.is_finite() and "_" not in text else None


def end_of(onset: Decimal, duration: Decimal) -> float:
    """Return onset + duration, rounded once, to float64; infinite where float64 ends."""
    return float(_EXACT.add(onset, duration))


def duration_of(start: float, end: float) -> str:
    """Return the duration as text, such that `end_of` gives exactly `end` back."""
    return _written(_EXACT.subtract(Decimal(repr(end)), Decimal(repr(start))))


def written(value: float) -> str:
    """Return a number as the shortest text that reads as the same float64, without an exponent where it is short."""
    return _written(Decimal(repr(value + 0.0)))


def _written(value: Decimal) -> str:
    text = f"{value:f}"
    return text if len(text) <= 2 * _PLAIN else str(value)
