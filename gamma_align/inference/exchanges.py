"""The exchange test of a difference between two annotations of the same documents.

If the two annotations differed by chance alone, each document could as well have them the other way round. p is the
share of such exchanges whose difference is at least as large: of all exchanges if there are few documents; if there are
many, of random ones, the data counting as one of them.

A value of a corpus is a function of sums over documents, and so of how often each document counts in either annotation:
an exchange measures nothing again. More than `MAX_BLOCKS` documents are divided into that number of runs of consecutive
documents, and each run is exchanged as a whole.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 15. Phipson & Smyth 2010, Permutation p-values should
never be zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.philox import stream_keys, uniform
from gamma_align.distances.forms import slices

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_BLOCKS = 500  # runs of documents that are exchanged

_MAX_CELLS = 4_000_000  # random numbers of a batch: 32 MB
_WORDS_PER_COUNTER = 4  # random numbers that Philox makes of a counter
_ROUNDING = 1e-9  # relative: differences closer than this are equal, added up in another order
_STREAM = "documents exchanged"  # the child of the seed


class Pool(Protocol):
    """Values of a corpus as functions of how often its documents count."""

    @property
    def n_documents(self) -> int:
        """Number of documents, which both annotations have."""

    def values(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> FloatArray:
        """Return the values, shape (n_sets, n_values), NaN if not available.

        `first` and `second`, shape (n_sets, n_documents), are how often each document counts in each set, as the first
        and as the second annotation have it.
        """


class Exchanges(NamedTuple):
    """Differences of several values: of the data (`estimate`), shape (n_values,), and `exchanged`, shape (n, n_values).

    `is_complete` is whether the exchanges are all possible ones.
    """

    estimate: FloatArray
    exchanged: FloatArray
    is_complete: bool

    def p_value(self, column: int) -> float:
        """Return the share of exchanges with a difference at least as large, of either sign; NaN without values."""
        exchanged, estimate = self.exchanged[:, column], abs(float(self.estimate[column]))
        exchanged = np.abs(exchanged[~np.isnan(exchanged)])
        if not len(exchanged):
            return math.nan
        as_large = int((exchanged >= estimate - _ROUNDING * max(estimate, 1.0)).sum())
        own = 0 if self.is_complete else 1  # the data are one of the exchanges
        return (as_large + own) / (len(exchanged) + own)


def exchange(pool: Pool, *, seed: int, replicates: int) -> Exchanges:
    """Return the differences of two annotations, and of `replicates` exchanges or of all if these are fewer."""
    blocks = Blocks.of(pool.n_documents)

    def differences(is_kept: FloatArray) -> FloatArray:
        kept, exchanged = blocks.weights(is_kept), blocks.weights(1.0 - is_kept)
        return pool.values(kept, exchanged) - pool.values(exchanged, kept)

    estimate = differences(np.ones((1, blocks.number)))[0]
    is_complete = 2**blocks.number <= replicates
    batches: Iterable[FloatArray] = _random_exchanges(seed, replicates, blocks.number)
    if is_complete:
        batches = [_all_exchanges(blocks.number)]
    return Exchanges(estimate, np.concatenate([differences(batch) for batch in batches]), is_complete)


class Blocks(NamedTuple):
    """Runs of consecutive documents that are exchanged, or left out, together.

    `membership`, shape (number, n_documents), is 1 for the documents of each run.
    """

    number: int
    membership: csr_matrix[np.float64]

    @classmethod
    def of(cls, n_documents: int) -> Blocks:
        """Divide documents into runs: one document each, or `MAX_BLOCKS` runs of about the same length."""
        number = min(n_documents, MAX_BLOCKS)
        document = np.arange(n_documents)
        block = document * number // n_documents
        return cls(number, _sparse((np.ones(n_documents), (block, document)), shape=(number, n_documents)))

    def weights(self, weights: FloatArray) -> csr_matrix[np.float64]:
        """Return the weights of documents from the weights of runs, shape (n_sets, number)."""
        return _sparse(weights) @ self.membership


def _sparse(*arguments: Any, **settings: Any) -> csr_matrix[np.float64]:  # noqa: ANN401  (those of `csr_matrix`)
    from scipy.sparse import csr_matrix

    matrix: csr_matrix[np.float64] = csr_matrix(*arguments, **settings)
    return matrix


def each_document(pool: Pool) -> tuple[FloatArray, FloatArray]:
    """Return the values of each document in the first and in the second annotation, (n_documents, n_values) each."""
    n = pool.n_documents
    alone = _sparse((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, n))
    nothing = _sparse((n, n))
    return pool.values(alone, nothing), pool.values(nothing, alone)


def _random_exchanges(seed: int, replicates: int, count: int) -> Iterator[FloatArray]:
    """Yield batches of replicates: 1 if a block keeps its two annotations, 0 if they are exchanged."""
    for numbers in _random_numbers(seed, _STREAM, replicates, count):
        yield (numbers < 1 / 2).astype(np.float64)


def _all_exchanges(count: int) -> FloatArray:
    numbers: IntArray = np.arange(2**count)
    return (numbers[:, None] >> np.arange(count) & 1).astype(np.float64)


def _random_numbers(seed: int, stream: str, replicates: int, count: int) -> Iterator[FloatArray]:
    """Yield random numbers in [0, 1), a row for each replicate, which depend only on seed, stream and replicate."""
    key = stream_keys(seed, [stream])
    per_row = -(-count // _WORDS_PER_COUNTER)
    for batch in slices(replicates, per_row * _WORDS_PER_COUNTER, _MAX_CELLS):
        n_rows = batch.stop - batch.start
        counter = np.zeros((n_rows * per_row, _WORDS_PER_COUNTER), dtype=np.uint64)
        counter[:, 0] = np.tile(np.arange(per_row), n_rows)
        counter[:, 1] = np.repeat(np.arange(batch.start, batch.stop), per_row)
        yield uniform(key.repeat(len(counter), axis=0), counter).reshape(n_rows, -1)[:, :count]
