"""Array types, codes of what is not there, and equality of what holds arrays: used throughout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
WordArray = npt.NDArray[np.uint64]
"""Random words of 64 bits."""
CodeArray = npt.NDArray[np.signedinteger[Any]]
"""Codes of categories, in whatever width holds them."""

UNLABELLED = -1
"""Code of a unit without a category."""
MISSING = UNLABELLED
"""Code of a judgment that is not there."""


def distinct(codes: IntArray) -> IntArray:
    """Return what occurs among `codes`, sorted."""
    return np.unique(codes, return_counts=True)[0]  # without the counts NumPy would import its masked arrays


def frozen(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return `array` made read-only, so that a column cannot change behind its validation."""
    array.flags.writeable = False
    return array


def equal(first: Any, second: Any) -> bool:  # noqa: ANN401  (whatever a corpus or a result holds)
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
