"""Twin of ``shift_overlaps``: the chance that two units overlap in two rows of a shift sample.

Gaps
----
Going round the circle, k of the n spaces between neighbouring offsets lie between two rows. They add up to
k·distance + X, with X/free of the distribution Beta(k, n - k), or for integers its discrete counterpart. All k are
equally likely, because any annotator may be in any row. With N = n - 1, and up to a bound,
P(X < y) = P(J ≥ k) with J the number of successes in N trials: binomial with chance y/free, or for integers
hypergeometric, N draws from free + N items of which y - 1 + k are successes. One more trial gives the mean as well:
E[X; X < y] = free · k/n · P(J' ≥ k + 1), J' of N + 1 trials.

All of this takes additions, multiplications and divisions only, which round alike on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, pairs_in_runs

# Chances are differences of numbers up to 1, each the sum of at most some hundreds of terms: rounding reaches 1e-14.
_MIN_CHANCE = 1e-13


def shift_overlaps(
    offsets: IntArray,
    place: FloatArray,
    length: FloatArray,
    n_rows: IntArray,
    span: FloatArray,
    distance: FloatArray,
    free: FloatArray,
    integer: IntArray,
    reach: float,
) -> FloatArray:
    """Return the chance that two units overlap if they are moved with two different rows of a shift sample.

    Units u, v overlap if |Δstart| + |Δend| < reach · (length u + length v), two units without length if they coincide.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_documents + 1,)
        The units of document d are those from offsets[d] to offsets[d + 1].
    place, length : ndarray of float64, shape (n_units,)
        Start of each unit, from the beginning of the extent on and below `span`; its length.
    n_rows : ndarray of int64, shape (n_documents,)
        Number of rows of a sample of each document, at least 2.
    span, distance, free : ndarray of float64, shape (n_documents,)
        Length of the extent, least distance of two offsets, and span - n_rows · distance.
    integer : ndarray of int64, shape (n_documents,)
        1 if offsets are integers; `span`, `distance` and `free` are integers then.
    reach : float
        See above; positive.

    Returns
    -------
    ndarray of float64, shape (n_pairs,)
        For every two units u ≤ v of each document, also for a unit and itself: in the order of u, then of v.
    """
    document, first, second = pairs_in_runs(offsets)
    if not len(document):
        return np.zeros(0)
    law = _Law(n_rows, span, distance, free, integer == 1).select(document)
    base, low, high = _region(law, place, length, first, second, reach)
    overlap = _Overlap(law, base)
    zero = np.zeros_like(low)
    below, above = (np.minimum(low, zero), np.minimum(high, zero)), (np.maximum(low, zero), np.maximum(high, zero))
    with np.errstate(divide="ignore", invalid="ignore"):  # an extent of length 0 is settled at the end
        chance = overlap.ahead(0, *above)
        chance = chance + overlap.behind(1, *below)
        chance = chance + overlap.ahead(1, *above)
        chance = chance + overlap.behind(2, *below)
    result: FloatArray = np.where(chance > _MIN_CHANCE, chance, 0.0)
    result[law.span == 0] = 1.0  # all units are one point
    return result


class _Law(NamedTuple):
    """The distribution of the gap between two rows, of the document of each pair of units."""

    n_rows: IntArray
    span: FloatArray
    distance: FloatArray
    free: FloatArray
    integer: BoolArray

    def select(self, rows: IntArray) -> _Law:
        return _Law(self.n_rows[rows], self.span[rows], self.distance[rows], self.free[rows], self.integer[rows])


def _region(
    law: _Law, place: FloatArray, length: FloatArray, first: IntArray, second: IntArray, reach: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the difference of the starts, from 0 to the span, and the bounds of the overlap's Δstart: [low, high).

    For integer offsets all three are integers, and count from the integers at or below the starts.
    """
    whole = np.where(law.integer, np.floor(place[first]), place[first])
    other_whole = np.where(law.integer, np.floor(place[second]), place[second])
    shift = (place[second] - other_whole) - (place[first] - whole)
    base = other_whole - whole
    base = np.where(base < 0, base + law.span, base)
    total, difference = length[first] + length[second], length[second] - length[first]
    width = reach * total
    overlaps = width > np.abs(difference)
    low = np.where(overlaps, -(difference + width) / 2, 0.0)
    high = np.where(overlaps, (width - difference) / 2, 0.0)
    coincide = (total == 0) & law.integer & (shift == 0)  # real offsets have no chance to make two points coincide
    discrete = overlaps & law.integer
    low = np.where(discrete, np.floor(low - shift) + 1, low)
    high = np.where(discrete, np.ceil(high - shift), high)
    high = np.where(coincide, 1.0, high)
    return base, np.maximum(low, -law.span), np.minimum(high, law.span)


class _Overlap:
    """The chance of differences of moved starts: Δ = base + gap, less the span once or twice where a unit wrapped.

    The turn is uniform, so |Δ|/span is the chance that the one with the greater Δ has wrapped and the other has not.
    """

    def __init__(self, law: _Law, base: FloatArray) -> None:
        self._law, self._base = law, base

    def ahead(self, wraps: int, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the chance of low ≤ Δ < high, which are at least 0."""
        base = self._base - wraps * self._law.span
        mass, mean = self._between(low - base, high - base)
        chance: FloatArray = (1.0 - base / self._law.span) * mass - mean / self._law.span
        return chance

    def behind(self, wraps: int, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the chance of low ≤ Δ < high, which are at most 0."""
        base = self._base - wraps * self._law.span
        mass, mean = self._between(low - base, high - base)
        chance: FloatArray = (1.0 + base / self._law.span) * mass + mean / self._law.span
        return chance

    def _between(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(low ≤ gap < high) and E[gap; low ≤ gap < high], 0 if high ≤ low."""
        mass, mean = np.zeros(len(low)), np.zeros(len(low))
        some = np.flatnonzero((low < high) & (high > 0) & (low <= self._law.span))
        law = self._law.select(some)
        mass_low, mean_low = _below(law, low[some])
        mass_high, mean_high = _below(law, high[some])
        mass[some], mean[some] = mass_high - mass_low, mean_high - mean_low
        return mass, mean


def _below(law: _Law, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(gap < x) and E[gap; gap < x], shape (n_pairs,)."""
    mass, mean = np.zeros(len(x)), np.zeros(len(x))
    beyond = x > law.span  # a gap may be the span itself if the least distance is 0
    mass[beyond] = 1.0
    mean[beyond] = law.span[beyond] / 2.0
    inside = (x > 0) & ~beyond
    for k in range(1, int(law.n_rows[inside].max(initial=1))):
        some = np.flatnonzero(inside & (k < law.n_rows) & (x - k * law.distance > 0))
        part = law.select(some)
        reached, reached_mean = _below_one(part, k, x[some] - k * part.distance)
        mass[some] += reached
        mean[some] += k * part.distance * reached + part.free * k / part.n_rows * reached_mean
    spaces = np.where(inside, law.n_rows - 1.0, 1.0)
    return mass / spaces, mean / spaces


def _below_one(law: _Law, k: int, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(X < y) and E[X; X < y] / E[X] of the sum X of k spaces beyond their least distance, for y > 0."""
    mass, mean = np.ones(len(y)), np.ones(len(y))
    open_ = np.flatnonzero(np.where(law.integer, y - 1.0, y) < law.free)
    law, y = law.select(open_), y[open_]
    trials = law.n_rows.astype(np.float64) - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(law.integer, y - 1.0, y) / law.free
    items = law.free + trials
    successes = np.where(law.integer, y - 1.0 + k, 0.0)
    swap = np.where(law.integer, successes > items / 2.0, share > 0.5)  # noqa: PLR2004  (count the rarer outcome)
    successes = np.where(swap, items - successes, successes)
    odds = np.where(swap, 1.0 - share, share), np.where(swap, share, 1.0 - share)
    steps = np.where(swap, trials - k, float(k))
    before, at = _terms(law, trials, steps, odds, successes)
    reached = np.where(swap, before + at, 1.0 - before)
    mass[open_], mean[open_] = reached, reached - at * (1.0 - share)
    return mass, mean


def _terms(
    law: _Law, trials: FloatArray, steps: FloatArray, odds: tuple[FloatArray, FloatArray], successes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return P(J < steps) and P(J = steps) of J successes in so many trials."""
    yes, no = odds
    surplus = law.free - successes  # negative: J is at least -surplus
    crowded = law.integer & (surplus < 0)
    items = law.free + trials
    term, factors = np.ones(len(steps)), np.where(crowded, law.free, trials)
    for i in range(int(factors.max(initial=0))):
        numerator = np.where(crowded, successes - i, items - successes - i)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(law.integer, numerator / (items - i), no)
        term = np.where(i < factors, term * factor, term)
    before, begin = np.zeros(len(steps)), np.where(crowded, -surplus, 0.0)
    for j in range(int(steps.max(initial=0))):
        upper = np.where(law.integer, successes - j, yes)
        lower = np.where(law.integer, surplus + j + 1.0, no)
        active = (begin <= j) & (j < steps)
        before = np.where(active, before + term, before)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = ((trials - j) * upper) / ((j + 1.0) * lower)
        term = np.where(active, term * ratio, term)
    return before, term
