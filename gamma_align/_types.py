"""Array types, and codes of what is not there, used throughout."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.signedinteger[Any]]
"""Codes of categories, in whatever width holds them."""

UNLABELLED = -1
"""Code of a unit without a category."""
MISSING = UNLABELLED
"""Code of a judgment that is not there."""


def frozen(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return `array` made read-only, so that a column cannot change behind its validation."""
    array.flags.writeable = False
    return array
