"""Plain ``soften``: soft prices of a packing, by the same operations as src/soft_prices.hpp."""

from __future__ import annotations

import math

import numpy as np

from gamma_align.columns import FloatArray, IntArray, ranges

_FIRST_SETTLING_PASSES = 2  # afterwards few columns are active in the first step
_LAST_SETTLING_PASSES = 3

_REFRESH_STEPS = 4  # steps until the gains and the active columns are computed anew from all columns
_PASSES_PER_STEP = 8
_PARTIAL_SUMS = 4  # that do not wait for each other in the compiled kernel
# of sums of weights: widths far below the losses would reach 0
_MIN_WEIGHT = 1e-300
_MAX_WEIGHT = 1e300
# A column is active in a step if its gain exceeds -max(0.02, 4 · width). In the log-sum of a price, a column that
# gains -4 · width weighs e^-4 = 2 % of one that gains 0.
_MIN_ACTIVE_LOSS = 0.02  # in units of Δ
_ACTIVE_LOSS_IN_WIDTHS = 4.0

# Of the exponential and the logarithm.
_ROUNDING_SHIFT = 6755399441055744.0  # 1.5 · 2^52: the low bits of x + shift are the nearest integer to x
_LOG2_E = 1.4426950408889634
_LN_2 = 0.6931471805599453
_SQRT_HALF = 0.7071067811865476
_MAX_EXPONENT = 700.0
_FLOAT_EXPONENT_BIAS = 1023
_FLOAT_MANTISSA_BITS = 52


def _columns_of_units(offsets: IntArray, units: IntArray, n_units: int) -> list[IntArray]:
    """Return the columns of each unit, ascending."""
    column = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.argsort(units, kind="stable")
    return np.split(column[order], np.cumsum(np.bincount(units, minlength=n_units))[:-1])


def _alternating_units(n_units: int, pass_index: int) -> range:
    """Return the units in the order of a pass: ascending in passes of even index, otherwise descending."""
    if pass_index % 2 == 0:
        return range(n_units)
    return range(n_units - 1, -1, -1)


def _tighten(columns: list[int], gain: list[float], price: float) -> float:
    """Return the lowest price of a unit that none of its columns beats, and adjust the gains of these."""
    best = 0.0
    for column in columns:
        best = max(best, gain[column] + price)
    change = best - price
    if change != 0.0:
        for column in columns:
            gain[column] -= change
    return best


def soften(
    offsets: IntArray, units: IntArray, saving: FloatArray, start: FloatArray, width: float, ratio: float, steps: int
) -> FloatArray:
    """Return prices ≥ 0 that no column beats, but for rounding, near the optimum: from a smoothed dual.

    The dual smoothed by an entropy of width ε is Σ y + ε Σ_S exp((s(S) - Σ y over S) / ε) + ε Σ_u exp(-y_u / ε). Its
    minimum over one price is y_u = ε log(1 + Σ over the columns of u of exp((gain + y_u) / ε)).

    Each step consists of alternating passes over all units at one width; the width is multiplied by `ratio` after each
    step. At one width, e^y / ε and e^gain / ε are weights, and a price is at its minimum if the weights of its unit add
    up to 1: a pass divides the weights of each unit by their sum, and exponentials are computed once a step (iterative
    proportional fitting). `start`, shape (n_units,), are the initial prices. Columns whose gain is far below 0 are
    skipped in a step; every fourth step considers all columns again. Tight passes remove columns that beat the prices:
    before the first step and after the last one.

    References
    ----------
    Savchynskyy, Kappes, Schmidt & Schnörr 2011, A study of Nesterov's scheme for Lagrangian decomposition and MAP
    labeling, CVPR (the smoothed dual); Sinkhorn 1967 (iterative proportional fitting).
    """
    n_units = len(start)
    unit_columns = _columns_of_units(offsets, units, n_units)
    price = _settle(offsets, units, saving, unit_columns, start.tolist(), _FIRST_SETTLING_PASSES)
    active = np.arange(len(saving))
    for step in range(steps):
        if step % _REFRESH_STEPS == 0:
            active = np.arange(len(saving))
        gain = _gains(offsets, units, saving, np.array(price))[active]
        is_active = gain > -max(_MIN_ACTIVE_LOSS, _ACTIVE_LOSS_IN_WIDTHS * width)
        active = active[is_active]
        gain = gain[is_active]
        _take_soft_step(price, offsets, units, active, gain, width)
        width *= ratio
    return np.array(_settle(offsets, units, saving, unit_columns, price, _LAST_SETTLING_PASSES), dtype=np.float64)


def _settle(
    offsets: IntArray,
    units: IntArray,
    saving: FloatArray,
    unit_columns: list[IntArray],
    price: list[float],
    passes: int,
) -> list[float]:
    """Return prices that no column beats, by alternating tight passes."""
    gain = _gains(offsets, units, saving, np.array(price)).tolist()
    column_lists = [columns.tolist() for columns in unit_columns]
    for index in range(passes):
        for unit in _alternating_units(len(price), index):
            price[unit] = _tighten(column_lists[unit], gain, price[unit])
    return price


def _gains(offsets: IntArray, units: IntArray, saving: FloatArray, price: FloatArray) -> FloatArray:
    """Return the gain of each column: its saving less the prices of its units, subtracted in the order of the units."""
    gain = saving.copy()
    sizes = np.diff(offsets)
    for position in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > position)
        gain[rows] -= price[units[offsets[rows] + position]]
    return gain


def _take_soft_step(
    price: list[float], offsets: IntArray, units: IntArray, active: IntArray, gain: FloatArray, width: float
) -> None:
    """Change the prices by alternating passes at one width over these active columns, which have these gains."""
    scale = 1.0 / width
    sizes = np.diff(offsets)[active]
    active_offsets = np.concatenate([[0], np.cumsum(sizes)])
    columns_of_unit = [
        columns.tolist()
        for columns in _columns_of_units(active_offsets, units[ranges(offsets[active], sizes)], len(price))
    ]
    weight = exponential(gain * scale).tolist()
    weight_alone = exponential(-np.array(price) * scale).tolist()
    factor = [1.0] * len(price)
    for index in range(_PASSES_PER_STEP):
        for unit in _alternating_units(len(price), index):
            if not columns_of_unit[unit]:
                continue
            total = _sum_in_parts(weight_alone[unit], [weight[column] for column in columns_of_unit[unit]])
            change = 1.0 / max(total, _MIN_WEIGHT)
            weight_alone[unit] *= change
            factor[unit] *= change
            for column in columns_of_unit[unit]:
                weight[column] *= change
    for unit, columns in enumerate(columns_of_unit):
        logarithm = _logarithm(min(max(factor[unit], _MIN_WEIGHT), _MAX_WEIGHT))
        price[unit] = max(price[unit] - width * logarithm, 0.0) if columns else 0.0


def _sum_in_parts(start: float, values: list[float]) -> float:
    """Return the sum of the start and the values, added in the order of the compiled kernel."""
    parts = [start, 0.0, 0.0, 0.0]
    n_even = len(values) - len(values) % _PARTIAL_SUMS
    for index, value in enumerate(values):
        parts[index % _PARTIAL_SUMS if index < n_even else 0] += value
    return (parts[0] + parts[1]) + (parts[2] + parts[3])


def exponential(x: FloatArray) -> FloatArray:
    """Return e^x to about seven digits, between e^-700 and e^700.

    Only additions, multiplications and operations on bits are used, which give the same result on every machine.
    """
    x = np.minimum(np.maximum(x, -_MAX_EXPONENT), _MAX_EXPONENT)
    shifted = x * _LOG2_E + _ROUNDING_SHIFT
    r = x - (shifted - _ROUNDING_SHIFT) * _LN_2
    p = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720))))))
    power: FloatArray = ((shifted.view(np.int64) + _FLOAT_EXPONENT_BIAS) << _FLOAT_MANTISSA_BITS).view(np.float64)
    return p * power


def _logarithm(x: float) -> float:
    """Return log x of a normal number > 0, by the series of artanh; see `exponential`."""
    m, exponent = math.frexp(x)
    if m < _SQRT_HALF:
        m = m * 2.0
        exponent = exponent - 1
    z = (m - 1.0) / (m + 1.0)
    w = z * z
    series = 1.0 + w * (1 / 3 + w * (1 / 5 + w * (1 / 7 + w * (1 / 9))))
    return exponent * _LN_2 + 2.0 * z * series
