"""Twin of ``ascend``: dual ascent, operation by operation that of src/ascent.hpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray


def ascend(offsets: IntArray, units: IntArray, saving: FloatArray, n_units: int, passes: int) -> FloatArray:
    """Return dual prices; see `gamma_align.kernels.ascend`."""
    columns_of: list[list[int]] = [[] for _ in range(n_units)]
    column = np.repeat(np.arange(len(saving)), np.diff(offsets))
    for unit, at in zip(units.tolist(), column.tolist(), strict=True):
        columns_of[unit].append(at)
    price, gain = [0.0] * n_units, saving.tolist()
    for number in range(passes + 2):
        order = range(n_units) if number % 2 == 0 else range(n_units - 1, -1, -1)
        for unit in order:
            if columns_of[unit]:
                price[unit] = _step(columns_of[unit], gain, price[unit], tight=number >= passes)
    return np.array(price, dtype=np.float64)


def _step(columns: list[int], gain: list[float], price: float, *, tight: bool) -> float:
    """Return the new price of a unit of these columns, whose gains it changes."""
    best = second = 0.0
    for column in columns:
        here = gain[column] + price
        if here > best:
            best, second = here, best
        elif here > second:
            second = here
    new = best if tight else 0.5 * (best + second)
    change = new - price
    if change != 0.0:
        for column in columns:
            gain[column] -= change
    return new
