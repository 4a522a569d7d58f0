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


def rematched(batch: Batch, table: FloatArray, label: IntArray) -> IntArray:
    """Return the label of each unit in an alignment of one instance at least as good as that of `label`."""
    label = label.copy()
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
    label[units] = label.max(initial=0) + 1 + np.arange(len(units))  # each a label of its own
    joins = gain[rows, columns] > -1.0
    label[units[columns[joins]]] = groups[rows[joins]]
    same = label[:, None] == label[None, :]
    return float((same.sum(axis=1) - 1.0).sum() / 2 + table[same & ~np.eye(len(label), dtype=np.bool_)].sum() / 2)


def columns_of(batch: Batch, label: IntArray, table: FloatArray) -> Columns:
    """Return the unitary alignments of two units and more as columns."""
    groups = [np.flatnonzero(label == one) for one in np.unique(label)]
    return _columns([group[np.argsort(batch.annotator[group])] for group in groups], table)


def _columns(groups: list[IntArray], table: FloatArray) -> Columns:
    """Return these unitary alignments, but for lone units, as columns, each once."""
    by_size: dict[int, list[IntArray]] = {}
    for group in groups:
        if len(group) > 1:
            by_size.setdefault(len(group), []).append(group)
    members = [np.unique(np.stack(rows), axis=0) for _, rows in sorted(by_size.items())]
    costs = [1.0 - np.array([np.triu(table[np.ix_(row, row)], 1).sum() for row in rows]) for rows in members]
    return Columns.of(members, costs)


def neighbourhood(batch: Batch, label: IntArray, table: FloatArray, most: int) -> Columns:
    """Return the unitary alignments of `label`, and those that differ from one by a unit left out, added or swapped.

    At most `most` units of each annotator are tried with each unitary alignment.
    """
    groups = [np.flatnonzero(label == one) for one in np.unique(label)]
    columns = _columns([column for group in groups for column in _near(batch, group, table, most)], table)
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
