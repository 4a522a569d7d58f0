"""How far the intervals and tests of `compare` are right, by simulation: `paired.py [-o FILE.md]`.

Two annotations of many documents are made from one reference with errors of known size, and measured once, with few
samples a document; they are a population. Its difference, measured again with many samples, is the truth; corpora of a
few documents are drawn from it with replacement.

1. How often the 95 % interval of the difference holds the truth.
2. Whether p is uniform where there is no difference: each document is in the population twice, with its annotations one
   way round and the other.
3. How often a difference is found with as many documents as `plan` says.
4. The same coverage and uniformity where only some documents, or none, are in both corpora; `--shares` runs that alone
   (two minutes) and writes a page of its own.

The population must be large: of few documents, the samples are part of the truth, and all cells share that error.

About a quarter of an hour.
"""

from __future__ import annotations

import argparse
import itertools
import math
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from coverage import CORPORA, Tally, drawn, markdown
from scipy.sparse import csr_matrix
from scipy.stats import kstest

import gamma_align as ga
from gamma_align.chance.precision import PrecisionRule
from gamma_align.distances import Nominal
from gamma_align.inference.exchanges import BOTH, FIRST_ONLY, SECOND_ONLY, exchange
from gamma_align.inference.jackknife import ConfidenceInterval, difference_interval
from gamma_align.insight.comparison.pools import GammaPool, UnitizingPool
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align.columns import FloatArray, IntArray

SIZES = (5, 8, 12, 20, 40)
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5)
KINDS = ("shift", "false-negative", "category")
REPLICATES = 1999
SAMPLES, TRUTH = 4, 30
POWER = 0.8
WANTED = 0.05
SYMBOLS = {"gamma": "γ", "gamma_cat": "γcat", "u": "uα"}


@dataclass
class Some:
    """Some documents of a pool, perhaps several times, as `exchanges.Pool`; only values with a symbol."""

    pool: GammaPool | UnitizingPool
    chosen: IntArray

    @property
    def side(self) -> IntArray:
        return np.full(len(self.chosen), BOTH)

    @property
    def columns(self) -> list[int]:
        return [column for column, name in enumerate(self.pool.names) if name.coefficient in SYMBOLS]

    def values(self, first: csr_matrix, second: csr_matrix) -> FloatArray:
        ones, rows = np.ones(len(self.chosen)), np.arange(len(self.chosen))
        onto = csr_matrix((ones, (rows, self.chosen)), shape=(len(self.chosen), self.pool.n_documents))
        return self.pool.values(first @ onto, second @ onto)[:, self.columns]


@dataclass
class EitherWay(Some):
    """The same where every other document has its annotations the other way round."""

    turned: IntArray

    def values(self, first: csr_matrix, second: csr_matrix) -> FloatArray:
        turn, keep = csr_matrix(np.diag(self.turned)), csr_matrix(np.diag(1 - self.turned))
        return super().values(first @ keep + second @ turn, second @ keep + first @ turn)


def references(number: int, seed: int) -> list[ga.Corpus]:
    """Return as many documents of 4 to 24 units, in a corpus for each level of errors."""
    draw = np.random.default_rng(seed)
    parts: list[list[ga.Continuum]] = [[] for _ in LEVELS]
    for index in range(number):
        document = ga.synthetic_reference(
            units=int(draw.integers(4, 25)),
            categories={"A": 2, "B": 1, "C": 1},
            length=8,
            length_deviation=3,
            gap=6,
            gap_deviation=3,
            seed=int(draw.integers(2**31)),
            document=f"d{index:05}",
        )
        parts[index % len(LEVELS)].append(document)
    return [ga.Corpus.from_continua(part) for part in parts]


def annotation(parts: list[ga.Corpus], more: float, seed: int, *, level: float | None = None) -> ga.Corpus:
    """Return two annotators of each document, with the errors of its level and some more."""
    made = [
        ga.shuffle(
            part, magnitude=(size if level is None else level) + more, kinds=KINDS, annotators=2, seed=seed,
            overlaps="cut",
        )
        for part, size in zip(parts, LEVELS, strict=True)
    ]  # fmt: skip
    whole = made[0]
    for part in made[1:]:
        whole = whole.merge(part)
    return whole


def gamma_pool(both: list[ga.Corpus], samples: int, seed: int) -> GammaPool:
    settings = GammaSettings.of(seed=seed, samples=samples)
    assert isinstance(settings.rule, PrecisionRule)  # noqa: S101
    return GammaPool.of(*(run(corpus, settings) for corpus in both))


def differences(pool: GammaPool | UnitizingPool) -> dict[str, float]:
    """Return the difference of each value over all documents."""
    every = np.ones((1, pool.n_documents))
    ones, none = csr_matrix(every), csr_matrix(0 * every)
    apart = (pool.values(ones, none) - pool.values(none, ones))[0]
    return {name.coefficient: float(apart[column]) for column, name in enumerate(pool.names) if not name.category}


def of_intervals(population: int, repetitions: int) -> Iterator[list[str]]:
    parts = references(population, 1)
    for more in (0.0, 0.1, 0.3):
        both = [annotation(parts, 0.0, 1), annotation(parts, more, 2)]
        truth = differences(gamma_pool(both, TRUTH, 10**6))
        lengths = UnitizingPool.of(*both, Nominal(), layers=False)
        yield from covered(f"errors {more:+.1f}", gamma_pool(both, SAMPLES, 0), truth, repetitions)
        yield from covered(f"errors {more:+.1f}", lengths, differences(lengths), repetitions // 2)
    songs = ga.read(CORPORA / "salami")
    several = [name for name in songs.documents if len(songs[name].annotators) > 1][:400]
    songs = songs.select(documents=several)
    both = [songs, annotation_of(songs)]
    yield from covered(
        "salami, and its first annotators with errors of 0.1",
        gamma_pool(both, SAMPLES, 0), differences(gamma_pool(both, TRUTH, 10**6)), repetitions,
    )  # fmt: skip


def annotation_of(corpus: ga.Corpus) -> ga.Corpus:
    """Return two annotators made of the first one of each document."""
    first = [corpus[name].annotators[0] for name in corpus.documents]
    alone = [
        ga.Continuum.from_records(
            [(unit.annotator, unit.start, unit.end, unit.category) for unit in corpus[name].units()
             if unit.annotator == annotator],
            document=name, extent=tuple(corpus[name].extent),
        )
        for name, annotator in zip(corpus.documents, first, strict=True)
    ]  # fmt: skip
    return ga.Corpus.from_continua(
        [ga.shuffle(document, magnitude=0.1, kinds=("shift", "category"), annotators=2, seed=3) for document in alone]
    )


def covered(
    name: str, pool: GammaPool | UnitizingPool, truth: dict[str, float], repetitions: int
) -> Iterator[list[str]]:
    draw = np.random.default_rng(3)
    for size in SIZES:
        columns = [pool.names[column].coefficient for column in Some(pool, np.zeros(1, dtype=int)).columns]
        tallies = {which: Tally() for which in columns}
        for _ in range(repetitions):
            found = intervals(subset(pool, draw.integers(pool.n_documents, size=size)))
            for which in columns:
                tallies[which].add(found[which].around(0.0), truth[which])
        for which, tally in tallies.items():
            yield [name, str(size), SYMBOLS[which], f"{truth[which]:.4f}", *tally.cells()]


def subset(pool: GammaPool | UnitizingPool, chosen: IntArray) -> GammaPool | UnitizingPool:
    """Return the pool of some documents, perhaps several times."""
    if isinstance(pool, UnitizingPool):  # its rows are those of the first annotation, then those of the second
        rows = drawn(pool.rows, np.concatenate([chosen, pool.n_documents + chosen]))
        both = np.arange(len(chosen))
        return replace(pool, rows=rows, side=np.full(len(chosen), BOTH), indices=(both, both))
    columns = {name: getattr(pool, name)[:, chosen] for name in ("observed", "expected", "agreeing")}
    return replace(pool, side=pool.side[chosen], counted=pool.counted[chosen], **columns)


def intervals(pool: GammaPool | UnitizingPool) -> dict[str, ConfidenceInterval]:
    """Return the interval of the difference of each value that has a symbol."""
    found = {}
    for name, parts, least, other in zip(pool.names, pool.parts(), *pool.lowest, strict=True):
        if name.coefficient in SYMBOLS:
            found[name.coefficient] = difference_interval(*parts, (least - 1.0, 1.0 - other))
    return found


def of_p(population: int, repetitions: int) -> Iterator[list[str]]:
    parts = references(population, 4)
    both = [annotation(parts, 0.0, 5), annotation(parts, 0.1, 6)]
    for pool in (gamma_pool(both, SAMPLES, 0), UnitizingPool.of(*both, Nominal(), layers=False)):
        draw = np.random.default_rng(7)
        for size in (12, 20, 40):
            found: list[list[float]] = []
            for repetition in range(repetitions):
                some = EitherWay(pool, draw.integers(pool.n_documents, size=size), draw.integers(2, size=size))
                exchanges = exchange(some, seed=repetition, replicates=REPLICATES)
                found.append([exchanges.p_value(column) for column in range(len(some.columns))])
            for column, values in enumerate(np.array(found).T):
                which = pool.names[Some(pool, np.zeros(1, dtype=int)).columns[column]].coefficient
                if which in SYMBOLS:
                    shares = [f"{np.mean(values <= level):.3f}" for level in (0.01, 0.05, 0.5)]
                    yield [str(size), SYMBOLS[which], *shares, f"{kstest(values, 'uniform').pvalue:.3f}"]


def of_power(population: int, repetitions: int) -> Iterator[list[str]]:
    parts = references(population, 8)
    for level, more in ((0.2, 0.02), (0.4, 0.05)):
        both = [annotation(parts, 0.0, 9, level=level), annotation(parts, more, 10, level=level)]
        pool = gamma_pool(both, SAMPLES, 0)
        truth = differences(gamma_pool(both, TRUTH, 10**6))["gamma"]
        pilot = both[0].documents_between(0, 40)
        plan = ga.plan(pilot, target=0.1, annotators=[2], repetitions=10)
        normal = NormalDist()
        reach = normal.inv_cdf(0.975) + normal.inv_cdf(POWER)
        size = math.ceil(2 * (reach * plan.within / abs(truth)) ** 2)
        draw = np.random.default_rng(11)
        by_p = by_interval = 0
        for repetition in range(repetitions):
            chosen = draw.integers(pool.n_documents, size=size)
            low, high, *_ = intervals(subset(pool, chosen))["gamma"]
            by_p += exchange(Some(pool, chosen), seed=repetition, replicates=REPLICATES).p_value(0) <= WANTED
            by_interval += low > 0 or high < 0
        shares = [f"{by_p / repetitions:.3f}", f"{by_interval / repetitions:.3f}"]
        yield [f"{level:g}, {level + more:g}", f"{truth:.4f}", f"{plan.within:.3f}", str(size), *shares]


PARTS = {"none": (0.0, 0.5), "a quarter": (0.25, 0.375), "three quarters": (0.75, 0.125), "half, two sizes": (0.5, 0.1)}
"""Shares of the documents that are in both corpora, and in the first one alone; the others are in the second alone."""


def of_shares(population: int, repetitions: int) -> Iterator[list[str]]:
    """Yield coverage of intervals, and how p is distributed if the corpora do not differ."""
    parts = references(population, 12)
    for more in (0.0, 0.2):
        both = [annotation(parts, 0.0, 13), annotation(parts, more, 14)]
        truth = dict.fromkeys(SYMBOLS, 0.0)
        if more:
            truth = differences(gamma_pool(both, TRUTH, 10**6))
        pool = gamma_pool(both, SAMPLES, 0)
        for size, (name, (shared, first)) in itertools.product((12, 24, 48), PARTS.items()):
            draw = np.random.default_rng(15)
            tallies = {which: Tally() for which in ("gamma", "gamma_cat")}
            found: list[float] = []
            for repetition in range(repetitions):
                place = np.arange(size) / size
                side = np.where(place < shared, BOTH, np.where(place < shared + first, FIRST_ONLY, SECOND_ONLY))
                some = subset(pool, draw.integers(pool.n_documents, size=size))
                if not more:
                    some = turned(some, draw.integers(2, size=size))
                some = with_sides(some, side)
                kind = "some" if shared else "none"
                for column, which in enumerate(tallies):
                    one, other = next(itertools.islice(some.parts(), column, None))
                    interval = difference_interval(one, other, (-9.0, 9.0), shared=kind)
                    tallies[which].add(interval.around(0.0), truth[which])
                if not more:
                    found.append(exchange(some, seed=repetition, replicates=REPLICATES).p_value(0))
            p = [f"{np.mean(np.array(found) <= level):.3f}" for level in (0.05, 0.5)] if found else ["–", "–"]
            uniform = f"{kstest(found, 'uniform').pvalue:.3f}" if found else "–"
            for which, tally in tallies.items():
                further = [*p, uniform] if which == "gamma" else ["–"] * 3
                yield [f"{more:+.1f}", str(size), name, SYMBOLS[which], f"{truth[which]:.4f}", *tally.cells(), *further]


def turned(pool: GammaPool, is_turned: IntArray) -> GammaPool:
    """Return the pool where some documents have their annotations the other way round."""
    columns = {name: getattr(pool, name) for name in ("observed", "expected", "agreeing")}
    keep = (is_turned == 0)[None, :, None]
    return replace(pool, **{name: np.where(keep, column, column[::-1]) for name, column in columns.items()})


def with_sides(pool: GammaPool, side: IntArray) -> GammaPool:
    """Return the pool where each document is in the corpora that its side says."""
    is_there = np.stack([side != SECOND_ONLY, side != FIRST_ONLY])[:, :, None]
    columns = {name: getattr(pool, name) * is_there for name in ("observed", "expected", "agreeing")}
    return replace(pool, side=side, **columns)


def page_of_shares(population: int, repetitions: int) -> str:
    head = ["errors", "documents", "in both", "value", "difference", "coverage", "truth below / above", "no interval"]
    return "\n".join(
        [
            "# Two corpora that share some documents, or none",
            "",
            f"`tools/bench/paired.py --shares`, gamma_align {ga.__version__}; {REPLICATES} replicates, {SAMPLES}",
            f"samples a document, {repetitions} corpora of a population of {population} documents. Of the documents",
            "that are not in both, each corpus has one half; with two sizes, the first has a tenth of all and the",
            "second four. Without more errors, each document has its annotations either way round, so that the",
            "corpora do not differ; p is that of γ there.",
            "",
            markdown([*head, "p ≤ .05", "p ≤ .5", "Kolmogorov–Smirnov: p"], of_shares(population, repetitions)),
            "",
        ]
    )  # fmt: skip


def page(population: int, repetitions: int) -> str:
    error = math.sqrt(0.95 * 0.05 / repetitions)
    return "\n".join(
        [
            "# Two corpora compared: intervals and tests of the difference",
            "",
            f"`tools/bench/paired.py`, gamma_align {ga.__version__}; {REPLICATES} replicates, {SAMPLES} samples a",
            f"document, populations of {population} documents. The simulation's own standard error of a coverage is",
            f"about {error:.3f}.",
            "",
            f"## The 95 % interval of the difference ({repetitions} corpora; {repetitions // 2} for uα)",
            "",
            markdown(
                ["population", "documents", "value", "difference", "coverage", "truth below / above", "no interval"],
                of_intervals(population, repetitions),
            ),
            "",
            f"## p without a difference ({repetitions} corpora)",
            "",
            markdown(
                ["documents", "value", "p ≤ .01", "p ≤ .05", "p ≤ .5", "Kolmogorov–Smirnov: p"],
                of_p(population, repetitions),
            ),
            "",
            f"## A difference that `plan` says will be found four times in five ({repetitions // 2} corpora)",
            "",
            "Documents: 2·((z.975 + z.8)·within/difference)², `within` being what `plan` of a pilot of 40 documents",
            "says of the spread that annotators bring.",
            "",
            markdown(
                ["errors", "difference", "within", "documents", "found by p ≤ .05", "by the interval"],
                of_power(population, repetitions // 2),
            ),
            "",
        ]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--population", type=int, default=1500)
    parser.add_argument("--repetitions", type=int, default=600)
    parser.add_argument("--shares", action="store_true")
    arguments = parser.parse_args()
    text = (page_of_shares if arguments.shares else page)(arguments.population, arguments.repetitions)
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
