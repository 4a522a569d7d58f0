"""Twin of ``linked``: connected components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import IntArray


def linked(offsets: IntArray, units: IntArray, n_units: int) -> IntArray:
    """Return the part of each unit; see `gamma_align.kernels.linked`."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (scipy takes its time to import)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    first = np.repeat(units[offsets[:-1]], np.diff(offsets))
    links = csr_matrix((np.ones(len(first), dtype=np.int8), (first, units)), shape=(n_units, n_units))
    found: IntArray = connected_components(links, directed=False)[1].astype(np.int64)
    _, lowest = np.unique(found, return_index=True)
    rank = np.empty(len(lowest), dtype=np.int64)
    rank[np.argsort(lowest)] = np.arange(len(lowest))
    label: IntArray = rank[found]
    return label
