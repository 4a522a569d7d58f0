"""γ, γcat and γk of some documents: one row of numbers for each.

All samples of the documents of a group are solved together, in batches of bounded size, until the precision rule is
content with each of them. A document's row depends on the document and the settings alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.alignment.solve import solve
from gamma_align.batch import Batch, ranges
from gamma_align.chance.shift import ShiftSampler
from gamma_align.coefficients.rows import NOTHING, Chance, Row
from gamma_align.coefficients.statistics import statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gamma_align._types import BoolArray, FloatArray, IntArray
    from gamma_align.coefficients.statistics import Statistics
    from gamma_align.continuum import Corpus
    from gamma_align.corpus.settings import GammaSettings

_UNITS = 200_000


class _Samples:
    """What the samples of a group's documents gave so far, as columns; a document is its index in the group."""

    def __init__(self, n_documents: int) -> None:
        self._n = n_documents
        self.gap = np.zeros(n_documents)
        self._rows: list[tuple[IntArray, FloatArray, FloatArray]] = []
        self._rows_k: list[tuple[IntArray, IntArray, FloatArray]] = []

    def add(self, document: IntArray, got: Statistics) -> None:
        """Add the statistics of solved samples, each of a document."""
        np.maximum.at(self.gap, document, got.gap)
        with np.errstate(divide="ignore", invalid="ignore"):
            self._rows.append((document, got.disorder, got.distance / got.weight))
        self._rows_k.append((document[got.instance_k], got.category_k, got.distance_k / got.weight_k))

    def disorders(self) -> list[FloatArray]:
        """Return δ of the samples of each document."""
        document, disorder, _ = self._columns()
        return _split(document, self._n, disorder)

    def categorial(self) -> list[FloatArray]:
        """Return δ_cat of the samples of each document that have it."""
        document, _, cat = self._columns()
        some = ~np.isnan(cat)
        return _split(document[some], self._n, cat[some])

    def by_category(self) -> list[dict[int, list[float]]]:
        """Return category → δ_k of the samples that have it, of each document."""
        document, category, ratio = (np.concatenate(column) for column in zip(*self._rows_k, strict=True))
        order = np.lexsort((category, document))
        document, category, values = document[order], category[order], ratio[order].tolist()
        new = (np.diff(document, prepend=-1) != 0) | (np.diff(category, prepend=-1) != 0)
        begins = np.flatnonzero(new)
        found: list[dict[int, list[float]]] = [{} for _ in range(self._n)]
        columns = (document[begins], category[begins], begins, np.append(begins, len(values))[1:])
        for at, label, first, last in zip(*(column.tolist() for column in columns), strict=True):
            found[at][label] = values[first:last]
        return found

    def _columns(self) -> tuple[IntArray, FloatArray, FloatArray]:
        document, disorder, cat = (np.concatenate(column) for column in zip(*self._rows, strict=True))
        return document, disorder, cat


def _split(document: IntArray, n_documents: int, values: Any) -> list[Any]:  # noqa: ANN401  (int or float, kept)
    """Return the values of each document, in the order they came."""
    order = np.argsort(document, kind="stable")
    return np.split(values[order], np.searchsorted(document[order], np.arange(1, n_documents)))


class _Sampled(NamedTuple):
    samples: _Samples
    drawn: IntArray  # how many samples each document has
    precise: BoolArray  # whether they reach the precision


def measure(corpus: Corpus, settings: GammaSettings, progress: Callable[[int, int], None] | None = None) -> list[Row]:
    """Return the row of every document of the corpus.

    Parameters
    ----------
    corpus : Corpus
        A corpus, or a part of one small enough to hold all its samples' numbers.
    settings : GammaSettings
        The settings.
    progress : callable, optional
        Called with (samples done, samples known to be needed).
    """
    bound_to = settings.dissimilarity.bind(corpus.categories)
    batch, _ = Batch.from_corpus(corpus)
    measurable = np.flatnonzero((corpus.n_annotators >= 2) & (np.diff(corpus.unit_offsets) > 0))  # noqa: PLR2004
    data = batch.take(measurable)
    observed = statistics(data, solve(data, bound_to, settings.limits), bound_to, confidence=settings.confidence)
    sampler = ShiftSampler(
        corpus, seed=settings.seed, min_distance=settings.min_distance, integer_offsets=settings.integer_offsets
    )
    rows = [
        Row(name, int(n), int(units), 0, NOTHING, NOTHING)
        for name, n, units in zip(corpus.documents, corpus.n_annotators, np.diff(corpus.unit_offsets), strict=True)
    ]
    if len(measurable):
        sampled = _sampled(corpus, settings, sampler, measurable, observed.gap > 0, progress)
        for document, row in zip(
            measurable.tolist(), _measured(corpus, settings, data, observed, sampled), strict=True
        ):
            lowered = bool(sampler.lowered[document])
            rows[document] = replace(row, document=corpus.documents[document], distance_lowered=lowered)
    return rows


def _measured(
    corpus: Corpus, settings: GammaSettings, data: Batch, observed: Statistics, sampled: _Sampled
) -> Iterator[Row]:
    """Yield the row of each instance of the data, all but its name."""
    samples = sampled.samples
    present = _categories_present(data)
    columns = (samples.disorders(), samples.categorial(), samples.by_category(), _observed_k(observed), present)
    mean_units = data.mean_units.tolist()
    for at, (disorders, cats, cats_k, observed_k, labels) in enumerate(zip(*columns, strict=True)):
        weight = float(observed.weight[at])
        cat = float(observed.distance[at]) / weight if weight else math.nan
        drawn = int(sampled.drawn[at])
        ones = drawn if settings.empty_samples == "one" else 0
        gamma_k = {
            corpus.categories[label]: Chance.of(
                *observed_k.get(label, (math.nan, 0.0)), _filled(cats_k.get(label, []), ones)
            )
            for label in labels
        }
        yield Row(
            document="",
            annotators=int(data.n_annotators[at]),
            units=int(data.offsets[at + 1] - data.offsets[at]),
            samples=drawn,
            gamma=Chance.of(float(observed.disorder[at]), mean_units[at], disorders.tolist()),
            gamma_cat=Chance.of(cat, weight, _filled(cats.tolist(), ones)),
            gamma_k=gamma_k,
            gap=max(float(samples.gap[at]), float(observed.gap[at])),
            precise=bool(sampled.precise[at]),
        )


def _categories_present(data: Batch) -> list[list[int]]:
    """Return the categories of each instance's units, without "none"."""
    width = int(data.category.max(initial=0)) + 2
    keys = np.unique(data.instance * width + data.category + 1)
    keys = keys[keys % width > 0]
    found: list[list[int]] = [[] for _ in range(len(data))]
    for instance, category in zip((keys // width).tolist(), (keys % width - 1).tolist(), strict=True):
        found[instance].append(category)
    return found


def _filled(values: list[float], number: int) -> list[float]:
    """Return the values and as many ones as are missing to that number (``empty_samples="one"``)."""
    return values + [1.0] * (number - len(values))


def _sampled(
    corpus: Corpus,
    settings: GammaSettings,
    sampler: ShiftSampler,
    documents: IntArray,
    hard: BoolArray,
    progress: Callable[[int, int], None] | None,
) -> _Sampled:
    """Draw and solve samples until the rule is content; those of hard documents with less work each."""
    bound_to = settings.dissimilarity.bind(corpus.categories)
    samples = _Samples(len(documents))
    drawn = np.zeros(len(documents), dtype=np.int64)
    wanted = np.full(len(documents), settings.rule.first)
    precise: BoolArray = np.ones(len(documents), dtype=np.bool_)
    done = 0
    while (drawn < wanted).any():
        for which, numbers in _batches(corpus, documents, drawn, wanted, hard):
            batch = sampler.sample(documents[which], numbers)
            solution = solve(batch, bound_to, settings.limits.less if hard[which[0]] else settings.limits)
            samples.add(which, statistics(batch, solution, bound_to, confidence=settings.confidence))
            done += len(which)
            if progress is not None:
                progress(done, int(wanted.sum()))
        drawn = wanted
        rows = [Chance.of(0.0, 0.0, values.tolist()) for values in samples.disorders()]
        mean, deviation = np.array([row.expected for row in rows]), np.array([row.deviation for row in rows])
        wanted, precise = settings.rule.wanted(drawn, mean, deviation)
    return _Sampled(samples, drawn, precise)


def _batches(
    corpus: Corpus, documents: IntArray, drawn: IntArray, wanted: IntArray, hard: BoolArray
) -> list[tuple[IntArray, IntArray]]:
    """Return (index into documents, sample number) of the samples to draw, in batches of bounded size and of a kind."""
    batches: list[tuple[IntArray, IntArray]] = []
    for of_kind in (np.flatnonzero(~hard), np.flatnonzero(hard)):
        missing = (wanted - drawn)[of_kind]
        which = np.repeat(of_kind, missing)
        numbers = ranges(drawn[of_kind], missing)
        units = np.diff(corpus.unit_offsets)[documents[which]]
        cuts = np.flatnonzero(np.diff((np.cumsum(units) - units) // _UNITS, prepend=-1))[1:]
        batches += zip(np.split(which, cuts), np.split(numbers, cuts), strict=True) if len(which) else []
    return batches


def _observed_k(observed: Statistics) -> list[dict[int, tuple[float, float]]]:
    """Return, for each instance, category → (δ_k, weight)."""
    found: list[dict[int, tuple[float, float]]] = [{} for _ in observed.disorder]
    columns = (observed.instance_k, observed.category_k, observed.distance_k, observed.weight_k)
    for at, label, distance, weight in zip(*(column.tolist() for column in columns), strict=True):
        found[at][label] = (distance / weight, weight)
    return found
