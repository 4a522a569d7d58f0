"""Intervals over documents (or parts of one) that add up: a jackknife with Student's t.

A coefficient is 1 - r with r = observed / expected disagreement, both made of sums over documents. Leaving out each
document in turn says how much √r varies: on that scale its error is about the same for high and for low agreement, and
the interval 1 - (√r ± t·error)² never passes 1. Documents without disagreement say little about the error of a small
r, so the degrees of freedom are those of the documents that have some.

How often such intervals hold the truth is measured in tools/bench/results/coverage.md; a percentile bootstrap holds it
less often, in particular with few documents.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 11 (jackknife).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align._types import FloatArray
from gamma_align.results.estimates import student

FEWEST = 3  # an interval takes so many documents with disagreement

NO_DISAGREEMENT = "no disagreement to estimate it from"
FEW_DOCUMENTS = "fewer than three documents with disagreement"
FEW_UNITS = "fewer than three units with disagreement"

_ROUNDING = 1e-12  # what is left of a sum, relative to it, that may be nothing but rounding


class ConfidenceInterval(NamedTuple):
    """A 95 % interval of a coefficient and its standard error, NaN where there is none, and why it is missing."""

    low: float
    high: float
    error: float
    missing: str | None = None


def no_interval(reason: str, error: float = math.nan) -> ConfidenceInterval:
    """Return that there is no interval, and why."""
    return ConfidenceInterval(math.nan, math.nan, error, reason)


def ratio_interval(observed: FloatArray, expected: FloatArray) -> ConfidenceInterval:
    """Return the interval of 1 - Σ observed / Σ expected, from what each document adds to the two sums."""
    used = (expected > 0) | (observed > 0)
    observed, expected = observed[used], expected[used]
    total, by_chance = math.fsum(observed), math.fsum(expected)
    disagreeing = int(np.count_nonzero(observed))
    return jackknife_interval(total, by_chance, total - observed, by_chance - expected, disagreeing, few=FEW_DOCUMENTS)


def jackknife_interval(
    observed: float,
    expected: float,
    observed_without: FloatArray,
    expected_without: FloatArray,
    disagreeing: int,
    *,
    few: str,
) -> ConfidenceInterval:
    """Return the interval of 1 - observed / expected, both also known with each part left out, shape (n_parts,).

    Where fewer than `FEWEST` parts are `disagreeing` there is none, for the reason `few`. The expected disagreement is
    positive.
    """
    if observed == 0.0:
        return no_interval(NO_DISAGREEMENT)
    if disagreeing < FEWEST or not (expected_without > _ROUNDING * expected).all():
        return no_interval(few)
    ratio = np.maximum(observed_without, 0.0) / expected_without
    half = student(disagreeing - 1) * _error(np.sqrt(ratio))
    root = math.sqrt(observed / expected)
    return ConfidenceInterval(1.0 - (root + half) ** 2, 1.0 - max(root - half, 0.0) ** 2, _error(ratio))


def _error(without: FloatArray) -> float:
    """Return the jackknife's standard error, from the values with each part left out."""
    parts = len(without)
    return math.sqrt((parts - 1) / parts * math.fsum(np.square(without - without.mean())))
