"""The witness: OR-Tools alone solves one programme per instance, over all its useful columns.

1. GLOP solves the linear relaxation. At its prices, each column has a loss (`gamma_align.alignment.search`).
2. SCIP selects among the columns of small loss. A column that loses more than this selection in total is in no better
   one. If columns remain that lose less but were not considered, SCIP solves the programme again with them.

The witness shares only the list of columns with the usual solver: it uses no matching, no settled stacks, no soft
prices and no search. So the disorders of both can be compared as a check. If several alignments are the best, the one
of SCIP is returned: it has the same disorder, but need not be the one of the tie rule.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gamma_align.alignment.candidates import Columns, Pairs, incidence, useful_columns
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.lp import packing_ip, relax
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Batch
from gamma_align.errors import Cure, Set, SolverError

_FIRST_MAX_LOSS = 0.01  # in units of Δ; columns that lose more are considered only if needed
_PROOF_TOLERANCE = 1e-9  # in units of Δ
_SELECTED = 0.5  # x of the integer programme is 0 or 1


def solve_by_programmes(batch: Batch, pairs: Pairs, max_columns: int, deadline: Deadline) -> tuple[Columns, FloatArray]:
    """Return the columns of the best alignment of each instance, and its proven bound, divided among the units.

    Raises
    ------
    SolverError
        If an instance has more than `max_columns` columns.
    """
    columns, too_many = useful_columns(batch, pairs, np.full(len(batch), max_columns))
    columns = columns.take(np.argsort(batch.instance[columns.first], kind="stable"))
    ends = np.searchsorted(batch.instance[columns.first], np.arange(len(batch) + 1))
    check_size(batch, (np.diff(ends) > max_columns) | too_many, max_columns)
    is_selected = np.zeros(len(columns), dtype=np.bool_)
    bound = np.ones(batch.n_units)
    for first_unit, n_units, (low, high) in zip(
        batch.offsets.tolist(), np.diff(batch.offsets).tolist(), pairwise(ends.tolist()), strict=False
    ):
        if low < high:
            instance_columns = columns.take(np.arange(low, high))
            instance_columns = instance_columns.with_units(instance_columns.units - first_unit)
            best, instance_bound = _best_selection(instance_columns, n_units, deadline)
            is_selected[low + best] = True
            bound[first_unit] -= n_units - instance_bound
    return columns.take(is_selected), bound


def _best_selection(columns: Columns, n_units: int, deadline: Deadline) -> tuple[IntArray, float]:
    """Return the best selection of the columns of one instance, and a proven lower bound of its cost."""
    relaxed = relax(columns, n_units)
    paid = float(relaxed.price.sum())
    max_loss = _FIRST_MAX_LOSS
    while True:
        rows = np.flatnonzero(relaxed.loss <= max_loss)
        considered = columns.take(rows)
        x, max_saving = packing_ip(incidence(considered, n_units), considered.saving, deadline)
        selected = rows[x > _SELECTED]
        loss = paid - float(columns.saving[selected].sum())
        min_loss = paid - max_saving
        is_stopped = min_loss < loss - _PROOF_TOLERANCE  # by the limit of time or of nodes
        if loss <= max_loss or is_stopped:
            return selected, n_units - paid + max(min(min_loss, max_loss), 0.0)
        max_loss = loss


def check_size(batch: Batch, too_many: BoolArray, max_columns: int) -> None:
    """Raise SolverError if an instance has too many columns."""
    if too_many.any():
        instance = int(np.argmax(too_many))
        raise SolverError(
            f"a document of {batch.n_annotators[instance]} annotators and {np.diff(batch.offsets)[instance]} units has "
            f"more than {max_columns:,} possible unitary alignments, the limit of the solver 'ortools'",
            Cure("use {}, or measure fewer annotators at a time or shorter documents", Set("solver", "kernels")),
        )
