"""How often the 95 % intervals hold the truth, by simulation: `coverage.py [-o FILE.md]`.

1. Of a document: its "truth" is a plain mean over very many samples; then it is measured with many seeds.
2. Of the documents of a corpus that is measured by default, so that its pooled value is precise and not each of them;
   and of that pooled expected disorder.
3. Of a corpus: the documents of a real corpus are a population, its pooled value is the truth; corpora of a few
   documents are drawn from it with replacement.

About twenty minutes on one core.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from table import line

import gamma_align as ga
from gamma_align._rows import ranges
from gamma_align.distances import Nominal
from gamma_align.gammas.coefficients import corpus_values
from gamma_align.gammas.measure import run
from gamma_align.gammas.precision import PrecisionRule
from gamma_align.gammas.settings import GammaSettings
from gamma_align.unitizing.coincidences import CoincidenceRows, Coincidences, Entries, document_rows
from gamma_align.unitizing.family import Family

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.gammas.rows import GammaRows
    from gamma_align.results.values import Value

CORPORA = Path(__file__).parents[2] / "corpora"
SIZES = (3, 5, 10, 20, 60)
TRUTH = 20_000
FEWEST = 30


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

    def cells(self) -> list[str]:
        given = self.inside + self.below + self.above
        if given < FEWEST:
            return ["–", "", f"{self.without / max(given + self.without, 1):.0%}"]
        shares = f"{self.below / given:.3f} / {self.above / given:.3f}"
        return [f"{self.inside / given:.3f}", shares, f"{self.without / (given + self.without):.0%}"]


class Setting(NamedTuple):
    """A document, and how it is measured."""

    name: str
    document: ga.Continuum
    options: dict[str, float | int | str]


def settings() -> Iterator[Setting]:
    novels, hearst = ga.read(CORPORA / "novels_ner"), ga.read(CORPORA / "hearst_kazantseva")
    salami, crowd = ga.read(CORPORA / "salami"), ga.read(CORPORA / "btc_crowd")
    small = ga.read(CORPORA / "pygamma" / "AlexPaulSuzan.csv").continuum(0)
    for samples in (12, 30):
        yield Setting(f"pygamma/AlexPaulSuzan, {samples} samples", small, {"samples": samples})
        yield Setting(f"salami/100, {samples} samples", salami["100"], {"samples": samples})
    yield Setting("pygamma/AlexPaulSuzan, default", small, {})
    yield Setting("salami/10, default", salami["10"], {})
    yield Setting("salami/100, precision 0.05", salami["100"], {"precision": 0.05})
    yield Setting("btc_crowd A:154270818086555648, precision 0.05", crowd["A:154270818086555648"], {"precision": 0.05})
    yield Setting("btc_crowd A:155055266528890881, 30 samples", crowd["A:155055266528890881"], {"samples": 30})
    yield Setting("novels_ner VanityFair, default", novels["VanityFair"], {})
    yield Setting("moonstone/ch2, precision 0.05", hearst["moonstone/ch2"], {"precision": 0.05})
    yield Setting("moonstone/ch4, precision 0.05", hearst["moonstone/ch4"], {"precision": 0.05})


def of_documents(seeds: int) -> Iterator[list[str]]:
    for setting in settings():
        truth = ga.gamma(setting.document, samples=truth_samples(setting.document), control="none", seed=10**6)
        results = [ga.gamma(setting.document, seed=seed, **setting.options) for seed in range(seeds)]
        numbers = sorted(result.documents[0].samples for result in results)
        for name, value in values_of(truth):
            tally = Tally()
            for result in results:
                tally.add(dict(values_of(result)).get(name, ga.GammaValue.unavailable("absent")), value.value)
            annotators = str(len(setting.document.annotators))
            yield [setting.name, annotators, f"{numbers[0]}–{numbers[-1]}", name, *tally.cells()]


def truth_samples(document: ga.Continuum) -> int:
    """Return as many samples as take about half a minute."""
    return TRUTH if len(document.annotators) < 4 or len(document) < 10 else TRUTH // 10


def values_of(result: ga.GammaResult) -> Iterable[tuple[str, Value]]:
    """Yield the values that are not 1 for want of a second category."""
    yield "γ", result.gamma
    if len(result.gamma_k) > 1:
        yield "γcat", result.gamma_cat
        yield from ((f"γk {label}", value) for label, value in list(result.gamma_k.items())[:2])


def of_many(seeds: int) -> Iterator[list[str]]:
    """Yield what the intervals of γ of documents cover that have few samples each, and that of their pooled δ_e."""
    corpora = (("btc_crowd", 80, 4000), ("salami", 60, 4000), ("novels_ner", 12, 1000), ("qamr", 80, 4000))
    for name, most, samples in corpora:
        corpus = ga.read(CORPORA / name).documents_between(0, most)
        truth = ga.gamma(corpus, samples=samples, control="none", seed=10**6)
        results = [ga.gamma(corpus, seed=seed) for seed in range(seeds)]
        for value in ("gamma", "gamma_cat"):
            tally, pooled_tally = Tally(), Tally()
            for result in results:
                for document, true in zip(result.documents, truth.documents, strict=True):
                    tally.add(getattr(document, value), getattr(true, value).value)
                of_corpus, expected = getattr(result, value), getattr(truth, value).expected
                low, high = (of_corpus.expected * (1 + sign * of_corpus.expected_precision) for sign in (-1, 1))
                pooled_tally.add(ga.GammaValue(of_corpus.expected, low, high), expected)
            numbers = sorted(getattr(document, value).samples for result in results for document in result.documents)
            middle = f"{numbers[len(numbers) // 20]}–{numbers[-len(numbers) // 20]}"
            label = {"gamma": "γ", "gamma_cat": "γcat"}[value]
            yield [name, middle, f"{label} of the documents", *tally.cells()]
            yield [name, "", f"pooled expected disorder of {label}", *pooled_tally.cells()]


def of_corpora(repetitions: int) -> Iterator[list[str]]:
    rule = GammaSettings(rule=PrecisionRule(samples=10))
    for name, most in (("btc_crowd", 1200), ("salami", 300), ("qamr", 1500), ("novels_ner", 12)):
        corpus = ga.read(CORPORA / name)
        rows = run(corpus.documents_between(0, most), rule)
        yield from of_population(name, rows.take(np.flatnonzero(~np.isnan(rows.gamma.observed))), repetitions)


def of_population(name: str, rows: GammaRows, repetitions: int) -> Iterator[list[str]]:
    truth = dict(pooled(rows))
    draw = np.random.default_rng(1)
    for size in SIZES:
        tallies = {which: Tally() for which in truth}
        for _ in range(repetitions):
            some = dict(pooled(rows.take(draw.integers(len(rows), size=size))))
            for which, value in some.items():
                tallies[which].add(value, truth[which].value)
        yield from ([name, str(len(rows)), str(size), which, *tally.cells()] for which, tally in tallies.items())


def pooled(rows: GammaRows) -> Iterator[tuple[str, Value]]:
    gamma, cat, of_k = corpus_values(rows)
    yield "γ", gamma
    if len(of_k) > 1:
        yield "γcat", cat
        yield from ((f"γk {label}", of_k[label]) for label in of_k if label in ("PER", "PERSON", "A"))


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


def drawn(rows: CoincidenceRows, chosen: IntArray) -> CoincidenceRows:
    """Return the additive numbers of some of the documents, each as a document of its own."""
    entries = (
        Entries(*taken(part, chosen))
        for part in (rows.coincidences.lengths, rows.coincidences.own, rows.coincidences.own_met)
    )
    return CoincidenceRows(np.arange(len(chosen)), Coincidences(len(chosen), rows.coincidences.n_values, *entries))


def taken(entries: Entries, chosen: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    first, last = (np.searchsorted(entries.row, chosen, side=side) for side in ("left", "right"))
    index = ranges(first, last - first)
    return np.repeat(np.arange(len(chosen)), last - first), entries.column[index], entries.value[index]


def family(kind: Family, rows: CoincidenceRows) -> Iterator[tuple[str, Value]]:
    values = kind.pooled(rows, rows)
    yield from (("uα", values.u), ("|uα", values.bar_u), ("cuα", values.cu))


def markdown(head: list[str], rows: Iterable[list[str]]) -> str:
    return "\n".join(map(line, [head, ["---"] * len(head), *rows]))


def _error(times: int) -> str:
    """Return the standard error of a share of .95."""
    return f"{math.sqrt(0.95 * 0.05 / times):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--repetitions", type=int, default=2000)
    arguments = parser.parse_args()
    tail = ["coverage", "truth below / above", "no interval"]
    text = "\n".join(
        [
            "# How often the 95 % intervals hold the truth",
            "",
            f"`tools/bench/coverage.py`, gamma_align {ga.__version__}. Intervals that are not given, with a reason,",
            f"are counted apart. The simulation's own standard error is about {_error(arguments.seeds)} for documents,",
            f"{_error(arguments.repetitions)} for γ of corpora and {_error(arguments.repetitions // 4)} for uα,",
            "and more where few intervals are given.",
            "",
            f"## A document: sampling error ({arguments.seeds} seeds)",
            "",
            markdown(["document", "annotators", "samples", "value", *tail], of_documents(arguments.seeds)),
            "",
            f"## The documents of a corpus measured by default ({arguments.seeds // 4} seeds)",
            "",
            "Samples: of a document, for the middle nine tenths.",
            "",
            markdown(["corpus", "samples", "interval", *tail], of_many(arguments.seeds // 4)),
            "",
            f"## A corpus: γ, γcat, γk ({arguments.repetitions} corpora drawn from the documents of a real one)",
            "",
            markdown(["population", "of documents", "drawn", "value", *tail], of_corpora(arguments.repetitions)),
            "",
            f"## A corpus: uα, |uα, cuα ({arguments.repetitions // 4} corpora)",
            "",
            markdown(["population", "of documents", "drawn", "value", *tail], of_unitizing(arguments.repetitions // 4)),
            "",
        ]
    )
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
