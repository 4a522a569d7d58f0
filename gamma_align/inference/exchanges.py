"""The exchange test of a difference between two annotations of the same documents.

If the two annotations differ only by chance, each document could just as well have them exchanged. p is the share of
exchanges whose difference is at least as large as in the data: of all exchanges if there are few documents;
otherwise of random exchanges, with the data as one of them.

A value of a corpus is a function of sums over documents, and thus of the weight of each document in either annotation,
so nothing has to be measured again for an exchange. More than `MAX_BLOCKS` documents are divided into that number of
blocks of consecutive documents, and each block is exchanged as a whole.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 15. Phipson & Smyth 2010, Permutation p-values should
never be zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.philox import stream_keys, uniform
from gamma_align.distances.forms import slices

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_BLOCKS = 500  # of documents that are exchanged together

_MAX_CELLS = 4_000_000  # random numbers of a batch: 32 MB
_NUMBERS_PER_COUNTER = 4  # random numbers that Philox computes from a counter
_TOLERANCE = 1e-9  # relative: sums in another order differ by rounding
_STREAM = "documents exchanged"  # the child of the seed


class Pool(Protocol):
    """Values of a corpus as functions of the weights of its documents."""

    @property
    def n_documents(self) -> int:
        """Number of documents, which both annotations have."""

    def values(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> FloatArray:
        """Return the values, shape (n_sets, n_values), NaN if not available.

        `first` and `second`, shape (n_sets, n_documents), are the weights of each document in each set, in the first
        and in the second annotation.
        """


class Exchanges(NamedTuple):
    """Differences of several values: of the data (`estimate`), shape (n_values,), and `exchanged`, shape (n, n_values).

    `is_complete` is True if these are all possible exchanges.
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
        n_as_large = int((exchanged >= estimate - _TOLERANCE * max(estimate, 1.0)).sum())
        n_data = 0 if self.is_complete else 1  # random exchanges do not include the data themselves
        return (n_as_large + n_data) / (len(exchanged) + n_data)


def exchange(pool: Pool, *, seed: int, replicates: int) -> Exchanges:
    """Return the differences of two annotations, and of `replicates` exchanges or of all if these are fewer."""
    blocks = Blocks.of(pool.n_documents)

    def differences(is_kept: FloatArray) -> FloatArray:
        kept, exchanged = blocks.weights(is_kept), blocks.weights(1.0 - is_kept)
        return pool.values(kept, exchanged) - pool.values(exchanged, kept)

    estimate = differences(np.ones((1, blocks.n_blocks)))[0]
    is_complete = 2**blocks.n_blocks <= replicates
    batches: Iterable[FloatArray] = _random_exchanges(seed, replicates, blocks.n_blocks)
    if is_complete:
        batches = [_all_exchanges(blocks.n_blocks)]
    return Exchanges(estimate, np.concatenate([differences(batch) for batch in batches]), is_complete)


class Blocks(NamedTuple):
    """Blocks of consecutive documents that are exchanged, or left out, together.

    `membership`, shape (n_blocks, n_documents), is 1 for the documents of each block.
    """

    n_blocks: int
    membership: csr_matrix[np.float64]

    @classmethod
    def of(cls, n_documents: int) -> Blocks:
        """Divide documents into blocks: one document each, or `MAX_BLOCKS` blocks of about the same length."""
        from scipy.sparse import csr_matrix

        n_blocks = min(n_documents, MAX_BLOCKS)
        document = np.arange(n_documents)
        block = document * n_blocks // n_documents
        return cls(n_blocks, csr_matrix((np.ones(n_documents), (block, document)), shape=(n_blocks, n_documents)))

    def weights(self, weights: FloatArray) -> csr_matrix[np.float64]:
        """Return the weights of documents from the weights of blocks, shape (n_sets, n_blocks)."""
        from scipy.sparse import csr_matrix

        return csr_matrix(weights) @ self.membership


def each_document(pool: Pool) -> tuple[FloatArray, FloatArray]:
    """Return the values of each document in the first and in the second annotation, (n_documents, n_values) each."""
    from scipy.sparse import csr_matrix

    n = pool.n_documents
    single = csr_matrix((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, n))
    none: csr_matrix[np.float64] = csr_matrix((n, n))
    return pool.values(single, none), pool.values(none, single)


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
    per_row = -(-count // _NUMBERS_PER_COUNTER)
    for batch in slices(replicates, per_row * _NUMBERS_PER_COUNTER, _MAX_CELLS):
        n_rows = batch.stop - batch.start
        counter = np.zeros((n_rows * per_row, _NUMBERS_PER_COUNTER), dtype=np.uint64)
        counter[:, 0] = np.tile(np.arange(per_row), n_rows)
        counter[:, 1] = np.repeat(np.arange(batch.start, batch.stop), per_row)
        yield uniform(key.repeat(len(counter), axis=0), counter).reshape(n_rows, -1)[:, :count]
