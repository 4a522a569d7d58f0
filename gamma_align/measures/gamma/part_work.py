"""The work on one part of a corpus: its documents aligned, its chance computed or sampled, and its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.chance import (
    ComputedChances,
    Estimate,
    ExpectedCategorialDisorders,
    ExpectedDisorders,
    ExpectedWork,
    Priors,
    SampleCounts,
    Statistics,
    compute_priors,
)
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import DataFacts
from gamma_align.inference import Estimates
from gamma_align.measures.gamma.corpus_values import pooled_gamma
from gamma_align.measures.gamma.gamma_result import GammaValue, GammaValues
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.part_samples import PartSamples, SampleEstimates
from gamma_align.work import PartDocuments, PartTasks

_MIN_SAMPLES_FOR_ESTIMATE = 3  # of each document, before the current γ is reported
_NOT_KNOWN = "not known yet"
_MAX_DOCUMENTS_SHOWN = 200  # nobody looks at each of more documents while they are measured


class _Observed(NamedTuple):
    """Observed disorders, their weights, and the numbers of aligned pairs they come from, shape (n,) each."""

    disorder: FloatArray
    weight: FloatArray
    pairs: IntArray

    def with_expected(self, expected: Estimate, index: IntArray | slice) -> Chances:
        """Return the rows of some entries, whose expected disorders are given."""
        return Chances.of(self.disorder[index], self.weight[index], self.pairs[index], expected)


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


@dataclass(frozen=True, slots=True, eq=False)
class PartWork:
    """The measurable documents of a part, aligned; their chance, computed if it can be; and the samples of the others.

    Attributes
    ----------
    documents : PartDocuments
        The documents.
    settings : GammaSettings
        The settings of the measurement.
    observed : Statistics
        Of the documents' alignments.
    is_computed : ndarray of bool, shape (n_measurable,)
        Whether δ_e is computed without samples.
    computed : ComputedChances
        These expected disorders.
    priors : Priors
        What is known of categorial disorders before any sample.
    samples : PartSamples
        The samples of the other documents.
    """

    documents: PartDocuments
    settings: GammaSettings
    observed: Statistics
    is_computed: BoolArray
    computed: ComputedChances
    priors: Priors
    samples: PartSamples

    @classmethod
    def of(cls, documents: PartDocuments, tasks: PartTasks, settings: GammaSettings, work_limit: float) -> PartWork:
        """Align the documents, and compute the expected disorders that the limit of work pays for."""
        corpus = documents.corpus
        index = documents.index
        sampler = documents.sampler
        observed = tasks.aligned()
        is_computed = ExpectedWork.estimate(corpus, settings, sampler).is_computed(work_limit)[index]
        # Documents without weight have no δ_cat and need no expected one; computed ones have it already.
        facts = index, ~is_computed, observed.weight > 0
        priors = compute_priors(corpus, *facts, settings, documents.source, sampler)
        return cls(
            documents=documents.to_keep(),
            settings=settings,
            observed=observed,
            is_computed=is_computed,
            computed=tasks.computed(is_computed, work_limit),
            priors=priors,
            samples=PartSamples(tasks, priors, observed.gap > 0, settings.limits.for_samples),
        )

    def facts(self) -> DataFacts:
        """Return the facts about the part's data from which signs of a fault are derived."""
        return DataFacts.of(self.documents.corpus)

    def expected(self, counts: SampleCounts) -> ExpectedDisorders:
        """Return δ_e from the first samples of each document."""
        return ExpectedDisorders(self.documents.mean_units, self.samples.disorders(counts))

    def expected_categorial(self, drawn: SampleCounts) -> ExpectedCategorialDisorders:
        """Return δ_e,cat from the samples drawn of each document."""
        estimates = self.samples.categorial(drawn).take(slice(len(self.documents)))
        return ExpectedCategorialDisorders(self.observed.weight, estimates)

    def current_estimate(self) -> CurrentEstimate:
        """Return the estimate of γ from the samples drawn so far."""
        weight = self.documents.mean_units
        disorder = self.observed.disorder
        expected, brackets = self.samples.all_disorders()
        is_sampled = expected.samples >= _MIN_SAMPLES_FOR_ESTIMATE
        is_sampled[self.computed.document] = True
        chances = self._chances(expected, brackets)
        is_known = is_sampled.all() and len(weight) and self.settings.chance != "pooled"
        return CurrentEstimate(
            observed=float(np.average(disorder, weights=weight)) if len(weight) else math.nan,
            gamma=self._gamma(chances) if is_known else GammaValue.unavailable(_NOT_KNOWN),
            n_sampled=int(is_sampled.sum()),
            n_measurable=len(weight),
            gamma_by_document=self._gamma_by_document(chances.expected, is_sampled),
        )

    def _chances(self, expected: Estimates, brackets: FloatArray) -> Chances:
        """Return the disorders of γ of all documents, computed or estimated from samples."""
        chances = self._observed().with_expected(Estimate.of_samples(expected, brackets), slice(None))
        document = self.computed.document
        chances.fill(document, self._observed().with_expected(self.computed.disorders(), document))
        return chances

    def _observed(self) -> _Observed:
        """Return the observed disorders of γ."""
        return _Observed(self.observed.disorder, self.documents.mean_units, self.observed.aligned)

    def _gamma(self, chances: Chances) -> GammaValue:
        """Return γ of the part as if no more samples followed, even if there are few."""
        no_reason = np.zeros(len(chances), dtype=np.int64)
        values = GammaValues(chances, no_reason, needs_pairs=False, min_samples=_MIN_SAMPLES_FOR_ESTIMATE)
        names = self.documents.corpus.documents
        if len(names) == 1:
            return values[0]
        delta_empty = self.settings.dissimilarity.delta_empty
        return pooled_gamma(chances, values.reasons, self.documents.annotators, delta_empty, names=names)

    def _gamma_by_document(self, expected: FloatArray, is_sampled: BoolArray) -> dict[str, float]:
        """Return γ by name of the sampled documents; nothing if they are many, or share an expected disorder."""
        if len(expected) > _MAX_DOCUMENTS_SHOWN or self.settings.chance == "pooled":
            return {}
        rows = (is_sampled & (expected > 0)).nonzero()[0]
        names = (self.documents.corpus.documents[row] for row in self.documents.index[rows].tolist())
        return dict(zip(names, (1 - self.observed.disorder[rows] / expected[rows]).tolist(), strict=True))

    def rows(self, gamma_counts: SampleCounts, drawn: SampleCounts) -> GammaRows:
        """Return the rows of all documents of the part.

        γ is estimated from the samples in `gamma_counts`; γcat and γk are estimated from all samples drawn.
        """
        corpus = self.documents.corpus
        index = self.documents.index
        observed = self.observed
        with np.errstate(divide="ignore", invalid="ignore"):
            disorder = observed.distance / observed.weight
        document_k = self.priors.document_k
        category_k = self.priors.category_k
        data = self._observed()
        data_cat = _Observed(disorder, observed.weight, observed.pairs)
        data_k = _observed_k(observed, document_k, category_k)
        gamma: list[tuple[IntArray, Chances]] = []
        gamma_cat: list[tuple[IntArray, Chances]] = []
        gamma_k: list[tuple[IntArray, Chances]] = []
        gap = observed.gap
        all_entries = slice(None)
        estimates = self._estimates(gamma_counts, drawn)
        if estimates is not None:
            gap = np.maximum(gap, estimates.gap)
            categorial = estimates.categorial.estimate()
            documents = categorial.take(slice(len(index)))
            categories = categorial.take(slice(len(index), None))
            gamma.append((index, data.with_expected(estimates.gamma, all_entries)))
            gamma_cat.append((index, data_cat.with_expected(documents, all_entries)))
            gamma_k.append((np.arange(len(document_k)), data_k.with_expected(categories, all_entries)))
        computed = self.computed
        if len(computed):
            in_part = index[computed.document]
            document = computed.document
            gamma.append((in_part, data.with_expected(computed.disorders(), document)))
            gamma_cat.append((in_part, data_cat.with_expected(computed.categorial_disorders(), document)))
            missing = 1.0 if self.settings.empty_samples == "one" else np.nan
            entries, expected = computed.disorders_of(document_k, category_k, missing)
            gamma_k.append((entries, data_k.with_expected(expected, entries)))
        rows = GammaRows.without_counts(
            corpus,
            gamma=Chances.spread(len(corpus), gamma),
            gamma_cat=Chances.spread(len(corpus), gamma_cat),
            document_k=index[document_k],
            category_k=category_k,
            gamma_k=Chances.spread(len(document_k), gamma_k),
        )
        rows.alignments[index] = observed.alignments
        rows.samples[index] = drawn.full
        rows.gap[index] = gap
        rows.distance_lowered[index] = self.documents.distance_lowered
        return rows

    def _estimates(self, gamma_counts: SampleCounts, drawn: SampleCounts) -> SampleEstimates | None:
        """Return the expected disorders from samples; None if no document of the part has any."""
        if self.is_computed.all():
            return None
        has_weight = (self.observed.weight > 0) & ~self.is_computed
        return self.samples.final(gamma_counts, drawn, self.documents, has_weight, self.settings)


def _observed_k(observed: Statistics, document: IntArray, category: IntArray) -> _Observed:
    """Return δ_k, weight and number of pairs for each (document, category); NaN and 0 if no pair has a weight."""
    width = int(category.max(initial=0)) + 1
    keys = document * width + category
    row = keys.searchsorted(observed.instance_k * width + observed.category_k)
    disorder = np.full(len(keys), np.nan)
    weight = np.zeros(len(keys))
    pairs = np.zeros(len(keys), dtype=np.int64)
    disorder[row] = observed.distance_k / observed.weight_k
    weight[row] = observed.weight_k
    pairs[row] = observed.pairs_k
    return _Observed(disorder, weight, pairs)
