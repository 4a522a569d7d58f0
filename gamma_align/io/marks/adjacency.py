"""Units that all but touch: bounds apart by the rounding of onset + duration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray

TOLERANCE = 1e-5
"""Seconds; bounds closer than that are meant to be the same (SPAM's overlap by 1e-9 … 1e-6)."""


def told_near(start: FloatArray, end: FloatArray, owner: IntArray, place: str = "") -> tuple[str, ...]:
    """Return words for units that nearly touch others of their owner, if there are any; see `near`."""
    over, short = near(start, end, owner)
    told = [f"{count} {what}" for count, what in ((over, "end after"), (short, "end before")) if count]
    if not told:
        return ()
    return (
        (
            f"{place}of {len(start)} units, {' and '.join(told)} the start of another by less than {TOLERANCE:g} s, as "
            "rounded times do; they are read as written"
        ),
    )


def near(start: FloatArray, end: FloatArray, owner: IntArray) -> tuple[int, int]:
    """Return how many units end after, and how many before, the start of another of their owner, by a rounding.

    Parameters
    ----------
    start, end : ndarray of float64, shape (n_units,)
        Bounds.
    owner : ndarray of int64, shape (n_units,)
        Whose each unit is.

    Returns
    -------
    (int, int)
        Units whose end is after, and before, a start of the same owner, nearer than `TOLERANCE`, and at none; units
        shorter than that are not looked at, as they would be near to themselves.
    """
    n_units = len(start)
    if not n_units:
        return 0, 0
    value, whose = np.concatenate([start, end]), np.concatenate([owner, owner])
    is_end = np.repeat([False, True], n_units)
    order = np.lexsort((~is_end, value, whose))  # an end stands before the starts at the same place
    value, whose, is_end = value[order], whose[order], is_end[order]
    place = np.arange(2 * n_units)
    before = np.maximum.accumulate(np.where(is_end, -1, place))
    after = np.minimum.accumulate(np.where(is_end, 2 * n_units, place)[::-1])[::-1]
    ends = np.flatnonzero(is_end & (end - start > TOLERANCE)[order % n_units])
    gaps = []
    for other in (before[ends], after[ends]):
        its = np.clip(other, 0, 2 * n_units - 1)
        same = (its == other) & (whose[its] == whose[ends])
        gaps.append(np.where(same, np.abs(value[ends] - value[its]), np.inf))
    touches = gaps[1] == 0
    return (
        int(np.count_nonzero((gaps[0] < TOLERANCE) & ~touches)),
        int(np.count_nonzero((gaps[1] < TOLERANCE) & ~touches)),
    )
