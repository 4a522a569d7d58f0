"""The factor by which the positions of an annotator differ from those of the others, estimated from pairs of units."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, numbered, ranges
from gamma_align.insight.causes.evidence import poisson_evidence
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.absences import Positions, Stretches

_TOLERANCE = 1 / 3  # of the length of a unit, up to which its bounds meet those of another one
_ROUNDING = 1e-9  # of a position: units without length meet if they are equal
_MIN_LOG_FACTOR = math.log(1.2)  # smaller differences may be offsets, or positions that count line ends or bytes
_LOG_WIDTH = math.log(3.0)  # of factors to either side that show how many units meet by accident
_SAME_PEAK = 0.9  # of the most units that meet: factors with as many are not told apart
_MAX_DIGITS = 12


class Factor(NamedTuple):
    """A factor, and the evidence that more units meet with it than with other factors near by."""

    value: float
    evidence: float


class Meetings:
    """Finds units that meet units of other annotators: both bounds are within a third of the length of bounds there."""

    def __init__(self, view: View) -> None:
        corpus = view.corpus
        self._view = view
        self._positions = [
            (Positions(view.unit_document, bound), Positions(view.lane, bound)) for bound in (corpus.start, corpus.end)
        ]

    def are_met(self, units: IntArray, factor: float = 1.0) -> BoolArray:
        """Return whether each of these units, with its bounds divided by a factor, meets a unit of another annotator.

        For either bound, the other annotators have a bound of that side within the tolerance, not always of one unit.
        """
        view = self._view
        corpus = self._view.corpus
        result = np.ones(len(units), dtype=np.bool_)
        for bound, (everybody, own) in zip((corpus.start, corpus.end), self._positions, strict=True):
            tolerance = _tolerance(corpus.start[units], corpus.end[units])
            low = (bound[units] - tolerance) / factor
            high = (bound[units] + tolerance) / factor
            n_all, n_own = (
                positions.count(lane[units], high, side="right") - positions.count(lane[units], low, side="left")
                for positions, lane in ((everybody, view.unit_document), (own, view.lane))
            )
            result &= n_all > n_own
        return result


def estimate_factor(own: Stretches, others: Stretches, max_pairs: int) -> Factor | None:
    """Return the factor by which units have to be divided so that most of them meet units of the others.

    Two units meet for a range of factors. The factor is the simplest number where the ranges of most units overlap. By
    accident, as many overlap there as in the mean around it. The price of looking at all ends of ranges is deducted.

    Parameters
    ----------
    own, others : Stretches
        Units of one annotator, and of all others; lanes are documents, and those of the others ascend.
    max_pairs : int
        Of more pairs, some of the own units are taken, evenly spaced.
    """
    first = np.searchsorted(others.lane, own.lane, side="left")
    counts = np.searchsorted(others.lane, own.lane, side="right") - first
    step = max(math.ceil(counts.sum() / max_pairs), 1)
    first = first[::step]
    counts = counts[::step]
    own = own.take(slice(None, None, step))
    unit = np.repeat(np.arange(len(own)), counts)
    other = ranges(first, counts)
    low, high = _log_ranges(own.take(unit), others.take(other))
    is_possible = np.flatnonzero((low <= high) & np.isfinite(low) & np.isfinite(high))
    if not len(is_possible):
        return None
    low, high = _join_ranges(unit[is_possible], low[is_possible], high[is_possible])
    # How many ranges overlap between each end of a range and the next one; a range begins before others end there.
    ends = np.concatenate([low, high])
    order = np.argsort(ends, kind="stable")
    depth = np.cumsum(np.repeat([1, -1], len(low))[order])
    ends = ends[order]
    depth[np.abs(ends) < _MIN_LOG_FACTOR] = 0
    best = int(depth.argmax())
    if depth[best] == 0:
        return None
    is_less = np.flatnonzero(depth < _SAME_PEAK * depth[best])
    before = is_less[is_less < best]
    after = is_less[is_less > best]
    peak_low = float(ends[before[-1] + 1] if len(before) else ends[0])
    peak_high = float(ends[after[0]])
    if peak_low < 0:
        peak_high = min(peak_high, -_MIN_LOG_FACTOR)
    value = _simplest_between(math.exp(peak_low), math.exp(peak_high))
    log_value = math.log(value)
    n = np.count_nonzero((low <= log_value) & (log_value <= high))
    inside = np.minimum(high, log_value + _LOG_WIDTH) - np.maximum(low, log_value - _LOG_WIDTH)
    usual = float(np.maximum(inside, 0.0).sum()) / (2 * _LOG_WIDTH)
    return Factor(value, float(poisson_evidence(n, usual)) - math.log(len(ends)))


def _tolerance(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return how far bounds may be from bounds of another unit: a third of the length, and half of a whole number."""
    is_whole = (start == np.floor(start)) & (end == np.floor(end))
    result: FloatArray = _TOLERANCE * (end - start) + np.where(is_whole, 0.5, _ROUNDING * np.abs(end))
    return result


def _log_ranges(own: Stretches, others: Stretches) -> tuple[FloatArray, FloatArray]:
    """Return ln of the least and the largest factor with which pairs of units meet; the least is larger for none."""
    tolerance = _tolerance(own.start, own.end)
    low = np.full(len(own), -np.inf)
    high = np.full(len(own), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for bound, other in ((own.start, others.start), (own.end, others.end)):
            low = np.fmax(low, np.log((bound - tolerance) / other))
            high = np.fmin(high, np.log((bound + tolerance) / other))
    return low, high


def _join_ranges(unit: IntArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Join the overlapping ranges of each unit, so that a unit counts once for each factor; return their ends."""
    order = np.lexsort((low, unit))
    unit = unit[order]
    low = low[order]
    high = high[order]
    # The running maximum of the unit and the rank of the end starts anew in each unit.
    values, rank = numbered(high)
    reached = values[np.maximum.accumulate(unit * len(values) + rank) % len(values)]
    begins = np.ones(len(unit), dtype=np.bool_)
    begins[1:] = (np.diff(unit) > 0) | (low[1:] > reached[:-1])
    first = np.flatnonzero(begins)
    return low[first], reached[np.append(first[1:], len(unit)) - 1]


def _simplest_between(low: float, high: float) -> float:
    """Return the number between two others that has the fewest digits, or whose reciprocal has."""
    if high < 1:
        return 1 / _simplest_between(1 / high, 1 / low)
    middle = (low + high) / 2
    for n_digits in range(1, _MAX_DIGITS):
        value = float(f"{middle:.{n_digits - 1}e}")
        if low <= value <= high:
            return value
    return middle
