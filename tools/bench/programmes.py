"""OR-Tools and HiGHS on the same alignments: ``nice -n 10 python tools/bench/programmes.py [OUTPUT]``.

Each corpus is aligned, without samples, in a process of its own with each library. CPU is that of `solve` alone, once
the library is imported; the work that a search may take is the same for both, so that parts may stay open.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import table

ROOT = Path(__file__).parents[2]
NAMES = ("hearst_kazantseva", "llm_span_d2t_iaa")
ORTOOLS = ("ortools.linear_solver.pywraplp", "ortools.linear_solver.python.model_builder_helper")
LIBRARIES = ("OR-Tools", "HiGHS")
HEAD = """# Programmes by OR-Tools and by HiGHS

Written by `python tools/bench/programmes.py tools/bench/results/programmes.md`: one alignment of each document, in
single runs. The last column is the disorder that HiGHS finds, divided by that of OR-Tools.
Other work ran on the machine meanwhile.

| corpus | documents | OR-Tools: s | HiGHS: s | ratio | proven by OR-Tools | proven by HiGHS | disorder |
|---|---|---|---|---|---|---|---|"""


def solved(name: str) -> dict[str, float]:
    """Return what aligning a corpus takes in this process, and how far it gets."""
    import gamma_align as ga
    from gamma_align.alignment.backend import has_ortools
    from gamma_align.alignment.limits import Limits
    from gamma_align.alignment.solve import solve
    from gamma_align.data.batch import Batch

    corpus = ga.read(ROOT / "corpora" / name)
    ga.align(corpus[corpus.documents[0]], time_limit=1.0)  # loads the kernels
    for name_of_module in ("scipy.optimize", *(ORTOOLS if has_ortools() else ())):
        import_module(name_of_module)
    batch, _ = Batch.from_corpus(corpus)
    start = time.process_time()
    solution = solve(batch, ga.Dissimilarity().bind(corpus.categories), Limits())
    seconds = time.process_time() - start
    is_proven = solution.bound >= solution.cost * (1 - 1e-9)
    return {"s": seconds, "documents": len(corpus), "proven": int(is_proven.sum()), "cost": float(solution.cost.sum())}


def run(name: str, library: str) -> dict[str, float]:
    """Return what a process of its own says."""
    command = [sys.executable, __file__, "--solve", name, library]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> None:
    """Print the table, or write it."""
    lines = [HEAD]
    for name in NAMES:
        ours, highs = (run(name, library) for library in LIBRARIES)
        proven = f"{ours['proven']} | {highs['proven']} | {highs['cost'] / ours['cost']:.4f}"
        seconds = f"{ours['s']:.1f} | {highs['s']:.1f} | {highs['s'] / ours['s']:.1f}"
        lines.append(f"| {name} | {ours['documents']} | {seconds} | {proven} |")
        print(lines[-1], file=sys.stderr)
    table.put("\n".join(lines) + "\n", Path(sys.argv[1]) if len(sys.argv) > 1 else None)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--solve"]:
        if sys.argv[3] == "HiGHS":
            sys.modules["ortools"] = None  # type: ignore[assignment]  # as if it were not installed
        print(json.dumps(solved(sys.argv[2])))
    else:
        main()
