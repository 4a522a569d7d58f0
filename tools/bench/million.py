"""What about a million documents cost: qamr once, 3, 6 and 12 times, as a Parquet data set with checkpoints.

Each copy is of other documents: their names begin with its number. Memory is that of each process (main and workers)
at its peak, and of all together at the worst moment. Run it with the Python gamma_align is installed for (with the
extras `parquet`, `parallel` and `dask`), on a quiet machine; see README.md next to it. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import processes
import table

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIMES = (1, 3, 6, 12)
MINUTES, MEMORY, RATIO = 8, 1000, 1.3  # of twelve copies; MB; Dask's time against joblib's
TEN_MILLION = 10_000_000

MAKE = """
import dataclasses, sys
import numpy as np
import gamma_align as ga
corpus, times = ga.read(sys.argv[1]), int(sys.argv[3])
columns = {"documents": tuple(f"{copy:02d} {name}" for copy in range(times) for name in corpus.documents)}
for name in ("seen", "annotator", "start", "end", "category"):
    columns[name] = np.tile(getattr(corpus, name), times)
for name in ("seen_offsets", "unit_offsets"):
    columns[name] = np.append(0, np.cumsum(np.tile(np.diff(getattr(corpus, name)), times)))
columns["extents"] = np.tile(corpus.extents, (times, 1))
ga.write(dataclasses.replace(corpus, **columns), sys.argv[2])
"""

CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": None}
    with LocalCluster(host="127.0.0.1", **settings) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@dataclass
class Memory:
    """Resident memory of a process and all that it starts, in MB, looked at five times a second."""

    by_process: dict[int, float] = field(default_factory=dict)
    together: float = 0.0

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        over = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(over,))
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _watch(self, over: threading.Event) -> None:
        while not over.wait(0.2):
            now = {pid: _resident(pid) for pid in _descendants(os.getpid())}
            self.together = max(self.together, sum(now.values()))
            for pid, size in now.items():
                self.by_process[pid] = max(self.by_process.get(pid, 0.0), size)


def _descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *_descendants(child)]
    return found


def _resident(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:  # it has ended
        return 0.0


@dataclass
class Case:
    """How many copies of qamr are measured and how; what that cost, and a hash of what was said."""

    times: int
    how: str
    run: processes.Run
    memory: Memory

    @property
    def cells(self) -> list[str]:
        large = sorted((size for size in self.memory.by_process.values() if size > 30), reverse=True)
        apart = " + ".join(f"{size:.0f}" for size in large)
        numbers = (f"{self.run.wall:.0f}", f"{self.run.cpu:.0f}", apart, f"{self.memory.together:.0f}")
        return [str(self.times), f"{self.times * 81_567:,}", self.how, *numbers, self.outcome]

    @property
    def outcome(self) -> str:
        return "ok" if not self.run.code else f"exit code {self.run.code}: {self.run.stderr.strip().splitlines()[-1]}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure about a million documents; write a table.")
    parser.add_argument("--times", type=int, nargs="+", default=TIMES, help="how many copies of qamr")
    parser.add_argument("--dask", type=int, default=3, metavar="TIMES", help="copies to compare Dask with; 0 for none")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "million.md", metavar="FILE")
    arguments = parser.parse_args()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        cases = [_measured(Path(scratch), times, "--jobs", "2") for times in arguments.times]
        compared = _compared(Path(scratch), arguments.dask) if arguments.dask else []
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    table.write(arguments.output, _page(arguments, load, sources, cases, compared))
    return 0 if all(case.outcome == "ok" for case in (*cases, *compared)) else 1


def _measured(scratch: Path, times: int, *options: str) -> Case:
    data, work, shown = scratch / f"qamr-{times}", scratch / "work", scratch / "shown.txt"
    if not data.exists():
        make = [sys.executable, "-P", "-c", MAKE, str(ROOT / "corpora" / "qamr"), str(data), str(times)]
        subprocess.run(make, check=True)
    memory = Memory()
    command = [sys.executable, "-P", "-m", "gamma_align.apps.cli", "measure", str(data), "-o", str(shown)]
    with memory.watching():
        run = processes.run([*command, "--work", str(work), *options], scratch)
    case = Case(times, " ".join(options).replace(str(scratch), ""), run, memory)
    print(*case.cells, file=sys.stderr, flush=True)
    subprocess.run(["rm", "-r", "-f", str(work)], check=True)
    return case


def _compared(scratch: Path, times: int) -> list[Case]:
    """Measure with two of joblib's workers, and with two of Dask's, started before."""
    program = scratch / "cluster.py"
    program.write_text(CLUSTER, encoding="utf-8")
    cases = [_measured(scratch, times, "--jobs", "2")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, str(program)], **pipes) as cluster:
        address = cluster.stdout.readline().strip()
        begun = _cpu_of(_descendants(cluster.pid))
        cases.append(_measured(scratch, times, "--dask", address))
        workers = _cpu_of(_descendants(cluster.pid)) - begun
        cases[-1].how = f"--dask (its workers' CPU: {workers:.0f} s)"
        cluster.stdin.close()
    return cases


def _cpu_of(pids: list[int]) -> float:
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def _page(
    arguments: argparse.Namespace, load: list[float], sources: list[str], cases: list[Case], compared: list[Case]
) -> str:
    head = ("copies", "documents", "how", "wall s", "CPU s", "MB of each process", "MB together", "output")
    lines = ["# A million documents", "", *table.about(arguments, load, sources, "one run each")]
    lines += [f"- Twelve copies are to take {MINUTES} minutes and {MEMORY:,} MB at most. MB are 10⁶ bytes."]
    head_lines = [table.line(head), table.line(["---:", "---:", "---", *["---:"] * 4, "---"])]
    lines += [*(f"- {note}" for note in arguments.note), "", *head_lines, *(table.line(case.cells) for case in cases)]
    if len(cases) > 1:
        lines += ["", "## The way to ten million", "", *_slopes(cases)]
    if compared:
        plain, dask = compared
        lines += ["", "## Dask beside joblib, two workers each", "", table.line(head)]
        lines += [
            table.line(["---:", "---:", "---", *["---:"] * 4, "---"]),
            *(table.line(case.cells) for case in compared),
        ]
        ratio = dask.run.wall / plain.run.wall
        lines += ["", f"Dask took {ratio:.2f} times as long; {RATIO} times is allowed."]
    return "\n".join([*lines, "", "How to read this: [README](../README.md#a-million-documents).", ""])


def _slopes(cases: list[Case]) -> list[str]:
    documents = [case.times * 81_567 for case in cases]
    lines = []
    for name, unit, values in (
        ("wall time", "s", [case.run.wall for case in cases]),
        ("CPU", "s", [case.run.cpu for case in cases]),
        ("memory of all processes together", "MB", [case.memory.together for case in cases]),
    ):
        slope, begin = np.polyfit(documents, values, 1)
        lines.append(
            f"- {name}: {begin:.0f} {unit} and {slope * 1e6:.0f} {unit} a million documents; ten million "
            f"{begin + slope * TEN_MILLION:,.0f} {unit}."
        )
    return [*lines, "", "These are least-squares lines through the rows above, and no measurement of ten million."]


if __name__ == "__main__":
    raise SystemExit(main())
