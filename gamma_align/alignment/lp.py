"""Linear and integer programmes: the one module that uses OR-Tools.

The programmes are packings: maximise Σ saving·x with each unit covered at most once (a unit left uncovered stays
alone, at no saving). Models are loaded in bulk from sparse matrices; OR-Tools is imported only when one is solved.
`Master` is the linear programme of column generation, which grows and is solved again from its last solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.alignment.limits import Deadline
from gamma_align.alignment.tuples import Columns
from gamma_align.errors import SolverError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Primal simplex: the vertex reached stays feasible when columns are added. Tolerances as for every LP here.
_GLOP_PRIMAL = (
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
        self._solver.SetSolverSpecificParametersAsString(_GLOP_PRIMAL)
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
        """Return dual prices of the rows and of the cuts, 0 or more."""
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


# Tight tolerances: the duals are the certificate. Presolve costs more than it saves on these models.
_GLOP = "use_preprocessing:false dual_feasibility_tolerance:1e-10 primal_feasibility_tolerance:1e-10"
# Should it find no way to be so tight: prices are repaired and every result is checked, so less will do.
_GLOP_USUAL = "use_preprocessing:true"
# The limit of nodes is a limit of work that does not depend on the machine: what it cuts short says so by its bound.
_SCIP = (
    "limits/gap = 0\nlimits/absgap = 0\nnumerics/feastol = 1e-9\nparallel/maxnthreads = 1\nlimits/totalnodes = 20000"
)


def packing_lp(matrix: csr_matrix[np.float64], saving: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (x, y): a vertex that maximises saving·x subject to matrix·x ≤ 1, x ≥ 0, and its dual prices.

    Parameters
    ----------
    matrix : csr_matrix, shape (n_rows, n_columns)
        One where a column covers a row.
    saving : ndarray of float64, shape (n_columns,)
        What each column saves.
    """
    from ortools.linear_solver.python import model_builder_helper as helper  # noqa: PLC0415

    model = _model(helper, matrix, saving, np.full(len(saving), np.inf))
    for parameters in (_GLOP, _GLOP_USUAL):
        solver = helper.ModelSolverHelper("GLOP")
        solver.set_solver_specific_parameters(parameters)
        solver.solve(model)
        if solver.status() == helper.SolveStatus.OPTIMAL:
            return np.asarray(solver.variable_values()), -np.asarray(solver.dual_values())
    rows, columns = matrix.shape
    raise SolverError(f"GLOP ended with {solver.status().name} on {rows} rows and {columns} columns")


def packing_ip(matrix: csr_matrix[np.float64], saving: FloatArray, deadline: Deadline) -> tuple[FloatArray, float]:
    """Return (x, most): x in {0, 1} with matrix·x ≤ 1, and the most that saving·x can be.

    x reaches it unless time or the nodes allowed ran out; then x may be far from it, even nothing.
    """
    from ortools.linear_solver.python import model_builder_helper as helper  # noqa: PLC0415

    model = _model(helper, matrix, saving, np.ones(len(saving)))
    for column in range(len(saving)):
        model.set_var_integrality(column, True)  # noqa: FBT003  (OR-Tools' signature)
    solver = helper.ModelSolverHelper("SCIP")
    solver.set_solver_specific_parameters(_SCIP)
    if deadline.remaining is not None:
        solver.set_time_limit_in_seconds(max(deadline.remaining, 0.01))
    solver.solve(model)
    status = solver.status()
    if status == helper.SolveStatus.OPTIMAL:
        x = np.round(np.asarray(solver.variable_values()))
        return x, float(saving @ x)
    if status not in {helper.SolveStatus.FEASIBLE, helper.SolveStatus.NOT_SOLVED}:
        rows, columns = matrix.shape
        raise SolverError(f"SCIP ended with {status.name} on {rows} rows and {columns} columns")
    bound = -float(solver.best_objective_bound())
    x = np.round(np.asarray(solver.variable_values())) if solver.has_solution() else np.zeros(len(saving))
    return x, bound if np.isfinite(bound) else np.inf


def _model(helper: Any, matrix: csr_matrix[np.float64], saving: FloatArray, upper: FloatArray) -> Any:  # noqa: ANN401
    rows, columns = matrix.shape
    model = helper.ModelBuilderHelper()
    model.fill_model_from_sparse_data(np.zeros(columns), upper, -saving, np.full(rows, -np.inf), np.ones(rows), matrix)
    return model
