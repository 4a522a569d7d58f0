"""uα where each category is a layer of its own, for units that overlap.

On its layer a category has but itself and gaps, so uα of a layer is its |uα, and values never meet. Over all layers, uα
is 1 - Σ observed / Σ expected disagreement, as the older αU sums its categories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.distances.metric import NominalMetric, column_sums
from gamma_align.unitizing.measures import Disagreement, measures
from gamma_align.unitizing.sums import Sums

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray


class Layers(NamedTuple):
    """uα of layers for several sets of data.

    Attributes
    ----------
    layer : ndarray of int64, shape (n_layers,)
        Codes of the layers that occur.
    total : ndarray of float64, shape (n_sets,)
        l.. of one layer.
    length : ndarray of float64, shape (n_layers, n_sets)
        Length of the units of each.
    each : Disagreement
        Of each layer, shape (n_layers, n_sets).
    u : Disagreement
        Of all, shape (n_sets,).
    """

    layer: IntArray
    total: FloatArray
    length: FloatArray
    each: Disagreement
    u: Disagreement


def layer_measures(sums: Sums) -> Layers:
    """Return uα of every layer and of all, from sums whose values are 2k (units) and 2k + 1 (gaps)."""
    layer = np.unique(sums.values // 2)
    size = len(layer), sums.lengths.shape[1]
    at = np.searchsorted(layer, sums.values[sums.first] // 2)
    kind = sums.values[sums.first] % 2 + sums.values[sums.second] % 2  # units, a unit and a gap, gaps
    cells = np.zeros((3, *size))
    cells[kind, at] = sums.lengths
    own = np.zeros(size)
    unit = np.flatnonzero(sums.values % 2 == 0)
    own[np.searchsorted(layer, sums.values[unit] // 2)] = sums.own[unit]
    found = measures(
        Sums(
            values=np.zeros(1, dtype=np.int64),
            first=np.array([0, 0, 1]),
            second=np.array([0, 1, 1]),
            lengths=cells.reshape(3, -1),
            own=own.reshape(1, -1),
            own_met=np.zeros((1, own.size)),
        ),
        NominalMetric(),
    )
    each = Disagreement(found.u.observed.reshape(size), found.u.expected.reshape(size))
    # a layer without a single length, in a block of documents without it, has nothing to add
    observed, expected = (column_sums(np.where(found.total.reshape(size) > 0, part, 0.0)) for part in each)
    return Layers(
        layer,
        found.total.reshape(size).max(axis=0, initial=0.0),
        found.length_k.reshape(size),
        each,
        Disagreement(observed, expected),
    )
