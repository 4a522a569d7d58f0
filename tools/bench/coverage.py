"""How often the 95 % intervals over documents hold the truth, and on which side they miss: `coverage.py [-o FILE.md]`.

Corpora of a few documents are drawn with replacement from populations (see `populations.py`); the ratio of the
population is the truth. Beside the intervals of the package stand those it gave before: √r ± Student's t with as many
degrees of freedom as documents with disagreement, less one, given as soon as three documents disagree.

Then how often the intervals of the expected disorder hold the truth, with and without pairs of annotators as a control
variate (see `coverage_samples.py`).

Ten minutes on one core. The intervals of single documents, measured as a whole, are in `coverage_documents.py`.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import coverage_samples
import numpy as np
from populations import CORPORA, Population, real, synthetic
from table import line, put

import gamma_align as ga
from gamma_align.distances import Nominal
from gamma_align.inference.jackknife import Parts, difference_intervals, ratio_intervals
from gamma_align.inference.student import t_quantiles
from gamma_align.measures.unitizing.coincidences import CoincidenceRows, document_rows
from gamma_align.measures.unitizing.family import Family

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gamma_align.columns import FloatArray, IntArray
    from gamma_align.inference.values import Value

SIZES = (3, 5, 8, 12, 20, 60)
GIVEN = 200  # intervals that a cell takes
LOWEST, TAIL = 0.925, 0.05  # a cell is counted if its coverage is below, or if it misses more often on one side
NAMED = 0.9  # a population is named if it covers less somewhere from five documents on


class Tally:
    """Intervals that hold a truth, those that do not, and those that are not given."""

    def __init__(self) -> None:
        self.inside = self.below = self.above = self.without = 0

    def add(self, value: Value, truth: float) -> None:
        if not value.is_available or value.no_interval is not None:
            self.without += 1
        elif truth < value.low:
            self.below += 1
        elif truth > value.high:
            self.above += 1
        else:
            self.inside += 1

    def cells(self, fewest: int = 30) -> list[str]:
        given = self.inside + self.below + self.above
        if given < fewest:
            return ["–", "", f"{self.without / max(given + self.without, 1):.0%}"]
        shares = f"{self.below / given:.3f} / {self.above / given:.3f}"
        return [f"{self.inside / given:.3f}", shares, f"{self.without / (given + self.without):.0%}"]


class Cell(NamedTuple):
    """How often intervals of one method hold the truth of a population, drawn so many documents at a time.

    `below` is the share in which γ = 1 - r is truly below the interval, `above` that in which it is above; `given` is
    the share of corpora that have an interval.
    """

    coverage: float
    below: float
    above: float
    given: float
    width: float

    @classmethod
    def of(cls, low: FloatArray, high: FloatArray, truth: float) -> Cell | None:
        """Return the cell of intervals of r, NaN if not given; None if there are too few."""
        given = np.isfinite(low)
        if given.sum() < GIVEN:
            return None
        low, high = low[given], high[given]
        above, below = float(np.mean(truth < low)), float(np.mean(truth > high))  # γ is 1 - r: the other way round
        return cls(1.0 - above - below, below, above, float(np.mean(given)), float(np.median(high - low)))

    def texts(self) -> list[str]:
        return [f"{self.coverage:.3f}", f"{self.below:.3f} / {self.above:.3f}"]


class Compared(NamedTuple):
    """A population, the number of documents drawn, and the cells of both methods."""

    name: str
    kind: str
    hopeless: str | None
    documents: int
    before: Cell | None
    after: Cell | None


def plain(parts: Parts) -> tuple[FloatArray, FloatArray]:
    """Return the intervals of r that the package gave before."""
    root, without = np.sqrt(parts.ratio), np.sqrt(parts.ratio_without)
    n = np.count_nonzero(parts.is_used, axis=-1)
    moved = np.where(parts.is_used, without, 0.0)
    mean = moved.sum(axis=-1) / n
    error = np.sqrt((n - 1) / n * np.where(parts.is_used, without - mean[:, None], 0.0).__pow__(2).sum(axis=-1))
    disagreeing = np.count_nonzero(parts.disagreeing, axis=-1)
    half = t_quantiles(np.maximum(disagreeing - 1.0, 1.0)) * error
    held = ~(parts.expected_without > 1e-12 * parts.expected[:, None]).all(axis=-1)
    none = (disagreeing < 3) | held
    low, high = np.square(np.maximum(root - half, 0.0)), np.square(root + half)
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def layer(parts: Parts) -> tuple[FloatArray, FloatArray]:
    """Return the intervals of r of the package."""
    intervals = ratio_intervals(parts)
    none = np.array([reason is not None for reason in intervals.missing])
    return np.where(none, np.nan, intervals.low), np.where(none, np.nan, intervals.high)


def drawn_parts(population: Population, index: IntArray) -> Parts:
    """Return corpora of drawn documents, shape (n_corpora, n_documents)."""
    return Parts.of_sums(population.observed[index], population.expected[index], population.agreeing[index])


def compare(populations: Iterable[Population], repetitions: int, sizes: Sequence[int] = SIZES) -> Iterator[Compared]:
    """Yield the cells of the populations."""
    for population in populations:
        draw = np.random.default_rng(1)
        for size in sizes:
            index = draw.integers(len(population.observed), size=(repetitions, size))
            with np.errstate(all="ignore"):
                parts = drawn_parts(population, index)
                before, after = (Cell.of(*method(parts), population.ratio) for method in (plain, layer))
            yield Compared(population.name, population.kind, population.hopeless, size, before, after)


def summary(cells: Sequence[Compared]) -> Iterator[list[str]]:
    """Yield a row for each number of documents: before and after."""
    for size in SIZES:
        for method in ("before", "now"):
            some = [cell.before if method == "before" else cell.after for cell in cells if cell.documents == size]
            known = [cell for cell in some if cell is not None]
            if known:
                yield [str(size), method, str(len(known)), *figures(known)]


def figures(known: Sequence[Cell]) -> list[str]:
    """Return the mean and the lowest coverage, shares of low cells and of one-sided misses, and the share given."""
    return [
        f"{np.mean([cell.coverage for cell in known]):.3f}",
        f"{np.mean([cell.coverage < LOWEST for cell in known]):.0%}",
        f"{np.mean([max(cell.below, cell.above) > TAIL for cell in known]):.0%}",
        f"{min(cell.coverage for cell in known):.3f}",
        f"{np.mean([cell.given for cell in known]):.0%}",
    ]


def overall(cells: Sequence[Compared]) -> Iterator[list[str]]:
    """Yield a row for all cells from five documents on, by kind of population and method."""
    for kind in ("real", "synthetic"):
        for name, with_hopeless in ((kind, True), (f"{kind}, but for those named below with a reason", False)):
            chosen = [cell for cell in cells if cell.documents >= 5 and cell.kind == kind]
            chosen = [cell for cell in chosen if with_hopeless or cell.hopeless is None]
            for method in ("before", "now"):
                known = [
                    part for part in (cell.before if method == "before" else cell.after for cell in chosen) if part
                ]
                yield [name, method, str(len(known)), *figures(known)]


def named(cells: Sequence[Compared]) -> Iterator[list[str]]:
    """Yield the worst cell of the populations in which intervals do not cover, or that are hopeless, from five on."""
    for name in dict.fromkeys(cell.name for cell in cells):
        own = [cell for cell in cells if cell.name == name and cell.documents >= 5]
        known = [(cell.after.coverage, cell) for cell in own if cell.after is not None]
        lowest, worst = min(known, key=lambda pair: pair[0], default=(math.nan, own[0]))
        if lowest < NAMED or worst.hopeless is not None:
            now = "hardly ever an interval" if math.isnan(lowest) else f"{lowest:.3f}"
            before = f"{worst.before.coverage:.3f}" if worst.before is not None else ""
            yield [name, worst.hopeless or "", str(worst.documents), before, now]


def of_populations(cells: Sequence[Compared]) -> Iterator[list[str]]:
    for cell in cells:
        after = cell.after
        given = "" if after is None else f"{1 - after.given:.0%}"
        texts = [part.texts() if part else ["–", ""] for part in (cell.before, after)]
        ratio = f"{after.width / cell.before.width:.2f}" if after and cell.before else ""
        yield [cell.name, str(cell.documents), *texts[0], *texts[1], ratio, given]


def of_differences(populations: Sequence[Population], repetitions: int) -> Iterator[list[str]]:
    """Yield how often intervals of differences hold the truth: of the same documents, and of independent corpora."""
    for name, other in (("salami γ", "salami γ"), ("btc_crowd γ", "btc_crowd γ"), ("qamr γ", "btc_crowd γ")):
        first, second = (next(some for some in populations if some.name == each) for each in (name, other))
        for sizes in ((5, 5), (8, 8), (20, 20), (60, 60), (5, 20), (20, 60)):
            draw = np.random.default_rng(5)
            one, two = (
                draw.integers(len(some.observed), size=(repetitions, size))
                for some, size in zip((first, second), sizes, strict=True)
            )
            with np.errstate(all="ignore"):
                if name == other and sizes[0] == sizes[1]:
                    yield [f"{name}: the same documents, one side with noise", *_difference(*_noisy(first, one))]
                    *parts, truth = _partly_shared(first, one, two)
                    row = _difference(*parts, truth, sizes, shared="some")
                    yield [f"{name}: half of the documents the same, one side with noise", *row]
                sides = _independent(first, one, second, two)
                truth = second.ratio - first.ratio
                yield [f"{name} and {other}, independent", *_difference(*sides, truth, sizes, shared="none")]


def _noisy(population: Population, index: IntArray) -> tuple[Parts, Parts, float, tuple[int, int]]:
    """Return drawn documents twice, the second time with more and noisy disorder."""
    factor = np.random.default_rng(6).gamma(4.0, 0.3, len(population.observed))
    other = population._replace(observed=population.observed * factor)
    size = index.shape[1]
    return drawn_parts(population, index), drawn_parts(other, index), other.ratio - population.ratio, (size, size)


def _independent(first: Population, one: IntArray, second: Population, two: IntArray) -> tuple[Parts, Parts]:
    """Return two samples over the documents of both, each with nothing in the other's."""

    def sums(population: Population, index: IntArray, before: int, after: int) -> Parts:
        pad = ((0, 0), (before, after))
        columns = (population.observed[index], population.expected[index], population.agreeing[index])
        return Parts.of_sums(*(np.pad(column, pad) for column in columns))

    return sums(first, one, 0, two.shape[1]), sums(second, two, one.shape[1], 0)


def _partly_shared(population: Population, one: IntArray, two: IntArray) -> tuple[Parts, Parts, float]:
    """Return drawn documents of which half are in both, the second time with more and noisy disorder."""
    factor = np.random.default_rng(6).gamma(4.0, 0.3, len(population.observed))
    other = population._replace(observed=population.observed * factor)
    shared = one.shape[1] // 2
    second = np.concatenate([one[:, :shared], two[:, shared:]], axis=1)

    def sums(some: Population, index: IntArray, before: int, after: int) -> Parts:
        # The shared documents are in the middle, behind those of the first and before those of the second.
        columns = (some.observed[index], some.expected[index], some.agreeing[index])
        return Parts.of_sums(*(np.pad(column, ((0, 0), (before, after))) for column in columns))

    first = np.concatenate([one[:, shared:], one[:, :shared]], axis=1)
    alone = one.shape[1] - shared, two.shape[1] - shared
    return sums(population, first, 0, alone[1]), sums(other, second, alone[0], 0), other.ratio - population.ratio


def _difference(first: Parts, second: Parts, truth: float, sizes: tuple[int, int], *, shared: str = "all") -> list[str]:
    intervals = difference_intervals(first, second, shared=shared)
    none = np.array([reason is not None for reason in intervals.missing])
    low, high = (np.where(none, np.nan, column) for column in (intervals.low, intervals.high))
    cell = Cell.of(-high, -low, -truth)  # of the first value less the second
    number = str(sizes[0]) if sizes[0] == sizes[1] and shared == "all" else f"{sizes[0]} and {sizes[1]}"
    return [number, *(cell.texts() if cell else ["–", ""]), f"{np.mean(none):.0%}"]


def of_unitizing(repetitions: int) -> Iterator[list[str]]:
    for name in ("novels_ner", "dreem_sleep_dodh"):
        corpus = ga.read(CORPORA / name)
        rows = document_rows(corpus, layers=False)
        kind = Family.of(corpus.categories, Nominal(), rows, layers=False)
        truth, number = dict(family(kind, rows)), len(rows.documents)
        draw = np.random.default_rng(2)
        for size in SIZES:
            tallies = {which: Tally() for which in truth}
            for _ in range(repetitions):
                for which, value in family(kind, drawn(rows, draw.integers(number, size=size))):
                    tallies[which].add(value, truth[which].value)
            yield from ([name, str(number), str(size), which, *tally.cells()] for which, tally in tallies.items())


def low_rows(rows: Sequence[list[str]]) -> Iterator[list[str]]:
    """Yield the row of the lowest coverage of each value that covers too little from five documents on."""
    for key in dict.fromkeys((row[0], row[3]) for row in rows):
        own = [row for row in rows if (row[0], row[3]) == key and int(row[2]) >= 5 and row[4] != "–"]
        worst = min(own, key=lambda row: float(row[4]))
        if float(worst[4]) < NAMED:
            yield [f"{worst[0]} {worst[3]}", "", worst[2], "", worst[4]]


def drawn(rows: CoincidenceRows, chosen: IntArray) -> CoincidenceRows:
    """Return the additive numbers of some of the documents, each as a document of its own."""
    return CoincidenceRows(np.arange(len(chosen)), rows.coincidences.take(chosen))


def family(kind: Family, rows: CoincidenceRows) -> Iterator[tuple[str, Value]]:
    values = kind.pooled(rows, rows, [""] * len(rows.documents))
    yield from (("uα", values.u), ("|uα", values.bar_u), ("cuα", values.cu))


def markdown(head: list[str], rows: Iterable[list[str]]) -> str:
    return "\n".join(map(line, [head, ["---"] * len(head), *rows]))


def tables(title: str, head: list[str], rows: dict[str, Iterator[list[str]]]) -> Iterator[str]:
    """Yield a table for each kind of population."""
    for kind, own in rows.items():
        yield from (f"## {kind.capitalize()} {title}", "", markdown(head, own), "")


def of_samples(repetitions: int) -> list[str]:
    """Return the lines about intervals of the expected disorder of single documents."""
    rows = [*coverage_samples.rows(repetitions)]
    return [
        f"## Expected disorder: the sampling error of a document ({repetitions} repetitions)",
        "",
        "The documents and the estimates are those of `tools/bench/coverage_samples.py`. *Plain* and *control* are",
        "followed by the number of samples; a control has 64 points of pairs. *By the rule*: as many samples as",
        "±2 % of each document takes, with pairs from nine units of three annotators on. Documents of two annotators",
        "are sampled here; by default most are computed. The simulation's own standard error of a coverage is about",
        f"{math.sqrt(0.95 * 0.05 / repetitions):.3f}.",
        "",
        markdown(["intervals", "documents", "mean coverage", "lowest", "highest"], coverage_samples.summary(rows)),
        "",
        markdown(coverage_samples.HEAD, rows),
        "",
    ]


def page(repetitions: int) -> str:
    populations = [*real()]
    cells = [*compare([*populations, *synthetic()], repetitions)]
    unitizing = [*of_unitizing(repetitions // 10)]
    by_kind = {kind: [cell for cell in cells if cell.kind == kind] for kind in ("real", "synthetic")}
    head = ["documents", "method", "cells", "mean coverage", f"below {LOWEST}", f"one side > {TAIL}", "worst", "given"]
    columns = ["population", "documents", "before", "γ below / above", "now", "γ below / above", "width", "no interval"]
    tail = ["coverage", "truth below / above", "no interval"]
    return "\n".join(
        [
            "# How often the 95 % intervals over documents hold the truth",
            "",
            f"`tools/bench/coverage.py`, gamma_align {ga.__version__}; {repetitions} corpora a cell, drawn with",
            "replacement; the simulation's own standard error of a coverage is about",
            f"{math.sqrt(0.95 * 0.05 / repetitions):.3f}, and more if few intervals are given. Cells with fewer than",
            f"{GIVEN} intervals are left out. *Before*: √r ± Student's t with as many degrees of freedom as documents",
            "with disagreement, less one, given from three such documents on. *Now*: `inference/jackknife.py`, given",
            "from three documents with disagreement and three with agreement on.",
            "",
            "## All cells from five documents on",
            "",
            markdown(["populations", *head[1:]], overall(cells)),
            "",
            f"## Populations that rest on single documents, or in which intervals cover less than {NAMED} somewhere",
            "",
            markdown(["population", "reason", "documents", "before", "now"], [*named(cells), *low_rows(unitizing)]),
            "",
            "A document, or a kind of document, that holds much of the variance leaves no trace in a corpus that it is",
            "not in. An interval speaks of other documents like those that were drawn.",
            "",
            *tables("populations, all together", head, {kind: summary(by_kind[kind]) for kind in by_kind}),
            *tables("populations", columns, {kind: of_populations(by_kind[kind]) for kind in by_kind}),
            "## Differences of two values",
            "",
            markdown(["corpora", "documents", *tail], of_differences(populations, repetitions)),
            "",
            f"## uα, |uα, cuα ({repetitions // 10} corpora)",
            "",
            markdown(["population", "of documents", "drawn", "value", *tail], unitizing),
            "",
            *of_samples(repetitions // 2),
        ]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--repetitions", type=int, default=4000)
    arguments = parser.parse_args()
    text = page(arguments.repetitions)
    put(text, arguments.output)


if __name__ == "__main__":
    main()
