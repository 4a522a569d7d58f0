"""What the ways of docs/do/cluster.md cost beside one process: CPU of all processes, and peak memory of the largest.

The files are those of the page. Each way must print the result of one process. Run it with the extras `parquet` and
`dask`; see README.md next to it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

import processes
import table

import gamma_align as ga

ROOT = Path(__file__).resolve().parents[2]
HEAD = ["way", "CPU s", "of one process", "wall s", "peak MB", "same result"]
PARTS = 4
ONE = """
import sys
import gamma_align as ga
print(ga.gamma(sys.argv[1], samples={samples}, seed=7))
"""
# Two workers of a cluster on this machine, in the place of those that Slurm starts.
DASK = """
import sys
from distributed import Client
from joblib import parallel_config
import gamma_align as ga
if __name__ == "__main__":
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None), parallel_config(backend="dask"):
        print(ga.gamma(sys.argv[1], samples={samples}, seed=7))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT / "corpora" / "qamr")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    before, load = table.sources(ROOT), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, arguments.samples)
        runs = {way: measured(command, folder, arguments.corpus.resolve()) for way, command in ways().items()}
    one = runs["one process"]
    rows = [
        [way, f"{run.cpu:.1f}", f"{run.cpu / one.cpu:.2f}", f"{run.wall:.0f}", f"{run.peak:.0f}", same(run, one)]
        for way, run in runs.items()
    ]
    n_documents = len(ga.read(arguments.corpus))
    note = f"{arguments.corpus.name}, {n_documents:,} documents, {arguments.samples} samples; one run each"
    about = table.about(arguments, [load, os.getloadavg()[0]], [before, table.sources(ROOT)], note)
    text = ["# The ways to measure on a cluster", "", *about, "", table.of_numbers(HEAD, rows)]
    table.put("\n".join([*text, "How to read this: [README](../README.md#cluster).", ""]), arguments.output)


def write_files(folder: Path, samples: int) -> None:
    """Write the files of the page, with another number of samples, and the programs above."""
    page = (ROOT / "docs" / "do" / "cluster.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```(?:py|sh)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        name = re.search(r"^# (\w+\.(?:py|sh)):", block, re.MULTILINE)
        if name is not None:
            (folder / name[1]).write_text(block.replace("samples=30", f"samples={samples}"), encoding="utf-8")
    for name, program in {"one": ONE, "two_machines": DASK}.items():
        (folder / f"{name}.py").write_text(program.format(samples=samples), encoding="utf-8")
    two = ONE.replace("seed=7", "seed=7, n_jobs=2")
    (folder / "two.py").write_text(two.format(samples=samples), encoding="utf-8")


def ways() -> dict[str, str]:
    """Return the shell command of each way; $1 is the corpus."""
    parts = f"for part in $(seq 0 {PARTS - 1}); do python measure_part.py $1 $part {PARTS} rows; done"
    return {
        "one process": "python one.py $1",
        "two workers on one machine": "python two.py $1",
        "Dask, two workers": "python two_machines.py $1",
        f"an array of {PARTS} tasks, and pooling": f"{parts}; python pool_parts.py {PARTS} rows",
    }


def measured(command: str, folder: Path, corpus: Path) -> processes.Run:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return processes.run(["sh", "-c", command, "sh", str(corpus)], folder, settings={"PATH": path})


def same(run: processes.Run, one: processes.Run) -> str:
    """Return whether a way printed the result of one process."""
    if run.code:
        return run.stderr.splitlines()[-1]
    return "yes" if run.stdout == one.stdout else "no"


if __name__ == "__main__":
    main()
