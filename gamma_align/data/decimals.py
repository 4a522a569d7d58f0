"""Sums of decimal numbers, rounded to float64 once, and numbers with marks of thousands.

Files give decimal numbers. Their sum is taken before it is rounded, so that a unit that ends where the next begins ends
there (0.1 + 0.2 is 0.3); added as float64 the two would be apart by a rounding.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal

EXACT = Context(prec=800, Emin=-999_999, Emax=999_999)
"""Holds sums and differences of any float64 exactly."""

_THOUSANDS = {mark: re.compile(rf"\s*-?[1-9]\d{{0,2}}({re.escape(mark)}\d{{3}})+\s*") for mark in ".,"}
_BELOW_THOUSAND = re.compile(r"\s*[1-9]\d{1,2}\s*")
_MIN_BELOW = 3  # different whole numbers; programs that leave out final zeros write decimals of other lengths, too


def end_of(onset: Decimal, duration: Decimal) -> float:
    """Return onset + duration, rounded once to float64; infinite beyond the range of float64."""
    return float(EXACT.add(onset, duration))


def has_thousands(cells: Sequence[str], mark: str) -> bool:
    """Return whether a mark in numbers separates thousands: "1.015" beside "882" and "940", and no "1.5" or "12.0"."""
    n_marks = "".join(cells).count(mark)
    if n_marks in (0, len(cells)):  # as in a column of decimals
        return False
    with_mark = [cell for cell in cells if mark in cell]
    if not all(map(_THOUSANDS[mark].fullmatch, with_mark)):
        return False
    below = {cell for cell in cells if mark not in cell and _BELOW_THOUSAND.fullmatch(cell)}
    return len(below) >= _MIN_BELOW and all("." not in cell and "," not in cell for cell in cells if mark not in cell)
