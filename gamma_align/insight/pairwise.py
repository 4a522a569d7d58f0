"""γ of every pair of annotators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from gamma_align.alignment import PARTITION, soft_prefix
from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums, pairs_in_runs
from gamma_align.data import Corpus, Json, check_two_annotators
from gamma_align.inference import NO_UNITS, Result, Value, column_of, jackknife_interval, ratio_interval
from gamma_align.measures.gamma import (
    COMPUTED_EXACTLY,
    GAMMA_OPTIONS,
    GammaOptions,
    GammaResult,
    GammaSettings,
    counts_in_words,
    gamma_of,
)
from gamma_align.options import takes_options
from gamma_align.work import SharedWork

_ROUNDING_TOLERANCE = 1e-12  # relative to a sum: the amount that rounding may leave when all terms are subtracted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseResult(Result):
    """γ and γcat of every pair of annotators who saw a document together.

    Attributes
    ----------
    annotators : tuple of str
        The annotators of the corpus.
    pairs : mapping of (str, str) to GammaResult
        For two annotators, in the order of `annotators`, the result on the documents that both saw.

    Examples
    --------
    >>> units = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 5, "x"), ("d", "cy", 6, 9, "y")]
    >>> result = ga.pairwise(ga.Corpus.from_records(units), samples=30)
    >>> sorted(result.pairs)
    [('ann', 'bob'), ('ann', 'cy'), ('bob', 'cy')]
    >>> result.matrix().shape
    (3, 3)
    """

    annotators: tuple[str, ...]
    pairs: dict[tuple[str, str], GammaResult]

    def matrix(self, measure: str = "gamma") -> FloatArray:
        """Return the values as a symmetric matrix, NaN on its diagonal and for pairs without a value.

        Parameters
        ----------
        measure : {"gamma", "gamma_cat"}
            The coefficient.

        Returns
        -------
        ndarray of float64, shape (n_annotators, n_annotators)
        """
        index = {name: row for row, name in enumerate(self.annotators)}
        values = np.full((len(index), len(index)), np.nan)
        for (first, second), result in self.pairs.items():
            value = float(getattr(result, measure))
            values[index[first], index[second]] = values[index[second], index[first]] = value
        return values

    def against_others(self) -> dict[str, Value]:
        """Return γ of each annotator with the others: of all pairs with the annotator, pooled over the documents.

        Returns
        -------
        dict of str to Value
            By annotator, with the jackknife interval over documents.

        Examples
        --------
        >>> result = ga.pairwise({"ann": [(0, 4, "x")], "bob": [(1, 5, "x")], "cy": [(0, 4, "x")]}, samples=30)
        >>> values = result.against_others()
        >>> values["ann"] > values["bob"]
        True
        """
        terms = {pair: _terms_of_pair(result) for pair, result in self.pairs.items()}
        return {name: _pooled_over_pairs([terms[pair] for pair in terms if name in pair]) for name in self.annotators}

    @property
    def mean(self) -> Value:
        """The plain mean over pairs of their γ, with the jackknife interval over documents.

        Each pair has γ pooled over the documents that both saw. Pairs without a value are left out.

        Examples
        --------
        >>> spans = {"ann": [(0, 4, "x")], "bob": [(0, 4, "x")], "cy": [(0, 4, "x")]}
        >>> print(ga.pairwise({f"d{number}": spans for number in range(3)}, samples=30).mean)
        1.0000 (no interval: no disagreement to estimate it from)
        """
        terms = [_terms_of_pair(result) for result in self.pairs.values()]
        terms = [pair for pair in terms if math.fsum(pair.expected.tolist()) > 0]
        if not terms:
            return Value.unavailable(NO_UNITS)
        documents, index = np.unique(np.concatenate([pair.document for pair in terms]), return_inverse=True)
        starts = np.cumsum([0, *(len(pair.document) for pair in terms)])
        ratios = np.array([pair.ratio for pair in terms])
        total = np.full(len(documents), math.fsum(ratios.tolist()))
        count = np.full(len(documents), len(terms))
        agreeing = np.zeros(len(documents), dtype=np.bool_)
        for pair, ratio, start in zip(terms, ratios.tolist(), starts.tolist(), strict=False):
            rows = index.reshape(-1)[start : start + len(pair.document)]
            without = pair.ratio_without
            # A pair that loses its only document is left out of the mean without this document.
            total[rows] += np.where(np.isnan(without), 0.0, without) - ratio
            count[rows] -= np.isnan(without)
            agreeing[rows] |= pair.agreeing
        mean = math.fsum(ratios.tolist()) / len(terms)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.where(count > 0, 1.0, 0.0)
            interval = jackknife_interval(mean, 1.0, total / count, expected, agreeing, names=documents.tolist())
        return interval.around(1.0 - mean)

    @property
    def signature(self) -> str:
        """One line to paste into a paper."""
        rows = [row for result in self.pairs.values() for row in result.documents if row.gamma.is_available]
        # All pairs have the same settings; which of them depend on a seed may differ.
        parts: dict[str, str] = {}
        for result in self.pairs.values():
            parts |= dict(part.split(":", 1) for part in result.signature.split("|")[1:])
        errors = [0.0 if row.gamma.precision_note == COMPUTED_EXACTLY else 1.0 for row in rows]
        parts |= {"docs": str(len({row.document for row in rows})), "n": "2"}
        parts["N"] = counts_in_words([row.samples for row in rows], errors)
        parts["opt"] = "yes" if all(result.optimal for result in self.pairs.values()) else "no"
        return "|".join(
            [
                f"mean pairwise {self.prefix}γ|pairs:{len(self.pairs)}",
                *(f"{name}:{value}" for name, value in parts.items()),
            ]
        )

    @property
    def prefix(self) -> str:
        """The prefix of γ: "soft-" if a unit may be in several unitary alignments, else an empty text."""
        settings = next((result.settings for result in self.pairs.values()), {})
        return soft_prefix(settings.get("alignment", PARTITION))

    def _contents(self) -> dict[str, Json]:
        pairs = [
            {
                "annotators": pair,
                "documents": len(result.documents),
                **{name: getattr(result, name) for name in ("gamma", "gamma_cat", "gamma_k", "signature")},
            }
            for pair, result in self.pairs.items()
        ]
        fields = self._named("annotators", "mean", "signature")
        return {"schema_version": 1, **fields, "pairs": pairs}


class _PairTerms(NamedTuple):
    """x̄·δ and x̄·δ_e of the documents of a pair, and whether they have agreement, shape (n_documents,) each.

    x̄·δ is the sum over the unitary alignments of a document, and the pooled γ is a ratio of such sums.
    """

    document: npt.NDArray[np.str_]
    observed: FloatArray
    expected: FloatArray
    agreeing: BoolArray

    @property
    def ratio(self) -> float:
        """1 - γ of the pair."""
        return math.fsum(self.observed.tolist()) / math.fsum(self.expected.tolist())

    @property
    def ratio_without(self) -> FloatArray:
        """1 - γ without each document; NaN if none remains."""
        observed = math.fsum(self.observed.tolist()) - self.observed
        expected = math.fsum(self.expected.tolist()) - self.expected
        is_left = expected > _ROUNDING_TOLERANCE * math.fsum(self.expected.tolist())
        return np.where(is_left, np.maximum(observed, 0.0) / np.where(is_left, expected, 1.0), np.nan)


def _terms_of_pair(result: GammaResult) -> _PairTerms:
    documents = result.documents
    gammas = column_of(result.documents, "gamma")
    value, observed, expected = (np.array(column_of(gammas, name)) for name in ("value", "observed", "expected"))
    index = np.flatnonzero(~np.isnan(value) & ~np.isnan(expected))
    units, annotators = (np.array(column_of(documents, name))[index] for name in ("units", "annotators"))
    weight = units / annotators
    return _PairTerms(
        np.array(column_of(documents, "document"), dtype=np.str_)[index],
        weight * observed[index],
        weight * expected[index],
        np.array(column_of(gammas, "pairs"))[index] > 0,
    )


def _pooled_over_pairs(terms: Sequence[_PairTerms]) -> Value:
    """Return γ pooled over the documents of pairs; the terms of a document are added over its pairs."""
    names = np.concatenate([np.zeros(0, dtype=np.str_), *(pair.document for pair in terms)])
    _, first, index = np.unique(names, return_index=True, return_inverse=True)
    # Documents in the order in which pairs have them: the sums of the interval are added in this order.
    row = np.argsort(np.argsort(first))[index.reshape(-1)]
    observed, expected, n_agreeing = (
        grouped_sums(row, np.concatenate([[], *(getattr(pair, name) for pair in terms)]), len(first))
        for name in ("observed", "expected", "agreeing")
    )
    total_expected = math.fsum(expected.tolist())
    if not total_expected > 0:
        return Value.unavailable(NO_UNITS)
    # A document with an aligned pair has agreement, and an interval needs several such documents.
    interval = ratio_interval(observed, expected, n_agreeing > 0, names=names[np.sort(first)].tolist())
    return interval.around(1.0 - math.fsum(observed.tolist()) / total_expected)


@takes_options(GAMMA_OPTIONS)
def pairwise(
    corpus: Corpus,
    /,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> PairwiseResult:
    """Return γ and γcat of every pair of annotators, each on the documents that both saw.

    Parameters
    ----------
    corpus : Corpus
        The data.
    n_jobs, **settings
        As in `gamma`.
    progress : callable, optional
        Called with the number of pairs done and the number of all pairs.

    Raises
    ------
    InputError
        If no document has two annotators.
    SettingsError
        As `gamma`.

    Examples
    --------
    >>> result = ga.pairwise({"ann": [(0, 4, "x")], "bob": [(1, 5, "x")], "cy": [(0, 4, "x")]}, samples=30)
    >>> round(result.pairs["ann", "cy"].gamma, 2)
    1.0
    """
    options = GammaSettings.of(**settings)
    check_two_annotators(corpus)
    return pairwise_of(corpus, options, SharedWork(corpus, options), n_jobs=n_jobs, progress=progress)


def pairwise_of(
    corpus: Corpus,
    options: GammaSettings,
    shared: SharedWork,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PairwiseResult:
    """Return the result of `pairwise`; use and extend the `shared` results of the corpus."""
    pairs = _documents_of_pairs(corpus)
    results = {}
    for n_done, (codes, documents) in enumerate(pairs, 1):
        common = corpus.restricted(documents, codes)
        first, second = common.annotators
        results[first, second] = gamma_of(common, options, n_jobs=n_jobs, shared=shared)
        if progress is not None:
            progress(n_done, len(pairs))
    return PairwiseResult(corpus.annotators, results)


def _documents_of_pairs(corpus: Corpus) -> list[tuple[IntArray, IntArray]]:
    """Return the codes of the annotators of each pair that saw a document together, and the documents both saw."""
    document, first, second = pairs_in_runs(corpus.seen_offsets)
    is_pair = first < second
    document = document[is_pair]
    codes = corpus.seen[np.stack([first, second])[:, is_pair]]
    width = max(len(corpus.annotators), 1)
    key = codes[0] * width + codes[1]
    order = np.argsort(key, kind="stable")
    keys, begin = np.unique(key[order], return_index=True)
    groups = np.split(document[order], begin[1:]) if len(keys) else []
    return [(np.array(divmod(key, width)), group) for key, group in zip(keys.tolist(), groups, strict=True)]
