"""What folded cells would gain for two annotators in large corpora: `folded_cells.py [-o FILE.md]`.

Folded cells are samples at designed offsets: the two rows have each pair of annotators as often as it is probable, the
offset between them is drawn twice in each of some cells of equal width, and the turn is random. Rows of one annotator
take half of the offsets (exchanging them changes nothing). Sixteen such samples are compared with what is done now (a
sum over offsets, exact or on a lattice) and with sixteen and thirty plain samples: CPU seconds of whole corpora, and
the error of the pooled expected disorder. The cost of cells is measured as that of sixteen plain samples, which are
drawn, aligned and summed in the same way. A second table has lattices that begin with fewer points. About one minute.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from computed_chance import CORPORA, marked_texts
from table import line, put

import gamma_align as ga
from gamma_align.alignment.kinds import solve_alignment
from gamma_align.measures.gamma import computed_chance
from gamma_align.measures.gamma.computed_chance import computable_documents, compute_chances
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.other_samplers import shift_sampler
from gamma_align.measures.gamma.statistics import statistics

if TYPE_CHECKING:
    from gamma_align.columns import FloatArray

N_SAMPLES = 16
# Of sixteen samples four have the first annotator in both rows, four the second, and eight one each.
CLASSES = ((0, 0, 2), (1, 1, 2), (0, 1, 4))  # annotator of each row, number of cells
POINTS_PER_CELL = 2
REPETITIONS = 10
MAX_DOCUMENTS = 300  # in which errors are measured
FIRST_POINTS = 48, 24, 15  # of lattices; 48 is what is used
Z_95 = 1.96


def cells(corpus: ga.Corpus, rng: np.random.Generator) -> FloatArray:
    """Return the mean disorder of sixteen folded cells of each document."""
    settings = GammaSettings()
    sampler, documents = shift_sampler(corpus, settings), np.arange(len(corpus))
    law, slots = sampler.offset_law(documents), sampler.slots
    document, first, second, place, is_half = [], [], [], [], []
    for one, other, n_cells in CLASSES:
        for cell in range(n_cells):
            for _ in range(POINTS_PER_CELL):
                document.append(documents)
                first.append(slots.choices[slots.first_choice + one])
                second.append(slots.choices[slots.first_choice + other])
                place.append((cell + rng.random(len(documents))) / n_cells)
                is_half.append(np.full(len(documents), one == other))
    of = np.concatenate(document)
    span, distance, integer = law.span[of], law.distance[of], law.integer[of]
    count = np.where(integer, span - 2 * distance + 1, span - 2 * distance)
    offset = np.concatenate(place) * np.where(np.concatenate(is_half), count / 2, count)
    offset, turn = distance + np.where(integer, np.floor(offset), offset), rng.random(len(of)) * span
    turn = np.where(integer, np.floor(turn), turn)
    n_rows = np.full(len(of), 2)
    instance, row = np.repeat(np.arange(len(of)), 2), np.tile([0, 1], len(of))
    slot = np.stack([np.concatenate(first), np.concatenate(second)], axis=1).ravel()
    batch = sampler.moved(of[instance], n_rows, instance, row, slot, np.stack([turn, turn + offset], axis=1).ravel())
    dissimilarity = settings.dissimilarity.bind(corpus.categories)
    solution = solve_alignment(batch, dissimilarity, settings.limits, alignment=settings.alignment)
    disorder = statistics(batch, solution, dissimilarity, confidence=settings.confidence).disorder
    return np.bincount(of, disorder) / N_SAMPLES


def errors(corpus: ga.Corpus) -> tuple[float, float, float]:
    """Return the error of δ_e of a document in percent of the mean: on the lattice, of cells and of thirty samples."""
    part = corpus.documents_between(0, min(len(corpus), MAX_DOCUMENTS))
    documents = np.arange(len(part))
    fine = GammaSettings.of(precision_of="documents", precision=0.002)
    truth = compute_chances(part, fine, documents, documents).disorder
    computed = compute_chances(part, GammaSettings(), documents, documents, n_documents=len(corpus)).disorder
    rng = np.random.default_rng(1)
    designed = np.array([cells(part, rng) for _ in range(REPETITIONS)])
    plain = ga.document_statistics(part, ga.GammaSettings.of(samples=30, control="none", seed=1)).gamma.expected
    estimates = (computed, designed, plain)
    return tuple(100 * float(np.sqrt(np.mean((value - truth) ** 2)) / truth.mean()) for value in estimates)


def coarser_start(corpus: ga.Corpus, first_points: int) -> list[str]:
    """Return cost and errors in percent if the lattice begins with so many points, in words."""
    part = corpus.documents_between(0, min(len(corpus), MAX_DOCUMENTS))
    documents = np.arange(len(part))
    fine = GammaSettings.of(precision_of="documents", precision=0.002)
    truth = compute_chances(part, fine, documents, documents).disorder
    before = computed_chance._FIRST_POINTS, computed_chance._MAX_POINTS
    computed_chance._FIRST_POINTS, computed_chance._MAX_POINTS = first_points, 27 * first_points
    begin = time.process_time()
    result = compute_chances(part, GammaSettings(), documents, documents, n_documents=len(corpus))
    cpu = time.process_time() - begin
    computed_chance._FIRST_POINTS, computed_chance._MAX_POINTS = before
    error = (result.disorder - truth) / truth.mean()
    stated = np.sqrt(np.square(result.disorder_error).sum()) / len(part) / truth.mean()
    points = f"{result.points.mean():.0f}"
    figures = (np.sqrt(np.mean(error**2)), np.abs(error.mean()), stated)
    return [str(first_points), points, f"{1e6 * cpu / len(part):.0f}", *(f"{100 * value:.3f}" for value in figures)]


def cpu_seconds(corpus: ga.Corpus, **options: int) -> float:
    """Return the least CPU seconds of three measurements."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        ga.gamma(corpus, **options)
        times.append(time.process_time() - begin)
    return min(times)


def corpora() -> dict[str, ga.Corpus]:
    """Return recordings, and texts of 300 and of 1,000 characters, some and many."""
    salami = ga.read(CORPORA / "salami")
    used = np.flatnonzero(computable_documents(salami, GammaSettings()))
    sizes = ((2_000, 300, 4), (20_000, 300, 4), (1_000, 1_000, 6), (10_000, 1_000, 6))
    texts = {f"{n:,} texts of {extent:,} characters": marked_texts(n, extent, units) for n, extent, units in sizes}
    return {"salami": salami.select(documents=[salami.documents[index] for index in used]), **texts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    rows, lattice_rows = [], []
    for name, corpus in corpora().items():
        lattice_rows += [line([name, *coarser_start(corpus, first_points)]) for first_points in FIRST_POINTS]
        times = [cpu_seconds(corpus, **options) for options in ({}, {"samples": N_SAMPLES}, {"samples": 30})]
        error = errors(corpus)
        pooled = [f"{Z_95 * value / np.sqrt(len(corpus)):.3f}" for value in error]
        rows.append(line([name, *(f"{value:.2f}" for value in times), *(f"{value:.1f}" for value in error), *pooled]))
    head = ["corpus", "CPU s: now", "16 samples", "30 samples", "error %: now", "16 cells", "30 samples"]
    head += ["pooled ± %: now", "16 cells", "30 samples"]
    lattice_head = ["corpus", "first points", "points in the mean", "µs a document", "error %", "mean error %"]
    lattice_head += ["stated error of the mean %"]
    text = [
        "# Folded cells",
        "",
        "By `tools/bench/folded_cells.py`. Error: root mean square over documents, relative to the mean δ_e.",
        "Pooled: 1.96 errors divided by the square root of the number of documents, as if errors were independent.",
        "",
        line(head),
        line(["---"] * len(head)),
        *rows,
        "",
        "## A coarser start of the lattice",
        "",
        f"The first {MAX_DOCUMENTS} documents, as precise as in the whole corpus. Errors of the mean are to be within",
        "the stated one: thirds of a coarse lattice err in the same direction.",
        "",
        line(lattice_head),
        line(["---"] * len(lattice_head)),
        *lattice_rows,
        "",
    ]
    put("\n".join(text), arguments.output)


if __name__ == "__main__":
    main()
