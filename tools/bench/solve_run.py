"""One alignment of a synthetic continuum, or γ of many small ones, timed in a process of its own; prints JSON.

Imports (the solvers' too, which gamma_align makes when one is needed) and drawing the data are not part of the CPU
seconds; they are of the process's peak memory.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import noisy
import numpy as np

import gamma_align as ga
from gamma_align import kernels
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
ON_DEMAND = ("scipy.sparse", "ortools.linear_solver.pywraplp", "ortools.linear_solver.python.model_builder_helper")


def main() -> None:
    arguments = _parser().parse_args()
    for name in ON_DEMAND:
        import_module(name)
    if arguments.documents:
        corpus = Corpus.from_continua(
            [
                noisy.continuum(arguments.annotators, arguments.units, arguments.noise, number, f"{number:06d}")
                for number in range(arguments.documents)
            ]
        )
    else:
        corpus = Corpus.from_continua(
            [noisy.continuum(arguments.annotators, arguments.units, arguments.noise, arguments.seed)]
        )
    if arguments.samples:
        print(json.dumps(_measured(corpus, arguments)))
    else:
        print(json.dumps(_aligned(corpus, arguments)))


def _aligned(corpus: Corpus, arguments: argparse.Namespace) -> dict[str, object]:
    batch, _ = Batch.from_corpus(corpus)
    bound_to = ga.Dissimilarity().bind(corpus.categories)
    limits = Limits(max_work=arguments.max_work)
    cpu, solution = _timed(lambda: solve(batch, bound_to, limits), arguments)
    cost, bound = float(solution.cost.sum()), float(solution.bound.sum())
    return {
        "kernels": kernels.kind(),
        "units": batch.n_units,
        "cpu": cpu,
        "cost": cost,
        "proven": bool(solution.is_proven.all()),
        "gap": (cost - bound) / cost,
        "alignment": hashlib.sha256(np.ascontiguousarray(solution.group)).hexdigest()[:16],
    }


def _measured(corpus: Corpus, arguments: argparse.Namespace) -> dict[str, object]:
    cpu, result = _timed(lambda: ga.gamma(corpus, samples=arguments.samples, seed=arguments.seed), arguments)
    gap = max(document.gap for document in result.documents)
    return {
        "kernels": kernels.kind(),
        "units": len(corpus.start),
        "cpu": cpu,
        "proven": gap == 0.0,
        "gap": gap,
        "gamma": result.gamma.value,
    }


def _timed(work: Callable[[], T], arguments: argparse.Namespace) -> tuple[list[float], T]:
    """Work until it is done `runs` times, or has taken `enough` seconds; return the CPU seconds of each time."""
    cpu: list[float] = []
    while True:
        started = time.process_time()
        done = work()
        cpu.append(time.process_time() - started)
        if len(cpu) >= arguments.runs or sum(cpu) >= arguments.enough:
            return cpu, done


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="CPU seconds of one alignment, or of γ of many small documents")
    parser.add_argument("annotators", type=int)
    parser.add_argument("units", type=int, help="units of the reference")
    parser.add_argument("noise", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, help="so many, numbered seeds; without it, one")
    parser.add_argument("--samples", type=int, help="γ with so many samples; without it, alignments alone")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--enough", type=float, default=3.0, metavar="SECONDS", help="no further run after these")
    parser.add_argument("--max-work", type=int, metavar="N", help="look-ups of pairs; gamma_align's default without it")
    return parser


if __name__ == "__main__":
    main()
