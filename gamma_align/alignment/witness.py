"""The witness: the programme of each instance, over all its useful columns, solved by OR-Tools alone.

1. GLOP solves the linear relaxation; at its prices, every column has a loss (`gamma_align.alignment.search`).
2. SCIP chooses among the columns of little loss. What its choice loses in sum is known then, and a column that loses
   more is in no better one: where that leaves columns to look at, SCIP chooses once more.

With the usual way this shares the listing of columns, not what chooses among them: no matching, no stacks settled
beforehand, no soft prices, no search. So the disorders of both can be held against each other. Where several alignments
are the best, SCIP's own choice stands: of the same disorder, not always that of the tie rule.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gamma_align.alignment.candidates import Columns, Pairs, useful_columns
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import incidence, packing_ip, relax
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.batch import Batch
from gamma_align.errors import SolverError

_NEAR = 0.01  # what columns lose that are looked at first
_PROOF = 1e-9


def by_programmes(batch: Batch, pairs: Pairs, most: int, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Return the columns of the best alignment of each instance, and shares of the units in its proven bound.

    Raises
    ------
    SolverError
        If an instance has more than `most` columns.
    """
    columns, too_many = useful_columns(batch, pairs, np.full(len(batch), most))
    columns = columns.take(np.argsort(batch.instance[columns.first], kind="stable"))
    ends = np.searchsorted(batch.instance[columns.first], np.arange(len(batch) + 1))
    _check_size(batch, (np.diff(ends) > most) | too_many, most)
    chosen, shares = np.zeros(len(columns), dtype=np.bool_), np.ones(batch.n_units)
    for first_unit, n_units, (low, high) in zip(
        batch.offsets.tolist(), np.diff(batch.offsets).tolist(), pairwise(ends.tolist()), strict=False
    ):
        if low < high:
            own = columns.take(np.arange(low, high))
            best, bound = _chosen(own.over(own.units - first_unit), n_units, deadline)
            chosen[low + best] = True
            shares[first_unit] -= n_units - bound
    return columns.take(chosen), shares


def _chosen(columns: Columns, n_units: int, deadline: Deadline) -> tuple[IntArray, float]:
    """Return the best choice of the columns of one instance, and a proven lower bound of its cost."""
    relaxed = relax(columns, n_units)
    paid, reach = float(relaxed.price.sum()), _NEAR
    while True:
        near = np.flatnonzero(relaxed.loss <= reach)
        own = columns.take(near)
        x, most = packing_ip(incidence(own, n_units), own.saving, deadline)
        chosen = near[x > 0.5]  # noqa: PLR2004
        lost, least = paid - float(columns.saving[chosen].sum()), paid - most
        if lost <= reach or least < lost - _PROOF:  # all columns that matter were there, or the programme was cut short
            return chosen, n_units - paid + max(min(least, reach), 0.0)
        reach = lost


def _check_size(batch: Batch, too_many: BoolArray, most: int) -> None:
    if too_many.any():
        instance = int(np.argmax(too_many))
        raise SolverError(
            f"the solver 'ortools' takes {most:,} possible unitary alignments of a document at most, and one of "
            f"{batch.n_annotators[instance]} annotators and {np.diff(batch.offsets)[instance]} units has more; use the "
            "solver 'kernels', or measure fewer annotators at a time or shorter documents"
        )
