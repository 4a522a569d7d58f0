"""Linear and integer programmes of set partitioning: the only module that uses OR-Tools.

If OR-Tools cannot be imported, `highs` solves the same programmes.

The programmes are packings: maximise Σ saving·x with each unit covered at most once; an uncovered unit stays alone and
saves nothing. (`covering_ip` is the exception, for covers.) Models are loaded in bulk from sparse matrices, and
OR-Tools is imported only when one is solved. `Master` is the linear programme of column generation: it grows, and each
solution starts from the previous one. `BulkMaster` starts from scratch. `relax` solves the linear relaxation of all
instances, in packs of whole components.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.alignment import highs
from gamma_align.alignment.backend import has_ortools
from gamma_align.alignment.candidates import Columns, incidence
from gamma_align.alignment.limits import Deadline
from gamma_align.columns import FloatArray, IntArray, chunks, distinct, ranges, rank_in_runs
from gamma_align.errors import SolverError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Tight tolerances: the duals are the certificate. Presolve costs more than it saves on these models.
_GLOP = "use_preprocessing:false dual_feasibility_tolerance:1e-10 primal_feasibility_tolerance:1e-10"
# Primal simplex: the vertex reached stays feasible when columns are added.
_GLOP_PRIMAL = f"{_GLOP} use_dual_simplex:false"
# Fallback if GLOP does not reach these tolerances. Looser ones suffice: prices are repaired, and results are checked.
_GLOP_USUAL = "use_preprocessing:true"
# The limit of nodes limits the work independently of the machine. The bound shows if it stopped the search.
_SCIP = (
    "limits/gap = 0\nlimits/absgap = 0\nnumerics/feastol = 1e-9\nparallel/maxnthreads = 1\nlimits/totalnodes = 20000"
)

_SCIP_SCALE = 1e4  # factor of savings: SCIP treats numbers as equal that differ by about 1e-9
_MIN_SCIP_SECONDS = 0.01  # after the deadline

_PACK_ROWS = 500  # units solved in one programme: the simplex method is not linear in the size
_MAX_COLUMNS_PER_ROW = 60  # a wider pack is solved by sifting: promising columns first
_FIRST_COLUMNS_PER_UNIT = 20  # of a wide pack
_NEW_COLUMNS_PER_UNIT = 10  # added at once
_MIN_GAIN = 1e-10  # in units of Δ; GLOP's own tolerance


def new_master(n_rows: int, *, once: bool) -> Master | BulkMaster:
    """Return an empty linear programme of column generation; with `once`, for one that is solved once."""
    return BulkMaster(n_rows) if once or not has_ortools() else Master(n_rows)


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
        self._optimal = pywraplp.Solver.OPTIMAL

    def __len__(self) -> int:
        return len(self._columns)

    def add(self, columns: Columns, saving: FloatArray) -> None:
        """Add columns over rows with their savings."""
        rows = columns.units.tolist()
        for (begin, end), value in zip(pairwise(columns.offsets.tolist()), saving.tolist(), strict=True):
            variable = self._solver.NumVar(0.0, self._infinity, "")
            self._objective.SetCoefficient(variable, value)
            for row in rows[begin:end]:
                self._rows[row].SetCoefficient(variable, 1.0)
            self._columns.append(variable)

    def solve(self) -> FloatArray:
        """Return dual prices of the rows, 0 or more."""
        status = self._solver.Solve()
        if status != self._optimal:
            raise SolverError(f"GLOP ended with status {status} on {len(self._rows)} rows and {len(self)} columns")
        # Within its tolerance GLOP may return duals just below 0, but only prices of 0 or more prove a bound.
        return np.maximum(np.array([row.dual_value() for row in self._rows], dtype=np.float64), 0.0)

    def values(self) -> FloatArray:
        """Return x of every column, in the order they were added."""
        return np.array([column.solution_value() for column in self._columns], dtype=np.float64)


class BulkMaster:
    """A `Master` whose programme is loaded in bulk and solved from scratch, to the same bits if it is solved once.

    That takes a third of the time, and needs no interface that lets a programme grow.
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._columns = Columns.joined()
        self._saving = np.zeros(0)
        self._x = np.zeros(0)

    def __len__(self) -> int:
        return len(self._saving)

    def add(self, columns: Columns, saving: FloatArray) -> None:
        """Add columns over rows with their savings."""
        self._columns = Columns.joined(self._columns, columns)
        self._saving = np.concatenate([self._saving, saving])

    def solve(self) -> FloatArray:
        """Return dual prices of the rows, 0 or more."""
        self._x, price = packing_lp(incidence(self._columns, self._n_rows), self._saving, (_GLOP_PRIMAL,))
        return np.maximum(price, 0.0)

    def values(self) -> FloatArray:
        """Return x of every column, in the order they were added."""
        return self._x


def packing_lp(
    matrix: csr_matrix[np.float64], saving: FloatArray, settings: tuple[str, ...] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return (x, y): a vertex that maximises saving·x subject to matrix·x ≤ 1, x ≥ 0, and its dual prices.

    The matrix, shape (n_rows, n_columns), is 1 if a column covers a row, otherwise 0. The `settings` of GLOP are tried
    in turn; by default tight tolerances, then its usual ones.
    """
    if not has_ortools():
        return highs.packing_lp(matrix, saving)
    from ortools.linear_solver.python import model_builder_helper as helper

    rows, columns = matrix.shape
    upper = np.full(columns, np.inf)
    model: Any = helper.ModelBuilderHelper()
    # The model minimises: savings and duals are negated.
    model.fill_model_from_sparse_data(np.zeros(columns), upper, -saving, np.full(rows, -np.inf), np.ones(rows), matrix)
    for parameters in settings or (_GLOP, _GLOP_USUAL):
        solver = helper.ModelSolverHelper("GLOP")
        solver.set_solver_specific_parameters(parameters)
        solver.solve(model)
        if solver.status() == helper.SolveStatus.OPTIMAL:
            return np.asarray(solver.variable_values()), -np.asarray(solver.dual_values())
    raise SolverError(f"GLOP ended with {solver.status().name} on {rows} rows and {columns} columns")


def packing_ip(matrix: csr_matrix[np.float64], saving: FloatArray, deadline: Deadline) -> tuple[FloatArray, float]:
    """Return (x, bound): x in {0, 1} with matrix·x ≤ 1 that maximises saving·x, and an upper bound of saving·x.

    x reaches the bound unless the deadline or the limit of nodes stopped the search; then x may even be 0.
    """
    rows = matrix.shape[0]
    x, bound, is_optimal = _solve_zeros_and_ones(-saving, matrix, np.full(rows, -np.inf), np.ones(rows), deadline)
    if x is None:
        x = np.zeros(len(saving))
    return x, float(saving @ x) if is_optimal else -bound


def covering_ip(
    matrix: csr_matrix[np.float64], cost: FloatArray, deadline: Deadline
) -> tuple[FloatArray | None, float]:
    """Return (x, bound): x in {0, 1} with matrix·x ≥ 1 that minimises cost·x ≥ 0, and a lower bound of cost·x.

    x reaches the bound unless the deadline or the limit of nodes stopped the search; then x may even be None.
    """
    rows = matrix.shape[0]
    x, bound, is_optimal = _solve_zeros_and_ones(cost, matrix, np.ones(rows), np.full(rows, np.inf), deadline)
    if x is not None and is_optimal:
        bound = float(cost @ x)
    return x, max(bound, 0.0)


def _solve_zeros_and_ones(
    cost: FloatArray, matrix: csr_matrix[np.float64], low: FloatArray, high: FloatArray, deadline: Deadline
) -> tuple[FloatArray | None, float, bool]:
    """Minimise cost·x subject to low ≤ matrix·x ≤ high, x in {0, 1}.

    Return x if one is found, a lower bound, and whether x is proven optimal.
    """
    if not has_ortools():
        return highs.solve_zeros_and_ones(cost, matrix, low, high, deadline)
    from ortools.linear_solver.python import model_builder_helper as helper

    rows, columns = matrix.shape
    model: Any = helper.ModelBuilderHelper()
    model.fill_model_from_sparse_data(np.zeros(columns), np.ones(columns), cost * _SCIP_SCALE, low, high, matrix)
    for column in range(columns):
        model.set_var_integrality(column, True)  # noqa: FBT003  (OR-Tools' signature)
    solver = helper.ModelSolverHelper("SCIP")
    solver.set_solver_specific_parameters(_SCIP)
    if deadline.remaining is not None:
        solver.set_time_limit_in_seconds(max(deadline.remaining, _MIN_SCIP_SECONDS))
    solver.solve(model)
    status = solver.status()
    if status == helper.SolveStatus.OPTIMAL:
        return np.round(np.asarray(solver.variable_values())), -np.inf, True
    if status not in {helper.SolveStatus.FEASIBLE, helper.SolveStatus.NOT_SOLVED}:
        raise SolverError(f"SCIP ended with {status.name} on {rows} rows and {columns} columns")
    bound = float(solver.best_objective_bound()) / _SCIP_SCALE
    x = np.round(np.asarray(solver.variable_values())) if solver.has_solution() else None
    return x, bound if np.isfinite(bound) else -np.inf, False


class Relaxation(NamedTuple):
    """A solution of the linear relaxation: an optimal vertex, dual prices y ≥ 0, and the losses of the columns."""

    x: FloatArray
    price: FloatArray
    loss: FloatArray


def relax(columns: Columns, n_units: int) -> Relaxation:
    """Solve the linear relaxation in packs of whole components; no column beats the prices, to the last bit.

    Components with the same columns and costs are solved once.
    """
    label = kernels.linked(columns.offsets, columns.units, n_units)
    by_component = np.argsort(label[columns.first], kind="stable")
    ordered = columns.take(by_component)
    units = distinct(ordered.units)
    units = units[np.argsort(label[units], kind="stable")]
    components = _Components(ordered, units, label)
    x = np.zeros(len(columns))
    price = np.zeros(n_units)
    distinct_components, model = components.distinct()
    for low, high in chunks(components.n_units[distinct_components], _PACK_ROWS):
        components.solve(distinct_components[low:high], x, price)
    components.copy(model, x, price)
    x_in_order = np.empty(len(columns))
    x_in_order[by_component] = x
    return _feasible(columns, x_in_order, price)


class _Components:
    """Components of columns that share units; columns and units are sorted by component.

    `unit_ends` and `column_ends` are offsets, shape (n_components + 1,); `row` is the index of each unit within its
    component.
    """

    def __init__(self, columns: Columns, units: IntArray, label: IntArray) -> None:
        self.columns = columns
        self.units = units
        labels, first = np.unique(label[units], return_index=True)
        self.unit_ends = np.append(first, len(units))
        self.column_ends = np.searchsorted(label[columns.first], np.append(labels, label.max(initial=0) + 1))
        self.row = np.zeros(len(label), dtype=np.int64)
        self.row[units] = ranges(0, self.n_units)

    @property
    def n_units(self) -> IntArray:
        """Number of units of each component."""
        return np.diff(self.unit_ends)

    def distinct(self) -> tuple[IntArray, IntArray]:
        """Return the distinct components, and for each component the distinct one that it equals."""
        first: dict[bytes, int] = {}
        ends = self.column_ends.tolist()
        offsets = self.columns.offsets
        rows = self.row[self.columns.units]
        model = np.arange(len(ends) - 1)
        if len(model) == 1:
            return model, model
        for component, (low, high) in enumerate(pairwise(ends)):
            sizes = np.diff(offsets[low : high + 1])
            members = rows[offsets[low] : offsets[high]]
            # Only components that are equal to the last bit share a solution, so that a copy is exact.
            content = sizes.tobytes() + members.tobytes() + self.columns.cost[low:high].tobytes()
            model[component] = first.setdefault(content, component)
        return np.flatnonzero(model == np.arange(len(model))), model

    def solve(self, components: IntArray, x: FloatArray, price: FloatArray) -> None:
        """Solve these components as one programme."""
        counts = np.diff(self.column_ends)[components]
        n_units = self.n_units[components]
        columns = ranges(self.column_ends[components], counts)
        pack = self.columns.take(columns)
        above = np.cumsum(n_units) - n_units
        rows = self.row[pack.units] + np.repeat(np.repeat(above, counts), pack.sizes)
        units = self.units[ranges(self.unit_ends[components], n_units)]
        x[columns], price[units] = _solve_pack(pack.with_units(rows), len(units))

    def copy(self, model: IntArray, x: FloatArray, price: FloatArray) -> None:
        """Copy the solution of each distinct component to the components that equal it."""
        copies = np.flatnonzero(model != np.arange(len(model)))
        for ends, values, rows in ((self.column_ends, x, np.arange(len(x))), (self.unit_ends, price, self.units)):
            counts = np.diff(ends)[copies]
            values[rows[ranges(ends[copies], counts)]] = values[rows[ranges(ends[model[copies]], counts)]]


def _solve_pack(pack: Columns, n_rows: int) -> tuple[FloatArray, FloatArray]:
    """Return x and prices of one pack, whose units are rows.

    A wide pack is solved by sifting: with the most promising columns, then with the columns that gain at its prices.
    """
    saving = pack.saving
    if len(pack) <= _MAX_COLUMNS_PER_ROW * n_rows:
        return packing_lp(incidence(pack, n_rows), saving)
    selected = best_of_groups(pack.first, saving / pack.sizes, _FIRST_COLUMNS_PER_UNIT)
    while True:
        part = pack.take(selected)
        part_x, price = packing_lp(incidence(part, n_rows), part.saving)
        gain = saving - pack.sums(price)
        # Selected columns gain by rounding alone: adding them again would change nothing, and never end.
        gain[selected] = 0.0
        gaining = np.flatnonzero(gain > _MIN_GAIN)
        if not len(gaining):
            x = np.zeros(len(pack))
            x[selected] = part_x
            return x, price
        best = best_of_groups(pack.first[gaining], gain[gaining], _NEW_COLUMNS_PER_UNIT)
        selected = np.union1d(selected, gaining[best])


def best_of_groups(group: IntArray, merit: FloatArray, max_rows: int) -> IntArray:
    """Return the rows of greatest merit in each group, at most `max_rows` of a group, ascending."""
    order = np.lexsort((-merit, group))
    return np.sort(order[rank_in_runs(group[order]) < max_rows])


def _feasible(columns: Columns, x: FloatArray, price: FloatArray) -> Relaxation:
    """Return the relaxation with prices that prove a bound: raised if a column beats them by rounding."""
    price = np.maximum(price, 0.0)
    excess = columns.saving - columns.sums(price)
    violated = np.flatnonzero(excess > 0)
    violating = columns.take(violated)
    increase = np.zeros(len(price))
    np.maximum.at(increase, violating.units, np.repeat(excess[violated] / violating.sizes, violating.sizes))
    price = price + increase
    return Relaxation(x, price, columns.losses(price))
