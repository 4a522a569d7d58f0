"""What the unitizing family costs: CPU, wall time and peak memory of whole processes, by number of units.

Run it with the Python gamma_align is installed for (with the extra `parquet`); see README.md next to it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import processes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SEED = 1


@dataclass
class Case:
    """A corpus, the CPU seconds that measuring it is to stay within, and what runs of it cost."""

    name: str
    limit: float | None
    annotators: int = 0
    units: int = 0  # of each annotator; 0 for a corpus that comes with the package
    options: tuple[str, ...] = ()
    runs: list[processes.Run] = field(default_factory=list)
    floor: processes.Run | None = None  # the same process up to where it would begin to measure
    problem: str = "ok"


def cases() -> list[Case]:
    return [
        *(Case(f"2 × {n:,}", 5.0 if n == 1_000_000 else None, 2, n) for n in (250_000, 500_000, 1_000_000)),
        *(Case(f"5 × {n:,}", 5.0 if n == 200_000 else None, 5, n) for n in (50_000, 100_000, 200_000)),
        Case("dreem_sleep_dodh", 5.0),
        Case("salami", 5.0, options=("--overlap", "layers")),
        Case("novels_ner", None),
        Case("qamr", None, options=("--overlap", "layers")),
    ]


def main() -> int:
    arguments = _parser().parse_args()
    chosen = cases()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        for case in chosen:
            place = _drawn(case, Path(scratch) / case.name) if case.units else ROOT / "corpora" / case.name
            _measure(case, place, arguments.repeat)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    table.write(arguments.output, _page(chosen, arguments, load, sources))
    return 0 if all(case.problem == "ok" for case in chosen) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure `gamma-align measure --coefficients unitizing-alpha` as whole processes; write a table.",
        epilog="exit codes: 0 every output is right, 1 one is not (the table says which); time is never judged",
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs after one warm-up (default: 3)")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "unitizing.md", metavar="FILE")
    return parser


def _drawn(case: Case, place: Path) -> Path:
    """Draw a continuum in a process of its own: a child begins with the peak memory of its parent."""
    numbers = [str(number) for number in (case.annotators, case.units, SEED)]
    done = processes.run([sys.executable, str(HERE / "draw_units.py"), str(place), *numbers], ROOT)
    if done.code:
        raise SystemExit(f"{case.name} cannot be drawn:\n{done.stderr}")
    return place


def _measure(case: Case, place: Path, repeat: int) -> None:
    """Warm up, then run; check every output."""
    command = [sys.executable, "-P", "-m", "gamma_align.apps.cli", "measure", str(place), *case.options]
    command += ["--coefficients", "unitizing-alpha", "--seed", str(SEED), "--json"]
    processes.run(command, ROOT)
    case.runs = [processes.run(command, ROOT) for _ in range(repeat)]
    reading = "import sys, gamma_align as ga; ga.read(sys.argv[1])"
    case.floor = processes.run([sys.executable, "-P", "-c", reading, str(place)], ROOT)
    outputs = {run.stdout for run in case.runs}
    if any(run.code for run in case.runs):
        case.problem = f"exit code {max(run.code for run in case.runs)}"
    elif len(outputs) > 1:
        case.problem = "not the same output each time"
    elif json.loads(outputs.pop())["corpus"]["u"]["value"] is None:
        case.problem = "no uα"
    print(f"{case.name}: {median(run.cpu for run in case.runs):.2f} s CPU, {case.problem}", file=sys.stderr, flush=True)


def _page(chosen: list[Case], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> str:
    head = ("case", "units", "CPU s", "(min–max)", "limit", "of it reading", "wall s", "peak MB", "of it reading")
    head += ("uα", "cuα", "output")
    lines = ["# The unitizing family, whole processes", "", *table.about(arguments, load, sources)]
    lines += [*(f"- {note}" for note in arguments.note), ""]
    lines += [table.line(head), table.line(["---"] + ["---:"] * (len(head) - 2) + ["---"])]
    lines += [table.line(_cells(case)) for case in chosen]
    return "\n".join([*lines, "", "How to read this: [README](../README.md).", ""])


def _cells(case: Case) -> list[str]:
    cpu = [run.cpu for run in case.runs]
    floor = case.floor
    data = json.loads(case.runs[0].stdout) if case.problem == "ok" else None
    units = sum(document["units"] for document in data["documents"]) if data else 0
    values = [data["corpus"][name]["value"] if data else None for name in ("u", "cu")]
    return [
        case.name + (f" ({' '.join(case.options)})" if case.options else ""),
        f"{units:,}",
        f"{median(cpu):.2f}",
        f"{min(cpu):.2f}–{max(cpu):.2f}",
        "" if case.limit is None else f"{case.limit:g}",
        f"{floor.cpu:.2f}" if floor else "",
        f"{median(run.wall for run in case.runs):.2f}",
        f"{median(run.peak for run in case.runs):.0f}",
        f"{floor.peak:.0f}" if floor else "",
        *("–" if value is None else f"{value:.6f}" for value in values),
        case.problem,
    ]


if __name__ == "__main__":
    raise SystemExit(main())
