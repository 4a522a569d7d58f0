"""Intervals by resampling rows of additive numbers: documents, or parts of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.sparse import csr_matrix

    from gamma_align._types import FloatArray

_STREAM = 0xB007  # the bootstrap's own child of the seed, apart from every document's
_CELLS = 4_000_000
LEVEL = 0.95


def bootstrap_ratios(
    observed: FloatArray, expected: FloatArray, *, seed: int, replicates: int
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the 95 % percentile interval of 1 - Σ observed / Σ expected, for each column.

    Parameters
    ----------
    observed, expected : ndarray of float64, shape (n_documents, n_columns)
        What each document adds to the two sums; zero where it has no part in a column.
    seed : int
        Seed of the resampling.
    replicates : int
        How many corpora to draw, documents with replacement.

    Returns
    -------
    low, high : ndarray of float64, shape (n_columns,)
        NaN where no replicate has a value.
    """
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (its products add up in a fixed order on every machine)

    columns = observed.shape[1]
    both = csr_matrix(np.concatenate([observed, expected], axis=1).T)
    values = []
    for sums in resampled_sums(both, seed=seed, replicates=replicates):
        with np.errstate(divide="ignore", invalid="ignore"):
            values.append(1.0 - sums[:columns] / sums[columns:])
    return percentile_interval(np.concatenate(values, axis=1))


def resampled_sums(parts: csr_matrix[np.float64], *, seed: int, replicates: int) -> Iterator[FloatArray]:
    """Yield sums over rows drawn with replacement, as many as there are, some replicates at a time.

    Parameters
    ----------
    parts : sparse matrix, shape (n_columns, n_rows)
        What each row (a document, say) adds to each sum.
    seed : int
        Seed of the drawing; the replicates are the same however many come at a time.
    replicates : int
        How many times to draw.

    Yields
    ------
    ndarray of float64, shape (n_columns, n_some)
    """
    columns, rows = parts.shape
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(_STREAM,))))
    step = max(1, _CELLS // max(rows, columns, 1))
    for begin in range(0, replicates, step):
        some = min(step, replicates - begin)
        picked = draw.integers(rows, size=(some, rows)) + rows * np.arange(some)[:, None]
        counts = np.bincount(picked.ravel(), minlength=some * rows).reshape(some, rows)
        yield parts @ counts.T.astype(np.float64)


def percentile_interval(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of the 95 % percentile interval of each row of replicates; NaN where none has a value."""
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    for column, row in enumerate(values):
        finite = row[np.isfinite(row)]
        if len(finite):
            low[column], high[column] = np.quantile(finite, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return low, high
