"""Coefficients on items, written as their definitions read: loops over items, coders and pairs; slow and plain.

Rows are lists of labels, None where there is no judgment; d is a function of two labels.
"""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np


def item_disagreement(row, d):
    """Mean distance of two judgments of an item."""
    there = [label for label in row if label is not None]
    pairs = list(permutations(there, 2))
    return sum(d(a, b) for a, b in pairs) / len(pairs)


def observed(rows, d, missing):
    """D_o: the mean over items that weigh 1, n or n(n - 1) (M17 §3); RM: complete items alone."""
    total = weights = 0.0
    for row in rows:
        n = sum(label is not None for label in row)
        weight = {"IL": 1, "VL": n, "PL": n * (n - 1), "RM": float(n == len(row))}[missing]
        if n >= 2 and weight:
            total += weight * item_disagreement(row, d)
            weights += weight
    return total / weights if weights else np.nan


def form(first, second, d):
    """Σ P(k)P(l)d_kl of two mappings of label to share."""
    return sum(p * q * d(a, b) for a, p in first.items() for b, q in second.items())


def shares(labels):
    labels = list(labels)
    return {label: labels.count(label) / len(labels) for label in set(labels)}


def expected_s(rows, d, categories):  # noqa: ARG001
    even = dict.fromkeys(categories, 1 / len(categories))
    return form(even, even, d)


def expected_pi(rows, d, categories):  # noqa: ARG001
    """The mean over items of each item's own shares (AP05 §5.1)."""
    judged = [[label for label in row if label is not None] for row in rows]
    judged = [row for row in judged if row]
    mean = {}
    for row in judged:
        for label, share in shares(row).items():
            mean[label] = mean.get(label, 0) + share / len(judged)
    return form(mean, mean, d)


def expected_alpha(rows, d, categories):  # noqa: ARG001
    values = [label for row in rows if sum(x is not None for x in row) > 1 for label in row if label is not None]
    return sum(d(a, b) for a, b in permutations(values, 2)) / (len(values) * (len(values) - 1))


def of_coders(rows):
    return [[row[coder] for row in rows if row[coder] is not None] for coder in range(len(rows[0]))]


def expected_kappa(rows, d, categories):  # noqa: ARG001
    """Pairs of coders weigh P(c)P(c′), P(c) a coder's share of the judgments (AP05 §5.1)."""
    coders = of_coders(rows)
    total = weights = 0.0
    for first, second in combinations([c for c in coders if c], 2):
        weight = len(first) * len(second)
        total += weight * form(shares(first), shares(second), d)
        weights += weight
    return total / weights if weights else np.nan


def expected_conger(rows, d, categories):  # noqa: ARG001
    pairs = list(combinations([c for c in of_coders(rows) if c], 2))
    return sum(form(shares(a), shares(b), d) for a, b in pairs) / len(pairs) if pairs else np.nan


def expected_gwet(rows, d, categories):
    """1 - A_e, A_e = T/(q(q - 1)) Σ P(1 - P) with weights 1 - d/d_max, times d_max."""
    largest = max(d(a, b) for a in categories for b in categories)
    size = len(categories)
    if size < 2 or largest == 0:
        return np.nan
    total = sum(1 - d(a, b) / largest for a in categories for b in categories)
    judged = [[label for label in row if label is not None] for row in rows]
    judged = [row for row in judged if row]
    share = [sum(row.count(label) / len(row) for row in judged) / len(judged) for label in categories]
    return largest * (1 - total / (size * (size - 1)) * sum(p * (1 - p) for p in share))


EXPECTED = {
    "s": expected_s,
    "pi": expected_pi,
    "kappa": expected_kappa,
    "kappa-conger": expected_conger,
    "alpha": expected_alpha,
    "ac1": expected_gwet,
}


def coefficient(rows, name, d, categories, missing=None):
    """1 - D_o/D_e, NaN where there is nothing to compare or to correct for."""
    missing = missing or ("VL" if name == "alpha" else "IL")
    if missing == "RM":
        rows = [row for row in rows if None not in row]
    if not rows or not any(sum(label is not None for label in row) > 1 for row in rows):
        return np.nan
    by_chance = EXPECTED[name](rows, d, categories)
    return 1 - observed(rows, d, missing) / by_chance if by_chance > 1e-12 else np.nan


def kappa_mean(rows, d):
    """The mean of the coders' κ two by two, each on the items both judged."""
    values = []
    for first, second in combinations(range(len(rows[0])), 2):
        both = [[row[first], row[second]] for row in rows if row[first] is not None and row[second] is not None]
        if both:
            values.append(coefficient(both, "kappa", d, None))
    return float(np.mean(values)) if values else np.nan


def midrank_distance(rows, order):
    """Krippendorff's ordinal metric: the squared sum of the counts between two categories, half of the ends."""
    values = [label for row in rows if sum(x is not None for x in row) > 1 for label in row if label is not None]
    count = {label: values.count(label) for label in order}

    def d(first, second):
        low, high = sorted((order.index(first), order.index(second)))
        between = sum(count[label] for label in order[low : high + 1])
        return (between - (count[first] + count[second]) / 2) ** 2 if low != high else 0.0

    return d


def score_interval(value, error, n, t, lowest=-1.0):
    """All θ with |value - θ| ≤ t·√(φ(1 - θ)(θ - lowest)/n), by bisection from the value to either end."""
    reach = max(1 - lowest, 1 - value)
    added = reach**2 / (10 * n)
    dispersion = (n * error**2 + added) / ((1 - value) * (reach - 1 + value) + added)

    def inside(theta):
        variance = max(dispersion * (1 - theta) * (theta - 1 + reach) / n, 0.0)
        return abs(value - theta) <= t * variance**0.5

    ends = []
    for end in (1 - reach, 1.0):
        near, far = value, end
        for _ in range(200):
            middle = (near + far) / 2
            near, far = (middle, far) if inside(middle) else (near, middle)
        ends.append(near)
    return tuple(ends)


def pi_error(table):
    """Return the standard error of Scott's π on a 2 × 2 table (Bloch & Kraemer 1989, intraclass κ)."""
    share = table / table.sum()
    margin = float(share[0].sum() + share[:, 0].sum()) / 2
    spread = 2 * margin * (1 - margin)
    if spread == 0:
        return math.nan
    pi = 1 - float(share[0, 1] + share[1, 0]) / spread
    variance = (1 - pi) * ((1 - pi) * (1 - 2 * pi) + pi * (2 - pi) / spread)
    return math.sqrt(variance / float(table.sum()))
