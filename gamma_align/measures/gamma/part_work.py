"""The measurement of one part of a corpus: what its documents and samples gave so far, and what that says of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import Part
from gamma_align.data.sanity import DataFacts
from gamma_align.inference.means import Estimates
from gamma_align.measures.gamma.categorial import CONSTANT, CategorialEstimates, Priors
from gamma_align.measures.gamma.gamma_result import GammaValue, GammaValues, pooled_gamma
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import SourceDocuments
from gamma_align.measures.gamma.precision import Costs, Expected, ExpectedCategorial, Wanted
from gamma_align.measures.gamma.priors import overlap_counts, priors_of
from gamma_align.measures.gamma.sampler import drawn_annotators
from gamma_align.measures.gamma.samples import Aligned, Paired, Samples
from gamma_align.measures.gamma.statistics import Statistics
from gamma_align.measures.gamma.tasks import TASKS, Observed, Task, aligned, cut_by_cost, observed, paired
from gamma_align.measures.gamma.workers import Workers

_SAMPLED = ("error", "deviation", "skewness", "samples", "controls", "freedom")  # columns of `Estimates`
_MIN_SAMPLES_SO_FAR = 3  # of each document, before γ is reported
_NOT_KNOWN = "not known yet"
_MANY = 200  # documents: nobody looks at each while they are measured
_LITTLE, _LEAST = 1e6, 5e4  # in `Costs`: less than a second; some hundredths, hardly worth a task of its own

Columns = dict[str, Any]
"""Columns by name, those named …_k having `counts_k` rows for each row of the others."""

Result = TypeVar("Result")


class Store(Protocol):
    """Where results of the tasks of parts are kept: each kind as pieces that are written whole or not at all.

    It is given what was done in so many `seconds` at a time.
    """

    seconds: float

    def save(self, part: int, kind: str, columns: Columns) -> None:
        """Keep a piece."""
        ...

    def load(self, part: int, kind: str) -> Iterable[Columns]:
        """Return the pieces of a kind."""
        ...


class SoFar(NamedTuple):
    """What is known of γ before all samples are drawn.

    `observed` is the mean observed disorder. `gamma` is available once all `measurable` documents have three samples,
    as `documents` have now, unless chance is pooled. Its interval is computed as the final one: over documents, or over
    the samples of the only document. `of_documents` has γ of those that have them, by name; nothing if documents are
    many.
    """

    observed: float
    gamma: GammaValue
    documents: int
    measurable: int
    of_documents: Mapping[str, float]


class _Kept:
    """What tasks of a part gave, kept in a store where there is one, some seconds' work at a time."""

    def __init__(self, store: Store | None, part: int) -> None:
        self._store, self._part = store, part

    def load(self, kind: str) -> Iterable[Columns]:
        return () if self._store is None else self._store.load(self._part, kind)

    def each(self, kind: str, results: Iterable[Result], columns: Callable[[Result], Columns]) -> Iterator[Result]:
        """Yield the results, which are kept now and then, and when all are there."""
        pending: list[Columns] = []
        begun = time.monotonic()
        for result in results:
            yield result
            if self._store is not None:
                pending.append(columns(result))
                if time.monotonic() - begun > self._store.seconds:
                    self._save(kind, pending)
                    begun = time.monotonic()
        self._save(kind, pending)

    def _save(self, kind: str, pending: list[Columns]) -> None:
        if self._store is not None and pending:
            columns = {name: np.concatenate([some[name] for some in pending]) for name in pending[0]}
            self._store.save(self._part, kind, columns)
            pending.clear()


class PartWork:
    """The documents of a part that can be measured, numbered from 0: their numbers so far, and what is to be done next.

    `documents` are the names of all documents of the part, `problems` those of others, `drawn` how many samples are
    there; `costs` and `mean_units` are of the documents that can be measured. `source` is of the whole corpus, where
    samples are made of that.
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
        watched: bool = False,
    ) -> None:
        corpus, self.problems = part
        self._corpus, self._settings, self._workers, self._source = corpus, settings, workers, source
        self.documents = corpus.documents
        self._kept = _Kept(store, index)
        drawn = drawn_annotators(corpus, settings.chance_from)[corpus.unit_seen]
        units = np.bincount(corpus.unit_document[drawn], minlength=len(corpus))
        several = corpus.n_annotators >= 2  # noqa: PLR2004
        self._measurable = np.flatnonzero(several & (units > 0))
        self._annotators = corpus.n_annotators[self._measurable]
        self._units = corpus.units_per_document[self._measurable]
        self.costs = Costs.of(self._annotators, self._units, _coverage(corpus)[self._measurable])
        self.mean_units = self._units / self._annotators
        self.drawn = 0  # samples
        self._last: tuple[IntArray, IntArray, Expected] | None = None
        self._watched = watched
        self._observed, self._lowered = self._observe()
        self._priors = self._expect()
        self._samples = Samples(self._priors)
        self._load_samples()

    def facts(self) -> DataFacts:
        """Return the facts of the part's data by which signs of a fault are found."""
        return DataFacts.of(self._corpus)

    def _observe(self) -> tuple[Statistics, BoolArray]:
        """Align the documents themselves."""
        parts = [Observed.blank(0), *map(Observed.from_stored, self._kept.load("observed"))]
        there = np.zeros(len(self._measurable), dtype=np.bool_)
        for part in parts:
            there[part.document] = True
        absent = np.flatnonzero(~there)
        tasks = self._tasks([(absent, np.zeros_like(absent))], self.costs.whole, self._settings)
        results = self._workers.results(observed, tasks, little=self.costs.whole[absent].sum() < _LITTLE)
        parts += self._kept.each("observed", results, Observed.stored)
        joined = Observed.join(parts)
        by_document = joined.take(np.argsort(joined.document))
        return by_document.statistics, by_document.lowered

    def _expect(self) -> Priors:
        """Return what is known of the categorial disorders of samples before one is drawn."""
        counted = self._observed.weight > 0  # other documents have no δ_cat, and need no expected one
        return priors_of(self._corpus, self._measurable, counted, self._settings, self._source)

    def _load_samples(self) -> None:
        for columns in self._kept.load("aligned"):
            self._samples.add(Aligned(**columns))
            self.drawn += len(columns["document"])
        for columns in self._kept.load("paired"):
            self._samples.add_pairs(Paired(**columns))

    def draw(self, wanted: Wanted, report: Callable[[int], None]) -> None:
        """Align the samples that are wanted and are not there; those of hard documents with less work each.

        `report` is called with the numbers of samples drawn.
        """
        hard, limits = self._observed.gap > 0, self._settings.limits.for_samples
        for of_kind, limit in ((~hard, limits), (hard, limits.reduced)):
            settings = replace(self._settings, limits=limit)
            tasks = self._missing(np.where(of_kind, wanted.samples, 0), self.costs.whole, settings)
            for some in self._kept.each("aligned", self._workers.results(aligned, tasks), Aligned._asdict):
                self._samples.add(some)
                self.drawn += len(some.document)
                report(len(some.document))
        tasks = self._missing(wanted.pairs, self.costs.pairs, self._settings, pairs=True)
        for pairs in self._kept.each("paired", self._workers.results(paired, tasks), Paired._asdict):
            self._samples.add_pairs(pairs)

    def _missing(
        self, wanted: IntArray, cost: FloatArray, settings: GammaSettings, *, pairs: bool = False
    ) -> Iterator[Task]:
        """Yield the tasks of drawing what is missing."""
        with_overlaps = None if pairs else self._priors.documents.controlled
        return self._tasks(self._samples.missing(wanted, pairs=pairs), cost, settings, with_overlaps)

    def _tasks(
        self,
        pieces: Iterable[tuple[IntArray, IntArray]],
        cost: FloatArray,
        settings: GammaSettings,
        with_overlaps: BoolArray | None = None,
    ) -> Iterator[Task]:
        """Yield the tasks of drawing samples by document and number, some of them at a time.

        Overlapping pairs are counted in the documents `with_overlaps`, in none by default.
        """
        most = _LEAST if self._watched else math.inf  # who watches sees what is known after each task
        if self._workers.number > 1:
            pieces = [*pieces]
            counts = sum(np.bincount(document, minlength=len(cost)) for document, _ in pieces)
            most = min(most, max(float(counts @ cost) / (TASKS * self._workers.number), _LEAST))
        for document, number in pieces:
            where = self._corpus, self._measurable
            yield from cut_by_cost(*where, document, number, cost, settings, most, self._source, with_overlaps)

    def so_far(self) -> SoFar:
        """Return what is known of the part from the samples there are."""
        weight, disorder = self.mean_units, self._observed.disorder
        all_samples = np.full(len(weight), np.iinfo(np.int64).max)
        expected = self._samples.disorders(all_samples)
        enough = expected.samples >= _MIN_SAMPLES_SO_FAR
        observed = float(np.average(disorder, weights=weight)) if len(weight) else math.nan
        gamma = GammaValue.unavailable(_NOT_KNOWN)
        if enough.all() and len(weight) and self._settings.chance != "pooled":
            brackets = self._samples.brackets(all_samples, expected.samples)
            gamma = self._gamma(_chances(disorder, weight, self._observed.aligned, expected, brackets))
        return SoFar(observed, gamma, int(enough.sum()), len(weight), self._gamma_by_name(expected.mean, enough))

    def _gamma(self, chances: Chances) -> GammaValue:
        """Return γ of the part as if its samples were all, also if they are few."""
        no_reason = np.zeros(len(chances), dtype=np.int64)
        values = GammaValues(chances, no_reason, of_pairs=False, min_samples=_MIN_SAMPLES_SO_FAR)
        if len(self.documents) == 1:
            return values[0]
        return pooled_gamma(chances, values.reasons, self._annotators, self._settings.dissimilarity.delta_empty)

    def _gamma_by_name(self, expected: FloatArray, enough: BoolArray) -> dict[str, float]:
        """Return γ by name of the documents that have `enough` samples, where those who look may look at each."""
        if len(expected) > _MANY or self._settings.chance == "pooled":
            return {}
        rows = np.flatnonzero(enough & (expected > 0))
        names = (self.documents[row] for row in self._measurable[rows].tolist())
        return dict(zip(names, (1 - self._observed.disorder[rows] / expected[rows]).tolist(), strict=True))

    def expected(self, samples: IntArray, pairs: IntArray) -> Expected:
        """Return δ_e from the first samples of each document, without and with its first pairs."""
        if self._last is not None and all(map(np.array_equal, self._last[:2], (samples, pairs))):
            return self._last[2]  # rows are made of what samples were last seen to be enough
        plain = self._samples.disorders(samples)
        controlled = self._samples.disorders(samples, pairs) if pairs.any() else plain
        self._last = samples, pairs, Expected(self.mean_units, plain, controlled)
        return self._last[2]

    def expected_categorial(self, drawn: Wanted) -> ExpectedCategorial:
        """Return δ_e,cat from the samples drawn of each document."""
        return ExpectedCategorial(self._observed.weight, self._samples.categorial(drawn.samples))

    def _expected_categorial(self, drawn: IntArray) -> tuple[CategorialEstimates, CategorialEstimates]:
        """Return δ_e,cat of documents, and δ_e,k of their categories.

        Whether units of one label can meet at all is looked up if no sample shows it: it must not depend on the seed
        which documents are pooled.
        """
        documents, categories = self._samples.categorial(drawn), self._samples.by_category(drawn)
        unseen = (documents.status == CONSTANT) & np.isnan(documents.mean) & (self._observed.weight > 0)
        if not unseen.any():
            return documents, categories
        count = np.full(len(unseen), np.nan)
        count[unseen] = overlap_counts(self._corpus, self._measurable[unseen], self._settings)
        of_k = np.flatnonzero(unseen[self._priors.document_k])
        settled_k = categories.settled(of_k, count[self._priors.document_k[of_k]])
        return documents.settled(np.flatnonzero(unseen), count[unseen]), settled_k

    def rows(self, of_gamma: Wanted, drawn: Wanted) -> GammaRows:
        """Return the rows of all documents of the part, whose samples are let go.

        γ rests on the samples `of_gamma`, with pairs where these have some, γcat and γk on all that were drawn.
        """
        observed, priors = self._observed, self._priors
        expected = self.expected(of_gamma.samples, np.where(of_gamma.pairs > 0, drawn.pairs, 0)).controlled
        expected_cat, expected_k = self._expected_categorial(drawn.samples)
        brackets, gap = self._samples.brackets(of_gamma.samples), self._samples.gap
        self._last = None
        del self._samples  # what is made of them takes as much memory
        with np.errstate(divide="ignore", invalid="ignore"):
            disorder = observed.distance / observed.weight
        rows = GammaRows.nothing(self._corpus)
        numbers = {
            "alignments": observed.alignments,
            "samples": drawn.samples,
            "gap": np.maximum(observed.gap, gap),
            "distance_lowered": self._lowered,
        }
        for name, column in numbers.items():
            getattr(rows, name)[self._measurable] = column
        gamma = _chances(observed.disorder, self.mean_units, observed.aligned, expected, brackets)
        rows.gamma.fill(self._measurable, gamma)
        gamma_cat = _categorial_chances(disorder, observed.weight, observed.pairs, expected_cat)
        rows.gamma_cat.fill(self._measurable, gamma_cat)
        document_k, category_k = priors.document_k, priors.category_k
        gamma_k = Chances.nothing(len(document_k))
        gamma_k.fill(slice(None), _categorial_chances(*_observed_k(observed, document_k, category_k), expected_k))
        return replace(rows, document_k=self._measurable[document_k], category_k=category_k, gamma_k=gamma_k)


def _coverage(corpus: Corpus) -> FloatArray:
    """Return the share of each document's extent that the units of one annotator cover, on average."""
    length = np.bincount(corpus.unit_document, weights=corpus.end - corpus.start, minlength=len(corpus))
    span = (corpus.extents[:, 1] - corpus.extents[:, 0]) * corpus.n_annotators
    return np.divide(length, span, out=np.ones(len(corpus)), where=span > 0)


def _chances(
    observed: FloatArray, weight: FloatArray, pairs: IntArray, expected: Estimates, bracket: FloatArray
) -> Chances:
    """Return what was observed and what is expected of γ."""
    sampled = {name: getattr(expected, name) for name in _SAMPLED}
    status = np.zeros(len(observed), dtype=np.int64)
    return Chances(
        observed, weight, pairs, expected.mean, **sampled, bracket=bracket, prior=np.zeros(len(observed)), status=status
    )


def _categorial_chances(
    observed: FloatArray, weight: FloatArray, pairs: IntArray, expected: CategorialEstimates
) -> Chances:
    """Return what was observed and what is expected of γcat or γk."""
    nothing = np.zeros(len(observed))
    return Chances(
        observed=observed,
        weight=weight,
        pairs=pairs,
        expected=expected.mean,
        error=np.sqrt(expected.variance()),
        deviation=expected.deviation,
        skewness=expected.skewness,
        samples=expected.samples,
        controls=nothing.astype(np.int64),
        freedom=expected.freedom,
        bracket=nothing,
        prior=expected.prior,
        status=expected.status,
    )


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
