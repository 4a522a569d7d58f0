"""Intervals over documents by their definition, one document after the other: see `inference.jackknife`."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy import stats


class Interval(NamedTuple):
    low: float
    high: float
    error: float
    rests_on: float


def pseudo_values(total, without):
    """What each document adds to a total: less each without it, and a constant so that they sum to the total."""
    added = [total - rest for rest in without]
    constant = (total - math.fsum(added)) / len(added)
    return [one + constant for one in added]


def interval(terms, without=None):
    """Return the interval of Σ sign·(Σo/Σe), for terms (sign, o, e) over the same documents.

    `without` has Σo and Σe of each term without each document; by default o and e add up.
    """
    n = len(terms[0][1])
    if without is None:
        without = [([math.fsum(o) - one for one in o], [math.fsum(e) - one for one in e]) for _, o, e in terms]
    totals = [(math.fsum(o), math.fsum(e)) for _, o, e in terms]
    value = math.fsum(sign * a / b for (sign, _, _), (a, b) in zip(terms, totals, strict=True))
    is_ratio = len(terms) == 1

    influences = []  # of each term, of each document
    for (sign, o, e), (total_o, total_e) in zip(terms, totals, strict=True):
        influences.append([sign * (a - total_o / total_e * b) / total_e for a, b in zip(o, e, strict=True)])
    of_value = [math.fsum(column) for column in zip(*influences, strict=True)]
    square = math.fsum(one**2 for one in of_value)
    deviation = math.sqrt(square * n / (n - 1))
    skewness = math.fsum(one**3 for one in of_value) / square**1.5
    bias = curvature = 0.0
    for own, (_, _, e), (_, total_e) in zip(influences, terms, totals, strict=True):
        sizes = [one / total_e for one in e]
        of_size = math.fsum(a * b for a, b in zip(of_value, sizes, strict=True))
        curvature -= math.fsum(a * b for a, b in zip(of_value, own, strict=True)) * of_size / (square * deviation)
        bias -= math.fsum(a * b for a, b in zip(own, sizes, strict=True)) / deviation
    weight = n / (n + 5)
    b = weight * (skewness / 3 + curvature - (deviation / (4 * value) if is_ratio else 0))
    k = weight * (skewness / 6 + curvature - bias)

    scale = math.sqrt if is_ratio else float
    moved = []
    for document in range(n):
        ratios = [sign * scale(o[document] / e[document]) for (sign, _, _), (o, e) in zip(terms, without, strict=True)]
        moved.append(math.fsum(ratios))
    mean = math.fsum(moved) / n
    error = math.sqrt((n - 1) / n * math.fsum((one - mean) ** 2 for one in moved))

    by_size = min(math.fsum(map(abs, e)) ** 2 / math.fsum(one**2 for one in e) for _, _, e in terms)
    by_influence = 3 * (n - 1) / (n + 1) * square**2 / math.fsum(one**4 for one in of_value)
    freedom = max(min(by_size, by_influence, n) - 1, 1)
    t = stats.t.ppf(0.975, freedom)

    def limit(quantile):
        bent = math.cbrt(1 + 3 * b * (quantile - k)) - 1
        return scale(value) - bent / b * error

    low, high = limit(t), limit(-t)
    if is_ratio:
        low, high = max(low, 0) ** 2, max(high, 0) ** 2
    return Interval(low, high, error, freedom + 1)
