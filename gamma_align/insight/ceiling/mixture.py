"""What the votes on elements say about the best score that any answer can reach against the annotators.

p is the share of all annotators like these who would mark an element. S_m = Σ C(v, m) / C(k, m), over the elements with
v of k votes, is the expected number of elements that m annotators share. Against one annotator an answer that marks the
elements of a set M has F1 = 2 Σ_M p / (|M| + S₁), and the largest such value is the ceiling F*.

Theorem: f ≤ F* ≤ √f with f = S₂ / S₁. Below: another annotator is an answer. Above: Σ_M p ≤ √(|M| Σp²) (Cauchy and
Schwarz) and |M| + S₁ ≥ 2 √(|M| S₁). With three and more annotators, S₁ … S_K fix K moments of the distribution of p,
and linear programmes give the smallest and the largest F* among the distributions with these moments.

No library for matrices takes part, so that every machine gives the same bits, but for the linear programmes, whose
bounds are those of the last bisection.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, grouped_sums
from gamma_align.errors import SolverError
from gamma_align.measures.reference import Cells

MAX_DEPTH = 6  # of moments; higher ones rest on few documents, and the range is below .01 wide with six
NUMBER_FROM = 4  # annotators from which a distribution is fitted: with fewer its shape is not known

GRID = np.arange(1, 101) / 100.0  # values of p of the fitted mixture
_ROUNDS = 500  # of expectation and maximisation; as in the golden values
# Values of p of the linear programmes: finer near 0, where most elements that few annotators mark are.
SHARP_GRID = np.concatenate([[0.0001, 0.001, 0.0025, 0.005], np.arange(1, 201) / 200.0])
_MOMENT_SLACK = 1e-6  # relative to S₁: the amount by which a distribution may miss a moment
_BISECTIONS = 14  # the range is then known to 1/16,384


class Best(NamedTuple):
    """The best answer against a fitted distribution, shape (n_fits,) each."""

    f1: FloatArray
    precision: FloatArray
    recall: FloatArray


class Range(NamedTuple):
    """The smallest and the largest ceiling that the data allow."""

    low: float
    high: float


def shared_sums(cells: Cells, sizes: FloatArray, depth: int) -> FloatArray:
    """Return S₁ … S_depth of each row of `sizes`, shape (n_rows, n_cells); the result has shape (n_rows, depth).

    Documents with fewer than m annotators do not count for S_m.
    """
    factors = np.array(
        [
            [math.comb(v, m) / math.comb(k, m) if k >= m else 0.0 for m in range(1, depth + 1)]
            for k, v in zip(cells.annotators.tolist(), cells.votes.tolist(), strict=True)
        ]
    ).reshape(-1, depth)
    return _products(sizes, factors)


def depth_of(cells: Cells) -> int:
    """Return the most annotators m, up to `MAX_DEPTH`, whose documents hold at least half of S₁."""
    units = shared_sums(cells, cells.sizes.sum(axis=0, keepdims=True) * np.eye(len(cells.votes)), 1)[:, 0]
    total = units.sum()
    return max(m for m in range(1, MAX_DEPTH + 1) if 2.0 * units[cells.annotators >= m].sum() >= total)


def fitted_weights(cells: Cells, sizes: FloatArray) -> FloatArray:
    """Fit a mixture of binomial distributions to each row of sizes by expectation and maximisation.

    The cell of v of k votes has the expectation E_k Σ_j w_j Bin(v; k, p_j), where E_k is the share of S₁ that documents
    with k annotators hold. What nobody marks needs no model: F* depends on it through S₁ alone, which is observed.

    Parameters
    ----------
    sizes : ndarray of float64, shape (n_rows, n_cells)
        Sums of elements; a row for all documents, or one for each that is left out.

    Returns
    -------
    ndarray of float64, shape (n_rows, 100)
        Weights w of p = .01, .02 … 1.
    """
    binomial = _binomial(cells.votes, cells.annotators)
    units = sizes * (cells.votes / cells.annotators)
    groups = np.unique(cells.annotators, return_inverse=True)[1].reshape(-1)
    units_of_group = _columns_summed(units, groups)
    share = (units_of_group / units_of_group.sum(axis=1, keepdims=True))[:, groups]
    start = GRID**-2.0
    weights = start / start.sum() * sizes.sum(axis=1, keepdims=True)
    expected_of_weight = _products(share, binomial)
    for _ in range(_ROUNDS):
        expected = share * _products(weights, binomial.T)
        ratio = np.divide(sizes, expected, out=np.zeros_like(sizes), where=expected > 0)
        weights = weights * _products(ratio * share, binomial) / expected_of_weight
    return np.asarray(weights)


def marked_by_gold(cells: Cells, sizes: FloatArray, *, majority: bool, grid: FloatArray = GRID) -> FloatArray:
    """Return the share of gold standards that mark an element, for each p of the grid.

    That is p if one annotator is the gold standard, else P(Binomial(k, p) > k/2), a mean over the numbers of annotators
    of documents, weighted by their elements.
    """
    if not majority:
        return grid
    counts = grouped_sums(cells.annotators, sizes * cells.votes / cells.annotators, int(cells.annotators.max()) + 1)
    marked = np.zeros(len(grid))
    for k in np.flatnonzero(counts).tolist():
        votes = np.arange(k // 2 + 1, k + 1)
        marked += counts[k] / counts.sum() * _binomial(votes, np.full(len(votes), k), grid).sum(axis=0)
    return marked


def best_answer(weights: FloatArray, marked: FloatArray) -> Best:
    """Return the answer with the largest F1 against each row of weights; `marked` is the result of `marked_by_gold`."""
    order = np.argsort(-marked, kind="stable")
    correct = np.cumsum((weights * marked)[:, order], axis=1)
    answers = np.cumsum(weights[:, order], axis=1)
    gold = correct[:, -1:]
    f1 = 2.0 * correct / (answers + gold)
    best = f1.argmax(axis=1)
    rows = np.arange(len(weights))
    found = correct[rows, best]
    return Best(f1[rows, best], found / answers[rows, best], found / gold[:, 0])


def sharp_range(moments: FloatArray, marked: FloatArray) -> Range:
    """Return the smallest and the largest F* among the distributions of p that have these moments.

    For a given φ, an answer with F1 = φ exists if Σ (2q - φ)₊ ≥ φ Σ q, q being the share of gold standards that mark an
    element: both sums are linear in the distribution, so that a linear programme finds their extremes, and bisection
    finds φ.

    Parameters
    ----------
    moments : ndarray of float64, shape (depth,)
        Σ p^m / Σ p for m = 1 … depth; the first is 1.
    marked : ndarray of float64
        The result of `marked_by_gold` on `SHARP_GRID`.

    Raises
    ------
    SolverError
        If a linear programme has no solution.
    """
    return Range(_bisected(moments, marked, 1.0), _bisected(moments, marked, -1.0))


def fitted_moments(weights: FloatArray, depth: int) -> FloatArray:
    """Return Σ w p^m / Σ w p for m = 1 … depth of one row of weights."""
    first = (weights * GRID).sum()
    return np.array([(weights * GRID**m).sum() / first for m in range(1, depth + 1)])


def _bisected(moments: FloatArray, marked: FloatArray, sign: float) -> float:
    from scipy.optimize import linprog

    # |A x - b| ≤ slack as two inequalities
    powers = np.array([SHARP_GRID**m for m in range(1, len(moments) + 1)])
    matrix = np.vstack([powers, -powers])
    limits = np.concatenate([moments + _MOMENT_SLACK, _MOMENT_SLACK - moments])
    low = 0.0
    high = 1.0
    for _ in range(_BISECTIONS):
        f1 = (low + high) / 2.0
        surplus = np.maximum(2.0 * marked - f1, 0.0) - f1 * marked
        extreme = linprog(sign * surplus, A_ub=matrix, b_ub=limits, method="highs")
        if extreme.fun is None:
            raise SolverError(f"the range of the ceiling was not found: {extreme.message}")
        if sign * extreme.fun >= 0:
            low = f1
        else:
            high = f1
    return (low + high) / 2.0


def _binomial(votes: IntArray, annotators: IntArray, grid: FloatArray = GRID) -> FloatArray:
    """Return the probability of the votes for each p, shape (n_cells, n_grid)."""
    return np.array(
        [
            math.comb(k, v) * grid**v * (1.0 - grid) ** (k - v)
            for v, k in zip(votes.tolist(), annotators.tolist(), strict=True)
        ]
    )


def _products(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the matrix product; unlike that of a library for matrices, it has the same bits on every machine."""
    return np.asarray((left.T[:, :, None] * right[:, None, :]).sum(axis=0))


def _columns_summed(values: FloatArray, group: IntArray) -> FloatArray:
    """Return the sums of the columns of each group, shape (n_rows, n_groups)."""
    return np.ascontiguousarray(grouped_sums(group, np.ascontiguousarray(values.T), int(group.max()) + 1).T)
