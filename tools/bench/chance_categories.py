"""How often the stated precision of γcat's and γk's expected disorder holds: `chance_categories.py [-o FILE.md]`.

Sparse corpora are made: texts with few marked errors, as in the evaluation of translations, so that units hardly ever
meet by chance. The truth is a plain mean over very many samples of each document, pooled with the documents' weights.
Then each corpus is measured with many seeds, and each pooled expected disorder is compared with the truth.

`--save FILE` keeps the figures, `--before FILE` shows those of another version beside them. About ten minutes.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from table import line, put

import gamma_align as ga
from gamma_align.alignment.solve import solve
from gamma_align.chance.aligned_sums import statistics
from gamma_align.chance.sampler import ShiftSampler
from gamma_align.columns import ranges
from gamma_align.measures.gamma.gamma_settings import GammaSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gamma_align.columns import FloatArray
    from gamma_align.measures.gamma.gamma_rows import Chances

CORPORA = Path(__file__).parents[2] / "corpora"
LABELS = {"Accuracy": 0.42, "Fluency": 0.33, "Style": 0.15, "Terminology": 0.07, "Locale": 0.03}
CHUNK = 100_000  # samples that are aligned at once
HEAD = ["corpus", "value", "samples", "CPU s", "bias", "spread", "stated", "coverage", "no statement"]


def sparse_corpus(documents: int, *, seed: int) -> ga.Corpus:
    """Return texts in which three annotators mark about six errors of five categories, a few characters each.

    A text has one to six errors. An annotator marks each with probability .55, a few characters off, and gives it
    another category in a quarter of all cases; and marks another place now and then.
    """
    draw = np.random.default_rng(seed)
    labels, frequencies = np.array([*LABELS]), np.array([*LABELS.values()])
    units: list[tuple[str, str, int, int, str]] = []
    extents: dict[str, tuple[float, float]] = {}
    for document in (f"d{number:03}" for number in range(documents)):
        extents[document] = (0, int(draw.integers(150, 1800)))
        errors = 1 + draw.poisson(1.6)
        places = _places(draw, errors, extents[document][1])
        categories = draw.choice(5, errors, p=frequencies)
        for annotator in "abc":
            found = draw.random(errors) < 0.55
            start = places[found, 0] + draw.integers(-3, 4, found.sum())
            length = np.maximum(places[found, 1] + draw.integers(-3, 4, found.sum()), 1)
            another = draw.random(errors) < 0.25
            chosen = np.where(another, draw.choice(5, errors, p=frequencies), categories)[found]
            further = draw.poisson(0.6)
            more = _places(draw, further, extents[document][1])
            start, length = np.concatenate([start, more[:, 0]]), np.concatenate([length, more[:, 1]])
            chosen = np.concatenate([chosen, draw.choice(5, further, p=frequencies)])
            units += [
                (document, annotator, int(begin), int(begin + size), str(labels[code]))
                for begin, size, code in zip(start, length, chosen, strict=True)
            ]
    marked = {unit[0] for unit in units}
    return ga.Corpus.from_records(units, extents={name: extents[name] for name in extents if name in marked})


def _places(draw: np.random.Generator, number: int, length: float) -> np.ndarray:
    """Return start and length of random places, shape (number, 2), clear of the ends of the text."""
    start = draw.integers(4, length - 66, number)
    return np.stack([start, np.clip(np.rint(draw.lognormal(2.2, 0.8, number)), 1, 55).astype(np.int64)], axis=1)


class Truth(NamedTuple):
    """Mean of δ_cat of the samples of each document, and its error; likewise of each category; NaN if none has it."""

    document: FloatArray
    error: FloatArray
    category: dict[str, tuple[FloatArray, FloatArray]]


def truth(corpus: ga.Corpus, samples: int) -> Truth:
    """Return plain means over so many samples of a document on average, more if that lowers the pooled error most."""
    draw, weight = Draw(corpus), ga.gamma(corpus, samples=2).documents.rows.gamma_cat.weight
    draw.samples(np.where(weight > 0, samples // 5, 0))  # the others have no part in pooled values
    number, total, squares = draw.sums[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(squares / number - (total / number) ** 2)
        need = np.nan_to_num(weight * deviation / np.sqrt(number))
    more = samples * len(corpus) * 4 // 5 * need / need.sum()
    draw.samples(np.minimum(more, 50 * samples).astype(np.int64))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = draw.sums[:, 1] / draw.sums[:, 0]
        error = np.sqrt((draw.sums[:, 2] / draw.sums[:, 0] - mean**2) / draw.sums[:, 0])
    by_category = {label: (mean[1 + code], error[1 + code]) for code, label in enumerate(corpus.categories)}
    return Truth(mean[0], error[0], by_category)


class Draw:
    """Samples of the documents of a corpus: number, Σ δ and Σ δ² of those that have δ_cat, and of each category."""

    def __init__(self, corpus: ga.Corpus) -> None:
        self.sums = np.zeros((1 + len(corpus.categories), 3, len(corpus)))
        self._drawn = np.zeros(len(corpus), dtype=np.int64)
        self._sampler = ShiftSampler(corpus, seed=10**6)
        self._dissimilarity = GammaSettings.of().dissimilarity.bind(corpus.categories)

    def samples(self, counts: np.ndarray) -> None:
        """Draw so many samples more of each document."""
        document = np.repeat(np.arange(len(counts)), counts)
        numbers = ranges(self._drawn, counts)
        self._drawn += counts
        for first in range(0, len(document), CHUNK):
            here = document[first : first + CHUNK]
            batch = self._sampler.sample(here, numbers[first : first + CHUNK])
            found = statistics(batch, solve(batch, self._dissimilarity), self._dissimilarity)
            has = found.weight > 0
            _add(self.sums[0], here[has], found.distance[has] / found.weight[has])
            for code in range(len(self.sums) - 1):
                some = found.category_k == code
                value = found.distance_k[some] / found.weight_k[some]
                _add(self.sums[1 + code], here[found.instance_k[some]], value)


def _add(sums: FloatArray, document: np.ndarray, value: FloatArray) -> None:
    for power in range(len(sums)):
        sums[power] += np.bincount(document, value**power, sums.shape[1])


class Seen(NamedTuple):
    """Pooled expected disorders over seeds, their stated relative precision, samples and CPU seconds."""

    expected: list[float]
    precision: list[float]
    samples: list[int]
    cpu: list[float]


def seen(corpus: ga.Corpus, seeds: int, precision: float) -> dict[str, Seen]:
    """Measure a corpus with many seeds."""
    values: dict[str, Seen] = {}
    for seed in range(seeds):
        begun = time.process_time()
        result = ga.gamma(corpus, seed=seed, precision=precision)
        cpu = time.process_time() - begun
        drawn = sum(document.samples for document in result.documents)
        for name, value in (("γcat", result.gamma_cat), *((f"γk {k}", v) for k, v in result.gamma_k.items())):
            columns = values.setdefault(name, Seen([], [], [], []))
            for column, number in zip(columns, (value.expected, value.expected_precision, drawn, cpu), strict=True):
                column.append(number)
    return values


def pooled_truth(corpus: ga.Corpus, true: Truth) -> dict[str, tuple[float, float]]:
    """Return the true pooled expected disorders and their errors."""
    rows = ga.gamma(corpus, samples=8).documents.rows
    found = {"γcat": _pooled(rows.gamma_cat, true.document, true.error)}
    for label, (mean, error) in true.category.items():
        found[f"γk {label}"] = _pooled(rows.of_category(label), mean, error)
    return found


def _pooled(chances: Chances, mean: FloatArray, error: FloatArray) -> tuple[float, float]:
    """Return the pooled truth; of the very few documents that no sample of the truth has, our own value is taken."""
    error = np.where(np.isnan(mean), 0.0, error)
    mean = np.where(np.isnan(mean), chances.expected, mean)
    used = (chances.weight > 0) & ~np.isnan(mean)
    weight = chances.weight[used] / chances.weight[used].sum()
    return float(weight @ mean[used]), float(np.linalg.norm(weight * error[used]))


def figures(name: str, corpus: ga.Corpus, seeds: int, samples: int, precision: float) -> Iterator[dict[str, object]]:
    """Yield the figures of each value of a corpus."""
    true = pooled_truth(corpus, truth(corpus, samples))
    for value, columns in seen(corpus, seeds, precision).items():
        expected, stated = np.array(columns.expected), np.array(columns.precision)
        mean, error = true[value]
        given = np.isfinite(stated)
        inside = np.abs(expected - mean)[given] <= (expected * stated)[given]
        difference = float(np.nanmean(expected)) - mean
        z = difference / math.hypot(float(np.nanstd(expected, ddof=1)) / math.sqrt(seeds), error)
        yield {
            "corpus": name,
            "value": value,
            "samples": round(float(np.mean(columns.samples))),
            "cpu": float(np.mean(columns.cpu)),
            "bias": difference / mean,
            "z": z,
            "spread": 1.96 * float(np.nanstd(expected, ddof=1)) / mean,
            "stated": float(np.mean(stated[given])) if given.any() else math.nan,
            "coverage": float(inside.sum() / seeds),
            "missing": float((~given).mean()),
        }


def cells(row: dict[str, object]) -> list[str]:
    samples, cpu = f"{row['samples']:,}", f"{row['cpu']:.3f}"
    shares = [f"{row['bias']:+.2%} (z {row['z']:+.1f})", f"±{row['spread']:.2%}", f"±{row['stated']:.2%}"]
    return [
        str(row["corpus"]),
        str(row["value"]),
        samples,
        cpu,
        *shares,
        f"{row['coverage']:.3f}",
        f"{row['missing']:.0%}",
    ]


def page(rows: list[dict[str, object]], before: list[dict[str, object]], seeds: int) -> str:
    """Return the page, with the figures of an earlier version above those of this one."""
    lines = [
        "# The stated precision of γcat's and γk's expected disorder",
        "",
        f"`tools/bench/chance_categories.py`, gamma_align {ga.__version__}, {seeds} seeds. *bias*: mean over the seeds",
        "less the truth, relative to it, and by its standard error (z); *spread*: 1.96 standard deviations over the",
        "seeds; *stated*: mean half width of the stated 95 % interval; *coverage*: share of the seeds whose stated",
        "interval holds the truth, a missing statement counted as a miss. The standard error of a coverage of .95 is",
        f"{math.sqrt(0.95 * 0.05 / seeds):.3f}. *samples* are all that were drawn, *CPU s* the whole of `gamma`.",
        "",
    ]
    for title, some in (("Before", before), ("Now", rows)):
        if some:
            lines += [f"## {title}", "", line(HEAD), line(["---", "---", *["---:"] * (len(HEAD) - 2)])]
            lines += [*map(line, map(cells, some)), ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--samples", type=int, default=60_000, help="samples of a document for the truth")
    parser.add_argument("--save", type=Path, help="keep the figures as JSON")
    parser.add_argument("--before", type=Path, help="figures of an earlier version to show as well")
    arguments = parser.parse_args()
    corpora = {
        "sparse, 40 documents": (sparse_corpus(40, seed=1), 1),
        "sparse, 40 others": (sparse_corpus(40, seed=2), 1),
        "sparse, 400 documents": (sparse_corpus(400, seed=3), 6),
        "btc_crowd, 200 documents": (ga.read(CORPORA / "btc_crowd").documents_between(0, 200), 4),
    }
    rows = []
    for name, (corpus, share) in corpora.items():
        rows += figures(name, corpus, arguments.seeds, arguments.samples // share, 0.02)
    if arguments.save:
        arguments.save.write_text(json.dumps(rows), encoding="utf-8")
    before = json.loads(arguments.before.read_text(encoding="utf-8")) if arguments.before else []
    put(page(rows, before, arguments.seeds), arguments.output)


if __name__ == "__main__":
    main()
