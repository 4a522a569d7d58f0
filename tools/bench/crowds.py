"""Measure one alignment of crowds that are not proven: ``python tools/bench/crowds.py [OUTPUT]``.

Each document is solved once in one process, with the default limits; reading and drawing are not counted. "Gap, pairs"
is the gap if the bound came from pairs of annotators alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import table

import gamma_align as ga
from gamma_align.alignment.blocks import unit_bounds
from gamma_align.alignment.candidates import candidate_pairs, needed_pairs
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch

ROOT = Path(__file__).parents[2]
ANNOTATORS = UNITS = 30
# Span and least and greatest length of units at random: overlaps are dense in the first, less so in the second.
DRAWN = ((200.0, 5.0, 20.0), (400.0, 2.0, 15.0))
MIN_ANNOTATORS = 20
HEAD = """# Alignments of crowds

Written by `python tools/bench/crowds.py tools/bench/results/crowds.md`: default work, one run each. Cost is Σ δ(ă) / Δ.

| document | annotators | units | CPU s | cost | gap, pairs | gap |
|---|---:|---:|---:|---:|---:|---:|"""


def drawn(seed: int, span: float, shortest: float, longest: float) -> ga.Corpus:
    """Return a document of units with uniform starts, lengths and categories."""
    rng = np.random.default_rng(seed)
    start, length = rng.uniform(0, span, (ANNOTATORS, UNITS)), rng.uniform(shortest, longest, (ANNOTATORS, UNITS))
    category = rng.integers(0, 4, (ANNOTATORS, UNITS))
    return ga.Corpus.from_records(
        ("d", f"a{who:02d}", float(start[who, unit]), float(start[who, unit] + length[who, unit]), f"c{label}")
        for who, labels in enumerate(category.tolist())
        for unit, label in enumerate(labels)
    )


def documents() -> Iterator[tuple[str, ga.Corpus]]:
    for span, shortest, longest in DRAWN:
        for seed in (1, 2):
            yield (
                f"at random in {span:g}, lengths {shortest:g}–{longest:g}, {seed}",
                drawn(seed, span, shortest, longest),
            )
    for name in ("llm_span_d2t_iaa", "toxic_spans"):
        corpus = ga.read(ROOT / "corpora" / name, outside="extend")
        for document in corpus.documents:
            continuum = corpus[document]
            if len({unit.annotator for unit in continuum.units()}) >= MIN_ANNOTATORS:
                yield f"{name} {document.replace('|', ' ')}", ga.Corpus.from_continua([continuum])


def row(name: str, corpus: ga.Corpus) -> str:
    batch, _ = Batch.from_corpus(corpus)
    dissimilarity = ga.Dissimilarity().bind(corpus.categories)
    start = time.process_time()
    solution = solve(batch, dissimilarity)
    seconds = time.process_time() - start
    cost, bound = float(solution.cost[0]), float(solution.bound[0])
    by_pairs = float(unit_bounds(batch, needed_pairs(batch, candidate_pairs(batch, dissimilarity))).sum())
    gap = "proven" if solution.is_proven[0] else f"{1 - bound / cost:.1%}"
    annotators = len(np.unique(batch.annotator))
    return (
        f"| {name} | {annotators} | {batch.n_units} | {seconds:.1f} | {cost:.3f} | {1 - by_pairs / cost:.1%} | {gap} |"
    )


def main() -> None:
    """Print the table, or write it."""
    lines = [HEAD]
    for name, corpus in documents():
        lines.append(row(name, corpus))
        print(lines[-1], file=sys.stderr, flush=True)
    table.put("\n".join(lines) + "\n", Path(sys.argv[1]) if len(sys.argv) > 1 else None)


if __name__ == "__main__":
    main()
