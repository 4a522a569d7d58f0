"""Draws with replacement, and errors, intervals and tests from the replicates of a value that they give."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.distances import slices


def draw_counts(
    shares: FloatArray, n_draws: int, *, seed: int, stream: int, replicates: int, cells: int
) -> Iterator[FloatArray]:
    """Yield how often each row is drawn, shape (n_replicates, n_rows), in batches of about `cells` numbers.

    `shares` are the probabilities of the rows. The numbers depend on `seed` and `stream`, not on the batches.
    """
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(stream,))))
    for batch in slices(replicates, len(shares), cells):
        yield generator.multinomial(n_draws, shares, size=batch.stop - batch.start).astype(np.float64)


def bootstrap_error(replicates: FloatArray) -> float:
    """Return the standard deviation of the replicates; NaN of fewer than two."""
    return float(np.std(replicates, ddof=1)) if len(replicates) > 1 else math.nan


def percentile_interval(replicates: FloatArray, level: float) -> tuple[float, float]:
    """Return the quantiles between which the replicates lie with probability `level`."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def order_statistic_interval(replicates: FloatArray, level: float) -> tuple[float, float]:
    """Return the order statistics ⌊pB⌋ and ⌊(1 - p)B⌋ + 1 of B replicates, p = (1 - level)/2, as KALPHA does."""
    ordered = np.sort(replicates)
    tail = (1 - level) / 2
    low = max(math.floor(tail * len(ordered)), 1)
    high = min(math.floor((1 - tail) * len(ordered)) + 1, len(ordered))
    return float(ordered[low - 1]), float(ordered[high - 1])


def bootstrap_p(replicates: FloatArray, threshold: float) -> float:
    """Return the two-sided p of the hypothesis that the true value is `threshold`; never 0."""
    below = int((replicates <= threshold).sum())
    above = int((replicates >= threshold).sum())
    # One is added to both counts, because a finite number of replicates cannot prove that p is 0.
    return min(1.0, 2 * (min(below, above) + 1) / (len(replicates) + 1))
