"""Numbers as categories: which of them are the same, exactly, whatever their types, and what labels are called.

Conventions
-----------
* A whole number is its value, of whatever type: 1, 1.0 and ``Decimal("1.00")`` are one category, 2**53 and 2**53 + 1
  are two, although float64 cannot tell them apart.
* Any other float is the decimal it prints as: 0.1 and ``Decimal("0.1")`` are one category.
* Booleans and fractions are no numbers of items; they are labels as text.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align._types import FloatArray

Number = int | float | Decimal
"""What a category that is a number is kept as."""

EXACT = 2**53
"""Up to here float64 holds every whole number."""

_LONGEST = 308  # whole numbers of more digits stay Decimals: no float is as large
_AS_DIGITS = 2.0**64  # whole floats are written with all their digits below this, as integers of 64 bits are


def is_missing(value: Any) -> bool:  # noqa: ANN401  (anything a cell can hold)
    """Return whether a cell holds no judgment: None, NaN, or what a frame library writes for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(value, (float, np.floating)) and bool(value != value)) or (  # noqa: PLR0124  (NaN alone does)
        isinstance(value, Decimal) and value.is_nan()
    )


def exact(value: Any) -> Decimal | None:  # noqa: ANN401
    """Return the number a value is (perhaps infinite), None for what is no number."""
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (int, np.integer)):
        return Decimal(int(value))
    if isinstance(value, (float, np.floating)):
        near = float(value)
        if math.isfinite(near) and near != value:  # longer than float64
            return Decimal(str(value))
        return Decimal(near) if math.isinf(near) or near.is_integer() else Decimal(repr(near))
    return value if isinstance(value, Decimal) else None


def written(text: str) -> Decimal | None:
    """Return the number that a text is, None for a text that is no finite one."""
    try:
        near = float(text)
    except ValueError:
        return None
    # Python reads 1_000, nobody's data mean it
    return Decimal(text) if math.isfinite(near) and "_" not in text else None


def labels_of_numbers(numbers: Sequence[Decimal]) -> tuple[Number, ...] | FloatArray:
    """Return numbers as labels: an array of float64 if that holds all of them exactly, and else each by itself."""
    near = [float(number) for number in numbers]
    if all(map(is_float, numbers)):
        return np.array(near, dtype=np.float64)
    return tuple(map(_plain, numbers, near))


def is_float(number: Decimal) -> bool:
    """Return whether float64 holds a number exactly (see the module for what that means of 0.1)."""
    near = float(number)
    return math.isinf(near) == number.is_infinite() and exact(near) == number


def _plain(number: Decimal, near: float) -> Number:
    """Return a number as int where it is whole, as float where that prints it, and else without zeros at its end."""
    if number.adjusted() <= _LONGEST and number == number.to_integral_value():
        return int(number)
    if is_float(number):
        return near
    digits = len(number.as_tuple().digits)
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN).normalize(number)


def label_name(label: Any) -> str:  # noqa: ANN401  (a label of any kind)
    """Return a label as tables and orders name it: 1 and 1.0 are "1"; labels that differ have names that differ."""
    if isinstance(label, (frozenset, set)):
        return "{" + ", ".join(repr(part) if set(part) & set(",{}'\"") else part for part in sorted(label)) + "}"
    if not isinstance(label, (float, np.floating)):
        return str(label)
    number = float(label)
    if number.is_integer() and abs(number) < _AS_DIGITS:
        return str(int(number))
    return repr(number)
