"""How often the 95 % intervals of single documents hold the truth, by simulation: `coverage_documents.py [-o FILE.md]`.

1. Of a document: its "truth" is a plain mean over very many samples; then it is measured with many seeds.
2. Of the documents of a corpus that is measured by default, so that its pooled value is precise and not each of them;
   and of that pooled expected disorder.

About two minutes on one core.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coverage import Tally, markdown
from populations import CORPORA
from table import put

import gamma_align as ga

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gamma_align.inference.values import Value

TRUTH = 20_000


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--seeds", type=int, default=200)
    arguments = parser.parse_args()
    tail = ["coverage", "truth below / above", "no interval"]
    text = "\n".join(
        [
            "# How often the 95 % intervals of single documents hold the truth",
            "",
            f"`tools/bench/coverage_documents.py`, gamma_align {ga.__version__}. Intervals that are not given are",
            "counted apart. The simulation's own standard error is about",
            f"{math.sqrt(0.95 * 0.05 / arguments.seeds):.3f}.",
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
        ]
    )
    put(text, arguments.output)


if __name__ == "__main__":
    main()
