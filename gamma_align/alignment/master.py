"""The restricted master programme of column generation: a packing LP that grows, solved again from where it stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align.errors import SolverError

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.alignment.tuples import Columns

# Primal simplex: the vertex reached stays feasible when columns are added. Tolerances as for every LP here.
_GLOP = (
    "use_preprocessing:false use_dual_simplex:false dual_feasibility_tolerance:1e-10 primal_feasibility_tolerance:1e-10"
)


class Master:
    """Maximise Σ saving·x with each row covered at most once, x ≥ 0.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    """

    def __init__(self, n_rows: int) -> None:
        from ortools.linear_solver import (  # type: ignore[attr-defined]  # noqa: PLC0415  (only when one is solved)
            pywraplp,
        )

        self._solver = pywraplp.Solver.CreateSolver("GLOP")
        self._solver.SetSolverSpecificParametersAsString(_GLOP)
        self._infinity = self._solver.infinity()
        self._rows = [self._solver.Constraint(-self._infinity, 1.0) for _ in range(n_rows)]
        self._objective = self._solver.Objective()
        self._objective.SetMaximization()
        self._columns: list[Any] = []
        self._cuts: list[Any] = []
        self._optimal = pywraplp.Solver.OPTIMAL

    def __len__(self) -> int:
        return len(self._columns)

    def add(self, columns: Columns, saving: FloatArray, cuts: list[tuple[int, IntArray]] | None = None) -> None:
        """Add columns over rows, what each saves, and for each cut which of them it holds."""
        ends, rows = columns.offsets.tolist(), columns.units.tolist()
        added = []
        for at, value in enumerate(saving.tolist()):
            variable = self._solver.NumVar(0.0, self._infinity, "")
            self._objective.SetCoefficient(variable, value)
            for row in rows[ends[at] : ends[at + 1]]:
                self._rows[row].SetCoefficient(variable, 1.0)
            added.append(variable)
        for cut, held in cuts or []:
            for at in held.tolist():
                self._cuts[cut].SetCoefficient(added[at], 1.0)
        self._columns += added

    def cut(self, held: IntArray) -> None:
        """Add a cut: of these columns, no more than one in sum."""
        row = self._solver.Constraint(-self._infinity, 1.0)
        for at in held.tolist():
            row.SetCoefficient(self._columns[at], 1.0)
        self._cuts.append(row)

    def solve(self) -> tuple[FloatArray, FloatArray]:
        """Return dual prices of the rows and of the cuts, 0 or more.

        Raises
        ------
        SolverError
            If the solver ends without an optimum.
        """
        status = self._solver.Solve()
        if status != self._optimal:
            raise SolverError(f"GLOP ended with status {status} on {len(self._rows)} rows and {len(self)} columns")
        price, cut_price = (
            np.maximum(np.array([row.dual_value() for row in rows], dtype=np.float64), 0.0)
            for rows in (self._rows, self._cuts)
        )
        return price, cut_price

    def values(self) -> FloatArray:
        """Return x of every column, in the order they were added."""
        return np.array([column.solution_value() for column in self._columns], dtype=np.float64)
