"""The work on one part of a corpus: align its documents, draw samples, and estimate disorders from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from gamma_align.alignment.limits import Limits
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import MIN_ANNOTATORS, Corpus
from gamma_align.data.parts import Part
from gamma_align.data.sanity import DataFacts
from gamma_align.inference.means import Estimates
from gamma_align.measures.gamma.categorial import CONSTANT, CategorialEstimates, Priors
from gamma_align.measures.gamma.computed_chance import MAX_WORK, NO_CHANCES, ComputedChances, ExpectedWork
from gamma_align.measures.gamma.corpus_values import pooled_gamma
from gamma_align.measures.gamma.dropped import CandidateSampler
from gamma_align.measures.gamma.gamma_result import GammaValue, GammaValues
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import SourceDocuments, make_sampler
from gamma_align.measures.gamma.pairs import can_pair
from gamma_align.measures.gamma.part_store import PartStore, Store
from gamma_align.measures.gamma.precision import (
    ExpectedCategorialDisorders,
    ExpectedDisorders,
    SampleCosts,
    SampleCounts,
)
from gamma_align.measures.gamma.priors import overlap_counts, priors_of
from gamma_align.measures.gamma.sampler import ShiftSampler, can_be_drawn, coverage
from gamma_align.measures.gamma.samples import FullSamples, PairSamples, Samples
from gamma_align.measures.gamma.shared_work import SharedDocuments, SharedNumbers, SharedWork
from gamma_align.measures.gamma.statistics import Statistics
from gamma_align.measures.gamma.tasks import (
    TASKS_PER_WORKER,
    AlignedDocuments,
    Controls,
    Task,
    align_documents,
    align_samples,
    compute_expected,
    draw_pair_samples,
    tasks_by_cost,
)
from gamma_align.work.workers import Workers

_SAMPLED = ("error", "deviation", "skewness", "samples", "controls", "freedom")  # columns of `Estimates`
_MIN_SAMPLES_FOR_ESTIMATE = 3  # of each document, before the current γ is reported
_NOT_KNOWN = "not known yet"
_MAX_DOCUMENTS_SHOWN = 200  # nobody looks at each of more documents while they are measured
# Costs of samples, in the unit of `SampleCosts`.
_INLINE_COST_MAX = 1e6  # less than a second
_TASK_COST_MIN = 5e4  # some hundredths of a second, hardly worth a task of its own
_TASK_COST_MAX = 3e6  # half a second or so: an interrupt may have to wait for the end of a task
# Its sampler is made once for all samples: of a document of 100 units that takes as long as twenty samples.
_MAX_UNITS_OF_KEPT_SAMPLER = 100_000
_COMPUTATION_COST = 200.0  # of a computed expected disorder, relative to a sample

Pieces = TypeVar("Pieces", AlignedDocuments, ComputedChances)
_Observed = tuple[FloatArray, FloatArray, IntArray]  # disorder, weight and number of pairs


class CurrentEstimate(NamedTuple):
    """The estimate of γ before all samples are drawn.

    `observed` is the mean observed disorder. `gamma` is available once all `n_measurable` documents have three samples,
    as `n_sampled` have now, unless chance is pooled. Its interval is computed as the final one: over documents, or over
    the samples of the only document. `gamma_by_document` contains γ of the `n_sampled` documents by name; it is empty
    for a corpus of many documents.
    """

    observed: float
    gamma: GammaValue
    n_sampled: int
    n_measurable: int
    gamma_by_document: Mapping[str, float]


class _SampleEstimates(NamedTuple):
    """Expected disorders from samples: of γ with the brackets of its mean, and of γcat followed by γk."""

    gamma: Estimates
    brackets: FloatArray
    categorial: CategorialEstimates


class PartWork:
    """The measurable documents of a part, numbered from 0: their samples and the estimates from them.

    `documents` are the names of all documents of the part, and `problems` explain why documents were skipped.
    `costs` and `mean_units` have an entry for each measurable document; `n_drawn` is the number of full samples. If
    samples are made of units of other documents, `source` contains the documents of the whole corpus. `shared` contains
    results on documents that other corpora have in common with this one; `work_limit` is that of a computed expected
    disorder.
    """

    def __init__(
        self,
        part: Part,
        settings: GammaSettings,
        workers: Workers,
        store: Store | None,
        index: int,
        source: SourceDocuments | None = None,
        *,
        shared: SharedWork | None = None,
        is_watched: bool = False,
        work_limit: float = MAX_WORK,
    ) -> None:
        corpus, self.problems = part
        self._corpus, self._settings, self._workers, self._source = corpus, settings, workers, source
        self.documents = corpus.documents
        self._store = PartStore(store, index)
        is_drawn = can_be_drawn(corpus, settings.chance_from)
        n_units = np.bincount(corpus.unit_document[is_drawn[corpus.unit_seen]], minlength=len(corpus))
        self._measurable = ((corpus.n_annotators >= MIN_ANNOTATORS) & (n_units > 0)).nonzero()[0]
        n_choices = np.bincount(corpus.seen_document[is_drawn], minlength=len(corpus))[self._measurable]
        self._annotators = corpus.n_annotators[self._measurable]
        units = corpus.units_per_document[self._measurable]
        can_control = can_pair(corpus, n_units, integer_offsets=settings.integer_offsets)[self._measurable]
        can_control &= settings.sampler == "shift"
        self.costs = SampleCosts.estimate(
            self._annotators, units, coverage(corpus)[self._measurable], np.where(can_control, n_choices, 0)
        )
        self.mean_units = units / self._annotators
        self.n_drawn = 0
        self._last_expected: tuple[SampleCounts, ExpectedDisorders] | None = None
        self._last_categorial: tuple[SampleCounts, CategorialEstimates] | None = None
        self._is_watched = is_watched
        self._shared = shared
        dropped = self._dropped = None if shared is None else shared.dropped(corpus)
        self._shared_documents = None if shared is None else shared.documents_of(corpus, self._measurable, dropped)
        sampler = make_sampler(corpus, settings, source, dropped)
        self._is_distance_lowered = sampler.is_distance_lowered[self._measurable]
        self._shift_sampler = sampler if isinstance(sampler, ShiftSampler) else None  # until chance is computed
        self._observed = self._align_documents()
        works = ExpectedWork.estimate(corpus, settings, self._shift_sampler)
        self.is_computed = works.is_computed(work_limit)[self._measurable]
        self._work_limit = work_limit
        self._computed = NO_CHANCES
        # Documents without weight have no δ_cat and need no expected one; computed ones have it already.
        facts = self._measurable, ~self.is_computed, self._observed.weight > 0
        self._priors: Priors = priors_of(corpus, *facts, settings, source, self._shift_sampler)
        self._samples = Samples(self._priors)
        self._load_samples()

    def facts(self) -> DataFacts:
        """Return the facts about the part's data from which signs of a fault are derived."""
        return DataFacts.of(self._corpus)

    def _align_documents(self) -> Statistics:
        """Align the documents that the store does not contain yet; return the statistics of all of them."""
        parts = [*map(AlignedDocuments.from_stored, self._store.load("observed"))]
        if self._shared_documents is not None:
            parts.append(self._shared_documents.aligned())
        is_aligned = np.zeros(len(self._measurable), dtype=np.bool_)
        for part in parts:
            is_aligned[part.document] = True
        pending = (~is_aligned).nonzero()[0]
        tasks = self._tasks([(pending, np.zeros_like(pending))], self.costs.full)
        is_small = bool(self.costs.full[pending].sum() < _INLINE_COST_MAX)
        results: Iterator[AlignedDocuments]
        if self._workers.n_workers == 1:
            results = (align_documents(task, self._sampler_of(task.corpus)) for task in tasks)
        else:
            results = self._workers.results(align_documents, tasks, is_small=is_small)
        new = [*self._store.save_while_iterating("observed", results, AlignedDocuments.to_stored)]
        if self._shared_documents is not None and new:
            self._shared_documents.keep_aligned(AlignedDocuments.join(new))
        parts += new
        return _sorted_pieces(AlignedDocuments, parts).statistics

    def compute(self) -> None:
        """Compute the expected disorders that need no samples, and that the store does not contain yet."""
        if len(self._computed) == np.count_nonzero(self.is_computed):
            return
        parts = [*map(ComputedChances.from_stored, self._store.load("computed"))]
        if self._shared_documents is not None:
            parts.append(self._shared_documents.computed(self._work_limit))
        is_pending = self.is_computed.copy()
        for part in parts:
            is_pending[part.document] = False
        pending = is_pending.nonzero()[0]
        cost = _COMPUTATION_COST * self.costs.full
        n_threads = self._workers.n_threads
        # Nearly all of the work is in the kernel, so that threads of this process do it as fast as other processes.
        is_inline = bool(cost[pending].sum() < _INLINE_COST_MAX) or n_threads > 1
        tasks = self._tasks([(pending, np.zeros_like(pending))], cost, in_pieces=not is_inline)
        compute = partial(compute_expected, work_limit=self._work_limit, n_threads=n_threads)

        def compute_here(task: Task) -> ComputedChances:
            return compute(task, sampler=self._sampler_of(task.corpus))

        results = map(compute_here, tasks) if is_inline else self._workers.results(compute, tasks)
        new = [*self._store.save_while_iterating("computed", results, ComputedChances.to_stored)]
        if self._shared_documents is not None and new:
            self._shared_documents.keep_computed(ComputedChances.join(new), self._work_limit)
        parts += new
        self._computed = _sorted_pieces(ComputedChances, parts)
        if self._corpus.n_units > _MAX_UNITS_OF_KEPT_SAMPLER and self._dropped is None:
            self._shift_sampler = None  # it takes as much memory as the corpus

    def _load_samples(self) -> None:
        for columns in self._store.load("aligned"):
            self._samples.add(FullSamples(**columns))
            self.n_drawn += len(columns["document"])
        for columns in self._store.load("paired"):
            self._samples.add_pairs(PairSamples(**columns))

    def draw(self, counts: SampleCounts, gamma_counts: IntArray, report: Callable[[int], None]) -> None:
        """Draw and align the missing samples up to `counts`; `report` is called with the number of full samples drawn.

        The first samples of each document, `gamma_counts`, are used for γ and have their pairs as a control. Samples of
        documents whose own alignment is not proven optimal have reduced limits.
        """
        self._last_expected = self._last_categorial = None
        with_pairs = np.where(self._settings.rule.uses_pairs(self.costs), gamma_counts, 0)
        controls = Controls(self._priors.documents.use_control, with_pairs)
        shared = self._shared_documents
        self._use_shared_samples(shared, counts.full, with_pairs, report)
        is_hard, limits = self._observed.gap > 0, self._settings.limits.for_samples
        for is_selected, has_reduced_limits in ((~is_hard, False), (is_hard, True)):
            if not is_selected.any():
                continue
            missing = self._samples.missing(np.where(is_selected, counts.full, 0), with_pairs)
            task_limits = limits.reduced if has_reduced_limits else limits
            tasks = self._tasks(missing, self.costs.full, task_limits, controls, in_pieces=self._workers.n_workers > 1)
            results = self._aligned_samples(tasks)
            for samples in self._store.save_while_iterating("aligned", results, FullSamples._asdict):
                self._samples.add(samples)
                self.n_drawn += len(samples.document)
                report(len(samples.document))
                if shared is not None:
                    shared.keep_samples(samples, self._shared_numbers(samples.document, samples.number))
        if np.count_nonzero(counts.pairs):
            self._draw_pairs(counts.pairs)

    def _use_shared_samples(
        self, shared: SharedDocuments | None, counts: IntArray, with_pairs: IntArray, report: Callable[[int], None]
    ) -> None:
        """Add the missing samples that were drawn for another corpus."""
        if shared is None or not shared.has_samples:
            return
        for document, number in [*self._samples.missing(counts, with_pairs)]:
            numbers = self._shared_numbers(document, number)
            index, samples = shared.samples(document, numbers, number < with_pairs[document])
            if len(index):
                self._samples.add(samples._replace(document=document[index], number=number[index]))
                report(len(index))

    def _shared_numbers(self, document: IntArray, number: IntArray) -> SharedNumbers:
        """Return the numbers under which samples are kept for other corpora."""
        sampler, is_hard = self._shift_sampler, self._observed.gap > 0
        if isinstance(sampler, CandidateSampler):
            number = sampler.candidates(self._measurable[document], number)
        return SharedNumbers(number, self._priors.documents.use_control[document], is_hard[document])

    def _draw_pairs(self, counts: IntArray) -> None:
        """Draw the missing pair samples up to these counts."""
        pair_costs = np.where(self.costs.can_control, self.costs.pairs, 0.0)
        tasks = self._tasks(self._samples.missing_pairs(counts), pair_costs)
        pair_results = self._workers.results(draw_pair_samples, tasks)
        for pair_samples in self._store.save_while_iterating("paired", pair_results, PairSamples._asdict):
            self._samples.add_pairs(pair_samples)

    def _aligned_samples(self, tasks: Iterator[Task]) -> Iterator[FullSamples]:
        if self._workers.n_workers > 1:
            return self._workers.results(align_samples, tasks)
        return (align_samples(task, self._sampler_of(task.corpus)) for task in tasks)

    def _sampler_of(self, corpus: Corpus) -> ShiftSampler | None:
        """Return the shift sampler of this part if it is the corpus of a task."""
        return self._shift_sampler if corpus is self._corpus else None

    def _tasks(
        self,
        pieces: Iterable[tuple[IntArray, IntArray]],
        cost: FloatArray,
        limits: Limits | None = None,
        controls: Controls | None = None,
        *,
        in_pieces: bool = True,
    ) -> Iterator[Task]:
        """Yield the tasks for samples, given as pieces of (document, sample number).

        By default, the limits of the settings apply, and the samples have no controls. With `in_pieces`, or if this
        part is large or has no sampler, a task has the piece of the corpus that it needs.
        """
        # Each task looks through its whole corpus, so many tasks of a large part would take long.
        in_pieces |= self._shift_sampler is None or self._corpus.n_units > _MAX_UNITS_OF_KEPT_SAMPLER
        # The current estimate is published after each task, so tasks are small if it is watched.
        max_cost = _TASK_COST_MIN if self._is_watched else _TASK_COST_MAX
        if self._workers.n_workers > 1:
            pieces = [*pieces]
            counts = sum(np.bincount(document, minlength=len(cost)) for document, _ in pieces)
            cost_per_task = float(counts @ cost) / (TASKS_PER_WORKER * self._workers.n_workers)
            max_cost = min(max_cost, max(cost_per_task, _TASK_COST_MIN))
        for document, number in pieces:
            yield from tasks_by_cost(
                self._corpus,
                self._measurable,
                document,
                number,
                cost,
                self._settings,
                limits or self._settings.limits,
                max_cost,
                self._source,
                controls,
                self._dropped,
                in_pieces=in_pieces,
            )

    def current_estimate(self) -> CurrentEstimate:
        """Return the estimate of γ from the samples drawn so far."""
        weight, disorder = self.mean_units, self._observed.disorder
        all_samples = np.full(len(weight), np.iinfo(np.int64).max)
        expected = self._samples.disorders(all_samples)
        is_sampled = expected.samples >= _MIN_SAMPLES_FOR_ESTIMATE
        is_sampled[self._computed.document] = True
        observed = float(np.average(disorder, weights=weight)) if len(weight) else math.nan
        gamma = GammaValue.unavailable(_NOT_KNOWN)
        if is_sampled.all() and len(weight) and self._settings.chance != "pooled":
            brackets = self._samples.brackets(all_samples, expected.samples)
            gamma = self._gamma(self._chances(expected, brackets))
        return CurrentEstimate(
            observed=observed,
            gamma=gamma,
            n_sampled=int(is_sampled.sum()),
            n_measurable=len(weight),
            gamma_by_document=self._gamma_by_document(self._chances(expected).expected, is_sampled),
        )

    def _chances(self, expected: Estimates, brackets: FloatArray | None = None) -> Chances:
        """Return the disorders of γ of all documents, computed or estimated from samples."""
        data = self._observed.disorder, self.mean_units, self._observed.aligned
        chances = _chances(*data, expected, np.zeros(len(self.mean_units)) if brackets is None else brackets)
        chances.fill(self._computed.document, self._computed.gamma(*data))
        return chances

    def _gamma(self, chances: Chances) -> GammaValue:
        """Return γ of the part as if no more samples followed, even if there are few."""
        no_reason = np.zeros(len(chances), dtype=np.int64)
        values = GammaValues(chances, no_reason, needs_pairs=False, min_samples=_MIN_SAMPLES_FOR_ESTIMATE)
        if len(self.documents) == 1:
            return values[0]
        delta_empty = self._settings.dissimilarity.delta_empty
        return pooled_gamma(chances, values.reasons, self._annotators, delta_empty, names=self.documents)

    def _gamma_by_document(self, expected: FloatArray, is_sampled: BoolArray) -> dict[str, float]:
        """Return γ by name of the sampled documents; nothing if they are many, or share an expected disorder."""
        if len(expected) > _MAX_DOCUMENTS_SHOWN or self._settings.chance == "pooled":
            return {}
        rows = (is_sampled & (expected > 0)).nonzero()[0]
        names = (self.documents[row] for row in self._measurable[rows].tolist())
        return dict(zip(names, (1 - self._observed.disorder[rows] / expected[rows]).tolist(), strict=True))

    def expected(self, counts: SampleCounts) -> ExpectedDisorders:
        """Return δ_e from the first samples of each document, without and with its first pair samples."""
        # The last call of the sampling loop has the counts that `rows` asks for.
        if self._last_expected is not None and self._last_expected[0].equals(counts):
            return self._last_expected[1]
        plain = self._samples.disorders(counts.full)
        controlled = self._samples.disorders(counts.full, counts.pairs) if np.count_nonzero(counts.pairs) else plain
        expected = ExpectedDisorders(self.mean_units, plain, controlled)
        self._last_expected = counts, expected
        return expected

    def expected_categorial(self, drawn: SampleCounts) -> ExpectedCategorialDisorders:
        """Return δ_e,cat from the samples drawn of each document."""
        documents = self._categorial(drawn).take(slice(len(self._measurable)))
        return ExpectedCategorialDisorders(self._observed.weight, documents)

    def _categorial(self, drawn: SampleCounts) -> CategorialEstimates:
        """Return δ_e,cat of documents, followed by δ_e,k of their categories, from their first samples."""
        # The last call of the sampling loop has the counts that `rows` asks for.
        if self._last_categorial is None or not self._last_categorial[0].equals(drawn):
            self._last_categorial = drawn, self._samples.categorial(drawn.full)
        return self._last_categorial[1]

    def _final_categorial(self, drawn: SampleCounts) -> CategorialEstimates:
        """Return δ_e,cat of documents, followed by δ_e,k of their categories.

        If no sample of a document of one label has δ_cat, compute whether its units can overlap at all. Otherwise it
        would depend on the seed which documents are pooled.
        """
        estimates, n_documents = self._categorial(drawn), len(self._measurable)
        status, mean = estimates.status[:n_documents], estimates.mean[:n_documents]
        is_undecided = (status == CONSTANT) & np.isnan(mean) & (self._observed.weight > 0) & ~self.is_computed
        if not np.count_nonzero(is_undecided):
            return estimates
        count = np.full(n_documents, np.nan)
        count[is_undecided] = overlap_counts(self._corpus, self._measurable[is_undecided], self._settings)
        document = np.concatenate([np.arange(n_documents), self._priors.document_k])
        entries = is_undecided[document].nonzero()[0]
        return estimates.decided(entries, count[document[entries]])

    def _estimates(self, gamma_counts: SampleCounts, drawn: SampleCounts) -> _SampleEstimates | None:
        """Return the expected disorders from samples; None if no document of the part has any."""
        if self.is_computed.all():
            return None
        pairs = np.where(gamma_counts.pairs > 0, drawn.pairs, 0)
        gamma = self.expected(gamma_counts._replace(pairs=pairs)).controlled
        return _SampleEstimates(gamma, self._samples.brackets(gamma_counts.full), self._final_categorial(drawn))

    def rows(self, gamma_counts: SampleCounts, drawn: SampleCounts) -> GammaRows:
        """Return the rows of all documents of the part, and release their samples.

        γ is estimated from the samples in `gamma_counts`, with pairs for documents that have pairs there; γcat and γk
        are estimated from all samples drawn.
        """
        observed, priors = self._observed, self._priors
        estimates, gap = self._estimates(gamma_counts, drawn), self._samples.gap
        self._last_expected = self._last_categorial = None
        del self._samples  # the rows need as much memory
        with np.errstate(divide="ignore", invalid="ignore"):
            disorder = observed.distance / observed.weight
        document_k, category_k = priors.document_k, priors.category_k
        gamma: list[tuple[IntArray, Chances]] = []
        gamma_cat: list[tuple[IntArray, Chances]] = []
        gamma_k: list[tuple[IntArray, Chances]] = []
        data = observed.disorder, self.mean_units, observed.aligned
        categorial_data = disorder, observed.weight, observed.pairs
        data_k = _observed_k(observed, document_k, category_k)
        if estimates is not None:
            gamma.append((self._measurable, _chances(*data, estimates.gamma, estimates.brackets)))
            chances, chances_k = _categorial_chances(categorial_data, data_k, estimates.categorial)
            gamma_cat.append((self._measurable, chances))
            gamma_k.append((np.arange(len(document_k)), chances_k))
        computed = self._computed
        if len(computed):
            in_part = self._measurable[computed.document]
            gamma.append((in_part, computed.gamma(*data)))
            gamma_cat.append((in_part, computed.gamma_cat(*categorial_data)))
            missing = 1.0 if self._settings.empty_samples == "one" else np.nan
            gamma_k.append(computed.gamma_k(*data_k, document_k, category_k, missing))
        rows = GammaRows.without_counts(
            self._corpus,
            gamma=Chances.spread(len(self._corpus), gamma),
            gamma_cat=Chances.spread(len(self._corpus), gamma_cat),
            document_k=self._measurable[document_k],
            category_k=category_k,
            gamma_k=Chances.spread(len(document_k), gamma_k),
        )
        columns = {
            "alignments": observed.alignments,
            "samples": drawn.full,
            "gap": np.maximum(observed.gap, gap),
            "distance_lowered": self._is_distance_lowered,
        }
        for name, column in columns.items():
            getattr(rows, name)[self._measurable] = column
        return rows


def _sorted_pieces(kind: type[Pieces], parts: list[Pieces]) -> Pieces:
    """Return the rows of all parts, sorted by document.

    Pieces of a copy of a stored folder may hold documents again, with the same values: one of them stays.
    """
    joined = parts[0] if len(parts) == 1 else kind.join(parts or [kind.blank(0)])
    document = joined.document
    if (document[1:] > document[:-1]).all():
        return joined
    return joined.take(np.unique(document, return_index=True)[1])


def _chances(
    observed: FloatArray, weight: FloatArray, pairs: IntArray, expected: Estimates, bracket: FloatArray
) -> Chances:
    """Return the observed and expected disorders of γ."""
    sampled = {name: getattr(expected, name) for name in _SAMPLED}
    data = {"observed": observed, "weight": weight, "pairs": pairs}
    return Chances.blank(len(observed), **data, expected=expected.mean, **sampled, bracket=bracket)


def _categorial_chances(
    documents: _Observed, categories: _Observed, expected: CategorialEstimates
) -> tuple[Chances, Chances]:
    """Return the observed and expected disorders of γcat and of γk, whose rows come last in `expected`."""
    error, skewness = expected.error_and_skewness()
    chances = Chances.blank(
        len(expected),
        observed=np.concatenate([documents[0], categories[0]]),
        weight=np.concatenate([documents[1], categories[1]]),
        pairs=np.concatenate([documents[2], categories[2]]),
        expected=expected.mean,
        error=error,
        deviation=expected.deviation,
        skewness=skewness,
        samples=expected.samples,
        freedom=expected.freedom,
        prior=expected.prior,
        status=expected.status,
    )
    n_documents = len(documents[0])
    return chances.take(slice(n_documents)), chances.take(slice(n_documents, None))


def _observed_k(observed: Statistics, document: IntArray, category: IntArray) -> _Observed:
    """Return δ_k, weight and number of pairs for each (document, category); NaN and 0 if no pair has a weight."""
    width = int(category.max(initial=0)) + 1
    keys = document * width + category
    row = keys.searchsorted(observed.instance_k * width + observed.category_k)
    disorder, weight, pairs = np.full(len(keys), np.nan), np.zeros(len(keys)), np.zeros(len(keys), dtype=np.int64)
    disorder[row] = observed.distance_k / observed.weight_k
    weight[row], pairs[row] = observed.weight_k, observed.pairs_k
    return disorder, weight, pairs
