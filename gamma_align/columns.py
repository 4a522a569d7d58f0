"""Arrays of the package: their types, codes of missing values, equality, and counting by ranges, runs and groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
WordArray = npt.NDArray[np.uint64]
"""Random words of 64 bits."""
CodeArray = npt.NDArray[np.signedinteger[Any]]
"""Codes or counts, in any width that holds them."""

UNLABELLED = -1
"""Code of a unit without a category."""
MISSING = UNLABELLED
"""Code of a missing judgment."""


def distinct(codes: IntArray) -> IntArray:
    """Return the different values of `codes`, sorted."""
    return np.unique(codes, return_counts=True)[0]  # without the counts NumPy would import its masked arrays


def frozen(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Make `array` read-only, so that a column cannot change after its validation, and return it."""
    array.flags.writeable = False
    return array


def equal(first: Any, second: Any) -> bool:  # noqa: ANN401  (any value of a corpus or a result)
    """Return whether two values are the same, field by field and element by element; NaN equals NaN."""
    if type(first) is not type(second):
        return False
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if is_dataclass(first):
        return all(equal(getattr(first, field.name), getattr(second, field.name)) for field in fields(first))
    if isinstance(first, Mapping):
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(equal, first, second))
    return bool(first == second or (first != first and second != second))  # noqa: PLR0124  (NaN alone differs from itself)


def ranges(first: IntArray | int, counts: IntArray) -> IntArray:
    """Return first[0], first[0] + 1, … (counts[0] numbers), first[1], …: many ranges as one array."""
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
    """Return the rank of each of the sorted `values` among equal ones: 0, 1, … in every run."""
    begins = np.flatnonzero(np.diff(values, prepend=-1))
    ranks: IntArray = np.arange(len(values)) - np.repeat(begins, np.diff(np.append(begins, len(values))))
    return ranks


def chunks(sizes: IntArray | FloatArray, chunk_size: int) -> list[tuple[int, int]]:
    """Divide rows of these sizes into chunks of about `chunk_size` each; return (first, last + 1) of each chunk."""
    if not len(sizes):
        return []
    total = np.cumsum(sizes, dtype=np.float64)
    marks = np.arange(1, total[-1] // chunk_size + 1) * chunk_size
    return list(pairwise(np.unique([0, *np.searchsorted(total, marks) + 1, len(sizes)]).tolist()))


def grouped_sums(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Return the sum of each group, shape (n_groups,).

    Values are added in their order, so that every machine gives the same bits.
    """
    return np.bincount(group, weights=values, minlength=n_groups).astype(np.float64)


def ordered_sum(values: FloatArray) -> float:
    """Return the sum of values, added in their order, so that every machine gives the same bits."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
