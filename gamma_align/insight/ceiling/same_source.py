"""Pairs of annotators that agree more than their agreement with all others explains.

If annotators mark elements independently of each other, the number of elements that a and b share is a product of a
part of a and a part of b, whatever the difficulty of the elements and the quality of the annotators:
log C_ab = r_a + r_b. A pair with one source (copies, the same suggestions, one model) lies above it.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, grouped_sums
from gamma_align.inference import jackknife_errors, t_probability
from gamma_align.measures.reference import Votes

MIN_ANNOTATORS = 4  # among three, log C_ab = r_a + r_b always holds
_MIN_DOCUMENTS = 5  # that all annotators saw: an error from fewer is not worth a test
_LEVEL = 0.05  # of a false alarm, all pairs together
# By which a pair must lie above the others, so that no difference without effect on a ceiling is named.
_MIN_RATIO = 1.1


class PairExcess(NamedTuple):
    """How much more two annotators share than their agreement with the others explains.

    Attributes
    ----------
    first, second : int
        Indices into the annotators of the corpus.
    ratio : float
        Elements that both mark, divided by the number that the other pairs predict.
    statistic : float
        log ratio divided by its standard error, a jackknife over documents.
    p : float
        One-sided probability of such a statistic without a common source, times the number of pairs; at most 1.
    """

    first: int
    second: int
    ratio: float
    statistic: float
    p: float


def find_same_source(votes: Votes, seen: BoolArray) -> list[PairExcess]:
    """Return the pairs that have one source by the test, the largest excess first.

    After each, the second annotator of the pair is left out and the others are tested again.

    Parameters
    ----------
    seen : ndarray of bool, shape (n_documents, n_annotators)
        Which annotators saw which documents; an annotator who saw none is left out.
    """
    found: list[PairExcess] = []
    remaining = np.flatnonzero(seen.any(axis=0)).tolist()
    while True:
        excesses = pair_excesses(votes, seen, remaining)
        if not excesses:
            return found
        largest = max(excesses, key=lambda pair: pair.ratio)
        if largest.p >= _LEVEL or largest.ratio <= _MIN_RATIO:
            return found
        found.append(largest)
        remaining = [annotator for annotator in remaining if annotator != largest.second]


def pair_excesses(votes: Votes, seen: BoolArray, annotators: list[int]) -> list[PairExcess]:
    """Return the excess of every pair of these annotators, on the documents that all of them saw.

    The result is empty for fewer than four annotators or five documents, or if a pair shares nothing.
    """
    if len(annotators) < MIN_ANNOTATORS:
        return []
    documents = np.flatnonzero(seen[:, annotators].all(axis=1))
    if len(documents) < _MIN_DOCUMENTS:
        return []
    shared = _shared_by_document(votes, annotators)[documents]
    total = shared.sum(axis=0)
    without = total - shared
    if not (without > 0).all():
        return []
    n_annotators = len(annotators)
    pairs = [*combinations(range(n_annotators), 2)]
    residual = _deleted_residuals(np.log(total)[None], pairs, n_annotators)[0]
    replicates = _deleted_residuals(np.log(without), pairs, n_annotators)
    n_documents = len(shared)
    error = jackknife_errors(replicates)
    excesses = []
    for (first, second), excess, standard_error in zip(pairs, residual.tolist(), error.tolist(), strict=True):
        statistic = excess / standard_error if standard_error > 0 else 0.0
        p = min(t_probability(-statistic, n_documents - 1) * len(pairs), 1.0)
        excesses.append(PairExcess(annotators[first], annotators[second], float(np.exp(excess)), statistic, p))
    return excesses


def _shared_by_document(votes: Votes, annotators: list[int]) -> FloatArray:
    """Return the sizes of the elements that each pair shares, shape (n_documents, n_pairs)."""
    marks = np.zeros((len(votes.document), len(annotators)), dtype=np.bool_)
    for column, annotator in enumerate(annotators):
        marks[votes.element[votes.annotator == annotator], column] = True
    sums = []
    for first, second in combinations(range(len(annotators)), 2):
        elements = np.flatnonzero(marks[:, first] & marks[:, second])
        sums.append(grouped_sums(votes.document[elements], votes.size[elements], len(votes.n_seen)))
    return np.stack(sums, axis=1)


def _deleted_residuals(logs: FloatArray, pairs: list[tuple[int, int]], n_annotators: int) -> FloatArray:
    """Return the residual of each pair from the fit r_a + r_b to all others, in the shape of `logs`.

    By least squares r_a = (T_a - T / (n - 1)) / (n - 2), T_a being the sum over the pairs of a and T over all. Each
    pair has the same leverage 2 / (n - 1).
    """
    sums = np.zeros((len(logs), n_annotators))
    for column, (first, second) in enumerate(pairs):
        sums[:, first] += logs[:, column]
        sums[:, second] += logs[:, column]
    total = sums.sum(axis=1, keepdims=True) / 2.0
    parts = (sums - total / (n_annotators - 1)) / (n_annotators - 2)
    firsts, seconds = np.array(pairs).T
    residuals = logs - parts[:, firsts] - parts[:, seconds]
    return np.asarray(residuals / (1.0 - 2.0 / (n_annotators - 1)))
