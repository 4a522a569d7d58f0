"""Plain ``shift_overlaps``: sums over pairs of units that overlap by chance in two rows of a shift sample.

Gaps
----
On the circle, k of the n spaces between neighbouring offsets lie between two rows. They add up to k·distance + X, and
X/free has the distribution Beta(k, n - k), or its discrete counterpart if offsets are integers. All k are equally
likely, because any annotator may be in any row. With N = n - 1 and for y up to a limit, P(X < y) = P(J ≥ k), in which J
is the number of successes in N trials: binomial with probability y/free, or for integers hypergeometric, N draws from
free + N items with y - 1 + k successes among them. One more trial gives the mean:
E[X; X < y] = free · k/n · P(J' ≥ k + 1) with J' of N + 1 trials.

Only additions, multiplications and divisions are used, which round alike on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, pairs_in_runs

# Probabilities are differences of numbers up to 1, each a sum of at most a few hundred terms: rounding errors reach
# 1e-14, so a smaller probability than this is 0.
_MIN_CHANCE = 1e-13
_EVEN_ODDS = 0.5  # a success is as likely as a failure


def shift_overlaps(
    offsets: IntArray,
    position: FloatArray,
    length: FloatArray,
    label: IntArray,
    n_rows: IntArray,
    span: FloatArray,
    distance: FloatArray,
    free: FloatArray,
    integer: IntArray,
    n_labels: IntArray,
    categorial: FloatArray,
    reach: float,
) -> tuple[FloatArray, FloatArray]:
    """Return Σ P, Σ P·d and Σ P·d² over all ordered pairs of units of each document, and of each label.

    P is the probability that two units overlap if they are moved with two different rows of a shift sample, and d their
    d_cat / Δ. Units u, v overlap if |Δstart| + |Δend| < reach · (length u + length v). Two units without length overlap
    if they coincide. The pairs include each unit with itself.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_documents + 1,)
        The units of document d are those from offsets[d] to offsets[d + 1].
    position, length : ndarray of float64, shape (n_units,)
        Start of each unit relative to the beginning of the extent, below `span`; its length.
    label : ndarray of int64, shape (n_units,)
        Index of each unit's label among those of its document.
    n_rows : ndarray of int64, shape (n_documents,)
        Number of rows of a sample of each document, at least 2.
    span, distance, free : ndarray of float64, shape (n_documents,)
        Length of the extent, minimum distance of two offsets, and span - n_rows · distance.
    integer : ndarray of int64, shape (n_documents,)
        1 if offsets are integers; `span`, `distance` and `free` are integers then.
    n_labels : ndarray of int64, shape (n_documents,)
        Number of labels of each document.
    categorial : ndarray of float64
        Tables of d_cat / Δ between the labels of each document, row by row.
    reach : float
        See above; positive.

    Returns
    -------
    sums : ndarray of float64, shape (n_documents, 3)
        The sums of each document.
    sums_k : ndarray of float64, shape (n_labels.sum(), 3)
        The sums over the pairs with a unit of a label, for the labels of each document.
    """
    document, first, second = pairs_in_runs(offsets)
    law = _Law(n_rows, span, distance, free, integer == 1).select(document)
    chance = _chances(law, position, length, first, second, reach)
    chance = np.where(first == second, chance, 2.0 * chance)  # both orders of two units
    sizes = n_labels * n_labels
    first_label = np.cumsum(n_labels) - n_labels
    row = label[first]
    column = label[second]
    apart = categorial[(np.cumsum(sizes) - sizes)[document] + row * n_labels[document] + column]
    is_other = row != column
    row = row + first_label[document]
    column = (column + first_label[document])[is_other]
    n = len(n_rows)
    n_k = int(n_labels.sum())
    terms = chance, chance * apart, chance * apart * apart
    sums = np.stack([np.bincount(document, term, n) for term in terms], axis=1)
    sums_k = [np.bincount(row, term, n_k) + np.bincount(column, term[is_other], n_k) for term in terms]
    return np.ascontiguousarray(sums), np.ascontiguousarray(np.stack(sums_k, axis=1))


def _chances(
    law: _Law, position: FloatArray, length: FloatArray, first: IntArray, second: IntArray, reach: float
) -> FloatArray:
    """Return the probabilities of pairs of units to overlap; `law` has a row for each pair."""
    if not len(first):
        return np.zeros(0)
    base, low, high = _region(law, position, length, first, second, reach)
    overlap = _Overlap(law, base)
    zero = np.zeros_like(low)
    below = (np.minimum(low, zero), np.minimum(high, zero))
    above = (np.maximum(low, zero), np.maximum(high, zero))
    with np.errstate(divide="ignore", invalid="ignore"):  # an extent of length 0 is handled at the end
        chance = overlap.ahead(0, *above)
        chance = chance + overlap.behind(1, *below)
        chance = chance + overlap.ahead(1, *above)
        chance = chance + overlap.behind(2, *below)
    result: FloatArray = np.where(chance > _MIN_CHANCE, chance, 0.0)
    result[law.span == 0] = 1.0  # all units are one point
    return result


class _Law(NamedTuple):
    """Parameters of the distribution of the gap between two rows, for the document of each pair of units."""

    n_rows: IntArray
    span: FloatArray
    distance: FloatArray
    free: FloatArray
    integer: BoolArray

    def select(self, rows: IntArray) -> _Law:
        return _Law(self.n_rows[rows], self.span[rows], self.distance[rows], self.free[rows], self.integer[rows])


def _region(
    law: _Law, start: FloatArray, length: FloatArray, first: IntArray, second: IntArray, reach: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the difference of the starts, from 0 to the span, and the Δstart of overlapping units: [low, high).

    For integer offsets all three are integers, relative to the starts rounded down.
    """
    first_start = np.where(law.integer, np.floor(start[first]), start[first])
    second_start = np.where(law.integer, np.floor(start[second]), start[second])
    shift = (start[second] - second_start) - (start[first] - first_start)
    base = second_start - first_start
    base = np.where(base < 0, base + law.span, base)
    total = length[first] + length[second]
    difference = length[second] - length[first]
    width = reach * total
    overlaps = width > np.abs(difference)
    low = np.where(overlaps, -(difference + width) / 2, 0.0)
    high = np.where(overlaps, (width - difference) / 2, 0.0)
    # Two points coincide with probability 0 if offsets are real numbers.
    coincide = (total == 0) & law.integer & (shift == 0)
    discrete = overlaps & law.integer
    low = np.where(discrete, np.floor(low - shift) + 1, low)
    high = np.where(discrete, np.ceil(high - shift), high)
    high = np.where(coincide, 1.0, high)
    return base, np.maximum(low, -law.span), np.minimum(high, law.span)


class _Overlap:
    """Probabilities of the difference of moved starts: Δ = base + gap, less the span for each unit that wrapped.

    The common rotation is uniform, so |Δ| / span is the probability that only one of two units at the distance |Δ|
    has wrapped.
    """

    def __init__(self, law: _Law, base: FloatArray) -> None:
        self._law = law
        self._base = base

    def ahead(self, wraps: int, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the probability of low ≤ Δ < high for bounds ≥ 0, after this number of spans is subtracted."""
        base = self._base - wraps * self._law.span
        mass, mean = self._between(low - base, high - base)
        chance: FloatArray = (1.0 - base / self._law.span) * mass - mean / self._law.span
        return chance

    def behind(self, wraps: int, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the probability of low ≤ Δ < high for bounds ≤ 0, after this number of spans is subtracted."""
        base = self._base - wraps * self._law.span
        mass, mean = self._between(low - base, high - base)
        chance: FloatArray = (1.0 + base / self._law.span) * mass + mean / self._law.span
        return chance

    def _between(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(low ≤ gap < high) and E[gap; low ≤ gap < high], 0 if high ≤ low."""
        mass = np.zeros(len(low))
        mean = np.zeros(len(low))
        rows = np.flatnonzero((low < high) & (high > 0) & (low <= self._law.span))
        law = self._law.select(rows)
        mass_low, mean_low = _below(law, low[rows])
        mass_high, mean_high = _below(law, high[rows])
        mass[rows] = mass_high - mass_low
        mean[rows] = mean_high - mean_low
        return mass, mean


def _below(law: _Law, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(gap < x) and E[gap; gap < x], shape (n_pairs,)."""
    mass = np.zeros(len(x))
    mean = np.zeros(len(x))
    beyond = x > law.span  # not ≥: a real gap may equal the span if the minimum distance is 0
    mass[beyond] = 1.0
    total = np.where(law.integer, law.n_rows * law.distance + law.free, law.span)  # of all gaps
    mean[beyond] = total[beyond] / 2.0
    inside = (x > 0) & ~beyond
    for k in range(1, int(law.n_rows[inside].max(initial=1))):
        rows = np.flatnonzero(inside & (k < law.n_rows) & (x - k * law.distance > 0))
        part = law.select(rows)
        part_mass, part_mean = _below_of_spaces(part, k, x[rows] - k * part.distance)
        mass[rows] += part_mass
        mean[rows] += k * part.distance * part_mass + part.free * k / part.n_rows * part_mean
    spaces = np.where(inside, law.n_rows - 1.0, 1.0)
    return mass / spaces, mean / spaces


def _below_of_spaces(law: _Law, k: int, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(X < y) and E[X; X < y] / E[X], in which X is the sum of k spaces less k minimum distances, for y > 0."""
    mass = np.ones(len(y))
    mean = np.ones(len(y))
    rows = np.flatnonzero(np.where(law.integer, y - 1.0, y) < law.free)  # for the others, X < y is certain
    law = law.select(rows)
    y = y[rows]
    trials = law.n_rows.astype(np.float64) - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(law.integer, y - 1.0, y) / law.free
    items = law.free + trials
    successes = np.where(law.integer, y - 1.0 + k, 0.0)
    # Failures are counted if they are the rarer outcome.
    swap = np.where(law.integer, successes > items / 2.0, share > _EVEN_ODDS)
    successes = np.where(swap, items - successes, successes)
    odds = np.where(swap, 1.0 - share, share), np.where(swap, share, 1.0 - share)
    steps = np.where(swap, trials - k, float(k))
    before, at = _terms(law, trials, steps, odds, successes)
    below = np.where(swap, before + at, 1.0 - before)
    mass[rows] = below
    mean[rows] = below - at * (1.0 - share)
    return mass, mean


def _terms(
    law: _Law, trials: FloatArray, steps: FloatArray, odds: tuple[FloatArray, FloatArray], successes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return P(J < steps) and P(J = steps) of the number J of successes in the trials.

    `odds` are the probabilities of a success and of a failure if offsets are real, `successes` the number of items that
    count as a success if they are integers.
    """
    success, failure = odds
    surplus = law.free - successes  # if negative, J is at least -surplus
    crowded = law.integer & (surplus < 0)
    items = law.free + trials
    # The probability of the least J, then the ratio of each probability to the previous one.
    term = np.ones(len(steps))
    factors = np.where(crowded, law.free, trials)
    for i in range(int(factors.max(initial=0))):
        numerator = np.where(crowded, successes - i, items - successes - i)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(law.integer, numerator / (items - i), failure)
        term = np.where(i < factors, term * factor, term)
    before = np.zeros(len(steps))
    begin = np.where(crowded, -surplus, 0.0)
    for j in range(int(steps.max(initial=0))):
        upper = np.where(law.integer, successes - j, success)
        lower = np.where(law.integer, surplus + j + 1.0, failure)
        active = (begin <= j) & (j < steps)
        before = np.where(active, before + term, before)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = ((trials - j) * upper) / ((j + 1.0) * lower)
        term = np.where(active, term * ratio, term)
    return before, term
