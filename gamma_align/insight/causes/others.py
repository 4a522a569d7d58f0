"""What the other annotators have where an annotator has a unit or none: their label, their words, their bounds."""

from __future__ import annotations

import numpy as np

from gamma_align.columns import FloatArray, IntArray, order_in_runs

NONE_OF_THEM = -1
"""Code of the others if none of them has one."""
NO_LABEL_IN_COMMON = -2
"""Code of the label of the others if no label has the majority of their units."""


def most_frequent_of_others(
    group: IntArray, code: IntArray, row_group: IntArray, own_code: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the most frequent code of each row's group without the row's own code, and how many have it.

    `group` and `code` belong to units; codes below 0 are not counted. `own_code` is below 0 if the row has no unit. The
    largest code is returned if several are equally frequent.
    """
    is_known = code >= 0
    width = int(code.max(initial=0)) + 1
    keys, counts = np.unique(group[is_known] * width + code[is_known], return_counts=True)
    key_group = keys // width
    key_code = keys % width
    order = np.lexsort((key_code, counts, key_group))
    key_group = key_group[order]
    key_code = key_code[order]
    counts = counts[order]
    ends = np.cumsum(np.bincount(key_group, minlength=int(group.max(initial=-1)) + 1))
    last = ends[row_group] - 1
    first = np.append(0, ends)[row_group]
    # Without the own code, the most frequent one remains so or is the second one.
    has_first = last >= first
    has_second = last > first
    if not len(keys):
        return np.full(len(row_group), NONE_OF_THEM), np.zeros(len(row_group), dtype=np.int64)
    top = np.maximum(last, 0)
    second = np.maximum(last - 1, 0)
    is_own = has_first & (key_code[top] == own_code)
    top_count = np.where(has_first, counts[top] - is_own, 0)
    second_count = np.where(has_second, counts[second], 0)
    is_second = is_own & (
        (second_count > top_count) | ((second_count == top_count) & (key_code[second] > key_code[top]))
    )
    best_count = np.where(is_second, second_count, top_count)
    best = np.where(is_second, key_code[second], key_code[top])
    return np.where(best_count > 0, best, NONE_OF_THEM), best_count


def extremes_of_others(
    group: IntArray, value: FloatArray, unit: IntArray, row_group: IntArray, own_unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value of the units of each row's group, without the row's own unit.

    `group`, ascending, and `value` belong to the units `unit`. If no other unit is in the group, the own one counts.
    """
    begins_group = np.diff(group, prepend=-1) != 0
    order = order_in_runs(begins_group, value)
    ordered = unit[order]
    ordered_value = value[order]
    all_ends = np.cumsum(np.bincount(group))
    begins = np.append(0, all_ends)[row_group]
    ends = all_ends[row_group] - 1
    is_single = begins == ends
    # Without the own unit, the least is the first or the second one.
    lowest = np.where((ordered[begins] == own_unit) & ~is_single, np.minimum(begins + 1, ends), begins)
    largest = np.where((ordered[ends] == own_unit) & ~is_single, np.maximum(ends - 1, begins), ends)
    return ordered_value[lowest], ordered_value[largest]
