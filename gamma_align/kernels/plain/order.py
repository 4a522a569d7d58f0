"""Plain ``canonical_order``: sort units within their instances."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray, IntArray


def canonical_order(
    n_instances: int, instance: IntArray, start: FloatArray, end: FloatArray, annotator: IntArray, category: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the rows of units sorted by instance, start, end, annotator and category, and the offsets of instances.

    Rows that are equal in all of these keep their order. The offsets have shape (n_instances + 1,).
    """
    order = np.lexsort((category, annotator, end, start, instance))
    return order, np.searchsorted(instance[order], np.arange(n_instances + 1))
