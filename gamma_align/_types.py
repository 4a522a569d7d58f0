"""Array types used throughout."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def frozen(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return `array` made read-only, so that a column cannot change behind its validation."""
    array.flags.writeable = False
    return array
