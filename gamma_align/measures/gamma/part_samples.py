"""The samples of a part, drawn on request, and the expected disorders from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gamma_align.alignment import Limits
from gamma_align.chance import (
    CONSTANT,
    CategorialEstimates,
    Controls,
    Estimate,
    Priors,
    SampleCounts,
    Samples,
    overlap_counts,
)
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.inference import Estimates
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.work import PartDocuments, PartTasks


class SampleEstimates(NamedTuple):
    """Expected disorders from samples: of γ, and of γcat followed by γk.

    `gap` is the largest proven gap of a sample of each document.
    """

    gamma: Estimate
    categorial: CategorialEstimates
    gap: FloatArray


class PartSamples:
    """The samples of the documents of a part; those in the store of its tasks are there from the beginning.

    `priors` are the moments of categorial disorders that are known before any sample. Samples of documents that are
    `is_hard`, whose own alignment is not proven optimal, have reduced limits.
    """

    def __init__(self, tasks: PartTasks, priors: Priors, is_hard: BoolArray, limits: Limits) -> None:
        self._tasks = tasks
        self._priors = priors
        self._is_hard = is_hard
        self._limits = limits
        self._samples = Samples(priors)
        self.n_drawn = 0
        for samples in tasks.stored_samples():
            self._samples.add(samples)
            self.n_drawn += len(samples.document)
        for controls in tasks.stored_controls():
            self._samples.add_controls(controls)

    def draw(self, counts: SampleCounts, gamma_counts: SampleCounts, report: Callable[[int], None]) -> None:
        """Draw the missing samples up to `counts`; `report` is called with the number of samples drawn.

        The first samples of each document, `gamma_counts`, are used for γ and may have pairs as a control.
        """
        pending = (gamma_counts.controlled & ~self._samples.has_controls).nonzero()[0]
        for expectations in self._tasks.controls(pending):
            self._samples.add_controls(expectations)
        with_pairs = np.where(gamma_counts.controlled, gamma_counts.full, 0)
        self._add_shared(counts.full, with_pairs, report)
        controls = Controls(self._priors.documents.use_control, with_pairs)
        for is_selected, limits in ((~self._is_hard, self._limits), (self._is_hard, self._limits.reduced)):
            if not is_selected.any():
                continue
            missing = self._samples.missing(np.where(is_selected, counts.full, 0), with_pairs)
            for samples in self._tasks.samples(missing, limits, controls):
                self._samples.add(samples)
                self.n_drawn += len(samples.document)
                report(len(samples.document))

    def _add_shared(self, counts: IntArray, with_pairs: IntArray, report: Callable[[int], None]) -> None:
        """Add the missing samples that were already drawn for another corpus; call `report` with their number."""
        for document, number in [*self._samples.missing(counts, with_pairs)]:
            shared = self._tasks.shared_samples(document, number, number < with_pairs[document])
            if shared is not None and len(shared[0]):
                index, samples = shared
                self._samples.add(samples._replace(document=document[index], number=number[index]))
                report(len(index))

    def all_disorders(self) -> tuple[Estimates, FloatArray]:
        """Return δ_e of each document from all samples drawn so far, and the brackets of these means."""
        no_limit = np.full(len(self._is_hard), np.iinfo(np.int64).max)
        expected = self._samples.disorders(no_limit)
        return expected, self._samples.brackets(no_limit, expected.samples)

    def disorders(self, counts: SampleCounts) -> Estimates:
        """Return δ_e from the first samples of each document."""
        return self._samples.disorders(counts.full)

    def categorial(self, drawn: SampleCounts) -> CategorialEstimates:
        """Return δ_e,cat of documents, followed by δ_e,k of their categories, from their first samples."""
        return self._samples.categorial(drawn.full)

    def final(
        self,
        gamma_counts: SampleCounts,
        drawn: SampleCounts,
        documents: PartDocuments,
        has_weight: BoolArray,
        settings: GammaSettings,
    ) -> SampleEstimates:
        """Return all estimates: of γ from the samples in `gamma_counts`, of γcat and γk from all.

        If no sample of a document of one label that `has_weight` has δ_cat, compute whether its units can overlap at
        all. Otherwise it would depend on the seed which documents are pooled.
        """
        categorial = self.categorial(drawn)
        n = len(documents)
        is_undecided = (categorial.status[:n] == CONSTANT) & np.isnan(categorial.mean[:n]) & has_weight
        if np.count_nonzero(is_undecided):
            count = np.full(n, np.nan)
            count[is_undecided] = overlap_counts(documents.corpus, documents.index[is_undecided], settings)
            document = np.concatenate([np.arange(n), self._priors.document_k])
            entries = is_undecided[document].nonzero()[0]
            categorial = categorial.decided(entries, count[document[entries]])
        brackets = self._samples.brackets(gamma_counts.full)
        gamma = Estimate.of_samples(self.disorders(gamma_counts), brackets)
        return SampleEstimates(gamma, categorial, self._samples.gap)
