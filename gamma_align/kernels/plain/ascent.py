"""Twins of ``ascend`` and ``soften``, dual prices: operation by operation those of src/ascent.hpp."""

from __future__ import annotations

import math

import numpy as np

from gamma_align.columns import FloatArray, IntArray

_EVERY, _PASSES = 4, 4
_LEAST_NEAR = 0.02


def ascend(offsets: IntArray, units: IntArray, saving: FloatArray, n_units: int, passes: int) -> FloatArray:
    """Return prices ≥ 0 that, but for rounding, no column beats: saving ≤ Σ price over its units.

    Each pass moves every unit's price to the middle of its two best choices (a column, or to stay alone), which
    never worsens the bound Σ price + Σ max(0, saving - Σ price); passes go to and fro. Two more passes make the
    prices ones that no column beats, and as low as their neighbours allow. The prices of units that no column links
    do not depend on each other.

    References
    ----------
    Min-marginal averaging: Werner 2007, IEEE TPAMI 29(7); Wedelin 1995, Annals of Operations Research 57.
    """
    columns_of = [columns.tolist() for columns in _columns_of(offsets, units, n_units)]
    price, gain = [0.0] * n_units, saving.tolist()
    for number in range(passes + 2):
        for unit in _to_and_fro(n_units, number):
            if columns_of[unit]:
                price[unit] = _step(columns_of[unit], gain, price[unit], tight=number >= passes)
    return np.array(price, dtype=np.float64)


def _columns_of(offsets: IntArray, units: IntArray, n_units: int) -> list[IntArray]:
    """Return the columns of each unit, ascending."""
    column = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.argsort(units, kind="stable")
    return np.split(column[order], np.cumsum(np.bincount(units, minlength=n_units))[:-1])


def _to_and_fro(n_units: int, number: int) -> range:
    return range(n_units) if number % 2 == 0 else range(n_units - 1, -1, -1)


def _step(columns: list[int], gain: list[float], price: float, *, tight: bool) -> float:
    """Return the new price of a unit of these columns, whose gains it changes."""
    best = second = 0.0
    for column in columns:
        value = gain[column] + price
        if value > best:
            best, second = value, best
        elif value > second:
            second = value
    new = best if tight else 0.5 * (best + second)
    change = new - price
    if change != 0.0:
        for column in columns:
            gain[column] -= change
    return new


def soften(
    offsets: IntArray, units: IntArray, saving: FloatArray, start: FloatArray, width: float, ratio: float, steps: int
) -> FloatArray:
    """Return prices ≥ 0 that, but for rounding, no column beats, near the best ones: from a smoothed dual.

    The dual smoothed by an entropy of width ε is Σ y + ε Σ_S exp((s(S) - Σ y over S) / ε) + ε Σ_u exp(-y_u / ε). Its
    least value in one price alone is in closed form y_u = ε log(1 + Σ over columns of u of exp((gain + y_u) / ε)).
    Each step has passes to and fro over all units at one width, and the next is `ratio` times as wide. `start`, shape
    (n_units,), are the prices to begin with; columns far from the best take no part in a step, and all are looked at
    again every fourth. Passes as the last ones of `ascend` make the prices ones that no column beats, two before the
    first step, so that few columns are near from then on, and three after the last.

    References
    ----------
    Kappes, Savchynskyy & Schnörr 2012, A bundle approach to efficient MAP-inference by Lagrangian relaxation, CVPR (the
    smoothed dual); Sinkhorn 1967 (iterative proportional fitting).
    """
    n_units = len(start)
    columns_of = _columns_of(offsets, units, n_units)
    price = _settled(offsets, units, saving, columns_of, start.tolist(), 2)
    gain, near = saving, columns_of
    for number in range(steps):
        if number % _EVERY == 0:
            gain, near = _gains(offsets, units, saving, np.array(price)), columns_of
        least = -max(_LEAST_NEAR, 4.0 * width)
        near = [columns[gain[columns] > least] for columns in near]
        for count in range(_PASSES):
            for unit in _to_and_fro(n_units, count):
                price[unit] = _soft_step(near[unit], gain, price[unit], width)
        width *= ratio
    return np.array(_settled(offsets, units, saving, columns_of, price, 3), dtype=np.float64)


def _settled(
    offsets: IntArray, units: IntArray, saving: FloatArray, columns_of: list[IntArray], price: list[float], passes: int
) -> list[float]:
    """Return prices that no column beats, by tight passes to and fro."""
    gain, of_unit = _gains(offsets, units, saving, np.array(price)).tolist(), [some.tolist() for some in columns_of]
    for number in range(passes):
        for unit in _to_and_fro(len(price), number):
            price[unit] = _step(of_unit[unit], gain, price[unit], tight=True)
    return price


def _gains(offsets: IntArray, units: IntArray, saving: FloatArray, price: FloatArray) -> FloatArray:
    """Return what each column gains, its units' prices taken off one after the other."""
    gain, sizes = saving.copy(), np.diff(offsets)
    for position in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > position)
        gain[rows] -= price[units[offsets[rows] + position]]
    return gain


def _soft_step(columns: IntArray, gain: FloatArray, price: float, width: float) -> float:
    """Return the new price of a unit of these columns, whose gains it changes."""
    by = 1.0 / width
    value = gain[columns] + price
    best = float(value.max(initial=0.0))
    parts = _exponential(np.concatenate([[-best * by], (value - best) * by]))
    new = best + width * _logarithm(float(np.cumsum(parts)[-1]))  # in order, unlike `sum`
    gain[columns] -= new - price
    return new


def _exponential(x: FloatArray) -> FloatArray:
    """Return e^x of numbers up to 0, to some seven digits; from e^-60 on downwards that."""
    shift = 6755399441055744.0
    x = np.maximum(x, -60.0)
    shifted = x * 1.4426950408889634 + shift
    r = x - (shifted - shift) * 0.6931471805599453
    p = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720))))))
    power: FloatArray = ((shifted.view(np.int64) + 1023) << 52).view(np.float64)
    return p * power


def _logarithm(x: float) -> float:
    m, exponent = math.frexp(x)
    if m < 0.7071067811865476:  # noqa: PLR2004
        m, exponent = m * 2.0, exponent - 1
    z = (m - 1.0) / (m + 1.0)
    w = z * z
    series = 1.0 + w * (1 / 3 + w * (1 / 5 + w * (1 / 7 + w * (1 / 9))))
    return exponent * 0.6931471805599453 + 2.0 * z * series
