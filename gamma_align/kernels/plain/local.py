"""Twin of ``rematch``: the unitary alignments cut in two and matched again at best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.kernels.plain.matching import match

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray

_WORTH_JOINING = 1e-9


def rematch(
    begin: IntArray,
    other: IntArray,
    saving: FloatArray,
    annotator: IntArray,
    label: IntArray,
    sides: IntArray,
    width: int,
) -> IntArray:
    """Return the labels after these moves; see `gamma_align.kernels.rematch`."""
    unit = np.repeat(np.arange(len(label)), np.diff(begin))
    for side in sides.reshape(-1, width):
        label = _moved(unit, other, saving, side[annotator], label)
    return label


def _moved(unit: IntArray, other: IntArray, saving: FloatArray, side: IntArray, label: IntArray) -> IntArray:
    groups = int(label.max(initial=-1)) + 1
    across = (side[unit] == 0) & (side[other] == 1)
    key, place = np.unique(label[unit[across]] * groups + label[other[across]], return_inverse=True)
    total = np.bincount(place, weights=saving[across], minlength=len(key))
    count = np.bincount(place, minlength=len(key))
    one, two = np.divmod(key, max(groups, 1))
    of_side = [np.bincount(label[side == which], minlength=groups) for which in (0, 1)]
    joins = (count == of_side[0][one] * of_side[1][two]) & (1.0 + total > _WORTH_JOINING)
    column = two[joins]
    edge, _, _ = match(np.searchsorted(one[joins], np.arange(groups + 1)), column, 1.0 + total[joins], groups)
    partner = np.arange(groups, 2 * groups)
    row = np.flatnonzero(edge >= 0)
    partner[column[edge[row]]] = row
    now = np.where(side == 1, partner[label], label)
    _, first, dense = np.unique(now, return_index=True, return_inverse=True)
    numbered: IntArray = np.argsort(np.argsort(first, kind="stable"), kind="stable")[dense]
    return numbered
