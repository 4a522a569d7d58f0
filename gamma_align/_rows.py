"""Ranges, runs and chunks of rows: what code without loops counts with."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gamma_align._types import FloatArray, IntArray


def ranges(first: IntArray | int, counts: IntArray) -> IntArray:
    """Return first[0], first[0]+1, … (counts[0] numbers), first[1], …: many ranges as one array."""
    total = int(counts.sum())
    begins = np.cumsum(counts) - counts
    steps: IntArray = np.arange(total) - np.repeat(begins - first, counts)
    return steps


def pairs_in_runs(offsets: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return run, i and j of every two rows i ≤ j of each run, in the order of i, then of j.

    The rows of run r are those from offsets[r] to offsets[r + 1].
    """
    run = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    row = np.arange(len(run)) + offsets[0]
    partners = offsets[1:][run] - row
    return np.repeat(run, partners), np.repeat(row, partners), ranges(row, partners)


def rank_in_runs(values: IntArray) -> IntArray:
    """Return the rank of each of sorted `values` among its equals: 0, 1, … in every run."""
    begins = np.flatnonzero(np.diff(values, prepend=-1))
    ranks: IntArray = np.arange(len(values)) - np.repeat(begins, np.diff(np.append(begins, len(values))))
    return ranks


def chunks(sizes: IntArray | FloatArray, most: int) -> list[tuple[int, int]]:
    """Return (first, last + 1) of stretches of rows, each of about `most` in all."""
    if not len(sizes):
        return []
    total = np.cumsum(sizes, dtype=np.float64)
    marks = np.arange(1, total[-1] // most + 1) * most
    return list(pairwise(np.unique([0, *np.searchsorted(total, marks) + 1, len(sizes)]).tolist()))


def grouped_sums(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Return the sum of each group, shape (n_groups,), its values added in their order: the same on every machine."""
    return np.bincount(group, weights=values, minlength=n_groups).astype(np.float64)


def ordered_sum(values: FloatArray) -> float:
    """Return the sum of values, added in their order: the same on every machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
