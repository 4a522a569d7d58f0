"""The exchange test of a difference between two annotations of the same documents.

If the two annotations differed by chance alone, each document could as well have them the other way round. p is the
share of such exchanges whose difference is at least as large: of all exchanges if there are few documents; if there are
many, of random ones, the data counting as one of them.

A value of a corpus is a function of numbers that add up over documents, and so of how often each document counts in
either annotation: an exchange measures nothing again. More than `MAX_BLOCKS` documents are exchanged in so many runs
of consecutive ones.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 15. Phipson & Smyth 2010, Permutation p-values should
never be zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.philox import stream_keys, uniform
from gamma_align.distances.forms import slices

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_BLOCKS = 500

_CELLS = 4_000_000
_WORDS = 4  # random numbers of a counter
_ROUNDING = 1e-9  # two differences so near to each other are the same, added up in another order
_STREAM = "documents exchanged"  # the child of the seed


class Pool(Protocol):
    """Values of a corpus as functions of how often its documents count."""

    @property
    def n_documents(self) -> int:
        """How many documents both annotations have."""

    def values(self, first: csr_matrix[np.float64], second: csr_matrix[np.float64]) -> FloatArray:
        """Return the values, shape (n_sets, n_values), NaN where there is none.

        `first` and `second` are how often each document counts in each set, as the first and as the second annotation
        have it, shape (n_sets, n_documents).
        """


class Exchanges(NamedTuple):
    """Differences of several values: `estimate`, shape (n_values,), and those of exchanges, shape (n, n_values).

    `every_exchange` is whether the exchanges are all there are.
    """

    estimate: FloatArray
    exchanged: FloatArray
    every_exchange: bool

    def p_value(self, column: int) -> float:
        """Return the share of exchanges with a difference as large, to both sides; NaN where none has a value."""
        exchanged, estimate = self.exchanged[:, column], abs(float(self.estimate[column]))
        exchanged = np.abs(exchanged[~np.isnan(exchanged)])
        if not len(exchanged):
            return math.nan
        as_large = int((exchanged >= estimate - _ROUNDING * max(estimate, 1.0)).sum())
        own = 0 if self.every_exchange else 1  # the data are one of the exchanges
        return (as_large + own) / (len(exchanged) + own)


def exchange(pool: Pool, *, seed: int, replicates: int) -> Exchanges:
    """Return the differences of the values of two annotations, and those with annotations exchanged."""
    blocks = Blocks.of(pool.n_documents)

    def exchanges(kept: FloatArray) -> FloatArray:
        same, other = blocks.weights(kept), blocks.weights(1.0 - kept)
        return pool.values(same, other) - pool.values(other, same)

    every = 2**blocks.number <= replicates
    kept = [_all_exchanges(blocks.number)] if every else _exchanges(seed, replicates, blocks.number)
    return Exchanges(
        exchanges(np.ones((1, blocks.number)))[0], np.concatenate([exchanges(weights) for weights in kept]), every
    )


class Blocks(NamedTuple):
    """Runs of consecutive documents that are exchanged, or left out, together: `onto` has a row for each."""

    number: int
    onto: csr_matrix[np.float64]

    @classmethod
    def of(cls, documents: int) -> Blocks:
        """Return the runs of so many documents, one document each if they are not many."""
        number = min(documents, MAX_BLOCKS)
        block = np.arange(documents) * number // documents
        return cls(number, _sparse((np.ones(documents), (block, np.arange(documents))), shape=(number, documents)))

    def weights(self, weights: FloatArray) -> csr_matrix[np.float64]:
        """Return the weights of documents for those of blocks, shape (n_sets, number)."""
        return _sparse(weights) @ self.onto


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


def _exchanges(seed: int, replicates: int, count: int) -> Iterator[FloatArray]:
    """Yield 1 where a block keeps its two annotations and 0 where they are exchanged, some replicates at a time."""
    for numbers in _numbers(seed, _STREAM, replicates, count):
        yield (numbers < 1 / 2).astype(np.float64)


def _all_exchanges(count: int) -> FloatArray:
    numbers: IntArray = np.arange(2**count)
    return (numbers[:, None] >> np.arange(count) & 1).astype(np.float64)


def _numbers(seed: int, stream: str, replicates: int, count: int) -> Iterator[FloatArray]:
    """Yield random numbers in [0, 1), a row for each replicate, which depend on seed, stream and replicate alone."""
    key = stream_keys(seed, [stream])
    per_row = -(-count // _WORDS)
    for part in slices(replicates, per_row * _WORDS, _CELLS):
        rows = part.stop - part.start
        counter = np.zeros((rows * per_row, _WORDS), dtype=np.uint64)
        counter[:, 0] = np.tile(np.arange(per_row), rows)
        counter[:, 1] = np.repeat(np.arange(part.start, part.stop), per_row)
        yield uniform(key.repeat(len(counter), axis=0), counter).reshape(rows, -1)[:, :count]
