"""The exchange test of a difference between two corpora.

If the two differ only by chance, each document that both have could just as well have its annotations exchanged, and
the documents that only one of them has could just as well be divided otherwise, with the same number in each. p is the
share of exchanges whose difference is at least as large as in the data: of all exchanges if both have the same few
documents; otherwise of random exchanges, with the data as one of them.

A value of a corpus is a function of sums over documents, and thus of the weight of each document in either annotation,
so nothing has to be measured again for an exchange. More than `MAX_BLOCKS` documents are divided into that number of
blocks of consecutive documents of one side, and each block is exchanged as a whole.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 15. Phipson & Smyth 2010, Permutation p-values should
never be zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from gamma_align import kernels
from gamma_align.columns import FloatArray, IntArray, WordArray
from gamma_align.data import in_unit_interval, stream_keys
from gamma_align.distances import slices

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Weights: TypeAlias = "FloatArray | csr_matrix[np.float64]"
"""Weights of documents, shape (n_sets, n_documents); sparse if the documents are many."""
# which of two corpora has a document
FIRST_ONLY = 1
SECOND_ONLY = 2
BOTH = 3
MAX_BLOCKS = 500  # of documents that are exchanged together

_MAX_CELLS = 4_000_000  # weights of a batch: 32 MB
_WORDS_PER_COUNTER = 4  # random words that Philox computes from a counter
_BITS = 64  # of a word
_TOLERANCE = 1e-9  # relative: sums in another order differ by rounding
_STREAM = "documents exchanged"  # the child of the seed


class Pool(Protocol):
    """Values of a corpus as functions of the weights of its documents."""

    @property
    def side(self) -> IntArray:
        """Which corpus has each document, shape (n_documents,): the first (1), the second (2), both (3)."""

    def values(self, first: Weights, second: Weights) -> FloatArray:
        """Return the values, shape (n_sets, n_values), NaN if not available.

        `first` and `second`, shape (n_sets, n_documents), are the weights of each document in each set, in the first
        and in the second corpus.
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
        exchanged = self.exchanged[:, column]
        estimate = abs(float(self.estimate[column]))
        exchanged = np.abs(exchanged[~np.isnan(exchanged)])
        if not len(exchanged):
            return math.nan
        n_as_large = int((exchanged >= estimate - _TOLERANCE * max(estimate, 1.0)).sum())
        n_data = 0 if self.is_complete else 1  # random exchanges do not include the data themselves
        return (n_as_large + n_data) / (len(exchanged) + n_data)


def exchange(pool: Pool, *, seed: int, replicates: int) -> Exchanges:
    """Return the differences of two corpora, in the data and after exchanges of documents between the corpora.

    There are `replicates` random exchanges, or all possible exchanges if these are fewer.
    """
    blocks = Blocks.of(pool.side)

    def differences(is_kept: FloatArray) -> FloatArray:
        kept = blocks.weights(is_kept)
        exchanged = blocks.weights(1.0 - is_kept)
        return pool.values(kept, exchanged) - pool.values(exchanged, kept)

    estimate = differences(np.ones((1, blocks.n_blocks)))[0]
    is_complete = bool((blocks.side == BOTH).all()) and 2**blocks.n_blocks <= replicates
    batches: Iterable[FloatArray] = _random_exchanges(seed, replicates, blocks.side)
    if is_complete:
        batches = [_all_exchanges(blocks.n_blocks)]
    return Exchanges(estimate, np.concatenate([differences(batch) for batch in batches]), is_complete)


class Blocks(NamedTuple):
    """Blocks of consecutive documents that are exchanged, or left out, together.

    `side`, shape (n_blocks,), is the side of the documents of each block (see `Pool.side`). `block`, shape
    (n_documents,), is an index into the blocks.
    """

    side: IntArray
    block: IntArray

    @classmethod
    def of(cls, side: IntArray) -> Blocks:
        """Divide documents into blocks of one side: one document each, or about `MAX_BLOCKS` of about one length."""
        n_documents = len(side)
        share = min(1.0, MAX_BLOCKS / max(n_documents, 1))
        block = np.empty(n_documents, dtype=np.int64)
        sides: list[int] = []
        for corpus_code in sorted({*side.tolist()}):
            members = np.flatnonzero(side == corpus_code)
            n_blocks = max(round(share * len(members)), 1)
            block[members] = len(sides) + np.arange(len(members)) * n_blocks // len(members)
            sides += [corpus_code] * n_blocks
        return cls(np.array(sides, dtype=np.int64), block)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.side)

    def weights(self, weights: FloatArray) -> Weights:
        """Return the weight of each document, that of its block, shape (n_sets, n_documents); sparse if they are many.

        `weights` has the shape (n_sets, n_blocks).
        """
        n_documents = len(self.block)
        if n_documents <= MAX_BLOCKS:  # each is a block; of one side after the other
            return weights if np.array_equal(self.block, np.arange(n_documents)) else weights[:, self.block]
        from scipy.sparse import csr_matrix

        shape = (self.n_blocks, n_documents)
        membership = csr_matrix((np.ones(n_documents), (self.block, np.arange(n_documents))), shape=shape)
        return csr_matrix(weights) @ membership


def each_document(pool: Pool) -> tuple[FloatArray, FloatArray]:
    """Return the values of each document in the first and in the second corpus, (n_documents, n_values) each."""
    from scipy.sparse import csr_matrix

    n = len(pool.side)
    single = csr_matrix((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, n))
    none: csr_matrix[np.float64] = csr_matrix((n, n))
    return pool.values(single, none), pool.values(none, single)


def _random_exchanges(seed: int, replicates: int, side: IntArray) -> Iterator[FloatArray]:
    """Yield batches of replicates, shape (n, n_blocks): 1 if a block keeps its side, 0 if it is exchanged.

    Of the blocks that only one corpus has, those with the lowest random numbers are in the first corpus; there are as
    many as in the data.
    """
    shared = np.flatnonzero(side == BOTH)
    unshared = np.flatnonzero(side != BOTH)
    is_first = side[unshared] == FIRST_ONLY
    n_first = int(np.count_nonzero(is_first))
    # A bit is enough for a block of both.
    n_words = -(-len(shared) // _BITS)
    for words in _random_words(seed, _STREAM, replicates, n_words + len(unshared), len(side)):
        kept = np.empty((len(words), len(side)))
        octets = words[:, :n_words].astype("<u8").view(np.uint8)
        kept[:, shared] = np.unpackbits(octets, axis=1, count=len(shared), bitorder="little")
        if len(unshared):
            drawn = in_unit_interval(words[:, n_words:])
            # The first numbers up to the n-th smallest one; none if there are no blocks of the first.
            limits = np.sort(drawn, axis=1)[:, n_first - 1 : n_first] if n_first else np.full((len(drawn), 1), -1.0)
            kept[:, unshared] = (drawn <= limits) == is_first
        yield kept


def _all_exchanges(count: int) -> FloatArray:
    """Return all combinations of `count` blocks that keep their side (1) or are exchanged (0), a row for each."""
    numbers: IntArray = np.arange(2**count)
    return (numbers[:, None] >> np.arange(count) & 1).astype(np.float64)


def random_numbers(seed: int, stream: str, replicates: int, count: int) -> Iterator[FloatArray]:
    """Yield random numbers in [0, 1), a row for each replicate, which depend only on seed, stream and replicate."""
    for words in _random_words(seed, stream, replicates, count, count):
        yield in_unit_interval(words)


def _random_words(seed: int, stream: str, replicates: int, count: int, width: int) -> Iterator[WordArray]:
    """Yield `count` random words of 64 bits, a row for each replicate; the rows of a batch make arrays of a width."""
    key = stream_keys(seed, [stream])
    per_row = -(-count // _WORDS_PER_COUNTER)
    for batch in slices(replicates, max(width, per_row * _WORDS_PER_COUNTER), _MAX_CELLS):
        n_rows = batch.stop - batch.start
        counter = np.zeros((n_rows * per_row, _WORDS_PER_COUNTER), dtype=np.uint64)
        counter[:, 0] = np.tile(np.arange(per_row), n_rows)
        counter[:, 1] = np.repeat(np.arange(batch.start, batch.stop), per_row)
        yield kernels.philox(key.repeat(len(counter), axis=0), counter).reshape(n_rows, -1)[:, :count]
