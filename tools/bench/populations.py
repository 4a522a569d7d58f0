"""Populations of documents for studies of intervals: real corpora measured once, and synthetic ones.

A population is what each document adds to observed and expected disagreement, and whether it has agreement. Corpora of
a few documents are drawn from it with replacement; its own ratio is the truth.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import gamma_align as ga
from gamma_align.chance.precision import PrecisionRule
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align.columns import BoolArray, FloatArray
    from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows

CORPORA = Path(__file__).parents[2] / "corpora"
SYNTHETIC_SIZE = 4000  # documents: many more than are drawn
LABELS = 4  # of each corpus: the most frequent ones, and the rarest that enough documents have
HELD_BY_ONE = 0.5  # of the variance: a population that rests on one document is not one to be drawn from
FEWEST_WITH_LABEL = 40  # documents: with fewer, the truth itself rests on single ones
SAMPLES = {"qamr": 5, "toxic_spans": 4}  # of a document; the others have 10


class Population(NamedTuple):
    """A population; `kind` is "real" or "synthetic", `hopeless` the reason if no sample can know of its extremes."""

    name: str
    kind: str
    observed: FloatArray
    expected: FloatArray
    agreeing: BoolArray
    hopeless: str | None = None

    @property
    def ratio(self) -> float:
        """The truth."""
        return float(self.observed.sum() / self.expected.sum())


def real() -> Iterator[Population]:
    """Yield γ, γcat and γk of corpora, and F1 of two annotators."""
    for name, most in (("btc_crowd", 1200), ("salami", 300), ("qamr", 1500), ("toxic_spans", 800), ("novels_ner", 12)):
        corpus = first_documents(name, most)
        rows = run(corpus, GammaSettings(rule=PrecisionRule(samples=SAMPLES.get(name, 10))))
        yield of_chances(f"{name} γ", rows.gamma, largest=np.inf)
        labels = labels_of(rows)
        if len(rows.categories) > 1:
            yield of_chances(f"{name} γcat", rows.gamma_cat)
            yield from (of_chances(f"{name} γk {label}", rows.of_category(label)) for label in labels)
    for name in ("salami", "qamr", "novels_ner"):
        yield of_f1(f"{name} F1", first_documents(name, 600))


def first_documents(name: str, most: int) -> ga.Corpus:
    corpus = ga.read(CORPORA / name, outside="extend")
    return corpus.documents_between(0, min(most, len(corpus)))


def labels_of(rows: GammaRows) -> list[str]:
    """Return the labels to look at: half of them frequent ones, half of them rare."""
    counts = {label: int(rows.of_category(label).is_known.sum()) for label in rows.labels}
    enough = [label for label in counts if counts[label] >= min(FEWEST_WITH_LABEL, len(rows))]
    enough.sort(key=lambda label: -counts[label])
    return enough if len(enough) <= LABELS else [*enough[: LABELS // 2], *enough[-LABELS // 2 :]]


def of_chances(name: str, chances: Chances, *, largest: float = 1.0) -> Population:
    """Return the documents that have a disorder and an expected one."""
    known = chances.take(chances.is_known)
    agreeing = (known.pairs > 0) & (known.observed < largest * (1.0 - 1e-12))
    return real_population(name, known.weight * known.observed, known.weight * known.expected, agreeing)


def real_population(name: str, observed: FloatArray, expected: FloatArray, agreeing: BoolArray) -> Population:
    """Return a population of real documents; one that rests on a single document is hopeless."""
    square = np.square(observed - observed.sum() / expected.sum() * expected)
    share = square.max() / square.sum()
    held = f"one of its {len(observed)} documents holds {share:.0%} of the variance" if share > HELD_BY_ONE else None
    return Population(name, "real", observed, expected, agreeing, held)


def of_f1(name: str, corpus: ga.Corpus) -> Population:
    """Return the units of the first two annotators of each document that are not the same (1 - F1, strict)."""
    rows = []
    for document in corpus:
        continuum = corpus[document]
        if len(continuum.annotators) < 2:
            continue
        first, second = (
            {(unit.start, unit.end, unit.category) for unit in continuum.units() if unit.annotator == annotator}
            for annotator in continuum.annotators[:2]
        )
        if first or second:
            rows.append((len(first ^ second), len(first) + len(second)))
    apart, size = np.array(rows, dtype=np.float64).T
    return real_population(name, apart, size, apart < size)


def synthetic(seed: int = 0) -> Iterator[Population]:
    """Yield sparse, heavy-tailed, mixed and many-annotator populations."""
    draw = np.random.default_rng(seed)
    n = SYNTHETIC_SIZE

    def made(
        name: str, observed: FloatArray, expected: FloatArray, hopeless: str | None = None, largest: float = np.inf
    ) -> Population:
        limit = np.full(n, np.inf) if np.isinf(largest) else largest * expected
        return Population(name, "synthetic", observed, expected, observed < limit, hopeless)

    # sparse: errors of a translation. Most documents have none or one, a few have many; agreement is low
    units = 1 + draw.negative_binomial(0.6, 0.15, n)
    yield made("mqm-like γ: few units, most not aligned", units * draw.beta(4, 1.5, n), units * draw.beta(12, 2, n))
    units = 1.0 + draw.poisson(2.0, n)
    yield made("two or three units a document", units * (draw.random(n) < 0.35) * draw.beta(2, 2, n), units * 0.9)
    # a rare label: a document has one to three pairs of it, which agree or do not
    pairs = 1.0 + draw.poisson(0.5, n)
    yield made("rare γk: a pair or two", draw.binomial(pairs.astype(int), 0.3).astype(float), pairs, None, 1.0)
    yield made(
        "rare γk: little agreement", draw.binomial(pairs.astype(int), 0.75).astype(float), pairs * 1.05, None, 0.95
    )
    there = draw.random(n) < 0.3
    units = draw.gamma(2.0, size=n)
    yield made("a label in three documents of ten", there * units * draw.beta(1, 3, n), there * units)
    # heavy tails
    size = (1.0 - draw.random(n)) ** (-1.0 / 1.5)
    yield made("sizes of a Pareto distribution (1.5)", size * draw.beta(2, 5, n), size)
    size = np.exp(draw.normal(0.0, 1.0, n))
    yield made("lognormal sizes", size * draw.beta(2, 5, n), size)
    yield made(
        "lognormal disorder (σ 1.5)", np.exp(draw.normal(-2.0, 1.5, n)), np.full(n, 1.0), "a heavy tail of disorder"
    )
    size = np.exp(draw.normal(0.0, 0.8, n))
    yield made(
        "disorder grows with size^1.5",
        0.2 * size**1.5 * draw.gamma(4.0, 0.25, n),
        size,
        "large documents are the bad ones",
    )
    # mixtures
    bad = draw.random(n) < 0.1
    disorder = np.where(bad, draw.beta(8, 2, n), draw.beta(1, 19, n))
    yield made("one document in ten is bad", disorder, np.full(n, 1.0), "rare bad documents")
    long = draw.random(n) < 0.5
    size = np.where(long, 10.0, 1.0) * draw.gamma(8.0, 1 / 8, n)
    yield made("two lengths, the long ones agree", size * np.where(long, draw.beta(2, 18, n), draw.beta(6, 4, n)), size)
    kind = draw.random(n) < 0.4
    yield made(
        "two kinds of text", np.where(kind, draw.beta(2, 8, n), draw.beta(6, 4, n)), draw.gamma(6.0, 1 / 6, n) + 0.5
    )
    # many annotators: little noise in each document, disorder between documents
    size = draw.gamma(5.0, 0.2, n)
    yield made(
        "many annotators", size * np.clip(draw.normal(0.3, 0.06, n), 0.0, None), size * draw.normal(1.0, 0.02, n)
    )
    yield made(
        "many annotators, agreement near chance", size * draw.normal(0.95, 0.08, n), size * draw.normal(1.0, 0.03, n)
    )
