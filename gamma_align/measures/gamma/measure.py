"""Measure a corpus: align its documents, draw samples until they are precise enough, and return one row per document.

A corpus is processed in parts. Only a few numbers of each document are needed to decide how many samples to draw, so
with a store a corpus can be larger than memory: the store holds the parts that are not loaded, and an interrupted run
is resumed from it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Self, TypeVar

import numpy as np

from gamma_align.columns import BoolArray, Index, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import CorpusParts, Part, Parts
from gamma_align.data.sanity import DataFacts
from gamma_align.errors import Cure, Problem, Set, SettingsError
from gamma_align.inference.means import Estimates
from gamma_align.measures.gamma.computed_chance import MAX_WORK, ExpectedWork, needs_no_divisor, work_divisor
from gamma_align.measures.gamma.gamma_rows import GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import DOCUMENTS, SourceDocuments
from gamma_align.measures.gamma.part_store import Store
from gamma_align.measures.gamma.part_work import CurrentEstimate, PartWork
from gamma_align.measures.gamma.precision import (
    ExpectedCategorialDisorders,
    ExpectedDisorders,
    SampleCosts,
    SampleCounts,
)
from gamma_align.measures.gamma.shared_work import SharedWork
from gamma_align.measures.gamma.tasks import description
from gamma_align.measures.gamma.threads import ThreadWorkers, parts_for_threads, results_in_threads, suits_threads
from gamma_align.work.memory import release_freed_memory
from gamma_align.work.workers import Workers

PART_UNITS = 100_000
"""Units per part when a corpus in memory is measured with a store."""

Result = TypeVar("Result")
Report = Callable[[int], None]
"""Function that takes a number of samples that were drawn."""


def run(
    data: Corpus | Parts,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    store: Store | None = None,
) -> GammaRows:
    """Return one row per document, sorted by document.

    The rows do not depend on the number of workers, on how the corpus is divided into parts, or on the store.
    `progress` is called with the number of samples drawn and the total known to be required.
    """
    return Measurement(data, settings, n_jobs=n_jobs, progress=progress, store=store).rows()


class Measurement:
    """The measurement of a corpus, part by part; `shared` contains results on its documents that are known already.

    Once `rows` has returned, `problems` lists the problems of the documents that were skipped, and `facts` the facts of
    each part's data.
    """

    def __init__(
        self,
        data: Corpus | Parts,
        settings: GammaSettings,
        *,
        n_jobs: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        store: Store | None = None,
        shared: SharedWork | None = None,
    ) -> None:
        self._data, self._parts = data, _split(data, store)
        self._source = _source_documents(data, settings) if settings.sampler == DOCUMENTS else None
        self._settings = settings
        self._workers = Workers(n_jobs, description)
        self._store, self._shared = store, shared
        self._n_threads = 1  # that work on parts
        self._work_divisor = 1
        self._first_part: Part | None = None  # if it was read to decide on threads or work, until it is loaded
        self._loaded_parts: dict[int, PartWork] = {}
        self._lock = threading.Lock()  # of the loaded parts

        self._progress = progress
        # A progress callback may have a method `partial`, which receives a function that returns the current estimate.
        self._publish_estimate: Callable[[Callable[[], CurrentEstimate]], None] | None
        self._publish_estimate = getattr(progress, "partial", None)
        self._samples_drawn = 0
        self._samples_required = 0

        self.problems: list[Problem] = []
        self.facts: list[DataFacts] = []

    def rows(self) -> GammaRows:
        """Align the documents, draw the samples, and return one row per document."""
        self._use_threads()
        self._work_divisor = self._find_work_divisor()
        documents, slices, costs, sampled = self._align_documents()
        if len(slices) == 1:
            self._load_part(0).compute()
        self._report_estimate()
        gamma_counts, drawn = self._draw_until_precise(slices, costs, sampled)

        def rows_of_part(index: int, part: PartWork, _: Report) -> GammaRows:
            part.compute()
            return part.rows(gamma_counts.select(slices[index]), drawn.select(slices[index]))

        part_rows = self._for_each_part(rows_of_part)
        # The rows of a single part are already complete: no copy is needed.
        rows = next(part_rows) if len(slices) == 1 else GammaRows.gather(documents, part_rows)
        self._unload_parts()
        return replace(rows, work_divisor=self._work_divisor)

    def _find_work_divisor(self) -> int:
        """Return what the limit of work of each document is divided by; see `computed_chance`.

        It depends on all documents, so that a corpus of many is looked through first, and it is 1 if each document has
        to be precise.
        """
        n_documents, share = self._parts.n_documents, 1.0
        if self._shared is not None:
            share = self._shared.share_of_work(self._parts.annotators, n_documents)
        if not self._settings.rule.is_pooled or needs_no_divisor(n_documents, share):
            return 1
        works = []
        for index in range(len(self._parts)):
            part = self._read_part(index)
            works.append(ExpectedWork.estimate(part.corpus, self._settings))
            if index == 0:
                self._first_part = part
        return work_divisor(ExpectedWork.join(works), share)

    def _use_threads(self) -> None:
        """Work on parts in threads of this process, if several workers are requested and threads do it as fast.

        Whoever watches the current estimate needs the corpus as a single part.
        """
        n_threads = self._workers.n_threads
        if n_threads == 1 or self._publish_estimate is not None or self._source is not None:
            return
        first = self._data
        if not isinstance(first, Corpus):
            self._first_part = self._parts[0]
            first = self._first_part.corpus
        if not suits_threads(first, self._settings):
            return
        parts = self._parts if self._store is not None else parts_for_threads(first, n_threads)
        if parts is not None and len(parts) > 1:
            self._parts, self._n_threads, self._workers = parts, n_threads, ThreadWorkers()

    def _for_each_part(self, function: Callable[[int, PartWork, Report], Result]) -> Iterator[Result]:
        """Yield the function's result for each part, in order.

        Its arguments are the index of the part, the work on it, and a function that reports samples that were drawn.
        """

        def work(index: int, report: Report) -> Result:
            return function(index, self._load_part(index), report)

        if isinstance(self._workers, ThreadWorkers):
            stop = self._workers.stop
            return results_in_threads(work, range(len(self._parts)), self._n_threads, stop, self._report_samples)
        return (work(index, self._report_samples) for index in range(len(self._parts)))

    def _align_documents(self) -> tuple[tuple[str, ...], list[slice], SampleCosts, IntArray]:
        """Align the documents of all parts.

        Return the names of all documents, the slice of the measurable documents that belongs to each part, the cost of
        a sample of each measurable document, and which of these need samples.
        """
        documents: list[str] = []
        costs: list[SampleCosts] = []
        is_sampled: list[BoolArray] = []
        offsets = [0]
        for part in self._for_each_part(lambda _, part, __: _PartFacts.of(part)):
            documents += part.documents
            costs.append(part.costs)
            is_sampled.append(part.is_sampled)
            offsets.append(offsets[-1] + len(part.is_sampled))
            self.problems += part.problems
            self.facts.append(part.facts)
            self._samples_drawn += part.n_drawn
        all_costs = SampleCosts(*map(np.concatenate, zip(*costs, strict=True)))
        slices = [slice(start, end) for start, end in pairwise(offsets)]
        return tuple(documents), slices, all_costs, np.concatenate(is_sampled).nonzero()[0]

    def _draw_until_precise(
        self, slices: Sequence[slice], costs: SampleCosts, sampled: IntArray
    ) -> tuple[SampleCounts, SampleCounts]:
        """Draw samples of the documents that need them in batches, until the precision rule is satisfied.

        The rule knows these documents alone. Return, for all documents, the counts that γ is estimated from, and the
        counts drawn. γcat may require more samples than γ. The additional samples are not used for γ: their number
        depends on how soon a sample had aligned units, which would bias δ_e.
        """
        rule = self._settings.rule
        n_documents = len(costs.full)
        drawn = SampleCounts(np.zeros(n_documents, dtype=np.int64), np.zeros(n_documents, dtype=np.int64))
        if not len(sampled):
            return drawn, drawn

        rows: Index = slice(None) if len(sampled) == n_documents else sampled

        def at_all(counts: SampleCounts) -> SampleCounts:
            if len(sampled) == n_documents:
                return counts
            full, pairs = np.zeros((2, n_documents), dtype=np.int64)
            full[sampled], pairs[sampled] = counts.full, counts.pairs
            return SampleCounts(full, pairs)

        sampled_costs = costs.take(rows)
        gamma_counts = target = at_all(rule.first_counts(sampled_costs))
        while (drawn.full < target.full).any() or (drawn.pairs < target.pairs).any():
            drawn = drawn.maximum(target)
            gamma, gamma_cat = self._draw_batch(drawn, gamma_counts, slices)
            if len(sampled) < n_documents:
                gamma = ExpectedDisorders(gamma.weight[rows], gamma.plain.take(rows), gamma.controlled.take(rows))
                gamma_cat = None if gamma_cat is None else gamma_cat.take(rows)
            gamma_counts = target = at_all(rule.next_counts(gamma, gamma_counts.select(rows), sampled_costs))
            if gamma_cat is not None:
                counts = rule.next_counts_gamma_cat(gamma_cat, drawn.select(rows), sampled_costs)
                target = gamma_counts.maximum(at_all(counts))
        return gamma_counts, drawn

    def _draw_batch(
        self, counts: SampleCounts, gamma_counts: SampleCounts, slices: Sequence[slice]
    ) -> tuple[ExpectedDisorders, ExpectedCategorialDisorders | None]:
        """Draw the missing samples up to `counts`, and return the estimates of δ_e and δ_e,cat.

        δ_e,cat is None if the precision rule does not depend on it.
        """
        self._samples_required = int(counts.full.sum())
        is_pooled = self._settings.rule.is_pooled

        def draw(
            index: int, part: PartWork, report: Report
        ) -> tuple[ExpectedDisorders, ExpectedCategorialDisorders | None]:
            part_counts, part_gamma_counts = counts.select(slices[index]), gamma_counts.select(slices[index])
            part.draw(part_counts, part_gamma_counts.full, report)
            categorial = part.expected_categorial(part_counts) if is_pooled else None
            return part.expected(part_gamma_counts._replace(pairs=part_counts.pairs)), categorial

        if len(slices) == 1:
            (estimates,) = self._for_each_part(draw)
            return estimates
        gamma = _CorpusEstimates(len(counts.full))
        gamma_cat: list[ExpectedCategorialDisorders] = []
        for documents, (expected, categorial) in zip(slices, self._for_each_part(draw), strict=True):
            gamma.fill(documents, expected)
            if categorial is not None:
                gamma_cat.append(categorial)
        return gamma.expected, ExpectedCategorialDisorders.join(gamma_cat) if gamma_cat else None

    def _load_part(self, index: int) -> PartWork:
        """Return the work on a part. With a store, parts that no thread works on now are removed from memory."""
        with self._lock:
            part = self._loaded_parts.get(index)
            if part is None:
                # Threads are at most that many parts ahead of each other.
                self._unload_parts(range(index - self._n_threads + 1, index + self._n_threads))
        if part is None:
            part = PartWork(
                self._read_part(index),
                self._settings,
                self._workers,
                self._store,
                index,
                self._source,
                shared=self._shared,
                is_watched=self._publish_estimate is not None,
                work_limit=MAX_WORK / self._work_divisor,
            )
            with self._lock:
                self._loaded_parts[index] = part
        return part

    def _read_part(self, index: int) -> Part:
        if index == 0 and self._first_part is not None:
            part, self._first_part = self._first_part, None
            return part
        return self._parts[index]

    def _unload_parts(self, kept: range = range(0)) -> None:
        """Remove the parts that are not kept from memory, if there is a store to load them from again."""
        if self._store is not None:
            for index in [index for index in self._loaded_parts if index not in kept]:
                del self._loaded_parts[index]
            release_freed_memory()

    def _report_samples(self, n_samples: int) -> None:
        """Report newly drawn samples to the progress callback."""
        self._samples_drawn += n_samples
        if self._progress is not None:
            # A few samples are drawn again because γ needs more of them than it seemed, now with their control.
            self._progress(min(self._samples_drawn, self._samples_required), self._samples_required)
            self._report_estimate()

    def _report_estimate(self) -> None:
        """Report the current estimate to the progress callback; only possible if the corpus is a single part."""
        if self._publish_estimate is not None and len(self._parts) == 1:
            self._publish_estimate(self._load_part(0).current_estimate)


class _PartFacts(NamedTuple):
    """Facts about a part that are kept when its documents are removed from memory.

    `n_drawn` is the number of samples that were drawn by an earlier run, from the store.
    """

    documents: tuple[str, ...]
    costs: SampleCosts
    is_sampled: BoolArray
    problems: tuple[Problem, ...]
    facts: DataFacts
    n_drawn: int

    @classmethod
    def of(cls, part: PartWork) -> Self:
        return cls(part.documents, part.costs, ~part.is_computed, part.problems, part.facts(), part.n_drawn)


class _CorpusEstimates:
    """Estimates of all documents, filled part by part."""

    def __init__(self, n_documents: int) -> None:
        plain = Estimates.blank(n_documents)
        # `controlled` becomes a table of its own when the first part with a control variate arrives.
        self.expected = ExpectedDisorders(np.empty(n_documents), plain, plain)

    def fill(self, documents: slice, part: ExpectedDisorders) -> None:
        """Store the estimates of one part."""
        has_control = part.controlled is not part.plain
        if has_control and self.expected.controlled is self.expected.plain:
            copy = Estimates.blank(len(self.expected.plain))
            copy.fill(slice(None), self.expected.plain)
            self.expected = self.expected._replace(controlled=copy)
        weight, plain, controlled = self.expected
        weight[documents] = part.weight
        plain.fill(documents, part.plain)
        if controlled is not plain:
            controlled.fill(documents, part.controlled)


def _split(data: Corpus | Parts, store: Store | None) -> Parts:
    """Divide a corpus in memory into parts; data read in parts stay as they are."""
    if not isinstance(data, Corpus):
        return data
    if store is not None:
        return CorpusParts(data, PART_UNITS)
    # Without a store no part can be unloaded. `CorpusParts` counts a document as one unit more than it has.
    return CorpusParts(data, data.n_units + len(data) + 1)


def _source_documents(data: Corpus | Parts, settings: GammaSettings) -> SourceDocuments:
    """Return the documents whose units the samples are made of."""
    if not isinstance(data, Corpus):
        raise SettingsError(
            "the sampler 'documents' needs the whole corpus in memory, but this corpus is read in parts",
            Cure("use {}", Set("sampler", "shift")),
        )
    return SourceDocuments(data, settings.chance_from)
