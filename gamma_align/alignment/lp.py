"""Linear and integer programmes of set partitioning: the one module that uses OR-Tools.

The programmes are packings: maximise Σ saving·x with each unit covered at most once (a unit left uncovered stays
alone, at no saving). Models are loaded in bulk from sparse matrices; OR-Tools is imported only when one is solved.
`Master` is the linear programme of column generation, which grows and is solved again from its last solution
(`MasterOnce` where it does not grow); `relax`
solves the linear relaxation of all instances at once, in packs of whole components.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment.candidates import Columns
from gamma_align.alignment.limits import Deadline
from gamma_align.columns import FloatArray, IntArray, chunks, distinct, ranges, rank_in_runs
from gamma_align.errors import SolverError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Tight tolerances: the duals are the certificate. Presolve costs more than it saves on these models.
_GLOP = "use_preprocessing:false dual_feasibility_tolerance:1e-10 primal_feasibility_tolerance:1e-10"
# Primal simplex: the vertex reached stays feasible when columns are added.
_GLOP_PRIMAL = f"{_GLOP} use_dual_simplex:false"
# Should it find no way to be so tight: prices are repaired and every result is checked, so less will do.
_GLOP_USUAL = "use_preprocessing:true"
# The limit of nodes is a limit of work that does not depend on the machine: what it cuts short says so by its bound.
_SCIP = (
    "limits/gap = 0\nlimits/absgap = 0\nnumerics/feastol = 1e-9\nparallel/maxnthreads = 1\nlimits/totalnodes = 20000"
)

_SCALE = 1e4  # of what SCIP is given: it takes what differs by 1e-9 or so of its numbers as equal

_PACK_ROWS = 500
_WIDE = 60  # columns a row above which only the promising ones are given to the solver at first
_START = 20
_MORE = 10


class Master:
    """Maximise Σ saving·x with each of `n_rows` rows covered at most once, x ≥ 0."""

    def __init__(self, n_rows: int) -> None:
        from ortools.linear_solver import (  # type: ignore[attr-defined]
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
        rows = columns.units.tolist()
        added = []
        for (begin, end), value in zip(pairwise(columns.offsets.tolist()), saving.tolist(), strict=True):
            variable = self._solver.NumVar(0.0, self._infinity, "")
            self._objective.SetCoefficient(variable, value)
            for row in rows[begin:end]:
                self._rows[row].SetCoefficient(variable, 1.0)
            added.append(variable)
        for cut, held in cuts or []:
            for column in held.tolist():
                self._cuts[cut].SetCoefficient(added[column], 1.0)
        self._columns += added

    def cut(self, held: IntArray) -> None:
        """Add a cut: of these columns, no more than one in sum."""
        row = self._solver.Constraint(-self._infinity, 1.0)
        for column in held.tolist():
            row.SetCoefficient(self._columns[column], 1.0)
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


class MasterOnce:
    """A `Master` that is solved once, to the same bits: its programme is loaded in bulk, which takes a third."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows, self._columns, self._saving = n_rows, Columns.joined(), np.zeros(0)
        self._x = np.zeros(0)

    def add(self, columns: Columns, saving: FloatArray) -> None:
        """Make these the columns over rows, and what each saves."""
        self._columns, self._saving = columns, saving

    def solve(self) -> tuple[FloatArray, FloatArray]:
        """Return dual prices of the rows, 0 or more, and those of no cuts."""
        self._x, price = packing_lp(incidence(self._columns, self._n_rows), self._saving, (_GLOP_PRIMAL,))
        return np.maximum(price, 0.0), np.zeros(0)

    def values(self) -> FloatArray:
        """Return x of every column."""
        return self._x


def packing_lp(
    matrix: csr_matrix[np.float64], saving: FloatArray, settings: tuple[str, ...] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return (x, y): a vertex that maximises saving·x subject to matrix·x ≤ 1, x ≥ 0, and its dual prices.

    The matrix, shape (n_rows, n_columns), is 1 where a column covers a row. GLOP's `settings` are tried in turn: tight
    ones, then its usual ones, by default.
    """
    from ortools.linear_solver.python import model_builder_helper as helper

    model = _model(helper, matrix, saving, np.full(len(saving), np.inf))
    for parameters in settings or (_GLOP, _GLOP_USUAL):
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
    from ortools.linear_solver.python import model_builder_helper as helper

    model = _model(helper, matrix, saving * _SCALE, np.ones(len(saving)))
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
    bound = -float(solver.best_objective_bound()) / _SCALE
    x = np.round(np.asarray(solver.variable_values())) if solver.has_solution() else np.zeros(len(saving))
    return x, bound if np.isfinite(bound) else np.inf


def _model(helper: Any, matrix: csr_matrix[np.float64], saving: FloatArray, upper: FloatArray) -> Any:  # noqa: ANN401
    rows, columns = matrix.shape
    model = helper.ModelBuilderHelper()
    model.fill_model_from_sparse_data(np.zeros(columns), upper, -saving, np.full(rows, -np.inf), np.ones(rows), matrix)
    return model


def incidence(columns: Columns, n_rows: int) -> csr_matrix[np.float64]:
    """Return the matrix of rows × columns with a one where a column covers a row, its units being rows."""
    from scipy.sparse import csc_matrix as csc

    ones = np.ones(len(columns.units))
    return csc((ones, columns.units, columns.offsets), shape=(n_rows, len(columns))).tocsr()


class Relaxation(NamedTuple):
    """The linear relaxation solved: a vertex of greatest saving, dual prices y ≥ 0, and the losses of the columns."""

    x: FloatArray
    price: FloatArray
    loss: FloatArray


def relax(columns: Columns, n_units: int) -> Relaxation:
    """Solve the linear relaxation in packs of whole components; prices are made feasible to the last bit.

    Components of the same columns at the same costs are solved once.
    """
    label = kernels.linked(columns.offsets, columns.units, n_units)
    by_component = np.argsort(label[columns.first], kind="stable")
    ordered = columns.take(by_component)
    units = distinct(ordered.units)
    units = units[np.argsort(label[units], kind="stable")]
    components = _Components(ordered, units, label)
    x, price = np.zeros(len(columns)), np.zeros(n_units)
    unlike, like = components.unlike()
    for low, high in chunks(components.n_units[unlike], _PACK_ROWS):
        components.solve(unlike[low:high], x, price)
    components.copy(like, x, price)
    in_order = np.empty(len(columns))
    in_order[by_component] = x
    return _repaired(columns, in_order, price)


class _Components:
    """Columns and units in the order of their components."""

    def __init__(self, columns: Columns, units: IntArray, label: IntArray) -> None:
        self.columns, self.units = columns, units
        labels, first = np.unique(label[units], return_index=True)
        self.unit_ends = np.append(first, len(units))
        self.column_ends = np.searchsorted(label[columns.first], np.append(labels, label.max(initial=0) + 1))
        self.row = np.zeros(len(label), dtype=np.int64)  # of each unit, within its component
        self.row[units] = ranges(0, self.n_units)

    @property
    def n_units(self) -> IntArray:
        return np.diff(self.unit_ends)

    def unlike(self) -> tuple[IntArray, IntArray]:
        """Return the components that are the first of their kind, and for each component that first one."""
        first: dict[bytes, int] = {}
        ends, offsets = self.column_ends.tolist(), self.columns.offsets
        rows = self.row[self.columns.units]
        like = np.arange(len(ends) - 1)
        for component, (low, high) in enumerate(pairwise(ends) if len(like) > 1 else ()):
            parts = (np.diff(offsets[low : high + 1]), rows[offsets[low] : offsets[high]], self.columns.cost[low:high])
            like[component] = first.setdefault(b"".join(part.tobytes() for part in parts), component)
        return np.flatnonzero(like == np.arange(len(like))), like

    def solve(self, components: IntArray, x: FloatArray, price: FloatArray) -> None:
        """Solve these components as one programme."""
        counts, n_units = np.diff(self.column_ends)[components], self.n_units[components]
        columns = ranges(self.column_ends[components], counts)
        pack = self.columns.take(columns)
        above = np.cumsum(n_units) - n_units
        rows = self.row[pack.units] + np.repeat(np.repeat(above, counts), pack.sizes)
        units = self.units[ranges(self.unit_ends[components], n_units)]
        x[columns], price[units] = _pack_solved(pack.over(rows), len(units))

    def copy(self, like: IntArray, x: FloatArray, price: FloatArray) -> None:
        """Give components what the first of their kind has."""
        copies = np.flatnonzero(like != np.arange(len(like)))
        for ends, values, rows in ((self.column_ends, x, np.arange(len(x))), (self.unit_ends, price, self.units)):
            counts = np.diff(ends)[copies]
            values[rows[ranges(ends[copies], counts)]] = values[rows[ranges(ends[like[copies]], counts)]]


def _pack_solved(pack: Columns, n_rows: int) -> tuple[FloatArray, FloatArray]:
    """Solve one pack, its units being rows; a wide one by sifting: promising columns, then those prices want."""
    saving = pack.saving
    if len(pack) <= _WIDE * n_rows:
        return packing_lp(incidence(pack, n_rows), saving)
    chosen = best_of_each(pack.first, saving / pack.sizes, _START)
    while True:
        part = pack.take(chosen)
        part_x, price = packing_lp(incidence(part, n_rows), part.saving)
        gain = saving - pack.sums(price)
        gain[chosen] = 0.0
        wanted = np.flatnonzero(gain > 1e-10)  # noqa: PLR2004  (the solver's own tolerance)
        if not len(wanted):
            x = np.zeros(len(pack))
            x[chosen] = part_x
            return x, price
        chosen = np.union1d(chosen, wanted[best_of_each(pack.first[wanted], gain[wanted], _MORE)])


def best_of_each(group: IntArray, merit: FloatArray, most: int) -> IntArray:
    """Return the rows of greatest merit in each group, at most so many of each, ascending."""
    order = np.lexsort((-merit, group))
    return np.sort(order[rank_in_runs(group[order]) < most])


def _repaired(columns: Columns, x: FloatArray, price: FloatArray) -> Relaxation:
    """Raise prices where rounding left a column with a negative loss, so that they prove a bound."""
    price = np.maximum(price, 0.0)
    short = columns.saving - columns.sums(price)
    bad = np.flatnonzero(short > 0)
    worst = columns.take(bad)
    raised = np.zeros(len(price))
    np.maximum.at(raised, worst.units, np.repeat(short[bad] / worst.sizes, worst.sizes))
    price = price + raised
    return Relaxation(x, price, columns.losses(price))
