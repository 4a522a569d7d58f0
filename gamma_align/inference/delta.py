"""The delta method: standard errors from the derivatives of a value by the weights of items, its influences."""

from __future__ import annotations

import math

import numpy as np

from gamma_align.columns import FloatArray, IntArray


def influence_error(influences: FloatArray, counts: FloatArray) -> float:
    """Return √(Σ influence² / (n(n - 1))) over n items; `counts` items have each influence."""
    n_items = int(counts.sum())
    return math.sqrt(float(counts @ influences**2) / (n_items * (n_items - 1)))


def clustered_error(contributions: FloatArray, cluster: IntArray) -> float:
    """Return √(K/(K - 1) Σ u²) over K clusters, u being the sum of the contributions of the items of a cluster.

    A contribution is an influence divided by the number of items. Items of one cluster may depend on each other.
    """
    sums = np.bincount(cluster, weights=contributions)
    return math.sqrt(len(sums) / (len(sums) - 1) * math.fsum(sums**2))
