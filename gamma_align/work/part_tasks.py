"""The tasks of a part: aligned documents, computed chance, samples and their controls, on any workers.

Results are kept in a store, if there is one, and for other corpora that have the same documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from gamma_align.alignment import Limits
from gamma_align.chance import (
    NO_CHANCES,
    AlignedDocuments,
    ChanceSettings,
    ComputedChances,
    Controls,
    DocumentControls,
    Draws,
    FullSamples,
    ShiftSampler,
    Statistics,
    align_documents,
    align_samples,
    compute_expected,
    expect_controls,
)
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.work.part_documents import PartDocuments
from gamma_align.work.shared_work import SharedDocuments
from gamma_align.work.store import PartStore
from gamma_align.work.tasks import TASKS_PER_WORKER, tasks_by_cost
from gamma_align.work.workers import Workers

# Costs, in the unit of `sample_costs`.
_INLINE_COST_MAX = 1e6  # less than a second
_TASK_COST_MIN = 5e4  # some hundredths of a second, hardly worth a task of its own
_TASK_COST_MAX = 3e6  # half a second or so: an interrupt may have to wait for the end of a task
_COMPUTATION_COST = 200.0  # of a computed expected disorder, relative to a sample
_CONTROL_COST = 30.0  # of the expectation of a control, relative to a sample

Pieces = TypeVar("Pieces", AlignedDocuments, ComputedChances)


class PartTasks:
    """Runs the tasks of a part, and keeps their results in its store and for other corpora.

    Tasks are small if the measurement `is_watched`, since the current estimate is published after each.
    """

    def __init__(
        self,
        documents: PartDocuments,
        settings: ChanceSettings,
        workers: Workers,
        store: PartStore,
        shared: SharedDocuments | None,
        *,
        is_watched: bool,
    ) -> None:
        self._documents = documents.to_keep()
        self._settings = settings
        self._workers = workers
        self._store = store
        self._shared = shared
        self._max_cost = _TASK_COST_MIN if is_watched else _TASK_COST_MAX

    def aligned(self) -> Statistics:
        """Return the statistics of all documents, aligning those that are not known yet."""
        results_so_far = [*map(AlignedDocuments.from_stored, self._store.load("observed"))]
        if self._shared is not None:
            results_so_far.append(self._shared.aligned())
        pending = _pending_documents(np.ones(len(self._documents), dtype=np.bool_), results_so_far)
        costs = self._documents.costs
        tasks = self._tasks([(pending, np.zeros_like(pending))], costs)
        results: Iterator[AlignedDocuments]
        if self._workers.n_workers == 1:
            results = (align_documents(task, self._sampler_of(task.corpus)) for task in tasks)
        else:
            is_small = bool(costs[pending].sum() < _INLINE_COST_MAX)
            results = self._workers.results(align_documents, tasks, is_small=is_small)
        results = self._store.save_while_iterating("observed", results, AlignedDocuments.to_stored)
        new = _collect(results, AlignedDocuments, None if self._shared is None else self._shared.keep_aligned)
        return _sorted_pieces(AlignedDocuments, results_so_far + new).statistics

    def computed(self, is_computed: BoolArray, work_limit: float) -> ComputedChances:
        """Return the expected disorders of these documents, computing those that are not known yet."""
        if not np.count_nonzero(is_computed):
            return NO_CHANCES
        results_so_far = [*map(ComputedChances.from_stored, self._store.load("computed"))]
        if self._shared is not None:
            results_so_far.append(self._shared.computed(work_limit))
        pending = _pending_documents(is_computed, results_so_far)
        costs = _COMPUTATION_COST * self._documents.costs
        is_inline = self._workers.n_workers == 1 or bool(costs[pending].sum() < _INLINE_COST_MAX)
        tasks = self._tasks([(pending, np.zeros_like(pending))], costs, in_pieces=not is_inline)
        compute = partial(compute_expected, work_limit=work_limit)

        def compute_here(task: Draws) -> ComputedChances:
            return compute(task, sampler=self._sampler_of(task.corpus))

        results = map(compute_here, tasks) if is_inline else self._workers.results(compute, tasks)
        results = self._store.save_while_iterating("computed", results, ComputedChances.to_stored)
        keep = None if self._shared is None else partial(self._shared.keep_computed, work_limit=work_limit)
        new = _collect(results, ComputedChances, keep)
        return _sorted_pieces(ComputedChances, results_so_far + new)

    def stored_samples(self) -> Iterator[FullSamples]:
        """Return the samples in the store."""
        return (FullSamples(**columns) for columns in self._store.load("aligned"))

    def shared_samples(
        self, document: IntArray, number: IntArray, has_pairs: BoolArray
    ) -> tuple[IntArray, FullSamples] | None:
        """Return which of these samples were drawn for another corpus, and these samples; None if there are none."""
        if self._shared is None or not self._shared.has_samples:
            return None
        return self._shared.samples(document, number, has_pairs)

    def samples(
        self, missing: Iterable[tuple[IntArray, IntArray]], limits: Limits, controls: Controls
    ) -> Iterator[FullSamples]:
        """Draw and align samples, given as pieces of (document, number), with these controls; yield them in parts."""
        tasks = self._tasks(missing, self._documents.costs, limits, controls, in_pieces=self._workers.n_workers > 1)
        results: Iterator[FullSamples]
        if self._workers.n_workers > 1:
            results = self._workers.results(align_samples, tasks)
        else:
            results = (align_samples(task, self._sampler_of(task.corpus)) for task in tasks)
        for samples in self._store.save_while_iterating("aligned", results, FullSamples._asdict):
            if self._shared is not None:
                self._shared.keep_samples(samples)
            yield samples

    def stored_controls(self) -> Iterator[DocumentControls]:
        """Return the expectations of controls in the store."""
        return map(DocumentControls.from_stored, self._store.load("controls"))

    def controls(self, documents: IntArray) -> Iterator[DocumentControls]:
        """Yield the expectations of the controls of these documents, in parts."""
        tasks = self._tasks([(documents, np.zeros_like(documents))], _CONTROL_COST * self._documents.costs)
        results = self._workers.results(expect_controls, tasks)
        return self._store.save_while_iterating("controls", results, DocumentControls.to_stored)

    def _sampler_of(self, corpus: Corpus) -> ShiftSampler | None:
        """Return the shift sampler of this part if it is the corpus of a task."""
        return self._documents.sampler if corpus is self._documents.corpus else None

    def _tasks(
        self,
        pieces: Iterable[tuple[IntArray, IntArray]],
        cost: FloatArray,
        limits: Limits | None = None,
        controls: Controls | None = None,
        *,
        in_pieces: bool = True,
    ) -> Iterator[Draws]:
        """Yield the tasks for samples, given as pieces of (document, sample number).

        By default, the limits of the settings apply, and the samples have no controls. With `in_pieces`, or without a
        sampler, a task has the piece of the corpus that it needs: each looks through its whole corpus.
        """
        max_cost = self._max_cost
        documents = self._documents
        if self._workers.n_workers > 1:
            pieces = [*pieces]
            counts = sum(np.bincount(document, minlength=len(cost)) for document, _ in pieces)
            cost_per_task = float(counts @ cost) / (TASKS_PER_WORKER * self._workers.n_workers)
            max_cost = min(max_cost, max(cost_per_task, _TASK_COST_MIN))
        for document, number in pieces:
            yield from tasks_by_cost(
                documents.corpus,
                documents.index,
                document,
                number,
                cost,
                self._settings,
                limits or self._settings.limits,
                max_cost,
                documents.source,
                controls,
                in_pieces=in_pieces or documents.sampler is None,
            )


def _pending_documents(is_needed: BoolArray, results: list[Pieces]) -> IntArray:
    """Return the indices of the documents that are needed and have no result yet."""
    is_pending = is_needed.copy()
    for piece in results:
        is_pending[piece.document] = False
    return is_pending.nonzero()[0]


def _collect(results: Iterable[Pieces], kind: type[Pieces], keep: Callable[[Pieces], None] | None) -> list[Pieces]:
    """Return the results as a list, and pass them to `keep`, even those of interrupted work."""
    new: list[Pieces] = []
    try:
        new.extend(results)
    finally:
        if keep is not None and new:
            keep(kind.join(new))
    return new


def _sorted_pieces(kind: type[Pieces], parts: list[Pieces]) -> Pieces:
    """Return the rows of all parts, sorted by document.

    Pieces of a copy of a stored folder may hold documents again, with the same values: one of them stays.
    """
    joined = parts[0] if len(parts) == 1 else kind.join(parts or [kind.blank(0)])
    document = joined.document
    if (document[1:] > document[:-1]).all():
        return joined
    return joined.take(np.unique(document, return_index=True)[1])
