"""The programmes of `lp` by HiGHS, which SciPy contains, for systems without OR-Tools: the same results, more slowly.

SciPy's interface starts each programme anew, so that the linear programme of column generation is solved from scratch
after it has grown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align.alignment.limits import Deadline
from gamma_align.columns import FloatArray
from gamma_align.errors import SolverError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# The tightest tolerances that HiGHS takes: the duals are the certificate.
_TIGHT = {"presolve": False, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_USUAL: dict[str, Any] = {}  # fallback: prices are repaired, and results are checked
_MAX_NODES = 20_000  # as of SCIP: limits the work independently of the machine
_SCALE = 1e4  # factor of savings: HiGHS stops at an absolute gap of 1e-6
_MIN_SECONDS = 0.01  # after the deadline
# SciPy's status: optimal, and ended by a limit
_STATUS_OPTIMAL = 0
_STATUS_LIMIT = 1


def packing_lp(matrix: csr_matrix[np.float64], saving: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (x, y): a vertex that maximises saving·x subject to matrix·x ≤ 1, x ≥ 0, and its dual prices."""
    from scipy.optimize import linprog

    rows, columns = matrix.shape
    if not columns:
        return np.zeros(0), np.zeros(rows)
    solve: Any = linprog
    for options in (_TIGHT, _USUAL):
        result = solve(-saving, A_ub=matrix, b_ub=np.ones(rows), method="highs-ds", options=options)
        if result.status == _STATUS_OPTIMAL:
            return np.asarray(result.x), -np.asarray(result.ineqlin.marginals)
    raise SolverError(f"HiGHS ended with {result.message!r} on {rows} rows and {columns} columns")


def solve_zeros_and_ones(
    cost: FloatArray, matrix: csr_matrix[np.float64], low: FloatArray, high: FloatArray, deadline: Deadline
) -> tuple[FloatArray | None, float, bool]:
    """Minimise cost·x subject to low ≤ matrix·x ≤ high, x in {0, 1}.

    Return x if one is found, a lower bound, and whether x is proven optimal.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    options: dict[str, Any] = {"mip_rel_gap": 0.0, "node_limit": _MAX_NODES}
    if deadline.remaining is not None:
        options["time_limit"] = max(deadline.remaining, _MIN_SECONDS)
    solve: Any = milp
    integer = np.ones(len(cost))
    constraints = LinearConstraint(matrix, low, high)
    result = solve(
        cost * _SCALE, integrality=integer, bounds=Bounds(0.0, 1.0), constraints=constraints, options=options
    )
    x = None if result.x is None else np.round(np.asarray(result.x))
    if result.status == _STATUS_OPTIMAL:
        return x, -np.inf, True
    if result.status != _STATUS_LIMIT:
        raise SolverError(f"HiGHS ended with {result.message!r} on {len(cost)} columns")
    bound = result.mip_dual_bound
    return x, -np.inf if bound is None or not np.isfinite(bound) else float(bound) / _SCALE, False
