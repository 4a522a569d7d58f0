"""Computed expected disorders of two annotators against samples, and what they cost: `computed_chance.py [-o FILE.md]`.

Two kinds of documents are made: texts with a few marked passages, whose sums are exact, and recordings divided into
parts, which take the lattice. For each, z is the difference of the computed value from the plain mean of many samples,
divided by the standard error of that mean. The numerical error of a lattice is added to its variance, and lattices are
finer than by default, because so many samples are precise. Small documents on integer positions are compared with all
offsets and turns. About five minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from table import line, put

import gamma_align as ga
from gamma_align import kernels
from gamma_align.chance import computed_chance
from gamma_align.chance.computed_chance import MAX_WORK, ExpectedWork, compute_chances, work_divisor
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.measures.gamma.gamma_settings import GammaSettings

sys.path.append(str(Path(__file__).parents[2] / "tests" / "oracles"))

if TYPE_CHECKING:
    from gamma_align.columns import FloatArray
    from gamma_align.measures.gamma.gamma_rows import Chances

CORPORA = Path(__file__).parents[2] / "corpora"
MIN_SAMPLES = 300  # that have the disorder; fewer have no normal mean
PRECISION = 0.002  # of the computed values
RAREST = 0.01  # of samples that have the disorder: fewer of them say little of its skewness
Records = list[tuple[str, str, float, float, str]]


def texts(documents: int, seed: int) -> ga.Corpus:
    """Return texts of 60 to 400 characters in which two annotators mark one to five passages each."""
    draw = np.random.default_rng(seed)
    records: Records = []
    for document in range(documents):
        extent = int(draw.integers(60, 400))
        labels = ["claim", "premise", "other"][: draw.integers(2, 4)]
        for annotator in ("ann", "bob"):
            for _ in range(draw.integers(1, 6)):
                length = int(draw.integers(3, max(4, extent // 4)))
                start = int(draw.integers(0, extent - length))
                records.append((f"t{document:03}", annotator, start, start + length, str(draw.choice(labels))))
    return ga.Corpus.from_records(records)


def recordings(documents: int, seed: int) -> ga.Corpus:
    """Return recordings of about four minutes that two annotators divide into four to fourteen parts each."""
    draw = np.random.default_rng(seed)
    records: Records = []
    for document in range(documents):
        span = float(draw.uniform(120, 400))
        common = np.sort(draw.uniform(0, span, draw.integers(3, 10)))
        for annotator in ("ann", "bob"):
            kept = common[draw.random(len(common)) < 0.8] + draw.normal(0, 1, 1)
            own = draw.uniform(0, span, draw.integers(0, 5))
            bounds = np.sort(np.clip(np.concatenate([[0, span], kept, own]), 0, span)).tolist()
            for start, end in pairwise(bounds):
                if start < end:
                    records.append((f"r{document:03}", annotator, start, end, str(draw.choice(["A", "B", "C", "D"]))))
    return ga.Corpus.from_records(records)


def deviations(computed: Chances, sampled: Chances, n_samples: int) -> FloatArray:
    """Return z of each disorder that enough samples have."""
    is_used = (sampled.samples >= max(MIN_SAMPLES, RAREST * n_samples)) & (sampled.error > 0)
    error = np.hypot(sampled.error, computed.numerical_error)
    return (computed.expected[is_used] - sampled.expected[is_used]) / error[is_used]


def compare(name: str, corpus: ga.Corpus, n_samples: int) -> list[str]:
    """Return the rows of a corpus: mean, standard deviation and largest |z| of δ_e, δ_e,cat and δ_e,k."""
    settings = ga.GammaSettings.of(precision_of="documents", precision=PRECISION)
    begin = time.process_time()
    computed = ga.document_statistics(corpus, settings)
    cpu = time.process_time() - begin
    if computed.samples.any():
        raise SystemExit(f"{name}: a document was sampled")
    sampled = ga.document_statistics(corpus, ga.GammaSettings.of(samples=n_samples, control="none", seed=1))
    rows = []
    for symbol, field in (("δ_e", "gamma"), ("δ_e,cat", "gamma_cat"), ("δ_e,k", "gamma_k")):
        z = deviations(getattr(computed, field), getattr(sampled, field), n_samples)
        figures = [f"{z.mean():.2f}", f"{z.std():.2f}", f"{np.abs(z).max():.1f}"]
        rows.append(line([name, symbol, str(len(z)), *figures, f"{1000 * cpu / len(corpus):.1f}"]))
    return rows


def brute_force(documents: int) -> str:
    """Return the largest difference from the mean over all offsets and turns of small documents, in words."""
    from all_shifts import expected_by_all_shifts, random_document, random_settings

    draw, worst, one = np.random.default_rng(2), 0.0, np.array([0])
    for _ in range(documents):
        corpus, settings = random_document(draw), random_settings(draw)
        result = compute_chances(corpus, settings, one, one)
        disorder, categorial, by_category = expected_by_all_shifts(corpus, settings)
        pairs = [(result.disorder[0], disorder), (result.categorial[0], categorial)]
        pairs += zip(result.categorial_k, (by_category[code] for code in result.category_k.tolist()), strict=True)
        if any(np.isnan(value) != np.isnan(truth) for value, truth in pairs):
            raise SystemExit(f"{corpus}: one of both values is missing")
        worst = max([worst, *(abs(value - truth) for value, truth in pairs if not np.isnan(truth))])
    return f"{documents:,} small documents against all offsets and turns: largest difference {worst:.0e}."


def lattices(documents: int, points: tuple[int, ...] = (48, 144, 432), finest: int = 3_888) -> list[str]:
    """Return the true and the stated error of lattices on recordings; the truth is the finest one."""
    corpus, settings = recordings(documents, seed=5), GammaSettings()
    every, sampler = np.arange(len(corpus)), shift_sampler(corpus, settings)
    computation = computed_chance._Computation(sampler, corpus.categories, settings, every, 1)
    estimates, n_points = {}, points[0]
    while n_points <= finest:
        computation.compute(every, np.full(len(corpus), n_points))
        estimates[n_points] = computation.disorder, computation.categorial
        n_points *= 3
    truths = [value for value, _ in estimates[finest]]
    rows = []
    for n_points in points:
        for symbol, truth, (value, stated) in zip(("δ_e", "δ_e,cat"), truths, estimates[n_points], strict=True):
            error = np.abs(value - truth) / truth
            holds = np.mean(np.abs(value - truth) <= stated + 1e-12)
            stated_share = stated / truth
            figures = [f"{np.median(error):.1e}", f"{error.max():.1e}", f"{np.median(stated_share):.1e}"]
            rows.append(line([str(n_points), symbol, *figures, f"{holds:.2f}"]))
    return rows


def limit_of_work() -> list[str]:
    """Return how documents near the limit of work are computed, and what that takes."""
    rows = []
    for units, extent in ((5, 1_000), (10, 10_000), (25, 1_000), (25, 2_500), (50, 500), (50, 5_000), (100, 10_000)):
        corpus, settings, one = marked_texts(1, extent, units), GammaSettings(), np.array([0])
        work = ExpectedWork.estimate(corpus, settings)
        times = []
        for _ in range(3):
            begin = time.process_time()
            points = compute_chances(corpus, settings, one, one).points[0]
            times.append(1000 * (time.process_time() - begin))
        done = work.point[0] * points if points else work.exact[0]
        figures = [f"{work.exact[0]:.1e}", f"{work.point[0]:.1e}", f"{points}", f"{min(times):.1f}"]
        rows.append(line([f"2 × {units} in {extent:,}", *figures, f"{1000 * min(times) / done:.4f}"]))
    return rows


def salami() -> list[str]:
    """Return what computing chance in all recordings of two annotators in `salami` costs, in words."""
    corpus, sentences = ga.read(CORPORA / "salami"), []
    for scope, words in (("corpus", "the pooled value"), ("documents", "every document")):
        settings = GammaSettings.of(precision_of=scope)
        works = ExpectedWork.estimate(corpus, settings)
        limit = MAX_WORK / (work_divisor(works) if settings.rule.is_pooled else 1)
        documents = np.flatnonzero(works.is_computed(limit))
        begin = time.process_time()
        result = compute_chances(corpus, settings, documents, documents, work_limit=limit)
        cpu, points = time.process_time() - begin, np.median(result.points)
        sentences.append(
            f"salami, {words} precise: {len(documents)} documents in {cpu:.2f} CPU s, {points:.0f} points a document."
        )
    return sentences


def small_documents(documents: int) -> list[str]:
    """Return what the kernel takes for one document of two annotators of five units each, by kind of document."""
    kernel, times = kernels.turn_averages, [0.0]

    def timed(*arguments: object) -> object:
        begin = time.thread_time()
        sums = kernel(*arguments)
        times[-1] += time.thread_time() - begin
        return sums

    draw, one, rows = np.random.default_rng(6), np.array([0]), []
    for name in FIVE_UNITS:
        least, points = [], []
        for _ in range(documents):
            corpus, times[:] = five_units(name, draw), []
            for _ in range(3):
                times.append(0.0)
                kernels.turn_averages = timed
                result = compute_chances(corpus, GammaSettings(), one, one)
                kernels.turn_averages = kernel
            least.append(1000 * min(times))
            points.append(result.points[0])
        figures = [f"{value:.2f}" for value in (np.median(least), np.quantile(least, 0.97), max(least))]
        rows.append(line([name, f"{np.median(points):.0f}", str(max(points)), *figures]))
    return rows


FIVE_UNITS = ("text, some passages", "seconds, some events", "seconds, divided into parts", "seconds, overlapping")


def five_units(kind: str, draw: np.random.Generator) -> ga.Corpus:
    """Return a document in which two annotators mark five units each."""
    text, events, parts, _ = FIVE_UNITS
    starts, lengths = np.sort(draw.uniform(0, 60, 5)), draw.uniform(1, 8, 5)
    records: Records = []
    for annotator in ("ann", "bob"):
        if kind == text:
            start = draw.integers(0, 180, 5).astype(np.float64)
            end = start + draw.integers(3, 40, 5)
        elif kind == events:
            start = np.maximum(starts + draw.normal(0, 0.5, 5), 0)
            end = start + lengths * draw.uniform(0.7, 1.3, 5)
        elif kind == parts:
            bounds = np.array([0.0, *np.sort(draw.uniform(0, 200, 4)), 200.0])
            start, end = bounds[:-1], bounds[1:]
        else:
            start = draw.uniform(0, 50, 5)
            end = start + draw.uniform(5, 25, 5)
        units = zip(start.tolist(), end.tolist(), strict=True)
        records += [("d", annotator, begin, stop, str(draw.choice(["x", "y", "z"]))) for begin, stop in units]
    return ga.Corpus.from_records(records)


def against_samples() -> list[str]:
    """Return rows of whole corpora: CPU of γ by default, and with thirty samples of each document."""
    corpora = {"salami": ga.read(CORPORA / "salami")}
    for documents, extent, units in ((10_000, 100, 2), (2_000, 300, 4), (1_000, 1_000, 6), (300, 3_000, 10)):
        corpora[f"{documents:,} texts of {extent:,} characters"] = marked_texts(documents, extent, units)
    rows = []
    for name, corpus in corpora.items():
        times = []
        for options in ({"samples": 2}, {}, {"samples": 30}):  # the first one warms up
            begin = time.process_time()
            result = ga.gamma(corpus, **options)
            times.append(f"{time.process_time() - begin:.2f}")
            if not options:
                share = 100 * result.gamma.expected_precision
        rows.append(line([name, f"{corpus.n_units / len(corpus):.0f}", *times[1:], f"{share:.2f}"]))
    return rows


def marked_texts(documents: int, extent: int, units: int, seed: int = 7, labels: str = "xyz") -> ga.Corpus:
    """Return texts in which two annotators mark this number of passages each, and give each one of the labels."""
    draw = np.random.default_rng(seed)
    records: Records = []
    for document in range(documents):
        for annotator in ("ann", "bob"):
            for _ in range(units):
                start = int(draw.integers(0, extent - 60))
                end = start + int(draw.integers(3, 60))
                records.append((f"t{document:05}", annotator, start, end, str(draw.choice([*labels]))))
    return ga.Corpus.from_records(records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--small", type=int, default=1_000)
    arguments = parser.parse_args()
    kinds = {"texts": texts(arguments.documents, 3), "recordings": recordings(arguments.documents, 4)}
    rows = [row for name, corpus in kinds.items() for row in compare(name, corpus, arguments.samples)]
    head = ["documents", "value", "number", "mean z", "sd z", "largest", "CPU ms a document"]
    corpora_head = ["corpus", "units a document", "default", "30 samples", "numerical error of pooled δ_e, %"]
    small_head = ["2 × 5 units", "points: median", "most", "kernel ms: median", "97 %", "most"]
    limit_head = ["units and positions", "work of the sum", "of a point", "points", "CPU ms", "µs a unit of work"]
    lattice_head = ["points", "value", "error: median", "largest", "stated: median", "stated error holds"]
    text = "\n".join(
        [
            "# Computed chance of two annotators",
            "",
            f"By `tools/bench/computed_chance.py`, against {arguments.samples:,} plain samples of each document.",
            "z is the difference in standard errors of the samples' mean; the numerical error of lattices (recordings)",
            f"is added in quadrature (precision {PRECISION}). CPU is that of aligning and computing.",
            "",
            line(head),
            line(["---"] * len(head)),
            *rows,
            "",
            brute_force(arguments.small),
            "",
            "## The lattice",
            "",
            f"{arguments.documents} recordings; errors relative to the value; the truth is a lattice of 3,888 points.",
            "",
            line(lattice_head),
            line(["---"] * len(lattice_head)),
            *lattices(arguments.documents),
            "",
            *salami(),
            "",
            "## Small documents",
            "",
            f"One document by default, {arguments.documents} of each kind; CPU of the kernel. A sum has no points.",
            "Where a lattice takes most, δ_e,cat decides: it jumps where a pair begins to be aligned, so that its",
            "error falls little faster than the number of points grows.",
            "",
            line(small_head),
            line(["---"] * len(small_head)),
            *small_documents(arguments.documents),
            "",
            "## The limit of work",
            "",
            f"Texts of two annotators by default; the limit is {MAX_WORK:.1e}, and a sum has no points.",
            "",
            line(limit_head),
            line(["---"] * len(limit_head)),
            *limit_of_work(),
            "",
            "## Whole corpora",
            "",
            "CPU seconds of `ga.gamma` by default, and with thirty samples of each document instead.",
            "",
            line(corpora_head),
            line(["---"] * len(corpora_head)),
            *against_samples(),
            "",
        ]
    )
    put(text, arguments.output)


if __name__ == "__main__":
    main()
