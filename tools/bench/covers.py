"""Measure soft-γ beside γ, 30 samples in one process: ``python tools/bench/covers.py [OUTPUT]``.

CPU is that of the whole process from the first measurement on (one is made before, of a small document, so that
OR-Tools and the kernels are loaded); the ratio compares both in one run.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import table

import gamma_align as ga

ROOT = Path(__file__).parents[2]
NAMES = ("AlexPaulSuzan", "2by1000", "2by5000", "3by100", "3by500", "5by100")
HEAD = """# Soft-γ beside γ

Written by `python tools/bench/covers.py tools/bench/results/covers.md`: 30 samples of files of `corpora/pygamma`.

| file | γ: CPU s | soft-γ: CPU s | ratio | γ | soft-γ | proven |
|---|---|---|---|---|---|---|"""


def measured(corpus: ga.Corpus, alignment: str) -> tuple[float, ga.GammaResult]:
    """Return the CPU time of γ of a corpus, and the result."""
    start = time.process_time()
    result = ga.gamma(corpus, samples=30, alignment=alignment)
    return time.process_time() - start, result


def main() -> None:
    """Print the table, or write it."""
    lines = [HEAD]
    measured(ga.read(ROOT / "corpora/pygamma/AlexPaulSuzan.csv"), "cover")
    for name in NAMES:
        corpus = ga.read(ROOT / f"corpora/pygamma/{name}.csv")
        seconds, result = measured(corpus, "partition")
        soft_seconds, soft = measured(corpus, "cover")
        proof = "yes" if soft.optimal else f"gap {soft.gap:.2%}"
        values = f"{float(result.gamma):.4f} | {float(soft.gamma):.4f} | {proof}"
        lines.append(f"| {name} | {seconds:.2f} | {soft_seconds:.2f} | {soft_seconds / seconds:.1f} | {values} |")
        print(lines[-1], file=sys.stderr)
    table.put("\n".join(lines) + "\n", Path(sys.argv[1]) if len(sys.argv) > 1 else None)


if __name__ == "__main__":
    main()
