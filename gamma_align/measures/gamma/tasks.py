"""Tasks of bounded size for workers: some documents of a part, to be aligned themselves or by samples.

A sample depends on the seed, its document and its number alone: neither the cut into tasks nor the order in which they
end changes a result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gamma_align.alignment.solve import solve
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, chunks
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.distances.dissimilarity import PairDissimilarity
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import SourceDocuments, sampler_of
from gamma_align.measures.gamma.overlaps import OverlapSums, overlap_sums
from gamma_align.measures.gamma.samples import Aligned, Paired
from gamma_align.measures.gamma.statistics import Statistics, pair_disorders, statistics

_BATCH_UNITS = 50_000  # of a task
TASKS = 8
"""For each worker, at least, so that all of them end at about the same time."""


class Task(NamedTuple):
    """Some documents of a part, and numbers of samples of them.

    `in_corpus` are their places in this piece of the part; `document` numbers the documents of the part that can be
    measured; `source` is of the whole corpus, where samples are made of that. `with_overlaps` marks the samples whose
    overlapping pairs of units are counted.
    """

    corpus: Corpus
    settings: GammaSettings
    in_corpus: IntArray
    document: IntArray
    number: IntArray
    source: SourceDocuments | None
    with_overlaps: BoolArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Observed(Columns):
    """Statistics of documents, by the index of each, and whether the minimum distance of its samples was lowered."""

    document: IntArray
    statistics: Statistics
    lowered: BoolArray

    def stored(self) -> dict[str, Any]:
        """Return all columns, to be stored; those named …_k have `counts_k` rows for each document."""
        columns = self.statistics.columns()
        counts = np.bincount(columns.pop("instance_k"), minlength=len(self))
        return {"document": self.document, "lowered": self.lowered, "counts_k": counts, **columns}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Observed:
        """Return the statistics of which `stored` returned the columns."""
        columns = dict(stored)
        document, lowered = columns.pop("document"), columns.pop("lowered")
        instance = np.repeat(np.arange(len(document)), columns.pop("counts_k"))
        return cls(document, Statistics(**columns, instance_k=instance), lowered)


def observed(task: Task) -> Observed:
    """Align the documents of a task themselves."""
    settings, dissimilarity = task.settings, task.settings.dissimilarity.bind(task.corpus.categories)
    data = Batch.from_corpus(task.corpus)[0].take(task.in_corpus)
    solution = solve(data, dissimilarity, settings.limits)
    result = statistics(data, solution, dissimilarity, confidence=settings.confidence)
    return Observed(task.document, result, sampler_of(task.corpus, settings, task.source).lowered[task.in_corpus])


def aligned(task: Task) -> Aligned:
    """Draw and align the samples of a task."""
    settings, dissimilarity = task.settings, task.settings.dissimilarity.bind(task.corpus.categories)
    batch = sampler_of(task.corpus, settings, task.source).sample(task.in_corpus, task.number)
    solution = solve(batch, dissimilarity, settings.limits)
    result = statistics(batch, solution, dissimilarity, confidence=settings.confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        categorial = result.distance / result.weight
    overlaps = _overlaps(batch, np.flatnonzero(task.with_overlaps), dissimilarity, settings.confidence)
    of_categories = _by_category(result, overlaps, len(batch))
    of_samples = (result.disorder, categorial, result.gap, overlaps.count, overlaps.distance)
    return Aligned(task.document, task.number, *of_samples, *of_categories)


def _overlaps(batch: Batch, samples: IntArray, dissimilarity: PairDissimilarity, confidence: str) -> OverlapSums:
    """Return the sums over the overlapping pairs of these samples of the batch, 0 of others."""
    if len(samples) == len(batch):
        return overlap_sums(batch, dissimilarity, confidence)
    count, distance = np.zeros(len(batch)), np.zeros(len(batch))
    nothing = np.zeros(0, dtype=np.int64)
    if not len(samples):
        return OverlapSums(count, distance, nothing, nothing, np.zeros(0), np.zeros(0))
    sums = overlap_sums(batch.take(samples), dissimilarity, confidence)
    count[samples], distance[samples] = sums.count, sums.distance
    return sums._replace(count=count, distance=distance, instance_k=samples[sums.instance_k])


def _by_category(
    result: Statistics, overlaps: OverlapSums, n_samples: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """Return how many categories each sample has, and the category, δ_k and sums over overlapping pairs of each."""
    width = int(max(result.category_k.max(initial=0), overlaps.category_k.max(initial=0))) + 1
    aligned_keys = result.instance_k * width + result.category_k
    overlap_keys = overlaps.instance_k * width + overlaps.category_k
    keys = np.union1d(aligned_keys, overlap_keys) if len(overlap_keys) else aligned_keys
    disorder = np.full(len(keys), np.nan)
    disorder[np.searchsorted(keys, aligned_keys)] = result.distance_k / result.weight_k
    count, distance = np.zeros(len(keys)), np.zeros(len(keys))
    at = np.searchsorted(keys, overlap_keys)
    count[at], distance[at] = overlaps.count_k, overlaps.distance_k
    return np.bincount(keys // width, minlength=n_samples), keys % width, disorder, count, distance


def paired(task: Task) -> Paired:
    """Draw the samples of a task and align pairs of their annotators."""
    settings = task.settings
    batch = sampler_of(task.corpus, settings, task.source).sample(task.in_corpus, task.number)
    disorder = pair_disorders(batch, settings.dissimilarity.bind(task.corpus.categories))
    return Paired(task.document, task.number, disorder)


def cut_by_cost(
    corpus: Corpus,
    measurable: IntArray,
    document: IntArray,
    number: IntArray,
    cost: FloatArray,
    settings: GammaSettings,
    most: float,
    source: SourceDocuments | None = None,
    with_overlaps: BoolArray | None = None,
) -> Iterator[Task]:
    """Yield tasks of bounded size, the costly first, each with the piece of the corpus that it needs.

    `document` and `number` are sorted; `cost` is that of each document of the part that can be measured, `most` that of
    a task with several samples; `with_overlaps` marks the documents whose samples have overlapping pairs counted.
    """
    if not len(document):
        return
    share = corpus.units_per_document[measurable] / _BATCH_UNITS  # of a task, that a sample is
    shares = np.maximum(share, cost / most)[document]
    cuts = chunks(shares, 1)
    of_tasks = np.add.reduceat(shares, [first for first, _ in cuts])
    marked = np.zeros(len(measurable), dtype=np.bool_) if with_overlaps is None else with_overlaps
    for first, last in [cuts[task] for task in np.argsort(-of_tasks, kind="stable").tolist()]:
        in_corpus = measurable[document[first:last]]
        begin = int(in_corpus[0])
        piece = corpus.documents_between(begin, int(in_corpus[-1]) + 1)
        some = document[first:last]
        yield Task(piece, settings, in_corpus - begin, some, number[first:last], source, marked[some])
