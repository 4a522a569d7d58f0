"""The kernel of ratios over overlapping units: its two kinds against each other to the last bit, and its definition."""

import numpy as np
import pytest
from both_kernels import by_both, by_each_kind, needs_compiled

from gamma_align import kernels

N_LABELS = 3


def make_groups(seed, *, integer):
    """Return arguments of the kernel: four groups of two rows, some with points, empty or with long units."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, 8)
    offsets = np.concatenate([[0], counts.cumsum()])
    span, step = float(rng.integers(5, 60)), float(rng.random() * 3 + 0.2)
    length = rng.random(counts.sum()) ** 2 * span
    length[rng.random(len(length)) < 0.2] = 0.0
    start = rng.random(len(length)) * span
    if integer:
        start, length, step = np.floor(start), np.floor(length), np.ceil(step)
    n_offsets = rng.integers(1, np.ceil(span / step) + 1, 4)
    rows = np.array([offsets[:-1:2], offsets[1::2], offsets[1::2], offsets[2::2], n_offsets]).T.ravel()
    group = np.arange(4).repeat(n_offsets)
    at = np.concatenate([np.arange(n) for n in n_offsets])
    order = rng.permutation(np.repeat(np.arange(len(at)), rng.integers(0, 3, len(at))))  # points in any order, or twice
    units = start, length, rng.integers(0, N_LABELS, len(start)), rng.random(N_LABELS**2)
    return rows, rng.random(4), group[order], at[order], *units, N_LABELS, span, float(rng.integers(0, 3)), step


@needs_compiled
@pytest.mark.parametrize("factor", [1.0, 3.0, 0.4])
@pytest.mark.parametrize("integer", [True, False])
def test_both_kinds_give_the_same_bits(integer, factor):
    n_ratios = 0
    for seed in range(30):
        arguments = make_groups(seed, integer=integer)
        ratios, sums = by_both(kernels.overlap_ratios, *arguments, factor)
        assert ratios.shape == (len(arguments[2]), N_LABELS + 1)
        assert sums.shape == (4 * (N_LABELS + 1), 2)
        n_ratios += np.count_nonzero(~np.isnan(ratios))
    assert n_ratios > 1_000


@by_each_kind
@pytest.mark.parametrize("integer", [True, False])
def test_ratios_are_those_of_the_definition(integer):
    arguments = make_groups(3, integer=integer)
    rows, last, group, at, *units, _, span, begin, step = arguments
    ratios, sums = kernels.overlap_ratios(*arguments, 1.0)
    for index, row in enumerate(rows.reshape(-1, 5).tolist()):
        for k in range(-1, N_LABELS):  # all pairs, then the pairs with a unit of label k
            expected = [ratio_at(row, k, begin + i * step, span, *units) for i in range(row[4])]
            of_group = group == index
            assert ratios[of_group, k + 1] == pytest.approx(np.array(expected)[at[of_group]], abs=1e-9, nan_ok=True)
            counts = np.where(np.isnan(expected), 0.0, [1.0] * (row[4] - 1) + [last[index]])
            total = [(np.nan_to_num(expected) * counts).sum(), counts.sum()]
            assert sums[index * (N_LABELS + 1) + k + 1] == pytest.approx(total)


def ratio_at(row, k, offset, span, start, length, label, categorial):
    """Return the ratio at an offset, over the pairs with a unit of label k, or all if it is -1."""
    weight = distance = 0.0
    for u in range(*row[:2]):
        for v in range(*row[2:4]):
            if k >= 0 and k not in (label[u], label[v]):
                continue
            for turn in range(-4, 5):
                between = start[v] + offset + turn * span - start[u]
                apart, lengths = abs(between) + abs(between + length[v] - length[u]), length[u] + length[v]
                ratio = apart / lengths if lengths else float(2 * (apart > 0))
                confidence = max(1 - ratio**2, 0.0)
                weight += confidence
                distance += confidence * categorial[label[u] * N_LABELS + label[v]]
    return distance / weight if weight > 1e-9 else np.nan
