"""What one alignment costs: CPU seconds of `solve()` on synthetic continua, peak memory, proven or with which gap.

Run it with the Python gamma_align is installed for; see README.md next to it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import processes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOISES = (0.1, 0.3, 0.6)
TWINS_TO = 0.3  # CPU seconds above which the plain twins are not asked
TWINS_NOISE = 0.3
WALL = 900.0  # seconds on the clock after which a process is killed


@dataclass(frozen=True)
class Size:
    """So many annotators of so many units, the CPU seconds they are to stay within, and the work that is allowed."""

    annotators: int
    units: int
    limit: float | None
    max_work: int | None = None
    hard: tuple[float, ...] = ()  # noises that the limit does not speak of


SIZES = (
    Size(2, 5000, 0.01),
    Size(2, 50_000, 0.1),
    Size(3, 500, 0.06),
    Size(3, 3000, 0.4),
    Size(5, 500, 1.2),
    Size(6, 100, 0.3),
    Size(8, 30, 0.3),
    Size(10, 30, 0.8),
    Size(10, 100, 8),
    Size(12, 30, 2),
    Size(15, 30, 10),
    Size(15, 100, 40),
    Size(20, 30, 70, hard=(0.6,)),
    Size(20, 100, None, max_work=15_000_000_000),
)


@dataclass
class Row:
    """What the draws of one size and noise cost."""

    size: Size
    noise: float
    draws: list[dict[str, Any]] = field(default_factory=list)
    peak: float = 0.0
    twin: dict[str, Any] | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def limit(self) -> float | None:
        return None if self.noise in self.size.hard else self.size.limit

    @property
    def medians(self) -> list[float]:
        return [median(draw["cpu"]) for draw in self.draws]


def main() -> int:
    arguments = _parser().parse_args()
    load, sources = [os.getloadavg()[0]], [table.sources(ROOT)]
    chosen = [size for size in SIZES if f"{size.annotators}x{size.units}" in arguments.sizes]
    rows = [_measured(Row(size, noise), arguments) for size, noise in product(chosen, NOISES)]
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    table.write(arguments.output, _page(rows, arguments, load, sources))
    return 1 if any(row.problems for row in rows) else 0


def _parser() -> argparse.ArgumentParser:
    names = [f"{size.annotators}x{size.units}" for size in SIZES]
    parser = argparse.ArgumentParser(
        description="Measure one alignment each of synthetic continua; write a Markdown table.",
        epilog="exit codes: 0 every process ended well and both kinds of kernels agree, 1 not so; time is never judged",
    )
    parser.add_argument("--draws", type=int, default=3, metavar="N", help="of each size and noise (default: 3)")
    parser.add_argument("--sizes", nargs="+", choices=names, default=names, metavar="SIZE", help=", ".join(names))
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "alignments.md", metavar="FILE")
    return parser


def _measured(row: Row, arguments: argparse.Namespace) -> Row:
    """Solve each draw in a process of its own; the first one with the plain twins too, where that is cheap."""
    for seed in range(1, 1 + (1 if row.size.max_work else arguments.draws)):
        found = _solved(row, seed, "compiled")
        if found:
            row.draws.append(found)
    if row.draws and row.noise == TWINS_NOISE and max(row.medians) <= TWINS_TO:
        row.twin = _solved(row, 1, "python")
        if row.twin and row.twin["alignment"] != row.draws[0]["alignment"]:
            row.problems.append("the plain twins found another alignment")
    costs = ", ".join(f"{cpu:.4f}" for cpu in row.medians)
    print(f"{row.size.annotators} × {row.size.units}, {row.noise}: {costs} s", file=sys.stderr, flush=True)
    return row


def _solved(row: Row, seed: int, kind: str) -> dict[str, Any] | None:
    size = row.size
    command = [sys.executable, str(HERE / "solve_run.py"), str(size.annotators), str(size.units), str(row.noise)]
    command += [f"--seed={seed}"]
    command += [f"--max-work={size.max_work}"] if size.max_work else []
    done = processes.run(command, HERE, wall_limit=WALL, settings={"GAMMA_ALIGN_KERNELS": kind})
    if done.code != 0:
        row.problems.append(f"{kind} kernels, draw {seed}: exit code {done.code}")
        return None
    row.peak = max(row.peak, done.peak) if kind == "compiled" else row.peak
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _page(rows: list[Row], arguments: argparse.Namespace, load: list[float], sources: list[str]) -> str:
    how = f"{arguments.draws} draws of each, up to five runs of each draw"
    head = ("annotators × units", "noise", "units", "best s", "median s", "slowest draw s", "limit s", "limit kept")
    head += ("peak MB", "proven", "twins", "output")
    lines = ["# One alignment", "", *table.about(arguments, load, sources, how)]
    lines += [*(f"- {note}" for note in arguments.note), ""]
    lines += [table.line(head), table.line(["---"] + ["---:"] * (len(head) - 2) + ["---"])]
    lines += [table.line(_cells(row)) for row in rows]
    return "\n".join([*lines, "", "How to read this: [README](../README.md#one-alignment).", ""])


def _cells(row: Row) -> list[str]:
    problems = "; ".join(row.problems) or "ok"
    name, limit = f"{row.size.annotators} × {row.size.units}", row.limit
    if not row.draws:
        return [name, f"{row.noise:g}", *["–"] * 9, problems]
    cpu = [seconds for draw in row.draws for seconds in draw["cpu"]]
    kept = [seconds <= limit for seconds in row.medians] if limit else []
    proven = [draw["proven"] for draw in row.draws]
    gap = max(draw["gap"] for draw in row.draws)
    twin = f"{min(row.twin['cpu']) / min(row.draws[0]['cpu']):.0f} ×" if row.twin else ""
    return [
        name,
        f"{row.noise:g}",
        _range([draw["units"] for draw in row.draws]),
        seconds_of(min(cpu)),
        seconds_of(median(row.medians)),
        seconds_of(max(row.medians)),
        "" if limit is None else f"{limit:g}",
        "" if limit is None else _counted(kept, "yes", "**no**"),
        f"{row.peak:.0f}",
        _counted(proven, "yes", f"**gap {gap:.2%}**") + ("" if all(proven) or not any(proven) else f", gap {gap:.2%}"),
        twin,
        problems,
    ]


def _range(values: list[int]) -> str:
    return "–".join(f"{value:,}" for value in sorted({min(values), max(values)}))


def _counted(each: list[bool], everywhere: str, nowhere: str) -> str:
    if all(each):
        return everywhere
    return f"**{sum(each)} of {len(each)}**" if any(each) else nowhere


def seconds_of(value: float) -> str:
    """Return seconds with two digits or more that count."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 1 else f"{value:.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
