"""How often the 95 % intervals of the expected disorder hold the truth: sampling alone, with and without control.

Of each document a bank of samples is drawn, each with its disorder y and its control value x, and E[x] is estimated
with several seeds. A repetition draws from the bank, whose mean is the truth, and takes the E[x] of one of the seeds.
The counts follow `PrecisionRule`, or are fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from chance_documents import made
from populations import CORPORA

import gamma_align as ga
from gamma_align.alignment.solve import disorders, solve, unitary_disorders
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.chance.pairs import can_pair, control_means, control_values
from gamma_align.chance.precision import ExpectedDisorders, PrecisionRule, SampleCounts
from gamma_align.chance.sampler import sample_costs
from gamma_align.data.corpus import Corpus
from gamma_align.inference.means import (
    MIN_SAMPLES_CONTROLLED,
    ControlMeans,
    Estimates,
    bounds,
    controlled_estimates,
    plain_estimates,
)
from gamma_align.measures.gamma.gamma_settings import GammaSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align.columns import FloatArray, IntArray

SEEDS = 120  # estimates of E[x]
BANK_COST = 1e6  # of a bank, in the unit of `sample_costs`: seconds


class Bank(NamedTuple):
    """Samples of a document, y and x, and estimates of E[x] of several seeds; None if pairs cannot be a control."""

    name: str
    annotators: int
    units: int
    y: FloatArray
    x: FloatArray
    means: ControlMeans | None


def documents() -> Iterator[ga.Continuum]:
    """Yield documents of 2 to 15 annotators and 4 to some 800 units."""
    for kind in ("evaluations", "translations", "arguments"):
        yield from (made(kind, seed) for seed in range(1, 6))
    yield from (made("translations", 11, annotators=2, units=units) for units in (2, 6, 20))
    yield from (made(kind, 12, units=2) for kind in ("evaluations", "translations"))
    yield from (made("translations", 13, annotators=n, units=units) for n, units in ((4, 3), (5, 8), (7, 4), (10, 3)))
    yield from (made("evaluations", 14, annotators=n, units=units) for n, units in ((4, 12), (6, 4), (15, 2)))
    novels, chapters = ga.read(CORPORA / "novels_ner"), ga.read(CORPORA / "hearst_kazantseva")
    yield from (novels.continuum(index) for index in (0, 5))
    yield from (chapters[name] for name in ("moonstone/ch2", "moonstone/ch4"))
    crowd = ga.read(CORPORA / "btc_crowd")
    large = np.flatnonzero((crowd.units_per_document >= 4) & (crowd.n_annotators >= 5))
    yield from (crowd.continuum(int(index)) for index in large[:: max(len(large) // 5, 1)][:5])


def bank(document: ga.Continuum) -> Bank:
    corpus, settings = Corpus.from_continua([document]), GammaSettings()
    dissimilarity, zero = settings.dissimilarity.bind(corpus.categories), np.zeros(1, dtype=np.int64)
    n_units, n = corpus.units_per_document, corpus.n_annotators
    size = int(np.clip(BANK_COST / sample_costs(corpus)[0], 1_500, 5_000))
    sampler = shift_sampler(corpus, settings)
    numbers = np.arange(size)
    batch = sampler.sample(np.zeros_like(numbers), numbers)
    y = disorders(batch, unitary_disorders(batch, solve(batch, dissimilarity).group, dissimilarity))
    x, means = np.full(size, np.nan), None
    if can_pair(corpus, n_units, integer_offsets=None)[0]:
        x = control_values(batch, dissimilarity)
        seeds = [shift_sampler(corpus, GammaSettings(seed=seed)) for seed in range(1, SEEDS + 1)]
        means = ControlMeans(
            *map(np.concatenate, zip(*(control_means(one, zero, dissimilarity) for one in seeds), strict=True))
        )
        # The bank is the population: E[x] is its mean.
        means = means._replace(mean=means.mean + x.mean() - means.mean.mean())
    return Bank(_short(document.document), int(n[0]), int(n_units[0]), y, x, means)


def _short(name: str) -> str:
    """Return the last part of the name of a document of btc_crowd, which says where it was."""
    return f"btc_crowd, …{name.rsplit('_', 1)[-1]}" if "___" in name else name


class Repetitions:
    """Repeated measurements of the document of a bank; a repetition is a group of samples."""

    def __init__(self, bank: Bank, number: int, seed: int = 1) -> None:
        self._bank, self._number = bank, number
        self._draw = np.random.default_rng(seed)
        self._index = self._draw.integers(len(bank.y), size=(number, 64))

    def estimates(self, counts: SampleCounts) -> Estimates:
        """Return the estimates from these counts of samples of each repetition."""
        while self._index.shape[1] < counts.full.max():
            self._index = np.hstack([self._index, self._draw.integers(len(self._bank.y), size=self._index.shape)])
        is_drawn = np.arange(self._index.shape[1]) < counts.full[:, None]
        group, sample = np.nonzero(is_drawn)[0], self._index[is_drawn]
        means = self._bank.means
        if means is None or not counts.controlled.any():
            return plain_estimates(group, self._bank.y[sample], self._number)
        expected = ControlMeans(*(column[np.arange(self._number) % SEEDS] for column in means))
        return controlled_estimates(group, self._bank.y[sample], self._bank.x[sample], expected, self._number)

    def by_rule(self, rule: PrecisionRule) -> tuple[Estimates, IntArray]:
        """Return the estimates of measurements by a rule, and their numbers of samples."""
        can_control = np.full(self._number, self._bank.means is not None)
        drawn, counts = SampleCounts.none(self._number), rule.first_counts(can_control)
        while (counts.full > drawn.full).any():
            drawn, estimates = counts, self.estimates(counts)
            counts = rule.next_counts(ExpectedDisorders(np.ones(self._number), estimates), drawn, can_control)
        return estimates, drawn.full


def coverage(estimates: Estimates, truth: float) -> tuple[float, float, float]:
    """Return the share of intervals that hold the truth, and the shares in which it is below and above."""
    low, high = bounds(estimates.mean, estimates.error, estimates.skewness, estimates.freedom)
    below, above = float(np.mean(truth < low)), float(np.mean(truth > high))
    return 1.0 - below - above, below, above


def rows(repetitions: int) -> Iterator[list[str]]:
    """Yield a row of each document: coverage and tails of plain and controlled intervals, and numbers of samples."""
    rule = PrecisionRule(of="documents")
    for document in documents():
        own = bank(document)
        truth = float(own.y.mean())
        repeated = Repetitions(own, repetitions)
        plain, controlled = np.zeros(repetitions, dtype=np.bool_), np.ones(repetitions, dtype=np.bool_)
        cells = [own.name, str(own.annotators), str(own.units), f"{own.y.std() / truth:.3f}"]
        for full in (8, MIN_SAMPLES_CONTROLLED, 30):
            cells += _shown(coverage(repeated.estimates(SampleCounts(plain + full, plain)), truth))
        if own.means is None:
            yield [*cells, *[""] * 6, *_by_rule(repeated, rule, truth)]
            continue
        explained = 1.0 / (1.0 - np.corrcoef(own.y, own.x)[0, 1] ** 2)
        for full in (MIN_SAMPLES_CONTROLLED, 30):
            cells += _shown(coverage(repeated.estimates(SampleCounts(plain + full, controlled)), truth))
        without = Repetitions(own, repetitions, 2).by_rule(PrecisionRule(of="documents", control="none"))[1]
        yield [*cells, f"{explained:.1f}", f"{without.mean():.0f}", *_by_rule(repeated, rule, truth)]


def _by_rule(repeated: Repetitions, rule: PrecisionRule, truth: float) -> list[str]:
    estimates, samples = repeated.by_rule(rule)
    return [f"{samples.mean():.0f}", *_shown(coverage(estimates, truth))]


def _shown(cell: tuple[float, float, float]) -> list[str]:
    return [f"{cell[0]:.3f}", f"{cell[1]:.3f} / {cell[2]:.3f}"]


HEAD = [
    *("document", "annotators", "units", "CV"),
    *("plain, 8", "below / above", f"plain, {MIN_SAMPLES_CONTROLLED}", "below / above", "plain, 30", "below / above"),
    *(f"control, {MIN_SAMPLES_CONTROLLED}", "below / above", "control, 30", "below / above"),
    *("1/(1 - R²)", "plain for ±2 %", "by the rule for ±2 %", "coverage", "below / above"),
]
"""Columns of `rows`: the numbers after *plain* and *control* are those of samples; below / above is the truth."""


def summary(rows: list[list[str]]) -> Iterator[list[str]]:
    """Yield the mean and the limits of the coverage over the documents with pairs, and over the others."""
    coverage_of = {name: index for index, name in enumerate(HEAD) if name.startswith(("plain, ", "control, "))}
    coverage_of["by the rule"] = HEAD.index("coverage")
    for label, chosen in (
        ("with pairs", [row for row in rows if row[HEAD.index("1/(1 - R²)")]]),
        ("without pairs", [row for row in rows if not row[HEAD.index("1/(1 - R²)")]]),
    ):
        for name, index in coverage_of.items():
            known = [float(row[index]) for row in chosen if row[index]]
            if known:
                limits = f"{min(known):.3f}", f"{max(known):.3f}"
                yield [f"{name}, documents {label}", str(len(known)), f"{np.mean(known):.3f}", *limits]
