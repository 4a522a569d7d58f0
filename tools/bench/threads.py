"""How much faster threads of one process measure γ of short documents: `threads.py [-o FILE.md]`.

One and two jobs take turns, so that other work on the machine disturbs both; the least wall time of each counts. What
two threads can reach at most on the machine is measured in the same way, with the kernel `align_shifted` alone: two
threads that draw and align the same samples each, against one of them. Results must be equal. Two minutes on two quiet
cores; `--note` puts a remark on the page, say on other load.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import processes
import table

import gamma_align as ga
from gamma_align.chance.other_samplers import shift_sampler
from gamma_align.chance.shifted_samples import align_shifted
from gamma_align.measures.gamma.gamma_settings import GammaSettings

ROOT = Path(__file__).resolve().parent.parent.parent
JOBS = 1, 2
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("qamr", {}),
    ("qamr", {"samples": 60}),
    ("salami", {}),
    ("salami", {"precision_of": "documents"}),
)
KERNEL_SAMPLES = 8  # of each document of qamr


def kernel_run(corpus: ga.Corpus) -> Callable[[int], bytes]:
    """Return a function that lets each of some threads draw and align the same samples, and returns their disorders."""
    settings, documents = GammaSettings(), np.arange(len(corpus))
    sampler = shift_sampler(corpus, settings)
    document, number = np.repeat(documents, KERNEL_SAMPLES), np.tile(np.arange(KERNEL_SAMPLES), len(corpus))
    no_overlaps, results = np.zeros(len(document), dtype=np.bool_), [b""]

    def work() -> None:
        sums = align_shifted(sampler, corpus.categories, settings, document, number, no_overlaps)
        results[0] = sums.disorder.tobytes()

    def run(n_threads: int) -> bytes:
        others = [threading.Thread(target=work) for _ in range(n_threads - 1)]
        for thread in others:
            thread.start()
        work()
        for thread in others:
            thread.join()
        return results[0]

    return run


def measured(run: Callable[[int], object], repeat: int, work: dict[int, int]) -> list[str]:
    """Return the least wall time with one and with two jobs, their CPU times, and the ratio of the work in a second."""
    results = [run(jobs) for jobs in JOBS]  # they warm up, too
    if results[0] != results[1]:
        raise SystemExit("two jobs have another result than one")
    wall: dict[int, list[float]] = {jobs: [] for jobs in JOBS}
    cpu: dict[int, list[float]] = {jobs: [] for jobs in JOBS}
    for _ in range(repeat):
        for jobs in JOBS:
            begin = time.perf_counter(), time.process_time()
            run(jobs)
            wall[jobs].append(time.perf_counter() - begin[0])
            cpu[jobs].append(time.process_time() - begin[1])
    one, two = (min(wall[jobs]) / work[jobs] for jobs in JOBS)
    figures = [f"{min(column[jobs]):.3f}" for column in (wall, cpu) for jobs in JOBS]
    return [*figures, f"{one / two:.2f}"]


def of_command(options: tuple[str, ...], repeat: int) -> list[str]:
    """Return the same of the whole command, reading and printing included."""
    command = [sys.executable, "-P", "-m", "gamma_align.apps.cli", "measure", "corpora/qamr", "--quiet", *options]
    runs: dict[int, list[processes.Run]] = {jobs: [] for jobs in JOBS}
    for _ in range(repeat):
        for jobs in JOBS:
            runs[jobs].append(processes.run([*command, "--jobs", str(jobs)], ROOT))
    one, two = (min(run.wall for run in runs[jobs]) for jobs in JOBS)
    cpu = [f"{min(run.cpu for run in runs[jobs]):.3f}" for jobs in JOBS]
    return [f"{one:.3f}", f"{two:.3f}", *cpu, f"{one / two:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="runs of each (default: 7)")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    arguments = parser.parse_args()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    corpora = {name: ga.read(ROOT / "corpora" / name) for name in ("qamr", "salami")}
    kernel = measured(kernel_run(corpora["qamr"]), arguments.repeat, {1: 1, 2: 2})
    rows = [["the kernel alone, on the same samples twice", *kernel]]
    same_work = {1: 1, 2: 1}
    for name, options in CASES:
        words = ", ".join(f"{key}={value!r}" for key, value in options.items())
        corpus = corpora[name]
        figures = measured(lambda jobs: ga.gamma(corpus, n_jobs=jobs, **options).gamma, arguments.repeat, same_work)  # noqa: B023
        rows.append([f"γ of {name}{f' ({words})' if words else ''}", *figures])
    rows.append(["the command, qamr is read and printed", *of_command((), 3)])
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    head = ["what", "wall s: one job", "two jobs", "CPU s: one job", "two jobs", "times as fast"]
    text = [
        "# Threads",
        "",
        *table.about(arguments, load, sources, f"least of {arguments.repeat} runs of each, in turns"),
        *(f"- {note}." for note in arguments.note),
        "",
        table.of_numbers(head, rows),
        "How to read this: [README](../README.md#threads).",
        "",
    ]
    table.put("\n".join(text), arguments.output)


if __name__ == "__main__":
    main()
