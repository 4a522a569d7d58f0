"""From a corpus to one row of numbers for each document: alignments of the data and of samples, in several processes.

All samples of the documents of a group are solved together, in batches of bounded size, until the precision rule is
content with each of them. A document's row depends on the document and the settings alone.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch, chunks, ranges
from gamma_align.data.corpus import Corpus
from gamma_align.errors import MissingExtraError
from gamma_align.gammas.coefficients import NOTHING, Chance, Row
from gamma_align.gammas.sampler import ShiftSampler
from gamma_align.gammas.settings import GammaSettings, Wanted, pair_cost
from gamma_align.gammas.statistics import PairDisorders, Statistics, pair_disorders, statistics
from gamma_align.results.estimates import Estimates, controlled_estimates, plain_estimates

_GROUP_UNITS = 4_000  # of the data; their samples make thirty times as many and more


def run(
    corpus: Corpus,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Row]:
    """Return the row of every document, sorted by document; the same for any number of workers."""
    groups = document_groups(corpus)
    total = _Total(progress, settings.rule.first, [b - a for a, b in groups])
    parts: Iterable[list[Row]]
    if n_jobs == 1 or (n_jobs is None and not _configured()):
        parts = (measure(corpus.documents_between(a, b), settings, total.within) for a, b in groups)
    else:
        parts = _parallel(corpus, settings, groups, n_jobs)
    rows: list[Row] = []
    for part in parts:
        rows += part
        total.finished(sum(row.samples for row in part))
    return rows


class _Total:
    """Progress summed over all groups."""

    def __init__(self, progress: Callable[[int, int], None] | None, first: int, documents: list[int]) -> None:
        self._progress = progress
        self._ahead = [first * number for number in documents]
        self._done = 0

    def within(self, done: int, known: int) -> None:
        """Report the progress of the current group."""
        if self._progress is not None:
            self._progress(self._done + done, self._done + known + sum(self._ahead[1:]))

    def finished(self, samples: int) -> None:
        """Count a group that is finished."""
        self._done += samples
        del self._ahead[0]
        if self._progress is not None:
            self._progress(self._done, self._done + sum(self._ahead))


def document_groups(corpus: Corpus) -> list[tuple[int, int]]:
    """Return (first, last + 1) of runs of documents of about _GROUP_UNITS units."""
    return chunks(corpus.units_per_document + 1, _GROUP_UNITS)


def _configured() -> bool:
    """Whether ``joblib.parallel_config`` asks for workers; where joblib is not in use, it does not."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend  # noqa: PLC0415  (an optional package)

    return (get_active_backend()[1] or 1) != 1


def _parallel(
    corpus: Corpus, settings: GammaSettings, groups: list[tuple[int, int]], n_jobs: int | None
) -> Iterator[list[Row]]:
    try:
        from joblib import Parallel, delayed  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("joblib", "parallel", "more than one worker") from None
    tasks = (delayed(measure)(corpus.documents_between(a, b), settings) for a, b in groups)
    results: Iterator[list[Row]] = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    return results


_BATCH_UNITS = 200_000


class _Table:
    """Columns that grow by parts, and are read sorted by the first two or three of them."""

    def __init__(self, keys: int, columns: int) -> None:
        self._keys = keys
        self._parts: list[tuple[Any, ...]] = [
            (*(np.zeros(0, dtype=np.int64) for _ in range(keys)), *(np.zeros(0) for _ in range(columns)))
        ]

    def add(self, *columns: IntArray | FloatArray) -> None:
        self._parts.append(columns)

    def sorted(self) -> list[Any]:
        columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
        order = np.lexsort(columns[: self._keys][::-1])
        return [column[order] for column in columns]


class _Samples:
    """Disorders of the samples drawn so far; a document is its index in the group."""

    def __init__(self, n_documents: int) -> None:
        self._n = n_documents
        self.gap = np.zeros(n_documents)
        self._whole = _Table(2, 2)  # document, number: δ, δ_cat
        self._pairs = _Table(2, 2)  # document, number: both of pairs of annotators
        self._categories = _Table(3, 1)  # document, category, number: δ_k

    def add(self, document: IntArray, number: IntArray, result: Statistics) -> None:
        """Add solved samples: of which document each is, and its number."""
        np.maximum.at(self.gap, document, result.gap)
        with np.errstate(divide="ignore", invalid="ignore"):
            self._whole.add(document, number, result.disorder, result.distance / result.weight)
        sample = result.instance_k
        distance_k = result.distance_k / result.weight_k
        self._categories.add(document[sample], result.category_k, number[sample], distance_k)

    def add_pairs(self, document: IntArray, number: IntArray, result: PairDisorders) -> None:
        """Add what the pairs of annotators of samples give."""
        self._pairs.add(document, number, result.disorder, result.categorial)

    def disorders(self, *, control: bool) -> Estimates:
        """Return δ_e of each document, with or without pairs of annotators as a control variate."""
        document, _, disorder, _ = self._whole.sorted()
        if not control:
            return plain_estimates(document, disorder, self._n)
        of_pairs, _, predicted, _ = self._pairs.sorted()
        return controlled_estimates(document, disorder, of_pairs, predicted, self._n)

    def categorial(self, controlled: BoolArray, empty: float) -> Estimates:
        """Return δ_e,cat of each document, over the samples that have it; one without aligned units counts `empty`.

        Pairs serve as a control variate in the `controlled` documents of which all samples have the disorder. An
        `empty` of NaN leaves samples out.
        """
        document, _, _, disorder = self._whole.sorted()
        of_pairs, _, _, predicted = self._pairs.sorted()
        disorder = np.where(np.isnan(disorder), empty, disorder)
        complete = controlled.copy()
        complete[document[np.isnan(disorder)]] = False
        complete[of_pairs[np.isnan(predicted)]] = False
        known, used = ~np.isnan(disorder), complete[of_pairs]
        return controlled_estimates(document[known], disorder[known], of_pairs[used], predicted[used], self._n)

    def by_category(self, document: IntArray, category: IntArray, samples: IntArray | None) -> Estimates:
        """Return δ_e,k for each (document, category) of the data, sorted, over the samples that have it.

        With `samples`, the number of samples of each document, those without aligned units of a category count 1.
        """
        sampled, label, _, disorder = self._categories.sorted()
        width = int(category.max(initial=0)) + 1
        group = np.searchsorted(document * width + category, sampled * width + label)
        if samples is not None:
            lacking = samples[document] - np.bincount(group, minlength=len(document))
            group = np.concatenate([group, np.repeat(np.arange(len(document)), lacking)])
            disorder = np.concatenate([disorder, np.ones(int(lacking.sum()))])
            order = np.argsort(group, kind="stable")
            group, disorder = group[order], disorder[order]
        return plain_estimates(group, disorder, len(document))


def measure(corpus: Corpus, settings: GammaSettings, progress: Callable[[int, int], None] | None = None) -> list[Row]:
    """Return the row of every document of a corpus, or of a part of one small enough to hold its samples' numbers."""
    dissimilarity = settings.dissimilarity.bind(corpus.categories)
    batch, _ = Batch.from_corpus(corpus)
    measurable = np.flatnonzero((corpus.n_annotators >= 2) & (corpus.units_per_document > 0))  # noqa: PLR2004
    data = batch.take(measurable)
    observed = statistics(
        data, solve(data, dissimilarity, settings.limits), dissimilarity, confidence=settings.confidence
    )
    sampler = ShiftSampler(
        corpus, seed=settings.seed, min_distance=settings.min_distance, integer_offsets=settings.integer_offsets
    )
    rows = [
        Row(name, int(n), int(units), 0, 0, NOTHING, NOTHING)
        for name, n, units in zip(corpus.documents, corpus.n_annotators, corpus.units_per_document, strict=True)
    ]
    if len(measurable):
        samples, drawn = _drawn(corpus, settings, sampler, measurable, observed.gap > 0, progress)
        measured = _measured(corpus, settings, data, observed, samples, drawn)
        for document, row in zip(measurable.tolist(), measured, strict=True):
            lowered = bool(sampler.lowered[document])
            rows[document] = replace(row, document=corpus.documents[document], distance_lowered=lowered)
    return rows


def _drawn(
    corpus: Corpus,
    settings: GammaSettings,
    sampler: ShiftSampler,
    documents: IntArray,
    hard: BoolArray,
    progress: Callable[[int, int], None] | None,
) -> tuple[_Samples, Wanted]:
    """Draw and solve samples until the rule is content; those of hard documents with less work each."""
    dissimilarity = settings.dissimilarity.bind(corpus.categories)
    annotators, units = corpus.n_annotators[documents], corpus.units_per_document[documents]
    samples, cost = _Samples(len(documents)), pair_cost(annotators, units)
    drawn, paired = np.zeros((2, len(documents)), dtype=np.int64)
    wanted = settings.rule.begin(cost)
    done = 0
    while (drawn < wanted.samples).any() or (paired < wanted.pairs).any():
        for document, number in _batches(units, drawn, wanted.samples, hard):
            batch = sampler.sample(documents[document], number)
            solution = solve(batch, dissimilarity, settings.limits.less if hard[document[0]] else settings.limits)
            samples.add(document, number, statistics(batch, solution, dissimilarity, confidence=settings.confidence))
            done += len(document)
            if progress is not None:
                progress(done, int(wanted.samples.sum()))
        for document, number in _batches(units, paired, wanted.pairs, hard):
            batch = sampler.sample(documents[document], number)
            samples.add_pairs(document, number, pair_disorders(batch, dissimilarity, settings.confidence))
        drawn, paired = np.maximum(drawn, wanted.samples), np.maximum(paired, wanted.pairs)
        wanted = settings.rule.more(samples.disorders(control=False), samples.disorders(control=True), cost)
    return samples, wanted._replace(samples=drawn)


def _batches(units: IntArray, drawn: IntArray, wanted: IntArray, hard: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Return (document, number) of the samples to draw, in batches of bounded size and of a kind."""
    batches: list[tuple[IntArray, IntArray]] = []
    for of_kind in (np.flatnonzero(~hard), np.flatnonzero(hard)):
        missing = np.maximum(wanted - drawn, 0)[of_kind]
        document, number = np.repeat(of_kind, missing), ranges(drawn[of_kind], missing)
        batches += [(document[a:b], number[a:b]) for a, b in chunks(units[document], _BATCH_UNITS)]
    return batches


def _categories_present(data: Batch) -> tuple[IntArray, IntArray]:
    """Return (instance, category) of the categories of each instance's units, without "none", sorted."""
    width = int(data.category.max(initial=0)) + 1
    labelled = data.category >= 0
    keys = np.unique(data.instance[labelled] * width + data.category[labelled])
    return keys // width, keys % width


def _measured(
    corpus: Corpus, settings: GammaSettings, data: Batch, observed: Statistics, samples: _Samples, drawn: Wanted
) -> Iterator[Row]:
    """Yield the row of each instance of the data, all but its name."""
    controlled, ones = drawn.pairs > 0, settings.empty_samples == "one"
    expected = samples.disorders(control=True).where(controlled, samples.disorders(control=False))
    gamma = _chances(observed.disorder, data.mean_units, observed.aligned, expected)
    expected = samples.categorial(controlled, 1.0 if ones else math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        disorder = observed.distance / observed.weight
    gamma_cat = _chances(disorder, observed.weight, observed.pairs, expected)
    document, category = _categories_present(data)
    expected = samples.by_category(document, category, drawn.samples if ones else None)
    gamma_k: list[dict[str, Chance]] = [{} for _ in range(len(data))]
    chances = _chances(*_observed_k(observed, document, category), expected)
    for index, code, chance in zip(document.tolist(), category.tolist(), chances, strict=True):
        gamma_k[index][corpus.categories[code]] = chance
    counts = (data.n_annotators, np.diff(data.offsets), observed.alignments, drawn.samples)
    gap = np.maximum(observed.gap, samples.gap)
    columns = (*(column.tolist() for column in counts), gamma, gamma_cat, gamma_k, gap.tolist())
    for row, precise in zip(zip(*columns, strict=True), drawn.precise.tolist(), strict=True):
        yield replace(Row("", *row), precise=precise)


def _chances(observed: FloatArray, weight: FloatArray, pairs: IntArray, expected: Estimates) -> Iterator[Chance]:
    """Yield what was observed and what is expected, one by one."""
    names = ("mean", "error", "deviation", "skewness", "samples", "controls", "freedom")
    columns = (observed, weight, pairs, *(getattr(expected, name) for name in names))
    yield from (Chance(*values) for values in zip(*(column.tolist() for column in columns), strict=True))


def _observed_k(
    observed: Statistics, document: IntArray, category: IntArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return δ_k, weight and pairs for each (document, category) of the data; NaN and 0 where no pair counts."""
    width = int(category.max(initial=0)) + 1
    keys = document * width + category
    row = np.searchsorted(keys, observed.instance_k * width + observed.category_k)
    disorder, weight, pairs = np.full(len(keys), np.nan), np.zeros(len(keys)), np.zeros(len(keys), dtype=np.int64)
    disorder[row] = observed.distance_k / observed.weight_k
    weight[row], pairs[row] = observed.weight_k, observed.pairs_k
    return disorder, weight, pairs
