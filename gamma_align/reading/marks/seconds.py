"""Bounds in seconds: decimal onsets and durations, and units that all but touch.

Sums of decimal numbers are those of `data.decimals`.
"""

from __future__ import annotations

from decimal import Decimal, DecimalException

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import EXACT
from gamma_align.reading.marks.marks import Marks

BLANK_NOTE = "{} intervals labelled with blanks alone are no units"
"""The note on intervals for which `is_blank` holds."""

_PLAIN = 25  # digits on either side of the point up to which numbers are written without an exponent


def number(text: str) -> Decimal | None:
    """Return the text as a finite number, ``None`` if it is none."""
    try:
        value = Decimal(text)
    except DecimalException:
        return None
    return value if value.is_finite() and "_" not in text else None


def is_blank(label: object) -> bool:
    """Whether a label consists of blanks only, and marks nothing."""
    return isinstance(label, str) and label != "" and not label.strip()


def duration_of(start: float, end: float) -> str:
    """Return the duration as text for which `end_of` returns exactly `end`."""
    return _plain_decimal(EXACT.subtract(Decimal(repr(end)), Decimal(repr(start))))


def written(value: float) -> str:
    """Return the shortest text that reads as the same float64, without an exponent if it stays short."""
    return _plain_decimal(Decimal(repr(value + 0.0)))


def _plain_decimal(value: Decimal) -> str:
    """Return a number without an exponent, unless that would be long."""
    text = f"{value:f}"
    return text if len(text) <= 2 * _PLAIN else str(value)


TOLERANCE = 1e-5
"""Seconds; bounds closer than that are meant to be the same (SPAM's overlap by 1e-9 … 1e-6)."""


def nearness_notes(start: FloatArray, end: FloatArray, owner: IntArray, prefix: str = "") -> tuple[str, ...]:
    """Return a note on units that nearly touch others of their owner, if there are any; see `near`."""
    over, short = near(start, end, owner)
    counts = [f"{count} {boundary}" for count, boundary in ((over, "end after"), (short, "end before")) if count]
    if not counts:
        return ()
    return (
        (
            f"{prefix}of {len(start)} units, {' and '.join(counts)} the start of another by less than {TOLERANCE:g} s, "
            "as rounded times do; they are read as written"
        ),
    )


def near(start: FloatArray, end: FloatArray, owner: IntArray) -> tuple[int, int]:
    """Count the units that end shortly after, and shortly before, the start of another unit of their owner.

    Shortly means by less than `TOLERANCE`, as after rounding. Shorter units are skipped: they are near themselves.
    """
    before, after = starts_around(start, end, owner)
    apart = (end - start > TOLERANCE) & (end != before)
    return (
        int(np.count_nonzero(apart & (end - before < TOLERANCE))),
        int(np.count_nonzero(apart & (after - end < TOLERANCE))),
    )


def starts_around(start: FloatArray, end: FloatArray, owner: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return for each unit the last start of the owner's units up to its end, and the first start after its end.

    The first always exists, as a unit starts before its end; the second is infinite if no unit starts later.
    """
    by_owner = np.lexsort((start, owner))
    is_end = np.repeat([False, True], len(start))
    order = np.lexsort((is_end, np.concatenate([start, end]), np.tile(owner, 2)))  # starts before equal ends
    is_end = is_end[order]
    after = np.empty(len(start), dtype=np.int64)
    after[order[is_end] - len(start)] = np.cumsum(~is_end)[is_end]  # number of starts up to the end, in this order
    starts = np.append(start[by_owner], np.inf)
    owners = np.append(owner[by_owner], -1)
    return starts[after - 1], np.where(owners[after] == owner, starts[after], np.inf)


def note_near(marks: Marks) -> None:
    """Add a note to the marks of a file if units of one annotator and layer nearly touch."""
    columns = (np.asarray(marks.start, dtype=np.float64), np.asarray(marks.end, dtype=np.float64))
    marks.notes.extend(nearness_notes(*columns, np.asarray(marks.key, dtype=np.int64), f"{marks.file}: "))
