"""Measure a corpus: align its documents, draw samples until they are precise enough, and return one row per document.

A corpus is processed in parts. Only a few numbers of each document are needed to decide how many samples to draw, so
with a store a corpus can be larger than memory: the store holds the parts that are not loaded, and an interrupted run
is resumed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Self, TypeVar

import numpy as np

from gamma_align.chance import (
    DOCUMENTS,
    MAX_WORK,
    ExpectedCategorialDisorders,
    ExpectedDisorders,
    ExpectedWork,
    SampleCounts,
    SourceDocuments,
    needs_no_divisor,
    work_divisor,
)
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus, CorpusParts, DataFacts, Part, Parts
from gamma_align.errors import Cure, Problem, Set, SettingsError
from gamma_align.inference import Estimates
from gamma_align.measures.gamma.gamma_rows import GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.part_work import CurrentEstimate, PartWork
from gamma_align.work import (
    KeptWork,
    PartDocuments,
    PartStore,
    PartTasks,
    SharedWork,
    Store,
    Workers,
    description,
    release_freed_memory,
)

PART_UNITS = 100_000
"""Units per part when a corpus in memory is measured with a store."""

Result = TypeVar("Result")


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
        shared: SharedWork | KeptWork | None = None,
    ) -> None:
        self._data = data
        self._parts = _split(data, store)
        self._source = _source_documents(data, settings) if settings.sampler == DOCUMENTS else None
        self._settings = settings
        self._workers = Workers(n_jobs, description)
        self._store = store
        self._shared = shared
        self._work_divisor = 1
        self._first_part: Part | None = None  # if it was read to find the divisor, until it is loaded
        self._loaded_parts: dict[int, PartWork] = {}

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
        self._work_divisor = self._find_work_divisor()
        documents, slices, sampled = self._align_documents()
        self._report_estimate()
        gamma_counts, drawn = self._draw_until_precise(slices, sampled)

        def rows_of_part(index: int, part: PartWork) -> GammaRows:
            return part.rows(gamma_counts.select(slices[index]), drawn.select(slices[index]))

        part_rows = self._for_each_part(rows_of_part)
        # The rows of a single part are already complete: no copy is needed.
        rows = next(part_rows) if len(slices) == 1 else GammaRows.gather(documents, part_rows)
        self._unload_parts()
        return replace(rows, work_divisor=self._work_divisor)

    def _find_work_divisor(self) -> int:
        """Return the divisor of the limit of work of each document; see `computed_chance`.

        It depends on all documents, so that a corpus of many is looked through first, and it is 1 if each document has
        to be precise.
        """
        n_documents = self._parts.n_documents
        share = 1.0
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

    def _for_each_part(self, function: Callable[[int, PartWork], Result]) -> Iterator[Result]:
        """Yield the function's result for the index of each part and the work on it, in order."""
        return (function(index, self._load_part(index)) for index in range(len(self._parts)))

    def _align_documents(self) -> tuple[tuple[str, ...], list[slice], _SampledDocuments]:
        """Align the documents of all parts.

        Return the names of all documents, the slice of the measurable documents that belongs to each part, and which of
        these need samples.
        """
        documents: list[str] = []
        sampled: list[_SampledDocuments] = []
        offsets = [0]
        for part in self._for_each_part(lambda _, part: _PartFacts.of(part)):
            documents += part.documents
            sampled.append(part.sampled._replace(document=part.sampled.document + offsets[-1]))
            offsets.append(offsets[-1] + part.n_measurable)
            self.problems += part.problems
            self.facts.append(part.facts)
            self._samples_drawn += part.n_drawn
        slices = [slice(start, end) for start, end in pairwise(offsets)]
        return tuple(documents), slices, _SampledDocuments(*map(np.concatenate, zip(*sampled, strict=True)))

    def _draw_until_precise(
        self, slices: Sequence[slice], sampled: _SampledDocuments
    ) -> tuple[SampleCounts, SampleCounts]:
        """Draw samples of the documents that need them in rounds, until the precision rule is satisfied.

        The rule knows these documents alone. Return, for all documents, the counts that γ is estimated from, and the
        counts drawn. γcat may require more samples than γ. The additional samples are not used for γ: their number
        depends on how soon a sample had aligned units, which would bias δ_e.
        """
        rule = self._settings.rule
        n_documents = slices[-1].stop
        index = sampled.document
        drawn = SampleCounts.none(n_documents)
        gamma_counts = drawn
        if not len(index):
            return gamma_counts, drawn
        gamma_counts = target = rule.first_counts(sampled.can_control).at(index, n_documents)
        while (drawn.full < target.full).any() or (drawn.controlled < target.controlled).any():
            drawn = target
            gamma, gamma_cat = self._draw_batch(drawn, gamma_counts, slices)
            expected = ExpectedDisorders(gamma.weight[index], gamma.estimates.take(index))
            counts = rule.next_counts(expected, gamma_counts.select(index), sampled.can_control)
            gamma_counts = counts.at(index, n_documents)
            target = gamma_counts.at_least(drawn.full)
            if gamma_cat is not None:
                counts = rule.next_counts_gamma_cat(gamma_cat.take(index), drawn.select(index), sampled.costs)
                target = target.at_least(counts.at(index, n_documents).full)
        return gamma_counts, drawn

    def _draw_batch(
        self, counts: SampleCounts, gamma_counts: SampleCounts, slices: Sequence[slice]
    ) -> tuple[ExpectedDisorders, ExpectedCategorialDisorders | None]:
        """Draw the missing samples up to `counts`, and return the estimates of δ_e and δ_e,cat.

        δ_e,cat is None if the precision rule does not depend on it.
        """
        self._samples_required = int(counts.full.sum())
        is_pooled = self._settings.rule.is_pooled

        def draw(index: int, part: PartWork) -> tuple[ExpectedDisorders, ExpectedCategorialDisorders | None]:
            part_counts = counts.select(slices[index])
            part_gamma_counts = gamma_counts.select(slices[index])
            part.samples.draw(part_counts, part_gamma_counts, self._report_samples)
            return part.expected(part_gamma_counts), part.expected_categorial(part_counts) if is_pooled else None

        if len(slices) == 1:
            (estimates,) = self._for_each_part(draw)
            return estimates
        gamma = ExpectedDisorders(np.empty(len(counts.full)), Estimates.blank(len(counts.full)))
        gamma_cat: list[ExpectedCategorialDisorders] = []
        for documents, (expected, categorial) in zip(slices, self._for_each_part(draw), strict=True):
            gamma.weight[documents] = expected.weight
            gamma.estimates.fill(documents, expected.estimates)
            if categorial is not None:
                gamma_cat.append(categorial)
        return gamma, ExpectedCategorialDisorders.join(gamma_cat) if gamma_cat else None

    def _load_part(self, index: int) -> PartWork:
        """Return the work on a part. With a store, all other parts are removed from memory first."""
        part = self._loaded_parts.get(index)
        if part is None:
            self._unload_parts()
            part = self._start_part(index)
            self._loaded_parts[index] = part
        return part

    def _start_part(self, index: int) -> PartWork:
        """Return the work on a part: its documents are aligned, or loaded from the store."""
        documents = PartDocuments.of(self._read_part(index), self._settings, self._source)
        shared = None if self._shared is None else self._shared.documents_of(documents.corpus, documents.index)
        store = PartStore(self._store, index)
        is_watched = self._publish_estimate is not None
        tasks = PartTasks(documents, self._settings, self._workers, store, shared, is_watched=is_watched)
        return PartWork.of(documents, tasks, self._settings, MAX_WORK / self._work_divisor)

    def _read_part(self, index: int) -> Part:
        """Return a part of the data; the first one may have been read already."""
        if index == 0 and self._first_part is not None:
            part = self._first_part
            self._first_part = None
            return part
        return self._parts[index]

    def _unload_parts(self) -> None:
        """Remove all parts from memory, if there is a store to load them from again."""
        if self._store is not None:
            self._loaded_parts.clear()
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


class _SampledDocuments(NamedTuple):
    """The measurable documents that need samples: their indices, costs, and whether pairs can be a control."""

    document: IntArray
    costs: FloatArray
    can_control: BoolArray


class _PartFacts(NamedTuple):
    """Facts about a part that are kept when its documents are removed from memory.

    `n_drawn` is the number of samples that were drawn by an earlier run, from the store.
    """

    documents: tuple[str, ...]
    n_measurable: int
    sampled: _SampledDocuments
    problems: tuple[Problem, ...]
    facts: DataFacts
    n_drawn: int

    @classmethod
    def of(cls, part: PartWork) -> Self:
        """Return the facts about a part."""
        documents = part.documents
        index = (~part.is_computed).nonzero()[0]
        sampled = _SampledDocuments(index, documents.costs[index], documents.can_control[index])
        names = documents.corpus.documents
        problems = documents.problems
        return cls(names, len(documents), sampled, problems, part.facts(), part.samples.n_drawn)


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
