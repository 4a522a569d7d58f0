"""Other packages side by side in one run: the same data, the same values, CPU and memory of fresh processes in turn.

Run it with the Python gamma_align is installed for (with the extra `parquet`); see README.md next to it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import processes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LONG = 10.0  # CPU seconds above which a task runs once
WALL_PER_CPU = 6.0  # a CPU second may take so long on a machine that others use too
REQUIREMENTS = (
    ("pygamma-agreement==0.5.9",),
    ("krippendorff==0.9.0",),
    ("seqeval==1.2.2",),
    ("nervaluate==1.2.1",),
    ("segeval==2.0.11", "setuptools<80"),  # it imports pkg_resources
    ("pyannote.metrics==4.2.0",),
    ("--only-binary", ":all:", "cylp"),  # CBC, the faster solver of pygamma-agreement; without it, GLPK
)
"""Requirements of the packages, in the order in which they are installed."""

SAMPLES = "other random samples: shifts (Mathet et al. 2015 §5.2) and shuffles there"
MAX_NAMED = 2  # values
SINGLE = 1e-5  # relative: pygamma-agreement computes in single precision


@dataclass
class Task:
    """A task for both, the relative tolerance of values, values that differ with the reason, and runs of both."""

    name: str
    package: str
    what: str
    tolerance: float = 1e-9
    reasons: dict[str, str] = field(default_factory=dict)
    ours: list[processes.Run] = field(default_factory=list)
    theirs: list[processes.Run] = field(default_factory=list)
    problem: str = ""  # why the package does not run
    version: str = ""


GAMMA = "γ, 30 samples, 3 × 100 units (pygamma/3by100.csv)"
TASKS = (
    Task("gamma", "pygamma-agreement, exact", GAMMA, SINGLE, {"gamma": SAMPLES}),
    Task("gamma-fast", "pygamma-agreement, fast", GAMMA, SINGLE, {"gamma": SAMPLES}),
    Task("alpha", "krippendorff", "α of 300,000 items × 5 coders, nominal and interval, 10 % missing"),
    Task("f1", "seqeval", "precision, recall, F1, macro F1 of entities in 10,000 sentences"),
    Task("definitions", "nervaluate", "F1 of the same entities: strict, exact, partial, type"),
    Task("segmentation", "segeval", "P_k, WindowDiff, B, S of 10,000 segments each of one text"),
    Task("diarization", "pyannote.metrics", "DER and JER of four systems in 16 meetings (ami_diarization)"),
)
HEAD = ("package", "task", "CPU s", "task, CPU s", "peak MB", "package: CPU s", "package: task, CPU s")
HEAD += ("package: peak MB", "ratio", "ratio, task alone", "values")


def main() -> int:
    arguments = _parser().parse_args()
    chosen = [task for task in TASKS if task.name in arguments.tasks]
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    python = prepare(arguments.env)
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        # In a process of its own: a child begins with the peak memory of its parent.
        subprocess.run([sys.executable, str(HERE / "peers_data.py"), scratch], cwd=ROOT, check=True)
        for task in chosen:
            _measure(task, python, scratch, arguments)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    table.write(arguments.output, _page(chosen, arguments, load, sources))
    return 1 if any("**" in _values(task) for task in chosen) else 0


def _parser() -> argparse.ArgumentParser:
    names = [task.name for task in TASKS]
    parser = argparse.ArgumentParser(
        description="Measure tasks with gamma_align and with other packages as whole processes; write a table.",
        epilog="exit codes: 0 all values are equal, or differ for the reason given; 1 not so; time is never judged",
    )
    parser.add_argument("--tasks", nargs="+", choices=names, default=names, metavar="TASK", help=", ".join(names))
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of what is not long (default: 3)")
    parser.add_argument("--timeout", type=int, default=300, metavar="SECONDS", help="CPU time of a run (default: 300)")
    parser.add_argument(
        "--env",
        type=Path,
        metavar="DIR",
        default=Path(tempfile.gettempdir()) / "gamma_align-bench-peers",
        help="the environment of the packages, made if it is not there (default: a folder among temporary files)",
    )
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "peers.md", metavar="FILE")
    return parser


def prepare(folder: Path) -> Path:
    """Return the Python of the environment of the packages, which is made if it is not there.

    A package that cannot be installed is told on stderr, and by its row.
    """
    python = folder / "bin" / "python"
    if python.exists():
        return python
    venv.create(folder, clear=True, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for requirements in REQUIREMENTS:
        done = subprocess.run([*pip, *requirements], capture_output=True, text=True, check=False)
        _say(f"{requirements[-1] if requirements[0].startswith('-') else requirements[0]}: "
             f"{'installed' if done.returncode == 0 else done.stderr.strip()}")  # fmt: skip
    return python


def _measure(task: Task, python: Path, scratch: str, arguments: argparse.Namespace) -> None:
    """Run both in turn, after one run of each that is not counted: it compiles and loads files into memory."""
    ours = [sys.executable, "-P", str(HERE / "peers_ours.py"), task.name, scratch]
    theirs = [str(python), str(HERE / "peers_theirs.py"), task.name]
    first = processes.run(theirs, HERE, wall_limit=arguments.timeout * WALL_PER_CPU)
    if first.code:
        task.problem = first.stderr.strip().splitlines()[-1] if first.stderr.strip() else f"exit code {first.code}"
    else:
        task.version = json.loads(first.stdout)["version"]
    processes.run(ours, ROOT)
    while not task.ours or (len(task.ours) < arguments.repeat and task.ours[0].cpu <= LONG):
        task.ours.append(processes.run(ours, ROOT))
        # A package that takes long runs once.
        if not task.problem and (not task.theirs or task.theirs[0].cpu <= LONG):
            task.theirs.append(processes.run([*theirs, scratch], HERE, wall_limit=arguments.timeout * WALL_PER_CPU))
            if task.theirs[-1].code:
                run = task.theirs.pop()
                reason = (
                    "stopped" if run.stopped else (run.stderr.strip().splitlines() or [f"exit code {run.code}"])[-1]
                )
                task.problem = f"{reason} after {run.cpu:.0f} s"
    _say(f"{task.package}: {_values(task)}")


def _result(run: processes.Run) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def _values(task: Task) -> str:
    """Return whether both give the same, or by how much they differ and why."""
    if any(run.code for run in task.ours):
        return f"**ours failed: {task.ours[-1].stderr.strip().splitlines()[-1]}**"
    if task.problem:
        return f"does not run: {task.problem}"
    ours, theirs = _result(task.ours[0])["values"], _result(task.theirs[0])["values"]
    equal = [name for name in ours if _is_equal(ours[name], theirs[name], task.tolerance)]
    names = f"{len(equal)} values" if len(equal) > MAX_NAMED else ", ".join(equal)
    texts = [f"{names} equal to {task.tolerance:g}"] if equal else []
    for name in [name for name in ours if name not in equal]:
        text = f"{name} {ours[name]:.6f}, there {theirs[name]:.6f}"
        texts.append(f"{text}: {task.reasons[name]}" if name in task.reasons else f"**{text}**")
    return "; ".join(texts)


def _is_equal(first: float, second: float, tolerance: float) -> bool:
    return math.isclose(first, second, rel_tol=tolerance, abs_tol=tolerance)


def _page(chosen: list[Task], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> str:
    how = f"median of {arguments.repeat} after one run that is not counted, one run of what takes over {LONG:g} s"
    lines = ["# Side by side with other packages", "", *table.about(arguments, load, sources, how)]
    lines += ["- Whole processes of both in turn; the task alone is without start and imports, with reading the data."]
    lines += [*(f"- {note}" for note in arguments.note), ""]
    lines += [table.line(HEAD), table.line(["---", "---"] + ["---:"] * (len(HEAD) - 3) + ["---"])]
    lines += [table.line(_cells(task)) for task in chosen]
    return "\n".join([*lines, "", "How to read this: [README](../README.md#other-packages).", ""])


def _cells(task: Task) -> list[str]:
    name = f"{task.package.partition(',')[0]} {task.version}{''.join(task.package.partition(',')[1:])}".strip()
    ours, ours_alone = _costs(task.ours)
    cells = [name, task.what, f"{ours:.2f}", f"{ours_alone:.2f}", f"{median(run.peak for run in task.ours):.0f}"]
    if not task.theirs:
        return [*cells, *["–"] * 5, _values(task)]
    theirs, theirs_alone = _costs(task.theirs)
    cells += [f"{theirs:.2f}", f"{theirs_alone:.2f}", f"{median(run.peak for run in task.theirs):.0f}"]
    return [*cells, f"{theirs / ours:.1f}", f"{theirs_alone / ours_alone:.1f}", _values(task)]


def _costs(runs: list[processes.Run]) -> tuple[float, float]:
    """Return median CPU seconds of whole processes, and without start and imports."""
    return median(run.cpu for run in runs), median(run.cpu - _result(run)["import_cpu"] for run in runs)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
