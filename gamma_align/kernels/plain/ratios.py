"""Plain ``overlap_ratios``: the categorial disorder of the overlapping units of two shifted rows, by offset.

The rows are on a circle, one is moved by an offset, and no seam divides a pair. Two units *overlap* if their pairing
confidence 1 - f · d_pos / Δ is positive. At each offset the ratio is Σ confidence · d_cat / Δ over Σ confidence of all
pairs that overlap, whether an alignment contains them or not.
"""

from __future__ import annotations

import math

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.kernels.plain.turns import MIN_CONFIDENCE


def overlap_ratios(
    rows: IntArray,
    last: FloatArray,
    group: IntArray,
    at: IntArray,
    start: FloatArray,
    length: FloatArray,
    label: IntArray,
    categorial: FloatArray,
    n_labels: int,
    span: float,
    begin: float,
    step: float,
    factor: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the ratios of groups of two rows of one document at points, and their sums over offsets at equal steps.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_groups * 5,)
        For each group: begin and end of the units of the first row, and of the second row; the number of offsets.
    last : ndarray of float64, shape (n_groups,)
        What the last offset of each group counts in sums; the others count 1.
    group, at : ndarray of int64, shape (n_points,)
        Group and index of the offset of each point.
    start, length, label : ndarray, shape (n_units,)
        Units of the rows: start from 0 to the span, length, and index of the label.
    categorial : ndarray of float64, shape (n_labels * n_labels,)
        d_cat / Δ between the labels, row by row.
    n_labels, span, begin, step
        The number of labels; the length of the circle; the first offset, and the step from one to the next.
    factor : float
        f of the pairing confidence.

    Returns
    -------
    ratios : ndarray of float64, shape (n_points, n_labels + 1)
        The ratio over all pairs, then over the pairs with a unit of each label; NaN if no such units overlap.
    sums : ndarray of float64, shape (n_groups * (n_labels + 1), 2)
        For each group, of all pairs and of each label: Σ count · ratio and Σ count over the offsets with a ratio.
    """
    ratios, sums = np.full((len(group), n_labels + 1), np.nan), np.zeros((len(last), n_labels + 1, 2))
    for index, last_count in enumerate(last.tolist()):
        first_begin, first_end, second_begin, second_end, n_offsets = rows[5 * index : 5 * index + 5].tolist()
        first, second = np.arange(first_begin, first_end), np.arange(second_begin, second_end)
        u, v = first.repeat(len(second)), np.tile(second, len(first))
        steps = np.arange(n_offsets) * step
        pair, offset, confidence = _overlaps(start[v] - start[u] + begin, length[u], length[v], steps, span, factor)
        distance = categorial[label[u] * n_labels + label[v]][pair]
        # Row 0 of the sums has all pairs, and each label a row of its own.
        row, other_row = label[u][pair] + 1, label[v][pair] + 1
        is_in = np.ones((len(pair), 3), dtype=np.bool_)
        is_in[:, 2] = other_row != row
        cell = (np.stack([np.zeros_like(row), row, other_row], axis=1) * n_offsets + offset[:, None])[is_in]
        terms = (np.repeat(column[:, None], 3, axis=1)[is_in] for column in (confidence, confidence * distance))
        weight, total = (np.bincount(cell, term, (n_labels + 1) * n_offsets) for term in terms)
        with np.errstate(invalid="ignore"):
            ratio = np.where(weight > 0.0, total / weight, np.nan).reshape(n_labels + 1, n_offsets)
        is_here = group == index
        ratios[is_here] = ratio.T[at[is_here]]
        count = np.where(np.isnan(ratio), 0.0, np.append(np.ones(n_offsets - 1), last_count))
        # One after the other, as the compiled kernel does.
        columns = (np.nan_to_num(ratio) * count).cumsum(axis=1)[:, -1], count.cumsum(axis=1)[:, -1]
        sums[index] = np.stack(columns, axis=1)
    return ratios, sums.reshape(-1, 2)


def _overlaps(
    apart: FloatArray, length: FloatArray, other_length: FloatArray, steps: FloatArray, span: float, factor: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs that overlap, the index of the step at which they do, and their confidence, sorted by pair.

    The starts of the units of each pair are `apart` before the first step.
    """
    total, shift = (length + other_length)[:, None], (other_length - length)[:, None]
    farthest = np.abs(apart).max(initial=0.0) + steps.max(initial=0.0) + total.max(initial=0.0)
    parts = []
    for turn in range(-math.ceil(farthest / span), math.ceil(farthest / span) + 1):
        between = (apart - turn * span)[:, None] + steps
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (np.abs(between) + np.abs(between + shift)) * (1.0 / total)
        ratio = np.where(total == 0.0, np.where(between == 0.0, 0.0, np.inf), ratio)
        confidence = 1.0 - factor * (ratio * ratio)
        pair, at = (confidence > MIN_CONFIDENCE).nonzero()
        parts.append((pair, at, confidence[pair, at]))
    pair, at, confidence = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = pair.argsort(kind="stable")
    return pair[order], at[order], confidence[order]
