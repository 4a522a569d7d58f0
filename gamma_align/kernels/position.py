"""The positional dissimilarity, as the kernels compute it too: the same digits everywhere (M15 §4.2)."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray


def sporadic(start: FloatArray, end: FloatArray, other_start: FloatArray, other_end: FloatArray) -> FloatArray:
    """Return d_pos / Δ of pairs of units: ((|Δstart| + |Δend|) / (sum of lengths))², shape (n_pairs,).

    Two units without length: 0 where they coincide, otherwise infinite (never aligned).
    """
    apart = np.abs(start - other_start) + np.abs(end - other_end)
    lengths = (end - start) + (other_end - other_start)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio: FloatArray = np.square(apart / lengths)
    ratio[apart == 0.0] = 0.0
    return ratio
