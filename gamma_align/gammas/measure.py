"""From a corpus to one row of numbers for each document: alignments of the data and of samples, by several workers.

Work is cut into tasks of bounded size. A sample depends on the seed, its document and its number alone, and what tasks
return is put in the order of these: neither the cut, nor the order in which tasks end, nor their number at a time
changes a result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch, chunks, ranges
from gamma_align.data.corpus import Corpus
from gamma_align.gammas.other_samplers import DOCUMENTS, sampler_of
from gamma_align.gammas.precision import Costs, Expected, Wanted
from gamma_align.gammas.rows import Chances, GammaRows
from gamma_align.gammas.sampler import drawn_annotators
from gamma_align.gammas.samples import Aligned, Paired, Samples
from gamma_align.gammas.settings import GammaSettings
from gamma_align.gammas.statistics import Statistics, pair_disorders, statistics
from gamma_align.gammas.workers import Workers
from gamma_align.results.estimates import Estimates

_BATCH_UNITS = 50_000  # of a task
_SAMPLES = 200_000  # of which tasks are made at once
_TASKS = 8  # for each worker, so that all of them end at about the same time


def run(
    corpus: Corpus,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GammaRows:
    """Return the row of every document, sorted by document; the same for any number of workers.

    `progress` is called with the numbers of samples done and known to be needed.
    """
    drawn = drawn_annotators(corpus, settings.chance_from)[corpus.unit_seen]
    units = np.bincount(corpus.unit_document[drawn], minlength=len(corpus))
    measurable = np.flatnonzero((corpus.n_annotators >= 2) & (units > 0))  # noqa: PLR2004
    if not len(measurable):
        return _unmeasured(corpus)
    rows = _Work(corpus, settings, measurable, Workers(n_jobs), progress).rows()
    return rows if len(rows) == len(corpus) else _among(rows, measurable, _unmeasured(corpus))


def _unmeasured(corpus: Corpus) -> GammaRows:
    """Return rows without numbers, for documents that nothing can be measured of."""
    number, nothing = len(corpus), np.zeros(0, dtype=np.int64)
    alignments, samples = np.zeros((2, number), dtype=np.int64)
    return GammaRows(
        documents=corpus.documents,
        categories=corpus.categories,
        annotators=corpus.n_annotators,
        units=corpus.units_per_document,
        alignments=alignments,
        samples=samples,
        gap=np.zeros(number),
        distance_lowered=np.zeros(number, dtype=np.bool_),
        gamma=Chances.nothing(number),
        gamma_cat=Chances.nothing(number),
        document_k=nothing,
        category_k=nothing,
        gamma_k=Chances.nothing(0),
    )


def _among(rows: GammaRows, places: IntArray, others: GammaRows) -> GammaRows:
    """Return the rows at their places among others that have no numbers."""
    for name in ("alignments", "samples", "gap", "distance_lowered"):
        getattr(others, name)[places] = getattr(rows, name)
    others.gamma.put(places, rows.gamma)
    others.gamma_cat.put(places, rows.gamma_cat)
    return replace(others, document_k=places[rows.document_k], category_k=rows.category_k, gamma_k=rows.gamma_k)


class Task(NamedTuple):
    """Some documents and numbers of samples of them; `document` numbers the documents that can be measured.

    `source` is the whole corpus, where samples are made of that.
    """

    corpus: Corpus
    settings: GammaSettings
    in_corpus: IntArray
    document: IntArray
    number: IntArray
    source: Corpus | None


class Observed(NamedTuple):
    """What the documents of a task give, and where the samples' least distance was lowered."""

    first: int
    statistics: Statistics
    lowered: BoolArray


def observed(task: Task) -> Observed:
    """Align the documents of a task themselves."""
    settings, dissimilarity = task.settings, task.settings.dissimilarity.bind(task.corpus.categories)
    data = Batch.from_corpus(task.corpus)[0].take(task.in_corpus)
    solution = solve(data, dissimilarity, settings.limits)
    result = statistics(data, solution, dissimilarity, confidence=settings.confidence)
    return Observed(
        int(task.document[0]), result, sampler_of(task.corpus, settings, task.source).lowered[task.in_corpus]
    )


def aligned(task: Task) -> Aligned:
    """Draw and align the samples of a task."""
    settings, dissimilarity = task.settings, task.settings.dissimilarity.bind(task.corpus.categories)
    batch = sampler_of(task.corpus, settings, task.source).sample(task.in_corpus, task.number)
    solution = solve(batch, dissimilarity, settings.limits)
    result = statistics(batch, solution, dissimilarity, confidence=settings.confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        categorial = result.distance / result.weight
    sample = result.instance_k
    return Aligned(
        *(task.document, task.number, result.disorder, categorial, result.gap),
        *(task.document[sample], result.category_k, task.number[sample], result.distance_k / result.weight_k),
    )


def paired(task: Task) -> Paired:
    """Draw the samples of a task and align pairs of their annotators."""
    settings = task.settings
    batch = sampler_of(task.corpus, settings, task.source).sample(task.in_corpus, task.number)
    of_pairs = pair_disorders(batch, settings.dissimilarity.bind(task.corpus.categories), settings.confidence)
    return Paired(task.document, task.number, *of_pairs)


def _coverage(corpus: Corpus) -> FloatArray:
    """Return the share of each document's extent that the units of one annotator cover, on average."""
    length = np.bincount(corpus.unit_document, weights=corpus.end - corpus.start, minlength=len(corpus))
    span = (corpus.extents[:, 1] - corpus.extents[:, 0]) * corpus.n_annotators
    return np.divide(length, span, out=np.ones(len(corpus)), where=span > 0)


class _Work:
    """The measurement of the documents that can be measured: their numbers so far, and what is to be done next."""

    def __init__(
        self,
        corpus: Corpus,
        settings: GammaSettings,
        measurable: IntArray,
        workers: Workers,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._corpus, self._settings, self._measurable = corpus, settings, measurable
        self._workers, self._progress = workers, progress
        self._units = corpus.units_per_document[measurable]
        self._costs = Costs.of(corpus.n_annotators[measurable], self._units, _coverage(corpus)[measurable])
        self._data = Batch.from_corpus(corpus)[0].take(measurable)
        self._samples = Samples(len(measurable))
        self._drawn = Wanted(*np.zeros((2, len(measurable)), dtype=np.int64))
        self._done = 0

    def rows(self) -> GammaRows:
        """Return the row of each document that can be measured."""
        self._observe()
        rule, costs = self._settings.rule, self._costs
        wanted = every = rule.begin(costs)
        while (self._drawn.samples < every.samples).any() or (self._drawn.pairs < every.pairs).any():
            self._draw(every)
            every = wanted = rule.more(self._expected(wanted.samples), wanted, costs)
            if rule.pooled:
                every = wanted.union(rule.more_categorial(self._expected_categorial(), self._drawn, costs))
        return self._measured(wanted, every.pairs > 0)

    def _observe(self) -> None:
        every = np.arange(len(self._measurable))
        tasks = self._tasks(every, np.zeros_like(every), self._costs.whole, self._settings)
        parts = sorted(self._workers.results(observed, tasks), key=lambda part: part.first)
        self._observed = Statistics.joined([part.statistics for part in parts])
        self._lowered = np.concatenate([part.lowered for part in parts])

    def _draw(self, wanted: Wanted) -> None:
        """Align the samples that are wanted and were not drawn before; those of hard documents with less work each."""
        hard, limits = self._observed.gap > 0, self._settings.limits.of_samples
        for of_kind, limit in ((~hard, limits), (hard, limits.less)):
            settings = replace(self._settings, limits=limit)
            tasks = self._missing(wanted.samples, self._drawn.samples, of_kind, self._costs.whole, settings)
            for part in self._workers.results(aligned, tasks):
                self._samples.add(part)
                self._done += len(part.document)
                if self._progress is not None:
                    self._progress(self._done, int(wanted.samples.sum()))
        every = np.ones_like(hard)
        tasks = self._missing(wanted.pairs, self._drawn.pairs, every, self._costs.pairs, self._settings)
        for pairs in self._workers.results(paired, tasks):
            self._samples.add_pairs(pairs)
        self._drawn = self._drawn.union(wanted)

    def _missing(
        self, wanted: IntArray, drawn: IntArray, of_kind: BoolArray, cost: FloatArray, settings: GammaSettings
    ) -> Iterator[Task]:
        """Return the tasks of drawing what is missing."""
        missing = np.where(of_kind, np.maximum(wanted - drawn, 0), 0)
        # several workers begin with the costliest of all; one may as well go on from document to document
        cuts = chunks(missing, _SAMPLES) if self._workers.number == 1 else [(0, len(missing))]
        for first, last in cuts:
            some = missing[first:last]
            document = np.repeat(np.arange(first, last), some)
            yield from self._tasks(document, ranges(drawn[first:last], some), cost, settings)

    def _tasks(self, document: IntArray, number: IntArray, cost: FloatArray, settings: GammaSettings) -> Iterator[Task]:
        """Yield tasks of bounded size, the costly first, each with the part of the corpus that it needs."""
        if not len(document):
            return
        share = self._units[document] / _BATCH_UNITS
        if self._workers.number > 1:
            costs = cost[document]
            share = np.maximum(share, costs * (_TASKS * self._workers.number / costs.sum()))
        for first, last in sorted(chunks(share, 1), key=lambda cut: -share[slice(*cut)].sum()):
            in_corpus = self._measurable[document[first:last]]
            begin = int(in_corpus[0])
            part = self._corpus.documents_between(begin, int(in_corpus[-1]) + 1)
            numbers = document[first:last], number[first:last]
            source = self._corpus if settings.sampler == DOCUMENTS else None
            yield Task(part, settings, in_corpus - begin, *numbers, source)

    def _expected(self, samples: IntArray) -> Expected:
        plain, controlled = (self._samples.disorders(samples, control=control) for control in (False, True))
        return Expected(self._data.mean_units, plain, controlled)

    def _expected_categorial(self) -> Expected:
        paired = self._drawn.pairs > 0
        plain, controlled = (self._categorial(which) for which in (np.zeros_like(paired), paired))
        return Expected(self._observed.weight, plain, controlled)

    def _categorial(self, controlled: BoolArray) -> Estimates:
        return self._samples.categorial(controlled, 1.0 if self._settings.empty_samples == "one" else math.nan)

    def _measured(self, of_gamma: Wanted, controlled: BoolArray) -> GammaRows:
        """Return the rows; γ rests on the samples and pairs that it wanted, γcat on all and the `controlled` pairs."""
        data, observed, corpus = self._data, self._observed, self._corpus
        present = _categories_present(data)
        expected, expected_cat, expected_k, brackets, gap = self._of_samples(of_gamma, controlled, present)
        del self._samples  # what is made of them takes as much memory
        with np.errstate(divide="ignore", invalid="ignore"):
            disorder = observed.distance / observed.weight
        names = corpus.documents
        if len(self._measurable) < len(names):
            names = tuple(names[document] for document in self._measurable.tolist())
        return GammaRows(
            documents=names,
            categories=corpus.categories,
            annotators=data.n_annotators,
            units=np.diff(data.offsets),
            alignments=observed.alignments,
            samples=self._drawn.samples,
            gap=np.maximum(observed.gap, gap),
            distance_lowered=self._lowered,
            gamma=_chances(observed.disorder, data.mean_units, observed.aligned, expected, brackets),
            gamma_cat=_chances(disorder, observed.weight, observed.pairs, expected_cat),
            document_k=present[0],
            category_k=present[1],
            gamma_k=_chances(*_observed_k(observed, *present), expected_k),
        )

    def _of_samples(
        self, of_gamma: Wanted, controlled: BoolArray, present: tuple[IntArray, IntArray]
    ) -> tuple[Estimates, Estimates, Estimates, FloatArray, FloatArray]:
        """Return δ_e, δ_e,cat and δ_e,k, the mean brackets of δ, and the largest gaps of samples."""
        expected = self._expected(of_gamma.samples)
        disorders = expected.controlled.where(of_gamma.pairs > 0, expected.plain)
        ones = self._settings.empty_samples == "one"
        of_categories = self._samples.by_category(*present, self._drawn.samples if ones else None)
        brackets = self._samples.brackets(of_gamma.samples)
        return disorders, self._categorial(controlled), of_categories, brackets, self._samples.gap


def _categories_present(data: Batch) -> tuple[IntArray, IntArray]:
    """Return (instance, category) of the categories of each instance's units, without "none", sorted."""
    width = int(data.category.max(initial=0)) + 1
    labelled = data.category >= 0
    keys = np.unique(data.instance[labelled] * width + data.category[labelled])
    return keys // width, keys % width


def _chances(
    observed: FloatArray, weight: FloatArray, pairs: IntArray, expected: Estimates, bracket: FloatArray | None = None
) -> Chances:
    """Return what was observed and what is expected."""
    of_samples = {field.name: getattr(expected, field.name) for field in fields(Chances)[4:-1]}
    bracket = np.zeros(len(observed)) if bracket is None else bracket
    return Chances(observed, weight, pairs, expected.mean, bracket=bracket, **of_samples)


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
