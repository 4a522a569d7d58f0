"""Evidence in nats: log likelihood ratios of counts, their dispersion over documents, and the price of looking.

All ratios are one-sided: they are 0 unless the first rate is the higher one. The *net* evidence of a candidate is its
log likelihood ratio, divided by the dispersion of its counts over documents, less ln of the number of candidates tried.
The probability that the best of all candidates reaches t nats by chance is at most exp(-t) (no-hypercompression
inequality, Grünwald 2007, §3.3).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from gamma_align.columns import BoolArray, FloatArray, IntArray, numbered, ranges

Counts = npt.ArrayLike

MIN_NET = 5.0  # nats; the probability by chance is at most exp(-5) = .007
# Nats from which on an annotator is named; with 3, roles exchanged in novels_ner name somebody in 15 %.
MIN_ATTRIBUTION = 4.0
EVIDENCE_TOLERANCE = 1e-6  # nats; limits of evidence are off by rounding errors
# Counted beside the documents of a scope for its dispersion: one of six documents may be odd by chance.
N_USUAL_DOCUMENTS = 10.0


# Entering `errstate` takes as long as a small sum, so the two private functions leave it to the public ones.


def _times_log(factor: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return factor · ln(ratio), 0 if the factor is 0."""
    result: FloatArray = np.where(factor > 0, factor * np.log(ratio), 0.0)
    return result


def _binomial_evidence(hits: FloatArray, total: FloatArray, rate: FloatArray) -> FloatArray:
    misses = total - hits
    ratio = _times_log(hits, hits / (total * rate)) + _times_log(misses, misses / (total * (1.0 - rate)))
    result: FloatArray = np.where((total > 0) & (hits > total * rate), ratio, 0.0)
    return result


def binomial_evidence(hits: Counts, total: Counts, rate: Counts) -> FloatArray:
    """Return the log likelihood ratio of `hits` of `total` against a given rate; 0 if the rate is not exceeded."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _binomial_evidence(np.asarray(hits, float), np.asarray(total, float), np.asarray(rate, float))


def poisson_evidence(count: Counts, expected: Counts) -> FloatArray:
    """Return the log likelihood ratio of a count against an expected count; 0 if that is not exceeded."""
    count = np.asarray(count, float)
    expected = np.asarray(expected, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = _times_log(count, count / expected) - (count - expected)
    result: FloatArray = np.where(count > expected, ratio, 0.0)
    return result


def contrast_evidence(hits: Counts, total: Counts, other_hits: Counts, other_total: Counts) -> FloatArray:
    """Return the log likelihood ratio of two rates against one common rate; 0 unless the first is higher."""
    hits = np.asarray(hits, float)
    total = np.asarray(total, float)
    other_hits = np.asarray(other_hits, float)
    other_total = np.asarray(other_total, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled = (hits + other_hits) / (total + other_total)
        other_misses = other_total - other_hits
        other_missing = other_total * (1.0 - pooled)
        ratio = (
            _binomial_evidence(hits, total, pooled)
            + _times_log(other_hits, other_hits / (other_total * pooled))
            + _times_log(other_misses, other_misses / other_missing)
        )
    is_higher = (total > 0) & (other_total > 0) & (hits * other_total > other_hits * total)
    result: FloatArray = np.where(is_higher, ratio, 0.0)
    return result


def dispersions(group: IntArray, hits: Counts, total: Counts, n_groups: int, n_usual: float = 0.0) -> FloatArray:
    """Return the dispersion φ of the counts of each group over its documents, at least 1, shape (n_groups,).

    φ is Pearson's χ² / (D - 1) of the rates of D documents against the rate of the group. With `n_usual`, documents
    without dispersion are added: (χ² + n) / (D - 1 + n). The arrays have one entry for each group and document.
    """
    hits = np.asarray(hits, float)
    total = np.asarray(total, float)
    group_hits = np.bincount(group, hits, n_groups)
    group_total = np.bincount(group, total, n_groups)
    n_documents = np.bincount(group[total > 0], minlength=n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = (group_hits / group_total)[group]
        variance = total * rate * (1.0 - rate)
        terms = np.where(variance > 0, (hits - total * rate) ** 2 / variance, 0.0)
        # One place alone cannot vary more than by chance: its term is 1 in the mean, but large beside a rate near 1.
        terms = np.where((variance > 0) & (total <= 1), 1.0, terms)
        statistic = (np.bincount(group, terms, n_groups) + n_usual) / (n_documents - 1 + n_usual)
    result: FloatArray = np.where(n_documents > 1, np.maximum(statistic, 1.0), 1.0)
    return result


def dispersion(hits: Counts, total: Counts) -> float:
    """Return the dispersion φ of counts over documents, at least 1."""
    hits = np.asarray(hits, float)
    return float(dispersions(np.zeros(len(hits), dtype=np.int64), hits, total, 1)[0])


def dispersion_by_document(document: IntArray, is_total: BoolArray, is_hit: BoolArray) -> float:
    """Return the dispersion φ of the share of hits over documents, given the document of each place and two marks."""
    documents, entry = numbered(document[is_total])
    total = np.bincount(entry, minlength=len(documents))
    return dispersion(np.bincount(entry, is_hit[is_total], len(documents)), total)


def run_log_probability(alpha: FloatArray, scale: FloatArray, length: IntArray) -> FloatArray:
    """Return ln of the probability of `length` hits in a row if rates have beta distributions, shape (n_runs,).

    The rates have the mean α / scale, and the distribution Beta(α, scale - α): the probability is the product of
    (α + i) / (scale + i) over i < length. A difference of gamma functions would lose digits.
    """
    run = np.repeat(np.arange(len(length)), length)
    index = ranges(0, length)
    terms = np.log((alpha[run] + index) / (scale[run] + index))
    return np.bincount(run, terms, len(length)).astype(np.float64)


def log_binomial(n: int, k: int) -> float:
    """Return ln of the number of ways to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def tail_probability(net: float) -> float:
    """Return the upper limit of the probability that the best candidate reaches this net evidence by chance."""
    return min(1.0, math.exp(-net))
