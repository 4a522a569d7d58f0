"""Tasks of bounded size for workers: align documents of a part, or samples of them.

A sample depends only on the seed, its document and its number. Neither the division into tasks nor the order in which
they end changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from gamma_align.alignment.kinds import solve_alignment
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.memory import documents_text, have_few_pairs, naming_documents
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, chunks
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.distances.dissimilarity import PairDissimilarity
from gamma_align.measures.gamma.computed_chance import ComputedChances, compute_chances
from gamma_align.measures.gamma.dropped import Dropped
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import SourceDocuments, make_sampler, shift_sampler
from gamma_align.measures.gamma.overlaps import OverlapSums, overlap_sums
from gamma_align.measures.gamma.pairs import control_values, draw_points
from gamma_align.measures.gamma.sampler import Sampler, ShiftSampler
from gamma_align.measures.gamma.samples import FullSamples, PairSamples
from gamma_align.measures.gamma.shifted_samples import (
    ShiftedSamples,
    align_shifted,
    align_unmoved,
    suitable_documents,
)
from gamma_align.measures.gamma.statistics import Statistics, statistics

_TASK_UNITS = 50_000
_SHIFTED_TASK_UNITS = 400_000  # of samples that one kernel aligns, which take less memory
TASKS_PER_WORKER = 8
"""Minimum, so that all workers end at about the same time."""


Result = TypeVar("Result")
Further = ParamSpec("Further")  # arguments after the task

StoredColumns = dict[str, Any]
"""Columns by name, those named …_k having `counts_k` rows for each row of the others."""


class Controls(NamedTuple):
    """The control variates of samples, shape (n_documents,) each.

    `overlaps` marks the documents in whose samples overlapping pairs of units are counted, for γcat and γk; `pairs` is
    the number of first samples of each document whose annotators are also aligned two at a time, for γ.
    """

    overlaps: BoolArray
    pairs: IntArray

    @classmethod
    def none(cls, n: int) -> Controls:
        """Return no controls of n documents."""
        return cls(np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64))


class Task(NamedTuple):
    """Documents of a part, and a sample number for each.

    `corpus` is a piece of the part, and `in_corpus` the index of each document in it; `document` is its index among the
    measurable documents of the part. The `limits` apply to these alignments, in place of the limits of the settings.
    `is_suitable` marks those that a kernel is likely to align (see `shifted_samples`). If samples are made of units of
    other documents, `source` contains the documents of the whole corpus. `count_overlaps` and `align_pairs` mark the
    samples with these control variates (see `Controls`). `dropped` are the annotators whom the documents of the piece
    lack, if their samples serve several corpora.
    """

    corpus: Corpus
    settings: GammaSettings
    limits: Limits
    in_corpus: IntArray
    document: IntArray
    number: IntArray
    is_suitable: BoolArray
    source: SourceDocuments | None
    count_overlaps: BoolArray
    align_pairs: BoolArray
    dropped: Dropped | None = None

    def take(self, samples: IntArray) -> Task:
        """Return the task of some of the samples, which are in order."""
        if len(samples) == len(self.number):
            return self
        columns = ("in_corpus", "document", "number", "is_suitable", "count_overlaps", "align_pairs")
        return self._replace(**{name: getattr(self, name)[samples] for name in columns})


def description(task: Task) -> str:
    """Return the words for the documents of a task, for messages."""
    return documents_text(task.corpus.documents, task.in_corpus)


def _naming(function: Callable[Concatenate[Task, Further], Result]) -> Callable[Concatenate[Task, Further], Result]:
    """Return the function, with the documents of the task in errors about memory."""

    @wraps(function)
    def call(task: Task, /, *args: Further.args, **kwargs: Further.kwargs) -> Result:
        with naming_documents(task.corpus.documents, task.in_corpus):
            return function(task, *args, **kwargs)

    return call


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlignedDocuments(Columns):
    """Statistics of documents, and their indices."""

    document: IntArray
    statistics: Statistics

    def to_stored(self) -> StoredColumns:
        """Return all columns, to be stored; those named …_k have `counts_k` rows for each document."""
        columns = self.statistics.columns()
        counts = np.bincount(columns.pop("instance_k"), minlength=len(self))
        return {"document": self.document, "counts_k": counts, **columns}

    @classmethod
    def from_stored(cls, stored: StoredColumns) -> AlignedDocuments:
        """Return the statistics from the columns that `to_stored` returned."""
        columns = dict(stored)
        document = columns.pop("document")
        instance = np.arange(len(document)).repeat(columns.pop("counts_k"))
        return cls(document, Statistics(**columns, instance_k=instance))


@_naming
def align_documents(task: Task, sampler: ShiftSampler | None = None) -> AlignedDocuments:
    """Align the documents of a task; `sampler` is the shift sampler of its corpus, if there is one already."""
    is_other, parts = np.ones(len(task.document), dtype=np.bool_), []
    # The kernel lists pairs without counting them before.
    suitable = (task.is_suitable & have_few_pairs(task.corpus.units_per_document[task.in_corpus])).nonzero()[0]
    if len(suitable) and not task.settings.chance_from:  # else the sampler does not have the units of all annotators
        sampler = sampler or shift_sampler(task.corpus, task.settings)
        categories, in_corpus = task.corpus.categories, task.in_corpus[suitable]
        clear, aligned = align_unmoved(sampler, categories, task.settings, in_corpus)
        parts.append(AlignedDocuments(task.document[suitable[clear]], aligned))
        is_other[suitable[clear]] = False
    others = is_other.nonzero()[0]
    if len(others) or not parts:
        parts.append(_solve_documents(task.take(others)))
    return parts[0] if len(parts) == 1 else AlignedDocuments.join(parts)


@_naming
def _solve_documents(task: Task) -> AlignedDocuments:
    """Align the documents of a task by the solver."""
    settings, dissimilarity = task.settings, task.settings.dissimilarity.bind(task.corpus.categories)
    data = Batch.from_corpus(task.corpus)[0].take(task.in_corpus)
    solution = solve_alignment(data, dissimilarity, task.limits, alignment=settings.alignment)
    return AlignedDocuments(task.document, statistics(data, solution, dissimilarity, confidence=settings.confidence))


@_naming
def align_samples(task: Task, sampler: Sampler | None = None) -> FullSamples:
    """Draw and align the samples of a task; `sampler` is the sampler of its corpus, if there is one already."""
    sampler = sampler or make_sampler(task.corpus, task.settings, task.source, task.dropped)
    is_other = np.ones(len(task.number), dtype=np.bool_)
    parts = []
    if isinstance(sampler, ShiftSampler):
        shifted = (task.is_suitable & ~task.align_pairs).nonzero()[0]
        if len(shifted):
            part = task.take(shifted)
            columns = part.in_corpus, part.number, part.count_overlaps
            sums = align_shifted(sampler, part.corpus.categories, part.settings, *columns)
            parts.append(_shifted_samples(part.take(sums.sample), sums))
            is_other[shifted[sums.sample]] = False
    unsolved = is_other.nonzero()[0]
    units = task.corpus.units_per_document[task.in_corpus[unsolved]]
    parts += [_solve_samples(task.take(unsolved[first:last]), sampler) for first, last in chunks(units, _TASK_UNITS)]
    return parts[0] if len(parts) == 1 else FullSamples.join(parts)


@np.errstate(divide="ignore", invalid="ignore")
def _shifted_samples(task: Task, sums: ShiftedSamples) -> FullSamples:
    """Return the samples of a task of which the sums are known."""
    return FullSamples(
        task.document,
        task.number,
        sums.disorder,
        sums.distance / sums.weight,
        np.zeros(len(task.number)),
        np.full(len(task.number), np.nan),
        sums.overlaps,
        sums.overlap_distance,
        sums.counts_k,
        sums.category_k,
        sums.distance_k / sums.weight_k,
        sums.overlaps_k,
        sums.overlap_distance_k,
    )


@_naming
def _solve_samples(task: Task, sampler: Sampler) -> FullSamples:
    """Draw the samples of a task, and align them by the solver."""
    settings, dissimilarity = task.settings, task.settings.dissimilarity.bind(task.corpus.categories)
    batch = sampler.sample(task.in_corpus, task.number)
    solution = solve_alignment(batch, dissimilarity, task.limits, alignment=settings.alignment)
    result = statistics(batch, solution, dissimilarity, confidence=settings.confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        categorial = result.distance / result.weight
    overlaps = _overlaps(batch, task.count_overlaps.nonzero()[0], dissimilarity, settings.confidence)
    return FullSamples(
        task.document,
        task.number,
        result.disorder,
        categorial,
        result.gap,
        _controls(batch, task.align_pairs.nonzero()[0], dissimilarity),
        overlaps.count,
        overlaps.distance,
        *_by_category(result, overlaps, len(batch)),
    )


def _controls(batch: Batch, samples: IntArray, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return the control values of these samples of the batch; they are NaN for other samples."""
    values = np.full(len(batch), np.nan)
    if len(samples):
        part = batch if len(samples) == len(batch) else batch.take(samples)
        values[samples] = control_values(part, dissimilarity)
    return values


def _overlaps(batch: Batch, samples: IntArray, dissimilarity: PairDissimilarity, confidence: str) -> OverlapSums:
    """Return the sums over the overlapping pairs of these samples of the batch; they are 0 for other samples."""
    if len(samples) == len(batch):
        return overlap_sums(batch, dissimilarity, confidence)
    count, distance = np.zeros(len(batch)), np.zeros(len(batch))
    if not len(samples):
        no_codes, no_sums = np.zeros(0, dtype=np.int64), np.zeros(0)
        return OverlapSums(count, distance, no_codes, no_codes, no_sums, no_sums)
    sums = overlap_sums(batch.take(samples), dissimilarity, confidence)
    count[samples], distance[samples] = sums.count, sums.distance
    return sums._replace(count=count, distance=distance, instance_k=samples[sums.instance_k])


def _by_category(
    result: Statistics, overlaps: OverlapSums, n_samples: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """Return the number of categories of each sample, and the code, δ_k and overlap sums of each category."""
    width = int(max(result.category_k.max(initial=0), overlaps.category_k.max(initial=0))) + 1
    aligned_keys = result.instance_k * width + result.category_k
    overlap_keys = overlaps.instance_k * width + overlaps.category_k
    keys = np.union1d(aligned_keys, overlap_keys) if len(overlap_keys) else aligned_keys
    disorder = np.full(len(keys), np.nan)
    disorder[keys.searchsorted(aligned_keys)] = result.distance_k / result.weight_k
    count, distance = np.zeros(len(keys)), np.zeros(len(keys))
    row = keys.searchsorted(overlap_keys)
    count[row], distance[row] = overlaps.count_k, overlaps.distance_k
    return np.bincount(keys // width, minlength=n_samples), keys % width, disorder, count, distance


@_naming
def draw_pair_samples(task: Task) -> PairSamples:
    """Draw the points of a task, and align their annotators two at a time."""
    sampler = shift_sampler(task.corpus, task.settings)
    dissimilarity = task.settings.dissimilarity.bind(task.corpus.categories)
    points = draw_points(sampler, task.in_corpus, task.number, dissimilarity)
    return PairSamples(task.document, task.number, points.value, points.place)


@_naming
def compute_expected(
    task: Task, work_limit: float, n_threads: int, sampler: ShiftSampler | None = None
) -> ComputedChances:
    """Compute the expected disorders of the documents of a task without samples, each within the limit of work.

    `sampler` is the sampler of the task's corpus, if there is one already.
    """
    return compute_chances(
        task.corpus,
        task.settings,
        task.in_corpus,
        task.document,
        work_limit=work_limit,
        n_threads=n_threads,
        sampler=sampler,
    )


def tasks_by_cost(
    corpus: Corpus,
    measurable: IntArray,
    document: IntArray,
    number: IntArray,
    cost: FloatArray,
    settings: GammaSettings,
    limits: Limits,
    max_cost: float,
    source: SourceDocuments | None = None,
    controls: Controls | None = None,
    dropped: Dropped | None = None,
    *,
    in_pieces: bool = True,
) -> Iterator[Task]:
    """Yield tasks of bounded size, the most costly first, each with the piece of the corpus that it needs.

    Without `in_pieces`, each has the whole corpus, whose sampler then serves all of them.

    `document` and `number` are sorted. `cost` is the cost of a sample of each measurable document, and `max_cost` the
    limit for a task of several samples. `limits` apply to the alignments, and `controls` to the samples of each
    measurable document. `dropped` has an entry for each document of the corpus.
    """
    if not len(document):
        return
    is_suitable = suitable_documents(corpus, settings)[measurable]
    max_units = np.where(is_suitable, _SHIFTED_TASK_UNITS, _TASK_UNITS)
    share_of_task = np.maximum(corpus.units_per_document[measurable] / max_units, cost / max_cost)
    shares = share_of_task[document]
    bounds = chunks(shares, 1)
    if len(bounds) > 1:
        task_sizes = np.add.reduceat(shares, [first for first, _ in bounds])
        bounds = [bounds[task] for task in (-task_sizes).argsort(kind="stable").tolist()]
    if controls is None:
        controls = Controls.none(len(measurable))
    for first, last in bounds:
        documents = document[first:last]
        numbers = number[first:last]
        in_corpus = measurable[documents]
        begin, end = (int(in_corpus[0]), int(in_corpus[-1]) + 1) if in_pieces else (0, len(corpus))
        piece = corpus.documents_between(begin, end)
        yield Task(
            corpus=piece,
            settings=settings,
            limits=limits,
            in_corpus=in_corpus - begin,
            document=documents,
            number=numbers,
            is_suitable=is_suitable[documents],
            source=source,
            count_overlaps=controls.overlaps[documents],
            align_pairs=numbers < controls.pairs[documents],
            dropped=None if dropped is None else dropped.take(slice(begin, end)),
        )
