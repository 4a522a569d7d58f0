"""A good alignment to begin column generation with: annotator by annotator, re-matched until nothing improves.

Taking one annotator's units out of an alignment and putting them back at best is an assignment problem: a unit u may
join a unitary alignment S, which saves 1 + Σ w(u, ·) over S, or stay alone. No optimality is claimed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.tuples import Columns

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.alignment.candidates import Pairs
    from gamma_align.batch import Batch

_NEVER = -1e6
_PASSES = 30


def dense_savings(pairs: Pairs, n_units: int) -> FloatArray:
    """Return w of every two units, very low where they are no candidate pair, shape (n_units, n_units)."""
    table = np.full((n_units, n_units), _NEVER)
    table[pairs.first, pairs.second] = pairs.saving
    table[pairs.second, pairs.first] = pairs.saving
    return table


def rematched(batch: Batch, table: FloatArray) -> IntArray:
    """Return the label of each unit of one instance's alignment, from all units alone."""
    label = np.arange(batch.n_units)
    saved = -1.0
    for _ in range(_PASSES):
        total = 0.0
        for annotator in np.unique(batch.annotator).tolist():
            total = _rematch(label, np.flatnonzero(batch.annotator == annotator), table)
        if total <= saved + 1e-12:
            break
        saved = total
    return label


def _rematch(label: IntArray, units: IntArray, table: FloatArray) -> float:
    """Put these units of one annotator back at best, changing `label`; return what the alignment then saves."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  (scipy takes its time to import)

    others = np.setdiff1d(np.arange(len(label)), units)
    groups, place = np.unique(label[others], return_inverse=True)
    gain = np.zeros((len(groups), len(units)))
    np.add.at(gain, place, table[np.ix_(others, units)])
    rows, columns = linear_sum_assignment(np.maximum(gain + 1.0, 0.0), maximize=True)
    label[units] = len(label) + units  # a label of its own
    joins = gain[rows, columns] > -1.0
    label[units[columns[joins]]] = groups[rows[joins]]
    same = label[:, None] == label[None, :]
    return float((same.sum(axis=1) - 1.0).sum() / 2 + table[same & ~np.eye(len(label), dtype=np.bool_)].sum() / 2)


def neighbourhood(batch: Batch, label: IntArray, table: FloatArray, most: int) -> Columns:
    """Return the unitary alignments of `label`, and those that differ from one by a unit left out, added or swapped.

    At most `most` units of each annotator are tried with each unitary alignment.
    """
    members: dict[int, list[IntArray]] = {}
    groups = [np.flatnonzero(label == one) for one in np.unique(label)]
    for group in groups:
        for column in _near(batch, group, table, most):
            if len(column) > 1:
                members.setdefault(len(column), []).append(column)
    stacked = [np.unique(np.stack(rows), axis=0) for _, rows in sorted(members.items())]
    costs = [
        1.0 - np.array([table[np.ix_(row, row)][np.triu_indices(len(row), 1)].sum() for row in rows])
        for rows in stacked
    ]
    columns = Columns.of(stacked, costs)
    return columns.take(columns.cost < columns.sizes)


def _near(batch: Batch, group: IntArray, table: FloatArray, most: int) -> list[IntArray]:
    by_annotator = group[np.argsort(batch.annotator[group])]
    found = [by_annotator, *(np.delete(by_annotator, at) for at in range(len(group)))]
    for annotator in range(int(batch.n_annotators[0])):
        rest = by_annotator[batch.annotator[by_annotator] != annotator]
        if not len(rest):
            continue
        gain = table[rest].sum(axis=0)
        gain[batch.annotator != annotator] = _NEVER
        for unit in np.argsort(-gain, kind="stable")[:most].tolist():
            if gain[unit] > -1.0:
                column = np.append(rest, unit)
                found.append(column[np.argsort(batch.annotator[column])])
    return found
