"""Documents resampled in two annotations at once: an interval of the difference of two values, and a test of it.

A value of a corpus is a function of numbers that add up over documents. So it is a function of how often each document
counts, in the one annotation and in the other, and no resample measures anything again:

* interval: documents are drawn with replacement, the same ones for both annotations, and the difference is taken of
  each draw: BCa (Efron 1987). With few documents such intervals are too narrow, for two reasons that are known: the
  variance of draws is (n - 1)/n of what it should be, and quantiles are those of a normal distribution. So the normal
  quantile is replaced by Student's, √(n/(n - 1)) times as far out (Hesterberg 2015, "expanded percentiles"); n are the
  documents with any disagreement.
* test: if the two annotations did not differ but by chance, each document could as well have them the other way round.
  p is the share of such exchanges whose difference is at least as large: of all of them where there are few documents,
  of random ones (and the data themselves) where there are many.

More than `MOST_BLOCKS` documents are drawn and exchanged in so many runs of consecutive ones.

References
----------
Efron 1987, Better bootstrap confidence intervals, JASA 82. Efron & Tibshirani 1993, ch. 14. Hesterberg 2015, What
teachers should know about the bootstrap, The American Statistician 69. Phipson & Smyth 2010, Permutation p-values
should never be zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.philox import stream_keys, uniform
from gamma_align.distances.forms import slices
from gamma_align.results.estimates import LEVEL, student
from gamma_align.results.jackknife import ConfidenceInterval, no_interval

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FEWEST = 5
FEW_DOCUMENTS = "fewer than five documents with disagreement"
NO_VALUE = "too many resamples have no value"
MOST_BLOCKS = 500

_CELLS = 4_000_000
_WORDS = 4  # random numbers of a counter
_SHARE_WITHOUT = 0.05  # of resamples that may have no value
_ROUNDING = 1e-9  # two differences so near to each other are the same, added up in another order
_DRAWN, _EXCHANGED = "documents drawn", "documents exchanged"


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


class Resamples(NamedTuple):
    """Differences of several values: of draws, of exchanges, and without some documents, shape (n, n_values) each.

    `every_exchange` is whether the exchanges are all there are.
    """

    estimate: FloatArray
    drawn: FloatArray
    exchanged: FloatArray
    without: FloatArray
    every_exchange: bool

    def interval(self, column: int, disagreeing: int) -> ConfidenceInterval:
        """Return the interval of one value; `disagreeing` documents have disagreement in either annotation."""
        drawn, without = self.drawn[:, column], self.without[:, column]
        drawn = drawn[~np.isnan(drawn)]
        error = float(np.std(drawn, ddof=1)) if len(drawn) > 1 else math.nan
        if disagreeing < FEWEST:
            return no_interval(FEW_DOCUMENTS, error)
        if len(drawn) < (1.0 - _SHARE_WITHOUT) * len(self.drawn) or np.isnan(without).any():
            return no_interval(NO_VALUE, error)
        low, high = bca(float(self.estimate[column]), drawn, without, disagreeing)
        return ConfidenceInterval(low, high, error)

    def p_value(self, column: int) -> float:
        """Return the share of exchanges with a difference as large, to both sides; NaN where none has a value."""
        exchanged, estimate = self.exchanged[:, column], abs(float(self.estimate[column]))
        exchanged = np.abs(exchanged[~np.isnan(exchanged)])
        if not len(exchanged):
            return math.nan
        as_large = int((exchanged >= estimate - _ROUNDING * max(estimate, 1.0)).sum())
        own = 0 if self.every_exchange else 1  # the data are one of the exchanges
        return (as_large + own) / (len(exchanged) + own)


def resample(pool: Pool, *, seed: int, replicates: int) -> Resamples:
    """Return the differences of the values of two annotations, on all documents and on resamples of them."""
    blocks = _Blocks.of(pool.n_documents)

    def differences(weights: FloatArray) -> FloatArray:
        counted, nothing = blocks.weights(weights), blocks.weights(np.zeros_like(weights))
        return pool.values(counted, nothing) - pool.values(nothing, counted)

    def exchanges(kept: FloatArray) -> FloatArray:
        same, other = blocks.weights(kept), blocks.weights(1.0 - kept)
        return pool.values(same, other) - pool.values(other, same)

    every = 2**blocks.number <= replicates
    kept = [_all_exchanges(blocks.number)] if every else _exchanges(seed, replicates, blocks.number)
    return Resamples(
        differences(np.ones((1, blocks.number)))[0],
        np.concatenate([differences(weights) for weights in _draws(seed, replicates, blocks.number)]),
        np.concatenate([exchanges(weights) for weights in kept]),
        differences(1.0 - np.eye(blocks.number)),
        every,
    )


class _Blocks(NamedTuple):
    """Runs of consecutive documents that are drawn and exchanged together: `onto` has a row for each."""

    number: int
    onto: csr_matrix[np.float64]

    @classmethod
    def of(cls, documents: int) -> _Blocks:
        number = min(documents, MOST_BLOCKS)
        block = np.arange(documents) * number // documents
        return cls(number, _sparse((np.ones(documents), (block, np.arange(documents))), shape=(number, documents)))

    def weights(self, weights: FloatArray) -> csr_matrix[np.float64]:
        """Return the weights of documents for those of blocks, shape (n_sets, number)."""
        return _sparse(weights) @ self.onto


def _sparse(*arguments: Any, **settings: Any) -> csr_matrix[np.float64]:  # noqa: ANN401  (those of `csr_matrix`)
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (its products add up in a fixed order on every machine)

    matrix: csr_matrix[np.float64] = csr_matrix(*arguments, **settings)
    return matrix


def each_document(pool: Pool) -> tuple[FloatArray, FloatArray]:
    """Return the values of each document in the first and in the second annotation, (n_documents, n_values) each."""
    n = pool.n_documents
    alone = _sparse((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, n))
    nothing = _sparse((n, n))
    return pool.values(alone, nothing), pool.values(nothing, alone)


def _draws(seed: int, replicates: int, count: int) -> Iterator[FloatArray]:
    """Yield how often each block is drawn, some replicates at a time."""
    for numbers in _numbers(seed, _DRAWN, replicates, count):
        block = (numbers * count).astype(np.int64) + np.arange(len(numbers))[:, None] * count
        yield np.bincount(block.reshape(-1), minlength=numbers.size).reshape(numbers.shape).astype(np.float64)


def _exchanges(seed: int, replicates: int, count: int) -> Iterator[FloatArray]:
    """Yield 1 where a block keeps its two annotations and 0 where they are exchanged, some replicates at a time."""
    for numbers in _numbers(seed, _EXCHANGED, replicates, count):
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


def bca(estimate: float, drawn: FloatArray, without: FloatArray, documents: int) -> tuple[float, float]:
    """Return the BCa interval, with Student's quantiles for so many documents.

    `drawn` are the values of resamples, `without` those with each document (or block of documents) left out.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (not before it is needed)

    below = np.count_nonzero(drawn < estimate) + np.count_nonzero(drawn == estimate) / 2
    bias = float(ndtri((below + 0.5) / (len(drawn) + 1)))
    skewness = _acceleration(without)
    reach = student(documents - 1, LEVEL) * math.sqrt(documents / (documents - 1))

    def quantile(normal: float) -> float:
        stretch = 1.0 - skewness * (bias + normal)
        shifted = bias + (bias + normal) / stretch if stretch > 0 else math.copysign(math.inf, normal)
        return float(np.quantile(drawn, float(ndtr(shifted))))

    return quantile(-reach), quantile(reach)


def _acceleration(without: FloatArray) -> float:
    """Return the acceleration: a sixth of the skewness of what each document moves the value by."""
    moved = without.mean() - without
    square = math.fsum(moved**2)
    return math.fsum(moved**3) / (6.0 * square**1.5) if square > 0 else 0.0
