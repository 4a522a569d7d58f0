"""γ, γcat and γk of some documents: one row of numbers for each.

All samples of the documents of a group are solved together, in batches of bounded size, until the precision rule is
content with each of them. A document's row depends on the document and the settings alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.solve import solve
from gamma_align.batch import Batch
from gamma_align.chance.shift import ShiftSampler
from gamma_align.coefficients.rows import NOTHING, Chance, Row
from gamma_align.coefficients.statistics import statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from gamma_align._types import IntArray
    from gamma_align.coefficients.statistics import Statistics
    from gamma_align.continuum import Corpus
    from gamma_align.corpus.settings import GammaSettings

_UNITS = 200_000


@dataclass(slots=True)
class _Samples:
    """What the samples of one document gave so far."""

    drawn: int = 0
    disorder: list[float] = field(default_factory=list)
    cat: list[float] = field(default_factory=list)
    by_category: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    gap: float = 0.0


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
    samples = [_Samples() for _ in measurable]
    precise = _sample(corpus, settings, sampler, measurable, samples, progress)
    rows = [
        Row(name, int(n), int(units), 0, NOTHING, NOTHING)
        for name, n, units in zip(corpus.documents, corpus.n_annotators, np.diff(corpus.unit_offsets), strict=True)
    ]
    by_category = _observed_k(observed)
    for at, document in enumerate(measurable.tolist()):
        rows[document] = _row(corpus, document, at, observed, by_category[at], samples[at], settings)
        rows[document] = _flagged(rows[document], bool(sampler.lowered[document]), bool(precise[at]))
    return rows


def _sample(
    corpus: Corpus,
    settings: GammaSettings,
    sampler: ShiftSampler,
    documents: IntArray,
    samples: list[_Samples],
    progress: Callable[[int, int], None] | None,
) -> np.ndarray:
    """Draw and solve samples until the rule is content; return whether each document reached the precision."""
    bound_to = settings.dissimilarity.bind(corpus.categories)
    drawn = np.zeros(len(documents), dtype=np.int64)
    wanted = np.full(len(documents), settings.rule.first)
    precise = np.ones(len(documents), dtype=np.bool_)
    while (drawn < wanted).any():
        for which, numbers in _batches(corpus, documents, drawn, wanted):
            batch = sampler.sample(documents[which], numbers)
            got = statistics(batch, solve(batch, bound_to, settings.limits), bound_to, confidence=settings.confidence)
            _collect(samples, which, got, settings.empty_samples)
            if progress is not None:
                progress(sum(sample.drawn for sample in samples), int(wanted.sum()))
        drawn = wanted
        rows = [Chance.of(0.0, 0.0, sample.disorder) for sample in samples]
        mean, deviation = np.array([row.expected for row in rows]), np.array([row.deviation for row in rows])
        wanted, precise = settings.rule.wanted(drawn, mean, deviation)
    return precise


def _batches(corpus: Corpus, documents: IntArray, drawn: IntArray, wanted: IntArray) -> list[tuple[IntArray, IntArray]]:
    """Return (index into documents, sample number) of the samples to draw, in batches of bounded size."""
    missing = wanted - drawn
    which = np.repeat(np.arange(len(documents)), missing)
    numbers = np.concatenate([np.arange(a, b) for a, b in zip(drawn.tolist(), wanted.tolist(), strict=True)])
    units = np.diff(corpus.unit_offsets)[documents[which]]
    cuts = np.flatnonzero(np.diff((np.cumsum(units) - units) // _UNITS, prepend=-1))[1:]
    return list(zip(np.split(which, cuts), np.split(numbers, cuts), strict=True))


def _collect(samples: list[_Samples], which: IntArray, got: Statistics, empty_samples: str) -> None:
    """Add the statistics of solved samples to their documents."""
    for at, index in enumerate(which.tolist()):
        sample = samples[index]
        sample.drawn += 1
        sample.disorder.append(float(got.disorder[at]))
        sample.gap = max(sample.gap, float(got.gap[at]))
        if got.weight[at] > 0:
            sample.cat.append(float(got.distance[at] / got.weight[at]))
        elif empty_samples == "one":
            sample.cat.append(1.0)
    ratios = (got.distance_k / got.weight_k).tolist()
    for at, label, ratio in zip(which[got.instance_k].tolist(), got.category_k.tolist(), ratios, strict=True):
        samples[at].by_category[label].append(ratio)


def _observed_k(observed: Statistics) -> list[dict[int, tuple[float, float]]]:
    """Return, for each instance, category → (δ_k, weight)."""
    found: list[dict[int, tuple[float, float]]] = [{} for _ in observed.disorder]
    columns = (observed.instance_k, observed.category_k, observed.distance_k, observed.weight_k)
    for at, label, distance, weight in zip(*(column.tolist() for column in columns), strict=True):
        found[at][label] = (distance / weight, weight)
    return found


def _row(
    corpus: Corpus,
    document: int,
    at: int,
    observed: Statistics,
    by_category: dict[int, tuple[float, float]],
    samples: _Samples,
    settings: GammaSettings,
) -> Row:
    units = slice(corpus.unit_offsets[document], corpus.unit_offsets[document + 1])
    count = int(units.stop - units.start)
    annotators = int(corpus.n_annotators[document])
    weight = float(observed.weight[at])
    cat = float(observed.distance[at]) / weight if weight else math.nan
    gamma_k = {}
    for label in np.unique(corpus.category[units]).tolist():
        if label >= 0:
            value, heavy = by_category.get(label, (math.nan, 0.0))
            drawn = list(samples.by_category.get(label, []))
            if settings.empty_samples == "one":
                drawn += [1.0] * (samples.drawn - len(drawn))
            gamma_k[corpus.categories[label]] = Chance.of(value, heavy, drawn)
    return Row(
        document=corpus.documents[document],
        annotators=annotators,
        units=count,
        samples=samples.drawn,
        gamma=Chance.of(float(observed.disorder[at]), count / annotators, samples.disorder),
        gamma_cat=Chance.of(cat, weight, samples.cat),
        gamma_k=gamma_k,
        gap=max(samples.gap, float(observed.gap[at])),
    )


def _flagged(row: Row, lowered: bool, precise: bool) -> Row:  # noqa: FBT001
    from dataclasses import replace  # noqa: PLC0415

    return replace(row, distance_lowered=lowered, precise=precise)
