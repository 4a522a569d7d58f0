"""Twin of ``canonical_order``: units sorted within their instances."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray, IntArray


def canonical_order(
    n_instances: int, instance: IntArray, start: FloatArray, end: FloatArray, annotator: IntArray, category: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the rows of units sorted by instance, start, end, annotator, category, and where each instance begins.

    Rows that are the same in all of these stay as they stand. The second array has shape (n_instances + 1,).
    """
    order = np.lexsort((category, annotator, end, start, instance))
    return order, np.searchsorted(instance[order], np.arange(n_instances + 1))
