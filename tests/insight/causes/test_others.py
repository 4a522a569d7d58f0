"""What the other annotators have in a row is what a count without the row's own unit gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.insight.causes.others import NONE_OF_THEM, extremes_of_others, most_frequent_of_others

GROUPS = st.lists(st.lists(st.integers(-1, 3), min_size=1, max_size=6), min_size=1, max_size=5)


@given(GROUPS)
def test_the_most_frequent_code_of_the_others(groups):
    group = np.repeat(np.arange(len(groups)), [len(codes) for codes in groups])
    code = np.concatenate(groups).astype(np.int64)
    best, counts = most_frequent_of_others(group, code, group, code)
    for row in range(len(code)):
        others = [other for index, other in enumerate(code.tolist()) if group[index] == group[row] and index != row]
        others = [other for other in others if other >= 0]
        expected = max(others, key=lambda other: (others.count(other), other), default=NONE_OF_THEM)
        assert (best[row], counts[row]) == (expected, others.count(expected))


@given(GROUPS)
def test_the_most_frequent_code_if_there_is_no_own_unit(groups):
    group = np.repeat(np.arange(len(groups)), [len(codes) for codes in groups])
    code = np.concatenate(groups).astype(np.int64)
    rows = np.arange(len(groups))
    best, _ = most_frequent_of_others(group, code, rows, np.full(len(rows), -1))
    for row, codes in enumerate(groups):
        known = [other for other in codes if other >= 0]
        assert best[row] == max(known, key=lambda other: (known.count(other), other), default=NONE_OF_THEM)


@given(GROUPS)
def test_the_extremes_of_the_others(groups):
    group = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
    value, unit = np.concatenate(groups).astype(np.float64), np.arange(len(group))
    least, largest = extremes_of_others(group, value, unit, group, unit)
    for row in range(len(unit)):
        others = value[(group == group[row]) & (unit != row)]
        others = others if len(others) else value[[row]]
        assert (least[row], largest[row]) == (others.min(), others.max())
