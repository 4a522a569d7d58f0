"""What a small request costs in a warm process, from records to JSON: `small.py [-o FILE.md]`.

Two annotators, default options; the least CPU time of several runs, over corpora that differ in density, bounds and
seed. The last row is 2 × 1,000 units with 30 samples, from a corpus in memory. A minute; see README.md next to it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import NamedTuple

import table

import gamma_align as ga
from gamma_align import kernels

ROOT = Path(__file__).resolve().parent.parent.parent
UNITS, LABELS, SEEDS = (5, 10, 15, 20, 25, 35, 50), (1, 3, 8), (1, 2, 3)
GAPS = {"dense": 0.3, "sparse": 8.0}  # between units of length 3
BOUNDS = {"integers": True, "real numbers": False}
MAX_REQUEST_MS, MAX_LONG_MS = 30.0, 5.0
_RUNS_IN_ROUND = 3


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


class Case(NamedTuple):
    """One corpus of a row of the table, and how it is measured."""

    row: str
    run: Callable[[], object]
    wanted_ms: float


def cases() -> list[Case]:
    """Return all corpora."""
    result = []
    for units, density, bounds in product(UNITS, GAPS, BOUNDS):
        for n_labels, seed in product(LABELS, SEEDS):
            data = records(units, n_labels, GAPS[density], integer=BOUNDS[bounds], seed=seed)
            result.append(Case(f"2 × {units}, {density}, {bounds}", partial(request, data, seed), MAX_REQUEST_MS))
    corpus = ga.read(ROOT / "corpora" / "pygamma" / "2by1000.csv")
    run = partial(ga.gamma, corpus, samples=30, seed=1)
    return [*result, Case("2 × 1000, 30 samples, from a corpus", run, MAX_LONG_MS)]


def request(data: list[tuple[object, ...]], seed: int) -> str:
    """Return γ of records as JSON."""
    return json.dumps(ga.gamma(data, seed=seed).to_dict())


def least_ms(runs: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """Return the least CPU time of each, in milliseconds: of three runs in each round over all of them.

    The clock of a machine may change for seconds at a time, so that runs one after the other are all slow.
    """
    least = [math.inf] * len(runs)
    for _ in range(repeat):
        for index, run in enumerate(runs):
            for _ in range(_RUNS_IN_ROUND):
                begin = time.process_time()
                run()
                least[index] = min(least[index], 1e3 * (time.process_time() - begin))
    return least


def kernel_ms(run: Callable[[], object]) -> float:
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
    for _ in range(_RUNS_IN_ROUND):
        run()
        totals.append(0.0)
    for name, kernel in names.items():
        setattr(module, name, kernel)
    return 1e3 * min(totals[:-1])


def table_rows(repeat: int) -> list[list[str]]:
    """Return median and range of each row."""
    all_cases = cases()
    times = least_ms([case.run for case in all_cases], repeat)
    in_kernels = [min(kernel_ms(case.run) for _ in range(repeat)) for case in all_cases]
    rows = []
    for row in dict.fromkeys(case.row for case in all_cases):
        own = [index for index, case in enumerate(all_cases) if case.row == row]
        spent, wanted = [times[index] for index in own], all_cases[own[0]].wanted_ms
        figures = (statistics.median(spent), min(spent), max(spent), statistics.median(in_kernels[i] for i in own))
        kept = f"{sum(one <= wanted for one in spent)} of {len(spent)}"
        rows.append([row, *(f"{figure:.1f}" for figure in figures), f"{wanted:g}", kept])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--repeat", type=int, default=10, metavar="N", help="rounds over all of them (default: 10)")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    arguments = parser.parse_args()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    rows = table_rows(arguments.repeat)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    head = ["what", "median CPU ms", "least", "most", "of it kernels", "wanted", "kept"]
    text = [
        "# Small requests",
        "",
        *table.about(arguments, load, sources, f"least of {arguments.repeat} rounds of {_RUNS_IN_ROUND} runs"),
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
