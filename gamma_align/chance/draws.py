"""Documents to align and samples to draw: the requests, and the functions that carry them out in any process.

A sample depends only on the seed, its document and its number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from gamma_align.alignment import Limits, have_few_pairs, naming_documents, solve_alignment
from gamma_align.chance.aligned_sums import Statistics, statistics
from gamma_align.chance.chance_settings import ChanceSettings
from gamma_align.chance.computed_chance import ComputedChances, compute_chances
from gamma_align.chance.other_samplers import SourceDocuments, make_sampler, shift_sampler
from gamma_align.chance.overlaps import OverlapSums, overlap_sums
from gamma_align.chance.pairs import control_means, control_values
from gamma_align.chance.sampler import Sampler, ShiftSampler
from gamma_align.chance.samples import DocumentControls, FullSamples
from gamma_align.chance.shifted_samples import ShiftedSamples, align_shifted, align_unmoved
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, chunks
from gamma_align.data import Batch, Corpus
from gamma_align.distances import PairDissimilarity

_CHUNK_UNITS = 50_000  # of samples that are solved together, which bounds the memory

Result = TypeVar("Result")
Further = ParamSpec("Further")  # arguments after the draws


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


class Draws(NamedTuple):
    """Documents of a part, and a sample number for each.

    `corpus` is a piece of the part, and `in_corpus` the index of each document in it; `document` is its index among the
    measurable documents of the part. The `limits` apply to these alignments, in place of the limits of the settings.
    `is_suitable` marks those that a kernel is likely to align (see `shifted_samples`). If samples are made of units of
    other documents, `source` contains the documents of the whole corpus. `count_overlaps` and `align_pairs` mark the
    samples with these control variates (see `Controls`).
    """

    corpus: Corpus
    settings: ChanceSettings
    limits: Limits
    in_corpus: IntArray
    document: IntArray
    number: IntArray
    is_suitable: BoolArray
    source: SourceDocuments | None
    count_overlaps: BoolArray
    align_pairs: BoolArray

    def take(self, samples: IntArray) -> Draws:
        """Return the draws of some of the samples, which are in order."""
        if len(samples) == len(self.number):
            return self
        columns = ("in_corpus", "document", "number", "is_suitable", "count_overlaps", "align_pairs")
        return self._replace(**{name: getattr(self, name)[samples] for name in columns})


def _with_document_names(
    function: Callable[Concatenate[Draws, Further], Result],
) -> Callable[Concatenate[Draws, Further], Result]:
    """Return the function, with the documents of its draws named in errors about memory."""

    @wraps(function)
    def call(draws: Draws, /, *args: Further.args, **kwargs: Further.kwargs) -> Result:
        with naming_documents(draws.corpus.documents, draws.in_corpus):
            return function(draws, *args, **kwargs)

    return call


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlignedDocuments(Columns):
    """Statistics of documents, and their indices."""

    document: IntArray
    statistics: Statistics

    def to_stored(self) -> dict[str, Any]:
        """Return all columns, to be stored; those named …_k have `counts_k` rows for each document."""
        columns = self.statistics.columns()
        counts = np.bincount(columns.pop("instance_k"), minlength=len(self))
        return {"document": self.document, "counts_k": counts, **columns}

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> AlignedDocuments:
        """Return the statistics from the columns that `to_stored` returned."""
        columns = dict(stored)
        document = columns.pop("document")
        instance = np.arange(len(document)).repeat(columns.pop("counts_k"))
        return cls(document, Statistics(**columns, instance_k=instance))


@_with_document_names
def align_documents(draws: Draws, sampler: ShiftSampler | None = None) -> AlignedDocuments:
    """Align the documents of these draws, by the kernel if possible, and return their statistics in any order.

    `sampler` is the shift sampler of the corpus of the draws, if there is one already.
    """
    is_other = np.ones(len(draws.document), dtype=np.bool_)
    parts = []
    # The kernel lists pairs without counting them before.
    suitable = (draws.is_suitable & have_few_pairs(draws.corpus.units_per_document[draws.in_corpus])).nonzero()[0]
    if len(suitable) and not draws.settings.chance_from:  # else the sampler does not have the units of all annotators
        sampler = sampler or shift_sampler(draws.corpus, draws.settings)
        categories = draws.corpus.categories
        in_corpus = draws.in_corpus[suitable]
        clear, aligned = align_unmoved(sampler, categories, draws.settings, in_corpus)
        parts.append(AlignedDocuments(draws.document[suitable[clear]], aligned))
        is_other[suitable[clear]] = False
    unsolved = is_other.nonzero()[0]
    if len(unsolved) or not parts:
        parts.append(_solve_documents(draws.take(unsolved)))
    return parts[0] if len(parts) == 1 else AlignedDocuments.join(parts)


@_with_document_names
def _solve_documents(draws: Draws) -> AlignedDocuments:
    """Align the documents of these draws by the solver."""
    settings = draws.settings
    dissimilarity = draws.settings.dissimilarity.bind(draws.corpus.categories)
    data = Batch.from_corpus(draws.corpus)[0].take(draws.in_corpus)
    solution = solve_alignment(data, dissimilarity, draws.limits, alignment=settings.alignment)
    return AlignedDocuments(draws.document, statistics(data, solution, dissimilarity, confidence=settings.confidence))


@_with_document_names
def align_samples(draws: Draws, sampler: Sampler | None = None) -> FullSamples:
    """Draw and align the samples of these draws, by the kernel if possible, and return them in any order.

    `sampler` is the sampler of the corpus of the draws, if there is one already.
    """
    sampler = sampler or make_sampler(draws.corpus, draws.settings, draws.source)
    is_other = np.ones(len(draws.number), dtype=np.bool_)
    parts = []
    if isinstance(sampler, ShiftSampler):
        shifted = (draws.is_suitable & ~draws.align_pairs).nonzero()[0]
        if len(shifted):
            part = draws.take(shifted)
            columns = part.in_corpus, part.number, part.count_overlaps
            sums = align_shifted(sampler, part.corpus.categories, part.settings, *columns)
            parts.append(_shifted_samples(part.take(sums.sample), sums))
            is_other[shifted[sums.sample]] = False
    unsolved = is_other.nonzero()[0]
    units = draws.corpus.units_per_document[draws.in_corpus[unsolved]]
    parts += [_solve_samples(draws.take(unsolved[first:last]), sampler) for first, last in chunks(units, _CHUNK_UNITS)]
    return parts[0] if len(parts) == 1 else FullSamples.join(parts)


@np.errstate(divide="ignore", invalid="ignore")
def _shifted_samples(draws: Draws, sums: ShiftedSamples) -> FullSamples:
    """Return the samples of these draws of which the sums are known."""
    return FullSamples(
        draws.document,
        draws.number,
        sums.disorder,
        sums.distance / sums.weight,
        np.zeros(len(draws.number)),
        np.full(len(draws.number), np.nan),
        sums.overlaps,
        sums.overlap_distance,
        sums.counts_k,
        sums.category_k,
        sums.distance_k / sums.weight_k,
        sums.overlaps_k,
        sums.overlap_distance_k,
    )


@_with_document_names
def _solve_samples(draws: Draws, sampler: Sampler) -> FullSamples:
    """Draw the samples of these draws, and align them by the solver."""
    settings = draws.settings
    dissimilarity = draws.settings.dissimilarity.bind(draws.corpus.categories)
    batch = sampler.sample(draws.in_corpus, draws.number)
    solution = solve_alignment(batch, dissimilarity, draws.limits, alignment=settings.alignment)
    result = statistics(batch, solution, dissimilarity, confidence=settings.confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        categorial = result.distance / result.weight
    overlaps = _overlaps(batch, draws.count_overlaps.nonzero()[0], dissimilarity, settings.confidence)
    return FullSamples(
        draws.document,
        draws.number,
        result.disorder,
        categorial,
        result.gap,
        _controls(batch, draws.align_pairs.nonzero()[0], dissimilarity),
        overlaps.count,
        overlaps.distance,
        *_sums_by_category(result, overlaps, len(batch)),
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
    count = np.zeros(len(batch))
    distance = np.zeros(len(batch))
    if not len(samples):
        no_codes = np.zeros(0, dtype=np.int64)
        no_sums = np.zeros(0)
        return OverlapSums(count, distance, no_codes, no_codes, no_sums, no_sums)
    sums = overlap_sums(batch.take(samples), dissimilarity, confidence)
    count[samples] = sums.count
    distance[samples] = sums.distance
    return sums._replace(count=count, distance=distance, instance_k=samples[sums.instance_k])


def _sums_by_category(
    result: Statistics, overlaps: OverlapSums, n_samples: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """Return the number of categories of each sample; and code, δ_k, number and distance of overlaps of each.

    The categories are sorted by sample and code; δ_k is NaN if no units of the category are aligned.
    """
    width = int(max(result.category_k.max(initial=0), overlaps.category_k.max(initial=0))) + 1
    aligned_keys = result.instance_k * width + result.category_k
    overlap_keys = overlaps.instance_k * width + overlaps.category_k
    keys = np.union1d(aligned_keys, overlap_keys) if len(overlap_keys) else aligned_keys
    disorder = np.full(len(keys), np.nan)
    disorder[keys.searchsorted(aligned_keys)] = result.distance_k / result.weight_k
    count = np.zeros(len(keys))
    distance = np.zeros(len(keys))
    row = keys.searchsorted(overlap_keys)
    count[row] = overlaps.count_k
    distance[row] = overlaps.distance_k
    return np.bincount(keys // width, minlength=n_samples), keys % width, disorder, count, distance


@_with_document_names
def expect_controls(draws: Draws) -> DocumentControls:
    """Return the expectations of the control values of samples of the documents of these draws."""
    sampler = shift_sampler(draws.corpus, draws.settings)
    dissimilarity = draws.settings.dissimilarity.bind(draws.corpus.categories)
    return DocumentControls(draws.document, control_means(sampler, draws.in_corpus, dissimilarity))


@_with_document_names
def compute_expected(draws: Draws, work_limit: float, sampler: ShiftSampler | None = None) -> ComputedChances:
    """Compute the expected disorders of the documents of these draws without samples, each within the limit of work.

    `sampler` is the sampler of their corpus, if there is one already.
    """
    return compute_chances(
        draws.corpus,
        draws.settings,
        draws.in_corpus,
        draws.document,
        work_limit=work_limit,
        sampler=sampler,
    )
