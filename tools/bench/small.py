"""What a small request costs in a warm process, from records to JSON: `small.py [-o FILE.md]`.

Two annotators, default options; the least CPU time of several runs, over corpora that differ in density, bounds and
seed. The last row is 2 × 1,000 units with 30 samples, from a corpus in memory. A minute; see README.md next to it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path

import table

import gamma_align as ga
from gamma_align import kernels

ROOT = Path(__file__).resolve().parent.parent.parent
UNITS, LABELS, SEEDS = (5, 10, 25, 50), (1, 3, 8), (1, 2, 3)
GAPS = {"dense": 0.3, "sparse": 8.0}  # between units of length 3
BOUNDS = {"integers": True, "real numbers": False}
MAX_REQUEST_MS, MAX_LONG_MS = 3.0, 5.0


def records(units: int, n_labels: int, gap: float, *, integer: bool, seed: int) -> list[tuple[object, ...]]:
    """Return the units of two annotators with errors of all kinds."""
    labels = dict.fromkeys((f"label{index}" for index in range(n_labels)), 1)
    reference = ga.synthetic_reference(
        units=units, categories=labels, length=3.0, length_deviation=1.0, gap=gap, gap_deviation=0.7 * gap,
        integer=integer, seed=seed, document="d",
    )  # fmt: skip
    kinds = ("shift", "false-negative", "false-positive", *(("category",) if n_labels > 1 else ()))
    document = ga.shuffle(reference, magnitude=0.2, kinds=kinds, annotators=2, seed=seed)
    return [("d", unit.annotator, unit.start, unit.end, unit.category) for unit in document.units()]


def least_ms(run: Callable[[], object], repeat: int) -> float:
    """Return the least CPU time of some runs after a first one, in milliseconds."""
    run()
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def least_kernel_ms(run: Callable[[], object], repeat: int) -> float:
    """Return the least CPU time of the compiled kernels in some runs, in milliseconds."""
    module, totals = import_module("gamma_align.kernels._native"), [0.0]

    def timed(kernel: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            begin = time.process_time()
            result = kernel(*arguments)
            totals[-1] += time.process_time() - begin
            return result

        return call

    names = {name: getattr(module, name) for name in kernels.__all__}
    for name, kernel in names.items():
        setattr(module, name, timed(kernel))
    for _ in range(repeat):
        run()
        totals.append(0.0)
    for name, kernel in names.items():
        setattr(module, name, kernel)
    return 1e3 * min(totals[:-1])


def request_row(units: int, density: str, bounds: str, repeat: int) -> list[str]:
    """Return median and range over labels and seeds."""
    times, in_kernels = [], []
    for n_labels, seed in product(LABELS, SEEDS):
        data = records(units, n_labels, GAPS[density], integer=BOUNDS[bounds], seed=seed)
        run = partial(request, data, seed)
        times.append(least_ms(run, repeat))
        in_kernels.append(least_kernel_ms(run, repeat))
    is_kept = f"{sum(spent <= MAX_REQUEST_MS for spent in times)} of {len(times)}"
    figures = (statistics.median(times), min(times), max(times), statistics.median(in_kernels))
    return [
        f"2 × {units}, {density}, {bounds}",
        *(f"{figure:.1f}" for figure in figures),
        f"{MAX_REQUEST_MS:g}",
        is_kept,
    ]


def request(data: list[tuple[object, ...]], seed: int) -> str:
    """Return γ of records as JSON."""
    return json.dumps(ga.gamma(data, seed=seed).to_dict())


def long_row(repeat: int) -> list[str]:
    corpus = ga.read(ROOT / "corpora" / "pygamma" / "2by1000.csv")
    run = partial(ga.gamma, corpus, samples=30, seed=1)
    spent, in_kernels = least_ms(run, repeat), least_kernel_ms(run, repeat)
    kept = "yes" if spent <= MAX_LONG_MS else "no"
    figures = [*[f"{spent:.1f}"] * 3, f"{in_kernels:.1f}"]
    return ["2 × 1000, 30 samples, from a corpus", *figures, f"{MAX_LONG_MS:g}", kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="runs of each (default: 7)")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    arguments = parser.parse_args()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    rows = [request_row(*case, arguments.repeat) for case in product(UNITS, GAPS, BOUNDS)]
    rows.append(long_row(arguments.repeat))
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    head = ["what", "median CPU ms", "least", "most", "of it kernels", "wanted", "kept"]
    text = [
        "# Small requests",
        "",
        *table.about(arguments, load, sources, f"least of {arguments.repeat} runs of each corpus"),
        f"- 1, 3 and 8 labels with {len(SEEDS)} seeds each: median, least and most over these corpora.",
        *(f"- {note}." for note in arguments.note),
        "",
        table.of_numbers(head, rows),
        "How to read this: [README](../README.md#small-requests).",
        "",
    ]
    table.put("\n".join(text), arguments.output)


if __name__ == "__main__":
    main()
