"""Intervals over documents by their definition, one document after the other: see `inference.jackknife`.

A side is (o, e, Σo without each document, Σe without each document); o and e have a number for each document.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy import stats


class Interval(NamedTuple):
    low: float
    high: float
    error: float
    rests_on: float


def side(o, e, without=None):
    """Return a side whose sums add up over documents, unless the sums without each document are given."""
    if without is None:
        without = [math.fsum(o) - one for one in o], [math.fsum(e) - one for one in e]
    return (o, e, *without)


def pseudo_values(total, without):
    """What each document adds to a total: less each without it, and a constant so that they sum to the total."""
    added = [total - rest for rest in without]
    constant = (total - math.fsum(added)) / len(added)
    return [one + constant for one in added]


def ratio(o, e):
    return math.fsum(o) / math.fsum(e)


def ratios_without(o_without, e_without):
    return [a / b for a, b in zip(o_without, e_without, strict=True)]


def influences(o, e):
    return [(a - ratio(o, e) * b) / math.fsum(e) for a, b in zip(o, e, strict=True)]


def effective(sizes, influence):
    """Return N of one sample of documents; `sizes` are one list of e for each annotation."""
    n = len(influence)
    by_size = [math.fsum(map(abs, e)) ** 2 / math.fsum(one**2 for one in e) for e in sizes]
    square, fourth = (math.fsum(one**power for one in influence) for power in (2, 4))
    return max(min(*by_size, 3 * (n - 1) / (n + 1) * square**2 / fourth, n), 2)


def variance(values):
    n, mean = len(values), math.fsum(values) / len(values)
    return (n - 1) / n * math.fsum((one - mean) ** 2 for one in values)


def of_ratio(o, e, o_without, e_without):
    """Return the interval of Σo / Σe."""
    root, without = math.sqrt(ratio(o, e)), ratios_without(o_without, e_without)
    number = effective([e], influences(o, e))
    half = stats.t.ppf(0.975, number - 1) * math.sqrt(variance([math.sqrt(one) for one in without]))
    return Interval(max(root - half, 0) ** 2, (root + half) ** 2, math.sqrt(variance(without)), number)


def of_difference(first, second):
    """Return the interval of the second ratio minus the first; both are over the same documents."""
    (o1, e1, *without1), (o2, e2, *without2) = first, second
    moved = [b - a for a, b in zip(ratios_without(*without1), ratios_without(*without2), strict=True)]
    influence = [b - a for a, b in zip(influences(o1, e1), influences(o2, e2), strict=True)]
    number = effective([e1, e2], influence)
    return _around(ratio(o2, e2) - ratio(o1, e1), math.sqrt(variance(moved)), number)


def of_independent(first, second):
    """Return the interval of the second ratio minus the first; each has documents of its own."""
    variances = [variance(ratios_without(*without)) for _, _, *without in (first, second)]
    numbers = [effective([e], influences(o, e)) for o, e, *_ in (first, second)]
    total = math.fsum(variances)
    freedom = total**2 / math.fsum(v**2 / (n - 1) for v, n in zip(variances, numbers, strict=True))
    return _around(ratio(*second[:2]) - ratio(*first[:2]), math.sqrt(total), freedom + 1)


def _around(value, error, number):
    half = stats.t.ppf(0.975, number - 1) * error
    return Interval(value - half, value + half, error, number)
