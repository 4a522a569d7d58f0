"""The positional dissimilarity, with the same bits in the plain and in the compiled kernels (M15 §4.2)."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray


def sporadic(start: FloatArray, end: FloatArray, other_start: FloatArray, other_end: FloatArray) -> FloatArray:
    """Return d_pos / Δ of pairs of units: ((|Δstart| + |Δend|) / (sum of lengths))², shape (n_pairs,).

    For two units without length it is 0 if they coincide, otherwise infinite: they are never aligned.
    """
    difference = np.abs(start - other_start) + np.abs(end - other_end)
    lengths = (end - start) + (other_end - other_start)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio: FloatArray = np.square(difference / lengths)
    ratio[difference == 0.0] = 0.0  # 0/0 if both units have no length
    return ratio
